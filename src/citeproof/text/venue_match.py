"""Whether two venue names mean the same venue, and how one knows."""

from __future__ import annotations

from functools import cache, lru_cache

from rapidfuzz import fuzz

from citeproof.text import known_series as table
from citeproof.text import lazy_patterns as re
from citeproof.text.abbreviation import (
    SECTION,
    Form,
    WordAlignment,
    align_words,
    is_acronym_of,
    is_loose_acronym,
    match_words,
)
from citeproof.text.title import make_title_key
from citeproof.text.venue_name import Venue, find_known_series, parse_venue
from citeproof.text.venue_parts import clean_venue, load_tables
from citeproof.vocabulary import Reason
from citeproof.vocabulary.quick_dataclass import dataclass

__all__ = [
    "DIFFERS", "SAME", "UNCLEAR", "VARIANT", "Venue", "VenueSameness", "find_known_series",
    "is_surely_same", "match_venues", "parse_venue",
]  # fmt: skip

SAME, VARIANT, DIFFERS, UNCLEAR = "same", "variant", "differs", "unclear"
_MIN_BEGINNING = 4  # words of a name that is the whole beginning of another
_BREAKS = (",", "(", "[")
_BRACKETED = re.compile(r"\(([^()]{3,30})\)$")
_SHORTEST = 3  # letters of an acronym
_MIN_PREFIX = 3  # words two names must share before one may be the other, cut
_UNLIKE = 0.3  # share of words below which equal letters may be chance
_MOST = 0.75  # of the words of an abbreviated name found in order in the other
_CLOSE = 90.0  # likeness of two names from which a difference may be a slip of the pen


@dataclass(frozen=True, slots=True)
class VenueSameness:
    """`outcome` is same, variant, differs or unclear; `similarity` 0..1."""

    outcome: str
    reason: Reason
    similarity: float


_SURE = frozenset(
    {Reason.SAME, Reason.ACRONYM, Reason.ABBREVIATION, Reason.SERIES, Reason.SPONSOR, Reason.TRANSLATED}
)
_NO_SOFT: frozenset[str] = frozenset()
_BY_ACRONYM = VenueSameness(VARIANT, Reason.ACRONYM, 0.97)


def is_surely_same(a: str, b: str) -> bool:
    """Return whether two names certainly mean one venue and one proceedings: no shelf, no cut, no track."""
    sameness = match_venues(a, b)
    return sameness.outcome in (SAME, VARIANT) and sameness.reason in _SURE


@lru_cache(maxsize=8192)
def match_venues(a: str, b: str) -> VenueSameness:
    """Return whether the names `a` (as cited) and `b` (as recorded) mean one venue."""
    if make_title_key(a) == make_title_key(b) and make_title_key(a):
        return VenueSameness(SAME, Reason.SAME, 1.0)
    cited, known = parse_venue(a), parse_venue(b)
    if cited.preprint or known.preprint:
        return _match_preprints(cited, known)
    shared = cited.series & known.series
    if shared:
        return _match_tracks(cited, known)
    if carried := _match_carrier(cited, known):
        return carried
    if cited.vague or known.vague:
        for form in cited.forms[:1]:
            for other in known.forms[:1]:
                aligned = align_words(form, other, _NO_SOFT)
                if aligned.matched and not aligned.left_a and not aligned.left_b:
                    return VenueSameness(VARIANT, Reason.ABBREVIATION, 0.95)
        return VenueSameness(UNCLEAR, Reason.UNCLEAR, 0.5)
    if cited.series and known.series:
        return VenueSameness(DIFFERS, Reason.OTHER_VENUE, _measure_likeness(cited, known) * 0.6)
    return (
        _match_beginning(a, b, cited, known)
        or _match_bracketed(a, b)
        or (_match_acronyms(cited, known) or _match_by_words(cited, known))
    )


def _match_bracketed(a: str, b: str) -> VenueSameness | None:
    """One name is what is in brackets behind the other: "CLiC-it", "… (CLiC-it 2020)"."""
    for short, long in ((a, b), (b, a)):
        named = {make_title_key(text).rstrip("0123456789") for text in _BRACKETED.findall(long)}
        if len(key := make_title_key(short).rstrip("0123456789")) >= _SHORTEST and key in named:
            return _BY_ACRONYM
    return None


