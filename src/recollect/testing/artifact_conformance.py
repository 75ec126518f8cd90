"""The conformance suite for artifacts and receipts: what every storage that keeps them must do, as tests.

Subclass it and give it a `storage` fixture. Messages come in through `Memory`, as users bring them; the note-taker's part is
done by `note_down`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import pytest

from recollect.chat import Chat
from recollect.engine.figures import DAY
from recollect.engine.intake import OVERHEAD
from recollect.engine.terms import terms
from recollect.errors import Conflict, NotFound
from recollect.memory import Memory
from recollect.ports import (
    ArtifactQuery,
    Artifacts,
    Checkup,
    Figures,
    Settled,
    Storage,
    StoredReceipt,
    Task,
    VectorMark,
    Vectors,
)
from recollect.reports import Usage
from recollect.storage.memory import MemoryStorage
from recollect.testing.clock import HandClock
from recollect.testing.conformance import COUNTER, WITH_RETENTION
from recollect.testing.index_conformance import EMBEDDER, GENERATION, MINUTE, drain, passages_of
from recollect.types import Access, Artifact, ArtifactKind, Draft, Filters, Scope, Source, Window, microseconds

LINE = "notes 1"
OWN = Scope("u1")


class ArtifactStorage(Storage, Vectors, Artifacts, Protocol):
    """A storage that keeps all that is made of messages."""


def artifact(id: str, kind: ArtifactKind = "fact", text: str = "User likes tea", **fields: Any) -> Artifact:
    """An artifact with what matters to a test."""
    return Artifact(id, kind, text, fields.pop("tokens", 5), fields.pop("created", 1), **fields)


def receipt(id: str, session: str, leaf: int, question: str | None = None, **fields: Any) -> StoredReceipt:
    """A receipt with what matters to a test."""
    given: dict[str, Any] = {"created": 1, "rewritten": None, "system": None, "data": {}, **fields}
    return StoredReceipt(id, session, leaf=leaf, question=question, **given)


def claimed(storage: ArtifactStorage, limit: int = 100, scope: Scope | None = None) -> Task:
    """The next messages that wait for the note-taker."""
    storage.begin_notes(LINE)
    task = storage.claim(LINE, "w1", 0, MINUTE, limit, scope)
    assert task is not None
    return task


def note_down(storage: ArtifactStorage, *made: Artifact, scope: Scope = OWN) -> None:
    """Keeps artifacts as the note-taker does."""
    assert storage.settle_notes(claimed(storage, scope=scope), Settled(made), 0)


def ids(storage: ArtifactStorage, kind: ArtifactKind = "fact", scope: Scope = OWN, **query: Any) -> list[str]:
    """Which artifacts a query finds."""
    return [one.id for one in storage.artifacts(scope, ArtifactQuery(kind, **query))]


def uptos(storage: ArtifactStorage, session: str, owner: str = "u1") -> list[int]:
    """Where the summaries end that are about a session's active path."""
    return [one.upto for one in storage.snapshot(Scope(owner, session), Window(last=1)).summaries]


