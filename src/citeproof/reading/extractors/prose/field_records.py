"""Works that a text describes field by field: labelled lines, JSON, YAML, RIS, rows of tables and of CSV.

All of these are one shape: the name of a field, and its value behind it or below it in its column. What has
the title of a work and says who wrote it, where or when it appeared is a record, whatever the signs between.
Records of other things ("Director: …", "License: …") and the head of a page ("---", "layout: post") are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import WORK_IDS, Claimed

_TITLE_WORDS = 3
_MOST_CELLS = 40
_LONGEST_VALUE = 2000
_LONGEST_HEADER = 2000  # Zotero's CSV has 87 columns
_LONGEST_GAP = 1500  # of other fields between two that are known
# Names of fields by which a record is seen to be of something else than a text.
_STRONG = frozenset(
    ("paper", "paper title", "paper_title", "study", "article", "article title", "publication title")
)
_ABOUT = frozenset(("journal", "doi", "volume", "pages", "issue"))
_MARK = r"[ \t>*_+•◦▪–#|-]{0,12}(?:\(?\d{1,3}[.)]\s{1,3}|\[\d{1,3}\]:?\s{1,3})?"
_OPEN = r"[\"'`*_<\[]{0,4}"
_SHUT = r"[\"'`*_\]]{0,4}"
_FRONT = re.compile(r"\A---\n(?s:.{0,3000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_PEOPLE = re.compile(r"[^\W\d_]{2,}")
_CITED_CELL = re.compile(r"\bet\s+al\b|[^\W\d_],?\s\(?(?:1[5-9]|20)\d\d[a-z]?\)?[,.:]?\s*\S|,\s[^\Wa-z_]\.")
_RULE = re.compile(r"[\s|:+=-]{3,}$")
_BETWEEN = re.compile(r"[\s>*_+•◦▪#{}\[\](),;|\"'`.·–—\d-]*")
_ABOVE = re.compile(
    r"(?:#{1,6}\s{1,3}|[*_]{2,3}|\d{1,3}[.)]\s{1,3}|[-*+•]\s{1,3}|[“\"]|\[\d{1,3}\]\s{1,3}){0,3}"
    r"(?P<title>[^\s].{8,300}?)[*_”\"#.\s:,]{0,6}"
)
_ITEM_NUMBER = re.compile(
    r"[\s>*_#-]{0,12}(?:\[(\^?[\w-]{1,30})\]:?|(?:Paper\s|Reference\s)?\(?(\d{1,3})[.):])[\s*_]"
)
_LIST_BELOW = re.compile(r"[^\w\n]{0,9}\n\s{0,20}(?:\[\^?\w{1,20}\]:?|\(?\d{1,3}[.)]|[-*+•])\s")
_DELIMITERS = ("|", "\t", ";", ",", "  ")


@dataclass(slots=True)
class FieldRecord:
    """What is said of one work: its fields, and where they stand."""

    start: int
    end: int
    fields: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)  # as they are written, also of fields that no work has
    claimed: Claimed | None = None
    text: str = ""
    label: str = ""

    def add(self, name: str, value: str) -> None:
        """Note a field; a second author is one more."""
        if name == "authors" and name in self.fields:
            self.fields[name] += f" and {value}"
        elif value:
            self.fields.setdefault(name, value)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One field: what it is (nothing if no work has it), its name as written, and where it stands."""

    name: str
    written: str
    start: int
    value_start: int
    value_end: int


def find_field_records(text: str) -> list[FieldRecord]:
    """Return the works that a text describes field by field, in order; none shares a place with another."""
    found = [*read_table_records(text), *_read_labelled(text)]
    records: list[FieldRecord] = []
    for one in sorted(found, key=lambda record: (record.start, -record.end)):
        if not records or records[-1].end <= one.start:
            records.append(one)
    return records


