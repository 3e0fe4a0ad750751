"""The sentences of an XML article that cite its references, by the marks that link to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph
from citeproof.reading.extractors.office.printed_lists import read_printed_lists
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, MAX_SENTENCES, attach_sentences
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans, render_sentence
from citeproof.reading.extractors.xml.xml_tree import locate_element, read_plain_text
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

if TYPE_CHECKING:
    from lxml import etree

MAX_MARKS = 100_000  # of one document
_WIDEST = 100  # references in one range such as 3–8
_BLOCKS = frozenset((
    "p", "title", "td", "th", "caption", "fn", "disp-quote", "verse-line", "def", "term", "attrib", "s",
    "list-item", "head", "note", "item", "cell", "figDesc", "ab", "l", "quote", "lg",
))  # fmt: skip
_LISTS = frozenset(("ref-list", "listBibl", "teiHeader"))  # what is there cites nothing
_DASH = re.compile(r"[\s\])]{0,4}[-‐–—−]{1,2}[\s\[(]{0,4}")
_RANGE = re.compile(r"[\s\[(]{0,3}(\d{1,4})\s?[-‐–—−]\s?(\d{1,4})[\s\])]{0,3}")

Marks: TypeAlias = "dict[etree._Element, tuple[str, ...]]"  # noqa: SLF001 - the type has no other name

_ITEMS = frozenset(("list-item", "item"))
_TITLES = frozenset(("title", "head"))
_SECTIONS = frozenset(("sec", "div", "app", "ack", "notes"))
_OUTSIDE = frozenset(("front", "teiHeader", "table-wrap", "table", "fig", "figure", "ref-list", "listBibl"))
_DEEPEST = 9  # a level of a heading


@dataclass(slots=True)
class _ParagraphText:
    """The text of one paragraph, and where in it stand the marks."""

    parts: list[str] = field(default_factory=list)
    size: int = 0
    marks: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)

    def add(self, text: str | None) -> None:
        if text and self.size < MAX_BODY:
            self.parts.append(text)
            self.size += len(text)


def find_linked_sentences(
    root: etree._Element, name: str, cited: Callable[[etree._Element], tuple[str, ...]], order: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each key the sentences that cite it, in order.

    `cited` gives the keys that an element `name` links to, () if it is not a mark; `order` lists all keys
    as the reference list does, for marks that name only the two ends of a range.
    """
    marks: Marks = {}
    at = {key: number for number, key in enumerate(order)}
    for element in root.iter(name):
        if (keys := cited(element)) and len(marks) < MAX_MARKS:
            marks[element] = _widen_keys(keys, read_plain_text(element, 40), order, at)
    blocks: dict[etree._Element, None] = {}
    for element in marks:
        block = _find_block(element)
        if block is not None:
            blocks[block] = None
    sentences: dict[str, list[str]] = {}
    spent = 0
    for block in blocks:
        body = _ParagraphText()
        _flatten_element(block, marks, body)
        spent += body.size
        if spent > MAX_BODY:
            break
        for key, sentence in _pair_sentences(
            "".join(body.parts), _widen_ranges(body, order, at), whole=block.tag == "s"
        ):
            listed = sentences.setdefault(key, [])
            if len(listed) < MAX_SENTENCES and sentence not in listed:
                listed.append(sentence)
    return {key: tuple(listed) for key, listed in sentences.items()}


def add_named_sentences(references: Sequence[RawReference], root: etree._Element) -> tuple[RawReference, ...]:
    """Return the references; those that no link cites with the sentences that name author and year."""
    uncited = [reference for reference in references if not reference.citing]
    if not uncited:
        return tuple(references)
    parts: list[str] = []
    size = 0
    for element in root.iter("p"):
        if not any(above.tag in _LISTS or above.tag == "p" for above in element.iterancestors()):
            parts.append(read_plain_text(element, MAX_BODY))
            size += len(parts[-1])
        if size > MAX_BODY:
            break
    completed = iter(attach_sentences(uncited, "\n\n".join(parts)))
    return tuple(reference if reference.citing else next(completed) for reference in references)


def _find_block(element: etree._Element) -> etree._Element | None:
    """Return the paragraph or cell that holds a mark; None for one in a reference list."""
    near = None
    for above in element.iterancestors():
        if above.tag in _LISTS:
            return None
        if near is None and above.tag in _BLOCKS:
            near = above
    return near if near is not None else element.getparent()


def _flatten_element(element: etree._Element, marks: Marks, body: _ParagraphText) -> None:
    """Add the text of `element`; paragraphs inside it have their own turn, raised marks get brackets."""
    body.add(element.text)
    for child in element:
        if not isinstance(child.tag, str) or child.tag in _BLOCKS:
            body.add(" ")
        elif child in marks:
            text = read_plain_text(child, 200)
            raised = child.find("sup") is not None and text[:1].isdigit()
            start = body.size
            body.add(f"[{text}]" if raised else text)
            body.marks.append((start, body.size, marks[child]))
        elif child.tag == "sup" and any(inner in marks for inner in child):
            body.add("[")
            _flatten_element(child, marks, body)
            body.add("]")
        elif child.tag in ("inline-formula", "disp-formula", "math", "formula"):
            body.add(read_plain_text(child, 500))
        else:
            _flatten_element(child, marks, body)
        body.add(child.tail)


