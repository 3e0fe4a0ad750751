"""What an input is: a file, an identifier, a web address, a collection, or a reference as text.

The rules, in this order; the first that fits counts:

1. `-` is standard input.
2. What exists on disk is that file or folder.
3. `https://…` is a web address; one of doi.org, arxiv.org/abs or PubMed stands for the work.
4. `zotero:…` is a collection of Zotero.
5. A DOI, an arXiv number, or what begins with `doi:`, `arxiv:`, `pmid:`, `pmcid:` or `isbn:` is that work.
6. What has a space or a line break in it is text, unless it ends like a document (`my refs.bib`) or a file
   has nearly that name. One line of text is one reference, several are a document.
7. All else is the name of a file.
"""

from __future__ import annotations

import os
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum
from itertools import islice
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.service.citation_input import EXAMPLES
from citeproof.text import arxiv, ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass

STDIN = "-"
CLIPBOARD = "<clipboard>"
_ZOTERO = "zotero:"
_LISTED = 10_000  # files of a folder among which one of nearly the same name is looked for
_LONGEST_NAME = 255
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_PREFIXED = re.compile(r"(doi|arxiv|pmid|pmcid|isbn)(?:\s{0,3}:\s{0,3}|\s{1,3})(\S.{0,2047})", re.IGNORECASE)
_PLAIN_DOI = re.compile(r"(?:(?:dx\.|www\.)?doi\.org/)?10\.\d{4,9}(?:\.\d{1,9}){0,4}/\S{1,2047}")
_WORK_ADDRESS = re.compile(
    r"https?://(?:(?:dx\.|www\.)?doi\.org/10\.|(?:[a-z]{1,9}\.)?arxiv\.org/abs/"
    r"|pubmed\.ncbi\.nlm\.nih\.gov/|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/"
    r"|(?:www\.)?aclanthology\.org/(?!\S*\.(?:pdf|bib|xml)))",
    re.IGNORECASE,
)
_WEB_NAME = re.compile(
    r"(?:www\.\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|io|gov|ac\.uk|de|fr|eu)/\S*)"
)
_SHOWN_AS = {
    "doi": "https://doi.org/{}",
    "arxiv": "arXiv:{}",
    "pmid": "PMID: {}",
    "pmcid": "PMCID: {}",
    "isbn": "ISBN {}",
    "acl": "https://aclanthology.org/{}",
}


class InputKind(Enum):
    STDIN = "standard input"
    CLIPBOARD = "clipboard"
    PATH = "file or folder"
    URL = "web address"
    ZOTERO = "Zotero collection"
    IDENTIFIER = "identifier"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class NamedInput:
    """One input and its kind. `value` is its name: of the work, the collection, or as it was given."""

    kind: InputKind
    value: str
    text: str = ""  # an identifier as a reference list would print it


def classify_input(given: str) -> NamedInput:
    """Return what `given` is; UsageError for an identifier that is none."""
    if given in (STDIN, CLIPBOARD):
        return NamedInput(InputKind.STDIN if given == STDIN else InputKind.CLIPBOARD, given)
    with suppress(OSError, ValueError):  # too long for a name, or a NUL in it
        if os.path.lexists(given):
            return NamedInput(InputKind.PATH, given)
    plain = given.strip()
    if _SCHEME.match(plain) and not re.search(r"\s", plain):
        work = _read_address(plain)
        return work or NamedInput(InputKind.URL, plain)
    if plain[: len(_ZOTERO)].lower() == _ZOTERO:
        return NamedInput(InputKind.ZOTERO, plain[len(_ZOTERO) :].strip().strip("\"'").strip())
    if work := _read_identifier(plain):
        return work
    if re.search(r"\s", plain) and not _ends_like_document(plain) and not find_near_names(given):
        return NamedInput(InputKind.TEXT, given)
    return NamedInput(InputKind.PATH, given)


def identify_work(given: str) -> NamedInput | None:
    """Return the work that an identifier or the address of a resolver names; looks for no file."""
    plain = given.strip()
    try:
        if _SCHEME.match(plain) and not re.search(r"\s", plain):
            return _read_address(plain)
        return _read_identifier(plain)
    except UsageError:
        return None


def is_file_name(given: str) -> bool:
    """Return whether an input is a file or folder, which alone can be changed in place."""
    return classify_input(given).kind is InputKind.PATH


def is_single_work(given: str) -> bool:
    """Return whether an input is one work: an identifier, or one reference as text."""
    kind = classify_input(given).kind
    return kind is InputKind.IDENTIFIER or (kind is InputKind.TEXT and "\n" not in given.strip())


def find_near_names(given: str) -> list[str]:
    """Return the names of up to three files that `given` may be a slip for, written as it was given."""
    if "\0" in given or "\n" in given or len(given) > _LONGEST_NAME:
        return []
    path = Path(given)
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name.lower(): entry.name for entry in islice(entries, _LISTED)}
    except OSError:
        return []
    near = get_close_matches(path.name.lower(), names, n=3, cutoff=0.75)
    return [str(path.with_name(names[name])) for name in near]


def suggest_names(given: str, *, texts: bool = True) -> str:
    """Return what a person may have meant by a name that no file has; `texts`: they may cite a work."""
    if near := find_near_names(given):
        return f"did you mean {' or '.join(near)}?"
    if "*" in given:
        return "no file fits this pattern: leave it out, or make it fit"
    if not texts:
        return "check the name; a pattern such as 'papers/*.pdf' works, too"
    if _WEB_NAME.fullmatch(given.strip()):
        return f"a web address begins with https://: https://{given.strip()}"
    return 'check the name, use - for standard input, or quote a reference: "Author 2017, Title"'


def _read_address(address: str) -> NamedInput | None:
    """Return the work that an address of a resolver stands for."""
    if not _WORK_ADDRESS.match(address):
        return None
    named = ids.identify_url(address)
    return _make_identifier(*named[0], address) if named and named[0][0] in _SHOWN_AS else None


def _read_identifier(plain: str) -> NamedInput | None:
    if _PLAIN_DOI.fullmatch(plain) and (doi := ids.normalise_id("doi", plain)):
        return _make_identifier("doi", doi, plain)
    number = ids.normalise_id("arxiv", plain) if len(plain.split()) == 1 else None
    if number and arxiv.is_plausible(number):
        return _make_identifier("arxiv", number, plain)
    match = _PREFIXED.fullmatch(plain)
    scheme = match[1].lower() if match else ""
    if match is None or (len(match[2].split()) > 1 and scheme != "isbn"):
        return None  # more than an identifier, such as a reference that begins with one
    if normal := ids.normalise_id(scheme, match[2]):
        return _make_identifier(scheme, normal, plain)
    if ":" not in plain:
        return None
    hint = f"write it like {scheme}:{EXAMPLES[scheme]}"
    raise UsageError(f"is not a well-formed {scheme}", place=plain, hint=hint)


def _make_identifier(scheme: str, value: str, given: str) -> NamedInput:
    name = value if scheme == "doi" else f"{scheme}:{value}"
    version = re.search(r"\d(v\d{1,3})$", given.strip()) if scheme == "arxiv" else None
    shown = _SHOWN_AS[scheme].format(value + (version[1] if version else ""))
    return NamedInput(InputKind.IDENTIFIER, name, shown)


def _ends_like_document(plain: str) -> bool:
    from citeproof.reading.extractors.base import load_extractors  # noqa: PLC0415 - few names need it

    ending = re.search(r"\w(\.[a-z]{2,8})$", plain.lower()) if len(plain) <= _LONGEST_NAME else None
    return ending is not None and any(ending[1] in kind.suffixes for kind in load_extractors().values())
