"""The chat service's other turns: said differently, answered again, kept out of memory, in a temporary conversation."""

from __future__ import annotations

from typing import Any

import pytest

import recollect
from recollect.agent.answer import Finished, Started
from recollect.agent.offline import NOT_KEPT, NOTED_HERE, NOTHING
from recollect.agent.service import NOT_FOUND, ChatService
from recollect.errors import InvalidInput, NotFound
from recollect.ports import Completion
from recollect.testing import ScriptedLLM
from recollect.types import Message, Role, ToolCall


def path(memory: recollect.Memory, session: str) -> list[str]:
    return [message.text for message in memory.chat(owner="u1", session=session).messages()]


def saved(answer: recollect.Answer) -> Message:
    assert answer.message is not None
    return answer.message


class TestEdit:
    @pytest.mark.parametrize("model", [True, False])
    def test_is_answered_on_a_branch_of_its_own(self, memory: recollect.Memory, model: bool):
        service = ChatService(memory, ScriptedLLM(["First.", "Second.", "Third."]) if model else None)
        first = service.chat("u1", None, "My sister moved to Porto.")
        second = service.chat("u1", first.session, "She likes it.")
        chat = memory.chat(owner="u1", session=first.session)
        old = chat.messages()
        edited = service.chat("u1", first.session, "My sister moved to Lisbon.", edit=old[0].id)
        assert path(memory, first.session) == ["My sister moved to Lisbon.", edited.text]
        assert chat.alternatives() == {chat.messages()[0].id: (old[0].id, chat.messages()[0].id)}
        chat.switch(saved(second).id)
        assert chat.messages() == old

    def test_of_the_middle_keeps_what_was_before(self, memory: recollect.Memory):
        llm = ScriptedLLM(["1.", "2.", "3."])
        service = ChatService(memory, llm)
        session = service.chat("u1", None, "One").session
        service.chat("u1", session, "Two")
        service.chat("u1", session, "Three", edit=memory.chat(owner="u1", session=session).messages()[2].id)
        assert path(memory, session) == ["One", "1.", "Three", "3."]
        assert "Two" not in str(llm.calls[-1])

    @pytest.mark.parametrize("role", ["assistant", "system", "tool"])
    def test_of_what_the_user_did_not_say_is_refused(self, memory: recollect.Memory, role: str):
        service, chat = ChatService(memory), memory.chat(owner="u1")
        chat.add("user", "Hello")
        other = chat.add(role, "Something", tool_call_id="c1" if role == "tool" else None)
        with pytest.raises(InvalidInput, match="only what the user said"):
            service.stream("u1", chat.id, "Otherwise", edit=other.id)
        assert path(memory, chat.id) == ["Hello", "Something"]

    def test_of_what_is_not_there_is_refused_before_anything_is_done(self, memory: recollect.Memory):
        service, chat, theirs = ChatService(memory), memory.chat(owner="u1"), memory.chat(owner="u2")
        secret = theirs.add("user", "My PIN is 4711.")
        elsewhere = memory.chat(owner="u1").add("user", "In another conversation")
        for id in ("unknown", secret.id, elsewhere.id):
            with pytest.raises(NotFound):
                service.stream("u1", chat.id, "Otherwise", edit=id)
        with pytest.raises(NotFound, match=NOT_FOUND):
            service.stream("u1", theirs.id, "Otherwise", edit=secret.id)
        with pytest.raises(InvalidInput, match="name the conversation"):
            service.stream("u1", None, "Otherwise", edit=elsewhere.id)
        assert len(memory.sessions(owner="u1")) == 2

    def test_looks_up_with_what_was_said_before_it(self, memory: recollect.Memory):
        asked: list[str] = []

        def web(query: str) -> str:
            asked.append(query)
            return "It strikes."

        service = ChatService(memory, ScriptedLLM(["1.", "2.", "3."]), web=web)
        session = service.chat("u1", None, "Tell me about the tram company Carris.").session
        service.chat("u1", session, "Or rather about the river Douro.")
        said = memory.chat(owner="u1", session=session).messages()[2]
        service.chat("u1", session, "Any news about it?", edit=said.id)
        assert len(asked) == 1
        assert "Carris" in asked[0]


