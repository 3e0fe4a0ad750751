"""The command `citeproof fix`: its levels, doors and exit codes, and `citeproof check --fix`."""

from __future__ import annotations

import re

import pytest
from tests.surfaces.fixes import planted, snapshot, text_of


@pytest.fixture
def tmp_path(disk_path):
    return disk_path


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    return snapshot(tmp_path_factory)


@pytest.fixture
def fix(cli, works):
    return lambda *arguments, stdin=b"": cli("fix", *arguments, "--snapshot", works, stdin=stdin)


WRONG = ("aligned.bib", "{1735--1780}", "{1737--1780}")  # a safe change
UNSAFE = ("aligned.bib", "year      = 1926,", "year      = 1936,")


@pytest.fixture
def bib(tmp_path):
    """A file with one page and one year wrong."""
    file = tmp_path / "refs.bib"
    text = text_of("aligned.bib")
    for _, right, wrong in (WRONG, UNSAFE):
        text = text.replace(right, wrong)
    file.write_bytes(text.encode())
    return file


def _backups(file):
    return [path for path in file.parent.iterdir() if ".citeproof-backup-" in path.name]


def test_a_diff_changes_nothing(fix, bib):
    before = bib.read_bytes()
    ended = fix(bib, "--diff")
    assert bib.read_bytes() == before
    assert not _backups(bib)
    assert ended.code == 1
    changed = [line for line in ended.out.splitlines() if line[0] in "+-"]
    assert changed[2:] == ["-  pages     = {1737--1780},", "+  pages     = {1735--1780},"]
    assert "1 change in 1 entry to be made with --write (1 safe, 1 unsafe not applied: --unsafe)" in ended.err


SHOWN = """hochreiter1997  refs.bib:8:1
    Long Short-Term Memory
    pages  1737-1780  →  1735-1780
    according to snapshot, record bibtex:hochreiter1997: Hochreiter et al. 1997,
    doi:10.1162/neco.1997.9.8.1735

schrodinger1926  refs.bib:20:1
    An Undulatory Theory of the Mechanics of Atoms and Molecules
    not changed (unsafe: --unsafe makes it):
    year  1936  →  1926
    according to snapshot, record bibtex:schrodinger1926: Schrödinger 1926,
    doi:10.1103/physrev.28.1049

1 change in 1 entry to be made with --write (1 safe, 1 unsafe not applied: --unsafe)
"""


def test_changes_are_shown_by_reference_with_their_evidence(fix, bib):
    before = bib.read_bytes()
    ended = fix(bib.name)
    assert (ended.code, ended.out, ended.err) == (1, SHOWN, "")
    assert bib.read_bytes() == before
    assert not _backups(bib)


def test_references_that_cannot_be_corrected_are_named(fix, tmp_path):
    file = tmp_path / "i.bib"
    file.write_text(
        "@article{x\x1b[2J, title={A Paper that Was Not There at All}, author={Nobody, Nemo}, year=2019}\n"
    )
    out = fix(file).out
    assert "1 reference with problems, but no sure correction: x" in out
    assert "\x1b" not in out


def test_the_diff_is_one_that_patch_takes(fix, bib, tmp_path):
    import shutil
    import subprocess

    if not shutil.which("patch"):
        pytest.skip("patch is not installed")
    ended = fix(bib.name, "--unsafe", "--diff")
    (tmp_path / "d.patch").write_text(ended.out, encoding="utf-8")
    subprocess.run(["patch", "-p0", "-i", "d.patch"], cwd=tmp_path, check=True, capture_output=True)
    assert bib.read_text(encoding="utf-8") == text_of("aligned.bib")


@pytest.mark.parametrize(
    ("flags", "code", "mended"),
    [
        (("--write",), 1, [WRONG]),
        (("--write", "--unsafe"), 0, [WRONG, UNSAFE]),
        (("-w", "--safe"), 1, [WRONG]),
    ],
    ids=["safe", "unsafe", "-w --safe"],
)
def test_levels(flags, code, mended, fix, bib):
    before = bib.read_bytes()
    ended = fix(bib, *flags)
    expected = before.decode()
    for _, right, wrong in mended:
        expected = expected.replace(wrong, right)
    assert bib.read_text(encoding="utf-8") == expected
    assert ended.code == code
    [backup] = _backups(bib)
    assert backup.read_bytes() == before


