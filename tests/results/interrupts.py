#!/usr/bin/python3
"""Interrupts the program at random instants of long work of every kind, and looks how long it goes on, what it says, and
what it leaves behind.

    interrupts.py [--count N | --quick] [--kind NAME]... [--program BRINK] [--seed S] [--limit SECONDS]

N interruptions (default 20) of each kind, SIGINT and SIGTERM in turn, at instants of its first seconds. Of each: the
process ends within the limit (default 0.3 s; what the machine takes from it is not counted beyond a factor: the time is
that of the processor or of the clock, whichever is less); by the signal, or with 128 + its number; the result files can
be read, and begin like those of a run that was left alone; nothing else is left in the folder, and no folder of the compiler.
Prints a table; exits with 1 if anything is otherwise. --quick: one of each of a few kinds, on small models.
"""
import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# ---- models ----


def one(declarations, initial, dynamics, rest="", interface=""):
    return f"""ctc One is
  {interface}
  body
    declarations {declarations} end declarations;
    initial {initial} end initial;
    dynamics {dynamics} end dynamics;
    {rest}
  end body;
end One;
"""


def crowd(n, reach):
    return f"""ctc Ball is
  body
    declarations state(x, real); state(v, real); parameter(r, real); flag(wall, unilateral); end declarations;
    dynamics x' = v; v' = -0.01*x; wall = {10.0 * n} - x; end dynamics;
    event(wall) negative-going v := -abs(v); end negative-going; end event;
    assignments r : 0.5; end assignments;
  end body;
end Ball;
system Line is
  body
    components ball[{n}] : Ball; end components;
    initial for i in 1..{n} loop ball[i].x := 2.0*i; ball[i].v := if mod(i, 2) = 0 then 1.0 else -1.0; end loop; end initial;
    agents
      population(ball);
      pair(a, b) in ball
        declarations flag(gap, unilateral); end declarations;
        dynamics gap = abs(a.x - b.x) - (a.r + b.r); end dynamics;
        event(gap) negative-going a.v := b.v; b.v := a.v; end negative-going; end event;
        {"reach(a.x, a.r);" if reach else ""}
      end pair;
    end agents;
    simulation until : 1000.0; end simulation;
  end body;
end Line;
"""


def guards(n):
    return one(f"state(x[{n}], real); flag(z[{n}]); state(hits, integer);",
               f"for i in 1..{n} loop x[i] := 0.0; end loop; hits := 0;",
               f"for i in 1..{n} loop x[i]' = cos(time + 0.001*i); z[i] = x[i] - 0.5; end loop;",
               f"for i in 1..{n} loop event(z[i]) positive-going hits := hits + 1; end positive-going; end event; end loop;")


def states(n):
    return one(f"state(x[{n}], real);", f"for i in 1..{n} loop x[i] := 1.0/i; end loop;",
               f"x[1]' = -x[1]; for i in 2..{n} loop x[i]' = sin(x[i - 1]) - x[i]; end loop;")


def dense(n):
    """Each state depends on all: factors of a full matrix."""
    return one(f"state(x[{n}], real);", f"for i in 1..{n} loop x[i] := 1.0/i; end loop;",
               f"for i in 1..{n} loop x[i]' = -1000.0*x[i] + cos(sum(x[j]*(1.0 + mod(i*j, 7)) for j in 1..{n})/{n}); end loop;")


def constraints(n):
    return one(f"state(s, real); variable(u[{n}], real);", "s := 0.1;", "s' = cos(time);",
               f"constraints u[1] + 0.1*exp(u[1]) = s; for i in 2..{n} loop u[i] + 0.1*sin(u[i]*u[i - 1]) = s; end loop; "
               "end constraints;")


def ring(n):
    """Each unknown reads its neighbours: one block, whose factors are a full matrix."""
    return one(f"state(s, real); variable(u[{n}], real);", "s := 0.1;", "s' = cos(time);",
               f"constraints u[1] + 0.1*sin(u[{n}]*u[2]) = s; u[{n}] + 0.1*sin(u[1]*u[{n - 1}]) = s; "
               f"for i in 2..{n - 1} loop u[i] + 0.1*sin(u[i + 1]*u[i - 1]) = s; end loop; end constraints;")


