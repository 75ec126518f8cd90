"""What a conversation of Pydantic AI carries besides its messages, as its drawer keeps it.

It is claimed before the messages that it goes with are said, and what counted until then stays beside it. Which of them
counts is asked of the conversation: the newest whose messages are there. So nothing is lost where somebody is interrupted.
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

from recollect.adapters.pydantic_ai_messages import DOOR
from recollect.types import Blob, Session

RECORD = f"{DOOR}/record"
GONE = f"{DOOR}/gone"
FORK = f"{DOOR}/fork/"
"""Names in the drawer of a conversation: what it carries, up to which message it was deleted, and who begins as it does."""

USAGE = TypeAdapter(RunUsage)
REQUESTS = TypeAdapter(DeferredToolRequests)

FEW = 20
"""Claims that are kept beside the newest, and revisions that each names of those it goes on from."""

Claim = Mapping[str, Any]
NOTHING: Claim = {}


class EntryName(str):
    """The name of an entry that knows which conversation it is in: the framework asks for it by its name alone."""

    def __new__(cls, name: str, session: str = "") -> EntryName:
        return super().__new__(cls, name)

    def __init__(self, name: str, session: str = "") -> None:
        self.session = session


class Note(NamedTuple):
    """What a drawer says of a conversation: what was claimed for it, newest first, and from where on it is told. What was
    said up to `since` belongs to one of the same name that was deleted. `base` is the claim that counts."""

    blob: Blob | None
    claims: Sequence[Claim] = ()
    since: int = 0
    base: Claim = NOTHING

    @classmethod
    def of(cls, kept: Mapping[str, Blob]) -> Note:
        """The note that these blobs are."""
        blob, gone = kept.get(RECORD), int(kept[GONE].content) if GONE in kept else 0
        if blob is None:
            return cls(None, since=gone)
        newest = json.loads(blob.content)
        return cls(blob, [newest, *newest.pop("before", ())], max(gone, newest.get("since", 0)))

    def anew(self) -> Note:
        """The note of one that is not there: what was claimed without anything to say has come to nothing."""
        return self._replace(claims=[claim for claim in self.claims if claim.get("brings", True)])

    def at(self, leaf: str | None, has: Callable[[str], bool]) -> Note:
        """The note in a conversation that ends there. The newest claim to end there counts; if another door went on, that
        which was true last. Older claims than one whose messages are there cannot come to count any more."""
        base, sure = NOTHING, len(self.claims)
        for place, claim in enumerate(self.claims):
            last = claim["leaf"]
            base = base or (claim if last == leaf else NOTHING)
            if last is not None and claim.get("brings", True) and (last == leaf or has(last)):
                base = base or next(one for one in self.claims if one["leaf"] == last)
                sure = place
                break
        known = enumerate(self.claims[: sure + 1])
        kept = [claim for place, claim in known if place < FEW or place == sure or claim is base]
        return self._replace(claims=kept, base=base)

    @property
    def last(self) -> Claim:
        """The claim that counts, or what is known else."""
        unsaid = (claim for claim in self.claims if not claim.get("brings", True))
        return self.base or next(unsaid, self.claims[-1] if self.claims else NOTHING)

    def packed(self, record: ConversationRecord, expected: str | None, brings: bool) -> bytes:
        """The note with one more claim, by somebody who goes on from a revision. `brings` says that its last message will be
        new."""
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
            "past": [expected, *self.base.get("past", ())][:FEW],
            "before": list(self.claims),
        }
        return json.dumps(fields).encode()


def record_of(claim: Claim, info: Session, leaf: str | None) -> ConversationRecord:
    """What a conversation carries. If it has gone on by another door since, its revision is another one."""
    as_left = bool(claim) and claim["leaf"] == leaf
    requests = claim.get("deferred_tool_requests") if as_left else None
    return ConversationRecord(
        conversation_id=info.id,
        head_id=None if leaf is None else EntryName(leaf, info.id),
        usage=USAGE.validate_python(claim.get("usage", {})),
        deferred_tool_requests=None if requests is None else REQUESTS.validate_json(json.dumps(requests)),
        scope=claim.get("scope"),
        forked_from=claim.get("forked_from"),
        forked_at=claim.get("forked_at"),
        revision=claim["revision"] if as_left else f"{claim.get('revision', '')}+{leaf or ''}",
        updated_at=datetime.fromisoformat(claim["updated_at"]) if as_left else info.updated_at,
    )
