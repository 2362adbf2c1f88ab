"""Screening papers: the order, labels of several reviewers, conflicts, files of labels, PRISMA counts."""

import dataclasses
import io
import json
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Filters, Library
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.faces.printer import Printer
from conspectus.records.review_screen import Screening
from conspectus.review.screen.views import screen as show_screening
from conspectus.review.screen.views import screen_status as show_status
from helpers import assert_consistent, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
CRITERIA: dict[str, Any] = {
    "question": "Do beta blockers prevent migraine?",
    "include": ["Randomized trial of propranolol against placebo", "Patients with migraine"],
    "exclude": {"no trial": "Review, letter or editorial", "animals": "Rats and mice"},
}
PAPERS = 24


def record(number: int) -> dict[str, Any]:
    """Every fourth is a trial of propranolol against migraine."""
    if number % 4 == 3:
        title = f"Propranolol against migraine in group {number} of patients"
        text = f"A randomized trial of propranolol against placebo. Migraine of patient {number} was prevented."
    else:
        title = f"Review number {number} of rock layers near rivers"
        text = f"A letter on sediments of kind {number}. Rocks and rivers were seen by geologists."
    return {
        "title": title,
        "abstract": text,
        "doi": f"10.1000/{number}",
        "year": 2000 + number,
        "authors": [f"A B{number}"],
    }


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "pubmed.jsonl", [record(number) for number in range(PAPERS)]))
        yield library


def relevant(found: Screening) -> bool:
    assert found.paper is not None
    return "Propranolol" in found.paper.title


