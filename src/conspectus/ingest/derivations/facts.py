"""Facts of a paper: language, key phrases, cited works, figures and tables with their mentions, concepts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection

from conspectus.core.groups import grouped
from conspectus.core.text import language_of
from conspectus.ingest.derivations.protocol import Facets, Made, OfFacet, OfPaper, Subject, WhenAsked
from conspectus.parse.text.identifiers import identify, normal_bibcode
from conspectus.parse.text.key_phrases import READ, key_phrases
from conspectus.parse.text.passages import Ids
from conspectus.parse.text.titles import LEAST_WORDS, title_words
from conspectus.records import Figure, KeyPhrase, Metadata, ParsedPaper, Passage, Reference, normal_name
from conspectus.records.atlas import Mapped
from conspectus.records.filters import HAS, list_things
from conspectus.records.passage import digest_of, digest_of_texts, embedding_text, text_digest
from conspectus.store import direction_tables, entities, facets, graph_tables, map_tables, schema
from conspectus.store import figures as stored_figures
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader
from conspectus.store.derivations import DerivedRows, Noted, Row
from conspectus.store.facets import facet_terms
from conspectus.store.rows import local_name


class Language(OfFacet):
    """See `Derivation`: an ISO 639-1 code; none where there is too little text to tell."""

    name = "language"
    facet = "language"

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        return digest_of(paper.metadata.title, words_of(paper))

    def terms(self, paper: Subject) -> tuple[str, ...]:
        """See `OfFacet.terms`: of the title alone where there is no other text."""
        code = language_of(words_of(paper) or paper.metadata.title)
        return (code,) if code else ()

    def export_values(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, str]:
        """See `Derivation.export_values`."""
        return {key: terms[0] for key, terms in facet_terms(catalog, self.facet, paper_keys).items()}


def words_of(paper: Subject) -> str:
    """A paper's abstract, else how its text begins."""
    return paper.metadata.abstract or _beginning(paper.passages)


def _beginning(passages: Iterable[Passage]) -> str:
    """The first sentences, each once, for passages share some."""
    text_by_id: dict[str, str] = {}
    length = 0
    for passage in passages:
        for span in passage.spans:
            if span.id not in text_by_id:
                text_by_id[span.id] = span.text
                length += len(span.text)
        if length > READ:
            break
    return "\n\n".join(text_by_id.values())


class ContentFlags(OfFacet):
    """See `Derivation`."""

    name = "content flags"
    facet = HAS
    awaited = True

    def terms(self, paper: Subject) -> tuple[str, ...]:
        """See `OfFacet.terms`."""
        return tuple(list_things(paper.parsed))


MOST_CITED = 2**31 - 1
"""The largest number that the column can hold."""


