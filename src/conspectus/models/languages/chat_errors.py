"""What can go wrong with one try of a call, before it is said in the words of the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from conspectus.core.retry import asked_pause

TOO_LONG = ("context", "too long", "too large", "exceeds the", "maximum number of tokens", "input token")


class BrokenAnswerError(Exception):
    """An answer that did not come to its end."""


class UnreadableAnswerError(Exception):
    """An answer that came to its end and is no chat completion."""


class RefusedError(Exception):
    """The server refused a request.

    Attributes:
        status: the HTTP status.
        words: the server's own words.
        code: its name for the reason; "" where it gives none.
        wait: seconds that it asks to wait; 0: it does not ask.
        final: it says that asking again does not help.
    """

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status = status
        self.words, self.code = read_error(body)
        self.wait = asked_pause(headers.get("retry-after", ""))
        self.final = headers.get("x-should-retry") == "false"
        super().__init__(f"HTTP {status}: {self.words}")

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt did not fit."""
        words = self.words.lower()
        long = self.status in {400, 413, 422, 500} and "token" in words and any(word in words for word in TOO_LONG)
        return long or self.code == "context_length_exceeded"


def read_error(body: bytes | Any) -> tuple[str, str]:
    """The words and the code of an error: as OpenAI and most others write it, in a list (Google), or as plain text."""
    found = body
    if isinstance(body, bytes):
        try:
            found = msgspec.json.decode(body)
        except (ValueError, RecursionError):
            return " ".join(body.decode(errors="replace").split()), ""
    if isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict):
        inner = found.get("error") or found
        if isinstance(inner, dict):
            words = inner.get("message") or inner.get("detail") or found.get("message") or inner
            return str(words).strip(), str(inner.get("code") or inner.get("type") or "")
        found = inner
    return str(found).strip(), ""
