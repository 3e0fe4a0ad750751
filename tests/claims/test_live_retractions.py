"""Retractions of cited works: registries where no list is installed, a stop offline, and the caveat."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

import citeproof
from citeproof.claims.trace import list_trace
from citeproof.errors import UsageError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.net import client as clients
from citeproof.proof.replay import Replay, ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.claim_session import choose_exit_code, ground_document, make_text_guard
from citeproof.service.exit_codes import Exit
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import ClaimStatus, Document, Ids, Kind, Name, Record, Version
from tests.claims.conftest import RECORDS
from tests.contract import running

DOI, ARXIV = "10.1093/brain/awz189", "2106.09685"
WORK = Record(
    "made", DOI, ("Tau pathology in early-onset Alzheimer's disease",), (Name("Yamada", "A."),),
    versions=(Version(2019, "Brain", Kind.ARTICLE),), kind=Kind.ARTICLE, ids=Ids((("doi", DOI),)),
)  # fmt: skip
REFERENCE = {"title": WORK.titles[0], "authors": ["Yamada"], "year": 2019, "doi": DOI}


@pytest.fixture
def ground(tmp_path, monkeypatch):
    """One claim on a work with `marks`, grounded live without a list of retractions."""
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    monkeypatch.setattr(clients, "RETRIES", 0)

    def call(*marks, work=WORK, reference=REFERENCE, faults=None, **variables):
        with World(Shelf(replace(work, marks=marks)), faults=faults or {}) as world:
            chosen = load(environment=running.environment(world, tmp_path, **variables), folder=tmp_path)
            engine = assemble(chosen, stage="grounding")
            given = json.dumps({"claims": [{"text": "It begins early.", "references": [reference]}]})
            return asyncio.run(_run(engine, Document("h.json", given.encode())))

    return call


async def _run(engine, document):
    try:
        return await ground_document(engine, document)
    finally:
        await engine.close()


@pytest.mark.parametrize(
    ("marks", "status"),
    [
        ((), ClaimStatus.VERIFIED),
        (("noticed:retracted",), ClaimStatus.RETRACTED_SOURCE),  # its own record does not say so
        (("retracted",), ClaimStatus.RETRACTED_SOURCE),
        (("noticed:withdrawn",), ClaimStatus.RETRACTED_SOURCE),
        (("noticed:corrected",), ClaimStatus.VERIFIED),  # an erratum is no retraction
        (("noticed:partial_retraction",), ClaimStatus.VERIFIED),  # with a warning
        (("retraction_hint",), ClaimStatus.VERIFIED),  # only OpenAlex says so, of a work that Crossref has
    ],
)
def test_without_a_list_registries_are_asked_for_notices(marks, status, ground):
    (one,) = ground(*marks).claims
    assert one.status is status
    assert one.caveat == ""
    if status is ClaimStatus.VERIFIED and not marks:
        assert any("retraction: clear (crossref" in line for line in list_trace(one))


def test_a_preprint_is_cleared_by_its_server(ground):
    named = Ids((("arxiv", ARXIV), ("doi", f"10.48550/arxiv.{ARXIV}")))
    version = (Version(2021, "arXiv", Kind.PREPRINT),)
    work = replace(WORK, id=ARXIV, ids=named, kind=Kind.PREPRINT, versions=version)
    reference = {"title": WORK.titles[0], "authors": ["Yamada"], "arxiv": ARXIV}
    (one,) = ground(work=work, reference=reference).claims
    assert one.status is ClaimStatus.VERIFIED, list_trace(one)
    assert any("retraction: clear (arxiv" in line for line in list_trace(one))


def test_registries_that_cannot_say_leave_the_claim_unchecked_unless_that_is_allowed(ground):
    named = Ids((("doi", "10.5281/zenodo.77777"),))
    work = replace(WORK, id="10.5281/zenodo.77777", ids=named, kind=Kind.DATASET)
    reference = {"title": WORK.titles[0], "authors": ["Yamada"], "doi": "10.5281/zenodo.77777"}
    assert ground(work=work, reference=reference).claims[0].status is ClaimStatus.VERIFIED
    (one,) = ground("retraction_hint", work=work, reference=reference).claims
    assert (one.status, "OpenAlex marks the work" in one.reason) == (ClaimStatus.UNCHECKED, True)
    silent = {"openalex": ALL_FAULTS["silence"]}
    grounded = ground(work=work, reference=reference, faults=silent)
    assert grounded.claims[0].status is ClaimStatus.UNCHECKED
    assert "citeproof lists update" in grounded.claims[0].reason
    grounded = ground(
        work=work, reference=reference, faults=silent, CITEPROOF_ALLOW_UNCHECKED_RETRACTIONS="1"
    )
    (one,) = grounded.claims
    assert (one.status, one.caveat) == (ClaimStatus.VERIFIED, "retraction_unchecked")
    assert choose_exit_code(grounded) is Exit.CLEAN


def test_what_registries_said_is_replayed_without_a_difference(ground, tmp_path):
    audit = tmp_path / "audit"
    for run, marks in (("clear", ()), ("gone", ("noticed:retracted",))):
        folders = {"AUDIT_DIR": audit, "AUDIT_KEY": tmp_path / "keys", "CACHE_DIR": tmp_path / run}
        variables = {f"CITEPROOF_{name}": str(path) for name, path in folders.items()}
        ground(*marks, CITEPROOF_AUDIT_RUN=run, **variables)
        with Replay.open(audit, run) as replay:
            found = [*replay.references(), *replay.further()]
        assert [one for one in found if one.state is not ReplayState.IDENTICAL] == []


def test_a_citation_whose_retraction_was_allowed_to_be_unchecked_is_replayed_so(ground, tmp_path):
    folders = {"AUDIT_DIR": tmp_path / "audit", "AUDIT_KEY": tmp_path / "keys"}
    variables = {f"CITEPROOF_{name}": str(path) for name, path in folders.items()}
    variables |= {"CITEPROOF_SOURCES": "acl,doi,semantic_scholar", "CITEPROOF_AUDIT_RUN": "allowed"}
    (one,) = ground(CITEPROOF_ALLOW_UNCHECKED_RETRACTIONS="1", **variables).claims
    assert one.caveat == "retraction_unchecked"
    with Replay.open(tmp_path / "audit", "allowed") as replay:
        found = [*replay.references(), *replay.further()]
    assert [each for each in found if each.state is not ReplayState.IDENTICAL] == []


# --- offline -----------------------------------------------------------------------------------------


@pytest.fixture
def unlisted(tmp_path, monkeypatch):
    """A folder in which runs are offline, have a snapshot, and no list of retractions."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    build([BuildInput("bibtex", (RECORDS,))], tmp_path / "snapshot", name="made")
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(tmp_path / "snapshot"))
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    reference = {"doi": "10.18653/v1/N19-1423", "authors": ["Devlin"]}
    (tmp_path / "h.json").write_text(
        json.dumps({"claims": [{"text": "It works.", "references": [reference]}]})
    )
    return tmp_path


