"""Every event's fields as tables: docs/spec/audit-event.schema.json is `render_schema()`; a test compares.

Names are those of the contract and stay. Fields may be added under the same `v`; a finding may have any name.
"""

from __future__ import annotations

from typing import Any

from citeproof.answers import serializers
from citeproof.proof.audit.run_lock import RUN
from citeproof.vocabulary import ID_ORDER, Cause, Label, Verdict

VERSION = 1

Schema = dict[str, Any]

_TWO = "[0-9]{2}"
_DAY, _HOUR = ("[0-9]{4}", _TWO, _TWO), (_TWO, _TWO, _TWO)
TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
ROOT: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$|^[0-9a-f]+…[0-9a-f]+$"}  # the second for print
TIME: Schema = {"type": "string", "pattern": f"^{'-'.join(_DAY)}T{':'.join(_HOUR)}[.][0-9]{{3}}Z$"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}

COMMON = ("v", "ts", "seq", "run", "ev")
_TEXTS: Schema = {"type": "array", "items": TEXT}
_HASHES: Schema = {"type": "array", "items": HASH}

FIELDS: dict[str, tuple[Schema, str]] = {
    "v": ({"const": VERSION}, "version of this schema"),
    "ts": (TIME, "when, in UTC; never smaller than that of the entry before"),
    "seq": (COUNT, "number in the log, from 0: the index of the leaf"),
    "run": ({"type": "string", "pattern": f"^{RUN.pattern}$"}, "run or hypothesis"),
    "ev": ({"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"}, "what happened"),
    "stage": (TEXT, "where: check, verify, grounding …"),
    "model": (TEXT, "the judge, or the model that proposed the reference"),
    "conf": ({"type": ["number", "null"], "minimum": 0, "maximum": 1}, "confidence, 0 to 1"),
    "attempt": ({"type": "integer", "minimum": 1}, "which identifier of the reference, from 1"),
    "ref": ({"type": "integer", "minimum": 1}, "number of the reference in its run, from 1"),
    "verdict": ({"enum": [*Verdict]}, "the verdict on the reference; the last event of the reference has it"),
    "label": ({"enum": [*Label, None]}, "severity; null if nothing could be decided"),
    "score": ({"type": ["number", "null"], "minimum": 0, "maximum": 10}, "0 to 10"),
    "reasons": (
        {"type": "array", "items": {"type": "string", "maxLength": 300}, "maxItems": 20},
        "why: codes such as year_off_by_2, the first 20; older logs have none",
    ),
    **dict.fromkeys(ID_ORDER, (TEXT, "identifier that the reference claims; url in older logs only")),
    "attributed": (TEXT, "what the citation says"),
    "actual": (TEXT, "what the record says"),
    "source": (TEXT, "the source that says so or could not answer"),
    "record": (TEXT, "the id of the record at its source"),
    "cause": ({"enum": [*Cause]}, "why a source could not answer"),
    "detail": (TEXT, "the cause in words"),
    "kind": (TEXT, "of a notice about the work: retracted, partial, withdrawn, removed, replaced …"),
    "claimed": (
        {
            "type": "object",
            "properties": {
                "title": MAYBE_TEXT,
                "authors": _TEXTS,
                "year": {"type": ["integer", "null"]},
                "venue": MAYBE_TEXT,
            },
            "required": ["title", "authors", "year", "venue"],
        },
        "the fields that the citation claims",
    ),
    "unchecked": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"source": TEXT, "by": TEXT, "cause": {"enum": [*Cause]}},
                "required": ["source", "by", "cause"],
            },
        },
        "the sources that could not answer",
    ),
    "llm": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"task": TEXT, "model": TEXT, "prompt": TEXT, "answer": HASH, "cause": TEXT},
                "required": ["task", "model", "prompt"],
            },
        },
        "what language models were asked: SHA-256 of each answer, which the case has, or why none came",
    ),
    "evidence": (
        {"anyOf": [_HASHES, COUNT]},
        "SHA-256 of the stored evidence; for `pruned`, how many were deleted",
    ),
    "case": (HASH, "commitment to the reference with all answers; opened by the sidecar"),
    "cut": ({"const": True}, "fields were cut to fit an entry; the case has them whole"),
    "line": (HASH, "commitment to the other fields of this line; opened by the sidecar"),
    "claim": (HASH, "commitment to the claim and its candidates; opened by the sidecar"),
    "candidates": (COUNT, "works that the claim may cite"),
    "tried": (COUNT, "how many of them were checked"),
    "support": (TEXT, "what the text of the attached work says about the claim; never the text itself"),
    "text_hash": (HASH, "SHA-256 of the file that this text was read from"),
    "documents": (_HASHES, "commitments to the input, one per document"),
    "config": (HASH, "commitment to the settings of the sources and the digest of all settings"),
    "key": (TEXT, "the citation's own key, if text is logged in clear; of a log, its public key"),
    "raw": (TEXT, "the reference as written in the document, only if text is logged in clear"),
    "citeproof": (TEXT, "version"),
    "python": (TEXT, "version"),
    "judge": (TEXT, "name of the judge"),
    "judge_hash": (HASH, "SHA-256 of the judge, which is kept as evidence"),
    "settings": (TEXT, "digest of the settings; in older logs only, now inside what `config` commits to"),
    "snapshots": (_TEXTS, "ids of the snapshots that were asked"),
    "sources": (_TEXTS, "names of the sources that were asked"),
    "lists_pin": (HASH, "SHA-256 of the pinned set of lists that was asked instead of the installed ones"),
    "offline": ({"type": "boolean"}, "nothing left the machine"),
    "references": (COUNT, "references of the run that have a verdict, or that were looked at together"),
    "about": (COUNT, "how many of the references a finding about them together names"),
    "set": (HASH, "commitment to what was found about references together; opened by the sidecar"),
    "counts": ({"type": "object", "additionalProperties": COUNT}, "verdicts of the run"),
    "complete": ({"type": "boolean"}, "every reference that was read has a verdict"),
    "last": (COUNT, "number of the run's last reference"),
    "root": (ROOT, "root of the tree over `size` entries"),
    "prior": ({"anyOf": [ROOT, {"type": "null"}]}, "root of the commit before; null for the first"),
    "size": (COUNT, "entries under `root`"),
    "s3": ({"type": "string", "pattern": "^s3://"}, "where S3 holds the checkpoint"),
    "anchors": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": TEXT,
                    "ok": {"type": "boolean"},
                    "place": TEXT,
                    "detail": TEXT,
                    "cosignatures": _TEXTS,
                },
                "required": ["name", "ok", "place"],
            },
        },
        "the result of each anchor for the checkpoint",
    ),
    "answer": ({"enum": ["found", "retracted", "absent", "unchecked"]}, "whether the DOI exists"),
    "commitments": (_HASHES, "the commitments whose text and salt were erased"),
    "reason": (TEXT, "why"),
    "before": (TIME, "evidence named only by older events was deleted"),
    "values": (COUNT, "how many texts were erased with it"),
    "origin": (TEXT, "name of a log"),
    "bytes": (COUNT, "length of what was cut off"),
    "kept": (TEXT, "the file that has it"),
    "reference": (
        {"type": "integer", "minimum": 1},
        "number of the reference that a person decided about; no `ref`, since no verdict follows",
    ),
    "choice": (
        {"enum": ["accept", "dispute", "note", "withdraw"]},
        "what a person decided about a reference: the citation stays, the verdict is wrong, only a note",
    ),
    "note": (HASH, "commitment to the person's own words; the store of the runs has them and the salt"),
    "clock": (TIME, "the time of the clock, while `ts` does not go back"),
}

