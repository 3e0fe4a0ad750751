"""OpenReview's API 1: the venues before 2023, fields without `{"value": …}`. See `openreview`."""

from __future__ import annotations

from citeproof.laboratory.testing.apis import openreview
from citeproof.laboratory.testing.base import Call, Holdings, Reply


def answer(call: Call, holdings: Holdings) -> Reply:
    return openreview.answer_either_api(call, holdings, old=True)
