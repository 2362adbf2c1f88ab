"""The figures of the primers, computed and drawn as vector graphics: an action potential and a planetary transit."""

# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import cos, exp, pi, sin, sqrt

from reportlab.graphics.shapes import Circle, Drawing, Group, Line, PolyLine, Rect, String
from reportlab.lib.colors import Color, HexColor, black

Range = tuple[float, float]
Points = list[tuple[float, float]]
Curve = list[float]

BLUE, RED, GREEN, GREY, PALE = (HexColor(code) for code in (0x1F5FA8, 0xB8322A, 0x2E7D4F, 0xB4B4B4, 0xF7E6B5))
LABEL = 7.0


@dataclass(frozen=True)
class Axes:
    """A rectangle of a drawing with two linear scales. `x` and `y` are the ranges of the data."""

    drawing: Drawing
    left: float
    bottom: float
    width: float
    height: float
    x: Range
    y: Range

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a data point in the drawing, to a hundredth of a point."""
        across = self.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * self.width
        up = self.bottom + (y - self.y[0]) / (self.y[1] - self.y[0]) * self.height
        return round(across, 2), round(up, 2)

    def line(self, points: Points, colour: Color, dashes: Sequence[float] | None = None) -> None:
        """Draws a curve through `points`."""
        flat = [value for point in points for value in self.at(*point)]
        self.drawing.add(PolyLine(flat, strokeColor=colour, strokeWidth=1, strokeDashArray=dashes, strokeLineJoin=1))

    def text(self, x: float, y: float, text: str, colour: Color = black, anchor: str = "start") -> None:
        """Writes `text` at a data point."""
        self._write(*self.at(x, y), text, colour, anchor)

    def frame(self, x_ticks: Iterable[float], y_ticks: Iterable[float], y_format: str = "{:g}") -> None:
        """Draws the box and the ticks with their numbers."""
        self.drawing.add(
            Rect(self.left, self.bottom, self.width, self.height, fillColor=None, strokeColor=black, strokeWidth=0.5)
        )
        for tick in x_ticks:
            x, _ = self.at(tick, self.y[0])
            self.drawing.add(Line(x, self.bottom, x, self.bottom - 2.5, strokeWidth=0.5))
            self._write(x, self.bottom - 9.5, _number(tick), anchor="middle")
        for tick in y_ticks:
            _, y = self.at(self.x[0], tick)
            self.drawing.add(Line(self.left, y, self.left - 2.5, y, strokeWidth=0.5))
            self._write(self.left - 4, y - 2.4, _number(tick, y_format), anchor="end")

    def titles(self, x_title: str, y_title: str) -> None:
        """Writes the titles of the axes, the vertical one turned by a right angle."""
        if x_title:
            self._write(self.left + self.width / 2, self.bottom - 19, x_title, anchor="middle")
        upright = String(0, 0, y_title, fontName="Helvetica", fontSize=LABEL, textAnchor="middle")
        self.drawing.add(Group(upright, transform=(0, 1, -1, 0, 8, self.bottom + self.height / 2)))

    def _write(self, x: float, y: float, text: str, colour: Color = black, anchor: str = "start") -> None:
        style = {"fontName": "Helvetica", "fontSize": LABEL, "fillColor": colour, "textAnchor": anchor}
        self.drawing.add(String(round(x, 2), round(y, 2), text, **style))


def _number(value: float, form: str = "{:g}") -> str:
    return form.format(value).replace("-", "–")


def action_potential(width: float) -> Drawing:
    """The response of the Hodgkin–Huxley equations to a current pulse: potential above, gating variables below."""
    drawing = Drawing(width, 232)
    times, potentials, gates = hodgkin_huxley(duration=15.0)
    top = Axes(drawing, 34, 124, width - 40, 104, (0, 15), (-90, 60))
    pulse = [*top.at(1.0, -90), *top.at(1.5, -84)]
    drawing.add(Rect(pulse[0], pulse[1], pulse[2] - pulse[0], pulse[3] - pulse[1], fillColor=GREY, strokeColor=None))
    top.line(list(zip(times, potentials, strict=True)), BLUE)
    top.frame((), (-80, -40, 0, 40))
    top.titles("", "Membrane potential (mV)")
    below = Axes(drawing, 34, 26, width - 40, 88, (0, 15), (0, 1.05))
    for values, colour in zip(gates, (RED, GREEN, BLUE), strict=True):
        below.line(list(zip(times, values, strict=True)), colour)
    for name, colour, x, y in (("m", RED, 2.4, 0.85), ("n", BLUE, 6.6, 0.7), ("h", GREEN, 12.0, 0.59)):
        below.text(x, y, name, colour)
    below.frame((0, 5, 10, 15), (0, 0.5, 1))
    below.titles("Time (ms)", "Gating variable")
    return drawing


@cache
def hodgkin_huxley(duration: float, step: float = 0.01, keep: int = 6) -> tuple[Curve, Curve, list[Curve]]:
    """Integrates the equations of 1952 by Euler's method; every `keep`-th step is returned (ms, mV, gates m, h, n)."""
    potential = -65.0
    gate = [opening / (opening + closing) for opening, closing in _rates(potential)]
    kept: list[tuple[float, ...]] = []
    for index in range(round(duration / step) + 1):
        time = index * step
        if index % keep == 0:
            kept.append((time, potential, *gate))
        current = 20.0 if 1.0 <= time < 1.5 else 0.0
        m, h, n = gate
        sodium = 120 * m**3 * h * (potential - 50)
        potassium, leak = 36 * n**4 * (potential + 77), 0.3 * (potential + 54.4)
        rates = _rates(potential)
        potential += step * (current - sodium - potassium - leak)
        gate = [x + step * (up * (1 - x) - down * x) for x, (up, down) in zip(gate, rates, strict=True)]
    columns = [list(column) for column in zip(*kept, strict=True)]
    return columns[0], columns[1], columns[2:]


