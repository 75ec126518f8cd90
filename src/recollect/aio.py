"""The same verbs for `await`: each runs the sync one in a worker thread. There is one implementation, and no twins.

The threads are the memory's own, so a busy event loop's default pool does not hold them up, and callers that wait for the
disk at the same time share an fsync.
"""

from __future__ import annotations

import asyncio
import builtins
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TextIO, TypeVar

from recollect.chat import Chat
from recollect.drawer import AT_ONCE, Drawer
from recollect.engine.compile.budget import Limits
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.ports import Coverage, Progress
from recollect.prompt import Context, Profile, Receipt, Relevant, Replay
from recollect.reports import Diagnosis, EraseReceipt, ExportReport, ImportReport, RetentionReport, Stats, Usage
from recollect.types import (
    Addition,
    Around,
    Blob,
    Branch,
    Change,
    Document,
    Draft,
    Fact,
    FactChange,
    FactKind,
    Grant,
    Hits,
    Mark,
    Message,
    Page,
    Part,
    Scope,
    Session,
    Summary,
    ToolCall,
)
from recollect.watch import Delivery, Dispatcher, Place, Watcher

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

THREADS = 32


class _Runner:
    """Runs sync verbs on the memory's own threads."""

    def __init__(self) -> None:
        self.closed = False
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="recollect")

    async def __call__(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs))

    def close(self) -> None:
        self.closed = True
        self._threads.shutdown(wait=False)


Run = Callable[..., Awaitable[Any]]
"""What has something done in a thread."""


