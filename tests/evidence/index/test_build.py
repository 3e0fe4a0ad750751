"""Building: same input, same id; bad records with their place; nothing half-written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import InputError, SnapshotError
from citeproof.evidence.index.build import BuildInput, BuildProgress, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.snapshot import Snapshot
from tests.evidence.index.conftest import WORKS, write_works


def built(tmp_path: Path, name: str, source: Path, **more):
    return build([BuildInput("works", (source,))], tmp_path / name, **more)


def test_same_input_same_id(tmp_path):
    source = write_works(tmp_path / "a.jsonl")
    renamed = write_works(tmp_path / "renamed.jsonl")
    one, two, three = (built(tmp_path, n, s) for n, s in (("1", source), ("2", source), ("3", renamed)))
    assert one.id == two.id == three.id
    assert one.id.startswith("cps1-")
    ours = {name: fact for name, fact in one.files.items() if not name.startswith("text/")}
    assert ours == {name: fact for name, fact in two.files.items() if not name.startswith("text/")}


@pytest.mark.parametrize(
    "change",
    [
        lambda works: works[:-1],
        lambda works: [works[1], works[0], *works[2:]],
        lambda works: [{**works[0], "p": [[2018, "NIPS"]]}, *works[1:]],
    ],
    ids=["a record less", "another order", "another year"],
)
def test_other_input_other_id(tmp_path, change):
    one = built(tmp_path, "1", write_works(tmp_path / "a.jsonl"))
    two = built(tmp_path, "2", write_works(tmp_path / "b.jsonl", change(list(WORKS))))
    assert one.id != two.id


def test_other_claims_other_id(tmp_path):
    source = write_works(tmp_path / "a.jsonl")
    one, two = built(tmp_path, "1", source), built(tmp_path, "2", source, covers=[parse_claim("all")])
    assert one.id != two.id
    assert two.covers == ("all",)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
def test_packed_input(tmp_path, suffix):
    plain = write_works(tmp_path / "plain").read_bytes()
    packers = {".jsonl": bytes, ".jsonl.gz": gzip.compress, ".jsonl.zst": zstandard.ZstdCompressor().compress}
    source = tmp_path / f"works{suffix}"
    source.write_bytes(packers[suffix](plain))
    assert built(tmp_path, "out", source).records == len(WORKS)


BAD_LINES = [
    (b"{", "not a work"),
    (b"[]", "not a work"),
    (b'{"a": ["X"]}', "not a work"),
    (b'{"t": 5}', "not a work"),
    (b'{"t": "  ... "}', "no letters"),
    (b'{"t": "\xff\xfe"}', "not a work"),
    (b'{"t": "half \\ud800 a character"}', "not"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_bad_record_is_reported_and_costs_no_other(tmp_path, line, message):
    good = json.dumps(WORKS[0]).encode()
    source = tmp_path / "works.jsonl"
    source.write_bytes(good + b"\n\n" + line + b"\n" + good + b"\n")
    made = built(tmp_path, "out", source)
    assert (made.records, made.bad) == (2, 1)
    assert message in made.bad_records[0].message
    assert made.bad_records[0].place.endswith("works.jsonl:3") or "Unicode" in made.bad_records[0].message


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\x01\x02", b"not json\n", b"{}\n" * 3])
def test_no_record_at_all(tmp_path, content):
    (tmp_path / "works.jsonl").write_bytes(content)
    with pytest.raises(InputError, match="hint: check that the files"):
        built(tmp_path, "out", tmp_path / "works.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["works.jsonl"]


def test_missing_input(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        built(tmp_path, "out", tmp_path / "nowhere.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_input_leaves_nothing(tmp_path, suffix):
    source = tmp_path / f"works.jsonl{suffix}"
    source.write_bytes(b"this is not packed")
    with pytest.raises(InputError, match="is damaged"):
        built(tmp_path, "out", source)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


def test_a_snapshot_is_never_overwritten(tmp_path):
    source = write_works(tmp_path / "a.jsonl")
    built(tmp_path, "out", source)
    with pytest.raises(SnapshotError, match="never overwritten"):
        built(tmp_path, "out", source)
    assert check_snapshot(tmp_path / "out") == ()


def test_an_empty_folder_may_become_a_snapshot(tmp_path):
    (tmp_path / "out").mkdir()
    assert built(tmp_path, "out", write_works(tmp_path / "a.jsonl")).records == len(WORKS)


def test_progress_and_the_leftover_of_a_killed_build(tmp_path):
    leftover = tmp_path / "out.building"
    (leftover / "snapshot").mkdir(parents=True)
    (leftover / "spool").write_bytes(b"half")
    told: list[BuildProgress] = []
    built(tmp_path, "out", write_works(tmp_path / "a.jsonl"), progress=told.append)
    assert not leftover.exists()
    assert "removed out.building, left by a build that was stopped" in told[0].note
    assert list(dict.fromkeys(p.step for p in told)) == [
        "read", "text", "store", "keys", "links", "facts", "seal",
    ]  # fmt: skip


def test_an_error_before_anything_was_stored_leaves_nothing(tmp_path):
    def fail(progress: BuildProgress) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        built(tmp_path, "out", write_works(tmp_path / "a.jsonl"), progress=fail)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_several_inputs_and_what_the_manifest_says(tmp_path):
    (tmp_path / "b.bib").write_text(
        "@article{k, title={On Growth and Form}, author={Thompson, D'Arcy}, year=1917}"
    )
    inputs = [
        BuildInput("works", (write_works(tmp_path / "a.jsonl"),), licence="CC0", read_at="2024-05-01"),
        BuildInput("bibtex", (tmp_path / "b.bib",)),
    ]
    made = build(inputs, tmp_path / "out", name="both")
    assert [(s.reader, s.records, s.licence) for s in made.sources] == [
        ("works", 13, "CC0"),
        ("bibtex", 1, ""),
    ]
    assert [source.covers[:12] for source in made.sources] == ["only the wor", "the entries "]
    assert made.works == made.records - 1  # two versions of one paper
    assert made.bytes == sum(fact.bytes for fact in made.files.values())
    with Snapshot.open(tmp_path / "out") as snapshot:
        assert snapshot.manifest == made
        assert snapshot.by_title("On Growth and Form")[0].id == "bibtex:k"
        assert [snapshot.record_at(at).read_at for at in (0, 12, 13)] == ["2024-05-01", "2024-05-01", None]


def test_a_larger_build_uses_dictionary_and_batches(tmp_path):
    """More records than a batch, so that partitions, dictionary and links span batches."""
    works = [
        {
            "t": f"{word} methods for problem number {n} in {word}",
            "a": [f"Ann Author{n}", "Bo Other"],
            "p": [[2000, "J"]],
        }
        for n in range(2500)
        for word in ("spectral", "variational", "stochastic", "algebraic")
    ]
    built(tmp_path, "out", write_works(tmp_path / "a.jsonl", [*works, works[17]]))
    with Snapshot.open(tmp_path / "out") as snapshot:
        assert (tmp_path / "out" / "records.dict").stat().st_size > 0
        assert snapshot.manifest.works == len(works)
        for n in range(0, len(works), 997):
            assert snapshot.by_title(works[n]["t"])[0].id == f"works:{n + 1}"
        assert [r.id for r in snapshot.same_work(snapshot.record_at(17))] == [f"works:{len(works) + 1}"]
