"""A library that is open: its folder, settings, catalog, index and embedder."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.lock import writer_lock
from conspectus.core.disk import is_private
from conspectus.errors import ConspectusError, LibraryError, ModelMismatchError, NotFoundError
from conspectus.ingest.progress import ProgressCallback, silent, waiting
from conspectus.parse.identifiers import identify
from conspectus.records import Paper
from conspectus.settings import Settings, default_folder, load_settings, user_state
from conspectus.settings.standing import Claim, Standing, is_new, place_of, refuse_links, remedy, standing, told

if TYPE_CHECKING:
    from conspectus.catalog.rows import Document
    from conspectus.index.embedded import EmbeddedIndex
    from conspectus.models.protocol import Embedder


class OpenLibrary:
    """What every verb of `Library` works on; see there."""

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        create: bool = True,
    ) -> None:
        self.folder = place_of(default_folder() if folder is None else folder)
        self.settings = settings if isinstance(settings, Settings) else load_settings(self.folder, settings)
        self.settings.require("catalog.url")
        if self.left_out and not isinstance(settings, Settings):  # else whoever loaded them tells
            logging.getLogger("conspectus").warning("%s %s", told(self.left_out), remedy(self.folder))
        refuse_links(standing(self.folder))  # `_standing` is looked at when the library is made
        new = create and is_new(self.folder)
        own = new or (create and user_state.is_without_catalog(self.folder))
        try:
            os.fsencode(self.folder).decode("utf-8")
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            if new:
                _make_private(self.folder, catalog=not self.settings.catalog.url)
        except (OSError, UnicodeDecodeError) as error:
            why = "its name is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise LibraryError(
                f"The library folder {str(self.folder)!r} cannot be used: {why}.",
                "Choose another with --library or CONSPECTUS_LIBRARY.",
            ) from error
        place = self.settings.catalog
        self._catalog = Catalog(self.folder / "catalog.sqlite", place.url.reveal(), place.schema, create=create)
        if own:
            user_state.adopt(self.folder, standing(self.folder).digest)
        elif (found := standing(self.folder)).made_here:
            user_state.note(self.folder, found.digest)

    @property
    def left_out(self) -> tuple[Claim, ...]:
        """What the library's folder says and does not count, because it was not made here and is not trusted."""
        return self.settings.left_out

    @cached_property
    def _standing(self) -> Standing:
        return standing(self.folder)

    def close(self) -> None:
        """Give everything back."""
        if "_index" in self.__dict__:  # else it was never opened
            self._index.close()
        self._catalog.close()

    def paper(self, name: str) -> Paper:
        """The paper called `name`: its id, external id, DOI, arXiv id, PMID, bibcode, file or title.

        Raises:
            NotFoundError: none, or more than one.
        """
        found = self._catalog.find_papers(name) or self._catalog.find_papers(identify(name)[1])
        if not found:
            raise NotFoundError(f"There is no paper '{name}' in the library.", "`conspectus list` shows the papers.")
        if len(found) > 1:
            some = ", ".join(paper.id for paper in found[:5])
            raise NotFoundError(f"'{name}' can mean {len(found)} papers: {some}.", "Use one of these ids.")
        return found[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _documents(self, paper: Paper) -> list[Document]:
        """What was read of the paper's files."""
        return self._catalog.documents_of_one(self._catalog.paper_key(paper.id))

    def __repr__(self) -> str:
        """`Library('/home/ada/papers', 24 papers, 78 passages)`, or why that cannot be said."""
        if "_catalog" not in self.__dict__:  # it could not be opened
            return super().__repr__()
        if getattr(self, "_is_closed", False):
            said = "closed"
        else:
            try:
                counts = self._catalog.counts()
                said = f"{counts['papers']} papers, {counts['passages']} passages"
            except ConspectusError as error:
                said = error.message
        return f"{type(self).__name__}({str(self.folder)!r}, {said})"

    def _writing(self, tell: ProgressCallback = silent) -> AbstractContextManager[None]:
        """The writer lock; a wait for it is told."""
        return writer_lock(self._catalog, self.folder, self.settings.catalog.wait, waiting(tell))

    def _follow(self) -> None:
        """Bring the index up to the catalog, with vectors of the model that the library has."""
        from conspectus.ingest.sync import sync

        made = self._catalog.model_counts() or {self._index.stats().model: 0}
        sync(self._catalog, self._index, max(made, key=lambda model: made[model]))

    def _own_index(self) -> EmbeddedIndex:
        """The index, for what searches it as it is; one that came with a stranger's library is made anew first."""
        from conspectus.ingest.sync import catch_up

        if self._index.is_foreign() and (made := self._catalog.model_counts()):
            catch_up(self._catalog, self._index, max(made, key=lambda model: made[model]), self.folder)
        return self._index

    def _check_model(self) -> None:
        made = self._catalog.model_ids()
        if made and set(made) != {self._embedder.id}:
            self.settings.require("models.embedder")
            raise ModelMismatchError(
                f"The library's vectors are of {', '.join(made)}, but models.embedder is {self._embedder.id}.",
                "Embed it anew: conspectus reindex. Or set models.embedder back.",
            )

    @cached_property
    def _index(self) -> EmbeddedIndex:
        from conspectus.index.embedded import EmbeddedIndex

        return EmbeddedIndex(self.folder / self._catalog.store.index_name, trusted=self._standing.whole)

    @cached_property
    def _embedder(self) -> Embedder:
        from conspectus.models.registry import embedder

        return embedder(self.settings.models)


def _make_private(folder: Path, *, catalog: bool) -> None:
    """Let a new library be its user's alone: the folder where nothing else is in it, and else its catalog."""
    if os.name != "posix":
        return
    if not any(folder.iterdir()):
        folder.chmod(0o700)
    if catalog:  # SQLite gives its log the rights of the file
        os.close(os.open(folder / "catalog.sqlite", os.O_CREAT | os.O_RDWR, 0o600))
    if not is_private(folder):
        (folder / "index").mkdir(0o700, exist_ok=True)
