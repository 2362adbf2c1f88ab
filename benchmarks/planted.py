"""Planted errors: does the mechanical check see one changed number, unit, name or denial, and pass true statements?

    python benchmarks/planted.py [--held-out] [--show KIND] [--count 300]

True statements are made from real sentences by mechanical paraphrase (`planted_changes.py`); planted ones have one
change more. Papers: contexts of PubMedQA, abstracts of astronomy, full texts of neuroscience; with `--held-out` others
that were not looked at while the check was made: snippets of BioASQ, abstracts of materials, articles of PLOS. Then,
for information, statements by people: SciFact's claims with their rationales, BioASQ's ideal answers with
their snippets.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from itertools import islice

import corpora
import planted_changes as changes

from conspectus.answer.verify.mechanical import doubts
from conspectus.answer.verify.supported import judge_mechanically
from conspectus.parse.sentences import split_sentences

LIMIT_FLAGGED, LIMIT_TRUE = 0.90, 0.05
Pair = tuple[str, list[str], str]
"""A statement, the sentences that it cites, and the text around them."""
_READ = 3000
"""Texts read of a corpus."""


def texts(name: str) -> Iterator[str]:
    folder = corpora.data_folder()
    if name == "pubmedqa":
        yield from (" ".join(item["CONTEXTS"]) for item in corpora.pubmedqa())
    elif name == "neuro":
        for item in islice(corpora.read_lines(folder / "neuro_corpus" / "fulltext.jsonl.gz"), 150):
            yield from (part for part in item["body"].split("\n") if len(part) > 300 and not part.startswith("#"))
    elif name == "plos":
        yield from _plos()
    elif name == "bioasq":
        yield from (item["text"] for item in corpora.read_lines(folder / "bioasq" / "snippets.jsonl.gz"))
    else:
        path = {
            "astro": "arxiv_astro/astro_abstracts.jsonl.gz",
            "materials": "arxiv_topics/materials_chem_softmatter.jsonl.gz",
        }[name]
        yield from (item["abstract"] for item in corpora.read_lines(folder / path))


def _plos() -> Iterator[str]:
    import tarfile

    from lxml import etree

    with tarfile.open(next((corpora.data_folder() / "jats_plos").glob("*.tar.xz"))) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is not None:
                tree = etree.fromstring(file.read(), etree.XMLParser(recover=True))
                yield from (" ".join("".join(part.itertext()).split()) for part in tree.iterfind(".//body//p"))


def sources(name: str, choice: random.Random) -> list[tuple[list[str], str]]:
    """Neighbouring pairs of whole sentences with the passage they stand in."""
    found = []
    for printed in islice(texts(name), 20 * _READ):
        text = " ".join(printed.split())
        cut = [text[start:end] for start, end in split_sentences(text)]
        whole = [part for part in cut if 8 <= len(part.split()) <= 60 and part[0].isupper() and part.endswith(".")]
        if len(whole) > 1:
            place = choice.randrange(len(whole) - 1)
            found.append((whole[place : place + 2], text))
    choice.shuffle(found)
    return found[:_READ]


def true_statements(found: Sequence[tuple[list[str], str]], choice: random.Random) -> Iterator[Pair]:
    for sentences, passage in found:
        one = choice.choice(sentences)
        way = choice.random()
        if way < 0.15 and len(" ".join(sentences)) < 500:
            joined = sentences[0].rstrip(".") + choice.choice((", and ", "; ", " In addition, "))
            yield joined + changes.paraphrase(sentences[1], choice), list(sentences), passage
        elif way < 0.25:
            yield one, [one], passage
        else:
            yield changes.paraphrase(one, choice), [one] if choice.random() < 0.7 else list(sentences), passage


def planted(found: Sequence[tuple[list[str], str]], change: changes.Change, choice: random.Random) -> Iterator[Pair]:
    for statement, sentences, passage in true_statements(found, choice):
        wrong = change(statement, choice)
        if wrong != statement and wrong not in sentences:
            yield wrong, sentences, passage


def measure(name: str, pairs: Sequence[Pair], limit: str, show: bool) -> float:
    """Print the part of `pairs` about which there is a doubt."""
    flagged = 0
    for statement, sentences, passage in pairs:
        doubt = doubts(statement, sentences, [passage])
        flagged += bool(doubt)
        if show and bool(doubt) == (limit == "at most"):
            print(f"  - {statement}\n    {sentences}\n    {[(item.kind, item.found, item.why) for item in doubt]}")
    print(f"{name:34} {flagged:4} of {len(pairs):4} = {flagged / max(len(pairs), 1):6.1%}", flush=True)
    return flagged / max(len(pairs), 1)


def mechanical(names: Sequence[str], seed: int, count: int, show: str) -> bool:
    """Rates of the true and the planted statements of some corpora; whether all limits are kept."""
    well = True
    for name in names:
        choice = random.Random(seed)
        found = sources(name, choice)
        entities = sorted({spot[0] for sentences, _ in found for text in sentences for spot in changes.names(text)})
        kinds: dict[str, changes.Change] = {
            "number": changes.plant_number, "unit": changes.plant_unit, "entity": changes.entity_planter(entities),
            "negation": changes.deny, "comparison": changes.turn, "numbers swapped": changes.swap_numbers,
        }  # fmt: skip
        true = list(islice(true_statements(found, random.Random(seed + 1)), 3 * count))
        well &= measure(f"{name}: true", true, "at most", show in {"true", "all"}) <= LIMIT_TRUE
        for kind, change in kinds.items():
            pairs = list(islice(planted(found, change, random.Random(seed + 2)), count))
            rate = measure(f"{name}: {kind}", pairs, "at least", show in {kind, "all"})
            well &= rate >= LIMIT_FLAGGED or kind in {"comparison", "numbers swapped"}
    return well


def by_people(show: str) -> None:
    """SciFact's claims with the sentences that experts marked, and BioASQ's answers with their snippets."""
    folder = corpora.data_folder()
    abstracts = {
        str(item["doc_id"]): item["abstract"] for item in corpora.read_lines(folder / "scifact" / "corpus.jsonl.gz")
    }
    for label in ("SUPPORT", "CONTRADICT"):
        pairs = []
        for item in corpora.read_lines(folder / "scifact" / "claims_train.jsonl"):
            for paper, found in item["evidence"].items():
                pairs += [
                    (item["claim"], [abstracts[paper][place] for place in one["sentences"]], " ".join(abstracts[paper]))
                    for one in found
                    if one["label"] == label
                ]
        measure(f"SciFact {label}", pairs, "at most", show == label)
        statuses(pairs)
    snippets = {item["id"]: item["text"] for item in corpora.read_lines(folder / "bioasq" / "snippets.jsonl.gz")}
    pairs = []
    for item in corpora.read_lines(folder / "bioasq" / "questions.jsonl.gz"):
        cited = [snippets[key] for key in item["snippet_ids"] if key in snippets]
        if cited and item["ideal_answer"]:
            pairs.append((item["ideal_answer"][0], cited, ""))
    measure("BioASQ ideal answers", pairs[::2], "at most", show == "bioasq")
    statuses(pairs[::2])


def statuses(pairs: Sequence[Pair]) -> None:
    counts: dict[str, int] = {}
    for statement, sentences, passage in pairs:
        status = judge_mechanically(statement, sentences, [passage]).status
        counts[status] = counts.get(status, 0) + 1
    print("   ", ", ".join(f"{status} {count / len(pairs):.1%}" for status, count in sorted(counts.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", default="", help="print the failures of a kind")
    parser.add_argument("--only", default="", help="one corpus, or 'people'")
    given = parser.parse_args()
    began = time.perf_counter()
    names = ["bioasq", "materials", "plos"] if given.held_out else ["pubmedqa", "astro", "neuro"]
    if given.only:
        names = [given.only] if given.only != "people" else []
    well = mechanical(names, 977 if given.held_out else 5, given.count, given.show)
    if given.only in {"", "people"}:
        by_people(given.show)
    print(f"limits {'kept' if well else 'MISSED'}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
