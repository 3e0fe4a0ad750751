"""Timestamps of a real authority are taken, and openssl agrees; every other answer is refused with a word."""

from __future__ import annotations

import os
import random
import threading

import pytest

from citeproof.proof.audit.anchors import timestamp
from citeproof.proof.audit.anchors.anchor_http import AnchorError
from citeproof.proof.audit.anchors.base import HeldStatus, make
from tests.proof.audit.anchors.making import HOUR, Tree, around, serving
from tests.proof.audit.anchors.tsa import Authority

pytestmark = pytest.mark.slow

REPLY = "application/timestamp-reply"
TREE = Tree(5)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tsa"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("stranger"), "stranger")


def anchor(folder, url, authority, more=""):
    return make(f"tsa:{url}|roots={authority.roots}{more}", around(folder))


def test_a_timestamp_is_kept_and_openssl_agrees(authority, stranger, tmp_path):
    checkpoint = TREE.checkpoint()
    with authority.serving() as url:
        outcome = anchor(tmp_path, url, authority).put("run", HOUR, checkpoint)
    assert outcome.ok, outcome.detail
    assert outcome.place == f"commits/run/{HOUR}.tsr"
    assert "seen at 20" in outcome.detail
    answer, kept = tmp_path / outcome.place, tmp_path / f"commits/run/{HOUR}.merkle"
    assert kept.read_bytes() == checkpoint
    assert authority.agrees(answer, kept)
    assert not stranger.agrees(answer, kept)
    # the server is gone: what is held needs nobody
    (held,) = anchor(tmp_path, url, authority).list_held()
    assert (held.standing, held.checkpoint, held.place) == (HeldStatus.HELD, checkpoint, outcome.place)
    again = anchor(tmp_path, url, authority).put("run", HOUR, checkpoint)
    assert again == outcome  # nobody was asked again
    (doubted,) = anchor(tmp_path, url, stranger).list_held()
    assert doubted.standing is HeldStatus.UNREAD
    assert "signature" in doubted.detail


def test_a_second_commit_of_the_hour(authority, tmp_path):
    with authority.serving() as url:
        stamps = anchor(tmp_path, url, authority, "|folder=stamps")
        places = [stamps.put("run", HOUR, TREE.checkpoint(size)).place for size in (3, 4, 4)]
    assert places == [f"stamps/run/{HOUR}.tsr", f"stamps/run/{HOUR}-2.tsr", f"stamps/run/{HOUR}-2.tsr"]
    assert sorted(held.checkpoint for held in stamps.list_held("run")) == sorted(map(TREE.checkpoint, (3, 4)))
    assert not list(stamps.list_held("other"))


def test_what_was_changed_on_disk_is_told(authority, tmp_path):
    with authority.serving() as url:
        stamps = anchor(tmp_path, url, authority)
        place = tmp_path / stamps.put("run", HOUR, TREE.checkpoint()).place
    kept = place.with_suffix(".merkle")
    kept.chmod(0o644)
    kept.write_bytes(TREE.checkpoint(4))
    (held,) = stamps.list_held()
    assert (held.standing, held.checkpoint, held.detail) == (
        HeldStatus.UNREAD,
        b"",
        "its timestamp is for other bytes",
    )
    kept.unlink()
    (held,) = stamps.list_held()
    assert (held.standing, held.detail) == (HeldStatus.NOTED, "its checkpoint is gone")


def other_nonce(authority, query):
    """Return a genuine answer to the same imprint with another nonce."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    asked = TimestampRequestBuilder().data(TREE.checkpoint()).hash_algorithm(HashAlgorithm.SHA256).build()
    return authority.reply(asked.as_bytes())


def other_imprint(authority, query):
    """Return a genuine answer whose imprint and question are another's."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    return authority.reply(
        TimestampRequestBuilder().data(b"x").hash_algorithm(HashAlgorithm.SHA256).build().as_bytes()
    )


def rejected(authority, query):
    return authority.reply(b"\x30\x03\x02\x01\x01")  # openssl answers rubbish with a refusal


