"""The tools about works by identifier, documents, claims and verdicts."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.surfaces.mcp_world import BIBLIOGRAPHY, TOPAZ, call_tool, read_answer, run_inside

from citeproof.errors import UsageError
from citeproof.service.identified_works import recognise_identifier, split_identifiers
from citeproof.surfaces.mcp import tool_server
from citeproof.vocabulary import Reason


@pytest.mark.parametrize(
    ("given", "scheme", "value"),
    [
        ("10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("https://doi.org/10.1038/NATURE14539", "doi", "10.1038/nature14539"),
        ("doi:10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("10.1016/S0140-6736(26)00603-3", "doi", "10.1016/s0140-6736(26)00603-3"),
        ("PMID:26017442", "pmid", "26017442"),
        ("PMID 26017442", "pmid", "26017442"),
        ("26017442", "pmid", "26017442"),
        ("PMC1234567", "pmcid", "PMC1234567"),
        ("PMCID: PMC1234567", "pmcid", "PMC1234567"),
        ("1706.03762", "arxiv", "1706.03762"),
        ("arXiv:1706.03762v5", "arxiv", "1706.03762"),
        ("hep-ph/0501023", "arxiv", "hep-ph/0501023"),
        ("https://arxiv.org/abs/1706.03762", "arxiv", "1706.03762"),
        ("2016PhRvL.116f1102A", "ads", "2016PhRvL.116f1102A"),
        ("978-0-262-03561-3", "isbn", "9780262035613"),
        ("ISBN 0-262-03561-8", "isbn", "9780262035613"),
        ("0028-0836", "issn", "0028-0836"),
        ("https://iris.who.int/handle/10665/350161", "who_iris", "https://iris.who.int/handle/10665/350161"),
    ],
)
def test_an_identifier_is_recognised(given, scheme, value):
    assert recognise_identifier(given) == (scheme, value)


@pytest.mark.parametrize("given", ["", "foo", "10.1038", "Deep learning", "x" * 501, "978-0-262-03561-4"])
def test_what_is_no_identifier(given):
    with pytest.raises(UsageError):
        recognise_identifier(given)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("10.1/a, 10.1/b", ["10.1/a", "10.1/b"]),
        ("10.1/a,10.1/b", ["10.1/a", "10.1/b"]),
        ("10.1/a,b", ["10.1/a,b"]),
        ("10.1/a\n\nPMID:1;arXiv:1706.03762", ["10.1/a", "PMID:1", "arXiv:1706.03762"]),
        (" \n ", []),
    ],
)
def test_identifiers_are_told_apart(text, parts):
    assert split_identifiers(text) == parts


def test_metadata_by_identifier(registries):
    arguments = {"text": "10.1038/nature14539, 10.1000/nowhere\nfoo"}
    answer = read_answer(call_tool("resolveIdentifier", arguments=arguments))
    (item,) = answer["items"]
    assert (item["title"], item["DOI"], item["type"]) == (
        "Deep learning", "10.1038/nature14539", "article-journal",
    )  # fmt: skip
    assert [(one["id"], one["reason"]) for one in answer["errors"]] == [
        ("foo", "malformed"), ("10.1000/nowhere", "not_found"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", [", ,", "\n".join(f"10.1000/{n}" for n in range(51))])
def test_too_few_or_too_many_identifiers(text, snapshot):
    result = call_tool("resolveIdentifier", arguments={"text": text}, offline=True, snapshots=[snapshot])
    assert "give between 1 and 50 identifiers" in result.content[0].text


def test_retractions(registries):
    answer = read_answer(call_tool("checkRetraction", arguments={"id": "doi:10.1000/gone"}))
    assert answer["doi"] == "10.1000/gone"
    assert (answer["result"]["isRetracted"], answer["result"]["hasConcern"]) == (True, False)
    (notice,) = answer["result"]["notices"]
    assert set(notice) == {"type", "label", "doi", "date", "source"}
    assert (notice["type"], notice["date"], notice["doi"]) == ("retraction", "2020-01-02", "10.1000/notice")
    sound = read_answer(call_tool("checkRetraction", arguments={"id": "10.1038/nature14539"}))
    assert sound["result"] == {
        "isRetracted": False, "hasCorrections": False, "hasConcern": False, "notices": [],
        "title": "Deep learning",
    }  # fmt: skip
    book = read_answer(call_tool("checkRetraction", arguments={"id": "978-0-262-03561-3"}))
    assert (book["doi"], book["reason"], book["result"]) == (None, "no_doi", None)


def test_no_list_is_no_clean_bill(snapshot, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    result = call_tool(
        "checkRetraction", arguments={"id": "10.1109/CVPR.2016.90"}, offline=True, snapshots=[snapshot]
    )
    answer = read_answer(result)
    assert (answer["reason"], answer["result"]) == ("unchecked", None)


@pytest.mark.parametrize(("only", "shown"), [("problems", []), ("noted", ["NOTED"]), ("unchecked", [])])
def test_a_note_is_counted_and_shown_where_it_is_asked_for(only, shown, snapshot):
    people = "He, Kaiming and Gkioxari, Georgia and Dollár, Piotr and Girshick, Ross B."
    text = f"@inproceedings{{a, title={{Mask R-CNN}}, author={{{people}}}, year=2018}}"
    options = {"offline": True, "snapshots": [snapshot]}
    given = {"text": text, "only": only}
    answer = read_answer(call_tool("checkReferences", arguments=given, **options))
    assert [one["label"] for one in answer["references"]] == shown
    assert [note["field"] for one in answer["references"] for note in one["notes"]] == ["year"] * len(shown)
    assert answer["summary"]["labels"]["NOTED"] == 1


def test_references_of_a_text(snapshot):
    options = {"offline": True, "snapshots": [snapshot]}
    answer = read_answer(call_tool("checkReferences", arguments={"text": BIBLIOGRAPHY}, **options))
    assert {one["label"] for one in answer["references"]} <= {"MINOR", "MAJOR", None}
    assert "candidates" not in answer["references"][0]
    whole = {"text": BIBLIOGRAPHY, "only": "all", "detail": "full", "limit": 2, "offset": 1}
    page = read_answer(call_tool("checkReferences", arguments=whole, **options))
    total = answer["summary"]["references"] if "references" in answer["summary"] else page["page"]["total"]
    assert page["page"] == {"offset": 1, "returned": 2, "total": total, "next": 3}
    assert "candidates" in page["references"][0]


def test_files_only_below_the_roots(snapshot, tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "refs.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "secret.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "inside" / "link.bib").symlink_to(tmp_path / "secret.bib")
    options = {"offline": True, "snapshots": [snapshot]}

    async def work(client):
        names = ("refs.bib", "../secret.bib", "link.bib", str(tmp_path / "secret.bib"), "/etc/passwd", "a\0b",
                 "~/x", "missing.bib", ".", str(tmp_path / "inside" / "refs.bib"))  # fmt: skip
        return {name: await client.call_tool("checkReferences", {"path": name}) for name in names}

    found = run_inside(work, roots=[tmp_path / "inside"], **options)
    good = read_answer(found["refs.bib"])
    assert good["run"]["documents"] == ["refs.bib"]
    assert not found[str(tmp_path / "inside" / "refs.bib")].is_error
    outside = [name for name, one in found.items() if "outside the folders" in one.content[0].text]
    assert outside == [
        "../secret.bib", "link.bib", str(tmp_path / "secret.bib"), "/etc/passwd", "a\0b", "~/x",
    ]  # fmt: skip
    assert "missing.bib: no such file" in found["missing.bib"].content[0].text
    assert str(tmp_path) not in "".join(one.content[0].text for one in found.values())
    alone = call_tool("checkReferences", arguments={"path": "refs.bib"}, **options)
    assert "may not read files" in alone.content[0].text


def test_progress_is_told(snapshot):
    told = []

    async def note(done, total, message):
        told.append((done, total))

    async def work(client):
        return await client.call_tool("checkReferences", {"text": BIBLIOGRAPHY}, progress_callback=note)

    result = run_inside(work, mode="legacy", offline=True, snapshots=[snapshot])
    total = json.loads(result.content[0].text)["run"]["extracted"]
    assert told[-1] == (total, total)


def test_claims(registries):
    text = (
        "Deep nets learn features [1]. Microglia are modulated [2].\n\n## References\n\n"
        "[1] LeCun, Y. Deep learning. Nature, 2015. doi:10.1038/nature14539\n"
        "[2] Chen, X. Microglial modulation via receptor 2. 2023. doi:10.1016/j.neuroscience.2023.02.008\n"
    )
    answer = read_answer(call_tool("groundClaims", arguments={"text": text}))
    assert [one["status"] for one in answer["claims"]] == ["unsupported", "verified"]
    assert answer["claims"][1]["citation"]["title"] == "Deep learning"
    assert "tried" not in answer["claims"][0]
    hypothesis = {"id": "h", "claims": [{"id": "c", "text": "It works (doi:10.1000/gone)."}]}
    answer = read_answer(call_tool("groundClaims", arguments={"hypothesis": hypothesis, "detail": "full"}))
    assert answer["claims"][0]["status"] == "retracted_source"
    both = call_tool("groundClaims", arguments={"hypothesis": hypothesis, "text": "x"})
    assert "cannot be given together" in both.content[0].text


@pytest.mark.parametrize(
    ("code", "kind"),
    [("not_found", "verdict"), ("MINOR", "label"), ("minor", "label"), ("rate_limited", "cause"),
     ("retracted", "finding"), ("word_changed", "reason"), ("retracted_source", "status"),
     ("prompt injection", "finding")],
)  # fmt: skip
def test_a_word_is_explained(code, kind, snapshot):
    answer = read_answer(
        call_tool("explainVerdict", arguments={"code": code}, offline=True, snapshots=[snapshot])
    )
    assert answer["kind"] == kind
    assert answer["meaning"]


def test_every_reason_is_explained():
    from citeproof.surfaces.mcp.verdict_tools import list_explanations
    from citeproof.vocabulary import Cause, ClaimStatus, Label, Verdict

    told = list_explanations()
    assert {*map(str, (*Reason, *Verdict, *Label, *Cause, *ClaimStatus))} <= set(told)
    assert all(one["meaning"] for one in told.values())


def test_a_verdict_is_explained_step_by_step(snapshot):
    options = {"offline": True, "snapshots": [snapshot]}
    citation = {"title": "Deep Residual Learning for Image Recognition", "year": 2013}
    answer = read_answer(call_tool("explainVerdict", arguments=citation, **options))
    assert answer["verdict"] == "matched"
    years = [one for one in answer["comparisons"] if one["field"] == "year"]
    assert years[0]["meaning"]
    assert answer["sources"]
    unknown = call_tool("explainVerdict", arguments={"code": "not_fonud"}, **options)
    assert "did you mean not_found" in unknown.content[0].text
    neither = call_tool("explainVerdict", **options)
    assert "exactly one of them is needed" in neither.content[0].text


def test_each_call_is_a_sealed_run_of_the_audit_log(snapshot, tmp_path, cli):
    options = {"offline": True, "snapshots": [snapshot], "audit_dir": tmp_path / "audit"}

    async def work(client):
        citation = {"title": "Deep Residual Learning for Image Recognition"}
        together = [client.call_tool("verifyCitation", citation) for _ in range(4)]
        return [
            *await asyncio.gather(*together),
            await client.call_tool("checkReferences", {"text": BIBLIOGRAPHY}),
        ]

    for result in run_inside(work, **options):
        read_answer(result)
    assert cli("audit", "verify", tmp_path / "audit").code == 0
    shown = json.loads(cli("audit", "show", tmp_path / "audit", "--format", "json").out)
    assert len(shown["runs"] if isinstance(shown, dict) else shown) == 5


def test_a_document_with_too_many_references(snapshot):
    entry = "@article{{r{n}, title={{Deep Residual Learning for Image Recognition}}, year={{2016}}}}\n"
    text = "".join(entry.format(n=n) for n in range(1001))
    result = call_tool("checkReferences", arguments={"text": text}, offline=True, snapshots=[snapshot])
    assert "has 1,001 references" in result.content[0].text


def test_a_call_that_takes_too_long_ends_and_the_next_is_answered(registries):
    async def work(client):
        registries.set("crossref", latency=30.0)
        late = await client.call_tool("verifyCitation", TOPAZ)
        registries.set("crossref", latency=0.0)
        return late, await client.call_tool("explainVerdict", {"code": "matched"})

    late, following = run_inside(work, seconds=0.5)
    assert late.structured_content["error"]["code"] == "TIMEOUT"
    assert not following.is_error


def test_a_bug_is_told_without_the_text_of_a_document(snapshot, monkeypatch, caplog):
    async def fail(call):
        raise RuntimeError(f"no {call.arguments['text']}")

    monkeypatch.setitem(tool_server.TOOLS, "checkReferences", fail)
    result = call_tool("checkReferences", arguments={"text": "SECRET"}, offline=True, snapshots=[snapshot])
    assert result.is_error
    assert "SECRET" not in result.content[0].text + caplog.text
    assert result.structured_content["requestId"] in caplog.text
