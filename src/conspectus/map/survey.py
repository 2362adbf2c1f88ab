"""Statistics of a map: topics and how they grow, regions without a review, papers by year, spread over regions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from conspectus.core.intervals import wilson
from conspectus.map.citation_patterns import CitationLinks, find_patterns
from conspectus.map.review_model import names_synthesis, review_log_odds, synthesis_log_odds
from conspectus.records.atlas import (
    LEVELS,
    Atlas,
    Gap,
    GapPattern,
    Impact,
    ImpactRegion,
    MapPaper,
    Region,
    Topic,
    TrendYear,
)

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
MIDDLE = 1
SHOWN = 5
"""Papers of each list."""
SPAN = 3
"""Years that are held against as many before; the year of the newest paper is not over and does not count."""
FEWEST = 5
"""Papers of the years before, and to be expected since, below which no growth is told."""
SLOWEST, FASTEST = 0.5, 2.0
"""Bounds of the growth that counts: it is uncertain of few papers."""
PATTERN = 1.5
"""What each pattern of citations multiplies a score by."""
SAMPLES, SEED = 1000, 20241
_NO_PAPERS = r"(?<!peer.)(?<!book.)(?<!code.)(?<!product.)(?<!movie.)"
"""What is reviewed before it is no paper, or not by one."""
_KIND = re.compile(rf"{_NO_PAPERS}\breview\b", re.IGNORECASE)
_VENUE = re.compile(
    r"\breviews\b(?!\s+letters)|\b(?:annual|annu\.?|nat\.?|living)\s+rev(?:iew)?\b|\brev\.?\s+mod\b", re.IGNORECASE
)
"""Not `review` alone: Physical Review, Psychological Review, Review of Scientific Instruments have articles."""
_TITLE = re.compile(rf"{_NO_PAPERS}\b(?:reviews?|meta-analys[ie]s)\b(?! of particle physics)", re.IGNORECASE)
"""Not `overview`: most are of one survey, mission or instrument (`benchmarks/map.md`)."""
_SO = r"(?:(?!(?:first|independent|manual|blind|(?:retro|pro)spective)ly)(?:here|will|[a-z]+ly)\s)?"
_ABSTRACT = re.compile(
    rf"\b(?:we|i|(?:article|paper|work|chapter|contribution|talk|report|lectures?|notes?))\s{_SO}{_SO}reviews?\b"
    r"|\bwe\s(?:have\s)?(?:[a-z]+ly\s)?reviewed\s(?:the\s)?(?:[a-z]+\s)?(?:literature|evidence|studies)\b"
    rf"|\b(?:this|the\spresent)\s(?:[a-z-]+,?\s){{0,2}}{_NO_PAPERS}review\b(?!\sof\sparticle)"
    rf"|\b(?:is|are)\s{_SO}reviewed\b(?!\s(?:first|by|in)\b)|\b(?:as|is|are)\sreviewed\shere\b"
    r"|\b(?:presents?|gives?|provides?|offers?)\san?\s(?:[a-z-]+,?\s){0,2}review\b",
    re.IGNORECASE,
)
"""A paper says of itself that it reviews."""
SURE = -1.5
"""Logarithm of the odds of a review (`review_log_odds`), from which on a paper is one that says so in its abstract."""


def is_review(kind: str, venue: str, title: str, abstract: str = "") -> bool:
    """Whether a paper is a review or meta-analysis: by its publication type, the name of its venue, title or abstract.

    One that names a meta-analysis or a systematic review in its title is none if it is on the method.
    """
    if _KIND.search(kind) or _VENUE.search(venue):
        return True
    if abstract and names_synthesis(f"{title}. {abstract}"):
        if synthesis_log_odds(title, abstract) >= 0:
            return True
        if names_synthesis(title):
            return False
    if _TITLE.search(title):
        return True
    return says_review(abstract) and review_log_odds(title, abstract) >= SURE


def says_review(abstract: str) -> bool:
    """Whether an abstract says of its paper that it reviews, be it only a little."""
    return "review" in abstract.lower() and bool(_ABSTRACT.search(abstract))


def gaps(
    atlas: Atlas,
    reviews: Mask,
    level: int | None = None,
    text_mask: Mask | None = None,
    links: CitationLinks | None = None,
) -> tuple[Gap, ...]:
    """The regions of a level by their scores, those without a review first that are not small.

    Small has fewer than half as many papers as the median region.

    Args:
        atlas: the map.
        reviews: of each of its texts at each level, whether it reviews its region: [texts, LEVELS].
        level: of the regions; None: the smallest whose regions differ at least half as much as those of any other by
            the share of their papers that came since the last review.
        text_mask: of each text, whether it counts; None: all do. Regions in which none does are left out.
        links: citations of its papers; None: they do not count.
    """
    among = np.arange(len(atlas)) if text_mask is None else np.flatnonzero(text_mask)
    levels = range(LEVELS) if level is None else (level,)
    gaps_by_level = [_gaps_of_level(atlas, reviews[:, number], number, among, links) for number in levels]
    most = max(map(_spread, gaps_by_level))
    return next(gaps for gaps in reversed(gaps_by_level) if _spread(gaps) >= most / 2)


def _gaps_of_level(
    atlas: Atlas, reviews: Mask, level: int, among: Ints, links: CitationLinks | None
) -> tuple[Gap, ...]:
    regions = {region.id: region for region in atlas.at(level)}
    ids = atlas.region_ids[among, level]
    rows = {number: among[ids == number] for number in np.unique(ids).tolist() if number in regions}
    patterns: Mapping[int, tuple[GapPattern, ...]] = {}
    if links is not None:
        grown = {number: come for number, mine in rows.items() if (come := _come_of(atlas, mine, among))}
        years = _years(atlas, among)
        end = late_end(years, int(atlas.years.max())) if len(years) else 0
        patterns = find_patterns(atlas, links, level, among, grown, (end - SPAN, end))
    level_gaps = [gap(atlas, regions[number], reviews, among, patterns.get(number, ())) for number in rows]
    least = float(np.median([gap.papers for gap in level_gaps])) / 2 if level_gaps else 0.0
    return tuple(sorted(level_gaps, key=lambda gap: (gap.reviews > 0 or gap.papers < least, -gap.score, gap.id)))


def _spread(gaps: tuple[Gap, ...]) -> float:
    """How far regions differ by the share of their papers that came since the last review."""
    return float(np.std([gap.papers_since_review / gap.papers for gap in gaps])) if gaps else 0.0


def gap(
    atlas: Atlas,
    region: Region,
    reviews: Mask,
    among: Ints | None = None,
    patterns: tuple[GapPattern, ...] = (),
) -> Gap:
    """What there is to say of a region's reviews and citations; `among`: the texts that count (None: all)."""
    among = np.arange(len(atlas)) if among is None else among
    rows = among[atlas.region_ids[among, region.level] == region.id]
    mine = rows[reviews[rows]]
    newest = mine[np.argsort(-atlas.years[mine], kind="stable")]
    last = int(atlas.years[newest[0]]) if len(newest) and atlas.years[newest[0]] > 0 else None
    since = rows if last is None else rows[atlas.years[rows] > last]
    grown = growth_of(atlas, rows, among)
    is_left = any(pattern.kind == "not followed up" for pattern in patterns)
    speed = float(np.clip(1.0 if grown is None or is_left else grown, SLOWEST, FASTEST))
    by_year = rows[np.argsort(-atlas.years[rows], kind="stable")]
    return Gap(
        id=region.id,
        name=region.name,
        level=region.level,
        score=_attention(atlas, since) * speed * PATTERN ** len(patterns),
        papers=_count(atlas, rows),
        reviews=_count(atlas, mine),
        papers_since_review=_count(atlas, since),
        last_review=last,
        growth=grown,
        latest_reviews=listed(atlas, newest),
        newest=listed(atlas, by_year),
        patterns=patterns,
    )


