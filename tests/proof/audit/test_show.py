"""A log as people read it: runs, traces, one reference in full; the terminal is safe from what it holds."""

from __future__ import annotations

import json
import os
from contextlib import closing
from hashlib import sha256

import msgspec
import pytest

from citeproof.errors import AuditError
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import log_reader, run_trace
from citeproof.proof.audit.case import encode_case
from citeproof.proof.audit.events import make_events
from citeproof.proof.audit.run_lock import RunLock
from citeproof.proof.audit.run_trace import ReferenceTrace, ValueState
from citeproof.surfaces.cli.audit.trace_words import describe_reference
from citeproof.surfaces.cli.main import main
from tests.proof.audit.logs import Ticking, again, made


def record(log, run: str, checked, *, first: int = 1, raw: str = "") -> None:
    """Log references as a run does: document, cases, evidence, verdicts."""
    private = PrivateStore(log.folder)
    data = msgspec.json.encode({"name": f"{run}.docx", "sha256": "cd" * 32, "bytes": 1234})
    salt, document = make_commitment(data)
    private.put([PrivateRow(document, run, "document", 0, salt, data)])
    start = {"ev": "run_start", "stage": "check", "judge": "judge-1", "documents": [document]}
    log.append(run, [start])
    for ref, one in enumerate(checked, first):
        data = encode_case(one) if not raw else raw.encode()
        salt, commitment = make_commitment(data)
        private.put([PrivateRow(commitment, run, "case", ref, salt, data)])
        log.append(run, make_events(one, ref, "check", commitment))
    private.close()
    counts = {"matched": len(checked)}
    log.append(run, [{"ev": "run_end", "references": len(checked), "counts": counts}])


@pytest.fixture
def log(tmp_path):
    with made(tmp_path) as log:
        yield log


