"""A stored run as its pages need it: how far it is, its references as JSON, what people decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citeproof.serializers import Json
from citeproof.stores.decision_store import RunDecision

CHECK, CLAIMS = "check", "ground"  # kinds of runs


@dataclass(frozen=True, slots=True)
class RunView:
    """One run. `base` is where its pages are; a run that is shared with others cannot be changed there."""

    id: str
    kind: str
    state: str
    name: str  # its documents, in a few words
    created: str
    base: str
    done: int = 0
    total: int | None = None
    error: str = ""
    head: Json | None = None  # of the report: `run`, and what is known without the results
    references: Sequence[Json] = ()
    findings: Sequence[Json] = ()  # about references together
    claims: Json | None = None  # the report on claims, if it is about claims
    decisions: Mapping[int, RunDecision] = field(default_factory=dict)  # by number of the reference, from 0
    shared: str = ""  # the address under which others can read it
    read_only: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state not in ("queued", "running")

    @property
    def documents(self) -> list[str]:
        """The names of what was handed over."""
        return list(self.head["run"]["documents"]) if self.head else []


@dataclass(slots=True)
class DocumentTally:
    """The counts of one document of a run."""

    file: str
    labels: Counter[str | None] = field(default_factory=Counter)
    findings: int = 0
    unread: bool = False

    def rank(self) -> tuple[int, ...]:
        """Return what the worst document has least of."""
        return (-self.labels["MAJOR"], -self.labels["MINOR"], -self.findings, -self.labels[None])


def count_labels(references: Sequence[Json]) -> Counter[str | None]:
    """Return how many references have each label; None: could not be checked."""
    return Counter(one["label"] for one in references)


def count_problems(run: RunView) -> int:
    """Return how many parts of the documents could not be read."""
    return sum(not one["note"] for one in run.head["run"]["problems"]) if run.head else 0


def tally_documents(run: RunView) -> list[DocumentTally]:
    """Return the counts of each document, the worst first."""
    tallies = {name: DocumentTally(name) for name in run.documents}
    for one in run.references:
        file = find_document(one["location"]["file"], tallies)
        tally = tallies.setdefault(file, DocumentTally(file))
        tally.labels[one["label"]] += 1
        tally.findings += any(f["state"] == "finding" and f.get("level") != "note" for f in one["findings"])
    for problem in run.head["run"]["problems"] if run.head else ():
        file = find_document(problem["location"]["file"], tallies)
        if file in tallies and not problem["note"] and not tallies[file].labels.total():
            tallies[file].unread = run.ended
    inside = any("!/" in name for name in tallies)
    shown = [one for one in tallies.values() if one.labels.total() or one.unread or not inside]
    return sorted(shown, key=DocumentTally.rank)


def find_document(file: str, documents: Mapping[str, object] | Sequence[str]) -> str:
    """Return the document that a file belongs to: itself, also in an archive, or the only one there is."""
    if file in documents or "!/" in file:
        return file
    return next(iter(documents)) if len(documents) == 1 else file
