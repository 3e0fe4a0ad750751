"""Hand-made values that tests of reporters, serialiser and doors share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from citeproof.answers.fix import correct
from citeproof.evidence.index import manifest
from citeproof.vocabulary import (
    Absent,
    Band,
    Cause,
    Checked,
    Claimed,
    Compared,
    Comparison,
    FieldOrigin,
    Finding,
    FindingState,
    Found,
    Ids,
    Judgement,
    Kind,
    Label,
    Mismatch,
    Name,
    Origin,
    Outcome,
    Place,
    Problem,
    Provenance,
    Reach,
    Reason,
    Record,
    Reference,
    Retrieval,
    Run,
    Splice,
    Stop,
    Unchecked,
    Verdict,
    Version,
)
from tests.durations import read_long_tests
from tests.sandbox_coverage import measure_helpers
from tests.soak import FULL, SHARE
from tests.tables import make_table

# A slow machine is no failure, and a run in CI draws the same examples every time.
settings.register_profile("steady", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("soak", settings.get_profile("steady"), max_examples=1000)
settings.load_profile("soak" if FULL else "steady")
measure_helpers()
_LONG_TESTS = read_long_tests()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[object]:
    """Look for no garbage while tests are collected (a quarter of that time), nor in what they are later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


os.environ.setdefault("CITEPROOF_OFFLINE", "1")  # a test that wants the loopback world says so
_FOLDERS = TemporaryDirectory(
    prefix="citeproof-tests-",
    dir=os.environ.get("PYTEST_DEBUG_TEMPROOT") or None,  # in memory, where `make test` puts all folders
    ignore_cleanup_errors=True,
)
_NUMBERS = count()
# What a fixture of a whole session built is the user's own in every test; a command in a process of its own
# is told of it by XDG_STATE_HOME.
USER_STATE = Path(_FOLDERS.name) / "state"
manifest.find_state_folder = lambda name: USER_STATE / "citeproof" / name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that were measured to be long, before a marker chooses among them."""
    for item in items:
        if item.nodeid.partition("[")[0] in _LONG_TESTS:
            item.add_marker("slow")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Give every test a cache and a state of its own: the next test's server may have the last one's port."""
    folder = f"{_FOLDERS.name}/{next(_NUMBERS)}"
    os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: object) -> pytest.Function | None:
    """Make one test of a table of cases; the long ones stay many, so that workers share them."""
    if f"{collector.nodeid}::{name}" in _LONG_TESTS:
        return None
    return make_table(collector, name, obj, pytest_runtest_setup)


SNAPSHOT = "cps1-0123456789abcdef"
SOURCE = "snapshot:made"

BERT = Record(
    source=SOURCE,
    id="bibtex:DBLP:conf/naacl/DevlinCLT19",
    titles=("BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", "BERT"),
    authors=(
        Name("Devlin", "Jacob"),
        Name("Chang", "Ming-Wei"),
        Name("Lee", "Kenton"),
        Name("Toutanova", "Kristina"),
    ),
    versions=(
        Version(2019, "NAACL-HLT", Kind.ARTICLE, pages="4171--4186"),
        Version(2018, "arXiv", Kind.PREPRINT),
    ),
    kind=Kind.ARTICLE,
    publisher="Association for Computational Linguistics",
    ids=Ids((("doi", "10.18653/v1/n19-1423"), ("doi", "10.48550/arxiv.1810.04805"), ("arxiv", "1810.04805"))),
    work="w1",
    content_hash="ab" * 32,
)


def _reference(key: str, line: int, **claimed: object) -> Reference:
    return Reference(
        key=key,
        raw=f"@inproceedings{{{key}, …}}",
        kind=Kind.ARTICLE,
        claimed=Claimed(origins=(FieldOrigin("title", Origin.STRUCTURED, 1.0),), **claimed),  # type: ignore[arg-type]
        place=Place("refs.bib", line, 1, line + 4, None, 100 * line, 100 * line + 90),
    )


def _checked(
    reference: Reference, judgement: Judgement, *lookups: object, findings: tuple[Finding, ...] = ()
) -> Checked:
    compared = (judgement.matched,) if judgement.matched else ()
    correction = correct(reference, judgement)
    return Checked(reference, Retrieval(tuple(lookups)), compared, judgement, findings, correction)  # type: ignore[arg-type]


