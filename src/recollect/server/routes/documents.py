"""Documents: ingested, listed, looked into, removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from recollect.errors import InvalidInput
from recollect.server.problems import UNREADABLE, Refusal
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.shapes.basis import Name
from recollect.server.shapes.memories import ChunkPage, DocumentList, DocumentShape
from recollect.server.shapes.upkeep import EraseShape

router = APIRouter(prefix="/v1/documents", tags=["documents"], responses=PROBLEMS)
FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
    }
}
UNTOLD = ("application/octet-stream", "")


@router.get("", response_model=DocumentList)
async def list_documents(request: Request, session: Name | None = None) -> Response:
    """The owner's documents and, with `session`, those of that conversation."""
    desk = desk_of(request)
    return reply(DocumentList, {"items": await desk.run(desk.memory.documents, owner=owner_of(request), session=session)})


@router.post("", status_code=201, response_model=DocumentShape, openapi_extra=FILE)
async def ingest(request: Request, name: Name, session: Name | None = None) -> Response:
    """Reads a file (text, Markdown, HTML, PDF), so that its pieces can be found. One of the same name is replaced."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    content = await request.body()
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    kind = None if said in UNTOLD else said
    try:
        made = await desk.labour(desk.memory.ingest, name, owner=owner, session=session, media_type=kind, content=content)
    except InvalidInput as error:
        raise Refusal(UNREADABLE, str(error)) from None
    return reply(DocumentShape, made, 201)


@router.get("/{document}/chunks", response_model=ChunkPage)
async def list_chunks(
    request: Request,
    document: str,
    session: Name | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
) -> Response:
    """The pieces that a document was cut into, in order."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(desk.memory.chunks, document, owner=owner, session=session, limit=limit, cursor=cursor)
    items = [
        {"id": one.id, "text": one.text, "tokens": one.tokens, "place": str(one.metadata.get("place", ""))} for one in found
    ]
    return reply(ChunkPage, {"items": items, "next": found.next})


@router.delete("/{document}", response_model=EraseShape)
async def remove_document(request: Request, document: str, session: Name | None = None) -> Response:
    """Removes a document with all its versions for good."""
    desk, owner = desk_of(request), owner_of(request)

    receipt = await desk.run(desk.memory.remove_document, document, owner=owner, session=session)
    await desk.forget(owner)
    return reply(EraseShape, receipt)
