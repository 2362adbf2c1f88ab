"""Train and judge what says whether a name in a paper means its concept (`graph/linking/plausibility.py`).

    python benchmarks/plausibility.py [words | train | standing | judge]

Rows are mentions that the linker finds without a model. Gold: CRAFT (UBERON, CL, MONDO; right is the exact span with
the right id), AnatEM (UBERON, CL), NCBI and BC5CDR (MONDO; right is the exact span). Judged: names of NIFSTD and UBERON
in `neuro_corpus`, of UAT in `arxiv_astro`, which one of us called `wrong` (another meaning), `general`, `method` or
`entity` (`plausibility_judged.tsv`, each name by one reader); `general` ones are in neither class. Half of the judged
names, by a hash, and the development parts of the gold are sealed: `judge` reads them.
"""

from __future__ import annotations

import csv
import gzip
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from corpora import data_folder, pubmedqa, read_lines
from entity_linking import Paper, craft, vocabularies, vocabulary_parents

from conspectus import Library
from conspectus.graph.linking.linker import Linker, PaperJudge, _stream
from conspectus.graph.linking.name_table import ComputedNameTable, NameReading, NameTable, RankedName, Rules
from conspectus.graph.linking.plausibility import (
    ConceptKind,
    NameUse,
    PlausibilityModel,
    ProfileMaker,
    Weights,
    context_features,
    describe_concepts,
    find_research_word,
    label_features,
    label_words,
    library_features,
    mention_features,
    name_features,
    read_weights,
    research_words,
    shared_rank,
)
from conspectus.graph.linking.words import fold
from conspectus.parse.text.sentences import split_sentences

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "src/conspectus/graph/linking/plausibility.json"
MOST = 12
"""Mentions of a judged name that are taken."""
ROUNDS = 2
PENALTY = 0.3
"""`C` of the logistic regression."""
TREES, LEAVES = 80, 8
LENIENCE = 0.6
"""Added to the log odds: where recall is low a lost mention costs more of F1 than a wrong one (chosen on train)."""
JUDGED_WEIGHT = 2.0
"""What a mention of a judged name counts."""
ABSURD = 3.0
"""How many times more a wrong mention of a judged name counts if the label is another: `obese` as "Leptin"."""
WORDS_FILE = WEIGHTS.parent / "research_words.txt"
KINDS, NEIGHBOURS = 60, 120


@dataclass
class Row:
    """A mention: its features, whether it is right, its source, and its name with the concept."""

    use: NameUse
    name: dict[str, float]
    context: dict[str, float]
    before: str
    after: str
    right: bool
    source: str
    surface: tuple[str, int]
    prior: float


class Tracer:
    """Finds all mentions of names with their features."""

    def __init__(self, names: Iterable[RankedName], kinds: dict, model: PlausibilityModel) -> None:
        table = ComputedNameTable(list(names), Rules())
        uses = list(table.uses(kinds))
        priors = model.priors([use for use, _, _ in uses]).tolist()
        self.priors = {(key, one.concept): prior for (_, key, one), prior in zip(uses, priors, strict=True)}
        self.uses = {(key, one.concept): use for use, key, one in uses}
        profiles = ProfileMaker((concept, tuple(key.split())) for key, concept in self.uses)
        self.features = {place: name_features(use) for place, use in self.uses.items()}
        readings = {
            key: tuple(
                one._replace(
                    prior=self.priors[key, one.concept], profile=profiles.of(self.uses[key, one.concept], one.concept)
                )
                if (key, one.concept) in self.uses
                else one
                for one in found
            )
            for key, found in table.readings.items()
        }
        self.linker = Linker(NameTable(table.words, readings, table.dropped))
        self.model = model

    def mentions(self, texts: Sequence[str]) -> Iterator[tuple[int, int, int, NameReading, str, dict, str, str]]:
        """(text, start, stop, reading, key, context features, word before, word after)."""
        linker = self.linker
        stream = _stream(linker.table, texts, linker._words)
        hits = [(linker._readings[n], a, b) for n, a, b in linker._automaton.find_matches_as_indexes(stream.keys)]
        seen = Counter(
            readings[0].concept for readings, _, _ in hits if readings[0].method not in ("acronym", "abbreviation")
        )
        judge = PaperJudge(self.model, stream, hits)
        bounds = np.cumsum([0, *(len(text) + 2 for text in texts)])
        for readings, first, last in hits:
            chosen = linker._chosen(readings, seen, False)
            if chosen and (place := stream.place(first, last)):
                text = int(np.searchsorted(bounds, place[0], "right")) - 1
                one = chosen[0]
                context = context_features(one.profile, judge.words, *judge.uses(readings, one))
                context |= mention_features(one.profile, stream.surface_and_next(first, last)[1])
                start, stop = place[0] - int(bounds[text]), place[1] - int(bounds[text])
                yield text, start, stop, one, stream.keys[first:last], context, *stream.words_around(first, last)

    def row(self, found: tuple, right: bool, source: str) -> Row:
        """A mention as a row."""
        *_, one, key, context, before, after = found
        place = key, one.concept
        return Row(self.uses[place], self.features[place], context, before, after, right, source, place, one.prior)


