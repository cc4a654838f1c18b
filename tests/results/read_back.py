#!/usr/bin/python3
"""Result files as other programs read them, compared with the JSON summary of the same run.

    read_back.py octave|scipy|h5dump|killed|limits BRINK MODELS

octave, scipy   the MAT-file: names intact, the last column equal to "final", parameters
h5dump          the HDF5 file: the same, and events with the rows before them
killed          the program is killed (SIGKILL) while it writes; SciPy and h5dump read what is there
limits          memory stays flat over many rows; a disk that fills up; an interrupt

Numbers are compared as doubles, exactly. Exit code 77: something is not installed.
"""
import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MODELS = {  # with a parameter to set, where there is one
    "bouncing-ball": None,
    "thermostat": "room.outdoor=9.5",
    "bumper-cars": "car[3].r=0.19",
    "sampled-thermostat": None,
    "house": None,
    "three-agents": None,
    "stick-slip": None,
    "level-control": None,
    "clutch": None,
}
ENDLESS = """ctc Endless is
  body
    declarations
      state(x, real);
      state(v, real);
      mode(phase, {"left", "right"});
      flag(zero);
    end declarations;
    initial
      x := 1.0;
      v := 0.0;
      phase := "right";
    end initial;
    dynamics
      x' = v;
      v' = -x;
      zero = x;
    end dynamics;
    event(zero)
      negative-going
        phase := "left";
      end negative-going;
      positive-going
        phase := "right";
      end positive-going;
    end event;
  end body;
end Endless;
"""
failures = 0


def check(fine, *words):
    global failures
    if not fine:
        failures += 1
        print("FAILED:", *words)


def number(value, labels=None):
    """A value of the JSON summary as a number."""
    if isinstance(value, str):
        return float(labels.index(value) if labels else value)
    return float(value)


def same(a, b):
    return a == b or (a != a and b != b)


def run(brink, model, out, setting):
    command = [brink, "run", model, "--json", "--out", out, "--quiet"]
    command += ["--set", setting] if setting else []
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)


# ---- MAT ----


def check_mat(model, setting, summary, names, descriptions, info, data_1, data_2):
    place = {name: k for k, name in enumerate(names)}
    check(names[0] == "time" and info[0][:2] == [0, 1], model, "time is first")
    final = summary["final"]
    check(len(place) == len(names) and set(final) <= set(place), model, "names")
    for name, value in final.items():
        which, row = info[place[name]][:2]
        found = (data_1 if which == 1 else data_2)[row - 1][-1]
        labels = re.findall(r"\d+ = ([^,]*)", descriptions[place[name]])
        check(same(found, number(value, labels)), model, name, found, value)
    check(data_2[0][-1] == summary["t"] == data_1[0][1], model, "last time", data_2[0][-1])
    times = data_2[0]
    check(all(a <= b for a, b in zip(times, times[1:])), model, "time decreases")
    if setting:
        name, value = setting.split("=")
        which, row = info[place[name]][:2]
        check(which == 1 and list(data_1[row - 1]) == [float(value)] * 2, model, setting)


def texts(columns):
    return ["".join(c).rstrip("\0 ") for c in columns]


def scipy_loads(path):
    import scipy.io

    mat = scipy.io.loadmat(path, chars_as_strings=False)
    rows = texts(mat["Aclass"])
    check(rows == ["Atrajectory", "1.1", "", "binTrans"], path, rows)
    return (texts(mat["name"].T), texts(mat["description"].T), mat["dataInfo"].T.tolist(),
            mat["data_1"].tolist(), mat["data_2"].tolist())


OCTAVE = r"""
load("%s");
if !strcmp(strtrim(Aclass(1,:)), "Atrajectory") || !strcmp(strtrim(Aclass(4,:)), "binTrans") exit(1); end
for k = 1:columns(name) printf("%%s\n", strrep(name(:,k)', "\0", "")); end
for k = 1:columns(name) printf("%%s\n", strrep(description(:,k)', "\0", "")); end
printf("%%d %%d %%d %%d\n", dataInfo);
for k = 1:rows(data_1) printf("%%.17g ", data_1(k,:)); printf("\n"); end
for k = 1:rows(data_2) printf("%%.17g ", data_2(k,:)); printf("\n"); end
"""


def octave_loads(path):
    done = subprocess.run(["octave-cli", "--norc", "--no-history", "--eval", OCTAVE % path],
                          stdout=subprocess.PIPE, check=True, text=True)
    lines = done.stdout.split("\n")
    count = next(k for k in range(1, len(lines)) if re.fullmatch(r"0 1 0 -1", lines[2 * k]))
    names = [line.rstrip() for line in lines[:count]]
    descriptions = [line.rstrip() for line in lines[count:2 * count]]
    info = [[int(word) for word in line.split()] for line in lines[2 * count:3 * count]]
    table = [[float(w.lower()) for w in line.split()] for line in lines[3 * count:] if line]
    still = 1 + sum(1 for i in info if i[0] == 1)
    return names, descriptions, info, table[:still], table[still:]


