"""Ctrl-C ends a run soon, and nothing else: at the level of the library's calls."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

from brink import _library
from brink._library import check, ffi, lib, new_diag

FOREVER = 1e9

OSCILLATOR = b"""
ctc Oscillator is
  body
    declarations state(x, real); state(v, real); flag(zero); end declarations;
    initial x := 1.0; v := 0.0; end initial;
    dynamics x' = v; v' = -x; zero = x; end dynamics;
  end body;
end Oscillator;
"""


@contextlib.contextmanager
def new_run() -> Iterator[Any]:
    diag, model, run = new_diag(), ffi.new("brink_hsml **"), ffi.new("brink_run **")
    check(lib.brink_hsml_load_text(OSCILLATOR, diag, model), diag)
    options = ffi.new("brink_run_options *")
    check(lib.brink_hsml_options(model[0], options, diag), diag)
    options.interpret = True
    check(lib.brink_run_create(model[0], options, ffi.NULL, diag, run), diag)
    lib.brink_hsml_destroy(model[0])
    try:
        yield run[0]
    finally:
        lib.brink_run_destroy(run[0])


@pytest.fixture
def run() -> Iterator[Any]:
    with new_run() as made:
        yield made


@contextlib.contextmanager
def handler(action: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, action)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupt(after: float = 0.1) -> Iterator[None]:
    """Sends SIGINT to this process once, like a terminal does."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()