class KeyPhrases(OfPaper):
    """See `Derivation`; phrases count as keywords of their paper."""

    name = "key phrases"
    version = "2"
    parts: tuple[DerivedRows, ...] = (
        DerivedRows(schema.key_phrases),
        DerivedRows(schema.papers, columns=("published", "cited_by")),
    )
    tells_index = True

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        metadata = paper.metadata
        return digest_of(metadata.title, words_of(paper), metadata.published, metadata.citation_count)

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [_fact_rows(paper) for paper in batch]

    def facets(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Facets:
        """See `Derivation.facets`."""
        terms = facets.key_phrase_terms(catalog, paper_keys)
        return {key: [("keyword", term) for term in group] for key, group in terms.items()}

    def export_values(self, catalog: CatalogReader, paper_keys: Sequence[int]) -> Mapping[int, Sequence[KeyPhrase]]:
        """See `Derivation.export_values`."""
        return facets.scored_key_phrases(catalog, paper_keys)


def _fact_rows(paper: Subject) -> Made:
    metadata = paper.metadata
    phrases = [
        {"rank": rank, "term": normal_name(phrase.text), "text": phrase.text, "score": phrase.score}
        for rank, phrase in enumerate(key_phrases(metadata.title, words_of(paper)), 1)
    ]
    count = metadata.citation_count
    cited_by = None if count is None or count < 0 else min(count, MOST_CITED)
    return phrases, [{"published": metadata.published, "cited_by": cited_by}]


_SCHEMES = ("doi", "arxiv_id", "pmid", "bibcode")
_TITLE_WORDS = LEAST_WORDS + 1
_YEAR = r"(?P<year>1[6-9]\d\d|20\d\d)"
_PRINTED_YEARS = (re.compile(rf"\({_YEAR}[a-z]?\)"), re.compile(rf"(?<![\w./-]){_YEAR}[a-z]?(?![\w/-]|\.\w)"))
_OLD_ARXIV = re.compile(r".*/(\d\d)\d{5}")


class CitationRows(OfPaper):
    """See `Derivation`: rows of `citations`."""

    name = "citations"
    parts = (DerivedRows(schema.citations),)

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        metadata = paper.metadata
        own_identifiers = [getattr(metadata, scheme) for scheme in _SCHEMES]
        parsed = [
            (reference.doi, reference.arxiv_id, reference.pmid, reference.title, reference.year)
            for reference in paper.parsed.references
        ]
        return digest_of(
            metadata.title, own_identifiers, metadata.references, parsed, metadata.extra.get("openalex", "")
        )

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `OfPaper.make`."""
        return [(_citation_rows(paper),) for paper in batch]


def _citation_rows(paper: Subject) -> list[dict[str, object]]:
    own_works = {number_of(name) for name in own_names(paper.metadata)}
    cited = {number_of(name): year for name, year in _cited_works(paper) if name}
    every = sorted(own_works | cited.keys())
    return [
        {"work": work, "own": work in own_works, "year": None if work in own_works else cited[work]} for work in every
    ]


def own_names(paper: Metadata) -> Iterator[str]:
    """By what others may cite a paper: its identifiers, and its title if it has enough words."""
    yield from (f"{scheme} {value.lower()}" for scheme in _SCHEMES if (value := getattr(paper, scheme)))
    if isinstance(openalex := paper.extra.get("openalex"), str) and openalex:
        yield f"openalex {openalex.lower()}"
    yield from _title_name(paper.title)


def _cited_works(paper: Subject) -> Iterator[tuple[str, int | None]]:
    """One name of each work that a paper cites (an identifier, else its title; "": neither), and its year, if known."""
    for reference in paper.parsed.references:
        printed = f"arXiv:{reference.arxiv_id}" if reference.arxiv_id else reference.text
        yield reference_name(reference), reference.year or find_year(printed)
    if not paper.parsed.references:
        for text in paper.metadata.references:
            yield name_of_text(text), find_year(text)


def find_year(text: str) -> int | None:
    """The year of a work by its arXiv identifier, its bibcode, or its entry as it is printed; None: not known."""
    scheme, value = identify(text)
    if scheme == "arxiv_id":
        old = _OLD_ARXIV.fullmatch(value)
        two = int(old[1] if old else value[:2])
        return 1900 + two if old and two > 90 else 2000 + two
    if bibcode := normal_bibcode(text):
        return int(bibcode[:4])
    for pattern in _PRINTED_YEARS:
        if years := [int(match["year"]) for match in pattern.finditer(text)]:
            return years[-1]
    return None


def reference_name(reference: Reference) -> str:
    """By what a paper cites the work of an entry of its list: an identifier, else the title; "" if there is neither."""
    for scheme in ("doi", "arxiv_id", "pmid"):
        if value := getattr(reference, scheme):
            return f"{scheme} {value.lower()}"
    return next(_title_name(reference.title), "") or name_of_text(reference.text)


def name_of_text(text: str) -> str:
    """As `reference_name`, of an identifier or an entry as it is printed."""
    scheme, value = identify(text)
    if value:
        return f"{scheme} {value.lower()}"
    if bibcode := normal_bibcode(text):
        return f"bibcode {bibcode.lower()}"
    word = text.strip()
    if word[:1] == "W" and word[1:].isdigit():
        return f"openalex {word.lower()}"
    return next(_title_name(text), "") if len(text) < 300 else ""


def _title_name(title: str) -> Iterator[str]:
    words = title_words(title)
    if len(words) >= _TITLE_WORDS:
        yield f"title {' '.join(words)}"


def number_of(name: str) -> int:
    """A work's name as a number of 63 bits."""
    return int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest(), "big") >> 1


