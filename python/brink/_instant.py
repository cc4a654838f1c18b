"""What callables see of a simulation: env between events, `now` and events at an instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from brink._callables import describe
from brink._errors import ArgumentError
from brink._library import decode, ffi, lib
from brink._named import Vector, as_array, no_attribute, vector

if TYPE_CHECKING:
    from brink._definition import Definition

__all__ = ["STOP", "Env", "NearMiss", "Now", "OdeEvent", "Slide"]


class _Stop:
    """What an action returns to end the run."""

    def __repr__(self) -> str:
        return "brink.STOP"


STOP = _Stop()


KINDS = {
    lib.BRINK_CROSSED: "crossed",
    lib.BRINK_TOUCHED: "touched",
    lib.BRINK_JUMPED: "jumped",
    lib.BRINK_HELD: "held",
}


class Env:
    """What is constant during a step, as callables read it. It is never changed: another one takes
    its place.

    p      parameters: an array, or, if they have names, a tuple with attributes: ``env.p.k``
    mode   modes, likewise
    sgn    the locked sign of each guard, -1, 0 (on the surface) or 1: ``env.sgn.floor``,
           ``env.sgn["floor"]``
    """

    __slots__ = ("p", "mode", "sgn")
    p: Any
    mode: Any
    sgn: Any

    def __init__(self, p: Any, mode: Any, sgn: Any) -> None:
        put = object.__setattr__
        put(self, "p", p)
        put(self, "mode", mode)
        put(self, "sgn", sgn)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"env.{name} cannot be assigned: actions change values, by `now`")

    def __repr__(self) -> str:
        return f"Env(p={self.p!r}, mode={self.mode!r}, sgn={self.sgn!r})"


class OdeEvent:
    """An event, as actions see it and as results hold it.

    name        of its guard
    t           when
    direction   -1: the guard fell; 1: it rose
    kind        "crossed"   the guard reached its surface along the solution
                "touched"   a unilateral guard came within the tolerance and turned away
                "jumped"    an action, a clock or a mode carried the guard across zero
                "held"      the state is held on the surface from now on
    value       of the guard, before any action of its round
    iteration   0: located; 1, 2, …: caused at the same instant
    guard       its number
    x_before, x_after   states before and after its action; in an action None: see `Now`
    """

    __slots__ = (
        "name",
        "t",
        "direction",
        "kind",
        "value",
        "iteration",
        "guard",
        "x_before",
        "x_after",
    )

    def __init__(
        self,
        name: str,
        t: float,
        direction: int,
        kind: str,
        value: float,
        iteration: int,
        guard: int,
        x_before: NDArray[np.float64] | None = None,
        x_after: NDArray[np.float64] | None = None,
    ) -> None:
        self.name = name
        self.t = t
        self.direction = direction
        self.kind = kind
        self.value = value
        self.iteration = iteration
        self.guard = guard
        self.x_before = x_before
        self.x_after = x_after

    def __repr__(self) -> str:
        return (
            f"OdeEvent({self.name!r}, t={self.t!r}, direction={self.direction}, kind={self.kind!r})"
        )


class Slide(NamedTuple):
    """The state was held on the surface of a guard."""

    name: str
    begin: float
    end: float


class NearMiss(NamedTuple):
    """A guard came close to zero and turned away."""

    name: str
    t: float
    value: float  #: of the guard
    tolerance: float  #: what the tolerances of the run amount to in this guard
    distance: float  #: of the state from the surface, to first order; NaN: not known


_ASSIGNABLE = ("x", "p", "mode", "timer", "assigned")  # of Now


class Now:
    """What an action may change, and the values from before the instant.

    t          the time
    x          states: ``now.x[0]``, ``now.x["h"]``, ``now.x.h``; to be assigned, as a whole or in
               parts
    p          parameters, likewise
    mode       modes, likewise
    timer      next firing time of each clock without a period, likewise; math.inf: off
    pre_x, pre_p, pre_mode   values before the first event of this instant
    sgn        the present sign of each guard
    assigned   a set: with constraints, names of states that count as assigned though they keep
               their values
    """

    t: float
    x: Any
    p: Any
    mode: Any
    timer: Any
    pre_x: Any
    pre_p: Any
    pre_mode: Any
    sgn: Any

    def __init__(self, now: Any, definition: Definition) -> None:
        d, own = definition, vars(self)
        own["t"] = now.t
        self.x = vector(floats(now.x, d.nx), d.states)
        self.p = vector(floats(now.p, d.nparameters), d.parameters)
        self.mode = vector(memory(now.mode, d.nmodes, np.intc), d.modes)
        self.timer = vector(floats(now.timer, len(d.clocks)), d.clock_names)
        own["pre_x"] = _still(vector(floats(now.pre_x, d.nx), d.states))
        own["pre_p"] = _still(vector(floats(now.pre_p, d.nparameters), d.parameters))
        own["pre_mode"] = _still(vector(memory(now.pre_mode, d.nmodes, np.intc), d.modes))
        own["sgn"] = _still(vector(memory(now.sgn, len(d.guards), np.int8), d.guard_names))
        self.assigned: set[str | int] = set()
        self._stopped = False
        self._message = ""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _ASSIGNABLE and not name.startswith("_"):
            raise no_attribute("now", name, _ASSIGNABLE)
        super().__setattr__(name, value)

    def stop(self, message: str = "") -> _Stop:
        """Ends the run after this action; `message` says why in its result."""
        self._stopped = True
        self._message = str(message)
        return STOP


def memory(pointer: Any, count: int, dtype: Any) -> NDArray[Any]:
    if count == 0 or pointer == ffi.NULL:
        return np.empty(0, dtype)
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(dtype).itemsize), dtype)


def floats(pointer: Any, count: int) -> NDArray[np.float64]:
    return memory(pointer, count, np.float64)


def _still(array: Vector) -> Vector:
    array.flags.writeable = False
    return array


def read_event(event: Any) -> OdeEvent:
    return OdeEvent(
        decode(event.name),
        event.t,
        int(event.direction),
        KINDS[event.kind],
        event.value,
        event.iteration,
        event.guard,
    )


def changeable(now: Any, d: Definition) -> bytes:
    """All that rules may change."""
    return b"".join(
        array.tobytes()
        for array in (
            floats(now.x, d.nx),
            floats(now.p, d.nparameters),
            memory(now.mode, d.nmodes, np.intc),
            floats(now.timer, len(d.clocks)),
        )
    )


def finish(values: Now, now: Any, d: Definition, returned: Any, role: str) -> int:
    """Hands what an action has assigned to the library."""
    if returned is not None and returned is not STOP:
        raise TypeError(
            f"{role} returned {describe(returned)}: it changes `now`, and returns None or "
            "brink.STOP"
        )
    _assign(now.p, values.p, d.nparameters, f"{role}: now.p")
    _assign(now.timer, values.timer, len(d.clocks), f"{role}: now.timer")
    modes = as_array(values.mode, f"{role}: now.mode", np.intc)
    if modes.shape != (d.nmodes,):
        raise ArgumentError(f"{role}: now.mode has shape {modes.shape}, not ({d.nmodes},)")
    for k, mode in enumerate(modes.tolist()):
        now.mode[k] = mode
    before = floats(now.x, d.nx).copy()
    _assign(now.x, values.x, d.nx, f"{role}: now.x")
    if now.assigned != ffi.NULL:
        named = {d.states.index(name) for name in values.assigned}
        for k, value in enumerate(floats(now.x, d.nx)):
            if value != before[k] or k in named:
                now.assigned[k] = True
    if not values._stopped and returned is not STOP:
        return 0
    if values._message and now.message != ffi.NULL:
        text = values._message.encode("utf-8", "replace").replace(b"\0", b"?")[
            : lib.BRINK_DIAG_MESSAGE - 1
        ]
        ffi.memmove(now.message, text + b"\0", len(text) + 1)
    return int(lib.BRINK_STOPPED)


def _assign(to: Any, values: Any, count: int, what: str) -> None:
    array = as_array(values, what, float)
    if array.shape != (count,):
        raise ArgumentError(f"{what} has shape {array.shape}, not ({count},)")
    if count:
        ffi.memmove(to, ffi.from_buffer(array), 8 * count)


def read_slide(record: Any) -> Slide:
    return Slide(decode(record.name), getattr(record, "from"), record.to)
