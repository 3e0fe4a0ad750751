"""Where the files of this user stand: configuration, cache, and the limits that processes share."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def find_user_file() -> Path:
    """Return where the user's own config file stands, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


def find_cache_folder() -> Path:
    """Return the folder for what can be recreated."""
    return Path(platformdirs.user_cache_dir("citeproof"))


def find_limits_folder() -> Path:
    """Return a folder that every process of this user shares, whatever cache it uses, and nobody else."""
    return Path(platformdirs.user_state_dir("citeproof")) / "limits"


def find_server_folder() -> Path:
    """Return the folder for the jobs and runs of a server."""
    return Path(platformdirs.user_state_dir("citeproof")) / "server"


def find_watch_folder() -> Path:
    """Return the folder for the earlier reports of watched libraries, which nothing can recreate."""
    return Path(platformdirs.user_state_dir("citeproof")) / "watch"
