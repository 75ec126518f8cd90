"""Erasing, retention, figures, jobs, keys, pools, and who one is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from recollect.server.shapes.basis import Incoming, Moment, Name, Outgoing, Problem, Sayable, Text, at_most

Scope = Literal["read", "write", "admin"]
TENANT = r"^[^\x00-\x1f/]+$"


class Limits(Outgoing):
    """The largest bodies that are taken, in bytes."""

    body_bytes: int
    upload_bytes: int


class Me(Outgoing):
    """Who is asking, and what there is to work with."""

    owner: str
    scopes: list[Scope]
    authenticated: bool
    version: str
    llm: str | None
    llm_note: str
    embedder: str | None
    tokenizer: str
    limits: Limits


class _Erase(Incoming):
    keep_facts: bool = Field(False, description="Facts that rest on it stay, as if they were written by hand.")


class EraseSome(_Erase):
    """A session to be removed for good, or one message of it."""

    session: Name
    message: Name | None = None


class EraseEverything(_Erase):
    """Everything of the owner to be removed for good."""

    confirm: Literal["forget everything"]


EraseOrder = EraseSome | EraseEverything


class EraseShape(Outgoing):
    """What was removed, and what was looked at afterwards to prove it."""

    sessions: int
    messages: int
    derived: int
    verified: list[str]
    pending: str
    facts_kept: int = 0


class Policy(Outgoing):
    """How long sessions are kept, in days; null for ever."""

    active_days: float | None
    archived_days: float | None
    deleted_days: float | None
    keep_facts: bool


class RetentionOrder(Incoming):
    """A clean-up; by default one that only tells what it would do."""

    dry_run: bool = True


class RetentionShape(Outgoing):
    """What a clean-up did, or would do."""

    expired: int
    expired_archived: int
    purged: int
    messages_purged: int
    total: int
    dry_run: bool
    rehearsal: bool
    policy: Policy


class PeriodShape(Outgoing):
    """One day."""

    start_at: datetime
    sessions: int
    messages: int
    tokens: int
    bytes: int
    summaries: int
    prompts: int
    prompt_tokens: int
    reused_tokens: int
    recall_p50: float | None
    recall_p95: float | None


class StatsShape(Outgoing):
    """What there is by now, and what happened on each of the last days."""

    owners: int
    active: int
    archived: int
    deleted: int
    sessions: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int
    session_length: float
    recall_p50: float | None
    recall_p95: float | None
    periods: list[PeriodShape]


class ImportShape(Outgoing):
    """What an import brought."""

    format: str
    conversations: int
    messages: int
    already_there: int
    documents: int
    facts: int
    skipped: dict[str, int]
    mended: dict[str, int]
    warnings: list[str]


class JobShape(Outgoing):
    """Work that goes on after its request is answered."""

    id: str
    kind: Literal["import", "preview"]
    state: Literal["running", "done", "failed"]
    done: int = Field(description="Bytes read so far.")
    total: int
    report: ImportShape | None
    problem: Problem | None


class _NewKey(Incoming):
    name: Annotated[Sayable, Field(max_length=200)]
    expires_at: Moment | None = None


class NewOwnerKey(_NewKey):
    """A key of one owner."""

    owner: Name
    tenant: None = None
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=3), at_most(3)] = ["read", "write"]


class NewServiceKey(_NewKey):
    """A key of a service that acts for the users of a tenant."""

    tenant: Annotated[str, Field(min_length=1, max_length=200, pattern=TENANT)]
    owner: None = None
    scopes: Annotated[list[Literal["read", "write"]], Field(min_length=1, max_length=2), at_most(2)] = ["read", "write"]


NewKey = NewOwnerKey | NewServiceKey


class KeyShape(Outgoing):
    """A key, without its secret, which is nowhere kept."""

    id: str
    name: str
    owner: str | None
    tenant: str | None
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None


class KeyList(Outgoing):
    """Keys, newest first."""

    items: list[KeyShape]


class MadeKey(KeyShape):
    """A new key. The secret is shown this once."""

    secret: str


class NewPool(Incoming):
    """A shared memory to be made."""

    name: Text


class GrantOrder(Incoming):
    """What somebody may do in a pool."""

    access: Literal["read", "write", "admin"]


class GrantShape(Outgoing):
    """Who may do what in a pool."""

    pool: str
    owner: str
    access: Literal["read", "write", "admin"]
    name: str


class GrantList(Outgoing):
    """Grants."""

    items: list[GrantShape]
