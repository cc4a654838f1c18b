"""Pictures of runs, with matplotlib.

Curves of one unit share an axis. Between the rows of a run the curves come from its dense output, so that a long step does not look
like a straight line. What happens at an instant is drawn as that: the curve ends, and begins anew; a dotted line connects both
ends. What is constant between instants is a staircase. Modes are bands; events are marks, upwards where a guard rose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from brink._errors import ArgumentError, Error
from brink._library import lib
from brink._table import Column, Columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Source", "draw", "new_figure"]

Floats = NDArray[np.float64]

#: more curves than these are drawn only if they are named
MOST_CURVES = 8
#: more rows of modes, and of events, than these are left out
MOST_STRIPS = 8
#: more events than these have no lines across the curves
MOST_LINES = 60
#: points of a curve over the whole time, at least
POINTS = 1000

_BAND_COLOURS = ["#cfe3f5", "#fbdcc4", "#d5ecd0", "#f3d1d6", "#e4d8ef", "#f6eec0", "#d3efec", "#e6ddd5"]
_TRUE_COLOUR = "#9db8d2"
_WITHOUT_WINDOWS = {"agg", "cairo", "pdf", "pgf", "ps", "svg", "template"}


@dataclass(frozen=True)
class Source:
    """What there is to draw: of a result, or of anything else with rows over time."""

    t: Floats
    columns: Columns
    numbers: Floats  #: rows × columns
    event_t: Floats
    event_name: list[str]
    event_direction: NDArray[Any]
    sample: Callable[[Floats, list[int]], Floats]  #: columns at any times; raises Error where that cannot be had
    constants: Collection[str] = ()  #: names of what holds still


# ---- what is drawn ----


def _is_band(column: Column) -> bool:
    return column.type in (lib.BRINK_HSML_STRING, lib.BRINK_HSML_BOOLEAN) or column.kind == "mode"


def _bare(name: str) -> str:
    return re.sub(r"\[[^\]]*\]", "", name)


@dataclass
class _Choice:
    curves: list[int]
    bands: list[int]
    left_out: list[str]  #: names of curves that were not chosen


def _first_of_each(source: Source, places: list[int]) -> list[int]:
    """Not more curves than a picture can bear: of each quantity the first elements."""
    if len(places) <= MOST_CURVES:
        return places
    groups: dict[str, list[int]] = {}
    for place in places:
        groups.setdefault(_bare(source.columns.list[place].name), []).append(place)
    each = max(1, MOST_CURVES // len(groups))
    return sorted(place for group in groups.values() for place in group[:each])[:MOST_CURVES]


def _moves(v: Floats) -> bool:
    """More than by rounding?"""
    v = v[np.isfinite(v)]
    return len(v) > 0 and float(np.ptp(v)) > 1e-9 * float(np.abs(v).max())


def _worth_drawing(source: Source) -> list[int]:
    """Outputs that move. If there is none: states; and beside a single output, of a model with several states, these, too."""
    listed = [(k, c) for k, c in enumerate(source.columns.list) if not _is_band(c)]
    states = [k for k, c in listed if c.kind == "state"]
    outputs = [k for k, c in listed if c.kind == "output" and _moves(source.numbers[:, k])]
    if not outputs:
        return states or [k for k, c in listed if c.kind == "output"]
    return outputs + states if len(outputs) == 1 and len(states) > 1 else outputs


def _choose(source: Source, names: Sequence[str], modes: bool | str | Sequence[str]) -> _Choice:
    listed = list(enumerate(source.columns.list))
    texts = [k for k, c in listed if _is_band(c) and c.type != lib.BRINK_HSML_BOOLEAN]
    if names:
        named = [place for name in names for place in _find(source, name)]
        named = list(dict.fromkeys(named))
        curves = [k for k in named if not _is_band(source.columns.list[k])]
        bands = [k for k in named if k not in curves]
        left_out: list[str] = []
        shown = [*bands, *(k for k in texts if k not in bands)]
    else:
        worth = _worth_drawing(source)
        curves = _first_of_each(source, worth)
        left_out = [source.columns.list[k].name for k in worth if k not in curves]
        bands = []
        shown = [*texts, *(k for k, c in listed if c.type == lib.BRINK_HSML_BOOLEAN and c.kind != "flag")]
    if modes is True:
        bands = shown
    elif modes is not False:
        more = [modes] if isinstance(modes, str) else list(modes)
        bands = [*bands, *(k for name in more for k in _find(source, name))]
        for k in bands:
            if not _is_band(source.columns.list[k]):
                raise ArgumentError(f"{source.columns.list[k].name} has numbers, not modes")
    return _Choice(curves, bands, left_out)


def _find(source: Source, name: str) -> list[int]:
    if not isinstance(name, str):
        raise TypeError(f"columns are found by their names, not by {name!r}")
    if name not in source.columns.place and name in source.constants:
        raise ArgumentError(f"{name} holds still: there is no curve of it")
    return source.columns.find(name)[0]


# ---- curves ----


def _is_held(t: Floats, v: Floats) -> bool:
    """Does it change at instants alone?"""
    same = (v[1:] == v[:-1]) | (np.isnan(v[1:]) & np.isnan(v[:-1]))
    return bool(same[t[1:] != t[:-1]].all())


def _times_between(t: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Times between the rows where these lie far from each other, and before which row each of them belongs."""
    steps = np.abs(np.diff(t))
    spacing = np.abs(t[-1] - t[0]) / POINTS
    if spacing == 0 or not np.isfinite(spacing):
        return np.empty(0), np.empty(0, np.intp)
    counts = np.minimum(np.floor(steps / spacing), POINTS).astype(np.intp)
    rows = np.repeat(np.arange(len(steps)), counts)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    times = t[rows] + (t[rows + 1] - t[rows]) * rank / (counts[rows] + 1)
    inside = (times != t[rows]) & (times != t[rows + 1])
    return times[inside], rows[inside] + 1


