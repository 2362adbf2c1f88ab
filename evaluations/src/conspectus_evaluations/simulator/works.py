"""What the simulator serves: works with what services say of them, and corpora of the shared data read as such."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from conspectus.core.errors import UsageError
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Author, Metadata
from conspectus_evaluations.simulator.jats import read_front, write_jats

Record = Mapping[str, Any]
"""A record of a corpus: the fields of input records, and those of `SimulatedWork`."""
FIRST_PMID = 90_000_000
"""PMIDs from here on are made up, for works without an identifier."""
NAMES = tuple(one.name for one in fields(Metadata))


@dataclass(slots=True)
class SimulatedWork:
    """A work with what services know of it; a test may change it while the simulator runs.

    Attributes:
        number: from 1; OpenAlex and Semantic Scholar number works.
        data: what all services say of it.
        categories: of arXiv, the first one the primary.
        mesh: descriptors.
        pmcid: `PMC123`; "" where it is not in PMC.
        jats: its full text, or a file with it; open to all.
        pdf: a file with it, open to all.
        licence: of the full text.
        retracted: whether services say so.
        notices: kinds of other notices: `correction`, `concern`, `reinstatement`.
        cites: numbers of works of the simulator.
        taken_up: the day on which services took it up, as `2019-03-07`; "": when it was published.
    """

    number: int
    data: Metadata
    categories: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()
    pmcid: str = ""
    jats: bytes | Path | None = None
    pdf: Path | None = None
    licence: str = "cc-by"
    retracted: bool = False
    notices: tuple[str, ...] = ()
    cites: set[int] = field(default_factory=set)
    taken_up: str = ""

    @property
    def date(self) -> str:
        """When it was published, as `2019-03-07`; the first day of what is known only by month or year."""
        known = self.data.date or (str(self.data.year) if self.data.year else "0001")
        return known + "0000-01-01"[len(known) :]

    @property
    def day(self) -> int:
        """Its date as a number, to compare: 20190307."""
        return int(self.date.replace("-", ""))

    @property
    def created(self) -> int:
        """The day on which it was taken up, as `day`."""
        return int((self.taken_up or self.date).replace("-", ""))

    @property
    def is_open(self) -> bool:
        """Whether its full text is open."""
        return self.jats is not None or self.pdf is not None

    @property
    def openalex(self) -> str:
        """Its id at OpenAlex."""
        return f"W{4_000_000_000 + self.number}"

    @property
    def s2(self) -> str:
        """Its id at Semantic Scholar."""
        return f"{self.number:040x}"

    def full_text(self) -> bytes | None:
        """Its JATS."""
        return self.jats.read_bytes() if isinstance(self.jats, Path) else self.jats

    def names(self) -> Iterator[str]:
        """Everything by which a work can refer to it: identifiers in small letters, with and without their scheme."""
        data = self.data
        for scheme, value in (("doi", data.doi), ("arxiv", data.arxiv_id), ("pmid", data.pmid), ("", self.pmcid)):
            if value:
                yield value.lower()
                if scheme:
                    yield f"{scheme}:{value.lower()}"
        yield from (
            name.lower()
            for name in (self.openalex, self.s2, f"PPR{self.number}", data.bibcode, data.external_id)
            if name
        )


def make_work(number: int, record: Record | Metadata) -> SimulatedWork:
    """A work of a record. Without any identifier it gets a PMID."""
    given: dict[str, Any] = {} if isinstance(record, Metadata) else {k: v for k, v in record.items() if v is not None}
    data = record if isinstance(record, Metadata) else _metadata(given)
    given = {**data.extra, **given}
    pmcid = str(given.get("pmcid") or "").upper().removeprefix("PMC")
    if not (data.doi or data.arxiv_id or data.pmid or pmcid):
        data = replace(data, pmid=str(FIRST_PMID + number))
    jats, pdf = given.get("jats"), given.get("pdf")
    return SimulatedWork(
        number,
        data,
        tuple(given.get("categories") or ()),
        tuple(given.get("mesh") or ()),
        f"PMC{pmcid}" if pmcid else "",
        Path(jats) if isinstance(jats, str) else jats,
        Path(pdf) if pdf else None,
        given.get("licence", "cc-by"),
        bool(given.get("retracted")),
        tuple(given.get("notices") or ()),
    )


def _metadata(record: Record) -> Metadata:
    values = {name: record[name] for name in NAMES if record.get(name)}
    values["external_id"] = str(record.get("id") or record.get("external_id") or "")
    values["venue"] = str(record.get("venue") or record.get("journal") or "")
    for name in ("authors", "keywords", "references"):
        listed = record.get(name) or ()
        values[name] = tuple(part.strip() for part in listed.split(";")) if isinstance(listed, str) else tuple(listed)
    values["authors"] = tuple(map(_author, values["authors"]))
    for name in ("pmid", "doi", "arxiv_id"):
        values[name] = str(record.get(name) or "")
    if not values["arxiv_id"] and values["external_id"].startswith("arXiv:"):
        values["arxiv_id"] = values["external_id"].removeprefix("arXiv:")
    if values.get("date"):
        values["date"] = str(values["date"])[:10]
    if year := record.get("year") or values.get("date", "")[:4]:
        values["year"] = int(str(year)[:4])
    return Metadata(**values)


def _author(given: str | Author | Record) -> Author:
    if isinstance(given, Author):
        return given
    if isinstance(given, Mapping):
        return Author(**given)
    family, comma, first = given.partition(",")
    if comma:
        return Author(f"{first.strip()} {family.strip()}".strip(), family.strip(), first.strip())
    first, _, family = given.rpartition(" ")
    return Author(given, family, first)


def read_corpus(name: str, folder: Path) -> Iterator[Record]:
    """The records of a corpus of the shared data.

    Args:
        name: `arxiv_topics`, `arxiv_astro`, `neuro_corpus`, `craft`, `scifact` or `pubmedqa`.
        folder: where the shared data is.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in _CORPORA:
        raise UsageError(f"There is no corpus '{name}'.", f"There are: {', '.join(_CORPORA)}.")
    return _CORPORA[name](folder)


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as file:
        for line in file:
            yield msgspec.json.decode(line)


