"""Whether a phrase is a subject, as authors name theirs in keywords, or only words of their prose.

A logistic regression over hashed words, word endings and the number of words (`benchmarks/subject_model.py` makes
`subjects.npz`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from conspectus.lexicon.word_lists import GENERAL
from conspectus.parse.text.key_phrases import singular

SIZE = 1 << 14
"""Weights; a feature has the one at the number that its CRC-32 gives."""
_FILE = Path(__file__).with_name("subjects.npz")


def singular_words(phrase: str) -> str:
    """A phrase as `normal_name` has it, its words in the singular and without a possessive's s.

    Names of subjects stay as they are: optics is not the plural of optic.
    """
    return " ".join(_keep_subject(word) for word in phrase.split() if word != "s")


def _keep_subject(word: str) -> str:
    return word if word.endswith("ics") and len(word) > len("epics") else singular(word)


def subject_features(phrase: str) -> Iterator[int]:
    """Numbers of the features of a phrase, which is as `singular_words` gives it."""
    return iter(sorted({crc32(feature.encode()) % SIZE for feature in _features(phrase.split())}))


def _features(words: Sequence[str]) -> Iterator[str]:
    first, last = words[0], words[-1]
    yield from (f"n{min(len(words), 4)}", f"*{' '.join(words)}", f"h{last}", f"f{first}", f"L{min(len(last), 8)}")
    yield from (
        f"e{last[-3:]}",
        f"e4{last[-4:]}",
        f"b3{first[-3:]}",
        f"hg{last in GENERAL:d}",
        f"fg{first in GENERAL:d}",
    )
    yield from (f"w{word}" for word in words)
    if len(words) > 1:
        yield from (f"2{words[-2]} {last}", f"h2{last}", f"f2{first}")
    else:
        yield from (f"1{first}", f"1e{first[-3:]}", f"1e4{first[-4:]}")
    if any(map(str.isdigit, "".join(words))):
        yield "digit"
    if (shortest := min(map(len, words))) < len("abc"):
        yield f"short{shortest}"


def subject_log_odds(phrases: Sequence[str]) -> npt.NDArray[np.float64]:
    """Of phrases, as `singular_words` gives them, the logarithms of the odds that each is a subject."""
    weights, bias = _weights()
    return np.array([weights[list(subject_features(phrase))].sum() + bias for phrase in phrases])


@cache
def _weights() -> tuple[npt.NDArray[np.float64], float]:
    with np.load(_FILE) as stored:
        return stored["weights"].astype(np.float64), float(stored["bias"])
