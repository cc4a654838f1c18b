#!/usr/bin/env python3
"""Draws work against precision from the CSV of `speed curves`, one panel a problem.

    bench/draw_speed.py bench/speed.csv docs/images/speed.svg
"""

import csv
import math
import sys

TITLES = {
    "garcia-linear": "García's linear system",
    "henon": "Hénon-Heiles",
    "henon-section": "Hénon-Heiles with a section",
    "kepler-apsides": "Kepler, e = 0.9, with apsides",
    "lorenz-section": "Lorenz with a section",
    "solar-apsides": "outer solar system with apsides",
    "ring-100": "ring of 100 masses",
    "lines-10": "circle with 10 linear guards",
}
SOLVERS = ["taylor", "adams", "cvode"]
WIDTH, HEIGHT, LEFT, TOP, INNER_W, INNER_H, COLUMNS = 400, 290, 62, 34, 318, 196, 2
STYLE = """text{fill:#333}.axis{fill:none;stroke:#999}.grid{stroke:#999;stroke-opacity:.25}
.line{fill:none;stroke-width:1.8}.taylor{stroke:#0969da}.adams{stroke:#c4451c}.cvode{stroke:#6e7781;stroke-dasharray:5 3}
.p.taylor{fill:#0969da}.p.adams{fill:#c4451c}.p.cvode{fill:#6e7781;stroke-dasharray:none}
@media (prefers-color-scheme:dark){text{fill:#ddd}.taylor{stroke:#58a6ff}.adams{stroke:#ff8c61}.cvode{stroke:#b1bac4}
.p.taylor{fill:#58a6ff}.p.adams{fill:#ff8c61}.p.cvode{fill:#b1bac4}}"""


def power(k):
    return "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def read(path):
    panels = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            error, time = float(row["error"]), float(row["microseconds"])
            usable = 0.0 < error < 1e3 and math.isfinite(time) and int(row["lost"]) == 0
            points = panels.setdefault(row["problem"], {}).setdefault(row["solver"], [])
            if usable:
                points.append((math.log10(error), math.log10(time)))
    return panels


def bounds(values):
    low, high = math.floor(min(values)), math.ceil(max(values))
    return (low, high) if high > low else (low, low + 1)


def panel(name, curves, out):
    points = [p for s in SOLVERS for p in curves.get(s, [])]
    ex, ti = bounds([p[0] for p in points]), bounds([p[1] for p in points])
    # errors become smaller to the right: a method is better where its curve is lower
    def x(v):
        return LEFT + INNER_W * (ex[1] - v) / (ex[1] - ex[0])

    def y(v):
        return TOP + INNER_H * (ti[1] - v) / (ti[1] - ti[0])

    out.append(f'<text x="{LEFT}" y="{TOP - 12}" font-weight="bold">{TITLES.get(name, name)}</text>')
    out.append(f'<rect class="axis" x="{LEFT}" y="{TOP}" width="{INNER_W}" height="{INNER_H}"/>')
    every = max(1, math.ceil((ex[1] - ex[0]) / 6))
    for k in range(ex[1], ex[0] - 1, -every):
        out.append(f'<path class="grid" d="M{x(k):.1f} {TOP}v{INNER_H}"/>')
        out.append(f'<text x="{x(k):.1f}" y="{TOP + INNER_H + 17}" text-anchor="middle">{power(k)}</text>')
    for k in range(ti[0], ti[1] + 1):
        out.append(f'<path class="grid" d="M{LEFT} {y(k):.1f}h{INNER_W}"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(k) + 4:.1f}" text-anchor="end">{power(k)}</text>')
    out.append(f'<text x="{LEFT + INNER_W / 2}" y="{TOP + INNER_H + 36}" text-anchor="middle">achieved error</text>')
    middle = TOP + INNER_H / 2
    out.append(f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">microseconds a run</text>')
    for s in SOLVERS:
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in curves.get(s, []))
        out.append(f'<polyline class="line {s}" points="{path}"/>')
        for a, b in curves.get(s, []):
            out.append(f'<circle class="p {s}" cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.5"/>')


def legend(out):
    for k, (s, label) in enumerate(zip(SOLVERS, ["Brink, taylor", "Brink, adams", "CVODE, Adams"])):
        at = LEFT + 170 * k
        out.append(f'<path class="line {s}" d="M{at} 18h30"/><circle class="p {s}" cx="{at + 15}" cy="18" r="2.5"/>')
        out.append(f'<text x="{at + 38}" y="22">{label}</text>')


def main():
    panels = read(sys.argv[1])
    rows = math.ceil(len(panels) / COLUMNS)
    out = []
    legend(out)
    for k, (name, curves) in enumerate(panels.items()):
        out.append(f'<g transform="translate({k % COLUMNS * WIDTH} {30 + k // COLUMNS * HEIGHT})">')
        panel(name, curves, out)
        out.append("</g>")
    with open(sys.argv[2], "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {30 + rows * HEIGHT}" '
            'font-family="sans-serif" font-size="13">\n<title>Work against precision: Brink and CVODE</title>\n'
            f"<style>\n{STYLE}\n</style>\n" + "\n".join(out) + "\n</svg>\n"
        )


main()
