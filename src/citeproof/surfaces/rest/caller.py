"""Who asks: the owner of jobs, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from citeproof.surfaces.rest.access_tokens import CHECK, METRICS, TokenFile
from citeproof.surfaces.rest.error_answers import ApiError

LOCAL = "local"
ANONYMOUS = "anonymous"
TOKEN = "token:"  # noqa: S105 - before the name of one


@dataclass(frozen=True, slots=True)
class Caller:
    """One who asks."""

    owner: str  # of the jobs that they make
    scopes: frozenset[str]
    address: str

    @property
    def anonymous(self) -> bool:
        return self.owner == ANONYMOUS

    @property
    def share(self) -> str:
        """Who has a share of the queue of jobs; empty: all of it, where everybody is the same user."""
        return "" if self.owner == LOCAL else self.client

    @property
    def client(self) -> str:
        """Who rates and bounds are counted for: a token, or an address without one."""
        return self.owner if self.owner.startswith(TOKEN) else self.address


def identify_caller(
    headers: Mapping[str, str], address: str, tokens: TokenFile | None, *, allow_anonymous: bool
) -> Caller:
    """Return who asks; ApiError if they must say so first.

    A server without tokens listens on loopback, where everybody is the same user, or serves anybody.
    """
    scheme, _, presented = headers.get("authorization", "").partition(" ")
    if scheme and tokens is not None:
        token = tokens.find(presented.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise _make_refusal("the token is not valid")
        return Caller(TOKEN + token.name, token.scopes, address)
    if allow_anonymous:
        return Caller(ANONYMOUS, frozenset((CHECK,)), address)
    if tokens is None:
        return Caller(LOCAL, frozenset((CHECK, METRICS)), address)
    raise _make_refusal("a token is needed")


def name_network(address: str) -> str:
    """Return whose address it is: of IPv6, everybody has 2**64."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ip if ip.version == 4 else ip_network((ip, 64), strict=False))


def _make_refusal(message: str) -> ApiError:
    hint, asked = "send the header `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"}
    return ApiError(401, "UNAUTHORIZED", message, place="Authorization", hint=hint, headers=asked)
