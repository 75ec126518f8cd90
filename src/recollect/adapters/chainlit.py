"""Chainlit: a data layer that keeps threads in Recollect.

    @cl.data_layer
    def data_layer():
        return RecollectDataLayer(memory, owner="website")

A thread is a conversation of the owner that the user's identifier names, and has the thread's id; one without a user belongs
to the owner that the layer is given.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast
from uuid import uuid4
from weakref import WeakValueDictionary

from recollect.adapters.common import missing, settled

try:
    from chainlit.context import ChainlitContextException, get_context
    from chainlit.data.base import BaseDataLayer
    from chainlit.data.utils import queue_until_user_message
    from chainlit.types import Feedback, PageInfo, PaginatedResponse, Pagination, ThreadDict, ThreadFilter
    from chainlit.user import PersistedUser, User
except ImportError:
    raise missing("Chainlit", "chainlit") from None

from recollect.adapters.chainlit_messages import written
from recollect.adapters.chainlit_threads import Actor, Threads
from recollect.kit import system_clock

if TYPE_CHECKING:
    from chainlit.data.storage_clients.base import BaseStorageClient
    from chainlit.element import Element, ElementDict
    from chainlit.step import StepDict

    from recollect.memory import Memory

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

USER = "chainlit/user"
"""The blob that has what Chainlit knows of a user, in the user's own drawer."""

PLATFORMS = ("slack", "discord", "teams")
"""Clients where others say who may write in a thread: several people may, and Chainlit tells at the end whose it is."""

log = logging.getLogger(__name__)


