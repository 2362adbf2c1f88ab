"""The services as they are set up, and what was asked of them today."""

from __future__ import annotations

from conspectus.records.sources import ServiceState
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import RateLimit
from conspectus.services.registry import service, service_names
from conspectus.settings.groups import SourcesSettings


def list_services(settings: SourcesSettings) -> tuple[ServiceState, ...]:
    """All of them, in the order in which they are asked."""
    return tuple(_state(name, settings) for name in service_names())


def _state(name: str, settings: SourcesSettings) -> ServiceState:
    one = service(name)
    client = ServiceClient(one, settings)
    return ServiceState(
        name=name,
        title=one.title,
        address=client.url,
        has_key=bool(client.key),
        needs_key=one.needs_key,
        finds=tuple(sorted(one.queries)),
        limit=_describe_limit(client.limits),
    )


def _describe_limit(limit: RateLimit) -> str:
    rate = f"{limit.requests} in {limit.seconds:g} s" if limit.seconds != 1 else f"{limit.requests} a second"
    return f"{rate}, {limit.at_once} at once"
