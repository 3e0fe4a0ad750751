"""NCBI's E-utilities: how they are asked, and the errors they hide in an answer with status 200.

The key goes into a form, so that it is in no address. An error of theirs repeats the key or the
caller's address: nothing of its text is stored.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from citeproof.evidence.sources.base import CannotAnswerError, SourceSession, SourceWiring
from citeproof.plumbing.net.message import JSON, XML, Answer, Request, UnreadableError, build_url
from citeproof.vocabulary import Cause

FORM = "application/x-www-form-urlencoded"
XML_OR_ERROR = (*XML, *JSON)  # an error comes as JSON whatever was asked for


def build_request(
    source: str, wiring: SourceWiring, tool: str, accept: tuple[str, ...] = JSON, **params: str | int
) -> Request:
    """Return the request to `tool` ("esearch", "efetch", ...); with a key it is a form."""
    who = {"tool": "citeproof"} | ({"email": wiring.contact} if wiring.contact else {})
    asked = {name: str(value) for name, value in params.items()} | who
    if wiring.key is None:
        url = build_url(wiring.url, f"{tool}.fcgi", **asked)
        return Request(source, url, accept=accept, absent=frozenset())
    return Request(
        source,
        build_url(wiring.url, f"{tool}.fcgi"),
        accept=accept,
        method="POST",
        body=urlencode(asked).encode(),
        content_type=FORM,
        secret_form=(("api_key", wiring.key),),
        absent=frozenset(),
    )


async def get_answer(visit: SourceSession, request: Request) -> Answer:
    """Return the answer; here no status means "no such thing"."""
    answer = await visit.get(request)
    if answer is None:
        raise UnreadableError("no answer")
    return answer


def read_json(answer: Answer) -> dict[str, Any]:
    """Return the JSON object of an answer; raise if it is an error."""
    body = answer.json()
    if not isinstance(body, dict):
        raise UnreadableError("not a JSON object")
    refuse_error(body)
    return body


def refuse_error(body: dict[str, Any]) -> None:
    """Raise if a JSON object is an error: too many requests, or any other."""
    if "error" not in body:
        return
    if "api-key" in body or "limit" in body or "rate limit" in str(body["error"]).lower():
        raise CannotAnswerError(Cause.RATE_LIMITED, "said in its answer that its rate limit is exceeded")
    raise UnreadableError("an error in the place of an answer")
