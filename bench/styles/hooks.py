"""Marks put around what the CSL renderer renders.

citeproc-py has no hook for "this text came from that variable", so the methods that render a variable are
wrapped: the value is marked after its case and format were applied and before its affixes are put around it.
Marks inside the values would not do: they disturb initials, title case and page ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from bench.styles.marks import CLOSE, mark
from citeproc import model

_FIELDS = {
    "title": "title", "container-title": "container", "collection-title": "series", "volume": "volume",
    "issue": "issue", "page": "pages", "page-first": "pages", "number-of-pages": "pages",
    "publisher": "publisher", "publisher-place": "location", "edition": "edition", "number": "idno",
    "genre": "note", "DOI": "doi", "URL": "url", "ISBN": "idno", "PMID": "idno",
    "PMCID": "idno", "note": "note",
    "event": "container", "event-title": "container", "event-place": "location", "status": "note",
    "medium": "note", "collection-number": "volume", "authority": "publisher", "archive": "note",
    "citation-number": "citnum", "issued": "date", "accessed": "access", "original-date": "date",
    "title-short": "title", "container-title-short": "container", "number-of-volumes": "volume",
}  # fmt: skip
_ROLES = {
    "author": "author", "editor": "editor", "translator": "editor", "collection-editor": "editor",
    "container-author": "editor", "editortranslator": "editor",
}  # fmt: skip
_EDITORS = {role: label for role, label in _ROLES.items() if label == "editor"}
# The date being rendered: a part of a date does not know whose part it is.
_state = {"date": "date"}


def install() -> None:
    """Wrap the rendering methods; once, for the life of the process."""
    if hasattr(model, "marked"):
        return
    model.marked = True
    model.Text.markup = _text
    model.Number.markup = _number
    model.Date_Part.markup = _date_part
    model.Date.process = _date(model.Date.process)
    model.Name.initialize = _initials(model.Name.initialize)
    model.Name.render = _named(model.Name.render, _ROLES)
    model.Label.render = _named(model.Label.render, _EDITORS)


def _marked(label: str | None, value: Any) -> Any:
    if label is None:
        return value
    return model.String(mark(label, "x")[0]) + value + model.String(CLOSE)


def _text(self: Any, text: Any, language: str) -> Any:
    if not text:
        return None
    done = self.format(self.case(self.strip_periods(text), language))
    return self.wrap(self.quote(_marked(_FIELDS.get(self.get("variable", "")), done)))


def _number(self: Any, text: Any) -> Any:
    if not text:
        return None
    done = self.format(self.case(self.strip_periods(text)))
    return self.wrap(_marked(_FIELDS.get(self.get("variable", "")), done))


def _date_part(self: Any, text: Any) -> Any:
    if not text:
        return None
    done = self.format(self.case(self.strip_periods(model.String(text))))
    return self.wrap(_marked(_state["date"], done))


def _date(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def process(self: Any, item: Any, variable: Any = None, *args: Any, **kwargs: Any) -> Any:
        before = _state["date"]
        _state["date"] = _FIELDS.get(variable or self.get("variable"), "date")
        try:
            return original(self, item, variable, *args, **kwargs)
        finally:
            _state["date"] = before

    return process


def _named(original: Callable[..., Any], labels: dict[str, str]) -> Callable[..., Any]:
    @wraps(original)
    def render(self: Any, item: Any, variable: Any = None, *args: Any, **kwargs: Any) -> Any:
        text = original(self, item, variable, *args, **kwargs)
        return _marked(labels.get(variable), text) if text and not isinstance(text, int) else text

    return render


def _initials(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def given_or_initials(self: Any, given: str, sign: str, context: Any) -> Any:
        # The renderer does not know initialize="false": full given names would come out as initials.
        if self.get("initialize", self.get_root().get("initialize")) == "false":
            return given
        return original(self, given, sign, context)

    return given_or_initials
