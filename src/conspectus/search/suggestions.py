"""Which settings suit which question: pathfinder's Table 1, and how its rows are put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from conspectus.records import QuestionFlag, QuestionKind, Suggestion

ON, OFF = True, False


class Row(NamedTuple):
    """A row of Table 1. `agent` is its column "Gen. Method": ReAct is ON, RAG is OFF, "-" is None."""

    low: int
    high: int
    keywords: bool
    recency: bool
    citations: bool
    expand: bool
    rerank: bool
    agent: bool | None


# pathfinder, Table 1: top-k, weights for keywords, time and citations, "hyde" and "cohere" of its column "Retr. Method"
KIND_ROWS: Mapping[QuestionKind, Row] = {
    #                    top-k   keyw. time cite hyde rerank agent
    "single-paper": Row(1, 5, ON, ON, OFF, ON, ON, OFF),
    "multi-paper": Row(7, 10, ON, ON, ON, ON, ON, OFF),
    "consensus": Row(15, 20, ON, OFF, ON, ON, OFF, OFF),
    "what-if": Row(10, 15, ON, ON, OFF, ON, OFF, ON),
    "compositional": Row(10, 15, ON, OFF, ON, ON, ON, ON),
}
FLAG_ROWS: Mapping[QuestionFlag, Row] = {
    "named-entity": Row(5, 7, ON, OFF, OFF, ON, OFF, None),
    "jargon": Row(7, 10, ON, ON, ON, ON, ON, None),
    "bibliometric": Row(10, 15, ON, OFF, ON, OFF, OFF, None),
    "time-sensitive": Row(5, 7, OFF, ON, OFF, ON, OFF, OFF),
}


def suggest(kind: QuestionKind, flags: Collection[QuestionFlag]) -> Suggestion | None:
    """The settings for a kind with flags; None for an unclassified question, of which Table 1 says nothing.

    Table 1 does not say how rows go together. Here the kind's row holds, and:

    1. a flag switches on what its own row has on, but for jargon, whose weights (recency, citations) say nothing that
       the kind does not say better: its row adds keywords, expansion and reranking only;
    2. a time-sensitive question is searched without citations, which new papers do not have yet, but where it asks for
       papers or citations itself (bibliometric);
    3. a bibliometric question is searched as it stands (no expansion, no reranking: a hypothetical abstract answers it
       no better), and for at least as many papers as its row has: a list is wanted;
    4. how many papers and whether an agent is asked is else the kind's affair.
    """
    row = KIND_ROWS.get(kind)
    if row is None:
        return None
    rows = [FLAG_ROWS[flag] for flag in flags]
    weights = [row, *(FLAG_ROWS[flag] for flag in flags if flag != "jargon")]
    listing, timely = "bibliometric" in flags, "time-sensitive" in flags
    least = FLAG_ROWS["bibliometric"]
    return Suggestion(
        k=(max(row.low, least.low), max(row.high, least.high)) if listing else (row.low, row.high),
        keywords=any(one.keywords for one in (row, *rows)),
        recency=any(one.recency for one in weights),
        citations=(listing or not timely) and any(one.citations for one in weights),
        expand=not listing and any(one.expand for one in (row, *rows)),
        rerank=not listing and any(one.rerank for one in (row, *rows)),
        agent=bool(row.agent),
    )
