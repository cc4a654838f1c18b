"""Columns of a trajectory as NumPy arrays, by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from brink._library import decode, decode_list, lib

if TYPE_CHECKING:
    import pandas

__all__ = ["Column", "Columns", "Table"]

_INDEX = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class Column:
    """What one column of a table is.

    >>> import brink
    >>> column = brink.example("thermostat").run(until=1).table.columns[1]
    >>> column.name, column.kind, column.labels
    ('room.heater', 'mode', ('off', 'on'))
    """

    name: str  #: "plant.h", "car[3].x", "x'"
    kind: str  #: "state", "mode", "output", "input", "variable", "parameter", "derivative", "flag"
    unit: str  #: "": none
    type: int  #: brink_hsml_type
    labels: tuple[str, ...]  #: of a string: its texts

    @classmethod
    def read(cls, c: Any) -> Column:
        return cls(
            decode(c.name),
            decode(c.kind),
            decode(c.unit),
            c.type,
            tuple(decode_list(c.labels, c.nlabels)),
        )

    def convert(self, numbers: NDArray[np.float64]) -> NDArray[Any]:
        """Numbers as the language sees them: reals stay, without a copy; texts, truth values and integers."""
        if self.type == lib.BRINK_HSML_STRING:
            texts = np.array([*self.labels, ""])
            codes = np.where((numbers >= 0) & (numbers < len(self.labels)), numbers, -1)
            return np.asarray(texts[codes.astype(np.intp)])
        if self.type == lib.BRINK_HSML_BOOLEAN:
            return np.asarray(numbers != 0)
        if self.type == lib.BRINK_HSML_INTEGER and bool(np.isfinite(numbers).all()):
            return numbers.astype(np.int64)
        return numbers


def _bare(name: str) -> str:
    return _INDEX.sub("", name)


def _indices(name: str) -> tuple[int, ...]:
    return tuple(int(k) for part in _INDEX.findall(name) for k in part.split(","))


def _grid_shape(indices: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The shape of an array whose elements are these, all of them, in order; None: they are not."""
    if not indices[0] or any(len(k) != len(indices[0]) for k in indices):
        return None
    shape = tuple(max(axis) for axis in zip(*indices))
    whole = [tuple(k + 1 for k in index) for index in np.ndindex(shape)]
    return shape if whole == indices else None


class Columns:
    """Which columns there are: found by name, elements also by what they have in common."""

    def __init__(self, columns: list[Column]) -> None:
        self.list = columns
        self.place = {c.name: k for k, c in enumerate(columns)}
        self._groups: dict[str, list[int]] | None = None

    @property
    def groups(self) -> dict[str, list[int]]:
        """The places of "car[1].x", "car[2].x", … by "car.x"."""
        if self._groups is None:
            self._groups = {}
            for k, column in enumerate(self.list):
                if "[" in column.name:
                    self._groups.setdefault(_bare(column.name), []).append(k)
        return self._groups

    def find(self, name: str) -> tuple[list[int], tuple[int, ...] | None]:
        """The places of a name, and the shape of the array that they make; None: it is one column."""
        if name in self.place:
            return [self.place[name]], None
        places = self.groups.get(name)
        if places is None:
            raise KeyError(self._unknown(name))
        shape = _grid_shape([_indices(self.list[k].name) for k in places])
        return places, shape if shape is not None else (len(places),)

    def _unknown(self, name: str) -> str:
        there = [*self.place, *self.groups]
        near = difflib.get_close_matches(name, there, 1)
        if near:
            return f"there is no column {name!r}; did you mean {near[0]!r}?"
        some = ", ".join(there[:8]) + (", …" if len(there) > 8 else "")
        return f"there is no column {name!r}; there are {some}" if some else f"no column {name!r}"


def _pick(values: NDArray[np.float64], places: list[int]) -> NDArray[np.float64]:
    """Columns of a matrix, without a copy where they are neighbours."""
    first, last = places[0], places[-1]
    if places == list(range(first, last + 1)):
        return values[:, first : last + 1]
    return values[:, places]


