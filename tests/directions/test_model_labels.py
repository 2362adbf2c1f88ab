"""Labels in a language model's words: bound to sentences, scored again, refused otherwise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ServiceError, UnavailableError
from conspectus.directions.model_labels import LabelEvidence, is_bound
from directions.test_directions import EACH, template
from helpers import copy_library, open_library
from language_server import InProcess, error, request_text

__all__ = ["template"]
pytestmark = pytest.mark.usefixtures("quick_pool")


def open_with(template: Path, folder: Path, script: Any) -> Library:
    return open_library(copy_library(template, folder / "lib"), models={"namer": InProcess(script)})


def name_groups(body: dict[str, Any]) -> dict[str, Any]:
    """Each group after its subject, as `study of quasar`; those on chess in words that no sentence has."""
    names = []
    for number, group in enumerate(re.split(r"\[\d+\] ", request_text(body))[1:]):
        subject = re.findall(r"every (\w+)", group)[0]
        names.append(f"gambits {number}" if subject == "chess" else f"the study of {subject} {number}")
    return {"names": names}


def test_a_model_words_labels_and_they_are_scored_again(template: Path, tmp_path: Path) -> None:
    """A score of other words than those shown would be a false claim; so would a word that no sentence has."""
    with open_with(template, tmp_path, name_groups) as library:
        before = {one.id: one for one in library.directions.list().directions}
        found = library.directions.build(model="namer")
        worded = [one for one in found.directions if one.label.startswith("the study of")]
        assert worded and all(one.terms[0] == one.label for one in worded)
        assert any(one.auc and one.auc > 0.9 for one in worded)
        assert not any("gambits" in one.label for one in found.directions)
        assert any("labels stay" in note for note in found.notes) == (len(worded) < len(found.directions))
        for one in worded:
            assert set(before[one.id].terms) <= set(one.terms), "what it was told by is told on"
            subject = one.label.split()[3]
            texts = library.directions.show(str(one.id), limit=1).strongest
            assert all(subject in text.title.lower() for text in texts)
        again = library.directions.list().directions
        assert [one.label for one in again] == [one.label for one in found.directions]
        library.remove([f"quasar:{number}" for number in range(EACH)])
        assert not any("study of quasar" in one.label for one in library.directions.list(hidden=True).directions)


@pytest.mark.parametrize("script", [error(500), {"names": []}])
def test_a_model_that_fails_leaves_labels(template: Path, tmp_path: Path, script: Any) -> None:
    """Labels that cost no model must not be lost with it."""
    with open_with(template, tmp_path, lambda _: script) as library:
        before = [one.label for one in library.directions.list().directions]
        with pytest.raises(ServiceError):
            library.directions.build(model="namer")
        with pytest.raises(UnavailableError):
            library.directions.build(model="")
        assert [one.label for one in library.directions.list().directions] == before


@pytest.mark.parametrize(
    ("label", "bound"),
    [
        ("grid cells", True),
        ("Grid cell", True),
        ("cells of the entorhinal cortex", True),
        ("place cells", False),
        ("", False),
        ("12", False),
        ("grid cells of the entorhinal cortex", False),
    ],
)
def test_words_of_a_label_are_those_of_its_sentences(label: str, bound: bool) -> None:
    """A model's own knowledge must not name what the papers do not say."""
    evidence = LabelEvidence(("cell",), ("The entorhinal cortex has grid cells of many scales.",), ("Place.",), ("p",))
    assert is_bound(label, evidence) is bound
