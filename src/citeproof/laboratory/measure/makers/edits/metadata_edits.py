"""Years, venues, identifiers and addresses spoiled: always into what no version of the work has."""

from __future__ import annotations

import random
from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields, build_link
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation, edit_field
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text import venue_match
from citeproof.vocabulary import Ids

_DIGIT = re.compile(r"\d")
_HOSTS = ("www.researchgate.net", "www.academia.edu", "scholar.archive.org", "www.semanticscholar.org")
_JOURNALS = ("physrev", "j.neucom", "j.bios", "jmlr", "nphys")
_SCHEMES = ("arxiv", "doi", "pmid")
_TRIES, _VENUE_TRIES = 20, 50
_RENAMED = {"nips": "neurips"}
_ALIKE = 0.34  # share of words two venues may have in common and still be two


def shift_year(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    return shift_year_by(cited, draw, (1, 2))


def shift_year_by(
    cited: CitationFields, draw: EditDraw, by: range | tuple[int, ...]
) -> EditedCitation | None:
    """Return the citation with its year moved by one of `by`; never into a year of another version."""
    if cited.year is None:
        return None
    known = {version.year for version in draw.truth.record.versions}
    latest = max(year for year in (*known, cited.year) if year is not None)
    years = [cited.year + sign * step for step in by for sign in (-1, 1)]
    wrong = [year for year in years if year not in known and year <= max(latest + 1, 2025) and year > 1900]
    if not wrong:
        return None
    return edit_field(cited, "year", draw.rng.choice(wrong), "year_shifted")


def swap_venue(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another venue of the field in the place of the cited one."""
    if not cited.venue or not draw.pool.venues:
        return None
    known = [v.venue for v in draw.truth.record.versions if v.venue] + [cited.venue]
    for _ in range(_VENUE_TRIES):
        venue = draw.rng.choice(draw.pool.venues)
        if "submission" not in venue and not any(is_similar_venue(venue, other) for other in known):
            return edit_field(cited, "venue", venue, "venue_swapped")
    return None


def is_similar_venue(a: str, b: str) -> bool:
    """Return whether two venues may be one: by name, or with words or the letters of an acronym in common."""
    if venue_match.is_surely_same(a, b):
        return True
    first, second = ({_RENAMED.get(w, w) for w in titles.split_words(venue)} for venue in (a, b))
    if len(first & second) > _ALIKE * min(len(first), len(second)):
        return True
    short, long = sorted((a, b), key=len)
    initials = "".join(word[0] for word in long.split() if word[:1].isupper()).lower()
    key = titles.make_title_key(short)
    return key in initials or initials in key or any(w.startswith(key[:4]) for w in titles.split_words(long))


def change_digit(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Change one of the last digits of the identifier that the citation gives."""
    scheme = next((s for s in _SCHEMES if cited.ids.first(s)), None)
    if scheme is None:
        return None
    value = cited.ids.first(scheme) or ""
    places = [m.start() for m in _DIGIT.finditer(value)][-3:]
    if scheme == "doi":
        places = [at for at in places if at > value.index("/")]
    if not places:
        return None
    for _ in range(_TRIES):
        at = draw.rng.choice(places)
        other = f"{value[:at]}{draw.rng.choice('0123456789')}{value[at + 1 :]}"
        if other != value and other not in draw.truth.record.ids.all(scheme):
            return _replace_identifier(cited, scheme, value, other, "digit_changed")
    return None


def swap_host(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another host before the path of the address."""
    match = re.fullmatch(r"https?://([^/]+)/(.*)", cited.url)
    if match is None:
        return None
    return edit_field(cited, "url", f"https://{draw.rng.choice(_HOSTS)}/{match[2]}", "host_swapped")


def replace_doi(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Give the citation a DOI of a real prefix that is not registered."""
    made = fabricate_doi(draw.pool, cited.year or 2010, draw.rng)
    return _replace_identifier(cited, "doi", cited.ids.first("doi") or "", made, "doi_fabricated")


def fabricate_doi(pool: RecordPool, year: int, rng: random.Random) -> str:
    """Return a DOI as publishers make them that is none of the pool's."""
    while True:
        prefix = rng.choice(pool.prefixes or ["10.1103"])
        long, short, letter = rng.randrange(10**4, 10**5), rng.randrange(10**3, 10**4), rng.choice(_JOURNALS)
        forms = (
            f"s{long}-{year % 100:03d}-{short}-{long % 10}",
            f"{letter}.{year}.{long}",
            f"{short}.{long}{short}",
        )
        tail = rng.choice(forms)
        if ("doi", f"{prefix}/{tail}") not in pool.ids_taken:
            return f"{prefix}/{tail}"


def fabricate_arxiv_id(pool: RecordPool, year: int, rng: random.Random) -> str:
    """Return an arXiv number of that year that is none of the pool's."""
    year = min(max(year, 2008), 2025)
    while True:
        digits = f"{rng.randrange(1, 10**4):04d}" if year < 2015 else f"{rng.randrange(1, 2 * 10**4):05d}"
        made = f"{year % 100:02d}{rng.randrange(1, 13):02d}.{digits}"
        if ("arxiv", made) not in pool.ids_taken:
            return made


def _replace_identifier(
    cited: CitationFields, scheme: str, before: str, after: str, kind: str
) -> EditedCitation:
    others = tuple(pair for pair in cited.ids.pairs if pair != (scheme, before))
    ids = Ids(((scheme, after), *others))
    shown = replace(cited, ids=ids, url=build_link(Ids(((scheme, after),))) if cited.url else "")
    return EditedCitation(shown, BenchmarkEdit(kind=kind, field=scheme, before=before, after=after))
