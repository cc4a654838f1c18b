"""What a run has given: arrays, events, dense output, and all that is had by repeating it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from brink import _errors
from brink._events import EVENT, Events
from brink._handle import RunHandle
from brink._library import (
    check,
    decode,
    decode_list,
    decode_or_none,
    encode,
    ffi,
    lib,
    move,
    new_diag,
)
from brink._memory import view
from brink._stats import Stats, stats_of_run
from brink._table import Column, Columns, Table

if TYPE_CHECKING:
    import pandas
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes

    from brink import _agents, _plot
    from brink._sensitivity import Sensitivity

__all__ = ["Collect", "Result"]


@dataclass(frozen=True)
class Collect:
    """What a run collects on its way."""

    keep: bytes | None = None  #: names and patterns of what is recorded; None: as the model says
    dense: bool = False  #: dense output of all steps
    report: bool = False  #: what the report shows
    summary: bool = False  #: events with values, for the summary
    condition: bool = False  #: how far events can be trusted
    sensitivity: tuple[str, ...] | None = None  #: derivatives by these; (): by all knobs
    save: bytes | None = None  #: a file

    def begin(self, run: Any) -> None:
        """Chooses the recordings of a run that has not begun."""
        diag = new_diag()
        check(lib.brink_run_keep_trajectory(run, diag), diag)
        if self.keep is not None:
            check(lib.brink_run_keep(run, self.keep, diag), diag)
        if self.dense:
            check(lib.brink_run_keep_dense(run, diag), diag)
        if self.report:
            check(lib.brink_run_prepare_report(run, diag), diag)
        if self.summary:
            check(lib.brink_run_prepare_summary(run, diag), diag)
        if self.condition:
            check(lib.brink_run_prepare_conditions(run, diag), diag)
        if self.sensitivity is not None:
            kept = [ffi.new("char[]", encode(name)) for name in self.sensitivity]
            names = ffi.new("const char *[]", kept) if kept else ffi.NULL
            check(lib.brink_run_keep_sensitivity(run, names, len(kept), diag), diag)
        if self.save is not None:
            check(lib.brink_run_record(run, self.save, diag), diag)


# What brink_run_find does not know.
_ROWS_ONLY = ("derivative", "flag")


def _take(call: Any, run: Any) -> bytes:
    """Bytes that the library makes of a finished run."""
    data, diag = ffi.new("brink_bytes *"), new_diag()
    check(call(run, data, diag), diag)
    try:
        return bytes(ffi.buffer(data.data, data.length))
    finally:
        lib.brink_bytes_free(data)


class Result:
    """What a run has given.

    ``r.t`` and ``r["plant.h"]`` are arrays, `events` the events, ``r(t)`` the values at any time. What was not asked for before the run
    (dense output, report, condition, sensitivity, a file) is had by repeating it, which gives the same steps to the last bit.

    >>> import brink
    >>> r = brink.example("thermostat").run()
    >>> r
    <brink.Result: finished at t = 24, 253 rows, 6 events>
    >>> r["room.T"][:3].round(4), r.status, r.names
    (array([20.    , 20.0995, 20.198 ]), 'finished', ['room.T', 'room.heater', 'room.temperature', 'room.outdoor'])
    """

    def __init__(
        self,
        handle: RunHandle,
        collect: Collect,
        until: float,
        interrupted: bool = False,
        stops: tuple[float, ...] = (),
        limited: bool = False,
    ) -> None:
        self._handle = handle
        self._collect = collect
        self._until = until
        self._stops = stops  # of calls on the way: the same calls take the same steps
        self._outcome = lib.brink_run_result(handle.pointer)
        self._repeated: dict[Collect, RunHandle] = {}
        self.interrupted = interrupted  #: Ctrl-C ended it
        self._limited = limited  # max_steps did

    # ---- what became of it ----

    @property
    def status(self) -> str:
        """ "finished", "stopped" (by the model), "failed" or "interrupted" (by Ctrl-C)."""
        if self.interrupted:
            return "interrupted"
        return "failed" if self._limited else decode(self._outcome.status)

    @property
    def reason(self) -> str | None:
        """Why it failed: "range", "fail", "zeno", "step", …; None: it did not."""
        return "max-steps" if self._limited else decode_or_none(self._outcome.reason)

    @property
    def message(self) -> str | None:
        """What the model or the library says about the end."""
        if self._limited:
            return "the limit of steps was reached"
        return decode_or_none(self._outcome.message)

    @property
    def hint(self) -> str | None:
        """What to try, if it failed."""
        return "raise max_steps" if self._limited else decode_or_none(self._outcome.hint)

    @property
    def warnings(self) -> list[str]:
        """Initial values that were chosen, values outside their ranges, flags that are past, …"""
        return decode_list(self._outcome.warnings, self._outcome.nwarnings)

    @property
    def t_end(self) -> float:
        """The time at the end."""
        return float(self._outcome.t)

    @cached_property
    def stats(self) -> Stats:
        """What it has cost.

        >>> import brink
        >>> stats = brink.example("thermostat").run().stats
        >>> stats.events, stats.rhs_past_guard
        (6, 0)
        """
        return stats_of_run(self._handle.pointer)

    # ---- values ----

    @cached_property
    def _trajectory(self) -> Any:
        trajectory, diag = ffi.new("brink_trajectory *"), new_diag()
        check(lib.brink_run_trajectory(self._handle.pointer, trajectory, diag), diag)
        return trajectory

    @cached_property
    def _columns(self) -> tuple[Columns, Columns, NDArray[np.float64]]:
        c = self._trajectory
        return (
            Columns([Column.read(c.columns[k]) for k in range(c.ncolumns)]),
            Columns([Column.read(c.constants[k]) for k in range(c.nconstants)]),
            view(c.constant_values, (c.nconstants,), self._handle),
        )

    @cached_property
    def _numbers(self) -> NDArray[np.float64]:
        """Rows of time and all columns: the memory of the library."""
        c = self._trajectory
        return view(c.values, (c.rows, 1 + c.ncolumns), self._handle)

    @cached_property
    def t(self) -> NDArray[np.float64]:
        """The times of the rows, in the order of the run; at an event there is a row before and one after it."""
        return self._numbers[:, 0]

    @cached_property
    def table(self) -> Table:
        """All rows."""
        return self._make_table(self.t, self._numbers[:, 1:])

    def _make_table(self, t: Any, numbers: NDArray[np.float64]) -> Table:
        return Table(t, numbers, *self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.table[name]

    def __contains__(self, name: object) -> bool:
        return name in self.table

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    @property
    def names(self) -> list[str]:
        """What was recorded, then what held still."""
        return self.table.names

    def _moment(self, row: int) -> Table:
        return self._make_table(float(self.t[row]), self._numbers[row : row + 1, 1:])

    def _row_after(self, row: int) -> int:
        """The last row of the same time: what holds after everything that happened then."""
        last = len(self.t) - 1
        while row < last and self.t[row + 1] == self.t[row]:
            row += 1
        return row

    @cached_property
    def final(self) -> Table:
        """The values at the end.

        >>> import brink
        >>> brink.example("gear-box").run().final["car.gear"]
        5
        """
        if len(self._numbers) == 0:
            raise _errors.ArgumentError("the run has no rows: it did not start")
        return self._moment(len(self._numbers) - 1)

    @cached_property
    def events(self) -> Events:
        """What happened, in order.

        >>> import brink
        >>> brink.example("thermostat").run(until=10).events.flag.tolist()
        ['room.warm', 'room.cold']
        """
        c = self._trajectory
        records = view(c.events, (c.nevents,), self._handle, EVENT)
        named = np.flatnonzero(~records["generated"])
        flags, agents = decode_list(c.flags, c.nflags), decode_list(c.agents, c.nagents)
        return Events(records, flags, agents, self, named)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a frame over time.

        >>> import brink
        >>> brink.example("thermostat").run().to_pandas().groupby("room.heater").size().to_dict()
        {'off': 127, 'on': 126}
        """
        return self.table.to_pandas()

    # ---- again ----

    def _repeat(self, collect: Collect) -> RunHandle:
        """A run like this one that has collected more."""
        again = self._handle.repeat(conditions=collect.condition)
        with again as run:
            collect.begin(run)
            diag = new_diag()
            end = self.t_end if self.interrupted else self._until
            status = 0
            for stop in (*self._stops, end):
                if status >= 0:
                    status = move(lib.brinkpy_run_to, run, stop, diag)
            if again.keep is not None:
                again.keep.reraise()
            if status < 0 and self.status != "failed":
                check(status, diag)
            check(lib.brink_run_finish(run, diag), diag)
        return again

    def _with(self, **more: Any) -> RunHandle:
        """This run, if it has collected that; else a repetition."""
        if all(getattr(self._collect, name) == value for name, value in more.items()):
            return self._handle
        collect = Collect(keep=self._collect.keep, **more)
        if collect not in self._repeated:
            self._repeated[collect] = self._repeat(collect)
        return self._repeated[collect]

    def __call__(self, t: ArrayLike, name: str | None = None) -> Any:
        """The values at any time of the run, from its dense output; at an event those after it.

        ``r(0.5)`` has all of them by name, ``r(0.5, "h")`` is one. For an array of times these are arrays.

        >>> import brink
        >>> r = brink.example("bouncing-ball").run(until=1)
        >>> round(r(0.2, "ball.y"), 6)                          # 1 - 9.81*0.2**2/2
        0.8038
        >>> r([0.1, 0.2])["ball.v"].round(6)
        array([-0.981, -1.962])
        """
        times = np.array(t, np.float64)
        if times.ndim > 1:
            raise _errors.ArgumentError(f"times are a number or a sequence, not {times.ndim}-D")
        places = self._readable() if name is None else self._places(name)
        values = self._sample(times.ravel(), places)
        columns = Columns([self._columns[0].list[k] for k in places])
        when: NDArray[np.float64] | float = times if times.ndim else float(times)
        table = Table(when, values, columns, *self._columns[1:])
        return table if name is None else table[name]

    def _places(self, name: str) -> list[int]:
        """The columns of a name; of what holds still none."""
        of, places, _ = self.table._find(name)
        return places if of is self._columns[0] else []

    def _readable(self) -> list[int]:
        """The columns that have values between the rows, too."""
        columns = self._columns[0].list
        return [k for k, c in enumerate(columns) if self.stats.agents == 0 or c.kind not in _ROWS_ONLY]

    def _sample(self, times: NDArray[np.float64], places: list[int]) -> NDArray[np.float64]:
        """Columns at any times of the run."""
        self._check_times(times)
        out = np.empty((len(times), len(places)))
        if out.size == 0:
            return out
        if self.stats.agents > 0:
            self._sample_agents(times, places, out)
        else:
            self._sample_dense(times, places, out)
        return out

    def _check_times(self, times: NDArray[np.float64]) -> None:
        if len(self.t) == 0:
            raise _errors.ArgumentError("the run has no rows: it did not start")
        first, last = sorted((float(self.t[0]), self.t_end))  # a run may go backwards
        outside = ~((times >= first) & (times <= last))
        if outside.any():
            t = float(times[np.argmax(outside)])
            raise _errors.ArgumentError(f"t = {t:.17g}: the run has values from {first:.17g} to {last:.17g}")

    def _sample_dense(
        self, times: NDArray[np.float64], places: list[int], out: NDArray[np.float64]
    ) -> None:
        diag = new_diag()
        status = lib.brink_run_trajectory_at(
            self._with(dense=True).pointer,
            ffi.from_buffer("double[]", times),
            len(times),
            ffi.new("size_t[]", places),
            len(places),
            ffi.from_buffer("double[]", out, require_writable=True),
            diag,
        )
        check(status, diag)

    def _sample_agents(
        self, times: NDArray[np.float64], places: list[int], out: NDArray[np.float64]
    ) -> None:
        """Agents have no dense output of the whole run: it is repeated, and read on the way."""
        columns = [self._columns[0].list[k] for k in places]
        for column in columns:
            if column.kind in _ROWS_ONLY:
                raise _errors.UnsupportedError(
                    f"{column.name}: of agents with clocks of their own a {column.kind} is known in the rows alone; "
                    "run with options={'clocks': 'one'}"
                )
        again = self._handle.repeat()
        diag = new_diag()
        with again as run:
            values = ffi.new("brink_value[]", len(columns))
            for k, column in enumerate(columns):
                check(lib.brink_run_find(run, encode(column.name), values + k, diag), diag)
            stops = [*self._stops, self.t_end]
            for k in np.argsort(times, kind="stable"):
                while stops[0] < times[k]:
                    check(move(lib.brinkpy_run_to, run, stops.pop(0), diag), diag)
                row = ffi.from_buffer("double[]", out[k], require_writable=True)
                check(move(lib.brinkpy_run_output, run, times[k], stops[0], diag), diag)
                check(lib.brink_run_get_at(run, times[k], values, len(columns), row, diag), diag)

    # ---- more about it ----

    @cached_property
    def json(self) -> str:
        """The summary that ``brink run --json`` prints."""
        return _take(lib.brink_run_summary, self._with(summary=True).pointer).decode()

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary of ``brink run --json``: counts, warnings, events with values, near misses, slides.

        >>> import brink
        >>> brink.example("thermostat").run().summary["status"]
        'finished'
        """
        return dict(json.loads(self.json))

    @cached_property
    def condition(self) -> list[dict[str, Any]]:
        """How far each event can be trusted, as ``brink condition --json`` says it: a list over the events."""
        text = _take(lib.brink_run_summary, self._with(condition=True).pointer)
        return [e for e in json.loads(text)["events"]]

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Derivatives by knobs and initial values: of states over time, and of the times of events."""
        from brink._sensitivity import Sensitivity

        names = self._collect.sensitivity
        return Sensitivity(self._with(sensitivity=names if names is not None else ()))

    def sensitivity_by(self, *names: str) -> Sensitivity:
        """Derivatives by these: any real parameters, and states for their initial values; none: by all knobs."""
        from brink._sensitivity import Sensitivity

        return Sensitivity(self._with(sensitivity=names))

    def plot(
        self,
        *names: str,
        ax: Axes | None = None,
        events: bool | str | Sequence[str] = True,
        modes: bool | str | Sequence[str] = True,
        title: str | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Any:
        """Draws columns over time, with matplotlib: a figure with an axis for each unit; in `ax`, that alone.

        names     of columns; "car.x" are those of all cars. Without them: outputs that move, else states; states beside a single
                  output, too. Not more than eight; what is left out is said below the picture
        events    marks where events are, upwards where a guard rose; False: none; names of flags: only these
        modes     bands for texts and truth values; False: none; names: only these

        Between rows the curves come from the dense output. A jump is a gap with a dotted line; what changes at instants alone is a
        staircase. The figure is one of its own: a notebook shows it once, as the value of a cell. In a script with windows,
        ``matplotlib.pyplot.show()`` shows it; else ``figure.savefig("x.png")``.

        >>> import brink
        >>> figure = brink.example("thermostat").run().plot()
        >>> figure.axes[0].get_ylabel()
        'room.temperature [degC]'
        """
        from brink import _plot

        return _plot.draw(
            self._plot_source(), names, ax=ax, events=events, modes=modes, title=title, figsize=figsize
        )

    def _plot_source(self) -> _plot.Source:
        from brink import _plot

        events = self.events
        return _plot.Source(
            t=self.t,
            columns=self._columns[0],
            numbers=self._numbers[:, 1:],
            event_t=events.t,
            event_name=events.flag.tolist(),
            event_direction=events.direction,
            sample=self._sample,
            constants=self._columns[1].place,
        )

    # ---- agents ----

    def _axes_of(self, group: str, axes: Sequence[str]) -> list[_agents.Axis]:
        from brink import _agents

        return _agents.find_axes(self._columns[0], self._columns[1], group, axes)

    def agents(self, group: str, axis: str = "x") -> list[str]:
        """The names of the agents of a population that have a coordinate, in the order of `positions`.

        >>> import brink
        >>> brink.example("bumper-cars").run(until=1).agents("car")[:3]
        ['car[1]', 'car[2]', 'car[3]']
        """
        return self._axes_of(group, [axis])[0].agents

    def positions(
        self, group: str, axes: Sequence[str] = ("x", "y"), t: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Where the agents of a population are: times × agents × coordinates, agents in the order of their indices.

        group    their name without index: "car" has car[1], car[2], …; "fleet.car[2]" is one of them
        axes     the coordinates: states, outputs, variables, or parameters that hold still. Also elements: ("p[1]", "p[2]")
        t        times; at an event the values after it. None: those of the rows, without a copy where it can be. One time:
                 agents × coordinates

        >>> import brink, numpy as np
        >>> r = brink.example("bumper-cars").run(until=10)
        >>> r.positions("car").shape == (len(r.t), 20, 2)
        True
        >>> r.positions("car", t=np.linspace(0, 10, 101)).shape
        (101, 20, 2)
        """
        from brink import _agents

        found = self._axes_of(group, axes)
        constants = self._columns[2]
        if t is None:
            return _agents.pick_axes(self._numbers[:, 1:], constants, found)
        times = np.array(t, np.float64)
        if times.ndim > 1:
            raise _errors.ArgumentError(f"times are a number or a sequence, not {times.ndim}-D")
        places = _agents.moving_places(found)
        values = self._sample(times.ravel(), places)
        picked = _agents.pick_axes(values, constants, _agents.renumber(found, places))
        return picked.reshape(picked.shape[0 if times.ndim else 1 :])

    def animate(
        self,
        group: str,
        axes: Sequence[str] = ("x", "y"),
        *,
        t: ArrayLike | None = None,
        interval: float = 40.0,
        trail: int = 15,
        ax: Axes | None = None,
    ) -> FuncAnimation:
        """A moving picture of a population, with matplotlib. In a notebook: ``IPython.display.HTML(animation.to_jshtml())``.

        t          the times of the frames; None: 200 of them, from the start to the end
        interval   between frames, in milliseconds
        trail      how many frames back the lines behind the agents reach; 0: none
        """
        from brink import _agents

        _agents.check_plane(axes)
        times = np.linspace(self.t[0], self.t_end, 200) if t is None else np.array(t, np.float64)
        if times.ndim != 1 or len(times) == 0:
            raise _errors.ArgumentError("t: give a sequence of times, one for each frame")
        labels = (f"{group}.{axes[0]}", f"{group}.{axes[1]}")
        points = self.positions(group, axes, times)
        return _agents.animate(times, points, labels, ax=ax, interval=interval, trail=trail)

    # ---- files and pages ----

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, one page for a browser.

        >>> import brink, os, tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     brink.example("thermostat").run().report(os.path.join(place, "x.html"))
        ...     os.listdir(place)
        ['x.html']
        """
        diag = new_diag()
        run = self._with(report=True).pointer
        check(lib.brink_run_write_report(run, encode(path), diag), diag)

    def report_html(self) -> str:
        """The page of the report."""
        return _take(lib.brink_run_report, self._with(report=True).pointer).decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes rows and events to a file: .csv, .mat or .h5.

        >>> import brink, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     path = pathlib.Path(place, "x.csv")
        ...     brink.example("thermostat").run().save(path)
        ...     print(path.read_text().splitlines()[0])
        time,room.T,room.heater,room.temperature
        """
        self._repeat(Collect(keep=self._collect.keep, save=encode(os.path.abspath(path))))

    def _repr_html_(self) -> str:
        from brink import _html

        return _html.of_result(self)

    def __repr__(self) -> str:
        many = f"{len(self._numbers)} rows, {len(self.events)} events"
        why = f" ({self.reason})" if self.reason else ""
        return f"<brink.Result: {self.status}{why} at t = {self.t_end:g}, {many}>"
