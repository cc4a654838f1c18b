"""Pictures and pages: what the artists hold, not how pixels look."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import brink
from brink import _html

matplotlib = pytest.importorskip("matplotlib")

from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402

G = 9.81

DECAY = """
ctc Decay is
  body
    declarations
      state(x, real);
      state(y, real);
    end declarations;
    initial x := 1.0; y := 2.0; end initial;
    dynamics
      x' = -x;
      y' = -y;
    end dynamics;
  end body;
end Decay;
"""


def line_of(ax: Any, label: str) -> Any:
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return found


def collections(ax: Any, kind: type, label: str | None = None) -> list[Any]:
    return [c for c in ax.collections if type(c) is kind and (label is None or c.get_label() == label)]


def note_of(figure: Any) -> str:
    return figure._supxlabel.get_text() if figure._supxlabel is not None else ""


# ---- curves ----


def test_between_rows_a_curve_is_the_solution() -> None:
    r = brink.example("bouncing-ball").run(until=0.4)
    (ax, *_) = r.plot().axes
    t, y = line_of(ax, "ball.y").get_data()
    assert len(t) > 900 and len(r.t) < 50
    assert np.abs(y - (1 - G * t**2 / 2)).max() < 1e-8


def test_a_jump_is_a_gap_with_a_dotted_line() -> None:
    r = brink.example("bouncing-ball").run(until=2)
    ax = r.plot().axes[0]
    t, v = line_of(ax, "ball.v").get_data()
    assert np.array_equal(np.unique(t[np.isnan(v)]), r.events.t)
    (dots,) = collections(ax, LineCollection)[:1]
    ends = np.array(dots.get_segments())
    before, after = [e.before["ball.v"] for e in r.events], [e.after["ball.v"] for e in r.events]
    assert np.array_equal(ends[:, :, 0], np.stack([r.events.t, r.events.t], 1))
    assert np.array_equal(ends[:, :, 1], np.stack([before, after], 1))
    assert np.allclose(after, -0.8 * np.array(before), rtol=1e-12)
    assert not np.isnan(line_of(ax, "ball.y").get_ydata()).any(), "the height does not jump"


def test_every_row_is_on_the_curve() -> None:
    r = brink.example("gear-box").run()
    assert len(r.t) < 50
    t, v = r.plot("car.v").axes[0].lines[0].get_data()
    at = {(a, b) for a, b in zip(t.tolist(), v.tolist())}
    assert {(a, b) for a, b in zip(r.t.tolist(), r["car.v"].tolist())} <= at
    between = ~np.isin(t, r.t) & ~np.isnan(v)
    assert between.sum() > 900
    assert np.array_equal(v[between], r(t[between], "car.v"))


def test_what_changes_at_instants_alone_is_a_staircase() -> None:
    r = brink.example("sampled-thermostat").run()
    line = r.plot("control.switches").axes[0].lines[0]
    assert line.get_drawstyle() == "steps-post"
    assert np.array_equal(line.get_xdata(), r.t)
    assert np.array_equal(line.get_ydata(), r["control.switches"])
    curve = r.plot("room.T").axes[0].lines[0]
    assert curve.get_drawstyle() == "default"


def test_curves_of_one_unit_share_an_axis() -> None:
    figure = brink.example("gear-box").run().plot()
    assert [ax.get_ylabel() for ax in figure.axes] == ["car.v [m/s]", "car.x [m]", "car.gear", ""]
    assert figure.axes[-1].get_xlabel() == "t"
    both = brink.load(DECAY).run(until=1).plot()
    assert [[line.get_label() for line in ax.lines] for ax in both.axes] == [["x", "y"]]


def test_too_many_curves_are_left_out_and_that_is_said() -> None:
    r = brink.example("bumper-cars").run(until=5)
    figure = r.plot()
    shown = {line.get_label() for line in figure.axes[0].lines}
    assert shown == {f"car[1].{name}" for name in ("x", "y", "theta", "v", "w")}
    assert "95 in all" in note_of(figure)
    named = r.plot("car.x")
    assert len(named.axes[0].lines) == 20 and note_of(named) == ""
    assert named.axes[0].get_ylabel() == "car.x"


def test_outputs_come_before_states_and_constants_are_left_out() -> None:
    r = brink.example("thermostat").run()
    (line,) = r.plot().axes[0].lines
    assert line.get_label() == "room.temperature"


def test_outputs_that_hold_still_are_no_curves() -> None:
    """The energy of the relay's plant moves by rounding alone. The one output of the converter is that of its clock."""
    energy = brink.example("relay").run()
    assert "plant.energy" not in {line.get_label() for line in energy.plot().axes[0].lines}
    assert energy.plot("plant.energy").axes[0].lines[0].get_label() == "plant.energy"
    converter = brink.example("buck-converter").run(until=0.002)
    drawn = [line.get_label() for line in converter.plot().axes[0].lines]
    outputs = {c.name for c in converter.table.columns if c.kind == "output"}
    states = {c.name for c in converter.table.columns if c.kind == "state" and c.type == 0}
    assert len(outputs) == 1 and set(drawn) == outputs | states


