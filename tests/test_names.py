"""Names that a stranger can guess: no bare participles, no public class twice, no module named by an activity."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conspectus import __file__ as package

ROOT = Path(package).parent
ANYWHERE = set(
    "told said found made kept named shown asked wanted given held beside whole begun seen called meant anew "
    "apart".split()
)
"""No part of a name: they say that something was done, not what to do or what there is."""
ALONE = ANYWHERE | set(
    "own one some other others known taken left gone put few many again together where what when why there now brought "
    "written stated judged counted gathered".split()
)
"""No name by themselves."""
VARIABLES = set("told said found made kept shown wanted held beside one".split())
"""No name of a variable."""
PREDICATES = {"is", "has", "can"}
NOUNS = {"feed", "pubmed", "spelling"}
"""Modules that end like an activity and are nouns."""


def test_functions_and_classes_say_what_they_are() -> None:
    assert sorted(_stopped_names()) == []


def test_variables_say_what_they_are() -> None:
    """`for paper in papers`, not `for one in found`. Fields and options keep their names, which are JSON's."""
    assert sorted(_stopped_variables()) == []


def test_no_public_class_has_two_homes() -> None:
    assert sorted(_classes_of_two_homes()) == []


def test_modules_are_nouns() -> None:
    assert sorted(_activities()) == []


def _stopped_names() -> set[str]:
    return {f"{module} {name}" for module, name, _ in _definitions() if _is_stopped(name)}


def _stopped_variables() -> set[str]:
    names = set[str]()
    for module, tree in _trees().items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                stored = (node for node in ast.walk(function) if isinstance(node, ast.Name))
                names |= {
                    f"{module}:{node.lineno} {node.id}"
                    for node in stored
                    if isinstance(node.ctx, ast.Store) and node.id in VARIABLES
                }
    return names


def _classes_of_two_homes() -> set[str]:
    homes = defaultdict(set)
    for module, name, is_class in _definitions():
        if is_class and not name.startswith("_"):
            homes[name].add(module)
    return {f"class {name}" for name, modules in homes.items() if len(modules) > 1}


def _activities() -> set[str]:
    return {module for module in _trees() if _is_activity(Path(module).stem)}


def _is_stopped(name: str) -> bool:
    words = name.strip("_").lower().split("_")
    return (len(words) == 1 and words[0] in ALONE) or (words[0] not in PREDICATES and not ANYWHERE.isdisjoint(words))


def _is_activity(stem: str) -> bool:
    last = stem.rsplit("_", 1)[-1]
    return last in ALONE or (last.endswith(("ing", "ed")) and stem not in NOUNS)


def _definitions() -> Iterator[tuple[str, str, bool]]:
    for module, tree in _trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield module, node.name, isinstance(node, ast.ClassDef)


@cache
def _trees() -> dict[str, ast.Module]:
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_bytes()) for path in sorted(ROOT.rglob("*.py"))}


def test_no_test_module_has_the_name_of_another() -> None:
    """Run together, one of the two could not be collected."""
    named = defaultdict(list)
    for path in Path(__file__).parent.rglob("test_*.py"):
        named[path.name].append(path)
    assert [paths for paths in named.values() if len(paths) > 1] == []
