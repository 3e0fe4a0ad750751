"""Bibliographies => whether one group of authors wrote more than 40 % of them, and of which kind it is."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from citeproof.judgement.checks.cohort_concentrated import PeopleIndex, find_concentration
from citeproof.judgement.checks.evidence.set_evidence import SetMember
from citeproof.text import names
from citeproof.vocabulary import Claimed, FindingLevel, Kind, Record, Reference
from tests.judgement.checks.set_members import make_evidence, make_member

OTHERS = (
    (  # they share nobody
        "Ada Aalto, Ben Bakke, Cleo Conti, Dirk Draxl, Elsa Eklund, Finn Fabre, Gita Grieg, Hans Hjelm, "
        "Ines Ibsen, Jens Jokela, Kaia Krogh, Lars Lunde, Mona Moreau, Nils Nyborg, Olga Opsahl, Piet "
        "Prydz, Runa Quam, Sven Rustad, Tara Skaar, Udo Tveit "
    )
    .strip()
    .split(", ")
)
RING = ["Maria Ostrowska", "Pavel Dvorsky", "Ingrid Solheim", "Tomas Bergqvist", "Lena Hakkinen"]


def make_ring(*, seed=1):
    """Return author lists of a ring: each two of its five people once, now and then with a third."""
    chance = random.Random(seed)
    pairs = [chance.sample(pair, 2) for pair in combinations(RING, 2)]
    chance.shuffle(pairs)
    return [[*pair, OTHERS[10 + n]] if n % 3 == 0 else pair for n, pair in enumerate(pairs)]


def find(authors, own=()):
    members = [make_member(f"k{n}", authors=people) for n, people in enumerate(authors)]
    return list(find_concentration(make_evidence(*members, authors=own)))


@pytest.mark.parametrize("seed", range(8))
def test_a_ring_is_found_and_shown(seed):
    ring = make_ring(seed=seed)
    (found,) = find([*([name] for name in OTHERS[:10]), *ring], own=["Ada Aalto"])
    assert (found.finding.kind, found.finding.level) == ("author_group", FindingLevel.WARNING)
    assert found.finding.detail == "10 of 20 references (50 %) are by 5 people who write with each other"
    assert set(found.keys) == {f"k{n}" for n in range(10, 20)}
    shown = "\n".join(found.finding.evidence)
    assert all(name in shown for name in RING)
    assert "authors of the document: Ada Aalto; they wrote 0 of these references" in shown


def test_a_survey_of_ones_own_work_is_self_citation():
    own = [["Maria Ostrowska", other] for other in OTHERS[:9]]
    (found,) = find([*own, *([name] for name in OTHERS[9:20])], own=["M. Ostrowska"])
    assert (found.finding.kind, found.finding.level) == ("self_citation", FindingLevel.NOTE)
    assert found.finding.detail.startswith("9 of 20 references (45 %) are by the document's authors")


def test_without_the_documents_authors_nobody_says_self_citation():
    own = [["Maria Ostrowska", other] for other in OTHERS[:9]]
    (found,) = find([*own, *([name] for name in OTHERS[9:20])])
    assert (found.finding.kind, found.finding.level) == ("one_author", FindingLevel.NOTE)
    assert "self-citation cannot be told apart" in found.finding.evidence[-1]
    (known,) = find([*own, *([name] for name in OTHERS[9:20])], own=["Somebody Else"])
    assert known.finding.level is FindingLevel.WARNING


@pytest.mark.parametrize(
    ("saved_by", "kind", "last"),
    [
        (
            "Maria Ostrowska",
            "self_citation",
            "author in the properties of the file: Maria Ostrowska; ",
        ),
        ("Somebody Else", "one_author", "authors of the document: not known"),
    ],
)
def test_the_properties_of_a_file_may_tell_self_citation_and_accuse_nobody(saved_by, kind, last):
    lists = [*(["Maria Ostrowska", other] for other in OTHERS[:9]), *([name] for name in OTHERS[9:20])]
    members = [make_member(f"k{n}", authors=people) for n, people in enumerate(lists)]
    evidence = make_evidence(*members, saved_by=(names.parse(saved_by),))
    (found,) = find_concentration(evidence)
    assert (found.finding.kind, found.finding.level) == (kind, FindingLevel.NOTE)
    assert found.finding.evidence[-1].startswith(last)


@pytest.mark.parametrize(
    ("ring", "total", "found"),
    [(8, 20, False), (9, 20, True), (4, 9, False), (4, 10, False), (5, 10, True), (5, 11, True),
     (6, 9, False), (7, 9, True), (6, 8, False), (4, 5, True), (3, 5, False), (5, 5, True), (4, 4, True),
     (3, 4, False), (3, 3, True), (2, 2, False)],
)  # fmt: skip
def test_the_line_is_above_forty_percent_and_higher_for_few_references(ring, total, found):
    one = [["Maria Ostrowska", OTHERS[n]] for n in range(ring)]
    rest = [[f"Person{n} Family{chr(97 + n)}"] for n in range(total - ring)]
    assert bool(find([*one, *rest])) is found


@pytest.mark.parametrize(
    ("forms", "linked"),
    [
        (["Maria Ostrowska", "M. Ostrowska", "Ostrowska, Maria K.", "OSTROWSKA M K"], True),
        (["Lei Wang", "Lin Wang", "Long Wang", "Li Wang"], False),  # four people
        (["L. Wang"], None),  # may be anybody
        (["Lei Wang"], True),
        (["J. Smith"], None),
        (["J. A. Smith", "J. B. Smith"], False),
        (["Jonathan Smith", "Smith, Jonathan"], True),
        (["王伟"], True),
        (["Ostrowska"], False),  # without a given name
        (["Maria Ostrowska", "Marek Ostrowska"], False),
        (["M. A. Ostrowska", "M. B. Ostrowska"], False),
    ],
)
def test_names_are_linked_with_care(forms, linked):
    one = [[forms[n % len(forms)]] for n in range(8)]
    found = [each.finding for each in find([*one, *([name] for name in OTHERS[:8])], own=["Somebody Else"])]
    sure = [each for each in found if each.kind != "common_name"]
    assert (bool(sure), bool(found)) == (bool(linked), linked is not False)


def test_a_pair_behind_all_of_five_references_is_reported():
    (found,) = find([["Maria Ostrowska", "Pavel Dvorsky"]] * 5, own=["Somebody Else"])
    assert found.finding.detail == "5 of 5 references (100 %) are by 2 people who write with each other"
    assert found.finding.level is FindingLevel.NOTE  # so few may be one series
    assert len(found.keys) == 5


@pytest.mark.parametrize("total", [3, 4, 5, 9])
def test_one_author_set_behind_all_references_is_reported_however_large_it_is(total):
    (found,) = find([OTHERS[:6]] * total)
    assert found.finding.detail == (
        f"{total} of {total} references (100 %) are by 6 people who write with each other"
    )


def test_a_field_in_which_nobody_leads_is_no_group():
    lists = [[OTHERS[n], OTHERS[(n + 1) % 8], OTHERS[(n + 2) % 8]] for n in range(8)]
    assert find(lists) == []


def test_a_common_name_is_reported_as_one_that_several_people_may_have():
    lists = [*(["L. Wang", "J. Kim", other] for other in OTHERS[:9]), *([name] for name in OTHERS[9:20])]
    (found,) = find(lists, own=["Somebody Else"])
    assert (found.finding.kind, found.finding.level) == ("common_name", FindingLevel.NOTE)
    assert found.finding.detail == (
        "9 of 20 references (45 %) have one common name among their authors; "
        "these may be several people of that name"
    )
    assert found.finding.evidence[0] in ("L. Wang: 9 references", "J. Kim: 9 references")


@pytest.mark.parametrize(
    ("orcids", "linked"),
    [(["0000-0002-1825-0097"] * 8, True), ([f"0000-000{n}" for n in range(8)], False)],
)
def test_an_orcid_tells_common_names_apart(orcids, linked):
    one = [make_member(f"w{n}", authors=["L. Wang"], orcids=((0, orcids[n]),)) for n in range(8)]
    rest = [make_member(f"k{n}", authors=[name]) for n, name in enumerate(OTHERS[:8])]
    assert bool(list(find_concentration(make_evidence(*one, *rest)))) is linked


def test_a_bare_name_is_the_one_orcid_that_has_it():
    index = PeopleIndex(
        [(names.parse("Lei Wang"), "A"), (names.parse("Lei Zhao"), "B"), (names.parse("Lei Zhao"), "C")]
    )
    assert index.find_person(names.parse("Lei Wang")) == ("", "A", "")
    assert index.find_person(names.parse("Lei Zhao")) == ("zhao", "lei", "")


def test_large_collaborations_link_nobody():
    atlas = [f"G{n} Aad{chr(97 + n)}" for n in range(25)]
    assert find([*([atlas] * 10), *([name] for name in OTHERS[:8])]) == []
    signed = [make_member(f"a{n}", authors=["Georges Aad"], collaboration=True) for n in range(10)]
    rest = [make_member(f"k{n}", authors=[name]) for n, name in enumerate(OTHERS[:8])]
    assert list(find_concentration(make_evidence(*signed, *rest))) == []


def test_a_chain_of_coauthors_is_a_field_not_a_group():
    """Twelve references, each linked with the next by other people: nearly as many people as references."""
    chain = [[OTHERS[n], OTHERS[(n + 1) % 12], OTHERS[(n + 2) % 12]] for n in range(12)]
    assert find([*chain, *([f"Pat Famil{chr(97 + n)}"] for n in range(8))]) == []


def test_the_order_of_references_does_not_matter():
    authors = [*([name] for name in OTHERS[:10]), *make_ring()]
    (one,) = find(authors)
    (other,) = find(list(reversed(authors)))
    assert one.finding == other.finding


def test_orcids_come_from_what_a_record_states():
    authors = tuple(map(names.parse, ("Lei Wang", "Lin Wang", "Ann Other")))
    marks = ("retracted", "orcid:0000-0002-1825-0097 Lei Wang", "orcid:0000-0001 Somebody Else")
    record = Record("crossref", "r", ("T",), authors, marks=marks)
    reference = Reference("k", "", Kind.ARTICLE, Claimed(title="T"))
    assert SetMember.describe(reference, record).orcids == ((0, "0000-0002-1825-0097"),)
