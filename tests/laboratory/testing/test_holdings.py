"""What the world's servers know: by identifier, by title, by a whole citation; one work once."""

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import SnapshotHoldings
from tests.evidence.index.conftest import write_works
from tests.laboratory.testing.conftest import PLANCK, RESNET, SHELF

SEARCHES = [
    ("Deep residual learning for image recognition", [RESNET]),
    ("deep residul learning for image recogniton", [RESNET]),
    ("Recognition of images by residual learning, deep", [RESNET]),
    ("K. He, X. Zhang. Deep Residual Learning for Image Recognition. In CVPR, 2016, pp. 770-778.", [RESNET]),
    ("Uber das Gesetz der Energieverteilung im Normalspectrum", [PLANCK]),
    ("Quantum gravity on a budget", []),
    ("", []),
]


@pytest.mark.parametrize(("words", "expected"), SEARCHES)
def test_a_shelf_is_searched(words, expected):
    assert SHELF.search(words) == expected


def test_a_shelf_by_id():
    assert SHELF.by_id("doi", "10.1109/CVPR.2016.90") == [RESNET]
    assert SHELF.by_id("doi", "10.1109/cvpr.2016.91") == []
    assert SHELF.by_id("pmid", "1") == []


@pytest.fixture(scope="module")
def holdings(tmp_path_factory):
    base = tmp_path_factory.mktemp("world")
    build([BuildInput("works", (write_works(base / "works.jsonl"),))], base / "snapshot", name="small")
    with Snapshot.open(base / "snapshot") as snapshot:
        yield SnapshotHoldings(snapshot)


@pytest.mark.parametrize(
    "found",
    [
        lambda h: h.by_id("doi", "10.1109/cvpr.2016.90"),
        lambda h: h.by_id("arxiv", "1512.03385"),
        lambda h: h.search("Deep Residual Learning for Image Recognition", 5),
        lambda h: h.search("He et al. Deep Residual Learning for Image Recognition. CVPR 2016", 1),
    ],
)
def test_the_records_of_one_work_are_one(holdings, found):
    (work,) = found(holdings)
    assert {"10.1109/cvpr.2016.90", "1512.03385"} <= {value for _, value in work.ids.pairs}
    assert {(v.year, v.venue) for v in work.versions} == {(2016, "CVPR"), (2015, "CoRR")}
    assert [a.family for a in work.authors] == ["He", "Zhang", "Ren", "Sun"]


def test_what_a_snapshot_does_not_have(holdings):
    assert list(holdings.by_id("doi", "10.9999/nothing")) == []
    assert list(holdings.by_id("doi", "no doi at all")) == []


def test_works_that_only_share_a_title_stay_apart(holdings):
    assert len(holdings.search("Introduction", 5)) > 1
