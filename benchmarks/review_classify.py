"""Papers sorted into six arXiv categories without a language model, next to nearest centroids and TF-IDF (S12).

    python benchmarks/review_classify.py            # development half; it chose the constants of `category_model.py`
    python benchmarks/review_classify.py --sealed   # papers that nothing was chosen by
    python benchmarks/review_classify.py --memory   # 2,000 and 10,000 papers, with vectors made of words

Corpora: `arxiv_topics` (its six most frequent primary categories) and `arxiv_astro` (the six parts of astro-ph), in an
order drawn by a hash. The constants were chosen by the first 200 papers of each category; sealed are 500 others (of the
smallest category all, and none was chosen by). Of these 0, 5 or 20 are labelled with their primary category, in five
draws; the others are classified, and 600 of them are learnt from without their labels, as in use. A calibration error
of few papers is too high: that of perfect probabilities would be about 0.035 with 1,080 papers, and 0.02 with 2,900.

*Primary* is the share of papers whose most probable category is their primary one. *Any* counts each category that a
paper has on arXiv: 4 in 10 have several of the six. The calibration error is that of *primary*, in ten bins. Peers have
the same labels: the nearest mean vector, and logistic regression on TF-IDF (scikit-learn; C = 10). *Decided* is the
share of papers with a probability of 0.5 and more, and *of these* how many have that category on arXiv; the others are
said to fit none.

Constants were also looked at on four other sets, of `arxiv_cited_9394` and `arxiv_scale` (78 to 94 % with 20 labels).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus import Library
from conspectus.models.protocol import Embedding
from conspectus.review.classify.check import LabelledPaper, calibration_error
from conspectus.review.classify.model import SAMPLE, TrainingPapers, fit_categories
from conspectus.review.classify.papers import load_papers

EACH, SEALED, DRAWS, SIZES = 200, 500, 5, (0, 5, 20)
LEAST, MOST_ERROR = 0.80, 0.05
TOPICS = {
    "physics.app-ph": "Applied physics: physics for new technology, electronic devices, optics and photonics, "
    "microwaves, spintronics, metamaterials, nanotechnology, energy.",
    "q-bio.NC": "Neurons and cognition: synapses, the cortex, neuronal dynamics, neural networks of the brain, "
    "sensorimotor control, behaviour.",
    "physics.chem-ph": "Chemical physics: experimental, computational and theoretical physics of atoms, molecules and "
    "clusters, reactions, spectroscopy, electronic structure.",
    "cond-mat.soft": "Soft condensed matter: membranes, polymers, liquid crystals, glasses, colloids, granular matter.",
    "cond-mat.mtrl-sci": "Materials science: synthesis, characterisation and structure of materials, structural phase "
    "transitions, mechanical properties, phonons, defects, interfaces.",
    "cond-mat.dis-nn": "Disordered systems and neural networks: glasses and spin glasses, random systems, "
    "localisation, theory of artificial and biological neural networks.",
}
ASTRO = {
    "astro-ph.GA": "Astrophysics of galaxies: the Milky Way and other galaxies, star clusters, the interstellar "
    "medium, star formation, stellar populations, galactic structure and dynamics, active galactic nuclei and quasars.",
    "astro-ph.CO": "Cosmology and nongalactic astrophysics: cosmic microwave background, cosmological parameters, "
    "large-scale structure, primordial element abundances, galaxy clusters, dark energy and dark matter, inflation.",
    "astro-ph.EP": "Earth and planetary astrophysics: the solar system, planets, asteroids and comets, extrasolar "
    "planets, planetary atmospheres, formation of planets.",
    "astro-ph.HE": "High energy astrophysical phenomena: cosmic rays, gamma-ray and X-ray sources, supernovae, neutron "
    "stars, pulsars, black holes, jets, gamma-ray bursts.",
    "astro-ph.IM": "Instrumentation and methods for astrophysics: telescopes, detectors, calibration, adaptive optics, "
    "data analysis, software, catalogues and statistical methods.",
    "astro-ph.SR": "Solar and stellar astrophysics: the Sun, stars, white dwarfs, brown dwarfs, binary stars, stellar "
    "evolution, asteroseismology, star formation, the heliosphere and coronal activity.",
}
SETS = {"arxiv_topics": TOPICS, "arxiv_astro": ASTRO}


class LabelledSet(NamedTuple):
    """Papers with their vectors and words; the place of the primary category, and 1 where a paper has a category."""

    papers: TrainingPapers
    texts: Sequence[str]
    primary: Any
    any: Any
    descriptions: Any

    def part(self, rows: Any) -> TrainingPapers:
        """Some of the papers."""
        return TrainingPapers(self.papers.vectors[rows], [self.papers.texts[row] for row in rows])


def records(name: str, sealed: bool) -> Iterator[dict[str, Any]]:
    """The papers of a part of a set: those looked at, or those that nothing was chosen by."""
    found = defaultdict(list)
    for path in sorted((corpora.data_folder() / name).glob("*.gz")):
        for item in corpora.read_lines(path):
            if item["primary_category"] in SETS[name] and item.get("abstract") and item.get("title"):
                found[item["primary_category"]].append(item)
    for items in found.values():
        items.sort(key=lambda item: hashlib.sha256(item["id"].encode()).hexdigest())
        begin = 2 * EACH if len(items) > 2 * EACH else 0  # the smallest category is sealed as a whole
        if sealed:
            yield from items[begin : begin + SEALED]
        elif begin:
            yield from items[:EACH]


def read_set(name: str, sealed: bool) -> LabelledSet:
    """A set as a library has it: with the vectors that are stored."""
    items = {item["id"]: item for item in records(name, sealed)}
    half = "sealed" if sealed else "development"
    path = corpora.write_lines(corpora.WORK / f"classify_{name}_{half}.jsonl", map(corpora.plain, items.values()))
    with corpora.library(f"classify_{name}_{half}", path) as library:
        session = library.session
        keys = [key for part in session.catalog.paper_keys(1000) for key in part]
        loaded = load_papers(session, keys)
        own = [items[str(one.paper.external_id)] for one in loaded]
        present = {item["primary_category"] for item in own}
        labels = [label for label in SETS[name] if label in present]
        descriptions = [one.vector for one in session.embedder.embed([SETS[name][label] for label in labels])]
    return LabelledSet(
        TrainingPapers(np.stack([one.vector for one in loaded]), [one.words for one in loaded]),
        [f"{item['title']} {item['abstract']}" for item in own],
        np.array([labels.index(item["primary_category"]) for item in own]),
        np.array([[label in item["categories"] for label in labels] for item in own]),
        np.stack(descriptions),
    )


class Measured(NamedTuple):
    """What one way of classifying reaches in one draw."""

    primary: float
    any: float
    error: float
    decided: float
    decided_accuracy: float


def measure(known: LabelledSet, chances: Any, rows: Any) -> Measured:
    """Of the papers at `rows`, by their probabilities."""
    best, truth = chances.argmax(axis=1), known.primary[rows]
    sure = chances.max(axis=1) >= 0.5
    labelled = [
        LabelledPaper((str(t),), (str(b),), float(p)) for t, b, p in zip(truth, best, chances.max(1), strict=True)
    ]
    right = best == truth
    return Measured(
        float(right.mean()),
        float(known.any[rows, best].mean()),
        calibration_error(labelled) or 0.0,
        float(sure.mean()),
        float(known.any[rows, best][sure].mean()) if sure.any() else 0.0,
    )


def classify(known: LabelledSet, size: int, draw: int) -> dict[str, Measured]:
    """The three ways with one draw of labels."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    chance = np.random.default_rng(draw)
    classes = range(len(known.descriptions))
    own = [chance.permutation(np.flatnonzero(known.primary == one))[:size] for one in classes]
    labelled = np.concatenate(own).astype(int)
    rest = np.setdiff1d(np.arange(len(known.primary)), labelled)
    sample = chance.permutation(rest)[:SAMPLE]
    labels = np.eye(len(classes) + 1, dtype=np.float32)[known.primary[labelled]]
    model = fit_categories(known.descriptions, known.part(labelled), labels, known.part(sample))
    others = known.part(rest)
    chances = {"own": model.probabilities(others.vectors, others.texts)[:, : len(classes)]}
    if size:
        vectors = known.papers.vectors
        means = np.stack([vectors[rows].mean(axis=0) for rows in own])
        near = np.exp(10 * vectors[rest] @ (means / np.linalg.norm(means, axis=1, keepdims=True)).T)
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(known.texts)
        fitted = LogisticRegression(C=10, max_iter=1000).fit(words[labelled], known.primary[labelled])
        chances |= {"centroid": near / near.sum(axis=1, keepdims=True), "TF-IDF": fitted.predict_proba(words[rest])}
    return {way: measure(known, found, rest) for way, found in chances.items()}


