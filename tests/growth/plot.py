#!/usr/bin/env python3
"""Draws points as an SVG with a logarithmic x axis for light and dark backgrounds; independent of their meaning.

  plot.py TITLE XLABEL YLABEL POINTS.json OUT.svg

POINTS.json contains [[x, y], …], or {"name of a line": [[x, y], …], …}."""
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 84, 40, 78, 60
# Approximate number of grid lines along the y axis.
STEPS = 5
# Margin around the outermost points, as a fraction of a decade.
MARGIN = 0.08

STYLE = """
svg { font-family: system-ui, sans-serif; font-size: 13px; }
.ground { fill: #ffffff; } text { fill: #24292f; } .title { font-size: 17px; font-weight: 600; }
.grid { stroke: #d0d7de; stroke-width: 1; } .axis { stroke: #57606a; stroke-width: 1.5; }
.line { fill: none; stroke-width: 2; } polyline { stroke: currentColor; } circle, .value { fill: currentColor; }
.value { font-size: 12px; }
.s0 { color: #0550ae; } .s1 { color: #bc4c00; } .s2 { color: #116329; } .s3 { color: #8250df; }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .axis { stroke: #8b949e; }
.s0 { color: #79c0ff; } .s1 { color: #ffa657; } .s2 { color: #7ee787; } .s3 { color: #d2a8ff; }
}
"""
COLORS = 4


def short(number):
    """Formats a number as a label with three significant digits: 950, 12.3k, 1M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size * 0.9995:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def ticks(highest):
    """Returns about `STEPS` round values from 0 to at least `highest`."""
    if highest <= 0:
        return [0.0, 1.0]
    raw = highest / STEPS
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * part for part in (1, 2, 2.5, 5, 10) if size * part >= raw * 0.999)
    return [step * number for number in range(math.ceil(highest / step - 1e-9) + 1)]


def decades(low, high):
    """Returns the x values of grid lines: powers of ten, and multiples of them if there are few."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for parts in ((1,), (1, 2, 5), range(1, 10)):
        marks = [part * 10.0 ** power for power in powers for part in parts if low <= part * 10.0 ** power <= high]
        if len(marks) >= 3:
            return marks
    return marks


def check(lines):
    """Rejects points that cannot be drawn; returns the lines that have points."""
    lines = {name: sorted(points) for name, points in lines.items() if points}
    if not lines:
        raise ValueError("there are no points")
    if any(x <= 0 or y < 0 for points in lines.values() for x, y in points):
        raise ValueError("x must be above 0 on a logarithmic axis, y not below 0")
    return lines


class Plane:
    """Conversion of data points to coordinates of the picture."""

    def __init__(self, lines):
        xs = [x for points in lines.values() for x, _ in points]
        self.low, self.high = min(xs) / 10 ** MARGIN, max(xs) * 10 ** MARGIN
        self.ticks = ticks(max(y for points in lines.values() for _, y in points))

    def x(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(LEFT + part * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value):
        return round(HEIGHT - BOTTOM - value / self.ticks[-1] * (HEIGHT - TOP - BOTTOM), 1)


def text(x, y, said, anchor="middle", kind="", more=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{kind}{more}>{escape(said)}</text>'


def frame(plane, title, x_label, y_label):
    """Draws the title, the grid and the axes."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    yield f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>'
    yield text(WIDTH / 2, 28, title, kind="title")
    for value in plane.ticks:
        y = plane.y(value)
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y}" y2="{y}"/>'
        yield text(LEFT - 8, y + 4, short(value), "end")
    for value in decades(plane.low, plane.high):
        x = plane.x(value)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}"/>'
        yield text(x, bottom + 20, short(value))
    yield f'<path class="axis line" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
    yield text((LEFT + right) / 2, HEIGHT - 14, x_label)
    middle = (TOP + bottom) / 2
    yield text(22, middle, y_label, more=f' transform="rotate(-90 22 {middle})"')


def curve(plane, points, color, lines):
    """Draws one line of `lines`: its points, with a value beside each."""
    at = [(plane.x(x), plane.y(y)) for x, y in points]
    yield f'<polyline class="s{color} line" points="{" ".join(f"{x},{y}" for x, y in at)}"/>'
    for (x, y), point in zip(at, points):
        yield f'<circle class="s{color}" cx="{x}" cy="{y}" r="4"/>'
        # A value that would overlap the x axis is written above its point.
        below = is_lowest(point, lines) and y + 20 < HEIGHT - BOTTOM
        yield text(x, round(y + (18 if below else -10), 1), short(point[1]), kind=f"s{color} value")


def is_lowest(point, lines):
    """Returns true if other lines have points at the same x and all are above; the value is then written below."""
    others = [y for points in lines.values() for x, y in points if x == point[0] and y != point[1]]
    return bool(others) and min(others) > point[1]


def legend(names):
    """Draws the names of the lines in a row below the title, if there is more than one."""
    width = (WIDTH - LEFT - RIGHT) / max(1, len(names))
    for number, name in enumerate(names if len(names) > 1 else []):
        x = round(LEFT + number * width, 1)
        yield f'<circle class="s{number % COLORS}" cx="{x + 5}" cy="50" r="5"/>'
        yield text(x + 16, 54, name, "start")


def draw(title, x_label, y_label, lines):
    """Returns the SVG of `lines`: {name: [(x, y), …], …}."""
    lines = check(lines)
    plane = Plane(lines)
    parts = [*frame(plane, title, x_label, y_label), *legend(list(lines))]
    for number, points in enumerate(lines.values()):
        parts += curve(plane, points, number % COLORS, lines)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def main(args):
    if len(args) != 5:
        raise SystemExit(__doc__)
    title, x_label, y_label, points, out = args
    lines = json.loads(pathlib.Path(points).read_text())
    lines = lines if isinstance(lines, dict) else {"": lines}
    pathlib.Path(out).write_text(draw(title, x_label, y_label, lines))


if __name__ == "__main__":
    main(sys.argv[1:])
