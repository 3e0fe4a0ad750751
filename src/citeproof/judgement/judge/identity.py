"""Whether a candidate is the work that was meant, before any fault in the citation is weighed."""

from __future__ import annotations

from enum import IntEnum

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.names import make_family_key
from citeproof.vocabulary import WORK_IDS, Compared, Comparison, Kind, Name, Outcome, Reason, Reference

_SHORT_NAME, _LONG_NAME = 4, 7  # letters of a family name that may hold one slip, and two
_TURNED = frozenset({Reason.VETO_ANTONYM, Reason.VETO_POLARITY})
_OTHER_PART = frozenset({Reason.VETO_NUMBER, Reason.VETO_PART, Reason.VETO_NOTICE})
_REWORDED = frozenset(
    {Reason.OTHER_TITLE, Reason.WORD_ADDED, Reason.WORD_CHANGED, Reason.WORD_MISSING, Reason.WORDS_REORDERED}
)
_OWN_FIELDS = frozenset({"year", "authors", "volume", "pages", "doi", "arxiv", "pmid", "acl"})
_DOI_PAGE = re.compile(r"\.(\d{1,4})\.([a-z]?\d{1,7})$")
_FIRST_PAGE = re.compile(r"[A-Za-z]?\d{1,7}")
SURE_PEOPLE = 0.95  # how sure the parser must be of names before they are compared with a title
ALMOST_TITLE = 0.8  # how alike titles are where the same people are enough to say that one work is meant
_ARXIV_DOI = "10.48550/arxiv."
_OF_WORKS = WORK_IDS | {"acl", "openreview"}


class Identity(IntEnum):
    """What a candidate is to the reference, from nothing to the very work."""

    OTHER = 0
    TITLE_ONLY = 1  # the title is this work's, the authors are not
    NEAR = 2  # the same people and almost the same title: the work meant, described wrongly
    SAME = 3


def get_comparison(compared: Compared, name: str) -> Comparison:
    """Return the comparison of `name`; every candidate has title, authors, year and venue."""
    found = compared.of(name)
    assert found is not None, name
    return found


def is_identified(reference: Reference, compared: Compared) -> bool:
    """Return whether an identifier of the citation led to this record as the work itself.

    An ISBN does so for books alone: a chapter and a paper are cited with the ISBN of their volume.
    """
    if not WORK_IDS.isdisjoint(compared.via):
        return True
    book = compared.record.kind is Kind.BOOK and reference.kind in (Kind.BOOK, Kind.UNKNOWN)
    return book and "isbn" in compared.via


def has_vouching_id(reference: Reference, compared: Compared) -> bool:
    """Return whether an identifier speaks for this record: it led here, or a slip of the pen parts it.

    A slip counts only where the year agrees and the venue does not contradict: the next number of the
    same journal is another work.
    """
    if _has_exact_id(reference, compared):
        return True
    slips = [c for c in compared.comparisons if c.field in _OF_WORKS and c.similarity > 0.0]
    there = get_comparison(compared, "venue").outcome is not Outcome.DIFFERS
    return bool(slips) and there and get_comparison(compared, "year").outcome.agrees


def _has_exact_id(reference: Reference, compared: Compared) -> bool:
    """Return whether an identifier led to this record or is its own, to the last character."""
    agreed = any(c.field in _OF_WORKS and c.outcome.agrees for c in compared.comparisons)
    return agreed or is_identified(reference, compared) or _has_id_in_address(compared)


def _has_id_in_address(compared: Compared) -> bool:
    """Return whether a cited address holds an identifier of the record, at whatever host."""
    strays = [c for c in compared.comparisons if c.field == "url" and c.outcome is Outcome.DIFFERS]
    own = [value.lower() for value in _list_own_ids(compared)]
    return any(c.resolved.lower().endswith(f"/{value}") for c in strays for value in own)


def _list_own_ids(compared: Compared) -> list[str]:
    return [value for scheme, value in compared.record.ids.pairs if scheme in ("doi", "arxiv", "acl")]


def _is_usual_title(reference: Reference, compared: Compared, authors: Comparison) -> bool:
    """Return whether a title that many works have is all that agrees: the "Front Matter" of another book."""
    unsigned = authors.outcome in (Outcome.ABSENT, Outcome.UNKNOWN)
    elsewhere = get_comparison(compared, "venue").outcome is Outcome.DIFFERS
    elsewhere |= authors.reason == Reason.OTHER_SCRIPT and not _is_exact_place(compared)
    common = not is_distinctive(_choose_title(reference, compared))
    return unsigned and elsewhere and common and not has_vouching_id(reference, compared)


