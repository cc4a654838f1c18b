"""Warnings that point at the user's line."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["ModelWarning", "RunWarning", "warn"]

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class ModelWarning(UserWarning):
    """What the compiler remarks about a model."""


class RunWarning(UserWarning):
    """What is odd about a run."""


def warn(text: str, kind: type[Warning]) -> None:
    """Warns of something in the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
        level += 1
    warnings.warn(text, kind, stacklevel=level)
