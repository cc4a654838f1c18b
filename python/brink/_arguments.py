"""Arguments that are numbers, choices, sequences: converted, or refused with words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from brink._callables import describe
from brink._errors import ArgumentError

__all__ = ["as_choice", "as_direction", "as_float", "as_int", "as_list", "finite"]


def as_float(value: Any, what: str) -> float:
    """A real number; anything else is refused."""
    if isinstance(value, (str, bytes, complex)) or value is None:
        raise ArgumentError(f"{what} is {value!r}: give a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} is {describe(value)}: give a number") from None


def as_int(value: Any, what: str, bits: int = 31) -> int:
    try:
        number = int(value.__index__()) if not isinstance(value, float) else int(value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} is {describe(value)}: give a whole number") from None
    if number != value or not -(2**bits) <= number < 2**bits:
        raise ArgumentError(f"{what} is {value!r}: give a whole number")
    return number


def as_direction(value: Any, what: str) -> int:
    number = as_int(value, what)
    if number not in (-1, 0, 1):
        raise ArgumentError(f"{what} is {value!r}: give -1, 0 or 1")
    return number


def as_choice(value: Any, choices: Mapping[str, int], what: str) -> int:
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"{what} is {value!r}: give one of {', '.join(map(repr, choices))}")
    return choices[value]


def as_list(value: Any, what: str) -> list[Any]:
    if isinstance(value, str):
        return [value]
    try:
        return list(value)
    except TypeError:
        raise ArgumentError(f"{what} is {describe(value)}: give a sequence") from None


def finite(value: float, what: str) -> float:
    if not math.isfinite(value):
        raise ArgumentError(f"{what} is {value!r}: give a finite number")
    return value