@dataclass
class _Curve:
    column: Column
    t: Floats
    v: Floats
    held: bool
    dense: bool  #: False: rows that straight lines connect


def _curves(source: Source, places: list[int]) -> tuple[list[_Curve], str]:
    """The curves, and why they have no values between rows; "": they have them."""
    t, why = source.t, ""
    held = {k: _is_held(t, source.numbers[:, k]) for k in places}
    moving = [k for k in places if not held[k] and source.columns.list[k].type == lib.BRINK_HSML_REAL]
    fine = dict[int, Floats]()
    fine_t = t
    if moving and len(t) > 1:
        times, before = _times_between(t)
        if len(times):
            try:
                values = source.sample(times, moving)
                fine_t = np.insert(t, before, times)
                fine = {k: np.insert(source.numbers[:, k], before, values[:, j]) for j, k in enumerate(moving)}
            except Error as error:
                why = error.message
    made = []
    for k in places:
        column = source.columns.list[k]
        flat = held[k] or column.type != lib.BRINK_HSML_REAL
        if k in fine:
            made.append(_Curve(column, fine_t, fine[k], False, True))
        else:
            made.append(_Curve(column, t, source.numbers[:, k], flat, flat or not why))
    return made, why


def _break_at_jumps(t: Floats, v: Floats) -> tuple[Floats, Floats, NDArray[np.float64]]:
    """The curve with gaps where it jumps, and the jumps: n × 2 × 2, their lower and upper ends."""
    jumps = np.flatnonzero((t[1:] == t[:-1]) & (v[1:] != v[:-1]) & ~np.isnan(v[1:]) & ~np.isnan(v[:-1]))
    ends = np.stack([np.stack([t[jumps], v[jumps]], 1), np.stack([t[jumps + 1], v[jumps + 1]], 1)], 1)
    return np.insert(t, jumps + 1, t[jumps]), np.insert(v, jumps + 1, np.nan), ends


def _draw_curve(ax: Axes, curve: _Curve, label: str | None, **style: Any) -> None:
    from matplotlib.collections import LineCollection

    if curve.held:
        ax.plot(curve.t, curve.v, drawstyle="steps-post", label=label, **style)
        return
    t, v, jumps = _break_at_jumps(curve.t, curve.v)
    marker = None if curve.dense else "."
    (line,) = ax.plot(t, v, label=label, marker=marker, markersize=3, **style)
    if len(jumps):
        dots = LineCollection(
            list(jumps), colors=[line.get_color()], linestyles=[":"], linewidths=[0.8], alpha=0.7
        )
        ax.add_collection(dots, autolim=False)


