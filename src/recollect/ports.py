"""The sockets: what the hall needs from a backend, and nothing more.

A new storage owes `Storage`; what only some can do (a check-up, a backup) is a small protocol of its own. The suite in
`recollect.testing` proves an implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from recollect.errors import RecollectError
from recollect.reports import Diagnosis, EraseReceipt, Usage
from recollect.types import (
    Access,
    Artifact,
    ArtifactKind,
    Blob,
    Branch,
    Change,
    Filters,
    Grant,
    Mark,
    Message,
    Microseconds,
    Scope,
    Session,
    SessionQuery,
    Status,
    ToolCall,
    Window,
)

Clock = Callable[[], datetime]

Progress = Callable[[int, int], None]
"""Is told how much of a long work is done, of how much."""


ALL = 1 << 31
"""As a limit: none."""


class Anchor(NamedTuple):
    """Where new messages go: behind the active leaf, at an empty root, after a message, or beside it (as its sibling)."""

    kind: Literal["leaf", "root", "after", "beside"] = "leaf"
    message: str = ""


LEAF = Anchor()
ROOT = Anchor("root")


class Expected(NamedTuple):
    """What the caller believes of a session; if it is not so, the change is refused with `RevisionConflict`."""

    revision: int | None = None
    head: int | None = None


ANYTHING = Expected()


NO_FILTERS = Filters()


CHANGEABLE = ("title", "status", "pinned", "system_prompt", "summary", "summarized", "tags", "metadata")
"""The fields of a session that `update_session` can change."""


def session_tag(session: str) -> str:
    """The tag of a document (a session on the shelf) that belongs to one conversation, and goes with it.

    >>> session_tag("s1")
    'session:s1'
    """
    return f"session:{session}"


@dataclass(frozen=True, slots=True)
class Sweep:
    """One bounded batch of a clean-up. `last` is where the next one goes on, or None at the end."""

    expired: int = 0
    expired_archived: int = 0
    purged: int = 0
    messages_purged: int = 0
    last: int | None = None


class Seen(NamedTuple):
    """A message that can be seen. `number` counts the owner's messages in the order they were saved and is never reused."""

    number: int
    message: Message
    score: float = 0.0
    parts: tuple[float, ...] = ()
    """Where terms were searched for: what each of them adds to the score."""


class Tree(NamedTuple):
    """Some messages of a session, on whatever branch, by `seq`. Each names the session where it is at home: another one for
    what a fork shows of its origin, none ("") where that was purged. Where its parent was erased, it has the one before."""

    session: Session
    messages: list[Message]
    leaf: str | None
    """The id of the message at which the active path ends."""


class Planted(NamedTuple):
    """A message that comes from elsewhere with its place, and the id of the one it follows."""

    message: Message
    parent: str | None


class Known(NamedTuple):
    """Where a message id is known already: in the session, in another one of the owner, or as erased (without a number). Of
    artifacts that somebody discarded, or that went with their owner, the ids are known as erased, too."""

    where: Literal["here", "elsewhere", "erased"]
    number: int = 0


class Found(NamedTuple):
    """What a search for terms found, best first; what each term that was asked for is worth (its rarity); and how many
    tokens the owner's messages have on average, which scores depend on."""

    messages: list[Seen]
    worth: Mapping[str, float]
    average: float = 0.0


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


@dataclass(frozen=True, slots=True)
class ArtifactQuery:
    """Which artifacts to read; what is left empty asks for nothing in particular. Newest first (summaries: by `upto`).

    `as_of` leaves out what was not yet, or no longer, true at that moment. `terms` (made by `engine.terms`) asks for those
    whose text has any of them, `numbers` for those that rest on any of these messages; with both, either will do.
    """

    kind: ArtifactKind
    session: str | None = None
    ids: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    as_of: Microseconds | None = None
    pinned: bool | None = None
    limit: int = 200


class Covered(NamedTuple):
    """A summary, without its text: its id, and up to which `seq` it covers its session's path."""

    id: str
    upto: int