def gold_rows(tracer: Tracer, papers: Sequence[Paper], source: str, wanted: set[int]) -> Iterator[Row]:
    """Rows of gold; concepts are those `wanted`, and spans count alone where gold has no ids (concept -1)."""
    for paper in papers:
        spans = [{(a, b) for a, b, c in gold if c == -1} for gold in paper.gold]
        for found in tracer.mentions(paper.texts):
            text, start, stop, one, key = found[:5]
            if one.concept in wanted and (key, one.concept) in tracer.uses:
                right = (start, stop, one.concept) in paper.gold[text] or (start, stop) in spans[text]
                yield tracer.row(found, right, source)


def span_papers(corpus: str, part: str) -> list[Paper]:
    """Documents whose spans alone are marked, paragraph by paragraph."""
    from entity_linking import papers

    return papers(corpus, part, lambda _: -1)


def iob_papers(name: str) -> list[Paper]:
    """Sentences of diseases in IOB, 20 a document."""
    found, texts, gold = [], [], []
    with gzip.open(data_folder() / "mtl_ner" / name, "rt", encoding="utf-8") as file:
        tokens: list[tuple[str, str]] = []
        for line in [*file, "\n"]:
            if line.strip():
                tokens.append(tuple(line.rstrip("\n").split("\t")[:2]))
                continue
            text, spans, start = "", set(), None
            for word, tag in [*tokens, ("", "O")]:
                if start is not None and not tag.startswith("I"):
                    spans.add((start, len(text), -1))
                    start = None
                text += " " * bool(text and word)
                start = len(text) if tag == "B-Disease" else start
                text += word
            texts, gold, tokens = [*texts, text.rstrip()], [*gold, spans], []
            if len(texts) == 20:
                found.append(Paper(texts, gold))
                texts, gold = [], []
    return found


JUDGED = {
    "neuro_corpus": (
        (("NIFSTD", "nifstd/nifstd_ttl.tar.xz"), ("UBERON", "obo_json/UBERON")),
        ("fulltext", "abstracts"),
        250,
    ),
    "arxiv_astro": ((("UAT", "uat/UAT.rdf.xz"),), ("astro_abstracts",), 4000),
}


