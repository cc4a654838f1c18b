"""Tests leave nothing behind in the user's home, and take nothing from it. Ctrl-C works in them, wherever they run."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
HOME = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """A home of its own for each session, before anything is imported that reads it."""
    home = config.stash[HOME] = Path(tempfile.mkdtemp(prefix="brink-home-"))
    for name, place in {
        "HOME": home,
        "BRINK_CACHE": home / "cache",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local",
        "MPLCONFIGDIR": home / "matplotlib",
    }.items():
        place.mkdir(parents=True, exist_ok=True)
        os.environ[name] = str(place)
    os.environ["MPLBACKEND"] = "Agg"
    # Jobs that a shell puts in the background start with SIGINT ignored: runs that tests interrupt would never end.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[HOME], ignore_errors=True)


@pytest.fixture(scope="session")
def tree() -> Path:
    """The root of the source tree."""
    return TREE


@pytest.fixture(scope="session")
def program(tree: Path) -> Path:
    """The program `brink` of the source tree."""
    return tree / "build" / "brink"


@pytest.fixture(scope="session")
def models(tree: Path) -> Path:
    return tree / "models"
