"""Messages of many conversations saved together: each one succeeds or fails independently."""

from __future__ import annotations

import pytest

import keepsaid
from keepsaid import Memory, MessageAddition, MessageDraft
from keepsaid.errors import InvalidInput, InvalidTransition, MessageConflict, NotFound, StorageError


def outcomes(memory: Memory, *additions: MessageAddition) -> list[object]:
    return [one if isinstance(one, Exception) else one.text for one in memory.add_each(additions)]


def test_add_each_saves_messages_to_their_sessions(memory: Memory):
    for owner, session in (("u1", "a"), ("u1", "b"), ("u2", "a")):
        memory.chat(owner=owner, session=session, create=True)
    wanted = [MessageAddition(owner, session, MessageDraft("user", f"{owner} {session} {number}"))
              for number in range(3) for owner, session in (("u1", "a"), ("u2", "a"), ("u1", "b"))]  # fmt: skip
    saved = memory.add_each(wanted)
    assert [one.text for one in saved if not isinstance(one, Exception)] == [one.draft.content for one in wanted]
    for owner, session in (("u1", "a"), ("u1", "b"), ("u2", "a")):
        texts = [message.text for message in memory.chat(owner=owner, session=session).messages()]
        assert texts == [f"{owner} {session} {number}" for number in range(3)]


def test_failed_addition_does_not_affect_others(memory: Memory):
    for session in ("good", "archived", "deleted"):
        memory.chat(owner="u1", session=session, create=True)
    memory.chat(owner="u1", session="good").add("user", "first", id="taken")
    memory.chat(owner="u1", session="archived").archive()
    memory.chat(owner="u1", session="deleted").delete()
    told = outcomes(
        memory,
        MessageAddition("u1", "good", MessageDraft("user", "one")),
        MessageAddition("u1", "nowhere", MessageDraft("user", "x")),
        MessageAddition("u2", "good", MessageDraft("user", "not mine")),
        MessageAddition("u1", "archived", MessageDraft("user", "x")),
        MessageAddition("u1", "deleted", MessageDraft("user", "x")),
        MessageAddition("u1", "good", MessageDraft("user", "other", id="taken")),
        MessageAddition("u1", "good", MessageDraft("nobody", "x")),
        MessageAddition("", "good", MessageDraft("user", "x")),
        MessageAddition("u1", "good", MessageDraft("user", "x"), pool="no such pool"),
        MessageAddition("u1", "good", MessageDraft("user", "first", id="taken")),
        MessageAddition("u1", "good", MessageDraft("user", "two")),
    )  # fmt: skip
    kinds = [one if isinstance(one, str) else type(one) for one in told]
    assert kinds[0] == "one"
    assert kinds[1:3] == [NotFound, NotFound]
    assert kinds[3] is InvalidTransition
    assert kinds[4] in (NotFound, InvalidTransition)
    assert kinds[5:] == [MessageConflict, InvalidInput, InvalidInput, NotFound, "first", "two"]
    assert [message.text for message in memory.chat(owner="u1", session="good").messages()] == ["first", "one", "two"]


def test_add_each_stores_repeated_message_id_once(memory: Memory):
    memory.chat(owner="u1", session="a", create=True)
    twice = MessageAddition("u1", "a", MessageDraft("user", "once", id="m1"))
    first, second = memory.add_each([twice, twice])
    assert first == second
    assert len(memory.chat(owner="u1", session="a").messages()) == 1


def test_add_each_does_not_index_temporary_session(store: Memory):
    hidden = store.chat(owner="u1", temporary=True)
    shown = store.chat(owner="u1")
    store.add_each(
        [
            MessageAddition("u1", hidden.id, MessageDraft("user", "secret")),
            MessageAddition("u1", shown.id, MessageDraft("user", "open")),
        ]
    )
    assert [message.text for message in hidden.messages()] == ["secret"]
    assert [hit.message.text for hit in store.search("secret open", owner="u1")] == ["open"]


def test_add_each_of_no_additions_returns_empty_list():
    with keepsaid.open("memory://") as memory:
        assert memory.add_each([]) == []


def test_add_each_on_closed_store_returns_errors(tmp_path):
    memory = keepsaid.open(tmp_path / "chat.db", embedder="off")
    memory.chat(owner="u1", session="a", create=True)
    memory.close()
    told = memory.add_each([MessageAddition("u1", "a", MessageDraft("user", str(number))) for number in range(2)])
    assert all(isinstance(one, StorageError) for one in told)


@pytest.mark.parametrize("count", [1, 2, 300])
def test_add_each_saves_any_number_of_messages(store: Memory, count: int):
    store.chat(owner="u1", session="a", create=True)
    store.add_each([MessageAddition("u1", "a", MessageDraft("user", str(number))) for number in range(count)])
    assert [message.text for message in store.chat(owner="u1", session="a").messages()] == [str(n) for n in range(count)]