def _attention(atlas: Atlas, rows: Ints) -> float:
    """Papers of texts, each 1 and the logarithm of 1 and its citations, where these are known."""
    citations = {atlas.papers[row]: max(0, int(atlas.citations[row])) for row in rows.tolist()}
    return float(sum(1 + np.log1p(number) for number in citations.values()))


def _count(atlas: Atlas, rows: Ints) -> int:
    return len({atlas.papers[row] for row in rows.tolist()})


def trend(years: Ints, of_all: Ints) -> tuple[TrendYear, ...]:
    """Papers by years, from the first to the newest of all; without those whose year is not known."""
    years, of_all = years[years > 0], of_all[of_all > 0]
    if not len(years):
        return ()
    first, last = int(years.min()), int(of_all.max())
    mine, all_ = (
        np.bincount(np.clip(group, first - 1, None) - first + 1, minlength=last - first + 2)
        for group in (years, of_all)
    )
    return tuple(_year(first + at, int(mine[at + 1]), int(all_[at + 1])) for at in range(last - first + 1))


def _year(year: int, papers: int, total: int) -> TrendYear:
    low, high = wilson(papers, total)
    return TrendYear(year, papers, total, papers / total if total else 0.0, low, high)


def impact(atlas: Atlas, chosen: Mask, name: str, text_mask: Mask | None = None) -> Impact:
    """How far the texts that are chosen are spread over the regions; at least one is.

    Args:
        atlas: the map.
        chosen: of each of its texts, whether it is.
        name: of what they are.
        text_mask: of each text, whether it counts; None: all do.
    """
    among = np.ones(len(atlas), bool) if text_mask is None else text_mask
    chosen = chosen & among
    mine, every = atlas.region_ids[chosen, MIDDLE], atlas.region_ids[among, MIDDLE]
    counted = {region: (int((mine == region.id).sum()), int((every == region.id).sum())) for region in atlas.at(MIDDLE)}
    regions = [ImpactRegion(region, count, count / size) for region, (count, size) in counted.items() if count]
    chance = np.random.default_rng(SEED)
    counts = np.array([region.papers for region in regions])
    drawn = chance.multinomial(len(mine), counts / counts.sum(), size=SAMPLES)
    low, high = np.quantile([effective(sample) for sample in drawn], [0.025, 0.975]).tolist()
    years = atlas.years[chosen & (atlas.years > 0)]
    return Impact(
        name,
        len(mine),
        len(mine) / len(every),
        int(years.min()) if len(years) else None,
        tuple(sorted(regions, key=lambda region: -region.papers)),
        effective(counts),
        low,
        high,
        effective(np.array([size for _, size in counted.values()])),
    )


