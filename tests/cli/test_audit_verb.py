"""`conspectus audit`: what it prints, its JSON, its exit codes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_cases import Run, body, error

from crossref_server import CrossrefServer, crossref_server, work
from helpers import open_library, write_jsonl

TEXT = (
    "1. Green A, Brown B. Mitochondria in lace plant leaves. J Leaves. 2011;1:2-3.\n"
    "2. Green A, Brown B. Mitochondria in lace plant leaves. J Leaves. 1991;1:2-3.\n"
    "3. Smith J. A title that nobody \x1b[2J ever wrote down. Science. 2020;1:2-3.\n"
)


@pytest.fixture
def server() -> Iterator[CrossrefServer]:
    with crossref_server([work("Ocean tides and the old Moon", "10.1000/t", 1998, "Flo Ebb")]) as made:
        yield made


@pytest.fixture
def words(tmp_path: Path, server: CrossrefServer, quick_pool: None) -> list[str | Path]:
    lace = {"title": "Mitochondria in lace plant leaves", "authors": ["Green, Ada"], "year": 2011}
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "papers.jsonl", [lace]))
    return ["--library", tmp_path / "lib", "--set", f"sources.crossref.url={server.url}", "audit"]


def test_a_readable_listing(run: Run, words: list[str | Path], tmp_path: Path) -> None:
    """The user would not see which reference is wrong, in what, and what was asked."""
    (tmp_path / "list.txt").write_text(TEXT, "utf-8")
    result = run(*words, tmp_path / "list.txt", "--online")
    assert result.exit_code == 0, result.stderr
    assert "wrong: year" in result.stdout and "not found" in result.stdout and "in library" in result.stdout
    assert "3 references · 1 in library, 1 wrong, 1 not found · library and http://127.0.0.1" in result.stdout
    assert "\x1b[2J" not in result.stdout


def test_json_and_standard_input(run: Run, words: list[str | Path], server: CrossrefServer) -> None:
    """A script could not tell the verdicts apart, or would be online unasked."""
    result = run(*words, "-", "--json", input=TEXT)
    found = body(result, "audit")
    assert [check["verdict"] for check in found["references"]] == ["in library", "wrong", "unchecked"]
    assert found["counts"] == {"in library": 1, "found": 0, "wrong": 1, "not found": 0, "unchecked": 1}
    wrong = found["references"][1]
    assert wrong["contradicts"] == ["year"] and wrong["record"]["year"] == 2011 and wrong["paper_id"]
    assert wrong["reference"]["year"] == 1991 and found["service"] == "" and found["references"][2]["record"] is None
    assert not server.asked


def test_strict_is_for_scripts(run: Run, words: list[str | Path]) -> None:
    """A build could not be stopped by an invented reference, or would be by one that nobody could check."""
    assert run(*words, "-", "--strict", input=TEXT).exit_code == 1
    assert run(*words, "-", "--strict", input=TEXT.splitlines()[0]).exit_code == 0
    assert run(*words, "-", "--strict", input=TEXT.splitlines()[2]).exit_code == 0
    assert run(*words, "-", "--strict", "--online", input=TEXT.splitlines()[2]).exit_code == 1


def test_nothing_found_is_no_failure(run: Run, words: list[str | Path]) -> None:
    """An empty list would look like an error."""
    result = run(*words, "-", input="\n")
    assert result.exit_code == 0 and "No references were found" in result.stdout


def test_a_file_that_is_not_there(run: Run, words: list[str | Path], tmp_path: Path) -> None:
    """A wrong name would be audited as a reference."""
    result = run(*words, tmp_path / "gone.bib", "--json")
    assert result.exit_code == 1 and "gone.bib" in error(result)["message"]


def test_a_service_that_never_answers(run: Run, words: list[str | Path], server: CrossrefServer) -> None:
    """A script would take an audit that asked nobody for one that found nothing wrong."""
    for _ in range(20):
        server.say(404 + 14, b"out of order")
    result = run(*words, "-", "--online", input=TEXT.splitlines()[0] + "\n" + TEXT.splitlines()[2])
    assert result.exit_code == 3, result.stderr
    assert "1 in library, 1 unchecked" in result.stdout
    assert run(*words, "-", "--online", input=TEXT.splitlines()[0]).exit_code == 0  # nothing had to be asked
    assert run(*words, "-", "--offline", input=TEXT).exit_code == 0
    assert run(*words, "-", "--strict", "--online", input=TEXT).exit_code == 1  # one is wrong, whoever is away
    server.answers.clear()
    assert run(*words, "-", "--online", input=TEXT).exit_code == 0


def test_a_service_that_is_not_there(run: Run, words: list[str | Path]) -> None:
    """A build without a network would seem to have checked its references."""
    away = [*words[:3], "sources.crossref.url=http://127.0.0.1:9/works", "audit"]
    result = run(*away, "-", "--online", input=TEXT)
    assert result.exit_code == 3 and "1 in library, 1 wrong, 1 unchecked" in result.stdout
