"""`index publish` and `index pull` on loopback: faults, tampering, rollbacks, kills, full disks."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import pytest
from tests.service.snapshot_mirror import build_snapshot, make_works, serve_folder
from tests.soak import SHARE, scale_rounds

from citeproof.errors import SnapshotError, UsageError
from citeproof.evidence.index import published_manifest
from citeproof.evidence.index.publication import publish_snapshot
from citeproof.evidence.index.pulled_folder import PulledFolder
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.signed_note import SignerKey
from citeproof.service import snapshot_pull
from citeproof.service.snapshot_pull import PullOrder, pull_snapshot
from citeproof.settings import Settings

START = datetime(2026, 8, 18, tzinfo=UTC)
KEY = SignerKey.generate("example.org/snapshots")
OTHER = SignerKey.generate("example.org/snapshots")


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published_manifest, "LEAST", 1 << 10)
        patch.setattr(published_manifest, "BITS", 12)
        patch.setattr(published_manifest, "MOST", 1 << 15)
        yield


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    old = build_snapshot(folder / "old", make_works(1500))
    changed = frozenset(random.Random(1).sample(range(1500), 15))
    return old, build_snapshot(folder / "new", make_works(1500, changed), like=old)


@pytest.fixture(scope="module")
def published(snapshots, tmp_path_factory):
    out = tmp_path_factory.mktemp("published") / "works"
    publish_snapshot(snapshots[0], out, KEY, FixedClock(START))
    return out


@pytest.fixture
def mirror(published, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(snapshot_pull, "SECONDS", 5.0)
    shutil.copytree(published, tmp_path / "published")
    with serve_folder(tmp_path / "published") as served:
        yield served


@pytest.fixture
def settings(tmp_path, mirror):
    return Settings(cache_dir=tmp_path / "cache", private_hosts=(mirror.host,))


@pytest.fixture
def quick(monkeypatch):
    """No waiting between tries: a mirror that is always bad costs no seconds."""
    monkeypatch.setattr(snapshot_pull, "PAUSE", 0.0)


def pull(mirror, settings, **given):
    order = PullOrder(mirror.url, **{"key": KEY.verifier, **given})
    return pull_snapshot(order, settings, FixedClock(START))


def list_digests(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def publish_next(snapshot, mirror, days=1, key=KEY, **given):
    return publish_snapshot(snapshot, mirror.folder, key, FixedClock(START + timedelta(days=days)), **given)


def test_a_pulled_snapshot_has_the_same_bytes_and_opens(mirror, settings, snapshots):
    done = pull(mirror, settings)
    assert done.fresh
    assert list_digests(done.path.resolve()) == list_digests(snapshots[0])
    assert settings.list_snapshot_folders() == (done.path,)
    with Snapshot.open(done.path) as found:
        assert found.by_id("doi", "10.1000/7919")


def test_a_second_pull_asks_for_the_note_only(mirror, settings):
    pull(mirror, settings)
    mirror.seen.clear()
    done = pull(mirror, settings, key=None)  # it is pinned
    assert not done.fresh
    assert dict(mirror.seen) == {"snapshot.note": 1}


def test_the_next_edition_fetches_what_changed(mirror, settings, snapshots):
    pull(mirror, settings)
    outcome = publish_next(snapshots[1], mirror)
    assert outcome.deltas
    done = pull(mirror, settings)
    assert list_digests(done.path.resolve()) == list_digests(snapshots[1])
    assert done.fetched < done.edition.bytes / 2  # the smallest chunks of a small snapshot; bench/ measures
    assert done.reused
    assert done.patched


def test_another_local_snapshot_is_a_source_of_chunks(mirror, settings, snapshots, tmp_path):
    done = pull(mirror, settings, reuse=(snapshots[0],), out=tmp_path / "here")
    assert done.path == tmp_path / "here"
    assert done.reused == done.edition.bytes
    assert not any(path.startswith("chunks/") for path in mirror.seen)


def test_several_snapshots_stand_side_by_side(mirror, settings):
    first, second = pull(mirror, settings, name="a"), pull(mirror, settings, name="b")
    assert settings.list_snapshot_folders() == (first.path, second.path)
    named = Settings(cache_dir=settings.cache_dir, snapshots=(Path("/somewhere/pulled@b"),))
    assert named.list_snapshot_folders() == (second.path,)


def test_without_a_key_nothing_is_pulled_and_the_words_say_how(mirror, settings):
    with pytest.raises(SnapshotError, match="no key is known") as caught:
        pull(mirror, settings, key=None)
    assert KEY.verifier.text in caught.value.hint
    assert "snapshot.note" not in mirror.seen
    assert not settings.pulled_snapshots.exists()


def test_another_key_is_refused(mirror, settings):
    with pytest.raises(SnapshotError, match="is not signed by"):
        pull(mirror, settings, key=OTHER.verifier)


def test_a_pinned_key_is_replaced_only_on_demand(mirror, settings, snapshots, tmp_path):
    pull(mirror, settings)
    mirror.folder = tmp_path / "moved"
    publish_snapshot(snapshots[1], mirror.folder, OTHER, FixedClock(START + timedelta(days=2)))
    with pytest.raises(SnapshotError, match="is not signed by"):
        pull(mirror, settings, key=None)
    with pytest.raises(SnapshotError, match="is pinned to"):
        pull(mirror, settings, key=OTHER.verifier)
    assert pull(mirror, settings, key=OTHER.verifier, replace_key=True).fresh
    assert not pull(mirror, settings, key=None).fresh


def test_a_rollback_is_refused(mirror, settings, snapshots, tmp_path):
    old = tmp_path / "older"
    shutil.copytree(mirror.folder, old)
    publish_next(snapshots[1], mirror)
    done = pull(mirror, settings)
    mirror.folder = old
    with pytest.raises(SnapshotError, match="rollback"):
        pull(mirror, settings)
    assert list_digests(done.path.resolve()) == list_digests(snapshots[1])
    assert pull(mirror, settings, allow_older=True).fresh
    assert list_digests(done.path.resolve()) == list_digests(snapshots[0])


def test_two_editions_of_one_number_are_refused(mirror, settings, snapshots, tmp_path):
    pull(mirror, settings)
    mirror.folder = tmp_path / "twin"
    publish_snapshot(snapshots[1], mirror.folder, KEY, FixedClock(START))
    with pytest.raises(SnapshotError, match="two different editions"):
        pull(mirror, settings)


@pytest.mark.parametrize("fault", ["drop", "cut", 503, 429])
def test_faults_that_pass_are_tried_again(mirror, settings, snapshots, quick, fault):
    def answer(path, data):
        return fault if mirror.seen[path] == 1 and path[-1] in "02468e" else data

    mirror.answer = answer
    done = pull(mirror, settings)
    assert list_digests(done.path.resolve()) == list_digests(snapshots[0])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("drop", "broke off"),
        ("cut", "broke off"),
        (None, "404"),
        (500, "answered 500"),
        (b"x" * 3_000_000, "larger than"),
    ],
)
def test_faults_that_stay_are_told_and_a_later_run_continues(
    mirror, settings, snapshots, quick, fault, words
):
    bad = sorted(path.relative_to(mirror.folder).as_posix() for path in mirror.folder.glob("chunks/*/*"))[7]
    mirror.answer = lambda path, data: fault if path == bad else data
    with pytest.raises(SnapshotError, match=words) as caught:
        pull(mirror, settings)
    assert bad in caught.value.place
    assert "again" in caught.value.hint or isinstance(fault, bytes)
    assert not settings.list_snapshot_folders()
    mirror.answer = lambda _, data: data
    before = sum(mirror.seen.values())
    done = pull(mirror, settings)
    assert list_digests(done.path.resolve()) == list_digests(snapshots[0])
    assert sum(mirror.seen.values()) - before < sum(1 for _ in mirror.folder.rglob("*"))


def test_a_server_that_is_too_slow_is_told(mirror, settings, quick, monkeypatch):
    monkeypatch.setattr(snapshot_pull, "SECONDS", 0.2)
    mirror.slow = 1.0
    with pytest.raises(SnapshotError, match=r"no answer within 0\.2 s") as caught:
        pull(mirror, settings)
    assert "again" in caught.value.hint


def damage(data: bytes, how: random.Random) -> bytes:
    """Return the bytes as a dishonest mirror would send them."""
    at = how.randrange(len(data))
    match how.randrange(5):
        case 0:
            return data[:at] + bytes([data[at] ^ 1 << how.randrange(8)]) + data[at + 1 :]
        case 1:
            return data[:at] or b"x"
        case 2:
            return data + b"\0"
        case 3:
            return data[at:] + data[:at] if data[at:] + data[:at] != data else b"x"
        case _:
            return how.randbytes(len(data))


def leave_unfinished(target: PulledFolder) -> None:
    """Make a pulled snapshot one that was stopped when all of it was there but its name."""
    target.locate_current().rename(target.work)
    for path in (target.link, target.home / "current.json"):
        path.unlink()


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_tampered_chunks_are_refused(mirror, settings, quick):
    how = random.Random(3)
    target = PulledFolder(pull(mirror, settings).path)
    _, manifest = next(target.load_editions())
    places = []
    for file in manifest.files:
        starts = accumulate((one.bytes for one in file.chunks), initial=0)
        places += [(file.path, at, one) for at, one in zip(starts, file.chunks, strict=False)]
    leave_unfinished(target)
    for path, at, chunk in how.choices(places, k=round(1000 * SHARE)):
        bad = f"chunks/{chunk.stored[:2]}/{chunk.stored}"
        sent = damage((mirror.folder / bad).read_bytes(), how)
        mirror.answer = lambda path, data, bad=bad, sent=sent: sent if path == bad else data
        with (target.work / path).open("r+b") as file:
            file.seek(at)
            file.write(bytes(chunk.bytes))
        with pytest.raises(SnapshotError, match=r"not what was signed|larger than") as caught:
            pull(mirror, settings)
        assert bad in caught.value.place
        assert not settings.list_snapshot_folders()


def test_tampered_deltas_are_refused_and_the_edition_before_stays(mirror, settings, snapshots, quick):
    done = pull(mirror, settings)
    outcome = publish_next(snapshots[1], mirror)
    bad = {f"chunks/{one.stored[:2]}/{one.stored}" for one in outcome.manifest.deltas}
    how = random.Random(4)
    mirror.answer = lambda path, data: damage(data, how) if path in bad else data
    with pytest.raises(SnapshotError, match=r"not what was signed|larger than"):
        pull(mirror, settings)
    assert list_digests(done.path.resolve()) == list_digests(snapshots[0])


@pytest.mark.parametrize("name", ["snapshot.note", "manifests"])
def test_a_tampered_note_or_manifest_is_refused(mirror, settings, quick, name):
    how = random.Random(5)
    for _ in range(10):
        mirror.answer = lambda path, data: damage(data, how) if path.startswith(name) else data
        with pytest.raises(SnapshotError):
            pull(mirror, settings)
        assert not settings.list_snapshot_folders()


def test_an_older_local_snapshot_that_is_damaged_is_not_used(mirror, settings, snapshots):
    done = pull(mirror, settings)
    for path in done.path.resolve().rglob("*"):
        if path.is_file():
            path.write_bytes(bytes(len(path.read_bytes())))
    publish_next(snapshots[1], mirror)
    assert list_digests(pull(mirror, settings).path.resolve()) == list_digests(snapshots[1])


def test_private_addresses_must_be_named(mirror, settings, tmp_path):
    unnamed = Settings(cache_dir=tmp_path / "cache")
    with pytest.raises(SnapshotError, match="not fetched") as caught:
        pull(mirror, unnamed)
    assert "private_hosts" in caught.value.hint
    assert not mirror.seen


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/x", "works", "https://a/b?c"])
def test_only_web_addresses_are_pulled(settings, url):
    with pytest.raises(UsageError, match="address"):
        pull_snapshot(PullOrder(url, KEY.verifier), settings, FixedClock(START))


def test_offline_is_refused_in_words(mirror, settings):
    with pytest.raises(UsageError, match="offline"):
        pull(mirror, Settings(cache_dir=settings.cache_dir, offline=True))


def test_a_snapshot_that_was_not_pulled_is_never_replaced(mirror, settings, snapshots, tmp_path):
    built = tmp_path / "built"
    shutil.copytree(snapshots[1], built)
    with pytest.raises(SnapshotError, match="was not pulled"):
        pull(mirror, settings, out=built)
    link = tmp_path / "link"
    link.symlink_to(built)
    with pytest.raises(SnapshotError, match="no pull made"):
        pull(mirror, settings, out=link)


PROGRAM = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from citeproof.plumbing.signed_note import VerifierKey
from citeproof.plumbing.clock import FixedClock
from citeproof.service.snapshot_pull import PullOrder, pull_snapshot
from citeproof.settings import Settings
url, key, cache, host = sys.argv[1:]
settings = Settings(cache_dir=Path(cache), private_hosts=(host,))
def tell(done, total):
    print(done, flush=True)
clock = FixedClock(datetime(2026, 8, 18, tzinfo=UTC))
pull_snapshot(PullOrder(url, VerifierKey.parse(key)), settings, clock, tell)
"""


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_pull_that_is_killed_anywhere_continues(mirror, settings, snapshots):
    """First within the chunks, then anywhere: at its start, while files are checked, at the switch."""
    how = random.Random(6)
    for number in range(scale_rounds(20)):
        shutil.rmtree(settings.pulled_snapshots, ignore_errors=True)
        kill_pull(mirror, settings, how.choice((0, 1, 9, 60, 10_000)))
        done = pull(mirror, settings)
        assert list_digests(done.path.resolve()) == list_digests(snapshots[0]), number
        assert not PulledFolder(done.path).work.exists()