def test_a_run_that_cannot_be_repeated_has_straight_lines_and_says_so() -> None:
    run = brink.load(DECAY).start(until=2)
    run.to(1.0)
    run["x"] = 5.0
    run.to(2.0)
    r = run.finish()
    figure = r.plot("x")
    line = figure.axes[0].lines[0]
    assert line.get_marker() == "." and "straight lines" in note_of(figure)
    t = line.get_xdata()
    assert set(t.tolist()) == set(r.t.tolist())


def test_a_run_backwards_can_be_drawn() -> None:
    r = brink.load(DECAY).run(start=1.0, until=0.0, rtol=1e-10)
    t, x = r.plot("x").axes[0].lines[0].get_data()
    assert t[0] == 1.0 and t[-1] == 0.0 and len(t) > 900
    assert np.abs(x - np.exp(1 - t)).max() < 1e-7


# ---- modes and events ----


def spans(bars: Any) -> list[tuple[float, float]]:
    return [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in bars.get_paths()]


def test_a_mode_is_bands_behind_the_curves() -> None:
    r = brink.example("thermostat").run()
    ax = r.plot().axes[0]
    (on,) = collections(ax, PolyCollection, "_room.heater: on")
    (off,) = collections(ax, PolyCollection, "_room.heater: off")
    edges = [0.0, *r.events.t.tolist(), 24.0]
    pieces = list(zip(edges, edges[1:]))
    assert spans(on) == pieces[::2] and spans(off) == pieces[1::2]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(words) == ["room.heater = off", "room.heater = on"]
    heights = {(p.vertices[:, 1].min(), p.vertices[:, 1].max()) for p in on.get_paths()}
    assert heights == {(0.0, 1.0)}, "over the whole height of the axis"


def test_several_modes_are_rows_of_bars() -> None:
    r = brink.example("water-network").run()
    ax = r.plot().axes[-1]
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == [*(f"net.on[{k}]" for k in range(1, 7)), "net.high", "net.low"]
    (bars,) = collections(ax, PolyCollection, "_net.on[3]: true")
    total = sum(b - a for a, b in spans(bars))
    steps = np.diff(r.t)
    assert total == pytest.approx(float(steps[r["net.on[3]"][:-1] & (steps > 0)].sum()), rel=1e-12)


def test_events_are_marks_up_and_down() -> None:
    r = brink.example("thermostat").run()
    figure = r.plot()
    strip = figure.axes[-1]
    assert np.array_equal(line_of(strip, "_room.warm +").get_xdata(), r.events["room.warm"].t)
    assert np.array_equal(line_of(strip, "_room.cold -").get_xdata(), r.events["room.cold"].t)
    assert line_of(strip, "_room.warm +").get_marker() == "^"
    assert [text.get_text() for text in strip.get_yticklabels()] == ["room.warm", "room.cold"]
    (lines,) = collections(figure.axes[0], LineCollection, "_events")
    assert sorted(s[0, 0] for s in lines.get_segments()) == r.events.t.tolist()


def test_events_of_agents_are_together() -> None:
    r = brink.example("bumper-cars").run(until=20)
    strip = r.plot().axes[-1]
    drawn = np.concatenate([line.get_xdata() for line in strip.lines])
    assert np.array_equal(np.sort(drawn), r.events.t)
    names = {text.get_text() for text in strip.get_yticklabels()}
    assert names == {"car.north", "car.east", "car.west", "car.south", "gap"}


