import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.compare.venue import (
    VenueSeparation,
    are_other_journals,
    compare_meeting,
    compare_venue,
    doubt_unknown_venue,
    soften_preprint_only,
    tell_venues_apart,
)
from citeproof.text.venue_match import find_known_series, is_surely_same, match_venues, parse_venue
from citeproof.vocabulary import Comparison, Kind, Outcome, Reason, SourceFacts, Version

CASES = Path(__file__).parents[2] / "cases" / "venue.csv"
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter=";"))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['cited'][:30]}~{r['known'][:30]}")
def test_the_table_of_venue_names(row):
    found = match_venues(row["cited"], row["known"])
    assert (found.outcome, found.reason) == (row["outcome"], row["reason"])


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['known'][:30]}~{r['cited'][:30]}")
def test_the_outcome_does_not_depend_on_which_name_is_cited(row):
    assert match_venues(row["known"], row["cited"]).outcome == row["outcome"]


ICML = Version(2021, "Proceedings of the 38th International Conference on Machine Learning, ICML 2021")
WORKSHOP = Version(2021, "NeurIPS Workshop on Deep Generative Models and Downstream Applications")
ARXIV = Version(2020, "arXiv:2006.04768", Kind.PREPRINT)
OPEN = Version(2022, "ICLR 2022 (submission)")
REJECTED = Version(2022, "ICLR (submission: Reject)")
FINDINGS = Version(2023, "Findings of the Association for Computational Linguistics: ACL 2023")
LAB = Version(1980, "MIT Artificial Intelligence Laboratory")

COMPARED = [
    # cited, versions, outcome, reason
    (None, [ICML], "absent", "not_cited"),
    ("  ", [ICML], "absent", "not_cited"),
    ("ICML", [], "unknown", "record_has_none"),
    ("ICML", [Version(2021)], "unknown", "record_has_none"),
    ("ICML", [ARXIV, ICML], "variant", "acronym"),
    ("UAI", [ARXIV, ICML], "differs", "other_venue"),
    ("Las Vegas", [Version(2016, "CVPR 2016, Las Vegas, NV, USA, June 27-30")], "unknown", "unclear"),
    ("Paris", [Version(2016, "CVPR 2016, Las Vegas, NV, USA, June 27-30")], "differs", "other_venue"),
    ("Languages", [Version(2013, "Automata, Languages, and Programming")], "differs", "other_venue"),
    ("Brain", [Version(2013, "Genes, brain, and behavior")], "differs", "other_venue"),
    ("The Astrophysical Journal", [Version(2013, "The Astrophysical Journal Supplement Series")], "differs",
     "other_venue"),
    ("arXiv", [ARXIV, ICML], "same", "same"),
    ("CoRR", [ICML], "variant", "preprint_cited"),
    ("bioRxiv", [ARXIV], "differs", "other_server"),
    ("ICML", [ARXIV], "differs", "preprint_as_published"),
    ("ICML", [Version(2020, None, Kind.PREPRINT)], "differs", "preprint_as_published"),
    ("ICLR", [OPEN], "unknown", "submission_only"),
    ("ICLR", [REJECTED], "differs", "submission_only"),
    ("ICLR", [OPEN, ICML], "differs", "submission_only"),
    ("ICLR", [Version(2019, "ICLR (Poster)")], "same", "same"),
    ("Mach. Learn.", [REJECTED], "unknown", "submission_only"),
    ("NeurIPS", [WORKSHOP], "variant", "workshop_vs_main"),
    ("Advances in Neural Information Processing Systems", [WORKSHOP], "differs", "workshop_vs_main"),
    ("ICML", [WORKSHOP], "differs", "other_venue"),
    ("ACL", [FINDINGS], "variant", "findings_vs_main"),
    ("61st Annual Meeting of the ACL", [FINDINGS], "variant", "findings_vs_main"),
    ("Meeting of the Association for Computational Linguistics", [FINDINGS], "differs", "findings_vs_main"),
    ("Springer", [ICML], "unknown", "unclear"),
    ("AAAI", [LAB], "unknown", "unclear"),
    ("AAAI", [LAB, ICML], "differs", "other_venue"),
    ("Journal of Neural Architecture and Optimization", [ICML], "differs", "other_venue"),
]  # fmt: skip


@pytest.mark.parametrize(("cited", "versions", "outcome", "reason"), COMPARED)
def test_the_table_of_versions(cited, versions, outcome, reason):
    found = compare_venue(cited, versions)
    assert (found.field, found.outcome.value, found.reason) == ("venue", outcome, reason)


