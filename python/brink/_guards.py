"""Guards and clocks of models in Python."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Union

from brink._errors import ArgumentError
from brink._library import lib

__all__ = ["Clock", "Constraints", "Guard"]

SIDES = {
    "bilateral": lib.BRINK_BILATERAL,
    "unilateral": lib.BRINK_UNILATERAL,
    "crossing": lib.BRINK_CROSSING,
    "leaf": lib.BRINK_LEAF,
}
STARTS = {
    "free": lib.BRINK_INITIAL_FREE,
    "guess": lib.BRINK_INITIAL_GUESS,
    "fixed": lib.BRINK_INITIAL_FIXED,
}
SURFACES = {"filippov": lib.BRINK_SURFACE_FILIPPOV, "model": lib.BRINK_SURFACE_MODEL}

Place = Union[str, int]  #: the name of a guard, a state or a parameter, or its number


@dataclass(frozen=True, eq=False)
class Guard:
    """A function of time and state whose zeros are events.

    What it is, one of four:

    value       ``g(t, x)`` or ``g(t, x, env)``, a number; or a C function (`brink.native`); or the
                name of a state, which is then its value; or a sequence of numbers, one for each
                state: see `coefficients`
    coefficients   linear, by numbers: ``offset + sum(c*x) + time_coefficient*t``, one for each
                state of `depends`. The cheapest kind, and the surest. With a `value` besides: the
                numbers say where to look, the value where it is
    formula     of other guards, by their names: ``"low and not (left or right)"``. Positive while
                it is true; a guard in it means that it is not negative. Or a list in postfix
                order: ``["low", "left", "not", "and"]``
    timer       the name of a parameter: the event happens at the time that this holds; math.inf:
                never

    When it is an event:

    side        "bilateral"    at the zero; f may be evaluated past it; a touch is no event
                "unilateral"   before the zero, on the side that the state came from. f is never
                               evaluated past it; a touch is an event. Needs `coefficients` or a
                               `gradient` (differences would look past the surface)
                "crossing"     just past the zero
                "leaf"         no event of its own: a part of formulas
    direction   -1: where it falls to zero or through it; 1: where it rises; 0: both
                An event needs a crossing: where a run starts on the side to which the direction
                leads, there is none until it has been back. `brink.RunWarning` tells of unilateral
                guards for which this is so
    stop        True: the run stops at its first event; a number: at so many
    enabled     ``enabled(env)``: is it watched in the present modes? None: always

    What happens then:

    action      ``action(event, now)`` changes ``now.x``, ``now.p``, ``now.mode``, ``now.timer``.
                It returns None, or `brink.STOP` to end the run, as ``now.stop("why")`` does. See
                `brink.Now`
    priority    at one instant, larger first, then in the order of the list
    surface     what holds while the fields of both sides point at the surface: "filippov", their
                convex combination that stays on it; "model": f itself, called with sign 0 of this
                guard
    on_surface  ``on_surface(event, now)`` runs when the state comes to rest on the surface: an
                event of kind "held"
    leave_positive, leave_negative   with surface "model": guards that let go of the surface, to
                that side, where they become positive

    What helps to find it: all zeros of guards with `coefficients`, a `degree` or a `jet` are found
    inside a step. One that is given by its values only is sampled along the step: pairs of zeros
    closer together than about 1/128 of a step may be missed. If it changes faster than the
    solution, limit the steps: ``run(hmax=…)``.

    depends     the states it reads, by names or numbers; None: all
    gradient    ``gradient(t, x)`` or ``gradient(t, x, env)``: the derivatives by the states of
                `depends`; and if the value depends on time, a pair of these and the derivative by
                time
    jet         ``jet(order, t, x)`` or ``jet(order, t, x, env)``: the value as a power series; t
                and the rows of x are series of order + 1 coefficients
    degree      of the value as a polynomial in t and x; 0: it is none, or not known
    lipschitz, lipschitz_time   bounds of the derivatives, everywhere. They must be true
    timeless    its value does not depend on time itself
    unread      f does not read its sign

    The rest is for special cases, as in ``<brink/brink.h>``: `inside`, `reads_signs`, `condition`,
    `at_zero`, `same_as` with `same_sign`.

    >>> import brink
    >>> def bounce(event, now):
    ...     now.x["v"] *= -0.8
    >>> floor = brink.Guard("h", direction=-1, side="unilateral", action=bounce, name="floor")
    >>> ball = brink.ode(lambda t, x: [x[1], -9.81], {"h": 1.0, "v": 0.0}, guards=[floor])
    >>> [round(e.t, 6) for e in ball.run(until=2).events]
    [0.451524, 1.173961, 1.751912]
    """

    value: Any = None
    name: str | None = None
    side: str = "bilateral"
    direction: int = 0
    action: Callable[..., Any] | None = None
    stop: bool | int = False
    priority: int = 0
    enabled: Callable[..., Any] | None = None

    depends: Sequence[Place] | None = None
    coefficients: Sequence[float] | None = None
    offset: float = 0.0
    time_coefficient: float = 0.0
    gradient: Any = None
    jet: Any = None
    degree: int = 0
    lipschitz: Sequence[float] | None = None
    lipschitz_time: float = 0.0
    timeless: bool = False
    unread: bool = False

    formula: str | Sequence[Place] | None = None
    timer: Place | None = None

    surface: str = "filippov"
    on_surface: Callable[..., Any] | None = None
    leave_positive: Place | None = None
    leave_negative: Place | None = None
    inside: int = 0
    reads_signs: bool = False
    condition: bool = False
    at_zero: int = 0
    same_as: Place | None = None
    same_sign: int = 1


@dataclass(frozen=True, eq=False)
class Constraints:
    """Equations without derivatives, which determine the last states: the unknowns. They are given
    after differentiation.

    unknowns     how many; the last states of the model
    residual     ``residual(t, x)`` or ``residual(t, x, env)``: zero where the constraints hold.
                 First one number for each unknown, which determine them; then the invariants,
                 which tie the other states. Or a C function
    invariants   how many
    derivatives  ``derivatives(t, x)`` or ``derivatives(t, x, env)``: of all rows by all states,
                 and in a last column by time. None: differences
    index        1: no invariants; 2, 3: how often constraints were differentiated, less one
    start        how states begin, by name: "fixed" as given (states), "free" or "guess" as the
                 constraints want (unknowns)

    f returns the derivatives of the states alone, without the unknowns.

    >>> import brink
    >>> def pendulum(t, x):
    ...     x, y, vx, vy, force = x
    ...     return [vx, vy, -force * x, -force * y - 9.81]
    >>> def rod(t, x):
    ...     x, y, vx, vy, force = x
    ...     pull = vx**2 + vy**2 - force * (x**2 + y**2) - 9.81 * y
    ...     return [pull, x**2 + y**2 - 1, x * vx + y * vy]
    >>> start = {"x": 1.0, "y": 0.0, "vx": 0.0, "vy": 0.0, "force": 0.0}
    >>> constraints = brink.Constraints(1, rod, invariants=2, index=3)
    >>> r = brink.ode(pendulum, start, constraints=constraints).run(until=10)
    >>> bool(abs(r["x"] ** 2 + r["y"] ** 2 - 1).max() < 1e-14)
    True
    """

    unknowns: int
    residual: Any
    invariants: int = 0
    derivatives: Any = None
    index: int | None = None
    start: Mapping[str, str] | None = None


@dataclass(frozen=True, eq=False)
class Clock:
    """Ticks at ``offset + n*period``, exactly: 3 ticks of 0.1 and one of 0.3 are one instant.

    tick      ``tick(n, now)``, n = 0, 1, 2, …, changes what an action may (`brink.Now`); None:
              nothing happens
    period    None: a timer, which ticks at ``now.timer[name]``, first at `offset`; math.inf: never
    priority  at one instant, larger first

    >>> import brink
    >>> def sample(n, now):
    ...     now.p["u"] = 2.0 - now.x[0]
    >>> clock = brink.Clock(0.5, sample)
    >>> loop = brink.ode(lambda t, x, env: [env.p.u], [0.0], p={"u": 0.0}, clocks=[clock])
    >>> loop.run(until=1.5).x[-1]
    array([1.75])
    """

    period: float | None = None
    tick: Callable[..., Any] | None = None
    name: str | None = None
    offset: float = 0.0
    priority: int = 0


OPERATORS = {"and": lib.BRINK_AND, "or": lib.BRINK_OR, "not": lib.BRINK_NOT}


def postfix(formula: str | Sequence[Place], owner: str) -> list[Place]:
    """A formula in postfix order: names or numbers of guards, "and", "or", "not".

    >>> postfix("a and not (b or c)", "g")
    ['a', 'b', 'c', 'or', 'not', 'and']
    """
    if not isinstance(formula, str):
        return list(formula)
    try:
        return _walk(ast.parse(formula.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        raise ArgumentError(
            f"guard {owner!r}: the formula {formula!r} is not one: "
            "names of guards, and, or, not, parentheses"
        ) from None


def _walk(node: ast.expr) -> list[Place]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)):
        return [node.value]  # a name in quotes, a number
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        return [*_walk(node.operand), "not"]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        operator = "and" if isinstance(node.op, ast.BitAnd) else "or"
        return [*_walk(node.left), *_walk(node.right), operator]
    if isinstance(node, ast.BoolOp):
        operator = "and" if isinstance(node.op, ast.And) else "or"
        found = _walk(node.values[0])
        for value in node.values[1:]:
            found += [*_walk(value), operator]
        return found
    raise ValueError


def stop_count(stop: Any, owner: str) -> int:
    """Events until the run stops; 0: it does not."""
    if stop is True or stop is False or stop is None:
        return int(bool(stop))
    if isinstance(stop, float) and stop == math.floor(stop):
        stop = int(stop)
    try:
        count = int(stop.__index__())
    except AttributeError:
        count = -1
    if not 0 <= count < 2**62:
        raise ArgumentError(
            f"guard {owner!r}: stop is {stop!r}: give True, False, or a number of events"
        )
    return count