def _draw_curves(ax: Axes, curves: list[_Curve]) -> None:
    groups: dict[str, list[_Curve]] = {}
    for curve in curves:
        groups.setdefault(_bare(curve.column.name), []).append(curve)
    unit = curves[0].column.unit
    for name, group in groups.items():
        if len(group) <= MOST_CURVES:
            for curve in group:
                _draw_curve(ax, curve, curve.column.name, linewidth=1.4)
        else:
            _draw_crowd(ax, name, group)
    whole = [c.column.name for c in curves] if len(curves) == 1 else list(groups)
    name = whole[0] if len(whole) == 1 else ""
    ax.set_ylabel(" ".join(filter(None, [name, f"[{unit}]" if unit else ""])))
    if curves[0].column.type == lib.BRINK_HSML_INTEGER:
        from matplotlib.ticker import MaxNLocator

        ax.yaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_crowd(ax: Axes, name: str, group: list[_Curve]) -> None:
    """Many curves of one quantity: thin, from blue to yellow by their number, and one entry of the legend."""
    from matplotlib import colormaps

    shades = colormaps["viridis"](np.linspace(0.0, 0.9, len(group)))
    for k, curve in enumerate(group):
        label = f"{name} ({len(group)})" if k == len(group) // 2 else None
        _draw_curve(ax, curve, label, color=shades[k], linewidth=0.8)


# ---- modes ----


def _spans(t: Floats, v: Floats) -> dict[float, list[tuple[float, float]]]:
    """Where a column has each of its values: starts and lengths."""
    changes = np.flatnonzero(v[1:] != v[:-1]) + 1
    starts = np.concatenate([[0], changes])
    ends = np.concatenate([changes, [len(t) - 1]])
    spans: dict[float, list[tuple[float, float]]] = {}
    for a, b in zip(starts.tolist(), ends.tolist()):
        if t[b] != t[a]:
            first, last = sorted((float(t[a]), float(t[b])))
            spans.setdefault(float(v[a]), []).append((first, last - first))
    return spans


def _value_text(column: Column, value: float) -> str:
    if column.type == lib.BRINK_HSML_STRING:
        known = 0 <= value < len(column.labels)
        return column.labels[int(value)] if known else ""
    if column.type == lib.BRINK_HSML_BOOLEAN:
        return "true" if value else "false"
    return f"{value:g}"


class _Bands:
    """Bands of modes, one colour for each word."""

    def __init__(self) -> None:
        self.colours: dict[str, str] = {}

    def _colour(self, text: str) -> str:
        return self.colours.setdefault(text, _BAND_COLOURS[len(self.colours) % len(_BAND_COLOURS)])

    def draw(self, ax: Axes, source: Source, place: int, bottom: float, height: float, behind: bool) -> None:
        """Of one column: behind the curves of `ax`, from the bottom to the top; else a row of bars."""
        from matplotlib.collections import PolyCollection

        column = source.columns.list[place]
        boolean = column.type == lib.BRINK_HSML_BOOLEAN
        for value, spans in sorted(_spans(source.t, source.numbers[:, place]).items()):
            if boolean and value == 0:
                continue
            text = _value_text(column, value)
            colour = _TRUE_COLOUR if boolean and not behind else self._colour(text)
            top = bottom + height
            corners = [[(x, bottom), (x, top), (x + w, top), (x + w, bottom)] for x, w in spans]
            bars = PolyCollection(
                corners,
                facecolors=[colour],
                edgecolors="none",
                zorder=0.1,
                transform=ax.get_xaxis_transform() if behind else ax.transData,
                label=f"_{column.name}: {text}",
            )
            ax.add_collection(bars, autolim=False)
            if not behind and not boolean:
                _name_bars(ax, source, text, spans, bottom + height / 2)

    def legend(self, ax: Axes, title: str) -> None:
        """Which colour is which word, above the picture."""
        from matplotlib.patches import Patch

        if not self.colours:
            return
        words = {text: f"{title} = {text}" if title else text for text in self.colours}
        handles = [Patch(facecolor=c, label=words[text]) for text, c in self.colours.items()]
        first = ax.get_legend()
        ax.legend(
            handles=handles,
            loc="lower right",  # the left corner is for a power of ten
            bbox_to_anchor=(1.0, 1.0),
            ncol=min(len(handles), 9),
            fontsize=8,
            frameon=False,
            borderaxespad=0.1,
            handlelength=1.2,
            columnspacing=1.0,
        )
        if first is not None:
            ax.add_artist(first)


