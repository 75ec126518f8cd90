"""Verbs of a conversation: add, read, and watch messages, and build prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from keepsaid.engine.messages import cursor as cursors
from keepsaid.engine.messages.validation import clean_limit, clean_name
from keepsaid.errors import NotFound
from keepsaid.memory.chat.base import ChatBase
from keepsaid.memory.watch import Watch
from keepsaid.ports import AT_LEAF, AppendPosition
from keepsaid.services.prompts.request_builder import build_prompt_request
from keepsaid.types import (
    ChangePosition,
    ContentPart,
    Message,
    MessageDraft,
    MessageWindow,
    Page,
    ReadWindow,
    Scope,
    Session,
    ToolCall,
)

if TYPE_CHECKING:
    from keepsaid.engine.prompt.budget import Limits
    from keepsaid.services.background.change_dispatcher import ChangeDispatcher
    from keepsaid.types.prompts import Context


class MessageVerbs(ChatBase):
    """Verbs that add and read messages."""

    def add(
        self,
        role: str,
        content: str | Sequence[ContentPart] | None = "",
        *,
        id: str | None = None,
        tool_calls: Sequence[ToolCall] = (),
        tool_call_id: str | None = None,
        name: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        importance: float | None = None,
        pinned: bool = False,
        created_at: datetime | None = None,
        private: bool | None = None,
    ) -> Message:
        """Save a message; it is on disk when this returns. Saving the same message with the same id again is a no-op.

        A private message stays in its conversation, and in no search, fact, summary or title. By default, a message is
        private if the user says something like "don't remember this".

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> chat.add("user", "Hello", id="m1").seq, chat.add("user", "Hello", id="m1").seq
        (1, 1)
        """
        body = content if isinstance(content, str) else tuple(content or ())
        draft = MessageDraft(
            role, body, id, tuple(tool_calls), tool_call_id, name, metadata, importance, pinned, created_at, private
        )  # fmt: skip
        return self._append((draft,))[0]

    def add_many(self, messages: Iterable[MessageDraft | Mapping[str, Any]], *, after: str | None = None) -> list[Message]:
        """Save several messages, all or none. With `after`, they follow that earlier message, on a new branch.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> [m.seq for m in chat.add_many([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])]
        [1, 2]
        """
        drafts = list(messages)
        if not drafts:
            return []
        anchor = AT_LEAF if after is None else AppendPosition("after", clean_name(after, "message id"))
        return self._append(drafts, anchor)

    def edit(
        self,
        message: str,
        content: str | Sequence[ContentPart],
        *,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        private: bool | None = None,
    ) -> Message:
        """Save a new version of a message. The old one and what followed it stay, on their own branch.

        By default, the new version of a private message is private, too.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> question = chat.add("user", "Tea?")
        >>> _ = chat.edit(question.id, "Coffee?")
        >>> [m.text for m in chat.messages()], len(chat.branches())
        (['Coffee?'], 2)
        """
        old = self.message(message)
        body = content if isinstance(content, str) else tuple(content)
        private = True if private is None and old.private else private
        draft = MessageDraft(old.role, body, id, (), old.tool_call_id, old.name, metadata, private=private)
        return self._append((draft,), AppendPosition("sibling", old.id))[0]

    def messages(self, *, last: int | None = None, max_tokens: int | None = None) -> list[Message]:
        """Return the messages in order: all, the `last` ones, or the newest that fit in `max_tokens`.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> for number in range(5):
        ...     _ = chat.add("user", f"message {number}")
        >>> [m.text for m in chat.messages(last=2)], [m.text for m in chat.messages(max_tokens=10)]
        (['message 3', 'message 4'], ['message 4'])
        """
        window = ReadWindow(
            last=None if last is None else clean_limit(last, "last", 0),
            max_tokens=None if max_tokens is None else clean_limit(max_tokens, "max_tokens", 0),
        )
        return self._storage.read(self._scope, window)

    def page(self, *, limit: int = 100, cursor: str | None = None, newest_first: bool = False) -> Page[Message]:
        """Return one page of the conversation; `page.next` is the cursor of the next page.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> for number in range(3):
        ...     _ = chat.add("user", f"message {number}")
        >>> first = chat.page(limit=2)
        >>> [m.text for m in first], [m.text for m in chat.page(limit=2, cursor=first.next)]
        (['message 0', 'message 1'], ['message 2'])
        """
        limit = clean_limit(limit, "limit")
        query = self._paged(newest_first)
        at = None if cursor is None else cursors.decode_cursor(query, cursor)[0]
        window = ReadWindow(before=at, last=limit + 1) if newest_first else ReadWindow(after=at, first=limit + 1)
        found = self._storage.read(self._scope, window)
        if newest_first:
            found.reverse()
        more = cursors.encode_cursor(query, found[limit - 1].seq) if len(found) > limit else None
        return Page(tuple(found[:limit]), more)

    def around(self, message: str, *, limit: int = 50) -> MessageWindow:
        """Return a message with those before and after it, in order, and cursors to continue in both directions.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> said = [chat.add("user", f"message {number}") for number in range(5)]
        >>> around = chat.around(said[1].id, limit=3)
        >>> [m.text for m in around.items], around.older is None
        (['message 0', 'message 1', 'message 2'], True)
        """
        limit, at = clean_limit(limit, "limit"), self.message(message)
        # One more on either side shows whether there are more. A side with few messages leaves its places to the other.
        here = self._storage.read(self._scope, ReadWindow(after=at.seq - 1, first=limit + 1))
        if not here or here[0].id != at.id:
            raise NotFound(f"message {at.id!r} is on another branch: switch to it first")
        before = self._storage.read(self._scope, ReadWindow(before=at.seq, last=limit))
        earlier = min(len(before), max((limit - 1) // 2, limit - len(here)))
        older, newer = before[len(before) - earlier :], here[: limit - earlier]
        return MessageWindow(
            (*older, *newer),
            cursors.encode_cursor(self._paged(True), (older or newer)[0].seq) if len(older) < len(before) else None,
            cursors.encode_cursor(self._paged(False), newer[-1].seq) if len(newer) < len(here) else None,
        )

    def _paged(self, newest_first: bool) -> tuple[Any, ...]:
        """Return the key that a cursor over the messages is valid for."""
        return ("messages", self._scope, newest_first)

    def message(self, id: str) -> Message:
        """Return one message of this session, on any branch.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> chat.message(chat.add("user", "Hello").id).text
        'Hello'
        """
        return self._storage.get_message(self._scope, clean_name(id, "message id"))

    def info(self) -> Session:
        """Return the session: title, counts, status, expiry and so on.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> _ = chat.add("user", "Hello")
        >>> chat.info().message_count
        1
        """
        return self._shown(self._storage.get_session(self._scope))

    def context(
        self,
        question: str | None = None,
        *,
        budget: int | str | None = None,
        strategy: str | None = None,
        system: str | None = None,
        model: str | None = None,
        recall: str | None = None,
        pools: Iterable[str] = (),
        limits: Limits | None = None,
        retriever: Any = None,
        now: datetime | None = None,
        allow_without_memory: bool = False,
    ) -> Context:
        """Build the best prompt for a turn that fits a budget, ready for any chat-completions API.

        The question need not be saved yet. Without one, the user's last message is the question, followed by the tool
        results since. `budget` is in tokens of `model` (or of the store's tokenizer), or a preset: 4k, 12k, 128k, 262k.
        `recall` says where memories come from: `owner`, `session` or `off`; `pools` adds shared pools. With
        `allow_without_memory`, the prompt is built without memory if the store cannot be read. `fallbacks` lists what is
        missing and why.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "We helped my sister with her boxes, all the way to Lisbon.")
        >>> context = memory.chat(owner="u1").context("Where does my sister live?", budget=1000)
        >>> prompt = context.messages[-1]["content"]
        >>> "all the way to Lisbon." in prompt, prompt.endswith("Where does my sister live?")
        (True, True)
        """
        request = build_prompt_request(
            self._services,
            question,
            budget=budget,
            strategy=strategy,
            system=system,
            model=model,
            recall=recall,
            pools=pools,
            limits=limits,
            retriever=retriever,
            now=now,
            allow_without_memory=allow_without_memory,
        )
        return self._services.build_prompt(self._scope, request)

    def watch(self, *, after: ChangePosition | None = None) -> Watch:
        """Watch new messages and other changes of this session as they happen, in any process.

        With `after`, the position of an earlier change, the changes since then come first.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> with chat.watch() as changes:
        ...     _ = chat.add("user", "Hello")
        ...     changes.get(timeout=5).kind
        'message'
        """
        return Watch(*self._watched(), after)

    def _watched(self) -> tuple[ChangeDispatcher, Scope]:
        """Return what a watch of this session follows; raise `NotFound` if there is no such session."""
        self._storage.get_session(self._scope)
        return self._services.dispatcher, self._scope
