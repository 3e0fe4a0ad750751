"""Whether DOIs exist, asked once for all documents through the sources of the engine.

A source that has the DOI, or whose authority it is (doi.org), decides. Absent is only what a source that
would know it does not have; everything else is "could not check", with its cause.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from citeproof.answers.serializers import dumps
from citeproof.corpus.corpus_types import (
    RETRACTED_FIX,
    STAND,
    CorpusCitation,
    DocumentResult,
    Issue,
    PendingDoi,
    Status,
    get_rule,
)
from citeproof.corpus.examine import count_outcomes, sort_by_position
from citeproof.corpus.page.doi_marks import shorten_doi
from citeproof.corpus.result_cache import ResultCache
from citeproof.evidence.index import manifest
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import Clock
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Absent,
    Act,
    Cause,
    Checked,
    CitationReason,
    Claimed,
    Extraction,
    Found,
    Ids,
    Kind,
    Place,
    RawReference,
    Reach,
    Remedy,
    Unchecked,
)

_KNOWN = ("found", "retracted")
_TOGETHER = 2  # sources that cover such works and must both have nothing


@dataclass(frozen=True, slots=True)
class DoiExistence:
    """What the sources say of one DOI: "found", "retracted", "absent", or "unchecked" with the cause."""

    answer: str
    cause: str = ""
    by: str = ""  # the sources that decided


async def look_up_dois(
    verifier: ReferenceVerifier, dois: Sequence[str]
) -> AsyncIterator[tuple[str, DoiExistence]]:
    """Yield what the sources say of each DOI: of one that is absent, of its shorter form as well."""
    doubted: dict[str, tuple[str, DoiExistence]] = {}
    async for doi, existence in _look_up_once(verifier, dois):
        if existence.answer == "absent" and (short := shorten_doi(doi)):
            doubted[doi] = short, existence
        else:
            yield doi, existence
    if not doubted:
        return
    shorts = list(dict.fromkeys(short for short, _ in doubted.values()))
    known = {doi: existence async for doi, existence in _look_up_once(verifier, shorts)}
    for doi, (short, existence) in doubted.items():
        other = known[short]
        if other.answer in _KNOWN:
            yield doi, replace(other, by=f"{other.by} as {short}")
        else:  # only what no one knows in any form does not exist
            yield doi, existence if other.answer == "absent" else other


async def _look_up_once(
    verifier: ReferenceVerifier, dois: Sequence[str]
) -> AsyncIterator[tuple[str, DoiExistence]]:
    references = tuple(
        RawReference(doi, doi, Place(), Kind.ARTICLE, claimed=Claimed(ids=Ids((("doi", doi),))))
        for doi in dois
    )
    async for checked in verifier.verify(Extraction(references)):
        yield checked.reference.key, decide_existence(checked)


def decide_existence(checked: Checked) -> DoiExistence:
    """Return what the answers about a DOI come to."""
    lookups = [lookup for lookup in checked.retrieved.lookups if lookup.by == "doi"]
    holding = [lookup.source for lookup in lookups if isinstance(lookup, Found)]
    if holding and (gone := checked.retraction) is not None:
        return DoiExistence(gone.name, by=f"{gone.source}: {gone.detail}")
    if holding:
        return DoiExistence("found", by=", ".join(holding))
    absent = [lookup for lookup in lookups if isinstance(lookup, Absent)]
    sure = any(lookup.reach is Reach.COMPLETE for lookup in absent)
    covering = [lookup for lookup in absent if lookup.reach is Reach.COVERS]
    if sure or len(covering) >= _TOGETHER:
        return DoiExistence("absent", by=", ".join(lookup.source for lookup in absent))
    causes = [lookup.cause for lookup in lookups if isinstance(lookup, Unchecked)]
    telling = next((cause for cause in causes if cause is not Cause.NOT_COVERED), None)
    return DoiExistence("unchecked", cause=(telling or Cause.NOT_COVERED).value)


def settle_pending_dois(result: DocumentResult, known: Mapping[str, DoiExistence]) -> DocumentResult:
    """Return a result whose pending DOIs are citations like the others, in document order."""
    if not result.pending:
        return result
    made = [_settle_citation(pending.citation, known[pending.doi]) for pending in result.pending]
    citations = [*result.citations, *made]
    first = len(result.citations)
    wrong = [
        replace(_make_issue(pending, known[pending.doi]), cited=first + at)
        for at, pending in enumerate(result.pending)
        if known[pending.doi].answer in ("absent", "retracted")
    ]
    settled, issues = sort_by_position(citations, [*result.issues, *wrong])
    counts = result.counts + replace(count_outcomes(made, wrong), files=0)
    return replace(result, citations=settled, issues=issues, pending=(), counts=counts)


def _settle_citation(cited: CorpusCitation, known: DoiExistence) -> CorpusCitation:
    status, reason, detail = Status.UNCHECKED, known.cause, "no source that covers it could be asked"
    if known.answer == "found":
        status, reason, detail = Status.VERIFIED, CitationReason.FOUND, f"known to {known.by}"
    elif known.answer == "retracted":
        status, reason, detail = Status.INCONSISTENT, CitationReason.RETRACTED, known.by
    elif known.answer == "absent":
        status, reason, detail = Status.HALLUCINATED, CitationReason.NOT_FOUND, f"not known to {known.by}"
    elif cited.source:
        status, reason = Status.VERIFIED, CitationReason.CORPUS
        detail = f"stated by {cited.source}; whether it exists was not checked"
    return replace(cited, status=status, reason=reason, detail=detail)


def _make_issue(pending: PendingDoi, known: DoiExistence) -> Issue:
    cited, gone = pending.citation, known.answer == "retracted"
    rule = get_rule("retracted-source" if gone else "fabricated-doi")
    stated = f"; {cited.source} states it too" if cited.source else ""
    named = "" if pending.doi in cited.raw.lower() else f" as {pending.doi}"
    message = f"no such DOI{named}: {known.by} covers it and does not have it{stated}"
    remedy = None
    if not gone:
        comment = f"removed citation to a DOI that does not exist: {pending.doi}"
        kept = (pending.kept.start, pending.kept.end) if pending.kept else None
        stand = STAND if pending.spoken else ""
        remedy = Remedy(Act.REMOVE, pending.whole.start, pending.whole.end, comment, kept, stand)
    return Issue(
        rule.name, rule.kind, rule.type, rule.severity, rule.level,
        cited.line, cited.column, cited.end_line, pending.end_column, pending.claim, cited.raw,
        f"retracted{named}: {known.by}" if gone else message,
        RETRACTED_FIX if gone else "Correct the DOI, or remove the citation.", remedy,
    )  # fmt: skip


class DoiChecker:
    """What is known about DOIs in one run; the engine is made when the first one has to be asked about."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        make: Callable[[], ReferenceVerifier],
        keeping: ResultCache | None,
    ) -> None:
        self.known: dict[str, DoiExistence] = {}
        self.verifier: ReferenceVerifier | None = None
        self._settings, self._clock, self._make, self._keeping = settings, clock, make, keeping
        self._loop: BackgroundLoop | None = None
        folders = [(str(folder), _hash_manifest(folder)) for folder in settings.list_snapshot_folders()]
        asked = [settings.offline, list(settings.sources), sorted(settings.urls.items()), folders]
        self._scope = sha256(dumps(asked)).hexdigest()[:16]
        self._nobody = settings.offline and not settings.list_snapshot_folders()

    def learn(self, dois: Iterable[str]) -> None:
        """See to it that every one of `dois` is known, as far as it can be."""
        wanted = [doi for doi in dict.fromkeys(dois) if doi not in self.known]
        for doi in wanted:
            if self._nobody:
                self.known[doi] = DoiExistence("unchecked", "offline")
            elif self._keeping and (cached := self._keeping.doi(doi, self._scope)):
                answer, _, by = cached.partition(" ")
                self.known[doi] = DoiExistence(answer, by=by)
        if rest := [doi for doi in wanted if doi not in self.known]:
            self._running().run(self._ask(rest))
        if wanted and self._settings.audit_dir is not None:
            self._running().run(self._log(wanted))

    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            if self.verifier is not None:
                loop.run(self.verifier.close())
        finally:
            loop.close()

    def _running(self) -> BackgroundLoop:
        if self._loop is None:
            self._loop = BackgroundLoop("citeproof-corpus", alone=True)
            self.verifier = self._make()
        return self._loop

    async def _log(self, dois: list[str]) -> None:
        """Log what the documents are reported: asked now, kept from before, or not to be asked."""
        keeper = self.verifier.keeper if self.verifier is not None else None
        if keeper is not None:
            answers = (
                {"doi": doi, "answer": known.answer, "source": known.by, "cause": known.cause}
                for doi in dois
                for known in (self.known[doi],)
            )
            filled = [{name: value for name, value in answer.items() if value} for answer in answers]
            await keeper.keep_doi_answers(filled)

    async def _ask(self, dois: list[str]) -> None:
        assert self.verifier is not None
        async for doi, existence in look_up_dois(self.verifier, dois):
            self.known[doi] = existence
            if self._keeping and existence.answer != "unchecked":
                found = existence.answer != "absent"
                hours = self._settings.keep_found_hours if found else self._settings.keep_absent_hours
                until = self._clock.now() + timedelta(hours=hours)
                self._keeping.put_doi(doi, self._scope, f"{existence.answer} {existence.by}", until)


def _hash_manifest(folder: Path) -> str:
    """Return the digest of a snapshot's manifest, which has that of each of its files."""
    try:
        with (folder / manifest.FILE).open("rb") as file:
            return sha256(file.read(manifest.MAX_BYTES)).hexdigest()
    except OSError:
        return ""
