"""Verbs of a conversation: its title, tags and metadata, its life cycle and erasure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from keepsaid.engine.messages import lifecycle
from keepsaid.engine.messages.validation import clean_metadata, clean_name, clean_tags, clean_text
from keepsaid.errors import RevisionConflict
from keepsaid.memory.chat.base import ChatBase
from keepsaid.ports import ExpectedRevision
from keepsaid.types import Session
from keepsaid.types.reports import EraseReceipt


class SessionVerbs(ChatBase):
    """Verbs for the session itself."""

    def rename(self, title: str) -> Session:
        """Set the title of the session.

        >>> import keepsaid
        >>> keepsaid.open("memory://").chat(owner="u1").rename("Travel").title
        'Travel'
        """
        return self.update(title=title)

    def tag(self, *tags: str) -> Session:
        """Add tags to the session.

        >>> import keepsaid
        >>> keepsaid.open("memory://").chat(owner="u1").tag("work", "urgent").tags
        ('work', 'urgent')
        """
        return self._retag(lambda have: (*have, *tags))

    def untag(self, *tags: str) -> Session:
        """Remove tags from the session.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1", tags=["work", "urgent"])
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
        """Change the given properties of the session and leave the others. A pinned session never expires.

        With `expected_revision`, raise `RevisionConflict` if the session has changed since.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
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
        return self._update(changes, ExpectedRevision(expected_revision))

    def archive(self) -> Session:
        """Archive the session: it can be read, searched and unarchived, but not added to.

        >>> import keepsaid
        >>> str(keepsaid.open("memory://").chat(owner="u1").archive().status)
        'archived'
        """
        return self._step("archive")

    def unarchive(self) -> Session:
        """Make an archived session active again.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> _ = chat.archive()
        >>> str(chat.unarchive().status)
        'active'
        """
        return self._step("unarchive")

    def delete(self) -> Session:
        """Delete the session. It can be restored until retention purges it; `erase` removes it permanently.

        >>> import keepsaid
        >>> str(keepsaid.open("memory://").chat(owner="u1").delete().status)
        'deleted'
        """
        return self._step("delete")

    def restore(self) -> Session:
        """Restore a deleted session.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> _ = chat.delete()
        >>> str(chat.restore().status)
        'active'
        """
        return self._step("restore")

    def erase(self, message: str | None = None) -> EraseReceipt:
        """Remove a message, or the whole session, permanently; nothing of it is left in the store.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> chat.erase(chat.add("user", "My card is 4111…").id).messages
        1
        """
        id = None if message is None else clean_name(message, "message id")
        with self._services.paused():
            receipt = self._storage.erase(self._scope, id, self._services.now())
        return self._services.forget_in_index(receipt)

    def _step(self, step: lifecycle.LifecycleStep) -> Session:
        while True:
            session = self._storage.get_session(self._scope)
            status = lifecycle.apply_step(session.status, step)
            try:
                return self._update({"status": status}, ExpectedRevision(session.revision))
            except RevisionConflict:
                continue
