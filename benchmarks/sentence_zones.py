"""The model that tells what a sentence does in its paper: its training, and how well it does.

    python benchmarks/sentence_zones.py check     # trained on four fifths of the papers, measured on the others
    python benchmarks/sentence_zones.py fit       # src/conspectus/answer/zones.npz, of all papers

Abstracts whose parts are labelled: PubMedQA's with their conclusions, SciFact's, and those of the neuroscience corpus
and of arXiv's astronomy; each with its labels and without them. Sentences from the bodies of the neuroscience corpus
have the zone of their section for little weight, those of its back matter and lines of publishers are notices.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import corpora
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from conspectus.answer.zones import BUCKETS, ZONES, hash_features
from conspectus.lexicon.word_lists import is_back_matter
from conspectus.parse.text.sentences import split_sentences

TARGET = corpora.ROOT / "src" / "conspectus" / "answer" / "zones.npz"
RIDGE, STEPS = 4e-5, 400
LEAST = 4
"""Sentences that a feature is in to have weights."""
OF_LABELS = (
    ("aim", r"objective|aim|purpose|goal|question|hypothes"),
    ("background", r"background|context|introduction|rationale|importance"),
    ("conclusion", r"conclusion|interpretation|discussion|significance|implication|meaning|limitation"),
    ("result", r"result|finding"),
    ("method", r"method|design|setting|participant|patient|subject|intervention|measure|procedure|material|data|sampl"),
)
_PART = re.compile(
    r"(?:^|(?<=[.?!)] ))(?:##\s*)?(?P<label>(?:[A-Z]{4,}(?:[ &/]+[A-Z]{3,}){0,3})(?=[: ])"
    r"|[A-Z][a-z]{3,}(?: and [a-z]+)?(?=[:.])|(?<=## )[A-Z][a-z]+)(?P<sign>[:.]?)\s+"
)
_NOTICE = re.compile(
    r"part of a special issue|©|all rights reserved|^\(?c\) ?(?:19|20)\d\d|^copyright|published by (?:elsevier|wiley)"
    r"|trial registration|(?:was|were) (?:funded|supported) by (?:the|a grant|grants)",
    re.IGNORECASE,
)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence: its hashed features, its zone, what it counts, and the set and the paper that it is of."""

    features: list[int]
    zone: str
    weight: float
    name: str
    paper: str

    @property
    def is_held(self) -> bool:
        """Whether it is of the fifth that is measured."""
        return blake2b(f"zone\0{self.paper}".encode(), digest_size=4).digest()[0] % 5 == 0


def zone_of(label: str) -> str:
    """The zone that a label names; "" where it names none, or several ("METHODS AND FINDINGS")."""
    if re.search(r"(?:method|design).*(?:result|finding)|(?:result|finding).*(?:discussion|conclusion)", label.lower()):
        return ""
    return next((zone for zone, pattern in OF_LABELS if re.search(pattern, label.lower())), "")


def _is_label(label: str) -> bool:
    return any(re.search(pattern, label.lower()) for _, pattern in OF_LABELS)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def samples() -> Iterator[Sample]:
    """All sentences of all sets."""
    data = corpora.data_folder()
    for item in corpora.pubmedqa():
        parts = [*zip(item["LABELS"], item["CONTEXTS"], strict=True), ("CONCLUSIONS", item["LONG_ANSWER"])]
        yield from of_abstract("pubmedqa", item["pmid"], [*map(tuple, parts)], 1.0)
    for item in corpora.read_lines(data / "scifact" / "corpus.jsonl.gz"):
        yield from of_abstract("scifact", str(item["doc_id"]), list(parts_of(" ".join(item["abstract"]))), 1.0)
    for folder, weight in (("neuro_corpus", 1.0), ("arxiv_astro", 3.0)):
        for path in sorted((data / folder).glob("*.gz")):
            for item in corpora.read_lines(path):
                text = " ".join((item.get("abstract") or "").split())
                yield from of_abstract(folder, item["id"], list(parts_of(text)), weight)
    for item in corpora.read_lines(data / "neuro_corpus" / "fulltext.jsonl.gz"):
        yield from of_body(item["id"], item["body"])
    yield from notices()


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """The labelled parts of an abstract: label, text; none unless three are found."""
    found = [one for one in _PART.finditer(text) if _is_label(one["label"])]
    if len(found) >= 3 and found[0].start() == 0:
        for one, end in zip(found, [*(other.start() for other in found[1:]), len(text)], strict=True):
            yield text[one.start("label") : one.end("sign")], text[one.end() : end].strip()