def test_modes_and_events_may_be_chosen() -> None:
    r = brink.example("thermostat").run()
    assert len(r.plot(events=False, modes=False).axes) == 1
    assert not r.plot(events=False, modes=False).axes[0].collections
    one = r.plot(events="room.warm").axes[-1]
    assert [text.get_text() for text in one.get_yticklabels()] == ["room.warm"]
    alone = r.plot("room.heater", events=False)
    assert len(alone.axes) == 1 and collections(alone.axes[0], PolyCollection)
    with pytest.raises(brink.ArgumentError, match="numbers"):
        r.plot(modes="room.T")


# ---- figures ----


def test_the_figure_is_unknown_to_pyplot_and_shows_itself() -> None:
    pyplot.close("all")
    figure = brink.example("thermostat").run().plot()
    assert pyplot.get_fignums() == []
    assert figure._repr_png_().startswith(b"\x89PNG\r\n")


def test_axes_of_the_caller() -> None:
    figure = matplotlib.figure.Figure()
    ax = figure.subplots()
    r = brink.example("thermostat").run()
    assert r.plot("room.T", ax=ax, title="a room") is ax
    assert line_of(ax, "room.T").get_ydata()[0] == 20.0
    assert collections(ax, PolyCollection, "_room.heater: on")
    assert ax.get_title() == "a room" and len(figure.axes) == 1
    low, high = ax.get_ylim()
    assert 17 < low < 18.1 and 21.9 < high < 23, "bands and marks do not move the limits"
    with pytest.raises(brink.ArgumentError, match="units"):
        brink.example("gear-box").run().plot("car.v", "car.x", ax=ax)


def test_wrong_names_are_refused() -> None:
    r = brink.load(DECAY).run(until=1)
    with pytest.raises(KeyError, match="no column 'z'"):
        r.plot("z")
    with pytest.raises(brink.ArgumentError, match="holds still"):
        brink.example("thermostat").run(until=1).plot("room.outdoor")
    with pytest.raises(TypeError):
        r.plot(3)  # type: ignore[arg-type]


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    r = brink.load(DECAY).run(until=1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="python3-matplotlib"):
        r.plot()


# ---- models in Python ----


def room() -> brink.Ode:
    def heat(t: float, x: Any, env: Any) -> list[float]:
        return [(10.0 - x[0]) / 5.0 + (4.0 if env.mode.heating else 0.0)]

    def switch(event: Any, now: Any) -> None:
        now.mode.heating = int(event.name == "cold")

    guards = {
        "cold": brink.Guard([1.0], offset=-19.0, direction=-1, action=switch),
        "warm": brink.Guard([1.0], offset=-21.0, direction=1, action=switch),
    }
    return brink.ode(heat, {"T": 15.0}, modes={"heating": 1}, guards=guards)


def test_a_model_in_python_is_drawn_alike() -> None:
    r = room().run(until=6, rtol=1e-10, atol=1e-12)
    figure = r.plot()
    ax, strip = figure.axes
    t, T = line_of(ax, "T").get_data()
    first = t < r.events.t[0]
    assert first.sum() > 100
    assert np.abs(T[first] - (30 - 15 * np.exp(-t[first] / 5))).max() < 1e-8
    (on,) = collections(ax, PolyCollection, "_heating: 1")
    edges = [0.0, *r.events.t.tolist(), 6.0]
    assert spans(on) == list(zip(edges, edges[1:]))[::2]
    assert np.array_equal(line_of(strip, "_cold -").get_xdata(), r.events["cold"].t)
    assert Found(r._repr_html_()).of("img")
    plain = room().run(until=6, dense=False).plot()
    assert "straight lines" in note_of(plain)


# ---- notebooks ----


