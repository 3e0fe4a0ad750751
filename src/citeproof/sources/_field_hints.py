"""What a reference hints at: the field it belongs to, and the words of its title that tell most.

Hints decide whether a subject source is asked at all. They are cheap and lean to "no": a source that is
not asked costs a little evidence, one that is asked about everything costs its goodwill.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from citeproof.text import doi
from citeproof.text import title as titles
from citeproof.vocabulary import Claimed, Question, Reference

MAX_WORDS = 30  # words of a title that a query holds
_SENTENCE = 2000  # characters of a citing sentence that are read
_SENTENCE_WORDS, _LONG_WORD = 8, 4  # words of it that a query holds, and their letters at least

_MEDICINE = re.compile(
    r"\b(?:medicin|medical|med\b|biomed|clin\b|clinic|lancet|jama\b|bmj\b|n engl j|nejm|surg|oncol|cancer|"
    r"tumou?r|leuk[ae]?emia|cardio|heart|circulation\b|vascular|stroke|neurol|neurosci|neurosurg|"
    r"psychiatr|pharmac|immunol|allerg|virol|vaccin|infect|epidemiol|public health|nursing|p[ae]?ediatr|"
    r"pathol|radiol|diabet|endocrin|nutrition|toxicol|dental|dentist|ophthalm|urolog|nephrol|kidney|hepat|"
    r"gastroent|gut\b|rheumat|dermatol|orthop|rehabil|h[ae]?ematol|blood\b|respir|thorax|thorac|obes|"
    r"gyn[ae]?ecol|obstet|transplant|an[ae]?esth|cochrane|medrxiv)",
    re.IGNORECASE,
)
_BIOLOGY = re.compile(
    r"\b(?:biolog|biol\b|bioinform|biochem|biophys|biotech|biorxiv|cell\b|cells\b|genet|genom|gene\b|"
    r"genes\b|proteom|protein|metabol|microbi|bacteri|physiol|embo\b|elife|plos\b|nucleic acids|neuron\b|"
    r"neuro(?!comput)|brain\b|health\b|pnas\b|proc\.? ?nat|veterin|zool|plant|psychol|hum\.? mol|nat\.? |"
    r"bmc\b|frontiers in)|\A(?:nature|science)\Z",
    re.IGNORECASE,
)
_ASTRONOMY = re.compile(
    r"\b(?:astro|mnras\b|mon\.? ?not|apj|icarus\b|planet|solar\b|space sci|celest|cosmol|jcap\b|"
    r"meteorit|galax)|\A(?:aj|a\s?&\s?a|aap|pasp|pasj)\Z",
    re.IGNORECASE,
)
_PHYSICS = re.compile(
    r"\b(?:phys(?!iol|ioth|icia)|geophys|j\.? ?geophys|quantum|optic|nucl|plasma)", re.IGNORECASE
)
_PARTICLES = re.compile(
    r"\b(?:jhep|j\.? ?high ?energy|journal of high energy|phys(?:ical|ics|\.)? ?(?:rev|lett|rept|reports)|"
    r"prl\b|prd\b|nucl(?:ear|\.)? ?(?:phys|instr)|eur\.? ?phys|european physical|epj|jinst|jcap|"
    r"mod\.? ?phys|class(?:ical|\.)? ?(?:and )?quant|ann(?:als|\.)? ?(?:of )?phys|prog\.? ?theor|"
    r"reviews of modern physics|hep|lattice|astropart|fortsch|proceedings of science|pos\b|"
    r"apjl\b|astrophys(?:ical|\.)? ?j(?:ournal|\.)? ?lett|zeitschrift f.r physik|z\.? ?phys|nuovo cim)",
    re.IGNORECASE,
)
_PARTICLE_ARCHIVE = re.compile(r"hep-|gr-qc|nucl-|math-ph|astro-ph|quant-ph")
_SKY_ARCHIVE = re.compile(r"astro-ph|gr-qc|physics/|hep-|nucl-|solv-int|cond-mat|quant-ph")
# DOIs that name their field even where no venue is given: publishers and journals of one subject.
_LIFE_DOI = re.compile(
    r"10\.(?:1056|1001|1136|1371|7554|1186|3389|1101|64898|1152|1161|1128|1073)/|10\.1016/s0140-6736|10\.1093/nar"
)
_SKY_DOI = re.compile(r"10\.(?:1051/0004-6361|1086/\d{6}|3847|1093/mnras|1088/0004-637x|1103|1029|1063)[/.]?")
_PARTICLE_DOI = re.compile(
    r"10\.(?:22323/|1002/prop\.|3847/2041-8213|1088/2041-8205|1103/(?:physrev|revmod)|1007/jhep|1016/j\.(?:physletb|nuclphysb)|1140/epjc|1088/1(?:126-6708|475-7516))"
)
_LEARNING = re.compile(
    r"\b(?:openreview|iclr|learning representations|neurips|nips\b|neural information processing|tmlr|"
    r"transactions on machine learning|icml\b|international conference on machine learning|corl\b|"
    r"conference on robot learning|colm\b|language model(?:l?ing)?\b|uai\b|aistats|midl\b|log\b|dmlr|"
    r"reproducibility challenge|rlc\b|reinforcement learning conference|automl|collas|emnlp|acl rolling)",
    re.IGNORECASE,
)
# Registrants whose DOIs DataCite keeps, not Crossref: arXiv, Zenodo, figshare, OSF, Dryad, Dataverse, …
_DATACITE = frozenset((
    "10.48550", "10.5281", "10.6084", "10.17605", "10.5061", "10.7910", "10.5517", "10.25384", "10.15468",
    "10.17863", "10.5167", "10.24433", "10.4121", "10.60692", "10.57967", "10.36227", "10.17632", "10.11588",
    "10.18452", "10.14279", "10.25932", "10.5445", "10.3929",
))  # fmt: skip
OTHER_AGENCY = 4  # the turn of the agency that most likely does not have a DOI


def is_biomedical(reference: Reference) -> bool:
    """Return whether the work may be one of biology or medicine."""
    claimed = reference.claimed
    return (
        _has_pubmed_id(claimed)
        or _has_matching_venue(reference, (_MEDICINE, _BIOLOGY))
        or _has_matching_doi(claimed, _LIFE_DOI)
    )


def is_medical(reference: Reference) -> bool:
    """Return whether the work is surely one of medicine that PubMed's journals would hold."""
    recent = reference.claimed.year is None or reference.claimed.year >= 1975  # older volumes have gaps
    return _has_pubmed_id(reference.claimed) or (recent and _has_matching_venue(reference, (_MEDICINE,)))


