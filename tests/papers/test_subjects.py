"""Subjects that examples are made of: noun phrases that several papers have."""

from pathlib import Path

from helpers import open_library, write_jsonl

TEXTS = (
    ("Neutron stars and their crust", "We measured strongly correlated matter in neutron stars."),
    ("Cooling of neutron stars", "The code measured strongly correlated electrons. It runs on neutron stars."),
    ("Deep learning for strongly correlated systems", "A code was measured. We use deep learning."),
    ("Deep learning of spectra", "With a code we measured spectra by deep learning."),
)


def test_subjects_are_noun_phrases_that_several_papers_have(tmp_path: Path, quick_pool: None) -> None:
    """The page would ask "What is known about strongly correlated?", and filters would begin with "measured"."""
    records = [{"id": f"p{n}", "title": title, "abstract": text} for n, (title, text) in enumerate(TEXTS)]
    with open_library(tmp_path / "lib") as library:
        assert library.subjects() == ()
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        found = {one.value.lower() for one in library.subjects()}
        assert {"neutron stars", "deep learning"} <= found
        assert not found & {"strongly correlated", "measured", "code"}
        assert not {one.value.lower() for one in library.facets().keyword} & {"measured", "code"}


def test_the_name_of_a_journal_is_no_subject(tmp_path: Path, quick_pool: None) -> None:
    """The page would ask "How are Rescience C and pulsars related?": journals are among their papers' keywords."""
    own = {"venue": "Solar Physics", "keywords": ["solar physics", "dark matter"]}
    records = [{"id": f"p{n}", "title": title, **own} for n, (title, _) in enumerate(TEXTS)]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        found = {one.value.lower() for one in library.subjects()}
        assert "dark matter" in found and "solar physics" not in found
