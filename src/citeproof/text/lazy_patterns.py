"""The standard library's `re`, but a pattern is compiled when a method of it is first asked for.

    from citeproof.text import lazy_patterns as re

A run uses few of the patterns in the modules that it imports. (`match.re` is the compiled pattern.)
"""

from functools import cached_property
from re import *  # noqa: F403 - everything else is as it is there
from re import (
    Pattern,
    __all__,  # noqa: F401 - same
)
from re import compile as _compile_now
from typing import TYPE_CHECKING


class LazyPattern:
    """What `re.compile` returns; each method is looked up once."""

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self.pattern = pattern
        self._asked_flags = flags

    @cached_property
    def _compiled(self) -> Pattern[str] | Pattern[bytes]:
        return _compile_now(self.pattern, self._asked_flags)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        value: object = getattr(self._compiled, name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[object, ...]:
        return LazyPattern, (self.pattern, self._asked_flags)


if not TYPE_CHECKING:
    compile = LazyPattern  # noqa: A001 - the name that it has in `re`