def test_a_first_order_reads_each_paper_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 20,000 papers a new screening would take seconds longer, with the same result."""
    read: list[int] = []
    reads = type(library.session.catalog).metadata_by_key
    monkeypatch.setattr(
        type(library.session.catalog), "metadata_by_key", lambda own, keys: read.extend(keys) or reads(own, keys)
    )
    library.review.screen(CRITERIA, name="migraine")
    assert len(read) == len(set(read)) == PAPERS
    read.clear()
    library.review.screen_next("migraine")  # the same from what is kept
    assert not read
    library.review.screen(CRITERIA | {"question": "Does it?", "include": ["Other"]}, name="migraine")
    assert sorted(read) == sorted(set(read))


def label(library: Library, paper: str, choice: str, **more: Any) -> Screening:
    return library.review.screen_label(paper, choice, **more)


def test_a_screening_finds_what_is_relevant_first_and_says_when_to_stop(library: Library) -> None:
    """A reviewer would read everything, or stop too soon."""
    found = library.review.screen(CRITERIA, name="Migraine")
    assert (found.papers, found.remaining, found.reason) == (PAPERS, PAPERS, "by the criteria")
    assert found.estimate.high == PAPERS and not found.stop
    assert found.criteria.exclude["animals"] == "Rats and mice"
    read = []
    while found.paper and not found.stop:
        read.append(relevant(found))
        reason = "" if read[-1] else "NO TRIAL"
        found = label(library, found.paper.id, "include" if read[-1] else "exclude", reason=reason)
    assert read[:6] == [True] * 6 and sum(read) == found.included == 6
    assert 0 < found.remaining < PAPERS - 6
    assert (found.estimate.low, found.estimate.relevant, found.estimate.high) == (6, 6, 6)
    assert found.reason == "by the labels"
    audit = library.review.screen_status(audit=True)
    assert [one.label == "include" for one in audit.labels] == read
    assert {one.reason for one in audit.labels} == {"", "no trial"}
    library.review.screen_end()
    ended = library.review.screen_next()
    assert ended.paper is None and ended.ended
    counts = library.review.screen_prisma()
    assert counts.sources == {"pubmed.jsonl": PAPERS}
    assert (counts.screened, counts.excluded_by_automation, counts.unscreened) == (len(read), found.remaining, 0)
    assert counts.excluded_reasons == {"no trial": len(read) - 6} and counts.sought == 6
    assert counts.included == counts.assessed == 0, "no report was assessed"
    assert library.review.screen_end(undo=True).paper is not None


def test_two_reviewers_disagree_and_it_is_settled(library: Library) -> None:
    """A paper would be in or out because of who clicked last."""
    library.review.screen({**CRITERIA, "reviewers": 2}, name="Both")
    a, b, c, d = (library.paper(f"10.1000/{number}").id for number in (3, 7, 0, 11))
    for paper in (a, b, d):
        label(library, paper, "include", reviewer="ann")
    assert library.review.screen_next(reviewer="bob").reason == "needs the label of another reviewer"
    label(library, a, "include", reviewer="bob")
    label(library, b, "exclude", reviewer="bob", reason="animals")
    label(library, c, "exclude", reviewer="bob")
    found = library.review.screen_status(reviewer="ann")
    assert (found.included, found.excluded, found.waiting, found.conflicts) == (1, 0, 2, (b,))
    assert found.paper is not None and found.paper.id == c
    assert found.agreement is not None
    assert (found.agreement.papers, found.agreement.same, found.agreement.split) == (2, 1, 1)
    assert {one.name: one.value for one in found.agreement.figures}["ac1"] == pytest.approx(1 / 17)
    [dispute] = found.disputed
    assert (dispute.paper.id, dispute.stage) == (b, "abstract")
    assert [(one.reviewer, one.label, one.reason) for one in dispute.labels] == [
        ("ann", "include", ""),
        ("bob", "exclude", "animals"),
    ]
    out = io.StringIO()
    show_status(Printer(out), found)
    assert f"Conflict: {dispute.paper.title}" in out.getvalue()
    assert f"review screen label {b} include|exclude --resolve --name Both" in out.getvalue()
    settled = label(library, b, "exclude", reviewer="cleo", resolve=True)
    assert not settled.conflicts and settled.excluded == 1
    assert not library.review.screen_status().disputed
    alone = label(library, library.paper("10.1000/5").id, "include", reviewer="cleo", resolve=True)
    assert (alone.included, alone.waiting) == (1, 3), "there is nothing to settle: another reviewer has to read it"
    assert library.review.screen_prisma().excluded_reasons == {"animals": 1}, "the reason given before stays"
    assert len(library.review.screen_status(audit=True).labels) == 8
    # from now on ann's labels count, also where nobody settled anything
    library.review.screen({**CRITERIA, "reviewers": 2, "decides": "ann"}, name="Both")
    label(library, a, "exclude", reviewer="bob")
    assert library.review.screen_status().included == 2


def test_papers_that_are_one_work_share_a_label(library: Library, tmp_path: Path) -> None:
    """A preprint would be screened twice, and counted twice."""
    twin = record(3) | {
        "doi": "10.1101/3",
        "year": 2004,
        "title": "Propranolol against migraine, in group 3 of Patients",
    }
    other = record(3) | {"doi": "10.1000/x", "authors": ["Somebody Else"]}
    library.add(write_jsonl(tmp_path / "biorxiv.jsonl", [twin, other]))
    found = library.review.screen(CRITERIA)
    assert found.papers == PAPERS + 1
    first, second = library.paper("10.1000/3").id, library.paper("10.1101/3").id
    assert label(library, second, "include").included == 1
    assert library.review.screen_status().remaining == PAPERS
    label(library, first, "exclude", reviewer="bob")
    assert library.review.screen_status().conflicts == (first,)
    counts = library.review.screen_prisma()
    assert (counts.sources, counts.duplicates) == ({"pubmed.jsonl": PAPERS, "biorxiv.jsonl": 2}, 1)


@pytest.mark.parametrize("to", ["csv", "ris"])
def test_labels_go_out_and_come_back(library: Library, tmp_path: Path, to: str) -> None:
    """Work in another program would be lost."""
    library.review.screen(CRITERIA, name="One")
    label(library, "10.1000/3", "include", reviewer="ann")
    label(library, "10.1000/3", "exclude", reviewer="bob", reason="animals")
    label(library, "10.1000/4", "exclude", reviewer="ann", reason="no trial")
    out = tmp_path / f"labels.{to}"
    exported = library.review.screen_export(to=to, output=out)
    assert exported.output == str(out) and not exported.text
    again = library.review.screen_import(out)
    assert (again.labels, dict(again.failed)) == (0, {})
    library.review.screen(CRITERIA, name="Two")
    assert library.review.screen_import(out, name="Two").labels == 3
    known = [(one.paper, one.label, one.reviewer) for one in library.review.screen_status("One", audit=True).labels]
    told = [(one.paper, one.label, one.reviewer) for one in library.review.screen_status("Two", audit=True).labels]
    assert sorted(told) == sorted(known)


def test_a_file_of_labels_with_faults_keeps_what_is_good(library: Library) -> None:
    """One wrong line would cost an afternoon's labels, or nobody would hear of it."""
    library.review.screen(CRITERIA, filters=Filters(year=(2000, 2010)))
    text = (
        "doi,title,included,reviewer\n10.1000/3,,1,ann\n10.1000/4,,0,\n10.1000/999,,1,\n"
        ",Propranolol against migraine in group 7 of patients,yes,\n10.1000/5,,perhaps,\n10.1000/20,,1,\n10.1000/6,,,\n"
    )
    found = library.review.screen_import(labels_text=text, reviewer="bob")
    assert found.labels == 3 and list(found.failed) == ["line 4", "line 6", "line 7"]
    assert "is no label" in found.failed["line 6"] and "not in the screening" in found.failed["line 7"]
    assert {one.reviewer for one in library.review.screen_status(audit=True).labels} == {"ann", "bob"}
    rayyan = (
        "TY  - JOUR\nTI  - x\nDO  - 10.1000/8\n"
        'N1  - RAYYAN-INCLUSION: {"Cleo"=>"Excluded"} | RAYYAN-EXCLUSION-REASONS: animals\nER  - \n'
        "TY  - JOUR\nDO  - 10.1000/7\nN1  - ASReview_relevant\nER  - \n"
    )
    assert library.review.screen_import(labels_text=rayyan).labels == 2
    last = library.review.screen_status(audit=True).labels[-2]
    assert (last.reviewer, last.label, last.reason) == ("Cleo", "exclude", "animals")
    with pytest.raises(InputError, match="no columns"):
        library.review.screen_import(labels_text="a,b\n1,2\n")
    with pytest.raises(InputError, match="cannot be read"):
        library.review.screen_import(labels_text='doi,label\n"10.1000/3,include\n10.1000/4,include\n')


