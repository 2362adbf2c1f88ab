"""When is there an answer? The probability that `ask` holds against `answer.probability`: its measures, and its model.

    python benchmarks/refusal.py read       # libraries and measures of the questions, kept under .bench/refusal
    python benchmarks/refusal.py fit        # src/conspectus/answer/answerable.json
    python benchmarks/refusal.py table      # answered with the context present and without, training and development
    python benchmarks/refusal.py sealed     # the same of the sealed part

Questions: PubMedQA's; titles of arXiv that ask something, with their abstracts (without the title) among others;
SciFact's claims with evidence; Cranfield's. *Present*: what answers is in the library; *removed*: it is passed over,
and the nearest other papers have to do; *another field*: questions of one set to the library of another, and
AstroQA's. *Natural*: those of `bearing.py`, answered if a marked sentence was read. *Whole texts*: those of
`sets/primer_questions.jsonl`. The others at three sizes of library: all papers, and a third and a tenth of those that
do not answer. PubMedQA's contexts lie among the first 3,000 distractors of `corpora.py` and those of the other 17,000
that BM25 finds among the best six of any question: as hard as all, for a quarter of the embedding.

A question's part is decided by a hash of its set and id: half for training, a fifth for development, the rest sealed.
PubMedQA's training part trains `pair_reader.py`, so the model is made of its development part, with natural questions.
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import bearing
import corpora
import msgspec
import numpy as np

from conspectus import Filters, Library
from conspectus.answer import answerable
from conspectus.answer.answerable import Measured, Values
from conspectus.answer.quote_order import READ_TOGETHER, add_scores
from conspectus.answer.sentence_model import compare_passages
from conspectus.answer.sentences import read
from conspectus.evaluation import load
from conspectus.papers.retriever import make_retriever
from conspectus.search.encoded_query import QueryWords
from conspectus.settings import AnswerSettings

TARGET = corpora.ROOT / "src" / "conspectus" / "answer" / "answerable.json"
SIZES = (1.0, 1 / 3, 0.1)
DEEP, READ = 60, 12
SUPPORT = 0.6
"""The threshold of support that decided before."""
RIDGE = 0.005
MARGIN = 0.5
"""Taken from the log odds: the default threshold of 0.25 is where 95 to 96 % of PubMedQA's questions are answered.

It and `WEIGHTS` were settled with three readings of the sealed part."""
WEIGHTS = {
    "pubmedqa": (1.5, 0.6),
    "arxivq": (0.7, 0.7),
    "scifact": (0.5, 0.5),
    "cranfield": (0.5, 0.5),
    "another field": (0.3, 0.3),
    "natural": (0.3, 0.6),
    "whole texts": (5.0, 4.0),
}
"""Of questions that are answered, and that are not. There are many natural ones, and eighteen to whole texts."""
NATURAL = frozenset({"natural"})
"""Stands for the papers that answer a natural question: they are not taken out."""
ASKS = re.compile(
    r"^(?:who|what|when|where|why|how|which|whose|do|does|did|is|are|was|were|can|could|should|will|would|has|have|must"
    r"|may)\b",
    re.IGNORECASE,
)
Question = tuple[str, str, str, tuple[str, ...]]
"""Set, id, words, and the external ids of the papers that answer; none: no paper does."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question put to a library, and what was read for it, best first."""

    name: str
    id: str
    question: str
    gold: frozenset[str]
    words: QueryWords
    read: tuple[Measured, ...]
    texts: tuple[tuple[str, ...], ...] = ()  # the sentences of each


@dataclass(frozen=True, slots=True)
class Row:
    """One question at one size of library, with what answers it or without."""

    name: str
    part: str
    size: float
    present: bool
    measures: dict[str, float]

    @property
    def support(self) -> float:
        """About what decided before."""
        return (self.measures["cosine"] + self.measures["late"]) / 2


def share(*names: object) -> float:
    """A number from 0 to 1 that is always the same for the same names."""
    return int.from_bytes(blake2b("\0".join(map(str, names)).encode(), digest_size=8).digest(), "big") / 2**64


def part(name: str, number: str) -> str:
    """To which part a question belongs."""
    at = share("split", f"{name}:{number}")
    return "train" if at < 0.5 else "dev" if at < 0.7 else "sealed"


# libraries and questions


