"""Reviews, written and read: what was asked, the papers, and what is said of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from conspectus.answer.sql import SECTION
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.core.text import line
from conspectus.curation.verbs import write_aside
from conspectus.records import Filters
from conspectus.records.curation import LONGEST_NAME
from conspectus.records.filters import set_term
from conspectus.records.review import NOUNS, Review, ReviewEntry, ReviewKind
from conspectus.session.session import Session
from conspectus.store.codec import unpack_json
from conspectus.store.connection import CatalogReader, delete_where, insert_rows, new_id, utc_now
from conspectus.store.removal import lock_papers
from conspectus.store.review_tables import review_entries, review_papers, reviews
from conspectus.store.schema import answers, papers

_OTHER = papers.alias("other")


def create_review(
    session: Session, kind: ReviewKind, name: str, spec: Mapping[str, Any], paper_ids: Sequence[str]
) -> Review:
    """Begin a review of papers, which keep their order.

    Raises:
        UsageError: no name, a name that is too long, or that another review of this kind has.
    """
    name, now = _checked_name(name, kind), utc_now()
    review_id = new_id(session.catalog, reviews, "rev-")

    def create(connection: Connection) -> None:
        _refuse_twin(connection, kind, name, "")
        values = {"id": review_id, "kind": kind, "name": name, "term": set_term(name), "spec": _json(spec)}
        key = connection.execute(insert(reviews).values(**values, made=now, updated=now)).inserted_primary_key
        assert key is not None
        _put_papers(connection, key[0], paper_ids)

    write_aside(session, create)
    return find_review(session, kind, review_id)


def merge_review(session: Session, review: Review, paper_ids: Sequence[str], entries: Sequence[ReviewEntry]) -> bool:
    """Store a review of another library, or add to the one that has its id what that library's says in addition.

    Of the two the question that was changed last is kept, and of entries the latest one of a field holds, as always.
    Entries on papers that are not here are left out.

    Returns:
        Whether anything is new.

    Raises:
        InputError: it has the id of a review of another kind, or answers of the user as its sections.
    """

    def merge(connection: Connection) -> bool:
        there = lock_papers(
            connection, {*paper_ids, *(id for entry in entries for id in (entry.paper, entry.other) if id)}
        )
        row = connection.execute(select(reviews).where(reviews.c.id == review.id).with_for_update()).first()
        if row is not None and row.kind != review.kind:
            owner = f"the {NOUNS[row.kind]} '{row.name}'"
            subject = f"The {NOUNS[review.kind]} '{line(review.name)}'"
            raise InputError(f"{subject} has the id of {owner}.", "Export it again.")
        sections = [section["answer"] for section in review.spec.get("sections", ())]
        if connection.scalar(select(answers.c.id).where(answers.c.id.in_(sections), answers.c.method != SECTION)):
            subject = f"The report '{line(review.name)}'"
            raise InputError(f"{subject} has an answer of yours as a section.", "Export it again.")
        changed = {"spec": _json(review.spec), "updated": review.updated}
        if row is None:
            name = _free_name(connection, review.kind, _checked_name(review.name, review.kind))
            values = {"id": review.id, "kind": review.kind, "name": name, "term": set_term(name), "made": review.made}
            inserted = connection.execute(insert(reviews).values(**values, **changed)).inserted_primary_key
            assert inserted is not None
            key = int(inserted[0])
        else:
            key = row.key
            if review.updated > row.updated:
                connection.execute(update(reviews).where(reviews.c.key == key).values(changed))
        _put_papers(connection, key, paper_ids)
        stored_rows = (
            connection.execute(select(review_entries).where(review_entries.c.review_key == key)).mappings().all()
        )
        known = [{name: row[name] for name in row if name != "key"} for row in stored_rows]
        verdicts = {_verdict(values) for values in known}
        usable = [entry for entry in entries if entry.paper in there and (not entry.other or entry.other in there)]
        new = [values for entry in usable if _verdict(values := _row(key, entry, there, entry.made)) not in verdicts]
        if new:
            connection.execute(delete(review_entries).where(review_entries.c.review_key == key))
            insert_rows(connection, review_entries, sorted([*known, *new], key=lambda values: str(values["made"])))
        return row is None or bool(new)

    return write_aside(session, merge)


def _verdict(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in values.items()))


def _free_name(connection: Connection, kind: ReviewKind, name: str) -> str:
    """The name, with a number behind it if another review of this kind has it."""
    terms = {row.term for row in connection.execute(select(reviews.c.term).where(reviews.c.kind == kind))}
    names = (name if number == 1 else f"{name[: LONGEST_NAME - 8]} ({number})" for number in count(1))
    return next(candidate for candidate in names if set_term(candidate) not in terms)


def list_reviews(catalog: CatalogReader, kind: ReviewKind | None = None) -> tuple[Review, ...]:
    """All reviews (of a kind), the newest last."""
    counted = select(func.count()).where(review_papers.c.review_key == reviews.c.key).scalar_subquery()
    query = select(reviews, counted.label("papers")).order_by(reviews.c.key)
    rows = catalog.rows(query.where(reviews.c.kind == kind) if kind else query)
    return tuple(
        Review(
            row.id,
            row.kind,
            row.name,
            unpack_json(row.spec, dict[str, Any], "what a review asks"),
            row.papers,
            row.made,
            row.updated,
        )
        for row in rows
    )


def find_review(session: Session, kind: ReviewKind | None = None, name: str = "") -> Review:
    """The review (of a kind) of a name, in any case, or an id; without a name, or as `last`, the one changed last.

    Raises:
        NotFoundError: there is none, or, of several kinds, more than one.
    """
    all_reviews = list_reviews(session.catalog, kind)
    noun = NOUNS[kind] if kind else "review"
    matches = [review for review in all_reviews if review.id == name] or [
        review for review in all_reviews if set_term(review.name) == set_term(name)
    ]
    if name in ("", "last") and all_reviews and not matches:
        return max(reversed(all_reviews), key=lambda review: review.updated)
    if len(matches) == 1:
        return matches[0]
    if matches:
        id_list = ", ".join(f"{review.id} ({NOUNS[review.kind]})" for review in matches)
        raise NotFoundError(f"'{line(name)}' can mean several reviews: {id_list}.", "Use one of these ids.")
    if not all_reviews:
        raise NotFoundError(f"There is no {noun} yet.", f"`review {kind or 'rank'}` makes one.")
    raise NotFoundError(f"There is no {noun} '{line(name)}'.", "`review list` shows them.")


def change_review(
    session: Session, review: Review, *, name: str | None = None, spec: Mapping[str, Any] | None = None
) -> Review:
    """Give a review another name, or let it ask something else.

    Raises:
        UsageError: no name, one that is too long, or that another review of this kind has.
        NotFoundError: it was deleted meanwhile.
    """
    values: dict[str, Any] = {"updated": utc_now()}
    if name is not None:
        checked = _checked_name(name, review.kind)
        values |= {"name": checked, "term": set_term(checked)}
    if spec is not None:
        values["spec"] = _json(spec)

    def change(connection: Connection) -> None:
        if name is not None:
            _refuse_twin(connection, review.kind, values["name"], review.id)
        connection.execute(update(reviews).where(reviews.c.key == _key_of(connection, review)).values(**values))

    write_aside(session, change)
    return find_review(session, review.kind, review.id)


def delete_review(session: Session, review: Review) -> None:
    """Delete a review with all that it says, and the sections of a report; its papers stay."""

    def remove(connection: Connection) -> None:
        sections = [section["answer"] for section in review.spec.get("sections", ())]
        delete_where(connection, answers.c.id, sections)
        connection.execute(delete(reviews).where(reviews.c.id == review.id))

    write_aside(session, remove)


def filters_of(review: Review) -> Filters:
    """Which papers were chosen when a review was last made or gone on with."""
    return msgspec.convert(review.spec.get("filters", {}), Filters)


def filters_spec(filters: Filters) -> dict[str, Any]:
    """Filters, as the spec of a review keeps them; see `filters_of`."""
    return {"filters": msgspec.to_builtins(filters)}


def find_of_name(catalog: CatalogReader, kind: ReviewKind, name: str) -> Review | None:
    """The review of a kind that has this name, in any case, or id; None: there is none."""
    same = [
        review for review in list_reviews(catalog, kind) if name == review.id or set_term(name) == set_term(review.name)
    ]
    return same[0] if same else None


def papers_of(catalog: CatalogReader, review: Review) -> dict[str, int]:
    """Id -> key of the papers of a review, in its order."""
    query = select(papers.c.id, papers.c.key).join(review_papers, review_papers.c.paper_key == papers.c.key)
    query = query.join(reviews, reviews.c.key == review_papers.c.review_key).where(reviews.c.id == review.id)
    return {row.id: row.key for row in catalog.rows(query.order_by(review_papers.c.ordinal, papers.c.key))}


def add_papers(session: Session, review: Review, paper_ids: Sequence[str]) -> int:
    """Put papers behind those of a review; how many were not in it.

    Raises:
        NotFoundError: it was deleted meanwhile.
    """
    return write_aside(session, lambda connection: _put_papers(connection, _key_of(connection, review), paper_ids))


def keep_entries(
    session: Session, review: Review, entries: Sequence[ReviewEntry], *, instead: bool = False
) -> tuple[ReviewEntry, ...]:
    """Keep what a review says of papers, in one transaction; of papers that were removed meanwhile nothing is kept.

    Args:
        instead: whether what was said before of the same papers and field, by the same, goes.

    Returns:
        What was kept, as it is stored.

    Raises:
        NotFoundError: the review was deleted meanwhile.
    """
    now = utc_now()

    def keep(connection: Connection) -> tuple[ReviewEntry, ...]:
        key = _key_of(connection, review)
        there = lock_papers(connection, {id for entry in entries for id in (entry.paper, entry.other) if id})
        usable_entries = [
            entry for entry in entries if entry.paper in there and (entry.other in there or not entry.other)
        ]
        if instead:
            for entry in usable_entries:
                connection.execute(delete(review_entries).where(_same(key, entry, there)))
        last = connection.scalar(select(func.max(review_entries.c.key))) or 0
        insert_rows(connection, review_entries, [_row(key, entry, there, now) for entry in usable_entries])
        connection.execute(update(reviews).where(reviews.c.key == key).values(updated=now))
        return _entries(
            connection.execute(_ENTRIES.where(review_entries.c.key > last, review_entries.c.review_key == key))
        )

    return write_aside(session, keep) if entries else ()


def entries_of(
    catalog: CatalogReader,
    review: Review,
    *,
    field: str | None = None,
    by: str | None = None,
    paper: str | None = None,
) -> tuple[ReviewEntry, ...]:
    """What a review says (of a field, by somebody, of a paper), in the order in which it was said."""
    query = _ENTRIES.join(reviews, reviews.c.key == review_entries.c.review_key).where(reviews.c.id == review.id)
    for column, value in ((review_entries.c.field, field), (review_entries.c.by, by), (papers.c.id, paper)):
        if value is not None:
            query = query.where(column == value)
    return _entries(catalog.rows(query))


def drop_entries(session: Session, review: Review, keys: Iterable[int]) -> None:
    """Delete what a review says, by its keys.

    Raises:
        NotFoundError: the review was deleted meanwhile.
    """

    def drop(connection: Connection) -> None:
        condition = review_entries.c.review_key == _key_of(connection, review)
        delete_where(connection, review_entries.c.key, sorted(set(keys)), condition)

    write_aside(session, drop)


_ENTRIES = (
    select(review_entries, papers.c.id.label("paper"), _OTHER.c.id.label("other"))
    .join(papers, papers.c.key == review_entries.c.paper_key)
    .outerjoin(_OTHER, _OTHER.c.key == review_entries.c.other_key)
    .order_by(review_entries.c.key)
)


def _entries(rows: Iterable[Any]) -> tuple[ReviewEntry, ...]:
    return tuple(
        ReviewEntry(
            row.paper,
            row.field,
            row.by,
            unpack_json(row.value, dict[str, Any], "what a review says"),
            row.other or "",
            row.made,
            row.key,
        )
        for row in rows
    )


def _row(key: int, entry: ReviewEntry, there: Mapping[str, int], made_at: str) -> dict[str, Any]:
    return {
        "review_key": key,
        "paper_key": there[entry.paper],
        "other_key": there[entry.other] if entry.other else None,
        "field": entry.field,
        "by": entry.by,
        "value": _json(entry.value),
        "made": made_at,
    }


def _same(key: int, entry: ReviewEntry, there: Mapping[str, int]) -> Any:
    """The condition on entries that they say the same thing of the same papers."""
    of = review_entries.c
    other = of.other_key == there[entry.other] if entry.other else of.other_key.is_(None)
    return (
        (of.review_key == key)
        & (of.paper_key == there[entry.paper])
        & other
        & (of.field == entry.field)
        & (of.by == entry.by)
    )


def _key_of(connection: Connection, review: Review) -> int:
    key = connection.scalar(select(reviews.c.key).where(reviews.c.id == review.id).with_for_update())
    if key is None:
        raise NotFoundError(f"The {NOUNS[review.kind]} '{line(review.name)}' was deleted meanwhile.", "Make it again.")
    return cast(int, key)


def _put_papers(connection: Connection, key: int, paper_ids: Sequence[str]) -> int:
    there = lock_papers(connection, paper_ids)
    stored_rows = connection.execute(select(review_papers).where(review_papers.c.review_key == key)).all()
    known = {row.paper_key for row in stored_rows}
    first = max((row.ordinal for row in stored_rows), default=-1) + 1
    new = [
        there[paper_id] for paper_id in dict.fromkeys(paper_ids) if paper_id in there and there[paper_id] not in known
    ]
    rows = [
        {"review_key": key, "paper_key": paper_key, "ordinal": number} for number, paper_key in enumerate(new, first)
    ]
    insert_rows(connection, review_papers, rows)
    return len(rows)


def _refuse_twin(connection: Connection, kind: ReviewKind, name: str, own_id: str) -> None:
    same = (reviews.c.kind == kind) & (reviews.c.term == set_term(name)) & (reviews.c.id != own_id)
    if connection.scalar(select(reviews.c.key).where(same)) is not None:
        raise UsageError(f"There is a {NOUNS[kind]} '{name}' already.", "Choose another name.")


def _checked_name(name: str, kind: ReviewKind) -> str:
    clean_name = line(name)
    if not clean_name:
        raise UsageError(f"A {NOUNS[kind]} needs a name.", "Give one that can be seen.")
    if len(clean_name) > LONGEST_NAME:
        raise UsageError(
            f"The name of a {NOUNS[kind]} has {len(clean_name):,} characters.", f"Give at most {LONGEST_NAME}."
        )
    return clean_name


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