def test_stages_and_reasons_that_a_screening_does_not_have_are_told(library: Library) -> None:
    """A decision on a full text would count as one on an abstract, and a misspelt reason be a row of its own."""
    library.review.screen(CRITERIA)
    rows = (
        "3,include,,Full text review",
        "4,exclude,ANIMALS,  ",
        "5,exclude,anmals,abstract",
        "6,include,,then",
    )
    text = "\n".join(("doi,label,reason,stage", *(f"10.1000/{row}" for row in rows)))
    found = library.review.screen_import(labels_text=text)
    assert (found.labels, found.new_reasons) == (3, {"anmals": 1})
    assert found.failed == {"line 5": "'then' is no stage."}
    labels = library.review.screen_status(audit=True).labels
    assert [(given.stage, given.reason) for given in labels] == [
        ("full-text", ""),
        ("abstract", "animals"),
        ("abstract", "anmals"),
    ]


def test_reviewers_who_label_at_once_lose_nothing(library: Library) -> None:
    """Two people screen at the same time, and the slower one's work would be gone."""
    library.review.screen(CRITERIA)
    papers = [f"10.1000/{number}" for number in range(8)]

    def work(reviewer: str) -> None:
        for paper in papers:
            label(library, paper, "include" if reviewer == "ann" else "exclude", reviewer=reviewer)

    threads = [threading.Thread(target=work, args=(who,)) for who in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = library.review.screen_status(audit=True)
    assert len(found.labels) == 16 and len(found.conflicts) == 8


def test_full_texts_are_decided_on_after_abstracts(library: Library) -> None:
    """The second half of a PRISMA diagram would be empty."""
    library.review.screen(CRITERIA)
    for number in (3, 7, 11):
        label(library, f"10.1000/{number}", "include")
    found = library.review.screen_next(stage="full-text")
    assert found.paper is not None and found.reason == "included by title and abstract"
    label(library, "10.1000/3", "include", stage="full-text")
    after = label(library, "10.1000/7", "exclude", stage="full-text", reason="animals")
    assert after.paper is not None and after.paper.doi == "10.1000/11" and after.included == 3
    counts = library.review.screen_prisma()
    assert (counts.sought, counts.not_retrieved, counts.assessed, counts.included) == (3, 1, 2, 1)
    assert counts.full_text_reasons == {"animals": 1}


def test_reports_wait_until_one_is_decided_on(library: Library) -> None:
    """A diagram would say that reports could not be had which nobody has looked for yet."""
    library.review.screen(CRITERIA)
    for number in (3, 7):
        label(library, f"10.1000/{number}", "include")
    counts = library.review.screen_prisma()
    assert (counts.sought, counts.not_retrieved, counts.assessed) == (2, 0, 0)
    assert (counts.unassessed, counts.included) == (2, 0)


def test_a_full_text_that_is_not_included_by_its_abstract_is_told(library: Library) -> None:
    """The label would count nowhere, and nobody would know why."""
    library.review.screen(CRITERIA)
    assert "once it is" in label(library, "10.1000/3", "include", stage="full-text").notes[0]
    label(library, "10.1000/3", "include")
    assert label(library, "10.1000/3", "include", stage="full-text").notes == ()


def test_a_record_with_one_reason_gives_it_to_nobody_else(library: Library) -> None:
    """Coming back from another program, a reviewer would have a reason that was another's."""
    library.review.screen(CRITERIA)
    label(library, "10.1000/1", "exclude", reason="animals", reviewer="ann")
    label(library, "10.1000/1", "include", reviewer="ben")
    label(library, "10.1000/1", "exclude", reason="no trial", reviewer="chief", resolve=True)
    ris = library.review.screen_export(to="ris").text
    assert library.review.screen_import(labels_text=ris).labels == 0
    reasons = {item.reviewer: item.reason for item in library.review.screen_status(audit=True).labels}
    assert reasons == {"ann": "animals", "ben": "", "chief": "no trial"}


def test_a_reason_of_two_who_agree_goes_to_both_but_overrules_nobody(library: Library) -> None:
    """Reasons of a whole screening in another program would be lost, or one reviewer have the other's."""
    library.review.screen(CRITERIA)
    label(library, "10.1000/1", "exclude", reason="animals", reviewer="ann")
    label(library, "10.1000/1", "exclude", reason="no trial", reviewer="ben")
    ris = library.review.screen_export(to="ris").text
    assert library.review.screen_import(labels_text=ris).labels == 0
    library.review.screen(CRITERIA, name="anew")
    library.review.screen_import(labels_text=ris, name="anew")
    found = library.review.screen_status("anew", audit=True).labels
    assert {item.reviewer: item.reason for item in found} == dict.fromkeys(("ann", "ben"), "animals")


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_labels_as_spreadsheets_save_them_are_read(
    library: Library, tmp_path: Path, separator: str, encoding: str
) -> None:
    """In much of Europe a spreadsheet's CSV has semicolons, and on Windows its text has a mark in front."""
    library.review.screen(CRITERIA)
    rows = ["doi,label,reviewer", "10.1000/3,include,Zoë", "10.1000/4,exclude,Zoë"]
    (tmp_path / "labels.csv").write_bytes("\r\n".join(rows).replace(",", separator).encode(encoding))
    assert library.review.screen_import(tmp_path / "labels.csv").labels == 2
    assert {item.reviewer for item in library.review.screen_status(audit=True).labels} == {"Zoë"}


def test_labels_in_an_unknown_encoding_are_refused(library: Library, tmp_path: Path) -> None:
    """Names would be mangled, or the cause not be said."""
    library.review.screen(CRITERIA)
    (tmp_path / "labels.csv").write_bytes("doi,label,reviewer\n10.1000/3,include,Zoë".encode("latin-1"))
    with pytest.raises(InputError, match="not a text in UTF-8"):
        library.review.screen_import(tmp_path / "labels.csv")


def test_the_diagram_has_the_counts(library: Library, tmp_path: Path) -> None:
    """A figure of a paper would have other numbers than the review."""
    library.review.screen({**CRITERIA, "exclude": {"<script>alert(1)</script> & more": ""}}, name="A <b> & c")
    label(library, "10.1000/4", "exclude", reason="<script>alert(1)</script> & more")
    svg = library.review.screen_prisma(output=tmp_path / "p.svg")
    assert svg.output.endswith("p.svg")
    root = ET.fromstring((tmp_path / "p.svg").read_text())
    words = " ".join(text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "Records screened (n = 1)" in words
    assert f"Records identified (n = {PAPERS})" in words and "excluded by people (n = 1)" in words
    assert f"Records still without a decision (n = {PAPERS - 1})" in words
    page = library.review.screen_prisma(to="html").text
    assert "<script>" not in page and "<svg" in page
    told = json.loads(library.review.screen_prisma(to="json").text)
    assert told["screened"] == 1 and told["sources"] == {"pubmed.jsonl": PAPERS}
    with pytest.raises(UsageError, match="no format"):
        library.review.screen_prisma(output=tmp_path / "p.png")


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ({}, "neither a question"),
        ({"include": ["a"], "reviewers": 0}, "number from 1"),
        ({"include": ["a"], "exclude": 3}, "table of reasons"),
        ({"include": [3]}, "is a text"),
        ({"include": ["a"], "exlude": ["b"]}, "no `exlude`"),
        ({"include": ["a"], "Exclude": ["b"]}, "no `Exclude`"),
    ],
)
def test_criteria_that_say_nothing_are_refused(library: Library, criteria: dict[str, Any], message: str) -> None:
    """A screening by nothing would look like one."""
    with pytest.raises(UsageError, match=message):
        library.review.screen(criteria)


