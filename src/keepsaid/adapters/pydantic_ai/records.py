"""The data of a Pydantic AI conversation besides its messages, as stored in its blob store.

It is written as a claim before the messages that belong to it, and previous claims are kept. The newest claim whose messages
exist in the conversation applies. So an interrupted save loses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import ConversationRecord
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.usage import RunUsage

from keepsaid.adapters.pydantic_ai.messages import ADAPTER
from keepsaid.types import Blob, Session

RECORD = f"{ADAPTER}/record"
DELETED = f"{ADAPTER}/gone"
FORK = f"{ADAPTER}/fork/"
"""Blob names of a conversation: its claims, the message up to which it was deleted, and (as a prefix) its forks."""

USAGE = TypeAdapter(RunUsage)
REQUESTS = TypeAdapter(DeferredToolRequests)

MAX_CLAIMS = 20
"""Maximum recent claims that are kept, and previous revisions that each of them lists."""

Claim = Mapping[str, Any]
NO_CLAIM: Claim = {}


class LocatedEntryId(str):
    """An entry id that has its session as an attribute, because the framework requests entries by id alone."""

    def __new__(cls, name: str, session: str = "") -> LocatedEntryId:
        return super().__new__(cls, name)

    def __init__(self, name: str, session: str = "") -> None:
        self.session = session


class ConversationClaims(NamedTuple):
    """The claims of a conversation, newest first. Messages up to `since` belong to a deleted conversation with the same id.
    `base` is the claim that applies."""

    blob: Blob | None
    claims: Sequence[Claim] = ()
    since: int = 0
    base: Claim = NO_CLAIM

    @classmethod
    def from_blobs(cls, kept: Mapping[str, Blob]) -> ConversationClaims:
        """Parse the blobs of a conversation."""
        blob, gone = kept.get(RECORD), int(kept[DELETED].content) if DELETED in kept else 0
        if blob is None:
            return cls(None, since=gone)
        newest = json.loads(blob.content)
        return cls(blob, [newest, *newest.pop("before", ())], max(gone, newest.get("since", 0)))

    def without_empty_claims(self) -> ConversationClaims:
        """Return the claims of a conversation that does not exist, without those that had no messages."""
        return self._replace(claims=[claim for claim in self.claims if claim.get("brings", True)])

    def resolve(self, leaf: str | None, has: Callable[[str], bool]) -> ConversationClaims:
        """Return the claims for a conversation that ends at a message. The newest claim that ends there applies; if another
        adapter continued the conversation, the last one that was valid. Claims older than one whose messages exist can no
        longer apply."""
        base, sure = NO_CLAIM, len(self.claims)
        for place, claim in enumerate(self.claims):
            last = claim["leaf"]
            base = base or (claim if last == leaf else NO_CLAIM)
            if last is not None and claim.get("brings", True) and (last == leaf or has(last)):
                base = base or next(one for one in self.claims if one["leaf"] == last)
                sure = place
                break
        known = enumerate(self.claims[: sure + 1])
        kept = [claim for place, claim in known if place < MAX_CLAIMS or place == sure or claim is base]
        return self._replace(claims=kept, base=base)

    @property
    def current(self) -> Claim:
        """The claim that applies, or the best known one."""
        unsaid = (claim for claim in self.claims if not claim.get("brings", True))
        return self.base or next(unsaid, self.claims[-1] if self.claims else NO_CLAIM)

    def with_claim(self, record: ConversationRecord, expected: str | None, brings: bool) -> bytes:
        """Return the JSON of the claims with a new one, based on an expected revision. `brings` means that its last message
        is new."""
        requests = record.deferred_tool_requests
        fields = {
            "revision": record.revision,
            "leaf": record.head_id,
            "brings": brings,
            "usage": USAGE.dump_python(record.usage, mode="json"),
            "deferred_tool_requests": None if requests is None else REQUESTS.dump_python(requests, mode="json"),
            "scope": record.scope,
            "forked_from": record.forked_from,
            "forked_at": record.forked_at,
            "updated_at": record.updated_at.isoformat(),
            "since": self.since,
            "past": [expected, *self.base.get("past", ())][:MAX_CLAIMS],
            "before": list(self.claims),
        }
        return json.dumps(fields).encode()


def build_record(claim: Claim, info: Session, leaf: str | None) -> ConversationRecord:
    """Return the record of a conversation. If another adapter has continued it, the revision differs from the claim's."""
    as_left = bool(claim) and claim["leaf"] == leaf
    requests = claim.get("deferred_tool_requests") if as_left else None
    return ConversationRecord(
        conversation_id=info.id,
        head_id=None if leaf is None else LocatedEntryId(leaf, info.id),
        usage=USAGE.validate_python(claim.get("usage", {})),
        deferred_tool_requests=None if requests is None else REQUESTS.validate_json(json.dumps(requests)),
        scope=claim.get("scope"),
        forked_from=claim.get("forked_from"),
        forked_at=claim.get("forked_at"),
        revision=claim["revision"] if as_left else f"{claim.get('revision', '')}+{leaf or ''}",
        updated_at=datetime.fromisoformat(claim["updated_at"]) if as_left else info.updated_at,
    )
