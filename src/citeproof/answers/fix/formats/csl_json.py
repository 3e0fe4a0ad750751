"""Changes into CSL-JSON: the bytes of a value, never the whole file printed again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from citeproof.answers.fix import title_rewording
from citeproof.answers.fix.author_list_edits import NameForm, detect_name_form, pair_people
from citeproof.answers.fix.formats.base import (
    ChangeResult,
    FieldWriter,
    ReferenceEditor,
    WantedChange,
    find_identifier,
    leave_change,
    make_change,
    replace_identifier,
)
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.judgement.compare.person import Likeness
from citeproof.text import lazy_patterns as re
from citeproof.text import pages
from citeproof.vocabulary import Name

_SPACE = re.compile(r"\s*+")
_IDS = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "arxiv": "arxiv"}
_FREE = ("URL", "note", "number")
_DATES = ("issued", "published", "original-date")
_UNPUBLISHED = ("article", "manuscript", "document", "webpage")
_DASH = re.compile(r"[-\u2010-\u2015\u2212]{1,3}")


@dataclass(frozen=True, slots=True)
class JsonMember:
    """One value of an object or array: its name, the span from there on, the span of the value."""

    name: str
    start: int
    value: int
    end: int


class JsonNode:
    """An object or array where it is in the text; read as deep as somebody asks."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start
        self.members: list[JsonMember] = []
        decode = json.JSONDecoder().raw_decode
        named = text[start] == "{"
        at = self._skip_space(start + 1)
        while text[at] not in "}]":
            first, name = at, ""
            if named:
                name, at = decode(text, at)
                at = self._skip_space(self._skip_space(at) + 1)
            _, end = decode(text, at)
            self.members.append(JsonMember(name, first, at, end))
            at = self._skip_space(end)
            at = self._skip_space(at + 1) if text[at] == "," else at
        self.end = at + 1

    def _skip_space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def get(self, *wanted: str) -> JsonMember | None:
        """Return the first of these members that says something."""
        for name in wanted:
            for member in self.members:
                if member.name == name and self.load_value(member) not in (None, "", [], {}):
                    return member
        return None

    def load_value(self, member: JsonMember) -> object:
        """Return a value as Python has it."""
        return json.loads(self.text[member.value : member.end])

    def add_member(self, written: str) -> TextEdit:
        """Return the edit that adds a member behind the last one, in the style of the others."""
        last = self.members[-1]
        gap = ", "
        if len(self.members) > 1:
            gap = self.text[self.members[-2].end : last.start]
        else:
            gap = f",{self.text[self.start + 1 : last.start] or ' '}"
        return TextEdit(last.end, last.end, gap + written)

    def remove_member(self, member: JsonMember) -> TextEdit:
        """Return the edit that takes a member out, with its comma."""
        at = self.members.index(member)
        if at:
            return TextEdit(self.members[at - 1].end, member.end, "")
        return TextEdit(member.start, self.members[1].start if len(self.members) > 1 else member.end, "")


