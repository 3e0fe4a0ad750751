"""One input through every door: the same references, labels, reasons and counts, or the same refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.surfaces.mcp_world import make_desk, run_client
from tests.surfaces.web.web_server import WebServer, open_web_server

import citeproof
from citeproof.answers.reporters import wording
from citeproof.answers.serializers.bibliography import build_bibtex_entry, build_csl_item
from citeproof.surfaces.mcp.tool_server import make_server

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[2] / "examples"
DOORS = ("Python", "MCP", "REST", "web", "command line, JSON")
Shape = tuple[tuple[object, ...], dict[str, object]] | None
BY_HAND = (
    "Attention is all you need", "hello world", "please check my references", "Deep learning", "x", "He 2016",
    "10.1109/CVPR.2016.90", "arXiv:1706.03762v2", "https://doi.org/10.18653/v1/N19-1423", "pmid:26017442",
    "isbn:978-0-262-03561-3", "Vaswani et al. 2017, Attention is all you need", "He et al.",
    "10.1109/CVPR.2016.90\narXiv:1706.03762", "10.1109/CVPR.2016.90\n\n10.18653/v1/N19-1423\n",
    "doi:10.1109/cvpr.2016.90 arXiv:1706.03762", "[1] K. He, Deep residual learning, 2016.", "1234567",
    "He, K., Zhang, X. (2016). Deep Residual Learning for Image Recognition. CVPR.\nThis is not a reference.",
    "# Notes\n\nWe follow He et al. (2016).\n\n## References\n\n- He, K. et al. (2016). Deep learning.",
)  # fmt: skip


def list_inputs() -> list[str]:
    """Return texts that people paste: titles, identifiers, references in forms and scripts, documents."""
    documents = [
        (EXAMPLES / name).read_text("utf-8") for name in ("references.bib", "answer.md", "short.txt")
    ]
    entries = [f"@{entry}" for entry in documents[0].split("\n@")[1:]]
    given = [*BY_HAND, *documents, *entries]
    records = (EXAMPLES / "records.bib").read_text("utf-8")
    with citeproof.Verifier(offline=True) as verifier:
        cited = [one.reference for one in verifier.check(records)]
    for work in cited:
        claimed, people = work.claimed, ", ".join(name.display for name in work.claimed.authors)
        given += [
            f"{people} ({claimed.year}). {claimed.title}. {claimed.venue}.",
            f"Edith Marlow and Tunde Okonjo ({(claimed.year or 0) - 1}). {claimed.title}. {claimed.venue}.",
            build_bibtex_entry("work", work.kind, claimed),
            json.dumps([build_csl_item("work", work.kind, claimed)]),
            str(claimed.title),
        ]
    pasted = json.loads((Path(__file__).parent / "pasted_texts.json").read_text("utf-8"))
    return [*pasted, *given[:100]]


def describe_report(report: dict[str, Any] | None) -> Shape:
    """Return what must be the same: each reference with its label and reasons, and the counts."""
    if report is None:
        return None
    fields = ("raw", "verdict", "label", "score", "reasons", "mismatches", "notes", "signs")
    references = tuple(json.dumps([one[name] for name in fields]) for one in report["references"])
    return references, {name: report["summary"][name] for name in ("references", "labels", "signs")}


async def ask_mcp(client: Client, texts: list[str]) -> list[Shape]:
    shapes = []
    for text in texts:
        wanted = {"text": text, "only": "all", "limit": 100, "detail": "full"}
        result = await client.call_tool("checkReferences", wanted)
        shapes.append(None if result.is_error else describe_report(json.loads(result.content[0].text)))
    return shapes


def ask_python(verifier: citeproof.Verifier, text: str) -> Shape:
    try:
        return describe_report(verifier.check(text).json())
    except citeproof.CiteproofError:
        return None


def ask_rest(web: WebServer, text: str) -> Shape:
    answer = web.client.post("/v1/check", json={"text": text})
    assert answer.status_code in (200, 422), answer.text
    return describe_report(answer.json()) if answer.status_code == 200 else None


def ask_web(web: WebServer, text: str) -> Shape:
    sent = {"files": [("files", ("", b""))], "data": {"text": text, "kind": "check"}}
    answer = web.post("/runs", **sent)
    if answer.status_code == 400:
        return None
    run = answer.headers["location"]
    web.wait(run.rpartition("/")[2])
    page, shape = web.get(run).text, describe_report(json.loads(web.get(f"{run}/report.json").text))
    assert shape is not None
    assert page.count("<article") == len(shape[0])
    if shape[0]:
        counts = shape[1]
        assert wording.describe_labels(counts["labels"], counts["signs"]) in page
    return shape


def test_more_than_a_hundred_inputs_are_the_same_through_all_doors(cli, snapshot, tmp_path, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    monkeypatch.setenv("CITEPROOF_ALLOW_UNCHECKED_RETRACTIONS", "1")
    texts = list_inputs()
    assert len(texts) == len(set(texts)) == 130
    desk = make_desk(offline=True)
    by_mcp = run_client(Client(make_server(desk, lambda _: False)), lambda client: ask_mcp(client, texts))
    desk.pool.close()
    shapes: list[tuple[Shape, ...]] = []
    with citeproof.Verifier(offline=True) as verifier, open_web_server(tmp_path / "jobs", snapshot) as web:
        for text, told in zip(texts, by_mcp, strict=True):
            shapes.append((ask_python(verifier, text), told, ask_rest(web, text), ask_web(web, text)))
    disagree = []
    for text, given in zip(texts, shapes, strict=True):
        ended = cli("check", "--format", "json", "--", text)
        every = (*given, describe_report(json.loads(ended.out)) if ended.out else None)
        counts = every[0][1] if every[0] else {}
        if counts.get("references"):
            screen = cli("check", "--", text).out
            assert wording.describe_labels(counts["labels"], counts["signs"]) in " ".join(screen.split())
        if any(shape != every[0] for shape in every):
            disagree.append((text[:80], dict(zip(DOORS, every, strict=True))))
    assert not disagree
    assert sum(given[0] is None for given in shapes) in range(8, 20)
