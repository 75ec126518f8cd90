"""The reference: a storage in plain Python objects, as simple as the rules allow.

It keeps nothing on disk, so it serves `memory://` and temporary sessions; and since every session is a tree of linked nodes,
with nothing counted ahead, it is the oracle that the other backends are tested against.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from recollect.engine import bm25
from recollect.engine.intake import same_content
from recollect.engine.passages import spoken
from recollect.engine.terms import index_terms
from recollect.errors import (
    Conflict,
    Erased,
    IllegalMove,
    InvalidInput,
    MessageConflict,
    NotFound,
    RevisionConflict,
    StoreClosed,
)
from recollect.ports import (
    ANYTHING,
    CHANGEABLE,
    LEAF,
    NO_FILTERS,
    Anchor,
    Counted,
    Expected,
    Found,
    Known,
    Planted,
    Seen,
    Sweep,
    Tree,
    session_tag,
)
from recollect.reports import Diagnosis, EraseReceipt, Usage
from recollect.storage import feed, memory_figures
from recollect.storage import memory_aftermath as aftermath
from recollect.storage.memory_blobs import MemoryBlobs, forget_blobs
from recollect.storage.memory_directory import MemoryDirectory
from recollect.storage.memory_keyring import MemoryKeyring
from recollect.storage.memory_space import NOTHING, Node, Space, Talk, path_to, windowed
from recollect.storage.steps import Span
from recollect.types import (
    Access,
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
    Window,
)

LEVELS = {Access.READ: 0, Access.WRITE: 1, Access.ADMIN: 2}
POOLS = ("pool", "pool shelf")
NO_FACTS: set[str] = set()


class MemoryStorage(MemoryKeyring, MemoryBlobs, MemoryDirectory):
    """Keeps conversations in this process, and nowhere else."""

    largest_message = 16 * 1024 * 1024

    def __init__(self) -> None:
        super().__init__()
        self._grants: dict[tuple[str, str], Access] = {}
        self._erased: dict[tuple[str, str], set[str]] = {}
        self._listeners: list[Callable[[], None]] = []
        self._commits = 0
        self._numbers = 0
        self._closed = False

    # -- sessions

    def create_session(self, scope: Scope, session: Session, fork: tuple[str, str] | None = None) -> Session:
        with self._lock:
            space = self._space_to_write(scope)
            if session.id in space.talks:
                raise Conflict(f"there is a session {session.id!r} already")
            self._numbers += 1
            talk = Talk(session._replace(owner=scope.owner, pool=scope.pool), self._numbers)
            if fork:
                origin = self._visible(space, self._talk(space, Scope("", fork[0])), fork[1])
                talk.origin = talk.leaf = origin
                talk.session = talk.session._replace(head=origin.message.seq)
            space.talks[session.id] = talk
            space.note("session", session.id)
            self._committed()
            return self._shown(scope, talk)

    def get_session(self, scope: Scope) -> Session:
        with self._lock:
            return self._shown(scope, self._talk(self._space(scope), scope))

    def list_sessions(self, scope: Scope, query: SessionQuery) -> list[Session]:
        with self._lock:
            found = [self._shown(scope, talk) for talk in self._space(scope).talks.values() if not talk.purged]

        def wanted(session: Session) -> bool:
            return (
                (session.status == query.status if query.status else session.status != Status.DELETED)
                and (query.tag is None or query.tag in session.tags)
                and (query.pinned is None or session.pinned == query.pinned)
                and (query.since is None or session.updated >= query.since)
                and (query.until is None or session.updated < query.until)
                and (query.after is None or place(session) > (-query.after[0], query.after[1]))
            )

        def place(session: Session) -> tuple[int, str]:
            return -session.updated, session.id

        return sorted(filter(wanted, found), key=place)[: query.limit]

    def update_session(
        self, scope: Scope, changes: Mapping[str, Any], now: Microseconds, expected: Expected = ANYTHING
    ) -> Session:
        with self._lock:
            space = self._space(scope, Access.WRITE)
            talk = self._talk(space, scope)
            _check(talk.session, expected)
            if unknown := changes.keys() - set(CHANGEABLE):
                raise InvalidInput(f"a session's {', '.join(sorted(unknown))} cannot be changed")
            moved = {"touched": max(talk.session.touched, now), "expired": False} if "status" in changes else {}
            talk.session = talk.session._replace(**{**moved, **changes}, revision=talk.session.revision + 1)
            space.note("session", talk.session.id)
            self._committed()
            return self._shown(scope, talk)

    # -- messages

    def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        now: Microseconds,
        anchor: Anchor = LEAF,
        expected: Expected = ANYTHING,
    ) -> list[Message]:
        with self._lock:
            space = self._space(scope, Access.WRITE)
            talk = self._live(space, scope.session or "")
            if talk.session.status != Status.ACTIVE:
                raise IllegalMove("the session is archived: unarchive it before adding to it")
            _check(talk.session, expected)
            at = self._resolve(space, talk, anchor)
            new = self._new_messages(space, talk, messages)
            if new or not messages:
                self._extend(space, talk, at, new, scope)
                moved = anchor.kind != "leaf"
                talk.session = talk.session._replace(
                    updated=max([talk.session.updated, *(m.created for m in new)] + ([] if new else [now])),
                    touched=max(talk.session.touched, now),
                    revision=talk.session.revision + moved,
                )
                if moved:
                    space.note("session", talk.session.id)
                self._committed()
            return [_seen(space.nodes[m.id], talk) for m in messages]

    def _new_messages(self, space: Space, talk: Talk, messages: Sequence[Message]) -> list[Message]:
        new: dict[str, Message] = {}
        for message in messages:
            stored = space.nodes.get(message.id)
            if stored and stored.home is not talk:
                raise MessageConflict(f"message id {message.id!r} is taken by a message of another session")
            twin = stored.message if stored else new.get(message.id)
            if twin and not same_content(twin, message):
                raise MessageConflict(f"message id {message.id!r} is taken by a message with other content")
            if message.id in space.erased:
                raise Erased(f"message {message.id!r} was erased")
            if not twin:
                new[message.id] = message
        return list(new.values())

    def _extend(self, space: Space, talk: Talk, at: Node | None, new: list[Message], scope: Scope) -> None:
        seq = talk.session.head
        for message in new:
            seq += 1
            space.last = space.last._replace(messages=space.last.messages + 1)
            placed = message._replace(
                session=talk.session.id,
                seq=seq,
                parent=at.message.seq if at else 0,
                author=scope.owner if scope.pool else None,
            )
            at = space.nodes[message.id] = Node(placed, at, talk, space.last.messages)
        talk.leaf = at
        talk.session = talk.session._replace(head=seq)

    def read(self, scope: Scope, window: Window) -> list[Message]:
        with self._lock:
            space = self._space(scope)
            talk = self._live(space, scope.session or "")
            return [_seen(node, talk) for node in windowed(path_to(talk.leaf), window)]

    def get_message(self, scope: Scope, message: str) -> Message:
        with self._lock:
            space = self._space(scope)
            talk = self._live(space, scope.session or "")
            return _seen(self._visible(space, talk, message), talk)

    def fetch(self, scope: Scope, numbers: Sequence[int]) -> list[Seen]:
        with self._lock:
            known = {node.number: node for node in self._space(scope).nodes.values()}
            found = [known[number] for number in sorted(set(numbers)) if number in known]
            return [Seen(node.number, _at_home(node)) for node in found]

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
        with self._lock:
            space = self._space(scope, Access.WRITE)
            talk = self._live(space, scope.session or "")
            node = self._visible(space, talk, message)
            if importance is not None:
                node.message = node.message._replace(importance=importance)
            if pinned is not None:
                node.message = node.message._replace(pinned=pinned)
            if private is not None and private != node.message.private:
                self._set_private(space, node, private)
            space.note("marked", talk.session.id, message)
            self._committed()
            return _seen(node, talk)

    def _set_private(self, space: Space, node: Node, private: bool) -> None:
        node.message = node.message._replace(private=private)
        if private:
            aftermath.forget_node(space, node)
            for shelf in space.shelves.values():
                shelf.passages.pop(node.number, None)
            space.note("erased")
        else:
            # The next number: so it waits, like a new message, for all that is made of messages.
            space.last = space.last._replace(messages=space.last.messages + 1)
            node.number = space.last.messages

    def branches(self, scope: Scope) -> list[Branch]:
        with self._lock:
            space = self._space(scope)
            talk = self._live(space, scope.session or "")
            own = [node for node in space.nodes.values() if node.home is talk]
            inner = {node.parent for node in own}
            known = [talk.origin, *own] if talk.origin else own
            leaves = [node for node in known if node not in inner]
            leaves.sort(key=lambda node: node.message.seq)
            ends = leaves if talk.leaf in leaves else [*leaves, talk.leaf]
            return [_branch(leaf, leaf is talk.leaf) for leaf in ends]

    def tree(self, scope: Scope, after: int = 0, limit: int = 1000) -> Tree:
        with self._lock:
            space = self._space(scope)
            talk = self._talk(space, scope)
            nodes = [*path_to(talk.origin), *(node for node in space.nodes.values() if node.home is talk)]
            nodes = sorted((node for node in nodes if node.message.seq > after), key=lambda node: node.message.seq)
            leaf = talk.leaf.message.id if talk.leaf else None
            return Tree(self._shown(scope, talk), [_in_tree(node) for node in nodes[:limit]], leaf)

    def known(self, scope: Scope, ids: Sequence[str]) -> dict[str, Known]:
        with self._lock:
            space = self._space(scope)
            talk = None if scope.session is None else self._talk(space, scope)
            return {id: known for id in ids if (known := self._whereabouts(space, talk, id))}

    def _whereabouts(self, space: Space, talk: Talk | None, id: str) -> Known | None:
        node = space.nodes.get(id)
        if node is None:
            return Known("erased") if id in space.erased else None
        shown = talk is not None and (node.home is talk or node in path_to(talk.origin))
        return Known("here" if shown else "elsewhere", node.number)

    def plant(
        self, scope: Scope, messages: Sequence[Planted], leaf: str | None, now: Microseconds, updated: Microseconds = 0
    ) -> None:
        with self._lock:
            space = self._space(scope, Access.WRITE)
            talk = self._talk(space, scope)
            ids = [one.message.id for one in messages]
            for place, id in enumerate(ids):
                if self._whereabouts(space, talk, id) or id in ids[:place]:
                    raise MessageConflict(f"message id {id!r} is taken")
            before = dict(space.nodes), space.last, talk.session, talk.leaf
            try:
                for message, parent in messages:
                    talk.session = talk.session._replace(head=max(talk.session.head, message.seq - 1))
                    at = None if parent is None else self._visible(space, talk, parent)
                    self._extend(space, talk, at, [message], scope)
                talk.leaf = None if leaf is None else self._visible(space, talk, leaf)
            except NotFound:
                space.nodes, space.last, talk.session, talk.leaf = before
                raise
            talk.session = talk.session._replace(
                updated=max(talk.session.updated, updated),
                touched=max(talk.session.touched, now),
                revision=talk.session.revision + 1,
            )
            space.note("session", talk.session.id)
            self._committed()

    def find(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Found:
        with self._lock:
            space = self._space(scope)
            bags = {n.number: _terms(n.message) for n in space.nodes.values()}
            statistics = bm25.Statistics(len(bags), sum(node.message.tokens for node in space.nodes.values()))
            frequency = {term: sum(term in bag for bag in bags.values()) for term in terms}
            worth = {term: bm25.rarity(statistics, count) for term, count in frequency.items()}
            shown = [_as_seen(node, talk) for node, talk in _in_sight(space, filters) if _passes(node, filters)]
        average = statistics.average
        parts = [bm25.parts(bags[seen.number], seen.message.tokens, worth, average) for seen in shown]
        scored = [seen._replace(score=sum(part), parts=part) for seen, part in zip(shown, parts, strict=True)]
        found = sorted((seen for seen in scored if seen.score > 0), key=lambda seen: (-seen.score, -seen.number))
        return Found(found[:limit], worth, average)

    def look(self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: Filters = NO_FILTERS) -> list[Seen]:
        with self._lock:
            in_sight = {node.number: (node, talk) for node, talk in _in_sight(self._space(scope), filters)}
            wanted: set[int] = set()
            in_sight = {number: (node, talk) for number, (node, talk) in in_sight.items() if not node.message.private}
            for node, talk in (in_sight[number] for number in numbers if number in in_sight):
                path = path_to(talk.leaf)
                at = path.index(node)
                wanted |= {other.number for other in path[max(0, at - around) : at + around + 1]}
            return [_as_seen(*in_sight[number]) for number in wanted if number in in_sight]

    def numbers(self, scope: Scope, filters: Filters) -> list[int]:
        with self._lock:
            space = self._space(scope)
            nodes = list(space.nodes.values())
            if filters.sessions or filters.tags:
                talks = [talk for talk in space.talks.values() if not talk.purged and _allows(talk, filters)]
                inherited = {id(node) for talk in talks for node in path_to(talk.origin)}
                nodes = [node for node in nodes if node.home in talks or id(node) in inherited]
            return sorted(node.number for node in nodes if _passes(node, filters))

    # -- erase and retention

    def erase(self, scope: Scope, message: str | None, now: Microseconds) -> EraseReceipt:
        with self._lock:
            before = self._count_all()
            if scope.session is None:
                self._erase_all(scope)
            else:
                space = self._space(scope, Access.WRITE if message else Access.ADMIN)
                had_blobs = not message and forget_blobs(space, lambda session, _: session == scope.session) > 0
                if scope.session in space.talks or not had_blobs:
                    talk = self._talk(space, scope)
                    if message:
                        self._erase_message(scope, space, talk, message)
                    else:
                        self._erase_session(space, talk)
                space.note("erased")
            self._committed()
            sessions, messages, passages = (was - now_ for was, now_ in zip(before, self._count_all(), strict=True))
            return EraseReceipt(sessions, messages, passages, ("rows", "vectors", "artifacts"))

    def _erase_all(self, scope: Scope) -> None:
        self._space(scope, Access.ADMIN)
        for key in {_key(scope), _key(scope._replace(shelf=True))}:
            space = self._spaces.pop(key, None)
            if space:
                self._erased[key] = space.erased | set(space.nodes) | set(space.artifacts)
        if scope.shelf:
            return
        if scope.pool:
            self._grants = {key: access for key, access in self._grants.items() if key[0] != scope.pool}
            return
        for (kind, _), pool in list(self._spaces.items()):
            if kind in POOLS:
                self._erase_author(pool, scope.owner)
        for kind, id in list(self._spaces):
            if kind == "pool":
                self._leave(id, scope.owner)

    def _erase_author(self, pool: Space, author: str) -> None:
        """What an owner wrote, made and was given in a pool."""
        pool.receipts = {id: receipt for id, receipt in pool.receipts.items() if receipt.author != author}
        forget_blobs(pool, lambda session, blob: blob.author == author)
        written = [node for node in pool.nodes.values() if node.message.author == author]
        made = [talk for talk in pool.talks.values() if talk.session.owner == author]
        for node in written:
            self._drop(pool, node)
        for talk in made:
            if any(node.home is talk for node in pool.nodes.values()):
                talk.session = talk.session._replace(
                    owner="", title=None, system_prompt=None, summary=None, summarized=None, tags=(), metadata={}
                )
            else:
                self._erase_session(pool, talk)
        if written or made:
            pool.note("erased")

    def _leave(self, pool: str, owner: str) -> None:
        """Without his grant; a pool that was his alone goes, and one that has no admin left gets one."""
        if self._grants.pop((pool, owner), None) is None:
            return
        rest = sorted((-LEVELS[level], holder) for (of, holder), level in self._grants.items() if of == pool)
        if rest:
            self._grants[pool, rest[0][1]] = Access.ADMIN
        else:
            for kind in POOLS:
                self._spaces.pop((kind, pool), None)

    def _erase_message(self, scope: Scope, space: Space, talk: Talk, message: str) -> None:
        node = self._visible(space, talk, message)
        if scope.pool and node.message.author != scope.owner:
            self._space(scope, Access.ADMIN)
        self._drop(space, node)

    def _erase_session(self, space: Space, talk: Talk) -> None:
        for shelf, document in self._documents(space, talk):
            self._erase_session(shelf, document)
            shelf.note("erased")
        for node in [n for n in space.nodes.values() if n.home is talk]:
            self._drop(space, node)
        self._bury(space, talk)

    def _drop(self, space: Space, node: Node) -> None:
        """Takes a node out of its tree; what followed it now follows its parent."""
        aftermath.forget_question(space, node)
        aftermath.forget_node(space, node)
        for other in space.nodes.values():
            if other.parent is node:
                other.parent = node.parent
        for talk in space.talks.values():
            talk.leaf = node.parent if talk.leaf is node else talk.leaf
            talk.origin = node.parent if talk.origin is node else talk.origin
        del space.nodes[node.message.id]
        space.erased.add(node.message.id)
        space.log = [entry for entry in space.log if entry[4] != node.message.id]

    def sweep(
        self,
        before: Mapping[Status, Microseconds],
        now: Microseconds,
        *,
        after: int,
        limit: int,
        dry_run: bool,
        keep_facts: bool = False,
    ) -> Sweep:
        with self._lock:
            everyone = [(space, talk) for space in self._spaces.values() for talk in space.talks.values()]
            due = sorted(
                (
                    (talk.number, space, talk)
                    for space, talk in everyone
                    if talk.number > after
                    and not talk.session.pinned
                    and not talk.purged
                    and talk.session.status in before
                    and talk.session.touched < before[talk.session.status]
                ),
                key=lambda entry: entry[0],
            )
            batch = due[:limit]
            counts = {status: sum(t.session.status == status for _, _, t in batch) for status in Status}
            messages = sum(
                n.home is t for _, space, t in batch for n in space.nodes.values() if t.session.status == Status.DELETED
            )
            if not dry_run:
                messages = sum(self._retire(space, talk, now, keep_facts) for _, space, talk in batch)
                self._committed()
            last = batch[-1][0] if len(due) > limit else None
            return Sweep(counts[Status.ACTIVE], counts[Status.ARCHIVED], counts[Status.DELETED], messages, last)

    def _retire(self, space: Space, talk: Talk, now: Microseconds, keep_facts: bool) -> int:
        if talk.purged:
            return 0  # a document that went with its session, in this very batch
        if talk.session.status != Status.DELETED:
            talk.session = talk.session._replace(
                status=Status.DELETED,
                expired=True,
                touched=max(talk.session.touched, now),
                revision=talk.session.revision + 1,
            )
            space.note("session", talk.session.id)
            return 0
        had = len(space.nodes)
        self._bury(space, talk, aftermath.detach_facts(space, talk) if keep_facts and talk.session.expired else set())
        space.note("erased")
        return had - len(space.nodes)

    def _bury(self, space: Space, talk: Talk, kept_facts: set[str] = NO_FACTS) -> None:
        """Takes a session out of sight; while a fork shows some of its messages, it goes on without a name. The facts with
        these ids stay."""
        talk.purged = True
        aftermath.forget_session(space, talk.session.id)
        forget_blobs(space, lambda session, blob: session == talk.session.id)
        space.talks[f"\0{talk.number}"] = space.talks.pop(talk.session.id)
        space.log = [entry for entry in space.log if entry[3] != talk.session.id]
        self._collect(space, kept_facts)
        for shelf, document in self._documents(space, talk):
            self._bury(shelf, document)
            shelf.note("erased")

    def _documents(self, space: Space, talk: Talk) -> list[tuple[Space, Talk]]:
        """The documents that belong to a session, each with its shelf."""
        tag = session_tag(talk.session.id)
        shelves = [self._known((f"{kind} shelf", id)) for (kind, id), known in self._spaces.items() if known is space]
        return [(s, one) for s in shelves for one in s.talks.values() if tag in one.session.tags and not one.purged]

    def _collect(self, space: Space, kept_facts: set[str]) -> None:
        """Lets go of purged sessions, and of their messages that no living fork still shows."""
        needed = {id(n) for talk in space.talks.values() if not talk.purged for n in path_to(talk.origin)}
        kept = {key: n for key, n in space.nodes.items() if not n.home.purged or id(n) in needed}
        space.nodes = kept
        homes = {id(n.home) for n in kept.values()}
        space.talks = {key: t for key, t in space.talks.items() if not t.purged or id(t) in homes}
        space.forget_vectors()
        aftermath.drop_lost_sources(space, kept_facts)
        aftermath.forget_lost(space)

    # -- pools

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        with self._lock:
            self._spaces["pool", pool] = Space(name=name, last=Mark(life=secrets.randbits(52) | 1))
            self._grants[pool, owner] = Access.ADMIN
            self._committed()

    def grant(self, pool: str, by: str, owner: str, access: Access | None, now: Microseconds) -> None:
        with self._lock:
            leaving = by == owner and access is None
            self._space(Scope(by, None, pool), Access.READ if leaving else Access.ADMIN)
            admins = {holder for (of, holder), level in self._grants.items() if of == pool and level == Access.ADMIN}
            if access != Access.ADMIN and admins == {owner}:
                raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
            if access is None:
                self._grants.pop((pool, owner), None)
            else:
                self._grants[pool, owner] = access
            self._committed()

    def grants(self, owner: str, pool: str | None = None) -> list[Grant]:
        with self._lock:
            if pool is not None:
                self._space(Scope(owner, None, pool))
            found = [
                Grant(of, holder, access, self._spaces["pool", of].name)
                for (of, holder), access in self._grants.items()
                if (of == pool if pool is not None else holder == owner)
            ]
            return sorted(found, key=lambda grant: (grant.pool, grant.owner))

    # -- changes

    def last_mark(self, scope: Scope) -> Mark:
        with self._lock:
            return self._space(scope).last

    def changes(self, scope: Scope, since: Mark, limit: int) -> tuple[list[Change], Mark]:
        with self._lock:
            space = self._space(scope)
            if feed.cannot_go_on(since, space.last):
                return [Change("reset", mark=space.last)], space.last
            entries = [
                feed.Entry(n.number, 0, Change("message", n.home.session.id, n.message.id, n.message))
                for n in space.nodes.values()
                if n.number > since.messages and not n.home.purged and n.home.session.status != Status.DELETED
            ]
            for number, change, kind, session, message in space.log:
                if change > since.changes:
                    entries.append(feed.Entry(number, change, Change(kind, session, message)))
            return feed.merged(entries, since, space.last, limit)

    def last_marks(self, scopes: Sequence[Scope]) -> list[Mark | None]:
        with self._lock:
            return [self._last_mark(scope) for scope in scopes]

    def _last_mark(self, scope: Scope) -> Mark | None:
        try:
            return self._space(scope).last
        except NotFound:
            return None

    def stamp(self) -> object:
        return self._commits

    def on_commit(self, call: Callable[[], None]) -> None:
        self._listeners.append(call)

    def settle(self, key: str, value: str) -> str:
        with self._lock:
            self._check_open()
            return self._settings.setdefault(key, value)

    def figures(self, scope: Scope | None, since: Microseconds, until: Microseconds, step: Microseconds) -> Counted:
        with self._lock:
            if scope is not None:
                self._space(scope)
                keys = [_key(scope)]
            else:
                keys = [key for key in self._spaces if not key[0].endswith("shelf")]
            with_shelves = [(self._known(key), self._known((f"{key[0]} shelf", key[1]))) for key in keys]
            return memory_figures.counted(with_shelves, Span(since, until, step))

    def usage(self, scope: Scope) -> Usage:
        with self._lock:
            space, (kind, id) = self._space(scope), _key(scope)
            return memory_figures.usage(space, self._known((f"{kind} shelf", id)))

    def check(self, *, repair: bool = False) -> Diagnosis:
        sessions, messages = self._count()
        return Diagnosis({"sessions": sessions, "messages": messages})

    def maintain(self) -> None:
        """Nothing ever waits here."""

    def close(self) -> None:
        """Lets everything go."""
        with self._lock:
            self._closed = True
            self._spaces.clear()
            self._grants.clear()

    # -- inner

    def _space(self, scope: Scope, need: Access = Access.READ) -> Space:
        self._check_open()
        if scope.pool is None:
            return self._known(_key(scope))
        held = self._grants.get((scope.pool, scope.owner))
        if held is None:
            raise NotFound("no such pool, or no access to it")
        if LEVELS[held] < LEVELS[need]:
            raise NotFound(f"this needs {need} access to the pool; you have {held}")
        return self._known(_key(scope))

    def _acting(self, space: Space) -> Scope:
        """A scope that may do everything in a space: its owner's, or that of an admin of its pool."""
        kind, id = next(key for key, known in self._spaces.items() if known is space)
        shelf = kind.endswith("shelf")
        if not kind.startswith("pool"):
            return Scope(id, shelf=shelf)
        admins = [owner for (pool, owner), held in self._grants.items() if pool == id and held is Access.ADMIN]
        return Scope(min(admins, default=""), None, id, shelf)

    def _known(self, key: tuple[str, str]) -> Space:
        return self._spaces.get(key) or Space(erased=self._erased.get(key, set()))

    def _space_to_write(self, scope: Scope) -> Space:
        space = self._space(scope, Access.WRITE)
        if space.last == NOTHING:
            space.last = Mark(life=secrets.randbits(52) | 1)
            self._spaces[_key(scope)] = space
        return space

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _talk(self, space: Space, scope: Scope) -> Talk:
        talk = space.talks.get(scope.session or "")
        if talk is None or talk.purged:
            raise NotFound("no such session, or no access to it")
        return talk

    def _live(self, space: Space, session: str) -> Talk:
        talk = self._talk(space, Scope("", session))
        if talk.session.status == Status.DELETED:
            raise NotFound("the session is deleted: restore it first")
        return talk

    def _visible(self, space: Space, talk: Talk, message: str) -> Node:
        node = space.nodes.get(message)
        if node is None or not (node.home is talk or node in path_to(talk.origin)):
            raise NotFound("no such message in this session")
        return node

    def _resolve(self, space: Space, talk: Talk, anchor: Anchor) -> Node | None:
        if anchor.kind == "leaf":
            return talk.leaf
        if anchor.kind == "root":
            return None
        node = self._visible(space, talk, anchor.message)
        return node if anchor.kind == "after" else node.parent

    def _shown(self, scope: Scope, talk: Talk) -> Session:
        path = path_to(talk.leaf)
        return talk.session._replace(
            owner=scope.owner,
            metadata=deepcopy(talk.session.metadata),
            message_count=len(path),
            token_count=sum(node.message.tokens for node in path),
        )

    def _count(self) -> tuple[int, int]:
        spaces = self._spaces.values()
        return sum(not t.purged for s in spaces for t in s.talks.values()), sum(len(s.nodes) for s in spaces)

    def _count_all(self) -> tuple[int, int, int]:
        """Sessions, messages, and what was made of them."""
        for space in self._spaces.values():
            space.forget_vectors()
        shelves = [shelf for space in self._spaces.values() for shelf in space.shelves.values()]
        made = sum(len(space.artifacts) + len(space.receipts) + len(space.blobs) for space in self._spaces.values())
        return *self._count(), made + sum(len(some) for shelf in shelves for some in shelf.passages.values())

    def _committed(self) -> None:
        self._commits += 1
        for call in self._listeners:
            call()


