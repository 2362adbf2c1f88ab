"""What `faults.py` holds against a command that failed: how it was told, and what is left of the library."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults_world import run_program
from kills import ALLOWED, WORDS


@dataclass(frozen=True)
class Case:
    """A command, the library before it, and what is put beside it."""

    name: str
    before: str
    words: tuple[str, ...]
    mixed: bool = False
    """While a file is exchanged for a new edition, its papers are made of both."""


def holdings(library: Path) -> dict[str, list[str]]:
    """Each paper with its passages; a paper that is there twice has them twice."""
    from conspectus import Library
    from conspectus.core.errors import NotFoundError

    found: dict[str, list[str]] = {}
    try:
        with Library(library, create=False) as opened:
            for paper in opened.papers():
                found.setdefault(paper.external_id, []).extend(p.text for p in opened.passages(paper.id))
    except NotFoundError:
        pass
    return found


def state(library: Path) -> list[Any]:
    """What the library holds and finds."""
    from conspectus import Library

    with Library(library) as opened:
        return [
            holdings(library),
            [[hit.paper.external_id for hit in opened.search(word, k=5).hits] for word in WORDS[:4]],
        ]


def troubles(library: Path, *words: str) -> list[str]:
    """What `doctor` finds, by check."""
    _, out, err = run_program(library, "doctor", *words)
    if not out.strip():
        return [] if "NotFoundError" in err else [f"doctor: {err.strip()}"]
    return [f"{found['check']}: {found['detail']}" for found in json.loads(out)["findings"] if not found["ok"]]


def check_backups(folder: Path) -> list[str]:
    """What is wrong with the backups in a folder."""
    from conspectus import Library
    from conspectus.core.errors import ConspectusError

    wrong = []
    for path in folder.rglob("*.zip"):
        with tempfile.TemporaryDirectory() as name:
            os.environ.pop("CONSPECTUS_CATALOG_URL", None)
            try:
                with Library(name) as library:
                    library.restore(path)
                    if not library.counts()["papers"]:
                        wrong.append(f"{path.name} is empty")
            except ConspectusError as error:
                wrong.append(f"{path.name}: {error}")
    return wrong


def check_messages(code: int, out: str, err: str) -> str:
    """What is wrong with how a command ended; "" where nothing is."""
    import conspectus.core.errors as known

    if code < 0:
        return f"ended by signal {-code}"
    for sign in ("Traceback", "panicked", "should not", "Exception ignored"):
        if sign in out + err:
            return f"{sign}: {err.strip()[-700:]}"
    if not code:
        return f"on standard error: {err.strip()[-300:]}" if err.strip() else ""
    if not err.strip() and out.strip():
        return ""  # files that failed, findings of doctor: judged by the state
    try:
        told = json.loads(err)["error"]
    except (ValueError, KeyError):
        return f"not one error: {err.strip()[-500:]}"
    if not hasattr(known, told["type"]) or not told["hint"] or "'" not in told["message"]:
        return f"not a clear error: {told}"
    return ""


def check_library(
    case: Case, found: dict[str, Any], code: int, begun: dict[str, Any], wanted: list[Any]
) -> Iterator[str]:
    """What is wrong with the library after a fault."""
    if "crash" in found:
        yield found["crash"]
        return
    middle, before, goal = found["middle"], begun["papers"], wanted[0]
    for paper in {*before, *goal, *middle}:
        allowed = [place.get(paper) for place in (before, goal)]
        mixed = case.mixed and middle.get(paper) and len(set(middle[paper])) == len(middle[paper])
        if middle.get(paper) not in allowed and not mixed:
            yield f"{paper} is neither as it was nor as it is to be, after the fault"
    fine = ALLOWED | set(begun["ill"]) if code else ALLOWED - {"files read"}
    yield from (f"after the fault, {trouble}" for trouble in found["doctor"] if trouble.split(":")[0] not in fine)
    if code and found["again"][0]:
        gone = "There is no paper" in found["again"][2]  # removed before the fault
        if gone:  # and those named after it are still there, as the message says
            return
        yield f"the same command: {found['again'][1][-300:]} {found['again'][2].strip()[-400:]}"
    yield from (f"in the end, {trouble}" for trouble in found["fixed"] if not trouble.startswith("disk:"))
    if found["end"] != wanted:
        yield "in the end, papers, passages or hits are not those of a run without a fault" + (
            "" if code else ", though it exited 0"
        )
    yield from (f"backup {trouble}" for trouble in found["backups"])
