"""Questions in scripts that put no space between words."""

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


WORKS = {
    "ja": ("長鎖ノンコーディングRNAの役割", "ノンコーディングRNAは重要である。それは遺伝子の発現を調節する。"),
    "zh": ("海马体中的网格细胞", "网格细胞在动物探索环境时以六边形网格放电，为路径整合提供了空间信息。"),
    "th": ("เซลล์กริดในสมอง", "เซลล์กริดทำงานเมื่อสัตว์เคลื่อนที่ผ่านสภาพแวดล้อม"),
    "en": ("Grid cells", "Grid cells fire in a hexagonal grid."),
}


@pytest.mark.parametrize(
    ("asked", "papers"),
    [
        ("遺伝子", ["ja"]),
        ("遺伝子の発現", ["ja"]),
        ('"発現を調節"', ["ja"]),
        ('"調節の発現"', []),
        ("ノンコーディングRNA", ["ja"]),
        ("RNA", ["ja"]),
        ("网格细胞", ["zh"]),
        ("title:海马体", ["zh"]),
        ("细胞 -网格", []),
        ("เซลล์กริด", ["th"]),
        ("สภาพแวดล้อม", ["th"]),
        ("子遺", []),
        ("grid cells", ["en"]),
    ],
)
def test_words_are_found_where_no_space_is_between_them(tmp_path: Path, asked: str, papers: list[str]) -> None:
    """A sentence would be one word: who looks for a part of it would be told that there is none."""
    records = [{"id": name, "title": title, "abstract": text} for name, (title, text) in WORKS.items()]
    with open_library(tmp_path / "lib", search__dense_weight=0.0) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        assert library.count(asked).papers == len(papers)
        assert [hit.paper.external_id for hit in library.search(asked).hits][: len(papers)] == papers
