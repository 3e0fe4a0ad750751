"""Citations through CSL styles, by citeproc-py where it is installed (the extra `csl`).

The renderer leaves traces of fields that a work does not have, and does not know all that styles ask for.
What no person would print is not returned: another style is to be taken for that work.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from lxml import etree

from citeproof.errors import InputError
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.rendering.rendered_names import is_eastern_name
from citeproof.laboratory.measure.rendering.tidy_fields import (
    choose_shape,
    format_venue,
    is_on_arxiv,
    make_plain_line,
    tidy_citation,
)
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Kind, Name

MAX_STYLE = 4 * 1024 * 1024  # bytes; the largest published style has some 200 KB
_TYPES = {
    "article": "article-journal", "paper": "paper-conference", "book": "book", "thesis": "thesis",
    "report": "report", "preprint": "article", "other": "article",
}  # fmt: skip
_KINDS = {Kind.CHAPTER: "chapter", Kind.DATASET: "dataset", Kind.SOFTWARE: "software",
          Kind.WEB_PAGE: "webpage", Kind.LEGAL: "legislation"}  # fmt: skip
# Left behind where a field is missing; no person writes them.
_BROKEN = re.compile(
    r"\(\s*\)|\[\s*\]|,\s*,|“\s*”|\bn\.d\.|\bno date\b|NO_PRINTED_FORM|:\s*:|\b(?:None|False)\b"
    r"| \.(?:\s|\Z)| ,|, :|\. ,|, p\.,|, Edition,|\bpp?\. ?[,.]|\bvol\. ?,|\(,|;\s*;"
    r"|\[Online\]\. Available:\s*\Z"
)
_NO_PAGES = re.compile(r"[;,] (?:pp? \.|(?:pp?|S)\.?\Z)")
# What styles say of every article that has no volume.
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # marks that others hook into the renderer; no text has them
_GUESSED = re.compile(r" \[Preprint\]|Published online (?=\d)|,? ahead of print")
_WORD = re.compile(r"\w+")
_SEAM = re.compile(r"([.,;:!?])\1(?=\s|\Z)")  # inside a word it is a DOI's own: <1804::aid-cncr>
_TWICE = re.compile(r"(?P<link>https://doi\.org/(?P<doi>10\.\S{1,200})\b.{0,40}) doi:(?P=doi)")
_QUESTION = re.compile(r"([?!])([”\"]?)\.(?!\.)")
_NUMBERED = re.compile(r"\A\s*(?:\[\d+\]|\(?\d+[.)])\s*")
_QUOTED = re.compile(r"”([.,])")


@dataclass(frozen=True, slots=True)
class CslStyle:
    """One .csl file."""

    name: str
    loaded: Any = field(repr=False, compare=False)
    form: Literal["text"] = "text"

    @property
    def numeric(self) -> bool:
        """Whether texts cite by number."""
        categories = self.loaded.root.iterfind(".//{*}category")
        return any(category.get("citation-format") == "numeric" for category in categories)

    def render(self, cited: CitationFields, key: str = "") -> str:  # noqa: ARG002 - printed lists have no keys
        """Return the citation; empty if the style cannot print it as a person would."""
        cited = tidy_citation(cited)
        if not cited.title:
            return ""
        text = _PRIVATE.sub("", _render_csl(self.loaded, cited))
        text = text if choose_shape(cited) == "preprint" else _GUESSED.sub("", text)
        text = _NO_PAGES.sub(".", " ".join(text.split()))
        text = _SEAM.sub(r"\1", _NUMBERED.sub("", text))
        text = _TWICE.sub(r"\g<link>", text)
        text = _QUOTED.sub(r"\1”", _QUESTION.sub(r"\1\2", text))
        return "" if _is_broken(text, cited) else text


class CslMarks:
    """Citations in a text by one style; the renderer remembers which works were cited before."""

    def __init__(self, style: CslStyle) -> None:
        self._citeproc, plain = _import_citeproc("citeproc"), _import_citeproc("citeproc.formatter.plain")
        self._read = _import_citeproc("citeproc.source.json").CiteProcJSON
        self._shelf = self._citeproc.CitationStylesBibliography(style.loaded, self._read([]), plain)

    def cite(self, cited: Mapping[str, CitationFields]) -> str:
        """Return the citation of some works by their ids; empty if the style cannot print it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                items = [
                    _build_csl_item(tidy_citation(fields)) | {"id": name} for name, fields in cited.items()
                ]
                self._shelf.source.update(self._read(items))
                citation = self._citeproc.Citation([self._citeproc.CitationItem(name) for name in cited])
                self._shelf.register(citation)
                text = make_plain_line(_PRIVATE.sub("", str(self._shelf.cite(citation, lambda _: None))))
            except Exception:  # noqa: BLE001 - as in _render_csl
                return ""
        return "" if _BROKEN.search(text) else text


def load_csl_style(path: Path) -> CslStyle:
    """Return the style of a file; raise `InputError` without citeproc-py, or if it prints no list."""
    style = CslStyle(f"csl:{path.stem}", _load_style(path))
    if style.loaded.root.bibliography is None:
        raise InputError(
            "prints no reference list", place=str(path), hint="take a style that is not for notes"
        )
    return style


