"""Listing and searching the summaries of conversations."""

import pytest

import keepsaid
from keepsaid.errors import InvalidInput, NotFound


def talk(memory: keepsaid.Memory, session: str, about: str, count: int = 40, owner: str = "u1") -> keepsaid.Chat:
    chat = memory.chat(owner=owner, session=session, create=True, title=session.title())
    chat.add_many([{"role": "user", "content": f"I bought {number} {about} for 20 euros."} for number in range(count)])
    return chat


@pytest.fixture
def memory_with_summaries(memory: keepsaid.Memory, clock) -> keepsaid.Memory:
    for session, about in (("books", "books about Lisbon"), ("boats", "boats in Porto"), ("lamps", "lamps from Lisbon")):
        clock.advance(seconds=60)
        talk(memory, session, about)
    talk(memory, "short", "kites", count=2)
    talk(memory, "theirs", "books about Lisbon", owner="u2")
    memory.maintain()
    return memory


def test_summaries_are_listed_by_newest_activity(memory_with_summaries: keepsaid.Memory):
    found = memory_with_summaries.summaries(owner="u1")
    assert [(one.session, one.title) for one in found] == [("lamps", "Lamps"), ("boats", "Boats"), ("books", "Books")]
    assert [one.session for one in memory_with_summaries.summaries(owner="u1", limit=2)] == ["lamps", "boats"]
    assert [one.session for one in memory_with_summaries.summaries(owner="u1", session="boats")] == ["boats"]
    assert (
        memory_with_summaries.summaries(owner="u1", session="short") == memory_with_summaries.summaries(owner="nobody") == []
    )


def test_summary_states_which_messages_it_covers(memory_with_summaries: keepsaid.Memory):
    chat = memory_with_summaries.chat(owner="u1", session="boats")
    (one,) = memory_with_summaries.summaries(owner="u1", session="boats")
    assert one.text == chat.info().summary
    assert one.created_at == chat.info().summary_at
    covered = [message.id for message in chat.messages()]
    assert one.upto is not None
    assert one.messages == covered.index(one.upto) + 1
    assert one.tokens > 0


def test_summaries_matching_words_are_listed_best_first(memory_with_summaries: keepsaid.Memory):
    assert [one.session for one in memory_with_summaries.summaries("lamps of LISBON", owner="u1")] == ["lamps", "books"]
    assert [one.session for one in memory_with_summaries.summaries("Lisbon", owner="u1", limit=1)] == ["lamps"]
    assert [one.session for one in memory_with_summaries.summaries("boat", owner="u1")] == ["boats"]
    assert (
        memory_with_summaries.summaries("zebras", owner="u1") == memory_with_summaries.summaries("the of", owner="u1") == []
    )
    assert memory_with_summaries.summaries("Lisbon", owner="u1", session="boats") == []


def test_summaries_exclude_deleted_and_include_archived_sessions(memory_with_summaries: keepsaid.Memory):
    memory_with_summaries.chat(owner="u1", session="lamps").delete()
    memory_with_summaries.chat(owner="u1", session="boats").archive()
    assert [one.session for one in memory_with_summaries.summaries(owner="u1")] == ["boats", "books"]
    assert [one.session for one in memory_with_summaries.summaries("Lisbon", owner="u1")] == ["books"]
    assert memory_with_summaries.summaries(owner="u1", session="lamps") == []
    with pytest.raises(NotFound):
        memory_with_summaries.summaries(owner="u1", session="unknown")
    with pytest.raises(InvalidInput):
        memory_with_summaries.summaries(owner="u1", limit=0)


def test_summaries_follow_active_branch(memory_with_summaries: keepsaid.Memory):
    chat = memory_with_summaries.chat(owner="u1", session="books")
    first = memory_with_summaries.summaries(owner="u1", session="books")[0]
    chat.edit(chat.messages()[0].id, "I would rather talk about kites.")
    assert memory_with_summaries.summaries(owner="u1", session="books") == []
    chat.switch(first.upto or "", onward=True)
    assert memory_with_summaries.summaries(owner="u1", session="books") == [first]


def test_erasing_message_removes_its_summary(memory_with_summaries: keepsaid.Memory):
    chat = memory_with_summaries.chat(owner="u1", session="books")
    chat.erase(chat.messages()[0].id)
    assert [one.session for one in memory_with_summaries.summaries("books", owner="u1")] == []


def test_pool_summaries_are_visible_only_to_members(memory: keepsaid.Memory):
    team = memory.create_pool("team", owner="u1")
    chat = memory.chat(owner="u1", pool=team)
    chat.add_many([{"role": "user", "content": f"We bought {number} tents for 20 euros."} for number in range(40)])
    memory.maintain()
    assert [one.session for one in memory.summaries("tents", owner="u1", pool=team)] == [chat.id]
    with pytest.raises(NotFound):
        memory.summaries(owner="u2", pool=team)
