"""One POST to an anchor, from code that does not wait: the wire of `net`, run in a thread of its own."""

from __future__ import annotations

from citeproof.answers.serializers.report import get_version
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.net.http_transport import HttpTransport, RawResponse, TransportError
from citeproof.plumbing.net.message import Request
from citeproof.text.unicode import show_controls

_SHOWN = 120  # characters of what a server says that are repeated


class AnchorError(Exception):
    """Why an anchor did not take or give a checkpoint; the message is fit for a report."""


def post_body(
    url: str, body: bytes, media: str, *, limit: int, timeout: float, proxy: str = ""
) -> RawResponse:
    """Return what the server answers within its bounds; AnchorError otherwise."""
    request = Request("anchor", url, ("*/*",), "POST", body, media, max_body=limit, timeout=timeout)

    async def once() -> RawResponse:
        wire = HttpTransport(f"citeproof/{get_version()}", timeout, (), proxy)
        try:
            return await wire.send(request)
        finally:
            await wire.close()

    try:
        with BackgroundLoop("citeproof-anchor") as loop:
            raw = loop.run(once())
    except TransportError as error:
        raise AnchorError(error.detail) from None
    if raw.hops:  # what was posted did not go along
        raise AnchorError("it redirects; use the final address in the setting")
    return raw


def shorten_answer(body: bytes) -> str:
    """Return the beginning of what a server said, safe to show."""
    return show_controls(" ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split()))[:_SHOWN]
