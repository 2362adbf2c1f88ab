"""Where a result comes from: the library as it was, the program and its versions, the settings in effect."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from conspectus.catalog.schema import SUMMARY, papers, passages
from conspectus.core.version import __version__
from conspectus.core.versions import running
from conspectus.evals.records import Environment, Scalar, Snapshot
from conspectus.settings import KEYS, Secret, Settings

if TYPE_CHECKING:
    from conspectus.library import Library

_CHECKOUT = Path(__file__).resolve().parents[3]


def snapshot(library: Library) -> Snapshot:
    """The library at this moment. Summaries do not count as content: they say nothing of their own."""
    with library.session.catalog.snapshot() as catalog:
        digest = blake2b(digest_size=8)
        counts = catalog.counts()
        for row in catalog.rows(select(papers.c.id, papers.c.title).order_by(papers.c.id)):
            digest.update(f"{row.id}\0{row.title}\0".encode())
        own = select(passages.c.id).where(passages.c.kind != SUMMARY).order_by(passages.c.id)
        for row in catalog.rows(own):
            digest.update(f"{row.id}\0".encode())
        return Snapshot(str(library.folder), counts["papers"], counts["passages"], catalog.change(), digest.hexdigest())


def effective(settings: Settings) -> dict[str, Scalar]:
    """Every setting as it is in effect, secrets left out."""
    return {key: settings.get(key) for key, spec in KEYS.items() if spec.type is not Secret}


@cache
def environment() -> Environment:
    """The program's version, its git revision where it runs from a checkout, and versions of what it runs on."""
    return Environment(__version__, _revision(), running())


def _revision() -> str:
    """`8503b03…`, with `+` behind it where files are changed; "" where this is no checkout or git is not there."""
    git = shutil.which("git")
    if git is None or not (_CHECKOUT / ".git").exists():
        return ""
    said = [_git(git, "rev-parse", "HEAD"), _git(git, "status", "--porcelain", "--untracked-files=no")]
    return f"{said[0]}{'+' if said[1] else ''}" if said[0] else ""


def _git(git: str, *words: str) -> str:
    command = [git, "-C", str(_CHECKOUT), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - ours
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
