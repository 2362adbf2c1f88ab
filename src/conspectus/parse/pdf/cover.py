"""Covers that publishers and repositories put before an article, told by their structure: what the cover says, the
next page says again.

A page is a cover where a later one of the first pages has a title of its own that the cover prints too, with names or
the abstract's heading below it. No publisher is known by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.parse.pdf.authors import AuthorFinder, names_in_lines
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.patterns import ABSTRACT
from conspectus.parse.pdf.prose import count_words, reads_as_prose
from conspectus.parse.pdf.title import TitleFinder
from conspectus.parse.titles import holds_title
from conspectus.records import Author, normal_name

_MOST_COVERS = 3
_GROUPS_BELOW = 8
"""So many groups below its title an article has its authors or its abstract."""
_LEAST_WORDS = 3


def count_covers(pages: Sequence[Sequence[Group]], finder: TitleFinder) -> int:
    """How many pages precede the article's own first page; 0 where the document begins with it."""
    printed = _Printed()
    for number, groups in enumerate(pages[: _MOST_COVERS + 1]):
        if number and any(finder.is_display(group) and printed.has(group.text) for group in groups):
            title = finder.find(list(groups))
            if title is not None and printed.has(title.text):
                is_article = finder.is_display(title) and _is_front(groups, title)
                return number if is_article and _says_less(pages[:number], groups) else 0
        printed.add(groups)
    return 0


class _Printed:
    """What is printed on some pages: the texts, each with its words, and all of it without spaces."""

    def __init__(self) -> None:
        self._new: list[str] = []
        self._texts: list[tuple[str, frozenset[str]]] = []
        self._whole = ""

    def add(self, groups: Sequence[Group]) -> None:
        """Put in the texts of a page."""
        self._new += [group.text for group in groups]

    def has(self, title: str) -> bool:
        """Whether a title of several words is in the texts; a long one may be spelled a little differently."""
        if count_words(title) < _LEAST_WORDS:
            return False
        for text, others in ((text, normal_name(text).split()) for text in self._new):
            self._texts.append((text, frozenset(others)))
            self._whole += "".join(others)
        self._new.clear()
        words = normal_name(title).split()
        if words and "".join(words) in self._whole:
            return True
        near = (text for text, others in self._texts if sum(word in others for word in words) > 0.5 * len(words))
        return any(holds_title(text, title) for text in near)


def _is_front(groups: Sequence[Group], title: Group) -> bool:
    """Whether names or an abstract follow the title, as on an article's first page."""
    below = [group for group in groups if group.first.base > title.last.base][:_GROUPS_BELOW]
    return any(ABSTRACT.match(group.text) or names_in_lines(group.lines) for group in below)


def _says_less(covers: Sequence[Sequence[Group]], article: Sequence[Group]) -> bool:
    """Whether no cover has as much prose as the article's first page: else it is a page of the article itself."""
    return max(map(_count_prose, covers)) < _count_prose(article)


def _count_prose(groups: Sequence[Group]) -> int:
    return sum(count_words(group.text) for group in groups if reads_as_prose(group.text))


def cover_authors(pages: Sequence[Sequence[Group]], title: Group) -> list[Author]:
    """The names below the title on the covers `pages`: title pages have them where the article has none."""
    key = _key(title.text)
    for groups in pages:
        at = next((group for group in groups if _key(group.text).startswith(key)), None)
        if at is not None and (found := AuthorFinder(lambda _: False).find([groups], at)):
            return found
    return []


def mark_covers(pages: Sequence[Sequence[Group]]) -> None:
    """Makes front matter of all that stands on the covers `pages`."""
    for group in (group for groups in pages for group in groups):
        group.role = Role.FRONT


def _key(text: str) -> str:
    return normal_name(text).replace(" ", "")
