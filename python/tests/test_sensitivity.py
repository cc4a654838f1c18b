"""Derivatives of runs: against closed forms, against SciPy, and that they do not change a run."""

from __future__ import annotations

import gc
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import brink

BALL = """
ctc Ball is
  interface knob(e, h, last); output(energy, signal); end interface;
  body
    declarations
      state(y, real); state(v, real); held(bounces, integer);
      parameter(g, real); parameter(e, real, (0.0, 1.0)); parameter(h, real);
      parameter(last, integer);
      flag(ground, unilateral);
    end declarations;
    initial y := h; v := 0.0; bounces := 0; end initial;
    dynamics y' = v; v' = -g; ground = y; end dynamics;
    output energy = 0.5*v^2 + g*y; end output;
    event(ground) negative-going
      v := -e*v;
      bounces := bounces + 1;
      if bounces + 1 = last then stop("enough"); end if;
    end negative-going; end event;
    assignments g : 9.81; e : 0.8; h : 1.0; last : 1000; end assignments;
  end body;
end Ball;
"""


def flight(n: int, g: float, e: float, h: float) -> tuple[float, float]:
    """The time of the n-th bounce, and the speed after it."""
    first = math.sqrt(2 * h / g)
    return first * (1 + 2 * sum(e**k for k in range(1, n))), e**n * math.sqrt(2 * g * h)


@pytest.fixture()
def ball() -> brink.Model:
    return brink.load(BALL)


def run(model: brink.Model, until: float = 1.4, **more: object) -> brink.Result:
    return model.run(until=until, interpret=True, rtol=1e-11, atol=1e-13, **more)


def test_times_of_bounces(ball: brink.Model) -> None:
    r = run(ball, 2.7, sensitivity=["e", "g", "y"])
    s = r.sensitivity
    g, e, h = 9.81, 0.8, 1.0
    assert s.directions == ("e", "g", "y") and s.states == ("y", "v", "bounces")
    assert s.limits == () and len(r.events) == 5
    times = np.array([flight(n, g, e, h)[0] for n in range(1, 6)])
    first = math.sqrt(2 * h / g)
    by_e = [first * sum(2 * k * e ** (k - 1) for k in range(1, n)) for n in range(1, 6)]
    np.testing.assert_allclose(s.events["e"], by_e, atol=1e-9)
    np.testing.assert_allclose(s.events["g"], -times / (2 * g), atol=1e-9)
    np.testing.assert_allclose(s.events["y"], times / (2 * h), atol=1e-9)
    assert dict(s.events).keys() == {"e", "g", "y"} and s.events.array.shape == (5, 3)
    assert list(s.events.to_pandas().columns) == ["e", "g", "y"]


def test_states_over_time(ball: brink.Model) -> None:
    s = run(ball, 0.4, sensitivity=["h", "g"]).sensitivity
    np.testing.assert_allclose(s["y", "h"], 1.0, atol=1e-12)
    np.testing.assert_allclose(s["y", "g"], -0.5 * s.t**2, atol=1e-9)
    np.testing.assert_allclose(s["v"], np.stack([0 * s.t, -s.t], axis=1), atol=1e-9)
    assert s.array.shape == (len(s.t), 3, 2)
    assert s.final["y"] == {"h": s["y", "h"][-1], "g": s["y", "g"][-1]}
    assert list(s.final) == ["y", "v", "bounces", "energy"]
    assert s.final.to_pandas().loc["v", "h"] == 0
    frame = s.to_pandas()
    assert (frame["y", "g"] == s["y", "g"]).all() and frame.index.name == "t"


def test_the_end_moves_with_the_event_that_stops_the_run(ball: brink.Model) -> None:
    r = run(ball, 10.0, last=3, sensitivity=["g", "h", "e"])
    assert r.status == "stopped"
    t, v = flight(3, 9.81, 0.8, 1.0)
    assert r.t_end == pytest.approx(t)
    final = r.sensitivity.final
    np.testing.assert_allclose(list(final["y"].values()), 0, atol=1e-9)
    assert final["v"]["g"] == pytest.approx(v / (2 * 9.81))
    assert final["v"]["h"] == pytest.approx(v / 2)
    assert final["v"]["e"] == pytest.approx(3 * v / 0.8)


