"""One setting value names one anchor; a bad one is told with its hint, and never repeated."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.errors import UsageError
from citeproof.plumbing.signed_note import COSIGNATURE
from citeproof.proof.audit.anchors.base import AnchorOutcome, HeldStatus, find_free_number, make
from citeproof.proof.audit.anchors.folder import FolderAnchor
from citeproof.proof.audit.anchors.s3 import S3Anchor
from citeproof.proof.audit.anchors.timestamp import TimestampAnchor
from citeproof.proof.audit.anchors.witness import WitnessAnchor
from tests.proof.audit.anchors.making import HOUR, around, keyed
from tests.proof.audit.anchors.tsa import Authority

pytestmark = pytest.mark.slow

WITNESS = keyed("example.org/witness", COSIGNATURE).verifier.text
LOG = keyed("example.org/log").verifier.text
SECRET = "hunter2hunter2"


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tsa")).roots


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("folder:commits", FolderAnchor),
        ("folder:/mnt/worm", FolderAnchor),
        ("s3://some-bucket/some/prefix?days=10", S3Anchor),
        ("s3://some-bucket?lock=off", S3Anchor),
        ("s3://some-bucket/?days=1&endpoint=http%3A%2F%2F127.0.0.1%3A1&region=eu-west-1&timeout=2", S3Anchor),
        ("s3://some-bucket/?days=1&endpoint=http://127.0.0.1:1", S3Anchor),
        ("tsa:https://tsa.example/tsr?x=1|roots={roots}", TimestampAnchor),
        ("tsa:http://tsa.example|roots={roots}|folder=stamps|timeout=3", TimestampAnchor),
        (f"witness:https://w.example/prefix/|{WITNESS}", WitnessAnchor),
        (f"witness:https://w.example|{WITNESS}|timeout=2.5", WitnessAnchor),
    ],
)
def test_good_values(text, kind, tmp_path, roots):
    assert isinstance(make(text.replace("{roots}", str(roots)), around(tmp_path)), kind)


@pytest.mark.parametrize(
    "text",
    [
        "", "folder", "folder:", "ftp:x", "S3://some-bucket/?days=1", "s3:some-bucket?days=1", "s3://", "s3://?days=1",
        "s3://B/?days=1", "s3://some-bucket/a b?days=1", "s3://some-bucket/", "s3://some-bucket/?days=0",
        "s3://some-bucket/?days=99999999999999", "s3://some-bucket/?days=1&days=2", "s3://some-bucket/?days=x",
        f"s3://some-bucket/?days=1&secret={SECRET}", f"s3://{SECRET}:x@some-bucket/?days=1",
        f"s3://some-bucket/?days=1&endpoint=https://u:{SECRET}@h", "s3://some-bucket/?days=1&endpoint=file:///etc",
        "s3://some-bucket/?days=1&lock=maybe", "s3://some-bucket/?days=1&timeout=-1", "s3://some-bucket/?days=1&timeout=x",
        "tsa:https://tsa.example", "tsa:https://tsa.example|roots=missing.pem", "tsa:https://tsa.example|roots=",
        "tsa:tsa.example|roots={roots}", f"tsa:https://u:{SECRET}@tsa.example|roots={{roots}}",
        "tsa:https://tsa.example:99999|roots={roots}", "tsa:https://tsa example|roots={roots}",
        "witness:https://w.example", "witness:https://w.example|", f"witness:https://w.example|{LOG}",
        f"witness:https://w.example|{WITNESS[:-4]}", f"witness:https://w.example|{WITNESS}|{SECRET}={SECRET}",
        f"witness:w.example|{WITNESS}", f"witness:https://w.example|{WITNESS}|timeout=1e9",
    ],
)  # fmt: skip
def test_bad_values_are_told_and_not_repeated(text, tmp_path, roots):
    with pytest.raises(UsageError) as caught:
        make(text.replace("{roots}", str(roots)), around(tmp_path))
    assert caught.value.hint
    assert caught.value.place.startswith("audit_anchors")
    assert SECRET not in str(caught.value)[len(SECRET) :] or f"|{SECRET}=" in text  # an option's name is told


@pytest.mark.parametrize(
    "text",
    [
        "s3://some-bucket/?days=1",
        "tsa:https://tsa.example|roots={roots}",
        f"witness:https://w.example|{WITNESS}",
    ],
)
def test_offline_opens_no_socket(text, tmp_path, roots, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a socket was opened"))
    anchor = make(text.replace("{roots}", str(roots)), around(tmp_path, offline=True))
    outcome = anchor.put("run", HOUR, b"x")
    assert outcome == AnchorOutcome(
        anchor.name, ok=False, place=outcome.place, detail="offline: nothing was sent"
    )
    held = [one.standing for one in anchor.list_held()]
    assert held == ([] if anchor.name == "tsa" else [HeldStatus.UNREAD])  # timestamps are kept here
    assert make("folder:commits", around(tmp_path, offline=True)).put("run", HOUR, b"x").ok


@pytest.mark.parametrize("run", ["", "../x", "a/b", ".hidden", "x" * 101, "a\n", "a\0"])
def test_names_lead_nowhere_else(run, tmp_path):
    with pytest.raises(ValueError, match="contains no commit"):
        make("folder:commits", around(tmp_path)).put(run, HOUR, b"x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "module", "extra"),
    [
        ("s3://some-bucket/?days=1", "boto3", "citeproof[s3]"),
        ("tsa:https://tsa.example|roots={roots}", "rfc3161_client", "citeproof[timestamps]"),
    ],
)
def test_a_missing_extra_is_told_with_its_name(text, module, extra, tmp_path, roots, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as caught:
        make(text.replace("{roots}", str(roots)), around(tmp_path))
    assert extra in caught.value.hint


@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9, 1000, 1023, 100_000])
def test_a_free_number_is_found_with_few_questions(count, after):
    asked = []
    found = find_free_number(lambda n: asked.append(n) or n <= count, after)
    assert found == max(count, after) + 1
    assert len(asked) <= 2 * count.bit_length() + 2


@given(st.sets(st.integers(1, 40)))
def test_a_number_that_is_found_is_free_whatever_is_taken(taken):
    assert (found := find_free_number(taken.__contains__)) not in taken
    assert found == 1 or found - 1 in taken
