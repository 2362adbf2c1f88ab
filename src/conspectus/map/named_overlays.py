"""Overlays by their names: a value for each text of the map, from the library, a query or an answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.map import overlays
from conspectus.map import sql as map_sql
from conspectus.map.overlays import FEWEST_MODES, find_modes
from conspectus.map.region_names import NO_LINKS
from conspectus.map.regions import distances_from_region, find_outlying, mean_cosines
from conspectus.map.stored_map import sample_map
from conspectus.map.survey import is_review
from conspectus.records import Answer, Filters, SearchResult
from conspectus.records.atlas import LEVELS, Atlas, Mapped, Overlay
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.facets import filtered_paper_keys
from conspectus.store.text_vectors import BATCH, texts

Years = tuple[int | None, int | None]
PLAIN = ("density", "year", "citations", "reviews", "outliers")
NAMED = ("vocabulary", "keyword", "entity", "direction", "query", "answer", "author")
NAMES = f"{', '.join(PLAIN)}, {', '.join(f'{kind}:…' for kind in NAMED)}"
COMPARED = ("density", "year", "keyword", "entity")
"""Overlays of which `since` holds two spans of years against each other."""
HITS = 50
"""Papers that a query lights up, at most."""
MOST = 12
"""Categories distinguished; what is of none of the most frequent is `other`."""
_ROUNDING = 1e-6
Of = Mapping[str, float]
"""Values by the names of texts: a paper's id, or a passage's."""


@dataclass(frozen=True, slots=True)
class MapSources:
    """What other wings find for the map; the library hands it in.

    Attributes:
        find_papers: keys of the papers that have words as a phrase or keyword, or meet a query with signs.
        find_entities: keys of the entities that a text means.
        read_direction: a direction of papers or of passages: its label, and how active it is in the texts that have it.
        search: the best hits for words, at most so many.
        read_answer: a saved answer, by its name.
        write_file: writes a map as a page or as JSON, by the ending of the file's name; returns a notice, or "".
    """

    find_papers: Callable[[str], Sequence[int]]
    find_entities: Callable[[str], Sequence[int]]
    read_direction: Callable[[str, Mapped], tuple[str, Of]]
    search: Callable[[str, int], SearchResult]
    read_answer: Callable[[str], Answer]
    write_file: Callable[[Atlas, Path], str]


def make_overlay(
    session: Session, sources: MapSources, atlas: Atlas, name: str, since: int | None, year: Years | None
) -> Overlay:
    """The overlay of a map with this name; see `MapVerbs.overlay`."""
    kind, _, argument = name.partition(":")
    argument = argument.strip() if kind in ("keyword", "query") else argument.strip().strip('"')
    if not (kind in NAMED and argument) and name not in PLAIN:
        raise UsageError(f"There is no overlay '{name}'.", f"These are: {NAMES}.")
    year_mask, late = of_years(atlas.years, year), of_years(atlas.years, (since, None))
    make: dict[str, Callable[[], Overlay]] = {
        "density": lambda: _density(atlas, since, year_mask),
        "year": lambda: _year(atlas, since, year_mask),
        "citations": lambda: _citations(atlas),
        "reviews": lambda: overlays.reviews(atlas, find_region_reviews(session, atlas), year_mask),
        "outliers": lambda: _outliers(session, atlas),
        "vocabulary": lambda: _vocabulary(session, atlas, argument),
        "keyword": lambda: _spoken(atlas, name, _papers(session, sources.find_papers(argument)), since, year_mask),
        "entity": lambda: _spoken(atlas, name, _entity(session, sources, atlas, argument), since, year_mask),
        "direction": lambda: _direction(atlas, *sources.read_direction(argument, atlas.of)),
        "query": lambda: _query(atlas, argument, sources.search(argument, HITS)),
        "answer": lambda: _answer(atlas, sources.read_answer(argument)),
        "author": lambda: _author(session, atlas, argument),
    }
    overlay = replace(make[kind](), name=name, state=atlas.state)
    if late is not None and kind not in COMPARED:
        overlay = replace(_only(atlas, overlay, late, _span(since, None)), since=since)
        year_mask = None if year_mask is None else year_mask & late
    return (
        overlay
        if year_mask is None
        else _only(atlas, overlay, year_mask, _span(*(Filters(year=year).year or (None, None))))
    )


def of_years(years: Any, year_range: Years | None) -> Any:
    """For each year whether it is wanted: bool, in the shape of `years`; None if all are.

    Raises:
        UsageError: the range ends before it begins.
    """
    first, last = Filters(year=year_range).year or (None, None)
    if first is None and last is None:
        return None
    return (years >= max(first or 1, 1)) & (years <= (9999 if last is None else last))


def find_reviews(session: Session, atlas: Atlas) -> Any:
    """For each text of a map whether its paper is a review: bool [texts]."""
    ids = list(dict.fromkeys(atlas.papers))
    reviews: set[str] = set()
    for start in range(0, len(ids), BATCH):
        for paper, metadata in map_sql.read_metadata(session.catalog, ids[start : start + BATCH]).items():
            if is_review(str(metadata.extra.get("type", "")), metadata.venue, metadata.title, metadata.abstract):
                reviews.add(paper)
    return np.array([paper in reviews for paper in atlas.papers], bool)


def find_region_reviews(session: Session, atlas: Atlas) -> Any:
    """For each paper of a map and each level whether it is a review of its region: bool [papers, LEVELS].

    It is one if it is among the quarter of the region's papers that are nearest to the region's mean.
    """
    return session.parts.get_cached(
        "region reviews", lambda: _near_reviews(session, atlas), atlas.of, atlas.state, most=1
    )


def _near_reviews(session: Session, atlas: Atlas) -> Any:
    catalog = session.catalog
    reviews = find_reviews(session, atlas)
    near = np.zeros((len(atlas), LEVELS), bool)
    if not reviews.any():
        return near
    sample, sampled = sample_map(session, atlas.of)
    means = [mean_cosines(sample.vectors, sampled.regions[:, level]) for level in range(LEVELS)]
    keys = catalog.keys_of([atlas.papers[row] for row in np.flatnonzero(reviews).tolist()])
    rows = {keys[atlas.papers[row]]: row for row in np.flatnonzero(reviews).tolist()}
    for batch in texts(catalog, atlas.model, atlas.of, sorted(rows)):
        map_rows = np.array([rows[key] for key, _ in batch.names], np.int64)
        for level, (regions, centres, least) in enumerate(means):
            at = np.minimum(np.searchsorted(regions, atlas.region_ids[map_rows, level]), len(regions) - 1)
            near[map_rows, level] = (batch.vectors * centres[at]).sum(axis=1) >= least[at] - _ROUNDING
    return near


def _density(atlas: Atlas, since: int | None, year_mask: Any) -> Overlay:
    if since is not None:
        return overlays.compare_periods(atlas, "density", since, among=year_mask)
    about = overlays.density(atlas.positions, year_mask)
    return overlays.number(atlas, "density", about, f"{atlas.of} {overlays.ABOUT}", atlas.of)


def _year(atlas: Atlas, since: int | None, year_mask: Any) -> Overlay:
    if since is not None:
        return overlays.compare_periods(atlas, "year", since, among=year_mask)
    return overlays.number(atlas, "year", _years_as_numbers(atlas.years), "year of the paper", "")


def _citations(atlas: Atlas) -> Overlay:
    overlay = overlays.number(
        atlas,
        "citations",
        _years_as_numbers(atlas.citations),
        "citations of the paper, according to its sources",
        "citations",
        "log",
    )
    return overlay if (atlas.citations >= 0).any() else replace(overlay, notes=("No source gives citation counts.",))


def _outliers(session: Session, atlas: Atlas) -> Overlay:
    """By two readings of all vectors, so that no more than a batch of them is in memory."""
    catalog = session.catalog
    keys = catalog.keys_of(list(dict.fromkeys(atlas.papers)))
    units = [unit.partition(".")[2] for unit in atlas.units]
    rows = {(keys[paper], unit): row for row, (paper, unit) in enumerate(zip(atlas.papers, units, strict=True))}

    def read() -> Iterator[tuple[Any, Any]]:
        for batch in texts(catalog, atlas.model, atlas.of, sorted(keys.values())):
            map_rows = np.array([rows.get(name, -1) for name in batch.names], np.int64)
            yield map_rows[map_rows >= 0], batch.vectors[map_rows >= 0]

    middle = atlas.region_ids[:, 1]
    far = distances_from_region(read, middle)
    meaning = "texts whose meaning is unusually far from the mean of their region"
    return overlays.mark_texts(
        atlas, "outliers", np.where(find_outlying(far, middle), far, np.nan), meaning, "distance"
    )


def _years_as_numbers(numbers: Any) -> Any:
    return np.where(numbers >= 0, numbers, np.nan).astype(np.float32)


def _papers(session: Session, keys: Sequence[int]) -> Of:
    return dict.fromkeys(session.catalog.ids_of(keys).values(), 1.0)


def _spoken(atlas: Atlas, name: str, of: Of, since: int | None, year_mask: Any) -> Overlay:
    """Texts that have a keyword, or mention an entity."""
    values = _values(atlas, of)
    if since is not None:
        return overlays.compare_periods(atlas, name, since, np.isfinite(values), year_mask)
    kind, _, argument = name.partition(":")
    if kind == "keyword":
        return overlays.mark_texts(atlas, name, values, f"papers with the keyword or the words {argument}", "")
    return overlays.mark_texts(atlas, name, values, f"{atlas.of} that mention {argument}", "mentions")


def _direction(atlas: Atlas, label: str, of: Of) -> Overlay:
    meaning = f"{atlas.of} that have the direction {label}"
    return overlays.mark_texts(atlas, "direction", _values(atlas, of), meaning, "activation")


def _values(atlas: Atlas, of: Of) -> Any:
    """By the rows of the map; NaN where there is none."""
    names = atlas.papers if not any("." in name for name in of) else atlas.units
    return np.array([of.get(name, np.nan) for name in names], np.float32)


def _entity(session: Session, sources: MapSources, atlas: Atlas, name: str) -> Of:
    catalog = session.catalog
    keys = entities.find_concepts(catalog, name) or sources.find_entities(name)
    if not keys:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NO_LINKS)
    group = {concept for concepts in entities.merge_groups(catalog, keys[:1]).values() for concept in concepts}
    times: Counter[entities.MapText] = Counter()
    for text, _, number in entities.concept_counts(catalog, group, passages=atlas.of == "passages"):
        times[text] += number
    names = _names(session, times)
    return {names[text]: float(number) for text, number in times.items()}


def _names(session: Session, texts: Mapping[entities.MapText, Any]) -> dict[entities.MapText, str]:
    ids = session.catalog.ids_of({key for key, _ in texts})
    return {(key, unit): f"{ids[key]}.{unit}" if unit else ids[key] for key, unit in texts if key in ids}


def _vocabulary(session: Session, atlas: Atlas, name: str) -> Overlay:
    """Of each text the broadest concept that it mentions more than others do."""
    catalog = session.catalog
    if (key := entities.vocabulary_key(catalog, name)) is None:
        raise NotFoundError(f"There is no vocabulary '{name}'.", "`vocabulary list` shows them.")
    parents = entities.broader_concepts(catalog, key)
    times = list(entities.concept_counts(catalog, parents, passages=atlas.of == "passages"))
    by_text = _tops(times, parents)
    texts = Counter(top for tops in by_text.values() for top in tops)
    chosen = {text: _most(tops, texts, len(by_text)) for text, tops in by_text.items()}
    frequent = [top for top, _ in Counter(chosen.values()).most_common()]
    top_concepts = frequent if len(frequent) <= MOST else frequent[: MOST - 1]
    labels = entities.concept_labels(catalog, top_concepts)
    numbers = {top: float(number) for number, top in enumerate(top_concepts)}
    names = _names(session, chosen)
    of = {names[text]: numbers.get(top, float(len(top_concepts))) for text, top in chosen.items() if text in names}
    categories = [labels[top] for top in top_concepts] + (["other"] if len(top_concepts) < len(frequent) else [])
    values = _values(atlas, of)
    rows = np.where(np.isfinite(values), values, -1).astype(np.int64)
    meaning = f"the broadest concept of {name} that the text mentions most, relative to how many others do"
    overlay = overlays.category(atlas, name, rows, categories, meaning)
    return (
        overlay
        if times
        else replace(overlay, notes=("Its names were not found in any paper: find them first (`graph link`).",))
    )


def _tops(
    times: Sequence[tuple[entities.MapText, int, int]], parents: Mapping[int, Sequence[int]]
) -> dict[entities.MapText, Counter[int]]:
    """How often each text mentions what is below each of the broadest concepts; a single one of these is opened."""
    roots = {key for key, above in parents.items() if not above}
    concepts = {concept for _, concept, _ in times}
    while True:
        tops = entities.top_concepts(parents, roots)
        used = {top for concept in concepts for top in tops[concept]}
        inner = {key for key, above in parents.items() if used.intersection(above)}
        if len(used) != 1 or not inner:
            break
        roots = inner
    by_text: dict[entities.MapText, Counter[int]] = defaultdict(Counter)
    for text, concept, number in times:
        for top in tops[concept]:
            by_text[text][top] += number
    return by_text


def _most(tops: Counter[int], texts: Counter[int], total: int) -> int:
    """The concept mentioned most, the fewer others do the more."""
    return max(tops, key=lambda top: (tops[top] * np.log1p(total / texts[top]), -top))


def _query(atlas: Atlas, words: str, result: SearchResult) -> Overlay:
    scores = {(hit.passage.id if atlas.of == "passages" else hit.paper.id): hit.score for hit in result.hits}
    values = _values(atlas, scores)
    modes = find_modes(atlas, rows := np.flatnonzero(np.isfinite(values)))
    overlay = overlays.mark_texts(atlas, words, values, f"the {len(rows)} best hits for: {words}", "score")
    few = f"Fewer than {FEWEST_MODES} hits do not show whether they are in one place."
    notes = [note for note in (result.note, "" if modes else few) if note]
    return replace(overlay, modes=modes, notes=tuple(notes))


def _answer(atlas: Atlas, answer: Answer) -> Overlay:
    cited = [citation for statement in answer.statements for citation in statement.citations]
    by_passage = atlas.of == "passages"
    of = Counter(source.passage_id if by_passage else source.paper.id for source in cited or answer.evidence)
    meaning = f"what the answer to '{answer.question}' {'cites' if cited else 'has as evidence'}"
    values = _values(atlas, {key: float(n) for key, n in of.items()})
    return overlays.mark_texts(atlas, "answer", values, meaning, "citations")


def _author(session: Session, atlas: Atlas, name: str) -> Overlay:
    of = _papers(session, filtered_paper_keys(session.catalog, Filters(author=(name,))).tolist())
    if not of:
        raise NotFoundError(f"No paper of the library is by '{name}'.", "Give the family name, or all of it.")
    values = _values(atlas, of)
    overlay = overlays.mark_texts(atlas, name, values, f"papers by {name}", "")
    return replace(overlay, path=overlays.path(atlas, np.flatnonzero(np.isfinite(values))))


def _span(first: int | None, last: int | None) -> str:
    if first and last:
        return str(first) if first == last else f"{first}–{last}"
    return f"{first} and later" if first else f"{last} and earlier"


def _only(atlas: Atlas, overlay: Overlay, chosen: Any, years: str) -> Overlay:
    """The same of texts of some years alone; two spans, and reviews, were made of these years."""
    values = np.where(chosen, overlay.values, np.nan).astype(np.float32)
    meaning = f"{overlay.legend.meaning}; only of {years}"
    if overlay.legend.scale == "diverging" or overlay.name == "reviews":
        low, high = overlays.span(values)
        return replace(overlay, values=values, legend=replace(overlay.legend, meaning=meaning, low=low, high=high))
    if overlay.kind == "category":
        rows = np.where(np.isfinite(values), values, -1).astype(np.int64)
        new_overlay = overlays.category(atlas, overlay.name, rows, overlay.categories, meaning)
    elif overlay.kind == "lit":
        new_overlay = overlays.mark_texts(atlas, overlay.name, values, meaning, overlay.legend.unit, chosen)
    else:
        new_overlay = overlays.number(atlas, overlay.name, values, meaning, overlay.legend.unit, overlay.legend.scale)
    path = overlays.path(atlas, np.flatnonzero(np.isfinite(values))) if overlay.path else ()
    return replace(
        overlay, values=new_overlay.values, legend=new_overlay.legend, regions=new_overlay.regions, path=path
    )
