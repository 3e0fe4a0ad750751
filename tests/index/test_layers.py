"""Layers: a snapshot with layers answers as one that is built of the same records."""

from __future__ import annotations

import io
import json
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner

from citeproof.audit.signed_note import SignerKey
from citeproof.clock import SystemClock
from citeproof.errors import SnapshotError, UsageError
from citeproof.index import layer_update
from citeproof.index.build import BuildInput, BuildProgress, build
from citeproof.index.compaction import compact_snapshot
from citeproof.index.full_text import FullText
from citeproof.index.layer_update import UpdateOutcome, update_snapshot
from citeproof.index.manifest import load
from citeproof.index.publication import publish_snapshot
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_check import check_snapshot
from citeproof.surfaces.cli.main import cli
from citeproof.vocabulary import Name
from tests.index.conftest import WORKS, write_works

pytestmark = pytest.mark.slow

REAL = Path(__file__).parents[3] / "shared/data/records/works.jsonl.zst"
COUNT = 3000  # real works

Work = dict[str, object]


class StopError(Exception):
    """Ends an update like a crash would."""


def read_works() -> list[Work]:
    """Return real works, or made ones where these are not at hand."""
    if not REAL.is_file():
        return [
            {"t": f"On the theory of {word} in {place} number {n}", "a": [f"Ann Bee{n % 97}", "Cy Dee"],
             "p": [[1990 + n % 30, f"Journal of {word}"]], "d": f"10.1103/{word}.{n}"}
            for n in range(COUNT)
            for word, place in [(("heat", "light", "sound")[n % 3], ("metals", "gases", "glass")[n % 7 % 3])]
        ]  # fmt: skip
    works: list[Work] = []
    with REAL.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
        for number, line in enumerate(io.TextIOWrapper(stream, encoding="utf-8")):
            if number % 5 == 0:
                works.append(json.loads(line))
            if len(works) == COUNT:
                break
    return works


class Change:
    """A snapshot, what changed since, and the works that are then to be found."""

    def __init__(self, works: list[Work], home: Path) -> None:
        rng = random.Random(11)
        base = [*WORKS, *works[:-100]]
        told = [work for work in base if work.get("d") and len(str(work["t"])) > 30]
        picked = rng.sample(told, 90)
        changed = [self.edit(work, number) for number, work in enumerate(picked[:60])]
        self.withdrawn = [("doi", self.first_doi(work)) for work in picked[60:]]
        preprint: Work = {  # another record of a work in the base, by title and author
            "t": "Can Quantum-Mechanical Description of Physical Reality Be Considered Complete?",
            "a": ["Einstein, A."], "p": [[1935, "Preprint"]], "i": {"arxiv": "9901.00001"},
        }  # fmt: skip
        self.delta = [*changed, preprint, *works[-100:]]
        gone = {self.first_doi(work) for work in picked}
        new = {doi for work in self.delta for doi in self.list_dois(work)}
        rest = [work for work in base if not gone & set(self.list_dois(work))]
        self.after = [work for work in rest if not new & set(self.list_dois(work))] + self.delta
        self.base_file = write_works(home / "base.jsonl", base)
        self.delta_file = write_works(home / "delta.jsonl", self.delta)
        self.after_file = write_works(home / "after.jsonl", self.after)

    @staticmethod
    def list_dois(work: Work) -> list[str]:
        doi = work.get("d") or []
        return [doi.lower()] if isinstance(doi, str) else [str(one).lower() for one in doi]  # type: ignore[attr-defined]

    def first_doi(self, work: Work) -> str:
        return self.list_dois(work)[0]

    @staticmethod
    def edit(work: Work, number: int) -> Work:
        if number % 3 == 0:
            return {**work, "p": [[2021, "A Venue That Is New"]]}
        if number % 3 == 1:
            return {**work, "t": f"{work['t']} revisited"}
        return {**work, "a": ["Maria Musterfrau", *work.get("a", ())]}  # type: ignore[misc]


@pytest.fixture(scope="module")
def change(tmp_path_factory) -> Change:
    return Change(read_works(), tmp_path_factory.mktemp("change"))


