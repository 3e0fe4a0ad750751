"""Lookups in a small snapshot: by identifier, title, raw string, authors."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.vocabulary import Kind, Name

ATTENTION, RESNET, PREPRINT, BERT = "works:1", "works:2", "works:3", "works:4"
PLANCK, EPR, RETRACTED, KNUTH = "works:5", "works:6", "works:7", "works:8"


@pytest.mark.parametrize(
    ("scheme", "value", "expected"),
    [
        ("doi", "10.1109/cvpr.2016.90", [RESNET]),
        ("doi", "https://doi.org/10.1109/CVPR.2016.90", [RESNET]),
        ("arxiv", "arXiv:1706.03762v5", [ATTENTION]),
        ("acl", "N19-1423", [BERT]),
        ("pmid", "9500320", [RETRACTED]),
        ("isbn", "0201896834", [KNUTH]),
        ("isbn", "978-0-201-89683-1", [KNUTH]),
        ("doi", "10.1109/cvpr.2016.91", []),
        ("doi", "not a doi", []),
        ("no such scheme", "1", []),
    ],
)
def test_by_id(snapshot: Snapshot, scheme, value, expected):
    assert [record.id for record in snapshot.by_id(scheme, value)] == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Attention is All you Need", ATTENTION),
        ("ATTENTION IS ALL YOU NEED.", ATTENTION),
        ("Attention is All you Want", ATTENTION),
        ("Attenton is Al you Need", ATTENTION),
        ("{BERT}: {P}re-training of Deep Bidirectional {T}ransformers for Language Understanding", BERT),
        ("BERT: Pre-training of Deep Bidirec-\ntional Transformers for Language Under-\nstanding", BERT),
        ("BERT: Pre-training of Deep Bidirectional Transformers", BERT),
        ("BERT: Pre-training of Shallow Bidirectional Transformers for Speech Understanding", BERT),
        ("Uber das Gesetz der Energieverteilung im Normalspectrum", PLANCK),
        ('{\\"U}ber das Gesetz der Energieverteilung im Normalspectrum', PLANCK),
        ("Can Quantum Mechanical Description of Physical Reality Be Considered Complete", EPR),
        ("The Art of Computer Programming", KNUTH),
    ],
)
def test_by_title_finds_first(snapshot: Snapshot, title, expected):
    assert snapshot.by_title(title)[0].id == expected


@pytest.mark.parametrize("title", ["", " ", "…", "xyzzy plugh", "\x00", "a" * 100_000, "word " * 20_000])
def test_nothing_like_it(snapshot: Snapshot, title):
    assert snapshot.by_title(title) == []


def test_all_equal_titles_come_first(snapshot: Snapshot):
    found = snapshot.by_title("introduction", limit=1)
    assert [record.id for record in found] == ["works:11", "works:12", "works:13"]


@pytest.mark.parametrize("authors", [(), ("Devlin", "Chang", "Lee", "Toutanova")])
def test_a_title_without_its_subtitle(snapshot: Snapshot, authors):
    found = snapshot.by_title("BERT", authors=[Name(family) for family in authors])
    assert [record.id for record in found] == [BERT]
    assert [(candidate.record.id, candidate.score) for candidate in snapshot.search("BERT")] == [(BERT, 0.85)]


def test_paper_before_front_matter(snapshot: Snapshot):
    found = snapshot.search("Proceedings of the 2019 Conference of the North American Chapter of the ACM")
    assert found[0].record.id == "works:10"
    assert found[0].score < 0.95


EINSTEIN = """A. Einstein, B. Podolsky, N. Rosen, Can quantum-mechanical description of physical reality
be considered complete?, Phys. Rev. 47, 777 (1935)"""
DEVLIN = """Devlin J, et al. BERT: Pretraining of deep bidirectional transfomers for language understanding.
Proceedings of the 2019 Conference of the North American Chapter of the ACL. 2019."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vaswani, A., Shazeer, N., et al. (2017). Attention is all you need. In NIPS.", ATTENTION),
        (
            "[3] K. He, X. Zhang, S. Ren, J. Sun, “Deep residual learning for image recognition,” 2016",
            RESNET,
        ),
        ("He K, Zhang X, Ren S, Sun J. Deep residual learning for image recognition. CoRR. 2015.", PREPRINT),
        (EINSTEIN, EPR),
        (DEVLIN, BERT),
    ],
)
def test_by_raw_finds_first(snapshot: Snapshot, text, expected):
    assert snapshot.by_raw(text)[0].id == expected
    assert snapshot.search(text)[0].record.id == expected


