"""Markdown to `site/*.html`: one template, no external resources."""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
START = ["index", "quickstart"]
HOW_TO = """
    adding searching answering chat consensus map vocabularies graph images curating summaries auditing
    exporting care models serving python server safety troubleshooting
""".split()
REFERENCE = ["commands", "settings", "json"]
HOW_IT_WORKS = ["checking", "reading-errors", "evaluating", "evaluating-answers"]
DEVELOP = ["extending"]
ORDER = [*START, *HOW_TO, *REFERENCE, *HOW_IT_WORKS, *DEVELOP]
"""The order of `index.md`."""

ABOUT = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"]


def sources() -> list[Path]:
    """All pages, in the order of the navigation; a page that `ORDER` forgets comes last."""
    docs = sorted((ROOT / "docs").glob("*.md"), key=lambda path: ORDER.index(path.stem) if path.stem in ORDER else 99)
    return [*docs, *(ROOT / name for name in ABOUT)]


def slug(text: str) -> str:
    """The id of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def headings(text: str) -> list[str]:
    """The texts of a page's headings, the title first."""
    tokens = _markdown().parse(text)
    return [_plain(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]


def links(text: str) -> list[str]:
    """Where a page's links lead."""
    inner = [child for token in _markdown().parse(text) for child in token.children or []]
    return [str(token.attrGet("href")) for token in inner if token.type == "link_open"]


def write(folder: Path) -> None:
    """Render all pages into `folder`, made anew."""
    pages = {page: page.read_text("utf-8") for page in sources()}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    titles = {page: headings(text)[0] for page, text in pages.items()}
    for page, text in pages.items():
        tokens = _markdown().parse(text)
        _prepare(tokens, page)
        body = _markdown().renderer.render(tokens, _markdown().options, {})
        (folder / _name(page)).write_text(_page(page, titles, body), "utf-8")
    for picture in (ROOT / "docs").rglob("*.png"):
        shutil.copy2(picture, folder / picture.name)


def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _name(page: Path) -> str:
    return f"{page.stem.lower()}.html"


def _plain(token: Token) -> str:
    return "".join(child.content for child in token.children or [] if child.type in ("text", "code_inline"))


def _prepare(tokens: list[Token], page: Path) -> None:
    """Ids for headings; links between pages made links between their HTML; pictures lie beside it."""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(_plain(tokens[at + 1])))
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href")), page))
            elif child.type == "image":
                child.attrSet("src", Path(str(child.attrGet("src"))).name)


def _target(href: str, page: Path) -> str:
    path, mark, anchor = href.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return href
    target = (page.parent / path).resolve()
    return (_name(target) if target in sources() else os.path.relpath(target, ROOT / "site")) + mark + anchor


def _page(page: Path, titles: dict[Path, str], body: str) -> str:
    here = ' aria-current="page"'
    items = "".join(
        f'<li><a href="{_name(other)}"{here if other == page else ""}>{html.escape(title)}</a></li>'
        for other, title in titles.items()
    )
    return TEMPLATE.format(title=html.escape(titles[page]), items=items, body=body)


TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --text: #1c1c1c; --back: #fff; --soft: #f4f4f2; --line: #dcdcd8; --link: #0b57a4 }}
@media (prefers-color-scheme: dark) {{
  :root {{ --text: #e4e4e0; --back: #17181a; --soft: #222427; --line: #3a3d41; --link: #86b9f0 }}
}}
body {{ margin: 0; color: var(--text); background: var(--back); font: 16px/1.6 system-ui, sans-serif }}
.all {{ display: flex; flex-wrap: wrap; gap: 2rem; max-width: 70rem; margin: auto; padding: 1.5rem }}
nav {{ flex: 0 0 12rem }}
nav ul {{ list-style: none; margin: 0; padding: 0 }}
nav a[aria-current] {{ font-weight: 600; color: inherit; text-decoration: none }}
main {{ flex: 1 1 30rem; min-width: 0 }}
img {{ max-width: 100% }}
a {{ color: var(--link) }}
h1, h2, h3 {{ line-height: 1.25 }}
pre, code {{ font: 0.875em/1.5 ui-monospace, monospace; background: var(--soft) }}
code {{ padding: 0.1em 0.25em; overflow-wrap: anywhere }}
pre {{ padding: 0.8rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 4px }}
pre code {{ padding: 0; font-size: 1em; overflow-wrap: normal }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
th, td {{ border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top }}
</style>
<div class="all">
<nav aria-label="Pages"><ul>{items}</ul></nav>
<main>
{body}</main>
</div>
</html>
"""
