"""How a server wants to be asked: what it is known for, and what it taught by refusing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from conspectus.models.language import Reply, Request
from conspectus.models.languages.chat_errors import RefusedError

Mode = Literal["native", "tool", "prompted"]
"""How an object is asked for: by the server's own JSON Schema output, as a tool's arguments, or in words."""

NEXT: dict[Mode, Mode] = {"native": "tool", "tool": "prompted"}
REFUSALS = frozenset({400, 404, 405, 415, 422, 500, 501})
SCHEMA_WORDS = ("response_format", "response mime type", "json_schema", "schema", "grammar", "structured")
TOOL_WORDS = ("tool", "function call", "functions")
OPTIONAL = ("temperature", "stream_options")
"""Fields of a request that a server may do without."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """One way of asking.

    Attributes:
        mode: how an object is asked for.
        shown: its schema is written into the prompt too.
        tools: tools are offered.
        limit: what the limit of an answer is called.
        without: fields that are left out.
    """

    mode: Mode = "native"
    shown: bool = False
    tools: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    without: frozenset[str] = frozenset()

    def leave_out(self, field: str) -> RequestForm:
        """The same without a field."""
        return replace(self, without=self.without | {field})


class ServerQuirks:
    """The form in which a server is asked now; it only gets simpler while a call lasts, so that learning ends.

    Args:
        form: to begin with.
        doubtful: an unknown kind of server, which may not say what it refuses.
    """

    def __init__(self, form: RequestForm, *, doubtful: bool) -> None:
        self.form = form
        self._doubtful = doubtful
        self._taken: set[RequestForm] = set()

    def learn(self, error: Exception, request: Request, form: RequestForm) -> bool:
        """Whether to ask again at once, in another form than `form`, which `error` refused."""
        if form != self.form:
            return True  # another call has learnt it meanwhile
        if isinstance(error, RefusedError) and (better := self._simpler(error, request)):
            self.form = better
            return True
        return False

    def forget(self, first: RequestForm) -> None:
        """Go back to the form that a call began with, where no form helped it: it was refused for something else."""
        if self.form not in self._taken:
            self.form = first

    def confirm(self, request: Request, reply: Reply, form: RequestForm) -> None:
        """Note that the server took `form`. One that answers a schema with plain words is shown it from then on."""
        self._taken.add(form)
        plain = request.schema is not None and reply.finish == "stop" and not reply.text.lstrip().startswith("{")
        if plain and self._doubtful:
            self.form = replace(self.form, shown=True)

    def _simpler(self, error: RefusedError, request: Request) -> RequestForm | None:
        """The next form; None where the refusal was for something else."""
        form, words = self.form, error.words.lower()
        if error.status not in REFUSALS or error.is_too_long:
            return None
        if "max_completion_tokens" in words and form.limit == "max_tokens":
            return replace(form, limit="max_completion_tokens")
        for field in OPTIONAL:
            if field in words and field not in form.without:
                return form.leave_out(field)
        about_tools = any(word in words for word in TOOL_WORDS)
        about_schema = any(word in words for word in SCHEMA_WORDS)
        if request.tools and form.tools and about_tools and not about_schema:
            return replace(form, tools=False, mode="prompted" if form.mode == "tool" else form.mode)
        mute = self._doubtful and error.status in {400, 422, 501}
        if request.schema is None or not (about_schema or mute or (about_tools and form.mode == "tool")):
            return None
        mode = NEXT.get(form.mode)
        if mode == "tool" and not form.tools:
            mode = "prompted"
        return replace(form, mode=mode) if mode else None
