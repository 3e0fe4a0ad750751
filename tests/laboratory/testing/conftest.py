"""A few real works, and a world with one small API that shows what it was asked."""

from __future__ import annotations

import pytest

from citeproof.laboratory.testing import Call, Holdings, Reply, Shelf, World
from citeproof.laboratory.testing.base import make_json_reply
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

RESNET = Record(
    "made", "resnet", ("Deep Residual Learning for Image Recognition",),
    authors=(Name("He", "Kaiming"), Name("Zhang", "Xiangyu"), Name("Ren", "Shaoqing"), Name("Sun", "Jian")),
    versions=(Version(2016, "CVPR", Kind.ARTICLE, pages="770-778"),), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1109/cvpr.2016.90"),)),
)  # fmt: skip
PLANCK = Record(
    "made", "planck", ("Über das Gesetz der Energieverteilung im Normalspectrum",),
    authors=(Name("Planck", "Max"),),
    versions=(Version(1901, "Annalen der Physik", Kind.ARTICLE, "309", "3", "553-563"),), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1002/andp.19013090310"),)),
)  # fmt: skip
SHELF = Shelf(RESNET, PLANCK)


def mirror(call: Call, holdings: Holdings) -> Reply:
    """Return the call itself, and the titles that its parameter `q` finds."""
    found = [record.title for record in holdings.search(call.query.get("q", ""))]
    said = {"path": call.path, "parts": call.parts, "query": dict(call.query), "base": call.base}
    return make_json_reply({**said, "method": call.method, "body": call.body.decode(), "titles": found})


@pytest.fixture
def world():
    with World(SHELF, apis={"mirror": mirror, "other": mirror}) as running:
        yield running
