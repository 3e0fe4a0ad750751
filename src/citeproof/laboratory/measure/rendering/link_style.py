"""Citations as links: `[authors, year, title](url)`, the form of CITECHECK."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

from citeproof.laboratory.measure.makers.citation_fields import CitationFields
from citeproof.laboratory.measure.rendering.rendered_names import NameListing, format_name_list
from citeproof.laboratory.measure.rendering.tidy_fields import change_title_case, tidy_citation
from citeproof.text import lazy_patterns as re

PEOPLE = {
    "families": NameListing("Family", two=" & ", most=2),
    "three": NameListing("Family", two=" & ", last=" & ", most=3),
    "comma": NameListing("Family, I. I.", two=" & ", last=" & ", most=2),
    "initials": NameListing("I. Family", two=", ", last=", ", most=3),
    "full": NameListing("Given Family", two=" and ", last=" and ", most=3, tail=", et al."),
    "all": NameListing("Given Family", two=", ", last=", ", most=12, shown=10, tail=", et al."),
}
CASES = {"": "", "sentence": "sentence", "title": "title"}
ADDRESSES = ("", "pdf", "old")

# The host is not asked for: a citation whose host was swapped keeps the shape of its address.
_ABSTRACT = re.compile(r"(https?://[^/]+)/abs/((?:[a-z-]+(?:\.[A-Z]{2})?/)?[\d.]+(?:v\d+)?)")
_DOI = re.compile(r"https?://doi\.org/(.+)")
_UNSAFE = re.compile(r"[\s<>\\^`{|}]")


@dataclass(frozen=True, slots=True)
class LinkStyle:
    """One habit of naming people, of capitals in titles, and of addresses."""

    name: str
    people: NameListing
    case: str
    address: str
    form: Literal["link"] = "link"

    def render(self, cited: CitationFields, key: str = "") -> str:  # noqa: ARG002 - a link has no key
        """Return the citation; empty if the work has no title or no address."""
        cited = tidy_citation(cited)
        if not cited.title or not cited.url:
            return ""
        parts = (
            format_name_list(cited.people, self.people),
            str(cited.year or ""),
            change_title_case(cited.title, self.case),
        )
        text = ", ".join(part for part in map(_escape_brackets, parts) if part)
        return f"[{text}]({_format_address(cited.url, self.address)})"


def list_link_styles() -> tuple[LinkStyle, ...]:
    """Return every habit with every other."""
    return tuple(
        LinkStyle(":".join(filter(None, ("link", people, case, address))), PEOPLE[people], case, address)
        for people, case, address in product(PEOPLE, CASES, ADDRESSES)
    )


def _escape_brackets(text: str) -> str:
    r"""Return text as it may be between the brackets; a bracket without its fellow gets a backslash."""
    return text if _is_balanced(text, "[]") else re.sub(r"([\[\]])", r"\\\1", text)


def _format_address(url: str, habit: str) -> str:
    if habit == "pdf" and (match := _ABSTRACT.fullmatch(url)):
        url = f"{match[1]}/pdf/{match[2]}.pdf"
    elif habit == "old" and (match := _DOI.fullmatch(url)):
        url = f"http://dx.doi.org/{match[1]}"
    url = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", url)
    return url if _is_balanced(url, "()") else url.replace("(", "%28").replace(")", "%29")


def _is_balanced(text: str, pair: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == pair[0]) - (sign == pair[1])
        if depth < 0:
            return False
    return depth == 0
