"""Inputs of runs: numbers, arrays, frames, functions; closed forms, and what is refused."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import brink
from brink import _inputs

# x' = -x + u; with u = sin(t): x = (sin t - cos t + exp(-t))/2
LINEAR = """
ctc Linear is
  interface input(u, signal); output(y, signal); end interface;
  body
    declarations state(x, real); state(n, real); flag(f, crossing); end declarations;
    initial x := 0.0; n := 0.0; end initial;
    dynamics x' = -x + u; n' = 0.0; f = u - 0.5; end dynamics;
    output y = 2*u; end output;
    event(f) positive-going n := n + 1; end positive-going; end event;
  end body;
end Linear;
"""

# Integrals of a vector and of two numbers, one of which has a default.
MANY = """
ctc Many is
  interface input(u[3], signal); input(v, signal); input(w, signal); end interface;
  body
    declarations state(x[3], real); state(y, real); state(z, real); end declarations;
    initial for i in 1..3 loop x[i] := 0.0; end loop; y := 0.0; z := 0.0; end initial;
    dynamics for i in 1..3 loop x[i]' = u[i]; end loop; y' = v; z' = w; end dynamics;
    assignments w : 0.5; end assignments;
  end body;
end Many;
"""

HELD = """
ctc Held is
  interface
    input(level, real); input(on, boolean); input(gear, string, {"low", "high"});
  end interface;
  body
    declarations state(x, real); end declarations;
    initial x := 0.0; end initial;
    dynamics x' = (if on then level else 0) + (if gear = "high" then 10 else 0); end dynamics;
  end body;
