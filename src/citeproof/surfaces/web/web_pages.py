"""The pages of the web surface, added to the server's application.

    close = add_pages(app, runner, settings=settings, store=folder, identify=identify, share=share)

`identify` returns the owner of a request and raises what the server answers to a stranger, `share` who has a
share of the queue; `close` lets go of the files. Call it after the guard was added: what it puts around the
application must be outermost. A page is made in a thread, from what is stored; nothing here decides anything.
A person who knows the address of a shared report can read it; all else is its owner's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import msgspec
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import Response, StreamingResponse
from starlette.datastructures import UploadFile

from citeproof.answers.reporters.base import get_reporter, get_suffix
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.decision_store import DecisionStore
from citeproof.plumbing.stores.job_store import MAX_INPUT, Job
from citeproof.service.guarded_text import guard_in_pool
from citeproof.service.job_reports import read_report
from citeproof.service.job_runner import JobRunner
from citeproof.service.job_work import name_run
from citeproof.service.person_decisions import DecidedReference, DecisionKeeper
from citeproof.settings import Settings
from citeproof.surfaces.web import page_frame
from citeproof.surfaces.web.document_view import DocumentPages
from citeproof.surfaces.web.run_pages import (
    CHECK_FORMATS,
    CLAIM_FORMATS,
    ListQuery,
    format_batch_page,
    format_guarded_page,
    format_reference_page,
    format_run_page,
    write_batch_table,
)
from citeproof.surfaces.web.run_view import (
    CLAIMS,
    RunLoader,
    RunView,
    make_brief,
    merge_batches,
    write_decisions,
    write_ignore_list,
)
from citeproof.surfaces.web.upload_reading import GUARD, UploadedFile, make_requests, read_pasted_answer
from citeproof.surfaces.web.web_answers import (
    BrowserLogin,
    explain_errors,
    get_field,
    is_token,
    make_download,
    make_login_answer,
    make_page_answer,
    make_redirect,
    read_cookie,
    read_form,
)

RECENT = 25  # runs on the start page
_MOST_RUNS = 400  # that are looked at for it: the documents of a batch are one
UNLISTED = "anonymous"  # who is not one person: their runs are on no list

Identify = Callable[[Request], str]


class WebPages:
    """What answers the requests of browsers."""

    def __init__(
        self, runner: JobRunner, settings: Settings, store: Path | str, identify: Identify, share: Identify
    ) -> None:
        self._runner, self._settings, self._identify, self._share = runner, settings, identify, share
        self._decisions = DecisionStore(store)
        self._decisions.delete_missing(lambda run: runner.store.find(run) is not None)
        self._keeper = DecisionKeeper(settings, self._decisions, SystemClock())
        self._loader = RunLoader(runner.store, self._decisions)
        self._documents = DocumentPages(runner.store)
        self._viewing = asyncio.Semaphore(2)  # of documents, which may take long: all else needs threads, too

    def close(self) -> None:
        """Let go of the files."""
        self._keeper.close()
        self._decisions.close()

    # --- pages without an owner -------------------------------------------------------------------

    async def show_asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in page_frame.MEDIA_TYPES:
            raise HTTPException(404)
        kept = {**page_frame.HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}
        return Response(page_frame.load_asset(name), media_type=page_frame.MEDIA_TYPES[name], headers=kept)

    async def show_no_icon(self, _: Request) -> Response:
        return Response(status_code=204, headers=page_frame.HEADERS)

    async def show_verdicts(self, _: Request) -> Response:
        return make_page_answer(page_frame.format_verdict_page())

    async def show_login(self, request: Request) -> Response:
        asked = request.query_params
        return make_page_answer(
            page_frame.format_login_page(asked.get("next", "/"), failed="failed" in asked)
        )

    async def log_in(self, request: Request) -> Response:
        form = await read_form(request, 0)
        token, after = get_field(form, "token").strip(), get_field(form, "next") or "/"
        if not is_token(token):
            return make_page_answer(page_frame.format_login_page(after, failed=True), 400)
        return make_login_answer(token, after, request)

    async def log_out(self, request: Request) -> Response:
        await read_form(request, 0)
        return make_login_answer("", "/login", request)

    # --- runs -----------------------------------------------------------------------------------

    async def show_front(self, request: Request) -> Response:
        owner = self._identify(request)

        def make() -> str:
            jobs = self._runner.store.list_jobs(owner, most=_MOST_RUNS) if owner != UNLISTED else []
            briefs = (make_brief(job, f"/runs/{job.id}") for job in jobs if job.kind in ("check", CLAIMS))
            runs = merge_batches(briefs, self._decisions.map_batches(owner))[:RECENT]
            signed = bool(read_cookie(request.scope))
            notes = ["This server is offline: it asks its snapshots only."] if self._settings.offline else []
            refusal = self._runner.pool.find_refusal()
            refused = f"{refusal.message}; {page_frame.give_advice(refusal.hint)}" if refusal else ""
            return page_frame.format_front_page(runs, notes, signed=signed, refused=refused)

        return make_page_answer(await asyncio.to_thread(make))

    async def begin_runs(self, request: Request) -> Response:
        owner = self._identify(request)
        limit = min(self._settings.max_document_bytes, MAX_INPUT)
        form = await read_form(request, limit)
        try:
            files = [
                UploadedFile(upload.filename or "", await upload.read())
                for upload in form.getlist("files")
                if isinstance(upload, UploadFile) and upload.filename
            ]
        finally:
            await form.close()
        kind, text = get_field(form, "kind") or "check", get_field(form, "text")
        if get_field(form, "example"):
            kind, files, text = "check", [], page_frame.load_asset("example.txt").decode()
        if kind == GUARD:
            answer = read_pasted_answer(files, text)
            return make_page_answer(
                format_guarded_page(await guard_in_pool(self._runner.pool, answer, "bracket"))
            )

        def submit() -> str:
            wanted = make_requests(kind, files, text, limit)
            jobs = [self._runner.submit(wish, owner, client=self._share(request)).id for wish in wanted]
            if len(jobs) == 1:
                return f"/runs/{jobs[0]}"
            return f"/batches/{self._decisions.add_batch(owner, jobs)}"

        return make_redirect(await asyncio.to_thread(submit))

    async def show_batch(self, request: Request) -> Response:
        make = lambda: format_batch_page(*self._load_batch(request))  # noqa: E731 - for the thread
        return make_page_answer(await asyncio.to_thread(make))

    async def download_batch(self, request: Request) -> Response:
        text = await asyncio.to_thread(lambda: write_batch_table(self._load_batch(request)[0]))
        return make_download(text, "citeproof-batch.csv", "text/csv")

    def _load_batch(self, request: Request) -> tuple[list[RunView], str]:
        """Return the runs of a batch and its address; 404 if there is none."""
        owner, batch = self._identify(request), request.path_params["batch"]
        jobs = [self._runner.store.find(job, owner) for job in self._decisions.list_batch(batch, owner)]
        runs = [self._loader.load(job, f"/runs/{job.id}") for job in jobs if job]
        if not runs:
            raise HTTPException(404)
        return runs, f"/batches/{batch}"

    async def show_run(self, request: Request) -> Response:
        query = ListQuery.read(request.query_params)
        return make_page_answer(await asyncio.to_thread(lambda: format_run_page(self._load(request), query)))

    async def show_reference(self, request: Request) -> Response:
        def make() -> str:
            run = self._load(request)
            return format_reference_page(run, _find_number(request, run))

        return make_page_answer(await asyncio.to_thread(make))

    async def follow_run(self, request: Request) -> Response:
        job = await asyncio.to_thread(self._find, request)

        async def tell() -> AsyncGenerator[bytes]:
            yield b"retry: 2000\n\n"
            async with aclosing(self._runner.follow(job.id)) as changes:
                async for change in changes:
                    name = b"end" if change.state.ended else b"progress"
                    state = {"state": change.state.value, "done": change.done, "total": change.total}
                    yield b"event: " + name + b"\ndata: " + msgspec.json.encode(state) + b"\n\n"

        return StreamingResponse(tell(), media_type="text/event-stream", headers=page_frame.HEADERS)

    async def cancel_run(self, request: Request) -> Response:
        owner = self._identify(request)
        await read_form(request, 0)
        job = await asyncio.to_thread(self._runner.cancel, request.path_params["run"], owner)
        if job is None:
            raise HTTPException(404)
        return make_redirect(f"/runs/{job.id}")

    async def show_document(self, request: Request) -> Response:
        def make() -> str:
            run = self._load(request)
            file, page = (request.query_params.get(name, "") for name in ("file", "page"))
            return self._documents.format_view(run, file, page)

        async with self._viewing:
            return make_page_answer(await asyncio.to_thread(make))

    async def show_picture(self, request: Request) -> Response:
        def draw() -> bytes:
            job = self._find(request)
            return self._documents.draw(job.id, _read_number(request, "page"))

        async with self._viewing:
            picture = await asyncio.to_thread(draw)
        if not picture:
            raise HTTPException(404)
        kept = {**page_frame.HEADERS, "Cache-Control": "private, max-age=3600"}
        return Response(picture, media_type="image/png", headers=kept)

    async def download_report(self, request: Request) -> Response:
        form = request.path_params["form"]

        def make() -> tuple[str, str]:
            job = self._find(request)
            if form not in (CLAIM_FORMATS if job.kind == CLAIMS else CHECK_FORMATS):
                raise HTTPException(404)
            return job.id, "".join(read_report(self._runner.store, job).generate_report(form))

        job, text = await asyncio.to_thread(make)
        return make_download(text, f"citeproof-{job[:8]}.{get_suffix(form)}", get_reporter(form).media_type)

    async def download_ignore_list(self, request: Request) -> Response:
        text = await asyncio.to_thread(lambda: write_ignore_list(self._load(request)))
        return make_download(text, "ignore.toml", "application/toml")

    async def download_decisions(self, request: Request) -> Response:
        text = await asyncio.to_thread(lambda: write_decisions(self._load(request)))
        return make_download(text, "decisions.json", "application/json")

    # --- what a person changes ------------------------------------------------------------------

    async def decide(self, request: Request) -> Response:
        self._identify(request)
        form = await read_form(request, 0)

        def store() -> str:
            run = self._load(request)
            number = _find_number(request, run)
            about = DecidedReference(run.id, name_run(run.id), number)
            self._keeper.decide(about, get_field(form, "choice", last=True), get_field(form, "note"))
            return f"{run.base}/references/{number + 1}"

        return make_redirect(await asyncio.to_thread(store))

    async def share_run(self, request: Request) -> Response:
        return await self._change_sharing(request, self._decisions.share)

    async def unshare_run(self, request: Request) -> Response:
        return await self._change_sharing(request, self._decisions.unshare)

    async def _change_sharing(self, request: Request, change: Callable[[str], object]) -> Response:
        await read_form(request, 0)
        job = await asyncio.to_thread(self._find, request)
        await asyncio.to_thread(change, job.id)
        return make_redirect(f"/runs/{job.id}#share")

    # --- which run is meant ---------------------------------------------------------------------

    def _find(self, request: Request) -> Job:
        """Return the job of an address: the owner's own, or one that is shared; 404 for any other."""
        given = request.path_params
        if "address" in given:
            run = self._decisions.find_shared_run(given["address"])
            job = self._runner.store.find(run) if run else None
        else:
            job = self._runner.store.find(given["run"], self._identify(request))
        if job is None:
            raise HTTPException(404)
        return job

    def _load(self, request: Request) -> RunView:
        job, address = self._find(request), request.path_params.get("address")
        base = f"/shared/{address}" if address else f"/runs/{job.id}"
        run = self._loader.load(job, base, read_only=address is not None)
        batch = "" if address else self._decisions.map_batches(self._identify(request)).get(job.id)
        return replace(run, shared="" if address else run.shared, batch=f"/batches/{batch}" if batch else "")


