"""Reports as the library keeps them: each section is an answer that is stored with the ids of its sentences.

So a removed paper leaves nothing of its words behind, and comes back with them; titles made of key phrases are made
again whenever a report is read. Lists of answers pass sections over
(`answer.sql.SECTION`). A report's `spec` has the question and, for each section, its title and the answer's id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, update

from conspectus.answer.prose import prose
from conspectus.answer.sql import SECTION, load_answer, remove_answer, save_answer
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import pluralize
from conspectus.curation.verbs import write_aside
from conspectus.figures.answer_figures import add_cited_figures
from conspectus.records import Answer, AskOptions, Citation, Passage, Span
from conspectus.records.paper import label_papers
from conspectus.records.review import (
    Contradiction,
    LiteratureReport,
    ReportCoverage,
    ReportedPaper,
    ReportSection,
    Review,
    ReviewEntry,
    ReviewTable,
)
from conspectus.review.report.outline import outline_pieces, phrase_titles
from conspectus.review.sql import entries_of, find_review, keep_entries, papers_of
from conspectus.review.table.tables import columns_of, load_rows
from conspectus.session.session import Session
from conspectus.store.codec import unpack_json
from conspectus.store.connection import new_id, utc_now
from conspectus.store.review_tables import reviews
from conspectus.store.schema import answers

TABLE = "table:"
"""Before the id of a table, among the parts of a report."""
DISAGREEMENT = "disagreement"
"""The field of what a report says of two papers."""
Spec = dict[str, Any]


def load_report(session: Session, name: str) -> LiteratureReport:
    """The report of a name or id, or `last`.

    Raises:
        NotFoundError: there is none.
    """
    review = find_report(session, name)
    sections = load_sections(session, review)
    return LiteratureReport(
        review.id,
        review.name,
        review.spec["question"],
        sections,
        _cited_papers(sections),
        _disagreements(session, review, sections),
        tuple(_tables(session, review)),
        ReportCoverage(**review.spec.get("coverage", {})),
        " ".join(dict.fromkeys(note for note in review.spec.get("notes", {}).values() if note)),
        review.made,
        review.updated,
    )


def find_report(session: Session, name: str) -> Review:
    """The review that a report is kept as; see `load_report`."""
    return find_review(session, "report", name)


def load_sections(session: Session, review: Review) -> tuple[ReportSection, ...]:
    """The sections as they are now, with one label for each paper; one whose answer was removed is left out."""
    section_answers: list[tuple[Mapping[str, Any], Answer]] = []
    for row in review.spec.get("sections", ()):
        try:
            section_answers.append((row, load_answer(session.catalog, row["answer"], prose).answer))
        except NotFoundError:
            continue
    if "figures" in review.spec.get("with", ()):
        section_answers = [(row, add_cited_figures(session, answer)) for row, answer in section_answers]
    labels = label_papers(citation.paper for _, answer in section_answers for citation in _citations(answer))
    pieces = [outline_pieces(answer.evidence) for _, answer in section_answers]
    phrases = phrase_titles(pieces, review.spec["question"])
    return tuple(
        ReportSection(
            number,
            row["title"] or phrase,
            "quoted"
            if all(statement.status == "quoted" or not statement.text for statement in answer.statements)
            else "written",
            bool(row.get("kept")),
            _relabel(answer, labels),
        )
        for number, ((row, answer), phrase) in enumerate(zip(section_answers, phrases, strict=True), 1)
    )


def _citations(answer: Answer) -> list[Citation]:
    return [citation for statement in answer.statements for citation in statement.citations]


def _relabel(answer: Answer, labels: Mapping[str, str]) -> Answer:
    statements = tuple(
        replace(
            item, citations=tuple(replace(citation, label=labels[citation.paper.id]) for citation in item.citations)
        )
        for item in answer.statements
        if item.text  # a quote whose paper was removed has none
    )
    return replace(answer, statements=statements, text=prose(statements))


def _cited_papers(sections: Sequence[ReportSection]) -> tuple[ReportedPaper, ...]:
    paper_by_id: dict[str, ReportedPaper] = {}
    for section in sections:
        for citation in _citations(section.answer):
            known = paper_by_id.setdefault(
                citation.paper.id, ReportedPaper(citation.paper, citation.label, (), citation)
            )
            numbers = tuple(dict.fromkeys((*known.sections, section.number)))
            paper_by_id[citation.paper.id] = replace(known, sections=numbers)
    return tuple(paper_by_id.values())


def _tables(session: Session, review: Review) -> Iterator[ReviewTable]:
    """The tables that a report was to have, as they are now; those that were deleted are left out."""
    for part in review.spec.get("with", ()):
        if part.startswith(TABLE):
            with suppress(NotFoundError):
                table = find_review(session, "table", part.removeprefix(TABLE))
                names = list(papers_of(session.catalog, table))
                rows = tuple(load_rows(session, table, names))
                yield ReviewTable(table.id, table.name, columns_of(table), rows, len(rows), len(rows))


def find_section(session: Session, name: str, section: str) -> tuple[Review, ReportSection]:
    """The report of a name, as it is kept, and a section of it; see `load_report` and `section_of`."""
    review = find_report(session, name)
    return review, section_of(review, load_sections(session, review), section)


def section_of(review: Review, sections: Sequence[ReportSection], name: str) -> ReportSection:
    """The section of a number or a title, in any case.

    Raises:
        NotFoundError: there is none.
    """
    section_name = " ".join(name.split()).casefold()
    for section in sections:
        if section_name in (str(section.number), section.title.casefold()):
            return section
    count = pluralize(len(sections), "section")
    raise NotFoundError(
        f"The report '{review.name}' has no section '{name}'.", f"It has {count}; `review report show` lists them."
    )


def check_changeable(section: ReportSection) -> None:
    """See that a section may be changed.

    Raises:
        UsageError: it is kept.
    """
    if section.kept:
        raise UsageError(
            f"The section '{section.title}' is kept as it is.",
            "Take that back first: `review report keep SECTION off=True`.",
        )


# writing


def new_section_id(session: Session) -> str:
    """An id that no answer has."""
    return new_id(session.catalog, answers, "ans-")


def add_outline(
    session: Session, review: Review, sections: Iterable[tuple[str, Answer]], values: Mapping[str, Any]
) -> None:
    """Put the first sections, by title and answer with an id, into a report, and `values` into its spec.

    Of two runs that make the same report at the same time the first one's outline stays.
    """

    def change(connection: Connection, spec: Spec) -> None:
        if spec.get("sections"):
            return
        for title, answer in sections:
            _append(connection, spec, title, answer)
        spec.update(values)

    change_spec(session, review, change)


def add_section(session: Session, review: Review, title: str, answer: Answer) -> None:
    """Put a section at the end of a report, unless it has one of this title."""

    def change(connection: Connection, spec: Spec) -> None:
        if all(row["title"] != title for row in spec.get("sections", ())):
            _append(connection, spec, title, answer)

    change_spec(session, review, change)


def _append(connection: Connection, spec: Spec, title: str, answer: Answer) -> None:
    _save(connection, title, answer)
    spec.setdefault("sections", []).append({"answer": answer.id, "title": title, "kept": False})


def note_stage(session: Session, review: Review, name: str, note: str, stage: str = "") -> None:
    """Keep what the user should know of a step, in place of what was said of it before; and how far the report is."""

    def change(_: Connection, spec: Spec) -> None:
        spec["notes"] = {**spec.get("notes", {}), name: note}
        spec["stage"] = stage or spec["stage"]

    change_spec(session, review, change)


def replace_section(session: Session, review: Review, title: str, answer: Answer) -> None:
    """Give a section another answer, which has its id; one that was deleted or kept meanwhile stays as it is."""

    def change(connection: Connection, spec: Spec) -> None:
        if any(row["answer"] == answer.id and not row.get("kept") for row in spec.get("sections", ())):
            remove_answer(connection, answer.id)
            _save(connection, title, answer)

    change_spec(session, review, change)


def _save(connection: Connection, title: str, answer: Answer) -> None:
    section_answer = replace(answer, question=title or SECTION, method=SECTION, made=utc_now(), trace=())
    save_answer(connection, section_answer, AskOptions())


def delete_section(session: Session, review: Review, section: ReportSection) -> None:
    """Take a section out of a report."""

    def change(connection: Connection, spec: Spec) -> None:
        remove_answer(connection, section.answer.id)
        spec["sections"] = [row for row in spec.get("sections", ()) if row["answer"] != section.answer.id]

    change_spec(session, review, change)


def keep_section(session: Session, review: Review, section: ReportSection, *, is_kept: bool) -> None:
    """Let a section stay as it is, or no longer."""

    def change(_: Connection, spec: Spec) -> None:
        for row in spec.get("sections", ()):
            if row["answer"] == section.answer.id:
                row["kept"] = is_kept

    change_spec(session, review, change)


def change_spec(session: Session, review: Review, change: Callable[[Connection, Spec], None]) -> None:
    """Change a report in one transaction, one at a time.

    Raises:
        NotFoundError: it was deleted meanwhile.
    """

    def act(connection: Connection) -> None:
        condition = reviews.c.id == review.id
        text = connection.scalar(select(reviews.c.spec).where(condition).with_for_update())
        if text is None:
            raise NotFoundError(f"The report '{review.name}' was deleted meanwhile.", "Make it again.")
        spec = unpack_json(text, dict[str, Any], "what a review asks")
        change(connection, spec)
        text = json.dumps(spec, ensure_ascii=False, sort_keys=True)
        connection.execute(update(reviews).where(condition).values(spec=text, updated=utc_now()))

    write_aside(session, act)


# disagreements


def keep_disagreements(session: Session, review: Review, contradictions: Sequence[Contradiction], by: str) -> None:
    """Keep which sentences of the evidence cannot both hold, by their ids."""
    entries = [
        ReviewEntry(
            contradiction.first.paper.id,
            DISAGREEMENT,
            by,
            {
                "spans": [contradiction.first.spans[0].id, contradiction.second.spans[0].id],
                "why": contradiction.why,
                "score": contradiction.score,
            },
            contradiction.second.paper.id,
        )
        for contradiction in contradictions
    ]
    keep_entries(session, review, entries, instead=True)


def _disagreements(session: Session, review: Review, sections: Sequence[ReportSection]) -> tuple[Contradiction, ...]:
    entries = entries_of(session.catalog, review, field=DISAGREEMENT)
    keys = session.catalog.keys_of([name for entry in entries for name in (entry.paper, entry.other)])
    stored = session.catalog.passages_of(sorted(keys.values())).values() if entries else ()
    places: dict[str, tuple[Passage, Span]] = {}
    for stored_passage in stored:
        for span in stored_passage.passage.spans:
            places.setdefault(span.id, (stored_passage.passage, span))
    by_key = session.catalog.papers_by_key(sorted(keys.values())) if entries else {}
    papers = {paper.id: paper for paper in by_key.values()}
    labels = label_papers(
        [*(citation.paper for section in sections for citation in _citations(section.answer)), *papers.values()]
    )
    contradictions = []
    for entry in entries:
        names = [name for name in entry.value["spans"] if name in places]
        if len(names) == 2:
            first, second = (
                Citation(
                    papers[places[name][0].paper_id],
                    places[name][0].id,
                    (places[name][1],),
                    places[name][1].text,
                    labels[places[name][0].paper_id],
                )
                for name in names
            )
            contradictions.append(Contradiction(first, second, "contradict", entry.value["why"], entry.value["score"]))
    return tuple(contradictions)