def _rates(potential: float) -> tuple[Range, Range, Range]:
    """Opening and closing rates of m, h and n per millisecond at a potential in millivolts."""
    v = potential + 65
    m = (_linoid(25 - v, 10), 4 * exp(-v / 18))
    h = (0.07 * exp(-v / 20), 1 / (exp((30 - v) / 10) + 1))
    n = (0.1 * _linoid(10 - v, 10), 0.125 * exp(-v / 80))
    return m, h, n


def _linoid(x: float, scale: float) -> float:
    ratio = x / scale
    return 1.0 if abs(ratio) < 1e-6 else ratio / (exp(ratio) - 1)


def transit(width: float) -> Drawing:
    """A planet before its star, to scale, above the light curve with and without limb darkening."""
    drawing, impact, radius = Drawing(width, 246), 0.3, 0.1
    across = width - 46
    scale = across / 4
    sky = Axes(drawing, 40, 132, across, scale * 2.2, (-2, 2), (-1.1, 1.1))
    drawing.add(Circle(*sky.at(0, 0), scale, fillColor=PALE, strokeColor=HexColor(0xC9A227), strokeWidth=0.5))
    sky.line([(-1.9, impact), (1.9, impact)], GREY, (2, 2))
    for x in (-1.5, -0.95, 0.0, 0.95, 1.5):
        drawing.add(Circle(*sky.at(x, impact), round(scale * radius, 2), fillColor=black, strokeColor=None))
    curve = Axes(drawing, 40, 26, across, 100, (-2, 2), (0.986, 1.002))
    times = [index / 40 for index in range(-80, 81)]
    for darkening, dashes in (((0.45, 0.2), None), ((0.0, 0.0), (3, 2))):
        values = [(time, brightness(time, impact, radius, darkening)) for time in times]
        curve.line(values, BLUE if dashes is None else RED, dashes)
    curve.frame((-2, -1, 0, 1, 2), (0.988, 0.992, 0.996, 1.0), "{:.3f}")
    curve.titles("Time from mid-transit", "Relative brightness")
    return drawing


@cache
def brightness(time: float, impact: float, radius: float, darkening: Range, rings: int = 20) -> float:
    """The light left when a planet covers part of a star of radius 1 with quadratic limb darkening."""
    hidden, spokes = 0.0, 2 * rings
    edges = [radius * ring / rings for ring in range(rings + 1)]
    for inner, outer in pairwise(edges):
        middle, cell = (inner + outer) / 2, pi * (outer**2 - inner**2) / spokes
        for spoke in range(spokes):
            angle = 2 * pi * (spoke + 0.5) / spokes
            square = (time + middle * cos(angle)) ** 2 + (impact + middle * sin(angle)) ** 2
            if square < 1:
                loss = 1 - sqrt(1 - square)
                hidden += cell * (1 - darkening[0] * loss - darkening[1] * loss**2)
    return 1 - hidden / (pi * (1 - darkening[0] / 3 - darkening[1] / 6))


FIGURES: dict[str, Callable[[float], Drawing]] = {"action_potential": action_potential, "transit": transit}
