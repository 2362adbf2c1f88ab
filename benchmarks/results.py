"""Results of benchmarks: one small JSON file each under `results`; `report.py` makes the table of `README.md` of them.

A script calls `store_figures` with its headline figures when it has run as its command says. A file that was taken
over from an earlier README has `from`, which says which section, instead of a commit and a date.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent / "results"
TOPICS = {
    "retrieval": "Retrieval and kinds of questions",
    "answers": "Answers",
    "parsing": "Reading files",
    "figures": "Figures and images",
    "graph": "Vocabularies and the graph",
    "map": "The map",
    "review": "Reviews",
    "speed": "Speed, scale and survival",
}
"""The topics in the order of the table; each has a page of its name beside the README."""


class Figure(NamedTuple):
    """A headline figure: what was measured, its value, the limit it has to meet, and peers in the same run."""

    what: str
    value: str
    limit: str = ""
    peer: str = ""


def join_figures(name: str, figures: Sequence[Figure]) -> Figure:
    """Figures of one kind as one row of the table."""
    whats, values, limits, peers = (
        "; ".join(dict.fromkeys(filter(None, (getattr(figure, field) for figure in figures))))
        for field in Figure._fields
    )
    return Figure(f"{name}: {whats}", values, limits, peers)


def store_figures(benchmark: str, topic: str, command: str, figures: Sequence[Figure], note: str = "") -> Path:
    """Write the figures of a benchmark, with the commit (`+`: with changes) and the date."""
    assert topic in TOPICS, topic
    rows = [{name: value for name, value in figure._asdict().items() if value} for figure in figures]
    result = {"benchmark": benchmark, "topic": topic, "command": command, "date": _today(), "commit": _commit()}
    if note:
        result["note"] = note
    path = FOLDER / f"{benchmark}.json"
    path.write_text(json.dumps(result | {"figures": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _commit() -> str:
    commit, changes = (_git("rev-parse", "--short=10", "HEAD"), _git("status", "--porcelain", "--untracked-files=no"))
    return commit + ("+" if changes else "")


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(FOLDER), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
