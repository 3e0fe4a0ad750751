r"""The entries of compiled bibliographies: `thebibliography` of any style, and the `.bbl` of biblatex."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from citeproof.reading.extractors.latex.latex_words import render_entry
from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY
from citeproof.reading.extractors.records.bibtex_fields import read_bibtex_fields
from citeproof.text import bibtex_kind
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry
from citeproof.text.brace_groups import BraceGroups
from citeproof.text.dates import YEAR
from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros
from citeproof.vocabulary import Place, RawReference

MAX_LABEL = 5_000  # characters of the label of an entry
MAX_SOURCE = 20_000  # characters of one entry's source that are read

BEGIN = re.compile(r"\\begin\s{0,3}\{((?:mcite)?thebibliography|references|biblist)\*?\}")
_END = re.compile(r"\\end\s{0,3}\{(?:(?:mcite)?thebibliography|references|biblist)\*?\}")
_ITEM = re.compile(r"\\(?:bibitem|(harvarditem))(?![A-Za-z])\s{0,9}")
_AMS_ITEM = re.compile(
    r"\\bib\*?\s{0,3}\{\s{0,9}([^{}]{1,300}?)\s{0,9}\}\s{0,3}\{([a-z]{1,30})\}\s{0,3}(?=\{)"
)
_AMS_FIELD = re.compile(r"\b([A-Za-z]{2,30})\s{0,9}=\s{0,9}(?=\{)")
_KEY = re.compile(r"\s{0,99}\{\s{0,99}([^{}]{1,300}?)\s{0,99}\}")
_CUT_LABEL = re.compile(r"\]\{[^{}\n]{1,300}\}[ \t]{0,9}[\r\n]")  # BibTeX cuts long ones, braces and all
_ENTRY = re.compile(r"\\entry\s{0,3}\{([^{}]{1,300})\}\s{0,3}\{([A-Za-z]{1,40})\}\s{0,3}\{[^{}]{0,300}\}")
_ENTRY_END = re.compile(r"\\endentry(?![A-Za-z])")
# BibTeX breaks long values; what goes on does not begin with a command.
_FIELD = re.compile(
    r"^[ \t]{0,20}\\field\s{0,3}\{([a-z]{1,40})\}[ \t]{0,3}"
    r"\{([^\n]{0,4000}(?:\n(?![ \t]{0,20}\\)[^\n]{0,1000}){0,12})\}[ \t\r%]{0,9}$",
    re.MULTILINE,
)
_VERB = re.compile(r"\\verb\s{0,3}\{([a-z]{1,40})\}\s{1,20}\\verb\s([^\n]{1,2000})\n")
_LIST = re.compile(
    r"\\list\s{0,3}\{([a-z]{1,40})\}\s{0,3}\{\d{1,4}\}\s{0,3}\{%?\s{0,20}\{([^\n]{0,1000}?)\}%?\s{0,20}(?:\n|\})"
)
_NAMES = re.compile(
    r"\\name\s{0,3}\{(author|editor)\}\s{0,3}\{\d{1,5}\}\s{0,3}\{([^{}]{0,300})\}\s{0,3}\{%?\s"
)
_PART = re.compile(r"\b(family|given|prefix|suffix)=\{([^\n]{0,500}?)\}[,}]")
_PERSON = re.compile(r"\{\{[^{}]{0,200}hash=")
_DELIMITER = re.compile(r"\\bibname(?:delim[a-d]|hyphendelim|delimi)\s{0,3}")
_RENAMED = {"journaltitle": "journal", "location": "address", "institution": "institution"}

Item = tuple[int, int, RawReference | None]  # start, end, what is there


def list_bbl_items(text: str, macros: Macros = NO_MACROS) -> Iterator[Item]:
    """Yield the entries of every compiled bibliography in `text`, places still to be filled in."""
    if "\\entry" in text:
        yield from _list_biblatex_entries(text, macros)
    for start, end in find_bibliographies(text):
        yield from _list_bibitems(text, start, end, macros)
        yield from _list_amsrefs(text, start, end, macros)


def find_bibliographies(text: str) -> list[tuple[int, int]]:
    """Return where the bibliographies is, so that nothing in them counts as running text."""
    spans: list[tuple[int, int]] = []
    at = 0
    while begin := BEGIN.search(text, at):
        end = _END.search(text, begin.end())
        at = end.end() if end else len(text)
        spans.append((begin.start(), at))
    return spans


def _list_bibitems(text: str, start: int, stop: int, macros: Macros) -> Iterator[Item]:
    close = _END.search(text, start, stop)
    stop = close.start() if close else stop
    heads = list(_ITEM.finditer(text, start, stop))
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else stop
        end = head.start() + len(text[head.start() : min(end, head.start() + MAX_SOURCE)].rstrip())
        yield head.start(), end, _read_bibitem(text[head.end() : end], macros, harvard=bool(head[1]))


def _list_amsrefs(text: str, start: int, stop: int, macros: Macros) -> Iterator[Item]:
    r"""Yield the entries that amsrefs typesets: `\bib{key}{article}{author={…}, title={…}}`."""
    close = _END.search(text, start, stop)
    stop = close.start() if close else stop
    heads = list(_AMS_ITEM.finditer(text, start, stop))
    for head, following in zip_longest(heads, heads[1:]):
        end = following.start() if following else stop
        source = text[head.start() : min(end, head.start() + MAX_SOURCE)].rstrip()
        fields = _read_ams_fields(source[head.end() - head.start() + 1 :])
        book = _read_ams_fields(fields.pop("book", ""))
        inside = {"booktitle" if name == "title" else name: value for name, value in book.items()}
        entry = _make_entry(head[1], head[2], inside | fields, source, macros)
        yield head.start(), head.start() + len(source), entry


def _read_ams_fields(source: str) -> dict[str, str]:
    """Return the fields by their BibTeX names; each author has a field of their own."""
    fields: dict[str, str] = {}
    groups, at = BraceGroups(source), 0
    while (match := _AMS_FIELD.search(source, at)) is not None:
        at = max(groups.past_group(match.end()), match.end())
        name = _RENAMED.get(match[1].lower(), match[1].lower())
        value = source[match.end() + 1 : at - 1].replace("\\ndash", "--")
        held = fields.get(name)
        fields[name] = f"{held} and {value}" if held and name in ("author", "editor") else value
    return fields


def _read_bibitem(source: str, macros: Macros, *, harvard: bool = False) -> RawReference | None:
    label, at = "", 0
    if source.startswith("["):
        at = _find_label_end(source)
        label = strip_latex(source[1 : at - 1])
    if harvard:  # the names and the year, before the key
        groups = BraceGroups(source[: at + MAX_LABEL])
        at = groups.past_group(groups.past_group(at))
    key = _KEY.match(source, at)
    words = render_entry(source[key.end() :], macros)[:MAX_ENTRY] if key else ""
    if key is None or not words:
        return None
    year = re.search(rf"\(({YEAR}[a-z]?)\)", label)
    return RawReference(
        " ".join(key[1].split()),
        f"{words} ({year[1]})" if year and year[1][:4] not in words else words,
        Place(),
    )


def _find_label_end(source: str) -> int:
    """Return the end of the `[label]` at the start of an item, past the braces in it."""
    depth = 0
    for index, sign in enumerate(source[:MAX_LABEL]):
        depth += (sign == "{") - (sign == "}")
        if sign == "]" and depth <= 0:
            return index + 1
    cut = _CUT_LABEL.search(source, 0, MAX_LABEL)
    return cut.start() + 1 if cut else 0


def _list_biblatex_entries(text: str, macros: Macros) -> Iterator[Item]:
    """Yield the entries of a biblatex `.bbl`; one that several lists hold counts once."""
    seen: set[str] = set()
    heads = list(_ENTRY.finditer(text))
    for head, following in zip_longest(heads, heads[1:]):
        last = min(following.start() if following else len(text), head.end() + 10 * MAX_SOURCE)
        end = _ENTRY_END.search(text, head.end(), last)
        stop = end.end() if end else min(last, head.end() + MAX_SOURCE)
        if head[1] in seen:
            continue
        seen.add(head[1])
        entry = _read_biblatex_entry(head, text[head.end() : stop], text[head.start() : stop], macros)
        yield head.start(), stop, entry


def _read_biblatex_entry(head: re.Match[str], body: str, source: str, macros: Macros) -> RawReference | None:
    fields = {_RENAMED.get(m[1], m[1]): m[2].replace("\\bibrangedash", "--") for m in _FIELD.finditer(body)}
    fields |= {m[1]: m[2].strip() for m in _VERB.finditer(body)}
    fields |= {_RENAMED.get(m[1], m[1]): m[2] for m in _LIST.finditer(body)}
    heads = list(_NAMES.finditer(body))
    for index, names in enumerate(heads):
        stop = heads[index + 1].start() if index + 1 < len(heads) else len(body)
        fields[names[1]] = _join_names(body[names.end() : stop], cut="more=true" in names[2])
    return _make_entry(head[1], head[2], fields, source, macros)


def _make_entry(
    key: str, kind: str, fields: dict[str, str], source: str, macros: Macros
) -> RawReference | None:
    if not fields.get("title") and not fields.get("author"):
        return None
    whole = BibtexEntry(kind.lower(), key, fields, 0, 0, 0, 0, 0, source[:MAX_SOURCE])
    claimed, flags = read_bibtex_fields(whole, macros)
    codes = tuple(dict.fromkeys(code for code, _, _ in flags))
    what = bibtex_kind.find_kind(whole.type, fields)
    return RawReference(key, source[:MAX_SOURCE], Place(), what, claimed, suspicious=codes)


def _join_names(block: str, *, cut: bool) -> str:
    """Return the persons of a name list as BibTeX writes them."""
    people = []
    for person in _PERSON.split(block)[1:]:
        parts: dict[str, str] = {}
        for match in _PART.finditer(person[:4000]):
            parts.setdefault(match[1], _DELIMITER.sub(" ", match[2]))
        family = " ".join(filter(None, [parts.get("prefix"), parts.get("family")]))
        given = parts.get("given", "")
        person_name = ", ".join(filter(None, [family, parts.get("suffix"), given]))
        people.append(person_name if given else f"{{{family}}}")
    return " and ".join([*filter(None, people), *(["others"] if cut else [])])