def _is_clearly_split(reference: Reference, compared: Compared) -> bool:
    """Return whether authors and title are clearly separate in the text, and the year agrees."""
    sure = reference.claimed.confidence("authors") >= SURE_PEOPLE and is_distinctive(compared.record.title)
    return sure and get_comparison(compared, "year").outcome.agrees


def identify_candidate(reference: Reference, compared: Compared) -> Identity:
    """Return what the candidate is to the reference."""
    title, authors = get_comparison(compared, "title"), get_comparison(compared, "authors")
    if title.outcome is Outcome.ABSENT or (
        title.outcome is Outcome.UNKNOWN and is_identified(reference, compared)
    ):
        return _identify_untitled(reference, compared)
    if title.outcome.agrees:
        return _identify_by_title(reference, compared, authors)
    if title.outcome is Outcome.UNKNOWN:
        return Identity.OTHER
    return Identity.NEAR if _is_near_miss(reference, compared, title, authors) else Identity.OTHER


def _identify_by_title(reference: Reference, compared: Compared, authors: Comparison) -> Identity:
    if not _has_other_people(reference, compared, authors):
        return Identity.OTHER if _is_usual_title(reference, compared, authors) else Identity.SAME
    if get_comparison(compared, "title").reason == Reason.FOUND_IN_TEXT and not _is_clearly_split(
        reference, compared
    ):
        return Identity.OTHER  # words of a title in running text accuse nobody of wrong authors
    if (len(reference.claimed.authors) == 1) and has_vouching_id(reference, compared):
        return Identity.SAME  # a single wrong name next to the right title and identifier: described wrongly
    if not authors.convicts:  # the record is too poor to say whose work of this title it is
        return Identity.SAME if is_identified(reference, compared) else Identity.OTHER
    if is_identified(reference, compared):
        return Identity.TITLE_ONLY
    if _is_shared_title(reference, compared):
        return Identity.OTHER
    if is_distinctive(_choose_title(reference, compared)):
        return Identity.TITLE_ONLY
    year, venue = get_comparison(compared, "year"), get_comparison(compared, "venue")
    if year.outcome.agrees and venue.outcome.agrees:
        return Identity.TITLE_ONLY
    return Identity.OTHER  # "Introduction" by other people is simply another work


def _has_other_people(reference: Reference, compared: Compared, authors: Comparison) -> bool:
    """Return whether the record's people are others, not a part of the cited ones or a longer list."""
    if authors.outcome is not Outcome.DIFFERS or authors.similarity >= 0.2:
        return False
    cited, known = reference.claimed.authors, compared.record.authors
    led = bool(cited and known) and make_family_key(cited[0]) == make_family_key(known[0])
    words = {word for name in known for word in name.display.casefold().split() if len(word) > 3}
    met = any(word in words for name in cited for word in name.display.casefold().split())
    few = max(len(cited), len(known)) == 1
    if led or authors.reason == Reason.AUTHORS_MISSING or (few and met):
        return False
    return not any(_is_family_slip(a, b) for a, b in zip(cited, known, strict=False))


def _is_family_slip(a: Name, b: Name) -> bool:
    """Return whether a slip of the pen parts two family names."""
    mine, theirs = make_family_key(a), make_family_key(b)
    slips = 1 if len(theirs) < _LONG_NAME else 2
    return (
        len(theirs) >= _SHORT_NAME and DamerauLevenshtein.distance(mine, theirs, score_cutoff=slips) <= slips
    )


def _is_shared_title(reference: Reference, compared: Compared) -> bool:
    """Return whether two works may well have this title: books of two years, or titles cut short."""
    dated = get_comparison(compared, "year").outcome is Outcome.SAME and is_distinctive(compared.record.title)
    books = Kind.BOOK in (reference.kind, compared.record.kind) and not dated
    thesis = reference.kind is Kind.THESIS and compared.record.kind is not Kind.THESIS
    return books or thesis or get_comparison(compared, "title").reason == Reason.SUBTITLE_DROPPED


def _choose_title(reference: Reference, compared: Compared) -> str:
    """Return the title as cited; the record's where it was found in the text and cut wrongly."""
    found = get_comparison(compared, "title").reason == Reason.FOUND_IN_TEXT
    return compared.record.title if found else reference.claimed.title or ""


def is_distinctive(title: str) -> bool:
    """Return whether a title is long enough that two works hardly share it by chance."""
    content = [w for w in titles.split_words(title) if w not in titles.STOPWORDS]
    return len(content) >= 4 and len("".join(content)) >= 20