CALLS = {
    "to": lambda run: (lib.brinkpy_run_to, run, FOREVER),
    "output": lambda run: (lib.brinkpy_run_output, run, FOREVER, FOREVER),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_run_ends_and_can_go_on(run, name):
    start = time.monotonic()
    with interrupt(), pytest.raises(KeyboardInterrupt):
        _library.move(*CALLS[name](run), new_diag())
    assert time.monotonic() - start < 5.0
    t = lib.brink_run_time(run)
    assert 0.0 < t < FOREVER
    assert _library.move(lib.brinkpy_run_to, run, t + 1.0, new_diag()) == lib.BRINK_TIME_REACHED
    assert lib.brink_run_time(run) == t + 1.0


def test_steps_and_events_in_a_loop_end(run):
    diag = new_diag()
    for call in (lib.brinkpy_run_step, lib.brinkpy_run_next_event):
        with interrupt(), pytest.raises(KeyboardInterrupt):
            while True:
                _library.move(call, run, FOREVER, diag)


def test_the_status_says_who_ended_it(run):
    with handler(lambda *_: None), interrupt():
        assert lib.brinkpy_run_to(run, FOREVER, new_diag()) == lib.BRINKPY_INTERRUPTED
    lib.brink_run_cancel(run)
    assert lib.brinkpy_run_to(run, FOREVER, new_diag()) == lib.BRINK_CANCELLED


def test_the_handler_is_as_before(run):
    calls = []
    with handler(lambda *_: calls.append("mine")):
        mine = signal.getsignal(signal.SIGINT)
        lib.brinkpy_run_to(run, 1.0, new_diag())
        assert signal.getsignal(signal.SIGINT) is mine
        signal.raise_signal(signal.SIGINT)
    assert calls == ["mine"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_that_returns_lets_the_run_go_on(run):
    calls = []
    with handler(lambda *_: calls.append(lib.brink_run_time(run))), interrupt(0.02):
        status = _library.move(lib.brinkpy_run_to, run, 3e5, new_diag())
    assert status == lib.BRINK_TIME_REACHED
    assert len(calls) == 1 and 0.0 < calls[0] < 3e5


def test_ignored_means_ignored(run):
    with handler(signal.SIG_IGN), interrupt(0.02):
        assert lib.brinkpy_run_to(run, 3e5, new_diag()) == lib.BRINK_TIME_REACHED


def ignores_sigint() -> bool:
    """As the kernel has it: Python's own handlers are all one function there."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (mask,) = (line.split()[1] for line in lines if line.startswith("SigIgn"))
    return bool(int(mask, 16) & 1 << (signal.SIGINT - 1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc of Linux")
def test_a_handler_set_on_the_way_stays(run):
    @ffi.callback("int(brink_run *, const brink_run_event *, void *)")
    def event(_run: Any, _event: Any, _user: Any) -> int:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return 0

    observer = ffi.new("brink_run_observer *", {"event": event})
    with handler(signal.default_int_handler):
        lib.brink_run_observe(run, observer)
        lib.brinkpy_run_to(run, 2.0, new_diag())
        assert ignores_sigint()
    assert not ignores_sigint()


def test_other_threads_go_on(run):
    statuses = []
    worker = threading.Thread(
        target=lambda: statuses.append(lib.brinkpy_run_to(run, 3e5, new_diag()))
    )
    with pytest.raises(KeyboardInterrupt):
        worker.start()
        with interrupt(0.02):
            time.sleep(5.0)
    worker.join()
    assert statuses == [lib.BRINK_TIME_REACHED]


def test_the_innermost_of_nested_runs_ends(run):
    inner_statuses, calls = [], []

    @ffi.callback("int(brink_run *, const brink_run_event *, void *)")
    def event(_run: Any, _event: Any, _user: Any) -> int:
        if not inner_statuses:
            with interrupt():
                inner_statuses.append(lib.brinkpy_run_to(inner, FOREVER, new_diag()))
        return 0

    observer = ffi.new("brink_run_observer *", {"event": event})
    with new_run() as inner, handler(lambda *_: calls.append(1)):
        lib.brink_run_observe(run, observer)
        assert lib.brinkpy_run_to(run, 20.0, new_diag()) == lib.BRINK_TIME_REACHED
        assert inner_statuses == [lib.BRINKPY_INTERRUPTED] and len(calls) == 1


def test_the_outer_run_ends_after_an_inner_one_has_ended(run):
    inner_statuses: list[int] = []

    @ffi.callback("int(brink_run *, const brink_run_event *, void *)")
    def event(_run: Any, _event: Any, _user: Any) -> int:
        if not inner_statuses:
            inner_statuses.append(lib.brinkpy_run_step(inner, FOREVER, new_diag()))
        return 0

    observer = ffi.new("brink_run_observer *", {"event": event})
    with new_run() as inner, handler(lambda *_: None):
        lib.brink_run_observe(run, observer)
        with interrupt():
            assert lib.brinkpy_run_to(run, FOREVER, new_diag()) == lib.BRINKPY_INTERRUPTED
    assert inner_statuses == [lib.BRINK_STEPPED]


def test_a_signal_too_late_for_a_call_spares_the_next(run):
    @ffi.callback("int(brink_run *, const brink_run_event *, void *)")
    def event(_run: Any, _event: Any, _user: Any) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 0

    observer = ffi.new("brink_run_observer *", {"event": event})
    diag = new_diag()
    with handler(lambda *_: None):
        lib.brink_run_observe(run, observer)
        for k in range(3):
            assert lib.brinkpy_run_next_event(run, FOREVER, diag) == lib.BRINK_EVENT
            assert lib.brink_run_time(run) == pytest.approx((k + 0.5) * 3.141592653589793, abs=1e-4)


RHS = """
int rhs(double t, const double *x, const void *env, double *dx) {
  dx[0] = x[1]; dx[1] = -x[0]; return 0;
}
"""


@pytest.fixture(scope="module")
def rhs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A right-hand side in C: Python has no part in such a run."""
    work: Path = tmp_path_factory.mktemp("rhs")
    (work / "rhs.c").write_text(RHS)
    subprocess.run(["cc", "-shared", "-fPIC", "rhs.c", "-o", "rhs.so"], cwd=work, check=True)
    return work / "rhs.so"


@pytest.fixture
def sim(rhs: Path) -> Iterator[Any]:
    address = ctypes.cast(ctypes.CDLL(str(rhs)).rhs, ctypes.c_void_p).value
    x0 = ffi.new("double[]", [1.0, 0.0])
    definition = ffi.new("brink_model_def *", lib.brink_default_model())
    definition.nx, definition.x0 = 2, x0
    definition.rhs = ffi.cast("brink_rhs_fn *", address)
    diag, model, made = new_diag(), ffi.new("brink_model **"), ffi.new("brink_sim **")
    check(lib.brink_model_create(definition, ffi.NULL, diag, model), diag)
    check(lib.brink_sim_create(model[0], ffi.NULL, ffi.NULL, diag, made), diag)
    yield made[0]
    lib.brink_sim_destroy(made[0])
    lib.brink_model_destroy(model[0])


def test_a_sim_ends_and_can_go_on(sim):
    start = time.monotonic()
    with interrupt(), pytest.raises(KeyboardInterrupt):
        _library.move(lib.brinkpy_sim_run, sim, FOREVER, False, 0, new_diag())
    assert time.monotonic() - start < 5.0
    t = lib.brink_sim_time(sim)
    assert 0.0 < t < FOREVER
    status = _library.move(lib.brinkpy_sim_run, sim, t + 1.0, False, 0, new_diag())
    assert status == lib.BRINK_TIME_REACHED and lib.brink_sim_time(sim) == t + 1.0


def test_a_sim_takes_the_steps_of_the_library(sim):
    diag = new_diag()
    check(lib.brinkpy_sim_run(sim, 100.0, False, 0, diag), diag)
    ours = lib.brink_sim_stats(sim).steps, [lib.brink_sim_state(sim)[i] for i in range(2)]
    check(lib.brink_sim_reset(sim, diag), diag)
    check(lib.brink_sim_run(sim, 100.0, diag), diag)
    theirs = lib.brink_sim_stats(sim).steps, [lib.brink_sim_state(sim)[i] for i in range(2)]
    assert ours == theirs


def test_a_sim_stops_at_its_limit_of_steps(sim):
    diag = new_diag()
    status = lib.brinkpy_sim_run(sim, FOREVER, False, 10, diag)
    assert status == lib.BRINK_ERR_WORK and lib.brink_sim_stats(sim).steps == 10
    with pytest.raises(Exception, match="limit of 10 steps") as error:
        check(status, diag)
    assert error.value.reason == "max-steps" and error.value.t == lib.brink_sim_time(sim)


def test_a_child_process_has_a_main_thread_of_its_own(run):
    """Forked from another thread, which is the child's main thread then."""
    statuses: list[int] = []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            try:
                signal.signal(signal.SIGINT, lambda *_: None)
                signal.setitimer(signal.ITIMER_REAL, 10.0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                ready.write(b"x")
                ready.flush()
                os._exit(lib.brinkpy_run_to(run, FOREVER, new_diag()) == lib.BRINKPY_INTERRUPTED)
            finally:
                os._exit(2)
        os.read(reading, 1)
        time.sleep(0.1)
        os.kill(child, signal.SIGINT)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as ready:
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    os.close(reading)
    assert statuses == [1]
