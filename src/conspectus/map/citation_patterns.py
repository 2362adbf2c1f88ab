"""Citations between the regions of a map: those that cite old work, or only themselves, or that nobody follows up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.intervals import wilson
from conspectus.map import sql as map_sql
from conspectus.records.atlas import Atlas, GapPattern
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog

Ints = npt.NDArray[np.int64]
OLD, SURE = 0.67, 3.0
"""Part of the usual share of recent works below which a region cites old work; standard errors of its papers."""
CROSSING = 0.7
"""A region is closed if the share of its citations that cross its border is less than this part of the median one."""
FEWEST_CITATIONS, FEWEST_CITING, FEWEST_REGIONS = 20, 10, 3
"""Citations, and papers whose references are known, of a region of which something is said; regions to compare with."""
OLDEST = 200
"""Years by which a cited work can be older; what is older was misread."""
SLOW = 0.5
"""A region is not followed up if it had less than this part of the papers that were to be expected."""


@dataclass(frozen=True, slots=True)
class CitationLinks:
    """Citations of the papers of a map, by their rows on it.

    Attributes:
        citing, cited: the two papers of each citation within the library, int64 [citations].
        dated, ages: a paper, and how many years older a work is that it cites, int64 [works whose year is known].
        known: rows of papers whose references are known, int64.
    """

    citing: Ints
    cited: Ints
    dated: Ints
    ages: Ints
    known: Ints


def read_links(session: Session, atlas: Atlas) -> CitationLinks:
    """The citations of a map of papers; kept with the session while the map is the same."""
    return session.parts.get_cached(
        "citation links", lambda: _read_links(session.catalog, atlas), atlas.state, session.catalog.change(), most=1
    )


def _read_links(catalog: Catalog, atlas: Atlas) -> CitationLinks:
    keys = catalog.keys_of(list(atlas.papers))
    rows = np.full(max(keys.values(), default=0) + 2, -1, np.int64)  # the last is of papers that are not on the map
    for row, paper in enumerate(atlas.papers):
        if paper in keys:
            rows[keys[paper]] = row
    links, years, having = map_sql.read_citations(catalog)
    citing, cited = (rows[np.minimum(column, len(rows) - 1)] for column in links[:2])
    inside = (citing >= 0) & (cited >= 0) & (citing != cited)
    citing, cited = citing[inside], cited[inside]
    undated = links[2][inside] < 0
    dated = np.concatenate([rows[np.minimum(years[0], len(rows) - 1)], citing[undated]])
    ages = atlas.years[dated] - np.concatenate([years[1], atlas.years[cited[undated]]])
    believed = (dated >= 0) & (atlas.years[dated] > 0) & (ages >= 0) & (ages < OLDEST)
    known = rows[np.minimum(having, len(rows) - 1)]
    return CitationLinks(citing, cited, dated[believed], ages[believed], known[known >= 0])


def find_patterns(
    atlas: Atlas,
    links: CitationLinks,
    level: int,
    among: Ints,
    grown: Mapping[int, tuple[int, float]],
    late: tuple[int, int],
) -> dict[int, tuple[GapPattern, ...]]:
    """What is unusual of the citations of each region of a level, by its number.

    Args:
        among: rows of the texts that count.
        grown: the papers of a region's last years, and how many were to be expected, by its number.
        late: the first of these years, and the one behind the last.
    """
    region = np.full(len(atlas), -1, np.int64)
    region[among] = atlas.region_ids[among, level]
    count = int(atlas.region_ids[:, level].max(initial=-1)) + 1
    every: defaultdict[int, list[GapPattern]] = defaultdict(list)
    for number, pattern in (
        *_find_old(links, region, count),
        *_find_closed(links, region, count),
        *_find_not_followed(atlas, links, region, grown, late),
    ):
        every[number].append(pattern)
    return {number: tuple(patterns) for number, patterns in every.items()}


def _find_old(links: CitationLinks, region: Ints, count: int) -> Iterator[tuple[int, GapPattern]]:
    """By the share of cited works that are not older than half of those of all papers (after Price's index)."""
    here = region[links.dated] >= 0
    dated, ages = links.dated[here], links.ages[here]
    if not len(dated):
        return
    citing, owner = np.unique(dated, return_inverse=True)
    is_recent = ages <= (age := float(np.median(ages)))
    usual = float(is_recent.mean())
    recent = np.bincount(owner, is_recent) / np.bincount(owner)
    works, new = (np.bincount(region[dated], weights, minlength=count) for weights in (None, is_recent))
    for number in np.unique(region[citing]).tolist():
        recent_shares, share = recent[region[citing] == number], float(new[number] / works[number])
        older = float(np.sign(usual - recent_shares).sum()) / len(recent_shares) ** 0.5
        if len(recent_shares) >= FEWEST_CITING and share < OLD * usual and older >= SURE:
            reason = (
                f"{share:.0%} of the {works[number]:.0f} works that it cites are at most {age:g} years older than the "
                f"papers that cite them (all papers: {usual:.0%})"
            )
            yield number, GapPattern("cites old work", share, usual, int(works[number]), reason)


def _find_closed(links: CitationLinks, region: Ints, count: int) -> Iterator[tuple[int, GapPattern]]:
    citing, cited = region[links.citing], region[links.cited]
    here = (citing >= 0) & (cited >= 0)
    citing, cited = citing[here], cited[here]
    within = np.bincount(citing[citing == cited], minlength=count)
    across = np.bincount(np.concatenate([citing[citing != cited], cited[citing != cited]]), minlength=count)
    total = within + across
    enough = np.flatnonzero(total >= FEWEST_CITATIONS)
    if len(enough) < FEWEST_REGIONS:
        return
    usual = float(np.median(across[enough] / total[enough]))
    for number in enough.tolist():
        share = float(across[number] / total[number])
        if share < CROSSING * usual and wilson(int(across[number]), int(total[number]))[1] < usual:
            reason = (
                f"{within[number]} of its {total[number]} citations are within it: "
                f"{share:.0%} lead to or come from other regions (usually {usual:.0%})"
            )
            yield number, GapPattern("cites only itself", share, usual, int(total[number]), reason)


def _find_not_followed(
    atlas: Atlas,
    links: CitationLinks,
    region: Ints,
    grown: Mapping[int, tuple[int, float]],
    late: tuple[int, int],
) -> Iterator[tuple[int, GapPattern]]:
    first, last = late
    years = atlas.years[links.citing]
    citing, cited = region[links.citing], region[links.cited]
    recent = (years >= first) & (years < last) & (citing >= 0) & (cited >= 0) & (citing != cited)
    incoming = np.bincount(cited[recent], minlength=max(grown, default=0) + 1)
    sizes = np.bincount(region[region >= 0], minlength=len(incoming))
    usual = incoming.sum() / max(int(sizes.sum()), 1)
    for number, (came, expected) in grown.items():
        often = incoming[number] >= max(FEWEST_CITATIONS / 2, usual * sizes[number])
        if often and came < SLOW * expected:
            reason = (
                f"papers of other regions cited it {incoming[number]} times from {first} to {last - 1}, "
                f"but it had {came} papers of its own then ({expected:.0f} expected)"
            )
            yield number, GapPattern("not followed up", float(came), expected, int(incoming[number]), reason)


def explain_missing(links: CitationLinks, papers: int) -> tuple[str, ...]:
    """A note for the user if the references of most papers are not known."""
    known = len(links.known)
    if known >= papers / 2:
        return ()
    if not known:
        return ("No references of these papers are known, so citations do not count. Find them: `sources enrich`.",)
    return (
        f"References are known of {known} of {papers} papers, so what is said of citations is incomplete. "
        "Find more: `sources enrich`.",
    )
