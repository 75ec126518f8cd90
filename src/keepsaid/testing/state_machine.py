"""A state machine that runs the same operations on the in-memory reference and on another storage.

Every rule does the same on both and compares the results, including errors. After every rule the two are compared as a
whole: sessions, messages, branches, counts, search results, change feeds, and artifacts.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from keepsaid.engine.text.terms import terms
from keepsaid.errors import KeepsaidError, NotFound
from keepsaid.llm.tokens import counter_for
from keepsaid.memory import Memory
from keepsaid.ports import (
    ArtifactChanges,
    ArtifactQuery,
    PlacedMessage,
    Storage,
    StoredReceipt,
    VisibleMessage,
)
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import WITH_RETENTION
from keepsaid.types import (
    Artifact,
    ArtifactKind,
    ArtifactSource,
    ChangePosition,
    MemoryChange,
    Message,
    ReadWindow,
    Role,
    Scope,
    SearchFilters,
    SessionStatus,
)

OWNERS = ("ann", "bob")
FACT = {"kind": "identity", "subject": "user", "about": "", "value": "", "confidence": 1.0}
SUMMARY: dict[str, Any] = {"digest": {"lines": [], "messages": 0}}
WORDS = ("sister", "Lisbon", "tea", "coffee", "deploy", "café", "東京")
owners = st.sampled_from(OWNERS)
texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=4).map(" ".join)
picks = st.integers(0, 10_000)


def lifecycles_match(make_storage: Callable[[], Storage], *, examples: int = 50, steps: int = 40) -> None:
    """Fail with the shortest sequence of calls on which the storage and the reference differ."""

    class ComparedStorage(StorageStateMachine):
        def make_storage(self) -> Storage:
            return make_storage()

    run_state_machine_as_test(  # pyright: ignore[reportUnknownMemberType]
        ComparedStorage,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        ),
    )


class StorageStateMachine(RuleBasedStateMachine):
    """The rules and invariants. A subclass makes the storage to compare."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        counter = counter_for("o200k_base")
        self.storages: tuple[Storage, Storage] = (MemoryStorage(), self.make_storage())
        self.memories = tuple(
            Memory(s, MemoryStorage(), counter, clock=self.clock, settings=WITH_RETENTION) for s in self.storages
        )
        self.numbers = 0
        self.sessions: list[tuple[str, str]] = []
        self.messages: list[tuple[str, str, str]] = []
        self.marks: dict[str, tuple[ChangePosition, ChangePosition]] = {
            owner: (ChangePosition(), ChangePosition()) for owner in OWNERS
        }

    def make_storage(self) -> Storage:
        """Return the storage to compare with the reference."""
        raise NotImplementedError

    def teardown(self) -> None:
        for memory in self.memories:
            memory.close()

    # -- rules

    def new_id(self, kind: str) -> str:
        self.numbers += 1
        return f"{kind}{self.numbers}"

    def both(self, verb: Callable[[Memory], Any]) -> Any:
        """Do the same on both, and expect the same result or the same class of error."""
        results = [_outcome(verb, memory) for memory in self.memories]
        assert results[0] == results[1], f"reference: {results[0]!r}\nother:     {results[1]!r}"
        return results[0]

    def in_session(self, pick: int, verb: Callable[[Any], Any]) -> Any:
        """Do something in one of all sessions ever created, including deleted ones."""
        owner, session = self.sessions[pick % len(self.sessions)]
        return self.both(lambda memory: verb(memory._handle(Scope(owner, session), False)))  # pyright: ignore[reportPrivateUsage]

    @rule(owner=owners, tag=st.sampled_from(["", "work", "home"]))
    def create(self, owner: str, tag: str) -> None:
        id = self.new_id("s")
        tags = [tag] if tag else []
        self.both(lambda memory: memory.chat(owner=owner, session=id, create=True, tags=tags).info())
        self.sessions.append((owner, id))

    @precondition(lambda self: self.sessions)
    @rule(
        pick=picks,
        contents=st.lists(texts, min_size=1, max_size=3),
        role=st.sampled_from(["user", "assistant", "tool"]),
        name=st.sampled_from([None, None, "Ann"]),
    )
    def add(self, pick: int, contents: list[str], role: str, name: str | None) -> None:
        drafts = [{"role": role, "content": text, "id": self.new_id("m"), "name": name} for text in contents]
        self.in_session(pick, lambda chat: chat.add_many(drafts))
        owner, session = self.sessions[pick % len(self.sessions)]
        self.messages += [(owner, session, str(draft["id"])) for draft in drafts]

    @precondition(lambda self: self.messages)
    @rule(pick=picks, at=picks, text=texts, same=st.booleans())
    def add_known_id(self, pick: int, at: int, text: str, same: bool) -> None:
        owner, session, id = self.messages[at % len(self.messages)]
        if same:
            self.both(lambda memory: _again(memory, owner, session, id))
        else:
            self.in_session(pick, lambda chat: chat.add("user", text, id=id))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks, text=texts)
    def edit(self, at: int, elsewhere: int, pick: int, text: str) -> None:
        id = self.new_id("m")
        session = self.touch(at, elsewhere, pick, lambda chat, message: chat.edit(message, text, id=id))
        self.messages.append((*session, id))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks, text=texts)
    def add_after(self, at: int, elsewhere: int, pick: int, text: str) -> None:
        id = self.new_id("m")
        draft = {"role": "user", "content": text, "id": id}
        session = self.touch(at, elsewhere, pick, lambda chat, message: chat.add_many([draft], after=message))
        self.messages.append((*session, id))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks)
    def switch(self, at: int, elsewhere: int, pick: int) -> None:
        self.touch(at, elsewhere, pick, lambda chat, message: chat.switch(message))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks)
    def fork(self, at: int, elsewhere: int, pick: int) -> None:
        id = self.new_id("s")
        owner, _ = self.touch(at, elsewhere, pick, lambda chat, message: chat.fork(message, session=id).info())
        self.sessions.append((owner, id))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks, importance=st.floats(0, 1))
    def mark(self, at: int, elsewhere: int, pick: int, importance: float) -> None:
        self.touch(at, elsewhere, pick, lambda chat, message: chat.rate(message, importance))
        self.touch(at, elsewhere, pick, lambda chat, message: chat.pin(message))

    @precondition(lambda self: self.messages)
    @rule(at=picks, elsewhere=st.integers(0, 9), pick=picks)
    def erase_message(self, at: int, elsewhere: int, pick: int) -> None:
        self.touch(at, elsewhere, pick, lambda chat, message: chat.erase(message).messages)

    def touch(self, at: int, elsewhere: int, pick: int, verb: Callable[[Any, str], Any]) -> tuple[str, str]:
        """Do something with a message, mostly in its own session, sometimes in another one (a fork may show it)."""
        owner, session, message = self.messages[at % len(self.messages)]
        if elsewhere < 3:
            owner, session = self.sessions[pick % len(self.sessions)]
        self.both(lambda memory: verb(memory._handle(Scope(owner, session), False), message))  # pyright: ignore[reportPrivateUsage]
        return owner, session

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, step=st.sampled_from(["archive", "unarchive", "delete", "restore", "pop", "clear"]))
    def step(self, pick: int, step: str) -> None:
        self.in_session(pick, lambda chat: getattr(chat, step)())

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, title=texts, pinned=st.booleans(), revision=st.sampled_from([None, 1, 2]))
    def update(self, pick: int, title: str, pinned: bool, revision: int | None) -> None:
        self.in_session(pick, lambda chat: chat.update(title=title, pinned=pinned, expected_revision=revision))

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, end=picks, status=st.sampled_from(SessionStatus), forked=st.booleans())
    def transplant(self, pick: int, end: int, status: SessionStatus, forked: bool) -> None:
        """Copy a session as an import does: with all its branches and new ids."""
        owner, session = self.sessions[pick % len(self.sessions)]
        new = self.new_id("t")
        results = [
            _outcome(lambda one: _transplant(one, Scope(owner, session), new, end, status, forked), storage)
            for storage in self.storages
        ]
        assert results[0] == results[1]
        self.sessions.append((owner, new))

    @precondition(lambda self: self.sessions)
    @rule(pick=picks)
    def erase_session(self, pick: int) -> None:
        self.in_session(pick, lambda chat: chat.erase().messages)

    # -- rules for artifacts

    def each(self, verb: Callable[[Any], Any]) -> Any:
        """Does the same to both storages, if they keep artifacts at all."""
        results = [_outcome(verb, storage) for storage in self.storages]
        assert results[0] == results[1], f"reference: {results[0]!r}\nother:     {results[1]!r}"
        return results[0]

    @rule(owner=owners, limit=st.integers(1, 6))
    def take_notes(self, owner: str, limit: int) -> None:
        self.each(lambda storage: _take_notes(storage, Scope(owner), limit))

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, at=st.integers(0, 12), number=st.integers(1, 30), text=texts)
    def keep(self, pick: int, at: int, number: int, text: str) -> None:
        """Store a summary, a label and two facts of a session, whether they are valid there or not."""
        owner, session = self.sessions[pick % len(self.sessions)]
        one = self.new_id("a")
        rests = (ArtifactSource(number, 0, 3),)
        made = [
            Artifact(f"{one}s", "summary", text, 3, at, session, upto=at, data=SUMMARY),
            Artifact(f"{one}l", "label", text, 3, at, session, rests, data={"tags": ["work"]}),
            Artifact(
                f"{one}f", "fact", text, 3, at, session, (*rests, ArtifactSource(number + 1, 0, 1)), valid_from=at, data=FACT
            ),
            Artifact(f"fact {at}", "fact", text, 3, at, None, rests, pinned=at % 2 == 0, data=FACT),
        ]
        self.each(lambda storage: storage.keep_artifacts(Scope(owner), ArtifactChanges(made, {f"fact {at + 1}": at}), 0))

    @precondition(lambda self: self.sessions)
    @rule(pick=picks, leaf=st.integers(0, 12), text=texts, upto=st.integers(0, 12))
    def give(self, pick: int, leaf: int, text: str, upto: int) -> None:
        owner, session = self.sessions[pick % len(self.sessions)]
        made = StoredReceipt(self.new_id("r"), session, leaf, leaf, text, f"{text}?", "Be brief.", {"summary": f"a{upto}s"})
        self.each(lambda storage: storage.keep_receipts(Scope(owner), [made]))

    @rule(owner=owners, at=st.integers(0, 12), before=st.integers(0, 8))
    def discard(self, owner: str, at: int, before: int) -> None:
        self.each(lambda storage: storage.discard_artifacts(Scope(owner), [f"fact {at}", f"a{at}s", f"a{at + 1}l"]))
        self.each(lambda storage: storage.drop_receipts(before, 1000))

    @precondition(lambda self: self.messages)
    @rule(at=picks, private=st.booleans())
    def hide(self, at: int, private: bool) -> None:
        owner, session, message = self.messages[at % len(self.messages)]
        self.each(lambda storage: storage.mark(Scope(owner, session), message, 0, private=private))

    @rule(owner=owners)
    def erase_owner(self, owner: str) -> None:
        self.both(lambda memory: memory.erase(owner=owner).messages)

    @rule(days=st.sampled_from([-40, -1, 0.5, 20, 31, 91]))
    def turn_clock(self, days: float) -> None:
        self.clock.advance(days=days)

    @rule(dry_run=st.booleans())
    def retention(self, dry_run: bool) -> None:
        self.both(lambda memory: memory.retention(dry_run=dry_run))

    @precondition(lambda self: self.sessions)
    @rule(pick=picks)
    def purge(self, pick: int) -> None:
        """Delete and purge a session while its forks stay."""
        self.in_session(pick, lambda chat: chat.delete())
        self.clock.advance(days=31)
        for owner, session in self.sessions:
            if session != self.sessions[pick % len(self.sessions)][1]:
                self.both(lambda memory, o=owner, s=session: _touch(memory, o, s))
        self.both(lambda memory: memory.retention(dry_run=False))

    # -- invariants

    @invariant()
    def sessions_agree(self) -> None:
        for owner in OWNERS:
            for status in (None, *SessionStatus):
                self.both(lambda memory, o=owner, s=status: memory.sessions(owner=o, status=s, limit=100).items)
            self.both(lambda memory, o=owner: memory.sessions(owner=o, tag="work", limit=3).items)

    @invariant()
    def messages_agree(self) -> None:
        for owner, session in self.sessions[-8:]:
            self.both(lambda memory, o=owner, s=session: _seen(memory, o, s))
            trees = [_outcome(lambda one, o=owner, s=session: _tree(one, Scope(o, s)), storage) for storage in self.storages]
            assert trees[0] == trees[1], f"reference: {trees[0]!r}\nother:     {trees[1]!r}"

    @invariant()
    def searches_agree(self) -> None:
        for owner in OWNERS:
            for filters in (
                SearchFilters(),
                SearchFilters(tags=("work",)),
                SearchFilters(roles=(Role.USER,), importance=0.5),
            ):
                one, other = (s.find(Scope(owner), terms("sister Lisbon ann 東京"), filters, 10) for s in self.storages)
                assert _rounded(one.messages) == _rounded(other.messages)
                assert one.worth.keys() == other.worth.keys()
                assert all(abs(one.worth[term] - other.worth[term]) < 1e-9 for term in one.worth)
                numbers = [storage.numbers(Scope(owner), filters) for storage in self.storages]
                assert numbers[0] == numbers[1]
            for some, around in ((range(1, 100), 0), (range(1, 100, 5), 1), ((3, 11), 2)):
                for filters in (SearchFilters(), SearchFilters(expired=True)):
                    looks = [sorted(storage.look(Scope(owner), list(some), around, filters)) for storage in self.storages]
                    assert looks[0] == looks[1]

    @invariant()
    def artifacts_agree(self) -> None:
        kinds: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
        for owner in OWNERS:
            for kind in kinds:
                self.each(lambda storage, o=owner, k=kind: storage.artifacts(Scope(o), ArtifactQuery(k)))
            query = ArtifactQuery("fact", terms=("lisbon", "tea"), numbers=(1, 2, 3), as_of=5)
            self.each(lambda storage, o=owner, q=query: storage.artifacts(Scope(o), q))
            self.each(lambda storage, o=owner: storage.receipts(Scope(o), limit=100))
            self.each(lambda storage, o=owner: storage.fetch(Scope(o), list(range(1, 40))))
        for owner, session in self.sessions[-8:]:
            for window in (ReadWindow(last=2), ReadWindow(max_tokens=20)):
                self.each(lambda storage, o=owner, s=session, w=window: storage.snapshot(Scope(o, s), w))

    @invariant()
    def usages_agree(self) -> None:
        for owner in OWNERS:
            self.each(lambda storage, o=owner: _usage(storage, Scope(o)))

    @invariant()
    def feeds_agree(self) -> None:
        for owner in OWNERS:
            feeds: list[list[MemoryChange]] = []
            marks: list[ChangePosition] = []
            for storage, mark in zip(self.storages, self.marks[owner], strict=True):
                changes, reached = storage.changes(Scope(owner), mark, 1000)
                for index, change in enumerate(changes):
                    assert storage.changes(Scope(owner), change.position, 1000) == (changes[index + 1 :], reached)
                # Each storage chooses its own `life`.
                feeds.append([replace(change, position=change.position._replace(life=0)) for change in changes])
                marks.append(reached)
            assert feeds[0] == feeds[1]
            assert marks[0][:2] == marks[1][:2]
            self.marks[owner] = (marks[0], marks[1])

    @invariant()
    def store_is_healthy(self) -> None:
        for storage in self.storages:
            findings = storage.check().findings
            assert not findings, findings