def test_what_cannot_be_labelled_is_said(library: Library) -> None:
    """A label would vanish without a word."""
    with pytest.raises(NotFoundError, match="no screening yet"):
        library.review.screen_next()
    empty = library.review.screen(CRITERIA, name="Empty", filters=Filters(year=(1900, 1901)))
    assert empty.papers == 0 and empty.paper is None and empty.notes == ("No paper passes these filters.",)
    library.review.screen(CRITERIA, filters=Filters(year=(2000, 2005)))
    with pytest.raises(NotFoundError, match="is not in the screening"):
        label(library, "10.1000/20", "include")
    with pytest.raises(UsageError, match="no reason 'bad'"):
        label(library, "10.1000/3", "exclude", reason="bad")
    with pytest.raises(UsageError, match="for an inclusion"):
        label(library, "10.1000/3", "include", reason="animals")
    with pytest.raises(UsageError, match="reviewer's name"):
        label(library, "10.1000/3", "include", reviewer=" ")


def test_criteria_with_a_mark_in_front_are_read(library: Library, tmp_path: Path) -> None:
    """Some editors on Windows put one there."""
    (tmp_path / "c.toml").write_bytes('question = "Do rocks sing?"\n'.encode("utf-8-sig"))
    assert library.review.screen(tmp_path / "c.toml").criteria.question == "Do rocks sing?"


