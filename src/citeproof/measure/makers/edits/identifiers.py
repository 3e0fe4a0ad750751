"""Identifiers and addresses spoiled: a digit or two, another host, an identifier nobody registered."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from citeproof.measure.makers.cited import Cited, link
from citeproof.measure.makers.edits import Edited, Truth
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool
from citeproof.vocabulary import Ids

_DIGIT = re.compile(r"\d")
_HOSTS = ("www.researchgate.net", "www.academia.edu", "scholar.archive.org", "www.semanticscholar.org")
_JOURNALS = ("physrev", "j.neucom", "j.bios", "jmlr", "nphys")
_SCHEMES = ("arxiv", "doi", "pmid")
_TRIES = 20


def digit_changed(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Change one of the last digits of the identifier that the citation gives."""
    del pool
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
        at = rng.choice(places)
        other = f"{value[:at]}{rng.choice('0123456789')}{value[at + 1 :]}"
        if other != value and other not in truth.record.ids.all(scheme):
            return _identified(cited, scheme, value, other, "digit_changed")
    return None


def host_swapped(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Put another host before the path of the address."""
    del truth, pool
    match = re.fullmatch(r"https?://([^/]+)/(.*)", cited.url)
    if match is None:
        return None
    url = f"https://{rng.choice(_HOSTS)}/{match[2]}"
    return Edited(
        replace(cited, url=url), Edit(kind="host_swapped", field="url", before=cited.url, after=url)
    )


def doi_fabricated(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Give the citation a DOI of a real prefix that nobody registered."""
    del truth
    made = fabricated_doi(pool, cited.year or 2010, rng)
    return _identified(cited, "doi", cited.ids.first("doi") or "", made, "doi_fabricated")


def fabricated_doi(pool: Pool, year: int, rng: random.Random) -> str:
    """Return a DOI as publishers make them that is none of the pool's."""
    while True:
        prefix = rng.choice(pool.prefixes or ["10.1103"])
        one, two, letter = rng.randrange(10**4, 10**5), rng.randrange(10**3, 10**4), rng.choice(_JOURNALS)
        forms = (f"s{one}-{year % 100:03d}-{two}-{one % 10}", f"{letter}.{year}.{one}", f"{two}.{one}{two}")
        tail = rng.choice(forms)
        if ("doi", f"{prefix}/{tail}") not in pool.ids_taken:
            return f"{prefix}/{tail}"


def fabricated_arxiv(pool: Pool, year: int, rng: random.Random) -> str:
    """Return an arXiv number of that year that is none of the pool's."""
    year = min(max(year, 2008), 2025)
    while True:
        digits = f"{rng.randrange(1, 10**4):04d}" if year < 2015 else f"{rng.randrange(1, 2 * 10**4):05d}"
        made = f"{year % 100:02d}{rng.randrange(1, 13):02d}.{digits}"
        if ("arxiv", made) not in pool.ids_taken:
            return made


def _identified(cited: Cited, scheme: str, before: str, after: str, kind: str) -> Edited:
    others = tuple(pair for pair in cited.ids.pairs if pair != (scheme, before))
    ids = Ids(((scheme, after), *others))
    shown = replace(cited, ids=ids, url=link(Ids(((scheme, after),))) if cited.url else "")
    return Edited(shown, Edit(kind=kind, field=scheme, before=before, after=after))


RULES = (digit_changed, host_swapped)