@pytest.mark.parametrize("text", ["", "....", "(((", "\x00" * 50, "1999"])
def test_raw_without_words(snapshot: Snapshot, text):
    assert snapshot.by_raw(text) == []


def test_linked_versions(snapshot: Snapshot):
    published, preprint = snapshot.by_title("Deep Residual Learning for Image Recognition")
    assert published.work == preprint.work != ""
    assert snapshot.same_work(published) == [preprint]
    assert snapshot.same_work(preprint) == [published]
    assert preprint.kind is Kind.PREPRINT


def test_linked_version_comes_with_a_near_title(snapshot: Snapshot):
    found = snapshot.by_title("Deep Residual Learnin for Image Recognition", limit=1)
    assert {record.id for record in found} == {RESNET, PREPRINT}


def test_short_titles_of_other_years_are_other_works(snapshot: Snapshot):
    assert {record.work for record in snapshot.by_title("Introduction")} == {""}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Einstein", "Podolsky", "Rosen"], [EPR]),
        (["Rosen", "Einstein", "Podolsky"], [EPR]),  # the same set
        (["Vaswani", "Shazeer", "Parmar", "Uszkoreit"], [ATTENTION]),  # the leading four in order
        (["Shazeer", "Vaswani", "Parmar", "Uszkoreit"], []),
        (["Planck"], []),  # one name says nothing
    ],
)
def test_by_authors(snapshot: Snapshot, names, expected):
    assert [record.id for record in snapshot.by_authors([Name(name) for name in names])] == expected


def test_a_record_is_clean(snapshot: Snapshot):
    knuth, odd = snapshot.record_at(7), snapshot.record_at(8)
    assert knuth.authors == (Name("Knuth", "Donald E."),)  # the list stood there twice
    assert knuth.kind is Kind.BOOK
    assert [name.display for name in odd.authors] == ["Bo An", "Fei Wu"]
    retracted = snapshot.by_id("pmid", "9500320")[0]
    assert retracted.marks == ("retracted",)
    assert not retracted.authors_complete
    assert retracted.source == "snapshot:small"
    assert len(retracted.content_hash) == 64


def test_facts(snapshot: Snapshot):
    assert snapshot.facts.knows_doi_prefix("10.1103") is None  # too few DOIs to tell
    assert snapshot.facts.venue_count("naacl") == 2
    assert snapshot.facts.venue_count("Nature") == 0


def test_record_at_knows_its_bounds(snapshot: Snapshot):
    with pytest.raises(IndexError):
        snapshot.record_at(len(range(13)))


def test_many_threads_read_one_snapshot(snapshot: Snapshot):
    def ask(_: int) -> list[object]:
        return [
            snapshot.by_title("Attention is All you Want"),
            snapshot.by_raw("Planck 1901 Über das Gesetz"),
        ]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(160)))
    assert answers == [ask(0)] * 160
    assert all(answers[0])


FORKING = """
import os, sys
from citeproof.evidence.index.snapshot import Snapshot
snapshot = Snapshot.open(sys.argv[1])
if not (child := os.fork()):
    with Snapshot.open(sys.argv[1]) as own:
        said = own.by_title("Attention is All you Want")[0].id, snapshot.by_title("Attenton is all")[0].id
    print(*said, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_forked_child_may_open_or_use_it(snapshot: Snapshot):
    """In a process of its own: a fork of this one would copy locks that other threads hold."""
    command = [sys.executable, "-c", FORKING, str(snapshot.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [ATTENTION, ATTENTION]


def test_two_readers_at_once(folder):
    with Snapshot.open(folder) as one, Snapshot.open(folder) as two:
        assert one.by_title("BERT") == two.by_title("BERT")


@pytest.mark.parametrize(
    ("families", "year", "expected"),
    [
        ("Vaswani", 2017, [ATTENTION]),
        ("Vaswani", 2016, [ATTENTION]),  # nothing of that year: the years next to it
        ("Vaswani", 2012, []),
        ("Shazeer", 2017, []),  # not the first author
        ("He Zhang", 2016, [RESNET]),
        ("He Sun", 2016, []),  # full text knows two authors
        ("Planck", 1901, [PLANCK]),
        ("", 1901, []),
    ],
)
def test_by_author_year(snapshot: Snapshot, families, year, expected):
    names = [Name(family) for family in families.split()]
    assert [record.id for record in snapshot.by_author_year(names, year)] == expected
