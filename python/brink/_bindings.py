"""A model of the library whose callbacks are those of a definition in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brink import _guards
from brink._arguments import as_choice, as_direction, as_float, as_int, as_list
from brink._callables import (
    Call,
    Callback,
    Failure,
    Refuse,
    describe,
    native,
    native_of,
    number_call,
    numbers,
    takes_env,
    vector_call,
    wants_env,
)
from brink._definition import Definition
from brink._errors import ArgumentError
from brink._instant import NearMiss, Now, Slide, changeable, finish, read_event, read_slide
from brink._library import check, decode, encode, encode_list, ffi, lib, new_diag
from brink._named import as_array
from brink._sparsity import Sparsity, full_pattern

__all__ = ["Bindings"]

MAX_ORDER = 64  # BRINK_JET_MAX_ORDER of <brink/jet.h>


class Bindings:
    """A brink_model, its brinkpy_ode (src/ode.h), and what C reads of Python's: buffers, handles of
    callables."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.model = ffi.NULL
        self.kept: list[Any] = []
        self.slides: list[Slide] = []
        self.near_misses: list[NearMiss] = []
        self.ode = ffi.new("brinkpy_ode *")
        self.failure = Failure(self.ode)
        self._make_buffers()
        self._make_model()

    # ---- buffers and callbacks ----

    def _room(self, count: int, dtype: Any = np.float64) -> NDArray[Any]:
        array = np.zeros(max(count, 1), dtype)
        self.kept.append(array)
        return array

    def _pointer(self, array: NDArray[Any], ctype: str = "double[]") -> Any:
        pointer = ffi.from_buffer(ctype, array)
        self.kept.append(pointer)
        return pointer

    def _make_buffers(self) -> None:
        d, ode = self.definition, self.ode
        ode.nx, ode.np, ode.nmodes, ode.nguards = d.nx, d.nparameters, d.nmodes, len(d.guards)
        ode.backward = d.backward
        nrows = 0 if d.constraints is None else d.constraints.unknowns + d.constraints.invariants
        x, self.out = self._room(d.nx), self._room(max(d.nx + 1, nrows, MAX_ORDER + 1))
        self.p, self.mode = self._room(d.nparameters), self._room(d.nmodes, np.intc)
        self.sgn = self._room(len(d.guards), np.int8)
        ode.x, ode.out = self._pointer(x), self._pointer(self.out)
        ode.p, ode.mode = self._pointer(self.p), self._pointer(self.mode, "int[]")
        ode.sgn = self._pointer(self.sgn, "signed char[]")
        x = x[: d.nx]
        self.read: Callable[[], Any] = (x.view(complex) if d.complex else x).copy

    def _handle(self, call: Callable[..., int], role: str) -> Any:
        handle = ffi.new_handle(Callback(call, self.failure, role))
        self.kept.append(handle)
        return handle

    def _with_env(self, function: Callable[..., Any], role: str) -> Callable[..., Any]:
        """The callable as one of (t, x)."""
        if not self.definition.reads_env or not takes_env(function, role):
            return function
        self._watch_env()
        holder = self.holder
        return lambda t, x: function(t, x, holder[0])

    def _watch_env(self) -> None:
        """Somebody reads env: C reports its changes."""
        if self.ode.env != ffi.NULL:
            return
        d = self.definition
        make, p, mode, sgn = (
            d.make_env(),
            self.p[: d.nparameters],
            self.mode[: d.nmodes],
            self.sgn[: len(d.guards)],
        )
        holder = self.holder = [make(p, mode, sgn)]

        def renew(t: float) -> int:
            holder[0] = make(p, mode, sgn)
            return 0

        self.ode.env = self._handle(renew, "env")

    def _set_function(
        self, to: Any, function: Any, role: str, make: Callable[[Callable[..., Any]], Call]
    ) -> None:
        """A brinkpy_function: a C function as it is, or a Python callable by `make`."""
        known = native_of(function)
        if known is not None:
            self._set_native(to, known)
            return
        if not callable(function):
            raise ArgumentError(f"{role} is no function: give a callable")
        to.form = lib.BRINKPY_PYTHON
        to.callable = self._handle(make(self._with_env(function, role)), role)

    def _set_native(self, to: Any, function: native) -> None:
        to.form = lib.BRINKPY_ENV if function.env else lib.BRINKPY_SIMPLE
        to.code = ffi.cast("void (*)(void)", function.address)
        to.user = ffi.cast("void *", function.user)
        self.kept.append(function)

    def _set_rhs(self) -> None:
        d = self.definition
        if d.f is None and d.nx == 0:
            return
        out = self.out[: d.nx - (0 if d.constraints is None else d.constraints.unknowns)]
        if d.complex:
            out = out.view(complex)
        wanted = f"{len(out)} numbers, one for each state" if len(out) != 1 else "one number"
        role = f"f, {describe(d.f)},"
        self._set_function(
            self.ode.rhs, d.f, role, lambda f: vector_call(f, self.read, out, role, wanted)
        )

    def _expander(
        self,
        function: Callable[..., Any],
        shape: Callable[[int], tuple[int, ...]],
        to: NDArray[Any],
        role: str,
        jets: Any,
    ) -> Callable[..., int]:
        """A callable that writes series. `jets`: those that it reads, instead of the states."""
        read, nx = self.read, self.definition.nx

        def call(order: int, t: float, unit: float) -> int:
            try:
                if jets is None:
                    value = function(order, t, unit, read())
                else:
                    rows = jets[: (nx + 1) * (order + 1)].reshape(nx + 1, order + 1).copy()
                    value = function(order, rows[0], rows[1:])
            except Refuse:
                return 1
            wanted = shape(order)
            found = numbers(
                value, wanted, role, f"series of order {order}, an array of shape {wanted}"
            )
            to[: found.size] = found.ravel()
            return 0

        return call

    def _set_series(
        self,
        to: Any,
        function: Any,
        role: str,
        shape: Callable[[int], tuple[int, ...]],
        out: Any,
        jets: Any,
    ) -> None:
        known = native_of(function)
        if known is not None:
            if not known.env:
                raise ArgumentError(
                    f"{role} is a C function of the form of the C API: brink.native(..., env=True)"
                )
            self._set_native(to, known)
            return
        if not callable(function):
            raise ArgumentError(f"{role} is no function: give a callable")
        least, forms = (
            (4, "(order, t, unit, x[, env])") if jets is None else (3, "(order, t, x[, env])")
        )
        called = function
        if wants_env(function, role, forms, least):
            self._watch_env()
            holder = self.holder
            called = lambda *arguments: function(*arguments, holder[0])  # noqa: E731
        to.form = lib.BRINKPY_PYTHON
        to.callable = self._handle(self._expander(called, shape, out, role, jets), role)

    def _room_for_jets(self) -> NDArray[np.float64]:
        if self.ode.jets == ffi.NULL:
            self.jets = self._room((self.definition.nx + 1) * (MAX_ORDER + 1))
            self.ode.jets = self._pointer(self.jets)
        return self.jets

    def _set_constraints(self, definition: Any) -> Any:
        """The definition of constraints, and what must live until the model is made."""
        d, ode, given = self.definition, self.ode, self.definition.constraints
        to = ffi.new("brink_constraints_def *")
        lib.brink_constraints_defaults(to, ffi.sizeof("brink_constraints_def"))
        if given is None:
            return to, []
        nz, nh, nx = given.unknowns, given.invariants, d.nx
        ode.nrows, ode.nderivatives = nz + nh, (nz + nh) * (nx + 1)
        structure = ffi.new("brink_structure *")
        structure.index = given.index if given.index is not None else (2 if nh else 1)
        structure.nh = nh
        structure.unknown = self._pointer(np.arange(nx - nz, nx, dtype=np.uintp), "size_t[]")
        structure.block = self._pointer(np.array([0, nz], dtype=np.uintp), "size_t[]")
        structure.nblocks = 1
        structure.pattern.starts = self._pointer(
            np.arange(0, (nz + nh) * (nx + 1) + 1, nz + nh, dtype=np.uintp), "size_t[]"
        )
        structure.pattern.rows = self._pointer(
            np.tile(np.arange(nz + nh, dtype=np.uintp), nx + 1), "size_t[]"
        )
        self.kept.append(structure)
        ode.structure = structure
        role = f"residual, {describe(given.residual)},"
        out, wanted = self.out[: nz + nh], f"{nz + nh} numbers, one for each unknown and invariant"
        self._set_function(
            ode.residual,
            given.residual,
            role,
            lambda f: vector_call(f, self.read, out, role, wanted),
        )
        if given.derivatives is not None:
            self._set_constraint_derivatives(given.derivatives, (nz + nh, nx + 1))
        definition.nz = nz
        kept = []
        if given.start is not None:
            fixed, free = _guards.STARTS["fixed"], _guards.STARTS["free"]
            start = ffi.new("unsigned char[]", [fixed] * (nx - nz) + [free] * nz)
            for name, how in given.start.items():
                start[d.states.index(name)] = as_choice(
                    how, _guards.STARTS, f"constraints: the start of {name!r}"
                )
            to.start = start
            kept.append(start)
        return to, kept

    def _set_constraint_derivatives(self, function: Any, shape: tuple[int, int]) -> None:
        values = self._room(shape[0] * shape[1])
        self.ode.derivative_values = self._pointer(values)
        by_columns, read = values.reshape(shape[1], shape[0]), self.read
        role = f"derivatives, {describe(function)},"

        def make(f: Callable[..., Any]) -> Call:
            def call(t: float) -> int:
                try:
                    value = f(t, read())
                except Refuse:
                    return 1
                by_columns[...] = numbers(
                    value, shape, role, f"a matrix of {shape[0]} by {shape[1]} numbers"
                ).T
                return 0

            return call

        self._set_function(self.ode.derivatives, function, role, make)

    def _set_jacobian(self, definition: Any) -> None:
        d, ode, pattern = self.definition, self.ode, self.definition.sparsity
        if d.jacobian is None and pattern is None:
            return
        if pattern is None:
            pattern = full_pattern(d.nx)
        matrix = self._room(len(pattern.rows))[: len(pattern.rows)]
        ode.entries, ode.matrix = len(pattern.rows), self._pointer(matrix)
        ode.starts = definition.jacobian_pattern.starts = self._pointer(pattern.starts, "size_t[]")
        rows = pattern.rows if len(pattern.rows) else self._room(1, np.uintp)
        ode.rows = definition.jacobian_pattern.rows = self._pointer(rows, "size_t[]")
        role = f"jacobian, {describe(d.jacobian)},"
        if d.jacobian is None:
            self._set_colours(pattern)
        elif callable(d.jacobian) or native_of(d.jacobian) is not None:
            found = pattern  # for the closure

            def make(f: Callable[..., Any]) -> Call:
                def call(t: float) -> int:
                    try:
                        value = f(t, self_read())
                    except Refuse:
                        return 1
                    matrix[...] = found.values_of(value, role)
                    return 0

                self_read = self.read
                return call

            self._set_function(ode.jacobian, d.jacobian, role, make)
        else:
            ode.jacobian.form = lib.BRINKPY_FIXED
            matrix[...] = pattern.values_of(d.jacobian, "jacobian")

    def _set_colours(self, pattern: Sparsity) -> None:
        d, ode = self.definition, self.ode
        if any(guard.side == "unilateral" for guard in d.guards):
            raise ArgumentError(
                "sparsity without a jacobian means differences of f, which may look past a "
                "unilateral guard: give a jacobian"
            )
        colours = pattern.colours()
        self.kept.append(colours)
        ode.jacobian.form = lib.BRINKPY_COLOUR
        ode.colours, ode.ncolours = (
            self._pointer(colours, "size_t[]"),
            int(colours.max(initial=0)) + 1,
        )
        ode.moved = self._pointer(self._room(d.nx))
        ode.field = self._pointer(self._room(d.nx))
        ode.moved_field = self._pointer(self._room(d.nx))
        scale = self._room(d.nx) if d.scale is None else d.scale
        self.kept.append(scale)
        ode.scale = self._pointer(scale)

    # ---- the model ----

    def _make_model(self) -> None:
        d, ode = self.definition, self.ode
        definition = ffi.new("brink_model_def *")
        lib.brink_model_defaults(definition, ffi.sizeof("brink_model_def"))
        guards = ffi.new("brink_guard_def[]", max(len(d.guards), 1))
        clocks = ffi.new("brink_clock_def[]", max(len(d.clocks), 1))
        own = ffi.new("brinkpy_guard[]", max(len(d.guards), 1))
        ticks = ffi.new("void *[]", max(len(d.clocks), 1))
        state_names, kept = encode_list(list(d.states.all))
        texts = [ffi.new("char[]", encode(d.name)), kept]
        self.kept += [own, ticks]
        ode.guards, ode.ticks = own, ticks
        self._set_rhs()
        self._set_jacobian(definition)
        for k, guard in enumerate(d.guards):
            texts.append(self._set_guard(guards + k, own + k, guard, d.guard_names.all[k]))
        for k, clock in enumerate(d.clocks):
            texts.append(self._set_clock(clocks + k, k, clock))
        if d.rules is not None:
            ode.rules = self._handle(self._rules(d.rules), f"rules, {describe(d.rules)}")
        if d.zeno is not None:
            ode.zeno = self._handle(self._accumulation(d.zeno), f"zeno, {describe(d.zeno)}")
        ode.slide = self._handle(_noting(self.slides, read_slide), "slides")
        ode.near_miss = self._handle(_noting(self.near_misses, _near_miss), "near misses")
        definition.name = texts[0]
        definition.t0 = -d.t0 if d.backward else d.t0
        definition.nx, definition.np, definition.nmodes = d.nx, d.nparameters, d.nmodes
        definition.x0 = self._pointer(d.x0)
        definition.p0 = self._pointer(d.p0)
        definition.mode0 = self._pointer(d.mode0, "int[]")
        definition.state_names = state_names
        definition.nguards, definition.guards = len(d.guards), guards
        definition.nclocks, definition.clocks = len(d.clocks), clocks
        definition.strict_surfaces = d.strict_surfaces
        constraints, kept = self._set_constraints(definition)
        texts.append(kept)
        if d.series is not None:
            role = f"series, {describe(d.series)},"
            jets = self._room_for_jets()
            self._set_series(
                ode.series, d.series, role, lambda order: (d.nx, order + 1), jets, None
            )
        lib.brinkpy_ode_callbacks(ode, definition, guards, clocks, constraints)
        model, diag = ffi.new("brink_model **"), new_diag()
        check(lib.brink_model_create(definition, ffi.NULL, diag, model), diag)
        self.model = model[0]

    def _set_guard(self, to: Any, own: Any, guard: _guards.Guard, name: str) -> list[Any]:
        """Writes one guard; returns what must live until the model is made."""
        d = self.definition
        role = f"guard {name!r}"
        lib.brink_guard_defaults(to, ffi.sizeof("brink_guard_def"))
        text = ffi.new("char[]", encode(name))
        kept: list[Any] = [text]
        to.name = text
        to.side = as_choice(guard.side, _guards.SIDES, f"{role}: side")
        to.direction = as_direction(guard.direction, f"{role}: direction")
        to.priority = as_int(guard.priority, f"{role}: priority")
        to.surface = as_choice(guard.surface, _guards.SURFACES, f"{role}: surface")
        own.stop_after = _guards.stop_count(guard.stop, name)
        self._set_value(to, own, guard, role, kept)
        to.offset = as_float(guard.offset, f"{role}: offset")
        to.time_coefficient = as_float(guard.time_coefficient, f"{role}: time_coefficient")
        to.degree = as_int(guard.degree, f"{role}: degree")
        to.lipschitz_time = as_float(guard.lipschitz_time, f"{role}: lipschitz_time")
        if guard.lipschitz is not None:
            to.lipschitz = self._numbers(guard.lipschitz, own.ndepends, f"{role}: lipschitz", kept)
        if guard.formula is not None:
            self._set_formula(to, guard.formula, name, kept)
        if guard.timer is not None:
            to.is_timer, to.timer = True, d.parameters.index(guard.timer)
        for field in ("leave_positive", "leave_negative", "same_as"):
            other = getattr(guard, field)
            if other is not None:
                setattr(to, field, d.guard_names.index(other))
        to.inside = as_direction(guard.inside, f"{role}: inside")
        to.at_zero = as_direction(guard.at_zero, f"{role}: at_zero")
        to.same_sign = (
            as_direction(guard.same_sign, f"{role}: same_sign") if guard.same_as is not None else 0
        )
        for flag in ("reads_signs", "condition", "unread", "timeless"):
            setattr(to, flag, bool(getattr(guard, flag)))
        if guard.action is not None:
            own.action = self._handle(
                self._action(guard.action, f"the action of {role}"), f"the action of {role}"
            )
        if guard.on_surface is not None:
            own.on_surface = self._handle(
                self._action(guard.on_surface, f"on_surface of {role}"), f"on_surface of {role}"
            )
        if guard.enabled is not None:
            own.enabled = self._handle(self._enabled(guard.enabled, role), f"enabled of {role}")
        return kept

    def _set_value(
        self, to: Any, own: Any, guard: _guards.Guard, role: str, kept: list[Any]
    ) -> None:
        d = self.definition
        value, coefficients, depends = guard.value, guard.coefficients, guard.depends
        if isinstance(value, str):
            depends, coefficients, value = [value], [1.0], None
            if guard.depends is not None or guard.coefficients is not None:
                raise ArgumentError(
                    f"{role}: a state is its value: depends and coefficients say it twice"
                )
        elif value is not None and not callable(value) and native_of(value) is None:
            if coefficients is not None:
                raise ArgumentError(f"{role}: value is {describe(value)}: give a callable")
            coefficients, value = value, None
        places = (
            list(range(d.nx))
            if depends is None
            else [d.states.index(s) for s in as_list(depends, f"{role}: depends")]
        )
        own.depends, own.ndepends = self._pointer(
            np.array(places or [0], dtype=np.uintp), "size_t[]"
        ), len(places)
        if depends is not None:
            array = ffi.new("size_t[]", places or 1)
            kept.append(array)
            to.depends, to.ndepends = array, len(places)
        if coefficients is not None:
            to.coefficients = self._numbers(
                coefficients, len(places), f"{role}: coefficients", kept
            )
        out = self.out
        if value is not None:
            what = f"{role}, {describe(value)},"
            self._set_function(
                own.value, value, what, lambda g: number_call(g, self.read, out, what)
            )
        if guard.gradient is not None:
            what = f"the gradient of {role}, {describe(guard.gradient)},"
            self._set_function(
                own.gradient,
                guard.gradient,
                what,
                lambda g: _gradient_call(g, self.read, out, len(places), what),
            )

        if guard.jet is not None:
            what = f"the jet of {role}, {describe(guard.jet)},"
            self._set_series(
                own.jet, guard.jet, what, lambda order: (order + 1,), out, self._room_for_jets()
            )

    def _numbers(self, given: Any, count: int, what: str, kept: list[Any]) -> Any:
        array = as_array(given, what, float)
        if array.shape != (count,):
            raise ArgumentError(
                f"{what}: {len(array) if array.ndim == 1 else array.shape} given, {count} expected"
            )
        pointer = ffi.from_buffer("double[]", array if count else np.zeros(1))
        kept.append(pointer)
        return pointer

    def _set_formula(self, to: Any, formula: Any, name: str, kept: list[Any]) -> None:
        words = _guards.postfix(formula, name)
        numbers_ = [
            _guards.OPERATORS[w]
            if isinstance(w, str) and w in _guards.OPERATORS
            else self.definition.guard_names.index(w)
            for w in words
        ]
        array = ffi.new("int[]", numbers_ or 1)
        kept.append(array)
        to.formula, to.formula_length = array, len(numbers_)

    def _set_clock(self, to: Any, k: int, clock: _guards.Clock) -> Any:
        name = self.definition.clock_names.all[k]
        lib.brink_clock_defaults(to, ffi.sizeof("brink_clock_def"))
        text = ffi.new("char[]", encode(name))
        to.name = text
        to.period = (
            0.0 if clock.period is None else as_float(clock.period, f"clock {name!r}: period")
        )
        if clock.period is not None and not to.period > 0.0:
            raise ArgumentError(
                f"clock {name!r}: the period is {clock.period!r}: give a positive number, "
                "or None for a timer"
            )
        to.offset = as_float(clock.offset, f"clock {name!r}: offset")
        to.priority = as_int(clock.priority, f"clock {name!r}: priority")
        if clock.tick is not None:
            role = f"the tick of clock {name!r}"
            self.ode.ticks[k] = self._handle(self._action(clock.tick, role), role)
        return text

    # ---- instants ----

    def _action(self, function: Any, role: str) -> Callable[..., int]:
        if not callable(function):
            raise ArgumentError(f"{role} is {describe(function)}: give a callable")
        d = self.definition

        def call(event: Any, count: int, now: Any) -> int:
            values = Now(now, d)
            returned = function(read_event(event) if event != ffi.NULL else count, values)
            return finish(values, now, d, returned, role)

        return call

    def _rules(self, function: Any) -> Callable[..., int]:
        if not callable(function):
            raise ArgumentError(f"rules is {describe(function)}: give a callable")
        d = self.definition

        def call(now: Any, changed: Any) -> int:
            values = Now(now, d)
            before = changeable(now, d)
            returned = function(values)
            answer = finish(values, now, d, returned, "rules")
            changed[0] = before != changeable(now, d)
            return answer

        return call

    def _accumulation(self, function: Any) -> Callable[..., int]:
        if not callable(function):
            raise ArgumentError(f"zeno is {describe(function)}: give a callable")
        d = self.definition

        def call(guards: Any, count: int, now: Any) -> int:
            values = Now(now, d)
            returned = function([d.guard_names.all[guards[k]] for k in range(count)], values)
            return finish(values, now, d, returned, "zeno")

        return call

    def _enabled(self, function: Any, role: str) -> Call:
        if not callable(function):
            raise ArgumentError(f"enabled of {role} is {describe(function)}: give a callable")
        self._watch_env()
        holder = self.holder
        return lambda t: 0 if function(holder[0]) else 1


def _noting(to: list[Any], read: Callable[[Any], Any]) -> Callable[[Any], int]:
    def note(record: Any) -> int:
        to.append(read(record))
        return 0

    return note


def _near_miss(record: Any) -> NearMiss:
    return NearMiss(decode(record.name), record.t, record.value, record.tolerance, record.distance)


def _gradient_call(
    function: Callable[..., Any],
    read: Callable[[], Any],
    out: NDArray[np.float64],
    count: int,
    role: str,
) -> Call:
    wanted = f"{count} numbers, or a pair of these and the derivative by time"

    def call(t: float) -> int:
        try:
            value = function(t, read())
        except Refuse:
            return 1
        by_time = 0.0
        if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1:
            value, by_time = value
            by_time = numbers(by_time, (1,), role, "a number for the derivative by time")[0]
        out[:count] = numbers(value, (count,), role, wanted)
        out[count] = by_time
        return 0

    return call
