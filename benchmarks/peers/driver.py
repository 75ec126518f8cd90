"""What a library has to do, and the list of libraries."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Coroutine, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from benchmarks.peers.conversation import MessageVectors, PeerMessage

TOKENS = 4_096
"""The budget of newest messages, and of a prompt."""
LAST = 20
SESSIONS = 20
HITS = 10

Result = TypeVar("Result")

OWNER, SESSION, SYSTEM = "ann", "talk", "You are a helpful assistant."


class PeerDriver(Protocol):
    """One library. Beyond these methods, a driver has those of `OPERATIONS` that its library has a notion of:

    `add_sessions(titles)`, and `newest_sessions(count)`: titles or ids;
    `last(count)`, `newest_fitting(tokens)` and `search(query)`: texts;
    `prompt(question)`: the messages that a model gets.
    """

    def save(self, messages: Sequence[PeerMessage]) -> None:
        """Save messages at the end of the conversation; they are on disk when this returns."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...


class PeerLibrary(NamedTuple):
    """How a library is called, where its driver is, its distributions, what its prompts hold, and how long its conversation
    may be, for those that would take minutes."""

    title: str
    driver: str
    packages: tuple[str, ...]
    prompt: str = ""
    most_messages: int | None = None


LIBRARIES = (
    PeerLibrary(
        "Keepsaid", "keepsaid:KeepsaidDriver", (), "profile, memories, summary and the newest messages, within 4,096 tokens"
    ),
    PeerLibrary("raw SQLite, one table", "raw_sqlite:RawDriver", ()),
    PeerLibrary(
        "LangChain SQL history", "langchain:LangChainDriver", ("langchain-community", "langchain-core"),
        "the newest messages that fit 4,096 tokens (trim_messages)",
    ),
    PeerLibrary(
        "LangGraph SqliteSaver", "langgraph:SaverDriver", ("langgraph", "langgraph-checkpoint-sqlite"),
        "the newest messages that fit 4,096 tokens (trim_messages)",
    ),
    PeerLibrary(
        "LangGraph SqliteStore", "langgraph:StoreDriver", ("langgraph-checkpoint-sqlite",), "ten memories, no conversation"
    ),
    PeerLibrary(
        "LlamaIndex Memory", "llama_index:MemoryDriver", ("llama-index-core",),
        "the queue of newest messages and a block of memories, within 4,096 tokens",
    ),
    PeerLibrary(
        "LlamaIndex ChatMemoryBuffer", "llama_index:BufferDriver", ("llama-index-core",),
        "the newest messages that fit 4,096 tokens", most_messages=2_000,
    ),
    PeerLibrary(
        "OpenAI Agents SQLiteSession", "openai_agents:SessionDriver", ("openai-agents",), "the newest 20 messages"
    ),
    PeerLibrary(
        "Google ADK", "google_adk:ServiceDriver", ("google-adk",), "the newest 20 messages, and ten memories found by words"
    ),
    PeerLibrary("ChromaDB", "chroma:ChromaDriver", ("chromadb",)),
    PeerLibrary("MemPalace", "mempalace:PalaceDriver", ("mempalace",), "ten memories, no conversation"),
    PeerLibrary("mem0", "mem0:Mem0Driver", ("mem0ai",), "ten memories, no conversation"),
)  # fmt: skip


def open_driver(library: PeerLibrary, folder: Path, vectors: MessageVectors) -> PeerDriver:
    """Open a library's files in a new folder. Raise ImportError if the library is not installed."""
    module, _, name = library.driver.partition(":")
    place = folder / f"{module}-{name}"
    place.mkdir()
    return cast(PeerDriver, getattr(import_module(f"benchmarks.peers.drivers.{module}"), name)(place, vectors))


def library_version(library: PeerLibrary) -> str:
    """Return the versions of a library's distributions, the first without its name.

    >>> library_version(PeerLibrary("numbers", "numbers:Driver", ("numpy",))) == metadata.version("numpy")
    True
    """
    first, *others = library.packages
    return " with ".join([metadata.version(first), *(f"{name} {metadata.version(name)}" for name in others)])


def make_wal_file(path: Path) -> Path:
    """Create an SQLite file in WAL mode, which the file keeps. A commit then waits for one fsync instead of several: what is
    compared is the library, not the journal that it leaves as it was."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    return path


class AsyncCaller:
    """Runs coroutines of a library that is asynchronous, in one event loop."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """Wait for a coroutine."""
        return self._runner.run(call)

    def close(self) -> None:
        """Close the event loop."""
        self._runner.close()
