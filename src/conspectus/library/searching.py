"""The verbs of `Library` that find papers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from conspectus.errors import UsageError
from conspectus.library.routing import RoutingQuestions
from conspectus.records import Filters, Outlying, SearchResult, Use, WordCount, normal_name
from conspectus.settings import set_name

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever
    from conspectus.search.syntax import Query
    from conspectus.settings import Settings

OF_A_SEARCH = ("search.", "language.", "budget.")
"""Groups of settings that one search can have of its own."""


class Searching(RoutingQuestions):
    """The part of `Library` that finds papers."""

    def search(
        self,
        query: str,
        k: int | None = None,
        filters: Filters | None = None,
        *,
        use: Use | Literal[""] = "",
        prefer: Sequence[str] = (),
        auto: bool = False,
        plain: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> SearchResult:
        """The k best papers for words or a question, each with its best passage.

        A query may have phrases ("…"), exclusions (-word), fields (author:smith), AND, OR and parentheses. One of
        conditions only lists the newest papers that meet them.

        Args:
            query: words or a question.
            k: how many; None: as the setting `search.k` says.
            filters: which papers and kinds of text.
            use: whether papers' own passages are searched (`raw`), their summaries (`summary`), or `both`; "": as the
                setting `search.use` says. A hit by a summary has it in `summary`: its words are a model's.
            prefer: keywords; papers that have them are preferred, also where the setting `search.keywords` is off.
            auto: take the settings that suit the kind of question (`route`), and search for the sub-questions of a
                compositional one apart.
            plain: take all signs of the query for text.
            settings: values for this search alone, such as `{"search.recency": True}`: of the groups `search`,
                `language` and `budget`.

        Raises:
            UsageError: an empty query, one with a mistake in its signs, k below 1, or a `use` that there is not.
            SettingsError: a setting that there is not, or a value it cannot have; or a language model is needed
                (`search.expand`, `search.reranker`), and none is set.
            ServiceError: that model cannot be asked, or gives nothing that can be used.
        """
        from conspectus.search import syntax
        from conspectus.search.search import nothing_asked

        query = syntax.asked(query)
        if not query.strip():
            raise nothing_asked()
        asked = syntax.plain(query) if plain else syntax.parse(query)
        began = time.perf_counter()
        own = self._for_a_search(settings or {})
        if not all(map(normal_name, prefer)):
            raise UsageError("A keyword to prefer is empty.", "Leave it out, or give a word.")
        wanted = filters or Filters()
        if auto:
            found = self._suited(asked, k, wanted, own, use, prefer)
        else:
            found = self._searched(asked, own.search.k if k is None else k, wanted, own, use, prefer)
            found = replace(found, routing=self._route_by_rules(asked.words) if asked.words else None)
        found = self._with_outliers(found, own) if own.search.outliers else found
        return replace(found, took=time.perf_counter() - began)

    def _with_outliers(self, found: SearchResult, settings: Settings) -> SearchResult:
        from conspectus.search.outliers import FEWEST, outliers

        keys = self._catalog.keys_of([hit.paper.id for hit in found.hits])
        far = outliers(self._catalog, self._index, self._embedder.id, list(keys.values()), settings.search)
        by_id, nothing = dict(zip(keys, far, strict=True)), Outlying(None, None, False)
        hits = tuple(replace(hit, outlying=by_id.get(hit.paper.id, nothing)) for hit in found.hits)
        if any(one.cut is not None for one in far) or not hits:
            return replace(found, hits=hits)
        note = "Which papers are far from the others cannot be said of so few."
        if len(keys) >= FEWEST:
            note = "No paper can be far from the others: the library has no more than these."
        return replace(found, hits=hits, note=f"{found.note} {note}".strip())

    def _suited(
        self,
        query: Query,
        k: int | None,
        filters: Filters,
        settings: Settings,
        use: Use | Literal[""],
        prefer: Sequence[str],
    ) -> SearchResult:
        """A search with the settings that suit the question."""
        from conspectus.search.suited import merged, nearness, suited

        if not query.words:
            return self._searched(query, settings.search.k if k is None else k, filters, settings, use, prefer)
        routing = self._route(query.words, settings)
        own, note = suited(settings.search, routing, model=bool(set_name(settings.language.of("ask"))))
        if k is None:
            k = routing.suggested.k[1] if routing.suggested else own.k
        settings = replace(settings, search=own)
        asked = [query, *(replace(query, text=part, words=part, soft=part) for part in routing.parts)]
        found = [self._searched(one, k, filters, settings, use, prefer) for one in asked]
        first = found[0]
        if routing.parts:
            retriever = self._retriever(settings, use, reranked=False)
            papers = (hit.paper for result in found for hit in result.hits)
            first = merged(found, k, nearness(retriever, query.words, papers))
        return replace(first, routing=routing, note=" ".join(part for part in (first.note, note) if part))

    def _searched(
        self,
        query: Query,
        k: int,
        filters: Filters,
        settings: Settings,
        use: Use | Literal[""],
        prefer: Sequence[str],
    ) -> SearchResult:
        from conspectus.search.search import search, too_few

        if k < 1:
            raise too_few(k)  # before a model is asked to write
        retriever = self._retriever(settings, use, prefer)
        if settings.search.expand not in ("hyde", "rephrase") or not query.words:
            return search(retriever, query, k, filters)
        written, models = self._written(retriever, query, filters, settings)
        found = search(replace(retriever, expansions=written), query, k, filters)
        return replace(found, models=(*found.models, *models))

    def _for_a_search(self, values: Mapping[str, Any]) -> Settings:
        for key in values:
            if not key.startswith(OF_A_SEARCH) and key != "model":
                raise UsageError(
                    f"'{key}' cannot be set for one search.",
                    f"These can: {', '.join(group + '…' for group in OF_A_SEARCH)}. Others: Library(…, settings=…).",
                )
        return self.settings.changed(values) if values else self.settings

    def _written(
        self, retriever: Retriever, query: Query, filters: Filters, settings: Settings
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a language model writes for the question, and the names of the models that wrote."""
        from conspectus.answer.expanding import PROMPTS, expansions, near

        self._chosen(settings).of("ask")  # a setting that is wrong is told before anything is searched
        shown = near(retriever, query, filters)

        async def job(put: Callable[[tuple[tuple[str, ...], tuple[str, ...]]], None]) -> None:
            async with self._keeping(settings) as client:
                await client.prepare(("ask",), [PROMPTS[settings.search.expand]])
                put((await expansions(client, query.words, settings.search, shown), client.names()))

        (found,) = self._engine.events(job)
        return found

    def count(self, words: str = "", filters: Filters | None = None, *, plain: bool = False) -> WordCount:
        """How many papers have a passage with all of the words, in any of their forms; exact, by the words alone.

        A passage counts with its paper's title and its section's heading; summaries do not count. Without words: the
        papers that pass the filters. `words` may have signs as in `search`.

        Raises:
            UsageError: there is a mistake in the signs, or none of the words can be looked for.
        """
        from conspectus.search import syntax
        from conspectus.search.count import count

        asked = syntax.plain(words) if plain else syntax.parse(words)
        return count(self._retriever(use="raw", reranked=False), asked, filters or Filters())

    def similar(
        self,
        names: str | Sequence[str] = (),
        *,
        text: str | None = None,
        k: int | None = None,
        filters: Filters | None = None,
    ) -> SearchResult:
        """The k papers nearest in meaning to papers of the library, or to a text (F16).

        Of several papers it is the mean of their vectors that others are compared with; they themselves are left out.

        Args:
            names: one paper or several, by any names.
            text: instead of them, or beside them.
            k: how many; None: as the setting `search.k` says.
            filters: which papers and kinds of text.

        Raises:
            UsageError: nothing to compare with, or a text that is longer than `BOUNDS.query`.
            NotFoundError: no paper, or more than one, is called so.
        """
        from conspectus.search import syntax
        from conspectus.search.search import similar

        text = None if text is None else syntax.asked(text, "text")
        papers = [self.paper(name) for name in ([names] if isinstance(names, str) else names)]
        if not papers and text is None:
            raise UsageError(
                "There is nothing to compare with.", "Give papers or a text: conspectus similar PAPER… | --text TEXT"
            )
        count = self.settings.search.k if k is None else k
        return similar(self._retriever(reranked=False), papers, text, count, filters or Filters())