def pubmedqa() -> tuple[list[Path], list[Question]]:
    items = list(corpora.distractors())
    chosen = [*items[:3000], *near(items[3000:], [one["QUESTION"] for one in corpora.pubmedqa()])]
    files = [lines("pubmedqa", corpora.pubmedqa_records()), lines("pubmedqa-among", chosen)]
    return files, [("pubmedqa", q["pmid"], q["QUESTION"], (f"pubmedqa:{q['pmid']}",)) for q in corpora.pubmedqa()]


def asking() -> tuple[list[tuple[str, dict[str, Any]]], list[dict[str, Any]]]:
    """Titles of arXiv that ask something, each with its abstract; and other records; both shuffled."""
    data, rng = corpora.data_folder(), random.Random(16)
    found: dict[str, dict[str, Any]] = {}
    others = []
    for folder in ("arxiv_scale", "arxiv_astro", "arxiv_topics"):
        for path in sorted([*(data / folder).glob("*.zst"), *(data / folder).glob("*.gz")]):
            for item in corpora.read_lines(path):
                if len(item.get("abstract") or "") < 350:
                    continue
                if asked := asks(item.get("title") or ""):
                    found.setdefault(asked, {"id": f"q:{item['id']}", "abstract": " ".join(item["abstract"].split())})
                elif rng.random() < 0.01:
                    others.append({**corpora.plain(item), "id": f"o:{item['id']}"})
    pairs = list(found.items())
    rng.shuffle(pairs)
    rng.shuffle(others)
    return pairs, others


def arxiv() -> tuple[list[Path], list[Question]]:
    pairs, others = asking()
    files = [lines("arxiv", (record for _, record in pairs[:1400])), lines("arxiv-among", others[:1600])]
    return files, [("arxivq", record["id"], asked, (record["id"],)) for asked, record in pairs[:750]]


def asks(title: str) -> str:
    """The question that a title asks; "" where none."""
    words = " ".join(title.split())
    last = re.split(r"[:.!]\s+|\s[-–—]\s", words)[-1]
    return last if words.endswith("?") and ASKS.match(last) and len(last.split()) >= 6 and "$" not in last else ""


def scifact() -> tuple[list[Path], list[Question]]:
    claims = corpora.read_lines(corpora.data_folder() / "scifact" / "claims_train.jsonl")
    found = [("scifact", str(one["id"]), one["claim"], _gold(one)) for one in claims if one["evidence"]]
    return [lines("scifact", corpora.scifact_records())], found


def _gold(claim: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"scifact:{name}" for name in {*claim["evidence"], *map(str, claim["cited_doc_ids"])})


def cranfield() -> tuple[list[Path], list[Question]]:
    read = load("cranfield", corpora.data_folder())
    records = (
        {"id": f"cranfield:{one.id}", "title": one.title, "abstract": one.abstract}
        for one in read.documents()
        if not one.is_empty
    )
    asked = [("cranfield", q.id, q.text, tuple(f"cranfield:{name}" for name in q.relevant)) for q in read.questions]
    return [lines("cranfield", records)], asked


def astronomy() -> list[Question]:
    items = corpora.read_lines(next((corpora.data_folder() / "astroqa").glob("*.gz")))
    asked = [item["Question"] for item in items if item.get("Question", "").endswith("?")]
    return [("another field", f"a{number}", text, ()) for number, text in enumerate(asked[:60])]


def elsewhere(asked: Iterable[Question]) -> list[Question]:
    """Questions of another set, which this library does not answer."""
    return [("another field", number, text, ()) for _, number, text, _ in asked]


def lines(name: str, records: Iterable[dict[str, Any]]) -> Path:
    return corpora.write_lines(corpora.WORK / "refusal" / f"{name}.jsonl", records)


def near(items: Sequence[dict[str, Any]], questions: Iterable[str], most: int = 6) -> Iterator[dict[str, Any]]:
    """Those of `items` that are among the best `most` of some question by BM25."""
    counts = [Counter(stems(f"{item.get('title') or ''} {item['abstract']}")) for item in items]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / max(len(lengths), 1)
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, count in enumerate(counts):
        for word, number in count.items():
            found[word].append((place, number))
    picked: set[int] = set()
    for question in questions:
        scores: Counter[int] = Counter()
        for word in set(stems(question)):
            rarity = math.log(1 + (len(items) - len(found[word]) + 0.5) / (len(found[word]) + 0.5))
            for place, number in found[word]:
                scores[place] += rarity * number * 2.2 / (number + 0.3 + 0.9 * lengths[place] / mean)
        picked |= {place for place, _ in scores.most_common(most)}
    return (items[place] for place in sorted(picked))


