"""One simulation of a model in Python: the library's objects."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from brink import _guards
from brink._bindings import Bindings
from brink._definition import Definition
from brink._errors import ArgumentError
from brink._instant import OdeEvent, Slide, floats, memory, read_event, read_slide
from brink._library import check, ffi, lib, new_diag

__all__ = ["Simulation", "Unique"]


class Unique:
    """What cannot be copied or pickled."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: it holds memory of the library "
            "and callables. Keep its arrays, or make it anew"
        )


class Simulation(Unique, Bindings):
    """A model of its own, a sim, its history and its sensitivity.

    A sim belongs to one thread at a time, and is not moved from inside its own callbacks: `alone`
    sees to that.
    """

    # What __del__ finds if nothing was made.
    sim: Any = ffi.NULL
    history: Any = ffi.NULL
    model: Any = ffi.NULL
    ode: Any = ffi.NULL

    def __init__(self, definition: Definition) -> None:
        self.lock = threading.Lock()
        self.directions: tuple[str, ...] | None = None
        self.is_clone = False  #: of a run with derivatives, which it has not
        super().__init__(definition)

    def __del__(self) -> None:
        # In this order: each reads those behind it.
        lib.brink_history_destroy(self.history)
        if self.ode != ffi.NULL:
            lib.brinkpy_ode_release(self.ode)
        lib.brink_sim_destroy(self.sim)
        lib.brink_model_destroy(self.model)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For a call that nobody else may interfere with."""
        if not self.lock.acquire(blocking=False):
            raise ArgumentError("this run is under way: in another thread, or around this call")
        try:
            yield
        finally:
            self.lock.release()

    # ---- the sim ----

    def begin(self, options: Any, dense: bool, directions: Sequence[str] | None = None) -> None:
        """A new sim, at its start. `directions`: names that it is differentiated by."""
        made, diag = ffi.new("brink_sim **"), new_diag()
        self.check(lib.brink_sim_create(self.model, options, ffi.NULL, diag, made), diag)
        self.sim = made[0]
        if directions is not None:
            self._differentiate(directions)
        self._observe(dense)

    def _differentiate(self, directions: Sequence[str]) -> None:
        d, diag = self.definition, new_diag()
        self.directions = tuple(directions)
        x = np.zeros((max(d.nx, 1), len(directions)))
        p = np.zeros((max(d.nparameters, 1), len(directions)))
        for k, name in enumerate(directions):
            if name in d.states:
                x[d.states.index(name), k] = 1.0
            else:
                p[d.parameters.index(name), k] = 1.0
        status = lib.brinkpy_ode_differentiate(
            self.ode,
            self.sim,
            len(directions),
            ffi.from_buffer("double[]", x),
            ffi.from_buffer("double[]", p),
            diag,
        )
        self.check(status, diag)

    def reset(self) -> None:
        diag = new_diag()
        self.check(lib.brink_sim_reset(self.sim, diag), diag)
        lib.brinkpy_ode_reset(self.ode, self.sim)
        self.slides.clear()
        self.near_misses.clear()
        for k, guard in enumerate(self.definition.guards):
            self.ode.guards[k].stop_after = _guards.stop_count(
                guard.stop, self.definition.guard_names.all[k]
            )

    def check_memory(self) -> None:
        """A record that could not grow: what it holds is not the whole run."""
        if self.ode.out_of_memory:
            raise MemoryError("no memory for the derivatives of a run")
        if (
            lib.brink_history_at(self.history, ffi.NULL, 0, ffi.NULL, ffi.NULL)
            == lib.BRINK_ERR_MEMORY
        ):
            raise MemoryError("no memory for the history of a run")

    def begin_as(self, other: Simulation, dense: bool) -> None:
        """A clone of another one, which has an equal definition."""
        made, diag = ffi.new("brink_sim **"), new_diag()
        self.check(lib.brink_sim_clone(other.sim, self.model, ffi.NULL, diag, made), diag)
        self.sim = made[0]
        for k in range(len(self.definition.guards)):
            self.ode.guards[k].stop_after = other.ode.guards[k].stop_after
        self._observe(dense)

    def _observe(self, dense: bool) -> None:
        definition, made, diag = (
            ffi.new("brink_history_def *"),
            ffi.new("brink_history **"),
            new_diag(),
        )
        lib.brink_history_defaults(definition, ffi.sizeof("brink_history_def"))
        definition.dense = dense
        check(lib.brink_history_create(self.sim, definition, ffi.NULL, diag, made), diag)
        self.history = made[0]
        lib.brinkpy_ode_sink(self.ode, self.sim)

    def check(self, status: int, diag: Any) -> None:
        """After a call that may have called back."""
        self.raise_failure()
        check(status, diag)

    def raise_failure(self) -> None:
        """What a callback has raised comes out here, as itself."""
        exception = self.failure.take()
        if exception is None:
            return
        if hasattr(exception, "add_note") and not isinstance(exception, KeyboardInterrupt):
            where = "" if self.sim == ffi.NULL else f", after t = {self.time!r}"
            exception.add_note(f"brink: raised in {self.failure.where.rstrip(',')}{where}")
        try:
            raise exception
        finally:
            del exception  # no cycle with its traceback

    @property
    def time(self) -> float:
        return float(lib.brink_sim_time(self.sim))

    def state(self) -> NDArray[np.float64]:
        return floats(lib.brink_sim_state(self.sim), self.definition.nx).copy()

    def parameters(self) -> NDArray[np.float64]:
        return floats(lib.brink_sim_parameters(self.sim), self.definition.nparameters).copy()

    def modes(self) -> NDArray[Any]:
        return memory(lib.brink_sim_modes(self.sim), self.definition.nmodes, np.intc).copy()

    def signs(self) -> NDArray[Any]:
        return memory(lib.brink_sim_signs(self.sim), len(self.definition.guards), np.int8).copy()

    def slides_under_way(self) -> list[Slide]:
        count = lib.brink_sim_slides(self.sim, ffi.NULL, 0)
        records = ffi.new("brink_slide_record[]", max(count, 1))
        lib.brink_sim_slides(self.sim, records, count)
        return [read_slide(records[k]) for k in range(count)]

    def last_events(self) -> list[OdeEvent]:
        count = ffi.new("size_t *")
        events = lib.brink_sim_events(self.sim, count)
        return [read_event(events[k]) for k in range(count[0])]
