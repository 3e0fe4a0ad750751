"""From compared candidates and answered questions to one verdict, by rules that always hold.

1. Candidates are sorted by what they are to the reference (`identity`).
2. An identifier that leads to another work is counted against the citation: `ambiguous` when the
   cited title is a real work of its own, else `mismatch`.
3. The work itself, found by identifier or title, gives `matched`.
4. The title with entirely other authors gives `mismatch`.
5. Only when every source required for it answered, and none has it: `not_found`.
6. Everything else is `unchecked`. No evidence is never a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.judgement.judge.absence import (
    INDEPENDENT,
    SEARCHES,
    find_denied_identifiers,
    find_searched,
    is_hardly_covered,
    is_missing_in_proceedings,
    is_widely_searched,
    may_exist,
    proves_absence,
)
from citeproof.judgement.judge.identity import (
    SURE_PEOPLE,
    Identity,
    get_comparison,
    identify_candidate,
    is_distinctive,
    is_doubtful,
    is_identified,
    is_sibling,
)
from citeproof.text import title as titles
from citeproof.text.character_encoding import is_damaged
from citeproof.vocabulary import (
    DAMAGED,
    ID_ORDER,
    LISTED,
    WORK_IDS,
    Compared,
    Kind,
    Lookup,
    Outcome,
    Reach,
    Reason,
    Record,
    Reference,
    Splice,
    Unchecked,
    Verdict,
)

MISTYPED_TITLE = 0.75  # how alike titles must be where a mistyped identifier speaks for the work
_MISTYPED_OF_SAME = 0.55  # the same, where the people are its own
SAME_LETTERS = 0.985  # title similarity from which a record may be the cited work after all
SURE_TITLE = 0.7  # below this the title may be our parser's mistake, and absence proves nothing
_OF_ONE_WORK = ("doi", "arxiv", "pmid")
_SHARED_TITLE = 5  # words of a title that two works may well have
_SAME_CREW = 0.5  # the share of people from which records with one main title are of one work
_TWIN = 0.8  # how alike the titles of one work are that is held twice
_NAMED = 4  # letters of a name that a work has before the colon of its title


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict with the candidate it rests on and the reasons that led to it."""

    verdict: Verdict
    matched: Compared | None
    reasons: tuple[Reason, ...]
    strays: tuple[Compared, ...] = ()  # other works that the cited identifiers lead to
    splices: tuple[Splice, ...] = ()


def make_ruling(reference: Reference, lookups: Sequence[Lookup], compared: Sequence[Compared]) -> Ruling:
    """Return the verdict that the evidence allows."""
    ranked = _prefer_registries([(identify_candidate(reference, c), c) for c in compared])
    meant = _prefer_listed_people(
        _find_first(ranked, Identity.SAME) or _find_first(ranked, Identity.NEAR), ranked
    )
    meant = meant or _find_mistyped_work(reference, lookups, ranked)
    strays = tuple(
        c
        for i, c in ranked
        if is_identified(reference, c)
        and i < Identity.NEAR
        and not (_is_kin(c, meant) or _includes_work(c, meant, ranked))
    )
    apart = tuple(stray for stray in strays if not _is_twin(stray))
    if meant is not None and not apart and _lacks_version(reference, meant):
        return Ruling(Verdict.UNCHECKED, None, (Reason.VERSION_NOT_HELD,))
    others = () if meant is None else _find_other_works(reference, ranked, meant) or apart
    if meant is not None and not others and _is_unproven(reference, lookups, meant):
        return Ruling(Verdict.UNCHECKED, None, (Reason.NEAR_VARIANT,))
    alone = meant is not None and {c.field for c in meant.comparisons if c.outcome.agrees} <= {"title"}
    if meant is not None and alone and _names_own_work(reference, lookups, meant, strays):
        return Ruling(Verdict.UNCHECKED, None, (Reason.TOO_FEW_ANSWERS,))
    if meant is not None:
        return _rule_found_work(reference, meant, others)
    titled = _find_first(ranked, Identity.TITLE_ONLY)
    if titled is not None and _names_own_work(reference, lookups, titled, strays):
        return Ruling(Verdict.UNCHECKED, None, (Reason.TOO_FEW_ANSWERS,))
    if titled is not None:
        splices = _collect_splices(titled, strays, ranked)
        return Ruling(Verdict.MISMATCH, titled, (Reason.AUTHORS_OTHER,), strays, splices)
    if strays and not find_searched(lookups) and all(_is_hearsay(reference, one) for one in strays):
        return Ruling(Verdict.UNCHECKED, None, (Reason.TOO_FEW_ANSWERS,))
    if strays and not is_widely_searched(lookups) and _has_open_identifier(reference, lookups, strays):
        return Ruling(Verdict.UNCHECKED, None, (Reason.TOO_FEW_ANSWERS,))
    if strays and all(map(_may_be_renamed, strays)):
        return Ruling(Verdict.UNCHECKED, None, (Reason.VERSION_NOT_HELD,))
    if strays and all(map(_may_be_translated, strays)):
        return Ruling(Verdict.UNCHECKED, None, (Reason.OTHER_SCRIPT,))
    if strays:
        open_ = () if find_searched(lookups) else (Reason.TITLE_NOT_SEARCHED,)
        reasons = (Reason.IDENTIFIER_OF_OTHER_WORK, *open_)
        return Ruling(Verdict.MISMATCH, strays[0], reasons, strays, _collect_splices(None, strays, ranked))
    if _has_namesakes(reference, lookups, compared):
        return Ruling(Verdict.UNCHECKED, None, (Reason.COMMON_TITLE,))
    return _rule_nothing_found(reference, lookups, compared)


