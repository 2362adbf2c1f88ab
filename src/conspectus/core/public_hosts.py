"""Asking a machine that a stranger named: only public ones, at the address that was checked.

A link can name a host of the user's own network, lead there by a redirect, or have a name that means a public address
when it is checked and a private one when it is asked (DNS rebinding). So a name is resolved once, all its addresses are
checked, and the connection is made to one of these; the name is kept for TLS and for the header `Host`. A proxy would
resolve names itself, so none is asked, whatever the environment says.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import httpx2

from conspectus.core.http import NoAnswerError
from conspectus.core.transport import BoundedClient

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, in the order in which they are tried."""

_PORTS = {"http": 80, "https": 443}
_MOST_ADDRESSES = 4
_EMBEDDING: Mapping[IPv6Network, int] = {
    IPv6Network("::/96"): 0,
    IPv6Network("::ffff:0:0/96"): 0,
    IPv6Network("64:ff9b::/96"): 0,
    IPv6Network("2002::/16"): 80,
}
"""Networks of IPv6 whose addresses mean one of IPv4 (mapped, NAT64, 6to4), and how many bits are behind that."""
_UNICAST = IPv6Network("2000::/3")
_CLOSED = tuple(
    ip_network(network)
    for network in (
        *("192.0.0.0/24", "192.88.99.0/24", "100.64.0.0/10", "168.63.129.16/32"),
        *("2001::/23", "2001:db8::/32", "3fff::/20"),
    )
)
"""Not public, although some versions of Python say so: for protocols, providers, a cloud's own service, examples."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet; False also for what is none."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        if parsed.scope_id:
            return False
        for network, behind in _EMBEDDING.items():
            if parsed in network:
                return _is_open(IPv4Address((int(parsed) >> behind) & 0xFFFFFFFF))
    return _is_open(parsed)


def _is_open(parsed: IPv4Address | IPv6Address) -> bool:
    if isinstance(parsed, IPv6Address) and parsed not in _UNICAST:
        return False
    closed = any(parsed in network for network in _CLOSED if isinstance(network, IPv4Network) is (parsed.version == 4))
    return parsed.is_global and not (closed or parsed.is_multicast or parsed.is_reserved)


def server_of(url: httpx2.URL) -> tuple[str, str, int]:
    """Scheme, host and port of an address."""
    return url.scheme, url.raw_host.decode("ascii"), url.port or _PORTS.get(url.scheme, 0)


def is_trusted(url: httpx2.URL, trusted: Sequence[str]) -> bool:
    """Whether it is of the same server as one of the `trusted` addresses."""
    return any(server_of(url) == server_of(httpx2.URL(address)) for address in trusted)


async def resolve(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a host.

    Raises:
        NoAnswerError: it has none.
    """
    try:
        addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoAnswerError(f"the host '{host}' is not known ({error})", nobody=True) from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in addresses))


@asynccontextmanager
async def open_public(
    url: httpx2.URL,
    headers: Mapping[str, str],
    *,
    most: int,
    seconds: float,
    trusted: bool = False,
    resolver: Resolver = resolve,
) -> AsyncIterator[httpx2.Response]:
    """The answer to GET, to be read within; redirects are not followed, cookies and passwords not sent.

    Args:
        url: what is asked for.
        headers: besides `Host`.
        most: bytes of the answer, packed and unpacked.
        seconds: between two parts of it.
        trusted: whether the host may be a private one.
        resolver: finds the host's addresses.

    Raises:
        NoAnswerError: the address is none, or leads to a host that is not public; also as `BoundedClient`.
    """
    scheme, host, port = server_of(url)
    if scheme not in _PORTS or not host:
        raise NoAnswerError("the address is not one of the web (http, https)", retry=False, address=True)
    addresses = list(await resolver(host, port))[:_MOST_ADDRESSES]
    if not addresses:
        raise NoAnswerError(f"the host '{host}' has no address", nobody=True)
    if not trusted and (private := [address for address in addresses if not is_public(address)]):
        where = "" if host == private[0] else f" ({private[0]})"
        raise NoAnswerError(f"it leads to '{host}'{where}, which is not a public address", retry=False, address=True)
    async with BoundedClient(most, seconds, direct=True) as client:
        reply = await _connect(client, url, headers, addresses)
        try:
            yield reply
        finally:
            await reply.aclose()


async def _connect(
    client: BoundedClient, url: httpx2.URL, headers: Mapping[str, str], addresses: Sequence[str]
) -> httpx2.Response:
    """The answer of the first address that can be reached."""
    _, host, _ = server_of(url)
    plain_url = url.copy_with(userinfo=b"", fragment=None)
    for number, address in enumerate(addresses, 1):
        request = client.build_request(
            "GET",
            plain_url.copy_with(host=address),
            headers={**headers, "Host": plain_url.netloc.decode("ascii")},
            extensions={"sni_hostname": host},
        )
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            if number == len(addresses):
                raise
    raise AssertionError("unreachable")
