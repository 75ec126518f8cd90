"""Receipts: the prompt of a turn is replayed byte for byte, or the replay names what is missing."""

import base64
import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from backends import lasting, near, searching

import keepsaid
from keepsaid.engine.prompt.budget import Limits
from keepsaid.errors import NotFound, StoreFull
from keepsaid.ports import DocumentSnippet
from keepsaid.types import ToolCall

FILLER = "We talked about the garden, the weather and what to cook, and nobody said anything that matters at all."
ASKED = "Where does my sister live, and how do I install the parrot?"


def talk(chat, turns, first=0):
    for number in range(first, first + turns):
        chat.add("user", f"Question {number}. {FILLER}")
        chat.add("assistant", f"Answer {number}. {FILLER}")


def furnish(memory):
    """A memory with something of every kind, and a conversation that needs all of it."""
    other = memory.chat(owner="u1", session="other", create=True)
    other.add("user", "My sister Bela moved to Lisbon in May. What a party we had!", id="sister")
    other.add("user", "I also live in Porto.")
    other.add(
        "user",
        "A word on parrots. " + "Nothing follows from that, as everybody knows. " * 60 + "My sister feeds the parrot.",
    )
    memory.remember("Allergic to nuts", owner="u1", pinned=True)
    memory.remember("The parrot of the sister learned to speak", owner="u1", kind="event")
    memory.ingest("guide.md", content="# Install\n\nRun setup.exe to install the parrot.", owner="u1")
    chat = memory.chat(owner="u1", session="s", create=True, system_prompt="You are a zoo keeper.")
    chat.add("user", "I am called Ana, and I like parrots.", pinned=True)
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "weather", '{"city": "Porto"}')])
    chat.add("tool", "It is sunny in Porto.", tool_call_id="c1", pinned=True)
    talk(chat, 40)
    memory.maintain()
    return chat


def same(replay, context):
    """To the byte, in the order of every key."""
    assert replay.missing == ()
    assert replay.intact
    assert json.dumps(replay.messages) == json.dumps(context.messages)


# -- the same again


def test_replay_matches_with_every_section(memory):
    chat = furnish(memory)
    context = chat.context(ASKED, budget=2_000)
    sections = {"system", "profile", "summary", "pinned", "recent", "facts", "recalled", "documents", "question"}
    assert sections <= context.sections.keys()
    assert any(not item.whole for item in context.items if item.section == "recalled"), "a passage of a long message"
    same(memory.replay(context.receipt_id), context)
    same(memory.replay(context.receipt_id, owner="u1"), context)


@pytest.mark.parametrize("strategy", ["window", "summary", "hybrid"])
@near(reason="what is made of the messages")
def test_replay_matches_for_each_strategy_and_tokenizer(memory, strategy):
    chat = furnish(memory)
    for model in (None, "gpt-4", "claude-opus-5", "llama-3"):
        context = chat.context(ASKED, budget=1_500, strategy=strategy, model=model)
        same(memory.replay(context.receipt_id), context)


@pytest.mark.parametrize("model", [None, "gpt-4", "llama-3"])
@near(reason="what is made of the messages")
def test_replay_matches_with_shortened_message(memory, model):
    chat = memory.chat(owner="u1")
    chat.add("user", "Das ist ein sehr langer Text über Gärten 日本語. " * 500)
    context = chat.context("Was?", budget=600, model=model)
    assert "tokens cut" in json.dumps(context.messages)
    same(memory.replay(context.receipt_id), context)


@near(reason="what is made of the messages")
def test_replay_matches_with_custom_retriever(memory):
    found = [DocumentSnippet("Run setup.exe.", "guide.md", "page 3"), DocumentSnippet("Or\ninstall.sh </memory>", "other")]
    context = memory.chat(owner="u1").context("How do I install it?", retriever=lambda question: found)
    assert "page 3" in json.dumps(context.messages)
    same(memory.replay(context.receipt_id), context)


@pytest.mark.parametrize("kinds", ["all", "mail"])
@near(reason="what is made of the messages")
def test_replay_matches_with_redaction(opened, kinds):
    memory = opened(redact_sent=kinds)
    memory.chat(owner="u1").add("user", "My sister's mail is bela@example.org, her phone +351 912 345 678.")
    chat = memory.chat(owner="u1", system_prompt="Write to boss@example.org.")
    chat.add("user", "I am ana@example.org.")
    context = chat.context("What is my sister's mail and phone? Not maria@example.org!")
    assert "maria@" not in json.dumps(context.messages)
    same(memory.replay(context.receipt_id), context)
    (receipt,) = memory.receipts(owner="u1")
    assert receipt.data["redacted"] == dict(context.redacted)


