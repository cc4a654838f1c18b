"""A model in Python, as its user gave it."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from brink._guards import Clock, Constraints, Guard
from brink._instant import Env
from brink._named import Names, tuple_type
from brink._sparsity import Sparsity

__all__ = ["Definition"]


class Definition:
    """A model in Python, checked as far as Python knows it; the library checks the rest."""

    def __init__(self) -> None:
        self.name = "ode"
        self.f: Any = None
        self.t0 = 0.0
        self.x0: NDArray[np.float64] = np.empty(0)
        self.p0: NDArray[np.float64] = np.empty(0)
        self.mode0: NDArray[np.intc] = np.empty(0, np.intc)
        self.states = Names([], "state")
        self.parameters = Names([], "parameter")
        self.modes = Names([], "mode")
        self.named_parameters = self.named_modes = False
        self.guards: list[Guard] = []
        self.guard_names = Names([], "guard")
        self.clocks: list[Clock] = []
        self.clock_names = Names([], "clock")
        self.rules: Callable[..., Any] | None = None
        self.zeno: Callable[..., Any] | None = None
        self.jacobian: Any = None
        self.sparsity: Sparsity | None = None
        self.strict_surfaces = False
        self.series: Any = None
        self.constraints: Constraints | None = None
        # of solve_ivp
        self.reads_env = True
        self.backward = False
        self.complex = False
        self.scale: NDArray[np.float64] | None = None

    @property
    def nx(self) -> int:
        return len(self.x0)

    @property
    def nparameters(self) -> int:
        return len(self.p0)

    @property
    def nmodes(self) -> int:
        return len(self.mode0)

    def make_env(self) -> Callable[[Any, Any, Any], Env]:
        p_of: Any = tuple_type(self.parameters)._make if self.named_parameters else _frozen
        mode_of: Any = tuple_type(self.modes)._make if self.named_modes else tuple
        sgn_of: Any = tuple_type(self.guard_names)._make

        def make(p: Any, mode: Any, sgn: Any) -> Env:
            named = p.tolist() if self.named_parameters else p
            return Env(p_of(named), mode_of(mode.tolist()), sgn_of(sgn.tolist()))

        return make


def _frozen(values: NDArray[np.float64]) -> NDArray[np.float64]:
    copy = values.copy()
    copy.flags.writeable = False
    return copy
