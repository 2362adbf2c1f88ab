"""Small commands of running text: references, citations, footnotes, links, raised text, quantities with units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conspectus.lexicon import pairs, words
from conspectus.parse.inline import raised as raised_text
from conspectus.parse.tex.scan import Scanner, Token

if TYPE_CHECKING:
    from conspectus.parse.tex.writer import Writer

_UNITS = pairs(words("latex")["units"])
REFS = {
    "ref": "",
    "autoref": "name",
    "cref": "name",
    "Cref": "name",
    "eqref": "()",
    "vref": "",
    "fref": "name",
    "pageref": "-",
}
"""Commands, and what is printed with the number: its name, parentheses, nothing, or no number at all."""


def footnote(writer: Writer, source: Scanner, _: Token) -> None:
    """A note: its sign here, its text behind the paragraph."""
    source.optional()
    text = source.argument()
    if not writer.in_document or not text:
        return
    number = str(writer.count("footnote"))
    _note_sign(writer, number)
    _footnote_block(writer, text, number)


def _note_sign(writer: Writer, number: str) -> None:
    if writer.line.open("footnote", ("\x00note",)):
        writer.line.add(raised_text(number))
        writer.line.close()


def footnote_mark(writer: Writer, source: Scanner, _: Token) -> None:
    """The sign of a note whose text stands elsewhere."""
    number = source.optional() or str(writer.count("footnote"))
    _note_sign(writer, number)


def footnote_text(writer: Writer, source: Scanner, _: Token) -> None:
    """The text of a note whose sign stood elsewhere."""
    number = source.optional() or str(writer.counts.get("footnote", 1))
    _footnote_block(writer, source.argument(), number)


def _footnote_block(writer: Writer, text: str, number: str) -> None:
    block = writer.rendered(text).block("footnote", label=number)
    if block is not None and writer.in_document:
        writer.later.append((block, None))


def pointing(writer: Writer, source: Scanner, _: Token) -> None:
    """Words that lead to a place of the document, as pandoc writes citations and references to figures."""
    target, words = source.argument().strip(), source.argument()
    opened = writer.line.open("reference", ("cite:" + target, "label:" + target))
    writer.line.add(writer.rendered(words).text)
    if opened:
        writer.line.close()


def url(writer: Writer, source: Scanner, _: Token) -> None:
    """An address as it is."""
    writer.line.add(source.argument().replace("\\", ""))


def raised(writer: Writer, source: Scanner, _: Token) -> None:
    """Superscript text."""
    writer.line.add(raised_text(writer.rendered(source.argument()).text))


def verb(writer: Writer, source: Scanner, token: Token) -> None:
    """Text as it is written."""
    if token.value == "lstinline":
        source.optional()
    braced = token.value == "lstinline" and source.at_group()
    writer.line.add(source.argument() if braced else source.delimited())


def quantity(writer: Writer, source: Scanner, token: Token) -> None:
    """`\\SI{5}{km}`, `\\num{5}`, `\\si{km}` of siunitx."""
    source.optional()
    pieces = [source.argument()]
    if token.value in ("SI", "qty"):
        pieces.append(source.argument())
    units = re.sub(r"\\([A-Za-z]+)", lambda m: _UNITS.get(m[1], m[1]), pieces[-1]) if token.value != "num" else ""
    number = "" if token.value in ("si", "unit") else pieces[0]
    writer.line.add(f"{number} {units}".strip())


def quote(_writer: Writer, source: Scanner, _: Token) -> None:
    """Text in quotation marks."""
    source.push("``{" + source.argument() + "}''")


def collaboration(_writer: Writer, source: Scanner, _: Token) -> None:
    """The group that the authors belong to, in some journals behind a number: no part of the text."""
    source.argument()
    if source.at_group():
        source.argument()


def refer(writer: Writer, source: Scanner, name: str) -> None:
    """Adds what the labels are printed as, with marks."""
    labels = [label.strip() for label in source.argument().split(",")]
    style = REFS[name]
    if style == "-":
        return
    for i, label in enumerate(labels):
        printed, _, _, called = writer.before.get(label, ("", None, "", ""))
        if style == "name" and printed:
            printed = f"{called} {printed}".strip()
        printed = f"({printed})" if style == "()" and printed else printed
        writer.line.add(", " if i else "")
        opened = writer.line.open("reference", ("label:" + label,))
        writer.line.add(printed or "??")
        if opened:
            writer.line.close()


def cite(writer: Writer, source: Scanner, token: Token) -> None:
    """Adds a citation."""
    first, second = source.optional(), source.optional()
    keys = [key.strip() for key in source.argument().split(",") if key.strip()]
    before, after = (first, second) if second is not None else (None, first)
    words = [writer.rendered(part).text if part else "" for part in (before, after)]
    writer.citations.write(writer.line, token.value, keys, words[0], words[1])


def letter(number: int, first: str) -> str:
    """The letter that counts, or the number where letters do not suffice."""
    return chr(ord(first) + number - 1) if 1 <= number <= 26 else str(number)
