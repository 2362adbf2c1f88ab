"""The neuroscience corpus end to end, offline: added, linked by NIFSTD, listed, asked; seconds of each new process.

    python benchmarks/graph_end_to_end.py [PAPERS]
    python benchmarks/graph_end_to_end.py general

PAPERS of the 626 full texts (all); the library stays in `.bench/neuro`, so that the second run adds nothing. `general`
lists what `entities --top` leaves out of the 50 most spoken of there, and, on abstracts of astronomy by the UAT, which
of the 150 most spoken of are nearest to being left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from corpora import WORK, data_folder, read_lines

PLACE = WORK / "neuro"
QUESTION = "how do astrocytes shape memory in the hippocampus"


def papers(number: int) -> Path:
    """A folder with a Markdown file each."""
    folder = WORK / f"neuro-{number}"
    folder.mkdir(parents=True, exist_ok=True)
    for one in islice(read_lines(data_folder() / "neuro_corpus" / "fulltext.jsonl.gz"), number):
        said = {name: one[name] for name in ("title", "authors", "year", "journal", "doi") if one[name]}
        head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in said.items())
        text = f"---\n{head}---\n\n## Abstract\n\n{one['abstract'] or ''}\n\n{one['body'] or ''}\n"
        (folder / f"{one['id']}.md").write_text(text, "utf-8")
    return folder


def verb(*words: str) -> str:
    """What a verb prints, its seconds told."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "conspectus", "--library", str(PLACE), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    print(f"{time.perf_counter() - begun:8.2f} s  {' '.join(words[:4])[:60]}", flush=True)
    if done.returncode:
        print(done.stderr.strip())
    return done.stdout


def whole(number: int) -> None:
    verb("add", str(papers(number)))
    verb("vocabulary", "add", str(data_folder() / "nifstd" / "nifstd_ttl.tar.xz"))
    print(verb("link").strip())
    verb("entities", "--top", "50")
    verb("graph", "hippocampus", "astrocyte")
    verb("search", QUESTION)
    verb("search", "--graph", QUESTION)
    for name in ("catalog.sqlite", "linking"):
        files = [one for one in (PLACE / name, *(PLACE / name).rglob("*")) if one.is_file()]
        print(f"{name}: {sum(one.stat().st_size for one in files) / 1e6:.1f} MB")


def general() -> None:
    every, own = (
        [one["name"] for one in json.loads(verb("--json", "entities", *words))["entities"]]
        for words in (("--top", "50", "--general"), ("--top", "50"))
    )
    print("left out:", ", ".join(one for one in every if one not in own))
    print("nearest to it in astronomy:", _astronomy())


def _astronomy() -> list[tuple[float, str]]:
    from conspectus import Library
    from conspectus.catalog import mentions as kept
    from conspectus.graph.generality import Generality
    from conspectus.graph.linking import Linker
    from conspectus.library.kept_names import table_of
    from conspectus.models.store import ModelStore
    from conspectus.models.vocabulary import plain_ranks

    with Library(WORK / "uat") as library:
        library.add_vocabulary(data_folder() / "uat" / "UAT.rdf.xz")
        catalog, linker = library.session.catalog, Linker(table_of(library.session).whole)
        said: Counter[int] = Counter()
        spoken: Counter[int] = Counter()
        number = words = 0
        for one in read_lines(data_folder() / "arxiv_astro" / "astro_abstracts.jsonl.gz"):
            number += 1
            texts = [one["title"], one["abstract"]]
            words += sum(len(text.split()) for text in texts)
            found = Counter(match.concept for group in linker.link(texts) for match in group)
            said.update(found)
            spoken.update(found.keys())
        top = [key for key, _ in said.most_common(150)]
        names, judge = kept.one_word_names(catalog, top), Generality(plain_ranks(ModelStore(None)) or {}, number, words)
        labels = kept.entities(catalog, {key: kept.Together(said[key], spoken[key]) for key in top})
        own = ((judge.own(names.get(key, ()), said[key], spoken[key]), labels[key].name) for key in top)
        return [(round(value, 1), label) for value, label in sorted(own)[:5]]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["general"]:
            general()
        case [number]:
            whole(int(number))
        case _:
            whole(626)
