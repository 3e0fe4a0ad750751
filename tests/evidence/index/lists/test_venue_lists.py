"""Lists about journals and publishers => compiled lists => what they say about a venue."""

from __future__ import annotations

from collections import Counter
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.compiled_list import CompiledList, ListHead, compile_rows
from citeproof.evidence.index.lists.homes import LISTS, RETRACTION_WATCH, get_list
from citeproof.evidence.index.lists.homes.doaj import read_removal_day
from citeproof.evidence.index.lists.homes.journal_abbreviations import find_separator
from citeproof.evidence.index.lists.list_store import InstalledList, ListStore
from citeproof.evidence.index.lists.list_tables import find_own_host
from citeproof.evidence.index.lists.title_abbreviation import read_words
from citeproof.evidence.index.lists.venue_rows import find_listings, make_venue_keys, split_host
from citeproof.text.venue_key import make_publisher_key, make_venue_key
from citeproof.vocabulary import ListQuestion, VenueListing, VenueStanding

INTEGRITY = Path(__file__).resolve().parents[5] / "shared/data/integrity"
JOURNALS = (
    "url,name,abbr\nhttp://www.ijx.org/,Int. Journal of X,IJX\n"
    "https://sites.google.com/site/y,Journal of Y,\n"
)
PUBLISHERS = 'url,name,abbr,\nhttp://bad.com/index.php,"Bad & Co Press, Ltd.",,\n'
HIJACKED = (
    "hijacked,hijackedabbr,hijackedurl,althijackedurl,authentic,authenticabbr,authenticurl\n"
    "Acta Q,,http://acta-q.com/,http://acta-q.net/,Acta Q,,http://www.q.org/\n"
    'Walia Journal,,http://waliaj.com/,,"Walia, journal of Z",,http://www.z.org/\n'
)
DOAJ = (
    "Journal title,Alternative title,Journal ISSN (print version),Journal EISSN (online version),"
    "Last updated Date\n"
    "The Journal of P & R,P y R,0031-9007,1079-7114,2026-03-01T10:00:00Z\n"
)
WITHDRAWN = (
    ",,This data is licensed with a CC BY-SA 4.0 license,\nA change log,,,\n"
    "Journal Title,ISSN,Date Removed (dd/mm/yyyy),Reason\n,,,\n"
    "Journal of P and R ,0031-9007,5-May-2025,Ceased publishing\n"
)
ABBREVIATIONS = (
    '"Physical Review Letters","Phys. Rev. Lett."\n"Accounting, B and F","Acc."," B F.",""\n"X","#IEEE_X#"\n'
)
LTWA = "WORD\tABBREVIATIONS\tLANGUAGE CODES\n-ology\t-ol.\teng, ger\nabbrevi-\tabbrev.\teng\nDas\tn.a.\tger\n"
K, J, P, H = (VenueStanding(one) for one in ("known", "predatory_journal", "predatory_publisher", "hijacked"))
D, W = VenueStanding.INDEXED, VenueStanding.WITHDRAWN
X = "Int. Journal of X"
HEAD = {"entries": 0, "source": "", "origin": "", "licence": ""}


def compile_text(name: str, text: str) -> CompiledList:
    home = LISTS[name]
    rows = home.merge(list(home.read(text.encode(), f"{name}.csv")))
    head = ListHead(
        name=name, day="2026-08-17", entries=0, source="", origin="", licence="", form=home.form.value
    )
    data = compile_rows(head, home.pack(rows))
    return CompiledList(data, sha256(data).hexdigest())


