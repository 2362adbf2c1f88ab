"""A server that runs until it is told to end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING

import h11
import uvicorn
from threadpoolctl import threadpool_limits
from uvicorn.protocols.http.h11_impl import H11Protocol

from conspectus.core.errors import UsageError, describe_os_error
from conspectus.library import Library
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.server.streams import Open

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PATIENCE = 5
"""Seconds that what is being answered has to end when the server does."""
HEAD = 20
"""Seconds that a caller has for the head of a request, and for its first."""
CONNECTIONS = 512
"""At one time; then new ones are told to come again (503)."""


def serve(
    library: Library,
    access: Access,
    uploads: int,
    tell: Callable[[str], None],
    *,
    idle: float | None = None,
    stays: Callable[[], bool] = lambda: False,
) -> None:
    """Serve a library until a signal ends it.

    Args:
        library: is open.
        access: where, and who may ask; port 0: one that is free.
        uploads: bytes that one upload may have.
        tell: told the address, with the token where there is one, when it can be asked.
        idle: seconds without an open page and a running job after which it ends by itself; None: never. Then it also
            ends if the page asks for it.
        stays: whether it is kept although idle, as an icon in the tray does.

    Raises:
        UsageError: the address is taken, or not one of this machine.
    """
    with bound(access) as place:
        tell(address(access))
        app = create_app(library, access, uploads=uploads)
        server = Server(configured(app, behind_proxy=bool(access.names)), app.state.streams)
        if idle is not None:
            server.end_when_idle(idle, lambda: stays() or any(not job.is_done for job in app.state.board.own_jobs()))
            app.state.quit = server.quit
        server.run([place])


class Server(uvicorn.Server):
    """Ends the streams of events when it ends: they would go on for ever."""

    def __init__(self, config: uvicorn.Config, streams: Open) -> None:
        super().__init__(config)
        self._streams = streams
        self._idle: tuple[float, Callable[[], bool]] | None = None
        self._last_busy = monotonic()

    def end_when_idle(self, seconds: float, is_busy: Callable[[], bool]) -> None:
        """End after so many seconds in which no stream of events was open and `is_busy` said no."""
        self._idle = seconds, is_busy
        self._last_busy = monotonic()

    async def on_tick(self, counter: int) -> bool:
        """Whether to end; asked ten times a second."""
        if self._idle is not None:
            seconds, is_busy = self._idle
            if len(self._streams) or is_busy():
                self._last_busy = monotonic()
            elif monotonic() - self._last_busy > seconds:
                return True
        return await super().on_tick(counter)

    def quit(self) -> None:
        """End in order, as after a signal."""
        self.should_exit = True

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer until told to end. Products of matrices take one thread each: as many callers ask as there are others,
        and small products on two threads took as much time, of twice the processors."""
        with threadpool_limits(1, "blas"):
            super().run(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """A signal came; the first ends the server in order, and is not raised once more when that is done."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._streams.close()
        await super().shutdown(sockets)


class Impatient(H11Protocol):
    """HTTP/1.1 that closes a connection whose caller takes longer than `HEAD` seconds to say what is asked for."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A caller has come."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD, transport.close)

    def data_received(self, data: bytes) -> None:
        """A caller says something: of a head, or, where it was answered without it, of a body that nobody reads."""
        super().data_received(data)
        is_answered = self.cycle is None or self.cycle.response_complete
        is_late = is_answered and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if self._head_timer is not None and not is_late:
            self._head_timer.cancel()
            self._head_timer = None
        elif self._head_timer is None and is_late:
            self._head_timer = self.loop.call_later(HEAD, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """A caller has gone."""
        if self._head_timer is not None:
            self._head_timer.cancel()
        super().connection_lost(exc)


def run(app: ASGIApp, streams: Open, place: socket.socket, *, behind_proxy: bool = False) -> None:
    """Answer at a place that is listened on, until a signal ends it.

    Args:
        app: what answers.
        streams: the streams of events that it has open.
        place: is listened on.
        behind_proxy: whether a caller on this machine is believed for whom it asks (`X-Forwarded-For`).
    """
    Server(configured(app, behind_proxy=behind_proxy), streams).run([place])


def configured(app: ASGIApp, *, behind_proxy: bool = False) -> uvicorn.Config:
    """How it answers: see `run`."""
    return uvicorn.Config(
        app,
        http=Impatient,
        ws="none",
        proxy_headers=behind_proxy,
        limit_concurrency=CONNECTIONS,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )


def bound(access: Access) -> socket.socket:
    """A socket that listens where it is to; which port that is stands in `access` then.

    Raises:
        UsageError: the address is taken, or not one of this machine.
    """
    place = _listening(access.host, access.port)
    access.port = place.getsockname()[1]
    return place


def address(access: Access, path: str = "/") -> str:
    """What is opened in a browser, or asked by a program."""
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(access.host, access.host)  # noqa: S104
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{access.port}{path}" + (f"?token={access.token}" if access.token else "")


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, else asyncio lets small writes wait
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen(128)
    except OSError as error:
        place.close()
        raise UsageError(
            f"'{host}:{port}' cannot be listened on: {describe_os_error(error)}.",
            "Choose another: `port=N`, `host=H`.",
        ) from error
    return place