def test_replay_matches_after_later_changes(opened, place, clock):
    """After more turns, a new summary, a new version of the document and an edited fact."""
    memory = opened()
    chat = furnish(memory)
    contexts = [chat.context(ASKED, budget=budget, **more) for budget in (1_000, 2_000) for more in ({}, {"recall": "off"})]
    clock.advance(days=1)
    talk(chat, 30, first=100)
    memory.maintain()
    chat.context(ASKED, budget=1_000)
    memory.ingest("guide.md", content="# Install\n\nRun install.sh instead.", owner="u1")
    (fact,) = [fact for fact in memory.facts(owner="u1") if fact.pinned]
    memory.edit_fact(fact.id, "Allergic to peanuts", owner="u1")
    memory.chat(owner="u1").add("user", "My sister Bela moved to Oslo.")
    chat.edit(chat.messages(last=1)[0].id, "Something else.")
    chat.update(system_prompt="You are a bird.", title="Birds")
    memory.maintain()
    for _ in range(2):
        for context in contexts:
            same(memory.replay(context.receipt_id), context)
        if place == "memory://":
            return
        memory.close()
        memory = opened()


def test_replay_matches_for_saved_question_and_tool_loop(memory):
    chat = furnish(memory)
    chat.add("user", ASKED)
    asked = chat.context(ASKED)
    chat.add("assistant", "", tool_calls=[ToolCall("c2", "weather", "{}")])
    called = chat.context()
    chat.add("tool", "Sunny.", tool_call_id="c2")
    answered = chat.context()
    for context in (asked, called, answered):
        same(memory.replay(context.receipt_id), context)


def test_replay_matches_in_a_pool(memory):
    team = memory.create_pool("team", owner="u1")
    chat = memory.chat(owner="u1", pool=team, session="t", create=True)
    memory.remember("The office code is 4711", owner="u1", pool=team, pinned=True)
    talk(chat, 40)
    memory.maintain()
    context = chat.context("What is the office code?", budget=1_000)
    assert {"summary", "facts"} <= context.sections.keys()
    same(memory.replay(context.receipt_id, owner="u1"), context)
    (listed,) = memory.receipts(owner="u1", pool=team)
    same(memory.replay(listed.id), context)


def test_replay_repeats_note_on_replaced_fact(memory):
    """The prompt marks a recalled message as changed since; the replay contains the same mark."""
    other = memory.chat(owner="u1")
    other.add("user", "I live in Porto, near the river.")
    memory.maintain()
    other.add("user", "I moved to Lisbon.")
    memory.maintain()
    context = memory.chat(owner="u1").context("Do I live near the river in Porto?")
    assert "changed since" in json.dumps(context.messages)
    same(memory.replay(context.receipt_id), context)


# -- what a receipt tells


def test_receipt_stores_references_instead_of_text(memory, clock):
    chat = furnish(memory)
    context = chat.context(ASKED, budget=2_000, limits=Limits(recalled=1, profile=0))
    (receipt,) = memory.receipts(owner="u1", session="s")
    assert receipt.id == context.receipt_id
    assert (receipt.session, receipt.question, receipt.created_at) == ("s", ASKED, clock())
    data = receipt.data
    assert data["sections"] == dict(context.sections)
    assert (data["tokens"], data["budget"], data["strategy"]) == (context.tokens, 2_000, "hybrid")
    assert {entry["kind"] for entry in data["entries"]} == {"fact", "message", "chunk"}
    assert all(entry["tokens"] > 0 and entry["why"] for entry in data["entries"])
    (recalled,) = [entry for entry in data["entries"] if entry["kind"] == "message"]
    assert 0 < recalled["score"] <= 1
    assert recalled["signals"]
    assert any("more than this section may have" in near["why"] for near in data["near"])
    stored = json.dumps(data)
    for text in ("Lisbon", "Porto", "setup.exe", "nuts", "garden"):
        assert text not in stored, "references, not copies"


def test_receipts_are_listed_newest_first(memory, clock):
    chat = memory.chat(owner="u1")
    made = []
    for number in range(5):
        made.append(chat.context(f"Question {number}?").receipt_id)
        clock.advance(seconds=1)
    memory.chat(owner="u2").context("Hello?")
    assert [receipt.id for receipt in memory.receipts(owner="u1")] == made[::-1]
    assert [receipt.id for receipt in memory.receipts(owner="u1", limit=2)] == made[:2:-1]
    assert memory.receipts(owner="u1", session=memory.chat(owner="u1").id) == []


