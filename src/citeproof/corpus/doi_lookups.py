"""Whether DOIs exist, learned many at a time; what was learned is kept as long as answers of sources are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from citeproof.background import BackgroundLoop
from citeproof.clock import Clock
from citeproof.corpus.doi_existence import DoiExistence, look_up_dois
from citeproof.corpus.result_cache import ResultCache
from citeproof.index import manifest
from citeproof.serializers import dumps
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier


class DoiChecker:
    """What is known about DOIs in one run; the engine is made when the first one has to be asked about."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        make: Callable[[], ReferenceVerifier],
        keeping: ResultCache | None,
    ) -> None:
        self.known: dict[str, DoiExistence] = {}
        self.verifier: ReferenceVerifier | None = None
        self._settings, self._clock, self._make, self._keeping = settings, clock, make, keeping
        self._loop: BackgroundLoop | None = None
        folders = [(str(folder), _hash_manifest(folder)) for folder in settings.list_snapshot_folders()]
        asked = [settings.offline, list(settings.sources), sorted(settings.urls.items()), folders]
        self._scope = sha256(dumps(asked)).hexdigest()[:16]
        self._nobody = settings.offline and not settings.list_snapshot_folders()

    def learn(self, dois: Iterable[str]) -> None:
        """See to it that every one of `dois` is known, as far as it can be."""
        wanted = [doi for doi in dict.fromkeys(dois) if doi not in self.known]
        for doi in wanted:
            if self._nobody:
                self.known[doi] = DoiExistence("unchecked", "offline")
            elif self._keeping and (kept := self._keeping.doi(doi, self._scope)):
                answer, _, by = kept.partition(" ")
                self.known[doi] = DoiExistence(answer, by=by)
        if rest := [doi for doi in wanted if doi not in self.known]:
            self._running().run(self._ask(rest))
        if wanted and self._settings.audit_dir is not None:
            self._running().run(self._log(wanted))

    def close(self) -> None:
        """Let go of the engine and its connections."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            if self.verifier is not None:
                loop.run(self.verifier.close())
        finally:
            loop.close()

    def _running(self) -> BackgroundLoop:
        if self._loop is None:
            self._loop = BackgroundLoop("citeproof-corpus", alone=True)
            self.verifier = self._make()
        return self._loop

    async def _log(self, dois: list[str]) -> None:
        """Log what the documents are reported: asked now, kept from before, or not to be asked."""
        keeper = self.verifier.keeper if self.verifier is not None else None
        if keeper is not None:
            await keeper.keep_doi_answers(
                [{"doi": doi, **_describe_existence(self.known[doi])} for doi in dois]
            )

    async def _ask(self, dois: list[str]) -> None:
        assert self.verifier is not None
        async for doi, existence in look_up_dois(self.verifier, dois):
            self.known[doi] = existence
            if self._keeping and existence.answer != "unchecked":
                found = existence.answer != "absent"
                hours = self._settings.keep_found_hours if found else self._settings.keep_absent_hours
                until = self._clock.now() + timedelta(hours=hours)
                self._keeping.put_doi(doi, self._scope, f"{existence.answer} {existence.by}", until)


def _describe_existence(existence: DoiExistence) -> dict[str, str]:
    said = {"answer": existence.answer, "source": existence.by, "cause": existence.cause}
    return {name: value for name, value in said.items() if value}


def _hash_manifest(folder: Path) -> str:
    """Return the digest of a snapshot's manifest, which has that of each of its files."""
    try:
        with (folder / manifest.FILE).open("rb") as file:
            return sha256(file.read(manifest.MAX_BYTES)).hexdigest()
    except OSError:
        return ""
