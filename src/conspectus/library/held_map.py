"""The map as it was read last, and what it says of a few of its texts: a page asks for these again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from conspectus.catalog import atlas as kept
from conspectus.core.errors import NotFoundError
from conspectus.records import Metadata
from conspectus.records.atlas import Atlas, Mapped, MapText
from conspectus.session.session import Session

NO_TEXT = "The map of {of} has no text {row}: it has {count}."
OTHERWISE = "The map of {of} has changed since."


class HeldMaps:
    """The last map of papers, and of passages, that was read."""

    def __init__(self) -> None:
        self._held: dict[Mapped, Atlas] = {}
        self._reading = threading.Lock()

    def of(self, of: Mapped, state: str, read: Callable[[], Atlas]) -> Atlas:
        """The map as it stands; `read` reads it where it is not held, or the library is in another state."""
        with self._reading:
            found = self._held.get(of)
            if found is None or found.state != state:
                self._held.pop(of, None)  # so that two are never held
                found = self._held[of] = read()
            return found


def held(session: Session, of: Mapped, read: Callable[[str], Atlas]) -> Atlas:
    """The map, read where it is not held; `read` is told the state that it is of."""
    maps = session.parts.of(HeldMaps, "maps")
    state = kept.map_state(session.catalog)
    return maps.of(of, state, lambda: read(state))


def map_texts(session: Session, rows: Sequence[int], *, of: Mapped = "papers", state: str = "") -> tuple[MapText, ...]:
    """What some texts of the map are, by their numbers in its columns.

    Args:
        rows: from 0 on.
        of: which map.
        state: `Atlas.state` of the map that the numbers are of; "": the map as it is.

    Raises:
        NotFoundError: there is no map, it has not so many texts, or is another by now.
    """
    from conspectus.library.mapping import read

    found = read(session, of)
    if state and state != found.state:
        raise NotFoundError(OTHERWISE.format(of=of), "Read it anew.")
    if wrong := [row for row in rows if not 0 <= row < len(found)]:
        raise NotFoundError(NO_TEXT.format(of=of, row=wrong[0], count=len(found)), "Numbers begin with 0.")
    said = kept.read_metadata(session.catalog, sorted({found.papers[row] for row in rows}))
    return tuple(_text(found, row, said.get(found.papers[row])) for row in rows)


def _text(found: Atlas, row: int, said: Metadata | None) -> MapText:
    year, citations = (int(one[row]) for one in (found.years, found.citations))
    return MapText(
        row,
        found.papers[row],
        found.units[row],
        found.titles[row],
        said.byline if said else "",
        year if year >= 0 else None,
        citations if citations >= 0 else None,
    )
