"""The events of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from brink._library import ffi
from brink._table import Table

if TYPE_CHECKING:
    import pandas

    from brink._result import Result

__all__ = ["Event", "Events"]


@dataclass(frozen=True)
class Event:
    """One event: a guard reached its surface, or was carried across it.

    >>> import brink
    >>> e = brink.example("bouncing-ball").run(until=1).events[0]
    >>> e.flag, e.direction, round(e.t, 6)
    ('ball.ground', -1, 0.451524)
    >>> round(e.before["ball.v"], 4), round(e.after["ball.v"], 4)
    (-4.4294, 3.5436)
    """

    t: float
    flag: str  #: "plant.empty", "w.rule[1]", "plant@12:7"
    direction: int  #: 1: the guard rose through zero; -1: it fell
    condition: float  #: NaN: not worked out (run with condition=True), or it has none
    generated: bool  #: the compiler made the flag: a corner of abs, a relation, …
    agents: tuple[str, ...]  #: of a pair: both; else ()
    row: int  #: of the table: the values before it
    _result: Result = field(repr=False, compare=False)

    @property
    def before(self) -> Table:
        """The values before it. Of more than a thousand agents events have no rows of their own: then these are the last recorded ones."""
        return self._result._moment(self.row)

    @property
    def after(self) -> Table:
        """The values after everything that happened at this instant."""
        return self._result._moment(self._result._row_after(self.row))


def _dtype() -> np.dtype[Any]:
    kind = ffi.typeof("brink_trajectory_event")
    formats = {
        "t": "<f8",
        "flag": "<u8",
        "row": "<i8",
        "condition": "<f8",
        "direction": "<i4",
        "generated": "?",
        "agents": ("<u8", (2,)),
    }
    return np.dtype(
        {
            "names": list(formats),
            "formats": list(formats.values()),
            "offsets": [ffi.offsetof(kind, name) for name in formats],
            "itemsize": ffi.sizeof(kind),
        }
    )


EVENT = _dtype()
_NOBODY = 2**64 - 1  # BRINK_NONE


class Events(Sequence[Event]):
    """The events of a run, in order: a sequence of `Event`, and columns as arrays.

    `t`, `direction` and `condition` are arrays, `flag` is an array of texts. ``events["plant.empty"]`` are those of one flag. What the
    compiler made itself is left out; `all` has it.

    >>> import brink
    >>> events = brink.example("thermostat").run(until=10).events
    >>> events.t.round(4), events.flag.tolist()
    (array([2.2314, 6.2861]), ['room.warm', 'room.cold'])
    >>> len(events["room.warm"]), events[-1].direction
    (1, -1)
    """

    def __init__(
        self,
        records: NDArray[Any],
        flags: list[str],
        agents: list[str],
        result: Result,
        chosen: NDArray[np.intp],
    ) -> None:
        self._records = records
        self._flags = flags
        self._agents = agents
        self._result = result
        self._chosen = chosen

    def _select(self, chosen: NDArray[Any]) -> Events:
        return Events(self._records, self._flags, self._agents, self._result, chosen)

    def copy(self) -> Events:
        """The same in memory of its own."""
        return Events(self._records.copy(), self._flags, self._agents, self._result, self._chosen)

    @property
    def all(self) -> Events:
        """Also those of flags that the compiler made: corners of abs, relations, …"""
        return self._select(np.arange(len(self._records)))

    @property
    def _rows(self) -> NDArray[Any]:
        return self._records[self._chosen]

    @property
    def t(self) -> NDArray[np.float64]:
        """Times."""
        return self._rows["t"].copy()

    @property
    def direction(self) -> NDArray[np.int32]:
        """1 where the guard rose, -1 where it fell."""
        return self._rows["direction"].copy()

    @property
    def condition(self) -> NDArray[np.float64]:
        """Condition numbers; NaN: not worked out."""
        return self._rows["condition"].copy()

    @property
    def flag(self) -> NDArray[np.str_]:
        """Names of flags."""
        return np.array([*self._flags, ""])[self._rows["flag"].astype(np.intp)]

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, which: int) -> Event: ...

    @overload
    def __getitem__(self, which: slice | str) -> Events: ...

    def __getitem__(self, which: int | slice | str) -> Event | Events:
        if isinstance(which, slice):
            return self._select(self._chosen[which])
        if isinstance(which, str):
            return self._of_flag(which)
        return self._event(self._records[self._chosen[which]])

    def _of_flag(self, name: str) -> Events:
        if name not in self._flags:
            return self._select(self._chosen[:0])
        return self._select(self._chosen[self._rows["flag"] == self._flags.index(name)])

    def _event(self, r: Any) -> Event:
        return Event(
            t=float(r["t"]),
            flag=self._flags[int(r["flag"])],
            direction=int(r["direction"]),
            condition=float(r["condition"]),
            generated=bool(r["generated"]),
            agents=tuple(self._agents[int(a)] for a in r["agents"] if int(a) != _NOBODY),
            row=int(r["row"]),
            _result=self._result,
        )

    def __iter__(self) -> Iterator[Event]:
        for k in self._chosen:
            yield self._event(self._records[k])

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with columns t, flag, direction, condition."""
        import pandas

        return pandas.DataFrame(
            {
                "t": self.t,
                "flag": self.flag,
                "direction": self.direction,
                "condition": self.condition,
            }
        )

    def __repr__(self) -> str:
        lines = [f"  t = {e.t:<22.17g} {e.flag} {'+' if e.direction > 0 else '-'}" for e in self[:20]]
        more = [f"  and {len(self) - 20} more"] if len(self) > 20 else []
        return "\n".join([f"<{len(self)} events>", *lines, *more])

    def _repr_html_(self) -> str:
        from brink import _html

        most = 20
        shown = self[:most]
        pairs = any(e.agents for e in shown)
        rows = [
            (f"{e.t:.12g}", e.flag, "+" if e.direction > 0 else "-", *([", ".join(e.agents)] if pairs else []))
            for e in shown
        ]
        caption = f"{len(self)} events" + (f", the first {most}" if len(self) > most else "")
        return _html.table(["t", "flag", "direction", *(["agents"] if pairs else [])], rows, caption)
