"""Tables of cases: which tests become one, that each case is tried, and what is said of those that fail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import count_cases, make_table

TWO = pytest.mark.parametrize("number", [1, 2])


@pytest.fixture(scope="module")
def shared_value():
    return 7


@pytest.fixture
def own_value():
    return 7


@TWO
def plain(number): ...


@TWO
@pytest.mark.parametrize(("text", "length"), [("a", 1), ("ab", 2), pytest.param("abc", 3, id="three")])
def stacked(number, text, length):
    assert len(text) == length


@TWO
def shares(number, shared_value): ...


@TWO
def owns(number, own_value): ...


@TWO
@pytest.mark.slow
def marked(number): ...


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
def marked_case(number): ...


@TWO
@given(text=st.text())
def drawn(number, text): ...


@TWO
async def awaited(number): ...


@pytest.mark.parametrize("number", [])
def empty(number): ...


def single(): ...


@pytest.mark.parametrize(("function", "cases"), [(plain, 2), (stacked, 6), (shares, 2)])
def test_cases_that_differ_in_values_are_one_test(function, cases, request):
    table = make_table(request.node.parent, "test_made", function, lambda: None)
    assert table is not None
    assert count_cases(table) == cases


@pytest.mark.parametrize("function", [owns, marked, marked_case, drawn, awaited, empty, single])
def test_other_cases_stay_tests_of_their_own(function, request):
    assert make_table(request.node.parent, "test_made", function, lambda: None) is None


def run_table(request, check, cases):
    function = pytest.mark.parametrize("number", cases)(check)
    tries = []
    table = make_table(request.node.parent, "test_made", function, lambda: tries.append(1))
    try:
        table.obj()
    finally:
        assert len(tries) == len(cases)


def test_every_case_that_fails_is_reported(request):
    def check(number):
        if number == 4:
            pytest.fail("four")
        assert number < 3

    with pytest.raises(BaseExceptionGroup, match="3 of 5 cases") as caught:
        run_table(request, check, [1, 2, 3, 4, 5])
    notes = [note for failure in caught.value.exceptions for note in failure.__notes__]
    assert notes == ["case: number=3", "case: number=4", "case: number=5"]


def test_one_failure_is_raised_as_it_is(request):
    def check(number):
        assert number < 2

    with pytest.raises(AssertionError) as caught:
        run_table(request, check, [1, 2])
    assert caught.value.__notes__ == ["case: number=2"]


def test_a_skipped_case_hides_no_failure(request):
    def check(number):
        if number == 1:
            pytest.skip("no program")
        assert number < bound

    bound = 3
    with pytest.raises(pytest.skip.Exception, match="no program"):
        run_table(request, check, [1, 2])
    with pytest.raises(AssertionError):
        run_table(request, check, [1, 2, 3])
