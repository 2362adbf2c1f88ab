"""How services are asked: one client for each, which keeps its limits and its budget and remembers what it said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import NoAnswerError, exchange, user_agent
from conspectus.core.retry import RETRY
from conspectus.services.protocol import RateLimit, Service
from conspectus.settings.groups import Secret, SourcesSettings
from conspectus.settings.keys import find_key

MAX_ANSWER = 64 * 2**20
KEY_VARIABLES = {
    "pubmed": "NCBI_API_KEY",
    "pmc": "NCBI_API_KEY",
    "openalex": "OPENALEX_API_KEY",
    "semanticscholar": "SEMANTIC_SCHOLAR_API_KEY",
    "ads": "ADS_API_TOKEN",
}
"""The variable of the environment that has the key for a service."""


class ServiceClient:
    """Asks one service.

    Attributes:
        requests: how many it sent.
        cost: US dollars that they cost.

    Args:
        service: which is asked.
        settings: addresses, keys and limits.
    """

    def __init__(self, service: Service, settings: SourcesSettings) -> None:
        self._service = service
        self._settings = settings
        self.url: str = getattr(settings, f"{service.name}_url").rstrip("/")
        self.mailto = settings.mailto.strip()
        self.requests = 0
        self.cost = 0.0

    @property
    def key(self) -> Secret:
        """The service's key; empty where none is known."""
        name = "pubmed" if self._service.name == "pmc" else self._service.name
        given = getattr(self._settings, f"{name}_key", Secret())
        variable = KEY_VARIABLES.get(name)
        return find_key(given, f"sources.{name}.key", (variable,) if variable else ())

    @property
    def limits(self) -> RateLimit:
        """What the service permits: more with a key."""
        return self._service.keyed_limits if self.key else self._service.limits

    @property
    def shown(self) -> str:
        """The service as it is named in messages, with its address, without a password in it."""
        scheme, _, rest = self.url.partition("://")
        return f"{self._service.title} ({scheme}://{rest.rpartition('@')[2]})"

    def beside(self, service: Service) -> ServiceClient:
        """A client of another service with the same settings, for a service that is asked at two addresses."""
        return ServiceClient(service, self._settings)

    def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        price: float = 0.0,
    ) -> bytes | None:
        """The answer; None where there is no such thing (404, 410).

        It may be a remembered one. A key goes into `headers` or `params` and is in no message and no kept answer.

        Args:
            path: behind the service's address, with its slash.
            params: the query.
            headers: besides the usual ones.
            body: sent as JSON, by POST.
            price: US dollars.

        Raises:
            ServiceAwayError: it does not answer now, or its limit or budget is reached.
            ServiceError: it refused.
        """
        self.requests += 1
        self.cost += price
        try:
            reply = exchange(
                "GET" if body is None else "POST",
                self.url + path,
                timeout=self._settings.timeout,
                headers={"User-Agent": user_agent(self.mailto), **(headers or {})},
                params=params,
                body=body,
                most=MAX_ANSWER,
            )
        except NoAnswerError as error:
            make = self.away if error.retry else self.failed
            raise make(f"did not answer ({error})") from error
        if reply.status in (404, 410):
            return None
        if not reply.ok:
            what = f"refused: HTTP {reply.status}, {reply.words()!r}"
            raise self.away(what) if RETRY.may_pass(reply.status) else self.failed(what)
        return reply.body

    def get_json(self, path: str, params: Mapping[str, str] | None = None, **options: Any) -> Any:
        """`get`, decoded. Errors as `get`; a ServiceError too where it is not JSON."""
        answer = self.get(path, params, **options)
        if answer is None:
            return None
        try:
            return msgspec.json.decode(answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.failed(f"answered with something that is not JSON ({error})") from error

    def failed(self, what: str) -> ServiceError:
        """The error that the service did something that asking again does not change: `refused: HTTP 400`."""
        return ServiceError(f"{self.shown} {what}.", f"Check the settings sources.{self._service.name}.*.")

    def away(self, what: str) -> ServiceAwayError:
        """The error that the service did something that may pass: `did not answer`."""
        return ServiceAwayError(f"{self.shown} {what}.", "Try again later, or check that it can be reached.")
