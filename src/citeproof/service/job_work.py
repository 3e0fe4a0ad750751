"""The work of one job, from where an earlier attempt left it to the end.

Each result is stored once, by its number, as soon as it is there: `body` is its JSON as every interface
shows it, `value` what reports in other formats are made of. What comes before the first result is in
`JobHead`, what comes after the last in `JobTail`. A job that is taken up again reads what is stored before
the first gap, checks the rest, and logs only what the audit log of its run does not have yet.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from citeproof.answers import serializers
from citeproof.answers.fix.corrected_files import FixOptions
from citeproof.answers.fix.fix_results import build_fix_json
from citeproof.answers.serializers.grounded_claims import build_claim_json
from citeproof.claims.grounding import examine_citations, ground_claims
from citeproof.claims.mentioned_works import make_mentioned_finder
from citeproof.claims.trace import list_trace
from citeproof.errors import UsageError
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.stores.job_store import Job, JobStore
from citeproof.proof.audit.events import count_as
from citeproof.reading.parse import parse_all
from citeproof.service.check_session import CheckSession, begin_check
from citeproof.service.claim_session import choose_exit_code, find_sealed_log, read_claims
from citeproof.service.engine_pool import EnginePool
from citeproof.service.exit_codes import RunOutcome
from citeproof.service.fix_session import FixSession
from citeproof.service.input_documents import CHECK, FIX, GROUND, STAGES, JobRequest
from citeproof.service.listed_references import list_references
from citeproof.service.stored_values import StaleValueError, decode_value, encode_value
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    Extraction,
    GroundedClaim,
    GroundedHypothesis,
    Hypothesis,
    Reference,
    Run,
    SealedLog,
    SetFinding,
)

SECONDS = 0.5  # after which the results that came are stored together
T = TypeVar("T")
MOST_REFERENCES = 10_000  # of one document


@dataclass(frozen=True, slots=True)
class JobHead:
    """What is known before the first result."""

    run: Run
    hypothesis: Hypothesis | None = None  # ground


@dataclass(frozen=True, slots=True)
class JobTail:
    """What is known after the last result."""

    exit_code: int
    counts: tuple[tuple[str, int], ...] = ()  # of labels ("none": not checked), or of statuses of claims
    findings: tuple[SetFinding, ...] = ()
    log: SealedLog | None = None
    fixed: str = ""  # fix: JSON of what was changed
    corrected: bytes | None = None  # fix: the document with its changes; None: it has none


@dataclass(frozen=True, slots=True)
class JobContext:
    """What one attempt at a job has to work with."""

    pool: EnginePool
    store: JobStore
    clock: Clock
    job: Job
    tell: Callable[[], None]  # is called when more results are stored
    extraction: Extraction | None = None  # of the document, if the interface has read it already


def name_run(job: str) -> str:
    """Return the name of a job's run in the audit log."""
    return f"job-{job}"


async def perform_job(context: JobContext) -> JobTail:
    """Do what is left of a job and return its end. In the pool's loop."""
    job = context.job
    data = await asyncio.to_thread(context.store.read_input, job.id)
    request = JobRequest.restore(job.kind, data, job.options)
    earlier = await asyncio.to_thread(_read_earlier, context)
    resumed = None
    if job.attempts > 1:
        resumed = dict(Counter(count_as(checked) for checked in earlier if isinstance(checked, Checked)))
    run = (STAGES[job.kind], name_run(job.id))
    engine = await asyncio.to_thread(context.pool.take, *run, llm=request.llm, resumed=resumed)
    try:
        tail = await _WORK[job.kind](context, engine, request, earlier)
    finally:
        await context.pool.give_back(engine)
    log = find_sealed_log(engine.keeper)
    return replace(tail, log=replace(log, path=Path(log.path).name) if log else None)


def _read_earlier(context: JobContext) -> list[Checked] | list[GroundedClaim]:
    """Return the results that are stored, up to the first gap; what another version stored is not read."""
    values = context.store.read_values(context.job.id) if context.job.attempts > 1 else ()
    kind = GroundedClaim if context.job.kind == GROUND else Checked
    whole = (value for n, (number, value) in enumerate(values) if n == number)
    return [decode_value(kind, value) for value in whole]  # type: ignore[return-value]


async def _run_check(
    context: JobContext, engine: ReferenceVerifier, request: JobRequest, earlier: Sequence[Checked]
) -> JobTail:
    checking = await _begin_checking(context, engine, request, earlier)
    checked = await _check_references(context, checking)
    findings = tuple(checking.set_findings)
    counts = Counter(str(each.label or "none") for each in checked)
    return JobTail(RunOutcome.of(checked, checking.lost, findings).code(), tuple(counts.items()), findings)


