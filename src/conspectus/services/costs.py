"""What services cost today, counted for all processes and held against a budget."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from conspectus.core.errors import ServiceAwayError
from conspectus.services.gate import Gate, GateState, read_state

_ROUNDING = 1e-9


@dataclass(slots=True)
class Bill:
    """What a request costs, in US dollars: 0 until it is sent.

    Attributes:
        cost: as the service says, else its price.
        credit: what the service says is left today of what it gives for nothing; None: it does not say.
        prepaid: what it says is left of what was paid before.
    """

    cost: float = 0.0
    credit: float | None = None
    prepaid: float = 0.0


class Spending:
    """The money that one service costs.

    Args:
        gate: the service's.
        name: the service's, as in the settings.
        free: US dollars a day that it gives for nothing.
        most: US dollars a day that the user permits; 0: only `free`.
    """

    def __init__(self, gate: Gate, name: str, free: float, most: float) -> None:
        self._gate = gate
        self._name = name
        self._has_own_budget = most > 0
        self.budget = most or free

    def left(self) -> float:
        """US dollars that requests may still cost today: of the budget, and of what the service itself says."""
        return self._left(self._gate.state())

    @contextmanager
    def paying(self, price: float) -> Iterator[Bill]:
        """Count the price of a request before it is sent; afterwards what the bill says in its place.

        Raises:
            ServiceAwayError: the price is more than what is left.
        """
        if price > 0:
            before = self._gate.run(lambda db: self._reserve(db, price))
            if self._left(before) + _ROUNDING < price:
                raise self._exhausted(price, before)
        bill = Bill()
        try:
            yield bill
        finally:
            self._settle(price, bill)

    def check_refusal(self, price: float, bill: Bill) -> None:
        """Raise the error that the budget is used up where this is why the service refused; other errors do not."""
        if bill.credit is not None and bill.credit < price:
            raise self._exhausted(price, self._gate.state())

    def _exhausted(self, price: float, state: GateState) -> ServiceAwayError:
        said = "" if state.credit is None else f", and the service says that {format_dollars(state.credit)} are left"
        spent = f"{format_dollars(state.cost)} of {format_dollars(self.budget)}"
        return ServiceAwayError(
            f"{self._gate.title} would go beyond its budget: today {spent} are spent{said}; this request costs "
            f"{format_dollars(price)}.",
            f"Raise sources.max_cost, set sources.{self._name}.key if there is none, or go on after 00:00 UTC.",
        )

    def _left(self, state: GateState) -> float:
        left = self.budget - state.cost
        return max(left if state.credit is None else min(left, state.credit), 0.0)

    def _reserve(self, db: sqlite3.Connection, price: float) -> GateState:
        before = read_state(db, self._gate.address, time.time())
        if self._left(before) + _ROUNDING >= price:
            db.execute(
                "UPDATE gates SET cost = cost + ?, credit = credit - ? WHERE gate = ?",
                (price, price, self._gate.address),
            )
        return before

    def _settle(self, price: float, bill: Bill) -> None:
        credit, more = bill.credit, bill.cost - price
        if credit is not None and self._has_own_budget:
            credit += bill.prepaid
        if not more and credit is None:
            return

        def settle(db: sqlite3.Connection) -> None:
            read_state(db, self._gate.address, time.time())
            db.execute(
                "UPDATE gates SET cost = max(cost + ?, 0), credit = coalesce(?, max(credit - ?, 0)) WHERE gate = ?",
                (more, credit, more, self._gate.address),
            )

        self._gate.run(settle)


def format_dollars(amount: float) -> str:
    """`$0.10`, and more places where there are: `$0.0015`."""
    text = f"{max(amount, 0.0):.6f}".rstrip("0")
    whole, _, part = text.partition(".")
    return f"${whole}.{part:0<2}"
