"""Examples of what is answered, as a server gave them: `examples.json`, a body for each schema of an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("examples.json")


def put_into(document: dict[str, Any]) -> None:
    """Put an example beside the schema of each answer that has one."""
    known = json.loads(FILE.read_text("utf-8"))
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                told = answer.get("content", {}).get("application/json", {})
                name = told.get("schema", {}).get("$ref", "").rpartition("/")[2]
                if status.startswith("2") and name in known:
                    told["example"] = known[name]
