"""A data set for prompts: all messages of an owner form one long conversation, in order of time.

A new store is created for every run, so that its notes are those of the current version. Only the vectors are taken from the
store that `bench recall` keeps.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common.cached_embedder import CachedEmbedder, embedder_for_spec
from benchmarks.common.dataset import (
    DataSetConversation,
    DataSetMessage,
    DataSetOutline,
    DataSetQuestion,
    OwnerMessages,
    read_conversations,
)
from benchmarks.search import recall
from benchmarks.search.recall import ProgressFunction
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import MessageDraft

SESSION = "talk"
"""The session with all messages of an owner."""
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BenchmarkConversations:
    """One conversation for each owner, and an embedder with the vectors of all messages; None for a search by words."""

    said: dict[str, list[DataSetMessage]]
    embedder: CachedEmbedder | None


def read_owner_conversations(
    source: Path, outline: DataSetOutline, owners: Sequence[str], embedder: str | None, tell: ProgressFunction
) -> BenchmarkConversations:
    """Read the conversations of these owners. Messages without vectors are embedded in the store of `bench recall`."""
    found: dict[str, list[DataSetConversation]] = {owner: [] for owner in owners}
    for talk in read_conversations(source):
        if talk.owner in found:
            found[talk.owner].append(talk)
    said = {owner: list(sort_messages(some)) for owner, some in found.items()}
    inner = embedder_for_spec(embedder)
    if inner is None:
        return BenchmarkConversations(said, None)
    known = CachedEmbedder(inner)
    path = recall.kept_store_path(source, embedder)
    with recall.open_kept_store(path, inner) as memory:
        recall.load_conversations(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known.learn(path, owners)
    return BenchmarkConversations(said, known)


def sort_messages(some: Iterable[DataSetConversation]) -> Iterator[DataSetMessage]:
    """Yield the messages of several conversations as one. Those without a time come first, in the order of the file.

    >>> early, late = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)
    >>> one = DataSetConversation("u1", "s1", (DataSetMessage("m1", "user", "Then", created_at=late),), late)
    >>> other = DataSetConversation("u1", "s2", (DataSetMessage("m2", "user", "First", created_at=early),), early)
    >>> [said.id for said in sort_messages([one, other])]
    ['m2', 'm1']
    """
    for talk in sorted(some, key=_began):
        yield from talk.messages


def _began(talk: DataSetConversation) -> datetime:
    return talk.started_at or next((said.created_at for said in talk.messages if said.created_at), NEVER)


@contextmanager
def open_new_store(embedder: CachedEmbedder | None) -> Generator[Memory]:
    """Open a temporary store for one run, with the user's settings."""
    with (
        TemporaryDirectory(prefix="keepsaid-", ignore_cleanup_errors=True) as folder,
        recall.open_kept_store(Path(folder) / "bench.db", "off" if embedder is None else embedder) as memory,
    ):
        yield memory


def add_messages(chat: Chat, said: Iterable[DataSetMessage]) -> None:
    """Add the messages to a chat."""
    chat.add_many(MessageDraft(one.role, one.content, one.id, name=one.name, created_at=one.created_at) for one in said)


def owner_chat(memory: Memory, owner: str) -> Chat:
    """The owner's single conversation."""
    return memory.chat(owner=owner, session=SESSION, create=True)


def question_time(question: DataSetQuestion, outline: DataSetOutline) -> datetime | None:
    """The time of a question. The default is that of the last message, so that no figure depends on today's date."""
    return question.asked_at or outline.owners.get(question.owner, OwnerMessages()).last
