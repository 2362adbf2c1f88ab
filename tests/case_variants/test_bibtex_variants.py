"""BibTeX and biblatex as managers write it: dates, keys, names, HTML, accents, and organisations in all formats."""

from __future__ import annotations

import io
import unicodedata
from pathlib import Path

import pytest

from case_reading import names, read_papers
from conspectus.records import ParsedPaper
from helpers import open_library


def read(folder: Path, text: str, file: str = "list.bib") -> list[ParsedPaper]:
    path = folder / file
    path.write_text(text, "utf-8")
    return read_papers(path)


def entry(fields: str) -> str:
    return "@article{key1,\n  title = {Dunes of the north},\n  author = {Berg, Ida},\n  " + fields + "\n}\n"


DATES = {
    "month as a number": ("year = {2003}, month = {06}", 2003, {"2003-06"}),
    "month without braces": ("year = 2003, month = 11", 2003, {"2003-11"}),
    "month as a macro": ("year = 2003, month = jun", 2003, {"2003-06"}),
    "month in words": ("year = {2003}, month = {September}", 2003, {"2003-09"}),
    "month with a stop": ("year = {2003}, month = {Sept.}", 2003, {"2003-09"}),
    "month in quotes": ('year = "2003", month = "3"', 2003, {"2003-03"}),
    "day before the month": ('year = 2003, month = "10~" # jan', 2003, {"2003-01-10"}),
    "month and day": ("year = {2003}, month = {6}, day = {21}", 2003, {"2003-06-21"}),
    "no month of the year": ("year = {2003}, month = {13}", 2003, {"2003", ""}),
    "a letter": ("year = {2005a}", 2005, {"2005", ""}),
    "copyright": ("year = {c1999}", 1999, {"1999", ""}),
    "copyright sign": ("year = {\\copyright 1999}", 1999, {"1999", ""}),
    "month in the year": ("year = {January 1978}", 1978, {"1978-01", "1978", ""}),
    "brackets": ("year = {[1985]}", 1985, {"1985", ""}),
    "about": ("year = {ca. 1850}", 1850, {"1850", ""}),
    "spaces": ("year = { 2001 }", 2001, {"2001", ""}),
    "two years": ("year = {1998/1999}", 1998, {"1998", "1998/1999", ""}),
    "not yet": ("year = {in press}", None, {""}),
    "biblatex": ("date = {2003-06}", 2003, {"2003-06"}),
    "biblatex, a range": ("date = {2003-06-01/2003-06-04}", 2003, {"2003-06-01", "2003-06", "2003"}),
    "biblatex, roughly": ("date = {1850~}", 1850, {"1850", ""}),
}


@pytest.mark.parametrize(("fields", "year", "dates"), DATES.values(), ids=DATES)
def test_years_and_months(tmp_path: Path, fields: str, year: int | None, dates: set[str]) -> None:
    """A paper would be dated to a day that nobody gave, or have no year."""
    (paper,) = read(tmp_path, entry(fields))
    assert paper.metadata.year == year and paper.metadata.date in dates


NO_KEYS = {
    "no key, no comma": "@book{\n title={Dunes},\n author={Berg, Ida},\n year=1999\n}\n",
    "no key, a comma": "@misc{,\n  title = {Dunes},\n  author = {Berg, Ida},\n  year = {1999},\n}\n",
    "no key, one line": '@article{title="Dunes", author="Berg, Ida", year=1999}\n',
    "no key, brackets": "@article(\n title={Dunes},\n author={Berg, Ida},\n year=1999\n)\n",
    "a key with spaces": "@article{Berg 1999 dunes,\n title={Dunes},\n author={Berg, Ida},\n year=1999\n}\n",
    "a key with a quote": "@article{o'berg:1999+a,\n title={Dunes},\n author={Berg, Ida},\n year=1999\n}\n",
    "a key of another script": "@article{берг1999,\n title={Dunes},\n author={Berg, Ida},\n year=1999\n}\n",
}