def is_field_line(line: str) -> bool:
    """Return whether a line begins with a field that is said of works: "- **Authors:** …"."""
    match = _compile_pair().match("\n" + line[:300], 1)
    return match is not None and match.lastgroup != "key"


def names_columns(line: str) -> bool:
    """Return whether a line is the header of a table of works."""
    return _read_header(line) is not None


@cache
def load_field_names() -> Mapping[str, str]:
    """Return the field that each name stands for."""
    table = load_package_table("citeproof.reading.extractors.prose", "table_columns.toml")
    return {name: str(field) for field, listed in table.items() for name in listed}


@cache
def _compile_pair() -> re.Pattern[str]:
    """Return the pattern of the name of a field and the sign behind it; `key`: any other name."""
    names = sorted(
        (re.escape(name) for name in load_field_names() if name[0] != "%" and len(name) > 1), key=len
    )
    known = "|".join(reversed(names)).replace(r"\ ", "[ _]").replace("/", r"\s?/\s?")
    tags = (
        "TI|T1|AU|A1|FAU|PY|Y1|DP|DA|JO|JF|JA|JT|T2|DO|UR|VL|SP|EP|IS|PB|LID|PMID|TY|ER|AB|N2|KW|SN|PG|VI|IP"
    )
    return re.compile(
        rf"(?:^{_MARK}|(?<=[{{\[(,;|•·>])\s{{0,9}}|(?<=[.)\]\"'*_])\s{{1,9}}(?=[\"'*_]|[^\Wa-z_])"
        rf"|(?<=\s)(?=[*_]{{2}}|(?-i:Title|Titel|Título|Titre)\s?:)|[ \t]{{2,9}})"
        rf"(?:{_OPEN}(?P<known>{known})(?:\s\d{{1,2}})?{_SHUT}\s{{0,9}}(?:[:：=]|(?<=<)>)(?!//|:){_SHUT}"
        rf"|(?<=\n)(?P<dashed>{known})\s[–—-]\s"
        rf"|(?<=\n)(?-i:(?P<tag>{tags})\s{{0,3}}-(?:\s|$))|(?<=\n)(?-i:(?P<percent>%[A-Z0-9])\s)"
        rf"|(?<=\n)[ \t]{{0,3}}\|\s{{0,9}}{_OPEN}(?P<cell>{known}){_SHUT}\s{{0,99}}\|"
        rf"|<(?P<element>{known})>"
        rf"|(?P<key>{_OPEN}[^\W\d_][\w()/.&-]{{0,30}}(?:"
        rf" [\w()/.&-]{{1,30}}){{0,2}}{_SHUT}\s{{0,3}}[:：=](?!//|:){_SHUT})(?=\s|[\"'\[{{]))",
        re.IGNORECASE | re.MULTILINE,
    )


# --- names before their values -----------------------------------------------------------------------


def _read_labelled(text: str) -> Iterator[FieldRecord]:
    front = _FRONT.match(text)
    pairs = list(_list_pairs(text, front.end() if front else 0))
    record: FieldRecord | None = None
    last = ""
    for pair in pairs:
        value = _clean_value(text[pair.value_start : pair.value_end])
        goes_on = record is not None and _continues_record(text, record, pair, last)
        if record is not None and not goes_on:
            yield from _close_record(text, record)
            record = None
        if record is None:
            if not pair.name:
                continue
            record = FieldRecord(pair.start, pair.value_end)
        record.names.add(pair.written)
        if pair.name:
            record.add(pair.name, value)
            record.end, last = max(record.end, pair.value_end), pair.name
    if record is not None:
        yield from _close_record(text, record)


