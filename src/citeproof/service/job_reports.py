"""What a job has found, as a report: from what is stored, in any format, also while it is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from citeproof.answers import serializers
from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.serializers.judgements import build_set_finding_json
from citeproof.claims.claim_report import ClaimReport
from citeproof.claims.claim_text import format_claims_markdown, format_claims_text
from citeproof.errors import UsageError
from citeproof.plumbing.stores.job_store import Job, JobStore
from citeproof.service.exit_codes import gate_reference, gate_set_finding
from citeproof.service.input_documents import FIX, GROUND
from citeproof.service.job_work import JobHead, JobTail
from citeproof.service.stored_values import StaleValueError, decode_value
from citeproof.vocabulary import Checked, GroundedClaim, GroundedHypothesis, Hypothesis, Policy, SetFinding

WIDTH = 100  # of a report as plain text


@dataclass(frozen=True, slots=True)
class StoredReport:
    job: Job
    head: JobHead
    tail: JobTail | None  # None: the job has not ended well, or not yet
    references: tuple[Checked, ...] = ()
    claims: tuple[GroundedClaim, ...] = ()

    def generate_report(self, form: str, policy: Policy | None = None) -> Iterator[str]:
        """Yield the report in one of the formats of the command line; UsageError for another one."""
        if self.job.kind != GROUND:
            found: Sequence[SetFinding] = self.tail.findings if self.tail else ()
            references: Sequence[Checked] = self.references
            if policy:
                references = [gate_reference(checked, policy) for checked in references]
                found = [gate_set_finding(finding, policy) for finding in found]
            findings = tuple(found)
            model = ReferenceReport(self.head.run, references, policy=policy, set_findings=lambda: findings)
            if form != "text":
                yield from get_reporter(form).report(model)
                return
            from citeproof.answers.reporters.terminal import Terminal  # noqa: PLC0415 - only text pays for it

            yield from Terminal(False, WIDTH, Selection.BRIEF, False).report(model)
            return
        if policy:
            hint = "leave `policy` out"
            raise UsageError("policies decide about references, not about claims", place="policy", hint=hint)
        grounded = self.ground()
        if form == "text":
            from citeproof.answers.reporters.terminal.screen_text import ScreenText  # noqa: PLC0415 - only text needs it

            yield from format_claims_text(grounded, ScreenText(colour=False, width=WIDTH))
        elif form == "md":
            yield from format_claims_markdown(grounded)
        else:
            yield from get_reporter(form).report(ClaimReport(grounded))

    def ground(self) -> GroundedHypothesis:
        hypothesis = self.head.hypothesis or Hypothesis(self.job.id)
        findings = self.tail.findings if self.tail else ()
        log = self.tail.log if self.tail else None
        return GroundedHypothesis(hypothesis, self.claims, self.head.run, findings, log)


def read_report(store: JobStore, job: Job) -> StoredReport:
    """Return what is stored of a job that has begun; UsageError if it has not."""
    if job.head is None:
        hint = "wait until it runs, or read its state"
        raise UsageError("has no report yet", place="run", hint=hint)
    try:
        head = decode_value(JobHead, job.head)
        tail = decode_value(JobTail, job.tail) if job.tail else None
        if job.kind == GROUND:
            claims = tuple(decode_value(GroundedClaim, value) for _, value in store.read_values(job.id))
            return StoredReport(job, head, tail, claims=claims)
        checked = tuple(decode_value(Checked, value) for _, value in store.read_values(job.id))
    except StaleValueError as error:
        hint = "run it again, or read its references as JSON"
        message = "was made by another version, which had other fields"
        raise UsageError(message, place="run", hint=hint) from error
    return StoredReport(job, head, tail, checked)


def read_outcome(job: Job) -> JobTail | None:
    """Return how a job ended; None if it has not ended well."""
    try:
        return decode_value(JobTail, job.tail) if job.tail else None
    except StaleValueError:
        return None


def build_answer_json(store: JobStore, job: Job) -> bytes:
    """Return what `--format json` prints for the same work; references are taken as they are stored."""
    if job.kind == GROUND:
        return "".join(read_report(store, job).generate_report("json")).encode()
    tail = read_outcome(job)
    if job.kind == FIX and tail is not None:
        return serializers.dumps({**msgspec.json.decode(tail.fixed), "id": job.id})
    if job.head is None:
        raise UsageError("has no report yet", place="run", hint="wait until it runs")
    run = decode_value(JobHead, job.head).run
    references = [msgspec.json.decode(body) for _, body in store.read_bodies(job.id)]
    return serializers.dumps(
        {
            "schema": serializers.SCHEMA,
            "citeproof": serializers.get_version(),
            "run": serializers.build_run_json(run, references),
            "summary": serializers.build_summary_json(run, references),
            "references": references,
            "findings": [build_set_finding_json(found) for found in (tail.findings if tail else ())],
        }
    )
