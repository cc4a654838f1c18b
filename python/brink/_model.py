"""Models written in HSML: loading them, what they declare, running them."""

from __future__ import annotations

import difflib
import inspect
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from brink import _errors
from brink._handle import RunHandle
from brink._inputs import Inputs, parse
from brink._library import (
    check,
    decode,
    decode_or_none,
    encode,
    encode_list,
    fail,
    ffi,
    lib,
    messages_of,
    move,
    new_diag,
)
from brink._live import Run
from brink._result import Collect, Result
from brink._warnings import ModelWarning, RunWarning, warn

__all__ = ["Model", "ModelWarning", "Quantities", "Quantity", "RunWarning", "load"]

Value = Any  # a number, a truth value, a text, or a sequence of these


_TYPES = {
    lib.BRINK_HSML_REAL: "real",
    lib.BRINK_HSML_INTEGER: "integer",
    lib.BRINK_HSML_BOOLEAN: "boolean",
    lib.BRINK_HSML_STRING: "string",
}

_KINDS = {
    lib.BRINK_HSML_PARAMETER: "parameter",
    lib.BRINK_HSML_INPUT: "input",
    lib.BRINK_HSML_OUTPUT: "output",
    lib.BRINK_HSML_STATE: "state",
    lib.BRINK_HSML_MODE: "mode",
    lib.BRINK_HSML_VARIABLE: "variable",
    lib.BRINK_HSML_FLAG: "flag",
    lib.BRINK_HSML_COMPONENT: "component",
}


# ---- what a model declares ----


@dataclass(frozen=True)
class Quantity:
    """Something that a model declares, in all instances of its component.

    >>> import brink
    >>> q = brink.example("gear-box").parameters["car.mass"]
    >>> print(q)
    car.mass = 1200.0 kg in [500, 3000]
    >>> q.value, q.unit, q.lo, q.hi
    (1200.0, 'kg', 500.0, 3000.0)
    """

    name: str  #: without indices: "car.x"
    kind: str  #: "parameter", "input", "output", "state", "mode", "variable", "flag", "component"
    value: float | int | bool | str | None  #: at the start, of the first element; None: it has none
    type: str  #: "real", "integer", "boolean", "string"
    unit: str  #: "": none
    lo: float | None  #: the least value that it may have
    hi: float | None  #: the largest one
    choices: tuple[float | str, ...]  #: values that it may have, where they are listed
    count: int  #: elements: instances times length
    elements: tuple[str, ...]  #: their full names: "car[3].x"
    knob: bool  #: a parameter that its component offers to be set
    component: str  #: the class it is declared in
    file: str | None
    line: int
    column: int
    signal: bool = False  #: it may vary between events; an input that is none is held between rows

    def __str__(self) -> str:
        parts = [self.name]
        if self.value is not None:
            parts.append(f"= {self.value}")
        if self.unit:
            parts.append(self.unit)
        parts.append(self.range)
        return " ".join(filter(None, parts))

    @property
    def range(self) -> str:
        """What it may be, in words: "in [0, 1]", "one of on, off"; "": anything."""
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        return f"in [{self.lo:g}, {self.hi:g}]" if self.lo is not None else ""


