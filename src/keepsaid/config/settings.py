"""The settings and their defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args

from keepsaid.types import FactKind, RetentionPolicy

PERSONAL = ("mail", "phone", "card", "iban", "key")
"""The kinds of personal data that can be redacted."""
PRESETS = {"4k": 4_096, "12k": 10_000, "128k": 120_000, "262k": 260_000}
"""Budgets for common windows, minus a reserve for the answer: 2,000 of 12,000, 8,000 of 128,000, 2,000 of 262,000."""
STRATEGIES = {
    "hybrid": "hybrid",
    "summary": "summary",
    "window": "window",
    "simple": "window",
    "buffer": "window",
    "summarization": "summary",
}
"""The prompt strategies by name and alias."""
RECALLS = ("owner", "session", "off")
"""Where the memories in a prompt can come from."""
RETENTION_PRESETS: dict[str, tuple[float | None, float | None, float | None]] = {
    "off": (None, None, 30.0),
    "30/90/30": (30.0, 90.0, 30.0),
}
"""Days until active, archived and deleted sessions reach the end of their stage, by the name of the preset."""
RETENTION_DAYS = ("retention_active_days", "retention_archived_days", "retention_deleted_days")
"""The three settings that a preset stands for."""
FACT_KINDS: tuple[str, ...] = get_args(FactKind)
"""What facts are about."""
SECRETS = ("key", "embedder_key", "llm_key", "jwt_secret")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value. `keepsaid.open(...)` takes the same names as arguments.

    >>> Settings().sessions_limit
    20
    >>> Settings(retention_active_days=90).retention_policy.active_days
    90
    """

    url: str = ""
    owner: str = "me"
    persist: bool = True
    key: str | bytes | None = None
    key_file: str | None = None
    replica_folder: str | None = None
    durable: bool = True
    busy_timeout: float = 60.0
    tokenizer: str = ""
    sessions_limit: int = 20
    retention_preset: str = "off"
    retention_active_days: float | None = None
    retention_archived_days: float | None = None
    retention_deleted_days: float | None = 30.0
    retention_facts: str = "keep"
    retention_batch: int = 100
    retention_every: float | None = 24.0
    backup_folder: str | None = None
    backup_every: float | None = 24.0
    backup_keep: int = 7
    embedder: Any = "auto"
    embedder_url: str | None = None
    embedder_key: str | None = None
    embedder_threads: int = 1
    embedder_device: str | None = None
    embedder_patience: float = 5.0
    model_folder: str | None = None
    model_mirror: str | None = None
    token_vectors: bool = True
    background: bool = True
    index_memory: int = 512
    recall_limit: int = 10
    recall_min_score: float = 1e-6
    reranker: Any = None
    rerank_top: int = 20
    context_budget: int | str = "4k"
    strategy: str = "hybrid"
    window_messages: int | None = 20
    memory_tokens: int | None = None
    context_recall: str = "owner"
    context_recalled: int = 60
    context_min_score: float = 0.01
    context_facts: int = 3
    context_tools: int = 2
    documents_tokens: int = 1_000
    documents_limit: int = 3
    documents_min_score: float = 0.02
    chunk_tokens: int = 300
    chunk_overlap: int = 50
    retriever: Any = None
    relevant_tokens: int = 2_048
    notes: bool = True
    facts_kinds: tuple[str, ...] = FACT_KINDS
    profile_tokens: int = 300
    summary_tokens: int = 400
    summary_every: int = 12
    summary_tail_tokens: int = 2_000
    summary_min_messages: int = 4
    keep_recent: int = 5
    summarizer: Any = "auto"
    rewriter: str = "rules"
    llm: Any = None
    llm_url: str | None = None
    llm_key: str | None = None
    llm_timeout: float = 60.0
    answer_tokens: int | None = None
    agent_steps: int = 8
    web_search: str | None = None
    receipts: bool = True
    receipt_days: float | None = 30.0
    redact_stored: tuple[str, ...] = ()
    redact_sent: tuple[str, ...] = ()
    server_host: str = "127.0.0.1"
    server_port: int = 8765
    server_names: tuple[str, ...] = ()
    server_origins: tuple[str, ...] = ()
    server_auth: str = "auto"
    server_rate: int | None = 6_000
    server_body: int = 2_000_000
    server_upload: int = 1_000_000_000
    server_reading_memory: int = 1_000
    server_reading_seconds: float = 20.0
    server_threads: int = 16
    server_threads_owner: int = 4
    server_waiting: int = 256
    server_jobs: int = 4
    server_jobs_owner: int = 2
    server_jobs_waiting: int = 16
    server_header: int = 32_768
    server_patience: float = 20.0
    server_connections: int | None = 256
    server_log: str = "json"
    quota_messages: int | None = None
    quota_bytes: int | None = None
    jwt_jwks_url: str | None = None
    jwt_key_file: str | None = None
    jwt_secret: str | None = None
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_owner_claim: str = "sub"
    tracing: bool = False

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.name not in SECRETS)
        secret = (f"{name}={'***' if getattr(self, name) else None}" for name in SECRETS)
        return f"Settings({', '.join((*shown, *secret))})"

    @property
    def retention_policy(self) -> RetentionPolicy:
        """How long sessions are kept, as one value. `load` has already applied the preset.

        >>> Settings().retention_policy
        RetentionPolicy(active_days=None, archived_days=None, deleted_days=30.0, keep_facts=True)
        """
        return RetentionPolicy(
            self.retention_active_days,
            self.retention_archived_days,
            self.retention_deleted_days,
            self.retention_facts == "keep",
        )


DEFAULTS = Settings()
