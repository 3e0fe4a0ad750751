"""Receipts of verified citations, and the guard that asks for them."""

from __future__ import annotations

import json
from datetime import date

import pytest

from citeproof.errors import UsageError
from citeproof.plumbing.signed_note import SignerKey
from citeproof.reading.parse import parse
from citeproof.service.citation_receipts import ReceiptState, guard_references, read_receipts
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import Claimed, Ids, Kind, Name, Place, RawReference

TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
DOI = "10.18653/v1/N19-1423"
HYPOTHESIS = {
    "claims": [
        {"text": "It works.", "references": [{"title": TITLE, "authors": ["Devlin"], "doi": DOI}]},
        {
            "text": "It is magic.",
            "references": [{"title": "Nobody wrote this title", "doi": "10.1234/no"}],
        },
    ]
}


def _bib(title=TITLE, author="Devlin, Jacob and Chang, Ming-Wei", doi=DOI):
    return f"@inproceedings{{k, title={{{title}}}, author={{{author}}}, year=2019, doi={{{doi}}}}}\n"


@pytest.fixture
def run(offline_world, capfd):
    (offline_world / "h.json").write_text(json.dumps(HYPOTHESIS))

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            door.main(list(arguments))
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out + err

    assert call("claims", str(offline_world / "h.json"), "--receipts", str(offline_world / "r.json"))[0] in (
        1,
        4,
    )
    return call


@pytest.mark.parametrize(
    ("bibliography", "code", "told"),
    [
        (_bib(), 0, "1 with a valid receipt"),
        (_bib(doi="https://doi.org/10.18653/V1/n19-1423"), 0, "1 with a valid receipt"),
        (_bib(title="Quite another title"), 1, "another title or author"),
        (_bib(author="Lovelace, Ada"), 1, "another title or author"),
        (_bib(doi="10.1234/no"), 1, "no receipt is about it"),
        (_bib() + _bib(doi="10.1234/no").replace("{k,", "{j,"), 1, "2 references: 1 with a valid receipt"),
    ],
)
def test_the_guard(bibliography, code, told, run, offline_world):
    (offline_world / "a.bib").write_text(bibliography)
    found = run("guard", str(offline_world / "a.bib"), "--receipts", str(offline_world / "r.json"))
    assert found[0] == code
    assert told in found[1]


def test_only_verified_citations_have_receipts(run, offline_world):
    (one,) = json.loads((offline_world / "r.json").read_text())["receipts"]
    assert ["doi", DOI.lower()] in one["statement"]["ids"]


@pytest.mark.parametrize(
    ("old", "new"),
    [('"titles":["', '"titles":["X'), (DOI.lower(), "10.1/x"), ("citeproof/receipts/1\\n", "x\\n")],
)
def test_a_changed_receipt_is_refused(old, new, run, offline_world):
    path = offline_world / "r.json"
    text = path.read_text()
    changed = text.replace(old, new)
    assert changed != text
    path.write_text(changed)
    with pytest.raises(UsageError):
        read_receipts(path, load())


def test_receipts_of_another_key_need_it(run, offline_world):
    path = offline_world / "r.json"
    other = SignerKey.generate("example.org/other").verifier.text
    with pytest.raises(UsageError, match="cannot be trusted"):
        read_receipts(path, load(), [other])
    assert read_receipts(path, load(), [json.loads(path.read_text())["key"]])


@pytest.mark.parametrize("data", ["", "{}", "[1]", '{"schema":"citeproof/receipts/1","receipts":7}'])
def test_what_is_no_file_of_receipts_is_refused(data, offline_world):
    (offline_world / "r.json").write_text(data)
    with pytest.raises(UsageError):
        read_receipts(offline_world / "r.json", load())


def test_an_old_receipt_does_not_count(run, offline_world):
    statements = read_receipts(offline_world / "r.json", load())
    claimed = Claimed(title=TITLE, authors=(Name("Devlin"),), ids=Ids((("doi", DOI.lower()),)))
    reference = parse(RawReference("k", TITLE, Place(), Kind.ARTICLE, claimed=claimed))
    (one,) = guard_references([reference], statements, date(2999, 1, 1))
    assert one.state is ReceiptState.EXPIRED
    (one,) = guard_references([reference], statements, None)
    assert one.state is ReceiptState.VALID
