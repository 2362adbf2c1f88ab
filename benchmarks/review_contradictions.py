"""Is every planted contradiction put to the judge, and how many pairs is it asked about? (PaperQA2's contradictions)

    PYTHONPATH=src:tests python benchmarks/review_contradictions.py                # what the rules were made on
    PYTHONPATH=src:tests python benchmarks/review_contradictions.py --part fresh   # read once, when all was settled

Sentences of real abstracts were contradicted by hand, as another paper would (`sets/contradictions.jsonl`: opposite
direction, an effect and its absence, other numbers, another cause). A part of them is planted, each in a paper without
a title, among 2,000 sentences of whole abstracts of SciFact, PubMedQA and neuro_corpus, those contradicted among them.
`review contradictions` runs on that library; the judge is a script that knows the planted pairs and says `compatible`
to all others. Peers rank the pairs of the same statements by the cosine of their vectors as they are written, and by
BM25: how many pairs a judge reads until it has seen every planted one.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus import Filters, Library
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.store import ModelStore
from conspectus.parse.text.sentences import split_sentences
from conspectus.review.report.contradictions import find_contradictions
from conspectus.review.report.paper_statements import collect_statements
from language_server import InProcess, request_text

SENTENCES = 2000
MOST_EACH = 60
COMMAND = "PYTHONPATH=src:tests python benchmarks/review_contradictions.py --part fresh"
SET = Path(__file__).resolve().parent / "sets" / "contradictions.jsonl"
CORPORA = ("scifact/corpus", "pubmedqa/pqal", "neuro_corpus/abstracts")
OTHERS = ("arxiv_topics/materials_chem_softmatter", "arxiv_topics/qbio_nc_neuroscience")


def abstracts() -> Iterator[tuple[str, str, str, list[str]]]:
    """File, id, title and sentences of each abstract."""
    folder = corpora.data_folder()
    for name in (*CORPORA, *OTHERS):
        for row in corpora.read_lines(folder / f"{name}.jsonl.gz"):
            text = row.get("abstract") or row.get("CONTEXTS") or ""
            sentences = [one for part in ([text] if isinstance(text, str) else text) for one in _split(part)]
            name_in_set = str(row.get("doc_id") or row.get("pmid" if "CONTEXTS" in row else "id"))
            yield f"{name}.jsonl.gz", name_in_set, row.get("title") or row.get("QUESTION") or "", sentences


def _split(text: str) -> list[str]:
    line = " ".join(text.split())
    return [line[start:end].strip() for start, end in split_sentences(line)]


def planted_set(part: str) -> list[dict[str, Any]]:
    """The contradictions of one part."""
    return [row for row in map(json.loads, SET.read_text("utf-8").splitlines()) if row["part"] == part]


def records(planted: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The papers, and of each planted statement the sentence that it contradicts."""
    known = {(file, name): (title, own) for file, name, title, own in abstracts()}
    contradicted = [(row["source"][0], row["source"][1]) for row in planted]
    others = [
        sorted((one for one in known if one[0].startswith(name) and len(known[one][1]) > 3), key=_digest)
        for name in CORPORA
    ]
    drawn = (one for turn in zip(*others, strict=False) for one in turn)
    chosen: list[dict[str, Any]] = []
    count = 0
    for name in dict.fromkeys((*contradicted, *drawn)):
        title, own = known[name]
        if count + len(own) > SENTENCES and name not in contradicted:
            break
        count += len(own)
        chosen.append({"id": ":".join(name), "title": title, "abstract": " ".join(own)})
    print(f"{count} sentences of {len(chosen)} abstracts, {len(planted)} planted")
    pairs = {}
    for row in planted:
        (whole,) = [one for one in known[row["source"][0], row["source"][1]][1] if one.startswith(row["source"][2])]
        pairs[row["statement"]] = whole
        chosen.append({"id": row["id"], "abstract": row["statement"]})
    return chosen, pairs


def _digest(name: tuple[str, str]) -> str:
    return sha256(":".join(name).encode()).hexdigest()


