"""How C calls what a user gives: Python callables, and C functions of several libraries.

A Python callable becomes a function without arguments but time, which reads its states from a
buffer and writes its answer into another one (ode.h of src/). Each is as short as it can be: it
runs for every evaluation.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from brink._errors import ArgumentError
from brink._library import ffi

__all__ = ["Failure", "Refuse", "describe", "native", "native_of", "takes_env", "wants_env"]

Floats = NDArray[np.float64]
Call = Callable[[float], int]


class Refuse(Exception):
    """Raised by a right-hand side, a guard or a Jacobian that is not defined at the point it was
    called with.

    The step is shortened and tried again. If no step is short enough, the run fails: "rhs-refused".

    >>> import math, brink
    >>> def outflow(t, h):
    ...     if h[0] < 0:
    ...         raise brink.Refuse("no water")
    ...     return [-math.sqrt(h[0])]
    >>> round(brink.ode(outflow, [1.0]).run(until=1).x[-1, 0], 6)
    0.25
    """


# ---- C functions ----

_CFuncPtr: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]
_CData: type = ffi.CData
_LEAST_ADDRESS = 4096  # below it no system has code: a number that is not an address


class native:
    """A C function, called without entering Python.

    function   ``numba.cfunc``, a ctypes or cffi function pointer, ``scipy.LowLevelCallable``, a
               PyCapsule, or an address (int). All but addresses may be given without
               ``native(...)`` where a callable is expected
    user       what the function receives as its last argument (``env=True``: as ``env->user``): a
               NumPy array, a ctypes or cffi object, an address. It is kept alive
    env        which of two forms the function has

    A right-hand side, the value of a guard (one number) and a Jacobian (by columns) have the form
    ::

        int f(double t, const double *x, double *out, void *user)

    and a gradient ``int g(double t, const double *x, double *dx, double *dt, void *user)``. With
    ``env=True`` they are as
    in ``<brink/brink.h>``: ``brink_rhs_fn``, ``brink_guard_fn``, ``brink_gradient_fn``,
    ``brink_jacobian_fn``.
    They return 0, a positive number to refuse the point, or a negative one to end the run.

    The function runs without the interpreter lock: simulations of several threads run at once.

    >>> import brink, ctypes
    >>> form = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.POINTER(ctypes.c_double),
    ...                         ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
    >>> @form  # in earnest: a function of a shared library
    ... def decay(t, x, dx, user):
    ...     dx[0] = -x[0]
    ...     return 0
    >>> r = brink.ode(decay, [1.0]).run(until=1, rtol=1e-9)
    >>> round(r.x[-1, 0], 6)
    0.367879
    """

    __slots__ = ("address", "user", "env", "kept")
    address: int
    user: int
    env: bool
    kept: tuple[Any, ...]

    def __init__(self, function: Any, *, user: Any = None, env: bool = False) -> None:
        known = None if isinstance(function, int) else native_of(function)
        if known is not None:
            self.address = known.address
            self.user = known.user
            self.env = known.env or bool(env)
            self.kept = (*known.kept, user)
            if user is not None:
                self.user = _address_of_data(user)
            return
        if isinstance(function, bool) or not isinstance(function, int):
            raise ArgumentError(
                f"brink.native: {describe(function)} is no C function: give a numba.cfunc, "
                "a ctypes or cffi function pointer, a scipy.LowLevelCallable, a PyCapsule, or an address"
            )
        if function < _LEAST_ADDRESS or function >= 2**64:
            raise ArgumentError(f"brink.native: {function} is not the address of a function")
        self.address = function
        self.user = 0 if user is None else _address_of_data(user)
        self.env = bool(env)
        self.kept = (user,)

    def __repr__(self) -> str:
        return f"brink.native({self.address:#x})"


def native_of(function: Any) -> native | None:
    """The C function that an object is; None: it is none."""
    if isinstance(function, native):
        return function
    if isinstance(function, _CFuncPtr):
        address = ctypes.cast(function, ctypes.c_void_p).value
        return _made(address, 0, False, function)
    if isinstance(function, _CData):
        if ffi.typeof(function).kind != "function":
            raise ArgumentError(f"{function!r} is no pointer to a function")
        return _made(int(ffi.cast("uintptr_t", function)), 0, False, function)
    kind = type(function)
    if kind.__module__.startswith("numba.") and hasattr(function, "address"):
        _check_numba(function)
        return _made(int(function.address), 0, False, function)
    if kind.__name__ == "PyCapsule":
        return _made(_address_in_capsule(function), 0, False, function)
    if kind.__name__ == "LowLevelCallable":
        return _of_low_level_callable(function)
    return None


def _check_numba(function: Any) -> None:
    """A numba.cfunc knows its signature: one that no form of a function has is refused."""
    signature = getattr(function, "_sig", None)
    if signature is None:
        return
    pointers = sum(str(a).endswith("*") for a in signature.args)
    single = any(str(a) == "float32" for a in signature.args)
    if str(signature.return_type) != "int32" or pointers < 3 or single:
        raise ArgumentError(
            f"{describe(function)} has the signature {signature}: brink.native tells which forms "
            "C functions have, int32(float64, float64*, float64*, void*) for f"
        )


def _made(address: int | None, user: int, env: bool, kept: Any) -> native:
    if not address:
        raise ArgumentError(f"{kept!r} is a null pointer")
    made = native(address, env=env)
    made.user = user
    made.kept = (kept,)
    return made


def _of_low_level_callable(callable_: Any) -> native:
    inner = native_of(callable_.function)
    if inner is None:
        raise ArgumentError(f"the function of {callable_!r} is no C function")
    user = callable_.user_data
    signature = callable_.signature or ""
    made = _made(inner.address, 0, "brink_env" in signature, callable_)
    if user is not None:
        made.user = _address_of_data(user)
    return made


def _address_in_capsule(capsule: Any) -> int:
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)) or 0)


def _address_of_data(user: Any) -> int:
    """Where the data are that a C function receives."""
    if isinstance(user, bool):
        raise ArgumentError("user is a bool: give an array, a ctypes or cffi object, or an address")
    if isinstance(user, int):
        if not 0 <= user < 2**64:
            raise ArgumentError(f"user is {user}, which is no address")
        return user
    if isinstance(user, np.ndarray):
        return int(user.ctypes.data)
    if isinstance(user, _CData):
        return int(ffi.cast("uintptr_t", user))
    if isinstance(user, (ctypes._Pointer, ctypes.c_void_p, ctypes.c_char_p)):
        return int(ctypes.cast(user, ctypes.c_void_p).value or 0)
    if type(user).__name__ == "PyCapsule":
        return _address_in_capsule(user)
    try:
        return ctypes.addressof(user)
    except TypeError:
        raise ArgumentError(
            f"user is {describe(user)}: give a NumPy array, a ctypes or cffi object, or an address"
        ) from None


# ---- Python callables ----


def describe(thing: Any) -> str:
    """What a message calls an object.

    >>> describe(None), describe(3.0), describe(describe)
    ('None', 'the float 3.0', "the function 'describe'")
    """
    if thing is None:
        return "None"
    name = getattr(thing, "__qualname__", None)
    if callable(thing) and isinstance(name, str):
        return f"the {type(thing).__name__} {name.split('<locals>.')[-1]!r}"
    text = repr(thing)
    return f"the {type(thing).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def takes_env(function: Callable[..., Any], role: str) -> bool:
    """Does a callable of (t, x) want env, too? It does if it has a third parameter without a
    default, or one that is
    called env.

    >>> takes_env(lambda t, x: x, "f"), takes_env(lambda t, x, env: x, "f")
    (False, True)
    >>> takes_env(lambda t, x, k=3: x, "f")
    False
    """
    return wants_env(function, role, "(t, x) or (t, x, env)", 2)


def wants_env(function: Callable[..., Any], role: str, forms: str, least: int) -> bool:
    """Does a callable want env after `least` arguments?"""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False  # written in C: it does not say
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in places)
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    by_name = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    if by_name or required > least + 1 or (len(places) < least and not starred):
        raise ArgumentError(f"{role} is called as {forms}")
    return required == least + 1 or (len(places) > least and places[least].name == "env")


class Failure:
    """The first exception of a callback: the run ends, and it is raised again by who started the
    run."""

    __slots__ = ("exception", "where", "ode")

    def __init__(self, ode: Any) -> None:
        self.exception: BaseException | None = None
        self.where = ""
        self.ode = ode  #: the brinkpy_ode, whose `failed` ends the run

    def note(self, exception: BaseException, where: str) -> None:
        if self.exception is None:
            self.exception = exception
            self.where = where
        self.ode.failed = True

    def take(self) -> BaseException | None:
        """The exception; the next call may go on."""
        exception, self.exception = self.exception, None
        self.ode.failed = False
        return exception


class Callback:
    """A callable as C sees it: `call` with what happened, and where exceptions go."""

    __slots__ = ("call", "failure", "role")

    def __init__(self, call: Callable[..., int], failure: Failure, role: str) -> None:
        self.call = call
        self.failure = failure
        self.role = role


def _on_error(kind: Any, exception: Any, traceback: Any) -> None:
    """An exception leaves a callback for C. cffi calls this; `callable` is in the frame of the
    function below."""
    callback = ffi.from_handle(traceback.tb_frame.f_locals["callable"])
    callback.failure.note(exception.with_traceback(traceback.tb_next), callback.role)


def _called_from_c(function: Callable[..., int]) -> Callable[..., int]:
    """The function of that name in python_calls.h."""
    ffi.def_extern(error=-1, onerror=_on_error)(function)
    return function


@_called_from_c
def brinkpy_call(callable: Any, t: float) -> int:
    answer: int = ffi.from_handle(callable).call(t)
    return answer


@_called_from_c
def brinkpy_expand(callable: Any, order: int, t: float, unit: float) -> int:
    answer: int = ffi.from_handle(callable).call(order, t, unit)
    return answer


@_called_from_c
def brinkpy_act(callable: Any, event: Any, count: int, now: Any) -> int:
    answer: int = ffi.from_handle(callable).call(event, count, now)
    return answer


@_called_from_c
def brinkpy_apply_rules(callable: Any, now: Any, changed: Any) -> int:
    answer: int = ffi.from_handle(callable).call(now, changed)
    return answer


@_called_from_c
def brinkpy_accumulate(callable: Any, guards: Any, count: int, now: Any) -> int:
    answer: int = ffi.from_handle(callable).call(guards, count, now)
    return answer


@_called_from_c
def brinkpy_note_near_miss(callable: Any, record: Any) -> int:
    answer: int = ffi.from_handle(callable).call(record)
    return answer


@_called_from_c
def brinkpy_note_slide(callable: Any, record: Any) -> int:
    answer: int = ffi.from_handle(callable).call(record)
    return answer


# ---- what a callable returns ----


def numbers(
    value: Any, shape: tuple[int, ...], role: str, wanted: str, dtype: Any = float
) -> NDArray[Any]:
    """`value` as an array of that shape. A single number does for a single one."""
    if value is None:
        raise TypeError(f"{role} returned None instead of {wanted}: is a `return` missing?")
    if hasattr(value, "toarray"):
        value = value.toarray()  # a sparse matrix
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = array.astype(dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{role} returned {describe(value)} instead of {wanted}") from error
    if array.dtype.kind not in ("fiubc" if np.dtype(dtype).kind == "c" else "fiub"):
        raise TypeError(f"{role} returned {describe(value)} instead of {wanted}")
    if array.shape != shape and not (array.shape == () and shape == (1,)):
        raise ArgumentError(f"{role} returned an array of shape {array.shape} instead of {wanted}")
    return array.reshape(shape)


def vector_call(
    function: Callable[..., Any], read: Callable[[], Any], out: NDArray[Any], role: str, wanted: str
) -> Call:
    """function(t, x) to `out`."""
    shape, dtype, size = out.shape, out.dtype, out.size
    array = np.ndarray
    pack = struct.Struct(f"={size}d").pack_into
    memory = ffi.buffer(ffi.from_buffer("char[]", out, require_writable=True))
    lists = dtype == float

    def call(t: float) -> int:
        try:
            value = function(t, read())
        except Refuse:
            return 1
        kind = type(value)
        if kind is array:
            if value.dtype is dtype and value.shape == shape:
                out[...] = value
                return 0
        elif lists and (kind is list or kind is tuple):
            try:
                pack(memory, 0, *value)
                return 0
            except struct.error:
                pass  # not floats, or not as many: say so below
        out[...] = numbers(value, shape, role, wanted, dtype)
        return 0

    return call


def number_call(
    function: Callable[..., Any], read: Callable[[], Any], out: Floats, role: str
) -> Call:
    """function(t, x), one number, to out[0]."""
    real = (float, np.float64)

    def call(t: float) -> int:
        try:
            value = function(t, read())
        except Refuse:
            return 1
        if type(value) not in real:
            value = numbers(value, (1,), role, "a number")[0]
        out[0] = value
        return 0

    return call