def open_references(text: str, newline: str) -> ReferenceEditor:  # noqa: ARG001 - no line is ever added
    """Return what turns changes of the items of `text` into edits."""
    ascii_only = text.isascii()

    def edit_item(start: int, end: int, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        try:
            node = JsonNode(text, start)
        except (ValueError, IndexError, RecursionError):
            node = None
        if node is None or node.end != end or not node.members:
            return [leave_change("the item could not be read again")] * len(wanted)
        work = _ItemEditor(text, node, ascii_only)
        return work.write_changes(wanted)

    return edit_item


@dataclass(frozen=True, slots=True)
class _ItemEditor(FieldWriter):
    text: str
    node: JsonNode
    ascii: bool

    WHERE: ClassVar[str] = "field of CSL-JSON"
    VALUES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "venue": ("container-title", "event-title", "event"),
        "volume": ("volume",),
        "issue": ("issue", "number"),
    }

    def write_type(self, wanted: WantedChange) -> ChangeResult:
        """Change the type of an item that says it was never published."""
        member = self.node.get("type")
        if member is None or self.node.load_value(member) not in _UNPUBLISHED:
            return ChangeResult()
        paper = wanted.change.resolved == "inproceedings"
        return self._replace_member(member, "paper-conference" if paper else "article-journal")

    def write_title(self, wanted: WantedChange) -> ChangeResult:
        member = self.node.get("title")
        if member is None:
            return leave_change("the item has no title")
        if self.text[member.value] != '"':
            return leave_change("the title is not text")
        raw = self.text[member.value + 1 : member.end - 1]
        span = [(member.value + 1, member.end - 1)]
        edits = title_rewording.reword_title(
            self.text, span, wanted.value(), lambda w, _: self._quote_value(w)[1:-1]
        )
        if "\\" in raw or edits is None:
            return make_change(TextEdit(member.value, member.end, self._quote_value(wanted.value())))
        return ChangeResult(tuple(edits))

    def write_authors(self, wanted: WantedChange) -> ChangeResult:
        member = self.node.get("author")
        if member is None or self.text[member.value] != "[":
            return leave_change("the names are not in a list")
        listed = JsonNode(self.text, member.value)
        people = [listed.load_value(each) for each in listed.members]
        if len(people) != len(wanted.claimed.authors) or not all(isinstance(each, dict) for each in people):
            return leave_change("the names cannot be separated")
        how = detect_name_form([name.display for name in wanted.claimed.authors])
        new = wanted.fixed.authors
        pairs = pair_people(wanted.claimed.authors, new)
        target = [
            self.text[listed.members[at].value : listed.members[at].end]
            if at is not None and like >= Likeness.VARIANT
            else self._person(name, how, listed)
            for name, (at, like) in zip(new, pairs, strict=True)
        ]
        return ChangeResult(tuple(_edit_array(listed, target)))

    def _person(self, name: Name, how: NameForm, listed: JsonNode) -> str:
        """Return a name as an object in the style of its neighbours."""
        if name.collective or not name.given:
            parts = {"literal" if name.collective else "family": name.family}
        else:
            parts = {"family": name.family, "given": how.format_given(name)}
            parts |= {"suffix": name.suffix} if name.suffix else {}
        first = JsonNode(self.text, listed.members[0].value)
        if not first.members:
            return json.dumps(parts, ensure_ascii=self.ascii)
        lead = self.text[first.start + 1 : first.members[0].start]
        tail = self.text[first.members[-1].end : first.end - 1]
        gap = self.text[first.members[0].end : first.members[1].start] if len(first.members) > 1 else ", "
        named = self.text[first.members[0].start : first.members[0].value]
        colon = named[named.rindex('"') + 1 :]
        fields = gap.join(f'"{key}"{colon}{self._quote_value(value)}' for key, value in parts.items())
        return f"{{{lead}{fields}{tail}}}"

    def write_year(self, wanted: WantedChange) -> ChangeResult:
        member = self.node.get(*_DATES)
        old = str(wanted.claimed.year)
        if member is None:
            return leave_change("the item has no date")
        first = re.search(rf"(?<!\d){old}(?!\d)", self.text[member.value : member.end])
        if first is None:
            return leave_change("the year has no field of its own")
        return make_change(TextEdit(member.value + first.start(), member.value + first.end(), wanted.value()))

    def write_value(self, names: tuple[str, ...], wanted: WantedChange) -> ChangeResult:
        member, value = self.node.get(*names), wanted.value()
        if member is None:
            return (
                make_change(self._add_member(names[0], value)) if value else leave_change("it is not there")
            )
        if not value:
            return make_change(self.node.remove_member(member))
        return self._replace_member(member, value)

    def _replace_member(self, member: JsonMember, value: str) -> ChangeResult:
        sign = self.text[member.value]
        if sign == "[":  # registries wrap titles in lists
            inner = JsonNode(self.text, member.value).members
            return self._replace_member(inner[0], value) if inner else leave_change("it is an empty list")
        if sign == '"':
            return make_change(TextEdit(member.value, member.end, self._quote_value(value)))
        number = value.isdecimal() and (value == "0" or value[0] != "0")
        return make_change(TextEdit(member.value, member.end, value if number else self._quote_value(value)))

    def write_pages(self, wanted: WantedChange) -> ChangeResult:
        member, value = self.node.get("page", "article-number"), wanted.value()
        if member is None or not value:
            return self.write_value(("page",), wanted)
        held = self.node.load_value(member)
        dash = _DASH.search(held) if isinstance(held, str) else None
        first, last = pages.split_range(value) or (value, value)
        written = first if first == last else f"{first}{dash[0] if dash else '-'}{last}"
        return self._replace_member(member, written)

    def write_ids(self, wanted: WantedChange) -> ChangeResult:
        scheme, bad, good = wanted.change.field, wanted.list_wrong_ids(), wanted.list_new_ids()
        own = _IDS.get(scheme, "")
        if not bad:
            return (
                make_change(self._add_member(own, good[0]))
                if own and good
                else leave_change("CSL-JSON has no field for it")
            )
        edits: list[TextEdit] = []
        for value in bad:
            for member in (m for m in self.node.members if m.name in (own, *_FREE)):
                span = find_identifier(scheme, self.text, value, member.value, member.end)
                if span is None:
                    continue
                if not good and member.name != own:
                    return leave_change(f"{scheme} {value} is in {member.name}; remove it by hand")
                new = self._quote_value(good[0])[1:-1] if good else ""
                edits.append(
                    replace_identifier(self.text, *span, new) if good else self.node.remove_member(member)
                )
        return ChangeResult(tuple(edits)) if edits else leave_change(f"{scheme} has no field of its own")

    def _add_member(self, name: str, value: str) -> TextEdit:
        first = self.node.members[0]
        named = self.text[first.start : first.value]
        return self.node.add_member(f'"{name}"{named[named.rindex(chr(34)) + 1 :]}{self._quote_value(value)}')

    def _quote_value(self, value: str) -> str:
        return json.dumps(" ".join(value.split()), ensure_ascii=self.ascii)


def _edit_array(listed: JsonNode, target: Sequence[str]) -> list[TextEdit]:
    """Return the edits that make an array hold `target`; what stays keeps its marks."""
    text, old = listed.text, listed.members
    common = min(len(old), len(target))
    edits = [
        TextEdit(member.value, member.end, name)
        for member, name in zip(old[:common], target[:common], strict=True)
        if text[member.value : member.end] != name
    ]
    if len(target) > common:
        gap = text[old[-2].end : old[-1].start] if len(old) > 1 else ", "
        edits.append(TextEdit(old[-1].end, old[-1].end, "".join(gap + name for name in target[common:])))
    elif len(old) > common:
        edits.append(TextEdit(old[common - 1].end, old[-1].end, ""))
    return edits
