"""Notes derived from messages: when facts, summaries, titles, tags and tool notes are created, replaced and removed."""

import json
import threading
import time
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest
from backends import lasting, near

import keepsaid
from keepsaid.errors import InvalidInput, LLMError, NotFound
from keepsaid.ports import ArtifactQuery, LLMCompletion
from keepsaid.services.background import worker
from keepsaid.testing import ScriptedLLM
from keepsaid.types import Scope, ToolCall

PORTO = "User lives in Porto"
FILLER = "We talked about the garden, the weather and what to cook, and nobody said anything that matters at all."


def talk(chat, turns, first=0):
    for number in range(first, first + turns):
        chat.add("user", f"Question {number}. {FILLER}")
        chat.add("assistant", f"Answer {number}. {FILLER}")


def list_facts(memory, **options):
    return [fact.text for fact in memory.facts(owner="u1", **options)]


def everything(memory, chat):
    """All that is made of messages and can be shown, as one text."""
    info = memory.chat(owner="u1", session=chat.id).info()
    context = chat.context("What is the code, and what else is there?", budget=800)
    hits = memory.search("What is the secret code?", owner="u1")
    derived = [item.text for item in (*context.items, *context.dropped) if item.section not in ("recent", "pinned")]
    found = [hit.message.text for hit in hits]
    return "\n".join([*list_facts(memory, history=True), str(info.title), *info.tags, str(info.summary), *derived, *found])


def patiently(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def fill(chat):
    """A conversation with something for every kind of note."""
    chat.add("user", "I live in Porto, and I am planning a trip to the Azores in June.")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "web_search", '{"query": "flights Porto Azores"}')])
    chat.add("tool", "TAP flies from Porto to Ponta Delgada daily at 09:40. Tickets cost 129 euros.", tool_call_id="c1")
    chat.add("assistant", "There is a daily flight to the Azores at 09:40 for 129 euros.")
    for number in range(10):
        chat.add("user", f"What about the Azores, question {number}?")
        chat.add("assistant", f"The Azores are fine, answer {number}.")


# -- when


def made_of(memory):
    return {
        kind: memory._services.storage.artifacts(Scope("u1"), ArtifactQuery(kind))
        for kind in ("fact", "summary", "tool", "label")
    }


def test_maintain_creates_every_kind_of_note_once(memory, chat):
    fill(chat)
    assert not any(made_of(memory).values())
    memory.maintain()
    made = made_of(memory)
    assert all(made.values()), {kind: len(some) for kind, some in made.items()}
    assert PORTO in list_facts(memory)
    info = chat.info()
    assert "Azores" in info.title
    assert info.tags
    assert "Porto" in info.summary
    assert info.summary_at is not None
    (note,) = made["tool"]
    assert "129 euros" in note.text
    assert note.data["tool"] == "web_search"
    before = made_of(memory)
    memory.maintain()
    assert made_of(memory) == before, "nothing is noted twice"


def test_background_worker_creates_every_kind_of_note(opened):
    memory = opened(background=True)
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    patiently(lambda: all(made_of(memory).values()) and chat.info().title)
    assert PORTO in list_facts(memory)


@lasting
def test_background_worker_notes_messages_of_closed_program(place):
    with keepsaid.open(place, background=False, embedder="off") as memory:
        fill(memory.chat(owner="u1", session="s", create=True))
    with keepsaid.open(place, embedder="off") as memory:
        memory.search("anything", owner="u1")
        patiently(lambda: PORTO in list_facts(memory))


def test_notes_setting_disables_notes(opened):
    memory = opened(notes=False)
    chat = memory.chat(owner="u1")
    fill(chat)
    memory.maintain()
    assert not any(made_of(memory).values())
    assert chat.info().title is None


def test_temporary_session_creates_no_notes(memory):
    fill(memory.chat(owner="u1", temporary=True))
    memory.maintain()
    assert not any(made_of(memory).values())


def test_summary_excludes_newest_messages(opened):
    memory = opened(summary_tail_tokens=50)
    for messages in range(8):
        chat = memory.chat(owner="u1")
        for _ in range(messages):
            chat.add("user", FILLER * 3 + " The code is 4711.")
        memory.maintain()
        covered = [one.upto for one in made_of(memory)["summary"] if one.session == chat.id]
        assert all(upto <= messages - 5 for upto in covered), "the newest five stay out of it"
    assert covered == [2]


