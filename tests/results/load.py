#!/usr/bin/python3
"""Runs of a size that nobody waits for in a test: many events, agents, states, guards, rows, and a run that takes long.

    load.py [--case NAME]... [--factor F] [--program BRINK] [--folder DIRECTORY]

Of each: exit code 0; the result file, read back as it streams by, has the rows and values of a closed form; memory does not grow
along the run (samples of /proc; the last quarter against the second one); the time left that the program shows is right (median
of all lines, within a factor of two). F (default 1) scales all sizes: 0.001 is a run of a second. Prints a table; exits with 1 if
anything is otherwise.
"""
import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import interrupts  # noqa: E402  (its models)

ROOT = interrupts.ROOT


def events(f):
    """x' = -x beside a guard sin(n t): it falls through zero at n t = pi, 3 pi, ..."""
    n = max(int(2e7 * math.pi * f), 20)
    count = math.floor((n / math.pi - 1.0) / 2.0) + 1
    return interrupts.fast_roots(n), "--until 1 --every 0.1 --keep k", 11, {"k": (count, 0.0)}


def output(f):
    """x = 1 + sin t, 10 GB of it: 29.6 characters a row, of which the times get longer."""
    rows = max(int(10e9 / 29.5 * f), 100)
    t = (rows - 1) * 1e-4
    return interrupts.SWING, f"--until {t:.4f} --every 0.0001", rows, {"x": (1.0 + math.sin(t), 1e-3)}


def states(f):
    n = max(int(1e6 * f), 10)
    text = interrupts.one(f"state(x[{n}], real);", f"for i in 1..{n} loop x[i] := 1.0*i/{n}; end loop;",
                          f"for i in 1..{n} loop x[i]' = -x[i]; end loop;")
    return text, f"--until 2 --every 1 --keep x[{n}]", 3, {f"x[{n}]": (math.exp(-2.0), 1e-4)}


def guards(f):
    """x[i]' = 1 from i/n: each guard x[i] - 1.5 rises through zero once until t = 1.6."""
    n = max(int(1e5 * f), 10)
    text = interrupts.one(f"state(x[{n}], real); flag(z[{n}]); state(hits, integer);",
                          f"for i in 1..{n} loop x[i] := 1.0*i/{n}; end loop; hits := 0;",
                          f"for i in 1..{n} loop x[i]' = 1.0; z[i] = x[i] - 1.5; end loop;",
                          f"for i in 1..{n} loop event(z[i]) positive-going hits := hits + 1; end positive-going; end event; end loop;")
    return text, "--until 1.6 --every 1.6 --keep hits", 2, {"hits": (n, 0.0)}


def agents(f):
    """Pairs of balls 2 apart, towards each other with speed 1: they touch at t = 0.5 and exchange speeds."""
    n = 2 * max(int(5e5 * f), 5)
    text = interrupts.crowd(n, True).replace("v' = -0.01*x", "v' = 0.0").replace(
        "ball[i].x := 2.0*i; ball[i].v := if mod(i, 2) = 0 then 1.0 else -1.0;",
        "ball[i].x := 2.0*i; ball[i].v := if mod(i, 2) = 0 then -1.0 else 1.0;")
    # 1 at 2 goes up, 2 at 4 down: centres 1 apart at t = 0.5; then apart. The neighbours of other pairs come at t = 1.5.
    return text, "--until 1 --every 1 --keep ball[1].x", 2, {"ball[1].x": (2.0, 1e-4)}


def hour(f):
    """Nothing but time: x = 1 + sin t with few rows, until about an hour has passed."""
    until = 2e10 * f
    return interrupts.SWING, f"--until {until:.0f} --every {until / 10:.6f}", 11, {}


CASES = {"events": events, "agents": agents, "states": states, "guards": guards, "output": output, "hour": hour}
LEFT = re.compile(r"(?:(\d+):)?(?:(\d+):)?(\d+)(?: s)? left")