class FigureRows(OfPaper):
    """See `Derivation`; the ids of papers are left out of the rows, so that these outlive a change of theirs."""

    name = "figures"
    parts: tuple[DerivedRows, ...] = (DerivedRows(schema.figures),)

    def digest(self, paper: Subject) -> bytes:
        """See `Derivation.digest`."""
        return digest_of(*_figure_rows(paper))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `Derivation.make`."""
        return [(_figure_rows(paper),) for paper in batch]

    def export_values(
        self, catalog: CatalogReader, paper_keys: Sequence[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.export_values`."""
        names = ("id", "name", "kind", "label", "caption", "place", "mentions")
        figures = stored_figures.figures_of_papers(catalog, paper_keys)
        return {
            key: [{name: getattr(figure, name) for name in names} for figure in group] for key, group in figures.items()
        }


def _figure_rows(paper: Subject) -> list[Row]:
    if not paper.parsed.figures:
        return []
    ids, mentions = Ids(paper.id), _mentions(paper)
    return [_row(paper.parsed, figure, number, ids, mentions) for number, figure in enumerate(paper.parsed.figures)]


def _row(parsed: ParsedPaper, figure: Figure, number: int, ids: Ids, mentions: Mapping[str, Sequence[str]]) -> Row:
    known = figure.caption is not None and figure.caption < len(parsed.blocks)
    caption = parsed.blocks[figure.caption].text if known and figure.caption is not None else ""
    cells, picture = (cell for row in figure.cells for cell in row), figure.href.rpartition("/")[2]
    return {
        "ordinal": number,
        "id": local_name(ids.make("f", "\0".join((figure.kind, figure.label, caption, picture, *cells)))),
        "name": figure.key,
        "kind": figure.kind,
        "label": figure.label,
        "caption": caption,
        "page": figure.place.page if figure.place else None,
        "box": pack(figure.place.rect) if figure.place else None,
        "mentions": pack([local_name(name) for name in dict.fromkeys(mentions.get(figure.key, ()))]),
    }


def _mentions(paper: Subject) -> dict[str, list[str]]:
    """Figure -> the ids of the spans with a mark that leads to it, in reading order."""
    spans = grouped((_words(span.text), span.id) for passage in paper.passages for span in passage.spans)
    mentions: dict[str, list[str]] = {}
    for block in paper.parsed.blocks:
        for mark in block.marks:
            if mark.kind in ("figure", "table"):
                sentences = (sentence for sentence in block.sentences if sentence.start <= mark.start < sentence.end)
                names = [
                    name
                    for sentence in sentences
                    for name in spans.get(_words(block.text[sentence.start : sentence.end]), ())
                ]
                for target in mark.targets:
                    mentions.setdefault(target, []).extend(names)
    return mentions


def _words(text: str) -> str:
    return " ".join(text.split())


Look = Callable[[Subject], Made | tuple[()]]
"""The rows of a paper's pictures, and of their files; none at all where they cannot be had, and are still lacking."""


