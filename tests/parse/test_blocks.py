"""Blocks of clean text."""

from __future__ import annotations

import pytest

from conspectus.parse.text.blocks import clean_abstract

LONG = "curiosity toward it has increased over the last ten years."


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (f"## Introduction We say: {LONG} ## Methods: We asked, {LONG}", ["Introduction", "", "Methods:", ""]),
        (f"### Materials and Methods 12 rats ran: {LONG}", ["Materials and Methods", ""]),
        (f"## OBJECTIVE: To test whether {LONG}", ["OBJECTIVE:", ""]),
        (f"## Methods\nWe asked, {LONG}", ["Methods", ""]),
        (f"Results differ: {LONG} # 3 is Methods We know.", None),
        (f"## Results of others say: {LONG}", None),
        ("## Methods Used\n\nWe asked.", None),
        ("## Results\n\nIt is so.", None),
    ],
)
def test_a_heading_is_no_part_of_the_sentence_behind_it(said: str, read: list[str] | None) -> None:
    """A quote would begin with the name of a section: “Introduction We say …”; or words be taken for one."""
    found = clean_abstract(said).split("\n\n")
    assert " ".join(found).split() == [word for word in said.split() if word.strip("#") or word == "# 3"]
    if read is None:
        assert len(found) == said.count("\n\n") + 1
    else:
        assert [part if len(part) < 30 else "" for part in found] == read