@pytest.mark.parametrize("text", NO_KEYS.values(), ids=NO_KEYS)
def test_entries_with_odd_keys_or_none(tmp_path: Path, text: str) -> None:
    """An entry would be lost, or swallow the next one."""
    after = "@article{next,\n title={Next},\n year=2000\n}\n"
    papers = read(tmp_path, after.replace("ext", "eighbour") + text + after)
    assert [paper.metadata.title for paper in papers] == ["Neighbour", "Dunes", "Next"]
    assert (names(papers[1]), papers[1].metadata.year) == (["Ida Berg"], 1999)


PEOPLE = {
    "prefix and useprefix": (
        "given=Jean, prefix=de la, useprefix=true, family=Fontaine and Berg, Ida",
        ["Jean de la Fontaine", "Ida Berg"],
    ),
    "suffix": ("family=King, given=Martin Luther, suffix=Jr", ["Martin Luther King Jr"]),
    "suffix, initials": ("family=King, given=Martin Luther, given-i={ML}, suffix=Jr", ["Martin Luther King Jr"]),
    "quotes and braces": ('given={Hans Christian}, family={"Andersen}'.replace('"', ""), ["Hans Christian Andersen"]),
    "all extended": ("family=Li, given=Wei and family=Berg, given=Ida", ["Wei Li", "Ida Berg"]),
    "semicolons": ("Berg, Ida; Li, Wei; Novak, Jan", ["Ida Berg", "Wei Li", "Jan Novak"]),
    "semicolons and and": ("Berg, Ida; Li, Wei and Novak, Jan", ["Ida Berg", "Wei Li", "Jan Novak"]),
    "an organisation with and": (
        "{Institute of Dunes and Beaches} and Berg, Ida",
        ["Institute of Dunes and Beaches", "Ida Berg"],
    ),
    "an organisation with a semicolon": ("{Dunes; Beaches Ltd.}", ["Dunes; Beaches Ltd."]),
    "and others": ("Berg, Ida and Li, Wei and others", ["Ida Berg", "Wei Li"]),
    "suffix in three parts": ("King, Jr., Martin Luther", ["Martin Luther King Jr."]),
    "particles": ("van der Berg, Ida and de la Cruz, Ana", ["Ida van der Berg", "Ana de la Cruz"]),
}


@pytest.mark.parametrize(("text", "people"), PEOPLE.values(), ids=PEOPLE)
def test_names_of_people(tmp_path: Path, text: str, people: list[str]) -> None:
    """Several people would become one, or a keyword would become part of a name."""
    (paper,) = read(tmp_path, "@article{a, title={Dunes}, year=1999, author={" + text + "}}\n")
    assert [name.replace(",", "").rstrip(".") for name in names(paper)] == [
        name.replace(",", "").rstrip(".") for name in people
    ]


TITLES = {
    "sup": ("Dating dunes by <sup>14</sup>C", "Dating dunes by 14C"),
    "entities": ("Dunes &amp; beaches: &alpha; and &#946; sands", "Dunes & beaches: α and β sands"),
    "escaped twice": ("Sand of &lt;i&gt;Ammophila&lt;/i&gt; dunes", "Sand of Ammophila dunes"),
    "small capitals": ("The <scp>D</scp>-form of <span class='nocase'>quartz</span>", "The D-form of quartz"),
    "bold and line break": ("Dunes<br/>in <b>wind</b>", "Dunes in wind"),
    "comparison": ("Dunes where width < 5 m and height > 2 m", "Dunes where width < 5 m and height > 2 m"),
    "escaped ampersand": ("Dunes \\& beaches", "Dunes & beaches"),
    "mathematics": ("Dunes for $a<b$ and $c>d$", "Dunes for $a<b$ and $c>d$"),
    "markup of LaTeX": ("The \\emph{Ammophila} dunes of {\\bf Rømø}", "The Ammophila dunes of Rømø"),
}