NIPS = "International Conference on Neural Information Processing Systems"
MEETINGS = [
    # cited, year, version in that venue, reason of the venue, reason of the year
    ("Proceedings of the 38th International Conference on Machine Learning", 2021, ICML, "same", "same"),
    (
        "Proceedings of the 37th International Conference on Machine Learning",
        2021,
        ICML,
        "other_meeting",
        "same",
    ),
    ("ICML 2020", 2021, ICML, "other_meeting", "same"),
    ("ICML 2021", 2020, ICML, "same", "off_by_one"),
    ("ICML", 2020, ICML, "same", "other_version"),
    ("Dialogue and Discourse", 2012, Version(2012, "Dialogue & Discourse Volume 3"), "same", "same"),
    (f"Proceedings of the 25th {NIPS} - Volume 1", 2012, Version(2012, "NIPS"), "same", "same"),
    (f"Proceedings of the 31st {NIPS}", 2017, Version(2017, "NIPS"), "same", "same"),
    (
        "CoRL 2019",
        2019,
        Version(2020, "CoRL"),
        "same",
        "other_version",
    ),  # its proceedings appear a year later
    ("CoRL 2018", 2020, Version(2020, "CoRL"), "other_meeting", "same"),
    ("ICML 2020 Workshop on Graphs", 2021, Version(2021, "ICML Workshop on Graphs"), "same", "same"),
    ("Nature 2019", 2021, Version(2021, "Nature"), "same", "same"),
]


@pytest.mark.parametrize(("cited", "year", "held", "venue", "dated"), MEETINGS)
def test_a_meeting_is_named_by_its_number_or_year(cited, year, held, venue, dated):
    there = year == held.year
    named = Comparison("venue", Outcome.SAME, Reason.SAME, cited, held.venue, 1.0)
    when = Comparison(
        "year", Outcome.SAME if there else Outcome.VARIANT, Reason.SAME if there else Reason.OTHER_VERSION,
        str(year),
    )  # fmt: skip
    found = compare_meeting(named, when, [held])
    assert tuple(c.reason for c in found) == (venue, dated)


COUNTED = [
    ("Twenty-first International Conference on Machine Learning", {2004}),
    ("Proceedings of the 31th International Conference on Machine Learning", {2014}),
    ("Twelveth ACM Conference on Recommender Systems", {2018}),
    ("Proceedings of the twentieth annual ACM Symposium on Theory of Computing", {1988}),
    ("International Conference on 3D Vision (3DV)", frozenset()),
    ("45th Annual Meeting of the ACL Companion Volume Proceedings of the Demo and Poster Sessions", {2007}),
]


@pytest.mark.parametrize(("name", "years"), COUNTED)
def test_meetings_are_counted_in_figures_and_words(name, years):
    assert parse_venue(name).meetings == years


def test_the_order_of_versions_changes_nothing():
    for cited, versions, outcome, _ in COMPARED:
        assert compare_venue(cited, versions[::-1]).outcome.value == outcome


def test_the_resolved_venue_is_the_version_that_decided():
    assert compare_venue("ICML", [ARXIV, ICML]).resolved == ICML.venue
    assert compare_venue("UAI", [ARXIV, ICML]).resolved == ICML.venue


def test_a_publisher_for_the_venue_convicts_nobody_and_the_series_speaks_for_it():
    eccv = Version(2018, "Computer Vision - ECCV 2018")
    assert compare_venue("Kindred Works", [eccv]).outcome is Outcome.DIFFERS
    assert compare_venue("Kindred Works", [eccv], publisher="Kindred Works").outcome is Outcome.UNKNOWN
    assert compare_venue("Springer", [eccv], series="Lecture Notes in Computer Science").reason == "carrier"
    assert compare_venue("UAI", [eccv], publisher="UAI").outcome is Outcome.DIFFERS


SERIES = [
    ("CVPR", "cvpr"),
    ("Proc. IEEE CVPR", "cvpr"),
    ("Advances in Neural Information Processing Systems 34", "neurips"),
    ("aaai88", "aaai"),
    ("Thirty-Sixth AAAI Conference on Artificial Intelligence, AAAI 2022, IAAI 2022", "aaai"),
    ("Proceedings of the ACL-IJCNLP 2009 Conference", "acl"),
    ("NeurIPS Workshop on Deep Generative Models", None),
    ("CHI Extended Abstracts", None),
    ("Findings of the Association for Computational Linguistics: ACL 2023", None),
    ("Symposium on Neural Scaling Laws", None),
    ("", None),
]