@pytest.fixture
def show(tmp_path, capsys):
    """A function that runs `citeproof audit show` on the log: (exit code, output, errors)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["audit", "show", str(tmp_path / "log"), *arguments])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("settled", [(), (0,), (1,), (0, 1, 2)])
def test_entries_come_from_tiles_and_journal_in_order(log, settled):
    for turn in range(3):
        log.append(f"h_{turn % 2}", [{"ev": "verified", "n": 300 * turn + n} for n in range(300)])
        if turn in settled:
            log.integrate()
    assert [entry["n"] for entry in log_reader.read_entries(log.folder)] == list(range(900))
    assert [entry["n"] for entry in log_reader.read_entries(log.folder, "h_1")] == list(range(300, 600))
    assert [json.loads(line)["seq"] for line in log_reader.read_log_lines(log.folder, 255)] == list(
        range(255, 900)
    )
    assert list(log_reader.read_log_lines(log.folder, 900)) == []
    assert log_reader.count_signed(log.folder) == max((300 * (turn + 1) for turn in settled), default=0)
    assert list(log_reader.read_entries(log.folder, "none")) == []


@pytest.mark.parametrize("left", ["", "half"])
def test_what_a_crash_kept_from_the_file_of_a_run_comes_from_the_journal(log, left):
    log.append("h_1", [{"ev": "verified", "n": n} for n in range(3)])
    log.integrate()
    log.append("h_1", [{"ev": "verified", "n": n} for n in range(3, 6)])
    log.append("h_2", [{"ev": "verified", "n": 9, "claimed": {"run": "h_1"}}])
    path = log.folder / "h_1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + (lines[4][:9] if left else b""))
    assert [entry["n"] for entry in log_reader.read_entries(log.folder, "h_1")] == list(range(6))
    path.unlink()
    assert [entry["n"] for entry in log_reader.read_entries(log.folder, "h_1")] == list(range(6))


def test_a_last_line_that_is_being_written_is_left_out(log):
    log.append("h_1", [{"ev": "verified", "n": 1}])
    with next(log.folder.glob("journal-*")).open("ab") as journal:
        journal.write(b'{"ev":"verified","n":2')
    assert [entry["n"] for entry in log_reader.read_entries(log.folder)] == [1]


def test_runs_are_counted(log, made_checked):
    record(log, "h_1", [made_checked["exact"], made_checked["not_found"]])
    log.integrate()
    record(log, "h_2", [made_checked["minor"]])
    record(log, "h_1", [made_checked["exact"]], first=3)
    log.append("h_2", [{"ev": "run_start", "stage": "check"}])
    first, second = log_reader.list_runs(log.folder)
    assert (first.run, first.references, second.run, second.references) == ("h_1", 3, "h_2", 1)
    assert dict(first.verdicts) == {"matched": 2, "not_found": 1}
    assert (first.events["run_start"], first.finished is not None, second.finished) == (2, True, None)
    assert (first.first, second.first) == (0, 4)


def test_two_runs_at_once_under_one_name_are_counted_each(log, made_checked):
    """Both gave the numbers 1 and 2; the log has four verdicts."""
    record(log, "h_1", [made_checked["exact"], made_checked["minor"]])
    record(log, "h_1", [made_checked["exact"], made_checked["not_found"]])
    (head,) = log_reader.list_runs(log.folder)
    assert (head.references, dict(head.verdicts)) == (4, {"matched": 3, "not_found": 1})
    with closing(PrivateStore(log.folder, readonly=True)) as private:
        found = [
            one
            for one in run_trace.trace_run(log.folder, "h_1", private, 2)
            if isinstance(one, ReferenceTrace)
        ]
    assert [one.verdict["verdict"] for one in found] == ["matched", "not_found"]


START = {"ev": "run_start", "stage": "check"}
END = {"ev": "run_end", "references": 2, "counts": {}, "complete": True}
CUT = END | {"references": 1, "complete": False}
VERDICT = {"ev": "verified", "verdict": "matched"}


@pytest.mark.parametrize(
    ("events", "states"),
    [
        ([START, VERDICT, VERDICT, END], ["complete"]),
        ([START, VERDICT, CUT], ["broken off after 1 of 5"]),
        ([START, VERDICT, VERDICT], ["broken off after 2 of 5"]),
        ([START, VERDICT, START, VERDICT, VERDICT, END], ["broken off after 1 of 5", "complete"]),
        ([START, VERDICT, CUT, START, VERDICT, VERDICT, END], ["broken off after 1 of 5", "complete"]),
        ([START, START, VERDICT, VERDICT, VERDICT, VERDICT, END, END], ["complete", "complete"]),
        (
            [START, VERDICT, START, START, END],
            ["broken off after 1 of 5", "broken off after 0 of 5", "complete"],
        ),
        ([START, VERDICT, {**END, "complete": None}], ["complete"]),
    ],
)
def test_what_was_broken_off_is_marked(log, show, events, states):
    private = PrivateStore(log.folder)
    for event in events:
        if event["ev"] != "run_start":
            log.append("h_1", [event | ({"ref": log.size} if "verdict" in event else {})])
            continue
        rows = []
        for extracted in (2, 3):  # two documents, the second in an event of its own
            data = msgspec.json.encode({"name": "x", "extracted": extracted})
            salt, commitment = make_commitment(data)
            rows.append(PrivateRow(commitment, "h_1", "document", 0, salt, data))
        private.put(rows)
        log.append("h_1", [event | {"documents": [rows[0].commitment]}])
        log.append("h_1", [{"ev": "config", "documents": [rows[1].commitment]}])
    log.integrate()
    told = [state for state in states if state != "complete"]
    table, trace = show()[1], show("h_1")[1]
    assert all(f"; {state}" in " ".join(table.split()) for state in told)
    assert [line.partition(";")[0] for line in trace.splitlines() if line[:1] == "⚠"] == [
        f"⚠ {state}" for state in told
    ]
    assert table.count("broken off") == len(told)
    (parts,) = [run["parts"] for run in json.loads(show("--format", "json")[1])["runs"]]
    assert [part["state"] for part in parts] == [
        state.partition(" off")[0].replace("broken", "broken_off") for state in states
    ]
    private.erase(private.list_commitments("h_1"))  # then nobody knows how many were read
    private.close()
    assert " of 5" not in show()[1] + show("h_1")[1]


@pytest.mark.parametrize(
    ("name", "left", "state"),
    [
        ("h_1", False, "running, 1 so far"),
        ("", False, "no end is logged, running or broken off after 1"),
        ("h_2", False, "no end is logged, running or broken off after 1"),
        ("h_2", True, "broken off after 1"),
        (None, False, "broken off after 1"),
        (None, True, "broken off after 1"),
    ],
)
def test_a_run_without_an_end_may_be_written_at_this_moment(log, show, name, left, state):
    """`left`: the file that a killed process of the name h_1 leaves. A run without a name holds none."""
    log.append("h_1", [START, VERDICT | {"ref": 1}])
    held = RunLock(log.folder, name) if name is not None else None
    if left:
        (log.folder / "lock.run-h_1").touch()
    assert f"; {state}" in " ".join(show()[1].split())
    if held:
        held.let_go()
    assert "; broken off after 1" in " ".join(show()[1].split())


DEEP = b'{"ev":"verified","run":"h_1","seq":0,"ts":"t","x":' + b"[" * 30_000 + b"]" * 30_000 + b"}"


@pytest.mark.parametrize(
    "rubbish",
    [b"rubbish", b"{}", b'{"seq":"x"}', b"\xff\xfe", b"[" * 5000, b'{"seq":0,"ts":"","run":"h_1"}', DEEP],
)
def test_a_line_that_is_no_entry_is_an_error_with_a_mend(log, rubbish):
    log.append("h_1", [{"ev": "verified"}])
    for path in (log.folder / "h_1.jsonl", next(log.folder.glob("journal-*"))):
        path.write_bytes(rubbish + b"\n" + path.read_bytes())
    for read in (
        log_reader.list_runs(log.folder),
        log_reader.read_entries(log.folder),
        log_reader.read_entries(log.folder, "h_1"),
    ):
        with pytest.raises(AuditError) as raised:
            list(read)
        assert "verify" in raised.value.hint


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "long"])
def test_what_is_no_plain_file_is_an_error(log, tmp_path, kind):
    log.append("h_1", [{"ev": "verified"}])
    log.integrate()
    path = log.folder / "h_1.jsonl"
    path.unlink()
    (tmp_path / "elsewhere").write_text("secret")
    match kind:
        case "link":
            path.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"x" * 100_000)
    with pytest.raises(AuditError) as raised:
        list(log_reader.read_entries(log.folder, "h_1"))
    assert "secret" not in str(raised.value)


# --- traces ---------------------------------------------------------------------------------------


def test_a_trace_has_each_reference_with_what_is_left_of_it(log, made_checked):
    record(log, "h_1", list(made_checked.values()))
    private = PrivateStore(log.folder)
    rows = {row.ref: row for row in private.list_run_rows("h_1", "case")}
    log.append("h_1", [{"ev": "redacted", "commitments": [rows[1].commitment], "reason": "x"}])
    private.erase([rows[1].commitment, rows[2].commitment])
    private.put([PrivateRow(rows[2].commitment, "h_1", "case", 2, bytes(32), b"")])
    found = list(run_trace.trace_run(log.folder, "h_1", private))
    traced = [one for one in found if isinstance(one, ReferenceTrace)]
    private.close()
    assert [one.ref for one in traced] == [1, 2, 3, 4, 5, 6]
    assert [one.case.kept for one in traced[:3]] == [
        ValueState.REDACTED,
        ValueState.MISSING,
        ValueState.WHOLE,
    ]
    assert [entry["ev"] for entry in traced[1].events] == ["verified", "retracted"]
    assert [one["ev"] for one in found if not isinstance(one, ReferenceTrace)] == [
        "run_start",
        "run_end",
        "redacted",
    ]


def test_references_come_by_number_and_not_as_they_were_done(log):
    """In each part of a run; its own events stand before and after."""
    miss = {"ev": "crossref_miss", "doi": "10.1/x", "attempt": 1}
    for numbers in ([3, 1, 2], [6, 4, 5]):
        log.append("h_1", [{"ev": "run_start", "stage": "check"}])
        for ref in numbers:
            log.append("h_1", [miss | {"ref": ref}, VERDICT | {"ref": ref}, {"ev": "retracted", "ref": ref}])
            log.append("h_1", [{"ev": "source_error", "source": "crossref", "cause": "timeout"}])
        log.append("h_1", [{"ev": "run_end", "references": 3, "counts": {}}])
    with closing(PrivateStore(log.folder, readonly=True)) as private:
        found = list(run_trace.trace_run(log.folder, "h_1", private))
    told = [one.ref if isinstance(one, ReferenceTrace) else one["ev"] for one in found]
    errors = ["source_error"] * 3
    first, second = (["run_start", *errors, *numbers, "run_end"] for numbers in ([1, 2, 3], [4, 5, 6]))
    assert told == [*first, *second]
    names = {tuple(entry["ev"] for entry in one.events) for one in found if isinstance(one, ReferenceTrace)}
    assert names == {("crossref_miss", "verified", "retracted")}


def test_a_changed_case_does_not_pass_for_the_one_committed_to(log, made_checked):
    record(log, "h_1", [made_checked["exact"]])
    private = PrivateStore(log.folder)
    row = next(private.list_run_rows("h_1", "case"))
    private.close()
    (log.folder / "private.sqlite").unlink()
    private = PrivateStore(log.folder)
    private.put(
        [PrivateRow(row.commitment, row.run, row.kind, row.ref, row.salt, b'{"reference": {"key": "other"}}')]
    )
    (traced,) = [
        one for one in run_trace.trace_run(log.folder, "h_1", private) if isinstance(one, ReferenceTrace)
    ]
    private.close()
    assert (traced.case.kept, traced.case.data) == (ValueState.CHANGED, {})


# --- the command ----------------------------------------------------------------------------------


def test_the_list_of_runs(log, made_checked, show, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    record(log, "h_1", [made_checked["exact"], made_checked["not_found"]])
    log.integrate()
    record(log, "h_2", [made_checked["unchecked"]])
    code, out, _ = show()
    assert code == 0
    rows = [row.split() for row in out.splitlines()]
    assert [(row[0], row[3]) for row in rows[1:3] if row] == [("h_1", "2"), ("h_2", "1")]
    assert "yes" in rows[1]
    assert "not yet" in out
    told = json.loads(show("--format", "json")[1])
    lines = [json.loads(line) for line in show("--format", "jsonl")[1].splitlines()]
    assert told["schema"] == "citeproof/audit-runs/1"
    assert told["runs"] == lines
    assert [(one["run"], one["verdicts"], one["signed"]) for one in lines] == [
        ("h_1", {"matched": 1, "not_found": 1}, "yes"),
        ("h_2", {"unchecked": 1}, "not yet"),
    ]


@pytest.mark.parametrize("wide", [30, 60, 80, 100, 200])
def test_the_list_of_runs_fits_the_screen(log, made_checked, show, monkeypatch, wide):
    monkeypatch.setenv("COLUMNS", str(wide))
    record(log, "20261115T142750Z-1f3a9c", list(made_checked.values()))
    record(log, "h_2", [made_checked["exact"]] * 3)
    code, out, _ = show()
    assert code == 0
    assert max(map(len, out.splitlines())) <= wide
    assert "2026-11-15T12:00:0" in out
    assert out.count("2026-11-15T") == 2  # the day is not said twice
    assert ".000Z" not in out
    assert "3 matched" in " ".join(out.split())


@pytest.mark.parametrize(
    ("reasons", "shown"),
    [(["year_off_by_2", "initials"], " (year_off_by_2, initials)"), ([], ""), (None, ""), ("x", "")],
)
def test_the_reasons_stand_on_the_line_of_the_verdict(log, show, reasons, shown):
    told = {"reasons": reasons} if reasons is not None else {}
    log.append("h_1", [VERDICT | {"ref": 1, "label": "MINOR", "score": 6.1, **told}])
    log.integrate()
    assert f"  ✓ VERIFIED, MINOR, score 6.1/10{shown}" in show("h_1")[1].splitlines()


def test_the_trace_of_a_run_is_what_a_person_reads(log, made_checked, show):
    record(log, "h_1", [made_checked["exact"], made_checked["mismatch"], made_checked["minor"]])
    log.commit("h_1")
    code, out, _ = show("h_1")
    assert code == 0
    lines = out.splitlines()
    assert "h_1.docx (1,234 bytes, sha256 cdcdcdcdcdcd)" in lines[1]
    assert any(text.startswith("  ✓ VERIFIED, EXACT, score") for text in lines)
    assert any(text.startswith("  ✗ TITLE_MISMATCH, MAJOR, score") for text in lines)
    assert any(text.startswith("  · retracted: doi") for text in lines)
    assert any(text.startswith("  → ") and " by " in text for text in lines)
    assert lines[-3] == "✓ 2 of 3 citations verified"
    assert lines[-2] == "⚠ 1 not verified: 1 mismatch"
    root = json.loads((log.folder / "h_1.jsonl").read_bytes().splitlines()[-1])["root"]
    assert lines[-1].endswith(f"h_1.jsonl (Merkle root: {root[:6]}…{root[-4:]})")


@pytest.mark.parametrize(
    ("events", "verified"),
    [
        ([{"ev": "verified"}], 1),
        ([{"ev": "retracted", "kind": "withdrawn"}], 0),
        ([{"ev": "verified"}, {"ev": "retracted", "kind": "retracted"}], 0),  # as older versions logged it
        ([{"ev": "verified"}, {"ev": "retracted", "kind": "partial"}], 1),
    ],
)
def test_a_retracted_work_is_not_counted_as_verified(log, show, events, verified):
    first, *rest = ({"ref": 1, **event} for event in events)
    log.append("h_1", [{"ev": "run_start", "stage": "check"}, first | {"verdict": "matched"}, *rest])
    log.commit("h_1")
    out = show("h_1")[1]
    assert f"✓ {verified} of 1 citations verified" in out
    assert ("1 not verified: 1 retracted" in out) is not bool(verified)


FORGED = {"verdict": "matched", "label": "EXACT", "score": 10.0, "doi": "10.1/forged"}
FORGERIES = (  # how a line comes into the file of a run without the key: its number, run and verdict
    ("after the end", {"seq": 9}),
    ("under a number that is signed", {"seq": 2}),
    ("before the beginning", {"seq": -1}),
    ("a number beyond all", {"seq": 2**60}),
    ("another run's event", None),
)


@pytest.mark.parametrize("more", [c[1] for c in FORGERIES], ids=[c[0] for c in FORGERIES])
def test_an_event_that_nobody_signed_is_not_shown_as_verified(log, made_checked, show, more):
    record(log, "h_1", [made_checked["exact"]])
    record(log, "h_2", [made_checked["exact"]])
    log.commit("h_1")
    whole = show("h_1")[1]
    assert ("✓ 1 of 1 citations verified" in whole, "NOT SIGNED" in whole) == (True, False)
    path = log.folder / "h_1.jsonl"
    model = json.loads(path.read_bytes().splitlines()[1])
    line = json.dumps({**model, **FORGED, "ref": 7, **(more or {})}).encode()
    if more is None:
        line = (log.folder / "h_2.jsonl").read_bytes().splitlines()[1]
    path.write_bytes(path.read_bytes() + line + b"\n")
    out = show("h_1")[1]
    assert "✓ 1 of 2 citations verified\n⚠ 1 not verified: 1 not_signed\n? 1 event is not signed" in out
    assert out.count("? NOT SIGNED: VERIFIED, EXACT") == out.count("✓ VERIFIED, EXACT") == 1
    ref = json.loads(line)["ref"]
    assert "? NOT SIGNED: VERIFIED, EXACT" in show(f"h_1/{ref}")[1]
    assert json.loads(show("h_1", "--format", "json")[1])["unsigned"] == [json.loads(line)["seq"]]
    assert "1 event is not signed" in show("h_1", "--format", "jsonl")[2]


@pytest.mark.parametrize("spoiled", ["line", "tile", "checkpoint", "key", "none"])
def test_no_event_counts_as_signed_when_its_way_to_the_signature_is_broken(log, made_checked, show, spoiled):
    record(log, "h_1", [made_checked["exact"]])
    log.commit("h_1")
    path = log.folder / "h_1.jsonl"
    match spoiled:
        case "line":
            path.write_bytes(path.read_bytes().replace(b'"verdict":"matched"', b'"verdict":"matched","x":1'))
        case "tile":
            (tile,) = (log.folder / "tile/0").rglob("4")
            tile.write_bytes(bytes(len(tile.read_bytes())))
        case "checkpoint":
            place = log.folder / "checkpoint"
            place.write_bytes(place.read_bytes().replace(b"\n4\n", b"\n3\n"))
        case "key":
            place = log.folder / "log.json"
            place.write_bytes(place.read_bytes().replace(b'"key":"', b'"key":"x'))
        case _:
            (log.folder / "checkpoint").unlink()
    assert "✓ 0 of 1 citations verified" in show("h_1")[1]


def test_one_reference_in_full(log, made_checked, show):
    body = b"an answer"
    checked = made_checked["minor"]
    record(log, "h_1", [made_checked["exact"], checked])
    evidence = EvidenceStore(log.folder)
    evidence.put([(sha256(body).hexdigest(), body)])
    evidence.close()
    code, out, _ = show("h_1/2")
    assert code == 0
    for part in (checked.reference.key, checked.reference.claimed.title, checked.judgement.explanation[:60]):
        assert part in out
    assert f"cited as: {checked.reference.raw[:40]}" in out
    assert ": whole" in out
    assert "event 2 at" in out or "event 3 at" in out


def test_a_redacted_reference_says_so_everywhere(log, made_checked, show):
    checked = made_checked["exact"]
    record(log, "h_1", [checked])
    private = PrivateStore(log.folder)
    commitment = next(private.list_run_rows("h_1", "case")).commitment
    log.append("h_1", [{"ev": "redacted", "commitments": [commitment], "reason": "asked for"}])
    private.erase([commitment])
    private.close()
    for what in ("h_1", "h_1/1"):
        _, out, _ = show(what)
        assert "redacted: its text was erased" in out
        assert checked.reference.raw not in out
    told = json.loads(show("h_1", "--format", "json")[1])
    assert told["references"][0]["case"] == {"commitment": commitment, "kept": "redacted", "data": None}


def test_the_lines_of_a_run_come_out_byte_for_byte(log, made_checked, show):
    record(log, "h_1", list(made_checked.values()))
    whole = (log.folder / "h_1.jsonl").read_text(encoding="utf-8")
    assert show("h_1", "--format", "jsonl")[1] == whole
    some = [line for line in whole.splitlines() if json.loads(line).get("ref") == 2]
    assert show("h_1/2", "--format", "jsonl")[1].splitlines() == some


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nobody"], 3, "the log has no run nobody"),
        (["h_1/99"], 3, "the log has no reference h_1/99"),
        (["h_1/99", "--format", "json"], 3, "no reference"),
        (["nobody", "--format", "jsonl"], 3, "no run"),
        (["../h_1"], 2, "is not a run"),
        (["h_1/x"], 2, "is not a run"),
        (["h_1", "--format", "html"], 2, "html"),
    ],
)
def test_what_is_not_there_is_told(log, made_checked, show, arguments, code, said):
    record(log, "h_1", [made_checked["exact"]])
    found, out, err = show(*arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.startswith("error: ")
    assert "\n  hint: " in err


@pytest.mark.parametrize("what", ["h_1", "h_1/1"])
@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_run_in_a_closed_log_is_told(log, made_checked, show, what, form):
    record(log, "h_1", [made_checked["exact"]])
    closed = log.rotate()
    told = f"error: h_1 is in the closed log {closed}\n  hint: name that folder\n"
    assert show(what, "--format", form) == (3, "", told)
    record(log, "h_1", [made_checked["exact"]])
    log.rotate()
    assert "closed logs " in show(what, "--format", form)[2]
    assert show(f"../closed/{closed.name}/h_1")[0] == 2
    assert show("h_2")[2].startswith("error: the log has no run h_2")


def test_the_list_of_runs_tells_of_closed_logs(log, show):
    log.append("h_1", [{"ev": "config"}])
    closed = log.rotate()
    (closed.parent / "no-log").mkdir()
    _, out, _ = show()
    assert out.splitlines()[-1] == f"1 closed log in {closed.parent}: show each of them for itself"


def test_an_empty_log_and_no_log(log, show, tmp_path, capsys):
    assert show()[0] == 3
    with pytest.raises(SystemExit) as ended:
        main(["audit", "show", str(tmp_path / "none")])
    assert ended.value.code == 3
    err = capsys.readouterr().err
    assert err.startswith("error: no audit log in ")
    assert "\n  hint: " in err


EVIL = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n✓ forged\u2028\x9b31m"
ODD = [
    None,
    True,
    -1,
    10**400,
    1e308,
    "x" * 50_000,
    EVIL,
    [],
    [[]],
    [{}],
    {},
    {"a": EVIL},
    [EVIL] * 3,
    [None],
]
NAMES = """
    label score conf doi claimed evidence case key raw documents anchors commitments source attributed root
    reason detail judge stage reasons complete references
