#!/usr/bin/python3
"""Kills the program at random instants of runs with checkpoints, resumes them, and compares what they leave behind with
runs that were never stopped: CSV and MAT byte for byte, HDF5 by its contents, the summary but for the seconds that the
machine needed.

    kill_resume.py [--count N | --quick] [--kind NAME] [--program BRINK] [--seed S]

N kills (default 200) of each kind. Most come at an instant between the start of the process and its end; some when a
checkpoint is being written, some while the model is compiled. --quick: a few of each kind. Prints a table of kinds, kills and
differences; exits with 1 if there is any difference. Without h5diff (hdf5-tools) there are no .h5.
"""
import argparse
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXTBOOK = {"euler", "taylor2", "rk4", "am3", "bdf3", "trapezoid"}
METHODS = ["auto", "adams", "taylor", "dopri", "euler", "taylor2", "rk4", "am3", "bdf3", "trapezoid", "bdf"]

# One step to the end, with many rows.
THROW = """ctc Throw is
  body
    declarations
      state(y, real);
      state(v, real);
    end declarations;
    initial
      y := 0.0;
      v := 500.0;
    end initial;
    dynamics
      y' = v;
      v' = -1.0;
    end dynamics;
  end body;
end Throw;
system Thrown is
  body
    components
      stone : Throw;
    end components;
  end body;
end Thrown;
"""

# Name, model, time from one checkpoint to the next, options: runs of about a tenth of a second.
KINDS = [
    ("ODE", "three-body", 3, "--until 60 --rtol 1e-12 --atol 1e-13 --every 0.01"),
    ("stiff ODE", "van-der-pol", 100, "--until 2000 --rtol 1e-9 --atol 1e-12"),
    ("sampled loop", "servo-cascade", 20, "--until 400"),
    ("sliding", "sliding-mode", 200, "--until 4000"),
    ("delays", "mackey-glass", 300, "--until 6000"),
    ("constraints", "string-pendulum", 15, "--until 300"),
    ("population", "bumper-cars", 15, "--until 300"),
    ("one step", "throw", 50, "--until 1000 --every 0.01 --method taylor"),
]
for method in METHODS:
    step = " --step 0.002" if method in TEXTBOOK else ""
    KINDS.append(("method " + method, "pendulum-wall", 2, f"--until 40 --every 0.002 --method {method}{step}"))


