"""`Memory`: the verbs over all conversations of a store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO, get_args

from recollect.chat import Chat
from recollect.config import DEFAULTS, Settings
from recollect.engine import cursor as cursors
from recollect.engine import lifecycle
from recollect.engine.hygiene import (
    clean_limit,
    clean_metadata,
    clean_moment,
    clean_name,
    clean_share,
    clean_tags,
    clean_text,
)
from recollect.engine.intake import clean_roles
from recollect.engine.query_words import search_terms
from recollect.errors import Conflict, InvalidInput, NotFound, RecollectError, StorageError
from recollect.kit import Kit, system_clock
from recollect.ports import (
    ALL,
    ArtifactQuery,
    Artifacts,
    Backup,
    Cautious,
    Checkup,
    Clock,
    Coverage,
    Figures,
    Progress,
    Storage,
    TokenCounter,
)
from recollect.prompter import Prompter
from recollect.reports import Diagnosis, EraseReceipt, ExportReport, ImportReport, RetentionReport, Stats, Usage
from recollect.senses import NO_SENSES, Senses
from recollect.staff import Staff
from recollect.types import (
    MICROSECOND,
    Access,
    Addition,
    Document,
    Fact,
    FactChange,
    FactKind,
    Filters,
    Grant,
    Hits,
    Mark,
    Message,
    Microseconds,
    Page,
    RetentionPolicy,
    Scope,
    Session,
    SessionQuery,
    Status,
    Summary,
    microseconds,
)
from recollect.watch import Dispatcher, Watch

if TYPE_CHECKING:
    from recollect.drawer import Drawer
    from recollect.prompt import Context, Profile, Receipt, Relevant, Replay
    from recollect.turn import Turn

STATUSES = {status.value: status for status in Status}
MODES = ("full", "words", "meaning")
RECEIPTS_AT_ONCE = 1_000
REHEARSED = "retention_rehearsed"
TEMPORARY = RetentionPolicy(30.0, 30.0, 30.0, keep_facts=False)
"""How long temporary sessions are kept where the settings keep others for ever."""
OVERFETCH = 20
"""Hits from which `relevant_context` keeps what fits."""
FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)


class Memory:
    """Every conversation of a store. Make one with `recollect.open`; close it, or use it in a `with`.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     _ = chat.add("user", "My sister moved to Lisbon in May.")
    ...     [session.message_count for session in memory.sessions(owner="u1")]
    [1]
    """

    def __init__(
        self,
        storage: Storage,
        scratch: Storage,
        counter: TokenCounter,
        *,
        settings: Settings = DEFAULTS,
        clock: Clock = system_clock,
        senses: Senses = NO_SENSES,
    ) -> None:
        self._kit = Kit.of(clock, counter, settings.retention_policy, settings.redact_stored)
        self._settings = settings
        self._storage = storage
        self._staff = Staff(self._kit, storage, settings, senses)
        self._in_background = senses.background
        if senses.background:
            storage.on_commit(self._staff.wake)
        self._scratch = scratch
        self._scratch_staff = Staff(self._kit, scratch, settings, NO_SENSES, self._staff)
        self._dispatcher = Dispatcher(storage)
        self._scratch_dispatcher = Dispatcher(scratch)

    @property
    def tokenizer(self) -> str:
        """The name of the tokenizer that counts this store's messages.

        >>> import recollect
        >>> recollect.open("memory://").tokenizer
        'o200k_base'
        """
        return self._kit.counter.name

    @property
    def embedder(self) -> str | None:
        """The name of the embedder that this memory searches with; None if it searches by words.

        >>> import recollect
        >>> recollect.open("memory://", embedder="off").embedder
        """
        return None if self._staff.vectorizer is None else self._staff.vectorizer.embedder.name

    # -- conversations

    def chat(
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
    ) -> Chat:
        """A new conversation, or with `session` an earlier one.

        An unknown session is refused with `NotFound`, or made if `create` is set. Nothing of a temporary one is ever
        written to the store. `pool` makes or resumes a conversation in a shared pool.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> chat = memory.chat(owner="u1", title="Travel")
        >>> memory.chat(owner="u1", session=chat.id).info().title
        'Travel'
        """
        scope = self._scope(owner, session, pool)
        temporary = temporary or not self._settings.persist or self._is_temporary(scope)
        if temporary and pool is not None:
            raise InvalidInput("a temporary session cannot be in a pool: nobody else could read it")
        if session is not None:
            try:
                return self._resumed(scope, temporary)
            except NotFound:
                if not create:
                    raise
        now = self._kit.now()
        moment = now if created_at is None else microseconds(clean_moment(created_at, "created_at"))
        id = session or self._kit.new_id(now)
        new = Session(
            id, owner, None if title is None else clean_text(title, "title"), moment, moment, now, Status.ACTIVE, 0, 0,
            False, 1, 0, None if system_prompt is None else clean_text(system_prompt, "system_prompt"), None, None,
            clean_tags(tags), clean_metadata(metadata), pool, temporary,
        )  # fmt: skip
        try:
            self._home(temporary).create_session(scope.of(id), new)
        except Conflict:
            # Somebody else made it since we looked; if it is deleted, this says so.
            return self._resumed(scope.of(id), temporary)
        return self._handle(scope.of(id), temporary)

    def add_each(self, additions: Iterable[Addition]) -> list[Message | RecollectError]:
        """Saves messages of many conversations together, with one trip to the disk. Returns for each the saved message, or
        why it could not be saved, which harms none of the others.

        >>> import recollect
        >>> from recollect import Addition, Draft
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1", session="trip", create=True)
        >>> words = Draft("user", "Hello")
        >>> saved, refused = memory.add_each([Addition("u1", "trip", words), Addition("u1", "nowhere", words)])
        >>> saved.text, type(refused).__name__
        ('Hello', 'NotFound')
        """
        from recollect.additions import add_each

        return add_each(self._kit, lambda scope: self._home(self._is_temporary(scope)), additions)

    def sessions(
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
        """The owner's sessions, newest activity first: active and archived ones, or those of one `status`; those with a
        `tag`; those that are `pinned`, or are not.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> for name in ("one", "two", "three"):
        ...     _ = memory.chat(owner="u1", session=name, create=True)
        >>> page = memory.sessions(owner="u1", limit=2)
        >>> rest = memory.sessions(owner="u1", limit=2, cursor=page.next)
        >>> len(page), len(rest), rest.next
        (2, 1, None)
        """
        scope = self._scope(owner, None, pool)
        query = SessionQuery(
            status=None if status is None else _status(status),
            tag=None if tag is None else clean_name(tag, "tag"),
            since=None if since is None else microseconds(clean_moment(since, "since")),
            until=None if until is None else microseconds(clean_moment(until, "until")),
            limit=(self._settings.sessions_limit if limit is None else clean_limit(limit, "limit")) + 1,
            pinned=None if pinned is None else bool(pinned),
        )
        key = ("sessions", owner, pool, status, tag, query.since, query.until, *(() if pinned is None else (query.pinned,)))
        if cursor is not None:
            query = replace(query, after=cursors.unseal(key, cursor))
        found = self._storage.list_sessions(scope, query)
        shown = self._kit.all_shown(found[: query.limit - 1])
        more = len(found) == query.limit
        return Page(shown, cursors.seal(key, shown[-1].updated, shown[-1].id) if more else None)

    def restore(self, *, owner: str, session: str, pool: str | None = None) -> Chat:
        """Brings a deleted session back, and resumes it.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.delete()
        >>> memory.restore(owner="u1", session=chat.id).id == chat.id
        True
        """
        scope = self._scope(owner, session, pool)
        chat = self._handle(scope, self._is_temporary(scope))
        chat.restore()
        return chat

    def search(
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
        """Messages that answer a question, best first, by words and by meaning, from all conversations not deleted.

        Words like "last week" or "in March" are understood as seen from `now` (the caller's time and time zone). A query may
        say `role:user`, `tag:work`, `before:2026-05-01`, `after:…`, `session:…`, `"a phrase"` and `-word`; a `plain` one,
        such as what somebody said to an assistant, is only words. The score goes from 0 to 1; `mode` is `full`, `words` or
        `meaning`. What was said in the session `besides` is left out.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
        >>> hit = memory.search("where do my sisters live?", owner="u1")[0]
        >>> hit.passage, hit.reason.split(";")[0]
        ('My sister moved to Lisbon in May.', "matches 'sisters'")
        """
        if mode not in MODES:
            raise InvalidInput(f"unknown mode {mode!r}; known are {', '.join(MODES)}")
        filters = Filters(
            () if session is None else (clean_name(session, "session"),),
            clean_roles(roles),
            clean_tags(tags),
            None if since is None else microseconds(clean_moment(since, "since")),
            None if until is None else microseconds(clean_moment(until, "until")),
            clean_share(min_importance, "min_importance"),
            () if besides is None else (clean_name(besides, "besides"),),
        )
        if filters.since is not None and filters.until is not None and filters.since >= filters.until:
            raise InvalidInput("`since` must be before `until`: nothing can be in between")
        moment = self._kit.clock().astimezone() if now is None else clean_moment(now, "now")
        from recollect.recall import Request

        limit = self._settings.recall_limit if limit is None else clean_limit(limit, "limit")
        if self._in_background:
            self._staff.start()
        usual = self._settings.context_min_score if plain else self._settings.recall_min_score
        if self._settings.reranker is not None:
            usual = 0.0  # where another judge orders the hits, ours is no reason to leave one out
        lowest = usual if min_score is None else clean_share(min_score, "min_score")
        hits = self._staff.recall.search(
            Request(query, self._scope(owner, None, pool), moment, filters, limit, lowest, mode, plain)
        )
        if self._staff.embedding is not None and self._staff.embedding.failure:
            hits.fallbacks += (f"new messages are found by words alone: {self._staff.embedding.failure}",)
        return hits

    def watch(self, *, owner: str, session: str | None = None, pool: str | None = None, after: Mark | None = None) -> Watch:
        """Everything that happens in an owner's memory, or in one session, as it happens, in any process.

        With `after`, the mark of a change or of an earlier watch, it begins with what happened since: nothing is missed, and
        nothing told twice. Who was away too long, or whose mark is of another life of the store, is told to read anew
        (`reset`).

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> with memory.watch(owner="u1") as changes:
        ...     chat = memory.chat(owner="u1")
        ...     changes.get(timeout=5).kind
        'session'
        """
        return Watch(*self._watched(owner, session, pool), after)

    def _watched(self, owner: str, session: str | None, pool: str | None) -> tuple[Dispatcher, Scope]:
        """What a watch follows; an error if there is no such session."""
        if session is not None:
            return self.chat(owner=owner, session=session, pool=pool)._watched()  # pyright: ignore[reportPrivateUsage]
        return self._dispatcher, self._scope(owner, None, pool)

    def mark(self, *, owner: str, pool: str | None = None) -> Mark:
        """How far the owner's memory has come; `mark.revision` grows with every change.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> before = memory.mark(owner="u1").revision
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> memory.mark(owner="u1").revision > before
        True
        """
        return self._storage.last_mark(self._scope(owner, None, pool))

    # -- documents

    def ingest(
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
        """Reads a file (text, Markdown, HTML, PDF), so that its pieces can be found; with `content`, `source` is a name.

        A document of the same name is replaced, once the new one is whole; the same bytes again change nothing. It belongs
        to the owner or pool, or with `session` to that conversation alone.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.ingest("guide.md", content="# Install\\n\\nRun setup.exe.", owner="u1").version
        1
        >>> memory.ingest("guide.md", content="# Install\\n\\nRun install.sh.", owner="u1").version
        2
        >>> hit = memory.search_documents("how do I install it?", owner="u1")[0]
        >>> hit.title, hit.message.metadata["place"], hit.message.text
        ('guide.md', '§ Install', '# Install\\n\\nRun install.sh.')
        """
        from recollect.documents import given

        scope = self._scope(owner, session, pool)
        if self._is_temporary(scope):
            raise InvalidInput("a temporary session can have no documents: nothing of it is ever written")
        size = self._settings.chunk_tokens if chunk_tokens is None else clean_limit(chunk_tokens, "chunk_tokens")
        overlap = (
            self._settings.chunk_overlap if overlap_tokens is None else clean_limit(overlap_tokens, "overlap_tokens", 0)
        )
        return self._staff.documents.ingest(scope, given(source, name, content, media_type), size, overlap, progress)

    def documents(self, *, owner: str, session: str | None = None, pool: str | None = None) -> list[Document]:
        """The documents of an owner or pool and, with `session`, those of that conversation, by name.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.ingest("guide.md", content="Run setup.exe.", owner="u1")
        >>> [document.name for document in memory.documents(owner="u1")], memory.documents(owner="u2")
        (['guide.md'], [])
        """
        return self._staff.documents.listed(self._scope(owner, session, pool))

    def search_documents(
        self,
        query: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int | None = None,
        min_score: float | None = None,
    ) -> Hits:
        """Pieces of documents that answer a question, best first: of the owner's or pool's and, with `session`, of that
        conversation's.

        `hit.title` is the document's name, and `hit.message.metadata["place"]` where the piece is in it.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.ingest("guide.md", content="# Backup\\n\\nCopy the folder once a week.", owner="u1")
        >>> [hit.title for hit in memory.search_documents("how often is the folder copied?", owner="u1")]
        ['guide.md']
        """
        from recollect.recall import Request

        limit = self._settings.documents_limit if limit is None else clean_limit(limit, "limit")
        lowest = self._settings.documents_min_score if min_score is None else clean_share(min_score, "min_score")
        scope, now = self._scope(owner, session, pool), self._kit.clock().astimezone()
        return self._staff.documents.search(Request(query, scope, now, limit=limit, min_score=lowest))

    def chunks(
        self,
        document: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Message]:
        """The pieces of a document, in order; `message.metadata["place"]` is where each is in it. `document` is its id or
        its name; with `session`, that of a conversation's own.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> guide = memory.ingest("guide.md", content="# Backup\\n\\nCopy the folder.", owner="u1")
        >>> [(piece.text, piece.metadata["place"]) for piece in memory.chunks(guide.id, owner="u1")]
        [('# Backup\\n\\nCopy the folder.', '§ Backup')]
        """
        scope, name = self._scope(owner, session, pool), clean_name(document, "document")
        return self._staff.documents.chunks(scope, name, clean_limit(limit, "limit"), cursor)

    def remove_document(self, name: str, *, owner: str, session: str | None = None, pool: str | None = None) -> EraseReceipt:
        """Removes a document, by its name or id, with all its versions for good; with `session`, the one of that
        conversation.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.ingest("guide.md", content="Run setup.exe.", owner="u1")
        >>> memory.remove_document("guide.md", owner="u1").messages, memory.documents(owner="u1")
        (1, [])
        """
        return self._staff.documents.remove(self._scope(owner, session, pool), clean_name(name, "name"))

    # -- summaries and facts

    def drawer(self, *, owner: str, session: str | None = None, pool: str | None = None) -> Drawer:
        """A drawer for bytes that a program keeps beside conversations: the owner's own, or those of a session, which go
        when it is erased. The session need not have any messages.

        >>> import recollect
        >>> drawer = recollect.open("memory://").drawer(owner="u1")
        >>> drawer.put({"settings": b"dark"})
        >>> drawer.get("settings")["settings"].content
        b'dark'
        """
        from recollect.drawer import Drawer

        scope = self._scope(owner, session, pool)
        temporary = (not self._settings.persist and pool is None) or self._is_temporary(scope)
        return Drawer(scope, self._home(temporary))

    def summaries(
        self,
        query: str | None = None,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 50,
    ) -> list[Summary]:
        """What conversations were about, by their latest activity; with a query those that share words with it, best first.

        Each is the newest summary of the way that its conversation went; one that is short has none.

        >>> import recollect
        >>> memory = recollect.open("memory://", background=False)
        >>> chat = memory.chat(owner="u1")
        >>> for number in range(40):
        ...     _ = chat.add("user", f"I bought {number} books about Lisbon for 20 euros.")
        >>> _ = memory.maintain()
        >>> [summary.session == chat.id for summary in memory.summaries("Lisbon", owner="u1")]
        [True]
        """
        words = () if query is None else search_terms(clean_text(query, "query"))
        if query is not None and not words:
            return []
        return self._staff.summaries.listed(self._scope(owner, session, pool), words, clean_limit(limit, "limit"))

    def facts(
        self,
        query: str | None = None,
        *,
        owner: str,
        pool: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
        limit: int = 200,
    ) -> list[Fact]:
        """What is known about the owner: current facts, newest first; with a query those that share words with it.

        `as_of` gives those that were true at a moment, `history` also those that no longer are.

        >>> import recollect
        >>> memory = recollect.open("memory://", background=False)
        >>> _ = memory.chat(owner="u1").add("user", "I live in Lisbon.")
        >>> _ = memory.maintain()
        >>> [fact.text for fact in memory.facts(owner="u1")]
        ['User lives in Lisbon']
        """
        moment = self._kit.clock() if as_of is None else clean_moment(as_of, "as_of")
        words = () if query is None else search_terms(clean_text(query, "query"))
        if query is not None and not words:
            return []
        when = None if history else microseconds(moment)
        found = ArtifactQuery("fact", terms=words, as_of=when, limit=clean_limit(limit, "limit"))
        return self._staff.book.listed(self._scope(owner, None, pool), found)

    def remember(
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
        """Writes a fact down by hand. With `about`, it takes the place of an older one about the same thing; a pinned one
        is in every prompt.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.remember("Allergic to nuts", owner="u1", pinned=True).pinned
        True
        """
        if kind not in FACT_KINDS:
            raise InvalidInput(f"unknown kind {kind!r}; known are {', '.join(FACT_KINDS)}")
        scope = self._scope(owner, None, pool)
        words = clean_text(text, "text"), kind, clean_text(subject, "subject"), clean_text(about, "about")
        if not text.strip():
            raise InvalidInput("the fact is empty")
        return self._staff.fact_editor.remember(scope, *words, bool(pinned))

    def edit_fact(self, fact: str, text: str, *, owner: str, pool: str | None = None) -> Fact:
        """Says a fact in other words. The old one stays in the history, ended now.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> fact = memory.remember("Likes tea", owner="u1")
        >>> memory.edit_fact(fact.id, "Likes green tea", owner="u1").text, len(memory.facts(owner="u1", history=True))
        ('Likes green tea', 2)
        """
        scope = self._scope(owner, None, pool)
        return self._staff.fact_editor.edit(scope, clean_name(fact, "fact id"), clean_text(text, "text"))

    def pin_fact(self, fact: str, pinned: bool = True, *, owner: str, pool: str | None = None) -> Fact:
        """Makes a fact one that every prompt has, or not.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.pin_fact(memory.remember("Likes tea", owner="u1").id, owner="u1").pinned
        True
        """
        return self._staff.fact_editor.pin(self._scope(owner, None, pool), clean_name(fact, "fact id"), bool(pinned))

    def forget_fact(self, fact: str, *, owner: str, pool: str | None = None, reopen: bool = False) -> None:
        """Removes a fact for good. What was said stays; `erase` removes that. With `reopen`, facts whose place it had taken
        are current again, as if it had never been noted.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.forget_fact(memory.remember("Likes tea", owner="u1").id, owner="u1")
        >>> memory.facts(owner="u1")
        []
        """
        self._staff.fact_editor.forget(self._scope(owner, None, pool), clean_name(fact, "fact id"), reopen)

    def hide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Keeps a fact out of all prompts. It stays in the list of facts, marked as hidden.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.hide_fact(memory.remember("Likes tea", owner="u1").id, owner="u1").hidden
        True
        """
        return self._staff.fact_editor.hide(self._scope(owner, None, pool), clean_name(fact, "fact id"), True)

    def unhide_fact(self, fact: str, *, owner: str, pool: str | None = None) -> Fact:
        """Lets a hidden fact into prompts again.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> fact = memory.hide_fact(memory.remember("Likes tea", owner="u1").id, owner="u1")
        >>> memory.unhide_fact(fact.id, owner="u1").hidden
        False
        """
        return self._staff.fact_editor.hide(self._scope(owner, None, pool), clean_name(fact, "fact id"), False)

    def fact_history(self, *, owner: str, fact: str | None = None, pool: str | None = None) -> list[FactChange]:
        """What a person changed about the owner's facts, or about one of them and what it was before: newest first.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> fact = memory.edit_fact(memory.remember("Likes tea", owner="u1").id, "Likes green tea", owner="u1")
        >>> [(change.what, change.before, change.after) for change in memory.fact_history(owner="u1", fact=fact.id)]
        [('edited', 'Likes tea', 'Likes green tea')]
        """
        wanted = None if fact is None else clean_name(fact, "fact id")
        return self._staff.fact_editor.history(self._scope(owner, None, pool), wanted)

    def undo_fact_change(self, change: str, *, owner: str, pool: str | None = None) -> Fact:
        """Takes a change of a fact back, and returns the fact as it is then.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> fact = memory.edit_fact(memory.remember("Likes tea", owner="u1").id, "Likes green tea", owner="u1")
        >>> memory.undo_fact_change(memory.fact_history(owner="u1")[0].id, owner="u1").text
        'Likes tea'
        """
        return self._staff.fact_editor.undo(self._scope(owner, None, pool), clean_name(change, "change id"))

    def profile(self, *, owner: str, budget: int | None = None) -> Profile:
        """What holds for the owner whatever is asked, within so many tokens: standing instructions and constraints, who they
        are, the people close to them, lasting preferences, what they own, current projects. A conversation that begins now
        has it in the head of its prompts.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "I live in Lisbon. From now on use metric units.")
        >>> [line.text for line in memory.profile(owner="u1").lines]
        ['The user asks: "From now on use metric units"', 'User lives in Lisbon']
        """
        limit = self._settings.profile_tokens if budget is None else clean_limit(budget, "budget")
        return self._staff.profiles.profile(self._scope(owner, None, None), limit)

    def noted_facts(self, message: str, *, owner: str) -> list[Fact]:
        """The facts that rest on a message of the owner's own conversations. Notes it still waits for are taken first, where
        rules take them.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> message = memory.chat(owner="u1").add("user", "I live in Lisbon.")
        >>> [fact.text for fact in memory.noted_facts(message.id, owner="u1")]
        ['User lives in Lisbon']
        """
        scope, id = self._scope(owner, None, None), clean_name(message, "message id")
        known = self._storage.known(scope, [id]).get(id)
        if known is None or not known.number:
            return []
        self._staff.note_soon(scope)
        query = ArtifactQuery("fact", numbers=(known.number,), as_of=self._kit.now())
        return self._staff.book.listed(scope, query)

    # -- in and out

    def export(
        self,
        target: str | os.PathLike[str] | TextIO,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        format: str = "json",
        progress: Progress | None = None,
    ) -> ExportReport:
        """Writes everything of an owner (or one conversation) to a file: `json`, which `import_` reads again without loss,
        or `markdown`, for people to read.

        >>> import io, recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1", session="trip", create=True).add("user", "My sister moved to Lisbon.")
        >>> kept = io.StringIO()
        >>> memory.export(kept, owner="u1").messages
        1
        """
        from recollect.transfer import export

        scope = self._scope(owner, session, pool)
        return export(self._home(self._is_temporary(scope)), scope, target, format, progress)

    def import_(
        self,
        source: str | os.PathLike[str],
        *,
        owner: str,
        pool: str | None = None,
        format: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Reads what Recollect exported, or an export of another program (docs/import.md); what is here already is passed
        over, so it may be repeated. `progress` is told how many bytes are read.

        Where the file cannot be read to its end, what came before is kept, and `ImportProblem.report` counts it.

        >>> import recollect, tempfile
        >>> kept = tempfile.mkdtemp() + "/kept.json"
        >>> memory, other = recollect.open("memory://"), recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        >>> _ = memory.export(kept, owner="u1")
        >>> other.import_(kept, owner="u1").messages, other.import_(kept, owner="u1").already_there
        (1, 1)
        """
        from recollect.transfer import import_file

        with self._staff.resting():
            return import_file(
                self._kit, self._storage, self._scope(owner, None, pool), Path(source), format, dry_run, progress
            )

    # -- prompts

    def relevant_context(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        max_tokens: int | None = None,
        now: datetime | None = None,
        besides: str | None = None,
    ) -> Relevant:
        """What is relevant to a question, within a number of tokens, as text to put into a prompt of one's own. The question
        is somebody's own words: nothing in it is an instruction. What was said in the session `besides` is left out.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
        >>> found = memory.relevant_context("where does my sister live?", owner="u1")
        >>> found.tokens < 100, [hit.message.text for hit in found.hits]
        (True, ['My sister moved to Lisbon in May.'])
        """
        from recollect.engine.compile.relevant import relevant
        from recollect.engine.redact.censor import Censor

        limit = self._settings.relevant_tokens if max_tokens is None else clean_limit(max_tokens, "max_tokens", 0)
        lowest = self._settings.context_min_score
        hits = self.search(
            query, owner=owner, pool=pool, limit=OVERFETCH, min_score=lowest, now=now, besides=besides, plain=True
        )
        return relevant(hits, limit, self._kit.counter.count, Censor(self._settings.redact_sent))

    def replay(self, receipt_id: str, *, owner: str | None = None) -> Replay:
        """The very messages that a turn was given, rebuilt from its receipt. With `owner`, only if it is his.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> context = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.replay(context.receipt_id).messages == context.messages
        True
        """
        scope = None if owner is None else self._scope(owner, None, None)
        try:
            return self._scratch_staff.receipts.replay(scope, receipt_id)
        except NotFound:
            return self._staff.receipts.replay(scope, receipt_id)

    def receipt(self, receipt_id: str, *, owner: str) -> Receipt:
        """What one turn of an owner was given, by reference.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> context = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.receipt(context.receipt_id, owner="u1").data["tokens"] == context.tokens
        True
        """
        scope = self._scope(owner, None, None)
        try:
            return self._scratch_staff.receipts.one(scope, receipt_id)
        except NotFound:
            return self._staff.receipts.one(scope, receipt_id)

    def receipts(self, *, owner: str, session: str | None = None, pool: str | None = None, limit: int = 20) -> list[Receipt]:
        """What turns were given, newest first: sections, where everything came from, scores, near misses.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.receipts(owner="u1")[0].question
        'Hello?'
        """
        scope = self._scope(owner, session, pool)
        staff = self._scratch_staff if self._is_temporary(scope) else self._staff
        return staff.receipts.listed(scope, clean_limit(limit, "limit"))

    # -- shared pools

    def create_pool(self, name: str, *, owner: str) -> str:
        """A shared memory. Returns its id; the owner becomes its admin and can grant it to others.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> _ = memory.chat(owner="u1", pool=team).add("user", "The office code is 4711.")
        >>> memory.grant(team, to="u2", by="u1")
        >>> memory.search("office code", owner="u2", pool=team)[0].message.author
        'u1'
        """
        now = self._kit.now()
        pool = self._kit.new_id(now)
        self._storage.create_pool(pool, clean_text(name, "name"), clean_name(owner, "owner"), now)
        return pool

    def grant(self, pool: str, *, to: str, by: str, access: str = "read") -> None:
        """Lets an owner read, write or administer a pool; `by` must be one of its admins.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> memory.grant(team, to="u2", by="u1", access="write")
        >>> [str(grant.access) for grant in memory.pools(owner="u2")]
        ['write']
        """
        if access not in tuple(Access):
            raise InvalidInput(f"unknown access {access!r}; known are {', '.join(Access)}")
        self._storage.grant(
            clean_name(pool, "pool"), clean_name(by, "owner"), clean_name(to, "owner"), Access(access), self._kit.now()
        )

    def revoke(self, pool: str, *, of: str, by: str) -> None:
        """Takes an owner's access to a pool away; everyone may take away his own.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> memory.grant(team, to="u2", by="u1")
        >>> memory.revoke(team, of="u2", by="u2")
        >>> memory.pools(owner="u2")
        []
        """
        self._storage.grant(
            clean_name(pool, "pool"), clean_name(by, "owner"), clean_name(of, "owner"), None, self._kit.now()
        )

    def pools(self, *, owner: str) -> list[Grant]:
        """The pools that an owner may use.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.create_pool("team", owner="u1")
        >>> [(grant.name, str(grant.access)) for grant in memory.pools(owner="u1")]
        [('team', 'admin')]
        """
        return self._storage.grants(clean_name(owner, "owner"))

    def members(self, pool: str, *, owner: str) -> list[Grant]:
        """Who may use a pool, for one who may.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> [grant.owner for grant in memory.members(team, owner="u1")]
        ['u1']
        """
        return self._storage.grants(clean_name(owner, "owner"), clean_name(pool, "pool"))

    # -- forgetting

    def erase(
        self, *, owner: str, session: str | None = None, message: str | None = None, pool: str | None = None
    ) -> EraseReceipt:
        """Removes everything of an owner (or a session, or a message) for good, and says what was removed and verified.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> receipt = memory.erase(owner="u1")
        >>> receipt.sessions, receipt.messages, len(memory.sessions(owner="u1"))
        (1, 1, 0)
        """
        if message is not None and session is None:
            raise InvalidInput("name the session of the message, too")
        scope = self._scope(owner, session, pool)
        if session is not None:
            return self._handle(scope, self._is_temporary(scope)).erase(message)
        if pool is None:
            self._scratch_staff.write_receipts()
            self._scratch.erase(scope, None, self._kit.now())
        with self._staff.resting():
            receipt = self._storage.erase(scope, None, self._kit.now())
        return self._staff.tidied(receipt)

    def retention(self, *, dry_run: bool | None = None, rest: timedelta | None = None) -> RetentionReport:
        """Cleans up: expired sessions are deleted, long deleted ones purged. Safe to run twice or from two processes. Facts
        of expired sessions stay, unless the setting `retention_facts` is `purge`.

        The first clean-up of a store is a rehearsal that only reports, and so are those within `rest` of it, unless
        `dry_run=False` says to go ahead. The same holds whenever the retention settings change.

        >>> import recollect
        >>> recollect.open("memory://").retention(dry_run=True).total
        0
        """
        now = self._kit.now()
        ticket = f"{now} {self._kit.new_id(now)}"
        policy = self._kit.policy
        kept = "" if dry_run else self._storage.settle(f"{REHEARSED} {lifecycle.describe_policy(policy)}", ticket)
        first = kept == ticket or (rest is not None and now - _when(kept) < rest // MICROSECOND)
        rehearsal = first and dry_run is None
        dry = bool(dry_run) or rehearsal
        before = lifecycle.cutoffs(policy, now)
        counts = [0, 0, 0, 0]
        after: int | None = 0
        while after is not None:
            batch = self._storage.sweep(
                before,
                now,
                after=after,
                limit=self._settings.retention_batch,
                dry_run=dry,
                keep_facts=policy.keep_facts,
            )
            for index, count in enumerate((batch.expired, batch.expired_archived, batch.purged, batch.messages_purged)):
                counts[index] += count
            after = batch.last
        if not dry:
            self._drop_receipts(now)
            # Temporary sessions are not counted: there never was anything to keep. They take memory, so they always expire.
            scratch_before = lifecycle.cutoffs(TEMPORARY, now) | before
            self._scratch.sweep(scratch_before, now, after=0, limit=ALL, dry_run=False)
            self._storage.maintain()
        return RetentionReport(*counts, dry_run=dry, rehearsal=rehearsal)

    def _drop_receipts(self, now: Microseconds) -> None:
        days = self._settings.receipt_days
        if days is not None and isinstance(self._storage, Artifacts):
            while self._storage.drop_receipts(now - int(days * 86_400_000_000), RECEIPTS_AT_ONCE) == RECEIPTS_AT_ONCE:
                pass

    # -- upkeep

    def check(self, *, repair: bool = False) -> Diagnosis:
        """Compares rows, keyword index and counters, and with `repair` mends what is wrong.

        >>> import recollect
        >>> recollect.open("memory://").check().healthy
        True
        """
        if not isinstance(self._storage, Checkup):
            raise StorageError("this backend has no check-up")
        return self._storage.check(repair=repair)

    def warnings(self) -> list[str]:
        """What whoever runs the server behind the store should know, such as that it keeps nothing on a disk.

        >>> import recollect
        >>> recollect.open("memory://").warnings()
        []
        """
        return list(self._storage.warnings()) if isinstance(self._storage, Cautious) else []

    def maintain(self, *, progress: Progress | None = None) -> int:
        """Does the work that waits: embeds messages that have no vectors yet, takes notes of them, finishes an erase that
        had to wait.

        A worker in the background does the same by itself. Returns how many messages were embedded; `progress` is called
        with how many are done, of how many.

        >>> import recollect
        >>> recollect.open("memory://").maintain()
        0
        """
        self._storage.maintain()
        if self._staff.note_taking is not None:
            self._staff.note_taking.drain()
        embedded = 0 if self._staff.embedding is None else self._staff.embedding.drain(progress)
        self._staff.tidy()
        return embedded

    def coverage(self) -> Coverage | None:
        """How many messages have vectors, of how many; None for a store without an embedder.

        >>> import recollect
        >>> recollect.open("memory://", embedder="off").coverage()
        """
        return None if self._staff.vectorizer is None else self._staff.vectorizer.coverage()

    def stats(self, *, owner: str | None = None, days: int = 30) -> Stats:
        """How the memory of an owner is used, or with None that of all: what there is, and what happened on each of the last
        days, today being the last of them.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.add("user", "Hello"), chat.context("How are you?")
        >>> stats = memory.stats(owner="u1")
        >>> stats.messages, stats.periods[-1].prompts, len(stats.periods), stats.recall_p50 > 0
        (1, 1, 30, True)
        """
        from recollect.engine import figures

        if not isinstance(self._storage, Figures):
            raise StorageError("this backend counts no figures")
        scope = None if owner is None else self._scope(owner, None, None)
        self._staff.write_receipts()
        since, until = figures.last_days(self._kit.clock().astimezone(), clean_limit(days, "days"))
        return figures.stats(self._storage.figures(scope, since, until, figures.DAY), since)

    def usage(self, *, owner: str, pool: str | None = None) -> Usage:
        """How much an owner (or pool) has in the store, for quotas. What was counted once is not looked at again, unless
        something was erased.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "Hello")
        >>> memory.usage(owner="u1").bytes
        5
        """
        if not isinstance(self._storage, Figures):
            raise StorageError("this backend counts no figures")
        return self._storage.usage(self._scope(owner, None, pool))

    def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        """Copies the store to a new file while it is in use; the copy has the same key. `progress` is told of bytes.

        >>> import recollect, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with recollect.open(f"{folder}/chat.db") as memory:
        ...     _ = memory.chat(owner="u1").add("user", "Hello")
        ...     memory.backup(f"{folder}/copy.db")
        >>> with recollect.open(f"{folder}/copy.db") as copy:
        ...     len(copy.sessions(owner="u1"))
        1
        """
        if not isinstance(self._storage, Backup):
            raise StorageError("this backend makes no backups of its own")
        self._storage.backup(Path(target), progress)

    def close(self) -> None:
        """Ends watches and gives back files; safe to call twice.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.close()
        """
        self._dispatcher.close()
        self._scratch_dispatcher.close()
        self._staff.close()
        self._scratch_staff.close()
        self._storage.close()
        self._scratch.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # -- inner

    def _scope(self, owner: str, session: str | None, pool: str | None) -> Scope:
        return Scope(
            clean_name(owner, "owner"),
            None if session is None else clean_name(session, "session id"),
            None if pool is None else clean_name(pool, "pool"),
        )

    def _is_temporary(self, scope: Scope) -> bool:
        if scope.session is None or scope.pool is not None:
            return False
        try:
            self._scratch.get_session(scope)
        except NotFound:
            return False
        return True

    def _home(self, temporary: bool) -> Storage:
        return self._scratch if temporary else self._storage

    def _handle(self, scope: Scope, temporary: bool) -> Chat:
        dispatcher = self._scratch_dispatcher if temporary else self._dispatcher
        return Chat(self._kit, self._home(temporary), dispatcher, scope, temporary, self._prompter(temporary))

    def _prompter(self, temporary: bool) -> Prompter:
        """What makes prompts. Of a temporary session nothing is kept, but it may draw on what is."""

        staff = self._scratch_staff if temporary else self._staff

        def compose(scope: Scope, turn: Turn) -> Context:
            if self._in_background:
                self._staff.start()
            return staff.composer.compose(scope, turn)

        return Prompter(self._settings, self._kit, compose, staff.resting, staff.tidied)

    def _resumed(self, scope: Scope, temporary: bool) -> Chat:
        if self._home(temporary).get_session(scope).status == Status.DELETED:
            raise NotFound("the session is deleted: restore it first")
        return self._handle(scope, temporary)


def _when(ticket: str) -> Microseconds:
    """When a clean-up was rehearsed, by its ticket; those of former versions do not tell."""
    moment = ticket.partition(" ")[0]
    return int(moment) if moment.isdecimal() else 0


def _status(status: str) -> Status:
    try:
        return STATUSES[status]
    except (KeyError, TypeError):
        raise InvalidInput(f"unknown status {status!r}; known are {', '.join(STATUSES)}") from None
