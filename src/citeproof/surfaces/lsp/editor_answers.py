"""What an editor is shown: diagnostics, hovers and code actions of a checked text. All text is escaped."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from lsprotocol import types

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.markdown import escape_markdown, format_section
from citeproof.answers.reporters.report_model import ReportRow, RowLevel
from citeproof.answers.serializers.judgements import FINDING_RULE, make_fingerprint
from citeproof.service.editor_check import EditorMark, EditorNote, EntryFix

SOURCE = "citeproof"
IGNORE, CHECK = "citeproof.ignore", "citeproof.check"
_SEVERITIES = {
    RowLevel.ERROR: types.DiagnosticSeverity.Error,
    RowLevel.WARNING: types.DiagnosticSeverity.Warning,
    RowLevel.NOTE: types.DiagnosticSeverity.Information,
    RowLevel.HINT: types.DiagnosticSeverity.Hint,
}
_LONGEST = 2000  # characters of a message
_MOST_ACTIONS = 20  # of one place
_BLOCK = 4096  # characters whose units are counted together
_UNDERLINED = 10_000  # characters of an entry


class TextPositions:
    """Positions of an editor, which count UTF-16 units, and offsets in characters of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
        self._sums = [0, *accumulate(map(_count_units, blocks))]  # a line may be as long as the text

    def locate(self, offset: int) -> types.Position:
        """Return the position of a character."""
        line = min(bisect_right(self._starts, offset), len(self._starts) - 1) - 1
        start = self._starts[line]
        offset -= offset > start and self._text[offset - 1 : offset] == "\r"
        return types.Position(line, self._count_before(offset) - self._count_before(start))

    def make_range(self, start: int, end: int) -> types.Range:
        """Return the range of some characters."""
        return types.Range(self.locate(start), self.locate(end))

    def find_offset(self, position: types.Position) -> int:
        """Return the character at a position; one beyond the text is its end."""
        if position.line >= len(self._starts) - 1:
            return len(self._text)
        start, following = self._starts[position.line : position.line + 2]
        units = self._count_before(start) + position.character
        return start + bisect_left(range(start, following - 1), units, key=self._count_before)

    def _count_before(self, offset: int) -> int:
        """Return the UTF-16 units before a character."""
        block = min(offset, len(self._text)) // _BLOCK
        return self._sums[block] + _count_units(self._text[block * _BLOCK : offset])


def make_diagnostics(
    text: str, marks: Iterable[EditorMark], notes: Iterable[EditorNote]
) -> list[types.Diagnostic]:
    """Return the problems of a text; of an entry with several lines, the first one is underlined."""
    positions = TextPositions(text)
    made = []
    for mark in marks:
        first = text[mark.start : min(mark.end, mark.start + _UNDERLINED)].split("\n", 1)[0].rstrip()
        where = positions.make_range(mark.start, mark.start + max(len(first), 1))
        made += [_make_diagnostic(where, row, mark.checked.reference.key) for row in mark.rows]
    for note in notes:
        made.append(_make_diagnostic(positions.make_range(note.start, note.end), note.row, ""))
    return made


def make_hover(text: str, mark: EditorMark, *, markdown: bool) -> types.Hover:
    """Return what is known about a reference: claimed and found side by side, the evidence, links."""
    checked = mark.checked
    if markdown:
        title = f"**{escape_markdown(wording.format_title(checked))}**"
        told = f"{title}\n\n{format_section(checked).strip()}"
        content = types.MarkupContent(types.MarkupKind.Markdown, told)
    else:
        lines = [
            f"{checked.reference.key}: {wording.format_headline(checked)}",
            wording.format_summary(checked),
        ]
        lines += [
            f"{difference.field}: claimed {difference.claimed!r}, found {difference.resolved!r}"
            for difference in wording.list_differences(checked.judgement)
        ]
        lines += [f"evidence: {wording.describe_evidence(checked)}"]
        lines += [wording.describe_finding(finding) for finding in wording.list_findings(checked)]
        told = "\n".join(wording.show_line(line, _LONGEST) for line in lines)
        content = types.MarkupContent(types.MarkupKind.PlainText, told)
    first = text[mark.start : mark.end].split("\n", 1)[0]
    where = TextPositions(text).make_range(mark.start, mark.start + len(first))
    return types.Hover(content, where)


def make_fix_action(
    fix: EntryFix, uri: str, key: str, diagnostics: list[types.Diagnostic]
) -> types.CodeAction:
    """Return the action that makes the changes of `citeproof fix` in one entry."""
    positions = TextPositions(fix.text)
    edits = [types.TextEdit(positions.make_range(edit.start, edit.end), edit.text) for edit in fix.edits]
    kind = "all changes, also unsafe ones" if fix.unsafe else "safe changes"
    title = wording.show_line(f"Fix {key} ({kind}): {'; '.join(fix.words)}", 200)
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=diagnostics,
        is_preferred=not fix.unsafe,
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


def generate_ignore_actions(uri: str, diagnostics: Iterable[types.Diagnostic]) -> Iterator[types.CodeAction]:
    """Yield an action for each problem that accepts it."""
    for diagnostic in list(diagnostics)[:_MOST_ACTIONS]:
        data = diagnostic.data if isinstance(diagnostic.data, dict) else {}
        if fingerprint := data.get("fingerprint"):
            title = wording.show_line(f"Ignore this problem: {data.get('title') or diagnostic.code}", 200)
            yield types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                command=types.Command(title, IGNORE, arguments=[uri, fingerprint]),
            )


def _make_diagnostic(where: types.Range, row: ReportRow, key: str) -> types.Diagnostic:
    return types.Diagnostic(
        range=where,
        message=wording.show_line(row.message, _LONGEST),
        severity=_SEVERITIES[row.level],
        code=f"{row.rule}: {row.reason}" if row.rule == FINDING_RULE else row.rule,
        source=SOURCE,
        data={
            "fingerprint": make_fingerprint(row.identity) if row.identity else "",
            "key": key,
            "title": wording.show_line(row.title, 100),
        },
    )


def _count_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
