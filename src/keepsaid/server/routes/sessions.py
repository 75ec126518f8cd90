"""Routes for sessions: create, list, change, archive, branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from keepsaid.memory.chat import Chat
from keepsaid.server.idempotency import id_from_key
from keepsaid.server.requests import PROBLEMS, etag, expected_revision, owner_of, reply, state_of
from keepsaid.server.schemas.base import Name, Timestamp
from keepsaid.server.schemas.sessions import (
    ForkRequest,
    MessageVersionList,
    MessageVersions,
    NewSession,
    NewTemporarySession,
    SessionChanges,
    SessionPage,
    SessionResponse,
    SwitchRequest,
)
from keepsaid.types import Session

router = APIRouter(prefix="/v1/sessions", tags=["sessions"], responses=PROBLEMS)
IfMatch = Annotated[
    str,
    Header(alias="If-Match", pattern=r'^(\*|"?[0-9]{1,18}"?)$', description="The ETag of the session when it was read."),
]
ETAG_HEADER = {"headers": {"ETag": {"schema": {"type": "string"}, "description": "The session's revision."}}}


def session_response(session: Session, status: int = 200) -> Response:
    """Return a session with its ETag."""
    headers = {"ETag": etag(session.revision)}
    if status == 201:
        headers["Location"] = f"/v1/sessions/{quote(session.id, safe='')}"
    return reply(SessionResponse, session, status, headers)


@router.get("", response_model=SessionPage)
async def list_sessions(
    request: Request,
    status: Literal["active", "archived", "deleted"] | None = None,
    tag: Name | None = None,
    pinned: bool | None = None,
    since: Timestamp | None = None,
    until: Timestamp | None = None,
    pool: Name | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
) -> Response:
    """List sessions, newest activity first: active and archived ones, or those of one status."""
    state = state_of(request)
    page = await state.run(
        state.memory.sessions, owner=owner_of(request), status=status, tag=tag, pinned=pinned, since=since, until=until,
        pool=pool, limit=limit, cursor=cursor,
    )  # fmt: skip
    return reply(SessionPage, page)


@router.post("", status_code=201, response_model=SessionResponse)
async def create_session(request: Request, body: NewSession | NewTemporarySession) -> Response:
    """Create a session. An existing one with this id is returned unchanged."""
    state, owner = state_of(request), owner_of(request)
    state.check_temporary(temporary=body.temporary)
    await state.quotas.check(owner)

    def make() -> Session:
        return state.memory.chat(
            owner=owner, session=body.id or id_from_key(request), create=True, pool=body.pool, temporary=body.temporary,
            title=body.title, system_prompt=body.system_prompt, tags=body.tags, metadata=body.metadata,
        ).info()  # fmt: skip

    return session_response(await state.run(make), 201)


@router.get("/{session}", response_model=SessionResponse, responses={200: ETAG_HEADER})
async def get_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Return one session. Its ETag is its revision."""
    state, owner = state_of(request), owner_of(request)
    return session_response(await state.run(lambda: state.memory.chat(owner=owner, session=session, pool=pool).info()))


@router.patch("/{session}", response_model=SessionResponse)
async def change_session(
    request: Request, session: str, body: SessionChanges, if_match: IfMatch = "*", pool: Name | None = None
) -> Response:
    """Change the given fields. With If-Match, only if the session is unchanged since it was read (otherwise 412)."""
    state, owner = state_of(request), owner_of(request)
    revision = expected_revision(if_match)
    if any((body.title, body.tags, body.metadata, body.system_prompt)):
        await state.quotas.check(owner)

    def change() -> Session:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        return chat.update(
            title=body.title, tags=body.tags, metadata=body.metadata, system_prompt=body.system_prompt, pinned=body.pinned,
            expected_revision=revision,
        )  # fmt: skip

    return session_response(await state.run(change))


@router.delete("/{session}", response_model=SessionResponse)
async def delete_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Delete a session. It can be restored until retention purges it; `/v1/erase` is permanent."""
    state, owner = state_of(request), owner_of(request)
    return session_response(await state.run(lambda: state.memory.chat(owner=owner, session=session, pool=pool).delete()))


@router.post("/{session}/restore", response_model=SessionResponse)
async def restore_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Restore a deleted session."""
    state, owner = state_of(request), owner_of(request)
    return session_response(await state.run(lambda: state.memory.restore(owner=owner, session=session, pool=pool).info()))


@router.post("/{session}/archive", response_model=SessionResponse)
async def archive_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Archive a session: it can be read and searched, but not added to."""
    return await _change(request, session, pool, Chat.archive)


@router.post("/{session}/unarchive", response_model=SessionResponse)
async def unarchive_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Make an archived session active again."""
    return await _change(request, session, pool, Chat.unarchive)


@router.post("/{session}/pop", response_model=SessionResponse)
async def pop_message(request: Request, session: str, pool: Name | None = None) -> Response:
    """Remove the last message from the active path. `switch` restores it."""
    return await _change(request, session, pool, Chat.pop)


@router.post("/{session}/clear", response_model=SessionResponse)
async def clear_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Clear the active path. `switch` restores its messages, until retention purges the session."""
    return await _change(request, session, pool, Chat.clear)


async def _change(request: Request, session: str, pool: str | None, change: Callable[[Chat], object]) -> Response:
    state, owner = state_of(request), owner_of(request)

    def apply() -> Session:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        change(chat)
        return chat.info()

    return session_response(await state.run(apply))


@router.post("/{session}/fork", status_code=201, response_model=SessionResponse)
async def fork_session(request: Request, session: str, body: ForkRequest, pool: Name | None = None) -> Response:
    """Fork a session: create a new one with the same beginning. Nothing is copied."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    new = id_from_key(request)

    def fork() -> Session:
        chat = state.memory.chat(owner=owner, session=session, pool=pool)
        return chat.fork(body.at, session=new, title=body.title).info()

    return session_response(await state.run(fork), 201)


@router.post("/{session}/switch", response_model=SessionResponse)
async def switch_branch(request: Request, session: str, body: SwitchRequest, pool: Name | None = None) -> Response:
    """Make a message the last one of the active path, or with `onward` switch to the newest end of its branch."""
    state, owner = state_of(request), owner_of(request)

    def switch() -> Session:
        return state.memory.chat(owner=owner, session=session, pool=pool).switch(body.message, onward=body.onward)

    return session_response(await state.run(switch))


@router.get("/{session}/alternatives", response_model=MessageVersionList)
async def list_alternatives(request: Request, session: str, pool: Name | None = None) -> Response:
    """List the messages of the active path that were edited or regenerated, with all their versions."""
    state, owner = state_of(request), owner_of(request)
    found = await state.run(lambda: state.memory.chat(owner=owner, session=session, pool=pool).alternatives())
    items = [MessageVersions(message=message, versions=list(versions)) for message, versions in found.items()]
    return reply(MessageVersionList, {"items": items})
