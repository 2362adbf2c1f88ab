"""Figures in panels, of pictures drawn here."""

import random
from collections.abc import Callable, Iterable, Mapping

import pytest
from PIL import Image, ImageDraw, ImageFont

from conspectus.figures.panels import split
from conspectus.records import FigureWord, FoundPanel, Rect

SIZE = (1200, 900)
Boxes = Mapping[str, Rect]
GRID: Boxes = {"a": (40, 40, 560, 420), "b": (640, 40, 1160, 420), "c": (40, 490, 560, 870), "d": (640, 490, 1160, 870)}
UNEVEN: Boxes = {
    "a": (40, 40, 1160, 420),
    "b": (40, 490, 380, 870),
    "c": (440, 490, 780, 870),
    "d": (840, 490, 1160, 870),
}
TALL: Boxes = {"a": (40, 40, 560, 870), "b": (640, 40, 1160, 420), "c": (640, 490, 1160, 870)}
ROW: Boxes = {"a": (40, 40, 380, 870), "b": (440, 40, 780, 870), "c": (840, 40, 1160, 870)}
LAYOUTS = {"grid": GRID, "uneven": UNEVEN, "tall": TALL, "row": ROW}


def sheet(colour: str = "white") -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", SIZE, colour)
    return image, ImageDraw.Draw(image)


def plot(draw: ImageDraw.ImageDraw, box: Rect, *, bar: bool = False) -> None:
    """A curve with its frame, ticks, their numbers and names of the axes within `box`; perhaps a colour bar."""
    x0, y0, x1, y1 = box
    left, right, low = x0 + 60, x1 - (70 if bar else 4), y1 - 56
    draw.rectangle((left, y0, right, low), outline="black", width=2)
    points = [(left + (right - left) * i / 40, y0 + (low - y0) * random.Random(i).uniform(0.1, 0.9)) for i in range(41)]
    draw.line(points, "blue", 2)
    for i in range(5):
        at, high = left + (right - left) * i / 4, y0 + (low - y0 - 12) * i / 4
        draw.text((at - 8, low + 8), f"{i}.0", "black", font=font(14))
        draw.text((x0 + 26, high), f"{i}.0", "black", font=font(14))
    draw.text(((left + right) / 2 - 30, y1 - 22), "Time (s)", "black", font=font(16))
    draw.rectangle((x0, (y0 + low) / 2 - 40, x0 + 12, (y0 + low) / 2 + 40), fill="black")
    if bar:
        draw.rectangle((x1 - 50, y0, x1 - 30, low), fill="orange", outline="black")
        draw.text((x1 - 26, y0 + 4), "1.0", "black", font=font(14))


def photo(image: Image.Image, box: Rect) -> None:
    """Noise, as a photograph has."""
    x0, y0, x1, y1 = map(int, box)
    image.paste(Image.effect_noise((x1 - x0, y1 - y0), 90).convert("RGB"), (x0, y0))


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def caption(labels: Iterable[str]) -> str:
    return "Figure 1. Results. " + " ".join(f"({label}) What {label} shows." for label in labels)


def word(text: str, x: float, y: float, size: float = 22) -> FigureWord:
    return FigureWord(text, (x / SIZE[0], y / SIZE[1], (x + size) / SIZE[0], (y + size) / SIZE[1]))


def overlap(one: Rect, other: Rect) -> float:
    """Intersection over union."""
    wide, high = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    both = max(wide, 0.0) * max(high, 0.0)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return both / (areas - both)


def right(found: Iterable[FoundPanel], boxes: Boxes, least: float = 0.7) -> bool:
    """Whether the panels are those of the boxes, in their order, each in its place."""
    panels = list(found)
    shares = [overlap(one.box, pixels(boxes[one.label])) for one in panels]
    return [one.label for one in panels] == list(boxes) and min(shares) > least


def pixels(box: Rect) -> Rect:
    return box[0] / SIZE[0], box[1] / SIZE[1], box[2] / SIZE[0], box[3] / SIZE[1]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bars", [False, True])
