"""OpenAI's conversations: a conversation is one of the owner's sessions, its items are its messages."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from recollect.chat import Chat
from recollect.interchange.openai_items import drafts_of, items_of, new_id
from recollect.server.idempotency import id_from_key
from recollect.server.openai.paging import found, page
from recollect.server.openai.shapes import (
    ConversationChanges,
    ConversationShape,
    DeletedShape,
    ErrorShape,
    Item,
    ItemList,
    ItemShape,
    NewConversation,
    NewItems,
)
from recollect.server.requests import desk_of, owner_of, reply
from recollect.server.shapes.basis import Name
from recollect.types import Session

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorShape, "description": what}
    for status, what in (("4XX", "The request cannot be done as it is"), ("5XX", "The server cannot do it now"))
}
router = APIRouter(prefix="/v1/conversations", tags=["openai"], responses=ERRORS)
Include = Annotated[list[str], Query(alias="include[]", description="Taken, and not needed: everything is included.")]


def told(session: Session) -> Response:
    """A session as a conversation."""
    fields = {"id": session.id, "created_at": session.created // 1_000_000, "metadata": dict(session.metadata)}
    return reply(ConversationShape, fields)


def listed(items: list[dict[str, Any]], more: bool) -> Response:
    """A list of items."""
    ends = (items[0]["id"], items[-1]["id"]) if items else (None, None)
    return reply(ItemList, {"data": items, "first_id": ends[0], "last_id": ends[1], "has_more": more})


@router.post("", response_model=ConversationShape)
async def create_conversation(request: Request, body: NewConversation | None = None) -> Response:
    """Makes a conversation, with what was said in it so far."""
    desk, owner = desk_of(request), owner_of(request)
    order = body or NewConversation()
    key = id_from_key(request)
    drafts = drafts_of(_fields(order.items or []), lambda place: id_from_key(request, str(place)))
    if drafts:
        await desk.quotas.check(owner)

    def make() -> Session:
        id = new_id("conv") if key is None else f"conv_{key}"
        chat = desk.memory.chat(owner=owner, session=id, create=True, metadata=order.metadata)
        chat.add_many(drafts)
        return chat.info()

    return told(await desk.run(make))


@router.get("/{conversation}", response_model=ConversationShape)
async def get_conversation(request: Request, conversation: str) -> Response:
    """One conversation: any session of the owner."""
    return told(await desk_of(request).run(lambda: _chat(request, conversation).info()))


@router.post("/{conversation}", response_model=ConversationShape)
async def update_conversation(request: Request, conversation: str, body: ConversationChanges) -> Response:
    """Marks a conversation; what it was marked with before goes."""
    return told(await desk_of(request).run(lambda: _chat(request, conversation).update(metadata=body.metadata or {})))


@router.delete("/{conversation}", response_model=DeletedShape)
async def delete_conversation(request: Request, conversation: str) -> Response:
    """Deletes it; until retention purges it, `/v1/sessions/{id}/restore` brings it back. `/v1/erase` removes for good."""
    return reply(DeletedShape, await desk_of(request).run(lambda: {"id": _chat(request, conversation).delete().id}))


@router.post("/{conversation}/items", response_model=ItemList)
async def create_items(request: Request, conversation: str, body: NewItems, include: Include = []) -> Response:  # noqa: B006
    """Adds items at the end, all or none."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    drafts = drafts_of(_fields(body.items), lambda place: id_from_key(request, str(place)))
    added = await desk.run(lambda: _chat(request, conversation).add_many(drafts))
    return listed([item for message in added for item in items_of(message)], False)


@router.get("/{conversation}/items", response_model=ItemList)
async def list_items(
    request: Request,
    conversation: str,
    after: Annotated[Name | None, Query(description="The item behind which the page begins.")] = None,
    limit: Annotated[int, Query(ge=0, le=100)] = 20,
    order: Literal["asc", "desc"] = "desc",
    include: Include = [],  # noqa: B006
) -> Response:
    """The conversation as it is now, newest first, a page at a time."""
    items, more = await desk_of(request).run(lambda: page(_chat(request, conversation), after, limit, order == "desc"))
    return listed(items, more)


@router.get("/{conversation}/items/{item}", response_model=ItemShape)
async def get_item(request: Request, conversation: str, item: str, include: Include = []) -> Response:  # noqa: B006
    """One item, on whatever branch."""
    return reply(ItemShape, await desk_of(request).run(lambda: found(_chat(request, conversation), item).item))


@router.delete("/{conversation}/items/{item}", response_model=ConversationShape)
async def delete_item(request: Request, conversation: str, item: str) -> Response:
    """Removes an item for good, with all that was drawn from it. What was said in one message (a text and the calls that
    came with it) goes together."""
    desk, owner = desk_of(request), owner_of(request)

    def erase() -> Session:
        chat = _chat(request, conversation)
        chat.erase(found(chat, item).message.id)
        return chat.info()

    left = await desk.labour(erase)
    await desk.forget(owner)
    return told(left)


def _chat(request: Request, conversation: str) -> Chat:
    return desk_of(request).memory.chat(owner=owner_of(request), session=conversation)


def _fields(items: list[Item]) -> list[dict[str, Any]]:
    return [item.model_dump(exclude_unset=True) for item in items]
