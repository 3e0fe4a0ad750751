"""Self-tests: which references are spoiled, with what truth, and what is counted as caught."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from bench.selftest import selftest_report
from bench.selftest.mutations import WAYS, MutationWorld, build_mutation_pool
from bench.selftest.selftest_subjects import (
    SelftestSubject,
    choose_form,
    copy_claimed_fields,
    merge_known_records,
    select_subjects,
)
from bench.selftest.selftest_tally import (
    Mutant,
    MutantSet,
    make_control,
    make_mutants,
    tally_selftest,
)

from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, SystemAnswer
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.makers.edits import TrueCitation
from citeproof.laboratory.measure.makers.record_pool import gather_records
from citeproof.vocabulary import (
    Checked,
    Claimed,
    Compared,
    FieldOrigin,
    Ids,
    Judgement,
    Kind,
    Label,
    Origin,
    Reference,
    Retrieval,
    Verdict,
    Version,
)
from tests.bench.test_mutations import works
from tests.evidence.sources.shelved import RESNET

CLAIMED = Claimed(
    title=RESNET.title, authors=RESNET.authors, year=2016, venue="CVPR", pages="770--778", series="CVF",
    ids=Ids((("doi", "10.1109/cvpr.2016.90"),)),
)  # fmt: skip
REFERENCE = Reference("he2016", "@inproceedings{…}", Kind.ARTICLE, CLAIMED)
TITLED = FieldOrigin("title", Origin.MODEL, 0.9)


def checked(label=Label.EXACT, verdict=Verdict.MATCHED, reference=REFERENCE, others=()):
    matched = Compared(RESNET, (), ("doi",), ("x",))
    compared = (matched, *(Compared(other, (), ("title",), ("x",)) for other in others))
    judgement = Judgement(verdict, label, 9.0, 0.9, None, (), "", matched)
    return Checked(reference, Retrieval(()), compared, judgement)


def named(title):
    return replace(REFERENCE, claimed=replace(CLAIMED, title=title))


@pytest.mark.parametrize(
    ("many", "keys"),
    [
        ([checked()], 1),
        ([checked(Label.MINOR), checked(None, Verdict.UNCHECKED)], 0),
        ([checked(verdict=Verdict.AMBIGUOUS)], 0),
        ([checked(), checked()], 1),  # a work that is cited twice is spoiled once
        ([checked(reference=named(None))], 0),
        ([checked(), checked(reference=named("Another Title of a Work"))], 2),
    ],
)
def test_which_references_are_spoiled(many, keys):
    assert len(select_subjects(many, lambda _: ())) == keys


def test_all_versions_of_the_work_are_known_and_no_other_work():
    journal = replace(RESNET, versions=(Version(2018, "TPAMI", Kind.ARTICLE),), ids=Ids((("pmid", "1"),)))
    other = replace(RESNET, titles=("Mask R-CNN",), versions=(Version(2017, "ICCV"),))
    linked = replace(other, work="w", versions=(Version(2020, "IJCV"),))
    found = merge_known_records(
        replace(RESNET, work="w"), checked(others=[other]), lambda _: [journal, linked]
    )
    assert {version.venue for version in found.versions} >= {"TPAMI", "arXiv", "IJCV"}
    assert "ICCV" not in {version.venue for version in found.versions}
    assert ("pmid", "1") in found.ids.pairs


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        (CLAIMED, "bibtex"),
        (replace(CLAIMED, origins=(TITLED,)), "text"),
        (replace(CLAIMED, origins=(replace(TITLED, origin=Origin.STRUCTURED),)), "bibtex"),
        (replace(CLAIMED, origins=(TITLED,), et_al=True), "bibtex"),
    ],
)
def test_the_form_of_copies(claimed, expected):
    assert choose_form(replace(REFERENCE, claimed=claimed)) == expected


def subject(form="bibtex"):
    return SelftestSubject(
        "he2016", "a.bib", REFERENCE, TrueCitation(copy_claimed_fields(REFERENCE), RESNET), form
    )


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        (
            "bibtex",
            ["@inproceedings{he2016,", "booktitle = {CVPR}", "770--778", "series = {CVF}", "cvpr.2016.90"],
        ),
        ("text", ["He, K., Zhang, X., Ren, S., & Sun, J. (2016).", "In Conference on Computer Vision"]),
    ],
)
def test_a_plain_copy_says_what_the_reference_says(form, parts):
    question = make_control(subject(form), 0)
    assert question.form == form
    assert [part for part in parts if part not in question.text] == []


def test_a_series_goes_with_the_venue_it_tells():
    one = subject()
    moved = one.print_reference(replace(one.truth.cited, venue="Nature"))
    assert "series" in one.print_reference(replace(one.truth.cited, year=2001))
    assert "series" not in moved


def test_mutants_are_the_same_for_one_seed_and_bounded():
    pool = build_mutation_pool(gather_records(works(), lambda _: True), MutationWorld(2026))
    own = [
        SelftestSubject(
            r.id, "", REFERENCE, TrueCitation(replace(copy_claimed_fields(REFERENCE), work=r.id), r), "bibtex"
        )
        for r in works()
    ]
    one, same, other = (make_mutants(own, pool, seed=seed, most=2) for seed in (1, 1, 2))
    assert one == same
    assert one.mutants != other.mutants
    counts = Counter(mutant.way.name for mutant in one.mutants)
    assert max(counts.values()) == 2
    assert len({mutant.question.key for mutant in one.mutants}) == len(one.mutants)
    plain = {make_control(each, 0).text for each in own}
    assert not [mutant for mutant in one.mutants if mutant.question.text in plain]


def mutant(way, at, reference):
    edit = BenchmarkEdit(kind=way.name, field="venue", before="CVPR", after="A\nBad\x1b[31m Venue")
    return Mutant(
        way, subject(), (edit,), BenchmarkQuestion(f"{way.name}/{at}", "bibtex", "x", str(reference))
    )


def counted(*answers):
    """Return the tally of mutants of the first way, one of each reference; an answer None is unchecked."""
    made = MutantSet([mutant(WAYS[0], at, at) for at in range(len(answers))], Counter({WAYS[1].name: 3}))
    said = {
        one.question.key: SystemAnswer(key=one.question.key, flagged=flagged, verdict="v", reasons=("why",))
        for one, flagged in zip(made.mutants, answers, strict=True)
    }
    return tally_selftest((9, 8, 7), made, said, seed=1, draws=200)


@pytest.mark.parametrize(
    ("answers", "recall", "missed", "unchecked"),
    [
        ((True, True), 1.0, 0, 0),
        ((True, False), 0.5, 1, 0),
        ((True, None, None, True), 0.5, 0, 2),
        ((False, None), 0.0, 1, 1),
    ],
)
def test_what_could_not_be_checked_was_not_caught(answers, recall, missed, unchecked):
    found = counted(*answers)
    for share in (found.ways[0], found.tiers[0], found.overall):
        assert (share.recall, share.missed, share.unchecked) == (recall, missed, unchecked)
        assert share.interval[0] <= recall <= share.interval[1]
        assert share.interval[0] < share.interval[1]  # nothing is ever certain
    assert (len(found.missed), len(found.unchecked)) == (missed, unchecked)
    assert found.ways[1].impossible == 3
    assert math.isnan(found.ways[1].recall)


def test_mutants_of_one_reference_are_no_independent_cases():
    made = MutantSet([mutant(way, 0, 0) for way in WAYS if way.tier == 2])
    said = {m.question.key: SystemAnswer(key=m.question.key, flagged=True) for m in made.mutants}
    found = tally_selftest((1, 1, 1), made, said, seed=1, draws=10)
    assert found.tiers[1].made == 7
    assert found.tiers[1].interval == found.ways[WAYS.index(made.mutants[0].way)].interval


def test_what_is_missed_is_told_with_the_difference_and_disarmed():
    found = counted(True, False, None)
    tables = {
        table.title.split(":")[0].split(" (")[0]: table
        for table in selftest_report.build_selftest_tables(found)
    }
    assert set(tables) == {"Caught by way", "Caught by tier", "Missed", "Could not be checked"}
    assert "“CVPR” → “A Bad" in tables["Missed"].rows[0][2]
    assert not [
        cell for table in tables.values() for row in table.rows for cell in row if not cell.isprintable()
    ]
    assert tables["Could not be checked"].rows[0][2] == "why"
    made = selftest_report.build_selftest_json(found)
    assert made["references"] == 9
    assert made["ways"][WAYS[1].name]["recall"] is None
    assert made["missed"][0]["edits"][0]["before"] == "CVPR"
