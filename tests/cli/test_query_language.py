"""`search` with phrases, exclusions, fields and operators, as it is typed."""

import re

import pytest
from cli_cases import Run, Shelf, body, error

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["leaves", "-mitochondria"], {"steel", "tides", "transits.pdf"}),
        (["-martensite", "hard", "steel", "-k", "9"], {"lace", "tides", "transits.pdf"}),
        (["-kinase", "leaves", "-k5", '-"brittle steel"'], {"lace", "steel", "tides", "transits.pdf"}),
        (['"lace plant"'], {"lace"}),
        (["earth author:ebb OR author:smith"], {"tides", "steel"}),
        (["--year", "2000..", "-(author:green", "OR", "venue:metals)"], {"transits.pdf"}),
        (["--plain", "leaves", "author:ebb", "-steel"], {"lace", "steel", "tides", "transits.pdf"}),
    ],
)
def test_a_query_in_words_of_the_field(run: Run, shelf: Shelf, words: list[str], found: set[str]):
    """An excluded word would be taken for an option; conditions would only rank."""
    result = run("--library", shelf.library, "search", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert {hit["paper"]["external_id"] for hit in body(result, "search")["hits"]} == found


def test_what_was_understood_is_shown(run: Run, shelf: Shelf):
    """The user could not tell why a paper is missing."""
    said = run("--library", shelf.library, "search", 'earth -"hot steel" year:1990..2012').stdout
    assert '\nonly: -"hot steel" AND year:1990..2012\n' in said
    assert "only:" not in run("--library", shelf.library, "search", "earth").stdout
    found = body(run("--library", shelf.library, "search", "earth author:ebb", "--json"), "search")
    assert (found["query"], found["words"], found["conditions"]) == ("earth author:ebb", "earth", 'author:"ebb"')
    listed = run("--library", shelf.library, "search", "author:ebb", "--explain").stdout
    assert listed.endswith(" s\n") and "1 paper · what passes, the newest papers first · " in listed
    plain = run("--library", shelf.library, "search", "earth").stdout
    assert plain.endswith(" s\n") and not re.search(r"all-|min-max|cosine|\b0\.\d+\b(?! s$)|[0-9a-z]{10}\.s", plain), (
        "raw"
    )


def test_a_mistake_is_shown_where_it_is(run: Run, shelf: Shelf):
    """The user would get a traceback, or papers that were not asked for."""
    result = run("--library", shelf.library, "search", "earth", "autor:ebb")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error: There is no field 'autor'.\n  earth autor:ebb\n        ^\nDid you mean author:"
    )
    told = error(run("--library", shelf.library, "search", 'author:ebb "tides', "--json"))
    assert told["type"] == "UsageError" and "never closed" in told["message"]


def test_a_count_refuses_what_only_ranks(run: Run, shelf: Shelf):
    """The user would believe that what is counted had been preferred, or expanded."""
    for option in (
        ["--weight", "recency"],
        ["--prefer", "moss"],
        ["--mmr", "0"],
        ["--auto"],
        ["-k", "3"],
        ["--outliers"],
    ):
        result = run("--library", shelf.library, "search", "--count", "earth", *option)
        assert result.exit_code == 2 and "does not go with --count" in result.stderr, option


def test_outliers_are_shown_where_asked_for(run: Run, shelf: Shelf):
    """Too few papers would be taken for papers none of which is far."""
    said = run("--library", shelf.library, "search", "earth", "-k", "2", "--outliers")
    assert said.exit_code == 0 and "too few papers to say which are far" in said.stdout
    found = body(run("--library", shelf.library, "search", "earth", "--outliers", "--json"), "search")
    assert all(set(hit["outlying"]) == {"distance", "cut", "outlier"} for hit in found["hits"])
    plain = body(run("--library", shelf.library, "search", "earth", "--json"), "search")
    assert not any("outlying" in hit for hit in plain["hits"])


def test_what_was_applied_is_not_called_suggested(run: Run, shelf: Shelf):
    """A hypothetical abstract would be claimed that no model has written."""
    said = run("--library", shelf.library, "search", "Does", "steel", "crack?", "--auto").stdout
    assert "taken for: consensus question" in said and "suggested:" not in said
    assert "suggested:" in run("--library", shelf.library, "search", "Does", "steel", "crack?").stdout
