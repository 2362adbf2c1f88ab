"""Text recognised in pictures of pages: the only module that knows the recogniser (rapidocr, the extra `ocr`).

Its models come with the package: files are named one by one, so that nothing is ever fetched.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import UnavailableError
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


@dataclass(frozen=True, slots=True)
class Found:
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


def installed() -> bool:
    """Whether text can be recognised here."""
    try:
        _models()
    except UnavailableError:
        return False
    return True


def check_installed() -> None:
    """Does nothing where text can be recognised.

    Raises:
        UnavailableError: The package or one of its models is missing.
    """
    _models()


def recognise(picture: Any) -> list[Found]:
    """The lines of a picture, an array of height, width and three colours, in no certain order.

    Raises:
        UnavailableError: The package or one of its models is missing.
        MemoryError: There is too little memory.
    """
    import cv2

    try:
        said = _engine()(picture, return_word_box=True, return_single_char_box=True)
    except cv2.error as error:
        if "nsufficient memory" in str(error):
            raise MemoryError from error
        raise
    except Exception as error:
        if "alloc" in str(error):  # the recogniser wraps what the runtime says
            raise MemoryError from error
        raise
    if said.boxes is None or said.txts is None:
        return []
    characters = said.word_results if len(said.word_results or ()) == len(said.txts) else [()] * len(said.txts)
    lines = zip(said.boxes.tolist(), said.txts, said.scores, characters, strict=True)
    return [
        Found(tuple((x, y) for x, y in box), " ".join(text.split()), float(score), _middles(box, text, letters))
        for box, text, score, letters in lines
        if text.strip()
    ]


def recognised_words(image: Image) -> tuple[FigureWord, ...]:
    """The lines of a picture in reading order, each as one word, as many as a figure may have.

    Raises: As in `recognise`.
    """
    import numpy as np

    width, height = image.size
    found = []
    for line in recognise(np.asarray(image.convert("RGB"))):
        across, down = zip(*line.corners, strict=True)
        sides = min(across) / width, min(down) / height, max(across) / width, max(down) / height
        a, b, c, d = (min(max(side, 0.0), 1.0) for side in sides)
        found.append(FigureWord(line.text[: BOUNDS.label.most], (a, b, c, d), recognised=True))
    return tuple(sorted(found, key=lambda word: (word.box[1], word.box[0]))[: BOUNDS.figure_words.most])


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


def _models() -> tuple[Path, Path]:
    found = importlib.util.find_spec("rapidocr")
    if found is None or found.origin is None:
        raise UnavailableError("What recognises text in pictures (OCR) is not installed.", REMEDY)
    folder = Path(found.origin).parent / "models"
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
    detector, reader = _models()
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
