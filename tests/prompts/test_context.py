"""The context of a turn, on every kind of store."""

import asyncio
import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from backends import near, replicated, searching
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_prompt_assembly import check_tools
from test_prompt_assembly import count as count_outside

import keepsaid
from keepsaid.engine.prompt.budget import PRESETS, Limits
from keepsaid.errors import EmbedderError, InvalidInput, NotFound, StoreClosed
from keepsaid.llm.tokens import counter_for
from keepsaid.ports import DocumentSnippet
from keepsaid.testing import HashEmbedder
from keepsaid.types import ContentPart, ToolCall

NO_PROFILE = Limits(profile=0)
FILLER = "We talked about the garden, the weather and what to cook, and nobody said anything that matters at all."


def talk(chat, turns, first=0, words=FILLER):
    """Some turns of a conversation."""
    for number in range(first, first + turns):
        chat.add("user", f"Question {number}. {words}")
        chat.add("assistant", f"Answer {number}. {words}")


def call(chat, *ids, results=None, text=""):
    """A tool call and its results."""
    chat.add("assistant", text, tool_calls=[ToolCall(id, "weather", json.dumps({"city": id})) for id in ids])
    return [chat.add("tool", f"It is sunny in {id}.", tool_call_id=id) for id in (ids if results is None else results)]


def roles(context):
    return [message["role"] for message in context.messages]


def contents(context):
    return [message["content"] for message in context.messages]


def everything(context):
    return json.dumps(context.messages, ensure_ascii=False)


def holds(context):
    """What is true of every prompt."""
    assert context.tokens == sum(context.sections.values()) <= context.budget
    assert count_outside(context.messages) <= context.tokens
    check_tools(context.messages)
    assert [message["role"] for message in context.messages[1:]].count("system") == 0
    return context


# -- as in the README


def test_readme_example_combines_all_sections(memory):
    chat = memory.chat(owner="u1", system_prompt="You are a travel agent.")
    chat.add("user", "Tell me about the hotels Bela Vista and Casa Azul in Porto.")
    chat.add("assistant", "Bela Vista costs 120 a night, Casa Azul 95.")
    memory.remember("Allergic to nuts", owner="u1", pinned=True)
    memory.ingest("hotels.md", content="# Porto\n\nHotel Casa Azul has a pool. Hotel Bela Vista has none.", owner="u1")
    memory.chat(owner="u1", title="Earlier").add("user", "The last hotel in Porto was too loud for us.")
    memory.maintain()
    context = holds(chat.context("Which of the two hotels in Porto has a pool?", budget=8000))
    assert roles(context) == ["system", "user", "assistant", "user"]
    head = context.messages[0]["content"]
    assert head.startswith("You are a travel agent.\n\n<profile>\n")
    assert head.endswith("\n- Allergic to nuts\n</profile>")
    question = context.messages[-1]["content"]
    assert question.endswith("</memory>\n\nWhich of the two hotels in Porto has a pool?")
    for found in ("too loud for us", "Casa Azul has a pool", "hotels.md"):
        assert question.count(found) == 1
    assert "Allergic to nuts" not in question
    assert {"system", "profile", "recent", "recalled", "documents", "question"} <= context.sections.keys()
    assert str(context.sections).startswith("system 10 · profile ")
    told = context.explain()
    assert told.startswith(f"{context.tokens} of 8,000 tokens: system ")
    assert "standing profile: identity, pinned: Allergic to nuts" in told
    assert "among the newest messages" in told
    replay = memory.replay(context.receipt_id)
    assert (replay.messages, replay.intact, replay.missing) == (context.messages, True, ())


def test_empty_conversation_sends_only_the_question(chat):
    context = holds(chat.context("Hello?", budget=100))
    assert context.messages == [{"role": "user", "content": "Hello?"}]
    assert context.items == context.dropped == context.fallbacks == ()
    with pytest.raises(InvalidInput, match="there is no question"):
        chat.context(budget=100)


def test_conversation_without_user_message_has_no_question(chat):
    chat.add("assistant", "Good morning!")
    with pytest.raises(InvalidInput, match="there is no question"):
        chat.context(budget=100)


def test_erased_session_raises_not_found(memory, chat):
    chat.erase()
    with pytest.raises(NotFound):
        chat.context("Hello?")


# -- budgets, presets, strategies


@pytest.mark.parametrize(("preset", "tokens"), [("4k", 4_096), ("12k", 10_000), ("128k", 120_000), ("262k", 260_000)])
@near(reason="what is made of the messages")
def test_preset_sets_budget_and_drops_older_messages(chat, preset, tokens):
    talk(chat, 120)
    context = holds(chat.context("What did we talk about?", budget=preset))
    assert context.budget == tokens == PRESETS[preset]
    older = [item for item in context.dropped if item.kind == "messages"]
    assert bool(older) == (tokens < chat.info().token_count)
    if not older:
        assert len(context.messages) == 241


@near(reason="what is made of the messages")
def test_default_budget_comes_from_settings(opened):
    assert opened().chat(owner="u1").context("Hello?").budget == 4_096
    assert opened(context_budget=512).chat(owner="u1").context("Hello?").budget == 512
    assert opened(context_budget="128k").chat(owner="u1").context("Hello?").budget == 120_000


@pytest.mark.parametrize("wrong", ["5k", "", 0, -1, 3, True, 4.5])
@near(reason="refused before anything is read")
def test_invalid_budget_is_rejected(chat, wrong):
    with pytest.raises(InvalidInput):
        chat.context("Hello?", budget=wrong)