def _key(scope: Scope) -> tuple[str, str]:
    """Under what the space is kept that a scope acts on."""
    kind, id = ("owner", scope.owner) if scope.pool is None else ("pool", scope.pool)
    return (f"{kind} shelf" if scope.shelf else kind), id


def _seen(node: Node, talk: Talk) -> Message:
    """A message as it is read in a session; what the reader does with its metadata stays with the reader."""
    return node.message._replace(session=talk.session.id, metadata=deepcopy(node.message.metadata))


def _at_home(node: Node) -> Message:
    return _seen(node, node.home)._replace(session="" if node.home.purged else node.home.session.id)


def _in_tree(node: Node) -> Message:
    """With the parent that it has by now."""
    return _at_home(node)._replace(parent=node.parent.message.seq if node.parent else 0)


def _terms(message: Message) -> list[str]:
    return [] if message.private else index_terms(spoken(message.name, message.text))


def _check(session: Session, expected: Expected) -> None:
    if expected.revision is not None and expected.revision != session.revision:
        raise RevisionConflict(f"the session is at revision {session.revision}, not {expected.revision}")
    if expected.head is not None and expected.head != session.head:
        raise RevisionConflict(f"the session's last message is number {session.head}, not {expected.head}")


def _branch(leaf: Node | None, active: bool) -> Branch:
    path = path_to(leaf)
    tokens = sum(node.message.tokens for node in path)
    return Branch(leaf.message.id if leaf else None, len(path), tokens, active)


def _in_sight(space: Space, filters: Filters) -> list[tuple[Node, Talk]]:
    """Messages on active paths, each with the oldest of the allowed sessions that shows it."""
    shown: dict[int, tuple[Node, Talk]] = {}
    for talk in sorted(space.talks.values(), key=lambda talk: talk.number, reverse=True):
        is_shown = talk.session.status != Status.DELETED or (filters.expired and talk.session.expired)
        if is_shown and not talk.purged and _allows(talk, filters):
            shown |= {node.number: (node, talk) for node in path_to(talk.leaf)}
    return list(shown.values())


def _allows(talk: Talk, filters: Filters) -> bool:
    return (not filters.sessions or talk.session.id in filters.sessions) and (
        not filters.tags or bool(set(filters.tags) & set(talk.session.tags))
    )


def _passes(node: Node, filters: Filters) -> bool:
    message = node.message
    return (
        filters.let_through(message.role, message.importance)
        and node.home.session.id not in filters.besides
        and (filters.since is None or message.created >= filters.since)
        and (filters.until is None or message.created < filters.until)
    )


def _as_seen(node: Node, talk: Talk) -> Seen:
    return Seen(node.number, _seen(node, talk))