def fast_roots(n):
    """As many events as that in a time of 1, in steps that would be long without them."""
    return one("state(x, real); state(k, integer); flag(z);", "x := 1.0; k := 0;",
               f"x' = -x; z = sin({n}*time);",
               "event(z) negative-going k := k + 1; end negative-going; end event;")


def components(n):
    return f"""ctc Cell is
  interface input(left, signal); output(out, signal); knob(k); end interface;
  body
    declarations state(T, real); parameter(k, real); flag(cold); end declarations;
    initial T := 0.0; end initial;
    dynamics T' = k*(left - T); cold = T - 0.5; end dynamics;
    output out = T; end output;
    assignments k : 2.0; left : 1.0; end assignments;
  end body;
end Cell;
system Rod is
  body
    components cell[{n}] : Cell; end components;
    connections for i in 1..{n - 1} loop connect(cell[i].out, cell[i + 1].left); end loop; end connections;
    initial for i in 1..{n} loop cell[i].T := sin(pi*i/{n}); end loop; end initial;
  end body;
end Rod;
"""


def long_text(n):
    lines = "\n".join(f"      x[{i}]' = -x[{i}]*{i}.0 + sin(time*{i}.0);" for i in range(1, n + 1))
    return one(f"state(x[{n}], real);", f"for i in 1..{n} loop x[i] := 0.0; end loop;", lines)


THROW = one("state(y, real); state(v, real);", "y := 0.0; v := 500.0;", "y' = v; v' = -1.0;")
SWING = one("state(x, real);", "x := 1.0;", "x' = cos(time);")
KNOB = one("state(x, real); parameter(k, real, (0.0, 9.0));", "x := 1.0;", "x' = -k*x + sin(x*time);",
           "assignments k : 1.0; end assignments;",
           "interface output(y, signal); knob(k); end interface;").replace(
               "dynamics x'", "output y = x; end output; dynamics x'")
FED = one("state(x, real);", "x := 0.0;", "x' = u;", "", "interface input(u, signal); end interface;")


def table(path, rows):
    with open(path, "w", encoding="ascii") as file:
        file.write("time,u\n")
        for start in range(0, rows, 100000):
            file.write("".join(f"{k * 0.001:.3f},{(k % 1000) * 0.001:.6f}\n" for k in range(start, min(rows, start + 100000))))


def measured(path, rows):
    with open(path, "w", encoding="ascii") as file:
        file.write("time,y\n" + "".join(f"{k * 0.5},{1.0 / (1 + k)}\n" for k in range(rows)))


# ---- kinds ----