def report(sealed: bool) -> None:
    """Print the table; store the sealed half's figures."""
    figures = []
    print(f"{'':14}{'labels':>7}  {'':10}{'primary':>9}{'any':>8}{'error':>8}{'decided':>9}{'of these':>10}")
    for name in SETS:
        known = read_set(name, sealed)
        for size in SIZES:
            draws = [classify(known, size, draw) for draw in range(DRAWS if size else 1)]
            means = {way: Measured(*np.mean([draw[way] for draw in draws], axis=0)) for way in draws[0]}
            for way, found in means.items():
                print(
                    f"{name:14}{size:7}  {way:10}{found.primary:9.3f}{found.any:8.3f}{found.error:8.3f}"
                    f"{found.decided:9.2f}{found.decided_accuracy:10.3f}"
                )
            mine = means.pop("own")
            peers = ", ".join(f"{way} {found.primary:.3f}; {found.any:.3f}" for way, found in means.items())
            what = f"{name}, {size} labels a category: primary category; any of the paper's; calibration error"
            limit = f"–; ≥ {LEAST:.2f}; ≤ {MOST_ERROR}" if size == max(SIZES) else f"–; –; ≤ {MOST_ERROR}"
            figures.append(Figure(what, f"{mine.primary:.3f}; {mine.any:.3f}; {mine.error:.3f}", limit, peers))
    if sealed:
        store_figures("review_classify", "review", "python benchmarks/review_classify.py --sealed", figures)