def mat(brink, models, load):
    for model, setting in MODELS.items():
        path = os.path.join(models, model, "model.hsml")
        summary = run(brink, path, "a.mat", setting)
        check_mat(model, setting, summary, *load("a.mat"))


# ---- HDF5 ----


def unquote(word):
    word = word.rstrip(",")
    if word.startswith('"'):
        return word[1:-1].replace('\\"', '"')
    return word


def h5dump(path):
    """{"/group/dataset": [values as text]}, attributes as "/group/dataset@name"."""
    done = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", path],
                          stdout=subprocess.PIPE, check=True, text=True)
    found, stack, values = {}, [], None
    for line in done.stdout.split("\n")[1:]:
        line = line.strip()
        opened = re.match(r'(GROUP|DATASET|ATTRIBUTE) "(.*)" {$', line)
        if opened:
            kind, name = opened.groups()
            stack.append(("@" if kind == "ATTRIBUTE" else "/") + name.strip("/"))
        elif line == "DATA {":
            values = found["".join(stack).replace("//", "/")] = []
            stack.append(None)
        elif line.endswith("{"):
            stack.append("")
        elif line == "}":
            if stack and stack.pop() is None:
                values = None
        elif values is not None and line:
            values.append(unquote(line))
    return found


def text_of(value):
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value


def equal(found, value):
    if found == text_of(value):
        return True
    try:
        return same(float(found), number(value))
    except ValueError:
        return False


def element(data, name, row=-1):
    """The value of a name in a row of the trajectory."""
    bare = re.sub(r"\[\d+\]", "", name)
    values = data["/trajectory/" + bare]
    names = data.get("/names/" + bare, [name])
    width = len(names)
    rows = len(data["/trajectory/time"])
    check(len(values) == rows * width, bare, "rows")
    return values[(row % rows) * width + names.index(name)]


def check_h5(model, setting, summary, data):
    for name, value in summary["final"].items():
        check(equal(element(data, name), value), model, name, element(data, name), value)
    check(equal(data["/trajectory/time"][-1], summary["t"]), model, "last time")
    events = summary["events"]
    check(len(data["/events/time"]) == len(events), model, "number of events")
    for k, event in enumerate(events):
        row = int(data["/events/row"][k])
        check(equal(data["/events/time"][k], event["t"]), model, "time of event", k)
        check(equal(data["/trajectory/time"][row], event["t"]), model, "row of event", k)
        check(data["/events/flag"][k] == event["flag"], model, event["flag"])
        check(data["/events/direction"][k] == event["direction"], model, "direction", k)
        if "agents" in event:
            check(data["/events/agents"][2 * k:2 * k + 2] == event["agents"], model, "agents", k)
        for name, value in event["state"].items():
            check(equal(element(data, name, row), value), model, "before event", k, name)
    if setting:
        name, value = setting.split("=")
        bare = re.sub(r"\[\d+\]", "", name)
        names = data.get("/names/" + bare, [name])
        check(equal(data["/parameters/" + bare][names.index(name)], float(value)), model, setting)
    facts = {k.split("@")[1]: v[0] for k, v in data.items() if k.startswith("/provenance@")}
    check(len(facts["sha256"]) == 64 and facts["seed"] == str(summary["seed"]), model, facts)
    check(facts["status"] == summary.get("reason", summary["status"]), model, facts)
    check(facts["complete"] == text_of(summary["status"] != "failed"), model, facts)
    check(equal(facts["rtol"], summary["rtol"]) and "brink run" in facts["command"], model, facts)


def hdf5(brink, models):
    for model, setting in MODELS.items():
        path = os.path.join(models, model, "model.hsml")
        summary = run(brink, path, "a.h5", setting)
        check_h5(model, setting, summary, h5dump("a.h5"))


# ---- interruption ----


def start(brink, out, every, *more, **options):
    command = [brink, "run", "endless.hsml", "--until", "1e12", "--interpret", "--quiet"]
    command += ["--every", str(every), "--out", out, *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def rows_of(path):
    """Times and x of what can be read."""
    if path.endswith(".csv"):
        with open(path, newline="", encoding="utf-8") as file:
            table = [r for r in csv.reader(file) if len(r) == 4][1:]
        if not open(path, encoding="utf-8").read().endswith("\n"):
            table.pop()  # cut within its last number
        return [float(r[0]) for r in table], [float(r[1]) for r in table]
    if path.endswith(".mat"):
        data = scipy_loads(path)[4]
        return data[0], data[1]
    done = []
    for name in "time", "x":
        dump = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", "-A", "0", "-d",
                               "/trajectory/" + name, path],
                              stdout=subprocess.PIPE, check=True, text=True)
        inside = dump.stdout.split("DATA {")[1].split("}")[0]
        done.append([float(word) for word in inside.replace(",", " ").split()])
    return done[0], done[1][:len(done[0])]


