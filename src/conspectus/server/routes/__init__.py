"""The routers, one for each part of the program; a wing adds its own here."""

import inspect

from fastapi import APIRouter

from conspectus.faces.index import group_classes
from conspectus.server.routes import (
    answers,
    care,
    downloads,
    evaluation,
    figures,
    files,
    jobs,
    papers,
)
from conspectus.server.verb_routes import make_router, tag_of

ROUTERS: tuple[APIRouter, ...] = (
    downloads.router,  # before the verbs, one of which takes `/images/{image}`
    figures.router,
    answers.router,
    papers.router,
    files.router,
    jobs.router,
    care.router,
    evaluation.router,
    *(make_router(group) for group in group_classes()),  # the last takes all that begins as its own
)
TAGS = {
    **{tag_of(group): inspect.getdoc(group) or "" for group in group_classes()},
    "figures": "Figures and tables of papers.",
    "answers": "Answers whose every statement is cited, agreement among papers, conversations.",
    "curation": "What users keep: tags, collections, notes, edited fields, feedback.",
    "files": "Adding files, and what became of them.",
    "jobs": "Long work: what runs, what it tells, ending it.",
    "evaluation": "How well the library is searched, measured with questions made of its papers.",
    "care": "How the library is, and looking after it.",
}
"""What the routers' tags mean."""
