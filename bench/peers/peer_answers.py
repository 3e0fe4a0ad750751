"""What each tool said about each item, read from its report: one function for each form of report.

Two readings of the same report. A tool *alarms* when it reports anything wrong with an entry; it *accuses*
when it uses the strongest word that it has. An entry that it says it could not decide is neither.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from bench.peers.peer_runs import PeerRun


class PeerAnswer(Enum):
    """What a tool said about an entry."""

    FINE = "fine"
    ALARM = "alarm"  # something is wrong with it
    ACCUSED = "accused"  # it is not what it claims to be
    UNSURE = "unsure"  # could not be decided


Answers = dict[str, PeerAnswer]
_WORDS: Final[dict[str, dict[str, PeerAnswer]]] = {
    "citeproof": {
        "EXACT": PeerAnswer.FINE, "NOTED": PeerAnswer.FINE,
        "MINOR": PeerAnswer.ALARM, "MAJOR": PeerAnswer.ACCUSED,
    },
    "citecheck": {
        "VERIFIED": PeerAnswer.FINE, "CHECK": PeerAnswer.ALARM,
        "MISMATCH": PeerAnswer.ACCUSED, "NOT_FOUND": PeerAnswer.ACCUSED,
    },
    "preflight": {
        "verified": PeerAnswer.FINE, "metadata_mismatch": PeerAnswer.ALARM,
        "identifier_conflict": PeerAnswer.ACCUSED, "not_found": PeerAnswer.ACCUSED,
    },
    "bibguard": {"OK": PeerAnswer.FINE, "WARN": PeerAnswer.ALARM, "FAIL": PeerAnswer.ACCUSED},
}  # fmt: skip
_FINE_AT_UPDATER = frozenset(
    ("verified", "published_version_exists", "url_verified", "url_accessible", "book_verified",
     "working_paper_verified", "preprint_verified")
)  # fmt: skip
_UNSURE_AT_UPDATER = frozenset(("unconfirmed", "api_error", "skipped"))
_HARCX = re.compile(r"^\[(\w+)\]$", re.MULTILINE)


def read_citeproof(run: PeerRun) -> Answers:
    rows = [json.loads(line) for line in run.report.splitlines()]
    return {row["key"]: _read_word("citeproof", row["label"]) for row in rows}


def read_citecheck(run: PeerRun) -> Answers:
    return {row["key"]: _read_word("citecheck", row["verdict"]) for row in json.loads(run.report)["results"]}


def read_preflight(run: PeerRun) -> Answers:
    rows = json.loads(run.report)["references"]
    return {row["key"]: _read_word("preflight", row["verdict"]) for row in rows}


def read_bibguard(run: PeerRun) -> Answers:
    return {row["key"]: _read_word("bibguard", row["overall"]) for row in json.loads(run.report)["results"]}


def read_updater(run: PeerRun) -> Answers:
    """Return the answers of bibtex-check; "not found" is an alarm, as in HALLMARK's own reading of it."""
    found: Answers = {}
    for row in map(json.loads, run.report.splitlines()):
        status = row["status"]
        if status in _FINE_AT_UPDATER:
            found[row["key"]] = PeerAnswer.FINE
        elif status == "not_found":
            found[row["key"]] = PeerAnswer.ALARM
        else:
            undecided = status in _UNSURE_AT_UPDATER or row.get("abstained")
            found[row["key"]] = PeerAnswer.UNSURE if undecided else PeerAnswer.ACCUSED
    return found


def read_refchecker(run: PeerRun) -> Answers:
    """Return the answers of academic-refchecker, which lists only what it has something to say about.

    Its infos ("could include an arXiv URL") are no alarms, its "unverified" alone is undecided.
    """
    found: Answers = {}
    for row in json.loads(run.report)["records"]:
        key = _find_refchecker_key(row)
        issues = row.get("_original_errors") or [row]
        told = [issue for issue in issues if issue.get("error_type") != "unverified"]
        words = {name for issue in told for name in issue if name.endswith("_type")}
        if "error_type" in words:
            found[key] = PeerAnswer.ACCUSED
        elif "warning_type" in words:
            found[key] = PeerAnswer.ALARM
        elif len(told) < len(issues):
            found[key] = PeerAnswer.UNSURE
    return found


def _find_refchecker_key(row: dict[str, Any]) -> str:
    original = row.get("original_reference") or {}
    raw = re.match(r"@\w+\{([^,]+),", str(row.get("ref_raw_text", "")))
    return str(original.get("bibtex_key") or (raw[1] if raw else ""))


def read_harcx(run: PeerRun) -> Answers:
    """Return what harcx lists: it prints the entries that need attention."""
    listed = run.printed.rpartition("requiring attention")[2] if "requiring attention" in run.printed else ""
    return dict.fromkeys(_HARCX.findall(listed), PeerAnswer.ACCUSED)


READERS: Final[dict[str, Callable[[PeerRun], Answers]]] = {
    "citeproof": read_citeproof, "citecheck": read_citecheck, "preflight": read_preflight,
    "bibguard": read_bibguard, "updater": read_updater, "refchecker": read_refchecker, "harcx": read_harcx,
}  # fmt: skip
SILENT_IS_FINE = frozenset(("refchecker", "harcx"))  # what they do not list passed


def _read_word(tool: str, word: str | None) -> PeerAnswer:
    return _WORDS[tool].get(word or "", PeerAnswer.UNSURE)


def find_noted(reader: str, run: PeerRun) -> frozenset[str]:
    """Return the keys that citeproof passed with a note: a difference that it tells and does not count."""
    if reader != "citeproof":
        return frozenset()
    rows = [json.loads(line) for line in run.report.splitlines()]
    return frozenset(row["key"] for row in rows if row["label"] == "NOTED")


def read_answers(reader: str, run: PeerRun, keys: list[str]) -> Answers:
    """Return an answer for each key; one that the report does not tell of is undecided, or passed."""
    found = READERS[reader](run)
    silent = PeerAnswer.FINE if reader in SILENT_IS_FINE else PeerAnswer.UNSURE
    return {key: found.get(key, silent) for key in keys}
