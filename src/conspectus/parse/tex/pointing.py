"""`\\ref`, `\\cite` and their kin: words that lead to a numbered part of the document or to a work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.parse.tex.scan import Scanner, Token

if TYPE_CHECKING:
    from conspectus.parse.tex.writer import Writer

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


def point(writer: Writer, source: Scanner, name: str) -> None:
    """Adds what the labels are printed as, with marks."""
    labels = [label.strip() for label in source.argument().split(",")]
    style = REFS[name]
    if style == "-":
        return
    for i, label in enumerate(labels):
        printed = writer.before.printed.get(label, "")
        if style == "name" and printed:
            printed = f"{writer.before.names.get(label, '')} {printed}".strip()
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
