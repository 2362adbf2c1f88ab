"""An article as LaTeX source: one file, or an archive as arXiv has them."""

# ruff: noqa: E501 - source as it is written

from __future__ import annotations

import io
import tarfile

from articles import Article, Cite, Formula, Grid, Heading, Italic, Items, Math, Note, Para, Part, Picture, Piece, See

SECTIONS = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")
ESCAPED = {
    **{sign: "\\" + sign for sign in "%&_#${}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def tex_text(text: str) -> str:
    text = "".join(ESCAPED.get(sign, sign) for sign in text)
    return text.replace("–", "--")


def body(article: Article) -> str:
    return "\n\n".join(_part(article, part) for part in article.parts)


def _part(article: Article, part: Part) -> str:
    if isinstance(part, Heading):
        return f"\\{SECTIONS[min(part.level, 5) - 1]}{{{tex_text(part.text)}}}"
    if isinstance(part, Items):
        return "\\begin{itemize}\n" + "\n".join(f"\\item {tex_text(item)}" for item in part.items) + "\n\\end{itemize}"
    if isinstance(part, Formula):
        return f"\\begin{{equation}}\n{part.tex} \\label{{eq1}}\n\\end{{equation}}"
    if isinstance(part, Picture):
        return (
            f"\\begin{{figure}}[htb]\n\\centering % in the middle\n\\includegraphics[width=\\linewidth]{{plots/{part.href}}}\n"
            f"\\caption{{{tex_text(part.caption)}}}\n\\label{{{part.id}}}\n\\end{{figure}}"
        )
    if isinstance(part, Grid):
        rows = " \\\\\n".join(" & ".join(map(tex_text, row)) for row in part.rows)
        return (
            f"\\begin{{table}}\n\\caption{{{tex_text(part.caption)}}}\\label{{{part.id}}}\n\\begin{{tabular}}{{{'l' * max(map(len, part.rows))}}}\n\\hline\n{rows} \\\\\n"
            f"\\hline\n\\end{{tabular}}\n\\end{{table}}"
        )
    assert isinstance(part, Para)
    return "".join(_piece(article, piece) for piece in part.pieces)


def _piece(article: Article, piece: Piece) -> str:
    if isinstance(piece, Cite):
        return "~\\cite{" + ",".join(f"key{n}" for n in piece.numbers) + "}"
    if isinstance(piece, See):
        return f"{article.label(piece.id).split(' ')[0]}~\\ref{{{piece.id}}}"
    if isinstance(piece, Math):
        return f"${piece.tex}$"
    if isinstance(piece, Note):
        return f"\\footnote{{{tex_text(piece.text)}}}"
    return f"\\emph{{{tex_text(piece.text)}}}" if isinstance(piece, Italic) else tex_text(piece)


def entries(article: Article) -> str:
    items = "\n\n".join(f"\\bibitem{{key{i}}}\n{tex_text(entry.text)}" for i, entry in enumerate(article.references, 1))
    return f"\\begin{{thebibliography}}{{9}}\n{items}\n\\end{{thebibliography}}\n"


def preamble(article: Article) -> str:
    people = " \\and ".join(f"{name}\\thanks{{Thanks}}" for name in article.authors)
    return (
        "\\documentclass[11pt]{article}\n\\usepackage{graphicx}\n"
        f"\\title{{{tex_text(article.title)}}}\n\\author{{{people}}}\n\\date{{{article.date}}}\n"
    )


def document(article: Article, *, inner: str = "", references: str = "") -> str:
    abstract = "\n\n".join(map(tex_text, article.abstract))
    return (
        f"{preamble(article)}\\begin{{document}}\n\\maketitle\n\\begin{{abstract}}\n{abstract}\n\\end{{abstract}}\n\n"
        f"{inner or body(article)}\n\n{references or entries(article)}\\end{{document}}\nNot read.\n"
    )


def archive(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()
