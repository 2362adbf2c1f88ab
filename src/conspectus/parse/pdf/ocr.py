"""Text recognised in pictures, and its lines as words of a page: sizes and weights are those of the document.

This is the only module that knows the recogniser (rapidocr, the extra `ocr`). Its models come with the package: files
are named one by one, so that nothing is ever fetched.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import UnavailableError
from conspectus.core.groups import split_runs
from conspectus.parse.pdf.page_text import Graphic, PageFrame, PaintedStyle, Word
from conspectus.parse.pdf.thresholds import SCANS
from conspectus.records import FigureWord

if TYPE_CHECKING:
    from PIL.Image import Image

REMEDY = "Install it with pip install 'conspectus[ocr]'."
_DETECTOR, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
_DETECT_PIXELS = 1280
"""Lines are looked for in a picture whose longer side has so many pixels; they are read in the full one."""
_LEAST_SCORE = 0.5
_THREADS = 1
"""Files are read in parallel: more threads for each would only be in each other's way."""
_SHORT = 20
"""Lines of fewer letters are measured with less certainty."""
FONT = "recognised"
"""What stands for the name of the font, which is not known."""


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line found in a picture.

    Attributes:
        corners: in pixels: top left, top right, bottom right, bottom left, as the text runs.
        text: its words, with a space between two.
        score: how sure the recogniser is, 0 to 1.
        middles: the middle of each character that is no space, along the line, 0 to 1.
    """

    corners: tuple[tuple[float, float], ...]
    text: str
    score: float
    middles: tuple[float, ...]


def is_installed() -> bool:
    """Whether text can be recognised here."""
    try:
        find_models()
    except UnavailableError:
        return False
    return True


def recognise(picture: Any) -> list[OcrLine]:
    """The lines of a picture, an array of height, width and three colours, in no certain order.

    Raises:
        UnavailableError: The package or one of its models is missing.
        MemoryError: There is too little memory.
    """
    import cv2

    try:
        reply = _engine()(picture, return_word_box=True, return_single_char_box=True)
    except cv2.error as error:
        if "nsufficient memory" in str(error):
            raise MemoryError from error
        raise
    except Exception as error:
        if "alloc" in str(error):  # the recogniser wraps what the runtime says
            raise MemoryError from error
        raise
    if reply.boxes is None or reply.txts is None:
        return []
    characters = reply.word_results if len(reply.word_results or ()) == len(reply.txts) else [()] * len(reply.txts)
    lines = zip(reply.boxes.tolist(), reply.txts, reply.scores, characters, strict=True)
    return [
        OcrLine(tuple((x, y) for x, y in box), " ".join(text.split()), float(score), _middles(box, text, letters))
        for box, text, score, letters in lines
        if text.strip()
    ]


def recognised_words(image: Image) -> tuple[FigureWord, ...]:
    """The lines of a picture in reading order, each as one word, as many as a figure may have.

    Raises: As in `recognise`.
    """
    import numpy as np

    width, height = image.size
    words = []
    for line in recognise(np.asarray(image.convert("RGB"))):
        across, down = zip(*line.corners, strict=True)
        sides = min(across) / width, min(down) / height, max(across) / width, max(down) / height
        a, b, c, d = (min(max(side, 0.0), 1.0) for side in sides)
        words.append(FigureWord(line.text[: BOUNDS.label.most], (a, b, c, d), recognised=True))
    return tuple(sorted(words, key=lambda word: (word.box[1], word.box[0]))[: BOUNDS.figure_words.most])


def _middles(box: list[list[float]], text: str, letters: Any) -> tuple[float, ...]:
    """Where the characters stand; spread evenly where the recogniser does not say."""
    (ax, ay), (bx, by) = box[0], box[1]
    length = (bx - ax) ** 2 + (by - ay) ** 2
    count = len("".join(text.split()))
    if len(letters) != count or not length:
        return tuple((i + 0.5) / len(text) for i, char in enumerate(text) if not char.isspace())
    middles = []
    for _, _, corners in letters:
        x, y = sum(p[0] for p in corners) / 4, sum(p[1] for p in corners) / 4
        middles.append(min(max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0.0), 1.0))
    return tuple(middles)


def find_models() -> tuple[Path, Path]:
    """The files of the recogniser's two models.

    Raises:
        UnavailableError: The package or one of its models is missing.
    """
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise UnavailableError("What recognises text in pictures (OCR) is not installed.", REMEDY)
    folder = Path(spec.origin).parent / "models"
    for name in (_DETECTOR, _READER):
        if not (folder / name).is_file():
            raise UnavailableError(
                f"The installed rapidocr has no model '{name}' in it.",
                "Install the version that has: pip install 'conspectus[ocr]'.",
            )
    return folder / _DETECTOR, folder / _READER


@cache
def _engine() -> Any:
    """The recogniser, loaded once in a process."""
    detector, reader = find_models()
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(_THREADS)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Global.max_side_len": 100_000,
            "Global.text_score": _LEAST_SCORE,
            "Det.model_path": str(detector),
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECT_PIXELS,
            "Rec.model_path": str(reader),
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word: where it begins and ends in the layout frame, and the breadth of its strokes in font sizes.

    `raised` ones are superscripts; `glued` ones follow the one before without white space.
    """

    text: str
    x0: float
    x1: float
    weight: float
    raised: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class ScannedLine:
    """Words on one baseline; the size is measured and not yet one of those that the document has."""

    words: tuple[ScannedWord, ...]
    base: float
    size: float
    weight: float
    look: str = ""

    @property
    def letters(self) -> int:
        """How many characters the line has, without spaces."""
        return sum(len(word.text) for word in self.words)


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What was recognised on a page."""

    number: int
    frame: PageFrame
    lines: tuple[ScannedLine, ...]
    graphics: tuple[Graphic, ...]


def convert_words(pages: Sequence[ScannedPage]) -> dict[int, list[Word]]:
    """The words of each page by its number, line by line from the top; sizes and weights are those of the document."""
    lines = [line for page in pages for line in page.lines]
    sizes = _sizes(lines)
    main = sizes[0] if sizes else 10
    weight = _main_weight(lines, main)
    return {
        page.number: [
            word
            for line in _from_the_top(page.lines)
            for word in _words(line, _settled(_neighbour(line, page.lines) or line, sizes), main, weight)
        ]
        for page in pages
    }


def _sizes(lines: Sequence[ScannedLine]) -> list[float]:
    """The sizes that the document is set in, the commonest first."""
    rest = sorted((line.size, line.letters) for line in lines if line.letters >= 8)
    sizes = []
    while rest:
        best, most, end, weight = 0, 0, 0, 0
        for start, (size, letters) in enumerate(rest):
            while end < len(rest) and rest[end][0] <= size * (1 + SCANS.same):
                weight += rest[end][1]
                end += 1
            if weight > most:
                best, most = start, weight
            weight -= letters
        middle = _middle([entry for entry in rest if rest[best][0] <= entry[0] <= rest[best][0] * (1 + SCANS.same)])
        sizes.append(round(middle, 1))
        rest = [entry for entry in rest if not middle / (1 + SCANS.same) <= entry[0] <= middle * (1 + SCANS.same)]
    return sizes


def _middle(weighted: list[tuple[float, int]]) -> float:
    """The weighted median of sorted values."""
    half, weight_sum = sum(weight for _, weight in weighted) / 2, 0
    for value, weight in weighted:
        weight_sum += weight
        if weight_sum >= half:
            return value
    return weighted[-1][0]


def _settled(line: ScannedLine, sizes: list[float]) -> float:
    """The document's size that is nearest to the line's; short lines are measured with less certainty."""
    reach = 1 + (SCANS.same if line.letters >= 8 else SCANS.short * SCANS.same)
    near = [size for size in sizes if size / reach <= line.size <= size * reach]
    return min(near, key=lambda size: abs(size - line.size)) if near else max(round(line.size, 1), 1.0)


def _neighbour(line: ScannedLine, lines: Sequence[ScannedLine]) -> ScannedLine | None:
    """The longer line above or below a short one, as at a paragraph's end: it tells the size better."""
    if line.letters >= _SHORT:
        return None
    left, right = line.words[0].x0, line.words[-1].x1
    for other in lines:
        near = SCANS.near_least * line.size < abs(line.base - other.base) < SCANS.near_most * line.size
        above = other.words[0].x0 < right and other.words[-1].x1 > left
        alike = other.look == line.look and max(line.weight, other.weight) < SCANS.weight * min(
            line.weight, other.weight
        )
        size = max(line.size, other.size) < SCANS.size * min(line.size, other.size)
        if other.letters >= _SHORT and near and above and alike and size:
            return other
    return None


