"""Linking of names of ontologies: CRAFT, what is learnt, surface variants, speed.

    python benchmarks/entity_linking.py [craft plausible learnt variants speed]

Exact span and right id. The even articles of CRAFT's train were looked at while the linker was written; the odd ones
and dev were not. Bootstrap intervals (95 %) draw papers. Names are those of `obo_json`; of MONDO what is a disease.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from corpora import data_folder, read_lines
from results import Figure, store_figures

from conspectus.graph.linking.linker import Linker
from conspectus.graph.linking.name_table import NO_RULES, ComputedNameTable, RankedName, Rules
from conspectus.graph.linking.plausibility import PlausibilityModel, describe_concepts, read_weights
from conspectus.graph.linking.words import reason_left_out
from conspectus.graph.vocabularies.gold import learn
from conspectus.records.vocabularies import NameKind

VOCABULARIES = ("UBERON", "CL", "MONDO")
DISEASE = "MONDO:0000001"
NAMES_WANTED = 400_000
Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Paper:
    texts: list[str]
    gold: list[set[Triple]]


def _json(path: str) -> dict[str, dict]:
    import zstandard

    (found,) = (data_folder() / "obo_json").glob(f"{path}-*.json.zst")
    with found.open("rb") as packed:
        return json.loads(zstandard.ZstdDecompressor().stream_reader(packed).read())


def vocabularies() -> tuple[list[str], list[RankedName]]:
    ids: list[str] = [""]
    names: list[RankedName] = []
    for rank, vocabulary in enumerate(VOCABULARIES):
        for curie, one in _json(vocabulary).items():
            if one.get("deprecated") or (vocabulary == "MONDO" and DISEASE not in (curie, *one["ancestors"])):
                continue
            said = [(one["label"], NameKind.LABEL), *((text, NameKind.EXACT) for text in one.get("synonyms", ()))]
            names += [RankedName(len(ids), text, kind, rank) for text, kind in said if not reason_left_out(text)]
            ids.append(curie)
    return ids, names


def vocabulary_parents(ids: list[str]) -> dict[int, list[int]]:
    """Concept -> those next above, by their places in `ids`."""
    place, found = {curie: at for at, curie in enumerate(ids)}, {}
    for vocabulary in VOCABULARIES:
        for curie, one in _json(vocabulary).items():
            if curie in place:
                found[place[curie]] = [
                    place[up] for up, steps in one["ancestors"].items() if steps == 1 and up in place
                ]
    return found


def papers(corpus: str, part: str, number: Callable[[dict], int | None]) -> list[Paper]:
    """Each article's paragraphs, with the mentions in each; `number`: the concept of a mention, None if not wanted."""
    found = []
    for record in read_lines(data_folder() / corpus / f"{part}.jsonl.gz"):
        starts, texts = [], []
        for match in re.finditer(r"[^\n]+", record["text"]):
            starts.append(match.start())
            texts.append(match[0])
        gold: list[set[Triple]] = [set() for _ in texts]
        for one in record["entities"]:
            if (concept := number(one)) is not None:
                at = int(np.searchsorted(starts, one["start"], "right")) - 1
                gold[at].add((one["start"] - starts[at], one["end"] - starts[at], concept))
        found.append(Paper(texts, gold))
    return found


def triples(linker: Linker, paper: Paper) -> list[set[Triple]]:
    return [{(one.start, one.stop, one.concept) for one in found} for found in linker.link(paper.texts)]