class Snapshot(NamedTuple):
    """All that a context needs of a session, as it was at one moment."""

    session: Session
    tail: list[Seen]
    """The newest messages of the active path that the window lets in, in order."""
    pinned: list[Seen]
    """Pinned messages of the active path before the tail, in order."""
    summaries: list[Covered]
    """Which summaries there are about the active path (whose `upto` is on it), by growing `upto`."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """What a turn was given, by reference. The texts are those that no reference could bring back.

    Erasing a message takes `question` out of the session's receipts that were made for it (those whose `leaf` it followed,
    and those that say the very same), and `rewritten` out of all that were made after it; erasing the session takes all.
    """

    id: str
    session: str
    created: Microseconds
    leaf: int
    """The `seq` at which the path ended."""
    question: str | None
    rewritten: str | None
    system: str | None
    data: Mapping[str, Any]
    author: str | None = None
    """Who asked: the scope's owner."""


class Settled(NamedTuple):
    """What note-taking made of a task's messages, to be kept in one transaction."""

    made: Sequence[Artifact] = ()
    ended: Mapping[str, Microseconds] = {}
    """Ids of facts that are no longer true, with the moment they ceased to be."""


class Step(NamedTuple):
    """What happened in one step of time."""

    sessions: int = 0
    """Begun in it, and not deleted since."""
    messages: int = 0
    """Said in it, on whatever branch."""
    tokens: int = 0
    bytes: int = 0
    """What these messages take, without indexes and vectors."""
    summaries: int = 0
    """Made in it, also those that newer ones have replaced since."""
    waits: Sequence[float] = ()
    """Milliseconds that each prompt made in it took, growing."""
    prompt_tokens: int = 0
    reused_tokens: int = 0
    """Of those, the ones at the beginning of a prompt that were in the one before, as far as its receipt tells."""


class Counted(NamedTuple):
    """What there is by now, and what happened in each step of time. Messages and tokens of sessions not deleted, on their
    active paths; facts that are true."""

    owners: int
    active: int
    archived: int
    deleted: int
    messages: int
    tokens: int
    facts: int
    documents: int
    size: int
    """Bytes that the whole store takes, whoever they belong to."""
    steps: list[Step]


class TokenCounter(Protocol):
    """Counts tokens as a model would; `exact` is False for an estimate, which then errs on the high side."""

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    def count(self, text: str) -> int: ...