def load_csl_styles(folder: Path) -> tuple[CslStyle, ...]:
    """Return the styles of a folder, by name; raise `InputError` without citeproc-py or without styles."""
    paths = sorted(folder.rglob("*.csl"))
    if not paths:
        raise InputError("contains no .csl files", place=str(folder), hint="name a folder of CSL styles")
    loaded = ((path.stem, _load_style(path)) for path in paths)
    # A style of footnotes has no reference list to print.
    return tuple(
        CslStyle(f"csl:{name}", style) for name, style in loaded if style.root.bibliography is not None
    )


def _import_citeproc(module: str) -> ModuleType:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise InputError(
            "CSL styles need citeproc-py", place="--csl", hint="pip install 'citeproof[csl]'"
        ) from error


def _load_style(path: Path) -> Any:  # noqa: ANN401 - citeproc-py has no types
    try:
        tree = etree.fromstring(_read_bounded(path), etree.XMLParser(resolve_entities=False, no_network=True))
        _drop_initials(tree)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make = _import_citeproc("citeproc").CitationStylesStyle
            return make(io.BytesIO(etree.tostring(tree)), validate=False)
    except (OSError, ValueError, etree.XMLSyntaxError) as error:
        raise InputError(f"not a CSL style: {error}", place=str(path), hint="remove it") from error


def _read_bounded(path: Path) -> bytes:
    with path.open("rb") as stream:
        data = stream.read(MAX_STYLE + 1)
    if len(data) > MAX_STYLE:
        raise ValueError(f"larger than {MAX_STYLE:,} bytes")
    return data


def _drop_initials(tree: Any) -> None:  # noqa: ANN401 - lxml has no types
    """Take the initials out of names that are to be printed in full: the renderer knows no `initialize`.

    What names inherit is written to each of them, because an inherited value cannot be taken back.
    """
    names = list(tree.iterfind(".//{*}name"))
    full = [element for element in names if element.get("initialize", tree.get("initialize")) == "false"]
    above = [element for element in (tree, *tree) if full and element.get("initialize-with") is not None]
    inherited = above[-1].get("initialize-with") if above else None
    for element in above:
        element.attrib.pop("initialize-with")
    for name in names:
        if name in full:
            name.attrib.pop("initialize-with", None)
        elif inherited is not None and name.get("initialize-with") is None:
            name.set("initialize-with", inherited)


def _render_csl(loaded: Any, cited: CitationFields) -> str:  # noqa: ANN401 - citeproc-py has no types
    citeproc, plain = _import_citeproc("citeproc"), _import_citeproc("citeproc.formatter.plain")
    source = _import_citeproc("citeproc.source.json").CiteProcJSON
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            shelf = citeproc.CitationStylesBibliography(loaded, source([_build_csl_item(cited)]), plain)
            shelf.register(citeproc.Citation([citeproc.CitationItem("x")]))
            return str(shelf.bibliography()[0])
        except Exception:  # noqa: BLE001 - it fails in many ways on rare styles: another style is taken then
            return ""


def _build_csl_item(cited: CitationFields) -> dict[str, Any]:
    form = choose_shape(cited)
    arxiv = cited.ids.first("arxiv") or ""
    book = form in {"book", "report", "thesis"} and not cited.publisher
    out: dict[str, Any] = {
        "id": "x", "type": _KINDS.get(cited.kind, _TYPES[form]), "title": cited.title, "volume": cited.volume,
        "container-title": "" if book else cited.venue, "issue": cited.issue, "page": cited.pages,
        "publisher": cited.venue if book else cited.publisher, "DOI": cited.ids.first("doi"),
    }  # fmt: skip
    if (short := format_venue(cited.venue, "short")) != cited.venue:
        out["container-title-short"] = short
    if form == "preprint" and is_on_arxiv(cited):
        out |= {"publisher": "arXiv", "number": f"arXiv:{arxiv}", "container-title": "",
                "URL": f"https://arxiv.org/abs/{arxiv}"}  # fmt: skip
    if form == "other" and not out["DOI"]:
        out["URL"] = cited.url
    out["author"] = [_build_csl_name(name) for name in cited.people if name.family or name.given]
    out["issued"] = {"date-parts": [[cited.year]]} if cited.year else None
    return {name: value for name, value in out.items() if value}


def _build_csl_name(name: Name) -> dict[str, str]:
    if name.collective or is_eastern_name(name) or not (name.family and name.given):
        return {"literal": f"{name.family}{name.given}"}
    suffix = {"suffix": name.suffix} if name.suffix else {}
    # The renderer takes no initial of a small letter: "Chung-chi" would be "C.-chi".
    given = re.sub(r"-\w", lambda part: part[0].upper(), name.given)
    return {"family": name.family, "given": given, **suffix}


def _is_broken(text: str, cited: CitationFields) -> bool:
    """Return whether the renderer failed: it left traces, or lost the title or the first name."""
    first = next((name.family for name in cited.people if name.family), "")
    own = " ".join((cited.title, cited.venue, cited.publisher, *(n.display for n in cited.people))).casefold()
    traces = any(trace[0].strip().casefold() not in own for trace in _BROKEN.finditer(text))
    words = set(_WORD.findall(cited.title.casefold()))
    return (
        traces or first.casefold() not in text.casefold() or not words <= set(_WORD.findall(text.casefold()))
    )
