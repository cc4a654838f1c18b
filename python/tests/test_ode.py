"""brink.ode against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import brink

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def falls(t: float, x: Any) -> list[float]:
    return [x[1], -9.81]


def ball(**more: Any) -> brink.Ode:
    def bounce(event: brink.OdeEvent, now: brink.Now) -> None:
        now.x["v"] *= -0.8

    floor = brink.Guard("h", name="floor", direction=-1, side="unilateral", action=bounce)
    return brink.ode(falls, {"h": 1.0, "v": 0.0}, guards=[floor], **more)


def bounces(count: int) -> list[float]:
    first = math.sqrt(2.0 / 9.81)
    times, flight = [first], 2.0 * first
    for _ in range(count - 1):
        flight *= 0.8
        times.append(times[-1] + flight)
    return times


# ---- guards ----


def test_a_ball_bounces_at_the_times_of_the_closed_form() -> None:
    r = ball().run(until=3.0, **TIGHT)
    assert np.allclose(r.events.t, bounces(6), rtol=0, atol=1e-9)
    assert list(r.events.name) == ["floor"] * 6
    assert set(r.events.kind) == {"crossed"} and set(r.events.direction) == {-1}
    assert np.allclose(r.events.x_after[:, 1], -0.8 * r.events.x_before[:, 1], rtol=1e-15)


def test_f_is_not_called_past_a_unilateral_guard() -> None:
    lowest = [1.0]

    def f(t: float, x: Any) -> list[float]:
        lowest[0] = min(lowest[0], x[0])
        return falls(t, x)

    floor = brink.Guard(
        "h",
        direction=-1,
        side="unilateral",
        action=lambda e, now: now.x.__setitem__(1, -0.8 * now.x[1]),
    )
    r = brink.ode(f, {"h": 1.0, "v": 0.0}, guards=[floor]).run(until=3.0, audit=True)
    assert lowest[0] >= 0.0 and r.stats.rhs_past_guard == 0 and len(r.events) == 6


def test_a_unilateral_guard_without_a_gradient_is_refused_in_the_words_of_the_library() -> None:
    model = brink.ode(
        falls, [1.0, 0.0], guards=[brink.Guard(lambda t, x: x[0], side="unilateral", name="edge")]
    )
    with pytest.raises(brink.ArgumentError, match="guard 'edge' is unilateral.*give it a gradient"):
        model.run(until=1.0)


def test_a_gradient_makes_a_unilateral_guard_of_a_callable() -> None:
    ring = brink.Guard(
        lambda t, x: 4.0 - x[0] ** 2 - x[1] ** 2,
        gradient=lambda t, x: ([-2 * x[0], -2 * x[1]], 0.0),
        side="unilateral",
        action=lambda e, now: now.stop("at the ring"),
    )
    r = brink.ode(lambda t, x: [1.0, 0.0], [0.0, 1.0], guards=[ring]).run(until=5.0, **TIGHT)
    assert r.status == "stopped" and r.message == "at the ring"
    assert abs(r.t[-1] - math.sqrt(3.0)) < 1e-9 and r.x[-1, 0] <= math.sqrt(3.0) + 1e-12


def test_a_gradient_by_time_alone_is_a_pair() -> None:
    moving = brink.Guard(
        lambda t, x: x[0] - 2.0 * t,
        gradient=lambda t, x: ([1.0], -2.0),
        side="unilateral",
        stop=True,
    )
    r = brink.ode(lambda t, x: [1.0], [1.0], guards=[moving]).run(until=5.0)
    assert abs(r.t[-1] - 1.0) < 1e-6 and r.status == "stopped"


def test_guards_by_value_numbers_and_name_have_the_same_events() -> None:
    kinds = [
        brink.Guard(lambda t, x: x[0] - 0.5),
        brink.Guard([1.0, 0.0], offset=-0.5),
        brink.Guard(depends=["q"], coefficients=[1.0], offset=-0.5),
        brink.Guard("q", offset=-0.5),
    ]
    r = brink.ode(lambda t, x: [x[1], -x[0]], {"q": 0.0, "v": 1.0}, guards=kinds).run(
        until=7.0, **TIGHT
    )
    expected = [math.pi / 6, 5 * math.pi / 6, 2 * math.pi + math.pi / 6]
    for k in range(4):
        own = r.events[r.events.guard == k]
        assert np.allclose(own.t, expected, rtol=0, atol=1e-9)
        assert own.direction.tolist() == [1, -1, 1]


def test_directions_select() -> None:
    guards = {"up": brink.Guard("q", direction=1), "down": brink.Guard("q", direction=-1)}
    r = brink.ode(lambda t, x: [x[1], -x[0]], {"q": 1.0, "v": 0.0}, guards=guards).run(
        until=8.0, **TIGHT
    )
    assert np.allclose(r.events["down"].t, [math.pi / 2, 5 * math.pi / 2], atol=1e-9)
    assert np.allclose(r.events["up"].t, [3 * math.pi / 2], atol=1e-9)


def test_a_crossing_guard_stops_just_past_its_surface() -> None:
    seen = []
    guard = brink.Guard(
        "x", offset=-1.0, side="crossing", action=lambda e, now: seen.append(now.x[0])
    )
    brink.ode(lambda t, x: [1.0], {"x": 0.0}, guards=[guard]).run(until=2.0)
    assert seen[0] >= 1.0 and seen[0] < 1.0 + 1e-9


@pytest.mark.parametrize(
    "formula", ["low and not far", "low & ~far", ["low", "far", "not", "and"], [0, 1, "not", "and"]]
)
def test_a_formula_of_guards(formula: Any) -> None:
    guards = {
        "low": brink.Guard([-1.0], side="leaf"),  # x <= 0
        "far": brink.Guard([0.0], offset=-4.0, time_coefficient=1.0, side="leaf"),  # t >= 4
        "both": brink.Guard(formula=formula),
    }
    r = brink.ode(lambda t, x: [math.cos(t)], [0.0], guards=guards).run(
        until=6.0, **TIGHT
    )  # x = sin t
    assert list(r.events.name) == ["both", "both"]
    assert np.allclose(r.events.t, [math.pi, 4.0], atol=1e-8)
    assert r.events.direction.tolist() == [1, -1]


def test_stop_after_so_many_events() -> None:
    r = brink.ode(
        lambda t, x: [x[1], -x[0]], [0.0, 1.0], guards=[brink.Guard([1.0, 0.0], stop=3)]
    ).run(until=50.0, **TIGHT)
    assert r.status == "stopped" and len(r.events) == 3
    assert abs(r.t[-1] - 3 * math.pi) < 1e-9


def test_priority_orders_events_of_one_instant() -> None:
    order: list[str] = []
    note = lambda event, now: order.append(event.name)  # noqa: E731
    guards = {
        "late": brink.Guard([1.0], offset=-1.0, action=note, priority=-1),
        "first": brink.Guard([2.0], offset=-2.0, action=note, priority=5),
        "second": brink.Guard([4.0], offset=-4.0, action=note),
    }
    brink.ode(lambda t, x: [1.0], [0.0], guards=guards).run(until=2.0)
    assert order == ["first", "second", "late"]


def test_an_action_that_carries_another_guard_across_zero_causes_an_event() -> None:
    guards = {
        "a": brink.Guard([1.0, 0.0], offset=-1.0, action=lambda e, now: now.x.__setitem__(1, 3.0)),
        "b": brink.Guard([0.0, 1.0], offset=-2.0),
    }
    r = brink.ode(lambda t, x: [1.0, 0.0], [0.0, 0.0], guards=guards).run(until=2.0)
    assert [(e.name, e.kind, e.iteration) for e in r.events] == [
        ("a", "crossed", 0),
        ("b", "jumped", 1),
    ]


def test_enabled_guards_are_watched_in_their_modes_only() -> None:
    def switch(n: int, now: brink.Now) -> None:
        now.mode.on = 1

    guard = brink.Guard("x", enabled=lambda env: env.mode.on == 1, name="zero")
    r = brink.ode(
        lambda t, x: [math.cos(t)],
        {"x": 0.5},
        modes={"on": 0},
        guards=[guard],
        clocks=[brink.Clock(tick=switch, offset=4.5)],
    ).run(until=7.0, **TIGHT)
    # x = 0.5 + sin t is zero at 7π/6 (off), and at 11π/6
    assert np.allclose(r.events.t, [11 * math.pi / 6], atol=1e-9)


# ---- modes, parameters, rules, clocks ----


def test_a_thermostat_switches_at_the_times_of_the_closed_form() -> None:
    def heat(t: float, x: Any, env: brink.Env) -> list[float]:
        return [(10.0 - x[0]) / 5.0 + (4.0 if env.mode.heating else 0.0)]

    def switch(event: brink.OdeEvent, now: brink.Now) -> None:
        now.mode["heating"] = int(event.name == "cold")

    guards = {
        "cold": brink.Guard([1.0], offset=-19.0, direction=-1, action=switch),
        "warm": brink.Guard([1.0], offset=-21.0, direction=1, action=switch),
    }
    r = brink.ode(heat, {"T": 15.0}, modes={"heating": 1}, guards=guards).run(until=6.0, **TIGHT)
    first, half = 5 * math.log(15 / 9), 5 * math.log(11 / 9)
    assert np.allclose(
        r.events.t, [first, first + half, first + 2 * half, first + 3 * half], atol=1e-9
    )
    assert r["heating"][0] == 1 and r["heating"][-1] == 1
    assert set(r.modes[:, 0]) == {0, 1}


def test_actions_change_parameters_and_see_values_from_before_the_instant() -> None:
    seen = []

    def act(event: brink.OdeEvent, now: brink.Now) -> None:
        now.p.u = -now.p.u
        seen.append((now.pre_p.u, now.p["u"], now.pre_x[0], now.t, event.t, now.sgn[0]))

    guard = brink.Guard("x", offset=-1.0, action=act)
    r = brink.ode(lambda t, x, env: [env.p.u], {"x": 0.0}, p={"u": 2.0}, guards=[guard]).run(
        until=1.0
    )
    assert r.final["x"] == pytest.approx(0.0, abs=1e-9) and r.p == {"u": -2.0}
    assert seen[0][0] == 2.0 and seen[0][1] == -2.0 and seen[0][2] == pytest.approx(1.0)


def test_names_of_states_come_before_attributes_of_arrays() -> None:
    seen = []

    def act(event: brink.OdeEvent, now: brink.Now) -> None:
        seen.append((now.x.T, now.x["size"], now.pre_x.T))
        now.x.T += 1.0
        now.x.size = 3.0

    guard = brink.Guard("T", offset=-1.0, direction=1, action=act)
    model = brink.ode(lambda t, x: [1.0, 0.0], {"T": 0.0, "size": 2.0}, guards=[guard])
    r = model.run(until=1.5)
    assert seen == [(pytest.approx(1.0), 2.0, pytest.approx(1.0))]
    assert r.final == {"T": pytest.approx(2.5), "size": 3.0}


def test_clocks_tick_exactly() -> None:
    ticks: list[tuple[str, int, float]] = []
    clocks = {
        "fast": brink.Clock(0.1, lambda n, now: ticks.append(("fast", n, now.t)), offset=0.1),
        "slow": brink.Clock(
            0.3, lambda n, now: ticks.append(("slow", n, now.t)), offset=0.3, priority=1
        ),
    }
    brink.ode(lambda t, x: [0.0], [0.0], clocks=clocks).run(until=0.95)
    assert [n for name, n, _ in ticks if name == "fast"] == list(range(9))
    at = {n: t for name, n, t in ticks if name == "fast"}
    assert [(n, t) for name, n, t in ticks if name == "slow"] == [
        (0, at[2]),
        (1, at[5]),
        (2, at[8]),
    ]
    assert ticks[2][0] == "slow"  # priority


def test_a_timer_is_set_by_actions() -> None:
    times = []

    def tick(n: int, now: brink.Now) -> None:
        times.append(now.t)
        now.timer["lamp"] = now.t + n + 1 if n < 3 else math.inf

    brink.ode(
        lambda t, x: [0.0], [0.0], clocks=[brink.Clock(tick=tick, name="lamp", offset=0.5)]
    ).run(until=20.0)
    assert times == [0.5, 1.5, 3.5, 6.5]


def test_a_guard_that_is_a_timer() -> None:
    def act(event: brink.OdeEvent, now: brink.Now) -> None:
        now.p.at = now.t + 2.0

    guard = brink.Guard(timer="at", action=act, name="alarm")
    r = brink.ode(lambda t, x: [0.0], [0.0], p={"at": 1.0}, guards=[guard]).run(until=6.0)
    assert r.events.t.tolist() == [1.0, 3.0, 5.0]


def test_rules_run_until_they_change_nothing() -> None:
    calls = []

    def rules(now: brink.Now) -> None:
        calls.append(now.t)
        if now.mode[0] < 3:
            now.mode[0] += 1

    guard = brink.Guard([1.0], offset=-1.0)
    run = brink.ode(lambda t, x: [1.0], [0.0], modes=[0], rules=rules, guards=[guard]).start()
    run.to(2.0)
    assert run.modes == (3,)


def test_f_may_have_no_states_at_all() -> None:
    ticks = []
    brink.ode(None, [], clocks=[brink.Clock(1.0, lambda n, now: ticks.append(n))]).run(until=3.5)
    assert ticks == [0, 1, 2, 3]


# ---- surfaces ----


def test_a_relay_slides_on_its_surface() -> None:
    guard = brink.Guard("x", name="switch")
    f = lambda t, x, env: [0.5 - env.sgn.switch]  # noqa: E731
    run = brink.ode(f, {"x": 1.0}, guards=[guard]).start()
    run.to(5.0)
    assert run["x"] == pytest.approx(0.0, abs=1e-9) and run.signs.switch == 0
    r = run.finish()
    assert [(s.name, s.end) for s in r.slides] == [("switch", 5.0)]
    assert r.slides[0].begin == pytest.approx(2.0, abs=1e-6)
    assert r(1.0)[0] == pytest.approx(0.5, abs=1e-6) and r(4.0)[0] == pytest.approx(0.0, abs=1e-9)


def test_a_block_with_dry_friction_comes_to_rest_and_is_released() -> None:
    def f(t: float, x: Any, env: brink.Env) -> list[float]:
        push = 0.3 * t
        if env.sgn.speed == 0:
            return [x[1], 0.0]
        return [x[1], push - 0.6 * env.sgn.speed]

    held = []
    guards = {
        "speed": brink.Guard(
            "v",
            surface="model",
            leave_positive="forwards",
            on_surface=lambda e, now: held.append((e.kind, now.t)),
        ),
        "forwards": brink.Guard([0.0, 0.0], time_coefficient=0.3, offset=-0.9),
    }
    r = brink.ode(f, {"q": 0.0, "v": 0.5}, guards=guards).run(until=5.0, **TIGHT)
    # v = 0.5 - 0.6 t + 0.15 t²: it stops at t = 2 - sqrt(2/3), and is pushed off when 0.3 t = 0.9
    stops = 2.0 - math.sqrt(4.0 - 10.0 / 3.0)
    assert held[0][0] == "held" and held[0][1] == pytest.approx(stops, abs=1e-8)
    assert r(2.5)[1] == pytest.approx(0.0, abs=1e-10)
    assert r(5.0)[1] == pytest.approx(0.15 * 16 - 0.6 * 2, abs=1e-8)
    assert r.slides[0].name == "speed" and r.slides[0].end == pytest.approx(3.0, abs=1e-9)


def test_infinitely_many_bounces_end_the_run_or_are_passed() -> None:
    limit = math.sqrt(2 / 9.81) * (1 + 0.8) / (1 - 0.8)
    with pytest.raises(brink.SimulationError) as caught:
        ball().run(until=10.0)
    assert caught.value.reason == "zeno" and caught.value.t == pytest.approx(limit, abs=1e-6)
    assert caught.value.result.status == "failed" and len(caught.value.result.events) > 20

    def rest(guards: list[str], now: brink.Now) -> None:
        assert guards == ["floor"]
        now.x[:] = 0.0
        now.mode.resting = 1

    def f(t: float, x: Any, env: brink.Env) -> list[float]:
        return [0.0, 0.0] if env.mode.resting else falls(t, x)

    floor = brink.Guard(
        "h",
        name="floor",
        direction=-1,
        side="unilateral",
        enabled=lambda env: not env.mode.resting,
        action=lambda e, now: now.x.__setitem__("v", -0.8 * now.x.v),
    )
    r = brink.ode(f, {"h": 1.0, "v": 0.0}, modes={"resting": 0}, guards=[floor], zeno=rest).run(
        until=10.0
    )
    assert r.status == "finished" and r.final == {"h": 0.0, "v": 0.0} and r.t[-1] == 10.0


# ---- callables ----


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=np.float32),
        lambda v: np.array(v, dtype=object),
        lambda v: [np.float64(v[0]), np.array([v[1]])[0]],
        lambda v: np.array([v[0], 0, v[1], 0])[::2],
    ],
)
def test_f_may_return_any_sequence(kind: Any) -> None:
    r = brink.ode(lambda t, x: kind([x[1], -x[0]]), [1.0, 0.0]).run(until=1.0, rtol=1e-6)
    assert r.x[-1] == pytest.approx([math.cos(1), -math.sin(1)], abs=1e-5)


def test_a_single_number_will_do_for_a_single_state() -> None:
    r = brink.ode(lambda t, x: -x[0], [1.0]).run(until=1.0, **TIGHT)
    assert r.x[-1, 0] == pytest.approx(math.exp(-1), rel=1e-9)


def test_states_that_f_keeps_do_not_change_and_changes_to_them_have_no_effect() -> None:
    kept: list[tuple[float, Any, list[float]]] = []

    def f(t: float, x: Any) -> Any:
        derivative = [x[1], -x[0]]
        kept.append((t, x, x.tolist()))
        return derivative

    def g(t: float, x: Any) -> Any:
        derivative = [x[1], -x[0]]
        x[:] = 99.0
        return derivative

    r = brink.ode(f, [1.0, 0.0]).run(until=1.0)
    assert all(x.tolist() == values for _, x, values in kept)
    s = brink.ode(g, [1.0, 0.0]).run(until=1.0)
    assert np.array_equal(r.x, s.x)


def test_an_env_that_f_keeps_does_not_change() -> None:
    envs: dict[int, brink.Env] = {}

    def f(t: float, x: Any, env: brink.Env) -> list[float]:
        envs[id(env)] = env
        return [env.p.u]

    guard = brink.Guard("x", offset=-1.0, action=lambda e, now: now.p.__setitem__("u", 3.0))
    brink.ode(f, {"x": 0.0}, p={"u": 1.0}, guards=[guard]).run(until=2.0)
    assert {env.p.u for env in envs.values()} >= {1.0, 3.0} and len(envs) < 10
    with pytest.raises(AttributeError):
        next(iter(envs.values())).p.u = 2.0


def test_p_without_names_is_an_array_that_cannot_be_written() -> None:
    def f(t: float, x: Any, env: brink.Env) -> Any:
        assert isinstance(env.p, np.ndarray) and env.mode == (4,)
        with pytest.raises(ValueError):
            env.p[0] = 1.0
        return env.p * x

    r = brink.ode(f, [1.0, 1.0], p=[-1.0, -2.0], modes=[4]).run(until=1.0, **TIGHT)
    assert r.x[-1] == pytest.approx([math.exp(-1), math.exp(-2)], rel=1e-9)


def test_a_refused_point_shortens_the_step() -> None:
    refused = []

    def f(t: float, x: Any) -> list[float]:
        if x[0] < 0:
            refused.append(t)
            raise brink.Refuse
        return [-2.0 * math.sqrt(x[0])]  # x = (1 - t)²

    r = brink.ode(f, [1.0]).run(until=0.9999, **TIGHT)
    assert r.x[-1, 0] == pytest.approx(1e-8, rel=1e-3)
    with pytest.raises(brink.SimulationError) as caught:
        brink.ode(f, [-1.0]).run(until=1.0)
    assert caught.value.reason == "rhs-refused" and refused


def test_a_field_that_is_not_a_number_is_reported() -> None:
    with pytest.raises(brink.SimulationError, match="'v' is not finite") as caught:
        brink.ode(lambda t, x: [x[1], math.nan], {"h": 1.0, "v": 0.0}).run(until=1.0)
    assert caught.value.reason == "rhs-not-finite"


# ---- exceptions ----


class Own(Exception):
    pass


def raises(*arguments: Any) -> Any:
    raise Own("mine")


def fails_in(place: str) -> brink.Ode:
    f = lambda t, x, env: [1.0]  # noqa: E731
    more: Any = {
        "f": {},
        "value": {"guards": [brink.Guard(raises)]},
        "gradient": {
            "guards": [
                brink.Guard(
                    lambda t, x: x[0] - 1, gradient=lambda t, x: raises(), side="unilateral"
                )
            ]
        },
        "action": {"guards": [brink.Guard([1.0], offset=-1.0, action=raises)]},
        "enabled": {"guards": [brink.Guard([1.0], offset=-1.0, enabled=raises)]},
        "tick": {"clocks": [brink.Clock(0.5, raises)]},
        "rules": {"rules": raises, "clocks": [brink.Clock(0.5)]},
        "jacobian": {"jacobian": lambda t, x: raises()},
    }.get(place)
    if place == "zeno":
        return brink.ode(
            falls,
            {"h": 1.0, "v": 0.0},
            zeno=raises,
            guards=[
                brink.Guard(
                    "h",
                    direction=-1,
                    side="unilateral",
                    action=lambda e, now: now.x.__setitem__(1, -0.5 * now.x[1]),
                )
            ],
        )
    return brink.ode((lambda t, x, env: raises()) if place == "f" else f, [0.0], **more)


@pytest.mark.parametrize(
    "place", ["f", "value", "gradient", "action", "enabled", "tick", "rules", "jacobian", "zeno"]
)
def test_exceptions_come_out_as_themselves(place: str) -> None:
    method = {"method": "bdf"} if place == "jacobian" else {}
    with pytest.raises(Own, match="mine") as caught:
        fails_in(place).run(until=10.0, **method)
    assert [entry.name for entry in caught.traceback][-1] == "raises"
    assert any(
        "brink: raised in" in note
        for note in getattr(caught.value, "__notes__", ["brink: raised in"])
    )


def test_the_very_object_is_raised_and_the_run_can_be_inspected() -> None:
    error = ValueError("late")

    def f(t: float, x: Any) -> list[float]:
        if t > 1.0:
            raise error
        return [1.0]

    run = brink.ode(f, [0.0]).start(hmax=0.1)
    with pytest.raises(ValueError) as caught:
        run.to(5.0)
    assert caught.value is error
    assert 0.5 < run.t <= 1.0 and run.x[0] == pytest.approx(run.t)
    r = run.finish()
    assert r.status == "failed" and r(0.5)[0] == pytest.approx(0.5)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, StopIteration, MemoryError])
def test_exceptions_of_all_kinds_come_out(error: type[BaseException]) -> None:
    def f(t: float, x: Any) -> list[float]:
        raise error()

    with pytest.raises(error):
        brink.ode(f, [0.0]).run(until=1.0)


def test_a_keyboard_interrupt_gives_back_what_was_computed() -> None:
    def f(t: float, x: Any) -> list[float]:
        if t > 1.0:
            raise KeyboardInterrupt
        return [1.0]

    with pytest.raises(brink.Interrupted) as caught:
        brink.ode(f, [0.0]).run(until=5.0, hmax=0.1)
    r = caught.value.result
    assert r.status == "interrupted" and 0.5 < r.t[-1] <= 1.0


def test_nothing_is_kept_after_runs_and_exceptions() -> None:
    import gc
    import weakref

    from brink._simulation import Simulation

    class F:
        def __call__(self, t: float, x: Any) -> Any:
            return [1.0] if t < 0.5 else raises()

    def alive() -> int:
        gc.collect()
        return sum(isinstance(o, Simulation) for o in gc.get_objects())

    before = alive()
    f = F()
    watched = weakref.ref(f)
    for _ in range(50):
        try:
            brink.ode(
                f, [0.0], guards=[brink.Guard([1.0], offset=-0.2, action=lambda e, now: None)]
            ).run(until=1.0)
        except Own:
            pass
    del f
    assert watched() is None  # without the garbage collector: no cycles
    assert alive() == before


# ---- results ----


def test_results_are_the_memory_of_the_library() -> None:
    r = brink.ode(falls, {"h": 1.0, "v": 0.0}).run(until=0.4)
    assert r.t.base is not None and not r.x.flags.owndata
    assert r.x.__array_interface__["data"][0] == r.t.__array_interface__["data"][0] + 8
    with pytest.raises(ValueError):
        r.x[0, 0] = 1.0
    x = r.x
    del r
    assert x[0].tolist() == [1.0, 0.0]  # the array keeps its memory


def test_dense_output_is_as_accurate_as_the_run() -> None:
    r = brink.ode(lambda t, x: [x[1], -x[0]], [0.0, 1.0]).run(until=20.0, **TIGHT)
    t = np.linspace(0, 20, 1001)
    assert np.abs(r(t)[:, 0] - np.sin(t)).max() < 1e-7
    assert r(0.0).tolist() == [0.0, 1.0] and r(20.0) == pytest.approx(r.x[-1])
    for bad in (-0.1, 20.1, math.nan):
        with pytest.raises(brink.ArgumentError):
            r(bad)
    assert r([]).shape == (0, 2)


def test_a_run_may_have_other_values_at_its_start() -> None:
    model = brink.ode(
        lambda t, x, env: [env.p.k * x[0] * (1 + env.mode.fast)],
        {"y": 1.0},
        p={"k": 1.0, "z": 0.0},
        modes={"fast": 0},
    )
    assert model.run(until=1.0, **TIGHT).final["y"] == pytest.approx(math.e, rel=1e-9)
    assert model.run(until=1.0, p={"k": 2.0}, **TIGHT).final["y"] == pytest.approx(
        math.e**2, rel=1e-9
    )
    assert model.run(until=1.0, x0=[3.0], modes={"fast": 1}, **TIGHT).final["y"] == pytest.approx(
        3 * math.e**2, rel=1e-9
    )
    assert model.run(until=3.0, t0=2.0, **TIGHT).final["y"] == pytest.approx(math.e, rel=1e-9)


def test_tables_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    r = ball().run(until=1.0)
    frame = r.to_pandas()
    assert list(frame.columns) == ["h", "v"] and frame.index.name == "t" and len(frame) == len(r.t)
    events = r.events.to_pandas()
    assert isinstance(events, pandas.DataFrame) and events["name"].tolist() == ["floor"]


def test_a_failed_run_is_returned_if_asked_for() -> None:
    r = brink.ode(lambda t, x: [x[0] ** 2], [1.0]).run(until=2.0, check=False)
    assert r.status == "failed" and not r.success and r.reason and abs(r.t[-1] - 1.0) < 1e-3


# ---- stiff ----


def stiff(t: float, x: Any) -> list[float]:
    return [-1000.0 * (x[0] - math.cos(t)) - math.sin(t), -x[1]]


J = [[-1000.0, 0.0], [0.0, -1.0]]


def test_jacobians_of_all_kinds_give_the_same_solution() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    calls = []

    def jacobian(t: float, x: Any) -> Any:
        calls.append(t)
        return J

    kinds: dict[str, dict[str, Any]] = {
        "differences": {},
        "dense": {"jacobian": jacobian},
        "env": {"jacobian": lambda t, x, env: np.array(J)},
        "sparse": {"jacobian": lambda t, x: sparse.csr_matrix(J), "sparsity": np.eye(2)},
        "sparse, full pattern": {"jacobian": lambda t, x: sparse.coo_matrix(J)},
        "fixed": {"jacobian": J},
        "fixed, sparse": {"jacobian": sparse.csc_matrix(J), "sparsity": sparse.eye(2)},
        "coloured": {"sparsity": sparse.eye(2)},
    }
    for kind, given in kinds.items():
        r = brink.ode(stiff, [1.0, 1.0], **given).run(
            until=10.0, method="bdf", rtol=1e-7, atol=1e-9
        )
        assert r.x[-1] == pytest.approx([math.cos(10.0), math.exp(-10.0)], abs=1e-5), kind
        assert r.stats.steps < 2000 and r.stats.jacobians > 0, kind
    assert calls


def test_colours_take_fewer_evaluations() -> None:
    n = 60
    sparse = pytest.importorskip("scipy.sparse")

    def f(t: float, x: Any) -> Any:
        y = np.concatenate([[0.0], x, [0.0]])
        return 500.0 * (y[2:] - 2 * x + y[:-2])

    pattern = sparse.diags([1, 1, 1], [-1, 0, 1], (n, n))
    x0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    plain = brink.ode(f, x0).run(until=1.0, method="bdf")
    coloured = brink.ode(f, x0, sparsity=pattern).run(until=1.0, method="bdf")
    rate = -2000.0 * math.sin(math.pi / 2 / (n + 1)) ** 2
    assert coloured.x[-1] == pytest.approx(x0 * math.exp(rate), abs=1e-5)
    assert coloured.stats.jacobians > 0 and plain.stats.rhs > coloured.stats.rhs + 40


def test_a_jacobian_outside_of_its_pattern_is_refused() -> None:
    model = brink.ode(
        stiff, [1.0, 1.0], jacobian=lambda t, x: [[-1000.0, 1.0], [0.0, -1.0]], sparsity=np.eye(2)
    )
    with pytest.raises(brink.ArgumentError, match="pattern"):
        model.run(until=1.0, method="bdf")


def test_auto_finds_out_that_a_model_is_stiff() -> None:
    r = brink.ode(stiff, [1.0, 1.0]).run(until=100.0)
    assert r.stats.jacobians > 0 and r.x[-1, 0] == pytest.approx(math.cos(100.0), abs=1e-4)


# ---- derivatives ----


def test_sensitivities_of_a_bounce_are_those_of_the_closed_form() -> None:
    def bounce(event: Any, now: brink.Now) -> None:
        now.x.v *= -now.p.e

    model = brink.ode(
        falls,
        {"h": 1.0, "v": 0.0},
        p={"e": 0.8, "unused": 1.0},
        guards=[brink.Guard("h", direction=-1, side="unilateral", action=bounce)],
    )
    r = model.run(until=1.3, sensitivity=["h", "e"], **TIGHT)
    s, first = r.sensitivity, math.sqrt(2.0 / 9.81)
    assert s is not None and s.directions == ("h", "e")
    assert s.event_time == pytest.approx(
        np.array([[first / 2, 0.0], [first * 2.6 / 2, 2.0 * first]]), abs=1e-6
    )
    assert (
        s.dx.shape == (len(s.t), 2, 2)
        and s.t[0] == 0.0
        and s.dx[0].tolist() == [[1.0, 0.0], [0.0, 0.0]]
    )
    assert "differences" in s.limits
    # by differences of whole runs
    for k, change in enumerate(({"x0": {"h": 1.0 + 1e-5}}, {"p": {"e": 0.8 + 1e-5}})):
        moved = model.run(until=1.3, **change, **TIGHT)
        assert (moved.x[-1] - r.x[-1]) / 1e-5 == pytest.approx(s.end[:, k], rel=1e-3, abs=1e-3)
    assert s["e"].shape == (len(s.t), 2)


def test_the_end_of_a_run_moves_with_the_event_that_ends_it() -> None:
    model = brink.ode(falls, {"h": 1.0, "v": 0.0}, guards=[brink.Guard("h", stop=True)])
    s = model.run(until=9.0, sensitivity=True, **TIGHT).sensitivity
    first = math.sqrt(2.0 / 9.81)
    # at the floor h = 0 whatever the start was; v = -sqrt(2 g h0)
    assert s is not None and s.end[0] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert s.end[1, 0] == pytest.approx(-9.81 * first / 2, abs=1e-6)


def test_near_misses_are_reported() -> None:
    r = brink.ode(
        lambda t, x: [math.cos(t)],
        {"x": 0.0},
        guards=[brink.Guard("x", offset=-1.0 - 1e-7, name="top")],
    ).run(until=3.0, rtol=1e-6, atol=1e-8)
    assert (
        r.near_misses
        and r.near_misses[0].name == "top"
        and r.near_misses[0].t == pytest.approx(math.pi / 2, abs=1e-2)
    )