def add_pages(
    app: FastAPI,
    runner: JobRunner,
    *,
    settings: Settings,
    store: Path | str,
    identify: Identify,
    share: Identify,
) -> Callable[[], None]:
    """Add all pages to an application; return what lets go of their files.

    `store`: the folder of decisions, or the address of their database.
    """
    pages = WebPages(runner, settings, store, identify, share)
    shown = {
        "/": pages.show_front,
        "/favicon.ico": pages.show_no_icon,
        "/assets/{name}": pages.show_asset,
        "/verdicts": pages.show_verdicts,
        "/login": pages.show_login,
        "/batches/{batch}": pages.show_batch,
        "/batches/{batch}/batch.csv": pages.download_batch,
    }
    of_run = {
        "": pages.show_run,
        "/events": pages.follow_run,
        "/references/{number}": pages.show_reference,
        "/document": pages.show_document,
        "/pages/{page}.png": pages.show_picture,
        "/report.{form}": pages.download_report,
        "/ignore.toml": pages.download_ignore_list,
        "/decisions.json": pages.download_decisions,
    }
    for base in ("/runs/{run}", "/shared/{address}"):
        shown |= {f"{base}{path}": handler for path, handler in of_run.items()}
    changed = {
        "/login": pages.log_in,
        "/logout": pages.log_out,
        "/runs": pages.begin_runs,
        "/runs/{run}/cancel": pages.cancel_run,
        "/runs/{run}/references/{number}/decision": pages.decide,
        "/runs/{run}/share": pages.share_run,
        "/runs/{run}/unshare": pages.unshare_run,
    }
    for method, handlers in (("GET", shown), ("POST", changed)):
        for path, handler in handlers.items():
            app.add_route(path, explain_errors(handler), methods=[method], include_in_schema=False)
    app.add_middleware(BrowserLogin)
    return pages.close


def _find_number(request: Request, run: RunView) -> int:
    number = _read_number(request, "number") - 1
    if number not in run.references:
        raise HTTPException(404)
    return number


def _read_number(request: Request, name: str) -> int:
    """Return a number of the address; 404 if it is none, or has more digits than anything here."""
    text = request.path_params[name]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise HTTPException(404)
    return int(text)