class Judge:
    """Knows the planted pairs, and remembers what it was asked."""

    def __init__(self, pairs: dict[str, str]) -> None:
        self.pairs = {frozenset(map(_letters, pair)) for pair in pairs.items()}
        self.asked: list[frozenset[str]] = []

    def __call__(self, body: dict[str, Any]) -> dict[str, str]:
        """Its verdict on the pair in a request."""
        pair = frozenset(map(_letters, re.findall(r"^> (.*)$", request_text(body), re.MULTILINE)))
        self.asked.append(pair)
        planted = pair in self.pairs
        return {"verdict": "contradict" if planted else "compatible", "why": "They exclude each other." * planted}


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())


def read_until_all(scores: Any, papers: Sequence[str], planted: Sequence[tuple[int, int]]) -> int:
    """How many pairs of different papers score as high as the lowest of the planted ones."""
    known = np.array(papers)
    scores = np.where(known[:, None] == known[None], -np.inf, scores)
    least = min(scores[pair] for pair in planted)
    return int((scores[np.triu_indices(len(papers), 1)] >= least).sum())


def peers(rows: Sequence[tuple[str, str]], pairs: dict[str, str], embedder: MiniLM) -> dict[str, int]:
    """Pairs of statements (paper, text) that are read until all planted ones are, by a peer."""
    places = {_letters(text): place for place, (_, text) in enumerate(rows)}
    planted = [(places[_letters(one)], places[_letters(other)]) for one, other in pairs.items()]
    names = [name for name, _ in rows]
    vectors = np.array([one.vector for one in embedder.embed([text for _, text in rows])])
    return {
        "cosine": read_until_all(vectors @ vectors.T, names, planted),
        "BM25": read_until_all(_bm25([text for _, text in rows]), names, planted),
    }


def _bm25(texts: Sequence[str]) -> Any:
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    known = {word: place for place, word in enumerate(dict.fromkeys(word for own in words for word in own))}
    counts = np.zeros((len(texts), len(known)), np.float32)
    for place, own in enumerate(words):
        for word in own:
            counts[place, known[word]] += 1
    lengths, has = counts.sum(axis=1, keepdims=True), (counts > 0).sum(axis=0)
    rarity = np.log(1 + (len(texts) - has + 0.5) / (has + 0.5))
    weights = rarity * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * lengths / lengths.mean()))
    scores = (counts > 0).astype(np.float32) @ weights.T
    return (scores + scores.T) / 2


def main() -> None:
    """Print the figures; store those of the fresh part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("development", "first", "fresh"), default="development")
    part = parser.parse_args().part
    planted = planted_set(part)
    chosen, pairs = records(planted)
    judge = Judge(pairs)
    embedder = MiniLM(ModelStore().path(SPEC))
    with tempfile.TemporaryDirectory() as folder:
        file = corpora.write_lines(Path(folder) / "papers.jsonl", chosen)
        with Library(Path(folder) / "library", embedder=embedder, models={"judge": InProcess(judge)}) as library:
            library.add([file])
            found = find_contradictions(library.session, Filters(), paper="", most=10**6, model="judge", cache=True)
            catalog = library.session.catalog
            each = collect_statements(catalog, list(catalog.papers()))
            rows = [(one.paper.id, one.span.text) for own in each for one in own]
    seen, asked = len(judge.pairs & set(judge.asked)), len(judge.asked)
    print(f"{found.statements} statements of {found.papers} papers, {found.pairs} pairs")
    print(f"planted pairs judged: {seen} of {len(planted)}; found: {len(found.contradictions)}")
    print(f"pairs judged for each planted one: {asked / len(planted):.1f} (at most {MOST_EACH})")
    until = peers(rows, pairs, embedder)
    for name, count in until.items():
        print(f"{name}: {count} pairs until all planted ones are read, {count / len(planted):.1f} each")
    if part == "fresh":
        value = f"{seen} of {len(planted)}; {asked / len(planted):.1f}"
        others = ", ".join(f"{name} {len(planted)}; {count / len(planted):,.0f}" for name, count in until.items())
        what = "Planted contradictions put to the judge; pairs judged for each, first reading"
        figure = Figure(what, value, f"all; ≤ {MOST_EACH}", others)
        store_figures("review_contradictions", "review", COMMAND, [figure])


if __name__ == "__main__":
    main()
