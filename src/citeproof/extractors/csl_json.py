"""CSL-JSON: an array, an object with `items` or `references`, or one object a line."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from citeproof.extractors.base import sample
from citeproof.extractors.cslfields import claimed_of, kind_of
from citeproof.extractors.cslitems import FIELDS, KNOWN, Items, Problems
from citeproof.extractors.decode import Decoded, decode, refuse_flood
from citeproof.vocabulary import Document, Extraction, RawReference

_LOOKS = re.compile(r'\s{0,999}(?:\[\s{0,999}\{\s{0,999}"|\{\s{0,999}")')
# An array whose first element is no object: `[null, {"title": …}]`. "[1] Smith" has no comma there.
_ODD_FIRST = re.compile(
    r'\s{0,999}\[\s{0,999}(?:\[|(?:null|true|false|-?\d[\d.eE+-]{0,40}|"[^"\\\n]{0,500}")\s{0,999},)'
)
_OBJECT = re.compile(r'[\[,]\s{0,999}\{\s{0,999}"')
_EMPTY = re.compile(r"\s{0,99}\[\s{0,99}\]\s{0,99}")
_MAX_TEXT = 20_000


class CslJson:
    """Reads CSL-JSON as Zotero, pandoc and citation services write it."""

    name: ClassVar[str] = "csl_json"
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how sure the content is CSL-JSON: JSON objects with its field names."""
        text = sample(document)
        if _LOOKS.match(text):
            return 0.95 if KNOWN.search(text) else 0.5
        if _ODD_FIRST.match(text) and _OBJECT.search(text) and KNOWN.search(text):
            return 0.95
        return 0.4 if _EMPTY.fullmatch(text[:300]) else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference per item; a broken item is a problem with its line."""
        decoded = decode(document)
        problems = Problems(decoded)
        references: list[RawReference] = []
        for start, end, item in Items(decoded.text, problems):
            if not FIELDS.isdisjoint(item):
                references.append(_reference(item, decoded, start, end, len(references) + 1))
                refuse_flood(len(references), document.name)
            else:
                problems.add(start, end, "an item that is no bibliographic object", "give it a title")
        return Extraction(tuple(references), problems.told(), None, self.name)


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
