"""The documentation names every command, flag, setting and exit code, and its examples are current."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest

from citeproof.evidence.index import manifest
from citeproof.evidence.sources import base
from citeproof.service.exit_codes import Exit
from citeproof.settings import TABLE, config_files
from citeproof.surfaces.cli.main import COMMANDS, cli

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


def _commands(command=cli, name="citeproof"):
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            yield from _commands(command.get_command(context, child), f"{name} {child}")


def _page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patch
    ):  # commands in processes of their own know the user's folder alone
        patch.setattr(manifest, "find_state_folder", config_files.find_state_folder)
        yield generate.workplace(tmp_path_factory.mktemp("docs") / "place")


def test_every_command_has_a_section():
    headings = set(re.findall(r"^#+ (.+)$", _page("cli.md"), re.MULTILINE))
    assert {name.removeprefix("citeproof ") for name, _ in _commands() if name != "citeproof"} <= headings


def test_every_flag_is_documented():
    page = _page("cli.md")
    options = [p for _, c in _commands() for p in c.params if isinstance(p, click.Option) and not p.hidden]
    flags = {flag for option in options for flag in option.opts}
    assert not {flag for flag in flags if not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", page)}


def test_every_command_teaches():
    silent = [name for name, command in _commands() if not command.help or not command.help.strip()]
    assert not silent


def test_short_help_of_the_group_is_the_commands_own():
    for name, (_, short) in COMMANDS.items():
        assert cli.get_command(click.Context(cli), name).get_short_help_str(200).rstrip(".") == short.rstrip(
            "."
        )


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_setting_is_documented(row):
    page = _page("settings.md")
    assert f"`{row.name}`" in page
    assert f"`{row.env}`" in page
    assert row.help in page


@pytest.mark.parametrize("code", list(Exit), ids=lambda code: code.name)
def test_every_exit_code_is_documented(code):
    assert f"| {int(code)} |" in _page("exit-codes.md")


@pytest.mark.parametrize("path", generate.PAGES, ids=lambda path: path.name)
def test_generated_parts_are_current(path, run):
    text = path.read_text(encoding="utf-8")
    assert generate.current(text, run) == text, "run `make docs`"


@pytest.mark.parametrize(
    "path",
    [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"],
    ids=lambda path: path.name,
)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t]
    assert not [target for target in targets if target and not (path.parent / target).exists()]


@pytest.mark.parametrize(
    ("path", "text"), generate.source_pages().items(), ids=lambda x: getattr(x, "name", "")
)
def test_page_of_every_source_is_current(path, text):
    assert path.is_file(), "run `make docs`"
    assert path.read_text(encoding="utf-8") == text, "run `make docs`"


def test_no_page_of_a_source_that_is_gone():
    known = {path.name for path in generate.source_pages()} | {"README.md"}
    assert {path.name for path in generate.SOURCES.glob("*.md")} == known


@pytest.mark.parametrize("name", base.list_sources())
def test_page_says_what_a_user_needs(name):
    page = (generate.SOURCES / f"{name}.md").read_text(encoding="utf-8")
    assert page.count("\n# ") == 1
    for word in ("covers", "silence", "licence"):
        assert word in page.lower(), f"the docstring of sources/{name}.py does not tell its {word}"
    if base.find_source(name).profile.key is not base.KeyNeed.NONE:
        assert f"CITEPROOF_{name.upper()}_KEY" in page


# Code spans of the architecture page that are paths: in the repository, or in the package.
NAMED = re.compile(r"`([\w./-]+(?:/|\.(?:py|md|toml|csv|json|css|js)))(?:::(\w+))?`")


def _find_named(name):
    return next(
        (base / name for base in (ROOT, generate.architecture.PACKAGE) if (base / name).exists()), None
    )


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/README.md"])
def test_a_newcomer_is_led_to_the_architecture(name):
    path = ROOT / name
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    assert ROOT / "docs/architecture.md" in [path.parent / link for link in links]


def test_every_path_and_name_of_the_architecture_exists():
    named = NAMED.findall(_page("architecture.md"))
    assert len(named) > 150
    assert not [path for path, _ in named if _find_named(path) is None]
    defined = r"^\s*(?:(?:async )?def |class )?{}\b(?:[(:\[]| =)"
    assert not [
        f"{path}::{name}"
        for path, name in named
        if name
        and not re.search(defined.format(name), _find_named(path).read_text(encoding="utf-8"), re.MULTILINE)
    ]


def _find_files_with(pattern, but):
    package = generate.architecture.PACKAGE
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    return [name for name, text in texts.items() if re.search(pattern, text) and not name.startswith(but)]


def test_a_format_is_named_in_its_own_file_alone():
    assert _find_files_with('"junit"', "no folder") == ["answers/reporters/junit.py"]


def test_the_architecture_names_every_way_to_other_machines():
    ways = r"HttpTransport\(|import (?:boto3|psycopg|ray)  #"
    having = _find_files_with(ways, ("plumbing/net/", "plumbing/stores/memory"))
    assert having
    assert not [name for name in having if f"`{name}" not in _page("architecture.md")]


@pytest.mark.parametrize(
    ("file", "line", "row"),
    [
        ("text/ids.py", "import citeproof.plumbing.clock", "| 2 | `text/` | Text. | plumbing/clock |"),
        ("text/ids.py", "import citeproof.vocabulary.records", "| 2 | `text/` | Text. | vocabulary |"),
        (
            "text/ids.py",
            "from citeproof import judge, vocabulary",
            "| 2 | `text/` | Text. | judge, vocabulary |",
        ),
        ("judge/ids.py", "def f():\n    from citeproof.text import ids", "| 2 | `judge/` | Judge. | text |"),
        ("text/ids.py", "from citeproof.text import names", "| 1 | `text/` | Text. | nothing |"),
        ("text/ids.py", "# from citeproof.plumbing.clock import today", "| 1 | `text/` | Text. | nothing |"),
    ],
)
def test_a_changed_import_changes_the_drawing(file, line, row, tmp_path, monkeypatch):
    for room in ("text", "judge", "vocabulary"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text(f'"""{room.capitalize()}."""\n', encoding="utf-8")
    (tmp_path / "plumbing").mkdir()
    (tmp_path / "plumbing" / "clock.py").write_text('"""The clock."""\n', encoding="utf-8")
    (tmp_path / file).write_text(f"{line}\n", encoding="utf-8")
    drawn = importlib.util.module_from_spec(generate.architecture.__spec__)  # its caches are its own
    drawn.__spec__.loader.exec_module(drawn)
    monkeypatch.setattr(drawn, "PACKAGE", tmp_path)
    assert row in drawn.format_rooms().splitlines()


def test_make_targets_of_the_readme_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8"))) <= targets
