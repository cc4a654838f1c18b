"""Memory stays flat: models that are loaded, run and dropped, errors, results.

    BRINK_LEAK_ROUNDS=100000 python3 -m pytest tests/test_leaks.py     the long campaign
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import brink

ROUNDS = int(os.environ.get("BRINK_LEAK_ROUNDS", "1500"))
BALL = Path(__file__).resolve().parents[2] / "models" / "bouncing-ball" / "model.hsml"

# Bytes that may come and go, however long it goes on: of caches, of the test itself.
SLACK = 50_000


class MallocInfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
        )
    ]


def in_use() -> int:
    """Bytes that C code and Python objects hold, and mappings. The size of the process says less: allocators keep what
    is given back, some megabytes at random."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallocInfo
    info = mallinfo2()
    mappings = Path("/proc/self/maps").read_text().count("\n")
    return int(info.uordblks + info.hblkhd + 64 * sys.getallocatedblocks() + 4096 * mappings)


def stays_flat(work: Callable[[int], object], rounds: int) -> None:
    """Memory after half of the rounds and at the end: what has settled by then stays as it is."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("needs mallinfo2 of glibc")
    for k in range(rounds // 2):
        work(k)
    before = in_use()
    for k in range(rounds // 2, rounds):
        work(k)
    grown = in_use() - before
    assert grown < SLACK, f"{grown} bytes in {rounds - rounds // 2} rounds"


def test_models_that_are_loaded_run_and_dropped() -> None:
    text = BALL.read_text()

    def work(k: int) -> None:
        model = brink.load(text)
        result = model.run(until=0.5, knobs={"ball.e": 0.5 + 0.4 * (k % 7) / 7})
        assert len(result.events) == 1 and result.final["ball.y"] >= 0

    stays_flat(work, ROUNDS)


def test_results_with_all_that_they_can_show() -> None:
    model = brink.load(BALL)

    def work(k: int) -> None:
        result = model.run(until=1.0)
        result(0.3, "ball.y")
        result.condition
        result.json
        result.to_pandas()

    stays_flat(work, ROUNDS // 10)


def test_models_that_do_not_compile() -> None:
    text = BALL.read_text().replace("y' = v;", "y' = w;")

    def work(k: int) -> None:
        with pytest.raises(brink.ModelError):
            brink.load(text)

    stays_flat(work, ROUNDS)


def test_runs_that_fail_and_values_that_do_not_fit() -> None:
    model = brink.load(BALL)

    def work(k: int) -> None:
        # A model of its own: the messages of a model stay until it is dropped.
        with pytest.raises(brink.ModelError):
            brink.load(BALL).run(knobs={"ball.e": 7.0})
        with pytest.raises(brink.SimulationError):
            model.run(until=10.0, zeno="stop")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stays_flat(work, ROUNDS // 3)


def test_other_knobs_and_values_on_one_model() -> None:
    model = brink.load(BALL)

    def work(k: int) -> None:
        model.run(until=0.5, knobs={"ball.e": 0.5 + 0.4 * (k % 97) / 97})
        model.set({"ball.y": 1.0 + (k % 13) / 13})
        model.states["ball.y"]

    stays_flat(work, ROUNDS)


def test_live_runs_and_their_clones() -> None:
    model = brink.load(BALL)

    def work(k: int) -> None:
        run = model.start(until=1.0)
        run.to(0.3)
        twin = run.clone()
        twin["ball.v"] = -1.0
        twin.to(0.6)
        run.next_event()

    stays_flat(work, ROUNDS // 3)
