"""Forms that say which part is which: names, title and year alone, and GOST's "title / names"."""

from __future__ import annotations

import re

from citeproof.reading.parse.citation_anchors import MASK
from citeproof.reading.parse.label_stretches import Stretch, Stretches
from citeproof.reading.parse.name_run import NameRun, find_name_run
from citeproof.text.dates import YEAR
from citeproof.text.names import is_given_name
from citeproof.text.unicode import strip_marks

_SURE = 0.9
_EDGE = " .,:;"
_PLAIN = re.compile(
    rf"(?:(?<=\.)|\.)\s(?P<title>[^.?!\ue000]{{2,250}}[?!]?)(?:(?<=[?!])|\.)\s(?P<date>{YEAR})[a-z]?(?=\.|$)"
)
_VOLUME = re.compile(r"\d{1,4}\s?\(\d{1,4}\)|\bpp\.\s?\d|\bvol\b", re.IGNORECASE)
_LINKED = re.compile(r"\.\s(?:URL|url):\s")  # biblatex's web pages
_VISITED = re.compile(
    r"\b(?:arxiv|doi|url|isbn|issn|eprint)\b|\[[a-z-]{2,10}(?:\.[A-Za-z-]{2,5})?\]"
    r"|\(?\b(?:visited|accessed)\b(?:\son)?[^a-z]{0,30}\)?|[:\s]",
    re.IGNORECASE,
)
_SLASH = re.compile(r"\s/\s")
_BEHIND = re.compile(r"\.?\s?(?://|[—–\[;]|et al|и др|$)|\.\s")
_DOUBTFUL = 0.5
_FEWEST_WORDS = 3  # of a title behind a name that may be words


def apply_forms(text: str, masked: str, stretches: Stretches, run: NameRun, lead: int) -> Stretches:
    """Return the stretches, those of such a form by rule.

    `masked` hides identifiers and years; the words begin at `lead`.
    """
    if not run:
        return _read_gost(text, masked, stretches, run, lead) or stretches
    if run.editors:
        return stretches
    return (
        _read_plain_work(text, masked, stretches, run, lead)
        or _read_gost(text, masked, stretches, run, run.end)
        or _read_title_as_venue(text, stretches, run)
        or stretches
    )


def _read_plain_work(
    text: str, masked: str, stretches: Stretches, run: NameRun, lead: int
) -> Stretches | None:
    """Return "Tom Leinster. Basic Category Theory. 2016. arXiv: …", with nothing else in it."""
    plain = None if run.sure else _PLAIN.match(text, run.end)
    if plain is None:
        return None
    rest = masked[plain.end() :]
    linked = _LINKED.match(text, plain.end()) is not None and _VOLUME.search(rest) is None
    if not linked and _VISITED.sub("", rest).strip(_EDGE + "()[]" + MASK):
        return None
    title = stretches.get("title")
    lost = title is None or title.start >= plain.end("date")
    known = is_given_name(run.names[0].given.split(" ")[0])
    if not (lost or known) or (len(plain["title"].split()) < _FEWEST_WORDS and not linked):
        return None
    return {
        "author": Stretch(lead, run.end, _SURE, ruled=True),
        "title": Stretch(*plain.span("title"), _SURE, ruled=True),
        "date": Stretch(*plain.span("date"), _SURE, ruled=True),
    }


def _read_gost(text: str, masked: str, stretches: Stretches, run: NameRun, begin: int) -> Stretches | None:
    """Return "Gropp, William. Using MPI-2 / William Gropp, Ewing Lusk. — …" with all its people.

    A work of four and more begins with its title.
    """
    slash = _SLASH.search(text, begin)
    if slash is None:
        return None
    people = find_name_run(masked, slash.end())
    first = strip_marks(run.names[0].family).lower() if run else ""
    same = any(strip_marks(name.family).lower() == first for name in people.names) if run else people.sure
    if not same or not _BEHIND.match(text, people.end):
        return None
    words = text[begin : slash.start()].lstrip(_EDGE)
    if not words:
        return None
    rest = {name: stretch for name, stretch in stretches.items() if stretch.start >= people.end}
    author = Stretch(slash.end(), people.end, _SURE, ruled=True)
    return rest | {
        "author": author,
        "title": Stretch(slash.start() - len(words), slash.start(), _SURE, ruled=True),
    }


def _read_title_as_venue(text: str, stretches: Stretches, run: NameRun) -> Stretches | None:
    """Return "Nigel P. Smart, Cryptography Made Simple, 2016": what has no volume or pages is no journal."""
    venue = stretches.get("container")
    if (
        venue is None
        or venue.confidence > _DOUBTFUL
        or stretches.keys() & {"title", "volume", "issue", "pages"}
    ):
        return None
    head, comma, rest = text[venue.start : venue.end].partition(", ")
    if text[run.end : venue.start].strip(_EDGE) or len(head.split()) < _FEWEST_WORDS:
        return None
    title = Stretch(venue.start, venue.start + len(head), venue.confidence, ruled=True)
    others = {name: stretch for name, stretch in stretches.items() if name != "container"}
    if comma and rest:
        others["container"] = Stretch(venue.end - len(rest), venue.end, venue.confidence, ruled=True)
    return others | {"title": title}
