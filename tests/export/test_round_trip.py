"""What is exported and read again is what it was, as far as the format can hold it."""

import tempfile
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conspectus.export.bibliography import name_parts
from conspectus.export.write import pieces
from conspectus.parse.registry import reader_for
from conspectus.parse.text.blocks import clean_abstract, clean_line
from conspectus.parse.text.plain_text import decoded, without_markup
from conspectus.records import Author, Metadata, Paper, ParsedPaper

ENDINGS = {"bibtex": ".bib", "ris": ".ris", "csl": ".json", "csv": ".csv", "jsonl": ".jsonl"}
ODD = "\\{}$%&#_^~\"'`-<>,;:=@()[]/|!?*+ äöÅéłßΩα—–“”’…中文€²₂"
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn", "Zl", "Zp"])
RAW = st.text(st.one_of(st.sampled_from(ODD), st.sampled_from("abcXYZ019 "), LETTERS), max_size=30)
LINE = RAW.map(lambda text: clean_line(unicodedata.normalize("NFC", text))).filter(
    # what a record has of LaTeX and HTML is read as what it says
    lambda text: text.count("$") < 2 and without_markup(decoded(text)) == text
)
WORDS = LINE.filter(bool)
NAMES = st.text(st.sampled_from("abcdeXYZäöéßłçÅ'-."), min_size=2, max_size=9).filter(lambda text: text.strip("'-."))
YEARS = st.integers(1000, 2026)
SUFFIXES = st.sampled_from(["", "", "Jr.", "III"])


@st.composite
def people(draw: st.DrawFn, *, exact: bool) -> Author:
    if not draw(st.booleans()):
        name = draw(WORDS if exact else NAMES)
        extra = {"orcid": "0000-0001-2345-678X", "affiliations": ("Univ. A, B", "C; D")} if exact else {}
        return Author(name, **extra)
    family, given = draw(NAMES), draw(NAMES)
    suffix = draw(SUFFIXES)
    return Author(f"{given} {family} {suffix}".strip(), family, given)


@st.composite
def metadata(draw: st.DrawFn, *, exact: bool = False) -> Metadata:
    year = draw(st.none() | YEARS)
    date = f"{year}{draw(st.sampled_from(['-03', '-12-31', '-01-05']))}" if year and draw(st.booleans()) else ""
    abstract = clean_abstract("\n\n".join(draw(st.lists(LINE, max_size=3))))
    values: dict[str, Any] = {
        "title": draw(WORDS),
        "authors": tuple(draw(st.lists(people(exact=exact), max_size=3))),
        "abstract": clean_abstract(unicodedata.normalize("NFC", abstract)),
        "year": year,
        "date": date,
        "doi": draw(st.sampled_from(["", "10.1000/abc", "10.1002/(sici)1097_a(1996)5:4<259::aid>3.0.co;2-9"])),
        "arxiv_id": draw(st.sampled_from(["", "2101.00001", "astro-ph/0601001"])),
        "pmid": draw(st.sampled_from(["", "123456"])),
        "bibcode": draw(st.sampled_from(["", "2020MNRAS.491.1234S", "2004A&A...420..183A"])),
        "venue": draw(LINE),
        "keywords": tuple(dict.fromkeys(draw(st.lists(WORDS.map(lambda word: word.replace(";", "")), max_size=3)))),
        "citation_count": draw(st.none() | st.integers(0, 10**6)),
        "references": tuple(draw(st.lists(WORDS.map(lambda word: word.replace(";", "")), max_size=2))),
        "url": draw(st.sampled_from(["", "https://example.org/a_b%20c?x=1&y=~z#t", "www.example.org"])),
        "external_id": draw(st.sampled_from(["rubin1980", "a:b-c.d", "ß_x"])),
        "extra": {
            "type": draw(st.sampled_from(["article-journal", "book", "thesis", "paper-conference", "chapter"])),
            "volume": draw(WORDS),
            "pages": draw(st.sampled_from(["1-10", "e123", "L5", "12"])),
        },
    }
    values["keywords"] = tuple(word for word in map(clean_line, values["keywords"]) if word)
    values["references"] = tuple(word for word in map(clean_line, values["references"]) if word)
    if exact:
        values["extra"] |= {"journal": "Other", "n": [1, {"a": None}], "Title": "shadow", "retracted": True}
    return Metadata(**values)


