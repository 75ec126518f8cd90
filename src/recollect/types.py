"""The nouns: small immutable values that every room of the house speaks in.

`Message` and `Session` are named tuples, not frozen dataclasses, because they are built by the thousand: a frozen dataclass
of this width takes 2.4 µs to make, a named tuple 0.3 µs, and a read of twenty messages has 65 µs in all
(docs/decisions/0003-named-tuples-for-hot-rows.md). For the same reason they hold their times as numbers, which become
`datetime`s only when somebody asks (`created_at`). Everything else is a frozen, slotted dataclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, Literal, NamedTuple, TypeVar

Item = TypeVar("Item")

Microseconds = int
"""A moment as whole microseconds since 1970, in UTC: how stores keep time and how it travels inside the house."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Role(StrEnum):
    """Who speaks in a message.

    >>> Role("user") == "user"
    True
    """

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Status(StrEnum):
    """Where a session is in its life: active, archived, or deleted (which can still be restored).

    >>> [str(status) for status in Status]
    ['active', 'archived', 'deleted']
    """

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Access(StrEnum):
    """What a grant lets its holder do in a pool; each level includes the ones before it.

    >>> [str(access) for access in Access]
    ['read', 'write', 'admin']
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Scope(NamedTuple):
    """Whose memory a verb works on: an owner, one of the owner's sessions, or a pool the owner acts in.

    >>> Scope("u1", "s1")
    Scope(owner='u1', session='s1', pool=None, shelf=False)
    """

    owner: str
    session: str | None = None
    pool: str | None = None
    shelf: bool = False
    """Whether the owner's (or pool's) documents are meant: a space of its own, in which each is a session."""

    def of(self, session: str) -> Scope:
        """The same owner and pool, narrowed to one session.

        >>> Scope("u1").of("s1").session
        's1'
        """
        return Scope(self.owner, session, self.pool, self.shelf)


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message that is more than plain text: text, an image or file reference, or anything a provider has.

    >>> Part("image", uri="https://example.org/cat.png", media_type="image/png").kind
    'image'
    """

    kind: str
    text: str | None = None
    uri: str | None = None
    media_type: str | None = None
    name: str | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the assistant asked for; `arguments` is the JSON text exactly as the model wrote it.

    >>> ToolCall("call_1", "weather", '{"city": "Lisbon"}').name
    'weather'
    """

    id: str
    name: str
    arguments: str = "{}"


DOORS = "doors"
"""Where the metadata of a message has what doors keep beside it: the original, where our fields would lose something."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as the caller gives it, before it has a place in a session. Only the role is required.

    >>> Draft("user", "Hello").content
    'Hello'
    """

    role: str
    content: str | tuple[Part, ...] = ""
    id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    metadata: Mapping[str, Any] | None = None
    importance: float | None = None
    pinned: bool = False
    created_at: datetime | None = None
    private: bool | None = None
    """Never to be remembered: part of its conversation, and of nothing else. None lets the words decide."""


class Addition(NamedTuple):
    """A message to be saved, and in which conversation.

    >>> Addition("u1", "trip", Draft("user", "Hello")).session
    'trip'
    """

    owner: str
    session: str
    draft: Draft
    pool: str | None = None


class Message(NamedTuple):
    """One stored message. `seq` orders it in its session; `parent` is the `seq` of the message it follows (0 for none).

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     message = memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
    >>> message.role, message.text, message.seq, message.parent
    (<Role.USER: 'user'>, 'My sister moved to Lisbon.', 1, 0)
    """

    id: str
    session: str
    seq: int
    parent: int
    role: Role
    text: str
    tokens: int
    created: Microseconds
    importance: float
    pinned: bool
    metadata: Mapping[str, Any]
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    author: str | None = None
    private: bool = False

    @property
    def created_at(self) -> datetime:
        """When it was said.

        >>> import recollect
        >>> with recollect.open("memory://") as memory:
        ...     memory.chat(owner="u1").add("user", "Hello").created_at.tzname()
        'UTC'
        """
        return moment(self.created)

    @property
    def content(self) -> str | tuple[Part, ...]:
        """The message as it was given: its text, or its parts.

        >>> import recollect
        >>> with recollect.open("memory://") as memory:
        ...     memory.chat(owner="u1").add("user", "Hello").content
        'Hello'
        """
        return self.parts or self.text


class Session(NamedTuple):
    """A conversation, without its messages. Counts follow the active path.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1", title="Travel", tags=["family"])
    ...     session = chat.info()
    >>> session.title, session.tags, session.message_count, str(session.status)
    ('Travel', ('family',), 0, 'active')
    """

    id: str
    owner: str
    title: str | None
    created: Microseconds
    updated: Microseconds
    touched: Microseconds
    status: Status
    message_count: int
    token_count: int
    pinned: bool
    revision: int
    head: int
    system_prompt: str | None
    summary: str | None
    summarized: Microseconds | None
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    pool: str | None = None
    temporary: bool = False
    expired: bool = False
    """Whether retention deleted it, not a person: then its facts stay."""
    expires: Microseconds | None = None

    @property
    def created_at(self) -> datetime:
        """When the session was made."""
        return moment(self.created)

    @property
    def updated_at(self) -> datetime:
        """When its last message was said: what lists are ordered by."""
        return moment(self.updated)

    @property
    def touched_at(self) -> datetime:
        """When it was last added to, moved, restored or imported: where retention counts from."""
        return moment(self.touched)

    @property
    def summary_at(self) -> datetime | None:
        """When its summary was made."""
        return None if self.summarized is None else moment(self.summarized)

    @property
    def expires_at(self) -> datetime | None:
        """When its present stage of life ends, if nobody touches it; None for never."""
        return None if self.expires is None else moment(self.expires)


@dataclass(frozen=True, slots=True)
class Branch:
    """One way a conversation went. `leaf` is its last message's id, or None for an emptied session.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     question = chat.add("user", "Tea or coffee?")
    ...     _ = chat.edit(question.id, "Tea or water?")
    ...     [(branch.messages, branch.active) for branch in chat.branches()]
    [(1, False), (1, True)]
    """

    leaf: str | None
    messages: int
    tokens: int
    active: bool


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items and, if there are more, the cursor that fetches the next ones.

    >>> page = Page(("a", "b"), next="...")
    >>> list(page), len(page), bool(page.next)
    (['a', 'b'], 2, True)
    """

    items: tuple[Item, ...]
    next: str | None = None

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Around:
    """A piece of a conversation around one message. With `older`, `Chat.page(newest_first=True)` goes on before it, and with
    `newer`, `Chat.page` behind it.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     chat = memory.chat(owner="u1")
    ...     said = [chat.add("user", f"message {number}") for number in range(5)]
    ...     around = chat.around(said[2].id, limit=3)
    ...     [message.text for message in around.items], [m.text for m in chat.page(cursor=around.newer)]
    (['message 1', 'message 2', 'message 3'], ['message 4'])
    """

    items: tuple[Message, ...]
    older: str | None = None
    newer: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that a search found: the passage that answers, how well, by which signals, and why in a few words.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     _ = memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
    ...     hit = memory.search("sister", owner="u1")[0]
    >>> hit.message.text, hit.title, hit.session == hit.message.session, hit.at.tzname()
    ('My sister moved to Lisbon.', 'Family', True, 'UTC')
    """

    message: Message
    score: float
    passage: str = ""
    signals: Mapping[str, float] = field(default_factory=dict[str, float])
    reason: str = ""
    title: str | None = None
    also: tuple[Message, ...] = ()
    """Other messages that say the very same, which are no hits of their own."""
    number: int = 0
    """Its number among the owner's messages, which is never given to another."""
    newer: Message | None = None
    """A later message, among the best hits, that seems to change what this one says."""

    @property
    def session(self) -> str:
        """The id of the conversation it was said in.

        >>> import recollect
        >>> with recollect.open("memory://") as memory:
        ...     _ = memory.chat(owner="u1", session="trip", create=True).add("user", "Lisbon!")
        ...     memory.search("lisbon", owner="u1")[0].session
        'trip'
        """
        return self.message.session

    @property
    def at(self) -> datetime:
        """When it was said.

        >>> import recollect
        >>> with recollect.open("memory://") as memory:
        ...     said = memory.chat(owner="u1").add("user", "Lisbon!")
        ...     memory.search("lisbon", owner="u1")[0].at == said.created_at
        True
        """
        return self.message.created_at


