"""References in the styles of journals: as the style wants them, with nothing of a paper taken for markup."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from conspectus import Library
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.export import formats
from conspectus.export.formats import STYLES
from conspectus.export.formatted_references import format_references
from conspectus.records import Author, Paper
from conspectus.records.events import Progress
from conspectus.records.paper import PaperFile
from helpers import open_library, write_jsonl


def people(*names: str) -> tuple[Author, ...]:
    return tuple(Author(name, family, given) for name in names for given, _, family in [name.rpartition(" ")])


GRID = Paper(
    id="grid",
    title="Microstructure of a spatial map in the entorhinal cortex",
    venue="Nature",
    authors=people("Torkel Hafting", "Marianne Fyhn", "May-Britt Moser"),
    year=2005,
    date="2005-08-11",
    doi="10.1038/nature03721",
    extra={"type": "article-journal", "volume": "436", "number": "7052", "pages": "801-806"},
)
PREPRINT = Paper(
    id="preprint",
    title="Are grid cells hexagonal?",
    authors=people("Ada Abel"),
    year=2017,
    arxiv_id="1706.03762",
)
REPORT = Paper(
    id="report",
    title="Cells & <b>lattices</b>",
    authors=(Author("World Health Organization"),),
    year=2020,
    extra={"type": "report", "publisher": "WHO"},
)
EXPECTED = {
    "apa": (
        "Hafting, T., Fyhn, M., & Moser, M.-B. (2005). Microstructure of a spatial map in the entorhinal cortex. "
        "Nature, 436(7052), 801–806. https://doi.org/10.1038/nature03721",
        "(Hafting et al., 2005)",
    ),
    "vancouver": (
        "1. Hafting T, Fyhn M, Moser MB. Microstructure of a spatial map in the entorhinal cortex. Nature. 2005 Aug "
        "11;436(7052):801–6. doi:10.1038/nature03721",
        "(1)",
    ),
    "ieee": (
        "[1] T. Hafting, M. Fyhn, and M.-B. Moser, “Microstructure of a spatial map in the entorhinal cortex,” Nature, "
        "vol. 436, no. 7052, pp. 801–806, Aug. 2005, doi: 10.1038/nature03721.",
        "[1]",
    ),
    "nature": (
        "1. Hafting, T., Fyhn, M. & Moser, M.-B. Microstructure of a spatial map in the entorhinal cortex. Nature 436, "
        "801–806 (2005).",
        "1",
    ),
    "chicago": (
        "Hafting, Torkel, Marianne Fyhn, and May-Britt Moser. 2005. “Microstructure of a Spatial Map in the Entorhinal "
        "Cortex.” Nature 436 (7052): 801–6. https://doi.org/10.1038/nature03721.",
        "(Hafting et al. 2005)",
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_a_reference_is_as_the_style_wants_it(style: str) -> None:
    """It would have to be written by hand again."""
    (made,) = format_references([GRID], style)
    assert (made.text, made.mark) == EXPECTED[style]


def test_references_come_in_the_order_of_the_style() -> None:
    """APA sorts by names, and numbers count as papers are cited."""
    papers = [REPORT, GRID, PREPRINT]
    assert [one.paper for one in format_references(papers, "apa")] == ["preprint", "grid", "report"]
    assert [one.mark for one in format_references(papers, "ieee")] == ["[1]", "[2]", "[3]"]


def test_a_preprint_is_of_its_server_and_a_question_has_no_full_stop() -> None:
    """Two signs in a row are a mistake in print."""
    (made,) = format_references([PREPRINT], "apa")
    assert made.text == (
        "Abel, A. (2017). Are grid cells hexagonal? (arXiv:1706.03762). arXiv. https://arxiv.org/abs/1706.03762"
    )
    (made,) = format_references([replace(GRID, title=PREPRINT.title)], "chicago")
    assert "“Are Grid Cells Hexagonal?” Nature" in made.text


@pytest.mark.parametrize("style", STYLES)
def test_nothing_of_a_paper_is_markup(style: str) -> None:
    """A title from a stranger's file would run in the page."""
    bad = "<script>x()</script> & <i onclick='y()'>"
    paper = Paper(id="bad", title=bad, venue=bad, authors=(Author(bad, bad, bad),), year=2000, doi=f"10.1/{bad}")
    (made,) = format_references([paper], style)
    assert "<script" not in made.html.lower()
    assert "<i on" not in made.html.lower()
    assert "&lt;script&gt;" in made.html.lower()
    assert "<script>x()</script> &" in made.text.lower()


