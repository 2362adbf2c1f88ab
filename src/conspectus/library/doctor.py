"""`doctor`: one check a function, each finding with its remedy, and how it is mended where that can be done."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from sqlalchemy import Column, ColumnElement, Table, delete, exists, func, select

from conspectus.catalog import schema, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.documents import unreadable
from conspectus.catalog.engine import writing
from conspectus.catalog.kinds import OF_VALUES
from conspectus.catalog.lock import folder_lock
from conspectus.catalog.rows import SCHEMES
from conspectus.core import versions
from conspectus.core.disk import is_private, user_path
from conspectus.core.errors import ConspectusError, LibraryDamagedError
from conspectus.core.listening import tell
from conspectus.index import upkeep
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.registry import DERIVATIONS, derivations
from conspectus.ingest.derive import derive_missing, lacking
from conspectus.ingest.ledger import rows_of
from conspectus.ingest.merge import merge
from conspectus.ingest.rechunk import kept
from conspectus.ingest.sync import besides, sync
from conspectus.library.maintenance import reindex
from conspectus.library.session import Session
from conspectus.models.registry import specs
from conspectus.models.store import ModelStore
from conspectus.parse.concealed import tells_of_hidden
from conspectus.parse.passages import has_text
from conspectus.records import LACKING, Finding
from conspectus.records.jobs import Progress
from conspectus.settings import Role
from conspectus.settings.standing import remedy, standing, told
from conspectus.sources.drives import drive_of, is_network

LOW_MB = 500
FIX = "conspectus doctor --fix"


Check = Callable[[Session], Finding | None]
Mend = Callable[[Session], object]


def examine(session: Session, *, fix: bool = False) -> Iterator[Finding]:
    """All findings, the well ones too, in the order of the checks; with `fix`, what can be is mended first.

    What a damaged catalog keeps a check from is told once.
    """
    told: set[str] = set()
    for number, (check, mend) in enumerate(CHECKS):
        tell(Progress("checking", number, len(CHECKS), "checks"))
        try:
            found = check(session)
        except LibraryDamagedError as error:
            if error.message not in told:
                told.add(error.message)
                yield Finding("catalog", False, error.message, error.hint)
            continue
        except OF_VALUES:
            if not session.catalog.trouble():  # else it has been told
                raise
            continue
        if fix and found is not None and not found.ok and mend is not None:
            found = _mended(session, check, mend, found)
        if found is not None:
            yield found


def _mended(session: Session, check: Check, mend: Mend, before: Finding) -> Finding:
    """What the check finds after its mend, or why that failed."""
    failure = None
    try:
        mend(session)
    except ConspectusError as error:
        failure = error
    now = check(session) or before
    if now.ok:
        return replace(now, detail=f"{now.detail} (mended: {before.detail})")
    if failure is None:
        return now
    detail = f"{now.detail.rstrip('.')}; mending failed: {failure.message.rstrip('.')}"
    return replace(now, detail=detail, remedy=failure.hint or now.remedy)


def _versions(_: Session) -> Finding:
    if wrong := versions.unfit():
        return Finding("versions", False, "; ".join(wrong), "pip install --upgrade conspectus")
    return Finding("versions", True, f"{versions.running()}, schema {schema.HEAD}")


def _catalog(session: Session) -> Finding:
    catalog = session.catalog
    if detail := catalog.trouble():
        return Finding("catalog", False, detail, "Restore it from a backup: conspectus restore FILE --replace")
    counts, server = catalog.counts(), catalog.store.server
    place = f"; {server} at {catalog.store.shown}" if server else ""
    return Finding("catalog", True, f"{counts['papers']} papers, {counts['passages']} passages{place}")


def _documents(session: Session) -> Finding:
    """What was read of the files has a checksum of its own: a page of a database has none."""
    broken = unreadable(session.catalog)
    if not broken:
        return Finding("documents", True, "all can be read")
    names = ", ".join(broken[:3]) + (" …" if len(broken) > 3 else "")
    remedy = "Restore a backup: conspectus restore FILE --replace; or remove these papers and add their files again."
    return Finding("documents", False, f"what was read of {len(broken)} papers is damaged: {names}", remedy)


def _whole(session: Session) -> Finding:
    """Papers that no file speaks of, or without text, and rows without their parent: this program leaves none."""
    orphans = sum(_count_orphans(session.catalog, table, column) for table, column in schema.CHILDREN)
    bare, empty = _without(session.catalog, schema.documents), _without(session.catalog, schema.passages)
    if orphans or bare:
        return Finding(
            "papers whole", False, f"{orphans} rows without their parent, {len(bare)} papers of no file", FIX
        )
    silent, lost = _without_text(session.catalog, empty)
    if lost:
        again = "Remove them and add their files again."
        return Finding("papers whole", False, f"{len(lost)} papers lost their text, such as {lost[0]}", again)
    told = f"all; {len(silent)} have no text that can be searched, such as {silent[0]}" if silent else "all"
    return Finding("papers whole", True, told)


def _without_text(catalog: Catalog, ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of papers without a passage those in whose files there was no text, and those that should have some."""
    found: tuple[list[str], list[str]] = [], []
    for name in ids:
        key = catalog.paper_key(name)
        found[has_text(merge(catalog.documents_of_one(key)))].append(name)
    return found


