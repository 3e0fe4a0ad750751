"""`verifyCitation`, and citations out of the arguments of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeproof import serializers
from citeproof.service.citation_input import build_citation
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, RawReference

_OWN_NAMES = {"whoIrisUrl": "who_iris_url"}
_FIELDS = (
    "doi", "pmid", "pmcid", "isbn", "arxiv", "issn", "ads", "whoIrisUrl", "author", "year", "container",
)  # fmt: skip


async def verify_citation(call: ToolCall) -> ToolAnswer:
    """Return one citation, checked, in the compatible shape."""
    raw, screen = read_citation(call.arguments), call.screen

    async def verify(engine: ReferenceVerifier) -> serializers.Json:
        checked: Checked = await engine.verify_one(raw)
        return serializers.build_verify_json(
            checked, compat=call.desk.strict, screen=screen, overrides=engine.overrides
        )

    return ToolAnswer(await call.run("verify", verify, screen=screen))


def read_citation(arguments: Mapping[str, Any]) -> RawReference:
    """Return the citation that the arguments describe; what is empty was not given."""
    given = {_OWN_NAMES.get(name, name): arguments.get(name) for name in _FIELDS}
    return build_citation(str(arguments.get("title") or ""), **given)
