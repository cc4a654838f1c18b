"""Runs that are driven: steps, events, changes, clones, threads, Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import brink

ROOT = Path(__file__).resolve().parents[2]
BALL = ROOT / "models" / "bouncing-ball" / "model.hsml"

DECAY = """
ctc Decay is
  interface
    input(u, real);
    knob(k);
  end interface;
  body
    declarations
      state(x, real);
      parameter(k, real);
    end declarations;
    initial x := 1.0; end initial;
    dynamics
      x' = u - k*x;
    end dynamics;
    assignments
      k : 1.0;
      u : 0.0;
    end assignments;
  end body;
end Decay;
"""

LONG = """
ctc Long is
  body
    declarations
      state(x, real);
      state(v, real);
    end declarations;
    initial x := 1.0; v := 0.0; end initial;
    dynamics
      x' = v;
      v' = -1e4*x;
    end dynamics;
  end body;
end Long;
"""


def test_a_run_in_steps_is_the_run_in_one_go() -> None:
    model = brink.load(BALL)
    run = model.start(until=2.0, writable="states")
    outcomes = [step.outcome for step in run]
    assert outcomes[-1] == "end" and outcomes.count("event") >= 3
    assert np.array_equal(run.finish().table.array, model.run(until=2.0).table.array)


def test_events_stop_next_event() -> None:
    run = brink.load(BALL).start(until=1.0)
    assert run.next_event().outcome == "event"
    assert run.t == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    assert run["ball.v"] > 0 and len(run.events) == 1


def test_changes_on_the_way() -> None:
    """x' = u - k x in three pieces, against the closed form."""
    run = brink.load(DECAY).start(until=3.0, rtol=1e-11, atol=1e-13, knobs={"u": 0.0})
    run.to(1.0)
    assert run["x"] == pytest.approx(np.exp(-1), abs=1e-10)
    run["k"] = 2.0
    run.to(2.0)
    assert run["x"] == pytest.approx(np.exp(-3), abs=1e-10)
    run["u"] = 4.0
    run["x"] = 0.0
    run.to(3.0)
    assert run["x"] == pytest.approx(2 * (1 - np.exp(-2)), abs=1e-9)


def test_a_run_that_was_changed_cannot_be_repeated_in_silence() -> None:
    run = brink.load(DECAY).start(until=2.0, knobs={"u": 0.0})
    run.to(1.0)
    run["x"] = 5.0
    run.to(2.0)
    result = run.finish()
    with pytest.raises(brink.Error):
        result(0.5)
    again = brink.load(DECAY).start(until=2.0, knobs={"u": 0.0}, dense=True)
    again.to(1.0)
    again["x"] = 5.0
    again.to(2.0)
    assert again.finish()(1.5, "x") == pytest.approx(5 * np.exp(-0.5), rel=1e-5)


def test_a_run_that_was_driven_is_repeated_stop_by_stop() -> None:
    run = brink.load(BALL).start(until=1.0)
    for t in (0.1, 0.25, 0.7, 1.0):
        run.to(t)
    result = run.finish()
    again = result._with(dense=True)
    repeated = brink.Result(again, result._collect, 1.0)
    assert np.array_equal(repeated.table.array, result.table.array)
    assert np.array_equal(repeated.t, result.t)


def test_agents_that_were_driven_are_read_stop_by_stop() -> None:
    run = brink.example("bumper-cars").start(until=40.0)
    for t in (7.3, 19.1, 40.0):
        run.to(t)
    result = run.finish()
    assert result(40.0, "car[19].x") == result.final["car[19].x"]
    again = brink.example("bumper-cars").start(until=40.0)
    again.to(7.3)
    again.to(19.1)
    assert result(19.1, "car[3].y") == pytest.approx(again["car[3].y"], rel=1e-14)
    assert result(19.1 + 1e-9, "car[3].y") == pytest.approx(result(19.1, "car[3].y"), abs=1e-7)
    assert result([1.0, 8.0, 20.0, 39.0])["car[7].x"].shape == (4,)


def test_attributes_that_are_not_there_cannot_be_set() -> None:
    run = brink.load(BALL).start(until=1.0)
    with pytest.raises(AttributeError, match=r"run\['v'\]"):
        run.v = 3.0  # type: ignore[attr-defined]


def test_clones_go_on_alike_and_apart() -> None:
    run = brink.load(BALL).start(until=1.0)
    run.to(0.2)
    twin = run.clone()
    other = run.clone()
    other["ball.v"] = 3.0
    run.to(1.0)
    twin.to(1.0)
    other.to(1.0)
    assert run["ball.y"] == twin["ball.y"] != other["ball.y"]
    assert twin.finish().t[0] == 0.2


def test_reset_leads_back_to_the_start() -> None:
    run = brink.load(BALL).start(until=1.0)
    run.to(1.0)
    first = run.finish()
    values = first.table.array.copy()
    run.reset()
    assert run.t == 0.0
    run.to(1.0)
    assert np.array_equal(run.finish().table.array, values)
    assert np.array_equal(first.table.array, values)


def test_unknown_names_and_finished_runs() -> None:
    run = brink.load(BALL).start(until=1.0)
    with pytest.raises(KeyError, match="ball"):
        run["ball.z"]
    with pytest.raises(brink.ArgumentError):
        run["ball.y"] = float("nan")
    with pytest.raises(TypeError):
        run["ball.y"] = [1]  # type: ignore[assignment]
    run.finish()
    with pytest.raises(brink.ArgumentError, match="finished"):
        run.step()


def test_two_threads_run_two_simulations_at_once() -> None:
    """The interpreter lock is released: while one thread is in a run, this one counts."""
    model = brink.load(LONG)
    done = threading.Event()
    results: list[brink.Result] = []

    def work() -> None:
        results.append(model.run(until=3000.0, rtol=1e-10, keep="x", every=100.0))
        done.set()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert ticks > 20
    assert results[0].final["x"] == results[1].final["x"]


def test_a_run_belongs_to_one_thread_at_a_time() -> None:
    run = brink.load(LONG).start(until=20000.0, rtol=1e-10, keep="x", every=100.0)
    thread = threading.Thread(target=run.to)
    thread.start()
    refused = False
    while thread.is_alive() and not refused:
        try:
            run["x"]
        except brink.ArgumentError:
            refused = True
    thread.join()
    assert refused
    assert run.t == 20000.0


def interrupt_soon(seconds: float = 0.3) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_gives_back_what_was_computed() -> None:
    model = brink.load(LONG)
    model.run(until=0.01)  # now it is compiled: Ctrl-C is for the run
    time.sleep(2.1)  # farther from the last Ctrl-C than two are apart
    interrupt_soon()
    with pytest.warns(brink.RunWarning, match="interrupted"):
        result = model.run(until=1e9, keep="x", every=1.0)
    assert result.status == "interrupted" and 0 < result.t_end < 1e9
    assert len(result.t) > 0 and result.t[-1] <= result.t_end
    assert result(result.t_end / 2, "x") == pytest.approx(np.cos(100 * result.t_end / 2), abs=1)


def test_ctrl_c_may_raise() -> None:
    model = brink.load(LONG)
    model.run(until=0.01)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt) as caught:
        model.run(until=1e9, keep="x", every=1.0, on_interrupt="raise")
    assert isinstance(caught.value, brink.Interrupted)
    assert caught.value.result.status == "interrupted"


def test_a_run_goes_on_after_ctrl_c() -> None:
    run = brink.load(LONG).start(until=1e9, keep="x", every=1.0)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        run.to()
    t = run.t
    assert 0 < t < 1e9
    run.to(t + 0.1)
    assert run.t == t + 0.1
