"""Values that have names: parameters, modes, signs, states."""

from __future__ import annotations

import collections
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brink._errors import ArgumentError

__all__ = ["Names", "Vector", "tuple_type"]


class Names:
    """Names of one kind, in order.

    >>> names = Names(["h", "v"], "state")
    >>> names.index("v"), names.index(0), len(names)
    (1, 0, 2)
    """

    __slots__ = ("kind", "all", "_places")

    def __init__(self, names: Iterable[str], kind: str) -> None:
        self.kind = kind
        self.all = tuple(names)
        for name in self.all:
            if not isinstance(name, str) or not name:
                raise ArgumentError(f"the name of a {kind} is {name!r}: give a text")
        self._places = {name: k for k, name in enumerate(self.all)}
        if len(self._places) < len(self.all):
            twice = next(name for name in self.all if self.all.count(name) > 1)
            raise ArgumentError(f"two {kind}s have the name {twice!r}")

    def __len__(self) -> int:
        return len(self.all)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def index(self, name: str | int) -> int:
        """Where it is; names and numbers are accepted."""
        if isinstance(name, str) and name in self._places:
            return self._places[name]
        if (
            isinstance(name, (int, np.integer))
            and not isinstance(name, bool)
            and 0 <= name < len(self.all)
        ):
            return int(name)
        known = ", ".join(map(repr, self.all[:12])) + (", …" if len(self.all) > 12 else "")
        raise ArgumentError(f"there is no {self.kind} {name!r}; there are: {known or 'none'}")


def no_attribute(owner: str, name: str, known: Sequence[str], more: str = "") -> AttributeError:
    """For what would be assigned in silence and read by nobody."""
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
    return AttributeError(f"{owner}.{name} cannot be assigned; {more or hint}")


class Vector(np.ndarray[Any, Any]):
    """An array whose elements have names, too: ``v["h"]``, ``v.h``. Parts of it are plain
    arrays."""

    _names: Names | None

    def __array_finalize__(self, source: Any) -> None:
        self._names = None

    def __array_wrap__(self, array: Any, context: Any = None) -> Any:
        return np.asarray(array)[()]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return np.ndarray.__getitem__(self, self._index(key))
        value = np.ndarray.__getitem__(self, key)
        if self.dtype.kind == "i":
            return value  # whose parts refuse what is not whole, too
        return value.view(np.ndarray) if isinstance(value, np.ndarray) else value

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._index(key) if isinstance(key, str) else key
        if self.dtype.kind == "i":  # NumPy would round it, or take it modulo 2**32
            what = f"{self._names.kind} {key!r}" if self._names else "values"
            value = as_array(value, what, self.dtype)
        super().__setitem__(place, value)  # type: ignore[no-untyped-call]

    def __getattribute__(self, name: str) -> Any:
        # Names come first: a temperature T is no transposed array.
        names = object.__getattribute__(self, "__dict__").get("_names")
        if names is not None and name in names:
            return np.ndarray.__getitem__(self, names.index(name))
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        names = self.__dict__.get("_names")
        if names is not None and name in names:
            self[name] = value
        elif name == "_names" or hasattr(np.ndarray, name):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f"there is no {names.kind if names else 'value'} {name!r}")

    def _index(self, name: str) -> int:
        if self._names is None:
            raise ArgumentError(f"{name!r}: these values have no names")
        return self._names.index(name)


def vector(values: NDArray[Any], names: Names) -> Vector:
    """A copy of `values`, with names."""
    made = np.array(values).view(Vector)
    made._names = names
    return made


def _at(self: Any, key: Any) -> Any:
    return tuple.__getitem__(self, self._names.index(key) if isinstance(key, str) else key)


def _show(self: Any) -> str:
    return "(" + ", ".join(f"{name}={value!r}" for name, value in zip(self._names.all, self)) + ")"


def tuple_type(names: Names) -> Any:
    """A tuple whose elements have names: fast to read as attributes, and what somebody keeps does
    not change.

    >>> point = tuple_type(Names(["x", "far away"], "place"))._make((1.0, 2.0))
    >>> point.x, point["far away"], point[1]
    (1.0, 2.0, 2.0)
    """
    fields = collections.namedtuple("fields", names.all, rename=True)  # type: ignore[misc]
    members = {"__slots__": (), "_names": names, "__getitem__": _at, "__repr__": _show}
    return type(f"{names.kind}s", (fields,), members)


def named_values(
    given: Any, kind: str, dtype: Any, names: Sequence[str] | None = None
) -> tuple[NDArray[Any], Names | None]:
    """Numbers, and their names if they have any: a mapping, or a sequence with `names`."""
    if isinstance(given, Mapping):
        if names is not None:
            raise ArgumentError(f"the {kind}s have names twice: in the mapping and besides")
        names, given = list(given.keys()), list(given.values())
    values = as_array(given, f"the {kind}s", dtype)
    if values.ndim != 1:
        raise ArgumentError(
            f"the {kind}s are an array of shape {values.shape}: give one number for each"
        )
    if names is None:
        return values, None
    known = Names(names, kind)
    if len(known) != len(values):
        raise ArgumentError(f"{len(values)} {kind}s, but {len(known)} names")
    return values, known


def as_array(given: Any, what: str, dtype: Any) -> NDArray[Any]:
    """Real numbers, or whole ones, as an array of its own."""
    try:
        array = np.asarray(given)
        if array.dtype.kind == "O" or array.size == 0:
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what}: {given!r} are not numbers") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{what}: {given!r} are not real numbers")
    if np.dtype(dtype).kind == "i":
        whole = np.asarray(array, dtype=float)
        limits = np.iinfo(dtype)
        if not np.all((whole == np.floor(whole)) & (whole >= limits.min) & (whole <= limits.max)):
            raise ArgumentError(f"{what}: {given!r} are not whole numbers of 32 bits")
    return np.array(array, dtype=dtype)
