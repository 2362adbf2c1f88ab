"""`review rank`: papers compared in pairs by a model or a person, kept, gone on with, added to, shown."""

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Filters, Library
from conspectus.cli.app import app
from conspectus.core.errors import NotFoundError, UnavailableError, UsageError
from conspectus.faces.printer import Printer
from conspectus.records import Author, Paper
from conspectus.records.events import Progress
from conspectus.records.ranks import Preference, RankPair
from conspectus.review.rank.pair_judge import hide_origin
from conspectus.review.rank.run import ask_person
from conspectus.review.rank.state import find_ranking
from conspectus.review.rank.views import rank as show_ranking
from helpers import open_library, write_jsonl
from language_server import InProcess, Say, request_text

pytestmark = pytest.mark.usefixtures("quick_pool")
COUNT = 9
AGREED = "Moser and Hafting agreed in"
VENUES = ("Hippocampus", "Nature")


def records(count: int, start: int = 0) -> list[dict[str, Any]]:
    """Papers of which the abstract says how many cells were counted: the criterion."""
    return [
        {
            "title": f"Counting cells, part {number}",
            "abstract": f"We looked at brains. We counted {100 + number} cells. {AGREED} {VENUES[number % 2]}.",
            "authors": ["Moser, Edvard", "Hafting, Torkel"],
            "venue": VENUES[number % 2],
            "year": 2000 + number,
            "citation_count": number * 3,
            "doi": f"10.1000/{number}",
        }
        for number in range(start, start + count)
    ]


def cells(body: dict[str, Any]) -> list[tuple[int, int]]:
    """Number of the sentence, and cells counted: of the first paper, then of the second."""
    return [(int(n), int(cells)) for n, cells in re.findall(r"\[(\d+)\] We counted (\d+) cells", request_text(body))]


class CellJudge:
    """Prefers more cells, and counts what it is asked."""

    def __init__(self, answer: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._answer = answer

    def __call__(self, body: dict[str, Any]) -> Any:
        self.bodies.append(body)
        if self._answer and (said := self._answer(body)) is not None:
            return said
        (first, more), (second, fewer) = cells(body)
        return {"spans": [first, second], "why": "More cells.", "preferred": "first" if more > fewer else "second"}


Opened = Callable[..., Library]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made: list[Library] = []

    def make(judge: Any = None, count: int = COUNT, **settings: Any) -> Library:
        models = {"judge": InProcess(judge)} if judge else None
        extra = {"language__model": "judge"} if judge else {}
        made.append(open_library(tmp_path / "lib", models=models, **extra, **settings))
        made[-1].add(write_jsonl(tmp_path / "a.jsonl", records(count)))
        return made[-1]

    yield make
    for library in made:
        library.close()


def numbers_of(ranking: Any) -> list[int]:
    return [int(row.paper.doi.rpartition("/")[2]) for row in ranking.ranking]


def test_papers_are_ranked_by_what_the_judge_prefers(opened: Opened) -> None:
    """The point of it: best first, with intervals, agreement and who judged."""
    judge = CellJudge()
    library = opened(judge)
    seen: list[Progress] = []
    made = library.review.rank(by="number of cells", progress=seen.append)
    assert numbers_of(made) == [*reversed(range(COUNT))]
    assert made.comparisons == COUNT * (COUNT - 1) // 2 == len(judge.bodies)
    assert made.cycles == ()
    assert dict(made.judges) == {"model:scripted/1": made.comparisons}
    assert all(row.low <= row.rank <= row.high for row in made.ranking if row.low and row.high)
    assert [row.score for row in made.ranking] == sorted((row.score or 0 for row in made.ranking), reverse=True)
    assert {one.number: one.tau for one in made.agreement} == {"citations": 1.0, "year": 1.0}
    assert {one.property for one in made.bias} == {"venue"}
    assert seen[-1].done == seen[-1].total == made.comparisons
    assert made.usage.calls == made.comparisons


def test_papers_that_were_not_compared_agree_with_nothing(opened: Opened) -> None:
    """The order in which papers were added must not look like a preference for old papers or for a venue."""
    made = opened(CellJudge(), count=30).review.rank(by="cells", budget=2)
    assert (made.comparisons, made.agreement, made.bias) == (2, (), ())
    assert sum(row.comparisons for row in made.ranking) == 4


def test_each_pair_is_asked_once_in_either_order(opened: Opened) -> None:
    """Half of the calls would be spent on the same pairs in the other order."""
    judge = CellJudge()
    library = opened(judge)
    library.review.rank(by="cells")
    shown = [tuple(number for _, number in cells(body)) for body in judge.bodies]
    assert len({frozenset(pair) for pair in shown}) == len(shown)
    assert 0 < sum(a > b for a, b in shown) < len(shown)


def test_the_judge_sees_no_names_and_no_venue(opened: Opened) -> None:
    """Whoever is famous, or printed in Nature, would be ranked by that."""
    judge = CellJudge()
    opened(judge).review.rank(by="cells", budget=3)
    assert len(judge.bodies) == 3
    for body in judge.bodies:
        assert not re.search("Moser|Hafting|Nature|Hippocampus|10\\.1000", request_text(body))
        assert "[hidden] and [hidden] agreed in [hidden]." in request_text(body)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("As Moser et al. showed, cells fire.", "As [hidden] et al. showed, cells fire."),
        ("Work at the University of New South Wales and MIT.", "Work at the [hidden] and MIT."),
        ("Write to e.moser@ntnu.no or https://ntnu.no/x now.", "Write to [hidden] or [hidden] now."),
        ("The Kavli Institute for Systems Neuroscience did it.", "[hidden] did it."),
        ("Natural mosers like nature.", "Natural mosers like nature."),
    ],
)
def test_names_are_hidden_as_whole_words(text: str, hidden: str) -> None:
    """Words that merely contain a name stay, or texts would be full of holes."""
    paper = Paper(id="p", venue="Nature", authors=(Author("Edvard Moser", "Moser"), Author("Li")))
    assert hide_origin(text, paper) == hidden


