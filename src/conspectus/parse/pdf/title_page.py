"""The title on the first page, and covers that publishers and repositories put before an article.

The title is what stands out on its page, unless it is the journal's name. A page is a cover if one of the next pages
has a title of its own that the cover prints too, with names or the abstract's heading below it; or if it has neither
names nor prose, and the next page begins with a title and names. No publisher is known by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conspectus.parse.pdf.authors import AuthorFinder, names_in_lines
from conspectus.parse.pdf.lines import Usual
from conspectus.parse.pdf.metadata import is_banner
from conspectus.parse.pdf.page_text import LineGroup
from conspectus.parse.pdf.patterns import ABSTRACT, NUMBERED, count_words, reads_as_prose
from conspectus.parse.pdf.thresholds import ALIKE, ROLES
from conspectus.parse.text.sentences import split_sentences
from conspectus.parse.text.titles import holds_title
from conspectus.records import Author, normal_name

_LONGEST = 350
_LINES_OF_TEXT = 3
_SENTENCES_OF_TITLE = 2
_BEST_WORDING = 1.0
"""No wording speaks more for a title."""
_MOST_COVERS = 3
_MOST_ON_COVER = 60
"""Words of prose on a cover that does not print the title."""
_GROUPS_BELOW = 8
"""So many groups below its title an article has its authors or its abstract."""
_LEAST_WORDS = 3


@dataclass(frozen=True)
class TitleFinder:
    """Finds the title among the groups of a first page.

    `hints` are titles that the file says of itself, which count only where they are printed; `heads` are running heads.
    Both are names as `normal_name` gives them.
    """

    body: Usual
    height: float
    hints: tuple[str, ...]
    heads: frozenset[str]

    def find(self, groups: list[LineGroup]) -> LineGroup | None:
        """The group most like a title, with what follows it in the same look; None where nothing is like one."""
        best, best_score = None, 0.0
        for i, group in enumerate(groups):
            if ABSTRACT.match(group.text):
                break
            title = _full_title(groups, i)
            score = self._score(title, [g for g in groups[i + 1 : i + 4] if g.first not in title.lines], i, best_score)
            if score > best_score:
                best, best_score = title, score
        return best

    def is_display(self, title: LineGroup) -> bool:
        """Whether a title is set larger than the text, as no running head is."""
        return title.size > (1 + ALIKE.text) * self.body.size

    def _score(self, title: LineGroup, after: list[LineGroup], index: int, least: float) -> float:
        """How much the group looks like the paper's title; 0 or less is not at all, or not more than `least`."""
        text = title.text
        if title.first.base > ROLES.title_lowest * self.height or len(text) > _LONGEST:
            return 0.0
        look = self._look(title, index)
        agreement = _agreement(text, self.hints)
        if look + agreement + _BEST_WORDING <= least or not _words_only(text) or self._is_paragraph(title):
            return 0.0
        if agreement < ROLES.title_sure and is_banner(text, [group.text for group in after], self.heads):
            return 0.0
        return look + _wording(title, self.body, after) + agreement

    def _look(self, title: LineGroup, index: int) -> float:
        """Bigger, bolder and higher on the page is better; what looks like the text must be near the top."""
        score = ROLES.title_size * min(title.size / self.body.size - ROLES.title_usual, ROLES.title_most) + (
            ROLES.title_bold if title.bold else 0.0
        )
        return (
            score
            + 1.0
            - title.first.base / self.height
            - (ROLES.title_far if self._is_plain(title) and index > 2 else 0.0)
        )

    def _is_paragraph(self, title: LineGroup) -> bool:
        """Whether the group is running text: many sentences, or several lines or sentences without a title's look."""
        if not reads_as_prose(title.text):
            return False
        sentences, large = len(split_sentences(title.text)), title.size > ROLES.title_named * self.body.size
        lines = len(title.lines) >= _LINES_OF_TEXT and self._is_plain(title)
        return lines or sentences > _SENTENCES_OF_TITLE or (sentences > 1 and not title.bold and not large)

    def _is_plain(self, title: LineGroup) -> bool:
        """Whether the group looks like the text."""
        return title.size < ROLES.title_plain * self.body.size and not title.bold and not title.text.isupper()


def _wording(title: LineGroup, body: Usual, after: list[LineGroup]) -> float:
    """Neither a word nor a paragraph, no sentence, no list of names, unless more names follow."""
    text, words = title.text, count_words(title.text)
    score = {0: -ROLES.title_none, 1: -ROLES.title_word, 2: -ROLES.title_words}.get(words, _BEST_WORDING) - (
        ROLES.title_word if words > 40 else 0.0
    )
    if text.endswith((".", ",", ";", ":")) or text[:1].islower() or ". " in text.replace("vs. ", ""):
        score -= ROLES.title_word if title.size < ROLES.title_sentence * body.size and not title.bold else 1.0
    if (match := NUMBERED.fullmatch(text)) and not match["letter"]:  # `A New Method` is no appendix
        score -= ROLES.title_word
    if title.size < ROLES.title_named * body.size and names_in_lines(title.lines):
        stands_out = title.bold or title.size > ROLES.title_apart * body.size
        score -= 0.0 if stands_out and any(names_in_lines(group.lines) for group in after) else ROLES.title_names
    return score


