"""The text on the clipboard, by the program that the desktop has for it."""

from __future__ import annotations

import subprocess

from citeproof.errors import InputError
from citeproof.programs import find_program, make_environment, run_program
from citeproof.service.input_kinds import CLIPBOARD

_SECONDS = 10.0
_WINDOWS = "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"
_COMMANDS = (  # the first that is installed and answers
    ("wl-paste", "--no-newline", "--type", "text"),
    ("xclip", "-selection", "clipboard", "-out"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    ("powershell.exe", "-NoProfile", "-Command", _WINDOWS),
)
_HINT = "install wl-clipboard, xclip or xsel, or paste into: citeproof check -"


def read_clipboard(limit: int) -> bytes:
    """Return the text on the clipboard; InputError if nothing here can read it, or it is empty."""
    complaints = []
    for name, *arguments in _COMMANDS:
        program = find_program(name)
        if program is None:
            continue
        try:
            ended = run_program(
                [program, *arguments], make_environment({"LC_CTYPE": "UTF-8"}, desktop=True), _SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            complaints.append(f"{name}: {type(error).__name__}")
            continue
        if ended.returncode == 0:
            return _check_text(ended.stdout, limit)
        lines = ended.stderr.decode("utf-8", "replace").split("\n")
        complaints.append(f"{name}: {lines[0].strip()[:200] or f'exit code {ended.returncode}'}")
    if complaints:
        raise InputError(f"cannot be read ({'; '.join(complaints)})", place=CLIPBOARD, hint=_HINT)
    raise InputError("no program here can read the clipboard", place=CLIPBOARD, hint=_HINT)


def _check_text(data: bytes, limit: int) -> bytes:
    if not data.strip():
        raise InputError("is empty", place=CLIPBOARD, hint="copy the answer or the reference list first")
    if len(data) > limit:
        hint = "save it to a file, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=CLIPBOARD, hint=hint)
    return data
