"""Which addresses may be reached: a link in a document must not lead into somebody's own network."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType
from yarl import URL

from citeproof.text import lazy_patterns as re

PORTS = {"http": 80, "https": 443}
# Python calls these global or passes them on to addresses that are not: listed by hand.
_BLOCKED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15",
        "224.0.0.0/4", "240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
        "100::/64", "2001::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10",
        "ff00::/8",
    )
)  # fmt: skip
# The last part of a host that is read as a number: `127.1`, `0x7f000001`, `0177.0.0.1`, `2130706433`, `0`.
_NUMBER = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$")
# Never read by a program: their terms forbid it.
_DENIED = ("scholar.google.", "pubpeer.com")


class ForbiddenError(OSError):
    """An address that must not be reached; the message says why."""


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(ip, "ipv4_mapped", None)
    if mapped is not None:
        ip = mapped
    if any(ip.version == net.version and ip in net for net in _BLOCKED):
        return False
    return ip.is_global and not ip.is_multicast


def is_allowed(host: str, port: int, allowed: Collection[str]) -> bool:
    """Return whether `allowed` names a host: `name:port` for that port only, `name` for 80 and 443."""
    if ":" in host:
        host = f"[{host}]"
    return f"{host}:{port}" in allowed or (port in PORTS.values() and host in allowed)


def check_free_url(url: str, allowed: Collection[str] = ()) -> None:
    """Raise `ForbiddenError` unless a free URL is one that may be fetched at all."""
    parts = urlsplit(url)
    host = _read_host(url)
    if parts.scheme not in PORTS or not host:
        raise ForbiddenError("only http and https addresses are fetched")
    if parts.username is not None or parts.password is not None:
        raise ForbiddenError("an address with a user name in it is not fetched")
    if any(host.startswith(name) or f".{name}" in f".{host}" for name in _DENIED):
        raise ForbiddenError(f"{host} does not allow programs to read it")
    if is_allowed(host, _read_port(url), allowed):
        return
    if _read_port(url) != PORTS[parts.scheme]:
        raise ForbiddenError("only the ports 80 and 443 are fetched")
    if (":" in host or _NUMBER.search(host)) and not is_public(host):
        raise ForbiddenError("the address is not on the public internet, or not spelled as usual")


def _read_host(url: str) -> str:
    """Return the host as the connection will spell it: full-width digits are digits to it."""
    try:
        return (URL(url).raw_host or "").lower()
    except ValueError as error:
        raise ForbiddenError("it is no valid address") from error


def split_origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, _read_host(url), _read_port(url)


def _read_port(url: str) -> int:
    parts = urlsplit(url)
    try:
        return parts.port or PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise ForbiddenError("the address has no valid port") from error


class PublicResolver(AbstractResolver):
    """Resolves names once, and only to public addresses; the connection goes to what was checked."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return where `host` is; raise `ForbiddenError` if any of its addresses is private."""
        loop = asyncio.get_running_loop()
        entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        addresses = list(dict.fromkeys((entry[0], str(entry[4][0])) for entry in entries))
        if not all(is_public(address) for _, address in addresses):
            raise ForbiddenError("the name leads to an address that is not on the public internet")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family_, proto=0, flags=0)
            for family_, address in addresses
        ]

    async def close(self) -> None:
        """Let go of nothing: there is nothing open."""


def open_public_socket(target: AddrInfoType) -> socket.socket:
    """Return a socket for a connection; raise `ForbiddenError` unless it goes to a public address.

    The last to see where a connection goes, whatever the library makes of a host.
    """
    family, kind, protocol, _, address = target
    if not is_public(str(address[0])):
        raise ForbiddenError("the connection leads to an address that is not on the public internet")
    return socket.socket(family, kind, protocol)
