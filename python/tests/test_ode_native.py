"""C functions as callables: ctypes, cffi, numba, scipy.LowLevelCallable, addresses."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import brink

SOURCE = r"""
#include <brink/brink.h>
int decay(double t, const double *x, double *dx, void *user) {
  dx[0] = -(user != 0 ? *(const double *)user : 1.0) * x[0];
  return 0;
}
int with_env(double t, const double *x, const brink_env *env, double *dx) {
  dx[0] = env->p[0] * x[0] * (env->user != 0 ? *(const double *)env->user : 1.0);
  return 0;
}
int half(double t, const double *x, double *g, void *user) { *g = x[0] - 0.5; return 0; }
int half_env(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  *g = x[0] - 0.5 + (double)guard;
  return 0;
}
int slope(double t, const double *x, double *dx, double *dt, void *user) {
  dx[0] = 1;
  *dt = 0;
  return 0;
}
int slope_env(size_t guard, double t, const double *x, const brink_env *env, double *dx,
              double *dt) {
  dx[0] = 1;
  *dt = 0;
  return 0;
}
int jacobian(double t, const double *x, double *values, void *user) { values[0] = -1.0; return 0; }
int jacobian_env(double t, const double *x, const brink_env *env, double *values) {
  values[0] = -1.0;
  return 0;
}
int refuses(double t, const double *x, double *dx, void *user) { dx[0] = -1.0; return x[0] < 0.5; }
int fails(double t, const double *x, double *dx, void *user) { return -1; }
/* Waits for another thread to be in here, too. */
int meets(double t, const double *x, double *dx, void *user) {
  volatile int *present = user;
  __atomic_fetch_add(present, 1, __ATOMIC_SEQ_CST);
  for (long k = 0; __atomic_load_n(present, __ATOMIC_SEQ_CST) < 2; k++)
    if (k > 20000000000L) return -1;
  dx[0] = 1.0;
  return 0;
}
int turns(double t, const double *x, double *dx, void *user) {
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, tree: Path) -> Any:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    place = tmp_path_factory.mktemp("native")
    (place / "native.c").write_text(SOURCE)
    subprocess.run(
        [
            compiler,
            "-O1",
            "-shared",
            "-fPIC",
            f"-I{tree / 'include'}",
            "-o",
            place / "native.so",
            place / "native.c",
        ],
        check=True,
    )
    return ctypes.CDLL(str(place / "native.so"))


EXACT = pytest.approx(math.exp(-1), rel=1e-8)
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def end(model: brink.Ode, **options: Any) -> float:
    return float(model.run(until=1.0, **{**TIGHT, **options}).x[-1, 0])


def address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def test_pointers_of_ctypes_and_addresses(library: Any) -> None:
    assert end(brink.ode(library.decay, [1.0])) == EXACT
    assert end(brink.ode(brink.native(library.decay), [1.0])) == EXACT
    assert end(brink.ode(brink.native(address(library.decay)), [1.0])) == EXACT


def test_user_data(library: Any) -> None:
    doubled = pytest.approx(math.exp(-2), rel=1e-8)
    for user in (
        np.array([2.0]),
        ctypes.c_double(2.0),
        ctypes.pointer(ctypes.c_double(2.0)),
        (ctypes.c_double * 1)(2.0),
    ):
        assert end(brink.ode(brink.native(library.decay, user=user), [1.0])) == doubled
    rate = np.array([2.0])
    model = brink.ode(brink.native(library.decay, user=rate), [1.0])
    rate[0] = 3.0  # it is read, not copied
    assert end(model) == pytest.approx(math.exp(-3), rel=1e-8)


def test_the_form_of_the_c_api(library: Any) -> None:
    model = brink.ode(brink.native(library.with_env, env=True), [1.0], p={"k": -1.0})
    assert end(model) == EXACT and end(model, p={"k": -2.0}) == pytest.approx(
        math.exp(-2), rel=1e-8
    )
    model = brink.ode(
        brink.native(library.with_env, env=True, user=np.array([2.0])), [1.0], p=[-1.0]
    )
    assert end(model) == pytest.approx(math.exp(-2), rel=1e-8)


@pytest.mark.parametrize("env", [False, True])
def test_guards_gradients_and_jacobians(library: Any, env: bool) -> None:
    suffix = "_env" if env else ""
    value = brink.native(getattr(library, "half" + suffix), env=env)
    gradient = brink.native(getattr(library, "slope" + suffix), env=env)
    jacobian = brink.native(getattr(library, "jacobian" + suffix), env=env)
    guard = brink.Guard(
        value, gradient=gradient, side="unilateral", action=lambda e, now: now.stop()
    )
    r = brink.ode(library.decay, [1.0], guards=[guard], jacobian=jacobian).run(
        until=2.0, method="bdf", rtol=1e-7
    )
    assert r.t[-1] == pytest.approx(math.log(2), abs=1e-4) and r.stats.jacobians > 0


