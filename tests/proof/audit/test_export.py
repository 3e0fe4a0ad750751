"""Exports: the same log gives the same archive, and plain Python tells a whole one from a touched one."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from citeproof.plumbing.signed_note import SignerKey, sign_note
from tests.proof.audit.making import ORIGIN, SCRIPT, Made, alone, archive, make_log, ran, verified

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[3] / "docs/spec/audit-log.md"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("log"), 540, tail=3)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.fixture(scope="module")
def unpacked(made, tmp_path_factory) -> dict[str, Path]:
    """The whole log, one run of it, and all with private rows: unpacked."""
    found = {}
    for name, more in {"whole": {}, "part": {"runs": ["h_1"]}, "private": {"private": True}}.items():
        place = tmp_path_factory.mktemp(name)
        with tarfile.open(fileobj=io.BytesIO(archive(made, **more))) as tar:
            tar.extractall(place, filter="data")
        found[name] = place / "audit"
    return found


def test_same_log_same_archive(made):
    one, two = archive(made, private=True), archive(made, private=True)
    assert hashlib.sha256(one).digest() == hashlib.sha256(two).digest()
    with tarfile.open(fileobj=io.BytesIO(one)) as tar:
        members = tar.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    assert {(m.mtime, m.uid, m.gid, m.uname, m.mode) for m in members} == {(0, 0, 0, "", 0o644)}


def test_what_is_in_it(unpacked, made):
    whole, part, private = unpacked["whole"], unpacked["part"], unpacked["private"]
    assert sorted(path.name for path in whole.iterdir()) == [
        "FORMAT.md", "README.md", "checkpoint", "commits", "evidence", "export.json", "h_0.jsonl",
        "h_1.jsonl", "log.json", "tile", "verify.py",
    ]  # fmt: skip
    assert (whole / "FORMAT.md").read_bytes() == DOCS.read_bytes()
    assert not (part / "tile/entries").exists()
    assert sorted(path.name for path in part.glob("*.jsonl")) == ["h_1.jsonl"]
    assert not [path for path in part.rglob("*") if "h_0" in path.name]  # nor when other runs were committed
    assert b"h_0" not in b"".join(path.read_bytes() for path in part.rglob("*") if path.is_file())
    assert (
        len((private / "private/private.jsonl").read_bytes().splitlines()) == 540
    )  # what is not signed stays out
    digest = made.bodies[0]
    body = gzip.decompress((whole / f"evidence/{digest[:2]}/{digest}.gz").read_bytes())
    assert hashlib.sha256(body).hexdigest() == digest
    assert len(list(part.glob("evidence/*/*"))) == 20
    for name in ("h_0", "h_1"):
        signed = (whole / f"{name}.jsonl").read_bytes()
        assert (made.folder / f"{name}.jsonl").read_bytes().startswith(signed)


@pytest.mark.parametrize("name", ["whole", "part", "private"])
def test_sound(unpacked, made, name):
    code, out = alone(unpacked[name], "--key", made.key.text)
    assert (code, out.splitlines()[-1]) == (0, "sound")
    assert "cannot know whether the log was rolled back as a whole" in out
    code, out = verified(unpacked[name], "--checkpoint", str(made.folder / "checkpoint"))
    assert (code, "the key was taken from the log's own log.json" in out) == (0, True)
    assert "rolled back" not in out


def _edit(name: str, old: bytes, new: bytes):
    def touch(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old in data
        (folder / name).write_bytes(data.replace(old, new, 1))

    return touch


def _lines(name: str, change):
    def touch(folder: Path) -> None:
        (folder / name).write_bytes(b"".join(change((folder / name).read_bytes().splitlines(keepends=True))))

    return touch


def _bodies(change):
    def touch(folder: Path) -> None:
        change(min(folder.glob("evidence/*/*")))

    return touch


def _said(folder: Path, **more) -> None:
    """Write export.json, which nobody signs, anew."""
    told = json.loads((folder / "export.json").read_bytes()) | more
    (folder / "export.json").write_text(json.dumps(told))


def _called_a_part(folder: Path) -> None:
    """Take the bodies away and say that they were not there."""
    shutil.rmtree(folder / "evidence")
    named = [json.loads(line).get("evidence") for line in (folder / "h_1.jsonl").read_bytes().splitlines()]
    _said(folder, runs=["h_1"], absent=[one for some in named for one in some or ()])


def _commits_alike(folder: Path) -> None:
    last, first = sorted((folder / "commits/h_0").iterdir())
    last.write_bytes(first.read_bytes())


ROWS = "private/private.jsonl"
REF = b'"ref":7,', b'"ref":8,'
TOUCHES = {
    "line changed": ("whole", _edit("h_0.jsonl", *REF), "h_0.jsonl: line 7 was changed: event 6"),
    "line missing": ("whole", _lines("h_0.jsonl", lambda x: x[:6] + x[7:]), "line 7 is missing: event 6"),
    "line inserted": (
        "whole", _lines("h_0.jsonl", lambda x: [*x[:6], b"{}\n", *x[6:]]),
        "line 7 was inserted",
    ),
    "line appended": ("whole", _lines("h_0.jsonl", lambda x: [*x, b"{}\n"]), "line 273 was inserted"),
    "lines swapped": ("whole", _lines("h_0.jsonl", lambda x: [x[1], x[0], *x[2:]]), "line 1 was swapped"),
    "last end missing": (
        "whole", _lines("h_0.jsonl", lambda x: [*x[:-1], x[-1][:-1]]),
        "line 272 was changed",
    ),
    "run missing": ("whole", lambda f: (f / "h_1.jsonl").unlink(), "h_1.jsonl: it is missing: 270 lines"),
    "run made up": (
        "whole", lambda f: (f / "x.jsonl").write_text("{}\n"),
        "the log has no event of this run",
    ),
    "entry changed": ("whole", _edit("tile/entries/000", *REF), "event 6 was changed"),
    "bundle missing": (
        "whole", lambda f: (f / "tile/entries/001").unlink(),
        "events 256 to 511 cannot be read",
    ),
    "tile changed": (
        "whole", lambda f: (f / "tile/0/000").write_bytes(bytes(8192)),
        "tile/0/000: it is damaged",
    ),
    "tile missing": ("part", lambda f: (f / "tile/0/001").unlink(), "can no longer be proved"),
    "upper tile": (
        "part", lambda f: (f / "tile/1/000.p/2").write_bytes(bytes(64)),
        "tile/1/000.p/2: it is damaged",
    ),
    "part changed": ("part", _edit("h_1.jsonl", *REF), "h_1.jsonl: line 7 was changed: event 141"),
    "part swapped": (
        "part", _lines("h_1.jsonl", lambda x: [x[1], x[0], *x[2:]]),
        "line 2 was changed: event 135",
    ),
    "part emptied": (
        "part", lambda f: (f / "h_1.jsonl").write_bytes(b""),
        "none of its lines is in the log",
    ),
    "size changed": ("whole", _edit("checkpoint", b"\n542\n", b"\n541\n"), "does not match the text"),
    "checkpoint missing": (
        "whole", lambda f: (f / "checkpoint").unlink(),
        "none of the given keys signed this",
    ),
    "log.json missing": ("whole", lambda f: (f / "log.json").unlink(), "log.json: "),
    "export.json missing": ("part", lambda f: (f / "export.json").unlink(), "export.json, is missing"),
    "body changed": ("whole", _bodies(lambda p: p.write_bytes(gzip.compress(b"x"))), "is damaged"),
    "body longer": (
        "whole", _bodies(lambda p: p.write_bytes(p.read_bytes() + b"more")), "is damaged",
    ),
    "body twice": ("whole", _bodies(lambda p: p.write_bytes(p.read_bytes() * 2)), "is damaged"),
    "body no gzip": ("whole", _bodies(lambda p: p.write_bytes(b"x")), "is damaged"),
    "body missing": ("part", _bodies(Path.unlink), "is missing"),
    "called a part": ("whole", _called_a_part, "h_0.jsonl: an export of the runs that export.json lists"),
    "bundles in a part": (
        "part", lambda f: ((f / "tile/entries").mkdir(), (f / "tile/entries/000").write_bytes(b"x")),
        "tile/entries: an export of the runs that export.json lists has no such file",
    ),
    "commits alike": ("whole", _commits_alike, "it does not contain the checkpoint that event 541 names"),
    "value changed": ("private", _edit(ROWS, b'"salt":"', b'"salt":"00'), "line 1 does not open"),
    "value repeated": ("private", _lines(ROWS, lambda x: [b"[]\n", *x]), "line 1 does not open"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOUCHES)
def test_touched(unpacked, made, tmp_path, name):
    which, touch, wanted = TOUCHES[name]
    shutil.copytree(unpacked[which], tmp_path / "audit")
    touch(tmp_path / "audit")
    code, out = verified(tmp_path / "audit", "--key", made.key.text)
    assert code == 1
    assert wanted in out
    assert out.splitlines()[0].startswith("✗ ")


@pytest.mark.parametrize(
    ("gone", "word"),
    [
        (1, "1 body is marked as absent at export, but no signature proves it\n"),
        (
            99,
            "20 bodies are marked as absent at export, but no signature proves it; this export has no",
        ),
    ],
)
def test_bodies_that_are_said_to_be_absent(unpacked, made, tmp_path, gone, word):
    shutil.copytree(unpacked["part"], tmp_path / "audit")
    for path in sorted((tmp_path / "audit/evidence").glob("*/*"))[:gone]:
        path.unlink()
    assert verified(tmp_path / "audit", "--key", made.key.text)[0] == 1
    _said(tmp_path / "audit", absent=made.bodies)
    code, out = verified(tmp_path / "audit", "--key", made.key.text)
    assert (code, f"  note: {word}" in out) == (0, True), out


def test_checkpoints_that_are_not_in_it(unpacked, made, tmp_path):
    shutil.copytree(unpacked["whole"], tmp_path / "audit")
    shutil.rmtree(tmp_path / "audit/commits")
    code, out = verified(tmp_path / "audit", "--key", made.key.text)
    assert (code, "2 checkpoints that merkle_commit events name: not in this export" in out) == (0, True)


@pytest.mark.parametrize(
    ("touch", "told"),
    [
        (lambda f: (f / "tile/entries/001").unlink(), ["events 256 to 511 cannot be read"]),
        (
            lambda f: shutil.rmtree(f / "tile/entries"),
            [
                "events 0 to 255 cannot be read",
                "events 256 to 511 cannot",
                "events 512 to 541 cannot be read",
            ],
        ),
        (_edit("tile/entries/000", *REF), ["event 6 was changed"]),
        (_edit("tile/entries/000", b'"ts":"2026', b'"ts":"2027'), ["event 0 was changed"]),
        (
            lambda f: [shutil.rmtree(f / "tile/entries"), shutil.rmtree(f / "tile/0")],
            ["events 0 to 255", "events 256 to 511", "events 512 to 541", "events 0 to 541 can no longer"],
        ),
    ],
)
def test_one_cause_is_told_once(unpacked, made, tmp_path, touch, told):
    """What a bundle lost is looked for in the files of runs; what cannot be known is not claimed."""
    shutil.copytree(unpacked["whole"], tmp_path / "audit")
    touch(tmp_path / "audit")
    code, out = verified(tmp_path / "audit", "--key", made.key.text)
    found = [line for line in out.splitlines() if line.startswith("✗")]
    assert (code, len(found)) == (1, len(told)), out
    assert all(one in line for one, line in zip(told, found, strict=True))


@pytest.mark.parametrize("name", ["line changed", "part changed", "value changed"])
def test_touched_in_a_clean_world(unpacked, made, tmp_path, name):
    which, touch, wanted = TOUCHES[name]
    shutil.copytree(unpacked[which], tmp_path / "audit")
    touch(tmp_path / "audit")
    code, out = alone(tmp_path / "audit", "--key", made.key.text)
    assert (code, wanted in out) == (1, True)


def test_same_words_as_the_command(unpacked, made, tmp_path):
    """What the archive's verifier says about a change is what the command says about the log."""
    for name, (path, *change) in {"line": ("h_0.jsonl", *REF), "entry": ("tile/entries/000", *REF)}.items():
        for kind, source in {"log": made.folder, "export": unpacked["whole"]}.items():
            shutil.copytree(source, tmp_path / name / kind)
            _edit(path, *change)(tmp_path / name / kind)
        ours = ran("verify", tmp_path / name / "log", "--key", made.key.text).out
        theirs = verified(tmp_path / name / "export", "--key", made.key.text)[1]
        told = [
            {line.split(": ", 1)[1] for line in text.splitlines() if "✗" in line} for text in (ours, theirs)
        ]
        assert {one for one in told[0] if "event 6" in one} <= told[1]


