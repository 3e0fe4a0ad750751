"""`citeproof lsp` answers a real client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.surfaces.editor_client import SECONDS
from tests.surfaces.editor_client import editor as editor  # noqa: PLC0414 - the same fixture

pytestmark = pytest.mark.slow  # each test starts a server
EXACT = """@inproceedings{huang2017densely,
  title     = {Densely Connected Convolutional Networks},
  author    = {Huang, Gao and Liu, Zhuang and van der Maaten, Laurens and Weinberger, Kilian Q.},
  booktitle = {CVPR},
  year      = {2017},
}
"""
WRONG = """@inproceedings{he2016deep,
  title     = {Deep Residual Learning for Image Recognition},
  author    = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian},
  booktitle = {CVPR},
  year      = {2012},
  doi       = {10.1109/CVPR.2016.90},
}
"""
HOSTILE = """@inproceedings{huang2017sparsely,
  title     = {Sparse [click](command:evil) <img src=x> ![x](http://evil.example/a.png)},
  author    = {Huang, Gao and Liu, Zhuang},
  booktitle = {CVPR},
  year      = {2017},
  doi       = {10.1109/CVPR.2017.243},
}
"""
TEX = r"""\documentclass{article}
\begin{document}
% not cited here: \cite{he2016deep}
Größe 𝔸 \cite{he2016deep} and \citep[see][p.~3]{huang2017densely, he2016deep}.
\bibliography{refs}
\end{document}
"""


def _apply(text, edits):
    lines = text.split("\n")
    for one in sorted(edits, key=lambda edit: edit.range.start, reverse=True):
        first, last = one.range.start, one.range.end
        whole = lines[first.line][: first.character] + one.new_text + lines[last.line][last.character :]
        lines[first.line : last.line + 1] = whole.split("\n")
    return "\n".join(lines)


def test_bibliography(editor, tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text("% Größe 𝔸\n" + EXACT + WRONG, encoding="utf-8")

    async def edit():
        async with editor() as client:
            problems = await client.open(path)
            assert [(one.severity, one.range.start.line) for one in problems] == [
                (types.DiagnosticSeverity.Warning, 7)
            ]
            assert problems[0].message.startswith("he2016deep: MINOR matched")
            assert problems[0].code == "citation-differs"
            hover = await client.hover(path, 9, 4)
            assert hover.contents.kind is types.MarkupKind.Markdown
            assert "| year | 2012 | 2016 |" in hover.contents.value
            assert (await client.hover(path, 0, 0)) is None
            assert "EXACT" in (await client.hover(path, 2, 4)).contents.value
            fixes = [one for one in await client.actions(path, problems[0]) if one.edit]
            assert "2012 → 2016" in fixes[-1].title
            assert "unsafe" in fixes[-1].title
            edits = fixes[-1].edit.changes[path.as_uri()]
            fixed = _apply(path.read_text(encoding="utf-8"), edits)
            whole = path.read_text(encoding="utf-8").replace("{2012}", "{2016}")
            assert fixed == whole.replace("2016.90},\n", "2016.90},\n  pages     = {770--778},\n")
            path.write_text(fixed, encoding="utf-8")
            client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    types.VersionedTextDocumentIdentifier(uri=path.as_uri(), version=2),
                    [types.TextDocumentContentChangeWholeDocument(fixed)],
                )
            )
            stale = await client.actions(path, problems[0])
            assert not any(one.edit for one in stale)  # the text is not the one that was checked
            assert "EXACT" in (await client.hover(path, 2, 4)).contents.value  # this part of it is
            client.text_document_did_save(
                types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(path.as_uri()))
            )
            await client.wait(lambda: client.told[path.as_uri()][-1] == [])

    asyncio.run(edit())


def test_a_note_is_a_hint(editor, tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text(EXACT.replace("{2017}", "{2018}"), encoding="utf-8")

    async def edit():
        async with editor() as client:
            [problem] = await client.open(path)
            assert (problem.severity, problem.code) == (types.DiagnosticSeverity.Hint, "citation-noted")
            assert "Please check: the year is 2018; the record has 2017" in problem.message

    asyncio.run(edit())


def test_citations_of_a_latex_document(editor, tmp_path):
    (tmp_path / "refs.bib").write_text(EXACT + WRONG, encoding="utf-8")
    path = tmp_path / "paper.tex"
    path.write_text(TEX, encoding="utf-8")

    async def edit():
        async with editor("--policy", "journal") as client:
            problems = [one for one in await client.open(path) if one.data["key"] == "he2016deep"]
            line = TEX.split("\n")[3]
            starts = [len(line[: line.find("he2016deep")].encode("utf-16-le")) // 2]
            starts.append(len(line[: line.rfind("he2016deep")].encode("utf-16-le")) // 2)
            assert [(one.range.start.line, one.range.start.character) for one in problems] == [
                (3, start) for start in starts
            ]
            assert "[policy journal: small-errors warns]" in problems[0].message
            assert "Densely" in (await client.hover(path, 3, starts[1] - 8)).contents.value
            fixes = [one for one in await client.actions(path, problems[0]) if one.edit]
            assert list(fixes[-1].edit.changes) == [(tmp_path / "refs.bib").as_uri()]

    asyncio.run(edit())


def test_markdown_and_hostile_text(editor, tmp_path):
    (tmp_path / "refs.bib").write_text(HOSTILE + WRONG, encoding="utf-8")
    path = tmp_path / "notes.md"
    text = "---\nbibliography: refs.bib\n---\nAs shown [@huang2017sparsely; see @he2016deep, p. 3].\n"
    path.write_text(text, encoding="utf-8")

    async def edit():
        async with editor() as client:
            problems = await client.open(path)
            assert {one.data["key"] for one in problems} >= {"huang2017sparsely", "he2016deep"}
            told = (await client.hover(path, 3, 14)).contents.value
            assert "MAJOR" in told
            assert "<img" not in told
            links = re.findall(r"(?<!\\)\]\(([^)]*)", told)
            assert links
            assert all(link.startswith("https://doi.org/") for link in links)
        async with editor(formats=("plaintext",)) as client:
            await client.open(path)
            hover = await client.hover(path, 3, 14)
            assert hover.contents.kind is types.MarkupKind.PlainText
            assert "MAJOR" in hover.contents.value

    asyncio.run(edit())


def test_restructured_text(editor, tmp_path):
    path = tmp_path / "guide.rst"
    people = "He, K., Zhang, X., Ren, S., Sun, J."
    entry = f".. [He16] {people} Deep Residual Learning for Image Recognition. CVPR, 2012."
    text = (
        f"Ice\n===\n\nWe follow [He16]_, not ``[He16]_`` or \\[He16]_.\n\nReferences\n----------\n\n{entry}\n"
    )
    path.write_text(text, encoding="utf-8")

    async def edit():
        async with editor() as client:
            problems = await client.open(path)
            begins = [(one.range.start.line, one.range.start.character) for one in problems]
            assert begins == [(3, 11), (8, entry.index(people))]
            assert "Deep Residual" in (await client.hover(path, 3, 12)).contents.value
            (fix,) = (one for one in await client.actions(path, problems[1]) if one.edit)
            assert [one.new_text for one in fix.edit.changes[path.as_uri()]] == ["2016"]

    asyncio.run(edit())


@pytest.mark.parametrize("kept", [True, False])
def test_a_problem_is_ignored(editor, tmp_path, kept):
    path, listed = tmp_path / "refs.bib", tmp_path / "ignore.toml"
    path.write_text(WRONG + HOSTILE, encoding="utf-8")

    async def edit():
        async with editor(*(("--ignore", listed) if kept else ())) as client:
            problems = await client.open(path)
            mine = [one for one in problems if one.data["key"] == "he2016deep"]
            action = next(one for one in await client.actions(path, mine[0]) if one.command)
            await client.workspace_execute_command_async(
                types.ExecuteCommandParams(action.command.command, action.command.arguments)
            )
            left = [one for one in problems if one not in mine]
            await client.wait(lambda: len(client.told[path.as_uri()][-1]) == len(left))
            await client.wait(lambda: any("accepted" in one for one in client.messages))

    asyncio.run(edit())
    assert listed.exists() == kept
    if kept:
        assert 'reason = "Accepted in the editor' in listed.read_text(encoding="utf-8")


@pytest.mark.parametrize("inside", [True, False])
def test_a_list_that_came_with_the_folder_is_told(editor, tmp_path, tmp_path_factory, inside):
    """Medium: with `--ignore NAME`, each opened repository could bring the list that hides its problems."""
    listed = (tmp_path if inside else tmp_path_factory.mktemp("own")) / "ignore.toml"
    listed.write_text('[[ignore]]\nid = "he2016deep"\nreason = "all is well"\n', encoding="utf-8")
    (tmp_path / "refs.bib").write_text(WRONG, encoding="utf-8")

    async def edit():
        async with editor("--ignore", "ignore.toml" if inside else listed) as client:
            assert not [one for one in await client.open(tmp_path / "refs.bib") if one.data["key"]]
            return client.messages

    assert any("accepts some of its problems" in one for one in asyncio.run(edit())) is inside


def test_trouble_is_told_and_the_server_goes_on(editor, tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text(WRONG, encoding="utf-8")
    (tmp_path / "ignore.toml").write_text("[[ignore]]\nid = 3\n", encoding="utf-8")

    async def edit():
        async with editor("--ignore", tmp_path / "ignore.toml") as client:
            problems = await client.open(path)
            assert [one.data["key"] for one in problems] == ["he2016deep"]
            await client.wait(lambda: any("an entry without" in one for one in client.messages))
            client.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(path.as_uri()))
            )
            await client.wait(lambda: client.told[path.as_uri()][-1] == [])
            assert await client.hover(path, 1, 1) is None

    asyncio.run(edit())


def test_nonsense_is_refused_and_the_server_goes_on(editor, tmp_path):
    path, pipe, listed = tmp_path / "refs.bib", tmp_path / "pipe.bib", tmp_path / "ignore.toml"
    path.write_text(WRONG, encoding="utf-8")
    os.mkfifo(pipe)  # whoever reads it waits for ever

    async def edit():
        async with editor("--ignore", listed) as client:

            async def order(name, *arguments):
                wanted = types.ExecuteCommandParams(f"citeproof.{name}", list(arguments))
                return await asyncio.wait_for(client.workspace_execute_command_async(wanted), SECONDS)

            assert await asyncio.wait_for(client.hover(pipe, 0, 0), SECONDS) is None
            await order("check", pipe.as_uri())
            await client.wait(lambda: any("is not open" in one for one in client.messages))
            await order("ignore", path.as_uri(), 'x"\n\x00')
            await client.wait(lambda: any("no such problem" in one for one in client.messages))
            assert not listed.exists()
            with pytest.raises(JsonRpcException, match="Expected 2 arguments"):
                await order("ignore", path.as_uri())
            listed.mkdir()  # cannot be read or written
            problems = await client.open(path)
            await order("ignore", path.as_uri(), problems[0].data["fingerprint"])
            await client.wait(lambda: any("ignore.toml" in one for one in client.messages))
            client.text_document_did_open(
                types.DidOpenTextDocumentParams(
                    types.TextDocumentItem("file:///%00.bib", "bibtex", 1, WRONG.replace("he2016", "h"))
                )
            )
            await client.wait(lambda: client.told.get("file:///%00.bib"))

    asyncio.run(edit())


def test_a_length_that_no_message_has_is_told(tmp_path):
    command = [sys.executable, "-m", "citeproof", "lsp", "--offline"]
    head = b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"
    home = dict.fromkeys(("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"), str(tmp_path))
    ended = subprocess.run(command, input=head, env=os.environ | home, capture_output=True, check=False)
    assert (ended.returncode, b"is not a message of an editor" in ended.stderr) == (2, True), ended.stderr
