"""The address of a PostgreSQL database, which may hold a password: it is shown without."""

from __future__ import annotations

from urllib.parse import parse_qs

from citeproof.text import lazy_patterns as re

SCHEMES = ("postgresql://", "postgres://")
_HOST = r"(?:[A-Za-z0-9._%-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])?(?::[0-9]{1,5})?"
_ADDRESS = re.compile(
    rf"(postgres(?:ql)?)://(?:[^@/?#\s]{{0,500}}@)?({_HOST}(?:,{_HOST}){{0,9}})(/[^@:/?#\s]{{0,200}})?(?:\?[^#\s]{{0,2000}})?"
)

_PORT = re.compile(r":[0-9]{1,5}\Z")
_LOOPBACK = re.compile(r"(?:|localhost|127(?:\.[0-9]{1,3}){3}|\[?::1\]?|%2[Ff].{0,200})")


class StoreAddress:
    """Where a store is that several machines share. It prints without user, password and parameters."""

    __slots__ = ("_url",)

    def __init__(self, url: str) -> None:
        self._url = url

    def reveal(self) -> str:
        """Return the whole address, to connect with."""
        return self._url

    @property
    def is_local(self) -> bool:
        """Whether the database is on this machine for certain: on a socket of it, or on loopback."""
        address = _ADDRESS.fullmatch(self._url)
        if address is None:
            return False
        options = parse_qs(self._url.partition("?")[2])
        named = ",".join(value for key in ("host", "hostaddr") for value in options.get(key, ()))
        hosts = named.split(",") if named else [_PORT.sub("", host) for host in address[2].split(",")]
        return all(host.startswith("/") or _LOOPBACK.fullmatch(host) for host in hosts)

    def __str__(self) -> str:
        return hide_password(self._url)

    def __repr__(self) -> str:
        return f"StoreAddress({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoreAddress) and other.reveal() == self._url

    def __hash__(self) -> int:
        return hash(self._url)


def is_postgres_url(where: str) -> bool:
    """Return whether a store is named by the address of a PostgreSQL database."""
    return where.startswith(SCHEMES)


def hide_password(url: str) -> str:
    """Return an address without user, password and parameters; if it is malformed, only its scheme."""
    address = _ADDRESS.fullmatch(url)
    return f"{address[1]}://{address[2]}{address[3] or ''}" if address else f"{url.partition(':')[0]}://…"
