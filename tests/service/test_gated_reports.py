"""A report that a policy is applied to may be written by anybody: it is one, or it is refused."""

from __future__ import annotations

import json

import pytest

from citeproof.answers.serializers import SCHEMA
from citeproof.errors import UsageError
from citeproof.service import gated_reports
from citeproof.service.gated_reports import gate_report, read_report_file
from citeproof.settings.policies.policy_reader import read_policy

REFERENCE = {"key": "he2016", "verdict": "matched", "label": "EXACT", "band": "high", "findings": []}
FINDING = {"name": "retracted", "state": "clear"}


def write(path, *, lines=False, **changes):
    one = REFERENCE | {name: value for name, value in changes.items() if name not in ("run", "set")}
    report = {"schema": SCHEMA, "run": changes.get("run", {}), "references": [one]}
    report["findings"] = changes.get("set", [])
    path.write_text(json.dumps(one if lines else report))
    return path


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"verdict": "bogus"}, "verdict"),  # no rule is about it: it would pass
        ({"verdict": ["matched"]}, "verdict"),
        ({"label": "GOOD"}, "label"),
        ({"findings": None}, "findings"),
        ({"findings": [FINDING | {"state": "x"}]}, "state"),
        ({"accepted": None}, "accepted"),
        ({"accepted": [{}]}, "fingerprint"),
        ({"reasons": 5}, "reasons"),
        ({"mismatches": [None]}, "mismatches"),
        ({"run": None}, "run"),
        ({"run": {"problems": [1]}}, "problems"),
        ({"set": [3]}, "findings"),
    ],
)
def test_a_report_with_wrong_parts_is_refused_with_their_place(changes, place, tmp_path):
    with pytest.raises(UsageError, match="is not a report on references") as told:
        read_report_file(write(tmp_path / "report.json", **changes))
    assert place in told.value.message
    if "run" not in changes and "set" not in changes:
        with pytest.raises(UsageError, match=place) as told:
            read_report_file(write(tmp_path / "report.jsonl", lines=True, **changes))
        assert told.value.place == str(tmp_path / "report.jsonl") + ":1"


NO_REPORTS = (b"[" * 100_000, b'{"verdict":' + b"[" * 100_000, b"\0" * 10, b"[1, 2]")


@pytest.mark.parametrize("data", NO_REPORTS, ids=range(4))  # they are long
def test_what_is_no_report_is_refused(data, tmp_path):
    (tmp_path / "report.json").write_bytes(data)
    with pytest.raises(UsageError, match="is not"):
        read_report_file(tmp_path / "report.json")


def test_a_report_in_lines_is_not_read_as_a_whole(tmp_path, monkeypatch):
    line = write(tmp_path / "one.json", lines=True).read_bytes() + b"\n"
    monkeypatch.setattr(gated_reports, "MAX_REPORT", 10 * len(line))
    monkeypatch.setattr(gated_reports, "MAX_LINE", 2 * len(line))
    path = tmp_path / "report.jsonl"
    path.write_bytes(b"\n" + 100 * line)
    assert len(read_report_file(path).references) == 100
    path.write_bytes(100 * line + line[:-9])
    with pytest.raises(UsageError, match="cut off") as told:
        read_report_file(path)
    assert told.value.place == f"{path}:101"
    path.write_bytes(line + line.replace(b"he2016", b"x" * 3 * len(line)))
    with pytest.raises(UsageError, match="cut off"):
        read_report_file(path)


def test_nothing_without_a_fingerprint_is_accepted(tmp_path):
    changes = {"verdict": "not_found", "label": "MAJOR", "accepted": [{"fingerprint": ""}]}
    report = read_report_file(write(tmp_path / "report.json", **changes))
    assert gate_report(report, read_policy("author")).exit_code == 1