end Held;
"""

# A flag that starts past its surface is told, and so are rows that do not cover the run.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is behind it:brink.RunWarning"),
    pytest.mark.filterwarnings("ignore:the inputs (begin|end) at:brink.RunWarning"),
]

EXACT = (math.sin(2) - math.cos(2) + math.exp(-2)) / 2


@pytest.fixture(scope="module")
def linear() -> brink.Model:
    return brink.load(LINEAR)


@pytest.fixture(scope="module")
def many() -> brink.Model:
    return brink.load(MANY)


def run(model: brink.Model, inputs: Any, **more: Any) -> brink.Result:
    usual = {"until": 2.0, "rtol": 1e-10, "atol": 1e-12, "interpret": True}
    return model.run(**{**usual, "inputs": inputs, **more})


def final(result: brink.Result, name: str) -> float:
    return float(result[name][-1])


# ---- what a model says ----


def test_inputs_without_a_default_are_listed(linear: brink.Model, many: brink.Model) -> None:
    assert list(linear.inputs) == ["u"]
    assert linear.inputs["u"].value is None
    assert {n: q.value for n, q in many.inputs.items()} == {"u": None, "v": None, "w": 0.5}
    assert many.inputs["u"].elements == ("u[1]", "u[2]", "u[3]")
    run(linear, {"u": math.sin})
    assert linear.inputs["u"].kind == "input"
    with pytest.raises(brink.ModelError, match="'u' is not connected and has no default"):
        linear.run(until=1.0)


# ---- rows ----


def test_a_number_is_a_constant(linear: brink.Model) -> None:
    for value in (2.5, np.float32(2.5), np.array(2.5)):
        result = run(linear, {"u": value})
        assert final(result, "x") == pytest.approx(2.5 * (1 - math.exp(-2)), rel=1e-8)
    assert final(run(linear, {"u": 1}), "u") == 1.0
    assert final(run(linear, {"u": True}), "u") == 1.0


def test_rows_in_all_their_forms_give_the_same_run(linear: brink.Model) -> None:
    pandas = pytest.importorskip("pandas")
    t = np.linspace(0.0, 2.0, 41)
    values = np.sin(t)
    frame = pandas.DataFrame({"t": t, "u": values})
    forms = [
        {"u": (t, values)},
        {"u": (list(t), tuple(values))},
        (t, {"u": values}),
        {"t": t, "u": values},
        {"u": values, "time": t},
        frame,
        frame.rename(columns={"t": "time"}),
        frame.set_index("t"),
        {"u": pandas.Series(values, index=t)},
    ]
    wanted = run(linear, forms[0]).table
    for form in forms[1:]:
        assert np.array_equal(run(linear, form).table.array, wanted.array)
    at = wanted["u"] - np.interp(wanted.t, t, values)
    assert np.max(np.abs(at)) < 1e-12


def test_differences_of_time_are_seconds(linear: brink.Model) -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.to_timedelta([0, 1000, 2000], unit="ms")
    frame = pandas.DataFrame({"u": [0.0, 1.0, 1.0]}, index=index)
    assert final(run(linear, frame), "u") == 1.0
    assert float(run(linear, frame)(0.25, "u")) == pytest.approx(0.25, abs=1e-15)


def test_rows_may_be_held(linear: brink.Model) -> None:
    result = run(linear, {"u": ([0.0, 1.0], [0.0, 1.0])}, hold=True)
    assert final(result, "x") == pytest.approx(1 - math.exp(-1), rel=1e-8)
    result = run(linear, {"u": ([0, 1, 1], [0, 0, 1])})  # two rows at one time are a jump
    assert final(result, "x") == pytest.approx(1 - math.exp(-1), rel=1e-8)
    assert final(result, "n") == 1.0


def test_vectors_have_columns(many: brink.Model) -> None:
    t = np.array([0.0, 2.0])
    rows = np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 4.0]])
    result = run(many, {"u": (t, rows), "v": 1.5})
    assert [final(result, f"x[{k}]") for k in (1, 2, 3)] == pytest.approx([2.0, 2.0, 6.0], rel=1e-9)
    assert final(result, "y") == pytest.approx(3.0) and final(result, "z") == pytest.approx(1.0)
    result = run(many, {"u": [1.0, 2.0, 3.0], "v": 0, "w": 0})
    assert [final(result, f"x[{k}]") for k in (1, 2, 3)] == pytest.approx([2.0, 4.0, 6.0], rel=1e-9)
    result = run(many, {"u": 4, "v": 0})
    assert final(result, "x[3]") == pytest.approx(8.0)
    result = run(many, {"u[1]": 1, "u[2]": (t, [0, 1]), "u[3]": lambda t: t, "v": 0})
    assert [final(result, f"x[{k}]") for k in (1, 2, 3)] == pytest.approx([2.0, 1.0, 2.0], rel=1e-9)


def plain_integral(t: np.ndarray, values: np.ndarray, end: float, hold: bool) -> float:
    """Row by row, without the library."""
    total, times = 0.0, [*t, math.inf]
    for k, value in enumerate(values):
        a, b = max(times[k], 0.0) if k > 0 else 0.0, min(times[k + 1], end)
        if k == 0 and times[0] > 0.0:
            total += value * min(times[0], end)
            a = times[0]
        if b <= a:
            continue
        after = value if hold or k + 1 == len(values) else values[k + 1]
        total += value * (b - a) if hold or k + 1 == len(values) else 0.5 * (b - a) * (
            value + value + (after - value) * (b - a) / (times[k + 1] - times[k])
        )
    return total


@pytest.mark.parametrize("hold", [False, True])
def test_every_input_may_have_its_own_times(many: brink.Model, hold: bool) -> None:
    random = np.random.default_rng(5)
    for _ in range(5):
        tables = []
        for count in (1, 4, 7, 5, 6):
            t = np.sort(np.round(random.uniform(0.0, 2.0, count), 1))  # times meet, and repeat
            tables.append((t, random.normal(size=count)))
        names = ["u[1]", "u[2]", "u[3]", "v", "w"]
        result = run(many, dict(zip(names, tables, strict=True)), hold=hold, method="dopri")
        for state, (t, values) in zip(["x[1]", "x[2]", "x[3]", "y", "z"], tables, strict=True):
            wanted = plain_integral(t, values, 2.0, hold)
            assert final(result, state) == pytest.approx(wanted, abs=1e-9), (state, t, values)


def test_what_is_held_has_rows_and_texts() -> None:
    model = brink.load(HELD)
    rows = {"level": ([0.0, 1.0], [1.0, 3.0]), "on": ([0.0, 0.5], [False, True])}
    result = run(model, {**rows, "gear": "low"})
    assert final(result, "x") == pytest.approx(0.5 + 3.0, rel=1e-9)
    assert final(run(model, {"level": 0, "on": True, "gear": "high"}), "x") == pytest.approx(20.0)
    with pytest.raises(brink.Error, match="held"):
        run(model, {"level": lambda t: t, "on": True, "gear": "high"})


# ---- functions ----


def test_functions_meet_the_closed_form(linear: brink.Model) -> None:
    for function in (math.sin, np.sin, lambda t: np.array([math.sin(t)])):
        result = run(linear, {"u": function})
        assert final(result, "x") == pytest.approx(EXACT, abs=1e-9)
        assert result.stats.method == "adams"
    assert np.array_equal(result["u"], [math.sin(t) for t in result.t])
    compiled = run(linear, {"u": math.sin}, interpret=False)
    assert np.array_equal(compiled.table.array, result.table.array)
    t = np.linspace(0.0, 2.0, 300)
    assert np.array_equal(result(t, "u"), [math.sin(time) for time in t])
    assert np.max(np.abs(result(t, "x") - (np.sin(t) - np.cos(t) + np.exp(-t)) / 2)) < 1e-8


def test_corners_are_met(linear: brink.Model) -> None:
    step = brink.Function(lambda t: 0.0 if t < 1 else 1.0, corners=[1])
    result = run(linear, {"u": step})
    assert final(result, "x") == pytest.approx(1 - math.exp(-1), abs=1e-9)
    assert final(result, "n") == 1.0
    assert set(result["u"]) == {0.0, 1.0} and len(result.events) == 1
    assert float(result(0.999999, "u")) == 0.0 and float(result(1.0, "u")) == 1.0
    with pytest.raises(brink.ArgumentError, match="increase"):
        brink.Function(math.sin, corners=[1, 1])
    with pytest.raises(TypeError, match="callable"):
        brink.Function(3)  # type: ignore[arg-type]


def test_one_function_may_give_all(linear: brink.Model, many: brink.Model) -> None:
    assert final(run(linear, math.sin), "x") == pytest.approx(EXACT, abs=1e-9)
    forms = [
        lambda t: [t, 2 * t, 3 * t, 1.0, 0.0],
        lambda t: np.array([t, 2 * t, 3 * t, 1.0, 0.0]),
        lambda t: {"u": [t, 2 * t, 3 * t], "v": 1.0, "w": 0.0},
        lambda t: {"w": 0.0, "u[3]": 3 * t, "u[1]": t, "u[2]": 2 * t, "v": 1},
    ]
    for form in forms:
        result = run(many, form)
        assert [final(result, f"x[{k}]") for k in (1, 2, 3)] == pytest.approx([2, 4, 6], rel=1e-9)
        assert final(result, "y") == pytest.approx(2.0) and final(result, "z") == 0.0
    result = run(many, {"u": lambda t: [0.0, t, 0.0], "v": math.cos, "w": ([0, 2], [0, 1])})
    assert final(result, "x[2]") == pytest.approx(2.0, rel=1e-9)
    assert final(result, "y") == pytest.approx(math.sin(2), abs=1e-9)
    assert final(result, "z") == pytest.approx(1.0, rel=1e-9)


def test_a_function_is_asked_once_for_a_time(linear: brink.Model) -> None:
    asked: list[float] = []

    def count(t: float) -> float:
        asked.append(t)
        return math.sin(t)

    run(linear, count)
    assert min(asked) == 0.0 and max(asked) == 2.0


# ---- what goes wrong in a function ----


class Oops(Exception):
    pass


@pytest.mark.parametrize("when", [-1.0, 1.0])
def test_exceptions_come_out_as_themselves(linear: brink.Model, when: float) -> None:
    cause = ValueError("cause")

    def fails(t: float) -> float:
        if t > when:
            raise Oops(f"at {t}") from cause
        return 0.0

    for check in (True, False):
        with pytest.raises(Oops) as caught:
            run(linear, {"u": fails}, check=check)
        assert caught.value.__cause__ is cause
        assert not isinstance(caught.value.__context__, brink.Error)
        assert any(entry.name == "fails" for entry in caught.traceback)
    result = run(linear, {"u": math.sin})  # nothing is left of it
    assert final(result, "x") == pytest.approx(EXACT, abs=1e-9)


def test_what_is_not_a_number_is_refused(linear: brink.Model, many: brink.Model) -> None:
    for value in (None, "1", [1.0, 2.0], 1j):
        with pytest.raises(TypeError, match="the function of input 'u' returned"):
            run(linear, {"u": lambda t, value=value: value})
    for value in (math.nan, math.inf):
        words = "the function of input 'u' is (nan|inf) at t = "
        with pytest.raises(brink.SimulationError, match=words) as caught:
            run(linear, {"u": lambda t, value=value: value if t > 1 else 0.0})
        assert caught.value.reason == "input" and caught.value.t <= 1.0
        assert caught.value.result is not None and caught.value.result.t[-1] <= 1.0
    with pytest.raises(brink.ArgumentError, match="returned 2 values for 5"):
        run(many, lambda t: [1.0, 2.0])
    with pytest.raises(brink.ArgumentError, match="no value for 'w'"):
        run(many, lambda t: {"u": [1, 2, 3], "v": 0})
    with pytest.raises(brink.ArgumentError, match="'nobody', which is none"):
        run(many, lambda t: {"nobody": 1})
    with pytest.raises(brink.ArgumentError, match="2 values for 'u', which has 3"):
        run(many, lambda t: {"u": [1, 2], "v": 0, "w": 0})


def test_a_function_needs_a_value_at_the_start_of_the_run_alone(linear: brink.Model) -> None:
    result = run(linear, {"u": math.log}, start=1.0)
    assert final(result, "u") == math.log(2.0)
    with pytest.raises(ValueError, match="math domain error|expected a positive input"):
        run(linear, {"u": math.log})


def test_taylor_is_refused(linear: brink.Model) -> None:
    with pytest.raises(brink.UnsupportedError, match="the function of input 'u' has none"):
        run(linear, {"u": math.sin}, method="taylor")


def test_ctrl_c_in_a_function_gives_what_was_computed(linear: brink.Model) -> None:
    def slow(t: float) -> float:
        if t > 1.0:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
        return 0.0

    with pytest.raises(brink.Interrupted) as caught:
        run(linear, {"u": slow}, on_interrupt="raise")
    assert 0.0 < caught.value.result.t[-1] <= 1.1


def test_ctrl_c_comes_at_any_instruction(linear: brink.Model, capfd: Any) -> None:
    for k in range(20):
        timer = threading.Timer(0.02 + 0.003 * k, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(brink.Interrupted) as caught:
            run(linear, {"u": math.sin}, until=1e9, step=1e-3, method="rk4", on_interrupt="raise")
        timer.join()
        assert caught.value.result.t[-1] < 1e9
    assert capfd.readouterr().err == ""


# ---- what is refused ----


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        ({"v": 1}, brink.ArgumentError, "there is no input 'v'"),
        ({"x": 1}, brink.ArgumentError, "there is no input 'x'"),
        ({"u[1]": 1}, brink.ArgumentError, "no input 'u.1.' of the .*; did you mean 'u'"),
        ({1: 1}, TypeError, "inputs have names"),
        ({"u": math.nan}, brink.ArgumentError, "u: element .* is nan"),
        ({"u": None}, TypeError, "u: None"),
        ({"u": object()}, TypeError, "u: these are no numbers"),
        ({"u": 1j}, TypeError, "u: these are no numbers"),
        ({"u": [1, 2]}, brink.ArgumentError, "u: it is one number, and 2 are given"),
        ({"u": ([0, 1], [1])}, brink.ArgumentError, "u: 1 values for 2 times"),
        ({"u": ([0, 1], [1, math.inf])}, brink.ArgumentError, "u: element 1 is inf"),
        ({"u": ([0, 1], ["a", "b"])}, TypeError, "u: these are no numbers"),
        ({"u": ([1, 0], [1, 1])}, brink.ArgumentError, "times of u decrease: 0 comes after 1"),
        ({"u": ([0, math.nan], [1, 1])}, brink.ArgumentError, "times of u: element 1 is nan"),
        ({"u": ([], [])}, brink.ArgumentError, "times of u: give a sequence of one time or more"),
        ({"u": ([[0, 1]], [1, 1])}, brink.ArgumentError, "times of u: give a sequence"),
        ({"u": ([0, 1], [[[1]], [[1]]])}, brink.ArgumentError, "one or two dimensions, not 3"),
        ({"t": [0, 1], "time": [0, 1], "u": [1, 1]}, brink.ArgumentError, "times are given twice"),
        ({"t": [0, 1], "u": [1, 1, 1]}, brink.ArgumentError, "u: 3 values for 2 times"),
        ({"t": [0, 1], "u": "high"}, TypeError, "u: 'high' is not a number"),
        (([0, 1], [1, 1]), TypeError, "inputs are a mapping of names"),
        (3.0, TypeError, "inputs are a mapping of names"),
        ("u", TypeError, "inputs are a mapping of names"),
    ],
)
def test_wrong_inputs_are_refused(
    linear: brink.Model, inputs: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(linear, inputs)
    assert final(run(linear, {"u": 0}), "x") == 0.0


def test_wrong_vectors_are_refused(many: brink.Model) -> None:
    with pytest.raises(brink.ArgumentError, match="u: it has 3 elements, and 2 are given"):
        run(many, {"u": [1, 2], "v": 0})
    with pytest.raises(brink.ArgumentError, match="u is a vector: give a column for each element"):
        run(many, {"u": ([0, 1], [1, 2]), "v": 0})
    with pytest.raises(brink.ArgumentError, match=r"u\[2\] is given twice"):
        run(many, {"u": [1, 2, 3], "u[2]": 1, "v": 0})
    with pytest.raises(brink.ModelError, match="'v' is not connected"):
        run(many, {"u": [1, 2, 3]})


def test_wrong_frames_are_refused(linear: brink.Model) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(brink.ArgumentError, match="the index only numbers the rows"):
        run(linear, pandas.DataFrame({"u": [1.0, 2.0]}))
    with pytest.raises(brink.ArgumentError, match="there is no input 'v'"):
        run(linear, pandas.DataFrame({"t": [0.0, 1.0], "v": [1.0, 2.0]}))
    with pytest.raises(brink.ArgumentError, match="u: element 1 is nan"):
        run(linear, pandas.DataFrame({"t": [0.0, 1.0], "u": [1.0, None]}))
    with pytest.raises(TypeError, match="dates"):
        index = pandas.to_datetime(["2020-01-01", "2020-01-02"])
        run(linear, pandas.DataFrame({"u": [1.0, 2.0]}, index=index))


def test_hold_needs_rows(linear: brink.Model) -> None:
    for inputs in (None, {"u": math.sin}):
        with pytest.raises(brink.ArgumentError, match="hold is for inputs that are given as rows"):
            linear.run(until=1.0, inputs=inputs, hold=True)


# ---- lives ----


def test_clones_repeats_and_live_runs_keep_their_functions(linear: brink.Model) -> None:
    live = linear.start(until=2.0, rtol=1e-10, interpret=True, inputs={"u": math.sin})
    live.to(1.0)
    twin = live.clone()
    result = run(linear, {"u": 1.0})  # the model has other inputs by now
    gc.collect()
    assert final(result, "u") == 1.0
    live.to(2.0)
    twin.to(2.0)
    assert live["x"] == twin["x"] == pytest.approx(EXACT, abs=1e-8)
    assert live["u"] == math.sin(2.0)
    with pytest.raises(brink.ArgumentError, match="'u' is given over time"):
        live["u"] = 1.0
    live.reset()
    live.to(2.0)
    assert live["x"] == pytest.approx(EXACT, abs=1e-8)
    kept = live.finish()
    assert kept(1.0, "u") == math.sin(1.0)


def test_exceptions_of_live_runs(linear: brink.Model) -> None:
    def fails(t: float) -> float:
        if t > 1:
            raise Oops
        return 0.0

    live = linear.start(until=2.0, interpret=True, inputs={"u": fails})
    with pytest.raises(Oops):
        live.to(2.0)


def test_nothing_is_leaked() -> None:
    model = brink.load(LINEAR)

    class Wave:
        def __call__(self, t: float) -> float:
            if t > self.end:
                raise Oops
            return math.sin(t)

        end = 3.0

    wave, broken = Wave(), Wave()
    broken.end = 1.0
    result = run(model, {"u": wave})
    with pytest.raises(Oops):
        run(model, {"u": broken})
    gone = [weakref.ref(wave), weakref.ref(broken)]
    del wave, broken
    run(model, {"u": 0})
    gc.collect()
    assert gone[0]() is not None and gone[1]() is None  # a result may repeat its run
    del result
    gc.collect()
    assert gone[0]() is None


def test_threads_get_their_own_exceptions(linear: brink.Model) -> None:
    found: dict[int, Any] = {}
    barrier = threading.Barrier(4)

    def work(k: int) -> None:
        def fails(t: float) -> float:
            if t > 1 and k % 2 == 1:
                raise Oops(k)
            return math.sin(t)

        barrier.wait()
        try:
            found[k] = final(run(linear, {"u": fails}), "x")
        except Oops as error:
            found[k] = error.args[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[1] == 1 and found[3] == 3
    assert found[0] == found[2] == pytest.approx(EXACT, abs=1e-9)


def test_rows_are_copied(linear: brink.Model) -> None:
    t, values = np.array([0.0, 2.0]), np.array([0.0, 2.0])
    live = linear.start(until=2.0, interpret=True, inputs={"u": (t, values)})
    t[:] = values[:] = math.nan
    live.reset()
    live.to(2.0)
    assert live["u"] == 2.0


def test_merged_rows_have_the_values_of_each_table() -> None:
    tables = [
        (np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0, 6.0])),
        (np.array([0.5, 1.5]), np.array([1.0, 2.0])),
        (np.array([0.7]), np.array([9.0])),
    ]
    t, values = _inputs._merge([_inputs._Rows(*table, held=False) for table in tables])
    assert t.tolist() == [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]
    first, second, third = values.T.tolist()
    assert first == [0, 0.5, 1, 5, 5.5, 6]
    assert second == [1, 1, 1.5, 1.5, 2, 2] and third == [9] * 6
    t, values = _inputs._merge([_inputs._Rows(*table, held=True) for table in tables])
    assert t.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert values.tolist() == [[0, 1, 9], [0, 1, 9], [5, 1, 9], [5, 2, 9], [6, 2, 9]]
