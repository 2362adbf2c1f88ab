"""Unpaywall (https://api.unpaywall.org/v2), which knows the open copies of works by their DOIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from conspectus.core.errors import ServiceError
from conspectus.parse.bibliography.services import unpaywall
from conspectus.services.answers import WorkReader, make_refusal
from conspectus.services.protocol import FoundPage, Identifier, RateLimit, Scheme, WorkQuery

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_READER = WorkReader("unpaywall", unpaywall)


class Unpaywall:
    """Unpaywall's open copies. It searches nothing, and wants to know who asks."""

    name = "unpaywall"
    title = "Unpaywall"
    schemes: frozenset[Scheme] = frozenset({"doi"})
    queries: frozenset[str] = frozenset()
    batch = 1
    page = 0
    limits = RateLimit(requests=10, seconds=1.0, at_once=2)
    keyed_limits = limits
    needs_key = False
    needs_mailto = True

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> FoundPage:  # noqa: ARG002
        """Always an error: it is not searched."""
        raise client.failed("is not searched, only asked for DOIs")

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `protocol.Service`."""
        if not client.mailto:
            raise ServiceError(f"{client.shown} requires an e-mail address.", "Set sources.mailto.")
        found = {}
        for identifier in identifiers:
            answer = client.get_json(f"/{quote(identifier.value, safe='/')}", {"email": client.mailto})
            if answer is None:
                continue
            if isinstance(answer, Mapping) and answer.get("error"):
                raise make_refusal(client, answer.get("message"))
            found[identifier] = _READER.work(client, answer)
        return found

    def price(self, query: WorkQuery | None) -> float:  # noqa: ARG002 - it costs nothing
        """Nothing."""
        return 0.0