def as_paper(found: Metadata) -> Paper:
    return Paper(id="p" * 10, **{name: getattr(found, name) for name in Metadata.__dataclass_fields__})


def again(to: str, *papers: Paper, **options: Any) -> list[Metadata]:
    text = "".join(piece for _, piece in pieces(to, lambda: papers, **options))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x{ENDINGS[to]}")
        path.write_bytes(text.encode())
        items = list(reader_for(path).read(path))
    assert all(isinstance(item, ParsedPaper) for item in items), (items, text)
    return [item.metadata for item in items if isinstance(item, ParsedPaper)]


def plain_people(found: Metadata) -> Metadata:
    """Without what only some formats have of an author."""
    return replace(found, authors=tuple(replace(author, orcid="", affiliations=()) for author in found.authors))


def with_parts(found: Metadata) -> Metadata:
    """With the parts that formats for citation give a person's plain name."""
    known = zip(found.authors, map(name_parts, found.authors), strict=True)
    return replace(found, authors=tuple(replace(a, family=family, given=given) for a, (family, given, _) in known))


def without_groups(found: Metadata) -> Metadata:
    """Without the family names of organisations: a name that is nobody's in parts is one in CSL."""
    return replace(found, authors=tuple(a if a.given else replace(a, family="") for a in found.authors))


@given(found=metadata())
@example(found=Metadata(title="A---b ''c'' ``d'' --e", extra={"type": "book", "volume": "1", "pages": "2"}))
def test_bibtex(found: Metadata) -> None:
    """Lost otherwise: letters, braces or authors, each time a bibliography goes through this program."""
    (back,) = again("bibtex", as_paper(found))
    key = back.external_id if not found.external_id else found.external_id
    assert back == replace(plain_people(with_parts(found)), references=(), external_id=key)


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        (r"A $\gamma$-Ray at $10^{4}$ GeV", r"A {$\gamma$-Ray} at $10^{4}$ {GeV}"),
        (r"In $H_2 O$, of $5 and $6", r"In {$H_2 O$,} of \$5 and \$6"),
        (r"$a}{b$ and $a\{b$", r"\$a\textbraceright{}\textbraceleft{}b\$ and \$a\textbackslash{}\textbraceleft{}b\$"),
        (r"$1 %$", r"\$1 \%\$"),
        (r"US$/t and R$/t", r"{US\$/t and R\$/t}"),
        (r"GDP (US$) and price (EU$)", r"{GDP} {(US\$) and price (EU\$)}"),
        (r"$\input{x}$", r"\$\textbackslash{}input\textbraceleft{}x\textbraceright{}\$"),
    ],
)
def test_formulas_go_into_bibtex_as_they_are(title: str, printed: str) -> None:
    """A bibliography would print their source; and one that is not closed would swallow the entries behind it."""
    text = "".join(piece for _, piece in pieces("bibtex", lambda: [as_paper(Metadata(title=title))]))
    assert f"title = {{{printed}}}" in text


@given(found=metadata())
def test_ris(found: Metadata) -> None:
    """Lost otherwise: fields on the way to Zotero or EndNote and back."""
    (back,) = again("ris", as_paper(found))
    expected = replace(plain_people(with_parts(found)), references=(), bibcode="", citation_count=None)
    assert back == expected


@given(found=metadata(exact=True))
def test_csl(found: Metadata) -> None:
    """Lost otherwise: what citation processors do not need, but we do."""
    (back,) = again("csl", as_paper(found))
    assert without_groups(back) == without_groups(with_parts(found))