@pytest.mark.parametrize("options", [{"strategy": "magic"}, {"recall": "everywhere"}, {"pools": "team"}, {"model": ""}])
@near(reason="refused before anything is read")
def test_invalid_options_are_rejected(chat, options):
    with pytest.raises(InvalidInput):
        chat.context("Hello?", **options)


@near(reason="what is made of the messages")
def test_mixed_conversation_never_exceeds_budget(memory, chat):
    talk(chat, 3)
    call(chat, "Porto", "Oslo")
    chat.add("user", "日本語のテキスト 🦊 émigré", name="Ana")
    chat.add("user", [ContentPart("text", "What is this?"), ContentPart("image", uri="https://example.org/cat.png")])
    chat.add("assistant", "A cat.")
    talk(chat, 30, first=3)
    memory.maintain()
    for budget in (60, 100, 200, 400, 800, 1_200, 2_000, 4_000, 8_000):
        for strategy in ("window", "summary", "hybrid"):
            holds(chat.context("What about the cat in Porto?", budget=budget, strategy=strategy))


@pytest.mark.parametrize(
    ("names", "sections"),
    [
        (["window", "simple", "buffer"], {"recent"}),
        (["summary", "summarization"], {"summary", "recent"}),
        (["hybrid"], {"summary", "recent", "recalled"}),
    ],
)
@near(reason="what is made of the messages")
def test_strategy_names_and_aliases_select_sections(memory, chat, names, sections):
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
    talk(chat, 60)
    made = [holds(chat.context("Where does my sister live?", budget=2_000, strategy=name)) for name in names]
    assert {frozenset(context.sections) for context in made} == {frozenset(sections | {"question", "format"})}
    assert len({everything(context) for context in made}) == 1


@replicated(reason="many messages of one kind")
def test_window_messages_limits_window_strategy(opened):
    chat = opened(strategy="window", window_messages=6).chat(owner="u1")
    talk(chat, 20)
    unsaved = holds(chat.context("And now?", budget=4_000))
    assert len(unsaved.messages) == 7
    assert contents(unsaved)[0].startswith("Question 17.")
    chat.add("user", "And now?")
    for context in (chat.context("And now?", budget=4_000), chat.context(budget=4_000)):
        assert context.messages == unsaved.messages
    call(chat, *(f"c{number}" for number in range(50)))
    assert holds(chat.context(budget=8_000)).messages[:7] == unsaved.messages
    whole = opened(strategy="window", window_messages=None).chat(owner="u1")
    talk(whole, 20)
    assert len(whole.context("And now?", budget=2_000).messages) == 41


@near(reason="what is made of the messages")
def test_too_small_budget_names_the_tokens_needed(memory):
    chat = memory.chat(owner="u1", system_prompt="Be brief. " * 50)
    with pytest.raises(keepsaid.BudgetTooSmall) as error:
        chat.context("Hello?", budget=100)
    assert error.value.budget == 100
    assert chat.context("Hello?", budget=error.value.needed).tokens == error.value.needed
    with pytest.raises(keepsaid.BudgetTooSmall):
        chat.context("Hello?", budget=error.value.needed - 1)
    with pytest.raises(keepsaid.BudgetTooSmall):
        chat.context("word " * 5_000, budget="4k", system="Be brief.")


@near(reason="what is made of the messages")
def test_limits_restrict_sections(memory, chat):
    other = memory.chat(owner="u1")
    for number in range(10):
        other.add("user", f"My sister number {number} lives in Lisbon, too.")
    few = holds(chat.context("Where do my sisters live?", limits=Limits(recalled=2, profile=0)))
    assert len([item for item in few.items if item.section == "recalled"]) == 2
    assert "more than this section may have" in few.explain()
    none = holds(chat.context("Where do my sisters live?", limits=Limits(memory=0)))
    assert "recalled" not in none.sections
    small = holds(chat.context("Where do my sisters live?", limits=Limits(memory=60, profile=0)))
    assert 0 < small.sections["recalled"] <= 60


@pytest.mark.parametrize("model", ["gpt-4", "llama-3-8b", "claude-opus-5", "mistral-large"])
@near(reason="what is made of the messages")
def test_budget_holds_in_tokenizer_of_model(memory, chat, model):
    for number in range(20):
        memory.remember(f"Hat {number} Apfelbäume im Garten hinter dem Haus", owner="u1")
    talk(chat, 60, words="Wir sprachen über Gärten, das Wetter und 日本語のテキスト, dazu `rm -rf build/`.")
    chat.add("assistant", "Ein sehr langer Text. " * 2_000)
    memory.maintain()
    count = counter_for(model).count
    for strategy in ("window", "summary", "hybrid"):
        context = chat.context("Was sagten wir über Gärten?", budget=2_000, strategy=strategy, model=model)
        check_tools(context.messages)
        assert context.tokens == sum(context.sections.values()) <= 2_000
        assert 3 + sum(4 + count(text) for text in contents(context)) <= context.tokens
        assert context.tokens > 800
        assert memory.replay(context.receipt_id).messages == context.messages


# -- the question