def _rounded(found: list[VisibleMessage]) -> list[tuple[int, Message, float]]:
    return [(seen.number, seen.message, round(seen.score, 9)) for seen in found]


def _usage(storage: Storage, scope: Scope) -> tuple[int, int]:
    """How many sessions and messages an owner has. What they take depends on how they are written."""
    used = storage.usage(scope)
    return used.sessions, used.messages


def _tree(storage: Storage, scope: Scope) -> Any:
    """Return a session with all its branches, read in small pages, and the known ids of its messages."""
    first = storage.tree(scope, limit=3)
    messages, page = list(first.messages), first
    while page.messages:
        page = storage.tree(scope, messages[-1].seq, 3)
        messages += page.messages
    ids = [message.id for message in messages] + ["m1", "m2", "m3"]
    return first.session, first.leaf, messages, storage.known(scope, ids), storage.known(scope._replace(session=None), ids)


def _transplant(storage: Storage, scope: Scope, new: str, end: int, status: SessionStatus, forked: bool) -> None:
    tree = storage.tree(scope, limit=100)
    own = [message for message in tree.messages if not forked or message.session == scope.session]
    shown = [message for message in tree.messages if message not in own]
    fork = (scope.session or "", shown[-1].id) if shown else None
    expired = tree.session.expired and status is SessionStatus.DELETED  # as an import does
    bare = tree.session._replace(id=new, status=status, expired=expired, revision=1, head=0, summary=None, summarized=None)
    storage.create_session(scope.of(new), bare, fork)
    ids = {message.seq: message.id for message in shown} | {message.seq: f"{new} {message.id}" for message in own}
    parents = {message.seq: ids.get(message.parent) for message in own}
    planted = [PlacedMessage(message._replace(id=ids[message.seq]), parents[message.seq]) for message in own]
    storage.plant(scope.of(new), planted[:2], None, tree.session.touched)
    ends = [None, *ids.values()]
    storage.plant(scope.of(new), planted[2:], ends[end % len(ends)], tree.session.touched)


