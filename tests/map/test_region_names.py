"""What regions are called."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import NotFoundError, ServiceError, UnavailableError, UsageError
from conspectus.map.name_candidates import (
    COVERED,
    cover_texts,
    find_fault,
    name_by_concepts,
    one_or_two,
    rows_by_concept,
)
from conspectus.records.events import Progress
from helpers import open_library, write, write_jsonl
from language_server import request_text, serve_script

pytestmark = pytest.mark.usefixtures("quick_pool")
SUBJECTS = {"animals": ("quokkas", "wombats"), "stars": ("dwarf stars", "giant stars"), "bread": ("sourdough", "rolls")}
VOCABULARY = """id,label,synonyms,broader
N:1,Marsupials,,
N:2,Quokkas,quokka,N:1
N:3,Wombats,wombat,N:1
N:4,Stars,,
N:5,Dwarf stars,,N:4
N:6,Giant stars,,N:4
N:7,Astronomy,,N:7
"""


def library_of(tmp_path: Path, **settings: Any) -> Library:
    library = open_library(tmp_path / "lib", atlas__method="pca", **settings)
    records = [
        {"title": f"On {one}, part {number}", "abstract": f"The {subject} known as {one} were seen, and {one} thrive."}
        for subject, ones in SUBJECTS.items()
        for one in ones
        for number in range(12)
    ]
    library.add(write_jsonl(tmp_path / "a.jsonl", records))
    library.map.build()
    return library


@pytest.fixture
def linked(tmp_path: Path) -> Iterator[Library]:
    with library_of(tmp_path) as library:
        write(tmp_path / "kinds.csv", VOCABULARY)
        library.vocabularies.add(tmp_path / "kinds.csv", name="kinds")
        library.graph.link()
        yield library


def test_regions_are_called_after_the_concepts_that_cover_them(linked: Library) -> None:
    """Else a region of quokkas and wombats cannot be called marsupials, for no paper says the word."""
    told: list[Progress] = []
    named = linked.map.names("vocabulary", vocabulary="kinds", progress=told.append)
    assert {one.unit for one in told} == {"texts", "regions"} and all(one.done <= one.total for one in told)
    names = [one.name for one in named.regions if one.named_by == "vocabulary"]
    after = {name for each in names for name in each.split(" and ")}
    assert after & {"Marsupials", "Stars"} and after <= {
        *("Marsupials", "Quokkas", "Wombats", "Stars", "Dwarf stars", "Giant stars")
    }
    assert named.named + sum(one.named_by == "phrases" for one in named.regions) == len(named.regions)
    assert "no concept covers them" in named.notes[0], "nothing covers bread"
    assert linked.map.build().regions == named.regions


def test_names_stay_when_the_map_is_fitted_again(linked: Library) -> None:
    linked.map.name(linked.map.build().at(0)[0].id, "mine")
    linked.map.names("vocabulary")
    before = linked.map.build().names
    after = linked.map.build(refit=True)
    assert {key: name for key, name in after.names.items() if key in before} == {
        key: name for key, name in before.items() if key in after.names
    }
    assert "mine" in after.names.values()
    named = linked.map.names("phrases")
    assert {one.named_by for one in named.regions} == {"phrases", "user"}


def test_what_there_is_nothing_to_name_after(tmp_path: Path, linked: Library) -> None:
    with pytest.raises(NotFoundError, match="'none'"):
        linked.map.names("vocabulary", vocabulary="none")
    with pytest.raises(UnavailableError):
        linked.map.names("model")
    with open_library(tmp_path / "other", atlas__method="pca") as other:
        with pytest.raises(NotFoundError):
            other.map.names("phrases")
        other.add(write_jsonl(tmp_path / "b.jsonl", [{"title": "One", "abstract": "One thing only."}]))
        other.map.build()
        with pytest.raises(UsageError, match="linked to a concept"):
            other.map.names("vocabulary")


def test_a_model_names_them_in_a_language(tmp_path: Path) -> None:
    """Else a map for the public is in words that nobody reads."""

    def script(body: dict[str, Any]) -> Any:
        groups = len(re.findall(r"^\[\d+\] ", request_text(body), re.MULTILINE))
        return {"names": [f"Gebiet {number}\x07 " for number in range(groups)]}

    with serve_script(script) as server, library_of(tmp_path, language__model=server.url) as library:
        named = library.map.names("model", language="German")
        assert named.named == len(named.regions) and {one.named_by for one in named.regions} == {"model"}
        assert all(one.name.startswith("Gebiet ") and one.name.isprintable() for one in named.regions)
        assert all("in German" in request_text(one) for one in server.requests)
        assert any("On quokkas, part" in request_text(one) for one in server.requests)
        asked = len(server.requests)
        library.map.names("model", language="German")
        assert len(server.requests) == asked, "what was answered is known"


def test_names_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    with (
        serve_script(lambda _: {"names": ["one", "One "]}) as server,
        library_of(tmp_path, language__model=server.url) as library,
    ):
        before = library.map.build().names
        with pytest.raises(ServiceError):
            library.map.names("model")
        assert library.map.build().names == before


@pytest.mark.parametrize(
    ("names", "wrong"), [(["a"], "2 groups"), (["a", ""], "1 to 60"), (["a", "b" * 61], "61"), (["Ä", "ä "], "'ä'")]
)
def test_what_is_wrong_with_names(names: list[str], wrong: str) -> None:
    assert wrong in find_fault(names, 2) and not find_fault(["a", "b"], 2)


def test_what_says_no_more_than_one_of_its_kinds_gives_way_to_that() -> None:
    """Else a region on the heliosphere is called Stellar wind bubbles, and two that are alike after something else."""
    labels, parents = {1: "Bubbles", 2: "Heliosphere", 3: "Stars", 4: "Giants", 5: "Dwarfs"}, {2: [1], 4: [3], 5: [3]}
    texts = [*[(0, [2])] * 5, *[(1, [4])] * 3, *[(1, [5])] * 3, *[(2, [3, 4])] * 2]
    assert called(texts, labels, parents) == {0: "Heliosphere", 1: "Stars", 2: "Giants"}
    twice = [(0, [1]), (0, [1]), (1, [1, 5]), (1, [1, 5]), (2, [])]
    assert called(twice, labels, parents) == {0: "Bubbles", 1: "Dwarfs"}
    alike = [(0, [1]), (0, [1]), (1, [1]), (1, [1])]
    assert called(alike, labels, parents) == {0: "Bubbles", 1: "Bubbles (2)"}


def test_two_concepts_name_what_one_leaves_out() -> None:
    """Else a region of dark energy and relativity is called after half of it."""
    labels = {1: "Dark energy", 2: "Relativity", 3: "Plasma", 4: "Cosmology"}
    texts = [*[(0, [1])] * 4, *[(0, [2])] * 3, *[(0, [])] * 2, *[(1, [3])] * 4, *[(1, [3, 2])] * 1]
    assert called(texts, labels, {1: [4]}) == {0: "Dark energy and Relativity", 1: "Plasma"}


def test_what_most_of_a_region_says_is_its_name_though_others_say_it_too() -> None:
    """Else a region of telescopes is called after the aperture, of which a fifth of it speaks and nobody else."""
    texts = [(0, [1, 2])] * 2 + [(0, [1])] * 8 + [(1, [1])] * 20 + [(1, [])] * 10
    assert called(texts, {1: "Telescopes", 2: "Aperture"}, {}) == {0: "Telescopes", 1: "Telescopes (2)"}


def called(texts: list[tuple[int, list[int]]], labels: dict[int, str], parents: dict[int, list[int]]) -> dict[int, str]:
    """The names of regions, by the concepts that their texts speak of."""
    terms = cover_texts(texts, labels, parents).best(COVERED)
    numbered = ((number, own) for number, (_, own) in enumerate(texts))
    said = rows_by_concept(numbered, labels, parents, {term for own in terms.values() for term in own})
    held = sorted({region for region, _ in texts})
    own = {region: np.array([one == region for one, _ in texts]) for region in held}
    return name_by_concepts({region: one_or_two(terms[region], said, own[region]) for region in held}, terms, held)


def test_kinds_may_go_in_circles() -> None:
    found = cover_texts([(1, [1]), (1, [2])], {1: "apes", 2: "bees", 3: "cats"}, {1: [2], 2: [1, 3]})
    assert sorted(found.best(0)[1]) == ["apes", "bees", "cats"]


def test_on_the_command_line(linked: Library, tmp_path: Path) -> None:
    chosen = ["--library", str(tmp_path / "lib"), "map"]
    linked.close()
    done = CliRunner().invoke(app, [*chosen, "names", "vocabulary"])
    assert (done.exit_code == 0 and "Marsupials" in done.output) or "Stars" in done.output
    assert CliRunner().invoke(app, [*chosen, "name"]).exit_code == 2