def test_criteria_in_toml_are_read_as_written(library: Library, tmp_path: Path) -> None:
    """The file of the documentation would not work."""
    path = tmp_path / "migraine.toml"
    path.write_text('question = "Q?"\ninclude = ["a", "b"]\nreviewers = 2\n[exclude]\n"no trial" = "Reviews"\n')
    found = library.review.screen(path)
    assert (found.name, found.criteria.include, found.criteria.reviewers) == ("migraine", ("a", "b"), 2)
    path.write_text("question = ")
    with pytest.raises(InputError, match="cannot be read"):
        library.review.screen(path)


def test_removing_a_paper_removes_its_labels(library: Library) -> None:
    """Verdicts would be kept on papers that are to be forgotten, or a slip would lose them."""
    library.review.screen(CRITERIA)
    paper = library.paper("10.1000/3")
    label(library, paper.id, "include")
    library.remove(paper.id)
    found = library.review.screen_status(audit=True)
    assert (found.papers, found.included, found.labels) == (PAPERS - 1, 0, ())
    assert not table_rows(library)["review_entries"]
    assert_consistent(library)


def test_the_paper_comes_with_the_command_that_labels_it(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two screenings the label would go to the one that was changed last."""
    library.review.screen(CRITERIA, name="Migraine's trials")
    shown = library.review.screen_next("Migraine's trials")
    show_screening(Printer(), shown)
    assert shown.paper
    told = " ".join(capsys.readouterr().out.split())
    assert f"review screen label {shown.paper.id} include|exclude --name 'Migraine'\"'\"'s trials'" in told
    label(library, shown.paper.id, "include")
    show_screening(Printer(), library.review.screen_next("Migraine's trials", reviewer="Ann Lee", stage="full-text"))
    told = " ".join(capsys.readouterr().out.split())
    assert f"label {shown.paper.id} include|exclude --stage full-text --reviewer 'Ann Lee' --name" in told


def test_who_may_stop_first_finishes_what_was_begun(library: Library) -> None:
    """Papers that one of two reviewers has read would be left without a decision, as if nobody had read them."""
    library.review.screen(CRITERIA)
    screening = dataclasses.replace(library.review.screen_next(), stop=True, remaining=5)
    for waiting, expected in ((3, "First finish what was begun: 3 papers"), (0, "You may stop. 5 papers would stay")):
        show_screening(Printer(stream := io.StringIO()), dataclasses.replace(screening, waiting=waiting))
        assert expected in stream.getvalue() and ("You may stop." in stream.getvalue()) == (waiting == 0)


def test_coefficients_need_some_papers(library: Library) -> None:
    """κ of a single paper, with an interval, would be read as a measurement."""
    library.review.screen(CRITERIA)
    for number, paper in enumerate(library.papers(limit=5)):
        for reviewer in ("ann", "ben"):
            library.review.screen_label(paper.id, "include" if number % 2 else "exclude", reviewer=reviewer)
        show_status(Printer(stream := io.StringIO()), library.review.screen_status())
        text = stream.getvalue()
        assert ("Cohen's κ" in text) == (number == 4) != ("κ, AC1 and α need two labels" in text)
