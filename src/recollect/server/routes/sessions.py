"""Sessions: made, listed, changed, moved, branched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from recollect.chat import Chat
from recollect.server.idempotency import id_from_key
from recollect.server.requests import PROBLEMS, desk_of, etag, expected_revision, owner_of, reply
from recollect.server.shapes.basis import Moment, Name
from recollect.server.shapes.sessions import (
    Alternatives,
    ForkOrder,
    NewSession,
    NewTemporarySession,
    SessionChanges,
    SessionPage,
    SessionShape,
    SwitchOrder,
    Versions,
)
from recollect.types import Session

router = APIRouter(prefix="/v1/sessions", tags=["sessions"], responses=PROBLEMS)
OneOf = Annotated[
    str,
    Header(alias="If-Match", pattern=r'^(\*|"?[0-9]{1,18}"?)$', description="The ETag of the session as it was read."),
]
TAGGED = {"headers": {"ETag": {"schema": {"type": "string"}, "description": "The session's revision."}}}


def told(session: Session, status: int = 200) -> Response:
    """A session with its ETag."""
    headers = {"ETag": etag(session.revision)}
    if status == 201:
        headers["Location"] = f"/v1/sessions/{quote(session.id, safe='')}"
    return reply(SessionShape, session, status, headers)


@router.get("", response_model=SessionPage)
async def list_sessions(
    request: Request,
    status: Literal["active", "archived", "deleted"] | None = None,
    tag: Name | None = None,
    pinned: bool | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    pool: Name | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    cursor: Annotated[str | None, Field(min_length=1)] = None,
) -> Response:
    """Newest activity first: active and archived ones, or those of one status."""
    desk = desk_of(request)
    page = await desk.run(
        desk.memory.sessions, owner=owner_of(request), status=status, tag=tag, pinned=pinned, since=since, until=until,
        pool=pool, limit=limit, cursor=cursor,
    )  # fmt: skip
    return reply(SessionPage, page)


@router.post("", status_code=201, response_model=SessionShape)
async def create_session(request: Request, body: NewSession | NewTemporarySession) -> Response:
    """Makes a session. One with this id that is there already comes back as it is."""
    desk, owner = desk_of(request), owner_of(request)
    desk.check_home(temporary=body.temporary)

    def make() -> Session:
        return desk.memory.chat(
            owner=owner, session=body.id or id_from_key(request), create=True, pool=body.pool, temporary=body.temporary,
            title=body.title, system_prompt=body.system_prompt, tags=body.tags, metadata=body.metadata,
        ).info()  # fmt: skip

    return told(await desk.run(make), 201)


@router.get("/{session}", response_model=SessionShape, responses={200: TAGGED})
async def get_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """One session. Its ETag is its revision."""
    desk, owner = desk_of(request), owner_of(request)
    return told(await desk.run(lambda: desk.memory.chat(owner=owner, session=session, pool=pool).info()))


@router.patch("/{session}", response_model=SessionShape)
async def change_session(
    request: Request, session: str, body: SessionChanges, if_match: OneOf = "*", pool: Name | None = None
) -> Response:
    """Changes what is given. With If-Match, only if nobody has changed it in between (412)."""
    desk, owner = desk_of(request), owner_of(request)
    revision = expected_revision(if_match)

    def change() -> Session:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        return chat.update(
            title=body.title, tags=body.tags, metadata=body.metadata, system_prompt=body.system_prompt, pinned=body.pinned,
            expected_revision=revision,
        )  # fmt: skip

    return told(await desk.run(change))


@router.delete("/{session}", response_model=SessionShape)
async def delete_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Deletes it; until retention purges it, it can be restored. `/v1/erase` removes for good."""
    desk, owner = desk_of(request), owner_of(request)
    return told(await desk.run(lambda: desk.memory.chat(owner=owner, session=session, pool=pool).delete()))


@router.post("/{session}/restore", response_model=SessionShape)
async def restore_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Brings a deleted session back."""
    desk, owner = desk_of(request), owner_of(request)
    return told(await desk.run(lambda: desk.memory.restore(owner=owner, session=session, pool=pool).info()))


@router.post("/{session}/archive", response_model=SessionShape)
async def archive_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Puts it away: it can be read and searched, but not added to."""
    return await _moved(request, session, pool, Chat.archive)


@router.post("/{session}/unarchive", response_model=SessionShape)
async def unarchive_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Takes it up again."""
    return await _moved(request, session, pool, Chat.unarchive)


@router.post("/{session}/pop", response_model=SessionShape)
async def pop_message(request: Request, session: str, pool: Name | None = None) -> Response:
    """Takes the last message off. `switch` brings it back."""
    return await _moved(request, session, pool, Chat.pop)


@router.post("/{session}/clear", response_model=SessionShape)
async def clear_session(request: Request, session: str, pool: Name | None = None) -> Response:
    """Empties it. `switch` brings its messages back, until retention takes the session."""
    return await _moved(request, session, pool, Chat.clear)


async def _moved(request: Request, session: str, pool: str | None, move: Callable[[Chat], object]) -> Response:
    desk, owner = desk_of(request), owner_of(request)

    def moved() -> Session:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        move(chat)
        return chat.info()

    return told(await desk.run(moved))


@router.post("/{session}/fork", status_code=201, response_model=SessionShape)
async def fork_session(request: Request, session: str, body: ForkOrder, pool: Name | None = None) -> Response:
    """A new session that begins as this one. Nothing is copied."""
    desk, owner = desk_of(request), owner_of(request)
    new = id_from_key(request)

    def fork() -> Session:
        chat = desk.memory.chat(owner=owner, session=session, pool=pool)
        return chat.fork(body.at, session=new, title=body.title).info()

    return told(await desk.run(fork), 201)


@router.post("/{session}/switch", response_model=SessionShape)
async def switch_branch(request: Request, session: str, body: SwitchOrder, pool: Name | None = None) -> Response:
    """Goes back, or over, to where a message was the last one; or onward to the newest end of its branch."""
    desk, owner = desk_of(request), owner_of(request)

    def switch() -> Session:
        return desk.memory.chat(owner=owner, session=session, pool=pool).switch(body.message, onward=body.onward)

    return told(await desk.run(switch))


@router.get("/{session}/alternatives", response_model=Alternatives)
async def list_alternatives(request: Request, session: str, pool: Name | None = None) -> Response:
    """The messages of the active path that were edited or answered again, with all their versions."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(lambda: desk.memory.chat(owner=owner, session=session, pool=pool).alternatives())
    items = [Versions(message=message, versions=list(versions)) for message, versions in found.items()]
    return reply(Alternatives, {"items": items})
