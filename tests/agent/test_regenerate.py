"""The chat service's special turns: edited, answered again, private, and in a temporary conversation."""

from __future__ import annotations

from typing import Any

import pytest

import keepsaid
from keepsaid.agent.answer import TurnFinished, TurnStarted
from keepsaid.agent.offline.answer import NOTHING_FOUND, SAVED_PRIVATELY, SAVED_TEMPORARILY
from keepsaid.agent.service import NOT_FOUND, ChatService
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.ports import LLMCompletion
from keepsaid.testing import ScriptedLLM
from keepsaid.types import Message, Role, ToolCall


def path(memory: keepsaid.Memory, session: str) -> list[str]:
    return [message.text for message in memory.chat(owner="u1", session=session).messages()]


def require_message(answer: keepsaid.Answer) -> Message:
    assert answer.message is not None
    return answer.message


class TestEdit:
    @pytest.mark.parametrize("model", [True, False])
    def test_edited_message_is_answered_on_new_branch(self, memory: keepsaid.Memory, model: bool):
        service = ChatService(memory, ScriptedLLM(["First.", "Second.", "Third."]) if model else None)
        first = service.chat("u1", None, "My sister moved to Porto.")
        second = service.chat("u1", first.session, "She likes it.")
        chat = memory.chat(owner="u1", session=first.session)
        old = chat.messages()
        edited = service.chat("u1", first.session, "My sister moved to Lisbon.", edit=old[0].id)
        assert path(memory, first.session) == ["My sister moved to Lisbon.", edited.text]
        assert chat.alternatives() == {chat.messages()[0].id: (old[0].id, chat.messages()[0].id)}
        chat.switch(require_message(second).id)
        assert chat.messages() == old

    def test_edit_in_middle_keeps_earlier_messages(self, memory: keepsaid.Memory):
        llm = ScriptedLLM(["1.", "2.", "3."])
        service = ChatService(memory, llm)
        session = service.chat("u1", None, "One").session
        service.chat("u1", session, "Two")
        service.chat("u1", session, "Three", edit=memory.chat(owner="u1", session=session).messages()[2].id)
        assert path(memory, session) == ["One", "1.", "Three", "3."]
        assert "Two" not in str(llm.calls[-1])

    @pytest.mark.parametrize("role", ["assistant", "system", "tool"])
    def test_rejects_edit_of_non_user_message(self, memory: keepsaid.Memory, role: str):
        service, chat = ChatService(memory), memory.chat(owner="u1")
        chat.add("user", "Hello")
        other = chat.add(role, "Something", tool_call_id="c1" if role == "tool" else None)
        with pytest.raises(InvalidInput, match="only user messages can be edited"):
            service.stream("u1", chat.id, "Otherwise", edit=other.id)
        assert path(memory, chat.id) == ["Hello", "Something"]

    def test_rejects_edit_of_unknown_message_without_changes(self, memory: keepsaid.Memory):
        service, chat, theirs = ChatService(memory), memory.chat(owner="u1"), memory.chat(owner="u2")
        secret = theirs.add("user", "My PIN is 4711.")
        elsewhere = memory.chat(owner="u1").add("user", "In another conversation")
        for id in ("unknown", secret.id, elsewhere.id):
            with pytest.raises(NotFound):
                service.stream("u1", chat.id, "Otherwise", edit=id)
        with pytest.raises(NotFound, match=NOT_FOUND):
            service.stream("u1", theirs.id, "Otherwise", edit=secret.id)
        with pytest.raises(InvalidInput, match="an edit needs the session"):
            service.stream("u1", None, "Otherwise", edit=elsewhere.id)
        assert len(memory.sessions(owner="u1")) == 2

    def test_web_query_of_edit_uses_earlier_messages_only(self, memory: keepsaid.Memory):
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
    def test_answers_last_turn_again(self, memory: keepsaid.Memory):
        llm = ScriptedLLM(["First.", "Second.", "Third."])
        service = ChatService(memory, llm)
        first = service.chat("u1", None, "Hello?")
        events = list(service.regenerate("u1", first.session))
        assert isinstance(events[0], TurnStarted)
        assert events[0].message.text == "Hello?"
        assert isinstance(events[-1], TurnFinished)
        second = events[-1].answer
        assert path(memory, first.session) == ["Hello?", "Second."]
        assert "First." not in str(llm.calls[-1])
        third = service.regenerate("u1", first.session, require_message(first).id).answer()
        chat = memory.chat(owner="u1", session=first.session)
        ids = (require_message(first).id, require_message(second).id, require_message(third).id)
        assert chat.alternatives() == {require_message(third).id: ids}

    def test_answers_earlier_turn_and_turn_on_other_branch(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM([f"{number}." for number in range(9)]))
        first = service.chat("u1", None, "One")
        service.chat("u1", first.session, "Two")
        service.regenerate("u1", first.session, require_message(first).id).answer()
        assert path(memory, first.session) == ["One", "2."]
        service.chat("u1", first.session, "Uno", edit=memory.chat(owner="u1", session=first.session).messages()[0].id)
        service.regenerate("u1", first.session, require_message(first).id).answer()
        assert path(memory, first.session) == ["One", "4."]

    def test_turn_with_tools_is_answered_from_user_message(self, memory: keepsaid.Memory):
        def weather(city: str) -> str:
            """The weather in a city."""
            return f"19 °C in {city}"

        call = ToolCall("c1", "weather", '{"city": "Lisbon"}')
        llm = ScriptedLLM([LLMCompletion("", (call,)), "It is 19 °C.", "Warm."])
        service = ChatService(memory, llm, tools=[weather])
        first = service.chat("u1", None, "How warm is it?")
        service.regenerate("u1", first.session, require_message(first).id).answer()
        assert path(memory, first.session) == ["How warm is it?", "Warm."]

    def test_finds_user_message_a_thousand_messages_back(self, memory: keepsaid.Memory):
        service, chat = ChatService(memory, ScriptedLLM(["Done."])), memory.chat(owner="u1")
        asked = chat.add("user", "Count to a thousand.")
        chat.add_many([{"role": "assistant", "content": str(number)} for number in range(1000)])
        service.regenerate("u1", chat.id).answer()
        assert path(memory, chat.id) == [asked.text, "Done."]

    def test_answers_turn_without_answer(self, memory: keepsaid.Memory):
        service, chat = ChatService(memory, ScriptedLLM(["There."])), memory.chat(owner="u1")
        chat.add("user", "Are you there?")
        service.regenerate("u1", chat.id).answer()
        assert path(memory, chat.id) == ["Are you there?", "There."]

    def test_answers_again_without_model(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        first = service.chat("u1", None, "Where is my sister?")
        again = service.regenerate("u1", first.session).answer()
        assert (again.text, require_message(again).private) == (first.text, True)
        assert require_message(again).id != require_message(first).id

    def test_rejects_session_without_user_message(self, memory: keepsaid.Memory):
        service, chat = ChatService(memory), memory.chat(owner="u1")
        with pytest.raises(InvalidInput, match="nothing to answer"):
            service.regenerate("u1", chat.id)
        greeting = chat.add("assistant", "Hello!")
        with pytest.raises(InvalidInput, match="nothing to answer"):
            service.regenerate("u1", chat.id, greeting.id)
        with pytest.raises(NotFound):
            service.regenerate("u1", chat.id, "unknown")
        with pytest.raises(NotFound, match=NOT_FOUND):
            service.regenerate("u2", chat.id)

    def test_closing_unstarted_stream_keeps_branch(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["First.", "Second."]))
        first = service.chat("u1", None, "Hello?")
        service.regenerate("u1", first.session).close()
        assert path(memory, first.session) == ["Hello?", "First."]


