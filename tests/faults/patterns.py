"""Every regular expression of citeproof, and inputs that a backtracking one would drown in."""

from __future__ import annotations

import ast
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import citeproof
from citeproof.text import lazy_patterns
from tests.soak import FULL

SOURCE = Path(citeproof.__file__).parent
_MOST = 20 if FULL else 6  # inputs of one pattern: what it repeats comes first
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)
_LETTERS = {
    signs.CATEGORY_SPACE: " ",
    signs.CATEGORY_DIGIT: "1",
    signs.CATEGORY_WORD: "a",
    signs.CATEGORY_NOT_SPACE: "a",
    signs.CATEGORY_NOT_DIGIT: "a",
    signs.CATEGORY_NOT_WORD: "-",
}


def patterns() -> dict[tuple[str | bytes, int], str]:
    """Return every pattern with its flags and its module: compiled at import, or written in a call."""
    found: dict[tuple[str | bytes, int], str] = {}
    real = re._compile

    def noted(pattern, flags):
        made = real(pattern, flags)
        frame = sys._getframe(1)
        while (
            frame is not None
            and Path(frame.f_code.co_filename).name == "__init__.py"
            and "/re/" in frame.f_code.co_filename
        ):
            frame = frame.f_back
        if frame is not None and frame.f_code.co_filename.startswith(str(SOURCE)):
            found.setdefault(
                (made.pattern, made.flags), str(Path(frame.f_code.co_filename).relative_to(SOURCE))
            )
        return made

    re._compile, later, lazy_patterns.compile = noted, lazy_patterns.compile, re.compile
    try:
        for module in walk_packages(citeproof.__path__, "citeproof."):
            if "__main__" not in module.name:
                import_module(module.name)
    finally:
        re._compile, lazy_patterns.compile = real, later
    return found | {key: where for key, where, _ in _written() if key not in found}


def ways() -> dict[tuple[str | bytes, int], set[str]]:
    """Return how patterns are used, as far as it shows: `match` from one place on, `search` from every."""
    found: dict[tuple[str | bytes, int], set[str]] = {}
    for key, _, way in _written():
        found.setdefault(key, set()).add(way)
    for module in [module for name, module in sys.modules.items() if name.startswith("citeproof.")]:
        text = Path(module.__file__ or "").read_text("utf-8")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                used = re.findall(rf"\b{re.escape(name)}\.(\w+)", text)
                alone = (
                    name.startswith("_") and len(used) == len(re.findall(rf"\b{re.escape(name)}\b", text)) - 1
                )
                found.setdefault((value.pattern, value.flags), set()).update(used if alone else {"search"})
    return found


def cut() -> set[tuple[str | bytes, int]]:
    """Return the patterns that only see a stretch cut out of a text, like `_ENDED.search(line[-60:])`."""
    found = set()
    for module in [module for name, module in sys.modules.items() if name.startswith("citeproof.")]:
        text = Path(module.__file__ or "").read_text("utf-8")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and name.startswith("_"):
                uses = len(re.findall(rf"\b{re.escape(name)}\b", text)) - 1
                if uses == len(re.findall(rf"\b{re.escape(name)}\.\w+\(\w+\[[^\]\n]*:[^\]\n]*\]", text)):
                    found.add((value.pattern, value.flags))
    return found


def _written() -> Iterator[tuple[tuple[str, int], str, str]]:
    """Yield the patterns that stand as they are in calls inside of functions, their module and the call."""
    for file in sorted(SOURCE.rglob("*.py")):
        for scope in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(scope, ast.FunctionDef):
                continue
            for node in ast.walk(scope):
                if (way := _called(node)) is not None:
                    made = re.compile(way[0])
                    yield (made.pattern, made.flags), str(file.relative_to(SOURCE)), way[1]


