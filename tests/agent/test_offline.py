"""Answers without a language model: example dialogues, and the rules that every such answer keeps."""

from __future__ import annotations

from typing import Any

import pytest
from model import pull_model

import keepsaid
from agent.dialogues import FIRST, SECOND, Dialogue
from keepsaid.agent.offline.answer import (
    MEMORY_HEADING,
    NOTHING_FOUND,
    RELATED_HEADING,
    SAVED_PRIVATELY,
    SAVED_REPLIES,
    SAVED_TEMPORARILY,
)
from keepsaid.agent.offline.second_person import to_second_person
from keepsaid.agent.service import ChatService
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.testing import ManualClock


def say_texts(service: ChatService, memory: keepsaid.Memory, *texts: str, session: str | None = None) -> None:
    for text in texts:
        service.chat("u1", session, text)
        memory.maintain()


@pytest.fixture(scope="module", params=["words", "meaning"])
def how(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "words":
        return {"embedder": "off"}
    return {"embedder": "local", "model_folder": str(pull_model())}


@pytest.mark.parametrize("one", [*FIRST, *SECOND], ids=lambda one: one.asked[:40])
def test_offline_answer_fits_dialogue(one: Dialogue, how: dict[str, Any]):
    clock = ManualClock()
    with keepsaid.open("memory://", clock=clock, background=False, **how) as memory:
        service = ChatService(memory)
        for text in filter(None, one.said.split("|")):
            say_texts(service, memory, text)
            clock.advance(hours=1)
        answer = service.chat("u1", None, one.asked).text
    lines = answer.splitlines()
    for part in filter(None, one.has.split("|")):
        if part == "!":
            assert lines[0] in SAVED_REPLIES
        elif part.startswith("<"):
            assert part[1:-1] in lines[1].split(" (changed")[0]
        else:
            assert part in answer
    for part in filter(None, one.lacks.split("|")):
        assert part not in answer


def test_offline_answer_uses_replacement_after_sale(memory: keepsaid.Memory):
    service = ChatService(memory)
    say_texts(service, memory, "I drive a blue Golf.", "I sold the Golf and bought a red Mazda.")
    assert "Mazda" in service.chat("u1", None, "What car do I drive?").text


class TestChangedStatements:
    def test_outdated_quote_is_marked_and_follows_current_one(self, memory: keepsaid.Memory, clock: ManualClock):
        service = ChatService(memory)
        say_texts(service, memory, "I live in Oslo.")
        clock.advance(days=1)
        say_texts(service, memory, "I've just moved from Oslo to Trondheim.")
        lines = service.chat("u1", None, "where do I live?").text.splitlines()
        assert "Trondheim" in lines[1]
        assert lines[2].endswith("“I live in Oslo.” (changed since: you have moved from Oslo to Trondheim)")

    def test_outdated_quote_is_marked_when_name_differs_from_query(self, memory: keepsaid.Memory, clock: ManualClock):
        service = ChatService(memory)
        say_texts(service, memory, "My sister Nora lives in Lisbon.")
        clock.advance(days=1)
        say_texts(service, memory, "Nora moved, she lives in Porto now")
        answer = service.chat("u1", None, "Where does my sister live?").text
        (lisbon,) = [line for line in answer.splitlines() if "Lisbon" in line]
        assert lisbon.endswith("(changed since: your sister Nora lives in Porto now)")

    def test_outdated_quote_is_marked_in_same_conversation(self, memory: keepsaid.Memory, clock: ManualClock):
        service = ChatService(memory)
        session = service.chat("u1", None, "I live in Oslo.").session
        memory.maintain()
        clock.advance(days=1)
        say_texts(service, memory, "I've just moved from Oslo to Trondheim.", session=session)
        lines = service.chat("u1", session, "where do I live?").text.splitlines()
        assert "Trondheim" in lines[1]
        assert "(changed since: you have moved from Oslo to Trondheim)" in lines[2]


class TestSavedReplies:
    def test_temporary_conversation_gets_temporary_reply(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1", temporary=True)
        assert ChatService(memory).chat("u1", chat.id, "My brother moved to Porto.").text == SAVED_TEMPORARILY

    @pytest.mark.parametrize("text", ["Don't remember this: I want to resign.", "Off the record, I am leaving."])
    def test_private_message_gets_private_reply(self, memory: keepsaid.Memory, text: str):
        service = ChatService(memory)
        assert service.chat("u1", None, text).text == SAVED_PRIVATELY
        memory.maintain()
        assert service.chat("u1", None, "What do I want?").text == NOTHING_FOUND

    def test_saved_reply_wording_varies(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        session = service.chat("u1", None, "I have a bike.").session
        texts = {service.chat("u1", session, text).text for text in ("Mum called.", "Rain again.", "Soup is ready.")}
        assert len(texts) > 1
        assert texts <= set(SAVED_REPLIES)

    def test_saved_reply_precedes_related_memories(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        say_texts(service, memory, "Nora is allergic to hazelnuts.")
        lines = service.chat("u1", None, "I am baking a cake for Nora.").text.splitlines()
        assert lines[0] in SAVED_REPLIES
        assert lines[1] == RELATED_HEADING

    def test_message_over_budget_is_saved_in_full(self, memory: keepsaid.Memory):
        service = ChatService(memory, budget=600)
        long = "We walked along the river and talked of nothing in particular. " * 500
        answer = service.chat("u1", None, long)
        assert answer.text in SAVED_REPLIES
        assert memory.chat(owner="u1", session=answer.session).messages()[0].text == long

    def test_question_at_end_of_long_message_is_answered(self, memory: keepsaid.Memory):
        service = ChatService(memory, budget=600)
        say_texts(service, memory, "The gym code is 7788.")
        long = "We walked along the river and talked of nothing in particular. " * 500
        assert "7788" in service.chat("u1", None, f"{long} What is the gym code?").text


class TestSources:
    def test_quoted_sources_are_marked_as_named(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        say_texts(service, memory, "My cat Miso eats tuna.", "I drive an old Volvo.")
        answer = service.chat("u1", None, "What does my cat eat?")
        quoted = [one.text for one in answer.sources if one.named]
        assert quoted
        assert all("Miso" in text for text in quoted)
        assert answer.message is not None
        assert answer.message.metadata["sources"] == [one.id for one in answer.sources if one.named]

    def test_no_source_is_named_without_quotes(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        say_texts(service, memory, "My cat Miso eats tuna.")
        assert not any(one.named for one in service.chat("u1", None, "What is the capital of France?").sources)


class TestBroadQuestions:
    def test_question_about_month_finds_messages_of_that_month(self, memory: keepsaid.Memory, clock: ManualClock):
        service = ChatService(memory)
        say_texts(service, memory, "I planted tomatoes.")
        clock.advance(days=60)
        say_texts(service, memory, "I picked the tomatoes.")
        answer = service.chat("u1", None, "what did we talk about in May?").text
        assert "planted" in answer
        assert "picked" not in answer

    def test_respect_recall_setting(self, memory: keepsaid.Memory):
        say_texts(ChatService(memory), memory, "I live in Oslo.")
        for recall in ("off", "session"):
            for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
                assert "Oslo" not in ChatService(memory, recall=recall).chat("u1", None, text).text

    def test_exclude_memories_of_other_users(self, memory: keepsaid.Memory):
        say_texts(ChatService(memory), memory, "I live in Oslo.")
        for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
            assert "Oslo" not in ChatService(memory).chat("u2", None, text).text

    def test_exclude_private_messages(self, memory: keepsaid.Memory):
        say_texts(ChatService(memory), memory, "Don't remember this: I want to resign.")
        for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
            assert "resign" not in ChatService(memory).chat("u1", None, text).text

    def test_many_results_are_grouped_by_conversation(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        say_texts(service, memory, *(f"Today I repaired lamp number {number}." for number in range(12)))
        lines = service.chat("u1", None, "what did I tell you today?").text.splitlines()
        assert "Conversations:" in lines
        assert len(lines) < 20


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ("User is a nurse", "you are a nurse"),
        ("User doesn't like olives", "you don't like olives"),
        ("User can't stand mushrooms", "you can't stand mushrooms"),
        ("User goes running", "you go running"),
        ("User teaches maths", "you teach maths"),
        ("User also plays chess", "you also play chess"),
        ("User's wife is a vet", "your wife is a vet"),
        ("User moved to Porto", "you moved to Porto"),
        ("User and others have two kids", "you and others have two kids"),
        ("Username is bob", "Username is bob"),
        ("User loves their dog", "User loves their dog"),
    ],
)
def test_to_second_person_rewrites_facts(fact: str, words: str):
    assert to_second_person(fact) == words


@pytest.mark.parametrize(
    "text",
    [
        "where do I live", "whats my name", "what's my name", "who called yesterday", "which bus do I take", "how to go",
        "and where is Anna", "hey, what about my sister", "tell me about my job", "please list my cats", "show me my notes",
        "summarize the week", "I moved. where did I live before", "is Nora vegan", "does nora eat fish", "did my dad call",
        "can you tell me my shoe size", "in which year was I born", "haven't I told you my name", "ist das so?", "本当？",
    ],
)  # fmt: skip
def test_is_question_text_accepts_questions(text: str):
    assert is_question_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "When I was young I lived in Rome.", "What a nice day", "What I like about her is her humour.", "How nice of you!",
        "Which is why I left.", "Don't do that.", "Do not save it.", "Have a nice day.", "Did the dishes.", "Was so tired.",
        "Will is my brother.", "May is my favourite month.", "List of groceries: milk, eggs", "Remind me to call Bob",
        "Why? Because I said so.", "She asked me where I was.", "Where I live it rains a lot.", "Had my hair cut.",
    ],
)  # fmt: skip
def test_is_question_text_rejects_statements(text: str):
    assert not is_question_text(text)


def test_offline_answer_does_not_quote_earlier_answers(memory: keepsaid.Memory):
    service = ChatService(memory)
    say_texts(service, memory, "My cat Miso eats tuna.", "What does my cat eat?", "cat food of my cat")
    answer = service.chat("u1", None, "Which food does my cat get?").text
    assert answer.startswith(MEMORY_HEADING)
    assert answer.count("\n") == 1