def test_a_copy(fix, bib, tmp_path):
    before = bib.read_bytes()
    ended = fix(bib, "--unsafe", "-o", tmp_path / "copy.bib")
    assert (tmp_path / "copy.bib").read_text(encoding="utf-8") == text_of("aligned.bib")
    assert bib.read_bytes() == before
    assert not _backups(bib)
    assert ended.code == 0


def test_a_copy_to_standard_output(fix, bib):
    ended = fix(bib, "--unsafe", "-o", "-")
    assert ended.out == text_of("aligned.bib")
    assert "2 changes in 2 entries" in ended.err


def test_standard_input(fix, bib):
    ended = fix("-", "--unsafe", "-o", "-", stdin=bib.read_bytes())
    assert ended.out == text_of("aligned.bib")
    assert fix("-", "--write", stdin=b"x").code == 2


@pytest.mark.parametrize(
    ("answers", "mended"),
    [(b"y\ny\n", [WRONG, UNSAFE]), (b"n\ny\n", [UNSAFE]), (b"a\n", [WRONG, UNSAFE]), (b"q\n", [])],
    ids=["yes yes", "no yes", "all", "quit"],
)
def test_interactive(answers, mended, fix, bib):
    expected = bib.read_text(encoding="utf-8")
    for _, right, wrong in mended:
        expected = expected.replace(wrong, right)
    ended = fix(bib, "-i", "--write", stdin=answers)
    assert bib.read_text(encoding="utf-8") == expected
    assert "[1 of 2] hochreiter1997" in ended.err
    assert "pages  1737-1780  →  1735-1780" in ended.err
    assert "according to snapshot, record bibtex:hochreiter1997" in ended.err
    assert ended.code == (0 if len(mended) == 2 else 1)


@pytest.mark.parametrize("answers", [b"", b"y\n"])
def test_broken_off_while_asking_nothing_is_written(answers, fix, bib):
    before = bib.read_bytes()
    ended = fix(bib, "-i", "--write", stdin=answers)
    assert ended.code == 130
    assert bib.read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--write", "-o", "x.bib"), "cannot be used together"),
        (("--undo", "--write"), "cannot be used together"),
        (("--force",), "needs --undo"),
        (("other.bib", "-o", "x.bib"), "cannot write several"),
        (("--undo",), "has no backup"),
        (("-o", "refs.bib"), "the output is the document itself or its bibliography"),
        (("-o", "."), "it is a folder"),
    ],
    ids=lambda flags: " ".join(flags) if isinstance(flags, tuple) else "",
)
def test_wrong_usage(flags, told, fix, bib):
    before = bib.read_bytes()
    ended = fix(bib, *flags)
    assert ended.code == 2
    assert told in ended.err
    assert "hint: " in ended.err
    assert bib.read_bytes() == before


def test_undo_goes_back_step_by_step(fix, cli, bib):
    states = [bib.read_bytes()]
    fix(bib, "--write")
    states.append(bib.read_bytes())
    fix(bib, "--write", "--unsafe")
    assert len(_backups(bib)) == 2
    for state in reversed(states):
        assert cli("fix", "--undo", bib).code == 0
        assert bib.read_bytes() == state
    assert not _backups(bib)


def test_undo_spares_what_was_edited_since(fix, cli, bib):
    before = bib.read_bytes()
    fix(bib, "--write")
    edited = bib.read_bytes() + b"% mine\n"
    bib.write_bytes(edited)
    ended = cli("fix", "--undo", bib)
    assert ended.code == 2
    assert "--force" in ended.err
    assert bib.read_bytes() == edited
    assert cli("fix", "--undo", "--force", bib).code == 0
    assert bib.read_bytes() == before
    assert [backup.read_bytes() for backup in _backups(bib)] == [edited]  # what was overwritten is kept


def test_undo_refuses_a_damaged_backup(fix, cli, bib):
    fix(bib, "--write")
    after = bib.read_bytes()
    [backup] = _backups(bib)
    backup.write_bytes(b"rubbish")
    ended = cli("fix", "--undo", bib)
    assert (ended.code, bib.read_bytes()) == (2, after)
    assert "damaged" in ended.err


