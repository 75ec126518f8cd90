"""The verbs of `Memory`, `Chat` and `BlobStore` for `await`. Made by scripts/make_aio.py from the sync ones: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keepsaid.aio.thread_runner import ThreadRunner
from keepsaid.aio.watch import AsyncWatch
from keepsaid.memory.blobs import LIST_LIMIT

if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime, timedelta
    from pathlib import Path
    from types import TracebackType
    from typing import Any, TextIO

    from keepsaid.engine.prompt.budget import Limits
    from keepsaid.errors import KeepsaidError
    from keepsaid.memory import Memory
    from keepsaid.memory.blobs import BlobStore
    from keepsaid.memory.chat import Chat
    from keepsaid.ports import Progress, QuotaCheck, VectorCoverage
    from keepsaid.types import (
        Blob,
        Branch,
        ChangePosition,
        ContentPart,
        Document,
        Fact,
        FactChange,
        FactKind,
        Message,
        MessageAddition,
        MessageDraft,
        MessageWindow,
        Page,
        PoolGrant,
        SearchHits,
        Session,
        Summary,
        ToolCall,
    )
    from keepsaid.types.prompts import Context, Profile, PromptReceipt, PromptReplay, RelevantContext
    from keepsaid.types.reports import (
        EraseReceipt,
        ExportReport,
        ImportReport,
        MemoryStats,
        RetentionReport,
        StorageUsage,
        StoreDiagnosis,
    )


class AsyncChat:
    """One conversation, for `await`: every verb of `Chat` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         await chat.add("user", "Hello")
    ...         return [message.text for message in await chat.messages(last=20)]
    >>> asyncio.run(main())
    ['Hello']
    """

    def __init__(self, run: ThreadRunner, chat: Chat) -> None:
        self._run = run
        self._chat = chat

    @property
    def id(self) -> str:
        """Return the session's id, with which it can be resumed."""
        return self._chat.id

    @property
    def owner(self) -> str:
        """Return the owner of this conversation."""
        return self._chat.owner

    async def add(
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
        """
        return await self._run(
            self._chat.add,
            role,
            content,
            id=id,
            tool_calls=tool_calls,
            tool_call_id=tool_call_id,
            name=name,
            metadata=metadata,
            importance=importance,
            pinned=pinned,
            created_at=created_at,
            private=private,
        )

    async def add_many(
        self, messages: Iterable[MessageDraft | Mapping[str, Any]], *, after: str | None = None
    ) -> list[Message]:
        """Save several messages, all or none. With `after`, they follow that earlier message, on a new branch."""
        return await self._run(self._chat.add_many, messages, after=after)

    async def edit(
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
        """
        return await self._run(self._chat.edit, message, content, id=id, metadata=metadata, private=private)

    async def messages(self, *, last: int | None = None, max_tokens: int | None = None) -> list[Message]:
        """Return the messages in order: all, the `last` ones, or the newest that fit in `max_tokens`."""
        return await self._run(self._chat.messages, last=last, max_tokens=max_tokens)

    async def page(self, *, limit: int = 100, cursor: str | None = None, newest_first: bool = False) -> Page[Message]:
        """Return one page of the conversation; `page.next` is the cursor of the next page."""
        return await self._run(self._chat.page, limit=limit, cursor=cursor, newest_first=newest_first)

    async def around(self, message: str, *, limit: int = 50) -> MessageWindow:
        """Return a message with those before and after it, in order, and cursors to continue in both directions."""
        return await self._run(self._chat.around, message, limit=limit)

    async def message(self, id: str) -> Message:
        """Return one message of this session, on any branch."""
        return await self._run(self._chat.message, id)

    async def info(self) -> Session:
        """Return the session: title, counts, status, expiry and so on."""
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
        allow_without_memory: bool = False,
    ) -> Context:
        """Build the best prompt for a turn that fits a budget, ready for any chat-completions API.

        The question need not be saved yet. Without one, the user's last message is the question, followed by the tool
        results since. `budget` is in tokens of `model` (or of the store's tokenizer), or a preset: 4k, 12k, 128k, 262k.
        `recall` says where memories come from: `owner`, `session` or `off`; `pools` adds shared pools. With
        `allow_without_memory`, the prompt is built without memory if the store cannot be read. `fallbacks` lists what is
        missing and why.
        """
        return await self._run(
            self._chat.context,
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

    async def watch(self, *, after: ChangePosition | None = None) -> AsyncWatch:
        """Watch new messages and other changes of this session as they happen, in any process.

        With `after`, the position of an earlier change, the changes since then come first.
        """
        watched = await self._run(self._chat._watched)  # pyright: ignore[reportPrivateUsage]
        return await AsyncWatch.over(self._run, *watched, after)

    async def branches(self) -> list[Branch]:
        """Return the branches of this conversation, oldest first."""
        return await self._run(self._chat.branches)

    async def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Return all versions of the messages that were edited or answered again.

        The keys are the ids of such messages in the conversation, the values the ids of all their versions, oldest first.
        """
        return await self._run(self._chat.alternatives)

    async def switch(self, message: str, *, onward: bool = False) -> Session:
        """Make a message the last one of the conversation, by going back or to another branch.

        To select a branch, pass its `leaf`. With `onward`, continue from the message to the newest one that follows it.
        """
        return await self._run(self._chat.switch, message, onward=onward)

    async def pop(self, leaving: Callable[[Message], MessageDraft | None] | None = None) -> Message | None:
        """Remove the last message from the conversation and return it, or None if there is none.

        `switch` can restore it. If `leaving` returns a draft for it, the draft replaces it in the same step.
        """
        return await self._run(self._chat.pop, leaving)

    async def clear(self) -> Session:
        """Empty the conversation. `switch` can restore the messages until retention removes the session."""
        return await self._run(self._chat.clear)

    async def fork(self, at: str | None = None, *, session: str | None = None, title: str | None = None) -> AsyncChat:
        """Create a session that shares the messages up to and including `at` (by default the last), without copying."""
        return AsyncChat(self._run, await self._run(self._chat.fork, at, session=session, title=title))

    async def pin(self, message: str, pinned: bool = True) -> Message:
        """Pin a message, so that every prompt of the conversation contains it, or unpin it."""
        return await self._run(self._chat.pin, message, pinned)

    async def keep_private(self, message: str, private: bool = True) -> Message:
        """Make a message private: it stays in this conversation, and is removed from search, facts, summaries and titles."""
        return await self._run(self._chat.keep_private, message, private)

    async def rate(self, message: str, importance: float) -> Message:
        """Set the importance of a message, from 0 to 1."""
        return await self._run(self._chat.rate, message, importance)

    async def rename(self, title: str) -> Session:
        """Set the title of the session."""
        return await self._run(self._chat.rename, title)

    async def tag(self, *tags: str) -> Session:
        """Add tags to the session."""
        return await self._run(self._chat.tag, *tags)

    async def untag(self, *tags: str) -> Session:
        """Remove tags from the session."""
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
        """Change the given properties of the session and leave the others. A pinned session never expires.

        With `expected_revision`, raise `RevisionConflict` if the session has changed since.
        """
        return await self._run(
            self._chat.update,
            title=title,
            tags=tags,
            metadata=metadata,
            system_prompt=system_prompt,
            pinned=pinned,
            expected_revision=expected_revision,
        )

    async def archive(self) -> Session:
        """Archive the session: it can be read, searched and unarchived, but not added to."""
        return await self._run(self._chat.archive)

    async def unarchive(self) -> Session:
        """Make an archived session active again."""
        return await self._run(self._chat.unarchive)

    async def delete(self) -> Session:
        """Delete the session. It can be restored until retention purges it; `erase` removes it permanently."""
        return await self._run(self._chat.delete)

    async def restore(self) -> Session:
        """Restore a deleted session."""
        return await self._run(self._chat.restore)

    async def erase(self, message: str | None = None) -> EraseReceipt:
        """Remove a message, or the whole session, permanently; nothing of it is left in the store."""
        return await self._run(self._chat.erase, message)


class AsyncBlobStore:
    """Bytes by name, for `await`: every verb of `BlobStore` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         blobs = await memory.blobs(owner="u1")
    ...         await blobs.put({"settings": b"dark"})
    ...         return [blob.name for blob in await blobs.list()]
    >>> asyncio.run(main())
    ['settings']
    """

    def __init__(self, run: ThreadRunner, blobstore: BlobStore) -> None:
        self._run = run
        self._blobstore = blobstore

    async def get(self, *names: str) -> dict[str, Blob]:
        """Return the blobs of these names that exist."""
        return await self._run(self._blobstore.get, *names)

    async def put(self, contents: Mapping[str, bytes | None], *, expected: Mapping[str, int] | None = None) -> None:
        """Save each content under its name, or remove it for good (None): all or none. If `expected` names a revision (0: no
        such blob) and the blob has another one, raise `RevisionConflict` and change nothing.
        """
        await self._run(self._blobstore.put, contents, expected=expected)

    async def list(
        self, prefix: str = "", *, after: str | None = None, backwards: bool = False, limit: int = LIST_LIMIT
    ) -> builtins.list[Blob]:
        """List blobs whose names have the prefix, ascending or `backwards`, starting after the name `after`."""
        return await self._run(self._blobstore.list, prefix, after=after, backwards=backwards, limit=limit)

    async def clear(self, prefix: str = "") -> int:
        """Remove every blob whose name has the prefix, for good; return how many there were."""
        return await self._run(self._blobstore.clear, prefix)

    async def sessions(self) -> builtins.list[str]:
        """List the sessions of the owner that have blobs."""
        return await self._run(self._blobstore.sessions)


class AsyncMemory:
    """Every conversation of a store, for `await`: every verb of `Memory` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1", title="Travel")
    ...         return [session.title for session in await memory.sessions(owner="u1")]
    >>> asyncio.run(main())
    ['Travel']
    """

    def __init__(self, memory: Memory, run: ThreadRunner | None = None) -> None:
        self._memory = memory
        self._run = run or ThreadRunner()

    @classmethod
    async def over(cls, open_memory: Callable[[], Memory]) -> AsyncMemory:
        """An async memory over one that is opened in a worker thread."""
        run = ThreadRunner()
        return cls(await run(open_memory), run)

    async def close(self) -> None:
        """Ends watches and gives back files and threads; safe to call twice."""
        if not self._run.is_closed:
            await self._run(self._memory.close)
            self._run.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def tokenizer(self) -> str:
        """Return the name of the tokenizer that counts this store's messages."""
        return self._memory.tokenizer

    @property
    def embedder(self) -> str | None:
        """Return the name of the embedder used for search; None if the search is by words only."""
        return self._memory.embedder

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
        """Start a new conversation, or resume the one with the id `session`.

        An unknown session raises `NotFound`, unless `create` is set. A temporary session is kept in this process and never
        written to the store. With `pool`, the conversation belongs to a shared pool.
        """
        return AsyncChat(
            self._run,
            await self._run(
                self._memory.chat,
                owner=owner,
                session=session,
                pool=pool,
                create=create,
                temporary=temporary,
                title=title,
                system_prompt=system_prompt,
                tags=tags,
                metadata=metadata,
                created_at=created_at,
            ),
        )

    async def add_each(self, additions: Iterable[MessageAddition]) -> list[Message | KeepsaidError]:
        """Save messages of many conversations together, with one write to disk.

        Return for each the saved message or the error; an error does not affect the other messages.
        """
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
        """Return the owner's sessions, newest activity first.

        By default active and archived sessions; `status`, `tag` and `pinned` select others or fewer.
        """
        return await self._run(
            self._memory.sessions,
            owner=owner,
            status=status,
            tag=tag,
            pinned=pinned,
            since=since,
            until=until,
            pool=pool,
            limit=limit,
            cursor=cursor,
        )

    async def restore(self, *, owner: str, session: str, pool: str | None = None) -> AsyncChat:
        """Restore a deleted session and resume it."""
        return AsyncChat(self._run, await self._run(self._memory.restore, owner=owner, session=session, pool=pool))

    async def watch(
        self, *, owner: str, session: str | None = None, pool: str | None = None, after: ChangePosition | None = None
    ) -> AsyncWatch:
        """Watch the changes of an owner's memory or of one session as they happen, in any process.

        With `after`, the position of a change or of an earlier watch, it begins with the changes since then: none is missed
        or repeated. If there are too many of them, or the owner was erased since, the first change is a `reset`: read
        everything again.
        """
        watched = await self._run(self._memory._watched, owner, session, pool)  # pyright: ignore[reportPrivateUsage]
        return await AsyncWatch.over(self._run, *watched, after)

    async def position(self, *, owner: str, pool: str | None = None) -> ChangePosition:
        """Return the current position in the owner's changes; its `revision` grows with every change."""
        return await self._run(self._memory.position, owner=owner, pool=pool)

    async def blobs(self, *, owner: str, session: str | None = None, pool: str | None = None) -> AsyncBlobStore:
        """Return a store for bytes that a program keeps for an owner, or for a session, with which they are erased.

        The session need not have any messages.
        """
        return AsyncBlobStore(self._run, await self._run(self._memory.blobs, owner=owner, session=session, pool=pool))

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
        quota: QuotaCheck | None = None,
    ) -> Document:
        """Add a document (text, Markdown, HTML, PDF) to search; with `content`, `source` is only its name.

        A document of the same name is replaced when the new one is complete; the same bytes again change nothing. It belongs
        to the owner or pool, or with `session` to that conversation only. `quota` is called before anything is stored, with
        the number of bytes.
        """
        return await self._run(
            self._memory.ingest,
            source,
            owner=owner,
            name=name,
            session=session,
            pool=pool,
            media_type=media_type,
            content=content,
            chunk_tokens=chunk_tokens,
            overlap_tokens=overlap_tokens,
            progress=progress,
            quota=quota,
        )

    async def documents(self, *, owner: str, session: str | None = None, pool: str | None = None) -> list[Document]:
        """Return the documents of an owner or pool and, with `session`, those of that conversation, by name."""
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
    ) -> SearchHits:
        """Search the documents of the owner or pool and, with `session`, those of that conversation; best chunks first.

        `hit.title` is the document's name, `hit.message.metadata["place"]` the position of the chunk in it.
        """
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
        """Return the chunks of a document, in order; `message.metadata["place"]` is the position of each.

        `document` is its id or name; with `session`, a document of that conversation.
        """
        return await self._run(
            self._memory.chunks, document, owner=owner, session=session, pool=pool, limit=limit, cursor=cursor
        )

    async def remove_document(
        self, name: str, *, owner: str, session: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Remove a document and all its versions permanently, by its name or id.

        With `session`, a document of that conversation.
        """
        return await self._run(self._memory.remove_document, name, owner=owner, session=session, pool=pool)

    async def summaries(
        self, query: str | None = None, *, owner: str, session: str | None = None, pool: str | None = None, limit: int = 50
    ) -> list[Summary]:
        """Return summaries of conversations, latest activity first; with a query those that share words with it, best first.

        Each is the newest summary of the conversation's active branch. Short conversations have none.
        """
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
        """Return current facts about the owner, newest first; with a query those that share words with it.

        `as_of` selects the facts that were true at that time; `history` includes facts that are no longer true.
        """
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
        """Save a fact by hand.

        With `about`, it replaces an older fact about the same thing. A pinned fact is in every prompt.
        """
        return await self._run(
            self._memory.remember, text, owner=owner, pool=pool, kind=kind, subject=subject, about=about, pinned=pinned
        )

    async def edit_fact(self, fact: str, text: str, *, owner: str, pool: str | None = None) -> Fact:
        """Replace the text of a fact. The old fact stays in the history and ends now."""
        return await self._run(self._memory.edit_fact, fact, text, owner=owner, pool=pool)

    async def pin_fact(self, fact: str, pinned: bool = True, *, owner: str, pool: str | None = None) -> Fact:
        """Pin a fact, so that every prompt contains it, or unpin it."""
        return await self._run(self._memory.pin_fact, fact, pinned, owner=owner, pool=pool)

    async def forget_fact(self, fact: str, *, owner: str, pool: str | None = None, reopen: bool = False) -> None:
        """Remove a fact permanently. The messages it is based on stay; `erase` removes those.

        With `reopen`, facts that it had replaced are current again.
        """
        await self._run(self._memory.forget_fact, fact, owner=owner, pool=pool, reopen=reopen)

    async def hide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Keep a fact out of all prompts. It stays in the list of facts, marked as hidden."""
        return await self._run(self._memory.hide_fact, fact, owner=owner, pool=pool)

    async def unhide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Allow a hidden fact in prompts again."""
        return await self._run(self._memory.unhide_fact, fact, owner=owner, pool=pool)

    async def fact_history(self, *, owner: str, fact: str | None = None, pool: str | None = None) -> list[FactChange]:
        """Return changes made to the owner's facts by hand, newest first; with `fact`, those of it and its predecessors."""
        return await self._run(self._memory.fact_history, owner=owner, fact=fact, pool=pool)

    async def undo_fact_change(self, change: str, *, owner: str, pool: str | None = None) -> Fact:
        """Undo a change of a fact and return the resulting fact."""
        return await self._run(self._memory.undo_fact_change, change, owner=owner, pool=pool)

    async def noted_facts(self, message: str, *, owner: str) -> list[Fact]:
        """Return the facts that were extracted from a message of the owner's own conversations.

        If the message is still waiting for extraction, it is done first, unless a language model extracts facts or the queue
        is long.
        """
        return await self._run(self._memory.noted_facts, message, owner=owner)

    async def profile(self, *, owner: str, budget: int | None = None) -> Profile:
        """Return what holds for the owner whatever the question, within `budget` tokens.

        That is: standing instructions and constraints, identity, close people, lasting preferences, possessions and current
        projects. A new conversation has it at the beginning of its prompts.
        """
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
        """Export all data of an owner, or one conversation, to a file.

        The format is `json`, which `import_` reads without loss, or `markdown`, for people to read.
        """
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
        quota: QuotaCheck | None = None,
    ) -> ImportReport:
        """Import an export of Keepsaid or of another program (docs/import.md).

        What is in the store already is skipped, so an import can be repeated. `progress` is called with the number of bytes
        read. If the file cannot be read to its end, what came before is kept, and `ImportProblem.report` counts it. `quota`
        is called before each step with the messages and bytes to be stored; the `QuotaExceeded` that it raises has a report,
        too.
        """
        return await self._run(
            self._memory.import_,
            source,
            owner=owner,
            pool=pool,
            format=format,
            dry_run=dry_run,
            progress=progress,
            quota=quota,
        )

    async def erase(
        self, *, owner: str, session: str | None = None, message: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Remove all data of an owner, a session or a message permanently; report what was removed and verified."""
        return await self._run(self._memory.erase, owner=owner, session=session, message=message, pool=pool)

    async def retention(self, *, dry_run: bool | None = None, rest: timedelta | None = None) -> RetentionReport:
        """Delete expired sessions and purge sessions that were deleted long ago. Safe to run twice or from two processes.

        The first run on a store is a dry run that only reports, and so are runs within `rest` after it, unless
        `dry_run=False`. The same holds whenever the retention settings change. Facts of expired sessions stay, unless the
        setting `retention_facts` is `purge`.
        """
        return await self._run(self._memory.retention, dry_run=dry_run, rest=rest)

    async def check(self, *, repair: bool = False) -> StoreDiagnosis:
        """Check rows, keyword index and counters for consistency; with `repair`, fix what is wrong."""
        return await self._run(self._memory.check, repair=repair)

    async def warnings(self) -> list[str]:
        """Return warnings for the operator of the store, such as that its server does not write to disk."""
        return await self._run(self._memory.warnings)

    async def maintain(self, *, progress: Progress | None = None) -> int:
        """Do pending work now: embed messages, extract facts, complete an erase that had to wait.

        Background workers do the same on their own. Return how many messages were embedded; `progress` is called with the
        number done and the total.
        """
        return await self._run(self._memory.maintain, progress=progress)

    async def coverage(self) -> VectorCoverage | None:
        """Return how many messages have vectors, and how many there are; None without an embedder."""
        return await self._run(self._memory.coverage)

    async def stats(self, *, owner: str | None = None, days: int = 30) -> MemoryStats:
        """Return usage statistics of an owner, or with None of the whole store.

        They have totals, and the activity on each of the last `days` days, including today.
        """
        return await self._run(self._memory.stats, owner=owner, days=days)

    async def usage(self, *, owner: str, pool: str | None = None) -> StorageUsage:
        """Return how much an owner or pool has in the store, for quotas.

        Cheap to call often: what was counted is not counted again, unless something was erased.
        """
        return await self._run(self._memory.usage, owner=owner, pool=pool)

    async def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        """Copy the store to a new file while it is in use; the copy has the same key. `progress` counts bytes."""
        await self._run(self._memory.backup, target, progress=progress)

    async def create_pool(self, name: str, *, owner: str) -> str:
        """Create a shared memory and return its id. The owner becomes its admin and can grant access to others."""
        return await self._run(self._memory.create_pool, name, owner=owner)

    async def grant(self, pool: str, *, to: str, by: str, access: str = "read") -> None:
        """Allow an owner to read, write or administer a pool; `by` must be one of its admins."""
        await self._run(self._memory.grant, pool, to=to, by=by, access=access)

    async def revoke(self, pool: str, *, of: str, by: str) -> None:
        """Revoke an owner's access to a pool; `by` must be an admin, or the same owner."""
        await self._run(self._memory.revoke, pool, of=of, by=by)

    async def pools(self, *, owner: str) -> list[PoolGrant]:
        """Return the pools that an owner has access to."""
        return await self._run(self._memory.pools, owner=owner)

    async def members(self, pool: str, *, owner: str) -> list[PoolGrant]:
        """Return the members of a pool; `owner` must be one of them."""
        return await self._run(self._memory.members, pool, owner=owner)

    async def replay(self, receipt_id: str, *, owner: str | None = None) -> PromptReplay:
        """Rebuild the messages that were sent for a turn from its receipt. With `owner`, only a receipt of that owner."""
        return await self._run(self._memory.replay, receipt_id, owner=owner)

    async def receipt(self, receipt_id: str, *, owner: str) -> PromptReceipt:
        """Return the receipt of one prompt of an owner."""
        return await self._run(self._memory.receipt, receipt_id, owner=owner)

    async def receipts(
        self, *, owner: str, session: str | None = None, pool: str | None = None, limit: int = 20
    ) -> list[PromptReceipt]:
        """Return the receipts of prompts, newest first: sections, sources, scores and near misses."""
        return await self._run(self._memory.receipts, owner=owner, session=session, pool=pool, limit=limit)

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
        exclude_session: str | None = None,
        plain: bool = False,
    ) -> SearchHits:
        """Search messages by words and by meaning, in all conversations that are not deleted; best first.

        Words like "last week" or "in March" are relative to `now` (the caller's time and time zone). A query may contain
        `role:user`, `tag:work`, `before:2026-05-01`, `after:…`, `session:…`, `"a phrase"` and `-word`, at most 32 of a kind
        (else `InvalidInput`). With `plain`, nothing in the query is an operator: use it for text written to an
        assistant. Scores are from 0 to 1; `mode` is `full`, `words` or `meaning`.
        """
        return await self._run(
            self._memory.search,
            query,
            owner=owner,
            pool=pool,
            session=session,
            roles=roles,
            tags=tags,
            since=since,
            until=until,
            min_importance=min_importance,
            min_score=min_score,
            limit=limit,
            now=now,
            mode=mode,
            exclude_session=exclude_session,
            plain=plain,
        )

    async def relevant_context(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        max_tokens: int | None = None,
        now: datetime | None = None,
        exclude_session: str | None = None,
    ) -> RelevantContext:
        """Return what is relevant to a question, within `max_tokens`, as text for a prompt of your own.

        Nothing in the question is an operator. `exclude_session` is a session to leave out.
        """
        return await self._run(
            self._memory.relevant_context,
            query,
            owner=owner,
            pool=pool,
            max_tokens=max_tokens,
            now=now,
            exclude_session=exclude_session,
        )
