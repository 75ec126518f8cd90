"""The conformance suite: what every storage must do, as tests. Subclass it and give it a `storage` fixture.

The tests speak to the storage through `Memory`, as users do; `other` is a second memory over the same storage, as a second
door would have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recollect.config import Settings
from recollect.engine.terms import terms
from recollect.errors import Conflict, Erased, IllegalMove, MessageConflict, NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.ports import Checkup, Marks, Seen, Storage
from recollect.storage.memory import MemoryStorage
from recollect.testing.clock import HandClock
from recollect.testing.transfer_conformance import TransferConformance
from recollect.tokens import counter_for
from recollect.types import Access, Change, Draft, Filters, Mark, Message, Part, Role, Scope, Status, ToolCall

COUNTER = counter_for("o200k_base")
WITH_RETENTION = Settings(retention_active_days=30.0, retention_archived_days=90.0)


def found(memory: Memory, query: str, *, owner: str, pool: str | None = None, limit: int = 10) -> list[Seen]:
    """What the storage itself finds by words, before any ranking."""
    storage: Storage = memory._storage  # pyright: ignore[reportPrivateUsage]
    return storage.find(Scope(owner, None, pool), list(dict.fromkeys(terms(query))), Filters(), limit).messages


class StorageConformance(TransferConformance):
    """Every test is one promise."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """An empty storage; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> HandClock:
        """The time, under the test's control."""
        return HandClock()

    @pytest.fixture
    def memory(self, storage: Storage, clock: HandClock) -> Memory:
        """The door through which the storage is tested. The storage's own fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=WITH_RETENTION)

    @pytest.fixture(autouse=True)
    def healthy_in_the_end(self, storage: Storage) -> Iterator[None]:
        """Whatever a test does, rows, index and counters agree when it is over."""
        yield
        if isinstance(storage, Checkup):
            assert storage.check().findings == ()

    # -- sessions

    def test_a_session_comes_back_as_it_was_made(self, memory: Memory) -> None:
        chat = memory.chat(
            owner="u1", title="Trip", system_prompt="Be brief.", tags=["a", "b"], metadata={"topic": {"files": ["x.pdf"]}}
        )
        session = memory.chat(owner="u1", session=chat.id).info()
        assert (session.title, session.system_prompt, session.tags) == ("Trip", "Be brief.", ("a", "b"))
        assert session.metadata == {"topic": {"files": ["x.pdf"]}}
        assert (session.message_count, session.token_count, session.status) == (0, 0, Status.ACTIVE)

    def test_an_unknown_session_is_refused_or_made(self, memory: Memory) -> None:
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session="nope")
        assert memory.chat(owner="u1", session="nope", create=True).id == "nope"
        assert memory.chat(owner="u1", session="nope").id == "nope"

    def test_sessions_are_listed_by_newest_activity(self, memory: Memory, clock: HandClock) -> None:
        for name in ("old", "middle", "new"):
            memory.chat(owner="u1", session=name, create=True)
            clock.turn(hours=1)
        memory.chat(owner="u1", session="old").add("user", "again")
        assert [s.id for s in memory.sessions(owner="u1")] == ["old", "new", "middle"]

    def test_a_thousand_sessions_can_be_paged_through(self, memory: Memory, clock: HandClock) -> None:
        made = [f"s{number:04}" for number in range(1000)]
        for number, name in enumerate(made):
            clock.turn(seconds=number % 3)  # some share a moment
            memory.chat(owner="u1", session=name, create=True)
        seen: list[str] = []
        page = memory.sessions(owner="u1", limit=37)
        while True:
            seen += [session.id for session in page]
            if page.next is None:
                break
            page = memory.sessions(owner="u1", limit=37, cursor=page.next)
        assert sorted(seen) == made
        assert len(memory.sessions(owner="u1")) == 20

    def test_sessions_are_filtered(self, memory: Memory, clock: HandClock) -> None:
        first = memory.chat(owner="u1", tags=["work"])
        clock.turn(days=1)
        second = memory.chat(owner="u1", tags=["work", "urgent"])
        second.archive()
        third = memory.chat(owner="u1")
        third.delete()
        first.update(pinned=True)
        day = datetime(2026, 5, 2, tzinfo=UTC)
        listed = {
            "all": memory.sessions(owner="u1"),
            "active": memory.sessions(owner="u1", status="active"),
            "archived": memory.sessions(owner="u1", status="archived"),
            "deleted": memory.sessions(owner="u1", status="deleted"),
            "urgent": memory.sessions(owner="u1", tag="urgent"),
            "pinned": memory.sessions(owner="u1", pinned=True),
            "loose": memory.sessions(owner="u1", pinned=False),
            "since": memory.sessions(owner="u1", since=day),
            "until": memory.sessions(owner="u1", until=day),
        }
        assert {name: {s.id for s in page} for name, page in listed.items()} == {
            "all": {first.id, second.id},
            "active": {first.id},
            "archived": {second.id},
            "deleted": {third.id},
            "urgent": {second.id},
            "pinned": {first.id},
            "loose": {second.id},
            "since": {second.id},
            "until": {first.id},
        }

    def test_changes_to_a_session_are_compared_and_set(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        revision = chat.info().revision
        changed = chat.update(title="one", expected_revision=revision)
        assert changed.revision > revision
        with pytest.raises(RevisionConflict):
            chat.update(title="two", expected_revision=revision)
        assert chat.info().title == "one"

    def test_tags_are_added_and_taken_away(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", tags=["a"])
        assert chat.tag("b", "a").tags == ("a", "b")
        assert chat.untag("a").tags == ("b",)
        assert not memory.sessions(owner="u1", tag="a").items
        assert len(memory.sessions(owner="u1", tag="b")) == 1

    # -- life cycle and retention

    def test_the_life_cycle_has_no_other_steps(self, memory: Memory) -> None:
        legal = {
            ("active", "archive"): "archived",
            ("active", "delete"): "deleted",
            ("archived", "unarchive"): "active",
            ("archived", "delete"): "deleted",
            ("deleted", "restore"): "active",
        }
        ways = {"active": [], "archived": ["archive"], "deleted": ["delete"]}
        for status, way in ways.items():
            for step in ("archive", "unarchive", "delete", "restore"):
                chat = memory.chat(owner="u1")
                for previous in way:
                    getattr(chat, previous)()
                if (status, step) in legal:
                    assert getattr(chat, step)().status == legal[status, step]
                else:
                    with pytest.raises(IllegalMove):
                        getattr(chat, step)()
                    assert chat.info().status == status

    def test_a_deleted_session_is_nowhere_until_restored(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "zebra")
        chat.delete()
        assert not memory.sessions(owner="u1").items
        assert not found(memory, "zebra", owner="u1")
        for use in (chat.messages, lambda: chat.add("user", "x"), lambda: memory.chat(owner="u1", session=chat.id)):
            with pytest.raises(NotFound):
                use()
        memory.restore(owner="u1", session=chat.id)
        assert [m.text for m in chat.messages()] == ["zebra"]
        assert len(found(memory, "zebra", owner="u1")) == 1

    def test_an_archived_session_is_read_and_found_but_not_added_to(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "zebra")
        chat.archive()
        with pytest.raises(IllegalMove):
            chat.add("user", "more")
        assert len(chat.messages()) == len(found(memory, "zebra", owner="u1")) == 1

    def test_nothing_expires_by_default(self, storage: Storage, clock: HandClock) -> None:
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        active, archived, deleted = (memory.chat(owner="u1") for _ in range(3))
        archived.archive()
        clock.turn(days=3650)
        deleted.delete()
        assert memory.retention(dry_run=False).total == 0
        assert [chat.info().expires_at for chat in (active, archived)] == [None, None]
        assert deleted.info().expires_at == clock() + timedelta(days=30)
        clock.turn(days=31)
        report = memory.retention(dry_run=False)
        assert (report.total, report.purged) == (1, 1)

    def test_expired_is_what_retention_deleted(self, memory: Memory, clock: HandClock) -> None:
        expired, deleted = memory.chat(owner="u1", session="e", create=True), memory.chat(owner="u1")
        deleted.delete()
        clock.turn(days=31)
        memory.retention(dry_run=False)
        listed = memory.sessions(owner="u1", status="deleted")
        assert [(session.id, session.expired) for session in listed] == [("e", True)]
        expired.restore()
        assert not expired.info().expired
        expired.update(title="Back")
        expired.delete()
        assert not expired.info().expired

    def test_look_sees_expired_sessions_if_it_is_told_to(self, memory: Memory, storage: Storage, clock: HandClock) -> None:
        chat, other = (memory.chat(owner="u1", session=id, create=True) for id in ("s", "o"))
        said = chat.add("user", "tea")
        fork = chat.fork(said.id, session="f")
        chat.edit(said.id, "coffee")
        other.add("user", "milk")
        clock.turn(days=31)
        fork.delete()
        other.delete()
        assert memory.retention(dry_run=False).total == 1
        assert storage.look(Scope("u1"), [1, 2, 3]) == []
        seen = storage.look(Scope("u1"), [1, 2, 3], 1, Filters(expired=True))
        assert [(one.number, one.message.text, one.message.session) for one in seen] == [(2, "coffee", "s")]
        assert storage.look(Scope("u1"), [2], 0, Filters(sessions=("o",), expired=True)) == []

    def test_retention_runs_from_the_last_activity(self, memory: Memory, clock: HandClock) -> None:
        chat = memory.chat(owner="u1")
        clock.turn(days=29)
        chat.add("user", "still here")
        clock.turn(days=29)
        assert memory.retention(dry_run=False).total == 0
        clock.turn(days=2)
        assert memory.retention(dry_run=True).expired == 1
        assert chat.info().status == Status.ACTIVE
        assert memory.retention(dry_run=False).expired == 1
        assert chat.info().status == Status.DELETED
        assert memory.retention(dry_run=False).total == 0
        clock.turn(days=31)
        report = memory.retention(dry_run=False)
        assert (report.purged, report.messages_purged) == (1, 1)
        with pytest.raises(NotFound):
            chat.info()

    def test_an_old_import_does_not_vanish(self, memory: Memory, clock: HandClock) -> None:
        long_ago = datetime(2020, 1, 1, tzinfo=UTC)
        chat = memory.chat(owner="u1", created_at=long_ago)
        chat.add("user", "from the archive", created_at=long_ago)
        assert chat.info().updated_at == long_ago
        assert memory.retention(dry_run=False).total == 0
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 1

    def test_pins_archives_and_restores_have_clocks_of_their_own(self, memory: Memory, clock: HandClock) -> None:
        pinned, archived, restored = (memory.chat(owner="u1") for _ in range(3))
        pinned.update(pinned=True)
        archived.archive()
        restored.delete()
        clock.turn(days=29)
        restored.restore()
        clock.turn(days=29)
        assert memory.retention(dry_run=False).total == 0
        clock.turn(days=33)
        report = memory.retention(dry_run=False)
        assert (report.expired, report.expired_archived) == (1, 1)
        assert pinned.info().status == Status.ACTIVE
        assert pinned.info().expires_at is None

    def test_the_first_clean_up_is_a_rehearsal(self, memory: Memory, clock: HandClock) -> None:
        memory.chat(owner="u1")
        clock.turn(days=40)
        first, second = memory.retention(), memory.retention()
        assert (first.rehearsal, first.dry_run, first.expired) == (True, True, 1)
        assert (second.rehearsal, second.dry_run, second.expired) == (False, False, 1)

    def test_every_change_of_the_policy_is_rehearsed(self, memory: Memory, storage: Storage, clock: HandClock) -> None:
        without = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        without.chat(owner="u1")
        assert [without.retention().rehearsal for _ in range(2)] == [True, False]
        clock.turn(days=40)
        first, second = memory.retention(), memory.retention()
        assert (first.rehearsal, first.expired, second.rehearsal, second.expired) == (True, 1, False, 1)

    def test_a_clean_up_goes_on_over_many_batches(self, storage: Storage, clock: HandClock) -> None:
        settings = replace(WITH_RETENTION, retention_batch=3)
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=settings)
        for _ in range(10):
            memory.chat(owner="u1").add("user", "x")
        clock.turn(days=31)
        assert memory.retention(dry_run=False).expired == 10

    # -- messages

    def test_a_message_comes_back_as_it_was_said(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        parts = (Part("text", "look:"), Part("image", uri="file:///cat.png", media_type="image/png", data={"w": 3}))
        call = ToolCall("c1", "weather", '{"city":"Lisbon"}')
        said = [
            chat.add("human", "My sister moved to Lisbon.", metadata={"model": "x", "n": [1, 2.5, None, "ü"]}),
            chat.add("ai", "", tool_calls=[call], pinned=True),
            chat.add("tool", "22 °C", tool_call_id="c1", name="weather"),
            chat.add("user", parts, importance=0.75),
            chat.add("system", ""),
        ]
        assert chat.messages() == said
        assert [m.role for m in said] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.SYSTEM]
        assert said[0].metadata == {"model": "x", "n": [1, 2.5, None, "ü"]}
        assert said[1].tool_calls == (call,)
        assert said[1].pinned
        assert (said[2].tool_call_id, said[2].name) == ("c1", "weather")
        assert said[3].content == parts
        assert (said[3].text, said[3].importance) == ("look:", 0.75)

    def test_order_is_strict_whatever_the_clock_says(self, memory: Memory, clock: HandClock) -> None:
        chat = memory.chat(owner="u1")
        for number in range(5):
            chat.add("user", str(number))
            clock.turn(hours=-1)
        assert [(m.seq, m.text) for m in chat.messages()] == [(n + 1, str(n)) for n in range(5)]

    def test_many_are_added_together_or_not_at_all(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "taken", id="m1")
        with pytest.raises(MessageConflict):
            chat.add_many([Draft("user", "new", id="m2"), Draft("user", "other", id="m1")])
        assert [m.id for m in chat.messages()] == ["m1"]

    def test_the_same_id_again_is_a_no_op(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "hello", id="m1")
        assert chat.add("user", "hello", id="m1") == first
        mixed = chat.add_many(
            [Draft("user", "hello", id="m1"), Draft("user", "new", id="m2"), Draft("user", "new", id="m2")]
        )
        assert [m.seq for m in mixed] == [1, 2, 2]
        assert chat.info().message_count == 2
        with pytest.raises(MessageConflict):
            memory.chat(owner="u1").add("user", "hello", id="m1")
        assert memory.chat(owner="u2").add("user", "mine", id="m1").text == "mine"

    def test_the_newest_that_fit_are_loaded(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", f"message number {number}") for number in range(30)]
        cost = said[0].tokens
        assert chat.messages(max_tokens=cost * 4 + 1) == said[-4:]
        assert chat.messages(max_tokens=cost - 1) == []
        assert chat.messages(last=0) == []
        assert chat.messages(last=3) == said[-3:]
        assert chat.messages(last=99) == said
        assert chat.messages(last=2, max_tokens=cost * 4 + 1) == said[-2:]
        assert chat.messages(last=9, max_tokens=cost * 4 + 1) == said[-4:]
        assert chat.info().token_count == sum(m.tokens for m in said)

    def test_a_conversation_is_paged_both_ways(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        said = chat.add_many([Draft("user", str(number)) for number in range(1000)])
        for newest_first in (False, True):
            seen: list[Message] = []
            cursor = None
            while True:
                page = chat.page(limit=97, cursor=cursor, newest_first=newest_first)
                seen += page.items
                cursor = page.next
                if cursor is None:
                    break
            assert seen == (said[::-1] if newest_first else said)

    def test_importance_and_pins_are_set_by_hand(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "ok")
        assert message.importance == 0.0
        assert chat.rate(message.id, 0.9).importance == 0.9
        assert chat.pin(message.id).pinned
        kept = chat.message(message.id)
        assert (kept.importance, kept.pinned) == (0.9, True)
        assert not chat.pin(message.id, False).pinned

    # -- branches

    def test_an_edit_makes_a_sibling(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "one")
        second = chat.add("user", "two")
        third = chat.add("assistant", "three")
        edited = chat.edit(second.id, "TWO")
        assert [m.text for m in chat.messages()] == ["one", "TWO"]
        assert edited.parent == second.parent == first.seq
        assert edited.seq > third.seq
        assert [(b.leaf, b.messages, b.active) for b in chat.branches()] == [(third.id, 3, False), (edited.id, 2, True)]
        assert chat.switch(third.id).message_count == 3
        assert [m.text for m in chat.messages()] == ["one", "two", "three"]
        assert chat.message(edited.id).text == "TWO"

    def test_pop_and_clear_keep_what_they_take(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", text) for text in ("one", "two")]
        assert chat.pop() == said[1]
        assert chat.info().message_count == 1
        third = chat.add("user", "three")
        assert third.seq == 3
        assert [m.text for m in chat.messages()] == ["one", "three"]
        assert chat.clear().message_count == 0
        assert chat.messages() == []
        assert chat.pop() is None
        assert not found(memory, "one", owner="u1")
        assert chat.switch(said[1].id).message_count == 2
        assert [m.text for m in chat.messages()] == ["one", "two"]

    def test_many_pops_and_edits_stay_in_order(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        chat.add("user", "first")
        for number in range(40):
            chat.add("user", f"try {number}")
            if number % 2:
                chat.pop()
        texts = [m.text for m in chat.messages()]
        assert texts == ["first", *(f"try {number}" for number in range(0, 40, 2))]
        assert [m.text for m in chat.messages(last=5)] == texts[-5:]
        assert chat.info().message_count == len(texts)

    def test_a_fork_continues_without_touching_its_origin(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", title="Trip")
        said = [chat.add("user", text) for text in ("one", "two", "three")]
        fork = chat.fork(at=said[1].id)
        fork.add("user", "other")
        assert [m.text for m in fork.messages()] == ["one", "two", "other"]
        assert [m.text for m in chat.messages()] == ["one", "two", "three"]
        assert fork.info().title == "Trip"
        assert (fork.info().message_count, chat.info().message_count) == (3, 3)
        with pytest.raises(NotFound):
            fork.message(said[2].id)

    def test_a_fork_outlives_its_origin(self, memory: Memory, clock: HandClock) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", text) for text in ("one", "two", "three")]
        fork = chat.fork(at=said[1].id)
        fork.update(pinned=True)
        chat.delete()
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert [m.text for m in fork.messages()] == ["one", "two"]
        assert [hit.message.session for hit in found(memory, "two", owner="u1")] == [fork.id]
        assert not found(memory, "three", owner="u1")

    # -- search

    def test_a_message_is_found_the_moment_it_is_saved(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for number in range(150):
            chat.add("user", f"The code of door {number} is x{number}y.")
            assert [h.message.text for h in found(memory, f"x{number}y", owner="u1")] == [chat.messages(last=1)[0].text]
        assert len(found(memory, "door", owner="u1", limit=500)) == 150

    def test_words_of_many_languages_are_found(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in (
            "妹は東京に引っ越しました。",
            "我妹妹住在里斯本。",
            "Meine Schwester wohnt in München.",
            "누나는 서울에 산다",
        ):
            chat.add("user", text)
        for query, answer in (
            ("東京", "妹は東京に引っ越しました。"),
            ("里斯本", "我妹妹住在里斯本。"),
            ("munchen", "Meine Schwester wohnt in München."),
            ("서울", "누나는 서울에 산다"),
        ):
            assert memory.search(query, owner="u1", mode="words")[0].message.text == answer

    def test_the_better_match_comes_first(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in ("tea", "tea and cake", "tea and coffee and cake and bread and butter", "nothing"):
            chat.add("user", text)
        assert [h.message.text for h in found(memory, "coffee cake", owner="u1")] == [
            "tea and coffee and cake and bread and butter",
            "tea and cake",
        ]

    def test_scores_do_not_depend_on_others(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in ("tea and cake", "coffee and cake", "tea"):
            chat.add("user", text)
        before = [(h.message.id, h.score) for h in found(memory, "tea cake", owner="u1")]
        memory.chat(owner="u2").add_many([Draft("user", "tea tea cake cake") for _ in range(200)])
        assert [(h.message.id, h.score) for h in found(memory, "tea cake", owner="u1")] == before

    def test_odd_queries_are_harmless(self, memory: Memory) -> None:
        memory.chat(owner="u1").add("user", 'a "quoted" AND (odd) text* ^x NEAR(y)')
        for query in ("", "   ", '"', "AND", "NEAR(", "*", "x OR", "a:b", "'; DROP TABLE messages", "🙂", "^"):
            found(memory, query, owner="u1")
        assert found(memory, '"quoted"', owner="u1")

    # -- erase

    def test_an_erased_message_is_gone_and_stays_gone(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        said = [chat.add("user", text, id=text) for text in ("one", "two", "three")]
        receipt = chat.erase(said[1].id)
        assert (receipt.messages, receipt.sessions, receipt.pending) == (1, 0, "")
        assert "rows" in receipt.verified
        assert [m.text for m in chat.messages()] == ["one", "three"]
        assert chat.info().message_count == 2
        assert not found(memory, "two", owner="u1")
        with pytest.raises(NotFound):
            chat.message("two")
        with pytest.raises(Erased):
            chat.add("user", "two", id="two")
        assert chat.add("user", "four").seq == 4

    def test_an_erased_session_takes_its_messages_out_of_forks(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", session="s1", create=True)
        last = [chat.add("user", text) for text in ("one", "two")][-1]
        fork = chat.fork(at=last.id)
        fork.add("user", "three")
        assert memory.erase(owner="u1", session="s1").messages == 2
        assert [m.text for m in fork.messages()] == ["three"]
        assert fork.info().message_count == 1
        # The name is free again, and nothing of the old one is under it.
        assert memory.chat(owner="u1", session="s1", create=True).messages() == []

    def test_an_erased_owner_is_gone_and_can_begin_anew(self, memory: Memory) -> None:
        for owner in ("u1", "u2"):
            chat = memory.chat(owner=owner, session="s1", create=True)
            chat.add("user", "zebra", id="m1")
            chat.fork()
        receipt = memory.erase(owner="u1")
        assert (receipt.sessions, receipt.messages) == (2, 1)
        assert not memory.sessions(owner="u1").items
        assert not found(memory, "zebra", owner="u1")
        assert len(found(memory, "zebra", owner="u2")) == 1
        with pytest.raises(Erased):
            memory.chat(owner="u1").add("user", "zebra", id="m1")
        assert memory.chat(owner="u1").add("user", "hello").seq == 1
        assert memory.erase(owner="nobody").messages == 0

    # -- pools

    def test_a_pool_does_not_exist_without_a_grant(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        chat = memory.chat(owner="u1", pool=team)
        chat.add("user", "the office code is 4711")
        assert memory.pools(owner="u2") == []
        for use in (
            lambda: memory.sessions(owner="u2", pool=team),
            lambda: found(memory, "office", owner="u2", pool=team),
            lambda: memory.chat(owner="u2", pool=team),
            lambda: memory.chat(owner="u2", pool=team, session=chat.id),
            lambda: memory.members(team, owner="u2"),
            lambda: memory.erase(owner="u2", pool=team),
            lambda: memory.grant(team, to="u2", by="u2"),
            lambda: memory.mark(owner="u2", pool=team),
        ):
            with pytest.raises(NotFound):
                use()
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session=chat.id)
        assert not found(memory, "office", owner="u1")

    def test_grants_are_graded(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        message = memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "hello")
        memory.grant(team, to="u2", by="u1", access="read")
        reader = memory.chat(owner="u2", pool=team, session="s")
        assert [m.author for m in reader.messages()] == ["u1"]
        for use in (
            lambda: reader.add("user", "x"),
            lambda: reader.rename("x"),
            lambda: reader.pin(message.id),
            lambda: memory.grant(team, to="u3", by="u2"),
        ):
            with pytest.raises(NotFound):
                use()
        memory.grant(team, to="u2", by="u1", access="write")
        assert reader.add("user", "me too").author == "u2"
        with pytest.raises(NotFound):
            reader.erase(message.id)
        memory.revoke(team, of="u2", by="u1")
        with pytest.raises(NotFound):
            reader.messages()

    def test_a_pool_keeps_an_admin(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        with pytest.raises(Conflict):
            memory.revoke(team, of="u1", by="u1")
        memory.grant(team, to="u2", by="u1", access="admin")
        memory.revoke(team, of="u1", by="u1")
        assert [(g.owner, g.access, g.name) for g in memory.members(team, owner="u2")] == [("u2", Access.ADMIN, "team")]

    def test_an_erased_owner_leaves_no_words_in_pools(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.grant(team, to="u2", by="u1", access="write")
        memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "mine")
        memory.chat(owner="u2", pool=team, session="s").add("user", "zebra")
        memory.erase(owner="u2")
        assert [m.text for m in memory.chat(owner="u1", pool=team, session="s").messages()] == ["mine"]
        assert not found(memory, "zebra", owner="u1", pool=team)
        assert memory.pools(owner="u2") == []

    def test_a_pool_of_an_erased_owner_goes_or_gets_a_new_admin(self, memory: Memory) -> None:
        alone, shared = memory.create_pool("alone", owner="u1"), memory.create_pool("shared", owner="u1")
        memory.chat(owner="u1", pool=alone, title="mine").add("user", "zebra")
        memory.grant(shared, to="u2", by="u1", access="write")
        memory.grant(shared, to="u3", by="u1", access="read")
        empty = memory.chat(owner="u1", pool=shared, title="my plans", tags=["secret"])
        talk = memory.chat(owner="u1", pool=shared, title="our plans", tags=["secret"], metadata={"by": "u1"})
        memory.chat(owner="u2", pool=shared, session=talk.id).add("user", "hello")
        memory.erase(owner="u1")
        with pytest.raises(NotFound):
            memory.sessions(owner="u1", pool=alone)
        members = {grant.owner: grant.access for grant in memory.members(shared, owner="u2")}
        assert members == {"u2": Access.ADMIN, "u3": Access.READ}
        (left,) = memory.sessions(owner="u2", pool=shared)
        assert (left.id, left.title, left.tags, left.metadata, left.message_count) == (talk.id, None, (), {}, 1)
        with pytest.raises(NotFound):
            memory.chat(owner="u2", pool=shared, session=empty.id)

    def test_a_reader_of_a_pool_cannot_pop(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "stays")
        memory.grant(team, to="u2", by="u1")
        with pytest.raises(NotFound):
            memory.chat(owner="u2", pool=team, session="s").pop()

    # -- changes

    def test_every_change_raises_the_revision(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        first = chat.add("user", "one")
        steps = (
            lambda: chat.add("user", "two"),
            lambda: chat.rename("x"),
            lambda: chat.pin(first.id),
            lambda: chat.edit(first.id, "ONE"),
            lambda: chat.erase(first.id),
            lambda: chat.delete(),
        )
        seen = memory.mark(owner="u1").revision
        for step in steps:
            step()
            now = memory.mark(owner="u1").revision
            assert now > seen
            seen = now
        assert memory.mark(owner="u2").revision == 0

    def test_a_second_door_sees_what_happens(self, memory: Memory, storage: Storage, clock: HandClock) -> None:
        other = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        chat = memory.chat(owner="u1")
        elsewhere = memory.chat(owner="u1")
        with other.watch(owner="u1", session=chat.id) as session, other.watch(owner="u1") as everything:
            elsewhere.add("user", "not for the session's watcher")
            chat.add("user", "hello")
            chat.rename("Greeting")
            seen = [session.get(timeout=10), session.get(timeout=10)]
            assert [(c.kind, c.message.text if c.message else None) for c in seen if c] == [
                ("message", "hello"),
                ("session", None),
            ]
            assert [c.kind for c in (everything.get(timeout=10) for _ in range(3)) if c] == ["message", "message", "session"]
            assert everything.get(timeout=0.1) is None
        other._dispatcher.close()  # pyright: ignore[reportPrivateUsage]  # the storage is the fixture's to close

    def test_a_follower_goes_on_from_any_change(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1")
        said = chat.add_many([Draft("user", text) for text in ("one", "two", "three")])
        chat.pin(said[0].id)
        chat.edit(said[1].id, "TWO")
        chat.erase(said[2].id)
        chat.add("user", "four")
        scope, last = Scope("u1"), storage.last_mark(Scope("u1"))
        everything, reached = storage.changes(scope, Mark(), 100)
        assert reached == everything[-1].mark == last
        for place, change in enumerate(everything):
            assert storage.changes(scope, change.mark, 100) == (everything[place + 1 :], last)
        told, mark = list[Change](), Mark()
        while mark != last:
            some, mark = storage.changes(scope, mark, 2)
            assert some[-1].mark == mark
            told += some
        assert told == everything
        for wrong in (last._replace(life=last.life + 1), last._replace(messages=99), last._replace(changes=99)):
            assert storage.changes(scope, wrong, 100) == ([Change("reset", mark=last)], last)

    def test_many_are_asked_at_once_how_far_they_are(self, memory: Memory, storage: Storage) -> None:
        if not isinstance(storage, Marks):
            pytest.skip("this backend tells of one owner at a time")
        team = memory.create_pool("team", owner="u1")
        for owner in ("u1", "u2"):
            chat = memory.chat(owner=owner)
            chat.erase(chat.add("user", "one").id)
        memory.chat(owner="u1", pool=team).add("user", "two")
        scopes = [Scope("u2"), Scope("u1", None, team), Scope("nobody"), Scope("u1"), Scope("u2"), Scope("u1", shelf=True)]
        assert storage.last_marks(scopes) == [storage.last_mark(scope) for scope in scopes]
        assert storage.last_marks([Scope("u2", None, team), Scope("u2")]) == [None, storage.last_mark(Scope("u2"))]
        assert storage.last_marks([]) == []

    def test_settings_of_the_store_are_kept_once(self, storage: Storage) -> None:
        assert storage.settle("colour", "blue") == "blue"
        assert storage.settle("colour", "red") == "blue"

    # -- temporary sessions

    def test_nothing_of_a_temporary_session_is_stored(self, memory: Memory, storage: Storage) -> None:
        chat = memory.chat(owner="u1", temporary=True)
        chat.add("user", "zebra")
        assert [m.text for m in memory.chat(owner="u1", session=chat.id).messages()] == ["zebra"]
        assert chat.info().temporary
        assert not memory.sessions(owner="u1").items
        assert not found(memory, "zebra", owner="u1")
        assert memory.mark(owner="u1").revision == 0
        with pytest.raises(NotFound):
            memory.chat(owner="u2", session=chat.id)
        fork = chat.fork()
        assert [m.text for m in memory.chat(owner="u1", session=fork.id).messages()] == ["zebra"]
        assert memory.mark(owner="u1").revision == 0
        memory.erase(owner="u1", session=chat.id)
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session=chat.id)

    def test_a_name_does_not_make_a_session_temporary(self, memory: Memory) -> None:
        memory.chat(owner="u1", session="temporary-notes", create=True).add("user", "kept")
        assert [s.id for s in memory.sessions(owner="u1")] == ["temporary-notes"]

    def test_what_is_handed_out_is_a_copy(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1", metadata={"a": 1})
        chat.add("user", "x", metadata={"b": [1]})
        chat.messages()[0].metadata["b"].append(2)
        chat.info().metadata["a"] = 2  # pyright: ignore[reportIndexIssue]
        assert chat.messages()[0].metadata == {"b": [1]}
        assert chat.info().metadata == {"a": 1}
