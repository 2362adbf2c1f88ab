"""Scripts for `language_server` in which a model is an agent, and ways to look at what it was told."""

from collections.abc import Callable, Sequence
from typing import Any

from conspectus import Answer, Library
from language_server import Answer as Said
from language_server import LanguageServer, Say, calls, error
from oracle import reader

QUESTION = "Why does the rotation curve of the galaxy stay flat?"
ANSWER = calls(("answer", {}))


def with_turns(turns: Sequence[Any], *words: str, **others: Any) -> Callable[[dict[str, Any]], Said]:
    """A script: these are the agent's turns, one after the other; all else is said by a reader."""
    waiting, read = list(turns), reader(*(words or ("flat",)), **others)

    def script(body: dict[str, Any]) -> Said:
        if "tools" not in body:
            return read(body)
        return waiting.pop(0) if waiting else error(418, "the agent has no turn left")

    return script


def ask(library: Library, server: LanguageServer, question: str = QUESTION, **options: Any) -> Answer:
    return library.ask(question, model=server.url, agent=True, **options)


def turns_of(server: LanguageServer) -> list[dict[str, Any]]:
    """The requests of the agent."""
    return [body for body in server.requests if "tools" in body]


def tool_results(body: dict[str, Any]) -> list[str]:
    """What tools gave back, as a request of the agent shows it."""
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]


def look(question: str = "flat rotation curve", **more: Any) -> Say:
    return calls(("gather_evidence", {"question": question}), **more)
