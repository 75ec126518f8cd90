"""What all verbs of a conversation share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepsaid.engine.messages.intake import to_draft
from keepsaid.ports import ANY_REVISION, AT_LEAF, AppendPosition, ExpectedRevision
from keepsaid.types import Message, MessageDraft, ReadWindow, Role, Scope, Session

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer


class ChatBase:
    """One conversation's scope and services, and what all its verbs share."""

    def __init__(
        self,
        services: ServiceContainer,
        scope: Scope,
        *,
        temporary: bool = False,
    ) -> None:
        self._services = services
        self._storage = services.storage
        self._scope = scope
        self._temporary = temporary
        self._last_was_private: bool | None = None
        """Whether the last message is a private one of the user; None if not known yet."""

    def __repr__(self) -> str:
        return f"Chat(owner={self.owner!r}, id={self.id!r})"

    @property
    def id(self) -> str:
        """Return the session's id, with which it can be resumed.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.chat(owner="u1", session="trip", create=True).id
        'trip'
        """
        return self._scope.session or ""

    @property
    def owner(self) -> str:
        """Return the owner of this conversation.

        >>> import keepsaid
        >>> keepsaid.open("memory://").chat(owner="u1").owner
        'u1'
        """
        return self._scope.owner

    def _append(
        self,
        drafts: Iterable[MessageDraft | Mapping[str, Any]],
        anchor: AppendPosition = AT_LEAF,
        expected: ExpectedRevision = ANY_REVISION,
    ) -> list[Message]:
        drafts = list(drafts)
        messages, now = self._services.prepare_messages(self.id, drafts)
        messages = self._keep_answers_private(messages, drafts, anchor)
        saved = self._storage.append(self._scope, messages, now, anchor, expected)
        self._last_was_private = bool(saved) and saved[-1].private and saved[-1].role is Role.USER
        return saved

    def _keep_answers_private(
        self, messages: list[Message], drafts: Sequence[MessageDraft | Mapping[str, Any]], anchor: AppendPosition
    ) -> list[Message]:
        """Make answers to private messages private, unless the caller says otherwise: they may repeat the message."""
        kept: list[Message] = []
        for message, draft in zip(messages, drafts, strict=True):
            answers = message.role is Role.ASSISTANT and not message.private and to_draft(draft).private is None
            kept.append(message._replace(private=True) if answers and self._follows_private(kept, anchor) else message)
        return kept

    def _follows_private(self, before: Sequence[Message], anchor: AppendPosition) -> bool:
        """Whether the last message is a private one of the user. Read from the store only once, after resuming."""
        if before or anchor is not AT_LEAF:
            return bool(before) and before[-1].role is Role.USER and before[-1].private
        if self._last_was_private is None:
            last = self._storage.read(self._scope, ReadWindow(last=1))
            self._last_was_private = bool(last) and last[-1].role is Role.USER and last[-1].private
        return self._last_was_private

    def _update(self, changes: Mapping[str, Any], expected: ExpectedRevision) -> Session:
        return self._shown(self._storage.update_session(self._scope, changes, self._services.now(), expected))

    def _shown(self, session: Session) -> Session:
        return self._services.with_expiry(session._replace(temporary=self._temporary))
