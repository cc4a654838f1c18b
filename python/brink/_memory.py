"""Memory of the library as NumPy arrays, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from brink._library import ffi

__all__ = ["view"]


class _Memory:
    """Bytes of the library for NumPy. Its arrays keep it alive, and it keeps their owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, pointer: Any, size: int, owner: object) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (int(ffi.cast("uintptr_t", pointer)), True),
        }


def view(
    pointer: Any, shape: tuple[int, ...], owner: object, dtype: DTypeLike = np.float64
) -> NDArray[Any]:
    """An array that looks at `pointer` without a copy; it is not to be written."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    if size == 0 or pointer == ffi.NULL:
        return np.empty(shape, kind)
    found: NDArray[Any] = np.asarray(_Memory(pointer, size, owner)).view(kind).reshape(shape)
    return found
