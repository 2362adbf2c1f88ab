"""Arguments of tools that are wrong, told to who gave them: which, why, and what it may be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

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
        known = next((tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None)
        if known is not None and (unknown := [one for one in arguments if one not in known]):
            raise ToolError(_unknown(name, unknown[0], known))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(wrong := error.__cause__, ValidationError):
                raise ToolError("\n".join(_wrong(wrong, known or {}))) from wrong
            raise


def _unknown(tool: str, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    nearest = f" The nearest is `{near[0]}`." if near else ""
    return f"`{tool}` has no argument `{name[:_SHOWN]}`.{nearest} It has: {', '.join(known)}."


def _wrong(error: ValidationError, known: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    """A line for each mistake, then what the arguments with any are."""
    found = error.errors(include_url=False)[:_MOST]
    for one in found:
        place = ".".join(str(part) for part in one["loc"][:2])  # then come the forms that it may have
        given = "" if one["type"] == "missing" else f"; given was {repr(one['input'])[:_SHOWN]}"
        yield f"`{place}`: {one['msg']}{given}."
    for name in dict.fromkeys(str(one["loc"][0]) for one in found):
        if about := known.get(name, {}).get("description"):
            yield f"What `{name}` is: {about}."
