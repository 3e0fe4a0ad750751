"""Text and bibliographies as TeX and BibTeX write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pdf_corpus.works import Work

SPECIAL = {
    "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_", "ß": r"{\ss}", "æ": r"{\ae}", "Æ": r"{\AE}",
    "ø": r"{\o}", "Ø": r"{\O}", "å": r"{\aa}", "Å": r"{\AA}", "ł": r"{\l}", "Ł": r"{\L}", "œ": r"{\oe}",
    "Œ": r"{\OE}", "ı": r"{\i}", "đ": "d", "’": "'", "‘": "`", "‚": ",", "“": "``", "”": "''", "–": "--",
    "—": "---", "\u00a0": "~", "«": r"\guillemotleft{}", "»": r"\guillemotright{}",
}  # fmt: skip
MARKS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r", "\u0327": "c",
    "\u030c": "v", "\u0306": "u", "\u0304": "=", "\u0307": ".", "\u030b": "H", "\u0328": "k",
}  # fmt: skip
# BERT, LaTeX: styles that lower titles must leave these alone; \AE is a letter
INNER = re.compile(r"(?<!\\)\b\w+[A-Z]\w*\b")


def escape(text: str) -> str:
    r"""Return `text` with accents as macros, such as {\'e}: what people write for the oldest engines."""
    return "".join(_letter(char) for char in unicodedata.normalize("NFC", text))


def _letter(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    base, *marks = unicodedata.normalize("NFD", char)
    if len(marks) == 1 and marks[0] in MARKS:
        inner = rf"\{base}" if base in "ij" and marks[0] != "\u0328" else base
        return f"{{\\{MARKS[marks[0]]}{{{inner}}}}}"
    return char if ord(char) < 128 else ""


def plain(text: str) -> str:
    """Return `text` for an engine that reads Unicode: only what TeX would take as a command is escaped."""
    return re.sub(r"([&%#$_])", r"\\\1", text)


def bibtex(works: Iterable[Work], *, unicode: bool = False, ids: str = "doi") -> str:
    """Return a .bib file; `ids`: doi and url as fields, `note` for styles that know neither, or none."""
    return "\n".join(_entry(work, unicode=unicode, ids=ids) for work in works)


def _entry(work: Work, *, unicode: bool, ids: str) -> str:
    write = plain if unicode else escape
    fields = {
        "author": " and ".join(f"{write(family)}, {write(given)}" for family, given in work.authors),
        "title": INNER.sub(lambda found: "{" + found[0] + "}", write(work.title)),
        "year": str(work.year),
        **_venue(work, write(work.venue)),
        **_ids(work, ids),
    }
    rows = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{work.kind}{{{work.key},\n{rows}\n}}\n"


def _venue(work: Work, venue: str) -> dict[str, str]:
    pages = f"{work.first}--{work.last}"
    if work.kind == "book":
        return {"publisher": venue, "address": work.place}
    if work.kind == "inproceedings":
        return {"booktitle": venue, "pages": pages}
    return {"journal": venue, "volume": str(work.volume), "number": str(work.number), "pages": pages}


def _ids(work: Work, ids: str) -> dict[str, str]:
    if not work.doi or ids == "none":
        return {}
    if ids == "note":
        return {"note": f"\\url{{https://doi.org/{work.doi}}}"}
    return {"doi": work.doi, "url": f"https://doi.org/{work.doi}"}
