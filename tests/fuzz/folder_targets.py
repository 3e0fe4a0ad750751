"""Targets that read a folder or a conversation: audit logs, snapshots, policies, settings, editors' messages.

A folder is given as a zip of its files, whose members are damaged one at a time (`mutations`).
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from citeproof import settings as project_settings
from citeproof.errors import CiteproofError
from citeproof.evidence.index import manifest as manifests
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.proof.audit.verify.log_check import verify
from citeproof.service.engine_pool import EnginePool
from citeproof.settings import Settings
from citeproof.settings.policies import policy_reader
from citeproof.vocabulary import Name
from tests.proof.audit.making import make_log
from tests.service.snapshot_mirror import build_snapshot, make_works

MOST_MEMBERS, MOST_BYTES = 200, 2_000_000
OPENED = "@article{a, title = {Ice 𝔸}, author = {Curie, M.}, year = 2001}\n"


def pack_folder(folder: Path) -> bytes:
    """Return the files of a folder as a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            packed.write(path, path.relative_to(folder).as_posix())
    return made.getvalue()


@contextmanager
def unpack_folder(data: bytes) -> Iterator[Path | None]:
    """Give a folder with the files of a zip, as far as they can be unpacked; None for what is no zip."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_find_memory()))
    try:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                for member in packed.infolist()[:MOST_MEMBERS]:
                    _unpack_member(packed, member, place)
        except Exception:  # noqa: BLE001 - zipfile's, zlib's and lzma's own; the archive is only our envelope
            yield None
            return
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _unpack_member(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    if member.is_dir() or member.file_size > MOST_BYTES or ".." in member.filename.split("/"):
        return
    path = place / member.filename.lstrip("/")
    with suppress(OSError, ValueError):  # a name that is too long, a folder where a file is
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed.read(member))


@cache
def _find_memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _make_seed(make: Callable[[Path], Path]) -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as made:
        return [pack_folder(make(Path(made)))]


@cache
def list_audit_logs() -> list[bytes]:
    """Return two small logs: one with evidence and an unsigned tail, one bare."""
    return [
        *_make_seed(lambda place: make_log(place, events=12, tail=3).folder),
        *_make_seed(lambda place: make_log(place, events=600, bare=True).folder),
    ]


@cache
def list_snapshots() -> list[bytes]:
    """Return a snapshot of a few works, some of them twice."""
    works = make_works(40)
    twice = [{**work, "d": f"{work['d']}.v2"} for work in works[:8]]
    return _make_seed(lambda place: build_snapshot(place / "made", [*works, *twice]))


def run_audit_log(data: bytes) -> None:
    """Verify a log that somebody gives us, whatever is in it."""
    with unpack_folder(data) as folder:
        if folder is not None:
            for deep in (False, True):
                with suppress(CiteproofError):
                    verify(folder, deep=deep)


def run_snapshot(data: bytes) -> None:
    """Open a snapshot whose manifest was made to fit its damaged files, and ask it everything."""
    with unpack_folder(data) as folder:
        if folder is None:
            return
        with suppress(CiteproofError, OSError):
            _fit_manifest(folder)
            check_snapshot(folder)
        with suppress(CiteproofError):
            _ask_snapshot(folder)


def _fit_manifest(folder: Path) -> None:
    made = manifests.load(folder)
    for name in made.files:
        if (folder / name).is_file() and ".." not in name.split("/") and not name.startswith("/"):
            made.files[name] = manifests.make_file_fact(folder / name)
    (folder / manifests.FILE).write_bytes(manifests.dumps(made))


def _ask_snapshot(folder: Path) -> None:
    names = [Name("Author3", "Ann"), Name("Writer3", "Bo")]
    works = make_works(5)
    with Snapshot.open(folder) as snapshot:
        asked: list[Callable[[], object]] = [
            lambda: snapshot.by_id("doi", str(works[3]["d"])),
            lambda: snapshot.by_title(str(works[3]["t"]), authors=names),
            lambda: snapshot.by_title("Grpah nueral of tpye"),
            lambda: snapshot.by_raw(f"Author3, A. {works[3]['t']}. Journal, 1999."),
            lambda: snapshot.by_authors(names),
            lambda: snapshot.by_author_year(names, 1999),
            lambda: snapshot.facts.knows_doi_prefix("10.1000"),
            lambda: snapshot.facts.venue_count("Journal"),
            lambda: snapshot.facts.finds_venue_name("Journal"),
            lambda: [snapshot.same_work(snapshot.record_at(n)) for n in range(0, 40, 7)],
            lambda: [snapshot.find_abstract(snapshot.record_at(n)) for n in range(0, 40, 7)],
        ]
        for ask in asked:
            with suppress(CiteproofError):
                ask()


def list_policy_texts() -> list[bytes]:
    """Return the shipped policies under a name of their own."""
    made = [policy_reader.read_policy_text(name).encode() for name in policy_reader.SHIPPED]
    return [b'name = "ours"\n' + text for text in made]


def run_policy(data: bytes) -> None:
    """Read a policy, as `--policy FILE` does."""
    with suppress(CiteproofError):
        policy_reader.parse_policy(data.decode("utf-8", "replace"), "ours", "ours.toml")


def list_settings() -> list[bytes]:
    """Return project files to start from."""
    return [
        (
            b'offline = true\ncorpus_sources = ["a", "b/*.md"]\nfail_on = ["minor", "unchecked"]\n'
            b"corpus_stale_days = 30\n"
        ),
        b'[project]\nname = "x"\n[tool.citeproof]\noffline = true\nfail_on = "minor,unchecked,retracted"\n',
    ]


def run_settings(data: bytes) -> None:
    """Load the settings of a project that a stranger wrote."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_find_memory()))
    try:
        for name in ("citeproof.toml", "pyproject.toml"):
            path = folder / name
            path.write_bytes(data)
            with suppress(CiteproofError):
                project_settings.load(environment={}, folder=folder)
            with suppress(CiteproofError):
                project_settings.read_project(folder)
            path.unlink()
    finally:
        shutil.rmtree(folder)