def _is_near_miss(reference: Reference, compared: Compared, title: Comparison, authors: Comparison) -> bool:
    """Almost the title, and the people: by identifier a looser look is enough.

    Without an identifier a veto (a figure, a part, a reply) makes it another work of the same
    people, which the snapshot may simply not hold.
    """
    people = authors.similarity if authors.outcome is not Outcome.UNKNOWN else 0.0
    if authors.outcome is Outcome.ABSENT:
        people = 0.5
    vouched = has_vouching_id(reference, compared)
    if vouched and title.reason in _OTHER_PART and not _has_exact_id(reference, compared):
        return False  # the second part, whose DOI is the next number
    if vouched:
        if title.similarity < 0.55 and _is_same_preprint(reference, compared):
            return True  # a preprint under the title of an earlier version
        longer = titles.has_main_title(title.claimed, title.resolved) or (
            _is_exact_place(compared) and titles.continues_title(title.claimed, title.resolved)
        )
        near = title.similarity >= 0.55 or longer
        people = 1.0 if _continues_list(reference, compared) else people
        return (near and people >= 0.5) or title.similarity >= 0.75
    if _is_elsewhere(compared) or _has_own_doi(compared) or _has_little_evidence(reference, compared):
        return False  # another work of the same people
    if title.reason in _TURNED:  # the meaning turned round: only the same people in the same place
        return title.similarity >= 0.8 and people >= 0.8 and _is_exact_place(compared)
    if title.reason.is_veto:
        return False
    if authors.reason == Reason.AUTHORS_MISSING and authors.convicts and not _is_same_place(compared):
        return False
    if people >= 0.8 and _is_exact_place(compared) and _has_invented_subtitle(reference, compared):
        return True
    if authors.outcome is Outcome.DIFFERS and get_comparison(compared, "venue").outcome is Outcome.DIFFERS:
        return False
    if title.similarity >= ALMOST_TITLE and people >= 0.5:
        return True
    if authors.outcome is Outcome.UNKNOWN:  # no people to go by: the very place must agree instead
        return title.similarity >= 0.85 and title.reason != Reason.OTHER_TITLE and _is_exact_place(compared)
    # people write several works a year
    elsewhere = get_comparison(compared, "venue").outcome is Outcome.DIFFERS
    changed = title.similarity >= 0.62 and title.reason != Reason.OTHER_TITLE
    return changed and people >= 0.8 and _is_same_place(compared) and not elsewhere


def _continues_list(reference: Reference, compared: Compared) -> bool:
    """Return whether the cited people are all of the record's, in order, and more: its list may be cut."""
    cited, known = (list(map(make_family_key, x.authors)) for x in (reference.claimed, compared.record))
    return 1 < len(known) < len(cited) and cited[: len(known)] == known


def _has_invented_subtitle(reference: Reference, compared: Compared) -> bool:
    """Return whether the cited title is the record's, which two works hardly share, and a subtitle more."""
    known = compared.record.title
    return is_distinctive(known) and titles.has_main_title(reference.claimed.title or "", known)


def is_doubtful(reference: Reference, compared: Compared) -> bool:
    """Return whether a near miss may as well be another work of the same people.

    Its title is clearly another one, no identifier speaks for it, and the record is too poor to hold the
    title against the citation: then it is too poor to stand for the cited work, too. Words that are only
    left out or added are allowed where people, year and venue agree.
    """
    title, authors = get_comparison(compared, "title"), get_comparison(compared, "authors")
    if title.outcome is not Outcome.DIFFERS or title.convicts or title.similarity >= ALMOST_TITLE:
        return False
    if has_vouching_id(reference, compared):
        return False
    whole = title.reason in (Reason.WORD_ADDED, Reason.WORD_MISSING) or _has_invented_subtitle(
        reference, compared
    )
    return not (whole and authors.outcome.agrees and _is_exact_place(compared))


def is_sibling(reference: Reference, compared: Compared) -> bool:
    """Return whether a near miss is rather another work of the same people: more than its title differs.

    People write "Deep machines for speech recognition" and, a year later, "Recurrent machines for speech
    recognition". No identifier speaks for the record, and its year, venue, people, pages or DOI are others.
    """
    if get_comparison(compared, "title").reason not in _REWORDED or _has_exact_id(reference, compared):
        return False
    own = (value.lower().removeprefix(_ARXIV_DOI) for value in _list_own_ids(compared))
    if any(value in reference.raw.lower() for value in own):
        return False  # in the address of a copy
    apart = any(c.field in _OWN_FIELDS and c.outcome is Outcome.DIFFERS for c in compared.comparisons)
    elsewhere = get_comparison(compared, "venue").convicts
    return apart or elsewhere or _is_on_other_page(reference, compared)


