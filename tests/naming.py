"""The naming rules, checked: `python -m tests.naming [--figures] [FOLDER]`; exit code 1 if a name breaks one.

1. A function at the top of a module says verb and object. One word is enough for what everybody calls so.
2. No function and no method begins with a participle (`told`, `parted_names`); properties may.
3. A class has a name of its own in the whole package.
4. So has a module, but for parts that mirror each other on purpose.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def _read_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What everybody calls so; the module or the package says the object.
ONE_WORD = _read_words("""
    parse compare judge clean correct extract search assemble upgrade normalise decode
    build load dumps make run serve check acheck verify averify ground aground render arender main cli today
    sigmoid answer recognises
""")
# Kinds of wrong citation, whose functions carry the names that stand in benchmark files.
KINDS = frozenset({"fabricated_doi", "merged_citation", "swapped_authors"})
IRREGULAR = _read_words("""
    told held said kept made saw seen given got known shown found taken lost left written spoken built
    broken chosen drawn sent spelt stood thought understood worn won laid led meant met paid sold heard begun
    gone grown hung
""")
NOT_PARTICIPLES = _read_words("elapsed embed exceed feed need proceed seed shed speed")
METHODS = frozenset({"Faults.fixed"})  # documented for users of citeproof.laboratory.testing
# Rooms whose parts have the names of registries, of formats, of benchmarks, of fields or of commands.
MIRRORS = (
    frozenset(
        {
            "evidence/sources",
            "evidence/upstream_records",
            "laboratory/testing/apis",
            "evidence/index/readers",
            "text",
            "reading/extractors",
            "evidence/index",
        }
    ),
    frozenset(
        {
            "answers/reporters",
            "corpus/reports",
            "answers/serializers",
            "answers/fix/formats",
            "reading/extractors",
            "evidence/index/readers",
        }
    ),
    frozenset({"answers/serializers", "vocabulary"}),
    frozenset({"judgement/compare", "text"}),
    frozenset(
        {
            "surfaces/cli",
            "surfaces/cli/audit",
            "surfaces/cli/corpus",
            "proof/audit/standalone",
            "proof/audit/anchors",
        }
    ),
)
NO_BASE_NAME = frozenset({"__init__", "base"})
PUBLISHED = "proof/audit/standalone/verify.py"  # its bytes are named by a hash in the docs
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class SourceModule:
    """One module: where it stands below the package, its lines and its tree."""

    place: str
    lines: int
    tree: ast.Module

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield the functions at the top of the module, but for the commands of the command line."""
        for node in self.tree.body:
            if isinstance(node, FUNCTIONS) and not _is_special(node) and not _is_command(node):
                yield node

    def methods(self) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Yield each method that is no property, with the name of its class."""
        for node in self.classes():
            for one in node.body:
                if isinstance(one, FUNCTIONS) and not _is_special(one) and not _is_property(one):
                    yield node.name, one

    def classes(self) -> Iterator[ast.ClassDef]:
        """Yield every class, inner ones too."""
        return (node for node in _walk_statements(self.tree) if isinstance(node, ast.ClassDef))


def read_modules(folder: Path) -> list[SourceModule]:
    """Return the modules below `folder`, places without the package's own name."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        place = path.relative_to(folder).as_posix().removeprefix("citeproof/")
        found.append(SourceModule(place, text.count("\n"), ast.parse(text)))
    return found


def find_problems(modules: Sequence[SourceModule]) -> Iterator[str]:
    """Yield a line for each name that breaks a rule."""
    ours = [module for module in modules if module.place != PUBLISHED]
    for module in ours:
        for node in module.functions():
            at = f"{module.place}:{node.lineno}"
            if "_" not in node.name.strip("_") and node.name not in ONE_WORD:
                yield f"{at}: function `{node.name}` is one word; say verb and object"
            elif _is_participle(node.name) and node.name not in KINDS:
                yield f"{at}: function `{node.name}` begins with a participle; begin with a verb"
        for owner, node in module.methods():
            if _is_participle(node.name) and f"{owner}.{node.name}" not in METHODS:
                at = f"{module.place}:{node.lineno}"
                yield f"{at}: method `{owner}.{node.name}` begins with a participle; begin with a verb"
    classes = ((node.name, module.place) for module in ours for node in module.classes())
    for name, places in _list_shared(classes):
        yield f"{places[0]}: class `{name}` is also in {', '.join(places[1:])}"
    for _, places in list_shared_bases(ours):
        if not is_mirror(places):
            yield f"{places[0]}: the module's name is also that of {', '.join(places[1:])}"


