"""The corpus door: a project and its documents in, results out, for the command line and for Python."""

from citeproof.surfaces.corpora.project import Project
from citeproof.surfaces.corpora.root_search import find_root

__all__ = ["Project", "find_root"]