def test_rolled_back(unpacked, made, tmp_path):
    key = SignerKey.parse(next(made.keys.glob("*.key")).read_text())
    later = f"{ORIGIN}\n600\n{'A' * 43}=\n"
    (tmp_path / "kept").write_bytes(sign_note(later, key))
    code, out = verified(unpacked["whole"], "--key", made.key.text, "--checkpoint", str(tmp_path / "kept"))
    assert (code, "the log was rolled back: it had 600 events, 58 of them are gone" in out) == (1, True)
    (tmp_path / "kept").write_bytes(sign_note(later.replace("600", "5"), key))
    code, out = verified(unpacked["whole"], "--key", made.key.text, "--checkpoint", str(tmp_path / "kept"))
    assert (code, "the first 5 events are not those that were signed then" in out) == (1, True)


def test_another_key(unpacked, made, tmp_path):
    other = SignerKey.generate(ORIGIN)
    assert verified(unpacked["whole"], "--key", other.verifier.text)[0] == 1
    shutil.copytree(unpacked["whole"], tmp_path / "audit")
    note = (tmp_path / "audit/checkpoint").read_bytes()
    text = (note.rpartition(b"\n\n")[0] + b"\n").decode()
    (tmp_path / "audit/checkpoint").write_bytes(sign_note(text, other))
    assert verified(tmp_path / "audit", "--key", made.key.text)[0] == 1


