"""Small pieces of HTML, for notebooks and exported pages. Every text is escaped: it may be hostile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from conspectus.core.characters import cleaned

if TYPE_CHECKING:
    from conspectus.records.paper import Metadata

MOST = 50
"""Items shown of a long list."""
MOST_CHARS = 600
"""Characters shown of a long text."""

BOX = "max-width:60em;line-height:1.45"
DIM = "opacity:.65;font-size:.9em"
RULE = "border-top:1px solid rgba(128,128,128,.35);margin-top:.6em;padding-top:.6em"
QUOTE = "border-left:3px solid rgba(128,128,128,.5);padding-left:.7em;margin:.3em 0"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Rows of two cells."""
    cell = '<td style="text-align:left;vertical-align:top">'
    lines = [f"<tr>{cell}{text(name)}</td>{cell}{text(value)}</td></tr>" for name, value in rows]
    return f"<table>{''.join(lines)}</table>" if lines else ""


def limited(items: Sequence[str]) -> list[str]:
    """At most `MOST` items, and how many more there are."""
    return [*items[:MOST], more(len(items))]


def more(count: int) -> str:
    """How many items of a long list are not shown."""
    return dim(f"… and {count - MOST} more") if count > MOST else ""


def dim(said: str) -> str:
    """A line of less weight."""
    return f'<div style="{DIM}">{text(said)}</div>' if said else ""


def text(said: str, most: int | None = None) -> str:
    """A text, escaped, and cut to `most` characters."""
    said = cleaned(said)
    return escape(said if most is None else cut(said, most), quote=True)


def cut(said: str, most: int) -> str:
    """A text, cut to `most` characters."""
    return said if len(said) <= most else said[:most].rstrip() + "…"


def box(*parts: str) -> str:
    """What is shown of one record."""
    return f'<div style="{BOX}">{"".join(parts)}</div>'


def linked(found: Metadata, html: str) -> str:
    """`html` as a link to where the paper is on the web, if that is known."""
    return anchor(found.link, html) if found.link else html


def anchor(link: str, html: str) -> str:
    """`html` as a link that opens apart and tells nobody where it stood."""
    return f'<a href="{escape(link, quote=True)}" target="_blank" rel="noopener noreferrer">{html}</a>'
