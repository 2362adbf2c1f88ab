"""The table of the numbers by which the PDF reader decides."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from pathlib import Path

import pytest

import conspectus.parse.pdf as pdf
from conspectus.parse.pdf import thresholds

FOLDER = Path(pdf.__file__).parent
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RECORDS = {name: value for name, value in vars(thresholds).items() if name.isupper()}
PLAIN = {0.0, 0.5, 1.0, 2.0, 1e-6}
"""Nothing, halves, wholes, doubles, and what keeps divisors from being nothing."""
OF_THEIR_OWN = {
    "page_text.py": {0.76, 0.24},  # what a font is, not where a decision is made
    "page_objects.py": {0.299, 0.587, 0.114},
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_no_number_decides_outside_the_table(path: Path) -> None:
    """Otherwise nobody who wants a layout read better finds what to move, or what else it moves."""
    if path.name in ("thresholds.py", "page_images.py"):  # the latter draws, and reads nothing
        return
    found = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)]
    numbers = {(node.value, node.lineno) for node in found if isinstance(node.value, float)}
    bare = {one for one in numbers if one[0] not in PLAIN | OF_THEIR_OWN.get(path.name, set())}
    assert not bare, f"{path.name}: {sorted(bare, key=lambda one: one[1])}: a number and its line"


@pytest.mark.parametrize("name", RECORDS)
def test_each_threshold_has_a_unit_a_reason_and_a_benchmark(name: str) -> None:
    """A number without them is moved by guessing."""
    record = RECORDS[name]
    text = Path(thresholds.__file__).read_text("utf-8")
    hints = typing.get_type_hints(type(record), include_extras=True)
    for field in dataclasses.fields(record):
        assert typing.get_args(hints[field.name])[1], field.name
        assert re.search(rf"^    {field.name}: .+ = [\d.]+  # \w.+$", text, re.M), field.name
    scripts = re.findall(r"`(\w+\.py)`", type(record).__doc__ or "")
    assert scripts
    assert all((BENCHMARKS / script).is_file() for script in scripts)


@pytest.mark.parametrize("name", RECORDS)
def test_the_table_holds_only_what_is_used_and_cannot_be_changed(name: str) -> None:
    """A number that nothing reads would be moved without any effect."""
    used = {
        node.attr
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    fields = [field.name for field in dataclasses.fields(RECORDS[name])]
    assert set(fields) == used
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(RECORDS[name], fields[0], 1.0)