class Hits(list[Hit]):
    """What a search found, best first: a list. `fallbacks` says what it had to do without, if anything.

    >>> Hits([], ("searched by words alone: the model is gone",)).fallbacks
    ('searched by words alone: the model is gone',)
    """

    def __init__(self, hits: Iterable[Hit] = (), fallbacks: tuple[str, ...] = ()) -> None:
        super().__init__(hits)
        self.fallbacks = fallbacks


@dataclass(frozen=True, slots=True)
class Filters:
    """Which messages a search may find; what is left empty filters nothing. `until` is not included.

    >>> Filters(roles=(Role.USER,)).tags
    ()
    """

    sessions: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    tags: tuple[str, ...] = ()
    since: Microseconds | None = None
    until: Microseconds | None = None
    importance: float = 0.0
    besides: tuple[str, ...] = ()
    """Sessions in which nothing is to be found that was said there."""
    expired: bool = False
    """For `Storage.look`: whether sessions that retention deleted are looked at, too."""

    @property
    def are_light(self) -> bool:
        """Whether they let so much through that looking at what was found is quicker than listing what passes.

        >>> Filters(roles=(Role.USER,)).are_light, Filters(tags=("work",)).are_light
        (True, False)
        """
        return not (self.sessions or self.tags or self.besides or self.since is not None or self.until is not None)

    def let_through(self, role: Role, importance: float) -> bool:
        """Whether a message of this role and importance passes, as far as these are concerned.

        >>> Filters(roles=(Role.USER,)).let_through(Role.ASSISTANT, 1.0)
        False
        """
        return importance >= self.importance and (not self.roles or role in self.roles)


