"""Entries that label their own fields: `**Title**: … **Authors**: … **Year**: …`."""

from __future__ import annotations

from itertools import zip_longest

from citeproof.reading.extractors.records.bibtex_fields import add_field_origins
from citeproof.text import dates, ids, names, pages, title
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import LIKELY_YEAR
from citeproof.vocabulary import Claimed, Ids

# What answers call their fields; where one begins the name of another, the longer comes first.
NAMES = (
    r"title|author\(s\)|authors?|publication (?:year|date)|published in|published|publication|publisher|year"
    r"|date|journal/conference|journal|venue|conference|volume|issue|pages|doi|arxiv|url|link|source"
    r"|paper(?=[*_]{0,3}\s?:[*_]{0,3}\s{1,9}(?:\[[^\[\]\s]{1,20}(?:\s[^\[\]\s]{1,20}){0,2}\]\(|<?https?:))"
)
# What the first field may be called as well; further on, such a word belongs to a title: "Position paper: …"
TITLE_NAMES = r"(?:paper|article|study|book|work)(?:\s(?:title|name|\d{1,3}))?"
_LABEL = re.compile(rf"(?:^|(?<=[\s*_|(-]))({NAMES})[*_]{{0,3}}\s?:[*_]{{0,3}}\s", re.IGNORECASE)
_LEAD = re.compile(
    rf"[*_\s]{{0,6}}(?:title|(?!{NAMES}){TITLE_NAMES})[*_]{{0,3}}\s?:[*_]{{0,3}}\s+", re.IGNORECASE
)
_SAME = {
    "author": "authors", "author(s)": "authors", "publication year": "year", "publication date": "year",
    "date": "year", "journal/conference": "journal", "published in": "journal", "venue": "journal",
    "conference": "journal", "publication": "journal", "source": "journal",
}  # fmt: skip
_TITLE_BEFORE = re.compile(r"\*\*([^*]{4,500})\*\*|[“\"]([^“”\"]{4,500})[”\"]")
_DATED = re.compile(rf"[\s,]{{0,3}}\({LIKELY_YEAR}[a-z]?\).{{0,200}}")
_ADDRESS_BEFORE = re.compile(r"<?https?://[^\s|]{1,1000}\|")  # "<https://doi.org/…|A title>"
_EDGE = ' \t*_-•|.,;:"“”'


def read_labelled_fields(text: str) -> Claimed | None:
    """Return the fields that `text` labels itself; None unless a title, and authors or two others."""
    text = _LEAD.sub("Title: ", text, count=1) if _LEAD.match(text) else text
    marks = list(_LABEL.finditer(text))
    fields: dict[str, str] = {}
    for mark, following in zip_longest(marks, marks[1:]):
        name = _SAME.get(mark[1].lower(), mark[1].lower())
        value = text[mark.end() : following.start() if following else len(text)].strip(_EDGE)
        if name == "published":  # when, or where
            name = "year" if value[:4].isdecimal() else "journal"
        fields.setdefault(name, value)
    if marks and "title" not in fields and (bold := _TITLE_BEFORE.search(text[: marks[0].start()])):
        fields["title"] = (bold[1] or bold[2]).strip(_EDGE)
    if "title" not in fields or len(fields) < (2 if "authors" in fields else 3):
        return None
    return build_claimed_fields(fields, text)


def strip_title_label(text: str) -> str:
    """Return an entry without the word "Title:" before it, for the reader of citation strings."""
    return _LEAD.sub("", text, count=1) if _LEAD.match(text) else text


def build_claimed_fields(fields: dict[str, str], text: str) -> Claimed:
    """Return the claims of fields named `title`, `authors`, `year`, `journal` …; identifiers from `text`."""
    authors, et_al = names.split_names(_join_with_and(fields.get("authors", "")))
    pairs = tuple(dict.fromkeys((scheme, value) for scheme, value, _, _ in ids.find_ids(text)))
    stated = Claimed(
        title=title.clean(_ADDRESS_BEFORE.sub("", fields["title"])) or None,
        authors=authors,
        et_al=et_al,
        year=dates.find_year(fields.get("year", "")) or _find_lone_year(text),
        venue=title.clean(fields.get("journal", "")) or None,
        volume=fields.get("volume") or None,
        issue=fields.get("issue") or None,
        pages=pages.normalise(fields.get("pages", "")),
        publisher=fields.get("publisher") or None,
        ids=Ids(pairs),
    )
    return add_field_origins(stated)


def _join_with_and(authors: str) -> str:
    """Return "Ashish Vaswani, Noam Shazeer" joined by "and": no piece of it is a given name alone."""
    authors = _DATED.sub("", authors)  # "Hu et al. (2022), ICLR." in a cell for authors
    pieces = [piece.strip() for piece in authors.split(",")]
    full = len(pieces) > 1 and all(len(piece.split()) > 1 for piece in pieces if piece)
    return " and ".join(piece.removeprefix("and ") for piece in pieces if piece) if full else authors


def _find_lone_year(text: str) -> int | None:
    """Return the one year an entry names outside its identifiers, None if it names several."""
    spans = [(start, end) for _, _, start, end in ids.find_ids(text)]
    years = dates.find_years(text)
    years_named = {value for value, at, _ in years if not any(low <= at < high for low, high in spans)}
    return years_named.pop() if len(years_named) == 1 else None
