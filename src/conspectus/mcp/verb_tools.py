"""Tools made from declared verbs: arguments, result and description from their signatures, and their progress."""

from __future__ import annotations

import asyncio
import inspect
import io
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import PurePath
from typing import Annotated, Any, TypeVar

import msgspec
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.faces.declare import REQUIRED, Parameter, Verb, arguments, parameters
from conspectus.faces.results import body_of, json_schema, text_of, verb_method
from conspectus.library import Library
from conspectus.records.events import JobEvent, Notice, Progress, Reading, StanceJudged, StatementChecked
from conspectus.session.jobs import Job

T = TypeVar("T")


async def follow(job: Job[T], ctx: Context[Any, Any]) -> T:
    """A job's result. Its events are reported as progress; a caller that gives up cancels it."""
    try:
        event_count = 0
        async for event in job.aevents():
            if line := _progress_line(event):
                event_count += 1
                await ctx.report_progress(event_count, None, line)
        return await job
    except asyncio.CancelledError:
        job.cancel()
        raise


def _progress_line(event: JobEvent) -> str:
    """An event in a line; "" if it says nothing about progress."""
    match event:
        case Reading():
            return f"read {event.done} of {event.total} passages"
        case Progress():
            return f"{event.stage} {event.done / event.total:.0%}" if event.total else event.stage
        case StatementChecked():
            return event.statement.text
        case StanceJudged():
            return f"{event.stance.stance}: {event.stance.label}"
        case Notice():
            return event.text
        case _:
            return ""


PICTURES, PIXELS = 3, 800
"""Pictures that come with figures, and their longest side."""
LINKS = 20
"""Links to papers that come with a result."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ASKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)


def make_tool(library: Library, verb: Verb) -> Tool:
    """The tool of a declared verb over an open library."""
    function = _job_function(library, verb) if verb.job else _function(library, verb)
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_signature(parameter) for parameter in parameters(verb.function, "mcp")] + _context(verb)
    )
    reads = _ASKS if verb.writes or verb.job else _READS
    tool = Tool.from_function(function, verb.tool, description=verb.description, annotations=reads)
    tool.fn_metadata.output_schema = json_schema(verb)
    return tool


def _function(library: Library, verb: Verb) -> Callable[..., Awaitable[CallToolResult]]:
    async def run(**values: Any) -> CallToolResult:
        with _convert_errors():
            verb_arguments = arguments(verb.function, "mcp", values)
            return await with_pictures(
                library,
                result_of(verb, await asyncio.to_thread(verb_method(library, verb), **verb_arguments), verb_arguments),
            )

    return run


def _job_function(library: Library, verb: Verb) -> Callable[..., Awaitable[CallToolResult]]:
    async def run(ctx: Context[Any, Any], **values: Any) -> CallToolResult:
        with _convert_errors():
            verb_arguments = arguments(verb.function, "mcp", values)
            return await with_pictures(
                library,
                result_of(
                    verb, await follow(library.begin(verb_method(library, verb), **verb_arguments), ctx), verb_arguments
                ),
            )

    return run


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert `ConspectusError` to `ToolError`; the host hides every other error."""
    try:
        yield
    except ConspectusError as error:
        raise ToolError(str(error)) from error


def _context(verb: Verb) -> list[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter("ctx", keyword, annotation=Context)] if verb.job else []


def _signature(parameter: Parameter) -> inspect.Parameter:
    option = parameter.option
    limits = {"ge": option.ge, "le": option.le, "description": option.help or None}
    kind: Any = str if option.read is not None else parameter.type
    kind = list[kind] if parameter.is_list else kind
    default: Any = inspect.Parameter.empty
    if parameter.default is not REQUIRED:
        default = "" if option.read is not None else parameter.default
        default = list(default) if isinstance(default, tuple) else default
        kind = kind | None  # an optional argument may be absent or null
    limits = {name: value for name, value in limits.items() if value is not None}
    annotation = Annotated[kind, Field(**limits)]
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def add_options(tool: Callable[..., Any], make: Callable[..., Any]) -> inspect.Signature:
    """The signature of a tool written by hand, with the options of `make` in place of its `**limits`."""
    signature = inspect.signature(tool, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    options = [_signature(parameter) for parameter in parameters(make, "mcp")]
    return signature.replace(parameters=[*own, *options])


def result_of(verb: Verb, result: Any, values: Mapping[str, Any]) -> CallToolResult:
    """A result: its JSON, the same in words for hosts that read only text, and links to its papers."""
    body = hide_folders(msgspec.to_builtins({"schema": f"conspectus.{verb.schema_name}/1", **body_of(verb, result)}))
    text = text_of(verb, result, values).strip() or "Nothing was found."
    links: list[ContentBlock] = [
        ResourceLink(type="resource_link", uri=f"conspectus://paper/{name}", name=title[:100] or name)
        for name, title in islice(_papers(body), LINKS)
    ]
    return CallToolResult(content=[TextContent(type="text", text=text), *links], structured_content=body)


def hide_folders(body: Any) -> Any:
    """A JSON body with the names of files alone: a model need not know where they are on this machine."""
    if isinstance(body, list | tuple):
        return [hide_folders(part) for part in body]
    if not isinstance(body, dict):
        return body
    parts = {name: hide_folders(part) for name, part in body.items()}
    return parts | {"path": PurePath(parts["path"]).name} if {"path", "sha256"} <= parts.keys() else parts


async def with_pictures(library: Library, result: CallToolResult) -> CallToolResult:
    """The result with the pictures of its first figures."""
    names = list(islice((figure["id"] for figure in _objects(result.structured_content, "caption")), PICTURES))
    pictures = await asyncio.to_thread(lambda: [*_pictures(library, names)]) if names else []
    return result.model_copy(update={"content": [*result.content, *pictures]}) if pictures else result


def _pictures(library: Library, names: Iterable[str]) -> Iterator[ImageContent]:
    for name in names:
        with suppress(InputError, NotFoundError):  # no page is known, or its file is gone: the words are there
            buffer = io.BytesIO()
            image = library.figures.image(name)
            image.thumbnail((PIXELS, PIXELS))
            image.save(buffer, "PNG")
            yield ImageContent(type="image", data=b64encode(buffer.getvalue()).decode(), mime_type="image/png")


def _papers(body: Any) -> Iterator[tuple[str, str]]:
    """The ids and titles of the papers in a JSON body, each once, in their order."""
    return ((paper["id"], paper.get("title", "")) for paper in _objects(body, "external_id"))


def _objects(body: Any, field: str) -> Iterator[dict[str, Any]]:
    """The objects with an id and this field in a JSON body, each once, in their order."""
    seen_ids: set[str] = set()
    pending = [body]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if field in part and "id" in part and part["id"] not in seen_ids:
                seen_ids.add(part["id"])
                yield part
            pending += reversed(list(part.values()))
        elif isinstance(part, list):
            pending += reversed(part)