def _match_beginning(a: str, b: str, cited: Venue, known: Venue) -> VenueSameness | None:
    """One name is the other up to a comma or bracket: what follows says where and when, or its acronym.

    Without that break more of the name follows: "… on Machine Learning and Applications".
    """
    if min(len(cited.words), len(known.words)) < _MIN_BEGINNING or cited.words[0] != known.words[0]:
        return None
    short, long = sorted((clean_venue(name).casefold().rstrip(" .") for name in (a, b)), key=len)
    if not long.startswith(short) or long[len(short) :].lstrip(" .")[:1] not in _BREAKS:
        return None
    if _list_sections(cited) != _list_sections(known):
        return None
    return _find_other_volume(cited, known) or VenueSameness(VARIANT, Reason.TRUNCATED, 0.92)


def _list_sections(venue: Venue) -> tuple[str, ...]:
    return tuple(word for word in venue.words if word[0] == SECTION)


def _match_preprints(cited: Venue, known: Venue) -> VenueSameness:
    if cited.preprint and known.preprint:
        if cited.series & known.series:
            return VenueSameness(SAME, Reason.SAME, 1.0)
        if not cited.series or not known.series:
            return VenueSameness(VARIANT, Reason.PREPRINT, 0.9)  # one side names no server
        return VenueSameness(DIFFERS, Reason.OTHER_SERVER, 0.3)
    return VenueSameness(DIFFERS, Reason.PREPRINT, 0.2)


def _match_tracks(cited: Venue, known: Venue) -> VenueSameness:
    """The same series: is it also the same proceedings of it?"""
    if other := _find_other_volume(cited, known):
        return other
    if (cited.workshop or cited.apart) and cited.words and known.words:
        return _match_by_words(cited, known)
    if cited.track != known.track and (cited.track or known.track):
        return VenueSameness(VARIANT, Reason.TRACK, 0.9)
    if cited.words == known.words:
        return (
            VenueSameness(SAME, Reason.SAME, 1.0)
            if cited.words or cited.acronyms & known.acronyms
            else _BY_ACRONYM
        )
    if not cited.words or not known.words:
        return _BY_ACRONYM
    aligned = align_words(_get_first_form(cited), _get_first_form(known), _NO_SOFT)
    cut = aligned.cut and not aligned.left_a and not aligned.left_b
    return VenueSameness(VARIANT, Reason.ABBREVIATION if cut else Reason.SERIES, 0.95)


def _find_other_volume(cited: Venue, known: Venue) -> VenueSameness | None:
    """One of them is a workshop, the findings or a companion, and the other the main volume."""
    if cited.workshop != known.workshop:
        return VenueSameness(DIFFERS, Reason.WORKSHOP_VS_MAIN, 0.5)
    if cited.findings != known.findings:
        return VenueSameness(DIFFERS, Reason.FINDINGS_VS_MAIN, 0.6)
    companion = cited.apart != known.apart and not (cited.track and known.track)  # demonstrations are in one
    return VenueSameness(DIFFERS, Reason.TRACK_VS_MAIN, 0.5) if companion else None


def _match_carrier(cited: Venue, known: Venue) -> VenueSameness | None:
    """A shelf named for the event that is on it, or the other way round."""
    series = table.load_catalogue().series
    for venue, other in ((cited, known), (known, cited)):
        shelves = [series[s] for s in venue.series if series[s].kind == "carrier"]
        if not shelves:
            continue
        if any(other.series & shelf.carries for shelf in shelves):
            return VenueSameness(VARIANT, Reason.CARRIER, 0.85)
        if any(shelf.open == "any" or (shelf.open and not other.series) for shelf in shelves):
            return VenueSameness(UNCLEAR, Reason.CARRIER, 0.5)
    return None


