"""What the services share: pages and works taken out of an answer, which is checked before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.fields import FieldError
from conspectus.parse.bibliography.records import metadata_of_service
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.process.sanitizer import sanitize
from conspectus.records import ParsedPaper
from conspectus.services.protocol import FoundPage

if TYPE_CHECKING:
    from conspectus.core.errors import ServiceError
    from conspectus.parse.bibliography.services import Described
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_PART = re.compile(r'"([^"]+)"|(\S+)')
_OPERATORS = frozenset({"AND", "OR", "NOT"})


class WorkReader:
    """Makes records of what a service says.

    Args:
        service: its name, as `extra` has it.
        read: its reader, of `parse.bibliography`.
        notices: whether a work without a notice was asked about, so that it counts as checked.
    """

    def __init__(self, service: str, read: Callable[[Any], Described], *, notices: bool = False) -> None:
        self._service = service
        self._read = read
        self._notices = notices

    def work(self, client: ServiceClient, said: Any) -> Metadata:
        """The record of one work.

        Raises:
            ServiceError: it is no object or element, names neither a title nor an identifier, or has wrong types.
        """
        if not isinstance(said, Mapping | Element):
            raise client.failed("answered with something that is no record of a work")
        try:
            work = sanitize(ParsedPaper(metadata_of_service(*self._read(said)))).metadata
        except (FieldError, AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
            raise client.failed(f"answered with something that is no record of a work ({error})") from error
        if not (work.title or work.doi or work.bibcode or work.external_id):
            raise client.failed("answered with a work that has neither a title nor an identifier")
        today = datetime.now(UTC).date().isoformat()
        kept = {**work.extra, "service": self._service}
        if self._notices:
            kept["checked"] = today
        if work.citation_count is not None:
            kept["counted"] = today
        return replace(work, extra=kept)

    def works(self, client: ServiceClient, said: Iterable[Any]) -> tuple[Metadata, ...]:
        """The records of several. Errors as `work`."""
        return tuple(self.work(client, one) for one in said)


def read_part(client: ServiceClient, answer: Any, path: str, kind: type) -> Any:
    """What stands at `path` (`message.items`) in an answer.

    Raises:
        ServiceError: nothing stands there, or something of another kind.
    """
    value = answer
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise client.failed(f"answered without '{path}', or with something else there")
    return value


def make_refusal(client: ServiceClient, *said: object) -> ServiceError:
    """The error that a service says in a good answer why it gives none."""
    words = " ".join(" ".join(str(each).split()) for each in said if each)
    return client.failed(f"refused: {words[:200]}")


def read_place(client: ServiceClient, at: str) -> tuple[int, str]:
    """(works that came before, the service's own cursor) of `FoundPage.next`."""
    seen, _, cursor = at.partition(" ")
    if not at:
        return 0, ""
    if not (seen.isascii() and seen.isdigit()):
        raise client.failed(f"cannot go on at '{at[:40]}', which is no place in its list")
    return int(seen), cursor


def page_of(
    client: ServiceClient, works: tuple[Metadata, ...], size: int, total: int, before: int, cursor: str
) -> FoundPage:
    """A page, once it is known to be whole.

    Args:
        client: asked for it.
        works: that came.
        size: works that were asked for.
        total: works in all, as the service says.
        before: works on the pages before.
        cursor: with which the service is asked for the next page; "" where it gives none.

    Raises:
        ServiceAwayError: fewer works came than there are.
    """
    if total < 0 or len(works) < min(size, total - before):
        raise client.away(f"answered with {len(works)} works where {min(size, total - before)} were expected")
    seen = before + len(works)
    return FoundPage(works, total, f"{seen} {cursor}" if cursor and works and seen < total else "")


def check_complete(client: ServiceClient, works: Sequence[object], total: int, asked: int) -> None:
    """Refuses an answer to a list of identifiers that has fewer works than it says, or more than were asked for."""
    if len(works) != total or total > asked:
        raise client.away(f"answered with {len(works)} of {total} works where {asked} were asked for")


def plain_words(words: str, signs: str) -> list[str]:
    """Words and quoted phrases without `signs`, which mean something to a service; AND, OR and NOT in small letters."""
    drop = str.maketrans(dict.fromkeys(signs + '"', " "))
    found = []
    for phrase, word in _PART.findall(words):
        clean = " ".join((phrase or word).translate(drop).split())
        if phrase and " " in clean:
            found.append(f'"{clean}"')
        else:
            found += [piece.lower() if piece in _OPERATORS else piece for piece in clean.split()]
    return found


def quote_phrase(text: str) -> str:
    """A text as a phrase in the syntax of Lucene, as ADS and DataCite search."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def lucene_words(words: str) -> str:
    """Words and phrases, all of which are searched, in the syntax of Lucene."""
    return " AND ".join(piece if piece.startswith('"') else quote_phrase(piece) for piece in plain_words(words, "\\"))


def lucene_years(first: int | None, last: int | None) -> str:
    """A range of years, both included: `[2005 TO *]`."""
    return f"[{'*' if first is None else first} TO {'*' if last is None else last}]"


def comma_name(name: str) -> str:
    """A person's name as `Family, Given`; one that has no parts as it is."""
    author = author_of_name(name)
    given = author.given or author.name.removesuffix(author.surname).strip()
    return f"{author.surname}, {given}" if given else author.name
