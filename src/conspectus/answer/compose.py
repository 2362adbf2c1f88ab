"""Statements from what a model wrote: citations by code, and a verdict on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from conspectus.answer.caller import Caller
from conspectus.answer.checking import judged, mechanically, together
from conspectus.answer.write import Claim
from conspectus.errors import BudgetError, ServiceError
from conspectus.records import Citation, Evidence, Statement


def stated(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Statement, ...]:
    """Claims as statements that cite the sentences of their evidence; not yet checked."""
    by_id = {item.id: item for item in evidence}
    return tuple(
        Statement(
            " ".join(claim.text.split()),
            "unchecked",
            citations([by_id[name] for name in claim.evidence]),
            evidence=tuple(claim.evidence),
        )
        for claim in claims
    )


def citations(evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """One citation for each passage, its sentences in their order."""
    of_passage: dict[str, list[Evidence]] = {}
    for item in evidence:
        of_passage.setdefault(item.passage_id, []).append(item)
    return tuple(_citation(items) for items in of_passage.values())


def _citation(items: Sequence[Evidence]) -> Citation:
    first = items[0]
    spans = sorted({span.id: span for item in items for span in item.spans}.values(), key=lambda span: span.start)
    return Citation(first.paper, first.passage_id, tuple(spans), " … ".join(span.text for span in spans), first.label)


async def checked(
    statements: Sequence[Statement],
    passages: Mapping[str, str],
    caller: Caller | None,
    note: Callable[[str], None],
) -> tuple[Statement, ...]:
    """The statements with a verdict on each.

    Args:
        statements: not yet checked.
        passages: the texts of the passages cited, by id.
        caller: whose judge is asked; None: only what can be said mechanically.
        note: told why the judge said nothing, where that went wrong.
    """
    if not statements:
        return ()
    verdicts = [
        mechanically(item, [passages.get(citation.passage_id, "") for citation in item.citations])
        for item in statements
    ]
    if caller is not None:
        try:
            second = await judged(caller, statements)
            verdicts = [together(*pair) for pair in zip(verdicts, second, strict=True)]
        except (ServiceError, BudgetError) as error:
            note(f"The statements were checked mechanically only: {error.message}")
    return tuple(
        replace(item, status=verdict.status, why=verdict.why)
        for item, verdict in zip(statements, verdicts, strict=True)
    )
