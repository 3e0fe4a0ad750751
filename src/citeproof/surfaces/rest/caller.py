"""Who asks: the owner of jobs, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citeproof.surfaces.rest.access_tokens import CHECK, METRICS, TokenFile
from citeproof.surfaces.rest.error_answers import ApiError

LOCAL = "local"
ANONYMOUS = "anonymous"


@dataclass(frozen=True, slots=True)
class Caller:
    """One who asks."""

    owner: str  # of the jobs that they make
    scopes: frozenset[str]
    address: str

    @property
    def anonymous(self) -> bool:
        return self.owner == ANONYMOUS


def identify_caller(
    headers: Mapping[str, str], address: str, tokens: TokenFile | None, *, allow_anonymous: bool
) -> Caller:
    """Return who asks; ApiError if they must say so first.

    A server without tokens listens on loopback, where everybody is the same user, or serves anybody.
    """
    scheme, _, presented = headers.get("authorization", "").partition(" ")
    if scheme and tokens is not None:
        found = tokens.find(presented.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise _make_refusal("the token is not valid")
        return Caller(f"token:{found.name}", found.scopes, address)
    if allow_anonymous:
        return Caller(ANONYMOUS, frozenset((CHECK,)), address)
    if tokens is None:
        return Caller(LOCAL, frozenset((CHECK, METRICS)), address)
    raise _make_refusal("a token is needed")


def _make_refusal(message: str) -> ApiError:
    return ApiError(
        401,
        "UNAUTHORIZED",
        message,
        place="Authorization",
        hint="send the header `Authorization: Bearer TOKEN`",
        headers={"WWW-Authenticate": "Bearer"},
    )
