"""An agent's calls of tools: checked, not made twice, counted; what goes wrong is told to the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from conspectus.answer.agent_state import AgentState
from conspectus.answer.tools import AgentTool
from conspectus.core.errors import ConspectusError, ServiceError, UsageError
from conspectus.llm.budget import CallUsage, count_calls
from conspectus.models.language import ToolCall

NAME = 100
"""Characters of a name that a model made up, that are shown."""
TROUBLE = 300


@dataclass(slots=True)
class PendingCall:
    """A call as far as it has come. `trouble` is why it is not made, or was not."""

    call: ToolCall
    tool: AgentTool | None = None
    arguments: Any = None
    trouble: str = ""
    begun: Any = None
    spent: Sequence[CallUsage] = ()
    seconds: float = 0.0

    @property
    def beside(self) -> bool:
        """Whether it may begin at the same time as others."""
        return self.tool is not None and self.tool.parallel


class ToolExecutor:
    """Makes calls of tools.

    Args:
        state: what the tools work on.
        tools: what may be called.

    Attributes:
        repeats: how often a call was asked for that had been made.
    """

    def __init__(self, state: AgentState, tools: Sequence[AgentTool]) -> None:
        self.offered = tuple(tool.offered for tool in tools)
        self.repeats = 0
        self._state = state
        self._tools = {tool.name: tool for tool in tools}
        self._earlier_calls: set[str] = set()

    def ready(self, tool: AgentTool, arguments: msgspec.Struct, arguments_text: str) -> PendingCall:
        """A call of the program's own."""
        self._earlier_calls.add(_same(tool, arguments))
        return PendingCall(ToolCall("", tool.name, arguments_text), tool, arguments)

    def prepare(self, call: ToolCall) -> PendingCall:
        """A model's call with its tool and its arguments, or with what is wrong with it."""
        tool = self._tools.get(call.name)
        if tool is None:
            return PendingCall(
                call, trouble=f"There is no tool '{call.name[:NAME]}'. There are: {', '.join(self._tools)}."
            )
        try:
            arguments = msgspec.json.decode(call.arguments.strip() or "{}", type=tool.takes, strict=False)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            trouble = f"The arguments of '{tool.name}' cannot be used: {str(error)[:TROUBLE]}."
            return PendingCall(call, tool, trouble=trouble)
        if _same(tool, arguments) in self._earlier_calls:
            self.repeats += 1
            trouble = (
                f"'{tool.name}' was called with these arguments before, and would give the same. Do something else."
            )
            return PendingCall(call, tool, trouble=trouble)
        if tool.takes.__struct_fields__:
            self._earlier_calls.add(_same(tool, arguments))
        return PendingCall(call, tool, arguments)

    async def begin(self, item: PendingCall) -> None:
        """Do what a call has to wait for; an error of it is kept for the call."""
        if item.trouble or item.tool is None:
            return
        began = time.perf_counter()
        with count_calls() as item.spent:
            try:
                item.begun = await item.tool.begin(self._state, item.arguments)
            except (UsageError, ServiceError) as error:
                item.trouble = self._describe_error(error)
        item.seconds = time.perf_counter() - began

    async def result(self, item: PendingCall) -> str:
        """What the model is told.

        Raises:
            BudgetError: what may be spent does not reach for it.
        """
        if item.begun is None:
            await self.begin(item)
        if item.trouble or item.tool is None:
            return item.trouble
        began = time.perf_counter()
        with count_calls() as spent:
            try:
                return await item.tool.call(self._state, item.arguments, item.begun)
            except (UsageError, ServiceError) as error:
                return self._describe_error(error)
            finally:
                item.spent = [*item.spent, *spent]
                item.seconds += time.perf_counter() - began

    def _describe_error(self, error: ConspectusError) -> str:
        """An error as the model is told of it; the user is told too, where it is not the model's own."""
        if isinstance(error, ServiceError):
            self._state.run.note(error.message)
            return f"It failed: {error.message}"
        return f"{error.message} {error.hint}".strip()


def _same(tool: AgentTool, arguments: msgspec.Struct) -> str:
    """What two calls share that give the same: case and white space make no difference."""
    fields = msgspec.to_builtins(arguments)
    return repr((tool.name, [" ".join(str(value).casefold().split()) for value in fields.values()]))
