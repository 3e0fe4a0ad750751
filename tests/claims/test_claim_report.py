"""What `claims` and `ground` give: the schemas, the formats, the Python door."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt
from referencing import Registry, Resource

import citeproof
from citeproof.claims.hypothesis_json import build_input_schema, read_hypothesis
from citeproof.errors import InputError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import ClaimStatus

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "docs" / "spec"
CSV = "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
HYPOTHESIS = {
    "claims": [
        {
            "text": "Masked pre-training <b>works</b>.",
            "references": [{"doi": "10.18653/v1/N19-1423", "authors": ["Devlin"], "year": 2019}],
        },
        "Nobody says where this is from.",
    ]
}


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A snapshot, a list of retractions of today that has none, and a hypothesis."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    build([BuildInput("bibtex", (ROOT / "examples" / "records.bib",))], tmp_path / "snapshot", name="made")
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(tmp_path / "snapshot"))
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    row = "T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Error;,\n"
    (tmp_path / "rw.csv").write_text(CSV + row)
    import_files(load(), SystemClock(), [tmp_path / "rw.csv"], day=today(SystemClock()))
    (tmp_path / "h.json").write_text(json.dumps(HYPOTHESIS))
    return tmp_path


def _run(capfd, *arguments):
    with pytest.raises(SystemExit) as ended:
        door.main(["claims", *arguments])
    return int(ended.value.code or 0), capfd.readouterr().out


def test_json_fits_its_schema(world, capfd):
    code, out = _run(capfd, str(world / "h.json"), "--format", "json")
    told = json.loads(out)
    whole = Resource.from_contents(json.loads((SPEC / "report.schema.json").read_text()))
    registry = Registry().with_resource("report.schema.json", whole)
    schema = json.loads((SPEC / "claims.schema.json").read_text())
    schema.pop("$id")  # so that the other one is found beside it
    jsonschema.Draft202012Validator(schema, registry=registry).validate(told)
    assert [one["status"] for one in told["claims"]] == ["verified", "unsupported"]
    assert told["claims"][0]["citation"]["ids"]["doi"] == "10.18653/v1/n19-1423"
    assert code == 1


@pytest.mark.parametrize("form", ["text", "md", "jsonl", "csv", "sarif", "junit"])
def test_every_format_has_every_claim(form, world, capfd):
    _, out = _run(capfd, str(world / "h.json"), "--format", form)
    assert "unsupported" in out
    assert form in ("junit", "sarif") or "10.18653/v1/n19-1423" in out
    if form == "md":
        assert "<b>" not in out
    if form in ("text", "md"):  # what is wrong comes first
        assert out.index("DROPPED") < out.index("VERIFIED")


def test_markdown_says_what_was_claimed_for_a_claim_without_words(world, capfd):
    (world / "a.md").write_text("# References\n\n1. Finch, A. (2016). Forgetting by gradient echo. *CVPR*.\n")
    _, out = _run(capfd, str(world / "a.md"), "--format", "md")
    assert "Claimed: Finch, A. (2016)" in out.replace("\\", "")


def test_the_published_schema_is_that_of_the_reader():
    published = json.loads((SPEC / "hypothesis.schema.json").read_text())
    assert published == build_input_schema()
    jsonschema.validate(HYPOTHESIS, published)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b"{", "is not JSON"),
        (b'{"claims": [{"references": []}]}', "`text`"),
        (b'{"claims": [{"text": "a", "references": [{"year": "x"}]}]}', "$.claims[0].references[0].year"),
        (b'{"claims": [{"text": "a", "references": [{"doi": "10.1/x", "confidence": 2}]}]}', "confidence"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(given, told):
    with pytest.raises(InputError) as error:
        read_hypothesis(given, "h.json")
    assert told in error.value.message
    assert error.value.hint


def test_python(world):
    with citeproof.Verifier() as verifier:
        grounded = verifier.ground(HYPOTHESIS)
    assert [one.status for one in grounded.claims] == [ClaimStatus.VERIFIED, ClaimStatus.UNSUPPORTED]
    assert repr(grounded).startswith(
        "<GroundedHypothesis 'hypothesis': 1 verified, 0 resolved, 1 unsupported"
    )
    assert citeproof.ground(world / "h.json").claims[0].attached is not None


def test_a_document_without_claims_is_nothing(world, capfd):
    (world / "a.md").write_text("Nothing is cited here.\n")
    assert _run(capfd, str(world / "a.md")) == (3, "")
    (world / "both").mkdir()
    for name in ("a.md", "b.md"):
        (world / "both" / name).write_text("Nothing.\n")
    assert _run(capfd, str(world / "both"))[0] == 2


def test_a_hostile_claim_forms_no_markup_in_a_whole_report(offline_world, capfd, monkeypatch):
    monkeypatch.chdir(offline_world)
    lines = ["1. item", "- item", "---", "<b>x</b> ![i](http://evil.example)\n\n# head\n```\n[a]: http://b"]
    given = [{"id": text, "text": text, "references": [text]} for text in lines]
    (offline_world / "h.json").write_text(json.dumps({"title": lines[-1], "claims": given}))
    with pytest.raises(SystemExit):
        door.main(["claims", "h.json", "--format", "md"])
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(capfd.readouterr().out)
    kinds = [token.type for one in tokens for token in (one, *(one.children or ()))]
    assert kinds.count("heading_open") == 1 + len(lines)
    assert kinds.count("bullet_list_open") == len(lines)  # the traces
    assert not {"ordered_list_open", "hr", "fence", "code_block", "image", "link_open", "html_inline"} & {
        *kinds
    }
