"""Nothing is forgotten by default; where retention is on, facts outlive the conversations that expire."""

from contextlib import closing

import pytest

import recollect
from recollect.copier import Copier
from recollect.storage.sqlite import Source, SqliteStorage
from recollect.testing import HandClock
from recollect.types import Scope, Status, ToolCall

PORTO, SISTER = "User lives in Porto", "User's sister lives in Lisbon"


@pytest.fixture
def clock():
    return HandClock()


def opened(path, clock, **settings):
    options = {"embedder": "off", "background": False, "retention_preset": "30/90/30"} | settings
    return recollect.open(path, clock=clock, **options)


@pytest.fixture(params=["memory", "sqlite"])
def memory(request, tmp_path, clock):
    with opened("memory://" if request.param == "memory" else tmp_path / "chat.db", clock) as memory:
        yield memory


def said(memory, session="s"):
    """A conversation with two facts and a note on a tool."""
    chat = memory.chat(owner="u1", session=session, create=True)
    chat.add("user", "I live in Porto.")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "web_search", '{"query": "flights"}')])
    chat.add("tool", "TAP flies from Porto to Lisbon daily at 09:40. Tickets cost 129 euros.", tool_call_id="c1")
    chat.add("user", "My sister lives in Lisbon.")
    memory.maintain()
    return chat


def known(memory, **options):
    return {fact.text for fact in memory.facts(owner="u1", **options)}


def in_prompt(memory, question):
    """Facts and tool notes that a prompt of another conversation has."""
    chat = memory.chat(owner="u1")
    items = chat.context(question, budget=2000).items
    chat.erase()
    return [(item.kind, item.text) for item in items if item.kind in ("fact", "tool")]


def clean_up(memory, clock, times=1):
    for _ in range(times):
        clock.turn(days=31)
        memory.retention(dry_run=False)


def test_facts_stay_when_their_conversation_expires_and_is_purged(memory, clock):
    said(memory)
    for stage in ("said", "expired", "purged"):
        assert known(memory) == {SISTER, PORTO}, stage
        assert known(memory, query="sister") == {SISTER}
        assert ("fact", PORTO) in in_prompt(memory, "Where do I live?")
        clean_up(memory, clock)
    with pytest.raises(recollect.NotFound):
        memory.restore(owner="u1", session="s")
    assert memory.search("Porto", owner="u1") == []
    assert [(fact.session, fact.messages) for fact in memory.facts(owner="u1")] == [(None, ()), (None, ())]


def test_tool_notes_go_with_a_conversation_that_expires(memory, clock):
    said(memory)
    question = "What did the web_search say about flights to Lisbon today?"
    assert "tool" in dict(in_prompt(memory, question))
    clean_up(memory, clock)
    assert "tool" not in dict(in_prompt(memory, question))


def test_a_kept_fact_is_replaced_by_a_newer_one(memory, clock):
    said(memory)
    clean_up(memory, clock, 2)
    memory.chat(owner="u1").add("user", "I live in Oslo.")
    memory.maintain()
    assert known(memory) == {SISTER, "User lives in Oslo"}
    assert known(memory, history=True) == {SISTER, "User lives in Oslo", PORTO}


def test_a_kept_fact_can_be_changed_and_forgotten(memory, clock):
    said(memory)
    clean_up(memory, clock, 2)
    (home,) = memory.facts("Porto", owner="u1")
    memory.pin_fact(home.id, owner="u1")
    memory.forget_fact(home.id, owner="u1")
    assert known(memory) == {SISTER}


@pytest.mark.parametrize("stage", ["deleted", "purged"])
def test_what_a_person_deletes_takes_its_facts_along(memory, clock, stage):
    said(memory).delete()
    if stage == "purged":
        clean_up(memory, clock)
    assert known(memory) == set()


def test_what_a_person_deletes_after_restoring_it_takes_its_facts_along(memory, clock):
    said(memory)
    clean_up(memory, clock)
    chat = memory.restore(owner="u1", session="s")
    assert known(memory) == {SISTER, PORTO}
    chat.delete()
    assert known(memory) == set()


def test_erasing_an_expired_conversation_takes_its_facts_along(memory, clock):
    said(memory)
    clean_up(memory, clock)
    memory.erase(owner="u1", session="s")
    assert known(memory, history=True) == set()


def test_facts_go_with_their_conversation_if_the_setting_says_so(tmp_path, clock):
    with opened(tmp_path / "chat.db", clock, retention_facts="purge") as memory:
        said(memory)
        clean_up(memory, clock)
        assert known(memory) == set()
    with opened(tmp_path / "chat.db", clock) as memory:
        assert known(memory) == {SISTER, PORTO}  # expired, and not yet purged
    with opened(tmp_path / "chat.db", clock, retention_facts="purge") as memory:
        clean_up(memory, clock)
    with opened(tmp_path / "chat.db", clock) as memory:
        assert known(memory, history=True) == set()


def test_nothing_is_forgotten_by_default(tmp_path, clock):
    with opened(tmp_path / "chat.db", clock, retention_preset="off") as memory:
        said(memory)
        clean_up(memory, clock, 100)
        info = memory.chat(owner="u1", session="s").info()
        assert (info.status, info.expires_at, known(memory)) == (Status.ACTIVE, None, {SISTER, PORTO})


def test_temporary_conversations_always_expire(tmp_path, clock):
    with opened(tmp_path / "chat.db", clock, retention_preset="off") as memory:
        chat = memory.chat(owner="u1", temporary=True)
        chat.add("user", "Hello")
        assert chat.info().expires_at is None
        clean_up(memory, clock, 2)
        with pytest.raises(recollect.NotFound):
            chat.info()


def test_an_export_and_a_copy_keep_what_expired_and_its_facts(tmp_path, clock):
    source = SqliteStorage(Source(tmp_path / "a.db"))
    with opened(tmp_path / "a.db", clock) as memory, closing(source):
        said(memory)
        clean_up(memory, clock)
        memory.export(tmp_path / "all.json", owner="u1")
        with closing(SqliteStorage(Source(tmp_path / "b.db"))) as target:
            Copier(source, target).copy()
            assert target.get_session(Scope("u1", "s")).expired
    with opened(tmp_path / "c.db", clock) as memory:
        memory.import_(tmp_path / "all.json", owner="u1")
    for name in ("b.db", "c.db"):
        with opened(tmp_path / name, clock) as memory:
            assert known(memory) == {SISTER, PORTO}, name
            clean_up(memory, clock)
            assert known(memory) == {SISTER, PORTO}, name
