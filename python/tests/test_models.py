"""Models of models/: what Python gives is what the program gives, to the last bit."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import brink

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "brink"

# Resets, accumulation, sliding, samples, constraints, delays, queues, random draws, tables, agents.
MODELS = [
    "bouncing-ball",
    "bumper-cars",
    "cartesian-pendulum",
    "corridor",
    "delayed-relay",
    "dry-friction",
    "engine-map",
    "gear-box",
    "mmc-queue",
    "quadrotor",
    "sampled-thermostat",
    "sliding-mode",
    "three-agents",
    "two-link-arm",
]

# Clocks on the wall, and who compiled.
MAY_DIFFER = {"compile_s", "wall_s", "engine", "engine_reason", "native_from"}


def path_of(model: str) -> Path:
    return ROOT / "models" / model / "model.hsml"


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in MAY_DIFFER}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


def as_written(text: str) -> object:
    """JSON with numbers as they are written: equal texts are equal bits."""
    return without_times(json.loads(text, parse_float=str, parse_int=str))


def program(*arguments: object) -> str:
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    return done.stdout


@pytest.mark.filterwarnings("ignore::brink.RunWarning")
@pytest.mark.parametrize("model", MODELS)
def test_the_summary_is_the_program_s(model: str) -> None:
    result = brink.load(path_of(model)).run(check=False)
    printed = program("run", path_of(model), "--json")
    assert as_written(result.json) == as_written(printed)


@pytest.mark.filterwarnings("ignore::brink.RunWarning")
@pytest.mark.parametrize("model", MODELS)
def test_rows_are_those_of_a_csv_file(model: str, tmp_path: Path) -> None:
    result = brink.load(path_of(model)).run(check=False)
    file = tmp_path / "rows.csv"
    program("run", path_of(model), "--out", file, "--quiet")
    with open(file, newline="") as f:
        names, *rows = csv.reader(f)
    assert len(rows) == len(result.t)
    table = result.table
    for k, name in enumerate(names):
        ours = result.t if k == 0 else table[name]
        theirs = [row[k] for row in rows]
        if ours.dtype.kind == "U":
            assert list(ours) == theirs
        elif ours.dtype.kind == "b":
            assert [str(v).lower() for v in ours] == theirs
        else:
            assert np.array_equal(ours, np.array(theirs, float), equal_nan=True), name


@pytest.mark.filterwarnings("ignore::brink.RunWarning")
@pytest.mark.parametrize("model", MODELS)
def test_events_are_those_of_the_summary(model: str) -> None:
    result = brink.load(path_of(model)).run(check=False)
    listed = result.summary["events"]
    assert [(e.t, e.flag) for e in result.events.all] == [(e["t"], e["flag"]) for e in listed]
