"""Browsers on a server that needs tokens: a cookie that stands for the header, and refusals as pages.

The outermost layer of the application. It touches the paths of pages only: a cookie is never a way into the
REST interface, whose requests no form guard looks at.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeproof.surfaces.web.page_frame import format_error_page
from citeproof.surfaces.web.web_answers import make_page_answer, make_redirect

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
        if scope["type"] != "http" or not is_page_path(scope["path"]):
            await self._app(scope, receive, send)
            return
        await self._app(_add_token(scope), receive, _RefusalPages(scope, receive, send).send)


class _RefusalPages:
    """Passes answers on; a refusal in JSON becomes a page, and one for want of a token leads to the login."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._refusal: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_refusal(message):
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
            return make_redirect(f"/login?next={quote(path)}" if path != "/" else "/login")
        try:
            error = msgspec.json.decode(self._body)["error"]
            page = format_error_page("This cannot be done", str(error["message"]), str(error["hint"]))
        except (msgspec.DecodeError, KeyError, TypeError):
            page = format_error_page("This cannot be done", f"The server answers {status}.")
        wait = [
            value.decode("latin-1") for name, value in refusal["headers"] if name.lower() == b"retry-after"
        ]
        return make_page_answer(page, status, {"Retry-After": wait[0]} if wait else None)


def _is_refusal(message: Message) -> bool:
    types = [value for name, value in message["headers"] if name.lower() == b"content-type"]
    return message["status"] >= 400 and any(value.startswith(b"application/json") for value in types)


def _add_token(scope: Scope) -> Scope:
    """Return the request with the token of its cookie as a header, if it has no header of its own."""
    headers = scope["headers"]
    if is_open_path(scope["path"]) or any(name == b"authorization" for name, _ in headers):
        return scope  # a wrong token must not keep anybody from the login
    token = read_cookie(b"; ".join(value for name, value in headers if name == b"cookie").decode("latin-1"))
    if not token:
        return scope
    return {**scope, "headers": [*headers, (b"authorization", f"Bearer {token}".encode())]}


def read_cookie(text: str) -> str:
    """Return the token in the cookies of a request; empty if there is none."""
    try:
        cookie = SimpleCookie(text).get(COOKIE)
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
