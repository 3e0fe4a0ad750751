"""The corpus door: a project and its documents in, results out, for the command line and for Python."""

from citeproof.surfaces.corpora.project import Project
from citeproof.surfaces.corpora.root import root_of

__all__ = ["Project", "root_of"]