def test_styles_of_journals_and_own_files(tmp_path: Path) -> None:
    """A style that is not among the five is as good."""
    (made,) = format_references([GRID], "physical-review-d")
    assert made.text.endswith("Nature 436, 801 (2005).")
    (dependent,) = format_references([GRID], "nature-digest")
    assert dependent.text == EXPECTED["nature"][0]
    own = tmp_path / "own.csl"
    own.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0"><info/><citation><layout>'
        '<text variable="title"/></layout></citation><bibliography><layout suffix="!"><text variable="title"/>'
        "</layout></bibliography></style>"
    )
    assert format_references([GRID], own)[0].text == f"{GRID.title}!"


@pytest.mark.parametrize("style", ["nowhere", "../apa", "/etc/passwd", "", "APA", "apa.csl"])
def test_a_style_that_is_not_there_is_named(style: str) -> None:
    """And no file of the machine is read for a name."""
    with pytest.raises(NotFoundError, match="There is no style"):
        format_references([GRID], style)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no XML",
        "<style/>",
        '<style xmlns="http://purl.org/net/xbiblio/csl"/>',
        '<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]><style xmlns="http://purl.org/net/xbiblio/csl">&a;</style>',
        '<style xmlns="http://purl.org/net/xbiblio/csl"><macro name="a"><text macro="a"/></macro><citation><layout>'
        '<text macro="a"/></layout></citation><bibliography><layout><text macro="a"/></layout></bibliography></style>',
    ],
)
def test_a_broken_style_is_an_error_of_that_style(text: str, tmp_path: Path) -> None:
    """Styles come from strangers, too."""
    own = tmp_path / "own.csl"
    own.write_text(text)
    with pytest.raises(InputError, match=r"own\.csl"):
        format_references([GRID], own)
    with pytest.raises(InputError, match=r"none\.csl"):
        format_references([GRID], tmp_path / "none.csl")


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Library:
    record = {
        "title": GRID.title,
        "year": 2005,
        "authors": ["Hafting, Torkel"],
        "venue": "Nature",
        "abstract": "Cells.",
    }
    library = open_library(tmp_path / "lib")
    library.add(write_jsonl(tmp_path / "a.jsonl", [record]))
    return library


def test_an_export_in_a_style(library: Library, tmp_path: Path) -> None:
    """What a manuscript needs is one file."""
    with library:
        assert library.export("nature", tmp_path / "refs.txt") == 1
        assert library.export("style:physical-review-d", tmp_path / "prd.txt") == 1
    assert (tmp_path / "refs.txt").read_text() == f"1. Hafting, T. {GRID.title}. Nature (2005).\n\n"
    assert (tmp_path / "prd.txt").read_text().startswith("[1] T. Hafting, ")


KINDS = {
    "article": {"venue": "A Journal", "extra": {"type": "article-journal", "volume": "3"}},
    "preprint": {"arxiv_id": "2001.01234"},
    "preprint elsewhere": {"extra": {"type": "preprint", "publisher": "bioRxiv"}},
    "chapter": {"venue": "A Book", "extra": {"type": "chapter", "publisher": "Press", "pages": "1-9"}},
    "dataset": {"extra": {"type": "dataset", "publisher": "Zenodo"}},
    "report": {"extra": {"type": "report", "publisher": "WHO"}},
    "page": {"extra": {"type": "webpage"}},
}
ADDRESSES = ("", "https://doi.org/{}", "http://dx.doi.org/{}", "https://press.example.org/content/{}.full.pdf")


@pytest.mark.parametrize("doi", ["10.1234/abc.5678", "10.1002/(sici)1096-8644(1996)99:1<1::aid-ajpa1>3.0.co;2-1"])
@pytest.mark.parametrize("style", STYLES)
def test_no_doi_stands_twice(style: str, doi: str) -> None:
    """`Available from: https://doi.org/10… doi:10…` would have to be cut by hand in each reference."""
    works = [
        Paper(id=f"{kind}{number}", title="A work", authors=people("Ada Abel"), year=2020, doi=doi, **fields)
        for kind, fields in KINDS.items()
        for number, url in enumerate(ADDRESSES)
        for fields in [{**fields, "url": url.format(quote(doi.upper(), safe="/"))}]
    ]
    for made in format_references(works, style):
        assert unquote(made.text).lower().count(doi) <= 1, made.text
        assert unquote(made.mark).lower().count(doi) <= 1, made.mark


def test_an_address_that_is_no_doi_stays(tmp_path: Path) -> None:
    """A style that prints only addresses would lose the only way to a work; another address is lost next to a DOI."""
    style = tmp_path / "address.csl"
    style.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text"><info><title>A</title></info>'
        '<citation><layout><text variable="title"/></layout></citation><bibliography><layout>'
        '<text variable="title" suffix=" "/><text variable="URL" prefix="&lt;" suffix="&gt;"/></layout></bibliography>'
        "</style>"
    )
    (made,) = format_references([replace(GRID, url=f"https://doi.org/{GRID.doi}")], style)
    assert made.text.endswith(f" <https://doi.org/{GRID.doi}>")
    assert made.html.endswith(f" &lt;https://doi.org/{GRID.doi}&gt;")
    (made,) = format_references([replace(REPORT, doi="10.1/x", url="https://example.org/a")], "vancouver")
    assert made.text.endswith("Available from: https://example.org/a doi:10.1/x")


