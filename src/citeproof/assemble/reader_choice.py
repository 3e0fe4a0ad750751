"""What reads documents and what corrects them, as the settings ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from citeproof.assemble.source_choice import make_user_agent, open_answer_cache, open_shared_limits
from citeproof.background import BackgroundLoop
from citeproof.clock import Clock
from citeproof.errors import UsageError
from citeproof.extractors import extraction, grobid
from citeproof.extractors.base import detect_extractor
from citeproof.extractors.decoded_text import decode
from citeproof.net.message import Rate
from citeproof.sandbox import Limits
from citeproof.settings import Settings
from citeproof.vocabulary import Document, Extraction

if TYPE_CHECKING:
    from citeproof.fix.corrected_files import ReferenceFixer
    from citeproof.net.request_policy import SentRequest


def make_reader(
    settings: Settings, clock: Clock, *, sent: list[SentRequest] | None = None
) -> Callable[[Document], Extraction]:
    """Return what reads documents under these settings; what leaves the machine goes to `sent`."""
    limits = Limits(settings.extract_memory_bytes, settings.extract_seconds)
    url = _find_grobid_url(settings) if settings.pdf_engine == grobid.SOURCE else ""

    def read(document: Document) -> Extraction:
        document = replace(document, encoding=document.encoding or settings.encoding)
        if url and grobid.is_pdf(document):
            with BackgroundLoop("grobid") as loop:
                document = loop.run(_convert_document(document, url, settings, clock, sent))
        return extraction.extract(document, limits)

    return read


def make_fixer() -> ReferenceFixer:
    """Return what corrects the references of documents."""
    from citeproof.fix.corrected_files import ReferenceFixer  # noqa: PLC0415 - only a fix needs it
    from citeproof.fix.encoded_text import EncodedText  # noqa: PLC0415 - same

    def decode_document(document: Document) -> EncodedText:
        decoded = decode(document)
        first = decoded.locate_span(0, 0).start or 0
        sure = not any(one.doubtful[1] for one in decoded.problems)
        return EncodedText(document.data, decoded.text, decoded.encoding, first, sure)

    return ReferenceFixer(detect_extractor, decode_document)


async def _convert_document(
    document: Document, url: str, settings: Settings, clock: Clock, sent: list[SentRequest] | None
) -> Document:
    from citeproof.net.client import Client  # noqa: PLC0415 - only this engine needs it here
    from citeproof.net.request_policy import RequestPolicy  # noqa: PLC0415 - only this engine needs it here

    policies = {grobid.SOURCE: RequestPolicy(Rate(10, 1.0, at_once=4), grobid.SOURCE)}
    client = Client(
        policies,
        open_answer_cache(settings, clock),
        settings.limits_dir,
        clock,
        agent=make_user_agent(settings),
        timeout=settings.timeout,
        limits=open_shared_limits(settings, clock),
    )
    try:
        return await grobid.convert_pdf(document, client, url)
    finally:
        if sent is not None:
            sent.extend(client.sent)
        await client.close()


def _find_grobid_url(settings: Settings) -> str:
    """Return the address of the GROBID server. Whole documents go there: it must be the user's word."""
    if settings.offline:
        hint = "leave out --offline, or read PDFs with --pdf-engine pdfium"
        raise UsageError("GROBID needs the network, but the run is offline", place="--pdf-engine", hint=hint)
    if grobid.SOURCE in settings.project_urls:
        hint = "set CITEPROOF_GROBID_URL, or the address in your own settings file"
        raise UsageError(
            "a project's file may not say where documents are sent", place="--pdf-engine", hint=hint
        )
    return settings.urls.get(grobid.SOURCE, grobid.URL)