def effective(counts: Ints) -> float:
    """The effective number of kinds (Hill number of order 1)."""
    shares = counts[counts > 0] / counts.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def topic(atlas: Atlas, region: Region, among: Ints | None = None) -> Topic:
    """See `records.atlas.Topic`; `among`: the texts that count (None: all)."""
    rows = _rows(atlas, region, among)
    years = _years(atlas, rows)
    newest = rows[np.argsort(-atlas.years[rows], kind="stable")]
    return Topic(
        region,
        len({atlas.papers[row] for row in rows.tolist()}),
        dict(sorted(Counter(years.tolist()).items())),
        growth_of(atlas, rows, among),
        typical(atlas, region, among=among),
        listed(atlas, newest[atlas.years[newest] > 0]),
    )


def _rows(atlas: Atlas, region: Region, among: Ints | None) -> Ints:
    if among is None:
        return np.flatnonzero(atlas.region_ids[:, region.level] == region.id)
    rows: Ints = among[atlas.region_ids[among, region.level] == region.id]
    return rows


def typical(atlas: Atlas, region: Region, count: int = SHOWN, among: Ints | None = None) -> tuple[MapPaper, ...]:
    """The papers nearest to the region's middle; see `topic`."""
    rows = _rows(atlas, region, among)
    far = ((atlas.positions[rows] - (region.x, region.y)) ** 2).sum(axis=1)
    return listed(atlas, rows[np.argsort(far, kind="stable")], count)


def _years(atlas: Atlas, rows: Ints) -> Ints:
    """The years of the papers of texts, each paper once, but for those that are not known."""
    if atlas.of == "papers":
        years = atlas.years[rows].astype(np.int64)
    else:
        years = np.array(list({atlas.papers[row]: atlas.years[row] for row in rows.tolist()}.values()), np.int64)
    return years[years > 0]


def growth_of(atlas: Atlas, rows: Ints, among: Ints | None = None) -> float | None:
    """How much faster the papers of texts come than before, held against those of all or of `among`; see `Topic`."""
    come = _come_of(atlas, rows, np.arange(len(atlas)) if among is None else among)
    return come[0] / come[1] if come else None


def _come_of(atlas: Atlas, rows: Ints, among: Ints) -> tuple[int, float] | None:
    newest = int(atlas.years.max(initial=-1))
    return count_growth(_years(atlas, rows), _years(atlas, among), newest)


def growth(years: Ints, of_all: Ints, newest: int | None = None) -> float | None:
    """How much faster papers of some years come than before, as a multiple of what it is for all; see `Topic`."""
    come = count_growth(years, of_all, newest)
    return come[0] / come[1] if come else None


def count_growth(years: Ints, of_all: Ints, newest: int | None = None) -> tuple[int, float] | None:
    """Papers of the last years, and how many were to be expected by those before and by all; None: too few.

    The year `newest` is not over and does not count; None: that is the last of all.
    """
    if not len(of_all):
        return None
    end = late_end(of_all, newest)
    (late, early), (all_late, all_early) = (_spans(group, end) for group in (years, of_all))
    expected = early * all_late / all_early if all_early else 0.0
    return (late, expected) if early >= FEWEST and expected >= FEWEST else None


def late_end(years: Ints, newest: int | None = None) -> int:
    """The year behind the last that counts for growth; see `count_growth`. There is a year."""
    end = int(years.max()) + 1
    return end - 1 if newest is None else min(end, newest)


def _spans(years: Ints, end: int) -> tuple[int, int]:
    late = int(((years >= end - SPAN) & (years < end)).sum())
    return late, int(((years >= end - 2 * SPAN) & (years < end - SPAN)).sum())


def listed(atlas: Atlas, rows: Ints, count: int = SHOWN) -> tuple[MapPaper, ...]:
    """The first papers of texts, each once."""
    first: dict[str, int] = {}
    for row in rows.tolist():
        first.setdefault(atlas.papers[row], row)
        if len(first) == count:
            break
    years = {paper: int(atlas.years[row]) for paper, row in first.items()}
    return tuple(
        MapPaper(paper, atlas.titles[row], years[paper] if years[paper] > 0 else None) for paper, row in first.items()
    )
