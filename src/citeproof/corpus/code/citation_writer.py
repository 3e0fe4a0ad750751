"""Writing a code citation of a file as it is now."""

from __future__ import annotations

from pathlib import Path

from citeproof.corpus.code import HASH, describe_range_problem, normalise_line_range
from citeproof.corpus.corpus_types import CorpusLayout, Pattern
from citeproof.corpus.page import read_page
from citeproof.corpus.project_root import ProjectRoot
from citeproof.errors import UsageError
from citeproof.vocabulary import CitationReason


def write_code_citation(root: ProjectRoot, path: Path, lines: str = "", *, footer: bool = False) -> str:
    """Return a citation of a file, `[src/a.py@0123456789abcdef, L1-9]`, or a line of the Sources footer."""
    name = root.relative(path)
    if name is None:
        hint = "cite files below the root, or use another root"
        raise UsageError(f"is not inside the root {root.folder}", place=str(path), hint=hint)
    artefact = root.artefact(name)
    if artefact.folder:
        raise UsageError("is a folder", place=str(path), hint="name a file in it")
    if not artefact.there:
        odd = artefact.reason == CitationReason.OUTSIDE_ROOT
        hint = "name a regular file" if odd else "name a file that can be read"
        raise UsageError(artefact.detail, place=str(path), hint=hint)
    cited = normalise_line_range(lines) if lines else ""
    why = describe_range_problem(cited or lines, artefact.lines)
    if cited is None or why:
        raise UsageError(why, place=str(path), hint="write lines as L42 or L42-58, within the file")
    head = f"{name}@{artefact.sha256[:HASH]}"
    if footer:
        written = f"- {head} ({cited})" if cited else f"- {head}"
    else:
        written = f"[{head}, {cited}]" if cited else f"[{head}]"
    text = f"## Sources\n\n{written}\n" if footer else f"It is {written}.\n"
    marks = read_page(text, CorpusLayout()).marks
    if [mark.target for mark in marks if mark.pattern is Pattern.CODE] != [name]:  # it may hold brackets
        hint = "rename it: documents would not read this as a citation"
        raise UsageError("has a name that cannot be cited", place=str(path), hint=hint)
    return written