def kill_pull(mirror, settings, lines: int) -> None:
    arguments = [mirror.url, KEY.verifier.text, str(settings.cache_dir), mirror.host]
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stdout=subprocess.PIPE)
    for _ in range(lines):
        if not child.stdout.readline():
            break
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()


@pytest.mark.slow
def test_what_came_before_a_kill_is_not_fetched_again(mirror, settings):
    kill_pull(mirror, settings, 60)
    pull(mirror, settings)
    asked = {path: times for path, times in mirror.seen.items() if path.startswith("chunks/")}
    assert sum(asked.values()) < len(asked) + 30  # those under way when it was killed


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)
def test_a_full_disk_is_told_and_a_later_run_continues(mirror, settings, snapshots, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        filler = disk / "filler"
        filler.write_bytes(bytes(12_000_000))
        with pytest.raises(SnapshotError, match="too full"):
            pull(mirror, settings, out=disk / "works")
        filler.unlink()

        def answer(path, data):  # the disk fills up while the snapshot comes
            if path.startswith("chunks/") and not filler.exists():
                with filler.open("wb", buffering=0) as file:
                    while True:
                        try:
                            file.write(bytes(4096))
                        except OSError:
                            break
            return data

        mirror.answer = answer
        with pytest.raises(SnapshotError, match="disk is full") as caught:
            pull(mirror, settings, out=disk / "works")
        assert "again" in caught.value.hint
        mirror.answer = lambda _, data: data
        filler.unlink()
        done = pull(mirror, settings, out=disk / "works")
        assert list_digests(done.path.resolve()) == list_digests(snapshots[0])
    finally:
        subprocess.run(["umount", str(disk)], check=True)