def stems(text: str) -> list[str]:
    return [word[: max(4, len(word) - 3)] for word in re.findall(r"\w+", text.lower())]


# reading


def read_all() -> None:
    """Ask each library its questions, and those of others; keep what was measured."""
    sets = {"pubmedqa": pubmedqa(), "arxivq": arxiv(), "scifact": scifact(), "cranfield": cranfield()}
    of = {name: questions for name, (_, questions) in sets.items()}
    foreign = {
        "pubmedqa": [*astronomy(), *elsewhere(of["cranfield"][100:140])],
        "arxivq": elsewhere(of["pubmedqa"][:90]),
        "scifact": elsewhere([*of["arxivq"][:250], *of["cranfield"][:50]]),
        "cranfield": elsewhere([*of["pubmedqa"][:150], *of["arxivq"][:100]]),
    }
    for name, (files, questions) in sets.items():
        path = corpora.WORK / "refusal" / f"{name}.pickle"
        if not path.exists():
            with corpora.library(f"refusal/{name}", *files) as lib:
                asked = [put(lib, one) for one in [*questions, *foreign[name]]]
            path.write_bytes(pickle.dumps([one for one in asked if one.words.texts]))
        print(f"{name}: read")
    path = corpora.WORK / "refusal" / "natural.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(list(natural())))


def natural() -> Iterator[Asked]:
    """The questions of `bearing.py`, but those that the pair reader was trained with; and some to ten whole texts."""
    rows = [row for row in bearing.read_questions() if not bearing.is_read_together(row)]
    for corpus in bearing.CORPORA:
        with bearing.open_library(corpus) as lib:
            for number, row in enumerate(rows):
                if row["corpus"] == corpus:
                    asked = put(lib, ("natural", str(number), row["question"], ()), READ)
                    is_read = not {bearing.digest(text) for texts in asked.texts for text in texts}.isdisjoint(
                        row["bears"]
                    )
                    yield replace(asked, gold=NATURAL if is_read else frozenset())  # else what is read cannot answer
    with bearing.open_primers() as lib:
        for row in corpora.read_lines(corpora.ROOT / "benchmarks" / "sets" / "primer_questions.jsonl"):
            asked = put(lib, ("whole texts", row["question"], row["question"], ()), READ)
            yield replace(asked, gold=NATURAL if row["answered"] else frozenset())


def put(lib: Library, question: Question, deep: int = DEEP) -> Asked:
    """One question put to a library: so many passages are read that a third and a tenth of the papers can be taken."""
    name, number, text, gold = question
    retriever = make_retriever(lib.session)
    asked = retriever.encode(text, Filters())
    hits = retriever.retrieve(asked, Filters(), DEEP)[:deep]
    found = read(retriever, asked, hits)
    answering = frozenset(paper.id for paper in bearing.papers_of(lib) if paper.external_id in gold)
    stored = retriever.catalog.passages_by_key([hit.key for hit in hits])
    texts = tuple(tuple(span.text for span in stored[hit.key].passage.spans) for hit in hits if hit.key in stored)
    return Asked(name, number, text, answering, asked.content, tuple(found.measured), texts)


def rows() -> list[Row]:
    """All questions at all sizes, with what answers and without."""
    found = []
    for name in ("pubmedqa", "arxivq", "scifact", "cranfield", "natural"):
        path = corpora.WORK / "refusal" / f"{name}.pickle"
        asked = pickle.loads(path.read_bytes()) if path.exists() else []
        found += [row for one in asked for row in sized(one)]
    return found


def sized(one: Asked) -> Iterator[Row]:
    passages = list(zip(one.read, one.texts, strict=True))
    if one.name in ("natural", "whole texts"):
        yield Row(one.name, "train", 1.0, one.gold == NATURAL, measures_of(one, one.words, passages[:READ]))
        return
    for size in SIZES:
        kept = [item for item in passages if item[0].paper in one.gold or share(one.id, item[0].paper) < size]
        words = QueryWords(one.words.texts, tuple(n * size for n in one.words.frequencies), one.words.passages * size)
        for present in (True, False) if one.gold else (False,):
            items = [item for item in kept if present or item[0].paper not in one.gold][:READ]
            if len(items) >= 3 and (not present or any(item.paper in one.gold for item, _ in items)):
                yield Row(one.name, part(one.name, one.id), size, present, measures_of(one, words, items))


