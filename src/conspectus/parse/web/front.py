"""What stands between a page's top and the article's first words: title, names, addresses, dates."""

from __future__ import annotations

import re
from dataclasses import replace

from conspectus.parse.web.tree import folded
from conspectus.records import Block, Figure, Metadata

_FRONT = re.compile(
    r"(?:published|received|accepted|posted|updated|first published|available online|copyright|©|doi\b|https?://|citation:"
    r"|correspondence|edited by|editor|open access|research article|article|review|e-?mail|by\s+[A-Z]"
    r"|keywords?\b|from wikipedia"
    r"|\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}|\d+ min(?:ute)?s? read)",
    re.I,
)
_KEYWORDS = re.compile(r"key\s?words?(?: and phrases)?\s*[:.—–-]\s*", re.I)
_SHORT = 300


def without_apparatus(
    blocks: list[Block], figures: list[Figure], metadata: Metadata, title: str
) -> tuple[tuple[Block, ...], tuple[Figure, ...], Metadata]:
    """Blocks and figures of the article itself, and its metadata with what the text says of it.

    A line of keywords counts where there are none yet; the text's abstract goes before a given one.
    """
    blocks, figures = without_front(blocks, figures, metadata, title)
    blocks, figures, keywords = without_keywords(blocks, figures)
    abstract = "\n\n".join(block.text for block in blocks if block.kind == "abstract")
    known = replace(
        metadata,
        abstract=abstract or metadata.abstract,
        keywords=metadata.keywords or keywords,
        references=tuple(block.text for block in blocks if block.kind == "reference"),
    )
    return tuple(blocks), tuple(figures), known


def without_front(
    blocks: list[Block], figures: list[Figure], metadata: Metadata, title: str
) -> tuple[list[Block], list[Figure]]:
    """The blocks from the article's first words on; figures know their captions still."""
    at = _title_at(blocks, title)
    drop = set(range(at + 1)) if at >= 0 and not any(len(b.text) > _SHORT for b in blocks[:at]) else set()
    drop = {i for i in drop if blocks[i].kind in ("paragraph", "heading", "footnote")}
    if at >= 0:
        drop.add(at)
    for i in range(at + 1, len(blocks)):
        block = blocks[i]
        if block.kind not in ("paragraph", "footnote"):
            break
        if not _is_front(block.text, metadata):
            break
        drop.add(i)
    raise_by = _sole_top_level(blocks, at, drop)
    blocks = [replace(b, level=max(1, b.level - raise_by)) if b.level else b for b in blocks]
    return without(blocks, figures, drop)


def without_keywords(blocks: list[Block], figures: list[Figure]) -> tuple[list[Block], list[Figure], tuple[str, ...]]:
    """The blocks without a line `Keywords: …`, and the keywords."""
    for i, block in enumerate(blocks):
        match = _KEYWORDS.match(block.text) if block.kind in ("abstract", "paragraph") else None
        if match and len(block.text) <= 2 * _SHORT:
            words = (word.strip(" .") for word in re.split(r"[;,·•|]", block.text[match.end() :]))
            return *without(blocks, figures, {i}), tuple(word for word in words if word)
    return blocks, figures, ()


def without(blocks: list[Block], figures: list[Figure], drop: set[int]) -> tuple[list[Block], list[Figure]]:
    """The blocks but for those numbers, and the figures, which know their captions still."""
    kept = [i for i in range(len(blocks)) if i not in drop]
    new = {old: i for i, old in enumerate(kept)}
    moved = [replace(f, caption=None if f.caption is None else new.get(f.caption)) for f in figures]
    return [blocks[i] for i in kept], moved


def _title_at(blocks: list[Block], title: str) -> int:
    """The number of the title's heading, or -1."""
    want = folded(title)
    for i, block in enumerate(blocks[:40]):
        if block.kind == "heading" and want and folded(block.text) == want:
            return i
    return -1


def _sole_top_level(blocks: list[Block], at: int, drop: set[int]) -> int:
    """By how much headings rise when the title, which stood above them, has gone."""
    levels = [block.level for i, block in enumerate(blocks) if block.kind == "heading" and i not in drop]
    return min(levels) - 1 if levels and at >= 0 else 0


def _is_front(text: str, metadata: Metadata) -> bool:
    if len(text) > _SHORT:
        return False
    names = sum(author.surname in text for author in metadata.authors[:20] if len(author.surname) > 2)
    ends_like_text = text.endswith((".", "?", "!")) and len(text.split()) > 12
    if names and (not ends_like_text or names > 2):
        return True
    return bool(_FRONT.match(text)) and not ends_like_text
