"""Items through CSL styles, with a mark around every value (`hooks`)."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import citeproc
from bench.styles import hooks
from bench.styles.items import Item
from bench.styles.marks import CLOSE, MARKS, mark
from citeproc.formatter import plain as plain_formatter
from citeproc.source.json import CiteProcJSON

_SEAM = re.compile(rf"([.,;:!?])([{MARKS}]*)\1")
_QUESTION = re.compile(rf"([?!])([{MARKS}”\"]*)\.(?!\.)")
_AMERICAN = re.compile(rf"([{MARKS}]*)”([.,])")
_NUMBERED = re.compile(rf"(\ue00e\d+{CLOSE}[\])}}.]?)(?=\S)(?![\].)])")
_DOUBLED = re.compile(rf"([{MARKS}]*) +(?=[{MARKS}]* )")
# The renderer leaves these behind where a field is missing; nobody writes them.
_BROKEN = re.compile(
    r"\(\s*\)|\[\s*\]|,\s*,|“\s*”|\bn\.d\.|NO_PRINTED_FORM|:\s*:|\b(?:None|False)\b"
    r"| \.(?:\s|\Z)|, :|\. ,|, p\.,|, Edition,"
)
_EDITION = re.compile(rf"(\ue011[^{CLOSE}]*){CLOSE}((?:st|nd|rd|th|er|ème|e|ª|º|a)?\.?,? ?"
                      r"(?:edn?|edition|Aufl|Auflage|éd|édition|edición|edição|edizione|版)\b)")  # fmt: skip
_PAGECOUNT = re.compile(rf"(\ue007\d+){CLOSE}( ?(?:p|pp|S|Seiten|pages|с)\b)")
_DOI_LINK = re.compile(rf"(https?://(?:dx\.)?doi\.org/)\ue00b([^{CLOSE}]*){CLOSE}")
_BEFORE_LINK = re.compile(r"((?:Available|Retrieved|Disponible|Disponibile|Disponível|Verfügbar|Abgerufen|"
                          r"Zugriff|Consulté|Recuperado|Online)[^\ue000-\ue0ff.:\[\]()]{0,40}"
                          r":?) (?=\ue00c)")  # fmt: skip


hooks.install()


@cache
def style(path: Path, locale: str | None) -> Any:
    """The loaded style, speaking `locale` unless the style has a language of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return citeproc.CitationStylesStyle(str(path), locale=locale, validate=False)


def rendered(path: Path, item: Item, locale: str | None) -> str | None:
    """The marked reference in that style; None when the result is not what a person would print."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = CiteProcJSON([item.csl()])
            shelf = citeproc.CitationStylesBibliography(style(path, locale), source, plain_formatter)
            shelf.register(citeproc.Citation([citeproc.CitationItem("x")]))
            marked = str(shelf.bibliography()[0])
            if not item.authors and item.editors and marked.count(item.editors[0].family) > 1:
                return None  # the renderer prints editors twice who stand in for authors
        except Exception:  # noqa: BLE001  the renderer fails in many ways on rare styles; the caller counts them
            return None
    return _mended(marked, american=locale == "en-US")


def _mended(marked: str, *, american: bool) -> str | None:
    text = _SEAM.sub(r"\1\2", marked)
    text = _QUESTION.sub(r"\1\2", text)
    text = _DOUBLED.sub(r"\1", text)
    text = _EDITION.sub(rf"\1\2{CLOSE}", text)
    text = _PAGECOUNT.sub(rf"\1\2{CLOSE}", text)
    text = _DOI_LINK.sub(lambda m: mark("url", m[1] + m[2]), text)
    text = _BEFORE_LINK.sub(lambda m: mark("note", m[1]) + " ", text)
    text = _NUMBERED.sub(r"\1 ", text)
    if american:
        text = _AMERICAN.sub(r"\1\2”", text)
    bare = text.translate(dict.fromkeys(map(ord, MARKS)))
    return (
        None if _BROKEN.search(bare) or len(bare) < 25 or not ("\ue001" in text or "\ue002" in text) else text
    )
