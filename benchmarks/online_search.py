"""Is the paper that answers a question found online, by keywords made without a model? (P1), and a MeSH category (K12).

    python benchmarks/online_search.py            # development half; chooses `services/query_words.py`
    python benchmarks/online_search.py --sealed   # the other half: read once, when all was settled
    python benchmarks/online_search.py --mesh Hippocampus

P1: 200 claims of SciFact (relevant: what they cite) and 200 questions of PubMedQA (relevant: the abstract, whose title,
which is the question, is withheld), drawn by a hash; half of each is sealed. A local simulator of Europe PMC serves
SciFact's corpus, PubMedQA's abstracts and 20,000 others. Each set of keywords fetches its first ten papers, one set
after the other. Measured is the area under the curve of recall over papers fetched, as PaperQA defines it (appendix C:
keyword searches of ten papers each, recall of the original paper, normalised area; its axis goes on to 20 searches,
this one to three, which is harder). The question alone is the baseline; it fetches as many papers, all by itself.

Words are sent in two ways: any of them may be in a paper (`a OR b`), best first; or all of them must be, which is how
Europe PMC joins words without an operator. *Service* is `services/europepmc.py` as it is.

K12: the works of a category, paged to the end, against those that the simulator has; and how many texts are open.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus.core.errors import UnavailableError
from conspectus.evaluation import interval
from conspectus.lexicon import STOP_WORDS
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import RateLimit, Service, WorkQuery, service
from conspectus.services.query_words import keywords_of
from conspectus.settings import load_settings
from conspectus_evaluations.simulator import Simulator, read_corpus

EACH = 200
"""Questions of a set, both halves."""
PAGE, SETS = 10, 3
FETCHED = PAGE * SETS
"""Papers that three sets of keywords fetch, at most."""
LEAST = 0.76
"""PaperQA, table 6: GPT-4's keywords, Google Scholar."""

Fetch = Callable[[str, int], list[str]]
"""Words and a number of papers -> ids of papers, best first."""


class OnlineQuestion(NamedTuple):
    """A question, and the papers that answer it, by their ids in the simulator."""

    set: str
    text: str
    papers: frozenset[str]