def test_statuses_of_c_functions(library: Any) -> None:
    with pytest.raises(brink.SimulationError) as caught:
        brink.ode(library.refuses, [1.0]).run(until=1.0)
    assert caught.value.t == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(brink.SimulationError) as caught:
        brink.ode(library.fails, [1.0]).run(until=1.0)
    assert caught.value.reason == "rhs-failed"


def test_pointers_of_cffi(library: Any) -> None:
    import cffi

    ffi = cffi.FFI()
    pointer = ffi.cast("int (*)(double, const double *, double *, void *)", address(library.decay))
    assert end(brink.ode(pointer, [1.0])) == EXACT
    rate = ffi.new("double *", 2.0)
    assert end(brink.ode(brink.native(pointer, user=rate), [1.0])) == pytest.approx(
        math.exp(-2), rel=1e-8
    )
    with pytest.raises(brink.ArgumentError, match="no pointer to a function"):
        brink.ode(rate, [1.0])


def test_low_level_callables_of_scipy(library: Any) -> None:
    scipy = pytest.importorskip("scipy")
    library.decay.restype = ctypes.c_int
    library.decay.argtypes = [
        ctypes.c_double,
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.c_void_p,
    ]
    assert end(brink.ode(scipy.LowLevelCallable(library.decay), [1.0])) == EXACT
    rate = ctypes.c_double(2.0)
    data = ctypes.cast(ctypes.pointer(rate), ctypes.c_void_p)
    assert end(brink.ode(scipy.LowLevelCallable(library.decay, data), [1.0])) == pytest.approx(
        math.exp(-2), rel=1e-8
    )


def test_functions_of_numba() -> None:
    numba = pytest.importorskip("numba")
    double, pointer = numba.types.double, numba.types.CPointer(numba.types.double)

    @numba.cfunc(numba.types.int32(double, pointer, pointer, numba.types.voidptr))
    def decay(t: float, x: Any, dx: Any, user: Any) -> int:
        dx[0] = -x[0]
        return 0

    assert end(brink.ode(decay, [1.0])) == EXACT


def test_capsules(library: Any) -> None:
    api = ctypes.pythonapi
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = b"int (double, double *, double *, void *)"
    assert end(brink.ode(api.PyCapsule_New(address(library.decay), name, None), [1.0])) == EXACT


@pytest.mark.parametrize(
    "wrong", [0, 3, -1, 2**64, 1.5, "decay", None, True, len, lambda t, x: x]
)
def test_what_is_no_c_function_is_refused(wrong: Any) -> None:
    with pytest.raises(brink.ArgumentError):
        brink.native(wrong)


@pytest.mark.parametrize("wrong", [1.5, "text", -1, 2**64, True, [1.0]])
def test_what_is_no_data_is_refused(library: Any, wrong: Any) -> None:
    with pytest.raises(brink.ArgumentError):
        brink.native(library.decay, user=wrong)


def test_an_address_alone_is_no_callable() -> None:
    with pytest.raises(brink.ArgumentError, match="give a callable"):
        brink.ode(140737488355328, [1.0])


def test_two_threads_are_in_c_functions_at_the_same_time(library: Any) -> None:
    """Each waits in its right-hand side until the other one has come there, too."""
    present = np.zeros(1, dtype=np.intc)
    model = brink.ode(brink.native(library.meets, user=present), [0.0])
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.append(end(model))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == pytest.approx([1.0, 1.0])


def test_ctrl_c_ends_a_run_of_c_functions(library: Any) -> None:
    import os
    import signal

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(brink.Interrupted) as caught:
        brink.ode(library.turns, [1.0, 0.0]).run(until=1e12, hmax=0.01, dense=False)
    timer.join()
    assert caught.value.result.status == "interrupted" and len(caught.value.result.t) > 100


def test_a_function_of_numba_with_another_signature_is_refused() -> None:
    numba = pytest.importorskip("numba")
    double, single = numba.types.double, numba.types.float32
    pointer, integer = numba.types.CPointer(double), numba.types.int32

    @numba.cfunc(double(double))  # type: ignore[misc]
    def one(t: float) -> float:
        return t

    @numba.cfunc(double(double, pointer, pointer, pointer))  # type: ignore[misc]
    def real(t: float, x: Any, dx: Any, user: Any) -> float:
        return 0.0

    @numba.cfunc(integer(single, pointer, pointer, pointer))  # type: ignore[misc]
    def rough(t: float, x: Any, dx: Any, user: Any) -> int:
        return 0

    for wrong in (one, real, rough):
        with pytest.raises(brink.ArgumentError, match="signature"):
            brink.ode(wrong, [1.0])