class AsyncWatch:
    """Changes as they happen, for `async for`. Close it, or use it in an `async with`.

    >>> import asyncio, recollect
    >>> async def main():
    ...     async with await recollect.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         async with await chat.watch() as changes:
    ...             await chat.add("user", "Hello")
    ...             async for change in changes:
    ...                 return change.message.text
    >>> asyncio.run(main())
    'Hello'
    """

    def __init__(self, dispatcher: Dispatcher, watcher: Watcher, queue: asyncio.Queue[Delivery]) -> None:
        self._dispatcher = dispatcher
        self._watcher = watcher
        self._place = Place(watcher)
        self._queue = queue
        self._ended = False

    @classmethod
    async def over(cls, run: Run, dispatcher: Dispatcher, scope: Scope, after: Mark | None = None) -> AsyncWatch:
        """A watch whose changes come straight into the event loop: it holds no thread while it waits."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Delivery] = asyncio.Queue()

        def deliver(delivery: Delivery) -> None:
            # The loop may be gone before the memory is: then nobody waits for this.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(queue.put_nowait, delivery)

        return cls(dispatcher, await run(dispatcher.subscribe, scope, deliver, after), queue)

    @property
    def mark(self) -> Mark:
        """As `Watch.mark`."""
        return self._place.mark

    @property
    def ended(self) -> bool:
        """As `Watch.ended`."""
        return self._ended

    async def get(self, timeout: float | None = None) -> Change | None:
        """Async `Watch.get`."""
        if self._ended:
            return None
        try:
            delivery = await asyncio.wait_for(self._queue.get(), timeout)
        except TimeoutError:
            return None
        if isinstance(delivery, Change):
            return self._place.take(delivery)
        await self.close()
        if delivery is not None:
            raise delivery
        return None

    async def close(self) -> None:
        """Async `Watch.close`."""
        if not self._ended:
            self._ended = True
            self._dispatcher.leave([self._watcher])
            self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[Change]:
        while (change := await self.get()) is not None:
            yield change

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncChat:
    """One conversation, for `await`: every verb of `Chat` by the same name.

    >>> import asyncio, recollect
    >>> async def main():
    ...     async with await recollect.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         await chat.add("user", "Hello")
    ...         return [message.text for message in await chat.messages(last=20)]
    >>> asyncio.run(main())
    ['Hello']
    """

    def __init__(self, run: _Runner, chat: Chat) -> None:
        self._run = run
        self._chat = chat

    @property
    def id(self) -> str:
        """As `Chat.id`."""
        return self._chat.id

    @property
    def owner(self) -> str:
        """As `Chat.owner`."""
        return self._chat.owner

    async def add(
        self,
        role: str,
        content: str | Sequence[Part] | None = "",
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
        """Async `Chat.add`."""
        return await self._run(
            self._chat.add, role, content, id=id, tool_calls=tool_calls, tool_call_id=tool_call_id, name=name,
            metadata=metadata, importance=importance, pinned=pinned, created_at=created_at, private=private,
        )  # fmt: skip

    async def add_many(self, messages: Iterable[Draft | Mapping[str, Any]], *, after: str | None = None) -> list[Message]:
        """Async `Chat.add_many`."""
        return await self._run(self._chat.add_many, messages, after=after)

    async def edit(
        self,
        message: str,
        content: str | Sequence[Part],
        *,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        private: bool | None = None,
    ) -> Message:
        """Async `Chat.edit`."""
        return await self._run(self._chat.edit, message, content, id=id, metadata=metadata, private=private)

    async def messages(self, *, last: int | None = None, max_tokens: int | None = None) -> list[Message]:
        """Async `Chat.messages`."""
        return await self._run(self._chat.messages, last=last, max_tokens=max_tokens)

    async def page(self, *, limit: int = 100, cursor: str | None = None, newest_first: bool = False) -> Page[Message]:
        """Async `Chat.page`."""
        return await self._run(self._chat.page, limit=limit, cursor=cursor, newest_first=newest_first)

    async def around(self, message: str, *, limit: int = 50) -> Around:
        """Async `Chat.around`."""
        return await self._run(self._chat.around, message, limit=limit)

    async def message(self, id: str) -> Message:
        """Async `Chat.message`."""
        return await self._run(self._chat.message, id)

    async def info(self) -> Session:
        """Async `Chat.info`."""
        return await self._run(self._chat.info)

    async def context(
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
        go_on: bool = False,
    ) -> Context:
        """Async `Chat.context`."""
        return await self._run(
            self._chat.context, question, budget=budget, strategy=strategy, system=system, model=model, recall=recall,
            pools=pools, limits=limits, retriever=retriever, now=now, go_on=go_on,
        )  # fmt: skip

    async def watch(self, *, after: Mark | None = None) -> AsyncWatch:
        """Async `Chat.watch`."""
        watched = await self._run(self._chat._watched)  # pyright: ignore[reportPrivateUsage]
        return await AsyncWatch.over(self._run, *watched, after)

    async def branches(self) -> list[Branch]:
        """Async `Chat.branches`."""
        return await self._run(self._chat.branches)

    async def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Async `Chat.alternatives`."""
        return await self._run(self._chat.alternatives)

    async def switch(self, message: str, *, onward: bool = False) -> Session:
        """Async `Chat.switch`."""
        return await self._run(self._chat.switch, message, onward=onward)

    async def pop(self, leaving: Callable[[Message], Draft | None] | None = None) -> Message | None:
        """Async `Chat.pop`."""
        return await self._run(self._chat.pop, leaving)

    async def clear(self) -> Session:
        """Async `Chat.clear`."""
        return await self._run(self._chat.clear)

    async def fork(self, at: str | None = None, *, session: str | None = None, title: str | None = None) -> AsyncChat:
        """Async `Chat.fork`."""
        return AsyncChat(self._run, await self._run(self._chat.fork, at, session=session, title=title))

    async def pin(self, message: str, pinned: bool = True) -> Message:
        """Async `Chat.pin`."""
        return await self._run(self._chat.pin, message, pinned)

    async def keep_private(self, message: str, private: bool = True) -> Message:
        """Async `Chat.keep_private`."""
        return await self._run(self._chat.keep_private, message, private)

    async def rate(self, message: str, importance: float) -> Message:
        """Async `Chat.rate`."""
        return await self._run(self._chat.rate, message, importance)

    async def rename(self, title: str) -> Session:
        """Async `Chat.rename`."""
        return await self._run(self._chat.rename, title)

    async def tag(self, *tags: str) -> Session:
        """Async `Chat.tag`."""
        return await self._run(self._chat.tag, *tags)

    async def untag(self, *tags: str) -> Session:
        """Async `Chat.untag`."""
        return await self._run(self._chat.untag, *tags)

    async def update(
        self,
        *,
        title: str | None = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        system_prompt: str | None = None,
        pinned: bool | None = None,
        expected_revision: int | None = None,
    ) -> Session:
        """Async `Chat.update`."""
        return await self._run(
            self._chat.update, title=title, tags=tags, metadata=metadata, system_prompt=system_prompt, pinned=pinned,
            expected_revision=expected_revision,
        )  # fmt: skip

    async def archive(self) -> Session:
        """Async `Chat.archive`."""
        return await self._run(self._chat.archive)

    async def unarchive(self) -> Session:
        """Async `Chat.unarchive`."""
        return await self._run(self._chat.unarchive)

    async def delete(self) -> Session:
        """Async `Chat.delete`."""
        return await self._run(self._chat.delete)

    async def restore(self) -> Session:
        """Async `Chat.restore`."""
        return await self._run(self._chat.restore)

    async def erase(self, message: str | None = None) -> EraseReceipt:
        """Async `Chat.erase`."""
        return await self._run(self._chat.erase, message)


