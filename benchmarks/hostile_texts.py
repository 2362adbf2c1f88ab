"""Hostile XML, bibliographies, web pages, LaTeX and plain text. For `hostile.py`."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parse"))

from articles import SAMPLE
from render_html import arxiv, blog, elife, plos, pmc, wikipedia
from render_tex import document as tex_document

from xml_samples import JATS, TEI

BIB = r"""@article{a, title = {Moss on {W}alls and \"o $x^2$}, author = "Brook, Ada and van der Lake, Ben",
 year = 1990 # "x", journal = {J. Walls}, abstract = {Walls cool at night. Moss helps.}, file = {:a.pdf:PDF}}
@string{b = "c"} @book{d, title = {Stones}, editor = {Roe, Bo}, year = {2001}}
"""
RIS = "TY  - JOUR\nTI  - Moss on walls\nAU  - Brook, Ada\nPY  - 1990/1/2\nAB  - Walls cool. Moss helps.\nER  - \n\n"
MEDLINE = "PMID- 1\nTI  - Moss on walls.\nFAU - Brook, Ada\nDP  - 1990 Jan\nAB  - Walls cool.\n      Moss helps.\n\n"
PUBMED = """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>
<ArticleTitle>Moss on walls</ArticleTitle><Abstract><AbstractText Label="A">Walls cool.</AbstractText></Abstract>
<AuthorList><Author><LastName>Brook</LastName><ForeName>Ada</ForeName></Author></AuthorList></Article>
</MedlineCitation></PubmedArticle></PubmedArticleSet>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1901.00001v1</id>
<title>Moss</title><summary>Walls cool.</summary><author><name>Ada Brook</name></author></entry></feed>"""
ENDNOTE = """<xml><records><record><titles><title>Moss</title></titles><contributors><authors><author>Brook, A
</author></authors></contributors><dates><year>1990</year></dates></record></records></xml>"""
CSL = json.dumps(
    [{"id": "a", "type": "article-journal", "title": "Moss", "author": [{"family": "Brook"}], "DOI": "10.1/x",
      "issued": {"date-parts": [[1990, 1]]}, "abstract": "Walls cool. Moss helps."}]
)  # fmt: skip
JSONL = "\n".join(
    json.dumps({"title": f"Moss {n}", "abstract": "Walls cool. Moss helps.", "year": 1990 + n, "authors": ["A. Brook"]})
    for n in range(5)
)
CSV = 'title,authors,year,abstract\n"Moss, old","Brook, A; Lake, B",1990,"Walls cool. Moss helps."\nStones,Roe,2001,x\n'
TSV = CSV.replace(",", "\t")
TEXT = "How Moss Warms a Wall\n\nWalls cool at night. Moss slows that down.\n\nMethods\n\nWe measured (Brook, 1990).\n"
MARKDOWN = "# Moss\n\nWalls *cool* at night [1]. Moss helps.\n\n## Methods\n\n- one\n- two\n\n| a |\n|---|\n| 1 |\n"

SEEDS: dict[str, str] = {
    ".bib": BIB, ".ris": RIS, ".nbib": MEDLINE, ".json": CSL, ".jsonl": JSONL, ".csv": CSV, ".tsv": TSV, ".txt": TEXT,
    ".md": MARKDOWN, ".tex": tex_document(SAMPLE), ".jats.xml": JATS, ".tei.xml": TEI, ".pubmed.xml": PUBMED,
    ".atom.xml": ATOM, ".endnote.xml": ENDNOTE, ".plos.html": plos(SAMPLE), ".elife.html": elife(SAMPLE),
    ".arxiv.html": arxiv(SAMPLE), ".pmc.html": pmc(SAMPLE), ".wikipedia.html": wikipedia(SAMPLE),
    ".blog.html": blog(SAMPLE),
}  # fmt: skip

_PIECES = [
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbf\xbe", "\u202e\u200f".encode(), b"{" * 50, b"}" * 50, b"[" * 50,
    b"<" * 20, b">" * 20, b"&lol;", b"&#x1F;", b"&#99999999;", b"<![CDATA[", b"]]>", b"<!--", b"-->", b'"', b"'", b"\\",
    b"$$", b"\\begin{", b"\\end{", b"%", b"@", b"#", b"\r", b"\n\n\n", b"\t", b"9" * 400, b"-1", b"1e999", b"NaN",
    b"null", b"\\ud800", b"a" * 5000, b" " * 5000, b"\\input{", b"\\cite{", b"colspan='999999999'", b"\xf4\x90\x80\x80",
]  # fmt: skip
_NUMBER = re.compile(rb"\d+")
_TAG = re.compile(rb"</?[A-Za-z][^<>]*>")


def mutated(count: int, seed: int, data: Path | None) -> Iterator[tuple[str, bytes]]:
    """`count` files of all kinds; the same for the same seed."""
    rng = random.Random(seed)
    seeds = [(suffix, text.encode()) for suffix, text in SEEDS.items()]
    seeds += [(".real.xml", path.read_bytes()) for path in (sorted(data.glob("pdf_jose/*.jats.xml")) if data else [])]
    for number in range(count):
        suffix, raw = seeds[number % len(SEEDS)] if rng.random() < 0.9 else rng.choice(seeds)
        yield f"t{number:04}{suffix}", mutate_bytes(raw, rng)


def mutate_bytes(raw: bytes, rng: random.Random) -> bytes:
    """The bytes with one to twenty changes: flips, cuts, pieces put in, repeats, huge numbers, tags exchanged."""
    for _ in range(rng.choice((1, 2, 5, 20))):
        at, kind = rng.randrange(len(raw) + 1), rng.randrange(8)
        if kind == 0 and raw:
            at = min(at, len(raw) - 1)
            raw = raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
        elif kind == 1:
            raw = raw[:at] + raw[at + rng.choice((1, 10, 200)) :]
        elif kind in (2, 3):
            raw = raw[:at] + rng.choice(_PIECES) * rng.choice((1, 1, 3)) + raw[at:]
        elif kind == 4:
            raw = raw[:at] + raw[at : at + rng.choice((5, 50, 500))] * rng.choice((2, 20, 200)) + raw[at:]
        elif kind == 5 and (found := list(_NUMBER.finditer(raw))):
            match = rng.choice(found)
            raw = raw[: match.start()] + rng.choice((b"-1", b"9" * 30, b"0", b"1e400")) + raw[match.end() :]
        elif kind == 6 and (found := list(_TAG.finditer(raw))):
            one, two = rng.choice(found), rng.choice(found)
            raw = raw[: one.start()] + two[0] + raw[one.end() :]
        elif kind == 7 and rng.random() < 0.2:
            raw = raw[:at]
        raw = raw[:3_000_000]
    return raw


def laughs(root: str, levels: int = 12) -> str:
    """A document type whose last entity unfolds to ten to the number of levels."""
    names = [f"l{n}" for n in range(levels)]
    entities = '<!ENTITY l0 "hahahahaha">'
    for before, name in pairwise(names):
        entities += f'<!ENTITY {name} "{f"&{before};" * 10}">'
    return f"<!DOCTYPE {root} [{entities}]>"


_XML = {".jats.xml": JATS, ".tei.xml": TEI, ".pubmed.xml": PUBMED, ".atom.xml": ATOM, ".endnote.xml": ENDNOTE}
_INNER = {
    ".jats.xml": "p",
    ".tei.xml": "p",
    ".pubmed.xml": "AbstractText",
    ".atom.xml": "summary",
    ".endnote.xml": "title",
}


def xml_bombs(large: bool = True) -> Iterator[tuple[str, bytes]]:
    """What XML can do, in each of the five kinds that are read."""
    size = 1_000_000 if large else 50_000
    for suffix, text in _XML.items():
        body = re.sub(r"<\?xml[^>]*>|<!DOCTYPE[^>]*>", "", text).strip()
        tag, root = _INNER[suffix], re.match(r"<(\w+)", body)[1]  # type: ignore[index]
        open_at = re.search(rf"<{tag}(?:\s[^>]*)?>", body).end()  # type: ignore[union-attr]

        def with_inside(piece: str, head: str = "", body: str = body, at: int = open_at) -> bytes:
            return (head + body[:at] + piece + body[at:]).encode()

        for system in ("file:///etc/passwd", "http://127.0.0.1:9/x", "/dev/zero"):
            name = re.sub(r"\W+", "-", system)
            head = f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "{system}">]>'
            yield f"external-{name}{suffix}", with_inside("&x;", head)
            yield (
                f"parameter-{name}{suffix}",
                with_inside("", f'<!DOCTYPE {root} [<!ENTITY % x SYSTEM "{system}"> %x;]>'),
            )
            yield f"dtd-{name}{suffix}", with_inside("", f'<!DOCTYPE {root} SYSTEM "{system}">')
        yield f"laughs{suffix}", with_inside("&l11;", laughs(root))
        yield f"laughs-attribute{suffix}", with_inside('<x y="&l11;"/>', laughs(root))
        blow = f'<!DOCTYPE {root} [<!ENTITY a "{"a" * 60_000}">]>'
        yield f"quadratic{suffix}", with_inside("&a;" * 60_000, blow)
        yield f"deep{suffix}", with_inside("<x>" * size + "</x>" * size)
        yield f"deep-{tag}{suffix}", with_inside(f"<{tag}>" * 3000 + f"</{tag}>" * 3000)
        yield f"wide{suffix}", with_inside("<x/>" * (3 * size))
        yield f"attribute{suffix}", with_inside(f'<x y="{"a" * (30 * size)}"/>')
        yield f"attributes{suffix}", with_inside("<x " + " ".join(f'a{n}="1"' for n in range(size // 5)) + "/>")
        yield f"name{suffix}", with_inside(f"<{'x' * (5 * size)}/>")
        yield f"namespaces{suffix}", with_inside("".join(f'<x xmlns:a{n}="u{n}"/>' for n in range(size // 10)))
        yield f"text{suffix}", with_inside("word. Word " * size)
        yield f"one-word{suffix}", with_inside("a" * (9 * size))
        yield f"stops{suffix}", with_inside("." * size)
        yield f"stops-apart{suffix}", with_inside(". A " * size)
        yield f"brackets{suffix}", with_inside("(" * size + "[" * size)
        yield f"comments{suffix}", with_inside("<!-- x -->" * size)
        yield f"instructions{suffix}", with_inside("<?x y?>" * size)
        yield f"utf7{suffix}", b'<?xml version="1.0" encoding="utf-7"?>' + body.encode()
        yield f"utf16{suffix}", ('<?xml version="1.0" encoding="utf-16"?>' + body).encode("utf-16")
        yield f"encoding-claims{suffix}", b'<?xml version="1.0" encoding="ebcdic-cp-be"?>' + body.encode()
        yield f"controls{suffix}", with_inside("&#1;&#8;\x01\x02")
        yield f"prolog{suffix}", ("<?x?>" * 20_000 + body).encode()
        yield f"doctype-open{suffix}", (f"<!DOCTYPE {root} [" + "<!ENTITY a 'b'>" * 20_000 + body).encode()
    yield (
        "refs.jats.xml",
        JATS.replace(
            "</ref-list>", "<ref id='q'><mixed-citation>x</mixed-citation></ref>" * (size // 10) + "</ref-list>"
        ).encode(),
    )
    yield "spans.jats.xml", re.sub("<td>", '<td rowspan="65000" colspan="65000">', JATS).encode()
    marks = '<xref ref-type="bibr" rid="r1">1</xref>, ' * (size // 10)
    yield "marks.jats.xml", JATS.replace("<p>", f"<p>{marks}", 1).encode()
    yield "range.jats.xml", JATS.replace("[<xref", "[1-999999999; <xref").encode()


def texts(large: bool = True) -> Iterator[tuple[str, bytes]]:
    """What plain formats can do."""
    size = 100_000_000 if large else 2_000_000
    deep = size // 500
    for suffix in (".bib", ".ris", ".nbib", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".md", ".tex", ".html", ".xml"):
        head = SEEDS.get(suffix, "").encode()
        yield f"empty{suffix}", b""
        yield f"spaces{suffix}", b" " * 1_000_000
        yield f"zeros{suffix}", bytes(1_000_000)
        yield f"one-line{suffix}", b"word " * (size // 5)
        yield f"one-word{suffix}", b"a" * (size // 10)
        yield f"one-line-after{suffix}", head + b"word. Word " * (size // 110)
        yield f"lines{suffix}", head + b"\n" * (size // 10)
        yield f"surrogates{suffix}", head + b"\xed\xa0\x80\xed\xb0\x80" * 1000
        yield f"utf16{suffix}", head.decode().encode("utf-16")
        yield f"utf16-odd{suffix}", b"\xff\xfe" + head + b"x"
        yield f"latin{suffix}", head + bytes(range(128, 256)) * 100
        for sign in ("{", "[", "(", '"', "\\", "<", "$", "@", "*", "_", "`", ">", "|", "#", "~", "-", ".", "&", "!["):
            yield f"{ord(sign[0]):x}-{len(sign)}{suffix}", head + sign.encode() * deep
            yield f"{ord(sign[0]):x}-{len(sign)}-spaced{suffix}", head + (sign + " a ").encode() * (deep // 4)
    yield from _bibliographies(size)
    yield from _pages(size)


def _bibliographies(size: int) -> Iterator[tuple[str, bytes]]:
    yield "open.bib", b"@article{a, title = {" + b"{" * (size // 10)
    joined = [f"@string{{s{n} = {' # '.join([f's{n - 1}'] * 10)}}}\n" for n in range(1, 12)]
    yield (
        "strings.bib",
        ('@string{s0 = "aaaaaaaaaa"}\n' + "".join(joined) + "@misc{a, title = s11, year = s11}").encode(),
    )
    yield "string-of-itself.bib", b"@string{s = s # s # s}\n@article{a, title = s # s}"
    yield "joined.bib", b"@article{a, title = " + b" # ".join([b'"a"'] * (size // 100)) + b"}"
    yield "entries.bib", b"@article{a, title={T}}\n" * (size // 1000)
    yield "authors.bib", b"@article{a, title={T}, author={" + b" and ".join([b"A B"] * (size // 100)) + b"}}"
    yield "fields.bib", b"@article{a, " + b", ".join(b"f%d = {x}" % n for n in range(size // 100)) + b"}"
    yield "accents.bib", b"@article{a, title={" + b'{\\"{' * (size // 100) + b"o" + b"}}" * (size // 100) + b"}}"
    yield "math.bib", b"@article{a, title={" + b"$x$ {$" * (size // 100) + b"}}"
    yield "tags.ris", b"TY  - JOUR\n" + b"AU  - A\n" * (size // 100) + b"ER  - \n"
    yield "long.ris", b"TY  - JOUR\nTI  - " + b"a " * (size // 3) + b"\nER  - \n"
    yield "never-ends.ris", b"TY  - JOUR\n" * (size // 100)
    yield "long.nbib", b"PMID- 1\nTI  - " + b"a " * (size // 3)
    yield "deep.json", b"[" * (size // 10)
    yield "deep-objects.json", b'{"a":' * (size // 10)
    yield "deep-closed.json", b'[{"title": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]"
    yield "number.json", b'[{"title": "T", "year": ' + b"9" * 1_000_000 + b', "DOI": 1e999999, "id": -1e-999999}]'
    yield "number.jsonl", b'{"title": "T", "year": ' + b"9" * 1_000_000 + b"}"
    yield "surrogate.json", b'[{"title": "T \\ud800 x", "abstract": "\\udc00\\ud800.", "id": "\\u0000"}]'
    yield "surrogate.jsonl", b'{"title": "T \\ud800 x", "abstract": "\\udc00\\ud800.", "id": "\\u0000"}'
    yield "nan.jsonl", b'{"title": "T", "year": NaN, "score": Infinity, "abstract": -Infinity}'
    yield "keys.json", b"[{" + b", ".join(b'"k%d": 1' % n for n in range(size // 200)) + b', "title": "T"}]'
    yield (
        "index.json",
        b'{"results": [{"id": "W1", "title": "T", "abstract_inverted_index": {"a": [999999999, -5, 0]}}]}',
    )
    yield "columns.csv", b",".join([b"title"] * (size // 100)) + b"\nx\n"
    yield "quote.csv", b'title,year\n"' + b"x,\n" * (size // 10)
    yield "rows.csv", b"title,year\n" + b",\n" * (size // 50)
    yield "field.csv", b'title,abstract\nT,"' + b"word. " * (size // 10) + b'"\n'


def _pages(size: int) -> Iterator[tuple[str, bytes]]:
    n = size // 200
    for tag in ("div", "p", "table", "b", "ul", "span", "blockquote", "sup", "section", "figure", "math", "svg", "a"):
        yield f"deep-{tag}.html", f"<html><body>{f'<{tag}>' * n}Text in it.".encode()
    yield "deep-tables.html", b"<html><body>" + b"<table><tr><td>" * (n // 3) + b"Text."
    yield "attributes.html", b"<html><body " + b" ".join(b"a%d=1" % i for i in range(n)) + b"><p>Text.</p>"
    yield "attribute.html", b"<html><body><p class='" + b"a " * (size // 4) + b"'>Text.</p>"
    yield "spans.html", b"<html><body><table><tr><td colspan=99999999 rowspan=99999999>x</table><p>Text is here."
    yield "rows.html", b"<html><body><p>Text.</p><table>" + b"<tr><td>x<td>y" * n + b"</table>"
    yield "links.html", b"<html><body><p>" + b"<a href='#r'>[1]</a> " * n + b"<ol><li id=r>Brook 1990"
    yield "meta.html", b"<html><head>" + b"<meta name=citation_author content='A B'>" * n + b"</head><body><p>Text."
    yield (
        "json-ld.html",
        b"<html><head><script type='application/ld+json'>" + b"[" * 100_000 + b"</script><body><p>Text.",
    )
    yield "entities.html", b"<html><body><p>" + b"&lt;&amp;&#0;&#xD800;&#x110000;&nosuch;" * n
    yield "script.html", b"<html><body><p>Text.</p><script>" + b"<!--<script>" * n
    yield "base.html", b"<html><head><base href='file:///etc/'></head><body><p>Text.</p><img src='passwd'>"
    head, end = b"\\documentclass{article}\\title{T}", b"\\begin{document}Text is here. "
    yield "macro-of-itself.tex", head + b"\\def\\a{\\a\\a}" + end + b"\\a"
    doubling = b"".join(b"\\def\\%c{\\%c\\%c}" % (97 + i, 98 + i, 98 + i) for i in range(24))
    yield "macro-doubling.tex", head + doubling + b"\\def\\y{lol }" + end + b"\\a"
    yield "macro-arguments.tex", head + b"\\newcommand{\\a}[1]{\\a{#1#1}}" + end + b"\\a{x}"
    yield "macro-long.tex", head + b"\\newcommand{\\a}[1]{#1#1#1#1}" + end + b"\\a{" * 30 + b"x" + b"}" * 30
    yield "macros.tex", head + b"".join(b"\\newcommand{\\m%s}{x}" % _letters(i) for i in range(n // 4)) + end
    yield "input-of-itself.tex", head + end + b"\\input{input-of-itself}"
    yield "input-outside.tex", head + end + b"\\input{/etc/passwd}\\input{../../../etc/passwd}\\include{|ls}"
    for name, piece in {
        "begin": b"\\begin{quote}",
        "item": b"\\begin{itemize}\\item ",
        "section": b"\\section{",
        "footnote": b"\\footnote{x",
        "cite": b"\\cite{",
        "frac": b"$\\frac{a}{",
        "math": b"$a$ $",
        "dollars": b"$$x",
        "verb": b"\\verb|",
        "if": b"\\iffalse ",
        "left": b"\\[\\left(",
        "table": b"\\begin{tabular}{c}a&",
        "comment": b"%\n",
        "optional": b"\\section[",
        "ref": b"\\ref{a} ",
        "group": b"{\\bf x ",
        "href": b"\\href{",
        "def": b"\\def\\x",
        "accent": b"\\'{",
        "bibitem": b"\\bibitem{a} x. ",
        "par": b"\n\nA b. ",
        "caption": b"\\begin{figure}\\caption{",
        "multi": b"\\multicolumn{99999999}{c}{x}&",
        "backslash": b"\\\\",
        "cs": b"\\unknown",
    }.items():
        yield f"many-{name}.tex", head + end + piece * (size // 1000)
        yield f"very-many-{name}.tex", head + end + piece * (size // 50 // len(piece))
    yield "cells.tex", head + end + b"\\begin{tabular}{" + b"c" * 10_000 + b"}" + b"a&" * 500_000 + b"\\end{tabular}"
    yield "star.tex", head + end + b"\\begin{tabular}{*{999999999}{c}}a&b\\end{tabular}"


def _letters(number: int) -> bytes:
    out = b""
    while number:
        number, digit = divmod(number, 26)
        out += bytes([97 + digit])
    return out or b"a"
