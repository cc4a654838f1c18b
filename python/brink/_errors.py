"""What Brink raises, and what the compiler says about a model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ArgumentError",
    "Error",
    "FileError",
    "Interrupted",
    "Message",
    "ModelError",
    "SimulationError",
    "UnsupportedError",
]


@dataclass(frozen=True)
class Message:
    """What the compiler says about one place of a model."""

    code: str  #: stable: "unknown-name"; docs/diagnostics.md lists them
    severity: str  #: "error" or "warning"
    file: str | None  #: None: it is about a value that was set, not about the text
    line: int  #: from 1; 0: not known
    column: int  #: from 1, in bytes
    length: int  #: in bytes
    arguments: tuple[str, ...]  #: what it speaks of: names, types, numbers
    text: str  #: one line
    hint: str | None  #: what to try
    rendered: str  #: as compilers show it: place, source line, carets, hint

    def __str__(self) -> str:
        return self.rendered.rstrip("\n") if self.rendered else self.text


class Error(Exception):
    """Whatever Brink refuses or fails at.

    status    number of the status (``brink_status`` of ``<brink/brink.h>``); 0: Python found it
    reason    a stable slug for programs: "bad-argument", "zeno", "step-tolerance"; "": none
    t         time in the simulation; NaN: it has nothing to do with one
    message   what happened
    hint      what to try; None: nothing comes to mind
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: int = 0,
        reason: str = "",
        t: float = math.nan,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.reason = reason
        self.t = t
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class ModelError(Error):
    """The text of a model has errors, or a value that was set does not fit it.

    `messages` has all that the compiler says; the text of the exception shows them with their source lines.
    """

    def __init__(
        self, message: str = "", *, messages: tuple[Message, ...] = (), **details: Any
    ) -> None:
        super().__init__(message, **details)
        self.messages = messages

    def __str__(self) -> str:
        if not self.messages:
            return super().__str__()
        about_text = any(m.file is not None for m in self.messages)
        heading = "the model has errors" if about_text else "a value does not fit the model"
        text = "\n".join([heading, *(str(m) for m in self.messages)])
        return text if self.hint is None or self.hint in text else f"{text}\nhint: {self.hint}"


class ArgumentError(Error, ValueError):
    """An argument is wrong."""


class SimulationError(Error, RuntimeError):
    """A run failed.

    `result` holds what was computed until then; None: nothing was.
    """

    def __init__(self, message: str = "", *, result: Any = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.result = result


class UnsupportedError(Error):
    """What was asked for is not supported, or not in this combination."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `result` holds what was computed until then."""

    def __init__(self, message: str = "", *, result: Any = None) -> None:
        super().__init__(message)
        self.result = result