@pytest.mark.parametrize("strategy", ["window", "hybrid"])
def test_question_appears_once_whether_saved_or_not(chat, strategy):
    talk(chat, 3)
    unsaved = holds(chat.context("Where is Bela?", strategy=strategy))
    chat.add("user", "Where is Bela?")
    saved = holds(chat.context("Where is Bela?", strategy=strategy))
    silent = holds(chat.context(strategy=strategy))
    assert unsaved.messages == saved.messages == silent.messages
    assert everything(saved).count("Where is Bela?") == 1


def test_recall_omits_message_already_in_profile(memory):
    memory.chat(owner="u1").add("user", "My sister Bela lives in Lisbon.")
    memory.chat(owner="u1").add("user", "My sister Ana lives in Lisbon. Yesterday we saw ships in the harbour there.")
    asked = memory.chat(owner="u1").context("Where do my sisters live?")
    assert "Bela lives in Lisbon" in contents(asked)[0]
    assert "Bela" not in contents(asked)[1]
    assert "harbour" in contents(asked)[1], "it says more than its line in the profile"
    assert any("the profile says so" in item.reason for item in asked.dropped)
    when = memory.chat(owner="u1").context("When did I tell you where my sister Bela lives?")
    assert "Bela" in contents(when)[1], "only the message has the day"


def test_repeated_question_text_is_sent_again(chat):
    chat.add("user", "And now?")
    chat.add("assistant", "Nothing.")
    assert contents(holds(chat.context("And now?"))) == ["And now?", "Nothing.", "And now?"]
    chat.add("user", "Well?")
    assert contents(holds(chat.context("And now?"))) == ["And now?", "Nothing.", "Well?", "And now?"]


def test_tool_loop_keeps_question_and_its_memories(memory, chat):
    memory.chat(owner="u1").add("user", "My sister lives in Lisbon.")
    talk(chat, 2)
    chat.add("user", "How is the weather where my sister lives?")
    call(chat, "Lisbon")
    context = holds(chat.context(limits=NO_PROFILE))
    assert roles(context)[-3:] == ["user", "assistant", "tool"]
    assert contents(context)[-3].startswith("<memory>")
    assert contents(context)[-3].endswith("</memory>\n\nHow is the weather where my sister lives?")
    assert context.messages[-1]["tool_call_id"] == "Lisbon"
    same = holds(chat.context("How is the weather where my sister lives?", limits=NO_PROFILE))
    assert same.messages == context.messages
    call(chat, "Porto", "Oslo", results=["Oslo", "Porto"])
    longer = holds(chat.context(limits=NO_PROFILE))
    assert longer.messages[: len(context.messages)] == context.messages
    assert [message["tool_call_id"] for message in longer.messages[-2:]] == ["Oslo", "Porto"]


def test_pending_tool_call_may_be_last_message(chat):
    chat.add("user", "How is the weather?")
    call(chat, "Porto", results=[])
    assert roles(chat.context()) == ["user", "assistant"]


@replicated(reason="many messages of one kind")
def test_long_tool_loop_keeps_its_question(chat):
    """The tool results after the question exceed the budget and the first page that is read."""
    talk(chat, 5)
    chat.add("user", "How is the weather?")
    for number in range(40):
        call(chat, f"c{number}", text="Let me look. " * 30)
    chat.add("assistant", "", tool_calls=[ToolCall("big", "weather", "{}")])
    chat.add("tool", "Sunny. " * 3_000, tool_call_id="big")
    for budget in (500, 1_000, 4_000):
        context = holds(chat.context(budget=budget))
        assert contents(context)[roles(context).index("user")].endswith("How is the weather?")
        assert context.messages[-1]["tool_call_id"] == "big"
        assert "tokens cut" in contents(context)[-1]
        assert any(item.reason == "shortened to fit the budget" and not item.whole for item in context.dropped)


# -- broken tools


def test_unpaired_tool_messages_are_dropped_and_listed(chat):
    chat.add("user", "How is the weather?")
    call(chat, "never", results=[])
    chat.add("user", "Hello?")
    chat.add("tool", "It is sunny nowhere.", tool_call_id="nobody")
    call(chat, "a", "b", "c", results=["c", "a", "b"])
    call(chat, "x", "y", results=["y"])
    chat.add("assistant", "It is sunny.")
    context = holds(chat.context("Really?"))
    assert roles(context) == ["user", "user", "assistant", "tool", "tool", "tool", "assistant", "user"]
    assert [message["tool_call_id"] for message in context.messages[3:6]] == ["c", "a", "b"]
    reasons = [item.reason for item in context.dropped]
    assert reasons.count("a tool call without its result") == 3
    assert reasons.count("a tool result without its call") == 1


def test_huge_message_is_shortened_and_listed(chat):
    talk(chat, 2)
    chat.add("user", "Read this. " + "The garden is green. " * 3_000 + "That was all.")
    context = holds(chat.context("What did I send?", budget=1_000, recall="off"))
    sent = contents(context)[-2]
    assert sent.startswith("Read this. ")
    assert sent.endswith("That was all.")
    assert "tokens cut …]" in sent
    (cut,) = [item for item in context.dropped if item.reason == "shortened to fit the budget"]
    assert not cut.whole
    assert any("budget tight" in why for why in context.fallbacks)


# -- pins and system messages


@replicated(reason="many messages of one kind")
def test_old_pinned_message_is_included(chat):
    pin = chat.add("user", "I am allergic to nuts.", pinned=True)
    talk(chat, 100)
    for strategy in ("window", "summary", "hybrid"):
        context = holds(chat.context("What can I eat?", budget=1_000, strategy=strategy, recall="off"))
        assert contents(context)[1 if roles(context)[0] == "system" else 0] == "I am allergic to nuts."
        assert contents(context).count("I am allergic to nuts.") == 1
        assert [item.id for item in context.items if item.section == "pinned"] == [pin.id]
    chat.pin(pin.id, False)
    assert "pinned" not in chat.context("What can I eat?", budget=1_000, recall="off").sections


