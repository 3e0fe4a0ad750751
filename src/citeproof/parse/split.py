"""Authors, title and venue of a citation string, by rule.

`split` is the one seam: a trained tagger that gives `Pieces` can take its place. The rules in
order: a quoted or bold title; else the run of names at the start, then the best cut between
title and venue (`cut.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.parse import authors, cut, venue
from citeproof.parse.anchors import MASK, Anchors
from citeproof.parse.clues import VENUE
from citeproof.text import names
from citeproof.vocabulary import Name

QUOTED = 0.95  # the title stood in quotation marks
STYLE = 0.8  # an ordinary style, cut at a full stop
GUESS = 0.5

_QUOTES = re.compile(
    r"“(?P<a>[^“”]{4,600})”|\"(?P<b>[^\"]{4,600})\"|«\s?(?P<c>[^«»]{4,600}?)\s?»|„(?P<d>[^„“”]{4,600})[“”]"
    r"|\*\*(?P<e>[^*\n]{4,600})\*\*|(?<![\w’'])[‘'](?P<f>[^‘\n]{8,600}?)[’'](?=[\s,.;:)]|$)|``(?P<g>[^`']{4,600})''"
)
_GAP = re.compile(
    rf"[\s.,:;)\]*–—-]*(?:(?:{MASK}+|\(?n\.d\.\)?|\((?:in press|forthcoming|to appear)\))[\s.,:;)\]*–—-]*)?"
)
_LEAD = re.compile(rf"[\s{MASK}.,:;*_]*")
_NOT_TITLE = re.compile(r"\bet al\b|\(\d{4}\)|^\W*\d{4}\W*$", re.IGNORECASE)
_APPENDED = re.compile(
    r"[,.]?\s(?:\((?:[^()]{0,20}\b(?:ed|edition|trans|vols?|dissertation|thesis)\b[^()]{0,30}"
    r"|translated by[^()]{0,60}|[Ee]ds?\.?[^()]{0,60})\)\.?|\[[A-Z](?:/OL)?\])$|\[[A-Z](?:/OL)?\]$"
)
_CONTINUED = re.compile(r"\s?(?::|–|—|\s-\s)\s?\w")  # “Laughing at you”: the role of sarcasm
_JOINTS = re.compile(r",\s{0,3}(?:and|&)\s|\s(?:and|&)\s|[,;]\s")
_BREAK = re.compile(r"[.,?]\s+(?:by\s)?(?=[^\Wa-z_])")
_DATED = re.compile(rf"[\s.,:;(]{{0,9}}{MASK}")
_FAR = 120  # a year this near the start closes the authors
_MIN_TITLE = 2  # letters
_LONG_NAME = 6  # words; what has more is no name


@dataclass(frozen=True, slots=True)
class Pieces:
    """What the split made of the words, and how sure it is of each part."""

    authors: tuple[Name, ...] = ()
    et_al: bool = False
    editors: tuple[Name, ...] = ()
    title: str | None = None
    venue: str | None = None
    publisher: str | None = None
    authors_confidence: float = GUESS
    title_confidence: float = GUESS
    venue_confidence: float = GUESS


def split(text: str, anchors: Anchors) -> Pieces:
    """Return authors, title, venue and publisher of `text`, whose anchors are already known."""
    quoted = _quoted(text, anchors)
    return _around(anchors, quoted) if quoted else _in_order(text, anchors)


def _quoted(text: str, anchors: Anchors) -> re.Match[str] | None:
    """Return the quotation that can be the title: the first with two words that is no name or year."""
    for match in _QUOTES.finditer(text):
        inner = match[match.lastgroup or 0]
        if len(inner.split()) < 2 or _NOT_TITLE.search(inner):
            continue
        before = anchors.masked[: match.start()]
        if match.lastgroup in ("a", "b", "f") and _inside_title(before):
            continue
        if match.lastgroup == "e" and _bold_authors(inner, anchors.masked[match.end() :]):
            continue
        if match.lastgroup != "e" and _CONTINUED.match(text, match.end()):
            continue
        return match
    return None


def _bold_authors(inner: str, after: str) -> bool:
    """Return whether bold words are a run of names before the year: `**Roe, J., & Poe, C.** (1996)`."""
    run = authors.run(inner)
    return bool(run) and run.sure and not inner[run.end :].strip(" .,;:") and _DATED.match(after) is not None


def _inside_title(before: str) -> bool:
    """Return whether words of a title stand before the quotation: `Finding “weak ties” via …`."""
    run = authors.run(before, _end(_LEAD, before, 0))
    rest = before[_end(_GAP, before, run.end) :]
    return len(rest.split()) > 1 and not rest.rstrip().endswith((".", ",", ":", "(", "—", "–", "-"))


def _around(anchors: Anchors, quoted: re.Match[str]) -> Pieces:
    """Split around a quoted title: names before it (or after, if none), venue behind."""
    masked = anchors.masked
    title = _clean_title(quoted[quoted.lastgroup or 0])
    lead = _end(_LEAD, masked, 0)
    run = _names_before(masked, lead, quoted.start()) if lead < quoted.start() else authors.Run((), lead)
    after = quoted.end()
    if not run:
        start = _end(re.compile(rf"[\s.,:;(–—-]*(?:by\s)?{MASK}*[\s.,:;(–—-]*"), masked, after)
        run = authors.run(masked, start)
        run = run if not _venue_words(masked[start : run.end]) else authors.Run((), start)
        after = run.end if run else after
    where = venue.read(masked[after:], located=anchors.locator_at is not None)
    return _pieces(run, title, where, QUOTED, QUOTED if run else GUESS)


def _names_before(masked: str, lead: int, quote: int) -> authors.Run:
    """Return the names between `lead` and the quotation; here it is known where they end."""
    run = authors.run(masked[:quote], lead)
    left = masked[run.end : quote].strip(f" .,:;&()[]{MASK}")
    if not run or not left or run.et_al or MASK in left:
        return run
    parts = [part.strip(" .,;&") for part in _JOINTS.split(masked[lead:quote])]
    named = [part for part in parts if part and MASK not in part]
    if len(named) <= len(run.names) or any(len(part.split()) > _LONG_NAME for part in named):
        return run
    return authors.Run(tuple(names.parse(part) for part in named), quote, run.et_al, run.editors, sure=False)


def _venue_words(words: str) -> bool:
    bare = (word.strip(".,").casefold() for word in words.split())
    return any(len(word) > 1 and word in VENUE for word in bare)  # "J." is an initial as well


def _in_order(text: str, anchors: Anchors) -> Pieces:
    """Split an unquoted string: names, then the best cut of what follows."""
    masked = anchors.masked
    lead = _end(_LEAD, masked, 0)
    run = authors.run(masked, lead)
    if not run and anchors.year_span and lead < anchors.year_span[0] < lead + _FAR:
        run = _body(masked, lead, anchors.year_span[0])
    if not run and (late := _title_first(masked, lead)):
        end, run = late
        where = venue.read(masked[run.end :], located=anchors.locator_at is not None)
        return _pieces(run, _clean_title(text[lead:end]), where, STYLE, STYLE)
    start = _end(_GAP, masked, run.end) if run else lead
    best = cut.best(masked, start, anchors)
    title = _clean_title(text[start : best.title_end])
    where = venue.read(masked[best.venue_start :], located=best.located)
    sure = best.sure or (best.whole and MASK in masked[run.end : start])
    return _pieces(run, title, where, STYLE if sure else GUESS, STYLE if run.sure else GUESS)


def _title_first(masked: str, lead: int) -> tuple[int, authors.Run] | None:
    """Return where a title ends that stands before its authors: "Title, Pedregosa et al., JMLR"."""
    for match in _BREAK.finditer(masked, lead, lead + 400):
        run = authors.run(masked, match.end())
        if run.sure and (run.et_al or len(run.names) > 1) and not _venue_words(masked[match.end() : run.end]):
            return match.start(), run
    return None


def _body(masked: str, start: int, end: int) -> authors.Run:
    """Return the words before the year as one collective author."""
    words = masked[start:end].strip(" .,;:(")
    if not words or MASK in words or _venue_words(words) or len(words.split()) > 10 or ". " in words:
        return authors.Run((), start)
    return authors.Run((Name(family=words, collective=True),), end, sure=False)


def _pieces(
    run: authors.Run, title: str | None, where: venue.Where, sure: float, names_sure: float
) -> Pieces:
    persons, editors = ((), run.names) if run.editors else (run.names, where.editors)
    return Pieces(
        persons,
        run.et_al,
        editors,
        title,
        where.venue,
        where.publisher,
        names_sure,
        sure,
        min(sure, STYLE) if where.venue else GUESS,
    )


def _clean_title(title: str) -> str | None:
    """Return the title without edges that do not belong to it: "(2nd ed.)", quotes, punctuation."""
    title = " ".join(title.replace(MASK, " ").split())
    title = _APPENDED.sub("", title).strip(' .,;:“”"«»*_–—-')
    if title.count("(") != title.count(")"):
        title = title.strip("()")
    return title if sum(c.isalpha() for c in title) >= _MIN_TITLE else None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