def _identifiers(session: Session) -> Finding:
    """Identifiers of papers that do not agree: it may be wrong in one of them, or they are one paper after all."""
    claimed = session.catalog.claimed(SCHEMES)
    papers = session.catalog.papers_by_key(sorted({key for keys in claimed.values() for key in keys}))
    said = [f"{value} ({', '.join(papers[key].id for key in keys)})" for (_, value), keys in sorted(claimed.items())]
    if not said:
        return Finding("identifiers", True, "each is one paper's")
    more = f", and {len(said) - 10} more" if len(said) > 10 else ""
    return Finding(
        "identifiers", True, f"{len(said)} of several papers, which are kept apart: {'; '.join(said[:10])}{more}"
    )


def _is_orphan(column: Column[Any]) -> ColumnElement[bool]:
    parent = next(iter(column.foreign_keys)).column
    return column.is_not(None) & ~exists().where(parent == column)


def _count_orphans(catalog: Catalog, table: Table, column: Column[Any]) -> int:
    with catalog.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table).where(_is_orphan(column))) or 0


def _without(catalog: Catalog, table: Table) -> Sequence[str]:
    """The ids of papers that have no row in `table`."""
    papers = schema.papers
    has = exists().where(table.c.paper_key == papers.c.key)
    with catalog.engine.connect() as connection:
        return connection.scalars(select(papers.c.id).where(~has)).all()


def _make_whole(session: Session) -> None:
    with session.writing(), writing(session.catalog.engine) as connection:
        for table, column in schema.CHILDREN:
            connection.execute(delete(table).where(_is_orphan(column)))
        bare = [session.catalog.paper_key(name) for name in _without(session.catalog, schema.documents)]
        writer.drop_papers(connection, bare)


def _model(session: Session) -> Finding:
    models = session.settings.models
    try:
        spec = specs().get(models.embedder)
        if spec is not None and session.given.embedder is None:
            ModelStore(models.store or None).verify(spec)
        found = session.embedder
        return Finding("model", True, f"{found.id}, {len(found.embed_query('test').vector)} dimensions")
    except ConspectusError as error:
        return Finding("model", False, error.message, error.hint)


def _language_models(session: Session) -> Finding | None:
    """One small call to each language model that is set: what is wrong with its key, its name or its server."""
    language = session.settings.language
    names = list(dict.fromkeys(filter(None, (language.of(role) for role in get_args(Role)))))
    if not names:
        return None
    from conspectus.models.languages.trial import try_models

    tried = try_models(names, language, session.given.models)
    wrong = [trial for trial in tried if trial.remedy]
    remedies = dict.fromkeys(trial.remedy for trial in wrong)
    several = len(remedies) > 1
    remedy = " ".join(f"{trial.name}: {trial.remedy}" for trial in wrong) if several else "".join(remedies)
    return Finding("language", not wrong, "; ".join(trial.told for trial in wrong or tried), remedy)


