from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.graph.linking.linker import Linker
from conspectus.graph.linking.name_table import RankedName, Rules
from conspectus.graph.vocabularies.gold import Span, learn
from conspectus.records.vocabularies import NameKind

_LISTED = """
retina|heart|retinal vein, vein of retina|retinal artery, artery of retina|long-term potentiation|amygdala, BLA
photoreceptor cell|neuron, nerve cell|Neurons; Motor|tumour of heart|TNF-alpha|oesophagus|nucleus|COLD, cold
red blood cell|blood|bridge|bridge, pons
"""
NAMES = {
    number: tuple(name.strip().replace(";", ",") for name in names.split(","))
    for number, names in enumerate(_LISTED.strip().replace("\n", "|").split("|"), 1)
}


def _named(names: dict[int, tuple[str, ...]] = NAMES) -> list[RankedName]:
    return [RankedName(concept, text) for concept, texts in names.items() for text in texts]


@pytest.fixture(scope="module")
def linker() -> Linker:
    return Linker(_named())


def _found(linker: Linker, *texts: str) -> list[tuple[str, int]]:
    linked = linker.link(texts)
    return [
        (text[one.start : one.stop], one.concept) for text, found in zip(texts, linked, strict=True) for one in found
    ]


@pytest.mark.parametrize(
    ("text", "surface", "concept"),
    [
        ("Two Retinas were cut.", "Retinas", 1),
        ("Retinae of mice", "Retinae", 1),
        ("the nuclei, though", "nuclei", 13),
        ("long term\npotentiation", "long term\npotentiation", 5),
        ("Long–Term potentiation", "Long–Term potentiation", 5),
        ("of motor neurons", "motor neurons", 9),
        ("a heart tumor", "heart tumor", 10),
        ("by TNF-α", "TNF-α", 11),
        ("by TNFα", "TNFα", 11),
        ("the esophagus", "esophagus", 12),
        ("heart's wall", "heart", 2),
        ("a photo-receptor cell", "photo-receptor cell", 7),
    ],
)
def test_one_surface(linker: Linker, text: str, surface: str, concept: int) -> None:
    """Else a mention would be lost where a paper spells it in another way than the vocabulary, or quoted wrongly."""
    assert _found(linker, text) == [(surface, concept)]


def test_names_of_a_script_without_spaces_stand_anywhere() -> None:
    """Else no name of Chinese, Japanese or Thai would ever be found in a sentence."""
    linker = Linker(
        [RankedName(1, "海馬"), RankedName(2, "海馬体"), RankedName(3, "杏仁核"), RankedName(4, "COX2受体")]
    )
    assert _found(linker, "海馬は重要。左海馬体 and 杏仁核与COX2受体。") == [
        ("海馬", 1),
        ("海馬体", 2),
        ("杏仁核", 3),
        ("COX2受体", 4),
    ]


def test_longest_wins_and_no_name_goes_over_a_mark(linker: Linker) -> None:
    """Else blood would be said to be spoken of where it is cells, and two sentences would make a name."""
    assert _found(linker, "Red blood cells. Blood") == [("Red blood cells", 15), ("Blood", 16)]
    assert _found(linker, "long-term (potentiation) red, blood") == [("blood", 16)]
    assert _found(linker, "the red", "blood") == [("blood", 16)]


def test_abbreviations_hold_in_their_paper(linker: Linker) -> None:
    """Else most mentions of what a paper is about would be lost, or those of another paper be wrong."""
    paper = ("We saw long-term potentiation (LTP).", "LTP, and LTPs, last.", "lTP")
    assert _found(linker, *paper) == [("long-term potentiation", 5), ("LTP", 5), ("LTP", 5), ("LTPs", 5)]
    assert _found(linker, "LTP") == [] and ("LTP2", 5) not in _found(linker, *paper, "LTP2")
    assert ("RBCs", 15) in _found(linker, "red blood cells (RBCs)", "RBCs were")
    assert _found(linker, "Legend. TH, tumour of heart; LTP", "TH") == [("TH", 10), ("tumour of heart", 10), ("TH", 10)]


def test_acronyms_count_where_the_paper_speaks_of_what_they_are_of(linker: Linker) -> None:
    """Else each paper with the letters would be said to be of it; a question, which defines nothing, may use them."""
    assert _found(linker, "BLA and cold") == []
    assert _found(linker, "The amygdala.", "BLA") == [("amygdala", 6), ("BLA", 6)]
    assert [one.concept for one in linker.link_question("Is BLA active?")] == [6]


def test_ambiguous_names_keep_what_else_they_mean(linker: Linker) -> None:
    """Else the choice would be hidden, and the rest of the paper would not count."""
    ((alone,),) = linker.link(["A bridge."])
    assert alone.concept == 17 and [concept for concept, _ in alone.others] == [18]
    linked = linker.link(["A bridge.", "The pons."])
    assert linked[0][0].concept == 18 and linked[0][0].score > linked[0][0].others[0][1]


def test_adjectives_and_short_forms_are_learnt_of_names() -> None:
    """Else `cardiac` and `renal`, of which papers are full, would have to be listed by hand for each field."""
    parts = "vein artery nerve muscle lining wall layer lobe pole surface border".split()
    words = "duodenum sternum ileum rectum septum cerebrum cranium atrium omentum tectum pallium".split()
    nouns = {"heart": "cardiac", **{word: word[:-2] + "al" for word in words}}
    pairs = [(f"{adjective} {part}", f"{part} of {noun}") for noun, adjective in nouns.items() for part in parts]
    names: dict[int, tuple[str, ...]] = {number: (noun,) for number, noun in enumerate(nouns, 1)} | {
        90: ("peritoneum",)
    }
    names |= dict(enumerate(pairs, 100))
    linker = Linker(_named(names))
    assert _found(linker, "a cardiac arrest, peritoneal too") == [("cardiac", 1), ("peritoneal", 90)]
    assert linker.link(["peritoneal"])[0][0].method == "adjective"