class Storage(Protocol):
    """Keeps conversations. Every verb takes a `Scope`, and no verb looks outside it; `sweep` alone works across owners.

    All verbs are atomic and may be called from any thread. A scope with a pool acts on the pool's memory, if the owner
    holds a grant for it; without one the pool does not exist (`NotFound`).
    """

    @property
    def largest_message(self) -> int:
        """The most bytes of text, parts and metadata that one message may have."""
        ...

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        """Adds a session; `fork` (session id, message id) makes it begin with the path up to that message."""
        ...

    def get_session(self, scope: Scope) -> Session:
        """The session, whatever its status."""
        ...

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        """Sessions by newest activity, ties by id."""
        ...

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        """Changes these fields of the session (`CHANGEABLE`) and raises its revision."""
        ...

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        """Moves the active leaf to the anchor and adds the messages behind it, all or none.

        A message whose id is stored already in this session with the same content is not added again; the stored one is
        returned. With no messages this only moves the leaf.
        """
        ...

    def read(self, scope: Scope, window: Window) -> list[Message]:
        """Messages of the active path, in order."""
        ...

    def get_message(self, scope: Scope, message: str) -> Message:
        """One message of the session, on whatever branch."""
        ...

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        """The owner's messages of these numbers that are still there, on whatever branch of whatever session."""
        ...

    def mark(
        self,
        scope: Scope,
        message: str,
        now: Microseconds,
        *,
        importance: float | None = None,
        pinned: bool | None = None,
        private: bool | None = None,
    ) -> Message:
        """Sets a message's importance or pin. A message made private loses its vectors, its place in the keyword index, and
        all artifacts that rest on it; made public again, it waits for them anew."""
        ...

    def branches(self, scope: Scope) -> list[Branch]:
        """Every leaf of the session's tree, oldest first, and the active position."""
        ...

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        """Messages of the session behind a seq, on whatever branch and whatever the session's status: for exports."""
        ...

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        """Those of the message ids that cannot be given to new messages of the session, and why. For a scope without a
        session all messages are elsewhere."""
        ...

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        """Adds messages that come from elsewhere, all or none, whatever the session's status: each behind its parent, which
        is there or comes before it, and with its own `seq` where that is above all others of the session. Their ids must be
        new (`known`). Then the active path ends at `leaf`; None moves it to its beginning. The session was last active at
        `updated`, or later."""
        ...

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        """Messages with these terms (made by `engine.terms`), best first, by the owner's own statistics.

        Looks at the active paths of sessions that are not deleted.
        """
        ...

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        """Those of the owner's messages that can be seen (as `find` sees), with up to so many neighbours on either side
        of each; every message once, in no order. Of the filters only `sessions` and `tags` count here: they say in which
        sessions to look."""
        ...

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        """The numbers of all messages that pass the filters, whether they can be seen or not, growing."""
        ...

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        """Removes a message, a session, or all of an owner for good, with everything derived from it. The documents of a
        session (`session_tag`) go with it, those of an owner or pool with him."""
        ...

    def sweep(
        self, before: Mapping[Status, Microseconds], now: Microseconds, *, after: int, limit: int, dry_run: bool
    ) -> Sweep:
        """Soft-deletes or purges up to `limit` unpinned sessions that were last touched before their status's moment. The
        documents of a purged session go with it, uncounted."""
        ...

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        """Adds a pool with its first admin."""
        ...

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        """Gives, changes or (with None) takes away access; `by` must be an admin, or take away his own."""
        ...

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        """The owner's own grants, or those of one pool that the owner holds a grant for."""
        ...

    def last_mark(self, scope: Scope) -> Mark:
        """How far the owner's changes have come."""
        ...

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        """What happened since, in order, each with the mark of a follower who has seen it and all before; and the mark
        behind it. For a mark of an owner who is gone, or of what has not happened, one `reset`, and the last mark."""
        ...

    def stamp(self) -> object:
        """A cheap value that differs whenever anything was committed, by any process."""
        ...

    def on_commit(self, call: Callable[[], None]) -> None:
        """Asks to be called after every commit of this process."""
        ...

    def settle(self, key: str, value: str) -> str:
        """Keeps a setting of the store, unless it is kept already; returns the one in force."""
        ...

    def maintain(self) -> None:
        """Finishes what had to wait, such as an erase that a reader was blocking."""
        ...

    def close(self) -> None:
        """Gives back files and connections; safe to call twice."""
        ...


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


@runtime_checkable
class Artifacts(Protocol):
    """A storage that keeps what is made of messages, and what each turn was given.

    Messages wait for the note-taker as they wait for vectors: `claim` with a line of work that `begin_notes` began hands
    them out by lease, in the order of their numbers.
    """

    def begin_notes(self, line: str) -> None:
        """Begins a line of work; `claim`, `release` and `waiting` then know it by this name. It is no generation of
        vectors, and `generations` does not list it."""
        ...

    def unnoted(self, line: str) -> int:
        """How many messages wait in a line of work, of all owners."""
        ...

    def settle_notes(self, task: Task, settled: Settled, now: Microseconds) -> bool:
        """Keeps what was made, ends what is no longer true, and ends the task's lease, in one transaction. False, and
        nothing is kept, if somebody else has taken or settled it since, or if a message of the owner went or was made
        private: notes may be made of more than they name, so they are taken anew. Artifacts resting on a message that is
        gone or private by now are passed over."""
        ...

    def snapshot(self, scope: Scope, window: Window) -> Snapshot:
        """A session with its newest messages, its pins and its summaries, all of one moment."""
        ...

    def keep_artifacts(self, scope: Scope, settled: Settled, now: Microseconds) -> None:
        """Keeps artifacts made outside of a task, such as a fact written by hand. A summary of the same session and `upto`
        replaces the earlier one, and the session's own `summary` follows its newest."""
        ...

    def artifacts(self, scope: Scope, query: ArtifactQuery) -> list[Artifact]:
        """The owner's artifacts. Whether what they rest on can be seen is for the caller to look."""
        ...

    def discard_artifacts(self, scope: Scope, ids: Sequence[str]) -> int:
        """Removes artifacts for good; returns how many there were."""
        ...

    def keep_receipts(self, scope: Scope, receipts: Sequence[StoredReceipt]) -> None:
        """Keeps what turns were given."""
        ...

    def receipt(self, scope: Scope, id: str) -> StoredReceipt:
        """One of them, or `NotFound`."""
        ...

    def receipts(self, scope: Scope, *, before: Microseconds | None = None, limit: int = 20) -> list[StoredReceipt]:
        """Those of the scope (of one session, if it names one), newest first."""
        ...

    def drop_receipts(self, before: Microseconds, limit: int) -> int:
        """Removes up to `limit` receipts of all owners that are older, for good. Works across owners, like `sweep`."""
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
class Moments(Protocol):
    """A storage that asks elsewhere, before it answers, whether anything is new."""

    def moment(self, scope: Scope) -> AbstractContextManager[None]:
        """While it lasts, what this thread reads in the scope may be as it was at the beginning: it is asked once."""
        ...