def _judge(session: Session) -> Finding | None:
    """One pair read by the model of entailment, where one judges statements."""
    if not (folder := session.settings.language.entailment):
        return None
    from conspectus.models.entailment import OnnxEntailment

    try:
        model = OnnxEntailment(user_path(folder))
        return Finding("judge", True, f"{model.id}, support of a test {model.of('A test.', 'A test.').support:.3g}")
    except ConspectusError as error:
        return Finding("judge", False, error.message, error.hint)


def _reranker(session: Session) -> Finding | None:
    """One small call to a reranker that is set; late interaction needs none but the embedder."""
    from conspectus.models.rerankers import names

    settings = session.settings
    name = settings.search.reranker
    try:
        given = session.given.rerankers.get(name)
        kind = "" if given else names.parse(name).kind
        if kind in (names.LATE, names.NONE):
            return None
        if kind == names.JUDGE:
            if settings.language.of("judge"):
                return Finding("reranker", True, "the language model for the role 'judge'")
            detail = "search.reranker is 'judge', and no language model has that role"
            return Finding("reranker", False, detail, "Set language.judge, or language.model for all roles.")
        found = given or names.reranker(name, settings.models)
        score = found.scores("test", ["A test."])[0]
        return Finding("reranker", True, f"{found.id}, score of a test {score:.3g}")
    except ConspectusError as error:
        return Finding("reranker", False, error.message, error.hint)


def _trust(session: Session) -> Finding:
    """What the library's folder says of addresses, stores and prompts, and whether it counts."""
    if claims := session.settings.left_out:
        return Finding("trust", False, told(claims), remedy(session.folder))
    found = standing(session.folder)
    if found.moved:
        counts = "what it says counts, its ledger does not" if found.trusted else "nothing that leads somewhere counts"
        said = f"made here, and since then moved to another disk or restored; {counts}"
        return Finding("trust", True, said, remedy(session.folder))
    said = "made here" if found.made_here else "trusted as it is now" if found.trusted else "it names nothing to trust"
    return Finding("trust", True, said)


def _prompts(session: Session) -> Finding | None:
    """The library's own prompts: one that cannot be used ends every answer that needs it."""
    from conspectus.llm.prompting import BrokenPrompt, Prompts, names

    prompts = Prompts(session.folder, own=standing(session.folder).trusted)
    files = prompts.files()
    if not files:
        return None
    broken = [found for found in prompts.looked_at() if isinstance(found, BrokenPrompt)]
    foreign = [path for path in files if path.stem not in names()]
    wrong = [found.trouble for found in broken]
    wrong += [f"There is no prompt '{path.stem}', so '{path}' is never read." for path in foreign]
    remedies = [found.remedy for found in broken]
    remedies += ["Name the file as one of those that `conspectus prompts` lists."] if foreign else []
    told = " ".join(wrong) or f"{len(files)} of the library's own"
    return Finding("prompts", not wrong, told, " ".join(dict.fromkeys(remedies)))


def _kinds(session: Session) -> Sequence[Derivation]:
    """The derivations; where its model cannot be had, which the check of the model tells, one cannot be made."""
    try:
        return derivations(session.embedder)
    except ConspectusError:
        return DERIVATIONS


def _derived(name: str, session: Session) -> Finding | None:
    """What a derivation is yet to be made of: an earlier version or another model has made it, or it failed."""
    check = "languages" if name == "language" else name  # "language" is the check of language models
    one = next(one for one in _kinds(session) if one.name == name)
    if not one.version:
        return None
    if number := lacking(session.catalog, [one])[name]:
        if one.unit == "passages":
            return Finding(check, False, f"{number} passages have none by {one.version}", "conspectus reindex")
        detail = f"{number} papers have none yet, such as an earlier version has stored"
        return Finding(check, False, detail, f"{FIX} (the next `conspectus add` finds them too)")
    return Finding(check, True, f"all passages by {one.version}" if one.unit == "passages" else "all papers")