def _continues_record(text: str, record: FieldRecord, pair: _Pair, last: str) -> bool:
    """Return whether a field goes on with a record: nothing but other fields is between, and it is new."""
    if pair.start - record.end > _LONGEST_GAP:
        return False
    between = text[record.end : pair.start]
    if re.search(r"\n[ \t>]{0,9}(?:#{1,6}\s|\n[ \t>]{0,9}\n)|\}\s{0,99},?\s{0,99}\{", between):
        return False
    if pair.name and pair.name in record.fields and pair.name not in {last, "doi"}:
        return False
    if pair.name == "title" == last:
        return False
    gap = between[:_LONGEST_GAP]
    return bool(_BETWEEN.fullmatch(gap)) or all(
        _BETWEEN.fullmatch(line) or _is_other_field(line) for line in gap.split("\n")
    )


def _is_other_field(line: str) -> bool:
    match = _compile_pair().match(line) or _compile_pair().search(line)
    return match is not None and not line[: match.start()].strip(' \t>*_+•",}]{[-')


def _list_pairs(text: str, at: int) -> Iterator[_Pair]:
    matches = [match for match in _compile_pair().finditer("\n" + text) if match.start() >= at]
    for number, match in enumerate(matches):
        kind = match.lastgroup or ""
        written = match[kind].strip(" \"'`*_<[]:：=\t").lower()
        following = matches[number + 1].start() - 1 if number + 1 < len(matches) else len(text)
        low = match.end() - 1
        start = match.start(kind) - 1
        while start > 0 and text[start - 1] in "\"'`*_<[" and text[start - 1] != "\n":
            start -= 1
        name = (
            ""
            if kind == "key"
            else load_field_names().get(written.replace("_", " "), "") or load_field_names().get(written, "")
        )
        high = _find_value_end(text, low, following)
        if name in ("title", "citation") and _LIST_BELOW.match(text, low, high):
            name = ""  # the heading of a list
        yield _Pair(name, written, start, low, high)


def _find_value_end(text: str, low: int, following: int) -> int:
    """Return where a value ends: with its line, unless it is empty there or signs hold it together."""
    limit = min(following, low + _LONGEST_VALUE)
    line_end = text.find("\n", low, limit)
    line_end = limit if line_end < 0 else line_end
    value = text[low:line_end]
    opened = sum(value.count(sign) for sign in "[{") - sum(value.count(sign) for sign in "]}")
    if value.strip(" *_\"'`[{|>") and opened <= 0:
        end = line_end
    else:
        blank = re.search(r"\n[ \t>]*\n", text[low:limit])
        end = low + blank.start() if blank and value.strip() else limit
    return low + len(text[low:end].rstrip(" \t\n>*_+•{[(,;|#-")) if end > low else low


def _clean_value(value: str) -> str:
    value = re.sub(r"</?[a-z]{1,20}>", " ", value)
    parts = [part.strip(" \t\n\"'`*_[]{}|,;-") for part in re.split(r"\n|\"\s{0,9},|'\s{0,9},", value)]
    return ", ".join(part for part in parts if part)


def _close_record(text: str, record: FieldRecord) -> Iterator[FieldRecord]:
    """Yield a record if it is of a work; its title may be the line above it."""
    cited = record.fields.get("citation", "")
    if cited and "title" not in record.fields:
        if is_likely_reference(cited) and len(cited.split()) > _TITLE_WORDS:
            at = text.find(cited[:40], record.start)
            yield FieldRecord(
                at if at >= 0 else record.start, record.end, text=cited, label=_read_label(text, record.start)
            )
        return
    if "title" not in record.fields and not _take_title_above(text, record):
        return
    if _is_of_work(record):
        yield _describe_record(text, record)


