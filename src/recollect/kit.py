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

ACTIVE = Status.ACTIVE

LEASE = 120_000_000
"""Microseconds that a worker holds messages: much longer than a batch takes, short enough that those of a dead one do not
wait for long."""


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
    active_span: Microseconds | None
    redact: tuple[str, ...] = ()
    """Kinds of personal data that are removed from messages before they are stored."""

    @classmethod
    def of(cls, clock: Clock, counter: TokenCounter, policy: RetentionPolicy, redact: tuple[str, ...] = ()) -> Kit:
        """A kit; how long each stage of a session's life lasts is worked out once."""
        spans = lifecycle.spans(policy)
        return cls(clock, counter, policy, spans, spans[Status.ACTIVE], redact)

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
                self._redacted(intake.to_draft(draft)) if self.redact else intake.to_draft(draft),
                session=session,
                now=now,
                new_id=self.new_id,
                counter=self.counter,
                largest=storage.largest_message,
            )
            for draft in drafts
        ]
        return messages, now

    def _redacted(self, draft: Draft) -> Draft:
        from recollect.engine.redact.censor import Censor

        return Censor(self.redact).draft(draft)

    def shown(self, session: Session) -> Session:
        """A session as callers see it: with the moment it expires."""
        return self.all_shown([session])[0]

    def all_shown(self, sessions: list[Session]) -> tuple[Session, ...]:
        """Sessions as callers see them. One loop for all: the calls would take longer than the work."""
        active, spans = self.active_span, self.spans
        made: list[Session] = []
        for session in sessions:
            # Looking up or hashing an enum member is slow, and nearly every session is active.
            span = active if session.status is ACTIVE else spans[session.status]
            if span is None or session.pinned or session.temporary:
                made.append(session)
            else:
                values: Any = session[:-1] + (session.touched + span,)  # noqa: RUF005  # unpacking takes twice as long
                made.append(tuple.__new__(Session, values))  # pyright: ignore[reportUnknownMemberType]
        return tuple(made)