def test_tool_note_is_sent_only_when_asked_for(memory, chat):
    fill(chat)
    memory.maintain()
    other = memory.chat(owner="u1")
    asked = other.context("What did the web search say about flights to Ponta Delgada?")
    assert "From tools:" in asked.messages[-1]["content"]
    assert "129 euros" in asked.messages[-1]["content"]
    assert "tools" not in other.context("Which flights have I always liked?").sections


# -- titles and tags


def test_user_title_and_tags_are_not_replaced(memory):
    mine = memory.chat(owner="u1", title="Mine", tags=["holiday"])
    titled = memory.chat(owner="u1", title="Mine")
    tagged = memory.chat(owner="u1", tags=["holiday"])
    for chat in (mine, titled, tagged):
        fill(chat)
    memory.maintain()
    assert (mine.info().title, mine.info().tags) == ("Mine", ("holiday",))
    assert titled.info().title == "Mine"
    assert titled.info().tags
    assert tagged.info().tags == ("holiday",)
    assert "Azores" in tagged.info().title


def test_rename_during_labelling_keeps_user_title(opened):
    """The user renames the session while the language model is still answering."""

    def answer(messages):
        if "title" in messages[0]["content"].lower():
            chat.rename("Mine")
            chat.tag("holiday")
            return '{"title": "By the model", "tags": ["model"]}'
        return "[]"

    memory = opened(llm=answer, summarizer="local")
    chat = memory.chat(owner="u1")
    fill(chat)
    memory.maintain()
    assert (chat.info().title, chat.info().tags) == ("Mine", ("holiday",))


def test_renamed_title_and_removed_tags_are_not_restored(memory, chat):
    fill(chat)
    memory.maintain()
    chat.rename("Mine")
    chat.untag(*chat.info().tags)
    talk(chat, 10, first=50)
    memory.maintain()
    assert (chat.info().title, chat.info().tags) == ("Mine", ())


def test_title_is_added_after_worker_crash(memory, chat, monkeypatch):
    fill(chat)

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("keepsaid.services.facts.extraction_job.ExtractionJob._name_sessions", dies)
    with pytest.raises(KeyboardInterrupt):
        memory.maintain()
    monkeypatch.undo()
    assert chat.info().title is None
    talk(chat, 1, first=50)
    memory.maintain()
    assert "Azores" in chat.info().title


def test_labelling_does_not_change_session_times(memory, chat, clock):
    fill(chat)
    before = chat.info()
    clock.advance(days=3)
    memory.maintain()
    after = chat.info()
    assert (after.updated, after.touched, after.expires) == (before.updated, before.touched, before.expires)


# -- facts: by whom, since when, until when


def test_newer_fact_replaces_older_one(memory, chat, clock):
    days = [clock.now]
    for said in ("I live in Porto.", "I moved to Lisbon.", "Actually, I moved to Oslo."):
        chat.add("user", said)
        memory.maintain()
        clock.advance(days=10)
        days.append(clock.now)
    assert list_facts(memory) == ["User moved to Oslo"]
    assert list_facts(memory, as_of=days[1]) == ["User moved to Lisbon"]
    assert list_facts(memory, as_of=days[0]) == ["User lives in Porto"]
    assert list_facts(memory, as_of=datetime(2020, 1, 1, tzinfo=UTC)) == []
    history = memory.facts(owner="u1", history=True)
    assert [(fact.since, fact.until, fact.is_current) for fact in history] == [
        (days[2], None, True),
        (days[1], days[2], False),
        (days[0], days[1], False),
    ]
    for where, place in ((0, "owner"), (-1, "session")):  # in the profile of a new conversation, as a fact in this one
        asked = (chat if place == "session" else memory.chat(owner="u1")).context("Where do I live?", recall=place)
        told = asked.messages[where]["content"].partition("From earlier")[0]
        assert "- User moved to Oslo (since " in told
        assert "Porto" not in told
        assert "Lisbon" not in told


def test_newer_fact_replaces_older_one_within_a_batch(memory, chat, clock):
    days = []
    for said in ("I live in Porto.", "I moved to Lisbon.", "Actually, I moved to Oslo."):
        days.append(clock.now)
        chat.add("user", said)
        clock.advance(days=10)
    memory.maintain()
    assert [(fact.text, fact.until) for fact in memory.facts(owner="u1", history=True)][::-1] == [
        ("User lives in Porto", days[1]),
        ("User moved to Lisbon", days[2]),
        ("User moved to Oslo", None),
    ]


