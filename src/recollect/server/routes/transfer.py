"""In and out: export and import of all that an owner has."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO, cast

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
AHEAD = 16
"""Pieces of an export that may wait for a slow reader."""
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

    return StreamingResponse(_pieces(write), headers=headers, media_type=kind)


async def _pieces(write: Callable[[TextIO], None]) -> AsyncIterator[bytes]:
    """What a writer writes, while it writes. It waits for a slow reader, and gives up when the reader is gone."""
    pipe = _Pipe(asyncio.get_running_loop())
    threading.Thread(target=pipe.fill, args=(write,), name="recollect-export", daemon=True).start()
    try:
        while (piece := await pipe.next()) is not None:
            yield piece
    finally:
        pipe.leave()


class _Pipe:
    """A file that one thread writes and an event loop reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pieces: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._left = threading.Event()
        self._waiting: list[str] = []
        self._size = 0

    def write(self, text: str) -> int:
        self._waiting.append(text)
        self._size += len(text)
        if self._size >= PIECE:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._waiting:
            piece = "".join(self._waiting).encode("utf-8", "surrogatepass")
            self._waiting, self._size = [], 0
            self._hand_over(piece)

    def fill(self, write: Callable[[TextIO], None]) -> None:
        """Writes everything, in a thread."""
        try:
            write(cast(TextIO, self))
            self.flush()
            self._hand_over(None)
        except BrokenPipeError:
            pass
        except Exception as error:
            self._hand_over(error)

    def _hand_over(self, piece: bytes | Exception | None) -> None:
        while not self._room.acquire(timeout=1):
            if self._left.is_set():
                raise BrokenPipeError
        if self._left.is_set():
            raise BrokenPipeError
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    async def next(self) -> bytes | None:
        """The next piece; None at the end. An error breaks the answer off, so that half a file cannot pass for one."""
        piece = await self._pieces.get()
        self._room.release()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def leave(self) -> None:
        """Nobody reads any more."""
        self._left.set()


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
    path = await _received(request)
    job = desk.jobs.begin(owner, "preview" if dry_run else "import", path.stat().st_size)

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


async def _received(request: Request) -> Path:
    """The body, in a file of its own: it may be larger than memory."""
    with tempfile.NamedTemporaryFile(prefix="recollect-import-", delete=False) as file:
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
    return reply(JobShape, desk_of(request).jobs.of(owner_of(request), job))