class ArtifactConformance:
    """Every test is one promise."""

    @pytest.fixture
    def storage(self) -> Iterator[ArtifactStorage]:
        """An empty storage; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> HandClock:
        """The time, under the test's control."""
        return HandClock()

    @pytest.fixture
    def memory(self, storage: ArtifactStorage, clock: HandClock) -> Memory:
        """The door by which messages come in. The storage's own fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=WITH_RETENTION)

    @pytest.fixture
    def chat(self, memory: Memory) -> Chat:
        """A conversation of ten messages, numbered as they are counted."""
        chat = memory.chat(owner="u1", session="s", create=True)
        chat.add_many([Draft("user", f"message {number}", id=f"m{number}") for number in range(1, 11)])
        return chat

    @pytest.fixture(autouse=True)
    def healthy_in_the_end(self, storage: ArtifactStorage) -> Iterator[None]:
        """Whatever a test does, all that was made of messages agrees with them when it is over."""
        yield
        if isinstance(storage, Checkup):
            assert storage.check().findings == ()

    # -- keeping and finding

    def test_what_is_kept_comes_back(self, chat: Chat, storage: ArtifactStorage) -> None:
        made = [
            artifact(
                "a", "fact", "User's sister lives in São Paulo", session="s", sources=(Source(3, 2, 9), Source(1, 0, 4))
            ),
            artifact(
                "b", "fact", "User is vegan", created=2, valid_from=7, valid_to=9, pinned=True, data={"subject": "diet"}
            ),
            artifact("c", "tool", "weather: 22 °C", session="s", sources=(Source(2, 0, 3),), data={"tool": "weather"}),
            artifact("d", "summary", "They talked.", tokens=40, session="s", upto=8, data={"topics": ["a", {"b": None}]}),
            artifact("e", "label", "Travel", session="s", sources=(Source(1, 0, 5),), data={"tags": ["x"]}),
        ]
        note_down(storage, *made)
        kinds: tuple[ArtifactKind, ...] = ("fact", "tool", "summary", "label")
        found = [one for kind in kinds for one in storage.artifacts(OWN, ArtifactQuery(kind))]
        assert found == [made[1], made[0], *made[2:]]

    def test_the_same_id_again_replaces(self, chat: Chat, storage: ArtifactStorage) -> None:
        storage.keep_artifacts(OWN, Settled([artifact("a", text="User likes tea", sources=(Source(1, 0, 2),))]), 0)
        storage.keep_artifacts(OWN, Settled([artifact("a", text="User likes coffee", sources=(Source(2, 0, 2),))]), 0)
        assert [one.text for one in storage.artifacts(OWN, ArtifactQuery("fact"))] == ["User likes coffee"]
        assert ids(storage, terms=("tea",)) == ids(storage, numbers=(1,)) == []
        assert ids(storage, terms=("coffe",)) == ids(storage, numbers=(2,)) == ["a"]

    def test_a_fact_by_hand_needs_no_conversation(self, storage: ArtifactStorage) -> None:
        storage.keep_artifacts(Scope("new"), Settled([artifact("a")]), 0)
        assert ids(storage, scope=Scope("new")) == ["a"]
        assert ids(storage) == []

    def test_the_newest_come_first(self, chat: Chat, storage: ArtifactStorage) -> None:
        made = [artifact(f"f{number}", created=number % 4, valid_from=number) for number in range(12)]
        note_down(storage, *made)
        storage.keep_artifacts(
            OWN,
            Settled([artifact(f"s{upto}", "summary", created=20 - upto, session="s", upto=upto) for upto in (4, 9, 6)]),
            0,
        )
        order = sorted(range(12), key=lambda number: (-(number % 4), -number))
        assert ids(storage) == [f"f{number}" for number in order]
        assert ids(storage, limit=3) == [f"f{number}" for number in order[:3]]
        assert ids(storage, "summary") == ["s9", "s6", "s4"]

    def test_queries_narrow(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u1", session="other", create=True).add("user", "hello")
        note_down(
            storage,
            artifact("a", text="User's sister moved to Lisbon", session="s", sources=(Source(1, 0, 3),), pinned=True),
            artifact(
                "b",
                text="User drinks tea",
                session="s",
                sources=(Source(2, 0, 3), Source(3, 0, 3)),
                valid_to=50,
                data={"kind": "preference"},
            ),
            artifact("c", text="User prefers green tea", session="other", sources=(Source(11, 0, 3),), valid_from=50),
            artifact("d", text="User was born in May", data={"kind": "identity"}),
            artifact("t", "tool", "tea shop: open", session="s", sources=(Source(2, 0, 3),)),
            artifact("l", "label", "tea", session="s", sources=(Source(1, 0, 3),)),
        )
        queries: tuple[tuple[dict[str, Any], str], ...] = (
            ({}, "abcd"),
            ({"session": "s"}, "ab"),
            ({"session": "unknown"}, ""),
            ({"ids": ("a", "d", "unknown")}, "ad"),
            ({"terms": ("tea",)}, "bc"),
            ({"terms": ("lisbon", "tea")}, "abc"),
            ({"terms": ("user", "was")}, "abcd"),  # "was" is a stop word, "user" is not
            ({"terms": ("was",)}, ""),
            ({"numbers": (1, 3)}, "ab"),
            ({"numbers": (0, -1, 99, 1 << 40)}, ""),
            ({"numbers": (1,), "terms": ("tea",)}, "abc"),
            ({"numbers": (1,), "terms": ("tea",), "session": "other"}, "c"),
            ({"as_of": 49}, "abd"),
            ({"as_of": 50}, "acd"),
            ({"terms": ("tea",), "as_of": 60}, "c"),
            ({"pinned": True}, "a"),
            ({"pinned": False, "terms": ("lisbon", "tea")}, "bc"),
            ({"fact_kinds": ("preference", "identity")}, "bd"),
            ({"fact_kinds": ("preference",), "as_of": 50}, ""),
        )
        for query, wanted in queries:
            assert sorted(ids(storage, **query)) == list(wanted), query
        assert ids(storage, "tool", terms=("tea",)) == ids(storage, "tool", numbers=(2,)) == ["t"]
        assert ids(storage, "label", terms=("tea",)) == []
        assert ids(storage, "label", numbers=(1,)) == ["l"]

    def test_what_is_no_longer_true_is_kept_and_dated(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(storage, artifact("a", text="User lives in Porto"))
        new = artifact("b", text="User lives in Lisbon", valid_from=30)
        storage.keep_artifacts(OWN, Settled([new], {"a": 30, "unknown": 30}), 0)
        assert ids(storage, as_of=29) == ["a"]
        assert ids(storage, as_of=30) == ["b"]
        assert [one.valid_to for one in storage.artifacts(OWN, ArtifactQuery("fact", ids=("a",)))] == [30]

    def test_owners_see_their_own(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u2", session="s", create=True).add("user", "hello")
        mine = artifact("a", text="tea", session="s", sources=(Source(1, 0, 2),))
        note_down(storage, mine)
        note_down(storage, artifact("a", text="tea for two", session="s", sources=(Source(1, 0, 2),)), scope=Scope("u2"))
        storage.keep_receipts(OWN, [receipt("r", "s", 1, "mine")])
        assert storage.artifacts(OWN, ArtifactQuery("fact", terms=("tea",))) == [mine]
        assert storage.artifacts(Scope("u3"), ArtifactQuery("fact", terms=("tea",), numbers=(1,))) == []
        storage.keep_artifacts(Scope("u2"), Settled((), {"a": 5}), 0)
        assert storage.discard_artifacts(Scope("u2"), ["a"]) == 1
        assert storage.artifacts(OWN, ArtifactQuery("fact", numbers=(1,))) == [mine]
        with pytest.raises(NotFound):
            storage.receipt(Scope("u2"), "r")
        assert storage.receipts(Scope("u2")) == []
        with pytest.raises(NotFound):
            storage.snapshot(Scope("u3", "s"), Window())

    def test_a_pool_has_its_own(self, memory: Memory, storage: ArtifactStorage) -> None:
        team = memory.create_pool("team", owner="ann")
        for owner, access in (("bob", Access.WRITE), ("cid", Access.READ)):
            memory.grant(pool=team, by="ann", to=owner, access=access)
        chat = memory.chat(owner="ann", pool=team, session="s", create=True)
        chat.add("user", "we deploy on Monday")
        bob, cid = Scope("bob", None, team), Scope("cid", None, team)
        storage.keep_artifacts(bob, Settled([artifact("a", text="The team deploys on Monday", session="s")]), 0)
        assert ids(storage, scope=cid, terms=("deploy",)) == ["a"]
        assert ids(storage, scope=Scope("bob")) == []
        for use in (
            lambda: storage.keep_artifacts(cid, Settled([artifact("b")]), 0),
            lambda: storage.discard_artifacts(cid, ["a"]),
            lambda: storage.artifacts(Scope("dan", None, team), ArtifactQuery("fact")),
            lambda: storage.snapshot(Scope("dan", "s", team), Window()),
            lambda: storage.fetch(Scope("dan", None, team), [1]),
            lambda: storage.receipts(Scope("dan", None, team)),
            lambda: storage.keep_receipts(Scope("dan", None, team), [receipt("x", "s", 1)]),
        ):
            with pytest.raises(NotFound):
                use()
        storage.keep_receipts(bob, [receipt("rb", "s", 1, "asked by Bob")])
        storage.keep_receipts(cid, [receipt("rc", "s", 1, "asked by Cid")])
        assert [(one.id, one.author) for one in storage.receipts(cid)] == [("rc", "cid")]
        with pytest.raises(NotFound):
            storage.receipt(cid, "rb")
        memory.erase(owner="bob")
        assert storage.receipts(cid)[0].question == "asked by Cid"
        memory.grant(pool=team, by="ann", to="bob", access=Access.WRITE)
        assert storage.receipts(bob) == []

    def test_discarded_is_gone(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(storage, *(artifact(id, text=f"tea {id}", sources=(Source(1, 0, 2),)) for id in "abc"))
        assert storage.discard_artifacts(OWN, ["a", "c", "c", "unknown"]) == 2
        assert storage.discard_artifacts(OWN, ["a"]) == 0
        assert ids(storage) == ids(storage, terms=("tea",)) == ids(storage, numbers=(1,)) == ["b"]

    # -- the line of work

    def test_a_line_of_notes_is_no_generation(self, chat: Chat, storage: ArtifactStorage) -> None:
        storage.begin_notes(LINE)
        storage.begin_notes(LINE)
        assert storage.generations() == []
        assert storage.drop_generation(LINE) == 0
        assert storage.waiting(OWN, LINE) == 10
        assert storage.coverage(LINE).embedded == 0
        with pytest.raises(Conflict):
            storage.begin_generation(LINE, 4)
        drain(storage)
        with pytest.raises(Conflict):
            storage.begin_notes(GENERATION)
        assert storage.waiting(OWN, LINE) == 10
        note_down(storage)
        assert storage.waiting(OWN, LINE) == 0
        assert storage.coverage(GENERATION).passages == 10
        assert [generation.name for generation in storage.generations()] == [GENERATION]
        with pytest.raises(NotFound):
            storage.claim("never begun", "w1", 0, MINUTE, 5)

    def test_work_is_leased_and_settled_once(self, chat: Chat, storage: ArtifactStorage) -> None:
        task = claimed(storage, 4)
        assert [seen.number for seen in task.messages] == [1, 2, 3, 4]
        assert {seen.message.session for seen in task.messages} == {"s"}
        assert storage.claim(LINE, "w2", MINUTE - 1, 2 * MINUTE, 4) is None
        taken = storage.claim(LINE, "w2", MINUTE, 2 * MINUTE, 4)
        assert taken is not None
        assert not storage.settle_notes(task, Settled([artifact("late")]), 0)
        assert not storage.settle_task(taken, [], 0)
        storage.release(taken)
        again = claimed(storage, 6)
        made = artifact("a", session="s", sources=(Source(6, 0, 1),))
        assert storage.settle_notes(again, Settled([made]), 0)
        assert not storage.settle_notes(again, Settled([artifact("twice")]), 0)
        assert storage.artifacts(OWN, ArtifactQuery("fact")) == [made]
        assert [seen.number for seen in claimed(storage).messages] == [7, 8, 9, 10]

    def test_looking_in_vain_changes_nothing(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(storage)
        before = storage.stamp()
        assert storage.claim(LINE, "w1", 0, MINUTE, 4) is None
        assert storage.stamp() == before

    def test_no_notes_are_taken_of_documents(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        shelf = Scope("u1", "guide.md", None, True)
        storage.create_session(shelf._replace(session=None), chat.info()._replace(id="guide.md"))
        storage.append(shelf, [chat.messages()[0]._replace(id="chunk")], 0)
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        assert storage.waiting(shelf, GENERATION) == 1
        note_down(storage)
        assert storage.waiting(shelf, LINE) == 0
        assert storage.claim(LINE, "w1", 0, MINUTE, 4) is None
        assert storage.claim(LINE, "w1", 0, MINUTE, 4, shelf) is None
        assert drain(storage) > 0
        assert storage.waiting(shelf, GENERATION) == 0

    def test_nothing_is_kept_of_what_went_meanwhile(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u1", session="going", create=True).add("user", "hello")
        note_down(storage, artifact("s1", "summary", session="s", upto=3))
        chat.erase("m3")
        storage.mark(Scope("u1", "s"), "m5", 0, private=True)
        memory.erase(owner="u1", session="going")
        chat.add("user", "more")
        made = [
            artifact("a", sources=(Source(2, 0, 1), Source(3, 0, 1))),
            artifact("b", sources=(Source(5, 0, 1),)),
            artifact("c", sources=(Source(99, 0, 1),)),
            artifact("d", session="going"),
            artifact("e", "summary", session="s", upto=3),
            artifact("f", "summary", session="s", upto=8, data={"previous": "s1"}),
            artifact("good", session="s", sources=(Source(2, 0, 1),)),
        ]
        assert storage.settle_notes(claimed(storage), Settled(made), 0)
        assert ids(storage) == ["good"]
        assert ids(storage, "summary") == []
        storage.keep_artifacts(OWN, Settled(made), 0)
        assert ids(storage) == ["good"]

    def test_notes_are_taken_anew_when_something_went_meanwhile(
        self, chat: Chat, memory: Memory, storage: ArtifactStorage
    ) -> None:
        """They may be made of what went, though they do not name it."""
        other = memory.chat(owner="u1", session="other", create=True)
        other.add("user", "hello")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        embedding = storage.claim(GENERATION, "w1", 0, MINUTE, 100)
        made = Settled([artifact("a", text="made of three")])
        for goes in (
            lambda: chat.erase("m3"),
            lambda: storage.mark(Scope("u1", "s"), "m5", 0, private=True),
            lambda: memory.erase(owner="u1", session="other"),
        ):
            task = claimed(storage)
            goes()
            assert not storage.settle_notes(task, made, 0)
            assert storage.waiting(OWN, LINE) > 0
        storage.keep_artifacts(OWN, Settled([artifact("other")]), 0)
        task = claimed(storage)
        chat.add("user", "what is added hurts nobody")
        chat.pin("m1")
        assert storage.settle_notes(task, made, 0)
        assert ids(storage) == ["a", "other"]
        assert embedding is not None
        assert storage.settle_task(embedding, passages_of(embedding), 0)

    # -- summaries and snapshots

    def test_a_snapshot_has_what_a_context_needs(self, chat: Chat, storage: ArtifactStorage) -> None:
        scope = Scope("u1", "s")
        for id in ("m2", "m5", "m9"):
            chat.pin(id)
        chat.update(title="Tea", system_prompt="Be brief.")
        said = chat.messages()
        cost = said[0].tokens
        for window, first in (
            (Window(last=4), 7),
            (Window(max_tokens=3 * cost), 8),
            (Window(last=2, max_tokens=9 * cost), 9),
            (Window(), 1),
            (Window(last=99), 1),
            (Window(last=0), 11),
            (Window(max_tokens=0), 11),
        ):
            found = storage.snapshot(scope, window)
            assert [seen.message for seen in found.tail] == storage.read(scope, window) == said[first - 1 :], window
            assert [seen.number for seen in found.tail] == list(range(first, 11))
            assert [seen.number for seen in found.pinned] == [n for n in (2, 5, 9) if n < first], window
            assert all(seen.message.pinned for seen in found.pinned)
            assert found.session == storage.get_session(scope)
            assert found.summaries == []
        chat.delete()
        with pytest.raises(NotFound):
            storage.snapshot(scope, Window())

    def test_summaries_belong_to_a_path(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(storage, *(artifact(f"s{upto}", "summary", session="s", upto=upto) for upto in (8, 3, 6)))
        assert uptos(storage, "s") == [3, 6, 8]
        chat.edit("m5", "another five")  # seq 11 follows seq 4
        chat.add_many([Draft("user", "six", id="m12"), Draft("user", "seven", id="m13")])
        assert uptos(storage, "s") == [3]
        storage.keep_artifacts(OWN, Settled([artifact("s12", "summary", session="s", upto=12)]), 0)
        assert uptos(storage, "s") == [3, 12]
        chat.switch("m10")
        assert uptos(storage, "s") == [3, 6, 8]
        chat.switch("m7")
        assert uptos(storage, "s") == [3, 6]
        chat.clear()
        assert uptos(storage, "s") == []

    def test_pins_are_those_of_the_path(self, chat: Chat, storage: ArtifactStorage) -> None:
        for id in ("m2", "m6"):
            chat.pin(id)
        chat.edit("m5", "another five", id="m11")
        chat.pin("m11")
        chat.add("user", "last")
        found = storage.snapshot(Scope("u1", "s"), Window(last=1))
        assert [seen.message.id for seen in found.pinned] == ["m2", "m11"]
        fork = chat.fork("m11", session="f")
        fork.add("user", "in the fork")
        found = storage.snapshot(Scope("u1", "f"), Window(last=1))
        assert [(seen.message.id, seen.message.session) for seen in found.pinned] == [("m2", "f"), ("m11", "f")]
        chat.clear()
        assert storage.snapshot(Scope("u1", "s"), Window()).pinned == []

    def test_a_fork_has_summaries_of_its_own(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(storage, artifact("s6", "summary", session="s", upto=6))
        fork = chat.fork("m7", session="f")
        assert uptos(storage, "f") == []
        fork.add("user", "in the fork", id="f8")  # seq 8 of the fork, not of its origin
        storage.keep_artifacts(
            OWN, Settled([artifact("f6", "summary", session="f", upto=6), artifact("f8", "summary", session="f", upto=8)]), 0
        )
        assert uptos(storage, "f") == [6, 8]
        assert uptos(storage, "s") == [6]
        chat.erase("m8")
        assert uptos(storage, "f") == [6, 8]
        fork.erase("f8")
        assert (uptos(storage, "f"), uptos(storage, "s")) == ([6], [6])
        chat.erase("m2")
        assert (uptos(storage, "f"), uptos(storage, "s")) == ([], [])

    def test_the_session_has_its_newest_summary(self, chat: Chat, storage: ArtifactStorage) -> None:
        before = chat.info()
        note_down(
            storage,
            artifact("new", "summary", "up to eight", session="s", upto=8, created=70),
            artifact("old", "summary", "up to four", session="s", upto=4, created=90),
        )
        after = chat.info()
        assert (after.summary, after.summarized, after.revision) == ("up to eight", 70, before.revision)
        chat.update(title="a change by hand", expected_revision=before.revision)
        again = artifact("again", "summary", "up to eight, again", session="s", upto=8, created=95)
        storage.keep_artifacts(OWN, Settled([again]), 0)
        assert ids(storage, "summary") == ["again", "old"]
        assert (chat.info().summary, chat.info().title) == ("up to eight, again", "a change by hand")
        storage.discard_artifacts(OWN, ["again"])
        assert (chat.info().summary, chat.info().summarized) == ("up to four", 90)
        storage.discard_artifacts(OWN, ["old"])
        assert (chat.info().summary, chat.info().summarized) == (None, None)

    def test_old_summaries_go_unless_a_receipt_names_them(self, chat: Chat, storage: ArtifactStorage) -> None:
        chat.add_many([Draft("user", f"message {number}") for number in range(11, 21)])
        for upto in range(1, 13):
            storage.keep_artifacts(OWN, Settled([artifact(f"s{upto}", "summary", session="s", upto=upto)]), 0)
            if upto in (2, 3):
                storage.keep_receipts(OWN, [receipt(f"r{upto}", "s", upto, data={"summary": f"s{upto}"})])
        assert uptos(storage, "s") == [2, 3, *range(5, 13)]
        storage.drop_receipts(100, 100)
        storage.keep_artifacts(OWN, Settled([artifact("s13", "summary", session="s", upto=13)]), 0)
        assert uptos(storage, "s") == list(range(6, 14))

    # -- going away

    def test_an_erased_message_takes_along_what_rests_on_it(self, chat: Chat, storage: ArtifactStorage) -> None:
        note_down(
            storage,
            artifact("a", text="rests on three and four", sources=(Source(3, 0, 1), Source(4, 0, 1))),
            artifact("b", text="rests on four", sources=(Source(4, 0, 1),)),
            artifact("hand", text="rests on nothing"),
            artifact("t", "tool", "rests on three", sources=(Source(3, 0, 1),)),
            artifact("s2", "summary", "two", session="s", upto=2),
            artifact("s3", "summary", "three", session="s", upto=3),
            artifact("s9", "summary", "nine", session="s", upto=9),
        )
        done = chat.erase("m3")
        assert done.derived == 4
        assert "artifacts" in done.verified
        assert sorted(ids(storage)) == ["b", "hand"]
        assert (ids(storage, "tool"), ids(storage, "summary")) == ([], ["s2"])
        assert ids(storage, terms=("three",)) == ids(storage, numbers=(3,)) == []
        assert chat.info().summary == "two"

    def test_a_summary_of_another_branch_stays(self, chat: Chat, storage: ArtifactStorage) -> None:
        chat.edit("m3", "another three", id="m11")
        chat.add("user", "another four")
        storage.keep_artifacts(
            OWN, Settled([artifact(f"s{upto}", "summary", session="s", upto=upto) for upto in (2, 8, 12)]), 0
        )
        chat.erase("m5")
        assert ids(storage, "summary") == ["s12", "s2"]
        chat.erase("m11")
        assert ids(storage, "summary") == ["s2"]

    def test_a_label_goes_with_the_title_it_gave(self, memory: Memory, storage: ArtifactStorage) -> None:
        cases = (("as-made", "Secrets", ["x", "y"]), ("renamed", "My own", ["x", "z"]))
        for number, (session, title, tags) in enumerate(cases, 1):
            chat = memory.chat(owner="u1", session=session, create=True)
            message = chat.add("user", "a secret")
            label = artifact(
                f"l-{session}", "label", "Secrets", session=session, sources=(Source(number),), data={"tags": ["x", "y"]}
            )
            storage.keep_artifacts(OWN, Settled([label]), 0)
            chat.update(title=title, tags=tags)
            revision = chat.info().revision
            chat.erase(message.id)
            expected = (None, ()) if session == "as-made" else (title, tuple(tags))
            assert (chat.info().title, chat.info().tags) == expected
            assert chat.info().revision == revision
        assert ids(storage, "label") == []
        assert [one.id for one in memory.sessions(owner="u1", tag="x")] == ["renamed"]

    def test_sessions_and_owners_take_all_along(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u1", session="other", create=True).add("user", "hello")
        note_down(
            storage,
            artifact("a", session="s", sources=(Source(1, 0, 1),)),
            artifact("b", session="s"),
            artifact("c", session="other", sources=(Source(11, 0, 1), Source(2, 0, 1))),
            artifact("d", session="other", sources=(Source(11, 0, 1),)),
            artifact("hand"),
            artifact("s5", "summary", session="s", upto=5),
        )
        storage.keep_receipts(OWN, [receipt("r", "s", 1), receipt("q", "other", 1)])
        memory.erase(owner="u1", session="s")
        assert sorted(ids(storage)) == ["d", "hand"]
        assert ids(storage, "summary") == []
        assert [one.id for one in storage.receipts(OWN)] == ["q"]
        again = memory.chat(owner="u1", session="s", create=True)
        assert (ids(storage, session="s"), uptos(storage, "s"), again.info().summary) == ([], [], None)
        assert memory.erase(owner="u1").derived >= 3
        assert ids(storage) == []
        assert storage.receipts(OWN) == []

    def test_retention_takes_all_along(self, chat: Chat, memory: Memory, storage: ArtifactStorage, clock: HandClock) -> None:
        fork = chat.fork("m4", session="f")
        note_down(
            storage,
            artifact("in the fork", session="f", sources=(Source(2, 0, 1),)),
            artifact("of what went", session="f", sources=(Source(7, 0, 1),)),
            artifact("s5", "summary", session="s", upto=5),
            artifact("f4", "summary", session="f", upto=4),
        )
        storage.keep_receipts(OWN, [receipt("r", "s", 1)])
        chat.delete()
        clock.turn(days=29)
        fork.add("user", "still here")
        clock.turn(days=2)
        assert memory.retention(dry_run=False).purged == 1
        assert (ids(storage), ids(storage, "summary"), storage.receipts(OWN)) == (["in the fork"], ["f4"], [])

    def test_facts_outlive_an_expired_session(
        self, chat: Chat, memory: Memory, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        chat.switch("m8")
        note_down(
            storage,
            artifact(
                "kept", text="User has a sister", session="s", sources=(Source(2, 0, 1), Source(3, 4, 5)), valid_from=7
            ),
            artifact("on another branch", session="s", sources=(Source(9, 0, 1),)),
            artifact("note", "tool", session="s", sources=(Source(3, 0, 1),)),
            artifact("s5", "summary", session="s", upto=5),
        )
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 1
        assert sorted(ids(storage)) == ["kept", "on another branch"]
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert (ids(storage), ids(storage, "tool"), ids(storage, "summary")) == (["kept"], [], [])
        (kept,) = storage.artifacts(OWN, ArtifactQuery("fact", terms=("sister",), as_of=8))
        assert (kept.text, kept.session, kept.sources, kept.valid_from) == ("User has a sister", None, (), 7)
        again = memory.chat(owner="u1", session="s", create=True)
        again.add("user", "message 2", id="m2")
        again.erase()
        assert ids(storage) == ["kept"]
        assert memory.erase(owner="u1").derived == 1
        assert ids(storage) == []

    def test_facts_go_with_an_expired_session_that_is_erased(
        self, chat: Chat, memory: Memory, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        note_down(storage, artifact("a", session="s", sources=(Source(2, 0, 1),)))
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 1
        chat.erase()
        assert ids(storage) == []

    def test_facts_go_with_an_expired_session_if_they_are_to_be_purged(
        self, chat: Chat, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        settings = replace(WITH_RETENTION, retention_facts="purge")
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=settings)
        note_down(storage, artifact("a", session="s", sources=(Source(2, 0, 1),)), artifact("by hand"))
        for _ in range(2):
            clock.turn(days=31)
            assert memory.retention(dry_run=False).total == 1
        assert ids(storage) == ["by hand"]

    def test_facts_go_with_what_was_restored_and_deleted(
        self, chat: Chat, memory: Memory, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        note_down(storage, artifact("a", session="s", sources=(Source(2, 0, 1),)))
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 1
        chat.restore()
        chat.delete()
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert ids(storage) == []

    def test_a_kept_fact_rests_on_what_a_fork_still_shows(
        self, chat: Chat, memory: Memory, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        forks = [chat.fork("m4", session=f"f{number}") for number in (1, 2)]
        note_down(
            storage,
            artifact("shown", session="s", sources=(Source(2, 0, 1), Source(7, 0, 1))),
            artifact("not shown", session="s", sources=(Source(6, 0, 1),)),
        )
        for fork in forks:
            fork.update(pinned=True)
        for _ in range(2):
            clock.turn(days=31)
            assert memory.retention(dry_run=False).total == 1
        found = {one.id: (one.session, one.sources) for one in storage.artifacts(OWN, ArtifactQuery("fact"))}
        assert found == {"shown": (None, (Source(2, 0, 1),)), "not shown": (None, ())}
        forks[0].erase()
        assert len(ids(storage)) == 2
        forks[1].erase("m2")
        assert ids(storage) == ["not shown"]

    def test_facts_of_a_pool_go_with_the_messages_of_their_authors(
        self, memory: Memory, storage: ArtifactStorage, clock: HandClock
    ) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1", session="s", create=True, pool=pool).add("user", "tea")
        team = Scope("u1", None, pool)
        note_down(storage, artifact("a", session="s", sources=(Source(1, 0, 1),)), scope=team)
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 1
        assert ids(storage, scope=team) == ["a"]
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert ids(storage, scope=team) == []

    # -- receipts

    def test_a_receipt_comes_back_as_it_was(self, chat: Chat, storage: ArtifactStorage) -> None:
        data = {"summary": "s1", "recalled": [[3, 0.25], None], "hash": "ü"}
        made = [
            receipt(f"r{number}", "s", number, f"question {number}", created=number // 2, system="Be brief.", data=data)
            for number in range(6)
        ]
        storage.keep_receipts(OWN, made)
        storage.keep_receipts(OWN, [receipt("r9", "s", 9, None, created=9, system="Be long.", rewritten="in full")])
        assert storage.receipt(OWN, "r3") == replace(made[3], author="u1")
        assert storage.receipt(Scope("u1", "s"), "r9").system == "Be long."
        assert [one.id for one in storage.receipts(OWN)] == ["r9", "r5", "r4", "r3", "r2", "r1", "r0"]
        assert [one.id for one in storage.receipts(Scope("u1", "s"), before=2, limit=3)] == ["r3", "r2", "r1"]
        storage.keep_receipts(OWN, [receipt("r3", "s", 3, "asked anew", created=1)])
        assert (storage.receipt(OWN, "r3").question, storage.receipt(OWN, "r3").system) == ("asked anew", None)
        assert len(storage.receipts(OWN)) == 7

    def test_receipts_are_found_where_they_belong(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u1", session="other", create=True)
        storage.keep_receipts(OWN, [receipt("r", "s", 1), receipt("gone", "unknown", 1)])
        assert storage.receipts(Scope("u1", "other")) == []
        for use in (
            lambda: storage.receipt(OWN, "gone"),
            lambda: storage.receipt(OWN, "unknown"),
            lambda: storage.receipt(Scope("u1", "other"), "r"),
            lambda: storage.receipts(Scope("u1", "unknown")),
        ):
            with pytest.raises(NotFound):
                use()
        chat.delete()
        assert storage.receipts(OWN) == []
        with pytest.raises(NotFound):
            storage.receipt(OWN, "r")
        chat.restore()
        assert storage.receipt(OWN, "r").session == "s"

    def test_an_erased_message_leaves_no_words_in_receipts(self, chat: Chat, storage: ArtifactStorage) -> None:
        chat.fork("m10", session="f")
        storage.keep_receipts(
            OWN,
            [
                receipt("before", "s", 3, "what was three?", rewritten="before"),
                receipt("for", "s", 4, "five, but asked otherwise", rewritten="for it"),
                receipt("same", "s", 2, "message 5", rewritten="the same words"),
                receipt("after", "s", 8, "and then?", rewritten="what came after five?"),
                receipt("fork", "f", 10, "in the fork", rewritten="in the fork, after five"),
            ],
        )
        chat.erase("m5")
        left = {one.id: (one.question, one.rewritten) for one in storage.receipts(OWN)}
        assert left == {
            "before": ("what was three?", "before"),
            "for": (None, None),
            "same": (None, None),
            "after": ("and then?", None),
            "fork": ("in the fork", None),
        }

    def test_old_receipts_are_dropped(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        memory.chat(owner="u2", session="s", create=True)
        storage.keep_receipts(OWN, [receipt(f"r{number}", "s", 1, created=number) for number in range(5)])
        storage.keep_receipts(Scope("u2"), [receipt("r", "s", 1, created=2)])
        assert storage.drop_receipts(0, 10) == 0
        assert storage.drop_receipts(3, 2) == 2
        assert storage.drop_receipts(3, 10) == 2
        assert [one.id for one in storage.receipts(OWN)] == ["r4", "r3"]
        assert storage.receipts(Scope("u2")) == []

    # -- private messages, and messages by number

    def test_a_private_message_is_read_but_never_found(self, chat: Chat, storage: ArtifactStorage) -> None:
        chat.add_many([Draft("user", "my pin is 4711", id="p", private=True, name="Ann"), Draft("user", "a pin", id="q")])
        scope = Scope("u1", "s")
        assert chat.message("p").private
        assert [message.private for message in chat.messages(last=2)] == [True, False]
        assert storage.snapshot(scope, Window(last=2)).tail[0].message.private
        assert found(storage, "pin 4711 ann") == ["q"]
        assert [seen.message.id for seen in storage.look(OWN, [11])] == []
        assert sorted(seen.message.id for seen in storage.look(OWN, [11, 12], 2)) == ["m10", "q"]
        task = claimed(storage)
        assert [seen.message.private for seen in task.messages][-2:] == [True, False]
        drain(storage)
        assert storage.passages(OWN, GENERATION, [11]) == []
        assert len(storage.passages(OWN, GENERATION, [10, 12])) == 2

    def test_the_words_may_ask_for_privacy(self, chat: Chat) -> None:
        asked = chat.add("user", "Never remember this: my PIN is 4711.")
        told = chat.add("assistant", "Your PIN is 4711.")
        (meant,) = chat.add_many([Draft("user", "Never remember this: it is a song title.", private=False)])
        quoted = chat.add("assistant", "Never remember this: my PIN is 4711.")
        assert [message.private for message in (asked, told, meant, quoted)] == [True, True, False, False]

    def test_a_message_made_private_is_forgotten(self, chat: Chat, storage: ArtifactStorage) -> None:
        scope = Scope("u1", "s")
        drain(storage)
        note_down(
            storage,
            artifact("a", sources=(Source(5, 0, 1),)),
            artifact("b", sources=(Source(4, 0, 1),)),
            artifact("s4", "summary", session="s", upto=4),
            artifact("s5", "summary", session="s", upto=5),
        )
        before = storage.vectors(OWN, GENERATION, VectorMark())
        marked = storage.mark(scope, "m5", 0, private=True)
        assert marked.private
        assert storage.mark(scope, "m5", 0, private=True, pinned=True).pinned
        assert (ids(storage), ids(storage, "summary")) == (["b"], ["s4"])
        assert found(storage, "5") == []
        assert storage.passages(OWN, GENERATION, [5]) == []
        after = storage.vectors(OWN, GENERATION, before.mark)
        assert after.fresh
        assert 5 not in after.numbers
        assert [message.id for message in chat.messages()] == [f"m{number}" for number in range(1, 11)]

    def test_a_message_made_public_is_taken_up_anew(self, chat: Chat, storage: ArtifactStorage) -> None:
        scope = Scope("u1", "s")
        storage.mark(scope, "m5", 0, private=True)
        drain(storage)
        note_down(storage)
        assert not storage.mark(scope, "m5", 0, private=False).private
        assert storage.mark(scope, "m5", 0, private=False).seq == 5
        assert found(storage, "5") == ["m5"]
        assert [message.id for message in chat.messages()] == [f"m{number}" for number in range(1, 11)]
        (seen,) = claimed(storage).messages
        assert seen.message.id == "m5"
        drain(storage)
        assert len(storage.passages(OWN, GENERATION, [seen.number])) == 1
        assert storage.waiting(OWN, GENERATION) == 0

    def test_privacy_in_a_long_history(self, chat: Chat, storage: ArtifactStorage) -> None:
        """Some of the messages are in the keyword index by now, and some are not yet."""
        chat.add_many([Draft("user", f"tea number n{number}", id=f"t{number}") for number in range(300)])
        scope = Scope("u1", "s")
        for number in (0, 100, 150, 299):
            assert found(storage, f"n{number}") == [f"t{number}"]
            storage.mark(scope, f"t{number}", 0, private=True)
            assert found(storage, f"n{number}") == []
        assert len(found(storage, "tea")) == 296
        for number in (100, 299):
            storage.mark(scope, f"t{number}", 0, private=False)
            assert found(storage, f"n{number}") == [f"t{number}"]
        chat.erase("t150")
        chat.add_many([Draft("user", f"more {number}") for number in range(200)])
        assert found(storage, "n100 n299 n0 n150") == ["t299", "t100"]

    def test_messages_by_number(self, chat: Chat, memory: Memory, storage: ArtifactStorage) -> None:
        chat.edit("m5", "another five", id="m11")
        other = memory.chat(owner="u1", session="other", create=True)
        other.add("user", "elsewhere", id="e")
        other.delete()
        chat.erase("m3")
        seen = storage.fetch(OWN, [12, 3, 5, 11, 2, 2, 99, 0, -4])
        assert [(one.number, one.message.id, one.message.session) for one in seen] == [
            (2, "m2", "s"), (5, "m5", "s"), (11, "m11", "s"), (12, "e", "other"),
        ]  # fmt: skip
        assert seen[0].message == chat.message("m2")
        assert storage.fetch(Scope("u2"), [1, 2]) == []

    # -- figures

    def test_figures_of_steps_of_time(self, storage: ArtifactStorage, memory: Memory, clock: HandClock) -> None:
        assert isinstance(storage, Figures)
        start = microseconds(clock())
        chat = memory.chat(owner="f1", session="a", create=True)
        chat.add("user", "Tea, please.")
        clock.turn(days=2)
        chat.edit(chat.messages()[0].id, "Water, please.")
        memory.chat(owner="f1", session="b", create=True).add_many([Draft("user", f"n{n}") for n in range(300)])
        memory.chat(owner="f1", session="c", create=True).add("user", "Gone soon.")
        memory.chat(owner="f1", session="c").delete()
        memory.chat(owner="f1", session="d", create=True).archive()
        memory.chat(owner="f2").add("user", "Somebody else's.")
        clock.turn(days=1)
        memory.remember("Likes tea", owner="f1")
        until = microseconds(clock())
        own = storage.figures(Scope("f1"), start, until + 1, DAY)
        assert (own.owners, own.active, own.archived, own.deleted) == (1, 2, 1, 1)
        assert (own.messages, own.facts, own.documents) == (301, 1, 0)
        assert own.tokens == sum(session.token_count for session in memory.sessions(owner="f1"))
        assert [step.messages for step in own.steps] == [1, 0, 302, 0]
        assert [step.sessions for step in own.steps] == [1, 0, 2, 0]
        assert own.steps[0].bytes == len("Tea, please.")
        assert own.steps[0].tokens == COUNTER.count("Tea, please.") + OVERHEAD
        everybody = storage.figures(None, start, until, DAY)
        assert (everybody.owners, everybody.messages) == (2, 302)
        assert [step.messages for step in everybody.steps] == [1, 0, 303]
        assert storage.figures(Scope("nobody"), start, until, DAY)[:-2] == (0, 0, 0, 0, 0, 0, 0, 0)
        # Only the time asked for is counted, whatever stretch of messages it is in.
        later = storage.figures(Scope("f1"), start + DAY, until, DAY)
        assert [step.messages for step in later.steps] == [0, 302]

    def test_figures_of_prompts_and_summaries(self, storage: ArtifactStorage, chat: Chat) -> None:
        assert isinstance(storage, Figures)
        scope = Scope("u1", chat.id)
        waits = [receipt(f"r{n}", chat.id, 1, created=10 * n, data={"ms": 9.5 - n}) for n in range(4)]
        storage.keep_receipts(scope, [*waits, receipt("old", chat.id, 1, created=5)])
        # Of five summaries of one line, newer ones have replaced two.
        for nth, upto in ((1, 2), (3, 4), (5, 6)):
            made = artifact(f"s{nth}", "summary", "Tea.", created=10 * nth, session=chat.id, upto=upto, data={"nth": nth})
            storage.keep_artifacts(scope, Settled((made,)), 0)
        counted = storage.figures(OWN, 0, 55, 20)
        assert [list(step.waits) for step in counted.steps] == [[8.5, 9.5], [6.5, 7.5], []]
        assert [step.summaries for step in counted.steps] == [1, 2, 2]

    def test_figures_of_tokens_in_prompts(self, storage: ArtifactStorage, chat: Chat) -> None:
        assert isinstance(storage, Figures)
        told: list[dict[str, Any]] = [{"tokens": 100}, {"tokens": 50, "reused": 40}, {"reused": 7}, {"tokens": "x"}, {}]
        kept = [receipt(f"r{n}", chat.id, 1, created=10 * n, data=data) for n, data in enumerate(told)]
        storage.keep_receipts(Scope("u1", chat.id), kept)
        steps = storage.figures(OWN, 0, 50, 20).steps
        assert [(step.prompt_tokens, step.reused_tokens) for step in steps] == [(150, 40), (0, 7), (0, 0)]

    def test_what_an_owner_has(self, storage: ArtifactStorage, memory: Memory) -> None:
        assert isinstance(storage, Figures)
        assert storage.usage(Scope("f1")) == memory.usage(owner="f1") == Usage()
        chat = memory.chat(owner="f1")
        first = chat.add("user", "Café")
        chat.edit(first.id, "Tea")
        memory.chat(owner="f1").delete()
        memory.chat(owner="f2").add("user", "Somebody else's.")
        assert storage.usage(Scope("f1")) == Usage(2, 2, len("Café".encode()) + len("Tea"))
        before = storage.usage(Scope("f1")).bytes
        noted = chat.add("user", "x", metadata={"note": "y" * 100})
        assert storage.usage(Scope("f1")).bytes > before + 100
        chat.erase(noted.id)
        memory.ingest("a.md", content="Twelve bytes", owner="f1")
        own = storage.usage(Scope("f1"))
        assert (own.messages, own.bytes > before + len("Twelve bytes")) == (2, True)
        memory.erase(owner="f1")
        assert storage.usage(Scope("f1")) == Usage()
        team = memory.create_pool("team", owner="f2")
        memory.chat(owner="f2", pool=team).add("user", "Tea")
        assert memory.usage(owner="f2", pool=team) == Usage(1, 1, 3)
        with pytest.raises(NotFound):
            memory.usage(owner="f1", pool=team)


def found(storage: ArtifactStorage, query: str) -> list[str]:
    """The ids of what is found by words."""
    wanted = list(dict.fromkeys(terms(query)))
    return [seen.message.id for seen in storage.find(OWN, wanted, Filters(), 500).messages]
