import pytest

from citeproof.judgement.compare.identifiers import compare_identifiers
from citeproof.judgement.compare.locators import compare_locators
from citeproof.vocabulary import Claimed, Ids, SourceFacts, Version

IEEE, ACM, ARXIV = "10.1109/cvpr.2023.1", "10.1145/1.2", "10.48550/arxiv.2006.04768"

SPRINGER, KLUWER = "10.1007/bf00116037", "10.1023/a:1022648800760"

CASES = [
    # scheme and value cited, record's ids, prefix seen, years, outcome, reason
    ("doi", IEEE, (("doi", IEEE),), None, (2023,), "same", "same"),
    ("doi", "10.1109/cvpr.2023.2", (("doi", IEEE),), None, (2023,), "differs", "other_identifier"),
    ("doi", ACM, (("doi", IEEE), ("doi", ACM)), None, (2023,), "same", "same"),
    ("doi", ACM, (("doi", IEEE),), None, (2023,), "unknown", "co_published"),
    ("doi", IEEE, (("doi", ACM),), None, (2023,), "unknown", "co_published"),
    ("doi", SPRINGER, (("doi", KLUWER),), None, (1990,), "unknown", "co_published"),
    ("doi", KLUWER, (("doi", SPRINGER),), None, (1990,), "unknown", "co_published"),
    ("doi", "10.1007/978-3-1_2", (("doi", KLUWER),), None, (1990,), "differs", "other_identifier"),
    ("doi", ACM, (("doi", "10.1007/978-3-1_2"),), None, (2023,), "differs", "other_identifier"),
    ("doi", "10.1145/38713.38742", (("doi", "10.1145/38714.38742"),), None, (1987,), "variant", "same_item"),
    ("doi", "10.1145/38713.38742", (("doi", "10.1145/38714.38743"),), None, (1987,), "differs",
     "other_identifier"),
    ("doi", ARXIV, (("doi", IEEE), ("arxiv", "2006.04768")), None, (2023,), "same", "same"),
    ("doi", ARXIV, (("doi", IEEE),), None, (2023,), "unknown", "preprint_doi"),
    ("doi", "10.1101/2020.01.01.123456", (("doi", IEEE),), None, (2023,), "unknown", "preprint_doi"),
    ("doi", "10.99996/pub/3560319", (), False, (2023,), "differs", "prefix_unknown"),
    ("doi", "10.99996/pub/3560319", (), None, (2023,), "unknown", "unconfirmed"),
    ("doi", ACM, (), True, (2023,), "unknown", "unconfirmed"),
    ("arxiv", "2006.04768", (("arxiv", "2006.04769"),), None, (2020,), "differs", "other_identifier"),
    ("arxiv", "2006.04768", (), None, (2020,), "unknown", "unconfirmed"),
    ("arxiv", "2103.04768", (), None, (2020,), "unknown", "unconfirmed"),  # posted after the meeting
    ("arxiv", "2104.04768", (), None, (2020,), "differs", "younger_than_work"),
    ("arxiv", "2104.04768", (), None, (2020, 2021), "unknown", "unconfirmed"),
    ("pmid", "12345", (), None, (), "unknown", "unconfirmed"),
    ("arxiv", "2413.04768", (), None, (2020,), "differs", "malformed"),
    ("arxiv", "2310.01362", (), None, (2020,), "differs", "younger_than_work"),
    ("pmid", "12345", (("pmid", "12346"),), None, (), "differs", "other_identifier"),
    ("isbn", "9780262035613", (), None, (), "unknown", "record_has_none"),
]  # fmt: skip


@pytest.mark.parametrize(("scheme", "value", "known", "seen", "years", "outcome", "reason"), CASES)
def test_the_table_of_identifiers(scheme, value, known, seen, years, outcome, reason):
    (found,) = compare_identifiers(
        Ids(((scheme, value),)), Ids(known), facts=SourceFacts(doi_prefix_seen=seen), years=years
    )
    assert (found.field, found.outcome.value, found.reason) == (scheme, outcome, reason)


CLOSE = [
    ("10.1103/physreve.58.623", "10.1103/physreve.58.643", True),  # a slip of the pen
    ("10.1103/physreve.58.623", "10.1103/physreve.58.6430", False),
    ("10.1103/physreve.58.623", "10.1103/physreve.91.174", False),
]


@pytest.mark.parametrize(("cited", "known", "near"), CLOSE)
def test_a_mistyped_identifier_is_near_its_own(cited, known, near):
    (found,) = compare_identifiers(Ids((("doi", cited),)), Ids((("doi", known),)))
    assert found.outcome.value == "differs"
    assert (found.similarity > 0.85) is near


LOCATORS = [
    ("pages", "1569--1575", "1569-1575", "variant", "form"),
    ("pages", "1569-75", "1569-1575", "variant", "form"),
    ("pages", "1569", "1569-1575", "variant", "first_page"),
    ("pages", "12-20", "1569-1575", "differs", "other_pages"),
    ("pages", "1569-1580", "1569-1575", "differs", "last_page"),
    ("volume", "12", "12", "same", "same"),
    ("volume", "١٢", "12", "variant", "form"),
    ("volume", "vol. 12", "12", "variant", "form"),
    ("volume", "13", "12", "differs", "other_number"),
    ("issue", "May", "5", "unknown", "not_numbers"),
]


@pytest.mark.parametrize(("name", "mine", "theirs", "outcome", "reason"), LOCATORS)
def test_the_table_of_locators(name, mine, theirs, outcome, reason):
    (found,) = compare_locators(Claimed(**{name: mine}), [Version(**{name: theirs})])
    assert (found.outcome.value, found.reason) == (outcome, reason)
