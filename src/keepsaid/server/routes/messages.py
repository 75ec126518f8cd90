"""Routes for messages: add, read, change, edit."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from keepsaid.server.idempotency import id_from_key
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.base import Name
from keepsaid.server.schemas.messages import (
    MessageChanges,
    MessageEdit,
    MessagePage,
    MessageResponse,
    NewMessage,
    NewMessages,
    message_parts_of,
)
from keepsaid.types import Message, MessageAddition

router = APIRouter(prefix="/v1/sessions/{session}/messages", tags=["messages"], responses=PROBLEMS)


@router.post("", status_code=201, response_model=MessageResponse)
async def add_message(request: Request, session: str, body: NewMessage, pool: Name | None = None) -> Response:
    """Save a message. It is on disk when the response arrives."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    state.note_owner(owner)
    saved = await state.message_batcher.add(MessageAddition(owner, session, body.draft(id_from_key(request)), pool))
    return reply(MessageResponse, saved, 201)


@router.post("/batch", status_code=201, response_model=MessagePage)
async def add_messages(request: Request, session: str, body: NewMessages, pool: Name | None = None) -> Response:
    """Save several messages, all or none."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    drafts = [message.draft(id_from_key(request, str(place))) for place, message in enumerate(body.messages)]

    def add() -> list[Message]:
        return state.memory.chat(owner=owner, session=session, pool=pool).add_many(drafts, after=body.after)

    return reply(MessagePage, {"items": await state.run(add), "next": None}, 201)


@router.get("", response_model=MessagePage)
async def list_messages(
    request: Request,
    session: str,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
    order: Literal["asc", "desc"] = "asc",
    around: Annotated[Name | None, Query(description="A message: list those before and after it, oldest first.")] = None,
    pool: Name | None = None,
) -> Response:
    """List the messages of the active path by page."""
    state, owner = state_of(request), owner_of(request)

    def read() -> dict[str, object]:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        if around is not None:
            found = chat.around(around, limit=limit)
            return {"items": found.items, "next": found.newer, "previous": found.older}
        page = chat.page(limit=limit, cursor=cursor, newest_first=order == "desc")
        return {"items": page.items, "next": page.next}

    return reply(MessagePage, await state.run(read))


@router.get("/{message}", response_model=MessageResponse)
async def get_message(request: Request, session: str, message: str, pool: Name | None = None) -> Response:
    """Return one message, on any branch."""
    state, owner = state_of(request), owner_of(request)
    return reply(
        MessageResponse,
        await state.run(lambda: state.memory.chat(owner=owner, session=session, pool=pool).message(message)),
    )


@router.patch("/{message}", response_model=MessageResponse)
async def change_message(
    request: Request, session: str, message: str, body: MessageChanges, pool: Name | None = None
) -> Response:
    """Pin a message, set its importance, or exclude it from memory outside its conversation."""
    state, owner = state_of(request), owner_of(request)

    def change() -> Message:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        if body.pinned is not None:
            chat.pin(message, body.pinned)
        if body.importance is not None:
            chat.rate(message, body.importance)
        if body.private is not None:
            chat.keep_private(message, body.private)
        return chat.message(message)

    return reply(MessageResponse, await state.run(change))


@router.post("/{message}/edit", status_code=201, response_model=MessageResponse)
async def edit_message(
    request: Request, session: str, message: str, body: MessageEdit, pool: Name | None = None
) -> Response:
    """Replace a message with an edited one. The old message and its successors stay on their own branch."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    id = id_from_key(request)

    def edit() -> Message:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        return chat.edit(message, message_parts_of(body.content), id=id)

    return reply(MessageResponse, await state.run(edit), 201)
