"""The manifest of exported figures, a line of JSON each, and a contact sheet that a browser shows."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import quote

import msgspec

from conspectus.core.characters import escaped_json
from conspectus.core.characters import line as plain
from conspectus.records import FigureCard

MANIFEST, SHEET = "figures.jsonl", "index.html"
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Figures</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #222; background: #f4f4f2; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; background: #fff; border: 1px solid #ddd; border-radius: 4px; }
img { width: 100%; height: 13rem; object-fit: contain; background: #fff; }
.none { height: 13rem; display: grid; place-items: center; color: #666; background: #eee; padding: 0 1rem; }
h2 { font-size: 1rem; margin: .5rem 0 0; } p { margin: .25rem 0; overflow-wrap: anywhere; }
.caption { max-height: 8.7em; overflow: auto; } .from { color: #666; }
</style></head><body><h1>Figures</h1><main>
"""
FOOT = "</main></body></html>\n"


def row(card: FigureCard, file: str, why: str) -> str:
    """A figure's line of the manifest; `file` is the name of its picture, or else `why` there is none."""
    one = card.figure
    said = {
        **{"id": one.id, "paper": one.paper.id, "title": one.paper.title, "label": one.label, "caption": one.caption},
        **{"kind": one.kind, "shows": one.shows, "page": one.page, "box": one.box, "file": file or None, "why": why},
        "mentions": [{"id": span.id, "text": span.text} for span in card.said],
    }
    return escaped_json(msgspec.json.encode(said).decode()) + "\n"


def tile(card: FigureCard, file: str, why: str) -> str:
    """A figure on the sheet."""
    return "".join(_tile(card, file, why))


def _tile(card: FigureCard, file: str, why: str) -> Iterator[str]:
    one = card.figure
    name, paper = escape(plain(one.label) or one.kind.capitalize()), escape(plain(one.paper.heading))
    page = f", p. {one.page}" if one.page else ""
    yield f'<figure id="{escape(one.id)}">'
    if file:
        yield f'<a href="{quote(file)}"><img loading="lazy" src="{quote(file)}" alt="{name} of {paper}"></a>'
    else:
        yield f'<div class="none">{escape(plain(why))}</div>'
    yield f'<figcaption><h2>{name}</h2><p class="from">{paper}{page}</p>'
    yield f'<p class="caption">{escape(plain(one.caption))}</p></figcaption></figure>\n'
