"""Questions made of a library as a file, which `eval answers` and `eval judge` read."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conspectus.core.disk import named
from conspectus.core.errors import InputError
from conspectus.evals.multi_entity import multi_entity
from conspectus.evals.own import Making, questions_of
from conspectus.evals.running import Posed
from conspectus.library import Library


def write_questions(library: Library, path: Path, making: Making, seed: int = 0) -> tuple[Posed, ...]:
    """Write questions as JSON Lines, and return them: those of `questions_of`, or only the multi-entity ones.

    Each line has `question`, `id`, `papers` that answer it, `source` (what it was made of) and `made` (how).

    Raises:
        InputError: the file is there already, or no question can be made.
        UnavailableError, ServiceError: a language model is to ask, and cannot.
        UsageError: the file cannot be written.
    """
    if path.exists():
        raise InputError(f"'{path}' is there already, and is not written over.", "Name another file.")
    if making.multi_entity:
        sets = multi_entity(library, making.count, making.by, seed)
    else:
        sets = questions_of(library, making, seed)
    rows = [
        {
            "question": one.text,
            "id": f"{number}.{one.id}",
            "papers": list(one.relevant),
            "source": one.source,
            "made": posed.about,
        }
        for number, posed in enumerate(sets, 1)
        for one in posed.questions
    ]
    with named(path), path.open("xb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    return sets
