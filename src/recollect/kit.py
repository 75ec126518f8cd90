"""What every verb needs at hand: the clock, the token counter, the retention policy, and new ids."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.engine import intake, lifecycle
from recollect.ports import Clock, Storage, TokenCounter
from recollect.types import Draft, Message, Microseconds, RetentionPolicy, Session, Status, microseconds


def system_clock() -> datetime:
    """The time now."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Kit:
    """Shared by a memory and its chats."""

    clock: Clock
    counter: TokenCounter
    policy: RetentionPolicy
    spans: Mapping[Status, Microseconds | None]

    @classmethod
    def of(cls, clock: Clock, counter: TokenCounter, policy: RetentionPolicy) -> Kit:
        """A kit; how long each stage of a session's life lasts is worked out once."""
        return cls(clock, counter, policy, lifecycle.spans(policy))

    def now(self) -> Microseconds:
        """The time, as the house counts it."""
        return microseconds(self.clock())

    def new_id(self, now: Microseconds) -> str:
        """A new id: 48 bits of time, so that ids sort as they were made, and 80 random bits."""
        return f"{now // 1000 & 0xFFFFFFFFFFFF:012x}{os.urandom(10).hex()}"

    def intake(
        self, storage: Storage, session: str, drafts: Iterable[Draft | Mapping[str, Any]]
    ) -> tuple[list[Message], Microseconds]:
        """Messages ready to be stored, and the moment they came in."""
        now = self.now()
        messages = [
            intake.to_message(
                intake.to_draft(draft),
                session=session,
                now=now,
                new_id=self.new_id,
                counter=self.counter,
                largest=storage.largest_message,
            )
            for draft in drafts
        ]
        return messages, now

    def shown(self, session: Session) -> Session:
        """A session as callers see it: with the moment it expires."""
        span = None if session.pinned or session.temporary else self.spans[session.status]
        return session if span is None else Session._make((*session[:-1], session.touched + span))
