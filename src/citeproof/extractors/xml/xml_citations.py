"""The sentences of an XML article that cite its references, by the marks that link to them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from citeproof.extractors.prose.citing_sentences import MAX_BODY, MAX_SENTENCES, attach_sentences
from citeproof.extractors.prose.sentence_spans import find_sentence_spans, render_sentence
from citeproof.extractors.xml.xml_tree import read_plain_text
from citeproof.vocabulary import RawReference

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