@pytest.mark.parametrize(
    ("name", "text", "question", "expected"),
    [
        ("predatory_journals", JOURNALS, {"venues": ("int. journal of X",)}, (J, X, "title")),
        ("predatory_journals", JOURNALS, {"venues": ("IJX",)}, None),  # the abbreviation of many
        ("predatory_journals", JOURNALS, {"hosts": ("www.ijx.org",)}, (J, X, "host ijx.org")),
        ("predatory_journals", JOURNALS, {"hosts": ("a.b.ijx.org",)}, (J, X, "host ijx.org")),
        ("predatory_journals", JOURNALS, {"hosts": ("notijx.org",)}, None),
        ("predatory_journals", JOURNALS, {"hosts": ("sites.google.com",)}, None),
        ("predatory_publishers", PUBLISHERS, {"publishers": ("Bad and Co Press",)},
         (P, "Bad & Co Press, Ltd", "publisher")),
        ("predatory_publishers", PUBLISHERS, {"venues": ("Bad & Co Press",)}, None),
        ("hijacked_journals", HIJACKED, {"hosts": ("acta-q.net",)}, (H, "Acta Q", "host acta-q.net")),
        ("hijacked_journals", HIJACKED, {"hosts": ("q.org",)}, None),  # the journal itself
        ("hijacked_journals", HIJACKED, {"venues": ("Walia Journal",)}, (H, "Walia Journal", "title")),
        ("doaj", DOAJ, {"issns": ("1079-7114",)}, (D, "The Journal of P & R", "ISSN 1079-7114")),
        ("doaj", DOAJ, {"venues": ("Journal of P and R",)}, (D, "The Journal of P & R", "title")),
        ("doaj", DOAJ, {"venues": ("P y R",)}, (D, "The Journal of P & R", "title")),
        ("doaj_withdrawn", WITHDRAWN, {"issns": ("0031-9007",)}, (W, "Journal of P and R", "ISSN 0031-9007")),
        ("journal_abbreviations", ABBREVIATIONS, {"venues": ("Phys Rev Lett",)},
         (K, "Physical Review Letters", "abbreviation")),
        ("journal_abbreviations", ABBREVIATIONS, {"venues": ("PHYSICAL REVIEW LETTERS",)},
         (K, "Physical Review Letters", "title")),
        ("journal_abbreviations", ABBREVIATIONS, {"venues": ("Acc., B F.",)},
         (K, "Accounting, B and F", "abbreviation")),
        ("journal_abbreviations", ABBREVIATIONS, {"venues": ("Acc.",)}, None),
        ("journal_abbreviations", ABBREVIATIONS, {"venues": ("A made-up journal",)}, None),
    ],
)  # fmt: skip
def test_how_a_venue_is_recognised(name, text, question, expected):
    found = find_listings(compile_text(name, text), ListQuestion(**question))
    assert [(one.standing, one.title, one.found_by) for one in found] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("name", "text", "question", "exact"),
    [
        ("hijacked_journals", HIJACKED, {"venues": ("Acta Q",)}, False),  # the true one has the same name
        ("hijacked_journals", HIJACKED, {"venues": ("Acta Q",), "hosts": ("acta-q.com",)}, True),
        ("hijacked_journals", HIJACKED, {"venues": ("Walia Journal",)}, True),
        ("doaj", DOAJ, {"venues": ("Journal of P and R",), "issns": ("2046-1402",)}, False),
        ("doaj", DOAJ, {"venues": ("Journal of P and R",), "issns": ("0031-9007",)}, True),
    ],
)
def test_a_name_that_others_have_is_not_exact(name, text, question, exact):
    assert [one.exact for one in find_listings(compile_text(name, text), ListQuestion(**question))] == [exact]


def test_reason_and_date_are_kept():
    (found,) = find_listings(compile_text("doaj_withdrawn", WITHDRAWN), ListQuestion(issns=("0031-9007",)))
    expected = (W, "Journal of P and R", "ISSN 0031-9007", "2025-05-05", "Ceased publishing", True)
    assert found == VenueListing(*expected)
    (found,) = find_listings(compile_text("hijacked_journals", HIJACKED), ListQuestion(hosts=("waliaj.com",)))
    assert found.reason == "takes the name of Walia, journal of Z (z.org)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5-May-2025", "2025-05-05"),
        ("26 March 2026", "2026-03-26"),
        ("17/04/2025", "2025-04-17"),
        ("soon", ""),
    ],
)
def test_dates_of_removal(text, expected):
    assert read_removal_day(text) == expected


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Journal of X & Y", "journalofxy"),
        ("Journal of X and Y (Online)", "journalofxy"),
        (r"Journal of X \& Y", "journalofxy"),
        ("Zeitschrift für X und Y", "zeitschriftfurxy"),
        ("Theory of X", "theoryofx"),
        ("Andes", "andes"),
        ("", ""),
    ],
)
def test_names_have_one_key(name, key):
    assert make_venue_key(name) == key


