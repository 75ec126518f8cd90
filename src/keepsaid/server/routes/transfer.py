"""Routes for the export and import of all data of an owner."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from keepsaid.errors import ImportProblem, InvalidInput
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.routes.documents import FILE_BODY
from keepsaid.server.schemas.base import Name, Text
from keepsaid.server.schemas.jobs import JobResponse

router = APIRouter(prefix="/v1", tags=["in and out"], responses=PROBLEMS)
PIECE_SIZE = 65_536
EXPORT_FORMATS = {"json": ("json", "application/json"), "markdown": ("md", "text/markdown; charset=utf-8")}


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/json": {}, "text/markdown": {}}, "description": "The file."}},
)
async def export(request: Request, format: Literal["json", "markdown"] = "json", session: Name | None = None) -> Response:
    """Export all data of the owner, or one conversation: as JSON that can be imported without loss, or as Markdown."""
    state, owner = state_of(request), owner_of(request)
    if session is not None:
        await state.run(state.memory.chat, owner=owner, session=session)
    ending, kind = EXPORT_FORMATS[format]
    headers = {"Content-Disposition": f'attachment; filename="keepsaid.{ending}"'}

    def write(target: TextIO) -> None:
        state.memory.export(target, owner=owner, session=session, format=format)

    return StreamingResponse(state.export_streams.begin(owner, write), headers=headers, media_type=kind)


@router.post("/import", status_code=202, response_model=JobResponse, openapi_extra=FILE_BODY)
async def import_file(
    request: Request,
    format: Annotated[Name | None, Query(description="Left out: it is detected.")] = None,
    name: Annotated[Text | None, Query(description="The name of the file, for error messages.")] = None,
    dry_run: bool = False,
) -> Response:
    """Start to import a file: a Keepsaid export, or one of another program. The response is a job with the progress and,
    at the end, the report. `dry_run` only reports what would be imported."""
    state, owner = state_of(request), owner_of(request)
    if not dry_run:
        await state.quotas.check(owner)
    state.check_queue()
    path = await _receive_file(request, state.uploads.name)
    try:
        state.check_queue()  # other requests may have filled the queue during the upload
        job = await state.jobs.begin(owner, "preview" if dry_run else "import", path.stat().st_size)
    except BaseException:
        path.unlink(missing_ok=True)
        raise

    quota = state.quotas.quota_check_for(owner)

    def work(progress: Any) -> Any:
        try:
            return state.memory.import_(path, owner=owner, format=format, dry_run=dry_run, progress=progress, quota=quota)
        except ImportProblem as error:
            raise _renamed(error, path, name or "the file") from None

    def do() -> None:
        try:
            state.jobs.run_job(job, work)
        finally:
            path.unlink(missing_ok=True)

    state.submit_job(do)
    return reply(JobResponse, job, 202, {"Location": f"/v1/jobs/{job.id}"})


def _renamed(error: ImportProblem, path: Path, name: str) -> ImportProblem:
    """Return the error with the caller's file name, to hide the path of the upload on the server."""
    renamed = ImportProblem(str(error).replace(str(path), name).replace(path.name, name))
    renamed.report = error.report
    return renamed


async def _receive_file(request: Request, folder: str) -> Path:
    """Write the body to a temporary file: it may be larger than memory."""
    with tempfile.NamedTemporaryFile(prefix="import-", dir=folder, delete=False) as file:
        path, size = Path(file.name), 0
        try:
            async for piece in request.stream():
                size += len(piece)
                await asyncio.to_thread(file.write, piece) if len(piece) > PIECE_SIZE else file.write(piece)
            if not size:
                raise InvalidInput("the file is empty")
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, ClientDisconnect):
                raise InvalidInput("the upload was interrupted") from None
            raise
    return path


@router.get("/jobs/{job}", response_model=JobResponse)
async def get_job(request: Request, job: str) -> Response:
    """Return the progress of an import and, at the end, its report."""
    return reply(JobResponse, await state_of(request).jobs.find_job(owner_of(request), job))