def is_damaged_reference(reference: Reference) -> bool:
    """Return whether the words of a citation may not be those that its author wrote."""
    claimed = reference.claimed
    words = (claimed.title or "", claimed.venue or "", *(name.display for name in claimed.authors))
    return any(code.startswith(DAMAGED) for code in reference.suspicious) or any(map(is_damaged, words))


def _is_unproven(reference: Reference, lookups: Sequence[Lookup], meant: Compared) -> bool:
    """Return whether a near miss may be another work, and the cited one may exist where nobody looked."""
    if is_doubtful(reference, meant):
        return True
    if not is_sibling(reference, meant) or proves_absence(lookups) or is_widely_searched(lookups):
        return False
    return not find_denied_identifiers(reference, lookups)  # an identifier that is nobody's names no work


def _find_mistyped_work(
    reference: Reference, lookups: Sequence[Lookup], ranked: Sequence[tuple[Identity, Compared]]
) -> Compared | None:
    """Return the work with almost the cited title if the cited identifier is a typo of its own."""
    denied = {one.scheme for one in find_denied_identifiers(reference, lookups) if one.registry}
    for _, one in ranked if denied else ():
        slips = any(c.field in denied and c.similarity > 0.0 for c in one.comparisons)
        enough = _MISTYPED_OF_SAME if get_comparison(one, "authors").outcome.agrees else MISTYPED_TITLE
        if slips and get_comparison(one, "title").similarity >= enough:
            return one
    return None


def _names_own_work(
    reference: Reference, lookups: Sequence[Lookup], titled: Compared, strays: Sequence[Compared]
) -> bool:
    """Return whether the citation names a work of its own by an identifier that nobody could look up.

    Two works may have one short title: the record of the other one proves nothing about this one. Nor does
    that of a list without any identifier, which may have put other people next to the title.
    """
    listed = any(mark.startswith(LISTED) for mark in titled.record.marks)
    by_hand = listed and not titled.record.ids.pairs and titled.standing != "good"
    if len((reference.claimed.title or "").split()) > _SHARED_TITLE and not by_hand:
        return False
    led = strays or is_identified(reference, titled)
    return not led and _has_open_identifier(reference, lookups, ())


def _has_open_identifier(reference: Reference, lookups: Sequence[Lookup], strays: Sequence[Compared]) -> bool:
    """Return whether an identifier is cited that leads to no other work, and that nobody denies."""
    led = {by for stray in strays for by in stray.via}
    cited = {by for by in _OF_ONE_WORK if reference.claimed.ids.all(by)} - led
    return bool(cited) and not find_denied_identifiers(reference, lookups)


