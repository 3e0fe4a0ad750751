"""Citations that `cite` writes, and files that cannot be cited."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from citeproof.corpus.code import judge_code_citation
from citeproof.corpus.code.citation_writer import write_code_citation
from citeproof.corpus.corpus_types import CorpusLayout, Freshness, Pattern
from citeproof.corpus.page import read_page
from citeproof.corpus.project_root import ProjectRoot
from citeproof.errors import UsageError

DATA = b"".join(b"line %d\n" % n for n in range(1, 10))
HASH = sha256(DATA).hexdigest()[:16]


@pytest.fixture
def root(tmp_path: Path) -> ProjectRoot:
    (tmp_path / "project/src").mkdir(parents=True)
    for name in ("src/a.py", "src/b c.py", "src/[id].tsx", "a@2.py", "src/[id]/page.tsx", "a`b.py"):
        (tmp_path / "project" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "project" / name).write_bytes(DATA)
    (tmp_path / "project/link.py").symlink_to("src/a.py")
    (tmp_path / "project/out.py").symlink_to("../outside.py")
    (tmp_path / "outside.py").write_bytes(DATA)
    return ProjectRoot(tmp_path / "project")


@pytest.mark.parametrize(
    ("path", "lines", "inline", "footer"),
    [
        ("src/a.py", "", f"[src/a.py@{HASH}]", f"- src/a.py@{HASH}"),
        ("src/a.py", "L1-9", f"[src/a.py@{HASH}, L1-9]", f"- src/a.py@{HASH} (L1-9)"),
        ("src/a.py", "3", f"[src/a.py@{HASH}, L3]", f"- src/a.py@{HASH} (L3)"),
        ("src/a.py", "3-4", f"[src/a.py@{HASH}, L3-4]", f"- src/a.py@{HASH} (L3-4)"),
        ("src/a.py", "L3-L4", f"[src/a.py@{HASH}, L3-4]", f"- src/a.py@{HASH} (L3-4)"),
        ("src/a.py", "3–4", f"[src/a.py@{HASH}, L3-4]", f"- src/a.py@{HASH} (L3-4)"),
        ("src/a.py", "L4-4", f"[src/a.py@{HASH}, L4]", f"- src/a.py@{HASH} (L4)"),
        ("src/../src/a.py", "", f"[src/a.py@{HASH}]", f"- src/a.py@{HASH}"),
        ("link.py", "", f"[src/a.py@{HASH}]", f"- src/a.py@{HASH}"),
        ("src/b c.py", "L1", f"[src/b c.py@{HASH}, L1]", f"- src/b c.py@{HASH} (L1)"),
        ("a@2.py", "L1", f"[a@2.py@{HASH}, L1]", f"- a@2.py@{HASH} (L1)"),
    ],
)
def test_a_file_is_cited_as_it_is_now(
    root: ProjectRoot, path: str, lines: str, inline: str, footer: str
) -> None:
    assert write_code_citation(root, root.folder / path, lines) == inline
    assert write_code_citation(root, root.folder / path, lines, footer=True) == footer


def test_a_path_is_seen_from_the_working_folder(root: ProjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.folder / "src")
    assert write_code_citation(root, Path("a.py")) == f"[src/a.py@{HASH}]"


@pytest.mark.parametrize(
    ("path", "lines", "message"),
    [
        ("src/nothing.py", "", "does not exist"),
        ("../outside.py", "", "is not inside the root"),
        ("out.py", "", "is not inside the root"),
        ("/etc/passwd", "", "is not inside the root"),
        ("src", "", "is a folder"),
        (".", "", "is a folder"),
        ("a`b.py", "", "has a name that cannot be cited"),
        ("src/a.py", "L10", "L10 is outside the file, which has 9 lines"),
        ("src/a.py", "L9-10", "L9-10 goes beyond the end of the file, which has 9 lines"),
        ("src/a.py", "L0", "L0 begins at line 0"),
        ("src/a.py", "L5-3", "L5-3 runs backwards"),
        ("src/a.py", "five", "five is not a range of lines"),
        ("src/a.py", "L" + "1" * 100, "is not a range of lines"),
    ],
)
def test_what_cannot_be_cited_is_an_error_with_a_mend(
    root: ProjectRoot, path: str, lines: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        write_code_citation(root, root.folder / path, lines)
    assert str(root.folder / path) == raised.value.place
    assert raised.value.hint


@pytest.mark.parametrize("footer", [False, True])
@pytest.mark.parametrize("path", ["src/a.py", "src/b c.py", "a@2.py", "src/[id]/page.tsx", "src/[id].tsx"])
@pytest.mark.parametrize("lines", ["", "L2", "L2-9"])
def test_what_is_cited_is_read_back_as_fresh(
    root: ProjectRoot, path: str, lines: str, *, footer: bool
) -> None:
    written = write_code_citation(root, root.folder / path, lines, footer=footer)
    text = f"# T\n\n## Sources\n\n{written}\n" if footer else f"It holds {written}.\n"
    (found,) = (one for one in read_page(text, CorpusLayout()).marks if one.pattern is Pattern.CODE)
    judged = judge_code_citation(root.artefact(found.target), found)
    assert (found.target, found.lines, found.footer) == (path, lines, footer)
    assert (judged.freshness, judged.range_problem) == (Freshness.FRESH, "")
