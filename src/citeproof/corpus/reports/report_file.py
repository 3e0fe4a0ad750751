"""Saving a report inside the project: whole or not at all, nowhere else, and over nothing but a report.

The path is a setting of the project, which may be somebody else's.
"""

from __future__ import annotations

from pathlib import Path

from citeproof.answers.reporters import wording
from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import open_replacement
from citeproof.reading.extractors.records.adjacent_files import normalise_path

HEADING = b"## Citation Verification Report"  # that a report of ours begins with


def save_report(root: Path, report_path: str, text: str) -> Path:
    """Return the file that `text` was written to, made with its folders below `root`."""
    try:
        target = _resolve_target(root.resolve(strict=True), report_path)
        with open_replacement(target) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # RuntimeError: links in a circle, before Python 3.13
        said = getattr(error, "strerror", None) or str(error)
        raise _make_usage_error(
            f"cannot write: {said}", report_path, "check that it can be written to"
        ) from error
    return target


def _resolve_target(root: Path, report_path: str) -> Path:
    """Return the real place of the report, without a link in it; its folders are there then."""
    plain = normalise_path(report_path)
    if plain is None or ".." in report_path.split("/"):
        raise _make_outside_error(report_path)
    if not plain.isprintable():
        raise _make_usage_error(
            "the name contains characters that cannot be shown", report_path, "name another file"
        )
    folder = (root / plain).parent.resolve()
    if not folder.is_relative_to(root):
        raise _make_outside_error(report_path)
    _refuse_name((folder / Path(plain).name).relative_to(root), report_path)
    folder.mkdir(parents=True, exist_ok=True)
    target = (folder / Path(plain).name).resolve()  # a link that stays inside is followed, as for any editor
    if not target.is_relative_to(root):
        raise _make_outside_error(report_path)
    _refuse_name(target.relative_to(root), report_path)
    if target.is_dir():
        raise _make_usage_error(
            "cannot write: it is a folder", report_path, "name a file, like reports/citations.md"
        )
    if target.exists() and not target.is_file():
        raise _make_usage_error("cannot write: not a regular file", report_path, "name another file")
    if target.exists() and not _is_report(target):
        hint = "set corpus_report to another file, or remove that file if it is not needed"
        raise _make_usage_error("the existing file is not a report; it was not changed", report_path, hint)
    return target


def _refuse_name(target: Path, report_path: str) -> None:
    """Raise a UsageError for a file that is none of Markdown, or is git's own."""
    if ".git" in (part.casefold() for part in target.parts):
        raise _make_usage_error("reports cannot be written below .git", report_path, "name another folder")
    if target.suffix.casefold() != ".md":
        raise _make_usage_error("the report is Markdown", report_path, "name a file that ends in .md")


def _is_report(target: Path) -> bool:
    """Return whether a file begins as our reports do, or is empty."""
    with target.open("rb") as file:
        begun = file.read(len(HEADING))
    return begun in (b"", HEADING)


def _make_outside_error(path: str) -> UsageError:
    hint = "name a file inside the project, relative to its root and without `..`"
    return _make_usage_error("the report would be written outside the project", path, hint)


def _make_usage_error(message: str, path: str, hint: str) -> UsageError:
    return UsageError(message, place=wording.show_line(path, 200) or "--report", hint=hint)