def moment(storage: Storage, scope: Scope) -> AbstractContextManager[None]:
    """Some reads of one thread that belong together."""
    return storage.moment(scope) if isinstance(storage, Moments) else nullcontext()


BEYOND = "\U0010ffff"
"""Behind every character that a blob's name can have: so that all names that begin the same lie between two."""


@runtime_checkable
class Blobs(Protocol):
    """Keeps bytes by name, for programs with state of their own. What belongs to a session goes when that is erased; the
    session need not have any messages, nor be there at all: then `Storage.erase` removes what there is of it. Names sort by
    their code points. What is removed, by either verb, is removed for good.

    Every verb acts on the blobs of the scope's session, or without one on those that belong to none.
    """

    def keep_blobs(self, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]) -> None:
        """Keeps each under its name, or removes it (None): all or none. Where `expected` names a revision (0: that there is
        none), and it is another by now, raises `RevisionConflict` and changes nothing."""
        ...

    def blobs(self, scope: Scope, names: Sequence[str]) -> list[Blob]:
        """Those that there are, by name."""
        ...

    def list_blobs(self, scope: Scope, prefix: str, after: str | None, limit: int, *, backwards: bool = False) -> list[Blob]:
        """Blobs whose names begin so, in order or from the last one back, behind the name `after` in that order."""
        ...

    def drop_blobs(self, scope: Scope, prefix: str) -> int:
        """Removes all whose names begin so, for good; returns how many there were."""
        ...

    def blob_sessions(self, scope: Scope) -> list[str]:
        """The sessions of the scope's space that have any, in order."""
        ...


class Call(NamedTuple):
    """A read that will be wanted: a verb of the storage (or `search` of its own index), and its arguments."""

    verb: str
    arguments: tuple[Any, ...]


@runtime_checkable
class Foreseeing(Protocol):
    """A storage that is far away: what will be asked soon can go along with the next question."""

    def foresee(self, *calls: Call) -> None:
        """In a moment of this thread: these reads will be wanted, with the very same arguments. Each is asked for together
        with the next one that is, and its answer kept until somebody wants it or the moment ends."""
        ...


def soon(storage: Storage, verb: str, *arguments: Any) -> None:
    """Tells a storage what will be asked of it next but one, if it wants to know."""
    if isinstance(storage, Foreseeing):
        storage.foresee(Call(verb, arguments))


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