def _may_be_renamed(stray: Compared) -> bool:
    """Return whether a preprint's first version may have had the cited title, and fewer authors.

    Where only its publication is known and a few of its people are cited, they tell nothing.
    """
    authors = get_comparison(stray, "authors")
    if "arxiv" not in stray.via:
        return False
    published = not any(v.kind is Kind.PREPRINT for v in stray.record.versions)
    few = authors.reason == Reason.ET_AL and published and len(stray.record.authors) > 1
    return few or authors.reason == Reason.AUTHORS_MISSING


def _may_be_translated(stray: Compared) -> bool:
    """Return whether letters cannot tell a title from the cited one, and nothing else contradicts."""
    rest = (get_comparison(stray, name).outcome for name in ("authors", "year", "venue"))
    return get_comparison(stray, "title").reason == Reason.OTHER_SCRIPT and Outcome.DIFFERS not in rest


def _is_hearsay(reference: Reference, compared: Compared) -> bool:
    """Return whether all that is known of a record is what compiled lists say, none of them a careful one.

    A list may have put the identifier of one work next to another. It has not where the cited people and
    their year or venue are those of its record: then only the title is another one.
    """
    listed = any(mark.startswith(LISTED) for mark in compared.record.marks)
    if not listed or compared.standing == "good":
        return False
    if get_comparison(compared, "title").reason != Reason.OTHER_TITLE:
        return True
    alike = get_comparison(compared, "authors").outcome.agrees
    return not alike or not _names_place(reference, compared.record)


def _names_place(reference: Reference, record: Record) -> bool:
    """Return whether a version of the record has the cited year or venue, to the letter."""
    claimed = reference.claimed
    venue = titles.make_title_key(claimed.venue or "")
    return any(
        (claimed.year is not None and one.year == claimed.year)
        or (venue and titles.make_title_key(one.venue or "") == venue)
        for one in record.versions
    )


def _prefer_listed_people(
    meant: Compared | None, ranked: Sequence[tuple[Identity, Compared]]
) -> Compared | None:
    """Return the record of the work that lists all people, where the best one lists some or none."""
    if meant is None or not _lacks_people(meant):
        return meant
    listed = [(i, c) for i, c in ranked if _is_kin(c, meant) and not _lacks_people(c)]
    # none: whichever record lists them lists others
    return next((c for i, c in listed if i >= Identity.NEAR), None) if listed else meant


def _lacks_people(compared: Compared) -> bool:
    return get_comparison(compared, "authors").reason in (Reason.RECORD_HAS_NONE, Reason.RECORD_TRUNCATED)


def _lacks_version(reference: Reference, meant: Compared) -> bool:
    """Return whether the work is known, but not the version that is cited: elsewhere, in another year."""
    if is_identified(reference, meant):
        return False
    venue = get_comparison(meant, "venue")
    elsewhere = venue.outcome is Outcome.DIFFERS and not venue.convicts
    apart = (meant.of(name) for name in ("year", "doi"))
    return elsewhere and any(c is not None and c.outcome is Outcome.DIFFERS for c in apart)


def _prefer_registries(ranked: list[tuple[Identity, Compared]]) -> list[tuple[Identity, Compared]]:
    """Drop web pages if a registry has the work: a page is weaker evidence."""
    registries = [(i, c) for i, c in ranked if "web" not in c.record.marks]
    return registries if any(i is not Identity.OTHER for i, _ in registries) else ranked


def _has_namesakes(reference: Reference, lookups: Sequence[Lookup], compared: Sequence[Compared]) -> bool:
    """Return whether other people's works of the same common title may have crowded out the cited one."""
    if is_distinctive(reference.claimed.title or "") or any(
        not isinstance(x, Unchecked) and x.by in SEARCHES and x.reach is Reach.COMPLETE for x in lookups
    ):
        return False
    return any(map(_is_titled_alike, compared))


def _find_first(ranked: Sequence[tuple[Identity, Compared]], wanted: Identity) -> Compared | None:
    return next((c for i, c in ranked if i is wanted), None)


def _is_kin(a: Compared, b: Compared | None) -> bool:
    return b is not None and bool(a.record.work) and a.record.work == b.record.work


def _includes_work(
    volume: Compared, meant: Compared | None, ranked: Sequence[tuple[Identity, Compared]]
) -> bool:
    """Return whether a record is the volume in which the work meant appeared: its title is the venue."""
    title, kin = (
        titles.make_title_key(volume.record.title),
        (c for _, c in ranked if c is meant or _is_kin(c, meant)),
    )
    return any(title == titles.make_title_key(v.venue or "") for c in kin for v in c.record.versions)


