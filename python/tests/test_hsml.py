"""Models in HSML: loading, values, results, errors."""

from __future__ import annotations

import gc
import math
import os
import weakref
from pathlib import Path

import numpy as np
import pytest

import brink

ROOT = Path(__file__).resolve().parents[2]
BALL = ROOT / "models" / "bouncing-ball" / "model.hsml"

TANK = """
ctc Tank is
  interface
    input(inflow, real, (0.0, 10.0));
    knob(area);
    knob(outlet);
    view(h);
  end interface;
  body
    declarations
      state(h, real, (0.0, 100.0), "m");
      parameter(area, real, (0.0, 100.0), "m2");
      parameter(outlet, real, (0.0, 10.0));
      flag(empty, unilateral);
    end declarations;
    initial
      h := 1.0;
    end initial;
    dynamics
      h' = (inflow - outlet*sqrt(h))/area;
      empty = h - 1e-6;
    end dynamics;
    event(empty)
      negative-going
        stop("empty");
      end negative-going;
    end event;
    assignments
      area : 1.0;
      outlet : 1.0;
      inflow : 0.0;
    end assignments;
  end body;
end Tank;
"""


@pytest.fixture()
def ball() -> brink.Model:
    return brink.load(BALL)


def impact_times(e: float, count: int, g: float = 9.81, y0: float = 1.0) -> list[float]:
    """Closed form: free fall, then flights of ever shorter length."""
    t, v, times = math.sqrt(2 * y0 / g), math.sqrt(2 * g * y0), []
    for _ in range(count):
        times.append(t)
        v *= e
        t += 2 * v / g
    return times


def test_impacts_of_a_ball_are_where_the_formula_says(ball: brink.Model) -> None:
    result = ball.run(until=2.0, knobs={"ball.e": 0.7}, rtol=1e-10, atol=1e-12)
    exact = impact_times(0.7, len(result.events))
    assert len(exact) == 4
    assert np.allclose(result.events.t, exact, rtol=0, atol=1e-8)
    assert set(result.events.flag) == {"ball.ground"}


def test_values_of_one_run_are_of_that_run_alone(ball: brink.Model) -> None:
    first = ball.run(until=1.0).events.t
    ball.run(until=1.0, knobs={"ball.e": 0.7})
    assert np.array_equal(ball.run(until=1.0).events.t, first)


def test_set_holds_for_all_runs_until_unset(ball: brink.Model) -> None:
    before = ball.run(until=1.0).final["ball.v"]
    ball.set({"ball.e": 0.5})
    assert ball.knobs["ball.e"].value == 0.5
    assert ball.run(until=1.0).final["ball.v"] != before
    ball.unset()
    assert ball.run(until=1.0).final["ball.v"] == before


def test_a_value_that_does_not_fit_is_refused_and_changes_nothing(ball: brink.Model) -> None:
    before = ball.run(until=1.0).final["ball.v"]
    with pytest.raises(brink.ModelError, match="ball.e"):
        ball.set({"ball.e": 2.0})
    with pytest.raises(brink.ModelError, match="did you mean"):
        ball.run(knobs={"ball.ee": 0.5})
    assert ball.run(until=1.0).final["ball.v"] == before


def test_rows_are_the_memory_of_the_library(ball: brink.Model) -> None:
    result = ball.run(until=1.0)
    address = int(brink._library.ffi.cast("uintptr_t", result._trajectory.values))
    assert result.t.__array_interface__["data"][0] == address
    assert np.shares_memory(result["ball.y"], result.t.base)
    assert not result.t.flags.writeable


def test_arrays_keep_the_run_alive(ball: brink.Model) -> None:
    result = ball.run(until=1.0)
    heights, copy = result["ball.y"], result["ball.y"].copy()
    gone = weakref.ref(result)
    del result
    gc.collect()
    assert gone() is None
    for _ in range(20):
        ball.run(until=1.0)
    assert np.array_equal(heights, copy)


def test_dense_output_of_a_fall_is_a_parabola(ball: brink.Model) -> None:
    result = ball.run(until=1.0)
    times = np.linspace(0.0, 0.45, 50)
    assert np.allclose(result(times, "ball.y"), 1 - 9.81 / 2 * times**2, rtol=0, atol=1e-8)
    assert result(0.2, "ball.v") == pytest.approx(-9.81 * 0.2, abs=1e-8)
    assert result(0.2)["ball.v"] == result(0.2, "ball.v")


def test_dense_output_at_an_event_is_what_holds_after_it(ball: brink.Model) -> None:
    result = ball.run(until=1.0, dense=True)
    impact = result.events[0]
    assert result(impact.t, "ball.v") == impact.after["ball.v"] > 0 > impact.before["ball.v"]


def test_times_outside_of_the_run_are_refused(ball: brink.Model) -> None:
    result = ball.run(until=1.0)
    for t in (-0.1, 1.1, math.nan):
        with pytest.raises(brink.ArgumentError):
            result(t)


