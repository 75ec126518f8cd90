"""Vectors: storing them, searching by them, and the models that make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from keepsaid.ports.conversations import VisibleMessage
from keepsaid.types import Microseconds, Scope


class EmbeddedPassage(NamedTuple):
    """An embedded piece of a message: characters `start` to `end` of its text.

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


class VectorMatch(NamedTuple):
    """A passage that an index found near a vector; `score` is their cosine."""

    number: int
    part: int
    score: float


class VectorGeneration(NamedTuple):
    """All vectors of one embedder. Vectors of different embedders are never compared."""

    name: str
    dimensions: int
    complete: bool
    """Whether it has ever covered every message; from then on it is used for search."""


class VectorCoverage(NamedTuple):
    """How much of a store one generation covers."""

    embedded: int
    messages: int
    passages: int
    bytes: int


class WorkLease(NamedTuple):
    """Messages of one owner leased to a worker: no other worker gets them before `until`."""

    generation: str
    space: int
    after: int
    """The task begins after this message number."""
    upto: int
    """The number of its last message. Completing the task completes all messages up to here."""
    messages: list[VisibleMessage]
    holder: str
    until: Microseconds
    scope: Scope = Scope("")
    """A scope with access: the owner's own, or that of an admin of the pool."""


class VectorMark(NamedTuple):
    """A position in the vectors of an owner."""

    life: int = 0
    number: int = 0
    changes: int = 0


class VectorDelta(NamedTuple):
    """The vectors added since a position. With `fresh`, some were removed: these are all there are.

    A storage may give them in portions. With `more`, the next portion is asked for with this one's `mark`.
    """

    fresh: bool
    numbers: list[int]
    parts: list[int]
    vectors: list[bytes]
    mark: VectorMark
    more: bool = False


class VectorStorage(Protocol):
    """Stores vectors beside messages, and leases the messages that have none yet.

    There is no list of waiting messages: in every generation an owner's messages are embedded in the order of their numbers,
    so one number per owner says what is done, and an append costs nothing.
    """

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        """Return the generation of this name, created if new. A different number of dimensions is a `Conflict`."""
        ...

    def generations(self) -> list[VectorGeneration]:
        """List all generations, oldest first."""
        ...

    def drop_generation(self, name: str) -> int:
        """Remove a generation and its vectors for good; return how many passages it had."""
        ...

    def coverage(self, name: str) -> VectorCoverage:
        """Return how many messages the generation covers, of how many; also for one that was never begun."""
        ...

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> WorkLease | None:
        """Lease up to `limit` waiting messages of one owner (of this scope, if given); None if none wait or all are leased.
        The same holder gets its own lease again. Works across owners, like `sweep`."""
        ...

    def settle_task(self, task: WorkLease, passages: Sequence[EmbeddedPassage], now: Microseconds) -> bool:
        """Store the vectors of the task's messages and end its lease, in one transaction. Return False and store nothing if
        another worker has claimed or completed the task. Removed messages are skipped. When no messages of any owner wait
        any more, the generation becomes complete."""
        ...

    def release(self, task: WorkLease) -> None:
        """Give a lease back without completing it."""
        ...

    def waiting(self, scope: Scope, generation: str) -> int:
        """Count the owner's message numbers after the last completed one."""
        ...

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        """Read the owner's vectors added since the position, or the first portion of them."""
        ...

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
        """Read all passages of these messages with their token vectors, ordered by number and part."""
        ...


class Index(Protocol):
    """Finds an owner's passages by their vectors."""

    def search(
        self, scope: Scope, generation: str, vector: Sequence[float], limit: int, among: Sequence[int] | None = None
    ) -> list[VectorMatch]:
        """Return the passages nearest to the vector, best first; with `among` (ascending numbers) only those of these
        messages."""
        ...


@runtime_checkable
class PrunableIndex(Protocol):
    """An index with its own copy of the vectors, which may still hold erased ones."""

    def tidy(self) -> int:
        """Remove what the storage no longer has; return how many vectors that was."""
        ...


class Embedding(NamedTuple):
    """The vector of a text and, with some embedders, one for each of its tokens.

    `tokens` are int8 rows of `width` bytes as in `EmbeddedPassage`; `spans` are the characters of the text for each row.
    """

    vector: Sequence[float]
    tokens: bytes = b""
    width: int = 0
    spans: Sequence[tuple[int, int]] = ()


class LinearProbe(NamedTuple):
    """A linear classifier on an embedder's vectors: the log-odds are `weights` · vector + `bias`."""

    weights: Sequence[float]
    bias: float


class QuestionAdapter(NamedTuple):
    """Moves the vector of a turn towards messages that help with it: vector + (vector · `down`) · `up` + `shift`.

    A request or a remark is often far from the messages it needs: "book us a table at the harbour" from "shellfish makes me
    swell".
    """

    down: Sequence[Sequence[float]]
    up: Sequence[Sequence[float]]
    shift: Sequence[float]


class EmbedderProbes(NamedTuple):
    """Classifiers on the vectors of an embedder.

    `statement`: a message states something lasting about its author. `need`: a turn benefits from memories, unlike small
    talk and self-contained tasks. `closeness_from` is the first dimension in which whole texts are compared when candidates
    are ranked; the dimensions before it belong to a model whose token vectors are compared anyway. `adapter` applies to the
    vector of a turn, from that dimension on.
    """

    statement: LinearProbe
    need: LinearProbe
    closeness_from: int = 0
    adapter: QuestionAdapter | None = None


@runtime_checkable
class ProbedEmbedder(Protocol):
    """An embedder that may have probes for its vectors."""

    @property
    def probes(self) -> EmbedderProbes | None: ...


class Embedder(Protocol):
    """Turns texts into vectors. `name` identifies the model and its settings: vectors of different names are never
    compared.

    A search waits only so long for an embedder, which needs a thread of its own. One that runs in this process and cannot
    hang may have an attribute `needs_timeout` that is False.
    """

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> Sequence[Embedding]:
        """Return one embedding for each text; `asking` says that the texts are questions, not messages."""
        ...


class Reranker(Protocol):
    """Scores the best candidates again, text by text: a cross-encoder, an endpoint."""

    @property
    def name(self) -> str: ...

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a score for each passage; only their order and relative distance matter."""
        ...
