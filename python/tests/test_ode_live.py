"""Live runs of models in Python: stepping, driving, branches, threads, Ctrl-C."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
from typing import Any, Iterator

import numpy as np
import pytest

import brink

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def falls(t: float, x: Any) -> list[float]:
    return [x[1], -9.81]


def ball() -> brink.Ode:
    floor = brink.Guard(
        "h",
        name="floor",
        direction=-1,
        side="unilateral",
        action=lambda e, now: now.x.__setitem__("v", -0.8 * now.x.v),
    )
    return brink.ode(falls, {"h": 1.0, "v": 0.0}, guards=[floor])


def test_steps_lead_to_the_end_with_the_rows_of_a_run() -> None:
    live = ball().start(until=2.0)
    steps = list(live)
    assert steps[-1].outcome == "end" and live.t == 2.0
    assert [s.outcome for s in steps].count("event") == 3
    r, s = live.finish(), ball().run(until=2.0)
    assert (
        np.array_equal(r.t, s.t)
        and np.array_equal(r.x, s.x)
        and np.array_equal(r.events.t, s.events.t)
    )


def test_next_event_and_to() -> None:
    live = ball().start(**TIGHT)
    step = live.next_event(5.0)
    assert (
        step.outcome == "event"
        and live.events[0].name == "floor"
        and step.t == pytest.approx(math.sqrt(2 / 9.81), abs=1e-9)
    )
    assert live.x[1] > 0
    assert live.next_event(0.6).outcome == "end" and live.t == 0.6
    assert live.to(0.7).t == 0.7
    assert live(0.65) == pytest.approx(live.result()(0.65))
    with pytest.raises(brink.ArgumentError, match="0.1"):
        live.to(0.1)
    assert live.to(0.8).outcome == "end"  # a refused time changes nothing


def test_a_stopped_run_stays_where_it_is() -> None:
    live = brink.ode(falls, {"h": 1.0, "v": 0.0}, guards=[brink.Guard("h", stop=True)]).start()
    assert live.to(9.0).outcome == "stopped"
    t = live.t
    assert (
        live.step() == live.to(10.0) == live.next_event()
        and live.t == t
        and live.status == "stopped"
    )


def test_values_are_changed_on_the_way() -> None:
    live = brink.ode(
        lambda t, x, env: [env.p.u * env.mode.on, 0.0],
        {"a": 0.0, "b": 5.0},
        p={"u": 1.0},
        modes={"on": 1},
    ).start()
    live.to(1.0)
    live["u"] = 2.0
    live.to(2.0)
    live["a"] = 10.0
    live.modes = {"on": 0}
    live.to(3.0)
    live.x = [1.0, 2.0]
    live.modes = [1]
    live.p = [-1.0]
    live.to(4.0)
    assert live.x == pytest.approx([0.0, 2.0], abs=1e-9)
    r = live.finish()
    assert (
        r(1.5, "a") == pytest.approx(2.0)
        and r(2.5, "a") == pytest.approx(10.0)
        and r(3.5, "a") == pytest.approx(0.5)
    )
    assert r(2.5, "b") == 5.0 and live["u"] == -1.0 and live["on"] == 1
    with pytest.raises(brink.ArgumentError):
        live.to(5.0)
    with pytest.raises(brink.ArgumentError):
        live["u"] = 1.0


def test_arrays_of_a_live_run_cannot_be_written_in_vain() -> None:
    live = brink.ode(falls, [1.0, 0.0], p=[3.0]).start()
    for array in (live.x, live.p):
        with pytest.raises(ValueError):
            array[0] = 2.0
    with pytest.raises(TypeError):
        live.modes[0] = 1


def test_wrong_values_are_refused_and_change_nothing() -> None:
    live = ball().start()
    live.to(0.2)
    before = live.x
    for wrong in ([1.0], [1.0, math.nan], ["a", "b"], {"q": 1.0}, [1j, 2]):
        with pytest.raises(brink.ArgumentError):
            live.x = wrong
    for name in ("nothing", 3, None):
        with pytest.raises(brink.ArgumentError):
            live[name] = 1.0  # type: ignore[index]
        with pytest.raises(brink.ArgumentError):
            live[name]  # type: ignore[index]
    assert np.array_equal(live.x, before)


def test_results_of_a_live_run_stay_when_it_goes_on() -> None:
    live = ball().start()
    live.to(0.3)
    early = live.result()
    rows, copy = len(early.t), early.x.copy()
    live.to(50 / 30)
    assert len(early.t) == rows and np.array_equal(early.x, copy) and len(live.result().t) > rows
    assert early(0.2) == pytest.approx([1 - 9.81 * 0.02, -9.81 * 0.2])
    with pytest.raises(brink.ArgumentError):
        early(0.4)


def test_a_clone_goes_on_bit_for_bit() -> None:
    live = ball().start()
    live.to(1.0)
    twin = live.clone()
    live.to(2.0)
    twin.to(2.0)
    assert np.array_equal(live.x, twin.x) and live.stats == twin.stats
    twin["h"] = 3.0
    assert live["h"] != 3.0
    assert twin.finish().t[0] == 1.0


def test_a_clone_counts_its_stops_on() -> None:
    live = brink.ode(
        lambda t, x: [x[1], -x[0]], [0.0, 1.0], guards=[brink.Guard([1.0, 0.0], stop=3)]
    ).start()
    live.to(4.0)
    twin = live.clone()
    assert twin.to(20.0).outcome == "stopped" and twin.t == pytest.approx(3 * math.pi, abs=1e-4)
    assert live.to(20.0).outcome == "stopped" and live.t == twin.t


def test_reset_goes_back_to_the_start() -> None:
    live = ball().start(sensitivity=True)
    live.to(1.0)
    first = live.result()
    live.reset()
    assert live.t == 0.0 and live.x.tolist() == [1.0, 0.0]
    live.to(1.0)
    again = live.finish()
    assert np.array_equal(first.x, again.x)
    assert first.sensitivity is not None and again.sensitivity is not None
    assert np.array_equal(first.sensitivity.dx, again.sensitivity.dx)


def test_a_run_cannot_be_moved_from_inside_its_own_callbacks() -> None:
    live: brink.OdeRun

    def action(event: Any, now: Any) -> None:
        for call in (
            live.step,
            live.finish,
            live.clone,
            live.reset,
            lambda: live.__setitem__("x", 1.0),
        ):
            with pytest.raises(brink.ArgumentError, match="under way"):
                call()
        assert live.t < 1.0 + 1e-9

    live = brink.ode(
        lambda t, x: [1.0], {"x": 0.0}, guards=[brink.Guard("x", offset=-1.0, action=action)]
    ).start()
    assert live.to(2.0).t == 2.0


def test_another_run_may_be_moved_from_inside_a_callback() -> None:
    inner = brink.ode(lambda t, x: -x, [1.0])

    def f(t: float, x: Any) -> Any:
        return -inner.run(until=0.1).x[-1]

    assert brink.ode(f, [1.0]).run(until=0.5).x[-1, 0] == pytest.approx(
        1 - 0.5 * math.exp(-0.1), abs=1e-5
    )


def test_infinite_times_mean_no_limit() -> None:
    live = brink.ode(falls, {"h": 1.0, "v": 0.0}, guards=[brink.Guard("h", stop=True)]).start()
    assert live.to(math.inf).outcome == "stopped"


# ---- threads ----


def test_two_threads_run_two_simulations_of_python_callables() -> None:
    def work(k: int) -> None:
        model = brink.ode(lambda t, x, env: [-env.p.k * x[0]], [1.0], p={"k": float(k + 1)})
        found[k] = model.run(until=1.0, **TIGHT).x[-1, 0]

    found: dict[int, float] = {}
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: pytest.approx(math.exp(-(k + 1)), rel=1e-8) for k in range(4)}


def test_one_model_runs_in_several_threads() -> None:
    model = ball()
    expected = model.run(until=2.5).x[-1].tolist()
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(model.run(until=2.5).x[-1].tolist()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_a_run_that_another_thread_moves_is_refused() -> None:
    inside, leave = threading.Event(), threading.Event()

    def f(t: float, x: Any) -> list[float]:
        inside.set()
        leave.wait(20)
        return [1.0]

    live = brink.ode(f, [0.0]).start()
    thread = threading.Thread(target=live.to, args=(1.0,))
    thread.start()
    assert inside.wait(20)
    with pytest.raises(brink.ArgumentError, match="under way"):
        live.to(2.0)
    leave.set()
    thread.join()
    assert live.t == 1.0


# ---- Ctrl-C ----


@contextlib.contextmanager
def interrupt(after: float = 0.2) -> Iterator[None]:
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()


def test_ctrl_c_in_python_callables_gives_back_what_was_computed() -> None:
    model = brink.ode(lambda t, x: [x[1], -x[0]], [1.0, 0.0])
    with interrupt(), pytest.raises(brink.Interrupted) as caught:
        model.run(until=1e9)
    r = caught.value.result
    assert r.status == "interrupted" and len(r.t) > 10
    assert r(r.t[-1] / 2)[0] == pytest.approx(math.cos(r.t[-1] / 2), abs=1e-2)


def test_a_run_goes_on_after_ctrl_c() -> None:
    live = brink.ode(lambda t, x: [x[1], -x[0]], [1.0, 0.0]).start(rtol=1e-9)
    with interrupt(), pytest.raises(KeyboardInterrupt):
        live.to(1e9)
    assert live.status == "interrupted"
    t = live.t
    assert live.to(t + 1.0).outcome == "end" and live.x[0] == pytest.approx(
        math.cos(t + 1.0), abs=1e-3
    )


# ---- derivatives of what is set on the way ----


def decay() -> brink.Ode:
    return brink.ode(lambda t, x, env: [-env.p.k * x[0]], {"x": 1.0}, p={"k": 1.0})


def test_a_state_that_is_set_depends_on_nothing_any_more() -> None:
    run = decay().start(until=2, sensitivity=["x", "k"], **TIGHT)
    run.to(1)
    run["x"] = 3.0
    run.to(2)
    s = run.finish().sensitivity
    assert s is not None
    np.testing.assert_allclose(s.end, [[0.0, -3.0 * math.exp(-1)]], atol=1e-8)
    at_one = s.dx[s.t == 1.0, 0]
    np.testing.assert_allclose(at_one, [[math.exp(-1), -math.exp(-1)], [0.0, 0.0]], atol=1e-8)


def test_a_parameter_that_is_set_depends_on_nothing_any_more() -> None:
    run = decay().start(until=2, sensitivity=["x", "k"], **TIGHT)
    run.to(1)
    run["k"] = 2.0
    run.to(2)
    s = run.finish().sensitivity
    assert s is not None
    np.testing.assert_allclose(s.end, [[math.exp(-3), -math.exp(-3)]], atol=1e-8)


def test_a_value_that_is_there_already_is_set_all_the_same() -> None:
    grows = brink.ode(lambda t, x, env: [env.p.u, 0.0], {"x": 0.0, "y": 0.0}, p={"u": 0.0})
    run = grows.start(until=2, sensitivity=["u"])
    run.to(1)  # x = 0, but dx/du = 1
    run["x"] = 0.0
    assert run["x"] == 0.0
    run.to(2)
    s = run.finish().sensitivity
    assert s is not None and s.end[0, 0] == pytest.approx(1.0)
    run = grows.start(until=2, sensitivity=["u"])
    run.to(1)
    run["y"] = 5.0  # x keeps its derivative
    run["u"] = 0.0
    run.to(2)
    s = run.finish().sensitivity
    assert s is not None and s.end[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("sensitivity", [None, True])
def test_a_state_that_is_refused_stays_as_it_was(value: float, sensitivity: Any) -> None:
    run = decay().start(until=2, sensitivity=sensitivity)
    run.to(1)
    before = run["x"]
    with pytest.raises(brink.ArgumentError, match="finite"):
        run["x"] = value
    assert run["x"] == before


def test_what_is_set_before_the_start_is_another_start() -> None:
    run = decay().start(until=1, sensitivity=["x", "k"], **TIGHT)
    run["x"] = 3.0
    run["k"] = 2.0
    run.to(1)
    s = run.finish().sensitivity
    assert s is not None
    np.testing.assert_allclose(s.end, [[math.exp(-2), -3 * math.exp(-2)]], atol=1e-8)


def test_a_state_that_is_set_onto_a_surface_that_holds_it() -> None:
    """Who is set beside x = c comes to it at once: x follows c from there on, and y' = x."""
    relay = brink.ode(
        lambda t, x, env: [1.0 - 2e3 * env.sgn[0], x[0]],
        {"x": 2003.0, "y": 0.0},
        p={"c": 3.0},
        guards=[brink.Guard(lambda t, x, env: x[0] - env.p.c)],
    )
    run = relay.start(until=2, sensitivity=["x", "c"], **TIGHT)
    run.to(1)
    run["x"] = 3.0
    run.to(2)
    assert run["x"] == pytest.approx(3.0, abs=1e-9)
    s = run.finish().sensitivity
    assert s is not None
    np.testing.assert_allclose(s.end, [[0.0, 1.0], [1.0, 1.0]], atol=1e-6)