def test_a_link_stays_a_link(fix, bib, tmp_path):
    project = tmp_path / "project"  # not above the user's own folder
    (project / ".git").mkdir(parents=True)
    (project / "sub").mkdir()
    bib = bib.rename(project / "refs.bib")
    link = project / "sub" / "link.bib"
    link.symlink_to(bib)
    fix(link, "--write", "--unsafe")
    assert link.is_symlink()
    assert bib.read_text(encoding="utf-8") == text_of("aligned.bib")
    assert _backups(bib)


def test_a_link_out_of_the_project_is_not_written_through(fix, bib, tmp_path):
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    link = project / "refs.bib"
    link.symlink_to(bib)
    before = bib.read_bytes()
    ended = fix(link, "--write", "--unsafe")
    assert ended.code == 2
    assert "points outside the project" in ended.err
    assert str(bib) in ended.err  # what to name instead
    assert bib.read_bytes() == before
    assert not _backups(bib)


def test_latex_project_changes_the_bibliography_beside(fix, bib, tmp_path):
    paper = tmp_path / "paper.tex"
    text = "\\documentclass{article}\\begin{document}\nSee \\cite{hochreiter1997}.\n"
    text += "\\bibliography{refs}\n\\end{document}\n"
    paper.write_text(text, encoding="utf-8")
    before = bib.read_text(encoding="utf-8")
    ended = fix(paper, "--unsafe", "--write")
    assert paper.read_text(encoding="utf-8") == text
    assert bib.read_text(encoding="utf-8") == before.replace(WRONG[2], WRONG[1])  # only what is cited
    assert ended.code == 0


def test_two_documents_that_cite_one_bibliography(fix, bib, tmp_path):
    for name in ("a.md", "b.md"):
        text = f"---\nbibliography: refs.bib\n---\n# {name}\n\nAs told [@hochreiter1997; @schrodinger1926].\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    ended = fix(tmp_path / "a.md", tmp_path / "b.md", "--unsafe", "--write")
    assert bib.read_text(encoding="utf-8") == text_of("aligned.bib")
    assert len(_backups(bib)) == 1
    assert "2 changes in 2 entries (1 safe, 1 unsafe)" in ended.out


HTML = (
    b"<html><body><h2>References</h2><ol><li>LeCun, Y., Bengio, Y., Hinton, G. (2015). "
    b"Deep learning. Nature, 521, 436-444.</li></ol></body></html>"
)


def _zip():
    from io import BytesIO
    from zipfile import ZipFile

    held = BytesIO()
    with ZipFile(held, "w") as archive:
        archive.writestr("refs.bib", text_of("dense.bib"))
    return held.getvalue()


@pytest.mark.parametrize("flag", ["--write", "--diff"])
@pytest.mark.parametrize(("name", "data"), [("p.html", HTML), ("p.zip", _zip())], ids=["html", "zip"])
def test_what_is_not_written_back(name, data, flag, fix, tmp_path):
    file = tmp_path / name
    file.write_bytes(data)
    ended = fix(file, "--unsafe", flag)
    assert ended.code == 2
    assert "a corrected bibliography instead: --bibliography p-corrected.bib" in ended.err
    assert file.read_bytes() == data


CHILD = """@proceedings{parent, title={Long Short-Term Memory Collected}, year={1991}, editor={A. Editor}}
@incollection{child, crossref={parent}, title={Literate Programming}, author={Knuth, D. E.}, pages={97--111}}
"""


def test_a_field_of_the_parent_is_left_and_said(fix, tmp_path):
    file = tmp_path / "c.bib"
    file.write_text(CHILD, encoding="utf-8")
    ended = fix(file, "--unsafe", "--write")
    assert "year={1991}" in file.read_text(encoding="utf-8")
    assert "comes from the entry 'parent' (crossref)" in ended.out
    assert ended.code == 1


def test_entries_with_one_key_are_each_mended(fix, tmp_path):
    right = [line for line in text_of("dense.bib").splitlines() if "hohenberg" in line or "lecun" in line]
    text = "\n".join(right).replace("hohenberg1964", "same").replace("lecun2015", "same") + "\n"
    file = tmp_path / "d.bib"
    file.write_text(text.replace("436--", "439--").replace("B864--", "B869--"), encoding="utf-8")
    fix(file, "--write")
    assert file.read_text(encoding="utf-8") == text


