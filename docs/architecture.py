# ruff: noqa: INP001 - next to a script, not in a package
"""What docs/architecture.md says of the code, made from the code: its steps, its rooms, who imports whom.

A room is a folder or a file directly in src/citeproof, or in one of its houses.
Imports are read, not run: those inside functions and
those for types alone count too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "citeproof"
HOUSES = frozenset({"reading", "evidence", "judgement", "answers", "proof", "laboratory", "plumbing"})
CALLERS = ("surfaces", "service", "verifier")  # each calls the next
PATH = CALLERS[-1]  # the room that has the steps
STEP = re.compile(r"# (\d) ([a-z ]+)$", re.MULTILINE)  # in its code, next to the call
UNCHECKED = re.compile(r"(?:could ?not|cannot) (?:be )?check|nothing could be checked", re.IGNORECASE)
SHOWN = (
    "surfaces/cli/",
    "evidence/sources/",
    "judgement/checks/",
)  # docstrings are shown
OUTSIDE = ("bench", "release", "skills", "templates", "examples")  # what else has texts for users
ROOM_OF_STEP = {
    "extract": "reading/extractors",
    "parse": "reading/parse",
    "retrieve": "evidence/retrieve",
    "compare": "judgement/compare",
    "judge": "judgement/judge",
    "examine": "judgement/checks",
    "correct": "answers/fix",
    "examine the set": "judgement/checks",
}


@cache
def read_imports() -> Mapping[str, frozenset[str]]:
    """Return the rooms, each with the other rooms that it imports."""
    paths = PACKAGE.rglob("*.py")
    files = {path: _find_room(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths}
    rooms = {room for room in files.values() if "__" not in room}
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for path, room in files.items():
        if room in rooms:
            found[room] |= {*_list_imported_rooms(path)} & rooms - {room}
    return {room: frozenset(imported) for room, imported in sorted(found.items())}


def _find_room(parts: Sequence[str]) -> str:
    return "/".join(parts[: 2 if parts[0] in HOUSES else 1])


def _list_imported_rooms(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (_find_room(name.split(".")[1:]) for name in modules if name.startswith("citeproof."))


@cache
def measure_height(room: str) -> int:
    """Return how far above the ground a room stands: one more than the highest room that it imports."""
    return 1 + max(map(measure_height, read_imports()[room]), default=0)


@cache
def _list_reached(room: str) -> frozenset[str]:
    imported = read_imports()[room]
    return imported.union(*map(_list_reached, imported))


def list_arrows(room: str) -> list[str]:
    """Return the rooms that a room imports, without those that another of them reaches; the highest first."""
    imported = read_imports()[room]
    behind = frozenset[str]().union(*map(_list_reached, imported))
    return sorted(imported - behind, key=lambda name: (-measure_height(name), name))


def format_steps() -> str:
    """Return the drawing of the path: each step, its room, how it is reached, and what the room imports."""
    steps = dict(STEP.findall((PACKAGE / f"{PATH}.py").read_text(encoding="utf-8")))
    chain = "  →  ".join(map(_name_file, _check_chain(CALLERS)))
    lines = [f"a document  →  {chain}", "", _name_file(PATH)]
    before: list[str] = []
    for number, step in sorted(steps.items()):
        room = ROOM_OF_STEP[step]
        told = f"{number} {step:<16} {room:<18} {_describe_call(room, before):<26} → {_format_arrows(room)}"
        lines.append(f" ├ {told}")
        before.append(room)
    lines += [" │", " └ one `Checked` a reference  →  service/  →  answers/reporters/"]
    _check_chain(("service", "answers/reporters"))
    return "\n".join(["```text", *lines, "```"])


def _check_chain(rooms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rooms, each of which imports the next one; else the drawing is wrong."""
    for room, imported in pairwise(rooms):
        if imported not in read_imports()[room]:
            raise SystemExit(f"{room} does not import {imported} any more: draw the path anew")
    return rooms


def _describe_call(room: str, before: list[str]) -> str:
    """Return how the path reaches a room: by its own import, or through the room that imports it."""
    if room in read_imports()[PATH]:
        return "imported"
    through = next((earlier for earlier in before[::-1] if room in read_imports()[earlier]), CALLERS[-2])
    return f"through {through}"


def format_rooms() -> str:
    """Return a table: each room by height, the first sentence of its docstring, and its arrows."""
    rows = [
        "| row | room | what is inside | imports, besides what those import |",
        "| --- | --- | --- | --- |",
    ]
    for room in _sort_rooms():
        about, arrows = _describe_room(room), _format_arrows(room)
        rows.append(f"| {measure_height(room)} | `{_name_file(room)}` | {about} | {arrows} |")
    return "\n".join(rows)


def _format_arrows(room: str) -> str:
    return ", ".join(list_arrows(room)) or "nothing"


def _sort_rooms() -> list[str]:
    return sorted(read_imports(), key=lambda room: (-measure_height(room), room))


def _name_file(room: str) -> str:
    return f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py"


def _describe_room(room: str) -> str:
    path = PACKAGE / room / "__init__.py"
    path = path if path.exists() else PACKAGE / f"{room}.py"
    whole = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not whole:
        raise SystemExit(f"{path}: write a docstring that says what is inside")
    return " ".join(whole.partition("\n\n")[0].split()).replace("|", "\\|")


def format_unchecked_places() -> str:
    """Return the files, room by room, whose texts say that something could not be checked."""
    top = PACKAGE.parents[1]
    paths = sorted(PACKAGE.rglob("*.*")) + [p for name in OUTSIDE for p in sorted((top / name).rglob("*.*"))]
    saying = [path for path in paths if _says_unchecked(path)]
    names = [path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else top).as_posix() for path in saying]
    rooms = groupby(names, key=lambda name: name.partition("/")[0])
    return "\n".join(f"- {', '.join(f'`{name}`' for name in group)}" for _, group in rooms)


def _says_unchecked(path: Path) -> bool:
    if path.suffix in (".toml", ".csv", ".jinja", ".html", ".md", ".js", ".yml", ".sh", ".txt", ".ipynb"):
        return bool(UNCHECKED.search(" ".join(path.read_text(encoding="utf-8").split())))
    if path.suffix != ".py":
        return False
    code = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(code)))
    printed = "__doc__" in code or path.is_relative_to(PACKAGE / "answers" / "reporters")
    lead = (ast.get_docstring(ast.parse(code)) or "").partition("\n\n")[0] if printed else ""
    if UNCHECKED.search(" ".join(lead.split())):
        return True
    shown = path.relative_to(PACKAGE).as_posix().startswith(SHOWN) if path.is_relative_to(PACKAGE) else False
    alone = set() if shown else {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    texts = (n.value for n in nodes if isinstance(n, ast.Constant) and id(n) not in alone)
    return any(isinstance(text, str) and UNCHECKED.search(" ".join(text.split())) for text in texts)


def format_next_places() -> str:
    """Return the number that the next check of each table gets."""
    texts = "\n".join(
        path.read_text(encoding="utf-8") for path in (PACKAGE / "judgement/checks").glob("*.py")
    )
    used: dict[str, int] = {}
    for table, place in re.findall(r"^@add_check\((\w+), (\d+)\)", texts, re.MULTILINE):
        used[table] = max(used.get(table, 0), int(place))
    return "\n".join(f"- `{table}`: {place + 1}" for table, place in sorted(used.items()))


PARTS = {
    "steps": format_steps,
    "rooms": format_rooms,
    "could not be checked": format_unchecked_places,
    "next places": format_next_places,
}
