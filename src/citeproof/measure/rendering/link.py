"""Citations as links: `[authors, year, title](url)`, the form of CITECHECK."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Literal

from citeproof.measure.makers.cited import Cited
from citeproof.measure.rendering.names import Listing, listed
from citeproof.measure.rendering.seen import Printing
from citeproof.measure.rendering.tidy import tidied
from citeproof.measure.rendering.titles import cased

PEOPLE = {
    "families": Listing("Family", two=" & ", most=2),
    "three": Listing("Family", two=" & ", last=" & ", most=3),
    "comma": Listing("Family, I. I.", two=" & ", last=" & ", most=2),
    "initials": Listing("I. Family", two=", ", last=", ", most=3),
    "full": Listing("Given Family", two=" and ", last=" and ", most=3, tail=", et al."),
    "all": Listing("Given Family", two=", ", last=", ", most=12, shown=10, tail=", et al."),
}
CASES = {"": "", "sentence": "sentence", "title": "title"}
ADDRESSES = ("", "pdf", "old")

# The host is not asked for: a citation whose host was swapped keeps the shape of its address.
_ABSTRACT = re.compile(r"(https?://[^/]+)/abs/((?:[a-z-]+(?:\.[A-Z]{2})?/)?[\d.]+(?:v\d+)?)")
_DOI = re.compile(r"https?://doi\.org/(.+)")
_UNSAFE = re.compile(r"[\s<>\\^`{|}]")


@dataclass(frozen=True, slots=True)
class LinkStyle(Printing):
    """One habit of naming people, of capitals in titles, and of addresses."""

    name: str
    people: Listing
    case: str
    address: str
    form: Literal["link"] = "link"

    def render(self, cited: Cited, key: str = "") -> str:  # noqa: ARG002 - a link has no key
        """Return the citation; empty if the work has no title or no address."""
        cited = tidied(cited)
        if not cited.title or not cited.url:
            return ""
        parts = (listed(cited.people, self.people), str(cited.year or ""), cased(cited.title, self.case))
        text = ", ".join(part for part in map(_inline, parts) if part)
        return f"[{text}]({_address(cited.url, self.address)})"


def link_styles() -> tuple[LinkStyle, ...]:
    """Return every habit with every other."""
    return tuple(
        LinkStyle(":".join(filter(None, ("link", people, case, address))), PEOPLE[people], case, address)
        for people, case, address in product(PEOPLE, CASES, ADDRESSES)
    )


def _inline(text: str) -> str:
    r"""Return text as it may stand between the brackets; a bracket without its fellow gets a backslash."""
    return text if _balanced(text, "[]") else re.sub(r"([\[\]])", r"\\\1", text)


def _address(url: str, habit: str) -> str:
    if habit == "pdf" and (found := _ABSTRACT.fullmatch(url)):
        url = f"{found[1]}/pdf/{found[2]}.pdf"
    elif habit == "old" and (found := _DOI.fullmatch(url)):
        url = f"http://dx.doi.org/{found[1]}"
    url = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", url)
    return url if _balanced(url, "()") else url.replace("(", "%28").replace(")", "%29")


def _balanced(text: str, pair: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == pair[0]) - (sign == pair[1])
        if depth < 0:
            return False
    return depth == 0
