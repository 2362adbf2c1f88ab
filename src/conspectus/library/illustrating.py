"""The figures that an answer rests on, told with each that is shown."""

from __future__ import annotations

from dataclasses import replace

from conspectus.library.session import Session
from conspectus.records import Answer


def illustrated(session: Session, answer: Answer) -> Answer:
    """The answer with the figures that its citations rest on, and with what was read in them when it was made."""
    from conspectus.figures.cited import cited_figures
    from conspectus.figures.reading import kept_readings

    cited = [citation for statement in answer.statements for citation in statement.citations]
    figures = cited_figures(session.catalog, cited) if cited else ()
    if not figures:
        return replace(answer, figures=())
    known = {one.figure.id: one.reading for one in answer.figures if one.reading}  # of a turn that is not kept
    read = known or kept_readings(session.catalog, answer.id, {one.figure.id: one.figure for one in figures})
    return replace(answer, figures=tuple(replace(one, reading=read.get(one.figure.id)) for one in figures))