@pytest.mark.parametrize(("name", "series"), SERIES)
def test_the_series_of_a_name(name, series):
    assert find_known_series(name) == series


def test_what_a_name_says():
    found = parse_venue(
        "Proc. 38th Int. Conf. on Machine Learning, ICML 2021, 18-24 July 2021, Virtual Event"
    )
    assert (found.words, found.meetings) == (("machine", "learning"), {2021})
    assert (found.acronyms, found.kind) == ({"icml"}, "conference")


@pytest.mark.parametrize(
    ("a", "b", "sure"),
    [
        ("ICML", "International Conference on Machine Learning", True),
        ("NIPS", "Advances in Neural Information Processing Systems 30", True),
        ("PMLR", "ICML", False),
        ("NeurIPS Workshop on Deep Generative Models", "NeurIPS", False),
        ("UAI", "ICML", False),
    ],
)
def test_only_a_certain_name_backs_a_claim_of_completeness(a, b, sure):
    assert is_surely_same(a, b) is sure


NAMES = st.sampled_from([r["known"] for r in ROWS])


@given(NAMES)
def test_case_and_accents_never_make_another_venue(name):
    for changed in (name.upper(), name.lower(), name.replace("e", "é"), f"{{{name}}}"):
        assert match_venues(changed, name).outcome == "same"


@given(st.text(max_size=300), NAMES)
def test_no_text_breaks_the_reading(text, name):
    assert 0.0 <= match_venues(text, name).similarity <= 1.0
    assert compare_venue(text, [Version(2020, name)]).field == "venue"


@pytest.mark.parametrize(
    "hostile", ["(" * 5000, "A." * 5000, "a-" * 5000, ", x" * 5000, "1st and the " * 900]
)
def test_a_hostile_name_is_read_in_bounded_steps(hostile):
    # Only the first characters are read: twice the text gives the same reading.
    assert parse_venue(hostile) == parse_venue(hostile * 2)


@pytest.mark.parametrize(
    ("cited", "known", "reason"),
    [
        ("Symposium on Neural Scaling Laws", False, Reason.UNKNOWN_VENUE),
        ("Symposium on Neural Scaling Laws", True, Reason.PREPRINT_AS_PUBLISHED),
        ("Symposium on Neural Scaling Laws", None, Reason.PREPRINT_AS_PUBLISHED),  # no registry was asked
        ("Polish Journal of Landscape Ecology", False, Reason.PREPRINT_AS_PUBLISHED),  # rare, not invented
    ],
)
def test_a_preprint_cited_under_a_venue_that_nobody_knows(cited, known, reason):
    found = compare_venue(cited, [ARXIV])
    doubted = doubt_unknown_venue(found, SourceFacts(venue_known=known))
    assert (doubted.outcome, doubted.reason) == (Outcome.DIFFERS, reason)
    assert doubt_unknown_venue(found, None) == found
    softened, _ = soften_preprint_only(doubted, Comparison("year", Outcome.SAME, Reason.SAME))
    assert (softened.outcome is Outcome.DIFFERS) == (reason is Reason.UNKNOWN_VENUE)


@pytest.mark.parametrize(
    ("cited", "known", "apart"),
    [
        ("ICSE", "European Conference on Object-Oriented Programming", VenueSeparation.SURE),
        ("SOSP", "EuroSys", VenueSeparation.SURE),
        ("Lecture Notes in Computer Science", "ESOP", VenueSeparation.VERSIONS),
        ("ETAPS", "ESOP", VenueSeparation.UNSURE),
    ],
)
def test_conferences_beyond_machine_learning_are_told_apart(cited, known, apart):
    assert tell_venues_apart(cited, known) is apart


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ("Nature", "Science", True),
        ("Physical Review D", "Physical Review Letters", True),
        ("IEEE Transactions on Information Theory", "IEEE Transactions on Signal Processing", True),
        ("Bell System Technical Journal", "Bell Labs Tech. J.", False),
        ("Physical Review", "Physical Review B", False),
        ("Annals of Statistics", "Annals of Mathematical Statistics", False),
        ("Nature", "ICML", False),
    ],
)
def test_journals_are_told_from_renamed_ones(a, b, apart):
    assert are_other_journals(a, b) is apart is are_other_journals(b, a)