def _match_by_words(cited: Venue, known: Venue) -> VenueSameness:
    """Every reading of one name against those of the other; then whether a doubt remains."""
    best = VenueSameness(DIFFERS, Reason.OTHER_VENUE, _measure_likeness(cited, known) * 0.8)
    whole_a, whole_b = _get_first_form(cited), _get_first_form(known)
    events = cited.kind == known.kind == "conference"
    for form in _list_readings(cited):
        for other in _list_readings(known):
            sameness = _match_forms(form, other, cited, known)
            if sameness.outcome in {SAME, VARIANT} and form != whole_a and other != whole_b and not events:
                # two subtitles cut off may be two journals
                sameness = VenueSameness(UNCLEAR, Reason.UNCLEAR, 0.6)
            if sameness.outcome in {SAME, VARIANT}:
                return (
                    sameness
                    if form == whole_a and other == whole_b
                    else _mark_shortened(sameness, cited, known)
                )
            if sameness.outcome == UNCLEAR:
                best = sameness
    if best.outcome == DIFFERS and _is_other_section(cited, known):
        return VenueSameness(DIFFERS, Reason.OTHER_SECTION, best.similarity)
    if best.outcome == DIFFERS and _is_nearly_same(cited, known):
        return VenueSameness(UNCLEAR, Reason.UNCLEAR, 0.7)
    return best


def _is_other_section(cited: Venue, known: Venue) -> bool:
    """Whether two names agree up to their sections: "European Physical Journal C" and "... A"."""
    aligned = align_words(_get_first_form(cited), _get_first_form(known), _list_soft_words())
    return bool(aligned.matched) and all(
        left[:1] and left[0][0] == SECTION for left in (aligned.left_a, aligned.left_b)
    )


def _get_first_form(venue: Venue) -> Form:
    return venue.forms[0] if venue.forms else ()


def _list_readings(venue: Venue) -> tuple[Form, ...]:
    """The forms a name may be compared by: its own, a parallel title, or the full names of its series."""
    names = tuple(n for s in sorted(venue.series) for n in table.load_catalogue().series[s].names)
    return names or (*venue.forms, *venue.translated)


def _mark_shortened(sameness: VenueSameness, cited: Venue, known: Venue) -> VenueSameness:
    if any(form in cited.translated for form in known.forms) or any(
        form in known.translated for form in cited.forms
    ):
        return VenueSameness(VARIANT, Reason.TRANSLATED, 0.9)
    if sameness.reason in {Reason.SAME, Reason.TRUNCATED} and not (cited.series or known.series):
        return VenueSameness(VARIANT, Reason.TRUNCATED, 0.92)
    return VenueSameness(
        VARIANT,
        sameness.reason if sameness.reason != Reason.SAME else Reason.SERIES,
        min(sameness.similarity, 0.93),
    )


def _match_forms(a: Form, b: Form, cited: Venue, known: Venue) -> VenueSameness:
    soft = _list_soft_words()
    if _is_other_kind(cited, known):
        return VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)
    aligned = align_words(a, b, soft)
    if not aligned.matched and _is_bare_abbreviation(a, b):
        return VenueSameness(UNCLEAR, Reason.ABBREVIATION, 0.7)  # "Nat" for "Nature"
    if not aligned.matched or (_has_organiser(aligned.skipped_a) and _has_organiser(aligned.skipped_b)):
        return VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)
    left = [w.rstrip(".") for w in (*aligned.left_a, *aligned.left_b)]
    if not left:
        return _grade_alignment(aligned, cited, known)
    if aligned.left_a and aligned.left_b:
        return VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)
    if all(w in soft or w in _TAIL for w in left):
        return VenueSameness(VARIANT, Reason.TRUNCATED, 0.9)
    if left[0][:1] == SECTION and cited.kind != "conference":
        return VenueSameness(UNCLEAR, Reason.SECTION_MISSING, 0.6)
    if (cited.cut and aligned.left_b) or (known.cut and aligned.left_a):
        return VenueSameness(VARIANT, Reason.TRUNCATED, 0.85)
    if aligned.matched >= _MIN_PREFIX and not (cited.series and known.series):
        return VenueSameness(UNCLEAR, Reason.TRUNCATED, 0.7)
    return VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)


def _is_bare_abbreviation(a: Form, b: Form) -> bool:
    """Return whether one word is the other cut short, without the full stop that would say so."""
    short, long = sorted((a, b), key=lambda form: len(form[0]) if form else 0)
    return len(a) == len(b) == 1 and match_words(f"{short[0]}.", long[0]) == "cut"


def _is_other_kind(cited: Venue, known: Venue) -> bool:
    """Whether one is a journal and one an event, or a symposium stands against a series that is not one."""
    if {cited.kind, known.kind} == {"conference", "journal"}:
        return True
    series = table.load_catalogue().series
    for venue, other in ((cited, known), (known, cited)):
        if venue.nouns and other.series and not any(venue.nouns & series[s].nouns for s in other.series):
            return other.kind == "conference"
    return False