def _is_on_other_page(reference: Reference, compared: Compared) -> bool:
    """Return whether the record's DOI names the cited volume and another page, as physrevlett.49.353 does."""
    claimed = reference.claimed
    page = _FIRST_PAGE.search(claimed.pages or "")
    named = [m for doi in compared.record.ids.all("doi") if (m := _DOI_PAGE.search(doi))]
    return page is not None and any(m[1] == claimed.volume and m[2] != page[0].lower() for m in named)


def _has_own_doi(compared: Compared) -> bool:
    """Return whether the cited work has its own DOI: then another title belongs to another work.

    Its venue differs, or its title has more words ("Data and code: …", "Microscopic theory of …"), or people
    and year differ as well: "Dijkstra monads for free" and "… for all" are by half of the same people.
    """
    doi, venue = compared.of("doi"), get_comparison(compared, "venue")
    apart = all(get_comparison(compared, name).outcome is Outcome.DIFFERS for name in ("authors", "year"))
    other = doi is not None and doi.reason == Reason.OTHER_IDENTIFIER and not doi.similarity
    more = get_comparison(compared, "title").reason == Reason.WORD_ADDED
    return other and (more or apart or venue.outcome is Outcome.DIFFERS)


def _has_little_evidence(reference: Reference, compared: Compared) -> bool:
    """Return whether one name is all that speaks for a short title: "o1 System Card" by OpenAI."""
    more = get_comparison(compared, "title").reason == Reason.WORD_ADDED
    return len(reference.claimed.authors) < 2 and not more and not is_distinctive(compared.record.title)


def _is_same_preprint(reference: Reference, compared: Compared) -> bool:
    """Return whether an arXiv number is cited, the identifier is the record's, and so are all its people."""
    authors = get_comparison(compared, "authors")
    several = len(reference.claimed.authors) > 1
    preprint = bool(reference.claimed.ids.all("arxiv"))
    return several and preprint and authors.outcome.agrees and authors.similarity >= 0.9


def _is_elsewhere(compared: Compared) -> bool:
    """Return whether the record is of another place: venue and year differ, or the preprint's number."""
    number = compared.of("arxiv")
    if number is not None and number.reason == Reason.OTHER_IDENTIFIER and not number.similarity:
        return True
    venue, year = get_comparison(compared, "venue"), get_comparison(compared, "year")
    elsewhere = venue.reason == Reason.OTHER_VENUE and venue.outcome is Outcome.DIFFERS
    return elsewhere and (year.outcome is Outcome.DIFFERS or not venue.convicts)


def _is_same_place(compared: Compared) -> bool:
    return get_comparison(compared, "year").outcome.agrees or get_comparison(compared, "venue").outcome.agrees


def _is_exact_place(compared: Compared) -> bool:
    return all(get_comparison(compared, name).outcome.agrees for name in ("year", "venue"))


def _is_led_alike(reference: Reference, compared: Compared) -> bool:
    """Return whether the first author, the year and the venue are the record's: only the list is longer."""
    shorter = get_comparison(compared, "authors").reason == Reason.AUTHORS_MISSING
    cited, known = reference.claimed.authors, compared.record.authors
    return shorter and make_family_key(cited[0]) == make_family_key(known[0]) and _is_exact_place(compared)


def _identify_untitled(reference: Reference, compared: Compared) -> Identity:
    """A citation without a title (physics): people and place must agree, or the identifier.

    If its title is a translation, people or venue and year must agree, too.
    """
    authors = get_comparison(compared, "authors")
    if authors.outcome is Outcome.DIFFERS and authors.similarity < 0.5:
        led = is_identified(reference, compared) and _is_led_alike(reference, compared)
        return Identity.SAME if led else Identity.OTHER
    if get_comparison(compared, "title").reason == Reason.OTHER_SCRIPT and not (
        _is_exact_place(compared) or (authors.outcome.agrees and _is_same_place(compared))
    ):
        return Identity.OTHER
    if is_identified(reference, compared):
        return Identity.SAME
    places = [compared.of(name) for name in ("volume", "pages")]
    if all(place is not None and place.outcome.agrees for place in places):
        return Identity.SAME
    return Identity.OTHER
