"""The routes of a document's references, the same way for every door; nobody is asked."""

from __future__ import annotations

from citeproof.assemble import assemble
from citeproof.parse import parse_all
from citeproof.retrieve.route_plan import RoutePlan
from citeproof.settings import Settings
from citeproof.vocabulary import Document


def plan_document(settings: Settings, document: Document) -> list[RoutePlan]:
    """Return the route of each reference of a document, in document order."""
    verifier = assemble(settings, stage=None)
    references = verifier.extract(document).references
    return [verifier.retriever.plan(reference) for reference in parse_all(references)]
