"""What benchmarks take of the program is there: nobody runs them with each change."""

import ast
import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def is_there(module: str, name: str) -> bool:
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


@pytest.mark.slow
def test_what_they_import_is_there() -> None:
    """A benchmark would fail when somebody runs it for the next release."""
    wanted = {
        (node.module, alias.name)
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "conspectus"
        for alias in node.names
    }
    assert [one for one in wanted if not is_there(*one)] == []  # type: ignore[arg-type]
