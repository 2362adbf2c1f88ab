"""Words that the library does not have, and how it spells what they may mean."""

from pathlib import Path

import pytest

from conspectus import Library
from conspectus.records import Spelling
from conspectus.search.spelling import correct_spelling, distance, is_slip
from helpers import InlinePool, open_library, write_jsonl


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    monkeypatch.setattr("conspectus.search.question_flags.plain_words", lambda store: None)
    library = open_library(tmp_path / "lib")
    texts = {
        "rhythms": "Theta oscillations of the hippocampus during sleep.",
        "orbits": "Elliptical orbits of binary stars around a common core.",
        "waves": "Sharp waves in the hippocampus replay what was learnt.",
    }
    records = [
        {"id": name, "title": f"On {name}", "abstract": text, "authors": ["Hentschke, Harald"], "year": 2020}
        for name, text in texts.items()
    ]
    library.add([write_jsonl(tmp_path / "records.jsonl", records)])
    return library


def test_a_misspelt_word_is_searched_for_as_the_library_has_it_and_told(library: Library) -> None:
    """Else a slip of the finger finds what has nothing to do with it, and nobody knows why."""
    found = library.search("sharp waves hipocampus")
    assert found.spelling == (Spelling("hipocampus", "hippocampus"),)
    assert found.words == "sharp waves hippocampus" and found.query == "sharp waves hipocampus"
    assert "No paper has 'hipocampus': 'hippocampus' was searched for instead." in found.note
    assert [hit.score for hit in found.hits] == [hit.score for hit in library.search("sharp waves hippocampus").hits]


@pytest.mark.parametrize(
    ("typed", "likely"),
    [
        ("elliptieal", "elliptical"),
        ("oscilaltions", "oscillations"),
        ("hentshke", "hentschke"),
        ("slep", "sleep"),
        ("corq", "core"),  # of no letter that is in it
        ("coe", ""),  # too short: most such words differ by a letter from another
        ("shoorp", ""),  # two letters, of a short word
        ("quokka", ""),
        ("HIPPOC", ""),
        ("p53x", None),
        ("the", None),
        ("stellar", ""),
        ("stars", None),
    ],
)
def test_what_a_word_may_mean(library: Library, typed: str, likely: str | None) -> None:
    """Else a name that is right and rare is taken for another, or a slip is not seen."""
    expected = () if likely is None else (Spelling(typed, likely),)
    assert library.search(f"orbits {typed}").spelling == expected


def test_everyday_words_are_spelt_right(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a question about bread is answered with what the library has of broad."""
    monkeypatch.setattr("conspectus.search.question_flags.plain_words", lambda store: frozenset({"sheep"}))
    assert library.search("sheep").spelling == ()


def test_a_query_in_another_language_is_not_corrected(library: Library) -> None:
    """Else an Italian question is made one of English words that look like its own."""
    found = library.search("Le oscillazioni del hippocampo durante il sonno")
    assert found.words == found.query and not any(one.likely for one in found.spelling)
    assert library.search("sharpp wavves").words == "sharp waves"


def test_it_can_be_switched_off(library: Library) -> None:
    """Else who knows how it is spelt cannot look for it."""
    found = library.search("hipocampus", settings={"search.spelling": False})
    assert found.spelling == () and found.words == "hipocampus"


def test_words_that_nobody_has_are_told(library: Library) -> None:
    """Else the nearest papers look as if they were about it."""
    assert library.search("quokka sleep").note == "No paper has 'quokka'."


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xbcd", 2), ("abcd", "wxyz", 3)],
)
def test_edits_are_counted_to_the_bound(a: str, b: str, edits: int) -> None:
    """Two letters exchanged are one slip."""
    assert distance(a, b, 2) == distance(b, a, 2) == edits


@pytest.mark.parametrize(
    ("word", "form", "slip"),
    [
        ("hipocampus", "hippocampus", True),
        ("sharpp", "sharp", True),
        ("atsronomy", "astronomy", True),
        ("unassociated", "associated", False),
        ("hypotension", "hypertension", False),
        ("interstellar", "intrastellar", False),
        ("pleural", "pleura", False),
    ],
)
def test_another_word_is_no_slip(word: str, form: str, slip: bool) -> None:
    """Else the opposite of what was asked is searched for."""
    assert is_slip(word, form, 2) == is_slip(form, word, 2) == slip


def test_an_empty_library_says_that_it_is_empty(tmp_path: Path) -> None:
    """Else each word is told to be in no paper."""
    with open_library(tmp_path / "empty") as library:
        assert library.search("quokka").spelling == ()


def test_only_whole_words_are_replaced() -> None:
    """Else the part of another word is."""
    assert correct_spelling("wave, waves-wave", [Spelling("wave", "ware")]) == "ware, waves-ware"


def test_what_stands_in_a_condition_is_asked_for_as_it_is_written(library: Library) -> None:
    """Else the note says that something was searched for that was not."""
    found = library.search('"sharp hipocampus"')
    assert not found.hits and found.words == "sharp hipocampus" and "instead" not in found.note


def test_nothing_is_taken_for_a_function_word(library: Library) -> None:
    """Else nothing at all is searched for."""
    assert library.search("thhe").spelling in ((), (Spelling("thhe", ""),))
