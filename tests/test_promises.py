"""What must hold on the whole path, from a .bib file to the label, whatever the weights say.

Real works (facts of well-known papers), cited rightly and wrongly, each alone in its file, against
a snapshot that holds them all.
"""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citeproof.plumbing.clock import FixedClock
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.text import title as titles
from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries
from citeproof.vocabulary import Document, Label, Verdict

RECORDS = Path(__file__).parents[1] / "examples" / "records.bib"
WORKS = [
    e
    for e in scan_entries(RECORDS.read_text("utf-8"))
    if isinstance(e, BibtexEntry) and " and " in e.fields["author"]
]
BOUND = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
OTHER_WORDS = ["harmonic", "glacier", "treaty", "molecule", "lattice"]


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    from datetime import UTC, datetime

    from citeproof.evidence.index.build import BuildInput, build

    out = tmp_path_factory.mktemp("promises") / "snapshot"
    build([BuildInput("bibtex", (RECORDS,))], out)
    clock = FixedClock(datetime(2026, 11, 15, tzinfo=UTC))
    return assemble(Settings(snapshots=(out,), offline=True), clock=clock)


def judged(verifier, **fields):
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    (raw,) = verifier.extract(Document("one.bib", f"@inproceedings{{one,\n{body}\n}}".encode())).references
    return asyncio.run(verifier.verify_one(raw)).judgement


def cited(work, **changes):
    return {
        name: work.fields.get(name, "") for name in ("title", "author", "year", "booktitle", "doi")
    } | changes


@pytest.mark.parametrize("work", WORKS, ids=lambda w: w.key[-20:])
def test_a_work_cited_as_it_is_recorded_is_exact(work, verifier):
    assert judged(verifier, **cited(work)).label is Label.EXACT


@BOUND
@given(st.sampled_from(WORKS), st.integers(0, 20), st.sampled_from(OTHER_WORDS), st.booleans())
def test_one_changed_content_word_is_never_exact(verifier, work, at, other, with_doi):
    words = titles.clean(work.fields["title"]).split()
    content = [i for i, w in enumerate(words) if titles.make_title_key(w) not in titles.STOPWORDS]
    words[content[at % len(content)]] = other
    changes = {"title": " ".join(words)} | ({} if with_doi else {"doi": ""})
    assert judged(verifier, **cited(work, **changes)).label is not Label.EXACT


@BOUND
@given(st.sampled_from(WORKS), st.integers(0, 20), st.booleans())
def test_two_swapped_authors_are_never_passed_over(verifier, work, at, with_doi):
    """A lone record is a coin toss about the order behind the first author: that is a note."""
    people = " ".join(work.fields["author"].split()).split(" and ")
    i = at % (len(people) - 1)
    people[i], people[i + 1] = people[i + 1], people[i]
    changes = {"author": " and ".join(people)} | ({} if with_doi else {"doi": ""})
    judgement = judged(verifier, **cited(work, **changes))
    noted = any(note.reason == "order_swapped" for note in judgement.notes)
    assert judgement.label is not Label.EXACT or noted
    assert judgement.label is not Label.EXACT or not (with_doi and i == 0)


def initials(author):
    names = [
        n.split(", ") if ", " in n else [n.rpartition(" ")[2], n.rpartition(" ")[0]]
        for n in author.split(" and ")
    ]
    return " and ".join(f"{family}, {' '.join(g[0] + '.' for g in given.split())}" for family, given in names)


FORMS = {
    "upper case": lambda w: {"title": w.fields["title"].upper()},
    "lower case": lambda w: {"title": titles.clean(w.fields["title"]).lower()},
    "braces": lambda w: {
        "title": "".join(f"{{{c}}}" if c.isupper() else c for c in titles.clean(w.fields["title"]))
    },
    "accents": lambda w: {"title": titles.clean(w.fields["title"]).replace("e", "é")},
    "LaTeX accents": lambda w: {"title": titles.clean(w.fields["title"]).replace("o", r"{\"o}")},
    "full stop": lambda w: {"title": w.fields["title"] + "."},
    "initials": lambda w: {"author": initials(" ".join(w.fields["author"].split()))},
    "et al.": lambda w: {"author": w.fields["author"].split(" and ")[0] + " and others"},
    "no venue": lambda _: {"booktitle": ""},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("work", WORKS, ids=lambda w: w.key[-20:])
def test_acceptable_forms_never_lower_the_label(work, form, verifier):
    assert judged(verifier, **cited(work, **FORMS[form](work))).label is Label.EXACT


VENUES = [
    ("He", "CVPR"),
    ("He", "Proc. IEEE Conf. Comput. Vis. Pattern Recognit."),
    ("Vaswani", "Adv. Neural Inf. Process. Syst."),
    ("Vaswani", "NeurIPS"),
    ("Finn", "Proc. Int. Conf. Mach. Learn."),
    ("Devlin", "NAACL-HLT"),
]


@pytest.mark.parametrize(("family", "venue"), VENUES)
def test_abbreviated_venues_never_lower_the_label(family, venue, verifier):
    work = next(w for w in WORKS if family in w.fields["author"].split(" and ")[0])
    assert judged(verifier, **cited(work, booktitle=venue)).label is Label.EXACT


@BOUND
@given(st.lists(st.sampled_from(OTHER_WORDS), min_size=4, max_size=7), st.integers(1950, 2026))
def test_what_a_snapshot_does_not_claim_to_hold_is_never_called_absent(verifier, words, year):
    j = judged(verifier, title=" ".join(words), author="Jane Roe", year=year, booktitle="Journal of Glaciers")
    assert (j.verdict, j.label) == (Verdict.UNCHECKED, None)
