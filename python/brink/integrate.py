"""`solve_ivp` with the signature and the result of scipy.integrate's.

    from brink.integrate import solve_ivp      # instead of: from scipy.integrate import solve_ivp
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from brink._callables import native_of
from brink._errors import SimulationError
from brink._guards import Guard
from brink._library import ffi, lib
from brink._memory import view
from brink._named import Names
from brink._ode import METHODS as BRINK_METHODS
from brink._ode import OdeRun, make_options
from brink._definition import Definition
from brink._simulation import Simulation
from brink._sparsity import sparsity_of
from brink._solution import at_times, events_of

__all__ = ["OdeResult", "OdeSolution", "solve_ivp"]

Array = NDArray[Any]

#: SciPy's methods and what runs instead of them.
METHODS = {
    "RK23": "dopri",
    "RK45": "dopri",
    "DOP853": "adams",
    "Radau": "bdf",
    "BDF": "bdf",
    "LSODA": "auto",
}

_EPS = float(np.finfo(float).eps)
_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
}
_JACOBIAN_OPTIONS = ("jac", "jac_sparsity", "lband", "uband")
_OPTIONS = ("first_step", "max_step", "min_step", "rtol", "atol", *_JACOBIAN_OPTIONS)


class OdeResult(dict[str, Any]):
    """What `solve_ivp` returns: a dictionary whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __dir__(self) -> list[str]:
        return list(self.keys())

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(
            f"{key.rjust(width)}: {_indented(value, width + 2)}" for key, value in self.items()
        )


def _indented(value: Any, width: int) -> str:
    return repr(value).replace("\n", "\n" + " " * width)


class OdeSolution:
    """The solution at any time from `t_min` to `t_max`.

    ts   the ends of steps, in the order of the integration

    Other than SciPy's it does not extrapolate: a time outside raises `brink.ArgumentError`, a
    ValueError.
    """

    def __init__(self, simulation: Simulation, ts: Array) -> None:
        self._simulation = simulation
        self.ts = ts
        self.n_segments = len(ts) - 1
        self.t_min, self.t_max = float(ts.min()), float(ts.max())
        self.ascending = bool(ts[-1] >= ts[0])

    def __call__(self, t: ArrayLike) -> Array:
        """The solution at a time, shape (n,), or at an array of times, shape (n, n_points)."""
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        y = _solution_at(self._simulation, times.reshape(-1))
        return y[:, 0] if times.ndim == 0 else y


class _Constant:
    """The solution where nothing moves."""

    def __init__(self, ts: Array, y: Array) -> None:
        self.ts = ts
        self.n_segments = 1
        self.t_min, self.t_max = float(ts.min()), float(ts.max())
        self.ascending = bool(ts[-1] >= ts[0])
        self._y = y

    def __call__(self, t: ArrayLike) -> Array:
        shape = np.shape(t)
        return self._y.copy() if shape == () else np.repeat(self._y[:, None], shape[0], axis=1)