def f1(counts: np.ndarray) -> tuple[float, float, float]:
    right, found, wanted = (float(one) for one in counts)
    precision, recall = right / max(found, 1), right / max(wanted, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def counts(
    found: Sequence[Sequence[set]], papers: Sequence[Paper], of: Callable[[int], bool] = lambda _: True
) -> np.ndarray:
    """Right, found and wanted mentions, [papers, 3]."""
    rows = []
    for ours, paper in zip(found, papers, strict=True):
        row = np.zeros(3)
        for one, gold in zip(ours, paper.gold, strict=True):
            some, wanted = {x for x in one if of(x[2])}, {x for x in gold if of(x[2])}
            row += (len(some & wanted), len(some), len(wanted))
        rows.append(row)
    return np.array(rows)


def pair_counts(found: Sequence[Sequence[set]], papers: Sequence[Paper]) -> np.ndarray:
    """The same of concepts in papers, each once."""
    rows = []
    for ours, paper in zip(found, papers, strict=True):
        some, wanted = ({x[2] for one in sides for x in one} for sides in (ours, paper.gold))
        rows.append((len(some & wanted), len(some), len(wanted)))
    return np.array(rows)


def told(what: str, rows: np.ndarray) -> None:
    draws = np.random.default_rng(0).integers(0, len(rows), (1000, len(rows)))
    low, high = np.percentile([f1(rows[draw].sum(0))[2] for draw in draws], (2.5, 97.5))
    precision, recall, score = f1(rows.sum(0))
    print(f"{what:58} P {precision:.3f}  R {recall:.3f}  F1 {score:.3f} [{low:.3f}, {high:.3f}]", flush=True)


def craft(ids: list[str]) -> tuple[list[Paper], list[Paper]]:
    number = {curie: at for at, curie in enumerate(ids)}
    unknown: dict[str, int] = {}

    def concept(one: dict) -> int | None:  # an id that no active class has is wanted all the same
        if one["type"] not in VOCABULARIES:
            return None
        return number.get(one["id"]) or unknown.setdefault(one["id"], -1 - len(unknown))

    return papers("craft", "train", concept), papers("craft", "dev", concept)


def show_craft(ids: list[str], names: list[RankedName]) -> None:
    train, dev = craft(ids)
    every = [*train, *dev]
    linker = Linker(names)
    ours = [triples(linker, paper) for paper in every]
    rows = counts(ours, every)
    odd = [at for at in range(len(every)) if at % 2 or at >= len(train)]
    told("ours, nothing learnt, train + dev (at least 0.74)", rows)
    told("  train, even articles (looked at)", rows[: len(train) : 2])
    told("  train, odd articles, and dev (not looked at)", rows[odd])
    told("  dev", rows[len(train) :])
    told("  concepts in papers", pair_counts(ours, every))
    for vocabulary in VOCABULARIES:
        inside = {at for at, curie in enumerate(ids) if curie.startswith(vocabulary)}
        told(f"  {vocabulary}", counts(ours, every, inside.__contains__))


def judging_linker(ids: list[str], names: list[RankedName], rules: Rules = NO_RULES) -> Linker:
    """A linker that leaves out what is not plausible, as `graph link` does."""
    kinds = describe_concepts({name.concept: name.text for name in reversed(names)}, vocabulary_parents(ids))
    model = PlausibilityModel(read_weights())
    return Linker(ComputedNameTable(names, rules, kinds, model), model=model)


def show_plausible(ids: list[str], names: list[RankedName]) -> None:
    """With and without the model: CRAFT, of whose train it was learnt, and spans of AnatEM and NCBI."""
    train, dev = craft(ids)
    linkers = {"all names": Linker(names), "plausible ones": judging_linker(ids, names)}
    scores: dict[str, list[str]] = defaultdict(list)
    for what, linker in linkers.items():
        for part, some in (("train", train), ("dev", dev)):
            found = [triples(linker, paper) for paper in some]
            told(f"{what}, CRAFT {part}", counts(found, some))
            told(f"{what}, CRAFT {part}, concepts in papers", pair_counts(found, some))
            if part == "dev":
                scores["CRAFT dev"].append(f"{f1(counts(found, some).sum(0))[2]:.3f}")
                scores["concepts"].append(f"{f1(pair_counts(found, some).sum(0))[2]:.3f}")
        for corpus, prefixes in (("anatem", ("UBERON", "CL")), ("ncbi_disease", ("MONDO",))):
            some = papers(corpus, "devel", lambda _: -1)
            inside = {at for at, curie in enumerate(ids) if curie.startswith(prefixes)}
            found = [
                [
                    {(one.start, one.stop, -1) for one in each if one.concept in inside}
                    for each in linker.link(paper.texts)
                ]
                for paper in some
            ]
            told(f"{what}, {corpus} devel, spans", counts(found, some))
            scores[corpus].append(f"{f1(counts(found, some).sum(0))[2]:.3f}")
    learnt = judging_linker(ids, names, _learnt(names, train))
    found = [triples(learnt, paper) for paper in dev]
    told("plausible ones, names learnt of train, CRAFT dev", counts(found, dev))
    scores["learnt"].append(f"{f1(counts(found, dev).sum(0))[2]:.3f}")
    spans = f"{scores['anatem'][1]}; {scores['ncbi_disease'][1]}"
    before = f"{scores['anatem'][0]}; {scores['ncbi_disease'][0]}"
    store_figures("plausibility", "graph", "python benchmarks/entity_linking.py plausible", [
        Figure("CRAFT dev, plausible names: F1; by concept", f"{scores['CRAFT dev'][1]}; {scores['concepts'][1]}",
               "≥ 0.82", f"all names {scores['CRAFT dev'][0]}; {scores['concepts'][0]}"),
        Figure("CRAFT dev, plausible names, learnt from train: F1", scores["learnt"][0], "≥ 0.82"),
        Figure("AnatEM; NCBI, spans: F1", spans, "", f"all names {before}"),
    ])  # fmt: skip


def show_learnt(ids: list[str], names: list[RankedName]) -> None:
    train, dev = craft(ids)
    order = list(range(len(train)))
    random.Random(0).shuffle(order)
    found: dict[int, list[set[Triple]]] = {}
    for fold in range(5):
        held = order[fold::5]
        linker = Linker(names, _learnt(names, [train[at] for at in order if at not in held]))
        found |= {at: triples(linker, train[at]) for at in held}
    ours = [found[at] for at in range(len(train))]
    told("learnt, 5-fold on train (at least 0.80)", counts(ours, train))
    told("  concepts in papers (at least 0.80)", pair_counts(ours, train))
    linker = Linker(names, _learnt(names, train))
    ours = [triples(linker, paper) for paper in dev]
    told("learnt on train, dev (at least 0.82)", counts(ours, dev))
    told("  concepts in papers", pair_counts(ours, dev))
    for vocabulary in VOCABULARIES:
        inside = {at for at, curie in enumerate(ids) if curie.startswith(vocabulary)}
        told(f"  {vocabulary}, dev", counts(ours, dev, inside.__contains__))


def _learnt(names: list[RankedName], train: Sequence[Paper]) -> Rules:
    return learn(names, gold(train))


def gold(train: Sequence[Paper]) -> list[tuple[list[str], list[list[Triple]]]]:
    """The texts and mentions of papers, as `learn` takes them; without those of ids that no name has."""
    return [(paper.texts, [[x for x in some if x[2] > 0] for some in paper.gold]) for paper in train]


MADE: dict[str, Callable[[str], str]] = {
    "plural": lambda text: re.sub(r"[sxz]$|ch$|sh$", r"\g<0>e", re.sub(r"([^aeiou])y$", r"\1ie", text)) + "s",
    "capitals": lambda text: text.title(),
    "hyphen": lambda text: text.replace(" ", "-", 1),
    "no hyphen": lambda text: text.replace("-", " "),
    "British": lambda text: re.sub(
        "tumor",
        "tumour",
        re.sub(r"(?<=[a-z])emi(?=[ac])", "aemi", text.replace("esoph", "oesoph").replace("edema", "oedema")),
    ),
    "Greek": lambda text: text.replace("alpha", "α").replace("beta", "β").replace("gamma", "γ"),
    "turned": lambda text: ", ".join(reversed(text.rsplit(" ", 1))),
    "of": lambda text: "{1} of {0}".format(*text.rsplit(" ", 1)) if " " in text else text,
}


def show_variants(ids: list[str], names: list[RankedName]) -> None:
    linker, draw = Linker(names), random.Random(1)
    labels = [
        name
        for name in names
        if name.kind is NameKind.LABEL and re.fullmatch(r"[A-Za-z][a-z]{3,}[a-z -]{0,40}", name.text)
    ]
    draw.shuffle(labels)
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    listed = {name.text.casefold() for name in names}
    for kind, make in MADE.items():
        if kind in ("of", "turned"):
            continue
        for name in labels:
            text = make(name.text)
            if (
                text != name.text
                and (kind == "capitals" or text.casefold() not in listed)
                and linker.link([name.text])[0]
            ):
                total[kind] += 1
                right[kind] += name.concept in _concepts(linker, [f"We saw {text} here."])
            if total[kind] == 84:
                break
    long = [name for name in labels if 2 <= len(name.text.split()) <= 4][:60]
    for name in long:
        short = "".join(word[0] for word in name.text.split()).upper()
        total["abbreviation"] += 1
        right["abbreviation"] += linker.link([f"We saw {name.text} ({short}).", f"{short} was seen."])[1:] != [[]]
    for kind, of in total.items():
        print(f"  {kind:14} {right[kind] / of:.3f} of {of}")
    print(f"variants made: {right.total() / total.total():.3f} of {total.total()} (at least 0.95)")
    _show_gold_variants(ids, names, linker, listed, draw)


def _show_gold_variants(
    ids: list[str], names: list[RankedName], linker: Linker, listed: set[str], draw: random.Random
) -> None:
    """Surfaces of the gold that no vocabulary lists, of the concepts' own words: other spellings, not other names."""
    own = defaultdict(set)
    for name in names:
        own[name.concept].add(_letters(name.text))
    train, dev = craft(ids)
    surfaces = {
        (paper.texts[at][start:stop], concept)
        for paper in train[1::2] + dev
        for at, gold in enumerate(paper.gold)
        for start, stop, concept in gold
    }
    some = sorted(
        (text, concept)
        for text, concept in surfaces
        if text.casefold() not in listed and _letters(text) in own[concept]
    )
    some = draw.sample(some, min(100, len(some)))
    right = sum(concept in _concepts(linker, [f"We saw {text} here."]) for text, concept in some)
    print(f"variants in gold, spelt otherwise than listed: {right / len(some):.3f} of {len(some)} (at least 0.95)")


def _letters(text: str) -> str:
    """Without spaces, hyphens, case and the ends of plurals, so that a spelling is told from another name."""
    return re.sub(
        r"(?:ies|es|s|ae|i|y|us|a|um|e)?\b|[\W_]",
        "",
        text.casefold().replace("ae", "e").replace("oe", "e").replace("our", "or"),
    )


def _concepts(linker: Linker, texts: list[str]) -> set[int]:
    return {
        concept
        for found in linker.link(texts)
        for one in found
        for concept in (one.concept, *(key for key, _ in one.others))
    }


def show_speed(_: list[str], names: list[RankedName]) -> None:
    more = [*names, *_others(len(names))]
    padding = (RankedName(10**7 + at, f"{one.text} {at % 97}x", one.kind, 9) for at, one in enumerate(more * 3))
    many = [*more, *(one for one, _ in zip(padding, range(NAMES_WANTED - len(more)), strict=False))]
    texts = [
        record["text"].split("\n")
        for part in ("train", "dev")
        for record in read_lines(data_folder() / "craft" / f"{part}.jsonl.gz")
    ]
    words = sum(len(text.split()) for paper in texts for text in paper)
    for what, alpha, least in (("all normalisation", 0.0, 300_000), ("and fuzzy words", 0.9, 30_000)):
        began = time.process_time()
        linker = Linker(many, fuzzy=alpha)
        made, began = time.process_time() - began, time.process_time()
        for paper in texts:
            linker.link(paper)
        rate = words / (time.process_time() - began)
        print(
            f"{len(many):,} names, {what}: {rate:,.0f} words/s of {words:,} (at least {least:,}); made in {made:.1f} s"
        )


def _others(first: int) -> Iterator[RankedName]:
    for at, record in enumerate(read_lines(data_folder() / "nifstd" / "nifstd_terms.jsonl.gz")):
        for text in {record["label"], record["prefLabel"], *record["synonyms"], *record["abbrev"]} - {None, ""}:
            yield RankedName(10**6 + first + at, text, NameKind.EXACT, 3)
    with (data_folder() / "mesh2017" / "mesh_tree_2017.tsv").open() as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            yield RankedName(2 * 10**6 + int(row["descriptor_ui"][1:]), row["term"], NameKind.LABEL, 4)


PARTS = {
    "craft": show_craft,
    "plausible": show_plausible,
    "learnt": show_learnt,
    "variants": show_variants,
    "speed": show_speed,
}

if __name__ == "__main__":
    known = vocabularies()
    for part in sys.argv[1:] or PARTS:
        PARTS[part](*known)
