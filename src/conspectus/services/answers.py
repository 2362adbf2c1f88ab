"""Pages and works read from the answers of services, which are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.fields import value_at
from conspectus.parse.bibliography.records import elements, metadata_of_service
from conspectus.parse.process.sanitizer import sanitize
from conspectus.records import ParsedPaper
from conspectus.services.protocol import ShortPageError, WorkPage

if TYPE_CHECKING:
    from conspectus.core.errors import ServiceError
    from conspectus.parse.bibliography.fields import Description
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_MOST_WORKS = 10**12


class WorkReader:
    """Reads the works of one service.

    Args:
        read: its reader in `parse.bibliography`.
        notices: whether it knows notices, so that a work without one counts as checked.
    """

    def __init__(self, read: Callable[[Any], Description], *, notices: bool = False) -> None:
        self._read = read
        self._notices = notices

    def work(self, client: ServiceClient, record: Any) -> Metadata:
        """The record of one work.

        Raises:
            ServiceError: it is no object or element, names neither a title nor an identifier, or has wrong types.
        """
        if not isinstance(record, Mapping | Element):
            raise client.failure("answered with something that is not a record of a work")
        try:
            work = sanitize(ParsedPaper(metadata_of_service(*self._read(record)))).metadata
        except (ValueError, RecursionError) as error:
            raise client.failure(f"answered with something that is not a record of a work ({error})") from error
        if not (work.title or work.doi or work.bibcode or work.external_id):
            raise client.failure("answered with a work that has neither a title nor an identifier")
        today = datetime.now(UTC).date().isoformat()
        extra = dict(work.extra)
        if self._notices:
            extra["checked"] = today
        if work.citation_count is not None:
            extra["counted"] = today
        return replace(work, extra=extra)

    def works(self, client: ServiceClient, records: Iterable[Any]) -> tuple[Metadata, ...]:
        """The records of several. Errors as `work`."""
        return tuple(self.work(client, work) for work in records)


def read_part(client: ServiceClient, answer: Any, path: str, kind: type) -> Any:
    """What is at `path` (`message.items`) in an answer.

    Raises:
        ServiceError: there is nothing, or something of another kind.
    """
    value = value_at(answer, path)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise client.failure(f"answered without '{path}', or with something else there")
    return value


def make_refusal(client: ServiceClient, *said: object) -> ServiceError:
    """The error for a reason that a service gives in a successful answer."""
    words = " ".join(" ".join(str(each).split()) for each in said if each)
    return client.failure(f"refused: {words[:200]}")


def elements_of(client: ServiceClient, answer: bytes | None, names: Set[str]) -> list[Element]:
    """The outermost elements of these names in an answer; tags have no namespace.

    Raises:
        ServiceError: there is no answer, or it is too deep or too large.
        ServiceAwayError: it is cut off, or no XML.
    """
    if answer is None:
        raise client.failure("has nothing at its address")
    try:
        return [element for _, element in elements(BytesIO(answer), names, "the answer")]
    except InputError as error:
        raise client.away(f"answered with XML that cannot be read ({error.message})") from error


def read_total(client: ServiceClient, text: str) -> int:
    """The number of works in an answer. A ServiceError if it is no number."""
    if not _is_number(text.strip()):
        raise client.failure(f"answered {text[:40]!r} instead of a number of works")
    return int(text)


def read_place(client: ServiceClient, at: str) -> tuple[int, str]:
    """(works that came before, the service's own cursor) of `WorkPage.next`."""
    seen, _, cursor = (at or "0").partition(" ")
    if not _is_number(seen):
        raise client.failure(f"cannot continue at {at[:40]!r}, which is not a place in its list")
    return int(seen), cursor


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and int(text[:20]) < _MOST_WORKS


def page_of(
    client: ServiceClient,
    works: tuple[Metadata, ...],
    size: int,
    total: int,
    before: int,
    cursor: str,
    *,
    left_out: int = 0,
) -> WorkPage:
    """A page, once it is known to be whole. There is another one behind a full page, whatever the total says.

    Args:
        client: asked for it.
        works: that came.
        size: works that were asked for.
        total: works in all, as the service says.
        before: works on the pages before.
        cursor: with which the service is asked for the next page; "" where it gives none.
        left_out: works that came and cannot be shown.

    Raises:
        ServiceError: the total is no number of works.
        ShortPageError: fewer works came than there are.
    """
    check_total(client, total)
    expected, count = min(size, total - before), len(works) + left_out
    if count < expected:
        error = client.away(f"answered with {len(works)} works where {expected} were expected")
        raise ShortPageError(error.message, error.hint, works)
    more = cursor and count and (before + count < total or count >= size)
    return WorkPage(works, total, f"{before + count} {cursor}" if more else "")


def check_total(client: ServiceClient, total: int) -> None:
    """Raise a ServiceError for a total that no service can have."""
    if not 0 <= total < _MOST_WORKS:
        raise client.failure(f"reported {total} works in all, which cannot be")


def require_works(client: ServiceClient, count: int, expected: int) -> None:
    """Raise a ServiceAwayError where fewer works came than there are."""
    if count < expected:
        raise client.away(f"answered with {count} works where {expected} were expected")


def check_complete(client: ServiceClient, works: Sequence[object], total: int, limit: int) -> None:
    """Raise a ServiceAwayError for fewer works than the answer announces, or more than were asked for."""
    if len(works) != total or total > limit:
        raise client.away(f"answered with {len(works)} of {total} works where {limit} were asked for")