class Completion(NamedTuple):
    """What a language model answered. `finish` is why it ended: "stop", or "length" (cut off), "tool_calls",
    "content_filter", "refusal". Token counts are the model's own, None where it tells none.

    >>> Completion("Lisbon.").finish
    'stop'
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class Piece(NamedTuple):
    """Of an answer that comes bit by bit: some more text. The last piece has no text but the whole completion."""

    text: str = ""
    completion: Completion | None = None


@runtime_checkable
class LLM(Protocol):
    """A language model. `messages` and `tools` are as in OpenAI's chat completions; whatever fails is an `LLMError`."""

    @property
    def name(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """The answer, when all of it is there."""
        ...

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Iterator[Piece]:
        """The answer as it comes. Nothing is asked before the first piece is; closing the iterator cancels the request."""
        ...


class Snippet(NamedTuple):
    """A piece of text that an application's own retriever found, and where it is from."""

    text: str
    source: str
    place: str = ""
    score: float = 0.0


class Retriever(Protocol):
    """An application's own way to its documents, which feeds a prompt instead of ours."""

    def retrieve(self, question: str, limit: int) -> Sequence[Snippet]:
        """Up to `limit` pieces that may answer the question, best first."""
        ...


@runtime_checkable
class Marks(Protocol):
    """A storage that can tell of many owners at once how far they have come, so that many can be watched."""

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        """The last mark of each; None where there is no access."""
        ...


@runtime_checkable
class Checkup(Protocol):
    """A storage that can compare its rows, indexes and counters, and mend them."""

    def check(self, *, repair: bool = False) -> Diagnosis: ...


@runtime_checkable
class Cautious(Protocol):
    """A storage on a server that may be set up in a way that puts what it keeps at risk."""

    def warnings(self) -> Sequence[str]:
        """What whoever runs the server should know, each in a sentence."""
        ...


@runtime_checkable
class Backup(Protocol):
    """A storage that can copy itself while in use."""

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        """Copies itself to a new file; `progress` is told of bytes."""
        ...


@runtime_checkable
class Figures(Protocol):
    """A storage that can count what it has, and what happened when."""

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        """The figures of an owner or pool, or with None of all, and of each step from `since` on that begins before
        `until`. Works across owners, like `sweep`; what it tells is numbers alone."""
        ...

    def usage(self, scope: Scope) -> Usage:
        """What an owner or pool has by now, with documents, and with what is deleted but not purged."""
        ...


class Append(NamedTuple):
    """Messages to be added to the end of a session, and when."""

    scope: Scope
    messages: Sequence[Message]
    now: Microseconds


@runtime_checkable
class Batches(Protocol):
    """A storage that can save messages of several sessions in one go."""

    def append_each(self, appends: Sequence[Append]) -> list[list[Message] | RecollectError]:
        """Does each as `append` would, and tells what became of it. One that fails harms none of the others."""
        ...


class Key(NamedTuple):
    """A key to a server: the hash of its secret, and whose it is (an owner's, or a service's of a tenant)."""

    id: str
    digest: str
    name: str
    owner: str | None
    tenant: str | None
    scopes: tuple[str, ...]
    created: Microseconds
    expires: Microseconds | None = None


@runtime_checkable
class Keyring(Protocol):
    """A storage that keeps the keys of the servers in front of it."""

    def keep_key(self, key: Key) -> None:
        """Keeps a new key."""
        ...

    def key(self, id: str) -> Key | None:
        """The key of this id, if there is one."""
        ...

    def keys(self) -> list[Key]:
        """All keys, newest first."""
        ...

    def drop_key(self, id: str) -> bool:
        """Forgets a key; False if there is none of this id."""
        ...


@runtime_checkable
class Directory(Protocol):
    """A storage that can tell of everything it has, so that all of it can be copied. Works across owners, like `sweep`; in a
    pool only an admin is told. Nothing in here ever writes."""

    def everyone(self) -> Iterator[Scope]:
        """A scope without a session for every owner and pool that has anything; a pool's is that of an admin."""
        ...

    def setting(self, key: str) -> str | None:
        """The setting of the store that is in force, if there is one: `settle` would make it."""
        ...

    def makers(self, scope: Scope) -> dict[str, str]:
        """Who made each of a pool's sessions, whatever its status. Those whose maker was erased are left out."""
        ...

    def all_receipts(self, scope: Scope) -> list[StoredReceipt]:
        """Every receipt of a session, oldest first, whatever the session's status and whoever was given it."""
        ...

    def done(self, scope: Scope, line: str) -> int:
        """Up to which number the owner's messages are done in a line of work, be it vectors or notes; 0 if none are."""
        ...