def measures_of(one: Asked, words: QueryWords, items: Sequence[tuple[Measured, Sequence[str]]]) -> dict[str, float]:
    """With what models of sentences say of those that were read that were trained without this question."""
    made = bearing.model_without(one.question)
    rows = compare_passages([item.rows for item, _ in items])
    bears = [made.probabilities(row) for row in rows]
    sentences = [
        (likely, item.paper, measures, text)
        for (item, texts), own_rows, own in zip(items, rows, bears, strict=True)
        for likely, measures, text in zip(own, own_rows, texts, strict=True)
    ]
    best = sorted(sentences, key=lambda sentence: -sentence[0])[:READ_TOGETHER]
    scores = bearing.score_pairs([(one.question, text) for *_, text in best])
    told = bearing.quote_model_without(one.question).probabilities(
        add_scores(np.array([measures for _, _, measures, _ in best]), scores)
    )
    quotes = [(paper, float(likely)) for (_, paper, _, _), likely in zip(best, told, strict=True)]
    read = [replace(item, bears=of) for (item, _), of in zip(items, bears, strict=True)]
    return answerable.measures(words, read, quotes)


# the model


def fit() -> None:
    """Make the model: of natural questions, and of the development part, whose sentences the reader does not know."""
    found = [row for row in rows() if row.part == "dev" or row.name in ("natural", "whole texts", "another field")]
    found = [row for row in found if row.part != "sealed"]
    weights = np.array([WEIGHTS[row.name][0 if row.present else 1] for row in found])
    present = np.array([row.present for row in found], np.float64)
    made = bearing.train_network(matrix(found), present, weights, list(found[0].measures), RIDGE)
    made = msgspec.structs.replace(made, output=[*made.output[:-1], round(made.output[-1] - MARGIN, 4)])
    TARGET.write_bytes(msgspec.json.encode(made) + b"\n")
    print(f"{len(found)} rows; {TARGET}")


def matrix(found: Sequence[Row]) -> Values:
    return np.array([list(row.measures.values()) for row in found], np.float64)


def table(parts: Sequence[str]) -> None:
    """Print how much is answered with what answers present and removed, over the thresholds, and the calibration."""
    answerable.model.cache_clear()
    made, found = answerable.model(), [row for row in rows() if row.part in parts]
    likely = made.probabilities(np.array([[row.measures[name] for name in made.names] for row in found], np.float32))
    support = np.array([row.support for row in found])
    used = AnswerSettings().probability
    grid = sorted({0.1, 0.2, 0.3, 0.4, 0.5, 0.7, used})
    print(f"\n{' and '.join(parts)}; present / removed\n")
    print(
        "| questions, size of the library | asked | AUC | support 0.6 | "
        + " | ".join(f"{at:.2f}" for at in grid)
        + " |"
    )
    print("| --- " * (len(grid) + 4) + "|")
    for name in WEIGHTS:
        for size in SIZES:
            here = np.array([row.name == name and row.size == size for row in found])
            with_it = here & np.array([row.present for row in found])
            cells = [rate(support, SUPPORT, here, with_it), *(rate(likely, at, here, with_it) for at in grid)]
            area = f"{auc(likely[with_it], likely[here & ~with_it]):.3f}" if with_it.any() else ""
            print(f"| {name}, {size:.2g} | {int((here & ~with_it).sum())} | {area} | " + " | ".join(cells) + " |")
    present = np.array([row.present for row in found])
    bins = [(likely >= low) & (likely < low + 0.2) for low in (0, 0.2, 0.4, 0.6, 0.8)]
    told = ", ".join(f"{likely[one].mean():.2f}: {present[one].mean():.2f}" for one in bins)
    print(f"\nprobability told: part that is answered by the library, in five bins: {told}")


def rate(values: Values, at: float, here: Any, with_it: Any) -> str:
    without = f"{(values[here & ~with_it] >= at).mean():.1%}"
    return f"{(values[with_it] >= at).mean():.1%} / {without}" if with_it.any() else without


def auc(high: Values, low: Values) -> float:
    """The probability that one of `high` is above one of `low`."""
    return float((high[:, None] > low[None, :]).mean() + 0.5 * (high[:, None] == low[None, :]).mean())


def main() -> None:
    """One of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("read", "fit", "table", "sealed"))
    step = parser.parse_args().step
    if step == "read":
        read_all()
    elif step == "fit":
        fit()
    else:
        for parts in (("train",), ("dev",)) if step == "table" else (("sealed",),):
            table(parts)


if __name__ == "__main__":
    main()