@pytest.mark.parametrize("ground", ["white", "#e8f0f8", "black"])
def test_plots_are_told_apart_by_the_space_between_them(layout: str, *, bars: bool, ground: str) -> None:
    """Lost otherwise: panel (b) as a result of a search; its axes and colour bar are not panels of their own."""
    image, draw = sheet(ground)
    for box in LAYOUTS[layout].values():
        draw.rectangle(box, fill="white" if ground == "black" else ground)
        plot(draw, box, bar=bars)
    found = split(image, (), caption(LAYOUTS[layout]))
    assert right(found, LAYOUTS[layout])
    assert [one.caption for one in found] == [f"What {label} shows." for label in LAYOUTS[layout]]


def test_a_row_of_two_above_a_row_of_three_without_letters() -> None:
    """Lost otherwise: panel B; the small plots of A, and a label that reaches into the next row, look like panels."""
    image, draw = sheet()
    boxes: Boxes = {
        **{"A": (40, 40, 560, 470), "B": (640, 40, 1160, 470)},
        **{"C": (40, 500, 380, 870), "D": (440, 500, 780, 870), "E": (840, 500, 1160, 870)},
    }
    for number in range(4):
        plot(draw, (40, 40 + 108 * number, 560, 140 + 108 * number))
    for label in "BCDE":
        plot(draw, boxes[label])
    draw.rectangle((590, 480, 606, 496), fill="black")
    draw.text((280, 470), "Time of all four (ms)", "black", font=font(30))
    assert right(split(image, (), caption(boxes)), boxes)


@pytest.mark.parametrize("gap", [4, 12])
@pytest.mark.parametrize("ground", ["white", "black"])
def test_photographs_stand_close_together(gap: int, ground: str) -> None:
    """Lost otherwise: the panels of plates."""
    image, _ = sheet(ground)
    boxes = {
        label: (x, y, x + 600 - gap / 2, y + 450 - gap / 2)
        for label, x, y in (
            ("A", 0, 0),
            ("B", 600 + gap / 2, 0),
            ("C", 0, 450 + gap / 2),
            ("D", 600 + gap / 2, 450 + gap / 2),
        )
    }
    for box in boxes.values():
        photo(image, box)
    assert right(split(image, (), caption(boxes)), boxes, 0.9)


def test_frames_are_gutters_too() -> None:
    """Lost otherwise: panels that share a border."""
    image, draw = sheet()
    boxes: Boxes = {"a": (10, 10, 600, 890), "b": (600, 10, 1190, 890)}
    for box in boxes.values():
        draw.rectangle(box, outline="black", width=3)
        plot(draw, (box[0] + 30, box[1] + 30, box[2] - 30, box[3] - 30))
    assert right(split(image, (), caption(boxes)), boxes)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("form", ["({})", "{}", "{})", "{}."])
def test_letters_in_the_picture_say_which_panel_is_which(form: str, *, inside: bool) -> None:
    """Lost otherwise: panels that are counted down the columns."""
    image, draw = sheet()
    boxes: Boxes = dict(zip("acbd", GRID.values(), strict=True))
    words = []
    for label, box in boxes.items():
        plot(draw, box)
        x, y = (box[0] + 70, box[1] + 10) if inside else (box[0], box[1] - 30)
        draw.text((x, y), form.format(label), "black", font=font(24))
        words.append(word(form.format(label), x, y))
    words += [word("a", 400, 300, 9), word("d", 420, 300, 9), word("1.0", 60, 300, 12)]
    found = split(image, words, caption("abcd"))
    assert right(found, {label: boxes[label] for label in "abcd"})


def test_no_panel_is_called_after_the_letter_of_another() -> None:
    """Who looks for more like panel B would be shown what is like D."""
    image, draw = sheet()
    rows: Boxes = {
        **{"A": (40, 40, 380, 420), "B": (440, 40, 780, 420), "C": (840, 40, 1160, 420)},
        **{"D1": (40, 490, 560, 870), "D2": (640, 490, 1160, 870)},
    }
    for box in rows.values():
        plot(draw, box)
    words = [word(label, box[0] + 70, box[1] + 10) for label, box in rows.items()]
    assert right(split(image, words, " ".join(f"{label}: What {label} shows." for label in rows)), rows)
    assert split(image, words, "A: Currents. B: Traces. C: Fits, the rest is models.") == ()