class Table(Mapping[str, NDArray[Any]]):
    """Values over time, by name.

    ``table["plant.h"]`` is an array over ``table.t``; ``table["car.x"]`` has a column for each car. Of one moment, values are numbers
    and texts instead of arrays. Reals are not copied.

    >>> import brink
    >>> r = brink.example("thermostat").run(until=24)
    >>> r.table["room.heater"][[0, -1]].tolist(), r.table.unit("room.temperature"), r.table.kind("room.heater")
    (['on', 'on'], 'degC', 'mode')
    >>> r.final["room.heater"], round(r.final["room.T"], 4)
    ('on', 19.6667)
    """

    def __init__(
        self,
        t: NDArray[np.float64] | float,
        array: NDArray[np.float64],
        columns: Columns,
        constants: Columns,
        constant_values: NDArray[np.float64],
    ) -> None:
        self.t = t  #: times; of one moment a number
        self.array = array  #: a row for each time, a column for each name that is no constant
        self._columns = columns
        self._constants = constants
        self._constant_values = constant_values

    @property
    def columns(self) -> list[Column]:
        """What the columns of `array` are."""
        return list(self._columns.list)

    @property
    def names(self) -> list[str]:
        """The names of all columns, then those of constants."""
        return [*self._columns.place, *self._constants.place]

    def __len__(self) -> int:
        return len(self._columns.list) + len(self._constants.list)

    def __iter__(self) -> Iterator[str]:
        yield from self._columns.place
        yield from self._constants.place

    def __contains__(self, name: object) -> bool:
        try:
            self._find(name)
        except (KeyError, TypeError):
            return False
        return True

    def _find(self, name: Any) -> tuple[Columns, list[int], tuple[int, ...] | None]:
        if not isinstance(name, str):
            raise TypeError(f"columns are found by their names, not by {name!r}")
        of = self._columns
        if name not in of.place and name not in of.groups:
            constants = self._constants
            if name in constants.place or name in constants.groups:
                of = constants
        return of, *of.find(name)

    def __getitem__(self, name: str) -> NDArray[Any]:
        of, places, shape = self._find(name)
        if of is self._constants:
            numbers = self._constant_values[np.newaxis, :]
            numbers = np.broadcast_to(numbers, (len(self.array), numbers.shape[1]))
        else:
            numbers = self.array
        column = of.list[places[0]]
        picked = column.convert(_pick(numbers, places))
        picked = picked[:, 0] if shape is None else picked.reshape(len(picked), *shape)
        if not isinstance(self.t, np.ndarray):
            return picked[0].item() if picked.ndim == 1 else picked[0]
        return picked

    def unit(self, name: str) -> str:
        """The unit of a column; "": it has none."""
        of, places, _ = self._find(name)
        return of.list[places[0]].unit

    def kind(self, name: str) -> str:
        """ "state", "mode", "output", "input", "variable", "parameter", "derivative" or "flag"."""
        of, places, _ = self._find(name)
        return of.list[places[0]].kind

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with a column for each name, over time (constants are left out).

        >>> import brink
        >>> frame = brink.example("thermostat").run(until=24).table.to_pandas()
        >>> list(frame.columns), frame.index.name
        (['room.T', 'room.heater', 'room.temperature'], 't')
        """
        import pandas

        times = np.atleast_1d(np.asarray(self.t))
        data = {c.name: c.convert(self.array[:, k]) for k, c in enumerate(self._columns.list)}
        return pandas.DataFrame(data, index=pandas.Index(times, name="t"))

    def __repr__(self) -> str:
        if not isinstance(self.t, np.ndarray):
            pairs = ", ".join(f"{n!r}: {self[n]!r}" for n in self._columns.place)
            return f"<values at t = {self.t:g}: {{{pairs}}}>"
        return f"<table of {len(self.t)} rows: {', '.join(self._columns.place)}>"

    def _repr_html_(self) -> str:
        from brink import _html

        return _html.of_table(self)
