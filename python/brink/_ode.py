"""Models in Python: a right-hand side, guards, clocks, modes."""

from __future__ import annotations

import difflib
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from brink._arguments import as_float, as_int, finite
from brink._definition import Definition
from brink._errors import ArgumentError, Interrupted, SimulationError
from brink._guards import Clock, Constraints, Guard
from brink._instant import OdeEvent
from brink._library import decode, fail, ffi, lib, message_of, move, new_diag
from brink._live import OUTCOMES, Step
from brink._named import Names, as_array, named_values, no_attribute, tuple_type
from brink._simulation import Simulation, Unique
from brink._sparsity import sparsity_of
from brink._solution import Solution, at_times, events_of
from brink._stats import OdeStats, stats_of_sim

__all__ = ["Ode", "OdeRun", "ode"]

Floats = NDArray[np.float64]


def ode(
    f: Any,
    x0: ArrayLike | Mapping[str, float],
    *,
    guards: Sequence[Guard] | Mapping[str, Guard] = (),
    clocks: Sequence[Clock] | Mapping[str, Clock] = (),
    modes: Sequence[int] | Mapping[str, int] = (),
    p: ArrayLike | Mapping[str, float] = (),
    rules: Callable[..., Any] | None = None,
    zeno: Callable[..., Any] | None = None,
    jacobian: Any = None,
    sparsity: Any = None,
    series: Any = None,
    constraints: Constraints | None = None,
    names: Sequence[str] | None = None,
    t0: float = 0.0,
    strict_surfaces: bool = False,
    name: str = "ode",
) -> Ode:
    """A hybrid model: differential equations that switch, with Python callables or C functions.

    f           ``f(t, x)`` or ``f(t, x, env)``: the derivatives of the states, as any sequence of
                numbers. x is an array of its own, which may be kept. What switches is read from
                ``env`` (`brink.Env`): parameters ``env.p``, modes ``env.mode``, signs of guards
                ``env.sgn``. Or a C function: `brink.native`
    x0          initial states: a sequence, or a mapping from names to values
    guards      `brink.Guard`: functions whose zeros are events; a sequence, or a mapping from names
                to guards
    clocks      `brink.Clock`: ticks at given times, likewise
    modes       integers that f and guards may read and actions change: a sequence, or a mapping
                from names to values
    p           parameters: numbers that do the same, likewise
    rules       ``rules(now)`` runs after the events of each instant, again and again until it
                changes nothing
    zeno        ``zeno(guards, now)``, called where infinitely many events accumulate: names of
                their guards, and `brink.Now` at the limit. The run goes on from there; without it
                the run fails there
    jacobian    for stiff models: ``jacobian(t, x)`` or ``jacobian(t, x, env)``, a matrix, dense or
                sparse; or a constant one; or a C function. None: differences
    sparsity    the pattern of the Jacobian: a matrix, dense or sparse. Without a `jacobian`: fewer
                differences
    series      ``series(order, t, unit, x)`` or ``series(order, t, unit, x, env)``: the Taylor
                coefficients of the solution through (t, x) in units of ``(time - t)/unit``, an
                array of states × (order + 1): for the method "taylor"
    constraints `brink.Constraints`: equations that determine the last states
    names       of the states, if x0 has none
    t0          the time at the start
    strict_surfaces   where a unilateral surface is reached, only what changes f leads away from it
    name        of the model, for messages

    The values that f reads from ``env`` are constant within a step. A right-hand side that switches
    by looking at x makes steps short and errors large: give a guard, and read its sign.

    To refuse a point, a callable raises `brink.Refuse`. Other exceptions end the run and come out
    of it as they are.

    >>> import brink
    >>> def heat(t, x, env):
    ...     return [(10.0 - x[0]) / 5.0 + (4.0 if env.mode.heating else 0.0)]
    >>> def switch(event, now):
    ...     now.mode.heating = int(event.name == "cold")
    >>> room = brink.ode(heat, {"T": 15.0}, modes={"heating": 1}, guards={
    ...     "cold": brink.Guard([1.0], offset=-19.0, direction=-1, action=switch),
    ...     "warm": brink.Guard([1.0], offset=-21.0, direction=1, action=switch),
    ... })
    >>> r = room.run(until=6)
    >>> [(e.name, round(e.t, 4)) for e in r.events]
    [('warm', 2.5541), ('cold', 3.5575), ('warm', 4.5608), ('cold', 5.5642)]
    >>> r(3.0, "T").round(4)
    20.0615
    """
    d = Definition()
    d.name = str(name)
    d.f = f
    d.t0 = finite(as_float(t0, "t0"), "t0")
    d.x0, states = named_values(x0, "state", np.float64, names)
    d.states = states or Names([f"x[{k}]" for k in range(d.nx)], "state")
    d.p0, parameters = named_values(p, "parameter", np.float64)
    d.parameters = parameters or Names([f"p[{k}]" for k in range(d.nparameters)], "parameter")
    d.mode0, mode_names = named_values(modes, "mode", np.intc)
    d.modes = mode_names or Names([f"mode[{k}]" for k in range(d.nmodes)], "mode")
    _refuse_namesakes(d.states, d.parameters, d.modes)
    d.named_parameters, d.named_modes = parameters is not None, mode_names is not None
    d.guards, d.guard_names = _listed(guards, Guard, "guard")
    d.clocks, d.clock_names = _listed(clocks, Clock, "clock")
    d.rules, d.zeno, d.jacobian = rules, zeno, jacobian
    d.sparsity = None if sparsity is None else sparsity_of(sparsity, d.nx)
    d.strict_surfaces = bool(strict_surfaces)
    d.series, d.constraints = series, _checked(constraints, d)
    return Ode(d)