class AsyncDrawer:
    """Bytes by name, for `await`: every verb of `Drawer` by the same name.

    >>> import asyncio, recollect
    >>> async def main():
    ...     async with await recollect.open_async("memory://") as memory:
    ...         drawer = await memory.drawer(owner="u1")
    ...         await drawer.put({"settings": b"dark"})
    ...         return [blob.name for blob in await drawer.list()]
    >>> asyncio.run(main())
    ['settings']
    """

    def __init__(self, run: _Runner, drawer: Drawer) -> None:
        self._run = run
        self._drawer = drawer

    async def get(self, *names: str) -> dict[str, Blob]:
        """Async `Drawer.get`."""
        return await self._run(self._drawer.get, *names)

    async def put(self, contents: Mapping[str, bytes | None], *, expected: Mapping[str, int] | None = None) -> None:
        """Async `Drawer.put`."""
        await self._run(self._drawer.put, contents, expected=expected)

    async def list(
        self, prefix: str = "", *, after: str | None = None, backwards: bool = False, limit: int = AT_ONCE
    ) -> builtins.list[Blob]:
        """Async `Drawer.list`."""
        return await self._run(self._drawer.list, prefix, after=after, backwards=backwards, limit=limit)

    async def clear(self, prefix: str = "") -> int:
        """Async `Drawer.clear`."""
        return await self._run(self._drawer.clear, prefix)

    async def sessions(self) -> builtins.list[str]:
        """Async `Drawer.sessions`."""
        return await self._run(self._drawer.sessions)


