"""Conformance tests of the notes queue."""

from __future__ import annotations

import pytest

from keepsaid.errors import Conflict, NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, ArtifactQuery, Storage
from keepsaid.testing.artifact_conformance.base import (
    NOTES_LINE,
    OWNER_SCOPE,
    ArtifactFixtures,
    claim_notes_task,
    find_artifact_ids,
    make_artifact,
    settle_notes_task,
)
from keepsaid.testing.index_conformance import EMBEDDER, GENERATION, MINUTE, embed_task, embed_waiting
from keepsaid.types import ArtifactSource, Scope


class NotesQueueConformance(ArtifactFixtures):
    """Tests of the notes queue."""

    def test_notes_queue_is_not_a_generation(self, chat: Chat, storage: Storage) -> None:
        storage.begin_notes(NOTES_LINE)
        storage.begin_notes(NOTES_LINE)
        assert storage.generations() == []
        assert storage.drop_generation(NOTES_LINE) == 0
        assert storage.waiting(OWNER_SCOPE, NOTES_LINE) == 10
        assert storage.coverage(NOTES_LINE).embedded == 0
        with pytest.raises(Conflict):
            storage.begin_generation(NOTES_LINE, 4)
        embed_waiting(storage)
        with pytest.raises(Conflict):
            storage.begin_notes(GENERATION)
        assert storage.waiting(OWNER_SCOPE, NOTES_LINE) == 10
        settle_notes_task(storage)
        assert storage.waiting(OWNER_SCOPE, NOTES_LINE) == 0
        assert storage.coverage(GENERATION).passages == 10
        assert [generation.name for generation in storage.generations()] == [GENERATION]
        with pytest.raises(NotFound):
            storage.claim("never begun", "w1", 0, MINUTE, 5)

    def test_notes_are_leased_and_settled_once(self, chat: Chat, storage: Storage) -> None:
        task = claim_notes_task(storage, 4)
        assert [seen.number for seen in task.messages] == [1, 2, 3, 4]
        assert {seen.message.session for seen in task.messages} == {"s"}
        assert storage.claim(NOTES_LINE, "w2", MINUTE - 1, 2 * MINUTE, 4) is None
        taken = storage.claim(NOTES_LINE, "w2", MINUTE, 2 * MINUTE, 4)
        assert taken is not None
        assert not storage.settle_notes(task, ArtifactChanges([make_artifact("late")]), 0)
        assert not storage.settle_task(taken, [], 0)
        storage.release(taken)
        again = claim_notes_task(storage, 6)
        made = make_artifact("a", session="s", sources=(ArtifactSource(6, 0, 1),))
        assert storage.settle_notes(again, ArtifactChanges([made]), 0)
        assert not storage.settle_notes(again, ArtifactChanges([make_artifact("twice")]), 0)
        assert storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact")) == [made]
        assert [seen.number for seen in claim_notes_task(storage).messages] == [7, 8, 9, 10]

    def test_claim_without_work_changes_nothing(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(storage)
        before = storage.stamp()
        assert storage.claim(NOTES_LINE, "w1", 0, MINUTE, 4) is None
        assert storage.stamp() == before

    def test_notes_queue_skips_documents(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        documents_space = Scope("u1", "guide.md", None, True)
        storage.create_session(documents_space._replace(session=None), chat.info()._replace(id="guide.md"))
        storage.append(documents_space, [chat.messages()[0]._replace(id="chunk")], 0)
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        assert storage.waiting(documents_space, GENERATION) == 1
        settle_notes_task(storage)
        assert storage.waiting(documents_space, NOTES_LINE) == 0
        assert storage.claim(NOTES_LINE, "w1", 0, MINUTE, 4) is None
        assert storage.claim(NOTES_LINE, "w1", 0, MINUTE, 4, documents_space) is None
        assert embed_waiting(storage) > 0
        assert storage.waiting(documents_space, GENERATION) == 0

    def test_notes_of_removed_messages_are_not_stored(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1", session="going", create=True).add("user", "hello")
        settle_notes_task(storage, make_artifact("s1", "summary", session="s", upto=3))
        chat.erase("m3")
        storage.mark(Scope("u1", "s"), "m5", 0, private=True)
        memory.erase(owner="u1", session="going")
        chat.add("user", "more")
        made = [
            make_artifact("a", sources=(ArtifactSource(2, 0, 1), ArtifactSource(3, 0, 1))),
            make_artifact("b", sources=(ArtifactSource(5, 0, 1),)),
            make_artifact("c", sources=(ArtifactSource(99, 0, 1),)),
            make_artifact("d", session="going"),
            make_artifact("e", "summary", session="s", upto=3),
            make_artifact("f", "summary", session="s", upto=8, data={"previous": "s1"}),
            make_artifact("good", session="s", sources=(ArtifactSource(2, 0, 1),)),
        ]
        assert storage.settle_notes(claim_notes_task(storage), ArtifactChanges(made), 0)
        assert find_artifact_ids(storage) == ["good"]
        assert find_artifact_ids(storage, "summary") == []
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges(made), 0)
        assert find_artifact_ids(storage) == ["good"]

    def test_removal_releases_notes_lease(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        """Notes in progress may derive from a removed message without naming it."""
        other = memory.chat(owner="u1", session="other", create=True)
        other.add("user", "hello")
        storage.begin_generation(GENERATION, EMBEDDER.dimensions)
        embedding = storage.claim(GENERATION, "w1", 0, MINUTE, 100)
        made = ArtifactChanges([make_artifact("a", text="made of three")])
        for remove in (
            lambda: chat.erase("m3"),
            lambda: storage.mark(Scope("u1", "s"), "m5", 0, private=True),
            lambda: memory.erase(owner="u1", session="other"),
        ):
            task = claim_notes_task(storage)
            remove()
            assert not storage.settle_notes(task, made, 0)
            assert storage.waiting(OWNER_SCOPE, NOTES_LINE) > 0
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([make_artifact("other")]), 0)
        task = claim_notes_task(storage)
        chat.add("user", "an added message has no effect")
        chat.pin("m1")
        assert storage.settle_notes(task, made, 0)
        assert find_artifact_ids(storage) == ["a", "other"]
        assert embedding is not None
        assert storage.settle_task(embedding, embed_task(embedding), 0)