def _run_claims(capfd, *arguments, command="claims"):
    with pytest.raises(SystemExit) as ended:
        door.main([command, *map(str, arguments)])
    return int(ended.value.code or 0), capfd.readouterr()


def test_an_offline_run_without_a_list_stops_before_it_starts(unlisted, capfd):
    code, ended = _run_claims(capfd, unlisted / "h.json")
    assert (code, ended.out) == (2, "")
    assert "no list of retractions is installed" in ended.err
    assert "hint: run `citeproof lists update`" in ended.err
    assert "--allow-unchecked-retractions" in ended.err


def test_python_and_the_stream_stop_too(unlisted):
    with citeproof.Verifier() as verifier, pytest.raises(UsageError, match="no list of retractions"):
        verifier.ground(unlisted / "h.json")
    with pytest.raises(UsageError, match="no list of retractions"):
        make_text_guard(assemble(load()), "bracket")


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_an_allowed_offline_run_says_of_each_citation_that_its_retraction_is_unchecked(form, unlisted, capfd):
    flags = ("--allow-unchecked-retractions", "--format", form)
    code, ended = _run_claims(capfd, unlisted / "h.json", *flags)
    assert code == 0
    told = "retraction_unchecked" if form == "json" else "citation verified (retraction not checked)"
    assert told in ended.out.replace("\\", "")


def test_no_receipt_is_signed_for_a_citation_whose_retraction_is_unchecked(unlisted, capfd):
    flags = ("--allow-unchecked-retractions", "--receipts", unlisted / "r.json")
    _run_claims(capfd, unlisted / "h.json", *flags)
    assert json.loads((unlisted / "r.json").read_text())["receipts"] == []


@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        ((), "BERT (Devlin et al., https://doi.org/10.18653/v1/N19-1423) works."),
        (("--render",), "BERT [[cite:10.18653/v1/N19-1423]] works."),
    ],
)
def test_the_guard_takes_the_flag_that_its_error_names(flags, answer, unlisted, capfd):
    (unlisted / "answer.md").write_text(answer)
    stopped, ended = _run_claims(capfd, unlisted / "answer.md", *flags, command="guard")
    assert (stopped, ended.out) == (2, "")
    assert "--allow-unchecked-retractions" in ended.err
    allowed = (*flags, "--allow-unchecked-retractions")
    code, ended = _run_claims(capfd, unlisted / "answer.md", *allowed, command="guard")
    assert (code, "Devlin" in ended.out) == (0, True)
