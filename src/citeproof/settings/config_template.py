"""A commented `citeproof.toml`: every setting of the table, its default and what it means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from citeproof.settings.setting_table import TABLE, Setting, Settings

_HEAD = """\
# Settings of citeproof for this project; a line counts once its "# " is removed.
# They replace those of the user's own file; CITEPROOF_* variables and flags replace them.
"""
_OPEN = "# ---- What a project's file may set, within the bounds in brackets"
_CLOSED = """\
# ---- What it may set only if the user trusts it as it is: citeproof trust
# Else these belong into the user's own file, variables or flags."""
_TABLES = "# ---- Tables, which stand last; they need trust as well"
_MACHINE = ("cache_dir", "limits_dir")  # folders that depend on the user
_UNSET = '"…"'


def build_config_template() -> str:
    """Return the file; as it is, it sets nothing."""
    plain = Settings()
    usual = [row for row in TABLE if not isinstance(getattr(plain, row.name), Mapping)]
    tables = [row for row in TABLE if row not in usual]
    parts = [_HEAD, _OPEN, ""]
    parts += [line for row in usual if row.project for line in _describe_setting(row, plain)]
    parts += [_CLOSED, ""]
    parts += [line for row in usual if not row.project for line in _describe_setting(row, plain)]
    parts += [_TABLES, ""]
    for row in tables:
        table = (f"[{row.name}]", f'crossref = "https://example.org/crossref"  # or {row.env}')
        keys = (f"They are never read from a file: set {row.env}, such as CITEPROOF_ADS_KEY.",)
        parts += [f"# {line}" for line in (row.help, *(keys if row.name == "keys" else table))] + [""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _describe_setting(row: Setting, plain: Settings) -> Iterator[str]:
    bounds = f" [{row.project.help}]" if row.project and row.project.help != "any value" else ""
    yield f"# {row.help}{bounds}"
    value = getattr(plain, row.name)
    if row.name in _MACHINE or value is None or value == "":
        default = "a folder of the user" if row.name in _MACHINE else "not set"
        yield f"# {row.name} = {_UNSET}  # default: {default}"
    else:
        # TOML writes text, numbers and lists of text as JSON does
        plain_value = [str(part) for part in value] if isinstance(value, tuple) else value
        written = str(value) if isinstance(value, Path) else plain_value
        yield f"# {row.name} = {json.dumps(written, ensure_ascii=False)}"
    yield ""
