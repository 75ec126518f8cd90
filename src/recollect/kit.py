"""What every verb needs at hand: the clock, the token counter, the retention policy, and new ids."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.engine import intake, lifecycle
from recollect.ports import Clock, Storage, TokenCounter
from recollect.types import Draft, Message, RetentionPolicy, Session, microseconds


def system_clock() -> datetime:
    """The time now."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Kit:
    """Shared by a memory and its chats."""

    clock: Clock
    counter: TokenCounter
    policy: RetentionPolicy

    def new_id(self, now: datetime) -> str:
        """A new id: 48 bits of time, so that ids sort as they were made, and 80 random bits."""
        return f"{microseconds(now) // 1000 & 0xFFFFFFFFFFFF:012x}{os.urandom(10).hex()}"

    def intake(
        self, storage: Storage, session: str, drafts: Iterable[Draft | Mapping[str, Any]]
    ) -> tuple[list[Message], datetime]:
        """Messages ready to be stored, and the moment they came in."""
        now = self.clock()
        messages = [
            intake.to_message(
                intake.to_draft(draft),
                session=session,
                now=now,
                new_id=lambda: self.new_id(now),
                counter=self.counter,
                largest=storage.largest_message,
            )
            for draft in drafts
        ]
        return messages, now

    def shown(self, session: Session) -> Session:
        """A session as callers see it: with the moment it expires."""
        return Session._make((*session[:-1], lifecycle.expires_at(session, self.policy)))