def list_shared_bases(modules: Iterable[SourceModule]) -> list[tuple[str, list[str]]]:
    """Return the base names that several modules have, each with its places."""
    named = ((Path(module.place).stem, module.place) for module in modules)
    return [row for row in _list_shared(named) if row[0] not in NO_BASE_NAME]


def is_mirror(places: Sequence[str]) -> bool:
    """Return whether modules of one name stand in rooms that mirror each other, one in each."""
    rooms = [Path(place).parent.as_posix() for place in places]
    return any(mirror.issuperset(rooms) for mirror in MIRRORS)


def format_figures(modules: Sequence[SourceModule]) -> Iterator[str]:
    """Yield the figures that tell how far names can be told apart."""
    bodies = (node for module in modules for node in module.tree.body)
    tops = Counter(node.name for node in bodies if isinstance(node, FUNCTIONS))
    nodes = (n for module in modules for n in _walk_statements(module.tree) if isinstance(n, FUNCTIONS))
    every = Counter(node.name for node in nodes if not _is_special(node))
    classes = Counter(node.name for module in modules for node in module.classes())
    shared = list_shared_bases(modules)
    files = sum(len(places) for _, places in shared)
    strays = sum(len(places) for _, places in shared if not is_mirror(places))
    yield f"files {len(modules)}, lines {sum(module.lines for module in modules)}"
    yield f"distinct names per 100 functions: {_count_share(len(every), every.total())} of {every.total()}"
    yield f"the same at the top of modules: {_count_share(len(tops), tops.total())} of {tops.total()}"
    yield f"class names used more than once: {sum(count > 1 for count in classes.values())} of {len(classes)}"
    yield f"files that share a base name: {_count_share(files, len(modules))} %"
    yield f"the same without mirrors: {_count_share(strays, len(modules))} %"
    yield f"functions of one word: {_count_share(_count_one_word(every), every.total())} %"
    yield f"the same at the top of modules: {_count_share(_count_one_word(tops), tops.total())} %"


def _walk_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all statements in it: expressions, which are most of a tree, hold no class."""
    yield node
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        below = getattr(node, part, ())
        for statement in below if isinstance(below, list) else ():
            yield from _walk_statements(statement)


def _list_shared(rows: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, place in rows:
        found[name].append(place)
    return [(name, places) for name, places in sorted(found.items()) if len(places) > 1]


def _count_share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.1f}"


def _count_one_word(names: Counter[str]) -> int:
    return sum(count for name, count in names.items() if "_" not in name.strip("_"))


def _is_special(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return node.name.startswith("__") and node.name.endswith("__")


def _is_participle(name: str) -> bool:
    first = name.strip("_").partition("_")[0]
    return first in IRREGULAR or (first.endswith("ed") and first not in NOT_PARTICIPLES)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(_get_name(one) in ("property", "cached_property", "setter") for one in node.decorator_list)


def _is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is a command, which has the name that is typed, or is found as `command`."""
    return node.name == "command" or any(_get_name(one) == "command" for one in node.decorator_list)


def _get_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _get_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what breaks a rule, or the figures; return 1 if anything breaks one."""
    parser = argparse.ArgumentParser(description="Check the names of functions, classes and modules.")
    parser.add_argument("folder", nargs="?", type=Path, default=SOURCE)
    parser.add_argument("--figures", action="store_true", help="print figures instead")
    chosen = parser.parse_args(arguments)
    modules = read_modules(chosen.folder)
    if chosen.figures:
        sys.stdout.writelines(f"{line}\n" for line in format_figures(modules))
        return 0
    problems = list(find_problems(modules))
    sys.stdout.writelines(f"{line}\n" for line in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
