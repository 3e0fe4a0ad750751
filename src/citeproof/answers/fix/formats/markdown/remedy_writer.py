"""Remedies to edits: which go together, and leaf by leaf what goes or changes and where notes are put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citeproof.answers.fix.formats.markdown import citation_removal
from citeproof.answers.fix.formats.markdown.citation_removal import EditedLeaf
from citeproof.answers.fix.formats.markdown.document_shape import DocumentShape, ShapeLeaf
from citeproof.answers.fix.text_edits import TextEdit, sort_edits
from citeproof.text import lazy_patterns as re
from citeproof.text.span_set import SpanSet
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Act, Remedy

_STOPS = '.,;:!?)}"”»…。，、；：！？）'  # a comment goes behind them, so that no blank comes before them
_CLOSING = {"(": ")", "[": "]", "（": "）"}
_MOST_STOPS = 6
_FIRST = {Act.REMOVE: 0, Act.REPLACE: 1, Act.ANNOTATE: 2, Act.TODO: 3}
CHANGES = (Act.REMOVE, Act.REPLACE)
_NEAR = 200  # characters in which a neighbour that stays is searched for
MOST = 200  # characters of what a comment says
_DASHES = re.compile("-(?=-)")
_MARKER = re.compile(r"[ \t]{0,9}(?:\r?\n[ \t>]{0,40})?(\[[A-Z][A-Z_-]{1,30}:[^\[\]\r\n]{0,200}\])")
_NOTE = re.compile(r"[\s.,;:!?)\]]{0,9}<!-- ((?:TODO\()?citeproof\)?: [^>]{1,400})-->")
_LINES = re.compile(r"[ \t]{0,3}\(L\d{1,9}(?:[-–]L?\d{1,9})?\)")
_HARMLESS = str.maketrans({">": "›", "`": "'"})


def choose_remedies(
    remedies: Sequence[Remedy], shape: DocumentShape, cited: SpanSet, size: int
) -> list[Remedy]:
    """Return the remedies that can be carried out together, in the order of the text.

    Removing goes before replacing, and of two of a kind the outer, then the earlier one. A note about words
    that go or change wholly goes with them; any other note stays.
    """
    wanted = [remedy for remedy in dict.fromkeys(remedies) if 0 <= remedy.start < remedy.end <= size]
    wanted.sort(key=lambda remedy: (_FIRST[remedy.act], remedy.start - remedy.end, remedy.start))
    taken = SpanSet()
    kept: list[Remedy] = []
    for wish in wanted:
        remedy = _shrink_removal(wish, taken) if wish.act is Act.REMOVE else wish
        if remedy.act in CHANGES:
            able = (
                remedy.start < remedy.end
                and cited.is_free(remedy.start, remedy.end)
                and shape.leaf(remedy.start, remedy.end) is not None
            )
            if not able or not taken.is_free(remedy.start, remedy.end):
                continue
            taken.add(remedy.start, remedy.end)
        elif shape.find_last_leaf(remedy.start, remedy.end) is None or taken.holds(remedy.start, remedy.end):
            continue
        kept.append(remedy)
    return sorted(kept, key=lambda remedy: (remedy.start, remedy.end, _FIRST[remedy.act]))


def _shrink_removal(remedy: Remedy, taken: SpanSet) -> Remedy:
    """Return what is left to remove next to what goes already: two may share the marks between them."""
    start, end = remedy.start, remedy.end
    for low, high in taken.list_meeting(start, end):
        if low <= start:
            start = high
        elif high >= end:
            end = low
    return replace(remedy, start=start, end=end)


@dataclass(slots=True)
class WrittenRemedies:
    """The edits of some remedies, and what they do."""

    edits: tuple[TextEdit, ...] = ()
    comments: list[str] = field(default_factory=list)
    gone: list[tuple[int, int]] = field(default_factory=list)
    opened: list[tuple[int, int]] = field(default_factory=list)  # links that go, while their words stay
    stuck: list[Remedy] = field(default_factory=list)  # those whose comment found no place


class RemedyWriter:
    """Writes the remedies of one document; what it wrote into a leaf it does not think out again."""

    def __init__(self, text: str, shape: DocumentShape, cited: SpanSet) -> None:
        self._text, self._shape, self._cited = text, shape, cited
        self._known: dict[tuple[int, tuple[Remedy, ...]], WrittenRemedies] = {}

    def leaf(self, remedy: Remedy) -> ShapeLeaf | None:
        """Return the leaf that a remedy writes into."""
        find = self._shape.leaf if remedy.act in CHANGES else self._shape.find_last_leaf
        return find(remedy.start, remedy.end)

    def write_edits(self, remedies: Sequence[Remedy]) -> WrittenRemedies:
        """Return the edits that carry out `remedies`, which are in the order of the text."""
        groups: dict[int, tuple[ShapeLeaf, list[Remedy]]] = {}
        for remedy in remedies:
            leaf = self.leaf(remedy)
            if leaf is not None:
                groups.setdefault(leaf.start, (leaf, []))[1].append(remedy)
        made, edits = WrittenRemedies(), list[TextEdit]()
        for leaf, mine in groups.values():
            part = self._part(leaf, tuple(mine))
            edits += part.edits
            made.comments += part.comments
            made.gone += part.gone
            made.opened += part.opened
            made.stuck += part.stuck
        made.edits = tuple(sort_edits(edits))
        return made

    def _part(self, leaf: ShapeLeaf, remedies: tuple[Remedy, ...]) -> WrittenRemedies:
        known = self._known.get((leaf.start, remedies))
        if known is None:
            known = self._known[leaf.start, remedies] = WrittenRemedies()
            pen = _LeafWriter(EditedLeaf(self._text, leaf, self._cited), known)
            pen.change([remedy for remedy in remedies if remedy.act in CHANGES])
            for remedy in remedies:
                if remedy.act is Act.ANNOTATE:
                    pen.annotate(remedy)
                elif remedy.act is Act.TODO:
                    pen.add_comment(remedy)
            known.edits = tuple(pen.edits())
        return known


class _LeafWriter:
    """Writes the edits of one leaf."""

    def __init__(self, slate: EditedLeaf, made: WrittenRemedies) -> None:
        self._slate, self._made = slate, made
        self._edits: list[TextEdit] = []
        self._notes: dict[int, list[str]] = {}  # by place: annotations, then comments
        self._alone: set[int] = set()

    def edits(self) -> list[TextEdit]:
        """Return all edits of the leaf, one at a place."""
        return [*self._edits, *(TextEdit(at, at, self._set(at, said)) for at, said in self._notes.items())]

    def change(self, remedies: Sequence[Remedy]) -> None:
        """Replace and remove; of a removed citation a comment stays."""
        for remedy in remedies:
            if remedy.act is Act.REPLACE:
                self._edits.append(TextEdit(remedy.start, remedy.end, format_replacement(remedy.text)))
                self._slate.changed.add(remedy.start, remedy.end)
        linked = [remedy for remedy in remedies if remedy.act is Act.REMOVE and _get_kept_words(remedy)]
        for remedy in linked:
            self._open(remedy)
        stood = [
            remedy
            for remedy in remedies
            if remedy.act is Act.REMOVE and remedy.stand and not _get_kept_words(remedy)
        ]
        for remedy in stood:
            self._edits.append(TextEdit(remedy.start, remedy.end, format_replacement(remedy.stand)))
            self._slate.changed.add(remedy.start, remedy.end)
        bare = [
            remedy
            for remedy in remedies
            if remedy.act is Act.REMOVE and not (remedy.stand or _get_kept_words(remedy))
        ]
        removed = {(remedy.start, remedy.end): remedy for remedy in bare}
        cuts: list[tuple[int, list[tuple[int, int]]]] = []
        for run in citation_removal.group_runs(self._slate.text, list(removed)):
            start, end = self._cut(run[0][0], run[-1][1])
            self._slate.gone.add(start, end)
            self._edits.append(TextEdit(start, end, ""))
            cuts.append((end, run))
        self._made.gone += self._slate.gone
        for remedy in (*linked, *stood):
            raw = self._slate.text[remedy.start : remedy.end]
            self._comment(
                remedy.end, [format_removal_note(remedy.text, raw, cell=self._slate.cell)], [remedy]
            )
        for end, run in cuts:
            raws = [(removed[span], self._slate.text[span[0] : span[1]]) for span in run]
            said = [format_removal_note(remedy.text, raw, cell=self._slate.cell) for remedy, raw in raws]
            self._comment(end, said, [remedy for remedy, _ in raws])

    def _open(self, remedy: Remedy) -> None:
        """Take a link away from its words, which stay; so do brackets around the link."""
        low, high = _get_kept_words(remedy) or (remedy.start, remedy.end)
        start, end = remedy.start, remedy.end
        for element in self._slate.leaf.list_enclosing(low, high):
            if element.kind == "Link" and remedy.start <= element.start and element.end <= remedy.end:
                start, end = element.start, element.end
                self._made.opened.append((start, end))
                break
        for cut in ((start, low), (high, end)):
            if cut[0] < cut[1]:
                self._slate.gone.add(*cut)
                self._edits.append(TextEdit(*cut, ""))

    def _cut(self, start: int, end: int) -> tuple[int, int]:
        """Return what goes with a run of citations: nothing that another edit or a code citation holds."""
        slate = self._slate
        low, high = citation_removal.extend_cut(slate, start, end)
        for taken in (slate.gone, slate.changed):
            least, most = taken.room(start, end)
            low, high = max(low, least), min(high, most)
        return (low, high) if slate.cited.is_free(low, high) else (start, end)

    def annotate(self, remedy: Remedy) -> None:
        """Put the words behind the span, unless they are there."""
        slate, leaf = self._slate, self._slate.leaf
        said = format_annotation(remedy.text, cell=slate.cell)
        at = leaf.find_solid_end(slate.cited.find_span_end(min(remedy.end, leaf.end)))
        place = find_annotation_place(slate.text, slate.find_stretch_end(at), leaf.end, said)
        if place is not None and said not in self._notes.get(place, ()):
            self._notes.setdefault(place, []).append(said)

    def add_comment(self, remedy: Remedy) -> None:
        """Put a comment behind the span, unless it follows in the same block."""
        slate, leaf = self._slate, self._slate.leaf
        said = format_todo_note(remedy.text, cell=slate.cell)
        if said not in slate.text[max(remedy.start, leaf.start) : leaf.end]:
            self._comment(min(remedy.end, leaf.end), [said], [remedy])

    def _comment(self, at: int, said: Sequence[str], by: Sequence[Remedy]) -> None:
        slate = self._slate
        place = slate.place_comment(self._behind_stops(at))
        if place is None:
            alone = not slate.keeps_words(slate.leaf.start, slate.leaf.end)
            if not alone or slate.leaf.kind in ("Heading", "TableCell"):
                self._made.stuck += by
                return
            place = slate.outside(at)
            self._alone.add(place)
        known = self._notes.setdefault(place, [])
        fresh = [note for note in said if note not in known]
        known += fresh
        self._made.comments += fresh

    def _behind_stops(self, at: int) -> int:
        """Return the place behind the stops and closing signs that follow."""
        text, end = self._slate.text, self._slate.leaf.end
        if (
            closing := _CLOSING.get(self._slate.find_last_sign(at))
        ) is not None:  # all that was left before it is "("
            at = max(at, text.find(closing, at, min(end, at + _NEAR)) + 1)
        for _ in range(_MOST_STOPS):
            at = self._slate.outside(at)
            if at >= end or text[at] not in _STOPS:
                break
            at += 1
        after = text[at : at + 1] if at < end else ""
        return self._slate.line(at)[1] if after in ("(", "[") and text[at - 1 : at] == "]" else at

    def _set(self, at: int, said: Sequence[str]) -> str:
        """Return notes as they are written at a place, with the blanks they need there."""
        slate = self._slate
        if at in self._alone:
            return " ".join(said)
        before = slate.keep_stretch(max(slate.line(at)[0], at - _NEAR), at)[-1:]
        ends = at >= slate.line(at)[1]  # a break that follows is not a word
        after = "" if ends else slate.keep_stretch(at, min(slate.leaf.end, at + _NEAR))[:1]
        words = sorted(said, key=lambda note: note.startswith("<!--"))
        tight = words[0].startswith("<!--") and after.strip() and not before.isspace()
        lead = "" if tight or before.isspace() or not before else " "
        linked = after in ("(", "[") and not words[-1].startswith("<!--")
        behind = " " if linked or (before.isspace() and after.strip()) else ""
        return lead + " ".join(words) + behind


def _get_kept_words(remedy: Remedy) -> tuple[int, int] | None:
    kept = remedy.kept
    return kept if kept is not None and remedy.start <= kept[0] < kept[1] <= remedy.end else None


def format_removal_note(said: str, raw: str, *, cell: bool = False) -> str:
    """Return the comment that stays where a citation was."""
    said = said or raw
    return _format_comment("citeproof:", said if said.startswith("removed") else f"removed {said}", cell=cell)


def format_todo_note(said: str, *, cell: bool = False) -> str:
    """Return the comment that asks for something to be done."""
    return _format_comment("TODO(citeproof):", said.removeprefix("TODO(citeproof):"), cell=cell)


def format_annotation(said: str, *, cell: bool = False) -> str:
    """Return words that are in the text itself, on one line and bounded."""
    return _bound_text(said, cell=cell)


def format_replacement(said: str) -> str:
    """Return words that take the place of others: as they are, but on one line."""
    return said if said.isprintable() else show_one_line(said)


def find_annotation_place(text: str, at: int, end: int, said: str) -> int | None:
    """Return where an annotation goes: behind those that are there; None if it is one of them."""
    if lines := _LINES.match(text, at, end):
        at = lines.end()  # `path@hash` (L4-9) in a list of sources
    while match := _MARKER.match(text, at, end):
        if match[1] == said:
            return None
        at = match.end()
    return at


def has_todo_note(text: str, at: int, end: int, named: str) -> bool:
    """Return whether a TODO about what is named follows at once, behind no more than stops and notes."""
    while match := _NOTE.match(text, at, end):
        if (
            match[1].startswith("TODO(citeproof):")
            and _bound_text(named, cell=False).translate(_HARMLESS) in match[1]
        ):
            return True
        at = match.end()
    return False


def _format_comment(lead: str, said: str, *, cell: bool) -> str:
    """Return an HTML comment that ends where it ends: no other dashes, brackets or backticks in it."""
    safe = _DASHES.sub("- ", _bound_text(said, cell=cell).translate(_HARMLESS)).rstrip("-")
    return f"<!-- {lead} {safe.strip()} -->"


def _bound_text(said: str, *, cell: bool) -> str:
    line = show_one_line(said)
    line = line if len(line) <= MOST else line[: MOST - 1].rstrip() + "…"
    return line.replace("|", "¦") if cell else line
