"""Answers to browsers: pages, redirects, files, errors as pages; forms, read with their limits; the login.

On a server that needs tokens a cookie stands for the header, and refusals become pages. This is the outermost
layer of the application. It touches the paths of pages only: a cookie is never a way into the REST interface,
whose requests no form guard looks at.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlencode, urlsplit

import msgspec
from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException as BaseHTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeproof.errors import AuditError, CiteproofError, SnapshotError, StoreUnreachableError
from citeproof.service.job_runner import QueueFullError, StoreFullError
from citeproof.surfaces.web import page_frame
from citeproof.surfaces.web.page_frame import format_error_page
from citeproof.surfaces.web.upload_reading import MOST_FILES

MAX_FORM = 1_000_000  # bytes of a form without files
_WAIT, _TELL = "try again in a minute", "tell the operator of this server"
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
            named = error.place and not error.place.startswith("--")  # a reader of a page typed no flag
            message = f"{error.place}: {error.message}" if named else error.message
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
        "split it, and send one part after the other",
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


COOKIE = "citeproof_token"
LONGEST = 200  # characters of a token
MAX_ERROR = 100_000  # bytes of a refusal that are read
_OPEN = ("/verdicts", "/login", "/favicon.ico")  # anybody may read them
_OPEN_FOLDERS = ("/assets/", "/shared/")
_OWN = ("/", "/runs", "/logout")
_OWN_FOLDERS = ("/runs/", "/batches/")


def is_open_path(path: str) -> bool:
    """Return whether a page is for anybody: who knows the address of a shared report may read it."""
    return path in _OPEN or path.startswith(_OPEN_FOLDERS)


def is_page_path(path: str) -> bool:
    """Return whether a path belongs to the pages."""
    return path in _OWN or path.startswith(_OWN_FOLDERS) or is_open_path(path)


class BrowserLogin:
    """Wraps the whole application, its guard included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (is_page_path(scope["path"]) or _is_browser(scope)):
            await self._app(scope, receive, send)
            return
        own = is_page_path(scope["path"])
        answer = _RefusalPages(scope, receive, send, frozenset() if own else frozenset({404}))
        await self._app(_add_token(scope) if own else scope, receive, answer.send)


class _RefusalPages:
    """Passes answers on; a refusal in JSON becomes a page, and one for want of a token leads to the login.

    Only refusals with one of `states`, if there are any.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, states: frozenset[int]) -> None:
        self._scope, self._receive, self._send, self._states = scope, receive, send, states
        self._refusal: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_refusal(message, self._states):
            self._refusal = message
        elif self._refusal is None:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")[:MAX_ERROR]
            if not message.get("more_body"):
                await self._make_answer(self._refusal)(self._scope, self._receive, self._send)

    def _make_answer(self, refusal: Message) -> Response:
        status = refusal["status"]
        if status == 401:
            path = self._scope["path"] if self._scope["method"] == "GET" else "/"
            wanted = {"next": path} if path != "/" else {}
            wanted |= {"failed": "1"} if read_cookie(self._scope) else {}  # which is not known
            return make_redirect(f"/login?{urlencode(wanted, safe='/')}" if wanted else "/login")
        try:
            error = msgspec.json.decode(self._body)["error"]
            if status == 404:
                return _make_trouble_answer(*_WORDS[404], 404)
            page = format_error_page("This cannot be done", str(error["message"]), str(error["hint"]))
        except (msgspec.DecodeError, KeyError, TypeError):
            page = format_error_page("This cannot be done", f"The server answers {status}.")
        wait = [
            value.decode("latin-1") for name, value in refusal["headers"] if name.lower() == b"retry-after"
        ]
        return make_page_answer(page, status, {"Retry-After": wait[0]} if wait else None)


def _is_browser(scope: Scope) -> bool:
    """Return whether a person looks at the answer, who needs a page where there is nothing."""
    accepted = dict(scope["headers"]).get(b"accept", b"")
    return scope["method"] == "GET" and b"text/html" in accepted


def _is_refusal(message: Message, states: frozenset[int]) -> bool:
    if states and message["status"] not in states:
        return False
    types = [value for name, value in message["headers"] if name.lower() == b"content-type"]
    return message["status"] >= 400 and any(value.startswith(b"application/json") for value in types)


def _add_token(scope: Scope) -> Scope:
    """Return the request with the token of its cookie as a header, if it has no header of its own."""
    headers = scope["headers"]
    if is_open_path(scope["path"]) or any(name == b"authorization" for name, _ in headers):
        return scope  # a wrong token must not keep anybody from the login
    token = read_cookie(scope)
    if not token:
        return scope
    return {**scope, "headers": [*headers, (b"authorization", f"Bearer {token}".encode())]}


def read_cookie(scope: Scope) -> str:
    """Return the token in the cookies of a request; empty if there is none."""
    cookies = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    try:
        cookie = SimpleCookie(cookies.decode("latin-1")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie and is_token(cookie.value) else ""


def is_token(text: str) -> bool:
    """Return whether a text may be a token: it stands in headers."""
    return (
        0 < len(text) <= LONGEST and text.isascii() and text.isprintable() and not set(text) & set(' ;,"\\')
    )


def make_login_answer(token: str, after: str, request: Request) -> Response:
    """Return the answer that lets the browser keep a token, or forget it if it is empty.

    Behind a proxy that speaks TLS, the browser knows that it is https, and a trusted proxy says so.
    """
    secure = request.url.scheme == "https" or request.headers.get("origin", "").lower().startswith("https://")
    answer = make_redirect(after if is_page_path(after.partition("?")[0]) else "/")
    if token:
        answer.set_cookie(COOKIE, token, path="/", secure=secure, httponly=True, samesite="lax")
    else:
        answer.delete_cookie(COOKIE, path="/", secure=secure, httponly=True, samesite="lax")
    return answer
