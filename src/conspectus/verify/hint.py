"""What the mechanical check finds: words of a statement that its cited sentences do not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HintKind = Literal["number", "unit", "name", "quotation"]


@dataclass(frozen=True, slots=True)
class Hint:
    """Words of a statement that do not stand in its cited sentences: for a judge to settle.

    Attributes:
        found: the words, as they stand in the statement.
        why: one plain sentence for the user.
        certain: a number with a unit, an identifier or a quotation that stands nowhere around the sentences either:
            without a judge the statement is not supported.
    """

    kind: HintKind
    found: str
    why: str
    certain: bool = False
