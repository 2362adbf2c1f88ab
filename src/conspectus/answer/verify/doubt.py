"""What the parts of the mechanical check give back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DoubtKind = Literal["number", "unit", "entity", "negation", "comparison", "quotation"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in a statement that its cited sentences do not bear out.

    Attributes:
        found: the words of the statement, as they stand there.
        why: one plain sentence for the user.
    """

    kind: DoubtKind
    found: str
    why: str
