"""Who asks, and what they may do; a line of the file of tokens holds a hash, never a token.

    # name  SHA-256 of the token  scopes
    ann 3f9c…  check,llm

Scopes: `check` (everything but the next two), `llm` (language models may be asked), `metrics`.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address, ip_network
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import read_plain_file
from citeproof.surfaces.rest.error_answers import ApiError
from citeproof.text import lazy_patterns as re

CHECK, LLM, METRICS = "check", "llm", "metrics"
SCOPES = (CHECK, LLM, METRICS)
PREFIX = "cpt_"
LARGEST = 10_000_000  # bytes of a file of tokens
LONGEST = 200  # characters of a token
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class AccessToken:
    """Who may do what."""

    name: str
    digest: str
    scopes: frozenset[str]


class TokenFile:
    """The tokens of one file, as it was when the server began."""

    def __init__(self, tokens: Sequence[AccessToken]) -> None:
        self._tokens = tuple(tokens)

    def find(self, presented: str) -> AccessToken | None:
        """Return whose token it is; every one is compared, so that the time says nothing."""
        digest = hash_token(presented[:LONGEST])
        match = None
        for token in self._tokens:
            if hmac.compare_digest(token.digest, digest):
                match = token
        return match


def hash_token(token: str) -> str:
    """Return what the file has of a token, which has 256 random bits and needs no salt."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def read_tokens(path: Path) -> TokenFile:
    """Return the tokens of a file; UsageError names the line that cannot be read."""
    try:
        text = read_plain_file(path, LARGEST).decode()
    except (OSError, ValueError) as error:
        hint = "make it with `citeproof serve --tokens FILE --new-token NAME`"
        raise UsageError(f"cannot be read: {error}", place=str(path), hint=hint) from error
    return TokenFile([_read_line(line, f"{path}:{n}") for n, line in _list_lines(text)])


def _list_lines(text: str) -> list[tuple[int, str]]:
    lines = enumerate(text.splitlines(), 1)
    return [(n, line.strip()) for n, line in lines if line.strip() and not line.lstrip().startswith("#")]


def _read_line(line: str, place: str) -> AccessToken:
    name, digest, scopes, *more = [*line.split(), "", ""]
    given = frozenset(scopes.split(","))
    if any(more) or not _NAME.fullmatch(name) or not _HASH.fullmatch(digest) or not given <= set(SCOPES):
        hint = f"write NAME HASH SCOPES; scopes are {', '.join(SCOPES)}"
        raise UsageError("is not a token", place=place, hint=hint)
    return AccessToken(name, digest, given)


def add_token(path: Path, name: str, scopes: Sequence[str]) -> str:
    """Return a new token, whose hash is in the file now; it cannot be shown again."""
    if not _NAME.fullmatch(name):
        hint = "use up to 64 letters, digits, dots, dashes and underscores"
        raise UsageError(f"{name[:80]!r} cannot name a token", place="--new-token", hint=hint)
    token = PREFIX + secrets.token_urlsafe(32)
    if path.exists():
        read_tokens(path)  # a broken file is reported now, not when the server starts
    line = f"{name} {hash_token(token)} {','.join(dict.fromkeys((CHECK, *scopes)))}\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write(line)
    return token


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
