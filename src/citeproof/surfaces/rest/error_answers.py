"""Errors as every answer gives them: `{"error": {code, message, place, hint}}`, never a stack trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from citeproof.answers.serializers import dumps
from citeproof.errors import CiteproofError, InputError, NothingFoundError, StoreUnreachableError, UsageError
from citeproof.surfaces.rest.server_door import WriteEntry

JSON = "application/json"
_CODES = {
    400: "BAD_REQUEST",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    422: "UNREADABLE_DOCUMENT",
}


class ApiError(Exception):
    """A request that is not answered, and why."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        place: str = "",
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.place, self.hint, self.headers = place, hint, dict(headers or {})


def make_busy_error(seconds: int, message: str = "the server has too much to do") -> ApiError:
    """Return the refusal of a request that may come again later."""
    hint = f"try again in {seconds} seconds"
    return ApiError(429, "TOO_MANY_REQUESTS", message, hint=hint, headers={"Retry-After": str(seconds)})


def make_missing_error(place: str) -> ApiError:
    """Return the answer for a run that is not there, or another's."""
    return ApiError(404, "NOT_FOUND", "there is no such run", place=place, hint="GET /v1/runs lists yours")


def translate_error(error: Exception) -> ApiError:
    """Return an error of the library as an answer; it says nothing of our own files."""
    if isinstance(error, UsageError):
        return ApiError(400, "BAD_REQUEST", error.message, place=error.place, hint=error.hint)
    if isinstance(error, InputError):
        return ApiError(422, "UNREADABLE_DOCUMENT", error.message, place=error.place, hint=error.hint)
    if isinstance(error, NothingFoundError):
        return ApiError(404, "NOT_FOUND", error.message, place=error.place, hint=error.hint)
    if isinstance(error, StoreUnreachableError):
        message, hint = "the database of this server cannot be reached", "try again in a minute"
        return ApiError(503, "UNAVAILABLE", message, hint=hint, headers={"Retry-After": "60"})
    hint = "try again later, and tell the operator of this server"
    return ApiError(503, "UNAVAILABLE", "the server cannot use one of its files", hint=hint)


def make_error_answer(error: ApiError) -> Response:
    """Return the answer for an error."""
    described = {"code": error.code, "message": error.message, "place": error.place, "hint": error.hint}
    return Response(dumps({"error": described}), error.status, error.headers, media_type=JSON)


def make_error_handlers(hint: str, log: WriteEntry) -> dict[Any, Any]:
    """Return what answers every error in our words; `hint`: for a path or method that is not there."""

    async def answer_error(_: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            status, missing = error.status_code, error.status_code in (404, 405)
            code = _CODES.get(status, "ERROR")
            error = ApiError(
                status, code, str(error.detail), hint=hint if missing else "", headers=error.headers
            )
        answer = error if isinstance(error, ApiError) else translate_error(error)
        if answer is not error and answer.status == 503 and not isinstance(error, StoreUnreachableError):
            log("files", trouble=str(error))  # our own files are nobody else's business
        return make_error_answer(answer)

    return dict.fromkeys((ApiError, CiteproofError, HTTPException), answer_error)
