"""The authors of a PDF and where they work: names below the title, on the next column or page too, and their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.page_text import LineGroup, PdfLine, Role, Word
from conspectus.parse.pdf.thresholds import ALIKE, AROUND
from conspectus.parse.people.bylines import (
    CLOSE,
    OPEN,
    NamedAuthors,
    PrintedAffiliation,
    byline,
    clean_place,
    is_place,
    keyed_places,
    places_in_note,
    read_byline,
    with_places,
)
from conspectus.parse.people.names import PLACE, group_name, is_organisation
from conspectus.records import Author

_MOST_GROUPS = 30
"""So many groups may follow the last names before more of them come."""
_OPEN_LIST = re.compile(r"(?:[,;&-]|\b(?:and|und|et|y|e|i|och|og|en|и|και))$")
"""The end of a line whose list goes on in the next one."""
_LEAST_OF_LIST = 2
"""So many more names than other pieces are a list of names that goes on."""
_SMALL_CAPITALS = re.compile(r"[^\W\d_]{2,}")


@dataclass
class Owner:
    """Names that stand together, and the lines below them."""

    lines: list[PdfLine]
    names: list[NamedAuthors]
    below: list[list[PdfLine]] = field(default_factory=list)


@dataclass
class AuthorFinder:
    """Reads the groups below a title. `ends` says of a group whether the front matter ends with it."""

    ends: Callable[[LineGroup], bool]
    _owners: list[Owner] = field(default_factory=list)
    _below: list[list[PdfLine]] = field(default_factory=list)
    _look: tuple[str, float] | None = None
    _since: int = 0

    def find(self, pages: Sequence[Sequence[LineGroup]], title: LineGroup) -> list[Author]:
        """The authors in order with their affiliations; groups that are names get the role `front`.

        Args:
            pages: The groups of the first pages. The later ones count where the list of names goes on there.
            title: The title on the first of them.
        """
        below = [g for g in pages[0] if g.first not in title.lines and g.first.base > title.first.base - 1]
        last = title.last
        for page in [below, *pages[1:]]:
            if page is not below and not self._spills(below):
                break
            for group in page:
                if self._is_ended(group, self._owners[-1].lines[-1] if self._owners else last):
                    return self._authors(pages)
                self._take(group)
        return self._authors(pages)

    def _is_ended(self, group: LineGroup, last: PdfLine) -> bool:
        far = group.first.page == last.page and group.first.base - last.base > AROUND.names_farthest
        self._since += 1
        return self._since > _MOST_GROUPS or far or self.ends(group)

    def _take(self, group: LineGroup) -> None:
        rest: list[PdfLine] = []
        for lines in runs_by_look(group):
            look = look_of(lines[0])
            count = 0
            if self._look in (None, look):
                count = count_above_place(lines, self._owners[-1].lines if self._owners else [])
            if self._names(lines[:count]):
                group.role, self._look, self._since = Role.FRONT, look, 0
                rest = lines[count:]
                if rest:
                    self._owners[-1].below.append(rest)
            elif self._owners and rest:
                rest += lines
            elif self._owners:
                rest = list(lines)
                self._owners[-1].below.append(rest)

    def _names(self, lines: list[PdfLine]) -> bool:
        """Takes the lines where they are names, or go on with a list that a column or page has torn apart."""
        if not lines:
            return False
        names = list(read_names(lines))
        last = self._owners[-1] if self._owners else None
        if last is not None and not last.below:
            together = [*last.lines, *lines]
            if worth_as_names(together) > worth_as_names(last.lines) + max(worth_as_names(lines), 0):
                last.lines, last.names = together, list(read_names(together))
                return True
        if names:
            self._owners.append(Owner(lines, names))
        return bool(names)

    def _spills(self, below: Sequence[LineGroup]) -> bool:
        """Whether the list of names reaches the end of the page."""
        names = {line for owner in self._owners for line in owner.lines}
        lines = [line for group in below for line in group.lines]
        return bool(names) and sum(line in names for line in lines) > AROUND.names_spilling * len(lines)

    def _authors(self, pages: Sequence[Sequence[LineGroup]]) -> list[Author]:
        """All names, once each, with the places that their marks lead to, else those that stand below them."""
        places = list(self._led_to(pages))
        authors: list[Author] = []
        right = max((line.x1 for group in pages[0] for line in group.lines if line.wordlike > 4), default=0.0)
        for owner in self._owners if places else list(owners_by_place(self._owners)):
            authors += with_places(owner.names, places or list(_own_places(owner, right)))
        return list({author.name: author for author in reversed(authors)}.values())[::-1]

    def _led_to(self, pages: Sequence[Sequence[LineGroup]]) -> Iterator[PrintedAffiliation]:
        """The places that marks of names lead to, or that notes give them: below the names, or on the first pages."""
        keys = {key for owner in self._owners for name in owner.names for key in name.marks}
        below = [lines for owner in self._owners for lines in owner.below]
        used_lines = {line for lines in [*below, *(owner.lines for owner in self._owners)] for line in lines}
        for lines in below if keys else []:
            yield from keyed_places(marked_text(lines), keys)
        for group in (group for page in pages for group in page if group.first not in used_lines):
            if _may_begin(group, keys):
                yield from keyed_places(marked_text(group.lines), keys, note=True)
            yield from places_in_note(group.text)


def _may_begin(group: LineGroup, keys: Iterable[str]) -> bool:
    """Whether the group's first word may be one of the marks, or begin with it."""
    first = group.first.words[0].text.lstrip("()[]. ")
    return any(first.startswith(key) or key.startswith(first) for key in keys)