def test_a_legal_form_is_no_part_of_a_publishers_name():
    forms = ("Academic Publications, Ltd.", "Academic Publications Inc", "academic publications")
    assert {make_publisher_key(one) for one in forms} == {"academicpublications"}


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("http://www.ijx.org/index.php", "ijx.org"),
        ("shankar.org", "shankar.org"),
        ("http://x.org/index.php/index/index", "x.org"),
        ("http://x.org/ijrer/", ""),  # one journal of a publisher, perhaps
        ("https://sites.google.com/site/x", ""),
        ("http://www.chitkara.edu.in/publications/", ""),  # a university, not its publisher's page alone
        ("/International%20Journal", ""),
        ("", ""),
    ],
)
def test_only_an_own_host_names_its_owner(address, host):
    assert find_own_host(address) == host


def test_hosts_are_looked_up_with_their_domains():
    assert list(split_host("www.a.b.org")) == ["a.b.org", "b.org"]
    assert list(split_host("localhost")) == []


def test_separators_are_told():
    assert find_separator("A, b and c;A b c\nD;D.\n", "") == ";"
    assert find_separator('"A; b","A b"\n"D","D."\n', "") == ","
    with pytest.raises(UsageError, match="not a list of journal abbreviations"):
        find_separator("only one column\nand another\n", "x.csv")


def test_words_have_their_abbreviation():
    rows = list(read_words(compile_text("ltwa", LTWA)))
    assert [(row.word, row.part, row.short) for row in rows] == [
        ("ology", "suffix", "-ol."),
        ("abbrevi", "prefix", "abbrev."),
        ("das", "word", ""),
    ]


@pytest.mark.parametrize("home", LISTS.values(), ids=lambda home: home.name)
def test_every_list_declares_itself(home):
    assert home.url.startswith("https://")
    assert home.licence
    assert home.about
    assert get_list(home.name) is home
    with pytest.raises(UsageError):
        list(home.read(b"<html>Sign in</html>\n", "page.html"))


def test_an_unknown_list_is_named():
    with pytest.raises(UsageError, match="no list has this name"):
        get_list("nobody")
    assert next(iter(LISTS.values())) is RETRACTION_WATCH


def test_keys_are_made_once_for_all_lists():
    question = ListQuestion(venues=("Nature",), hosts=("nature.com",))
    assert make_venue_keys(question) is make_venue_keys(question)
    assert [value for _, value in make_venue_keys(question)["venue"]] == ["nature"]


def test_a_venue_list_answers_for_venues(tmp_path):
    listed = compile_text("doaj", DOAJ)
    head = ListHead(name="doaj", day="2026-01-01", form="venues", **HEAD)
    ListStore(tmp_path).install(
        "doaj", compile_rows(head, LISTS["doaj"].pack(LISTS["doaj"].read(DOAJ.encode(), "")))
    )
    asked = InstalledList(ListStore(tmp_path), "doaj", 60, "venues")
    day = date(2026, 2, 1)
    known = asked.look_up(ListQuestion(issns=("0031-9007",)), day)
    assert (known.subject, known.trouble, len(known.listings), known.notices) == ("venues", "", 1, ())
    silent = asked.look_up(ListQuestion(venues=("Nature",)), day)
    assert (silent.listings, silent.trouble) == ((), "")
    stale = asked.look_up(ListQuestion(issns=("0031-9007",)), date(2026, 8, 1))
    assert (len(stale.listings), stale.trouble.startswith("is 212 days old")) == (1, True)
    assert listed.head.finds_by == ("issn", "venue")


@pytest.mark.skipif(not INTEGRITY.exists(), reason="needs the real lists")
def test_the_real_lists_are_read_whole():
    counts = Counter[str]()
    for name, file in (("journals", "journals"), ("publishers", "publishers")):
        data = (INTEGRITY / f"predatory/{file}.csv").read_bytes()
        counts[name] = len(list(LISTS[f"predatory_{name}"].read(data, f"{file}.csv")))
    hijacked = (INTEGRITY / "predatory/hijacked.csv").read_bytes()
    counts["hijacked"] = len(list(LISTS["hijacked_journals"].read(hijacked, "hijacked.csv")))
    assert counts == {"journals": 1317, "publishers": 1176, "hijacked": 115}
    for file in sorted((INTEGRITY / "abbreviations").glob("*.zst")):
        with zstandard.open(file, "rb") as opened:
            rows = list(LISTS["journal_abbreviations"].read(opened.read(), file.name))
        assert rows or "strings" in file.name