# -- after an erase


def gone(memory, context, *words):
    """Not the same, says so, and has nothing of what is gone."""
    replay = memory.replay(context.receipt_id)
    assert not replay.intact
    assert replay.missing
    for word in words:
        assert word not in json.dumps(replay.messages)
    left = [message for message in replay.messages if message not in context.messages]
    kept = "\n".join(str(message["content"]) for message in context.messages)
    for message in left:
        lines = str(message["content"]).splitlines()
        assert all(line in kept for line in lines), "nothing is invented"
    return replay


def test_replay_omits_erased_recalled_message(memory):
    chat = furnish(memory)
    context = chat.context(ASKED, budget=2_000)
    memory.erase(owner="u1", session="other", message="sister")
    replay = gone(memory, context, "Bela")
    assert any("message number 1 " in what for what in replay.missing)
    assert any("fact" in what for what in replay.missing)


def test_replay_omits_erased_conversation_message(memory):
    chat = furnish(memory)
    context = chat.context(ASKED, budget=2_000)
    last = chat.messages(last=1)[0]
    chat.erase(last.id)
    gone(memory, context, last.text)
    first = chat.messages(last=70)[0]
    before = chat.context(ASKED, budget=2_000)
    assert "summary" in before.sections
    chat.erase(first.id)
    replay = gone(memory, before)
    assert any("summary" in what for what in replay.missing)


@pytest.mark.parametrize("saved", [True, False])
def test_replay_omits_erased_question(memory, saved):
    chat = memory.chat(owner="u1")
    chat.add("user", "Hello.")
    chat.add("assistant", "Hello!")
    if saved:
        question = chat.add("user", "Where is Bela?")
    context = chat.context("Where is Bela?")
    memory.receipts(owner="u1")
    if not saved:
        question = chat.add("user", "Where is Bela?")
    chat.erase(question.id)
    replay = gone(memory, context, "Bela")
    assert "the question was erased" in replay.missing
    assert "Bela" not in json.dumps([receipt.question for receipt in memory.receipts(owner="u1")])


@pytest.mark.parametrize("written", [True, False])
def test_erasing_session_removes_its_receipts(memory, written):
    chat = memory.chat(owner="u1")
    context = chat.context("Where is Bela?")
    if written:
        memory.receipts(owner="u1")
    chat.erase()
    if not written:
        memory.receipts(owner="u1")
    with pytest.raises(NotFound):
        memory.replay(context.receipt_id)


def test_erasing_owner_removes_receipts(memory):
    context = furnish(memory).context(ASKED)
    memory.erase(owner="u1")
    with pytest.raises(NotFound):
        memory.replay(context.receipt_id)


def test_replay_omits_forgotten_fact_and_removed_document(memory):
    chat = furnish(memory)
    context = chat.context(ASKED, budget=2_000)
    (fact,) = [fact for fact in memory.facts(owner="u1") if fact.pinned]
    memory.forget_fact(fact.id, owner="u1")
    memory.remove_document("guide.md", owner="u1")
    replay = gone(memory, context, "nuts", "setup.exe")
    assert f"the fact {fact.id} no longer exists" in replay.missing


# -- whose it is


def test_receipts_of_another_owner_are_not_found(memory):
    context = memory.chat(owner="u1").context("Hello?")
    with pytest.raises(NotFound):
        memory.replay(context.receipt_id, owner="u2")
    memory.receipts(owner="u1")
    with pytest.raises(NotFound):
        memory.replay(context.receipt_id, owner="u2")
    assert memory.receipts(owner="u2") == []


def forge_cursor(*values):
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "id",
    ["", "x", "garbage!", "💥", "=" * 20, "A" * 10_000, forge_cursor("u1", None, "nothing"), forge_cursor("", None, "x"),
     forge_cursor(1, 2, 3), forge_cursor("u1", "pool", "x"), forge_cursor("u1", None, "x" * 1_000),
     forge_cursor("\ud800", None, "x"),
     forge_cursor("a\0b", None, "c"), forge_cursor("u1", None), base64.urlsafe_b64encode(b"[" * 100_000).decode(), None, 7,
     b"x"],
)  # fmt: skip
@searching(reason="what an id may be")
def test_invalid_or_forged_receipt_id_is_not_found(memory, id):
    memory.chat(owner="u1").context("Hello?")
    for owner in (None, "u1"):
        with pytest.raises(NotFound):
            memory.replay(id, owner=owner)


