"""Checkpoints in a bucket: put, pinned, read back, found again; what is said when the bucket is not right.

Shown on moto (always) and on Ceph's radosgw (where it is at hand). What only a server that enforces the lock
can show stands in test_object_lock.py.
"""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.proof.audit.anchors import s3_bucket as buckets
from citeproof.proof.audit.anchors.base import AnchorContext, HeldStatus, make
from tests.proof.audit.anchors.making import HOUR, Tree, serving

pytestmark = pytest.mark.slow

TREE = Tree(5)


def anchor(folder, server, bucket, more="&days=2"):
    return make(f"s3://{bucket}/logs?endpoint={server.url}{more}", AnchorContext(folder, SystemClock()))


def split(place):
    found = re.fullmatch(r"s3://([^/]+)/([^?]+)\?versionId=(.+)", place)
    assert found, place
    return found.groups()


def test_a_checkpoint_is_locked_pinned_and_found_again(server, tmp_path):
    bucket = server.bucket()
    worm = anchor(tmp_path, server, bucket)
    until = f"COMPLIANCE until {(datetime.now(UTC) + timedelta(days=2)).date()}"
    outcome = worm.put("run", HOUR, TREE.checkpoint())
    assert outcome.ok, outcome.detail
    assert outcome.detail.startswith(f"{until}; versioning Enabled, MFA delete")
    name, key, version = split(outcome.place)
    assert (name, key) == (bucket, f"logs/run/{HOUR}.merkle")
    read = server.client.get_object(Bucket=bucket, Key=key, VersionId=version)
    assert read["Body"].read() == TREE.checkpoint()
    (held,) = worm.list_held()
    assert (held.place, held.checkpoint, held.standing) == (outcome.place, TREE.checkpoint(), HeldStatus.HELD)
    assert held.detail == until
    assert list(worm.list_held("run")) == [held]
    assert not list(worm.list_held("ru"))


def test_the_same_bytes_are_put_once_and_others_beside(server, tmp_path):
    worm = anchor(tmp_path, server, server.bucket())
    first, again, second = (worm.put("run", HOUR, TREE.checkpoint(size)) for size in (3, 3, 4))
    assert first == again
    assert f"{HOUR}-2.merkle" in second.place
    assert sorted(held.checkpoint for held in worm.list_held()) == sorted(map(TREE.checkpoint, (3, 4)))


def test_many_of_an_hour_are_found_with_few_questions(server, tmp_path, monkeypatch):
    bucket, asked, get = server.bucket(), [], buckets.S3Bucket.get
    for number in range(1, 131):
        name = f"logs/run/{HOUR}{f'-{number}' if number > 1 else ''}.merkle"
        server.client.put_object(Bucket=bucket, Key=name, Body=b"%d" % number, ChecksumAlgorithm="SHA256")
    monkeypatch.setattr(buckets.S3Bucket, "get", lambda *given: asked.append(given[1]) or get(*given))
    worm = anchor(tmp_path, server, bucket)
    for number in (131, 132):
        assert f"{HOUR}-{number}.merkle" in worm.put("run", HOUR, b"new %d" % number).place
    assert len(asked) < 25


@pytest.mark.parametrize("others", [1, 3])
def test_who_may_only_write_hides_nothing(others, server, tmp_path, monkeypatch):
    """Reading is refused, so that no name looks taken until it is put.

    A server that knows conditional puts refuses the name; another adds a version, which is pinned as well.
    """
    bucket, get = server.bucket(), buckets.S3Bucket.get
    for number in range(others):
        assert anchor(tmp_path, server, bucket).put("run", HOUR, b"%d" % number).ok
    monkeypatch.setattr(buckets.S3Bucket, "get", lambda self, key, v="": get(self, key, v) if v else None)
    worm = anchor(tmp_path, server, bucket)
    places = [worm.put("run", HOUR, b"new %d" % number).place for number in (1, 2)]
    assert len(set(places)) == 2
    held = {one.place: one.checkpoint for one in worm.list_held()}
    assert [held[place] for place in places] == [b"new 1", b"new 2"]
    assert sorted(held.values()) == sorted([b"new 1", b"new 2", *(b"%d" % n for n in range(others))])