def test_names_of_a_kind_that_ends_most_of_them_say_nothing() -> None:
    """Else a vocabulary of cells would find one wherever `cell` stands, thousands of times."""
    kinds = {number: (f"{word} cell",) for number, word in enumerate("abcdefghijklmnopqrstuvwxyz", 2)}
    assert _found(Linker([RankedName(1, "cell"), *_named({**kinds, 60: ("liver",)})]), "cell of liver") == [
        ("liver", 60)
    ]


def test_rules_add_and_take_away() -> None:
    """Else what users correct would come back with the next paper."""
    linker = Linker(_named(), Rules(use=(("stuff", 1), ("BLA", 6)), leave=(("hearts", 2), ("bridge", 0))))
    assert _found(linker, "BLA, heart and Stuff on bridges") == [("BLA", 6), ("Stuff", 1)]


def test_what_is_learnt_of_gold() -> None:
    """Else a vocabulary whose words mean something else in a field could not be mended but by hand."""
    texts = ("heart of the matter", "blood on the ERG", "hearts, ERG, macula", "Macula")
    gold: tuple[tuple[Span, ...], ...] = ((), ((0, 5, 16), (13, 16, 1)), ((8, 11, 1), (13, 19, 1)), ((0, 6, 1),))
    assert learn(_named(), [(texts, gold)]).use == (("macula", 1),)
    rules = learn(_named(), [(texts[:3], gold[:3]), (texts[1:2], gold[1:2])])
    assert rules == Rules(use=(("ERG", 1),), leave=(("heart", 2),))
    assert _found(Linker(_named(), rules), "ERGs of heart blood") == [("ERGs", 1), ("blood", 16)]


def test_misprints_only_where_asked_for(linker: Linker) -> None:
    """Else a misprint in a paper could not be found at all, or what only looks like a name would be one."""
    assert _found(linker, "photoreceptr cells") == []
    ((match,),) = Linker(_named(), fuzzy=0.9).link(["photoreceptr cells"])
    assert match.concept == 7 and match.method == "fuzzy" and match.score < 0.95
    assert _found(Linker(_named(), fuzzy=0.9), "nuclear hearth") == []


def test_kinds_of_names_count() -> None:
    """Else a related name of one concept would win over the label of another."""
    linker = Linker([RankedName(1, "iris", NameKind.RELATED), RankedName(2, "iris", NameKind.LABEL, rank=3)])
    assert linker.link(["iris"])[0][0].concept == 2


@given(st.lists(st.text("heart RETINA-'’(),.;αß\nİ long-term potentiation", max_size=60), max_size=4))
def test_any_text_is_linked_within_its_bounds(texts: list[str]) -> None:
    """Else some letter would shift the mentions of a paper, or end the run."""
    for text, found in zip(texts, LINKER.link(texts), strict=True):
        places = [place for one in found for place in (one.start, one.stop)]
        assert places == sorted(places) and all(0 <= place <= len(text) for place in places)
        assert all(text[one.start : one.stop].strip() for one in found)


LINKER = Linker(_named())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *[
            ("Quasars", "a quasar"),
            ("Galaxies", "one galaxy"),
            ("Supernovae", "the supernova"),
            ("Diseases", "a disease"),
        ],
        *[("Active galactic nuclei", "an active galactic nucleus"), ("Motor Neurons", "a motor neuron")],
    ],
)
def test_names_in_the_plural_only_are_found_in_the_singular(name: str, text: str) -> None:
    """Thesauri name their concepts so (UAT, MeSH)."""
    linker = Linker([RankedName(1, name)])
    assert [one.concept for group in linker.link([text, name.lower()]) for one in group] == [1, 1]


def test_names_of_people_are_no_singulars() -> None:
    """Else each paper on the Lense-Thirring effect is one on lenses, and a region of the map is called so."""
    linker = Linker([RankedName(1, "Lenses"), RankedName(2, "Quasars")])
    texts = ["the Lense-Thirring effect", "Lenses", "Quasar-like objects", "a Radio-Loud quasar"]
    assert [[one.concept for one in found] for found in linker.link(texts)] == [[], [1], [2], [2]]


def test_other_words_are_no_singulars() -> None:
    linker = Linker([RankedName(1, "Genetics"), RankedName(2, "News"), RankedName(3, "Virus")])
    assert linker.link(["a genetic new viru"]) == [[]]


def test_short_names_count_where_the_paper_says_what_they_stand_for() -> None:
    """`al` of "et al." would be a nucleus, in each paper."""
    names = [RankedName(1, "alar nucleus", NameKind.LABEL), RankedName(1, "al", NameKind.ABBREVIATION)]
    names += [
        RankedName(2, "visual streak", NameKind.LABEL),
        RankedName(2, "vs"),
        RankedName(3, "eye", NameKind.LABEL),
        RankedName(4, "海马"),
    ]
    linker = Linker(names)
    assert _found(linker, "Smith et al. saw an eye, A vs B.") == [("eye", 3)]
    assert _found(linker, "An alar nucleus.", "The al.") == [("alar nucleus", 1), ("al", 1)]
    assert _found(linker, "海马 of mice") == [("海马", 4)]
    assert not linker.link_question("A vs B, et al.")[0:]
