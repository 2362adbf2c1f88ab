"""Reports: outline, sections bound to their sentences, what is kept of them, and what is written to files."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, ServiceError, UnavailableError, UsageError
from conspectus.export.report import FORMATS, document_text
from conspectus.records.events import Progress
from conspectus.records.review import LiteratureReport
from conspectus.review.report.outline import OutlinePiece, group_by_subject, group_evidence, phrase_titles
from helpers import open_library, table_rows, write_jsonl
from language_server import InProcess, error, request_text
from oracle import evidence, reader, task

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
QUESTION = "What is known about caffeine?"
HEART = [
    "Caffeine raised the heart rate of mice by twenty beats.",
    "Caffeine lowered the heart rate of mice by ten beats.",
]
SLEEP = ["Caffeine delayed the sleep of students by one hour.", "Caffeine shortened the sleep of students at night."]
LIMITS = "A limitation is that open questions on caffeine remain in every trial."


def paper(number: int, finding: str) -> dict[str, Any]:
    return {
        "id": f"p{number}",
        "title": f"Trial {number}",
        "authors": [f"Author{number}, A"],
        "year": 2000 + number,
        "abstract": f"Much was said of trial{number} before. {finding} {LIMITS if number == 3 else 'So it ended.'}",
    }


RECORDS = [paper(number, finding) for number, finding in enumerate([*HEART, *SLEEP])]


def script(**others: Any) -> Callable[[dict[str, Any]], Any]:
    """A model that makes no mistake, and finds that the heart rates contradict each other."""
    own: dict[str, Any] = {
        "outline": lambda body: {"titles": [f"Theme {one}" for one in "ABCDEF"[: request_text(body).count("\n[")]]},
        "contradiction": lambda body: {
            "verdict": "contradict" if all(one in request_text(body) for one in HEART) else "compatible",
            "why": "It rose or it fell.",
        },
    }
    return reader("caffeine", **(own | others))


Opened = Callable[..., Library]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made: list[Library] = []

    def make(model: Any = None, records: Any = RECORDS) -> Library:
        made.append(open_library(tmp_path / f"lib{len(made)}", models={"m": InProcess(model or script())}))
        if records:
            made[-1].add(write_jsonl(tmp_path / f"refs{len(made)}.jsonl", records))
        return made[-1]

    yield make
    for library in made:
        library.close()


def quotes(report: LiteratureReport) -> set[str]:
    """The sentences that are cited."""
    statements = [statement for section in report.sections for statement in section.answer.statements]
    return {span.text for statement in statements for one in statement.citations for span in one.spans}


# the outline


def test_groups_are_what_is_alike() -> None:
    """Sections that mix subjects are of no use."""
    rng = np.random.default_rng(0)
    middle = np.linalg.qr(rng.normal(size=(32, 3)))[0].T
    of = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    vectors = np.array([middle[one] + 0.05 * rng.normal(size=32) for one in of], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert group_evidence(vectors, 3) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_what_all_have_in_common_makes_no_group() -> None:
    """Of 36 quotes on one question 33 were one section, and the three strangest the other."""
    rng = np.random.default_rng(1)
    shared, *middle = np.linalg.qr(rng.normal(size=(64, 5)))[0].T
    vectors = np.array([2 * shared + middle[one % 4] + 0.12 * rng.normal(size=64) for one in range(36)], np.float32)
    vectors[5] -= 2 * shared.astype(np.float32)  # the odd one
    groups = group_evidence(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 4)
    assert sorted(map(len, groups))[-1] <= 10 and len(groups) == 4


def pieces(*groups: tuple[str, list[str]]) -> list[list[OutlinePiece]]:
    return [[OutlinePiece(quote, title) for quote in quotes] for title, quotes in groups]


def test_titles_do_not_repeat_the_question() -> None:
    """Each section would be called by what was asked, or by what every paper says of itself."""
    groups = pieces(
        ("A meta-analysis", ["Sleep spindles grew with age.", "There were no sleep spindles in it."]),
        ("Another meta-analysis", ["Growth hormone fell with age in this.", "Growth hormone rose in sleep."]),
    )
    titles = phrase_titles(groups, "How does sleep change with age?")
    assert [title.split()[-1] for title in titles] == ["spindles", "hormone"]


def test_each_quote_of_a_group_is_about_what_its_title_says() -> None:
    """A section on pain and a section title that says hippocampus: 16 of 36 quotes were in the wrong section."""
    subjects = ["sleep apnea", "chronic pain", "bipolar disorder"]
    quotes = [f"In {subjects[at % 3]} the amygdala number {at} was small." for at in range(9)]
    found = [
        OutlinePiece(quote, f"Study {at}") for at, quote in enumerate([*quotes, "The cortex of others was large."])
    ]
    vectors = np.random.default_rng(0).normal(size=(10, 16)).astype(np.float32)
    groups, others = group_by_subject(found, vectors, "What is known of the brain?", 5)
    assert sorted(groups) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]] and others == [9]
    titles = phrase_titles([[found[at] for at in group] for group in groups], "What is known of the brain?")
    assert [title.casefold() for title in titles] == subjects
    assert group_by_subject(found, vectors, "What is known of the brain?", 2)[1] != others, "the rest is apart"


def test_short_forms_and_titles_of_papers_say_what_a_quote_is_about() -> None:
    """A quote on "OSA" would be among the others, although its paper names the disease."""
    found = [
        OutlinePiece("Patients with sleep apnea had small brains.", "Brains"),
        OutlinePiece("OSA made them sleepy.", "Drivers", "We saw obstructive sleep apnea (OSA)."),
        OutlinePiece("All were large.", "Large lungs of sleep apnea"),
        *(OutlinePiece(f"Some number{at} of things happened.", f"Title {at}") for at in range(9)),
    ]
    groups, _ = group_by_subject(found, np.eye(12, dtype=np.float32), "What is known?", 3)
    assert [0, 1, 2] in groups


@pytest.mark.parametrize(("count", "most"), [(0, 3), (1, 3), (2, 6), (3, 6), (40, 6), (40, 1)])
def test_each_piece_is_in_one_group(count: int, most: int) -> None:
    """No piece of evidence may be lost, and no group may have one alone."""
    vectors = np.random.default_rng(count).normal(size=(count, 16)).astype(np.float32)
    groups = group_evidence(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), most)
    assert sorted(place for group in groups for place in group) == list(range(count))
    assert len(groups) <= most and (count < 2 or all(len(group) > 1 for group in groups))
    same = group_evidence(np.ones((count, 16), np.float32) / 4, most)
    assert len(same) == min(count, 1)


def test_titles_tell_groups_apart() -> None:
    """Two sections of one name cannot be told apart."""
    heart, sleep = phrase_titles(
        pieces(
            ("One", ["The heart rate rose.", "The heart rate fell."]), ("Two", ["Deep sleep fell.", "Deep sleep rose."])
        )
    )
    assert "eart rate" in heart and "leep" in sleep
    assert len(set(phrase_titles(pieces(("", ["a"]), ("", ["a"]), ("", [""]))))) == 3


# reports


def test_sections_are_bound_to_their_sentences(opened: Opened) -> None:
    """Each statement is opened at the sentence that it rests on."""
    told: list[Progress] = []
    library = opened()
    report = library.review.report(QUESTION, model="m", progress=told.append)
    assert {section.state for section in report.sections} == {"written"}
    assert {section.title[:5] for section in report.sections} <= {"Theme", "Limit"}
    assert set(HEART + SLEEP) <= quotes(report)
    for section in report.sections:
        for statement in section.answer.statements:
            assert statement.status == "supported" and statement.citations
    assert {one.paper.title for one in report.papers} == {f"Trial {n}" for n in range(4)}
    (pair,) = report.disagreements
    assert {pair.first.quote, pair.second.quote} == set(HEART) and pair.why
    assert (report.coverage.searched, report.coverage.read, report.coverage.abstract_only) == (4, 4, 4)
    assert "writing" in {one.stage for one in told}
    assert library.review.report_show() == report


def test_without_a_model_there_are_quotes(opened: Opened) -> None:
    """A report that nobody wrote must not look written."""
    library = opened()
    report = library.review.report(QUESTION)
    assert {section.state for section in report.sections} == {"quoted"}
    assert set(HEART + SLEEP) <= quotes(report)
    assert "language model" in report.note and not report.disagreements
    with pytest.raises(UnavailableError):
        library.review.report_rewrite("1")


def test_limitations_are_quoted_without_a_model(opened: Opened) -> None:
    """A reader would take findings for surer than their authors do."""
    limits = "However, the sample size of our study was small, which limits the generalization of our results."
    record = paper(1, HEART[1]) | {"abstract": f"{HEART[1]} {limits}"}
    report = opened(records=[*RECORDS[:1], record, *RECORDS[2:]]).review.report(QUESTION)
    last = report.sections[-1]
    assert (last.title, last.state) == ("Limitations and open questions", "quoted")
    assert [one.citations[0].quote for one in last.answer.statements] == [limits]


def test_an_outline_is_written_later(opened: Opened) -> None:
    """Whoever looks at the outline first does not pay for reading twice."""
    asked: list[str] = []

    def model(body: dict[str, Any]) -> Any:
        asked.append(task(body))
        return script()(body)

    library = opened(model)
    first = library.review.report(QUESTION, outline=True, model="m")
    assert {section.state for section in first.sections} == {"quoted"} and "write" not in asked
    asked.clear()
    second = library.review.report(QUESTION, model="m")
    assert {section.state for section in second.sections} == {"written"} and "gather" not in asked
    assert [one.title for one in first.sections] == [one.title for one in second.sections]
    asked.clear()
    assert library.review.report(QUESTION, model="m") == second and not asked


def test_a_run_that_failed_goes_on(opened: Opened) -> None:
    """What was written before a model failed is not paid for again."""
    broken = {"on": True}

    def write(body: dict[str, Any]) -> Any:
        return error(500) if broken["on"] and "Theme B" in request_text(body) else written(body)

    def written(body: dict[str, Any]) -> Any:
        return {
            "answerable": True,
            "statements": [{"text": text, "evidence": [name]} for name, text in evidence(body).items()],
            "missing": "",
        }

    library = opened(script(write=write))
    first = library.review.report(QUESTION, sections=2, model="m")
    assert {section.state for section in first.sections} == {"quoted", "written"}
    assert "could not be written" in first.note
    broken["on"] = False
    second = library.review.report(QUESTION, sections=2, model="m")
    assert {section.state for section in second.sections} == {"written"} and not second.note


def test_a_section_is_kept_expanded_rewritten_and_deleted(opened: Opened) -> None:
    """A reviewer who is content with a section must not lose it."""
    library = opened()
    report = library.review.report(QUESTION, sections=2, model="m")
    count = len(report.sections)
    assert library.review.report_keep("1").sections[0].kept
    for change in (library.review.report_rewrite, library.review.report_expand):
        with pytest.raises(UsageError):
            change("1", model="m")
    with pytest.raises(UsageError):
        library.review.report_delete("1")
    title = report.sections[1].title
    assert library.review.report_expand(title, model="m").sections[1].state == "written"
    assert library.review.report_rewrite("2", model="m").sections[1].title == title
    assert len(library.review.report_delete(title.upper()).sections) == count - 1
    assert not library.review.report_keep("1", off=True).sections[0].kept
    with pytest.raises(NotFoundError):
        library.review.report_delete("9")


def test_sections_are_no_answers_of_their_own(opened: Opened) -> None:
    """Lists of answers are of questions that somebody asked."""
    library = opened()
    library.review.report(QUESTION, model="m")
    assert library.answers.list() == ()
    with pytest.raises(NotFoundError):
        library.answers.show("last")
    library.review.delete(QUESTION)
    assert not table_rows(library)["answers"] and not table_rows(library)["reviews"]


def test_a_removed_paper_leaves_no_words(opened: Opened) -> None:
    """Removing a paper removes its sentences from reports, and brings them back with it."""
    library = opened()
    before = library.review.report(QUESTION)
    library.remove("p0")
    after = library.review.report_show()
    assert HEART[0] not in quotes(after) and HEART[0] in quotes(before)
    assert "Trial 0" not in document_text(after, "md") and "no longer" not in document_text(after, "md")
    assert {section.state for section in after.sections} == {"quoted"}
    assert HEART[0] not in json.dumps(
        {
            name: repr(rows)
            for name, rows in table_rows(library).items()
            if name.startswith(("answer", "review", "evidence"))
        }
    )
    library.undo_remove()
    assert quotes(library.review.report_show()) == quotes(before)


def test_names_and_questions(opened: Opened) -> None:
    """A second report must not be mistaken for the first."""
    library = opened()
    library.review.report(QUESTION, name="Coffee")
    with pytest.raises(UsageError):
        library.review.report("What is known about tea?", name="coffee")
    with pytest.raises(UsageError):
        library.review.report("  ")
    assert library.review.report_show("coffee").question == QUESTION
    with pytest.raises(NotFoundError):
        library.review.report_show("tea")


def test_nothing_found_is_no_failure(opened: Opened) -> None:
    """An empty library has no report, and says why."""
    report = opened(records=[]).review.report(QUESTION, model="m")
    assert not report.sections and report.note
    assert "0 papers searched" in document_text(report, "md")


def test_a_report_on_what_no_paper_mentions_has_no_sections(opened: Opened) -> None:
    """Quotes on whatever is least far away would look like an answer, where `ask` refuses."""
    report = opened().review.report("What is known about the flurbs of Jupiter?", outline=True)
    assert not report.sections and "No paper in the library mentions" in report.note


def test_a_report_of_nothing_begins_again(opened: Opened, tmp_path: Path) -> None:
    """Whoever asks before adding papers is not left with an empty report."""
    library = opened(records=[])
    assert not library.review.report(QUESTION, model="m").sections
    library.add(write_jsonl(tmp_path / "later.jsonl", RECORDS))
    report = library.review.report(QUESTION, model="m")
    assert {section.state for section in report.sections} == {"written"}


def test_a_model_that_cannot_be_asked_is_told(opened: Opened) -> None:
    """A report of nothing must not pass for one."""
    with pytest.raises(ServiceError):
        opened(lambda _: error(500)).review.report(QUESTION, model="m")


def test_consensus_is_a_section(opened: Opened) -> None:
    """How far papers agree is shown with the sentences of each, and is not written again."""

    def stance(body: dict[str, Any]) -> dict[str, Any]:
        return {"stance": "supports", "spans": [1], "why": "It says so."}

    library = opened(script(claim=lambda _: {"claim": "Caffeine acts."}, stance=stance))
    report = library.review.report(QUESTION, parts=("consensus",), model="m")
    section = report.sections[-1]
    assert section.title == "How far the papers agree" and len(section.answer.statements) == 4
    assert all(one.citations for one in section.answer.statements) and "Agreement" in report.note
    with pytest.raises(UsageError):
        library.review.report_rewrite(section.title, model="m")


def test_a_table_is_part_of_a_report(opened: Opened) -> None:
    """A review article has its table, each value with its sentence."""
    library = opened()
    library.review.table("delay (h)", name="Delays", model="none")
    report = library.review.report(QUESTION, parts=("figures,table:delays",))
    (table,) = report.tables
    assert table.name == "Delays" and len(table.rows) == len(RECORDS)
    for to in ("md", "html", "tex"):
        assert "Delays" in document_text(report, to)
    with pytest.raises(UsageError):
        library.review.report("What of tea?", parts=("tables",))
    with pytest.raises(NotFoundError):
        library.review.report("What of tea?", parts=("table:None",))
    library.review.delete("Delays")
    assert not library.review.report_show(QUESTION).tables


# documents

HOSTILE = (
    "Caffeine <script>alert(1)</script> raised [x](http://e.org) \\input{/etc/passwd} $HOME | a_b ^1 # & 100% ~ "
    "~~struck~~ of all mice."
)


def hostile(report: LiteratureReport) -> LiteratureReport:
    """The report with such words wherever a model, a paper or the user may have written some."""
    sections = tuple(replace(section, title=HOSTILE) for section in report.sections)
    return replace(report, question=HOSTILE, note=HOSTILE, sections=sections)


@pytest.mark.parametrize("to", ["md", "html", "tex"])
def test_hostile_words_stay_words(opened: Opened, to: str) -> None:
    """What a paper says must not run, link or read files where the report is opened."""
    records = [*RECORDS, {**paper(7, HOSTILE), "title": f"Study {HOSTILE}"}]
    text = document_text(hostile(opened(records=records).review.report(QUESTION)), to)
    assert "alert(1)" in text
    if to == "md":
        assert not re.search(r"(?<!\\)<", text) and "[x](" not in text
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert rows and {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    if to == "html":
        assert "<script" not in text and 'href="http' not in text
    if to == "tex":
        assert "\\input{/" not in text and "\\$HOME" in text and "a\\_b" in text


def test_word_files_have_all_of_it(opened: Opened, tmp_path: Path) -> None:
    """A supervisor asks for Word."""
    docx = pytest.importorskip("docx")
    library = opened(records=[*RECORDS, paper(7, f"{HOSTILE}\x00\x0b")])
    report = library.review.report(QUESTION, to="docx", output=str(tmp_path / "a.docx"))
    word = docx.Document(str(tmp_path / "a.docx"))
    text = "\n".join(one.text for one in word.paragraphs)
    assert QUESTION in text and all(quote in text for quote in HEART) and "/etc/passwd" in text
    assert len(word.tables[0].rows) == len(report.papers) + 1
    with pytest.raises(UsageError):
        library.review.report_show(to="docx")


def test_files_are_written(opened: Opened, tmp_path: Path) -> None:
    """Each format is a file that appears whole."""
    library = opened()
    library.review.report(QUESTION)
    for to in FORMATS:
        library.review.report_show(to=to, output=str(tmp_path / f"report.{to}"))
        assert (tmp_path / f"report.{to}").stat().st_size > 100
