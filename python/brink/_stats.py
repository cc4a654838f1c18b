"""What a run has cost."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from brink._library import decode, decode_or_none, lib

__all__ = ["OdeStats", "Stats"]


@dataclass(frozen=True)
class OdeStats:
    """What a run has cost. See brink_stats of <brink/brink.h>."""

    steps: int
    rejected: int
    rhs: int
    guards: int
    roots: int
    refused_outside: int
    rhs_past_guard: int
    events: int
    near_misses: int
    restarts: int
    method: str  #: that was used
    reason: str | None  #: why, if it was chosen by auto
    newton: int
    jacobians: int
    factorisations: int
    projections: int
    largest_correction: float


@dataclass(frozen=True)
class Stats(OdeStats):
    """The same of a run of a model in HSML."""

    agents: int  #: with clocks of their own; 0: a single system
    engine: str  #: "clang", "cc", "cache", "interpreter"
    engine_reason: str  #: why it is interpreted, if nobody asked for that
    compile_seconds: float


def _counts(stats: Any) -> dict[str, Any]:
    found = {field.name: getattr(stats, field.name) for field in fields(OdeStats)}
    found["method"] = decode(lib.brink_method_name(stats.method))
    found["reason"] = decode_or_none(stats.reason)
    return found


def stats_of_sim(stats: Any) -> OdeStats:
    """Of a brink_stats."""
    return OdeStats(**_counts(stats))


def stats_of_run(run: Any) -> Stats:
    """Of a brink_run."""
    info = lib.brink_run_information(run)
    return Stats(
        **_counts(info.stats),
        agents=info.agents,
        engine=decode(info.engine),
        engine_reason=decode(info.engine_reason),
        compile_seconds=info.compile_seconds,
    )
