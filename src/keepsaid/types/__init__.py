"""The values that the API takes and returns: one file per noun."""

from keepsaid.types.artifacts import Artifact, ArtifactKind, ArtifactSource, Summary
from keepsaid.types.blobs import Blob
from keepsaid.types.changes import BEGINNING, ChangeKind, ChangePosition, MemoryChange
from keepsaid.types.documents import Document
from keepsaid.types.facts import Fact, FactChange, FactChangeKind, FactKind
from keepsaid.types.messages import (
    ADAPTER_FIELDS,
    Branch,
    ContentPart,
    Message,
    MessageAddition,
    MessageDraft,
    MessageWindow,
    ReadWindow,
    Role,
    ToolCall,
)
from keepsaid.types.pages import Page
from keepsaid.types.scopes import PoolAccess, PoolGrant, Scope
from keepsaid.types.search import SearchFilters, SearchHit, SearchHits
from keepsaid.types.sessions import RetentionPolicy, Session, SessionQuery, SessionStatus
from keepsaid.types.time import EPOCH, MICROSECOND, Microseconds, to_datetime, to_microseconds

__all__ = [
    "ADAPTER_FIELDS",
    "BEGINNING",
    "EPOCH",
    "MICROSECOND",
    "Artifact",
    "ArtifactKind",
    "ArtifactSource",
    "Blob",
    "Branch",
    "ChangeKind",
    "ChangePosition",
    "ContentPart",
    "Document",
    "Fact",
    "FactChange",
    "FactChangeKind",
    "FactKind",
    "MemoryChange",
    "Message",
    "MessageAddition",
    "MessageDraft",
    "MessageWindow",
    "Microseconds",
    "Page",
    "PoolAccess",
    "PoolGrant",
    "ReadWindow",
    "RetentionPolicy",
    "Role",
    "Scope",
    "SearchFilters",
    "SearchHit",
    "SearchHits",
    "Session",
    "SessionQuery",
    "SessionStatus",
    "Summary",
    "ToolCall",
    "to_datetime",
    "to_microseconds",
]
