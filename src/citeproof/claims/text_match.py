"""Whether a file holds the text of a work: by identifiers, its name, or title and first author.

A wrong match is far worse than none. A file whose own DOI is another is never a match; what only stands on
its first page, or in its name, must be borne out by title or author.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from citeproof.judgement.compare.title import SUPPLEMENT, compare_title
from citeproof.reading.extractors.body.body_reader import WorkDescription
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.names import fold_whole_family, make_family_key
from citeproof.text.title import split_words
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Name

_ENOUGH_WORDS = 4  # a shorter title is not enough without an identifier
_ENOUGH_LETTERS = 20
_HEAD = 1_500  # characters of the opening in which the authors stand
_SUFFIX = 8  # characters of a DOI's second half that may be a file's name
_ARXIV = re.compile(r"(?:arxiv[-_. ]?)?(\d{4}\.\d{4,5}|[a-z-]{2,12}[-_.]?\d{7})(?:v\d{1,2})?")
_PMCID = re.compile(r"pmc\d{4,9}")
_COPY = re.compile(r"[ _-]?\(\d{1,2}\)$|[ _-]copy$")
_PLAIN = re.compile(r"[^0-9a-z]+")


class MatchStrength(IntEnum):
    """What a match rests on, the weakest first."""

    TITLE = 1  # title and first author
    PAGE = 2  # an identifier among others on the first page, with title and author
    NAME = 3  # the file's name, or the one identifier on its first page, borne out
    METADATA = 4  # the file states the identifier itself


@dataclass(frozen=True, slots=True)
class WantedWork:
    """A work whose text is wanted."""

    titles: tuple[str, ...]
    authors: tuple[Name, ...]
    ids: frozenset[tuple[str, str]]

    @property
    def dois(self) -> frozenset[str]:
        return frozenset(value for scheme, value in self.ids if scheme == "doi")


def make_wanted_work(
    titles: Sequence[str], authors: Sequence[Name], pairs: Sequence[tuple[str, str]]
) -> WantedWork:
    """Return a work with every identifier that its identifiers imply."""
    known = [
        pair
        for scheme, value in pairs
        for pair in (ids.expand_doi(value) if scheme == "doi" else ((scheme, value),))
    ]
    return WantedWork(tuple(titles), tuple(authors), frozenset(known))


def weigh_match(file: WorkDescription, stem: str, work: WantedWork) -> MatchStrength | str:
    """Return what shows that a file holds the work, or why it is not taken; empty: it is not like it."""
    own, page = set(file.ids), set(file.page_ids)
    if not own.isdisjoint(work.ids):
        return "it is a supplement of the work" if _is_about_work(file) else MatchStrength.METADATA
    named = find_name_match(stem, work)
    titled, by_author = has_title(file, work), has_first_author(file, work)
    seen = page & work.ids
    alike = titled or named or seen
    if work.dois and (stated := sorted(value for scheme, value in own if scheme == "doi")):
        return f"it states another DOI, {stated[0]}" if alike else ""
    others = {value for scheme, value in page if scheme == "doi"} - work.dois
    if work.dois and others and not seen:  # which may be its own
        return f"on its first page stands another DOI, {min(others)}" if alike else ""
    if named and (titled or (named == "whole" and by_author)):
        return MatchStrength.NAME
    if seen and titled and by_author:
        return MatchStrength.PAGE if others else MatchStrength.NAME
    long = any(_is_long_title(title) for title in work.titles)
    if titled and by_author and long:
        return MatchStrength.TITLE
    if titled:
        return "its title is too short to be sure" if by_author else "it does not name the first author"
    return "its title is another" if alike else ""


def has_title(file: WorkDescription, work: WantedWork) -> bool:
    """Return whether one of the titles that may be the file's own is the work's."""
    return any(
        compare_title(title, work.titles).outcome.agrees and not SUPPLEMENT.match(title)
        for title in file.titles
    )


def has_first_author(file: WorkDescription, work: WantedWork) -> bool:
    """Return whether the first author is among the people that the file names at its beginning."""
    if not work.authors:
        return False
    keys = {make_family_key(work.authors[0]), fold_whole_family(work.authors[0])} - {""}
    people = {fold_letters(one) for one in file.people}
    if any(key in person for key in keys for person in people if len(key) > 2 or key == person):
        return True
    words = f" {' '.join(split_words(file.opening[:_HEAD]))} "
    together = words.replace(" ", "")
    return any(f" {key} " in words or (len(key) > 5 and key in together) for key in keys)


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text in small letters without marks."""
    return "".join(filter(str.isalnum, strip_marks(text).casefold()))


def _is_about_work(file: WorkDescription) -> bool:
    """Return whether a file with a work's identifier only adds to it: its supplement."""
    return bool(file.titles) and all(SUPPLEMENT.match(title) for title in file.titles[:2])


def find_name_match(stem: str, work: WantedWork) -> str:
    """Return "whole" if a file is named after an identifier of the work, "part" after a DOI's second half."""
    plain = _COPY.sub("", stem.strip().lower())
    if (match := _ARXIV.fullmatch(plain)) and ("arxiv", ids.normalise_id("arxiv", match[1])) in work.ids:
        return "whole"
    if _PMCID.fullmatch(plain) and ("pmcid", plain.upper()) in work.ids:
        return "whole"
    if (number := ids.normalise_id("acl", stem.strip())) and ("acl", number) in work.ids:
        return "whole"
    key = _PLAIN.sub("", plain.replace("%2f", "/"))
    for doi in work.dois:
        if key in (_PLAIN.sub("", doi), _PLAIN.sub("", f"doi{doi}")):
            return "whole"
        ending = _PLAIN.sub("", doi.partition("/")[2])
        if key == ending and len(ending) >= _SUFFIX and any(map(str.isdigit, ending)):
            return "part"
    return ""


def _is_long_title(title: str) -> bool:
    words = split_words(title)
    return len(words) >= _ENOUGH_WORDS and len("".join(words)) >= _ENOUGH_LETTERS
