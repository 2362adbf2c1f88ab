"""The model that tells which sentence bears an answer: its training, and how well it does.

    python benchmarks/bearing.py read      # libraries and measures of the questions, kept under .bench/bearing
    python benchmarks/bearing.py check     # trained on four fifths of the questions, measured on the others
    python benchmarks/bearing.py fit       # src/conspectus/answer/sentence_model.json, of all questions
    python benchmarks/bearing.py quotes    # the same check with sentences read together with the question
    python benchmarks/bearing.py fit-quotes  # src/conspectus/answer/quote_order.json

Questions: those of `sets/bearing_questions.jsonl`, put to abstracts of neuroscience and of astronomy, with a mark for
each sentence that was read (by the author of the model; none is of `natural_sets.py`); SciFact's claims with their
rationales; PubMedQA's, for whose sentences the label of their section has to do; BioASQ's with their snippets among
those of other questions. `check` prints the mean reciprocal rank of the first sentence that bears an answer, of SciFact
and BioASQ, next to cosine, BM25, late interaction and the score that ordered quotes before, with bootstrap intervals.
`quotes` uses questions that `pair_reader.py` was not trained with: a fifth of SciFact's, and all but PubMedQA's.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import corpora
import msgspec
import numpy as np
from natural_questions import open_abstracts
from natural_sets import NaturalQuestion, load_questions, normalize
from numpy.typing import NDArray
from sentence_zones import zone_of

from conspectus import Filters, Library
from conspectus.answer.quote_order import NAMES, READ_TOGETHER, add_scores
from conspectus.answer.sentence_model import MEASURES, compare_passages, load_bearing_model
from conspectus.answer.sentences import QuotableSentence, read
from conspectus.answer.small_network import SmallNetwork
from conspectus.models.minilm import SPEC
from conspectus.models.pair_reader import open_pair_reader
from conspectus.models.store import ModelStore
from conspectus.papers.retriever import make_retriever

TARGET = corpora.ROOT / "src" / "conspectus" / "answer" / "sentence_model.json"
QUOTES = TARGET.with_name("quote_order.json")
ADAPTER = corpora.ROOT / "src" / "conspectus" / "models" / "data" / "pair_reader.npz"
EMBEDDER = "all-MiniLM-L6-v2/int8/1"
READ, DEEP = 12, 60
UNITS, RIDGE, STEPS, SEEDS = 12, 0.008, 300, 3
WEIGHTS = {
    "neuro": 1.0,
    "astro": 1.0,
    "topics": 1.0,
    "bio": 1.0,
    "trials": 1.0,
    "earth": 1.0,
    "machines": 1.0,
    "natural": 1.0,
    "primers": 20.0,
    "scifact": 0.4,
    "pubmedqa": 0.03,
    "bioasq": 0.03,
}
QUESTIONS = ("bearing_questions", "bearing_questions_more", "bearing_questions_wide", "bearing_questions_twice")
CORPORA = ("neuro", "astro", "topics", "bio", "trials", "earth", "machines")
CATEGORIES = {
    "earth": ("physics.geo-ph", "physics.ao-ph", "q-bio.PE"),
    "machines": ("cs.CL", "cs.LG", "cs.RO", "cs.SI"),
}
FOLDS = 5
HELD = 0
"""The fold of SciFact's claims that `pair_reader.py` does not train with."""
Floats = NDArray[np.float64]
_KNOWN: dict[int, list[Any]] = {}
_SCORES: dict[tuple[str, str], float] = {}
MANY = 1000
"""So many new scores of pairs are worth a file."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence read for a question.

    Attributes:
        bears: whether it bears an answer; None: nobody knows.
        own: whether it is of a paper that answers.
        scores: what others rank by: the score of before, cosine of the sentence alone, BM25, late interaction.
    """

    name: str
    question: str
    bears: float | None
    own: bool
    measures: NDArray[np.float32]
    scores: tuple[float, float, float, float]
    text: str = ""


def fold(question: str) -> int:
    return draw(f"bearing\0{first_wording(question)}", FOLDS)


