"""The text of an entry with the identifiers that only its links give."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY
from citeproof.text import ids, url
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import WORK_IDS

_MAX_LINKS = 20  # of one entry that are examined
_SEARCHES = (
    "scholar.google", "google.com", "search.crossref.org", "worldcat.org", "sciencedirect.com",
    "web.archive.org",
)  # fmt: skip
# What sites print behind an entry to name their links.
_LABEL = (
    "(?:Google Scholar|Cross[Rr]ef|PubMed(?: Central)?|PMC(?: free article)?|Free PMC article|MEDLINE|Medline"
    "|Web of Science|Scopus|CAS|ADS|MathSciNet|MATH|zbMATH|Full [Tt]ext|View [Aa]rticle|View Record in Scopus"
    "|Article|DOI|doi|PDF|Semantic Scholar|Europe PMC|Open URL|Download|ChemPort|INSPIRE|Abstract)"
)
_BRACKETED = re.compile(
    rf"\s{{0,3}}\[\s{{0,2}}{_LABEL}(?:\s{{0,2}}[,;|·/]?\s{{0,2}}{_LABEL}){{0,6}}\s{{0,2}}\]"
)
_TRAILING = re.compile(
    rf"(?<=[.)\]\d”\"’,;])(?:[\s,;|·/]{{1,6}}{_LABEL}(?=[\s,;|·/.]|$)){{1,12}}[\s.,;|·/]{{0,6}}$"
)


def strip_link_names(text: str) -> str:
    """Return an entry without the names of the links behind it: "… (2015). Article CAS" ⇒ "… (2015)."."""
    text = _BRACKETED.sub("", text)
    end = len(text) - 250
    return (text[:end] if end > 0 else "") + _TRAILING.sub("", text[max(0, end) :])


def append_links(text: str, addresses: Sequence[str]) -> str:
    """Return `text` followed by the links that identify the work and are not printed in it.

    A link that is only an address counts where nothing else identifies the work; one to a search
    does not.
    """
    text = strip_link_names(text) if addresses or "[" in text else text
    known = {(scheme, value) for scheme, value, _, _ in ids.find_ids(text)}
    plain: list[str] = []
    added: list[str] = []
    for address in dict.fromkeys(addresses[:_MAX_LINKS]):
        pairs = set(ids.identify_url(address))
        named = {pair for pair in pairs if pair[0] in WORK_IDS}
        if named and not named & known and not {s for s, _ in named} & {s for s, _ in known}:
            added.append(address)
            known |= named
        elif not named and pairs and not pairs & known:
            plain.append(address)
    if not added and not any(scheme in WORK_IDS or scheme == "url" for scheme, _ in known):
        added = [one for one in plain if not any(search in url.get_host(one) for search in _SEARCHES)][:1]
    return " ".join([text, *added])[:MAX_ENTRY]
