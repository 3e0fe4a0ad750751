"""A citation's fields fit to be printed, whatever the registry or the edit left in them.

    change_title_case("Attention Is All You Need", "sentence") ⇒ "Attention is all you need"
    change_title_case("BERT: pre-training of transformers", "title") ⇒ "BERT: Pre-Training of Transformers"

Only plain words of a title change: acronyms, formulas, mixed case and single letters stay, and so does a
title that is not English, because German nouns and French titles have capitals of their own.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from functools import lru_cache

from citeproof.answers.serializers.bibliography import is_proceedings
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Claimed, Ids, Kind, Name

MAX_FIELD = 2000  # characters of a field that are printed
MAX_PEOPLE = 3000  # names of a list that are printed
_JOINERS = "\u200c\u200d"  # Persian and Indic scripts spell with them
# MEDLINE distinguishes journals of one name by place and year, the ACL Anthology has whole issues as venues
# ("Computational Linguistics, Volume 40, Issue 3 - September 2014"); no citation prints that.
_QUALIFIER = re.compile(
    r" \((?:(?:18|19|20)\d\d|[A-Z][^(),]{1,40}, [^()]{1,60})\)\Z"
    r"|, Volume \d{1,4}, (?:Issue|Number|Numéro) .*\Z"
)
_PAGES = re.compile(r"\s*(?:[-\u2010-\u2015\u2212]+)\s*")
_SHAPES = {
    Kind.PREPRINT: "preprint", Kind.BOOK: "book", Kind.CHAPTER: "paper", Kind.THESIS: "thesis",
    Kind.REPORT: "report",
}  # fmt: skip
_SERVER = re.compile(r"(?:corr\b|arxiv\b).*|.*\barxiv\b.*", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\b(?:of|the|for|and|with|on|from|by|to|via|using|is|are|through|as|at)\b", re.IGNORECASE
)
_FOREIGN = re.compile(
    r"\b(?:der|die|das|und|von|zur|zum|des|les|du|une|para|los|las|della|degli|het|een|och|uma)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s\-–—/]+")
_PLAIN = re.compile(r"([(\[]*)([A-Za-z][a-z'’]+)([)\].,;:?!\"”’]*)")
_AFTER = re.compile(r"[:?!.–—]\W*\Z")
_SMALL = frozenset((
    "a", "an", "the", "of", "for", "and", "or", "nor", "but", "in", "on", "at", "to", "by", "with", "from",
    "as", "via", "into", "is", "per", "vs", "over", "under",
))  # fmt: skip


def tidy_citation(cited: CitationFields) -> CitationFields:
    """Return the citation without control characters, line breaks, and white space at the ends."""
    return replace(
        cited,
        title=make_plain_line(cited.title).rstrip(" ,;:"),
        people=tuple(map(_tidy_name, cited.people[:MAX_PEOPLE])),
        venue=_QUALIFIER.sub("", strip_latex(make_plain_line(cited.venue))),
        publisher=strip_latex(make_plain_line(cited.publisher)),
        volume=make_plain_line(cited.volume),
        issue=make_plain_line(cited.issue),
        pages=_PAGES.sub("-", make_plain_line(cited.pages)),
        ids=Ids(tuple((scheme, make_plain_line(value)) for scheme, value in cited.ids.pairs)),
        url=make_plain_line(cited.url),
    )


def make_plain_line(text: str) -> str:
    text = text[:MAX_FIELD]
    if not text.isprintable():
        shown = (c for c in text if c.isspace() or c in _JOINERS or unicodedata.category(c)[0] != "C")
        text = "".join(" " if c.isspace() else c for c in shown)
    return " ".join(text.split())


def _tidy_name(name: Name) -> Name:
    return replace(
        name,
        family=make_plain_line(name.family),
        given=make_plain_line(name.given),
        suffix=make_plain_line(name.suffix),
    )


def choose_shape(cited: CitationFields) -> str:
    """Return "article", "paper", "book", "thesis", "report", "preprint" or "other"."""
    if cited.kind is Kind.ARTICLE:
        if _SERVER.fullmatch(cited.venue):
            return "preprint"
        return "paper" if is_proceedings(Claimed(venue=cited.venue, volume=cited.volume)) else "article"
    return _SHAPES.get(cited.kind, "article" if cited.venue and cited.volume else "other")


def is_on_arxiv(cited: CitationFields) -> bool:
    """Return whether the venue is arXiv, under one of its names, or none but an arXiv number is known."""
    return bool(cited.ids.first("arxiv")) and (not cited.venue or bool(_SERVER.fullmatch(cited.venue)))


def format_venue(name: str, habit: str) -> str:
    """Return a venue by habit "full", "short" or "nodots"; a name that is not in `venues.toml` as it is."""
    forms = _load_venue_names().get(_normalise_venue(name))
    if not forms:
        return name
    full, short = forms
    return {"full": full, "short": short, "nodots": short.replace(".", "")}.get(habit, name)


@lru_cache(maxsize=1)
def _load_venue_names() -> dict[str, tuple[str, str]]:
    table = load_package_table(__package__, "venues.toml")
    by_name = {}
    for rows in table.values():
        for full, short in rows.items():
            by_name[_normalise_venue(full)] = by_name[_normalise_venue(short)] = (full, short)
    return by_name


def _normalise_venue(name: str) -> str:
    return " ".join(name.casefold().replace(".", " ").replace("&", "and").split())


def change_title_case(title: str, case: str) -> str:
    """Return the title in "sentence" or "title" case; unchanged for any other word."""
    english = _ENGLISH.search(title) and not _FOREIGN.search(title)  # surely, by its small words
    if case not in {"sentence", "title"} or not english or title.isupper():
        return title
    change = _lower_word if case == "sentence" else _capitalise_word
    return _WORD.sub(lambda m: change(m[0], title[: m.start()]), title)


def _lower_word(word: str, before: str) -> str:
    plain = _PLAIN.fullmatch(word)
    if not plain or not before.strip() or _AFTER.search(before) or plain[3].startswith("."):
        return word  # a dot makes it an abbreviation: "Phys. Rev."
    return plain[1] + plain[2].lower() + plain[3]


def _capitalise_word(word: str, before: str) -> str:
    plain = _PLAIN.fullmatch(word)
    if not plain or (plain[2].lower() in _SMALL and before.strip() and not _AFTER.search(before)):
        return word
    return plain[1] + plain[2][0].upper() + plain[2][1:] + plain[3]
