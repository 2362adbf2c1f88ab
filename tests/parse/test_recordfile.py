"""Record files: a million abstracts come in this way, and some of them are always broken."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.bibliography.records import read_json_lines
from conspectus.parse.bibliography.table import read_table
from conspectus.parse.protocol import BadRecord, Item
from conspectus.records import Author, ParsedPaper
from growth import Steep


def test_what_a_browser_does_not_show_is_no_text(tmp_path: Path) -> None:
    """A script in an abstract would be quoted as a sentence of the paper."""
    abstract = "Graphene is strong.<script>document.title='x'</script> <i>Very</i> strong.<style>p {}</style>"
    (paper,) = json_lines(tmp_path, {"title": "Graphene", "abstract": abstract})
    assert isinstance(paper, ParsedPaper)
    assert " ".join(paper.metadata.abstract.split()) == "Graphene is strong. Very strong."


def json_lines(tmp_path: Path, *records: Any, name: str = "r.jsonl") -> list[Item]:
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    path = tmp_path / name
    data = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return list(read_json_lines(path))


def table(tmp_path: Path, data: bytes | str, name: str = "r.csv") -> list[Item]:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return list(read_table(path))


def good(items: Sequence[Item]) -> ParsedPaper:
    (item,) = items
    assert isinstance(item, ParsedPaper), item
    return item


def bad(items: Sequence[Item]) -> list[BadRecord]:
    return [item for item in items if isinstance(item, BadRecord)]


FULL = {
    "id": 7,
    "Title": " On\n cats ",
    "abstract": "## Aims We ask why. ## Results Cats sleep.\n\n# End\nThey do.",
    "authors": ["Lee, Ann B.", {"family": "Roe", "given": "Bo", "orcid": "https://orcid.org/0000-0001-2345-678x"}, ""],
    "date": "2019-3-07T10:00:00Z",
    "doi": "https://doi.org/10.48550/arXiv.1903.00001",
    "pmid": 123,
    "journal": "Cats",
    "keywords": "sleep; cats;",
    "citation_count": "12",
    "references": ["10.1000/a", {"title": "Dogs"}, 5],
    "url": "https://example.org",
    "Paws": {"n": 4, "big": 2**70},
}


def test_every_field_arrives(tmp_path: Path) -> None:
    """Lost otherwise: filters by year, author or venue, and citations."""
    paper = good(json_lines(tmp_path, FULL))
    data = paper.metadata
    assert (data.external_id, data.title, data.year, data.date) == ("7", "On cats", 2019, "2019-03-07")
    assert data.authors == (
        Author("Ann B. Lee", "Lee", "Ann B."),
        Author("Bo Roe", "Roe", "Bo", "0000-0001-2345-678X"),
    )
    assert (data.doi, data.arxiv_id, data.pmid) == ("10.48550/arxiv.1903.00001", "1903.00001", "123")
    assert (data.venue, data.keywords, data.citation_count) == ("Cats", ("sleep", "cats"), 12)
    assert data.references == ("10.1000/a", "Dogs", "5")
    assert data.extra == {"Paws": {"n": 4, "big": str(2**70)}}
    (block,) = paper.blocks
    assert (block.kind, block.text) == ("abstract", "Aims We ask why. Results Cats sleep.\n\nEnd They do.")
    assert len(block.sentences) == 3
    assert not paper.has_full_text
    assert not paper.warnings


def test_the_proper_name_goes_before_its_synonym(tmp_path: Path) -> None:
    """Lost otherwise: one of the two, silently."""
    data = good(json_lines(tmp_path, {"title": "T", "venue": "A", "journal": "B"})).metadata
    assert (data.venue, data.extra) == ("A", {"journal": "B"})


def test_an_id_that_is_an_identifier_counts(tmp_path: Path) -> None:
    """Lost otherwise: that a record and a PDF are the same paper."""
    data = good(json_lines(tmp_path, {"id": "arXiv:cond-mat/9306039", "title": "T", "doi": "10.1000/X"})).metadata
    assert (data.external_id, data.arxiv_id, data.doi) == ("arXiv:cond-mat/9306039", "cond-mat/9306039", "10.1000/x")
    assert good(json_lines(tmp_path, {"id": "10.1000/X", "title": "T"})).metadata.doi == "10.1000/x"


def test_full_text_is_read_as_markdown(tmp_path: Path) -> None:
    """Lost otherwise: everything beyond the abstract."""
    text = "# T\n\n## Methods\n\nWe watched.\n\n## References\n\n- Lee A.\n"
    paper = good(json_lines(tmp_path, {"title": "T", "abstract": "Cats.", "text": text}))
    assert [(b.kind, b.text) for b in paper.blocks] == [
        ("abstract", "Cats."),
        ("heading", "Methods"),
        ("paragraph", "We watched."),
        ("heading", "References"),
        ("reference", "Lee A."),
    ]
    assert paper.metadata.references == ("Lee A.",)
    twice = good(
        json_lines(tmp_path, {"title": "T", "abstract": "Cats.", "text": "# Abstract\n\nCats.\n\n# Rest\n\nX."})
    )
    assert [b.kind for b in twice.blocks].count("abstract") == 1


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('{"title": "T"', "valid JSON"),
        ("[1]x", "valid JSON"),
        ("[" * 5000, "valid JSON"),
        ('"text"', "not a JSON object"),
        ({"id": 1}, "neither a title nor an abstract"),
        ({"title": " ", "abstract": None}, "neither a title nor an abstract"),
        ({"title": ["T"]}, "'title' must be text, not a list"),
        ({"title": True}, "'title' must be text, not true or false"),
        ({"title": "T", "authors": 5}, "'authors'"),
        ({"title": "T", "authors": [["Ann"]]}, "'authors'"),
        ({"title": "T", "year": [2001]}, "'year' must be a number, not a list"),
        ({"title": "T", "keywords": {"a": 1}}, "'keywords'"),
        ({"title": "T", "references": [["a"]]}, "'references'"),
        ({"title": "T", "text": 5}, "'text'"),
        ({"title": "T", "citation_count": {}}, "'citation_count'"),
    ],
)
def test_a_bad_record_is_named_and_the_file_goes_on(tmp_path: Path, record: Any, reason: str) -> None:
    """Lost otherwise: all records after the bad one, or the knowledge which it was."""
    first, wrong, last = json_lines(tmp_path, {"title": "A"}, record, {"title": "B"})
    assert isinstance(first, ParsedPaper)
    assert isinstance(last, ParsedPaper)
    assert isinstance(wrong, BadRecord)
    assert wrong.where == "line 2"
    assert reason in wrong.reason


@pytest.mark.parametrize(
    ("field", "value", "warning"),
    [
        ("year", 20199, "The year 20199"),
        ("year", "n.d.", "The year 'n.d.'"),
        ("date", "2019-13-40", "The date '2019-13-40'"),
        ("doi", "unknown", "'unknown' is not a DOI"),
        ("pmid", "PMC5", "'PMC5' is not a PubMed identifier"),
        ("citation_count", -1, "The citation count '-1'"),
    ],
)
def test_what_cannot_be_right_is_left_out_and_said(tmp_path: Path, field: str, value: Any, warning: str) -> None:
    """Lost otherwise: the paper for the sake of its year; or trust in a year that cannot be."""
    paper = good(json_lines(tmp_path, {"title": "T", field: value}))
    assert not getattr(paper.metadata, field)
    assert paper.warnings[0].startswith(warning)


@pytest.mark.parametrize(
    ("value", "year", "date"), [("2019", 2019, ""), (2019.0, 2019, ""), ("2019-05", 2019, "2019-05")]
)
def test_years_in_other_clothes(tmp_path: Path, value: Any, year: int, date: str) -> None:
    """Lost otherwise: the filter by year for data sets that write it as text."""
    data = good(json_lines(tmp_path, {"title": "T", "year": value})).metadata
    assert (data.year, data.date) == (year, date)


def test_authors_as_text(tmp_path: Path) -> None:
    """Lost otherwise: authors, run together to one."""

    def names(text: str) -> list[str]:
        return [a.name for a in good(json_lines(tmp_path, {"title": "T", "authors": text})).metadata.authors]

    assert names("Lee, Ann; Bo Roe; ") == ["Ann Lee", "Bo Roe"]
    assert names("Ann Lee, Bo Roe, Cy Poe") == ["Ann Lee", "Bo Roe", "Cy Poe"]
    assert names("van der Lee, Ann Maria") == ["Ann Maria van der Lee"]
    assert names("Ann Lee, Jr.") == ["Ann Lee, Jr."]


def test_what_programs_write_for_a_missing_value_is_none(tmp_path: Path) -> None:
    """A library would have hundreds of papers by "nan nan" in the journal "nan"."""
    record = {"title": "T", "authors": ["Nan, Li", "nan, nan", "nan"], "journal": "nan", "year": "nan", "note": "nan"}
    metadata = good(json_lines(tmp_path, record | {"abstract": "nan", "doi": "nan"})).metadata
    assert [author.name for author in metadata.authors] == ["Li Nan"]
    assert (metadata.venue, metadata.year, metadata.abstract, metadata.doi) == ("", None, "", "")
    assert not metadata.extra


def test_compressed_files_and_marks_are_read(tmp_path: Path) -> None:
    """Lost otherwise: the form in which most data sets are handed on."""
    assert good(json_lines(tmp_path, {"title": "T"}, name="r.jsonl.gz")).metadata.title == "T"
    assert good(json_lines(tmp_path, '\ufeff{"title": "T"}', "", "  ")).metadata.title == "T"


def test_what_is_no_record_file_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: the reason, among a thousand bad lines."""
    with pytest.raises(EmptyTextError):
        json_lines(tmp_path, "")
    with pytest.raises(InputError, match="one JSON object a line"):
        json_lines(tmp_path, '[{"title": "T"}]')
    with pytest.raises(InputError, match="cannot be opened"):
        list(read_json_lines(tmp_path / "none.jsonl"))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"title": "T"}\n' * 100_000)[:-2000])
    with pytest.raises(InputError, match="damaged"):
        list(read_json_lines(tmp_path / "cut.jsonl.gz"))
    (tmp_path / "not.jsonl.gz").write_bytes(b"plain")
    with pytest.raises(InputError, match="damaged"):
        list(read_json_lines(tmp_path / "not.jsonl.gz"))


