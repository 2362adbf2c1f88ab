"""Figures and tables of LaTeX, and small commands: citations, footnotes, links, quantities with units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conspectus.lexicon import pairs, words
from conspectus.parse.markup.inline import Inline, raised
from conspectus.parse.markup.latex_scanner import Scanner, Token, group_end
from conspectus.parse.text.blocks import MOST_CELLS, even_rows, text_block
from conspectus.parse.text.plain_text import TABULARS
from conspectus.records import Figure, FigureKind

if TYPE_CHECKING:
    from conspectus.parse.markup.latex_body import Writer


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


def add_footnote(writer: Writer, source: Scanner, _: Token) -> None:
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
        writer.line.add(raised(number))
        writer.line.close()


def add_footnote_mark(writer: Writer, source: Scanner, _: Token) -> None:
    """The sign of a note whose text stands elsewhere."""
    number = source.optional() or str(writer.count("footnote"))
    _note_sign(writer, number)


def add_footnote_text(writer: Writer, source: Scanner, _: Token) -> None:
    """The text of a note whose sign stood elsewhere."""
    number = source.optional() or str(writer.counts.get("footnote", 1))
    _footnote_block(writer, source.argument(), number)


def _footnote_block(writer: Writer, text: str, number: str) -> None:
    block = writer.render(text).block("footnote", label=number)
    if block is not None and writer.in_document:
        writer.later.append((block, None))


def add_link(writer: Writer, source: Scanner, _: Token) -> None:
    """Words that lead to a place of the document, as pandoc writes citations and references to figures."""
    target, words = source.argument().strip(), source.argument()
    opened = writer.line.open("reference", ("cite:" + target, "label:" + target))
    writer.line.add(writer.render(words).text)
    if opened:
        writer.line.close()


def add_url(writer: Writer, source: Scanner, _: Token) -> None:
    """An address as it is."""
    writer.line.add(source.argument().replace("\\", ""))


def add_superscript(writer: Writer, source: Scanner, _: Token) -> None:
    """Superscript text."""
    writer.line.add(raised(writer.render(source.argument()).text))


def add_verbatim(writer: Writer, source: Scanner, token: Token) -> None:
    """Text as it is written."""
    if token.value == "lstinline":
        source.optional()
    braced = token.value == "lstinline" and source.at_group()
    writer.line.add(source.argument() if braced else source.read_delimited())


def add_quantity(writer: Writer, source: Scanner, token: Token) -> None:
    """`\\SI{5}{km}`, `\\num{5}`, `\\si{km}` of siunitx."""
    source.optional()
    pieces = [source.argument()]
    if token.value in ("SI", "qty"):
        pieces.append(source.argument())
    units = re.sub(r"\\([A-Za-z]+)", lambda m: _UNITS.get(m[1], m[1]), pieces[-1]) if token.value != "num" else ""
    number = "" if token.value in ("si", "unit") else pieces[0]
    writer.line.add(f"{number} {units}".strip())


def add_quotation(_writer: Writer, source: Scanner, _: Token) -> None:
    """Text in quotation marks."""
    source.push("``{" + source.argument() + "}''")


def skip_collaboration(_writer: Writer, source: Scanner, _: Token) -> None:
    """The group that the authors belong to, in some journals behind a number: no part of the text."""
    source.argument()
    if source.at_group():
        source.argument()


def add_reference(writer: Writer, source: Scanner, name: str) -> None:
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


def add_citation(writer: Writer, source: Scanner, token: Token) -> None:
    """Adds a citation."""
    first, second = source.optional(), source.optional()
    keys = [key.strip() for key in source.argument().split(",") if key.strip()]
    before, after = (first, second) if second is not None else (None, first)
    words = [writer.render(part).text if part else "" for part in (before, after)]
    writer.citations.write(writer.line, token.value, keys, words[0], words[1])


def letter(number: int, first: str) -> str:
    """The letter that counts, or the number where letters do not suffice."""
    return chr(ord(first) + number - 1) if 1 <= number <= 26 else str(number)


LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
GRAPHICS = frozenset("includegraphics plotone epsfbox epsfig psfig includesvg plottwo fig leftfig rightfig".split())
CAPTIONS = frozenset(
    "caption captionof tablecaption figcaption subcaption subfloat subfigure tablecomments tablenotetext".split()
)
_TITLES = {"figure": "Figure", "table": "Table", "algorithm": "Algorithm"}
_REST_WORDS = 4
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|startdata|enddata|tablebreak|noalign\s*+\{[^{}]*+\}"
    r"|(?:cline|cmidrule|addlinespace|specialrule)(?:\s*+\([^()]*+\))?(?:\s*+\[[^\[\]]*+\])?(?:\s*+\{[^{}]*+\}(?:\{[^{}]*+\})*)?|(?:small|med|big)skip)(?![A-Za-z])"
)
_HEADS = re.compile(
    r"\\(?:caption|tablecaption|label|tablecomments|tablenotetext|tablerefs|tabletypesize|tablewidth|tablenum)\*?"
)
_PIECE = re.compile(r"\\\\\*?(?:\[[^\]]{0,20}\])?|\\begin\s*\{[^{}]*\}|\\end\s*\{[^{}]*\}|\\[\s\S]|[{}&]")
_SPANNING = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_HEAD_CELL = re.compile(
    r"\\colhead\b|\\nodata\b|\\tablenotemark\s*\{[^{}]*\}|\\rule\s*(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}|\\rowcolor\S*"
)


@dataclass(slots=True)
class Float:
    """What stands in one float; labels with the number of captions before them."""

    captions: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    labels: list[tuple[int, str]] = field(default_factory=list)
    depth: int = 0


class Floats:
    """The floats of a document, one after another."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._open: Float | None = None
        self._loose = Float()
        self.folder = ""

    def folders(self, source: Scanner) -> None:
        """Where the pictures are (`\\graphicspath{{figures/}}`): the first of these folders."""
        self.folder = (re.findall(r"[^{}\s]{1,200}", source.argument()) or [""])[0]

    def read(self, body: str, name: str) -> None:
        """One float, whose blocks follow the paragraph it stands in."""
        writer = self._writer
        if not writer.in_document:
            return
        outer, self._open = self._open, Float()
        contents = self._open
        own_table = name.rstrip("*") in TABULARS
        if own_table:
            contents.tables.append(body)
        rest = writer.render(body).text
        self._open = outer
        counter = "algorithm" if name.startswith("algorithm") else "table" if "table" in name else "figure"
        for i, caption in enumerate(contents.captions or [""]):
            self._add(counter, caption, contents, i)
        if len(rest.split()) >= _REST_WORDS and not own_table:
            writer.later.append((text_block("footnote", rest), None))

    def _add(self, counter: str, caption: str, contents: Float, at: int) -> None:
        writer = self._writer
        kind: FigureKind = "table" if counter == "table" else "figure"
        number = str(writer.count(counter)) if caption else ""
        key = f"{kind[0]}{writer.count('key ' + kind)}"
        label = f"{_TITLES[counter]} {number}" if number else ""
        writer.current = (number, kind, key, _TITLES[counter])
        label_names = [name for count, name in contents.labels if max(0, count - 1) == at]
        for name in [*LABEL.findall(caption), *label_names]:
            writer.name(name)
        line = writer.render(f"{label}: {{}}" + LABEL.sub("", caption)) if caption else Inline()
        for part in contents.parts if at == 0 and caption else ():
            line.add(" " + part)
        block = line.block("caption", label=label)
        rows = self.cells(contents.tables[at]) if len(contents.tables) > at and kind == "table" else ()
        pictures = contents.pictures[at : at + 1]
        href = "".join(name if "/" in name else f"{self.folder}{name}" for name in pictures)
        writer.later.append((block, Figure(key, kind, label, None, None, href, rows)))

    def graphic(self, source: Scanner, name: str) -> None:
        """The file of a picture."""
        source.optional()
        source.optional()
        argument = source.argument()
        match = re.search(r"(?:file|figure)\s*=\s*([^,}]+)", argument)
        (self._open or self._loose).pictures.append((match[1] if match else argument).strip()[:300])
        if name == "plottwo":
            source.argument()

    def caption(self, source: Scanner, name: str) -> None:
        """A caption, or the caption of a part, of the float that is open."""
        first = source.optional()
        second = source.optional() if name in ("subfloat", "subfigure") else None
        content = source.argument()
        if name in ("captionof", "tablenotetext"):
            content = source.argument()
        writer = self._writer
        if name in ("subfloat", "subfigure"):
            if words := writer.render(LABEL.sub("", second or first or "")).text:
                self._part(words)
            source.push(content)
        elif name in ("tablecomments", "tablenotetext"):
            block = writer.render(content).block("footnote")
            if block is not None:
                writer.later.append((block, None))
        elif name == "subcaption" or (self._open is not None and self._open.depth):
            self._part(writer.render(LABEL.sub("", content)).text)
        elif self._open is not None:
            self._open.captions.append(content)
        elif block := writer.render(content).block("caption"):
            writer.later.append((block, None))

    def _part(self, words: str) -> None:
        (self._open or self._loose).parts.append(words)

    def take_label(self, label: str) -> bool:
        """Keeps a label for the float that is open, if one is."""
        if self._open is None:
            return False
        if not self._open.depth:
            self._open.labels.append((len(self._open.captions), label))
        return True

    def enter(self, name: str) -> None:
        """An environment begins: is it a part of the open float?"""
        if self._open is not None and name.rstrip("*") in ("subfigure", "subtable"):
            self._open.depth += 1

    def leave(self, name: str) -> None:
        """An environment ends."""
        if self._open is not None and name.rstrip("*") in ("subfigure", "subtable"):
            self._open.depth = max(0, self._open.depth - 1)

    def table(self, body: str) -> None:
        """A table: of the float around it, else one without a caption, whose rows are a paragraph."""
        writer = self._writer
        if self._open is not None:
            self._open.tables.append(body)
            return
        rows = self.cells(body)
        if writer.nested or not rows or not writer.in_document:
            return
        writer.flush()
        writer.builder.bare_table(rows, f"t{writer.count('key table')}")

    def cells(self, body: str) -> tuple[tuple[str, ...], ...]:
        """The rows of a table as text."""
        outer, self._open = self._open, Float()
        rows = []
        left = MOST_CELLS
        for row in split_rows(body):
            cells: list[str] = []
            for cell, span in row[:left]:
                cells += [self._writer.render(cell).text, *[""] * (span - 1)]
            left = max(left - len(cells), 0)
            if any(cells):
                rows.append(tuple(cells))
        self._open = outer
        return even_rows(rows)


