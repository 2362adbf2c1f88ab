"""Fetching a file from an address that a stranger wrote: bounded, resumed, kept whole or not at all.

A file is kept under the hash of its bytes and an ending of ours; names that servers give are not used. While it comes,
it is a part in the hidden folder `.parts`, with what the server said of it, so that the next call goes on where this
one was ended. Two processes that want the same take turns, and the second finds the file.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mmap
import re
import tarfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep, time
from typing import IO
from urllib.request import getproxies

import httpx2
import msgspec
from filelock import FileLock, Timeout

from conspectus.core.disk import explained, open_file, read_file, replacing, sync
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import RETRY, NoAnswerError, explain_http_errors, user_agent
from conspectus.core.job_context import emit_wait
from conspectus.core.public_hosts import Resolver, is_trusted, open_public, resolve
from conspectus.core.transport import wait_for
from conspectus.parse.files.streams import most_unfolded
from conspectus.parse.registry import HEAD_BYTES, root_name

_PDF_HEADER = re.compile(rb"%PDF-\d")
_JUNK = 1024
"""Bytes that may be before the header of a PDF (ISO 32000, annex H)."""
_TAIL = 1 << 16
_LATEX = re.compile(rb"\\document(?:class|style)|\.tex\b")
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|meta)\b", re.I)
_BODY = re.compile(rb"<(?:[\w.-]+:)?body[\s/>]")
_ROOTS = {
    "article": "jats",
    "pmc-articleset": "jats",
    "tei": "tei",
    "tei.2": "tei",
    "html": "html",
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format, as `FullTextLink.format` names it, and what names of such files end with.

    Attributes:
        name: `xml` for XML of another kind; "" where it is not known.
        ending: one by which a reader finds it.
    """

    name: str
    ending: str = ""


def recognise_format(path: Path) -> FileFormat:
    """The format of a file, or of its beginning."""
    with open_file(path) as file:
        head = file.read(HEAD_BYTES)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<") or head.startswith(_WIDE):
        name = _ROOTS.get(root_name(head).lower(), "")
        if not name or name == "html":
            return FileFormat("html" if name or _PAGE.search(text[:4096]) else "xml")
        return FileFormat(name, ".xml")
    if _PDF_HEADER.search(head, 0, _JUNK + 8):
        return FileFormat("pdf", ".pdf")
    if head.startswith(b"\x1f\x8b"):
        return _packed_format(head)
    if _is_tar(head):
        return FileFormat("latex", ".tar")
    return FileFormat("latex", ".tex") if _LATEX.search(head) else FileFormat("")


def _packed_format(head: bytes) -> FileFormat:
    """The format of what gzip has packed; PDFs and XML that are packed twice are not known."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return FileFormat("")
    if _is_tar(inner):
        return FileFormat("latex", ".tar.gz")
    return FileFormat("latex", ".tex.gz") if _LATEX.search(inner) else FileFormat("")


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def find_fault(path: Path, file_format: FileFormat) -> str:
    """Why a file of this format is not a whole paper: it ends in the middle, or has no text; "" where it is one."""
    with open_file(path) as file:
        if file_format.ending.endswith(".gz"):
            return _packed_fault(gzip.GzipFile(fileobj=file), most_unfolded(path.stat().st_size))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if file_format.name == "pdf":
                return (
                    "" if data.rfind(b"%%EOF", max(0, len(data) - _TAIL)) >= 0 else "it ends in the middle of the PDF"
                )
            if file_format.ending == ".xml" and data[:2] not in _WIDE:
                if data.rfind(b"</", max(0, len(data) - _TAIL)) < 0 or not data[-_JUNK:].rstrip().endswith(b">"):
                    return "it ends in the middle of the XML"
                return "" if _BODY.search(data) else "its XML has no text of the paper, only what is known of it"
    return ""


def _packed_fault(packed: gzip.GzipFile, most: int) -> str:
    size = 0
    try:
        while part := packed.read(HEAD_BYTES):
            size += len(part)
            if size > most:
                return f"it unfolds to more than {most / 2**20:,.0f} MB, far more than a paper has"
    except (OSError, EOFError, zlib.error):
        return "it ends in the middle of the archive, or is damaged"
    return ""


MOST_REDIRECTS = 5
PARTS = ".parts"
FORMATS = ("jats", "tei", "latex", "pdf")
_TITLES = {"jats": "JATS", "tei": "TEI", "latex": "LaTeX", "pdf": "PDF"}
_READ_SECONDS = 30.0
"""Between two parts of an answer."""
_HEAD = 1 << 16
_GRACE = 30.0
"""Seconds after which a server must have sent `_LEAST_RATE` bytes a second."""
_LEAST_RATE = 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PACKINGS = frozenset({"", "identity", "gzip", "deflate", "x-gzip"})
"""Of an answer; `x-gzip` is how arXiv calls the archive itself, which is not unpacked."""
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)")
_PROXY = "; the proxy that the environment names is not used, because it would choose the machine that is asked"
_NEEDS_AGREEMENT = {401: "asks for a password", 402: "asks for money", 403: "forbids it", 451: "forbids it by law"}


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A file that was downloaded.

    Attributes:
        path: `FOLDER/SHA256.ENDING`.
        sha256: of its bytes.
        size: in bytes.
        format: what its bytes are: one of `FORMATS`.
        url: that it came from in the end, behind all redirects.
    """

    path: Path
    sha256: str
    size: int
    format: str
    url: str


