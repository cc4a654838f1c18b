"""The door to libbrink: `ffi` and `lib`, statuses to exceptions, texts to str and back."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, NoReturn

from brink import _errors
from brink._native import ffi, lib

__all__ = [
    "OK",
    "check",
    "decode",
    "decode_list",
    "encode",
    "encode_list",
    "ffi",
    "fail",
    "lib",
    "message_of",
    "messages_of",
    "move",
    "new_diag",
    "version",
]

OK: int = lib.BRINK_OK

# What the library says about a call; statuses that are not here are failures of a simulation.
_ERRORS: dict[int, type[_errors.Error]] = {
    lib.BRINK_ERR_ARGUMENT: _errors.ArgumentError,
    lib.BRINK_ERR_UNSUPPORTED: _errors.UnsupportedError,
    lib.BRINK_ERR_MODEL: _errors.ModelError,
    lib.BRINK_ERR_FILE: _errors.FileError,
}


def _note_main_thread() -> None:
    lib.brinkpy_set_main_thread(threading.main_thread().ident or 0)


_note_main_thread()
os.register_at_fork(after_in_child=_note_main_thread)


# ---- texts ----


def decode(text: Any) -> str:
    """A C string as str; NULL is "". Bytes that are not UTF-8 are shown as escapes."""
    if text == ffi.NULL:
        return ""
    return bytes(ffi.string(text)).decode("utf-8", "backslashreplace")


def decode_or_none(text: Any) -> str | None:
    return None if text == ffi.NULL else decode(text)


def decode_list(texts: Any, count: int) -> list[str]:
    return [decode(texts[k]) for k in range(count)]


def encode(text: str | os.PathLike[str]) -> bytes:
    """A str or a path as bytes for C. A NUL inside would cut it off in silence: it is refused.

    >>> encode("plant.h")
    b'plant.h'
    """
    data = os.fsencode(text)
    if b"\0" in data:
        raise _errors.ArgumentError(f"a NUL character in {os.fspath(text)!r}")
    return data


def encode_list(texts: list[str]) -> tuple[Any, list[Any]]:
    """A `const char *const *` and what must live as long as it."""
    kept = [ffi.new("char[]", encode(text)) for text in texts]
    return ffi.new("const char *[]", kept), kept


# ---- statuses ----


def new_diag() -> Any:
    """A brink_diag for `check`."""
    return ffi.new("brink_diag *")


#: what messages call things in C, and Python's words
_PYTHON_WORDS = {
    "set options.step": "give `step`",
    "choose BRINK_INTERPOLATE": 'choose events="interpolate"',
    "a zeno action and BRINK_ZENO_CONTINUE": "an action `zeno`",
    "than BRINK_LEAF": 'than "leaf"',
    "set brink_model_def.flow_jet, build the model of expressions (<brink/build.h>), or choose "
    "BRINK_ADAMS": 'give `series`, or choose method="adams"',
    "BRINK_NONE (start from brink_default_guard)": "None",
    "atols[": "atol[",
}


def message_of(diag: Any) -> str:
    """What a brink_diag says, in words of Python."""
    message = decode(diag.message)
    for name, words in _PYTHON_WORDS.items():
        message = message.replace(name, words)
    return message


def fail(status: int, diag: Any, *, hint: str | None = None) -> NoReturn:
    """Raises what a status means. `diag` is that of the call, or NULL."""
    has_words = diag != ffi.NULL and diag.status == status
    message = message_of(diag) if has_words else ""
    if not message:
        message = decode(lib.brink_status_text(status))
    if status == lib.BRINK_ERR_MEMORY:
        raise MemoryError(message)
    reason = diag.reason if has_words else lib.BRINK_REASON_NONE
    raise _ERRORS.get(status, _errors.SimulationError)(
        message,
        status=status,
        reason="" if reason == lib.BRINK_REASON_NONE else decode(lib.brink_reason_name(reason)),
        t=diag.t if has_words else float("nan"),
        hint=hint,
    )


def check(status: int, diag: Any = ffi.NULL) -> int:
    """The status, if it is no failure; else the exception that it means."""
    if status < 0:
        fail(status, diag)
    return status


def messages_of(model: Any) -> tuple[_errors.Message, ...]:
    """What the compiler says about a brink_hsml."""
    pointer = ffi.new("const brink_hsml_message **")
    count = lib.brink_hsml_messages(model, pointer)
    return tuple(_message(pointer[0][k]) for k in range(count))


def _message(m: Any) -> _errors.Message:
    return _errors.Message(
        code=decode(m.code),
        severity="error" if m.severity == lib.BRINK_ERROR else "warning",
        file=decode_or_none(m.file),
        line=m.line,
        column=m.column,
        length=m.length,
        arguments=tuple(decode_list(m.arguments, m.narguments)),
        text=decode(m.text),
        hint=decode_or_none(m.hint),
        rendered=decode(m.rendered),
    )


# ---- calls that move ----


def move(call: Callable[..., int], *arguments: Any) -> int:
    """Calls one of lib.brinkpy_… and returns its status.

    After Ctrl-C, Python runs its handler of SIGINT as soon as the call is over: KeyboardInterrupt comes out of here. If the
    handler is one that returns, the call goes on.
    """
    while True:
        status = call(*arguments)
        if status != lib.BRINKPY_INTERRUPTED:
            return status


def version() -> str:
    """The version of libbrink that is linked."""
    return decode(lib.brink_version())
