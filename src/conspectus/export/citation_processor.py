"""citeproc-py for thousands of works: what it looks up again for each of them is looked up once.

A style is a tree that does not change, but citeproc-py searches it by XPath for each macro, term and option of each
reference, climbs to its root for each piece of text, and asks again for each condition which work is meant.
`benchmarks/formatted_references.py` measures what that saves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cmp_to_key, partial
from typing import Any
from urllib.parse import unquote

from citeproc import Citation, CitationItem, CitationStylesBibliography, model
from citeproc.source import Reference
from citeproc.string import MixedString, NoCase, String

_LOOKUPS = ("xpath_search", "get_root", "get_formatter", "get_layout", "get_macro", "get_option", "calls_variable")
"""Methods of elements whose result depends on the tree alone."""
_FONTS = frozenset({"font-style", "font-variant", "font-weight", "text-decoration", "vertical-align"})
_NO_LETTER = re.compile(r"[\W_]+")
_ON_SHAPE = frozenset({"type", "variable", "match"})
"""Attributes of conditions that depend on nothing but a work's type and which variables it has."""
_PLAIN = (model.Group, model.Label, model.Name, model.Names, model.Number, model.Text)
"""Elements that format what is in them; parts of dates get attributes while they are used."""


class _Work(CitationItem):  # type: ignore[misc]
    """A work that is cited: its reference is at hand, as is its shape, on which conditions of styles depend."""

    bibliography: Any = None  # in place of properties that look them up each time
    reference: Any = None

    def __init__(self, key: str, bibliography: Any) -> None:
        super().__init__(key)
        self.__dict__["bibliography"] = bibliography
        self.describe(bibliography.source[key])

    def describe(self, reference: Any) -> None:
        """Take what is known of the work."""
        reference.__dict__["type"] = reference["type"]
        shape = (reference["type"], frozenset(reference))
        self.__dict__.update(reference=reference, shape=shape)


