"""What a reader of a verdict must not overlook, in sentences: wrong identifiers, integrity findings."""

from __future__ import annotations

from citeproof.vocabulary import (
    ID_NAMES,
    ID_ORDER,
    WORK_IDS,
    Checked,
    FindingState,
    Mismatch,
    Outcome,
    Reason,
    Verdict,
)

_WRONG = {Reason.NOT_REGISTERED: "does not exist", Reason.MALFORMED: "is malformed"}


def list_caveats(checked: Checked) -> list[str]:
    """Return the caveats of a verdict, the identifiers first; empty where there is nothing to add."""
    judgement = checked.judgement
    told = [_describe_identifier(one) for one in judgement.mismatches if one.field in ID_ORDER]
    if judgement.verdict is Verdict.MATCHED:
        told += [
            f"The record has {'other' if one.field.endswith('s') else 'another'} {one.field}, "
            f"“{one.resolved}”, which was not held against the citation."
            for one in judgement.notes
        ]
    told += [
        f"{one.name.replace('_', ' ')}: {one.detail}" if one.detail else one.name.replace("_", " ")
        for one in checked.findings
        if one.state is FindingState.FINDING
    ]
    if judgement.verdict is Verdict.UNCHECKED:
        told += _describe_strays(checked)
        told.append("Could not be checked: this says nothing for or against the citation.")
    elif any(one.name == "retracted" and one.state is FindingState.UNCHECKED for one in checked.findings):
        told.append("Retractions could not be checked.")
    return told


def _describe_strays(checked: Checked) -> list[str]:
    """Return the works of other titles that cited identifiers lead to, where nothing was decided."""
    each = {
        f"{ID_NAMES[scheme]} {value} leads to a record with another title, “{one.record.title}”, which alone "
        "does not prove the citation wrong."
        for one in checked.judgement.candidates
        if (title := one.of("title")) is not None and title.outcome is Outcome.DIFFERS
        for scheme, value in checked.reference.claimed.ids.pairs
        if scheme in one.via and scheme in WORK_IDS
    }
    return sorted(each)


def _describe_identifier(mismatch: Mismatch) -> str:
    named = f"{ID_NAMES[mismatch.field]} {mismatch.claimed}"
    if words := _WRONG.get(mismatch.reason):
        return f"{named} {words}."
    if mismatch.reason is Reason.IDENTIFIER_OF_OTHER_WORK and mismatch.resolved:
        return f"{named} belongs to “{mismatch.resolved}”, not to this title."
    return f"{named} is wrong; the record has {mismatch.resolved or 'none'}."
