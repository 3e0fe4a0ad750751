"""What is shown of a verified citation is the record's: false people and venues are replaced or held."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from citeproof.claims.canonical_fields import write_canonical_fields
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import Claimed, Mismatch, Name, Reason, Record, Version

TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
PEOPLE = "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova"
OWN = "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K."
HELD = "[citation not verified]"


RECORD = Record("made", "1", ("A title of it",), (Name("Roe", "A."),), versions=(Version(1994, "PRL"),))


def write(printed, fault, claimed, behind=""):
    judgement = SimpleNamespace(work_record=RECORD, mismatches=(fault,), notes=())
    checked, candidate = SimpleNamespace(judgement=judgement), SimpleNamespace(claimed=claimed)
    attached = SimpleNamespace(checked=checked, candidate=candidate)
    return write_canonical_fields([printed], SimpleNamespace(attached=attached), behind)


@pytest.fixture
def guard(offline_world, capfd):
    def show(text):
        (offline_world / "a.md").write_text(text)
        with pytest.raises(SystemExit):
            door.main(["guard", str(offline_world / "a.md"), "--allow-unchecked-retractions"])
        return capfd.readouterr().out

    return show


@pytest.mark.parametrize(
    ("people", "year", "venue", "shown"),
    [
        (OWN, 2019, "NAACL", f"{OWN} (2019). {TITLE}. NAACL."),
        ("Devlin, J., Chang, M.-W., Lee, K., & Nemo, Q.", 2019, "NAACL", f"{PEOPLE} (2019). {TITLE}. NAACL."),
        ("Devlin, J., Nemo, Q., et al.", 2019, "NAACL", HELD),
        ("Devlin, J., Lee, K., & Toutanova, K.", 2019, "NAACL", f"{PEOPLE} (2019). {TITLE}. NAACL."),
        (OWN, 2009, "NAACL", HELD),
        (OWN, 2019, "Journal of Made Up Primates", f"{OWN} (2019). {TITLE}. Proceedings of the 2019"),
    ],
)
def test_a_false_field_is_replaced_by_the_record_s(guard, people, year, venue, shown):
    text = "# References\n\n1. {} ({}). " + TITLE + ". {}.\n"
    cleaned = guard(text.format(people, year, venue))
    assert cleaned.startswith(f"# References\n\n1. {shown}")
    assert "Nemo" not in cleaned
    assert "Primates" not in cleaned


def test_people_of_prose_are_replaced_by_those_of_the_work(guard):
    said = guard(f"It rests on Devlin, Nemo, Lee and Toutanova (2019), “{TITLE}”, as all know.\n")
    assert "Nemo" not in said
    assert said.endswith("as all know.\n")


def test_people_in_markup_who_are_not_the_work_s_are_not_shown(guard):
    entry = (
        f"@inproceedings{{b, title={{{TITLE}}}, author={{Devlin, Jacob and Nemo, Quentin}}, year={{2019}}}}\n"
    )
    assert "Nemo" not in guard(f"Here it is:\n\n```bibtex\n{entry}```\n")


@pytest.mark.parametrize(
    ("printed", "behind", "shown"),
    [
        ("Roe, “A title of it”, PRL 72, 1530", " (1994)", "Roe, “A title of it”, PRL 72, 1530"),
        ("Roe, “A title of it”, PRL, 1530", ".", "Roe, “A title of it”, PRL, 1994"),
        ("Roe, “A title of it”, 1530, PRL 1530", ".", None),
        ("Roe, “A title of it”, PRL", ".", "Roe, “A title of it”, PRL"),
    ],
)
def test_a_year_is_replaced_where_it_is_false(printed, behind, shown):
    fault = Mismatch("year", "1530", "1994", 0.0, Reason.OFF)
    written = write(printed, fault, Claimed(title=RECORD.title, authors=(Name("Roe"),), year=1530), behind)
    assert written == (None if shown is None else [shown])


@pytest.mark.parametrize("venue", ["[PRL](https://a.example)", "<img src=x>", "a | b", "www.a.example"])
def test_markup_of_a_record_does_not_come_into_the_answer(venue):
    fault = Mismatch("venue", "Nature", venue, 0.0, Reason.OTHER_VENUE)
    claimed = Claimed(title=RECORD.title, authors=(Name("Roe"),), venue="Nature")
    assert write("Roe, “A title of it”, Nature", fault, claimed) is None
    assert write("Roe, “A title of it”, Nature", replace(fault, resolved="A\u202eB\nC"), claimed) not in (
        ["Roe, “A title of it”, A\u202eB\nC"],
        None,
    )


def test_people_of_one_name_take_no_longer_the_more_there_are():
    claimed = Claimed(title=RECORD.title, authors=(*(Name("Li") for _ in range(40)), Name("Zz")))
    fault = Mismatch("authors", "Li", "Roe", 0.0, Reason.AUTHOR_ADDED)
    assert write("Li " * 4000, fault, claimed) is None  # all ways to place forty names would take years
