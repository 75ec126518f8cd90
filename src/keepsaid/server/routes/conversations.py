"""Routes for OpenAI's conversations: a conversation is a session of the owner, its items are the messages."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from keepsaid.interchange.formats.openai_items import drafts_of, items_of, new_id
from keepsaid.memory.chat import Chat
from keepsaid.server.idempotency import id_from_key
from keepsaid.server.openai.paging import find_item, read_items
from keepsaid.server.openai.schemas import (
    ConversationChanges,
    ConversationItemList,
    ConversationItemResponse,
    ConversationResponse,
    DeletedConversationResponse,
    NewConversation,
    NewItems,
    OpenAIErrorResponse,
    OpenAIItem,
)
from keepsaid.server.requests import owner_of, reply, state_of
from keepsaid.server.schemas.base import Name
from keepsaid.types import Session

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": OpenAIErrorResponse, "description": what}
    for status, what in (("4XX", "The request cannot be processed as it is"), ("5XX", "The server cannot process it now"))
}
router = APIRouter(prefix="/v1/conversations", tags=["openai"], responses=ERRORS)
Include = Annotated[list[str], Query(alias="include[]", description="Accepted but not needed: everything is included.")]


def conversation_response(session: Session) -> Response:
    """Return a session as a conversation."""
    fields = {"id": session.id, "created_at": session.created // 1_000_000, "metadata": dict(session.metadata)}
    return reply(ConversationResponse, fields)


def item_list_response(items: list[dict[str, Any]], more: bool) -> Response:
    """Return a list of items."""
    ends = (items[0]["id"], items[-1]["id"]) if items else (None, None)
    return reply(ConversationItemList, {"data": items, "first_id": ends[0], "last_id": ends[1], "has_more": more})


@router.post("", response_model=ConversationResponse)
async def create_conversation(request: Request, body: NewConversation | None = None) -> Response:
    """Create a conversation, with its first items."""
    state, owner = state_of(request), owner_of(request)
    options = body or NewConversation()
    key = id_from_key(request)
    drafts = drafts_of(_fields(options.items or []), lambda place: id_from_key(request, str(place)))
    await state.quotas.check(owner)

    def make() -> Session:
        id = new_id("conv") if key is None else f"conv_{key}"
        chat = state.memory.chat(owner=owner, session=id, create=True, metadata=options.metadata)
        chat.add_many(drafts)
        return chat.info()

    return conversation_response(await state.run(make))


@router.get("/{conversation}", response_model=ConversationResponse)
async def get_conversation(request: Request, conversation: str) -> Response:
    """Return a conversation: any session of the owner."""
    return conversation_response(await state_of(request).run(lambda: _chat(request, conversation).info()))


@router.post("/{conversation}", response_model=ConversationResponse)
async def update_conversation(request: Request, conversation: str, body: ConversationChanges) -> Response:
    """Replace the metadata of a conversation."""
    if body.metadata:
        await state_of(request).quotas.check(owner_of(request))
    return conversation_response(
        await state_of(request).run(lambda: _chat(request, conversation).update(metadata=body.metadata or {}))
    )


@router.delete("/{conversation}", response_model=DeletedConversationResponse)
async def delete_conversation(request: Request, conversation: str) -> Response:
    """Delete a conversation. `/v1/sessions/{id}/restore` restores it until retention purges it; `/v1/erase` is permanent."""
    return reply(
        DeletedConversationResponse, await state_of(request).run(lambda: {"id": _chat(request, conversation).delete().id})
    )


@router.post("/{conversation}/items", response_model=ConversationItemList)
async def create_items(request: Request, conversation: str, body: NewItems, include: Include = []) -> Response:  # noqa: B006
    """Append items, all or none."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    drafts = drafts_of(_fields(body.items), lambda place: id_from_key(request, str(place)))
    added = await state.run(lambda: _chat(request, conversation).add_many(drafts))
    return item_list_response([item for message in added for item in items_of(message)], False)


@router.get("/{conversation}/items", response_model=ConversationItemList)
async def list_items(
    request: Request,
    conversation: str,
    after: Annotated[Name | None, Query(description="The item after which the page begins.")] = None,
    limit: Annotated[int, Query(ge=0, le=100)] = 20,
    order: Literal["asc", "desc"] = "desc",
    include: Include = [],  # noqa: B006
) -> Response:
    """List the items of the active path, newest first, by page."""
    items, more = await state_of(request).run(
        lambda: read_items(_chat(request, conversation), after, limit, order == "desc")
    )
    return item_list_response(items, more)


@router.get("/{conversation}/items/{item}", response_model=ConversationItemResponse)
async def get_item(request: Request, conversation: str, item: str, include: Include = []) -> Response:  # noqa: B006
    """Return one item, on any branch."""
    return reply(
        ConversationItemResponse, await state_of(request).run(lambda: find_item(_chat(request, conversation), item).item)
    )


@router.delete("/{conversation}/items/{item}", response_model=ConversationResponse)
async def delete_item(request: Request, conversation: str, item: str) -> Response:
    """Erase an item permanently, with everything derived from it. All items of its message (a text and the tool calls with
    it) are erased together."""
    state, owner = state_of(request), owner_of(request)

    def erase() -> Session:
        chat = _chat(request, conversation)
        chat.erase(find_item(chat, item).message.id)
        return chat.info()

    remaining = await state.run_erasure(erase)
    await state.invalidate_owner(owner)
    return conversation_response(remaining)


def _chat(request: Request, conversation: str) -> Chat:
    return state_of(request).memory.chat(owner=owner_of(request), session=conversation)


def _fields(items: list[OpenAIItem]) -> list[dict[str, Any]]:
    return [item.model_dump(exclude_unset=True) for item in items]
