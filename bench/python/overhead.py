"""What a short run costs from Python beside the same run from C, in one go.

    make python && scripts/bench front_door >/dev/null; PYTHONPATH=python python3 bench/python/overhead.py

Prints a table: microseconds of the fastest of some thousand runs, from C (build-bench/bench/front_door) and from Python; first with the
values of the run before, then with another knob each time. Then the addresses of ten million values in the library and
in NumPy.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import brink

ROOT = Path(__file__).resolve().parents[2]
RUNS = 3000

# model, until, knob, its range
CASES = [
    ("bouncing-ball", 1.0, "ball.e", 0.5, 0.9),
    ("thermostat", 5.0, None, 0.0, 0.0),
    ("corridor", 1.0, None, 0.0, 0.0),
]


def from_c(path: Path, until: float, knob: str, lo: float, hi: float) -> dict[str, float]:
    program = ROOT / "build-bench" / "bench" / "front_door"
    words = subprocess.run(
        [program, path, str(until), knob, str(lo), str(hi), str(RUNS)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return {words[k]: float(words[k + 1]) for k in range(0, len(words), 2)}


def from_python(path: Path, until: float, knob: str, lo: float, hi: float) -> dict[str, float]:
    model = brink.load(path)
    model.run(until=until)

    def same(_: float) -> None:
        model.run(until=until)

    def another(value: float) -> None:
        model.run(until=until, knobs={knob: value})

    found = {}
    for name, call in (("same", same), ("knob", another)):
        best = float("inf")
        for k in range(RUNS):
            start = time.perf_counter()
            call(lo + (hi - lo) * k / RUNS)
            best = min(best, time.perf_counter() - start)
        found[name] = 1e6 * best
    return found


def main() -> None:
    print(f"{'model':16} {'values':8} {'C, us':>9} {'Python, us':>11} {'above':>8}")
    for model, until, knob, lo, hi in CASES:
        path = ROOT / "models" / model / "model.hsml"
        if knob is None:
            first = next(iter(brink.load(path).knobs.values()))
            knob = first.elements[0]
            lo, hi = float(first.value or 0) * 0.99, float(first.value or 0)
        c, python = from_c(path, until, knob, lo, hi), from_python(path, until, knob, lo, hi)
        for values in ("same", "knob"):
            above = python[values] - c[values]
            print(f"{model:16} {values:8} {c[values]:9.1f} {python[values]:11.1f} {above:8.1f}")
    model = brink.load(ROOT / "models" / "bouncing-ball" / "model.hsml")
    result = model.run(until=1.0, every=1.0 / 4_000_000)
    numbers = result.t.base
    library = int(brink._library.ffi.cast("uintptr_t", result._trajectory.values))
    numpy = result.t.__array_interface__["data"][0]
    print(f"{numbers.size} values: in the library at {library:#x}, in NumPy at {numpy:#x}")


if __name__ == "__main__":
    main()
