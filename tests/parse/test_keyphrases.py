"""Key phrases: what a paper is about, in its own words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import OrderedDict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.lexicon.word_lists import BREAKING, GENERAL
from conspectus.parse.process.wire import Report, slot
from conspectus.parse.protocol import BadRecord
from conspectus.parse.text import key_phrases as module
from conspectus.parse.text.key_phrases import MOST, WORD, key_phrases, remember_phrases
from conspectus.records import KeyPhrase, Metadata, ParsedPaper, normal_name

TITLE = "Grid cells and path integration in the entorhinal cortex of bats"
ABSTRACT = (
    "Grid cells fire at many places of a floor. We recorded grid cells in the medial entorhinal cortex of flying bats, "
    "and show that path integration is significantly worse in the dark. A model of continuous attractor networks (CAN) "
    "explains the results. CAN models were proposed before. Path integration needs head-direction signals."
)


def found(title: str = TITLE, text: str = ABSTRACT) -> list[str]:
    return [phrase.text for phrase in key_phrases(title, text)]


def test_the_subject_comes_first() -> None:
    """Else maps are named, and searches weighed, by words that every paper has."""
    assert set(found()[:4]) >= {"Grid cells", "path integration", "entorhinal cortex"}
    assert {"medial entorhinal cortex", "continuous attractor networks", "bats"} <= set(found())
    assert any(phrase.startswith("head-direction") for phrase in found())


def test_words_that_say_nothing_are_none() -> None:
    """Else "results" and "significantly worse" fill the list."""
    words = {word for phrase in found() for word in phrase.lower().split()}
    assert not words & {"we", "show", "results", "significantly", "worse", "proposed", "explains", "of", "before"}
    assert not any(phrase.lower() in GENERAL for phrase in found()[:10])


def test_parts_of_a_phrase_that_never_stand_alone_are_left_out() -> None:
    """Else "attractor networks" takes the place of something else."""
    assert "attractor networks" not in found() and "continuous attractor" not in found()
    alone = found(text=f"{ABSTRACT} Attractor networks were trained. Attractor networks were tested.")
    assert "attractor networks" in alone


def test_numbers_signs_and_formulas_are_borders() -> None:
    phrases = found(
        "Quenching", "The mass, $M_{\\rm halo} > 10^{12}$ of haloes; cold 2020 gas / dust at $z=1$ galaxies."
    )
    assert set(phrases) >= {"haloes", "galaxies", "dust"}
    assert not any("halo " in phrase or "rm" in phrase or "2020" in phrase for phrase in phrases)
    phrases = found("Quenching", "Of stars of 10^6 M_\\odot at z \\sim 3, {\\it dark matter} and $\\gtrsim 5 galaxies.")
    assert set(phrases) >= {"stars", "dark matter", "galaxies"} and not {"odot", "sim", "gtrsim"} & set(phrases)


def test_plurals_are_the_same_phrase() -> None:
    once = [
        phrase for phrase in found("Neutron stars", "A neutron star spins. Neutron stars cool.") if "star" in phrase
    ]
    assert once[0] == "Neutron stars" and "neutron star" not in once


def test_scores_fall_and_there_are_so_many() -> None:
    words = ". ".join(f"alpha{number} beta{number}" for number in range(99))
    made = key_phrases("", words)
    assert len(made) == MOST
    assert [phrase.score for phrase in made] == sorted((phrase.score for phrase in made), reverse=True)
    assert all(0 < phrase.score < 1 for phrase in made)
    assert len(key_phrases(TITLE, ABSTRACT, 3)) == 3
    assert key_phrases(TITLE, ABSTRACT, 3) == key_phrases(TITLE, ABSTRACT)[:3]


@pytest.mark.parametrize("text", ["", "\0", "of the and", "…", "12 345", "q. s, t", "a" * (WORD + 1), "\ud800"])
def test_a_text_without_words_has_none(text: str) -> None:
    """An empty list is no failure."""
    assert all(normal_name(phrase.text) for phrase in key_phrases(text, text))
    if text != "\ud800":
        assert not key_phrases(text, text)


@given(st.text(), st.text(max_size=500))
def test_any_text_is_taken(title: str, text: str) -> None:
    """Papers come in all languages, and hostile."""
    made = key_phrases(title, text)
    terms = [normal_name(phrase.text) for phrase in made]
    assert len(terms) == len(set(terms)) <= MOST and all(terms)
    assert not any("\n" in part for phrase in made for part in (phrase.text, normal_name(phrase.text)))
    assert not any(word.lower() in BREAKING for phrase in made for word in phrase.text.split())


def test_it_does_not_depend_on_the_process() -> None:
    """Else the same paper has other key phrases on another machine."""
    code = f"from conspectus.parse.text.key_phrases import key_phrases; print(key_phrases({TITLE!r}, {ABSTRACT!r}))"
    said = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
                       text=True, check=True).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert said == {f"{key_phrases(TITLE, ABSTRACT)}\n"}


def test_only_the_beginning_of_a_long_text_counts() -> None:
    """A whole book as an abstract costs no more than an abstract."""
    assert key_phrases("", ABSTRACT * 3000) == key_phrases("", (ABSTRACT * 3000)[:4000])


def test_what_the_reading_process_found_is_not_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Key phrases would take a third of the time of adding records, in the one process that stores them."""
    monkeypatch.setattr(module, "_ahead", OrderedDict())
    paper = ParsedPaper(Metadata(title="Moss on walls", abstract="Moss grows on damp walls. Damp walls keep it alive."))
    here = key_phrases(paper.metadata.title, paper.metadata.abstract)
    report = msgspec.msgpack.decode(
        msgspec.msgpack.encode(Report((slot(paper), slot(BadRecord("line 2", "odd"))))), type=Report
    )
    assert report.unpack() == (paper, BadRecord("line 2", "odd"))
    with monkeypatch.context() as patch:
        patch.setattr(module, "_count_phrases", lambda *_: pytest.fail("found again"))
        assert key_phrases(paper.metadata.title, paper.metadata.abstract) == here
    assert key_phrases(paper.metadata.title, paper.metadata.abstract) == here  # the second time by itself
    assert not module._ahead


def test_what_was_found_ahead_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers that are known already are never asked for; memory would grow with the library."""
    monkeypatch.setattr(module, "_ahead", OrderedDict())
    for number in range(module.AHEAD + 5):
        remember_phrases(str(number), "", (KeyPhrase("moss", 0.5),))
    assert len(module._ahead) == module.AHEAD
    assert key_phrases("0", "moss and more moss") != (KeyPhrase("moss", 0.5),)