def _refuse_namesakes(*kinds: Names) -> None:
    """A live run and sensitivities know states, parameters and modes by their names alone."""
    for k, names in enumerate(kinds):
        for other in kinds[:k]:
            for name in names.all:
                if name in other:
                    raise ArgumentError(
                        f"a {other.kind} and a {names.kind} have the name {name!r}: give them "
                        "different ones"
                    )


def _checked(given: Any, d: Definition) -> Constraints | None:
    if given is None:
        return None
    if not isinstance(given, Constraints):
        raise ArgumentError(f"constraints: {given!r} is no brink.Constraints")
    unknowns = as_int(given.unknowns, "constraints: unknowns")
    invariants = as_int(given.invariants, "constraints: invariants")
    if not 0 < unknowns <= d.nx or not 0 <= invariants <= d.nx:
        raise ArgumentError(
            f"constraints: {unknowns} unknowns and {invariants} invariants, of {d.nx} states"
        )
    index = None if given.index is None else as_int(given.index, "constraints: index")
    if given.start is not None and not isinstance(given.start, Mapping):
        raise ArgumentError("constraints: start is no mapping from names of states")
    return replace(given, unknowns=unknowns, invariants=invariants, index=index)


def _listed(given: Any, kind: type, word: str) -> tuple[list[Any], Names]:
    names: list[str] = []
    if isinstance(given, Mapping):
        names, given = list(given.keys()), list(given.values())
    elif isinstance(given, kind):
        given = [given]
    try:
        items = list(given)
    except TypeError:
        raise ArgumentError(f"{word}s: {given!r} is no sequence of brink.{kind.__name__}") from None
    for item in items:
        if not isinstance(item, kind):
            raise ArgumentError(f"{word}s: {item!r} is no brink.{kind.__name__}")
    return items, Names(
        names or [item.name or f"{word}[{k}]" for k, item in enumerate(items)], word
    )


# ---- options ----


def _names_of(enum: str, name: Callable[[int], Any]) -> dict[str, int]:
    return {decode(name(value)): value for value in sorted(ffi.typeof(enum).elements)}


