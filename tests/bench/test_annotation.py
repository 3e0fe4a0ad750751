"""Labels of two people: read, taken up again, compared; citations out of documents to be labelled."""

from __future__ import annotations

import json
import math

import msgspec
import pytest
from bench.annotate import label_agreement, label_file

from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, BenchmarkItem, write_items

SECRET = BenchmarkEdit(kind="year_shifted", field="year", before="1999", after="2001")


def item(index, label="MINOR", **more):
    return BenchmarkItem(
        index=index, label=label, kind="minor", form="text", original=f"true {index}",
        corrupted=f"citation {index}", description="the year was moved", edits=(SECRET,), collection="c",
        **more,
    )  # fmt: skip


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "items.jsonl"
    write_items(path, [item(n) for n in range(6)])
    return path


@pytest.fixture
def found(tmp_path):
    """A file of citations that nobody has labelled."""
    path = tmp_path / "natural.jsonl"
    rows = [
        label_file.UnlabelledCitation(index=n, form="text", citation=f"citation {n}", collection="a.md")
        for n in range(6)
    ]
    path.write_text(msgspec.json.Encoder().encode_lines(rows).decode(), encoding="utf-8")
    return path


# Cohen's measure by hand: share, chance, kappa
@pytest.mark.parametrize(
    ("table", "share", "kappa"),
    [
        (((20, 5), (10, 15)), 0.7, 0.4),  # chance 0.5
        (((10, 0), (0, 10)), 1.0, 1.0),
        (((5, 5), (5, 5)), 0.5, 0.0),
        (((0, 10), (10, 0)), 0.0, -1.0),
    ],
)
def test_kappa(table, share, kappa):
    assert label_agreement.compute_kappa(table)[:2] == pytest.approx((share, kappa))
    low, high = label_agreement.compute_kappa(table)[2]
    assert -1 <= low <= kappa <= high <= 1
    assert low < high  # few items make nothing certain, also where nobody disagreed


@pytest.mark.parametrize("table", [((7, 0), (0, 0)), ((0, 0), (0, 0))])
def test_kappa_where_it_is_not_defined(table):
    assert math.isnan(label_agreement.compute_kappa(table)[1])


ONE = {"0": "EXACT", "1": "MINOR", "2": "MAJOR", "3": "UNSURE", "4": "EXACT"}
TWO = {"0": "EXACT", "1": "MINOR", "2": "MINOR", "3": "UNSURE"}


def test_only_what_both_say_is_kept(found):
    both = label_agreement.compare_labels(label_file.read_task(found), ONE, TWO)
    assert [(one.index, one.label, one.kind) for one in both.items] == [
        (0, "EXACT", "valid"),
        (1, "MINOR", "natural"),
    ]
    assert [(one.key, one.first, one.second) for one in both.dropped] == [
        ("2", "MAJOR", "MINOR"),
        ("3", "UNSURE", "UNSURE"),
    ]
    assert (both.one_label, both.no_label, both.share) == (1, 1, 0.75)
    told = " ".join(label_agreement.describe_agreement(both))
    assert "4 items labelled by both, 2 kept, 2 dropped" in told
    assert label_agreement.build_agreement_json(both)["kappa"] == pytest.approx(both.kappa, abs=1e-6)


def test_what_people_say_takes_the_place_of_what_was_made(made):
    both = label_agreement.compare_labels(label_file.read_task(made), ONE, TWO)
    changed, same = both.items
    assert (changed.label, changed.kind, changed.edits) == ("EXACT", "relabelled", (SECRET,))
    assert same == item(1)
    assert both.relabelled == 1


def test_merged_items_are_a_benchmark(found, tmp_path):
    both = label_agreement.compare_labels(label_file.read_task(found), ONE, TWO)
    path = tmp_path / "bench.jsonl"
    path.write_text(msgspec.json.Encoder().encode_lines(both.items).decode(), encoding="utf-8")
    assert msgspec.json.Decoder(BenchmarkItem).decode_lines(path.read_bytes()) == list(both.items)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.05, 1), (0.5, 3), (1.0, 6)])
def test_the_audit_is_blind_and_repeatable(share, count):
    items = [item(n, "EXACT" if n % 2 else "MINOR") for n in range(6)]
    sample = label_agreement.draw_audit_sample(items, share, 1)
    assert len(sample) == count
    assert sample == label_agreement.draw_audit_sample(items, share, 1)
    text = msgspec.json.Encoder().encode_lines(sample).decode()
    assert not [word for word in ("EXACT", "MINOR", "label", "true", "1999") if word in text]


def test_annotators_see_nothing_but_the_citation(made):
    shown_text = repr(label_file.read_task(made).questions)
    assert "citation 3" in shown_text
    assert not [word for word in ("EXACT", "MINOR", "true", "year", "1999") if word in shown_text]


