"""The small files that once were read wrongly (`../shared/cases`): each is read as `shared_cases.toml` says."""

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_reading import add_vocabulary, assert_reads, concept_names, read_papers
from conspectus import Library
from helpers import open_library
from shared_data import data_folder

FILES = data_folder().parent / "cases"
CASES = tomllib.loads(Path(__file__).with_name("shared_cases.toml").read_text("utf-8"))
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILES.is_dir(), reason="there is no folder of shared cases: set CONSPECTUS_DATA"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(tmp_path_factory.mktemp("cases") / "lib") as opened:
        yield opened


@pytest.mark.parametrize("case", CASES["case"], ids=lambda case: case["file"])
def test_a_shared_case_is_read_as_expected(case: dict[str, Any]) -> None:
    """A user's file of this kind would lose words, names or dates, or be refused."""
    assert_reads(read_papers(FILES / case["file"]), case["papers"])


@pytest.mark.parametrize("case", CASES["vocabulary"], ids=lambda case: case["file"])
def test_a_shared_vocabulary_is_read_as_expected(case: dict[str, Any], library: Library) -> None:
    """One bad line would cost the user the whole vocabulary."""
    added = add_vocabulary(library, FILES / case["file"])
    assert added.outcome == "added", added.reason
    found = concept_names(library, case["file"])
    assert {label: sorted(names) for label, names in found.items()} == case["names"]


def test_every_shared_case_has_a_check() -> None:
    """A file without a check would be read wrongly again, and nobody would see it."""
    with (FILES / "EXPECT.tsv").open(encoding="utf-8", newline="") as table:
        listed = {row["file"] for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)}
    there = {path.name for path in FILES.iterdir()} - {"EXPECT.tsv"}
    assert listed == there == {case["file"] for case in (*CASES["case"], *CASES["vocabulary"])}