@pytest.mark.parametrize("style", ["oceanography", "current-organic-synthesis", "la-trobe-university-harvard"])
def test_styles_that_citeproc_py_alone_fails_at(style: str) -> None:
    """Journals whose styles change the case of names, or write addresses in `<>`, would have no references."""
    for made in format_references([GRID, PREPRINT, REPORT, replace(GRID, id="b", url="https://example.org/a")], style):
        assert made.text and made.html.count("<") == made.html.count(">")


def test_a_paper_without_metadata_is_named_by_its_file() -> None:
    """Its reference would be `(n.d.).`, and nobody could tell which of a thousand files it is."""
    bare = Paper(id="bare", files=(PaperFile("/papers/scan 7.pdf", "0" * 64),))
    assert "scan 7.pdf" in format_references([bare])[0].text


def test_an_export_of_many_shows_how_far_it_is(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """References of 20,000 papers were a minute without a sign of life."""
    monkeypatch.setattr(formats, "MANY", 1)
    seen: list[Progress] = []
    with listen(seen.append, Progress):
        library.export("apa", tmp_path / "references.txt")
    assert [(one.stage, one.done, one.total) for one in seen] == [("sorting", 1, 1), ("exporting", 1, 1)]


def test_particles_belong_to_the_family_name() -> None:
    """ "Zande, A. M. van der" is nobody's name."""
    paper = replace(GRID, authors=(Author("Arend M. van der Zande"), Author("Charles de Gaulle")))
    (made,) = format_references([paper], "apa")
    assert made.text.startswith("van der Zande, A. M., & de Gaulle, C. (2005).")


@pytest.mark.parametrize(
    ("pages", "style", "printed"),
    [
        ("801-806", "vancouver", "801–6"),
        ("1-11", "vancouver", "1–11"),
        ("145-145", "vancouver", "145–145"),
        ("1201-13", "vancouver", "1201–13"),
        ("96-117", "chicago", "96–117"),
        ("100-104", "chicago", "100–104"),
        ("321-328", "chicago", "321–28"),
        ("107-108", "chicago", "107–8"),
        ("e1000123", "vancouver", "e1000123"),
    ],
)
def test_a_range_of_pages_is_as_short_as_the_style_wants(pages: str, style: str, printed: str) -> None:
    """Cut too short, a page is lost."""
    (made,) = format_references([replace(GRID, extra=dict(GRID.extra) | {"pages": pages})], style)
    assert f"{printed}." in made.text


def test_a_style_that_would_never_end_is_refused(tmp_path: Path) -> None:
    """A small file from a stranger would keep the program busy for years."""
    macros = "".join(f'<macro name="m{n}"><text macro="m{n + 1}"/><text macro="m{n + 1}"/></macro>' for n in range(40))
    layout = '<layout><text macro="m0"/></layout>'
    own = tmp_path / "own.csl"
    own.write_text(
        f'<style xmlns="http://purl.org/net/xbiblio/csl">{macros}<macro name="m40"><text variable="title"/></macro>'
        f"<citation>{layout}</citation><bibliography>{layout}</bibliography></style>"
    )
    with pytest.raises(InputError, match="too often"):
        format_references([GRID], own)


@pytest.mark.parametrize("name", ["catalog.sqlite", "index/x.svg", "catalog.sqlite-wal", "online/a.txt"])
def test_an_export_never_writes_over_the_library(library: Library, name: str) -> None:
    """One wrong word would cost all papers."""
    with library:
        target = library.session.folder / name
        target.parent.mkdir(exist_ok=True)
        with pytest.raises(UsageError, match="belongs to the library"):
            library.export("apa", target)
        assert library.papers is not None and len([*library.papers()]) == 1


def test_lookups_do_not_grow_with_the_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The references of 20,000 papers took ten minutes: each macro of the style was searched for each of them."""
    from lxml import etree

    searches = []
    search = etree.ElementBase.xpath
    format_references([GRID])  # loads citeproc-py
    from citeproc.model import CitationStylesElement

    def count(element: etree.ElementBase, *given: object, **named: object) -> object:
        searches.append(given)
        return search(element, *given, **named)

    monkeypatch.setattr(CitationStylesElement, "xpath", count, raising=False)
    numbers = []
    for most in (5, 50):
        searches.clear()
        format_references([replace(GRID, id=f"p{n}", title=f"Work {n}") for n in range(most)])
        numbers.append(len(searches))
    assert numbers[0] == numbers[1] > 0