class Kind:
    """A kind of run: its command, its answer, how long it takes."""

    def __init__(self, program, work, formats, kind):
        self.name, model, self.every, options = kind
        path = os.path.join(work, "throw.hsml") if model == "throw" else f"{ROOT}/models/{model}/model.hsml"
        self.program, self.work, self.formats = program, work, formats
        self.command = [program, "run", path, *options.split(), "--quiet", "--json"]
        self.whole, self.summary = {}, None
        for ending in formats:
            self.whole[ending] = os.path.join(work, "whole." + ending)
            self.summary = self.end([*self.command, "--out", self.whole[ending]])
        self.checkpoint = os.path.join(work, "run.ck")
        start = time.monotonic()
        self.end(self.first("csv"))
        self.length = time.monotonic() - start
        self.kills = self.resumed = self.runs = 0
        self.differences = []

    def out(self, ending):
        return os.path.join(self.work, "cut." + ending)

    def first(self, ending):
        return [*self.command, "--out", self.out(ending), "--checkpoint", self.checkpoint,
                "--checkpoint-every", str(self.every)]

    def again(self, ending):
        if not os.path.exists(self.checkpoint):
            return self.first(ending)
        return [*self.command, "--out", self.out(ending), "--resume", self.checkpoint]

    def end(self, command):
        """To the end; the summary, without what depends on the machine."""
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
        return strip(done.stdout)

    def difference(self, ending, summary):
        if summary != self.summary:
            return "another summary"
        same = same_contents if ending == "h5" else same_bytes
        return None if same(self.whole[ending], self.out(ending)) else "another file"

    def clear(self):
        for name in [self.checkpoint, *self.beside(), *map(self.out, self.formats)]:
            if os.path.exists(name):
                os.remove(name)

    def beside(self):
        """Checkpoints that are being written, or were when the program was killed."""
        return glob.glob(glob.escape(self.checkpoint) + ".new-*")

    def kill(self, command, chance):
        """Starts the command and kills it. None: killed; else the summary, for it was over before."""
        environment, how = dict(os.environ), chance.random()
        fresh = None
        if how < 0.1:  # while the model is compiled
            fresh = tempfile.mkdtemp(dir=self.work)
            environment["BRINK_CACHE"] = fresh
        # To files: a pipe that nobody reads would hold the process up.
        with tempfile.TemporaryFile("w+", dir=self.work) as out, tempfile.TemporaryFile("w+", dir=self.work) as err:
            with subprocess.Popen(command, stdout=out, stderr=err, env=environment) as process:
                if 0.1 <= how < 0.3:
                    self.wait_for_checkpoint(process, chance)
                else:
                    wait(process, chance.uniform(0.0, 0.3 if fresh else self.length))
                process.kill()
            out.seek(0), err.seek(0)
            summary, problem = out.read(), err.read()
        if fresh is not None:
            shutil.rmtree(fresh)
        if process.returncode == -9:
            self.kills += 1
            return None
        if process.returncode != 0:
            raise RuntimeError(f"exit {process.returncode}: {problem.strip()}")
        return strip(summary)

    def wait_for_checkpoint(self, process, chance):
        """Until one of the next checkpoints is being written."""
        left, seen = chance.randint(1, 6), set(self.beside())
        while process.poll() is None and left > 0:
            there = set(self.beside())
            if there - seen:
                left -= 1
            seen = there

    def trial(self, chance):
        """Killed, perhaps again after it was resumed, and brought to its end."""
        ending = self.formats[self.runs % len(self.formats)]
        self.runs += 1
        self.clear()
        try:
            summary = self.kill(self.first(ending), chance)
            while summary is None and chance.random() < 0.5:
                self.resumed += os.path.exists(self.checkpoint)
                summary = self.kill(self.again(ending), chance)
            if summary is None:
                self.resumed += os.path.exists(self.checkpoint)
                summary = self.end(self.again(ending))
            wrong = self.difference(ending, summary)
        except RuntimeError as problem:
            wrong = str(problem)
        if wrong is not None:
            self.differences.append(f"{self.name}, {ending}: {wrong}")


def wait(process, seconds):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def strip(summary):
    return re.sub(r'"(compile_s|wall_s|native_from)":[^,}]*,?|"engine(_reason)?":"[^"]*",?', "", summary)


def same_bytes(a, b):
    with open(a, "rb") as first, open(b, "rb") as second:
        return first.read() == second.read()


def same_contents(a, b):
    return all(subprocess.run(["h5diff", "-q", a, b, part], capture_output=True, check=False).returncode == 0
               for part in ["/trajectory", "/events"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "brink"))
    given = parser.parse_args()
    formats = ["csv", "mat", "h5"] if shutil.which("h5diff") else ["csv", "mat"]
    goal = 1 if given.quick else given.count
    # In memory where that is possible: every checkpoint waits for the disk.
    work = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    wrong = 0
    try:
        with open(os.path.join(work, "throw.hsml"), "w", encoding="ascii") as file:
            file.write(THROW)
        print(f"{'kind':<20}{'runs':>6}{'kills':>7}{'resumed':>9}{'different':>11}", flush=True)
        for number, description in enumerate(KINDS):
            if given.kind and description[0] not in given.kind:
                continue
            chance = random.Random(1000 * given.seed + number)
            kind = Kind(given.program, work, formats, description)
            while kind.kills < goal and kind.runs < 20 * goal:
                kind.trial(chance)
            print(f"{kind.name:<20}{kind.runs:>6}{kind.kills:>7}{kind.resumed:>9}{len(kind.differences):>11}", flush=True)
            for difference in kind.differences:
                print("  " + difference)
            wrong += len(kind.differences) + (kind.kills < goal)
    finally:
        shutil.rmtree(work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