def questions(sealed: bool) -> list[OnlineQuestion]:
    """Those of one half."""
    data = corpora.data_folder()
    claims = corpora.read_lines(data / "scifact" / "claims_train.jsonl")
    rows = {
        "scifact": [(f"{row['id']}", row["claim"], [f"scifact:{n}" for n in row["cited_doc_ids"]]) for row in claims],
        "pubmedqa": [(row["pmid"], row["QUESTION"], [f"pubmedqa:{row['pmid']}"]) for row in corpora.pubmedqa()],
    }
    found = []
    for name, listed in rows.items():
        drawn = sorted((row for row in listed if row[2]), key=lambda row: _hash(f"{name}:{row[0]}"))[:EACH]
        half = drawn[EACH // 2 :] if sealed else drawn[: EACH // 2]
        found += [OnlineQuestion(name, text, frozenset(papers)) for _, text, papers in half]
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def records() -> Any:
    """What the simulator serves."""
    data = corpora.data_folder()
    return chain(read_corpus("scifact", data), read_corpus("pubmedqa", data), corpora.distractors())


def recalls(fetched: Sequence[str], papers: frozenset[str]) -> float:
    """The area under one question's curve of recall over papers fetched, from 0 to 1."""
    found = np.array([name in papers for name in fetched[:FETCHED]] + [False] * (FETCHED - len(fetched)))
    return float(np.mean(np.cumsum(found)) / len(papers))


def fetch_sets(fetch: Fetch, sets: Sequence[str]) -> list[str]:
    """The papers of each set of keywords, one set after the other, each paper once."""
    size = PAGE if len(sets) > 1 else FETCHED
    return list(dict.fromkeys(name for words in sets for name in fetch(words, size)))


def ways(simulator: Simulator) -> dict[str, Fetch]:
    """How words are sent."""
    names = {work.data.pmid: work.data.external_id for work in simulator.works}

    def ask(words: str, size: int, operator: str) -> list[str]:
        terms = dict.fromkeys(re.findall(r"\w+", words))
        query = f" {operator} ".join([term for term in terms if term.lower() not in STOP_WORDS])
        params = urlencode({"query": query, "pageSize": size, "format": "json", "resultType": "lite"})
        with urlopen(f"{simulator.url}/europepmc/search?{params}") as reply:
            return [names.get(row.get("pmid", ""), row["id"]) for row in json.load(reply)["resultList"]["result"]]

    found: dict[str, Fetch] = {
        "any word": lambda words, size: ask(words, size, "OR"),
        "every word": lambda words, size: ask(words, size, "AND"),
    }
    if client := _client(simulator):
        known, asked = client
        found["service"] = lambda words, size: [
            names.get(work.pmid, work.doi or work.title)
            for work in known.find(asked, WorkQuery(words=words, any_word=True), size).works
        ]
    return found


def _client(simulator: Simulator) -> tuple[Service, ServiceClient] | None:
    """The service of Europe PMC, unbound by its limits; None where it is not there."""
    try:
        europepmc = service("europepmc")
    except UnavailableError:
        return None
    unbound = type(europepmc.title, (type(europepmc),), {"limits": RateLimit(requests=1000, seconds=0.01, at_once=8)})()
    settings = {**simulator.settings, "sources.max_age": 0.0}
    return unbound, ServiceClient(unbound, load_settings(None, settings).sources)


def measure(sealed: bool) -> None:
    """Print the table; store the sealed half's figures."""
    posed = questions(sealed)
    with Simulator(records()) as simulator:
        print(f"{len(simulator.works)} papers, {len(posed)} questions, {'sealed' if sealed else 'development'} half")
        areas = {
            (way, name): np.array([recalls(fetch_sets(fetch, sets(one.text)), one.papers) for one in posed])
            for way, fetch in ways(simulator).items()
            for name, sets in (("question", lambda text: (text,)), ("keywords", keywords_of))
        }
    print(f"{'':24}{'all':>8}{'95 % interval':>18}{'scifact':>10}{'pubmedqa':>10}")
    for (way, name), values in areas.items():
        estimate = interval(list(values))
        between = f"{estimate.low:.3f} to {estimate.high:.3f}"
        sets = [
            np.mean([v for v, one in zip(values, posed, strict=True) if one.set == s]) for s in ("scifact", "pubmedqa")
        ]
        print(f"{f'{way}, {name}':24}{values.mean():8.3f}{between:>18}{sets[0]:10.3f}{sets[1]:10.3f}")
    if sealed:
        best = "service" if ("service", "keywords") in areas else "any word"
        mean = {name: areas[way, name].mean() for way, name in areas if way == best}
        low, high = (interval(list(areas[best, "keywords"])).low, interval(list(areas[best, "keywords"])).high)
        what = f"Papers found online, keywords without a model, sealed: AUC of recall over {FETCHED} ({best})"
        peers = f"question alone {mean['question']:.3f}, PaperQA as published {LEAST}"
        figure = Figure(what, f"{mean['keywords']:.3f} ({low:.3f} to {high:.3f})", f"≥ {LEAST}", peers)
        store_figures("online_search", "retrieval", "python benchmarks/online_search.py --sealed", [figure])


def measure_category(term: str) -> None:
    """Page through a category of MeSH by the service's class, and compare with what there is."""
    data = corpora.data_folder()
    with Simulator(["neuro_corpus", "craft"], data=data) as simulator:
        client = _client(simulator)
        if client is None:
            sys.exit("There is no services/europepmc.py.")
        found, at = [], ""
        while True:
            page = client[0].find(client[1], WorkQuery(mesh=term), client[0].page, at)
            found += [work.doi or work.pmid or work.extra.get("pmcid") for work in page.works]
            at = page.next
            if not at:
                break
        there = simulator.works_on(term)
        texts = sum(work.jats is not None for work in there)
        print(f"{term}: {len(there)} works, {texts} with open text; {len(set(found))} found", end="; ")
        print(f"{client[1].requests} requests")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--mesh", help="a descriptor, for K12")
    chosen = parser.parse_args()
    measure_category(chosen.mesh) if chosen.mesh else measure(chosen.sealed)


if __name__ == "__main__":
    main()