def _derive(session: Session) -> None:
    with session.writing():
        derive_missing(session.catalog, _kinds(session))
        made = session.catalog.model_counts()
        if made:
            sync(session.catalog, session.index, max(made, key=lambda model: made[model]))


def _cut(session: Session) -> Finding | None:
    """Papers that could not be cut as the settings say now."""
    found = list(kept(session.catalog).items())
    if not found:
        return None
    (name, reason), more = found[0], len(found) - 1
    return Finding(
        "passages",
        False,
        f"{len(found)} papers are cut as before, such as {name}: {reason}" + (f" (and {more} more)" if more else ""),
        "conspectus add tries them again",
    )


def _index(session: Session) -> Finding:
    try:
        if upkeep.is_foreign(session.index):
            detail = "it came with the library, which is not trusted, and is not opened; the next search makes it anew"
            return Finding("index", True, detail)
        beside = {one.name: session.index.beside(one.beside) for one in besides()}
        stats, others = session.index.stats(), {name: index.stats() for name, index in beside.items()}
        missing, extra = map(sum, zip(*_differences(session), strict=True))
        damaged = [name for index in (session.index, *beside.values()) for name in upkeep.damage(index)]
    except ConspectusError as error:
        return Finding("index", False, error.message, error.hint)
    if damaged:
        detail = f"{len(damaged)} of its files have other bytes than were written: {_names(damaged)}"
        return Finding("index", False, detail, "conspectus reindex")
    change = session.catalog.change()
    behind = stats.change != change and (stats.rows or missing)
    if behind or any(other.change != change and other.rows for other in others.values()):
        how = f"{extra} too many, of a run that was killed" if stats.rows else "it is not made yet"
        return Finding("index", True, f"{missing} passages behind, {how}; the next search mends it")
    if missing or extra:
        return Finding("index", False, f"{missing} passages missing, {extra} too many", "conspectus reindex")
    written = "".join(f", {other.rows} {name}" for name, other in others.items() if other.rows)
    size = sum(one.megabytes for one in (stats, *others.values()))
    return Finding("index", True, f"{stats.rows} passages{written}, {size:.1f} MB")


def _differences(session: Session) -> Iterator[tuple[int, int]]:
    """How many passages are missing in the index, and how many it has too many; the same of those beside it."""
    own = session.catalog.passage_keys()
    wanted = [(session.index.beside(one.beside), one.passages(session.catalog)) for one in besides()]
    for _, made in wanted:
        own = np.setdiff1d(own, made)
    for index, keys in ((session.index, own), *wanted):
        present = index.keys()
        yield len(np.setdiff1d(keys, present)), len(np.setdiff1d(present, keys))


def _reindex(session: Session) -> None:
    reindex(session)


def _ocr(session: Session) -> Finding | None:
    if session.settings.parse.ocr == "no":
        return None
    from conspectus.parse.pdf.ocr import check_installed

    try:
        check_installed()
    except ConspectusError as error:
        return Finding("ocr", False, error.message, error.hint)
    return Finding("ocr", True, "installed, with its models")


def _failed(session: Session) -> Finding:
    rows = rows_of(session.catalog.file_rows())
    if begun := [row.path for row in rows if row.state == "queued"]:
        detail = f"{len(begun)} begun and not read to the end: '{begun[0]}'" + (" …" if begun[1:] else "")
        return Finding("files read", False, detail, "Read them again: conspectus retry")
    failed = [row.path for row in rows if row.state == "failed"]
    remedy = "`conspectus status` says why. Mend them, then: conspectus retry --all; or: conspectus forget FILE"
    if failed:
        return Finding("files read", False, f"{len(failed)} failed: {_names(failed)}", remedy)
    return Finding("files read", True, "all")


