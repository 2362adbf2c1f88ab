"""A document as LaTeX in one of ten layouts, and as the truth that a reader of the PDF must find."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from content import TABLE, Document, Part

ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")
FIRST_PAGE = 7311
"""Page numbers begin here where the class allows it, so that one left in the text is found."""


@dataclass(frozen=True)
class Layout:
    """One way to typeset a document. `wide` is the environment of figures over both columns."""

    preamble: str
    front: str
    numbering: str = "arabic"  # arabic, roman, none, chapters
    cites: bool = False
    wide: str = "figure*"
    end: str = ""
    stamp: str = ""
    figure: str = "Figure"
    footnotes: bool = True
    heads: tuple[str, ...] = ()
    sorts: bool = True
    run_in: str = ""


COMMON = r"""
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{graphicx}
\usepackage{tikz}
\usepackage{textcomp}
\pdfinfoomitdate=1 \pdftrailerid{} \pdfsuppressptexinfo=-1
"""
HEADS = r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\small Annals of Typeset Examples}\fancyhead[R]{\small Volume 12, number 3}\fancyfoot[C]{\thepage}"
STAMP = r"""\AddToHook{shipout/background}{\ifnum\value{page}=7311\put(14,-520){\rotatebox{90}{\Large\color{gray}arXiv:2601.01234v2\enspace[physics.ed-ph]\enspace 14 Jan 2026}}\fi}
"""
WATERMARK = r"""\AddToHook{shipout/background}{\put(120,-560){\rotatebox{52}{\fontsize{80}{90}\selectfont\color{black!12}DRAFT COPY}}}
"""
PAGE = r"\setcounter{page}{%d}" % FIRST_PAGE  # noqa: UP031
PLAIN_FRONT = (
    r"\title{<title>}\author{<names>}\date{}"
    + "\n"
    + r"\begin{document}"
    + PAGE
    + r"\maketitle\thispagestyle{fancy}\begin{abstract}<abstract>\end{abstract}"
)
TWO_FRONT = (
    r"\title{<title>}\author{<names>}\date{}"
    + "\n"
    + r"\begin{document}"
    + PAGE
    + r"\twocolumn[\maketitle\vspace{-3ex}\begin{quote}\small <abstract>\end{quote}\vspace{2ex}]\thispagestyle{fancy}"
)
ANNALS = ("Annals of Typeset Examples", "Volume 12, number 3")

LAYOUTS = {
    "article": Layout(r"\documentclass[11pt,a4paper]{article}" + COMMON + r"\usepackage{lmodern}" + HEADS + STAMP, PLAIN_FRONT, wide="figure", heads=ANNALS, run_in="paragraph"),
    "twocolumn": Layout(r"\documentclass[10pt,a4paper,twocolumn]{article}" + COMMON + r"\usepackage{mathptmx}" + HEADS + WATERMARK, TWO_FRONT, numbering="none", heads=(*ANNALS, "DRAFT COPY"), run_in="paragraph"),
    "ieee": Layout(
        r"\documentclass[journal]{IEEEtran}" + COMMON + r"\usepackage{cite}",
        r"\title{<title>}\author{<ieee>\thanks{The authors are with the <place>.}}\markboth{Journal of Typeset Examples, Vol.~12, No.~3, January 2026}{Lindqvist \MakeLowercase{\textit{et al.}}: An example of a running head}"
        "\n" + r"\begin{document}" + PAGE + r"\maketitle\begin{abstract}<abstract>\end{abstract}\begin{IEEEkeywords}<keywords>\end{IEEEkeywords}",
        numbering="roman", cites=True, figure="Fig.", heads=("Journal of Typeset Examples", "An example of a running head"),
    ),
    "revtex": Layout(
        r"\documentclass[aps,pra,reprint]{revtex4-2}" + COMMON,
        r"\begin{document}" + PAGE + r"\title{<title>}<revtex>\date{January 14, 2026}\begin{abstract}<abstract>\end{abstract}\maketitle",
        numbering="roman", cites=True, figure="FIG.", footnotes=False,
    ),
    "mnras": Layout(
        r"\documentclass[fleqn,usenatbib]{mnras}" + COMMON + r"\usepackage{mathptmx}",
        r"\title[An example of a running head]{<title>}\author[A. Lindqvist et al.]{<mnras>}\date{Accepted 2026 January 14. Received 2025 December 1; in original form 2025 June 2}\pubyear{2026}"
        "\n" + r"\begin{document}" + PAGE + r"\label{firstpage}\pagerange{\pageref{firstpage}--\pageref{lastpage}}\maketitle\begin{abstract}<abstract>\end{abstract}\begin{keywords}<keywords>\end{keywords}",
        heads=("An example of a running head",), end=r"\bsp\label{lastpage}",
    ),
    "elsevier": Layout(
        r"\documentclass[5p,twocolumn]{elsarticle}" + COMMON + r"\usepackage{lmodern}\journal{Annals of Typeset Examples}",
        r"\begin{document}" + PAGE + r"\begin{frontmatter}\title{<title>}<elsevier>\begin{abstract}<abstract>\end{abstract}\begin{keyword}<keywords>\end{keyword}\end{frontmatter}",
        cites=True, sorts=False,
    ),
    "acm": Layout(
        r"\documentclass[sigconf,nonacm=false]{acmart}" + COMMON + r"\copyrightyear{2026}\acmYear{2026}\setcopyright{rightsretained}\acmConference[TYPE '26]{Conference on Typeset Examples}{January 14--16, 2026}{Lowtown}\acmDOI{10.5555/1234567.7654321}\acmISBN{}",
        r"\begin{document}" + r"\title{<title>}<acm>\renewcommand{\shortauthors}{Lindqvist et al.}\begin{abstract}<abstract>\end{abstract}\keywords{<keywords>}\maketitle" + PAGE,
        cites=True, heads=("Conference on Typeset Examples",),
    ),
    "thesis": Layout(
        r"\documentclass[11pt,a4paper]{book}" + COMMON + r"\usepackage{lmodern}",
        r"\begin{document}\frontmatter\begin{titlepage}\centering\vspace*{4cm}{\Huge\bfseries <title>\par}\vspace{2cm}{\Large <names>\par}\vfill A thesis submitted for the degree of Doctor of Examples\par Northern University, 2026\end{titlepage}"
        r"\chapter*{Abstract}<abstract>\tableofcontents\mainmatter" + PAGE,
        numbering="chapters", wide="figure",
    ),
    "manuscript": Layout(
        r"\documentclass[12pt,a4paper]{article}" + COMMON + r"\usepackage{mathptmx}\usepackage{setspace}\doublespacing\usepackage{lineno}\linenumbers",
        r"\title{<title>}\author{<names>}\date{}" + "\n" + r"\begin{document}" + PAGE + r"\maketitle\begin{abstract}<abstract>\end{abstract}",
        numbering="none", wide="figure",
    ),
    "threecolumns": Layout(
        r"\documentclass[9pt,a4paper]{extarticle}" + COMMON + r"\usepackage{mathptmx}\usepackage[margin=15mm,top=25mm,headheight=14pt]{geometry}\usepackage{multicol}\setlength{\columnsep}{14pt}\usepackage{float}" + HEADS,
        r"\title{<title>}\author{<names>}\date{}" + "\n" + r"\begin{document}" + PAGE + r"\maketitle\thispagestyle{fancy}\begin{abstract}<abstract>\end{abstract}\begin{multicols}{3}",
        numbering="none", wide="none", end=r"\end{multicols}", heads=ANNALS,
    ),
}  # fmt: skip

_SPECIAL = {"%": r"\%", "&": r"\&", "_": r"\_", "#": r"\#", "Ω": r"$\Omega$", "Λ": r"$\Lambda$", "δ": r"$\delta$",
            "α": r"$\alpha$", "±": r"$\pm$", "'": "'"}  # fmt: skip
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LOWERED = re.compile("[₀-₉]+")


def escaped(text: str) -> str:
    """`text` as LaTeX."""
    text = "".join(_SPECIAL.get(c, c) for c in text)
    plain = lambda m: unicodedata.normalize("NFKC", m[0]).replace("−", "-")  # noqa: E731
    text = _RAISED.sub(lambda m: f"$^{{{plain(m)}}}$", text)
    return _LOWERED.sub(lambda m: f"$_{{{plain(m)}}}$", text)


class Typesetter:
    """Writes one document, keeping numbers as LaTeX will, so that the truth has them too."""

    def __init__(self, document: Document, layout: Layout) -> None:
        self._doc, self._layout = document, layout
        self._counts = [0, 0, 0, 0]
        self._numbers = {"figure": 0, "table": 0, "equation": 0, "note": 0}
        self._chapter = layout.numbering == "chapters"
        self._keys = [entry.key for entry in document.entries]
        self.blocks: list[dict[str, Any]] = []
        self.marks: list[dict[str, Any]] = []

    def tex(self) -> str:
        """The whole LaTeX source. Fills `blocks` and `marks`."""
        body = "".join(self._part(i, part) for i, part in enumerate(self._doc.parts))
        front = self._front()
        return (
            f"{self._layout.preamble}\n{front}\n{body}\n{self._references()}\n{self._layout.end}\n\\end{{document}}\n"
        )

    def truth(self) -> dict[str, Any]:
        """What a reader must find, in reading order."""
        doc = self._doc
        return {
            "title": doc.title,
            "authors": [name for name, _ in doc.authors],
            "abstract": doc.abstract,
            "blocks": self.blocks,
            "marks": self.marks,
            "references": [
                {"key": e.key, "authors": e.authors, "year": e.year, "title": e.title, "venue": e.rest, "doi": e.doi}
                for e in doc.entries
            ],
            "furniture": list(self._layout.heads),
            "first_page": FIRST_PAGE,
        }

    def _front(self) -> str:
        doc = self._doc
        names = [name for name, _ in doc.authors]
        values = {
            "title": escaped(doc.title),
            "names": r" \and ".join(escaped(n) for n in names) if not self._chapter else ", ".join(names),
            "abstract": escaped(doc.abstract),
            "keywords": ", ".join(doc.keywords),
            "place": doc.authors[0][1],
            "ieee": ", ".join(f"{n},~\\IEEEmembership{{Member,~IEEE}}" for n in names[:-1]) + (" and " if names[1:] else "") + names[-1],
            "revtex": "".join(f"\\author{{{n}}}\\affiliation{{{p}}}" for n, p in doc.authors),
            "mnras": ", ".join(f"{n}$^{{{i}}}$" for i, n in enumerate(names, 1)) + r"\\ " + r"\\ ".join(f"$^{{{i}}}${p}" for i, (_, p) in enumerate(doc.authors, 1)),
            "elsevier": "".join(f"\\author[a{i}]{{{n}}}" for i, n in enumerate(names)) + "".join(f"\\address[a{i}]{{{p}}}" for i, (_, p) in enumerate(doc.authors)),
            "acm": "".join(f"\\author{{{n}}}\\affiliation{{\\institution{{{p.split(', ')[0]}}}\\city{{{p.split(', ')[1]}}}\\country{{Nowhere}}}}" for n, p in doc.authors),
        }  # fmt: skip
        return re.sub(r"<(\w+)>", lambda m: values[m[1]], self._layout.front)

    def _part(self, i: int, part: Part) -> str:
        if part.kind == "heading":
            return self._heading(part)
        if part.kind in ("figure", "wide figure"):
            return self._figure(part)
        if part.kind == "table":
            return self._table(part)
        if part.kind == "run-in":
            return self._run_in(part)
        if part.kind == "equation":
            self._numbers["equation"] += 1
            self.blocks.append({"kind": "equation", "label": f"({self._number('equation')})"})
            return "\\begin{equation}\n\\frac{dx}{dt} = \\alpha\\,(x_0 - x) + \\int_0^t K(s)\\,ds\n\\end{equation}\n"
        text, shown = self._paragraph(part)
        if part.kind == "item":
            self.blocks.append({"kind": "paragraph", "text": shown, "item": True})
            before = "" if self._doc.parts[i - 1].kind == "item" else "\\begin{itemize}\n"
            after = "" if self._doc.parts[i + 1].kind == "item" else "\\end{itemize}\n"
            return f"{before}\\item {text}\n{after}"
        if part.joined:
            self.blocks.append({"kind": "paragraph", "text": shown, "joined": True})
        else:
            self.blocks.append({"kind": "paragraph", "text": shown})
        after_equation = i + 1 < len(self._doc.parts) and self._doc.parts[i + 1].kind == "equation"
        return text + ("\n" if after_equation else "\n\n")

    def _paragraph(self, part: Part) -> tuple[str, str]:
        """The paragraph as LaTeX and as read."""
        text = part.text.replace("{figure}", self._number("figure")).replace("{table}", self._number("table"))
        tex, shown = self._cited(text) if self._layout.cites else (escaped(text), text)
        for note in part.notes:
            if not self._layout.footnotes:
                tex, shown = tex.replace("{note}", ""), shown.replace("{note}", "")
                continue
            self._numbers["note"] += 1
            mark = str(self._numbers["note"])
            tex = tex.replace("{note}", f"\\footnote{{{note}}}")
            shown = shown.replace("{note}", f" [[{mark}]]")
            self.blocks.append({"kind": "footnote", "label": mark, "text": note})
        return tex, shown

    def _cited(self, text: str) -> tuple[str, str]:
        """`(Cao et al. 2018; …)` as numbered citations, where the references are known."""

        def keys_of(found: re.Match[str]) -> list[str]:
            return [re.split(r"[ ,]", part.strip())[0].lower() + part.strip()[-4:] for part in found[1].split(";")]

        pattern = re.compile(r"\(([A-Z][^()]*?[12]\d{3}(?:;[^()]*?[12]\d{3})*)\)")
        known = lambda m: all(key in self._keys for key in keys_of(m))  # noqa: E731
        shown = pattern.sub(lambda m: self._mark(keys_of(m)) if known(m) else m[0], text)
        parts = pattern.split(text)
        tex, at = "", 0
        for found in pattern.finditer(text):
            tex += escaped(text[at : found.start()])
            tex += f"\\cite{{{','.join(keys_of(found))}}}" if known(found) else escaped(found[0])
            at = found.end()
        assert parts
        return tex + escaped(text[at:]), shown

    def _mark(self, keys: list[str]) -> str:
        numbers = [self._keys.index(key) + 1 for key in keys]
        text = "[" + ", ".join(str(n) for n in (sorted(numbers) if self._layout.sorts else numbers)) + "]"
        self.marks.append({"text": text, "keys": keys})
        return text

    def _heading(self, part: Part) -> str:
        self._counts[part.level] += 1
        for deeper in range(part.level + 1, 4):
            self._counts[deeper] = 0
        if self._chapter and part.level == 1:
            self._numbers.update(figure=0, table=0, equation=0, note=0)
        star = "*" if self._layout.numbering == "none" else ""
        commands = ("chapter", "section", "subsection") if self._chapter else ("section", "subsection", "subsubsection")
        self.blocks.append(
            {"kind": "heading", "text": part.text, "number": self._section(part.level), "level": part.level}
        )
        return f"\\{commands[part.level - 1]}{star}{{{escaped(part.text)}}}\n"

    def _run_in(self, part: Part) -> str:
        """A paragraph's heading in bold, where the class sets it so; elsewhere there is none."""
        if not self._layout.run_in:
            return ""
        self.blocks.append({"kind": "heading", "text": part.text, "number": "", "level": 3, "run_in": True})
        return f"\\{self._layout.run_in}*{{{part.text}.}}"

    def _section(self, level: int) -> str:
        counts, how = self._counts, self._layout.numbering
        if how == "none":
            return ""
        if how == "roman":
            return (ROMAN[counts[1]], chr(64 + counts[2]), str(counts[3]))[level - 1]
        return ".".join(str(n) for n in counts[1 : level + 1])

    def _number(self, kind: str) -> str:
        prefix = f"{self._counts[1]}." if self._chapter else ""
        return prefix + str(self._numbers[kind])

    def _figure(self, part: Part) -> str:
        wide = part.kind == "wide figure" and self._layout.wide != "none"
        self._numbers["figure"] += 1
        environment = self._layout.wide if wide else "figure"
        picture = (
            r"\includegraphics[width=0.8\linewidth]{raster}"
            if self._numbers["figure"] % 2 == 0 and not wide
            else _plot(wide and environment == "figure*")
        )
        label = f"{self._layout.figure} {self._number('figure')}"
        self.blocks.append({"kind": "caption", "label": label, "text": part.text})
        place = "[H]" if self._layout.wide == "none" else ""
        return f"\\begin{{{environment}}}{place}\\centering {picture}\\caption{{{escaped(part.text)}}}\\end{{{environment}}}\n"

    def _table(self, part: Part) -> str:
        self._numbers["table"] += 1
        number = self._number("table")
        if self._layout.figure in ("Fig.", "FIG."):
            number = ROMAN[int(number)]
        rows = " \\\\\n".join(" & ".join(row) for row in TABLE)
        self.blocks.append({"kind": "caption", "label": f"Table {number}", "text": part.text})
        self.blocks.append({"kind": "table", "cells": [list(row) for row in TABLE]})
        place = "[H]" if self._layout.wide == "none" else ""
        table = f"\\begin{{tabular}}{{lccc}}\\hline\n{rows} \\\\\\hline\\end{{tabular}}"
        return f"\\begin{{table}}{place}\\centering\\caption{{{escaped(part.text)}}}{table}\\end{{table}}\n"

    def _references(self) -> str:
        items = []
        for e in self._doc.entries:
            label = "" if self._layout.cites else f"[{e.authors.split(' ')[0].rstrip(',')}({e.year})]"
            doi = f" doi:{e.doi}" if e.doi else ""
            items.append(
                f"\\bibitem{label}{{{e.key}}} {escaped(e.authors)} ({e.year}). {escaped(e.title)}. {escaped(e.rest)}.{escaped(doi)}"
            )
        return "\\begin{thebibliography}{99}\n" + "\n".join(items) + "\n\\end{thebibliography}"


def _plot(wide: bool) -> str:
    width = 13 if wide else 6
    return (
        f"\\begin{{tikzpicture}}[font=\\footnotesize]\\draw[->] (0,0) -- ({width},0) node[midway,below] {{time (s)}};"
        "\\draw[->] (0,0) -- (0,2.6) node[midway,above,rotate=90] {signal};"
        f"\\draw[thick,domain=0:{width - 0.5},samples=60] plot (\\x,{{1.2+sin(\\x*100)*exp(-\\x/4)}});"
        f"\\draw[dashed] (0,1.2) -- ({width - 0.5},1.2);\\node at ({width / 2},2.3) {{data and model}};\\end{{tikzpicture}}"
    )