#: by name
METHODS = _names_of("brink_method", lib.brink_method_name)
_CHOICES: dict[str, dict[str, int]] = {
    "method": METHODS,
    "events": _names_of("brink_events", lib.brink_events_name),
    "gain": {
        "margin": lib.BRINK_GAIN_MARGIN,
        "published": lib.BRINK_GAIN_PUBLISHED,
        "fixed": lib.BRINK_GAIN_FIXED,
    },
    "zeno": {"stop": lib.BRINK_ZENO_STOP, "continue": lib.BRINK_ZENO_CONTINUE},
}
_WHOLE = ("order", "max_order", "mnm_parts", "max_iterations")
_REAL = ("rtol", "step", "hmin", "hmax", "gamma", "termination", "near_miss")
_OPTIONS = (*_CHOICES, *_WHOLE, *_REAL, "atol", "audit", "max_steps")


def make_options(d: Definition, given: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """A brink_options and what must live as long as it."""
    options = ffi.new("brink_options *")
    lib.brink_options_defaults(options, ffi.sizeof("brink_options"))
    if d.zeno is not None:
        options.zeno = lib.BRINK_ZENO_CONTINUE
    kept: list[Any] = []
    for name, value in given.items():
        if name in _CHOICES:
            if not isinstance(value, str) or value not in _CHOICES[name]:
                raise ArgumentError(
                    f"{name} is {value!r}: give one of {', '.join(map(repr, _CHOICES[name]))}"
                )
            setattr(options, name, _CHOICES[name][value])
        elif name in _WHOLE:
            setattr(options, name, as_int(value, name))
        elif name in _REAL:
            setattr(options, name, as_float(value, name))
        elif name == "atol":
            _set_atol(options, value, d, kept)
        elif name == "audit":
            options.audit = bool(value)
        elif name == "max_steps":
            options.max_steps = as_int(value, name, 63)
        else:
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(_OPTIONS)}"
            raise ArgumentError(f"there is no option {name!r}", hint=hint)
    return options, kept


def _set_atol(options: Any, value: Any, d: Definition, kept: list[Any]) -> None:
    if np.ndim(value) == 0:
        options.atol = as_float(value, "atol")
        return
    array = as_array(value, "atol", float)
    if array.shape != (d.nx,):
        raise ArgumentError(
            f"atol has shape {array.shape}: give a number, or one for each of the {d.nx} states"
        )
    pointer = ffi.from_buffer("double[]", array if d.nx else np.zeros(1))
    kept.append(pointer)
    options.atols = pointer


# ---- the model ----


