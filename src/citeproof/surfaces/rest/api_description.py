"""What the OpenAPI description says of each route beside its docstring: bodies, answers and errors."""

from __future__ import annotations

from typing import Any, Literal

from starlette.responses import Response

from citeproof.service.citation_input import EXAMPLES, LIMITS, MAX_ID, MAX_YEAR

ReportPolicy = Literal["author", "journal", "conference-neurips-2026", "arxiv", "strict"]  # a file is none
ReportFormat = Literal[
    "bibtex",
    "csl",
    "csv",
    "github",
    "html",
    "json",
    "jsonl",
    "junit",
    "md",
    "ris",
    "sarif",
    "summary",
    "text",
]
REPORT_POLICY = "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'"
Schema = dict[str, Any]
Described = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "place", "hint"],
            "properties": {
                "code": {"type": "string", "description": "one word for programs, such as BAD_REQUEST"},
                "message": {"type": "string", "description": "what is wrong"},
                "place": {"type": "string", "description": "where: a field, a header, a file and its line"},
                "hint": {"type": "string", "description": "what to do"},
            },
        }
    },
}
_MEANINGS = {
    400: "The request is wrong.",
    401: "A token is needed, or the one that was sent is not valid.",
    403: "The token may not do this, or another site sent the request.",
    404: "There is no such run, or it is another's.",
    408: "The body did not come in time.",
    409: "It does not go together with what was done before.",
    413: "The body is too large.",
    415: "A body of this type cannot be read.",
    421: "The server is not known by this name.",
    422: "The document cannot be read, or a parameter has a wrong value.",
    429: "Too many requests; `Retry-After` says when to come again.",
    503: "The server is starting or ending, or cannot use one of its files.",
}
_ALWAYS = (400, 401, 403, 421, 429, 503)


def _describe_errors(*statuses: int) -> dict[int | str, Any]:
    return {
        status: {"description": _MEANINGS[status], "content": {"application/json": {"schema": ERROR}}}
        for status in sorted({*_ALWAYS, *statuses})
    }


def _describe_answer(text: str, schema: Schema | None = None, media: str = "application/json") -> Schema:
    return {"description": text, "content": {media: {"schema": _OBJECT if schema is None else schema}}}


IDENTIFIERS = {
    "doi": LIMITS["doi"],
    **dict.fromkeys(("pmid", "pmcid", "arxiv", "ads", "isbn", "issn"), MAX_ID),
    "whoIrisUrl": LIMITS["who_iris"],
}
CITATION: Schema = {
    "type": "object",
    "required": ["title"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": LIMITS["title"], "pattern": r"\S"},
        **{
            name: {
                "type": "string",
                "maxLength": most,
                "example": EXAMPLES["who_iris" if name == "whoIrisUrl" else name],
            }
            for name, most in IDENTIFIERS.items()
        },
        "author": {
            "type": "string", "maxLength": LIMITS["author"], "description": "family name of the first author",
        },
        "year": {"type": "integer", "minimum": 0, "maximum": MAX_YEAR, "description": "like 2015"},
        "container": {
            "type": "string", "maxLength": LIMITS["container"], "description": "journal or book",
        },
        "screenWithLlm": {
            "type": "boolean", "description": "needs a token of scope `llm`; else 400 LLM_SCREEN_FORBIDDEN",
        },
    },
}  # fmt: skip
CITATION_FIELDS = frozenset(CITATION["properties"]) - {"screenWithLlm"}
_REFERENCE: Schema = {
    "oneOf": [
        {"type": "string", "minLength": 1, "maxLength": 5000},
        {
            "type": "object",
            "required": ["title"],
            "properties": {
                **{k: v for k, v in CITATION["properties"].items() if k != "screenWithLlm"},
                "key": {"type": "string", "maxLength": 200},
            },
        },
    ]
}
_FLAGS: Schema = {
    "screenWithLlm": {"type": "boolean", "description": "needs a token of scope `llm`"},
}
_FIX_FLAGS: Schema = {
    "unsafe": {"type": "boolean", "description": "also change title, authors, year and venue"},
    "upgradePreprints": {"type": "boolean", "description": "cite published versions of preprints"},
}


def _describe_body(json: Schema, fields: Schema) -> Schema:
    upload: Schema = {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary"}, **fields},
    }
    return {
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {"schema": upload},
                "application/json": {"schema": json},
                "text/plain": {"schema": _TEXT},
            },
        },
        "parameters": [
            {
                "name": "Idempotency-Key", "in": "header", "required": False,
                "description": "the same key and request give the same run",
                "schema": {"type": "string", "minLength": 1, "maxLength": 200},
            },
            {
                "name": "Prefer", "in": "header", "required": False,
                "description": "`respond-async`: do not wait", "schema": _TEXT,
            },
        ],
    }  # fmt: skip


def _describe_json(one_of: tuple[str, ...], fields: Schema) -> Schema:
    known: Schema = {
        "text": {"type": "string", "minLength": 1, "description": "a document as text, in any text format"},
        "references": {
            "type": "array",
            "maxItems": 1000,
            "items": _REFERENCE,
            "description": "each a text, or an object with the fields of `/v1/verify` and a `key`",
        },
        "hypothesis": {"type": "object", "description": "docs/spec/hypothesis.schema.json"},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {
            **{name: known[name] for name in one_of},
            "name": {"type": "string", "maxLength": 200, "description": "name of the document"},
            **fields,
        },
        "oneOf": [{"required": [name]} for name in one_of],
    }


