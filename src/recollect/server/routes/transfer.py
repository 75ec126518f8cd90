"""In and out: export and import of all that an owner has."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from recollect.errors import ImportProblem, InvalidInput
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.routes.documents import FILE
from recollect.server.shapes.basis import Name, Text
from recollect.server.shapes.upkeep import JobShape

router = APIRouter(prefix="/v1", tags=["in and out"], responses=PROBLEMS)
PIECE = 65_536
ENDINGS = {"json": ("json", "application/json"), "markdown": ("md", "text/markdown; charset=utf-8")}


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/json": {}, "text/markdown": {}}, "description": "The file."}},
)
async def export(request: Request, format: Literal["json", "markdown"] = "json", session: Name | None = None) -> Response:
    """Everything of the owner, or one conversation: as JSON that can be imported again without loss, or as Markdown."""
    desk, owner = desk_of(request), owner_of(request)
    if session is not None:
        await desk.run(desk.memory.chat, owner=owner, session=session)
    ending, kind = ENDINGS[format]
    headers = {"Content-Disposition": f'attachment; filename="recollect.{ending}"'}

    def write(target: TextIO) -> None:
        desk.memory.export(target, owner=owner, session=session, format=format)

    return StreamingResponse(desk.exports.begin(owner, write), headers=headers, media_type=kind)


@router.post("/import", status_code=202, response_model=JobShape, openapi_extra=FILE)
async def import_file(
    request: Request,
    format: Annotated[Name | None, Query(description="Left out: it is detected.")] = None,
    name: Annotated[Text | None, Query(description="What the file is called, for messages about it.")] = None,
    dry_run: bool = False,
) -> Response:
    """Begins to import a file: our own export, or one of another program. Answers at once with a job; look at it for
    progress and the counted report. `dry_run` only tells what would come."""
    desk, owner = desk_of(request), owner_of(request)
    if not dry_run:
        await desk.quotas.check(owner)
    path = await _received(request, desk.uploads.name)
    job = await desk.jobs.begin(owner, "preview" if dry_run else "import", path.stat().st_size)

    def work(progress: Any) -> Any:
        try:
            return desk.memory.import_(path, owner=owner, format=format, dry_run=dry_run, progress=progress)
        except ImportProblem as error:
            raise _renamed(error, path, name or "the file") from None

    def do() -> None:
        try:
            desk.jobs.do(job, work)
        finally:
            path.unlink(missing_ok=True)

    desk.begin(do)
    return reply(JobShape, job, 202, {"Location": f"/v1/jobs/{job.id}"})


def _renamed(error: ImportProblem, path: Path, name: str) -> ImportProblem:
    """The same error with the name that the caller knows: where the server keeps what it received is nobody's business."""
    told = ImportProblem(str(error).replace(str(path), name).replace(path.name, name))
    told.report = error.report
    return told


async def _received(request: Request, folder: str) -> Path:
    """The body, in a file of its own: it may be larger than memory."""
    with tempfile.NamedTemporaryFile(prefix="import-", dir=folder, delete=False) as file:
        path, size = Path(file.name), 0
        try:
            async for piece in request.stream():
                size += len(piece)
                await asyncio.to_thread(file.write, piece) if len(piece) > PIECE else file.write(piece)
            if not size:
                raise InvalidInput("the file is empty")
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, ClientDisconnect):
                raise InvalidInput("the file broke off") from None
            raise
    return path


@router.get("/jobs/{job}", response_model=JobShape)
async def get_job(request: Request, job: str) -> Response:
    """How far an import is, and at its end what it brought."""
    return reply(JobShape, await desk_of(request).jobs.of(owner_of(request), job))
