"""The tools, over a library: what is asked of it, and how its jobs tell how far they are."""

from __future__ import annotations

import asyncio
import difflib
import io
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import Field, ValidationError

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.core.version import __version__
from conspectus.faces.declare import arguments
from conspectus.faces.filters import make_question_filters
from conspectus.faces.index import all_verbs
from conspectus.library import Library
from conspectus.mcp import results
from conspectus.mcp.verb_tools import add_options, follow, make_tool
from conspectus.records import FoundFigure
from conspectus.records.answer import Depth
from conspectus.server.access import Access
from conspectus.server.guard import Guard
from conspectus.server.lifecycle import address, bound, run
from conspectus.server.streams import Open, Streams
from conspectus.wire import encode

_MOST = 5
"""So many mistakes of one call are told."""
_SHOWN = 60
"""Letters of what was given."""


class Checked(MCPServer):
    """A server that says of wrong arguments what is wrong with them, and takes none that a tool does not have."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """As `MCPServer.call_tool`."""
        properties = next(
            (tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None
        )
        if properties is not None and (
            unknown_names := [argument for argument in arguments if argument not in properties]
        ):
            raise ToolError(_unknown(name, unknown_names[0], properties))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(wrong := error.__cause__, ValidationError):
                raise ToolError("\n".join(_wrong(wrong, properties or {}))) from wrong
            raise


def _unknown(tool: str, name: str, known: Iterable[str]) -> str:
    matches = difflib.get_close_matches(name, known, n=1)
    nearest = f" The nearest is `{matches[0]}`." if matches else ""
    return f"`{tool}` has no argument `{name[:_SHOWN]}`.{nearest} It has: {', '.join(known)}."


def _wrong(error: ValidationError, known: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    """A line for each mistake, then what the arguments with any are."""
    errors = error.errors(include_url=False)[:_MOST]
    for detail in errors:
        place = ".".join(str(part) for part in detail["loc"][:2])  # then come the forms that it may have
        input_note = "" if detail["type"] == "missing" else f"; given was {repr(detail['input'])[:_SHOWN]}"
        yield f"`{place}`: {detail['msg']}{input_note}."
    for name in dict.fromkeys(str(detail["loc"][0]) for detail in errors):
        if about := known.get(name, {}).get("description"):
            yield f"What `{name}` is: {about}."


P = ParamSpec("P")
T = TypeVar("T")
PASSAGES = 100
"""Passages of a paper that are listed."""
PICTURES, PIXELS = 3, 800
"""Pictures that come with figures, and their longest side."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ASKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_INSTRUCTIONS = (
    "A library of scientific papers. Every quote comes from a paper word for word and has the ids of its sentences "
    "(`span_ids`, or the ids of a passage's `spans`): cite these, and quote nothing else. `ask` answers whole "
    "questions with checked statements; `search` finds papers; `get_passage` has the text around a quote; `map` tells "
    "what the library is about. Where nothing is found, say so."
)


class Tools:
    """The tools over a library, each a method.

    Args:
        library: stays open as long as they are used.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def _pictures(self, figures: Sequence[FoundFigure]) -> list[bytes]:
        """Of the first that have one."""
        pngs: list[bytes] = []
        for figure in figures[:PICTURES]:
            with suppress(InputError, NotFoundError):  # no page is known, or its file is gone: the words are there
                buffer = io.BytesIO()
                image = self._library.figures.image(figure.id)
                image.thumbnail((PIXELS, PIXELS))
                image.save(buffer, "PNG")
                pngs.append(buffer.getvalue())
        return pngs

    async def get_paper(
        self, paper: Annotated[str, Field(description="Its id, DOI, arXiv id, PMID or title")]
    ) -> Annotated[CallToolResult, results.PaperWhole]:
        """A paper: its abstract, what is known of it, and the ids of its passages."""
        record = await _run(self._library.paper, paper)
        return results.make_paper_result(record, await _run(lambda: list(self._library.passages(record.id))), PASSAGES)

    async def get_passage(
        self, id: Annotated[str, Field(description="A passage_id or span_id, as other tools give it")]
    ) -> Annotated[CallToolResult, results.PassageCard]:
        """The whole passage that a quote stands in, with its sentences and their pages."""
        paper, passage, _ = await _run(self._library.citation, id)
        return results.passage(paper, passage)

    async def ask(
        self,
        question: str,
        ctx: Context[Any, Any],
        depth: Depth = "standard",
        read_figures: Annotated[bool, Field(description="Have the model set for it look at figures, too")] = False,
        **limits: Any,
    ) -> Annotated[CallToolResult, results.AnswerCard]:
        """Answer a question from the library: statements, each checked against the quotes it cites, or why not."""
        filters = make_question_filters(**arguments(make_question_filters, "mcp", limits))
        asking = self._library.begin(self._library.ask, question, filters, depth=depth, read_figures=read_figures)
        answer = await follow(asking, ctx)
        return results.answer(
            answer, await _run(self._pictures, [cited_figure.figure for cited_figure in answer.figures])
        )

    async def add(
        self,
        paths: Annotated[list[str], Field(description="Files or folders of this machine, with absolute paths")],
        ctx: Context[Any, Any],
    ) -> Annotated[CallToolResult, results.Added]:
        """Add papers to the library: PDF, HTML, LaTeX, DOCX, EPUB, BibTeX, records."""
        if missing := [path for path in paths if not os.path.exists(path)]:  # noqa: PTH110 - that of Path raises
            raise NotFoundError(f"There is no {', '.join(missing)}; nothing was added.", "Give absolute paths.")
        report = await follow(self._library.begin(self._library.add, paths), ctx)
        return results.added(report)

    async def paper_of(self, paper: str) -> str:
        """A paper with its passages, as JSON."""
        try:
            record = await _run(self._library.paper, paper)
            passages = await _run(lambda: encode.plain(list(self._library.passages(record.id))))
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        return msgspec.json.encode({"paper": encode.plain(record), "passages": passages}).decode()


def create(library: Library, *, allow_add: bool = False) -> MCPServer:
    """The server of a library.

    Args:
        library: stays open as long as the server runs.
        allow_add: whether files of this machine may be added.
    """
    online = library.session.settings.sources.online
    server, tools = (
        Checked(
            "Conspectus",
            version=__version__,
            instructions=_INSTRUCTIONS,
            log_level="ERROR",
            tools=[make_tool(library, verb) for verb in all_verbs() if verb.tool and (online or not verb.online)],
        ),
        Tools(library),
    )
    for tool in (
        tools.get_paper,
        tools.get_passage,
    ):
        server.add_tool(_convert_errors(tool), annotations=_READS)
    ask = _convert_errors(tools.ask)
    ask.__signature__ = add_options(tools.ask, make_question_filters)  # type: ignore[attr-defined]
    for asking in (ask, *((_convert_errors(tools.add),) if allow_add else ())):
        server.add_tool(asking, annotations=_ASKS)
    paper = server.resource(
        "conspectus://paper/{paper}", mime_type="application/json", description="A paper with its passages"
    )
    paper(tools.paper_of)
    return server


def _convert_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """A failure as the tool's error, in the words of its class; the host hides all other errors."""

    @wraps(tool)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ConspectusError as error:
            raise ToolError(str(error)) from error

    return run


async def _run(verb: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    return await asyncio.to_thread(verb, *args, **kwargs)


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
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the guard does that
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, host=host, session_idle_timeout=IDLE
    )
    streams = Open()
    with bound(access) as place:
        tell(address(access, PATH))
        guard = Guard(Streams(app, streams, {}), access, {PATH: MOST}, PATH, links=True)
        run(guard, streams, place)
