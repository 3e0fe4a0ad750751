"""Puts the toy source and its server into their folders: `pytest -p tests.new_source.plugin`."""

from __future__ import annotations

from pathlib import Path

import citeproof.sources
import citeproof.testing.apis

citeproof.sources.__path__.append(str(Path(__file__).parent / "sources"))
citeproof.testing.apis.__path__.append(str(Path(__file__).parent / "apis"))
