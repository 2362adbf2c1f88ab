"""What a reader makes of a file: metadata and a sequence of blocks with sentences in exact places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.paper import Metadata
from conspectus.records.passage import Place

BlockKind = Literal["heading", "paragraph", "abstract", "caption", "footnote", "reference"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block: `block.text[start:end]`, and its rectangles where the source has pages."""

    start: int
    end: int
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a caption … in reading order.

    `level` counts headings from 1 and is 0 elsewhere. Sentences are in order, never overlap, and leave nothing between
    them but white space; headings have one. `abstract` paragraphs are also the metadata's abstract.
    """

    kind: BlockKind
    text: str
    sentences: tuple[Sentence, ...]
    level: int = 0


@dataclass(frozen=True, slots=True)
class ParsedPaper:
    """One paper as a reader found it. Without body blocks it is a record ("abstract only").

    `warnings` are for the user: what could not be read well, in one sentence each.
    """

    metadata: Metadata
    blocks: tuple[Block, ...] = ()
    pages: int = 0
    warnings: tuple[str, ...] = field(default=())

    @property
    def has_full_text(self) -> bool:
        """Whether there is text beyond title and abstract."""
        return any(block.kind == "paragraph" for block in self.blocks)
