"""Records as databases, managers and harvesters write them: each case of `records/*.toml` is read as it says."""

import io
import tomllib
from pathlib import Path
from typing import Any

import pytest

from case_reading import assert_reads, read_papers
from conspectus.core.errors import ConspectusError
from helpers import open_library

Case = dict[str, Any]
CASES: dict[str, Case] = {
    f"{path.stem}: {case['name']}": case
    for path in sorted((Path(__file__).parent / "records").glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
}
BY_NAME = {case["name"]: case for case in CASES.values()}


def content(case: Case) -> bytes:
    """The bytes of the file; `text_of` names a case with the same text, `newline` and `encoding` how it is written."""
    text: str = case["text"] if "text" in case else BY_NAME[case["text_of"]]["text"]
    return text.replace("\n", case.get("newline", "\n")).encode(case.get("encoding", "utf-8"))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_record_is_read_as_its_case_says(tmp_path: Path, case: Case) -> None:
    """Most users begin with such a file: papers would be lost, or have the wrong names, dates or journals."""
    path = tmp_path / case["file"]
    path.write_bytes(content(case))
    if "refused" in case:
        with pytest.raises(ConspectusError, match=case["refused"]):
            read_papers(path)
    else:
        assert_reads(read_papers(path), case["papers"])


ORGANISATIONS = {
    "bibtex.bib": "@report{a, title={Dunes}, year=1999, author={{%s} and {%s}}}\n",
    "biblatex.bib": '@report{a, title="Dunes", year=1999, author="{%s} and {%s}"}\n',
    "commas.ris": "TY  - RPRT\nTI  - Dunes\nAU  - %s,\nAU  - %s,\nPY  - 1999\nER  - \n",
    "pubmed.nbib": "PMID- 1\nTI  - Dunes.\nCN  - %s\nCN  - %s\nDP  - 1999\n",
    "csl.json": '[{"type":"report","title":"Dunes","author":[{"literal":"%s"},{"literal":"%s"}]}]',
    "refer.enw": "%%0 Report\n%%T Dunes\n%%A %s,\n%%A %s,\n%%D 1999\n",
}
FIRST, SECOND = (
    "National Institute for Health and Care Excellence",
    "European Centre for Medium-Range Weather Forecasts",
)


@pytest.mark.parametrize("file", ORGANISATIONS)
def test_organisations_stay_whole(tmp_path: Path, file: str) -> None:
    """A list would name an institute by its last word, and a bibliography would give it a first name."""
    path = tmp_path / file
    path.write_text(ORGANISATIONS[file] % (FIRST, SECOND), "utf-8")
    assert_reads(read_papers(path), [{"names": [FIRST, SECOND]}])


@pytest.mark.usefixtures("quick_pool")
def test_organisations_stay_whole_in_exports(tmp_path: Path) -> None:
    """An exported bibliography would sort a group by its last word."""
    path = tmp_path / "bibtex.bib"
    path.write_text(ORGANISATIONS[path.name] % (FIRST, SECOND), "utf-8")
    written = {to: io.StringIO() for to in ("bibtex", "ris", "csl", "csv")}
    with open_library(tmp_path / "lib") as library:
        library.add([path])
        (paper,) = library.papers()
        for to, text in written.items():
            library.export(to, text)
    assert paper.byline == f"{FIRST} & {SECOND}"
    marks = {"bibtex": "{" + FIRST + "}", "ris": f"- {FIRST}", "csl": f'"literal": "{FIRST}"', "csv": FIRST}
    for to, text in written.items():
        assert marks[to] in text.getvalue().replace('":"', '": "'), to
    path.write_text(written["bibtex"].getvalue(), "utf-8")
    assert_reads(read_papers(path), [{"names": [FIRST, SECOND]}])
