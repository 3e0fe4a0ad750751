"""`citeproof claims`: claims in, their decided citations and the trace of each decision out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers.reporters.base import list_formats
from citeproof.answers.reporters.wording import describe_log, show_line
from citeproof.errors import UsageError, format_count
from citeproof.plumbing.clock import SystemClock, today
from citeproof.plumbing.output_files import write_file
from citeproof.surfaces.cli import command_options, report_output, run_notices
from citeproof.surfaces.cli.status_line import SIGN

if TYPE_CHECKING:
    from citeproof.claims.support.exhibit_files import ImageFolder
    from citeproof.service.guarded_text import GuardedText
    from citeproof.settings import Settings
    from citeproof.vocabulary import GroundedHypothesis


STAGE = "grounding"  # as the audit log names it
_STREAM = Path("-")
_NO_IMAGE = "no claim cites a figure or table that could be cut from the text of its work"
_WITH_ROOT = ("text", "json", "md", "html")  # formats that show the root of the log


@click.command(short_help="Verify the citations of claims, and trace every decision.")
@click.argument("file", metavar="FILE")
@command_options.add_options("claims", formats=list_formats())
def command(
    file: str,
    *,
    form: str,
    output: Path | None,
    receipts: Path | None,
    clean: Path | None,
    removal: str | None,
    images: Path | None,
    explain_network: bool,
    verbose: bool,
    **flags: object,
) -> int:
    """Verify the citations of the claims in FILE: a hypothesis as JSON, or any document.

    Each claim is tried with its candidates, the surest first: identifiers in its text, and the references
    proposed for it. The first that is found, has the claimed title and authors, and was not retracted is
    attached. If none passes, no citation is shown and the claim is unsupported. If something could not be
    checked, the claim is unchecked. Of a document, each sentence that cites a work is a claim. Retractions
    are looked up in the list of `citeproof lists update`, else at registries; offline the list is needed.

    \b
    citeproof claims hypothesis.json
    citeproof claims answer.md --format json
    citeproof claims paper.tex --offline --audit audit
    citeproof claims answer.md --texts papers --images figures --format md -o report.md
    citeproof claims answer.md --fetch-texts
    citeproof claims answer.md --texts papers --llm openai:gpt-5-mini --llm-max-dollars 1
    citeproof claims answer.md --receipts receipts.json
    citeproof claims answer.md --clean-text safe.md --removal remove

    \b
    Exit codes: 0 every citation verified and no claim held back, 1 a claim is unsupported, its source
    retracted, or it is held back (--hold; default: the text of the work differs from it), 3 no claim found,
    4 something could not be checked (1 wins over 4). With --clean-text also 1 or 4 where it leaves out a
    citation.
    """
    command_options.refuse_alone("--removal", removal, "--clean-text", clean)
    chosen = _load_settings(flags)
    shown = clean != _STREAM or output is not None
    watch = run_notices.LookupCounter()
    with SIGN.show([file]):
        image_folder = _open_image_folder(images, output, texts=bool(chosen.texts)) if images else None
        opened = OpenedClaims(file, chosen, watch, writable=clean is not None)
    with run_notices.print_notices_afterwards(
        opened.verifier, watch, explain=explain_network, root_in_report=shown and form in _WITH_ROOT
    ):
        grounded, guarded = asyncio.run(opened.ground(removal or "bracket"))
        watch.count_claim_questions(grounded.claims)
    run_notices.print_problems(grounded.run.problems, notes=False)
    grounded = _write_images(grounded, image_folder) if image_folder else grounded
    _print_no_claims(file, grounded, with_log=shown and form == "text")
    if shown:
        _write_report(grounded, form, output, verbose=verbose)
    if clean and guarded:
        _write_clean_text(guarded, clean, removal)
    _write_receipts(receipts, chosen, grounded)
    from citeproof.service.guarded_text import choose_exit_code  # noqa: PLC0415 - loaded by now

    return choose_exit_code(grounded, guarded)


def _load_settings(flags: dict[str, object]) -> Settings:
    chosen = settings.load(command_options.collect_given_flags(**flags))
    command_options.refuse_alone("--llm-figures", chosen.llm_figures, "--llm", chosen.llm)
    command_options.refuse_alone("--llm-figures", chosen.llm_figures, "--texts", chosen.texts)
    return chosen


def _write_receipts(path: Path | None, chosen: Settings, grounded: GroundedHypothesis) -> None:
    if path is not None:
        from citeproof.service.citation_receipts import sign_receipts  # noqa: PLC0415 - takes its time

        write_file(path, sign_receipts(chosen, grounded.claims, today(SystemClock())))


class OpenedClaims:
    """A document, what verifies its claims, and what looks at the texts of the cited works."""

    def __init__(
        self, file: str, chosen: Settings, watch: run_notices.LookupCounter, *, writable: bool
    ) -> None:
        """Read the document; what is wrong with the judge's files is told. `writable`: its text is wanted."""
        from citeproof.service.assemble import assemble, choose_judge  # noqa: PLC0415 - takes its time
        from citeproof.service.assemble.source_choice import make_assessor, open_text_library  # noqa: PLC0415 - same
        from citeproof.service.claim_session import choose_log_name  # noqa: PLC0415 - same
        from citeproof.service.guarded_text import read_guardable_text  # noqa: PLC0415 - same
        from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

        self._document = read_one_document(file, chosen)
        self._text = read_guardable_text(self._document).text if writable else None
        if chosen.audit_dir is not None and not chosen.audit_run:
            chosen = replace(chosen, audit_run=choose_log_name(self._document))
        self._library = open_text_library(chosen)
        self.verifier = assemble(chosen, observer=watch, stage=STAGE)
        run_notices.print_warnings(choose_judge(chosen).trouble)
        if chosen.fetch_texts and chosen.offline:
            idle = "--fetch-texts has no effect offline: only --texts and snapshots are looked at"
            run_notices.print_warnings([idle])
        self._assess = make_assessor(self._library, self.verifier.text_finders, self.verifier.reviewer)

    async def ground(self, removal: str) -> tuple[GroundedHypothesis, GuardedText | None]:
        """Return the decided claims and, of a text that is wanted, what of it may be shown."""
        from citeproof.service.claim_session import find_sealed_log, ground_document  # noqa: PLC0415 - same
        from citeproof.service.guarded_text import guard_document  # noqa: PLC0415 - same

        guarded = None
        try:
            grounded = await ground_document(self.verifier, self._document, self._assess)
            if self._text is not None:
                given = (self.verifier, self._document, self._text, grounded, removal)
                guarded, grounded = await guard_document(*given)
        finally:
            await self.verifier.close()
        if self._library is not None:
            run_notices.print_warnings([self._library.trouble] if self._library.trouble else [])
            self._library.close()
        return replace(grounded, log=find_sealed_log(self.verifier.keeper)), guarded


