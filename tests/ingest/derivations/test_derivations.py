"""What is made of papers: made with them, anew where it is stale and only there, and gone with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from conspectus import Filters, Library
from conspectus.ingest.derivations import registry
from conspectus.ingest.derivations.facts import KeyPhrases
from conspectus.ingest.derivations.protocol import Made, Subject
from conspectus.ingest.derivations.registry import DERIVATIONS, lacking, list_derivations
from conspectus.records.events import Progress
from conspectus.store.connection import writing
from conspectus.store.schema import derived, facets, vectors
from helpers import HashEmbedder, assert_consistent, open_library, summarise, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

XML = """<article><front><article-meta><article-id pub-id-type="doi">10.1000/q</article-id><title-group>
  <article-title>Quokkas</article-title></title-group></article-meta></front><body><sec><title>Results</title>
  <p>Quokkas hop at night with their young (<xref ref-type="fig" rid="f1">Fig. 1</xref>), which are small.</p>
  <fig id="f1"><label>Figure 1</label><caption><p>A quokka.</p></caption></fig></sec></body></article>"""
RECORDS = [
    {
        "id": f"p{number}",
        "title": f"Eels {number}",
        "abstract": f"Eels swim {number} miles.",
        "doi": f"10.1000/{number}",
    }
    for number in range(5)
]


class Counting(KeyPhrases):
    """Key phrases of another version, which tells how many papers it was asked for at once."""

    version = "another"
    batch = 2

    def __init__(self, fails: str = "") -> None:
        self.batches: list[list[str]] = []
        self._fails = fails

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        self.batches.append([paper.metadata.title for paper in batch])
        if self._fails in self.batches[-1]:
            raise ValueError(self._fails)
        return super().make(batch)


class Later(Counting):
    with_paper = False


def register(patch: pytest.MonkeyPatch, one: Counting) -> Counting:
    """Let it stand in the registry in place of the key phrases."""
    kinds = tuple(one if isinstance(each, KeyPhrases) else each for each in DERIVATIONS)
    patch.setattr(registry, "DERIVATIONS", kinds)
    return one


def owned(library: Library) -> dict[str, int]:
    """How many rows each part of all derivations has, and how many papers are noted."""
    with library.session.catalog.engine.connect() as connection:
        found = {"noted": connection.scalar(select(func.count()).select_from(derived)) or 0}
        for part in (part for one in DERIVATIONS if one.version for part in one.parts if not part.columns):
            keys = connection.scalars(select(part.table.c.paper_key)).all()
            own = part.table.c.paper_key.in_(set(keys))
            number = connection.scalar(select(func.count()).select_from(part.table).where(own, *part.mine)) or 0
            found[f"{part.table.name} {part.values}"] = number
    return found | {name: len(table_rows(library)[name]) for name in ("vectors", "token_vectors", "summaries")}


def test_a_paper_takes_all_that_was_made_of_it_along(tmp_path: Path) -> None:
    """Else what was made of a paper that had to be removed still lies there; of others nothing may go."""
    quokka = write(tmp_path / "quokka.xml", XML)
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        before = owned(library)
        library.add(quokka)
        summarise(library, library.paper("10.1000/q").id)
        both = owned(library)
        assert not [name for name, number in before.items() if both[name] <= number], "each made something of it"
        library.remove("10.1000/q")
        assert owned(library) == before and not any(lacking(library.session.catalog).values())
        assert "quokka" not in str(table_rows(library)).lower()


def test_another_version_makes_exactly_the_stale_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an upgrade leaves old rows, or makes what is well again each time; or holds all papers in memory."""
    with open_library(tmp_path / "lib") as library:
        path = write_jsonl(tmp_path / "refs.jsonl", RECORDS)
        library.add(path)
        rows = table_rows(library)["key_phrases"]
        one = register(monkeypatch, Counting())
        assert lacking(library.session.catalog)["key phrases"] == library.status().counts["underived"] == 5
        heard: list[Progress] = []
        library.add(path, heard.append)
        assert [len(batch) for batch in one.batches] == [2, 2, 1]
        assert [(said.done, said.total) for said in heard if said.stage == "finding key phrases"] == [
            (2, 5),
            (4, 5),
            (5, 5),
        ]
        assert table_rows(library)["key_phrases"] == rows, "what is the same is not written again"
        library.add(path)
        assert len(one.batches) == 3
        library.add(write_jsonl(tmp_path / "more.jsonl", [{"title": "Owls", "abstract": "Owls hoot."}]))
        assert one.batches[3:] == [["Owls"]]
        assert_consistent(library)


