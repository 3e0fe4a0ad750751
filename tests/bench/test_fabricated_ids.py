"""Fabricated identifiers in twelve forms and eight schemes, live; and all registries down."""

from __future__ import annotations

import asyncio
import random

import pytest

from bench import fabricated_ids as bench
from citeproof.laboratory.testing import Faults, Shelf, World
from citeproof.vocabulary import Label
from tests.evidence.sources.shelved import ATTENTION, PLANCK, RESNET, WAKEFIELD

EVERY = [(form, scheme) for form in bench.FORMS for scheme in bench.SCHEMES]


@pytest.fixture(scope="module")
def world():
    with World(Shelf(RESNET, ATTENTION, PLANCK, WAKEFIELD)) as made:
        yield made


def cited(seed):
    rng = random.Random(seed)
    return [(form, bench.invent(rng, scheme)) for form, scheme in EVERY]


@pytest.mark.slow
def test_a_fabricated_identifier_is_flagged_and_told_in_every_form(world, tmp_path):
    found = asyncio.run(bench.check_all(world, cited(1), tmp_path))
    missed = [
        (form, work.scheme)
        for form, work, checked in found
        if not (bench.flagged(checked) and bench.told(work, checked))
    ]
    assert missed == []
    assert {checked.judgement.label for *_, checked in found} == {Label.MAJOR}


def test_registries_that_are_down_convict_nobody(world, tmp_path):
    for api in world.urls:
        world.set(api, faults=Faults.status(503))
    try:
        found = asyncio.run(bench.check_all(world, cited(2)[::5], tmp_path))
    finally:
        for api in world.urls:
            world.set(api, faults=())
    assert {checked.judgement.label for *_, checked in found} == {None}