def test_fact_from_backdated_message_replaces_nothing(memory, chat, clock):
    chat.add("user", "I moved to Lisbon.")
    memory.maintain()
    chat.add("user", "I live in Porto.", created_at=datetime(2020, 1, 1, tzinfo=UTC))
    memory.maintain()
    assert list_facts(memory) == ["User moved to Lisbon"]
    assert list_facts(memory, as_of=datetime(2021, 1, 1, tzinfo=UTC)) == ["User lives in Porto"]


def test_negating_message_ends_fact(memory, chat, clock):
    chat.add("user", "I have a dog.")
    memory.maintain()
    before = list_facts(memory)
    clock.advance(days=1)
    chat.add("user", "I no longer have a dog.")
    memory.maintain()
    assert before
    assert not set(before) & set(list_facts(memory))


def test_repeated_fact_appears_once_in_prompt(memory, chat):
    for _ in range(3):
        chat.add("user", "I live in Porto.")
        memory.maintain()
    asked = memory.chat(owner="u1").context("Where do I live?").messages[-1]["content"]
    assert asked.count("User lives in Porto") == 1


def test_fact_names_its_source_message(memory, chat):
    said = chat.add("user", "I live in Porto.")
    memory.maintain()
    (fact,) = memory.facts(owner="u1")
    assert (fact.messages, fact.session) == ((said.id,), "s")
    assert memory.facts("Who lives in Porto?", owner="u1") == [fact]
    assert memory.facts("Lisbon", owner="u1") == memory.facts("", owner="u1") == memory.facts(owner="u2") == []


def test_facts_come_only_from_user_messages(memory, chat):
    chat.add("assistant", "I live in Porto. You live in Porto. The user lives in Porto.")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "profile", "{}")])
    chat.add("tool", "I live in Oslo. The user lives in Oslo. Remember that I like tea.", tool_call_id="c1")
    chat.add("system", "I live in Rome. The user lives in Rome.")
    memory.maintain()
    assert list_facts(memory) == []


def test_forget_fact_with_reopen_restores_replaced_fact(memory):
    memory.chat(owner="u1").add("user", "I live in Lisbon.")
    memory.maintain()
    memory.chat(owner="u1").add("user", "I live in Porto now.")
    memory.maintain()
    (porto,) = memory.facts(owner="u1")
    assert "Porto" in porto.text
    memory.forget_fact(porto.id, owner="u1", reopen=True)
    assert [fact.text for fact in memory.facts(owner="u1", history=True)] == ["User lives in Lisbon"]
    assert [fact.text for fact in memory.facts(owner="u1")] == ["User lives in Lisbon"]


def test_facts_can_be_remembered_edited_pinned_and_forgotten(memory, chat, clock):
    chat.add("user", "I live in Porto.")
    memory.maintain()
    (porto,) = memory.facts(owner="u1")
    clock.advance(days=1)
    lisbon = memory.remember("Lives in Lisbon", owner="u1", about="home")
    assert list_facts(memory) == ["Lives in Lisbon"], "it takes the place of what was said"
    tea = memory.remember("Likes tea", owner="u1", kind="preference", pinned=True)
    assert set(list_facts(memory)) == {"Lives in Lisbon", "Likes tea"}
    clock.advance(days=1)
    green = memory.edit_fact(tea.id, "Likes green tea", owner="u1")
    assert green.pinned
    assert green.kind == "preference"
    assert green.id != tea.id
    assert not memory.pin_fact(green.id, False, owner="u1").pinned
    assert memory.pin_fact(porto.id, owner="u1").messages == porto.messages
    memory.forget_fact(lisbon.id, owner="u1")
    assert list_facts(memory) == ["Likes green tea"]
    assert set(list_facts(memory, history=True)) == {"Likes green tea", "Likes tea", "User lives in Porto"}


def test_pinned_fact_is_in_every_prompt(memory):
    fact = memory.remember("Ate nuts in Rome", owner="u1", kind="event", pinned=True)
    asked = "Which film won in 1994?"
    assert "Ate nuts" in json.dumps(memory.chat(owner="u1").context(asked).messages)
    memory.pin_fact(fact.id, False, owner="u1")
    assert "Ate nuts" not in json.dumps(memory.chat(owner="u1").context(asked).messages)


