"""brink.integrate.solve_ivp beside scipy.integrate.solve_ivp: SciPy's documented examples, and the
ideas of its tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import brink
from brink.integrate import METHODS, OdeResult, solve_ivp

scipy_integrate = pytest.importorskip("scipy.integrate")
scipy_sparse = pytest.importorskip("scipy.sparse")

TIGHT = {"rtol": 1e-9, "atol": 1e-11}


def both(*arguments: Any, **options: Any) -> tuple[OdeResult, Any]:
    return solve_ivp(*arguments, **options), scipy_integrate.solve_ivp(*arguments, **options)


# ---- the examples of SciPy's documentation ----


def exponential_decay(t: float, y: Any) -> Any:
    return -0.5 * y


def test_exponential_decay() -> None:
    ours, theirs = both(exponential_decay, [0, 10], [2, 4, 8])
    assert ours.t[0] == 0 and ours.t[-1] == 10 and ours.y.shape == (3, len(ours.t))
    assert ours.y[:, -1] == pytest.approx(theirs.y[:, -1], rel=5e-3)
    assert ours.y == pytest.approx(np.outer([2, 4, 8], np.exp(-0.5 * ours.t)), rel=5e-3)
    assert (ours.status, ours.message, ours.success) == (
        theirs.status,
        theirs.message,
        theirs.success,
    )
    assert ours.sol is None and ours.t_events is None and ours.y_events is None
    assert set(ours) == set(theirs)


def test_exponential_decay_at_given_points() -> None:
    ours, theirs = both(exponential_decay, [0, 10], [2, 4, 8], t_eval=[0, 1, 2, 4, 10])
    assert ours.t.tolist() == [0, 1, 2, 4, 10] and ours.t.dtype == theirs.t.dtype
    assert ours.y == pytest.approx(theirs.y, rel=5e-3)


def upward_cannon(t: float, y: Any) -> list[float]:
    return [y[1], -0.5]


def cannon_events() -> tuple[Any, Any]:
    def hit_ground(t: float, y: Any) -> float:
        return y[0]

    def apex(t: float, y: Any) -> float:
        return y[1]

    hit_ground.terminal = True  # type: ignore[attr-defined]
    hit_ground.direction = -1  # type: ignore[attr-defined]
    return hit_ground, apex


def test_a_cannon_with_a_terminal_event() -> None:
    hit_ground, _ = cannon_events()
    ours, theirs = both(upward_cannon, [0, 100], [0, 10], events=hit_ground)
    assert ours.t_events[0] == pytest.approx(theirs.t_events[0], abs=1e-9) == [40.0]
    assert ours.t[-1] == pytest.approx(40.0) and ours.status == theirs.status == 1
    assert ours.message == theirs.message and ours.success


def test_a_cannon_with_two_events_and_dense_output() -> None:
    ours, theirs = both(upward_cannon, [0, 100], [0, 10], events=cannon_events(), dense_output=True)
    for k in range(2):
        assert ours.t_events[k] == pytest.approx(theirs.t_events[k], abs=1e-9)
        assert ours.y_events[k] == pytest.approx(theirs.y_events[k], abs=1e-9)
    assert ours.sol(ours.t_events[1][0]) == pytest.approx([100.0, 0.0], abs=1e-9)
    t = np.linspace(0, 40, 101)
    assert ours.sol(t) == pytest.approx(theirs.sol(t), abs=1e-9)


def lotkavolterra(t: float, z: Any, a: float, b: float, c: float, d: float) -> list[float]:
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def test_lotka_volterra_with_args_and_dense_output() -> None:
    t = np.linspace(0, 15, 300)
    ours, theirs = both(
        lotkavolterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), dense_output=True, **TIGHT
    )
    assert ours.sol(t) == pytest.approx(theirs.sol(t), abs=1e-5)
    plain = solve_ivp(lotkavolterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), dense_output=True)
    worst_ours = np.abs(plain.sol(t) - theirs.sol(t)).max()
    worst_theirs = np.abs(
        scipy_integrate.solve_ivp(
            lotkavolterra, [0, 15], [10, 5], args=(1.5, 1, 3, 1), dense_output=True
        ).sol(t)
        - theirs.sol(t)
    ).max()
    assert worst_ours < worst_theirs  # at the default tolerances


def test_complex_values_and_a_matrix() -> None:
    A = np.array(
        [
            [-0.25 + 0.14j, 0, 0.33 + 0.44j],
            [0.25 + 0.58j, -0.2 + 0.14j, 0],
            [0, 0.2 + 0.4j, -0.1 + 0.97j],
        ]
    )

    def deriv_vec(t: float, y: Any) -> Any:
        return A @ y

    y0 = np.array([10 + 0j, 20 + 0j, 30 + 0j])
    for method in ("RK45", "DOP853", "BDF"):
        ours, theirs = both(
            deriv_vec,
            [0, 25],
            y0,
            t_eval=np.linspace(0, 25, 101),
            method=method,
            rtol=1e-7,
            atol=1e-9,
        )
        assert ours.y.dtype == complex and ours.y.shape == theirs.y.shape
        assert np.abs(ours.y - theirs.y).max() < 1e-3 * np.abs(theirs.y).max()
    assert ours.y[0, 0] == 10

    def deriv_mat(t: float, y: Any) -> Any:
        return (A @ y.reshape(3, 3)).flatten()

    start = np.array(
        [[2 + 0j, 3 + 0j, 4 + 0j], [5 + 0j, 6 + 0j, 7 + 0j], [9 + 0j, 34 + 0j, 78 + 0j]]
    )
    ours, theirs = both(
        deriv_mat, [0, 25], start.flatten(), t_eval=np.linspace(0, 25, 101), **TIGHT
    )
    assert ours.y[:, -1].reshape(3, 3) == pytest.approx(theirs.y[:, -1].reshape(3, 3), rel=1e-5)


def test_a_parachute_opens_at_an_event() -> None:
    """A skydiver, integrated in two parts, from a terminal event on: the example of the SciPy
    cookbook."""

    def falls(t: float, y: Any, drag: float) -> list[float]:
        return [y[1], -9.81 + drag * y[1] ** 2]

    def opens(t: float, y: Any, drag: float) -> float:
        return y[0] - 1000.0

    def lands(t: float, y: Any, drag: float) -> float:
        return y[0]

    opens.terminal = lands.terminal = True  # type: ignore[attr-defined]
    found = []
    for solve in (solve_ivp, scipy_integrate.solve_ivp):
        first = solve(falls, [0, 500], [3000.0, 0.0], events=opens, args=(0.004,), **TIGHT)
        second = solve(
            falls, [first.t[-1], 500], first.y[:, -1], events=lands, args=(0.4,), **TIGHT
        )
        found.append((first.t_events[0][0], second.t_events[0][0], second.y[1, -1]))
    assert found[0] == pytest.approx(found[1], rel=1e-7)
    # h = 2000 - ln cosh(sqrt(g k) t)/k
    k = 0.004
    assert found[0][0] == pytest.approx(
        math.acosh(math.exp(2000 * k)) / math.sqrt(9.81 * k), rel=1e-8
    )


# ---- SciPy's own tests ----

# Those that test solve_ivp and not the classes of solvers. Not among them, because they ask for
# more than the same arguments and results:
#   test_integration_complex     less than 25 evaluations
#   test_integration_const_jac, test_args   the errors of SciPy's own BDF and Radau
#   test_no_integration          a solution that extrapolates
SCIPY_TESTS = [
    "test_integration",
    "test_integration_sparse_difference",
    "test_events",
    "test_max_step",
    "test_first_step",
    "test_t_eval",
    "test_t_eval_dense_output",
    "test_t_eval_early_event",
    "test_empty",
    "test_array_rtol",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCIPY_TESTS)
def test_a_test_of_scipy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip("scipy.integrate._ivp.tests.test_ivp")
    if not hasattr(module, name):
        pytest.skip("another version of SciPy")
    monkeypatch.setattr(module, "solve_ivp", solve_ivp)
    getattr(module, name)()


# ---- every method ----


def fun_rational(t: float, y: Any) -> Any:
    return np.array([y[1] / t, y[1] * (y[0] + 2 * y[1] - 1) / (t * (y[0] - 1))])


def sol_rational(t: Any) -> Any:
    t = np.asarray(t, dtype=float)
    return np.array((t / (t + 10), 10 * t / (t + 10) ** 2))


def jac_rational(t: float, y: Any) -> Any:
    return np.array(
        [
            [0, 1 / t],
            [-2 * y[1] ** 2 / (t * (y[0] - 1) ** 2), (y[0] + 4 * y[1] - 1) / (t * (y[0] - 1))],
        ]
    )


def error(y: Any, exact: Any, rtol: float, atol: float) -> float:
    e = (y - exact) / (atol + rtol * np.abs(exact))
    return float((np.linalg.norm(e, axis=0) / np.sqrt(e.shape[0])).max())


@pytest.mark.filterwarnings("ignore:The following arguments have no effect")
@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("span", [[5, 9], [5, 1]])
@pytest.mark.parametrize("method", [*METHODS, "adams", "bdf", "dopri", "auto"])
@pytest.mark.parametrize(
    "jac", [None, jac_rational, lambda t, y: scipy_sparse.csc_matrix(jac_rational(t, y))]
)
def test_methods_forwards_and_backwards(
    method: str, span: list[float], vectorized: bool, jac: Any
) -> None:
    calls = [0]

    def fun(t: float, y: Any) -> Any:
        calls[0] += 1
        assert y.shape == ((2, 1) if vectorized else (2,))
        return fun_rational(t, y)

    r = solve_ivp(
        fun,
        span,
        [1 / 3, 2 / 9],
        method=method,
        rtol=1e-3,
        atol=1e-6,
        dense_output=True,
        jac=jac,
        vectorized=vectorized,
    )
    assert r.t[0] == span[0] and r.t[-1] == span[1] and r.success and r.status == 0
    assert np.all(np.diff(r.t) * (span[1] - span[0]) > 0)
    assert error(r.y, sol_rational(r.t), 1e-3, 1e-6) < 5
    assert r.nfev == calls[0]
    t = np.linspace(*span)
    assert error(r.sol(t), sol_rational(t), 1e-3, 1e-6) < 5
    assert r.sol(r.t) == pytest.approx(r.y, rel=1e-13, abs=1e-13)
    assert (r.sol.t_min, r.sol.t_max) == (min(span), max(span)) and r.sol.ts[0] == span[0]
    if method in ("Radau", "BDF", "bdf"):
        assert r.njev > 0 and r.nlu > 0
    elif method in ("RK45", "RK23", "DOP853"):
        assert r.njev == 0 and r.nlu == 0


@pytest.mark.parametrize("method", METHODS)
def test_steps_are_no_longer_than_max_step(method: str) -> None:
    r = solve_ivp(fun_rational, [5, 9], [1 / 3, 2 / 9], max_step=0.25, method=method)
    assert np.all(np.diff(r.t) <= 0.25 + 1e-12) and len(r.t) >= 17


@pytest.mark.parametrize("method", METHODS)
def test_the_first_step(method: str) -> None:
    r = solve_ivp(fun_rational, [5, 9], [1 / 3, 2 / 9], first_step=0.01, method=method)
    assert r.t[1] == pytest.approx(5.01) and r.t[-1] == 9


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_a_stiff_problem(method: str) -> None:
    def robertson(t: float, state: Any) -> list[float]:
        x, y, z = state
        return [-0.04 * x + 1e4 * y * z, 0.04 * x - 1e4 * y * z - 3e7 * y * y, 3e7 * y * y]

    r = solve_ivp(robertson, [0, 1e8], [1e4, 0, 0], rtol=1e-6, atol=1e-6, method=method)
    assert r.success and r.nfev < 6000 and r.y[:, -1].sum() == pytest.approx(1e4, rel=1e-6)


def fun_linear(t: float, y: Any) -> Any:
    return np.array([-y[0] - 5 * y[1], y[0] + y[1]])


@pytest.mark.parametrize(
    "jac", [[[-1, -5], [1, 1]], scipy_sparse.csc_matrix([[-1.0, -5.0], [1.0, 1.0]])]
)
@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_constant_jacobian(method: str, jac: Any) -> None:
    r = solve_ivp(fun_linear, [0, 2], [0, 2], rtol=1e-6, atol=1e-8, method=method, jac=jac)
    exact = np.vstack((-5 * np.sin(2 * r.t), 2 * np.cos(2 * r.t) + np.sin(2 * r.t)))
    assert r.success and r.njev == 0 and r.nlu > 0 and np.abs(r.y - exact).max() < 1e-4


def test_a_complex_jacobian() -> None:
    A = np.array([[-2.0 + 1j, 0.5], [0.25j, -1.0 - 2j]])
    exact = scipy_integrate.solve_ivp(
        lambda t, y: A @ y, [0, 3], [1 + 1j, 2 + 0j], method="DOP853", rtol=1e-12, atol=1e-13
    ).y[:, -1]
    for jac in (A, lambda t, y: A, lambda t, y: scipy_sparse.csr_matrix(A)):
        r = solve_ivp(
            lambda t, y: A @ y,
            [0, 3],
            [1 + 1j, 2 + 0j],
            method="BDF",
            jac=jac,
            rtol=1e-7,
            atol=1e-9,
        )
        assert r.y[:, -1] == pytest.approx(exact, abs=1e-5)


def heat(t: float, y: Any) -> Any:
    inner = np.concatenate([[0.0], y, [0.0]])
    return 400.0 * (inner[2:] - 2 * y + inner[:-2])


def test_sparsity_and_bands_save_evaluations() -> None:
    n = 50
    y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    exact = y0 * math.exp(-1600.0 * math.sin(math.pi / 2 / (n + 1)) ** 2 * 0.5)
    pattern = scipy_sparse.diags([1, 1, 1], [-1, 0, 1], (n, n))
    plain = solve_ivp(heat, [0, 0.5], y0, method="BDF", rtol=1e-6, atol=1e-9)
    for options in (
        {"jac_sparsity": pattern},
        {"jac_sparsity": pattern.toarray()},
        {"lband": 1, "uband": 1, "method": "BDF"},
    ):
        r = solve_ivp(heat, [0, 0.5], y0, rtol=1e-6, atol=1e-9, **{"method": "BDF", **options})
        assert r.y[:, -1] == pytest.approx(exact, abs=1e-4)
        assert r.nfev < plain.nfev - 40


def test_a_packed_jacobian() -> None:
    n = 20

    def packed(t: float, y: Any) -> Any:
        return np.vstack([np.full(n, 400.0), np.full(n, -800.0), np.full(n, 400.0)])

    y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    r = solve_ivp(
        heat, [0, 0.1], y0, method="BDF", jac=packed, lband=1, uband=1, rtol=1e-7, atol=1e-10
    )
    assert r.y[:, -1] == pytest.approx(
        y0 * math.exp(-1600.0 * math.sin(math.pi / 2 / (n + 1)) ** 2 * 0.1), abs=1e-5
    )


# ---- events ----


def event_1(t: float, y: Any) -> float:
    return y[0] - y[1] ** 0.7


def event_2(t: float, y: Any) -> float:
    return y[1] ** 0.6 - y[0]


def with_attributes(event: Any, **attributes: Any) -> Any:
    def copy(t: float, y: Any) -> float:
        return event(t, y)

    copy.__dict__.update(attributes)
    return copy


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("span", "y0"), [([5, 8], [1 / 3, 2 / 9]), ([8, 5], [4 / 9, 20 / 81])])
@pytest.mark.parametrize("direction", [0, 1, -1])
def test_events_of_given_directions(
    method: str, span: list[float], y0: list[float], direction: int
) -> None:
    events = [
        with_attributes(event_1, direction=direction),
        with_attributes(event_2, direction=direction),
    ]
    ours, theirs = both(fun_rational, span, y0, method=method, events=events)
    assert ours.status == 0
    for k in range(2):
        assert ours.t_events[k].size == theirs.t_events[k].size
        assert ours.t_events[k] == pytest.approx(theirs.t_events[k], abs=0.02)
        assert ours.y_events[k].shape == theirs.y_events[k].shape
        for t, y in zip(ours.t_events[k], ours.y_events[k]):
            assert events[k](t, y) == pytest.approx(0.0, abs=1e-8)
            assert y == pytest.approx(sol_rational(t), rel=5e-3)


@pytest.mark.parametrize("span", [[5, 8], [8, 5]])
def test_a_terminal_event_ends_dense_output_and_points(span: list[float]) -> None:
    y0 = sol_rational(span[0])
    stop = with_attributes(lambda t, y: t - 7.4, terminal=True)
    r = solve_ivp(fun_rational, span, y0, events=[event_1, event_2, stop], dense_output=True)
    assert (
        r.status == 1
        and r.t[-1] == pytest.approx(7.4, abs=1e-9)
        and r.t_events[2] == pytest.approx([7.4])
    )
    assert [len(t) for t in r.t_events] == ([1, 0, 1] if span[0] == 5 else [0, 1, 1])
    t = np.linspace(span[0], r.t[-1])
    assert error(r.sol(t), sol_rational(t), 1e-3, 1e-6) < 5
    points = np.linspace(span[0], span[1], 13)
    given = solve_ivp(fun_rational, span, y0, events=stop, t_eval=points)
    assert np.array_equal(given.t, [p for p in points if (p <= 7.4 if span[0] == 5 else p >= 7.4)])


@pytest.mark.parametrize("terminal", [1, 2, 3])
def test_a_terminal_event_may_count(terminal: int) -> None:
    zero = with_attributes(lambda t, y: y[0], terminal=terminal)
    r = solve_ivp(lambda t, y: [y[1], -y[0]], [0, 50], [0.0, 1.0], events=zero, **TIGHT)
    assert r.status == 1 and r.t_events[0] == pytest.approx(
        math.pi * np.arange(1, terminal + 1), abs=1e-7
    )


def test_several_zeros_inside_of_one_step_are_found() -> None:
    """SciPy compares signs at the ends of steps."""
    event = lambda t, y: math.cos(40.0 * t)  # noqa: E731
    ours, theirs = both(lambda t, y: [1.0], [0, 1], [0.0], events=event)
    exact = (np.arange(13) + 0.5) * math.pi / 40.0
    exact = exact[exact < 1]
    assert ours.t_events[0] == pytest.approx(exact, abs=1e-9)
    assert len(theirs.t_events[0]) < len(exact)


def test_what_differs_from_scipy_is_as_the_docstring_says() -> None:
    zero = lambda t, y: y[0]  # noqa: E731
    ours, theirs = both(lambda t, y: [1.0], [0, 1], [0.0], events=zero)
    assert ours.t_events[0].tolist() == [] and theirs.t_events[0].tolist() == [0.0]
    ours, _ = both(lambda t, y: [1.0], [-1, 1], [-1.0], events=lambda t, y: y[0] ** 2)
    assert ours.t_events[0].tolist() == []
    ours, theirs = both(lambda t, y: [1.0], [0, 1], [0.0], events=lambda t, y: y[0] - 0.37)
    assert np.isclose(ours.t, 0.37).any() and not np.isclose(theirs.t, 0.37).any()
    with pytest.raises(ValueError, match="the run ends at"):
        solve_ivp(lambda t, y: [1.0], [0, 1], [0.0], dense_output=True).sol(2.0)


def test_an_unbounded_interval_ends_at_a_terminal_event() -> None:
    hit_ground, _ = cannon_events()
    for method in METHODS:
        r = solve_ivp(upward_cannon, [0, np.inf], [0, 10], events=hit_ground, method=method)
        assert r.status == 1 and r.t[-1] == pytest.approx(40.0, rel=1e-4)


def test_events_and_jac_receive_args() -> None:
    def f(t: float, y: Any, k: float, level: float) -> Any:
        return -k * y

    def event(t: float, y: Any, k: float, level: float) -> float:
        return y[0] - level

    event.terminal = True  # type: ignore[attr-defined]
    r = solve_ivp(
        f,
        [0, 10],
        [1.0],
        args=(2.0, 0.25),
        events=event,
        method="BDF",
        jac=lambda t, y, k, level: [[-k]],
        **TIGHT,
    )
    assert r.t[-1] == pytest.approx(math.log(4) / 2, rel=1e-6)


# ---- points, nothing to do, failures ----


def test_points_forwards_and_backwards() -> None:
    for span in ([5, 9], [5, 1]):
        points = np.linspace(span[0], span[1], 10)
        r = solve_ivp(fun_rational, span, [1 / 3, 2 / 9], t_eval=points)
        assert np.array_equal(r.t, points) and error(r.y, sol_rational(points), 1e-3, 1e-6) < 5
    r = solve_ivp(fun_rational, [5, 9], [1 / 3, 2 / 9], t_eval=[5.01, 7, 8, 8.01])
    assert r.t.tolist() == [5.01, 7, 8, 8.01] and r.y.shape == (2, 4)
    assert solve_ivp(fun_rational, [5, 9], [1 / 3, 2 / 9], t_eval=[]).y.shape == (2, 0)


@pytest.mark.parametrize("method", METHODS)
def test_no_time_and_no_states(method: str) -> None:
    r, theirs = both(lambda t, y: -y, [4, 4], [2, 3], method=method, dense_output=True)
    assert r.t.tolist() == theirs.t.tolist() and r.y.tolist() == theirs.y.tolist()
    assert r.sol(4).tolist() == [2, 3] and r.sol([4, 4]).tolist() == [[2, 2], [3, 3]]
    for end in (10, np.inf):
        r, theirs = both(
            lambda t, y: np.zeros(0), [0, end], np.zeros(0), method=method, dense_output=True
        )
        assert (
            r.y.shape == theirs.y.shape
            and r.sol([1, 2]).shape == (0, 2)
            and r.t.tolist() == theirs.t.tolist()
        )


def test_a_run_that_fails_says_so() -> None:
    r = solve_ivp(lambda t, y: y**2, [0, 2], [1.0])
    assert r.status == -1 and not r.success and r.message and abs(r.t[-1] - 1.0) < 0.01


def test_exceptions_of_fun_and_of_events_come_out() -> None:
    def bad(t: float, y: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        solve_ivp(bad, [0, 1], [1.0])
    with pytest.raises(ZeroDivisionError, match="mine"):
        solve_ivp(lambda t, y: -y, [0, 1], [1.0], events=bad)
    with pytest.raises(TypeError):
        solve_ivp(lambda t, y, k: -y, [0, 1], [1.0])


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ("`method` must be one of", {"method": "RK4711"}),
        ("`method` must be one of", {"method": int}),
        ("`y0` must be 1-dimensional", {"y0": [[1.0, 2.0]]}),
        ("`y0` must be 1-dimensional", {"y0": 1.0}),
        ("must be finite", {"y0": [np.nan]}),
        ("`t_eval` must be 1-dimensional", {"t_eval": [[0, 1]]}),
        ("not within `t_span`", {"t_eval": [0, 2]}),
        ("not within `t_span`", {"t_eval": [-1, 1]}),
        ("not properly sorted", {"t_eval": [0, 0.5, 0.5]}),
        ("not properly sorted", {"t_eval": [1, 0]}),
        ("`max_step` must be positive", {"max_step": -1}),
        ("`first_step` must be positive", {"first_step": -1}),
        ("`first_step` exceeds bounds", {"first_step": 5}),
        ("`atol` must be positive", {"atol": -1e-6}),
        ("`atol` has wrong shape", {"atol": [1e-6, 1e-6]}),
        ("`jac` is expected to have shape", {"method": "BDF", "jac": np.eye(3)}),
        ("`jac` is expected to have shape", {"method": "BDF", "jac": lambda t, y: np.eye(3)}),
        ("`min_step` must be nonnegative", {"method": "LSODA", "min_step": -1}),
    ],
)
def test_wrong_arguments_are_refused_as_scipy_refuses_them(
    message: str, options: dict[str, Any]
) -> None:
    options = dict(options)
    y0 = options.pop("y0", [1.0])
    for solve, error_type in ((solve_ivp, ValueError), (scipy_integrate.solve_ivp, ValueError)):
        if solve is not solve_ivp and "finite" in message:
            continue  # of newer versions
        with pytest.raises(error_type, match=message if solve is solve_ivp else None):
            solve(lambda t, y: -y, [0, 1], y0, **options)


def test_warnings_are_those_of_scipy() -> None:
    with pytest.warns(
        UserWarning, match="no effect for a chosen solver: `jac`, `colour`|`colour`, `jac`"
    ):
        solve_ivp(lambda t, y: -y, [0, 1], [1.0], jac=[[-1]], colour="red")
    with pytest.warns(UserWarning, match="`rtol` is too small"):
        solve_ivp(lambda t, y: -y, [0, 1], [1.0], rtol=1e-20)
    with pytest.raises(TypeError, match="cannot be unpacked"):
        solve_ivp(lambda t, y, k: -y, [0, 1], [1.0], args=3)


def test_tolerances_may_be_arrays() -> None:
    r = solve_ivp(
        lambda t, y: [-y[0], -y[1]], [0, 1], [1.0, 1e-6], rtol=[1e-3, 1e-9], atol=[1e-3, 1e-15]
    )
    assert r.y[1, -1] == pytest.approx(1e-6 * math.exp(-1), rel=1e-7)


def test_scipys_classes_are_accepted_as_methods() -> None:
    for name in METHODS:
        r = solve_ivp(lambda t, y: -y, [0, 1], [1.0], method=getattr(scipy_integrate, name))
        assert r.y[0, -1] == pytest.approx(math.exp(-1), rel=5e-3)


def test_a_c_function_is_called_without_entering_python() -> None:
    numba = pytest.importorskip("numba")
    double, pointer = numba.types.double, numba.types.CPointer(numba.types.double)

    @numba.cfunc(numba.types.int32(double, pointer, pointer, numba.types.voidptr))
    def decay(t: float, y: Any, dy: Any, user: Any) -> int:
        dy[0] = -y[0]
        return 0

    r = solve_ivp(decay, [0, 1], [1.0], **TIGHT)
    assert r.y[0, -1] == pytest.approx(math.exp(-1), rel=1e-8)
    assert solve_ivp(decay, [1, 0], [math.exp(-1)], **TIGHT).y[0, -1] == pytest.approx(
        1.0, rel=1e-8
    )


def test_the_result_prints_itself_and_is_a_mapping() -> None:
    r = solve_ivp(lambda t, y: -y, [0, 1], [1.0])
    assert "status: 0" in repr(r) and r["t"] is r.t and "nfev" in dir(r)
    with pytest.raises(AttributeError):
        r.nothing
    assert isinstance(r, dict) and brink.integrate.solve_ivp is solve_ivp
