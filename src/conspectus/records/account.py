"""What became of the letters of a page: each ends in a block or is told as left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from conspectus.records.passage import Place

Fate = Literal["text", "equation", "reference", "front", "figure", "furniture", "hidden", "unread"]
"""Where letters end: in blocks that are searched; in formulas; in the reference list; in what is printed about the
paper (title, authors, addresses, dates, rights); in figures and tables; in what is printed around the text (running
heads, numbers of pages and lines, stamps, lists of contents); in what nobody sees; in nothing: it cannot be read."""

LEAST_SEARCHED = 0.98
"""Pages of which a smaller part can be searched are told of."""

LACKING = "Not all letters can be searched"
"""How the note begins that tells of such pages."""

_LEFT = ("figure", "furniture", "hidden", "unread")
_USUAL_FURNITURE, _FEW = 0.1, 300
"""Running heads and the like up to this part of a page, or so many letters, are as they should be."""


_SHOWN = 4
"""So many pages are named."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words of a page that are in no block, as they stand there; `reason` says what they are taken for (`Figure 2`)."""

    fate: Fate
    reason: str
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Share:
    """So many letters of a page ended in one place, for one reason ("" where there is nothing to add)."""

    fate: Fate
    reason: str
    letters: int


@dataclass(frozen=True, slots=True)
class PageAccount:
    """The account of one page, from 1: `letters` are all characters of its text layer without white space (or what was
    recognised), and the sum of its shares."""

    page: int
    letters: int
    shares: tuple[Share, ...] = ()

    def part(self, *fates: Fate) -> float:
        """The part of the letters with one of these fates, 0 to 1."""
        found = sum(share.letters for share in self.shares if share.fate in fates)
        return found / self.letters if self.letters else 0.0

    @property
    def lacking(self) -> str:
        """Why less than `LEAST_SEARCHED` of the page can be searched (`62 % in Figure 1`); "" where there is no more
        to tell than running heads and page numbers."""
        around = sum(share.letters for share in self.shares if share.fate == "furniture")
        usual = around <= max(_USUAL_FURNITURE * self.letters, _FEW)
        left = [s for s in self.shares if s.fate in _LEFT and not (usual and s.fate == "furniture")]
        if sum(share.letters for share in left) <= (1 - LEAST_SEARCHED) * self.letters:
            return ""
        shown = sorted(left, key=lambda share: -share.letters)[:_SHOWN]
        return ", ".join(f"{_percent(s.letters / self.letters)} {_where(s)}" for s in shown)


def told_lacking(accounts: Iterable[PageAccount]) -> str:
    """One sentence on the pages of which a part that matters cannot be searched, and why; "" where there are none."""
    told = [(account.page, why) for account in accounts if (why := account.lacking)]
    if not told:
        return ""
    shown = "; ".join(f"page {page}: {why}" for page, why in told[:_SHOWN])
    more = f"; and {len(told) - _SHOWN} pages more" if len(told) > _SHOWN else ""
    return f"{LACKING}: {shown}{more}."


def _where(share: Share) -> str:
    if share.fate in ("hidden", "unread"):
        return f"{share.fate} ({share.reason})"
    return f"in {share.reason}" if share.fate == "figure" else f"as {share.reason}"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.01 else "less than 1 %"