def _letters(session: Session) -> Finding | None:
    """Files of whose pages a part is in nothing that can be searched: no fault, but to be known."""
    rows = rows_of(session.catalog.file_rows())
    told = [(row.path, note) for row in rows for note in row.notes if note.startswith(LACKING)]
    if not told:
        return None
    shown = "; ".join(f"'{path}': {note.removeprefix(LACKING).lstrip(': ')}" for path, note in told[:3])
    more = f" (and {len(told) - 3} more)" if len(told) > 3 else ""
    return Finding("letters", True, f"of {len(told)} files not all can be searched{more}: {shown}")


def _hidden(session: Session) -> Finding | None:
    """Files that hold text which nobody sees, as their reader noted: it is kept apart, and that is well."""
    told = [row.path for row in rows_of(session.catalog.file_rows()) if any(map(tells_of_hidden, row.notes))]
    if not told:
        return None
    return Finding("hidden text", True, f"kept apart in {len(told)} files: {_names(told)} (`conspectus inspect FILE`)")


def _names(paths: list[str]) -> str:
    return ", ".join(f"'{path}'" for path in paths[:3]) + (" …" if len(paths) > 3 else "")


def _missing(session: Session) -> Finding:
    rows = rows_of(session.catalog.file_rows())
    gone = [row.path for row in rows if row.papers and row.state == "missing"]
    remedy = "Put them back; or let them go: conspectus forget FILE, with --papers for their papers too" if gone else ""
    return Finding("files there", not gone, f"{len(gone)} no longer there: {_names(gone)}" if gone else "all", remedy)


def _leftovers(session: Session) -> Finding | None:
    """What a run that was killed left in the folder."""
    try:
        with folder_lock(session.folder, wait=0):  # else somebody may be using them
            found = _left(session)
    except ConspectusError:
        return None  # somebody is writing, or the folder can only be read: nobody can say
    if found:
        return Finding("leftovers", False, f"{len(found)} of runs that were killed: '{found[0].name}'", FIX)
    return Finding("leftovers", True, "none")


def _left(session: Session) -> list[Path]:
    return [*session.folder.glob(".catalog.sqlite.*"), *upkeep.leftovers(session.index)]


def _clean(session: Session) -> None:
    with folder_lock(session.folder, wait=0):
        for path in _left(session):
            shutil.rmtree(path, ignore_errors=True)


def _drive(session: Session) -> Finding | None:
    kind = drive_of(session.folder)
    if is_network(kind):
        remedy = "Keep the library on a disk of this machine: SQLite needs locks that such drives do not keep."
        return Finding("drive", False, f"the folder lies on a network drive ({kind})", remedy)
    return Finding("drive", True, kind) if kind else None


def _private(session: Session) -> Finding | None:
    """Who else may look into the folder: new libraries are their user's alone, and the modes of older ones stay."""
    if os.name != "posix":
        return None
    if is_private(session.folder):
        return Finding("private", True, "nobody else may look into the folder")
    mode = session.folder.stat().st_mode & 0o777
    remedy = f"If they should not: chmod go= '{session.folder}'"
    return Finding("private", True, f"others on this machine may look into the folder (mode {mode:o})", remedy)


def _disk(session: Session) -> Finding:
    free = shutil.disk_usage(session.folder).free // 10**6
    return Finding("disk", free >= LOW_MB, f"{free} MB free", "" if free >= LOW_MB else "Make room on this disk.")


CHECKS: tuple[tuple[Check, Mend | None], ...] = (
    (_versions, None),
    (_catalog, None),
    (_documents, None),
    (_whole, _make_whole),
    (_identifiers, None),
    (_trust, None),
    (_model, None),
    (_language_models, None),
    (_judge, None),
    (_reranker, None),
    (_prompts, None),
    (_cut, None),
    *((partial(_derived, one.name), _derive) for one in DERIVATIONS if not one.beside),
    (_index, _reindex),
    (_ocr, None),
    (_failed, None),
    (_letters, None),
    (_hidden, None),
    (_missing, None),
    (_leftovers, _clean),
    (_private, None),
    (_drive, None),
    (_disk, None),
)
