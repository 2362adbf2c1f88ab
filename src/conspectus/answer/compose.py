"""Statements from what a model wrote: citations by code, and a verdict on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from conspectus.answer.prose import prose
from conspectus.answer.statement_checks import Judge, case_of
from conspectus.answer.write import Claim, sentences
from conspectus.core.errors import BudgetError, UnavailableError
from conspectus.core.groups import grouped
from conspectus.records import Citation, Evidence, Passage, Statement

NOT_JUDGED = (
    "Nobody judged whether the sentences support the statements: only numbers with units, identifiers and quotations "
    "were compared."
)


def make_statements(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Statement, ...]:
    """Claims as statements that cite the sentences of their evidence; not yet checked."""
    known = sentences(evidence)
    return tuple(
        Statement(
            " ".join(claim.text.split()),
            "unchecked",
            citations([replace(item, spans=(span,)) for item, span in (known[name] for name in claim.evidence)]),
            evidence=tuple(claim.evidence),
        )
        for claim in claims
    )


def citations(evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """One citation for each passage, its sentences in their order."""
    of_passage = grouped((item.passage_id, item) for item in evidence)
    return tuple(_citation(items) for items in of_passage.values())


def _citation(items: Sequence[Evidence]) -> Citation:
    first = items[0]
    spans = sorted({span.id: span for item in items for span in item.spans}.values(), key=lambda span: span.start)
    return Citation(first.paper, first.passage_id, tuple(spans), " … ".join(span.text for span in spans), first.label)


def quote_closest(evidence: Sequence[Evidence]) -> str:
    """What a refusal may state of a paper: the first sentence of the most relevant evidence, quoted and cited."""
    if not evidence:
        return ""
    best = replace(evidence[0], spans=evidence[0].spans[:1])
    (citation,) = citations([best])
    return f" The closest evidence: {prose([Statement(citation.quote, 'quoted', (citation,))])}"


async def checked(
    statements: Sequence[Statement],
    passages: Mapping[str, Passage],
    judge: Judge | None,
    note: Callable[[str], None],
) -> tuple[Statement, ...]:
    """The statements with a verdict on each.

    Args:
        statements: not yet checked.
        passages: those that the cited sentences stand in, by id.
        judge: whose verdicts stand; None: only what is certain is said.
        note: told why nobody judged, where nobody did.
    """
    if not statements:
        return ()
    cases = [case_of(item, passages) for item in statements]
    verdicts = [case.mechanical for case in cases]
    try:
        if judge is not None:
            verdicts = await judge.verdicts(cases, passages)
            unsettled = sum(verdict.status == "unchecked" for verdict in verdicts)
            if unsettled:
                note(f"{unsettled} of {len(cases)} statements could not be checked.")
        else:
            note(NOT_JUDGED)
    except (UnavailableError, BudgetError) as error:
        note(f"The statements were checked mechanically only: {error.message}")
    return tuple(
        replace(item, status=verdict.status, why=verdict.why)
        for item, verdict in zip(statements, verdicts, strict=True)
    )
