"""Who may ask a server: hosts, origins, tokens, and how much at once."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from pydantic import BaseModel

from conspectus.core.errors import ForbiddenError, UsageError
from conspectus.library import Library
from conspectus.library.library_folder import is_askable

AUTO = "auto"
"""Instead of a token: let one be made."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
GUESSES = 10
"""Wrong tokens in a minute from one address; then none from there is compared, a right one neither.

The same one again is no other guess: a page that was open when the server began anew sends its old one all the time.
"""
ADDRESSES = 1000
"""Addresses whose wrong tokens are remembered; of more the one is forgotten that has sent none for longest."""
MINUTE = 60.0
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d*)?")


def is_loopback(host: str) -> bool:
    """Whether a server on this address is heard on this machine only."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_opened(headers: Mapping[str, str]) -> bool:
    """Whether a browser opens this as a page, as for who follows a link, not as a part of another page."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _network(caller: str) -> str:
    """Who counts as one caller: an address, of version 6 all that one household has."""
    try:
        address = ip_address(caller.partition("%")[0])
    except ValueError:
        return caller
    return str(address) if address.version == 4 else str(ip_network(f"{address}/64", strict=False))


@dataclass(slots=True)
class Access:
    """What callers have to show.

    Attributes:
        host: the address that is listened on.
        port: the port; 0: not known yet.
        token: what callers have to know; "": everybody who is on this machine may ask.
        names: hosts that may be asked by beside the usual ones, for servers behind a proxy.
        read_only: whether nothing may be changed.
        is_own: whether only who started it learns the token.
        on_guess: called with who counts as the caller and a digest, for each wrong token.

    Raises:
        UsageError: others than this machine can reach it, and there is no token.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    names: tuple[str, ...] = ()
    read_only: bool = False
    is_own: bool = False
    on_guess: Callable[[str, bytes], object] = lambda _network, _guess: None
    _wrong_guesses: dict[str, deque[tuple[float, bytes]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            raise UsageError(
                f"On '{self.host}' anybody in the network could ask this library, so it needs a token.",
                "Give one (`token=TOKEN`), or let one be made: `token=auto`.",
            )
        if self.token == AUTO:
            self.token = secrets.token_urlsafe(24)

    @property
    def is_private(self) -> bool:
        """Whether it is for nobody but who started it: only this machine reaches it, and nobody was given a token."""
        is_shared = bool(self.token) and not self.is_own
        return is_loopback(self.host) and not (is_shared or self.names or self.read_only)

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token: cookies are shared by all ports of a host.

        Behind a proxy it is that of the host which callers ask for: several servers may answer them in turns.
        """
        return f"conspectus-{self.names[0] if self.names else self.port}"

    def knows_host(self, header: str) -> bool:
        """Whether the `Host` that was asked for is one of this server's: a page whose name was bound anew is not.

        Where a token is needed addresses in numbers are, too: no page can have the token's cookie for them.
        """
        if not _HOST.fullmatch(header):
            return False
        name = header.rpartition("]")[0].lstrip("[") or header.partition(":")[0]
        name = name.lower().rstrip(".")
        if name in (*LOOPBACK, *(host.lower() for host in (self.host, *self.names))):
            return True
        try:
            return bool(self.token) and ip_address(name) is not None
        except ValueError:
            return False

    def is_own_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether no other site's page sends this: its `Origin`, where a browser tells one, is the host asked for."""
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        try:
            return origin is None or urlsplit(origin).netloc == headers.get("host", "")
        except ValueError:
            return False

    def is_blocked(self, caller: str) -> bool:
        """Whether too many wrong tokens came from an address in the last minute."""
        wrong = self._wrong_guesses.get(_network(caller))
        return wrong is not None and len(wrong) == GUESSES and time.monotonic() - wrong[0][0] < MINUTE

    def knows(self, headers: Mapping[str, str], caller: str, candidate: str = "") -> bool:
        """Whether the token (`candidate`, in a header, or the page's cookie) is right; a wrong one is noted."""
        if not self.token:
            return True
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        candidate = candidate or (
            credentials.strip() if scheme.lower() == "bearer" else self._read_cookie(headers.get("cookie", ""))
        )
        return bool(candidate) and self.is_token(candidate, caller)

    def is_token(self, candidate: str, caller: str) -> bool:
        """Whether it is the token, compared in constant time; one that is not is remembered."""
        if hmac.compare_digest(candidate.encode(), self.token.encode()):
            return True
        guess = hashlib.sha256(candidate.encode()).digest()
        self.note_guess(_network(caller), guess)
        self.on_guess(_network(caller), guess)
        return False

    def note_guess(self, network: str, guess: bytes, age: float = 0.0) -> None:
        """Remember a wrong token, by its digest, that came `age` seconds ago, here or to another server."""
        with self._lock:
            wrong = self._wrong_guesses.pop(network, deque(maxlen=GUESSES))
            self._wrong_guesses[network] = wrong  # the last one now
            if all(guess != other for _, other in wrong):
                wrong.append((time.monotonic() - age, guess))
            if len(self._wrong_guesses) > ADDRESSES:
                del self._wrong_guesses[next(iter(self._wrong_guesses))]

    def _read_cookie(self, header: str) -> str:
        try:
            morsel = SimpleCookie(header).get(self.cookie)
        except CookieError:
            return ""
        return morsel.value if morsel else ""


FIELDS = ("model", "second_opinion")


def check(library: Library, request: BaseModel) -> None:
    """Refuse a request for a model at an address, or in a file, that the settings do not name.

    Raises:
        ForbiddenError: it names one.
    """
    for name in (*(getattr(request, key, "") or "" for key in FIELDS), *getattr(request, "models", ())):
        if not is_askable(library.session, name):
            raise ForbiddenError(
                f"'{name}' is not a model that may be asked for from here.",
                "Set it in your configuration (`language.model`, or that of a role), or name one of a provider.",
            )