def _take_title_above(text: str, record: FieldRecord) -> bool:
    """Give a record the heading or first line above it as its title; return whether there is one."""
    people = "authors" in record.fields
    if not people and len(record.fields.keys() & {"year", "journal", "doi"}) < 2:
        return False
    line_start = text.rfind("\n", 0, record.start) + 1
    if text[line_start : record.start].strip(" \t>*_+•#-\"'`(|,"):
        return False
    above = text[:line_start].rstrip(" \t\n>")
    gap = text[len(above) : line_start]
    low = above.rfind("\n") + 1
    match = _ABOVE.fullmatch(above[low:].lstrip(" \t>"))
    key = _compile_pair().match("\n" + above[low:], 1)
    if key and not key["known"] and "**" not in above[low:] and above[low : low + 1] != "#":
        return False
    if (
        gap.count("\n") > 2
        or match is None
        or len(match["title"].split()) < _TITLE_WORDS
        or above.endswith((":", ","))
    ):
        return False
    if above.endswith(".") and above[low:].lstrip(" \t>")[:1] not in "#*[0123456789":
        return False
    dated = re.fullmatch(r"(.+?)[*_”\"]{0,3},?\s[(]((?:1[5-9]|20)\d\d)[)]", match["title"])
    if dated:
        record.fields.setdefault("year", dated[2])
    record.fields["title"] = (dated[1] if dated else match["title"]).strip('*_ "“”')
    record.start = low + above[low:].index(match["title"])
    return True


def _is_of_work(record: FieldRecord) -> bool:
    fields, names = record.fields, record.names
    title = fields.get("title", "")
    named = any(scheme in WORK_IDS for scheme, *_ in ids.find_ids(fields.get("doi", "")))
    other = any(name.replace(" ", "_") in load_words("other_records") for name in names)
    if other and not named and "journal" not in fields:
        return False
    many = len(title.split()) >= _TITLE_WORDS or (title.isascii() is False and len(title) > 3)
    people = _are_names(fields.get("authors", ""))
    dated = bool(dates.find_years(fields.get("year", "")))
    about = bool(_ABOUT & fields.keys())
    if not any(map(str.isalpha, title)):
        return False
    if not many:
        return people and (about or named) and dated
    return (
        people
        or named
        or (dated and (about or bool(names & _STRONG)))
        or ("journal" in fields and bool(names & _STRONG))
    )


def _are_names(value: str) -> bool:
    """Return whether most words of a value are written as names are."""
    words = _PEOPLE.findall(value)
    return (
        bool(words)
        and 3 * sum(not word[0].islower() for word in words) >= 2 * len(words)
        and "@" not in value
    )


def _describe_record(text: str, record: FieldRecord) -> FieldRecord:
    """Return a record with what it claims."""
    raw = text[record.start : record.end]
    fields = {**record.fields, "title": record.fields["title"].strip(' "“”*_')}
    record.label = record.label or _read_label(text, record.start)
    if (
        _CITED_CELL.search(fields["title"])
        and "authors" not in fields
        and is_likely_reference(fields["title"])
    ):
        record.text = " ".join(fields["title"].split())  # the whole citation is in the one field
        return record
    record.text = " ".join(raw.split())
    record.claimed = build_claimed_fields(fields, raw)
    return record


def _read_label(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start + 1]
    match = _ITEM_NUMBER.match(line)
    return (match[1] or match[2] or "").removeprefix("^") if match else ""


# --- columns -----------------------------------------------------------------------------------------