class Quantities(Mapping[str, Quantity]):
    """Quantities of one kind, by name. Elements are found, too: ``states["car[3].x"]`` is ``states["car.x"]``.

    >>> import brink
    >>> states = brink.example("bumper-cars").states
    >>> list(states)
    ['car.x', 'car.y', 'car.theta', 'car.v', 'car.w']
    >>> states["car[3].x"].count
    20
    """

    def __init__(self, items: list[Quantity]) -> None:
        self._items = {q.name: q for q in items}

    def __getitem__(self, name: str) -> Quantity:
        if name in self._items:
            return self._items[name]
        bare = re.sub(r"\[[^\]]*\]", "", name) if isinstance(name, str) else name
        found = self._items.get(bare)
        if found is not None and name in found.elements:
            return found
        near = difflib.get_close_matches(str(name), list(self._items), 1)
        raise KeyError(
            f"there is no {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        ) from None

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __repr__(self) -> str:
        return "\n".join(map(str, self._items.values())) or "<none>"

    def _repr_html_(self) -> str:
        from brink import _html

        rows = [(q.name, "" if q.value is None else q.value, q.unit, q.range, q.type, q.count) for q in self.values()]
        return _html.table(["name", "value", "unit", "range", "type", "elements"], rows)


def _start_value(item: Any, kind: str) -> float | int | bool | str | None:
    if item.type == lib.BRINK_HSML_STRING:
        return decode_or_none(item.text)
    if math.isnan(item.value) or kind in ("output", "variable", "flag", "component"):
        return None
    if item.type == lib.BRINK_HSML_BOOLEAN:
        return bool(item.value)
    if item.type == lib.BRINK_HSML_INTEGER:
        return int(item.value)
    return float(item.value)


def _element_name(model: Any, item: Any, k: int) -> str:
    room = ffi.new("char[]", 128)
    length = lib.brink_hsml_element_name(model, ffi.addressof(item), k, room, 128)
    if length >= 128:
        room = ffi.new("char[]", length + 1)
        lib.brink_hsml_element_name(model, ffi.addressof(item), k, room, length + 1)
    return decode(room)


def _choice(model: Any, item: Any, k: int) -> float | str:
    text = ffi.new("const char **")
    number = lib.brink_hsml_choice(model, ffi.addressof(item), k, text)
    return float(number) if text[0] == ffi.NULL else decode(text[0])


def _quantity(model: Any, item: Any) -> Quantity:
    kind = _KINDS[item.kind]
    return Quantity(
        name=decode(item.name),
        kind=kind,
        value=_start_value(item, kind),
        type=_TYPES[item.type],
        unit=decode(item.unit),
        lo=item.lo if item.has_range else None,
        hi=item.hi if item.has_range else None,
        choices=tuple(_choice(model, item, k) for k in range(item.nchoices)),
        count=item.count,
        elements=tuple(_element_name(model, item, k) for k in range(item.count)),
        knob=bool(item.knob),
        component=decode(item.component),
        file=decode_or_none(item.file),
        line=item.line,
        column=item.column,
        signal=bool(item.signal),
    )


# ---- values ----


def _number_word(value: float) -> str:
    if not math.isfinite(value):
        raise _errors.ArgumentError(f"{value} is not a value that a model can start with")
    return repr(float(value))


def _word(value: Any) -> str:
    """A value in the words of the language.

    >>> _word([1, 2.5])
    '[1, 2.5]'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number_word(float(value))
    if isinstance(value, Sequence):
        return "[" + ", ".join(_word(item) for item in value) + "]"
    raise TypeError(f"a value is a number, a truth value, a text or a sequence, not {value!r}")


def _set_values(model: Any, values: Mapping[str, Value]) -> None:
    """Hands values to a brink_hsml."""
    diag = new_diag()
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"values are set by their names, not by {name!r}")
        key = encode(name)
        if isinstance(value, (float, int)) and not isinstance(value, bool):
            if not math.isfinite(value):
                raise _errors.ArgumentError(f"{name}: {value} is not a finite number")
            check(lib.brink_hsml_set(model, key, value, diag), diag)
        else:
            check(lib.brink_hsml_set_text(model, key, encode(_word(value)), diag), diag)


# ---- loading ----


def load(
    source: str | os.PathLike[str],
    *,
    name: str | None = None,
    top: str | None = None,
    import_path: Sequence[str | os.PathLike[str]] = (),
    allow_external: bool = False,
    library_path: Sequence[str | os.PathLike[str]] = (),
) -> Model:
    """Loads a model: from a file, or from a text, which is a string with more than one line.

    name             what messages call a text
    top              the component that runs; None: the file's system, else its last component
    import_path      directories in which imports are looked for that are not beside the importing file
    allow_external   may libraries of external functions be loaded? They can do whatever you can.
    library_path     directories in which these are looked for, after that of the model

    A model with errors is refused with ModelError, whose text shows each of them at its source line.

    >>> import brink
    >>> m = brink.load('''
    ... ctc Decay is
    ...   interface knob(k); end interface;
    ...   body
    ...     declarations state(x, real); parameter(k, real); end declarations;
    ...     initial x := 1.0; end initial;
    ...     dynamics x' = -k*x; end dynamics;
    ...     assignments k : 1.0; end assignments;
    ...   end body;
    ... end Decay;
    ... ''')
    >>> round(m.run(until=1, k=2).final["x"], 4)
    0.1353
    """
    is_text = isinstance(source, str) and "\n" in source
    kept: list[Any] = []
    definition = ffi.new("brink_hsml_def *")
    lib.brink_hsml_defaults(definition, ffi.sizeof("brink_hsml_def"))

    def text(value: str | os.PathLike[str]) -> Any:
        kept.append(ffi.new("char[]", encode(value)))
        return kept[-1]

    if is_text:
        data = str(source).encode()
        if b"\0" in data:
            raise _errors.ArgumentError("a NUL character in the text of the model")
        kept.append(ffi.new("char[]", data))
        definition.text = kept[-1]
        definition.path = text(name if name is not None else "model")
    else:
        definition.path = text(source)
    if top is not None:
        definition.top = text(top)
    for field, count, given in (
        ("import_path", "nimport_path", import_path),
        ("library_paths", "nlibrary_paths", library_path),
    ):
        if isinstance(given, (str, bytes)):
            raise TypeError(f"{field.rstrip('s')} is a sequence of directories, not {given!r}")
        names, more = encode_list([os.fspath(path) for path in given])
        kept += [names, more]
        setattr(definition, field, names)
        setattr(definition, count, len(given))
    definition.allow_external = bool(allow_external)
    model, diag = ffi.new("brink_hsml **"), new_diag()
    status = lib.brink_hsml_load(definition, ffi.NULL, diag, model)
    owned = ffi.gc(model[0], lib.brink_hsml_destroy) if model[0] != ffi.NULL else ffi.NULL
    if status < 0:
        _refuse(status, diag, owned)

    def outline() -> Any:
        """The model once more, as a part of something: its inputs need no values."""
        definition.part = True
        again, diag = ffi.new("brink_hsml **"), new_diag()
        check(lib.brink_hsml_load(definition, ffi.NULL, diag, again), diag)
        assert kept  # what the definition points to
        return ffi.gc(again[0], lib.brink_hsml_destroy)

    return Model(owned, "<text>" if is_text else os.fspath(source), outline)


def _refuse(status: int, diag: Any, model: Any, values: Mapping[str, Value] = {}) -> None:
    """Raises what a status means, with the messages of the compiler, if it has some.

    A value whose name looks like an argument of `Model.run` was meant as one, perhaps.
    """
    messages = messages_of(model) if model != ffi.NULL else ()
    errors = tuple(m for m in messages if m.severity == "error")
    if status in (lib.BRINK_ERR_MODEL, lib.BRINK_ERR_ARGUMENT, lib.BRINK_ERR_FILE) and errors:
        hint = errors[0].hint
        for name in values:
            near = difflib.get_close_matches(name, inspect.signature(Model.run).parameters, 1, 0.7)
            if near and hint is None and name in errors[0].rendered:
                hint = f"did you mean the argument {near[0]} of run?"
        raise _errors.ModelError(errors[0].text, messages=errors, status=status, hint=hint)
    fail(status, diag)


# ---- the model ----

# Options with numbers that have fields of their own, and those that go by the words of the simulation section.
_WORDS = (
    "tolerance",
    "method",
    "events",
    "order",
    "step",
    "hmin",
    "hmax",
    "gain",
    "gamma",
    "termination",
    "parts",
    "near-miss",
    "range",
    "zeno",
    "clocks",
    "threads",
    "until",
    "from",
    "rtol",
    "atol",
    "every",
    "seed",
)

# In the order in which Model.run and Model.start hand them over.
_NAMED = ("until", "from", "rtol", "atol", "method", "every", "seed", "events", "step", "zeno")

_WRITABLE = {
    "states": lib.BRINK_WRITE_STATES,
    "inputs": lib.BRINK_WRITE_INPUTS,
    "all": lib.BRINK_WRITE_ALL,
}

# A second Ctrl-C within this time is meant for more than one run.
_TWICE_SECONDS = 2.0
_last_interrupt = -math.inf


class Model:
    """A model in HSML, made by `load`.

    `knobs`, `parameters`, `inputs`, `outputs`, `states`, `modes`, `variables`, `flags` and `components` say what it
    declares. `run` simulates it; `start` gives a run to be driven step by step. Threads may share a model: what one of them
    sets holds for all; values given to `run` are of that run alone.

    >>> import brink
    >>> m = brink.example("thermostat")
    >>> m.parameters["room.outdoor"].value, list(m.modes), list(m.flags)
    (10.0, ['room.heater'], ['room.warm', 'room.cold'])
    """

    def __init__(self, pointer: Any, source: str, outline: Callable[[], Any]) -> None:
        self._pointer = pointer
        self._outline = outline
        self.source = source  #: where it came from
        self._lock = threading.RLock()
        self._values: dict[str, Value] = {}
        self._applied: dict[str, Value] = {}
        self._inputs: Any = None
        self._options: Any = None
        self._quantities: dict[int, Quantities] = {}
        for message in self.messages:
            warn(str(message), ModelWarning)

    # ---- what it says ----

    @property
    def messages(self) -> tuple[_errors.Message, ...]:
        """What the compiler says about it: warnings."""
        with self._lock:
            return messages_of(self._pointer)

    def _of_kind(self, kind: int) -> Quantities:
        with self._lock:
            if kind not in self._quantities:
                self._apply({})
                self._build()
                items = ffi.new("const brink_hsml_item **")
                count = lib.brink_hsml_items(self._pointer, kind, items)
                found = [_quantity(self._pointer, items[0][k]) for k in range(count)]
                self._quantities[kind] = Quantities(found)
            return self._quantities[kind]

    @property
    def parameters(self) -> Quantities:
        return self._of_kind(lib.BRINK_HSML_PARAMETER)

    @property
    def knobs(self) -> Quantities:
        """Parameters that components offer to be set."""
        return Quantities([q for q in self.parameters.values() if q.knob])

    @property
    def inputs(self) -> Quantities:
        """Inputs of the top component, and those without a connection. One that has no default has the value None."""
        try:
            return self._of_kind(lib.BRINK_HSML_INPUT)
        except _errors.ModelError:
            return self._list_inputs({})

    def _list_inputs(self, values: Mapping[str, Value]) -> Quantities:
        """Inputs as they are with the values of a run, even if some have no value yet."""
        with self._lock:
            self._apply(values)
            missing: set[str] = set()
            pointer = self._pointer
            try:
                self._build()
            except _errors.ModelError as error:
                missing = {m.arguments[0] for m in error.messages if m.code == "unconnected-input"}
                if len(missing) < len(error.messages):
                    raise
            if missing:
                pointer, diag = self._outline(), new_diag()
                _set_values(pointer, {**self._values, **values})
                status = lib.brink_hsml_build(pointer, diag)
                if status < 0:
                    _refuse(status, diag, pointer)
            items = ffi.new("const brink_hsml_item **")
            count = lib.brink_hsml_items(pointer, lib.BRINK_HSML_INPUT, items)
            found = [_quantity(pointer, items[0][k]) for k in range(count)]
            return Quantities([replace(q, value=None) if q.name in missing else q for q in found])

    @property
    def outputs(self) -> Quantities:
        return self._of_kind(lib.BRINK_HSML_OUTPUT)

    @property
    def states(self) -> Quantities:
        return self._of_kind(lib.BRINK_HSML_STATE)

    @property
    def modes(self) -> Quantities:
        return self._of_kind(lib.BRINK_HSML_MODE)

    @property
    def variables(self) -> Quantities:
        """What equations compute and is neither a state nor an output."""
        return self._of_kind(lib.BRINK_HSML_VARIABLE)

    @property
    def flags(self) -> Quantities:
        return self._of_kind(lib.BRINK_HSML_FLAG)

    @property
    def components(self) -> Quantities:
        """Instances of components."""
        return self._of_kind(lib.BRINK_HSML_COMPONENT)

    # ---- values ----

    def set(self, values: Mapping[str, Value] | None = None, /, **more: Value) -> None:
        """Values that all runs start with: parameters, initial values, inputs. Everything that depends on them follows.

        ``m.set(k=0.3)``, ``m.set({"plant.area": 2.5, "v0": [1, 2, 3], "phase": "draining"})``

        >>> import brink
        >>> m = brink.example("gear-box")
        >>> m.set({"car.mass": 900})
        >>> m.parameters["car.mass"].value
        900.0
        >>> m.unset()
        >>> m.parameters["car.mass"].value
        1200.0
        """
        with self._lock:
            wanted = {**self._values, **(values or {}), **more}
            before, self._values = self._values, wanted
            try:
                self._apply({})
                self._build()
            except Exception:
                self._values = before
                raise

    def unset(self) -> None:
        """Forgets all values that `set` has set."""
        with self._lock:
            self._values = {}
            self._quantities = {}

    def _apply(self, values: Mapping[str, Value], inputs: Any = None) -> None:
        """Hands the values of a run to the library, if they are others than the last ones."""
        wanted = {**self._values, **values} if values else self._values
        if self._same(wanted) and inputs is self._inputs:
            return
        self._options = None
        self._quantities = {}
        self._applied = {"": None}  # unknown, until all is done
        lib.brink_hsml_unset(self._pointer)
        _set_values(self._pointer, wanted)
        if self._inputs is not None:
            self._inputs.remove(self._pointer)
        self._inputs = None
        if inputs is not None:
            inputs.install(self._pointer)
            self._inputs = inputs
        self._applied = dict(wanted)

    def _same(self, wanted: Mapping[str, Value]) -> bool:
        """Are these the values that the library has? Arrays may have changed inside: they are handed over again."""
        if wanted.keys() != self._applied.keys():
            return False
        return all(
            isinstance(value, (float, int, str)) and value == self._applied[name]
            for name, value in wanted.items()
        )

    def _build(self) -> None:
        diag = new_diag()
        status = lib.brink_hsml_build(self._pointer, diag)
        if status < 0:
            self._applied = {"": None}
            _refuse(status, diag, self._pointer)

    # ---- runs ----

    def _new_options(self, given: Mapping[str, Any], values: Mapping[str, Value]) -> Any:
        diag = new_diag()
        if self._options is None:
            made = ffi.new("brink_run_options *")
            size = ffi.sizeof("brink_run_options")
            status = lib.brink_hsml_fill_options(self._pointer, made, size, diag)
            if status < 0:
                self._applied = {"": None}
                _refuse(status, diag, self._pointer, values)
            self._options = made
        options = ffi.new("brink_run_options *", self._options[0])
        for name, value in given.items():
            if value is None:
                continue
            if name == "until" and type(value) is float and value == value:
                options.until = value  # what a word would say, and the one that is always there
                continue
            status = lib.brink_run_option(options, name.encode(), encode(_option_word(name, value)), diag)
            if status < 0:
                raise _errors.ArgumentError(f"{name}: {decode(diag.message)}", status=status)
        return options

    def _begin(
        self,
        values: Mapping[str, Value],
        inputs: Inputs | None,
        options: Mapping[str, Any],
        collect: Collect,
        *,
        interpret: bool,
        native: bool,
        max_steps: int,
        writable: int,
    ) -> tuple[RunHandle, float]:
        """A run that is ready to go, and where it is going to end."""
        if max_steps < 0:
            raise _errors.ArgumentError(f"max_steps is 0 (no limit) or more, not {max_steps}")
        refused = None
        try:
            begun = self._begin_run(
                values,
                inputs,
                options,
                collect,
                interpret=interpret,
                native=native,
                max_steps=max_steps,
                writable=writable,
            )
        except _errors.Error as error:
            refused = error
        if inputs is not None and refused is not None and refused.reason == "input-failed":
            inputs.reraise()
        if inputs is not None:
            inputs.forget()  # the model may start where this run does not
        if refused is not None:
            raise refused
        return begun

    def _begin_run(
        self,
        values: Mapping[str, Value],
        inputs: Inputs | None,
        options: Mapping[str, Any],
        collect: Collect,
        *,
        interpret: bool,
        native: bool,
        max_steps: int,
        writable: int,
    ) -> tuple[RunHandle, float]:
        with self._lock:
            self._apply(values, inputs)
            made = self._new_options(options, values)
            made.interpret = bool(interpret)
            made.native = bool(native)
            made.writable = writable
            made.sim.max_steps = max_steps
            made.conditions = collect.condition
            pointer, diag = ffi.new("brink_run **"), new_diag()
            status = lib.brink_run_create(self._pointer, made, ffi.NULL, diag, pointer)
            if status < 0:
                self._applied = {"": None}
                _refuse(status, diag, self._pointer, values)
            handle = RunHandle(pointer[0], inputs)
        collect.begin(handle.pointer)
        return handle, made.until

    def run(
        self,
        *,
        until: float | None = None,
        start: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        method: str | None = None,
        every: float | None = None,
        seed: int | None = None,
        events: str | None = None,
        step: float | None = None,
        zeno: str | None = None,
        options: Mapping[str, Any] | None = None,
        inputs: Any = None,
        hold: bool = False,
        knobs: Mapping[str, Value] | None = None,
        keep: str | Sequence[str] | None = None,
        dense: bool = False,
        report: bool = False,
        summary: bool = False,
        condition: bool = False,
        sensitivity: Sequence[str] | bool | None = None,
        save: str | os.PathLike[str] | None = None,
        interpret: bool = False,
        native: bool = False,
        max_steps: int = 0,
        check: bool = True,
        on_interrupt: Literal["return", "raise"] = "return",
        **values: Value,
    ) -> Result:
        """Simulates the model.

        until, start, rtol, atol, method, every, seed, events, step, zeno
                     as in the simulation section; None: as the model says
        options      others of that section, by name: {"hmax": 0.1, "near-miss": 100}
        inputs       over time: arrays, a frame, or functions (docs/python.md)
        knobs        values of this run by full name: {"plant.area": 2.5}; simple names also as keywords: k=0.3
        keep         what is recorded: "plant.*, car[1..5].x"
        dense, report, summary, condition, sensitivity
                     collect on the way what r(t), r.report(), r.summary, r.condition, r.sensitivity show; else they repeat the run when
                     they are first asked for
        save         a result file that is written while the run goes on: .csv, .mat, .h5
        interpret    never call a C compiler
        native       wait for the C compiler before the first step; else the run starts
                     interpreted, and changes over to native code when that is there
        max_steps    0: no limit
        check        raise SimulationError if the run fails; False: look at r.status
        on_interrupt "return": after Ctrl-C, give back what was computed (a second Ctrl-C within two seconds is
                     KeyboardInterrupt); "raise": brink.Interrupted, which has it as `result`

        Raises ModelError and ArgumentError for what does not fit, SimulationError if the run fails.

        >>> import brink
        >>> m = brink.example("bouncing-ball")
        >>> r = m.run(until=1, rtol=1e-10, knobs={"ball.e": 0.5})
        >>> [(e.flag, round(e.t, 6)) for e in r.events]
        [('ball.ground', 0.451524), ('ball.ground', 0.903047)]
        >>> m.run(until=10)                                    # the bounces accumulate
        Traceback (most recent call last):
        brink._errors.SimulationError: ...
        """
        if on_interrupt not in ("return", "raise"):
            raise _errors.ArgumentError(f"on_interrupt is 'return' or 'raise', not {on_interrupt!r}")
        collect = _collection(keep, dense, report, summary, condition, sensitivity, save)
        named = (until, start, rtol, atol, method, every, seed, events, step, zeno)
        given = _given_options(named, options)
        wanted = {**knobs, **values} if knobs else values
        handle, end = self._begin(
            wanted,
            self._parse_inputs(inputs, hold, wanted),
            given,
            collect,
            interpret=interpret,
            native=native,
            max_steps=max_steps,
            writable=lib.BRINK_WRITE_STATES,
        )
        if math.isnan(end):
            raise _errors.ArgumentError(
                "until is not given: neither here nor in the simulation section of the model"
            )
        return _go(handle, collect, end, check, on_interrupt)

    def start(
        self,
        *,
        until: float | None = None,
        start: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        method: str | None = None,
        every: float | None = None,
        seed: int | None = None,
        events: str | None = None,
        step: float | None = None,
        zeno: str | None = None,
        options: Mapping[str, Any] | None = None,
        inputs: Any = None,
        hold: bool = False,
        knobs: Mapping[str, Value] | None = None,
        keep: str | Sequence[str] | None = None,
        dense: bool = False,
        report: bool = False,
        summary: bool = False,
        condition: bool = False,
        sensitivity: Sequence[str] | bool | None = None,
        save: str | os.PathLike[str] | None = None,
        interpret: bool = False,
        native: bool = False,
        max_steps: int = 0,
        writable: Literal["states", "inputs", "all"] = "all",
        **values: Value,
    ) -> Run:
        """A run to be driven: step by step, event by event, with changes in between. Arguments as for `run`.

        writable     what may be changed on the way: "states" (and modes), "inputs" of the top component besides, or "all",
                     parameters too; less is faster

        >>> import brink
        >>> run = brink.example("bouncing-ball").start(until=1)
        >>> run.next_event().outcome, round(run.t, 6), round(run["ball.v"], 4)
        ('event', 0.451524, 3.5436)
        """
        if writable not in _WRITABLE:
            raise _errors.ArgumentError(f"writable is 'states', 'inputs' or 'all', not {writable!r}")
        collect = _collection(keep, dense, report, summary, condition, sensitivity, save)
        named = (until, start, rtol, atol, method, every, seed, events, step, zeno)
        given = _given_options(named, options)
        wanted = {**self._values, **(knobs or {}), **values}
        parsed = self._parse_inputs(inputs, hold, wanted)

        def begin() -> tuple[RunHandle, float]:
            return self._begin(
                wanted,
                parsed,
                given,
                collect,
                interpret=interpret,
                native=native,
                max_steps=max_steps,
                writable=_WRITABLE[writable],
            )

        return Run(begin, collect)

    def _parse_inputs(self, inputs: Any, hold: bool, values: Mapping[str, Value]) -> Inputs | None:
        if inputs is not None:
            return parse(inputs, self._list_inputs(values), hold)
        if hold:
            raise _errors.ArgumentError("hold is for inputs that are given as rows")
        return None

    def __repr__(self) -> str:
        return f"<brink.Model from {self.source}>"


def _option_word(name: str, value: Any) -> str:
    if isinstance(value, (float, np.floating)) and not math.isfinite(value):
        return "inf" if value > 0 else str(value)
    if isinstance(value, float) and value.is_integer() and name in ("order", "seed", "threads", "parts"):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float, np.number)):
        raise TypeError(f"{name} is a number or a word, not {value!r}")
    return value if isinstance(value, str) else _word(value)


def _given_options(named: tuple[Any, ...], options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options that are arguments of their own, and the others."""
    given = dict(zip(_NAMED, named))
    if not options:
        return given
    # First those that others are measured against.
    chosen = {name: value for name, value in given.items() if value is not None}
    return {**_checked_options(options), **chosen}


def _checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    given = {}
    for name, value in options.items():
        key = str(name).replace("_", "-")
        if key not in _WORDS:
            near = difflib.get_close_matches(key, _WORDS, 1)
            raise _errors.ArgumentError(
                f"there is no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
            )
        given[key] = value
    # rtol wins over tolerance, gain over gamma: as in the simulation section
    first = {k: given.pop(k) for k in ("tolerance", "gamma") if k in given}
    return {**first, **given}


def _collection(
    keep: str | Sequence[str] | None,
    dense: bool,
    report: bool,
    summary: bool,
    condition: bool,
    sensitivity: Sequence[str] | bool | None,
    save: str | os.PathLike[str] | None,
) -> Collect:
    if keep is not None and not isinstance(keep, str):
        keep = ", ".join(keep)
    names: tuple[str, ...] | None = None
    if sensitivity is True:
        names = ()
    elif sensitivity:
        names = (sensitivity,) if isinstance(sensitivity, str) else tuple(sensitivity)
    return Collect(
        keep=None if keep is None else encode(keep),
        dense=bool(dense),
        report=bool(report),
        summary=bool(summary),
        condition=bool(condition),
        sensitivity=names,
        save=None if save is None else encode(os.path.abspath(save)),
    )


def _go(handle: RunHandle, collect: Collect, end: float, checks: bool, on_interrupt: str) -> Result:
    """To the end, or as far as it goes."""
    diag = new_diag()
    interrupted = False
    status = 0
    with handle as run:
        try:
            status = move(lib.brinkpy_run_to, run, end, diag)
            if handle.keep is not None:
                handle.keep.reraise()
        except KeyboardInterrupt:
            interrupted = True
        finished = lib.brink_run_finish(run, diag if status >= 0 else ffi.NULL)
    result = Result(handle, collect, end, interrupted, limited=status == lib.BRINK_ERR_WORK)
    if interrupted:
        return _after_interrupt(result, on_interrupt)
    if status == lib.BRINK_ERR_FILE:
        fail(status, diag)
    if finished < 0 and status >= 0:
        fail(finished, diag)
    if status < 0 and checks:
        _fail_run(status, diag, result)
    if result._outcome.nwarnings > 0:
        for text in result.warnings:
            warn(text, RunWarning)
    return result


def _fail_run(status: int, diag: Any, result: Result) -> None:
    outcome = result._outcome
    rendered = decode_or_none(outcome.rendered)
    message = f"the run failed at t = {outcome.t:.10g}: {result.message or decode(diag.message)}"
    raise _errors.SimulationError(
        message if rendered is None else rendered.rstrip(),
        result=result,
        status=status,
        reason=result.reason or "",
        t=outcome.t,
        hint=result.hint if rendered is None else None,
    )


def _after_interrupt(result: Result, on_interrupt: str) -> Result:
    global _last_interrupt
    now = time.monotonic()
    twice, _last_interrupt = now - _last_interrupt < _TWICE_SECONDS, now
    message = f"interrupted at t = {result.t_end:g}"
    if on_interrupt == "raise" or twice:
        raise _errors.Interrupted(message, result=result)
    warn(f"{message}: the result has what was computed", RunWarning)
    return result
