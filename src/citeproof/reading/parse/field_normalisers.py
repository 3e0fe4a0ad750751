"""One normaliser a field, in the order they are applied: from the string as it is to the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from citeproof.text import dates, pages
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.vocabulary.quick_dataclass import dataclass

_TITLE_EDGE = " .,;:*_–—-"
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("„", "”"))
_CLOSING = "\"”“»’'"
_APPENDED = re.compile(
    r"[,.]?\s(?:\((?:[^()]{0,20}\b(?:ed|edition|trans|vols?|dissertation|thesis)\b[^()]{0,30}"
    r"|translated by[^()]{0,60}|[Ee]ds?\.?[^()]{0,60})\)\.?|\[[A-Z](?:/OL)?\])$|\[[A-Z](?:/OL)?\]$"
    r"|\s\[(?:Text|Текст|Electronic resource|Электронный ресурс)\]$"
)
_IN = re.compile(r"(?:[Ii]n|IN|En|Dans|Em)\b(?::\s?|\s(?=[^\Wa-z_]|[“\"‘«0-9]))")
_NUMBER_LABEL = re.compile(
    r"(?:vol(?:ume|s)?|v|bd|band|tome?|tomo|t|jg|jahrgang|no|nos|nr|n|num(?:ber|ero|éro)?|issue|iss|heft|h|suppl|(?:ال)?مجلد|(?:ال)?عدد|כרך|גיליון|חוברת)\b[.°º]?\s?|n[°º]\s?",
    re.IGNORECASE,
)
_MAX_NUMBER = 30


def normalise_title(text: str) -> str | None:
    """Return a title without the quotation marks around it, outer punctuation and what editions add to it."""
    title = text.strip()
    cut = titles.is_cut(title)
    if title.endswith((")", ").", "]")):
        title = _APPENDED.sub("", title)
    title = _strip_quotation(title.strip(_TITLE_EDGE)).strip(_TITLE_EDGE)
    letters = filter(str.isalpha, title)
    if not (next(letters, "") and next(letters, "")):
        return None
    return titles.mark_cut(_drop_lone_brackets(title)) if cut else _drop_lone_brackets(title)


def _strip_quotation(text: str) -> str:
    """Return a title without the quotation marks around it, and those without a partner at its edges."""
    if text[-2:-1] in (".", ",") and text[-1] in _CLOSING:
        text = text[:-2] + text[-1]  # the stop of the sentence that is inside the quotation
    unclosed = not any(closed in text[1:] for _, closed in _QUOTES)
    for opened, closed in _QUOTES:
        if text[:1] == opened and (unclosed or text.find(closed, 1) == len(text) - 1):
            return text[1:].rstrip(closed)
    openers = [opened for opened, closed in _QUOTES if closed == text[-1:]]
    lone = text.count('"') % 2 if openers == ['"'] else not any(opened in text for opened in openers)
    return text[:-1] if openers and lone else text


def normalise_venue(text: str) -> str | None:
    """Return a journal, book or conference without "In" and outer marks; abbreviations keep their stop."""
    lead = _IN.match(text)
    venue = text[lead.end() if lead else 0 :].strip(" ,;:“”„\"'«»*_–—-").strip(" ,")
    venue = _drop_lone_brackets(venue)
    venue = venue if venue.endswith(".") and "." in venue[:-1] else venue.rstrip(".")
    return venue if any(map(str.isalpha, venue)) and not venue.endswith(" et al") else None


def normalise_name(text: str) -> str | None:
    """Return a publisher, series or edition without outer punctuation."""
    name = _drop_lone_brackets(text.strip(' ,;:“”"«»*_–—-'))
    name = name if name.endswith((" Inc.", " Ltd.", " Co.", "ed.", "Aufl.")) else name.rstrip(".")
    return name if any(map(str.isalnum, name)) else None


def normalise_number(text: str) -> str | None:
    """Return a volume or issue number without its label."""
    number = _NUMBER_LABEL.sub("", text.strip(" ,;:.()[]"), count=1).strip(" ,;:.()[]")
    return number if number and len(number) <= _MAX_NUMBER else None


def _drop_lone_brackets(text: str) -> str:
    """Return `text` without a bracket at its edge that has no partner."""
    if text.count("(") != text.count(")"):
        text = text.strip("()") if text[:1] == "(" or text[-1:] == ")" else text
    if text.count("(") > text.count(")") and ")" not in text:
        text = text.rpartition("(")[0]
    return text.strip(" ,;:")


@dataclass(frozen=True, slots=True)
class ParsedField:
    """A field of a reference, the label the tagger gives it, and its normaliser."""

    name: str
    label: str
    normal: Callable[[str], Any]


FIELDS: tuple[ParsedField, ...] = (
    ParsedField("title", "title", normalise_title),
    ParsedField("year", "date", dates.find_year),
    ParsedField("venue", "container", normalise_venue),
    ParsedField("series", "series", normalise_name),
    ParsedField("volume", "volume", normalise_number),
    ParsedField("issue", "issue", normalise_number),
    ParsedField("pages", "pages", pages.normalise),
    ParsedField("publisher", "publisher", normalise_name),
    ParsedField("edition", "edition", normalise_name),
)
