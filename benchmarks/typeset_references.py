"""Articles typeset by TeX in the classes and bibliography styles of many journals: PDFs whose references are known.

The texts and references are those of JATS articles; classes and styles are the journals' own, from Debian's TeX Live
(`texlive-publishers`, `texlive-science`, `texlive-bibtex-extra`). Nothing of it enters the repository.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reference_styles import Work
from reference_truth import Article, Pointer

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψωΔΓΩ",
        (
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho sigma tau upsilon "
            "phi chi psi omega Delta Gamma Omega"
        ).split(),
        strict=True,
    )
)
SIGNS = {
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": " ",
    "−": "-",
    "×": "x",
    "°": " degrees",
}


@dataclass(frozen=True)
class Look:
    """A document class with its bibliography style; `titled` says whether titles of articles are printed."""

    name: str
    preamble: str
    style: str
    titled: bool = True
    front: str = r"\title{%s}\author{Anna Example}\maketitle"


LOOKS = (
    Look("plain", r"\documentclass{article}\usepackage{cite}", "plain"),
    Look("unsrt-twocolumn", r"\documentclass[twocolumn]{article}\usepackage{cite}", "unsrt"),
    Look("alpha", r"\documentclass{article}", "alpha"),
    Look("abbrv", r"\documentclass[11pt]{article}\usepackage{cite}", "abbrv"),
    Look("plainnat", r"\documentclass{article}\usepackage{natbib}", "plainnat"),
    Look("apalike", r"\documentclass[twocolumn]{article}\usepackage{natbib}", "apalike"),
    Look("agu", r"\documentclass{article}\usepackage{natbib}", "agu"),
    Look("nature", r"\documentclass[twocolumn]{article}\usepackage[super,sort&compress]{natbib}", "naturemag"),
    Look("acs", r"\documentclass{article}\usepackage[super,sort&compress]{natbib}", "achemso"),
    Look("ieee", r"\documentclass[journal]{IEEEtran}\usepackage{cite}", "IEEEtran"),
    Look(
        "prl",
        r"\documentclass[prl,twocolumn]{revtex4-2}",
        "apsrev4-2",
        titled=False,
        front=r"\begin{document}\title{%s}\author{Anna Example}\maketitle",
    ),
    Look(
        "prb",
        r"\documentclass[prb,twocolumn]{revtex4-2}",
        "apsrev4-2",
        titled=False,
        front=r"\begin{document}\title{%s}\author{Anna Example}\maketitle",
    ),
    Look("mnras", r"\documentclass[usenatbib]{mnras}", "mnras", titled=False),
    Look("apj", r"\documentclass[twocolumn]{article}\usepackage{natbib}", "aasjournal", titled=False),
    Look(
        "elsevier-num",
        r"\documentclass[5p,twocolumn]{elsarticle}",
        "elsarticle-num",
        front=r"\begin{frontmatter}\title{%s}\author{Anna Example}\end{frontmatter}",
    ),
    Look(
        "elsevier-harv",
        r"\documentclass[review,authoryear]{elsarticle}",
        "elsarticle-harv",
        front=r"\begin{frontmatter}\title{%s}\author{Anna Example}\end{frontmatter}",
    ),
    Look("lncs", r"\documentclass{article}\usepackage{cite}", "splncs04"),
    Look("siam", r"\documentclass{article}\usepackage{cite}", "siam"),
    Look("acm", r"\documentclass[twocolumn]{article}\usepackage{cite}", "acm"),
    Look("chicago", r"\documentclass{article}\usepackage{natbib}", "achicago"),
)


@dataclass(frozen=True)
class Typeset:
    """A PDF, its works in no certain order, and its marks: the words before each, and the works that are meant."""

    pdf: Path
    look: Look
    works: dict[str, Work]
    marks: tuple[tuple[str, tuple[str, ...]], ...]


def latin(text: str) -> str:
    """The text in letters that every font has."""
    text = "".join(GREEK.get(char, char) for char in text)
    return "".join(c for c in unicodedata.normalize("NFC", text) if ord(c) < 0x180 or c in SIGNS)


def tex(text: str) -> str:
    """The text as TeX reads it."""
    text = re.sub(r"([#$%&_{}])", r"\\\1", latin(text).replace("\\", " ").replace("~", " ").replace("^", " "))
    for sign, code in SIGNS.items():
        text = text.replace(sign, code)
    return text


def bib(key: str, work: Work) -> str:
    """The BibTeX entry of a work."""
    names = " and ".join(f"{tex(f)}, {'. '.join(g)}." if g else f"{{{tex(f)}}}" for f, g in work.authors)
    fields = {"author": names, "title": tex(work.title.rstrip(".")), "year": str(work.year)}
    if work.book:
        fields |= {"publisher": tex(work.publisher), "address": tex(work.city)}
    else:
        fields |= {"journal": tex(work.source), "volume": work.volume, "number": work.issue}
        fields |= {"pages": work.pages.replace("–", "--"), "doi": work.doi.replace("_", r"\_")}
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{'book' if work.book else 'article'}{{{key},\n{lines}}}\n"


def cited_text(
    text: str, pointers: Sequence[Pointer], known: dict[str, str]
) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """A paragraph with `\\cite` in place of its marks, and for each mark the words before it and its keys."""
    parts: list[str] = []
    marks: list[tuple[str, tuple[str, ...]]] = []
    at = i = 0
    pointers = sorted(pointers, key=lambda pointer: pointer.start)
    while i < len(pointers):
        first, keys = pointers[i], [known.get(pointers[i].target)]
        end = first.end
        while i + 1 < len(pointers) and re.fullmatch(r"[\[\](),;\s⁻,–-]{0,4}", text[end : pointers[i + 1].start]):
            i += 1
            end = pointers[i].end
            keys.append(known.get(pointers[i].target))
        before = re.sub(r"[\s\[(]+$", "", text[at : first.start])
        after = re.match(r"[\])]?", text[end:])
        parts.append(tex(before))
        if named := tuple(dict.fromkeys(key for key in keys if key)):
            parts.append(rf" \citep{{{','.join(named)}}}")
            marks.append((latin(before)[-60:], named))
        at = end + (after.end() if after else 0)
        i += 1
    parts.append(tex(text[at:]))
    return "".join(parts), marks


def typeset(article: Article, look: Look, folder: Path) -> Typeset | None:
    """The article's text and references in this look; None where TeX makes no PDF of it."""
    folder.mkdir(parents=True, exist_ok=True)
    usable = [
        e
        for e in article.entries
        if e.work.title and e.work.year and e.work.authors and (e.work.source or e.work.publisher)
    ]
    known = {entry.id: f"k{number}" for number, entry in enumerate(usable)}
    works = {known[entry.id]: replace(entry.work, title=latin(entry.work.title)) for entry in usable}
    paragraphs, marks = [], []
    for text, pointers in article.paragraphs:
        body, found = cited_text(text, pointers, known)
        paragraphs.append(body)
        marks += found
    cited = {key for _, keys in marks for key in keys}
    works = {key: work for key, work in works.items() if key in cited}
    (folder / "refs.bib").write_text("".join(bib(key, work) for key, work in works.items()), "utf-8")
    preamble = (
        look.preamble
        + r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{url}\providecommand{\doi}[1]{doi:#1}"
    )
    begin = look.front % "A title of some words for the paper"
    if not begin.startswith(r"\begin{document}"):
        begin = r"\begin{document}" + begin
    natbib = (
        "natbib" in look.preamble
        or look.preamble.startswith((r"\documentclass[prl", r"\documentclass[prb"))
        or "elsarticle" in look.preamble
    )
    command = "" if natbib else r"\providecommand{\citep}[1]{\cite{#1}}"
    tail = rf"\bibliographystyle{{{look.style}}}\bibliography{{refs}}\end{{document}}"
    source = "\n".join([preamble, command, begin, r"\section{Introduction}", *(p + "\n" for p in paragraphs), tail])
    (folder / "paper.tex").write_text(source, "utf-8")
    for program in (
        ("pdflatex", "-interaction=nonstopmode", "paper"),
        ("bibtex", "paper"),
        *[("pdflatex", "-interaction=nonstopmode", "paper")] * 2,
    ):
        subprocess.run(
            program, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=False
        )
    pdf = folder / "paper.pdf"
    return Typeset(pdf, look, works, tuple(marks)) if pdf.is_file() else None