@pytest.mark.parametrize("arguments", [["--key", "none"], ["--checkpoint", "/no/such/file"], ["--what"]])
def test_wrongly_used(unpacked, arguments):
    assert verified(unpacked["whole"], *arguments)[0] == 2


def test_nothing_there(tmp_path):
    shutil.copy(SCRIPT, tmp_path)
    assert verified(tmp_path)[0] == 3


@pytest.mark.parametrize("run", ["private", "export", "checkpoint", "log", "tile", "evidence"])
def test_runs_named_like_our_files(tmp_path, run):
    made = make_log(tmp_path, 20, runs=1, commits=1)
    with made.open() as log:
        log.append(run, [{"ev": "verified", "ref": 1, "verdict": "matched"}])
        log.integrate()
    with tarfile.open(fileobj=io.BytesIO(archive(made, private=True))) as tar:
        tar.extractall(tmp_path / "export", filter="data")
    assert verified(tmp_path / "export/audit", "--key", made.key.text)[0] == 0
    assert (tmp_path / f"export/audit/{run}.jsonl").is_file()


def test_pruned_bodies_are_excused(tmp_path):
    made = make_log(tmp_path, 20, runs=1, commits=1)
    (made.folder / "evidence.sqlite").unlink()
    with made.open() as log:
        log.append("h_0", [{"ev": "pruned", "evidence": 20, "before": "2026-03-31T00:00:00.000Z"}])
        log.integrate()
    for number, runs in enumerate([(), ("h_0",)]):
        with tarfile.open(fileobj=io.BytesIO(archive(made, runs=runs))) as tar:
            tar.extractall(tmp_path / str(number), filter="data")
        assert verified(tmp_path / str(number) / "audit", "--key", made.key.text)[0] == 0


