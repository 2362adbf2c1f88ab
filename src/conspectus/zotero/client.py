"""Zotero's interface for programs (version 3): of a Zotero that runs on this machine, or of zotero.org.

The client is our own: pyzotero bounds neither the size of an answer nor the time for one, waits as long as a `Backoff`
says, and follows redirects to other hosts.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from conspectus.core.errors import ForbiddenError, ServiceAwayError, ServiceError, UnavailableError
from conspectus.core.http import RETRY, HttpReply, NoAnswerError, exchange, is_here, read_retry_after
from conspectus.core.job_context import emit_wait
from conspectus.core.text import line
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.keys import find_service_key

T = TypeVar("T")
Item = dict[str, Any]
"""An object as Zotero writes it in JSON: `key`, `version`, `itemType` …"""
PAGE = 100
BATCH = 50
"""Objects in one request that reads, or writes; Zotero's own limits."""
KEY = re.compile(r"[A-Z0-9]{8}")
READ_ONLY = frozenset({400, 403, 404, 405, 501})
"""What a Zotero answers that cannot write, or may not."""
_LOCAL_USER = "users/0"
_LONGEST_VERSION = 40
_RESTARTS = 3
_CONSENT_SECONDS = 120.0
_SETTING = "In Zotero, set Settings > Advanced > Allow other applications on this computer to communicate with Zotero."


class ReadOnlyZoteroError(ServiceError):
    """A Zotero that does not let this program write."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one object that was written.

    Attributes:
        key: of the object; "" where it was not made.
        version: that it has now; 0 where nothing was written.
        code: 0, or Zotero's number for the reason why not: 412 is a conflict.
        error: that reason in Zotero's words.
    """

    key: str = ""
    version: int = 0
    code: int = 0
    error: str = ""