class RecollectDataLayer(BaseDataLayer):
    """Keeps users, threads, steps, elements and feedback. Files go to a `storage` client of Chainlit's, if there is one; of
    others only the name and type are kept.

    Chainlit does not wait for what it saves. All that concerns a thread is done in the order in which it was asked for.

    Chainlit asks `get_thread_author` before it shows, renames, shares or deletes a thread, or shows an element. It does not
    before it saves something: that is refused here (`NotFound`), where the user of the running session is not the thread's.
    """

    def __init__(self, memory: Memory, *, owner: str, storage: BaseStorageClient | None = None) -> None:
        self._memory = memory
        self._storage = storage
        self._threads = Threads(memory, owner)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # -- users

    async def get_user(self, identifier: str) -> PersistedUser | None:
        """A user who was here before."""
        return await asyncio.to_thread(self._user, identifier)

    async def create_user(self, user: User) -> PersistedUser | None:
        """A new user, or what is new about a known one. He cannot be called as the layer's owner is."""
        return await settled(self._save_user, user)

    async def erase_user(self, identifier: str) -> None:
        """Removes a user and everything of his for good. Chainlit never asks for this; an application may have to."""
        await self._drop_files(await settled(self._threads.erase_user, identifier))

    # -- threads

    async def get_thread_author(self, thread_id: str) -> str:
        """The identifier of whose a thread is; empty if there is no such thread, or it has no user."""
        return await asyncio.to_thread(self._threads.author, thread_id)

    async def get_thread(self, thread_id: str) -> ThreadDict | None:
        """A thread with its steps and elements."""
        found = await self._in_turn(thread_id, self._threads.thread, thread_id)
        if found is not None:
            found["elements"] = [await self._readable(element) for element in found["elements"]]
        return cast("ThreadDict | None", found)

    async def list_threads(self, pagination: Pagination, filters: ThreadFilter) -> PaginatedResponse[ThreadDict]:
        """The threads of a user, newest activity first: also conversations that came in by other doors. Without a user,
        those that belong to nobody. They are searched by title and by what was said."""
        threads, cursor = await asyncio.to_thread(
            self._threads.list, filters.userId, filters.search, filters.feedback, pagination.first, pagination.cursor
        )
        info = PageInfo(hasNextPage=cursor is not None, startCursor=pagination.cursor, endCursor=cursor)
        return PaginatedResponse(pageInfo=info, data=cast("list[ThreadDict]", threads))

    async def update_thread(
        self,
        thread_id: str,
        name: str | None = None,
        user_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        tags: list[str] | None = None,
    ) -> None:
        """Changes what is given; a thread that is not there is made. One of nobody becomes the user's; one that is another
        user's stays his, and is `NotFound`."""
        await self._in_turn(thread_id, self._threads.update, thread_id, name, user_id, metadata, tags, _actor())

    async def delete_thread(self, thread_id: str) -> None:
        """Removes a thread for good, with its files."""
        await self._drop_files(await self._in_turn(thread_id, self._threads.erase, thread_id))

    # -- steps

    @queue_until_user_message()
    async def create_step(self, step_dict: StepDict) -> None:
        """Keeps a step."""
        await self._save(cast("dict[str, Any]", step_dict), new=True)

    @queue_until_user_message()
    async def update_step(self, step_dict: StepDict) -> None:
        """Keeps what has changed of a step. Other words take the place of what it said before."""
        await self._save(cast("dict[str, Any]", step_dict), new=False)

    @queue_until_user_message()
    async def delete_step(self, step_id: str) -> None:
        """Removes a step for good, with its elements and feedback."""
        actor = _actor()
        await self._drop_files(await self._in_turn(actor.thread or "", self._threads.erase_step, step_id, actor))

    async def _save(self, step: dict[str, Any], *, new: bool) -> None:
        await self._in_turn(step["threadId"], self._threads.save_step, dict(step), _actor(), new=new)

    async def get_favorite_steps(self, user_id: str) -> list[StepDict]:
        """The steps that a user marked as favorites, newest first."""
        return cast("list[StepDict]", await asyncio.to_thread(self._threads.favorites, user_id))

    # -- elements

    @queue_until_user_message()
    async def create_element(self, element: Element) -> None:
        """Keeps an element, and its file in the storage. It becomes part of what its step says."""
        if not element.for_id:
            return
        actor = _actor()
        async with self._turn(element.thread_id):
            await asyncio.to_thread(self._threads.admit, element.thread_id, actor)
            # What is said next waits for the file: otherwise the step with it would be said behind that.
            kept = await self._stored(element)
            await settled(self._threads.save_element, kept, actor)

    async def get_element(self, thread_id: str, element_id: str) -> ElementDict | None:
        """An element of a thread."""
        found = await self._in_turn(thread_id, self._threads.element, thread_id, element_id)
        return None if found is None else cast("ElementDict", await self._readable(found))

    @queue_until_user_message()
    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None:
        """Removes an element for good, with its file."""
        actor = _actor()
        turn = thread_id or actor.thread or ""
        await self._drop_files(await self._in_turn(turn, self._threads.erase_element, element_id, thread_id, actor))

    # -- feedback

    async def upsert_feedback(self, feedback: Feedback) -> str:
        """Keeps what a user thinks of a step; returns its id. Chainlit does not tell who he is."""
        id, thread_id, given = feedback.id or str(uuid4()), feedback.threadId, (feedback.value, feedback.comment)
        await self._in_turn(thread_id or "", self._threads.save_feedback, id, feedback.forId, thread_id, *given, _actor())
        return id

    async def delete_feedback(self, feedback_id: str) -> bool:
        """Removes it for good. Whether it was there."""
        return await settled(self._threads.erase_feedback, feedback_id, _actor())

    # -- the rest

    async def build_debug_url(self) -> str:
        """There is none."""
        return ""

    async def close(self) -> None:
        """Closes the storage client. The memory is closed by who opened it."""
        if self._storage is not None:
            await self._storage.close()

    def _user(self, identifier: str) -> PersistedUser | None:
        blob = self._memory.drawer(owner=identifier).get(USER).get(USER)
        if blob is None:
            return None
        return PersistedUser(**json.loads(blob.content), id=self._threads.register.enrol(identifier), identifier=identifier)

    def _save_user(self, user: User) -> PersistedUser | None:
        self._threads.register.enrol(user.identifier)
        known = self._user(user.identifier)
        kept: dict[str, Any] = {
            "createdAt": written(system_clock()) if known is None else known.createdAt,
            "display_name": user.display_name or (known and known.display_name),
            "metadata": cast(Any, user).metadata,
        }
        self._memory.drawer(owner=user.identifier).put({USER: json.dumps(kept).encode()})
        return self._user(user.identifier)

    def _turn(self, thread_id: str) -> asyncio.Lock:
        """Who waits for it is let in in the order of coming."""
        return self._turns.setdefault(thread_id, asyncio.Lock())

    async def _in_turn(
        self, thread_id: str, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        async with self._turn(thread_id):
            return await settled(partial(verb, *args, **kwargs))

    async def _stored(self, element: Element) -> dict[str, Any]:
        """What is kept of an element, once its file is in the storage."""
        kept = cast("dict[str, Any]", element.to_dict())
        # A custom element has no file: its content is its props.
        if self._storage is None or element.type == "custom" or not (element.path or element.content):
            return kept
        content = element.content or await asyncio.to_thread(Path(str(element.path)).read_bytes)
        mime = element.mime or "application/octet-stream"
        key = f"threads/{element.thread_id}/files/{element.id}"
        uploaded = await self._storage.upload_file(object_key=key, data=content, mime=mime)
        return {**kept, "objectKey": uploaded.get("object_key") or key, "url": uploaded.get("url") or kept["url"]}

    async def _readable(self, element: dict[str, Any]) -> dict[str, Any]:
        """An element with an address from which its file can be read now."""
        if self._storage is None or not element.get("objectKey"):
            return element
        try:
            return {**element, "url": await self._storage.get_read_url(object_key=element["objectKey"])}
        except Exception as error:  # the thread can be shown without it
            log.warning("no address for the file %s: %s", element["objectKey"], error)
            return element

    async def _drop_files(self, keys: list[str]) -> None:
        if self._storage is not None:
            for key in keys:
                await self._storage.delete_file(object_key=key)


def _actor() -> Actor:
    """Whom Chainlit works for at the moment. The first step of a thread comes before it says whose that is."""
    try:
        session = get_context().session
    except ChainlitContextException:
        return Actor()
    if session.user is None or session.client_type in PLATFORMS:
        return Actor(None, session.thread_id)
    return Actor(session.user.identifier, session.thread_id)