def _solution_at(simulation: Simulation, times: Array) -> Array:
    """(n, n_points)"""
    d = simulation.definition
    found = at_times(simulation, -times if d.backward else times, simulation.time)
    return (found.view(complex) if d.complex else found).T


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: ArrayLike,
    method: Any = "RK45",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Callable[..., Any] | Sequence[Callable[..., Any]] | None = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    **options: Any,
) -> OdeResult:
    """Solves an initial value problem, as ``scipy.integrate.solve_ivp`` does: same arguments, same
    result.

    fun          ``fun(t, y)``; or a C function (`brink.native`, ``numba.cfunc``, …), which is
                 called without entering Python
    t_span       (t0, tf); tf may be before t0
    y0           initial state; complex numbers are accepted
    method       SciPy's names, or Brink's:

                 ===================  ========  ==================================================
                 'RK45', 'RK23'       "dopri"   Runge-Kutta 5(4) of Dormand and Prince
                 'DOP853'             "adams"   variable order 1 to 12: for small tolerances
                 'Radau', 'BDF'       "bdf"     stiff: variable order 1 to 5
                 'LSODA'              "auto"    "adams", and "bdf" where the problem is stiff
                 ===================  ========  ==================================================

    t_eval       times at which the solution is wanted; None: those that the method chooses
    dense_output the solution as a function of time: ``sol``
    events       ``event(t, y)``, or several, with attributes ``terminal`` (bool, or a number of
                 occurrences) and ``direction``
    vectorized   fun accepts and returns arrays of shape (n, k)
    args         more arguments of fun, jac and events
    first_step, max_step, min_step   limits of steps
    rtol, atol   1e-3, 1e-6; the error of a step in y[i] is kept below rtol*abs(y[i]) + atol[i]. An
                 array of rtol: its smallest counts
    jac          of fun by y: a callable, a matrix, or a sparse one
    jac_sparsity, lband, uband   where jac is not zero

    Returns t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success.

    What differs from SciPy:

    - Events are searched for inside steps, where SciPy compares the signs at the ends of steps:
      several zeros of one event in a step are found. An event is known by its values only, and is
      sampled: zeros closer together than about 1/128 of a step may be missed. Give a max_step if
      an event changes faster than the solution.
    - An event that is zero at t0 and leaves zero is no event. In SciPy it is one, at t0.
    - An event that touches zero and turns back is none, either: in SciPy it is one if a step
    happens to end there.
    - Without t_eval the times of all events are in t, too, not only that of a terminal one.
    - Errors are controlled in each component, not in the mean of all: results are often more
    accurate.
    - ``sol`` does not extrapolate.
    - ``nfev`` counts evaluations for differences of the Jacobian, too.

    >>> from brink.integrate import solve_ivp
    >>> def upward_cannon(t, y): return [y[1], -0.5]
    >>> def hit_ground(t, y): return y[0]
    >>> hit_ground.terminal = True
    >>> hit_ground.direction = -1
    >>> def apex(t, y): return y[1]
    >>> events = (hit_ground, apex)
    >>> sol = solve_ivp(upward_cannon, [0, 100], [0, 10], events=events, dense_output=True)
    >>> sol.status, sol.t_events[0].round(9), sol.t_events[1].round(9)
    (1, array([40.]), array([20.]))
    >>> sol.sol(20.0).round(9) + 0.0
    array([100.,   0.])
    """
    name = _method(method)
    t0, tf = map(float, t_span)
    y = _initial(y0)
    _check_args(args)
    times = None if t_eval is None else _check_t_eval(np.asarray(t_eval), t0, tf)
    tolerances = _tolerances(options, name, t0, tf, len(y))
    functions = _listed(events)
    guards = [_guard(event, k, args) for k, event in enumerate(functions or [])]
    d = _definition(fun, t0, tf, y, vectorized, args, options, guards, tolerances)
    if len(y) == 0 or t0 == tf:
        return _still(t0, tf, y, times, dense_output, functions)
    made, kept = make_options(d, tolerances)
    simulation = Simulation(d)
    simulation.begin(made, bool(dense_output) or times is not None)
    del kept
    status, message = _run(simulation, -tf if d.backward else tf)
    return _result(simulation, status, message, times, dense_output, functions is not None)


def _still(
    t0: float, tf: float, y: Array, times: Array | None, dense: bool, functions: Any
) -> OdeResult:
    """Nothing moves: no time, or no states."""
    t = np.array([t0, tf]) if times is None else times
    none = None if functions is None else [np.empty(0) for _ in functions]
    return OdeResult(
        t=t,
        y=np.repeat(y[:, None], len(t), axis=1),
        sol=_Constant(np.array([t0, tf]), y) if dense else None,
        t_events=none,
        y_events=none,
        nfev=0,
        njev=0,
        nlu=0,
        status=0,
        message=_MESSAGES[0],
        success=True,
    )


def _run(simulation: Simulation, end: float) -> tuple[int, str]:
    run = OdeRun(simulation, end, 0, True)
    try:
        run.to()
    except SimulationError as error:
        return -1, str(error)
    status = 1 if run.status == "stopped" else 0
    return status, _MESSAGES[status]


def _result(
    simulation: Simulation,
    status: int,
    message: str,
    times: Array | None,
    dense: bool,
    with_events: bool,
) -> OdeResult:
    d = simulation.definition
    sign = -1.0 if d.backward else 1.0
    if times is None:
        rows_at = ffi.new("const double **")
        count = lib.brink_history_rows(simulation.history, rows_at)
        rows = view(rows_at[0], (count, 1 + d.nx), simulation)
        last = np.append(
            np.diff(rows[:, 0]) > 0, True
        )  # an instant has two rows, which are equal here
        t, x = sign * rows[last, 0], rows[last, 1:].copy()
        y = (x.view(complex) if d.complex else x).T
    else:
        t = times[sign * times <= simulation.time]
        y = _solution_at(simulation, t.astype(float))
    t_events = y_events = None
    if with_events:
        t_events, y_events = _events_of(simulation, sign)
    stats = lib.brink_sim_stats(simulation.sim)
    constant = simulation.ode.jacobian.form == lib.BRINKPY_FIXED
    return OdeResult(
        t=t,
        y=y,
        sol=OdeSolution(simulation, sign * _knots(simulation)) if dense else None,
        t_events=t_events,
        y_events=y_events,
        nfev=simulation.ode.calls,
        njev=0 if constant else stats.jacobians,
        nlu=stats.factorisations,
        status=status,
        message=message,
        success=status >= 0,
    )