async def _run_fix(
    context: JobContext, engine: ReferenceVerifier, request: JobRequest, earlier: Sequence[Checked]
) -> JobTail:
    checking = await _begin_checking(context, engine, request, earlier)
    fixing = FixSession([request.document], checking, writes=False)
    for _ in fixing.watch(await _check_references(context, checking)):
        pass
    elsewhere = bool(fixing.unwritable)
    wanted = FixOptions(request.unsafe, request.upgrade_preprints, bibliography=elsewhere)
    files = await asyncio.to_thread(fixing.correct_files, wanted)
    changed = [file.new for file in files if file.changed and file.name == request.name]
    return JobTail(
        fixing.find_exit_code(files, written=False),
        findings=tuple(checking.set_findings),
        fixed=serializers.dumps(build_fix_json(files, written=False)).decode(),
        corrected=changed[0] if changed else None,
    )


async def _begin_checking(
    context: JobContext, engine: ReferenceVerifier, request: JobRequest, earlier: Sequence[Checked]
) -> CheckSession:
    """Return the document, read; what the report's head says is stored."""
    if request.listed:
        engine = replace(engine, extract_with=lambda document: list_references(document.data))
    elif (known := context.extraction) is not None:
        engine = replace(engine, extract_with=lambda _: known)
    checking = await asyncio.to_thread(begin_check, engine, [request.document])
    if checking.total > MOST_REFERENCES:
        message = f"has {checking.total:,} references, at most {MOST_REFERENCES:,} are checked"
        raise UsageError(message, place=request.name, hint="split the document")
    run = _keep_run(context, checking.run)
    await _store_head(context, JobHead(run), checking.total, len(earlier))
    return replace(checking, run=run, earlier=tuple(earlier), unordered=True)


def _keep_run(context: JobContext, run: Run) -> Run:
    """Return the head of the report as an earlier attempt began it."""
    try:
        return decode_value(JobHead, context.job.head).run if context.job.head else run
    except StaleValueError:
        return run


async def _store_head(context: JobContext, head: JobHead, total: int, kept: int) -> None:
    await asyncio.to_thread(context.store.begin, context.job.id, encode_value(head), total, kept)
    context.tell()


async def _check_references(context: JobContext, checking: CheckSession) -> list[Checked]:
    """Return every checked reference, also those of an earlier attempt, in order; each is stored."""

    def encode(checked: Checked) -> bytes:
        return serializers.dumps(serializers.build_checked_json(checked, checking.run.overrides))

    return [*checking.earlier, *await _store_results(context, checking.verify_numbered(), encode)]


async def _run_ground(
    context: JobContext, engine: ReferenceVerifier, request: JobRequest, earlier: Sequence[GroundedClaim]
) -> JobTail:
    hypothesis, extraction = await asyncio.to_thread(read_claims, engine, request.document)
    listed: tuple[Reference, ...] = await asyncio.to_thread(lambda: tuple(parse_all(extraction.references)))
    run = _keep_run(context, engine.run([request.document], [extraction]))
    await _store_head(context, JobHead(run, hypothesis), len(hypothesis.claims), len(earlier))
    text = "\n\n".join(claim.text for claim in hypothesis.claims)
    find_mentioned = make_mentioned_finder(engine.retriever, listed, text)
    rest, assess = hypothesis.claims[len(earlier) :], context.pool.make_assessor(engine)

    async def ground_numbered() -> AsyncGenerator[tuple[int, GroundedClaim]]:
        numbers = count(len(earlier))
        async with aclosing(ground_claims(engine, rest, find_mentioned, assess)) as stream:
            async for claim in stream:
                yield next(numbers), claim

    def encode(claim: GroundedClaim) -> bytes:
        return serializers.dumps(build_claim_json(claim, list_trace(claim)))

    claims = [*earlier, *await _store_results(context, ground_numbered(), encode)]
    findings = tuple(await examine_citations(engine, hypothesis.id, claims))
    code = choose_exit_code(GroundedHypothesis(hypothesis, tuple(claims), run, findings))
    counts = Counter(str(each.status) for each in claims)
    return JobTail(code, tuple(counts.items()), findings)


async def _store_results(
    context: JobContext, stream: AsyncGenerator[tuple[int, T]], encode: Callable[[T], bytes]
) -> list[T]:
    """Return all that comes, in order; it is stored every `SECONDS`, also while another one is slow."""
    done: list[tuple[int, T]] = []

    async def take_all() -> None:
        async with aclosing(stream):
            async for numbered in stream:
                done.append(numbered)  # noqa: PERF401 - it is seen below before the last one is there

    stored, ended = 0, False
    taking = asyncio.ensure_future(take_all())
    try:
        while not ended:
            ended = bool((await asyncio.wait({taking}, timeout=SECONDS))[0])
            if (new := done[stored:]) or ended:
                numbers, results = [number for number, _ in new], [result for _, result in new]
                encoded = (list(map(encode, results)), list(map(encode_value, results)))
                await asyncio.to_thread(context.store.add_results, context.job.id, numbers, *encoded)
                stored += len(new)
                context.tell()
        await taking
    finally:
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
    return [result for _, result in sorted(done, key=itemgetter(0))]


_WORK: dict[str, Callable[..., Coroutine[Any, Any, JobTail]]] = {
    CHECK: _run_check,
    FIX: _run_fix,
    GROUND: _run_ground,
}