def test_each_has_an_order_of_their_own(found):
    wanted = label_file.read_task(found)
    ann, again, bob = (label_file.shuffle_questions(wanted, by, 42) for by in ("ann", "ann", "bob"))
    assert ann == again
    assert ann != bob
    assert sorted(one.key for one in ann) == sorted(one.key for one in bob) == list("012345")


HEAD = label_file.LabelsHead("ann", "natural.jsonl", "00")


def test_labels_are_on_disk_at_once_and_taken_up_again(tmp_path):
    path = tmp_path / "ann.jsonl"
    with label_file.open_labels(path, HEAD) as store:
        store.add("0", "EXACT", "now")
        assert label_file.read_labels(path).given == {"0": "EXACT"}
    with label_file.open_labels(path, HEAD) as store:
        assert store.given == {"0": "EXACT"}
        store.add("0", "MAJOR", "later")
        store.add("1", "UNSURE", "later")
    again = label_file.read_labels(path)
    assert (again.head, again.given) == (HEAD, {"0": "MAJOR", "1": "UNSURE"})


@pytest.mark.parametrize(
    "other",
    [
        label_file.LabelsHead("bob", "natural.jsonl", "00"),
        label_file.LabelsHead("ann", "natural.jsonl", "11"),
    ],
)
def test_labels_of_another_are_not_opened(other, tmp_path):
    path = tmp_path / "ann.jsonl"
    with label_file.open_labels(path, HEAD) as store:
        store.add("0", "EXACT", "now")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="another person"), label_file.open_labels(path, other):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("key,label\na,EXACT\nb,major\n", {"a": "EXACT", "b": "MAJOR"}),
        ('{"index": 3, "label": "MINOR"}\n{"index": 4, "label": "UNSURE"}', {"3": "MINOR", "4": "UNSURE"}),
        ("key,label\na,perhaps\n", "no known label"),
        ('{"citeproof_labels": {"by": 1}}\n{"key": "a", "label": "EXACT"}', "no label header"),
        ('{"key": "0", "label": "EXACT", "verdict": "matched"}\n{"key": "1"}', "answers of citeproof"),
    ],
)
def test_labels_made_elsewhere(text, told, tmp_path):
    path = tmp_path / "labels"
    path.write_text(text, encoding="utf-8")
    if isinstance(told, dict):
        assert label_file.read_labels(path).given == told
        return
    with pytest.raises(InputError, match=told) as raised:
        label_file.read_labels(path)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("name", "fine"), [("ann", True), ("Ann B.", True), ("../x", False), ("", False), ("a/b", False)]
)
def test_names_stand_in_names_of_files(name, fine):
    if fine:
        assert label_file.check_annotator_name(name) == name
    else:
        with pytest.raises(UsageError):
            label_file.check_annotator_name(name)


@pytest.mark.parametrize(
    ("raw", "form", "citation"),
    [
        ("Author, A. (2001).\n  A Title.", "text", "Author, A. (2001). A Title."),
        ("[Author, 2001, A Title](https://arxiv.org/abs/2001.00001)", "link", None),
        ("@misc{k,\n title={A Title}}", "bibtex", None),
    ],
)
def test_references_as_items(tmp_path, raw, form, citation):
    (asked,) = label_file.read_task(extracted(tmp_path, ("a.md", raw))).questions
    assert (asked.key, asked.form, asked.text, asked.group) == ("0", form, citation or raw, "a.md")


def test_items_are_counted_through_and_bounded(tmp_path):
    rows = [("a.md", "One."), ("a.md", "One."), ("a.md", "x" * 6000), ("b.md", "One."), ("b.md", "Two.")]
    asked = label_file.read_task(extracted(tmp_path, *rows)).questions
    assert [(each.key, each.text, each.group) for each in asked] == [
        ("0", "One.", "a.md"), ("3", "One.", "b.md"), ("4", "Two.", "b.md"),
    ]  # fmt: skip


def extracted(tmp_path, *rows):
    """The lines of `citeproof extract --format jsonl`, as far as they matter here."""
    path = tmp_path / "natural.jsonl"
    lines = [json.dumps({"key": "k", "raw": raw, "location": {"file": name}}) for name, raw in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_damaged_file_is_told_with_its_line(tmp_path):
    path = tmp_path / "natural.jsonl"
    good = {"index": 0, "form": "text", "citation": "a", "collection": "c"}
    path.write_text(json.dumps(good) + "\n" + json.dumps(good | {"form": "poem"}), encoding="utf-8")
    with pytest.raises(CiteproofError, match="not a citation to label") as raised:
        label_file.read_task(path)
    assert raised.value.place.endswith(":2")
