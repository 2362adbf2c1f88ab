"""Reviews, by what title and abstract say: of papers in journals of reviews, and in journals that have few.

    python benchmarks/reviews.py [HALF] [--read N --seed S]

The papers of `arxiv_scale` whose DOI is of either, halved by a digest of their ids: half 0 was looked at while the
words were chosen, 1 is sealed. With `--read`, N of the other journals' papers that the abstract alone tells are
printed, to be judged by hand.
"""

from __future__ import annotations

import argparse
import random
import zlib
from collections import Counter
from typing import Any

import corpora

from conspectus.atlas.surveying import is_review

REVIEWS = (
    *("10.1146/annurev", "10.1103/revmodphys", "10.1016/j.physrep", "10.1016/s0370-1573", "10.1088/0034-4885"),
    *("10.12942/lr", "10.1007/s00159", "10.1016/j.ppnp"),
)
"""Annual Reviews, Reviews of Modern Physics, Physics Reports, Reports on Progress in Physics, Living Reviews …"""
ARTICLES = ("10.1103/physrevlett", "10.1103/physrevb", "10.1086/", "10.3847/", "10.1063/1.")


def kind_of(row: dict[str, Any]) -> str:
    doi = (row["doi"] or "").lower()
    return "reviews" if doi.startswith(REVIEWS) else "articles" if doi.startswith(ARTICLES) else "others"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", nargs="?", type=int, default=0)
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    papers, by_title, by_both = Counter[str](), Counter[str](), Counter[str]()
    new = []
    for row in corpora.read_lines(corpora.data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst"):
        if zlib.crc32(row["id"].encode()) % 2 != given.half:
            continue
        kind, title, abstract = kind_of(row), row["title"], row["abstract"] or ""
        told, told_too = is_review("", "", title), is_review("", "", title, abstract)
        papers[kind] += 1
        by_title[kind] += told
        by_both[kind] += told_too
        if told_too and not told and kind != "reviews":
            new.append(f"{title}\n    {abstract}")
    print("| journals of | papers | reviews by their titles | by title or abstract |\n| --- | --- | --- | --- |")
    for kind, count in papers.items():
        shares = (f"{one[kind]} ({one[kind] / count:.2%})" for one in (by_title, by_both))
        print(f"| {kind} | {count} | {' | '.join(shares)} |")
    for text in random.Random(given.seed).sample(new, min(given.read, len(new))):
        print(f"\n{text}")


if __name__ == "__main__":
    main()
