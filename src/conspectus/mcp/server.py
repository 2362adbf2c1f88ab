"""The tools, over a library: what is asked of it, and how its jobs tell how far they are."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.core.version import __version__
from conspectus.faces.index import all_verbs
from conspectus.library import Library
from conspectus.mcp import results
from conspectus.mcp.arguments import Checked
from conspectus.mcp.progress import follow
from conspectus.mcp.verb_tools import make_tool
from conspectus.records import Filters, FoundFigure
from conspectus.records.answer import Depth
from conspectus.records.filters import parse_years
from conspectus.wire import encode

P = ParamSpec("P")
T = TypeVar("T")
MOST_HITS = 50
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
Years = Annotated[str, Field(description="`2005..2015`, `2010`, `2005..` or `..2015`; empty: any")]
Names = Annotated[list[str], Field(description="Any of these; empty: any")]
Tags = Annotated[list[str], Field(description="Tags that the user put on papers: any of these; empty: any")]
Collections = Annotated[
    list[str], Field(description="Collections of the user, by name: any of these; empty: all papers")
]
K = Annotated[int, Field(ge=1, le=MOST_HITS)]
_NONE: list[str] = []


class Tools:
    """The tools over a library, each a method.

    Args:
        library: stays open as long as they are used.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def _pictures(self, found: Sequence[FoundFigure]) -> list[bytes]:
        """Of the first that have one."""
        drawn: list[bytes] = []
        for figure in found[:PICTURES]:
            with suppress(InputError, NotFoundError):  # no page is known, or its file is gone: the words are there
                held = io.BytesIO()
                image = self._library.figures.image(figure.id)
                image.thumbnail((PIXELS, PIXELS))
                image.save(held, "PNG")
                drawn.append(held.getvalue())
        return drawn

    async def get_paper(
        self, paper: Annotated[str, Field(description="Its id, DOI, arXiv id, PMID or title")]
    ) -> Annotated[CallToolResult, results.PaperWhole]:
        """A paper: its abstract, what is known of it, and the ids of its passages."""
        found = await _run(self._library.paper, paper)
        return results.make_paper_result(found, await _run(lambda: list(self._library.passages(found.id))), PASSAGES)

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
        year: Years = "",
        author: Names = _NONE,
        venue: Names = _NONE,
        depth: Depth = "standard",
        tag: Tags = _NONE,
        collection: Collections = _NONE,
        among: Annotated[list[str], Field(description="Only these papers: ids, DOIs or other identifiers")] = _NONE,
        read_figures: Annotated[bool, Field(description="Have the model set for it look at figures, too")] = False,
    ) -> Annotated[CallToolResult, results.AnswerCard]:
        """Answer a question from the library: statements, each checked against the quotes it cites, or why not."""
        filters = _filters(year, author, venue, tag, collection, among)
        asking = self._library.begin(self._library.ask, question, filters, depth=depth, read_figures=read_figures)
        found = await follow(asking, ctx)
        return results.answer(found, await _run(self._pictures, [one.figure for one in found.figures]))

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
            found = await _run(self._library.paper, paper)
            passages = await _run(lambda: encode.plain(list(self._library.passages(found.id))))
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        return msgspec.json.encode({"paper": encode.plain(found), "passages": passages}).decode()


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
    for read in (
        tools.get_paper,
        tools.get_passage,
    ):
        server.add_tool(_convert_errors(read), annotations=_READS)
    for ask in (tools.ask, *((tools.add,) if allow_add else ())):
        server.add_tool(_convert_errors(ask), annotations=_ASKS)
    paper = server.resource(
        "conspectus://paper/{paper}", mime_type="application/json", description="A paper with its passages"
    )
    paper(tools.paper_of)
    return server


def _convert_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """A failure as the tool's error, in the words of its class; the host hides all other errors."""

    @wraps(tool)
    async def run(*given: P.args, **named: P.kwargs) -> T:
        try:
            return await tool(*given, **named)
        except ConspectusError as error:
            raise ToolError(str(error)) from error

    return run


async def _run(verb: Callable[..., T], *given: Any, **named: Any) -> T:
    return await asyncio.to_thread(verb, *given, **named)


def _filters(
    year: str = "",
    author: list[str] = _NONE,
    venue: list[str] = _NONE,
    tag: list[str] = _NONE,
    collection: list[str] = _NONE,
    among: list[str] = _NONE,
    full_text: bool | None = None,
) -> Filters:
    return Filters(
        parse_years(year),
        tuple(venue),
        tuple(author),
        full_text=full_text,
        tag=tuple(tag),
        collection=tuple(collection),
        among=tuple(among),
    )