def seconds_left(line):
    match = LEFT.search(line)
    if match is None:
        return None
    parts = [int(part) for part in match.groups() if part]
    return sum(part * 60 ** power for power, part in enumerate(reversed(parts)))


def resident(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024.0
    except (OSError, TypeError):
        return None


def follow(process, errors):
    """Samples of memory (s, MB) and of the time left (s, s), and how long it took."""
    start, memory, left, place = time.monotonic(), [], [], 0
    while process.poll() is None:
        now = time.monotonic() - start
        size = resident(process.pid)
        if size:
            memory.append((now, size))
        with open(errors, encoding="utf-8") as file:
            file.seek(place)
            for line in file.readlines():
                if seconds_left(line) is not None:
                    left.append((now, seconds_left(line)))
            place = file.tell()
        time.sleep(min(0.5, 0.02 + now / 200.0))
    return memory, left, time.monotonic() - start


def growth(memory):
    """MB from the second quarter of the time to the last."""
    if len(memory) < 40:
        return 0.0
    def mean(part):
        return sum(size for _, size in part) / len(part)
    quarter = len(memory) // 4
    return mean(memory[-quarter:]) - mean(memory[quarter:2 * quarter])


def wrong_rows(path, rows, last):
    """What is wrong with the rows of a CSV file, or None."""
    count, line = 0, b""
    with open(path, "rb") as file:
        names = file.readline().decode().strip().split(",")
        while names[0].startswith("#"):
            names = file.readline().decode().strip().split(",")
        while block := file.read(1 << 24):
            count += block.count(b"\n")
            line = (line + block)[-100000:]
    values = line.decode().strip().split("\n")[-1].split(",")
    if count < rows:
        return f"{count} rows, not {rows}"
    for name, (expected, tolerance) in last.items():
        found = float(values[names.index(name)])
        if not abs(found - expected) <= tolerance:
            return f"at the end {name} = {found:.17g}, not {expected:.17g}"
    return None


def trial(name, given, work):
    text, options, rows, last = CASES[name](given.factor)
    model, out, errors = (os.path.join(work, file) for file in ("model.hsml", "a.csv", "said"))
    with open(model, "w", encoding="ascii") as file:
        file.write(text)
    command = [given.program, "run", model, *options.split(), "--out", out, "--progress", "always", "--quiet"]
    with open(errors, "w", encoding="ascii") as said:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said) as process:
            memory, left, seconds = follow(process, errors)
    faults = []
    if process.returncode != 0:
        with open(errors, encoding="utf-8") as file:
            faults.append(f"exit {process.returncode}: {file.read()[-300:].strip()}")
    else:
        problem = wrong_rows(out, rows, last)
        faults += [problem] if problem else []
    peak = max((size for _, size in memory), default=0.0)
    grown = growth([sample for sample in memory if left and sample[0] >= left[0][0]])  # after the start
    if grown > 2.0 + 0.05 * peak:
        faults.append(f"memory grows by {grown:.1f} MB")
    ratios = sorted((now + rest) / seconds for now, rest in left if now > 0.1 * seconds)
    shown = ratios[len(ratios) // 2] if ratios else math.nan
    if seconds > 20.0 and not 0.5 <= shown <= 2.0:
        faults.append(f"the time left that is shown makes {shown:.2f} of the time it took")
    size = os.path.getsize(out) if os.path.exists(out) else 0
    print(f"{name:<8}{seconds:>9.1f}{peak:>10.1f}{grown:>10.2f}{shown:>8.2f}{size / 1e6:>10.1f}{len(faults):>8}", flush=True)
    for fault in faults:
        print("  " + fault)
    return len(faults)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "brink"))
    parser.add_argument("--folder")
    given = parser.parse_args()
    wrong = 0
    print(f"{'case':<8}{'seconds':>9}{'peak MB':>10}{'grown MB':>10}{'shown':>8}{'file MB':>10}{'faults':>8}")
    for name in given.case or CASES:
        work = tempfile.mkdtemp(dir=given.folder)
        try:
            wrong += trial(name, given, work)
        finally:
            shutil.rmtree(work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
