"""Conformance tests of private messages, and of messages by number."""

from __future__ import annotations

from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import Storage, VectorMark
from keepsaid.testing.artifact_conformance.base import (
    OWNER_SCOPE,
    ArtifactFixtures,
    claim_notes_task,
    find_artifact_ids,
    find_message_ids,
    make_artifact,
    settle_notes_task,
)
from keepsaid.testing.index_conformance import GENERATION, embed_waiting
from keepsaid.types import ArtifactSource, MessageDraft, ReadWindow, Scope


class PrivacyConformance(ArtifactFixtures):
    """Tests of private messages, and of messages by number."""

    def test_private_message_is_not_found(self, chat: Chat, storage: Storage) -> None:
        chat.add_many(
            [MessageDraft("user", "my pin is 4711", id="p", private=True, name="Ann"), MessageDraft("user", "a pin", id="q")]
        )
        scope = Scope("u1", "s")
        assert chat.message("p").private
        assert [message.private for message in chat.messages(last=2)] == [True, False]
        assert storage.snapshot(scope, ReadWindow(last=2)).tail[0].message.private
        assert find_message_ids(storage, "pin 4711 ann") == ["q"]
        assert [seen.message.id for seen in storage.look(OWNER_SCOPE, [11])] == []
        assert sorted(seen.message.id for seen in storage.look(OWNER_SCOPE, [11, 12], 2)) == ["m10", "q"]
        task = claim_notes_task(storage)
        assert [seen.message.private for seen in task.messages][-2:] == [True, False]
        embed_waiting(storage)
        assert storage.passages(OWNER_SCOPE, GENERATION, [11]) == []
        assert len(storage.passages(OWNER_SCOPE, GENERATION, [10, 12])) == 2

    def test_message_text_can_request_privacy(self, chat: Chat) -> None:
        request = chat.add("user", "Never remember this: my PIN is 4711.")
        repeated = chat.add("assistant", "Your PIN is 4711.")
        (exempt,) = chat.add_many([MessageDraft("user", "Never remember this: it is a song title.", private=False)])
        quoted = chat.add("assistant", "Never remember this: my PIN is 4711.")
        assert [message.private for message in (request, repeated, exempt, quoted)] == [True, True, False, False]

    def test_making_a_message_private_removes_derived_data(self, chat: Chat, storage: Storage) -> None:
        scope = Scope("u1", "s")
        embed_waiting(storage)
        settle_notes_task(
            storage,
            make_artifact("a", sources=(ArtifactSource(5, 0, 1),)),
            make_artifact("b", sources=(ArtifactSource(4, 0, 1),)),
            make_artifact("s4", "summary", session="s", upto=4),
            make_artifact("s5", "summary", session="s", upto=5),
        )
        before = storage.vectors(OWNER_SCOPE, GENERATION, VectorMark())
        marked = storage.mark(scope, "m5", 0, private=True)
        assert marked.private
        assert storage.mark(scope, "m5", 0, private=True, pinned=True).pinned
        assert (find_artifact_ids(storage), find_artifact_ids(storage, "summary")) == (["b"], ["s4"])
        assert find_message_ids(storage, "5") == []
        assert storage.passages(OWNER_SCOPE, GENERATION, [5]) == []
        after = storage.vectors(OWNER_SCOPE, GENERATION, before.mark)
        assert after.fresh
        assert 5 not in after.numbers
        assert [message.id for message in chat.messages()] == [f"m{number}" for number in range(1, 11)]

    def test_message_made_public_is_processed_again(self, chat: Chat, storage: Storage) -> None:
        scope = Scope("u1", "s")
        storage.mark(scope, "m5", 0, private=True)
        embed_waiting(storage)
        settle_notes_task(storage)
        assert not storage.mark(scope, "m5", 0, private=False).private
        assert storage.mark(scope, "m5", 0, private=False).seq == 5
        assert find_message_ids(storage, "5") == ["m5"]
        assert [message.id for message in chat.messages()] == [f"m{number}" for number in range(1, 11)]
        (seen,) = claim_notes_task(storage).messages
        assert seen.message.id == "m5"
        embed_waiting(storage)
        assert len(storage.passages(OWNER_SCOPE, GENERATION, [seen.number])) == 1
        assert storage.waiting(OWNER_SCOPE, GENERATION) == 0

    def test_privacy_in_a_long_history(self, chat: Chat, storage: Storage) -> None:
        """Some of the messages are in the keyword index already, and some are not yet."""
        chat.add_many([MessageDraft("user", f"tea number n{number}", id=f"t{number}") for number in range(300)])
        scope = Scope("u1", "s")
        for number in (0, 100, 150, 299):
            assert find_message_ids(storage, f"n{number}") == [f"t{number}"]
            storage.mark(scope, f"t{number}", 0, private=True)
            assert find_message_ids(storage, f"n{number}") == []
        assert len(find_message_ids(storage, "tea")) == 296
        for number in (100, 299):
            storage.mark(scope, f"t{number}", 0, private=False)
            assert find_message_ids(storage, f"n{number}") == [f"t{number}"]
        chat.erase("t150")
        chat.add_many([MessageDraft("user", f"more {number}") for number in range(200)])
        assert find_message_ids(storage, "n100 n299 n0 n150") == ["t299", "t100"]

    def test_fetch_messages_by_number(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        chat.edit("m5", "another five", id="m11")
        other = memory.chat(owner="u1", session="other", create=True)
        other.add("user", "elsewhere", id="e")
        other.delete()
        chat.erase("m3")
        seen = storage.fetch(OWNER_SCOPE, [12, 3, 5, 11, 2, 2, 99, 0, -4])
        assert [(one.number, one.message.id, one.message.session) for one in seen] == [
            (2, "m2", "s"), (5, "m5", "s"), (11, "m11", "s"), (12, "e", "other"),
        ]  # fmt: skip
        assert seen[0].message == chat.message("m2")
        assert storage.fetch(Scope("u2"), [1, 2]) == []
