"""Populations: positions as arrays, against the files that the program writes."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import brink


def written(program: Path, model: Path, file: Path, *options: str) -> dict[str, NDArray[np.float64]]:
    """The columns that the program writes, numbers alone."""
    subprocess.run([program, "run", model, "--out", file, "--quiet", *options], check=True, capture_output=True)
    with open(file, newline="") as f:
        names, *rows = csv.reader(f)
    table = {}
    for k, name in enumerate(names):
        try:
            table[name] = np.array([float(row[k]) for row in rows])
        except ValueError:
            continue
    return table


CASES = [
    ("bumper-cars", "car", ("x", "y"), [(f"car[{k}].x", f"car[{k}].y") for k in range(1, 21)]),
    ("bumper-cars", "car", ("theta", "x", "v"), [(f"car[{k}].theta", f"car[{k}].x", f"car[{k}].v") for k in range(1, 21)]),
    ("bumper-cars", "car[7]", ("x", "y"), [("car[7].x", "car[7].y")]),
    ("billiard", "ball", ("p[1]", "p[2]"), [("ball.p[1]", "ball.p[2]")]),
    ("car-following", "road", ("x",), [(f"road.x[{k}]",) for k in range(1, 11)]),
    ("car-following", "road", ("x", "v"), [(f"road.x[{k}]", f"road.v[{k}]") for k in range(1, 11)]),
]


@pytest.mark.parametrize(("name", "group", "axes", "columns"), CASES)
def test_positions_are_the_columns_of_the_program(
    name: str,
    group: str,
    axes: tuple[str, ...],
    columns: list[tuple[str, ...]],
    program: Path,
    models: Path,
    tmp_path: Path,
) -> None:
    r = brink.example(name).run()
    found = r.positions(group, axes)
    table = written(program, models / name / "model.hsml", tmp_path / "rows.csv")
    wanted = np.stack([np.stack([table[c] for c in agent], 1) for agent in columns], 1)
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted)


def test_positions_are_not_copied() -> None:
    r = brink.example("bumper-cars").run(until=5)
    p = r.positions("car")
    assert np.shares_memory(p, r.table.array) and not p.flags.writeable
    wanted = p.copy()
    del r
    assert np.array_equal(p, wanted), "the array keeps the run alive"


def test_positions_at_times_are_the_rows_of_a_grid(program: Path, models: Path, tmp_path: Path) -> None:
    """--every asks the program for the same times; it walks its own way there."""
    r = brink.example("bumper-cars").run(until=20)
    model = models / "bumper-cars" / "model.hsml"
    table = written(program, model, tmp_path / "grid.csv", "--every", "0.5", "--until", "20")
    grid = np.arange(41) * 0.5
    rows = [int(np.flatnonzero(table["time"] == t)[-1]) for t in grid]
    p = r.positions("car", t=grid)
    for k in range(20):
        for j, axis in enumerate("xy"):
            assert np.allclose(p[:, k, j], table[f"car[{k + 1}].{axis}"][rows], rtol=0, atol=1e-12)


def test_one_system_and_clocks_of_their_own_agree() -> None:
    model = brink.example("bumper-cars")
    own = model.run(until=5, rtol=1e-10, atol=1e-12)
    one = model.run(until=5, rtol=1e-10, atol=1e-12, options={"clocks": "one"})
    assert own.stats.agents == 20 and one.stats.agents == 0
    t = np.linspace(0, 5, 57)
    assert np.abs(own.positions("car", t=t) - one.positions("car", t=t)).max() < 1e-7
    assert own.agents("car") == one.agents("car") == [f"car[{k}]" for k in range(1, 21)]


@pytest.mark.parametrize("options", [{}, {"clocks": "one"}])
def test_at_an_event_values_are_those_after_it(options: dict[str, str]) -> None:
    r = brink.example("bumper-cars").run(until=20, options=options)
    t = np.unique(r.events.t)
    assert len(t) > 20
    last = np.searchsorted(r.t, t, side="right") - 1
    assert np.allclose(r(t).array, r.table.array[last], rtol=0, atol=1e-12)
    first = np.searchsorted(r.t, t, side="left")
    assert (np.abs(r.table.array[first] - r.table.array[last]).max(axis=1) > 1e-3).all()


def test_times_in_any_order_and_number() -> None:
    r = brink.example("bumper-cars").run(until=10)
    t = np.array([7.5, 0.0, 3.25, 10.0, 3.25])
    p = r.positions("car", t=t)
    for k, one in enumerate(t):
        assert np.array_equal(p[k], r.positions("car", t=one))
    assert r.positions("car", t=[]).shape == (0, 20, 2)
    assert r(3.25, "car.x").shape == (20,)
    assert r(3.25, "car[2].x") == p[2, 1, 0]
    for wrong in (-0.5, 10.5, float("nan")):
        with pytest.raises(brink.ArgumentError, match="from 0 to 10"):
            r.positions("car", t=wrong)
    with pytest.raises(brink.ArgumentError, match="2-D"):
        r.positions("car", t=[[1.0]])


def test_agents_that_stop_have_values_to_the_end() -> None:
    r = brink.example("spirals").run()
    assert r.status == "stopped" and r.stats.agents == 2
    t = np.linspace(0, r.t_end, 40)
    assert np.array_equal(r(t).array[-1], r.table.array[-1])


def test_what_rows_alone_have_is_left_out_between_them() -> None:
    """Agents keep derivatives in the rows alone."""
    r = brink.example("bumper-cars").run(until=2, keep="car[1].x, car[1].x', car[2].x")
    assert "car[1].x'" in r and "car[1].x'" not in r(1.0)
    assert r(1.0)["car[2].x"] == r(1.0, "car[2].x")
    with pytest.raises(brink.UnsupportedError, match="clocks"):
        r(1.0, "car[1].x'")
    one = brink.example("bumper-cars").run(until=2, keep="car[1].x, car[1].x'", options={"clocks": "one"})
    h = 1e-5
    slope = (one(1.0 + h, "car[1].x") - one(1.0 - h, "car[1].x")) / (2 * h)
    assert one(1.0, "car[1].x'") == pytest.approx(slope, abs=1e-6)


def test_coordinates_may_hold_still() -> None:
    r = brink.example("bumper-cars").run(until=2)
    p = r.positions("car", ("x", "r"))
    assert np.array_equal(p[:, :, 0], r["car.x"]) and np.array_equal(p[:, :, 1], r["car.r"])
    assert np.array_equal(r.positions("car", ("r",), t=1.0), p[0, :, 1:])


def test_unknown_groups_and_axes() -> None:
    r = brink.example("bumper-cars").run(until=1)
    with pytest.raises(KeyError, match="car has no 'z'; it has: x, y, theta"):
        r.positions("car", ("x", "z"))
    with pytest.raises(KeyError, match="there are no 'truck'; there are: car"):
        r.positions("truck")
    with pytest.raises(brink.ArgumentError, match="empty"):
        r.positions("car", ())
    rooms = brink.example("thermostat").run(until=1)
    with pytest.raises(brink.ArgumentError, match="texts"):
        rooms.positions("room", ("heater",))


def test_a_moving_picture_has_the_positions() -> None:
    figures = pytest.importorskip("matplotlib.figure")
    r = brink.example("bumper-cars").run(until=4)
    t = np.linspace(0, 4, 9)
    ax = figures.Figure().subplots()
    animation = r.animate("car", t=t, ax=ax, trail=3)
    points = r.positions("car", t=t)
    page = animation.to_jshtml()
    assert page.count("data:image/png") >= len(t)
    animation._func(5)
    assert np.array_equal(ax.collections[0].get_offsets(), points[5])
    assert np.array_equal(ax.collections[1].get_segments()[2], points[2:6, 2])
    assert ax.get_title() == "t = 2.5"
    with pytest.raises(brink.ArgumentError, match="two axes"):
        r.animate("car", ("x",))