def test_fact_verbs_reject_unknown_ids_and_invalid_input(memory, chat):
    fill(chat)
    memory.maintain()
    mine = memory.remember("Likes tea", owner="u1")
    (summary, *_) = made_of(memory)["summary"]
    for owner, id in (("u2", mine.id), ("u1", "nothing"), ("u1", summary.id)):
        for verb in (memory.pin_fact, memory.forget_fact, lambda fact, owner: memory.edit_fact(fact, "x", owner=owner)):
            with pytest.raises(NotFound):
                verb(id, owner=owner)
    assert summary in made_of(memory)["summary"]
    for options in ({"text": "  "}, {"text": "x", "kind": "rumour"}, {"text": "a\0b"}):
        with pytest.raises(InvalidInput):
            memory.remember(owner="u1", **options)


def test_pool_facts_are_read_only_for_granted_reader(memory):
    team = memory.create_pool("team", owner="u1")
    memory.chat(owner="u1", pool=team).add("user", "I live in Porto.")
    memory.maintain()
    assert memory.facts(owner="u1") == []
    assert [fact.text for fact in memory.facts(owner="u1", pool=team)] == ["User lives in Porto"]
    memory.grant(team, to="u2", by="u1")
    assert len(memory.facts(owner="u2", pool=team)) == 1
    with pytest.raises(NotFound):
        memory.remember("Likes tea", owner="u2", pool=team)
    with pytest.raises(NotFound):
        memory.facts(owner="u3", pool=team)


# -- when messages go


SECRET = "I live in Zanzibar, and my secret code is QX4711, which I need for my trip to Zanzibar."


def save_tool_turn(memory, chat, **options):
    said = chat.add("user", SECRET, **options)
    chat.add("assistant", "Noted.")
    talk(chat, 20)
    memory.maintain()
    return said


def test_erase_removes_all_notes_of_message(memory, chat):
    said = save_tool_turn(memory, chat)
    before = everything(memory, chat)
    assert "Zanzibar" in before
    assert "QX4711" in before
    assert "Zanzibar" in chat.info().title
    chat.erase(said.id)
    for _ in range(2):
        assert "Zanzibar" not in everything(memory, chat)
        assert "QX4711" not in everything(memory, chat)
        memory.maintain()


def test_keep_private_removes_notes_of_message(memory, chat):
    said = save_tool_turn(memory, chat)
    chat.keep_private(said.id)
    for _ in range(2):
        assert "Zanzibar" not in everything(memory, chat)
        assert "QX4711" not in everything(memory, chat)
        memory.maintain()
    assert chat.messages()[0].text == SECRET, "it is still part of the conversation"
    chat.keep_private(said.id, False)
    memory.maintain()
    assert any("Zanzibar" in fact for fact in list_facts(memory))


@pytest.mark.parametrize("options", [{"private": True}, {}])
def test_private_message_creates_no_notes(memory, chat, options):
    said = chat.add("user", SECRET if options else f"Never remember this: {SECRET}", **options)
    assert said.private
    chat.add("assistant", "Of course.")
    assert said.text in json.dumps(chat.context("And?").messages)
    talk(chat, 20)
    memory.maintain()
    assert "Zanzibar" not in everything(memory, chat)
    assert "QX4711" not in everything(memory, chat)
    other = memory.chat(owner="u1").context("What is my secret code for Zanzibar?")
    assert "QX4711" not in json.dumps(other.messages)


def test_private_message_does_not_complete_follow_up_question(memory, chat):
    chat.add("user", "Never remember this: my sister Bela is ill.")
    context = chat.context("How is she?")
    assert "Bela" not in context.searched_for


def test_private_false_overrides_never_remember_phrase(memory, chat):
    said = chat.add("user", "Never remember this: the code is 4711.", private=False)
    assert not said.private
    assert [hit.message.id for hit in memory.search("What is the code?", owner="u1")] == [said.id]


def test_facts_of_hidden_messages_are_not_returned(memory, chat):
    said = chat.add("user", "I live in Porto.")
    memory.maintain()

    def in_prompt():
        return "lives in Porto" in json.dumps(memory.chat(owner="u1").context("Where do I live?").messages)

    assert list_facts(memory)
    assert in_prompt()
    chat.delete()
    assert not list_facts(memory)
    assert not in_prompt()
    chat.restore()
    assert list_facts(memory)
    assert in_prompt()
    chat.edit(said.id, "I have never lived anywhere.")
    assert not list_facts(memory)
    assert not in_prompt()
    chat.switch(said.id)
    assert list_facts(memory)
    assert in_prompt()
    chat.clear()
    assert not list_facts(memory)
    assert not in_prompt()


