"""A run that is driven from Python: step by step, event by event, with changes in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from brink import _errors
from brink._events import Events
from brink._handle import RunHandle
from brink._library import check, decode, decode_or_none, encode, ffi, lib, move, new_diag
from brink._result import Collect, Result
from brink._stats import Stats, stats_of_run

__all__ = ["Run", "Step"]


@dataclass(frozen=True)
class Step:
    """Where a call has led.

    >>> import brink
    >>> brink.example("bouncing-ball").start(until=1).to(0.25)
    Step(t=0.25, outcome='end')
    """

    t: float  #: the present
    outcome: str  #: "step", "event" (there is more), "end" (the time asked for), "stopped" (by the model)

    @property
    def more(self) -> bool:
        """Is there more to come?"""
        return self.outcome in ("step", "event")


OUTCOMES = {
    lib.BRINK_STEPPED: "step",
    lib.BRINK_EVENT: "event",
    lib.BRINK_TIME_REACHED: "end",
    lib.BRINK_STOPPED: "stopped",
}


class Run:
    """A run under way, made by `Model.start`.

    ``run.step()``, ``run.next_event()`` and ``run.to(t)`` move it; ``run["h"]`` reads a value, ``run["h"] = 0.3`` writes one;
    `clone` makes a second run at the same point; `finish` ends it and gives the result. ``for step in run`` goes to the end. One
    thread at a time may use it.

    >>> import brink
    >>> run = brink.example("bouncing-ball").start(until=2)
    >>> run.next_event().outcome, run["ball.v"] > 0
    ('event', True)
    >>> run["ball.v"] = 9.81                                # a kick
    >>> run.to(run.t + 1).t > 1, round(run["ball.y"], 6)    # 9.81*1 - 9.81*1**2/2
    (True, 4.905)
    >>> len(run.finish().events)
    1
    """

    def __init__(self, begin: Callable[[], tuple[RunHandle, float]], collect: Collect) -> None:
        self._begin = begin
        self._collect = collect
        self._handle, self._until = begin()
        self._found: dict[str, Any] = {}
        self._result: Result | None = None
        self._stops: list[float] = []  # where calls ended: a step ended there, too

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{name!r} cannot be set; a value of the model is run[{name!r}] = …")
        object.__setattr__(self, name, value)

    # ---- moving ----

    def _limit(self, t: float | None) -> float:
        limit = self._until if t is None else float(t)
        if math.isnan(limit):
            raise _errors.ArgumentError(
                "say how far: until is not given" if t is None else "the time to go to is nan"
            )
        return limit

    def _move(self, call: Any, *times: float) -> Step:
        self._check_alive()
        diag = new_diag()
        with self._handle as run:
            status = move(call, run, *times, diag)
            if self._handle.keep is not None:
                self._handle.keep.reraise()
            if status < 0:
                self._fail(status, diag, run)
        if status == lib.BRINK_TIME_REACHED:
            self._stops.append(self.t)
        return Step(self.t, OUTCOMES.get(status, "end"))

    def _fail(self, status: int, diag: Any, run: Any) -> None:
        if status == lib.BRINK_ERR_ARGUMENT:
            check(status, diag)
        outcome = lib.brink_run_result(run)
        raise _errors.SimulationError(
            decode_or_none(outcome.message) or decode(diag.message),
            status=status,
            reason=decode(outcome.reason) if outcome.reason != ffi.NULL else "max-steps",
            t=outcome.t,
            hint=decode_or_none(outcome.hint),
        )

    def step(self, limit: float | None = None) -> Step:
        """To the end of the next step, or to the event there; never past `limit` (None: the end of the run).

        >>> import brink
        >>> run = brink.example("bouncing-ball").start(until=1)
        >>> run.step(limit=0.1).t <= 0.1
        True
        """
        return self._move(lib.brinkpy_run_step, self._limit(limit))

    def next_event(self, limit: float | None = None) -> Step:
        """To the next event, at most to `limit`.

        >>> import brink
        >>> run = brink.example("bouncing-ball").start(until=1)
        >>> run.next_event(limit=0.2)
        Step(t=0.2, outcome='end')
        >>> run.next_event().outcome
        'event'
        """
        return self._move(lib.brinkpy_run_next_event, self._limit(limit))

    def to(self, t: float | None = None) -> Step:
        """To t, past all events on the way. The last step ends there.

        >>> import brink
        >>> run = brink.example("thermostat").start(until=24)
        >>> run.to(5).t, run["room.heater"]
        (5.0, 'off')
        """
        return self._move(lib.brinkpy_run_to, self._limit(t))

    def __iter__(self) -> Iterator[Step]:
        """Steps and events until the end of the run."""
        while True:
            step = self.step()
            yield step
            if not step.more:
                return

    # ---- values ----

    @property
    def t(self) -> float:
        """The present."""
        return float(lib.brink_run_time(self._handle.pointer))

    @property
    def until(self) -> float:
        """Where it is going to end; NaN: not given."""
        return self._until

    def _find(self, run: Any, name: str) -> Any:
        value = self._found.get(name)
        if value is None:
            if not isinstance(name, str):
                raise TypeError(f"values are found by their names, not by {name!r}")
            value, diag = ffi.new("brink_value *"), new_diag()
            status = lib.brink_run_find(run, encode(name), value, diag)
            if status == lib.BRINK_ERR_ARGUMENT:
                raise KeyError(decode(diag.message))
            check(status, diag)
            self._found[name] = value
        return value

    def __getitem__(self, name: str) -> float | int | bool | str:
        with self._handle as run:
            value = self._find(run, name)
            number = lib.brink_run_value(run, value[0])
            if self._handle.keep is not None:
                self._handle.keep.reraise()
            if value.type == lib.BRINK_HSML_STRING:
                return decode(lib.brink_run_text(run, number))
        if value.type == lib.BRINK_HSML_BOOLEAN:
            return bool(number)
        if value.type == lib.BRINK_HSML_INTEGER and math.isfinite(number):
            return int(number)
        return float(number)

    def __setitem__(self, name: str, value: float | bool | str) -> None:
        self._check_alive()
        diag = new_diag()
        with self._handle as run:
            self._find(run, name)
            key = encode(name)
            if isinstance(value, str):
                status = lib.brink_run_set_text(run, key, encode(value), diag)
            elif isinstance(value, (int, float, np.number, np.bool_)):
                status = lib.brink_run_set(run, key, float(value), diag)
            else:
                raise TypeError(f"{name}: a value is a number or a text, not {value!r}")
            check(status, diag)

    # ---- what happened ----

    @property
    def stats(self) -> Stats:
        with self._handle as run:
            return stats_of_run(run)

    @property
    def events(self) -> Events:
        """What has happened so far. (A copy: the run may go on.)"""
        with self._handle:
            return Result(self._handle, self._collect, self._until).events.copy()

    # ---- ends and branches ----

    def _check_alive(self) -> None:
        if self._result is not None:
            raise _errors.ArgumentError("the run is finished: reset it, or start another one")

    def clone(self) -> Run:
        """A second run at the same point. Both go on independently, and alike; what it records begins here.

        >>> import brink
        >>> run = brink.example("thermostat").start(until=24)
        >>> _ = run.to(5)
        >>> other = run.clone()
        >>> other["room.heater"] = "on"
        >>> other.to(6)
        Step(t=6.0, outcome='end')
        >>> _ = run.to(6)
        >>> other["room.T"] > run["room.T"]
        True
        """
        self._check_alive()
        twin = object.__new__(Run)
        twin._begin = self._begin
        twin._collect = self._collect
        twin._until = self._until
        twin._found = {}
        twin._result = None
        twin._stops = []
        twin._handle = self._handle.clone()
        self._collect.begin(twin._handle.pointer)
        return twin

    def reset(self) -> None:
        """Back to the start, with the values that it started with. Results that it has given stay.

        >>> import brink
        >>> run = brink.example("thermostat").start(until=24)
        >>> _ = run.to(5)
        >>> run.reset()
        >>> run.t, run["room.T"]
        (0.0, 20.0)
        """
        with self._handle:
            pass
        self._handle, self._until = self._begin()
        self._found = {}
        self._result = None
        self._stops = []

    def finish(self) -> Result:
        """Ends it here and gives the result.

        >>> import brink
        >>> with brink.example("thermostat").start(until=24) as run:
        ...     _ = run.to(5)
        >>> run.finish()
        <brink.Result: finished at t = 5, 53 rows, 1 events>
        """
        if self._result is None:
            diag = new_diag()
            with self._handle as run:
                check(lib.brink_run_finish(run, diag), diag)
            self._result = Result(self._handle, self._collect, self.t, stops=tuple(self._stops))
        return self._result

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish()

    def __repr__(self) -> str:
        return f"<brink.Run at t = {self.t:g}>"