def list_messages() -> list[bytes]:
    """Return what an editor says after it has opened a file: one message a line."""
    where = {"textDocument": {"uri": "file:///a.bib"}, "position": {"line": 0, "character": 30}}
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 9}}
    problem = {
        "range": span,
        "message": "x",
        "source": "citeproof",
        "data": {"fingerprint": "a", "title": "b"},
    }
    said: list[tuple[str, object]] = [
        ("textDocument/hover", where),
        ("textDocument/codeAction", {**where, "range": span, "context": {"diagnostics": [problem]}}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///a.bib", "version": 2},
                                    "contentChanges": [{"range": span, "text": "@misc{b}"}, {"text": "x"}]}),
        ("workspace/executeCommand", {"command": "citeproof.check", "arguments": ["file:///a.bib"]}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///a.bib"}}),
    ]  # fmt: skip
    return [b"\n".join(_make_message(n, *one) for n, one in enumerate(said))]


def _make_message(number: int, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


@cache
def _make_pool() -> EnginePool:
    return EnginePool(Settings(offline=True))


def run_messages(data: bytes) -> None:
    """Tell the language server what an editor says; errors of our own code are raised, not those of pygls."""
    from citeproof.surfaces.lsp.language_server import make_language_server

    server = make_language_server(Settings(offline=True), _make_pool())
    raised: list[Exception] = []
    server.report_server_error = lambda error, _: raised.append(error)  # type: ignore[method-assign]
    begin = {"capabilities": {}, "processId": None, "rootUri": None}
    item = {"uri": "file:///a.bib", "languageId": "bibtex", "version": 1, "text": OPENED}
    first = [
        _make_message(1000, "initialize", begin),
        _make_message(1001, "initialized", {}),
        json.dumps(
            {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
        ).encode(),
    ]
    framed = [
        b"Content-Length: %d\r\n\r\n%s" % (len(one), one) for one in [*first, *data.splitlines()[:30]] if one
    ]
    server.start_io(io.BytesIO(b"".join(framed)), io.BytesIO())
    for error in raised:
        trace, ours = error.__traceback__, False
        while trace is not None:
            ours = "citeproof/surfaces" in trace.tb_frame.f_code.co_filename
            trace = trace.tb_next
        if ours:
            raise error