def test_fork_title_omits_message_erased_in_origin(memory, chat):
    said = save_tool_turn(memory, chat)
    fork = chat.fork(session="fork")
    chat.erase(said.id)
    assert "Zanzibar" not in str(fork.info().title)
    assert "Zanzibar" not in everything(memory, fork)


def test_erase_during_model_call_discards_its_notes(opened, monkeypatch):
    """Nothing that the model read before the erase is stored."""
    monkeypatch.setattr(worker, "PAUSE_TIMEOUT", 0.1)
    memory = opened(llm=lambda messages: answer(messages))
    chat = memory.chat(owner="u1", session="s", create=True)
    said = chat.add("user", SECRET)
    talk(chat, 20)
    asked = []

    def answer(messages):
        asked.append(messages)
        if len(asked) == 1:
            chat.erase(said.id)
        return "They talked." if "running summary" in messages[0]["content"] else "[]"

    memory.maintain()
    assert "QX4711" in json.dumps(asked[0])
    assert len(asked) > 1
    texts = [one.text for some in made_of(memory).values() for one in some]
    assert texts
    assert not any("QX4711" in text for text in (*texts, str(chat.info().summary)))


# -- with a language model


def script(*, summary="", facts="[]", label='{"title": "A title", "tags": ["a"]}'):
    """A model that knows what it is asked for."""

    def answer(messages):
        task = messages[0]["content"]
        said = summary if "running summary" in task else facts if "durable facts" in task else label
        if isinstance(said, Exception):
            raise said
        return said(messages) if callable(said) else said

    return answer


@near(reason="what the model may say")
def test_model_notes_are_checked_against_messages(opened):
    facts = json.dumps(
        {
            "facts": [
                {"message": 0, "text": "User lives in Porto", "kind": "identity", "subject": "user", "about": "home",
                 "value": "Porto"},
                {"message": 0, "text": "User lives in Atlantis", "kind": "identity", "subject": "user", "about": "home",
                 "value": "Atlantis"},
            ]
        }
    )  # fmt: skip
    llm = script(
        summary="They planned a trip to the Azores.", facts=facts, label='{"title": "Azores in June", "tags": ["Travel"]}'
    )
    memory = opened(llm=llm)
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    memory.maintain()
    assert list_facts(memory) == ["User lives in Porto"], "what nobody said is refused"
    info = chat.info()
    assert (info.title, info.tags) == ("Azores in June", ("travel",))
    assert info.summary.startswith("They planned a trip to the Azores.")
    assert "09:40" in info.summary, "an exact value that it lost is put back"
    assert made_of(memory)["summary"][0].data["by"].startswith("function")


@pytest.mark.parametrize(
    "wrong", [LLMError("no network"), ValueError("odd"), "", "Sorry, I cannot do that.", "{", "null", "{}}{", "💥" * 5_000]
)
@near(reason="what the model may say")
def test_rules_replace_failed_or_invalid_model_answers(opened, wrong):
    memory = opened(llm=script(summary=wrong, facts=wrong, label=wrong))
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    memory.maintain()
    info = chat.info()
    assert info.title
    assert "Porto" in info.summary
    if isinstance(wrong, Exception) or "{" not in wrong:
        assert PORTO in list_facts(memory)


@near(reason="what the model may say")
def test_summary_records_model_failure_as_fallback(opened):
    llm = ScriptedLLM([LLMError("no network")] * 3)
    memory = opened(llm=llm)
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    memory.maintain()
    assert len(llm.calls) == 3
    assert PORTO in list_facts(memory)
    assert made_of(memory)["summary"][0].data["fallback"] == "no network"


@near(reason="what the model may say")
def test_local_summarizer_does_not_call_model(opened):
    asked = []
    memory = opened(llm=script(summary=asked.append), summarizer="local")
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    memory.maintain()
    assert not asked
    assert made_of(memory)["summary"][0].data["by"] == "local"


