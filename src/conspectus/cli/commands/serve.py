"""`serve` and `mcp`: the library for browsers and programs, and as tools of language models."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import get_args

import click

from conspectus.cli import interrupts
from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.core.bounds import BOUNDS

ENDING = 9.0
"""Seconds that a server has after SIGTERM to end its answers and jobs: a little less than others wait for it."""

_token = click.option(
    "--token",
    envvar="CONSPECTUS_SERVER_TOKEN",
    metavar="TEXT",
    default="",
    help="Token that callers must send; `auto` makes one. Required unless only this machine may connect.",
)


@verb("serve")
@click.option("--host", default="127.0.0.1", metavar="H", help="Address to listen on (default: this machine only).")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, metavar="N", help="Port; 0 for any free one.")
@_token
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="Also accept requests for this host name. Repeatable."
)
@click.option("--read-only", is_flag=True, help="Allow no changes and no calls of language models.")
@click.option(
    "--upload-limit",
    type=click.IntRange(1, 100_000),
    default=BOUNDS.upload.most >> 20,
    metavar="MB",
    help="Largest upload.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def serve_verb(
    state: State,
    /,
    host: str,
    port: int,
    token: str,
    names: tuple[str, ...],
    read_only: bool,
    upload_limit: int,
    opens: bool,
) -> None:
    """Serve the library to browsers and programs (HTTP) until Ctrl-C.

    The address is printed on the first line. On another host than this machine it needs a token, which stands in the
    address printed.
    """
    from conspectus.records.models import Role
    from conspectus.server.access import Access
    from conspectus.server.lifecycle import serve
    from conspectus.settings.groups import NO_MODEL

    access = Access(host, port, token, names, read_only)

    def tell(address: str) -> None:
        _address(state, address)
        if opens:
            click.launch(address)

    if read_only:
        state.flags |= {f"language.{name}": NO_MODEL for name in ("model", *get_args(Role))}
    interrupts.allow(ENDING)
    with state.library(create=not read_only) as library, suppress(KeyboardInterrupt):
        serve(library, access, upload_limit * 2**20, tell)


@verb("mcp")
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), metavar="PORT", help="Serve over HTTP instead of standard input."
)
@click.option("--host", default="127.0.0.1", metavar="H", help="With --http: the address to listen on.")
@_token
@click.option("--allow-add", is_flag=True, help="Let tools add files of this machine.")
def mcp_verb(state: State, port: int | None, host: str, token: str, allow_add: bool) -> None:
    """Offer the library to language models as tools (Model Context Protocol).

    Over standard input and output, or with --http at the printed address.
    """
    from conspectus.mcp.server import create, over_http, over_stdio

    interrupts.allow(ENDING)
    with state.library() as library, suppress(KeyboardInterrupt):
        server = create(library, allow_add=allow_add)
        if port is None:
            over_stdio(server)
        else:
            over_http(server, host, port, token, partial(_address, state))


def _address(state: State, address: str) -> None:
    state.tell(lambda: {"address": address}, [address])
