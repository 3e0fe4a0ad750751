"""Titles => their ISO 4 abbreviations; lists of journals are found by them if LTWA is installed."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import zstandard

from citeproof.evidence.index.lists.homes.ltwa import read_ltwa
from citeproof.evidence.index.lists.title_abbreviation import TitleAbbreviator
from citeproof.plumbing.clock import FixedClock
from citeproof.service.assemble import choose_lists
from citeproof.service.list_import import import_files
from citeproof.settings import Settings
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import ListQuestion

INTEGRITY = Path(__file__).resolve().parents[5] / "shared/data/integrity"
LTWA = "WORD\tABBREVIATIONS\tLANGUAGE CODES\n" + "".join(
    f"{word}\t{short}\t{languages}\n"
    for word, short, languages in [
        ("journal", "j.", "fre, eng"),
        ("america-", "am.", "mul"),
        ("chemi-", "chem.", "mul"),
        ("societ-", "soc.", "eng"),
        ("report", "rep.", "eng"),
        ("report", "rap.", "dut"),
        ("letter", "n.a.", "ger"),
        ("letter-", "lett.", "eng"),
    ]
)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Journal of the American Chemical Society", "j. am. chem. soc."),
        ("Chemical Reports", "chem. rep."),
        ("Chemistry", "Chemistry"),  # one word is not shortened
        ("Zebra Journal", "Zebra j."),
        ("", ""),
        ("of the", ""),
    ],
)
def test_words_are_shortened(title, expected):
    assert TitleAbbreviator(read_ltwa(LTWA.encode(), "ltwa.csv")).abbreviate(title) == expected


HIJACKED = "hijacked,hijackedurl,authentic,authenticurl\n"


@pytest.mark.parametrize("with_words", [True, False])
def test_a_journal_is_found_by_its_abbreviation(tmp_path, with_words):
    journals = tmp_path / "doaj_2026-08-01.csv"
    journals.write_text(
        "Journal title,Journal ISSN (print version),Journal EISSN (online version)\n"
        "Journal of the American Chemical Society,0031-9007,\n"
    )
    (tmp_path / "ltwa.csv").write_text(LTWA)
    chosen = Settings(cache_dir=tmp_path / "cache")
    clock = FixedClock(datetime(2026, 8, 2, tzinfo=UTC))
    import_files(chosen, clock, [journals, *([tmp_path / "ltwa.csv"] if with_words else [])])
    (listed,) = [one for one in choose_lists(chosen) if one.name == "doaj"]
    answer = listed.look_up(ListQuestion(venues=("J. Am. Chem. Soc.",)), date(2026, 8, 2))
    assert [one.found_by for one in answer.listings] == (["abbreviation"] if with_words else [])


@pytest.mark.parametrize(
    ("name", "start"),
    [("predatory_journals", "url,name,abbr\nhttp://x.test/,"), ("hijacked_journals", HIJACKED)],
)
def test_a_journal_of_ill_repute_is_found_by_its_abbreviation_and_not_for_sure(tmp_path, name, start):
    journals, ends = tmp_path / f"{name}.csv", ",,," if name == "hijacked_journals" else ","
    journals.write_text(f"{start}Journal of the American Chemical Society{ends}\n")
    (tmp_path / "ltwa.csv").write_text(LTWA)
    chosen = Settings(cache_dir=tmp_path / "cache")
    clock = FixedClock(datetime(2026, 8, 2, tzinfo=UTC))
    import_files(chosen, clock, [journals, tmp_path / "ltwa.csv"])
    (listed,) = [one for one in choose_lists(chosen) if one.name == name]
    for venue, by, exact in (
        ("J. Am. Chem. Soc.", "abbreviation", False),
        ("Journal of the American Chemical Society", "title", True),
    ):
        (row,) = listed.look_up(ListQuestion(venues=(venue,)), date(2026, 8, 2)).listings
        assert row.found_by == by
        assert row.exact is exact


@pytest.mark.skipif(not INTEGRITY.exists(), reason="needs the real lists")
def test_real_abbreviations_are_mostly_found():
    with zstandard.open(INTEGRITY / "LTWA_20210702.csv.zst", "rb") as file:
        shortener = TitleAbbreviator(read_ltwa(file.read(), "ltwa.csv"))
    with zstandard.open(INTEGRITY / "abbreviations/journal_abbreviations_acs.csv.zst", "rb") as file:
        rows = list(csv.reader(io.StringIO(file.read().decode())))
    same = sum(make_venue_key(shortener.abbreviate(row[0])) == make_venue_key(row[1]) for row in rows)
    assert same / len(rows) > 0.75
