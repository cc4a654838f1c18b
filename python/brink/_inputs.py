"""Inputs of a run over time: numbers, arrays, frames and functions, as rows and callbacks.

    inputs={"u": 2.5}                             constant
    inputs={"u": (t, values), "v": (t2, others)}  rows: linear between them, or held (hold=True)
    inputs=(t, {"u": values, "v": others})        the same times for all
    inputs={"t": t, "u": values}                  likewise, as in a file
    inputs=frame                                  pandas: a column "t" or "time", else the index
    inputs={"u": lambda t: math.sin(t)}           a function, called wherever the method asks
    inputs=f                                      one for all: f(t) gives a mapping, or values in
                                                  the order of m.inputs

A vector is given by element ("u[2]"), or as a whole: a sequence, or rows with a column for each
element.
"""

from __future__ import annotations

import difflib
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from brink._errors import ArgumentError
from brink._library import check, encode, encode_list, ffi, lib, new_diag

if TYPE_CHECKING:
    from brink._model import Quantity

__all__ = ["Function", "Inputs", "parse"]

Array = NDArray[np.float64]

_TIME_NAMES = ("t", "time")


class Function:
    """A function of time with corners: increasing times at which it is not smooth.

    ``Function(lambda t: abs(t - 1), corners=[1])``. Elsewhere it must be smooth. Runs meet a corner
    exactly; where the function jumps there, its value at the corner is that after it.

    >>> Function(math.floor, corners=[1, 2]).corners
    array([1., 2.])
    """

    __slots__ = ("corners", "value")

    def __init__(self, value: Callable[[float], Any], corners: Iterable[float] = ()) -> None:
        if not callable(value):
            raise TypeError(f"a function is callable, unlike {value!r}")
        self.value = value
        self.corners = _numbers("corners", list(corners))
        if self.corners.ndim != 1:
            raise ArgumentError("corners are a sequence of times")
        _check_finite("corners", self.corners)
        if np.any(np.diff(self.corners) <= 0.0):
            raise ArgumentError("corners must increase")


# ---- what a caller gives ----


@dataclass(frozen=True)
class _Rows:
    """Values of one element: at least one."""

    t: Array
    values: Array
    held: bool  #: between rows; else it is linear


def _numbers(name: str, given: Any) -> Array:
    """An array of numbers; a TypeError, if it has anything else."""
    array = np.asarray(given)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name}: these are no numbers: {given!r}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name}: these are no numbers: {given!r}")
    return np.array(array, np.float64)


def _check_finite(name: str, array: Array) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if len(bad) > 0:
        place = ", ".join(map(str, bad[0]))
        value = array[tuple(bad[0])]
        raise ArgumentError(f"{name}: element {place} is {value}, not a finite number")


def _times(name: str, given: Any) -> Array:
    t = _numbers(f"times of {name}", given)
    if t.ndim != 1 or len(t) == 0:
        raise ArgumentError(f"times of {name}: give a sequence of one time or more")
    _check_finite(f"times of {name}", t)
    down = np.flatnonzero(np.diff(t) < 0.0)
    if len(down) > 0:
        k = int(down[0])
        raise ArgumentError(f"times of {name} decrease: {t[k + 1]:g} comes after {t[k]:g}")
    return t


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") and hasattr(given, "index") and hasattr(given, "iloc")


def _is_series(given: Any) -> bool:
    return not hasattr(given, "columns") and hasattr(given, "index") and hasattr(given, "iloc")


def _seconds(index: Any) -> Any:
    """The index of a frame as times; differences of time are seconds."""
    array = np.asarray(index)
    if array.dtype.kind == "m":
        return array / np.timedelta64(1, "s")
    if array.dtype.kind == "M":
        raise TypeError("the times are dates: give numbers, such as seconds from the start")
    if hasattr(index, "step") and hasattr(index, "stop") and index.name is None:
        raise ArgumentError(
            "there is no column 't' or 'time', and the index only numbers the rows: "
            "set_index to the times"
        )
    return array


# ---- many forms to one ----