class _PartNote(msgspec.Struct, kw_only=True):
    """What is kept next to a part, and behind it: what the server said, and the file that it became."""

    etag: str = ""
    modified: str = ""
    total: int | None = None
    sha256: str = ""
    ending: str = ""
    format: str = ""
    url: str = ""
    finished: float = 0.0

    @property
    def validator(self) -> str:
        """What says that the bytes are still the same; a weak tag does not."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified


def download(
    url: str,
    folder: Path,
    *,
    most_bytes: int,
    timeout: float,
    trusted: Sequence[str] = (),
    expect: Sequence[str] = FORMATS,
    ending: str = "",
    resolver: Resolver = resolve,
) -> DownloadedFile:
    """Fetch a file into `folder`. If it is there and the server says that it is the same, it is not sent again.

    Args:
        url: an address of http or https; passwords in it are not sent.
        folder: made if it is missing.
        most_bytes: of the file, packed and unpacked.
        timeout: seconds for all of it.
        trusted: addresses of servers that settings name: these may be private ones.
        expect: formats that the file may have.
        ending: of a file that is no paper's: anything but a web page will do, and its name ends so.
        resolver: finds the addresses of hosts.

    Raises:
        ServiceAwayError: it did not come now; what did is kept, and the next call goes on from there.
        ServiceError: it is refused: too large, no paper, not whole, or it leads to a host that is not public.
        LibraryError: the folder cannot be written.
    """
    with explained(folder):
        return _Download(url, folder, most_bytes, timeout, trusted, expect, ending, resolver).run()


class _Download:
    """One call of `download`; arguments as there."""

    def __init__(
        self,
        url: str,
        folder: Path,
        most: int,
        timeout: float,
        trusted: Sequence[str],
        expect: Sequence[str],
        ending: str,
        resolver: Resolver,
    ) -> None:
        self._url = url
        self._folder = folder
        self._most = most
        self._timeout = timeout
        self._end = monotonic() + timeout
        self._trusted = trusted
        self._expect = expect
        self._ending = ending
        self._resolver = resolver
        key = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:32]
        self._part = folder / PARTS / f"{key}.part"
        self._place = folder / PARTS / f"{key}.json"
        self._note = _PartNote()
        self._retry_after = ""
        self._from = url

    def run(self) -> DownloadedFile:
        """See `download`."""
        self._part.parent.mkdir(parents=True, exist_ok=True)
        before = self._read_note().finished
        try:
            with FileLock(self._part.with_suffix(".lock"), timeout=self._timeout):
                self._note = self._read_note()
                there = self._find_earlier_file()
                if there is not None and self._note.finished != before:  # another process has fetched it meanwhile
                    return there
                return self._fetch(there)
        except Timeout as error:
            raise self._make_error("another process is fetching it", retry=True) from error

    def _fetch(self, there: DownloadedFile | None) -> DownloadedFile:
        for attempt in range(RETRY.tries):
            left = self._end - monotonic()
            try:
                with explain_http_errors(self._timeout):
                    if not wait_for(self._within(left, there)) and there is not None:
                        return there
                return self._finish()
            except NoAnswerError as error:
                pause = RETRY.pause(attempt, self._retry_after)
                last = attempt == RETRY.tries - 1 or not error.retry or pause > self._end - monotonic()
                if last or error.nobody:
                    why = f"{error}{_PROXY if error.nobody and getproxies() else ''}"
                    raise self._make_error(why, retry=error.retry) from error
                emit_wait(pause, f"{self._display_name} does not come: {error}.")
                sleep(pause)
        raise AssertionError("unreachable")

    async def _within(self, seconds: float, there: DownloadedFile | None) -> bool:
        async with asyncio.timeout(max(seconds, 0.0)):
            return await self._ask(there)

    async def _ask(self, there: DownloadedFile | None) -> bool:
        """Have the part grow until it is whole. False: the server says that the file that is there is the same."""
        url, at_home = httpx2.URL(self._url), True
        headers = {"User-Agent": user_agent(), "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
        headers |= self._conditions(there)
        for _ in range(MOST_REDIRECTS + 1):
            at_home = at_home and is_trusted(url, self._trusted)  # a stranger may not send us to where only we may go
            async with open_public(
                url, headers, most=self._most, seconds=_READ_SECONDS, trusted=at_home, resolver=self._resolver
            ) as reply:
                if reply.status_code not in _REDIRECTS or not reply.headers.get("location"):
                    self._from = str(url.copy_with(userinfo=b"", fragment=None))
                    return await self._receive(reply)
                following = url.join(reply.headers["location"])
            if url.scheme == "https" and following.scheme == "http":
                raise NoAnswerError(
                    "it sends on from https to http, which everybody on the way can change", retry=False
                )
            url = following
        raise NoAnswerError(f"it sends on more than {MOST_REDIRECTS} times", retry=False)

    def _conditions(self, there: DownloadedFile | None) -> dict[str, str]:
        """The headers that ask for the rest of the part, or for what is newer than the file."""
        note = self._note
        if there is not None:
            headers = {"If-None-Match": note.etag, "If-Modified-Since": note.modified}
            return {name: value for name, value in headers.items() if value}
        if self._size() and note.validator:
            return {"Range": f"bytes={self._size()}-", "If-Range": note.validator}
        return {}

    async def _receive(self, reply: httpx2.Response) -> bool:
        status, sent = reply.status_code, reply.extensions["headers"]
        self._retry_after = sent.get("retry-after", "")
        if status == 304 and self._note.finished:
            return False
        if status == 416:
            self._forget_part()
            raise NoAnswerError("it has changed meanwhile")
        if status not in (200, 206):
            needs = _NEEDS_AGREEMENT.get(status)
            what = f"it {needs} (HTTP {status})" if needs else f"the server answered HTTP {status}"
            raise NoAnswerError(what, retry=RETRY.may_pass(status))
        packing = sent.get("content-encoding", "").strip().lower()
        if packing not in _PACKINGS:
            raise NoAnswerError(f"it is packed as '{packing[:40]}', which was not asked for", retry=False)
        start, total = self._start_and_total(status, sent)
        plain = packing in ("", "identity", "x-gzip")
        if total is not None and total > self._most:
            raise self._too_large(total)
        note = self._note
        note.etag, note.modified = (sent.get(name, "")[:500] if plain else "" for name in ("etag", "last-modified"))
        note.total, note.finished = total if plain else None, 0.0
        self._write_note()
        with self._part.open("r+b" if start else "wb") as file:
            file.seek(start)
            file.truncate()
            try:
                await self._write(reply, file, start)
            except NoAnswerError as error:
                if not error.retry:
                    self._forget_part()
                raise
        if plain and total is not None and self._size() != total:
            raise NoAnswerError(f"it ended after {self._size():,} of {total:,} bytes")
        return True

    def _start_and_total(self, status: int, sent: httpx2.Headers) -> tuple[int, int | None]:
        """Where in the file the answer begins, and how many bytes the file has, if the server says so."""
        if status == 200:
            length = sent.get("content-length", "")
            return 0, int(length) if length.isascii() and length.isdigit() and len(length) < 16 else None
        match = _RANGE.fullmatch(sent.get("content-range", "").strip())
        total = int(match[3]) if match and match[3] != "*" else None
        announced = self._note.total
        if not match or int(match[1]) != self._size() or (total and int(match[2]) >= total):
            self._forget_part()
            raise NoAnswerError("it sends another part than was asked for")
        other = sent.get("etag") and self._note.etag and sent["etag"] != self._note.etag
        if other or (announced is not None and total is not None and total != announced):
            self._forget_part()
            raise NoAnswerError("it sends the rest of another file")
        return self._size(), total if total is not None else announced

    async def _write(self, reply: httpx2.Response, file: IO[bytes], size: int) -> None:
        begin, received, looked = monotonic(), 0, False
        async for piece in reply.aiter_bytes():
            size, received = size + len(piece), received + len(piece)
            if size > self._most:
                raise self._too_large(size)
            file.write(piece)
            seconds = monotonic() - begin
            if seconds > _GRACE and received < _LEAST_RATE * seconds:
                raise NoAnswerError(f"it sends less than {_LEAST_RATE:,} bytes a second")
            if not looked and size >= _HEAD:
                file.flush()
                looked = self._expected_format() is not None

    def _finish(self) -> DownloadedFile:
        """Give the part, which is whole, its place."""
        file_format = self._expected_format()
        if fault := find_fault(self._part, file_format):
            self._forget_part()
            raise NoAnswerError(fault, retry=False)
        sync(self._part)
        with self._part.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        goal = self._folder / f"{sha256}{file_format.ending}"
        if goal.exists():
            self._part.unlink()
        else:
            self._part.replace(goal)
            sync(self._folder)
        note = self._note
        note.sha256, note.ending, note.format, note.url = sha256, file_format.ending, file_format.name, self._from
        note.finished = time()
        self._write_note()
        return DownloadedFile(goal, sha256, goal.stat().st_size, file_format.name, self._from)

    def _expected_format(self) -> FileFormat:
        """The format of the part.

        Raises:
            NoAnswerError: it is none of those expected; the part is then gone.
        """
        recognised_format = recognise_format(self._part)
        size = self._size()
        if self._ending and size and recognised_format.name != "html":
            return FileFormat("", self._ending)
        if recognised_format.name in self._expect:
            return recognised_format
        self._forget_part()
        expected = " or ".join(_TITLES.get(name, name) for name in self._expect) or f"a file {self._ending}"
        unknown = "something of an unknown kind" if size else "nothing"
        sent = {
            "html": "a web page" if self._ending else "a web page: the publisher's page, not the paper",
            "": unknown,
            "xml": "XML of another kind",
        }
        what = sent.get(recognised_format.name) or _TITLES[recognised_format.name]
        raise NoAnswerError(f"{expected} was expected, and it sends {what}", retry=False)

    def _find_earlier_file(self) -> DownloadedFile | None:
        """The file that an earlier call fetched, if it is there as it was."""
        note = self._note
        path = self._folder / f"{note.sha256}{note.ending}"
        if not note.finished or not re.fullmatch(r"[0-9a-f]{64}\.[a-z.]{2,8}", path.name) or not path.is_file():
            return None
        if note.format not in self._expect:
            return None
        return DownloadedFile(path, note.sha256, path.stat().st_size, note.format, note.url)

    def _read_note(self) -> _PartNote:
        try:
            return msgspec.json.decode(read_file(self._place, 2**20), type=_PartNote)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):  # none, or one that was being written
            return _PartNote()

    def _write_note(self) -> None:
        with replacing(self._place) as part:
            part.write_bytes(msgspec.json.encode(self._note))

    def _size(self) -> int:
        return self._part.stat().st_size if self._part.is_file() else 0

    def _forget_part(self) -> None:
        self._note = _PartNote()
        for path in (self._part, self._place):
            with suppress(FileNotFoundError):
                path.unlink()

    def _too_large(self, size: int) -> NoAnswerError:
        self._forget_part()
        most = f"more than the {self._most / 2**20:,.3g} MB that a file may have"
        return NoAnswerError(f"it has at least {size / 2**20:,.3g} MB, {most}", retry=False)

    @property
    def _display_name(self) -> str:
        """The address without a password and a query in it."""
        scheme, _, rest = self._url.partition("://")
        place, slash, path = rest.partition("/")
        address = f"{scheme}://{place.rpartition('@')[2]}{slash}{path.split('?')[0].split('#')[0]}"
        return f"'{''.join(sign if sign.isprintable() else '?' for sign in address)[:200]}'"

    def _make_error(self, why: str, *, retry: bool) -> ServiceError:
        message = f"{self._display_name} was not downloaded: {why}."
        if retry:
            return ServiceAwayError(message, "Try again later; what has come is kept.")
        return ServiceError(message, "Open the address in a browser, and add the file if it is the paper.")
