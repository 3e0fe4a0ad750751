"""The guard at every door: the same text goes in, and the same text and verdicts come out."""

from __future__ import annotations

import asyncio
import io
import json
from types import SimpleNamespace

import pytest

import citeproof
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.surfaces.rest.app import create_app
from tests.surfaces.mcp_world import run_inside
from tests.surfaces.rest_server import ThreadedServer

BERT = (
    "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional "
    "transformers for language understanding. https://doi.org/10.18653/v1/N19-1423"
)
ELMO = "Peters, M. E. et al. (2018). Deep contextualized word representations. doi:10.18653/v1/N18-1202"
GHOST = "Halloran, P. (2020). Recursive shadow pyramids. Journal of Shadows 3, 1-9. doi:10.1234/ghost.1"
ANSWERS = (
    "Just prose, with  two spaces and ( ) brackets.\n",
    "It works (doi:10.18653/v1/N19-1423).\n",
    "It is magic (doi:10.1234/ghost.1).\n",
    "Both: doi:10.18653/v1/N19-1423 and doi:10.1234/ghost.1.\n",
    f"It works [1]. It is magic [2].\n\n## References\n\n[1] {BERT}\n[2] {GHOST}\n",
    f"It works [1, 2].\n\n## References\n\n1. {BERT}\n2. {ELMO}\n",
    f"It works [1, 2].\n\n## References\n\n1. {BERT}\n2. {GHOST}\n",
    f"As shown[^1] and denied[^2].\n\n[^1]: {BERT}\n[^2]: {GHOST}\n",
    f"It works (Devlin et al., 2019; Halloran, 2020).\n\n## References\n\n- {BERT}\n- {GHOST}\n",
    "[BERT](https://doi.org/10.18653/v1/N19-1423) and [shadows](https://doi.org/10.1234/ghost.1).\n",
    "[Recursive shadow pyramids of owls](https://doi.org/10.18653/v1/N19-1423)\n",
    f"- {BERT}; also Halloran, P. (2020). Recursive shadow pyramids.\n",
    "```bibtex\n@article{ghost,\n  title={Recursive shadow pyramids},\n  author={Halloran, P.}\n}\n```\n",
    "```python\nprint(a.b( ), c)  # nothing cited\n```\n",
    f"> {GHOST}\n\n> Quoted words.\n",
    "| work | said |\n|---|---|\n| doi:10.1234/ghost.1 | yes |\n| doi:10.18653/v1/N18-1202 | no |\n",
    "Halloran et al. (2020) say so, and Sun (2025) too.\n",
    "Devlin et al. (2019), doi:10.18653/v1/N19-1423, say so.\n",
    "Halloran et al. (2020), doi:10.18653/v1/N19-1423, say so.\n",
    "It is in [7].\n",
    f"I hope this helps!\n\n{GHOST}\n\nTell me more.\n",
    json.dumps({"text": "It is magic [[cite:1]].", "citations": [{"key": "1", "title": GHOST}]}) + "\n",
    json.dumps({"claims": [{"text": "It works.", "references": [{"text": BERT}, {"text": GHOST}]}]}) + "\n",
    f'["{BERT}", "{GHOST}"]\n',
    "TY  - JOUR\nTI  - Recursive shadow pyramids\nAU  - Halloran, P.\nPY  - 2020\nER  -\n",
    'title,author,year\nRecursive shadow pyramids,"Halloran, P.",2020\n',
    f"<!DOCTYPE html><html><body><p>It is magic.</p><ol><li>{GHOST}</li></ol></body></html>\n",
)


def _sum_up(told):
    return told["text"], [(one["start"], one["end"], one["status"], one["shown"]) for one in told["details"]]


def _read_events(events):
    """Return what a reader sees who follows the protocol."""
    parts, details = {}, {}
    for one in events:
        key = one["start"], one.get("id", 0)
        assert one["event"] in ("text", "citation", "patch", "end")
        assert (one["event"] == "patch") <= (key in parts)
        parts[key] = one["text"]
        if "id" in one:
            details[one["id"]] = one.get("citations", [])
    settled = [each for number in sorted(details) for each in details[number]]
    return _sum_up({"text": "".join(parts[key] for key in sorted(parts)), "details": settled})