def test_limits_hold_for_lines_and_for_what_unfolds(tmp_path: Path) -> None:
    """Lost otherwise: memory and disk, to a small file that unfolds to a large one."""
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"title": "A"}\n' + b"x" * 5_000_000 + b'\n{"title": "B"}\n'))
    items = list(read_json_lines(path, max_line=1000))
    assert [type(item).__name__ for item in items] == ["ParsedPaper", "BadRecord", "ParsedPaper"]
    assert bad(items) == [BadRecord("line 2", "It is longer than 1,000 bytes.")]
    with pytest.raises(LimitError, match="unfolds"):
        list(read_json_lines(path, max_total=1_000_000))
    with pytest.raises(LimitError, match="unfolds"):
        path.rename(tmp_path / "bomb.csv.gz")
        list(read_table(tmp_path / "bomb.csv.gz", max_total=1_000_000))


@pytest.mark.slow
@pytest.mark.usefixtures("collected")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Lost otherwise: imports that are larger than the machine's memory."""
    path = tmp_path / "many.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"title": "T", "abstract": "A sentence."}\n' * 7_000))
    tracemalloc.start()
    try:
        items = read_json_lines(path)
        fractions = [getattr(items, "fraction", None) for _ in items]
        assert tracemalloc.get_traced_memory()[1] < 4_500_000  # 2.8 MB; 7.5 if all were kept
    finally:
        tracemalloc.stop()
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_a_table_is_read_by_its_header(tmp_path: Path) -> None:
    """Lost otherwise: what people keep in a spreadsheet."""
    first, second = table(
        tmp_path,
        "Title,ABSTRACT,Publication Year,Authors,shelf,\n"
        '"On\ncats","Cats, sleep.",2019,"Lee, A.; Roe, B.",3,\nDogs,,,,,\n',
    )
    assert isinstance(first, ParsedPaper)
    assert isinstance(second, ParsedPaper)
    assert (first.metadata.title, first.metadata.abstract, first.metadata.year) == ("On cats", "Cats, sleep.", 2019)
    assert [a.name for a in first.metadata.authors] == ["A. Lee", "B. Roe"]
    assert first.metadata.extra == {"shelf": "3"}
    assert (second.metadata.title, second.blocks) == ("Dogs", ())


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_separators(tmp_path: Path, delimiter: str) -> None:
    """Lost otherwise: tables from countries with a decimal comma."""
    assert good(table(tmp_path, f"title{delimiter}year\nÉté{delimiter}2001\n")).metadata.year == 2001


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_tables(tmp_path: Path, encoding: str) -> None:
    """Lost otherwise: letters with accents from a spreadsheet's export."""
    paper = good(table(tmp_path, "title,year\nÉté,2001\n".encode(encoding)))
    assert paper.metadata.title == "Été"
    assert bool(paper.warnings) == (encoding == "cp1252")


