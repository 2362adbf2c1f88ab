"""Output of the program made comparable between runs and machines, and the files it is compared with."""

import json
import math
import os
import re
from difflib import unified_diff
from pathlib import Path
from typing import Any

from conspectus.core.version import __version__

FILES = Path(__file__).parent / "files"
WIDTH = 116
"""Values that contain no other objects are written on one line up to this many characters."""
RELATIVE, ABSOLUTE = 2e-3, 2e-3
"""Floats this close are equal: other processors add in another order."""
NUMBERS = {"took", "seconds", "model_seconds", "saved", "megabytes", "mtime_ns", "cost"}
"""Fields whose numbers depend on the machine or the moment: written as 0."""
MACHINE_CHECKS = {"versions", "private", "drive", "disk"}
"""Checks of `doctor` whose details depend on the machine."""
HIDDEN = {"environment", "space"}
"""Fields that depend on the machine as a whole: written as null."""
SUBSTITUTIONS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"\b20[2-9]\d-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b\d+\.\d+ (s|MB)\b"), r"0 \1"),
    (re.compile(r"\b(ans|con|tag|col|note|hl|job|ev|run|rev|rem)-[0-9a-f]{8,16}\b"), r"\1-ID"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "ID"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"this computer, port \d+"), "this computer, port PORT"),
    (re.compile(r"(base64,)[A-Za-z0-9+/=]{80,}"), r"\1…"),
    (re.compile(rf"\b{re.escape(__version__)}\b"), "VERSION"),
)


def normalise_text(text: str, place: Path) -> str:
    """The text without the folder of this run, times, ports and pictures."""
    text = text.replace(str(place), "PLACE")
    text = text.replace(os.environ["CONSPECTUS_STATE"], "STATE")
    text = re.sub(r"STATE/caches/[0-9a-f]+", "STATE/caches/LIBRARY", text)
    for pattern, replacement in SUBSTITUTIONS:
        text = pattern.sub(replacement, text)
    return text


def normalise(value: Any, place: Path, key: str = "") -> Any:
    """The same of all strings in parsed JSON; durations and sizes are replaced, floats rounded."""
    if key in HIDDEN:
        return None
    match value:
        case {"check": str(check), "detail": str()} if check in MACHINE_CHECKS:
            return {**value, "detail": None}
        case dict():
            return {normalise_text(name, place): normalise(part, place, name) for name, part in value.items()}
        case list():
            return [normalise(part, place) for part in value]
        case str():
            return normalise_text(value, place)
        case int() | float() if key in NUMBERS:
            return 0
        case float():
            return float(f"{value:.4g}")
    return value


def write_json(value: Any, indent: int = 0) -> str:
    """Indented JSON in which short lists and objects stay on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (len(line) + indent <= WIDTH and "{" not in line[1:]):
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [
            f"{pad}{json.dumps(name, ensure_ascii=False)}: {write_json(part, indent + 1)}"
            for name, part in value.items()
        ]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + write_json(part, indent + 1) for part in value) + "\n" + " " * indent + "]"


def is_same(one: Any, other: Any) -> bool:
    """Whether two pieces of JSON are equal; floats need only be close."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(is_same(part, other[name]) for name, part in one.items())
        case list(), list():
            return len(one) == len(other) and all(map(is_same, one, other))
        case (float(), int() | float()) | (int(), float()):
            return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(one) is type(other) and one == other


def check_json(name: str, value: Any, *, update: bool) -> None:
    """Compare with `files/NAME.json`, or write it where it differs."""
    file = FILES / f"{name}.json"
    known = json.loads(file.read_text("utf-8")) if file.exists() else None
    if not is_same(known, value):
        _report(file, write_json(value) + "\n", update=update)


def check_text(name: str, text: str, *, update: bool) -> None:
    """Compare with `files/NAME`, or write it where it differs."""
    file = FILES / name
    if not file.exists() or file.read_text("utf-8") != text:
        _report(file, text, update=update)


def _report(file: Path, text: str, *, update: bool) -> None:
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return
    before = file.read_text("utf-8") if file.exists() else ""
    lines = unified_diff(before.splitlines(), text.splitlines(), str(file.name), "now", lineterm="", n=2)
    message = f"{file.name} differs. If that is intended, run pytest tests/golden --update-golden and review the diff."
    raise AssertionError("\n".join([message, *lines]))
