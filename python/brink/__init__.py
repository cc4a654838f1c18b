"""Brink: simulate hybrid systems, and never look past a guard."""

from brink._errors import (
    ArgumentError,
    Error,
    FileError,
    Interrupted,
    Message,
    ModelError,
    SimulationError,
    UnsupportedError,
)
from brink import integrate
from brink._callables import Refuse, native
from brink._events import Event, Events
from brink._example import example, examples
from brink._guards import Clock, Constraints, Guard
from brink._inputs import Function
from brink._instant import STOP, Env, NearMiss, Now, OdeEvent, Slide
from brink._library import version as _version
from brink._live import Run, Step
from brink._model import Model, Quantities, Quantity, load
from brink._ode import Ode, OdeRun, ode
from brink._result import Result
from brink._sensitivity import Sensitivity
from brink._solution import OdeEvents, OdeSensitivity, Solution
from brink._stats import OdeStats, Stats
from brink._warnings import ModelWarning, RunWarning
from brink._table import Column, Table

__version__ = _version()

__all__ = [
    "STOP",
    "ArgumentError",
    "Clock",
    "Column",
    "Constraints",
    "Env",
    "Error",
    "Event",
    "Events",
    "FileError",
    "Function",
    "Guard",
    "Interrupted",
    "Message",
    "Model",
    "ModelError",
    "ModelWarning",
    "NearMiss",
    "Now",
    "Ode",
    "OdeEvent",
    "OdeEvents",
    "OdeRun",
    "OdeSensitivity",
    "OdeStats",
    "Quantities",
    "Quantity",
    "Refuse",
    "Result",
    "Run",
    "RunWarning",
    "Sensitivity",
    "SimulationError",
    "Slide",
    "Solution",
    "Stats",
    "Step",
    "Table",
    "UnsupportedError",
    "example",
    "examples",
    "integrate",
    "load",
    "native",
    "ode",
]
