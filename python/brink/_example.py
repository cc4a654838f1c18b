"""The models that come with Brink."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from brink import _errors
from brink._model import Model, load

__all__ = ["example", "examples"]


def _places() -> Iterator[Path]:
    """Where models may lie: in the source tree, below the prefix of this package, below those of the system."""
    package = Path(__file__).resolve().parent
    yield package.parents[1] / "models"
    for above in package.parents:
        yield above / "share" / "brink" / "models"
    for prefix in (sys.prefix, "/usr/local", "/usr"):
        yield Path(prefix) / "share" / "brink" / "models"


def _directory() -> Path:
    for place in _places():
        if (place / "bouncing-ball" / "model.hsml").is_file():
            return place
    raise _errors.FileError(
        "the models of Brink are not installed",
        hint="they belong to the program: `make install`, or the Debian package brink",
    )


def examples() -> list[str]:
    """The names of the models that come with Brink, for `example`.

    >>> import brink
    >>> "bouncing-ball" in brink.examples()
    True
    """
    return sorted(path.parent.name for path in _directory().glob("*/model.hsml"))


def example(name: str) -> Model:
    """Loads a model that comes with Brink: one of the folder ``models`` of its sources, or of ``share/brink/models``.

    >>> import brink
    >>> m = brink.example("thermostat")
    >>> m.run(until=10).events.flag.tolist()
    ['room.warm', 'room.cold']
    """
    known = examples()
    if name not in known:
        near = difflib.get_close_matches(str(name), known, 1)
        hint = f"did you mean {near[0]!r}?" if near else "brink.examples() has their names"
        raise _errors.ArgumentError(f"there is no example {name!r}", hint=hint)
    return load(_directory() / name / "model.hsml")
