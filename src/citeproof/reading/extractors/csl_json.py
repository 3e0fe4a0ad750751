"""CSL-JSON: an array, an object with `items` or `references`, or one object a line."""

from __future__ import annotations

import re
from typing import ClassVar

from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import decode, refuse_flood
from citeproof.reading.extractors.records.csl_fields import build_csl_reference
from citeproof.reading.extractors.records.csl_items import FIELDS, KNOWN, JsonItems, ProblemList
from citeproof.vocabulary import Document, Extraction, RawReference

_LOOKS = re.compile(r'\s{0,999}(?:\[\s{0,999}\{\s{0,999}"|\{\s{0,999}")')
# An array whose first element is no object: `[null, {"title": …}]`. "[1] Smith" has no comma there.
_ODD_FIRST = re.compile(
    r'\s{0,999}\[\s{0,999}(?:\[|(?:null|true|false|-?\d[\d.eE+-]{0,40}|"[^"\\\n]{0,500}")\s{0,999},)'
)
_OBJECT = re.compile(r'[\[,]\s{0,999}\{\s{0,999}"')
_EMPTY = re.compile(r"\s{0,99}\[\s{0,99}\]\s{0,99}")


class CslJsonExtractor:
    """Reads CSL-JSON as Zotero, pandoc and citation services write it."""

    name: ClassVar[str] = "csl_json"
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how sure the content is CSL-JSON: JSON objects with its field names."""
        text = read_sample(document)
        if _LOOKS.match(text):
            return 0.95 if KNOWN.search(text) else 0.5
        if _ODD_FIRST.match(text) and _OBJECT.search(text) and KNOWN.search(text):
            return 0.95
        return 0.4 if _EMPTY.fullmatch(text[:300]) else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference per item; a broken item is a problem with its line."""
        decoded = decode(document)
        problems = ProblemList(decoded)
        references: list[RawReference] = []
        for start, end, item in JsonItems(decoded.text, problems):
            if not FIELDS.isdisjoint(item):
                key = item.get("id") or item.get("citation-key") or f"ref-{len(references) + 1}"
                references.append(build_csl_reference(item, str(key)[:200], decoded, start, end))
                refuse_flood(len(references), document.name)
            else:
                problems.add(start, end, "not a bibliographic item", "give it a title")
        return Extraction(tuple(references), problems.list_problems(), None, self.name)


EXTRACTOR = CslJsonExtractor()
