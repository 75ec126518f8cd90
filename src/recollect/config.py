"""Settings: one list of knobs, read from arguments, then the environment, then a file, then the defaults.

Every knob has one name. In Python it is the argument `retention_active_days`, in the environment
`RECOLLECT_RETENTION_ACTIVE_DAYS`, in the file `retention_active_days` or a table:

    [retention]
    active_days = 30

The environment and the file are read by `load`, once, when a door opens; nothing is read at import.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from recollect.errors import ConfigError, MissingExtra
from recollect.types import RetentionPolicy

PREFIX = "RECOLLECT_"
PERSONAL = ("mail", "phone", "card", "iban", "key")
"""The kinds of personal data that can be redacted."""
PROFILES = {"4k": 4_096, "12k": 10_000, "128k": 120_000, "262k": 260_000}
"""Budgets for common windows, with room for the answer taken off: 2,000 of 12,000, 8,000 of 128,000, 2,000 of 262,000."""
STRATEGIES = {
    "hybrid": "hybrid",
    "summary": "summary",
    "window": "window",
    "simple": "window",
    "buffer": "window",
    "summarization": "summary",
}
"""What a prompt can be made of, by all names for it."""
RECALLS = ("owner", "session", "off")
"""Where a prompt's memories can come from."""
SECRETS = ("key", "embedder_key", "llm_key")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every knob with its value. `recollect.open(...)` takes the same names as arguments.

    >>> Settings().sessions_limit
    20
    >>> Settings(retention_active_days=None).retention_policy.active_days is None
    True
    """

    url: str = ""
    key: str | bytes | None = None
    key_file: str | None = None
    durable: bool = True
    busy_timeout: float = 60.0
    tokenizer: str = ""
    sessions_limit: int = 20
    retention_active_days: float | None = 30.0
    retention_archived_days: float | None = 90.0
    retention_deleted_days: float | None = 30.0
    retention_batch: int = 100
    embedder: Any = "auto"
    embedder_url: str | None = None
    embedder_key: str | None = None
    embedder_threads: int = 1
    embedder_patience: float = 5.0
    model_folder: str | None = None
    token_vectors: bool = True
    background: bool = True
    index_memory: int = 512
    recall_limit: int = 10
    recall_min_score: float = 0.0
    reranker: Any = None
    rerank_top: int = 20
    context_budget: int | str = "4k"
    strategy: str = "hybrid"
    window_messages: int | None = 20
    memory_tokens: int = 800
    context_recall: str = "owner"
    context_recalled: int = 20
    context_min_score: float = 0.1
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
    receipts: bool = True
    receipt_days: float | None = 30.0
    redact_stored: tuple[str, ...] = ()
    redact_sent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.name not in SECRETS)
        secret = (f"{name}={'***' if getattr(self, name) else None}" for name in SECRETS)
        return f"Settings({', '.join((*shown, *secret))})"

    @property
    def retention_policy(self) -> RetentionPolicy:
        """The three retention knobs as one value.

        >>> Settings().retention_policy.archived_days
        90.0
        """
        return RetentionPolicy(self.retention_active_days, self.retention_archived_days, self.retention_deleted_days)


DEFAULTS = Settings()


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


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _key(value: Any) -> str | bytes:
    if not isinstance(value, (str, bytes)) or not value:
        raise ValueError("must be a passphrase or 32 bytes")
    if isinstance(value, bytes) and len(value) != 32:
        raise ValueError(f"a binary key has 32 bytes, not {len(value)}")
    return value


def _embedder(value: Any) -> Any:
    if isinstance(value, str) and not value:
        raise ValueError("must name an embedder, or be auto or off")
    # YAML reads a bare `off` as False.
    return "off" if value is False else value


def _anything(value: Any) -> Any:
    return value


def _object(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError("must be an object, which only Python can give")
    return value


def _flag(value: Any) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    found = known.get(str(value).lower())
    if found is None:
        raise ValueError("must be on or off")
    return found


def _number(smallest: float, whole: bool = False, none: bool = False) -> Callable[[Any], Any]:
    def parse(value: Any) -> Any:
        # YAML reads a bare `off` as False.
        if none and (value is None or value is False or str(value).lower() in ("off", "none", "never")):
            return None
        if isinstance(value, bool):
            raise ValueError("must be a number")
        number = int(value) if whole else float(value)
        if not number >= smallest:
            raise ValueError(f"must be at least {smallest:g}")
        return number

    return parse


def _share(value: Any) -> float:
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("must be from 0 to 1")
    return number


def _one_of(*names: str, but_also: Callable[[Any], bool] = lambda value: False) -> Callable[[Any], Any]:
    def parse(value: Any) -> Any:
        # YAML reads a bare `off` as False.
        value = "off" if value is False else value
        if value not in names and not but_also(value):
            raise ValueError(f"must be one of {', '.join(names)}")
        return value

    return parse


def _condenses(value: Any) -> bool:
    return callable(getattr(value, "condense", None))


def _budget(value: Any) -> int | str:
    if isinstance(value, str) and not value.isdigit():
        if value not in PROFILES:
            raise ValueError(f"must be a number of tokens, or one of {', '.join(PROFILES)}")
        return value
    return _number(1, whole=True)(value)


def _kinds(value: Any) -> tuple[str, ...]:
    """Kinds of personal data: a list, or `all`, `off`, or names with commas."""
    names = value.replace(",", " ").split() if isinstance(value, str) else list(value or ())
    if names in (["off"], ["none"]):
        return ()
    names = PERSONAL if names == ["all"] else names
    if unknown := [name for name in names if name not in PERSONAL]:
        raise ValueError(f"must be among {', '.join(PERSONAL)}, not {unknown[0]}")
    return tuple(names)


_DAYS = _number(0, none=True)
_TOKENS = _number(0, whole=True)
_COUNT = _number(0, whole=True)

KNOBS: tuple[Knob, ...] = (
    Knob("url", _text, "where the data is: a path, sqlite:///path or memory://", "storage_path"),
    Knob("key", _key, "encrypts the file: a passphrase, or 32 bytes from Python"),
    Knob("key_file", _text, "a file whose content is the key: 64 hexadecimal digits, 32 bytes, or a passphrase"),
    Knob("durable", _flag, "wait for the disk at every commit; off is faster and may lose the last moments in a power cut"),
    Knob("busy_timeout", _number(0), "seconds to wait for another process's lock"),
    Knob("tokenizer", _text, "counts the tokens of a new store: a tokenizer or model name; default o200k_base"),
    Knob("sessions_limit", _number(1, whole=True), "sessions listed when the caller names no limit", "limit"),
    Knob("retention_active_days", _DAYS, "an active session expires so long after its last activity; off: never",
         "expiresInDays, auto_prune_days"),
    Knob("retention_archived_days", _DAYS, "an archived session expires so long after archiving; off: never", "days_old"),
    Knob("retention_deleted_days", _DAYS, "a deleted session is purged so long after deletion; off: never"),
    Knob("retention_batch", _number(1, whole=True), "sessions handled in one transaction of a clean-up", "batch"),
    Knob("embedder", _embedder, "what finds by meaning: auto (the local model if it was pulled), off, local, ollama:MODEL,"
         " openai:MODEL, sentence-transformers:MODEL; from Python also an object or a function",
         "embedding_model, embedding_provider"),
    Knob("embedder_url", _text, "where an Ollama or OpenAI-compatible server is"),
    Knob("embedder_key", _text, "the key for it"),
    Knob("embedder_threads", _number(1, whole=True), "processor threads of the local model"),
    Knob("embedder_patience", _number(0), "seconds a search waits for the embedder before it searches by words alone"),
    Knob("model_folder", _text, "where the local model is, if not in the user's cache folder"),
    Knob("token_vectors", _flag, "keep the vectors of single tokens, too: better hits for 4 kB a message", "rag.rerank"),
    Knob("background", _flag, "embed new messages in the background; off: only `maintain` does it"),
    Knob("index_memory", _number(1, whole=True), "megabytes that the vector index may keep in memory"),
    Knob("recall_limit", _number(1, whole=True), "messages found when the caller names no limit",
         "RAG_TOP_K_MAX, rag.top_k"),
    Knob("recall_min_score", _share, "the lowest score of a hit, from 0 to 1 (no cosine): 0.5 is what a typical answer has",
         "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    Knob("reranker", _object, "from Python: an object that looks at the best hits again (ports.Reranker)"),
    Knob("rerank_top", _number(1, whole=True), "how many of the best hits it looks at", "RAG_RE_RANK_TOP_N"),
    Knob("context_budget", _budget, "tokens of a prompt when the caller names none: a number, or 4k, 12k, 128k (120,000 and"
         " 8,000 for the answer), 262k (260,000)", "max_history_tokens, CHAT__MAX_TOKENS, token_limit"),
    Knob("strategy", _one_of(*STRATEGIES),
         "what a prompt is made of: hybrid (summary, newest messages, memories), summary (without memories), window"
         " (newest messages alone)", "strategy, memoryType"),
    Knob("window_messages", _number(1, whole=True, none=True), "messages of the strategy window; off: as many as fit",
         "maxMessages, windowSize"),
    Knob("memory_tokens", _TOKENS, "tokens of a prompt for facts, tool notes and recalled passages together",
         "RAG_PER_TURN_MEMORY_BUDGET_TOKENS"),
    Knob("context_recall", _one_of(*RECALLS), "where a prompt's memories come from: all conversations of"
         " the owner, this one, or nowhere", "rag.enabled"),
    Knob("context_recalled", _COUNT, "passages recalled into a prompt, at the most", "RAG_TOP_K_MAX, rag.top_k"),
    Knob("context_min_score", _share, "from which score of the best hit on the memory is taken to have something on a"
         " question, from 0 to 1; below it, only the three best are recalled",
         "RAG_SIMILARITY_THRESHOLD, rag.min_similarity"),
    Knob("context_facts", _COUNT, "facts in a prompt, at the most"),
    Knob("context_tools", _COUNT, "tool notes in a prompt, at the most"),
    Knob("documents_tokens", _TOKENS, "tokens of a prompt for pieces of documents"),
    Knob("documents_limit", _number(1, whole=True), "pieces of documents found when the caller names no limit",
         "RAG_FINAL_TOP_K"),
    Knob("documents_min_score", _share, "the lowest score of such a piece, from 0 to 1; what has nothing to do with the"
         " question has less than the default"),
    Knob("chunk_tokens", _number(8, whole=True), "tokens of the pieces that a document is cut into", "RAG_CHUNK_SIZE"),
    Knob("chunk_overlap", _TOKENS, "tokens, more or less, that each of them repeats from the one before",
         "RAG_CHUNK_OVERLAP"),
    Knob("retriever", _object, "from Python: an application's own way to its documents, instead of ours (ports.Retriever, a"
         " function, a LangChain or LlamaIndex retriever)"),
    Knob("relevant_tokens", _TOKENS, "tokens of `relevant_context` when the caller names none", "rag.max_tokens"),
    Knob("notes", _flag, "make summaries, facts, tool notes and titles of what is said", "memory.enabled"),
    Knob("summary_tokens", _TOKENS, "tokens of a rolling summary, at the most", "CONVO_SUMMARY_MAX_TOKENS"),
    Knob("summary_every", _number(1, whole=True), "messages after which the summary is renewed",
         "CONVO_SUMMARY_EVERY_N_MESSAGES"),
    Knob("summary_tail_tokens", _TOKENS, "or tokens after which it is", "maxTokens"),
    Knob("summary_min_messages", _COUNT, "conversations of fewer messages get no summary"),
    Knob("keep_recent", _COUNT, "newest messages that no summary covers", "keep_recent"),
    Knob("summarizer", _one_of("auto", "local", "llm", "dspy", but_also=_condenses), "what writes summaries: auto (the llm"
         " if there is one), local (no model), llm, dspy", "enable_condensation, enable_dspy"),
    Knob("rewriter", _one_of("rules", "llm", "off"), "what completes a follow-up question before it is searched for"),
    Knob("llm", _anything, "a language model for summaries, facts and titles: openai:MODEL, ollama:MODEL; from Python also"
         " an object or a function"),
    Knob("llm_url", _text, "where an OpenAI-compatible server is"),
    Knob("llm_key", _text, "the key for it"),
    Knob("llm_timeout", _number(0), "seconds to wait for it"),
    Knob("receipts", _flag, "keep a receipt of every prompt, for `replay`"),
    Knob("receipt_days", _DAYS, "receipts are kept so long; off: for ever"),
    Knob("redact_stored", _kinds, "personal data to remove before a message is saved: all, or some of mail, phone, card,"
         " iban, key"),
    Knob("redact_sent", _kinds, "the same before a prompt is given out; the store keeps it"),
)  # fmt: skip
"""The single list of knobs; docs/configuration.md is made from it."""


def load(arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> Settings:
    """Settings from all sources, the nearest one winning.

    >>> load({"sessions_limit": 5}, {"RECOLLECT_SESSIONS_LIMIT": "7", "RECOLLECT_DURABLE": "off"})
    ... # doctest: +ELLIPSIS
    Settings(url='', ..., durable=False, ..., sessions_limit=5, ..., key=None, embedder_key=None, llm_key=None)
    """
    file = file or environment.get(PREFIX + "CONFIG")
    known = {knob.name: knob for knob in KNOBS}
    unset = {field.name: field.default for field in fields(Settings)}
    values: dict[str, Any] = {}
    sources = (
        (f"in {file}", read_file(Path(file)) if file else {}),
        ("in the environment", _from_environment(environment, known)),
        ("", arguments),
    )
    for where, source in sources:
        if "key" in source or "key_file" in source:
            # Two ways to say the same: the nearest source that says either wins.
            values = {name: value for name, value in values.items() if name not in ("key", "key_file")}
        for name, value in source.items():
            if name not in known:
                raise ConfigError(f"there is no setting {name!r} {where}; known are {', '.join(known)}".replace("  ", " "))
            try:
                unset = value is None and getattr(DEFAULTS, name) is None
                values[name] = None if unset else known[name].parse(value)
            except (ValueError, TypeError) as error:
                shown = "***" if name in SECRETS else repr(value)
                raise ConfigError(f"{name} {where} is {shown}: {error}".replace("  ", " ")) from None
    return Settings(**values)


def _from_environment(environment: Mapping[str, str], known: Mapping[str, Knob]) -> dict[str, str]:
    by_variable = {knob.variable: name for name, knob in known.items()}
    # Other programs may use the prefix for their own, so an unknown variable is not an error here.
    return {by_variable[variable]: value for variable, value in environment.items() if variable in by_variable}


def read_file(path: Path) -> dict[str, Any]:
    """The settings in a TOML, YAML or JSON file, tables flattened into names."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the configuration {path}: {error}") from None
    try:
        value = _parse(path, text)
    except ValueError as error:
        raise ConfigError(f"{path} is not valid: {error}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path} must be a table of settings")
    return _flatten(value)  # pyright: ignore[reportUnknownArgumentType]


def _parse(path: Path, text: str) -> Any:
    if path.suffix in (".yaml", ".yml"):
        try:
            import yaml  # pyright: ignore[reportMissingModuleSource]
        except ImportError:
            raise MissingExtra("YAML configuration needs: pip install 'recollect[yaml]'") from None
        try:
            return yaml.safe_load(text) or {}
        except yaml.YAMLError as error:
            raise ValueError(str(error)) from None
    return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{name}_"))  # pyright: ignore[reportUnknownArgumentType]
        else:
            flat[f"{prefix}{name}"] = value
    return flat