class Found(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


PAGE = "<!DOCTYPE html>\n<p class=\"a\" id='b'>1 < 2 &amp; \"x\" </iframe><script>f('&quot;')</script>"


def test_a_result_shows_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    r = brink.load(DECAY).run(until=1)
    monkeypatch.setattr(brink.Result, "report_html", lambda self: PAGE)
    found = Found(r._repr_html_())
    (frame,) = found.of("iframe")
    assert frame["srcdoc"] == PAGE and not found.of("script")
    assert "allow-same-origin" not in str(frame["sandbox"])


def test_the_page_is_the_report() -> None:
    r = brink.load(DECAY).run(until=1, report=True)
    if _html.NO_PAGE in r.report_html():
        pytest.skip("built without the page of reports")
    (frame,) = Found(r._repr_html_()).of("iframe")
    assert frame["srcdoc"] == r.report_html()


@pytest.mark.parametrize("page", ["none", "huge", "refused"])
def test_without_a_page_there_are_a_picture_and_a_table(
    page: str, monkeypatch: pytest.MonkeyPatch, tree: Path
) -> None:
    r = brink.load(DECAY).run(until=1)

    def report(self: brink.Result) -> str:
        if page == "refused":
            raise brink.ArgumentError("cannot be repeated")
        return (tree / "page" / "plain.html").read_text() if page == "none" else "x" * 9_000_000

    monkeypatch.setattr(brink.Result, "report_html", report)
    found = Found(r._repr_html_())
    assert not found.of("iframe") and len(found.of("table")) == 1
    (picture,) = found.of("img")
    assert str(picture["src"]).startswith("data:image/png;base64,")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert Found(r._repr_html_()).of("table") and not Found(r._repr_html_()).of("img")


@pytest.mark.filterwarnings("ignore::brink.RunWarning")
@pytest.mark.parametrize("model", ["bouncing-ball", "bumper-cars", "spirals", "mmc-queue"])
def test_whatever_became_of_a_run_it_shows_itself(model: str) -> None:
    keep = {"until": 50.0} if model == "mmc-queue" else {}
    assert brink.example(model).run(check=False, **keep)._repr_html_()


def test_a_browser_reads_the_page_as_it_was(tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium")
    r = brink.example("thermostat").run(until=5, report=True)
    page = r.report_html() + PAGE  # whatever a model may contain
    wanted = json.dumps(page.replace("\r\n", "\n")).replace("</", "<\\/")
    test = f"<!DOCTYPE html><meta charset=utf-8><body>{_html.frame(page)}<script>" + (
        f"document.title = document.querySelector('iframe').srcdoc === {wanted} ? 'the same' : 'another'</script>"
    )
    file = tmp_path / "cell.html"
    file.write_text(test, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    done = subprocess.run(
        [chromium, *flags, f"--user-data-dir={tmp_path / 'user'}", "--dump-dom", file.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "<title>the same</title>" in done.stdout


def test_tables_of_notebooks_are_escaped_and_short() -> None:
    assert "<td>&lt;i&gt;</td>" in _html.table(["<b>"], [["<i>"]]) and "<b>" not in _html.table(["<b>"], [])
    r = brink.example("thermostat").run()
    rows = len(Found(r.table._repr_html_()).of("tr"))
    assert rows == 1 + 6 + 1 + 4 < len(r.t)
    assert "room.temperature [degC]" in r.table._repr_html_()
    assert html.escape("room.warm") in r.events._repr_html_()
    assert len(Found(r.events._repr_html_()).of("tr")) == 1 + 6
    parameters = brink.example("thermostat").parameters._repr_html_()
    assert "room.outdoor" in parameters and "in [-40, 40]" in parameters
    assert "19.66" in r.final._repr_html_()


def test_examples_are_found_by_name() -> None:
    assert len(brink.examples()) > 50
    with pytest.raises(brink.ArgumentError, match="'bouncing-ball'"):
        brink.example("bouncing-bal")


def test_examples_of_an_installation_are_below_its_prefix(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, models: Path
) -> None:
    from brink import _example

    package = tmp_path / "lib" / "python3" / "dist-packages" / "brink"
    place = tmp_path / "share" / "brink" / "models" / "bouncing-ball"
    package.mkdir(parents=True)
    place.mkdir(parents=True)
    shutil.copy(models / "bouncing-ball" / "model.hsml", place)
    monkeypatch.setattr(_example, "__file__", str(package / "_example.py"))
    assert brink.examples() == ["bouncing-ball"]
    assert brink.example("bouncing-ball").source == str(place / "model.hsml")
    monkeypatch.setattr(_example, "_places", lambda: iter([tmp_path]))
    with pytest.raises(brink.FileError, match="not installed"):
        brink.examples()


def test_a_result_says_in_a_line_what_became_of_it() -> None:
    r = brink.example("bouncing-ball").run(check=False)
    assert repr(r).startswith("<brink.Result: failed (zeno) at t = 4.06")