def _ask_command_line(capfd, monkeypatch, text, form):
    stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", stdin)
    with pytest.raises(SystemExit) as ended:
        door.main(["guard", "a.md" if form == "jsonl" else "-", "--format", form])
    return int(ended.value.code or 0), capfd.readouterr().out


def _ask_rest(client, text, *, events):
    accept = {"Accept": "text/event-stream"} if events else {}
    answer = client.post("/v1/guard", json={"text": text}, headers=accept)
    assert answer.status_code == 200, answer.text
    if not events:
        return _sum_up(answer.json())
    lines = (line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: "))
    return _read_events(map(json.loads, lines))


async def _ask_mcp(client):
    answers = [await client.call_tool("guardText", {"text": text}) for text in ANSWERS]
    return [_sum_up(one.structured_content) for one in answers]


async def _stream(verifier, text):
    from citeproof.service.guarded_text import build_event_json

    chunks = [text[at : at + 11] for at in range(0, len(text), 11)]
    return [build_event_json(one) async for one in verifier.guard_stream(chunks)]


async def _release(verifier, text):
    released = [one async for one in verifier.ground_stream(list(text))]
    details, at = [], 0
    for one in released:
        details += [(at + each.start, at + each.end, each.status.value, each.shown) for each in one.citations]
        at += len(one.original)
    return "".join(one.text for one in released), details


def test_every_door_gives_the_same_text_and_verdicts(offline_world, capfd, monkeypatch):
    monkeypatch.chdir(offline_world)
    with citeproof.Verifier() as verifier:
        wanted = []
        for text in ANSWERS:
            guarded = verifier.guard(text)
            details = [(one.start, one.end, one.status.value, one.shown) for one in guarded.citations]
            wanted.append((guarded.text, details))
            assert _read_events(asyncio.run(_stream(verifier, text))) == wanted[-1]
            assert asyncio.run(_release(verifier, text)) == wanted[-1]
    assert len({status for _, details in wanted for _, _, status, _ in details}) > 1
    assert not [text for text, _ in wanted if "shadow pyramids" in text or "ghost.1" in text]
    server = ThreadedServer(create_app(load(), folder=offline_world / "jobs"))
    try:
        assert [_ask_rest(server.client, text, events=False) for text in ANSWERS] == wanted
        assert [_ask_rest(server.client, text, events=True) for text in ANSWERS] == wanted
    finally:
        server.close()
    assert run_inside(_ask_mcp) == wanted
    for text, (shown, details) in zip(ANSWERS, wanted, strict=True):
        (offline_world / "a.md").write_text(text)
        code, out = _ask_command_line(capfd, monkeypatch, text, "json")
        assert _sum_up(json.loads(out)) == (shown, details)
        assert _ask_command_line(capfd, monkeypatch, text, "text") == (code, shown)
        again, out = _ask_command_line(capfd, monkeypatch, text, "jsonl")
        assert (again, _read_events(map(json.loads, out.splitlines()))) == (code, (shown, details))
        assert code == (3 if not details else 0 if all(one[-1] for one in details) else code)
        assert code in (0, 1, 3, 4)


@pytest.mark.parametrize(
    ("body", "status", "place"),
    [
        ({"json": {"text": 3}}, 400, "text"),
        ({"json": {"text": "x", "removal": "hide"}}, 400, "removal"),
        ({"json": {"text": "x", "colour": 1}}, 400, "colour"),
        ({"content": b"x" * 1_000_001, "headers": {"Content-Type": "text/plain"}}, 413, "body"),
    ],
)
def test_what_the_guard_at_the_server_refuses(body, status, place, offline_world):
    server = ThreadedServer(create_app(load(), folder=offline_world / "jobs"))
    try:
        answer = server.client.post("/v1/guard", **body)
        assert (answer.status_code, answer.json()["error"]["place"]) == (status, place)
    finally:
        server.close()
