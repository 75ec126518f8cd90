"""Vectors: a storage that keeps them, an index that finds by them, and whoever makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from recollect.ports.storage import Seen
from recollect.types import Microseconds, Scope


class Passage(NamedTuple):
    """A piece of a message that was embedded: characters `start` to `end` of its text.

    `vector` is the passage's unit vector as little-endian float16. `tokens` holds the vectors of its tokens, int8, one row
    of `width` bytes after the other; empty where the embedder gives none.
    """

    number: int
    part: int
    start: int
    end: int
    vector: bytes
    tokens: bytes = b""
    width: int = 0


class Near(NamedTuple):
    """A passage that an index found close to a question's vector; `score` is their cosine."""

    number: int
    part: int
    score: float


class Generation(NamedTuple):
    """All vectors that one embedder made. They are never compared with another's."""

    name: str
    dimensions: int
    complete: bool
    """Whether it has ever covered every message; from then on it serves."""


class Coverage(NamedTuple):
    """How much of a store one generation covers."""

    embedded: int
    messages: int
    passages: int
    bytes: int


class Task(NamedTuple):
    """Messages of one owner that wait for their vectors, held by lease: nobody else is given them before `until`."""

    generation: str
    space: int
    after: int
    """The number behind which the task begins."""
    upto: int
    """The number of its last message: when it is settled, all up to here are."""
    messages: list[Seen]
    holder: str
    until: Microseconds
    scope: Scope = Scope("")
    """Who may act on the owner: himself, or an admin of the pool."""


class VectorMark(NamedTuple):
    """How far a follower has read the vectors of an owner."""

    life: int = 0
    number: int = 0
    changes: int = 0


class VectorDelta(NamedTuple):
    """Vectors that came since a mark. With `fresh`, something went away, and these are all there are."""

    fresh: bool
    numbers: list[int]
    parts: list[int]
    vectors: list[bytes]
    mark: VectorMark


@runtime_checkable
class Vectors(Protocol):
    """A storage that keeps vectors beside its messages, and hands out the messages that still wait for theirs.

    What waits is not written down anywhere: in every generation an owner's messages are embedded in the order of their
    numbers, so one number per owner tells what is done, and an append costs nothing.
    """

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        """The generation of this name; made if it is new. Another number of dimensions than before is a `Conflict`."""
        ...

    def generations(self) -> list[Generation]:
        """All of them, oldest first."""
        ...

    def drop_generation(self, name: str) -> int:
        """Removes a generation with its vectors, for good; returns how many passages it had."""
        ...

    def coverage(self, name: str) -> Coverage:
        """How many messages the generation has embedded, of how many; also for one that was never begun."""
        ...

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> Task | None:
        """Leases up to `limit` messages of one owner (of this scope, if it is given) that wait for vectors; None if none do
        or all are leased. The same holder gets his own lease again. Works across owners, like `sweep`."""
        ...

    def settle_task(self, task: Task, passages: Sequence[Passage], now: Microseconds) -> bool:
        """Keeps the vectors of the task's messages and ends its lease, in one transaction. False, and nothing is kept, if
        somebody else has taken or settled it since. Messages that are gone by now are passed over. When nothing waits any
        more in any owner, the generation becomes complete."""
        ...

    def release(self, task: Task) -> None:
        """Gives a lease back unsettled."""
        ...

    def waiting(self, scope: Scope, generation: str) -> int:
        """How many of the owner's message numbers come behind the last embedded one."""
        ...

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        """The owner's vectors that came since the mark."""
        ...

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[Passage]:
        """All passages of these messages, ordered by number and part, with their token vectors."""
        ...


class Index(Protocol):
    """Finds an owner's passages by meaning."""

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[Near]:
        """The passages nearest to the vector, best first; with `among` (growing numbers) only those of these messages."""
        ...


@runtime_checkable
class Tidied(Protocol):
    """An index with a copy of its own, in which something may be left that was erased."""

    def tidy(self) -> int:
        """Removes what the storage has no more; returns how much that was."""
        ...


@runtime_checkable
class Indexed(Protocol):
    """A storage that can find by meaning itself."""

    def index(self) -> Index:
        """Its index."""
        ...


class Embedding(NamedTuple):
    """What an embedder makes of a text: one vector, and perhaps a vector for each of its tokens.

    `tokens` are int8 rows of `width` bytes as in `Passage`; `spans` says which characters of the text each row stands for.
    """

    vector: Sequence[float]
    tokens: bytes = b""
    width: int = 0
    spans: Sequence[tuple[int, int]] = ()


class LinearProbe(NamedTuple):
    """A linear judgement on an embedder's vectors: the log-odds of something are `weights` · vector + `bias`."""

    weights: Sequence[float]
    bias: float


class Probes(NamedTuple):
    """What the vectors of an embedder tell besides how close two texts are.

    `statement`: that a message states something lasting about who wrote it. `need`: that a turn can do with memories, unlike
    small talk and self-contained tasks. `closeness_from` is the first dimension in which whole texts are compared when
    candidates are ranked: those before it are of a model whose token vectors are compared anyway.
    """

    statement: LinearProbe
    need: LinearProbe
    closeness_from: int = 0


@runtime_checkable
class Probing(Protocol):
    """An embedder that was probed; `probes` is None where its vectors have no known probes."""

    @property
    def probes(self) -> Probes | None: ...


class Embedder(Protocol):
    """Turns texts into vectors. `name` says what made them, so that vectors of different makings are never compared."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """One embedding for each text; `asking` says that they are questions, not what was said."""
        ...


class Reranker(Protocol):
    """Looks again at the best candidates, text by text: a cross-encoder, an endpoint."""

    @property
    def name(self) -> str: ...

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """How well each passage answers; only the order and the relative distance matter."""
        ...
