"""`status` and `retry` say and do the same whatever the catalog lies in."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import assert_consistent, markdown, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool", "both_catalogs")


def test_the_catalog_s_size_is_told(tmp_path: Path) -> None:
    """A catalog on a server was told as 0.0 MB, however large."""
    with open_library(tmp_path / "library") as library:
        before = library.status().space["catalog"]
        records = [{"title": f"Eels {n}", "abstract": f"They swim {n} times. " * 20} for n in range(300)]
        library.add(write_jsonl(tmp_path / "eels.jsonl", records))
        assert library.status().space["catalog"] > max(before, 0.5)


def test_what_failed_is_read_again(tmp_path: Path) -> None:
    """Who mends a file, or was killed in the midst of one, says `retry` and has it."""
    good = write(tmp_path / "moss.md", markdown("Moss", "It grows in the shade."))
    bad = write(tmp_path / "eels.md", "")
    partly = write_jsonl(tmp_path / "all.jsonl", [{"title": "Owls", "abstract": "They hoot."}, {"year": 1999}])
    with open_library(tmp_path / "library") as library:
        assert [Path(row.path).name for row in library.add([good, bad, partly]).failed] == ["eels.md"]
        assert library.retry().rows == ()
        write(bad, markdown("Eels", "They swim at night."))
        write_jsonl(partly, [{"title": "Owls", "abstract": "They hoot."}, {"title": "Ants", "abstract": "They dig."}])
        report = library.retry(everything=True)
        assert [Path(row.path).name for row in report.added] == ["eels.md"]
        assert [Path(row.path).name for row in report.updated] == ["all.jsonl"]
        assert {paper.title for paper in library.papers()} == {"Moss", "Eels", "Owls", "Ants"}
        assert not [row for row in library.status().files if row.reason]
        assert_consistent(library)