def judged_names() -> dict[str, dict[tuple[str, str], str]]:
    """Corpus -> (name, concept's id) -> verdict."""
    found: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    with (HERE / "plausibility_judged.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[row["corpus"]][row["name"], row["concept"]] = row["verdict"]
    return found


def is_sealed(name: str) -> bool:
    """Whether a judged name is kept for `judge`."""
    return blake2b(name.encode(), digest_size=1).digest()[0] % 2 == 1


def corpus_texts(corpus: str) -> Iterator[list[str]]:
    """The sentences of some papers."""
    _, files, most = JUDGED[corpus]
    for file in files:
        papers = list(read_lines(data_folder() / corpus / f"{file}.jsonl.gz"))
        for paper in random.Random(1).sample(papers, min(most, len(papers))):
            parts = [paper["title"], paper.get("abstract") or "", *(paper.get("body") or "").split("\n\n")]
            yield [part[a:b] for part in parts for a, b in split_sentences(part)]


def corpus_vocabulary(corpus: str, folder: str) -> tuple[list[RankedName], dict, dict[int, str]]:
    """Names, kinds and ids of a library with the vocabularies of a judged corpus."""
    import zstandard

    from conspectus.graph import sql
    from conspectus.graph.vocabularies.equal_concepts import merge_equal_concepts
    from conspectus.records.vocabularies import NameKind
    from conspectus.store.connection import transact
    from conspectus.store.entities import broader_labels

    with Library(folder) as library:
        for name, place in JUDGED[corpus][0]:
            path = data_folder() / place
            if place.startswith("obo_json"):
                (packed,) = path.parent.glob(f"{path.name}-*")
                path = Path(folder) / f"{path.name}.json"
                path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed.read_bytes()).read())
            library.vocabularies.add([path], name=name)
        catalog = library.session.catalog
        transact(catalog.engine, merge_equal_concepts)
        names = [RankedName(key, text, NameKind(kind), rank) for key, text, kind, rank in sql.searched_names(catalog)]
        ids = {key: id for key, (id, _) in sql.ids_by_vocabulary(catalog).items()}
        return names, describe_concepts(*broader_labels(catalog)), ids


def judged_rows(tracer: Tracer, corpus: str, ids: dict[int, str], texts: Sequence[list[str]]) -> Iterator[Row]:
    """Rows of judged names; `source` says whether they are sealed."""
    judged, times = judged_names()[corpus], Counter[tuple[str, int]]()
    for sentences in texts:
        here = Counter[tuple[str, int]]()
        for found in tracer.mentions(sentences):
            one, key = found[3], found[4]
            name = " ".join(key.split())
            verdict = judged.get((name, ids.get(one.concept, "")), "general")
            surface = key, one.concept
            if verdict != "general" and surface in tracer.uses and times[surface] < MOST and here[surface] < 2:
                times[surface] += 1
                here[surface] += 1
                yield tracer.row(found, verdict != "wrong", corpus + " sealed" * is_sealed(name))


def all_rows(model: PlausibilityModel) -> list[Row]:
    """All rows, with priors by a model."""
    rows = list[Row]()
    ids, names = vocabularies()
    kinds = describe_concepts({n.concept: n.text for n in reversed(names)}, vocabulary_parents(ids))
    of = {
        prefix: {at for at, curie in enumerate(ids) if curie.startswith(prefix)} for prefix in ("UBERON", "CL", "MONDO")
    }
    tracer = Tracer(names, kinds, model)
    for part, papers in zip(("train", "dev"), craft(ids), strict=True):
        rows += gold_rows(tracer, papers, f"craft {part}", set(range(len(ids))))
    for part in ("train", "devel"):
        own = "train" if part == "train" else "dev"
        rows += gold_rows(tracer, span_papers("anatem", part), f"anatem {own}", of["UBERON"] | of["CL"])
        rows += gold_rows(tracer, span_papers("ncbi_disease", part), f"ncbi {own}", of["MONDO"])
        rows += gold_rows(tracer, iob_papers(f"BC5CDR_{part}.iob.tsv.gz"), f"bc5cdr {own}", of["MONDO"])
    for corpus in JUDGED:
        with tempfile.TemporaryDirectory() as folder:
            names, kinds, own_ids = corpus_vocabulary(corpus, folder)
        rows += judged_rows(Tracer(names, kinds, model), corpus, own_ids, list(corpus_texts(corpus)))
    return rows


def is_training(row: Row, *, whole: bool) -> bool:
    """Whether a row may be learnt of; `whole`: also those of sealed names, in what is shipped."""
    return not row.source.endswith("dev") and (whole or not row.source.endswith("sealed"))


