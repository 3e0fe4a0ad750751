"""What a job has found, as a report: from what is stored, in any format, also while it is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.claims.claim_report import ClaimReport
from citeproof.claims.claim_text import format_claims_markdown, format_claims_text
from citeproof.errors import UsageError
from citeproof.reporters.base import get_reporter
from citeproof.reporters.reference_report import ReferenceReport
from citeproof.reporters.report_model import Selection
from citeproof.service.job_requests import GROUND
from citeproof.service.job_work import JobHead, JobTail
from citeproof.service.stored_values import StaleValueError, decode_value
from citeproof.stores.job_store import Job, JobStore
from citeproof.vocabulary import Checked, GroundedClaim, GroundedHypothesis, Hypothesis

WIDTH = 100  # of a report as plain text


@dataclass(frozen=True, slots=True)
class StoredReport:
    """What is stored of one job."""

    job: Job
    head: JobHead
    tail: JobTail | None  # None: the job has not ended well, or not yet
    references: tuple[Checked, ...] = ()
    claims: tuple[GroundedClaim, ...] = ()

    def generate_report(self, form: str) -> Iterator[str]:
        """Yield the report in one of the formats of the command line; UsageError for another one."""
        if self.job.kind != GROUND:
            found = self.tail.findings if self.tail else ()
            model = ReferenceReport(self.head.run, self.references, set_findings=lambda: found)
            yield from _make_reporter(form).report(model)
            return
        grounded = self.ground()
        if form == "text":
            from citeproof.reporters.terminal.screen_text import ScreenText  # noqa: PLC0415 - only text needs it

            yield from format_claims_text(grounded, ScreenText(colour=False, width=WIDTH))
        elif form == "md":
            yield from format_claims_markdown(grounded)
        else:
            yield from get_reporter(form).report(ClaimReport(grounded))

    def ground(self) -> GroundedHypothesis:
        """Return the claims that are decided so far."""
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
            claims = tuple(decode_value(GroundedClaim, one) for one in store.read_values(job.id))
            return StoredReport(job, head, tail, claims=claims)
        checked = tuple(decode_value(Checked, one) for one in store.read_values(job.id))
    except StaleValueError as error:
        hint = "run it again, or read its references as JSON"
        raise UsageError(
            "was made by another version, which had other fields", place="run", hint=hint
        ) from error
    return StoredReport(job, head, tail, checked)


def _make_reporter(form: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a Reporter
    if form != "text":
        return get_reporter(form)
    from citeproof.reporters.terminal import Terminal  # noqa: PLC0415 - only text pays for it

    return Terminal(False, WIDTH, Selection.BRIEF, False)
