"""Web addresses to one form; http and https only."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.doi import trim_tail

MAX_URL = 2048

_SHAPE = re.compile(r"(https?)://([^\s/?#@\\]{1,255})([/?][^\s\x00-\x1f\x7f]{0,2048})?", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){0,10}[\w-]{1,63}\.?(?::\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?")
_TEX = re.compile(r"\\([_&%#${}~])")
_WRAPPED = re.compile(r"\\(?:url|href)\s{0,3}\{([^{}]{1,2048})\}")


def normalise(value: str) -> str | None:
    r"""Return the address in `value` with lower-case host, without fragment; None if not http(s).

    `\url{…}` and escaped underscores are undone. An address that carries a user name is refused:
    what comes before an @ is there to mislead.
    """
    value = value.strip()[: MAX_URL + 100]
    if wrapped := _WRAPPED.search(value):
        value = wrapped[1].strip()
    value = trim_tail(_TEX.sub(r"\1", value.strip("<>{}")).partition("#")[0])
    match = _SHAPE.fullmatch(value)
    if not match or len(value) > MAX_URL or not _HOST.fullmatch(match[2]):
        return None
    default = ":80" if match[1].lower() == "http" else ":443"
    netloc = match[2].lower().removesuffix(default).rstrip(".")
    return f"{match[1].lower()}://{netloc}{match[3] or '/'}"


def get_host(url: str) -> str:
    """Return the host of a normalised address, without port and `www.`."""
    netloc = url.partition("://")[2].partition("/")[0]
    return re.sub(r":\d{1,5}$", "", netloc).removeprefix("www.")
