"""The chat service: turns of many users, memory-only answers, and no access to other users' conversations."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import keepsaid
from keepsaid.agent.answer import ContextRetrieved, TextDelta, TurnFinished, TurnStarted
from keepsaid.agent.offline.answer import NOTHING_FOUND, SAVED_REPLIES
from keepsaid.agent.offline.quotes import MAX_QUOTE_LENGTH
from keepsaid.agent.service import NOT_FOUND, ChatService
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.testing import ManualClock, ScriptedLLM
from keepsaid.types import Role


def everything(memory: keepsaid.Memory, owner: str) -> list[tuple[str, list[str]]]:
    sessions = memory.sessions(owner=owner)
    return [(one.id, [m.text for m in memory.chat(owner=owner, session=one.id).messages()]) for one in sessions]


class TestChat:
    def test_starts_and_continues_conversation(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["Noted!", "In Lisbon."]))
        first = service.chat("u1", None, "My sister moved to Lisbon.")
        second = service.chat("u1", first.session, "Where is she?")
        assert second.session == first.session
        assert everything(memory, "u1") == [
            (first.session, ["My sister moved to Lisbon.", "Noted!", "Where is she?", "In Lisbon."])
        ]

    def test_starts_new_conversation_without_session(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["Hi.", "Hi."]))
        assert service.chat("u1", None, "Hello").session != service.chat("u1", None, "Hello").session

    def test_stream_yields_events_in_order(self, memory: keepsaid.Memory):
        service = ChatService(memory, ScriptedLLM(["One two three."]))
        events = list(service.stream("u1", None, "Count"))
        assert [type(event) for event in events[:2]] == [TurnStarted, ContextRetrieved]
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "One two three."
        assert isinstance(events[-1], TurnFinished)

    @pytest.mark.parametrize("message", ["", " ", "a\0b"])
    def test_rejects_invalid_message_without_creating_session(self, memory: keepsaid.Memory, message: str):
        with pytest.raises(InvalidInput):
            ChatService(memory).chat("u1", None, message)
        assert everything(memory, "u1") == []

    def test_serves_concurrent_users(self, memory: keepsaid.Memory):
        service = ChatService(memory, lambda messages: f"You said {messages[-1]['content'].rsplit(chr(10), 1)[-1]}")
        failures: list[BaseException] = []

        def talk(owner: str) -> None:
            try:
                session = None
                for number in range(5):
                    answer = service.chat(owner, session, f"{owner} {number}")
                    session = answer.session
                    assert answer.text == f"You said {owner} {number}"
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=talk, args=(f"user{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert failures == []
        for number in range(4):
            assert [len(texts) for _, texts in everything(memory, f"user{number}")] == [10]


class TestAccess:
    @pytest.mark.parametrize("llm", [None, "model"])
    def test_session_of_other_user_is_not_found(self, memory: keepsaid.Memory, llm: str | None):
        scripted = ScriptedLLM(["Never said."])
        service = ChatService(memory, scripted if llm else None)
        theirs = memory.chat(owner="u2")
        theirs.add("user", "My PIN is 4711.")
        words: list[str] = []
        for session in (theirs.id, "unknown", "x" * 500):
            with pytest.raises(NotFound) as caught:
                service.chat("u1", session, "What is the PIN?")
            words.append(str(caught.value))
            with pytest.raises(NotFound):
                service.stream("u1", session, "What is the PIN?")
        assert words == [NOT_FOUND] * 3 == ["not found or access denied"] * 3
        assert scripted.calls == []
        assert everything(memory, "u1") == []
        assert everything(memory, "u2") == [(theirs.id, ["My PIN is 4711."])]

    def test_answer_uses_no_memory_of_other_user(self, memory: keepsaid.Memory):
        memory.chat(owner="u2").add("user", "My sister moved to Lisbon.")
        memory.remember("Has a sister in Lisbon", owner="u2")
        memory.ingest("sister.md", content="My sister lives in Lisbon.", owner="u2")
        answer = ChatService(memory).chat("u1", None, "Where does my sister live?")
        assert answer.text == NOTHING_FOUND
        assert answer.sources == ()

    def test_temporary_session_of_other_user_is_not_found(self, memory: keepsaid.Memory):
        theirs = memory.chat(owner="u2", temporary=True)
        with pytest.raises(NotFound, match=NOT_FOUND):
            ChatService(memory).chat("u1", theirs.id, "Hello?")

    def test_own_deleted_session_is_not_found(self, memory: keepsaid.Memory):
        mine = memory.chat(owner="u1")
        mine.delete()
        with pytest.raises(NotFound, match=NOT_FOUND):
            ChatService(memory).chat("u1", mine.id, "Hello?")


class TestMemoryOnly:
    def test_quotes_memories_with_date_and_source(self, memory: keepsaid.Memory, clock: ManualClock):
        clock.advance(days=2)
        memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
        memory.remember("Has one sister", owner="u1")
        memory.ingest("sisters.md", content="# Sisters\n\nEvery sister is a sibling.", owner="u1")
        answer = ChatService(memory).chat("u1", None, "What about my sister?")
        lines = answer.text.splitlines()
        assert lines[0] == "From memory:"
        assert set(lines[1:]) == {
            "- 3 May 2026, you said in “Family”: “My sister moved to Lisbon.”",
            "- known since 3 May 2026: Has one sister",
            "- sisters.md, § Sisters: “# Sisters Every sister is a sibling.”",
        }
        assert {source.kind for source in answer.sources} == {"message", "fact", "document"}
        assert [source.named for source in answer.sources] == [True] * 3

    def test_answer_is_saved_with_memory_only_metadata(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        answer = ChatService(memory).chat("u1", None, "Where is my sister?")
        saved = memory.chat(owner="u1", session=answer.session).messages()[-1]
        assert answer.message == saved
        assert (answer.model, answer.finish, answer.steps) == (None, "stop", 0)
        assert saved.role is Role.ASSISTANT
        assert saved.metadata["model"] is None
        assert saved.metadata["memory_only"] is True
        assert saved.metadata["sources"] == [source.id for source in answer.sources]

    def test_answers_are_excluded_from_search_and_later_answers(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        memory.maintain()
        service = ChatService(memory)
        first = service.chat("u1", None, "Where is my sister?")
        memory.maintain()
        assert all(hit.message.role is Role.USER for hit in memory.search("sister Lisbon", owner="u1"))
        again = service.chat("u1", None, "Where is my sister?")
        assert again.text == first.text
        # The conversation itself reads them.
        assert memory.chat(owner="u1", session=first.session).messages()[-1].text == first.text
        context = memory.chat(owner="u1", session=first.session).context("And my brother?")
        assert first.text in [message["content"] for message in context.messages]

    def test_quotes_message_of_same_conversation(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        first = service.chat("u1", None, "My sister moved to Lisbon.")
        assert first.text in SAVED_REPLIES
        answer = service.chat("u1", first.session, "Where is my sister?")
        assert "you said in this conversation: “My sister moved to Lisbon.”" in answer.text

    def test_answers_in_temporary_conversation(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        service, chat = ChatService(memory), memory.chat(owner="u1", temporary=True)
        service.chat("u1", chat.id, "My brother moved to Porto.")
        assert "My sister moved to Lisbon." in service.chat("u1", chat.id, "Where is my sister?").text
        here = service.chat("u1", chat.id, "Where is my brother?").text
        assert "you said in this conversation: “My brother moved to Porto.”" in here
        assert [hit.passage for hit in memory.search("brother", owner="u1")] == []

    def test_answers_nothing_found_for_unknown_question(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        service = ChatService(memory)
        assert service.chat("u1", None, "What is the capital of France?").text == NOTHING_FOUND
        assert service.chat("u1", None, "My brother plays chess.").text in SAVED_REPLIES

    def test_does_not_quote_earlier_questions(self, memory: keepsaid.Memory):
        service = ChatService(memory)
        for _ in range(2):
            assert service.chat("u1", None, "Where does my cousin live?").text == NOTHING_FOUND
        assert service.chat("u1", None, "Does my cousin live in Rome?").text == NOTHING_FOUND

    def test_quotes_only_relevant_part_of_long_message(self, memory: keepsaid.Memory):
        long = "We talked of this and that. " * 60 + "My sister moved to Lisbon. " + "Then we had tea. " * 60
        memory.chat(owner="u1").add("user", long)
        answer = ChatService(memory).chat("u1", None, "Where is my sister?")
        assert "My sister moved to Lisbon." in answer.text
        assert len(answer.text) < MAX_QUOTE_LENGTH + 100

    def test_does_not_call_web_search(self, memory: keepsaid.Memory):
        def never(query: str) -> str:
            raise AssertionError("nobody asked")

        service = ChatService(memory, tools=[], web=never)
        assert service.chat("u1", None, "What is the latest news?").text == NOTHING_FOUND

    @pytest.mark.parametrize("options", [{"recall": "off"}, {"recall": "session"}, {"top_k": 0}])
    def test_respects_recall_options(self, memory: keepsaid.Memory, options: dict[str, Any]):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        assert ChatService(memory, **options).chat("u1", None, "Where is my sister?").text == NOTHING_FOUND

    @pytest.mark.parametrize("message", ["?", "...", "👍", "a" * 50_000 + "?", "role:user -x before:2020-01-01"])
    def test_accepts_unusual_messages(self, memory: keepsaid.Memory, message: str):
        memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
        assert ChatService(memory, budget="128k").chat("u1", None, message).text in (NOTHING_FOUND, *SAVED_REPLIES)