def test_what_was_not_collected_is_had_by_repeating(ball: brink.Model, tmp_path: Path) -> None:
    result = ball.run(until=1.0)
    for name in ("ball.csv", "ball.mat"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    result.report(tmp_path / "ball.html")
    assert b"<html" in (tmp_path / "ball.html").read_bytes()[:2000].lower()
    assert result.condition[0]["flag"] == "ball.ground"


def test_a_file_is_written_on_the_way(ball: brink.Model, tmp_path: Path) -> None:
    result = ball.run(until=1.0, save=tmp_path / "way.csv")
    lines = (tmp_path / "way.csv").read_text().splitlines()
    assert len(lines) == 1 + len(result.t)


def test_errors_of_a_text_show_line_and_caret() -> None:
    with pytest.raises(brink.ModelError) as caught:
        brink.load(TANK.replace("sqrt(h)", "sqrt(hh)"))
    error = caught.value
    message = error.messages[0]
    assert message.code == "unknown-name" and message.severity == "error"
    assert TANK.splitlines()[message.line - 1].replace("(h)", "(hh)") in str(error)
    assert "^" in str(error)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(brink.FileError, match="nowhere.hsml"):
        brink.load("nowhere.hsml")
    with pytest.raises(OSError):
        brink.load("nowhere.hsml")


def test_a_failed_run_gives_what_was_computed() -> None:
    model = brink.load(TANK)
    with pytest.raises(brink.SimulationError) as caught:
        model.run(until=100.0, inflow=10.0, outlet=0.0, area=0.5, h=99.0)
    error = caught.value
    assert error.reason == "range" and 0 < error.t < 1
    assert error.result.status == "failed" and error.result.final["h"] == pytest.approx(100.0, rel=1e-5)
    result = model.run(until=100.0, inflow=10.0, outlet=0.0, area=0.5, h=99.0, check=False)
    assert result.status == "failed" and result.reason == "range"


def test_stop_by_the_model_is_no_failure() -> None:
    result = brink.load(TANK).run(until=100.0, inflow=0.0)
    # h' = -sqrt(h): sqrt(h) = 1 - t/2
    assert result.status == "stopped" and result.t_end == pytest.approx(2.0, abs=3e-3)


def test_until_must_be_known() -> None:
    with pytest.raises(brink.ArgumentError, match="until"):
        brink.load(TANK).run(inflow=0.0)


def test_quantities_say_what_a_model_declares() -> None:
    model = brink.load(TANK)
    area = model.knobs["area"]
    assert (area.value, area.unit, area.type, area.knob) == (1.0, "m2", "real", True)
    h = model.states["h"]
    assert (h.value, h.lo, h.hi, h.unit) == (1.0, 0.0, 100.0, "m")
    assert list(model.flags) == ["empty"]
    assert list(model.inputs) == ["inflow"]
    with pytest.raises(KeyError, match="did you mean 'area'"):
        model.knobs["areas"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"until": "soon"},
        {"until": []},
        {"until": math.nan},
        {"rtol": -1.0},
        {"method": "magic"},
        {"method": 3},
        {"every": 0},
        {"seed": -1},
        {"options": {"hmx": 1}},
        {"keep": "nothing.*"},
        {"knobs": {"ball.e": math.inf}},
        {"knobs": {"ball.e": object()}},
        {"knobs": {"ball.e": "high"}},
        {"knobs": {"ball.e\0": 1.0}},
        {"knobs": {1: 1.0}},
        {"save": "x.xyz"},
        {"sensitivity": ["nothing"]},
        {"on_interrupt": "cry"},
        {"max_steps": -3.5},
        {"nonsense": 3},
    ],
)
def test_wrong_arguments_are_python_exceptions(ball: brink.Model, wrong: dict[str, object]) -> None:
    with pytest.raises((brink.Error, TypeError, ValueError, OverflowError)):
        ball.run(**wrong)  # type: ignore[arg-type]
    assert ball.run(until=0.1).status == "finished"


def test_a_pattern_chooses_what_is_recorded(ball: brink.Model) -> None:
    assert "ball.v" not in ball.run(until=0.1, keep="ball.y").table
    assert ball.run(until=0.1, keep=["ball.y", "ball.v"]).names[:2] == ["ball.y", "ball.v"]


def test_pandas(ball: brink.Model) -> None:
    pytest.importorskip("pandas")
    result = ball.run(until=1.0)
    frame = result.to_pandas()
    assert list(frame.columns)[:2] == ["ball.y", "ball.v"]
    assert list(result.events.to_pandas().columns) == ["t", "flag", "direction", "condition"]


def test_paths_may_be_paths(tmp_path: Path) -> None:
    file = tmp_path / "mödel with spaces.hsml"
    file.write_text(TANK)
    assert brink.load(file).run(until=0.5, inflow=1.0).status == "finished"
    assert brink.load(os.fspath(file)).source == os.fspath(file)


def test_a_limit_of_steps_is_no_interruption() -> None:
    model = brink.example("van-der-pol")
    result = model.run(max_steps=3, check=False)
    assert (result.status, result.reason) == ("failed", "max-steps")
    with pytest.raises(brink.SimulationError, match="limit of steps") as caught:
        model.run(max_steps=3)
    assert caught.value.reason == "max-steps" and caught.value.hint == "raise max_steps"
    with pytest.raises(brink.ArgumentError, match="max_steps"):
        model.run(max_steps=-1)


def test_a_file_that_cannot_be_written(ball: brink.Model) -> None:
    with pytest.raises(brink.FileError):
        ball.run(until=1.0, save="/nonexistent/rows.csv")


def test_warnings_point_at_the_line_that_called(ball: brink.Model) -> None:
    with pytest.warns(brink.RunWarning) as caught:
        ball.run(until=0.3, knobs={"ball.y": -0.1})
    assert caught[0].filename == __file__
