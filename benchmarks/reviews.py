"""Reviews, by what title and abstract say: of papers in journals of reviews, and in journals that have few.

    python benchmarks/reviews.py [HALF] [--read N --seed S]

The papers of `arxiv_scale` whose DOI is of either, halved by a digest of their ids: half 0 was looked at while the
words were chosen, 1 is sealed. Of further journals of reviews (`FURTHER`), by fields, are papers of both halves. Of
medicine, whose journals are not known, are abstracts whose titles say it, and are withheld. With `--read`, N of the
other journals' papers that the abstract alone tells are printed, to be judged by hand.
"""

from __future__ import annotations

import argparse
import random
import re
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
FURTHER = {
    "physics": r"10\.1080/00(?:10751|01873)|10\.1088/1361-6633|10\.1393/ncr|10\.1016/(?:0370-1573|s?0146-6410)"
    r"|10\.3367/|10\.1070/pu|10\.1016/j\.(?:surfrep|pquantelec)|10\.1364/aop|10\.1038/s42254",
    "space and Earth": r"10\.1007/s(?:11214|4111[46])|10\.1016/(?:j\.newar|s1387-6473)|10\.(?:1029|1002)/\d+rg",
    "life": r"10\.1016/j\.(?:plrev|conb|cobeha|sbi|gde|mib|ceb|copbio|coi\b|coviro|coisb|tics|tins|tree|tig|tibs|tcb"
    r"|tim|tibtech|neubiorev)|10\.1038/(?:nr|s41576|s41583)|10\.1017/s0033583|10\.1002/wsbm",
    "chemistry": r"10\.1039/c\d+cs|10\.1021/(?:cr|acs\.chemrev|ar|acs\.accounts)|10\.1002/wcms|10\.1038/s41578"
    r"|10\.1016/j\.(?:cossms|cocis|progpolymsci|pmatsci|pnmrs|pecs)",
    "formal sciences": r"10\.1109/(?:comst|surv)|10\.1214/\d\d-[sp]s|10\.1561/|10\.1017/s0962492"
    r"|10\.1002/w(?:ics|idm)|10\.1090/s0273|10\.1145/\d+\.\d+csur",
}
"""Others, of several fields: no word was chosen by them."""
ANSWER = re.compile(r"^\W*(?:comment|reply|erratum|corrigendum|response)\b|\b(?:comment on|reply to)\b", re.IGNORECASE)
IN_TITLE = re.compile(
    r"\ba\s(?:[\w-]+\s){0,3}review\b|^(?:[\w-]+\s){0,3}review\s(?:of|on)\b|\breview(?: article| paper)?\W*$"
    r"|\b(?:systematic|literature|critical) review\b",
    re.IGNORECASE,
)
"""It says that it is one, and not what is reviewed."""


def kind_of(row: dict[str, Any]) -> str:
    doi = (row["doi"] or "").lower()
    field = next((name for name, pattern in FURTHER.items() if re.match(pattern, doi)), None)
    if field and not doi.startswith(REVIEWS):
        return "others" if ANSWER.search(row["title"]) else f"reviews: {field}"
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
        kind, title, abstract = kind_of(row), row["title"], row["abstract"] or ""
        if zlib.crc32(row["id"].encode()) % 2 != given.half and not kind.startswith("reviews: "):
            continue
        told, told_too = is_review("", "", title), is_review("", "", title, abstract)
        papers[kind] += 1
        by_title[kind] += told
        by_both[kind] += told_too
        if told_too and not told and not kind.startswith("reviews"):
            new.append(f"{title}\n    {abstract}")
    for kind, records in (("scifact", corpora.scifact_records()), ("sysrev", corpora.medicine())):
        abstracts = {row["title"]: row["abstract"] for row in records if IN_TITLE.search(row.get("title", ""))}
        papers[f"{kind}, titles withheld"] = len(abstracts)
        by_both[f"{kind}, titles withheld"] = sum(is_review("", "", "", one) for one in abstracts.values())
    print("| journals of | papers | reviews by their titles | by title or abstract |\n| --- | --- | --- | --- |")
    for kind, count in papers.items():
        shares = (f"{one[kind]} ({one[kind] / count:.2%})" for one in (by_title, by_both))
        print(f"| {kind} | {count} | {' | '.join(shares)} |")
    for text in random.Random(given.seed).sample(new, min(given.read, len(new))):
        print(f"\n{text}")


if __name__ == "__main__":
    main()