class _Reader:
    """Takes a caller's inputs apart: each element is a function, rows, or a text."""

    def __init__(self, listed: Mapping[str, Quantity], hold: bool) -> None:
        self.hold = hold
        self.listed = {name: q for name, q in listed.items() if "." not in name}
        self.rows: dict[str, _Rows] = {}
        self.functions: dict[str, Callable[[float], Any]] = {}
        self.corners: dict[str, Array] = {}
        self.texts: dict[str, str] = {}

    # names

    def find(self, name: Any) -> Quantity:
        """The input that a name belongs to."""
        if not isinstance(name, str):
            raise TypeError(f"inputs have names, unlike {name!r}")
        found = self.listed.get(name.partition("[")[0])
        if found is not None and (name == found.name or name in found.elements):
            return found
        known = [e for q in self.listed.values() for e in (q.name, *q.elements)]
        near = [found.name] if found is not None else difflib.get_close_matches(name, known, 1)
        more = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"there is no input {name!r} of the top component{more}")

    def is_time(self, name: Any) -> bool:
        return name in _TIME_NAMES and name not in self.listed

    def elements(self, name: str, count: int) -> list[str]:
        """The elements of a vector for which there are `count` values."""
        found = self.find(name)
        if name != found.name or found.elements == (name,):
            raise ArgumentError(f"{name}: it is one number, and {count} are given")
        if found.count != count:
            raise ArgumentError(f"{name}: it has {found.count} elements, and {count} are given")
        return list(found.elements)

    def is_vector(self, name: str) -> bool:
        found = self.find(name)
        return name == found.name and found.elements != (name,)

    def merged(self) -> tuple[Array, Array]:
        """The rows of all as one table."""
        return _merge(list(self.rows.values())) if self.rows else (np.zeros(0), np.zeros((0, 0)))

    def _take(self, name: str) -> None:
        if name in self.rows or name in self.functions or name in self.texts:
            raise ArgumentError(f"{name} is given twice")

    # values

    def add_rows(self, name: str, t: Array, given: Any) -> None:
        values = _numbers(name, given)
        if values.ndim not in (1, 2):
            raise ArgumentError(f"{name}: rows have one or two dimensions, not {values.ndim}")
        if len(values) != len(t):
            raise ArgumentError(f"{name}: {len(values)} values for {len(t)} times")
        _check_finite(name, values)
        if values.ndim == 2:
            names, columns = self.elements(name, values.shape[1]), list(values.T)
        elif self.is_vector(name):
            raise ArgumentError(f"{name} is a vector: give a column for each element")
        else:
            names, columns = [name], [values]
        found = self.find(name)
        for element, column in zip(names, columns, strict=True):
            self._take(element)
            self.rows[element] = _Rows(t, column, self.hold or not found.signal)

    def add_constant(self, name: str, given: Any) -> None:
        values = _numbers(name, given)
        if values.ndim > 1:
            raise ArgumentError(f"{name}: {values.ndim}-dimensional values need times: (t, values)")
        if values.ndim == 0 and self.is_vector(name):
            values = np.full(self.find(name).count, float(values))
        self.add_rows(name, np.zeros(1), values.reshape(1, *values.shape))

    def add_function(self, name: str, given: Any) -> None:
        if self.is_vector(name):
            found = self.find(name)
            joint = _Joint(given if not isinstance(given, Function) else given.value, {name: found})
            for element in found.elements:
                self._add_callable(element, joint.of(element), given)
            return
        self.find(name)
        self._add_callable(name, given.value if isinstance(given, Function) else given, given)

    def _add_callable(self, name: str, value: Callable[[float], Any], given: Any) -> None:
        self._take(name)
        self.functions[name] = value
        if isinstance(given, Function):
            self.corners[name] = given.corners

    def add(self, name: str, given: Any, t: Array | None) -> None:
        """One input, with the times of all rows, if there are such."""
        self.find(name)
        if isinstance(given, (str, bytes)):
            if not isinstance(given, str) or t is not None:
                raise TypeError(f"{name}: {given!r} is not a number")
            self._take(name)
            self.texts[name] = given
        elif isinstance(given, Function) or callable(given):
            self.add_function(name, given)
        elif _is_series(given) and t is None:
            self.add_rows(name, _times(name, _seconds(given.index)), given)
        elif _is_pair(given) and t is None:
            self.add_rows(name, _times(name, given[0]), given[1])
        elif given is None:
            raise TypeError(f"{name}: None is not a number")
        elif t is not None and np.ndim(given) > 0:
            self.add_rows(name, t, given)
        else:
            self.add_constant(name, given)

    def add_all(self, given: Mapping[Any, Any], t: Array | None) -> None:
        for name, value in given.items():
            self.add(name, value, t)

    # forms

    def read(self, given: Any) -> None:
        if _is_frame(given):
            self._read_frame(given)
        elif isinstance(given, Mapping):
            self._read_mapping(given)
        elif isinstance(given, Function) or callable(given):
            self._read_function(given)
        elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
            self.add_all(given[1], _times("inputs", given[0]))
        else:
            raise TypeError(
                "inputs are a mapping of names, (t, mapping), a frame or a function: "
                f'{{"u": (t, values)}}; not {type(given).__name__}'
            )

    def _read_mapping(self, given: Mapping[Any, Any]) -> None:
        times = [name for name in given if self.is_time(name)]
        if len(times) > 1:
            raise ArgumentError("times are given twice: as 't' and as 'time'")
        if not times:
            self.add_all(given, None)
            return
        t = _times("inputs", given[times[0]])
        self.add_all({name: value for name, value in given.items() if name != times[0]}, t)

    def _read_frame(self, given: Any) -> None:
        names = list(given.columns)
        if len(set(names)) < len(names):
            raise ArgumentError("two columns of the frame have the same name")
        times = [name for name in names if self.is_time(name)]
        if len(times) > 1:
            raise ArgumentError("times are given twice: as 't' and as 'time'")
        t = _times("inputs", _seconds(given[times[0]].array) if times else _seconds(given.index))
        for name in names:
            if name not in times:
                self.find(name)
                self.add_rows(name, t, np.asarray(given[name]))

    def _read_function(self, given: Any) -> None:
        if not self.listed:
            raise ArgumentError("the top component has no inputs")
        joint = _Joint(given.value if isinstance(given, Function) else given, self.listed)
        for element in joint.elements:
            self._add_callable(element, joint.of(element), given)


