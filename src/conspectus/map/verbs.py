"""What users do with the map: build and show it, name its regions, and read from it where a field goes.

Modules that need SQLAlchemy or numpy are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conspectus.core.disk import user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import Notice, emit, listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import ModelName
from conspectus.records import Filters
from conspectus.records.atlas import (
    LEVELS,
    Atlas,
    GapList,
    Impact,
    Mapped,
    MapText,
    NamingMethod,
    Overlay,
    ProjectionMethod,
    Region,
    RegionMethod,
    RegionNames,
    TopicList,
    Trend,
)
from conspectus.records.events import Progress, ProgressCallback
from conspectus.records.filters import YearRange

if TYPE_CHECKING:
    from conspectus.library import Library
    from conspectus.map.named_overlays import MapSources

MapOf = Annotated[Mapped, Option("What is mapped.")]
Level = Annotated[int, Option("Level of regions; 0 has the largest, 2 the smallest.", ge=0, le=LEVELS - 1)]
GapLevel = Annotated[
    int | None,
    Option(
        "Level of regions; 0 has the largest, 2 the smallest. Default: the smallest that differ from one another.",
        ge=0,
        le=LEVELS - 1,
    ),
]
RegionNumber = Annotated[int, Option("Number of a region, as `map topics` lists it.", metavar="REGION")]
Since = Annotated[
    int | None, Option("Compare this year and later with the years before.", ge=1, le=9999, metavar="YEAR")
]
Words = Annotated[
    str,
    Option(
        "A method, a facility, a keyword; or a query with operators, as in `search`.",
        metavar="WORDS…",
        max_length=2000,
        words=True,
        example="quasars",
    ),
]
OverlayName = Annotated[
    str,
    Option(
        "density, year, citations, reviews, outliers, vocabulary:NAME, keyword:WORDS, entity:ID, direction:NAME, "
        "query:WORDS, answer:ID or author:NAME.",
        metavar="NAME",
        max_length=2000,
        example="year",
    ),
]
Update = Annotated[
    bool, Option("First build the map, or add new papers to it; else use it as it is.", faces=("cli",), absent=False)
]
Progressing = Annotated[ProgressCallback | None, Option("Called with each step.", faces=())]
PAGES = (".html", ".json")
MODES = {"one": "in one place", "two": "in two places", "spread": "spread over the map"}


class MapVerbs(VerbGroup, name="map"):
    """Map of the library: papers, or their passages, placed by meaning, and the regions that they form.

    Args:
        library: stays open as long as the verbs are used.
        sources: what other wings find for the map.
    """

    def __init__(self, library: Library, sources: MapSources) -> None:
        super().__init__(library)
        self._sources = sources

    @verb(http="POST /map", job=True, writes=True)
    def build(
        self,
        *,
        of: MapOf = "papers",
        method: Annotated[ProjectionMethod | None, Option("How texts are projected into the plane.")] = None,
        regions: Annotated[RegionMethod | None, Option("How the regions are made.")] = None,
        refit: Annotated[bool, Option("Fit the map again, starting from where the texts are.", example=True)] = False,
        progress: Progressing = None,
    ) -> Atlas:
        """Build the map of the library, or add new papers to it.

        The map is fitted once and stored. Papers that come later are placed next to similar ones, and nothing else
        moves. When it is fitted again, regions keep their numbers and the names that you gave them. A different method
        also fits it again.

        Raises:
            LibraryReadOnlyError: it has to be fitted, and the library cannot be written to.
            UsageError: nothing of the library was embedded.
            UnavailableError: the package that projects is not installed.
            BusyError: another process, or job of this one, is writing to the library.
        """
        from conspectus.map.stored_map import build_map

        with listen(progress, Progress):
            return build_map(self.session, of, method, regions, refit=refit)

    @verb(http="GET /map")
    def show(
        self,
        *,
        of: MapOf = "papers",
        points: Annotated[bool, Option("Include the place of each text in the JSON.")] = False,
        overlay: Annotated[
            str, Option("Show an overlay on the map; see `map overlay`.", metavar="NAME", faces=("cli",))
        ] = "",
        since: Annotated[
            int | None,
            Option(
                "For the overlay: compare this year and later with the years before.",
                ge=1,
                le=9999,
                metavar="YEAR",
                faces=("cli",),
            ),
        ] = None,
        year: Annotated[YearRange, Option(faces=("cli",))] = None,
        to: Annotated[
            Path | None,
            Option("Write the map to a file: .html, .json, .png, .svg or .pdf.", metavar="FILE", faces=("cli",)),
        ] = None,
        terrain: Annotated[
            Path | None,
            Option("Draw the map as a landscape (A1): .png, .svg or .pdf.", metavar="FILE", faces=("cli",)),
        ] = None,
        update: Update = True,
    ) -> Atlas:
        """Show the map of the library: the regions that its papers, or their passages, form.

        On the command line, and in Python, the map is built first if there is none, and new papers are added to it.

        Raises:
            NotFoundError: there is no map, and `update` is False; or what the overlay names.
            UsageError: a file's name ends otherwise or it cannot be written; `since` or `year` without an overlay.
            UnavailableError: matplotlib, which draws pictures, is not installed.
        """
        from conspectus.map import map_pictures

        if (since or year) and not overlay:
            raise UsageError(
                "`since` and `year` are of an overlay, and none is asked for.",
                "Name one: `overlay=year`, for instance.",
            )
        _check_endings((to, (*PAGES, *map_pictures.ENDINGS)), (terrain, map_pictures.ENDINGS))
        atlas = replace(self._read(of, update=update), with_points=points)
        if overlay:
            atlas = replace(atlas, overlay=self._overlay(atlas, overlay, since, year))
        if terrain:
            map_pictures.draw_terrain(atlas, user_path(terrain), self.session.folder.name)
        if to and to.suffix.lower() in PAGES:
            if notice := self._sources.write_file(atlas, to):
                emit(Notice(notice))
        elif to:
            map_pictures.draw_dots(atlas, user_path(to))
        return atlas

    @verb(http="GET /map/topics", tool="map")
    def topics(
        self,
        region: Annotated[
            int | None, Option("Only this region and those within it, with their papers.", metavar="REGION")
        ] = None,
        *,
        of: MapOf = "papers",
        level: Level = 1,
        overlay: Annotated[
            str,
            Option(
                "Give the value of an overlay for each region: year, citations, reviews, outliers, keyword:WORDS, "
                "entity:ID, direction:NAME, query:WORDS, author:NAME, vocabulary:NAME.",
                metavar="NAME",
                max_length=2000,
            ),
        ] = "",
        year: YearRange = None,
        update: Update = True,
    ) -> TopicList:
        """List the regions of the map: what the library is about.

        Each region comes with its number of papers, its growth relative to the whole library, and typical and new
        papers. With years, only papers of those years count.

        Raises:
            NotFoundError: the map has no such region, or there is none, and `update` is False.
            UsageError: there is no such level, `region` is no number, or as `build`.
        """
        from conspectus.map.named_overlays import of_years
        from conspectus.map.survey import topic

        _check_level(level)
        atlas = self._read(of, update=update)
        regions = atlas.at(level)
        if region is not None:
            _check_number(region)
            regions = tuple(map_region for map_region in atlas.regions if region in (map_region.id, map_region.parent))
            if not regions:
                raise _no_region(region)
        year_mask = of_years(atlas.years, year)
        among = None if year_mask is None else year_mask.nonzero()[0]
        topics = tuple(topic(atlas, map_region, among) for map_region in regions)
        if not overlay:
            return TopicList(topics, notes=atlas.notes)
        values = self._overlay(atlas, overlay, None, year)
        rows = {row.id: row for row in values.regions}
        unit = f" ({values.legend.unit})" if values.legend.unit and values.kind == "number" else ""
        where = (f"The hits are {MODES[values.modes.kind]}.",) if values.modes else ()
        topics = tuple(
            replace(entry, value=row.value, category=row.category)
            for entry, row in ((entry, rows[entry.region.id]) for entry in topics)
        )
        return TopicList(topics, values.name, f"{values.legend.meaning}{unit}", (*atlas.notes, *values.notes, *where))

    @verb(http="GET /map/gaps", tool="gaps")
    def gaps(
        self,
        *,
        level: GapLevel = None,
        k: Annotated[int, Option("Maximum number of regions.", ge=1, le=1000, metavar="N")] = 10,
        year: YearRange = None,
        update: Update = True,
    ) -> GapList:
        """List regions of the map with no review near their centre, then those with much written since the last one.

        Cited papers count more, and so do growing regions, and regions whose papers cite old work, cite only each
        other, or are cited by others while few new ones appear; each such region says so. A paper counts as a review by
        its publication type, its venue's name, its title, or its abstract, and as a review of its region if it is in
        the quarter nearest to the region's centre. With years, only papers and reviews of those years count; regions
        without any are left out.

        Raises:
            UsageError: there is no such level, or as `build`.
            NotFoundError: there is no map, and `update` is False.
        """
        from conspectus.map.citation_patterns import explain_missing, read_links
        from conspectus.map.named_overlays import find_region_reviews, of_years
        from conspectus.map.survey import gaps

        if level is not None:
            _check_level(level)
        atlas = self._read("papers", update=update)
        year_mask, links = of_years(atlas.years, year), read_links(self.session, atlas)
        regions = gaps(atlas, find_region_reviews(self.session, atlas), level, year_mask, links)
        return GapList(regions[:k], explain_missing(links, len(atlas)) if regions else ())

    @verb(http="GET /map/trends", tool="trends")
    def trends(
        self,
        words: Words = "",
        *,
        topic: Annotated[
            int | None, Option("Instead of words: a region of the map, by its number.", metavar="REGION")
        ] = None,
        author: Annotated[str, Option("Instead of words: an author.", metavar="NAME", max_length=200)] = "",
        year: YearRange = None,
        update: Update = True,
    ) -> Trend:
        """Show, by year, how many papers contain words, are in a region or are by an author.

        Each year comes with the share of the library's papers and its 95 % interval.

        Raises:
            UsageError: not exactly one of these is given, `topic` is no number, or a mistake in the signs.
            NotFoundError: no paper is by the author, or the map has no such region.
        """
        from conspectus.map import sql as map_sql
        from conspectus.map.named_overlays import of_years
        from conspectus.map.survey import trend
        from conspectus.store.facets import filtered_paper_keys

        if (bool(words.strip()) + (topic is not None) + bool(author.strip())) != 1:
            raise UsageError("A trend is one of words, of a topic, or of an author.", "Give one of them.")
        catalog = self.session.catalog
        years, name = map_sql.years_of(catalog, None), words
        if topic is not None:
            _check_number(topic)
            atlas = self._read("papers", update=update)
            region = next((map_region for map_region in atlas.regions if map_region.id == topic), None)
            if region is None:
                raise _no_region(topic)
            mine, name = atlas.years[atlas.region_ids[:, region.level] == topic], region.name
        elif author:
            keys = filtered_paper_keys(catalog, Filters(author=(author,))).tolist()
            if not keys:
                raise NotFoundError(f"No paper of the library is by '{author}'.", "Give the family name, or all of it.")
            mine, name = map_sql.years_of(catalog, keys), author
        else:
            mine = map_sql.years_of(catalog, self._sources.find_papers(words))
        if (year_mask := of_years(years, year)) is not None:
            mine, years = mine[of_years(mine, year)], years[year_mask]
        rows = trend(mine, years)
        return Trend(name, len(mine), rows, max(rows, key=lambda row: row.low).year if rows else None)

    @verb(http="GET /map/impact", tool="impact")
    def impact(self, words: Words, *, year: YearRange = None, update: Update = True) -> Impact:
        """Show how far words have spread over the regions of the map.

        Words name a facility, a method or a keyword. You see how many papers contain them, since when, and in which
        regions.

        Raises:
            NotFoundError: no paper of the map has them, or there is no map, and `update` is False.
            UsageError: they are empty, or have a mistake in the signs; or as `build`.
        """
        import numpy as np

        from conspectus.map.named_overlays import of_years
        from conspectus.map.survey import impact

        atlas = self._read("papers", update=update)
        ids = set(self.session.catalog.ids_of(self._sources.find_papers(words)).values())
        chosen = np.array([paper in ids for paper in atlas.papers], bool)
        year_mask = of_years(atlas.years, year)
        if not chosen.any():
            raise NotFoundError(f"No paper of the map says '{words}'.", "`search` finds what is near.")
        if year_mask is not None and not (chosen & year_mask).any():
            raise NotFoundError(f"No paper of the map says '{words}' in these years.", "Give more years, or none.")
        return impact(atlas, chosen, words, year_mask)

    @verb(http="PUT /map/regions/{number}", key="region", writes=True)
    def name(
        self,
        number: RegionNumber,
        name: Annotated[
            str,
            Option("New name; empty: the one before.", metavar="NAME", max_length=200, example="solar cells"),
        ] = "",
    ) -> Region:
        """Name a region of the map.

        The region keeps the name when the map is fitted again. Without NAME, it gets back the name it had before.

        Raises:
            UsageError: the name has more than 200 characters, or none that can be read.
            NotFoundError: no map has a region of this number.
        """
        from conspectus.map.region_names import name_region

        return name_region(self.session, number, name)

    @verb(http="POST /map/names", job=True, writes=True)
    def names(
        self,
        by: Annotated[
            NamingMethod,
            Option("From key phrases, the concepts of a vocabulary, or a language model.", example="vocabulary"),
        ],
        *,
        of: MapOf = "papers",
        vocabulary: Annotated[
            str,
            Option("Vocabulary of the concepts; default: all.", metavar="NAME", max_length=200, example="UAT"),
        ] = "",
        language: Annotated[
            str,
            Option("Language of a model's names; default: English.", metavar="NAME", max_length=60, example="German"),
        ] = "",
        model: ModelName = "",
        progress: Progressing = None,
    ) -> RegionNames:
        """Name all regions of the map except those that you named.

        The names come from key phrases of a region, from the concepts of a vocabulary that cover it (`link` finds
        these), or from a language model, in any language. They stay when the map is fitted again.

        Raises:
            NotFoundError: there is no map, or no such vocabulary.
            UsageError: no text is linked to a concept.
            UnavailableError: no language model is set.
            ServiceError: the model cannot be asked, or gives no names.
        """
        from conspectus.map.region_names import name_regions

        with listen(progress, Progress):
            return name_regions(self.session, by, of, vocabulary, language, model)

    @verb(http="GET /map/overlay")
    def overlay(
        self, name: OverlayName, *, of: MapOf = "papers", since: Since = None, year: YearRange = None
    ) -> Overlay:
        """Show an overlay of the map: a value for each text, and for each region.

        reviews: papers of the region since the last review. outliers: texts far from the others of their region.
        vocabulary: the broadest concepts of a vocabulary. keyword: papers with the keyword or these words. query: the
        best hits, and whether they are in one place of the map. answer: the sources of an answer (`last`). author: an
        author's papers and their path over the years.

        `since` gives, for density, year, keyword and entity, the share of papers of this year and later less that of
        before; for other overlays only texts from then on have a value. `state` is the state of the map whose points
        the values belong to.

        Raises:
            UsageError: there is no such overlay, nothing to compare in these years, or they are none.
            NotFoundError: there is no map, vocabulary, entity, answer or author of this name.
        """
        return self._overlay(self._read(of, update=False), name, since, year)

    @verb(http="POST /map/texts", key="texts", command=False)
    def texts(
        self,
        rows: Annotated[
            tuple[int, ...], Option("Their numbers in the map's columns, from 0.", max_items=10_000, example=[0, 1])
        ],
        *,
        of: MapOf = "papers",
        state: Annotated[
            str,
            Option("State of the map that has the numbers; empty: any.", max_length=100, example=""),
        ] = "",
    ) -> tuple[MapText, ...]:
        """List the papers, or passages, at some points of the map.

        Raises:
            NotFoundError: there is no map, it has no such text, or has changed since.
        """
        from conspectus.map.stored_map import read_texts

        return read_texts(self.session, rows, of, state)

    def _read(self, of: Mapped, *, update: bool) -> Atlas:
        from conspectus.map.stored_map import build_map, read_map

        return build_map(self.session, of) if update else read_map(self.session, of)

    def _overlay(
        self, atlas: Atlas, name: str, since: int | None, year: tuple[int | None, int | None] | None
    ) -> Overlay:
        from conspectus.map.named_overlays import make_overlay

        return make_overlay(self.session, self._sources, atlas, name, since, year)


def _check_endings(*files: tuple[Path | None, tuple[str, ...]]) -> None:
    for path, endings in files:
        if path and path.suffix.lower() not in endings:
            raise UsageError(f"A map cannot be written as '{path.name}'.", f"End it in {', '.join(endings)}.")


def _check_level(level: int) -> None:
    if not 0 <= level < LEVELS:
        raise UsageError(f"There is no level {level} of regions.", f"Levels go from 0 to {LEVELS - 1}.")


def _check_number(region: Any) -> None:
    from conspectus.map.stored_map import LISTED

    if not isinstance(region, Integral):
        raise UsageError(f"{region!r} is no number of a region.", LISTED)


def _no_region(region: int) -> NotFoundError:
    from conspectus.map.stored_map import LISTED

    return NotFoundError(f"The map has no region {region}.", LISTED)