def _widen_keys(
    keys: tuple[str, ...], text: str, order: Sequence[str], at: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the keys of a mark that says "3–8" but links only to the first of them."""
    match = _RANGE.fullmatch(text)
    if match is None or len(keys) != 1 or keys[0] not in at:
        return keys
    first = at[keys[0]]
    return tuple(order[first : first + min(max(0, int(match[2]) - int(match[1])), _WIDEST) + 1])


def _widen_ranges(
    body: _ParagraphText, order: Sequence[str], at: Mapping[str, int]
) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return the marks; of two with only a dash between them the first represents all between."""
    text = "".join(body.parts)
    widened = []
    for index, (start, end, keys) in enumerate(body.marks):
        following = body.marks[index + 1] if index + 1 < len(body.marks) else None
        if following and _DASH.fullmatch(text[end : following[0]]):
            low, high = at.get(keys[-1], 0), at.get(following[2][0], 0)
            keys = (*keys, *order[low + 1 : min(high, low + _WIDEST)])  # noqa: PLW2901 - the wider mark
        widened.append((start, end, keys))
    return widened


def _pair_sentences(
    text: str, marks: list[tuple[int, int, tuple[str, ...]]], *, whole: bool
) -> list[tuple[str, str]]:
    """Return (key, sentence) for each mark; a `whole` text is one sentence already."""
    cuts = [(0, len(text))] if whole else list(find_sentence_spans(text))
    starts = [start for start, _ in cuts]
    pairs = []
    for at, _, keys in marks:
        start, end = cuts[max(0, bisect_right(starts, at) - 1)]
        sentence = render_sentence(text, start, end, at)
        pairs += [(key, sentence) for key in keys]
    return pairs


def extract_printed_lists(document: Document, root: etree._Element, form: str) -> Extraction:
    """Return the entries that are in the text as a list, of an article that marks up none."""
    written, elements = _read_xml_manuscript(root, document.name)
    listed = read_printed_lists(written)
    refuse_flood(len(listed.entries), document.name)
    running = "\n\n".join(block.text for block in written.paragraphs if block.number not in listed.used)

    def locate(place: Place) -> Place:
        return locate_element(document, elements[(place.line or 1) - 1])

    cited = attach_sentences(listed.entries, running)
    references = tuple(replace(citation, place=locate(citation.place)) for citation in cited)
    problems = [replace(problem, place=locate(problem.place)) for problem in listed.problems]
    if references:
        message = (
            f"the article has no marked-up references; {len(references)} were read from a list in its text"
        )
        problems.append(Problem(references[0].place, message, "mark them up as a reference list", note=True))
    return Extraction(references, tuple(problems), listed.expected if references else 0, form)


def find_printed_elements(root: etree._Element) -> list[etree._Element]:
    """Return the elements that are a reference list which the article only prints."""
    written, elements = _read_xml_manuscript(root, "")
    used = read_printed_lists(written).used
    return [element for number, element in enumerate(elements, 1) if number in used]


def _read_xml_manuscript(root: etree._Element, name: str) -> tuple[Manuscript, list[etree._Element]]:
    written = Manuscript(name)
    elements: list[etree._Element] = []
    for element, level, label in _list_xml_blocks(root):
        if text := read_plain_text(element):
            elements.append(element)
            written.paragraphs.append(Paragraph(text, len(elements), level, label))
    return written, elements


def _list_xml_blocks(root: etree._Element) -> Iterator[tuple[etree._Element, int, str]]:
    """Yield titles with their level, items of lists with their number, and paragraphs, in order."""
    counts: dict[etree._Element, int] = {}
    for element in root.iter("p", "ab", *_ITEMS, *_TITLES):
        above = [ancestor for ancestor in element.iterancestors() if isinstance(ancestor.tag, str)]
        tags = {ancestor.tag for ancestor in above}
        if tags & (_OUTSIDE | _ITEMS):
            continue
        if element.tag in _TITLES:
            yield element, min(_DEEPEST, sum(ancestor.tag in _SECTIONS for ancestor in above) or 1), ""
        elif element.tag in _ITEMS and above:
            counts[above[0]] = counts.get(above[0], 0) + 1
            kind, look = above[0].get("list-type"), above[0].get("rend")
            numbered = kind in ("order", "arabic") or look in ("numbered", "ordered")
            yield element, 0, str(counts[above[0]]) if numbered else ""
        elif "p" not in tags:
            yield element, 0, ""
