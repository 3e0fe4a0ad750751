"""The standard library's `dataclasses`, whose classes with slots are built in a third of the time.

    from citeproof.vocabulary.quick_dataclass import dataclass, field

A command builds 200 classes before it does anything, and the library compiles six methods for each. Here
`__init__` is compiled, which sets the slots themselves and so makes frozen values in half the time, and
comparisons when they are first used. Rare kinds of classes and fields are left to the library.
"""
# ruff: noqa: ANN401 - its values are of any class

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import *  # noqa: F403 - everything else is as it is there
from dataclasses import __all__  # noqa: F401 - same
from typing import TYPE_CHECKING, Any

_MISSING: Any = object()  # stands for a default that a factory makes


def _build_class(
    cls: type,
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as dataclasses calls it
    **options: Any,
) -> type:
    """Return the class as `dataclasses.dataclass` makes it, with methods that need no compiler."""
    odd = any(isinstance(value, dataclasses.Field) and not value.init for value in vars(cls).values())
    if odd or options.keys() != {"slots"} or any(map(dataclasses.is_dataclass, cls.__mro__[1:])):
        return dataclasses.dataclass(cls, frozen=frozen, eq=eq, repr=repr, **options)
    own = set(vars(cls)) - ({"__hash__"} if vars(cls).get("__hash__") is None else set())
    cls.__doc__ = cls.__doc__ or cls.__name__  # or the library asks for the signature
    built: Any = dataclasses.dataclass(cls, eq=False, repr=False, init=not frozen, **options)
    params, fields = built.__dataclass_params__, dataclasses.fields(built)
    params.frozen, params.eq, params.repr, params.init = frozen, eq, repr, True
    methods: dict[str, Any] = {"__repr__": _format_value} if repr else {}
    if frozen:
        methods |= {
            "__init__": _compile_init(built, fields),
            "__setattr__": _refuse_change,
            "__delattr__": _refuse_change,
        }
        methods |= {"__getstate__": _get_state, "__setstate__": _set_state}
    if eq:
        methods |= _make_comparison(built, [field.name for field in fields if field.compare], frozen=frozen)
    for name, method in methods.items():
        if name not in own:
            setattr(built, name, method)
    return built  # type: ignore[no-any-return]


def _compile_init(built: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    """Return an `__init__` that sets the slots; the library's looks each of them up by name."""
    known: dict[str, Any] = {"_MISSING": _MISSING}
    head, body, defaults = ["self"], "", []
    for field in fields:
        name, made = field.name, field.default_factory is not dataclasses.MISSING
        known[f"_set_{name}"] = getattr(built, name).__set__
        value = name
        if made:
            known[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        if made or field.default is not dataclasses.MISSING:
            defaults.append(_MISSING if made else field.default)
        elif defaults:
            raise TypeError(f"non-default argument {name!r} follows default argument")
        head.append(name)
        body += f"\n    _set_{name}(self, {value})"
    body += "\n    self.__post_init__()" if hasattr(built, "__post_init__") else ""
    exec(f"def __init__({', '.join(head)}):{body or ' pass'}", known)  # noqa: S102 - as dataclasses does it
    made_init: Any = known["__init__"]
    made_init.__defaults__ = tuple(defaults)
    made_init.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    made_init.__qualname__ = f"{built.__qualname__}.__init__"
    made_init.__module__ = built.__module__
    return made_init  # type: ignore[no-any-return]


def _make_comparison(built: type, names: list[str], *, frozen: bool) -> dict[str, Any]:
    """Return `__eq__` over these fields, and `__hash__`, which only a frozen value has."""
    mine, others = ("".join(f"{value}.{name}, " for name in names) for value in ("self", "other"))
    same = f"({mine}) == ({others}) if other.__class__ is self.__class__ else NotImplemented"
    made = {"__eq__": _compile_when_called(built, "__eq__", f"self, other: {same}"), "__hash__": None}
    return made | (
        {"__hash__": _compile_when_called(built, "__hash__", f"self: hash(({mine}))")} if frozen else {}
    )


def _compile_when_called(built: type, name: str, source: str) -> Callable[..., Any]:
    """Return a method that puts what `lambda source` makes in its own place when it is first called."""

    def compile_and_call(*values: Any) -> Any:
        compiled = eval(f"lambda {source}")  # noqa: S307 - as dataclasses does it
        setattr(built, name, compiled)
        return compiled(*values)

    return compile_and_call


def _format_value(self: Any) -> str:
    shown = [
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    ]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_change(self: Any, name: str, *value: object) -> None:
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
    (object.__setattr__ if value else object.__delattr__)(
        self, name, *value
    )  # a class below it that has more


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - what type checkers know by name
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Return the class, or a decorator with these options."""
        return _build_class(cls, **options) if cls else lambda decorated: _build_class(decorated, **options)
