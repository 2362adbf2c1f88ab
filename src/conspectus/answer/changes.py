"""What has changed between two answers to one question."""

from __future__ import annotations

from collections.abc import Iterable

from conspectus.records import Answer, Paper, Rerun, Statement


def compared(before: Answer, after: Answer) -> Rerun:
    """Both answers, with the statements and sources that only one of them has."""
    old, new = _statements(before), _statements(after)
    old_papers, new_papers = _papers(before), _papers(after)
    return Rerun(
        before,
        after,
        tuple(statement for words, statement in new.items() if words not in old),
        tuple(statement for words, statement in old.items() if words not in new),
        _without(new_papers, old_papers),
        _without(old_papers, new_papers),
    )


def _statements(answer: Answer) -> dict[str, Statement]:
    """The statements by their words; queries count as statements."""
    queries = [Statement(f"{service}: {query}", "unchecked", ()) for service, query in answer.queries.items()]
    return {" ".join(statement.text.casefold().split()): statement for statement in (*answer.statements, *queries)}


def _papers(answer: Answer) -> dict[str, Paper]:
    return {cited.paper.id: cited.paper for statement in answer.statements for cited in statement.citations}


def _without(papers: dict[str, Paper], others: Iterable[str]) -> tuple[Paper, ...]:
    return tuple(paper for name, paper in papers.items() if name not in set(others))
