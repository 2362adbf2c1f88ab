"""Names that a stranger can guess: no bare participles, no public class twice, no module named by an activity."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conspectus import __file__ as package

ROOT = Path(package).parent
PAGE = Path(__file__).parents[1] / "web" / "src"
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
PAGE_NOUNS = set(
    "feed routing finding screening ranking drawing steering setting loading heading reading binding".split()
)
"""Words of the page that end like an activity and are nouns."""
PROTOCOLS = {"beside", "where", "put", "_put", "connection_made"}
"""Methods of protocols, of plug-ins and of asyncio, and a verb that looks like a participle."""
LIBRARY = {"parsed", "summarised"}
"""Methods of a library that programs of others call."""
DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|type|interface|class) (\w+)", re.MULTILINE)
SHARED = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


def test_functions_and_classes_say_what_they_are() -> None:
    assert sorted(_stopped_names()) == []


def test_variables_say_what_they_are() -> None:
    """`for paper in papers`, not `for one in found`. Fields and options keep their names, which are JSON's."""
    assert sorted(_stopped_variables()) == []


def test_methods_say_what_they_do() -> None:
    """A reader of `session.listed()` would have to look up what is listed, and whether anything is done."""
    assert sorted(_stopped_methods()) == []


def test_the_page_says_what_its_parts_are() -> None:
    """Functions, types and files of the page; whoever adds to it finds things by their names."""
    assert sorted(_stopped_in_page()) == []


def test_names_that_tests_share_say_what_they_are() -> None:
    """Whoever writes a test finds the helpers of others by their names."""
    assert sorted(_stopped_helpers()) == []


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


def _stopped_methods() -> set[str]:
    names = set[str]()
    for module, tree in _trees().items():
        if module.startswith(("testing/", "store/vectors")):
            continue
        for owner in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for method in (node for node in owner.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
                if _is_stopped_method(method) and method.name not in LIBRARY:
                    names.add(f"{module} {owner.name}.{method.name}")
    return names


def _is_stopped_method(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = " ".join(ast.unparse(decorator) for decorator in method.decorator_list)
    if method.name in PROTOCOLS or "verb" in decorators:
        return False
    is_participle = re.fullmatch(r"_*[a-z]{3,}ed", method.name) and not method.name.endswith("embed")
    return _is_stopped(method.name) or (bool(is_participle) and "property" not in decorators)


def _stopped_in_page() -> set[str]:
    names = set[str]()
    for path in sorted(PAGE.rglob("*.ts*")):
        if path.name == "schema.d.ts":
            continue
        place = path.relative_to(PAGE).as_posix()
        names |= {f"{place} {name}" for name in DECLARATION.findall(path.read_text()) if _is_stopped_in_page(name)}
        names |= {place} if _is_stopped_in_page(path.name.split(".")[0]) else set()
    return names


def _is_stopped_in_page(name: str) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
    words = words[1:] if words[0] == "use" and len(words) > 1 else words
    is_activity = len(words) == 1 and words[0] not in PAGE_NOUNS and re.fullmatch(r"[a-z]{2,}(ed|ing)", words[0])
    return bool(is_activity) or _is_stopped("_".join(words))


def _stopped_helpers() -> set[str]:
    names = set[str]()
    for folder in (Path(__file__).parent, Path(__file__).parents[1] / "benchmarks"):
        texts = {path: path.read_text() for path in folder.rglob("*.py")}
        imported = {
            (module.rsplit(".", 1)[-1], name)
            for text in texts.values()
            for module, some in SHARED.findall(text)
            for name in re.findall(r"\w+", some)
        }
        for path, text in texts.items():
            if path.name.startswith("test_"):
                continue
            for name in re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE):
                if (path.stem, name) in imported and (re.fullmatch(r"[a-z]{3,}ed", name) or _is_stopped(name)):
                    names.add(f"{path.name} {name}")
    return names


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