def test_pins_over_budget_are_reported(chat):
    pins = [chat.add("user", f"Pin {number}. " + FILLER * 3, pinned=True) for number in range(10)]
    talk(chat, 50)
    context = holds(chat.context("And?", budget=400))
    inside = {item.id for item in context.items if item.section == "pinned"}
    reported = {item.id for item in context.dropped if item.reason == "a pin that did not fit the budget"}
    assert inside
    assert reported
    assert inside | reported == {pin.id for pin in pins}
    assert pins[-1].id in inside, "the newest pins come first"


@pytest.mark.parametrize("budget", [700, 1_500])
@pytest.mark.parametrize("after", range(0, 24, 3))
@searching(reason="many reads of one kind")
def test_pinned_tool_result_includes_its_call(chat, budget, after):
    """Also when the part of the conversation that is read begins between the call and its result."""
    talk(chat, 4)
    (result,) = call(chat, "Porto")
    chat.pin(result.id)
    talk(chat, after)
    context = holds(chat.context("And?", budget=budget))
    assert everything(context).count("It is sunny in Porto.") == 1
    assert everything(context).count('"weather"') == 1


@replicated(reason="many messages of one kind")
def test_leading_system_messages_join_system_prompt(memory, chat):
    chat.add("system", "Be brief.")
    chat.add("system", "Speak French.")
    talk(chat, 2)
    assert roles(holds(chat.context("Hello?"))) == ["system", "user", "assistant", "user", "assistant", "user"]
    talk(chat, 100)
    for budget in (300, 1_000, 4_000):
        context = holds(chat.context("Hello?", budget=budget))
        assert contents(context)[0].startswith("Be brief.\n\nSpeak French.")
        assert everything(context).count("Be brief.") == 1
    both = holds(chat.context("Hello?", system="You are a bird."))
    assert contents(both)[0].startswith("You are a bird.\n\nBe brief.")
    with pytest.raises(keepsaid.BudgetTooSmall):
        chat.context("Hello?", system="Sing. " * 2_000, budget=1_000)


def test_system_argument_overrides_session_system_prompt(memory):
    chat = memory.chat(owner="u1", system_prompt="Be brief.")
    assert contents(chat.context("Hello?")) == ["Be brief.", "Hello?"]
    assert contents(chat.context("Hello?", system="Be long.")) == ["Be long.", "Hello?"]
    assert contents(chat.context("Hello?", system="")) == ["Hello?"]


# -- what messages have


@near(reason="what is made of the messages")
def test_content_parts_are_sent_and_invalid_names_omitted(chat):
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
    chat.add(
        "user", [ContentPart("text", "What is this?"), ContentPart("image", uri="https://example.org/cat.png")], name="Ana"
    )
    chat.add("assistant", "A cat.", name="Dr. Ångström")
    chat.add("user", [ContentPart("file", uri="https://example.org/a.pdf", name="a.pdf", media_type="application/pdf")])
    context = holds(chat.context("Sure?"))
    first, second, third, _ = context.messages
    assert first == {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture], "name": "Ana"}
    assert "name" not in second, "providers refuse such a name"
    assert "a.pdf" in json.dumps(third)
    chat.add("user", [ContentPart("text", "And this?"), ContentPart("image", uri="https://example.org/cat.png")])
    last = holds(chat.context()).messages[-1]["content"]
    assert last[0]["text"].endswith("And this?")
    assert last[1] == picture


# -- branches


def test_context_follows_active_branch(chat):
    question = chat.add("user", "Tea from Porto?")
    chat.add("assistant", "Yes, black.")
    chat.edit(question.id, "Coffee from Oslo?")
    chat.add("assistant", "Yes, filtered.")
    assert contents(holds(chat.context("And?", recall="off")))[:2] == ["Coffee from Oslo?", "Yes, filtered."]
    chat.switch(question.id)
    assert contents(holds(chat.context("And?", recall="off"))) == ["Tea from Porto?", "And?"]
    assert contents(holds(chat.fork(question.id).context("And?", recall="off"))) == ["Tea from Porto?", "And?"]
    chat.clear()
    assert contents(holds(chat.context("And?", recall="off"))) == ["And?"]


@replicated(reason="many messages of one kind")
def test_summary_of_another_branch_is_not_used(memory, chat):
    talk(chat, 3)
    turning = chat.add("user", "Which colour shall the wall have?")
    chat.add("assistant", "Shall I decide?")
    chat.add("user", "We decided to paint the wall crimson, with 4711 litres.")
    talk(chat, 60, first=10)
    memory.maintain()
    assert "4711" in contents(chat.context("And?", budget=1_500, strategy="summary", limits=NO_PROFILE))[0]
    leaf = chat.messages(last=1)[0].id
    chat.add_many([{"role": "user", "content": "We decided to paint it turquoise, with 99 litres."}], after=turning.id)
    talk(chat, 60, first=100)
    for _ in range(2):
        other = holds(chat.context("And?", budget=1_500, strategy="summary", limits=NO_PROFILE))
        assert "99 litres" in contents(other)[0]
        assert "4711" not in everything(other)
        memory.maintain()
    chat.switch(leaf)
    assert "4711" in contents(chat.context("And?", budget=1_500, strategy="summary", limits=NO_PROFILE))[0]
    fork = chat.fork(turning.id)
    talk(fork, 60, first=200)
    memory.maintain()
    assert not {"4711", "99 litres"} & set(
        everything(fork.context("And?", budget=1_500, strategy="summary", limits=NO_PROFILE)).split()
    )


