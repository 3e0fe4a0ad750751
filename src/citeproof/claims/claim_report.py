"""The report on claims: what each format asks of a hypothesis whose claims are decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.report_model import (
    CitedWork,
    ReportModel,
    ReportRow,
    ReportRule,
    RowGroup,
    RowLevel,
)
from citeproof.answers.serializers.grounded_claims import build_claim_json, build_claims_json
from citeproof.claims.claim_text import describe_sources, name_status
from citeproof.claims.support_trace import describe_outcome, name_place
from citeproof.claims.trace import list_trace, name_final_work
from citeproof.vocabulary import ClaimStatus, GroundedClaim, GroundedHypothesis, SupportOutcome

RULES = (
    ReportRule(
        "claim-unsupported",
        "No citation of the claim could be verified.",
        "No reference was proposed, or none of those proposed is a real work as described. The trace says "
        "what became of each. Find the work that supports the claim, or drop the claim.",
    ),
    ReportRule(
        "claim-retracted-source",
        "The work that the claim cites was retracted.",
        "Read the notice. What a retracted work says is not evidence; cite another work or drop the claim.",
    ),
    ReportRule(
        "claim-unchecked",
        "Something could not be checked, and no citation was verified.",
        "This is no verdict on the claim. The trace says which source or list was missing; run it again.",
    ),
    ReportRule(
        "claim-text-differs",
        "The text of the cited work differs from the claim.",
        "A number, direction, negation, quotation or figure of the claim is otherwise in the work's text. "
        "Read both; the citation itself is verified.",
    ),
    ReportRule(
        "claim-content",
        "The citation is right, and the text of its work was not found to say what the claim says.",
        "No passage is about the claim, or there was no text to compare it with. Read the work, or give its "
        "text with --texts.",
    ),
    ReportRule(
        "claim-resolved",
        "An identifier alone leads to a work; nothing says that this work is meant.",
        "Give the title and the authors of the work too, so that they can be compared.",
    ),
    ReportRule(
        "claim-contradicted",
        "A language model quotes a sentence of the cited work that contradicts the claim.",
        "The sentence is in the work's text; whether it contradicts the claim is what the model says. Read "
        "both, and change the claim or the citation.",
    ),
    ReportRule(
        "claim-not-stated",
        "A language model did not find the claim in the passages of the cited work.",
        "It was shown the passages that are nearest to the claim, not the whole work. Look whether the work "
        "says it elsewhere.",
    ),
    ReportRule("claim-verified", "A citation that passed every check is attached to the claim."),
)
_RULE_OF = {
    ClaimStatus.VERIFIED: "claim-verified",
    ClaimStatus.UNSUPPORTED: "claim-unsupported",
    ClaimStatus.RETRACTED_SOURCE: "claim-retracted-source",
    ClaimStatus.UNCHECKED: "claim-unchecked",
    ClaimStatus.RESOLVED: "claim-resolved",
}
_LEVELS = {
    ClaimStatus.VERIFIED: RowLevel.NONE,
    ClaimStatus.UNSUPPORTED: RowLevel.ERROR,
    ClaimStatus.RETRACTED_SOURCE: RowLevel.ERROR,
    ClaimStatus.UNCHECKED: RowLevel.NOTE,
    ClaimStatus.RESOLVED: RowLevel.NOTE,
}
_TOLD = (SupportOutcome.ALARM, SupportOutcome.CONTRADICTED, SupportOutcome.NOT_STATED)  # in rows of their own
_MODEL_RULES = {
    SupportOutcome.CONTRADICTED: ("claim-contradicted", RowLevel.ERROR),
    SupportOutcome.NOT_STATED: ("claim-not-stated", RowLevel.WARNING),
}
COLUMNS = (
    "id", "status", "claim", "citation", "reason", "file", "line", "content", "text", "alarms", "held",
)  # fmt: skip


class ClaimReport(ReportModel):
    """A hypothesis with its decided claims."""

    kind: ClassVar[str] = "claims"
    title: ClassVar[str] = "citeproof claims"
    fingerprint: ClassVar[str] = "citeproof/claims/v1"
    streamed: ClassVar[bool] = False

    def __init__(self, grounded: GroundedHypothesis) -> None:
        """Take a hypothesis whose claims are decided."""
        self.grounded, self.started = grounded, grounded.run.started
        self.overrides = wording.describe_overrides(grounded.run)

    def generate_documents(self) -> Iterator[RowGroup]:
        rows = [
            row
            for one in self.grounded.claims
            for row in (
                _make_row(one),
                *_make_content_rows(one),
                *_make_model_rows(one),
                *_make_alarm_rows(one),
            )
        ]
        yield RowGroup(self.grounded.hypothesis.id, rows)

    def describe_sources(self) -> str:
        return describe_sources(self.grounded)

    def list_rules(self) -> Sequence[ReportRule]:
        return RULES

    def list_columns(self) -> Sequence[str]:
        return COLUMNS

    def generate_cells(self) -> Iterator[Iterable[object]]:
        for one in self.grounded.claims:
            place = one.claim.place
            yield (
                one.claim.id, one.status.value, one.claim.text, name_final_work(one), one.reason,
                place.file, place.line, *_list_support_cells(one),
            )  # fmt: skip

    def generate_members(self) -> Iterator[tuple[str, object]]:
        yield from build_claims_json(self.grounded, list_trace).items()

    def generate_objects(self) -> Iterator[serializers.Json]:
        return (build_claim_json(one, list_trace(one)) for one in self.grounded.claims)

    def generate_works(self) -> Iterator[CitedWork]:
        for one in self.grounded.claims:
            if one.attached is not None:
                checked = one.attached.checked
                fields = checked.correction.claimed if checked.correction else checked.reference.claimed
                yield CitedWork(one.claim.id, checked.reference.kind, fields)


def _make_row(one: GroundedClaim) -> ReportRow:
    said = one.reason or name_final_work(one)
    return ReportRow(
        place=one.claim.place,
        rule=_RULE_OF[one.status],
        level=_LEVELS[one.status],
        message=f"{one.claim.id}: {name_status(one)}. {said}",
        title=f"{one.claim.id}: {wording.show_line(one.claim.text, 200)}",
        reason=one.status.value,
        severity=one.status.value,
        text=said,
        evidence=tuple(("trace", line) for line in list_trace(one)),
        fails=one.status in (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE),
        identity=f"{_RULE_OF[one.status]}\0{one.claim.id}\0{one.claim.text}",
        properties=_list_facts(one),
    )


def _list_facts(one: GroundedClaim) -> dict[str, str]:
    return {"status": one.status.value, "content": one.content.value}


def _make_content_rows(one: GroundedClaim) -> Iterator[ReportRow]:
    """Yield that the text of the work was not found to be about the claim, or that this holds it back."""
    if one.content in _TOLD or not (one.held or one.content is SupportOutcome.NOT_LOCATED):
        return
    level = RowLevel.ERROR if one.held else RowLevel.WARNING
    said = describe_outcome(one.support) if one.support else "no text of the work was compared with the claim"
    yield ReportRow(
        place=one.claim.place,
        rule="claim-content",
        level=level,
        message=f"{one.claim.id}: {said}",
        title=f"{one.claim.id}: content {one.content.value.replace('_', ' ')}",
        reason=one.content.value,
        severity=level.value,
        text=said,
        fails=one.held,
        identity=f"claim-content\0{one.claim.id}\0{one.claim.text}",
        properties=_list_facts(one),
    )


def _make_model_rows(one: GroundedClaim) -> Iterator[ReportRow]:
    """Yield what a language model found wrong, with the sentence that it quotes."""
    support = one.support
    used = support.llm.used if support is not None and support.llm else None
    if support is None or used is None or support.outcome not in _MODEL_RULES:
        return
    rule, level = _MODEL_RULES[support.outcome]
    place = name_place(used.passage) if used.passage else ""
    quoted = f"quoted{f' ({place})' if place else ''}: {used.passage.text if used.passage else used.quote}"
    said = f"{describe_outcome(support)}; {wording.show_line(quoted, 1000)}"
    yield ReportRow(
        place=one.claim.place,
        rule=rule,
        level=level,
        message=f"{one.claim.id}: {said}",
        title=f"{one.claim.id}: {support.outcome.value.replace('_', ' ')} (language model)",
        reason=support.outcome.value,
        severity=level.value,
        text=said,
        fails=one.held,
        identity=f"{rule}\0{one.claim.id}\0{one.claim.text}",
        properties=_list_facts(one),
    )


def _make_alarm_rows(one: GroundedClaim) -> Iterator[ReportRow]:
    """Yield a warning for each difference between the claim and the text of its work."""
    for alarm in one.support.alarms if one.support else ():
        said = (
            f"{alarm.detail.rstrip('.')}; claimed: {alarm.claimed}; the text has: {alarm.found or 'nothing'}"
        )
        yield ReportRow(
            place=one.claim.sentence if one.claim.sentence.line else one.claim.place,
            rule="claim-text-differs",
            level=RowLevel.ERROR if one.held else RowLevel.WARNING,
            message=f"{one.claim.id}: {said}",
            title=f"{one.claim.id}: content alarm: {alarm.kind.value} differs from the text of the work",
            reason=alarm.kind.value,
            severity="error" if one.held else "warning",
            text=said,
            fails=one.held,
            identity=f"claim-text-differs\0{one.claim.id}\0{alarm.kind.value}\0{alarm.claimed}",
            properties={**_list_facts(one), "alarm": alarm.kind.value},
        )


def _list_support_cells(one: GroundedClaim) -> tuple[str, str, str, str]:
    alarms = one.support.alarms if one.support else ()
    told = "; ".join(f"{alarm.kind.value}: {alarm.claimed} / {alarm.found}" for alarm in alarms)
    extent = one.support.extent.value if one.support else ""
    return one.content.value, extent, told, "held" if one.held else ""