def check_rows(path, every, least):
    times, x = rows_of(path)
    check(len(times) >= least and len(times) == len(x), path, len(times), "rows")
    check(times[0] == 0.0 and x[0] == 1.0, path, "first row")
    check(all(0.0 <= b - a < 1.001 * every for a, b in zip(times, times[1:])), path, "rows are missing")
    check(all(-1.001 < v < 1.001 for v in x), path, "values")
    return times


def killed(brink):
    with open("endless.hsml", "w", encoding="utf-8") as file:
        file.write(ENDLESS)
    files = ["a.csv", "a.mat", "a.h5"]
    runs = [start(brink, out, 10.0) for out in files]
    time.sleep(3.0)  # a flush is two seconds after the start
    for child in runs:
        child.kill()
        child.wait()
    for out in files:
        check_rows(out, 10.0, 1000)


def peak_of(child):
    """The most memory that a process had, in kB, as it was seen last."""
    peak = 0
    while child.poll() is None:
        with open("/proc/%d/status" % child.pid, encoding="ascii") as file:
            found = re.search(r"VmHWM:\s*(\d+)", file.read())
        peak = int(found.group(1)) if found else peak
        time.sleep(0.01)
    return peak


def check_memory(brink, out):
    child = start(brink, out, 0.01, "--until", "20000")  # two million rows
    peak = peak_of(child)
    check(child.returncode == 0 and 0 < peak < 60000, out, child.returncode, peak, "kB")
    os.remove(out)


def check_full(brink, out):
    most = 20000000 if out.endswith(".h5") else 2000000

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    child = start(brink, out, 0.01, preexec_fn=limit)
    said = child.communicate()[1]
    check(child.returncode == 5, out, child.returncode, said)
    check("cannot write to " + out + ": File too large; the rows up to t = " in said, said)
    times = check_rows(out, 0.01, 1000)
    told = float(re.search(r"t = (\S+) are there", said).group(1))
    check(abs(told - times[-1]) < 1e-9 * told, out, told, times[-1])


def check_small_disk(brink, out):
    """A file system with 12 MB, where this may be mounted."""
    os.makedirs("small", exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", "small"],
                             stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not mounted:
        return
    try:
        # Commits of HDF5 at another place of the file each time.
        for every in (0.01, 0.013) if out.endswith(".h5") else (0.01,):
            path = os.path.join("small", out)
            child = start(brink, path, every)
            said = child.communicate()[1]
            check(child.returncode == 5 and "No space left on device; the rows up" in said, said)
            times = check_rows(path, every, 1000)
            told = float(re.search(r"t = (\S+) are there", said).group(1))
            check(abs(told - times[-1]) < 1e-9 * told, out, told, times[-1])
            os.remove(path)
    finally:
        subprocess.run(["umount", "small"], check=False)


def check_interrupt(brink, out, number, code):
    child = start(brink, out, 10.0)
    time.sleep(0.3)
    child.send_signal(number)
    said = child.communicate()[1]
    check(child.returncode == code, out, child.returncode, said)
    times = check_rows(out, 10.0, 10)
    told = float(re.search(out + r" holds the rows up to t = (\S+)", said).group(1))
    check(abs(told - times[-1]) < 1e-9 * told, out, told, times[-1])


def limits(brink):
    with open("endless.hsml", "w", encoding="utf-8") as file:
        file.write(ENDLESS)
    for out in "a.csv", "a.mat", "a.h5":
        check_memory(brink, out)
        check_full(brink, out)
        check_small_disk(brink, out)
        check_interrupt(brink, out, signal.SIGINT, 130)
        check_interrupt(brink, out, signal.SIGTERM, 143)


# ---- which ----


def need(what, package, there):
    if not there:
        print(what, "is not installed (Debian package", package + "): skipped")
        sys.exit(77)


def has_scipy():
    try:
        import scipy.io  # noqa: F401
    except ImportError:
        return False
    return True


def main():
    what, brink, models = sys.argv[1:]
    brink, models = os.path.abspath(brink), os.path.abspath(models)
    if what == "octave":
        need("octave", "octave", shutil.which("octave-cli"))
    if what in ("scipy", "killed", "limits"):
        need("SciPy", "python3-scipy", has_scipy())
    if what in ("h5dump", "killed", "limits"):
        need("h5dump", "hdf5-tools", shutil.which("h5dump"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        if what == "octave":
            mat(brink, models, octave_loads)
        elif what == "scipy":
            mat(brink, models, scipy_loads)
        elif what == "h5dump":
            hdf5(brink, models)
        elif what == "killed":
            killed(brink)
        else:
            limits(brink)
        os.chdir("/")
    print("failed" if failures else "passed")
    sys.exit(1 if failures else 0)


main()
