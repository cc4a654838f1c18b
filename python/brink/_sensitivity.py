"""Derivatives of a run by parameters and initial values."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from brink._events import EVENT
from brink._handle import RunHandle
from brink._library import check, decode_list, ffi, lib, new_diag
from brink._memory import view

if TYPE_CHECKING:
    import pandas

__all__ = ["EventTimes", "FinalDerivatives", "Sensitivity"]

_LIMITS = {
    lib.BRINK_SENSITIVITY_SEVERAL: "several: events at one instant move differently: "
    "derivatives after it are one-sided",
    lib.BRINK_SENSITIVITY_ZENO: "zeno: after infinitely many events nothing is known: NaN",
    lib.BRINK_SENSITIVITY_GRAZING: "grazing: an event touches its surface: infinite",
    lib.BRINK_SENSITIVITY_DIFFERENCES: "differences: an action was differentiated by differences",
    lib.BRINK_SENSITIVITY_INACCURATE: "inaccurate: in some step the tolerance was not met",
    lib.BRINK_SENSITIVITY_UNDEFINED: "undefined: a derivative that is not a number was met",
}


class _Names:
    """Names with their places, and the nearest one for a name that is not there."""

    def __init__(self, what: str, names: list[str]) -> None:
        self.what = what
        self.names = tuple(names)
        self._place = {name: k for k, name in enumerate(names)}

    def find(self, name: str) -> int:
        if name in self._place:
            return self._place[name]
        near = difflib.get_close_matches(name, self.names, 1)
        some = ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")
        more = f"did you mean {near[0]!r}?" if near else f"there are {some}"
        raise KeyError(f"there is no {self.what} {name!r}; {more}")


class FinalDerivatives(Mapping[str, Mapping[str, float]]):
    """Derivatives of states and outputs where a run ended: ``final["x"]["k"]``.

    `array` has a row for each of them.
    """

    def __init__(self, array: NDArray[np.float64], names: _Names, directions: _Names) -> None:
        self.array = array
        self._names = names
        self._directions = directions

    def __getitem__(self, name: str) -> dict[str, float]:
        row = self.array[self._names.find(name)]
        return dict(zip(self._directions.names, row.tolist()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.names)

    def __len__(self) -> int:
        return len(self._names.names)

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with a row for each state and output and a column for each direction."""
        import pandas

        return pandas.DataFrame(self.array, self._names.names, self._directions.names)

    def __repr__(self) -> str:
        rows = [f"{name!r}: {self[name]!r}" for name in self]
        return "{" + ", ".join(rows) + "}"