# -- where memories come from


@pytest.fixture
def elsewhere(memory):
    memory.chat(owner="u1", session="other", create=True).add("user", "My sister Bela moved to Lisbon in May.")
    memory.maintain()
    return memory


def test_recall_option_selects_owner_session_or_off(elsewhere, chat):
    chat.add("user", "My brother Rui moved to Oslo in June.")
    talk(chat, 60)
    elsewhere.maintain()
    asked = "Where did my sister and my brother move?"
    owner = holds(chat.context(asked, budget=1_000, limits=NO_PROFILE))
    assert "Lisbon" in everything(owner)
    assert "Oslo" in everything(owner)
    session = holds(chat.context(asked, budget=1_000, recall="session", limits=NO_PROFILE))
    assert "Lisbon" not in everything(session)
    assert "Oslo" in contents(session)[-1]
    off = holds(chat.context(asked, budget=1_000, recall="off"))
    assert contents(off)[-1] == asked
    assert not {"facts", "recalled"} & off.sections.keys()


def test_recall_omits_messages_already_in_prompt(chat):
    chat.add("user", "My sister moved to Lisbon in May.")
    assert contents(holds(chat.context("Where does my sister live?")))[-1] == "Where does my sister live?"


def test_temporary_session_recalls_memory_and_writes_nothing(elsewhere):
    before = elsewhere.position(owner="u1")
    chat = elsewhere.chat(owner="u1", temporary=True)
    talk(chat, 40)
    context = holds(chat.context("Where does my sister live?", budget=1_000, limits=NO_PROFILE))
    assert "sister Bela moved to Lisbon in May" in contents(context)[-1]
    assert "summary" in context.sections
    replay = elsewhere.replay(context.receipt_id, owner="u1")
    assert (replay.messages, replay.intact) == (context.messages, True)
    assert elsewhere.position(owner="u1") == before
    assert elsewhere.receipts(owner="u1") == []
    assert len(elsewhere.sessions(owner="u1")) == 1
    elsewhere.close()


def test_temporary_message_numbers_do_not_hide_stored_messages(memory):
    """The first message of the temporary session and the stored message to be recalled both have number 1."""
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
    chat = memory.chat(owner="u1", temporary=True)
    chat.add("user", "Good morning!")
    assert "Lisbon" in contents(holds(chat.context("Where does my sister live?", limits=NO_PROFILE)))[-1]


def test_pool_is_recalled_only_with_grant(memory, chat):
    team = memory.create_pool("team", owner="u2")
    memory.chat(owner="u2", pool=team).add("user", "The office code is 4711.")
    assert "4711" not in everything(chat.context("What is the office code?"))
    refused = holds(chat.context("What is the office code?", pools=[team]))
    assert "4711" not in everything(refused)
    assert any("pool" in why for why in refused.fallbacks)
    memory.grant(team, to="u1", by="u2")
    granted = holds(chat.context("What is the office code?", pools=[team]))
    assert "4711" in contents(granted)[-1]
    assert memory.replay(granted.receipt_id, owner="u1").intact
    memory.revoke(team, of="u1", by="u2")
    replay = memory.replay(granted.receipt_id, owner="u1")
    assert not replay.intact
    assert replay.missing
    assert "4711" not in json.dumps(replay.messages)


def test_pool_reader_gets_context_and_receipt(memory):
    team = memory.create_pool("team", owner="u2")
    talks = memory.chat(owner="u2", pool=team, session="t", create=True)
    talk(talks, 60)
    memory.grant(team, to="u1", by="u2")
    reader = memory.chat(owner="u1", pool=team, session="t")
    made = [holds(reader.context("What did we talk about?", budget=1_000)) for _ in range(2)]
    assert all("summary" in context.sections for context in made)
    assert made[0].messages == made[1].messages
    with pytest.raises(NotFound):
        memory.chat(owner="u3", pool=team, session="t")
    memory.maintain()
    kept = holds(reader.context("What did we talk about?", budget=1_000))
    assert kept.fallbacks == ()
    assert memory.replay(kept.receipt_id, owner="u1").intact
    with pytest.raises(NotFound):
        memory.replay(kept.receipt_id, owner="u2")


# -- documents and retrievers


def test_documents_are_cited_only_in_their_session(memory, chat):
    memory.ingest("guide.md", content="# Install\n\nRun setup.exe to install the parrot.", owner="u1", session="s")
    asked = "How do I install the parrot?"
    context = holds(chat.context(asked))
    assert "- [guide.md, § Install] " in contents(context)[-1]
    assert "documents" not in memory.chat(owner="u1").context(asked).sections
    assert "documents" not in chat.context(asked, strategy="summary").sections