def _main_weight(lines: Sequence[ScannedLine], main: float) -> float:
    weights = sorted((line.weight, line.letters) for line in lines if abs(line.size - main) < SCANS.same * main)
    return _middle(weights) if weights else 0.0


def _words(line: ScannedLine, size: float, main: float, weight: float) -> list[Word]:
    plain = weight * (main / size) ** SCANS.cut or 1.0  # small type is cut heavier
    bold = _bold_words(line, plain)
    words = [_word(word, line, size, i < bold) for i, word in enumerate(line.words)]
    return [part for word in words for part in _capitals(word)] if line.look == "small capitals" else words


def _word(word: ScannedWord, line: ScannedLine, size: float, bold: bool) -> Word:
    base, style = line.base, style_of(size, bold, line.look)
    if word.raised:
        base, style = line.base - SCANS.raised_by * size, style_of(round(SCANS.raised_size * size, 1), bold, line.look)
    return Word(word.text, word.x0, word.x1, base, style, word.glued, word.raised)


def _bold_words(line: ScannedLine, plain: float) -> int:
    """How many words from the left are bold: all, none, or those of a heading that runs in."""
    if line.weight > SCANS.bold * plain:
        return len(line.words)
    for count in range(len(line.words) - 1, 0, -1):
        head, rest = line.words[:count], line.words[count:]
        letters = sum(len(word.text) for word in head)
        if (
            letters > 3
            and min(word.weight for word in head) > SCANS.plain * plain
            and _mean(head) > SCANS.bold * plain
            and _mean(rest) < SCANS.plain * plain
        ):
            return count
    return 0


