"""The services as they are set up, and what was asked of them today."""

from __future__ import annotations

from datetime import UTC, datetime

from conspectus.records.sources import ServiceState
from conspectus.services.client import service_facts
from conspectus.services.protocol import RateLimit, Service, service, service_names
from conspectus.settings.groups import SourcesSettings

_OPTIONS = {
    "words": ("words",),
    "year": ("first_year", "last_year"),
    **{name: (name.replace("-", "_"),) for name in ("author", "venue", "mesh", "citing", "cited-by")},
}
"""What can be looked for, as `sources find` calls it: the fields of a query that it needs."""


def list_services(settings: SourcesSettings) -> tuple[ServiceState, ...]:
    """All of them, in the order in which they are asked."""
    return tuple(_state(name, settings) for name in service_names())


def _state(name: str, settings: SourcesSettings) -> ServiceState:
    chosen = service(name)
    facts = service_facts(chosen, settings)
    return ServiceState(
        name=name,
        title=chosen.title,
        address=facts.address,
        has_key=facts.has_key,
        needs_key=chosen.needs_key,
        finds=tuple(option for option, fields in _OPTIONS.items() if chosen.queries.issuperset(fields)),
        missing=_missing(chosen, settings, has_key=facts.has_key),
        limit=_describe_limit(facts.stated_limit or facts.limit),
        budget_left=facts.budget_left,
        requests_today=facts.requests,
        last=_describe_answer(facts.answered, facts.status),
    )


def _missing(chosen: Service, settings: SourcesSettings, *, has_key: bool) -> str:
    if chosen.needs_key and not has_key:
        return f"sources.{chosen.name}.key"
    return "sources.mailto" if chosen.needs_mailto and not settings.mailto.strip() else ""


def _describe_limit(limit: RateLimit) -> str:
    rate = f"{limit.requests} in {limit.seconds:g} s" if limit.seconds != 1 else f"{limit.requests} a second"
    return f"{rate}, {limit.at_once} at once"


def _describe_answer(at: float | None, status: int | None) -> str:
    if at is None:
        return ""
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="minutes")
    return f"answered HTTP {status} at {when}" if status else f"did not answer at {when}"