def test_bad_rows_are_named_by_their_line(tmp_path: Path) -> None:
    """Lost otherwise: which of ten thousand rows to mend."""
    items = table(tmp_path, 'title,year\n"A\nB",2001\nC,2002,x,y\n,2003\n\nD,2004\n')
    assert [item.where for item in bad(items)] == ["line 4", "line 5"]
    assert bad(items)[0].reason == "It has 4 cells, but there are 2 columns."
    assert len(items) == 4


def test_a_header_after_blank_lines_or_over_two(tmp_path: Path) -> None:
    """Lost otherwise: tables as spreadsheet programs write them."""
    first, wrong = table(tmp_path, '\n\n"publication\nyear",title\n2001,Cats\n,\n2002,"A\nB",x\n')
    assert (good([first]).metadata.title, good([first]).metadata.year) == ("Cats", 2001)
    assert [item.where for item in bad([wrong])] == ["line 7"]


def test_a_stray_quote_costs_its_line(tmp_path: Path) -> None:
    """Lost otherwise, in silence: all papers behind a quote that does not end, as part of one title."""
    lines = 'title;year\n"A stray quote;2000\nSecond paper;2001\n{}Third paper;2002'
    for more in ("", '"Again;2001\n', 'Fourth;"2001"\n', '"Over\ntwo";2004\n'):
        items = table(tmp_path, lines.format(more))
        assert bad(items)[0].where == "line 2"
        assert "quote" in bad(items)[0].reason
        titles = [item.metadata.title for item in items if isinstance(item, ParsedPaper)]
        assert titles[0] == "Second paper"
        assert titles[-1] == "Third paper"


