"""The world's `/robots.txt`: programs may read everything but the publisher's part `closed`."""

from __future__ import annotations

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply

RULES = "User-agent: *\nDisallow: /publisher/closed/\nDisallow: /*.secret$\n"


def answer(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - one shape for all
    return make_text_reply(RULES)