class TestAgain:
    def test_answers_the_last_turn(self, memory: recollect.Memory):
        llm = ScriptedLLM(["First.", "Second.", "Third."])
        service = ChatService(memory, llm)
        first = service.chat("u1", None, "Hello?")
        events = list(service.again("u1", first.session))
        assert isinstance(events[0], Started)
        assert events[0].message.text == "Hello?"
        assert isinstance(events[-1], Finished)
        second = events[-1].answer
        assert path(memory, first.session) == ["Hello?", "Second."]
        assert "First." not in str(llm.calls[-1])
        third = service.again("u1", first.session, saved(first).id).answer()
        chat = memory.chat(owner="u1", session=first.session)
        ids = (saved(first).id, saved(second).id, saved(third).id)
        assert chat.alternatives() == {saved(third).id: ids}

    def test_answers_an_earlier_turn_and_one_on_another_branch(self, memory: recollect.Memory):
        service = ChatService(memory, ScriptedLLM([f"{number}." for number in range(9)]))
        first = service.chat("u1", None, "One")
        service.chat("u1", first.session, "Two")
        service.again("u1", first.session, saved(first).id).answer()
        assert path(memory, first.session) == ["One", "2."]
        service.chat("u1", first.session, "Uno", edit=memory.chat(owner="u1", session=first.session).messages()[0].id)
        service.again("u1", first.session, saved(first).id).answer()
        assert path(memory, first.session) == ["One", "4."]

    def test_of_a_turn_with_tools_begins_at_its_question(self, memory: recollect.Memory):
        def weather(city: str) -> str:
            """The weather in a city."""
            return f"19 °C in {city}"

        call = ToolCall("c1", "weather", '{"city": "Lisbon"}')
        llm = ScriptedLLM([Completion("", (call,)), "It is 19 °C.", "Warm."])
        service = ChatService(memory, llm, tools=[weather])
        first = service.chat("u1", None, "How warm is it?")
        service.again("u1", first.session, saved(first).id).answer()
        assert path(memory, first.session) == ["How warm is it?", "Warm."]

    def test_goes_far_back_for_the_question(self, memory: recollect.Memory):
        service, chat = ChatService(memory, ScriptedLLM(["Done."])), memory.chat(owner="u1")
        asked = chat.add("user", "Count to a thousand.")
        chat.add_many([{"role": "assistant", "content": str(number)} for number in range(1000)])
        service.again("u1", chat.id).answer()
        assert path(memory, chat.id) == [asked.text, "Done."]

    def test_answers_a_turn_that_was_broken_off(self, memory: recollect.Memory):
        service, chat = ChatService(memory, ScriptedLLM(["There."])), memory.chat(owner="u1")
        chat.add("user", "Are you there?")
        service.again("u1", chat.id).answer()
        assert path(memory, chat.id) == ["Are you there?", "There."]

    def test_without_a_model(self, memory: recollect.Memory):
        service = ChatService(memory)
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        first = service.chat("u1", None, "Where is my sister?")
        again = service.again("u1", first.session).answer()
        assert (again.text, saved(again).private) == (first.text, True)
        assert saved(again).id != saved(first).id

    def test_needs_something_that_the_user_said(self, memory: recollect.Memory):
        service, chat = ChatService(memory), memory.chat(owner="u1")
        with pytest.raises(InvalidInput, match="nothing to answer"):
            service.again("u1", chat.id)
        greeting = chat.add("assistant", "Hello!")
        with pytest.raises(InvalidInput, match="nothing to answer"):
            service.again("u1", chat.id, greeting.id)
        with pytest.raises(NotFound):
            service.again("u1", chat.id, "unknown")
        with pytest.raises(NotFound, match=NOT_FOUND):
            service.again("u2", chat.id)

    def test_nothing_is_moved_before_it_begins(self, memory: recollect.Memory):
        service = ChatService(memory, ScriptedLLM(["First.", "Second."]))
        first = service.chat("u1", None, "Hello?")
        service.again("u1", first.session).close()
        assert path(memory, first.session) == ["Hello?", "First."]


