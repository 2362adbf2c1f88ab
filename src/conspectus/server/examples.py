"""Examples of what is answered, as a server gave them: `examples.json`, a body for each schema of an answer.

Of files that are text it has the beginning, by path and type.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("examples.json")


def put_into(document: dict[str, Any]) -> None:
    """Put an example beside the schema of each answer that has one."""
    known = json.loads(FILE.read_text("utf-8"))
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                for kind, told in answer.get("content", {}).items():
                    name = told.get("schema", {}).get("$ref", "").rpartition("/")[2] or of_file(path, kind)
                    if status.startswith("2") and name in known:
                        told["example"] = known[name]


def of_file(path: str, kind: str) -> str:
    """What a file's example is called, by the path of its route and its type."""
    return f"{path} {kind.partition(';')[0]}"