def test_overwriting_and_deleting_the_name_hide_nothing(server, tmp_path):
    bucket = server.bucket()
    worm = anchor(tmp_path, server, bucket)
    outcome = worm.put("run", HOUR, TREE.checkpoint())
    _, key, _ = split(outcome.place)
    server.client.put_object(Bucket=bucket, Key=key, Body=b"another history")
    server.client.delete_object(Bucket=bucket, Key=key)
    with pytest.raises(server.client.exceptions.NoSuchKey):
        server.client.get_object(Bucket=bucket, Key=key)  # a reader without the version sees nothing
    found = {held.place: held for held in worm.list_held()}
    assert len(found) == 3
    assert found[outcome.place].checkpoint == TREE.checkpoint()
    standings = sorted((held.standing, held.checkpoint) for held in found.values())
    assert (HeldStatus.NOTED, b"") in standings
    assert (HeldStatus.HELD, b"another history") in standings
    assert any("delete marker" in held.detail for held in found.values())


def test_deleting_the_pinned_version_is_refused(server, tmp_path):
    bucket = server.bucket()
    outcome = anchor(tmp_path, server, bucket).put("run", HOUR, b"x\n")
    _, key, version = split(outcome.place)
    for more in ({}, {"BypassGovernanceRetention": True}):
        with pytest.raises(server.client.exceptions.ClientError) as refused:
            server.client.delete_object(Bucket=bucket, Key=key, VersionId=version, **more)
        assert refused.value.response["Error"]["Code"] == "AccessDenied"
    assert server.client.get_object(Bucket=bucket, Key=key, VersionId=version)["Body"].read() == b"x\n"


def test_a_bucket_without_lock(server, tmp_path):
    bucket = server.bucket(lock=False)
    refused = anchor(tmp_path, server, bucket).put("run", HOUR, TREE.checkpoint())
    assert not refused.ok
    assert "no object lock" in refused.detail
    assert "Contents" not in server.client.list_objects_v2(Bucket=bucket)
    loose = anchor(tmp_path, server, bucket, "&lock=off")
    first, again, second = (loose.put("run", HOUR, TREE.checkpoint(size)) for size in (3, 3, 4))
    assert first.ok
    assert first == again
    assert (
        first.detail
        == "this version is not locked, or its lock cannot be read; " + (first.detail.partition("; ")[2])
    )
    assert "versioning off" in first.detail
    assert "no object lock" in first.detail
    assert second.place == f"s3://{bucket}/logs/run/{HOUR}-2.merkle"
    assert sorted(held.checkpoint for held in loose.list_held()) == sorted(map(TREE.checkpoint, (3, 4)))


def test_many_versions_are_listed_page_by_page(server, tmp_path, monkeypatch):
    monkeypatch.setattr(buckets, "PAGE", 3)
    bucket = server.bucket()
    worm = anchor(tmp_path, server, bucket, "&lock=off")
    client = server.client
    for number in range(10):
        client.put_object(Bucket=bucket, Key=f"logs/run/{number:04}.other", Body=b"")
    client.put_object(Bucket=bucket, Key="logs/run/zzz.merkle", Body=b"the last\n")
    assert [held.checkpoint for held in worm.list_held()] == [b"the last\n"]


def test_a_file_larger_than_a_checkpoint(server, tmp_path):
    bucket = server.bucket()
    server.client.put_object(Bucket=bucket, Key="logs/run/x.merkle", Body=b"0" * 1_000_001)
    (held,) = anchor(tmp_path, server, bucket).list_held()
    assert (held.standing, held.checkpoint) == (HeldStatus.UNREAD, b"")
    assert "too large" in held.detail