@pytest.mark.parametrize("fails", [False, True])
@near(reason="what the model may say")
def test_custom_condenser_writes_summary_and_may_fail(opened, fails):
    class Mine:
        def condense(self, history, query):
            if fails:
                raise OSError("no disk")
            return "Condensed by me.", ("azores",)

    memory = opened(summarizer=Mine())
    chat = memory.chat(owner="u1", session="s", create=True)
    fill(chat)
    memory.maintain()
    assert chat.info().summary.startswith("Condensed by me.") != fails
    assert "Porto" in chat.info().summary


@near(reason="what the model may say")
def test_model_rewrites_follow_up_question_and_may_fail(opened):
    answers = iter(["Where does my sister Bela live?", "Something nobody said.", LLMError("no network")])

    def answer(messages):
        said = next(answers)
        if isinstance(said, Exception):
            raise said
        return said

    memory = opened(llm=answer, rewriter="llm", notes=False)
    chat = memory.chat(owner="u1")
    chat.add("user", "My sister Bela moved.")
    chat.add("assistant", "Oh!")
    assert chat.context("Where does she live?").searched_for == "Where does my sister Bela live?"
    assert "nobody" not in chat.context("Where does she live?").searched_for
    failed = chat.context("Where does she live?")
    assert any("no network" in why for why in failed.fallbacks)


@near(reason="what the model may say")
def test_slow_model_does_not_block_saving_or_context(opened):
    """Saving, reading, building contexts and closing the store work while the model is blocked."""
    asleep, wake = threading.Event(), threading.Event()

    def answer(messages):
        asleep.set()
        wake.wait(30)
        return "[]"

    memory = opened(background=True, llm=answer)
    chat = memory.chat(owner="u1", session="s", create=True)
    try:
        fill(chat)
        assert asleep.wait(20)
        start = time.monotonic()
        for number in range(20):
            chat.add("user", f"Message {number}.")
            chat.context("Where do I live?", budget=800)
        assert time.monotonic() - start < 5
        assert len(chat.messages()) == 44
    finally:
        wake.set()
    patiently(lambda: made_of(memory)["summary"])


@lasting
def test_two_workers_extract_same_facts_as_one(place):
    with ExitStack() as stack:
        stores = [stack.enter_context(keepsaid.open(place, background=False, embedder="off")) for _ in range(2)]
        chat = stores[0].chat(owner="u1")
        for number in range(150):
            chat.add("user", f"I have {number + 2} bicycles in shed number {number}." if number % 9 else "I live in Porto.")
        workers = [threading.Thread(target=store.maintain) for store in stores]
        for thread in workers:
            thread.start()
        for thread in workers:
            thread.join(60)
        alone = stack.enter_context(keepsaid.open("memory://", background=False, embedder="off"))
        same = alone.chat(owner="u1")
        for message in chat.messages():
            same.add("user", message.text, created_at=message.created_at)
        alone.maintain()
        texts = [sorted(fact.text for fact in one.facts(owner="u1", history=True)) for one in (stores[0], alone)]
        assert texts[0] == texts[1]


def test_redaction_applies_to_model_and_remembered_facts(opened):
    heard = []
    memory = opened(llm=lambda messages: heard.append(str(messages)) or "[]", redact_sent="mail", redact_stored="phone")
    memory.chat(owner="u1").add("user", "I live in Porto. Write to ana@example.org, or remember that I like tea.")
    memory.maintain()
    assert heard
    assert not any("ana@example.org" in said for said in heard)
    assert memory.remember("Her number is +49 170 1234567", owner="u1").text == "Her number is [phone removed]"


@near(reason="what the model may say")
def test_truncated_model_answer_is_ignored(opened):
    cut = LLMCompletion('[{"message": 0, "text": "User lives in', finish="length")
    memory = opened(llm=lambda messages: cut)
    chat = memory.chat(owner="u1")
    chat.add("user", "I live in Porto.")
    chat.add("assistant", "Lovely!")
    memory.maintain()
    assert list_facts(memory) == [PORTO]
    assert "message" not in str(chat.info().title)


@near(reason="what the model may say")
def test_redaction_applies_to_custom_condenser(opened):
    class Condenser:
        heard = ""

        def condense(self, history, query):
            Condenser.heard += history + query
            return "They talked.", ()

    memory = opened(summarizer=Condenser(), redact_sent="mail")
    chat = memory.chat(owner="u1")
    chat.add("user", "My address is ana@example.org.")
    talk(chat, 12)
    memory.maintain()
    assert "My address is [mail removed]." in Condenser.heard
