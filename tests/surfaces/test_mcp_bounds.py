"""How much one call of a tool may ask for, and how long it may take."""

import pytest
from tests.surfaces.mcp_world import call_tool, read_answer

from citeproof.settings import load
from citeproof.surfaces.mcp import tool_server
from citeproof.surfaces.mcp.document_tools import MAX_GROUNDED
from citeproof.surfaces.mcp.tool_list import MAX_TEXT

UNLISTED = {"offline": True, "allow_unchecked_retractions": True}  # no list of retractions is at hand


def read_error(result) -> dict:
    assert result.is_error
    return result.structured_content["error"]


def test_a_hypothesis_with_too_many_claims_is_refused():
    claims = [f"Claim number {n} holds." for n in range(MAX_GROUNDED + 1)]
    told = read_error(call_tool("groundClaims", arguments={"hypothesis": {"claims": claims}}, **UNLISTED))
    assert (told["place"], told["message"]) == ("hypothesis", "has 1,001 claims")
    assert "citeproof claims" in told["hint"]


def test_a_large_hypothesis_is_refused_before_it_is_read():
    claims = ["word " * 1000] * (MAX_TEXT // 5000 + 1)
    told = read_error(call_tool("groundClaims", arguments={"hypothesis": {"claims": claims}}, **UNLISTED))
    assert (told["place"], told["message"]) == ("hypothesis", f"is larger than {MAX_TEXT:,} bytes")


def test_a_text_with_too_many_citing_sentences_is_refused():
    entries = (f"@article{{k{n}, title={{Title number {n}}}}}" for n in range(MAX_GROUNDED + 1))
    told = read_error(call_tool("groundClaims", arguments={"text": "\n".join(entries)}, **UNLISTED))
    assert told["message"] == "has 1,001 claims"


def test_what_is_allowed_is_answered():
    hypothesis = {"claims": ["The sky is blue.", "Water is wet."]}
    answer = read_answer(call_tool("groundClaims", arguments={"hypothesis": hypothesis}, **UNLISTED))
    assert len(answer["claims"]) == 2


@pytest.mark.parametrize("tool", ["groundClaims", "checkReferences"])
def test_a_call_that_takes_too_long_is_told(tool):
    arguments = {"text": "A. Author. The title of a work. Journal of Works, 2004."}
    told = read_error(call_tool(tool, arguments=arguments, offline=True, seconds=0))
    assert told["code"] == "TIMEOUT"


def test_calls_on_standard_input_have_a_time_limit(monkeypatch):
    desks = []

    async def serve(_server):
        """End at once."""

    monkeypatch.setattr(tool_server, "_serve_client", serve)
    monkeypatch.setattr(tool_server, "make_server", lambda desk, _: desks.append(desk))
    tool_server.serve_stdio(load({"offline": True}), (), strict=False, allow_llm=False)
    assert [desk.seconds for desk in desks] == [tool_server.SECONDS]
