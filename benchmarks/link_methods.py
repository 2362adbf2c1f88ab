"""Methods of linking on CRAFT, alone and together, with a filter that knows no words.

    python benchmarks/link_methods.py [VECTORS.npz | learnt | evidence]

Exact span and right id, as in `entity_linking.py`. The filter is a logistic regression over what is known of a mention
without gold (score, method, length, how ambiguous, how common in the corpus and in everyday English, how often its
paper has the concept). It is fitted on the even articles of train, and its threshold chosen there by five folds: the
best F1 with a precision of 0.88 or more. The odd articles and dev are the sealed half. `VECTORS.npz` keeps what was
embedded for the next run. `evidence` is a filter that knows words and gold: the same of each name and concept in the
mean, with how often gold has them. Its threshold is that with the best F1 of those at which the lower end of the 95 %
interval of precision (articles drawn again, five folds) is 0.88 or more.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log, log2
from pathlib import Path

import numpy as np
from entity_linking import Paper, craft, f1, gold, told, vocabularies
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conspectus.graph.linking import Linker, Match, Named, learn
from conspectus.graph.linking.naming import Names
from conspectus.graph.linking.rules import Rules, missed, probabilities
from conspectus.graph.linking.semantic import Semantic, names_of
from conspectus.models.registry import embedder
from conspectus.models.store import ModelStore
from conspectus.models.vocabulary import plain_ranks
from conspectus.settings.groups import ModelSettings

PRECISION = 0.88
METHODS = ("exact", "form", "adjective", "acronym", "abbreviation", "fuzzy", "semantic")
Found = list[list[list[Match]]]
"""By paper and text."""


class Vectors(dict[str, np.ndarray]):
    """Vectors of texts, each embedded once."""

    def __init__(self, path: Path | None) -> None:
        super().__init__()
        self._path, self._embedder = path, embedder(ModelSettings())
        if path and path.exists():
            with np.load(path) as kept:
                self.update(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self]
        self.update(zip(new, (one.vector.astype(np.float16) for one in self._embedder.embed(new)), strict=True))
        return np.array([self[text] for text in texts], np.float32)

    def keep(self) -> None:
        if self._path:
            np.savez(self._path, texts=np.array(list(self)), vectors=np.array(list(self.values())))


def rows(found: Found, papers: Sequence[Paper]) -> np.ndarray:
    made = []
    for texts, paper in zip(found, papers, strict=True):
        pairs = list(zip(texts, paper.gold, strict=True))
        right = sum((one.start, one.stop, one.concept) in gold for some, gold in pairs for one in some)
        made.append((right, sum(len(some) for some, _ in pairs), sum(len(gold) for _, gold in pairs)))
    return np.array(made, float)


def show_more(found: Found, papers: Sequence[Paper], method: str) -> None:
    new = [
        (one.start, one.stop, one.concept) in gold
        for texts, paper in zip(found, papers, strict=True)
        for some, gold in zip(texts, paper.gold, strict=True)
        for one in some
        if one.method == method
    ]
    print(f"    {len(new)} are {method}, {sum(new)} of them right")


class Features:
    """What is known of mentions without gold; counted over all articles, as a library would."""

    def __init__(self, found: Found, papers: Sequence[Paper], linker: Linker) -> None:
        self._key, self._ranks = linker.key, plain_ranks(ModelStore(None)) or {}
        self._papers = len(papers)
        self._within: list[Counter[int]] = []
        self._surfaces: list[dict[int, set[str]]] = []
        self._times, self._of = Counter[str](), Counter[str]()
        for texts, paper in zip(found, papers, strict=True):
            here, names = Counter[int](), defaultdict[int, set[str]](set)
            for some, text in zip(texts, paper.texts, strict=True):
                for one in some:
                    here[one.concept] += 1
                    names[one.concept].add(self._key(text[one.start : one.stop]))
            keys = Counter(key for own in names.values() for key in own)
            self._of.update(keys.keys())
            self._times.update(
                self._key(text[one.start : one.stop])
                for some, text in zip(texts, paper.texts, strict=True)
                for one in some
            )
            self._within.append(here)
            self._surfaces.append(names)

    def of(self, number: int, text: str, one: Match) -> list[float]:
        surface = text[one.start : one.stop]
        key = self._key(surface)
        words = key.split()
        times, papers = self._times[key], self._of[key]
        ranks = [self._ranks.get(word, 30_000) for word in surface.casefold().split()]
        chance = self._papers * (1 - (1 - 1 / self._papers) ** times)
        within = self._within[number]
        return [
            one.score,
            *(float(one.method == name) for name in METHODS),
            log(len(surface)),
            len(words),
            float(len(words) == 1),
            log(1 + max(ranks)),
            log(1 + min(ranks)),
            float(len(words) == 1) * log(1 + ranks[0]),
            len(one.others),
            one.score - max((score for _, score in one.others), default=0.0),
            log(within[one.concept]),
            within[one.concept] / sum(within.values()),
            len(self._surfaces[number][one.concept]),
            log(times),
            papers / self._papers,
            log(times / papers),
            log2(max(chance, 1e-9) / papers),
            float(surface[:1].isupper() and one.start > 0),
            float(surface.isupper()),
        ]


def filtered(found: Found, papers: Sequence[Paper], even: Sequence[int], linker: Linker) -> Found:
    features = Features(found, papers, linker)
    x: dict[int, list[list[float]]] = {}
    y: dict[int, list[bool]] = {}
    for number, (texts, paper) in enumerate(zip(found, papers, strict=True)):
        triples = list(zip(texts, paper.texts, paper.gold, strict=True))
        x[number] = [features.of(number, text, one) for some, text, _ in triples for one in some]
        y[number] = [(one.start, one.stop, one.concept) in gold for some, _, gold in triples for one in some]
    own, right = np.array([row for at in even for row in x[at]]), np.array([one for at in even for one in y[at]])
    groups = np.array([at for at in even for _ in y[at]])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    sure = cross_val_predict(model, own, right, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    wanted = sum(len(gold) for at in even for gold in papers[at].gold)
    tried = [(level, f1(np.array([right[sure >= level].sum(), (sure >= level).sum(), wanted]))) for level in LEVELS]
    level, best = max((one for one in tried if one[1][0] >= PRECISION), key=lambda one: one[1][2], default=tried[-1])
    print(f"    threshold {level:.2f}: by five folds, even, P {best[0]:.3f} R {best[1]:.3f} F1 {best[2]:.3f}")
    model.fit(own, right)
    out: Found = []
    for number, texts in enumerate(found):
        sides = iter(model.predict_proba(np.array(x[number]))[:, 1] >= level if x[number] else ())
        out.append([[one for one in some if next(sides)] for some in texts])
    return out


LEVELS = np.arange(0.2, 0.9, 0.02)
LEAST = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7)


def learnt(names: Sequence[Named], papers: Sequence[Paper], even: Sequence[int], sealed: Sequence[int]) -> None:
    """What is learnt of the even articles, read on the sealed ones."""
    plain, sums = Linker(names), {least: np.zeros(3) for least in LEAST}
    for fold in range(5):
        held = even[fold::5]
        own = gold([papers[at] for at in even if at not in held])
        linker = Linker(Names(names, Rules(tuple(missed(plain, own)))), fuzzy=0.9)
        sure = probabilities(linker, own)

        def probable(
            text: str, one: Match, linker: Linker = linker, sure: dict[tuple[str, int], float] = sure
        ) -> float:
            return sure.get((linker.key(text[one.start : one.stop]).strip(), one.concept), 1.0)

        for at in held:
            some = list(zip(papers[at].texts, linker.link(papers[at].texts), strict=True))
            for least in LEAST:
                kept = [[one for one in found if probable(text, one) >= least] for text, found in some]
                sums[least] += rows([kept], [papers[at]])[0]
    tried = [(least, f1(some)) for least, some in sums.items()]
    for least, (precision, recall, score) in tried:
        print(
            f"    least {least:.2f}: by five folds, even, P {precision:.3f} R {recall:.3f} F1 {score:.3f}", flush=True
        )
    best = max((one for one in tried if one[1][0] >= PRECISION), key=lambda one: one[1][2], default=tried[-1])[0]
    last, rules = [papers[at] for at in sealed], learn(names, gold([papers[at] for at in even]), least=best)
    for what, linker in (
        ("exact", plain),
        ("fuzzy 0.9", Linker(plain.table, fuzzy=0.9)),
        (f"both + learnt, least {best}", Linker(names, rules, fuzzy=0.9)),
    ):
        told(f"{what}, sealed", rows([linker.link(paper.texts) for paper in last], last))


Said = tuple[tuple[str, int], str, bool]
"""Key of a surface with its concept, method, and whether the mention is right."""


def said(found: Found, papers: Sequence[Paper], linker: Linker) -> list[list[Said]]:
    """The mentions of each article."""
    return [
        [
            (
                (linker.key(text[one.start : one.stop]).strip(), one.concept),
                one.method,
                (one.start, one.stop, one.concept) in gold,
            )
            for some, text, gold in zip(texts, paper.texts, paper.gold, strict=True)
            for one in some
        ]
        for texts, paper in zip(found, papers, strict=True)
    ]


class Evidence:
    """How often names, concepts and methods were right in articles; and a logistic regression over it."""

    def __init__(self, means: Mapping[tuple[str, int], np.ndarray], articles: Sequence[Sequence[Said]]) -> None:
        self._means, self._none = means, np.zeros(len(next(iter(means.values()))))
        self._met, self._right = Counter[object](), Counter[object]()
        for article in articles:
            self._count(article, 1)
        x, y = [], []
        for article in articles:  # each by what the others tell
            self._count(article, -1)
            x += [self._row(pair, method) for pair, method, _ in article]
            y += [right for *_, right in article]
            self._count(article, 1)
        self._model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)).fit(np.array(x), y)

    def _count(self, article: Sequence[Said], sign: int) -> None:
        for pair, method, right in article:
            for what in (pair, pair[1], method):
                self._met[what] += sign
                self._right[what] += sign * right

    def _odds(self, what: object, otherwise: float) -> float:
        share = (self._right[what] + otherwise) / (self._met[what] + 1)
        return float(np.log(max(share, 0.01) / max(1 - share, 0.01)))

    def _row(self, pair: tuple[str, int], method: str) -> np.ndarray:
        base, new = self._right[method] / max(self._met[method], 1), float(not self._met[pair])
        known, own, concept = self._means.get(pair, self._none), self._odds(pair, base), self._odds(pair[1], base)
        often = min(log(1 + self._met[pair]), 3)
        return np.array([*known, *known * new, own, own * often, concept, concept * new, new])

    def sure(self, article: Sequence[Said]) -> np.ndarray:
        """How probable its mentions are to be right."""
        return self._model.predict_proba(np.array([self._row(pair, method) for pair, method, _ in article]))[:, 1]


def evidence(names: Sequence[Named], papers: Sequence[Paper], even: Sequence[int], sealed: Sequence[int]) -> None:
    """The filter that knows words and gold, chosen by the even articles, read on the sealed ones."""
    plain = Linker(names)
    union = Linker(plain.table, fuzzy=0.9)
    found = [union.link(paper.texts) for paper in papers]
    features, every = Features(found, papers, union), defaultdict[tuple[str, int], list[list[float]]](list)
    for number, (texts, paper) in enumerate(zip(found, papers, strict=True)):
        for some, text in zip(texts, paper.texts, strict=True):
            for one in some:
                pair = union.key(text[one.start : one.stop]).strip(), one.concept
                every[pair].append(features.of(number, text, one))
    means, by_article = {pair: np.mean(some, axis=0) for pair, some in every.items()}, said(found, papers, union)

    def counted(train: Sequence[int], held: Sequence[int]) -> np.ndarray:
        """Right, found and wanted by level and held article."""
        own = gold([papers[at] for at in train])
        forms = missed(plain, own)
        linker = Linker(Names(names, Rules(tuple(forms))), fuzzy=0.9)
        sure, model = probabilities(linker, own), Evidence(means, [by_article[at] for at in train])
        learnt = {(linker.key(text).strip(), concept) for text, concept in forms}
        made = []
        for at in held:
            (article,) = said([linker.link(papers[at].texts)], [papers[at]], linker)
            right, wanted = np.array([one[2] for one in article], float), sum(map(len, papers[at].gold))
            own_sure = [
                sure.get(one[0], 0.75) if one[0] in learnt else by
                for one, by in zip(article, model.sure(article), strict=True)
            ]
            kept = np.array(own_sure) >= LEVELS[:, None]
            made.append(np.stack((kept @ right, kept.sum(1), np.full(len(LEVELS), wanted)), 1))
        return np.stack(made, 1).astype(float)

    folds = [even[fold::5] for fold in range(5)]
    tried = np.concatenate([counted([at for at in even if at not in held], held) for held in folds], 1)
    draws = np.random.default_rng(0).integers(0, tried.shape[1], (1000, tried.shape[1]))
    drawn = tried[:, draws].sum(2)
    low = np.quantile(drawn[..., 0] / drawn[..., 1], 0.025, axis=1)
    scores = [f1(some) for some in tried.sum(1)]
    best = max((at for at in range(len(LEVELS)) if low[at] >= PRECISION), key=lambda at: scores[at][2])
    precision, recall, score = scores[best]
    print(
        f"level {LEVELS[best]:.2f}: five folds, even, P {precision:.3f} [{low[best]:.3f}, R {recall:.3f} F1 {score:.3f}"
    )
    last = [papers[at] for at in sealed]
    for what, linker in (("exact", plain), ("fuzzy 0.9", union)):
        told(f"{what}, sealed", rows([linker.link(paper.texts) for paper in last], last))
    told("both + evidence, sealed", counted(even, sealed)[best])


def main() -> None:
    ids, names = vocabularies()
    train, dev = craft(ids)
    papers = [*train, *dev]
    even = list(range(0, len(train), 2))
    sealed = [at for at in range(len(papers)) if at not in set(even)]
    if sys.argv[1:] in (["learnt"], ["evidence"]):
        {"learnt": learnt, "evidence": evidence}[sys.argv[1]](names, papers, even, sealed)
        return
    vectors = Vectors(Path(sys.argv[1]) if sys.argv[1:] else None)
    linker = Linker(names)
    table = linker.table
    of_names = vectors(list(names_of(table)))
    exact = [linker.link(paper.texts) for paper in papers]
    nearly = Linker(table, fuzzy=0.9)
    fuzzy = [nearly.link(paper.texts) for paper in papers]
    found = {"exact": exact, "fuzzy 0.9": fuzzy}
    for alpha in (0.95, 0.9, 0.85, 0.8):
        semantic = Semantic(table, of_names, vectors, alpha)
        found[f"semantic {alpha}"] = [semantic.link(paper.texts, own) for paper, own in zip(papers, exact, strict=True)]
        if alpha == 0.9:
            found["both"] = [semantic.link(paper.texts, own) for paper, own in zip(papers, fuzzy, strict=True)]
    vectors.keep()
    for what, own in found.items():
        told(f"{what}, even", rows(own, papers)[even])
        told(f"{what}, sealed", rows(own, papers)[sealed])
        for method in ("fuzzy", "semantic"):
            show_more(own, papers, method)
    for what in ("exact", "both", "semantic 0.8"):
        print(f"{what}, with the filter")
        told(f"{what} + filter, sealed", rows(filtered(found[what], papers, even, linker), papers)[sealed])


if __name__ == "__main__":
    main()
