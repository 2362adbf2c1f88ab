"""All regular expressions of the program, and strings made from each that are the worst for it."""

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import conspectus
from conspectus.core.text import LazyPattern
from conspectus.parse.pdf.metadata import _DATE_LABELS
from conspectus.parse.references.files import _KINDS

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
_USE = re.compile(rf"\b(_?[A-Z][A-Z0-9_]+)(?:\[\w+\])?\.({'|'.join(METHODS)})\b")
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_SPREAD = 20
"""A repeat that can go on for less than so long makes nothing slow by itself."""
_MOST_WAYS = 100_000
"""Repeats within or beside each other that can share a text in fewer ways do not either."""
_LOOKS = 8
"""Places of a pattern that look ahead for something, with which strings are made."""
_BRANCHES = 12
"""Alternatives of a repeat that are looked at."""
_FAILING = ("", "\x01", "!", "\n", "a", "0", ")")
_SAMPLE = "a Z0.,;:-'\"()[]{}<>/\\=&*_#@|$^~+!?%\n\té\u0301中α–\x01"


@dataclass(frozen=True, slots=True)
class PatternUse:
    """A pattern, where it stands, and the methods by which it is used there."""

    where: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


def used_patterns() -> Iterator[PatternUse]:
    """Every pattern over text in the package, each once."""
    seen: set[tuple[str, int, tuple[str, ...]]] = set()
    for found in _all():
        key = found.pattern.pattern, found.pattern.flags, found.methods
        if isinstance(found.pattern.pattern, str) and key not in seen:
            seen.add(key)
            yield found


def _all() -> Iterator[PatternUse]:
    modules = [
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(conspectus.__path__, "conspectus.")
        if ".migrations." not in info.name and not info.name.endswith("__main__")
    ]
    uses = _uses([Path(str(module.__file__)) for module in modules])
    for module in modules:
        for name, value in list(vars(module).items()):
            for pattern in _inside(value, 3):
                known = uses.get((str(module.__file__) if name.startswith("_") else "", name), ("search",))
                yield PatternUse(f"{module.__name__}.{name}", pattern, known)
        yield from _within_functions(module)


