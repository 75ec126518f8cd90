"""Messages of many conversations saved together: each is done or refused by itself."""

from __future__ import annotations

import pytest

import recollect
from recollect import Addition, Draft, Memory
from recollect.errors import IllegalMove, InvalidInput, MessageConflict, NotFound, StorageError


def outcomes(memory: Memory, *additions: Addition) -> list[object]:
    return [one if isinstance(one, Exception) else one.text for one in memory.add_each(additions)]


def test_each_is_saved_where_it_belongs(memory: Memory):
    for owner, session in (("u1", "a"), ("u1", "b"), ("u2", "a")):
        memory.chat(owner=owner, session=session, create=True)
    wanted = [Addition(owner, session, Draft("user", f"{owner} {session} {number}"))
              for number in range(3) for owner, session in (("u1", "a"), ("u2", "a"), ("u1", "b"))]  # fmt: skip
    saved = memory.add_each(wanted)
    assert [one.text for one in saved if not isinstance(one, Exception)] == [one.draft.content for one in wanted]
    for owner, session in (("u1", "a"), ("u1", "b"), ("u2", "a")):
        texts = [message.text for message in memory.chat(owner=owner, session=session).messages()]
        assert texts == [f"{owner} {session} {number}" for number in range(3)]


def test_one_that_fails_harms_no_other(memory: Memory):
    for session in ("good", "archived", "deleted"):
        memory.chat(owner="u1", session=session, create=True)
    memory.chat(owner="u1", session="good").add("user", "first", id="taken")
    memory.chat(owner="u1", session="archived").archive()
    memory.chat(owner="u1", session="deleted").delete()
    told = outcomes(
        memory,
        Addition("u1", "good", Draft("user", "one")),
        Addition("u1", "nowhere", Draft("user", "x")),
        Addition("u2", "good", Draft("user", "not mine")),
        Addition("u1", "archived", Draft("user", "x")),
        Addition("u1", "deleted", Draft("user", "x")),
        Addition("u1", "good", Draft("user", "other", id="taken")),
        Addition("u1", "good", Draft("nobody", "x")),
        Addition("", "good", Draft("user", "x")),
        Addition("u1", "good", Draft("user", "x"), pool="no such pool"),
        Addition("u1", "good", Draft("user", "first", id="taken")),
        Addition("u1", "good", Draft("user", "two")),
    )  # fmt: skip
    kinds = [one if isinstance(one, str) else type(one) for one in told]
    assert kinds[0] == "one"
    assert kinds[1:3] == [NotFound, NotFound]
    assert kinds[3] is IllegalMove
    assert kinds[4] in (NotFound, IllegalMove)
    assert kinds[5:] == [MessageConflict, InvalidInput, InvalidInput, NotFound, "first", "two"]
    assert [message.text for message in memory.chat(owner="u1", session="good").messages()] == ["first", "one", "two"]


def test_the_same_id_twice_in_one_go_is_one_message(memory: Memory):
    memory.chat(owner="u1", session="a", create=True)
    twice = Addition("u1", "a", Draft("user", "once", id="m1"))
    first, second = memory.add_each([twice, twice])
    assert first == second
    assert len(memory.chat(owner="u1", session="a").messages()) == 1


def test_of_a_temporary_conversation_nothing_is_written(store: Memory):
    hidden = store.chat(owner="u1", temporary=True)
    shown = store.chat(owner="u1")
    store.add_each([Addition("u1", hidden.id, Draft("user", "secret")), Addition("u1", shown.id, Draft("user", "open"))])
    assert [message.text for message in hidden.messages()] == ["secret"]
    assert [hit.message.text for hit in store.search("secret open", owner="u1")] == ["open"]


def test_nothing_is_nothing():
    with recollect.open("memory://") as memory:
        assert memory.add_each([]) == []


def test_a_closed_store_says_so_for_each(tmp_path):
    memory = recollect.open(tmp_path / "chat.db", embedder="off")
    memory.chat(owner="u1", session="a", create=True)
    memory.close()
    told = memory.add_each([Addition("u1", "a", Draft("user", str(number))) for number in range(2)])
    assert all(isinstance(one, StorageError) for one in told)


@pytest.mark.parametrize("count", [1, 2, 300])
def test_any_number(store: Memory, count: int):
    store.chat(owner="u1", session="a", create=True)
    store.add_each([Addition("u1", "a", Draft("user", str(number))) for number in range(count)])
    assert [message.text for message in store.chat(owner="u1", session="a").messages()] == [str(n) for n in range(count)]