class TestPrivate:
    @pytest.mark.parametrize("model", [True, False])
    def test_private_message_and_answer_are_not_remembered(self, memory: keepsaid.Memory, model: bool):
        service = ChatService(memory, ScriptedLLM(["Zebras, noted."]) if model else None)
        answer = service.chat("u1", None, "I keep zebras in Lisbon.", private=True)
        memory.maintain()
        messages = memory.chat(owner="u1", session=answer.session).messages()
        assert [message.private for message in messages] == [True, True]
        assert memory.search("zebras", owner="u1") == []
        assert memory.facts(owner="u1") == []
        if not model:
            assert answer.text == SAVED_PRIVATELY

    def test_private_option_overrides_words_in_message(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["Yes.", "Yes."]))
        words = "Never remember this: my PIN is 4711."
        for private, expected in ((None, True), (False, False)):
            answer = service.chat("u1", None, words, private=private)
            said = memory.chat(owner="u1", session=answer.session).messages()
            assert [message.private for message in said] == [expected, expected]

    def test_private_turn_offers_no_remember_tool(self, memory: keepsaid.Memory):
        llm = ScriptedLLM(["Yes.", "Yes."])
        service = ChatService(memory, llm)
        session = service.chat("u1", None, "Hello", private=True).session
        service.chat("u1", session, "Hello")
        offered = [[tool["function"]["name"] for tool in call.tools] for call in llm.calls]
        assert offered == [["search_memory", "forget"], ["search_memory", "remember", "forget"]]

    def test_again_with_private_marks_only_new_answer(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["One.", "Two."]))
        first = service.chat("u1", None, "Hello?")
        again = service.regenerate("u1", first.session, private=True).answer()
        said, answered = memory.chat(owner="u1", session=first.session).messages()
        assert (said.private, answered.private, require_message(again).private) == (False, True, True)