def fit(rows: Sequence[Row]) -> dict:
    """What is learnt of rows: trees of names and concepts, and a regression that adds the context.

    The regression takes what trees of the other names say (five folds), so that it does not trust them too much.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    concepts = defaultdict(set)
    for row in rows:
        for word in row.use.concept.above:
            concepts[word].add(row.surface[1])
    kinds = {word for word, _ in Counter({word: len(own) for word, own in concepts.items()}).most_common(KINDS)}
    near = {side: frequent(getattr(row, side) for row in rows) for side in ("before", "after")}
    static, context = DictVectorizer(sparse=False), DictVectorizer(sparse=False)
    names = static.fit_transform(
        row.name | {f"above {word}": 1.0 for word in row.use.concept.above & kinds} for row in rows
    )
    papers = context.fit_transform(in_context(row, near) for row in rows)
    right = np.array([row.right for row in rows])
    weights = np.array([weight_of(row) for row in rows])
    make = partial(
        HistGradientBoostingClassifier, max_iter=TREES, max_leaf_nodes=LEAVES, l2_regularization=5, min_samples_leaf=40
    )
    said = np.zeros(len(rows))
    for some, others in GroupKFold(5).split(names, groups=[f"{row.surface}" for row in rows]):
        model = make().fit(names[some], right[some], sample_weight=weights[some])
        said[others] = model.decision_function(names[others])
    trees = make().fit(names, right, sample_weight=weights)
    linear = LogisticRegression(C=PENALTY, max_iter=500).fit(
        np.column_stack([said, papers]), right, sample_weight=weights
    )
    slope, *others = linear.coef_[0].tolist()
    found: dict[str, dict[str, float]] = {"context": {}, "before": {}, "after": {}}
    for name, weight in zip(context.feature_names_, others, strict=True):
        part, _, own = name.partition(":")
        found[part][own] = round(weight, 3)
    start = LENIENCE + float(linear.intercept_[0]) + slope * float(np.ravel(trees._baseline_prediction)[0])
    nodes = [as_tree(each[0].nodes) for each in trees._predictors]
    return {
        "columns": list(static.feature_names_),
        "trees": nodes,
        "start": round(start, 4),
        "slope": round(slope, 4),
        **found,
    }


def weight_of(row: Row) -> float:
    """What a row counts."""
    if row.source.split()[0] not in JUDGED:
        return 1.0
    return JUDGED_WEIGHT * (1.0 if row.right or row.name["label"] else ABSURD)


def as_tree(nodes) -> dict:
    """A tree of scikit-learn as `Tree` has it."""
    leaf = nodes["is_leaf"].astype(bool)
    itself = np.arange(len(nodes))
    return {
        "feature": np.where(leaf, 0, nodes["feature_idx"]).tolist(),
        "limit": [float(f"{one:.5g}") for one in np.where(leaf, 0, nodes["num_threshold"])],
        "left": np.where(leaf, itself, nodes["left"]).tolist(),
        "right": np.where(leaf, itself, nodes["right"]).tolist(),
        "value": [round(float(one), 4) for one in np.where(leaf, nodes["value"], 0)],
    }


def in_context(row: Row, near: dict[str, set[str]]) -> dict[str, float]:
    """The features of a row's context by their whole names."""
    found = {f"context:{name}": value for name, value in row.context.items()}
    return found | {f"{side}:{word}": 1.0 for side in near if (word := getattr(row, side)) in near[side]}


def frequent(words: Iterable[str]) -> set[str]:
    return {word for word, _ in Counter(words).most_common(NEIGHBOURS)}


def train() -> None:
    """Learn the weights in two rounds, for the first tell which names are safe; write them, learnt of all names."""
    model = PlausibilityModel(read_weights())
    for number in range(ROUNDS):
        rows = all_rows(model)
        print(f"round {number + 1}: {len(rows)} rows, {Counter(row.source for row in rows)}", flush=True)
        judge(rows)
        model = PlausibilityModel(msgspec.convert(fit([row for row in rows if is_training(row, whole=True)]), Weights))
    kept = read_weights()
    model = PlausibilityModel(msgspec.structs.replace(model.weights, general=kept.general, method=kept.method))
    WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(model.weights), indent=0) + b"\n")


def judge(rows: Sequence[Row]) -> None:
    """Learn without sealed names, and show what is kept."""
    learnt = fit([row for row in rows if is_training(row, whole=False)])
    model = PlausibilityModel(msgspec.convert(learnt, Weights))
    priors = model.priors([row.use for row in rows]).tolist()
    show([replace(row, prior=prior) for row, prior in zip(rows, priors, strict=True)], model)