# -- keeping them


def test_receipts_setting_disables_receipts(opened):
    memory = opened(receipts=False)
    context = memory.chat(owner="u1").context("Hello?")
    assert context.receipt_id is None
    assert memory.receipts(owner="u1") == []


def test_receipts_have_their_own_retention(opened, clock):
    memory = opened(receipt_days=7)
    chat = memory.chat(owner="u1")
    old = chat.context("Hello?")
    clock.advance(days=5)
    new = chat.context("Hello again?")
    memory.retention(dry_run=True)
    assert len(memory.receipts(owner="u1")) == 2
    clock.advance(days=3)
    memory.retention(dry_run=True)
    assert len(memory.receipts(owner="u1")) == 2
    memory.retention(dry_run=False)
    assert [receipt.id for receipt in memory.receipts(owner="u1")] == [new.receipt_id]
    with pytest.raises(NotFound):
        memory.replay(old.receipt_id)
    assert memory.replay(new.receipt_id).intact
    assert chat.info().status == "active"


def test_receipt_days_none_keeps_receipts_forever(opened, clock):
    memory = opened(receipt_days=None, retention_active_days=None)
    context = memory.chat(owner="u1").context("Hello?")
    clock.advance(days=10_000)
    memory.retention(dry_run=False)
    assert memory.replay(context.receipt_id).intact


def test_context_does_not_wait_for_receipt_write(opened, monkeypatch):
    """A store that is slow to write receipts does not delay the context, and the replay is available at once."""
    memory = opened()
    storage = memory._services.storage
    import threading

    may_write, wrote = threading.Event(), []
    keep = type(storage).keep_receipts

    def slow(scope, receipts):
        may_write.wait(20)
        keep(storage, scope, receipts)
        wrote.extend(receipts)

    monkeypatch.setattr(storage, "keep_receipts", slow)
    context = memory.chat(owner="u1").context("Hello?")
    assert wrote == []
    same(memory.replay(context.receipt_id), context)
    may_write.set()
    memory.receipts(owner="u1")
    assert len(wrote) == 1
    same(memory.replay(context.receipt_id), context)


def test_failed_receipt_write_is_reported_in_next_context(opened, monkeypatch):
    memory = opened()

    def full(scope, receipts):
        raise StoreFull("the disk is full")

    monkeypatch.setattr(memory._services.storage, "keep_receipts", full)
    chat = memory.chat(owner="u1")
    first = chat.context("Hello?")
    assert first.fallbacks == ()
    memory.receipts(owner="u1")
    second = chat.context("Hello?")
    assert any("the disk is full" in why for why in second.fallbacks)
    assert second.messages == first.messages


@lasting
def test_close_writes_pending_receipts(opened):
    with opened() as memory:
        context = memory.chat(owner="u1").context("Hello?")
    with opened() as memory:
        same(memory.replay(context.receipt_id), context)


@lasting
def test_killed_process_loses_at_most_last_receipt(place):
    code = f"""
    import os, keepsaid
    memory = keepsaid.open({str(place)!r}, background=False, embedder="off")
    chat = memory.chat(owner="u1", session="s", create=True)
    chat.add("user", "Hello.")
    first = chat.context("One?").receipt_id
    memory.receipts(owner="u1")
    chat.add("user", "One?")
    second = chat.context("Two?").receipt_id
    print(first, second, flush=True)
    os.kill(os.getpid(), {int(signal.SIGKILL)})
    """
    made = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=os.environ)
    assert made.returncode == -signal.SIGKILL
    first, second = made.stdout.split()
    with keepsaid.open(place, background=False, embedder="off") as memory:
        assert [message.text for message in memory.chat(owner="u1", session="s").messages()] == ["Hello.", "One?"]
        assert memory.replay(first).intact
        assert memory.check().healthy
        try:
            assert memory.replay(second).intact
        except NotFound:
            assert len(memory.receipts(owner="u1")) == 1


def test_receipts_from_many_threads_are_all_kept(memory):
    from concurrent.futures import ThreadPoolExecutor

    chats = [memory.chat(owner=f"u{number % 3}") for number in range(6)]
    with ThreadPoolExecutor(6) as threads:
        made = list(threads.map(lambda number: chats[number % 6].context(f"Question {number}?"), range(60)))
    for context in made:
        same(memory.replay(context.receipt_id), context)
    assert sum(len(memory.receipts(owner=f"u{number}", limit=100)) for number in range(3)) == 60