# Every name that we write: what it means, and the fields it must have next to the common ones.
EVENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "verified": ("the cited work exists and is the one described", ()),
    "crossref_miss": ("the DOI does not exist", ("doi", "attempt")),
    "title_mismatch": ("the identifier belongs to a work with another title", ("attributed", "actual")),
    "author_mismatch": ("the work has other authors, or another field that names it differs", ()),
    "not_found": ("not found in any source that covers this kind of work", ()),
    "ambiguous": ("several works fit", ()),
    "unchecked": ("could not be checked", ()),
    "doi_answer": ("the answer to a request for a DOI alone", ("doi", "answer")),
    "retracted": ("the cited work was retracted, or next to a verdict: a part of it was", ("source",)),
    "predatory_source": ("the journal is on a list of predatory ones", ("source",)),
    "cohort_concentrated": ("many citations are of one group of authors", ()),
    "ai_generated_suspect": ("the cited work shows signs of having been generated", ()),
    "claim_verified": ("a citation that passed every check was attached to the claim", ("claim",)),
    "claim_resolved": ("an identifier alone was attached to the claim: it exists, no more", ("claim",)),
    "unsupported": ("no verified source supports the claim", ()),
    "retracted_source": ("the work that the claim cites was retracted", ("claim",)),
    "claim_unchecked": ("no citation was verified, and something could not be checked", ("claim",)),
    "decided": ("a person decided about a reference; its verdict stays", ("reference", "choice")),
    "source_error": ("a source could not answer, for the first time in this run", ("source", "cause")),
    "config": ("further documents that did not fit into the first event of a run", ()),
    "run_start": ("a run begins: against what, by which judge", ("stage",)),
    "run_end": ("a run is over", ("references", "counts")),
    "merkle_commit": ("the tree was signed and handed to the anchors", ("root", "prior")),
    "checkpoint": ("the checkpoint of another log was seen", ("origin", "size", "root")),
    "redacted": ("text was erased", ("commitments", "reason")),
    "pruned": ("evidence was deleted after its retention time", ("evidence", "before")),
    "recovered": ("a line that a crash left half written was cut off", ("bytes",)),
    "clock_skew": ("the clock of the machine went back", ("clock",)),
    "log_opened": ("this log continues another one", ("origin", "size", "root")),
    "log_closed": ("this log ends; another one continues it", ("origin",)),
}  # fmt: skip


def build_schema() -> Schema:
    """Return the JSON Schema (2020-12) of one line of a log."""
    fields = {name: {**shape, "description": said} for name, (shape, said) in FIELDS.items()}
    known = [{"const": name, "description": said} for name, (said, _) in EVENTS.items()]
    other = {"description": "a finding of a check, under its own name", "not": {"enum": [*EVENTS]}}
    fields["ev"] = {**fields["ev"], "anyOf": [*known, other]}
    needs = [_build_condition(name, {"required": [*need]}) for name, (_, need) in EVENTS.items() if need]
    dropped = _build_condition("pruned", {"properties": {"evidence": COUNT}})
    dropped["else"] = {"properties": {"evidence": _HASHES}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"citeproof:audit-event:{VERSION}",
        "title": f"citeproof audit event, version {VERSION}",
        "type": "object",
        "properties": fields,
        "required": [*COMMON],
        "allOf": [*needs, dropped],
    }


def render_schema() -> str:
    """Return the schema as it is in the documentation."""
    return serializers.dump_pretty(build_schema()) + "\n"


def _build_condition(name: str, then: Schema) -> Schema:
    return {"if": {"properties": {"ev": {"const": name}}, "required": ["ev"]}, "then": then}