class Source(NamedTuple):
    """What an artifact rests on: characters `start` to `end` of the owner's message of this number.

    >>> Source(7, 0, 26).number
    7
    """

    number: int
    start: int = 0
    end: int = 0


ArtifactKind = Literal["summary", "fact", "tool", "label"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something made of messages: a rolling summary, a fact, a note on a tool's result, or a session's label.

    It is a view with provenance and never replaces what it rests on; when a message goes for good, so does everything that
    rests on it. `session` is None for what was written by hand. A summary covers its session's path up to `upto`.

    >>> Artifact("a1", "fact", "User's sister lives in Lisbon", 7, created=0).is_current
    True
    """

    id: str
    kind: ArtifactKind
    text: str
    tokens: int
    created: Microseconds
    session: str | None = None
    sources: tuple[Source, ...] = ()
    valid_from: Microseconds = 0
    valid_to: Microseconds | None = None
    pinned: bool = False
    upto: int = 0
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_current(self) -> bool:
        """Whether nothing newer has taken its place.

        >>> Artifact("a1", "fact", "User lives in Porto", 5, created=0, valid_to=9).is_current
        False
        """
        return self.valid_to is None

    def was_true(self, moment: Microseconds) -> bool:
        """Whether it holds for a moment.

        >>> home = Artifact("a1", "fact", "User lives in Porto", 5, created=0, valid_from=2, valid_to=9)
        >>> home.was_true(1), home.was_true(2), home.was_true(9)
        (False, True, False)
        """
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


class Blob(NamedTuple):
    """Bytes that a program keeps under a name. The revision is another one after every change; 0 stands for none at all.

    >>> Blob("state", b"...", 17).name
    'state'
    """

    name: str
    content: bytes
    revision: int = 0
    author: str | None = None
    """In a pool: who kept it."""


FactKind = Literal["instruction", "constraint", "identity", "person", "preference", "possession", "project", "event"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A short bullet about a user, with its time and the messages it rests on (none if it was written by hand).

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     fact = memory.remember("Allergic to nuts", owner="u1", pinned=True)
    >>> fact.text, fact.is_current, fact.messages
    ('Allergic to nuts', True, ())
    """

    id: str
    text: str
    kind: FactKind
    subject: str
    confidence: float
    valid_from: Microseconds
    valid_to: Microseconds | None = None
    pinned: bool = False
    session: str | None = None
    messages: tuple[str, ...] = ()
    hidden: bool = False
    """Whether a person keeps it out of prompts."""

    @property
    def is_current(self) -> bool:
        """Whether nothing newer has taken its place."""
        return self.valid_to is None

    @property
    def since(self) -> datetime:
        """Since when it is true."""
        return moment(self.valid_from)

    @property
    def until(self) -> datetime | None:
        """Until when it was."""
        return None if self.valid_to is None else moment(self.valid_to)


FactChangeKind = Literal["edited", "pinned", "hidden", "ended"]


@dataclass(frozen=True, slots=True)
class FactChange:
    """What a person changed about a fact, and when. `before` and `after` are texts for an edited or ended fact, None where
    they were erased since; for a pin or for hiding they are truth values. `undone` says that it was taken back.

    >>> import recollect
    >>> with recollect.open("memory://") as memory:
    ...     fact = memory.remember("Likes tea", owner="u1")
    ...     _ = memory.pin_fact(fact.id, owner="u1")
    ...     [change] = memory.fact_history(owner="u1", fact=fact.id)
    >>> change.what, change.before, change.after, change.undone
    ('pinned', False, True, False)
    """

    id: str
    fact: str
    what: FactChangeKind
    at: Microseconds
    before: str | bool | None
    after: str | bool | None
    undone: bool = False

    @property
    def changed_at(self) -> datetime:
        """When it was changed."""
        return moment(self.at)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation was about, up to a message.

    >>> Summary("a1", "s1", "Travel", "Moved to Lisbon in May.", 7, 0, messages=30).created_at.year
    1970
    """

    id: str
    session: str
    title: str | None
    """The conversation's."""
    text: str
    tokens: int
    created: Microseconds
    messages: int = 0
    """How many it covers."""
    upto: str | None = None
    """The id of the last one that it covers, if that is known."""

    @property
    def created_at(self) -> datetime:
        """When it was made."""
        return moment(self.created)


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was ingested: the newest version of its name. `session` is None for one of all conversations.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> document = memory.ingest("guide.md", content="# Install\\n\\nRun setup.", owner="u1")
    >>> document.name, document.version, document.chunks, document.title, document.session
    ('guide.md', 1, 1, 'Install', None)
    """

    id: str
    name: str
    version: int
    chunks: int
    tokens: int
    media_type: str | None
    added_at: datetime
    session: str | None
    source: str
    title: str
    """What the document calls itself, or its name."""
    notices: tuple[str, ...] = ()
    """What could not be read of it."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may do what in a pool.

    >>> Grant("team", "u2", Access.READ).access
    <Access.READ: 'read'>
    """

    pool: str
    owner: str
    access: Access
    name: str = ""


class Mark(NamedTuple):
    """How far a follower has read an owner's changes: the last message number and the last other change.

    `life` tells an owner who was erased and came back from the one before.

    >>> Mark(3, 1) == Mark(3, 1)
    True
    """

    messages: int = 0
    changes: int = 0
    life: int = 0

    @property
    def revision(self) -> int:
        """One number that every change of the owner raises.

        >>> Mark(3, 1).revision
        4
        """
        return self.messages + self.changes

    @property
    def text(self) -> str:
        """The mark in writing, to be kept elsewhere.

        >>> Mark(3, 1, 42).text
        '3.1.42'
        """
        return f"{self.messages}.{self.changes}.{self.life}"

    @classmethod
    def parse(cls, text: str) -> Mark:
        """The mark that was written down; `InvalidInput` for anything else.

        >>> Mark.parse(Mark(3, 1, 42).text) == Mark(3, 1, 42)
        True
        """
        from recollect.errors import InvalidInput

        parts = str(text).split(".")
        # Nothing that a store could not count: the numbers go into its queries.
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
            raise InvalidInput(f"not a mark: {str(text)[:40]!r}")
        return cls(*map(int, parts))


BEGINNING = Mark()
"""Where a follower is who has seen nothing."""

ChangeKind = Literal["message", "session", "marked", "erased", "reset"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened in an owner's memory: `message` (a new one), `session` (created, edited, moved), `marked`
    (pin or importance), `erased`, or `reset` (the follower was away too long and should read again from the start).

    `mark` is where a follower is who has seen this and all before: `Memory.watch(after=…)` goes on from there.

    >>> Change("erased", session="s1").kind
    'erased'
    """

    kind: ChangeKind
    session: str | None = None
    message_id: str | None = None
    message: Message | None = None
    mark: Mark = BEGINNING


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long sessions are kept, in days, from their last activity, restore or import. None keeps them for ever.

    With `keep_facts`, facts outlive a session that expired. One that a person deleted always takes its facts along.

    >>> RetentionPolicy().active_days is None, RetentionPolicy().deleted_days
    (True, 30.0)
    """

    active_days: float | None = None
    archived_days: float | None = None
    deleted_days: float | None = 30.0
    keep_facts: bool = True


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Which sessions to list, newest activity first. `status` None means active and archived together.

    >>> SessionQuery(status=Status.ACTIVE).limit
    20
    """

    status: Status | None = None
    tag: str | None = None
    since: Microseconds | None = None
    until: Microseconds | None = None
    limit: int = 20
    after: tuple[int, str] | None = None
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Which messages of the active path to read; they come in the order they were said.

    >>> Window(last=20).last
    20
    """

    last: int | None = None
    max_tokens: int | None = None
    after: int | None = None
    before: int | None = None
    first: int | None = None


def microseconds(moment: datetime) -> Microseconds:
    """A moment as whole microseconds since 1970, which is how stores keep time.

    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (moment - EPOCH) // MICROSECOND


def moment(us: Microseconds) -> datetime:
    """The moment of so many microseconds since 1970.

    >>> moment(1_000_000).second
    1
    """
    return EPOCH + timedelta(microseconds=us)