def _name_bars(
    ax: Axes, source: Source, text: str, spans: list[tuple[float, float]], y: float
) -> None:
    """Writes a word into the bars that have room for it."""
    whole = abs(float(source.t[-1] - source.t[0]))
    for start, length in spans:
        if length > 0.012 * (len(text) + 1) * whole:  # a letter of 7 points in a picture of 8 inches
            ax.text(start + length / 2, y, text, ha="center", va="center", fontsize=7, clip_on=True)


# ---- events ----


@dataclass
class _Mark:
    name: str
    rising: Floats
    falling: Floats
    neither: Floats  #: ticks of clocks, …

    @property
    def all(self) -> Floats:
        return np.concatenate([self.rising, self.falling, self.neither])


def _marks(source: Source, events: bool | str | Sequence[str]) -> list[_Mark]:
    """Events by flag; those of agents and of elements together."""
    if events is False or len(source.event_t) == 0:
        return []
    names = np.array(source.event_name)
    bare = np.array([_bare(name) for name in source.event_name])
    if events is True:
        wanted = list(dict.fromkeys(bare.tolist()))
    else:
        wanted = [events] if isinstance(events, str) else list(events)
    made = []
    for name in wanted:
        chosen = (bare == name) | (names == name)
        sign = np.sign(source.event_direction)
        made.append(_Mark(name, *(source.event_t[chosen & (sign == s)] for s in (1, -1, 0))))
    return made


def _draw_lines(axes: list[Axes], marks: list[_Mark]) -> None:
    """Thin lines across the curves, if there are few events."""
    from matplotlib.collections import LineCollection

    times = np.unique(np.concatenate([mark.all for mark in marks])) if marks else np.empty(0)
    if 0 < len(times) <= MOST_LINES:
        for ax in axes:
            lines = [[(t, 0.0), (t, 1.0)] for t in times.tolist()]
            across = ax.get_xaxis_transform()
            ax.add_collection(
                LineCollection(lines, colors="0.6", linewidths=0.5, zorder=0.5, transform=across, label="_events"),
                autolim=False,
            )


def _draw_mark(ax: Axes, mark: _Mark, y: float, **style: Any) -> None:
    for times, marker, sign in ((mark.rising, "^", "+"), (mark.falling, "v", "-"), (mark.neither, "d", "")):
        if len(times):
            label = f"_{mark.name} {sign}".rstrip()
            ax.plot(times, np.full(len(times), y), marker, markersize=5, label=label, **style)


# ---- the picture ----


def new_figure(width: float, height: float) -> Figure:
    """A figure of its own. Where there are windows, pyplot gets to know it, so that pyplot.show() shows it."""
    import matplotlib

    backend = matplotlib.get_backend().lower()
    if backend in _WITHOUT_WINDOWS or backend.endswith("backend_inline"):
        from brink._figure import OwnFigure

        return OwnFigure(figsize=(width, height), layout="constrained")
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def _panels(curves: list[_Curve]) -> list[list[_Curve]]:
    """Curves that share an axis: of one unit, numbers and integers apart."""
    panels: dict[tuple[str, bool], list[_Curve]] = {}
    for curve in curves:
        key = (curve.column.unit, curve.column.type == lib.BRINK_HSML_INTEGER)
        panels.setdefault(key, []).append(curve)
    return list(panels.values())


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _notes(choice: _Choice, bands: list[int], marks: list[_Mark], why: str, source: Source) -> list[str]:
    """What the picture does not show."""
    notes = []
    if choice.left_out:
        notes.append(f"left out: {_some(choice.left_out)} ({len(choice.left_out)} in all)")
    if len(bands) > MOST_STRIPS:
        rest = [source.columns.list[k].name for k in bands[MOST_STRIPS:]]
        notes.append(f"modes left out: {_some(rest)} ({len(rest)} in all)")
    if len(marks) > MOST_STRIPS:
        rest = [mark.name for mark in marks[MOST_STRIPS:]]
        notes.append(f"events left out: {_some(rest)} ({len(rest)} in all)")
    if why:
        notes.append(f"straight lines between rows: {why}")
    return notes


def _legend(ax: Axes, panel: list[_Curve]) -> None:
    if len(panel) > 1:
        ax.legend(loc="best", fontsize=8, framealpha=0.8, ncol=1 + (len(panel) > 4))


def _set_limits(ax: Axes, t: Floats) -> None:
    first, last = float(t.min()), float(t.max())
    if last > first:
        margin = 0.01 * (last - first)
        ax.set_xlim(first - margin, last + margin)


