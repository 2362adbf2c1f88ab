"""The tools over standard input and output, or over HTTP."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from conspectus.server.access import Access
from conspectus.server.guard import Guard
from conspectus.server.lifecycle import address, bound, run
from conspectus.server.streams import Open, Streams

PATH = "/mcp"
MOST = 4 * 2**20
"""Bytes of a message."""
IDLE = 600
"""Seconds after which a session that asks nothing ends."""


def over_stdio(server: MCPServer) -> None:
    """Answer on standard output until standard input ends."""
    server.run("stdio")


def over_http(server: MCPServer, host: str, port: int, token: str, tell: Callable[[str], None]) -> None:
    """Answer at an address until a signal ends it; who may ask is as for `serve`.

    Raises:
        UsageError: others than this machine can reach it, and there is no token; or the address is taken.
    """
    access = Access(host, port, token)
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the guard does that
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=checked, host=host, session_idle_timeout=IDLE
    )
    streams = Open()
    with bound(access) as place:
        tell(address(access, PATH))
        guarded = Guard(Streams(app, streams, {}), access, {PATH: MOST}, PATH, links=True)
        run(guarded, streams, place)