class WordEmbedder:
    """Vectors of words drawn at random: for memory alone."""

    id, dimensions = "words/1", 384

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The vectors of texts."""
        return map(self.embed_query, texts)

    def embed_query(self, text: str) -> Embedding:
        """The vector of a text."""
        seeds = [int(hashlib.md5(word.encode()).hexdigest()[:8], 16) for word in sorted(set(text.lower().split()))]
        total = np.sum([np.random.default_rng(seed).standard_normal(384) for seed in seeds[:20]], axis=0)
        return Embedding(np.asarray(total / np.linalg.norm(total), np.float32))


def classify_many(folder: str, count: int) -> None:
    """Classify so many papers; print the peak of memory before and after, in MB."""
    path = Path(folder) / "papers.jsonl"
    items = (
        item
        for part in sorted((corpora.data_folder() / "arxiv_topics").glob("*.gz"))
        for item in corpora.read_lines(part)
    )
    corpora.write_lines(path, (corpora.plain(item) for item, _ in zip(items, range(count), strict=False)))
    if not (Path(folder) / "lib").exists():
        with Library(Path(folder) / "lib", embedder=WordEmbedder()) as library:
            library.add(path)
        return
    with Library(Path(folder) / "lib", embedder=WordEmbedder()) as library:
        library.session.embedder.embed_query("a b")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found = library.review.classify(TOPICS, least=0, limit=10)
        after = resource.getrusage(resource.RUSAGE_SELF)
        assert not found.left and found.total > 0
        print(json.dumps([found.total, before, after.ru_maxrss / 1024, after.ru_utime]))


def report_memory() -> None:
    """The memory that 2,000 and 10,000 papers take."""
    for count in (2000, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                done = subprocess.run(
                    [sys.executable, __file__, "--child", folder, str(count)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
        papers, before, after, seconds = json.loads(done.stdout.splitlines()[-1])
        print(f"{papers} papers: {after - before:.0f} MB more than before, {seconds:.1f} s of processor time")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        classify_many(chosen.child[0], int(chosen.child[1]))
    elif chosen.memory:
        report_memory()
    else:
        report(chosen.sealed)


if __name__ == "__main__":
    main()