def _print_no_claims(file: str, grounded: GroundedHypothesis, *, with_log: bool) -> None:
    if grounded.claims:
        return
    print(f"nothing to check: no claim found in {show_line(file)}", file=sys.stderr)
    if with_log and (log := grounded.log):
        print(describe_log(log.path, log.root), file=sys.stderr)


def _write_clean_text(guarded: GuardedText, path: Path, removal: str | None) -> None:
    """Write the text that may be shown, and say on standard error what became of its citations."""
    stream = path == _STREAM
    with report_output.open_destination(None if stream else path, text=stream) as write:
        write(report_output.protect_terminal(guarded.text) if stream else guarded.text)
    sys.stdout.flush()
    verb = "removed" if removal == "remove" else "bracketed"
    count = format_count(len(guarded.citations), "citation")
    told = f"{len(guarded.left_out)} of {count} not verified and {verb}"
    print(f"clean text: {told}{'' if stream else f'; {show_line(str(path))}'}", file=sys.stderr)


def _open_image_folder(images: Path, output: Path | None, *, texts: bool) -> ImageFolder:
    from citeproof.claims.support.exhibit_files import ImageFolder  # noqa: PLC0415 - same

    if not texts:
        hint = "name a folder of texts with --texts"
        raise UsageError("there are no texts to take images from", place="--images", hint=hint)
    return ImageFolder(images, report_output.name_beside(images, output))


def _write_images(grounded: GroundedHypothesis, folder: ImageFolder) -> GroundedHypothesis:
    from citeproof.service.claim_session import write_cited_images  # noqa: PLC0415 - same

    written = write_cited_images(grounded, folder)
    if not any(each.image_file for one in written.claims if one.support for each in one.support.exhibits):
        print(f"note: no image was written to {show_line(folder.shown)}: {_NO_IMAGE}", file=sys.stderr)
    return written


def _write_report(grounded: GroundedHypothesis, form: str, output: Path | None, *, verbose: bool) -> None:
    with report_output.open_destination(output, text=form == "text") as write:
        for chunk in _format_report(grounded, form, output, verbose=verbose):
            write(chunk)


def _format_report(
    grounded: GroundedHypothesis, form: str, output: Path | None, *, verbose: bool
) -> Iterator[str]:
    from citeproof.claims import claim_text  # noqa: PLC0415 - same
    from citeproof.claims.claim_report import ClaimReport  # noqa: PLC0415 - same

    if form == "text" and not grounded.claims:
        return iter(())
    if form == "text":
        return claim_text.format_claims_text(grounded, report_output.choose_screen(output), verbose=verbose)
    if form == "md":
        return claim_text.format_claims_markdown(grounded)
    if form == "html":
        from citeproof.claims.claims_html import format_claims_page  # noqa: PLC0415 - same

        return format_claims_page(grounded)
    return report_output.choose_reporter(form, output).report(ClaimReport(grounded))
