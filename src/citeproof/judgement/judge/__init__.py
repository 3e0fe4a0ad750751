"""One judgement for one reference: verdict, label, score, confidence, reasons, explanation.

A pure function of the reference, the set of lookups, the comparisons and the model. The verdict
is decided by rules (`verdict`), the score inside the verdict's interval by the weighted faults
(`features`, `weighed_ruling`, `model`), the words by `explanation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.judgement.compare.authors import find_moved
from citeproof.judgement.compare.identifiers import DEPOSITS
from citeproof.judgement.compare.venue import cites_preprint, is_published_somewhere
from citeproof.judgement.judge import false_alarm_limit as promises
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge import weighed_ruling
from citeproof.judgement.judge.absence import DeniedIdentifier, find_denied_identifiers
from citeproof.judgement.judge.explanation import JudgementGrounds, explain_ruling, summarize_ruling
from citeproof.judgement.judge.verdict import Ruling, is_damaged_reference, make_ruling
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.text import doi
from citeproof.vocabulary import (
    ID_ORDER,
    WORK_IDS,
    Compared,
    Comparison,
    Found,
    Judgement,
    Kind,
    Lookup,
    Mismatch,
    Outcome,
    Provenance,
    Reason,
    Reference,
    Retrieval,
    Unchecked,
    Verdict,
    find_unconfirmed,
)

# agrees or cannot be compared, yet is not as cited
_CHECK = (Reason.OTHER_VERSION, Reason.AUTHOR_REPEATED, Reason.RECORD_TRUNCATED, Reason.OTHER_SCRIPT)
_CANDIDATES_SHOWN = 5
_FEW_MOVED = 3  # people whom a publication puts into another place than its preprint
_OF_THE_WORK = ("title", "authors")
# whose it is, or nobody's, says more
_SAID_OTHERWISE = (Reason.OTHER_IDENTIFIER, Reason.MALFORMED, Reason.PREFIX_UNKNOWN)

__all__ = ["judge", "weigh_evidence"]


def judge(
    reference: Reference,
    retrieved: Retrieval,
    compared: Sequence[Compared],
    model: models.Model | None = None,
) -> Judgement:
    """Return the judgement that the evidence supports."""
    model = model or models.load_model()
    if (lookups := tuple(sorted(retrieved.lookups, key=_make_sort_key))) != retrieved.lookups:
        retrieved = replace(retrieved, lookups=lookups)
    disputed = sorted({c.record.source for c in compared if c.index_error})
    compared = [c for c in compared if not c.index_error]
    ruling, denied, mismatches, notes, weight = _weigh_candidates(reference, retrieved.lookups, compared)
    score = weighed_ruling.compute_score(model, weight)
    label = weighed_ruling.choose_label(model, weight, score)
    if label is None and ruling.verdict is not Verdict.UNCHECKED:
        ruling = Ruling(Verdict.UNCHECKED, None, (Reason.AUTHORS_NOT_COMPARED,))
    if label is not None and not label.passes and is_damaged_reference(reference):
        ruling, label = Ruling(Verdict.UNCHECKED, None, (Reason.DAMAGED_TEXT,)), None
        denied, mismatches, notes = (), (), ()
    shown = [*compared[:_CANDIDATES_SHOWN]]
    shown += [stray for stray in ruling.strays[:1] if stray not in shown]  # both works of an ambiguous one
    sure, band = (
        (None, None) if label is None else weighed_ruling.estimate_confidence(model, weight, label, score)
    )
    grounds = JudgementGrounds(reference, ruling, retrieved, mismatches, notes, disputed, denied, shown)
    judgement = Judgement(
        verdict=ruling.verdict,
        label=label,
        score=None if label is None else score,
        confidence=sure,
        band=band,
        reasons=(
            *ruling.reasons,
            *dict.fromkeys(f"{m.field}:{m.reason}" for m in mismatches),
            *(f"{Reason.INDEX_ERROR}:{source}" for source in disputed),
        ),
        explanation=explain_ruling(grounds),
        summary=summarize_ruling(grounds),
        matched=ruling.matched,
        mismatches=mismatches,
        candidates=tuple(shown if label else (replace(c, weak=True) for c in shown)),
        splices=ruling.splices,
        provenance=_build_provenance(retrieved, ruling, model),
        notes=notes,
    )
    return judgement if model.promise is None else promises.keep_promise(judgement, model)


def weigh_evidence(reference: Reference, retrieved: Retrieval, compared: Sequence[Compared]) -> WeighedRuling:
    """Return what `judge` weighs, without a model: any thresholds can be tried on it."""
    return _weigh_candidates(reference, retrieved.lookups, [c for c in compared if not c.index_error])[-1]


def _weigh_candidates(
    reference: Reference, lookups: Sequence[Lookup], compared: Sequence[Compared]
) -> tuple[Ruling, tuple[DeniedIdentifier, ...], tuple[Mismatch, ...], tuple[Mismatch, ...], WeighedRuling]:
    """Return the ruling, the identifiers denied, mismatches and notes, and what they weigh together."""
    ruling = make_ruling(reference, lookups, compared)
    denied = _select_denied(reference, lookups, ruling)
    mismatches = _collect_mismatches(ruling, denied)
    notes = _collect_notes(reference, ruling, denied, compared)
    # a mistyped ISSN is only noted: it names no work
    weighty = any(one.registry or one.scheme != "issn" for one in denied)
    differs = bool(mismatches or notes)
    weight = weighed_ruling.weigh_ruling(ruling, lookups, denied=weighty, noted=differs)
    return ruling, denied, mismatches, notes, weight


def _make_sort_key(lookup: Lookup) -> tuple[str, str, str, str]:
    """Sort key that makes the set of lookups a list, whatever the order of arrival."""
    detail = ""
    if isinstance(lookup, Unchecked):
        detail = f"{lookup.cause} {lookup.detail}"
    elif isinstance(lookup, Found):
        detail = lookup.records[0].id if lookup.records else ""
    return lookup.source, lookup.by, type(lookup).__name__, detail


def _select_denied(
    reference: Reference, lookups: Sequence[Lookup], ruling: Ruling
) -> tuple[DeniedIdentifier, ...]:
    """Return the denied identifiers that count against the citation.

    Catalogues lack many ISBNs of proceedings and e-books: if a work was found, an ISBN counts only
    if the work is a book with other ISBNs. Snapshots lack many preprints of the works that they hold: the
    identifier of a preprint counts only if the record has another one.
    """
    denied = find_denied_identifiers(reference, lookups)
    matched = ruling.matched
    return denied if matched is None else tuple(one for one in denied if not _is_seldom_held(one, matched))


def _is_seldom_held(denied: DeniedIdentifier, matched: Compared) -> bool:
    compared, record = matched.of(denied.scheme), matched.record
    if denied.scheme == "isbn":
        return bool(denied.registry) and not (record.kind is Kind.BOOK and record.ids.all("isbn"))
    deposit = denied.scheme == "arxiv" or doi.get_prefix(denied.value) in DEPOSITS
    differs = compared is not None and compared.outcome is Outcome.DIFFERS
    return deposit and denied.registry.startswith("snapshot") and not differs


def _collect_mismatches(ruling: Ruling, denied: Sequence[DeniedIdentifier]) -> tuple[Mismatch, ...]:
    """Return every difference with both values: of the work found, of denied and of strayed identifiers."""
    matched = ruling.matched
    if matched is None:
        return tuple(Mismatch(one.scheme, one.value, "", 0.0, one.reason) for one in denied)
    told = {one.scheme for one in denied} | {by for stray in ruling.strays for by in stray.via}
    other = ruling.verdict is Verdict.MISMATCH  # each difference tells that it is another work
    found = [
        Mismatch(c.field, c.claimed, c.resolved, c.similarity, c.reason, c.detail)
        for c in matched.comparisons
        if (c.convicts or (other and c.field in _OF_THE_WORK and c.outcome is Outcome.DIFFERS))
        and not (c.field in told and c.reason in _SAID_OTHERWISE)
    ]
    found.extend(_describe_denied(one, matched) for one in denied)
    seen = {m.field for m in found}
    for stray in ruling.strays:
        if stray is not matched:
            found.extend(_collect_strays(stray, seen))
    return tuple(found)


def _describe_denied(denied: DeniedIdentifier, matched: Compared) -> Mismatch:
    """Return that a cited identifier does not exist, and what the record has in its place."""
    mine = matched.of(denied.scheme)
    similarity = mine.similarity if mine is not None and mine.outcome is Outcome.DIFFERS else 0.0
    theirs = mine.resolved.split(", ") if mine is not None else matched.record.ids.all(denied.scheme)
    others = [value for value in theirs if value != denied.value]
    return Mismatch(denied.scheme, denied.value, ", ".join(others), similarity, denied.reason)


def _collect_notes(
    reference: Reference, ruling: Ruling, denied: Sequence[DeniedIdentifier], compared: Sequence[Compared]
) -> tuple[Mismatch, ...]:
    """Return the differences that another version or a poor record explains as well.

    What another record of the work has as it is cited is that version's, and nothing to note, unless the
    cited version is the other one; a list of people that is cut has nobody as cited.
    """
    matched = ruling.matched
    if matched is None:
        return ()
    kin = [one for one in compared if one.record.work == matched.record.work] if matched.record.work else []
    told = {one.scheme for one in denied}
    told |= {c.field for one in kin for c in one.comparisons if c.outcome.agrees and c.reason not in _CHECK}
    differing = [c for c in matched.comparisons if c.outcome is Outcome.DIFFERS or c.reason in _CHECK]
    noted = [c for c in differing if c.field not in told and not c.convicts]
    noted += _compare_published(reference, matched, kin) if "authors" in told else []
    noted += [c for c in find_unconfirmed(matched, compared) if _is_expected(c.field, matched)]
    return tuple(Mismatch(c.field, c.claimed, c.resolved, c.similarity, c.reason, c.detail) for c in noted)


def _is_expected(scheme: str, matched: Compared) -> bool:
    """Return whether a record should have the cited identifier: few have numbers of arXiv and of PubMed."""
    agreed = (c is not None and c.outcome.agrees for c in map(matched.of, WORK_IDS))
    return scheme in ("doi", "acl", "openreview") or (scheme in ("pmid", "pmcid") and not any(agreed))


def _compare_published(reference: Reference, matched: Compared, kin: Sequence[Compared]) -> list[Comparison]:
    """Return how the people of the cited publication differ where its preprint is led as it is cited.

    A list in quite another order is one that a registry has sorted.
    """
    cited, venue = reference.claimed.authors, matched.of("venue")
    if cites_preprint(reference.claimed, reference.kind) or venue is None or not venue.outcome.agrees:
        return []
    own = [one for one in kin if one.standing == "good" and is_published_somewhere(one.record)]
    moved = [find_moved(cited, one.record.authors) for one in own]
    led = all(names and names[0] == cited[0] and len(names) <= _FEW_MOVED for names in moved)
    rows = [c for one in own for c in one.comparisons if c.reason == Reason.ORDER_SWAPPED and not c.convicts]
    return rows[:1] if led and len(rows) == len(own) else []


def _collect_strays(stray: Compared, seen: set[str]) -> list[Mismatch]:
    rows = []
    for by in stray.via:
        mine = stray.of(by)
        if by in ID_ORDER and by not in seen and mine is not None:
            seen.add(by)
            rows.append(Mismatch(by, mine.claimed, stray.record.title, 0.0, Reason.IDENTIFIER_OF_OTHER_WORK))
    return rows


def _build_provenance(retrieved: Retrieval, ruling: Ruling, model: models.Model) -> Provenance:
    lookups = retrieved.lookups
    stages = ["compare"] if any(isinstance(x, Found) for x in lookups) else []
    if any(x.by in {"title", "raw", "authors"} for x in lookups):
        stages.append("search")
    via = None
    if ruling.matched is not None:
        order = (*ID_ORDER, "title", "raw", "authors")
        via = next((by for by in order if by in ruling.matched.via), None)
    return Provenance(
        stages_run=tuple(stages),
        resolved_via=via,
        registries_searched=lookups,
        unchecked=tuple(x for x in lookups if isinstance(x, Unchecked)),
        stops=retrieved.stops,
        snapshots=tuple(sorted({x.source for x in lookups if x.source.startswith("snapshot")})),
        judge=model.name,
    )