def _find_other_works(
    reference: Reference, ranked: Sequence[tuple[Identity, Compared]], meant: Compared
) -> tuple[Compared, ...]:
    """Near misses that an identifier leads to while the cited title is, exactly, another real work."""
    if is_identified(reference, meant):
        return ()
    led = [c for _, c in ranked if is_identified(reference, c) and c is not meant]
    return tuple(c for c in led if not (_is_kin(c, meant) or _includes_work(c, meant, ranked) or _is_twin(c)))


def _is_twin(compared: Compared) -> bool:
    """Return whether a record also describes the cited work: its title lost a symbol or its subtitle.

    A preprint that was renamed keeps its people and the name before the colon: "UniFormerV2: …".
    """
    title, authors = get_comparison(compared, "title"), get_comparison(compared, "authors")
    if not authors.similarity:
        return False
    if title.outcome.agrees:
        return True
    if authors.similarity >= _SAME_CREW and titles.has_main_title(title.claimed, title.resolved):
        return True
    if not authors.outcome.agrees:
        return False
    if title.similarity >= _TWIN and not title.convicts:
        return True
    mine, theirs = (text.partition(":")[0].strip().lower() for text in (title.claimed, title.resolved))
    return mine == theirs and len(mine) >= _NAMED and " " not in mine and ":" in title.claimed


def _rule_found_work(reference: Reference, meant: Compared, strays: tuple[Compared, ...]) -> Ruling:
    if not strays:
        return Ruling(Verdict.MATCHED, meant, (Reason.WORK_IDENTIFIED,))
    if is_identified(reference, meant) and not _is_first_id_stray(reference, meant, strays):
        return Ruling(Verdict.MATCHED, meant, (Reason.WORK_IDENTIFIED, Reason.ONE_IDENTIFIER_WRONG), strays)
    described = ("title", "authors") if _has_same_people(meant) else ("title",)
    splices = (Splice(described, meant.record), *_collect_id_splices(strays))
    return Ruling(Verdict.AMBIGUOUS, meant, (Reason.IDENTIFIER_OF_OTHER_WORK,), strays, splices)


def _is_first_id_stray(reference: Reference, meant: Compared, strays: Sequence[Compared]) -> bool:
    """Return whether the first of the cited identifiers, which decides, is another work's."""
    cited = {scheme for scheme, _ in reference.claimed.ids.pairs}
    first = next((scheme for scheme in ID_ORDER if scheme in cited and scheme in WORK_IDS), "")
    return first not in meant.via and any(first in stray.via for stray in strays)


def _collect_splices(
    titled: Compared | None, strays: Sequence[Compared], ranked: Sequence[tuple[Identity, Compared]]
) -> tuple[Splice, ...]:
    """Return the real works that a mixed citation was made from; one work alone is not a mix."""
    parts: list[Splice] = []
    if titled is not None:
        parts.append(Splice(("title",), titled.record))
    people = next((c for _, c in ranked if _has_same_people(c) and c is not titled), None)
    if people is not None and not any(map(_has_same_people, strays)):
        parts.append(Splice(("authors",), people.record))
    parts.extend(_collect_id_splices(strays))
    return tuple(parts) if len({_name_work(part.record) for part in parts}) > 1 else ()


def _collect_id_splices(strays: Sequence[Compared]) -> tuple[Splice, ...]:
    """Return the works that the identifiers lead to, each once, from any source."""
    each: dict[str, Splice] = {}
    for c in strays:
        by = (by for by in c.via if by in ID_ORDER)
        part = Splice((*by, *(("authors",) if _has_same_people(c) else ())), c.record)
        each.setdefault(_name_work(c.record), part)
    return tuple(each.values())


def _name_work(record: Record) -> str:
    return record.work or f"{record.source}/{record.id}"


def _has_same_people(compared: Compared) -> bool:
    return get_comparison(compared, "authors").similarity >= 0.8


def _is_titled_alike(compared: Compared) -> bool:
    return get_comparison(compared, "title").outcome.agrees


