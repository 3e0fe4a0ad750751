"""A project of our own with every rule's pass and fail case, copied so that runs leave no trace in it."""

import shutil
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "project"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the project, which is also the working folder; nothing is asked on the network."""
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    return folder
