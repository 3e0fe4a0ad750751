"""What a site's robots.txt lets a program read: RFC 9309, with `Crawl-delay` as many sites state it. Pure.

The standard library's parser knows neither wildcards nor the rule that the longest match decides, and would
read `Disallow: /*.pdf$` as a name.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes, urlsplit

from citeproof.text import lazy_patterns as re

MAX_BYTES = 512_000  # RFC 9309: at least 500 kibibytes are read
MAX_RULES = 5000
_MAX_PATTERN = 1000  # characters
_LINE = re.compile(r"\s{0,20}([A-Za-z-]{1,30})\s{0,20}:\s{0,20}([^#]{0,1000})")
_SAFE = "/?&=+,;:@!$'()*~-._%"


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules for one program: pattern and whether it allows; and seconds between two requests."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0

    def allows(self, url: str) -> bool:
        """Return whether the address may be read: the longest pattern that fits decides, then `Allow`."""
        parts = urlsplit(url)
        path = _normalise_path((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        if path == "/robots.txt":
            return True
        fitting = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches_path(pattern, path)]
        return max(fitting)[1] if fitting else True


def read_robots(body: bytes, agent: str) -> RobotsRules:
    """Return the rules for `agent`: those of its own groups, else those for everybody."""
    text = body[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    named: list[tuple[str, str]] = []
    everybody: list[tuple[str, str]] = []
    mine = theirs = addressed = False
    heading = False  # whether the line before named a program
    for line in text.splitlines():
        row = _LINE.match(line)
        if row is None:
            continue
        key, value = row[1].lower(), row[2].strip()
        if key == "user-agent":
            mine, theirs = (mine, theirs) if heading else (False, False)
            mine = mine or value.lower() == agent.lower()
            theirs = theirs or value == "*"
            addressed, heading = addressed or mine, True
        elif key in ("allow", "disallow", "crawl-delay"):
            heading = False
            named += [(key, value)] if mine else []
            everybody += [(key, value)] if theirs else []
    return _make_rules(named if addressed else everybody)


def _make_rules(rows: list[tuple[str, str]]) -> RobotsRules:
    delay = 0.0
    for key, value in rows:
        if key == "crawl-delay":
            with suppress(ValueError):
                delay = max(0.0, float(value))
    rules = [
        (_normalise_path(value[:_MAX_PATTERN]), key == "allow")
        for key, value in rows
        if key != "crawl-delay" and value
    ]
    return RobotsRules(tuple(rules[:MAX_RULES]), delay if delay < float("inf") else 0.0)


def _normalise_path(path: str) -> str:
    """Return a path in one spelling of its percent-encoding."""
    return quote(unquote_to_bytes(path.replace("%2F", "%252F").replace("%2f", "%252F")), safe=_SAFE)


def _matches_path(pattern: str, path: str) -> bool:
    """Return whether a path begins with a pattern, in which `*` is anything and a last `$` the end."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    at = len(first)
    for part in rest[:-1]:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at
    return path.find(rest[-1], at) >= 0
