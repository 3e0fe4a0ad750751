"""Where the files of this user stand: configuration, cache and state."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def find_user_file() -> Path:
    """Return where the user's own config file stands, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


def find_cache_folder() -> Path:
    """Return the folder for what can be recreated."""
    return Path(platformdirs.user_cache_dir("citeproof"))


def find_state_folder(name: str) -> Path:
    """Return a folder for what nothing can recreate; all processes of this user share it."""
    return Path(platformdirs.user_state_dir("citeproof")) / name
