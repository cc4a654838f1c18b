"""What a run of a model in Python gives back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from brink._errors import ArgumentError
from brink._instant import KINDS, NearMiss, OdeEvent, Slide
from brink._library import check, decode, ffi, lib, new_diag
from brink._memory import view
from brink._simulation import Simulation, Unique
from brink._stats import stats_of_sim

if TYPE_CHECKING:
    from brink import _plot

__all__ = ["OdeEvents", "OdeSensitivity", "Solution"]

Floats = NDArray[np.float64]


def _event_dtype() -> np.dtype[Any]:
    fields = {
        "guard": np.uintp,
        "t": np.float64,
        "direction": np.intc,
        "kind": np.intc,
        "value": np.float64,
        "iteration": np.intc,
    }
    return np.dtype(
        {
            "names": list(fields),
            "formats": list(fields.values()),
            "offsets": [ffi.offsetof("brink_event", name) for name in fields],
            "itemsize": ffi.sizeof("brink_event"),
        }
    )


_EVENT = _event_dtype()


class OdeEvents(Sequence[OdeEvent]):
    """The events of a run, in order; also by columns, as arrays: ``r.events.t``,
    ``r.events.guard``.

    ``r.events["floor"]`` are those of one guard.
    """

    def __init__(
        self, table: NDArray[Any], before: Floats, after: Floats, names: tuple[str, ...]
    ) -> None:
        self._table = table
        self._names = names
        self.x_before = before  #: states before the action of each event: events × states
        self.x_after = after  #: likewise after it

    @property
    def t(self) -> Floats:
        return self._table["t"]

    @property
    def guard(self) -> NDArray[np.uintp]:
        """The number of each one's guard."""
        return self._table["guard"]

    @property
    def name(self) -> NDArray[Any]:
        return np.array([self._names[k] for k in self._table["guard"]], dtype=object)

    @property
    def direction(self) -> NDArray[np.intc]:
        return self._table["direction"]

    @property
    def kind(self) -> NDArray[Any]:
        return np.array([KINDS[k] for k in self._table["kind"].tolist()], dtype=object)

    @property
    def value(self) -> Floats:
        return self._table["value"]

    @property
    def iteration(self) -> NDArray[np.intc]:
        return self._table["iteration"]

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[OdeEvent]:
        return (self._event(k) for k in range(len(self)))

    def _event(self, k: int) -> OdeEvent:
        row = self._table[k]
        guard = int(row["guard"])
        return OdeEvent(
            self._names[guard],
            float(row["t"]),
            int(row["direction"]),
            KINDS[int(row["kind"])],
            float(row["value"]),
            int(row["iteration"]),
            guard,
            self.x_before[k],
            self.x_after[k],
        )

    @overload
    def __getitem__(self, key: int) -> OdeEvent:
        ...

    @overload
    def __getitem__(self, key: slice | str | NDArray[Any]) -> OdeEvents:
        ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._names:
                raise ArgumentError(
                    f"there is no guard {key!r}; there are: "
                    f"{', '.join(map(repr, self._names)) or 'none'}"
                )
            key = self.guard == self._names.index(key)
        if isinstance(key, (slice, np.ndarray)):
            return OdeEvents(self._table[key], self.x_before[key], self.x_after[key], self._names)
        k = range(len(self))[key]
        return self._event(k)

    def copy(self) -> OdeEvents:
        return OdeEvents(self._table.copy(), self.x_before.copy(), self.x_after.copy(), self._names)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row for each event."""
        import pandas

        return pandas.DataFrame(
            {
                "t": self.t,
                "name": self.name,
                "direction": self.direction,
                "kind": self.kind,
                "value": self.value,
            }
        )

    def __repr__(self) -> str:
        lines = [f"{len(self)} event{'' if len(self) == 1 else 's'}"]
        lines += [
            f"  {e.t:<20.12g} {e.name}  {'-+'[e.direction > 0] if e.direction else ' '} {e.kind}"
            for e in self[:20]
        ]
        return "\n".join(lines + ["  …"] * (len(self) > 20))


class OdeSensitivity:
    """Derivatives of a run by initial states and parameters.

    directions   their names, in the order of the last axis of the arrays
    t            times of the rows: the start, the end of each step, and after the instant of each
                 event
    dx           derivatives of the states at a fixed time: rows × states × directions
    event_time   derivatives of the time of each event: events × directions
    end          of the state where the run ended: states × directions. At a fixed time; if an event
                 ended the run, the state moves with it, and so do these
    limits       names of the limits that were met (``<brink/sensitivity.h>``): "several", "zeno",
                 "grazing", "differences", "inaccurate", "undefined"
    """

    def __init__(
        self,
        directions: tuple[str, ...],
        t: Floats,
        dx: Floats,
        event_time: Floats,
        end: Floats,
        limits: tuple[str, ...],
    ) -> None:
        self.directions = directions
        self.t = t
        self.dx = dx
        self.event_time = event_time
        self.end = end
        self.limits = limits

    def __getitem__(self, direction: str) -> Floats:
        """Rows × states: the derivatives in one direction."""
        if direction not in self.directions:
            raise ArgumentError(
                f"there is no direction {direction!r}; there are: "
                f"{', '.join(map(repr, self.directions))}"
            )
        return self.dx[:, :, self.directions.index(direction)]

    def __repr__(self) -> str:
        return f"OdeSensitivity(directions={self.directions!r}, {len(self.t)} rows)"


class Solution(Unique):
    """A run of a model in Python.

    t           the times of the rows: the start, the ends of steps, and before and after each
                instant, at the same time
    x           states: rows × states. Like t and modes it is the library's own memory, not to be
                written
    modes       rows × modes
    events      `OdeEvents`: a sequence of `OdeEvent`, and columns as arrays
    r(t)        states at any times of the run, from its dense output; at an instant those after it
    r["h"]      the column of a state or of a mode, by its name
    final       the states at the end, by name
    p           the parameters at the end, by name or number
    status      "finished": the end was reached; "stopped": an action or a guard with `stop` ended
                the run; "failed"; else "running" or "interrupted"
    message     why it stopped or failed
    reason      a stable slug of that: "zeno", "step-tolerance"
    stats       what the run took: `OdeStats`
    sensitivity derivatives, if they were asked for; else None
    slides, near_misses   times on surfaces; guards that came close to zero

    >>> import brink
    >>> model = brink.ode(lambda t, x: [x[1], -x[0]], {"q": 1.0, "v": 0.0})
    >>> r = model.run(until=1, rtol=1e-10, atol=1e-12)
    >>> r(0.5).round(6), round(r.final["q"], 6)
    (array([ 0.877583, -0.479426]), 0.540302)
    """

    def __init__(
        self, simulation: Simulation, status: str, message: str, reason: str, moves: bool = False
    ) -> None:
        s, d = simulation, simulation.definition
        self._simulation = simulation
        self.status = status
        self.message = message
        self.reason = reason
        self.names = d.states.all
        self.mode_names = d.modes.all
        rows, modes = ffi.new("const double **"), ffi.new("const int **")
        count = lib.brink_history_rows(s.history, rows)
        lib.brink_history_modes(s.history, modes)
        self._rows = view(rows[0], (count, 1 + d.nx), s)
        self.modes: NDArray[np.intc] = view(modes[0], (count, d.nmodes), s, np.intc)
        self.events = events_of(s)
        if moves:  # the library's memory changes when the run goes on
            self._rows, self.modes = self._rows.copy(), self.modes.copy()
            self.events = self.events.copy()
        self.t: Floats = self._rows[:, 0]
        self.x: Floats = self._rows[:, 1:]
        self.p = dict(zip(d.parameters.all, s.parameters().tolist()))
        self.stats = stats_of_sim(lib.brink_sim_stats(s.sim))
        self._sensitivity = sensitivity_of(s, status == "stopped")
        self.slides: list[Slide] = [*s.slides, *s.slides_under_way()]
        self.near_misses: list[NearMiss] = list(s.near_misses)
        self._end = s.time

    @property
    def sensitivity(self) -> OdeSensitivity | None:
        """Derivatives, if they were asked for; else None."""
        if self._simulation.is_clone:
            raise ArgumentError(
                "a clone has no sensitivities: derivatives begin with the run; start another run"
            )
        return self._sensitivity

    @property
    def success(self) -> bool:
        return self.status in ("finished", "stopped")

    @property
    def final(self) -> dict[str, float]:
        return dict(zip(self.names, self.x[-1].tolist()))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self.names:
            return self.x[:, self.names.index(name)]
        if name in self.mode_names:
            return self.modes[:, self.mode_names.index(name)]
        known = ", ".join(map(repr, (*self.names, *self.mode_names)))
        raise ArgumentError(f"there is no state and no mode {name!r}; there are: {known}")

    def __call__(self, t: ArrayLike, name: str | None = None) -> Floats:
        """The states at a time, (states,), or at an array of times, (times, states).

        name   of one state: its value, or its values
        """
        times = np.array(t, dtype=float)
        if times.ndim > 1:
            raise ArgumentError(
                f"times are an array of shape {times.shape}: give one, or a sequence"
            )
        found = at_times(self._simulation, times.reshape(-1), self._end)
        if name is not None:
            if name not in self.names:
                raise ArgumentError(
                    f"there is no state {name!r}; there are: {', '.join(map(repr, self.names))}"
                )
            found = found[:, self.names.index(name)]
        return found.reshape(found.shape[1:]) if times.ndim == 0 else found

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the rows: states and modes by name, time as index."""
        import pandas

        columns = {name: self[name] for name in (*self.names, *self.mode_names)}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def plot(
        self,
        *names: str,
        ax: Any = None,
        events: bool | str | Sequence[str] = True,
        modes: bool | str | Sequence[str] = True,
        title: str | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Any:
        """Draws states over time, modes as bands, events as marks: see `brink.Result.plot`.

        >>> import brink
        >>> r = brink.ode(lambda t, x: [x[1], -x[0]], {"q": 1.0, "v": 0.0}).run(until=1)
        >>> [line.get_label() for line in r.plot().axes[0].lines]
        ['q', 'v']
        """
        from brink import _plot

        source = self._plot_source()
        return _plot.draw(source, names, ax=ax, events=events, modes=modes, title=title, figsize=figsize)

    def _plot_source(self) -> _plot.Source:
        from brink import _plot
        from brink._table import Column, Columns

        real, integer = lib.BRINK_HSML_REAL, lib.BRINK_HSML_INTEGER
        columns = [Column(name, "state", "", real, ()) for name in self.names]
        columns += [Column(name, "mode", "", integer, ()) for name in self.mode_names]
        return _plot.Source(
            t=self.t,
            columns=Columns(columns),
            numbers=np.hstack([self.x, self.modes]),
            event_t=self.events.t,
            event_name=self.events.name.tolist(),
            event_direction=self.events.direction,
            sample=lambda times, places: self(times)[:, places],  # curves are states
        )

    def _repr_html_(self) -> str:
        from brink import _html

        return _html.of_solution(self)

    def __repr__(self) -> str:
        text = f"Solution: {self.status} at t = {self._end!r}; {len(self.t)} rows, "
        text += f"{len(self.events)} events"
        return f"{text}\n{self.message}" if self.message else text


def events_of(simulation: Simulation) -> OdeEvents:
    """The events of a run, in the library's memory."""
    d = simulation.definition
    events, before, after = (
        ffi.new("const brink_event **"),
        ffi.new("const double **"),
        ffi.new("const double **"),
    )
    count = lib.brink_history_events(simulation.history, events, before, after)
    return OdeEvents(
        view(events[0], (count,), simulation, _EVENT),
        view(before[0], (count, d.nx), simulation),
        view(after[0], (count, d.nx), simulation),
        d.guard_names.all,
    )


def at_times(simulation: Simulation, times: Floats, end: float) -> Floats:
    if len(times) and not np.all(times <= end):
        raise ArgumentError(f"t = {times.max()!r}: the run ends at {end!r}")
    times = np.ascontiguousarray(times)
    out = np.empty((len(times), simulation.definition.nx))
    diag = new_diag()
    if len(times):
        status = lib.brink_history_at(
            simulation.history, ffi.from_buffer("double[]", times), len(times), _room(out), diag
        )
        check(status, diag)
    return out


def _room(out: Floats) -> Any:
    return ffi.from_buffer("double[]", out if out.size else np.empty(1), require_writable=True)


_LIMITS = ("several", "zeno", "grazing", "differences", "inaccurate", "undefined")


def sensitivity_of(simulation: Simulation, stopped: bool) -> OdeSensitivity | None:
    """The derivatives so far, as copies."""
    if simulation.directions is None:
        return None
    ode, nx, count = simulation.ode, simulation.definition.nx, len(simulation.directions)
    rows, events = _rows_of(ode.tangents), _rows_of(ode.event_tangents)
    dx = rows[:, 1:].reshape(-1, nx, count)
    present = view(lib.brink_sensitivity_state(ode.sensitivity), (nx, count), simulation).copy()
    last = lib.brink_history_events(simulation.history, ffi.NULL, ffi.NULL, ffi.NULL)
    if stopped and len(events) and len(events) == last and _ends_with_event(simulation):
        present = events[-1, count:].reshape(nx, count)  # the end moves with the event
    limits = lib.brink_sensitivity_limits(ode.sensitivity)
    found = tuple(name for k, name in enumerate(_LIMITS) if limits >> k & 1)
    return OdeSensitivity(simulation.directions, rows[:, 0], dx, events[:, :count], present, found)


def _rows_of(rows: Any) -> Floats:
    return view(rows.values, (rows.count, rows.width), None).copy()


def _ends_with_event(simulation: Simulation) -> bool:
    events = simulation.last_events()
    return bool(events) and events[-1].t == simulation.time
