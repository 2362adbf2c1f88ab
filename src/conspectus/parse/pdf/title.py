"""The title on the first page: what stands out there, unless it is the journal's name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conspectus.parse.pdf.authors import names_in_lines
from conspectus.parse.pdf.groups import Group
from conspectus.parse.pdf.measure import Usual
from conspectus.parse.pdf.patterns import ABSTRACT, NUMBERED
from conspectus.parse.pdf.prose import count_words, reads_as_prose
from conspectus.parse.pdf.thresholds import ALIKE, ROLES
from conspectus.parse.pdf.venue import is_banner
from conspectus.parse.sentences import split_sentences
from conspectus.records import normal_name

_LONGEST = 350
_LINES_OF_TEXT = 3
_SENTENCES_OF_TITLE = 2
_BEST_WORDING = 1.0
"""No wording speaks more for a title."""


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

    def find(self, groups: list[Group]) -> Group | None:
        """The group most like a title, with what follows it in the same look; None where nothing is like one."""
        best, best_score = None, 0.0
        for i, group in enumerate(groups):
            if ABSTRACT.match(group.text):
                break
            title = _whole(groups, i)
            score = self._score(title, [g for g in groups[i + 1 : i + 4] if g.first not in title.lines], i, best_score)
            if score > best_score:
                best, best_score = title, score
        return best

    def is_display(self, title: Group) -> bool:
        """Whether a title is set larger than the text, as no running head is."""
        return title.size > (1 + ALIKE.text) * self.body.size

    def _score(self, title: Group, after: list[Group], index: int, least: float) -> float:
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

    def _look(self, title: Group, index: int) -> float:
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

    def _is_paragraph(self, title: Group) -> bool:
        """Whether the group is running text: many sentences, or several lines or sentences without a title's look."""
        if not reads_as_prose(title.text):
            return False
        sentences, large = len(split_sentences(title.text)), title.size > ROLES.title_named * self.body.size
        lines = len(title.lines) >= _LINES_OF_TEXT and self._is_plain(title)
        return lines or sentences > _SENTENCES_OF_TITLE or (sentences > 1 and not title.bold and not large)

    def _is_plain(self, title: Group) -> bool:
        """Whether the group looks like the text."""
        return title.size < ROLES.title_plain * self.body.size and not title.bold and not title.text.isupper()


def _wording(title: Group, body: Usual, after: list[Group]) -> float:
    """Neither a word nor a paragraph, no sentence, no list of names, unless more names follow."""
    text, words = title.text, count_words(title.text)
    score = {0: -ROLES.title_none, 1: -ROLES.title_word, 2: -ROLES.title_words}.get(words, _BEST_WORDING) - (
        ROLES.title_word if words > 40 else 0.0
    )
    if text.endswith((".", ",", ";", ":")) or text[:1].islower() or ". " in text.replace("vs. ", ""):
        score -= ROLES.title_word if title.size < ROLES.title_sentence * body.size and not title.bold else 1.0
    if (found := NUMBERED.fullmatch(text)) and not found["letter"]:  # `A New Method` is no appendix
        score -= ROLES.title_word
    if title.size < ROLES.title_named * body.size and names_in_lines(title.lines):
        apart = title.bold or title.size > ROLES.title_apart * body.size
        score -= 0.0 if apart and any(names_in_lines(group.lines) for group in after) else ROLES.title_names
    return score


def _whole(groups: list[Group], i: int) -> Group:
    """Group `i` with those after it that go on in the same look."""
    title = Group(list(groups[i].lines), groups[i].gap)
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
        said = hint.replace(" ", "")
        if printed == said:
            return ROLES.title_same
        if len(printed) > 12 and (said.startswith(printed) or printed.startswith(said)):
            best = max(best, ROLES.title_part * min(len(printed), len(said)) / max(len(printed), len(said)))
    return best