class Ode(Unique):
    """A model in Python, made by `brink.ode`. It does not change; it may be run any number of times.

    Options of `run` and `start`, with their defaults:

    method="auto"        "adams"; "bdf" where the model is found to be stiff. Or one of "adams",
                         "dopri", "bdf", and the textbook methods "euler", "rk4", "am3", "bdf3",
                         "trapezoid" with a fixed `step`
    rtol=1e-6, atol=1e-9   the error of a step in x[i] is kept below rtol*abs(x[i]) + atol; atol may
                           be an array
    step=0, hmin=0, hmax=inf   the first step (textbook methods: each step); limits
    events="extrapolate" how events are found; "interpolate", "endpoint", "zlm", "mnm"
    zeno                 "stop" or "continue" at infinitely many events; "continue" if the model has
                         a `zeno`
    max_steps=0          in one call; 0: no limit
    audit=False          count evaluations of f past unilateral guards: stats.rhs_past_guard
    order, max_order, gain, gamma, termination, mnm_parts, near_miss, max_iterations
                         as in ``<brink/brink.h>``
    """

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._trial = Simulation(definition)  # whatever is wrong with the model is said now

    @property
    def names(self) -> tuple[str, ...]:
        """Of the states."""
        return self._definition.states.all

    def start(
        self,
        until: float = math.inf,
        *,
        x0: Any = None,
        p: Any = None,
        modes: Any = None,
        t0: float | None = None,
        dense: bool = True,
        sensitivity: Any = None,
        **options: Any,
    ) -> OdeRun:
        """A live run, at its start: to be moved step by step, changed, cloned.

        until              where the steps of ``for step in run`` end
        x0, p, modes, t0   other values at the start: sequences, or mappings of some names
        dense              keep the dense output, for ``r(t)``
        sensitivity        derivatives along the way: True: by the initial states; or names of
                           states (their initial values) and parameters
        options            see `Ode`

        >>> import brink
        >>> run = brink.ode(lambda t, x: [1.0], [0.0]).start()
        >>> run.to(2.0)
        Step(t=2.0, outcome='end')
        >>> run.x
        array([2.])
        """
        until = as_float(until, "until")
        d = _changed(self._definition, x0, p, modes, t0)
        made, kept = make_options(d, options)
        simulation = Simulation(d)
        simulation.begin(made, bool(dense), directions_of(sensitivity, d))
        del kept
        return OdeRun(simulation, until, int(made.max_steps), bool(dense))

    def run(
        self,
        until: float,
        *,
        check: bool = True,
        x0: Any = None,
        p: Any = None,
        modes: Any = None,
        t0: float | None = None,
        dense: bool = True,
        sensitivity: Any = None,
        **options: Any,
    ) -> Solution:
        """Runs to a time, or until something stops it.

        check     a run that fails raises `brink.SimulationError` (.result has what was computed);
                  False: it is returned, with status "failed"
        The rest as for `start`. Ctrl-C raises `brink.Interrupted`, a KeyboardInterrupt; .result has
        what was computed.

        >>> import brink
        >>> decay = brink.ode(lambda t, x, env: [-env.p.k * x[0]], [1.0], p={"k": 1.0})
        >>> decay.run(until=1, p={"k": 2.0}, rtol=1e-9).x[-1].round(6)
        array([0.135335])
        """
        live = self.start(
            until, x0=x0, p=p, modes=modes, t0=t0, dense=dense, sensitivity=sensitivity, **options
        )
        try:
            live.to()
        except SimulationError as error:
            error.result = live.finish()
            if check:
                raise
            return live.finish()
        except KeyboardInterrupt as error:
            if isinstance(error, Interrupted):
                error.result = live.finish()
            raise
        return live.finish()

    def __repr__(self) -> str:
        d = self._definition
        return (
            f"<brink.Ode {d.name!r}: {d.nx} states, {len(d.guards)} guards, {len(d.clocks)} clocks>"
        )


def _changed(d: Definition, x0: Any, p: Any, modes: Any, t0: Any) -> Definition:
    """The definition with other values at the start."""
    if x0 is None and p is None and modes is None and t0 is None:
        return d
    made = Definition()
    made.__dict__.update(d.__dict__)
    made.x0 = _merged(d.x0, d.states, x0)
    made.p0 = _merged(d.p0, d.parameters, p)
    made.mode0 = _merged(d.mode0, d.modes, modes)
    if t0 is not None:
        made.t0 = finite(as_float(t0, "t0"), "t0")
    return made


def _merged(values: NDArray[Any], names: Names, given: Any) -> NDArray[Any]:
    if given is None:
        return values
    if isinstance(given, Mapping):
        merged = values.copy()
        for name, value in given.items():
            place = names.index(name)
            merged[place] = as_array([value], f"{names.kind} {name!r}", values.dtype)[0]
        return merged
    array = as_array(given, f"the {names.kind}s", values.dtype)
    if array.shape != values.shape:
        raise ArgumentError(
            f"{len(values)} {names.kind}s, but an array of shape {array.shape} is given"
        )
    return array


def directions_of(sensitivity: Any, d: Definition) -> list[str] | None:
    """Names of what a run is differentiated by; None: it is not."""
    if sensitivity is None or sensitivity is False:
        return None
    if sensitivity is True:
        return list(d.states.all)
    wanted = [sensitivity] if isinstance(sensitivity, str) else list(sensitivity)
    for name in wanted:
        if name not in d.states and name not in d.parameters:
            known = ", ".join(map(repr, (*d.states.all, *d.parameters.all)))
            raise ArgumentError(
                f"sensitivity: there is no state and no parameter {name!r}; there are: {known}"
            )
    return wanted


# ---- a live run ----


