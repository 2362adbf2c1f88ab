"""LaTeX source: commands as they are printed, citations, floats, macros, archives; and what is made to do harm."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from articles import SAMPLE, Heading, paragraphs
from hypothesis import given
from hypothesis import strategies as st
from render_tex import archive, body, document, entries

from conspectus.core.errors import ConspectusError, EmptyTextError, InputError, LimitError
from conspectus.parse.files import streams as archives
from conspectus.parse.markup.latex import read_tex, read_tex_archive
from conspectus.parse.markup.latex_files import clean
from conspectus.parse.registry import reader_for
from conspectus.records import Block, ParsedPaper
from growth import Steep

HARD = r"""
\documentclass[twocolumn]{aastex631}
\usepackage{natbib,amsmath}
\newcommand{\msun}{\ensuremath{M_\odot}}
\newcommand{\kms}[1][s]{km\,#1$^{-1}$}
\newcommand{\vect}[1]{\mathbf{#1}}
\def\etal{{\it et~al.}}
\def\pair#1#2{(#1, #2)}
\DeclareMathOperator{\Tr}{Tr}
\shorttitle{Short}
\begin{document}
\title{The {\it Warm} Walls of S\~ao Paulo: 100\% Moss \& more\footnote{A note.}}
\author[0000-0001-2345-6789]{J\"org M\"uller}
\affiliation{Institute A, Z\"urich}
\author{Zo\'e Nov\'ak}
\affiliation{Institute B, Prague}
\affiliation{Institute C}
\begin{abstract}
We study walls of 5~\msun\ moving at 3~\kms{} (see \pair{a}{b}). % a comment
It works ``well''---mostly.
\end{abstract}
\keywords{walls --- moss --- stars: winds}
\section{Introduction} \label{sec:intro}
As \citet{muller2010} showed and others \citep[e.g.][their Sect. 2]{novak2011,roe2012} said, \etal\ is fine.
Section~\ref{sec:obs} and Eq.~\eqref{eq:one} and Fig.~\ref{fig:b} and \autoref{tab:x} tell more; $\vect{x} = \Tr A$.
See \citealt{muller2010} and \citeauthor{novak2011} \citeyear{novak2011} and \cite{nokey}.
\begin{equation}
\label{eq:one}
E = mc^2 \,,
\end{equation}
where $c$ is fast.
% comment between
\begin{align}
a &= b \label{eq:two}\\
c &= d \nonumber
\end{align}

\subsection*{Unnumbered $\alpha$}
\begin{enumerate}
\item First item with \textbf{bold} and \textcolor{red}{colour}.
\item[(b)] Second \href{https://x.org}{linked} \url{https://y.org/a_b}.
\end{enumerate}
\section{Observations}\label{sec:obs}
\begin{figure*}
\plotone{figs/one.pdf}
\caption{First caption, from \citet{roe2012}. \label{fig:a}}
\end{figure*}
\begin{figure}
\begin{subfigure}{0.5\textwidth}\includegraphics{two.png}\caption{Left part.}\label{fig:left}\end{subfigure}
\caption[Short]{Second caption.}\label{fig:b}
\end{figure}
\begin{deluxetable}{lcc}
\tablecaption{A deluxe table.\label{tab:x}}
\tablehead{\colhead{Name} & \colhead{$v$} & \multicolumn{2}{c}{Two}}
\startdata
A & 1.0 & 2 \\
B & \nodata & 3
\enddata
\tablecomments{These are comments.}
\end{deluxetable}
Text after\footnote{Second note, with \citep{roe2012}.} floats. \verb|x_y%z| ends.
\begin{theorem}[Main]
Walls are warm.
\end{theorem}
\begin{verbatim}
code % here \section{no}
\end{verbatim}
\acknowledgments
We thank nobody.
\bibliography{refs}
\begin{thebibliography}{}
\bibitem[M{\"u}ller et~al.(2010)M{\"u}ller, Lee, \& Poe]{muller2010}
{M{\"u}ller}, J., {Lee}, A., \& {Poe}, E.~A. 2010, \apj, 700, 1, \href{http://doi.org/10.1088/0004-637X/700/1}{doi:10.1088/0004-637X/700/1}
\bibitem[Nov\'ak(2011)]{novak2011} Nov\'ak, Z. 2011, arXiv:1101.0001
\bibitem[{Roe} \& {Doe}(2012)]{roe2012} Roe, R. \& Doe, D. 2012, \mnras, 1, 2
\end{thebibliography}
\end{document}
""".lstrip()


def tex(tmp_path: Path, text: str, name: str = "paper.tex") -> ParsedPaper:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_tex(path)


def tar(tmp_path: Path, data: bytes, name: str = "2101.00001v2.tar.gz") -> ParsedPaper:
    path = tmp_path / name
    path.write_bytes(data)
    return read_tex_archive(path)


def article(inner: str, before: str = "") -> str:
    return f"\\documentclass{{article}}\n{before}\\begin{{document}}\n{inner}\n\\end{{document}}\n"


def marked(block: Block) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.text[mark.start : mark.end], mark.kind, mark.targets) for mark in block.marks]


def kinds(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def without_marks(block: Block) -> str:
    text = block.text
    for mark in reversed(block.marks):
        if mark.kind in ("reference", "footnote"):
            text = text[: mark.start] + text[mark.end :]
    return text.replace(" [, ]", "").replace(" []", "")


@pytest.fixture
def hard(tmp_path: Path) -> ParsedPaper:
    return tex(tmp_path, HARD)


@pytest.fixture
def sample(tmp_path: Path) -> ParsedPaper:
    return tex(tmp_path, document(SAMPLE))


def test_the_text_and_the_headings_are_the_authors(sample: ParsedPaper) -> None:
    """Lost otherwise: what the paper says."""
    assert [without_marks(b) for b in sample.blocks if b.kind == "paragraph"] == paragraphs(SAMPLE)
    wanted = [(part.level, part.text) for part in SAMPLE.parts if isinstance(part, Heading)]
    found = [(block.level, block.text) for block in sample.blocks if block.kind == "heading"]
    assert found == [*wanted, (1, "References")]
    assert sample.metadata.title == SAMPLE.title
    assert tuple(author.name for author in sample.metadata.authors) == SAMPLE.authors
    assert sample.metadata.abstract == "\n\n".join(SAMPLE.abstract)
    assert not sample.warnings


def test_floats_notes_equations_and_marks(sample: ParsedPaper) -> None:
    """Lost otherwise: figures, tables, notes, and what points to them."""
    picture, table = sample.figures
    assert (picture.label, picture.href, table.label) == ("Figure 1", "plots/wall.png", "Table 1")
    assert table.cells == next(part.rows for part in SAMPLE.parts if hasattr(part, "rows"))
    assert picture.caption is not None
    assert sample.blocks[picture.caption].text == "Figure 1: A wall in the north valley. Moss covers its lower half."
    assert [(b.text, b.label) for b in sample.blocks if b.kind == "equation"] == [(r"T(t) = T_0 e^{-t/\tau}", "(1)")]
    assert kinds(sample, "footnote") == ["The stone is a grey limestone from one quarry."]
    assert [mark for block in sample.blocks for mark in marked(block)] == [
        ("1", "reference", ("b1",)),
        ("1", "reference", ("b1",)),
        ("2", "reference", ("b2",)),
        ("¹", "footnote", ()),
        ("1", "figure", ("f1",)),
        ("1", "table", ("t1",)),
        ("3", "reference", ("b3",)),
    ]
    assert [reference.text for reference in sample.references] == [entry.text for entry in SAMPLE.references]


def test_front_matter_of_a_journal(hard: ParsedPaper) -> None:
    """Lost otherwise: names with accents, ORCIDs, whose affiliation is whose."""
    meta = hard.metadata
    assert meta.title == "The Warm Walls of São Paulo: 100% Moss & more"
    assert [(a.name, a.orcid, a.affiliations) for a in meta.authors] == [
        ("Jörg Müller", "0000-0001-2345-6789", ("Institute A, Zürich",)),
        ("Zoé Novák", "", ("Institute B, Prague", "Institute C")),
    ]
    assert (
        meta.abstract == "We study walls of 5 $M_\\odot$ moving at 3 km s$^{-1}$ (see (a, b)). It works “well”—mostly."
    )
    assert meta.keywords == ("walls", "moss", "stars: winds")


def test_citations_read_as_printed_and_lead_to_their_entries(hard: ParsedPaper) -> None:
    """Lost otherwise: readable sentences, and the references they rest on."""
    block = next(b for b in hard.blocks if b.text.startswith("As Müller"))
    assert block.text == (
        "As Müller et al. (2010) showed and others (e.g. Novák 2011; Roe & Doe 2012, their Sect. 2) said, et al. is "
        "fine. Section 2 and Eq. (1) and Fig. 2 and Table 1 tell more; $\\mathbf{x} = \\operatorname{Tr}A$. See Müller "
        "et al. 2010 and Novák 2011 and nokey."
    )
    assert marked(block)[:6] == [
        ("Müller et al. (2010)", "reference", ("b1",)),
        ("Novák 2011", "reference", ("b2",)),
        ("Roe & Doe 2012", "reference", ("b3",)),
        ("(1)", "equation", ()),
        ("2", "figure", ("f2",)),
        ("Table 1", "table", ("t1",)),
    ]
    assert hard.references[0].doi == "10.1088/0004-637x/700/1"
    assert hard.references[1].arxiv_id == "1101.0001"
    assert hard.warnings == ("The reference list lacks one of the entries that are cited.",)


def test_commands_of_all_sorts(hard: ParsedPaper) -> None:
    """Lost otherwise: lists, theorems, parts of figures, tables of the AAS."""
    texts = kinds(hard, "paragraph")
    assert "First item with bold and colour." in texts
    assert "(b) Second linked https://y.org/a_b." in texts
    assert "Text after¹ floats. x_y%z ends." in texts
    assert "Theorem (Main). Walls are warm." in texts
    assert "We thank nobody." in texts
    assert not any("code" in text for text in texts)
    assert ("Acknowledgments" in kinds(hard, "heading")) and ("Unnumbered $\\alpha$" in kinds(hard, "heading"))
    assert kinds(hard, "caption") == [
        "Figure 1: First caption, from Roe & Doe (2012).",
        "Figure 2: Second caption. Left part.",
        "Table 1: A deluxe table.",
    ]
    assert hard.figures[2].cells == (("Name", "$v$", "Two", ""), ("A", "1.0", "2", ""), ("B", "", "3", ""))


def test_inputs_come_from_the_folder_only(tmp_path: Path) -> None:
    """Lost otherwise: chapters in files of their own; or, that a paper reads the files beside its folder."""
    (tmp_path / "secret.tex").write_text("Very secret words.", encoding="utf-8")
    folder = tmp_path / "paper"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "one.tex").write_text("Words of part one.\n", encoding="utf-8")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    lines = "\\input{parts/one}\n\n\\input ../secret \n\n\\input{../secret.tex}\\include{link}\\input{/etc/passwd}"
    (folder / "main.tex").write_text(article(lines), encoding="utf-8")
    paper = read_tex(folder / "main.tex")
    assert kinds(paper, "paragraph") == ["Words of part one."]
    assert "inputs what is not there" in paper.warnings[0]
    with pytest.raises(InputError, match="only a part"):
        read_tex(folder / "parts" / "one.tex")


def test_an_archive_is_one_paper(tmp_path: Path) -> None:
    """Lost otherwise: sources from arXiv."""
    files = {
        "main.tex": article("\\title{On Walls}\\section{One}\\input{text/a}\\bibliography{x}").encode(),
        "text/a.tex": b"Walls \\cite{key1} stand.",
        "main.bbl": entries(SAMPLE).encode(),
        "response.tex": b"\\documentclass{letter}\\begin{document}Dear editor\\end{document}",
        "figure.png": b"\x89PNG",
    }
    paper = tar(tmp_path, archive(files))
    assert (paper.metadata.title, paper.metadata.arxiv_id) == ("On Walls", "2101.00001")
    assert kinds(paper, "paragraph") == ["Walls [1] stand."]
    assert len(paper.references) == 3
    single = tar(tmp_path, gzip.compress(document(SAMPLE).encode()), "x.tex.gz")
    assert single.metadata.title == SAMPLE.title


def test_a_bib_file_gives_references_with_fields(tmp_path: Path) -> None:
    """Lost otherwise: reference lists of documents that were never run."""
    (tmp_path / "refs.bib").write_text(
        """@article{lee, author = {Lee, Ann and Roe, Bo and Poe, Cy}, title = "On {W}alls", journal = {J. Walls},
        year = 2001, volume = {3}, pages = {1--9}, doi = {10.1000/W}}
        @book{other, author = {Nobody}, title = {Not cited}, year = {1999}}""",
        encoding="utf-8",
    )
    paper = tex(tmp_path, article("Walls stand \\citep{lee}.\\bibliographystyle{plainnat}\\bibliography{refs}"))
    (reference,) = paper.references
    assert (reference.title, reference.year, reference.doi, reference.pages) == ("On Walls", 2001, "10.1000/w", "1–9")
    assert [author.name for author in reference.authors] == ["Ann Lee", "Bo Roe", "Cy Poe"]
    assert kinds(paper, "paragraph") == ["Walls stand (Lee et al. 2001)."]


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("a.tex", "latex"),
        ("a.tar.gz", "latex-archive"),
        ("A.TGZ", "latex-archive"),
        ("a.jsonl.gz", "jsonl"),
        ("a.csv.gz", "table"),
    ],
)
def test_endings_of_packed_files_do_not_steal_from_each_other(name: str, reader: str) -> None:
    """Lost otherwise: packed record files would be taken for sources."""
    assert reader_for(Path(name)).name == reader


def test_macros_without_end_are_refused(tmp_path: Path) -> None:
    """Lost otherwise: ten lines that fill the memory."""
    lines = "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}"
    with pytest.raises(LimitError, match="without end"):
        tex(tmp_path, article("Words. \\a", lines))
    laughs = "\\newcommand{\\la}{ha}" + "".join(
        f"\\newcommand{{\\l{chr(98 + i)}}}{{{f'{chr(92)}l{chr(97 + i)} ' * 10}}}" for i in range(9)
    )
    with pytest.raises(LimitError, match="without end"):
        tex(tmp_path, article("Words. \\lj", laughs))


def test_a_document_that_inputs_itself_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: a loop."""
    with pytest.raises(LimitError, match="inputs very many"):
        tex(tmp_path, article("\\input{paper}"))


def test_members_that_lead_out_and_links_are_passed_over(tmp_path: Path) -> None:
    """Lost otherwise: an archive could name files beside it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        for name in ("../evil.tex", "/abs.tex", "ok/main.tex"):
            data = article(f"\\title{{{name}}} Words of a text. \\input{{link}}\\input{{../../evil}}").encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("ok/link.tex")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    paper = tar(tmp_path, out.getvalue())
    assert paper.metadata.title == "ok/main.tex"
    assert kinds(paper, "paragraph") == ["Words of a text."]


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: a small archive that unfolds to gigabytes."""
    monkeypatch.setattr(archives, "MAX_UNFOLDED", 2**20)
    with pytest.raises(LimitError, match="unfolds"):
        tar(tmp_path, archive({"a.bin": b"\x00" * (5 * 2**20)}))
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(LimitError, match="more than 3 files"):
        tar(tmp_path, archive({f"{i}.txt": b"" for i in range(9)}))
    with pytest.raises(LimitError, match="unfolds"):
        tar(tmp_path, gzip.compress(b"x" * (65 * 2**20)), "x.tex.gz")


def test_archives_of_other_things_are_told(tmp_path: Path) -> None:
    """Lost otherwise: why a package of programs is no paper."""
    with pytest.raises(InputError, match="no LaTeX document in it"):
        tar(tmp_path, archive({"setup.py": b"print()"}))
    with pytest.raises(InputError, match="damaged"):
        tar(tmp_path, archive({"a.tex": b"x" * 10_000})[:60])


def test_deep_nesting_is_bounded(tmp_path: Path) -> None:
    """Lost otherwise: a crash instead of an error."""
    with pytest.raises(LimitError, match="nested too deeply"):
        tex(tmp_path, article("\\footnote{" * 500 + "x" + "}" * 500))
    assert kinds(tex(tmp_path, article("{" * 5000 + "Words stand." + "}" * 5000)), "paragraph") == ["Words stand."]


def test_an_empty_document_is_told(tmp_path: Path) -> None:
    """Lost otherwise: why nothing was added."""
    with pytest.raises(EmptyTextError, match="no text"):
        tex(tmp_path, article(""))


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "$",
        "&",
        "%",
        "~",
        "[",
        "]",
        "\\",
        "\\begin{figure}",
        "\\end{figure}",
        "\\begin{tabular}{l}",
        "\\caption{A }",
        "\\section{B}",
        "words ",
        "\n\n",
        "\\cite{a}",
        "\\ref{x}",
        "\\label{x}",
        "\\newcommand{\\m}[1]{#1 #1}",
        "\\m{y}",
        "\\def\\n#1{\\m{#1}}",
        "\\n{z}",
        "\\[",
        "\\]",
        "\\footnote{n}",
        "\\begin{equation}",
        "\\item",
        "\\'",
        "\\verb|",
        "$$",
        "\\input{q}",
        "\\bibitem{a} Text.",
        "\\author{A B}",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_source_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Lost otherwise: sources with mistakes in them."""
    try:
        paper = tex(tmp_path_factory.mktemp("any"), article("Some words stand here.\n\n" + text))
    except ConspectusError:
        return
    for block in paper.blocks:
        assert all(0 <= mark.start < mark.end <= len(block.text) for mark in block.marks)
        assert block.text
    for figure in paper.figures:
        assert figure.caption is None or paper.blocks[figure.caption].kind == "caption"


@given(st.binary(max_size=500))
def test_any_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Lost otherwise: a strange error would end the run."""
    for packed in (data, gzip.compress(data)):
        try:
            tar(tmp_path_factory.mktemp("any"), packed, "any.tar.gz")
        except InputError:
            continue


def test_the_sample_in_parts_reads_the_same(tmp_path: Path) -> None:
    """Lost otherwise: that it makes no difference how a source is cut into files."""
    whole = tex(tmp_path, document(SAMPLE))
    (tmp_path / "body.tex").write_text(body(SAMPLE), encoding="utf-8")
    (tmp_path / "parts.bbl").write_text(entries(SAMPLE), encoding="utf-8")
    parts = tex(tmp_path, document(SAMPLE, inner="\\input{body}", references="\\bibliography{refs}\n"), "parts.tex")
    assert parts.blocks == whole.blocks
    assert parts.references == whole.references


def test_what_pandoc_writes_is_read(tmp_path: Path) -> None:
    """Preprints made from Markdown would lose references, citations, the parts of the abstract and the last author."""
    path = tmp_path / "preprint.tex"
    path.write_text(
        r"""\documentclass{article}
\title{Eels at night}
\author{Anna Berg \and Carl Dahl* E-mail:
carl@example.org}
\newenvironment{CSLReferences}[2]{}{}
\begin{document}
\maketitle
\begin{abstract}
\hypertarget{background}{%
\section{Background}\label{background}}

Eels swim at night.

\hypertarget{results}{%
\section{Results}\label{results}}

They swim far.
\end{abstract}
\hypertarget{ways}{%
\section{Ways}\label{ways}}
Eels were followed before (\protect\hyperlink{ref-Berg}{Berg 1999}; \citeproc{ref-Dahl}{Dahl 2001}), as
\protect\hyperlink{map}{Figure 1} shows.
\begin{figure}\hypertarget{map}{\caption{The way of the eels.}\label{map}}\end{figure}
\hypertarget{refs}{}
\begin{CSLReferences}{1}{0}
\leavevmode\vadjust pre{\hypertarget{ref-Berg}{}}%
Berg, Anna. 1999. {``Eels by Day.''} \emph{Journal of Eels} 3: 1--9.

\bibitem[\citeproctext]{ref-Dahl}
\CSLLeftMargin{2. }%
\CSLRightInline{Dahl, Carl. 2001. {``Eels by Night.''} \emph{Journal of Eels} 5: 2--4.}
\end{CSLReferences}
\end{document}
"""
    )
    paper = read_tex(path)
    assert [author.name for author in paper.metadata.authors] == ["Anna Berg", "Carl Dahl"]
    assert paper.metadata.abstract == "Background: Eels swim at night.\n\nResults: They swim far."
    assert [reference.text[:16] for reference in paper.references] == ["Berg, Anna. 1999", "Dahl, Carl. 2001"]
    (block,) = (block for block in paper.blocks if block.text.startswith("Eels were"))
    assert [(block.text[m.start : m.end], m.kind, m.targets) for m in block.marks] == [
        ("Berg 1999", "reference", ("b1",)),
        ("Dahl 2001", "reference", ("b2",)),
        ("Figure 1", "figure", ("f1",)),
    ]
    assert [block.text for block in paper.blocks if block.kind == "heading"] == ["Ways", "References"]


ADDRESSES = r"""
See \url{http://y.org/a%20b} for data. % hidden
A \href{http://x.org/a%20b}{the link} and \path{c%d} and \nolinkurl{z.org/%7E} follow.%
\footnote{At \url{http://n.org/%41}.} End.

Last \cite{one}.
\begin{thebibliography}{1}
\bibitem{one} Ann Bee. \href{https://doi.org/10.1016%2Fj.x}{A title of moss}. 2001.
\bibitem{two} Cid Dee. Another. 2002.
\end{thebibliography}
"""


def test_a_percent_sign_in_an_address_is_no_comment(tmp_path: Path) -> None:
    """Lost otherwise: all text behind an address with `%20` in it."""
    paper = tex(tmp_path, article(ADDRESSES))
    first, last = kinds(paper, "paragraph")
    assert first.startswith("See http://y.org/a%20b for data. A the link and c%d and z.org/%7E follow.")
    assert first.endswith(" End.")
    assert last == "Last [1]."
    assert kinds(paper, "footnote") == ["At http://n.org/%41."]
    assert [reference.text[:7] for reference in paper.references] == ["Ann Bee", "Cid Dee"]
    assert "A title of moss. 2001." in paper.references[0].text


def test_a_brace_that_is_not_closed_ends_with_its_paragraph(tmp_path: Path) -> None:
    """Lost otherwise: all text behind one forgotten brace."""
    paper = tex(tmp_path, article("One \\textbf{two {three}.\n\nFour."))
    assert kinds(paper, "paragraph") == ["One two three.", "Four."]
    assert [w for w in paper.warnings if "brace" in w]


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("One.\n% \\begin{tikzpicture}\n\nTwo.", ["One.", "Two."]),
        ("One.\n\n%\\begin{comment}\nTwo.\n%\\end{comment}\n\nThree.", ["One.", "Two.", "Three."]),
        ("One \\verb|\\begin{verbatim}| two.\n\nThree.", ["One \\begin{verbatim} two.", "Three."]),
        ("One \\verb|%| two.", ["One % two."]),
        ("One.\n\\begin{verbatim}\n\\begin{comment} % x\n\\end{verbatim}\n\nTwo.", ["One.", "Two."]),
        ("One.\n\\begin{comment}\nHidden.\n\\end{comment}\n\nTwo.", ["One.", "Two."]),
        ("\\newcommand{\\x}{\\begin{tikzpicture}}One.\n\nTwo.", ["One.", "Two."]),
        (
            "\\newcommand{\\x}{\\begin{tikzpicture}[a]}One.\\begin{tikzpicture}\\a{}\\end{tikzpicture} Two.",
            ["One. Two."],
        ),
        ("One.\n\\begin{tikzpicture}\nTwo.", ["One.", "Two."]),
        ("One. % said\n\nTwo, 5\\% of it. \\\\% said\nThree.", ["One.", "Two, 5% of it. Three."]),
    ],
)
def test_only_what_is_hidden_is_left_out(tmp_path: Path, inner: str, said: list[str]) -> None:
    """Lost otherwise: the rest of a paper behind a drawing that was commented out."""
    assert kinds(tex(tmp_path, article(inner)), "paragraph") == said


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("\\newif\\ifdraft\\draftfalse\nOne \\ifdraft Draft.\\else Final.\\fi", "One Final."),
        ("\\newif\\ifdraft\\drafttrue\nOne \\ifdraft Draft.\\else Final.\\fi", "One Draft."),
        ("\\newif\\ifdraft One \\ifdraft Draft. \\drafttrue\\fi two\\ifdraft\\ three\\fi.", "One two."),
        ("One \\iffalse a \\ifx\\b\\c d\\else e\\fi f \\fi two.", "One two."),
        ("One \\iffalse a \\else two \\fi three.", "One two three."),
        ("One \\ifnum\\value{page}>2 a\\else two\\fi.", "One two."),
        ("One \\ifcase\\value{page}\\or two\\or three\\else four\\fi.", "One two."),
        ("One \\ifnum \\value{page} > 2 in \\emph{two}\\fi.", "One in two."),
        ("One \\ifdim\\textwidth<0.5\\textheight two\\fi.", "One two."),
        ("One \\ifx\\a\\b two\\fi.", "One two."),
        ("Let \\let\\ifnotes\\iffalse \\ifnotes hidden \\fi it $a \\iff b$ be.", "Let it $a \\iff b$ be."),
        ("One \\iffalse two.", "One two."),
        ("One \\iffalse \\input{nothing} \\fi two \\fi three.", "One two three."),
    ],
)
def test_one_branch_of_a_conditional_is_read(tmp_path: Path, inner: str, said: str) -> None:
    """Lost otherwise: what the paper says, among the words of a draft."""
    paper = tex(tmp_path, article(inner))
    assert kinds(paper, "paragraph") == [said]
    assert not paper.warnings


def test_flags_reach_the_files_that_are_input(tmp_path: Path) -> None:
    """Lost otherwise: the branch that is meant, where the preamble is a file of its own."""
    (tmp_path / "flags.tex").write_text("\\newif\\iflong\\longtrue", encoding="utf-8")
    (tmp_path / "text.tex").write_text("\\iflong Long.\\else Short.\\fi", encoding="utf-8")
    paper = tex(tmp_path, article("\\input{text}\\input{/etc/passwd}", before="\\input{flags}\n"))
    assert kinds(paper, "paragraph") == ["Long."]
    assert paper.warnings == ("The document inputs what lies outside its folder and was left out: '/etc/passwd'.",)


def test_names_behind_ordinals_are_names(tmp_path: Path) -> None:
    """Lost otherwise: all authors of a paper in the template of the IEEE."""
    authors = (
        r"\author{\IEEEauthorblockN{1\textsuperscript{st} Ann Bee}\IEEEauthorblockA{Lab} \and "
        r"\IEEEauthorblockN{2\textsuperscript{nd} Carl Dee} \and 3rd Eve Foo}"
    )
    paper = tex(tmp_path, article(authors + "\\maketitle Text."))
    assert [author.name for author in paper.metadata.authors] == ["Ann Bee", "Carl Dee", "Eve Foo"]


def test_an_old_tar_archive_is_read(tmp_path: Path) -> None:
    """Lost otherwise: sources that were packed in the format of Unix v7."""
    data = article("Words of a text.").encode()
    info = tarfile.TarInfo("paper.tex")
    info.size = len(data)
    head = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    head[257:500] = bytes(243)
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    packed = gzip.compress(bytes(head) + data + bytes(-len(data) % 512 + 1024))
    assert kinds(tar(tmp_path, packed), "paragraph") == ["Words of a text."]


def test_an_archive_that_unfolds_to_300_times_its_size_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: what docs/adding.md promises."""
    with pytest.raises(LimitError, match="unfolds"):
        tar(tmp_path, archive({"a.tex": article("Words.").encode(), "a.bin": bytes(20 * 2**20)}))


def test_appendices_have_letters(tmp_path: Path) -> None:
    """Lost otherwise: which appendix a sentence names."""
    inner = (
        "\\section{One}\\label{one} See \\ref{one}, \\ref{more}, \\autoref{more}, \\ref{part}.\n"
        "\\appendix\n\\section{More}\\label{more}\nText.\n\\subsection{Part}\\label{part}\nText.\n"
    )
    assert kinds(tex(tmp_path, article(inner)), "paragraph")[0] == "See 1, A, Appendix A, A.1."


def test_environments_of_the_author_are_expanded(tmp_path: Path) -> None:
    """Lost otherwise: the words and formulas that the author's own environments put around a text."""
    before = (
        "\\newenvironment{claim}[2][Claim]{\\textbf{#1 #2.} \\small}{ Done by #2.}\n"
        "\\newenvironment{formula}{\\begin{equation}}{\\end{equation}}\n"
        "\\newenvironment{endless}{\\begin{endless}}{\\end{endless}}\n"
    )
    inner = "\\begin{claim}{one}Walls move.\\end{claim}\n\\begin{formula}a=b\\end{formula}\nLast."
    paper = tex(tmp_path, article(inner, before))
    assert kinds(paper, "paragraph") == ["Claim one. Walls move. Done by one.", "Last."]
    assert kinds(paper, "equation") == ["a=b"]
    with pytest.raises(LimitError, match="expand without end"):
        tex(tmp_path, article("Text. \\begin{endless}x\\end{endless}", before))


def test_equations_of_a_group_are_formulas_of_their_own(tmp_path: Path) -> None:
    """Lost otherwise: formulas without the commands that number them, and their letters."""
    inner = (
        "\\begin{subequations}\\label{all}\\begin{equation}a=1\\label{a}\\end{equation} and\n"
        "\\begin{equation}b=2\\label{b}\\end{equation}\\end{subequations}\n\\begin{equation}c=3\\end{equation}\n"
        "See \\eqref{all} and \\eqref{b}."
    )
    paper = tex(tmp_path, article(inner))
    found = [(block.text, block.label) for block in paper.blocks if block.kind == "equation"]
    assert found == [("a=1", "(1a)"), ("b=2", "(1b)"), ("c=3", "(2)")]
    assert kinds(paper, "paragraph") == ["and", "See (1) and (1b)."]


def test_notes_to_oneself_are_no_text(tmp_path: Path) -> None:
    """Lost otherwise: the published words, among what was struck out."""
    inner = (
        "\\author{Ann Bee}\n\\collaboration{The Moss Collaboration}\n\\begin{abstract}Abstract.\\end{abstract}\n"
        "One\\todo[inline]{Check!} \\deleted{gone}\\added[id=A]{two} \\replaced{three}{four}."
    )
    paper = tex(tmp_path, article(inner))
    assert [block.text for block in paper.blocks] == ["Abstract.", "One two three."]


def test_environments_that_macros_begin_and_end(tmp_path: Path) -> None:
    """Lost otherwise: all text behind the first formula of a paper that has short names for it."""
    before = (
        "\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}\n"
        "\\def\\bea{\\begin{eqnarray}\\displaystyle}\\def\\eea{\\,\\end{eqnarray}Then }\n"
    )
    paper = tex(tmp_path, article("One \\be a=b \\ee two \\bea c=d\\eea three \\be e \\end{equation} four.", before))
    assert kinds(paper, "equation") == ["a=b", "\\displaystyle c=d\\,", "e"]
    assert kinds(paper, "paragraph") == ["One", "two", "Then three", "four."]
    assert not paper.warnings


def test_a_formula_without_its_end_ends_with_its_paragraph(tmp_path: Path) -> None:
    """Lost otherwise: all text behind it, without a word."""
    paper = tex(tmp_path, article("One \\begin{equation} a\n\nTwo. \\lstinline{a % b} it."))
    assert kinds(paper, "paragraph") == ["One", "Two. a % b it."]
    assert [w for w in paper.warnings if "not closed" in w]


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        ("\\begin{tikzpicture}", "}\\end{tikzpicture}"),
        ("\\begin{tikzpicture}{", "}" * 9 + "\\end{tikzpicture}"),
        ("\\begin{tikzpicture}\\begin{pgfpicture}", "}\\end{pgfpicture}}\\end{tikzpicture}"),
        ("\\begin{verbatim}", ""),
    ],
)
def test_drawings_without_end_take_no_long_time(unit: str, end: str, steep: Steep) -> None:
    """Lost otherwise: minutes, to a file of 100 KB in which drawings begin and a brace closes before one ends."""
    assert not steep(lambda count: clean(unit * count + end), 1_000)