@pytest.fixture(scope="module")
def base(change, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("base") / "base"
    build([BuildInput("works", (change.base_file,))], out, name="x")
    return out


@pytest.fixture(scope="module")
def fresh(change, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("fresh") / "fresh"
    build([BuildInput("works", (change.after_file,))], out, name="x")
    return out


def apply(change: Change, base: Path, out: Path, **more) -> UpdateOutcome:
    inputs = [BuildInput("works", (change.delta_file,))]
    return update_snapshot(base, inputs, out, withdrawn=change.withdrawn, **more)


@pytest.fixture(scope="module")
def updated(change, base, tmp_path_factory) -> tuple[UpdateOutcome, Path]:
    out = tmp_path_factory.mktemp("updated") / "updated"
    return apply(change, base, out), out


def show(record) -> object:
    """Return a record without its line number and the number of its work."""
    return record.titles, record.authors, record.versions, record.ids, record.kind, record.marks


def list_found(opened: Snapshot, work: Work) -> list[list[tuple[object, float]]]:
    """Return all candidates for a work's title as it is, without a word, and with all words damaged."""
    title = str(work["t"])
    words = title.split()
    queries = (title, " ".join(words[1:]), " ".join(word[1:] for word in words))
    return [[(show(c.record), round(c.score, 6)) for c in opened.search(query)] for query in queries]


def list_answers(folder: Path, works: Iterable[Work], *, titles: bool = True) -> list[object]:
    """Return what is found for each work."""
    answers: list[object] = []
    with Snapshot.open(folder) as opened:
        for work in works:
            if titles:
                answers += list_found(opened, work)
            for doi in Change.list_dois(work):
                same = opened.by_id("doi", doi)
                answers.append([show(record) for record in same])
                linked = [other for record in same for other in opened.same_work(record)]
                answers.append(sorted(str(show(other)) for other in linked))
            answers.append(opened.venue_count(str((work.get("p") or [[0, ""]])[0][1])))  # type: ignore[index]
        answers.append((opened.manifest.records, opened.manifest.works))
    return answers


def test_layers_answer_as_a_fresh_build(change, updated, fresh):
    done, out = updated
    assert (done.added, done.removed) == (161, 30)
    assert done.replaced >= 60
    assert check_snapshot(out) == ()
    assert list_answers(out, change.after, titles=False) == list_answers(fresh, change.after, titles=False)


def test_titles_are_found_as_in_a_fresh_build(change, updated, fresh, monkeypatch):
    asked_words = 0
    run = FullText._run

    def count(text: FullText, *given: object) -> list[int]:
        nonlocal asked_words
        asked_words += 1
        return run(text, *given)

    monkeypatch.setattr(FullText, "_run", count)
    by_keys = by_words = different = 0
    with Snapshot.open(updated[1]) as layered, Snapshot.open(fresh) as whole:
        for work in [*change.after[::3], *change.delta]:
            asked_words = 0
            ours, theirs = list_found(layered, work), list_found(whole, work)
            if not asked_words:  # whatever the keys find is the same: every record, score and place
                assert ours == theirs
                by_keys += len(ours)
                continue
            # Words of hidden records still count for how rare a word is, and so for which twenty records
            # are compared. What both find has the same score, and hardly ever one finds more.
            for some, others in zip(ours, theirs, strict=True):
                scores = {str(record): score for record, score in others}
                assert all(scores.get(str(record), score) == score for record, score in some)
                by_words += 1
                different += some != others
    assert min(by_keys, by_words) > 300
    assert different <= by_words // 200


def test_compaction_answers_as_a_fresh_build(change, updated, fresh, tmp_path):
    made = compact_snapshot(updated[1], tmp_path / "out")
    assert (made.parts, made.hidden, made.format) == ((), 0, 1)
    assert [source.reader for source in made.sources] == ["works", "works"]
    asked = [*change.after[::4], *change.delta]
    assert list_answers(tmp_path / "out", asked) == list_answers(fresh, asked)
    whole = load(fresh)
    assert (made.records, made.works) == (whole.records, whole.works)
    for name in ("facts.json", "venues.bin", "venue_names.bin", "links.bin"):
        assert made.files[name] == whole.files[name]


def test_what_is_replaced_or_withdrawn_is_not_found(change, updated, base):
    with Snapshot.open(updated[1]) as opened, Snapshot.open(base) as old:
        for scheme, value in change.withdrawn:
            assert old.by_id(scheme, value)
            assert opened.by_id(scheme, value) == []
        record = opened.by_id("arxiv", "9901.00001")[0]
        assert [str(other.ids.first("doi")) for other in opened.same_work(record)] == [
            "10.1103/physrev.47.777"
        ]
        assert opened.by_authors([Name("Musterfrau", "Maria"), Name("Nobody", "X")]) == []
        total = opened.manifest.records
        shown = {opened.record_at(at).id + str(opened.record_at(at).ids) for at in range(total)}
        assert len(shown) == total


def test_every_layer_changes_the_id_and_shares_the_files_of_the_base(base, updated, tmp_path):
    first = load(updated[1])
    done = update_snapshot(updated[1], [], tmp_path / "next", withdrawn=[("arxiv", "9901.00001")])
    second = done.manifest
    assert first.id.startswith(f"{load(base).id}+1-")
    assert len({load(base).id, first.id, second.id}) == 3
    assert [part.id for part in second.parts] == [part.id for part in first.parts]
    assert (base / "records.zst").samefile(tmp_path / "next/parts/0/records.zst")
    with Snapshot.open(tmp_path / "next") as opened:
        assert opened.by_id("arxiv", "9901.00001") == []
        found = opened.by_id("doi", "10.1103/physrev.47.777")[0]
        assert opened.same_work(found) == []  # the link to what was removed is gone too


def test_a_second_layer_replaces_what_the_first_brought(updated, tmp_path):
    work = {"t": "A title of the second layer", "a": ["Jo Doe"], "i": {"arxiv": "9901.00001"}}
    inputs = [BuildInput("works", (write_works(tmp_path / "more.jsonl", [work]),))]
    done = update_snapshot(updated[1], inputs, tmp_path / "next")
    assert (done.replaced, len(done.manifest.parts)) == (1, 3)
    with Snapshot.open(tmp_path / "next") as opened:
        assert [record.title for record in opened.by_id("arxiv", "9901.00001")] == [work["t"]]


@pytest.mark.parametrize("step", ["read", "keys", "hide", "links", "facts", "seal"])
def test_a_stopped_update_continues(step, change, base, updated, tmp_path):
    def stop(progress: BuildProgress) -> None:
        if progress.step == step:
            raise StopError

    with pytest.raises(StopError):
        apply(change, base, tmp_path / "out", progress=stop)
    done = apply(change, base, tmp_path / "out")
    assert done.manifest.id == load(updated[1]).id
    assert check_snapshot(tmp_path / "out") == ()
    assert not (tmp_path / "out.building").exists()


def test_an_update_killed_when_the_files_were_linked_continues(change, base, updated, tmp_path, monkeypatch):
    link = layer_update.link_file

    def stop(source: Path, target: Path) -> None:
        link(source, target)
        if target.name == "manifest.json":
            raise StopError

    monkeypatch.setattr(layer_update, "link_file", stop)
    with pytest.raises(StopError):
        apply(change, base, tmp_path / "out")
    monkeypatch.undo()
    assert apply(change, base, tmp_path / "out").manifest.id == load(updated[1]).id
    assert check_snapshot(base) == ()


def test_a_broken_layer_is_told(updated, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(updated[1], broken)
    (broken / "hidden.bin").write_bytes(b"\0" * 4)
    with pytest.raises(SnapshotError, match="truncated or damaged"):
        Snapshot.open(broken)
    assert [damage.file for damage in check_snapshot(broken)] == ["hidden.bin"]
    shutil.copy(updated[1] / "hidden.bin", broken / "hidden.bin")
    (broken / "parts/1/keys.bin").unlink()
    with pytest.raises(SnapshotError, match="missing"):
        Snapshot.open(broken)


def test_a_full_disk_is_told(change, base, tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(layer_update.snapshot_facts, "write_facts", fail)
    with pytest.raises(SnapshotError, match="disk is full"):
        apply(change, base, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_mistakes_are_told(base, tmp_path):
    with pytest.raises(UsageError, match="no record has"):
        update_snapshot(base, [], tmp_path / "out", withdrawn=[("doi", "10.9999/nobody")])
    with pytest.raises(SnapshotError, match="no layers"):
        compact_snapshot(base, tmp_path / "out")


def run_command(*arguments: object) -> str:
    done = CliRunner().invoke(cli, [str(one) for one in arguments], **cli.context_settings)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands(change, base, tmp_path):
    listed = tmp_path / "withdrawn.txt"
    listed.write_text("# withdrawn\n" + "\n".join(f"doi:{doi}" for _, doi in change.withdrawn) + "\n")
    out = tmp_path / "out"
    told = run_command(
        "index", "update", base, "--from", "works", change.delta_file, "--remove", listed, "--out", out
    )
    assert "161 new" in told
    assert "30 removed" in told
    assert "+1-" in run_command("index", "info", out)
    assert "replaced or removed" in run_command("index", "info", out)
    assert "files are as they were built" in run_command("index", "verify", out)
    run_command("index", "compact", out, "--out", tmp_path / "whole")
    assert "layer" not in run_command("index", "info", tmp_path / "whole")
    bad = CliRunner().invoke(cli, ["index", "update", str(base), "--remove", "x", "--out", str(out)])
    assert bad.exit_code != 0


def test_pubmed_says_what_is_deleted(tmp_path):
    from tests.index.dumps import MAKERS

    paths = MAKERS["medline"](tmp_path, 5)
    build([BuildInput("medline", paths)], tmp_path / "base")
    with Snapshot.open(tmp_path / "base") as opened:
        number = str(opened.record_at(2).ids.first("pmid"))
        held = len(opened.by_id("pmid", number))
    update = tmp_path / "update.xml"
    deleted = f'<DeleteCitation><PMID Version="1">{number}</PMID></DeleteCitation>'
    update.write_text(f"<PubmedArticleSet>{deleted}</PubmedArticleSet>", encoding="utf-8")
    done = update_snapshot(tmp_path / "base", [BuildInput("medline", (update,))], tmp_path / "out")
    assert (done.added, done.removed) == (0, held)
    with Snapshot.open(tmp_path / "out") as opened:
        assert opened.by_id("pmid", number) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from citeproof.index.build import BuildInput
from citeproof.index.compaction import compact_snapshot
from citeproof.index.layer_update import update_snapshot

def tell(progress):
    if progress.step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

source, out = Path(sys.argv[3]), Path(sys.argv[4])
if sys.argv[1] == "update":
    update_snapshot(source, [BuildInput("works", (Path(sys.argv[5]),))], out, progress=tell)
else:
    compact_snapshot(source, out, progress=tell)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("command", "step"), [("update", "links"), ("compact", "keys")])
def test_after_a_kill_the_same_command_gives_the_same(command, step, tmp_path):
    delta = write_works(tmp_path / "delta.jsonl", WORKS[:4])
    build([BuildInput("works", (write_works(tmp_path / "base.jsonl"),))], tmp_path / "base")
    inputs = [BuildInput("works", (delta,))]
    whole = update_snapshot(tmp_path / "base", inputs, tmp_path / "whole").manifest
    source = tmp_path / ("base" if command == "update" else "whole")
    given = [sys.executable, "-c", KILLED, command, step, source, tmp_path / "out", delta]
    done = subprocess.run([str(one) for one in given], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    if command == "update":
        made = update_snapshot(source, inputs, tmp_path / "out").manifest
        assert made.id == whole.id
    else:
        made = compact_snapshot(source, tmp_path / "out")
        assert made.id == compact_snapshot(source, tmp_path / "undisturbed").id
    assert check_snapshot(tmp_path / "out") == ()


def test_only_the_layer_is_published_again(base, updated, tmp_path):
    key = SignerKey.generate("example.org/layers")
    publish_snapshot(base, tmp_path / "served", key, SystemClock())
    done = publish_snapshot(updated[1], tmp_path / "served", key, SystemClock(), name="x")
    layer = sum(path.stat().st_size for path in (updated[1] / "parts/1").rglob("*") if path.is_file())
    small = sum(path.stat().st_size for path in updated[1].iterdir() if path.is_file())
    assert done.chunk_bytes <= layer + small + (base / "manifest.json").stat().st_size


def test_reports_name_the_layers(updated, tmp_path):
    refs = tmp_path / "refs.bib"
    refs.write_text("@article{a, title={Attention is All you Need}, author={Vaswani, A.}, year={2017}}")
    given = ["check", str(refs), "--offline", "--snapshot", str(updated[1]), "--format", "json"]
    done = CliRunner().invoke(cli, given, **cli.context_settings)
    assert json.loads(done.stdout)["run"]["snapshots"] == [load(updated[1]).id]