@near(reason="what is made of the messages")
def test_custom_retriever_adds_documents_and_may_fail(chat):
    asked = []

    def retriever(question):
        asked.append(question)
        return [DocumentSnippet("Run setup.exe.", "guide.md", "page 3", 0.9), DocumentSnippet("Or install.sh.", "guide.md")]

    context = holds(chat.context("How do I install it?", retriever=retriever))
    assert "- [guide.md, page 3] Run setup.exe." in contents(context)[-1]
    assert asked == ["How do I install it?"]

    def broken(question):
        raise OSError("no network")

    context = holds(chat.context("How do I install it?", retriever=broken))
    assert contents(context) == ["How do I install it?"]
    assert any("no network" in why for why in context.fallbacks)


# -- when something is broken


def test_closed_store_raises_unless_allowed_without_memory(place, clock):
    memory = keepsaid.open(place, clock=clock, durable=False, background=False, embedder="off")
    chat = memory.chat(owner="u1")
    talk(chat, 2)
    memory.close()
    with pytest.raises(StoreClosed):
        chat.context("Hello?")
    context = holds(chat.context("Hello?", system="Be brief.", allow_without_memory=True))
    assert contents(context) == ["Be brief.", "Hello?"]
    assert context.receipt_id is None
    assert any(why.startswith("without memory: ") for why in context.fallbacks)
    with pytest.raises(StoreClosed):
        chat.context(allow_without_memory=True)


def test_damaged_store_raises_unless_allowed_without_memory(tmp_path, clock):
    path = tmp_path / "chat.db"
    with keepsaid.open(path, clock=clock, background=False, embedder="off") as memory:
        chat = memory.chat(owner="u1", session="s", create=True)
        talk(chat, 300)
    memory = keepsaid.open(path, clock=clock, background=False, embedder="off")
    try:
        chat = memory.chat(owner="u1", session="s")
        data = bytearray(path.read_bytes())
        data[4_096 * 3 :] = b"\xff" * (len(data) - 4_096 * 3)
        path.write_bytes(data)
        with pytest.raises(keepsaid.StorageError):
            chat.context("Hello?", strategy="window")
        context = holds(chat.context("Hello?", allow_without_memory=True))
        assert contents(context) == ["Hello?"]
        assert context.fallbacks
    finally:
        memory.close()


@near(reason="what is made of the messages")
def test_failing_embedder_falls_back_to_keyword_search(opened):
    class Broken(HashEmbedder):
        def embed(self, texts, *, asking=False):
            if asking:
                raise EmbedderError("no such model")
            return super().embed(texts, asking=asking)

    memory = opened(embedder=Broken())
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
    context = holds(memory.chat(owner="u1").context("Where does my sister live?", limits=NO_PROFILE))
    assert any("no such model" in why for why in context.fallbacks)
    assert "Lisbon" in contents(context)[-1]


# -- redaction


@near(reason="what is made of the messages")
def test_redact_sent_removes_personal_data_from_prompt(opened):
    memory = opened(redact_sent="all")
    memory.chat(owner="u1").add("user", "My sister's address is bela@example.org.")
    chat = memory.chat(owner="u1", session="s", create=True)
    chat.add("user", "Write to ana@example.org!")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "mail", '{"to": "rui@example.org"}')])
    chat.add("tool", "Sent to rui@example.org.", tool_call_id="c1")
    chat.add("user", [ContentPart("text", "Or joana@example.org?"), ContentPart("image", uri="https://example.org/cat.png")])
    chat.add("assistant", "Done.")
    asked = "What is my sister's address, and is it maria@example.org?"
    for saved in (False, True):
        if saved:
            chat.add("user", asked)
        context = holds(chat.context(asked))
        assert "@example" not in everything(context)
        assert everything(context).count("and is it [mail removed]?") == 1
        assert context.redacted["mail"] >= 6
        replay = memory.replay(context.receipt_id)
        assert (replay.messages, replay.intact) == (context.messages, True)
    assert chat.messages()[0].text == "Write to ana@example.org!"


@near(reason="what is made of the messages")
def test_redaction_keeps_prompt_head_stable(opened):
    memory = opened(redact_sent="all")
    chat = memory.chat(owner="u1")
    heads, begins = [], []
    for number in range(60):
        chat.add("user", f"Write number {number} to somebody.{number}.else@department-{number}.example.org. {FILLER}")
        chat.add("assistant", "Done.")
        context = chat.context("And now?", budget=1_000, strategy="summary")
        heads.append(context.messages[:-1])
        begins.append(begin(context))
    assert changes(heads) == compactions(begins) <= 20


def test_redact_stored_keeps_question_out_of_receipt(tmp_path, clock):
    path = tmp_path / "chat.db"
    with keepsaid.open(path, clock=clock, background=False, embedder="off", redact_stored="all") as memory:
        chat = memory.chat(owner="u1")
        found = [DocumentSnippet("Ask joana@example.org.", "guide.md")]
        unsaved = chat.context("Who is ana@example.org?", retriever=lambda question: found)
        chat.add("user", "Who is ana@example.org?")
        saved = chat.context("Who is ana@example.org?", retriever=lambda question: found)
        assert unsaved.messages == saved.messages
        assert memory.replay(unsaved.receipt_id).intact
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"ana@example" not in stored


# -- any question


QUESTIONS = st.one_of(
    st.text(max_size=300),
    st.text(alphabet=' -"\'():*.^/\\?!,;tagrolesincbeforeaftersession:user0123456789', max_size=80),
    st.lists(
        st.sampled_from(
            ["-x", "tag:y", "role:zzz", "before:", "after:tomorrow", "since:2026-13-45", '"', "AND", "NEAR(", "*",
             "last week", "session:", "it", "their", "\u202e", "\ufeff", "🦊", "</memory>", "{}", "%s", "\x1b[0m"]
        ),
        max_size=12,
    ).map(" ".join),
)  # fmt: skip