def _mean(words: Sequence[ScannedWord]) -> float:
    return sum(word.weight * len(word.text) for word in words) / sum(len(word.text) for word in words)


def _capitals(word: Word) -> list[Word]:
    """A word in small capitals in two parts, of two sizes, as files with text have it."""
    if len(word.text) < 2 or not word.text.isupper() or not word.text[:2].isalpha():
        return [word]
    style = word.style
    small = style_of(round(SCANS.capital * style.size, 1), style.bold, "small capitals")
    middle = word.x0 + (word.x1 - word.x0) / (1 + SCANS.capital * (len(word.text) - 1))
    return [
        replace(word, text=word.text[0], x1=middle),
        replace(word, text=word.text[1:], x0=middle, style=small, glued=True),
    ]


@cache
def style_of(size: float, bold: bool, look: str) -> PaintedStyle:
    """The style of recognised words: one object for all equal ones."""
    font = " ".join(filter(None, (FONT, "bold" if bold else "", look)))
    return PaintedStyle(font, size, bold, look == "italic")


def _from_the_top(lines: Sequence[ScannedLine]) -> list[ScannedLine]:
    """The lines row by row, each row from left to right."""
    rows = split_runs(
        sorted(lines, key=lambda line: line.base),
        lambda row, line: line.base - row[0].base < SCANS.row * min(line.size, row[0].size),
    )
    return [line for row in rows for line in sorted(row, key=lambda line: line.words[0].x0)]