def test_the_same_call_goes_on_where_a_run_ended(opened: Opened) -> None:
    """A run that was killed does not pay again, and a larger budget adds to what there is."""
    judge = CellJudge()
    library = opened(judge)
    assert library.review.rank(by="cells", budget=10).comparisons == 10
    again = library.review.rank(by="cells", budget=10)
    assert (again.comparisons, len(judge.bodies)) == (10, 10)
    assert library.review.rank(by="cells", budget=25, cache=False).comparisons == 25
    assert len(judge.bodies) == 25
    assert len(library.review.list()) == 1


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(opened: Opened, tmp_path: Path) -> None:
    """Where a run is killed must not change the ranking."""
    library = opened(CellJudge(), language__concurrency=2)
    calls = 0

    def stop(_: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.review.rank(by="cells", budget=20, progress=stop)
    kept = library.review.rank_show("cells").comparisons
    assert 0 < kept < 20
    after = library.review.rank(by="cells", budget=20)
    assert after.comparisons == 20


def test_cycles_ties_and_position_bias_are_shown(opened: Opened) -> None:
    """A judge who contradicts itself or always takes the first is found out."""
    first = CellJudge(lambda body: {"spans": [1], "why": "It is first.", "preferred": "first"})
    library = opened(first, count=12)
    made = library.review.rank(by="cells", budget=60)
    assert made.position_bias
    assert made.position_bias.low > 0.1
    assert made.cycles
    assert len(made.cycles[0]) == 3
    ids = {row.paper.id for row in made.ranking}
    assert all(name in ids for cycle in made.cycles for name in cycle)
    part = library.review.rank_show(limit=2, offset=1)
    assert ([row.rank for row in part.ranking], part.offset, part.total) == ([2, 3], 1, 12)
    assert part.cycles == made.cycles and {*part.titles} == {name for cycle in made.cycles for name in cycle}
    show_ranking(Printer(out := io.StringIO()), part)
    assert "2 of 12 papers" in out.getvalue()


def test_ties_are_taken(opened: Opened) -> None:
    """Two papers of the same worth need no winner."""
    library = opened(CellJudge(lambda _: {"spans": [], "why": "", "preferred": "tie"}), count=4)
    made = library.review.rank(by="colour")
    assert [row.score for row in made.ranking] == [0.5] * 4
    assert [(row.low, row.high) for row in made.ranking] == [(1, 4)] * 4


def test_verdicts_have_reasons_and_sentences_of_both_papers(opened: Opened) -> None:
    """A verdict without the sentence it rests on cannot be checked."""
    library = opened(CellJudge())
    made = library.review.rank(by="cells")
    verdicts = library.review.rank_verdicts(made.ranking[0].paper.id)
    assert len(verdicts) == COUNT - 1
    for verdict in verdicts:
        assert verdict.reason == "More cells."
        assert {verdict.first.id, verdict.second.id} == {one.paper.id for one in verdict.citations}
        assert all(re.fullmatch(r"We counted \d+ cells\.", one.quote) for one in verdict.citations)
        assert (verdict.preferred == "first") == (verdict.first.id == made.ranking[0].paper.id)


@pytest.mark.parametrize(
    "said",
    [
        {"spans": [99], "why": "x", "preferred": "first"},
        {"spans": [], "why": "x", "preferred": "first"},
        {"spans": [1], "why": "x", "preferred": "both"},
        Say(refusal="I do not rank."),
    ],
)
def test_useless_replies_are_reported_and_change_nothing(opened: Opened, said: Any) -> None:
    """A verdict that no sentence carries is none; the other pairs are judged all the same."""
    judge = CellJudge(lambda body: said if 100 in {number for _, number in cells(body)} else None)
    made = opened(judge).review.rank(by="cells")
    assert made.failed == COUNT - 1
    assert made.comparisons == (COUNT - 1) * (COUNT - 2) // 2
    assert "could not be judged" in made.note
    assert next(row for row in made.ranking if row.paper.doi == "10.1000/0").comparisons == 0


def test_a_budget_of_tokens_ends_the_run_and_keeps_what_was_judged(opened: Opened) -> None:
    """Money that was spent is not lost."""
    library = opened(CellJudge(), language__concurrency=1)
    made = library.review.rank(by="cells", limits={"budget.tokens": 700})
    assert made.stopped
    assert 0 < made.comparisons < 36
    assert library.review.rank_show().comparisons == made.comparisons


def test_a_paper_that_is_added_later_needs_few_comparisons(opened: Opened, tmp_path: Path) -> None:
    """A new paper must not cost what the whole ranking cost."""
    judge = CellJudge()
    library = opened(judge)
    before = library.review.rank(by="cells").comparisons
    library.add(write_jsonl(tmp_path / "b.jsonl", records(1, 50)))
    made = library.review.rank_add("10.1000/50", "cells")
    assert made.comparisons - before == 4  # log2 of ten places, rounded up
    assert numbers_of(made)[0] == 50
    again = library.review.rank_add("10.1000/50")
    assert again.comparisons == made.comparisons
    assert "often enough" in again.note


def test_removing_a_paper_removes_its_verdicts(opened: Opened) -> None:
    """Nothing of a removed paper stays, and the ranking of the others holds."""
    library = opened(CellJudge())
    library.review.rank(by="cells")
    gone = library.paper("10.1000/4").id
    library.remove(gone)
    made = library.review.rank_show()
    assert numbers_of(made) == [8, 7, 6, 5, 3, 2, 1, 0]
    assert made.comparisons == 28
    with pytest.raises(NotFoundError):
        library.review.rank_verdicts(gone)


def test_a_paper_that_is_removed_during_a_run_costs_no_other(opened: Opened) -> None:
    """Somebody else may remove a paper at any time: the others are ranked to the end."""
    judge = CellJudge()
    library = opened(judge)
    gone = library.paper("10.1000/4").id

    def remove(_: Progress) -> None:
        if len([*library.papers()]) == COUNT:
            library.remove(gone)

    made = library.review.rank(by="cells", progress=remove)
    assert not made.stopped
    assert sorted(numbers_of(made)) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert made.comparisons == 28


def test_a_person_is_not_asked_about_a_paper_that_was_removed(opened: Opened) -> None:
    """What cannot be shown cannot be judged, and ends nothing."""
    library = opened(count=5)
    library.review.rank(by="cells", begin=True, budget=10)
    state = find_ranking(library.review.session, "cells")
    gone = library.paper("10.1000/4").id
    library.remove(gone)
    shown: list[str] = []

    def ask(pair: RankPair) -> Preference:
        assert pair.first
        assert pair.second
        shown.extend((pair.first.paper, pair.second.paper))
        return "first"

    made = ask_person(state, ask, state.budget, state.next_pairs)
    assert made.comparisons == 6
    assert gone not in shown


def test_swaps_rank_random_pairs_without_intervals(opened: Opened) -> None:
    """The published procedure stays available, and claims no more than it knows."""
    judge = CellJudge()
    made = opened(judge).review.rank(by="cells", method="swaps")
    assert made.comparisons == 36
    assert numbers_of(made) == [*reversed(range(COUNT))]
    assert made.position_bias is None
    assert {(row.score, row.low, row.high) for row in made.ranking} == {(None, None, None)}


def test_a_person_judges_pair_after_pair(opened: Opened) -> None:
    """Without a model a library can be ranked by its reader; the page asks for one pair and gives the answer."""
    library = opened(count=5)
    with pytest.raises(UnavailableError, match="language model"):
        library.review.rank(by="cells")
    assert library.review.list() == ()
    assert library.review.rank(by="cells", begin=True, budget=8).comparisons == 0
    pair = library.review.rank_next()
    assert pair == library.review.rank_next("cells")
    answered = 0
    while pair.first and pair.second:
        assert "Moser" not in pair.first.text + pair.second.text
        a, b = (int(re.findall(r"counted (\d+)", side.text)[0]) for side in (pair.first, pair.second))
        pair = library.review.rank_answer(pair.first.paper, pair.second.paper, "first" if a > b else "second")
        answered += 1
    assert answered == pair.comparisons == 8
    made = library.review.rank_show()
    assert numbers_of(made)[0] == 4
    assert dict(made.judges) == {"user": 8}


def test_a_skipped_pair_is_not_asked_again_and_does_not_count(opened: Opened) -> None:
    """A person who cannot decide is shown another pair."""
    library = opened(count=3)
    library.review.rank(by="cells", begin=True)
    shown = set()
    pair = library.review.rank_next()
    while pair.first and pair.second:
        shown.add(frozenset((pair.first.paper, pair.second.paper)))
        pair = library.review.rank_answer(pair.first.paper, pair.second.paper, "skip")
    assert len(shown) == 3
    assert pair.comparisons == 0


def test_the_terminal_asks_until_it_is_told_to_quit(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--ask-me` shows both papers and takes l, r, t, s and q; what was judged before q is kept."""
    library = opened(count=5)
    monkeypatch.setattr("sys.stdin", io.StringIO("left\nR\nwhat?\nt\ns\nq\nl\n"))
    made = library.review.rank(by="cells", ask_me=True)
    assert made.comparisons == 3
    shown = capsys.readouterr().err
    assert "pair 1 of 10" in shown
    assert "Type l, r, t, s or q" in shown
    assert "Counting cells, part" in shown
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert library.review.rank(by="cells", ask_me=True).comparisons == 3


@pytest.mark.parametrize(("year", "note"), [((1900, 1901), "No paper"), ((2000, 2000), "Only one paper")])
def test_too_few_papers_are_no_failure(opened: Opened, year: Any, note: str) -> None:
    """Filters that nothing passes are reported as such, and nothing is kept."""
    library = opened(CellJudge())
    made = library.review.rank(by="cells", filters=Filters(year=year))
    assert made.ranking == ()
    assert made.note.startswith(note)
    assert library.review.list() == ()


def test_another_criterion_needs_another_name(opened: Opened) -> None:
    """Verdicts on different questions must not be mixed."""
    library = opened(CellJudge())
    library.review.rank(by="cells", name="Mine", budget=2)
    with pytest.raises(UsageError, match="has the criterion 'cells'"):
        library.review.rank(by="beauty", name="mine")
    with pytest.raises(UsageError, match="criterion is empty"):
        library.review.rank(by="  ")


def test_numbers_of_a_file_are_compared(opened: Opened, tmp_path: Path) -> None:
    """Impact factors, or any number, show how far the judge agrees with them."""
    library = opened(CellJudge())
    library.review.rank(by="cells")
    file = tmp_path / "factors.csv"
    file.write_text("paper,impact factor\n" + "".join(f"10.1000/{n},{9 - n}\n" for n in range(6)), "utf-8")
    found = {one.number: one for one in library.review.rank_show(numbers=file).agreement}
    assert (found["impact factor"].tau, found["impact factor"].papers) == (-1.0, 6)
    file.write_text("paper;impact factor\n" + "".join(f"10.1000/{n};{9 - n},5\n" for n in range(6)), "utf-8")
    assert library.review.rank_show(numbers=file).agreement[-1].tau == -1.0
    file.write_text("paper,number\n10.1000/1,many\n", "utf-8")
    with pytest.raises(UsageError, match="Row 2"):
        library.review.rank_show(numbers=file)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_plot_shows_every_paper(opened: Opened, tmp_path: Path, ending: str) -> None:
    """A figure for a talk: ranks with intervals."""
    pytest.importorskip("matplotlib")
    library = opened(CellJudge())
    library.review.rank(by="$x$ cells")
    library.review.rank_show(plot=tmp_path / f"a.{ending}")
    assert (tmp_path / f"a.{ending}").stat().st_size > 1000
    with pytest.raises(UsageError, match="does not end in"):
        library.review.rank_show(plot=tmp_path / "a.docx")


def test_the_command_prints_ranks_and_json(opened: Opened, tmp_path: Path) -> None:
    """The contract: `ranking: [{rank, paper, score, low, high}], comparisons, cycles, position_bias`."""
    library = opened(CellJudge())
    library.review.rank(by="cells")
    library.close()
    words = ("--library", str(tmp_path / "lib"), "review", "rank", "show")
    printed = CliRunner().invoke(app, [*words, "cells", "--json"])
    assert printed.exit_code == 0, printed.output
    body = json.loads(printed.stdout)
    assert body["schema"] == "conspectus.review.rank.show/1"
    assert {"rank", "paper", "score", "low", "high"} <= set(body["ranking"][0])
    assert {"comparisons", "cycles", "position_bias"} <= set(body)
    assert CliRunner().invoke(app, words).stdout.startswith("1\t")
