"""The OpenAI Agents SDK: a session whose items are kept in Recollect."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from recollect.adapters.common import missing, settled
from recollect.adapters.openai_agents_messages import Items, drafts_of, items_of, without_last
from recollect.errors import NotFound

try:
    from agents import SessionSettings
    from agents.memory.session_settings import coerce_session_settings
except ImportError:
    raise missing("the OpenAI Agents SDK", "openai-agents") from None

if TYPE_CHECKING:
    from agents import TResponseInputItem

    from recollect.chat import Chat
    from recollect.memory import Memory


class RecollectSession:
    """One conversation of one owner, as the SDK's `Session`: hand it to `Runner.run(…, session=…)`.

    It is made by the first item. Several may be open on the same conversation, here or elsewhere: nothing is lost.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        session: str,
        pool: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session
        self.session_settings: SessionSettings | None = coerce_session_settings(
            SessionSettings() if session_settings is None else session_settings
        )
        self._memory = memory
        self._owner = owner
        self._pool = pool

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order; with a limit, the newest so many. Without one, the settings' limit holds.

        A negative limit is none, as it is for the SDK's own sessions.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await asyncio.to_thread(self._read, limit))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items at the end, all or none; when this returns, they are on the disk."""
        await settled(self._add, cast("list[Mapping[str, Any]]", items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the last item off and returns it. Searches and prompts do not find it any more."""
        return cast("TResponseInputItem | None", await settled(self._pop))

    async def clear_session(self) -> None:
        """Removes the conversation for good: nothing of it is left in the store."""
        await settled(self._clear)

    def _chat(self, *, create: bool = False) -> Chat:
        return self._memory.chat(owner=self._owner, session=self.session_id, pool=self._pool, create=create)

    def _read(self, limit: int | None) -> Items:
        last = None if limit is None or limit < 0 else limit
        try:
            messages = self._chat().messages(last=last)
        except NotFound:
            return []
        items = [item for message in messages for item in items_of(message)]
        return items if last is None else items[max(len(items) - last, 0) :]

    def _add(self, items: list[Mapping[str, Any]]) -> None:
        drafts = drafts_of(items)
        if not drafts:
            return
        try:
            self._chat(create=True).add_many(drafts)
        except NotFound:
            self._chat(create=True).add_many(drafts)  # it may have been cleared in between: then it begins anew

    def _pop(self) -> dict[str, Any] | None:
        try:
            message = self._chat().pop(leaving=without_last)
        except NotFound:
            return None
        return None if message is None else items_of(message)[-1]

    def _clear(self) -> None:
        with suppress(NotFound):
            self._memory.erase(owner=self._owner, session=self.session_id, pool=self._pool)
