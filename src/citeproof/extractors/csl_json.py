"""CSL-JSON: an array, an object with `items` or `references`, or one object a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from citeproof.extractors.base import sample
from citeproof.extractors.cslfields import claimed_of, kind_of
from citeproof.extractors.decode import Decoded, decode, refuse_flood
from citeproof.vocabulary import Document, Extraction, Problem, RawReference

_LIST = re.compile(r'"(?:items|references)"\s{0,99}:\s{0,99}\[')
_SPACE = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s{0,999},\s{0,999}(?=\{)|\}\s{0,99}\n\s{0,99}(?=\{)")
_LOOKS = re.compile(r'\s{0,999}(?:\[\s{0,999}\{\s{0,999}"|\{\s{0,999}")')
_KNOWN = re.compile(r'"(?:title|DOI|container-title|author|issued|type|URL)"\s{0,9}:')
_MAX_TEXT = 20_000
_BRACKETS = re.compile(
    r"(?:[\[{]\s{0,9}(?:\"[^\"\\]{0,99}\"\s{0,9}:\s{0,9})?){200}"
)  # CSL-JSON nests six deep
_DEEP_WITHIN = 100_000  # characters in which such a flood is looked for; the decoder itself stops at more


class CslJson:
    """Reads CSL-JSON as Zotero, pandoc and citation services write it."""

    name: ClassVar[str] = "csl_json"

    def recognises(self, document: Document) -> float:
        """Return how sure the content is CSL-JSON: JSON objects with its field names."""
        text = sample(document)
        if not _LOOKS.match(text):
            return 0.4 if re.fullmatch(r"\s{0,99}\[\s{0,99}\]\s{0,99}", text[:300]) else 0.0
        return 0.95 if _KNOWN.search(text) else 0.5

    def extract(self, document: Document) -> Extraction:
        """Return one reference per item; a broken item is a problem with its line."""
        decoded = decode(document)
        problems = list(decoded.problems)
        references: list[RawReference] = []
        for start, end, item in _items(decoded.text, problems, decoded):
            if isinstance(item, dict) and _KNOWN.search(decoded.text, start, end):
                references.append(_reference(item, decoded, start, end, len(references) + 1))
                refuse_flood(len(references), document.name)
            else:
                place = decoded.place(start, end)
                message = "an item that is no bibliographic object"
                problems.append(Problem(place, message, "give it a title", decoded.text[start:end][:500]))
        return Extraction(tuple(references), tuple(problems), None, self.name)


def _items(text: str, problems: list[Problem], decoded: Decoded) -> Iterator[tuple[int, int, Any]]:
    """Yield (start, end, item) of each element, going on behind a broken one."""
    decoder = json.JSONDecoder()
    at = _beginning(text)
    while True:
        gap = _SPACE.match(text, at)
        at = gap.end() if gap else at
        if at >= len(text) or text[at] in "]}":
            return
        try:
            item, end = _decoded(decoder, text, at)
        except (ValueError, RecursionError) as error:
            following = _NEXT_ITEM.search(text, at)
            end = following.end() if following else len(text)
            place = decoded.place(at, end)
            problems.append(
                Problem(
                    place,
                    f"broken JSON: {error}"[:200],
                    "check quotes, commas and brackets",
                    text[at:end][:500],
                )
            )
            at = end
            continue
        yield at, end, item
        at = end


def _beginning(text: str) -> int:
    """Return where the first item begins: inside the array, or inside `items` or `references`."""
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if text.startswith("[", start):
        return start + 1
    listed = _LIST.search(text)
    if listed and listed.start() < start + 2000 and not _KNOWN.search(text, start, listed.start()):
        return listed.end()
    return start


def _decoded(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """Return the item at `at` and its end; brackets without end are refused before they are followed."""
    if _BRACKETS.search(text, at, at + _DEEP_WITHIN):
        raise ValueError("brackets nested too deeply")
    return decoder.raw_decode(text, at)


def _reference(item: dict[str, Any], decoded: Decoded, start: int, end: int, number: int) -> RawReference:
    claimed, flags = claimed_of(item)
    key = item.get("id") or item.get("citation-key") or f"ref-{number}"
    return RawReference(
        key=str(key)[:200],
        text=decoded.text[start : min(end, start + _MAX_TEXT)],
        place=decoded.place(start, end),
        kind=kind_of(item),
        claimed=claimed,
        suspicious=flags,
    )


EXTRACTOR = CslJson()
