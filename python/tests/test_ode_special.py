"""Series, jets and constraints of models in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import brink

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


# ---- series ----


def turns(t: float, x: Any) -> list[float]:
    return [x[1], -x[0]]


def turning_series(order: int, t: float, unit: float, x: Any) -> Any:
    """x'' = -x: coefficient k + 1 follows from coefficient k."""
    c = np.zeros((2, order + 1))
    c[:, 0] = x
    for k in range(order):
        c[0, k + 1] = unit / (k + 1) * c[1, k]
        c[1, k + 1] = -unit / (k + 1) * c[0, k]
    return c


def test_the_taylor_method_runs_on_a_series_in_python() -> None:
    r = brink.ode(turns, [1.0, 0.0], series=turning_series).run(
        until=20.0, method="taylor", **TIGHT
    )
    assert (
        r.x[-1] == pytest.approx([math.cos(20.0), -math.sin(20.0)], abs=1e-8)
        and r.stats.method == "taylor"
    )
    plain = brink.ode(turns, [1.0, 0.0]).run(until=20.0, **TIGHT)
    assert r.stats.steps < plain.stats.steps / 5
    assert (
        brink.ode(turns, [1.0, 0.0], series=turning_series).run(until=1.0).stats.method == "taylor"
    )  # auto


def test_a_series_may_read_env() -> None:
    def series(order: int, t: float, unit: float, x: Any, env: brink.Env) -> Any:
        c = [x[0]]
        for k in range(order):
            c.append(env.p.k * unit / (k + 1) * c[k])
        return [c]

    model = brink.ode(lambda t, x, env: [env.p.k * x[0]], [1.0], p={"k": -2.0}, series=series)
    assert model.run(until=1.0, method="taylor", **TIGHT).x[-1, 0] == pytest.approx(
        math.exp(-2.0), rel=1e-9
    )


@pytest.mark.parametrize(
    "wrong", [lambda *a: None, lambda *a: [1.0], lambda *a: np.zeros((3, 3)), lambda *a: 1 / 0]
)
def test_what_a_series_may_not_return(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
        brink.ode(turns, [1.0, 0.0], series=lambda order, t, unit, x: wrong()).run(
            until=1.0, method="taylor"
        )


def test_a_jet_makes_a_unilateral_guard_of_a_callable() -> None:
    def jet(order: int, t: Any, x: Any) -> Any:
        """4 - q² - v² of the series."""
        square = np.convolve(x[0], x[0])[: order + 1] + np.convolve(x[1], x[1])[: order + 1]
        return np.eye(1, order + 1)[0] * 4.0 - square

    ring = brink.Guard(
        lambda t, x: 4.0 - x[0] ** 2 - x[1] ** 2,
        jet=jet,
        degree=2,
        side="unilateral",
        action=lambda e, now: now.stop(),
    )
    r = brink.ode(lambda t, x: [1.0, 0.0], [0.0, 1.0], guards=[ring]).run(until=5.0, **TIGHT)
    assert (
        r.t[-1] == pytest.approx(math.sqrt(3.0), abs=1e-9) and r.x[-1, 0] <= math.sqrt(3.0) + 1e-12
    )


# ---- constraints ----

G = 9.81
START = {"x": 1.0, "y": 0.0, "vx": 0.0, "vy": 0.0, "force": 0.0}


def pendulum(t: float, s: Any) -> list[float]:
    x, y, vx, vy, force = s
    return [vx, vy, -force * x, -force * y - G]


def rod(t: float, s: Any) -> list[float]:
    x, y, vx, vy, force = s
    return [
        vx**2 + vy**2 - force * (x**2 + y**2) - G * y,
        x**2 + y**2 - 1,
        x * vx + y * vy,
    ]


def rod_derivatives(t: float, s: Any) -> list[list[float]]:
    x, y, vx, vy, force = s
    return [
        [-2 * force * x, -2 * force * y - G, 2 * vx, 2 * vy, -(x**2 + y**2), 0.0],
        [2 * x, 2 * y, 0.0, 0.0, 0.0, 0.0],
        [vx, vy, x, y, 0.0, 0.0],
    ]


def angle(end: float) -> float:
    """The same pendulum without constraints."""
    r = brink.ode(lambda t, a: [a[1], -G * math.sin(a[0])], [math.pi / 2, 0.0]).run(
        until=end, rtol=1e-12, atol=1e-13
    )
    return float(r.x[-1, 0])


@pytest.mark.parametrize("derivatives", [None, rod_derivatives])
@pytest.mark.parametrize("method", ["auto", "dopri", "bdf"])
def test_a_pendulum_in_cartesian_coordinates(derivatives: Any, method: str) -> None:
    constraints = brink.Constraints(1, rod, invariants=2, index=3, derivatives=derivatives)
    bottom = brink.Guard("x", name="bottom")
    r = brink.ode(pendulum, START, constraints=constraints, guards=[bottom]).run(
        until=5.0, method=method, rtol=1e-9, atol=1e-9
    )
    a = angle(5.0)
    assert r.x[-1, :2] == pytest.approx([math.sin(a), -math.cos(a)], abs=1e-5)
    assert np.abs(r["x"] ** 2 + r["y"] ** 2 - 1).max() < 1e-14
    assert r.final["force"] == pytest.approx(
        r.final["vx"] ** 2 + r.final["vy"] ** 2 - G * r.final["y"], rel=1e-9
    )
    assert r.stats.projections > 0 and len(r.events["bottom"]) == 4


def test_an_unknown_of_index_one_is_solved_for() -> None:
    """x' = -z with z = x³."""
    model = brink.ode(
        lambda t, s: [-s[1]],
        {"x": 1.0, "z": 0.0},
        constraints=brink.Constraints(1, lambda t, s: [s[1] - s[0] ** 3]),
    )
    r = model.run(until=4.0, **TIGHT)
    assert r.final["x"] == pytest.approx(1.0 / 3.0, abs=1e-9) and r.final["z"] == pytest.approx(
        1.0 / 27.0, abs=1e-9
    )


def test_constraints_may_determine_the_start() -> None:
    constraints = brink.Constraints(
        1, lambda t, s: [s[1] - s[0] ** 2], start={"x": "free", "z": "fixed"}
    )
    run = brink.ode(lambda t, s: [0.0], {"x": 1.5, "z": 4.0}, constraints=constraints).start()
    run.to(1.0)
    assert run.x == pytest.approx([2.0, 4.0])


def test_wrong_constraints_are_refused() -> None:
    for wrong in (
        3,
        brink.Constraints(0, rod),
        brink.Constraints(9, rod),
        brink.Constraints(1, rod, invariants=-1),
        brink.Constraints(1, 3),
        brink.Constraints(1, rod, start={"q": "free"}),
        brink.Constraints(1, rod, start={"x": "loose"}),
    ):
        with pytest.raises(brink.ArgumentError):
            brink.ode(pendulum, START, constraints=wrong)
    with pytest.raises(brink.ArgumentError, match="instead of 3 numbers"):
        brink.ode(
            pendulum, START, constraints=brink.Constraints(1, lambda t, s: [0.0], invariants=2)
        ).run(until=1.0)
    with pytest.raises(brink.SimulationError) as caught:
        brink.ode(
            lambda t, s: [0.0],
            {"x": 1.0, "z": 0.0},
            constraints=brink.Constraints(1, lambda t, s: [s[0] - 2.0]),
        ).run(until=1.0)
    assert caught.value.reason in ("unsolved", "dependent", "contradicted", "structure")
