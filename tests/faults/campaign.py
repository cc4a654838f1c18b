#!/usr/bin/python3
"""Lets everything around the program fail, one thing at a time, and looks at what it says and what it leaves behind.

    campaign.py --tools DIRECTORY [--program BRINK] [--class NAME]... [--case NAME]... [--count N] [--seed S] [--jobs N]
                [--verbose]

Classes:

    allocations  the n-th allocation fails, and all from the n-th on
    calls        the n-th system call fails: ENOSPC, EIO, EINTR, EMFILE, ENOMEM, EACCES; or moves half of its bytes
    kill         kill -9 before the n-th system call, in the middle of the n-th write, and at random instants
    disk         files may have n bytes (RLIMIT_FSIZE); all files together have room for n bytes
    memory       the address space is limited to n megabytes

n is every number, unless --count says how many are drawn for each case. After each fault:

  - the exit code is one of docs/cli.md (no signal), and comes in time;
  - with exit 0 everything is as without the fault; else there is a message, that names the file if one could not be written;
  - a result file holds the beginning of what it holds without a fault; a page, a checkpoint, a formatted model is whole or as before;
  - there are no other files, in no directory;
  - the next run gives the results, whatever the failed one has left in the cache.

Prints a table, and each finding with the command that repeats it; exits with 1 if there is one, with 77 if it cannot be done here.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 60  # seconds; a run takes some hundredths
ALWAYS = 1 << 60
CODES = {0, 1, 2, 3, 4, 5}
CLASSES = ["allocations", "calls", "kill", "disk", "memory"]
ERRORS = ["ENOSPC", "EIO", "EINTR", "EMFILE", "ENOMEM", "EACCES"]

TANK = """ctc Tank is
  interface knob(c); view(h); end interface;
  body
    declarations
      state(h, real, (-1.0, 10.0), "m");
      parameter(c, real, (0.0, 5.0));
      mode(phase, {"wet", "dry"});
      flag(empty, unilateral);
    end declarations;
    initial h := 1.0; phase := "wet"; end initial;
    dynamics
      if phase = "dry" then h' = 0.0; else h' = -c*sqrt(h); end if;
      empty = h;
    end dynamics;
    event(empty)
      negative-going phase := "dry"; end negative-going;
    end event;
    assignments c : 0.2; end assignments;
  end body;
end Tank;
system Yard is body components tank : Tank; end components;
  simulation until : 12.0; end simulation; end body; end Yard;
"""

FLOW = """ctc Basin is
  interface input(flow, signal); view(h); end interface;
  body
    declarations state(h, real); end declarations;
    initial h := 0.0; end initial;
    dynamics h' = flow; end dynamics;
  end body;