def _draw_strip(ax: Axes, source: Source, bands: list[int], marks: list[_Mark], colours: _Bands) -> None:
    """Rows of bars for modes, then rows of marks for events."""
    labels = [source.columns.list[k].name for k in bands] + [mark.name for mark in marks]
    for row, place in enumerate(bands):
        colours.draw(ax, source, place, row - 0.4, 0.8, behind=False)
    for row, mark in enumerate(marks, len(bands)):
        _draw_mark(ax, mark, row, color="0.25")
    ax.set_yticks(range(len(labels)), labels, fontsize=8)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def draw(
    source: Source,
    names: Sequence[str] = (),
    *,
    ax: Axes | None = None,
    events: bool | str | Sequence[str] = True,
    modes: bool | str | Sequence[str] = True,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
) -> Any:
    """The picture: a figure of its own, or, in `ax`, that."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install matplotlib, or the Debian package python3-matplotlib"
        ) from error
    if len(source.t) == 0:
        raise ArgumentError("the run has no rows: there is nothing to draw")
    choice = _choose(source, names, modes)
    marks = _marks(source, events)
    if not choice.curves and not choice.bands and not marks:
        raise ArgumentError("there is nothing to draw: no column changes" if not names else "nothing is named")
    curves, why = _curves(source, choice.curves)
    notes = _notes(choice, choice.bands, marks, why, source)
    bands, marks = choice.bands[:MOST_STRIPS], marks[:MOST_STRIPS]
    if ax is not None:
        return _draw_into(ax, source, curves, bands, marks, notes, title)
    return _draw_figure(source, curves, bands, marks, notes, title, figsize)


def _draw_into(
    ax: Axes,
    source: Source,
    curves: list[_Curve],
    bands: list[int],
    marks: list[_Mark],
    notes: list[str],
    title: str | None,
) -> Axes:
    """Into axes of the caller: curves, the first mode behind them, events along the lower edge."""
    units = {curve.column.unit for curve in curves}
    if len(units) > 1:
        listed = ", ".join(sorted(repr(unit) for unit in units))
        raise ArgumentError(f"one axis cannot have the units {listed}: name columns of one unit, or leave ax out")
    if curves:
        _draw_curves(ax, curves)
    colours = _Bands()
    for place in bands[:1]:
        colours.draw(ax, source, place, 0.0, 1.0, behind=True)
    _draw_lines([ax], marks)
    for k, mark in enumerate(marks):
        style = {"color": f"C{9 - k % 10}", "transform": ax.get_xaxis_transform(), "clip_on": False}
        _draw_mark(ax, mark, 0.0, scalex=False, scaley=False, **style)
        ax.plot([], [], "^", color=style["color"], markersize=5, label=mark.name)
    if len(curves) > 1 or marks:
        ax.legend(loc="best", fontsize=8, framealpha=0.8)
    colours.legend(ax, source.columns.list[bands[0]].name if bands else "")
    notes = [*notes, *(f"mode left out: {source.columns.list[k].name}" for k in bands[1:])]
    _set_limits(ax, source.t)
    ax.set_xlabel("\n".join(["t", *notes]))
    if title is not None:
        ax.set_title(title)
    return ax


def _draw_figure(
    source: Source,
    curves: list[_Curve],
    bands: list[int],
    marks: list[_Mark],
    notes: list[str],
    title: str | None,
    figsize: tuple[float, float] | None,
) -> Figure:
    panels = _panels(curves)
    behind = bands if len(bands) == 1 and panels else []
    strips = [] if behind else bands
    rows = len(strips) + len(marks)
    heights = [3.2 if len(panels) == 1 else 1.9] * len(panels) + ([0.26 * rows + 0.1] if rows else [])
    width, height = figsize or (8.0, sum(heights) + 0.8)
    figure = new_figure(width, height)
    axes = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0].tolist()
    colours = _Bands()
    for ax, panel in zip(axes, panels):
        for place in behind:
            colours.draw(ax, source, place, 0.0, 1.0, behind=True)
        _draw_curves(ax, panel)
        _legend(ax, panel)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    _draw_lines(axes[: len(panels)], marks)
    if rows:
        _draw_strip(axes[-1], source, strips, marks, colours)
    colours.legend(axes[0] if behind else axes[-1], source.columns.list[behind[0]].name if behind else "")
    _set_limits(axes[-1], source.t)
    axes[-1].set_xlabel("t")
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=7, x=0.01, ha="left", color="0.35")
    if title is not None:
        figure.suptitle(title)
    return figure
