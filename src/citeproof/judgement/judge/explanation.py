"""The judgement in plain words, written from the comparison.

`explain_ruling` is alone: it names the record and both values of every difference. `summarize_ruling` is
for reports that show the record, the differences and the answers next to it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from citeproof.judgement.judge.absence import (
    SEARCHES,
    DeniedIdentifier,
    describe_denial,
    find_searched,
    find_silent,
    is_proceedings_list,
)
from citeproof.judgement.judge.verdict import Ruling
from citeproof.vocabulary import (
    COULD_NOT_CHECK,
    DAMAGED,
    ID_NAMES,
    MEMORY,
    Absent,
    Cause,
    Compared,
    Found,
    Lookup,
    Mismatch,
    Reach,
    Reason,
    Record,
    Reference,
    Retrieval,
    Unchecked,
    Verdict,
    find_unconfirmed,
)

_SHOWN = 160  # characters of a value that are quoted

_NOWHERE = "Not found in any source that answered"
_NOT_HELD = "not in this snapshot, which does not claim to hold it"
_OTHERS = "has only other works, and does not claim to be complete"
NOT_LISTED = "not in its list of these proceedings: a workshop paper, or invented"
_INCOMPLETE = "no such work, but it does not claim to be complete"

_OBSTACLES = {
    Reason.WEAK_PARSE: "the title could not be separated from the rest of the reference",
    Reason.NO_TITLE: "no title was found in the reference (`citeproof parse` shows how it was read)",
    Reason.COMMON_TITLE: "several works have this title, none by these authors, and there may be more",
    Reason.DAMAGED_TEXT: "the text looks damaged{read}; pass --encoding, or save the file as UTF-8",
    Reason.LANGUAGE_NOT_COVERED: "the sources that were asked hold few works with titles in this script",
    Reason.OTHER_SCRIPT: "the record is in another language, so that the title could not be compared",
    Reason.TYPE_NOBODY_HOLDS: "no source covers works of this type (personal communication)",
    Reason.NEAR_VARIANT: "a work with almost the same title was found and may be the one meant",
    Reason.VERSION_NOT_HELD: "the work was found, but not the cited version",
    Reason.AUTHORS_NOT_COMPARED: "the only record of this title has no authors to compare with, or is poor",
}


@dataclass(frozen=True, slots=True)
class JudgementGrounds:
    """What a judgement is explained from."""

    reference: Reference
    ruling: Ruling
    retrieved: Retrieval
    mismatches: Sequence[Mismatch]
    notes: Sequence[Mismatch]
    disputed: Sequence[str]
    denied: Sequence[DeniedIdentifier]
    compared: Sequence[Compared]


def explain_ruling(grounds: JudgementGrounds) -> str:
    """Return the judgement in a few plain sentences; each denied identifier has its own sentence."""
    ruling, retrieved = grounds.ruling, grounds.retrieved
    apart = {(one.scheme, one.value, one.reason) for one in grounds.denied}
    rest = [m for m in grounds.mismatches if (m.field, m.claimed, m.reason) not in apart]
    match ruling.verdict:
        case Verdict.MATCHED:
            told = _explain_match(ruling, rest, grounds.notes)
        case Verdict.AMBIGUOUS:
            assert ruling.matched is not None
            work, differing = _name_record(ruling.matched.record), _join_mismatches(rest)
            mixed = "" if _is_whole(ruling) else _describe_splices(ruling)
            told = f"This is {work}, but {differing}.{mixed}"
        case Verdict.MISMATCH:
            told = _explain_mismatch(grounds, rest)
        case Verdict.NOT_FOUND:
            told = _explain_not_found(ruling, retrieved)
        case Verdict.UNCHECKED:
            told = _explain_unchecked(grounds.reference, ruling, retrieved)
    return " ".join([told, *_list_remarks(grounds)])


def summarize_ruling(grounds: JudgementGrounds) -> str:
    """Return what the record, the differences and the answers do not show by themselves."""
    ruling, shown = grounds.ruling, {m.resolved for m in grounds.mismatches}
    match ruling.verdict:
        case Verdict.MATCHED:
            verdict = ""
        case Verdict.AMBIGUOUS:
            verdict = _describe_splices(ruling, shown)
        case Verdict.MISMATCH:
            assert ruling.matched is not None
            verdict = "A work with this title exists, but by other authors."
            if Reason.AUTHORS_OTHER not in ruling.reasons:
                verdict = _describe_owner(grounds, _name_record(ruling.matched.record, shown))
            verdict += _describe_splices(ruling, shown)
        case Verdict.NOT_FOUND:
            verdict = f"{_summarize_not_found(ruling, grounds.retrieved)}."
        case Verdict.UNCHECKED:
            verdict = _find_obstacle(grounds.reference, ruling) or _describe_type(grounds.reference)
            verdict = f"{verdict[:1].upper()}{verdict[1:]}." if verdict else ""
    return " ".join([verdict, *_list_remarks(grounds)]).strip()


def _list_remarks(grounds: JudgementGrounds) -> list[str]:
    """Return a sentence for each identifier that is denied, could not be checked, or is disputed."""
    ruling, disputed = grounds.ruling, grounds.disputed
    apart = {(one.scheme, one.value, one.reason) for one in grounds.denied}
    gone = (m for m in grounds.mismatches if (m.field, m.claimed, m.reason) in apart)
    sentences = [f"{describe_denial(m, grounds.denied)}." for m in gone]
    if recalled := _describe_recall(ruling, grounds.retrieved):
        sentences.append(recalled)
    if ruling.verdict is not Verdict.UNCHECKED:  # which lists its causes anyway
        sentences += _describe_open_ids(grounds)
    if disputed:
        verb = "has" if len(disputed) == 1 else "have"
        sentences.append(
            f"{' and '.join(disputed)} {verb} another work under this identifier; the other sources disagree."
        )
    return sentences


def _describe_recall(ruling: Ruling, retrieved: Retrieval) -> str:
    """Return since when the memory has had the work, if nobody else was asked; else nothing."""
    dates = [x.heard[0].at for x in retrieved.lookups if x.source == MEMORY and x.heard]
    if not dates or ruling.matched is None:
        return ""
    source = ruling.matched.record.source
    return f"From memory: {source} had it when it was judged on {min(dates)[:10]}, and was not asked again."


def _describe_open_ids(grounds: JudgementGrounds) -> list[str]:
    """Return a sentence for each cited identifier that could not be checked, or that nothing confirms."""
    said = {m.field for m in (*grounds.mismatches, *grounds.notes)}
    lookups = [x for x in grounds.retrieved.lookups if x.by in ID_NAMES]
    answered = {
        x.by for x in lookups if isinstance(x, Found) or (isinstance(x, Absent) and x.reach is Reach.COMPLETE)
    }
    found = []
    for x in lookups:
        if isinstance(x, Unchecked) and x.reach is Reach.COMPLETE and x.by not in answered:
            cited = ", ".join(grounds.reference.claimed.ids.all(x.by))
            why = x.detail or f"{x.source}: {x.cause.words}"
            found.append(f"{ID_NAMES[x.by]} {_shorten_value(cited)} could not be checked ({why}).")
            said.add(x.by)
    if grounds.ruling.verdict is Verdict.MATCHED:
        for c in find_unconfirmed(grounds.ruling.matched, grounds.compared):
            named = f"{ID_NAMES.get(c.field, c.field)} {_shorten_value(c.claimed)}"
            found += [f"{named} is not confirmed: no record of the work has one."] * (c.field not in said)
    return list(dict.fromkeys(found))


def _explain_match(ruling: Ruling, mismatches: Sequence[Mismatch], notes: Sequence[Mismatch]) -> str:
    """Return what agrees and what differs: no field is said to agree that has a note."""
    assert ruling.matched is not None
    record, differing = _name_record(ruling.matched.record), {note.field for note in notes}
    agree = (c.field for c in ruling.matched.comparisons if c.outcome.agrees)
    *words, last = [word for word in dict.fromkeys(agree) if word not in differing] or ["nothing"]
    agreed = f"{', '.join(words)} and {last} agree" if words else f"{last} agrees"
    told = f"This is {record}, but {_join_mismatches(mismatches)}."
    if not mismatches:
        told = f"{agreed[:1].upper()}{agreed[1:]} with {record}."
    noted = f" Please check: {_join_mismatches(notes)}."
    if any(note.reason != Reason.OTHER_SCRIPT for note in notes):
        noted += " Another version or the record may be the cause."
    return f"{told}{noted if notes else ''}"


def _explain_mismatch(grounds: JudgementGrounds, mismatches: Sequence[Mismatch]) -> str:
    ruling = grounds.ruling
    assert ruling.matched is not None
    record = _name_record(ruling.matched.record)
    if Reason.AUTHORS_OTHER in ruling.reasons:
        head = f"A work with this title exists, {record}, but {_join_mismatches(mismatches)}."
    else:
        differing = _join_mismatches(mismatches)
        head = f"{_describe_owner(grounds, record)} {differing[:1].upper()}{differing[1:]}."
    return head + _describe_splices(ruling)


def _describe_owner(grounds: JudgementGrounds, owner: str) -> str:
    """Return whose the cited identifiers are, and where a work with the cited title was searched for."""
    matched, lookups = grounds.ruling.matched, grounds.retrieved.lookups
    assert matched is not None
    asked = [by for by in matched.via if by not in {"title", "raw", "authors"}]
    cited = (f"{ID_NAMES.get(by, by)} {c.claimed if (c := matched.of(by)) else ''}" for by in asked)
    named = " and ".join(_shorten_value(one.strip()) for one in cited)
    held = [x for x in lookups if x.by in SEARCHES and x.source.startswith("snapshot")]
    found, unsearched = "no work with the cited title was found", "the title could not be searched"
    whole = any(x.reach is Reach.COMPLETE for x in held)
    if not whole and find_searched(lookups) <= {MEMORY, *(x.source for x in held)}:
        searched = any(not isinstance(x, Unchecked) or x.cause is Cause.NOT_COVERED for x in held)
        found = f"{found} in the snapshot; no registry answered" if searched else unsearched
    return f"The {named} belong{'' if len(asked) > 1 else 's'} to {owner}, not to this title; {found}."


def _explain_unchecked(reference: Reference, ruling: Ruling, retrieved: Retrieval) -> str:
    if obstacle := _find_obstacle(reference, ruling):
        return f"{COULD_NOT_CHECK.capitalize()}: {obstacle}."
    kind = _describe_type(reference)
    alike: dict[str, dict[str, None]] = {}
    for lookup, why in find_causes(retrieved.lookups):
        alike.setdefault(why, {})[lookup.source] = None
    causes = "; ".join(f"{', '.join(sources)}: {why}" for why, sources in alike.items())
    named = f" ({kind})" if kind else ""
    return f"{COULD_NOT_CHECK.capitalize()}{named}: {causes or 'no source was asked'}."


def _find_obstacle(reference: Reference, ruling: Ruling) -> str:
    """Return why nothing can be decided whatever the sources answer, if there is such a reason."""
    if Reason.NOT_IN_PROCEEDINGS in ruling.reasons:
        place = f"{_shorten_value(reference.claimed.venue or '')} {reference.claimed.year or ''}".strip()
        return f"not among the papers of {place}: a workshop paper, or invented"
    words = next((words for reason, words in _OBSTACLES.items() if reason in ruling.reasons), "")
    codes = (code.removeprefix(DAMAGED) for code in reference.suspicious if code.startswith(DAMAGED))
    return words.replace("{read}", next((f" (read as {encoding})" for encoding in codes), ""))


def _describe_type(reference: Reference) -> str:
    kind = reference.kind.value
    return "" if kind in {"unknown", "article"} else f"type: {kind.replace('_', ' ')}"


def find_causes(lookups: Sequence[Lookup]) -> list[tuple[Lookup, str]]:
    """Return the lookups that kept a reference from being decided, each with the reason.

    What could not be asked comes first; other works found count only without that, and silence last.
    """
    open_ = [(x, x.detail or x.cause.words) for x in lookups if isinstance(x, Unchecked)]
    found = [x for x in lookups if isinstance(x, Found)]
    noted = [(x, f"{x.note}, but no source describes it") for x in found if x.note and not x.records]
    listed = [(x, NOT_LISTED) for x in lookups if is_proceedings_list(x)]
    similar = [(x, _NOT_HELD if x.source.startswith("snapshot") else _OTHERS) for x in found if x.records]
    silent = [(x, _INCOMPLETE) for x in lookups if isinstance(x, Absent)]
    return [*open_, *noted, *listed] or [*similar] or [*silent]


def _name_record(record: Record, shown: Collection[str] | None = None) -> str:
    """Return a record in words, with its id; in brief, without the titles that are `shown` elsewhere."""
    if shown is not None and record.title in shown:
        return cite_briefly(record)
    own = "" if shown is not None else f"; {record.source}, {record.id}"
    return f"“{_shorten_value(record.title)}” ({cite_briefly(record)}{own})"


def cite_briefly(record: Record) -> str:
    """Return a record as people cite it: `Finn et al. 2017`."""
    people = record.authors[0].family if record.authors else "no author"
    more = " et al." if len(record.authors) > 1 else ""
    year = next((str(v.year) for v in record.versions if v.year), "n.d.")
    return f"{people}{more} {year}"


def _join_mismatches(mismatches: Sequence[Mismatch]) -> str:
    return "; ".join(map(_describe_mismatch, mismatches)) or "its details differ"


def _describe_mismatch(mismatch: Mismatch) -> str:
    return mismatch.reason.words.format(
        field=ID_NAMES.get(mismatch.field, mismatch.field),
        differs="differ" if mismatch.field in ("authors", "pages") else "differs",
        claimed=_shorten_value(mismatch.claimed),
        resolved=_shorten_value(mismatch.resolved) or "nothing",
        detail=mismatch.detail
        or f"cited {_shorten_value(mismatch.claimed)}; the record has {_shorten_value(mismatch.resolved)}",
    )


def _describe_splices(ruling: Ruling, shown: Collection[str] | None = None) -> str:
    """Return which fields come from which work, in brief where titles are shown elsewhere already."""
    if not ruling.splices:
        return ""
    mine = ruling.matched.record if ruling.matched else None
    works = ["this work" if s.record == mine else _name_record(s.record, shown) for s in ruling.splices]
    named = [
        (" and ".join(ID_NAMES.get(f, f) for f in s.fields), work)
        for s, work in zip(ruling.splices, works, strict=True)
    ]
    if _is_whole(ruling):
        strays = ((fields.removesuffix(" and authors"), work) for fields, work in named[1:])
        return " ".join(f"The {fields} belongs to {work}, not to this title." for fields, work in strays)
    parts = ", ".join(f"{fields} of {work}" for fields, work in named)
    return f" The citation seems to mix several works: {parts}."


def _is_whole(ruling: Ruling) -> bool:
    """Return whether title and authors are of one work: then nothing but identifiers is another's."""
    return bool(ruling.splices) and {"title", "authors"} <= set(ruling.splices[0].fields)


def _explain_not_found(ruling: Ruling, retrieved: Retrieval) -> str:
    """Return where the work was searched for, and who of those that were asked did not answer."""
    head, silent = _summarize_not_found(ruling, retrieved), find_silent(retrieved.lookups)
    answered = [x for x in retrieved.lookups if not isinstance(x, Unchecked)]
    searched = [x for x in answered if x.by in SEARCHES] or answered  # an identifier may be all that is cited
    counted = [x.source for x in searched if head == _NOWHERE or x.reach is not Reach.PARTIAL]
    missing = f"; no answer: {', '.join(silent)}" if silent else ""
    return f"{head} (asked: {', '.join(dict.fromkeys(counted))}{missing})."


def _summarize_not_found(ruling: Ruling, retrieved: Retrieval) -> str:
    """Return that it was not found, for no source that may cover it and did not answer."""
    if Reason.IDENTIFIER_DENIED in ruling.reasons or find_silent(retrieved.lookups):
        return _NOWHERE
    return "Not found in any source that covers this kind of work"


def _shorten_value(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
