"""Unpaywall (https://api.unpaywall.org/v2), which knows the open copies of works by their DOIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from conspectus.parse.bibliography.services import describe_unpaywall
from conspectus.services.answers import WorkReader, make_refusal
from conspectus.services.protocol import Identifier, RateLimit, Service

if TYPE_CHECKING:
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_READER = WorkReader(describe_unpaywall)


class Unpaywall(Service):
    """Unpaywall's open copies. It cannot be searched, and requires an e-mail address."""

    name = "unpaywall"
    title = "Unpaywall"
    schemes = frozenset({"doi"})
    batch = 1
    limits = RateLimit(requests=10, seconds=1.0, at_once=2)
    needs_mailto = True

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        found = {}
        for identifier in identifiers:
            answer = client.get_json(f"/{quote(identifier.value, safe='/')}", {"email": client.mailto})
            if answer is None:
                continue
            if isinstance(answer, Mapping) and answer.get("error"):
                raise make_refusal(client, answer.get("message"))
            found[identifier] = _READER.work(client, answer)
        return found