end Basin;
"""

INFLOW = "time,flow\n" + "".join(f"{n},{n % 7}\n" for n in range(13))

LEVEL = "time [s], tank.h [m]\n0, 1.012\n1, 0.792\n2, 0.655\n3, 0.478\n4, 0.371\n6, 0.149\n7, 0.110\n8, 0.031\n"

RUN = "run tank.hsml --every 1"
SWEEP = "sweep tank.hsml --vary tank.c=0.1:0.4:5 --measure max(tank.h)"


class Case:
    """A command; files that it writes, by what may be left of them; what the cache holds before it."""

    def __init__(self, name, command, outputs=(), cache="none", shortened=False):
        self.name, self.command, self.outputs, self.cache = name, command.split(), list(outputs), cache
        self.shortened = shortened  # for the tests


CASES = [
    Case("csv", RUN + " --interpret --quiet --out r.csv", ["r.csv"], shortened=True),
    Case("standard output", RUN + " --interpret --quiet --out -"),
    Case("mat", RUN + " --interpret --quiet --out r.mat", ["r.mat"], shortened=True),
    Case("h5", RUN + " --interpret --quiet --out r.h5", ["r.h5"], shortened=True),
    Case("json", RUN + " --interpret --json-states", shortened=True),
    Case("summary and plot", RUN + " --interpret --plot tank.h,tank.phase"),
    Case("report", RUN + " --interpret --quiet --report r.html", ["r.html"], shortened=True),
    Case("checkpoints", RUN + " --interpret --quiet --out r.csv --checkpoint r.ck --checkpoint-every 4", ["r.csv", "r.ck"]),
    Case("input", "run basin.hsml --until 12 --interpret --quiet --input inflow.csv --out r.csv --every 1", ["r.csv"]),
    Case("compiling", RUN + " --quiet --out r.csv", ["r.csv"], cache="empty", shortened=True),
    Case("compiled", RUN + " --quiet --out r.csv", ["r.csv"], cache="filled"),
    Case("agents", "run bumper-cars.hsml --interpret --quiet --threads 2 --until 1.5 --every 0.5 --out r.csv", ["r.csv"]),
    Case("agents compiling", "run bumper-cars.hsml --quiet --threads 2 --until 1.5 --every 0.5 --out r.csv", ["r.csv"], cache="empty"),
    Case("sweep", SWEEP + " --interpret --quiet --jobs 2 --out t.csv --report t.html", ["t.csv", "t.html"]),
    Case("sweep h5", SWEEP + " --interpret --quiet --jobs 1 --out t.h5", ["t.h5"]),
    Case("sweep kept", SWEEP + " --interpret --quiet --jobs 1 --out t.csv --every 2 --keep kept",
         ["t.csv"] + [f"kept/run-{n}.csv" for n in range(5)]),
    Case("sweep compiling", SWEEP + " --quiet --jobs 2 --out t.csv", ["t.csv"], cache="empty"),
    Case("indices", "sweep tank.hsml --interpret --quiet --jobs 2 --vary tank.c=0.1:0.4 --samples 8 --measure tank.h "
         "--indices i.csv --out t.csv", ["t.csv", "i.csv"]),
    Case("fit", "fit tank.hsml --interpret --vary tank.c=0.1:0.5 --data level.csv --sigma tank.h=0.02 --jobs 2 --starts 2 --json"
         " --report f.html", ["f.html"]),
    *[Case(name, f"run {name}.hsml --interpret --quiet --until {until} --out r.csv", ["r.csv"])
      for name, until in [("transcendental-guards", 2), ("string-pendulum", 2), ("mackey-glass", 30), ("sliding-mode", 2),
                          ("servo-cascade", 1), ("engine-map", 2), ("spiking-neurons", 0.02), ("van-der-pol", 20)]],
    Case("condition", "condition tank.hsml --interpret --json"),
    Case("check", "check tank.hsml"),
    Case("fmt", "fmt --write tank.hsml", ["tank.hsml"]),
    Case("emit", "emit tank.hsml"),
    Case("new", "new fresh", ["fresh.hsml"]),
    Case("help", "run --help"),
]


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Place:
    """A directory in which commands run, with a home, a cache and a directory for temporary files."""

    def __init__(self, tools, program, base, case):
        self.tools, self.program, self.case = tools, program, case
        self.root = tempfile.mkdtemp(dir=base)
        self.work = os.path.join(self.root, "work")
        self.log = os.path.join(self.root, "log")
        self.inputs = {"tank.hsml": TANK.encode(), "level.csv": LEVEL.encode(), "basin.hsml": FLOW.encode(),
                       "inflow.csv": INFLOW.encode()}
        for name in [word for word in case.command if word.endswith(".hsml") and word not in self.inputs]:
            folder = os.path.join(ROOT, "models", name.removesuffix(".hsml"))
            for inside in os.listdir(folder):
                if inside == "model.hsml" or inside.endswith(".csv"):
                    with open(os.path.join(folder, inside), "rb") as file:
                        self.inputs[name if inside == "model.hsml" else inside] = file.read()
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.path("home"), "TMPDIR": self.path("tmp"),
                            "BRINK_CACHE": self.path("cache"), "LC_ALL": "C.UTF-8"}
        if "BRINK_CC" in os.environ:
            self.environment["BRINK_CC"] = os.environ["BRINK_CC"]
        self.filled = None
        self.refill()
        self.reference = self.run([])
        if self.reference.code != 0:
            raise RuntimeError(f"{case.name}: exit {self.reference.code}: {self.reference.err}")
        self.files = {name: self.content(name) for name in case.outputs}
        self.refill()
        self.plain = self.run([], {"LC_ALL": "C"}).out  # if the locale cannot be read
        if case.cache == "filled":
            self.filled = self.tree("cache")
        self.refill()

    def path(self, name):
        return os.path.join(self.root, name)

    def content(self, name):
        try:
            with open(os.path.join(self.work, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def tree(self, name):
        """Every file below a directory, and what it holds."""
        found = {}
        for directory, _, names in os.walk(self.path(name)):
            for inside in names:
                path = os.path.join(directory, inside)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path(name))] = file.read()
        return found

    def refill(self, keep_cache=False):
        """As before the first run."""
        for name in ["work", "home", "tmp"] + ([] if keep_cache else ["cache"]):
            shutil.rmtree(self.path(name), ignore_errors=True)
            os.mkdir(self.path(name), 0o700)
        for name, text in self.inputs.items():
            with open(os.path.join(self.work, name), "wb") as file:
                file.write(text)
        for name, text in ({} if keep_cache else self.filled or {}).items():
            with open(os.path.join(self.path("cache"), name), "wb") as file:
                file.write(text)
            os.chmod(os.path.join(self.path("cache"), name), 0o600)

    def run(self, before, environment=None, limits=None, after=None):
        """The command of the case, behind another one, if there is one. The exit code is None if it hangs, negative after a signal."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for which, value in (limits or {}).items():
                resource.setrlimit(which, (value, value))
        out = self.path("out")
        with open(out, "wb") as standard:
            with subprocess.Popen([*before, self.program, *self.case.command], cwd=self.work, stdin=subprocess.DEVNULL,
                                  stdout=standard, stderr=subprocess.PIPE, preexec_fn=limit, start_new_session=True,
                                  env={**self.environment, **(environment or {})}) as process:
                try:
                    if after is not None:
                        time.sleep(after)
                        process.kill()
                    said = process.communicate(timeout=PATIENCE)[1]
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    return Outcome(None, "", "")
        with open(out, "rb") as standard:
            outcome = Outcome(process.returncode, standard.read().decode(errors="replace"), said.decode(errors="replace"))
        self.said = outcome.err
        return outcome