def of_abstract(name: str, paper: str, parts: Sequence[tuple[str, str]], weight: float) -> Iterator[Sample]:
    """Its sentences twice: under their labels, and without any."""
    for labelled in (True, False) if parts else ():
        texts, zones = [], []
        for label, text in parts:
            found = sentences(text)
            zones += [zone_of(label)] * len(found)
            texts += [f"{label} {found[0]}", *found[1:]] if labelled and found else found
        for features, zone in zip(hash_features(texts, abstract=True), zones, strict=True):
            if zone:
                yield Sample(features, zone, weight / 2, name if not labelled else f"{name}, labelled", paper)


def of_body(paper: str, body: str) -> Iterator[Sample]:
    """Up to six sentences of each section of a full text."""
    for part in re.split(r"\n(?=#+ )", body):
        heading, _, text = part.partition("\n")
        heading = re.sub(r"^[#\s\d.]+", "", heading).strip()
        back = is_back_matter(heading)
        zone = "notice" if back else zone_of(heading)
        texts = [one for one in sentences(" ".join(text.split())) if len(one) > 30][: 4 if back else 6]
        for number, features in enumerate(hash_features(texts, abstract=False, section=heading) if zone else ()):
            yield Sample(features, zone, 1.0 if back else 0.2, "body", paper)
            if back and number < 2:
                yield Sample(
                    next(iter(hash_features(texts[number : number + 1], abstract=True))), zone, 0.5, "body", paper
                )


def notices() -> Iterator[Sample]:
    """Lines of publishers at the end of abstracts of PubMed."""
    data = corpora.data_folder()
    for path in (data / "neuro_corpus" / "abstracts.jsonl.gz", data / "sysrev" / "records.jsonl.gz"):
        for item in corpora.read_lines(path):
            texts = sentences(" ".join((item.get("abstract") or "").split()))
            for features, text in zip(hash_features(texts, abstract=True), texts, strict=True):
                if _NOTICE.search(text) and len(text) < 200:
                    yield Sample(features, "notice", 3.0, "notices", str(item["id"]))


def matrix(found: Sequence[Sample]) -> csr_matrix:
    ends = np.cumsum([0, *(len(one.features) for one in found)])
    columns = np.concatenate([one.features for one in found])
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(found), BUCKETS))


def train(found: Sequence[Sample]) -> tuple[Floats, Floats]:
    """Weights [BUCKETS, zones] and intercepts of a ridge regression, by accelerated gradient steps."""
    from scipy.optimize import minimize

    values, share = matrix(found), np.array([one.weight for one in found])
    share /= share.sum()
    truth = np.array([[one.zone == zone for zone in ZONES] for one in found], np.float64)

    def loss(flat: Floats) -> tuple[float, Floats]:
        made = flat.reshape(BUCKETS + 1, len(ZONES))
        odds = values @ made[:-1] + made[-1]
        odds -= odds.max(axis=1, keepdims=True)
        log = odds - np.log(np.exp(odds).sum(axis=1, keepdims=True))
        slope = share[:, None] * (np.exp(log) - truth)
        penalty = RIDGE * made[:-1]
        steep = np.vstack([values.T @ slope + penalty, slope.sum(axis=0)])
        return float(-(share[:, None] * truth * log).sum() + 0.5 * (penalty * made[:-1]).sum()), steep.ravel()

    start = np.zeros((BUCKETS + 1) * len(ZONES))
    solved = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    made = solved.reshape(BUCKETS + 1, len(ZONES))
    return made[:-1], made[-1]


def fit(found: Sequence[Sample]) -> None:
    weights, intercepts = train(found)
    weights[np.bincount(matrix(found).indices, minlength=BUCKETS) < LEAST] = 0
    scale = float(np.abs(weights).max()) / 127
    stored = np.rint(weights / scale).astype(np.int8)
    np.savez_compressed(TARGET, weights=stored, scale=np.float32(scale), intercepts=intercepts.astype(np.float32))
    print(f"{len(found)} sentences; {TARGET}, {TARGET.stat().st_size:,} bytes")


def check(found: Sequence[Sample]) -> None:
    """Print how often the most probable zone is the right one, by set, next to the commonest zone alone."""
    weights, intercepts = train([one for one in found if not one.is_held])
    held = [one for one in found if one.is_held]
    told = (matrix(held) @ weights + intercepts).argmax(axis=1)
    truth = np.array([ZONES.index(one.zone) for one in held])
    for name in dict.fromkeys(one.name for one in held):
        here = np.array([one.name == name for one in held])
        common = np.bincount(truth[here]).max() / here.sum()
        print(f"{name:24}{here.sum():6} sentences, right {(told == truth)[here].mean():.1%}; commonest {common:.1%}")
    for number, zone in enumerate(ZONES):
        right = ((told == number) & (truth == number)).sum()
        precision, recall = right / max((told == number).sum(), 1), right / (truth == number).sum()
        print(f"{zone:12} precision {precision:.2f}, recall {recall:.2f}")


def main() -> None:
    """One of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("check", "fit"))
    found = list(samples())
    (fit if parser.parse_args().step == "fit" else check)(found)


if __name__ == "__main__":
    main()
