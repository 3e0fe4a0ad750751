"""Values whose fields are set through their slots behave as any frozen dataclass."""

import inspect
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from citeproof.vocabulary import Claimed, Ids, Name


def test_a_value_is_made_as_its_dataclass_says():
    assert Name("Curie", suffix="Jr.") == Name(family="Curie", given="", suffix="Jr.", collective=False)
    assert Claimed() == Claimed(title=None, ids=Ids())
    assert list(inspect.signature(Name).parameters) == ["family", "given", "suffix", "collective"]
    assert replace(Name("Curie"), given="Marie") == Name("Curie", "Marie")
    assert pickle.loads(pickle.dumps(Name("Curie"))) == Name("Curie")


def test_a_value_stays_frozen_and_needs_its_fields():
    with pytest.raises(FrozenInstanceError):
        Name("Curie").family = "Joliot"  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'family'"):
        Name()  # type: ignore[call-arg]