def test_what_could_not_be_read_is_said(fix, bib):
    bib.write_bytes(bib.read_bytes() + b"@article{broken\n")
    ended = fix(bib, "--unsafe", "--write")
    assert "refs.bib:" in ended.err
    assert ended.code == 4
    assert bib.read_bytes() == text_of("aligned.bib").encode() + b"@article{broken\n"


def test_nothing_to_fix(fix, tmp_path):
    (tmp_path / "e.bib").write_bytes(b"@comment{nothing but this}\n")
    assert fix(tmp_path / "e.bib").code == 3


def test_what_could_not_be_checked(cli, snapshot, tmp_path):
    file = tmp_path / "k.bib"
    file.write_text(
        "@book{k, title={The Art of Computer Programming}, author={Knuth, Donald E.}, year=1968}\n"
    )
    assert cli("fix", file, "--snapshot", snapshot).code == 4


def test_an_invented_work_remains_a_problem(fix, tmp_path):
    file = tmp_path / "i.bib"
    file.write_text(
        "@article{x, title={A Paper that Was Not There at All}, author={Nobody, Nemo}, year=2019}\n"
    )
    ended = fix(file, "--unsafe", "--write")
    assert ended.code == 1
    assert "nothing to change" in ended.out


class TestAfterCheck:
    """`citeproof check --fix`."""

    @pytest.mark.parametrize(
        ("flag", "code", "mended"),
        [("--fix", 1, [WRONG]), ("--fix=safe", 1, [WRONG]), ("--fix=unsafe", 0, [WRONG, UNSAFE])],
    )
    @pytest.mark.parametrize("order", ["behind", "before"])
    def test_files_are_mended_after_the_report(self, flag, code, mended, order, cli, works, bib):
        expected = bib.read_text(encoding="utf-8")
        for _, right, wrong in mended:
            expected = expected.replace(wrong, right)
        named = (bib, flag) if order == "behind" else (flag, bib)
        ended = cli("check", *named, "--snapshot", works, "--format", "jsonl")
        assert bib.read_text(encoding="utf-8") == expected
        assert ended.code == code
        assert all(line.startswith("{") for line in ended.out.splitlines())  # the report alone
        assert "the backup is refs.bib.citeproof-backup-1-" in ended.err

    def test_wrong_usage(self, cli, works, bib):
        before = bib.read_bytes()
        assert cli("check", bib, "--fix=all", "--snapshot", works).code == 2
        assert cli("check", "-", "--fix", "--snapshot", works, stdin=before).code == 2
        assert bib.read_bytes() == before


def test_json_for_programs(fix, bib):
    import json

    ended = fix(bib, "--format", "json")
    told = json.loads(ended.out)
    [file] = told["files"]
    assert (file["file"], file["changed"], file["written"]) == (str(bib), True, False)
    assert [(c["key"], c["field"], c["resolved"], c["level"], c["made"]) for c in file["changes"]] == [
        ("hochreiter1997", "pages", "1735-1780", "safe", True),
        ("schrodinger1926", "year", "1926", "unsafe", False),
    ]
    assert "+  pages     = {1735--1780}," in file["diff"]
    assert (ended.err, ended.code) == ("", 1)
    assert json.loads(fix(bib, "--format", "json", "--write").out)["files"][0]["written"] is True
    assert fix(bib, "--format", "json", "-o", "-").code == 2


@pytest.mark.parametrize("name", ["aa.bib", "zz.bib"])
def test_one_bibliography_by_two_names(name, fix, bib, tmp_path):
    (tmp_path / name).symlink_to(bib)
    text = f"---\nbibliography: {name}\n---\n\nAs told [@hochreiter1997].\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    ended = fix("a.md", f"../{tmp_path.name}/refs.bib", "--unsafe", "--write")
    assert bib.read_text(encoding="utf-8") == text_of("aligned.bib")
    assert len(_backups(bib)) == 1
    assert "2 changes in 2 entries (1 safe, 1 unsafe)" in ended.out
    assert ended.code == 0


