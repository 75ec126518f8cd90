"""Verbs of a conversation: its branches, corrections and marks of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from keepsaid.engine.messages import branching
from keepsaid.engine.messages.artifacts import build_label_removal
from keepsaid.engine.messages.validation import clean_fraction, clean_name, clean_text
from keepsaid.errors import InvalidInput, NotFound, RevisionConflict
from keepsaid.memory.chat.messages import MessageVerbs
from keepsaid.ports import AT_ROOT, AppendPosition, ArtifactQuery, ExpectedRevision
from keepsaid.types import Branch, Message, MessageDraft, Role, Session, SessionStatus

if TYPE_CHECKING:
    from keepsaid.memory.chat.chat import Chat

AT_ONCE = 1_000
"""How many messages of a tree are read at once."""

LOOKED_AT = 64
"""How many messages before a given one are searched first for its question."""


class BranchVerbs(MessageVerbs):
    """Verbs for branches, corrections and marks of messages."""

    def branches(self) -> list[Branch]:
        """Return the branches of this conversation, oldest first.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> _ = chat.add("user", "Hello")
        >>> [branch.active for branch in chat.branches()]
        [True]
        """
        return self._storage.branches(self._scope)

    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Return all versions of the messages that were edited or answered again.

        The keys are the ids of such messages in the conversation, the values the ids of all their versions, oldest first.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> tea = chat.add("user", "Tea?")
        >>> coffee = chat.edit(tea.id, "Coffee?")
        >>> chat.alternatives() == {coffee.id: (tea.id, coffee.id)}
        True
        """
        if len(self.branches()) == 1:
            return {}
        tree, leaf = self._tree()
        return branching.find_alternatives(tree, leaf)

    def _tree(self, after: int = 0) -> tuple[list[Message], str | None]:
        """Return all messages after a `seq`, on any branch, and the id of the active leaf."""
        found: list[Message] = []
        while True:
            page = self._storage.tree(self._scope, after, AT_ONCE)
            found += page.messages
            if len(page.messages) < AT_ONCE:
                return found, page.leaf
            after = page.messages[-1].seq

    def _asked(self, message: str) -> Message | None:
        """Return the user's last message at or before a message, on the branch of that message."""
        at, span = self.message(message).seq, LOOKED_AT
        while True:
            near = self._storage.tree(self._scope, max(0, at - span), span).messages
            asked = next((one for one in branching.walk_to_root(near, at) if one.role is Role.USER), None)
            if asked is not None:
                return self.message(asked.id)
            if span >= at:
                return None
            span *= 8

    def switch(self, message: str, *, onward: bool = False) -> Session:
        """Make a message the last one of the conversation, by going back or to another branch.

        To select a branch, pass its `leaf`. With `onward`, continue from the message to the newest one that follows it.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> question = chat.add("user", "Tea?")
        >>> _ = chat.edit(question.id, "Coffee?")
        >>> _ = chat.switch(question.id)
        >>> [m.text for m in chat.messages()]
        ['Tea?']
        """
        at = clean_name(message, "message id")
        if onward:
            start = self.message(at)
            at = branching.find_newest_leaf(self._tree(start.seq)[0], start).id
        self._append((), AppendPosition("after", at))
        return self.info()

    def pop(self, leaving: Callable[[Message], MessageDraft | None] | None = None) -> Message | None:
        """Remove the last message from the conversation and return it, or None if there is none.

        `switch` can restore it. If `leaving` returns a draft for it, the draft replaces it in the same step.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
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
                position = AppendPosition("sibling", last[0].id)
                self._append(() if left is None else (left,), position, ExpectedRevision(session.revision, session.head))
            except RevisionConflict:
                continue  # another caller added or popped a message in between: try again
            except NotFound:
                if self.messages(last=1) == last:
                    raise  # the message is still there: this owner may not write to the session
                continue
            return last[0]

    def clear(self) -> Session:
        """Empty the conversation. `switch` can restore the messages until retention removes the session.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> message = chat.add("user", "Hello")
        >>> chat.clear().message_count, chat.switch(message.id).message_count
        (0, 1)
        """
        self._append((), AT_ROOT)
        return self.info()

    def fork(self, at: str | None = None, *, session: str | None = None, title: str | None = None) -> Chat:
        """Create a session that shares the messages up to and including `at` (by default the last), without copying.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
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
        if info.status == SessionStatus.DELETED:
            raise NotFound("the session is deleted: restore it first")
        now = self._services.now()
        new = info._replace(
            id=self._services.new_id(now) if session is None else clean_name(session, "session id"),
            title=info.title if title is None else clean_text(title, "title"),
            created=now,
            updated=now,
            touched=now,
            status=SessionStatus.ACTIVE,
            revision=1,
            pinned=False,
            summary=None,
            summarized=None,
        )
        made = self._storage.create_session(self._scope.of(new.id), new, (self.id, clean_name(at, "message id")))
        scope = self._scope.of(made.id)
        from keepsaid.memory.chat.chat import Chat

        return Chat(self._services, scope, temporary=self._temporary)

    def _unlabelled(self, session: Session) -> Session:
        """Remove a title and tags derived from messages: they are erased with those messages, but a copy would stay."""
        for label in self._storage.artifacts(self._scope, ArtifactQuery("label", session=self.id)):
            session = session._replace(**build_label_removal(session, label))
        return session

    def pin(self, message: str, pinned: bool = True) -> Message:
        """Pin a message, so that every prompt of the conversation contains it, or unpin it.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> chat.pin(chat.add("user", "I am allergic to nuts.").id).pinned
        True
        """
        return self._storage.mark(self._scope, clean_name(message, "message id"), self._services.now(), pinned=bool(pinned))

    def keep_private(self, message: str, private: bool = True) -> Message:
        """Make a message private: it stays in this conversation, and is removed from search, facts, summaries and titles.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> chat.keep_private(chat.add("user", "My PIN is 4711.").id).private, memory.search("pin", owner="u1")
        (True, [])
        """
        return self._storage.mark(
            self._scope, clean_name(message, "message id"), self._services.now(), private=bool(private)
        )

    def rate(self, message: str, importance: float) -> Message:
        """Set the importance of a message, from 0 to 1.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> chat.rate(chat.add("user", "ok").id, 0.9).importance
        0.9
        """
        value = clean_fraction(importance, "importance")
        return self._storage.mark(self._scope, clean_name(message, "message id"), self._services.now(), importance=value)
