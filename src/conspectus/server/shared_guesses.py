"""Wrong tokens that came to any of several servers over one catalog: all of them shut out who guesses."""

from __future__ import annotations

from collections import deque

from sqlalchemy import text

from conspectus.server.access import ADDRESSES, MINUTE, Access
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside

TABLE = (
    "CREATE TABLE IF NOT EXISTS server_guesses (network text NOT NULL, guess text NOT NULL, "
    "at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (network, guess))"
)
_PUT = (
    "INSERT INTO server_guesses (network, guess) VALUES (:network, :guess) "
    "ON CONFLICT (network, guess) DO UPDATE SET at = now()"
)
_OLD = "DELETE FROM server_guesses WHERE at < now() - make_interval(secs => :seconds)"
_ALL = "SELECT network, guess, extract(epoch FROM now() - at) AS age FROM server_guesses"


class SharedGuesses:
    """Exchanges the wrong tokens of the last minute with the other servers, as digests.

    Args:
        catalog: on a server, with the table.
        access: of this server.
    """

    def __init__(self, catalog: Catalog, access: Access) -> None:
        self._catalog, self._access = catalog, access
        self._new: deque[tuple[str, bytes]] = deque(maxlen=ADDRESSES)
        access.on_guess = lambda network, guess: self._new.append((network, guess))

    def exchange(self) -> None:
        """Write those that came here, and note those that came to the others."""
        new = [self._new.popleft() for _ in range(len(self._new))]
        with aside(self._catalog.engine) as connection:
            if new:
                rows = [{"network": network, "guess": guess.hex()} for network, guess in sorted(set(new))]
                connection.execute(text(_PUT), rows)
            connection.execute(text(_OLD), {"seconds": MINUTE})
            others = connection.execute(text(_ALL)).all()
        for row in others:
            self._access.note_guess(row.network, bytes.fromhex(row.guess), float(row.age))