def test_the_rest_of_a_cell_is_no_paper(tmp_path: Path) -> None:
    """Lost otherwise: trust in titles, where a download stopped in the middle of an abstract."""
    items = table(tmp_path, 'title,abstract\nA,B\nC,"One\ntwo\nthree')
    assert [item.where for item in bad(items)] == ["line 3", "line 4", "line 5"]
    assert good(items[:1]).metadata.title == "A"


def test_many_stray_quotes_take_no_long_time(tmp_path: Path, steep: Steep) -> None:
    """Lost otherwise: hours, to a file in which each line seems to open a quote."""

    def read(lines: int) -> None:
        path = tmp_path / "many.csv"
        path.write_text("title;year\n" + 'x";"y\n' * lines)
        assert len(list(read_table(path))) > 1

    assert not steep(read, 10_000)


def test_tables_that_are_none(tmp_path: Path) -> None:
    """Lost otherwise: the reason, among a thousand bad rows."""
    for data, reason in [
        ("name,year\nA,1\n", "no column title or abstract"),
        ("title,x,x\nA,1,2\n", "more than one column 'x'"),
        (b"title\n\x00\x00", "zero bytes"),
    ]:
        with pytest.raises(InputError, match=reason):
            table(tmp_path, data)
    with pytest.raises(EmptyTextError):
        table(tmp_path, "title\n")
    path = tmp_path / "long.csv"
    path.write_text('title\n"' + "x" * 5000)
    with pytest.raises(LimitError):
        list(read_table(path, max_line=1000))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELD_NAMES = st.sampled_from(
    ["id", "title", "abstract", "authors", "year", "date", "doi", "keywords", "references", "text", "x"]
)


@given(st.dictionaries(FIELD_NAMES, VALUES, max_size=8))
def test_no_record_stops_the_file(tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any]) -> None:
    """Lost otherwise: an import of a million records, to one that nobody thought of."""
    (item,) = json_lines(tmp_path_factory.getbasetemp(), record)
    if isinstance(item, ParsedPaper):
        assert item.metadata.title or item.metadata.abstract
        assert msgspec.msgpack.encode(item)  # else it could not leave the process that read it


@pytest.mark.parametrize("field", ["authors", "title", "whatever"])
def test_a_record_that_lies_too_deep_costs_itself_alone(tmp_path: Path, field: str) -> None:
    """A whole file of papers would be refused for one line that somebody made."""
    deep = f'{{"title": "Deep", "abstract": "x", "{field}": {"[" * 800}1{"]" * 800}}}'
    items = json_lines(tmp_path, deep, {"title": "Cats", "abstract": "They sleep."})
    (one,) = bad(items)
    assert "too deep" in one.reason and isinstance(items[1], ParsedPaper)
