"""A small log with everything a verification looks at: runs, commits, evidence, private rows, a tail."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from citeproof.plumbing.signed_note import SignerKey, VerifierKey, sign_note
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import standalone
from citeproof.proof.audit.anchors.base import AnchorContext, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.export_archive import export_log
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import LogCheckpoint
from citeproof.proof.audit.tiles import extend_tree
from citeproof.proof.audit.verify.log_check import verify
from citeproof.surfaces.cli.main import main

ORIGIN = "example.org/log"


@dataclass
class Ticking:
    """A clock that goes on by a second at each look."""

    at: datetime = datetime(2026, 3, 1, 9, tzinfo=UTC)
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        self.at += self.step
        return self.at

    def elapsed(self) -> float:
        return self.at.timestamp()


@dataclass
class Made:
    """A log that was written, and what a test needs to know of it."""

    folder: Path
    keys: Path
    key: VerifierKey
    bodies: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return json.loads((self.folder / "state.json").read_bytes())["size"]

    def open(self, clock=None) -> AuditLog:
        return AuditLog.open(
            self.folder, clock or Ticking(datetime(2026, 4, 1, tzinfo=UTC)), KeyStore(self.keys)
        )


def make_log(
    place: Path, events: int = 600, runs: int = 2, tail: int = 0, commits: int = 2, *, bare: bool = False
) -> Made:
    """Return a log of some `events` in turns of several runs, committed `commits` times, `tail` unsigned.

    A `bare` one has neither evidence nor private rows.
    """
    folder, keys, clock = place / "audit", place / "keys", Ticking()
    log = AuditLog.open_or_create(folder, clock, KeyStore(keys), ORIGIN)
    made = Made(folder, keys, log.key)
    evidence, private = (None, None) if bare else (EvidenceStore(folder), PrivateStore(folder))
    anchor = make("folder:commits", AnchorContext(folder, clock))
    names = [f"h_{number}" for number in range(runs)]
    share = events // (runs * commits)
    for turn in range(commits):
        for run in names:
            fill(log, evidence, private, run, share, made.bodies, first=1 + turn * share)
        log.commit(names[0], [anchor])
    if tail:
        fill(log, evidence, private, names[-1], tail, made.bodies, first=1 + commits * share)
    for each in (evidence, private, log):
        if each is not None:
            each.close()
    return made


def copied(made: Made, place: Path) -> Made:
    shutil.copytree(made.folder, place / "audit")
    return Made(place / "audit", made.keys, made.key, made.bodies)


def told(made: Made, **more) -> list[str]:
    return [f"{one.place}: {one.what}" for one in verify(made.folder, [made.key], **more).problems]


def entry(seq: int, run: str = "r") -> bytes:
    return b'{"ev":"verified","run":"%s","seq":%d,"ts":"2026-01-01T00:00:00.000Z","v":1}' % (
        run.encode(),
        seq,
    )


def by_hand(folder: Path, entries: list[bytes]) -> SignerKey:
    """Write a log of entries of the run `r` by hand."""
    folder.mkdir()
    key = SignerKey.generate(ORIGIN)
    found = extend_tree(folder, 0, entries)
    about = {"created": "", "format": "citeproof-audit-1", "key": key.verifier.text, "origin": ORIGIN}
    (folder / "log.json").write_text(json.dumps(about, separators=(",", ":")))
    (folder / "r.jsonl").write_bytes(b"".join(entry + b"\n" for entry in entries))
    state = {"commit": None, "root": found.hex(), "size": len(entries), "ts": json.loads(entries[-1])["ts"]}
    (folder / "state.json").write_text(json.dumps(state, separators=(",", ":")))
    (folder / f"journal-{len(entries)}").touch()
    (folder / "checkpoint").write_bytes(sign_note(LogCheckpoint(ORIGIN, len(entries), found).body(), key))
    return key


def text_of(note: bytes) -> str:
    return (note.rpartition(b"\n\n")[0] + b"\n").decode()


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def ran(*arguments: object) -> Ended:
    """Return how `citeproof audit …` ended, run in this process."""
    out, err = TextIOWrapper(BytesIO(), encoding="utf-8"), TextIOWrapper(BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(["audit", *map(str, arguments)])
        except SystemExit as ended:
            code = int(ended.code or 0)
    for stream in (out, err):
        stream.flush()
    return Ended(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def fill(log, evidence, private, run, count, bodies, first=1) -> None:
    """Append verdicts, each with a case in the sidecar, the first ten with a body in the store."""
    rows, events, stored = [], [], []
    for ref in range(first, first + count):
        hashes = []
        if ref < first + 10:
            body = f'{{"answer": {ref}, "of": "{run}", "pad": "{"x" * 200}"}}'.encode()
            hashes.append(sha256(body).hexdigest())
            stored.append((hashes[0], body))
        case = json.dumps(
            {"reference": {"key": f"smith{run}{ref}", "raw": f"Smith, J. {ref}. Ünïcode"}}
        ).encode()
        salt, commitment = make_commitment(case)
        rows.append(PrivateRow(commitment, run, "case", ref, salt, case))
        events.append(event(ref, hashes, commitment))
    if evidence is None:
        log.append(run, [{k: v for k, v in one.items() if k not in {"evidence", "case"}} for one in events])
        return
    bodies += [digest for digest, _ in stored]
    evidence.put(stored)
    private.put(rows)
    log.append(run, events)


def event(ref: int, hashes: list[str], commitment: str) -> dict[str, object]:
    return {
        "ev": "verified",
        "stage": "check",
        "ref": ref,
        "verdict": "matched",
        "label": "VALID",
        "score": 0.97,
        "conf": 0.95,
        "model": "judge-1",
        "claimed": {
            "title": f"On the résumé of case {ref}",
            "authors": ["J. Smith"],
            "year": 2001,
            "venue": None,
        },
        "doi": f"10.5555/case.{ref}",
        "evidence": hashes,
        "case": commitment,
    }


SCRIPT = Path(standalone.__file__).with_name("verify.py")


def archive(made: Made, **more) -> bytes:
    target = io.BytesIO()
    export_log(made.folder, target, **more)
    return target.getvalue()


def loaded(script: Path):
    """Return a verifier as a module: its folder is the one it stands in."""
    spec = importlib.util.spec_from_file_location("plain_verify", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verified(folder: Path, *arguments: str) -> tuple[int, str]:
    """Return how the archive's own `verify.py` ended, run in this process, which is quicker."""
    out = TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with (
        redirect_stdout(out),
        redirect_stderr(io.StringIO()),
        patch.object(sys, "argv", ["verify.py", *arguments]),
    ):
        try:
            code = loaded(folder / "verify.py").main()
        except SystemExit as ended:
            code = ended.code
    out.flush()
    return code, out.buffer.getvalue().decode()


def alone(folder: Path, *arguments: str) -> tuple[int, str]:
    """Return how it ended in a clean world: no packages, no environment, another folder."""
    command = [sys.executable, "-S", "-I", str(folder / "verify.py"), *arguments]
    ended = subprocess.run(command, capture_output=True, cwd="/", env={}, timeout=60, check=False)
    assert ended.stderr == b"", ended.stderr.decode()
    return ended.returncode, ended.stdout.decode()
