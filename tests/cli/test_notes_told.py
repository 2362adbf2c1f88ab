"""What could not be read well in a file: the first of it is told, and how much more there is."""

from pathlib import Path

from cli_cases import Run, body

from helpers import write_jsonl

YEARS = [-500, 0, 99_999, "abc", 1e30]


def added(run: Run, tmp_path: Path, number: int) -> list[str]:
    records = [
        {"title": f"Paper {n}", "abstract": f"Cats purr in house {n}.", "year": YEARS[n % 5]} for n in range(number)
    ]
    said = run("--library", tmp_path / "lib", "add", write_jsonl(tmp_path / "a.jsonl", records))
    assert said.exit_code == 0, said.output
    return [line for line in said.output.splitlines() if "a.jsonl: " in line]


def test_a_list_that_is_cut_says_so(run: Run, tmp_path: Path) -> None:
    """Two years that were left out would be missed by nobody."""
    lines = added(run, tmp_path, 5)
    assert len(lines) == 4 and all("The year" in line for line in lines[:3])
    assert lines[3].endswith("… and 2 more, in `conspectus status --json`")


def test_what_is_not_kept_is_counted(run: Run, tmp_path: Path) -> None:
    """Who looks in the status for all that was left out would take twenty for all."""
    assert "… and 18 more" in added(run, tmp_path, 32)[3]
    (row,) = body(run("--library", tmp_path / "lib", "--json", "status"), "status")["files"]
    assert len(row["notes"]) == 21 and row["notes"][-1] == "There were 12 more notes, which are not kept."
