"""Answers without a language model: dialogues of ordinary life, and what they promise."""

from __future__ import annotations

from typing import Any

import pytest
from model import pulled_model

import recollect
from agent.dialogues import FIRST, SECOND, Dialogue
from recollect.agent.address import told_to
from recollect.agent.offline import NOT_KEPT, NOTED, NOTED_HERE, NOTHING, RELATED, REMEMBERED
from recollect.agent.service import ChatService
from recollect.engine.asks import asks
from recollect.testing import HandClock


def told(service: ChatService, memory: recollect.Memory, *texts: str, session: str | None = None) -> None:
    for text in texts:
        service.chat("u1", session, text)
        memory.maintain()


@pytest.fixture(scope="module", params=["words", "meaning"])
def how(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "words":
        return {"embedder": "off"}
    return {"embedder": "local", "model_folder": str(pulled_model())}


@pytest.mark.parametrize("one", [*FIRST, *SECOND], ids=lambda one: one.asked[:40])
def test_dialogue(one: Dialogue, how: dict[str, Any]):
    clock = HandClock()
    with recollect.open("memory://", clock=clock, background=False, **how) as memory:
        service = ChatService(memory)
        for text in filter(None, one.said.split("|")):
            told(service, memory, text)
            clock.turn(hours=1)
        answer = service.chat("u1", None, one.asked).text
    lines = answer.splitlines()
    for part in filter(None, one.has.split("|")):
        if part == "!":
            assert lines[0] in NOTED
        elif part.startswith("<"):
            assert part[1:-1] in lines[1].split(" (changed")[0]
        else:
            assert part in answer
    for part in filter(None, one.lacks.split("|")):
        assert part not in answer


def test_what_was_sold_is_not_driven(memory: recollect.Memory):
    service = ChatService(memory)
    told(service, memory, "I drive a blue Golf.", "I sold the Golf and bought a red Mazda.")
    assert "Mazda" in service.chat("u1", None, "What car do I drive?").text


class TestChanged:
    def test_is_said_and_comes_after_what_is_true(self, memory: recollect.Memory, clock: HandClock):
        service = ChatService(memory)
        told(service, memory, "I live in Oslo.")
        clock.turn(days=1)
        told(service, memory, "I've just moved from Oslo to Trondheim.")
        lines = service.chat("u1", None, "where do I live?").text.splitlines()
        assert "Trondheim" in lines[1]
        assert lines[2].endswith("“I live in Oslo.” (changed since: you have moved from Oslo to Trondheim)")

    def test_also_of_somebody_who_is_looked_for_by_other_words(self, memory: recollect.Memory, clock: HandClock):
        service = ChatService(memory)
        told(service, memory, "My sister Nora lives in Lisbon.")
        clock.turn(days=1)
        told(service, memory, "Nora moved, she lives in Porto now")
        answer = service.chat("u1", None, "Where does my sister live?").text
        (lisbon,) = [line for line in answer.splitlines() if "Lisbon" in line]
        assert lisbon.endswith("(changed since: your sister Nora lives in Porto now)")

    def test_also_in_this_very_conversation(self, memory: recollect.Memory, clock: HandClock):
        service = ChatService(memory)
        session = service.chat("u1", None, "I live in Oslo.").session
        memory.maintain()
        clock.turn(days=1)
        told(service, memory, "I've just moved from Oslo to Trondheim.", session=session)
        lines = service.chat("u1", session, "where do I live?").text.splitlines()
        assert "Trondheim" in lines[1]
        assert "(changed since: you have moved from Oslo to Trondheim)" in lines[2]


class TestNoted:
    def test_in_a_temporary_conversation_nothing_is_kept(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1", temporary=True)
        assert ChatService(memory).chat("u1", chat.id, "My brother moved to Porto.").text == NOTED_HERE

    @pytest.mark.parametrize("text", ["Don't remember this: I want to resign.", "Off the record, I am leaving."])
    def test_what_is_private_is_not_promised(self, memory: recollect.Memory, text: str):
        service = ChatService(memory)
        assert service.chat("u1", None, text).text == NOT_KEPT
        memory.maintain()
        assert service.chat("u1", None, "What do I want?").text == NOTHING

    def test_words_vary(self, memory: recollect.Memory):
        service = ChatService(memory)
        session = service.chat("u1", None, "I have a bike.").session
        texts = {service.chat("u1", session, text).text for text in ("Mum called.", "Rain again.", "Soup is ready.")}
        assert len(texts) > 1
        assert texts <= set(NOTED)

    def test_comes_before_what_may_be_related(self, memory: recollect.Memory):
        service = ChatService(memory)
        told(service, memory, "Nora is allergic to hazelnuts.")
        lines = service.chat("u1", None, "I am baking a cake for Nora.").text.splitlines()
        assert lines[0] in NOTED
        assert lines[1] == RELATED

    def test_long_message_needs_no_budget(self, memory: recollect.Memory):
        service = ChatService(memory, budget=600)
        long = "We walked along the river and talked of nothing in particular. " * 500
        answer = service.chat("u1", None, long)
        assert answer.text in NOTED
        assert memory.chat(owner="u1", session=answer.session).messages()[0].text == long

    def test_long_message_may_ask(self, memory: recollect.Memory):
        service = ChatService(memory, budget=600)
        told(service, memory, "The gym code is 7788.")
        long = "We walked along the river and talked of nothing in particular. " * 500
        assert "7788" in service.chat("u1", None, f"{long} What is the gym code?").text


class TestSources:
    def test_what_is_quoted_is_marked(self, memory: recollect.Memory):
        service = ChatService(memory)
        told(service, memory, "My cat Miso eats tuna.", "I drive an old Volvo.")
        answer = service.chat("u1", None, "What does my cat eat?")
        quoted = [one.text for one in answer.sources if one.named]
        assert quoted
        assert all("Miso" in text for text in quoted)
        assert answer.message is not None
        assert answer.message.metadata["sources"] == [one.id for one in answer.sources if one.named]

    def test_nothing_is_marked_where_nothing_is_quoted(self, memory: recollect.Memory):
        service = ChatService(memory)
        told(service, memory, "My cat Miso eats tuna.")
        assert not any(one.named for one in service.chat("u1", None, "What is the capital of France?").sources)


class TestBroadQuestions:
    def test_of_a_month_long_ago(self, memory: recollect.Memory, clock: HandClock):
        service = ChatService(memory)
        told(service, memory, "I planted tomatoes.")
        clock.turn(days=60)
        told(service, memory, "I picked the tomatoes.")
        answer = service.chat("u1", None, "what did we talk about in May?").text
        assert "planted" in answer
        assert "picked" not in answer

    def test_reach_no_further_than_they_may(self, memory: recollect.Memory):
        told(ChatService(memory), memory, "I live in Oslo.")
        for recall in ("off", "session"):
            for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
                assert "Oslo" not in ChatService(memory, recall=recall).chat("u1", None, text).text

    def test_are_of_this_user_alone(self, memory: recollect.Memory):
        told(ChatService(memory), memory, "I live in Oslo.")
        for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
            assert "Oslo" not in ChatService(memory).chat("u2", None, text).text

    def test_leave_out_what_is_private(self, memory: recollect.Memory):
        told(ChatService(memory), memory, "Don't remember this: I want to resign.")
        for text in ("what do you know about me?", "what did I tell you today?", "summarize our conversations"):
            assert "resign" not in ChatService(memory).chat("u1", None, text).text

    def test_many_are_told_by_conversation(self, memory: recollect.Memory):
        service = ChatService(memory)
        told(service, memory, *(f"Today I repaired lamp number {number}." for number in range(12)))
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
def test_facts_are_told_to_the_person(fact: str, words: str):
    assert told_to(fact) == words


@pytest.mark.parametrize(
    "text",
    [
        "where do I live", "whats my name", "what's my name", "who called yesterday", "which bus do I take", "how to go",
        "and where is Anna", "hey, what about my sister", "tell me about my job", "please list my cats", "show me my notes",
        "summarize the week", "I moved. where did I live before", "is Nora vegan", "does nora eat fish", "did my dad call",
        "can you tell me my shoe size", "in which year was I born", "haven't I told you my name", "ist das so?", "本当？",
    ],
)  # fmt: skip
def test_asks(text: str):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "When I was young I lived in Rome.", "What a nice day", "What I like about her is her humour.", "How nice of you!",
        "Which is why I left.", "Don't do that.", "Do not save it.", "Have a nice day.", "Did the dishes.", "Was so tired.",
        "Will is my brother.", "May is my favourite month.", "List of groceries: milk, eggs", "Remind me to call Bob",
        "Why? Because I said so.", "She asked me where I was.", "Where I live it rains a lot.", "Had my hair cut.",
    ],
)  # fmt: skip
def test_tells(text: str):
    assert not asks(text)


def test_earlier_answers_are_not_quoted(memory: recollect.Memory):
    service = ChatService(memory)
    told(service, memory, "My cat Miso eats tuna.", "What does my cat eat?", "cat food of my cat")
    answer = service.chat("u1", None, "Which food does my cat get?").text
    assert answer.startswith(REMEMBERED)
    assert answer.count("\n") == 1
