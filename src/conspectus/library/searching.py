"""Find figures and tables by their captions and by the passages that mention them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.papers.retriever import make_retriever
from conspectus.records import FigureResult, Filters
from conspectus.records.figures import Shown, check_kinds
from conspectus.session.session import Session


def figures(
    session: Session,
    query: str = "",
    k: int | None = None,
    filters: Filters | None = None,
    *,
    kinds: Sequence[Shown] = (),
    plain: bool = False,
) -> FigureResult:
    """The k figures and tables whose captions, and the passages that speak of them, fit words or a question best.

    Args:
        query: with signs as in `search`; without words the figures of the newest papers that pass.
        k: how many; None: as the setting `search.k` says.
        filters: which papers; no kind of passage.
        kinds: of what they are called (`figure`, `table`), or show, where it was looked at (`plot` …); none: all.
        plain: take all signs of the query for text.

    Raises:
        UsageError: a mistake in the query's signs, k is below 1, a kind that there is not, or a kind of passage.
    """
    from conspectus.figures.finding import find
    from conspectus.library.likening import in_pictures
    from conspectus.search import query_syntax

    check_kinds(kinds)
    query = query_syntax.check_query(query)
    asked = query_syntax.plain_query(query) if plain else query_syntax.parse_query(query)
    found_by = make_retriever(session, "raw", reranked=False)
    seen, note = in_pictures(session, asked.words)
    found_by = replace(found_by, note=" ".join(filter(None, (found_by.note, note))))
    with session.parts.searching:
        return find(found_by, asked, session.settings.search.k if k is None else k, filters or Filters(), kinds, seen)
