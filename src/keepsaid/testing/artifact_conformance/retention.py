"""Conformance tests of erase and retention of artifacts."""

from __future__ import annotations

from dataclasses import replace

from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, ArtifactQuery, Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.artifact_conformance.base import (
    OWNER_SCOPE,
    ArtifactFixtures,
    find_artifact_ids,
    list_summary_ends,
    make_artifact,
    make_receipt,
    settle_notes_task,
)
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import COUNTER, WITH_RETENTION
from keepsaid.types import ArtifactSource, Scope


class ArtifactRetentionConformance(ArtifactFixtures):
    """Tests of erase and retention of artifacts."""

    def test_erase_message_removes_derived_artifacts(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(
            storage,
            make_artifact("a", text="rests on three and four", sources=(ArtifactSource(3, 0, 1), ArtifactSource(4, 0, 1))),
            make_artifact("b", text="rests on four", sources=(ArtifactSource(4, 0, 1),)),
            make_artifact("hand", text="rests on nothing"),
            make_artifact("t", "tool", "rests on three", sources=(ArtifactSource(3, 0, 1),)),
            make_artifact("s2", "summary", "two", session="s", upto=2),
            make_artifact("s3", "summary", "three", session="s", upto=3),
            make_artifact("s9", "summary", "nine", session="s", upto=9),
        )
        done = chat.erase("m3")
        assert done.derived == 4
        assert "artifacts" in done.verified
        assert sorted(find_artifact_ids(storage)) == ["b", "hand"]
        assert (find_artifact_ids(storage, "tool"), find_artifact_ids(storage, "summary")) == ([], ["s2"])
        assert find_artifact_ids(storage, terms=("three",)) == find_artifact_ids(storage, numbers=(3,)) == []
        assert chat.info().summary == "two"

    def test_erase_keeps_summaries_of_other_branches(self, chat: Chat, storage: Storage) -> None:
        chat.edit("m3", "another three", id="m11")
        chat.add("user", "another four")
        storage.keep_artifacts(
            OWNER_SCOPE,
            ArtifactChanges([make_artifact(f"s{upto}", "summary", session="s", upto=upto) for upto in (2, 8, 12)]),
            0,
        )
        chat.erase("m5")
        assert find_artifact_ids(storage, "summary") == ["s12", "s2"]
        chat.erase("m11")
        assert find_artifact_ids(storage, "summary") == ["s2"]

    def test_erase_removes_label_with_its_title(self, memory: Memory, storage: Storage) -> None:
        cases = (("as-made", "Secrets", ["x", "y"]), ("renamed", "My own", ["x", "z"]))
        for number, (session, title, tags) in enumerate(cases, 1):
            chat = memory.chat(owner="u1", session=session, create=True)
            message = chat.add("user", "a secret")
            label = make_artifact(
                f"l-{session}",
                "label",
                "Secrets",
                session=session,
                sources=(ArtifactSource(number),),
                data={"tags": ["x", "y"]},
            )
            storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([label]), 0)
            chat.update(title=title, tags=tags)
            revision = chat.info().revision
            chat.erase(message.id)
            expected = (None, ()) if session == "as-made" else (title, tuple(tags))
            assert (chat.info().title, chat.info().tags) == expected
            assert chat.info().revision == revision
        assert find_artifact_ids(storage, "label") == []
        assert [one.id for one in memory.sessions(owner="u1", tag="x")] == ["renamed"]

    def test_erase_session_and_owner_removes_artifacts(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1", session="other", create=True).add("user", "hello")
        settle_notes_task(
            storage,
            make_artifact("a", session="s", sources=(ArtifactSource(1, 0, 1),)),
            make_artifact("b", session="s"),
            make_artifact("c", session="other", sources=(ArtifactSource(11, 0, 1), ArtifactSource(2, 0, 1))),
            make_artifact("d", session="other", sources=(ArtifactSource(11, 0, 1),)),
            make_artifact("hand"),
            make_artifact("s5", "summary", session="s", upto=5),
        )
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r", "s", 1), make_receipt("q", "other", 1)])
        memory.erase(owner="u1", session="s")
        assert sorted(find_artifact_ids(storage)) == ["d", "hand"]
        assert find_artifact_ids(storage, "summary") == []
        assert [one.id for one in storage.receipts(OWNER_SCOPE)] == ["q"]
        again = memory.chat(owner="u1", session="s", create=True)
        assert (find_artifact_ids(storage, session="s"), list_summary_ends(storage, "s"), again.info().summary) == (
            [],
            [],
            None,
        )
        assert memory.erase(owner="u1").derived >= 3
        assert find_artifact_ids(storage) == []
        assert storage.receipts(OWNER_SCOPE) == []

    def test_retention_removes_artifacts(self, chat: Chat, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        fork = chat.fork("m4", session="f")
        settle_notes_task(
            storage,
            make_artifact("in the fork", session="f", sources=(ArtifactSource(2, 0, 1),)),
            make_artifact("of what went", session="f", sources=(ArtifactSource(7, 0, 1),)),
            make_artifact("s5", "summary", session="s", upto=5),
            make_artifact("f4", "summary", session="f", upto=4),
        )
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r", "s", 1)])
        chat.delete()
        clock.advance(days=29)
        fork.add("user", "still here")
        clock.advance(days=2)
        assert memory.retention(dry_run=False).purged == 1
        assert (find_artifact_ids(storage), find_artifact_ids(storage, "summary"), storage.receipts(OWNER_SCOPE)) == (
            ["in the fork"],
            ["f4"],
            [],
        )

    def test_facts_survive_expired_session(self, chat: Chat, memory: Memory, storage: Storage, clock: ManualClock) -> None:
        chat.switch("m8")
        settle_notes_task(
            storage,
            make_artifact(
                "kept",
                text="User has a sister",
                session="s",
                sources=(ArtifactSource(2, 0, 1), ArtifactSource(3, 4, 5)),
                valid_from=7,
            ),
            make_artifact("on another branch", session="s", sources=(ArtifactSource(9, 0, 1),)),
            make_artifact("note", "tool", session="s", sources=(ArtifactSource(3, 0, 1),)),
            make_artifact("s5", "summary", session="s", upto=5),
        )
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 1
        assert sorted(find_artifact_ids(storage)) == ["kept", "on another branch"]
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert (find_artifact_ids(storage), find_artifact_ids(storage, "tool"), find_artifact_ids(storage, "summary")) == (
            ["kept"],
            [],
            [],
        )
        (kept,) = storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", terms=("sister",), as_of=8))
        assert (kept.text, kept.session, kept.sources, kept.valid_from) == ("User has a sister", None, (), 7)
        again = memory.chat(owner="u1", session="s", create=True)
        again.add("user", "message 2", id="m2")
        again.erase()
        assert find_artifact_ids(storage) == ["kept"]
        assert memory.erase(owner="u1").derived == 1
        assert find_artifact_ids(storage) == []

    def test_erase_of_expired_session_removes_facts(
        self, chat: Chat, memory: Memory, storage: Storage, clock: ManualClock
    ) -> None:
        settle_notes_task(storage, make_artifact("a", session="s", sources=(ArtifactSource(2, 0, 1),)))
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 1
        chat.erase()
        assert find_artifact_ids(storage) == []

    def test_retention_purges_facts_if_configured(self, chat: Chat, storage: Storage, clock: ManualClock) -> None:
        settings = replace(WITH_RETENTION, retention_facts="purge")
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock, settings=settings)
        settle_notes_task(
            storage, make_artifact("a", session="s", sources=(ArtifactSource(2, 0, 1),)), make_artifact("by hand")
        )
        for _ in range(2):
            clock.advance(days=31)
            assert memory.retention(dry_run=False).total == 1
        assert find_artifact_ids(storage) == ["by hand"]

    def test_facts_of_restored_and_deleted_session_are_purged(
        self, chat: Chat, memory: Memory, storage: Storage, clock: ManualClock
    ) -> None:
        settle_notes_task(storage, make_artifact("a", session="s", sources=(ArtifactSource(2, 0, 1),)))
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 1
        chat.restore()
        chat.delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert find_artifact_ids(storage) == []

    def test_kept_fact_keeps_sources_shown_by_forks(
        self, chat: Chat, memory: Memory, storage: Storage, clock: ManualClock
    ) -> None:
        forks = [chat.fork("m4", session=f"f{number}") for number in (1, 2)]
        settle_notes_task(
            storage,
            make_artifact("shown", session="s", sources=(ArtifactSource(2, 0, 1), ArtifactSource(7, 0, 1))),
            make_artifact("not shown", session="s", sources=(ArtifactSource(6, 0, 1),)),
        )
        for fork in forks:
            fork.update(pinned=True)
        for _ in range(2):
            clock.advance(days=31)
            assert memory.retention(dry_run=False).total == 1
        result = {one.id: (one.session, one.sources) for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact"))}
        assert result == {"shown": (None, (ArtifactSource(2, 0, 1),)), "not shown": (None, ())}
        forks[0].erase()
        assert len(find_artifact_ids(storage)) == 2
        forks[1].erase("m2")
        assert find_artifact_ids(storage) == ["not shown"]

    def test_facts_of_a_pool_are_purged_with_their_messages(
        self, memory: Memory, storage: Storage, clock: ManualClock
    ) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1", session="s", create=True, pool=pool).add("user", "tea")
        team = Scope("u1", None, pool)
        settle_notes_task(storage, make_artifact("a", session="s", sources=(ArtifactSource(1, 0, 1),)), scope=team)
        clock.advance(days=31)
        assert memory.retention(dry_run=False).expired == 1
        assert find_artifact_ids(storage, scope=team) == ["a"]
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
        assert find_artifact_ids(storage, scope=team) == []
