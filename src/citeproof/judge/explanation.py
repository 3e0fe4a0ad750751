"""The judgement in plain words, written from the comparison; both values of every difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeproof.judge.denied_identifiers import NAMES, DeniedIdentifier, describe_denial
from citeproof.judge.verdict import Ruling
from citeproof.vocabulary import (
    Absent,
    Cause,
    Compared,
    Found,
    Mismatch,
    Outcome,
    Reach,
    Reason,
    Record,
    Reference,
    Retrieval,
    Splice,
    Unchecked,
    Verdict,
)

_SHOWN = 160  # characters of a value that are quoted

_NOT_HELD = "not in this snapshot, which does not claim to hold it"
_OTHERS = "has other works, and does not have all there are"

_CAUSES = {
    Cause.NOT_COVERED: "does not claim to hold such works",
    Cause.OFFLINE: "was not asked, because this run is offline",
    Cause.TIMEOUT: "did not answer in time",
    Cause.RATE_LIMITED: "refused for now (rate limit)",
    Cause.MALFORMED: "gave an answer that could not be read",
    Cause.TOO_LARGE: "gave an answer above the size limit",
    Cause.BOT_WALL: "answered with a bot check instead of data",
    Cause.NEEDS_KEY: "needs a key that is not set",
    Cause.OVER_BUDGET: "has no budget left today",
    Cause.BUG: "failed because of a fault in citeproof",
}


def explain_ruling(
    reference: Reference,
    ruling: Ruling,
    retrieved: Retrieval,
    mismatches: Sequence[Mismatch],
    disputed: Sequence[str] = (),
    denied: Sequence[DeniedIdentifier] = (),
) -> str:
    """Return the judgement in a few plain sentences; each denied identifier has one of its own."""
    apart = {(one.scheme, one.value, one.reason) for one in denied}
    rest = [m for m in mismatches if (m.field, m.claimed, m.reason) not in apart]
    gone = (m for m in mismatches if (m.field, m.claimed, m.reason) in apart)
    sentences = [
        _explain_verdict(reference, ruling, retrieved, rest),
        *(f"{describe_denial(m, denied)}." for m in gone),
    ]
    if ruling.verdict is not Verdict.UNCHECKED:  # which lists its causes anyway
        sentences += _describe_open_ids(reference, retrieved)
    if disputed:
        sentences.append(
            f"{' and '.join(disputed)} has another work under this identifier, against the others."
        )
    return " ".join(sentences)


def _explain_verdict(
    reference: Reference, ruling: Ruling, retrieved: Retrieval, mismatches: Sequence[Mismatch]
) -> str:
    match ruling.verdict:
        case Verdict.MATCHED:
            return _explain_match(ruling, mismatches)
        case Verdict.AMBIGUOUS:
            return (
                f"{_state_work(ruling)}, but {_join_mismatches(mismatches)}."
                f"{_describe_splices(ruling.splices)}"
            )
        case Verdict.MISMATCH:
            return _explain_mismatch(ruling, mismatches)
        case Verdict.NOT_FOUND:
            return _explain_not_found(ruling, retrieved)
        case Verdict.UNCHECKED:
            return _explain_unchecked(reference, ruling, retrieved)


def _describe_open_ids(reference: Reference, retrieved: Retrieval) -> list[str]:
    """Return a sentence for each cited identifier of which nobody could say whether it exists."""
    lookups = [x for x in retrieved.lookups if x.by in NAMES]
    answered = {
        x.by for x in lookups if isinstance(x, Found) or (isinstance(x, Absent) and x.reach is Reach.COMPLETE)
    }
    found = []
    for x in lookups:
        if isinstance(x, Unchecked) and x.reach is Reach.COMPLETE and x.by not in answered:
            cited = ", ".join(reference.claimed.ids.all(x.by))
            why = x.detail or f"{x.source} {_CAUSES[x.cause]}"
            found.append(f"{NAMES[x.by]} {_shorten_value(cited)} could not be checked ({why}).")
    return list(dict.fromkeys(found))


def _explain_match(ruling: Ruling, mismatches: Sequence[Mismatch]) -> str:
    if mismatches:
        return f"{_state_work(ruling)}, but {_join_mismatches(mismatches)}."
    assert ruling.matched is not None
    agreed = _list_agreeing_fields(ruling.matched)
    return (
        f"{agreed} {'agrees' if ' and ' not in agreed else 'agree'} with "
        f"{_name_record(ruling.matched.record)}."
    )


def _explain_mismatch(ruling: Ruling, mismatches: Sequence[Mismatch]) -> str:
    assert ruling.matched is not None
    if Reason.AUTHORS_OTHER in ruling.reasons:
        head = (
            f"A work of this title exists, {_name_record(ruling.matched.record)}, but "
            f"{_join_mismatches(mismatches)}."
        )
    else:
        by = " and ".join(by for by in ruling.matched.via if by not in {"title", "raw", "authors"})
        head = (
            f"The cited {by} leads to {_name_record(ruling.matched.record)}, which the citation does "
            "not describe"
        )
        tail = (
            "the title could not be searched"
            if Reason.TITLE_NOT_SEARCHED in ruling.reasons
            else "no other work of the cited title was found"
        )
        head = f"{head}; {tail}. In detail: {_join_mismatches(mismatches)}."
    return head + _describe_splices(ruling.splices)


def _explain_unchecked(reference: Reference, ruling: Ruling, retrieved: Retrieval) -> str:
    if Reason.WEAK_PARSE in ruling.reasons:
        return "Could not check: the title could not be told apart from the rest of the reference."
    if Reason.NO_TITLE in ruling.reasons:
        return "Could not check: the reference has no title to search for."
    if Reason.COMMON_TITLE in ruling.reasons:
        return "Could not check: several works have this title, none by these people, and there may be more."
    if Reason.TYPE_NOBODY_HOLDS in ruling.reasons:
        return "Could not check: no source holds works of this type (personal communication)."
    if Reason.NEAR_VARIANT in ruling.reasons:
        return "Could not check: a work of almost the same title was found and may be meant."
    if Reason.VERSION_NOT_HELD in ruling.reasons:
        return "Could not check: the work was found, but not the version that is cited."
    if Reason.AUTHORS_NOT_COMPARED in ruling.reasons:
        return "Could not check: the only record that has this title lists no authors to compare with."
    causes = _group_causes(x for x in retrieved.lookups if isinstance(x, Unchecked))
    causes += [f"{x.source}: {x.note}, but nobody who was asked describes it" for x in retrieved.lookups
               if isinstance(x, Found) and x.note and not x.records]  # fmt: skip
    partial = dict.fromkeys(
        f"{x.source}: {_NOT_HELD if x.source.startswith('snapshot') else _OTHERS}"
        for x in retrieved.lookups
        if isinstance(x, Found) and x.records
    )
    why = "; ".join([*causes, *(partial if not causes else ())]) or _explain_silence(retrieved)
    what = (
        ""
        if reference.kind.value in {"unknown", "article"}
        else f" (type: {reference.kind.value.replace('_', ' ')})"
    )
    return f"Could not check{what}: {why}."


def _explain_silence(retrieved: Retrieval) -> str:
    """Return why nothing follows though every source that was asked answered."""
    silent = ", ".join(dict.fromkeys(x.source for x in retrieved.lookups if isinstance(x, Absent)))
    return (
        f"{silent}: no such work, but does not claim to hold all of its kind"
        if silent
        else "no source was asked"
    )


def _group_causes(lookups: Iterable[Unchecked]) -> list[str]:
    """Return each cause once, with the sources that gave it."""
    told: dict[str, dict[str, None]] = {}
    for lookup in lookups:
        told.setdefault(lookup.detail or _CAUSES[lookup.cause], {})[lookup.source] = None
    return [f"{', '.join(sources)}: {why}" for why, sources in told.items()]


def _state_work(ruling: Ruling) -> str:
    assert ruling.matched is not None
    return f"This is {_name_record(ruling.matched.record)}"


def _name_record(record: Record) -> str:
    people = record.authors[0].family if record.authors else "no author"
    more = " et al." if len(record.authors) > 1 else ""
    year = next((str(v.year) for v in record.versions if v.year), "n.d.")
    return f"“{_shorten_value(record.title)}” ({people}{more} {year}; {record.source}, {record.id})"


def _list_agreeing_fields(compared: Compared) -> str:
    agree = [c.field for c in compared.comparisons if c.outcome in (Outcome.SAME, Outcome.VARIANT)]
    words = list(dict.fromkeys(agree)) or ["nothing"]
    text = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return text[:1].upper() + text[1:]


def _join_mismatches(mismatches: Sequence[Mismatch]) -> str:
    return "; ".join(map(_describe_mismatch, mismatches)) or "its details differ"


def _describe_mismatch(mismatch: Mismatch) -> str:
    return mismatch.reason.words.format(
        field=mismatch.field.upper() if mismatch.field in {"doi", "pmid", "isbn"} else mismatch.field,
        claimed=_shorten_value(mismatch.claimed),
        resolved=_shorten_value(mismatch.resolved) or "nothing",
        detail=mismatch.detail
        or f"cited {_shorten_value(mismatch.claimed)}; the record has {_shorten_value(mismatch.resolved)}",
    )


def _describe_splices(splices: Sequence[Splice]) -> str:
    if not splices:
        return ""
    parts = [f"{' and '.join(s.fields)} of {_name_record(s.record)}" for s in splices]
    return f" It seems to be put together from {', '.join(parts)}."


def _explain_not_found(ruling: Ruling, retrieved: Retrieval) -> str:
    """Return where the work was looked for; any source counts where a cited identifier does not exist."""
    any_type = Reason.IDENTIFIER_DENIED in ruling.reasons
    searched = [x for x in retrieved.lookups if isinstance(x, Found | Absent) and x.by in ("title", "raw")]
    counted = [x.source for x in searched if any_type or x.reach is not Reach.PARTIAL]
    asked = ", ".join(dict.fromkeys(counted)) or "none"
    if any_type:
        return f"Not found in any source that answered (asked: {asked})."
    return f"Not found in any source that covers this kind of work (asked: {asked})."


def _shorten_value(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
