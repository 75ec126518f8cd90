"""`Chat`: one conversation, and the verbs a user has for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.engine import branching, lifecycle
from recollect.engine import cursor as cursors
from recollect.engine.artifacts import without_label
from recollect.engine.hygiene import clean_limit, clean_metadata, clean_name, clean_share, clean_tags, clean_text
from recollect.engine.intake import to_draft
from recollect.errors import InvalidInput, NotFound, RevisionConflict
from recollect.kit import Kit
from recollect.ports import ANYTHING, LEAF, ROOT, Anchor, ArtifactQuery, Artifacts, Expected, Storage
from recollect.prompter import Prompter
from recollect.reports import EraseReceipt
from recollect.types import (
    Around,
    Branch,
    Draft,
    Mark,
    Message,
    Page,
    Part,
    Role,
    Scope,
    Session,
    Status,
    ToolCall,
    Window,
)
from recollect.watch import Dispatcher, Watch

if TYPE_CHECKING:
    from recollect.engine.compile.budget import Limits
    from recollect.prompt import Context


AT_ONCE = 1_000
"""Messages of a tree that are read together."""

LOOKED_AT = 64
"""Messages before one among which its question is looked for first."""


class Chat:
    """One conversation of one owner. Get one from `Memory.chat`; it holds no state but the session's id.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> chat = memory.chat(owner="u1")
    >>> _ = chat.add("user", "My sister moved to Lisbon in May.")
    >>> _ = chat.add("assistant", "Noted!", metadata={"model": "x", "duration_ms": 812})
    >>> [message.text for message in chat.messages(last=20)]
    ['My sister moved to Lisbon in May.', 'Noted!']
    """

    def __init__(
        self, kit: Kit, storage: Storage, dispatcher: Dispatcher, scope: Scope, temporary: bool, prompter: Prompter
    ) -> None:
        self._prompter = prompter
        self._kit = kit
        self._storage = storage
        self._dispatcher = dispatcher
        self._scope = scope
        self._temporary = temporary
        self._last_was_private: bool | None = None
        """Whether the last message is a user's private one; None where that is not known yet."""

    def __repr__(self) -> str:
        return f"Chat(owner={self.owner!r}, id={self.id!r})"

    @property
    def id(self) -> str:
        """The session's id, to resume it with.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> memory.chat(owner="u1", session="trip", create=True).id
        'trip'
        """
        return self._scope.session or ""

    @property
    def owner(self) -> str:
        """Whose conversation this is.

        >>> import recollect
        >>> recollect.open("memory://").chat(owner="u1").owner
        'u1'
        """
        return self._scope.owner

    # -- saying

    def add(
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
        """Saves a message; when this returns, it is on the disk. Saving the same id again is a no-op.

        A private one stays in its conversation and is remembered nowhere else: in no search, fact, summary or title. If
        nothing is said about that, a user's "don't remember this" makes it so.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.add("user", "Hello", id="m1").seq, chat.add("user", "Hello", id="m1").seq
        (1, 1)
        """
        body = content if isinstance(content, str) else tuple(content or ())
        draft = Draft(
            role, body, id, tuple(tool_calls), tool_call_id, name, metadata, importance, pinned, created_at, private
        )  # fmt: skip
        return self._append((draft,))[0]

    def add_many(self, messages: Iterable[Draft | Mapping[str, Any]], *, after: str | None = None) -> list[Message]:
        """Saves several messages, all or none. `after` continues behind an earlier message, on a branch of its own.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> [m.seq for m in chat.add_many([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])]
        [1, 2]
        """
        drafts = list(messages)
        if not drafts:
            return []
        anchor = LEAF if after is None else Anchor("after", clean_name(after, "message id"))
        return self._append(drafts, anchor)

    def edit(
        self,
        message: str,
        content: str | Sequence[Part],
        *,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        private: bool | None = None,
    ) -> Message:
        """Says a message differently. The old one and what followed it stay, on their own branch.

        If nothing is said about that, what was private stays so in other words.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> question = chat.add("user", "Tea?")
        >>> _ = chat.edit(question.id, "Coffee?")
        >>> [m.text for m in chat.messages()], len(chat.branches())
        (['Coffee?'], 2)
        """
        old = self.message(message)
        body = content if isinstance(content, str) else tuple(content)
        private = True if private is None and old.private else private
        draft = Draft(old.role, body, id, (), old.tool_call_id, old.name, metadata, private=private)
        return self._append((draft,), Anchor("beside", old.id))[0]

    def _append(
        self, drafts: Iterable[Draft | Mapping[str, Any]], anchor: Anchor = LEAF, expected: Expected = ANYTHING
    ) -> list[Message]:
        drafts = list(drafts)
        messages, now = self._kit.intake(self._storage, self.id, drafts)
        messages = self._keep_answers_private(messages, drafts, anchor)
        saved = self._storage.append(self._scope, messages, now, anchor, expected)
        self._last_was_private = bool(saved) and saved[-1].private and saved[-1].role is Role.USER
        return saved

    def _keep_answers_private(
        self, messages: list[Message], drafts: Sequence[Draft | Mapping[str, Any]], anchor: Anchor
    ) -> list[Message]:
        """An answer to something private is private too, unless the caller says otherwise: it may repeat it."""
        kept: list[Message] = []
        for message, draft in zip(messages, drafts, strict=True):
            answers = message.role is Role.ASSISTANT and not message.private and to_draft(draft).private is None
            kept.append(message._replace(private=True) if answers and self._follows_private(kept, anchor) else message)
        return kept

    def _follows_private(self, before: Sequence[Message], anchor: Anchor) -> bool:
        """Whether the last message is a user's private one. Only a chat that was just resumed must look."""
        if before or anchor is not LEAF:
            return bool(before) and before[-1].role is Role.USER and before[-1].private
        if self._last_was_private is None:
            last = self._storage.read(self._scope, Window(last=1))
            self._last_was_private = bool(last) and last[-1].role is Role.USER and last[-1].private
        return self._last_was_private

    # -- reading

    def messages(self, *, last: int | None = None, max_tokens: int | None = None) -> list[Message]:
        """The conversation in order: all of it, the last so many, or the newest that fit a number of tokens.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> for number in range(5):
        ...     _ = chat.add("user", f"message {number}")
        >>> [m.text for m in chat.messages(last=2)], [m.text for m in chat.messages(max_tokens=10)]
        (['message 3', 'message 4'], ['message 4'])
        """
        window = Window(
            last=None if last is None else clean_limit(last, "last", 0),
            max_tokens=None if max_tokens is None else clean_limit(max_tokens, "max_tokens", 0),
        )
        return self._storage.read(self._scope, window)

    def page(self, *, limit: int = 100, cursor: str | None = None, newest_first: bool = False) -> Page[Message]:
        """One page of the conversation; `page.next` is the cursor of the one behind it.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> for number in range(3):
        ...     _ = chat.add("user", f"message {number}")
        >>> first = chat.page(limit=2)
        >>> [m.text for m in first], [m.text for m in chat.page(limit=2, cursor=first.next)]
        (['message 0', 'message 1'], ['message 2'])
        """
        limit = clean_limit(limit, "limit")
        query = self._paged(newest_first)
        at = None if cursor is None else cursors.unseal(query, cursor)[0]
        window = Window(before=at, last=limit + 1) if newest_first else Window(after=at, first=limit + 1)
        found = self._storage.read(self._scope, window)
        if newest_first:
            found.reverse()
        more = cursors.seal(query, found[limit - 1].seq) if len(found) > limit else None
        return Page(tuple(found[:limit]), more)

    def around(self, message: str, *, limit: int = 50) -> Around:
        """A message with those before and behind it, in order, and cursors to go on from there in either direction.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> said = [chat.add("user", f"message {number}") for number in range(5)]
        >>> around = chat.around(said[1].id, limit=3)
        >>> [m.text for m in around.items], around.older is None
        (['message 0', 'message 1', 'message 2'], True)
        """
        limit, at = clean_limit(limit, "limit"), self.message(message)
        # One more on either side tells whether there are any; a side that is short leaves its room to the other.
        here = self._storage.read(self._scope, Window(after=at.seq - 1, first=limit + 1))
        if not here or here[0].id != at.id:
            raise NotFound(f"message {at.id!r} is on another branch: switch to it first")
        before = self._storage.read(self._scope, Window(before=at.seq, last=limit))
        earlier = min(len(before), max((limit - 1) // 2, limit - len(here)))
        older, newer = before[len(before) - earlier :], here[: limit - earlier]
        return Around(
            (*older, *newer),
            cursors.seal(self._paged(True), (older or newer)[0].seq) if len(older) < len(before) else None,
            cursors.seal(self._paged(False), newer[-1].seq) if len(newer) < len(here) else None,
        )

    def _paged(self, newest_first: bool) -> tuple[Any, ...]:
        """What a cursor over the messages belongs to."""
        return ("messages", self._scope, newest_first)

    def message(self, id: str) -> Message:
        """One message of this session, on whatever branch.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.message(chat.add("user", "Hello").id).text
        'Hello'
        """
        return self._storage.get_message(self._scope, clean_name(id, "message id"))

    def info(self) -> Session:
        """The session: title, counts, status, expiry and the rest.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
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
        go_on: bool = False,
    ) -> Context:
        """The best prompt for a turn that fits a budget, ready for any chat-completions API.

        The question need not be saved yet; without one, the last thing the user said is it, and what tools answered since
        comes behind it. `budget` is in tokens of `model` (or of the store's tokenizer), or a preset: 4k, 12k, 128k, 262k.
        `recall` says where memories come from: `owner`, `session` or `off`, and from `pools`. `go_on` makes a prompt
        without memory where the store cannot be read. What had to be done without is in `fallbacks`.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "We helped my sister with her boxes, all the way to Lisbon.")
        >>> context = memory.chat(owner="u1").context("Where does my sister live?", budget=1000)
        >>> prompt = context.messages[-1]["content"]
        >>> "all the way to Lisbon." in prompt, prompt.endswith("Where does my sister live?")
        (True, True)
        """
        return self._prompter.context(
            self._scope,
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
            go_on=go_on,
        )

    def watch(self, *, after: Mark | None = None) -> Watch:
        """New messages and other changes of this session, as they happen, whoever makes them. With `after`, those behind
        the mark of an earlier change come first.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> with chat.watch() as changes:
        ...     _ = chat.add("user", "Hello")
        ...     changes.get(timeout=5).kind
        'message'
        """
        return Watch(*self._watched(), after)

    def _watched(self) -> tuple[Dispatcher, Scope]:
        """What a watch of this session follows; an error if there is no such session."""
        self._storage.get_session(self._scope)
        return self._dispatcher, self._scope

    # -- changing the course

    def branches(self) -> list[Branch]:
        """Every way this conversation went, oldest first.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> _ = chat.add("user", "Hello")
        >>> [branch.active for branch in chat.branches()]
        [True]
        """
        return self._storage.branches(self._scope)

    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """What else was said: for each message of the conversation that was said differently or answered anew, the ids of
        all its versions, oldest first.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> tea = chat.add("user", "Tea?")
        >>> coffee = chat.edit(tea.id, "Coffee?")
        >>> chat.alternatives() == {coffee.id: (tea.id, coffee.id)}
        True
        """
        if len(self.branches()) == 1:
            return {}
        tree, leaf = self._tree()
        return branching.alternatives(tree, leaf)

    def _tree(self, after: int = 0) -> tuple[list[Message], str | None]:
        """All messages behind a `seq`, on whatever branch, and where the conversation stands."""
        found: list[Message] = []
        while True:
            page = self._storage.tree(self._scope, after, AT_ONCE)
            found += page.messages
            if len(page.messages) < AT_ONCE:
                return found, page.leaf
            after = page.messages[-1].seq

    def _asked(self, message: str) -> Message | None:
        """The last thing that the user said up to a message, on whatever branch it is."""
        at, span = self.message(message).seq, LOOKED_AT
        while True:
            near = self._storage.tree(self._scope, max(0, at - span), span).messages
            asked = next((one for one in branching.upwards(near, at) if one.role is Role.USER), None)
            if asked is not None:
                return self.message(asked.id)
            if span >= at:
                return None
            span *= 8

    def switch(self, message: str, *, onward: bool = False) -> Session:
        """Goes back (or over) to where a message was the last one. A branch's `leaf` is such a message.

        With `onward` it goes on from there to the newest end.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> question = chat.add("user", "Tea?")
        >>> _ = chat.edit(question.id, "Coffee?")
        >>> _ = chat.switch(question.id)
        >>> [m.text for m in chat.messages()]
        ['Tea?']
        """
        at = clean_name(message, "message id")
        if onward:
            start = self.message(at)
            at = branching.newest_end(self._tree(start.seq)[0], start).id
        self._append((), Anchor("after", at))
        return self.info()

    def pop(self, leaving: Callable[[Message], Draft | None] | None = None) -> Message | None:
        """Takes the last message off the conversation and returns it; it stays restorable by `switch`. What `leaving` makes
        of it, if anything, takes its place in the same step.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> _ = chat.add("user", "Oops")
        >>> chat.pop().text, chat.messages(), chat.pop()
        ('Oops', [], None)
        """
        while True:
            session = self._storage.get_session(self._scope)
            last = self.messages(last=1)
            if not last:
                return None
            left = None if leaving is None else leaving(last[0])
            try:
                beside = Anchor("beside", last[0].id)
                self._append(() if left is None else (left,), beside, Expected(session.revision, session.head))
            except RevisionConflict:
                continue  # somebody else added or popped in between: look again
            except NotFound:
                if self.messages(last=1) == last:
                    raise  # it is still there, so it is we who may not
                continue
            return last[0]

    def clear(self) -> Session:
        """Empties the conversation. The messages stay restorable by `switch` until retention takes the session.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> message = chat.add("user", "Hello")
        >>> chat.clear().message_count, chat.switch(message.id).message_count
        (0, 1)
        """
        self._append((), ROOT)
        return self.info()

    def fork(self, at: str | None = None, *, session: str | None = None, title: str | None = None) -> Chat:
        """A new session that begins as this one, up to and with a message (by default the last). Nothing is copied.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> first = chat.add("user", "one")
        >>> _ = chat.add("user", "two")
        >>> [m.text for m in chat.fork(at=first.id).messages()]
        ['one']
        """
        if at is None:
            last = self.messages(last=1)
            if not last:
                raise InvalidInput("there is no message to fork at")
            at = last[0].id
        info = self._unlabelled(self._storage.get_session(self._scope))
        if info.status == Status.DELETED:
            raise NotFound("the session is deleted: restore it first")
        now = self._kit.now()
        new = info._replace(
            id=self._kit.new_id(now) if session is None else clean_name(session, "session id"),
            title=info.title if title is None else clean_text(title, "title"),
            created=now,
            updated=now,
            touched=now,
            status=Status.ACTIVE,
            revision=1,
            pinned=False,
            summary=None,
            summarized=None,
        )
        made = self._storage.create_session(self._scope.of(new.id), new, (self.id, clean_name(at, "message id")))
        scope = self._scope.of(made.id)
        return Chat(self._kit, self._storage, self._dispatcher, scope, self._temporary, self._prompter)

    def _unlabelled(self, session: Session) -> Session:
        """Without a title and tags that were made of what was said: those go when that goes, and a copy would stay."""
        if not isinstance(self._storage, Artifacts):
            return session
        for label in self._storage.artifacts(self._scope, ArtifactQuery("label", session=self.id)):
            session = session._replace(**without_label(session, label))
        return session

    def pin(self, message: str, pinned: bool = True) -> Message:
        """Marks a message as one that every context must have.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.pin(chat.add("user", "I am allergic to nuts.").id).pinned
        True
        """
        return self._storage.mark(self._scope, clean_name(message, "message id"), self._kit.now(), pinned=bool(pinned))

    def keep_private(self, message: str, private: bool = True) -> Message:
        """Never remembers a message: it stays in this conversation, and goes out of every search, fact, summary and title.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> chat.keep_private(chat.add("user", "My PIN is 4711.").id).private, memory.search("pin", owner="u1")
        (True, [])
        """
        return self._storage.mark(self._scope, clean_name(message, "message id"), self._kit.now(), private=bool(private))

    def rate(self, message: str, importance: float) -> Message:
        """Sets by hand how much a message matters, from 0 to 1.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.rate(chat.add("user", "ok").id, 0.9).importance
        0.9
        """
        value = clean_share(importance, "importance")
        return self._storage.mark(self._scope, clean_name(message, "message id"), self._kit.now(), importance=value)

    # -- the session itself

    def rename(self, title: str) -> Session:
        """Gives the session a title.

        >>> import recollect
        >>> recollect.open("memory://").chat(owner="u1").rename("Travel").title
        'Travel'
        """
        return self.update(title=title)

    def tag(self, *tags: str) -> Session:
        """Adds tags.

        >>> import recollect
        >>> recollect.open("memory://").chat(owner="u1").tag("work", "urgent").tags
        ('work', 'urgent')
        """
        return self._retag(lambda have: (*have, *tags))

    def untag(self, *tags: str) -> Session:
        """Takes tags away.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1", tags=["work", "urgent"])
        >>> chat.untag("urgent").tags
        ('work',)
        """
        return self._retag(lambda have: tuple(tag for tag in have if tag not in tags))

    def _retag(self, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Session:
        while True:
            session = self._storage.get_session(self._scope)
            try:
                return self.update(tags=change(session.tags), expected_revision=session.revision)
            except RevisionConflict:
                continue

    def update(
        self,
        *,
        title: str | None = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        system_prompt: str | None = None,
        pinned: bool | None = None,
        expected_revision: int | None = None,
    ) -> Session:
        """Changes what is given and leaves the rest. A pinned session never expires.

        With `expected_revision`, a change by someone else in between is a `RevisionConflict`.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.update(metadata={"topic": "travel"}, pinned=True).revision
        2
        """
        changes: dict[str, Any] = {}
        if title is not None:
            changes["title"] = clean_text(title, "title")
        if tags is not None:
            changes["tags"] = clean_tags(tags)
        if metadata is not None:
            changes["metadata"] = clean_metadata(metadata)
        if system_prompt is not None:
            changes["system_prompt"] = clean_text(system_prompt, "system_prompt")
        if pinned is not None:
            changes["pinned"] = bool(pinned)
        return self._update(changes, Expected(expected_revision))

    def archive(self) -> Session:
        """Puts the session away; it can be read, searched and unarchived, but not added to.

        >>> import recollect
        >>> str(recollect.open("memory://").chat(owner="u1").archive().status)
        'archived'
        """
        return self._step("archive")

    def unarchive(self) -> Session:
        """Takes the session up again.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> _ = chat.archive()
        >>> str(chat.unarchive().status)
        'active'
        """
        return self._step("unarchive")

    def delete(self) -> Session:
        """Deletes the session; it can be restored until retention purges it. `erase` removes for good.

        >>> import recollect
        >>> str(recollect.open("memory://").chat(owner="u1").delete().status)
        'deleted'
        """
        return self._step("delete")

    def restore(self) -> Session:
        """Brings a deleted session back.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> _ = chat.delete()
        >>> str(chat.restore().status)
        'active'
        """
        return self._step("restore")

    def erase(self, message: str | None = None) -> EraseReceipt:
        """Removes a message, or the whole session, for good: nothing of it is left in the store.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> chat.erase(chat.add("user", "My card is 4111…").id).messages
        1
        """
        id = None if message is None else clean_name(message, "message id")
        with self._prompter.resting():
            receipt = self._storage.erase(self._scope, id, self._kit.now())
        return self._prompter.tidied(receipt)

    def _step(self, step: lifecycle.Step) -> Session:
        while True:
            session = self._storage.get_session(self._scope)
            status = lifecycle.move(session.status, step)
            try:
                return self._update({"status": status}, Expected(session.revision))
            except RevisionConflict:
                continue

    def _update(self, changes: Mapping[str, Any], expected: Expected) -> Session:
        return self._shown(self._storage.update_session(self._scope, changes, self._kit.now(), expected))

    def _shown(self, session: Session) -> Session:
        return self._kit.shown(session._replace(temporary=self._temporary))
