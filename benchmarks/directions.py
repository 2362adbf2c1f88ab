"""Directions: do they rebuild the vectors, are they found again, are their labels right, and what are they good for?

    python benchmarks/directions.py [PART …] [--library NAME=DIR …]

Parts: rebuilt, labels, concepts, steering, planted, scale. Libraries are made under `.bench/directions` where they are
not given: `cranfield`, `scifact`, `bioasq` (snippets of 5,000 papers), `topics` (5,500 of `arxiv_topics`), `astro`
(8,000 of `arxiv_astro`), `neuro` (`neuro_corpus`).

* rebuilt: nDCG@10 of cosines with vectors rebuilt from their most active directions (least squares), of papers and
  questions both, as a share of that with the vectors themselves; PCA of as many numbers; dead directions, and those
  that recur (cosine .8) from a seed that leaves out a tenth of the texts. SciFact has its training claims, BioASQ 800
  questions.
* labels: the median AUC, on held-out papers, of a label's words for "is active"; k-means and NMF of the vectors (their
  positive and negative parts), and NMF of tf-idf, whose units are words to begin with, have as many units, are called
  active by the same rule, and are named by the same code (without phrases' vectors).
* concepts: terms of the Unified Astronomy Thesaurus that 200 papers say in their title or abstract, for which one unit
  tells these papers from the others with an AUC of .9, by their cosines with it; k-means, PCA and ICA (both signs) have
  as many units.
* steering: a question is a thesaurus term, and is steered towards another one whose name finds a direction (cosine
  .9): papers that say it, and that say the question's term, among the first 20 by cosine. Rocchio turns as far towards
  the mean of ten papers that say it; "words" adds the term to the question.
* planted: two samples of 2,000 papers of many fields (`mixed`, 8,000 of `arxiv_scale`), one with 20, or 60, more of an
  arXiv category: is a direction of it found at a false discovery rate of .1, and which part of the finds is none of it
  (the mean over categories)? c-TF-IDF's words are tested by the same test. A unit is of the category if it is three
  times as frequent there as elsewhere.
* scale: seconds and memory of training 350,000 vectors of 2,000 clusters, by the first steps.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from corpora import WORK, data_folder, read_lines, scifact_records, write_lines
from results import Figure, join_figures, store_figures

from conspectus import Library
from conspectus.directions import training_plan
from conspectus.directions.autoencoder import Trainer, batches, find_anchors
from conspectus.directions.compare import measure_differences
from conspectus.directions.explain import embed_subject
from conspectus.directions.label_terms import collect_terms
from conspectus.directions.labels import DirectionLabeller
from conspectus.directions.query_turn import Steering, aim_at
from conspectus.directions.stored_directions import Codes, load_directions
from conspectus.directions.strata import PaperDirections, false_discovery_rates, paper_directions
from conspectus.errors import NotFoundError
from conspectus.library.wing_sources import term_sources
from conspectus.search import retriever
from conspectus.store.text_vectors import papers_with_vectors, texts

SEED, DEPTH, FIRST, ANGLE = 1, 10, 20, 0.9
LIBRARIES: dict[str, Path] = {}
FEWEST, FEWEST_STEERED = 200, 60
"""Papers that say a term, for concepts and for steering."""
LABELLED = ["neuro", "astro"]
SEARCHED = 24
"""Pairs of which searches are steered."""
MIXED = 8000
"""Papers of `mixed`, the first of them."""
REBUILT = (32, 64, 128)


def sampled(path: str, count: int) -> list[dict[str, Any]]:
    rows = list(read_lines(data_folder() / path))
    return random.Random(SEED).sample(rows, min(count, len(rows)))


def topics() -> Iterator[dict[str, Any]]:
    yield from sampled("arxiv_topics/materials_chem_softmatter.jsonl.gz", 4500)
    yield from sampled("arxiv_topics/qbio_nc_neuroscience.jsonl.gz", 1000)


def bioasq() -> Iterator[dict[str, Any]]:
    by: defaultdict[str, list[str]] = defaultdict(list)
    for row in read_lines(data_folder() / "bioasq" / "snippets.jsonl.gz"):
        by[str(row["pmid"])].append(row["text"])
    for pmid, said in random.Random(SEED).sample(sorted(by.items()), 5000):
        yield {"title": re.split(r"(?<=[.?]) ", min(said, key=len))[0][:200], "abstract": " ".join(said), "pmid": pmid}


def neuro() -> Iterator[dict[str, Any]]:
    for name in ("fulltext", "abstracts"):
        for row in read_lines(data_folder() / "neuro_corpus" / f"{name}.jsonl.gz"):
            if row.get("abstract"):
                yield {key: row[key] for key in ("title", "abstract", "year", "doi", "pmid") if row.get(key)}


def cranfield() -> Iterator[dict[str, Any]]:
    for row in read_lines(data_folder() / "cranfield" / "corpus.jsonl.gz"):
        identity = f"cranfield:{row.get('id') or row.get('doc_id')}"
        yield {"id": identity, "title": row["title"], "abstract": row.get("abstract") or row.get("text") or ""}


RECORDS: dict[str, Any] = {
    "topics": topics,
    "astro": lambda: sampled("arxiv_astro/astro_abstracts.jsonl.gz", 8000),
    "mixed": lambda: sampled("arxiv_scale/arxiv_350k.jsonl.zst", 8000),
    "bioasq": bioasq,
    "neuro": neuro,
    "cranfield": cranfield,
    "scifact": scifact_records,
}


@cache
def library(name: str) -> Library:
    folder = LIBRARIES.get(name) or WORK / "directions" / name
    is_new = not folder.exists()
    opened = Library(folder)
    if is_new:
        opened.add(write_lines(WORK / "directions" / f"{name}.jsonl", RECORDS[name]()))
    return opened


@dataclass(frozen=True)
class Corpus:
    """Papers of a library: vectors [papers, dimensions] in the order of their keys, their words, and identities."""

    vectors: Any
    said: list[str]
    ids: list[str]


@cache
def corpus(name: str) -> Corpus:
    catalog = library(name).session.catalog
    (model,) = catalog.model_counts()
    keys = papers_with_vectors(catalog, model).tolist()[: MIXED if name == "mixed" else None]
    vectors = np.concatenate([some.vectors for some in texts(catalog, model, "papers", keys)])
    by_key = catalog.papers_by_key(keys)
    papers = [by_key[key] for key in keys]
    said = [" ".join(re.findall(r"[a-z0-9]+", f"{paper.title} {paper.abstract}".lower())) for paper in papers]
    return Corpus(vectors, [f" {one} " for one in said], [paper.pmid or paper.external_id for paper in papers])


@cache
def directions(name: str) -> Any:
    """The directions of a library; their codes are in the order of the corpus."""
    library(name).directions.build()
    return load_directions(library(name).session, "papers")


@cache
def trained(name: str) -> tuple[Any, Any]:
    """Directions of a corpus without labels, and how they were trained."""
    WORK.mkdir(exist_ok=True)
    with training_plan.VectorFile([corpus(name).vectors], WORK) as file:
        plan = training_plan.plan_training(file.count)
        return training_plan.train(file, plan), plan


def unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


# rebuilt


def questions(name: str) -> tuple[list[str], list[set[int]]]:
    """The questions of a set, and the rows of the papers that answer each."""
    rows = {identity.rpartition(":")[2]: row for row, identity in enumerate(corpus(name).ids)}
    folder, relevant = data_folder() / name, defaultdict(set)
    if name == "bioasq":
        for item in read_lines(folder / "questions.jsonl.gz"):
            said = item.get("question") or item.get("body") or item.get("text")
            relevant[said] |= {rows[str(one)] for one in item["pmids"] if str(one) in rows}
        known = [said for said, own in relevant.items() if own][:800]
        return known, [relevant[said] for said in known]
    file, key, marks = {
        "cranfield": ("queries.jsonl", "text", "qrels.tsv"),
        "scifact": ("claims_train.jsonl", "claim", "qrels_train.tsv"),
    }[name]
    for line in (folder / marks).read_text("utf-8").splitlines():
        question, paper, *_ = line.split()
        if paper in rows:
            relevant[question].add(rows[paper])
    asked = {str(item["id"]): item.get(key) or item.get("query") for item in read_lines(folder / file)}
    known = [one for one in asked if relevant[one]]
    return [asked[one] for one in known], [relevant[one] for one in known]


def gain(asked: Any, papers: Any, relevant: Sequence[set[int]]) -> float:
    """nDCG@10 by cosine."""
    cosines, scores = asked @ papers.T, []
    for row, own in enumerate(relevant):
        best = np.argsort(-cosines[row], kind="stable")[:DEPTH]
        found = sum(1 / np.log2(place + 2) for place, paper in enumerate(best.tolist()) if paper in own)
        scores.append(found / sum(1 / np.log2(place + 2) for place in range(min(DEPTH, len(own)))))
    return float(np.mean(scores))


def rebuilt() -> list[Figure]:
    figures = []
    for name in ("cranfield", "scifact", "bioasq"):
        own, (asked, relevant), (found, plan) = corpus(name), questions(name), trained(name)
        embedder, made = library(name).session.embedder, found.autoencoder
        wanted = np.array([embedder.embed_query(text).vector for text in asked])
        whole = gain(wanted, own.vectors, relevant)
        values, axes = np.linalg.eigh((own.vectors - made.centre).T @ (own.vectors - made.centre))
        shares = {}
        for count in (made.active, *(one for one in REBUILT if one < made.size), min(made.size, max(REBUILT))):
            both = [unit(made.rebuild(rows, count)) for rows in (wanted, own.vectors)]
            plane = axes[:, -min(count, len(values)) :]
            flat = [unit(made.centre + (rows - made.centre) @ plane @ plane.T) for rows in (wanted, own.vectors)]
            shares[count] = (gain(*both, relevant) / whole, gain(*flat, relevant) / whole)
            told = f"by {count} of {made.size}: × {shares[count][0]:.3f}, PCA × {shares[count][1]:.3f}"
            print(f"{name}: nDCG@10 {whole:.3f}; {told}", flush=True)
        dead, again = found.dead / plan.size, float((found.recurrence >= 0.8).mean())
        print(f"{name}: dead {dead:.1%}, recurring {again:.1%}, {made.active} active")
        count = max(shares)
        told, peer = (
            f"{shares[count][0]:.3f} by {count}; {shares[made.active][0]:.3f} by {made.active}",
            shares[count][1],
        )
        figures += [
            Figure(f"{name}: nDCG@10 with rebuilt vectors, share of dense", told, "≥ .97", f"PCA {peer:.3f}"),
            Figure(f"{name}: dead, recurring directions", f"{dead:.1%}, {again:.1%}", "≤ 5 %, ≥ 60 %"),
        ]
    return figures


# labels


def codes_of(scores: Any, papers: Any, active: int) -> Codes:
    """Units by how strong they are in papers, [papers, units], called active as directions are."""
    count = min(2 * active, scores.shape[1])
    numbers = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    values = np.maximum(np.take_along_axis(scores, numbers, axis=1), 0)
    levels = []
    for number in range(scores.shape[1]):
        own = values[:, :active][numbers[:, :active] == number]
        levels.append(training_plan.find_level(own[own > 0]) if (own > 0).any() else np.inf)
    shape = numbers.astype(np.uint16), values.astype(np.float16), active, np.array(levels, np.float32)
    return Codes(papers, [""] * len(papers), *shape)


def labels() -> list[Figure]:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    figures = []
    for name in LABELLED:
        own, catalog, stored = corpus(name), library(name).session.catalog, directions(name).stored
        codes, made = directions(name).codes, stored.autoencoder
        terms = collect_terms(catalog, codes, term_sources(library(name).session))
        aucs, recurs = stored.aucs, stored.recurrence >= 0.8
        centred = unit(own.vectors - made.centre)
        means = KMeans(made.size, n_init=1, random_state=SEED).fit(centred)
        one = np.full((len(centred), made.size), -1.0)
        one[np.arange(len(centred)), means.labels_] = 1.0
        words = TfidfVectorizer(stop_words="english", min_df=5, max_df=0.4, max_features=20_000).fit_transform(own.said)
        signed = np.concatenate([np.maximum(own.vectors, 0), np.maximum(-own.vectors, 0)], axis=1)
        of_words, of_vectors = (
            NMF(made.size, init="nndsvda", max_iter=60, random_state=SEED).fit_transform(rows)
            for rows in (words, signed)
        )
        found = {"directions": float(np.nanmedian(aucs[recurs])), "all directions": float(np.nanmedian(aucs))}
        peers = (("k-means", one, 1), ("NMF", of_vectors, made.active), ("NMF of words", of_words, made.active))
        for peer, scores, active in peers:
            decoder = np.zeros((made.size, own.vectors.shape[1]), np.float32)
            labeller = DirectionLabeller(codes_of(scores, codes.papers, active), terms, decoder, None)
            found[peer] = float(np.nanmedian([label.auc for label in labeller.labels()]))
        print(f"{name}: median AUC", {peer: round(value, 3) for peer, value in found.items()}, flush=True)
        beside = ", ".join(f"{peer} {found[peer]:.2f}" for peer, *_ in peers)
        told = f"{found['directions']:.2f} (with hidden ones {found['all directions']:.2f})"
        figures.append(Figure(f"{name}: median held-out AUC of labels", told, "≥ .90", beside))
    return figures


# concepts


@cache
def thesaurus(fewest: int = FEWEST) -> dict[str, set[int]]:
    """Terms of the thesaurus, of six letters or more, that enough papers say, with their rows in `astro`."""
    import lzma

    with lzma.open(data_folder() / "uat" / "UAT_list.json.xz", "rt") as file:
        names = {item["name"].lower() for item in json.load(file)}
    found = {}
    for name in sorted(names):
        words = " ".join(re.findall(r"[a-z0-9]+", name))
        single = words.removesuffix("s")
        if len(single) < 6:
            continue
        rows = {row for row, said in enumerate(corpus("astro").said) if f" {single} " in said or f" {words} " in said}
        if len(rows) >= fewest:
            found[words] = rows
    return found


def concepts() -> list[Figure]:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA, FastICA

    own, made = corpus("astro"), directions("astro").autoencoder
    centred = own.vectors - made.centre
    size = made.size
    axes = min(size // 2, centred.shape[1])
    flat = PCA(axes, random_state=SEED).fit_transform(centred)
    independent = FastICA(axes, random_state=SEED, max_iter=100, tol=1e-2).fit_transform(centred)
    means = unit(centred) @ unit(KMeans(size, n_init=1, random_state=SEED).fit(unit(centred)).cluster_centers_).T
    units = {
        "directions": unit(centred) @ made.decoder.T,
        "k-means": means,
        "PCA": np.concatenate([flat, -flat], axis=1),
        "ICA": np.concatenate([independent, -independent], axis=1),
    }
    known = thesaurus()
    counts: Counter[str] = Counter()
    for rows in known.values():
        truth = np.zeros(len(centred), bool)
        truth[list(rows)] = True
        for name, scores in units.items():
            order = scores.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
            ranks = order[truth].sum(axis=0) + truth.sum()
            areas = (ranks - truth.sum() * (truth.sum() + 1) / 2) / (truth.sum() * (~truth).sum())
            counts[name] += float(areas.max()) >= 0.9
    print(f"concepts with a unit of AUC .9, of {len(known)}:", dict(counts))
    peers = ", ".join(f"{name} {counts[name]}" for name in ("k-means", "PCA", "ICA"))
    told = f"{counts['directions']} of {len(known)}"
    what = f"UAT terms of {FEWEST} papers with a unit of AUC .9 ({size} units)"
    return [Figure(what, told, "more than peers", peers)]


# steering


def steering() -> list[Figure]:
    own, found, known = corpus("astro"), directions("astro"), thesaurus(FEWEST_STEERED)
    embedder, made = library("astro").session.embedder, directions("astro").autoencoder
    chance = random.Random(SEED)
    vectors = {name: embedder.embed_query(name).vector for name in known}
    subjects = {name: embed_subject(library("astro").session, name) for name in known}
    rows: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    aims = {}
    for name in known:
        with suppress(NotFoundError):
            aims[name] = found.number_of(name)
    every = ((one, other) for one in sorted(known) for other in sorted(aims))
    pairs = [(one, other) for one, other in every if len(known[one] & known[other]) <= 0.2 * len(known[other])]
    pairs = chance.sample(pairs, min(300, len(pairs)))

    def judge(way: str, question: str, aim: str, vector: Any) -> None:
        best = np.argsort(-(own.vectors @ vector), kind="stable")[:FIRST].tolist()
        near, kept = (sum(row in known[name] for row in best) / FIRST for name in (aim, question))
        rows[way].append((near, kept, float(vector @ vectors[question])))

    for question, aim in pairs:
        asked = vectors[question]
        examples = own.vectors[chance.sample(sorted(known[aim]), 10)].mean(axis=0) - made.centre
        judge("none", question, aim, asked)
        named = aim_at(made.decoder[aims[aim]], subjects[aim])
        ways = (("directions", named), ("decoder alone", made.decoder[aims[aim]]), ("Rocchio", unit(examples[None])[0]))
        for way, towards in ways:
            judge(way, question, aim, Steering(towards[None], np.ones(1, np.float32), "").turn(asked))
        judge("words", question, aim, embedder.embed_query(f"{question} {aim}").vector)
    means = {way: np.mean(shares, axis=0) for way, shares in rows.items()}
    for way, (aim, question, cosine) in means.items():
        print(f"{way}: {aim:.3f} of the first {FIRST} say the aim, {question:.3f} the question; cosine {cosine:.3f}")
    print(f"{len(pairs)} pairs of {len(known)} questions and {len(aims)} aims")
    told = {way: f"{aim:.2f}, {question:.2f}" for way, (aim, question, _) in means.items()}
    peers = "; ".join(f"{way} {told[way]}" for way in ("Rocchio", "decoder alone", "words", "none"))
    what = f"steered at cosine {ANGLE:g}: share of the aim, of the question, in the first {FIRST}"
    return [Figure(what, told["directions"], "above Rocchio", peers), _steer_searches(pairs[:SEARCHED], aims)]


def _steer_searches(pairs: Sequence[tuple[str, str]], aims: dict[str, int]) -> Figure:
    """The same of what `search` finds by words, vectors and re-ranking; without its last step, and not steered."""
    known, rows = thesaurus(FEWEST_STEERED), {one: row for row, one in enumerate(corpus("astro").ids)}
    told = {}
    ids = directions("astro").stored.ids
    for way, weight in (("steered", retriever.STEERED), ("turned alone", 0.0), ("not", 0.0)):
        shares = []
        with patch.object(retriever, "STEERED", weight):
            for question, aim in pairs:
                more = () if way == "not" else (f"{ids[aims[aim]]}",)
                hits = library("astro").search(question, FIRST, more=more).hits
                found = [rows[hit.paper.external_id] for hit in hits]
                shares.append([sum(row in known[name] for row in found) / FIRST for name in (aim, question)])
        aim_share, question_share = np.mean(shares, axis=0)
        told[way] = f"{aim_share:.2f}, {question_share:.2f}"
        print(f"search, {way}: {aim_share:.3f} say the aim, {question_share:.3f} the question ({len(pairs)} pairs)")
    peers = f"turned alone {told['turned alone']}; not steered {told['not']}"
    return Figure(f"the same of `search`, {len(pairs)} pairs", told["steered"], "", peers)


# planted


def planted() -> list[Figure]:
    own, (found, _) = corpus("mixed"), trained("mixed")
    category = {}
    for item in read_lines(data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst"):
        category[item["id"]] = item.get("primary_category") or "?"
    kinds = np.array([category[one] for one in own.ids])
    size = found.autoencoder.active
    numbers, values = found.autoencoder.encode(own.vectors, 2 * size)
    codes = Codes(np.arange(len(kinds)), [], numbers.astype(np.uint16), values.astype(np.float16), size, found.levels)
    having = paper_directions(codes, found.autoencoder.size)
    units = {"directions": having, "c-TF-IDF words": _word_rows(own.said)}
    figures = []
    for count in (20, 60):
        told = {name: _find_planted(kinds, own_units, count) for name, own_units in units.items()}
        print(f"{count} papers:", told, flush=True)
        what = f"planted categories ({count} papers among 2,000) found at FDR .1"
        figures.append(Figure(what, told["directions"], "more than c-TF-IDF", told["c-TF-IDF words"]))
    return figures


def _find_planted(kinds: Any, units: PaperDirections, count: int) -> str:
    """How often a planted category is found by some units, and the part of the finds that is wrong."""
    chance, outcomes = np.random.default_rng(SEED), []
    for kind in (
        kind for kind, there in sorted(Counter(kinds.tolist()).items()) if there >= count + 20 and kind != "?"
    ):
        inside, outside = np.flatnonzero(kinds == kind), np.flatnonzero(kinds != kind)
        drawn = chance.permutation(outside)[:4000]
        side = np.full(len(kinds), -1)
        side[drawn[:2000]], side[drawn[2000:]], side[chance.permutation(inside)[:count]] = 0, 1, 0
        tested = measure_differences(units, side, np.zeros(len(kinds), np.int64))
        chosen = np.flatnonzero(tested.left + tested.right >= 5)
        finds = chosen[false_discovery_rates(tested.p[chosen]) <= 0.1]
        shares = units.counts((kinds != kind).astype(np.int64), 2) / np.array([[len(inside)], [len(outside)]])
        right = sum(shares[0, one] > 3 * shares[1, one] and tested.log_odds[one] > 0 for one in finds)
        outcomes.append((bool(right), (len(finds) - right) / max(len(finds), 1)))
    power, wrong = np.mean(outcomes, axis=0)
    return f"{power:.2f} of {len(outcomes)} (wrong: {wrong:.2f})"


def _word_rows(said: Sequence[str]) -> PaperDirections:
    """The words of papers as if they were directions."""
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(stop_words="english", min_df=10, max_df=0.4, binary=True).fit_transform(said).tocoo()
    order = np.lexsort((counts.col, counts.row))
    rows, columns = counts.row[order].astype(np.int64), counts.col[order].astype(np.int64)
    return PaperDirections(np.arange(len(said)), rows, columns, np.ones(len(rows)), counts.shape[1])


# scale


def scale(count: int = 350_000, dimensions: int = 384, steps: int = 40) -> list[Figure]:
    chance = np.random.default_rng(SEED)
    centres = unit(chance.standard_normal((2000, dimensions))).astype(np.float32)

    def parts() -> Iterator[Any]:
        for start in range(0, count, 4096):
            some = min(4096, count - start)
            noise = chance.standard_normal((some, dimensions)).astype(np.float32) * 0.05
            yield unit(centres[chance.integers(0, 2000, some)] + noise)

    WORK.mkdir(exist_ok=True)
    began = time.perf_counter(), time.process_time()
    with training_plan.VectorFile(parts(), WORK) as vectors:
        plan = training_plan.plan_training(count)
        read = time.perf_counter() - began[0]
        drawn = np.sort(chance.permutation(count)[: training_plan.ANCHORED])
        middle = time.perf_counter(), time.process_time()
        anchors = find_anchors(vectors.read(drawn), vectors.moments.centre, plan.size, 0)
        begun = time.perf_counter() - middle[0], time.process_time() - middle[1]
        trainer = Trainer(anchors, vectors.moments, plan.active, plan.steps)
        middle = time.perf_counter(), time.process_time()
        for rows in batches(count, 1024, 0, steps):
            trainer.step(vectors.read(rows))
        each = (time.perf_counter() - middle[0]) / steps, (time.process_time() - middle[1]) / steps
    every = plan.steps * (1 + training_plan.AGAIN)
    wall, cpu = (2 * begun[place] + every * each[place] for place in range(2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{plan}; reading {read:.0f} s, anchors {begun[0]:.0f} s, a step {each[0]:.3f} s ({each[1]:.3f} s of them)")
    print(f"both trainings: {wall / 60:.1f} min, {cpu / 60:.1f} min of processors; peak memory {peak:.2f} GB")
    told = f"{wall / 60:.0f} min ({cpu / 60:.0f} of processors), {peak:.2f} GB, from {steps} of {every:.0f} steps"
    return [Figure(f"training on {count:,} vectors, {plan.size} directions", told, "≤ 20 min, ≤ 1.5 GB")]


PARTS = {
    "rebuilt": rebuilt,
    "labels": labels,
    "concepts": concepts,
    "steering": steering,
    "planted": planted,
    "scale": scale,
}


ROWS = {"training": ("rebuilt", "scale"), "use": ("labels", "concepts", "steering", "planted")}
"""Rows of the table, and the parts whose figures are in each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--library", action="append", default=[], metavar="NAME=DIR")
    given = parser.parse_args()
    LIBRARIES.update((name, Path(folder)) for name, _, folder in (one.partition("=") for one in given.library))
    kept = WORK / "directions" / "figures.json"
    known: dict[str, list[list[str]]] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    for part in given.parts or PARTS:
        print(f"-- {part}", flush=True)
        known[part] = [list(figure) for figure in PARTS[part]()]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(known), "utf-8")
    store_figures("directions", "map", "python benchmarks/directions.py", make_rows(known))


def make_rows(known: dict[str, list[list[str]]]) -> list[Figure]:
    """The figures of parts in a few rows of the table."""
    found = {name: [Figure(*row) for part in parts for row in known.get(part, [])] for name, parts in ROWS.items()}
    return [join_figures(f"Directions, {name}", figures) for name, figures in found.items() if figures]


if __name__ == "__main__":
    main()
