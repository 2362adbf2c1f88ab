"""The routers, one for each part of the program; a wing adds its own here."""

from fastapi import APIRouter

from conspectus.server.routes import answers, care, files, finding, jobs, papers

ROUTERS: tuple[APIRouter, ...] = (finding.router, answers.router, papers.router, files.router, jobs.router, care.router)
