"""What lists, registries and records say about the cited venue => the findings of the venue checks."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks import WORK_CHECKS
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.text.invented_name import is_invented, list_telling_words
from citeproof.vocabulary import (
    VENUE_REGISTRY,
    Claimed,
    Compared,
    Comparison,
    FindingLevel,
    FindingState,
    Ids,
    Judgement,
    Kind,
    Label,
    ListAnswer,
    Outcome,
    Place,
    Reason,
    Record,
    Reference,
    VenueListing,
    VenueStanding,
    Verdict,
)

MADE_UP = "Symposium on Neural Scaling Laws"
RARE = "Anais do Simpósio Brasileiro de Banco de Dados"
REGISTRY = ListAnswer(VENUE_REGISTRY, digest="abc", subject="venues")
S = VenueStanding


def list_venue(standing, title="Journal of X", name="some_list", day="2018-01-01", **listing):
    found = VenueListing(standing, title, **{"found_by": "title", **listing})
    return ListAnswer(name, day, "d", listings=(found,), subject="venues")


def examine(venue, *listed, outcome=None, reason=Reason.UNCLEAR, kind=Kind.ARTICLE, doi="",
            missed=Verdict.NOT_FOUND):  # fmt: skip
    """Return the findings of the venue checks, by name."""
    reference = Reference("k", "raw", kind, Claimed(title="A title", venue=venue), Place())
    record = Record("arxiv", "1", ("A title",), ids=Ids((("doi", doi),) if doi else ()))
    field = Comparison("venue", outcome or Outcome.UNKNOWN, reason, venue or "", "arXiv", 0.2)
    compared = Compared(record, (field,), ("title",), ("arxiv",))
    matched = compared if outcome else None
    verdict = Verdict.MATCHED if outcome else missed
    judgement = Judgement(verdict, Label.EXACT, 10.0, 1.0, None, (), "", matched)
    evidence = WorkEvidence(reference, judgement, (compared,) if matched else (), listed)
    found = [one for check in WORK_CHECKS if (one := check(evidence)) is not None]
    return {one.name: one for one in found if one.name in NAMES}


NAMES = ("predatory_source", "hijacked_journal", "nonexistent_venue", "venue_unconfirmed")
KNOWN = ListAnswer(
    VENUE_REGISTRY, digest="abc", subject="venues", listings=(VenueListing(S.KNOWN, MADE_UP, "title"),)
)


@pytest.mark.parametrize(
    ("venue", "listed", "state"),
    [
        (MADE_UP, (REGISTRY,), FindingState.FINDING),
        (MADE_UP, (KNOWN,), FindingState.CLEAR),
        (MADE_UP, (REGISTRY, list_venue(S.KNOWN, MADE_UP)), FindingState.CLEAR),
        (
            MADE_UP,
            (REGISTRY, list_venue(S.KNOWN, "Physics Letters")),
            FindingState.FINDING,
        ),  # the record's venue
        (MADE_UP, (REGISTRY, list_venue(S.INDEXED, "X", found_by="ISSN 1234-5678")), FindingState.CLEAR),
        (MADE_UP, (), None),  # no registry was asked
        (MADE_UP, (list_venue(S.KNOWN, "Other"),), None),
        (RARE, (REGISTRY,), None),  # absence alone accuses nobody
        ("Polish Journal of Landscape Ecology", (REGISTRY,), None),
        ("NeurIPS", (REGISTRY,), FindingState.CLEAR),
        ("Proceedings of NeurIPS 2021", (REGISTRY,), FindingState.CLEAR),
        ("arXiv preprint arXiv:2101.00001", (REGISTRY,), None),
        ("Springer", (REGISTRY,), None),
        (None, (REGISTRY,), None),
    ],
)
def test_whether_a_venue_exists(venue, listed, state):
    found = examine(venue, *listed).get("nonexistent_venue")
    assert (found and found.state) == state


def test_a_finding_shows_its_evidence_and_blocks_nothing():
    found = examine(MADE_UP, REGISTRY, outcome=Outcome.DIFFERS)["nonexistent_venue"]
    assert found.detail == f'no known venue is called "{MADE_UP}"; it may not exist'
    assert found.source == VENUE_REGISTRY
    assert found.evidence[0] == "not among the venues of snapshot abc"
    assert "the record of the work has: arXiv" in found.evidence
    assert found.level is FindingLevel.WARNING
    assert not found.blocks


def test_of_a_work_that_could_not_be_checked_it_is_a_note():
    """33 of 33 such venues in seven real bibliographies exist: journals of fields that a snapshot lacks."""
    found = examine(MADE_UP, REGISTRY, missed=Verdict.UNCHECKED)["nonexistent_venue"]
    assert found.level is FindingLevel.NOTE
    assert "may lack its field" in found.detail


def test_a_registry_in_trouble_leaves_it_unchecked():
    broken = ListAnswer(
        VENUE_REGISTRY, digest="abc", subject="venues", trouble="was built without venue names"
    )
    found = examine(MADE_UP, broken)["nonexistent_venue"]
    assert (found.state, found.detail) == (
        FindingState.UNCHECKED,
        "the snapshot was built without venue names",
    )
    assert examine(MADE_UP, broken, REGISTRY)["nonexistent_venue"].state is FindingState.FINDING
    assert examine(MADE_UP, broken, KNOWN)["nonexistent_venue"].state is FindingState.CLEAR


@pytest.mark.parametrize(
    "kind", [Kind.BOOK, Kind.THESIS, Kind.REPORT, Kind.CHAPTER, Kind.SOFTWARE, Kind.WEB_PAGE]
)
def test_what_has_a_publisher_or_a_school_has_no_venue(kind):
    assert examine(MADE_UP, REGISTRY, kind=kind) == {}


def test_a_record_that_names_the_venue_clears_it():
    found = examine(MADE_UP, REGISTRY, outcome=Outcome.VARIANT)
    assert found["nonexistent_venue"].state is FindingState.CLEAR


@pytest.mark.parametrize(
    ("venue", "outcome", "reason", "told"),
    [
        (RARE, Outcome.UNKNOWN, Reason.ONLY_PREPRINT_KNOWN, True),
        ("NeurIPS", Outcome.UNKNOWN, Reason.ONLY_PREPRINT_KNOWN, True),
        (MADE_UP, Outcome.UNKNOWN, Reason.ONLY_PREPRINT_KNOWN, False),  # the other check says more
        (RARE, Outcome.DIFFERS, Reason.PREPRINT_AS_PUBLISHED, False),  # a difference is told as one
        (RARE, Outcome.SAME, Reason.SAME, False),
        (RARE, Outcome.UNKNOWN, Reason.UNCLEAR, False),
        (RARE, None, Reason.UNCLEAR, False),
    ],
)
def test_a_venue_that_no_source_confirms_is_a_note(venue, outcome, reason, told):
    found = examine(venue, REGISTRY, outcome=outcome, reason=reason).get("venue_unconfirmed")
    assert (found is not None) == told
    if found:
        assert found.level is FindingLevel.NOTE
        assert ("not in the registry either" in found.detail) == (venue == RARE)


@pytest.mark.parametrize(
    ("answer", "level", "detail"),
    [
        (list_venue(S.PREDATORY_JOURNAL, "J. X"), FindingLevel.WARNING,
         '"J. X" is listed as a predatory journal (found by title) in some_list (2018)'),
        (list_venue(S.PREDATORY_JOURNAL, "J. X", exact=False, name="L", day=""), FindingLevel.NOTE,
         '"J. X" is listed as a predatory journal (found by title; another journal may be meant) in L'),
        (list_venue(S.PREDATORY_PUBLISHER, "P", found_by="publisher"), FindingLevel.NOTE,
         '"P" is listed as a predatory publisher (found by publisher) in some_list (2018)'),
        (list_venue(S.WITHDRAWN, "J. X", day="2024-05-05", name="D",
                    reason="Suspected misconduct"), FindingLevel.WARNING,
         '"J. X" is taken out of the directory: Suspected misconduct (found by title) in D (2024)'),
    ],
)  # fmt: skip
def test_what_a_list_says_against_a_venue(answer, level, detail):
    found = examine("J. X", answer)["predatory_source"]
    assert (found.detail, found.level, found.blocks) == (detail, level, False)


@pytest.mark.parametrize(
    "answer",
    [
        list_venue(S.WITHDRAWN, reason="Ceased publishing"),
        list_venue(S.INDEXED),
        list_venue(S.KNOWN),
        ListAnswer("doaj", "2026-01-01", subject="venues"),  # not in DOAJ: nothing is said
    ],
)
def test_nothing_else_is_called_predatory(answer):
    assert "predatory_source" not in examine("Journal of X", answer)


@pytest.mark.parametrize(
    ("sound", "level"),
    [
        ((), FindingLevel.NOTE),
        ((list_venue(S.KNOWN, "Journal of Xylem", found_by="abbreviation"),), None),  # may be meant as well
        ((list_venue(S.KNOWN, "The Journal of X", found_by="abbreviation"),), FindingLevel.NOTE),
    ],
)
def test_an_abbreviation_alone_warns_of_nothing(sound, level):
    bad = list_venue(S.PREDATORY_JOURNAL, found_by="abbreviation", exact=False)
    found = examine("J. X", bad, *sound).get("predatory_source")
    assert (found.level if found else None) is level


def test_the_directory_speaks_for_a_journal_as_well():
    doaj = list_venue(S.INDEXED, name="doaj", day="2026-01-01")
    found = examine("Journal of X", list_venue(S.PREDATORY_JOURNAL), doaj)["predatory_source"]
    assert found.evidence[-1] == "it is also in doaj (2026), which admits journals by rules"


def test_a_hijacked_journal():
    site = list_venue(S.HIJACKED, "J. X", found_by="host x.org", reason="takes the name of J. X", exact=True)
    name = list_venue(S.HIJACKED, "J. X", exact=False)
    found = examine("J. X", site)["hijacked_journal"]
    assert found.level is FindingLevel.WARNING
    assert (
        found.detail
        == '"J. X" is listed as a hijacked journal in some_list (2018): it takes the name of J. X'
    )
    found = examine("J. X", name)["hijacked_journal"]
    assert found.level is FindingLevel.NOTE
    assert "make sure that the real one is cited" in found.detail
    real = examine("J. X", name, outcome=Outcome.SAME, doi="10.1000/x")
    assert "hijacked_journal" not in real
    assert "hijacked_journal" in examine("J. X", site, outcome=Outcome.SAME, doi="10.1000/x")


@pytest.mark.parametrize(
    ("name", "invented"),
    [
        (MADE_UP, True),
        ("International Conference on Trustworthy Language Models", True),
        ("Conference on Reward Learning and Alignment", True),
        ("Zeitschrift für Säugetierkunde", False),
        ("Rivista di studi bizantini e slavi", False),
        (
            "Proceedings of the 2nd Workshop on NLP for Indigenous Languages of the Americas (AmericasNLP)",
            False,
        ),
        ("Bulletin of the Polish Academy of Sciences", False),
        ("Learning Semantics", False),  # does not say what it is
        ("ACM Transactions on Human-Robot Interaction", False),  # a society's
        ("", False),
    ],
)
def test_what_reads_like_an_invention(name, invented):
    assert is_invented(name) is invented


def test_the_words_that_tell():
    assert set(list_telling_words(MADE_UP)) <= {"symposium", "on", "neural", "scaling", "laws"}
    assert list_telling_words(MADE_UP)


def test_a_journal_in_no_predatory_list_is_clear_only_where_such_a_list_was_asked():
    asked = ListAnswer("predatory_journals", "2018-01-01", "d", subject="venues")
    clear = examine("Journal of Y", asked)["predatory_source"]
    assert (clear.state, clear.source, clear.detail) == (FindingState.CLEAR, "predatory_journals", "")
    assert "predatory_source" not in examine("Journal of Y", REGISTRY)