def _inside(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, LazyPattern):
        yield re.compile(value.pattern, value.flags & ~re.UNICODE)
    elif depth and isinstance(value, Mapping):
        for one in [*value.keys(), *value.values()]:
            yield from _inside(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _inside(one, depth - 1)
    elif depth and type(value).__module__.startswith("conspectus") and hasattr(type(value), "__dataclass_fields__"):
        for name in type(value).__dataclass_fields__:
            yield from _inside(getattr(value, name, None), depth - 1)


def _uses(files: list[Path]) -> dict[tuple[str, str], tuple[str, ...]]:
    """(Module's file, name of a pattern) -> the methods by which it is used; public names also elsewhere."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for file in files:
        for name, method in _USE.findall(file.read_text("utf-8")):
            found.setdefault((str(file) if name.startswith("_") else "", name), {})[method] = None
    return {name: tuple(methods) for name, methods in found.items()}


_NAMES = tuple(f"{first}{last}" for first in ("Mc", "De ", "Ab") for last in ("aa", "ab", "aab", "a b", "b-a", "b.a"))
MADE: dict[str, tuple[dict[str, Any], ...]] = {
    "export.formatted_references._drop_second_title": ({"words": "aaa"}, {"words": r"Grid\ cells"}),
    "review.rank.pair_judge.hide_origin": ({"known": ["Edvard Moser", "aaa a aaa"]},),
    "parse.text.key_phrases.write_out": ({"short": "WBC"}, {"short": "aaa"}),
    "references.comparison._same_year": ({"year": 1999},),
    "graph.extraction.located": (
        {"case": "(?i)", "words": r"a[\s-]++a[\s-]++a"},
        {"case": "", "words": r"CA1[\s-]++cell"},
    ),
    "graph.vocabularies.gold._placed": ({"words": "aaa a aaa"},),
    "lexicon.word_lists._back_pattern": ({"roles": ("thanks", "contributions", "interests")},),
    "library.library_folder.edited": ({"title": "search", "key": "k"},),
    "parse.references.citation_marks.__init__": ({"names_in_text": "|".join(map(re.escape, _NAMES))},),
    "parse.pdf.ligatures._part": ({"key": "Encoding"}, {"key": "FontDescriptor"}),
    "parse.pdf.ligatures.to_unicode": ({},),
    "parse.pdf.metadata._without_names": ({"name": "a|aa"}, {"name": "Holm|Ruiz"}),
    "parse.pdf.metadata.is_banner": ({"name": "journal of moss"}, {"name": "aaa a aaa"}),
    "parse.pdf.metadata._xmp": ({"name": "dc:title"},),
    "parse.pdf.metadata.find_date": tuple({"label": label} for label in _DATE_LABELS),
    "parse.references.files._of_text": tuple({"pattern": pattern} for pattern, _ in _KINDS),
    "parse.bibliography.table.__init__": tuple({"delimiter": sign} for sign in ",;\t|"),
    "parse.markup.latex_files.next": ({"name": "tikzpicture"}, {"name": "verbatim*"}),
    "parse.markup.latex_scanner._keep": ({"name": "aa"},),
    "verify.number_words.__init__": ({"known": {"of": "de|des"}, "single": {"cent", "deux", "deuxieme", "a"}},),
    "parse.markup.latex_scanner.environment": ({"name": "a", "words": ""}, {"name": "table*", "words": "bt|et|eet"}),
}
"""Functions that make patterns of what only they know, and what that may be."""
KEPT = {"answer.requested_kind._asks", "search.question_flags._any_of", "core.text.__getattr__"}
"""Functions whose patterns are found where they are kept."""


def _within_functions(module: Any) -> Iterator[PatternUse]:
    """Patterns that are written where they are used: `re.sub(r"…", …)`; those made at run time by what `MADE` has."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    within = {id(node): function.name for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        receiver, method = node.func.value, node.func.attr
        if not (isinstance(receiver, ast.Name) and receiver.id == "re" and method in (*METHODS, "compile")):
            continue
        if method == "compile" and id(node) not in within:
            continue  # a variable of the module has it
        position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
        flags = next((word.value for word in node.keywords if word.arg == "flags"), None)
        flags = flags or (node.args[position] if len(node.args) > position else None)
        where = f"{module.__name__.removeprefix('conspectus.')}.{within.get(id(node), '')}"
        if where in KEPT:
            continue
        value = _value(flags, vars(module)) if flags else 0
        for text in _texts(node.args[0], vars(module), where):
            methods = ("search", "finditer") if method == "compile" else (method,)
            yield PatternUse(f"{module.__name__}:{node.lineno}", re.compile(text, value), methods)


def _texts(node: ast.expr, known: Mapping[str, Any], where: str) -> Iterator[str]:
    """The pattern that is written there, or those that are made there."""
    try:
        found = [_value(node, known)]
    except NameError:
        assert where in MADE, f"{where} makes a pattern of what only it knows: say in `MADE` of what"
        found = [_value(node, {**known, **local}) for local in MADE[where]]
    for text in found:
        yield text.decode("latin-1") if isinstance(text, bytes) else text


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "pattern", "eval"), dict(known))


