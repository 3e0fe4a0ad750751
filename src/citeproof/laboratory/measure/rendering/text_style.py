"""Citations as printed reference lists have them, by the patterns of `text.toml`.

A pattern is text with fields in it: `{A}< ({Y})>. {T}.< {C}<, {V}<({I})>>.>`. `{X}` is a field; `<…>` a part
that is left out when a field in it is empty, and when all it holds are parts that were left out. Parts nest.
A pattern does not fit where a field outside all parts is empty. Punctuation that meets its like is printed
once: a title that ends in "?" needs no full stop. `LinkStyle` is the form of CITECHECK instead, a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Literal, TypeAlias

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.rendering.rendered_names import NameListing, format_name_list
from citeproof.laboratory.measure.rendering.tidy_fields import (
    change_title_case,
    choose_shape,
    format_venue,
    is_on_arxiv,
    tidy_citation,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.pages import split_range
from citeproof.text.typed_decoding import convert_value

_INSTEAD = {"preprint": "other", "report": "book", "other": "book", "thesis": "book"}
_SPACE = re.compile(r"\s{2,}")
# A pattern is a sequence of literal text, ("X",) for a field, and lists for parts.
Piece: TypeAlias = "str | tuple[str] | list[Piece]"
Filled: TypeAlias = tuple[str, bool]  # text, and whether it is a field's

_TOKEN = re.compile(r"\{(\w+)\}|([<>])|([^{}<>]+)")
_ENDED = re.compile(r"[.?!…][”’\"')\]]?\Z")
_PAUSED = re.compile(r"(?:[,;:?!]|[,.;:?!][”’\"'])\Z")
_COMMA = re.compile(r"[,;:](?=[\s”’\"])")
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
class TextStyle:
    """One style: how it lists people, writes titles, venues and pages, and its pattern for each shape."""

    name: str
    people: NameListing
    patterns: Mapping[str, str]
    bare: str  # the pattern of works without authors
    case: str = ""
    venue: str = ""
    pages: str = "–"
    numeric: bool = False  # texts cite by number
    form: Literal["text"] = "text"

    def render(self, cited: CitationFields, key: str = "") -> str:  # noqa: ARG002 - printed lists have no keys
        """Return the citation; empty if the work has no title."""
        cited = tidy_citation(cited)
        if not cited.title:
            return ""
        fields = self._fields(cited)
        text = next((t for p in self._choose_pattern(cited) if (t := fill_pattern(p, fields))), "")
        return _SPACE.sub(" ", text)

    def _choose_pattern(self, cited: CitationFields) -> tuple[str, ...]:
        wanted = choose_shape(cited)
        chain = [wanted] if wanted in self.patterns else []
        if wanted == "preprint" and not is_on_arxiv(cited):
            chain = []
        chain += [other for other in (_INSTEAD.get(wanted, ""), "book") if other in self.patterns]
        return (*(self.patterns[each] for each in chain), self.bare)

    def _fields(self, cited: CitationFields) -> dict[str, str]:
        ids = cited.ids
        place = format_venue(cited.venue, self.venue)
        book = choose_shape(cited) in {"book", "report", "thesis"}
        first, last = split_range(cited.pages) or ("", "")
        pages = _format_page_range(first, last, self.pages)
        return {
            "A": format_name_list(cited.people, self.people),
            "T": change_title_case(cited.title, self.case),
            "Y": str(cited.year or ""),
            "C": "" if book and not cited.publisher else place,
            "V": cited.volume, "I": cited.issue,
            "P": pages, "F": first,
            "PP": f"{'pp' if first != last else 'p'}. {pages}" if pages else "",
            "B": cited.publisher or (cited.venue if book else ""),
            "D": ids.first("doi") or "",
            "X": ids.first("arxiv") or "",
            "U": "" if ids.first("doi") or ids.first("arxiv") else cited.url,
        }  # fmt: skip


@lru_cache(maxsize=1)
def load_text_styles() -> tuple[TextStyle, ...]:
    table = load_package_table(__package__, "text.toml")
    return tuple(_build_style(name, row) for name, row in table.items())


def _build_style(name: str, row: dict[str, Any]) -> TextStyle:
    patterns = {shape: pattern for shape, pattern in row["patterns"].items() if shape != "bare"}
    fields = row | {"name": name, "bare": row["patterns"]["bare"], "patterns": patterns}
    return convert_value(fields, TextStyle)


def _format_page_range(first: str, last: str, dash: str) -> str:
    """Return the pages; a style with the dash "short" leaves out the digits the last page shares."""
    if first == last or not last:
        return first
    if dash != "short":
        return f"{first}{dash}{last}"
    if first.isdigit() and last.isdigit() and len(first) == len(last):
        shared = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
        last = last[shared:]
    return f"{first}-{last}"


def fill_pattern(pattern: str, fields: Mapping[str, str]) -> str | None:
    """Return the pattern with its fields; None if a field that it cannot do without is empty."""
    flat = _fill_pieces(parse_pattern(pattern), fields)
    return None if flat is None else _join_pieces(flat).strip(" ,;:")


@lru_cache(maxsize=1024)
def parse_pattern(pattern: str) -> list[Piece]:
    parts: list[list[Piece]] = [[]]
    for token in _TOKEN.finditer(pattern):
        name, bracket, literal = token.groups()
        if bracket == "<":
            parts.append([])
        elif bracket == ">":
            part = parts.pop()
            parts[-1].append(part)
        else:
            parts[-1].append((name,) if name else literal)
    (whole,) = parts
    return whole


def _fill_pieces(pieces: list[Piece], fields: Mapping[str, str]) -> list[Filled] | None:
    out: list[Filled] = []
    for piece in pieces:
        if isinstance(piece, str):
            out.append((piece, False))
        elif isinstance(piece, tuple):
            if not fields[piece[0]]:
                return None
            out.append((fields[piece[0]], True))
        elif part := _fill_pieces(piece, fields):
            out += part
    return out if any(is_field for _, is_field in out) else None


def _join_pieces(flat: Iterable[Filled]) -> str:
    text, ours = "", True
    for piece, is_field in flat:
        text += piece if is_field else _trim_literal(text, piece, ours=ours)
        ours = not is_field
        if text.endswith((",.", ";.", ":.")):
            text = text[:-2] + "."
    return text


def _trim_literal(before: str, after: str, *, ours: bool) -> str:
    """Return the literal `after` without what `before` already says; `ours`: its end is not a field's.

    A field that ends in a full stop ends a sentence with it, but as an abbreviation ("Lett.") still takes
    a comma; the pattern's own full stop does not.
    """
    if after[:1] == "." and _ENDED.search(before):
        after = after[1:]
    elif _COMMA.match(after) and before.endswith("("):
        after = after[1:].lstrip()
    elif _COMMA.match(after) and (_PAUSED.search(before) or (ours and before.endswith("."))):
        after = after[1:]
    return after[1:] if before[-1:] in {" ", "("} and after[:1] == " " else after


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
