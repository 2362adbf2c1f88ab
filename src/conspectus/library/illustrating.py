"""The figures that an answer rests on, told with each that is shown."""

from __future__ import annotations

from dataclasses import replace

from conspectus.library.session import Session
from conspectus.records import Answer


def illustrated(session: Session, answer: Answer) -> Answer:
    """The answer with the figures that its citations rest on."""
    from conspectus.figures.cited import cited_figures

    cited = [citation for statement in answer.statements for citation in statement.citations]
    return replace(answer, figures=cited_figures(session.catalog, cited)) if cited else answer