@pytest.mark.parametrize("order", [("aa", "refs"), ("refs", "aa"), ("zz", "refs"), ("refs", "zz")])
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("refs.md", "(2015)", "(2011)"),
        ("refs.txt", "1087-1092", "1078-1092"),
        ("refs.ris", "SP  - 436", "SP  - 463"),
        ("refs.json", "1735–1780", "1737–1780"),
        ("dense.bib", "year={1964}", "year={1960}"),
    ],
)
def test_a_file_and_a_link_to_it_are_one_file(name, right, wrong, order, fix, tmp_path):
    file = tmp_path / f"refs.{name.rpartition('.')[2]}"
    file.write_text(planted(name, right, wrong), encoding="utf-8")
    for link in ("aa", "zz"):
        file.with_stem(link).symlink_to(file)
    ended = fix(*(file.with_stem(stem) for stem in order), "--unsafe", "--write")
    assert file.read_text(encoding="utf-8") == text_of(name)
    assert len(_backups(file)) == 1
    assert "1 change in 1 entry" in ended.out
    assert ended.code == 0


TWO = (
    "1. LeCun, Y., Bengio, Y., & Hinton, G. ({lecun}). Deep learning. *Nature*, 521(7553), 436–444; "
    "Hohenberg, P., & Kohn, W. (1964). Inhomogeneous Electron Gas. *Physical Review*, 136, B864–B871.\n"
)
ONE = (
    "2. Shannon, C. E. ({shannon}). A Mathematical Theory of Communication. *Bell System Technical Journal*, "
    "27, 379–423. https://doi.org/10.1002/j.1538-7305.1948.tb01338.x\n"
)


@pytest.mark.parametrize("flags", [(), ("--unsafe",)], ids=["safe", "unsafe"])
def test_two_works_in_one_place_are_left_and_the_others_mended(flags, fix, tmp_path):
    text = "# References\n\n" + TWO.format(lecun=2011) + ONE
    file = tmp_path / "refs.md"
    file.write_text(text.format(shannon=1941), encoding="utf-8")
    ended = fix(file, *flags, "--write")
    assert file.read_text(encoding="utf-8") == text.format(shannon=1948 if flags else 1941)
    told = [block for block in ended.out.split("\n\n") if "refs.md:3:" in block]
    assert any(re.search(r"doi +\(none\) +→  10\.1103/", block) for block in told)
    reason = "not changed (another work is cited in the same place; fix it by hand):"
    assert [block.count("not changed (") for block in told] == [block.count(reason) for block in told]
    assert all(reason in block for block in told)
    assert ended.code == 1


def test_a_copy_over_the_cited_bibliography_is_refused(fix, bib, tmp_path):
    text = "\\documentclass{article}\\begin{document}\nSee \\cite{hochreiter1997}.\n"
    (tmp_path / "paper.tex").write_text(text + "\\bibliography{refs}\n\\end{document}\n", encoding="utf-8")
    (tmp_path / "link.bib").symlink_to(bib)
    before = bib.read_bytes()
    for name in ("refs.bib", "link.bib"):
        ended = fix("paper.tex", "-o", name)
        assert ended.code == 2
        assert "--write, which keeps a backup" in ended.err
        assert bib.read_bytes() == before
    assert fix("paper.tex", "-o", "copy.bib").code == 0


def test_a_file_that_may_not_be_written_spares_the_others(fix, bib, tmp_path):
    other = tmp_path / "shut.bib"
    other.write_bytes(bib.read_bytes())
    other.chmod(0o444)
    ended = fix(bib, other, "--write")
    assert ended.code == 2
    assert "chmod u+w" in ended.err
    assert bib.read_bytes() == other.read_bytes()
    assert not _backups(bib)


def test_what_was_written_before_an_error_is_said(fix, bib, tmp_path):
    long = tmp_path / ("z" * 240 + ".bib")  # its backup would have too long a name
    long.write_bytes(bib.read_bytes())
    ended = fix(bib, long, "--write")
    assert ended.code == 2
    assert f"written already: {bib}" in ended.err
    assert "--undo" in ended.err
    assert len(_backups(bib)) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_ris_in_utf_16(encoding, fix, tmp_path):
    import codecs

    mark = codecs.BOM_UTF16_LE if encoding.endswith("le") else codecs.BOM_UTF16_BE
    file = tmp_path / "refs.ris"
    file.write_bytes(mark + planted("refs.ris", "SP  - 436", "SP  - 463").encode(encoding))
    fix(file, "--write")
    assert file.read_bytes() == mark + text_of("refs.ris").encode(encoding)