def show(rows: Sequence[Row], model: PlausibilityModel) -> None:
    """How many right and wrong mentions are kept, by source; of judged names also by name."""
    by = defaultdict(list)
    for row in rows:
        added = sum(value * model.weights.context.get(name, 0.0) for name, value in row.context.items())
        score = row.prior + added + model.score_neighbours(row.before, row.after)
        by[row.source].append((row.right, score >= 0, row.surface))
    for source, found in sorted(by.items()):
        right, kept = np.array([one[0] for one in found]), np.array([one[1] for one in found])
        named = {side: defaultdict(list) for side in (True, False)}
        for is_right, is_kept, surface in found:
            named[bool(is_right)][surface].append(is_kept)
        names = [np.mean([np.mean(own) for own in side.values()] or [0]) for side in named.values()]
        print(f"{source:22} kept {kept[right].mean():.3f} of {right.sum()} right, {kept[~right].mean():.3f} of "
              f"{(~right).sum()} wrong; by name {names[0]:.3f}, {names[1]:.3f}", flush=True)  # fmt: skip


@dataclass
class Standing:
    """A judged concept: its verdict, its label, and its features but for those of its label's words."""

    corpus: str
    verdict: str
    kind: ConceptKind
    library: dict[str, float]

    def features(self) -> dict[str, float]:
        """All of its features, by the research words as they are scored now."""
        return label_features(self.kind) | self.library


def standings(corpus: str) -> Iterator[Standing]:
    """The judged concepts of a corpus that its papers mention in a sense that is not wrong."""
    verdicts = defaultdict(Counter)
    for (_, id), verdict in judged_names()[corpus].items():
        verdicts[id][verdict] += verdict != "wrong"
    with tempfile.TemporaryDirectory() as folder:
        names, kinds, ids = corpus_vocabulary(corpus, folder)
    model = PlausibilityModel(read_weights())
    linker = Linker(ComputedNameTable(names, Rules(), kinds, model), model=model)
    sentences, papers, total = Counter(), Counter(), 0
    for texts in corpus_texts(corpus):
        total += 1
        found = [{one.concept for one in each} for each in linker.link(texts)]
        sentences.update(key for each in found for key in each)
        papers.update(set().union(*found))
    for key, number in papers.items():
        (verdict, times), *_ = [*verdicts[ids[key]].most_common(1), ("", 0)]
        if times:
            burst = np.log2(total * (1 - np.exp(-sentences[key] / total)) / number)
            rank = max(map(shared_rank, map(fold, label_words(kinds[key].label))), default=1)
            yield Standing(corpus, verdict, kinds[key], library_features(number / total, float(burst), rank))