def read_table_records(text: str) -> Iterator[FieldRecord]:
    """Yield the works in the rows of the tables of a text, whatever parts their cells."""
    lines = [(match.start(), match[0]) for match in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", text)]
    at = 0
    while at < len(lines):
        start, line = lines[at]
        header = _read_header(line)
        at += 1
        if header is None:
            continue
        delimiter, columns, names = header
        while at < len(lines):
            start, line = lines[at]
            if (
                not line.strip()
                and delimiter == "|"
                and "|" in "".join(one for _, one in lines[at + 1 : at + 3])
            ):
                at += 1
                continue
            if not line.strip():
                break
            if _RULE.fullmatch(line):
                at += 1
                continue
            cells = _split_cells(line, delimiter)
            if len(cells) < 2 or len(cells) < max(columns) or _read_header(line) is not None:
                break
            at += 1
            if record := _read_row(text, start, cells, columns, names):
                yield record


def _read_header(line: str) -> tuple[str, dict[int, str], set[str]] | None:
    """Return how the cells of a header are parted, and which column holds which field of a work."""
    if len(line) > _LONGEST_HEADER:
        return None
    for delimiter in _DELIMITERS:
        cells = _split_cells(line, delimiter)
        if len(cells) < 2:
            continue
        names = [line[low:high].strip(" *_\"'`").lower() for low, high in cells]
        if any(len(name.split()) > 4 for name in names):
            continue
        fields = [load_field_names().get(name, "") for name in names]
        columns: dict[int, str] = {}
        for index, name in enumerate(fields):
            if name and name not in columns.values():
                columns[index] = name
        kinds = set(columns.values())
        if ("title" in kinds and kinds & {"authors", "doi", "year", "journal"}) or (
            "citation" in kinds and delimiter in "|\t"
        ):
            return delimiter, columns, set(names)
    return None


def _split_cells(line: str, delimiter: str) -> list[tuple[int, int]]:
    """Return where the cells of a row are."""
    low, high = 0, len(line.rstrip())
    if delimiter == "|":
        low = len(line) - len(line.lstrip(" \t>|")) if line.lstrip(" \t>").startswith("|") else 0
        high = (
            len(line.rstrip(" \t|"))
            if line.rstrip().endswith("|") and not line.rstrip().endswith("||")
            else high
        )
        parts = re.finditer(r"(?<!\\)\|", line[:high])
    elif delimiter == "  ":
        low = len(line) - len(line.lstrip())
        parts = re.finditer(r"[ \t]{2,}", line[:high])
    else:
        parts = (
            one
            for one in re.finditer(rf"\"[^\"]*\"|{re.escape(delimiter)}", line[:high])
            if one[0] == delimiter
        )
    cells, at = [], low
    for part in parts:
        if part.start() < low:
            continue
        cells.append((at, part.start()))
        at = part.end()
    return [*cells, (at, high)][:_MOST_CELLS]


def _read_row(
    text: str, at: int, cells: Sequence[tuple[int, int]], columns: Mapping[int, str], names: set[str]
) -> FieldRecord | None:
    """Return what a row says of a work; None if it is of none."""
    known = [index for index in columns if index < len(cells) and columns[index] != "number"]
    if not known:
        return None
    spans = [(at + low, at + high) for low, high in cells]
    record = FieldRecord(spans[min(known)][0], spans[max(known)][1], names=set(names))
    for index in known:
        record.add(columns[index], text[slice(*spans[index])].replace("\\|", "|").strip(" \t\"'*_`"))
    raw = text[record.start : record.end]
    record.start += len(raw) - len(raw.lstrip())
    record.end -= len(raw) - len(raw.rstrip())
    if "suffix" in names and (
        parted := re.search(r"(10\.\d{4,9})\s{0,99}\|\s{0,99}([^\s|]{2,200})", text[at : spans[-1][1]])
    ):
        record.fields["doi"] = f"{parted[1]}/{parted[2]}"
    number = next(
        (
            text[slice(*spans[n])].strip(" []#.")
            for n, name in columns.items()
            if name == "number" and n < len(spans)
        ),
        "",
    )
    record.label = number if number.isdecimal() else ""
    cited = record.fields.get("citation", "")
    if cited and "title" not in record.fields:
        record.text = cited
        return record if is_likely_reference(cited) else None
    link = re.fullmatch(r"\[([^\[\]\n]{1,1000})\]\((\S{1,1000})\)", record.fields.get("title", ""))
    if link:
        record.fields["title"], record.fields["doi"] = link[1], f"{link[2]} {record.fields.get('doi', '')}"
    title = record.fields.get("title", "")
    if _CITED_CELL.search(title) and "authors" not in record.fields and len(title.split()) <= 5:
        return None  # a table of results: "Smith et al., 2010 | 20" names a study of the text
    return _describe_record(text, record) if _is_of_work(record) else None
