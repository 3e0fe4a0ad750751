"""Documents mended on disk: each old or new, with a diff before and a way back after."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.answers.fix import backups
from citeproof.answers.fix.backups import list_backups
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.corpus.corpus_types import (
    CorpusCitation,
    DocumentResult,
    Issue,
    Level,
    Pattern,
    Severity,
    Status,
)
from citeproof.corpus.document_fixes import fix_document
from citeproof.errors import InputError, UsageError
from citeproof.vocabulary import Act, Remedy

TEXT = "Größe is so (REF-001).\n\nIt stays.\n"
NEW = "Größe is so. <!-- citeproof: removed REF-001 -->\n\nIt stays.\n"


def result(text: str, *, raw: str = "REF-001") -> DocumentResult:
    """Return what a check would give: every REF-001 goes with its parentheses."""
    start = text.find("(REF-001)")
    remedy = Remedy(Act.REMOVE, start, start + 9, "removed REF-001") if start >= 0 else None
    cited = CorpusCitation(Pattern.REF, raw, "REF-001", start + 1, start + 8, 1, 1, 1, Status.HALLUCINATED)
    issue = Issue(
        "missing-ref", "Hallucinated Citation", "fabricated_citation", Severity.CRITICAL, Level.ERROR,
        1, 1, 1, 1, "", "REF-001", "", "", remedy,
    )  # fmt: skip
    return DocumentResult("a.md", (cited,) if start >= 0 else (), (issue,))


def made(path, data=None, **kind):
    data = path.read_bytes() if data is None else data
    return fix_document(path, path.name, data, lambda now: result(now.decode("utf-8", "replace"), **kind))


def write(files):
    """Write the documents and return their backups."""
    return [
        one.backup for one in backups.write_fixes(files, undo="citeproof corpus --undo FILE", copies=False)
    ]


def undo(path, *, force=False):
    return list(backups.undo_changes([path], force=force))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(TEXT.encode())
    return path


@pytest.mark.parametrize("before", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_there_and_back(file, before, ending):
    old = (before + TEXT).replace("\n", ending).encode()
    file.write_bytes(old)
    one = made(file)
    (backup,) = write([one])
    assert file.read_bytes() == one.new == (before + NEW).replace("\n", ending).encode()
    assert made(file) is None
    assert undo(file) == [(file, backup)]
    assert (file.read_bytes(), list_backups(file)) == (old, [])


def test_what_mending_calls_for_is_mended_too(file):
    """The second round finds a statistic that lost its source in the first."""
    file.write_bytes(b"So 40% (REF-001).\n")

    def examine(data: bytes) -> DocumentResult:
        known = result(data.decode())
        at = data.find(b"40%")
        remedy = Remedy(Act.TODO, at, at + 3, "add a source")
        return known if known.citations else replace(known, issues=(replace(known.issues[0], remedy=remedy),))

    one = fix_document(file, "a.md", file.read_bytes(), examine)
    wanted = "So 40%. <!-- TODO(citeproof): add a source --> <!-- citeproof: removed REF-001 -->\n"
    assert (one.new.decode(), apply_edits(one.text, one.edits)) == (wanted, wanted)
    assert fix_document(file, "a.md", one.new, examine) is None
    assert fix_document(file, "a.md", b"", lambda _: DocumentResult("a.md")) is None


def test_the_diff(file):
    shown = list(made(file).diff())
    assert [line for line in shown if line[0] in "+-"] == [
        "--- a.md\n",
        "+++ a.md\n",
        "-Größe is so (REF-001).\n",
        "+Größe is so. <!-- citeproof: removed REF-001 -->\n",
    ]
    assert file.read_bytes() == TEXT.encode()


def test_nothing_to_do(file):
    assert fix_document(file, "a.md", TEXT.encode(), lambda _: DocumentResult("a.md")) is None
    assert write([]) == []


def test_a_document_that_is_not_utf_8_is_left_alone_with_a_word(file):
    file.write_bytes(b"One\nGr\xf6\xdfe (REF-001).\n")
    with pytest.raises(InputError) as told:
        made(file)
    error = told.value
    assert (error.place, error.message) == ("a.md:2", "is not UTF-8; it was not changed")
    assert error.hint == "save the file as UTF-8"


def test_a_result_of_another_text_is_not_carried_out(file):
    with pytest.raises(InputError, match="changed since the check"):
        made(file, raw="REF-002")


def test_a_file_changed_meanwhile_is_left_alone(file, tmp_path):
    other = tmp_path / "b.md"
    other.write_bytes(TEXT.encode())
    both = [made(other), made(file)]
    file.write_bytes(b"mine")
    with pytest.raises(UsageError, match="was changed during the check"):
        write(both)
    assert (file.read_bytes(), other.read_bytes()) == (b"mine", TEXT.encode())  # none of them was written


@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_a_read_only_file_is_met_before_any_is_written(file, tmp_path, mode):
    other = tmp_path / "b.md"
    other.write_bytes(TEXT.encode())
    both = [made(other), made(file)]
    file.chmod(mode)
    if mode == 0o444:
        with pytest.raises(UsageError, match="is read-only"):
            write(both)
        assert other.read_bytes() == TEXT.encode()
    else:
        assert len(write(both)) == 2


def test_a_folder_without_permission_names_what_was_written(tmp_path, as_nobody):
    """The first file stands where everybody may write, the second where only its owner may."""
    first, second = tmp_path / "open" / "a.md", tmp_path / "shut" / "b.md"
    for path in (first, second):
        path.parent.mkdir()
        path.write_bytes(TEXT.encode())
        path.chmod(0o666)
    first.parent.chmod(0o777)
    second.parent.chmod(0o555)
    both = [made(first), made(second)]
    with as_nobody(), pytest.raises(UsageError) as told:
        write(both)
    assert "written already: a.md" in told.value.message
    assert "--undo" in told.value.hint
    assert (first.read_bytes(), second.read_bytes()) == (NEW.encode(), TEXT.encode())


def test_a_link_stays_one(file, tmp_path):
    link = tmp_path / "link.md"
    link.symlink_to(file)
    (backup,) = write([made(link)])
    assert link.is_symlink()
    assert (file.read_bytes(), backup.name.startswith("a.md.")) == (NEW.encode(), True)
    undo(link)
    assert (file.read_bytes(), link.is_symlink()) == (TEXT.encode(), True)


def test_another_name_of_a_file_keeps_the_old_text_and_that_is_known(file, tmp_path):
    other = tmp_path / "b.md"
    [one] = backups.write_fixes([made(file)], undo="", copies=False)
    assert not one.linked
    undo(file)
    other.hardlink_to(file)
    [one] = backups.write_fixes([made(file)], undo="", copies=False)
    assert one.linked
    assert (file.read_text("utf-8"), other.read_text("utf-8")) == (NEW, TEXT)


def test_undo_asks_before_it_overwrites(file):
    write([made(file)])
    file.write_bytes(b"edited since")
    [(_, refused)] = undo(file)
    assert "was changed since it was fixed" in refused.message
    assert file.read_bytes() == b"edited since"
    undo(file, force=True)
    assert file.read_bytes() == TEXT.encode()


def test_the_mode_of_a_file_stays(file):
    file.chmod(0o640)
    write([made(file)])
    assert file.stat().st_mode & 0o777 == 0o640
