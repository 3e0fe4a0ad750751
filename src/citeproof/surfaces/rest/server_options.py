"""What bounds a server: sizes, times, rates and how much work it admits."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Every limit of the REST door, with its default."""

    max_json: int = 1_000_000  # bytes of a body that is no upload
    max_upload: int = 50_000_000  # bytes of an uploaded document
    sync_items: int = 25  # references that are checked while the caller waits
    sync_seconds: float = 30.0  # that a caller waits before the answer is a job
    body_seconds: float = 60.0  # in which a body must have come; a large one has more
    workers: int = 2  # jobs at a time
    most_waiting: int = 100  # jobs that are not ended
    at_once: int = 64  # requests that are answered at a time
    at_once_overloaded: int = 2  # that a second without a pause makes overloaded, offline: then one less
    token_rate: float = 100.0  # requests a second of one token, or of one address without tokens
    token_burst: int = 1000
    anonymous_rate: float = 1.0  # the same of one address, with --allow-anonymous
    anonymous_burst: int = 20
    drain_seconds: float = 10.0  # for what is being answered when the server is told to end
    allow_anonymous: bool = False
    hosts: tuple[str, ...] = ()  # names under which the server is reached, besides its address
    proxies: tuple[str, ...] = ()  # networks of reverse proxies, whose word on who asks is taken


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