def _has_organiser(skipped: Form) -> bool:
    """Whether an organiser was on one side: another one on the other side makes another journal."""
    return any(word in load_tables().sponsor for word in skipped)


_TAIL = frozenset({
    "journal", "online", "print", "proceedings", "edition", "international", "magazine", "supplement",
    "suppl",
})  # fmt: skip


@cache
def _list_soft_words() -> frozenset[str]:
    words = load_tables()
    little = {f"{w}." for w in (*words.maybe_stop, "d", "l")}  # kept where they might have been short forms
    return words.sponsor | little | {"proceedings", "proc.", "proceedings.", "official", "annual"}


def _grade_alignment(aligned: WordAlignment, cited: Venue, known: Venue) -> VenueSameness:
    if {cited.kind, known.kind} == {"conference", ""} and aligned.matched < _MIN_PREFIX:
        # "Medical Imaging": a journal, or the conference on it
        return VenueSameness(UNCLEAR, Reason.UNCLEAR, 0.6)
    if aligned.typo:
        return VenueSameness(VARIANT, Reason.TYPO, 0.9)
    if aligned.cut:
        return VenueSameness(VARIANT, Reason.ABBREVIATION, 0.95)
    return (
        VenueSameness(VARIANT, Reason.SPONSOR, 0.93)
        if aligned.skipped_a or aligned.skipped_b
        else VenueSameness(SAME, Reason.SAME, 1.0)
    )


def _match_acronyms(cited: Venue, known: Venue) -> VenueSameness | None:
    """One side is letters only, or both name the same letters."""
    if cited.acronyms & known.acronyms:
        if cited.words and known.words and _measure_likeness(cited, known) < _UNLIKE:
            return VenueSameness(UNCLEAR, Reason.ACRONYM, 0.6)
        return VenueSameness(VARIANT, Reason.ACRONYM, 0.97)
    for letters, named in ((cited, known), (known, cited)):
        if letters.words or not letters.acronyms:
            continue
        if letters.series:  # known letters mean their series, whatever else they could spell
            return None
        if any(
            is_acronym_of(a, form, _list_weak_words())
            for a in letters.acronyms
            for form in (named.initials, *named.forms)
        ):
            return VenueSameness(VARIANT, Reason.ACRONYM, 0.93)
        if not named.words:
            near = any(fuzz.ratio(a, b) >= 80 for a in letters.acronyms for b in named.acronyms)
            return (
                VenueSameness(UNCLEAR, Reason.ACRONYM, 0.6)
                if near
                else VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)
            )
        if not named.series and any(is_loose_acronym(a, named.initials) for a in letters.acronyms):
            return VenueSameness(UNCLEAR, Reason.ACRONYM, 0.5)
        return VenueSameness(DIFFERS, Reason.OTHER_VENUE, 0.0)
    return None


@cache
def _list_weak_words() -> frozenset[str]:
    words = load_tables()
    return words.event | words.event_noise | words.sponsor | words.ordinal.keys() | words.date | words.place


def _measure_likeness(cited: Venue, known: Venue) -> float:
    """The share of words two names have in common, 0..1."""
    a, b = set(cited.words), set(known.words)
    if not a or not b:
        a, b = set(cited.initials), set(known.initials)
    return len(a & b) / max(len(a | b), 1)


def _is_nearly_same(cited: Venue, known: Venue) -> bool:
    """Whether two names are so alike that the difference may be a slip, or a short form made by no rule."""
    if cited.series or known.series:
        return False
    sections = any(w[0] == SECTION for w in (*cited.words, *known.words))
    if len(cited.words) == len(known.words) and not sections:
        likeness = fuzz.ratio("".join(cited.words), "".join(known.words))
        if likeness >= _CLOSE:
            return True
    short, long = sorted((_get_first_form(cited), _get_first_form(known)), key=len)
    if len(short) < _MIN_PREFIX or not any(w[-1] == "." for w in short):
        return False
    rest = iter(long)
    shared = sum(any(match_words(word, other) for other in rest) for word in short)
    return shared >= _MOST * len(short)
