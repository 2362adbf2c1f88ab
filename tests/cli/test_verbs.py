"""The verbs on a small library: what they print, as text and as JSON."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from cli_cases import QUESTION, Run, Shelf, body, error

pytestmark = pytest.mark.model


def test_add_tells_what_it_passed_over(run: Run, tmp_path: Path):
    """A part of a LaTeX document would be told as of a kind that cannot be read, though .tex files can."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "part.tex").write_text("\\section{One}", "utf-8")
    (tmp_path / "papers" / "other.xml").write_text("<other/>", "utf-8")
    said = run("--library", tmp_path / "lib", "add", tmp_path / "papers").output
    assert "Skipped files of other types: .tex (1), .xml (1)" in said


def test_add_counts_records_that_are_one_paper(run: Run, tmp_path: Path):
    """Of 500 records 498 papers came, and nobody would know what became of the two."""
    records = [{"title": "Tides", "doi": "10.1/a"}, {"title": "Tides", "doi": "10.1/A"}, {"title": "Waves"}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    first = run("--library", tmp_path / "lib", "add", tmp_path / "r.jsonl").stdout
    assert "1 of these duplicates another paper and was merged." in first
    assert "The library holds 2 papers" in first
    assert "duplicate" not in run("--library", tmp_path / "lib", "add", tmp_path / "r.jsonl").stdout


def test_a_backup_is_restored_where_the_catalog_cannot_be_opened(run: Run, tmp_path: Path):
    """The message would say to restore a backup, and the command that does it would say the same."""
    (tmp_path / "r.jsonl").write_text('{"id": "1", "title": "Tides"}\n', "utf-8")
    library = ["--library", tmp_path / "lib"]
    run(*library, "add", tmp_path / "r.jsonl")
    run(*library, "library", "backup", tmp_path / "b.zip")
    for content in (b"", b"no database " * 1000):
        (tmp_path / "lib" / "catalog.sqlite").write_bytes(content)
        assert run(*library, "library", "restore", tmp_path / "b.zip").exit_code == 4
        result = run(*library, "library", "restore", tmp_path / "b.zip", "--replace")
        assert result.exit_code == 0 and "It is now called 'damaged-" in result.stderr
        assert "Tides" in run(*library, "list").stdout
    assert len(list((tmp_path / "lib").glob("damaged-*.sqlite"))) == 2


def test_add_names_what_failed_and_goes_on(run: Run, tmp_path: Path):
    """One bad file would hide the others, or would not be noticed."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text('{"id": "1", "title": "Tides"}\n{"id": "2"}\n', "utf-8")
    bad.write_text("not json\n", "utf-8")
    words = ["--library", tmp_path / "lib", "add", good, bad, tmp_path / "gone.pdf"]
    result = run(*words)
    assert result.exit_code == 1, result.output
    assert f"{good}: 1 of 2 records refused\n    line 2: " in result.stdout
    assert f"{bad}: none of its records can be read: line 1: " in result.stdout
    assert result.stdout.count("line 1: ") == 1, "the same is not told twice"
    assert f"{tmp_path / 'gone.pdf'}: there is no such file" in result.stdout
    assert "1 added, 0 updated, 0 unchanged, 2 failed (3 files)\n1 of these is not recorded" in result.stdout
    assert "will not list it.\nThe library holds 1 paper" in result.stdout
    again = body(run(*words, "--json"), "add")
    assert again["counts"] == {"added": 0, "updated": 0, "unchanged": 1, "failed": 2, "duplicates": 0}
    assert {"path", "state", "reason", "retry", "outcome"} <= set(again["files"][0])
    failed = run("--library", tmp_path / "lib", "status", "--failed").stdout
    assert str(bad) in failed
    assert "embedder" not in failed


def test_add_names_all_that_no_other_command_can_name(run: Run, tmp_path: Path):
    """Of five files that are not there, or papers that no service knows, two would be named nowhere."""
    gone = [tmp_path / f"gone{number}.pdf" for number in range(5)]
    said = run("--library", tmp_path / "lib", "add", *gone).stdout
    assert all(f"{path}: there is no such file" in said for path in gone)
    assert "more file" not in said and "5 of these are not recorded" in said


def test_list(run: Run, shelf: Shelf):
    """A spreadsheet or a script could not read the papers."""
    lines = run("--library", shelf.library, "list").stdout.splitlines()
    assert len(lines) == 4
    row = next(line for line in lines if "lace" in line).split("\t")
    assert row[1:] == ["2011", "Green et al.", "Mitochondria in lace plant leaves", "abstract"]
    papers = body(run("list", "--json", "--library", shelf.library), "list")["papers"]
    lace = next(paper for paper in papers if paper["external_id"] == "lace")
    assert [author["family"] for author in lace["authors"]] == ["Green", "Brown", "White"]
    assert lace["references"] == ["Somebody (1999). Something."]
    assert lace["has_full_text"] is False


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--year", "2000..2010"], {"steel"}),
        (["--year", "..2004"], {"steel", "tides"}),
        (["--year", "2011"], {"lace"}),
        (["--author", "Ebb", "--author", "smith"], {"steel", "tides"}),
        (["--venue", "journal of leaves"], {"lace"}),
        (["--keyword", "Cell Death"], {"lace"}),
        (["--full-text"], {"transits.pdf"}),
        (["--abstract-only", "--year", "2005.."], {"lace"}),
        (["--author", "Nobody"], set()),
    ],
)
def test_filters(run: Run, shelf: Shelf, words: list[str], found: set[str]):
    """A filter would keep what it should not, or not be understood."""
    result = run("--library", shelf.library, "list", *words, "--json")
    assert result.exit_code == 0
    assert {paper["external_id"] for paper in body(result, "list")["papers"]} == found


def test_show_finds_a_paper_by_any_name(run: Run, shelf: Shelf):
    """The user would have to look up our ids."""
    shown = body(run("--library", shelf.library, "show", "10.1234/LACE.2011", "--passages", "--json"), "show")
    assert shown["paper"]["external_id"] == "lace"
    for passage in shown["passages"]:
        for span in passage["spans"]:
            assert span["text"] == passage["text"][span["start"] : span["end"]]
    text = run("--library", shelf.library, "show", "lace", "--passages").stdout
    assert "Ada Green, Ben Brown, Cid White" in text
    assert shown["passages"][0]["spans"][0]["id"] in text
    missing = run("--library", shelf.library, "show", "nobody2020", "--json")
    assert (missing.exit_code, error(missing)["type"]) == (2, "NotFoundError")


def test_export_writes_to_standard_output_or_a_file(run: Run, shelf: Shelf, tmp_path: Path):
    """A bibliography for a manuscript could not be had from a script."""
    words = ["--library", shelf.library, "export"]
    text = run(*words, "lace", "--to", "bibtex").stdout
    assert text.startswith("@article{lace,\n  author = {Green, Ada and Brown, Ben and White, Cid},\n")
    assert run(*words, "--to", "ris", "--year", "2004").stdout.count("TY  - ") == 1
    target = tmp_path / "out.jsonl"
    assert run(*words, "--to", "jsonl", "--output", target).stdout == f"Wrote 4 papers to {target}.\n"
    lines = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert [line["files"] for line in lines if line["id"] == "lace"] == [[]]
    assert [Path(file).name for line in lines for file in line["files"]] == ["transits.pdf"]
    found = body(run(*words, "steel", "--to", "csl", "--json"), "export")
    assert (found["format"], found["papers"], found["output"]) == ("csl", 1, "")
    assert json.loads(found["text"])[0]["id"] == "steel"
    assert run(*words, "--to", "word").exit_code == 2
    assert error(run(*words, "nobody", "--to", "ris", "--json"))["type"] == "NotFoundError"


def test_search_shows_the_sentence_and_its_id(run: Run, shelf: Shelf):
    """A hit could not be checked, or opened."""
    words = ["--library", shelf.library, "search", "mitochondria", "nucleus", "--k", "2"]
    found = body(run(*words, "--json"), "search")
    assert found["query"] == "mitochondria nucleus"
    assert [hit["rank"] for hit in found["hits"]] == [1, 2]
    first = found["hits"][0]
    assert first["paper"]["external_id"] == "lace"
    assert "references" not in first["paper"]
    assert all(isinstance(value, float) for value in first["factors"].values())
    text = run(*words, "--explain").stdout
    span = next(span for span in first["passage"]["spans"] if "nucleus" in span["text"])
    assert span["id"] in text
    assert "Green et al. · 2011 · Journal of Leaves" in text
    assert "cosine" in text
    assert "\x1b" not in text
    assert text.splitlines()[-1].endswith(" s")


def test_nothing_found_is_an_answer(run: Run, shelf: Shelf):
    """A script would stop at an honest "nothing"."""
    result = run("--library", shelf.library, "search", "tides", "--author", "Grean")
    assert result.exit_code == 0
    assert "Grean" in result.stdout
    asked = run("--library", shelf.library, "ask", QUESTION, "--year", "1900", "--json")
    assert asked.exit_code == 0
    found = body(asked, "ask")
    assert found["answered"] is False
    assert found["reason"]


def test_ask_cites_what_it_says(run: Run, shelf: Shelf):
    """A statement could not be traced to its sentence."""
    found = body(run("--library", shelf.library, "ask", QUESTION, "--json"), "ask")
    assert found["answered"]
    assert found["question"] == QUESTION
    assert {"method", "text", "reason", "usage"} <= set(found)
    for statement in found["statements"]:
        assert statement["status"] == "quoted"
        for citation in statement["citations"]:
            passages = body(
                run("--library", shelf.library, "show", citation["paper"]["id"], "--passages", "--json"), "show"
            )["passages"]
            passage = next(item for item in passages if item["id"] == citation["passage_id"])
            said = [passage["text"][span["start"] : span["end"]] for span in citation["spans"]]
            assert " … ".join(said) == citation["quote"]
    text = run("--library", shelf.library, "ask", QUESTION).stdout
    assert "[Green et al. 2011]" in text and "doi:10.1234/lace.2011" in text
    span = found["statements"][0]["citations"][0]["spans"][0]["id"]
    assert span not in text and span in run("--library", shelf.library, "ask", QUESTION, "--explain").stdout


def test_open_shows_the_page(run: Run, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A citation could not be seen on its page."""
    monkeypatch.chdir(tmp_path)
    hit = body(run("--library", shelf.library, "search", "transit timing of planets", "--json"), "search")["hits"][0]
    span = hit["passage"]["spans"][0]
    opened = body(run("--library", shelf.library, "open", span["id"], "--json"), "open")
    assert opened["page"] == span["places"][0]["page"]
    assert opened["span"]["text"] == span["text"]
    assert Path(opened["path"]).name == f"{span['id']}.png"
    assert Path(opened["path"]).read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == [], "who only looks wants no file here"
    named = run("--library", shelf.library, "open", span["id"], "--output", "page.png")
    assert named.stdout.startswith("page.png\n")
    refused = run("--library", shelf.library, "open", span["id"], "--output", tmp_path / "none" / "page.png")
    assert refused.exit_code == 2
    other = run("--library", shelf.library, "open", span["id"], "--page", "77")
    assert other.exit_code == 2 and f"page {opened['page']}" in other.stderr


def test_open_without_pages_shows_the_sentence(run: Run, shelf: Shelf):
    """The user would learn that there is no page, but not what was said."""
    passages = body(run("--library", shelf.library, "show", "tides", "--passages", "--json"), "show")["passages"]
    span = next(span for passage in passages for span in passage["spans"] if "bulges" in span["text"])
    result = run("--library", shelf.library, "open", span["id"])
    assert result.exit_code == 0
    assert " ".join(span["text"].split()) in " ".join(result.stdout.split())
    opened = body(run("--library", shelf.library, "open", span["id"], "--json"), "open")
    assert opened["path"] is None
    assert opened["span"]["text"] == span["text"]
    assert not any(line.startswith(" (") for line in result.stdout.splitlines())


def test_open_without_pages_refuses_to_write(run: Run, shelf: Shelf, tmp_path: Path):
    """A script would go on with a picture that was never written."""
    passages = body(run("--library", shelf.library, "show", "tides", "--passages", "--json"), "show")["passages"]
    words = ("--library", shelf.library, "--json", "open", passages[0]["spans"][0]["id"])
    for asked in (("--output", tmp_path / "page.png"), ("--page", "2")):
        result = run(*words, *asked)
        assert result.exit_code == 1
        assert "was not read from a page, so there is no picture" in error(result)["message"]
    assert not list(tmp_path.iterdir())


def test_similar_to_a_paper_or_a_text(run: Run, shelf: Shelf):
    """A reader could not go from one paper, or from a pasted abstract, to its neighbours."""
    near = body(run("--library", shelf.library, "similar", "lace", "--json"), "similar")["hits"]
    assert "lace" not in {hit["paper"]["external_id"] for hit in near}
    words = ["--library", shelf.library, "similar", "--text", "-", "--k", "1", "--json"]
    found = body(run(*words, input="The pull of the Moon moves the sea – twice a day."), "similar")
    assert [hit["paper"]["external_id"] for hit in found["hits"]] == ["tides"]
    assert run("--library", shelf.library, "similar").exit_code == 2


class Endless(io.RawIOBase):
    """A pipe that never ends; it fails where more is read of it than can be used."""

    left = 40_000_000

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.left -= len(buffer)
        assert self.left > 0, "it is read without end"
        buffer[:] = b"a" * len(buffer)
        return len(buffer)


@pytest.mark.parametrize("words", [("similar", "--text", "-"), ("audit", "-")], ids=lambda words: words[0])
def test_no_more_of_standard_input_is_read_than_can_be_used(words: tuple[str, ...], run: Run, tmp_path: Path):
    """`yes | conspectus similar --text -` would fill the memory."""
    result = run("--library", tmp_path, *words, input=io.BufferedReader(Endless()))
    assert result.exit_code == 2
    assert "Standard input has more than" in result.stderr


def test_remove_takes_all_or_none(run: Run, own: Path):
    """A misspelt name among several would leave the work half done."""
    assert run("--library", own, "remove", "lace", "nobody").exit_code == 2
    assert len(body(run("--library", own, "list", "--json"), "list")["papers"]) == 4
    removed = body(run("--library", own, "remove", "lace", "tides", "--json"), "remove")["removed"]
    assert [paper["external_id"] for paper in removed] == ["lace", "tides"]
    assert len(body(run("--library", own, "list", "--json"), "list")["papers"]) == 2


def test_status_doctor_and_reindex(run: Run, own: Path):
    """The state of the library could not be watched by a program."""
    status = body(run("--library", own, "status", "--json"), "status")
    assert status["counts"]["papers"] == 4
    assert {"path", "state", "reason", "retry"} <= set(status["files"][0])
    made = run("--library", own, "library", "reindex", "--json", "--quiet")
    assert body(made, "library.reindex")["embedded"] == 0
    assert not made.stderr
    doctor = run("--library", own, "doctor", "--json")
    findings = body(doctor, "doctor")["findings"]
    assert doctor.exit_code == int(not all(finding["ok"] for finding in findings))
    assert {"check", "ok", "detail", "remedy"} == set(findings[0])
    assert "4 papers (1 with full text)" in run("--library", own, "status").stdout


def test_doctor_is_one_where_something_is_wrong(run: Run, own: Path, shelf: Shelf, tmp_path: Path):
    """A nightly check would pass although the library is not well."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("[]\n", "utf-8")
    assert run("--library", own, "add", bad).exit_code == 1
    result = run("--library", own, "doctor")
    assert result.exit_code == 1
    assert "not  files read" in result.stdout


def test_hostile_text_cannot_command_the_terminal(run: Run, shelf: Shelf):
    """A paper's title could clear the screen or fake output."""
    for words in (["list"], ["show", "steel"], ["search", "steel"], ["ask", "What does rapid cooling of steel make?"]):
        result = run("--library", shelf.library, *words)
        assert "Hardening of steel" in result.stdout
        assert "\x1b" not in result.stdout
    assert json.loads(run("--library", shelf.library, "list", "--json").stdout)


def test_show_gives_tables_as_tables(run: Run, own: Path, tmp_path: Path):
    """The user could not see which number stands in which column of a table whose row was cited."""
    rows = "| Cell | Rate |\n| --- | --- |\n| Golgi | 8.3 |\n| Purkinje | 41 |\n"
    paper = tmp_path / "cells.md"
    paper.write_text(f"# Cells\n\nThey fire.\n\nTable 1: Rates.\n\n{rows}", "utf-8")
    run("--library", own, "add", paper)
    printed = run("--library", own, "show", "Cells", "--figures").stdout
    assert "    Cell      Rate\n    Golgi     8.3\n    Purkinje  41\n" in printed


def test_show_gives_references_and_figures(run: Run, own: Path, tmp_path: Path):
    """The user could not see what a paper cites, which of it is at hand, and where its figures are spoken of."""
    text = (
        "# Leaves again\n\nLeaves have holes [1], see Fig. 1. Others say no [2].\n\n![Figure 1. A leaf.](leaf.png)\n\n"
        "## References\n\n[1] Green A, Brown B. Mitochondria in lace plant leaves. J Leaves. 2011;1:2–3.\n\n"
        "[2] Stone R. Something else entirely. J Stones. 2001;3:4–5.\n"
    )
    (tmp_path / "leaves.md").write_text(text, "utf-8")
    assert run("--library", own, "add", tmp_path / "leaves.md").exit_code == 0
    shown = body(run("--library", own, "show", "Leaves again", "--references", "--figures", "--json"), "show")
    first, second = shown["references"]
    assert (first["label"], first["title"], first["year"], first["by"]) == (
        "[1]",
        "Mitochondria in lace plant leaves",
        2011,
        "title",
    )
    assert second["paper_id"] == ""
    (figure,) = shown["figures"]
    assert (figure["label"], figure["caption"]) == ("Figure 1", "Figure 1. A leaf.")
    assert figure["mentions"] == [{"text": "Leaves have holes [1], see Fig. 1.", "page": None}]
    printed = run("--library", own, "show", "Leaves again", "--references", "--figures").stdout
    assert f"in the library: {first['paper_id']} (by its title)" in printed
    assert "Something else entirely" in printed
    assert "    Leaves have holes [1], see Fig. 1." in printed


@pytest.mark.model
def test_retry_names_the_way_to_read_all_that_failed(run: Run, own: Path, tmp_path: Path):
    """Who has mended a file would be told that there is nothing to read."""
    assert run("--library", own, "retry").stdout == "There is no file to read again.\n"
    empty = tmp_path / "empty.md"
    empty.write_text("", "utf-8")
    assert run("--library", own, "add", empty).exit_code == 1
    said = run("--library", own, "retry")
    assert said.exit_code == 0
    assert "1 failed for lasting reasons" in said.stdout and "conspectus retry --all" in said.stdout
    empty.write_text("# Eels\n\nEels climb walls at night.\n", "utf-8")
    assert run("--library", own, "retry", "--all").exit_code == 0


def test_split_and_back(run: Run, tmp_path: Path):
    """A wrong merge could be undone only from Python."""
    for name, venue in (("a", "Eel"), ("b", "Ray")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"title": "Eels", "doi": "10.1000/e", "venue": venue}))
    library = ("--library", tmp_path / "lib")
    run(*library, "add", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    shown = run(*library, "show", "10.1000/e").stdout
    assert f"document 2      {tmp_path / 'b.jsonl'}, record 1 (DOI 10.1000/e, with 1)" in shown
    first, second = body(run(*library, "split", "10.1000/e", "2", "--json"), "papers.split")["papers"]
    assert [one["path"] for one in second["documents"]] == [str(tmp_path / "b.jsonl")]
    assert "document" not in run(*library, "show", first["id"]).stdout
    result = run(*library, "split", first["id"], "--undo")
    assert result.stdout.splitlines()[0] == f"{first['id']}  Eels" and len(result.stdout.splitlines()) == 3
    assert len(body(run(*library, "show", first["id"], "--json"), "show")["documents"]) == 2
    assert run(*library, "split", first["id"], "--undo").exit_code == 2


def test_a_paper_without_a_title_is_called_by_its_file(run: Run, own: Path, tmp_path: Path):
    """Else it is a blank line, which nobody can tell from another."""
    (tmp_path / "notes.md").write_text(
        "[1] A. Lindqvist. Eels of the northern lakes. J. Fish. 12 (2011) 1-9.\n\n", "utf-8"
    )
    (tmp_path / "named.bib").write_text("@article{a, title = {Only a title}, year = 2001}", "utf-8")
    run("--library", own, "add", str(tmp_path))
    lines = run("--library", own, "list").stdout.splitlines()
    assert any("[notes.md]" in line and line.endswith(("no text", "full text")) for line in lines), lines
    assert any("Only a title" in line and line.endswith("\ttitle") for line in lines), lines
