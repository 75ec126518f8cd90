"""By default nothing expires; where retention is on, facts outlive the conversations that expire."""

from contextlib import closing

import pytest

import keepsaid
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing import ManualClock
from keepsaid.transfer.copy import StoreCopier
from keepsaid.types import Scope, SessionStatus, ToolCall

PORTO, SISTER = "User lives in Porto", "User's sister lives in Lisbon"


@pytest.fixture
def clock():
    return ManualClock()


def open_memory(path, clock, **settings):
    options = {"embedder": "off", "background": False, "retention_preset": "30/90/30"} | settings
    return keepsaid.open(path, clock=clock, **options)


@pytest.fixture(params=["memory", "sqlite"])
def memory(request, tmp_path, clock):
    with open_memory("memory://" if request.param == "memory" else tmp_path / "chat.db", clock) as memory:
        yield memory


def create_chat(memory, session="s"):
    """A conversation with two facts and a note on a tool."""
    chat = memory.chat(owner="u1", session=session, create=True)
    chat.add("user", "I live in Porto.")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "web_search", '{"query": "flights"}')])
    chat.add("tool", "TAP flies from Porto to Lisbon daily at 09:40. Tickets cost 129 euros.", tool_call_id="c1")
    chat.add("user", "My sister lives in Lisbon.")
    memory.maintain()
    return chat


def list_facts(memory, **options):
    return {fact.text for fact in memory.facts(owner="u1", **options)}


def in_prompt(memory, question):
    """Facts and tool notes that a prompt of another conversation has."""
    chat = memory.chat(owner="u1")
    items = chat.context(question, budget=2000).items
    chat.erase()
    return [(item.kind, item.text) for item in items if item.kind in ("fact", "tool")]


def clean_up(memory, clock, times=1):
    for _ in range(times):
        clock.advance(days=31)
        memory.retention(dry_run=False)


def test_facts_survive_expiry_and_purge_of_conversation(memory, clock):
    create_chat(memory)
    for stage in ("said", "expired", "purged"):
        assert list_facts(memory) == {SISTER, PORTO}, stage
        assert list_facts(memory, query="sister") == {SISTER}
        assert ("fact", PORTO) in in_prompt(memory, "Where do I live?")
        clean_up(memory, clock)
    with pytest.raises(keepsaid.NotFound):
        memory.restore(owner="u1", session="s")
    assert memory.search("Porto", owner="u1") == []
    assert [(fact.session, fact.messages) for fact in memory.facts(owner="u1")] == [(None, ()), (None, ())]


def test_tool_notes_end_when_conversation_expires(memory, clock):
    create_chat(memory)
    question = "What did the web_search say about flights to Lisbon today?"
    assert "tool" in dict(in_prompt(memory, question))
    clean_up(memory, clock)
    assert "tool" not in dict(in_prompt(memory, question))


def test_newer_fact_replaces_fact_of_purged_conversation(memory, clock):
    create_chat(memory)
    clean_up(memory, clock, 2)
    memory.chat(owner="u1").add("user", "I live in Oslo.")
    memory.maintain()
    assert list_facts(memory) == {SISTER, "User lives in Oslo"}
    assert list_facts(memory, history=True) == {SISTER, "User lives in Oslo", PORTO}


def test_fact_of_purged_conversation_can_be_pinned_and_forgotten(memory, clock):
    create_chat(memory)
    clean_up(memory, clock, 2)
    (home,) = memory.facts("Porto", owner="u1")
    memory.pin_fact(home.id, owner="u1")
    memory.forget_fact(home.id, owner="u1")
    assert list_facts(memory) == {SISTER}


@pytest.mark.parametrize("stage", ["deleted", "purged"])
def test_deleting_conversation_removes_its_facts(memory, clock, stage):
    create_chat(memory).delete()
    if stage == "purged":
        clean_up(memory, clock)
    assert list_facts(memory) == set()


def test_deleting_restored_conversation_removes_its_facts(memory, clock):
    create_chat(memory)
    clean_up(memory, clock)
    chat = memory.restore(owner="u1", session="s")
    assert list_facts(memory) == {SISTER, PORTO}
    chat.delete()
    assert list_facts(memory) == set()


def test_erasing_expired_conversation_removes_its_facts(memory, clock):
    create_chat(memory)
    clean_up(memory, clock)
    memory.erase(owner="u1", session="s")
    assert list_facts(memory, history=True) == set()


def test_retention_facts_purge_removes_facts_with_conversation(tmp_path, clock):
    with open_memory(tmp_path / "chat.db", clock, retention_facts="purge") as memory:
        create_chat(memory)
        clean_up(memory, clock)
        assert list_facts(memory) == set()
    with open_memory(tmp_path / "chat.db", clock) as memory:
        assert list_facts(memory) == {SISTER, PORTO}  # expired, and not yet purged
    with open_memory(tmp_path / "chat.db", clock, retention_facts="purge") as memory:
        clean_up(memory, clock)
    with open_memory(tmp_path / "chat.db", clock) as memory:
        assert list_facts(memory, history=True) == set()


def test_default_retention_keeps_conversations_and_facts(tmp_path, clock):
    with open_memory(tmp_path / "chat.db", clock, retention_preset="off") as memory:
        create_chat(memory)
        clean_up(memory, clock, 100)
        info = memory.chat(owner="u1", session="s").info()
        assert (info.status, info.expires_at, list_facts(memory)) == (SessionStatus.ACTIVE, None, {SISTER, PORTO})


def test_temporary_conversations_always_expire(tmp_path, clock):
    with open_memory(tmp_path / "chat.db", clock, retention_preset="off") as memory:
        chat = memory.chat(owner="u1", temporary=True)
        chat.add("user", "Hello")
        assert chat.info().expires_at is None
        clean_up(memory, clock, 2)
        with pytest.raises(keepsaid.NotFound):
            chat.info()


def test_export_and_copy_keep_facts_of_expired_conversation(tmp_path, clock):
    source = SqliteStorage(SqliteSource(tmp_path / "a.db"))
    with open_memory(tmp_path / "a.db", clock) as memory, closing(source):
        create_chat(memory)
        clean_up(memory, clock)
        memory.export(tmp_path / "all.json", owner="u1")
        with closing(SqliteStorage(SqliteSource(tmp_path / "b.db"))) as target:
            StoreCopier(source, target).copy()
            assert target.get_session(Scope("u1", "s")).expired
    with open_memory(tmp_path / "c.db", clock) as memory:
        memory.import_(tmp_path / "all.json", owner="u1")
    for name in ("b.db", "c.db"):
        with open_memory(tmp_path / name, clock) as memory:
            assert list_facts(memory) == {SISTER, PORTO}, name
            clean_up(memory, clock)
            assert list_facts(memory) == {SISTER, PORTO}, name
