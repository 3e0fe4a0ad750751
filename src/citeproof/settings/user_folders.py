"""Where the files of this user stand: configuration, cache and state, and those of the user's shell."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

SHELLS = ("bash", "zsh", "fish")


def find_user_file() -> Path:
    """Return where the user's own config file stands, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


def find_cache_folder() -> Path:
    """Return the folder for what can be recreated."""
    return Path(platformdirs.user_cache_dir("citeproof"))


def find_state_folder(name: str) -> Path:
    """Return a folder for what nothing can recreate; all processes of this user share it."""
    return Path(platformdirs.user_state_dir("citeproof")) / name


@dataclass(frozen=True, slots=True)
class ShellFiles:
    """Where the completion of one shell stands, and the file that loads it; None: it is found by itself."""

    shell: str
    script: Path
    start: Path | None


def detect_shell(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the shell that started this program, else the user's login shell; None for any other shell."""
    environment = os.environ if environment is None else environment  # noqa: TID251 - a setting of the user
    try:
        parent = Path(f"/proc/{os.getppid()}/comm").read_text(encoding="utf-8").strip()
    except OSError:  # not Linux
        parent = ""
    for name in (parent.lstrip("-"), Path(environment.get("SHELL", "")).name):
        if name in SHELLS:
            return name
    return None


def find_shell_files(shell: str, environment: Mapping[str, str] | None = None) -> ShellFiles:
    """Return where the completion for `shell` belongs."""
    environment = os.environ if environment is None else environment  # noqa: TID251 - same
    home = Path(environment.get("HOME") or Path.home())
    if shell == "fish":
        config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
        return ShellFiles(shell, config / "fish" / "completions" / "citeproof.fish", None)
    data = Path(platformdirs.user_data_dir("citeproof"))
    start = Path(environment.get("ZDOTDIR") or home) / ".zshrc" if shell == "zsh" else home / ".bashrc"
    return ShellFiles(shell, data / f"completion.{shell}", start)