def _provenance(via: str | None, *lookups: object) -> Provenance:
    stages = ("extract", "parse", "retrieve", "compare", "judge")
    unchecked = tuple(found for found in lookups if isinstance(found, Unchecked))
    stops = (Stop("the identifier decided", ("snapshot:made/raw",)),)
    return Provenance(stages, via, tuple(lookups), unchecked, stops, (SNAPSHOT,), "rules-1")  # type: ignore[arg-type]


def exact() -> Checked:
    """A reference that agrees with its record."""
    reference = _reference("devlin2019", 1, title=BERT.title, authors=BERT.authors, year=2019, ids=BERT.ids)
    found = Found(SOURCE, "doi", (BERT,), Reach.COMPLETE)
    match = Compared(
        BERT, (Comparison("title", Outcome.SAME, "equal", BERT.title, BERT.title, 1.0),), ("doi",), (SOURCE,)
    )
    judgement = Judgement(
        Verdict.MATCHED, Label.EXACT, 10.0, 0.98765432, Band.HIGH, ("all_agree",),
        "Every cited field agrees.", match, provenance=_provenance("doi", found),
    )  # fmt: skip
    return _checked(
        reference, judgement, found, findings=(Finding("retracted", FindingState.CLEAR, "", SOURCE),)
    )


def minor() -> Checked:
    """A reference with a changed year and another first author, found by title."""
    reference = _reference(
        "devlin2020", 7, title="BERT", authors=(Name("Devlin", "Jakob"), Name("Google AI", collective=True)),
        et_al=True, year=2021,
    )  # fmt: skip
    found = Found(SOURCE, "title", (BERT,))
    title = Comparison("title", Outcome.VARIANT, "subtitle_dropped", "BERT", BERT.title, 0.87654321)
    match = Compared(BERT, (title,), ("title",), (SOURCE,))
    mismatches = (
        Mismatch("year", "2021", "2019", 0.0, Reason.OFF),
        Mismatch(
            "authors", "Jakob Devlin; Google AI", "Jacob Devlin; Ming-Wei Chang", 0.5, Reason.GIVEN_NAME
        ),
        Mismatch("pages", "1-2", "4171--4186", 0.0, Reason.OTHER_PAGES),
    )
    judgement = Judgement(
        Verdict.MATCHED, Label.MINOR, 6.5, 0.9, Band.MEDIUM, ("year_off_by_2",),
        "The year is 2021; the record has 2019.", match, mismatches, (match,),
        provenance=_provenance("title", found), summary="",
    )  # fmt: skip
    return _checked(
        reference,
        judgement,
        found,
        findings=(Finding("retracted", FindingState.FINDING, "withdrawn in 2020", SOURCE),),
    )


def noted(*, published: bool = True) -> Checked:
    """A talk that was published elsewhere, two years later; or pages that the record has otherwise."""
    key, line, year, venue = ("devlin2017", 7, 2017, "NIPS") if published else ("bert", 13, 2019, "NAACL-HLT")
    reference = _reference(
        key, line, title=BERT.title, authors=BERT.authors, year=year, venue=venue, pages="4172"
    )
    found = Found(SOURCE, "title", (BERT,))
    rows = (
        Comparison("title", Outcome.SAME, Reason.SAME, BERT.title, BERT.title, 1.0),
        Comparison("venue", Outcome.DIFFERS, Reason.OTHER_VENUE, venue, "NAACL-HLT", 0.2, 0.3)
        if published
        else Comparison("venue", Outcome.SAME, Reason.SAME, venue, "NAACL-HLT", 1.0),
    )
    notes = (
        Mismatch("year", "2017", "2019", 0.8, Reason.OFF)
        if published
        else Mismatch("pages", "4172", "4171--4186", 0.5, Reason.OTHER_PAGES),
    )
    match = Compared(BERT, rows, ("title",), (SOURCE,))
    judgement = Judgement(
        Verdict.MATCHED, Label.NOTED, 9.0, 0.8, Band.MEDIUM, ("work_identified",),
        "Title agrees with “BERT” (Devlin et al. 2019; snapshot:made, w1). Please check: what differs.",
        match, candidates=(match,), provenance=_provenance("title", found), notes=notes, summary="",
    )  # fmt: skip
    return _checked(reference, judgement, found)