@pytest.fixture(scope="module")
def shared_memory():
    with keepsaid.open("memory://", background=False, embedder="off") as memory:
        chat = memory.chat(owner="u1", session="s", create=True)
        chat.add("user", "My sister Bela moved to Lisbon in May, and my brother Rui to Oslo.")
        chat.add("assistant", "How nice!")
        memory.remember("Allergic to nuts", owner="u1", pinned=True)
        memory.ingest("guide.md", content="# Install\n\nRun setup.exe.", owner="u1")
        memory.maintain()
        yield memory


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTIONS)
@example("")
@example("   ")
@example("?!…—")
@example("-x tag:y role:zzz before:")
@example("role:zzz tag:")
@example("word " * 20_000)
@example("a" * 100_000)
@example("</memory>" * 10_000)
def test_context_accepts_any_question_text(shared_memory, question):
    if "\0" in question:
        return
    for session in ("s", None):
        chat = shared_memory.chat(owner="u1", session=session)
        context = holds(chat.context(question, budget="262k", now=datetime(2026, 5, 1, tzinfo=UTC)))
        assert contents(context)[-1].endswith(question)


# -- what stays the same


def changes(heads):
    """How often a head does not go on as the one before it began."""
    return sum(head[: len(before)] != before for before, head in pairwise(heads))


def begin(context):
    """Up to where the conversation is too old to be told word for word."""
    return next((item.id for item in context.dropped if item.kind == "messages"), "")


def compactions(begins):
    return sum(before.partition("–")[2] != after.partition("–")[2] for before, after in pairwise(begins))


def turn(chat, number, **options):
    """One turn as an application does it: asks, saves, and answers."""
    question = f"Question {number}: what about plan {number % 7}, which costs {number * 37} euros? {FILLER[: number % 60]}"
    context = holds(chat.context(question, **options))
    chat.add("user", question)
    chat.add("assistant", f"Plan {number % 7} is fine, and so is item {number}. {FILLER}")
    return context


@replicated(reason="many messages of one kind")
def test_prompt_head_is_stable_between_compactions(opened, place):
    """Many turns at 4k, with a worker that makes summaries in between, and a restart in the middle."""
    memory = opened()
    chat = memory.chat(owner="u1", session="s", create=True, system_prompt="You are a planner.")
    heads, begins, recalled = [], [], 0
    turns = 300 if isinstance(place, Path) else 100  # where it is quick
    for number in range(turns):
        if number == turns // 2 and place != "memory://":
            memory.close()
            memory = opened()
            chat = memory.chat(owner="u1", session="s")
        context = turn(chat, number, budget="4k")
        heads.append(context.messages[:-1])
        recalled += "recalled" in context.sections
        begins.append(begin(context))
        if number % 10 == 0:
            memory.maintain()
    assert changes(heads) == compactions(begins)
    assert 1 <= compactions(begins) <= len(heads) / 15
    assert recalled > len(heads) / 3, "nothing is won by recalling nothing"
    full = begins.index(next(filter(None, begins)))
    repeated = sum(shared_tokens(before, head) for before, head in pairwise(heads[full:]))
    assert repeated / sum(map(count_outside, heads[full + 1 :])) > 0.85


def shared_tokens(before, head):
    same = 0
    while same < min(len(before), len(head)) and before[same] == head[same]:
        same += 1
    return count_outside(head[:same])


@searching(reason="many reads of one kind")
def test_alternating_budgets_keep_separate_prompt_heads(opened):
    memory = opened()
    chat = memory.chat(owner="u1", session="s", create=True)
    alone = memory.chat(owner="u2", session="s", create=True)
    small, begins, large, undisturbed = [], [], [], []
    for number in range(60):
        large.append(turn(chat, number, budget="4k", recall="off").messages[:-1])
        context = chat.context("And?", budget=1_500, recall="off")
        small.append(context.messages[:-1])
        begins.append(begin(context))
        undisturbed.append(turn(alone, number, budget="4k", recall="off").messages[:-1])
        if number % 10 == 0:
            memory.maintain()
    assert 3 <= changes(small) == compactions(begins)
    assert 1 <= changes(large) <= 3
    assert [drop_summary(head) for head in large] == [drop_summary(head) for head in undisturbed]


def drop_summary(head):
    """The conversation without the summary before it."""
    return [message for message in head if message["role"] != "system"]


def test_new_summary_is_used_only_at_next_compaction(opened):
    memory = opened()
    chat = memory.chat(owner="u1", session="s", create=True)
    talk(chat, 40)
    before = holds(chat.context("And?", budget=2_000, strategy="summary"))
    assert "summary" in before.sections
    for _ in range(3):
        memory.maintain()
        assert chat.context("And?", budget=2_000, strategy="summary").messages == before.messages
    chat.add("user", "Small.")
    memory.maintain()
    after = holds(chat.context("And?", budget=2_000, strategy="summary"))
    assert after.messages[: len(before.messages) - 1] == before.messages[:-1]