def test_labels_below_and_a_panel_of_several_plots() -> None:
    """Lost otherwise: panels that have gutters of their own, and LaTeX's subfigures."""
    image, draw = sheet()
    for box in ((40, 10, 560, 390), (40, 410, 560, 800), (700, 10, 1160, 390), (700, 410, 1160, 800)):
        plot(draw, box)
    words = [word("(a)", 290, 850), word("(b)", 920, 850)]
    for one in words:
        draw.text((one.box[0] * SIZE[0], one.box[1] * SIZE[1]), one.text, "black", font=font(24))
    assert right(split(image, words, caption("ab")), {"a": (40, 10, 560, 875), "b": (700, 10, 1160, 875)})


def test_an_inset_stays_where_it_is() -> None:
    """Lost otherwise: the plot around it."""
    image, draw = sheet()
    boxes: Boxes = {"a": (40, 40, 560, 870), "b": (640, 40, 1160, 870)}
    for box in boxes.values():
        plot(draw, box)
        draw.rectangle((box[0] + 200, box[1] + 60, box[2] - 60, box[1] + 300), fill="white", outline="black")
    assert right(split(image, (), caption(boxes)), boxes)


@pytest.mark.parametrize(("sides", "labels"), [("left right", "ab"), ("top bottom", "ab")])
def test_sides_are_cut_the_way_they_are_called(sides: str, labels: str) -> None:
    """Lost otherwise: `left` for what stands at the top of four plots."""
    image, draw = sheet()
    for box in GRID.values():
        plot(draw, box)
    first, last = sides.split()
    found = split(image, (), f"{first.title()}: rates. {last.title()}: counts.")
    halves = (
        ((40, 40, 560, 870), (640, 40, 1160, 870)) if first == "left" else ((40, 40, 1160, 420), (40, 490, 1160, 870))
    )
    assert right(found, dict(zip((first, last), halves, strict=True))), labels


@pytest.mark.parametrize("form", [str.lower, str.upper])
def test_letters_in_brackets_are_enough(form: Callable[[str], str]) -> None:
    """Lost otherwise: panels of figures whose captions speak of none."""
    image, draw = sheet()
    words = []
    for label, box in TALL.items():
        plot(draw, box)
        words.append(word(f"({form(label)})", box[0], box[1]))
    found = split(image, words, "Figure 1. Results.")
    assert right(found, {form(label): box for label, box in TALL.items()}) and {one.caption for one in found} == {""}


@pytest.mark.parametrize("said", ["Figure 1. A single plot.", "Figure 1. A plot of (a) against (c)."])
def test_a_single_plot_is_no_panels(said: str) -> None:
    """Lost otherwise: figures that are one picture; axes and legends with gutters are none."""
    image, draw = sheet()
    plot(draw, (40, 40, 1160, 870), bar=True)
    ticks = [word(text, 100 + 40 * i, 850, 12) for i, text in enumerate(["0.0", "a", "b", "A", "x"])]
    assert split(image, ticks, said) == ()


def test_what_cannot_be_cut_has_no_panels() -> None:
    """Lost otherwise: panels that nobody sees; and the figures of a paper, to one picture that is not one."""
    image, _ = sheet()
    assert split(image, (), caption("ab")) == (), "it is blank"
    photo(image, (0, 0, *SIZE))
    assert split(image, [word("(a)", 20, 20), word("(b)", 700, 20)], caption("ab")) == (), "it is one photograph"
    for size in ((1, 1), (5000, 2), (2, 5000)):
        assert split(Image.effect_noise(size, 90).convert("RGB"), (), caption("abc")) == ()


def test_plots_that_nothing_names_are_told_apart_where_they_are_alike() -> None:
    """Lost otherwise: one of four plots, as a result of a search for what is like it."""
    image, draw = sheet()
    for box in GRID.values():
        plot(draw, box)
    found = split(image, (), "Figure 1. Rates of four cells.")
    assert {(one.label, one.caption) for one in found} == {("", "")}
    assert [overlap(one.box, pixels(box)) > 0.7 for one, box in zip(found, GRID.values(), strict=True)] == [True] * 4


def test_pieces_that_are_not_alike_are_one_picture_where_nothing_names_them() -> None:
    """Lost otherwise: figures cut from their legends and notes."""
    image, draw = sheet()
    plot(draw, (40, 40, 800, 870))
    draw.rectangle((900, 40, 1160, 300), outline="black")
    assert split(image, (), "Figure 1. Rates of a cell.") == ()
