"""One stream for all jobs: what a page with many tabs listens to."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.records.events import JobLogEntry, Notice, Progress
from conspectus.server import board as feeds
from conspectus.server import streams
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.server.board import Feed
from serving import body, collect_notices, events_of

EVENTS = "/api/v1/events"


class Page:
    """A page that listens: what it was sent, until it goes."""

    def __init__(self, app: Any, last: str = "") -> None:
        self._app, self._last, self.text, self.status = app, last, "", 0
        self._is_asked = False
        self._more, self._gone = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> Page:
        head = [(b"host", b"localhost"), (b"last-event-id", self._last.encode())]
        scope = {
            **{"type": "http", "method": "GET", "path": EVENTS, "raw_path": EVENTS.encode(), "query_string": b""},
            **{"headers": head, "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http"},
            **{"root_path": "", "http_version": "1.1", "asgi": {"version": "3.0"}},
        }
        self._task = asyncio.create_task(self._app(scope, self._receive, self._send))
        await self.until(lambda: self.status)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        await asyncio.wait_for(self._task, 30)

    async def until(self, seen: Any) -> None:
        while not seen():
            self._more.clear()
            await asyncio.wait_for(self._more.wait(), 30)

    async def _receive(self) -> dict[str, Any]:
        if not self._is_asked:
            self._is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.status = message.get("status", self.status)
        self.text += message.get("body", b"").decode()
        self._more.set()

    @property
    def events(self) -> Any:
        return events_of(self.text)


def test_all_jobs_are_told_by_one_stream(library: Library, client: TestClient) -> None:
    """Browsers hold six connections: the seventh tab would hang."""
    app: Any = client.app

    async def listen() -> tuple[list[Any], list[str], list[Any]]:
        async with Page(app) as page:
            await page.until(lambda: page.events)
            names = [app.state.board.begin(library.ask, f"Where do {cells} fire?").id for cells in ("a", "b")]
            await page.until(lambda: page.text.count("event: done") == 2)
            all_of_it = page.events
        middle = all_of_it[len(all_of_it) // 2]
        async with Page(app, middle.id) as again:
            await again.until(lambda: again.text.count("event: done") >= 1 and again.events[-1].id == all_of_it[-1].id)
        return all_of_it, names, again.events

    told, names, rest = asyncio.run(listen())
    assert (told[0].event, told[0].data) == ("jobs", {"jobs": []})
    for name in names:
        mine = [one.data for one in told if one.data.get("job") == name]
        assert mine == [one.data for one in collect_notices(client, name)[:-1]], (
            "each job tells all that it tells alone"
        )
    assert len({one.id for one in told}) == len(told)
    assert rest == told[len(told) // 2 + 1 :], "who comes back has missed nothing, and hears nothing twice"


@pytest.mark.parametrize("place", ["0-5", "x", "-1", "9" * 40, "0-" + "9" * 40, "\u0662"])
def test_a_place_of_another_server_is_none(library: Library, place: str) -> None:
    """A page would believe that it has missed nothing while the server began anew."""
    app = create_app(library, Access(port=80))

    async def listen() -> Any:
        async with Page(app, place) as page:
            await page.until(lambda: page.events)
            return page.events

    (only,) = asyncio.run(listen())
    assert only.event == "reset" and only.data == {"jobs": []} and app.state.board.feed.knows(only.id)


def test_what_is_gone_is_said_to_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that was away for long, or reads slowly, would show half of an answer as the whole."""
    monkeypatch.setattr(feeds, "MOST", 10)
    feed = Feed()
    first = feed.place

    def put(count: int) -> None:
        for number in range(count):
            feed.put(JobLogEntry("job", number, 0.0, Notice(str(number))))

    async def listen() -> list[Any]:
        seen = []
        put(10)
        assert feed.knows(first)
        async with aclosing(feed.follow(first)) as entries:
            async for sent in entries:
                seen.append(sent)
                if len(seen) == 3:
                    put(50)
        return seen

    seen = asyncio.run(listen())
    assert seen[-1] is None and len(seen) == 4 and not feed.knows(first)
    assert len(feed._entries) == 10


def test_progress_takes_the_place_of_progress() -> None:
    """A long job would push out what the others told."""
    feed = Feed()
    feed.put(JobLogEntry("other", 1, 0.0, Notice("kept")))
    for number in range(3 * feeds.MOST):
        feed.put(JobLogEntry(f"job-{number % 2}", number, 0.0, Progress("reading", number, 0, "files")))
    assert len(feed._entries) == 3 and feed.knows(f"{feed._name}-1")


def test_streams_are_counted(library: Library, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who opens them without end would take memory until nobody is answered."""
    monkeypatch.setattr(streams, "MOST", 3)
    app: Any = client.app

    async def listen() -> list[int]:
        async with Page(app), Page(app), Page(app):
            async with Page(app) as one_more:
                refused = one_more.status
            assert len(app.state.streams) == 3
        assert len(app.state.streams) == 0
        async with Page(app) as again:
            return [refused, again.status]

    assert asyncio.run(listen()) == [503, 200]
    assert len(app.state.streams) == 0 and not app.state.board.feed._listeners
    assert body(client, "/status")


def test_the_end_of_the_server_is_told(library: Library) -> None:
    """A page would take the end of the server for a lost connection, and ask for it every second."""
    app = create_app(library, Access(port=80))

    async def listen() -> Any:
        async with Page(app) as page:
            await page.until(lambda: page.events)
            app.state.streams.close()
            await page.until(lambda: len(page.events) == 2)
            return page.events[-1]

    assert asyncio.run(listen()).event == "end"