def worst_strings(pattern: re.Pattern[str], lengths: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Strings on which a pattern that tries too much would try the most, each in several lengths (about)."""
    given = set()
    for before, repeated, failing in _recipes(pattern):
        share = len(repeated)
        texts = tuple(
            before + "".join(one * (length // share // len(one)) for one in repeated) + failing for length in lengths
        )
        if texts not in given:
            given.add(texts)
            yield texts


def _recipes(pattern: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """What a string begins with, what is repeated in it in turn, and what it ends with."""
    flags = pattern.flags
    tree = parser.parse(pattern.pattern, flags & ~re.DEBUG)
    made = _Made(flags, many=_ways(tree) > _MOST_WAYS)
    made.walk(tree)
    pieces = list(dict.fromkeys((before, atom) for before, atom in made.repeats if atom))
    made.short |= {("", f"{before}{atom}") for before, atom in made.short}
    whole = _example(tree, flags)
    for before, atom in [*pieces, *(("", f"{before}{atom}") for before, atom in pieces), ("", whole)]:
        for failing in ("\x01",) if (before, atom) in made.short else _FAILING:
            if atom:
                yield before, (atom,), failing
                yield "", (atom,), failing
    atoms = list(dict.fromkeys(atom for _, atom in pieces))[:6]
    for first in atoms:
        for second in atoms:
            if first != second:
                yield "", (first, second), "\x01"
                yield "", (first + second,), "\x01"


class _Made:
    """What is repeated in a pattern, and what must stand before it."""

    def __init__(self, flags: int, *, many: bool) -> None:
        self._flags = flags
        self._many = many
        self._ahead = 0
        self.repeats: list[tuple[str, str]] = []
        self.short: set[tuple[str, str]] = set()
        """Those that end soon; one sign behind them is enough."""

    def walk(self, tree: Any, before: str = "") -> None:
        """Takes note of the repeats of `tree`, which stands behind `before`."""
        for at, (op, value) in enumerate(tree):
            if op in _REPEATS:
                _, most, inner = value
                if most > _SPREAD or self._many:
                    atoms = _examples(inner, self._flags)
                    self.repeats += [(before, atom) for atom in atoms]
                    self.short |= {(start, atom) for atom in atoms for start in (before, "") if most <= _SPREAD}
                self.walk(inner, before)
            elif op is sre.SUBPATTERN:
                self.walk(value[3], before)
            elif op is sre.BRANCH:
                for branch in value[1]:
                    self.walk(branch, before)
            elif op is sre.ATOMIC_GROUP:
                self.walk(value, before)
            elif op in (sre.ASSERT, sre.ASSERT_NOT):
                self.walk(value[1], before)
            before += _example([(op, value)], self._flags)
            if op is sre.ASSERT:
                before = self._looked_around(tree[at + 1 :], value, before)

    def _looked_around(self, rest: Any, value: Any, before: str) -> str:
        """What stands before the rest where something must stand behind or ahead of a place."""
        seen = _example(value[1], self._flags)
        if value[0] < 0:
            return before if before.endswith(seen) else before + seen
        if seen and self._ahead < _LOOKS:
            self._ahead += 1
            self.walk(rest, before + seen)
        return before


def _ways(tree: Any) -> int:
    """In how many ways repeats that go on for a short while can share a text, if they all match the same."""
    ways = 1
    for op, value in tree:
        if op in _REPEATS:
            least, most, inner = value
            short = most <= _SPREAD
            ways *= (max(most, 1) if short and least != most else 1) * _ways(inner) ** (most if short else 1)
        elif op is sre.SUBPATTERN:
            ways *= _ways(value[3])
        elif op is sre.BRANCH:
            ways *= max(map(_ways, value[1]))
        ways = min(ways, 2**20)
    return ways


def _examples(tree: Any, flags: int) -> list[str]:
    """Some strings that match: by each alternative, and by several characters of a class."""
    if len(tree) == 1:
        op, value = tree[0]
        if op in (sre.IN, sre.ANY, sre.NOT_LITERAL, sre.CATEGORY):
            return _characters(op, value, flags)[:4]
        if op is sre.SUBPATTERN:
            return _examples(value[3], flags)
        if op is sre.BRANCH:
            return [_example(branch, flags) for branch in value[1]][:_BRANCHES]
    found = [_example(tree, flags)]
    for op, value in tree:  # one with what may be left out
        if op in _REPEATS and value[0] == 0:
            inner = _example(value[2], flags)
            found.append(found[0] + inner if inner else found[0])
    return found[:4]


def _example(tree: Any, flags: int) -> str:
    """A string that matches, but for what looks around."""
    out = ""
    for op, value in tree:
        if op is sre.LITERAL:
            out += chr(value)
        elif op in (sre.IN, sre.ANY, sre.NOT_LITERAL, sre.CATEGORY):
            found = _characters(op, value, flags)
            out += found[0] if found else ""
        elif op in _REPEATS:
            out += _example(value[2], flags) * value[0]
        elif op is sre.SUBPATTERN:
            out += _example(value[3], flags)
        elif op is sre.ATOMIC_GROUP:
            out += _example(value, flags)
        elif op is sre.BRANCH:
            out += _example(value[1][0], flags)
    return out


def _characters(op: Any, value: Any, flags: int) -> list[str]:
    """Some characters that match a class."""
    if op is sre.ANY:
        return ["a", " ", "(", "0"]
    if op is sre.NOT_LITERAL:
        return [sign for sign in _SAMPLE if ord(sign) != value][:4]
    if op is sre.CATEGORY:
        value = [(op, value)]
    state = parser.State()
    state.flags = flags
    one = re._compiler.compile(parser.SubPattern(state, [(sre.IN, value)]), flags & ~re.VERBOSE)  # type: ignore[attr-defined]
    candidates = [sign for sign in _SAMPLE if one.match(sign)]
    literal = [chr(what) for kind, what in value if kind is sre.LITERAL]
    ranged = [chr(what[0]) for kind, what in value if kind is sre.RANGE]
    spread = [kind for sign in candidates if (kind := sign)]
    return list(dict.fromkeys([*spread[:1], *literal[:2], *ranged[:1], *spread[1:4]])) or [*literal, *ranged]


if __name__ == "__main__":
    for found in used_patterns():
        sys.stdout.write(f"{found.where} {found.methods} {found.pattern.pattern[:80]!r}\n")
