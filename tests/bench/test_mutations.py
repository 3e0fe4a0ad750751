"""The 14 ways to spoil a reference: what each one changes, that it is wrong, and when it is not done."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from pathlib import Path

import pytest
from bench.selftest.mutation_pool import is_other_venue
from bench.selftest.mutations import WAYS, MutationWorld, build_mutation_pool

from citeproof.evidence.index.readers.base import find_reader
from citeproof.laboratory.measure.makers.benchmark_items import cite_record
from citeproof.laboratory.measure.makers.edits import TrueCitation
from citeproof.laboratory.measure.makers.record_pool import gather_records
from citeproof.text import title as titles
from citeproof.vocabulary import Kind, Record
from tests.evidence.sources.shelved import RESNET

EXAMPLES = Path(__file__).parents[2] / "examples"
YEAR = 2026
BY_NAME = {way.name: way for way in WAYS}
SEEDS = range(6)
# way: the fields of a citation that it may change
CHANGES = {
    "fabricated_doi": {"ids", "url"},
    "future_date": {"year"},
    "nonexistent_venue": {"venue", "publisher"},
    "placeholder_authors": {"people"},
    "chimeric_title": {"title"},
    "hybrid_fabrication": {"people", "title"},
    "merged_citation": {"people", "year"},
    "partial_author_list": {"people"},
    "preprint_as_published": {"venue", "publisher", "volume", "issue", "pages", "kind"},
    "swapped_authors": {"people"},
    "wrong_venue": {"venue", "publisher"},
    "arxiv_version_mismatch": {"venue", "year", "publisher"},
    "near_miss_title": {"title"},
    "plausible_fabrication": {"title", "people", "ids", "url", "volume", "issue", "pages"},
}
TIERS = {1: 4, 2: 7, 3: 3}


def works() -> list[Record]:
    read = find_reader("bibtex").read([EXAMPLES / "records.bib"])
    found = [one for one in read if isinstance(one, Record) and one.title != RESNET.title]
    return [*found, RESNET]


POOL = gather_records(works(), lambda _: True)


def made(name, record, seed=1, pool=None, world=None):
    pool = build_mutation_pool(pool or POOL, world or MutationWorld(YEAR))
    return BY_NAME[name].spoil_reference(TrueCitation(cite_record(record), record), pool, random.Random(seed))


def every(name):
    """Yield the true citation, the record and the mutant, for all records and some seeds."""
    for record in works():
        for seed in SEEDS:
            found = made(name, record, seed)
            if found is not None:
                yield cite_record(record), record, found


def test_the_ways_are_those_of_hallmark():
    assert set(BY_NAME) == set(CHANGES)
    assert {tier: sum(way.tier == tier for way in WAYS) for tier in TIERS} == TIERS


@pytest.mark.parametrize("name", CHANGES)
def test_only_its_own_fields_change_and_every_change_is_told(name):
    seen = list(every(name))
    assert seen
    for true, _, found in seen:
        changed = {f.name for f in fields(true) if getattr(true, f.name) != getattr(found.cited, f.name)}
        assert changed
        assert changed <= CHANGES[name]
        assert found.edits
        assert all(edit.before != edit.after for edit in found.edits)


def families(names):
    return {name.family.casefold() for name in names}


def no_title(true, record, now):
    return titles.make_title_key(now.title) not in {
        titles.make_title_key(each) for each in (true.title, *record.titles)
    }


def no_venue(true, record, now):
    return all(is_other_venue(now.venue, version.venue) for version in record.versions if version.venue)


def strangers(true, record, now):
    return families(now.people).isdisjoint(families(record.authors))


WRONG = {
    "fabricated_doi": lambda true, record, now: int(now.ids.first("doi")[3:8]) >= 80_000,
    "future_date": lambda true, record, now: now.year > YEAR + 1,
    "nonexistent_venue": lambda true, record, now: now.venue not in {v.venue for v in record.versions},
    "placeholder_authors": strangers,
    "chimeric_title": no_title,
    "hybrid_fabrication": lambda *three: no_title(*three) and strangers(*three),
    "merged_citation": strangers,
    "partial_author_list": lambda true, record, now: (
        len(now.people) < len(record.authors)
        and (now.people[0], now.people[-1]) == (true.people[0], true.people[-1])
    ),
    "preprint_as_published": no_venue,
    "swapped_authors": lambda true, record, now: (
        strangers(true, record, now) and any(now.people == other.authors for other in works())
    ),
    "wrong_venue": no_venue,
    "arxiv_version_mismatch": lambda true, record, now: (
        no_venue(true, record, now) and now.year not in {version.year for version in record.versions}
    ),
    "near_miss_title": no_title,
    "plausible_fabrication": lambda true, record, now: (
        no_title(true, record, now) and strangers(true, record, now) and not now.ids
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_made_is_wrong(name):
    for true, record, found in every(name):
        assert WRONG[name](true, record, found.cited), (true, found)


@pytest.mark.parametrize("name", CHANGES)
def test_the_same_seed_gives_the_same(name):
    record = next(one for one in works() if made(name, one) is not None)
    assert made(name, record, 7) == made(name, record, 7)


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("fabricated_doi", MutationWorld(YEAR, doi_known=lambda _: True)),
        ("nonexistent_venue", MutationWorld(YEAR, works_in=lambda _: 1)),
        *(
            (name, MutationWorld(YEAR, title_known=lambda _: True))
            for name, own in CHANGES.items()
            if "title" in own
        ),
    ],
)
def test_what_exists_is_not_taken_for_wrong(name, world):
    assert not [record for record in works() if made(name, record, world=world)]


NEEDS_OTHERS = (
    "nonexistent_venue", "chimeric_title", "hybrid_fabrication", "merged_citation", "preprint_as_published",
    "swapped_authors", "wrong_venue", "arxiv_version_mismatch", "plausible_fabrication",
)  # fmt: skip


@pytest.mark.parametrize("name", NEEDS_OTHERS)
def test_nothing_is_drawn_where_there_is_nobody_else(name):
    assert made(name, RESNET, pool=gather_records([RESNET], lambda _: True)) is None


def changed(**more):
    return replace(RESNET, **more)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("partial_author_list", changed(authors=RESNET.authors[:2])),
        ("wrong_venue", changed(versions=RESNET.versions[1:])),  # where it was published is not known
        ("nonexistent_venue", changed(versions=RESNET.versions[1:])),
        ("preprint_as_published", changed(versions=RESNET.versions[:1], ids=replace(RESNET.ids, pairs=()))),
        ("wrong_venue", changed(kind=Kind.BOOK, versions=(replace(RESNET.versions[0], kind=Kind.BOOK),))),
        ("swapped_authors", changed(authors=())),
        ("future_date", changed(versions=(replace(RESNET.versions[0], year=None),))),
    ],
)
def test_where_a_way_does_not_apply(name, record):
    assert made(name, record) is None


def test_a_list_that_was_cut_already_is_not_cut_again():
    truth = TrueCitation(replace(cite_record(RESNET), people=RESNET.authors[:3]), RESNET)
    assert (
        BY_NAME["partial_author_list"].spoil_reference(
            truth, build_mutation_pool(POOL, MutationWorld(YEAR)), random.Random(1)
        )
        is None
    )


@pytest.mark.parametrize(
    ("publisher", "left"), [("CVPR", ""), ("CVPR Press", "CVPR Press"), ("IEEE", "IEEE"), ("", "")]
)
def test_a_venue_that_was_read_as_publisher_goes_with_it(publisher, left):
    truth = TrueCitation(replace(cite_record(RESNET), venue="CVPR", publisher=publisher), RESNET)
    found = BY_NAME["wrong_venue"].spoil_reference(
        truth, build_mutation_pool(POOL, MutationWorld(YEAR)), random.Random(1)
    )
    assert found.cited.publisher == left


@pytest.mark.parametrize(
    ("a", "b", "two"),
    [
        ("Nature", "CVPR", True),
        ("Physical Review Letters", "Phys. Rev. Lett.", False),
        ("NAACL", "Proceedings of the North American Chapter of the ACL", False),
        ("ICML", "International Conference on Machine Learning", False),
        (
            "NAACL",
            "2018 Conference of the North American Chapter of the Association for Computational Linguistics",
            False,
        ),
        ("WWW", "The Web Conference", False),
        ("ICML", "ICLR", True),
        ("Journal of Biology", "Journal of Chemistry", True),
        ("The Lancet", "Lancet", False),
    ],
)
def test_venues_that_may_be_one_are_not_taken_for_two(a, b, two):
    assert is_other_venue(a, b) is two
    assert is_other_venue(b, a) is two


def test_venues_are_no_servers_and_no_publishers():
    versions = [
        replace(RESNET.versions[0], venue=v) for v in ("arXiv", "John Wiley", "Nature", "ICML 2019", "x")
    ]
    records = [replace(one, versions=(version,)) for one, version in zip(works(), versions, strict=False)]
    assert build_mutation_pool(gather_records(records, lambda _: True), MutationWorld(YEAR)).venues == [
        "Nature"
    ]
