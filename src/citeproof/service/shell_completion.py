"""The completion of a shell, put where the shell loads it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.plumbing.output_files import replace_file
from citeproof.settings.user_folders import ShellFiles
from citeproof.text import lazy_patterns as re

_BEGIN, _END = "# >>> citeproof completion >>>", "# <<< citeproof completion <<<"
_BLOCK = re.compile(rf"(?:^|(?<=\n)){re.escape(_BEGIN)}\n.*?{re.escape(_END)}(?:\n|\Z)", re.DOTALL)
_LARGEST = 5_000_000  # bytes of a start file; no real one is longer


def install_completion(files: ShellFiles, script: str) -> Iterator[str]:
    """Write the script, and load it in the shell's start file; yield what was done. Twice changes nothing."""
    if _read_text(files.script) != script:
        _write_text(files.script, script)
        yield f"wrote {files.script}"
    if files.start is None:
        return
    path, text = shlex.quote(str(files.script)), _read_text(files.start)
    lines = [_BEGIN, f"[ -f {path} ] && . {path}", _END, ""]
    if files.shell == "zsh":  # a completion can be added only once the system of zsh runs
        lines.insert(1, "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }")
    block = "\n".join(lines)
    if block in text and len(_BLOCK.findall(text)) == 1:
        return
    rest = _BLOCK.sub("", text)
    _write_text(files.start, f"{rest}{'' if not rest or rest.endswith(chr(10)) else chr(10)}{block}")
    yield f"added {block.count(chr(10))} lines to {files.start}"


def is_completion_installed(files: ShellFiles) -> bool:
    """Return whether the shell of these files completes citeproof."""
    try:
        loaded = files.start is None or bool(_BLOCK.search(_read_text(files.start)))
    except UsageError:  # whatever it is: nothing that we put there
        return False
    return loaded and files.script.is_file()


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        hint = "check its permissions"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    if len(data) > _LARGEST:
        raise UsageError("is too large", place=str(path), hint="is it the file of your shell?")
    return data.decode("utf-8", "surrogateescape")


def _write_text(path: Path, text: str) -> None:
    """Exchange a file at once; one that is a link, as in many people's dotfiles, stays one."""
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be made: {error.strerror}", place=str(target.parent)) from error
    data = text.encode("utf-8", "surrogateescape")
    replace_file(target, data, like=target if target.exists() else None, copies=False)
