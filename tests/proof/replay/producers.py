"""One log to which every producer of events has written: the doors, and the commands that keep a log."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.clock import FixedClock, SystemClock, format_timestamp, today
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.stores.decision_store import DecisionStore
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.erasure import prune_evidence
from citeproof.proof.audit.key_store import KeyStore
from citeproof.service.assemble import assemble
from citeproof.service.batch.document_checker import CheckPlan, DocumentChecker, DocumentTask
from citeproof.service.check_session import begin_check
from citeproof.service.claim_session import ground_document
from citeproof.service.corpus_project import Project
from citeproof.service.input_documents import JobRequest
from citeproof.service.job_runner import JobRunner
from citeproof.service.job_work import name_run
from citeproof.service.list_import import import_files
from citeproof.service.person_decisions import DecidedReference, DecisionKeeper
from citeproof.settings import Settings, load
from citeproof.surfaces.python import Verifier
from citeproof.vocabulary import Document, Ids, Kind, Name, Record, Version
from tests.contract import running
from tests.proof.audit.making import ran

PATIENT = 120.0  # seconds; a loaded machine is slow
LEHMANN, PARK, OTHER, YAMADA, GONE, LISTED = (
    "10.1046/j.1471-4159.2001.00407.x", "10.1038/s41591-024-99999-9", "10.1093/brain/awy123",
    "10.1093/brain/awz189", "10.1126/science.adi2317", "10.9999/ijar.2020.7",
)  # fmt: skip
TAU = "Tau pathology in early-onset Alzheimer's disease"
SUBJECTS = ("memory", "sleep", "vision", "pain", "taste", "smell", "balance", "speech", "touch", "hearing")


def _make_work(title: str, author: str, year: int, venue: str, doi: str) -> Record:
    version = Version(year, venue, Kind.ARTICLE)
    return Record(
        "made", doi, (title,), (Name(author, "Ada"),), versions=(version,), kind=Kind.ARTICLE,
        ids=Ids((("doi", doi),)),
    )  # fmt: skip


FIRST, WRONG, RIGHT, RETRACTED, PREDATORY = (
    _make_work("Phosphorylation of tau protein in cultured neurons", "Lehmann", 2001, "Brain", LEHMANN),
    _make_work("Cortical thinning after traumatic brain injury", "Yamada", 2018, "Brain", OTHER),
    _make_work(TAU, "Yamada", 2019, "Brain", YAMADA),
    _make_work("A finding that did not hold", "Miller", 2023, "Science", GONE),
    _make_work("Results of a study without any review", "Okafor", 2020, "Journal of Listed Results", LISTED),
)
SERIES = tuple(
    _make_work(f"The neural basis of {what} in the ageing brain", "Quillfeldt", 2001 + n, "Cortex",
               f"10.5555/series.{n}")
    for n, what in enumerate(SUBJECTS)
)  # fmt: skip
RETRACTIONS = f"""Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
A finding that did not hold,A. Miller,4/30/2026 0:00,10.1126/science.adz0001,{GONE},Retraction,+Error;,
"""
JOURNALS = "url,name,abbr\nhttp://www.listed.example/,Journal of Listed Results,JLR\n"


def _cite(key: str, work: Record, **other: object) -> str:
    version = work.versions[0]
    fields = {
        "title": work.title, "author": f"{work.authors[0].family}, Ada", "year": version.year,
        "journal": version.venue, "doi": work.ids.first("doi"),
    } | other  # fmt: skip
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@article{{{key},\n{body}\n}}\n"


BIBTEX = "".join((
    _cite("verified", FIRST),
    _cite("no_such_doi", FIRST, title="Antibodies against oligomers nobody saw", author="Park, P.", doi=PARK),
    _cite("two_dois", RIGHT, note=f"https://doi.org/{PARK}"),
    _cite("other_title", RIGHT, title="A wholly different study of mountain weather", year=1987),
    _cite("other_author", RIGHT, author="Brontë, Charlotte and Gaskell, Elizabeth"),
    _cite("invented", FIRST, title="Recursive shadow pyramids of unseen ice", author="Nobody, N.", doi=""),
    _cite("wrong_doi", RIGHT, doi=OTHER),
    _cite("retracted", RETRACTED),
    _cite("predatory", PREDATORY),
    _cite("generated", WRONG, abstract="As an AI language model, I cannot browse. Regenerate response"),
    "@misc{page, title={Minutes of the village council}, author={Clerk, C.}, year=1991}\n",
    *(_cite(f"series{n}", work) for n, work in enumerate(SERIES)),
))  # fmt: skip
YAMADA_2019 = {
    "text": "Yamada et al. 2019, Brain", "title": "Tau pathology in early-onset AD",
    "authors": ["Yamada"], "year": 2019, "venue": "Brain",
    "candidates": [{"doi": OTHER, "confidence": 0.7}, {"doi": YAMADA, "confidence": 0.6}],
}  # fmt: skip


def _propose(work: Record, **other: object) -> dict[str, object]:
    return {"title": work.title, "authors": [work.authors[0].family], "doi": work.ids.first("doi")} | other


def _claim(text: str, *references: dict[str, object]) -> dict[str, object]:
    return {"text": text, "references": list(references)}


HYPOTHESIS = {
    "id": "h_abc123",
    "claims": [
        *(_claim(f"On {what}.", _propose(work)) for what, work in zip(SUBJECTS, SERIES, strict=True)),
        _claim("Tau is phosphorylated before it aggregates.", _propose(FIRST, confidence=0.62)),
        _claim("Antibodies slow the aggregation.",
               _propose(FIRST, title="Antibodies against tau oligomers", authors=["Park", "Ng"], doi=PARK)),
        _claim("It begins early in the entorhinal cortex.", YAMADA_2019),
        _claim("It holds.", _propose(RETRACTED, confidence=0.9), _propose(RIGHT, confidence=0.5)),
        _claim("Nobody says where this is from."),
        _claim("It was another author.", _propose(RIGHT, authors=["Lovelace, Ada"], year=2019)),
    ],
}  # fmt: skip
STREAM = (
    f"Tau comes early (https://doi.org/{YAMADA}). It was shown before (https://doi.org/{PARK}). "
    f"One result did not hold (https://doi.org/{GONE}). Others say so [1].\n\n## References\n\n"
    "[1] Lehmann, A. (2001). Phosphorylation of tau protein in cultured neurons. Brain.\n"
    f"[2] Miller, A. (2023). A finding that did not hold. Science. https://doi.org/{GONE}\n"
)
DECIDED = {"ev": "decided", "reference": 1, "choice": "accept"}
CORPUS = f"# Notes\n\nEarly (doi:{YAMADA}), withdrawn (doi:{GONE}), invented (doi:{PARK}).\n"


@dataclass(frozen=True, slots=True)
class Produced:
    """A log, and the runs that each producer wrote to it."""

    folder: Path
    runs: dict[str, tuple[str, ...]]

    @property
    def audit(self) -> Path:
        return self.folder / "audit"


def check(settings: Settings, folder: Path) -> None:
    verifier = assemble(settings, stage="check")
    checking = begin_check(verifier, [Document("refs.bib", BIBTEX.encode())])
    assert list(checking)
    list(checking.set_findings)


def late(settings: Settings, folder: Path) -> None:
    """Read a second document after the first was checked; what the documents say is logged in clear."""
    asyncio.run(_check_in_turn(replace(settings, audit_clear=True)))


async def _check_in_turn(settings: Settings) -> None:
    engine = assemble(settings, stage="check")
    try:
        for name, work in (("first.bib", FIRST), ("second.bib", RETRACTED)):
            extraction = engine.extract(Document(name, _cite("one", work).encode()))
            assert [one async for one in engine.verify(extraction)]
    finally:
        await engine.close()


def claims(settings: Settings, folder: Path) -> None:
    asyncio.run(_ground(settings, Document("h.json", json.dumps(HYPOTHESIS).encode())))


async def _ground(settings: Settings, document: Document) -> None:
    engine = assemble(settings, stage="grounding")
    try:
        await ground_document(engine, document)
    finally:
        await engine.close()


def check_corpus(settings: Settings, folder: Path) -> list[DocumentResult]:
    root = folder / "project"
    root.mkdir()
    (root / "notes.md").write_text(CORPUS)
    with closing(Project(settings, root)) as project:
        return list(project.results(project.documents([str(root / "notes.md")])))


def corpus(settings: Settings, folder: Path) -> None:
    assert check_corpus(settings, folder)


def batch(settings: Settings, folder: Path) -> None:
    with closing(DocumentChecker(CheckPlan(settings, (), format_timestamp(SystemClock())).pack())) as checker:
        assert checker.check(DocumentTask("refs.bib", BIBTEX.encode())).status == "checked"


def stream(settings: Settings, folder: Path) -> None:
    async def read() -> list[str]:
        async with Verifier(settings) as verifier:
            return [one.text async for one in verifier.ground_stream([STREAM])]

    shown = "".join(asyncio.run(read()))
    assert YAMADA in shown
    assert GONE not in shown


def server(settings: Settings, folder: Path) -> None:
    runner = JobRunner(settings, folder / "jobs")
    runner.start()
    try:
        for request in (
            JobRequest("check", "refs.bib", BIBTEX.encode()),
            JobRequest("ground", "h.json", json.dumps(HYPOTHESIS).encode()),
        ):
            job = asyncio.run(runner.wait(runner.submit(request, "ann").id, PATIENT))
            assert not job.error, job.error
            with closing(DecisionStore(folder / "jobs")) as store:
                keeper = DecisionKeeper(settings, store, SystemClock())
                keeper.decide(DecidedReference(job.id, name_run(job.id), 0), "accept", "seen in print")
                keeper.close()
    finally:
        runner.stop(PATIENT)


PRODUCERS: dict[str, Callable[[Settings, Path], None]] = {
    one.__name__: one for one in (check, late, claims, corpus, batch, stream, server)
}


@contextmanager
def serve_works(folder: Path) -> Iterator[Settings]:
    """Yield the settings of runs against registries that have the works, while one of them fails."""
    shelf, failing = Shelf(FIRST, WRONG, RIGHT, RETRACTED, PREDATORY, *SERIES), ALL_FAULTS["bot_wall"]
    with pytest.MonkeyPatch.context() as patch, World(shelf, faults={"europe_pmc": failing}) as world:
        patch.setattr(clients, "PATIENCE", 0.1)
        patch.setattr(clients, "RETRIES", 0)
        settings = load(environment=running.environment(world, folder), folder=folder)
        for name, text in (("retraction_watch.csv", RETRACTIONS), ("journals.csv", JOURNALS)):
            (folder / name).write_text(text)
            import_files(settings, SystemClock(), [folder / name], day=today(SystemClock()))
        yield settings


def produce(folder: Path) -> Produced:
    """Return a log to which every producer has written."""
    made: dict[str, tuple[str, ...]] = {}
    with serve_works(folder) as settings:
        logged = replace(settings, audit_dir=folder / "audit", audit_key=folder / "keys")
        for name, write in PRODUCERS.items():
            before = {one.run for one in log_reader.list_runs(folder / "audit")} if made else set()
            write(replace(logged, audit_run="" if name == "server" else name), folder)
            runs = (one.run for one in log_reader.list_runs(folder / "audit") if one.run not in before)
            made[name] = tuple(runs)
    return Produced(folder, made)


def keep_log(produced: Produced, folder: Path) -> tuple[Path, ...]:
    """Return logs to which their owner did what he may: they have the events about logs themselves."""
    audit, other = folder / "audit", folder / "other"
    shutil.copytree(produced.folder / "keys", folder / "keys")
    shutil.copytree(produced.audit, audit)
    keys = KeyStore(folder / "keys")
    with closing(AuditLog.open_or_create(other, SystemClock(), keys)) as log:
        log.append("h_other", [DECIDED])
        log.commit("h_other", [])
    [journal] = audit.glob("journal-*")
    journal.write_bytes(journal.read_bytes() + b'{"ev":"ver')  # a crash
    key = json.loads((other / "log.json").read_bytes())["key"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITEPROOF_AUDIT_KEY", str(folder / "keys"))
        for command in (
            ("observe", audit, other, "--key", key),
            ("redact", audit, "claims/1", "--reason", "asked for by its author"),
            ("rotate", other),
        ):
            ended = ran(*command)
            assert ended.code == 0, ended
    later = FixedClock(datetime.now(UTC) + timedelta(days=400))
    with (
        closing(AuditLog.open(audit, later, keys)) as log,
        closing(EvidenceStore(audit)) as evidence,
        closing(PrivateStore(audit)) as private,
    ):
        prune_evidence(log, evidence, private, later.now() - timedelta(days=365), later)
    with closing(AuditLog.open(audit, SystemClock(), keys)) as log:  # whose clock went back
        log.append("check", [DECIDED])
    return (audit, other, *(other / "closed").iterdir())
