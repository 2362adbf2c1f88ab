"""LaTeX source to blocks: commands and environments in the order in which they come."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from conspectus.core.errors import LimitError
from conspectus.parse.markup.document import DocumentBuilder
from conspectus.parse.markup.inline import Inline
from conspectus.parse.markup.latex_files import LISTING
from conspectus.parse.markup.latex_floats import (
    CAPTIONS,
    GRAPHICS,
    LABEL,
    REFS,
    Floats,
    add_citation,
    add_footnote,
    add_footnote_mark,
    add_footnote_text,
    add_link,
    add_quantity,
    add_quotation,
    add_reference,
    add_superscript,
    add_url,
    add_verbatim,
    letter,
    skip_collaboration,
)
from conspectus.parse.markup.latex_metadata import Citations, LatexFront
from conspectus.parse.markup.latex_scanner import (
    KEPT_NAMES,
    Environments,
    Macros,
    Scanner,
    Token,
    define,
    define_new,
    expanded,
    let,
    operator,
)
from conspectus.parse.text.blocks import code_block, text_block
from conspectus.parse.text.plain_text import (
    ACCENTS,
    ARGUMENTS,
    CITING,
    ENVIRONMENT_ARGUMENTS,
    EQUATIONS,
    FLOATS,
    HEADED,
    SECTIONS,
    SIGNS,
    TABULARS,
    THEOREMS,
    accented,
    typed,
)
from conspectus.records import Block, BlockKind, Figure, MarkKind

_MAX_DEPTH = 25
_HEX = re.compile(r"(?:[0-9a-f]{2})+")

Numbered = tuple[str, MarkKind | None, str, str]
"""What `\\label` names: its number as printed, what kind of mark leads to it, to what key, and what it is called."""


class Writer:
    """Writes the blocks of a document. It is run twice: labels are known only at the end of the first run."""

    def __init__(self, macros: Macros, citations: Citations, labels: Mapping[str, Numbered]) -> None:
        self.macros = macros
        self.citations = citations
        self.before = labels
        self.labels: dict[str, Numbered] = {}
        self.front = LatexFront()
        self.builder = DocumentBuilder()
        self.line = Inline()
        self.in_document = False
        self._kind: BlockKind = "paragraph"
        self.later: list[tuple[Block | None, Figure | None]] = []
        self.nested = 0
        self._lead = ""
        self._numbers = [0] * 8
        self.counts: dict[str, int] = {}
        self.current: Numbered = ("", None, "", "")
        self._theorems = dict(THEOREMS)
        self.environments = Environments()
        self._appended = False
        self._parts: tuple[str, int] | None = None  # of a group of equations: its number, and how many so far
        self.floats = Floats(self)

    # The run through the source

    def run(self, text: str) -> None:
        """Writes everything that `text` says."""
        self._loop(Scanner(text, self.macros))
        self.flush()

    def _loop(self, source: Scanner) -> None:
        while (token := source.token()).kind != "end":
            self._token(token, source)

    def _token(self, token: Token, source: Scanner) -> None:
        if token.kind == "command":
            self._command(token, source)
        elif token.kind == "text":
            self.line.add(typed(token.value))
        elif token.kind == "math":
            self._math(source, token.value)
        elif token.kind == "par":
            self.flush()
        elif token.kind in ("tie", "tab"):
            self.line.add(" ")

    def render(self, text: str) -> Inline:
        """The words of a piece of source as a line of its own."""
        if self.nested >= _MAX_DEPTH:
            raise LimitError(f"'{self.macros.name}' is nested too deeply.", "Is it really a paper?")
        outer, self.line = self.line, Inline()
        self.nested += 1
        self._loop(Scanner(text, self.macros))
        self.nested -= 1
        inner, self.line = self.line, outer
        inner.close()
        return inner

    def flush(self) -> None:
        """Ends the paragraph; notes and floats that stood in it follow."""
        if self.nested:
            self.line.add(" ")
            return
        if self._lead and self.line.text == self._lead.rstrip():
            return  # its paragraph comes
        self._lead = ""
        block = self.line.block(self._kind)
        if block is not None and self.in_document:
            self.builder.blocks.append(block)
        for later, figure in self.later:
            if figure is not None:
                self.builder.figure(figure.kind, later, figure.label, figure.href, figure.cells, key=figure.key)
            elif later is not None:
                self.builder.blocks.append(later)
        self.later.clear()

    # Commands

    def _command(self, token: Token, source: Scanner) -> None:
        name = token.value
        special = _SPECIAL.get(name)
        if special is not None:
            special(self, source, token)
        elif name in ACCENTS:
            self.line.add(accented(name, self.render(source.argument()).text or " "))
        elif name in SIGNS:
            self.line.add(SIGNS[name])
        elif name in SECTIONS:
            self._section(source, token)
        elif CITING.fullmatch(name):
            add_citation(self, source, token)
        elif name in REFS:
            add_reference(self, source, name)
        elif name in GRAPHICS:
            self.floats.graphic(source, name)
        elif name == "graphicspath":
            self.floats.folders(source)
        elif name in CAPTIONS:
            self.floats.caption(source, name)
        elif self.front.takes(name):
            self.front.take(name, source.optional() or "", source.argument())
        elif name in HEADED:
            self.flush()
            self._heading(HEADED[name], 2)
        elif name in ARGUMENTS:
            self.arguments(source, ARGUMENTS[name])
        # any other command says nothing itself; what stands in braces behind it is read as text

    def arguments(self, source: Scanner, spec: str) -> None:
        """Reads arguments as `plain_text.ARGUMENTS` describes them; what is text is read on."""
        text_argument = ""
        for sign in spec:
            if sign == "o":
                source.optional()
            elif sign == "d":
                source.argument()
            else:
                text_argument = source.argument()
        if text_argument:
            source.push("{" + text_argument + "}")

    # Headings

    def _section(self, source: Scanner, token: Token) -> None:
        source.optional()
        title = source.argument()
        level = SECTIONS[token.value]
        self.flush()
        if self._kind == "abstract":  # the title of one of its parts
            self._lead = self.render(title).text.rstrip(" .:") + ": "
            self.line.add(self._lead)
            return
        if not token.star and level >= 1:
            self._numbers[level] += 1
            self._numbers[level + 1 :] = [0] * len(self._numbers[level + 1 :])
            numbers = [str(n) for n in self._numbers[1 : level + 1] if n]
            if self._appended:
                numbers[0] = letter(int(numbers[0]), "A")
            self.current = (".".join(numbers), None, "", "Appendix" if self._appended else "Section")
        for match in LABEL.finditer(title):
            self.name(match[1])
        self._heading(self.render(LABEL.sub("", title)).text.rstrip(), level)

    def _appendix(self, _source: Scanner, _: Token) -> None:
        """From here on sections have letters."""
        if not self._appended:
            self._appended = True
            self._numbers = [0] * len(self._numbers)

    def _heading(self, text: str, level: int) -> None:
        if text and self.in_document and not self.nested:
            self.builder.heading(text, level + 1)

    # Mathematics

    def _math(self, source: Scanner, sign: str) -> None:
        formula = source.until(sign)
        if sign == "$$":
            self._equation(formula, "")
        elif formula.strip():
            self.line.add(f"${self._tex(formula)}$")

    def _inline_math(self, source: Scanner, _: Token) -> None:
        self.line.add(f"${self._tex(source.until(chr(92) + ')'))}$")

    def _display_math(self, source: Scanner, _: Token) -> None:
        self._equation(source.until("\\]"), "")

    def _ensure_math(self, source: Scanner, _: Token) -> None:
        self.line.add(f"${self._tex(source.argument())}$")

    def _tex(self, formula: str) -> str:
        return " ".join(expanded(formula, self.macros).split())

    def _equation(self, formula: str, numbered: str) -> None:
        """A formula on a line of its own; `numbered` is the environment if that numbers it."""
        first = ""
        for row in (
            re.split(r"\\\\", formula) if numbered.startswith(("align", "eqnarray", "gather", "flalign")) else [formula]
        ):
            if numbered and not re.search(r"\\(?:nonumber|notag)\b", row) and row.strip():
                number = self._equation_number()
                first = first or f"({number})"
                self.current = (number, "equation", "", "Equation")
            for match in LABEL.finditer(row):
                self.name(match[1])
        text = self._tex(re.sub(r"\\(?:nonumber|notag)\b", "", LABEL.sub("", formula)))
        if self.nested:
            self.line.add(f" ${text}$ ")
            return
        self.flush()
        if text and self.in_document:
            self.builder.blocks.append(replace(text_block("equation", text), label=first))

    def _equation_number(self) -> str:
        if self._parts is None:
            return str(self.count("equation"))
        self._parts = self._parts[0], self._parts[1] + 1
        return self._parts[0] + letter(self._parts[1], "a")

    def count(self, what: str) -> int:
        """The next number of figures, tables, notes …."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    # Environments

    def _listing(self, source: Scanner, _: Token) -> None:
        """A listing, whose lines are kept; `clean` wrote it."""
        hex_code = source.argument()
        block = code_block(bytes.fromhex(hex_code).decode(errors="replace")) if _HEX.fullmatch(hex_code) else None
        if block is not None and self.in_document:
            self.later.append((block, None))
            self.flush()

    def _begin(self, source: Scanner, _: Token) -> None:
        name = source.argument().strip()
        base = name.rstrip("*")
        if name == "document":
            self.in_document = True
            self.line = Inline()
            self._kind = "paragraph"
        elif base in EQUATIONS:
            if base == "alignat":
                source.argument()
            numbered = base == name and base not in ("displaymath", "math")
            self._equation(source.environment(name), base if numbered else "")
        elif base in FLOATS:
            self.arguments(source, ENVIRONMENT_ARGUMENTS.get(name, "o"))
            self.floats.read(source.environment(name), name)
        elif base in TABULARS:
            self.arguments(source, ENVIRONMENT_ARGUMENTS.get(name, "od"))
            self.floats.table(source.environment(name))
        elif base in ("thebibliography", "references"):
            source.environment(name, to_end=True)
            self.flush()
        elif base in ("keywords", "keyword", "IEEEkeywords"):
            self.front.keywords.append(self.render(source.environment(name).replace("\\sep", ";")).text)
        elif name in self.environments.known and not self._means_itself(base):
            self.flush()
            self.environments.expand(source, name)
        elif name == "subequations":
            self._parts = str(self.count("equation")), 0
            self.current = (self._parts[0], "equation", "", "Equation")
        else:
            self._open(source, name)

    def _means_itself(self, base: str) -> bool:
        """Whether an environment means what it always means, whatever the author says."""
        return base == "abstract" or base in HEADED or base in self._theorems

    def _open(self, source: Scanner, name: str) -> None:
        """An environment whose content is running text."""
        self.flush()
        self.floats.enter(name)
        self.arguments(source, ENVIRONMENT_ARGUMENTS.get(name, ""))
        if name.rstrip("*") == "abstract":
            self._kind = "abstract"
        elif name in HEADED:
            self._heading(HEADED[name], 2)
        elif name in ("appendix", "appendices"):
            self._appendix(source, Token("end"))
        elif name.rstrip("*") in self._theorems:
            note = source.optional()
            title = self._theorems[name.rstrip("*")]
            self.line.add(title + (f" ({self.render(note).text})" if note else "") + ". ")

    def _end(self, source: Scanner, _: Token) -> None:
        name = source.argument().strip()
        self.flush()
        self.floats.leave(name)
        if name.rstrip("*") == "abstract":
            self._kind = "paragraph"
        elif name == "subequations":
            self._parts = None

    def _item(self, source: Scanner, _: Token) -> None:
        self.flush()
        if (label := source.optional()) is not None and (words := self.render(label).text):
            self.line.add(words + " ")

    def _abstract(self, source: Scanner, _: Token) -> None:
        """`\\abstract{…}`, of which some journals have five parts."""
        self.flush()
        parts = [source.argument()]
        while len(parts) < 5 and source.at_group():
            parts.append(source.argument())
        kind, self._kind = self._kind, "abstract"
        outside, self.in_document = self.in_document, True
        for part in parts:
            for piece in re.split(r"\n\s*\n", part):
                block = self.render(piece).block("abstract")
                if block is not None:
                    self.builder.blocks.append(block)
        self._kind, self.in_document = kind, outside

    # Pointing

    def _label(self, source: Scanner, _: Token) -> None:
        label = source.argument()
        if not self.floats.take_label(label):
            self.name(label)

    def name(self, label: str) -> None:
        """`label` now means what was last numbered."""
        self.labels[label.strip()] = self.current

    def _new_theorem(self, source: Scanner, _: Token) -> None:
        name = source.argument()
        source.optional()
        self._theorems[name] = self.render(source.argument()).text
        source.optional()

    def _definition(self, source: Scanner, token: Token) -> None:
        _DEFINITIONS[token.value](self.macros, source, token.value)


