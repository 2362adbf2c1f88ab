"""citeproc-py for thousands of works: what it looks up again for each of them is looked up once.

A style is a tree that does not change, but citeproc-py searches it by XPath for each macro, term and option of each
reference, climbs to its root for each piece of text, and asks again for each condition which work is meant.
`benchmarks/formatted_references.py` measures what that saves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cmp_to_key, partial
from typing import Any

from citeproc import Citation, CitationItem, CitationStylesBibliography, model

_LOOKUPS = ("xpath_search", "get_root", "get_formatter", "get_layout", "get_macro", "get_option", "calls_variable")
"""Methods of elements whose result depends on the tree alone."""
_FONTS = frozenset({"font-style", "font-variant", "font-weight", "text-decoration", "vertical-align"})
_PLAIN = (model.Group, model.Label, model.Name, model.Names, model.Number, model.Text)
"""Elements that format what is in them; parts of dates get attributes while they are used."""


class _Work(CitationItem):  # type: ignore[misc]
    """A work that is cited: its reference is at hand, as is its shape, on which conditions of styles depend."""

    bibliography: Any = None  # in place of properties that look them up each time
    reference: Any = None

    def __init__(self, key: str, bibliography: Any) -> None:
        super().__init__(key)
        reference = bibliography.source[key]
        vars(reference)["type"] = reference["type"]
        shape = (reference["type"], frozenset(reference))
        vars(self).update(bibliography=bibliography, reference=reference, shape=shape)


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
    """A bibliography of the works of a source, each cited once and alone, in their order.

    Args:
        on_work: called whenever the next work was sorted or formatted.
    """

    def __init__(self, style: Any, source: Any, formatter: Any, on_work: Callable[[], object]) -> None:
        super().__init__(style, source, formatter)
        _cache_lookups(style.root)
        self._on_work = on_work
        self.items = [_Work(key, self) for key in source]
        self.keys = _Keys([item.key for item in self.items])

    def marks(self) -> Iterator[str]:
        """How a text cites each work: each in its own citation."""
        for item in self.items:
            citation = Citation([item])
            citation.bibliography = self
            yield str(self.style.render_citation(citation, [], lambda _: None))

    def sort(self) -> None:
        """Sort as the style says: as `Sort.sort` of citeproc-py, which prepares the keys again for each comparison."""
        root = self.style.root.bibliography
        layout, keys = root.layout, root.findall("cs:sort/cs:key", root.nsmap)
        signs = [-1 if key.get("sort", "ascending").lower() == "descending" else 1 for key in keys]
        rows = []
        for item in self.items:
            rows.append(([_comparable(key.sort_keys([item], layout)[0]) for key in keys], item))
            self._on_work()
        by_keys = cmp_to_key(partial(_compare, signs))
        self.items = [item for _, item in sorted(rows, key=lambda row: by_keys(row[0]))]
        self.keys = _Keys([item.key for item in self.items])

    def texts(self) -> Iterator[str]:
        """The references in their order."""
        for item in self.items:
            yield "".join(map(str, self.style.render_bibliography([item])))
            self._on_work()


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
    for sign, one, other in zip(signs, left, right, strict=True):
        if one is None or other is None:
            if one is not other:
                return 1 if one is None else -1
            continue
        is_number = one[1] is not None and other[1] is not None
        a, b = (one[1], other[1]) if is_number else (one[0], other[0])
        if a != b:
            return sign if a > b else -sign
    return 0


def _cache_lookups(root: Any) -> None:
    """Remember lookups in the tree of a style and of its locales, which must not change any more."""
    trees = [root, *(locale for locale in root.locales if locale.getroottree().getroot() is not root)]
    elements = [element for tree in trees for element in tree.iter()]
    for element in elements:
        own, is_name = vars(element), isinstance(element, model.Name)
        for name in _LOOKUPS:
            if hasattr(type(element), name) and not (is_name and name == "get_option"):
                own[name] = cache(getattr(element, name))
        if is_name:
            own["get_option"] = _by_context(element.get_option)
        if isinstance(element, model.If):
            own |= {name: _by_shape(getattr(element, name)) for name in ("_type", "_variable")}
        if isinstance(element, _PLAIN) and _FONTS.isdisjoint(element.attrib):
            own["format"] = lambda text: str(text) if isinstance(text, int | float) else text
    vars(root)["all_elements"] = elements  # else lxml makes each again when it is next used


def _by_shape(test: Callable[[Any], list[bool]]) -> Callable[[Any], list[bool]]:
    """A test of a work's type and of which variables it has."""
    known: dict[Any, list[bool]] = {}

    def look_up(item: Any) -> list[bool]:
        if item.shape not in known:
            known[item.shape] = test(item)
        return known[item.shape]

    return look_up


def _by_context(get_option: Callable[..., Any]) -> Callable[..., Any]:
    """An option of names where they stand, unless a sort key sets it."""
    known = cache(get_option)

    def look_up(name: str, context: Any = None, sort_options: Any = None) -> Any:
        return get_option(name, context, sort_options) if sort_options else known(name, context)

    return look_up