class PictureRows(WhenAsked):
    """See `Derivation`; its version is that of who looks, an encoder and what is told by its vectors.

    Args:
        look: looks at a paper's figures; None: what was made can be read, and goes with its figures.
        version: of `look`.
        again: the keys of papers, ascending, that are to be looked at anew though this version has looked at them.
    """

    name = "pictures"
    doing = "looking at figures"
    parts: tuple[DerivedRows, ...] = (DerivedRows(schema.pictures), DerivedRows(schema.picture_files))

    def __init__(self, look: Look | None = None, version: str = "", redo_keys: Sequence[int] = ()) -> None:
        super().__init__(look, version)
        self._redo_keys = redo_keys

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        parsed = paper.parsed
        captions = [
            parsed.blocks[figure.caption].text if figure.caption is not None else "" for figure in parsed.figures
        ]
        return digest_of(
            *((figure.key, figure.label, figure.place, figure.href) for figure in parsed.figures), *captions
        )

    def count_lacking(self, catalog: Catalog, noted: Noted) -> int:  # noqa: ARG002
        """See `Derivation.count_lacking`: papers without figures lack none."""
        return stored_figures.count_without_pictures(catalog, self.name, self.version) + len(self._redo_keys)

    def lacking(self, catalog: Catalog, after: int, limit: int) -> list[int]:
        """See `Derivation.lacking`."""
        lacking_keys = stored_figures.papers_without_pictures(catalog, self.name, self.version, after, limit)
        repeat_keys = self._redo_keys[bisect_right(self._redo_keys, after) :][:limit]
        return sorted({*lacking_keys, *repeat_keys})[:limit]

    def export_values(
        self, catalog: CatalogReader, paper_keys: Sequence[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.export_values`; without vectors, which another encoder would not understand."""
        names = ("figure", "label", "caption", "box", "kind", "probability")
        pictures = stored_figures.pictures_of_papers(catalog, paper_keys)
        return {
            key: [{name: getattr(picture, name) for name in names} for picture in group]
            for key, group in pictures.items()
        }


class MentionRows(WhenAsked):
    """See `Derivation`; its version is that of who links, and of the vocabularies by which.

    Its second part is what a language model said of the paper's words; of papers that none has read it is empty.
    """

    name = "mentions"
    doing = "linking entities"
    parts: tuple[DerivedRows, ...] = (DerivedRows(graph_tables.mentions), DerivedRows(graph_tables.candidates))

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: the passages' names are made of their words."""
        return digest_of(*(passage.id.partition(".")[2] for passage in paper.passages))

    def note(self, connection: Connection) -> None:
        """See `OfPaper.note`."""
        entities.note_graph_change(connection)

    def export_values(
        self, catalog: CatalogReader, paper_keys: Sequence[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.export_values`."""
        return entities.export_mentions(catalog, paper_keys)


class ExtractionRows(MentionRows):
    """See `Derivation`; its version is that of the model and its prompts.

    Its rows are those of `MentionRows`, which it makes anew with what a model says of a paper's words; who links again
    keeps that.
    """

    name = "extractions"
    doing = "reading entities"

    def export_values(
        self,
        catalog: CatalogReader,  # noqa: ARG002
        paper_keys: Sequence[int],  # noqa: ARG002
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.export_values`: `MentionRows` tells it."""
        return {}


class RelationRows(MentionRows):
    """See `Derivation`; its version is that of the model, its prompt, and of the mentions."""

    name = "relations"
    doing = "relating entities"
    parts: tuple[DerivedRows, ...] = (DerivedRows(graph_tables.relations),)

    def export_values(
        self, catalog: CatalogReader, paper_keys: Sequence[int]
    ) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.export_values`."""
        return entities.export_relations(catalog, paper_keys)


class PositionRows(WhenAsked):
    """See `Derivation`; its version is that of the map, of papers or of passages."""

    doing = "mapping"

    def __init__(self, of: Mapped = "papers", version: str = "") -> None:
        super().__init__(None, version)
        self.name = "map" if of == "papers" else "map of passages"
        self.parts = (DerivedRows(map_tables.positions, "of", (of,)),)

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: of what was embedded."""
        return digest_of_texts([text_digest(embedding_text(paper.metadata, passage)[0]) for passage in paper.passages])


class ActivationRows(PositionRows):
    """See `Derivation`; its version is that of the directions, of papers or of passages.

    The words of labels are not among its rows: they go with a paper that is removed, not with one that is edited.
    """

    doing = "finding active directions"

    def __init__(self, of: Mapped = "papers", version: str = "") -> None:
        super().__init__(of, version)
        self.name = "directions" if of == "papers" else "directions of passages"
        self.parts = (DerivedRows(direction_tables.activations, "of", (of,)),)