@pytest.mark.parametrize("receipts", [True, False])
@searching(reason="many reads of one kind")
def test_prompt_head_survives_many_newer_summaries(opened, receipts):
    """With a large window the summary in the head is much older than the newest ones."""
    memory = opened(receipts=receipts, summary_every=4, keep_recent=1)
    chat = memory.chat(owner="u1", session="s", create=True)
    talk(chat, 100)
    memory.maintain()
    heads, begins = [], []
    for number in range(30):
        context = turn(chat, number, budget=4_000, strategy="summary")
        heads.append(context.messages[:-1])
        begins.append(begin(context))
        memory.maintain()
    assert changes(heads) == compactions(begins) <= 3


@replicated(reason="many messages of one kind")
def test_prompt_head_is_stable_with_old_leading_system_message(chat):
    chat.add("system", "Be brief. " * 40)
    heads, begins = [], []
    for number in range(60):
        context = turn(chat, number, budget=1_500, recall="off")
        heads.append(context.messages[:-1])
        begins.append(begin(context))
    assert changes(heads) == compactions(begins) <= 20


# -- what is relevant, for a prompt of one's own


def test_relevant_context_returns_memory_block_within_limit(elsewhere):
    found = elsewhere.relevant_context("Where does my sister live?", owner="u1")
    assert found.text.startswith("<memory>\n")
    assert "Bela moved to Lisbon" in found.text
    assert counter_for("o200k_base").count(found.text) == found.tokens
    assert elsewhere.relevant_context("Where does my sister live?", owner="u1", max_tokens=0).text == ""
    few = elsewhere.relevant_context("Where does my sister live?", owner="u1", max_tokens=20)
    assert (few.text, few.tokens, few.hits, len(few.dropped)) == ("", 0, (), 1)


@near(reason="what is done with what was found")
def test_relevant_context_redacts_text(opened):
    memory = opened(redact_sent="mail")
    memory.chat(owner="u1").add("user", "My sister is ana@example.org, and lives in Lisbon.")
    found = memory.relevant_context("Where does my sister live?", owner="u1")
    assert "My sister is [mail removed], and lives in Lisbon." in found.text
    assert "ana@" in found.hits[0].message.text, "the store keeps it"


def test_relevant_context_keeps_as_many_hits_as_fit(memory, chat):
    for number in range(30):
        chat.add("user", f"My sister number {number} lives in Lisbon. {FILLER}")
    for limit in (50, 100, 300, 900):
        found = memory.relevant_context("Where do my sisters live?", owner="u1", max_tokens=limit)
        assert found.tokens <= limit
        assert len(found.hits) + len(found.dropped) == 20
    assert len(found.hits) > 10


# -- and for await


def test_async_api_builds_context(place):
    asyncio.run(use_for_await(place))


async def use_for_await(place):
    async with await keepsaid.open_async(place, background=False, embedder="off") as memory:
        chat = await memory.chat(owner="u1")
        secret = await chat.add("user", "The code is 4711.", private=True)
        assert secret.private
        assert not (await chat.keep_private(secret.id, False)).private
        fact = await memory.remember("Allergic to nuts", owner="u1")
        assert (await memory.pin_fact(fact.id, owner="u1")).pinned
        assert (await memory.edit_fact(fact.id, "Allergic to peanuts", owner="u1")).pinned
        context = await chat.context("What can I eat?", budget="4k")
        assert "Allergic to peanuts" in everything(context)
        assert (await memory.replay(context.receipt_id)).intact
        assert [receipt.id for receipt in await memory.receipts(owner="u1")] == [context.receipt_id]
        assert "4711" in (await memory.relevant_context("What is the code?", owner="u1")).text
        (fact,) = await memory.facts(owner="u1")
        await memory.forget_fact(fact.id, owner="u1")
        assert await memory.facts(owner="u1") == []


def test_context_is_equal_for_saved_and_unsaved_question(memory):
    """Saving the question first changes nothing: a question neither answers nor contradicts a fact."""
    family = memory.chat(owner="u1", title="Family")
    family.add("user", "My sister Nora is allergic to hazelnuts.")
    family.add("assistant", "Noted!")
    family.add("user", "She moved to Lisbon in May, into a small flat without a lift.")
    memory.chat(owner="u1").add("user", "What is my sister Nora allergic to?")  # asked before, and never answered
    memory.maintain()
    question = "What is my sister Nora allergic to?"
    asked = memory.chat(owner="u1").context(question, budget=1000)
    chat = memory.chat(owner="u1")
    chat.add("user", question)
    saved = chat.context(budget=1000)
    assert saved.messages == asked.messages
    facts = [item.text for item in saved.items if item.kind == "fact"]
    assert "User's sister Nora is allergic to hazelnuts" in facts
    assert not [item for item in saved.items if item.section == "recalled" and item.text == question]


def test_neighbours_of_good_match_are_included_when_room(memory):
    outage = memory.chat(owner="u1", title="Outage")
    outage.add("user", "Our staging server refuses all logins since the deploy.")
    outage.add("assistant", "Is the proxy pointing to the right port?")
    outage.add("user", "No! I changed it to 8443, and that was it.")
    asked = memory.chat(owner="u1").context("How did we get the staging logins back?", budget=2000)
    around = [item for item in asked.items if item.reason == "said around a good match"]
    assert [item.text for item in around][-1] == "No! I changed it to 8443, and that was it."
    full = memory.chat(owner="u1")
    talk(full, 20)
    tight = full.context("How did we get the staging logins back?", budget=1000)
    assert not [item for item in tight.items if item.reason == "said around a good match"]
    thanks = memory.chat(owner="u1").context("Thanks a lot!", budget=2000)
    assert not [item for item in thanks.items if item.reason == "said around a good match"]