def _is_pair(given: Any) -> bool:
    """(t, values), and not a vector of two numbers?"""
    return isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) > 0


# ---- functions ----


def _number(name: str, value: Any) -> float:
    """What a function has returned."""
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"the function of input {name!r} returned {value!r}, which is not a number")
    return float(value)


class _Joint:
    """One function that gives several elements: it is called once for each time."""

    def __init__(self, function: Callable[[float], Any], inputs: Mapping[str, Quantity]) -> None:
        self.function = function
        self.inputs = inputs
        self.elements = [element for q in inputs.values() for element in q.elements]
        self.places = {element: k for k, element in enumerate(self.elements)}
        # Replaced as a whole: threads may share it.
        self.last: tuple[float, list[float]] = (math.nan, [])

    def of(self, element: str) -> Callable[[float], float]:
        k = self.places[element]
        return lambda t: self.values(t)[k]

    def values(self, t: float) -> list[float]:
        at, values = self.last
        if at != t:
            values = self.spread(self.function(t))
            self.last = (t, values)
        return values

    def spread(self, given: Any) -> list[float]:
        if isinstance(given, Mapping):
            return self._spread_mapping(given)
        if np.ndim(given) == 0:
            given = [given]
        given = np.asarray(given).ravel()
        if len(given) != len(self.elements):
            names = ", ".join(self.elements)
            raise ArgumentError(
                f"the function of the inputs returned {len(given)} values for "
                f"{len(self.elements)}: {names}"
            )
        return [_number(e, v) for e, v in zip(self.elements, given.tolist(), strict=True)]

    def _spread_mapping(self, given: Mapping[Any, Any]) -> list[float]:
        found: dict[str, float] = {}
        for name, value in given.items():
            whole = self.inputs.get(name)
            if whole is not None and whole.elements != (name,):
                values = np.asarray(value).ravel().tolist()
                if len(values) != whole.count:
                    raise ArgumentError(
                        f"the function of the inputs returned {len(values)} values for {name!r}, "
                        f"which has {whole.count}"
                    )
                found.update(
                    (e, _number(e, v)) for e, v in zip(whole.elements, values, strict=True)
                )
            elif name in self.places:
                found[name] = _number(name, value)
            else:
                raise ArgumentError(
                    f"the function of the inputs returned a value for {name!r}, which is none"
                )
        for name in self.elements:
            if name not in found:
                raise ArgumentError(f"the function of the inputs returned no value for {name!r}")
        return [found[name] for name in self.elements]


# ---- rows of several times ----


def _at(rows: _Rows, t: Array, side: Literal["left", "right"]) -> Array:
    """The values just before the times ("left"), or from them on; beyond the rows they stay."""
    passed = np.searchsorted(rows.t, t, side)  # rows before it; with "right", at it too
    k, n = np.maximum(passed - 1, 0), np.minimum(passed, len(rows.t) - 1)
    start, end = rows.values[k], rows.values[n]
    span = np.where(rows.t[n] > rows.t[k], rows.t[n] - rows.t[k], 1.0)
    part = np.clip((t - rows.t[k]) / span, 0.0, 1.0)
    if rows.held:
        return np.asarray(start)
    return np.where(part == 1.0, end, start + part * (end - start))