def quote_fold(question: str) -> int:
    return draw(f"bearing\0quotes\0{first_wording(question)}", FOLDS)


def draw(name: str, count: int) -> int:
    """A number below `count`, always the same."""
    return hashlib.blake2b(name.encode(), digest_size=4).digest()[0] % count


def first_wording(question: str) -> str:
    """The first wording of a question that is asked in two; else the question itself."""
    return _first_wordings().get(question, question)


@lru_cache(maxsize=1)
def _first_wordings() -> dict[str, str]:
    return {row["question"]: row["first"] for row in read_questions() if "first" in row}


def digest(text: str) -> str:
    """Of the words of a sentence, as `natural_sets.py` has it."""
    return hashlib.sha1(normalize(text).encode()).hexdigest()[:10]


# reading


def put(lib: Library, question: str, papers: frozenset[str]) -> list[QuotableSentence]:
    """All sentences that are read for a question; where papers are given, those of these."""
    retriever = make_retriever(lib.session)
    asked = retriever.encode(question, Filters())
    found = retriever.retrieve(asked, Filters(), DEEP)
    if papers:
        stored = retriever.catalog.passages_by_key([one.key for one in found])
        found = [one for one in found if one.key in stored and stored[one.key].passage.paper_id in papers]
    return read(retriever, asked, found[:READ]).candidates


def samples_of(
    lib: Library, name: str, question: str, gold: Iterable[str], mark: Callable[[QuotableSentence, bool], float | None]
) -> Iterator[Sample]:
    ids = {paper.external_id: paper.id for paper in papers_of(lib)}
    own = {ids[one] for one in gold if one in ids}
    found = put(lib, question, frozenset() if name == "bioasq" else frozenset(own))
    rank = BM25([one.span.text for one in found])
    vectors = lib.session.embedder
    asked = vectors.embed_query(question).vector
    ranked = [one for one in found if name == "bioasq" or one.paper.id in own]
    vectors_of = zip(ranked, vectors.embed([one.span.text for one in ranked]), strict=True)
    alone = {one.span.id: float(embedding.vector @ asked) for one, embedding in vectors_of}
    at = MEASURES.index("late")
    for one, words in zip(found, rank.scores(question), strict=True):
        assert one.measures is not None
        is_own = one.paper.id in own
        scores = (one.score, alone.get(one.span.id, 0.0), words, float(one.measures[at]))
        yield Sample(name, question, mark(one, is_own), is_own, one.measures, scores, one.span.text)


def papers_of(lib: Library) -> list[Any]:
    """All papers of a library, read once."""
    if id(lib) not in _KNOWN:
        _KNOWN[id(lib)] = list(lib.papers())
    return _KNOWN[id(lib)]