def mismatch() -> Checked:
    """A title that is not the one its DOI leads to, spliced from two works."""
    reference = _reference(
        "chimera", 13, title="A Title Nobody Wrote", year=2019, ids=Ids((("doi", "10.18653/v1/n19-1423"),))
    )
    found = Found(SOURCE, "doi", (BERT,), Reach.COMPLETE)
    title = Comparison("title", Outcome.DIFFERS, "other_title", "A Title Nobody Wrote", BERT.title, 0.2)
    match = Compared(BERT, (title,), ("doi",), (SOURCE,))
    judgement = Judgement(
        Verdict.MISMATCH, Label.MAJOR, 1.0, 0.7, Band.LOW, (Reason.IDENTIFIER_OF_OTHER_WORK,),
        f"The DOI 10.18653/v1/n19-1423 belongs to “{BERT.title}”, not to this title.", match,
        (Mismatch("title", title.claimed, title.resolved, 0.2, Reason.OTHER_TITLE),),
        splices=(Splice(("doi",), BERT),), provenance=_provenance("doi", found),
        summary="The DOI 10.18653/v1/n19-1423 belongs to Devlin et al. 2019, not to this title.",
    )  # fmt: skip
    return _checked(reference, judgement, found)


def not_found() -> Checked:
    """A paper that a complete source does not have."""
    reference = _reference("nobody2019", 19, title="A Paper that Was Not There", year=2019, venue="NAACL")
    absent = Absent(SOURCE, "title", Reach.COMPLETE)
    judgement = Judgement(
        Verdict.NOT_FOUND, Label.MAJOR, 0.5, 0.93, Band.HIGH, ("absent_everywhere",),
        "Not found in any source that covers this kind of work (asked: snapshot:made).",
        provenance=_provenance(None, absent),
        summary="Not found in any source that covers this kind of work.",
    )  # fmt: skip
    return _checked(reference, judgement, absent)


def unchecked() -> Checked:
    """A work that no consulted source covers."""
    reference = _reference("knuth1984", 25, title="The TeXbook", year=1984)
    asked = Unchecked(
        SOURCE, "title", Cause.NOT_COVERED, "not in this snapshot, which does not claim to hold it"
    )
    judgement = Judgement(
        Verdict.UNCHECKED, None, None, None, None, ("not_covered",), "Too few sources answered to decide.",
        provenance=_provenance(None, asked),
    )  # fmt: skip
    return _checked(reference, judgement, asked)


def hostile() -> Checked:
    """A reference whose text tries to be markup in every medium."""
    nasty = "\x1b[2J<img src=x onerror=alert(1)> | [x](javascript:alert(1)) `code` [bold]*b*"
    nasty += "\u202e www.evil.example\r\nforged"
    reference = _reference("k|e`y[1]\n", 31, title=nasty)
    asked = Unchecked(SOURCE, "title", Cause.TIMEOUT, "<b>slow</b> https://evil.example/|")
    judgement = Judgement(
        Verdict.UNCHECKED, None, None, None, None, (), f"About {nasty}", provenance=_provenance(None, asked)
    )
    return _checked(reference, judgement, asked)


def run(*, problems: bool = True) -> Run:
    """The head of a report over one document with one broken entry."""
    broken = Problem(
        Place("refs.bib", 40, 1), "entry is not closed", "add the missing }", "@article{x, title={A"
    )
    return Run(
        "2026-01-02T03:04:05.678Z", ("refs.bib",), (SNAPSHOT,), (SOURCE,), True, "rules-1",
        (broken,) if problems else (), 7 if problems else None, 6,
    )  # fmt: skip


@pytest.fixture
def made_run() -> Run:
    return run()


@pytest.fixture
def made_checked() -> dict[str, Checked]:
    return {one.__name__: one() for one in (exact, minor, mismatch, not_found, unchecked, hostile)}


@pytest.fixture
def made_noted() -> tuple[Checked, ...]:
    """An exact reference, and two with a note: the published version differs, and sources disagree."""
    return exact(), noted(), noted(published=False)


@pytest.fixture
def soak_share() -> float:
    """The share of a long run to do: all of it under `make soak`, a twentieth everywhere else."""
    return SHARE


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """A folder on disk: `make test` has the others in /dev/shm, and below /dev are devices."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="session")
def doi_snapshot(tmp_path_factory) -> Path:
    """A snapshot that has one DOI and claims to hold everything of its registrant; made once."""
    from tests.corpus.sources import known_dois

    return known_dois(tmp_path_factory.mktemp("dois") / "snapshot")


NOBODY = 65534


@pytest.fixture
def as_nobody(tmp_path: Path):
    """A context in which this process may not do everything: root becomes another user for its length."""

    @contextmanager
    def become() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        for folder in (tmp_path, *tmp_path.parents):
            folder.chmod(folder.stat().st_mode | 0o055)
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(0)

    return become
