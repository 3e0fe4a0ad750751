"""What is shown of a verified citation is the record's: false people and venues are replaced or held."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from citeproof.claims.canonical_fields import write_canonical_fields
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import Claimed, Mismatch, Name, Reason, Record, Version

TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
PEOPLE = "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova"
OWN = "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K."
HELD = "[citation not verified]"


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
    record = Record("made", "1", ("A title of it",), (Name("Roe", "A."),), versions=(Version(1994, "PRL"),))
    fault = Mismatch("year", "1530", "1994", 0.0, Reason.OFF)
    judgement = SimpleNamespace(work_record=record, mismatches=(fault,), notes=())
    claimed = Claimed(title="A title of it", authors=(Name("Roe"),), year=1530)
    attached = SimpleNamespace(
        checked=SimpleNamespace(judgement=judgement), candidate=SimpleNamespace(claimed=claimed)
    )
    written = write_canonical_fields([printed], SimpleNamespace(attached=attached), behind)
    assert written == (None if shown is None else [shown])