def _knots(simulation: Simulation) -> Array:
    ends = ffi.new("const double **")
    count = lib.brink_history_steps(simulation.history, ends)
    return view(ends[0], (count,), simulation)


def _events_of(simulation: Simulation, sign: float) -> tuple[list[Array], list[Array]]:
    d, events = simulation.definition, events_of(simulation)
    t_events: list[Array] = []
    y_events: list[Array] = []
    for k in range(len(d.guards)):
        own = events.guard == k
        x = np.ascontiguousarray(events.x_before[own])
        t_events.append(sign * events.t[own])
        y_events.append((x.view(complex) if d.complex else x) if len(x) else np.empty(0))
    return t_events, y_events


# ---- arguments: what SciPy accepts and refuses, in its words ----


def _method(method: Any) -> str:
    name = getattr(method, "__name__", method)
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    if isinstance(method, str) and method in BRINK_METHODS:
        return method
    known = [*METHODS, *BRINK_METHODS]
    raise ValueError(f"`method` must be one of {known}, or SciPy's class of that name.")


def _initial(y0: ArrayLike) -> Array:
    y = np.asarray(y0)
    if y.dtype.kind not in "fiubc":
        raise ValueError("`y0` must be numbers.") if y.dtype.kind != "O" else TypeError(
            "`y0` must be numbers."
        )
    y = y.astype(complex if y.dtype.kind == "c" else float)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not np.isfinite(y).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    return y


def _check_args(args: Any) -> None:
    if args is None:
        return
    try:
        [*args]
    except TypeError as error:
        raise TypeError(
            "Supplied 'args' cannot be unpacked. Please supply `args` as a tuple "
            f"(e.g. `args=({args},)`)"
        ) from error