def _rule_nothing_found(
    reference: Reference, lookups: Sequence[Lookup], compared: Sequence[Compared]
) -> Ruling:
    if _is_nowhere_at_all(reference, lookups, compared):
        return Ruling(Verdict.NOT_FOUND, None, (Reason.NO_SOURCE_HAS_IT, Reason.IDENTIFIER_DENIED))
    untitled = not titles.make_title_key(reference.claimed.title or "")
    known = reference.claimed.ids.pairs or reference.claimed.volume  # a place can be looked up as well
    proven = proves_absence(lookups)
    if not (proven or is_missing_in_proceedings(lookups)) and not (untitled and not known):
        return Ruling(Verdict.UNCHECKED, None, (Reason.TOO_FEW_ANSWERS,))
    if reference.kind is Kind.PERSONAL_COMMUNICATION:
        return Ruling(Verdict.UNCHECKED, None, (Reason.TYPE_NOBODY_HOLDS,))
    if untitled:
        return Ruling(Verdict.UNCHECKED, None, (Reason.NO_TITLE,))
    if any(_is_near_variant(c, searched=is_widely_searched(lookups)) for c in compared):
        return Ruling(Verdict.UNCHECKED, None, (Reason.NEAR_VARIANT,))
    if reference.claimed.confidence("title") < SURE_TITLE:
        if not _is_clear_citation(reference) or not _is_nowhere_in_text(lookups, compared):
            return Ruling(Verdict.UNCHECKED, None, (Reason.WEAK_PARSE,))
        return Ruling(Verdict.NOT_FOUND, None, (Reason.NO_SOURCE_HAS_IT, Reason.WEAK_PARSE))
    if is_hardly_covered(reference.claimed.title or "", lookups):
        return Ruling(Verdict.UNCHECKED, None, (Reason.LANGUAGE_NOT_COVERED,))
    if not proven:
        return Ruling(Verdict.UNCHECKED, None, (Reason.NOT_IN_PROCEEDINGS,))
    return Ruling(Verdict.NOT_FOUND, None, (Reason.NO_SOURCE_HAS_IT,))


def _is_nowhere_at_all(reference: Reference, lookups: Sequence[Lookup], compared: Sequence[Compared]) -> bool:
    """Return whether a cited identifier does not exist and no source that answered has the title either.

    Then the type of work does not matter. Two independent sources must have answered; another identifier
    that exists, or whose registry did not answer, leaves it open.
    """
    claimed = reference.claimed
    denied = [one for one in find_denied_identifiers(reference, lookups) if one.counts_against_work]
    if not denied or any(may_exist(x) for x in lookups if x.by not in SEARCHES):
        return False
    if not titles.make_title_key(claimed.title or ""):
        alone = not (claimed.authors or claimed.venue or claimed.volume)  # only the identifier is cited
        return alone and any(one.registry for one in denied)
    if len(find_searched(lookups)) < INDEPENDENT:
        return False
    return not any(map(_is_titled_alike, compared))


def _is_near_variant(compared: Compared, *, searched: bool) -> bool:
    """Return whether a record may be the cited work after all.

    Its title has the cited one's letters and yet differs, or another subtitle, by the same people in the same
    venue. Where several registries were `searched`, no work has that subtitle.
    """
    title = get_comparison(compared, "title")
    if title.outcome is not Outcome.DIFFERS:
        return False
    same = all(get_comparison(compared, name).outcome.agrees for name in ("authors", "venue"))
    return title.similarity >= SAME_LETTERS or (
        same and not searched and titles.have_same_main_title(title.claimed, title.resolved)
    )


def _is_clear_citation(reference: Reference) -> bool:
    """Return whether authors and year were parsed with certainty: prose about a work is not a citation."""
    claimed = reference.claimed
    sure = min(claimed.confidence("authors"), claimed.confidence("year")) >= SURE_PEOPLE
    return bool(claimed.authors and claimed.year) and sure


def _is_nowhere_in_text(lookups: Sequence[Lookup], compared: Sequence[Compared]) -> bool:
    """Return whether a complete source was searched for the whole text, and no title is in it.

    Then it does not matter where the parser put the limits of the title.
    """
    whole = any(x.by == "raw" and not isinstance(x, Unchecked) and x.reach is Reach.COMPLETE for x in lookups)
    return whole and not any(map(_is_titled_alike, compared))
