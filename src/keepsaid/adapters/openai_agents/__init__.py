"""The adapter for the OpenAI Agents SDK: a session whose items are saved in Keepsaid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from keepsaid.adapters.common import missing_extra, run_to_completion
from keepsaid.adapters.openai_agents.messages import Items, drafts_of, items_of, remove_last_item
from keepsaid.errors import NotFound

try:
    from agents import SessionSettings
    from agents.memory.session_settings import coerce_session_settings
except ImportError:
    raise missing_extra("the OpenAI Agents SDK", "openai-agents") from None

if TYPE_CHECKING:
    from agents import TResponseInputItem

    from keepsaid.memory import Memory
    from keepsaid.memory.chat import Chat


class KeepsaidSession:
    """One conversation of one owner as the SDK's `Session`: pass it to `Runner.run(…, session=…)`.

    The first item creates the conversation. Several sessions may use the same conversation concurrently; no items are lost.
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
        """Return the items in order; with a limit, only that many newest ones. The default limit is that of the settings.

        A negative limit means no limit, as for the SDK's own sessions.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await asyncio.to_thread(self._read, limit))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end, all or none; they are durable when this returns."""
        await run_to_completion(self._add, cast("list[Mapping[str, Any]]", items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the last item and return it. Searches and prompts no longer find it."""
        return cast("TResponseInputItem | None", await run_to_completion(self._pop))

    async def clear_session(self) -> None:
        """Erase the conversation permanently: nothing of it remains in the store."""
        await run_to_completion(self._clear)

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
            self._chat(create=True).add_many(drafts)  # cleared concurrently: create it again

    def _pop(self) -> dict[str, Any] | None:
        try:
            message = self._chat().pop(leaving=remove_last_item)
        except NotFound:
            return None
        return None if message is None else items_of(message)[-1]

    def _clear(self) -> None:
        with suppress(NotFound):
            self._memory.erase(owner=self._owner, session=self.session_id, pool=self._pool)
