"""Papers whose authors gave keywords: title, abstract, and those keywords that stand in them.

Neuroscience has a field for them (`neuro_corpus`). Authors who send papers of physics, mathematics, astronomy and
computing to arXiv sometimes end the abstract with them ("Keywords: …"): that end is cut off, and is the truth.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import corpora
import tantivy

LEAST_WORDS = 60
"""Shorter abstracts are left out."""
_MARK = re.compile(r"\b(?:key[\s-]*words?(?: and phrases)?|index terms)\s*[:.}\]—–-]+[\s:]*", re.IGNORECASE)
_END = re.compile(
    r"\bPACS\b|\bMSC\b|\bJEL\b|\bAMS\b|Mathematics Subject|Subject Class|\d{2}[.][A-Z\d]{2}", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*(?:[;,\n•·|]| -{1,3} |--+|–|—|\.\s)\s*")
_HEADING = re.compile(r"^#+\s*", re.MULTILINE)

Stems = tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """A paper; `truth` are its authors' keywords, as stems, that stand in title or abstract."""

    field: str
    title: str
    abstract: str
    truth: frozenset[Stems]
    held_out: bool


@lru_cache(1)
def _analyser() -> Any:
    made = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    filters = (tantivy.Filter.lowercase(), tantivy.Filter.ascii_fold(), tantivy.Filter.stemmer("english"))
    for one in filters:
        made = made.filter(one)
    return made.build()


def stems(text: str) -> Stems:
    """The words of a text without case, accents, punctuation and endings."""
    return tuple(_analyser().analyze(text.encode(errors="replace").decode()))


def samples() -> list[Sample]:
    """All of them; by a digest of the title one half is held out."""
    found: dict[str, Sample] = {}
    for field, title, abstract, keywords in (*read_neuroscience(), *read_arxiv()):
        if len(abstract.split()) < LEAST_WORDS or not title:
            continue
        text = f" {' '.join((*stems(title), '/', *stems(abstract)))} "
        truth = frozenset(one for one in map(stems, keywords) if one and f" {' '.join(one)} " in text)
        name = " ".join(stems(title))
        if truth and name not in found:
            odd = bool(hashlib.blake2b(name.encode()).digest()[0] % 2)
            found[name] = Sample(field, title, abstract, truth, odd)
    return list(found.values())


def read_neuroscience() -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """Field, title, abstract and keywords."""
    for name in ("fulltext", "abstracts"):
        for item in corpora.read_lines(corpora.data_folder() / "neuro_corpus" / f"{name}.jsonl.gz"):
            if item.get("keywords") and item.get("abstract"):
                yield "neuroscience", item["title"], _HEADING.sub("", item["abstract"]), item["keywords"]


def read_arxiv() -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """Field, title, abstract without its keywords, and these."""
    data = corpora.data_folder()
    paths = [data / "arxiv_scale" / "arxiv_350k.jsonl.zst", *sorted((data / "arxiv_topics").glob("*.gz"))]
    paths += [data / "arxiv_cited_9394" / "papers.jsonl.gz", data / "arxiv_astro" / "astro_abstracts.jsonl.gz"]
    for item in (item for path in paths for item in corpora.read_lines(path)):
        parted = _parted(item.get("abstract") or "")
        if parted:
            yield "arXiv", item["title"], *parted


def _parted(abstract: str) -> tuple[str, list[str]] | None:
    """The abstract, and the keywords that stand at its end; None where none do."""
    if "ey" not in abstract and "EY" not in abstract and "ndex" not in abstract:
        return None
    marks = list(_MARK.finditer(abstract))
    if not marks or marks[-1].start() < len(abstract) / 2:
        return None
    listed = _END.split(abstract[marks[-1].end() :])[0].strip(" .\n")
    given = [one for one in _BETWEEN.split(listed) if one]
    if len(given) < 3 or any(len(one.split()) > 6 for one in given):
        return None
    return abstract[: marks[-1].start()], given


if __name__ == "__main__":
    from collections import Counter
    from statistics import mean

    made = samples()
    print(Counter((one.field, one.held_out) for one in made))
    for field in ("neuroscience", "arXiv"):
        print(field, mean(len(one.truth) for one in made if one.field == field))