# ---- what is left ----

def strip(text):
    """Without what differs from run to run."""
    text = re.sub(r'"(compile_s|wall_s|seconds)":[^,}\]]*|"engine":"[a-z]*"', "", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "", text)
    return re.sub(r"\d+(\.\d+)?(e-\d+)? (ms|µs|us|s)\b.*", "", text)


def rows_of_mat(data):
    """The rows of data_2, as bytes. ValueError: this is no MAT file."""
    at = 0
    while at < len(data):
        if at + 20 > len(data):
            raise ValueError("a header is cut")
        kind, rows, columns, _, length = struct.unpack_from("<5i", data, at)
        size = {0: 8, 1: 4, 2: 4, 3: 2, 4: 2, 5: 1}[kind // 10 % 10] * rows * columns
        name = data[at + 20:at + 20 + length].rstrip(b"\0")
        at += 20 + length
        if at + size > len(data):
            raise ValueError(f"{name.decode()} is cut")
        if name == b"data_2":
            return data[at:at + size]
        at += size
    raise ValueError("there is no data_2")


def same_rows(whole, part, killed):
    """After a kill between two writes, 32 bytes may be of another matrix (docs/results.md)."""
    if whole.startswith(part):
        return True
    first = next(k for k in range(len(part)) if k >= len(whole) or part[k] != whole[k])
    return killed and len(part) <= len(whole) and part[first + 32:] == whole[first + 32:len(part)]


def datasets_of(place, data):
    """The tables of an HDF5 file, by h5dump, as text. ValueError: it cannot be read."""
    path = place.path("look.h5")
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run(["h5dump", "-w", "0", "-y", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise ValueError("h5dump cannot read it")
    found, name = {}, None
    for line in done.stdout.decode(errors="replace").splitlines():
        match = re.match(r'\s*DATASET "(.*)" {', line)
        if match:
            name = match[1]
            found.setdefault(name, [])
        elif name is not None and re.match(r"\s*}", line):
            name = None
        elif name is not None and not re.match(r"\s*(DATA|DATASPACE|DATATYPE|ATTRIBUTE|STR|H5T)", line):
            found[name] += [value.strip() for value in line.split(",") if value.strip() not in ("", "{", "}")]
    return found


def rows_say_why(name, data, whole):
    """Is a table of a sweep as it should be, but for rows of runs that could not be made or kept, and say so?"""
    wanted = [b"memory", b"thread", b"cannot"]
    rows = data.splitlines()
    return name == "t.csv" and len(rows) <= len(whole.splitlines()) and all(
        row == other or b",failed," in row and any(word in row for word in wanted)
        for row, other in zip(rows, whole.splitlines()))


def is_beginning(name, data, whole, place, killed):
    """None, or what is wrong with a file that holds only a part."""
    if name.endswith(".csv"):
        # A run that fails ends with a row of its own, at the time of the failure.
        end = data.rfind(b"\n", 0, -1) + 1
        return None if whole.startswith(data[:end]) or rows_say_why(name, data, whole) else "holds something else"
    if data == b"":
        return None
    if name.endswith(".mat"):
        try:
            said = "is damaged" in place.said
            return None if said or same_rows(rows_of_mat(whole), rows_of_mat(data), killed) else "holds other rows"
        except ValueError as problem:
            return str(problem)
    if name.endswith(".h5"):
        if killed and data[:4] != b"\x89HDF":
            return None  # before the first flush
        try:
            part, all_of_it = datasets_of(place, data), datasets_of(place, whole)
        except ValueError as problem:
            return str(problem)
        count = min((len(part[key]) for key in part if key == "time"), default=0)
        for key in part:
            rows = part[key][:count] if key in ("tank.h", "tank.phase", "time") else part[key]
            if key in ("time", "tank.h", "tank.phase") and rows != all_of_it.get(key, [])[:len(rows)]:
                return f"{key} holds other rows"
        return None
    return None


def is_same(name, data, whole, place):
    if data == whole:
        return True
    if data is None or whole is None:
        return False
    if name.endswith(".html"):
        return strip(data.decode()) == strip(whole.decode())
    if name.endswith(".h5"):
        try:
            return datasets_of(place, data) == datasets_of(place, whole)
        except ValueError:
            return False
    return name.endswith(".ck")  # compressed, with times of the machine in it: it is resumed instead


def resumes(place):
    """None, or what is wrong with a checkpoint that stands there."""
    resumed = place.case
    place.case = Case("resume", " ".join(resumed.command).split(" --checkpoint")[0] + " --resume r.ck")
    outcome = place.run([])
    place.case = resumed
    if outcome.code != 0:
        return f"cannot be resumed: exit {outcome.code}: {outcome.err.strip()}"
    return None if place.content("r.csv") == place.files["r.csv"] else "resumes to something else"


class Judge:
    """Looks at one outcome."""

    def __init__(self, place, outcome, killed=False, subject=None, memory=False):
        self.place, self.outcome, self.killed, self.subject, self.memory = place, outcome, killed, subject, memory
        self.found = []
        self.foreign = False  # HDF5, or a library that it brings, got no memory: docs/results.md
        self.limit = False    # and did not survive it
        self.kept = None      # a file that could not be removed
        self.never_flushed = False  # an HDF5 file was, because that failed: docs/results.md

    def say(self, text):
        self.found.append(text)

    def code(self):
        code, err = self.outcome.code, self.outcome.err
        if code is None:
            self.say("hangs")
        elif code < 0:
            self.say(f"ends by {signal.Signals(-code).name}")
        elif code == 127 and "error while loading shared libraries" in err:
            pass  # the loader's, before the program begins
        elif code not in CODES:
            self.say(f"exit {code}: {err.strip()[:200]}")
        elif code != 0 and err.strip() == "":
            self.say(f"exit {code} without a message")
        elif code != 0 and not re.search(r"^brink: |error: ", err, re.M):
            self.say(f"exit {code}, and no message of its own: {err.strip()[:200]}")
        elif code != 0 and self.memory and "memory" not in err and not (self.foreign and "HDF5" in err) and "no thread can be started" not in err:
            self.say(f"exit {code}, and the message does not say memory: {err.strip()[:200]}")
        elif code != 0 and self.subject and self.subject not in err:
            self.say(f"exit {code}, and the message does not name {self.subject}: {err.strip()[:200]}")

    def same(self):
        if strip(self.outcome.out) not in (strip(self.place.reference.out), strip(self.place.plain)):
            self.say("exit 0 with another output")
        if b"out of memory" in (self.place.content("t.h5") or b""):
            return
        table = self.place.content("t.csv") if "t.csv" in self.place.files else None
        if table is not None and b",failed," in table:  # a run of a sweep: its row says why, and so do those who count
            whole = self.place.files["t.csv"]
            if not rows_say_why("t.csv", table, whole) or table.count(b"\n") != whole.count(b"\n"):
                self.say("a row of t.csv does not say why it failed")
            return
        for name, whole in self.place.files.items():
            if not is_same(name, self.place.content(name), whole, self.place):
                self.say(f"exit 0 with another {name}")

    def part(self):
        for name, whole in self.place.files.items():
            data = self.place.content(name)
            if data is None or data == whole:
                continue
            before = self.place.inputs.get(name)
            if name.endswith(".h5") and self.never_flushed and name in self.outcome.err:
                continue
            if name.endswith((".csv", ".mat", ".h5")):
                wrong = is_beginning(name, data, whole, self.place, self.killed)
                if wrong is not None:
                    self.say(f"{name} {wrong}")
                elif name.endswith(".csv") and not self.killed and data != b"" and data[-1:] != b"\n":
                    self.say(f"{name} ends within a line")
            elif name.endswith(".ck"):
                wrong = resumes(self.place)
                if wrong is not None:
                    self.say(f"{name} {wrong}")
            elif name.endswith(".html") and data.rstrip().endswith(b"</html>") and not self.killed:
                pass  # the page of a run that has failed
            elif data not in (before, whole) and not is_same(name, data, whole, self.place):
                if self.killed and before is None:
                    continue  # a page, a starter model: they are written in one go
                if before is not None or name not in self.outcome.err:
                    self.say(f"{name} is neither as before nor whole")

    def others(self):
        known = set(self.place.inputs) | set(self.place.files)
        for name in self.place.tree("work"):
            if name not in known and not name.endswith((".resume", ".h5.rows")) and name != self.kept:  # what --resume needs to know
                self.say(f"leaves {name}")
        for where in ["home", "tmp"]:
            for name in self.place.tree(where):
                self.say(f"leaves {where}/{name}")
        for name in self.place.tree("cache"):
            if not re.fullmatch(r"[0-9a-f]{64}\.so|pruned", name):
                self.say(f"leaves cache/{name}")

    def next(self, always):
        cache = self.place.tree("cache")
        if not always and cache == (self.place.filled or {}):
            return
        self.place.refill(keep_cache=True)
        self.outcome = self.place.run([])
        if self.outcome.code != 0:
            self.say(f"the next run has exit {self.outcome.code}: {self.outcome.err.strip()[:200]}")
        else:
            before = len(self.found)
            self.same()
            self.found[before:] = ["the next run: " + text for text in self.found[before:]]

    def all(self, always=False):
        here = self.foreign or "cannot allocate memory for thread-local data" in self.outcome.err
        self.limit = here and self.outcome.code in (-6, -7, -11, 127, 255)
        if self.limit:
            self.killed = True
            name = next(iter(self.place.files))
            if self.outcome.code < 0 and self.place.case.command[0] == "run" and name not in self.outcome.err:
                self.say(f"crashes without a word: {self.outcome.err.strip()[:200]}")
        if not self.killed:
            self.code()
        if self.outcome.code == 0:
            self.same()
        else:
            self.part()
        if not self.killed and self.outcome.code is not None and self.outcome.code >= 0:
            self.others()
        self.next(always or self.killed)
        self.place.refill()
        return self.found


# ---- the classes ----

class Fault:
    """One thing that fails, in one place."""

    def __init__(self, text, trial):
        self.text, self.trial = text, trial


def log_of_allocations(place):
    with open(place.log, "rb") as file:
        data = file.read()
    count, fired = struct.unpack_from("<2q", data)
    return count, fired, data[16:].split(b"\0")[0].decode()


def run_allocations(place, first, last):
    with open(place.log, "wb") as file:
        file.write(bytes(4096))
    return place.run([], {"LD_PRELOAD": os.path.join(place.tools, "faults_preload.so"), "FAULTS_LOG": place.log,
                          "FAULTS_FIRST": str(first), "FAULTS_LAST": str(last)})


def allocations(place):
    run_allocations(place, 0, 0)
    total = log_of_allocations(place)[0]
    place.refill()

    def trial(first, last):
        def go(there):
            outcome = run_allocations(there, first, last)
            _, fired, where = log_of_allocations(there)
            judge = Judge(there, outcome, memory=fired > 0)
            judge.foreign = "h5" in there.case.name and not where.removeprefix("libc.so").startswith(os.path.basename(there.program))
            return judge.all(), where, judge.limit
        return go
    for n in range(1, total + 1):
        yield Fault(f"allocation {n}", trial(n, n))
        yield Fault(f"allocations from {n} on", trial(n, ALWAYS))


def run_traced(place, calls, first, last, effect, **how):
    open(place.log, "w", encoding="ascii").close()
    outcome = place.run([os.path.join(place.tools, "faults_tracer"), place.log, calls, str(first), str(last), effect], **how)
    with open(place.log, encoding="utf-8", errors="replace") as file:
        fields = file.read().rstrip("\n").split("\t")
    count, fired, name, about = fields if len(fields) == 4 else (0, 0, "", "")
    return outcome, int(count), int(fired), name, about


def traced_total(place, calls):
    outcome, count, *_ = run_traced(place, calls, 0, 0, "none")
    place.refill()
    if outcome.code == 77:
        print("system calls cannot be traced here", file=sys.stderr)
        sys.exit(77)
    return count


def subject_of(place, name, about):
    """The output that a failed call was about, if the message must name it."""
    inside = os.path.relpath(about, place.work) if about.startswith(place.work) else about
    return inside if name in ("write", "pwrite64", "ftruncate", "openat") and inside in place.files and not inside.startswith("kept/") else None


def calls(place):
    total = traced_total(place, "all")

    def trial(n, last, effect):
        def go(there):
            outcome, _, _, name, about = run_traced(there, "all", n, last, effect)
            judge = Judge(there, outcome, subject=subject_of(there, name, about))
            judge.kept = about if name.startswith("unlink") and effect != "short" else None
            return judge.all(), f"{name} {about}"
        return go
    for n in range(1, total + 1):
        for effect in ERRORS + ["short"]:
            yield Fault(f"call {n} {effect}", trial(n, n, effect))

    # Of one kind, all from the n-th on.
    for kind in ["write", "pwrite64", "openat", "mmap", "clone3,clone,vfork", "close", "fsync", "ftruncate"]:
        def lasting(n, effect, kind=kind):
            def go(there):
                outcome, _, _, name, about = run_traced(there, kind, n, ALWAYS, effect)
                judge = Judge(there, outcome, subject=subject_of(there, name, about))
                judge.never_flushed = kind == "ftruncate" and n == 1  # the first thing that flushing an HDF5 file does
                return judge.all(), f"{name} {about}"
            return go
        for n in range(1, traced_total(place, kind) + 1):
            effect = {"openat": "EMFILE", "mmap": "ENOMEM", "clone3,clone,vfork": "EAGAIN", "close": "EIO", "fsync": "EIO"}.get(kind, "ENOSPC")
            yield Fault(f"{kind} from {n} on {effect}", lasting(n, effect))
            if kind in ("write", "pwrite64"):
                yield Fault(f"{kind} from {n} on short", lasting(n, "short"))


def kill(place, chance, at_random):
    total = traced_total(place, "all")

    def at_call(n, effect):
        def go(there):
            outcome, _, fired, name, about = run_traced(there, "all", n, n, effect)
            return Judge(there, outcome, killed=fired > 0).all(), f"{name} {about}"
        return go

    def at_instant(seconds):
        def go(there):
            outcome = there.run([], after=seconds)
            return Judge(there, outcome, killed=outcome.code == -9).all(), f"after {seconds:.4f} s"
        return go
    start = time.monotonic()
    place.run([])
    length = time.monotonic() - start
    place.refill()
    for n in range(1, total + 1):
        yield Fault(f"kill at call {n}", at_call(n, "kill"))
        yield Fault(f"torn call {n}", at_call(n, "tear"))
    for k in range(at_random):
        yield Fault(f"kill {k}", at_instant(chance.uniform(0.0, length)))


def disk(place):
    largest = max([len(data) for data in place.files.values() if data is not None], default=0)
    total = sum(len(data) for data in place.files.values() if data is not None)

    def limited(n):
        def go(there):
            outcome = there.run([], limits={resource.RLIMIT_FSIZE: n})
            return Judge(there, outcome).all(), ""
        return go

    def room(n):
        def go(there):
            outcome, _, _, name, about = run_traced(there, "write,pwrite64", 0, 0, f"room:{n}")
            return Judge(there, outcome, subject=subject_of(there, name, about)).all(), f"{name} {about}"
        return go
    for n in range(largest + 2 if largest > 0 else 0):
        yield Fault(f"files of {n} bytes", limited(n))
    for n in range(total + 2 if total > 0 else 0):
        yield Fault(f"room for {n} bytes", room(n))


def memory(place):
    begins = {}  # by limit: does the program begin at all?

    def limited(kilobytes):
        def go(there):
            if kilobytes not in begins:
                tried = there.case
                there.case = Case("help", "--help")
                begins[kilobytes] = there.run([], limits={resource.RLIMIT_AS: kilobytes << 10}).code == 0
                there.case = tried
            if not begins[kilobytes]:
                return [], ""
            outcome = there.run([], limits={resource.RLIMIT_AS: kilobytes << 10})
            return Judge(there, outcome).all(), ""
        return go
    for kilobytes in range(5 << 10, 160 << 10, 256):
        yield Fault(f"{kilobytes} kB of addresses", limited(kilobytes))


# ---- the campaign ----

class Campaign:
    def __init__(self, given, base):
        self.given, self.base = given, base
        self.table, self.lock = [], threading.Lock()

    def faults(self, kind, place, chance):
        if kind == "kill":
            return list(kill(place, chance, 200 if self.given.count is None else self.given.count))
        return list({"allocations": allocations, "calls": calls, "disk": disk, "memory": memory}[kind](place))

    def run(self, case, kinds):
        places = [Place(self.given.tools, self.given.program, self.base, case) for _ in range(self.given.jobs)]
        for kind in kinds:
            self.run_class(kind, case, places)
        for place in places:
            shutil.rmtree(place.root)

    def run_class(self, kind, case, places):
        given = self.given
        chance = random.Random(f"{given.seed} {kind} {case.name}")
        faults = self.faults(kind, places[0], chance)
        if given.only:
            faults = [fault for fault in faults if fault.text in given.only]
        elif given.count is not None and len(faults) > given.count:
            faults = chance.sample(faults, given.count)
        found, limits = [], 0

        def go(fault):
            with self.lock:
                place = places.pop()
            try:
                wrong, where, *limit = fault.trial(place)
            finally:
                with self.lock:
                    places.append(place)
            return [(fault.text, where, text) for text in wrong], limit == [True]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for wrong, limit in pool.map(go, faults):
                found += wrong
                limits += limit
        self.table.append((kind, case.name, len(faults), len({fault for fault, _, _ in found}), limits))
        print("%-12s %-22s %7d faults %5d findings" % self.table[-1][:4] + (f" {limits} known limits" if limits else ""), flush=True)
        self.show(found)

    def show(self, found):
        """Those that look alike, once."""
        groups = {}
        for fault, where, text in found:
            groups.setdefault(re.sub(r"[0-9]+", "N", text), []).append((fault, where, text))
        for alike in groups.values():
            for fault, where, text in alike[:None if self.given.verbose else 2]:
                print(f"  {fault}: {text}" + (f"\n    {where}" if where else ""))
            if len(alike) > 2 and not self.given.verbose:
                print(f"  and {len(alike) - 2} more like these")
        sys.stdout.flush()


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "brink"))
    parser.add_argument("--class", action="append", dest="kinds", choices=CLASSES)
    parser.add_argument("--case", action="append", dest="cases", choices=[case.name for case in CASES])
    parser.add_argument("--only", action="append", metavar="FAULT", help="as it is printed with a finding")
    parser.add_argument("--count", type=int)
    parser.add_argument("--shortened", action="store_true", help="fewer cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    given = read_arguments()
    given.program, given.tools = os.path.abspath(given.program), os.path.abspath(given.tools)
    base = tempfile.mkdtemp(prefix="brink-faults.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    campaign = Campaign(given, base)
    try:
        for case in CASES:
            if given.cases and case.name not in given.cases or given.shortened and not case.shortened:
                continue
            if "h5" in case.name and shutil.which("h5dump") is None:
                continue
            campaign.run(case, given.kinds or CLASSES)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print("\nclass         cases   faults  findings  known limits")
    for kind in CLASSES:
        rows = [row for row in campaign.table if row[0] == kind]
        if rows:
            print(f"{kind:<12}{len(rows):>7}{sum(row[2] for row in rows):>9}{sum(row[3] for row in rows):>10}{sum(row[4] for row in rows):>14}")
    return 1 if any(row[3] for row in campaign.table) else 0


if __name__ == "__main__":
    sys.exit(main())