"""


def shapes(value):
    """Return cases in which nothing is as it should be, one level deeper each."""
    yield dict.fromkeys(["reference", "lookups", "stops", "judged"], value)
    claimed = {"title": value, "authors": value, "ids": value}
    yield {"reference": {"key": value, "raw": value, "claimed": claimed}}
    yield {"reference": {"claimed": {"authors": [value], "ids": {"pairs": [value, [value, value]]}}}}
    names = ["source", "by", "exchanges", "records", "cause", "outcome"]
    yield {"lookups": [dict.fromkeys(names, value), value]}
    exchange = {"sha256": value, "asked": value, "status": value, "detail": value}
    yield {"lookups": [{"exchanges": [exchange], "records": [value, [value]]}]}
    yield {"judged": [{"explanation": value, "reasons": value, "matched": value}, value, {"changes": value}]}
    compared = {"outcome": "differs", "field": value, "claimed": value}
    yield {"judged": [{"matched": {"record": {"id": value}, "comparisons": [compared]}}]}
    yield {"stops": [{"not_asked": value, "reason": value}]}


@pytest.mark.parametrize("value", ODD, ids=[str(number) for number in range(len(ODD))])
def test_a_hostile_log_is_shown_escaped_and_never_breaks_the_command(log, show, value):
    private = PrivateStore(log.folder)
    log.append("h_1", [{"ev": "run_start"}])
    made = list(shapes(value))
    for ref, shape in enumerate(made, 1):
        data = json.dumps(shape).encode()
        salt, commitment = make_commitment(data)
        private.put([PrivateRow(commitment, "h_1", "case", ref, salt, data)])
        log.append("h_1", [{"ev": "verified", "verdict": "matched", "ref": ref, "case": commitment}])
    private.close()
    last = len(made) + 1
    head = {"v": 1, "ts": "2027-01-01T00:00:00.000Z", "run": "h_1"}
    forged = [("verified", {"ref": last}), ("merkle_commit", {}), ("run_start", {}), (EVIL, {})]
    with (log.folder / "h_1.jsonl").open("a", encoding="utf-8") as file:
        for seq, (name, more) in enumerate(forged, last):
            for field in NAMES.split():  # one at a time: an entry has at most 65,535 bytes
                line = {field: value, **head, **more, "ev": name, "seq": seq}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with closing(PrivateStore(log.folder, readonly=True)) as private:
        traced = [
            one for one in run_trace.trace_run(log.folder, "h_1", private) if isinstance(one, ReferenceTrace)
        ]
    full = "\n".join(text for one in traced for text in describe_reference(one, lambda _: None, signed=True))
    assert [one.ref for one in traced] == list(range(1, last + 1))
    for arguments in (["h_1"], [f"h_1/{last}"], []):
        code, out, err = show(*arguments)
        assert code == 0, err
        out += full
        assert not any(char in out + err for char in "\x1b\x07\u202e\x9b\u2028\r")
        assert "\n✓ forged" not in out
        assert max(map(len, out.splitlines())) < 10_000


@pytest.mark.parametrize("field", ["seq", "ts", "run", "ev", "ref", "verdict"])
def test_a_line_without_what_every_entry_has_is_an_error(log, show, field):
    log.append("h_1", [{"ev": "verified"}])
    line = {"v": 1, "seq": 1, "ts": "2027-01-01T00:00:00.000Z", "run": "h_1", "ev": "verified", field: [EVIL]}
    with (log.folder / "h_1.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    code, out, err = show("h_1")
    assert code == 5
    assert not any(char in out + err for char in "\x1b\x07\u202e\x9b\u2028\r")


def test_the_logs_own_clock_does_not_matter(tmp_path, made_checked, show):
    log = made(tmp_path, clock=Ticking())
    record(log, "h_1", [made_checked["exact"]])
    log.close()
    with again(tmp_path) as log:
        record(log, "h_1", [made_checked["exact"]], first=2)
        log.integrate()
    assert "✓ 2 of 2 citations verified" in show("h_1")[1]
