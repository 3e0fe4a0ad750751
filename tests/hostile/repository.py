"""A stranger's repository: modules and programs lying about, links at the names that we write."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from tests.surfaces.conftest import EXAMPLES

# What Python, pip, git and we ourselves would import or run, were it looked for in the current folder.
MODULES = (
    *("pip", "citeproof", "json", "re", "sitecustomize", "usercustomize", "click", "msgspec", "numpy"),
    *("multiprocessing", "subprocess", "asyncio", "aiohttp", "tomllib", "sqlite3", "platformdirs", "rich"),
)  # fmt: skip
PROGRAMS = ("git", "python", "python3", Path(sys.executable).name, "ldconfig", "uname", "sh", "less")
HOOKS = ("post-checkout", "post-index-change", "fsmonitor-watchman", "pre-commit")

BIB = """@inproceedings{he2016,
  title = {Deep Residual Learning for Image Recognition},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian},
  booktitle = {CVPR},
  year = {2014}
}
"""
DOCUMENT = """# Notes

Residual networks work (@.aiwg/research/sources/he2016.md), and so does
@.aiwg/research/sources/missing2020.md in 87% of all cases. See [src/a.txt@0123456789abcdef, L1-2].
"""


@dataclass(frozen=True)
class Hostile:
    """A repository, the home of who runs us in it, and what must not change."""

    repo: Path
    home: Path
    marker: Path  # made by whatever of the repository is run

    @property
    def victim(self) -> Path:
        return self.home / ".bashrc"

    def environment(self, **more: str) -> dict[str, str]:
        """Return variables of a careless user: PATH has the current folder in it."""
        path = os.pathsep.join([".", "", str(self.repo), "/usr/local/bin", "/usr/bin", "/bin"])
        pip = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_TIMEOUT": "1"}
        return {
            "PATH": path, "HOME": str(self.home), "TMPDIR": str(self.home / "tmp"), "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", **pip, **more,
        }  # fmt: skip

    def run(
        self, *arguments: object, before: tuple[str, ...] = (), **more: str
    ) -> subprocess.CompletedProcess:
        """Run `citeproof` in the repository."""
        command = [*before, str(Path(sys.executable).with_name("citeproof")), *map(str, arguments)]
        return subprocess.run(
            command,
            cwd=self.repo,
            env=self.environment(**more),
            capture_output=True,
            timeout=240,
            check=False,
        )

    def untouched(self) -> bool:
        """Return whether nothing of the repository was run and nothing of the user's was changed."""
        files = sorted(one.name for one in self.home.iterdir() if not one.is_dir())
        return not self.marker.exists() and files == [".bashrc"] and self.victim.read_text() == "alias l=ls\n"


def make(place: Path) -> Hostile:
    """Return a new hostile repository below `place`."""
    hostile = Hostile(place / "repo", place / "home", place / "owned")
    for folder in (hostile.repo / ".git" / "hooks", hostile.home / "tmp"):
        folder.mkdir(parents=True)
    hostile.victim.write_text("alias l=ls\n")
    _lay_modules(hostile)
    _lay_programs(hostile)
    _lay_documents(hostile.repo)
    return hostile


def lay_links(hostile: Hostile, names: list[str], to: Path) -> None:
    """Put a link to something of the user's at each of `names`, as far as nothing stands there."""
    for name in names:
        path = hostile.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            path.symlink_to(to)


def _lay_modules(hostile: Hostile) -> None:
    code = f"open({str(hostile.marker)!r}, 'a').write(__file__ + '\\n')\n"
    for name in MODULES:
        (hostile.repo / f"{name}.py").write_text(code)
        package = hostile.repo / name
        package.mkdir()
        (package / "__init__.py").write_text(code)
        (package / "__main__.py").write_text(code)
    (hostile.repo / "evil.pth").write_text(f"import os; {code}")
    (hostile.repo / "pyvenv.cfg").write_text("home = .\n")
    (hostile.repo / "pip.conf").write_text("[global]\nfind-links = .\n")


def _lay_programs(hostile: Hostile) -> None:
    script = f"#!/bin/bash\necho $0 >> {hostile.marker}\n"
    config = [
        "[core]", "repositoryformatversion = 0", f"fsmonitor = {hostile.repo}/less", "pager = ./less",
        "hooksPath = .git/hooks", "sshCommand = ./less", "attributesFile = evil.gitattributes",
        '[diff "evil"]', "textconv = ./less", "external = ./less", '[filter "evil"]', "clean = ./less",
        "smudge = ./less", "process = ./less", "[gpg]", "program = ./less", "[log]", "showSignature = true",
        "[alias]", "log = !./less", "[diff]", "external = ./less",
    ]  # fmt: skip
    git = ["/usr/bin/env", "git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    clean = {"PATH": os.defpath, "HOME": str(hostile.home), "GIT_CONFIG_NOSYSTEM": "1"}
    (hostile.repo / "src").mkdir()
    (hostile.repo / "src" / "a.txt").write_text("one\ntwo\nthree\n")
    for words in (["init", "-q"], ["add", "src"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], cwd=hostile.repo, env=clean, check=True, capture_output=True)
    (hostile.repo / ".git" / "config").write_text("\n".join(config) + "\n")
    (hostile.repo / "evil.gitattributes").write_text("* diff=evil filter=evil\n")
    (hostile.repo / ".gitattributes").write_text("* diff=evil filter=evil\n")
    for path in (*PROGRAMS, *(f".git/hooks/{name}" for name in HOOKS)):
        (hostile.repo / path).write_text(script)
        (hostile.repo / path).chmod(0o755)


def _lay_documents(repo: Path) -> None:
    (repo / "refs.bib").write_text(BIB)
    (repo / "records.bib").write_bytes((EXAMPLES / "records.bib").read_bytes())
    (repo / "many.bib").write_text("".join(entries(500)))
    sources = repo / ".aiwg" / "research" / "sources"
    sources.mkdir(parents=True)
    (sources / "he2016.md").write_text("# He 2016\n\nResidual networks.\n")
    (repo / "docs").mkdir()
    for number in range(3):
        (repo / "docs" / f"d{number}.md").write_text(DOCUMENT)
    text = "He, K., Zhang, X., Ren, S., & Sun, J. (2016). Deep Residual Learning for Image Recognition. CVPR."
    wrong = "Nobody, N. (2016). A Paper on Nothing that Was Never Written by Anyone. CVPR."
    write_items(
        repo / "items.jsonl",
        [
            BenchmarkItem(
                index=at,
                label=label,
                kind=kind,
                form="text",
                original=said,
                corrupted=said,
                description="",
                collection=str(at),
                split="dev",
            )
            for at, (label, kind, said) in enumerate(
                [("EXACT", "valid", text), ("MAJOR", "major", wrong)] * 3
            )
        ],
    )


def entries(count: int) -> list[str]:
    """Return BibTeX entries that benchmarks can be made of."""
    things = ("graphs", "proteins", "galaxies", "markets", "glaciers", "enzymes", "lattices", "orchids")
    names = ("Adams", "Baker", "Clark", "Davis", "Evans", "Frank", "Green")
    return [
        f"@article{{k{n}, title={{On {things[n % 8]} and {things[n // 8 % 8]} in {things[n // 64 % 8]}}}, "
        f"author={{{names[n % 7]}, Ann and {names[n // 7 % 7]}, Bob}}, journal={{Nature}}, "
        f"year={{{1990 + n % 30}}}, volume={{{n + 1}}}, pages={{{n + 1}--{n + 9}}}, doi={{10.1234/x{n}}}}}\n"
        for n in range(count)
    ]