def test_outputs(ball: brink.Model) -> None:
    """The energy after n bounces is e^(2n) g h; it does not change in between."""
    r = run(ball, 2.0, sensitivity=["g", "h"])
    s = r.sensitivity
    assert s.outputs == ("energy",) and s.output_array.shape == (len(s.t), 1, 2)
    assert r["bounces"][-1] == 3
    np.testing.assert_allclose(s["energy"][[0, -1]], [[1, 9.81], [0.8**6, 0.8**6 * 9.81]])
    assert s.final["energy"]["g"] == s["energy", "g"][-1]
    assert (s.to_pandas()["energy", "h"] == s["energy", "h"]).all()
    none = run(ball, 2.0, sensitivity=["g"], keep="y").sensitivity
    assert none.outputs == () and none.states == s.states
    with pytest.raises(KeyError):
        none["energy", "g"]


def test_a_run_can_be_asked_afterwards(ball: brink.Model) -> None:
    asked, later = run(ball, sensitivity=["e", "h"]), run(ball)
    assert later.sensitivity.directions == ("e", "h")  # all knobs; `last` is a whole number
    assert np.array_equal(later.sensitivity.array, asked.sensitivity.array)
    assert np.array_equal(later.sensitivity.events.array, asked.sensitivity.events.array)
    assert np.array_equal(later.table.array, asked.table.array)
    by = later.sensitivity_by("g", "v")
    assert by.directions == ("g", "v") and by["v", "v"][0] == 1
    assert later.sensitivity_by().directions == ("e", "h")


def test_condition_in_the_same_run(ball: brink.Model) -> None:
    alone, both = run(ball, sensitivity=True), run(ball, sensitivity=True, condition=True)
    np.testing.assert_allclose(both.sensitivity.array, alone.sensitivity.array, atol=1e-9)
    assert np.isfinite(both.events.condition).all()


def test_events_are_those_of_the_result() -> None:
    """A corner of abs is an event that the compiler made: it is left out, as in result.events."""
    model = brink.load(
        """
ctc Corner is
  body
    declarations state(x, real); parameter(k, real); flag(half); end declarations;
    initial x := -1.0; end initial;
    dynamics x' = k + abs(x); half = x - 0.5; end dynamics;
    assignments k : 1.0; end assignments;
  end body;
end Corner;
"""
    )
    r = run(model, 3.0, sensitivity="k")
    s = r.sensitivity
    assert len(r.events.all) == 2 and len(r.events) == 1
    assert s.events.all["k"].shape == (2,) and s.events["k"].shape == (1,)
    assert s.events["k"][0] == s.events.all["k"][1]
    # From -1 to 0 with x' = k - x, then to 1/2 with x' = k + x: ln((k + 1)/k) + ln((k + 1/2)/k).
    slope = (1 / 2 - 1) + (1 / 1.5 - 1)
    assert s.events["k"][0] == pytest.approx(slope, abs=1e-9)


def test_arrays_look_at_the_memory_of_the_library(ball: brink.Model) -> None:
    s = run(ball, sensitivity=["e"]).sensitivity
    column, copy = s["y", "e"], s["y", "e"].copy()
    assert np.shares_memory(column, s.array) and not column.flags.writeable
    del s
    gc.collect()
    run(ball, sensitivity=["g"])
    assert np.array_equal(column, copy)


def test_names(ball: brink.Model) -> None:
    s = run(ball, sensitivity=["e"]).sensitivity
    with pytest.raises(KeyError, match="no direction 'g'; there are e"):
        s["y", "g"]
    with pytest.raises(KeyError, match="did you mean 'bounces'"):
        s["bounce"]
    with pytest.raises(KeyError, match="no state or output"):
        s.final["z"]
    with pytest.raises(KeyError):
        s.events["y"]