# --- the command ---------------------------------------------------------------------------------------


def test_command(made, tmp_path):
    ended = ran("export", made.folder, "-o", tmp_path / "a.tar")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.endswith("a.tar: 542 events, 2 runs, 40 bodies\n")
    assert (tmp_path / "a.tar").read_bytes() == archive(made)
    ended = ran("export", made.folder, "-o", tmp_path / "p.tar", "--private", "--run", "h_1")
    assert "p.tar: 270 events, 1 run, 20 bodies\n" in ended.err
    assert "warning: 270 values as plain text are in it" in ended.err
    assert (tmp_path / "p.tar").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nowhere", "-o", "x.tar"], 3),
        (["LOG"], 2),
        (["LOG", "-o", "no/such/x.tar"], 2),
        (["LOG", "-o", "x.tar", "--run", "h_9"], 3),
    ],
)
def test_command_wrongly_used(made, tmp_path, monkeypatch, arguments, code):
    monkeypatch.chdir(tmp_path)
    assert ran("export", *(made.folder if text == "LOG" else text for text in arguments)).code == code
    assert list(tmp_path.glob("*.tar")) == list(tmp_path.glob(".*.part")) == []


def test_a_damaged_log_is_not_exported_as_whole(made, tmp_path):
    shutil.copytree(made.folder, tmp_path / "log")
    (tmp_path / "log/tile/entries/001").unlink()
    ended = ran("export", tmp_path / "log", "-o", tmp_path / "x.tar")
    assert (ended.code, (tmp_path / "x.tar").exists()) == (5, False)


@pytest.mark.parametrize(
    ("touch", "arguments", "word"),
    [
        (_edit("tile/entries/000", *REF), [], "event 6 is not as it was signed"),
        (_edit("tile/entries/000", *REF), ["--run", "h_0"], "event 6 is not as it was signed"),
        (_edit("tile/entries/000", *REF), ["--run", "h_1"], ""),  # which carries only its hash
        (lambda f: (f / "tile/0/000").write_bytes(bytes(8192)), ["--run", "h_1"], "its tiles do not lead"),
        (lambda f: (f / "tile/1/000.p/2").write_bytes(bytes(64)), [], "its tiles do not lead to the signed"),
    ],
)
def test_a_changed_log_is_exported_with_a_warning(made, tmp_path, touch, arguments, word):
    shutil.copytree(made.folder, tmp_path / "log")
    touch(tmp_path / "log")
    ended = ran("export", tmp_path / "log", "-o", tmp_path / "x.tar", *arguments)
    assert (ended.code, (tmp_path / "x.tar").exists()) == (4 if word else 0, True)
    assert (f"warning: the archive will not verify: {word}" in ended.err) == bool(word)
