"""A parametrised test runs as one test over its table: every case is tried, and all that fail are reported.

Thousands of cases take a tenth of a millisecond each; as tests of their own they take thirty times that.
Cases stay tests of their own where they differ in more than values: marks, fixtures made for each test,
Hypothesis. So they do under `-k`, and where the command line names one: `tests/test_x.py::test_y[case]`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from itertools import product
from typing import Any

import pytest

CASES = pytest.StashKey[int]()
SHARED = {"session", "package", "module"}
_PARAMETER_SET = type(pytest.param())
Case = Mapping[str, object]


def count_cases(item: pytest.Item) -> int:
    """Return how many cases a test tries."""
    return item.stash.get(CASES, 1)


def _read_rows(mark: pytest.Mark) -> list[Case] | None:
    """Return the rows of one `parametrize`, or None if they are more than values."""
    if set(mark.kwargs) - {"ids"} or len(mark.args) != 2 or not isinstance(mark.args[1], Sized):
        return None
    names, values = mark.args
    names = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else names
    rows: list[Case] = []
    for value in values:
        if isinstance(value, _PARAMETER_SET):
            if value.marks:
                return None
            cells: Sequence[object] = value.values
        else:
            cells = (value,) if len(names) == 1 else value
        rows.append(dict(zip(names, cells, strict=True)))
    return rows


def _read_cases(function: Callable[..., object]) -> list[Case] | None:
    """Return every case of a test whose only marks are `parametrize`, or None."""
    marks = getattr(function, "pytestmark", ())
    if not marks or any(mark.name != "parametrize" for mark in marks):
        return None
    tables = [_read_rows(mark) for mark in marks]
    if any(not table for table in tables):
        return None
    combined = product(*(table for table in tables if table))
    return [{name: value for row in rows for name, value in row.items()} for rows in combined]


def _try_cases(
    function: Callable[..., object], cases: Sequence[Case], before: Callable[[], None], shared: Case
) -> None:
    failures: list[BaseException] = []
    skips: list[BaseException] = []
    for case in cases:
        before()
        try:
            function(**shared, **case)
        except pytest.skip.Exception as skip:
            skips.append(skip)
        except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - raised when all were tried
            failure.add_note(f"case: {', '.join(f'{name}={value!r:.300}' for name, value in case.items())}")
            failures.append(failure)
    if len(failures) > 1:
        raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)
    if failures or skips:
        raise (failures or skips)[0]


def _names_a_case(config: pytest.Config) -> bool:
    return bool(config.option.keyword) or any("[" in argument for argument in config.args)


def make_table(
    collector: pytest.Module | pytest.Class, name: str, function: object, before: Callable[[], None]
) -> pytest.Function | None:
    """Return the test that tries every case of `function`, or None if each case needs a test of its own."""
    plain = inspect.isfunction(function) and isinstance(collector, pytest.Module) and name.startswith("test")
    if not plain or inspect.iscoroutinefunction(function) or hasattr(function, "hypothesis"):
        return None
    if _names_a_case(collector.config) or any(mark.name != "data" for mark in collector.iter_markers()):
        return None
    cases = _read_cases(function)
    if cases is None:
        return None
    own = [each for key, each in inspect.signature(function).parameters.items() if key not in cases[0]]

    @functools.wraps(function)
    def try_cases(**shared: Any) -> None:
        _try_cases(function, cases, before, shared)

    del try_cases.__dict__["pytestmark"], try_cases.__wrapped__
    try_cases.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    item = pytest.Function.from_parent(collector, name=name, callobj=try_cases)
    if any(scope not in SHARED for scope in _find_scopes(item)):
        return None
    item.stash[CASES] = len(cases)
    return item


def _find_scopes(item: pytest.Function) -> Iterator[str]:
    """Yield the scope of each fixture that a test uses, directly or through others."""
    known = item._fixtureinfo.name2fixturedefs
    for name in item.fixturenames:
        yield known[name][-1].scope if name in known else "function"
