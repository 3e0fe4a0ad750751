"""What a bucket with object lock refuses, asked of a server that enforces it: Ceph's radosgw.

moto is not used here: it lets a compliance retention be shortened, so it would prove nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.proof.audit.anchors.base import AnchorContext, HeldStatus, make
from tests.proof.audit.anchors.making import HOUR, Tree
from tests.proof.audit.anchors.test_s3 import split

pytestmark = pytest.mark.slow

TREE = Tree(5)
DAY = timedelta(days=1)


@pytest.fixture
def locked(enforcing, tmp_path):
    """A checkpoint under lock for two days: the client, where it stands, the anchor."""
    bucket = enforcing.bucket()
    worm = make(f"s3://{bucket}/logs?endpoint={enforcing.url}&days=2", AnchorContext(tmp_path, SystemClock()))
    outcome = worm.put("run", HOUR, TREE.checkpoint())
    assert outcome.ok, outcome.detail
    _, key, version = split(outcome.place)
    return enforcing.client, {"Bucket": bucket, "Key": key, "VersionId": version}, worm


def retention(mode, when):
    return {"Mode": mode, "RetainUntilDate": datetime.now(UTC) + when}


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("delete_object", {}),
        ("delete_object", {"BypassGovernanceRetention": True}),
        ("put_object_retention", {"Retention": retention("COMPLIANCE", DAY)}),
        (
            "put_object_retention",
            {"Retention": retention("COMPLIANCE", DAY), "BypassGovernanceRetention": True},
        ),
        ("put_object_retention", {"Retention": retention("GOVERNANCE", 3 * DAY)}),
        (
            "put_object_retention",
            {"Retention": retention("GOVERNANCE", DAY), "BypassGovernanceRetention": True},
        ),
        ("put_object_retention", {"Retention": {}, "BypassGovernanceRetention": True}),
    ],
)
def test_nobody_removes_or_shortens(call, more, locked):
    client, place, worm = locked
    before = client.get_object_retention(**place)["Retention"]
    with pytest.raises(client.exceptions.ClientError) as refused:
        getattr(client, call)(**place, **more)
    assert refused.value.response["Error"]["Code"] in ("AccessDenied", "MalformedXML")
    assert client.get_object_retention(**place)["Retention"] == before
    assert [held.checkpoint for held in worm.list_held()] == [TREE.checkpoint()]


def test_longer_is_allowed(locked):
    client, place, worm = locked
    client.put_object_retention(**place, Retention=retention("COMPLIANCE", 5 * DAY))
    (held,) = worm.list_held()
    assert held.detail == f"COMPLIANCE until {(datetime.now(UTC) + 5 * DAY).date()}"


def test_the_bucket_cannot_be_unlocked_or_removed(locked):
    client, place, _ = locked
    bucket = place["Bucket"]
    attempts = (
        lambda: client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"}),
        lambda: client.delete_bucket(Bucket=bucket),
    )
    for attempt in attempts:
        with pytest.raises(client.exceptions.ClientError):
            attempt()


def test_another_version_and_a_marker_leave_the_pinned_one(locked):
    client, place, worm = locked
    by_name = {name: place[name] for name in ("Bucket", "Key")}
    client.put_object(**by_name, Body=b"another history")
    client.delete_object(**by_name)
    assert client.get_object(**place)["Body"].read() == TREE.checkpoint()
    held = {one.checkpoint: one.standing for one in worm.list_held()}
    assert held == {
        TREE.checkpoint(): HeldStatus.HELD,
        b"another history": HeldStatus.HELD,
        b"": HeldStatus.NOTED,
    }
