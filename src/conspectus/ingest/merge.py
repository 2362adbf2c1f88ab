"""What several documents say of one paper becomes one paper; the order in which they came makes no difference."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from conspectus.records import Metadata, ParsedPaper
from conspectus.store.rows import Document


def paper_id(identity: tuple[str, str], salt: int = 0) -> str:
    """A paper's id, ten letters and digits made from what it is known by."""
    from base64 import b32encode

    raw = hashlib.blake2b("\0".join((*identity, str(salt))).encode(), digest_size=10).digest()
    return b32encode(raw).decode().lower()[:10]


def merge(documents: Sequence[Document]) -> ParsedPaper:
    """One paper out of its documents.

    Metadata is taken field by field from the first that has it: what was written by hand, whatever it says, then
    records, then files with a full text (the fields of records are entered, not read off a page); the text from a full
    text with pages before one without before a record.
    """
    ordered = sorted(documents, key=lambda document: (document.path, document.ordinal))
    by_metadata = sorted(ordered, key=lambda document: document.parsed.has_full_text)
    by_text = _by_text(ordered)
    values: dict[str, Any] = {}
    for document in by_metadata:
        for name in Metadata.__dataclass_fields__:
            values[name] = values.get(name) or getattr(document.parsed.metadata, name)
    values["extra"] = {k: v for document in reversed(by_metadata) for k, v in document.parsed.metadata.extra.items()}
    for document in reversed(documents):  # of papers that became one, the oldest comes first
        values |= document.edits
    values["external_id"] = values["external_id"] or _external_id(values, by_text[0])
    best = by_text[0].parsed
    values["references"] = values["references"] or tuple(reference.text for reference in best.references)
    return replace(best, metadata=Metadata(**values))


def text_document(documents: Sequence[Document]) -> Document:
    """The document whose text is the paper's."""
    return _by_text(sorted(documents, key=lambda document: (document.path, document.ordinal)))[0]


def _by_text(ordered: Sequence[Document]) -> list[Document]:
    """The best text first; of equals what a record names first, so that a supplement comes behind its article."""
    named = list(dict.fromkeys(path for document in ordered for path in document.linked))
    position = {path: number for number, path in enumerate(named)}
    return sorted(ordered, key=lambda document: (_text_rank(document), position.get(document.path, len(named))))


def _text_rank(document: Document) -> int:
    if not document.parsed.has_full_text:
        return 2
    return 0 if document.parsed.pages else 1


def _external_id(values: dict[str, Any], document: Document) -> str:
    named = (values[scheme] for scheme in ("doi", "arxiv_id", "pmid"))
    return next((value for value in named if value), PurePath(document.path).name)
