"""A run of the library and what lives as long as it does."""

from __future__ import annotations

import threading
from typing import Any

from brink._errors import ArgumentError
from brink._library import check, ffi, lib, new_diag

__all__ = ["RunHandle"]


class RunHandle:
    """Owns a brink_run. One thread at a time may use it: a second one is refused, because it would find the run half-way."""

    __slots__ = ("keep", "lock", "pointer")

    def __init__(self, pointer: Any, keep: Any = None) -> None:
        self.pointer = ffi.gc(pointer, lib.brink_run_destroy)
        self.keep = keep  #: inputs that are Python functions
        self.lock = threading.Lock()

    def __enter__(self) -> Any:
        """The pointer, for a call that nobody else may interfere with."""
        if not self.lock.acquire(blocking=False):
            raise ArgumentError("this run is under way: in another thread, or around this call")
        return self.pointer

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    def repeat(self, *, conditions: bool = False) -> RunHandle:
        """A second run at the start, which takes the same steps."""
        made, diag = ffi.new("brink_run **"), new_diag()
        with self as pointer:
            check(lib.brink_run_repeat(pointer, conditions, diag, made), diag)
        return RunHandle(made[0], self.keep)

    def clone(self) -> RunHandle:
        """A second run at the present."""
        made, diag = ffi.new("brink_run **"), new_diag()
        with self as pointer:
            check(lib.brink_run_clone(pointer, diag, made), diag)
        return RunHandle(made[0], self.keep)
