"""`citeproof` called in this very process: the start of another one takes a second of processor time."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from citeproof.surfaces.cli.main import main


def call_citeproof(
    *arguments: object,
    given: str = "",
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> CompletedProcess[str]:
    """Return what a command prints, and its exit code, as `subprocess.run` would.

    `environment` replaces all variables, as there. Not for what is about processes: signals, start-up,
    limits, and what is written past `sys.stdout`.
    """
    words = [str(one) for one in arguments]
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    variables = os.environ if environment is None else environment
    with (
        patch.dict(os.environ, dict(variables), clear=True),
        patch.object(sys, "stdin", TextIOWrapper(BytesIO(given.encode()), "utf-8")),
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(folder or Path.cwd()),
    ):
        try:
            main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    told = [one.buffer.getvalue().decode() for one in (out, err)]
    return CompletedProcess(words, code, *told)
