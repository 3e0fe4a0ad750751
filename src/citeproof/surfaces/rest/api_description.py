"""What the OpenAPI description says of each route besides its docstring; the words are in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from starlette.responses import Response

from citeproof.answers.reporters.base import get_reporter, list_formats
from citeproof.service.citation_input import EXAMPLES, LIMITS, MAX_ID, MAX_YEAR
from citeproof.service.input_documents import MAX_NAME
from citeproof.service.listed_references import MAX_REFERENCE, MOST_LISTED
from citeproof.text.package_tables import load_package_table

# A file is none.
ReportPolicy = Literal["author", "journal", "conference-neurips-2026", "arxiv", "strict", "strict-fields"]
if TYPE_CHECKING:
    ReportFormat = str
else:  # FastAPI refuses any other word
    ReportFormat = Literal[list_formats()]
REPORT_POLICY = "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'"
Schema = dict[str, Any]

_TABLE = load_package_table(__package__, "api_description.toml")
_SCHEMAS, _FIELDS = _TABLE["schemas"], _TABLE["fields"]
_REPORTS = (get_reporter(form).media_type for form in list_formats())
_TABLE["routes"]["run"]["media"] = tuple(dict.fromkeys(("application/json", *_REPORTS)))
_ALWAYS = (400, 401, 403, 421, 429, 503)  # errors of every route
_OF_WORK = (408, 409, 413, 415, 422)
for _answer in _SCHEMAS["verification"]["properties"].values():
    _answer["enum"].append(None)  # TOML has no null


def _describe_cited(name: str, known: Schema) -> Schema:
    ours = {"whoIrisUrl": "who_iris"}.get(name, name)
    if name == "year":
        return {**known, "maximum": MAX_YEAR}
    most = {"maxLength": LIMITS.get(ours, MAX_ID)} if known["type"] == "string" else {}
    return known | most | ({"example": EXAMPLES[ours]} if ours in EXAMPLES else {})


_CITED: Schema = {name: _describe_cited(name, known) for name, known in _TABLE["citation"].items()}
CITATION_FIELDS = frozenset(_CITED) - {"screenWithLlm"}
_REFERENCE: Schema = {
    "oneOf": [
        {"type": "string", "minLength": 1, "maxLength": MAX_REFERENCE},
        {
            "type": "object",
            "required": ["title"],
            "properties": {
                **{name: known for name, known in _CITED.items() if name in CITATION_FIELDS},
                "key": {"type": "string", "maxLength": MAX_NAME},
            },
        },
    ]
}
_FIELDS["references"] |= {"maxItems": MOST_LISTED, "items": _REFERENCE}
_FIELDS["name"]["maxLength"] = MAX_NAME


def describe_route(name: str) -> dict[str, Any]:
    """Return what a route is declared with: its summary, answers, errors, body and parameters."""
    route = _TABLE["routes"][name]
    work = "body" in route
    errors = () if route.get("open") else (*_ALWAYS, *route.get("errors", ()), *(_OF_WORK if work else ()))
    answers: dict[int | str, Any] = {
        200: _describe_answer(
            route["answer"], route.get("schema", "object"), *route.get("media", ("application/json",))
        )
    }
    if work:
        answers[202] = _describe_answer("The work goes on as a run; `Location` is its path.", "run")
    if "unready" in route:
        answers[503] = _describe_answer(route["unready"])
    answers |= {
        status: _describe_answer(_TABLE["meanings"][str(status)], "error") for status in sorted({*errors})
    }
    described = {"summary": route["summary"], "response_class": Response, "responses": answers}
    if work:
        described["openapi_extra"] = _describe_document(route)
    elif name == "verify":
        citation = {"required": ["title"], "additionalProperties": False, "properties": _CITED}
        described["openapi_extra"] = _describe_body("verify", {"application/json": _make_object(citation)})
    elif name == "render":
        described["openapi_extra"] = _describe_body("render", {"application/json": _SCHEMAS["answer"]})
    elif name == "guard":
        fields = {name: _FIELDS[name] for name in ("text", "removal")}
        text = _make_object({"required": ["text"], "additionalProperties": False, "properties": fields})
        media = {"application/json": text, "text/plain": _SCHEMAS["text"]}
        described["openapi_extra"] = _describe_body("guard", media)
    return described


def _describe_answer(text: str, schema: str = "object", *media: str) -> Schema:
    """Return an answer; of several media types the first is the one of the schema."""
    first, *more = media or ("application/json",)
    content = {first: {"schema": _SCHEMAS[schema]}}
    content |= {name: {"schema": {} if name.endswith("json") else _SCHEMAS["text"]} for name in more}
    return {"description": text, "content": content}


def _describe_document(route: Schema) -> Schema:
    flags = {name: _FIELDS[name] for name in route["flags"]}
    given = {name: _FIELDS[name] for name in (*route["body"], "name")}
    one_of = [{"required": [name]} for name in route["body"]]
    document = {
        "additionalProperties": False,
        "minProperties": 1,
        "properties": given | flags,
        "oneOf": one_of,
    }
    upload = {"required": ["file"], "properties": {"file": _FIELDS["file"], **flags}}
    media = {"multipart/form-data": _make_object(upload), "application/json": _make_object(document)}
    return _describe_body("work", {**media, "text/plain": _SCHEMAS["text"]})


def _describe_body(parameters: str, media: Schema) -> Schema:
    content = {name: {"schema": schema} for name, schema in media.items()}
    body = {"required": True, "content": content}
    return {"requestBody": body, "parameters": _TABLE["parameters"].get(parameters, [])}


def _make_object(more: Schema) -> Schema:
    return {"type": "object", **more}
