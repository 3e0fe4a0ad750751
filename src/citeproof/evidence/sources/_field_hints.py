"""What a reference hints at: the field it belongs to, and the words of its title that tell most.

Hints decide whether a subject source is asked at all. They are cheap and lean to "no": a source that is
not asked costs a little evidence, one that is asked about everything costs its goodwill.
"""

from __future__ import annotations

from functools import cache

from citeproof.text import doi
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Claimed, Question, Reference

MAX_WORDS = 30  # words of a title that a query holds
_SENTENCE = 2000  # characters of a citing sentence that are read
_SENTENCE_WORDS, _LONG_WORD = 8, 4  # words of it that a query holds, and their letters at least

OTHER_AGENCY = 4  # the turn of the agency that most likely does not have a DOI


def is_biomedical(reference: Reference) -> bool:
    """Return whether the work may be one of biology or medicine."""
    claimed = reference.claimed
    return (
        _has_pubmed_id(claimed)
        or _has_matching_venue(reference, "medicine", "biology")
        or _has_matching_doi(claimed, "life_doi")
    )


def is_medical(reference: Reference) -> bool:
    """Return whether the work is surely one of medicine that PubMed's journals would hold."""
    recent = reference.claimed.year is None or reference.claimed.year >= 1975  # older volumes have gaps
    return _has_pubmed_id(reference.claimed) or (recent and _has_matching_venue(reference, "medicine"))


def is_astronomy(reference: Reference) -> bool:
    return bool(reference.claimed.ids.first("ads")) or _has_matching_venue(reference, "astronomy")


def is_physics(reference: Reference) -> bool:
    """Return whether the work may be one of astronomy or physics."""
    return (
        is_astronomy(reference)
        or _has_matching_venue(reference, "physics")
        or _has_matching_archive(reference, "sky_archive")
        or _has_matching_doi(reference.claimed, "sky_doi")
    )


def is_particle_physics(reference: Reference) -> bool:
    """Return whether the work may be one of high-energy physics."""
    return (
        _has_matching_venue(reference, "particles")
        or _has_matching_archive(reference, "particle_archive")
        or _has_matching_doi(reference.claimed, "particle_doi")
    )


def is_machine_learning(reference: Reference) -> bool:
    """Return whether the work may have been reviewed at OpenReview."""
    return bool(reference.claimed.ids.first("openreview")) or _has_matching_venue(reference, "learning")


def list_title_words(title: str) -> list[str]:
    """Return the words of a title that a catalogue indexes: folded, no stop words, no single letters."""
    words = dict.fromkeys(w for w in titles.split_words(title) if len(w) > 1 and w not in titles.STOPWORDS)
    return list(words)[:MAX_WORDS]


def pick_telling_words(title: str, most: int = 5) -> list[str]:
    """Return the longest words of a title, in its order: what is left to ask when one word is wrong."""
    words = list_title_words(title)
    longest = sorted(words, key=len, reverse=True)[:most]
    return [word for word in words if word in longest]


def list_title_queries(question: Question, form: str, joint: str, author: str) -> list[str]:
    """Return the queries for a title: all of its words, then the telling ones with the first author.

    `form` takes the words, with `joint` between them; `author` takes the family name and follows.
    """
    words, family = list_title_words(question.value), get_first_family(question.reference.claimed)
    if not words:
        return []
    telling = form.format(joint.join(pick_telling_words(question.value))) + author.format(family)
    return [form.format(joint.join(words)), *([telling] if family else [])]


def get_first_family(claimed: Claimed) -> str:
    """Return the family name of the first author as words, "" if there is none or it is an organisation's."""
    first = claimed.authors[0] if claimed.authors else None
    return " ".join(titles.split_words(first.family)) if first and not first.collective else ""


def _has_pubmed_id(claimed: Claimed) -> bool:
    return claimed.ids.first("pmid") is not None or claimed.ids.first("pmcid") is not None


@cache
def _load_pattern(name: str) -> re.Pattern[str]:
    return re.compile("".join(load_package_table("citeproof.evidence.sources", "field_hints.toml")[name]))


def _has_matching_doi(claimed: Claimed, field: str) -> bool:
    return any(_load_pattern(field).match(doi) for doi in claimed.ids.all("doi"))


def _has_matching_venue(reference: Reference, *fields: str) -> bool:
    claimed = reference.claimed
    venue = f"{(claimed.venue or '')[:300]} {(claimed.series or '')[:100]}".strip()
    return any(_load_pattern(field).search(venue) for field in fields)


def _has_matching_archive(reference: Reference, field: str) -> bool:
    """Return whether an arXiv id of the old form, or the class behind a new one, names the field."""
    pattern = _load_pattern(field)
    if any(pattern.match(value) for value in reference.claimed.ids.all("arxiv")):
        return True
    return pattern.search(reference.raw[:2000]) is not None


def is_datacite_doi(value: str) -> bool:
    """Return whether DataCite keeps a DOI, not Crossref."""
    return (
        doi.get_prefix(value)
        in load_package_table("citeproof.evidence.sources", "field_hints.toml")["datacite"]
    )


def pick_sentence_words(reference: Reference) -> str:
    """Return the words of the citing sentence that a title may share: the longest, names aside."""
    own = {word for name in reference.claimed.authors for word in titles.split_words(name.display)}
    said = titles.split_words(reference.citing[0][:_SENTENCE]) if reference.citing else []
    known = own | titles.STOPWORDS
    telling = dict.fromkeys(w for w in said if len(w) >= _LONG_WORD and w.isalpha() and w not in known)
    chosen = set(sorted(telling, key=len, reverse=True)[:_SENTENCE_WORDS])
    return " ".join(word for word in telling if word in chosen)
