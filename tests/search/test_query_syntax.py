"""The language of `search`: what is an operator, what only looks like one, and what is said of mistakes."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import UsageError
from conspectus.records import Filters
from conspectus.records.filters import THINGS, AllOf, AnyOf, Condition, Has, Not, Passes, Stands, all_of, any_of
from conspectus.search.query_syntax import parse_query, plain_query

PLAIN = [
    "grid cells in the entorhinal cortex",
    "Dark matter: a review",
    "author: a study of authorship",
    "What do (NMDA) receptors do in cells and/or tissue or elsewhere?",
    "p53-/- mice",
    "samples stored at -80 °C",
    "- a bullet\n- another",
    "— a dash",
    "the C-C bond of long-term potentiation",
    "Parkinson's disease, and O'Keefe's cells",
    "doi:10.1234/abc.def and https://example.org/a?b=c#d",
    "arXiv:2101.00001v2 GO:0008150 12:30 3:1",
    "hash:abc near:field revenue:high",
    "Ca(2+) and f(x) or a 1) list 2) of things",
    "(2+)-form (p)ppGpp",
    '5" pipes and 6" pipes',
    'a "quotation that does not end',
    "(a parenthesis that does not end",
    "ends) before it begins",
    '"" "the" "?!"',
    "Which drugs do NOT cause nausea?",
    "To be OR NOT to be",
    "in vitro OR in vivo",
    "the AND gate",
    "AND gates, OR gates",
    "hotels in Portland, OR",
    "EFFECTS OF LIGHT AND HEAT ON PLANTS",
    "LIGHT AND HEAT AND WATER MAKE PLANTS GROW FAST",
    "Author: Smith, Year: 2010, TITLE: X",
    "Title: a subtitle - and -2 more",
    'tubes of 5 -" and -(CH2)- chains',
    "--option -5 +word ~x ^2 a|b & c",
    'AND OR NOT ( ) : " *',
    "NOT",
    "has: kind:",
    "",
    "   ",
    "\ud800 \x00 🌌",
    "(" * 5000,
    "((" * 100 + "x" + "))" * 100,
]

TWO = Filters(author=("smith",))


def stands(words: str) -> Stands:
    return Stands(words)


UNDERSTOOD: list[tuple[str, str, str, Condition]] = [
    ('"grid cells" of rats', "grid cells of rats", "of rats", stands("grid cells")),
    ("“grid cells”", "grid cells", "", stands("grid cells")),
    ("memory -mouse", "memory", "memory", Not(stands("mouse"))),
    ('memory -"grid cell" -title:rat', "memory", "memory", AllOf((
        Not(stands("grid cell")), Not(Stands("rat", "title"))))),
    ("memory NOT mouse brain", "memory brain", "memory brain", Not(stands("mouse"))),
    ("place cells OR grid cells", "place cells grid cells", "", AnyOf((
        AllOf((stands("place"), stands("cells"))), AllOf((stands("grid"), stands("cells")))))),
    ("the mouse AND rat", "the mouse rat", "", AllOf((stands("mouse"), stands("rat")))),
    ("a1 AND b1 OR c1 AND NOT d1", "a1 b1 c1", "", AnyOf((
        AllOf((stands("a1"), stands("b1"))), AllOf((stands("c1"), Not(stands("d1"))))))),
    ("(mouse OR rat) AND memory", "mouse rat memory", "", AllOf((
        AnyOf((stands("mouse"), stands("rat"))), stands("memory")))),
    ("(mouse OR rat) spatial (memory)", "mouse rat spatial memory", "spatial memory",
        AnyOf((stands("mouse"), stands("rat")))),
    ("-(mouse OR author:smith)", "", "", Not(AnyOf((stands("mouse"), Passes(TWO))))),
    ("cells author:smith OR venue:\"The Journal\" year:2010", "cells", "cells", AllOf((
        AnyOf((Passes(TWO), Passes(Filters(venue=("The Journal",))))), Passes(Filters(year=(2010, 2010)))))),
    ("author:smith, year:2005-2015", "", "", AllOf((Passes(TWO), Passes(Filters(year=(2005, 2015)))))),
    ("year:2005.. x1", "x1", "x1", Passes(Filters(year=(2005, None)))),
    ("year:..2015", "", "", Passes(Filters(year=(None, 2015)))),
    ("year:2005–2015", "", "", Passes(Filters(year=(2005, 2015)))),
    ("Author:Smith Year:2010 -KIND:caption", "", "", AllOf((
        Passes(Filters(author=("Smith",))), Passes(Filters(year=(2010, 2010))),
        Not(Passes(Filters(kind=("caption",))))))),
    ('Title: a "grid cell" study', "Title: a grid cell study", "Title: a study", stands("grid cell")),
    ("(author:o'keefe)", "", "", Passes(Filters(author=("o'keefe",)))),
    ('keyword:"dark matter" kind:caption', "", "", AllOf((
        Passes(Filters(keyword=("dark matter",))), Passes(Filters(kind=("caption",)))))),
    ("has:figures has:full-text -has:table", "", "", AllOf((Has("figure"), Has("fulltext"), Not(Has("table"))))),
    ("the -mouse", "", "", Not(stands("mouse"))),
    ("genes in f(x) (a1 OR b1)", "genes in f(x) a1 b1", "genes in f(x)", AnyOf((stands("a1"), stands("b1")))),
    ("do they NOT \"x1\"", "do they NOT x1", "", stands("x1")),
    ("DNA OR RNA", "DNA RNA", "", AnyOf((stands("DNA"), stands("RNA")))),
    ("-long-term memory", "memory", "memory", Not(stands("long-term"))),
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN, ids=range(len(PLAIN)))
def test_what_has_no_operator_is_searched_as_it_stands(text: str) -> None:
    """A question with a hyphen, a colon or parentheses would find other papers than before, or none."""
    assert parse_query(text) == plain_query(text)
    assert plain_query(text).where is None


@pytest.mark.data
def test_titles_are_text_and_quotations_in_them_phrases(data: Path) -> None:
    """A pasted title with a colon or a quotation would be an error, or leave its own paper out."""
    with gzip.open(data / "arxiv_astro" / "astro_abstracts.jsonl.gz", "rt", encoding="utf-8") as lines:
        titles = [" ".join(json.loads(line)["title"].split()) for line in lines]
    titles = [title for title in titles if " -" not in title]
    colons = [title for title in titles if ":" in title and '"' not in title]
    quotes = [title for title in titles if title.count('"') == 2]
    assert len(colons) > 1000 and len(quotes) > 50
    for title in colons:
        assert parse_query(title) == plain_query(title)
    for title in quotes:
        where = parse_query(title).where
        assert where is None or where == Stands(title.split('"')[1]), title


@pytest.mark.parametrize(("text", "words", "soft", "where"), UNDERSTOOD, ids=[case[0] for case in UNDERSTOOD])
def test_what_is_understood(text: str, words: str, soft: str, where: Condition) -> None:
    """The language itself."""
    found = parse_query(text)
    assert (found.text, found.words, found.soft, found.where) == (text, words, soft, where)


WRONG = [
    ('author:smith "grid cells', "never closed", 13),
    ('(mouse "grid cells"', "never closed", 0),
    ('"grid cells" mouse)', "never opened", 18),
    ("author:smith AND", "AND needs something", 13),
    ("OR author:smith", "OR needs something", 0),
    ("author:smith AND OR x1", "AND needs something", 13),
    ('"grid cells" OR the brain', "'the' stands beside OR", 16),
    ("author:smith NOT the brain", "'the' stands beside NOT", 17),
    ('-"the" mouse', "no words here", 1),
    ("(the) OR mouse", "no words here", 0),
    ("year:abc", "not a year", 0),
    ("x1 year:2010-", "not a year", 3),
    ("year:20105", "not a year", 0),
    ("year:2015..2005", "ends before it begins", 0),
    ("has:figur", "has: cannot be 'figur'", 0),
    ("kind:figure", "kind: cannot be 'figure'", 0),
    ("author:!!", "author: needs a name", 0),
    ("title:the", "title: needs words", 0),
    ("author:(smith OR li)", "parentheses behind it", 0),
    ("autor:smith", "no field 'autor'", 0),
    ("x1 authors:smith", "no field 'authors'", 3),
    ("journal:nature", "no field 'journal'", 0),
    ('dark -"matter', "never closed", 6),
    ("dark -„matter", "never closed", 6),
    ("dark -(matter", "never closed", 6),
    ('(dark -"matter) halo', "never closed", 7),
    ("Autor:Smith", "no field 'Autor'", 0),
    ("Year:soon", "not a year", 0),
    ('hash:abc "x1"', "no field 'hash'", 0),
    ('author: smith "x1"', "Behind author: its value is missing", 0),
    ("-AND gate", "no words here", 1),
]


@pytest.mark.parametrize(("text", "said", "place"), WRONG, ids=[case[0] for case in WRONG])
def test_what_is_wrong_is_shown_where_it_is(text: str, said: str, place: int) -> None:
    """A user would have to guess why nothing is found, or what the program did not understand."""
    with pytest.raises(UsageError) as raised:
        parse_query(text)
    message, line, caret = raised.value.message.split("\n")
    assert said in message
    assert line == "  " + text
    assert caret.index("^") == place + 2
    assert raised.value.hint


def test_a_mistake_in_a_long_query_is_shown_with_what_is_around_it() -> None:
    with pytest.raises(UsageError) as raised:
        parse_query("word " * 500 + "year:soon" + " word" * 500)
    _, line, caret = raised.value.message.split("\n")
    assert len(line) < 130 and line[caret.index("^") :].startswith("year:soon")


def test_the_nearest_right_name_is_told() -> None:
    """`autor:smith` would be searched as a word that nobody wrote."""
    for text, near in (
        ("autor:smith", "author"),
        ("keywrod:x1", "keyword"),
        ("journals:x1", "venue"),
        ("date:2010 -x", "year"),
    ):
        with pytest.raises(UsageError) as raised:
            parse_query(text)
        assert f"Did you mean {near}:" in raised.value.hint


WORDS = st.text("abcxyz019 .,;:?!'-–()[]/+*\"“”„ANDORNOT\n", max_size=60)
SIGNS = (
    'mouse rat the AND OR NOT ( ) - " -x -( "a1 b1" author:smith author: year:2010.. has:figure (NMDA) x) f(x) “q” -"'
)
TOKENS = st.lists(st.sampled_from(SIGNS.split(" ")), max_size=14)


@given(st.one_of(st.text(), WORDS, TOKENS.map(" ".join), TOKENS.map("".join)))
def test_nothing_crashes(text: str) -> None:
    """A pasted text would end in a traceback."""
    try:
        found = parse_query(text)
    except UsageError as error:
        assert error.message.count("\n") >= 2 and error.hint
        return
    assert found.text == text
    if found.where is None:
        assert found == plain_query(text)


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz0123456789,.;'?!/", min_size=1), max_size=20))
def test_texts_without_signs_stay_as_they_are(words: list[str]) -> None:
    """The ranking of plain questions would change."""
    text = " ".join(words)
    assert parse_query(text) == plain_query(text)


NAMES = (
    st.text("abcdefgh", min_size=2, max_size=8).filter(lambda name: name not in ("be",)).map(lambda name: name + "x")
)
LEAVES = st.one_of(
    st.builds(Stands, st.lists(NAMES, min_size=1, max_size=3).map(" ".join), st.sampled_from(["text", "title"])),
    NAMES.map(lambda name: Passes(Filters(author=(name,)))),
    NAMES.map(lambda name: Passes(Filters(venue=(name,)))),
    st.sampled_from([(2000, 2010), (2000, None), (None, 1999), (2001, 2001)]).map(lambda y: Passes(Filters(year=y))),
    st.sampled_from(THINGS).map(Has),
    st.sampled_from(["abstract", "body", "caption"]).map(lambda kind: Passes(Filters(kind=(kind,)))),
)


def negated(part: Condition) -> Condition:
    return part.part if isinstance(part, Not) else Not(part)


CONDITIONS = st.recursive(
    LEAVES,
    lambda part: st.one_of(
        part.map(negated),
        st.lists(part, min_size=1, max_size=3).map(lambda parts: all_of(parts) or parts[0]),
        st.lists(part, min_size=1, max_size=3).map(any_of),
    ),
    max_leaves=8,
)


@given(CONDITIONS)
def test_what_was_understood_is_told_in_the_language(condition: Condition) -> None:
    """The line `only: …` would say something else than what was asked, and could not be asked again."""
    assert parse_query(str(condition)).where == condition