class _Keys(list[str]):
    """Keys of works that know their places."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(keys)
        self._places = {key: place for place, key in enumerate(keys)}

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def index(self, key: str, *_: Any) -> int:
        return self._places[key]


class NumberedBibliography(CitationStylesBibliography):  # type: ignore[misc]
    """A bibliography of the works of a source, each cited once and alone, in their order."""

    def __init__(self, style: Any, source: Any, formatter: Any) -> None:
        super().__init__(style, source, formatter)
        _cache_lookups(style.root)
        self.items = [_Work(key, self) for key in source]
        self.keys = _Keys([item.key for item in self.items])

    def marks(self) -> Iterator[str]:
        """How a text cites each work: each in its own citation."""
        for item in self.items:
            citation = Citation([item])
            citation.bibliography = self
            render = partial(self.style.render_citation, citation, [], str)
            yield _with_one_doi(item, render)

    def sort(self, on_work: Callable[[int], object]) -> None:
        """Sort as the style says; `on_work` is called with the number of works whose keys are known.

        As `Sort.sort` of citeproc-py, which prepares the keys again for each comparison.
        """
        root = self.style.root.bibliography
        layout, keys = root.layout, root.findall("cs:sort/cs:key", root.nsmap)
        if not keys:
            return
        signs = [-1 if key.get("sort", "ascending").lower() == "descending" else 1 for key in keys]
        rows = []
        for number, item in enumerate(self.items, 1):
            rows.append(([_comparable(key.sort_keys([item], layout)[0]) for key in keys], item))
            on_work(number)
        by_keys = cmp_to_key(partial(_compare, signs))
        self.items = [item for _, item in sorted(rows, key=lambda row: by_keys(row[0]))]
        self.keys = _Keys([item.key for item in self.items])

    def texts(self) -> Iterator[str]:
        """The references in their order."""
        for item in self.items:
            yield _with_one_doi(item, partial(self.style.render_bibliography, [item]))


def _with_one_doi(item: _Work, render: Callable[[], Any]) -> str:
    """The text of a work; without its address where a style prints it next to a DOI that it only repeats."""
    text, reference = "".join(map(str, render())), item.reference
    if "URL" not in reference or "DOI" not in reference or _count(text, str(reference["DOI"])) < 2:
        return text
    rest = {name: value for name, value in reference.items() if name not in ("key", "type", "URL")}
    item.describe(Reference(item.key, reference["type"], **rest))
    shorter = "".join(map(str, render()))
    item.describe(reference)
    return shorter if _count(shorter, str(reference["DOI"])) else text


def _count(text: str, doi: str) -> int:
    """How often a DOI is in a text, also with signs written as %3C."""
    plain, plain_doi = (_NO_LETTER.sub("", unquote(words).lower()) for words in (text, doi))
    return plain.count(plain_doi)


def _comparable(key: Any) -> Any:
    """A sort key in small letters, and as a number if it is one; None stays."""
    if key is None:
        return None
    text = str(key.lower()) if hasattr(key, "lower") else key
    try:
        return text, int(str(text))
    except ValueError:
        return text, None


def _compare(signs: list[int], left: list[Any], right: list[Any]) -> int:
    """Numbers by their size, all else by its letters; what has no key comes last."""
    for sign, key, other in zip(signs, left, right, strict=True):
        if key is None or other is None:
            if key is not other:
                return 1 if key is None else -1
            continue
        is_number = key[1] is not None and other[1] is not None
        a, b = (key[1], other[1]) if is_number else (key[0], other[0])
        if a != b:
            return sign if a > b else -sign
    return 0


def _cache_lookups(root: Any) -> None:
    """Remember lookups in the tree of a style and of its locales, which must not change any more."""
    trees = [root, *(locale for locale in root.locales if locale.getroottree().getroot() is not root)]
    elements = [element for tree in trees for element in tree.iter()]
    for element in elements:
        if isinstance(element, model.Term) or isinstance(element.getparent(), model.Term):
            continue  # a locale has thousands of words
        attributes, is_name = vars(element), isinstance(element, model.Name)
        for name in _LOOKUPS:
            if hasattr(type(element), name) and not (is_name and name == "get_option"):
                attributes[name] = cache(getattr(element, name))
        if is_name:
            attributes["get_option"] = _by_context(element.get_option)
        if isinstance(element, model.If):
            attributes |= {name: _by_shape(getattr(element, name)) for name in ("_type", "_variable")}
        if isinstance(element, model.Choose) and all(_ON_SHAPE.issuperset(branch.attrib) for branch in element):
            attributes["render"] = _by_branch([*element])
        if isinstance(element, model.TextCased):  # parts of dates get attributes while they are used
            attributes["case"] = _of_any_text(element.case)
        if isinstance(element, _PLAIN) and _FONTS.isdisjoint(element.attrib):
            attributes["format"] = lambda text: str(text) if isinstance(text, int | float) else text
    vars(root)["all_elements"] = elements  # else lxml makes each again when it is next used


def _of_any_text(case: Callable[..., Any]) -> Callable[..., Any]:
    """Change the case also of plain text, such as a name or a date: citeproc-py only knows that of its own kind."""

    def change(text: Any, language: str | None = None) -> Any:
        if isinstance(text, MixedString):
            parts = (part if isinstance(part, String) else NoCase(part) for part in text)
            return case(MixedString(parts), language)
        return case(text if isinstance(text, String) or not text else String(text), language)

    return change


def _by_shape(test: Callable[[Any], list[bool]]) -> Callable[[Any], list[bool]]:
    """A test of a work's type and of which variables it has."""
    known: dict[Any, list[bool]] = {}

    def look_up(item: Any) -> list[bool]:
        if item.shape not in known:
            known[item.shape] = test(item)
        return known[item.shape]

    return look_up


def _by_branch(branches: list[Any]) -> Callable[..., Any]:
    """A choice between branches by nothing but the shape of a work."""
    known: dict[Any, Any] = {}

    def render(item: Any, **options: Any) -> Any:
        if item.shape not in known:
            known[item.shape] = next((branch for branch in branches if _holds(branch, item)), None)
        branch = known[item.shape]
        return None if branch is None else branch.render_children(item, **options)

    return render


def _holds(branch: Any, item: Any) -> bool:
    """Whether a branch is taken, as `If.render` of citeproc-py decides."""
    tests = {"type": "_type", "variable": "_variable"}
    results = [
        result for name, test in tests.items() if name in branch.attrib for result in getattr(branch, test)(item)
    ]
    match = branch.get("match")
    return any(results) if match == "any" else not any(results) if match == "none" else all(results)


def _by_context(get_option: Callable[..., Any]) -> Callable[..., Any]:
    """An option of names where they stand, unless a sort key sets it."""
    known = cache(get_option)

    def look_up(name: str, context: Any = None, sort_options: Any = None) -> Any:
        return get_option(name, context, sort_options) if sort_options else known(name, context)

    return look_up
