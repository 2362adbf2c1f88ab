"""citeproc-py for thousands of works: what it looks up again for each of them is looked up once.

A style is a tree that does not change, but citeproc-py searches it by XPath for each macro and term of each reference,
and searches the list of all works for the number of each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from citeproc import CitationStylesBibliography, model


class _Keys(list[str]):
    """Keys of works that know their places."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(keys)
        self._places = {key: place for place, key in enumerate(keys)}

    def index(self, key: str, *_: Any) -> int:
        return self._places[key]


class NumberedBibliography(CitationStylesBibliography):  # type: ignore[misc]
    """A bibliography of works, each cited once."""

    def register_all(self, citations: list[Any]) -> None:
        """Take citations of one work each, instead of `register` for each."""
        for citation in citations:
            citation.bibliography = self
        self.items = [citation.cites[0] for citation in citations]
        self.keys = _Keys([item.key for item in self.items])

    def sort(self) -> None:
        """Sort as the style says."""
        super().sort()
        self.keys = _Keys(self.keys)


def _remember(method: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a method gives in the element itself, if `cache_lookups` was called for its tree."""

    @wraps(method)
    def look_up(element: Any, *given: str) -> Any:
        known = vars(element).get("known_lookups")
        if known is None:
            return method(element, *given)
        name = (method.__qualname__, *given)
        if name not in known:
            known[name] = method(element, *given)
        return known[name]

    return look_up


def cache_lookups(root: Any) -> None:
    """Remember lookups in the tree of a style and of its locales, which must not change any more."""
    trees = [root, *(locale for locale in root.locales if locale.getroottree().getroot() is not root)]
    elements = [element for tree in trees for element in tree.iter()]
    for element in elements:
        vars(element)["known_lookups"] = {}
    vars(root)["all_elements"] = elements  # else lxml makes each again when it is next used


model.CitationStylesElement.xpath_search = _remember(model.CitationStylesElement.xpath_search)
for _kind in (model.Parent, model.Text):
    _kind.calls_variable = _remember(_kind.calls_variable)