class AsyncMemory:
    """Every conversation of a store, for `await`: every verb of `Memory` by the same name.

    >>> import asyncio, recollect
    >>> async def main():
    ...     async with await recollect.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1", title="Travel")
    ...         return [session.title for session in await memory.sessions(owner="u1")]
    >>> asyncio.run(main())
    ['Travel']
    """

    def __init__(self, memory: Memory, run: _Runner | None = None) -> None:
        self._memory = memory
        self._run = run or _Runner()

    @classmethod
    async def over(cls, opened: Callable[[], Memory]) -> AsyncMemory:
        """An async memory over one that is opened in a worker thread."""
        run = _Runner()
        return cls(await run(opened), run)

    @property
    def embedder(self) -> str | None:
        """Async `Memory.embedder`, which needs no waiting."""
        return self._memory.embedder

    @property
    def tokenizer(self) -> str:
        """As `Memory.tokenizer`."""
        return self._memory.tokenizer

    async def chat(
        self,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        create: bool = False,
        temporary: bool = False,
        title: str | None = None,
        system_prompt: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        created_at: datetime | None = None,
    ) -> AsyncChat:
        """Async `Memory.chat`."""
        chat = await self._run(
            self._memory.chat, owner=owner, session=session, pool=pool, create=create, temporary=temporary, title=title,
            system_prompt=system_prompt, tags=tags, metadata=metadata, created_at=created_at,
        )  # fmt: skip
        return AsyncChat(self._run, chat)

    async def add_each(self, additions: Iterable[Addition]) -> list[Message | RecollectError]:
        """Async `Memory.add_each`."""
        return await self._run(self._memory.add_each, additions)

    async def sessions(
        self,
        *,
        owner: str,
        status: str | None = None,
        tag: str | None = None,
        pinned: bool | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        pool: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Session]:
        """Async `Memory.sessions`."""
        return await self._run(
            self._memory.sessions, owner=owner, status=status, tag=tag, pinned=pinned, since=since, until=until, pool=pool,
            limit=limit, cursor=cursor,
        )  # fmt: skip

    async def restore(self, *, owner: str, session: str, pool: str | None = None) -> AsyncChat:
        """Async `Memory.restore`."""
        return AsyncChat(self._run, await self._run(self._memory.restore, owner=owner, session=session, pool=pool))

    async def search(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        roles: Iterable[str] = (),
        tags: Iterable[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: float = 0.0,
        min_score: float | None = None,
        limit: int | None = None,
        now: datetime | None = None,
        mode: str = "full",
        besides: str | None = None,
        plain: bool = False,
    ) -> Hits:
        """Async `Memory.search`."""
        return await self._run(
            self._memory.search, query, owner=owner, pool=pool, session=session, roles=roles, tags=tags, since=since,
            until=until, min_importance=min_importance, min_score=min_score, limit=limit, now=now, mode=mode,
            besides=besides, plain=plain,
        )  # fmt: skip

    async def watch(
        self, *, owner: str, session: str | None = None, pool: str | None = None, after: Mark | None = None
    ) -> AsyncWatch:
        """Async `Memory.watch`."""
        watched = await self._run(self._memory._watched, owner, session, pool)  # pyright: ignore[reportPrivateUsage]
        return await AsyncWatch.over(self._run, *watched, after)

    async def mark(self, *, owner: str, pool: str | None = None) -> Mark:
        """Async `Memory.mark`."""
        return await self._run(self._memory.mark, owner=owner, pool=pool)

    async def ingest(
        self,
        source: str | os.PathLike[str],
        *,
        owner: str,
        name: str | None = None,
        session: str | None = None,
        pool: str | None = None,
        media_type: str | None = None,
        content: bytes | str | None = None,
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
        progress: Progress | None = None,
    ) -> Document:
        """Async `Memory.ingest`; `progress` is called from another thread."""
        return await self._run(
            self._memory.ingest, source, owner=owner, name=name, session=session, pool=pool, media_type=media_type,
            content=content, chunk_tokens=chunk_tokens, overlap_tokens=overlap_tokens, progress=progress,
        )  # fmt: skip

    async def documents(self, *, owner: str, session: str | None = None, pool: str | None = None) -> list[Document]:
        """Async `Memory.documents`."""
        return await self._run(self._memory.documents, owner=owner, session=session, pool=pool)

    async def search_documents(
        self,
        query: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int | None = None,
        min_score: float | None = None,
    ) -> Hits:
        """Async `Memory.search_documents`."""
        return await self._run(
            self._memory.search_documents, query, owner=owner, session=session, pool=pool, limit=limit, min_score=min_score
        )

    async def chunks(
        self,
        document: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Message]:
        """Async `Memory.chunks`."""
        return await self._run(
            self._memory.chunks, document, owner=owner, session=session, pool=pool, limit=limit, cursor=cursor
        )

    async def remove_document(
        self, name: str, *, owner: str, session: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Async `Memory.remove_document`."""
        return await self._run(self._memory.remove_document, name, owner=owner, session=session, pool=pool)

    async def drawer(self, *, owner: str, session: str | None = None, pool: str | None = None) -> AsyncDrawer:
        """Async `Memory.drawer`."""
        return AsyncDrawer(self._run, await self._run(self._memory.drawer, owner=owner, session=session, pool=pool))

    async def summaries(
        self,
        query: str | None = None,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 50,
    ) -> list[Summary]:
        """Async `Memory.summaries`."""
        return await self._run(self._memory.summaries, query, owner=owner, session=session, pool=pool, limit=limit)

    async def facts(
        self,
        query: str | None = None,
        *,
        owner: str,
        pool: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
        limit: int = 200,
    ) -> list[Fact]:
        """Async `Memory.facts`."""
        return await self._run(self._memory.facts, query, owner=owner, pool=pool, as_of=as_of, history=history, limit=limit)

    async def remember(
        self,
        text: str,
        *,
        owner: str,
        pool: str | None = None,
        kind: FactKind = "identity",
        subject: str = "user",
        about: str = "",
        pinned: bool = False,
    ) -> Fact:
        """Async `Memory.remember`."""
        return await self._run(
            self._memory.remember, text, owner=owner, pool=pool, kind=kind, subject=subject, about=about, pinned=pinned
        )

    async def edit_fact(self, fact: str, text: str, *, owner: str, pool: str | None = None) -> Fact:
        """Async `Memory.edit_fact`."""
        return await self._run(self._memory.edit_fact, fact, text, owner=owner, pool=pool)

    async def pin_fact(self, fact: str, pinned: bool = True, *, owner: str, pool: str | None = None) -> Fact:
        """Async `Memory.pin_fact`."""
        return await self._run(self._memory.pin_fact, fact, pinned, owner=owner, pool=pool)

    async def forget_fact(self, fact: str, *, owner: str, pool: str | None = None, reopen: bool = False) -> None:
        """Async `Memory.forget_fact`."""
        await self._run(self._memory.forget_fact, fact, owner=owner, pool=pool, reopen=reopen)

    async def hide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Async `Memory.hide_fact`."""
        return await self._run(self._memory.hide_fact, fact, owner=owner, pool=pool)

    async def unhide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Async `Memory.unhide_fact`."""
        return await self._run(self._memory.unhide_fact, fact, owner=owner, pool=pool)

    async def fact_history(self, *, owner: str, fact: str | None = None, pool: str | None = None) -> list[FactChange]:
        """Async `Memory.fact_history`."""
        return await self._run(self._memory.fact_history, owner=owner, fact=fact, pool=pool)

    async def undo_fact_change(self, change: str, *, owner: str, pool: str | None = None) -> Fact:
        """Async `Memory.undo_fact_change`."""
        return await self._run(self._memory.undo_fact_change, change, owner=owner, pool=pool)

    async def noted_facts(self, message: str, *, owner: str) -> list[Fact]:
        """Async `Memory.noted_facts`."""
        return await self._run(self._memory.noted_facts, message, owner=owner)

    async def profile(self, *, owner: str, budget: int | None = None) -> Profile:
        """Async `Memory.profile`."""
        return await self._run(self._memory.profile, owner=owner, budget=budget)

    async def export(
        self,
        target: str | os.PathLike[str] | TextIO,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        format: str = "json",
        progress: Progress | None = None,
    ) -> ExportReport:
        """Async `Memory.export`."""
        return await self._run(
            self._memory.export, target, owner=owner, session=session, pool=pool, format=format, progress=progress
        )

    async def import_(
        self,
        source: str | os.PathLike[str],
        *,
        owner: str,
        pool: str | None = None,
        format: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Async `Memory.import_`."""
        return await self._run(
            self._memory.import_, source, owner=owner, pool=pool, format=format, dry_run=dry_run, progress=progress
        )

    async def relevant_context(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        max_tokens: int | None = None,
        now: datetime | None = None,
        besides: str | None = None,
    ) -> Relevant:
        """Async `Memory.relevant_context`."""
        return await self._run(
            self._memory.relevant_context, query, owner=owner, pool=pool, max_tokens=max_tokens, now=now, besides=besides
        )

    async def replay(self, receipt_id: str, *, owner: str | None = None) -> Replay:
        """Async `Memory.replay`."""
        return await self._run(self._memory.replay, receipt_id, owner=owner)

    async def receipt(self, receipt_id: str, *, owner: str) -> Receipt:
        """Async `Memory.receipt`."""
        return await self._run(self._memory.receipt, receipt_id, owner=owner)

    async def receipts(
        self, *, owner: str, session: str | None = None, pool: str | None = None, limit: int = 20
    ) -> list[Receipt]:
        """Async `Memory.receipts`."""
        return await self._run(self._memory.receipts, owner=owner, session=session, pool=pool, limit=limit)

    async def create_pool(self, name: str, *, owner: str) -> str:
        """Async `Memory.create_pool`."""
        return await self._run(self._memory.create_pool, name, owner=owner)

    async def grant(self, pool: str, *, to: str, by: str, access: str = "read") -> None:
        """Async `Memory.grant`."""
        await self._run(self._memory.grant, pool, to=to, by=by, access=access)

    async def revoke(self, pool: str, *, of: str, by: str) -> None:
        """Async `Memory.revoke`."""
        await self._run(self._memory.revoke, pool, of=of, by=by)

    async def pools(self, *, owner: str) -> list[Grant]:
        """Async `Memory.pools`."""
        return await self._run(self._memory.pools, owner=owner)

    async def members(self, pool: str, *, owner: str) -> list[Grant]:
        """Async `Memory.members`."""
        return await self._run(self._memory.members, pool, owner=owner)

    async def erase(
        self, *, owner: str, session: str | None = None, message: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Async `Memory.erase`."""
        return await self._run(self._memory.erase, owner=owner, session=session, message=message, pool=pool)

    async def retention(self, *, dry_run: bool | None = None, rest: timedelta | None = None) -> RetentionReport:
        """Async `Memory.retention`."""
        return await self._run(self._memory.retention, dry_run=dry_run, rest=rest)

    async def check(self, *, repair: bool = False) -> Diagnosis:
        """Async `Memory.check`."""
        return await self._run(self._memory.check, repair=repair)

    async def warnings(self) -> list[str]:
        """Async `Memory.warnings`."""
        return await self._run(self._memory.warnings)

    async def stats(self, *, owner: str | None = None, days: int = 30) -> Stats:
        """Async `Memory.stats`."""
        return await self._run(self._memory.stats, owner=owner, days=days)

    async def usage(self, *, owner: str, pool: str | None = None) -> Usage:
        """Async `Memory.usage`."""
        return await self._run(self._memory.usage, owner=owner, pool=pool)

    async def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        """Async `Memory.backup`; `progress` is called from another thread."""
        await self._run(self._memory.backup, target, progress=progress)

    async def maintain(self, *, progress: Progress | None = None) -> int:
        """Async `Memory.maintain`; `progress` is called from another thread."""
        return await self._run(self._memory.maintain, progress=progress)

    async def coverage(self) -> Coverage | None:
        """Async `Memory.coverage`."""
        return await self._run(self._memory.coverage)

    async def close(self) -> None:
        """Async `Memory.close`."""
        if not self._run.closed:
            await self._run(self._memory.close)
            self._run.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