def is_astronomy(reference: Reference) -> bool:
    return bool(reference.claimed.ids.first("ads")) or _has_matching_venue(reference, (_ASTRONOMY,))


def is_physics(reference: Reference) -> bool:
    """Return whether the work may be one of astronomy or physics."""
    return (
        is_astronomy(reference)
        or _has_matching_venue(reference, (_PHYSICS,))
        or _has_matching_archive(reference, _SKY_ARCHIVE)
        or _has_matching_doi(reference.claimed, _SKY_DOI)
    )


def is_particle_physics(reference: Reference) -> bool:
    """Return whether the work may be one of high-energy physics."""
    return (
        _has_matching_venue(reference, (_PARTICLES,))
        or _has_matching_archive(reference, _PARTICLE_ARCHIVE)
        or _has_matching_doi(reference.claimed, _PARTICLE_DOI)
    )


def is_machine_learning(reference: Reference) -> bool:
    """Return whether the work may have been reviewed at OpenReview."""
    return bool(reference.claimed.ids.first("openreview")) or _has_matching_venue(reference, (_LEARNING,))


def list_title_words(title: str) -> list[str]:
    """Return the words of a title that a catalogue indexes: folded, no stop words, no single letters."""
    words = dict.fromkeys(w for w in titles.split_words(title) if len(w) > 1 and w not in titles.STOPWORDS)
    return list(words)[:MAX_WORDS]


def pick_telling_words(title: str, most: int = 5) -> list[str]:
    """Return the longest words of a title, in its order: what is left to ask when one word is wrong."""
    words = list_title_words(title)
    longest = sorted(words, key=len, reverse=True)[:most]
    return [word for word in words if word in longest]


def list_title_queries(question: Question, write: Callable[[list[str], str], str]) -> list[str]:
    """Return the queries for a title: all of its words, then the telling ones with the first author.

    `write` makes a query of words and a family name, which may be "".
    """
    words, family = list_title_words(question.value), get_first_family(question.reference.claimed)
    if not words:
        return []
    again = [write(pick_telling_words(question.value), family)] if family else []
    return [write(words, ""), *again]


def get_first_family(claimed: Claimed) -> str:
    """Return the family name of the first author as words, "" if there is none or it is an organisation's."""
    first = claimed.authors[0] if claimed.authors else None
    return " ".join(titles.split_words(first.family)) if first and not first.collective else ""


def _has_pubmed_id(claimed: Claimed) -> bool:
    return claimed.ids.first("pmid") is not None or claimed.ids.first("pmcid") is not None


def _has_matching_doi(claimed: Claimed, pattern: re.Pattern[str]) -> bool:
    return any(pattern.match(doi) for doi in claimed.ids.all("doi"))


def _has_matching_venue(reference: Reference, patterns: Iterable[re.Pattern[str]]) -> bool:
    claimed = reference.claimed
    venue = f"{(claimed.venue or '')[:300]} {(claimed.series or '')[:100]}".strip()
    return any(pattern.search(venue) for pattern in patterns)


def _has_matching_archive(reference: Reference, pattern: re.Pattern[str]) -> bool:
    """Return whether an arXiv id of the old form, or the class behind a new one, names the field."""
    if any(pattern.match(value) for value in reference.claimed.ids.all("arxiv")):
        return True
    return pattern.search(reference.raw[:2000]) is not None


def is_datacite_doi(value: str) -> bool:
    """Return whether DataCite keeps a DOI, not Crossref."""
    return doi.get_prefix(value) in _DATACITE


def pick_sentence_words(reference: Reference) -> str:
    """Return the words of the citing sentence that a title may share: the longest, names aside."""
    own = {word for name in reference.claimed.authors for word in titles.split_words(name.display)}
    said = titles.split_words(reference.citing[0][:_SENTENCE]) if reference.citing else []
    known = own | titles.STOPWORDS
    telling = dict.fromkeys(w for w in said if len(w) >= _LONG_WORD and w.isalpha() and w not in known)
    chosen = set(sorted(telling, key=len, reverse=True)[:_SENTENCE_WORDS])
    return " ".join(word for word in telling if word in chosen)
