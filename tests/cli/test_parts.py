"""The parts that need no library: years, snippets, progress lines, cleaning."""

from typing import Any

import click
import pytest

from conspectus.cli.progress import Lines, amount, clock, describe, speed
from conspectus.cli.verb_commands import options_of, take_options
from conspectus.core.errors import UsageError
from conspectus.faces.describe import LENGTH, marker, snippet
from conspectus.faces.filters import make_filters
from conspectus.faces.printer import clean
from conspectus.records import Passage, Span
from conspectus.records.events import Progress
from conspectus.search.query_syntax import parse_query


@click.command
@options_of(make_filters)
def _list(**chosen: Any) -> dict[str, Any]:
    return chosen


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2010", (2010, 2010)),
        ("2005..2015", (2005, 2015)),
        ("2005-2015", (2005, 2015)),
        ("2005–2015", (2005, 2015)),
        ("2005..", (2005, None)),
        ("..2015", (None, 2015)),
    ],
)
def test_years(text: str, years: tuple[int | None, int | None]):
    """A range would mean other years than it says."""
    chosen = _list.main(["--year", text], standalone_mode=False)
    assert take_options(make_filters, chosen).year == years


@pytest.mark.parametrize("text", ["", "..", "2015..2005", "2015-2005", "2005-", "-2015", "20x5", "20050"])
def test_wrong_years(text: str):
    """A slip would silently filter all papers away, or be told in other words than in a query."""
    with pytest.raises(click.BadParameter) as raised:
        _list.main(["--year", text], standalone_mode=False)
    if text:
        with pytest.raises(UsageError) as asked:
            parse_query(f"year:{text}")
        assert asked.value.message.split("\n")[0] in raised.value.message


def _passage(*sentences: str) -> Passage:
    spans, start = [], 0
    for number, sentence in enumerate(sentences):
        spans.append(Span(f"p.s{number}", start, start + len(sentence), sentence))
        start += len(sentence) + 1
    return Passage("p.p", "p", "body", "", " ".join(sentences), tuple(spans))


def test_the_snippet_is_the_sentence_that_answers():
    """The hit would show its first words instead of those that matter."""
    filler = "Nothing of interest stands in this sentence, and it is as long as many others are." + " So it is." * 15
    passage = _passage(filler, "Mitochondrial dynamics change in dying cells of the leaf.", filler)
    found = snippet(passage, "how do mitochondria die in leaf cells?")
    assert found.span.id == "p.s1"
    assert "Mitochondrial dynamics" in found.text
    assert len(found.text) <= LENGTH + 4


def test_a_long_sentence_is_cut_around_its_match():
    """A table read as one sentence would fill the screen."""
    found = snippet(_passage("word " * 300 + "the axon of the squid " + "word " * 300), "squid axon")
    assert "axon of the squid" in found.text
    assert len(found.text) <= LENGTH + 2
    assert found.text.startswith("…")
    assert found.text.endswith("…")


def test_matching_words_are_marked_in_other_forms_too():
    """The eye would not find why a passage was found; small words would glitter everywhere."""
    parts = marker("the effects of plants")("The effect of a plant on the planet.")
    assert [part[0] for part in parts if isinstance(part, tuple)] == ["effect", "plant"]
    assert (
        "".join(part if isinstance(part, str) else part[0] for part in parts) == "The effect of a plant on the planet."
    )


def test_lines_come_not_too_often_and_the_last_one_always(capsys: pytest.CaptureFixture[str]):
    """A log would fill with progress, or miss how it ended."""
    now = 0.0
    lines = Lines(clock=lambda: now)
    for done in range(1, 101):
        now += 0.1
        lines.tell(Progress("adding", done, 100, "files"))
    lines.tell(Progress("indexing", 5, 5, "passages"))
    lines.finish()
    said = capsys.readouterr().err.splitlines()
    assert len(said) <= 7
    assert said[-2].startswith("adding: 100 of 100 files, ")
    assert said[-1].startswith("indexing: 5 of 5 passages")
    assert " left" in said[0]


def test_lines_go_on_while_there_is_no_news(capsys: pytest.CaptureFixture[str]):
    """Who follows a log would stop a run that reads a large file, as it says nothing for minutes."""
    now = 0.0
    lines = Lines(clock=lambda: now)

    def wait(seconds: float) -> list[str]:
        nonlocal now
        for _ in range(round(4 * seconds)):
            now += 0.25
            lines.beat()
        return capsys.readouterr().err.splitlines()

    assert wait(3) == ["working (2 s)", "working (3 s)"]
    lines.tell(Progress("adding", 1, 9, "files"))
    first, *repeated = wait(6)
    assert (first, repeated[-1]) == ("adding: 1 of 9 files", "adding: 1 of 9 files, still working (6 s)")
    assert len(repeated) == 3
    lines.pause()  # of a watch that waits for changes
    assert wait(60) == []
    lines.tell(Progress("adding", 2, 9, "files"))
    assert wait(2)[0].startswith("adding: 2 of 9 files")
    assert 20 < len(wait(3600)) < 40  # the log of an hour is short
    lines.tell(Progress("reading", 0, 7200, "files"))
    for done in range(7200):
        now += 0.5
        lines.tell(Progress("reading", done, 7200, "files"))
        lines.beat()
    assert 20 < len(capsys.readouterr().err.splitlines()) < 150  # that of one with news as well
    quiet = Lines(clock=lambda: now, starts=False)
    now += 60
    quiet.beat()
    assert not capsys.readouterr().err


def test_nothing_is_estimated_from_too_little(capsys: pytest.CaptureFixture[str]):
    """ "2:04:13 left", and "0.0 kB/s", of what takes two minutes would make the user stop it."""
    now = 0.0
    lines = Lines(clock=lambda: now)
    for done in (0, 30, 30, 5e5, 3e6, 20e6):
        lines.tell(Progress("adding", done, 84e6, "bytes"))
        now += 2.5
    said = capsys.readouterr().err.splitlines()
    assert ["/s" in line and " left" in line for line in said] == [False, False, False, True, True], said


def test_numbers_read_well():
    """Rates and times would be puzzles."""
    assert speed(0.05, "files") == "3.0 files/min"
    assert speed(38.4, "files") == "38 files/s"
    assert clock(3725) == "1:02:05"
    assert amount(0.37, 1, "files") == "0 of 1 files (37%)"
    assert amount(3.25, 84.0, "MB") == "3.2 of 84.0 MB"
    assert amount(3.25e6, 84e6, "bytes") == "3.2 of 84.0 MB"
    assert (speed(4.5e4, "bytes"), speed(2.5e9, "bytes")) == ("45.0 kB/s", "2.5 GB/s")
    news = Progress("adding", 3.25e6, 84e6, "bytes", "eels.pdf", (12, 300), 4500)
    assert describe(news, 1e6) == "adding: 3.2 of 84.0 MB, 12 of 300 files, 4500 papers, 1.0 MB/s, 1:20 left"


def test_who_waits_is_told_no_rate():
    """ "1.0 s/s" says nothing."""
    assert describe(Progress("waiting for another writer", 12, 0, "s"), 1.0) == "waiting for another writer: 12 s"


def test_clean_keeps_the_words():
    """Cleaning would take letters of other scripts, or leave commands."""
    assert clean("\x1b[31mred\x1b]0;title\x07 ü 漢字 עברית\u202e") == "red ü 漢字 עברית"
