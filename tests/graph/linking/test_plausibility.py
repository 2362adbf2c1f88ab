"""Names count where they are plausible."""

from __future__ import annotations

import pytest

from conspectus.graph.linking.linker import Linker
from conspectus.graph.linking.name_relations import NameRelations, RelationFinder
from conspectus.graph.linking.name_table import ComputedNameTable, RankedName, Rules
from conspectus.graph.linking.plausibility import (
    ConceptKind,
    PlausibilityModel,
    describe_concepts,
    head_word,
    read_weights,
)
from conspectus.records.vocabularies import NameKind

MODEL = PlausibilityModel(read_weights())
LABELS = {
    1: "hippocampus", 2: "regional part of brain", 3: "SET nuclear proto-oncogene", 4: "gene", 5: "Serial number",
    6: "Serial publication element", 7: "Structured knowledge resource", 8: "memory", 9: "cognitive process",
}  # fmt: skip
PARENTS = {1: [2], 3: [4], 5: [6], 7: [], 8: [9]}
NAMES = [
    *(RankedName(key, label, NameKind.LABEL) for key, label in LABELS.items()),
    *(RankedName(key, text) for key, text in ((3, "SET"), (5, "number"), (7, "structural"))),
]


@pytest.fixture(scope="module")
def linker() -> Linker:
    kinds = describe_concepts(LABELS, PARENTS)
    return Linker(ComputedNameTable(NAMES, Rules(), kinds, MODEL), model=MODEL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The number of cells in the hippocampus.", [1]),
        ("A large number of structural images was used.", []),
        ("Atrophy of the hippocampus.", [1]),
        ("Each volume has a serial number.", [5]),
    ],
)
def test_everyday_words_are_no_entities(linker: Linker, text: str, expected: list[int]) -> None:
    """Else a synonym of something far away leads the list of what papers speak of."""
    assert [one.concept for one in linker.link([text])[0]] == expected


def test_what_users_say_is_not_judged() -> None:
    """A rule is the user's; no model takes it back."""
    table = ComputedNameTable(NAMES, Rules(use=(("number", 5),)), describe_concepts(LABELS, PARENTS), MODEL)
    assert [one.concept for one in Linker(table, model=MODEL).link(["A number of cells."])[0]] == [5]


def test_a_concept_is_described_by_what_is_above_it() -> None:
    found = describe_concepts(
        {1: "CA1", 2: "part of hippocampus", 3: "brain region", 4: "CA1 region"}, {1: [2, 1], 2: [3]}
    )
    assert found[1] == ConceptKind("CA1", frozenset({"part", "region"}), ("part of hippocampus",), 2, 0, 1)
    assert (found[3].below, found[3].heads) == (2, 2)


@pytest.mark.parametrize(
    ("label", "head"),
    [("Regional part of brain", "part"), ("basket cell", "cell"), ("cancer (disease)", "cancer"), ("", "")],
)
def test_the_head_of_a_label(label: str, head: str) -> None:
    assert head_word(label) == head


def test_a_name_is_compared_with_the_other_names() -> None:
    """Else `planets`, which many longer names contain, weighs as much as a name that only its concept has."""
    names = {
        1: [("solar", "system", "planet"), ("planet",)],
        2: [("giant", "planet")],
        3: [("planet", "formation")],
        4: [("leptin",), ("obese",)],
    }
    finder = RelationFinder(names)
    assert finder.of(1, ("planet",)) == NameRelations(1.0, 1, 2, ("formation",))
    assert finder.of(4, ("obese",)) == NameRelations(0.0, 1, 0, ())


@pytest.mark.parametrize(("text", "expected"), [("The age of the Galaxy.", [1]), ("The age of the galaxy.", [])])
def test_a_capital_letter_tells_a_proper_name(text: str, expected: list[int]) -> None:
    """Else every galaxy that a paper describes is the Milky Way."""
    names = [
        RankedName(1, "Milky Way", NameKind.LABEL),
        RankedName(1, "The Galaxy"),
        RankedName(2, "Galaxies", NameKind.LABEL),
    ]
    table = ComputedNameTable(names, Rules(), describe_concepts({1: "Milky Way", 2: "Galaxies"}, {}), MODEL)
    assert [one.concept for one in Linker(table, model=MODEL).link([text, "The Milky Way."])[0]] == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Extrasolar planets abound.", "These planets are hot.", "Other planets are cold."], {2}),
        (["The planets of the solar system.", "Both planets have moons."], {1}),
    ],
)
def test_a_name_of_two_concepts_is_the_one_that_the_paper_is_about(texts: list[str], expected: set[int]) -> None:
    """Else what has a name twice is taken for that whose number is lower: exoplanets for those of the solar system."""
    names = [
        RankedName(1, "Solar system planets", NameKind.LABEL),
        RankedName(1, "Planets"),
        RankedName(2, "Exoplanets", NameKind.LABEL),
        RankedName(2, "Extrasolar planets"),
        RankedName(2, "Planets"),
        RankedName(3, "Astronomy", NameKind.LABEL),
        RankedName(4, "Stars", NameKind.LABEL),
    ]
    labels = {1: "Solar system planets", 2: "Exoplanets", 3: "Astronomy", 4: "Stars"}
    kinds = describe_concepts(labels, {1: [3], 2: [4]})
    linked = Linker(ComputedNameTable(names, Rules(), kinds, MODEL), model=MODEL).link(texts)
    assert {one.concept for found in linked for one in found} == expected
