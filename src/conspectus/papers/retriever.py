"""The retriever of an open library, made by its settings; and all papers that mention words, without a ranking.

Tags, collections and papers by name are not in the index, so that putting a paper into one does not change it: the
catalog knows their passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.index.protocol import Candidate, SearchIndex, WordHits
from conspectus.records import Filters, Use, normal_name
from conspectus.records.filters import SETS, AllOf, Among, AnyOf, Condition, Not, Passes, all_of, any_of
from conspectus.session.session import Session
from conspectus.store import user_data
from conspectus.store.connection import CatalogReader

if TYPE_CHECKING:
    from conspectus.models.protocol import Reranker
    from conspectus.search.retriever import Retriever


def make_retriever(
    session: Session, use: Use | Literal[""] = "", prefer: Sequence[str] = (), *, reranked: bool = True
) -> Retriever:
    """Make what searches the library; its index is brought up to date first.

    Args:
        session: the library.
        use: instead of the setting `search.use`.
        prefer: keywords that papers are preferred for.
        reranked: False: for what ranks nothing; the reranker that is set need not be there.

    Raises:
        UsageError: a `use` that there is not.
    """
    from conspectus.graph.channel import GraphChannel, NearTies
    from conspectus.graph.mention_finder import unlinked_note
    from conspectus.graph.verdicts import routed
    from conspectus.ingest.index_sync import catch_up, is_synced
    from conspectus.models.static import STATIC
    from conspectus.search.encoded_query import STATIC_WEIGHT, WEIGHED
    from conspectus.search.question_flags import load_everyday_words
    from conspectus.search.retriever import Retriever

    if use and use not in get_args(Use):
        raise UsageError(f"What is searched cannot be '{use}'.", f"`use` is one of {', '.join(get_args(Use))}.")
    note, settings, catalog, index = "", session.settings, session.catalog, session.index
    with session.parts.preparing:  # two threads would open the index twice, and one of them find it being written
        session.check_model()
        embedder = session.embedder  # read once: another process may go over to another model
        if not is_synced(catalog, index, embedder.id):
            note = catch_up(catalog, index, embedder.id, session.folder)
    weighed = settings.search.by_query and not any(f"search.{name}" in settings.origins for name in WEIGHED)
    search_settings = replace(settings.search, use=use or settings.search.use, by_query=weighed)
    if embedder.id == STATIC and "search.dense_weight" not in settings.origins:
        search_settings = replace(search_settings, dense_weight=STATIC_WEIGHT)
    method, only_apart, why = routed(session) if search_settings.graph == "auto" else (search_settings.graph, False, "")
    if method != "no" or search_settings.graph_near_ties:
        note = " ".join(filter(None, (note, unlinked_note(session))))
    return Retriever(
        *(catalog, filter_by_sets(index, catalog), embedder, search_settings, note, tuple(prefer)),
        reranker=_reranker(session) if reranked else None,
        graph=GraphChannel(session, method, only_apart) if method != "no" else None,
        near_ties=NearTies(session) if search_settings.graph_near_ties else None,
        routed=why,
        everyday=partial(load_everyday_words, settings.models.store),
    )


def _reranker(session: Session) -> Reranker | None:
    """The reranker that is set, made once; None: late interaction, or none."""
    from conspectus.models import registry

    settings = session.settings
    name = settings.search.reranker
    if name in session.injected.rerankers:
        return session.injected.rerankers[name]
    kind = registry.parse_reranker(name).kind
    if kind in (registry.LATE, registry.NONE):
        return None
    if kind == registry.JUDGE:
        return session.parts.of(partial(_judge, session), "reranker", name, settings.language, settings.budget)
    return session.parts.of(partial(registry.make_reranker, name, settings.models), "reranker", name)


def _judge(session: Session) -> Reranker:
    from conspectus.answer.model_reranker import judge_reranker

    return judge_reranker(session.loop, session.role_models(), session.prompts, session.catalog, session.settings)


ALL = 2**31


def papers_that_say(session: Session, words: str) -> list[int]:
    """The keys of the papers of which a passage, or the title, has the words as a phrase, or that have the keyword.

    Args:
        words: also a query with signs (`"JWST" OR "James Webb"`), as `search` knows it: what passages have to be.

    Raises:
        UsageError: there is nothing to look for, or a mistake in the signs.
    """
    from conspectus.search import query_syntax
    from conspectus.search.query_syntax import has_words

    query = query_syntax.parse_query(query_syntax.check_query(words))
    if not normal_name(words):
        raise UsageError("There is nothing to look for: the words are empty.", "Give a keyword.")
    if query.where is None:
        if not has_words(words):
            hint = "Very common words such as 'the' do not count. Add other words."
            raise UsageError(f"'{words.strip()}' has no words that can be looked for.", hint)
        phrase = words.replace('"', " ")
        query = query_syntax.parse_query(f'"{phrase}" OR keyword:"{phrase}"')
    with make_retriever(session, "raw", reranked=False).at_one_moment() as retriever:
        hits = retriever.index.newest(ALL, Filters(), query.where)
        return sorted(set(retriever.catalog.papers_of_passages([hit.key for hit in hits]).values()))


_NONE: dict[str, Any] = dict.fromkeys((*SETS, "among"), ())


def filter_by_sets(index: SearchIndex, catalog: CatalogReader) -> SearchIndex:
    """The index, asked for the catalog's tags and collections too."""
    return cast(SearchIndex, _SetAwareIndex(index, catalog))


class _SetAwareIndex:
    """See `SearchIndex`: what has nothing to do with filters is that of the index."""

    def __init__(self, index: SearchIndex, catalog: CatalogReader) -> None:
        self._index = index
        self._catalog = catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def beside(self, owner: str) -> SearchIndex:
        return filter_by_sets(self._index.beside(owner), self._catalog)

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.search_text(query, k, *self._resolve_sets(filters, where))

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        return self._index.search_vector(vector, k, *self._resolve_sets(filters, where))

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.search_exact(query, k, *self._resolve_sets(filters, where))

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.newest(k, *self._resolve_sets(filters, where))

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        return self._index.count(words, *self._resolve_sets(filters, where))

    def _resolve_sets(self, filters: Filters, where: Condition | None) -> tuple[Filters, Condition | None]:
        """The same without tags, collections and names of papers, but for the passages that they have."""
        conjunction = all_of([where and self._adapt_condition(where), *self._among(filters)])
        return replace(filters, **_NONE), conjunction

    def _among(self, filters: Filters) -> Iterator[Among]:
        user_data.check_sets(self._catalog, filters)
        for kind in SETS:
            if names := filters.terms(kind):
                yield Among(user_data.passages_in_sets(self._catalog, kind, names))
        if filters.among:
            yield Among(user_data.passages_among(self._catalog, filters.among))

    def _adapt_condition(self, condition: Condition) -> Condition:
        match condition:
            case Passes(filters):
                left = replace(filters, **_NONE)
                conjunction = all_of([*self._among(filters), Passes(left) if left else None])
                return conjunction or condition
            case Not(part):
                return Not(self._adapt_condition(part))
            case AllOf(parts):
                return all_of(map(self._adapt_condition, parts)) or condition
            case AnyOf(parts):
                return any_of(map(self._adapt_condition, parts))
            case _:
                return condition
