"""What an element is to a reader of references: a list of them, an entry, a note, or nothing."""

from __future__ import annotations

import re
from enum import Enum, auto

BLOCKS = frozenset((
    "p", "div", "li", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "table", "tr",
    "td", "th", "ul", "ol", "dl", "blockquote", "pre", "figure", "figcaption", "header", "footer", "main",
    "aside", "body", "form", "fieldset", "hr", "address", "details", "summary", "caption", "center",
))  # fmt: skip
DROPPED = frozenset((
    "script", "style", "noscript", "template", "svg", "head", "nav", "button", "select", "textarea", "iframe",
    "object", "audio", "video", "canvas", "annotation", "annotation-xml", "input", "img", "map", "rt", "rp",
))  # fmt: skip

_LISTS = frozenset(("ol", "ul", "dl", "div", "section", "article", "aside", "table", "tbody"))
_LISTING = re.compile(
    r"(?:^|\s)(?:[\w-]{1,30}[-_]{1,2})?(?:references?(?:[-_]{0,2}list)?|ref[-_]?list|bibliography(?:[-_]list)?"
    r"|biblist|bib-?body|works[-_]?cited|citation-?list|literature[-_]?cited|endnotes-?references)(?:$|\s)",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"(?:^|\s)(?:csl-entry|ltx_bibitem|bib-?item|bib-reference|[\w-]{0,30}references?__item|ref-cit-blk"
    r"|reference-item|bibliography-item|citation-content|reference-container)(?:$|\s)",
    re.IGNORECASE,
)
_NOTES = re.compile(r"(?:^|\s)(?:footnotes?|footnotes?-?list|endnotes?)(?:$|\s)", re.IGNORECASE)
_UNSEEN = re.compile(
    r"(?:^|\s)(?:[\w-]{0,10}visually-?hidden|sr-only|screen-?reader(?:-only|-text)?|mw-cite-backlink"
    r"|mw-editsection|footnote-back|reference-?backlinks?|noprint|ref-backlink)(?:$|\s)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|\s)(?:label|ltx_tag_bibitem|(?:ref|reference|citation)[-_]?(?:label|number|num))(?:$|\s)"
)
_NO_DISPLAY = re.compile(r"(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden)", re.IGNORECASE)


class ElementRole(Enum):
    """What an element is."""

    PLAIN = auto()
    LISTING = auto()  # its items are references
    ENTRY = auto()
    NOTES = auto()
    LABEL = auto()  # the number or name printed before an entry
    COINS = auto()
    HIDDEN = auto()


def find_element_role(tag: str, attributes: dict[str, str | None]) -> ElementRole:
    """Return what an element is, from its role, class and id."""
    if not attributes:
        return ElementRole.PLAIN
    names = (attributes.get("class") or "")[:500]
    if "Z3988" in names:
        return ElementRole.COINS
    if _is_hidden(attributes, names):
        return ElementRole.HIDDEN
    if tag == "span" and _LABEL.search(names):
        return ElementRole.LABEL
    role = (attributes.get("role") or "").lower()
    if role == "doc-biblioentry" or _ENTRY.search(names):
        return ElementRole.ENTRY
    if role in ("doc-endnotes", "doc-footnotes") or (tag in _LISTS and _NOTES.search(names)):
        return ElementRole.NOTES
    if role == "doc-bibliography" or (
        tag in _LISTS and (_LISTING.search(names) or _LISTING.search((attributes.get("id") or "")[:200]))
    ):
        return ElementRole.LISTING
    return ElementRole.PLAIN


def _is_hidden(attributes: dict[str, str | None], names: str) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    return bool(_UNSEEN.search(names) or _NO_DISPLAY.search((attributes.get("style") or "")[:500]))