class ZoteroApi:
    """Asks one library of Zotero.

    Attributes:
        origin: which Zotero this is. Versions of objects mean something only within one.
        is_local: whether it runs on this machine.
        version: of the program; "" where it does not say, or this is zotero.org.
        asks: whether it can ask its user to let this program write (Zotero 10).
        is_program: whether it is the program, and not zotero.org.
        has_written: whether it has taken anything that was written.

    Args:
        url: address of the interface.
        library: `users/0`.
        origin: see above.
        headers: keys.
        timeout: seconds for an answer.
        version: see above.
    """

    def __init__(
        self, url: str, library: str, origin: str, headers: Mapping[str, str], timeout: float, version: str = ""
    ) -> None:
        self.origin = origin
        self.version = version
        self.is_local = is_here(url)
        self.asks = "Zotero-Server-ID" in headers
        self.has_written = False
        self._url = url
        self.is_program = library == _LOCAL_USER
        self._library = library
        self._headers = {"Zotero-API-Version": "3", "Zotero-Allowed-Request": "1", **headers}
        self._timeout = timeout
        self._not_before = 0.0

    def of_group(self, group: int) -> ZoteroApi:
        """The same Zotero's library of a group; 0: this one."""
        other = copy(self)
        other._library = f"groups/{group}" if group else self._library
        return other

    def groups(self) -> dict[int, Item]:
        """The groups that the user is in, by their numbers. Errors as `list_all`."""
        return {int(group["id"]): group for groups, *_ in self._pages("/groups", {}, _is_group) for group in groups}

    def list_all(self, path: str, params: Mapping[str, str] | None = None) -> tuple[list[Item], int]:
        """All objects of a list, page by page, and the library's version.

        Raises:
            ServiceAwayError: it does not answer now, or the library changes faster than it can be read.
            ServiceError: it refused, or the answer is not whole.
        """
        for _ in range(_RESTARTS):
            pages = list(self._pages(path, params or {}))
            items = {item["key"]: item for objects, _, _ in pages for item in objects}
            versions, total = {version for *_, version in pages}, pages[-1][1]
            if len(versions) == 1:
                if len(items) != total:
                    raise self.failure(f"announced {total} objects and sent {len(items)}")
                return list(items.values()), versions.pop()
        raise ServiceAwayError(f"{self.origin} changes while it is read.", "Try again when Zotero has synchronised.")

    def _pages(
        self, path: str, params: Mapping[str, str], fits: Callable[[Any], bool] | None = None
    ) -> Iterator[tuple[list[Item], int, int]]:
        """(objects, their number in all, version of the library) of each page."""
        start, total = 0, 1
        while start < total:
            reply = self._send("GET", path, {**params, "limit": str(PAGE), "start": str(start)})
            page = reply.json()
            if not isinstance(page, list) or not all(map(fits or _is_object, page)):
                raise self.failure("answered with something that is no list of objects")
            total = _number(reply.headers.get("total-results"), start + len(page))
            start += len(page)
            if not page and start < total:
                raise self.failure(f"announced {total} objects and sent {start}")
            yield page, total, _number(reply.headers.get("last-modified-version"))

    def has_changed(self, version: int) -> bool:
        """Whether the library has changed since it had this version."""
        reply = self._send("GET", "/items", {"limit": "1"}, {"If-Modified-Since-Version": str(version)})
        return reply.status != 304 and _number(reply.headers.get("last-modified-version"), version + 1) > version

    def keys(self) -> set[str]:
        """Keys of all items that are not in the trash."""
        reply = self._send("GET", "/items", {"format": "versions"})
        versions = reply.json()
        if not isinstance(versions, dict):
            raise self.failure("answered with something that is no list of versions")
        return set(versions)

    def items(self, keys: Sequence[str]) -> dict[str, Item]:
        """Items of these keys as they are now; those that it does not have are left out."""
        items_by_key: dict[str, Item] = {}
        for batch in batches(keys):
            items, _ = self.list_all("/items", {"itemKey": ",".join(batch)})
            items_by_key |= {item["key"]: item for item in items}
        return items_by_key

    def write(self, path: str, objects: Sequence[Item]) -> list[WriteResult]:
        """Write objects, 50 in a request; what became of each, in their order.

        One with a `key` and a `version` is changed in the fields that it has, and only if it has this version still.

        Raises:
            ReadOnlyZoteroError: it does not let us write; what was written before stays.
            ServiceError: as `list_all`.
        """
        results: list[WriteResult] = []
        for batch in batches(objects):
            token = {} if any("version" in item for item in batch) else {"Zotero-Write-Token": secrets.token_hex(16)}
            try:
                reply = self._send("POST", path, headers=token, body=batch)
            except ReadOnlyZoteroError:
                if not results:
                    raise
                results += [WriteResult(code=403, error="Zotero no longer allows Conspectus to write")] * len(batch)
            else:
                self.has_written = True
                results += self._results(reply.json(), len(batch))
        return results

    def _results(self, reply: Any, number: int) -> list[WriteResult]:
        reply = reply if isinstance(reply, dict) else {}
        done: dict[str, WriteResult] = {}
        for index, key in {**_object(reply, "unchanged"), **_object(reply, "success")}.items():
            done[index] = WriteResult(str(key))
        for index, item in _object(reply, "successful").items():
            if isinstance(item, dict):
                done[index] = WriteResult(str(item.get("key", "")), _number(item.get("version")))
        for index, said_of in _object(reply, "failed").items():
            fault = said_of if isinstance(said_of, dict) else {}
            done[index] = WriteResult("", 0, _number(fault.get("code"), 400), str(fault.get("message", ""))[:300])
        if missing := [index for index in range(number) if str(index) not in done]:
            raise self.failure(f"said nothing of {len(missing)} of {number} objects that were written")
        return [done[str(index)] for index in range(number)]

    def ask_consent(self) -> None:
        """Have Zotero ask its user whether this program may write; waits for the answer.

        Raises:
            ReadOnlyZoteroError: it cannot, or the user said no.
        """
        emit_wait(_CONSENT_SECONDS, "Zotero asks whether Conspectus may change your library: choose Always Allow.")
        try:
            reply = exchange(
                "POST",
                f"{self._url}/local/authorize",
                timeout=_CONSENT_SECONDS,
                headers=self._headers,
                body={"appName": "Conspectus"},
                tries=1,
            )
        except NoAnswerError as error:
            raise ReadOnlyZoteroError(
                f"Zotero gave no consent ({error}).", "Answer its question, and repeat."
            ) from error
        answer = reply.json()
        if not reply.ok or not isinstance(answer, dict) or not isinstance(answer.get("key"), str):
            raise ReadOnlyZoteroError(
                f"Zotero gave no consent (HTTP {reply.status}).", "Choose Always Allow when Zotero asks, and repeat."
            )
        self._headers["Zotero-API-Key"] = answer["key"]

    def find_generated_keys(self, keys: Sequence[str]) -> dict[str, str]:
        """Citation keys that Better BibTeX has made, by keys of items; none where it is not installed."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "item.citationkey", "params": {"item_keys": list(keys)}}
        address = self._url.removesuffix("/api") + "/better-bibtex/json-rpc"
        try:
            reply = exchange("POST", address, timeout=self._timeout, headers=self._headers, body=call, tries=1)
        except NoAnswerError:
            return {}
        answer = reply.json() if reply.ok else None
        names = answer.get("result") if isinstance(answer, dict) else None
        return {key: name for key, name in (names or {}).items() if isinstance(name, str) and name}

    def failure(self, what: str) -> ServiceError:
        """The error that Zotero did something that asking again does not change."""
        return ServiceError(f"{self.origin} {what}.", "Check the settings sources.zotero.*.")

    def _send(
        self,
        method: str,
        path: str,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> HttpReply:
        """The answer. What was refused for now is asked again, but a write never after it may have been done."""
        self._pause()
        for attempt in range(RETRY.tries):
            try:
                reply = exchange(
                    method,
                    f"{self._url}/{self._library}{path}",
                    timeout=self._timeout,
                    headers={**self._headers, **(headers or {})},
                    params=params,
                    body=body,
                    tries=1 if method == "POST" else RETRY.tries,
                )
            except NoAnswerError as error:
                make = ServiceAwayError if error.retry else ServiceError
                raise make(f"{self.origin} did not answer ({error}).", "Check that Zotero can be reached.") from error
            if reply.status == 401 and method == "POST" and self.asks and not attempt:
                self.ask_consent()  # a key that is good for one write was used up
            elif reply.status in (429, 503) and method == "POST" and attempt < RETRY.tries - 1:
                self._wait(RETRY.pause(attempt, reply.retry_after))
            else:
                break
        self._not_before = time.monotonic() + min(read_retry_after(reply.headers.get("backoff", "")), RETRY.longest)
        if reply.ok or reply.status == 304:
            return reply
        if method == "POST" and reply.status in READ_ONLY | {401}:
            raise ReadOnlyZoteroError(
                f"{self.origin} does not let Conspectus write (HTTP {reply.status}).",
                "Use Zotero 10 and allow it there, or set sources.zotero.key to a key of zotero.org that may write.",
            )
        what = f"refused: HTTP {reply.status}, {reply.words()!r}"
        if RETRY.may_pass(reply.status):
            raise ServiceAwayError(f"{self.origin} {what}.", "Try again later.")
        raise self.failure(what)

    def _pause(self) -> None:
        """Wait as the last answer asked for (`Backoff`)."""
        if (seconds := self._not_before - time.monotonic()) > 0:
            self._wait(seconds)

    def _wait(self, seconds: float) -> None:
        emit_wait(seconds, f"{self.origin} asks to wait.")
        time.sleep(seconds)


def open_local(settings: SourcesSettings) -> ZoteroApi | None:
    """The Zotero that runs on this machine; None where none does.

    Raises:
        UnavailableError: it runs, and does not let other programs read.
        ForbiddenError: `sources.zotero.url` is another machine, and `sources.online` is off.
    """
    url = settings.zotero_url.rstrip("/")
    if not is_here(url):
        _check_online(settings, "sources.zotero.url")
    headers = {"Zotero-API-Version": "3", "Zotero-Allowed-Request": "1"}
    try:
        reply = exchange("GET", f"{url}/", timeout=settings.timeout, headers=headers, tries=1)
    except NoAnswerError as error:
        if error.nobody:
            return None
        raise ServiceAwayError(f"Zotero ({url}) did not answer ({error}).", "Check that it runs.") from error
    if reply.status == 403:
        raise UnavailableError("Zotero runs, but does not let other programs read its library.", _SETTING)
    server = reply.headers.get("zotero-server-id", "")
    headers = {"Zotero-Server-ID": server} if server else {}
    origin = f"Zotero on this machine ({server})" if server else "Zotero on this machine"
    version = line(reply.headers.get("x-zotero-version", ""))[:_LONGEST_VERSION]
    return ZoteroApi(url, _LOCAL_USER, origin, headers, settings.timeout, version)


def open_web(settings: SourcesSettings) -> ZoteroApi | None:
    """The library on zotero.org whose key is set; None where none is.

    Raises:
        ForbiddenError: `sources.online` is off.
        ServiceError: zotero.org does not answer, or does not know the key.
    """
    key = find_service_key(settings, "zotero")
    if not key:
        return None
    _check_online(settings, "sources.zotero.key")
    url = settings.zotero_web_url.rstrip("/")
    headers = {"Authorization": f"Bearer {key.reveal()}"}
    known = ZoteroApi(url, "keys/current", "zotero.org", headers, settings.timeout)._send("GET", "").json()
    user = known.get("userID") if isinstance(known, dict) else None
    if not isinstance(user, int):
        raise ServiceError("zotero.org does not say whose key sources.zotero.key is.", "Make another at zotero.org.")
    return ZoteroApi(url, f"users/{user}", f"zotero.org (user {user})", headers, settings.timeout)


def open_writable(settings: SourcesSettings, refused: ReadOnlyZoteroError | None = None) -> ZoteroApi:
    """A Zotero that may let this program write: the one that runs here, if it can ask its user, else zotero.org.

    Args:
        settings: addresses and the key.
        refused: why the one that runs here does not, where that is known.

    Raises:
        ReadOnlyZoteroError: there is none.
    """
    why: Exception | None = refused
    try:
        local = None if refused else open_local(settings)
        if local is not None and local.asks:
            return local
    except UnavailableError as error:
        why = error
    try:
        web = open_web(settings)
    except ForbiddenError as error:
        web, why = None, error
    if web is None:
        raise ReadOnlyZoteroError(
            f"No Zotero allows Conspectus to write{f': {why}' if why else ''}.",
            "Run Zotero 10 and allow it there; with Zotero 7 to 9 set sources.online and sources.zotero.key, a key of "
            "zotero.org that may write.",
        ) from why
    return web


def _check_online(settings: SourcesSettings, name: str) -> None:
    if not settings.online:
        raise ForbiddenError(f"{name} leads to the internet, and sources.online is off.", "Set sources.online = true.")


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts of `BATCH`."""
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))


def _is_object(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), dict)
        and isinstance(value.get("key"), str)
        and KEY.fullmatch(value["key"]) is not None
    )


def _is_group(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and type(value.get("id")) is int


def _object(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _number(value: Any, default: int = 0) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def open_link(attachment: str, page: int, annotation: str, group: int = 0) -> str:
    """The address by which Zotero opens an attachment of the user's library, or a group's, at an annotation."""
    library = f"groups/{group}" if group else "library"
    return f"zotero://open-pdf/{library}/items/{quote(attachment)}?page={page}&annotation={quote(annotation)}"
