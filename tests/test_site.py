"""The documentation builds as a site, every link in it leads somewhere, and tutorials can be followed."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
STARTER = Path.home() / ".cache" / "citeproof" / "snapshots" / "starter"
TUTORIALS = sorted(path for path in (ROOT / "docs/tutorials").glob("*.md") if path.name != "README.md")
USERS = {"author", "reviewer", "chair", "product", "team", "auditor"}
SUMS = re.compile(r"^\d+ references?: .*", re.MULTILINE)
COMMAND = re.compile(r"<!-- (run|live): ([^\n]+?) -->")
_spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


class Page(HTMLParser):
    """The addresses and anchors of one page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("href") and given.get("rel") != "canonical":
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    assert len(pages) > 40
    return folder, pages


def _find_broken(folder, pages, path, address):
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or path.name == "404.html":
        return None
    base = folder if parts.path.startswith("/") else path.parent
    target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return f"{path.relative_to(folder)}: {address} leads nowhere"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return f"{path.relative_to(folder)}: {address} has no such anchor"
    return None


def test_every_link_and_anchor_leads_somewhere(site):
    folder, pages = site
    found = [_find_broken(folder, pages, path, a) for path, page in pages.items() for a in page.links]
    assert [broken for broken in found if broken] == []


def test_it_loads_nothing_from_other_hosts(site):
    folder, pages = site
    loaded = {(path, address) for path, page in pages.items() for address in page.loaded}
    assert not [address for _, address in loaded if urlsplit(address).netloc]
    assert not [b for path, a in loaded if (b := _find_broken(folder, pages, path, a))]


def test_every_page_is_there(site):
    folder, _ = site
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").with_suffix(".html")
        built = folder / (name.with_name("index.html") if name.stem == "README" else name)
        assert built.is_file(), f"{name} is not on the site"


def test_a_broken_link_fails_the_build(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in ("exit-codes.md", "site_links.py"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    (tmp_path / "docs/README.md").write_text("# Start\n\n[no](exit-codes.md#nowhere)\n", encoding="utf-8")
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(config[: config.index("\nnav:")], encoding="utf-8")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode != 0
    assert "'#nowhere'" in done.stderr


def test_every_user_has_a_tutorial():
    assert {path.stem for path in TUTORIALS} == USERS


def test_the_snapshot_that_the_outputs_come_from_can_be_made_by_the_reader():
    told = (ROOT / "docs/tutorials/README.md").read_text(encoding="utf-8")
    assert f"$ {generate.BUILD}\n" in told
    assert f"$ export CITEPROOF_SNAPSHOT={generate.SNAPSHOT} CITEPROOF_OFFLINE=1\n" in told


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_every_command_of_a_tutorial_is_run(path):
    text = path.read_text(encoding="utf-8")
    assert COMMAND.search(text)
    assert "```console" not in text, "write the command as a run: part, which the tests execute"


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_can_be_followed_with_the_starter_snapshot(path, tmp_path):
    """Its outputs come from the small snapshot; with the starter the sums are the same."""
    if not STARTER.is_dir():
        pytest.skip("no starter snapshot; run: citeproof index starter")
    place = tmp_path / "place"
    generate.workplace(place)
    text = path.read_text(encoding="utf-8")
    for kind, command in COMMAND.findall(text):
        more = {"CITEPROOF_SNAPSHOT": str(STARTER), "CITEPROOF_OFFLINE": "1"} if kind == "run" else {}
        output, code = (
            generate.run_in_shell(place, command, more)
            if kind == "run"
            else generate.run_command(place, command, live=True)
        )
        assert code in (0, 1, 4), f"{command}\n{output}"
        assert "Traceback" not in output
        assert set(SUMS.findall(output)) <= set(SUMS.findall(text)), command


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_python_of_a_tutorial_runs(path, tmp_path):
    place = tmp_path / "place"
    examples = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    if examples:
        generate.workplace(place)
    for code in examples:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=place, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