@given(found=metadata(exact=True))
def test_json_lines_hold_everything(found: Metadata) -> None:
    """Lost otherwise: something, when a library is carried to another machine."""
    (back,) = again("jsonl", as_paper(found))
    assert back == found


@given(found=metadata())
def test_csv(found: Metadata) -> None:
    """Lost otherwise: what was put right in a spreadsheet."""
    (back,) = again("csv", as_paper(found))
    authors = tuple(
        author if author.family and author.name.endswith(author.family) else None for author in found.authors
    )
    assert len(back.authors) == len(authors)
    assert all(mine in (None, other) for mine, other in zip(authors, back.authors, strict=True))
    assert replace(back, authors=()) == replace(found, authors=())


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("Torkel Hafting", "Hafting", "Torkel"),
        ("Edvard I. Moser", "Moser", "Edvard I."),
        ("May-Britt O'Neill", "O'Neill", "May-Britt"),
        ("The ATLAS Collaboration", "", ""),
        ("van der Berg K", "", ""),
        ("Barnes and Noble", "", ""),
        ("Team 17", "", ""),
        ("Plato", "", ""),
    ],
)
def test_a_plain_name_gets_its_parts(name: str, family: str, given: str) -> None:
    """Lost otherwise: a bibliography sorted by first names, or an organisation taken for a person."""
    assert name_parts(Author(name))[:2] == (family, given)


@pytest.mark.parametrize("to", sorted(ENDINGS))
@pytest.mark.parametrize("name", ["World Health Organization", "Ministry of Roofs, Moss and Slate", "Roof and Sons"])
def test_organisations_stay_whole(to: str, name: str) -> None:
    """Lost otherwise: an organisation, which comes out as a person whose family name is Organization."""
    organisation, person = Author(name, name), Author("Ada Lund", "Lund", "Ada")
    for authors in ((organisation,), (person, organisation), (organisation, organisation)):
        (back,) = again(to, as_paper(Metadata(title="T", authors=authors, external_id="k")))
        assert back.authors == authors


def test_organisations_as_each_format_writes_them() -> None:
    """Lost otherwise: the same in the program that reads the export."""
    paper = as_paper(Metadata(title="T", authors=(Author("World Health Organization", "World Health Organization"),)))
    written = {to: "".join(piece for _, piece in pieces(to, lambda: [paper])) for to in ENDINGS}
    assert "author = {{World Health Organization}}" in written["bibtex"]
    assert "AU  - World Health Organization\n" in written["ris"]
    assert '"author":[{"literal":"World Health Organization"}]' in written["csl"].replace(": ", ":")
    assert ",World Health Organization," in written["csv"]


@pytest.mark.parametrize("to", sorted(ENDINGS))
def test_many_papers_keep_their_order(to: str) -> None:
    """Lost otherwise: all papers but the first, or the key of one of two that share it."""
    papers = [as_paper(Metadata(title=f"Paper {n}", external_id=f"k{n}")) for n in range(5)]
    assert [found.title for found in again(to, *papers)] == [f"Paper {n}" for n in range(5)]
    text = "".join(piece for _, piece in pieces(to, lambda: []))
    assert text.strip() == {"csl": "[]", "csv": text.strip()}.get(to, "")


def test_editors_are_exported_as_people() -> None:
    """Lost otherwise: the order and initials of editors in bibliographies; in braces they count as organisations."""
    paper = as_paper(Metadata(title="Sea ice", extra={"editor": ["Eva Müller", "Pat O'Hara"]}))
    bibtex, ris = ("".join(piece for _, piece in pieces(to, lambda: (paper,))) for to in ("bibtex", "ris"))
    assert "editor = {Müller, Eva and O'Hara, Pat}" in bibtex
    assert "ED  - Müller, Eva\nED  - O'Hara, Pat" in ris
