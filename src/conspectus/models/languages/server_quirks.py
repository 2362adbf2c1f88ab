"""How a server takes requests: what it is known for, and what it taught by refusing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conspectus.models.language import Reply, Request
from conspectus.models.languages.failures import is_too_long, said, status_of
from conspectus.models.languages.wire import Mode

NEXT: dict[Mode, Mode] = {"native": "tool", "tool": "prompted"}
REFUSALS = frozenset({400, 404, 405, 415, 422, 500, 501})
SCHEMA_WORDS = ("response_format", "json_schema", "schema", "grammar", "structured", "output_config", "output_format")
TOOL_WORDS = ("tool", "function call", "functions")


@dataclass(frozen=True, slots=True)
class Way:
    """One way of asking.

    Attributes:
        mode: how an object is asked for.
        shown: its schema is written into the prompt too.
        tools: tools are offered.
        temperature: it is sent.
        long_limit: the limit of an answer is called `max_completion_tokens`.
    """

    mode: Mode = "native"
    shown: bool = False
    tools: bool = True
    temperature: bool = True
    long_limit: bool = False


class ServerQuirks:
    """The way that a server is asked now; it goes down while a call lasts, so that learning ends."""

    def __init__(self, *, doubtful: bool) -> None:
        self.way = Way()
        self._doubtful = doubtful
        self._started = False
        self._taken: set[Way] = set()

    def start(self, profile: Mapping[str, Any]) -> None:
        """Begin with what is known of the model, once. A server of unknown make is first tried with the best."""
        if self._started:
            return
        self._started = True
        native = profile.get("supports_json_schema_output", False)
        tools = profile.get("supports_tools", True)
        mode: Mode = "native" if native or self._doubtful else "tool" if tools else "prompted"
        self.way = replace(self.way, mode=mode, tools=tools, temperature=_takes_temperature(profile))

    def learn(self, error: Exception, request: Request, way: Way) -> bool:
        """Whether to ask again at once, in another way than `way`, which `error` refused."""
        if way != self.way:
            return True  # another call has learnt it meanwhile
        if better := self._other(error, request):
            self.way = better
        return better is not None

    def forget(self, first: Way) -> None:
        """Go back to the way that a call began with, where no way helped it: it was refused for something else."""
        if self.way not in self._taken:
            self.way = first

    def heard(self, request: Request, reply: Reply, way: Way) -> None:
        """The server took `way`. One that answers a schema with plain words is shown the schema from then on."""
        self._taken.add(way)
        plain = request.schema is not None and reply.finish == "stop" and not reply.text.lstrip().startswith("{")
        if plain and self._doubtful:
            self.way = replace(self.way, shown=True)

    def _other(self, error: Exception, request: Request) -> Way | None:
        """The next way; None where the refusal was for something else."""
        way, words = self.way, said(error).lower()
        if _unsupported(error):
            return self._down() if request.schema is not None else None
        if status_of(error) not in REFUSALS or is_too_long(error):
            return None
        if "max_completion_tokens" in words and not way.long_limit and self._doubtful:
            return replace(way, long_limit=True)
        if "temperature" in words and way.temperature:
            return replace(way, temperature=False)
        about_tools = any(word in words for word in TOOL_WORDS)
        about_schema = any(word in words for word in SCHEMA_WORDS)
        if request.tools and way.tools and about_tools and not about_schema:
            return replace(way, tools=False, mode="prompted" if way.mode == "tool" else way.mode)
        concerns = about_schema or (about_tools and way.mode == "tool") or self._mute(error)
        return self._down() if request.schema is not None and concerns else None

    def _down(self) -> Way | None:
        mode = NEXT.get(self.way.mode)
        if mode == "tool" and not self.way.tools:
            mode = "prompted"
        return replace(self.way, mode=mode) if mode else None

    def _mute(self, error: Exception) -> bool:
        """A server of unknown make that refuses a request and does not say for what."""
        return self._doubtful and status_of(error) in {400, 422, 501}


def _unsupported(error: Exception) -> bool:
    """pydantic-ai knows that the model cannot be asked so."""
    from pydantic_ai.exceptions import UserError

    return isinstance(error, UserError)


def _takes_temperature(profile: Mapping[str, Any]) -> bool:
    """Models that reason refuse it while they do."""
    if profile.get("anthropic_disallows_sampling_settings", False):
        return False
    if not profile.get("openai_supports_reasoning", False):
        return True
    off = profile.get("openai_supports_reasoning_effort_none", False)
    return bool(off) and not profile.get("thinking_enabled_by_default", False)
