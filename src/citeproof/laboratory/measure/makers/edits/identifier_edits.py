"""Identifiers and addresses spoiled: a digit or two, another host, an unregistered identifier."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.makers.citation_fields import CitationFields, build_link
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.vocabulary import Ids

_DIGIT = re.compile(r"\d")
_HOSTS = ("www.researchgate.net", "www.academia.edu", "scholar.archive.org", "www.semanticscholar.org")
_JOURNALS = ("physrev", "j.neucom", "j.bios", "jmlr", "nphys")
_SCHEMES = ("arxiv", "doi", "pmid")
_TRIES = 20


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
    url = f"https://{draw.rng.choice(_HOSTS)}/{match[2]}"
    return EditedCitation(
        replace(cited, url=url), BenchmarkEdit(kind="host_swapped", field="url", before=cited.url, after=url)
    )


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


RULES = (change_digit, swap_host)
