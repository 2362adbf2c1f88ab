"""Where papers, and their passages, stand on the map of the library."""

from __future__ import annotations

from conspectus.ingest.derivations.of_paper import Subject, WhenAsked
from conspectus.records.atlas import Mapped
from conspectus.records.passage import digest_of_texts, embedding_text, text_digest
from conspectus.store import schema
from conspectus.store.derivations import Part


class Positions(WhenAsked):
    """See `Derivation`; its version is that of the map, of papers or of passages."""

    doing = "mapping"

    def __init__(self, of: Mapped = "papers", version: str = "") -> None:
        super().__init__(None, version)
        self.name = "map" if of == "papers" else "map of passages"
        self.parts = (Part(schema.positions, "of", (of,)),)

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: of what was embedded."""
        return digest_of_texts([text_digest(embedding_text(paper.metadata, one)[0]) for one in paper.passages])