class TestTurnOptions:
    def test_recall_and_system_apply_to_one_turn_only(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        llm = ScriptedLLM(["1.", "2."])
        service = ChatService(memory, llm, system="Be kind.")
        session = service.chat("u1", None, "Where is my sister?", recall="off", system="Be brief.").session
        service.regenerate("u1", session).answer()
        first, second = (str(call.messages) for call in llm.calls)
        assert ("Lisbon" in first, "Be brief." in first, "Be kind." in first) == (False, True, False)
        assert ("Lisbon" in second, "Be brief." in second, "Be kind." in second) == (True, False, True)

    def test_recall_applies_to_one_turn_without_model(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        service = ChatService(memory)
        assert service.chat("u1", None, "Where is my sister?", recall="session").text == NOTHING_FOUND
        assert "Lisbon" in service.chat("u1", None, "Where is my sister?").text

    @pytest.mark.parametrize("wrong", [{"recall": "everything"}, {"system": "a\0b"}, {"title": "a\0b"}])
    def test_rejects_invalid_option_without_creating_session(self, memory: keepsaid.Memory, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput):
            ChatService(memory).stream("u1", None, "Hello", **wrong)
        assert len(memory.sessions(owner="u1")) == 0


class TestNewSession:
    def test_title_is_set_on_new_session_only(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["Hi.", "Hi."]))
        session = service.chat("u1", None, "Hello", title="Greetings").session
        assert memory.chat(owner="u1", session=session).info().title == "Greetings"
        with pytest.raises(InvalidInput, match="rename"):
            service.stream("u1", session, "Hello", title="Another")

    def test_temporary_session_is_not_stored(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        answer = service.chat("u1", None, "My sister moved to Lisbon.", temporary=True)
        assert answer.text == SAVED_TEMPORARILY
        assert len(memory.sessions(owner="u1")) == 0
        assert memory.position(owner="u1").revision == 0
        again = service.chat("u1", answer.session, "Where is my sister?", temporary=True)
        assert "Lisbon" in again.text
        assert require_message(service.regenerate("u1", answer.session).answer()).role is Role.ASSISTANT
        kept = service.chat("u1", None, "Hello").session
        with pytest.raises(InvalidInput, match="temporary"):
            service.stream("u1", kept, "Hello", temporary=True)
