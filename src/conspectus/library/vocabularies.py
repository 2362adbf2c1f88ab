"""Vocabularies: adding, listing, their concepts, what is said of names, removing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conspectus.catalog import vocabularies as kept
from conspectus.catalog.engine import writing
from conspectus.core.disk import user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.library.adding import Paths, names_of
from conspectus.library.kept_names import forget, table_of
from conspectus.library.session import Session
from conspectus.parse.pool import Limits
from conspectus.records import normal_name
from conspectus.records.entities import LOCAL
from conspectus.records.jobs import Progress
from conspectus.records.vocabularies import ConceptList, KeptConcept, NameRule, Verdict, Vocabulary, VocabularyReport

_BETWEEN = "\t"


def add_vocabulary(
    session: Session,
    paths: Paths,
    name: str = "",
    subtree: Sequence[str] = (),
    languages: Sequence[str] = (),
    *,
    progress: Callable[[Progress], None] | None = None,
) -> VocabularyReport:
    """Add vocabularies, or add them again: what has not changed is not read, and concepts that stay are the same ones.

    OWL and SKOS (Turtle, RDF/XML, N-Triples, JSON-LD), OBO, obographs, MeSH's XML, and tables of names (CSV, TSV, JSON
    Lines, JSON), also packed (gzip, xz, bzip2); of a folder or an archive (zip, tar) all files are one vocabulary. What
    it imports is read too where it lies beside, and told where it does not.

    Args:
        paths: files, folders and archives.
        name: of one vocabulary of all of them; "": each is one, called as its file is.
        subtree: only what stands at and below these ids (`UBERON:0000955`) or places in a tree (`C10`).
        languages: whose names are taken (`en`: also en-GB; `*`: all), where a concept has none in these, any; none:
            as `vocabulary.languages` says.
        progress: is told how far it is.

    Returns:
        What became of each; one that failed is as it was before, with the reason.

    Raises:
        UsageError: the name is none; or there are no paths.
        UnavailableError: a library that reads them is not installed.
        BusyError: another process, or job of this one, is writing to the library.
    """
    from conspectus.graph.vocabularies.adding import add, wanted

    places = [user_path(one).absolute() for one in names_of(paths)]
    if not places:
        raise UsageError("Nothing is named to be added.", "Name files, folders or archives.")
    every = wanted(places, name, tuple(subtree), tuple(languages) or session.settings.vocabulary.wanted)
    for one in every:
        _check_name(one.name)
    parse = session.settings.parse
    with session.writing(), listen(progress, Progress):
        return VocabularyReport(tuple(add(session.catalog, every, Limits(parse.timeout, parse.memory))))


def vocabularies(session: Session) -> tuple[Vocabulary, ...]:
    """The vocabularies, in the order in which they go before each other."""
    return kept.listed(session.catalog)


def concept(session: Session, name: str) -> tuple[KeptConcept, ...]:
    """The concepts with an id (`UBERON:0000955`): one, or one of each vocabulary that says something of it.

    Raises:
        NotFoundError: there is none.
    """
    return _with_id(session, name)


def concepts(
    session: Session,
    words: str,
    vocabulary: str = "",
    *,
    left_out: bool = False,
    limit: int = 100,
    after: str = "",
) -> ConceptList:
    """The concepts with a name that begins with these words, whatever its case, accents and punctuation, by name.

    Args:
        words: "": all.
        vocabulary: "": all.
        left_out: only by names that texts are not searched for.
        limit: how many at most.
        after: `next` of the list before.

    Raises:
        NotFoundError: there is no such vocabulary.
        UsageError: `after` is no `next` of a list.
    """
    key = _key(session, vocabulary) if vocabulary else None
    number, _, term = after.partition(_BETWEEN)
    if after and not number.isdecimal():
        raise UsageError(f"'{after}' is not where a list goes on.", "Give `next` of the list before.")
    dropped = table_of(session).dropped if left_out else None
    found = kept.named(session.catalog, words, key, limit + 1, (term, int(number or 0)), dropped)
    page = found[:limit]
    more = f"{page[-1][0]}{_BETWEEN}{page[-1][1]}" if len(found) > limit else ""
    return ConceptList(tuple(hit for *_, hit in page), more)


def remove_vocabulary(session: Session, name: str) -> Vocabulary:
    """Remove a vocabulary with all that is known of its concepts; returns it as it was. Its files stay.

    Raises:
        NotFoundError: there is none of this name.
        BusyError: another process, or job of this one, is writing to the library.
    """
    with session.writing():
        key = _key(session, name)
        found = next(one for one in vocabularies(session) if normal_name(one.name) == normal_name(name))
        with writing(session.catalog.engine) as connection:
            kept.remove(connection, key)
        forget(session)
    return found


def name_rules(session: Session) -> tuple[NameRule, ...]:
    """What was said of names by `rule_name`, or learnt, by name."""
    return kept.rules(session.catalog)


def rule_name(session: Session, name: str, verdict: Verdict | None, concept: str = "") -> bool:
    """Say of a name that texts are searched for it (`use`) or not (`leave`), or take that back (None).

    It goes before the rules by which names are left out, and counts from the next `link` on.

    Args:
        name: of concepts; case, accents and punctuation do not matter.
        verdict: what is said.
        concept: of this one alone, an id; "": whichever has the name.

    Returns:
        Whether that was something new.

    Raises:
        UsageError: there is no letter or digit in the name, or the verdict is none.
        NotFoundError: there is no such concept.
    """
    if verdict not in ("use", "leave", None) or not normal_name(name):
        raise UsageError(
            f"Nothing can be said so of the name '{name}'.", "It has letters or digits; say `use` or `leave`."
        )
    if concept and verdict:
        _with_id(session, concept)
    with session.writing(), writing(session.catalog.engine) as connection:
        return kept.put_rule(connection, name, concept, verdict)


def _with_id(session: Session, name: str) -> tuple[KeptConcept, ...]:
    if found := kept.with_id(session.catalog, name):
        return found
    raise NotFoundError(f"There is no concept '{name}'.", "`vocabulary search WORDS` finds concepts by their names.")


def _key(session: Session, name: str) -> int:
    if (key := kept.key_of(session.catalog, name)) is not None:
        return key
    known = ", ".join(f"'{one.name}'" for one in kept.sources(session.catalog).values())
    remedy = f"There are: {known}." if known else "Add one: `vocabulary add FILES…`."
    raise NotFoundError(f"There is no vocabulary '{name}'.", remedy)


def _check_name(name: str) -> None:
    if not normal_name(name) or len(name) > 100:
        raise UsageError(f"'{name[:100]}' is no name of a vocabulary.", "It has letters or digits, at most 100 signs.")
    if normal_name(name) == LOCAL:
        raise UsageError(f"'{name}' is the vocabulary of what language models find.", "Give it another name.")