def flipped(authority, query):
    answer = bytearray(authority.reply(query))
    answer[-5] ^= 1  # inside the signature
    return bytes(answer)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (other_nonce, "nonce"),
        (other_imprint, "other bytes"),
        (rejected, "refuses (status 2"),
        (flipped, "signature"),
        (lambda a, q: b"", "not a timestamp"),
        (lambda a, q: b"\x30\x80\x00\x00", "not a timestamp"),
        (lambda a, q: a.reply(q)[:-40], "not a timestamp"),
        (lambda a, q: os.urandom(2000), "not a timestamp"),
    ],
)
def test_answers_that_are_not_believed(change, told, authority, tmp_path):
    with serving(lambda _path, _headers, body: (200, REPLY, change(authority, body))) as url:
        outcome = anchor(tmp_path, url, authority).put("run", HOUR, TREE.checkpoint())
    assert not outcome.ok
    assert told in outcome.detail
    assert not list(tmp_path.rglob("*.tsr"))


@pytest.mark.parametrize(
    ("status", "media", "body", "told"),
    [
        (200, "text/html", b"<html>captive portal</html>", "text/html"),
        (500, REPLY, b"", "500"),
        (404, "text/plain", b"\x1b[2Jgone", "404"),
        (200, REPLY, b"0" * 200_000, "larger than"),
        (302, "text/plain", b"/elsewhere", "redirect"),
        (302, "text/plain", b"http://169.254.169.254/latest", "not on the public internet"),
    ],
)
def test_servers_that_answer_something_else(status, media, body, told, authority, tmp_path):
    def answer(path, _headers, _body):
        return (200, REPLY, b"x") if path == "/elsewhere" else (status, media, body)

    with serving(answer) as url:
        outcome = anchor(tmp_path, url, authority).put("run", HOUR, TREE.checkpoint())
    assert not outcome.ok
    assert told in outcome.detail
    assert outcome.detail.isprintable()


def test_a_server_that_is_silent_or_gone(authority, tmp_path):
    release = threading.Event()

    def answer(*_):
        release.wait(20)
        return 200, REPLY, b""

    with serving(answer) as url:
        outcome = anchor(tmp_path, url, authority, "|timeout=0.3").put("run", HOUR, TREE.checkpoint())
        release.set()
    assert outcome.detail == "no answer within 0.3 s"
    outcome = anchor(tmp_path, url, authority).put("run", HOUR, TREE.checkpoint())
    assert (outcome.ok, outcome.detail) == (False, "no connection")


def test_a_chain_with_another_certificate_between(tmp_path):
    """OpenSSL sends the two certificates in the order of the chain, which is seldom that of DER."""
    authority = Authority(tmp_path, between=True)
    with authority.serving() as url:
        outcome = anchor(tmp_path, url, authority).put("run", HOUR, TREE.checkpoint())
    assert outcome.ok, outcome.detail


@pytest.mark.parametrize(
    "data", [b"", b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x30\x03\x02\x01\x00", bytes(range(256))]
)
def test_what_is_no_timestamp_is_not_put_in_order(data):
    assert timestamp.sort_certificates(data) == data


def test_answers_with_single_bits_changed(authority, tmp_path):
    """Nothing but a refusal or a timestamp that openssl accepts, too, comes of any flipped bit."""
    stamps = anchor(tmp_path, "http://127.0.0.1:1", authority)
    checkpoint, asked = TREE.checkpoint(), timestamp._build_request(TREE.checkpoint())
    answer = authority.reply(asked.as_bytes())
    (tmp_path / "data").write_bytes(checkpoint)
    chosen = random.Random(1)
    accepted = 0
    for _ in range(300):
        changed = bytearray(answer)
        changed[chosen.randrange(len(changed))] ^= 1 << chosen.randrange(8)
        try:
            stamps._verify_answer(bytes(changed), checkpoint, asked.nonce)
        except AnchorError:
            continue
        accepted += 1
        (tmp_path / "answer").write_bytes(changed)
        assert authority.agrees(tmp_path / "answer", tmp_path / "data")
    assert accepted < 30
