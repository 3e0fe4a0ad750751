"""The fields of an entry whose braces or quotes do not close.

Balance cannot be trusted here, so the entry is cut where a field plainly begins: after a line
break or a comma, a known field name, an equals sign. Each piece then keeps what it can.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from citeproof.text.bibtex_value import BibtexMacros, find_closing_brace

MAX_SALVAGE = 100_000  # characters of a broken entry that are searched for fields

_KNOWN = (
    "abstract|address|annote|archiveprefix|arxivid|author|booksubtitle|booktitle|chapter|crossref|date|doi|"
    "edition|editor|eid|eprint|eprintclass|eprinttype|howpublished|institution|isbn|issn|issue|"
    "journal|journaltitle|key|keywords|langid|language|location|month|note|number|numpages|"
    "organization|pages|pmcid|pmid|primaryclass|publisher|school|series|shorttitle|subtitle|title|"
    "type|url|urldate|version|volume|year"
)
_FIELD = re.compile(
    rf"(?:[\n,{{(]|(?<=[}}\"\d])\s)\s{{0,80}}+({_KNOWN})\s{{0,80}}+(?:=\s{{0,80}}+(?=[{{\"\w])|(?=[{{\"]))",
    re.IGNORECASE,
)
_TAIL = " \t\r\n,"


def salvage_fields(text: str, start: int, end: int, macros: BibtexMacros) -> dict[str, str]:
    """Return the fields that can be read between `start` and `end`, first one of a name wins."""
    end = min(end, start + MAX_SALVAGE)
    marks = list(_FIELD.finditer(text, start, end))
    fields: dict[str, str] = {}
    for mark, following in zip_longest(marks, marks[1:]):
        stop = following.start() if following else end
        value = _read_piece(text, mark.end(), stop, macros)
        if value:
            fields.setdefault(mark[1].lower(), value)
    return fields


def _read_piece(text: str, at: int, stop: int, macros: BibtexMacros) -> str:
    """Return the value that begins at `at` and ends somewhere before `stop`."""
    opener = text[at]
    if opener == "{":
        close = find_closing_brace(text, at, stop)
        behind = _cut_paragraph(text[close + 1 : stop]) if close is not None else ""
        if close is not None and not behind.strip(_TAIL + "})"):
            return _flatten_value(text[at + 1 : close])
        return _flatten_value(_cut_paragraph(text[at + 1 : stop]).rstrip(_TAIL + "}"))
    if opener == '"':
        inner = _cut_paragraph(text[at + 1 : stop]).rstrip(_TAIL + "})")
        return _flatten_value(inner.removesuffix('"'))
    bare = _cut_paragraph(text[at:stop]).rstrip(_TAIL + "})")
    return macros.value(bare)[0] if len(bare.split()) < 2 else _flatten_value(bare)


def _cut_paragraph(value: str) -> str:
    """Cut at an empty line: what follows it belongs to no field any more."""
    return re.split(r"\n[ \t\r]{0,100}\n", value, maxsplit=1)[0]


def _flatten_value(value: str) -> str:
    """Return `value` on one line, its braces evened out: `{\\v{Z` must stay an accent."""
    value = " ".join(value.split())
    short = value.count("{") - value.count("}")
    return value + "}" * short if short > 0 else value.rstrip("}") if short else value
