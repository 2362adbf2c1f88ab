"""Find papers: by words or a question, by likeness; count them; tell what kind of question is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from conspectus.faces.declare import Option, OptionsOf, VerbGroup, verb
from conspectus.faces.filters import PassageFilters, UsedText
from conspectus.records import Filters, Routing, SearchResult, WordCount
from conspectus.records.answer import Preferred, Weighting
from conspectus.records.results import FacetCounts, PaperCounts, SubjectOverview

Query = Annotated[
    str,
    Option(
        'Words or a question; they may have "phrases", -exclusions, author:NAME.',
        metavar="WORDS…",
        words=True,
        query="q",
        example="grid cells author:moser",
    ),
]
Question = Annotated[
    str, Option("A question.", metavar="QUESTION…", words=True, query="q", example="Where do grid cells fire?")
]
PaperCount = Annotated[
    int | None,
    Option(
        "Number of papers (default: the setting search.k).", ge=1, le=1_000_000, served_le=1000, short="k", metavar="N"
    ),
]
Plain = Annotated[bool, Option('Treat all operators of the query ("", -, AND, author: …) as plain text.')]
Keywords = Annotated[tuple[str, ...], Option("Prefer papers with this keyword.", metavar="WORD", max_length=1000)]
More = Annotated[
    tuple[str, ...],
    Option(
        "Steer towards a direction: NAME, or NAME:WEIGHT with a weight up to 1.",
        metavar="NAME[:WEIGHT]",
        max_length=200,
        max_items=10,
    ),
]
Less = Annotated[
    tuple[str, ...],
    Option("Steer away from a direction, in the same way.", metavar="NAME[:WEIGHT]", max_length=200, max_items=10),
]
Auto = Annotated[bool, Option("Use the settings that suit the kind of question.")]


def make_ranking(
    *,
    weight: Annotated[tuple[Preferred, ...], Option("Give papers a slight preference by this.")] = (),
    weighting: Annotated[
        Weighting | Literal[""],
        Option("How weights are applied: added (the default), or as pathfinder published them.", faces=("cli", "http")),
    ] = "",
    expand: Annotated[
        Literal["no", "feedback", "hyde", "rephrase", ""],
        Option(
            "Also search by the best passages found, or by texts that a language model writes.", faces=("cli", "http")
        ),
    ] = "",
    model: Annotated[
        str,
        Option(
            "Language model that writes these texts (default: the setting language.ask).",
            metavar="NAME",
            faces=("cli",),
        ),
    ] = "",
    graph: Annotated[
        Literal["no", "subgraph", "pagerank", "auto", ""],
        Option("Also search by the entities that the question names and what connects them.", on="subgraph"),
    ] = "",
    mmr: Annotated[
        float | None,
        Option("Below 1: prefer papers unlike those above.", ge=0, le=1, metavar="LAMBDA", faces=("cli", "http")),
    ] = None,
    outliers: Annotated[bool, Option("Mark papers that are far from the other results.")] = False,
) -> Mapping[str, Any]:
    """Settings of one search."""
    values = {"weighting": weighting, "expand": expand, "graph": graph, "mmr": mmr, "outliers": outliers or None}
    settings = dict.fromkeys(weight, True) | {name: value for name, value in values.items() if value not in ("", None)}
    return {f"search.{name}": value for name, value in settings.items()} | ({"language.ask": model} if model else {})


Ranking = Annotated[Mapping[str, Any] | None, OptionsOf(make_ranking)]
"""Settings for one search alone, such as `{"search.recency": True}`: of the groups `search`, `language`, `budget`."""


class SearchVerbs(VerbGroup):
    """Papers and passages for words or a question."""

    @verb(http="GET /search", tool="search")
    def search(
        self,
        query: Query,
        k: PaperCount = None,
        filters: PassageFilters = None,
        *,
        use: UsedText = "",
        prefer: Keywords = (),
        more: More = (),
        less: Less = (),
        settings: Ranking = None,
        auto: Auto = False,
        plain: Plain = False,
    ) -> SearchResult:
        """Find the papers that best fit words or a question.

        Each comes with the passage that fits best and the ids of its sentences.

        Queries may contain operators: "a phrase", -excluded, author:NAME, year:2005..2015, venue:NAME, keyword:WORD,
        title:WORD, kind:caption, has:figure, AND, OR, NOT and parentheses. A query of conditions alone lists the newest
        papers that meet them.

        `more` and `less` turn the question's vector towards directions of the library (`directions list`), or away from
        them, as long as its cosine with the question stays at .9 or above; the weight 1 goes that far.

        Shell:
            Put the whole query in single quotes. `conspectus open ID` shows a sentence on its page.

        Raises:
            UsageError: an empty query, one with a mistake in its signs, k below 1, an unknown `use`, or a weight
                that is not above 0 and up to 1.
            NotFoundError: the library has no such direction.
            SettingsError: an unknown setting, or a value it cannot have; or a language model is needed
                (`search.expand`, `search.reranker`), and none is set.
            ServiceError: that model cannot be asked, or gives nothing that can be used.
        """
        from conspectus.papers import paper_search

        session = paper_search.with_settings(self.session, settings or {})
        request = paper_search.SearchRequest(k, filters or Filters(), use, tuple(prefer), tuple(more), tuple(less))
        return paper_search.search(session, query, request, auto=auto, plain=plain)

    @verb(http="GET /count", schema="search", flag_of="search")
    def count(self, query: Query = "", filters: PassageFilters = None, *, plain: Plain = False) -> WordCount:
        """Count the papers that have all the words, or that pass the filters.

        The count is exact: papers with a passage (its title and section with it) that has all of the words, in any of
        their forms. Summaries do not count. Without words: the papers that pass the filters.

        Raises:
            UsageError: there is a mistake in the signs, or none of the words can be looked for.
        """
        from conspectus.papers import paper_search

        return paper_search.count(self.session, query, filters or Filters(), plain=plain)

    @verb(http="GET /facets", command=False)
    def facets(
        self,
        query: Query = "",
        filters: PassageFilters = None,
        *,
        most: Annotated[int, Option("Most venues and keywords.", ge=1, le=200)] = 20,
    ) -> FacetCounts:
        """Count the papers of each year, venue, keyword, language and kind of text.

        Without words all papers that pass the filters are counted; with words the 300 best that are found (`best`).

        Raises:
            UsageError: there is a mistake in the query's signs.
        """
        from conspectus.papers import paper_search

        return paper_search.facets(self.session, query, filters or Filters(), most)

    @verb(http="GET /facets/{facet}", command=False, key="values")
    def facet_values(
        self,
        facet: Literal["venue", "author", "keyword", "tag", "collection"],
        *,
        starts: Annotated[str, Option("What one of its words begins with.", max_length=100, example="caj")] = "",
        most: Annotated[int, Option("Most values.", ge=1, le=200)] = 10,
    ) -> tuple[PaperCounts, ...]:
        """Complete what is typed to a journal, author, keyword, tag or collection that papers have.

        The frequent first; authors by their family names and whole names.
        """
        from conspectus.store.paper_pages import count_terms, find_values

        catalog, parts = self.session.catalog, self.session.parts
        if facet in ("tag", "collection"):
            return find_values(catalog, facet, starts, most, ())
        terms = parts.get_cached("facet terms", lambda: count_terms(catalog, facet), catalog.change(), facet)
        return find_values(catalog, facet, starts, most, terms)

    @verb(http="GET /subjects", command=False, key="values")
    def subjects(self, *, most: Annotated[int, Option("Most subjects.", ge=1, le=200)] = 20) -> tuple[PaperCounts, ...]:
        """List subjects that several papers of the library have, as noun phrases, the best first.

        They suit examples of questions. At most 1,000 papers are read for them.
        """
        from conspectus.papers.paper_search import find_subjects

        return find_subjects(self.session, most)

    @verb(http="GET /subjects/together", command=False)
    def subjects_together(self, *, most: Annotated[int, Option("Most subjects.", ge=1, le=50)] = 12) -> SubjectOverview:
        """List subjects of the library with those in the same papers, and the well-known vocabulary that fits them."""
        from conspectus.papers.paper_search import overview_subjects

        return overview_subjects(self.session, most)

    @verb(http="GET|POST /similar", tool="similar")
    def similar(
        self,
        papers: Annotated[
            str | Sequence[str],
            Option(
                "Ids, DOIs, arXiv ids, PMIDs, files or titles of papers.",
                metavar="PAPER…",
                max_items=1000,
                query="paper",
            ),
        ] = (),
        *,
        text: Annotated[
            str | None,
            Option(
                "Compare with this text, for example an abstract; `-`: standard input.",
                metavar="TEXT",
                standard_input=True,
            ),
        ] = None,
        by: Annotated[
            Literal["meaning", "citations"],
            Option("What is compared: meaning, or which works they cite and which papers cite them."),
        ] = "meaning",
        more: More = (),
        less: Less = (),
        k: PaperCount = None,
        filters: PassageFilters = None,
    ) -> SearchResult:
        """Find the papers nearest to given papers or to a text, by meaning or by citations.

        By meaning, others are compared with the mean of the given papers' vectors; the given papers are left out. By
        citations, papers are near if they cite the same works, are cited together, or cite one another. `more` and
        `less` steer by directions as in `search`.

        Raises:
            UsageError: nothing to compare with, a text that is longer than `BOUNDS.query`, or what is compared by
                citations is steered.
            NotFoundError: no paper, or more than one, has such a name, or no direction.
        """
        from conspectus.papers import paper_search

        names = [papers] if isinstance(papers, str) else papers
        request = paper_search.SearchRequest(k, filters or Filters(), more=tuple(more), less=tuple(less))
        return paper_search.similar(self.session, names, text, request, by)

    @verb(http="GET /route", optional=True)
    def route(
        self,
        question: Question,
        *,
        model: Annotated[
            str,
            Option(
                "Language model that decides; `none`: the small one that comes along.", metavar="NAME", faces=("cli",)
            ),
        ] = "",
        cache: Annotated[bool, Option("Use what the model has replied before.", faces=("cli",))] = True,
    ) -> Routing:
        """Show the kind of a question and the settings that suit it.

        Kinds: single-paper, multi-paper, consensus, compositional (with its sub-questions), what-if, unclassified.
        The language model of the setting language.ask or language.model decides. Without one, or if it cannot be asked,
        a small model decides that comes with the program. No library is needed.

        Raises:
            UsageError: the question is empty, or the library is closed.
            SettingsError: a model's name that has no known form.
            ServiceError: `model` cannot be asked, or gives nothing that can be used.
        """
        from conspectus.papers import paper_search

        return paper_search.route(self.session, question, model=model, cache=cache)
