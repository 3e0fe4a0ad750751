"""Classes that need no compiler behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest

from citeproof.vocabulary import quick_dataclass
from citeproof.vocabulary.quick_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Work:
    title: str
    names: tuple[str, ...] = ()
    seen: list[int] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title.strip())


@dataclass(slots=True)
class Counter:
    """It counts."""

    number: int = 0


def test_a_frozen_value_is_made_compared_hashed_and_shown() -> None:
    work = Work(" A ", names=("B",))
    assert (work.title, work.names, work.seen) == ("A", ("B",), [])
    assert work == Work("A", ("B",), [1])
    assert work != Work("A")
    assert work != ("A", ("B",))
    assert len({work, Work("A", ("B",))}) == 1
    assert repr(work) == "Work(title='A', names=('B',))"
    assert dataclasses.replace(work, names=()) == Work("A")
    match work:
        case Work(title, names):
            assert (title, names) == ("A", ("B",))


def test_a_frozen_value_cannot_be_changed() -> None:
    work: Any = Work("A")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'title'"):
        work.title = "B"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'title'"):
        del work.title
    with pytest.raises(dataclasses.FrozenInstanceError):
        work.other = 1


def test_a_frozen_value_is_stored_and_copied() -> None:
    work = Work("A", seen=[1])
    assert pickle.loads(pickle.dumps(work)).seen == [1]
    assert copy.deepcopy(work) == work


def test_a_value_that_may_change_has_no_hash() -> None:
    counter = Counter()
    counter.number += 1
    assert (counter, repr(counter)) == (Counter(1), "Counter(number=1)")
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_methods_of_the_class_stay() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    assert (Own("a"), hash(Own("a")), repr(Own("a"))) == (Own("b"), 7, "own")


def test_rare_kinds_are_left_to_the_library() -> None:
    @dataclass(frozen=True, slots=True)
    class Printed(Work):
        pages: int = 0

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        name: str

    assert repr(Printed("A", pages=3)).endswith("Printed(title='A', names=(), pages=3)")
    assert Named(name="a") == Named(name="a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Printed("A").pages = 4  # type: ignore[misc]


def test_a_field_without_default_after_one_with_is_refused() -> None:
    class Wrong:
        __annotations__ = {"a": "int", "b": "int"}
        a = 1

    with pytest.raises(TypeError, match="non-default argument 'b' follows default argument"):
        dataclass(frozen=True, slots=True)(Wrong)


def test_what_the_library_says_of_it() -> None:
    made = {dataclasses: None, quick_dataclass: None}
    for module in made:

        class Shown:
            __annotations__ = {"a": "int", "b": "str"}
            b = "x"

        shown = module.dataclass(frozen=True, slots=True)(Shown)
        params = {
            name: getattr(shown.__dataclass_params__, name) for name in ("init", "repr", "eq", "frozen")
        }
        made[module] = (
            str(inspect.signature(shown)),
            shown.__match_args__,
            params,
            shown.__slots__,
        )
    assert made[dataclasses] == made[quick_dataclass]