def _full_title(groups: list[LineGroup], i: int) -> LineGroup:
    """Group `i` with those after it that go on in the same look."""
    title = LineGroup(list(groups[i].lines), groups[i].gap)
    for group in groups[i + 1 : i + 4]:
        step = group.first.base - title.last.base
        same = abs(group.size - title.size) < ALIKE.size and group.first.style.font == title.first.style.font
        if not same or not 0 < step < ROLES.title_step * title.size or len(title.text) + len(group.text) > 300:
            break
        title.lines += group.lines
    return title


def _words_only(text: str) -> bool:
    """Whether the text is mostly letters, and no address."""
    letters = sum(c.isalpha() for c in text)
    return "@" not in text and "://" not in text and letters > ROLES.letters * len(text.replace(" ", ""))


def _agreement(text: str, hints: Iterable[str]) -> float:
    """How much the titles that the file says of itself speak for `text`."""
    printed, best = normal_name(text).replace(" ", ""), 0.0
    for hint in hints:
        plain_hint = hint.replace(" ", "")
        if printed == plain_hint:
            return ROLES.title_same
        if len(printed) > 12 and (plain_hint.startswith(printed) or printed.startswith(plain_hint)):
            best = max(best, ROLES.title_part * min(len(printed), len(plain_hint)) / max(len(printed), len(plain_hint)))
    return best


def count_covers(pages: Sequence[Sequence[LineGroup]], finder: TitleFinder) -> int:
    """How many pages precede the article's own first page; 0 where the document begins with it."""
    printed = _Printed()
    for number, groups in enumerate(pages[: _MOST_COVERS + 1]):
        if number and any(finder.is_display(group) and printed.has(group.text) for group in groups):
            title = finder.find(list(groups))
            if title is not None and printed.has(title.text):
                is_article = finder.is_display(title) and _is_front(groups, title)
                return number if is_article and max(map(_count_prose, pages[:number])) < _count_prose(groups) else 0
        printed.add(groups)
    return int(len(pages) > 1 and _is_bare_cover(pages[0], pages[1], finder))


def _is_bare_cover(cover: Sequence[LineGroup], article: Sequence[LineGroup], finder: TitleFinder) -> bool:
    """Whether a page without names and with hardly any prose precedes one that begins with a title and its authors."""
    if _count_prose(cover) > min(_MOST_ON_COVER, _count_prose(article)):
        return False
    if any(names_in_lines(group.lines) or ABSTRACT.match(group.text) for group in cover):
        return False
    title = finder.find(list(article))
    if title is None or not finder.is_display(title):
        return False
    first = next((group for group in article if group.first.base > title.last.base), None)
    return first is not None and bool(names_in_lines(first.lines))


class _Printed:
    """What is printed on some pages: the texts, each with its words, and all of it without spaces."""

    def __init__(self) -> None:
        self._new: list[str] = []
        self._texts: list[tuple[str, frozenset[str]]] = []
        self._joined_text = ""

    def add(self, groups: Sequence[LineGroup]) -> None:
        """Put in the texts of a page."""
        self._new += [group.text for group in groups]

    def has(self, title: str) -> bool:
        """Whether a title of several words is in the texts; a long one may be spelled a little differently."""
        if count_words(title) < _LEAST_WORDS:
            return False
        for text, others in ((text, normal_name(text).split()) for text in self._new):
            self._texts.append((text, frozenset(others)))
            self._joined_text += "".join(others)
        self._new.clear()
        words = normal_name(title).split()
        if words and "".join(words) in self._joined_text:
            return True
        near = (text for text, others in self._texts if sum(word in others for word in words) > 0.5 * len(words))
        return any(holds_title(text, title) for text in near)


def _is_front(groups: Sequence[LineGroup], title: LineGroup) -> bool:
    """Whether names or an abstract follow the title, as on an article's first page."""
    below = [group for group in groups if group.first.base > title.last.base][:_GROUPS_BELOW]
    return any(ABSTRACT.match(group.text) or names_in_lines(group.lines) for group in below)


def _count_prose(groups: Sequence[LineGroup]) -> int:
    """The number of words of prose: a page with more of it than the article's first page is no cover."""
    return sum(count_words(group.text) for group in groups if reads_as_prose(group.text))


def cover_authors(pages: Sequence[Sequence[LineGroup]], title: LineGroup) -> list[Author]:
    """The names below the title on the covers `pages`: title pages have them where the article has none."""
    key = _key(title.text)
    for groups in pages:
        at = next((group for group in groups if _key(group.text).startswith(key)), None)
        if at is not None and (authors := AuthorFinder(lambda _: False).find([groups], at)):
            return authors
    return []


def _key(text: str) -> str:
    return normal_name(text).replace(" ", "")