class TestPrivate:
    @pytest.mark.parametrize("model", [True, False])
    def test_neither_words_nor_answer_are_remembered(self, memory: recollect.Memory, model: bool):
        service = ChatService(memory, ScriptedLLM(["Zebras, noted."]) if model else None)
        answer = service.chat("u1", None, "I keep zebras in Lisbon.", private=True)
        memory.maintain()
        messages = memory.chat(owner="u1", session=answer.session).messages()
        assert [message.private for message in messages] == [True, True]
        assert memory.search("zebras", owner="u1") == []
        assert memory.facts(owner="u1") == []
        if not model:
            assert answer.text == NOT_KEPT

    def test_words_decide_unless_something_is_said(self, memory: recollect.Memory):
        service = ChatService(memory, ScriptedLLM(["Yes.", "Yes."]))
        words = "Never remember this: my PIN is 4711."
        for private, expected in ((None, True), (False, False)):
            answer = service.chat("u1", None, words, private=private)
            said = memory.chat(owner="u1", session=answer.session).messages()
            assert [message.private for message in said] == [expected, expected]

    def test_nothing_is_offered_to_remember_with(self, memory: recollect.Memory):
        llm = ScriptedLLM(["Yes.", "Yes."])
        service = ChatService(memory, llm)
        session = service.chat("u1", None, "Hello", private=True).session
        service.chat("u1", session, "Hello")
        offered = [[tool["function"]["name"] for tool in call.tools] for call in llm.calls]
        assert offered == [["search_memory", "forget"], ["search_memory", "remember", "forget"]]

    def test_an_answer_made_again(self, memory: recollect.Memory):
        service = ChatService(memory, ScriptedLLM(["One.", "Two."]))
        first = service.chat("u1", None, "Hello?")
        again = service.again("u1", first.session, private=True).answer()
        said, answered = memory.chat(owner="u1", session=first.session).messages()
        assert (said.private, answered.private, saved(again).private) == (False, True, True)


class TestOneTurn:
    def test_recall_and_system_are_its_own(self, memory: recollect.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        llm = ScriptedLLM(["1.", "2."])
        service = ChatService(memory, llm, system="Be kind.")
        session = service.chat("u1", None, "Where is my sister?", recall="off", system="Be brief.").session
        service.again("u1", session).answer()
        first, second = (str(call.messages) for call in llm.calls)
        assert ("Lisbon" in first, "Be brief." in first, "Be kind." in first) == (False, True, False)
        assert ("Lisbon" in second, "Be brief." in second, "Be kind." in second) == (True, False, True)

    def test_recall_without_a_model(self, memory: recollect.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        service = ChatService(memory)
        assert service.chat("u1", None, "Where is my sister?", recall="session").text == NOTHING
        assert "Lisbon" in service.chat("u1", None, "Where is my sister?").text

    @pytest.mark.parametrize("wrong", [{"recall": "everything"}, {"system": "a\0b"}, {"title": "a\0b"}])
    def test_nonsense_is_refused_before_anything_is_made(self, memory: recollect.Memory, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput):
            ChatService(memory).stream("u1", None, "Hello", **wrong)
        assert len(memory.sessions(owner="u1")) == 0


class TestNew:
    def test_may_have_a_title(self, memory: recollect.Memory):
        service = ChatService(memory, ScriptedLLM(["Hi.", "Hi."]))
        session = service.chat("u1", None, "Hello", title="Greetings").session
        assert memory.chat(owner="u1", session=session).info().title == "Greetings"
        with pytest.raises(InvalidInput, match="rename"):
            service.stream("u1", session, "Hello", title="Another")

    def test_may_be_temporary(self, memory: recollect.Memory):
        service = ChatService(memory)
        answer = service.chat("u1", None, "My sister moved to Lisbon.", temporary=True)
        assert answer.text == NOTED_HERE
        assert len(memory.sessions(owner="u1")) == 0
        assert memory.mark(owner="u1").revision == 0
        again = service.chat("u1", answer.session, "Where is my sister?", temporary=True)
        assert "Lisbon" in again.text
        assert saved(service.again("u1", answer.session).answer()).role is Role.ASSISTANT
        kept = service.chat("u1", None, "Hello").session
        with pytest.raises(InvalidInput, match="temporary"):
            service.stream("u1", kept, "Hello", temporary=True)
