"""Remove, split and edit the papers of a library, and let go of files."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from conspectus.core.errors import UsageError
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import PaperName
from conspectus.ingest.files import names_of
from conspectus.papers.removed_papers import recent_removals
from conspectus.records import LedgerRow, Paper
from conspectus.records.curation import Edit, EditedPaper, Removal, RemovedPapers, SplitPaper
from conspectus.sources.online_folder import OnlineFolder
from conspectus.store.connection import transact, utc_now, writing
from conspectus.zotero import removal as zotero_removal

Reverted = Annotated[Sequence[str], Option("Return the field to what the files say.", metavar="FIELD", max_length=100)]


class ChangeVerbs(VerbGroup):
    """Change the papers of the library."""

    @verb(http="DELETE /papers/{paper}", writes=True)
    def remove(
        self,
        papers: Annotated[
            str | Sequence[str], Option("Papers, by any of their names.", metavar="PAPERS…", query="paper")
        ],
    ) -> RemovedPapers:
        """Remove papers and every trace of them.

        Their files stay where they are.

        Shell:
            On a terminal, you are asked to confirm.

        Raises:
            NotFoundError: no paper, or more than one, has a name; then nothing was done.
        """
        names = (papers,) if isinstance(papers, str) else papers
        paper_by_id = {paper.id: paper for paper in map(self.session.paper, names)}
        undo = ""
        for name in paper_by_id:
            paper_by_id[name], undo = self._remove_one(name)
        return RemovedPapers(tuple(paper_by_id.values()), undo)

    def _remove_one(self, name: str) -> tuple[Paper, str]:
        from conspectus.store.removal import remove_paper

        session = self.session
        with session.writing():
            paper = session.paper(name)
            key = session.catalog.paper_key(paper.id)
            documents = session.catalog.documents_of_one(key)
            with writing(session.catalog.engine) as connection:
                rows = remove_paper(connection, key)
            files = OnlineFolder(session.folder).take_out(session.catalog, documents)
            items = zotero_removal.take_out(session.folder, paper.id, documents)
            removal = Removal(f"rem-{secrets.token_hex(4)}", paper.id, paper.heading, utc_now())
            recent_removals(session).hold(removal, rows, files, items)
            session.forget_removed()
        return paper, next(
            (other.id for other in recent_removals(session).list_removals() if other.id == removal.id), ""
        )

    @verb(http="GET /removals", key="removals", command=False)
    def removals(self) -> tuple[Removal, ...]:
        """List the papers removed since the library was opened that can be brought back, the newest first."""
        return recent_removals(self.session).list_removals()

    @verb("undo", http="POST /removals/{name}/undo", key="paper", writes=True, command=False)
    def undo_remove(
        self, name: Annotated[str, Option("Id of the removal or of the paper; `last`: the last one.")] = "last"
    ) -> Paper:
        """Bring a removed paper back as it was, with all that was made of it and kept about it.

        Nothing is read or embedded again. What models answered with words of it before them, and the steps of such
        answers, are gone for good. Removals are held in memory: the last 1,000, 256 MB at most, until the library is
        closed.

        Raises:
            NotFoundError: there is no such removal.
            UsageError: the paper is in the library again, its file says otherwise since, or the library was embedded
                with another model.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.store.removal import restore_paper

        session = self.session
        with session.writing():
            held_removal = recent_removals(session).find(name)
            rows = OnlineFolder(session.folder).rows_to_restore(session.catalog, held_removal.rows)
            for taken_items in held_removal.items:
                rows = zotero_removal.rows_to_restore(session, rows, taken_items)
            key = transact(session.catalog.engine, partial(restore_paper, removed=rows))
            OnlineFolder(session.folder).put_back(held_removal.files)
            for taken_items in held_removal.items:
                zotero_removal.put_back(taken_items)
            recent_removals(session).drop(held_removal.removal.id)
            session.follow()
        return session.catalog.papers_by_key([key])[key]

    @verb(schema="papers.forget", key="files", writes=True)
    def forget(
        self,
        paths: Annotated[
            str | Path | Sequence[str | Path], Option("Files as they were added, or folders.", metavar="FILES…")
        ],
        *,
        papers: Annotated[bool, Option("Also remove the papers that come from these files alone.")] = False,
    ) -> tuple[LedgerRow, ...]:
        """Forget files (added, failed or missing) and the data read from them.

        FILES are named as they were added, or are folders. Papers that other files also describe stay, without the data
        from these files. If a paper comes from these files alone, nothing is done unless you give --papers. The files
        stay where they are, and are read again if they are added again.

        Raises:
            NotFoundError: the library knows no such file.
            UsageError: papers rest on these files alone, and `papers` is False; nothing was done.
        """
        from conspectus.ingest.ledger import rows_of
        from conspectus.ingest.paper_store import find_file_rows, forget_files

        session = self.session
        with session.writing():
            rows = find_file_rows(session.catalog, names_of(paths))
            ledger_rows = rows_of(rows)
            if any(row.papers for row in rows):
                session.check_model()
            forget_files(session.paper_store(), rows, papers=papers)
            names = [row.path for row in rows]
            OnlineFolder(session.folder).forget(session.catalog, names)
            zotero_removal.forget_records(session.folder, names)
            session.forget_removed()
        return ledger_rows

    @verb(schema="papers.split", key="papers", writes=True)
    def split(
        self,
        paper: PaperName,
        documents: Annotated[Sequence[str | int], Option("Their numbers, or their files.", metavar="DOCUMENTS…")] = (),
        *,
        undo: Annotated[bool, Option("Merge what was split off again, if it still matches.")] = False,
    ) -> tuple[SplitPaper, ...]:
        """Split a paper that was merged from several documents, or undo a split.

        DOCUMENTS are the numbers that `show` gives them, or their files. They become another paper; without any, each
        document becomes its own paper. They stay separate even if they are added again or change.

        Returns:
            What became of it, the one that it was first.

        Raises:
            NotFoundError: no paper, or more than one, is called so; or none of its documents.
            UsageError: it is made of one document only, of those named only, or was never split; or `undo` is given
                with documents.
        """
        from conspectus.ingest import corrections

        if undo and documents:
            raise UsageError("Undoing a split takes no documents.", f"Say: `split {paper} undo=True`")
        session = self.session
        with session.writing():
            session.check_model()
            key, store = session.catalog.paper_key(session.paper(paper).id), session.paper_store()
            keys = corrections.unite(store, key) if undo else corrections.split(store, key, list(map(str, documents)))
            session.follow()
        paper_by_key = session.catalog.papers_by_key(keys)
        papers = (paper_by_key[key] for key in keys if key in paper_by_key)
        return tuple(SplitPaper(part, corrections.described(session.documents(part))) for part in papers)

    @verb("papers edit", http="PATCH /papers/{paper}", schema="papers.edit", writes=True, command=False)
    def edit(
        self,
        paper: PaperName,
        set: Annotated[
            Mapping[str, str | int | bool | Sequence[str] | None] | None,
            Option(
                "Fields and their values; null or an empty value clears a field.",
                example={"title": "Grid cells", "year": 2005, "authors": ["Hafting, Torkel"]},
            ),
        ] = None,
        *,
        revert: Reverted = (),
    ) -> EditedPaper:
        """Edit a paper's metadata: `title`, `authors`, `abstract`, `year`, `date`, `doi`, `arxiv_id` and others.

        Edits override the files, even after they are read again, until they are reverted. Search, filters and exports
        follow. By an identifier that was written the paper is found, and it is merged with what else has it, if that
        agrees. Authors and keywords are lists, or separated by `;`. The year and the date follow each other.

        Raises:
            NotFoundError: no paper, or more than one, is called so.
            UsageError: there is no such field, or it cannot have this value; nothing was done.
            ModelMissingError, ModelMismatchError, BusyError: as `add`.
        """
        from conspectus.ingest import corrections

        session = self.session
        current_paper = session.paper(paper)
        if set or revert:
            with session.writing():
                session.check_model()
                key = session.catalog.paper_key(session.paper(paper).id)
                key = corrections.edit(session.paper_store(), key, set or {}, revert)
                session.follow()
            current_paper = session.catalog.papers_by_key([key])[key]
        return EditedPaper(current_paper, self.edits(current_paper.id))

    @verb("edit", schema="papers.edit", writes=True)
    def edit_fields(
        self,
        paper: PaperName,
        changes: Annotated[Sequence[str], Option("Fields and their values.", metavar="FIELD=VALUE…")] = (),
        *,
        revert: Reverted = (),
    ) -> EditedPaper:
        """Edit a paper's metadata, or show the edits.

        FIELD is title, authors, abstract, year, date, doi, arxiv_id, pmid, bibcode, venue, keywords, citation_count or
        url; separate authors and keywords with `;`. An empty VALUE clears the field. Edits override the files, even
        after they are read again.

        Raises:
            UsageError: a change is not of the form FIELD=VALUE; else as `edit`.
        """
        pairs = [change.partition("=") for change in changes]
        if bad_names := [name for name, equals, _ in pairs if not equals]:
            raise UsageError(f"'{bad_names[0]}' is not of the form FIELD=VALUE.", "Write title='Grid cells'.")
        return self.edit(paper, {name.strip(): value for name, _, value in pairs}, revert=revert)

    def edits(self, paper: str) -> tuple[Edit, ...]:
        """What was written of a paper by hand, and what its files say instead; the paper by any of its names."""
        from conspectus.ingest.corrections import edits_of

        return edits_of(self.session.catalog, self.session.catalog.paper_key(self.session.paper(paper).id))
