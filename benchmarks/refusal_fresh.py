"""Questions that nobody had read when the model of `refusal.py` was made, put to libraries of their own.

    python benchmarks/refusal_fresh.py [bioasq] [medical] [physics]

`bioasq`: 300 of BioASQ's questions; a paper is all that is marked in it, and no paper is of a question of the other
half. `medical`: titles in the records of systematic reviews that ask something; their abstracts lie, without the
titles, among the records of the same reviews. `physics`: titles of arXiv that ask, none of which was asked or in a
library of `refusal.py`. Sizes and measures are those of `refusal.py`; nothing is fitted here.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import corpora
import numpy as np
import refusal
from refusal import Question, Row
from retrieval import library

from conspectus.answer import answerable
from conspectus.settings import AnswerSettings

Set = tuple[list[Path], list[Question]]


def bioasq() -> Set:
    """The half that was looked at least: parted by groups of questions that share papers."""
    folder = corpora.data_folder() / "bioasq"
    asked = list(corpora.read_lines(folder / "questions.jsonl.gz"))
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for one in asked:
        for pmid in one["pmids"]:
            parent[root(pmid)] = root(one["pmids"][0])

    def sealed(pmid: str) -> bool:
        return refusal.share("bioasq", root(pmid)) < 0.5

    here = [one for one in asked if sealed(one["pmids"][0])]
    picked = sorted(here, key=lambda one: refusal.share("pick", one["id"]))[:300]
    gold = {pmid for one in picked for pmid in one["pmids"]}
    texts: dict[str, list[str]] = defaultdict(list)
    for one in corpora.read_lines(folder / "snippets.jsonl.gz"):
        texts[str(one["pmid"])].append(one["text"])
    records = (
        {"id": f"bioasq:{pmid}", "abstract": " ".join(dict.fromkeys(said))}
        for pmid, said in texts.items()
        if sealed(pmid) and (pmid in gold or refusal.share("other", f"bioasq:{pmid}") < 0.25)
    )
    questions = [("bioasq", q["id"], q["question"], tuple(f"bioasq:{pmid}" for pmid in q["pmids"])) for q in picked]
    return [refusal.lines("fresh-bioasq", records)], questions


def medical() -> Set:
    """No paper of PubMedQA."""
    data = corpora.data_folder()
    known = {str(one["pmid"]) for one in corpora.pubmedqa()}
    asking: dict[str, dict[str, str]] = {}
    others = []
    for path in ("sysrev/records.jsonl.gz", "neuro_corpus/fulltext.jsonl.gz", "neuro_corpus/abstracts.jsonl.gz"):
        for item in corpora.read_lines(data / path):
            text, title = " ".join((item.get("abstract") or "").split()), (item.get("title") or "").strip("[] ")
            name = str(item.get("pmid") or title)
            if not text or name in known:
                continue
            known.add(name)
            asked = refusal.asks(title) if len(text) >= 350 else ""
            if len(asked.split()) >= 7:
                asking.setdefault(asked, {"id": f"m:{len(asking)}", "abstract": text})
            else:
                record: dict[str, Any] = corpora.plain(item)
                kept = {field: value for field, value in record.items() if field not in ("pmid", "doi")}
                others.append({**kept, "id": f"mo:{len(others)}"})
    random.Random(17).shuffle(others)
    among = [*others[:800], *refusal.near(others[800:], asking, most=12)]
    files = [refusal.lines("fresh-medical", asking.values()), refusal.lines("fresh-medical-among", among)]
    return files, [("medical", record["id"], asked, (record["id"],)) for asked, record in asking.items()]


def physics() -> Set:
    """What follows those that `refusal.arxiv` takes, in the same order."""
    pairs, others = refusal.asking()
    fresh = pairs[1400:1700]
    files = [
        refusal.lines("fresh-physics", (record for _, record in fresh)),
        refusal.lines("fresh-physics-among", others[1600:2600]),
    ]
    return files, [("physics", record["id"], asked, (record["id"],)) for asked, record in fresh]


SETS = {"bioasq": bioasq, "medical": medical, "physics": physics}


def main() -> None:
    """Ask what was not asked before, and print what is answered with intervals of 95 % (Wilson)."""
    for name in sys.argv[1:] or SETS:
        path = corpora.WORK / "refusal" / f"fresh-{name}.pickle"
        if not path.exists():
            files, questions = SETS[name]()
            with library(f"refusal/fresh-{name}", *files) as lib:
                asked = [refusal.put(lib, one) for one in questions]
            path.write_bytes(pickle.dumps([one for one in asked if one.words.texts]))
        rows = [row for one in pickle.loads(path.read_bytes()) for row in refusal.sized(one)]
        for size in refusal.SIZES:
            print(line(name, size, [row for row in rows if row.size == size]))


def line(name: str, size: float, rows: list[Row]) -> str:
    """A row of the table."""
    likely = np.array([answerable.model().probability(np.array(list(row.measures.values()))) for row in rows])
    there = np.array([row.present for row in rows])
    used = AnswerSettings().probability
    cells = [
        f"{refusal.auc(likely[there], likely[~there]):.3f}",
        told(likely[there] >= used),
        told(likely[~there] >= used),
    ]
    cells += [
        f"{(likely[there] >= at).mean():.1%} / {(likely[~there] >= at).mean():.1%}" for at in (0.1, 0.4, 0.5, 0.7)
    ]
    return f"| {name}, {size:.2g} | {int((~there).sum())} | " + " | ".join(cells) + " |"


def told(found: np.ndarray[Any, Any]) -> str:
    """A share and its interval."""
    count, share, z = len(found), float(found.mean()), 1.96
    middle = (share + z * z / 2 / count) / (1 + z * z / count)
    half = z * (share * (1 - share) / count + z * z / 4 / count**2) ** 0.5 / (1 + z * z / count)
    return f"{share:.1%} ({middle - half:.1%} to {middle + half:.1%})"


if __name__ == "__main__":
    main()
