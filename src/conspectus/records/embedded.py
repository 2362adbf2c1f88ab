"""What is embedded of a passage, and what stands for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from conspectus.records.paper import Metadata
from conspectus.records.passage import Passage


def digest_of(*said: object) -> bytes:
    """8 bytes that stand for what is said."""
    return hashlib.blake2b("\0".join(map(str, said)).encode(errors="replace"), digest_size=8).digest()


def embedding_text(metadata: Metadata, passage: Passage) -> tuple[str, int]:
    """What is embedded for a passage, and how many characters stand before its own text.

    Title, first author, year and section go in front, so that no passage is orphaned (S2); a passage that is the title
    stands alone.
    """
    if passage.text == metadata.title:
        return passage.text, 0
    author = metadata.authors[0].surname if metadata.authors else ""
    byline = " ".join(part for part in (author, str(metadata.year or "")) if part)
    head = ". ".join(part for part in (metadata.title.rstrip("."), byline, passage.section) if part)
    prefix = f"{head}\n" if head else ""
    return prefix + passage.text, len(prefix)


def text_digest(text: str) -> bytes:
    """16 bytes that stand for a text that was embedded."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).digest()


def embedded_digest(texts: Sequence[bytes]) -> bytes:
    """What stands for the texts of a paper that were embedded, by their digests in reading order."""
    return digest_of(*(text.hex() for text in texts))