class BM25:
    """Okapi's BM25 over sentences (k1 1.2, b 0.75)."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
        self.mean = np.mean([count.total() for count in self.counts]) if texts else 1.0
        self.having = Counter(word for count in self.counts for word in count)

    def scores(self, question: str) -> list[float]:
        words, number = set(re.findall(r"\w+", question.lower())), len(self.counts)
        rarity = {word: math.log(1 + (number - self.having[word] + 0.5) / (self.having[word] + 0.5)) for word in words}
        return [
            sum(
                rarity[word] * count[word] * 2.2 / (count[word] + 0.3 + 0.9 * count.total() / self.mean)
                for word in words
            )
            for count in self.counts
        ]


def open_library(corpus: str) -> Library:
    """The abstracts that our questions are put to, one of `CORPORA`; texts are left out."""
    file = corpora.write_lines(corpora.WORK / "refusal" / f"natural-{corpus}.jsonl", records_of(corpus))
    return corpora.library(f"natural/{corpus}", file)


def records_of(corpus: str) -> list[dict[str, Any]]:
    """All abstracts of neuroscience, or a random part: of astronomy, of categories of arXiv, of what ten systematic
    reviews screened, of SciFact's without those that its claims cite."""
    data = corpora.data_folder()
    if corpus == "neuro":
        files = (data / "neuro_corpus" / f"{name}.jsonl.gz" for name in ("abstracts", "fulltext"))
        return [corpora.plain(item) for path in files for item in corpora.read_lines(path) if item.get("abstract")]
    if corpus == "astro":
        items = corpora.read_lines(data / "arxiv_astro" / "astro_abstracts.jsonl.gz")
        return draw_records(40, 1400, ({**corpora.plain(item), "id": f"a:{item['arxiv_id']}"} for item in items))
    if corpus == "topics":
        names = ("materials_chem_softmatter", "qbio_nc_neuroscience")
        lines = (corpora.read_lines(data / "arxiv_topics" / f"{name}.jsonl.gz") for name in names)
        return draw_records(
            41, 1200, ({name: item[name] for name in ("id", "title", "abstract")} for part in lines for item in part)
        )
    if corpus in CATEGORIES:
        lines = corpora.read_lines(data / "arxiv_scale" / "arxiv_350k.jsonl.zst")
        items = (item for item in lines if item["primary_category"] in CATEGORIES[corpus])
        return draw_records(43, 1200, ({name: item[name] for name in ("id", "title", "abstract")} for item in items))
    if corpus == "trials":
        screened = {item["title"]: item for item in corpora.read_lines(data / "sysrev" / "records.jsonl.gz")}
        return draw_records(44, 1200, map(corpora.plain, screened.values()))
    claims = list(corpora.read_lines(data / "scifact" / "claims_train.jsonl"))
    cited = {str(name) for claim in claims for name in (*claim["evidence"], *claim.get("cited_doc_ids", ()))}
    records = (item for item in corpora.scifact_records() if item["id"].removeprefix("scifact:") not in cited)
    return draw_records(42, 1200, records)