def runs_by_look(group: LineGroup) -> list[list[PdfLine]]:
    """The group's lines by look: names may stand right above the places where their bearers work."""

    def goes_on(run: list[PdfLine], line: PdfLine) -> bool:
        look, before = look_of(line), look_of(run[0])
        lone_mark = not line.wordlike and len(line.text) < 12 and look[1] < ALIKE.small * before[1]
        return lone_mark or look == before

    return split_runs(group.lines, goes_on)


def look_of(line: PdfLine) -> tuple[str, float]:
    """Font and size of the line's largest words: those of its marks may be more."""
    largest = max(line.words, key=lambda word: word.style.size).style
    return largest.font, largest.size


def owners_by_place(owners: Sequence[Owner]) -> Iterator[Owner]:
    """The names with the lines that stand below them, where several stand side by side too."""
    split = [part for owner in owners for part in _by_line(owner)]
    for lines in (lines for owner in owners for lines in owner.below):
        for line in lines:
            near = min(
                (owner for owner in split if _above(owner, line)),
                key=lambda owner: line.base - owner.lines[-1].base,
                default=None,
            )
            if near is not None:
                if near.below and near.below[-1][-1] in lines:  # of the same group
                    near.below[-1].append(line)
                else:
                    near.below.append([line])
    for number, owner in enumerate(split):  # names on several lines share the place below the last of them
        if not owner.below:
            later = (other for other in split[number + 1 :] if other.below and _above(owner, other.lines[0]))
            owner.below = next((other.below for other in later), [])
    yield from split


def _by_line(owner: Owner) -> list[Owner]:
    """The names of each line apart, where each line has whole ones."""
    parts = [Owner([line], list(read_names([line]))) for line in owner.lines]
    return (
        parts if [name for part in parts for name in part.names] == owner.names else [Owner(owner.lines, owner.names)]
    )


def _above(owner: Owner, line: PdfLine) -> bool:
    """Whether the line stands below the names, in their column."""
    last = owner.lines[-1]
    x0, x1 = min(own_line.x0 for own_line in owner.lines), max(own_line.x1 for own_line in owner.lines)
    return last.page == line.page and last.base < line.base and line.x0 < x1 and x0 < line.x1


def _own_places(owner: Owner, right: float) -> Iterator[PrintedAffiliation]:
    """What stands below names without marks: paragraphs, or lines that are whole addresses, are places of their own.

    A line that ends near the text's `right` edge goes on in the next one.
    """
    texts: list[str] = []
    for lines in owner.below:
        for before, line in zip([None, *lines], lines, strict=False):
            text = marked_text([line])
            if before is None or (
                before.x1 < right - AROUND.names_near and _is_address(texts[-1]) and _is_address(text)
            ):
                texts.append(text)
            else:
                texts[-1] += f"\n{text}"
    places = [PrintedAffiliation(clean_place(text, stacked=True)) for text in texts]
    yield from (place for place in places if is_place(place))


def count_above_place(lines: Sequence[PdfLine], names: Sequence[PdfLine]) -> int:
    """How many of the lines precede the first that is nothing but a place of work.

    A place is below names: those of the lines above it, or the last `names` that precede the lines.
    """
    for number, line in enumerate(lines):
        above = lines[:number] or names
        if (
            not above
            or above[-1].page != line.page
            or _OPEN_LIST.search(above[-1].text)
            or not _is_place_only(line.text)
        ):
            continue
        if not read_byline(marked_text(above))[1] and worth_as_names(lines[number:]) < _LEAST_OF_LIST:
            return number
    return len(lines)


def _is_place_only(text: str) -> bool:
    """Whether the text is an organisation's name or address, and no piece of it a person's name or a group's."""
    pieces = [piece.strip() for piece in text.split(",")]
    organisation = is_organisation(text)
    begins_address = len(pieces) > 1 and pieces[0].isupper()
    if not (organisation or begins_address) or ";" in text or group_name(text) or len(names_in(text)) > 1:
        return False
    return organisation or not any(names_in(piece) for piece in pieces)


def _is_address(text: str) -> bool:
    """Whether the text names a place of work and where that is."""
    return PLACE.search(text) is not None and text.count(",") > 1


def read_names(lines: Sequence[PdfLine]) -> tuple[NamedAuthors, ...]:
    """The names where `lines` are nothing but names, with the marks that stand with them, else none."""
    return byline(marked_text(lines))


def worth_as_names(lines: Sequence[PdfLine]) -> int:
    """How many names the lines have, less the pieces of the list that are none."""
    names, left_over = read_byline(marked_text(lines))
    return len(names) - left_over


def names_in_lines(lines: Sequence[PdfLine]) -> list[Author]:
    """The names where `lines` are nothing but names, else none."""
    return [name.author for name in read_names(lines)]


def names_in(text: str) -> list[Author]:
    """The names of a list such as `A. Bee, C. Dee and E. Eff`; none where a quarter of it or more is something else."""
    return [name.author for name in byline(text)]


def marked_text(lines: Sequence[PdfLine]) -> str:
    """The lines' texts with superscripts told as marks, and wide gaps as separators."""
    size = max((word.style.size for line in lines for word in line.words), default=0.0)
    return "\n".join(_marked(line, size) for line in lines)


def _marked(line: PdfLine, size: float) -> str:
    parts: list[str] = []
    last: Word | None = None
    for word in line.words:
        mark = word.raised or (word.style.size < ALIKE.small * size and not _SMALL_CAPITALS.search(word.text))
        if last is not None and word.x0 - last.x1 > AROUND.names_wide * line.size:
            parts.append("\t")
        elif last is not None and not word.glued:
            parts.append(" ")
        parts.append(f"{OPEN}{word.text}{CLOSE}" if mark else word.text)
        last = word
    return "".join(parts)
