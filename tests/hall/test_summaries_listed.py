"""What conversations were about, as a list, and by words."""

import pytest

import recollect
from recollect.errors import InvalidInput, NotFound


def talk(memory: recollect.Memory, session: str, about: str, count: int = 40, owner: str = "u1") -> recollect.Chat:
    chat = memory.chat(owner=owner, session=session, create=True, title=session.title())
    chat.add_many([{"role": "user", "content": f"I bought {number} {about} for 20 euros."} for number in range(count)])
    return chat


@pytest.fixture
def filled(memory: recollect.Memory, clock) -> recollect.Memory:
    for session, about in (("books", "books about Lisbon"), ("boats", "boats in Porto"), ("lamps", "lamps from Lisbon")):
        clock.turn(seconds=60)
        talk(memory, session, about)
    talk(memory, "short", "kites", count=2)
    talk(memory, "theirs", "books about Lisbon", owner="u2")
    memory.maintain()
    return memory


def test_newest_activity_first_and_none_of_short_or_others(filled: recollect.Memory):
    found = filled.summaries(owner="u1")
    assert [(one.session, one.title) for one in found] == [("lamps", "Lamps"), ("boats", "Boats"), ("books", "Books")]
    assert [one.session for one in filled.summaries(owner="u1", limit=2)] == ["lamps", "boats"]
    assert [one.session for one in filled.summaries(owner="u1", session="boats")] == ["boats"]
    assert filled.summaries(owner="u1", session="short") == filled.summaries(owner="nobody") == []


def test_says_what_it_covers(filled: recollect.Memory):
    chat = filled.chat(owner="u1", session="boats")
    (one,) = filled.summaries(owner="u1", session="boats")
    assert one.text == chat.info().summary
    assert one.created_at == chat.info().summary_at
    covered = [message.id for message in chat.messages()]
    assert one.upto is not None
    assert one.messages == covered.index(one.upto) + 1
    assert one.tokens > 0


def test_by_words_best_first(filled: recollect.Memory):
    assert [one.session for one in filled.summaries("lamps of LISBON", owner="u1")] == ["lamps", "books"]
    assert [one.session for one in filled.summaries("Lisbon", owner="u1", limit=1)] == ["lamps"]
    assert [one.session for one in filled.summaries("boat", owner="u1")] == ["boats"]
    assert filled.summaries("zebras", owner="u1") == filled.summaries("the of", owner="u1") == []
    assert filled.summaries("Lisbon", owner="u1", session="boats") == []


def test_deleted_ones_are_gone_and_archived_ones_stay(filled: recollect.Memory):
    filled.chat(owner="u1", session="lamps").delete()
    filled.chat(owner="u1", session="boats").archive()
    assert [one.session for one in filled.summaries(owner="u1")] == ["boats", "books"]
    assert [one.session for one in filled.summaries("Lisbon", owner="u1")] == ["books"]
    assert filled.summaries(owner="u1", session="lamps") == []
    with pytest.raises(NotFound):
        filled.summaries(owner="u1", session="unknown")
    with pytest.raises(InvalidInput):
        filled.summaries(owner="u1", limit=0)


def test_follows_the_way_the_conversation_went(filled: recollect.Memory):
    chat = filled.chat(owner="u1", session="books")
    first = filled.summaries(owner="u1", session="books")[0]
    chat.edit(chat.messages()[0].id, "I would rather talk about kites.")
    assert filled.summaries(owner="u1", session="books") == []
    chat.switch(first.upto or "", onward=True)
    assert filled.summaries(owner="u1", session="books") == [first]


def test_an_erased_message_takes_them_along(filled: recollect.Memory):
    chat = filled.chat(owner="u1", session="books")
    chat.erase(chat.messages()[0].id)
    assert [one.session for one in filled.summaries("books", owner="u1")] == []


def test_of_a_pool(memory: recollect.Memory):
    team = memory.create_pool("team", owner="u1")
    chat = memory.chat(owner="u1", pool=team)
    chat.add_many([{"role": "user", "content": f"We bought {number} tents for 20 euros."} for number in range(40)])
    memory.maintain()
    assert [one.session for one in memory.summaries("tents", owner="u1", pool=team)] == [chat.id]
    with pytest.raises(NotFound):
        memory.summaries(owner="u2", pool=team)