def _take_notes(storage: Any, scope: Scope, limit: int) -> Any:
    """Extract notes: each message becomes a fact, and a summary ends at the last one."""
    storage.begin_notes("notes")
    task = storage.claim("notes", "w", 0, 1, limit, scope)
    if task is None:
        return storage.waiting(scope, "notes")
    made = [_noted(seen) for seen in task.messages]
    last = task.messages[-1]
    summary = Artifact(
        f"sum{last.number}", "summary", last.message.text, 3, 1, last.message.session, (ArtifactSource(last.number),),
        upto=last.message.seq, data=SUMMARY,
    )  # fmt: skip
    settled = storage.settle_notes(task, ArtifactChanges([*made, summary]), 0)
    return task.messages, settled, storage.waiting(scope, "notes")


def _noted(seen: VisibleMessage) -> Artifact:
    number, message = seen.number, seen.message
    return Artifact(f"n{number}", "fact", message.text, 3, number, message.session, (ArtifactSource(number),), data=FACT)


def _outcome(verb: Callable[[Any], Any], memory: Any) -> Any:
    try:
        return verb(memory)
    except KeepsaidError as error:
        return type(error)


def _again(memory: Memory, owner: str, session: str, id: str) -> Any:
    """Add a message again, exactly as it is stored."""
    chat = memory._handle(Scope(owner, session), False)  # pyright: ignore[reportPrivateUsage]
    stored = chat.message(id)
    return chat.add(stored.role, stored.text, id=id, name=stored.name)


def _touch(memory: Memory, owner: str, session: str) -> None:
    """Restart the session's retention without changing anything else."""
    chat = memory.chat(owner=owner, session=session)
    chat.archive()
    chat.unarchive()


def _seen(memory: Memory, owner: str, session: str) -> Any:
    """Return everything that can be read of a session."""
    with suppress(NotFound):
        chat = memory.chat(owner=owner, session=session)
        seen = [chat.messages(), chat.messages(last=2), chat.messages(max_tokens=20), chat.branches()]
        page = chat.page(limit=2)
        seen += [page.items, chat.page(limit=2, cursor=page.next).items if page.next else None]
        newest = chat.page(limit=2, newest_first=True)
        return [*seen, newest.items, chat.page(limit=1, cursor=newest.next, newest_first=True).items if newest.next else 0]
    return None
