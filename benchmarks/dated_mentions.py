"""Which sentences of dated papers mention which concepts: corpora of the benchmarks of hypotheses, linked once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from corpora import WORK, data_folder, read_lines

from conspectus import Library
from conspectus.graph.entities import METHOD, SUGGESTED, rate_use
from conspectus.graph.linking.plausibility import ConceptStanding, PlausibilityModel, read_weights
from conspectus.graph.mention_finder import finder_of
from conspectus.graph.name_table_cache import load_name_table
from conspectus.graph.sql import MentionCounts
from conspectus.parse.text.sentences import split_sentences
from conspectus.store import entities

Ints = npt.NDArray[np.int64]
_ARXIV_MONTH = re.compile(r"(\d\d)(\d\d)\d{3}$")
PMID_YEARS = {
    8.0: 1994, 9.0: 1997, 10.0: 1999, 11.1: 2001, 12.5: 2003, 15.0: 2004, 16.1: 2006, 17.2: 2007, 18.2: 2008,
    19.1: 2009, 20.0: 2010, 21.0: 2011, 22.2: 2012, 23.3: 2013, 24.4: 2014, 25.6: 2015, 26.7: 2016, 28.0: 2017,
    29.3: 2018, 30.6: 2019, 31.9: 2020, 33.4: 2021,
}  # fmt: skip
"""PubMed's ids, in millions, that were given about at the beginning of a year; BioASQ's snippets have no dates."""


class DatedPaper(NamedTuple):
    """When a paper appeared, in whatever unit its corpus has, and its texts."""

    when: int
    texts: list[str]


@dataclass(frozen=True)
class DatedMentions:
    """What a corpus mentions.

    Attributes:
        rows: (paper, running number of the sentence, concept, year), int64 [mentions, 4].
        labels: of the concepts.
        unspecific: concepts that are too general, methods or materials, as `find_unspecific` says.
    """

    rows: Ints
    labels: dict[int, str]
    unspecific: set[int]

    @property
    def specific(self) -> Ints:
        """The rows of concepts that are worth a hypothesis."""
        return self.rows[~np.isin(self.rows[:, 2], list(self.unspecific))]


def _parts(paper: dict[str, Any]) -> list[str]:
    return [paper["title"], paper.get("abstract") or "", *(paper.get("body") or "").split("\n\n")]


def _by_year(*paths: str) -> Iterator[DatedPaper]:
    for path in paths:
        (file,) = (data_folder() / path).parent.glob(f"{path.split('/')[1]}.jsonl.*")
        yield from (DatedPaper(paper["year"], _parts(paper)) for paper in read_lines(file))


def _by_quarter() -> Iterator[DatedPaper]:
    """arXiv's papers of 1991 to 1996 by the quarter in which they came: four times the year, plus 0 to 3."""
    for paper in read_lines(data_folder() / "arxiv_cited_9394/papers.jsonl.gz"):
        if found := _ARXIV_MONTH.search(paper["id"]):
            yield DatedPaper(4 * (1900 + int(found[1])) + (int(found[2]) - 1) // 3, _parts(paper))


def _by_pmid() -> Iterator[DatedPaper]:
    """BioASQ's snippets, those of a paper together."""
    texts: dict[int, list[str]] = {}
    for snippet in read_lines(data_folder() / "bioasq/snippets.jsonl.gz"):
        texts.setdefault(int(snippet["pmid"]), []).append(snippet["text"])
    limits = np.array(list(PMID_YEARS))
    for pmid, parts in texts.items():
        at = int(np.searchsorted(limits, pmid / 1e6, side="right"))
        yield DatedPaper(list(PMID_YEARS.values())[at - 1] if at else 1993, parts)


CORPORA: dict[str, tuple[str, Callable[[], Iterator[DatedPaper]]]] = {
    "arxiv_astro": ("uat/UAT.rdf.xz", lambda: _by_year("arxiv_astro/astro_abstracts")),
    "arxiv_topics": ("nifstd/nifstd_terms.jsonl.gz", lambda: _by_year("arxiv_topics/qbio_nc_neuroscience")),
    "neuro_corpus": (
        "nifstd/nifstd_terms.jsonl.gz",
        lambda: _by_year("neuro_corpus/fulltext", "neuro_corpus/abstracts"),
    ),
    "arxiv_cited": ("uat/UAT.rdf.xz", _by_quarter),
    "bioasq": ("mesh2017/mesh_tree_2017.tsv", _by_pmid),
}
"""Vocabulary and papers of each corpus."""


def read_mentions(corpus: str) -> DatedMentions:
    """The mentions of a corpus; linked once and kept."""
    kept = WORK / f"mentions_{corpus}"
    if not kept.with_suffix(".npy").exists():
        _link(corpus)
    rows = np.load(kept.with_suffix(".npy"))
    labels, unspecific = msgspec.json.decode(
        kept.with_suffix(".json").read_bytes(), type=tuple[dict[int, str], set[int]]
    )
    return DatedMentions(rows, labels, unspecific)


def _link(corpus: str) -> None:
    vocabulary, papers = CORPORA[corpus]
    rows: list[tuple[int, int, int, int]] = []
    sentence = 0
    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        report = library.vocabularies.add(_vocabulary_file(vocabulary, folder))
        print(corpus, [(one.name, one.outcome, one.concepts) for one in report.vocabularies], flush=True)
        linker = finder_of(library.session)
        for key, paper in enumerate(papers()):
            sentences = [part[start:end] for part in paper.texts for start, end in split_sentences(part)]
            for found in linker.link(sentences):
                sentence += 1
                rows += [(key, sentence, concept, paper.when) for concept in {one.concept for one in found}]
        table = np.unique(np.array(rows, np.int64), axis=0)
        concepts = np.unique(table[:, 2]).tolist()
        labels = entities.concept_labels(library.session.catalog, concepts)
        standings = load_name_table(library.session).standings(concepts)
    unspecific = set(_find_unspecific(table, labels, standings))
    WORK.mkdir(exist_ok=True)
    np.save(WORK / f"mentions_{corpus}.npy", table)
    (WORK / f"mentions_{corpus}.json").write_bytes(msgspec.json.encode((labels, unspecific)))


def _find_unspecific(table: Ints, labels: dict[int, str], standings: Mapping[int, ConceptStanding]) -> Iterator[int]:
    """As `graph.entities.find_unspecific`, which looks at the papers of a library."""
    model, papers = PlausibilityModel(read_weights()), len(np.unique(table[:, 0]))
    for key, standing in standings.items():
        own = table[table[:, 2] == key]
        counts = MentionCounts(len(own), len(np.unique(own[:, 0])))
        general = standing.general + rate_use(model, labels[key], counts, papers)
        if general > SUGGESTED or standing.method > METHOD:
            yield key


def _vocabulary_file(path: str, folder: str) -> Any:
    """A vocabulary's file; MeSH's tree becomes a table with one row a descriptor."""
    file = data_folder() / path
    if file.suffix != ".tsv":
        return file
    tree = [line.split("\t") for line in file.read_text("utf-8").splitlines()[1:]]
    ids = {number: f"MESH:{descriptor}" for number, descriptor, _ in tree}
    rows: dict[str, tuple[str, list[str]]] = {}
    for number, descriptor, term in tree:
        parent = ids.get(number.rpartition(".")[0])
        rows.setdefault(f"MESH:{descriptor}", (term, []))[1].extend([parent] if parent else [])
    table = "".join(f"{key}\t{term}\t{'|'.join(dict.fromkeys(up))}\n" for key, (term, up) in rows.items())
    made = Path(folder) / "mesh.tsv"
    made.write_text(f"id\tname\tparents\n{table}", "utf-8")
    return made


if __name__ == "__main__":
    for name in CORPORA:
        print(name, len(read_mentions(name).rows), flush=True)
