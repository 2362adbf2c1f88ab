"""PDFs read by a GROBID server, whose TEI is read as any other (https://grobid.readthedocs.io/en/latest/Grobid-service/)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conspectus.core.disk import open_file
from conspectus.core.errors import (
    EmptyTextError,
    InputError,
    LimitError,
    ServiceAwayError,
    ServiceError,
    SettingsError,
)
from conspectus.core.http import HttpReply, NoAnswerError, RetryPolicy, once, read_retry_after
from conspectus.parse.files.streams import cannot_open
from conspectus.records import ParsedPaper

MAX_ANSWER = 64 * 2**20
_ALIVE_SECONDS = 10.0
_MOST_ALIVE = 2**20
_RETRY = RetryPolicy(first=1.0, statuses=frozenset({429, 503}))
"""While it says that it is busy; how often is a matter of patience."""
_BEHIND = frozenset({502, 504})
"""What a proxy says when the server behind it is away."""
_REFUSALS = frozenset({401, 403, 404, 405, 407})
_FORM: dict[str, Any] = {
    "consolidateHeader": "0",
    "consolidateCitations": "0",
    "includeRawCitations": "1",
    "includeRawAffiliations": "1",
    "segmentSentences": "1",
    "teiCoordinates": ["s", "figure", "biblStruct", "formula", "head", "p", "ref", "note"],
}


@dataclass(frozen=True, slots=True)
class Grobid:
    """A server.

    Attributes:
        url: its address, e.g. `http://localhost:8070`.
        seconds: how long it may take for one answer.
        patience: how many seconds in all it is waited for, while it says that it is busy.
    """

    url: str
    seconds: float = 120.0
    patience: float = 300.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def address(self) -> str:
        """The address without a password in it."""
        scheme, separator, rest = self.url.partition("://")
        host = rest.rpartition("@")[2] if separator else self.url
        return f"{scheme}://{host}" if separator else host

    def alive(self) -> bool:
        """Whether it answers.

        Raises:
            SettingsError: The address is none.
        """
        try:
            return once("GET", self._address("isalive"), timeout=min(self.seconds, _ALIVE_SECONDS), most=_MOST_ALIVE).ok
        except NoAnswerError as error:
            if not error.address:
                return False
            raise SettingsError(
                f"parse.grobid_url '{self.address}' is not an address: {str(error).rstrip('.')}.",
                "It looks like http://localhost:8070.",
            ) from error

    def wait(self) -> bool:
        """Waits until it answers, at most as long as there is patience, and says whether it does."""
        waited, attempt = 0.0, 0
        while not self.alive():
            pause = min(_RETRY.pause(attempt), self.patience - waited)
            if pause <= 0:
                return False
            self.sleep(pause)
            waited, attempt = waited + pause, attempt + 1
        return True

    def read(self, path: Path) -> ParsedPaper:
        """The paper of a PDF.

        Raises:
            InputError: The server could not read the file (its words are in the message), or its answer is not TEI.
            EmptyTextError: It found no text.
            ServiceAwayError: It does not answer, or stayed busy.
            ServiceError: It refuses to work at all.
        """
        answer = self._answer(path)
        if not answer.strip():
            raise EmptyTextError(f"GROBID found no text in '{path.name}'.", "It may be a scan.")
        return _paper(answer, path.name)

    def _answer(self, path: Path) -> bytes:
        waited, attempt = 0.0, 0
        while True:
            reply = self._ask(path)
            if not _RETRY.may_pass(reply.status):
                return self._check_status(reply.status, reply.body, path.name)
            pause = read_retry_after(reply.retry_after) or _RETRY.pause(attempt)
            if waited + pause > self.patience:
                raise self._away(f"was busy for {waited:.0f} s")
            self.sleep(pause)
            waited, attempt = waited + pause, attempt + 1

    def _ask(self, path: Path) -> HttpReply:
        try:
            with open_file(path) as file:
                files = {"input": ("paper.pdf", file, "application/pdf")}
                address = self._address("processFulltextDocument")
                return once("POST", address, timeout=self.seconds, most=MAX_ANSWER, data=_FORM, files=files)
        except NoAnswerError as error:
            if error.retry:
                raise self._away(f"did not answer on '{path.name}' ({error})") from error
            raise LimitError(f"GROBID's answer on '{path.name}' cannot be read: {error}.", "Split the file.") from error
        except OSError as error:
            raise cannot_open(path.name, error) from error

    def _check_status(self, status: int, answer: bytes, name: str) -> bytes:
        words = " ".join(answer[:2000].decode(errors="replace").split())[:300]
        if status == 204:
            return b""
        if 200 <= status < 300:
            return answer
        if status in _BEHIND:
            raise self._away(f"did not answer on '{name}' (HTTP {status})")
        if status in _REFUSALS or 300 <= status < 400:
            message = f"The GROBID server at {self.address} refused: HTTP {status}, '{words}'."
            raise ServiceError(message, "Check parse.grobid_url.")
        raise InputError(
            f"GROBID could not read '{name}': HTTP {status}, '{words}'.", "With parse.grobid_url empty it is read here."
        )

    def _away(self, what: str) -> ServiceAwayError:
        return ServiceAwayError(f"The GROBID server at {self.address} {what}.", "Check that it runs, then add again.")

    def _address(self, what: str) -> str:
        return f"{self.url.rstrip('/')}/api/{what}"


def _paper(answer: bytes, name: str) -> ParsedPaper:
    from conspectus.parse.markup.tei import parse_tei

    try:
        return parse_tei(answer, name)
    except EmptyTextError as error:
        raise EmptyTextError(f"GROBID found no text in '{name}'.", "It may be a scan.") from error
    except InputError as error:
        raise InputError(
            f"GROBID's answer cannot be read: {error.message}", "Is there a GROBID server at parse.grobid_url?"
        ) from error
