"""A page as blocks of text: what each says, which list it is in, what it links to.

One block is one paragraph, heading, list item or table row. Links within the page are marked in the
text like coded citations, so that sentences can be found by them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import unquote

from citeproof.reading.extractors.office.manuscript import Paragraph, ParagraphWriter, make_mark
from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_NODES = 2_000_000

_DEEPEST = 20  # lists inside each other whose content is examined before it is read
_PARTS = "li, ol, ul, table, h1, h2, h3, h4, h5, h6"
_ITEMS = "li, dd, .csl-entry, [role=doc-biblioentry]"
_NUMBER_CELL = re.compile(r"\s{0,9}[\[(]?\d{1,6}[\]).]{0,2}\s{0,9}")
_TYPED = re.compile(r"\s{0,9}[\[(]?(\d{1,6})(?:[\])]\.?|\.)\s{0,9}(?=\S)")
_PRINTED = re.compile(r"[\[(]?[\w+.:-]{1,30}[\])]?\.?")
_NOTE_TARGET = re.compile(r"#(?:fn|footnote|user-content-fn|ftn|endnote)[-_:]?\w{1,60}", re.IGNORECASE)
_BACK = re.compile(r"#(?:cite_ref|fnref|footnote-?ref|user-content-fnref|ftnref|backlink)", re.IGNORECASE)

Attributes = dict[str, str | None]

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


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What is known of a block next to its text."""

    key: str = ""  # the id of the entry
    ids: frozenset[str] = frozenset()
    coins: tuple[str, ...] = ()
    points: tuple[str, ...] = ()  # ids in the page it links to
    first: str = ""  # how its text begins in the source
    item: int = 0  # the number of the list whose item it is


@dataclass(slots=True)
class _HtmlList:
    """An open list, or a part of the page that holds references or notes."""

    depth: int
    number: int
    counts: bool  # in figures
    count: int
    listing: bool  # its items are references
    itemised: bool  # only items are entries; what else is in it is not
    notes: bool


@dataclass(slots=True)
class _BlockDraft:
    """The block that is being read."""

    pen: ParagraphWriter = field(default_factory=ParagraphWriter)
    ids: list[str] = field(default_factory=list)
    coins: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    key: str = ""
    label: str = ""
    first: str = ""
    note: str = ""
    level: int = 0


@dataclass(slots=True)
class HtmlBlocks:
    """The blocks of a page, and the ids its links mark."""

    paragraphs: list[Paragraph] = field(default_factory=list)
    facts: list[BlockFacts] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    coins: list[str] = field(default_factory=list)  # that are in no block
    cut: bool = False


