"""A server that runs until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from conspectus.core.errors import UsageError
from conspectus.library import Library
from conspectus.server.access import Access
from conspectus.server.app import create_app

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PATIENCE = 5
"""Seconds that open streams have to end when the server does."""


def serve(library: Library, access: Access, uploads: int, tell: Callable[[str], None]) -> None:
    """Serve a library until a signal ends it.

    Args:
        library: is open.
        access: where, and who may ask; port 0: one that is free.
        uploads: bytes that one upload may have.
        tell: told the address, with the token where there is one, when it can be asked.

    Raises:
        UsageError: the address is taken, or not one of this machine.
    """
    with bound(access) as place:
        tell(address(access))
        run(create_app(library, access, uploads=uploads), place)


def run(app: ASGIApp, place: socket.socket) -> None:
    """Answer at a place that is listened on, until a signal ends it."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )
    uvicorn.Server(config).run([place])


def bound(access: Access) -> socket.socket:
    """A socket that listens where it is to; which port that is stands in `access` then.

    Raises:
        UsageError: the address is taken, or not one of this machine.
    """
    place = _listening(access.host, access.port)
    access.port = place.getsockname()[1]
    return place


def address(access: Access) -> str:
    """What is opened in a browser."""
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(access.host, access.host)  # noqa: S104
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{access.port}/" + (f"?token={access.token}" if access.token else "")


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen(128)
    except OSError as error:
        place.close()
        raise UsageError(
            f"'{host}:{port}' cannot be listened on: {error.strerror or error}.", "Choose another --port or --host."
        ) from error
    return place