@pytest.mark.parametrize(
    ("name", "why"),
    [("last", "whole number"), ("hh", "did you mean 'h'"), ("bounces", "whole number")],
)
def test_names_that_are_refused(ball: brink.Model, name: str, why: str) -> None:
    with pytest.raises(brink.ArgumentError, match=why):
        run(ball, sensitivity=[name])
    with pytest.raises(brink.ArgumentError, match=why):
        run(ball).sensitivity_by(name)


def test_what_is_not_supported() -> None:
    model = brink.load(
        "ctc D is body declarations state(x, real); parameter(k, real); end declarations;\n"
        "initial x := 1.0; end initial; dynamics x' = -k*delay(x, 0.5); end dynamics;\n"
        "assignments k : 1.0; end assignments; end body; end D;\n"
    )
    with pytest.raises(brink.UnsupportedError, match="delays"):
        run(model, 1.0, sensitivity=["x"])


def test_limits_are_words(models: Path) -> None:
    model = brink.load(models / "bouncing-ball" / "model.hsml")
    s = model.run(until=6.0, interpret=True, zeno="continue", sensitivity=["ball.e"]).sensitivity
    assert any(words.startswith("zeno:") for words in s.limits)
    assert "zeno" in repr(s) and math.isnan(s.final["ball.y"]["ball.e"])


def test_several_threads(ball: brink.Model) -> None:
    results = [run(ball) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda r: r.sensitivity_by("g", "e").array, results))
    assert all(np.array_equal(found[0], array) for array in found)


def test_against_the_variational_equation_of_scipy(models: Path) -> None:
    integrate = pytest.importorskip("scipy.integrate")
    model = brink.load(models / "van-der-pol" / "model.hsml")
    (mu,) = [name for name in model.knobs if name.endswith("mu")]
    x, v = mu.replace("mu", "x"), mu.replace("mu", "v")
    s = model.run(until=10.0, interpret=True, rtol=1e-11, sensitivity=[mu, x, v]).sensitivity

    def field(_: float, z: np.ndarray) -> np.ndarray:
        state, m = z[:2], z[2:].reshape(2, 3)
        jacobian = np.array([[0, 1], [-2 * state[0] * state[1] - 1, 1 - state[0] ** 2]])
        by_mu = np.array([[0, 0, 0], [(1 - state[0] ** 2) * state[1], 0, 0]])
        f = [state[1], (1 - state[0] ** 2) * state[1] - state[0]]
        return np.concatenate([f, (jacobian @ m + by_mu).ravel()])

    start = np.array([2.0, 0.0, 0, 1, 0, 0, 0, 1])
    times = np.unique(s.t)
    solved = integrate.solve_ivp(
        field, (0, 10), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times
    )
    other = solved.y[2:].T.reshape(-1, 2, 3)[np.searchsorted(times, s.t)]
    np.testing.assert_allclose(s.array, other, rtol=1e-7, atol=1e-7)


def test_a_run_that_starts_on_a_surface_which_holds_it() -> None:
    """Who starts beside the surface comes to it at once, from either side."""
    model = brink.example("stick-slip")
    tight = {"rtol": 1e-11, "atol": 1e-13}
    names = ["block.v", "block.belt"]
    final = model.run(sensitivity=names, **tight).sensitivity.final["block.x"]
    for name in names:
        ends = [model.run(knobs={name: 0.5 + h}, **tight).final["block.x"] for h in (-1e-5, 1e-5)]
        assert final[name] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-5)


def test_a_python_model_that_starts_on_a_surface() -> None:
    """x' = -3 above, 1 below; y' = 0 above, 1 below: on x = 0, y' = 3/4, and starting at x = h costs h/4 of y."""

    def field(t: float, x: object, env: brink.Env) -> list[float]:
        return [-3.0, 0.0] if env.sgn.s > 0 else [1.0, 1.0]

    model = brink.ode(field, {"x": 0.0, "y": 0.0}, guards=[brink.Guard("x", name="s")])
    end = model.run(until=3, rtol=1e-9, sensitivity=["x", "y"]).sensitivity.end
    assert np.allclose(end, [[0.0, 0.0], [-0.25, 1.0]], atol=1e-9)