class HtmlWalker:
    """Walks through a parsed page and writes its blocks."""

    def __init__(self) -> None:
        self.blocks = HtmlBlocks()
        self._draft = _BlockDraft()
        self._lists: list[_HtmlList] = []
        self._entries: list[tuple[int, bool, bool]] = []  # depth; is it one block; is it marked as one
        self._whole = 0  # how many of those are one block
        self._listed = self._noted = 0
        self._raised = self._bold = 0

    def walk_blocks(self, root: LexborNode) -> HtmlBlocks:
        """Return the blocks under `root`."""
        node: LexborNode | None = root
        above: list[LexborNode] = []
        for _ in range(MAX_NODES):
            if node is None:
                break
            inner = node.first_child if self._enter(node, len(above)) else None
            if inner is not None:
                above.append(node)
                node = inner
                continue
            self._leave(node, len(above))
            while above and node.next is None:
                node = above.pop()
                self._leave(node, len(above))
            node = node.next if above else None
        self.blocks.cut = node is not None
        self._flush()
        return self.blocks

    def _enter(self, node: LexborNode, depth: int) -> bool:
        """Take one node; return whether what is in it is to be read."""
        tag = node.tag or ""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        if tag.startswith("-") or tag in DROPPED:
            return False
        attributes = node.attributes
        role = find_element_role(tag, attributes)
        if role is ElementRole.HIDDEN:
            return False
        if role is ElementRole.COINS:
            self._draft.coins.append((attributes.get("title") or "")[:20_000])
            return False
        if role is ElementRole.LABEL:
            shown = " ".join(node.text(deep=True)[:200].split())
            if _PRINTED.fullmatch(shown):
                self._text(f"{shown} ")
            return False
        if tag in BLOCKS or role in (ElementRole.ENTRY, ElementRole.LISTING, ElementRole.NOTES):
            self._block(node, role, attributes, depth)
        if identifier := attributes.get("id") or (attributes.get("name") if tag == "a" else None):
            self._draft.ids.append(identifier[:500])
        if tag == "a":
            return self._link(attributes, node)
        if tag == "br":
            self._draft.pen.write("\n", bold=True)
        if role is ElementRole.PLAIN:
            self._raised += tag == "sup"
            self._bold += tag in ("b", "strong")
        return True

    def _leave(self, node: LexborNode, depth: int) -> None:
        tag = node.tag or ""
        if tag in ("sup", "b", "strong") and find_element_role(tag, node.attributes) is ElementRole.PLAIN:
            self._raised = max(0, self._raised - (tag == "sup"))
            self._bold = max(0, self._bold - (tag in ("b", "strong")))
        if self._entries and self._entries[-1][0] == depth:
            whole = self._entries[-1][1]
            self._break(end=whole)
            self._whole -= whole
            self._entries.pop()
        elif tag in BLOCKS or (self._lists and self._lists[-1].depth == depth):
            self._break()
        if self._lists and self._lists[-1].depth == depth:
            self._lists.pop()

    def _block(self, node: LexborNode, role: ElementRole, attributes: Attributes, depth: int) -> None:
        """Begin a block; remember what the element means for those in it."""
        tag = node.tag or ""
        self._break()
        if tag in ("ol", "ul", "dl") or role in (ElementRole.LISTING, ElementRole.NOTES):
            self._lists.append(self._list(node, role, attributes, depth))
        elif tag in ("li", "dd") or role is ElementRole.ENTRY:
            self._item(tag, attributes)
            whole = tag != "li" or self._is_single_block(node)
            self._whole += whole
            self._entries.append((depth, whole, role is ElementRole.ENTRY))
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._draft.level = int(tag[1])

    def _list(self, node: LexborNode, role: ElementRole, attributes: Attributes, depth: int) -> _HtmlList:
        outer = self._lists[-1] if self._lists else None
        start = attributes.get("start") or "1"
        self._listed += 1
        plain = node.tag in ("ol", "ul", "dl")
        return _HtmlList(
            depth,
            self._listed,
            counts=node.tag == "ol" and (attributes.get("type") or "1") == "1",
            count=(int(start) if start.isdecimal() and len(start) < 6 else 1) - 1,
            listing=role is ElementRole.LISTING or bool(outer and outer.listing),
            itemised=plain or len(self._lists) > _DEEPEST or node.css_first(_ITEMS) is not None,
            notes=role is ElementRole.NOTES or bool(outer and outer.notes),
        )

    def _is_single_block(self, node: LexborNode) -> bool:
        """Return whether an item is one block: no list, table or heading in it."""
        if len(self._lists) > _DEEPEST:
            return False
        # a search from a node finds the node itself as well
        return all(part.mem_id == node.mem_id for part in node.css(_PARTS))

    def _item(self, tag: str, attributes: Attributes) -> None:
        """Begin an entry: what ids were waiting belong to what is around it."""
        draft = self._draft
        if tag != "dd":
            draft.ids = []
        draft.key = (attributes.get("id") or "")[:500]
        if not self._lists or tag != "li":
            return
        holder = self._lists[-1]
        value = attributes.get("value") or ""
        holder.count = int(value) if value.isdecimal() and len(value) < 6 else holder.count + 1
        draft.label = str(holder.count) if holder.counts else ""
        if holder.notes:
            self._noted += 1
            draft.note = f"^{self._noted}"

    def _link(self, attributes: Attributes, node: LexborNode) -> bool:
        """Take a link; return whether its words are to be read."""
        href = (attributes.get("href") or "")[:2000]
        if attributes.get("role") == "doc-backlink" or _BACK.match(href):
            return False
        page, _, fragment = href.partition("#")
        if fragment:
            if not page and (_NOTE_TARGET.match(href) or attributes.get("role") == "doc-noteref"):
                shown = node.text(deep=True)[:20].strip("[]() \n")
                if shown.isalnum():
                    self._draft.pen.mark(f"[^{shown}]")
                    return False
            target = unquote(fragment)
            self._draft.points.append(target)
            self._draft.pen.mark(make_mark(len(self.blocks.targets)))
            self.blocks.targets.append(target)
        if page.startswith(("http://", "https://", "//")):
            self._draft.pen.addresses.append(f"https:{href}" if href.startswith("//") else href)
        return True

    def _text(self, text: str) -> None:
        draft = self._draft
        plain = text.strip()
        if plain and not draft.first:
            draft.first = plain[:80]
            draft.key = draft.key or (draft.ids[-1] if draft.ids else "")
        spaced = re.sub(r"[\s\u200b]+", " ", text)
        draft.pen.write(spaced, raised=self._raised > 0 and bool(plain), bold=self._bold > 0)

    def _break(self, *, end: bool = False) -> None:
        """End the block, unless it is part of an entry or a number to which an entry belongs."""
        if not end and (self._whole or self._counts()):
            self._draft.pen.write(" ", bold=True)
        else:
            self._flush()

    def _counts(self) -> bool:
        return len(self._draft.first) < 10 and bool(_NUMBER_CELL.fullmatch(self._draft.pen.get_text()))

    def _flush(self) -> None:
        """Write the block that is open, if it says anything; ids wait for the next that does."""
        draft, self._draft = self._draft, _BlockDraft()
        text = re.sub(r" {2,}", " ", draft.pen.get_text()) if draft.first else ""
        if not text:
            self.blocks.coins += draft.coins
            self._draft.ids = draft.ids
            return
        holder = self._lists[-1] if self._lists else None
        listed = bool(self._entries) and self._entries[-1][2]
        if holder and holder.listing:
            listed = listed or self._whole > 0 or not holder.itemised
        number = len(self.blocks.paragraphs) + 1
        label = "" if _TYPED.match(text) else draft.label
        listed = listed and not draft.level and not draft.note
        links = tuple(draft.pen.addresses)
        self.blocks.paragraphs.append(
            Paragraph(text, number, draft.level, label, listed, draft.pen.bold, links, draft.note)
        )
        ids = frozenset((*draft.ids, *([draft.key] if draft.key else [])))
        item = holder.number if holder and (draft.label or self._whole) else 0
        self.blocks.facts.append(
            BlockFacts(draft.key, ids, tuple(draft.coins), tuple(draft.points), draft.first, item)
        )


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