class OdeRun(Unique):
    """A live run of a model in Python: `Ode.start`.

    run.t, run.x, run.p, run.modes, run.signs   the present; arrays are copies, not to be written
    run["h"], run["h"] = 0.3   a state, a parameter or a mode, by its name
    run.x = …, run.p = …, run.modes = …   assign sequences, or mappings of some names

    What is assigned makes a new start there: guards take their signs anew. An event needs a
    crossing: a guard that begins on the side to which its direction leads has no event until it
    has been back. For unilateral guards a `brink.RunWarning` says so. Sensitivities by what was
    assigned are 0 from there on: a state or parameter that is named, or, in a sequence, changed.

    >>> import brink
    >>> run = brink.ode(lambda t, x, env: [env.p.u], {"h": 0.0}, p={"u": 1.0}).start()
    >>> while run.t < 3:
    ...     _ = run.to(run.t + 0.5)
    ...     run["u"] = 2.0 if run["h"] < 1 else 0.0
    >>> run["h"], run.finish()(1.25, "h").round(9)
    (1.5, 1.5)
    """

    def __init__(self, simulation: Simulation, until: float, max_steps: int, dense: bool) -> None:
        self._simulation = simulation
        self._until = until
        self._max_steps = max_steps
        self._dense = dense
        self._status = "running"
        self._message = self._reason = ""
        self._result: Solution | None = None
        self._unwatched = 0  #: events before the start, or before a value was set; -1: looked at

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("x", "p", "modes") and not name.startswith("_"):
            d = self._simulation.definition
            known = name in d.states or name in d.parameters or name in d.modes
            more = f"write run[{name!r}] = …" if known else ""
            raise no_attribute("run", name, ("x", "p", "modes"), more)
        super().__setattr__(name, value)

    # ---- the present ----

    @property
    def t(self) -> float:
        return self._simulation.time

    @property
    def x(self) -> Floats:
        return _still(self._simulation.state())

    @x.setter
    def x(self, value: Any) -> None:
        self._check_alive()
        s, diag = self._simulation, new_diag()
        with s.alone():
            before = s.state()
            array = _merged(before, s.definition.states, value)
            named = isinstance(value, Mapping) and bool(np.isfinite(array).all())
            if s.directions is not None and named:
                # The library knows by a change that a value is set: one that is there, too.
                for k in map(s.definition.states.index, value):
                    before[k] = math.nextafter(array[k], 0.0 if array[k] else 1.0)
                s.check(lib.brink_sim_set_state(s.sim, _pointer(before), diag), diag)
            s.check(lib.brink_sim_set_state(s.sim, _pointer(array), diag), diag)
            self._written()

    @property
    def p(self) -> Any:
        """An array, or, if parameters have names, a tuple with attributes."""
        d, values = self._simulation.definition, self._simulation.parameters()
        return (
            tuple_type(d.parameters)._make(values.tolist())
            if d.named_parameters
            else _still(values)
        )

    @p.setter
    def p(self, value: Any) -> None:
        self._check_alive()
        s, diag = self._simulation, new_diag()
        with s.alone():
            before, names = s.parameters(), s.definition.parameters
            given = {*map(names.index, value)} if isinstance(value, Mapping) else set()
            for k, new in enumerate(_merged(before, names, value).tolist()):
                if new != before[k] or k in given:
                    s.check(lib.brink_sim_set_parameter(s.sim, k, new, diag), diag)
            self._written()

    @property
    def modes(self) -> Any:
        d, values = self._simulation.definition, self._simulation.modes()
        return (
            tuple_type(d.modes)._make(values.tolist()) if d.named_modes else tuple(values.tolist())
        )

    @modes.setter
    def modes(self, value: Any) -> None:
        self._check_alive()
        s, diag = self._simulation, new_diag()
        with s.alone():
            before = s.modes()
            for k, new in enumerate(_merged(before, s.definition.modes, value).tolist()):
                if new != before[k]:
                    s.check(lib.brink_sim_set_mode(s.sim, k, new, diag), diag)
            self._written()

    def _written(self) -> None:
        s = self._simulation
        lib.brinkpy_ode_written(s.ode, s.sim)
        self._watch_from_here()

    @property
    def signs(self) -> Any:
        """The locked sign of each guard."""
        return tuple_type(self._simulation.definition.guard_names)._make(
            self._simulation.signs().tolist()
        )

    @property
    def events(self) -> list[OdeEvent]:
        """Those of the last instant that had any."""
        return self._simulation.last_events()

    @property
    def stats(self) -> OdeStats:
        return stats_of_sim(lib.brink_sim_stats(self._simulation.sim))

    @property
    def status(self) -> str:
        """As of `Solution`."""
        return self._status

    def __getitem__(self, name: str) -> float | int:
        s = self._simulation
        d = s.definition
        if name in d.states:
            return float(s.state()[d.states.index(name)])
        if name in d.parameters:
            return float(s.parameters()[d.parameters.index(name)])
        if name in d.modes:
            return int(s.modes()[d.modes.index(name)])
        raise self._unknown(name)

    def __setitem__(self, name: str, value: float) -> None:
        d = self._simulation.definition
        for names, kind in ((d.states, "x"), (d.parameters, "p"), (d.modes, "modes")):
            if name in names:
                setattr(self, kind, {name: value})
                return
        raise self._unknown(name)

    def _unknown(self, name: Any) -> ArgumentError:
        d = self._simulation.definition
        known = ", ".join(map(repr, (*d.states.all, *d.parameters.all, *d.modes.all)))
        return ArgumentError(f"there is no state, parameter or mode {name!r}; there are: {known}")

    def __call__(self, t: ArrayLike) -> Floats:
        """The states at times from the start to the present."""
        times = np.array(t, dtype=float)
        found = at_times(self._simulation, times.reshape(-1), self.t)
        return found.reshape(found.shape[1:]) if times.ndim == 0 else found

    # ---- moving ----

    def step(self, limit: float | None = None) -> Step:
        """To the end of the next step, or to the event there; never past `limit` (None: the end of
        the run)."""
        return self._move(lib.brink_sim_advance, limit)

    def next_event(self, limit: float | None = None) -> Step:
        """To the next event, at most to `limit`. `events` has what happened."""
        return self._move(lib.brinkpy_sim_run, limit, True, self._max_steps)

    def to(self, t: float | None = None) -> Step:
        """To t, past all events on the way."""
        return self._move(lib.brinkpy_sim_run, t, False, self._max_steps)

    def __iter__(self) -> Iterator[Step]:
        """Steps and events until the end of the run; values may be changed in between."""
        while True:
            step = self.step()
            yield step
            if not step.more:
                return

    def _move(self, call: Callable[..., int], limit: float | None, *arguments: Any) -> Step:
        t = self._until if limit is None else as_float(limit, "the time to go to")
        if math.isnan(t):
            raise ArgumentError("the time to go to is nan: give a number")
        if t == math.inf:
            t = sys.float_info.max  # never reached
        self._check_alive()
        if self._status == "stopped":
            return Step(self.t, "stopped")
        s, diag = self._simulation, new_diag()
        with s.alone():
            try:
                status = move(call, s.sim, t, *arguments, diag)
            except KeyboardInterrupt:
                s.failure.take()
                raise self._interrupted() from None
            self._settle(status, diag)
            self._warn_of_past_guards()
        return Step(self.t, OUTCOMES[status])

    def _settle(self, status: int, diag: Any) -> None:
        s = self._simulation
        try:
            s.raise_failure()
        except KeyboardInterrupt as error:
            raise self._interrupted() from error
        except BaseException:
            self._status = "failed"
            self._reason = "callback"
            raise
        s.check_memory()
        if status == lib.BRINK_STOPPED:
            self._status = "stopped"
            self._message = decode(diag.message) if diag.status == status else ""
            self._message = self._message or self._who_stopped()
        elif status < 0:
            if status != lib.BRINK_ERR_ARGUMENT:
                self._status = "failed"
                self._message, self._reason = message_of(diag), decode(
                    lib.brink_reason_name(diag.reason)
                )
            fail(status, diag)
        else:
            self._status = "running"
            self._message = self._reason = ""

    def _who_stopped(self) -> str:
        s = self._simulation
        for event in s.last_events():
            counted = s.definition.guards[event.guard].stop
            if counted and s.ode.guards[event.guard].stop_after == 0:
                return f"guard {event.name!r} stopped the run at t = {self.t!r}"
        return f"an action stopped the run at t = {self.t!r}"

    def _interrupted(self) -> Interrupted:
        self._status = "interrupted"
        return Interrupted(f"the run was interrupted at t = {self.t!r}")

    # ---- guards that are past ----

    def _count_events(self) -> int:
        history = self._simulation.history
        return int(lib.brink_history_events(history, ffi.NULL, ffi.NULL, ffi.NULL))

    def _watch_from_here(self) -> None:
        self._unwatched = self._count_events()

    def _warn_of_past_guards(self) -> None:
        """After the first move from a start, or from values that were set: an event needs a
        crossing, which is behind a guard that begins on the side to which its direction leads."""
        if self._unwatched < 0:
            return
        s, first, self._unwatched = self._simulation, self._unwatched, -1
        guards, names = s.definition.guards, s.definition.guard_names.all
        watched = [k for k, g in enumerate(guards) if g.side == "unilateral" and not g.enabled]
        if not any(guards[k].direction for k in watched):
            return
        signs, happened = s.signs(), {*events_of(s).guard[first:].tolist()}
        for k in watched:
            if guards[k].direction and signs[k] == guards[k].direction and k not in happened:
                from brink._model import RunWarning

                side = "below" if signs[k] < 0 else "above"
                warnings.warn(
                    f"guard {names[k]!r} began {side} zero, at the start or where a value was set: "
                    "its event is behind it, its action does not run, and f is evaluated there",
                    RunWarning,
                    stacklevel=_level_of_caller(),
                )

    def _check_alive(self) -> None:
        if self._result is not None:
            raise ArgumentError("the run is finished: start another one")

    # ---- branches ----

    def clone(self) -> OdeRun:
        """A second run at the same point, which goes on as this one would, and is independent of
        it.

        Its rows and events begin at the present. It has no sensitivities: derivatives begin with
        the run. Callables are shared: what they keep outside of ``now`` is not copied.

        >>> import brink
        >>> run = brink.ode(lambda t, x, env: [env.p[0]], [0.0], p=[1.0]).start()
        >>> _ = run.to(1.0)
        >>> other = run.clone()
        >>> other.p = [-1.0]
        >>> _ = run.to(2.0), other.to(2.0)
        >>> run.x, other.x
        (array([2.]), array([0.]))
        """
        simulation = Simulation(self._simulation.definition)
        with self._simulation.alone():
            simulation.begin_as(self._simulation, self._dense)
        simulation.is_clone = self._simulation.is_clone or self._simulation.directions is not None
        made = OdeRun(simulation, self._until, self._max_steps, self._dense)
        made._status = self._status
        made._unwatched = min(self._unwatched, 0)  # its events begin here
        return made

    def reset(self) -> None:
        """Back to the start, with the values that it started with."""
        self._check_alive()
        with self._simulation.alone():
            self._simulation.reset()
            self._watch_from_here()
        self._status, self._message, self._reason = "running", "", ""

    def result(self) -> Solution:
        """What was computed so far, as copies: the run may go on."""
        if self._result is not None:
            return self._result
        with self._simulation.alone():
            return Solution(self._simulation, self._status, self._message, self._reason, moves=True)

    def finish(self) -> Solution:
        """What was computed, without a copy. The run cannot be moved after that."""
        if self._result is None:
            status = "finished" if self._status == "running" else self._status
            with self._simulation.alone():
                self._result = Solution(self._simulation, status, self._message, self._reason)
        return self._result

    def __repr__(self) -> str:
        return f"<brink.OdeRun at t = {self.t!r}, {self._status}>"


def _level_of_caller() -> int:
    """For warnings.warn of the function that asks: the line outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("brink."):
        level, frame = level + 1, frame.f_back
    return level


def _still(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _pointer(array: Floats) -> Any:
    return ffi.from_buffer("double[]", np.ascontiguousarray(array) if array.size else np.zeros(1))