def _check_t_eval(t_eval: Array, t0: float, tf: float) -> Array:
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if not np.all((t_eval >= min(t0, tf)) & (t_eval <= max(t0, tf))):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = np.diff(t_eval)
    if tf > t0 and np.any(d <= 0) or tf < t0 and np.any(d >= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def _tolerances(options: dict[str, Any], name: str, t0: float, tf: float, n: int) -> dict[str, Any]:
    """Brink's options for those of a call."""
    extraneous = [key for key in options if key not in _OPTIONS]
    if name in ("dopri", "adams"):
        extraneous += [
            key for key in options if key in _JACOBIAN_OPTIONS and options[key] is not None
        ]
    if extraneous:
        listed = ", ".join(f"`{key}`" for key in extraneous)
        warnings.warn(
            f"The following arguments have no effect for a chosen solver: {listed}.", stacklevel=3
        )
    rtol, atol = np.asarray(options.get("rtol", 1e-3), dtype=float), np.asarray(
        options.get("atol", 1e-6), dtype=float
    )
    if np.any(rtol < 100 * _EPS):
        warnings.warn(
            "At least one element of `rtol` is too small. "
            f"Setting `rtol = np.maximum(rtol, {100 * _EPS})`.",
            stacklevel=3,
        )
        rtol = np.maximum(rtol, 100 * _EPS)
    if rtol.ndim > 0 and rtol.shape != (n,):
        raise ValueError("`rtol` has wrong shape.")
    if atol.ndim > 0 and atol.shape != (n,):
        raise ValueError("`atol` has wrong shape.")
    if not np.all(atol >= 0):
        raise ValueError("`atol` must be positive.")
    made: dict[str, Any] = {
        "method": name,
        "rtol": float(rtol.min(initial=np.inf) if rtol.size else 1e-3),
    }
    made["atol"] = float(atol) if atol.ndim == 0 else atol
    max_step = float(options.get("max_step", np.inf))
    if not max_step > 0:
        raise ValueError("`max_step` must be positive.")
    made["hmax"] = max_step
    min_step = float(options.get("min_step", 0.0))
    if not min_step >= 0:
        raise ValueError("`min_step` must be nonnegative.")
    made["hmin"] = min_step
    first_step = options.get("first_step")
    if first_step is not None:
        if not first_step > 0:
            raise ValueError("`first_step` must be positive.")
        if first_step > abs(tf - t0):
            raise ValueError("`first_step` exceeds bounds.")
        made["step"] = float(first_step)
        if name == "auto":
            made["method"] = "bdf"  # with a given step "auto" does not look for stiffness
    return made


def _listed(events: Any) -> list[Callable[..., Any]] | None:
    if events is None:
        return None
    return [events] if callable(events) or native_of(events) is not None else list(events)


def _guard(event: Any, k: int, args: Sequence[Any] | None) -> Guard:
    if not callable(event) and native_of(event) is None:
        raise TypeError(f"event {k} is {event!r}, which is not callable")
    terminal = getattr(event, "terminal", None)
    count = 0 if terminal is None else terminal
    if int(count) != count or count < 0:
        raise ValueError(
            "The `terminal` attribute of each event must be a boolean or positive integer."
        )
    direction = int(np.sign(getattr(event, "direction", 0)))
    function = event if args is None else (lambda t, y: event(t, y, *args))
    return Guard(function, name=f"event {k}", direction=direction, stop=int(count), unread=True)


def _definition(
    fun: Any,
    t0: float,
    tf: float,
    y: Array,
    vectorized: bool,
    args: Sequence[Any] | None,
    options: dict[str, Any],
    guards: list[Guard],
    tolerances: dict[str, Any],
) -> Definition:
    d = Definition()
    d.name = "solve_ivp"
    d.reads_env = False
    d.t0, d.backward, d.complex = t0, tf < t0, y.dtype.kind == "c"
    d.x0 = y.view(float) if d.complex else y
    d.states = Names([f"y[{k}]" for k in range(d.nx)], "state")
    d.guards, d.guard_names = guards, Names([guard.name or "" for guard in guards], "guard")
    d.f = _function(fun, vectorized, args) if d.nx else None
    if tolerances["method"] not in ("dopri", "adams"):
        _set_jacobian(d, options, args, len(y))
    if d.complex and np.ndim(tolerances["atol"]) == 1:
        tolerances["atol"] = np.repeat(tolerances["atol"], 2)
    d.scale = np.broadcast_to(np.asarray(tolerances["atol"], dtype=float), (max(d.nx, 1),)).copy()
    return d


def _function(fun: Any, vectorized: bool, args: Sequence[Any] | None) -> Any:
    if native_of(fun) is not None:
        if args is not None:
            raise ValueError(
                "`args` cannot be handed to a C function: use brink.native(..., user=...)."
            )
        return fun
    if not callable(fun):
        raise TypeError(f"`fun` is {fun!r}, which is not callable.")
    rest = () if args is None else tuple(args)
    if vectorized:
        return lambda t, y: np.asarray(fun(t, y[:, None], *rest)).ravel()
    return (lambda t, y: fun(t, y, *rest)) if rest else fun


def _set_jacobian(
    d: Definition, options: dict[str, Any], args: Sequence[Any] | None, n: int
) -> None:
    jac, pattern = options.get("jac"), options.get("jac_sparsity")
    lband, uband = options.get("lband"), options.get("uband")
    banded = lband is not None or uband is not None
    if banded:
        lower, upper = int(lband or 0), int(uband or 0)
        i, j = np.indices((n, n))
        pattern = (i - lower <= j) & (j <= i + upper)
    if jac is None:
        if pattern is not None:
            d.sparsity = sparsity_of(
                np.kron(pattern, np.ones((2, 2))) if d.complex else pattern, d.nx
            )
        return
    if native_of(jac) is not None:
        d.jacobian = jac
        return
    rest = () if args is None else tuple(args)

    def matrix(J: Any) -> Any:
        return _matrix(_unpacked(J, lower, upper, n) if banded else J, n, d.complex)

    d.jacobian = (lambda t, y: matrix(jac(t, y, *rest))) if callable(jac) else matrix(jac)


def _matrix(J: Any, n: int, as_complex: bool) -> Any:
    if not hasattr(J, "tocsc"):
        J = np.asarray(J)
    if J.shape != (n, n):
        raise ValueError(f"`jac` is expected to have shape {(n, n)}, but actually has {J.shape}.")
    if not as_complex:
        return J
    J = J.toarray() if hasattr(J, "toarray") else J
    # a + bi, as it acts on real and imaginary parts
    return np.kron(J.real, np.eye(2)) + np.kron(J.imag, np.array([[0.0, -1.0], [1.0, 0.0]]))


def _unpacked(packed: Any, lower: int, upper: int, n: int) -> Array:
    packed = np.asarray(packed)
    J = np.zeros((n, n), packed.dtype)
    for j in range(n):
        for i in range(max(0, j - upper), min(n, j + lower + 1)):
            J[i, j] = packed[upper + i - j, j]
    return J
