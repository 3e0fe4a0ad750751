"""Who answered in a run and who did not: the one place that makes this sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from citeproof.vocabulary.judgements import Checked, FindingState
from citeproof.vocabulary.quick_dataclass import dataclass, field
from citeproof.vocabulary.records import MEMORY, Cause, Unchecked

ANSWERED = "answered"
_AT_HAND = ("snapshot", MEMORY)  # begin the names of sources that need no network


@dataclass(slots=True)
class SourceAnswers:
    """The answers of each source, and why it gave none; grows while references pass by."""

    sources: tuple[str, ...] = ()  # that may be asked
    counts: dict[str, Counter[str]] = field(default_factory=dict)  # by source: `ANSWERED` or a cause
    references: int = 0  # that passed by
    not_cleared: int = 0  # works that were found, and of which nobody could say whether they were retracted

    def add(self, source: str, outcome: str, count: int = 1) -> None:
        """Count what came of questions to a source; a snapshot that lacks a work has answered."""
        if outcome == Cause.NOT_COVERED and source.startswith(_AT_HAND):
            outcome = ANSWERED
        self.counts.setdefault(source, Counter())[outcome] += count

    def add_counts(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Count what was counted elsewhere."""
        for source, outcomes in counts.items():
            for outcome, count in outcomes.items():
                self.add(source, outcome, count)

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and count the answers about it."""
        for reference in checked:
            self.references += 1
            states = [one.state for one in reference.findings if one.name == "retracted"]
            self.not_cleared += reference.label is not None and FindingState.UNCHECKED in states
            for x in reference.retrieved.lookups:
                self.add(x.source, x.cause if isinstance(x, Unchecked) else ANSWERED)
            yield reference

    def list_answered(self) -> list[str]:
        """Return the sources that answered, in the order of the run."""
        return [name for name in self._list_names() if self._count(name)[ANSWERED]]

    def list_silent(self) -> dict[str, str]:
        """Return the sources that left a question unanswered, each with what is said behind its name."""
        return {
            name: why for name in self._list_names() if (why := self._describe_failures(name)) is not None
        }

    def describe(self) -> str:
        """Return who answered, who did not and who was not asked; it follows the words "checked against"."""
        silent, answered = self.list_silent(), self.list_answered()
        parts = [", ".join(map(_show_name, answered)) or "nothing"]
        names = [f"{_show_name(name)}{why}" for name, why in silent.items()]
        parts += [f"no answer from {', '.join(names)}"] if names else []
        rest = [name for name in self.sources if name not in silent and name not in answered]
        kept = {name: cause.words for name in rest for cause in Cause if self._count(name)[cause]}
        more = len(rest) - len(kept)
        names = [f"{_show_name(name)} ({why})" for name, why in kept.items()]
        names += [f"{more:,} {'other ' if names else ''}source{'s' * (more > 1)}"] if more else []
        parts += [f"not asked: {', '.join(names)}"] if names else []
        parts += ["retractions not checked (no current list)"] if self.not_cleared else []
        return "; ".join(parts)

    def _describe_failures(self, name: str) -> str | None:
        """Return how many questions a source left open, and why; None: it did not, empty: it was silent."""
        counts = self._count(name)
        failed = Counter({cause: counts[cause] for cause in Cause if cause.was_asked and counts[cause]})
        if not failed:
            return None
        asked = failed.total() + counts[ANSWERED]
        part = f" to {failed.total():,} of {asked:,} questions" if counts[ANSWERED] else ""
        why = ", ".join(cause.words for cause in failed if cause is not Cause.TIMEOUT)
        return f"{part} ({why})" if why else part

    def _list_names(self) -> list[str]:
        return [*self.sources, *sorted(self.counts.keys() - {*self.sources})]

    def _count(self, name: str) -> Counter[str]:
        return self.counts.get(name, Counter())


def _show_name(source: str) -> str:
    return source.replace(":", " ", 1)