def _called(node: ast.AST) -> tuple[str | bytes, str] | None:
    """Return the pattern and the way of `re.way(pattern, …)` or `re.compile(pattern).way(…)`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    inner = node.func.value
    if isinstance(inner, ast.Name) and inner.id == "re" and node.func.attr not in ("escape", "compile"):
        first = node.args[0]
    elif isinstance(inner, ast.Call) and ast.unparse(inner.func) == "re.compile":
        first = inner.args[0]
    else:
        return None
    return (first.value, node.func.attr) if isinstance(first, ast.Constant) else None


def inputs(pattern: str | bytes, size: int) -> Iterator[str | bytes]:
    """Yield texts made of what the pattern repeats, each with an end that it does not expect."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    letters: dict[str, None] = {}
    pumps: dict[tuple[str, str], None] = {}
    _collect(parser.parse(text), letters, pumps, "")
    alone = [*letters][:12]
    units = dict.fromkeys([*alone, *(a + b for a in alone[:4] for b in alone[:4] if a != b)])
    for start, unit in [*pumps, *(("", unit) for unit in units)][:_MOST]:
        for end in ("\x01", " \x01") if start else ("\x01",):
            filled = start + (unit * (size // len(unit) + 1))[:size] + end
            yield filled.encode("latin-1", "replace") if isinstance(pattern, bytes) else filled


def _collect(parsed, letters, pumps, before: str) -> str:
    """Gather what the pattern repeats, with what stands before; return one text that it may match."""
    matched = ""
    for operation, value in parsed:
        one = _one(operation, value, letters, pumps, before + matched)
        if operation in _REPEATS and one:
            pumps.setdefault(((before + matched)[-40:], one[:40]))
        matched += one
    if len(matched) > 1 and not before:
        pumps.setdefault(("", matched[:40]))
    return matched


def _one(operation, value, letters, pumps, before: str) -> str:
    if operation in (signs.LITERAL, signs.NOT_LITERAL):
        letter = chr(value) if operation is signs.LITERAL else ("a" if value != ord("a") else "b")
        letters.setdefault(letter)
        return letter
    if operation is signs.ANY:
        letters.setdefault("a")
        return "a"
    if operation is signs.IN:
        return _of_set(value, letters)
    if operation is signs.BRANCH:
        branches = [_collect(branch, letters, pumps, before) for branch in value[1]]
        return branches[0]
    if operation is signs.SUBPATTERN:
        return _collect(value[-1], letters, pumps, before)
    if operation in _REPEATS:
        return _collect(value[2], letters, pumps, before) * max(1, min(12, value[0]))
    if operation is signs.ATOMIC_GROUP:
        return _collect(value, letters, pumps, before)
    return ""


def _of_set(value, letters) -> str:
    found = []
    negated = value[0][0] is signs.NEGATE
    for operation, inner in value[negated:]:
        if operation is signs.LITERAL:
            found.append(chr(inner))
        elif operation is signs.RANGE:
            found.append(chr(inner[0]))
        elif operation is signs.CATEGORY:
            found.append(_LETTERS.get(inner, "a"))
    if negated:
        found = [letter for letter in " a1.-" if letter not in found][:2]
    for letter in found[:4]:
        letters.setdefault(letter)
    return found[0] if found else ""


class TooSlowError(Exception):
    """A match that took longer than it may."""


def cost(work, most: float) -> float:
    """Return the CPU-seconds of `work`; `most` if it was broken off there."""

    def stop(*_):
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, most)
        work()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)  # inside: the alarm may ring as the work ends
        return time.process_time() - began
    except TooSlowError:
        return most
    finally:
        signal.signal(signal.SIGVTALRM, before)


# The longest text that the patterns of a room are given: a line of a document, a printed line, a reference.
LONGEST = {
    "reading/extractors/pdf/": 2_000,
    "reading/extractors/": 10_000,
    "text/": 10_000,
    "reading/parse/": 5_000,
}
FIELD = 2_000


def slow(most: float = 0.5) -> Iterator[tuple[str, str | bytes, str | bytes]]:
    """Yield (module, pattern, beginning of the input) for each that takes more than `most` CPU-seconds."""
    every = patterns()
    known, short = ways(), cut()
    for (pattern, flags), where in sorted(every.items(), key=lambda item: (item[1], str(item[0]))):
        if where.startswith("laboratory/testing/"):  # the far side of our own tests
            continue
        longest = next((size for room, size in LONGEST.items() if where.startswith(room)), FIELD)
        longest = FIELD if (pattern, flags) in short else longest
        anchored = known.get((pattern, flags), {"search"}) <= {"match", "fullmatch"}
        text = drowning(re.compile(pattern, flags), longest, most, anchored=anchored)
        if text is not None:
            yield where, pattern, text[:30]


def drowning(made: re.Pattern, longest: int, most: float, *, anchored: bool) -> str | bytes | None:
    """Return a text of that length that the pattern takes too long over, if one was found."""
    for brief, text in zip(inputs(made.pattern, longest // 4), inputs(made.pattern, longest), strict=True):
        if is_suspect(made, brief, most, anchored=anchored) and is_slow(made, text, most, anchored=anchored):
            return text
    return None


def is_suspect(made: re.Pattern, text: str | bytes, most: float, *, anchored: bool) -> bool:
    """Return whether a quarter of the text takes what it would of a cubic pattern: most take far less."""
    calls = (made.match, made.fullmatch) if anchored else (made.search,)
    return any(cost(partial(call, text), most / 64) >= most / 64 for call in calls)


def is_slow(made: re.Pattern, text: str | bytes, most: float, *, anchored: bool) -> bool:
    """Return whether a match takes too long and grows faster than its input."""
    calls = (made.match, made.fullmatch) if anchored else (made.search,)
    return any(_grows(call, text, most) for call in calls if cost(partial(call, text), most) >= most)


def _grows(call: Callable[[str | bytes], object], text: str | bytes, most: float) -> bool:
    enough = 8 * most
    for _ in range(2):  # a noisy neighbour must strike twice
        half = cost(partial(call, text[len(text) // 2 :]), enough)
        whole = cost(partial(call, text), enough) if half < enough else enough
        if whole < min(3 * half, enough):
            return False
    return True


if __name__ == "__main__":
    for row in slow():
        sys.stdout.write(f"{row}\n")
