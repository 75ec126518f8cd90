"""Messages: said, read, marked, edited."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from recollect.server.idempotency import id_from_key
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.shapes.basis import Name
from recollect.server.shapes.messages import (
    EditedMessage,
    MessageChanges,
    MessagePage,
    MessageShape,
    NewMessage,
    NewMessages,
    parts_of,
)
from recollect.types import Addition, Message

router = APIRouter(prefix="/v1/sessions/{session}/messages", tags=["messages"], responses=PROBLEMS)


@router.post("", status_code=201, response_model=MessageShape)
async def add_message(request: Request, session: str, body: NewMessage, pool: Name | None = None) -> Response:
    """Saves a message. When the answer comes, it is on the disk."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    saved = await desk.appends.add(Addition(owner, session, body.draft(id_from_key(request)), pool))
    return reply(MessageShape, saved, 201)


@router.post("/batch", status_code=201, response_model=MessagePage)
async def add_messages(request: Request, session: str, body: NewMessages, pool: Name | None = None) -> Response:
    """Saves several messages, all or none."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    drafts = [message.draft(id_from_key(request, str(place))) for place, message in enumerate(body.messages)]

    def add() -> list[Message]:
        return desk.memory.chat(owner=owner, session=session, pool=pool).add_many(drafts, after=body.after)

    return reply(MessagePage, {"items": await desk.run(add), "next": None}, 201)


@router.get("", response_model=MessagePage)
async def list_messages(
    request: Request,
    session: str,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
    order: Literal["asc", "desc"] = "asc",
    around: Annotated[Name | None, Query(description="A message: those before and after it, oldest first.")] = None,
    pool: Name | None = None,
) -> Response:
    """The conversation as it is now, a page at a time."""
    desk, owner = desk_of(request), owner_of(request)

    def read() -> dict[str, object]:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        if around is not None:
            found = chat.around(around, limit=limit)
            return {"items": found.items, "next": found.newer, "previous": found.older}
        page = chat.page(limit=limit, cursor=cursor, newest_first=order == "desc")
        return {"items": page.items, "next": page.next}

    return reply(MessagePage, await desk.run(read))


@router.get("/{message}", response_model=MessageShape)
async def get_message(request: Request, session: str, message: str, pool: Name | None = None) -> Response:
    """One message, on whatever branch."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(
        MessageShape,
        await desk.run(lambda: desk.memory.chat(owner=owner, session=session, pool=pool).message(message)),
    )


@router.patch("/{message}", response_model=MessageShape)
async def change_message(
    request: Request, session: str, message: str, body: MessageChanges, pool: Name | None = None
) -> Response:
    """Pins a message, says how much it matters, or keeps it out of every memory but its conversation's."""
    desk, owner = desk_of(request), owner_of(request)

    def change() -> Message:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        if body.pinned is not None:
            chat.pin(message, body.pinned)
        if body.importance is not None:
            chat.rate(message, body.importance)
        if body.private is not None:
            chat.keep_private(message, body.private)
        return chat.message(message)

    return reply(MessageShape, await desk.run(change))


@router.post("/{message}/edit", status_code=201, response_model=MessageShape)
async def edit_message(
    request: Request, session: str, message: str, body: EditedMessage, pool: Name | None = None
) -> Response:
    """Says a message differently. The old one and what followed it stay, on their own branch."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    id = id_from_key(request)

    def edit() -> Message:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        return chat.edit(message, parts_of(body.content), id=id)

    return reply(MessageShape, await desk.run(edit), 201)
