"""Conformance tests of summaries and snapshots."""

from __future__ import annotations

import pytest

from keepsaid.errors import NotFound
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, Storage
from keepsaid.testing.artifact_conformance.base import (
    OWNER_SCOPE,
    ArtifactFixtures,
    find_artifact_ids,
    list_summary_ends,
    make_artifact,
    make_receipt,
    settle_notes_task,
)
from keepsaid.types import MessageDraft, ReadWindow, Scope


class SummaryConformance(ArtifactFixtures):
    """Tests of summaries and snapshots."""

    def test_snapshot_has_window_and_pins(self, chat: Chat, storage: Storage) -> None:
        scope = Scope("u1", "s")
        for id in ("m2", "m5", "m9"):
            chat.pin(id)
        chat.update(title="Tea", system_prompt="Be brief.")
        messages = chat.messages()
        cost = messages[0].tokens
        for window, first in (
            (ReadWindow(last=4), 7),
            (ReadWindow(max_tokens=3 * cost), 8),
            (ReadWindow(last=2, max_tokens=9 * cost), 9),
            (ReadWindow(), 1),
            (ReadWindow(last=99), 1),
            (ReadWindow(last=0), 11),
            (ReadWindow(max_tokens=0), 11),
        ):
            result = storage.snapshot(scope, window)
            assert [seen.message for seen in result.tail] == storage.read(scope, window) == messages[first - 1 :], window
            assert [seen.number for seen in result.tail] == list(range(first, 11))
            assert [seen.number for seen in result.pinned] == [n for n in (2, 5, 9) if n < first], window
            assert all(seen.message.pinned for seen in result.pinned)
            assert result.session == storage.get_session(scope)
            assert result.summaries == []
        chat.delete()
        with pytest.raises(NotFound):
            storage.snapshot(scope, ReadWindow())

    def test_snapshot_has_summaries_of_active_path(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(storage, *(make_artifact(f"s{upto}", "summary", session="s", upto=upto) for upto in (8, 3, 6)))
        assert list_summary_ends(storage, "s") == [3, 6, 8]
        chat.edit("m5", "another five")  # seq 11 follows seq 4
        chat.add_many([MessageDraft("user", "six", id="m12"), MessageDraft("user", "seven", id="m13")])
        assert list_summary_ends(storage, "s") == [3]
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([make_artifact("s12", "summary", session="s", upto=12)]), 0)
        assert list_summary_ends(storage, "s") == [3, 12]
        chat.switch("m10")
        assert list_summary_ends(storage, "s") == [3, 6, 8]
        chat.switch("m7")
        assert list_summary_ends(storage, "s") == [3, 6]
        chat.clear()
        assert list_summary_ends(storage, "s") == []

    def test_snapshot_has_pins_of_active_path(self, chat: Chat, storage: Storage) -> None:
        for id in ("m2", "m6"):
            chat.pin(id)
        chat.edit("m5", "another five", id="m11")
        chat.pin("m11")
        chat.add("user", "last")
        result = storage.snapshot(Scope("u1", "s"), ReadWindow(last=1))
        assert [seen.message.id for seen in result.pinned] == ["m2", "m11"]
        fork = chat.fork("m11", session="f")
        fork.add("user", "in the fork")
        result = storage.snapshot(Scope("u1", "f"), ReadWindow(last=1))
        assert [(seen.message.id, seen.message.session) for seen in result.pinned] == [("m2", "f"), ("m11", "f")]
        chat.clear()
        assert storage.snapshot(Scope("u1", "s"), ReadWindow()).pinned == []

    def test_forks_have_separate_summaries(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(storage, make_artifact("s6", "summary", session="s", upto=6))
        fork = chat.fork("m7", session="f")
        assert list_summary_ends(storage, "f") == []
        fork.add("user", "in the fork", id="f8")  # seq 8 of the fork, not of its origin
        storage.keep_artifacts(
            OWNER_SCOPE,
            ArtifactChanges(
                [make_artifact("f6", "summary", session="f", upto=6), make_artifact("f8", "summary", session="f", upto=8)]
            ),
            0,
        )
        assert list_summary_ends(storage, "f") == [6, 8]
        assert list_summary_ends(storage, "s") == [6]
        chat.erase("m8")
        assert list_summary_ends(storage, "f") == [6, 8]
        fork.erase("f8")
        assert (list_summary_ends(storage, "f"), list_summary_ends(storage, "s")) == ([6], [6])
        chat.erase("m2")
        assert (list_summary_ends(storage, "f"), list_summary_ends(storage, "s")) == ([], [])

    def test_session_has_its_newest_summary(self, chat: Chat, storage: Storage) -> None:
        before = chat.info()
        settle_notes_task(
            storage,
            make_artifact("new", "summary", "up to eight", session="s", upto=8, created=70),
            make_artifact("old", "summary", "up to four", session="s", upto=4, created=90),
        )
        after = chat.info()
        assert (after.summary, after.summarized, after.revision) == ("up to eight", 70, before.revision)
        chat.update(title="a change by hand", expected_revision=before.revision)
        again = make_artifact("again", "summary", "up to eight, again", session="s", upto=8, created=95)
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([again]), 0)
        assert find_artifact_ids(storage, "summary") == ["again", "old"]
        assert (chat.info().summary, chat.info().title) == ("up to eight, again", "a change by hand")
        storage.discard_artifacts(OWNER_SCOPE, ["again"])
        assert (chat.info().summary, chat.info().summarized) == ("up to four", 90)
        storage.discard_artifacts(OWNER_SCOPE, ["old"])
        assert (chat.info().summary, chat.info().summarized) == (None, None)

    def test_old_summaries_are_pruned_unless_used_by_a_receipt(self, chat: Chat, storage: Storage) -> None:
        chat.add_many([MessageDraft("user", f"message {number}") for number in range(11, 21)])
        for upto in range(1, 13):
            storage.keep_artifacts(
                OWNER_SCOPE, ArtifactChanges([make_artifact(f"s{upto}", "summary", session="s", upto=upto)]), 0
            )
            if upto in (2, 3):
                storage.keep_receipts(OWNER_SCOPE, [make_receipt(f"r{upto}", "s", upto, data={"summary": f"s{upto}"})])
        assert list_summary_ends(storage, "s") == [2, 3, *range(5, 13)]
        storage.drop_receipts(100, 100)
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([make_artifact("s13", "summary", session="s", upto=13)]), 0)
        assert list_summary_ends(storage, "s") == list(range(6, 14))
