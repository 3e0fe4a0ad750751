"""Snapshots that keep abstracts: what goes in comes out by record, and nobody else pays for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build import BuildInput, BuildProgress, build
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing.apis import arxiv, crossref, datacite, openalex
from citeproof.surfaces.cli.main import cli
from citeproof.vocabulary import Ids, Record
from tests.evidence.index.dumps import jsonl, varied

TEXT = "We measured {n} cells and found that residual learning doubles the accuracy of deep networks."


def _tell(n: int) -> str:
    return TEXT.format(n=n) if n % 3 else ""


def _invert(text: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for at, word in enumerate(text.split()):
        index.setdefault(word, []).append(at)
    return index


def _crossref_line(n: int, one: Record) -> object:
    return crossref.build_crossref_item(one) | {"abstract": f"<jats:p>{_tell(n)}</jats:p>"}


def _openalex_line(n: int, one: Record) -> object:
    return openalex.build_openalex_work(one) | {"abstract_inverted_index": _invert(_tell(n)) or None}


def _datacite_line(n: int, one: Record) -> object:
    item = datacite.build_datacite_item(one, one.ids.first("doi") or "")
    told = [{"description": _tell(n), "descriptionType": "Abstract"}]
    item["attributes"]["descriptions"] = told  # type: ignore[index]
    return item


def _arxiv_line(n: int, one: Record) -> object:
    return json.loads(json.dumps(arxiv.build_dump_line(one))) | {"abstract": f"  {_tell(n)}\n"}


LINES: dict[str, Callable[[int, Record], object]] = {
    "crossref": _crossref_line, "openalex": _openalex_line, "datacite": _datacite_line, "arxiv": _arxiv_line,
}  # fmt: skip


def write_dump(folder: Path, reader: str, count: int) -> Path:
    path = folder / f"{reader}.json"
    records = varied(count)
    if reader == "arxiv":
        numbered = zip(range(1, count + 1), records, strict=True)
        records = [
            Record("", "", one.titles, one.authors, ids=Ids((("arxiv", f"2101.{n:05}"),)))
            for n, one in numbered
        ]
    path.write_bytes(jsonl(LINES[reader](n, one) for n, one in enumerate(records)))
    return path


@pytest.mark.parametrize("reader", LINES)
def test_every_abstract_is_found_by_its_record(reader, tmp_path):
    made = build([BuildInput(reader, (write_dump(tmp_path, reader, 20),))], tmp_path / "s", abstracts=True)
    assert (made.records, made.abstracts) == (20, 13)
    with Snapshot.open(tmp_path / "s") as snapshot:
        found = [snapshot.find_abstract(snapshot.record_at(n)) for n in range(20)]
    assert found == [_tell(n) or None for n in range(20)]


def test_pubmed_keeps_the_labels_and_the_powers(tmp_path):
    (tmp_path / "p.xml").write_text(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>77</PMID><Article><ArticleTitle>On cells"
        "</ArticleTitle><Abstract><AbstractText Label='METHODS'>We used 10<sup>6</sup> <i>E. coli</i> cells."
        "</AbstractText><AbstractText Label='RESULTS'>p &lt; 0.05 in H<sub>2</sub>O.</AbstractText>"
        "</Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    build([BuildInput("medline", (tmp_path / "p.xml",))], tmp_path / "s", abstracts=True)
    with Snapshot.open(tmp_path / "s") as snapshot:
        found = snapshot.find_abstract(snapshot.record_at(0))
    assert found == "METHODS: We used 10^6 E. coli cells.\nRESULTS: p < 0.05 in H2O."


@pytest.mark.parametrize("reader", LINES)
def test_reading_abstracts_gives_the_same_records(reader, tmp_path):
    paths = (write_dump(tmp_path, reader, 9),)
    one = find_reader(reader)
    plain = [item for item in one.read(paths) if not isinstance(item, BadRecord)]
    with_them = [item.record for item in one.read_abstracts(paths) if not isinstance(item, BadRecord)]  # type: ignore[attr-defined]
    assert plain == with_them
    assert len(plain) == 9


def test_an_abstract_is_found_for_the_record_of_another_source(tmp_path):
    build([BuildInput("crossref", (write_dump(tmp_path, "crossref", 6),))], tmp_path / "s", abstracts=True)
    asked = Record("openalex", "W1", ("Another spelling",), ids=Ids((("doi", "10.1101/x.1"),)))
    stranger = Record("openalex", "W2", varied(2)[1].titles, ids=Ids((("doi", "10.9999/other"),)))
    with Snapshot.open(tmp_path / "s") as snapshot:
        assert snapshot.find_abstract(asked) == _tell(1)
        assert snapshot.find_abstract(stranger) is None  # an equal title alone is not the same work


def test_a_preprint_lends_its_abstract_to_the_article(tmp_path):
    record = varied(1)[0]
    preprint = Record("", "", record.titles, record.authors, ids=Ids((("arxiv", "2101.00001"),)))
    (tmp_path / "c.json").write_bytes(jsonl([crossref.build_crossref_item(record)]))
    (tmp_path / "a.json").write_bytes(jsonl([_arxiv_line(1, preprint)]))
    inputs = [BuildInput("crossref", (tmp_path / "c.json",)), BuildInput("arxiv", (tmp_path / "a.json",))]
    build(inputs, tmp_path / "s", abstracts=True)
    with Snapshot.open(tmp_path / "s") as snapshot:
        assert snapshot.find_abstract(snapshot.record_at(0)) == _tell(1)


def test_abstracts_are_part_of_the_identity_and_only_where_asked(tmp_path):
    inputs = [BuildInput("crossref", (write_dump(tmp_path, "crossref", 20),))]
    plain, kept = build(inputs, tmp_path / "plain"), build(inputs, tmp_path / "kept", abstracts=True)
    again = build(inputs, tmp_path / "again", abstracts=True)
    assert plain.id != kept.id == again.id
    assert plain.abstracts is None
    assert not [name for name in plain.files if name.startswith("abstracts")]
    assert sorted(n for n in kept.files if n.startswith("a")) == [
        f"abstracts.{e}" for e in ("dict", "idx", "zst")
    ]
    with Snapshot.open(tmp_path / "plain") as snapshot:
        assert snapshot.find_abstract(snapshot.record_at(1)) is None


def test_a_manifest_of_before_is_still_read(tmp_path):
    build([BuildInput("crossref", (write_dump(tmp_path, "crossref", 3),))], tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    old = json.loads(path.read_text())
    del old["abstracts"]
    path.write_text(json.dumps(old))
    with Snapshot.open(tmp_path / "s") as snapshot:
        assert snapshot.manifest.abstracts is None


class StopError(Exception):
    """Ends a build like a crash would."""


@pytest.mark.slow
@pytest.mark.parametrize(("step", "records"), [("read", 4096), ("abstracts", 0), ("keys", 0)])
def test_a_stopped_build_goes_on_with_its_abstracts(step, records, tmp_path):
    inputs = [BuildInput("crossref", (write_dump(tmp_path, "crossref", 4200),))]

    def stop(progress: BuildProgress) -> None:
        if progress.step == step and progress.records >= records:
            raise StopError

    with pytest.raises(StopError):
        build(inputs, tmp_path / "s", progress=stop, every=900, abstracts=True)
    told: list[BuildProgress] = []
    made = build(inputs, tmp_path / "s", progress=told.append, every=900, abstracts=True)
    whole = build(inputs, tmp_path / "whole", abstracts=True)
    assert "going on after" in told[0].note
    assert (made.id, made.abstracts) == (whole.id, whole.abstracts)
    assert {n: f for n, f in made.files.items() if n[0] == "a"} == {
        n: f for n, f in whole.files.items() if n[0] == "a"
    }


@pytest.mark.slow
def test_a_build_without_abstracts_does_not_go_on_from_one_with_them(tmp_path):
    inputs = [BuildInput("crossref", (write_dump(tmp_path, "crossref", 4200),))]

    def stop(progress: BuildProgress) -> None:
        if progress.step == "keys":
            raise StopError

    with pytest.raises(StopError):
        build(inputs, tmp_path / "s", progress=stop, every=900, abstracts=True)
    assert build(inputs, tmp_path / "s").abstracts is None
    assert check_snapshot(tmp_path / "s") == ()


def test_damage_is_told(tmp_path):
    build([BuildInput("crossref", (write_dump(tmp_path, "crossref", 40),))], tmp_path / "s", abstracts=True)
    path = tmp_path / "s" / "abstracts.zst"
    path.write_bytes(path.read_bytes()[:-30] + b"\0" * 30)
    assert [one.file for one in check_snapshot(tmp_path / "s")] == ["abstracts.zst"]
    with Snapshot.open(tmp_path / "s") as snapshot, pytest.raises(SnapshotError, match="cannot be read"):
        snapshot.find_abstract(snapshot.record_at(38))


def test_the_command_says_how_many(tmp_path):
    path = write_dump(tmp_path, "crossref", 20)
    run = CliRunner()
    args = [
        "index",
        "build",
        "--from",
        "crossref",
        str(path),
        "--out",
        str(tmp_path / "s"),
        "--with-abstracts",
        "--quiet",
    ]
    built = run.invoke(cli, args)
    assert "13 of the records have an abstract" in built.stderr
    shown = run.invoke(cli, ["index", "info", str(tmp_path / "s")])
    assert "abstract 13 of the records have one" in shown.stdout