def draw_records(seed: int, count: int, records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """So many at random, always the same, of those with a long abstract."""
    drawn = [record for record in records if len(record.get("abstract") or "") > 350]
    random.Random(seed).shuffle(drawn)
    return drawn[:count]


def read_questions() -> list[dict[str, Any]]:
    """Our own questions, with the digests of the sentences that bear an answer and of those that do not; one that was
    asked again in other words follows as a row of its own, with the `first` wording."""
    folder = corpora.ROOT / "benchmarks" / "sets"
    rows = [row for name in QUESTIONS for row in corpora.read_lines(folder / f"{name}.jsonl")]
    return [
        wording
        for row in rows
        for wording in (row, {**row, "question": row.get("again"), "first": row["question"]})
        if wording["question"]
    ]


def is_read_together(row: dict[str, Any]) -> bool:
    """Whether `pair_reader.py` trains with a question of our own; the others measure."""
    if "again" in row:
        return draw(f"read together\0{row.get('first', row['question'])}", 10) < 7
    return "kind" in row and fold(f"read together\0{row['question']}") % 2 == 0


def ours() -> Iterator[Sample]:
    rows = [row for row in read_questions() if "again" not in row or not is_read_together(row)]  # there are many
    for corpus in CORPORA:
        with open_library(corpus) as lib:
            for row in rows:
                if row["corpus"] == corpus:
                    bears, others = frozenset(row["bears"]), frozenset(row["not"])
                    is_known = not bears and "kind" not in row  # of the others only what was judged counts

                    def mark(
                        one: QuotableSentence,
                        _: bool,
                        bears: frozenset[str] = bears,
                        others: frozenset[str] = others,
                        is_known: bool = is_known,
                    ) -> float | None:
                        found = digest(one.span.text)
                        return 1.0 if found in bears else 0.0 if found in others or is_known else None

                    yield from samples_of(lib, corpus, row["question"], (), mark)


def primers() -> Iterator[Sample]:
    """Questions to the ten whole texts of the examples."""
    with open_primers() as lib:
        for row in corpora.read_lines(corpora.ROOT / "benchmarks" / "sets" / "primer_questions.jsonl"):
            assert bool(row["bears"]) == row["answered"], row["question"]

            def mark(one: QuotableSentence, _: bool, bears: tuple[str, ...] = tuple(row["bears"])) -> float | None:
                return float(one.span.text.startswith(bears))

            yield from samples_of(lib, "primers", row["question"], (), mark)


def open_primers() -> Library:
    return corpora.library("natural/primers", *sorted((corpora.ROOT / "examples" / "papers").iterdir()))


def scifact() -> Iterator[Sample]:
    corpus = {str(d["doc_id"]): d for d in corpora.read_lines(corpora.data_folder() / "scifact" / "corpus.jsonl.gz")}
    file = corpora.write_lines(corpora.WORK / "refusal" / "scifact.jsonl", corpora.scifact_records())
    with corpora.library("refusal/scifact", file) as lib:
        for claim in corpora.read_lines(corpora.data_folder() / "scifact" / "claims_train.jsonl"):
            if not claim["evidence"]:
                continue
            gold = {
                normalize(corpus[name]["abstract"][number])
                for name, groups in claim["evidence"].items()
                for group in groups
                for number in group["sentences"]
            }

            def mark(one: QuotableSentence, own: bool, gold: set[str] = gold) -> float | None:
                text = normalize(one.span.text)
                return float(any(text in rationale or rationale in text for rationale in gold)) if own else None

            yield from samples_of(
                lib, "scifact", claim["claim"], [f"scifact:{name}" for name in claim["evidence"]], mark
            )


def pubmedqa() -> Iterator[Sample]:
    import refusal  # it reads our questions

    files, _ = refusal.pubmedqa()
    with corpora.library("refusal/pubmedqa", *files) as lib:
        for item in corpora.pubmedqa():
            parts = {zone_of(label): "" for label in item["LABELS"]}
            for label, text in zip(item["LABELS"], item["CONTEXTS"], strict=True):
                parts[zone_of(label)] += f" {normalize(text)} "

            def mark(one: QuotableSentence, own: bool, parts: dict[str, str] = parts) -> float | None:
                zone = next((zone for zone, text in parts.items() if normalize(one.span.text) in text), "")
                return None if not own or not zone else float(zone in ("result", "conclusion"))

            yield from samples_of(lib, "pubmedqa", item["QUESTION"], [f"pubmedqa:{item['pmid']}"], mark)


def bioasq_questions(most: int = 120) -> list[dict[str, Any]]:
    found = list(corpora.read_lines(corpora.data_folder() / "bioasq" / "questions.jsonl.gz"))
    found.sort(key=lambda one: hashlib.blake2b(one["id"].encode()).digest())
    return [one for one in found if 1 <= len(one["snippet_ids"]) <= 15][:most]


def bioasq() -> Iterator[Sample]:
    """Snippets as the only text of their papers; those of all the questions chosen."""
    asked = bioasq_questions()
    texts = {one["id"]: one for one in corpora.read_lines(corpora.data_folder() / "bioasq" / "snippets.jsonl.gz")}
    of_paper: dict[str, list[str]] = {}
    for one in asked:
        for name in one["snippet_ids"]:
            if name in texts and texts[name]["text"] not in of_paper.setdefault(texts[name]["pmid"], []):
                of_paper[texts[name]["pmid"]].append(texts[name]["text"])
    records = ({"id": f"bioasq:{name}", "abstract": " ".join(parts)} for name, parts in of_paper.items())
    file = corpora.write_lines(corpora.WORK / "bearing" / "bioasq.jsonl", records)
    with corpora.library("bearing/bioasq", file) as lib:
        for one in asked:
            gold = [normalize(texts[name]["text"]) for name in one["snippet_ids"] if name in texts]

            def mark(sentence: QuotableSentence, _: bool, gold: list[str] = gold) -> float | None:
                text = normalize(sentence.span.text)
                return float(any(text in snippet or snippet in text for snippet in gold))

            yield from samples_of(lib, "bioasq", one["question"], [f"bioasq:{name}" for name in one["pmids"]], mark)


def natural() -> Iterator[Sample]:
    """The open half of `natural_sets.py`, whose papers are marked as a whole."""
    with open_abstracts() as lib:
        for one in load_questions():
            if one.kind != "counting" and one.corpus == "neuro_corpus":

                def mark(sentence: QuotableSentence, _: bool, asked: NaturalQuestion = one) -> float | None:
                    return float(asked.is_answered_by(sentence.paper.external_id, sentence.span.text))

                yield from samples_of(lib, "natural", one.question, (), mark)


SETS: dict[str, Callable[[], Iterator[Sample]]] = {
    "ours": ours,
    "natural": natural,
    "primers": primers,
    "scifact": scifact,
    "pubmedqa": pubmedqa,
    "bioasq": bioasq,
}


def file_of(name: str) -> Path:
    return corpora.WORK / "bearing" / f"{name}.pickle"


def load_samples(names: Iterable[str] = tuple(SETS)) -> list[Sample]:
    """The samples that were read, each held against the others of its question."""
    found = [one for name in names if file_of(name).exists() for one in pickle.loads(file_of(name).read_bytes())]
    made = list(found)
    for places in grouped(found).values():
        (rows,) = compare_passages([np.array([found[place].measures for place in places])])
        for place, row in zip(places, rows, strict=True):
            made[place] = replace(found[place], measures=row)
    return made


# the model


def matrix(found: Sequence[Sample]) -> Floats:
    return np.array([one.measures for one in found], np.float64)


def train(found: Sequence[Sample], names: Sequence[str] = MEASURES) -> SmallNetwork:
    """The network of the samples of which it is known whether they bear an answer."""
    found = [one for one in found if one.bears is not None]
    truth = np.array([one.bears for one in found], np.float64)
    return train_network(matrix(found), truth, np.array([WEIGHTS[one.name] for one in found]), names, RIDGE)


def train_network(values: Floats, truth: Floats, weights: Floats, names: Sequence[str], ridge: float) -> SmallNetwork:
    """A network with one hidden layer, the mean of several in one: each begun at random and held back by a ridge."""
    from scipy.optimize import minimize

    share = weights / weights.sum()
    means = share @ values
    deviations = np.maximum(np.sqrt(share @ (values - means) ** 2), 0.01)
    scaled = np.clip((values - means) / deviations, -4, 4)
    count = scaled.shape[1]

    def split(flat: Floats) -> tuple[Floats, Floats]:
        at = (count + 1) * UNITS
        return flat[:at].reshape(count + 1, UNITS), flat[at:]

    def loss(flat: Floats) -> tuple[float, Floats]:
        hidden, output = split(flat)
        raw = scaled @ hidden[:-1] + hidden[-1]
        units = np.maximum(raw, 0)
        whole = np.column_stack([units, scaled, np.ones(len(scaled))])
        odds = whole @ output
        likely = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        error = share * (likely - truth)
        value = -(share * (truth * np.log(likely + 1e-12) + (1 - truth) * np.log(1 - likely + 1e-12))).sum()
        held = np.r_[np.ones(UNITS + count), 0.0]
        value += ridge * 0.5 * ((output**2 * held).sum() + (hidden[:-1] ** 2).sum())
        back = (error[:, None] * output[:UNITS]) * (raw > 0)
        slope_hidden = np.vstack([scaled.T @ back + ridge * hidden[:-1], back.sum(axis=0)])
        return float(value), np.r_[slope_hidden.ravel(), whole.T @ error + ridge * output * held]

    hiddens, outputs, straight = [], [], np.zeros(count + 1)
    for seed in range(SEEDS):
        start = np.random.default_rng(seed).normal(0, 0.3, (count + 1) * UNITS + UNITS + count + 1)
        solved = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
        hidden, output = split(solved)
        hiddens.append(hidden)
        outputs.append(output[:UNITS] / SEEDS)
        straight += output[UNITS:] / SEEDS
    rounded = [[round(float(value), 4) for value in row] for row in np.hstack(hiddens)]
    return SmallNetwork(
        EMBEDDER,
        list(names),
        [round(float(value), 5) for value in means],
        [round(float(value), 5) for value in deviations],
        rounded,
        [round(float(value), 4) for value in np.r_[np.concatenate(outputs), straight]],
    )


def grouped(found: Sequence[Sample]) -> dict[tuple[str, str], list[int]]:
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(found):
        groups.setdefault((one.name, one.question), []).append(place)
    return groups


def reciprocal(scores: Floats, places: Sequence[int], found: Sequence[Sample]) -> float:
    order = sorted(places, key=lambda place: -scores[place])
    return next((1 / rank for rank, place in enumerate(order, 1) if found[place].bears), 0.0)


def interval(values: Floats) -> str:
    """The mean with its 95 % interval, by 2,000 bootstrap samples of the questions."""
    draws = np.random.default_rng(40).choice(values, (2000, len(values))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{np.mean(values):.3f} ({low:.3f} to {high:.3f})"


def check() -> None:
    found = load_samples()
    likely = np.zeros(len(found))
    for number in range(FOLDS):
        held = [place for place, one in enumerate(found) if fold(one.question) == number]
        made = train([one for one in found if fold(one.question) != number])
        (corpora.WORK / "bearing" / f"without-{number}.json").write_bytes(msgspec.json.encode(made))
        likely[held] = made.probabilities(matrix([found[place] for place in held]))
    ways = {"this model": likely} | {
        name: np.array([one.scores[at] for one in found])
        for at, name in enumerate(("score of before", "cosine", "BM25", "late interaction"))
    }
    for name in (*CORPORA, "natural", "scifact", "bioasq", "pubmedqa"):
        for within in (True, False):
            kept = {
                key: [p for p in places if (found[p].own or not within)]
                for key, places in grouped(found).items()
                if key[0] == name
            }
            kept = {key: places for key, places in kept.items() if any(found[p].bears for p in places)}
            if not kept:
                continue
            of = "the right papers" if within else "all papers read"
            print(f"\n{name}, {len(kept)} questions, among the sentences of {of}")
            every = {
                way: np.array([reciprocal(scores, places, found) for places in kept.values()])
                for way, scores in ways.items()
                if way != "cosine" or name in ("scifact", "bioasq")  # of the others it was not taken
            }
            for way, values in every.items():
                ahead = (
                    f"; this model is ahead by {interval(every['this model'] - values)}" if way != "this model" else ""
                )
                print(f"  {way:18} {interval(values)}{ahead}")
    for name in (*CORPORA, "natural"):
        places = [p for p, one in enumerate(found) if one.name == name and one.bears is not None]
        for at in (0.3, 0.4, 0.5, 0.6):
            told = [p for p in places if likely[p] >= at]
            print(f"{name} at {at}: {len(told)} sentences, {np.mean([found[p].bears for p in told]):.2f} bear")


@lru_cache(maxsize=2 * FOLDS)
def _model_of_fold(name: str) -> SmallNetwork:
    return msgspec.json.decode((corpora.WORK / "bearing" / f"{name}.json").read_bytes(), type=SmallNetwork)


def model_without(question: str) -> SmallNetwork:
    """The model that `check` trained without a question and a fifth of the others."""
    return _model_of_fold(f"without-{fold(question)}")


def quote_model_without(question: str) -> SmallNetwork:
    """The same of `quotes`."""
    number = quote_fold(question)
    return _model_of_fold(f"with-quotes-{number}")


def fit() -> None:
    made = train(load_samples())
    TARGET.write_bytes(msgspec.json.encode(made) + b"\n")
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


def read_pairs() -> list[Sample]:
    """Samples of questions that the reader was not trained with, with its two measures: of each question the sentences
    that the program has read together with it, and all that bear an answer."""
    known_questions = {row["question"] for row in read_questions() if is_read_together(row)}
    marked = [
        one
        for one in load_samples(("ours", "natural", "primers", "scifact", "bioasq"))
        if one.bears is not None
        and one.question not in known_questions
        and (one.name != "scifact" or fold(one.question) == HELD)
    ]
    likely = load_bearing_model().probabilities(matrix(marked).astype(np.float32))
    orders = (sorted(places, key=lambda place: -likely[place]) for places in grouped(marked).values())
    found = [
        marked[place]
        for order in orders
        for rank, place in enumerate(order)
        if rank < READ_TOGETHER or marked[place].bears
    ]
    scores_of_pairs = score_pairs([(one.question, one.text) for one in found])
    made = list(found)
    for places in grouped(found).values():
        rows = add_scores(np.array([found[place].measures for place in places]), scores_of_pairs[places])
        for place, row in zip(places, rows, strict=True):
            made[place] = replace(found[place], measures=row)
    return made


def score_pairs(pairs: Sequence[tuple[str, str]]) -> Any:
    """What the reader says of questions with sentences, float32 [pairs]; kept for the next run."""
    path = corpora.WORK / "bearing" / f"pairs-{hashlib.sha256(ADAPTER.read_bytes()).hexdigest()[:12]}.pickle"
    if not _SCORES and path.exists():
        _SCORES.update(pickle.loads(path.read_bytes()))
    unread = [pair for pair in dict.fromkeys(pairs) if pair not in _SCORES]
    reader = open_pair_reader(ModelStore().path(SPEC)) if unread else None
    for question, text in unread:
        _SCORES[question, text] = float(reader.score(question, [text])[0])
    if len(unread) >= MANY:
        path.write_bytes(pickle.dumps(_SCORES))
    return np.array([_SCORES[pair] for pair in pairs], np.float32)


def check_quotes() -> None:
    """Trained on four fifths of the questions and measured on the others, with and without the two measures."""
    found = read_pairs()
    plain = [replace(one, measures=one.measures[: len(MEASURES)]) for one in found]
    ways = {"read together alone": np.array([one.measures[len(MEASURES)] for one in found], np.float64)}
    for way, samples, names in (("without", plain, MEASURES), ("with", found, NAMES)):
        likely = np.zeros(len(found))
        for number in range(FOLDS):
            held = [place for place, one in enumerate(found) if quote_fold(one.question) == number]
            others = [one for one in samples if quote_fold(one.question) != number]
            made = train(others, names)
            (corpora.WORK / "bearing" / f"{way}-quotes-{number}.json").write_bytes(msgspec.json.encode(made))
            likely[held] = made.probabilities(matrix([samples[place] for place in held]))
        ways[way] = likely
    everything: list[Floats] = []
    for name in (*CORPORA, "natural", "scifact", "bioasq"):
        of_set = [places for key, places in grouped(found).items() if key[0] == name]
        kept = [places for places in of_set if any(found[place].bears for place in places)]
        print(f"\n{name}, {len(kept)} questions")
        every = {way: np.array([reciprocal(scores, places, found) for places in kept]) for way, scores in ways.items()}
        for way, values in every.items():
            print(f"  {way:20} {interval(values)}; first {(values == 1).mean():.3f}")
        everything.append(every["with"] - every["without"])
        print(f"  with is ahead by     {interval(everything[-1])}")
    print(f"\nall but bioasq: with is ahead by {interval(np.concatenate(everything[:-1]))}")


def fit_quotes() -> None:
    QUOTES.write_bytes(msgspec.json.encode(train(read_pairs(), NAMES)) + b"\n")
    print(f"{QUOTES}: {QUOTES.stat().st_size:,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("read", "check", "fit", "quotes", "fit-quotes"))
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    chosen = parser.parse_args()
    if chosen.step == "read":
        for name in chosen.sets or SETS:
            file_of(name).parent.mkdir(parents=True, exist_ok=True)
            file_of(name).write_bytes(pickle.dumps(list(SETS[name]())))
            print(f"{name}: read", flush=True)
    else:
        {"check": check, "fit": fit, "quotes": check_quotes, "fit-quotes": fit_quotes}[chosen.step]()


if __name__ == "__main__":
    main()
