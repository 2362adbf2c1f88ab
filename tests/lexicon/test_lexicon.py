"""Words that several rooms know."""

import re
import tomllib
from pathlib import Path

import pytest

import conspectus.lexicon
from conspectus.lexicon import STOP_WORDS, word_lists

FILES = sorted((Path(conspectus.lexicon.__file__).parent / "words").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_says_its_language_and_source(path: Path) -> None:
    """Nobody could tell whether a list may be copied, or what is missing for another language."""
    text = path.read_text("utf-8")
    assert text.startswith("# ") and "ur own list" in text
    assert {"language", "en"} & tomllib.loads(text).keys()


def test_months_are_known_in_all_their_forms() -> None:
    """A date as one journal prints it would be none."""
    forms = "January Jan Sept Sep september MAY june Jun Mar-Apr 3 03 Spring 13 0 x".split()
    assert [word_lists.month_number(form) for form in forms] == [1, 1, 9, 9, 9, 5, 6, 6, 3, 3, 3, 0, 0, 0, 0]
    assert [bool(re.fullmatch(f"(?:{word_lists.MONTH})", form)) for form in ("Sept", "September", "Septem")] == [
        True, True, False,
    ]  # fmt: skip
    assert len(word_lists.MONTHS) == 12 and len(word_lists.DAYS) == 7


def test_headings_by_role_and_language() -> None:
    """A part that is no evidence, such as thanks, would be read and paid for in another language."""
    both = (word_lists.ENGLISH, word_lists.OTHER)
    thanks = re.compile(word_lists.headings("thanks", "support", languages=both))
    assert all(thanks.fullmatch(one) for one in ("acknowledgments", "danksagung", "funding", "financement"))
    assert not thanks.fullmatch("methods") and not re.fullmatch(word_lists.headings("thanks"), "danksagung")
    assert re.fullmatch(word_lists.headings(), "results and discussion"), "no role: all of them"


def test_what_is_captioned_beside_figures() -> None:
    """A scheme or a listing would be a paragraph."""
    assert {"scheme", "listing", "algorithm"} <= set(word_lists.CAPTIONED.split("|"))
    assert "extended data" in word_lists.FURTHER.split("|")
    assert {"the", "not", "whether"} <= STOP_WORDS and "galaxy" not in STOP_WORDS
