"""Answers to browsers: pages, redirects, files, errors as pages; and forms, read with their limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlsplit

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException as BaseHTTPException

from citeproof.errors import AuditError, CiteproofError, SnapshotError, StoreUnreachableError
from citeproof.service.job_runner import QueueFullError, StoreFullError
from citeproof.surfaces.web import page_frame
from citeproof.surfaces.web.upload_reading import MOST_FILES

MAX_FORM = 1_000_000  # bytes of a form without files
_WAIT, _TELL = "try again in a minute", "tell whoever runs this server"
Handler = Callable[[Request], Awaitable[Response]]


def explain_errors(handler: Handler) -> Handler:
    """Return a handler that answers with a page where something is wrong."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except StoreUnreachableError:
            message = "The database of this server cannot be reached. What is stored there is not lost."
            return _make_trouble_answer("Not now", message, _WAIT, 503)
        except (AuditError, SnapshotError):  # nothing is said of our own files
            message = "The audit log, a store or a snapshot of this server cannot be used."
            return _make_trouble_answer("Server error", message, _TELL, 500)
        except CiteproofError as error:
            message = f"{error.place}: {error.message}" if error.place else error.message
            return _make_trouble_answer("This cannot be done", message, error.hint, 400)
        except StoreFullError:
            return _make_trouble_answer("Server error", "The disk of this server is almost full.", _TELL, 503)
        except QueueFullError:
            return _make_trouble_answer("Busy", "Too many runs are waiting.", _WAIT, 503)
        except BaseHTTPException as error:
            if error.status_code not in _WORDS:
                raise
            return _make_trouble_answer(*_WORDS[error.status_code], error.status_code)

    return answer


def _make_trouble_answer(heading: str, message: str, hint: str, status: int) -> Response:
    page = page_frame.format_error_page(heading, message, hint)
    return make_page_answer(page, status, {"Retry-After": "60"} if hint == _WAIT else None)


_WORDS = {
    400: (
        "Not readable",
        "The form cannot be read, or has too many files.",
        f"send at most {MOST_FILES} files",
    ),
    403: ("Not from here", "This form was not sent from a page of this server.", "open the page again"),
    404: ("Not found", "There is nothing under this address, or it is not yours.", "look at the start page"),
    411: ("Length missing", "The request does not say how long it is.", "send it with a browser"),
    413: (
        "Too large",
        "What was sent is larger than this server takes.",
        "split it, or use `citeproof check`",
    ),
}


def is_own_form(headers: Mapping[str, str]) -> bool:
    """Return whether a request that changes something comes from our own page.

    1. `Sec-Fetch-Site` is written by the browser: `same-origin` is a page of ours.
    2. An older browser names the page's origin: it must be the host that was asked.
    3. Who sends neither is no browser that a person uses; programs use the REST interface.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin, host = headers.get("origin"), headers.get("host")
    if not origin or not host:
        return False
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


async def read_form(request: Request, limit: int) -> FormData:
    """Return the form that was sent; only from a page of ours, and not larger than files may be."""
    if not is_own_form(request.headers):
        raise HTTPException(403)
    length = request.headers.get("content-length", "")
    if not length.isascii() or not length.isdigit():
        raise HTTPException(411)
    if int(length) > limit + MAX_FORM:
        raise HTTPException(413)
    return await request.form(max_files=MOST_FILES, max_fields=20, max_part_size=max(limit, MAX_FORM))


def make_page_answer(page: str, status: int = 200, more: dict[str, str] | None = None) -> Response:
    return HTMLResponse(page, status, headers=page_frame.HEADERS | (more or {}))


def make_redirect(address: str) -> Response:
    return RedirectResponse(address, 303, headers=page_frame.HEADERS)


def make_download(text: str, name: str, media_type: str) -> Response:
    """Return a file to be saved, never to be shown: a report holds text of strangers."""
    headers = {**page_frame.HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)


def get_field(form: FormData, name: str, *, last: bool = False) -> str:
    """Return a field of a form; the last of that name is the button that was pressed."""
    values = [value for value in form.getlist(name) if isinstance(value, str)]
    return values[-1 if last else 0] if values else ""