def test_a_clone_says_that_it_has_no_derivatives() -> None:
    run = decay().start(until=2, sensitivity=["x"])
    run.to(1)
    other = run.clone()
    other.to(2)
    with pytest.raises(brink.ArgumentError, match="derivatives begin with the run"):
        other.finish().sensitivity
    plain = decay().start(until=2)
    assert plain.clone().finish().sensitivity is None


# ---- guards that are past ----


def test_a_guard_that_is_past_is_told() -> None:
    run = ball().start(until=1)
    run.to(0.2)
    run["h"] = -0.1
    with pytest.warns(brink.RunWarning, match="guard 'floor' began below zero") as told:
        run.to(1)
    assert told[0].filename == __file__
    with pytest.warns(brink.RunWarning, match="guard 'floor' began below zero") as told:
        ball().run(until=0.3, x0={"h": -0.1})
    assert told[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_a_guard_that_is_not_past_is_not_told() -> None:
    run = ball().start(until=1)
    run.to(0.2)
    run["h"] = 0.5
    run.to(1)
    assert len(run.finish().events) >= 1
    ball().run(until=0.3, x0={"h": 0.0, "v": 1.0})


# ---- what is no value, and no name ----


@pytest.mark.parametrize("name", ["mode", "params", "t", "signs", "until"])
def test_a_run_refuses_attributes_that_nobody_reads(name: str) -> None:
    run = decay().start()
    with pytest.raises(AttributeError, match=f"run.{name} cannot be assigned"):
        setattr(run, name, [1])


def test_a_run_says_how_a_state_is_assigned() -> None:
    run = ball().start()
    with pytest.raises(AttributeError, match=r"run\['v'\]"):
        run.v = 3.0  # type: ignore[attr-defined]


def test_no_time_is_no_time() -> None:
    with pytest.raises(brink.ArgumentError, match="the time to go to is nan"):
        decay().start().to(math.nan)


@pytest.mark.parametrize("value", [2.5, 2**31, -(2**31) - 1, math.nan, math.inf, "a"])
def test_modes_of_a_run_are_whole(value: Any) -> None:
    run = brink.ode(lambda t, x: [0.0], [0.0], modes={"gain": 1}).start()
    with pytest.raises(brink.ArgumentError, match="gain"):
        run["gain"] = value
    assert run["gain"] == 1
