"""Puts the toy source and its server into their folders: `pytest -p tests.new_source.plugin`."""

from __future__ import annotations

from pathlib import Path

import citeproof.evidence.sources
import citeproof.laboratory.testing.apis

citeproof.evidence.sources.__path__.append(str(Path(__file__).parent / "sources"))
citeproof.laboratory.testing.apis.__path__.append(str(Path(__file__).parent / "apis"))
