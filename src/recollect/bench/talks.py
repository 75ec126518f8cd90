"""A data set for prompts: all that an owner ever said is one long conversation, in order of time.

A store of them is made anew for every run, so that its notes are those of this version; only the vectors are taken from the
store that `bench recall` keeps.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect.bench import recall
from recollect.bench.dataset import Conversation, Memories, Outline, Question, Said, conversations
from recollect.bench.known import Known, embedder_of
from recollect.bench.recall import Tell
from recollect.chat import Chat
from recollect.memory import Memory
from recollect.types import Draft

TALK = "talk"
"""The session that everything of an owner is in."""
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Talks:
    """One conversation for each owner, with the vectors of all that was said; None for a search by words."""

    said: dict[str, list[Said]]
    embedder: Known | None


def read(source: Path, outline: Outline, owners: Sequence[str], embedder: str | None, tell: Tell) -> Talks:
    """The conversations of these owners. What has no vectors yet gets them, in the store of `bench recall`."""
    found: dict[str, list[Conversation]] = {owner: [] for owner in owners}
    for talk in conversations(source):
        if talk.owner in found:
            found[talk.owner].append(talk)
    said = {owner: list(in_order(some)) for owner, some in found.items()}
    inner = embedder_of(embedder)
    if inner is None:
        return Talks(said, None)
    known = Known(inner)
    path = recall.kept_at(source, embedder)
    with recall.open_kept(path, inner) as memory:
        recall.load(memory, source, outline, owners, tell)
        memory.maintain(progress=lambda done, total: tell("embedding", done, total))
    known.learn(path, owners)
    return Talks(said, known)


def in_order(some: Iterable[Conversation]) -> Iterator[Said]:
    """What was said in several conversations, as one. Those without a time come first, as they stand in the file.

    >>> early, late = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)
    >>> one = Conversation("u1", "s1", (Said("m1", "user", "Then", created_at=late),), late)
    >>> other = Conversation("u1", "s2", (Said("m2", "user", "First", created_at=early),), early)
    >>> [said.id for said in in_order([one, other])]
    ['m2', 'm1']
    """
    for talk in sorted(some, key=_began):
        yield from talk.messages


def _began(talk: Conversation) -> datetime:
    return talk.started_at or next((said.created_at for said in talk.messages if said.created_at), NEVER)


@contextmanager
def new_store(embedder: Known | None) -> Generator[Memory]:
    """A store for one run, with the settings of whoever runs it."""
    with (
        TemporaryDirectory(prefix="recollect-", ignore_cleanup_errors=True) as folder,
        recall.open_kept(Path(folder) / "bench.db", "off" if embedder is None else embedder) as memory,
    ):
        yield memory


def save(chat: Chat, said: Iterable[Said]) -> None:
    """Says it again."""
    chat.add_many(Draft(one.role, one.content, one.id, name=one.name, created_at=one.created_at) for one in said)


def talk_of(memory: Memory, owner: str) -> Chat:
    """The owner's one conversation."""
    return memory.chat(owner=owner, session=TALK, create=True)


def asked_at(question: Question, outline: Outline) -> datetime | None:
    """Without a time of its own a question is asked right after the last message: no figure may depend on today's date."""
    return question.asked_at or outline.owners.get(question.owner, Memories()).last