def _read_topics(folder: Path) -> Iterator[Record]:
    for path in sorted((folder / "arxiv_topics").glob("*.jsonl.gz")):
        yield from _read_lines(path)


def _read_astro(folder: Path) -> Iterator[Record]:
    yield from _read_lines(folder / "arxiv_astro" / "astro_abstracts.jsonl.gz")


def _read_neuro(folder: Path) -> Iterator[Record]:
    """Records with MeSH descriptors, by rule, and (of those with a text) with JATS made of it."""
    for name in ("abstracts", "fulltext"):
        for record in _read_lines(folder / "neuro_corpus" / f"{name}.jsonl.gz"):
            text = record.pop("body", "")
            record["mesh"] = mesh_of(folder, record)
            if text:
                record["jats"] = write_jats(record, text)
            yield record


def _read_craft(folder: Path) -> Iterator[Record]:
    with tarfile.open(next((folder / "jats_craft").glob("*.tar.xz"))) as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)):
                jats = file.read()
                record = read_front(jats)
                pmcid = record["pmcid"] or member.name.rpartition("-")[2].removesuffix(".nxml")
                yield {**record, "pmcid": pmcid, "jats": jats, "mesh": mesh_of(folder, record)}


def _read_scifact(folder: Path) -> Iterator[Record]:
    for record in _read_lines(folder / "scifact" / "corpus.jsonl.gz"):
        text = " ".join(record["abstract"])
        yield {"id": f"scifact:{record['doc_id']}", "title": record["title"], "abstract": text}


def _read_pubmedqa(folder: Path) -> Iterator[Record]:
    """Abstracts without their titles, which are the questions."""
    for record in _read_lines(folder / "pubmedqa" / "pqal.jsonl.gz"):
        yield {"id": f"pubmedqa:{record['pmid']}", "pmid": record["pmid"], "abstract": " ".join(record["CONTEXTS"])}


_CORPORA: dict[str, Callable[[Path], Iterator[Record]]] = {
    "arxiv_topics": _read_topics,
    "arxiv_astro": _read_astro,
    "neuro_corpus": _read_neuro,
    "craft": _read_craft,
    "scifact": _read_scifact,
    "pubmedqa": _read_pubmedqa,
}


def mesh_of(folder: Path, record: Record) -> tuple[str, ...]:
    """Descriptors of MeSH whose names are in title, abstract or keywords, with up to four words.

    A rule of the simulator's: these corpora have no descriptors. Names of one word of fewer than five letters are not
    taken.
    """
    names = _descriptors(folder)
    texts = (record.get("title"), record.get("abstract"), *(record.get("keywords") or ()))
    found: dict[str, None] = {}
    for text in texts:
        words = "".join(c if c.isalnum() or c == "-" else " " for c in (text or "").lower()).split()
        for size in range(1, 5):
            for start in range(len(words) - size + 1):
                if term := names.get(" ".join(words[start : start + size])):
                    found[term] = None
    return tuple(found)


@cache
def _descriptors(folder: Path) -> dict[str, str]:
    """Descriptors by their names in small letters."""
    terms = {term for _, _, term in _mesh_rows(folder)}
    return {term.lower(): term for term in terms if len(term) > 4 and term.lower() not in STOP_WORDS}


def narrower_terms(folder: Path) -> dict[str, frozenset[str]]:
    """MeSH: each descriptor, in small letters, with all below it in the tree, in small letters, itself included."""
    below: dict[str, set[str]] = {}
    terms = {tree: term.lower() for tree, _, term in _mesh_rows(folder)}
    for tree, term in terms.items():
        parts = tree.split(".")
        for size in range(1, len(parts) + 1):
            below.setdefault(terms.get(".".join(parts[:size]), ""), set()).add(term)
    return {term: frozenset(narrower) for term, narrower in below.items() if term}


@cache
def _mesh_rows(folder: Path) -> tuple[tuple[str, str, str], ...]:
    lines = (folder / "mesh2017" / "mesh_tree_2017.tsv").read_text("utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple((row[0], row[1], row[2]) for row in rows)


def link_works(works: Iterable[SimulatedWork], by_name: Mapping[str, int]) -> None:
    """Fill `cites` by the references that are identifiers of works."""
    for work in works:
        numbers = (by_name.get(reference.strip().lower()) for reference in work.data.references)
        work.cites.update(number for number in numbers if number and number != work.number)