@pytest.mark.parametrize(("written", "title"), TITLES.values(), ids=TITLES)
def test_titles_without_markup(tmp_path: Path, written: str, title: str) -> None:
    """A title would show tags, or lose what stands between two signs of comparison."""
    (paper,) = read(tmp_path, "@article{a, title={" + written + "}, year=1999}\n")
    assert paper.metadata.title.replace("$", "") == title.replace("$", "")


ACCENTS = {
    r"Ph{\d{a}}m, H{\h{u}}u": "Hủu Phạm",
    r"Nguy{\~{\^e}}n, Th{\d i}": "Thị Nguyễn",
    r"Tr{\h{\^a}}n, An": "An Trẩn",
    r"{\DJ}or{\dj}evi{\'c}, Ana": "Ana Đorđević",
    r"Wa{\l}{\k e}sa, J{\'o}zef": "Józef Wałęsa",
    r"Erd{\H o}s, P{\'a}l": "Pál Erdős",
    r"\c{S}ahin, {\.I}lk{\i}m": "İlkım Şahin",
    r"{\AA}str{\"o}m, {\v Z}ana": "Žana Åström",
    r"V{\=a}lm{\=\i}ki, {\b h}ari": "ẖari Vālmīki",
    r"Mu{\~n}oz, {\oe}uvre {\ss}": "œuvre ß Muñoz",
}


@pytest.mark.parametrize(("written", "name"), ACCENTS.items(), ids=[ascii(name) for name in ACCENTS.values()])
def test_letters_with_marks(tmp_path: Path, written: str, name: str) -> None:
    """An author's name would lose a letter or gain one."""
    (paper,) = read(tmp_path, "@article{a, title={Dunes}, year=1999, author={" + written + "}}\n")
    assert names(paper) == [unicodedata.normalize("NFC", name)]


WHO, ECMWF, NICE = (
    "World Health Organization",
    "European Centre for Medium-Range Weather Forecasts",
    "National Institute for Health and Care Excellence",
)
ORGANISATIONS = {
    "bibtex.bib": "@report{a, title={Dunes}, year=1999, author={{%s} and {%s}}}\n",
    "biblatex.bib": '@report{a, title="Dunes", year=1999, author="{%s} and {%s}"}\n',
    "commas.ris": "TY  - RPRT\nTI  - Dunes\nAU  - %s,\nAU  - %s,\nPY  - 1999\nER  - \n",
    "pubmed.nbib": "PMID- 1\nTI  - Dunes.\nCN  - %s\nCN  - %s\nDP  - 1999\n",
    "csl.json": '[{"type":"report","title":"Dunes","author":[{"literal":"%s"},{"literal":"%s"}]}]',
    "refer.enw": "%%0 Report\n%%T Dunes\n%%A %s,\n%%A %s,\n%%D 1999\n",
}


@pytest.mark.usefixtures("quick_pool")
@pytest.mark.parametrize("first", [WHO, ECMWF, NICE])
@pytest.mark.parametrize("file", ORGANISATIONS)
def test_organisations_stay_whole(tmp_path: Path, file: str, first: str) -> None:
    """A list would name an institute by its last word, and a bibliography would give it a first name."""
    path = tmp_path / file
    path.write_text(ORGANISATIONS[file] % (first, "Max Planck Society"), "utf-8")
    written: dict[str, str] = {}
    with open_library(tmp_path / "lib") as library:
        library.add([path])
        (paper,) = library.papers()
        for to in ("bibtex", "ris", "csl", "csv"):
            text = io.StringIO()
            library.export(to, text)
            written[to] = text.getvalue()
    assert [author.name for author in paper.authors] == [first, "Max Planck Society"]
    assert paper.byline == f"{first} & Max Planck Society"
    assert "{" + first + "}" in written["bibtex"]
    assert f"- {first}" in written["ris"] and f'"literal": "{first}"' in written["csl"].replace('":"', '": "')
    assert first in written["csv"]
    again = tmp_path / "again.bib"
    again.write_text(written["bibtex"], "utf-8")
    assert [author.name for author in read_papers(again)[0].metadata.authors] == [first, "Max Planck Society"]
