"""`claims --fetch-texts` over the loopback world: folder, open text, abstract of a snapshot, or a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest

import citeproof
from citeproof.evidence.index.build import BuildInput, build
from citeproof.laboratory.testing import Shelf, World
from citeproof.laboratory.testing.apis import crossref
from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract, build_jats, list_paragraphs
from citeproof.plumbing.clock import SystemClock, today
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import Ids, Record
from tests.claims.conftest import CSV
from tests.claims.test_claim_texts import _validate
from tests.evidence.sources.shelved import RESNET


def make_work(word: str, *marks: str, ids: tuple[tuple[str, str], ...] = ()) -> Record:
    title = f"How {word} doors open in the long corridors of science"
    pairs = (("doi", f"10.1234/{word}.5"), *ids)
    return replace(RESNET, id=word, titles=(title,), ids=Ids(pairs), marks=marks)


OPEN = make_work("jats", "open_access", ABSTRACT, ids=(("pmid", "7000001"), ("pmcid", "PMC7000001")))
COPY = make_work("pdf", "open_access", "at:pdf")
NAMED = make_work("named", ABSTRACT)
CLOSED = make_work("closed", "open_access", "at:closed")
WORKS = (OPEN, COPY, NAMED, CLOSED)


@dataclass
class Reader:
    """Somebody who asks about claims in a folder, against the loopback world."""

    world: World
    folder: Path
    capfd: pytest.CaptureFixture[str]

    def ask(self, *claims: tuple[str, Record], flags: tuple[object, ...] = ()) -> tuple[str, str]:
        (self.folder / "h.json").write_text(json.dumps(make_hypothesis(*claims)))
        with pytest.raises(SystemExit) as ended:
            door.main(["claims", str(self.folder / "h.json"), *map(str, flags)])
        assert not ended.value.code
        told = self.capfd.readouterr()
        return told.out, told.err

    def get_supports(self, *claims: tuple[str, Record], flags: tuple[object, ...] = ()) -> list[dict]:
        told = json.loads(self.ask(*claims, flags=("--format", "json", *flags))[0])
        _validate(told)
        assert {one["status"] for one in told["claims"]} == {"verified"}
        return [one["support"] for one in told["claims"]]


def make_hypothesis(*claims: tuple[str, Record]) -> dict[str, object]:
    made = [
        {"text": text, "references": [{"doi": one.ids.first("doi"), "title": one.title}]}
        for text, one in claims
    ]
    return {"claims": made}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(Shelf(*WORKS)) as made:
        yield made


@pytest.fixture
def reader(world, tmp_path, monkeypatch, capfd):
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    variables = {
        **world.environment(),
        "CITEPROOF_OFFLINE": "0",
        "CITEPROOF_PACE": "1000",
        "CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"),
        "CITEPROOF_CONTACT": "reader@library.test",
        "CITEPROOF_SNAPSHOT": str(tmp_path / "snapshot"),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(clients, "FREE", Rate(1000, 1.0, at_once=8))
    write_snapshot(tmp_path)
    (tmp_path / "rw.csv").write_text(CSV)
    import_files(load(), SystemClock(), [tmp_path / "rw.csv"], day=today(SystemClock()))
    return Reader(world, tmp_path, capfd)


def write_snapshot(folder: Path, name: str = "snapshot", *, abstracts: bool = False) -> Path:
    lines = [json.dumps(crossref.build_crossref_item(one)) for one in WORKS]
    (folder / "works.json").write_text("\n".join(lines))
    build([BuildInput("crossref", (folder / "works.json",))], folder / name, abstracts=abstracts)
    return folder / name


def pick_sentence(record: Record) -> str:
    """Return a sentence of the article with numbers that stand nowhere else."""
    return list_paragraphs(record)[2][1][4].split(". ")[0] + "."


# --- what is found -----------------------------------------------------------------------------


def test_the_full_text_is_fetched_and_its_passages_are_shown(reader):
    claim = pick_sentence(OPEN), OPEN
    out, err = reader.ask(claim, flags=("--fetch-texts", "--explain-network"))
    told = " ".join(out.split())
    assert "text of the work: full text [full_text] (Europe PMC PMC7000001)" in told
    assert "content: numbers_agree" in told
    assert "passage (Results" in told
    assert "/europe_pmc/PMC7000001/fullTextXML" in err


def test_a_free_copy_is_found_through_a_source_that_checks_do_not_ask(reader):
    (support,) = reader.get_supports((pick_sentence(COPY), COPY), flags=("--fetch-texts",))
    assert support["extent"] == "full_text"
    assert support["origin"].startswith(reader.world.origin)
    assert support["passages"][0]["page"]
    assert "unpaywall" in {one.api for one in reader.world.log}


def test_an_abstract_is_said_to_be_one(reader):
    claim = build_abstract(NAMED).split(". ")[1], NAMED
    (support,) = reader.get_supports(claim, flags=("--fetch-texts",))
    assert support["extent"] == "abstract_only"
    assert support["sha256"] == sha256(build_abstract(NAMED).encode()).hexdigest()
    assert support["passages"]
    assert "abstract only [abstract_only]" in " ".join(reader.ask(claim, flags=("--fetch-texts",))[0].split())


def test_the_folder_comes_first(reader):
    (reader.folder / "texts").mkdir()
    (reader.folder / "texts" / "own.xml").write_bytes(build_jats(OPEN))
    since = len(reader.world.log)
    flags = ("--fetch-texts", "--texts", reader.folder / "texts")
    (support,) = reader.get_supports((pick_sentence(OPEN), OPEN), flags=flags)
    assert support["origin"].endswith("own.xml")
    assert not [one for one in reader.world.log[since:] if "fullTextXML" in one.path]


@pytest.mark.parametrize("flags", [("--offline",), ("--offline", "--fetch-texts")])
def test_the_abstract_of_a_snapshot_costs_no_request(reader, flags):
    held = write_snapshot(reader.folder, "abstracts", abstracts=True)
    since = len(reader.world.log)
    claim = build_abstract(NAMED), NAMED
    (support,) = reader.get_supports(claim, flags=("--snapshot", held, *flags))
    assert support["extent"] == "abstract_only"
    assert support["origin"].startswith("snapshot:")
    assert support["sha256"] == sha256(build_abstract(NAMED).encode()).hexdigest()
    assert len(reader.world.log) == since


# --- what is not -------------------------------------------------------------------------------


def test_without_the_flag_nothing_is_fetched(reader):
    since = len(reader.world.log)
    assert reader.get_supports((pick_sentence(OPEN), OPEN)) == [None]
    assert {one.api for one in reader.world.log[since:]}.isdisjoint({"unpaywall", "robots", "publisher"})


def test_a_site_that_refuses_programs_is_named(reader):
    claim = "Doors open slowly in the long corridors.", CLOSED
    since = len(reader.world.log)
    (support,) = reader.get_supports(claim, flags=("--fetch-texts",))
    host = reader.world.origin.removeprefix("http://")
    refusal = f"{host} does not allow programs to read it (robots.txt)"
    assert (support["outcome"], support["extent"]) == ("no_text", "no_text")
    assert refusal in support["reasons"]
    assert "publisher" not in {one.api for one in reader.world.log[since:]}
    told = " ".join(reader.ask(claim, flags=("--fetch-texts",))[0].split())
    assert f"text of the work: none [no_text] ({refusal}" in told


def test_offline_nobody_is_asked_and_it_says_so(reader):
    since = len(reader.world.log)
    claim = pick_sentence(OPEN), OPEN
    (support,) = reader.get_supports(claim, flags=("--fetch-texts", "--offline"))
    assert support["reasons"] == ["no open text was looked for: the run is offline"]
    assert len(reader.world.log) == since


def test_only_chosen_sources_are_asked_for_texts(reader):
    since = len(reader.world.log)
    flags = ("--fetch-texts", "--sources", "snapshot,crossref")
    (support,) = reader.get_supports((pick_sentence(OPEN), OPEN), flags=flags)
    assert (support["extent"], support["origin"]) == ("abstract_only", "Crossref")
    assert {one.api for one in reader.world.log[since:]} == {"crossref"}


# --- the log, and Python -----------------------------------------------------------------------


def test_the_log_has_the_digest_and_no_text(reader):
    flags = ("--fetch-texts", "--audit", reader.folder / "log", "--format", "json")
    sentence = pick_sentence(OPEN)
    reader.ask(("Doors are opened by what was collected.", OPEN), flags=flags)
    lines = [
        line for file in (reader.folder / "log").rglob("*.jsonl") for line in file.read_text().splitlines()
    ]
    (event,) = [json.loads(line) for line in lines if '"claim_verified"' in line]
    assert event["text_hash"] == sha256(build_jats(OPEN)).hexdigest()
    store = EvidenceStore(reader.folder / "log", readonly=True)
    bodies = [store.get(digest) or b"" for digest in store.hashes()]
    store.close()
    assert bodies  # records that the verdict stands on
    assert not [one for one in bodies if sentence.encode() in one or b"In the middle of" in one]


def test_python(reader):
    claims = make_hypothesis((pick_sentence(OPEN), OPEN), (pick_sentence(OPEN), OPEN))
    with citeproof.Verifier(fetch_texts=True) as verifier:
        for _ in range(2):
            grounded = verifier.ground(claims)
            assert [one.support.extent.value for one in grounded.claims] == ["full_text"] * 2
    with citeproof.Verifier(fetch_texts=True, audit_dir=reader.folder / "log") as verifier:
        assert verifier.ground(claims).claims[0].support.origin == "Europe PMC PMC7000001"