def split_rows(body: str) -> Iterator[list[tuple[str, int]]]:
    """The rows of a table as lists of (source of the cell, columns it spans)."""
    head, body = _table_head(_without_heads(body))
    body = _RULES.sub(" ", _HEAD_CELL.sub(" ", head + body))
    row: list[tuple[str, int]] = []
    start = depth = 0
    for count, match in enumerate(_PIECE.finditer(body)):
        sign = match[0]
        if sign == "{" or sign.startswith("\\begin"):
            depth += 1
        elif sign == "}" or sign.startswith("\\end"):
            depth -= 1
        elif depth <= 0 and (sign == "&" or sign.startswith("\\\\")):
            row.append(_cell(body[start : match.start()]))
            start = match.end()
            if sign != "&":
                yield row
                row = []
        if count > 20 * MOST_CELLS:
            return
    row.append(_cell(body[start:]))
    yield row


def _cell(source: str) -> tuple[str, int]:
    match = _SPANNING.match(source)
    if not match:
        return source, 1
    at = source.find("{", match.end())
    end = group_end(source, at) if at >= 0 else match.end()
    return source[end:], max(1, min(100, int(match[1])))


def _without_heads(body: str) -> str:
    """The table without captions and labels that stand in it."""
    while match := _HEADS.search(body):
        at = match.end()
        if body[at : at + 1] == "[":
            at = body.find("]", at) + 1 or at
        brace = re.match(r"\s*\{", body[at:])
        body = body[: match.start()] + body[group_end(body, at + brace.end() - 1) if brace else at :]
    return body


def _table_head(body: str) -> tuple[str, str]:
    """The header row of a table in the manner of the AAS, and the rest."""
    match = re.search(r"\\tablehead\s*\{", body)
    if not match:
        return "", body
    end = group_end(body, match.end() - 1)
    return body[match.end() : end - 1] + r" \\ ", body[: match.start()] + body[end:]