class EventTimes(Mapping[str, NDArray[np.float64]]):
    """Derivatives of the times of events: ``events["k"]`` has one for each of ``result.events``.

    NaN: the event has none; infinite: it touches its surface. `array` has a row for each event.
    `all` also has those of flags that the compiler made, as ``result.events.all``.
    """

    def __init__(
        self, array: NDArray[np.float64], chosen: NDArray[np.bool_] | None, directions: _Names
    ) -> None:
        self._whole = array
        self.array = array if chosen is None or chosen.all() else array[chosen]
        self._directions = directions

    @property
    def all(self) -> EventTimes:
        """Those of all flags."""
        return EventTimes(self._whole, None, self._directions)

    def __getitem__(self, direction: str) -> NDArray[np.float64]:
        return self.array[:, self._directions.find(direction)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._directions.names)

    def __len__(self) -> int:
        return len(self._directions.names)

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with a row for each event and a column for each direction."""
        import pandas

        return pandas.DataFrame(self.array, columns=self._directions.names)

    def __repr__(self) -> str:
        return f"<derivatives of {len(self.array)} times by {', '.join(self)}>"


class Sensitivity:
    """Derivatives of a run by parameters and by initial values of states: its `directions`.

    ``s["x", "k"]`` is dx/dk over ``s.t``, at fixed times: at the start, at the ends of steps,
    before and after each event. x is a state, or an output or variable that was recorded.
    ``s.final`` is of their values where the run ended, ``s.events`` of the times of events. Arrays
    over time look at the memory of the library; they are not copied.

    >>> import brink
    >>> m = brink.load('''ctc Decay is
    ...   interface knob(k); end interface;
    ...   body
    ...     declarations state(x, real); parameter(k, real); flag(low); end declarations;
    ...     initial x := 1.0; end initial;
    ...     dynamics x' = -k*x; low = x - 0.5; end dynamics;
    ...     assignments k : 2.0; end assignments;
    ...   end body;
    ... end Decay;
    ... ''')
    >>> s = m.run(until=1.0, interpret=True, sensitivity=["k", "x"], rtol=1e-10).sensitivity
    >>> s
    <derivatives of x by k, x: 1 event, no limits>
    >>> round(s.final["x"]["k"], 6)  # -t exp(-k t)
    -0.135335
    >>> s["x", "x"][[0, -1]].round(6)  # exp(-k t)
    array([1.      , 0.135335])
    >>> s.events["k"].round(6)  # T = ln(2)/k
    array([-0.173287])
    """

    def __init__(self, handle: RunHandle) -> None:
        got, diag = ffi.new("brink_run_sensitivity *"), new_diag()
        with handle as run:
            check(lib.brink_run_get_sensitivity(run, got, diag), diag)
            chosen = _named_events(run)
        self._handle = handle
        self._directions = _Names("direction", decode_list(got.directions, got.ndirections))
        self.states = tuple(decode_list(got.states, got.nstates))  #: all of them
        self.outputs = tuple(decode_list(got.outputs, got.noutputs))  #: that were recorded
        self._names = _Names("state or output", [*self.states, *self.outputs])
        n, ny, m, rows = got.nstates, got.noutputs, got.ndirections, got.rows
        self.t: NDArray[np.float64] = view(got.t, (rows,), handle)  #: times of the rows
        #: rows × states × directions
        self.array: NDArray[np.float64] = view(got.dx, (rows, n, m), handle)
        #: rows × outputs × directions
        self.output_array: NDArray[np.float64] = view(got.dy, (rows, ny, m), handle)
        end = np.concatenate([view(got.end, (n, m), handle), view(got.end_y, (ny, m), handle)])
        #: where the run ended; if an event ended it, moving with that event
        self.final = FinalDerivatives(end, self._names, self._directions)
        #: of the times of events
        self.events = EventTimes(
            view(got.event_time, (got.nevents, m), handle), chosen, self._directions
        )
        #: what may make them wrong, in words; (): nothing
        self.limits = tuple(words for bit, words in _LIMITS.items() if got.limits & bit)

    @property
    def directions(self) -> tuple[str, ...]:
        """What the run is differentiated by: parameters, and states for their initial values."""
        return self._directions.names

    @overload
    def __getitem__(self, which: str) -> NDArray[np.float64]: ...

    @overload
    def __getitem__(self, which: tuple[str, str]) -> NDArray[np.float64]: ...

    def __getitem__(self, which: str | tuple[str, str]) -> NDArray[np.float64]:
        """``s["x", "k"]``: dx/dk over time; ``s["x"]``: a column for each direction."""
        name, direction = (which, None) if isinstance(which, str) else which
        place, n = self._names.find(name), len(self.states)
        rows = self.array[:, place] if place < n else self.output_array[:, place - n]
        return rows if direction is None else rows[:, self._directions.find(direction)]

    def to_pandas(self) -> pandas.DataFrame:
        """A frame over time with a column for each pair (state or output, direction)."""
        import pandas

        pairs = pandas.MultiIndex.from_product(
            [self._names.names, self.directions], names=["name", "direction"]
        )
        both = np.concatenate([self.array, self.output_array], axis=1)
        flat = both.reshape(len(self.t), -1)
        return pandas.DataFrame(flat, pandas.Index(self.t, name="t"), pairs)

    def __repr__(self) -> str:
        count = len(self.events.array)
        events = f"{count} event" + ("" if count == 1 else "s")
        limits = ", ".join(words.split(":")[0] for words in self.limits) or "no limits"
        what = f"{_some(self._names.names)} by {_some(self.directions)}"
        return f"<derivatives of {what}: {events}, {limits}>"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def _named_events(run: object) -> NDArray[np.bool_]:
    """Which events are not of flags that the compiler made."""
    trajectory, diag = ffi.new("brink_trajectory *"), new_diag()
    check(lib.brink_run_trajectory(run, trajectory, diag), diag)
    size = trajectory.nevents * EVENT.itemsize
    records = view(trajectory.events, (size,), run, "|u1").view(EVENT)
    return np.asarray(~records["generated"])
