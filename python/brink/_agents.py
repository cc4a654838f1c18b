"""Populations: the coordinates of all agents as one array, and moving pictures of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from brink._errors import ArgumentError
from brink._library import lib
from brink._table import Columns

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes

__all__ = ["Axis", "animate", "check_plane", "find_axes", "moving_places", "pick_axes", "renumber"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """The columns of one coordinate, in the order of the agents."""

    agents: list[str]  #: "car[1]", "car[2]", …; where the coordinate itself has the indices, its elements: "road.x[1]"
    constant: bool  #: the places are those of constants
    places: list[int]


def _pattern(path: str) -> str:
    """What a name matches: an index that is not given may be any."""
    parts = path.split(".") if path else []
    return r"\.".join(
        re.escape(part) + ("" if part.endswith("]") else r"(?:\[[^\]]*\])?") for part in parts
    )


def _order(name: str) -> tuple[int, ...]:
    return tuple(int(k) for part in re.findall(r"\[([^\]]*)\]", name) for k in part.split(","))


def _matching(columns: Columns, group: str, axis: str) -> tuple[list[int], list[str]]:
    """The places of a coordinate of all agents, by index, and the names of the agents."""
    prime = "'" if axis.endswith("'") else ""
    last = _pattern(axis.removesuffix("'")) + prime
    whole = re.compile(rf"({_pattern(group)})\.{last}" if group else f"(){last}")
    found = [(k, m) for k, c in enumerate(columns.list) if (m := whole.fullmatch(c.name))]
    found.sort(key=lambda pair: _order(pair[1].group(0)))
    agents = [m.group(1) for _, m in found]
    if len(set(agents)) < len(agents):
        agents = [m.group(0) for _, m in found]
    return [k for k, _ in found], agents


def find_axes(columns: Columns, constants: Columns, group: str, axes: Sequence[str]) -> list[Axis]:
    """The coordinates of a group; KeyError: it has none of that name."""
    if isinstance(axes, str):
        axes = (axes,)
    if len(axes) == 0:
        raise ArgumentError("axes is empty: name the coordinates")
    made: list[Axis] = []
    for axis in axes:
        of, constant = columns, False
        places, agents = _matching(columns, group, axis)
        if not places:
            of, constant = constants, True
            places, agents = _matching(constants, group, axis)
        if not places:
            raise KeyError(_unknown([columns, constants], group, axis))
        if any(of.list[k].type == lib.BRINK_HSML_STRING for k in places):
            raise ArgumentError(f"{of.list[places[0]].name} has texts: it is no coordinate")
        made.append(Axis(agents, constant, places))
    if len({len(axis.places) for axis in made}) > 1:
        counts = ", ".join(f"{len(a.places)} of {name}" for name, a in zip(axes, made))
        raise ArgumentError(f"{group}: each agent must have all coordinates, but there are {counts}")
    return made


def _unknown(both: list[Columns], group: str, axis: str) -> str:
    names = [column.name for columns in both for column in columns.list]
    head = re.compile(_pattern(group) + r"\.(.+)" if group else "(.+)")
    has = dict.fromkeys(re.sub(r"\[[^\]]*\]", "", m.group(1)) for n in names if (m := head.fullmatch(n)))
    if has:
        return f"{group or 'the model'} has no {axis!r}; it has: {', '.join(has)}"
    groups = dict.fromkeys(re.sub(r"\[[^\]]*\]", "", n).rpartition(".")[0] for n in names)
    return f"there are no {group!r}; there are: {', '.join(filter(None, groups))}"


def pick_axes(array: Floats, constants: Floats, axes: list[Axis]) -> Floats:
    """Rows × agents × coordinates; a view of `array` where the places of the columns are regular, as they are as a rule."""
    count = len(axes[0].places)
    places = np.array([axis.places for axis in axes]).T
    if not any(axis.constant for axis in axes):
        over_agents = int(places[1, 0] - places[0, 0]) if count > 1 else 0
        over_axes = int(places[0, 1] - places[0, 0]) if len(axes) > 1 else 0
        agent, axis = np.indices(places.shape)
        if len(array) and (places == places[0, 0] + over_agents * agent + over_axes * axis).all():
            row, column = array.strides
            return np.lib.stride_tricks.as_strided(
                array[:, places[0, 0] :],
                (len(array), count, len(axes)),
                (row, column * over_agents, column * over_axes),
                writeable=False,
            )
    made = np.empty((len(array), count, len(axes)))
    for k, which in enumerate(axes):
        made[:, :, k] = (constants[np.newaxis] if which.constant else array)[:, which.places]
    return made


def moving_places(axes: list[Axis]) -> list[int]:
    """The columns that have to be read, each once."""
    return sorted({place for axis in axes if not axis.constant for place in axis.places})


def renumber(axes: list[Axis], places: list[int]) -> list[Axis]:
    """The same coordinates in a table that has only the columns `places`."""
    where = {place: k for k, place in enumerate(places)}
    return [a if a.constant else Axis(a.agents, False, [where[k] for k in a.places]) for a in axes]


def animate(
    t: Floats, points: Floats, labels: tuple[str, str], *, ax: Axes | None, interval: float, trail: int
) -> FuncAnimation:
    """Points that move: frames × agents × 2."""
    from matplotlib import colormaps
    from matplotlib.animation import FuncAnimation
    from matplotlib.collections import LineCollection

    from brink._plot import new_figure

    if ax is None:
        ax = new_figure(5.0, 5.2).subplots()
    count = points.shape[1]
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, count))
    dots = ax.scatter(points[0, :, 0], points[0, :, 1], c=colours, s=24, zorder=3)
    lines = LineCollection([], colors=colours, linewidths=0.8, alpha=0.6)
    ax.add_collection(lines, autolim=False)
    _set_square(ax, points)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    title = ax.set_title("")

    def show(frame: int) -> list[Any]:
        dots.set_offsets(points[frame])
        first = max(0, frame - trail)
        lines.set_segments(list(points[first : frame + 1].transpose(1, 0, 2)) if trail else [])
        title.set_text(f"t = {t[frame]:.4g}")
        return [dots, lines, title]

    figure = ax.figure
    if figure is None:
        raise ArgumentError("ax belongs to no figure")
    return FuncAnimation(figure, show, frames=len(t), interval=interval, repeat=False)


def _set_square(ax: Axes, points: Floats) -> None:
    """Limits that all frames share, with one scale for both axes."""
    flat = points.reshape(-1, 2)
    flat = flat[np.isfinite(flat).all(axis=1)]
    if len(flat):
        low, high = flat.min(axis=0), flat.max(axis=0)
        margin = 0.05 * max(float((high - low).max()), 1e-9)
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(low[1] - margin, high[1] + margin)
    ax.set_aspect("equal")


def check_plane(axes: Sequence[str]) -> None:
    if isinstance(axes, str) or len(axes) != 2:
        raise ArgumentError(f"a moving picture needs two axes, not {axes!r}")