RUN_STATE: Schema = {
    "type": "object",
    "required": ["id", "kind", "state", "done", "links"],
    "properties": {
        "id": _TEXT,
        "kind": {"enum": ["check", "ground", "fix"]},
        "state": {"enum": ["queued", "running", "done", "failed", "cancelled"]},
        "done": {"type": "integer", "description": "results that are stored"},
        "total": {"type": ["integer", "null"], "description": "results there will be, once it is known"},
        "exitCode": {"type": ["integer", "null"], "description": "as the command line would end"},
    },
}
_ACCEPTED = _describe_answer("The work goes on as a run; `Location` is its path.", RUN_STATE)


def _describe_work(summary: str, answer: str, one_of: tuple[str, ...], fields: Schema) -> Described:
    return {
        "summary": summary,
        "response_class": Response,
        "responses": {
            200: _describe_answer(answer),
            202: _ACCEPTED,
            **_describe_errors(408, 409, 413, 415, 422),
        },
        "openapi_extra": _describe_body(_describe_json(one_of, fields), fields),
    }


def _describe_read(summary: str, answer: Schema, *statuses: int) -> Described:
    return {
        "summary": summary,
        "response_class": Response,
        "responses": {200: answer, **_describe_errors(404, 422, *statuses)},
    }


CHECK = _describe_work(
    "Check references",
    "The report, as `citeproof check --format json` prints it (docs/spec/report.schema.json).",
    ("text", "references"),
    _FLAGS,
)
GROUND = _describe_work(
    "Ground claims",
    "The claims, as `citeproof claims --format json` prints them (docs/spec/claims.schema.json).",
    ("text", "hypothesis"),
    _FLAGS,
)
FIX = _describe_work(
    "Correct references",
    "What would change, as `citeproof fix --format json` prints it, and the id of the run.",
    ("text",),
    {**_FLAGS, **_FIX_FLAGS},
)
VERIFY: Described = {
    "summary": "Verify one citation",
    "response_class": Response,
    "responses": {
        200: _describe_answer(
            "The answer of `verifyCitation`; the full result is under `citeproof`.",
            {
                "type": "object",
                "required": ["verdict", "confidence", "matched", "mismatches", "provenance", "_provenance"],
                "properties": {
                    "verdict": {
                        "enum": ["matched", "mismatch", "ambiguous", "not_found", "unchecked", None]
                    },
                    "confidence": {"enum": ["high", "medium", "low", None]},
                },
            },
        ),
        **_describe_errors(408, 413),
    },
    "openapi_extra": {
        "requestBody": {"required": True, "content": {"application/json": {"schema": CITATION}}},
        "parameters": [
            {
                "name": "compat", "in": "query", "required": False,
                "description": "leave out every key that `verifyCitation` does not have",
                "schema": {"type": "boolean"},
            }
        ],
    },
}  # fmt: skip
RESOLVE = _describe_read("Resolve an identifier", _describe_answer("The record, or why there is none."))
RETRACTION = _describe_read(
    "Check for retractions", _describe_answer("Notices about the work; `result` is null if nobody can say.")
)
RUNS = _describe_read("List runs", _describe_answer("Your runs, the newest first."))
RUN: Described = {
    **_describe_read("Read a run", _describe_answer("Where the run is; with `format`, its report.")),
}
RUN["responses"][200]["content"] |= {
    media: {"schema": {} if media.endswith("json") else _TEXT}
    for media in (
        "text/plain", "text/html", "text/csv", "text/markdown", "application/x-ndjson", "application/xml",
        "application/sarif+json", "application/x-bibtex", "application/x-research-info-systems",
        "application/vnd.citationstyles.csl+json",
    )
}  # fmt: skip
CANCEL = _describe_read("Cancel a run", _describe_answer("The run as it is now.", RUN_STATE))
REFERENCES = _describe_read("List results", _describe_answer("Results in the order of the document."))
TRACE = _describe_read("Read traces", _describe_answer("What was asked, answered and compared."))
RECEIPTS = _describe_read(
    "Read receipts", _describe_answer("Signed receipts, as `citeproof guard` reads."), 409
)
DOCUMENT = _describe_read(
    "Read the corrected document", _describe_answer("Its bytes.", _TEXT, "application/octet-stream"), 409
)
EVENTS = _describe_read(
    "Follow a run", _describe_answer("Events `progress`, `result` and `end`.", {}, "text/event-stream")
)
HEALTH: Described = {
    "summary": "Alive",
    "response_class": Response,
    "responses": {200: _describe_answer("The process is alive.")},
}
READY: Described = {
    "summary": "Ready",
    "response_class": Response,
    "responses": {
        200: _describe_answer("Requests can be answered."),
        503: _describe_answer("Not yet, or not any more."),
    },
}
METRICS: Described = {
    "summary": "Metrics",
    "response_class": Response,
    "responses": {
        200: _describe_answer("Counts and times for Prometheus.", _TEXT, "text/plain"),
        **_describe_errors(),
    },
}
