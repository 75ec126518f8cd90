"""Routes for documents: ingest, list, read, remove."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from keepsaid.errors import InvalidInput
from keepsaid.server.problems import UNREADABLE, RequestRefusal
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.base import Name
from keepsaid.server.schemas.erasure import EraseResponse
from keepsaid.server.schemas.memories import ChunkPage, DocumentList, DocumentResponse

router = APIRouter(prefix="/v1/documents", tags=["documents"], responses=PROBLEMS)
FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
    }
}
UNKNOWN_TYPES = ("application/octet-stream", "")


@router.get("", response_model=DocumentList)
async def list_documents(request: Request, session: Name | None = None) -> Response:
    """List the owner's documents and, with `session`, those of that conversation."""
    state = state_of(request)
    return reply(DocumentList, {"items": await state.run(state.memory.documents, owner=owner_of(request), session=session)})


@router.post("", status_code=201, response_model=DocumentResponse, openapi_extra=FILE_BODY)
async def ingest(request: Request, name: Name, session: Name | None = None) -> Response:
    """Ingest a file (text, Markdown, HTML, PDF), so that its chunks can be found. A file of the same name is replaced."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    state.check_queue()
    content = await request.body()
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    kind = None if content_type in UNKNOWN_TYPES else content_type
    try:
        document = await state.run_job(
            state.memory.ingest, name, owner=owner, session=session, media_type=kind, content=content,
            quota=state.quotas.quota_check_for(owner),
        )  # fmt: skip
    except InvalidInput as error:
        raise RequestRefusal(UNREADABLE, str(error)) from None
    return reply(DocumentResponse, document, 201)


@router.get("/{document}/chunks", response_model=ChunkPage)
async def list_chunks(
    request: Request,
    document: str,
    session: Name | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
) -> Response:
    """List the chunks of a document, in order."""
    state, owner = state_of(request), owner_of(request)
    found = await state.run(state.memory.chunks, document, owner=owner, session=session, limit=limit, cursor=cursor)
    items = [
        {"id": one.id, "text": one.text, "tokens": one.tokens, "place": str(one.metadata.get("place", ""))} for one in found
    ]
    return reply(ChunkPage, {"items": items, "next": found.next})


@router.delete("/{document}", response_model=EraseResponse)
async def remove_document(request: Request, document: str, session: Name | None = None) -> Response:
    """Erase a document with all its versions permanently."""
    state, owner = state_of(request), owner_of(request)

    receipt = await state.run_erasure(state.memory.remove_document, document, owner=owner, session=session)
    await state.invalidate_owner(owner)
    return reply(EraseResponse, receipt)
