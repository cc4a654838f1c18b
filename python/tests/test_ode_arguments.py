"""Wrong arguments of brink.ode and its neighbours end in Python exceptions with words, and in
nothing else."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest

import brink
from brink.integrate import solve_ivp


def f(t: float, x: Any) -> Any:
    return -x


def ode(**more: Any) -> brink.Ode:
    return brink.ode(f, [1.0, 2.0], **more)


# ---- one mistake, its words ----

MISTAKES: dict[str, tuple[str, Any]] = {
    "f": ("f, .* is None: give a callable|f is None|None", lambda: brink.ode(None, [1.0])),
    "f is a number": ("give a callable", lambda: brink.ode(3.5, [1.0])),
    "f of one argument": (r"called as \(t, x\)", lambda: brink.ode(lambda t: t, [1.0])),
    "f of four arguments": (
        r"called as \(t, x\)",
        lambda: brink.ode(lambda t, x, env, more: t, [1.0]),
    ),
    "f with a keyword": (r"called as \(t, x\)", lambda: brink.ode(lambda t, x, *, k: t, [1.0])),
    "x0 a matrix": ("one number for each", lambda: brink.ode(f, [[1.0, 2.0]])),
    "x0 a text": ("not", lambda: brink.ode(f, "ab")),
    "x0 complex": ("not real", lambda: brink.ode(f, [1j])),
    "x0 infinite": ("x0|x\\[0\\]", lambda: brink.ode(f, [math.inf]).run(until=1.0)),
    "names": ("2 states, but 1 names", lambda: ode(names=["a"])),
    "names twice": ("two states have the name 'a'", lambda: ode(names=["a", "a"])),
    "names empty": ("give a text", lambda: ode(names=["a", ""])),
    "name with a NUL": ("NUL", lambda: ode(names=["a", "b\0c"])),
    "modes": ("whole", lambda: ode(modes=[0.5])),
    "modes too large": ("whole", lambda: ode(modes=[2**40])),
    "guards": ("no brink.Guard", lambda: ode(guards=[lambda t, x: x[0]])),
    "guards a number": ("no sequence", lambda: ode(guards=3)),
    "guards alike": (
        "two guards have the name 'g'",
        lambda: ode(guards=[brink.Guard([1, 0], name="g")] * 2),
    ),
    "guard empty": ("guard\\[0\\]", lambda: ode(guards=[brink.Guard()])),
    "side": (
        "side is 'both': give one of 'bilateral'",
        lambda: ode(guards=[brink.Guard([1, 0], side="both")]),
    ),
    "direction": (
        "direction is 2: give -1, 0 or 1",
        lambda: ode(guards=[brink.Guard([1, 0], direction=2)]),
    ),
    "coefficients": ("3 given, 2 expected", lambda: ode(guards=[brink.Guard([1, 0, 0])])),
    "depends": ("there is no state 'z'", lambda: ode(guards=[brink.Guard("z")])),
    "depends a number": (
        "there is no state 7",
        lambda: ode(guards=[brink.Guard(lambda t, x: 1.0, depends=[7])]),
    ),
    "formula": ("is not one", lambda: ode(guards=[brink.Guard(formula="a +")])),
    "formula of calls": ("is not one", lambda: ode(guards=[brink.Guard(formula="f(a)")])),
    "formula of nobody": (
        "there is no guard 'a'",
        lambda: ode(guards=[brink.Guard(formula="a and b")]),
    ),
    "formula incomplete": (
        "formula",
        lambda: ode(
            guards=[brink.Guard([1, 0], side="leaf", name="a"), brink.Guard(formula=["a", "and"])]
        ),
    ),
    "timer": ("there is no parameter 'at'", lambda: ode(guards=[brink.Guard(timer="at")])),
    "same_as": (
        "there is no guard 'other'",
        lambda: ode(guards=[brink.Guard([1, 0], same_as="other")]),
    ),
    "action": ("give a callable", lambda: ode(guards=[brink.Guard([1, 0], action=3)])),
    "stop": ("stop is -1", lambda: ode(guards=[brink.Guard([1, 0], stop=-1)])),
    "clock": ("period is 0", lambda: ode(clocks=[brink.Clock(0)])),
    "clock backwards": ("period is -1", lambda: ode(clocks=[brink.Clock(-1.0)])),
    "clock of a text": ("give a number", lambda: ode(clocks=[brink.Clock("1s")])),
    "rules": ("rules is 3|give a callable", lambda: ode(rules=3)),
    "sparsity": ("pattern of the Jacobian", lambda: ode(sparsity=np.eye(3))),
    "sparsity without jacobian": (
        "look past a unilateral",
        lambda: ode(sparsity=np.eye(2), guards=[brink.Guard([1, 0], side="unilateral")]),
    ),
    "jacobian": ("2 by 2", lambda: ode(jacobian=np.eye(3))),
    "t0": ("t0 is", lambda: ode(t0=math.nan)),
    "until": ("until", lambda: ode().run(until="long")),
    "until nan": ("nan", lambda: ode().run(until=math.nan)),
    "until before": ("-1", lambda: ode().run(until=-1.0)),
    "method": ("method is 'rk45': give one of 'auto'", lambda: ode().run(until=1.0, method="rk45")),
    "taylor": ("taylor|series", lambda: ode().run(until=1.0, method="taylor")),
    "rtol": ("rtol is -1", lambda: ode().run(until=1.0, rtol=-1)),
    "rtol a text": ("rtol is 'small': give a number", lambda: ode().run(until=1.0, rtol="small")),
    "atol": ("atol has shape", lambda: ode().run(until=1.0, atol=[1e-6])),
    "order": ("order is", lambda: ode().run(until=1.0, order=1.5)),
    "max_steps": ("max_steps", lambda: ode().run(until=1.0, max_steps=2**80)),
    "unknown option": ("did you mean 'rtol'", lambda: ode().run(until=1.0, rtoll=1e-3)),
    "p": ("there is no parameter 'k'", lambda: ode().run(until=1.0, p={"k": 1.0})),
    "p too long": ("0 parameters", lambda: ode().run(until=1.0, p=[1.0])),
    "sensitivity": (
        "no state and no parameter 'k'",
        lambda: ode().run(until=1.0, sensitivity=["k"]),
    ),
    "euler without step": ("step", lambda: ode().run(until=1.0, method="euler")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_its_words(name: str) -> None:
    words, call = MISTAKES[name]
    with pytest.raises(brink.Error, match=words) as caught:
        call()
    assert isinstance(caught.value, (ValueError, brink.SimulationError, brink.UnsupportedError))


RETURNS: dict[str, tuple[type[Exception], str, Any]] = {
    "too few": (
        ValueError,
        r"f, the function 'f', returned an array of shape \(1,\) instead of 2 numbers",
        [1.0],
    ),
    "too many": (ValueError, "shape", [1.0, 2.0, 3.0]),
    "a number": (ValueError, "shape", 1.0),
    "a matrix": (ValueError, "shape", [[1.0, 2.0]]),
    "ragged": (TypeError, "instead of 2 numbers", [[1.0], [1.0, 2.0]]),
    "nothing": (TypeError, "is a `return` missing", None),
    "a text": (TypeError, "instead of 2 numbers", "ab"),
    "texts": (TypeError, "instead of 2 numbers", ["1", "2"]),
    "complex": (TypeError, "instead of 2 numbers", [1j, 1.0]),
    "an object": (TypeError, "instead of 2 numbers", object()),
    "a dict": (TypeError, "instead of 2 numbers", {"a": 1, "b": 2}),
    "a set": (TypeError, "instead of 2 numbers", {1.0, 2.0}),
}


@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged nested sequences")
@pytest.mark.parametrize("name", RETURNS)
def test_what_f_may_not_return(name: str) -> None:
    kind, words, value = RETURNS[name]

    def f(t: float, x: Any) -> Any:
        return value

    with pytest.raises(kind, match=words):
        brink.ode(f, [1.0, 2.0]).run(until=1.0)


@pytest.mark.parametrize("value", [None, "1", [1.0, 2.0], 1j, object(), np.zeros((2, 2))])
def test_what_a_guard_may_not_return(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="guard 'g', the function"):
        ode(guards=[brink.Guard(lambda t, x: value, name="g")]).run(until=1.0)


@pytest.mark.parametrize(
    "value", [None, [1.0], [1.0, 2.0, 3.0], "ab", ([1.0, 2.0], "x"), ([1.0], 1.0)]
)
def test_what_a_gradient_may_not_return(value: Any) -> None:
    guard = brink.Guard(
        lambda t, x: x[0] - 0.5, gradient=lambda t, x: value, side="unilateral", name="g"
    )
    with pytest.raises((TypeError, ValueError), match="the gradient of guard 'g'"):
        ode(guards=[guard]).run(until=1.0)


ACTIONS: dict[str, Any] = {
    "returns": lambda e, now: 3,
    "x too short": lambda e, now: setattr(now, "x", [1.0]),
    "x texts": lambda e, now: setattr(now, "x", ["a", "b"]),
    "x nan": lambda e, now: now.x.__setitem__(0, math.nan),
    "p": lambda e, now: setattr(now, "p", [1.0]),
    "mode": lambda e, now: setattr(now, "mode", [1]),
    "names": lambda e, now: now.x.__setitem__("z", 1.0),
    "attributes": lambda e, now: setattr(now.x, "z", 1.0),
    "pre": lambda e, now: now.pre_x.__setitem__(0, 1.0),
    "timer": lambda e, now: now.timer.__setitem__(0, 1.0),
    "one argument": lambda now: None,
}


@pytest.mark.parametrize("name", ACTIONS)
def test_what_an_action_may_not_do(name: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError, brink.SimulationError)):
        ode(guards=[brink.Guard([1.0, 0.0], offset=-0.5, action=ACTIONS[name])]).run(until=2.0)


# ---- anything, anywhere ----

THINGS: list[Any] = [
    None,
    True,
    0,
    -1,
    3,
    2**31,
    2**63,
    2**80,
    -(2**80),
    0.0,
    -1.5,
    1e308,
    math.inf,
    -math.inf,
    math.nan,
    1j,
    "",
    "x",
    "auto",
    "h\0",
    b"bytes",
    [],
    [1.0],
    [1.0, 2.0],
    [[1.0]],
    [math.nan, 1.0],
    ["a", "b"],
    (),
    {},
    {"h": 1.0},
    {"h": "x"},
    {1: 2},
    set(),
    object(),
    type,
    len,
    math.sin,
    lambda: None,
    lambda t, x: x,
    lambda t, x: None,
    lambda *a: 1.0,
    np.zeros(2),
    np.zeros((2, 2)),
    np.zeros(0),
    np.array(["a"]),
    np.array(None),
    np.float32(1.0),
    np.int8(3),
    range(3),
    iter([1.0]),
    brink.Guard([1.0, 0.0]),
    brink.Clock(1.0),
    brink.STOP,
    brink.Refuse,
    slice(None),
    Ellipsis,
    memoryview(b"ab"),
]

GUARD_FIELDS = list(brink.Guard.__dataclass_fields__)
CLOCK_FIELDS = list(brink.Clock.__dataclass_fields__)
ODE = [
    "guards",
    "clocks",
    "modes",
    "p",
    "rules",
    "zeno",
    "jacobian",
    "sparsity",
    "names",
    "t0",
    "strict_surfaces",
    "name",
]
RUN = [
    "method",
    "events",
    "gain",
    "zeno",
    "order",
    "max_order",
    "mnm_parts",
    "max_iterations",
    "rtol",
    "step",
    "hmin",
    "hmax",
    "gamma",
    "termination",
    "near_miss",
    "atol",
    "audit",
    "max_steps",
    "x0",
    "p",
    "modes",
    "t0",
    "dense",
    "sensitivity",
    "nonsense",
]
SOLVE = [
    "t_span",
    "y0",
    "method",
    "t_eval",
    "dense_output",
    "events",
    "vectorized",
    "args",
    "first_step",
    "max_step",
    "min_step",
    "rtol",
    "atol",
    "jac",
    "jac_sparsity",
    "lband",
    "uband",
    "nonsense",
]


def attempt(call: Any) -> None:
    """Whatever comes out is an exception of Python, or a result."""
    try:
        call()
    except Exception as error:
        assert str(error) or isinstance(error, (StopIteration, AssertionError, IndexError)), repr(
            error
        )


def quick(model: brink.Ode, **options: Any) -> None:
    model.run(**{"until": 0.01, "max_steps": 50, **options})


@pytest.mark.filterwarnings("ignore")
def test_a_fuzz_of_wrong_arguments_ends_in_exceptions() -> None:
    dice = random.Random(18)
    pick = lambda: dice.choice(THINGS)  # noqa: E731
    for _ in range(2500):
        kind = dice.randrange(6)
        if kind == 0:
            given = {dice.choice(GUARD_FIELDS): pick() for _ in range(dice.randint(1, 3))}
            attempt(lambda: quick(ode(guards=[brink.Guard(**{"value": [1.0, 0.0], **given})])))
        elif kind == 1:
            given = {dice.choice(CLOCK_FIELDS): pick() for _ in range(dice.randint(1, 2))}
            attempt(lambda: quick(ode(clocks=[brink.Clock(**{"period": 0.005, **given})])))
        elif kind == 2:
            given = {dice.choice(ODE): pick() for _ in range(dice.randint(1, 2))}
            attempt(lambda: quick(ode(**given)))
        elif kind == 3:
            given = {dice.choice(RUN): pick() for _ in range(dice.randint(1, 2))}
            attempt(lambda: quick(ode(), **given))
        elif kind == 4:
            attempt(lambda: quick(brink.ode(pick(), pick())))
        else:
            given = {
                "t_span": [0, 0.01],
                "y0": [1.0, 2.0],
                **{dice.choice(SOLVE): pick() for _ in range(dice.randint(1, 2))},
            }
            if given.get("t_span") is not None and given.get("max_step", 1.0) != 1.0:
                continue  # a tiny step: it would go on for ever, as it was told to
            attempt(lambda: solve_ivp(f, given.pop("t_span"), given.pop("y0"), **given))


@pytest.mark.filterwarnings("ignore")
def test_a_fuzz_of_live_runs_ends_in_exceptions() -> None:
    dice = random.Random(19)
    pick = lambda: dice.choice(THINGS)  # noqa: E731
    run = brink.ode(f, {"h": 1.0, "v": 2.0}, p={"k": 1.0}, modes={"m": 0}).start(max_steps=20)
    for _ in range(1500):
        thing, other = pick(), pick()
        limit = thing if not isinstance(thing, (int, float)) or thing < 1e6 else 1.0
        attempt(
            dice.choice(
                [
                    lambda: run.step(limit),
                    lambda: run.next_event(limit),
                    lambda: run.to(limit),
                    lambda: run[thing],
                    lambda: run.__setitem__(thing, other),
                    lambda: run.__setitem__("h", other),
                    lambda: run.__setitem__("m", other),
                    lambda: setattr(run, "x", other),
                    lambda: setattr(run, "p", other),
                    lambda: setattr(run, "modes", other),
                    lambda: run(thing),
                    lambda: run.result()(thing),
                    lambda: run.result()[thing],
                    lambda: run.result().events[thing],
                    lambda: run.reset(),
                ]
            )
        )
    run.reset()
    assert run.to(0.5).outcome == "end" and run.x == pytest.approx(
        [math.exp(-0.5), 2 * math.exp(-0.5)], abs=1e-5
    )


# ---- instants ----


def _acting(action: Any) -> brink.Ode:
    return brink.ode(
        lambda t, x, env: [float(env.mode.gain)],
        {"x": 0.0},
        modes={"gain": 1, "other": 0},
        guards=[brink.Guard([1.0], offset=-0.5, action=action)],
    )


@pytest.mark.parametrize("value", [2.7, 3e9, 2**31, -(2**31) - 1, math.nan, math.inf, "on"])
@pytest.mark.parametrize("way", ["attribute", "name", "number", "whole", "part", "array"])
def test_a_mode_is_a_whole_number(value: Any, way: str) -> None:
    def act(event: Any, now: brink.Now) -> None:
        if way == "attribute":
            now.mode.gain = value
        elif way == "name":
            now.mode["gain"] = value
        elif way == "number":
            now.mode[0] = value
        elif way == "part":
            now.mode[:1][0] = value
        elif way == "array":
            now.mode[:] = [value, 0]
        else:
            now.mode = [value, 0]

    with pytest.raises(brink.ArgumentError, match="numbers"):
        _acting(act).run(until=1)


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3)])
def test_whole_numbers_of_any_type_are_modes(value: Any) -> None:
    def act(event: Any, now: brink.Now) -> None:
        now.mode.gain = value
        now.mode["other"] += 1

    r = _acting(act).run(until=1)
    assert r.modes[-1].tolist() == [3, 1]
    assert r.final["x"] == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["modes", "t", "sgn", "pre_x", "state", "timers"])
def test_now_refuses_attributes_that_nobody_reads(name: str) -> None:
    def act(event: Any, now: brink.Now) -> None:
        setattr(now, name, [5])

    with pytest.raises(AttributeError, match=f"now.{name} cannot be assigned"):
        _acting(act).run(until=1)


@pytest.mark.parametrize("name", ["p", "mode", "sgn", "modes"])
def test_env_is_not_to_be_written(name: str) -> None:
    def f(t: float, x: Any, env: brink.Env) -> list[float]:
        setattr(env, name, [5])
        return [0.0]

    with pytest.raises(AttributeError, match=f"env.{name} cannot be assigned"):
        brink.ode(f, [0.0]).run(until=1)


def test_names_are_of_one_thing() -> None:
    def f(t: float, x: Any) -> list[float]:
        return [0.0]

    with pytest.raises(brink.ArgumentError, match="a state and a parameter have the name 'k'"):
        brink.ode(f, {"k": 1.0}, p={"k": 2.0})
    with pytest.raises(brink.ArgumentError, match="a state and a mode have the name 'k'"):
        brink.ode(f, {"k": 1.0}, modes={"k": 2})
    with pytest.raises(brink.ArgumentError, match="a parameter and a mode have the name 'k'"):
        brink.ode(f, [1.0], p={"k": 2.0}, modes={"k": 2})


# ---- words ----


def test_messages_name_things_once() -> None:
    with pytest.raises(brink.ArgumentError) as raised:
        brink.ode(lambda t: [1.0], [0.0])
    assert str(raised.value).count("<lambda>") == 1 and ",," not in str(raised.value)
    with pytest.raises(brink.ArgumentError) as raised:
        brink.ode(3.5, [0.0])
    assert str(raised.value) == "f, the float 3.5, is no function: give a callable"


def test_messages_speak_python() -> None:
    def one(t: float, x: Any) -> list[float]:
        return [1.0]

    def bounce(event: Any, now: brink.Now) -> None:
        now.x[1] *= -0.5

    edge = brink.Guard(lambda t, x: x[0] - 1, side="unilateral")
    floor = brink.Guard([1.0, 0.0], action=bounce, direction=-1)
    ball = brink.ode(lambda t, x: [x[1], -9.81], [1.0, 0.0], guards=[floor])
    cases: list[tuple[str, Any]] = [
        ("give `step`", lambda: brink.ode(one, [0.0]).run(until=1, method="rk4")),
        ('events="interpolate"', lambda: brink.ode(one, [0.0], guards=[edge]).run(until=2)),
        ("an action `zeno`", lambda: ball.run(until=9)),
        ("give `series`", lambda: brink.ode(one, [0.0]).run(until=1, method="taylor")),
    ]
    for words, call in cases:
        with pytest.raises(brink.Error) as raised:
            call()
        assert words in str(raised.value)
        assert "BRINK_" not in str(raised.value) and "options." not in str(raised.value)


def test_a_run_says_who_stopped_it() -> None:
    def one(t: float, x: Any) -> list[float]:
        return [1.0]

    half = brink.Guard([1.0], offset=-0.5, stop=True, name="half")
    assert brink.ode(one, [0.0], guards=[half]).run(until=1).message.startswith("guard 'half'")
    half = brink.Guard([1.0], offset=-0.5, action=lambda e, now: brink.STOP, stop=2)
    assert "an action stopped" in brink.ode(one, [0.0], guards=[half]).run(until=1).message


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_holds_memory_is_not_copied(copied: Any) -> None:
    model = brink.ode(lambda t, x: [1.0], [0.0])
    for thing in (model, model.start(), model.run(until=1)):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copied(thing)
    gc.collect()