def test_vectors_that_are_lost_are_made_anew_and_no_others(tmp_path: Path) -> None:
    """Else passages whose vectors a damaged disk took are never found again, or all are embedded for a few."""
    embedder = HashEmbedder()
    with open_library(tmp_path / "lib", embedder) as library:
        path = write_jsonl(tmp_path / "refs.jsonl", RECORDS)
        library.add(path)
        catalog, kinds = library.session.catalog, list_derivations(embedder)
        whole = table_rows(library)["vectors"]
        with writing(catalog.engine) as connection:
            connection.execute(delete(vectors).where(vectors.c.passage_key.in_([2, 4])))
        assert lacking(catalog, kinds)["vectors"] == 2 and not any(lacking(catalog).values())
        assert lacking(catalog, list_derivations(HashEmbedder("other/2")))["vectors"] == 5
        embedder.embedded.clear()
        heard: list[Progress] = []
        library.add(path, heard.append)
        assert [(said.done, said.total, said.unit) for said in heard if said.stage == "embedding"] == [
            (2, 2, "passages")
        ]
        assert len(embedder.embedded) == 2 and sorted(table_rows(library)["vectors"]) == sorted(whole)
        assert_consistent(library)


def test_it_goes_on_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an upgrade of a large library has to run through in one go."""

    def stop(said: Progress) -> None:
        if said.stage == "finding key phrases":
            raise KeyboardInterrupt

    with open_library(tmp_path / "lib") as library:
        path = write_jsonl(tmp_path / "refs.jsonl", RECORDS)
        library.add(path)
        one = register(monkeypatch, Counting())
        with pytest.raises(KeyboardInterrupt):
            library.add(path, stop)
        assert lacking(library.session.catalog)["key phrases"] == 3
        library.reindex()
        assert [len(batch) for batch in one.batches] == [2, 2, 1]


def test_one_that_fails_costs_its_paper_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one paper keeps all others from what an upgrade brings, and nobody is told."""
    with open_library(tmp_path / "lib") as library:
        path = write_jsonl(tmp_path / "refs.jsonl", RECORDS)
        library.add(path)
        register(monkeypatch, Counting(fails="Eels 3"))
        library.add(path)
        assert lacking(library.session.catalog)["key phrases"] == 1
        assert all(paper.key_phrases for paper in library.papers()), "what was there stays until there is better"


def test_what_is_made_later_goes_when_its_source_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else rows that took minutes to make are lost for an edited venue, or outlive the words they rest on."""
    one = register(monkeypatch, Later())
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        assert sum(map(len, one.batches)) == 5, "made at the end of the run"
        edited = [{**record, "venue": "Nature"} for record in RECORDS]
        library.add(write_jsonl(tmp_path / "refs.jsonl", edited))
        assert sum(map(len, one.batches)) == 5
        edited[2]["abstract"] = "Glass eels climb weirs."
        library.add(write_jsonl(tmp_path / "refs.jsonl", edited))
        assert one.batches[-1] == ["Eels 2"] and sum(map(len, one.batches)) == 6
        assert not any(lacking(library.session.catalog).values())
        assert "Glass eels climb weirs" in library.paper("10.1000/2").key_phrases


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"title": "Licht", "abstract": "Der Einfluss von Licht auf das Wachstum der Pflanzen wurde gemessen."}, "de"),
        ({"title": "Light", "abstract": "The growth of plants was measured with light from lamps."}, "en"),
        ({"title": "Sur la théorie des nombres et ses applications"}, "fr"),
        ({"title": "DNA, RNA"}, ""),
    ],
)
def test_the_language_of_a_paper(tmp_path: Path, record: dict[str, str], code: str) -> None:
    """Else nobody can ask for what they can read; a guess would be taken for knowledge."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", [record, {"title": "Zzz", "doi": "10.1000/z"}]))
        paper = library.paper(record["title"])
        assert paper.facts == ({"language": code} if code else {})
        found = library.search(f"{record['title'].split()[0]} language:{code or 'en'}").hits
        assert [hit.paper.id for hit in found] == ([paper.id] if code else [])


def test_a_language_that_was_not_looked_for_yet_is_not_said_to_be_missing(tmp_path: Path) -> None:
    """After an upgrade `language:en` would say that no paper is English, and an exclusion would let all papers in."""
    record = {"title": "Light", "abstract": "The growth of plants was measured with light from lamps."}
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", [record]))
        with writing(library.session.catalog.engine) as connection:
            connection.execute(delete(derived))
            connection.execute(delete(facets).where(facets.c.facet == "language"))
        for asked in ("light language:en", "light -language:de", "light (language:de OR author:Ada)"):
            assert "The language of 1 paper," in library.search(asked).note
        assert "not known yet" in library.search("light", filters=Filters(language=("en",))).note
        assert not library.search("light").note
        library.add(tmp_path / "refs.jsonl")
        assert library.search("light language:en").hits and not library.search("light language:en").note