def train_standing() -> None:
    """Score the research words, and learn which concepts are too general to be listed, and which are methods."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    judged = [one for corpus in JUDGED for one in standings(corpus)]
    verdicts = np.array([one.verdict for one in judged])
    words = [line.split()[0] for line in WORDS_FILE.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        embed = library.session.embedder.embed
        labels, vectors = (
            np.array([one.vector for one in embed(texts)]) for texts in ([one.kind.label for one in judged], words)
        )

    def score(mask) -> None:
        """Score the words by some of the labels."""
        rows = [
            regression(1.0).fit(labels[mask], verdicts[mask] == what).decision_function(vectors) for what in STANDING
        ]
        scored = zip(words, *(np.rint(10 * row).astype(int) for row in rows), strict=True)
        WORDS_FILE.write_text("".join(f"{word} {general} {method}\n" for word, general, method in scored), "utf-8")
        research_words.cache_clear(), find_research_word.cache_clear()

    held: list[dict[str, float]] = [{} for _ in judged]
    for some, others in StratifiedKFold(5, shuffle=True, random_state=0).split(labels, verdicts):
        score(np.isin(np.arange(len(judged)), some))
        for at in others:
            held[at] = judged[at].features()
    kinds = frequent_kinds(held)
    vectorizer = DictVectorizer(sparse=False)
    columns = vectorizer.fit_transform(
        {k: v for k, v in row.items() if k in kinds or not k.startswith("above ")} for row in held
    )
    every = np.array([one.corpus == "neuro_corpus" for one in judged])
    weights = msgspec.to_builtins(read_weights())
    for what in STANDING:
        right, said = verdicts == what, np.zeros(len(judged))
        for some, others in StratifiedKFold(5, shuffle=True, random_state=1).split(columns, right):
            said[others] = regression(0.3).fit(columns[some], right[some]).decision_function(columns[others])
        across = [
            roc_auc_score(
                right[~side], regression(0.3).fit(columns[side], right[side]).decision_function(columns[~side])
            )
            for side in (every, ~every)
        ]
        print(f"{what}: {right.sum()} of {len(right)}, AUC {roc_auc_score(right, said):.3f}, of the other corpus "
              f"{across[0]:.3f}, {across[1]:.3f}; out {(said[right] > 0).mean():.2f}, of others "
              f"{(said[~right] > 0).mean():.3f}")  # fmt: skip
        model = regression(0.3).fit(columns, right)
        own = zip(vectorizer.feature_names_, model.coef_[0].tolist(), strict=True)
        weights[what] = {"one": round(float(model.intercept_[0]), 3)} | {
            name: round(one, 3) for name, one in own if abs(one) > 0.01
        }
    score(np.ones(len(judged), bool))
    WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=0) + b"\n")


STANDING = ("general", "method")


def regression(strength: float):
    """A logistic regression in which the rarer class counts twice."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, max_iter=2000, class_weight={0: 1, 1: 2})


def frequent_kinds(rows: Iterable[dict[str, float]]) -> set[str]:
    """The commonest features of what is above concepts."""
    counted = Counter(name for row in rows for name in row if name.startswith("above "))
    return {name for name, _ in counted.most_common(40)}


WORDS, ABSTRACTS, FEWEST = 6_000, 6_000, 800
"""Words that are written, abstracts of a field that are counted, and those that a field has at least."""
ARCHIVES = {"hep-th": "hep", "hep-ph": "hep", "hep-ex": "hep", "hep-lat": "hep", "gr-qc": "hep", "nucl-th": "hep",
            "nucl-ex": "hep", "math-ph": "math", "q-fin": "econ", "nlin": "physics"}  # fmt: skip


def field_texts() -> Iterator[tuple[str, str]]:
    """(field, abstract): archives of arXiv, and two of medicine."""
    (file,) = (data_folder() / "arxiv_scale").glob("arxiv_350k*")
    for one in read_lines(file):
        archive = one["primary_category"].split(".")[0]
        yield ARCHIVES.get(archive, archive), f"{one['title']} {one.get('abstract') or ''}"
    for one in read_lines(data_folder() / "sysrev" / "records.jsonl.gz"):
        yield "reviews", f"{one.get('title') or ''} {one.get('abstract') or ''}"
    for one in (*pubmedqa(), *read_lines(data_folder() / "neuro_corpus" / "abstracts.jsonl.gz")):
        yield "medicine", " ".join(one.get("CONTEXTS", ())) or f"{one['title']} {one['abstract'] or ''}"


def write_words() -> None:
    """Write the words that all fields share: those with the highest mean log rate over fields."""
    counts, papers = defaultdict(Counter), Counter()
    for field, text in field_texts():
        if papers[field] < ABSTRACTS:
            papers[field] += 1
            counts[field].update({fold(word) for word in re.findall(r"[a-z]{2,}", text.lower())})
    fields = [field for field, number in papers.items() if number >= FEWEST]
    words = {word for field in fields for word, times in counts[field].items() if times > 2}
    rate = {word: sum(np.log((counts[field][word] + 0.3) / papers[field]) for field in fields) for word in words}
    shared = sorted(words, key=lambda word: (-rate[word], word))[:WORDS]
    WORDS_FILE.write_text("".join(f"{word} -30 -30\n" for word in shared), "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["words"]:
        write_words()
        sys.exit()
    if sys.argv[1:] == ["standing"]:
        train_standing()
    elif sys.argv[1:] == ["judge"]:
        judge(all_rows(PlausibilityModel(read_weights())))
    else:
        train()
