"""What every library gets: one long conversation of made-up messages, many sessions, questions, and the same vectors.

Embedding ten thousand messages would take minutes. As for `bench search`, only a pool of texts is embedded; each message is
one of them with some words replaced, and has that text's vector with some noise.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from benchmarks.common.cached_embedder import CachedEmbedder
from benchmarks.common.texts import make_passages, make_sentences, vary_text
from benchmarks.search import haystack
from benchmarks.search.recall import ProgressFunction
from benchmarks.search.search import make_questions
from keepsaid.ports import EmbeddedPassage, Embedder, VectorGeneration

WARM_UP = 3
"""Messages that are saved one at a time before that is measured."""


class PeerMessage(NamedTuple):
    """A message. Its id ends with the number of the text that it is a variation of."""

    id: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class PeerSizes:
    """How much is saved and asked, and how long each round of a library may take."""

    messages: int = 10_000
    sessions: int = 1_000
    questions: int = 60
    texts: int = 1_500
    batch: int = 100
    rounds: int = 10
    seconds: float = 0.25
    most_calls: int = 100

    @property
    def later(self) -> int:
        """How many messages are saved one at a time, with those that warm up."""
        return self.most_calls + WARM_UP


QUICK = PeerSizes(messages=400, sessions=40, questions=5, texts=100, batch=20, rounds=1, seconds=0.05, most_calls=5)


class MessageVectors:
    """The vector of every message and question, which no library spends time on. A text that is none of them
    gets a made-up vector."""

    def __init__(
        self, embedder: CachedEmbedder, generation: VectorGeneration, pool: Sequence[list[EmbeddedPassage]]
    ) -> None:
        self.embedder, self.generation, self.pool = embedder, generation, pool
        self._known: dict[str, np.ndarray[Any, Any]] = {}

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self.generation.dimensions

    def add_messages(self, messages: Sequence[PeerMessage]) -> None:
        """Make the vectors of messages: those of the first passages of their texts, moved a little."""
        chance = np.random.default_rng(len(self._known))
        for message in messages:
            exact = np.frombuffer(self.pool[int(message.id.rpartition("-")[2])][0].vector, "<f2").astype(np.float32)
            moved = exact + chance.normal(0, haystack.NOISE, exact.shape)
            self._known[message.text] = (moved / np.linalg.norm(moved)).astype(np.float32)

    def add_questions(self, questions: Sequence[str]) -> None:
        """Embed questions with the model."""
        for question, made in zip(questions, self.embedder.embed(questions, asking=True), strict=True):
            self._known[question] = np.asarray(made.vector, np.float32)

    def vector(self, text: str) -> list[float]:
        """Return the vector of a text."""
        found = self._known.get(text)
        if found is None:
            made = np.random.default_rng(crc32(text.encode())).normal(size=self.dimensions)
            found = self._known[text] = (made / np.linalg.norm(made)).astype(np.float32)
        return found.tolist()

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.vector(text) for text in texts]


class PeerData(NamedTuple):
    """The conversation, messages to save later, titles of sessions, questions, and all vectors."""

    messages: list[PeerMessage]
    later: list[PeerMessage]
    titles: list[str]
    questions: list[str]
    vectors: MessageVectors


def make_data(folder: Path, embedder: Embedder, sizes: PeerSizes, tell: ProgressFunction) -> PeerData:
    """Make everything. The vectors of the pool are kept in the folder between runs."""
    texts = make_passages(sizes.texts)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"peers-{haystack.RECIPE}-{sizes.texts}-{crc32(embedder.name.encode()):08x}.db"
    cached = CachedEmbedder(embedder)
    generation, pool = haystack.embed_text_pool(path, texts, cached, tell)
    vectors = MessageVectors(cached, generation, pool)
    messages = make_messages(texts, sizes.messages + sizes.later)
    vectors.add_messages(messages)
    questions = make_questions(sizes.questions, seed=sizes.messages)
    vectors.add_questions(questions)
    titles = [text[:30] for text in make_sentences(sizes.sessions)]
    return PeerData(messages[: sizes.messages], messages[sizes.messages :], titles, questions, vectors)


def make_messages(texts: Sequence[str], count: int) -> list[PeerMessage]:
    """Return different messages of a user and an assistant, who take turns; the same in every run.

    >>> [message.role for message in make_messages(["We went to the lake."], 3)]
    ['user', 'assistant', 'user']
    """
    chance = random.Random(count)
    made: list[PeerMessage] = []
    for place in range(count):
        origin = chance.randrange(len(texts))
        role = "assistant" if place % 2 else "user"
        made.append(PeerMessage(f"{place}-{origin}", role, vary_text(texts[origin], chance)))
    return made
