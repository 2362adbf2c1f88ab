"""Lines that belong together, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from conspectus.parse.pdf.model import Line


class Role(StrEnum):
    """What a group of lines is. Most are kinds of blocks too; of the others a paper has no such block.

    `formula`: displayed, and not yet told whether it is one of the text's equations. `float`: nothing to read, such as
    axes and cells. `rest`: rows of words that no step wanted. `front`: title, names, dates and rights.
    """

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ABSTRACT = "abstract"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    REFERENCE = "reference"
    EQUATION = "equation"
    CODE = "code"
    FORMULA = "formula"
    FLOAT = "float"
    REST = "rest"
    FRONT = "front"


@dataclass(eq=False)
class Group:
    """Lines that belong together. `gap` is the white space above in font sizes; `role` is given later.

    `run_in` headings stand at the beginning of a paragraph.
    """

    lines: list[Line] = field(default_factory=list)
    gap: float = 0.0
    role: Role | None = None
    level: int = 0
    run_in: bool = False

    @property
    def first(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """The last line."""
        return self.lines[-1]

    @property
    def text(self) -> str:
        """The lines' texts, as they stand."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The font size of most of the group."""
        weights: dict[float, int] = {}
        for line in self.lines:
            weights[line.size] = weights.get(line.size, 0) + len(line.text)
        return max(weights, key=lambda size: weights[size])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)


def merged(groups: Iterable[Group], goes_on: Callable[[Group, Group], bool]) -> list[Group]:
    """The groups, those that go on with the one before with their lines put to it."""
    found: list[Group] = []
    for group in groups:
        if found and goes_on(found[-1], group):
            found[-1].lines += group.lines
        else:
            found.append(group)
    return found