@pytest.mark.parametrize("known", [True, False])
def test_wrong_keys_and_buckets_are_told_without_them(known, server, tmp_path, monkeypatch):
    bucket = server.bucket() if known else "no-such-bucket-here"
    if known:
        monkeypatch.setenv("AWS_PROFILE", "none-of-that-name")
    worm = anchor(tmp_path, server, bucket)
    outcome = worm.put("run", HOUR, TREE.checkpoint())
    assert not outcome.ok
    assert ("ProfileNotFound" if known else "NoSuchBucket") in outcome.detail
    assert "none-of-that-name" not in outcome.detail
    (held,) = worm.list_held()
    assert held.standing is HeldStatus.UNREAD


def test_without_credentials(server, tmp_path, monkeypatch):
    bucket = server.bucket()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    outcome = anchor(tmp_path, server, bucket).put("run", HOUR, TREE.checkpoint())
    assert (outcome.ok, outcome.detail) == (False, "S3 could not be asked: NoCredentialsError")


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, b"<html>\x1b[2J</html>", "others of this hour"),
        (403, b"<Error><Code>Bad\x1b[2JCode AKIAEXAMPLE</Code></Error>", "S3"),
        (500, b"", "S3"),
        (200, b"<" * 2_000_000, "too large"),
    ],
)
def test_servers_that_are_no_s3(status, body, told, tmp_path):
    class Fake:
        def __init__(self, url):
            self.url = url

    with serving(lambda *_: (status, "application/xml", body)) as url:
        worm = anchor(tmp_path, Fake(url), "some-bucket", "&days=1&timeout=30")
        outcome = worm.put("run", HOUR, TREE.checkpoint())
        held = list(worm.list_held())
    assert not outcome.ok
    assert told in outcome.detail
    assert outcome.detail.isprintable()
    assert "AKIA" not in outcome.detail
    assert all(one.standing is not HeldStatus.HELD for one in held)


def test_a_server_that_is_silent_or_gone(tmp_path):
    release = threading.Event()

    class Fake:
        url = ""

    def answer(*_):
        release.wait(30)
        return 200, "application/xml", b""

    with serving(answer) as Fake.url:
        outcome = anchor(tmp_path, Fake, "some-bucket", "&days=1&timeout=0.2").put("run", HOUR, b"x")
        release.set()
    assert outcome.detail in ("S3 could not be asked: ReadTimeoutError", "no answer within 1.2 s")
    outcome = anchor(tmp_path, Fake, "some-bucket", "&days=1&timeout=30").put("run", HOUR, b"x")
    assert outcome.detail == "S3 could not be asked: EndpointConnectionError"


def test_a_server_that_never_ends(tmp_path):
    """A byte now and then keeps every single wait short; the whole is bounded all the same."""
    stop = threading.Event()

    class Drip:
        url = ""

    def drip(listening):
        while not stop.is_set():
            with suppress(OSError), listening.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.05):
                    connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Drip.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        outcome = anchor(tmp_path, Drip, "some-bucket", "&days=1&timeout=0.6").put("run", HOUR, b"x")
        stop.set()
        with suppress(OSError), socket.create_connection(listening.getsockname(), 1):
            thread.join()
    assert (outcome.ok, outcome.detail) == (False, "no answer within 3.6 s")


@pytest.mark.parametrize("mode", ["GOVERNANCE", ""])
def test_the_same_bytes_under_a_weaker_lock_are_put_again(mode, server, tmp_path):
    bucket = server.bucket()
    until = datetime.now(UTC) + timedelta(days=9)
    lock = {"ObjectLockMode": mode, "ObjectLockRetainUntilDate": until} if mode else {}
    name = f"logs/run/{HOUR}.merkle"
    server.client.put_object(Bucket=bucket, Key=name, Body=b"x\n", ChecksumAlgorithm="SHA256", **lock)
    outcome = anchor(tmp_path, server, bucket).put("run", HOUR, b"x\n")
    assert outcome.ok
    assert f"{HOUR}-2.merkle" in outcome.place