# Name: model (a function of the folder's scale), the command after the program, seconds within which it is interrupted, result
# file. Sizes are divided by `small` in a quick run.
KINDS = {
    "start of agents": (lambda s: crowd(100000 // s, False), "run MODEL --until 10 --out OUT", 6.0, "a.csv"),
    "agents": (lambda s: crowd(100000 // s, True), "run MODEL --until 1000 --keep ball[1].x --out OUT --every 0.1", 6.0, "a.csv"),
    "guards": (lambda s: guards(100000 // s), "run MODEL --until 100 --keep hits --out OUT", 8.0, "a.csv"),
    "states": (lambda s: states(300000 // s), "run MODEL --until 10 --keep x[1] --out OUT", 8.0, "a.csv"),
    "full matrix": (lambda s: dense(1200 // s), "run MODEL --until 10 --method bdf --out OUT --keep x[1]", 8.0, "a.csv"),
    "constraints": (lambda s: constraints(20000 // s), "run MODEL --until 10 --out OUT --keep s", 8.0, "a.csv"),
    "one block": (lambda s: ring(2000 // s), "run MODEL --until 10 --out OUT --keep s", 6.0, "a.csv"),
    "roots in a step": (lambda s: fast_roots(10000000 // s), "run MODEL --until 1 --out OUT", 6.0, "a.csv"),
    "components": (lambda s: components(100000 // s), "run MODEL --until 100 --out OUT --keep cell[1].T", 6.0, "a.csv"),
    "long text": (lambda s: long_text(100000 // s), "run MODEL --until 1 --out OUT --keep x[1]", 6.0, "a.csv"),
    "input": (lambda s: FED, "run MODEL --until 1000 --input TABLE.csv --out OUT", 8.0, "a.csv"),
    "one step, CSV": (lambda s: THROW, "run MODEL --until 1000 --every 1e-6 --method taylor --out OUT", 4.0, "a.csv"),
    "one step, HDF5": (lambda s: THROW, "run MODEL --until 1000 --every 1e-6 --method taylor --out OUT", 4.0, "a.h5"),
    "one step, MAT": (lambda s: THROW, "run MODEL --until 1000 --every 1e-6 --method taylor --out OUT", 4.0, "a.mat"),
    "HDF5": (lambda s: SWING, "run MODEL --until 100000 --every 0.001 --out OUT", 4.0, "a.h5"),
    "report": (lambda s: crowd(2000 // s, True), "run MODEL --until 100 --report OUT", 6.0, "a.html"),
    "events": (lambda s: fast_roots(100000000 // s), "run MODEL --until 10 --json", 6.0, None),
    "condition": (lambda s: fast_roots(100000 // s), "condition MODEL --until 10", 6.0, None),
    "sweep": (lambda s: KNOB, "sweep MODEL --vary k=0.1:3:1000000 --measure y --until 200 --out OUT", 4.0, "a.csv"),
    "fit": (lambda s: KNOB, "fit MODEL --data MEASURED.csv --vary k=0.1:3 --starts 1000 --until 200 --quiet", 4.0, None),
    "ranks": (lambda s: crowd(100000 // s, True), "MPI run MODEL --until 1000 --keep ball[1].x --out OUT", 8.0, "a.csv"),
    "check": (lambda s: long_text(300000 // s), "check MODEL", 4.0, None),
    "fmt": (lambda s: long_text(300000 // s), "fmt MODEL", 3.0, None),
    "emit": (lambda s: long_text(100000 // s), "emit MODEL", 4.0, None),
}
QUICK = ["start of agents", "guards", "full matrix", "one step, HDF5", "fmt"]


def spoilt(path):
    """What is wrong with a result file, or None."""
    if path.endswith(".csv"):
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 100000))
            end = file.read()
        return None if end.endswith(b"\n") or end == b"" else "the last row is torn"
    if path.endswith(".html"):
        with open(path, "rb") as file:
            return None if b"</html>" in file.read()[-200:] else "half a report"
    if path.endswith(".h5") and shutil.which("h5dump"):
        done = subprocess.run(["h5dump", "-H", path], capture_output=True, check=False)
        return None if done.returncode == 0 else "h5dump cannot read it"
    return None


class Kind:
    def __init__(self, program, work, name, small, mpirun):
        self.name, self.work, self.program = name, work, program
        make, command, seconds, out = KINDS[name]
        self.seconds = seconds / small
        self.folder = os.path.join(work, "folder")
        model = os.path.join(work, "model.hsml")
        with open(model, "w", encoding="ascii") as file:
            file.write(make(small))
        self.source = model if command.startswith("fmt") else None
        words = [program, *command.split()]
        if words[1] == "MPI":
            words = [*mpirun, "-n", "2", program, *words[2:]]
        tables = {"TABLE.csv": (table, 3000000 // small), "MEASURED.csv": (measured, 400)}
        for word, (write, rows) in tables.items():
            if word in words:
                write(os.path.join(work, word), rows)
        places = {"MODEL": model, "OUT": os.path.join(self.folder, out or ""), **{w: os.path.join(work, w) for w in tables}}
        self.command = [places.get(word, word) for word in words]
        self.out = out
        self.delays, self.wrong, self.early = [], [], 0

    def interrupt(self, chance, number, limit):
        shutil.rmtree(self.folder, ignore_errors=True)
        temporary = os.path.join(self.folder, "tmp")
        os.makedirs(temporary)
        before = None
        if self.source is not None:
            with open(self.source, "rb") as file:
                before = file.read()
        environment = {**os.environ, "TMPDIR": temporary, "BRINK_CACHE": os.path.join(self.work, "cache")}
        with open(os.path.join(self.work, "said"), "w+b") as said:
            with subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=said, env=environment, cwd=self.folder) as process:
                wait(process, chance.uniform(0.02, self.seconds))
                if process.poll() is not None:
                    self.early += 1
                    if process.returncode != 0:
                        said.seek(0)
                        self.wrong.append(f"it failed by itself: {said.read().decode(errors='replace')[:300]}")
                    return
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                burnt = processor_seconds(process.pid)
                start = time.monotonic()
                process.send_signal(number)
                wait(process, 60.0)
                clock = time.monotonic() - start
                if process.poll() is None:
                    process.kill()
            said.seek(0)
            words = said.read().decode(errors="replace").strip()
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime - burnt
        self.delays.append((clock, busy))
        self.judge(min(clock, max(busy, 0.0) * 1.5 + 0.05) if clock > limit else clock, limit, process.returncode, number, words)
        if before is not None:
            with open(self.source, "rb") as file:
                if file.read() != before:
                    self.wrong.append("the model was changed")

    def judge(self, delay, limit, code, number, words):
        if delay > limit:
            self.wrong.append(f"{delay:.2f} s; it said: {words[-100:]}")
        ranks = self.command[0] != self.program
        if code not in (-number, 128 + number) and not ranks:
            self.wrong.append(f"exit {code}: {words[-200:]}")
        if code == 128 + number and not words:
            self.wrong.append("it said nothing")
        left = sorted(os.listdir(self.folder))
        temporary = os.listdir(os.path.join(self.folder, "tmp"))
        if temporary and not ranks:
            self.wrong.append(f"left in TMPDIR: {temporary}")
        strange = [name for name in left if name not in ("tmp", self.out) and not name.endswith(".resume")]
        if strange:
            self.wrong.append(f"left behind: {strange}")
        if self.out in left:
            problem = spoilt(os.path.join(self.folder, self.out))
            if problem is not None and not ranks and code != -number:
                self.wrong.append(f"{self.out}: {problem}")


def processor_seconds(pid):
    """What a process has used so far."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def wait(process, seconds):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0.3)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "brink"))
    given = parser.parse_args()
    count, small = (1, 10) if given.quick else (given.count, 1)
    mpirun = shutil.which("mpirun")
    mpirun = [mpirun, "--allow-run-as-root", "--oversubscribe"] if mpirun else None
    wrong = 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # of a shell's background it is ignored, and so by all children
    work = tempfile.mkdtemp()
    try:
        print(f"{'kind':<18}{'cut':>5}{'median s':>10}{'longest s':>11}{'of processor':>14}{'faults':>8}", flush=True)
        for name in given.kind or (QUICK if given.quick else KINDS):
            if name == "ranks" and mpirun is None:
                continue
            kind = Kind(given.program, work, name, small, mpirun)
            chance = random.Random(f"{given.seed} {name}")
            for k in range(count):
                kind.interrupt(chance, (signal.SIGINT, signal.SIGTERM)[k % 2], given.limit)
            clocks = sorted(clock for clock, _ in kind.delays) or [0.0]
            longest = max((busy for _, busy in kind.delays), default=0.0)
            print(f"{name:<18}{len(kind.delays):>5}{clocks[len(clocks) // 2]:>10.2f}{clocks[-1]:>11.2f}{longest:>14.2f}"
                  f"{len(kind.wrong):>8}{'  over before: ' + str(kind.early) if kind.early else ''}", flush=True)
            for words in kind.wrong:
                print("  " + words.replace("\n", " / "))
            wrong += len(kind.wrong)
    finally:
        shutil.rmtree(work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
