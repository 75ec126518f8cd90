"""Chainlit: a data layer that keeps threads in Keepsaid.

    @cl.data_layer
    def data_layer():
        return KeepsaidDataLayer(memory, owner="website")

A thread is a conversation with the same id, owned by the user's identifier. A thread without a user belongs to the owner of
the data layer.
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

from keepsaid.adapters.common import missing_extra, run_to_completion

try:
    from chainlit.context import ChainlitContextException, get_context
    from chainlit.data.base import BaseDataLayer
    from chainlit.data.utils import queue_until_user_message
    from chainlit.types import Feedback, PageInfo, PaginatedResponse, Pagination, ThreadDict, ThreadFilter
    from chainlit.user import PersistedUser, User
except ImportError:
    raise missing_extra("Chainlit", "chainlit") from None

from keepsaid.adapters.chainlit.messages import format_time
from keepsaid.adapters.chainlit.threads import RequestActor, ThreadStore
from keepsaid.services.container import system_clock

if TYPE_CHECKING:
    from chainlit.data.storage_clients.base import BaseStorageClient
    from chainlit.element import Element, ElementDict
    from chainlit.step import StepDict

    from keepsaid.memory import Memory

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

USER_BLOB = "chainlit/user"
"""Blob in the user's own blob store with Chainlit's data about the user."""

PLATFORMS = ("slack", "discord", "teams")
"""Clients where the platform decides who may write in a thread: several people may, and its user is only set at the end."""

log = logging.getLogger(__name__)


class KeepsaidDataLayer(BaseDataLayer):
    """Keep users, threads, steps, elements and feedback. Files go to a Chainlit `storage` client; without one, only their
    names and types are saved.

    Chainlit does not wait for its writes. All operations on a thread run in the order in which they were requested.

    Chainlit calls `get_thread_author` before it shows, renames, shares or deletes a thread, or shows an element, but not
    before it saves something. So this layer refuses writes (`NotFound`) if the user of the running session is not the
    thread's.
    """

    def __init__(self, memory: Memory, *, owner: str, storage: BaseStorageClient | None = None) -> None:
        self._memory = memory
        self._storage = storage
        self._threads = ThreadStore(memory, owner)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # -- users

    async def get_user(self, identifier: str) -> PersistedUser | None:
        """Return a known user."""
        return await asyncio.to_thread(self._user, identifier)

    async def create_user(self, user: User) -> PersistedUser | None:
        """Create or update a user. The identifier must not be the layer's owner."""
        return await run_to_completion(self._save_user, user)

    async def erase_user(self, identifier: str) -> None:
        """Delete a user and all their data permanently. Chainlit never calls this; an application may have to."""
        await self._drop_files(await run_to_completion(self._threads.erase_user, identifier))

    # -- threads

    async def get_thread_author(self, thread_id: str) -> str:
        """Return the identifier of a thread's user; empty if there is no such thread, or it has no user."""
        return await asyncio.to_thread(self._threads.author, thread_id)

    async def get_thread(self, thread_id: str) -> ThreadDict | None:
        """Return a thread with its steps and elements."""
        found = await self._run_in_order(thread_id, self._threads.thread, thread_id)
        if found is not None:
            found["elements"] = [await self._with_url(element) for element in found["elements"]]
        return cast("ThreadDict | None", found)

    async def list_threads(self, pagination: Pagination, filters: ThreadFilter) -> PaginatedResponse[ThreadDict]:
        """Return the threads of a user, newest activity first, including conversations from other adapters. Without a user,
        return threads that have none. The search covers titles and messages."""
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
        """Update the given fields; create the thread if it does not exist. A thread without a user becomes the user's; a
        thread of another user raises `NotFound`."""
        await self._run_in_order(thread_id, self._threads.update, thread_id, name, user_id, metadata, tags, _actor())

    async def delete_thread(self, thread_id: str) -> None:
        """Delete a thread permanently, with its files."""
        await self._drop_files(await self._run_in_order(thread_id, self._threads.erase, thread_id))

    # -- steps

    @queue_until_user_message()
    async def create_step(self, step_dict: StepDict) -> None:
        """Save a step."""
        await self._save(cast("dict[str, Any]", step_dict), new=True)

    @queue_until_user_message()
    async def update_step(self, step_dict: StepDict) -> None:
        """Save the changes of a step. New text replaces the old."""
        await self._save(cast("dict[str, Any]", step_dict), new=False)

    @queue_until_user_message()
    async def delete_step(self, step_id: str) -> None:
        """Delete a step permanently, with its elements and feedback."""
        actor = _actor()
        await self._drop_files(await self._run_in_order(actor.thread or "", self._threads.erase_step, step_id, actor))

    async def _save(self, step: dict[str, Any], *, new: bool) -> None:
        await self._run_in_order(step["threadId"], self._threads.save_step, dict(step), _actor(), new=new)

    async def get_favorite_steps(self, user_id: str) -> list[StepDict]:
        """Return the steps that a user marked as favorites, newest first."""
        return cast("list[StepDict]", await asyncio.to_thread(self._threads.favorites, user_id))

    # -- elements

    @queue_until_user_message()
    async def create_element(self, element: Element) -> None:
        """Save an element and upload its file. It becomes part of its step's message."""
        if not element.for_id:
            return
        actor = _actor()
        async with self._thread_lock(element.thread_id):
            await asyncio.to_thread(self._threads.authorize, element.thread_id, actor)
            # Later messages wait for the file; otherwise the step with the element would come after them.
            kept = await self._upload(element)
            await run_to_completion(self._threads.save_element, kept, actor)

    async def get_element(self, thread_id: str, element_id: str) -> ElementDict | None:
        """Return an element of a thread."""
        found = await self._run_in_order(thread_id, self._threads.element, thread_id, element_id)
        return None if found is None else cast("ElementDict", await self._with_url(found))

    @queue_until_user_message()
    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None:
        """Delete an element permanently, with its file."""
        actor = _actor()
        turn = thread_id or actor.thread or ""
        await self._drop_files(await self._run_in_order(turn, self._threads.erase_element, element_id, thread_id, actor))

    # -- feedback

    async def upsert_feedback(self, feedback: Feedback) -> str:
        """Save a user's feedback on a step; return its id. Chainlit does not pass the user."""
        id, thread_id, given = feedback.id or str(uuid4()), feedback.threadId, (feedback.value, feedback.comment)
        await self._run_in_order(
            thread_id or "", self._threads.save_feedback, id, feedback.forId, thread_id, *given, _actor()
        )
        return id

    async def delete_feedback(self, feedback_id: str) -> bool:
        """Delete feedback permanently. Return whether it existed."""
        return await run_to_completion(self._threads.erase_feedback, feedback_id, _actor())

    # -- other methods

    async def build_debug_url(self) -> str:
        """Return an empty string: there is no debug URL."""
        return ""

    async def close(self) -> None:
        """Close the storage client. The memory stays open; the code that opened it must close it."""
        if self._storage is not None:
            await self._storage.close()

    def _user(self, identifier: str) -> PersistedUser | None:
        blob = self._memory.blobs(owner=identifier).get(USER_BLOB).get(USER_BLOB)
        if blob is None:
            return None
        return PersistedUser(
            **json.loads(blob.content), id=self._threads.registry.register_user(identifier), identifier=identifier
        )

    def _save_user(self, user: User) -> PersistedUser | None:
        self._threads.registry.register_user(user.identifier)
        known = self._user(user.identifier)
        kept: dict[str, Any] = {
            "createdAt": format_time(system_clock()) if known is None else known.createdAt,
            "display_name": user.display_name or (known and known.display_name),
            "metadata": cast(Any, user).metadata,
        }
        self._memory.blobs(owner=user.identifier).put({USER_BLOB: json.dumps(kept).encode()})
        return self._user(user.identifier)

    def _thread_lock(self, thread_id: str) -> asyncio.Lock:
        """Return the lock of a thread. Waiting tasks acquire it in order of arrival."""
        return self._locks.setdefault(thread_id, asyncio.Lock())

    async def _run_in_order(
        self, thread_id: str, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        async with self._thread_lock(thread_id):
            return await run_to_completion(partial(verb, *args, **kwargs))

    async def _upload(self, element: Element) -> dict[str, Any]:
        """Upload the file of an element, and return the fields to save."""
        kept = cast("dict[str, Any]", element.to_dict())
        # A custom element has no file: its content is its props.
        if self._storage is None or element.type == "custom" or not (element.path or element.content):
            return kept
        content = element.content or await asyncio.to_thread(Path(str(element.path)).read_bytes)
        mime = element.mime or "application/octet-stream"
        key = f"threads/{element.thread_id}/files/{element.id}"
        uploaded = await self._storage.upload_file(object_key=key, data=content, mime=mime)
        return {**kept, "objectKey": uploaded.get("object_key") or key, "url": uploaded.get("url") or kept["url"]}

    async def _with_url(self, element: dict[str, Any]) -> dict[str, Any]:
        """Return an element with a URL from which its file can be read now."""
        if self._storage is None or not element.get("objectKey"):
            return element
        try:
            return {**element, "url": await self._storage.get_read_url(object_key=element["objectKey"])}
        except Exception as error:  # the thread can be shown without the file
            log.warning("could not get a URL for the file %s: %s", element["objectKey"], error)
            return element

    async def _drop_files(self, keys: list[str]) -> None:
        if self._storage is not None:
            for key in keys:
                await self._storage.delete_file(object_key=key)


def _actor() -> RequestActor:
    """Return the user and thread of the current Chainlit session. The first step of a thread is saved before its user."""
    try:
        session = get_context().session
    except ChainlitContextException:
        return RequestActor()
    if session.user is None or session.client_type in PLATFORMS:
        return RequestActor(None, session.thread_id)
    return RequestActor(session.user.identifier, session.thread_id)
