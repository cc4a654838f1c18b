"""What a Python callable costs, beside SciPy, in one run.

    PYTHONPATH=python python3 bench/python/callables.py

1. The time of an evaluation: CPU time of a solution, divided by the evaluations that it took; the
callable itself is
   a part of that, the same for all. With a C function as a callable the rest is seen alone.
2. How many evaluations a given accuracy takes: tolerances are varied, the largest error along the
solution is measured against
   a far more accurate one, and evaluations are interpolated (log-log) to the same errors.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

import brink
from brink.integrate import solve_ivp

REPEAT = 5
ERRORS = (1e-4, 1e-6, 1e-8)
TOLERANCES = 10.0 ** -np.arange(3.0, 12.1, 0.5)

Field = Callable[[float, Any], Any]


def oscillator(t: float, y: Any) -> list[float]:
    return [y[1], -y[0]]


def lotka_volterra(t: float, z: Any) -> list[float]:
    x, y = z
    return [1.5 * x - x * y, -3.0 * y + x * y]


def arenstorf(t: float, y: Any) -> list[float]:
    """Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, (0.1)."""
    mu = 0.012277471
    nu = 1.0 - mu
    d1 = ((y[0] + mu) ** 2 + y[1] ** 2) ** 1.5
    d2 = ((y[0] - nu) ** 2 + y[1] ** 2) ** 1.5
    return [
        y[2],
        y[3],
        y[0] + 2 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2,
        y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2,
    ]


def pleiades(t: float, y: Any) -> Any:
    """Seven stars in the plane; Hairer, Nørsett & Wanner, section II.10."""
    mass = np.arange(1.0, 8.0)
    place, speed = y[:14].reshape(2, 7), y[14:]
    apart = place[:, None, :] - place[:, :, None]
    r3 = (apart**2).sum(axis=0) ** 1.5 + np.eye(7)
    return np.concatenate([speed, (apart * mass / r3).sum(axis=2).ravel()])


PLEIADES = [
    3,
    3,
    -1,
    -3,
    2,
    -2,
    2,
    3,
    -3,
    2,
    0,
    0,
    -4,
    4,
    0,
    0,
    0,
    0,
    0,
    1.75,
    -1.5,
    0,
    0,
    0,
    -1.25,
    1,
    0,
    0,
]

PROBLEMS: dict[str, tuple[Field, float, list[float]]] = {
    "oscillator": (oscillator, 50.0, [1.0, 0.0]),
    "Lotka-Volterra": (lotka_volterra, 15.0, [10.0, 5.0]),
    "Arenstorf": (arenstorf, 10.0, [0.994, 0.0, 0.0, -2.00158510637908252240537862224]),
    "Pleiades": (pleiades, 2.0, [float(v) for v in PLEIADES]),
}

SOLVERS: dict[str, tuple[Callable[..., Any], str]] = {
    "scipy RK45": (scipy.integrate.solve_ivp, "RK45"),
    "scipy DOP853": (scipy.integrate.solve_ivp, "DOP853"),
    "scipy LSODA": (scipy.integrate.solve_ivp, "LSODA"),
    "brink dopri": (solve_ivp, "RK45"),
    "brink adams": (solve_ivp, "adams"),
}


def cpu_time(call: Callable[[], Any]) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(REPEAT):
        begin = time.process_time()
        result = call()
        best = min(best, time.process_time() - begin)
    return best, result


def cost_of_callable(f: Field, y0: list[float]) -> float:
    y, count = np.array(y0), 20000
    seconds, _ = cpu_time(lambda: [f(0.0, y) for _ in range(count)])
    return seconds / count


def native_oscillator() -> Any:
    try:
        import numba
    except ImportError:
        return None
    double, pointer = numba.types.double, numba.types.CPointer(numba.types.double)

    @numba.cfunc(numba.types.int32(double, pointer, pointer, numba.types.voidptr))
    def f(t: float, y: Any, dy: Any, user: Any) -> int:
        dy[0] = y[1]
        dy[1] = -y[0]
        return 0

    return f


def show_costs() -> None:
    print("Time of an evaluation in µs, the callable itself included (rtol 1e-8)\n")
    print(f"{'':16}{'callable alone':>16}" + "".join(f"{name:>14}" for name in SOLVERS))
    for problem, (f, end, y0) in PROBLEMS.items():
        line = f"{problem:16}{1e6 * cost_of_callable(f, y0):16.2f}"
        for solve, method in SOLVERS.values():
            seconds, r = cpu_time(
                lambda: solve(f, [0, end], y0, method=method, rtol=1e-8, atol=1e-10)
            )
            line += f"{1e6 * seconds / r.nfev:14.2f}"
        print(line)
    f = native_oscillator()
    if f is not None:
        model = brink.ode(f, [1.0, 0.0])
        seconds, r = cpu_time(lambda: model.run(until=50.0, method="adams", rtol=1e-8, atol=1e-10))
        print(
            "\noscillator as numba.cfunc, brink adams: "
            f"{1e6 * seconds / r.stats.rhs:.2f} µs an evaluation"
        )


def evaluations(solver: str, problem: str) -> tuple[list[float], list[int]]:
    """Errors and evaluations, one for each tolerance."""
    f, end, y0 = PROBLEMS[problem]
    solve, method = SOLVERS[solver]
    times = np.linspace(0, end, 101)
    exact = REFERENCES[problem](times)
    scale = np.abs(exact).max()
    errors, counts = [], []
    for rtol in TOLERANCES:
        r = solve(f, [0, end], y0, method=method, rtol=rtol, atol=rtol * 1e-2, t_eval=times)
        errors.append(float(np.abs(r.y - exact).max() / scale))
        counts.append(int(r.nfev))
    return errors, counts


def at_error(errors: list[float], counts: list[int], wanted: float) -> float:
    """Evaluations for an error, between those that were measured; NaN: it was not reached."""
    order = np.argsort(errors)
    e, c = np.log(np.array(errors)[order]), np.log(np.array(counts)[order])
    if not e[0] <= np.log(wanted) <= e[-1]:
        return float("nan")
    return float(np.exp(np.interp(np.log(wanted), e, c)))


def reference(problem: str) -> Any:
    f, end, y0 = PROBLEMS[problem]
    return scipy.integrate.solve_ivp(
        f, [0, end], y0, method="DOP853", rtol=3e-14, atol=1e-15, dense_output=True
    ).sol


def show_evaluations() -> None:
    print(
        "\nEvaluations for a measured error (largest along the solution, relative to its size);"
        " in brackets: of scipy's RK45"
    )
    for problem in PROBLEMS:
        print(f"\n{problem:16}" + "".join(f"{wanted:>20.0e}" for wanted in ERRORS))
        base: list[float] = []
        for solver in SOLVERS:
            errors, counts = evaluations(solver, problem)
            found = [at_error(errors, counts, wanted) for wanted in ERRORS]
            base = base or found
            print(
                f"  {solver:14}"
                + "".join(f"{n:12.0f} ({100 * n / b:4.0f} %)" for n, b in zip(found, base))
            )


if __name__ == "__main__":
    show_costs()
    REFERENCES = {problem: reference(problem) for problem in PROBLEMS}
    show_evaluations()
