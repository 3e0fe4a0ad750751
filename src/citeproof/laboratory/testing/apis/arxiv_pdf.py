"""arXiv's files: `/<number>` is the PDF of a paper, with or without its version."""

from __future__ import annotations

from citeproof.laboratory.testing import article_texts
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.text import ids


def answer(call: Call, holdings: Holdings) -> Reply:
    number = ids.normalise_id("arxiv", "/".join(call.parts).removesuffix(".pdf"))
    record = next(iter(holdings.by_id("arxiv", number)), None) if number else None
    if record is None:
        return make_text_reply("<html><head><title>404 Not Found</title></head></html>", 404, "text/html")
    return Reply(200, article_texts.build_pdf(record), "application/pdf")
