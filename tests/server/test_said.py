"""What the page says in its reader's language: it finds what the library says by its form in `en.json`."""

import json
import re
from pathlib import Path

import pytest

from conspectus.graph.vocabularies.public_vocabularies import KNOWN
from conspectus.library import Library
from conspectus.settings import KEYS

WORDS = json.loads((Path(__file__).parents[2] / "web" / "src" / "i18n" / "en.json").read_text("utf-8"))
FORMS = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(text)) for key, text in WORDS.items() if key.startswith("said.")]


def _has_form(text: str) -> bool:
    return any(re.fullmatch(form, text, re.DOTALL) for form in FORMS)


@pytest.mark.parametrize(
    "question",
    ["Where is Peru?", "How many papers are there about rats?", "What did Zweig (1931) find?", "Who was Ada?", "xyz"],
)
def test_why_a_question_has_no_answer(library: Library, question: str) -> None:
    """All that the page has to say of it would be English, in the midst of German."""
    answer = library.ask(question)
    assert answer.answered or _has_form(answer.reason), answer.reason


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("How many papers are there about grid cells?", "said.counted_one"),
        ("How many papers are there?", "said.counting"),
        ("Calculate the mean sample size of the papers in the library.", "said.calculating"),
    ],
)
def test_what_is_counted_instead_of_answered(library: Library, question: str, key: str) -> None:
    """The page reads the number and the words from the reason, and would call the count a failure."""
    form = "(?:.+ )?" * (key == "said.calculating") + re.sub(r"\\\{\w+\\\}", "(.+)", re.escape(WORDS[key]))
    match = re.fullmatch(form, library.ask(question).reason)
    assert match and (key != "said.counted_one" or re.fullmatch(r"`count grid cells`", match[2]))


def test_what_well_known_vocabularies_are_about() -> None:
    """Their list would be English in the midst of German."""
    assert not [one.about for one in KNOWN if not _has_form(one.about)]


def test_that_no_word_of_a_search_was_found(library: Library) -> None:
    """The note above the hits would be English in the midst of German."""
    assert WORDS["said.nearest"] in library.search("qqq zzz vvv").note


def test_how_the_library_is(library: Library) -> None:
    """The page that looks after the library would be half English."""
    assert _has_form(library.status().index)
    assert not [one.check for one in library.doctor().findings if not _has_form(one.check)]


def test_what_settings_mean() -> None:
    """A description that was changed here would be English in the midst of German, and a setting that is gone named."""
    said = {key.removeprefix("said.setting."): text for key, text in WORDS.items() if key.startswith("said.setting.")}
    assert {name: text for name, text in said.items() if "{" not in text} == {
        name: KEYS[name].doc for name, text in said.items() if "{" not in text
    }
    assert not [name for name, key in KEYS.items() if not _has_form(key.doc)]