_DEFINITIONS: dict[str, Callable[[Macros, Scanner, str], None]] = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), define_new),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), define),
    "let": let,
    "DeclareMathOperator": operator,
}
_SPECIAL: dict[str, Callable[[Writer, Scanner, Token], None]] = {
    **dict.fromkeys(_DEFINITIONS, Writer._definition),
    "begin": Writer._begin,
    LISTING: Writer._listing,
    "end": Writer._end,
    "item": Writer._item,
    "(": Writer._inline_math,
    "[": Writer._display_math,
    "ensuremath": Writer._ensure_math,
    "abstract": Writer._abstract,
    "appendix": Writer._appendix,
    "collaboration": skip_collaboration,
    "footnote": add_footnote,
    "footnotemark": add_footnote_mark,
    "footnotetext": add_footnote_text,
    "label": Writer._label,
    "hyperlink": add_link,
    "citeproc": add_link,
    "url": add_url,
    "textsuperscript": add_superscript,
    "verb": add_verbatim,
    "lstinline": add_verbatim,
    **dict.fromkeys(("SI", "qty", "num", "si", "unit", "ang"), add_quantity),
    "enquote": add_quotation,
    "newtheorem": Writer._new_theorem,
    **dict.fromkeys(
        ("newenvironment", "renewenvironment"), lambda writer, source, _: writer.environments.define(source)
    ),
}
KEPT_NAMES.update(_SPECIAL, SECTIONS, REFS, ("href", "texorpdfstring"))
