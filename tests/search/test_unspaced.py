"""Questions in scripts that put no space between words."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
TEXT = "ノンコーディングRNAは重要である。それは遺伝子の発現を調節する。"


ASKED = ["ノンコーディングRNA", "ノンコーディングRNAとは何ですか", "非编码RNA是什么", "อาร์เอ็นเอคืออะไร"]


@pytest.mark.parametrize("asked", ASKED)
def test_nothing_false_is_said_of_words_that_are_not_told_apart(tmp_path: Path, asked: str) -> None:
    """A library that has the words would be said to have none of them, and the question be refused for that."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "RNA", "abstract": TEXT}]))
        found = library.search(asked)
        assert found.hits and found.spelling == () and "No paper has" not in found.note
        assert "No paper has" not in library.ask(asked).text