def _merge(columns: Sequence[_Rows]) -> tuple[Array, Array]:
    """All rows at the times of all: t, and a column for each. Two rows at one time are a jump."""
    if all(c.t is columns[0].t for c in columns):
        return columns[0].t, np.stack([c.values for c in columns], axis=1)
    # What never changes has no times of its own.
    t = np.unique(np.concatenate([c.t for c in columns if len(c.t) > 1] or [np.zeros(1)]))
    after = np.stack([_at(c, t, "right") for c in columns], axis=1)
    before = np.stack([_at(c, t, "left") for c in columns], axis=1)
    before = np.where([c.held for c in columns], after, before)  # these change with the row
    jumps = np.any(before != after, axis=1)
    order = np.argsort(np.concatenate([np.flatnonzero(jumps) - 0.5, np.arange(len(t))]))
    return np.concatenate([t[jumps], t])[order], np.concatenate([before[jumps], after])[order]


# ---- in the library ----


class _Callback:
    """What the library hands back when it asks for a value."""

    __slots__ = ("function", "name", "owner")

    def __init__(self, owner: Inputs, name: str, function: Callable[[float], Any]) -> None:
        self.owner = owner
        self.name = name
        self.function = function


def _note_error(kind: Any, error: BaseException, trace: Any) -> None:
    """Whatever comes out of brinkpy_input: Ctrl-C may come at its first instruction already."""
    owner = ffi.from_handle(trace.tb_frame.f_locals["user"]).owner
    owner.note(error.with_traceback(trace))


@ffi.def_extern(error=1, onerror=_note_error)  # type: ignore
def brinkpy_input(t: float, u: Any, user: Any) -> int:
    callback = ffi.from_handle(user)
    u[0] = _number(callback.name, callback.function(t))
    return 0


class Inputs:
    """The inputs of a run. Must live as long as the run: the library calls back."""

    def __init__(self, read: _Reader, hold: bool) -> None:
        self._names = list(read.rows)
        self._texts = read.texts
        self._hold = hold
        self._t, self._values = read.merged()
        self._callbacks = [_Callback(self, name, f) for name, f in read.functions.items()]
        self._handles = [ffi.new_handle(callback) for callback in self._callbacks]
        self._corners = read.corners
        self._errors = threading.local()  # a run calls back in the thread that moves it

    def install(self, model: Any) -> None:
        """Hands them to a brink_hsml."""
        try:
            self._install(model, new_diag())
        except BaseException:
            self.remove(model)
            raise

    def _install(self, model: Any, diag: Any) -> None:
        for name, text in self._texts.items():
            check(lib.brink_hsml_set_text(model, encode(name), encode(text), diag), diag)
        if self._names:
            names, kept = encode_list(self._names)
            t, values = np.ascontiguousarray(self._t), np.ascontiguousarray(self._values)
            rows = ffi.new("brink_hsml_inputs *")
            rows.names, rows.count, rows.rows, rows.hold = names, len(kept), len(t), self._hold
            rows.t = at = ffi.from_buffer("double[]", t)
            rows.values = all_of_them = ffi.from_buffer("double[]", values)
            check(lib.brink_hsml_set_inputs(model, rows, diag), diag)
            del at, all_of_them
        for callback, handle in zip(self._callbacks, self._handles, strict=True):
            function = ffi.new("brink_hsml_function *")
            corners = np.ascontiguousarray(self._corners.get(callback.name, np.zeros(0)))
            function.value, function.user = lib.brinkpy_input, handle
            function.corners = kept_corners = ffi.from_buffer("double[]", corners)
            function.ncorners = len(corners)
            check(lib.brink_hsml_set_function(model, encode(callback.name), function, diag), diag)
            del kept_corners

    def remove(self, model: Any) -> None:
        """Takes them away again; texts go with the other values."""
        if self._names:
            lib.brink_hsml_set_inputs(model, ffi.NULL, ffi.NULL)
        for callback in self._callbacks:
            lib.brink_hsml_set_function(model, encode(callback.name), ffi.NULL, ffi.NULL)

    def note(self, error: BaseException) -> None:
        """A function has raised this. The first one counts."""
        if getattr(self._errors, "error", None) is None:
            self._errors.error = error

    def forget(self) -> None:
        """What functions have raised until now does not matter."""
        self._errors.error = None

    def reraise(self) -> None:
        """Raises what a function has raised since the last time, in this thread."""
        error = getattr(self._errors, "error", None)
        if error is None:
            return
        self._errors.error = None
        try:
            raise error
        finally:
            del error


def parse(given: Any, listed: Mapping[str, Quantity], hold: bool) -> Inputs:
    """The argument `inputs` of a run. `listed`: the inputs of the model."""
    read = _Reader(listed, bool(hold))
    read.read(given)
    if hold and not read.rows:
        raise ArgumentError("hold is for inputs that are given as rows")
    return Inputs(read, bool(hold))
