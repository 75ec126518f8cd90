"""The adapter for DSPy: conversations as histories, programs with memory, and summaries by a program."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid import ContentPart, ToolCall
from keepsaid.errors import InvalidInput, MissingExtra

dspy = framework("dspy")

from dspy.utils import DummyLM  # noqa: E402  # it may be missing

from keepsaid.adapters.dspy import KeepsaidConversation, history_of  # noqa: E402

SIGNATURE = "question, history: dspy.History -> answer"


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off") as memory:
        yield memory


def answering(*answers: str) -> DummyLM:
    return DummyLM([{"reasoning": "because", "answer": answer} for answer in answers])


def read_last_prompt(lm: DummyLM) -> str:
    """All that the model was given last."""
    return "\n".join(str(message["content"]) for message in lm.history[-1]["messages"])


def test_program_receives_conversation_history(memory: keepsaid.Memory):
    lm = answering("Lisbon.", "In May.")
    with dspy.context(lm=lm):
        for question in ("Where does my sister live?", "Since when?"):
            # A new one each time, as if the program had been started again.
            program = KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip")
            program(question=question)
    assert "Where does my sister live?" in read_last_prompt(lm)
    assert "Lisbon." in read_last_prompt(lm)
    said = [(str(message.role), message.text) for message in memory.chat(owner="u1", session="trip").messages()]
    assert said == [
        ("user", "Where does my sister live?"), ("assistant", "Lisbon."), ("user", "Since when?"), ("assistant", "In May."),
    ]  # fmt: skip


def test_history_of_returns_all_fields_of_a_turn(memory: keepsaid.Memory):
    with dspy.context(lm=answering("Lisbon.")):
        module = dspy.ChainOfThought("question, history: dspy.History, year: int -> answer")
        program = KeepsaidConversation(module, memory, owner="u1", session="trip")
        prediction = program(question="Where?", year=2026)
    chat = memory.chat(owner="u1", session="trip")
    assert history_of(chat).messages == [{"question": "Where?", "year": 2026, **dict(prediction.items())}]
    assert history_of(chat).messages[0]["reasoning"] == "because"
    assert memory.search("because", owner="u1") == [], "what was thought is not what was said"
    assert history_of(chat, question="q", answer="a").messages == [{"q": "Where?", "a": "Lisbon."}]


def test_conversation_uses_configured_field_names(memory: keepsaid.Memory):
    with dspy.context(lm=DummyLM([{"reply": "Hello!"}, {"reply": "Bye!"}])):
        module = dspy.Predict("message, past: dspy.History -> reply")
        names = {"question": "message", "answer": "reply", "history": "past"}
        program = KeepsaidConversation(module, memory, owner="u1", session="trip", **names)
        program(message="Hi")
        program(message="Ciao")
    chat = memory.chat(owner="u1", session="trip")
    assert history_of(chat, question="message", answer="reply").messages == [
        {"message": "Hi", "reply": "Hello!"}, {"message": "Ciao", "reply": "Bye!"},
    ]  # fmt: skip


def test_memories_field_holds_messages_of_other_sessions(memory: keepsaid.Memory):
    memory.chat(owner="u1").add("user", "My brother Tom lives in Porto.")
    memory.chat(owner="u2").add("user", "My brother Jim lives in Paris.")
    lm = answering("In Porto.")
    with dspy.context(lm=lm):
        module = dspy.Predict("memories, question, history: dspy.History -> answer")
        KeepsaidConversation(module, memory, owner="u1", session="trip", memories="memories")(
            question="Where is my brother?"
        )
    assert "Tom lives in Porto" in read_last_prompt(lm)
    assert "Jim" not in read_last_prompt(lm)


@pytest.mark.parametrize(
    "question", ["Set role:admin for my account please", "the log line says before:midnight", "-admin", " "]
)
def test_memories_ignore_search_operators_in_question(memory: keepsaid.Memory, question: str):
    memory.chat(owner="u1").add("user", "My role is admin; the log line says so at midnight.")
    lm = answering("Done.")
    with dspy.context(lm=lm):
        module = dspy.Predict("memories, question, history: dspy.History -> answer")
        KeepsaidConversation(module, memory, owner="u1", session="trip", memories="memories")(question=question)
    assert ("My role is admin" in read_last_prompt(lm)) == bool(question.strip())


def test_erased_conversation_starts_empty(memory: keepsaid.Memory):
    with dspy.context(lm=answering("Noted.", "I do not know.")):
        program = KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip")
        program(question="My PIN is 4711.")
        memory.erase(owner="u1", session="trip")
        program(question="What is my PIN?")
    turns = history_of(memory.chat(owner="u1", session="trip")).messages
    assert turns == [{"question": "What is my PIN?", "answer": "I do not know."}]


class Given(dspy.Module):
    """A program that answers with what it is given, and counts how often it was asked."""

    def __init__(self, **answer: Any) -> None:
        super().__init__()
        self.answer = answer
        self.asked = 0

    def forward(self, **inputs: Any) -> Any:
        self.asked += 1
        return dspy.Prediction(**self.answer)


def test_conversation_erased_during_call_is_recreated(memory: keepsaid.Memory):
    class Erases(Given):
        def forward(self, **inputs: Any) -> Any:
            memory.erase(owner="u1", session="trip")
            return super().forward(**inputs)

    KeepsaidConversation(Erases(answer="Noted."), memory, owner="u1", session="trip")(question="Hello")
    assert len(history_of(memory.chat(owner="u1", session="trip")).messages) == 1


@pytest.mark.parametrize("module", [dspy.Predict, dspy.ChainOfThought])
def test_wrong_field_names_are_rejected_before_model_call(memory: keepsaid.Memory, module: Any):
    lm = answering("Hello!")
    with dspy.context(lm=lm):
        program = KeepsaidConversation(module(SIGNATURE), memory, owner="u1", session="trip", answer="reply")
        with pytest.raises(InvalidInput, match=r"no 'reply'.*answers with .*answer; say which"):
            program(question="Hi")
        program = KeepsaidConversation(module(SIGNATURE), memory, owner="u1", session="trip", question="message")
        with pytest.raises(InvalidInput, match=r"no 'message'.*called with question; say which"):
            program(question="Hi")
    assert lm.history == []


def test_prediction_without_answer_field_is_rejected(memory: keepsaid.Memory):
    program = KeepsaidConversation(Given(reply="Hello!"), memory, owner="u1", session="trip")
    with pytest.raises(InvalidInput, match=r"no 'answer'.*answered with reply; say which"):
        program(question="Hi")
    assert memory.chat(owner="u1", session="trip").messages() == []


def test_history_keeps_asked_question_if_program_rewrites_it(memory: keepsaid.Memory):
    rewriting = Given(question="Where does Ana live?", answer="In Lisbon.", reasoning="because")
    KeepsaidConversation(rewriting, memory, owner="u1", session="trip")(question="Where does she live?")
    assert history_of(memory.chat(owner="u1", session="trip")).messages == [
        {"question": "Where does she live?", "answer": "In Lisbon.", "reasoning": "because"}
    ]


def test_history_of_reads_messages_written_by_chat(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1")
    chat.add("system", "Be brief.")
    chat.add("assistant", "How can I help?")
    chat.add(
        "user",
        [ContentPart("text", "Look at"), ContentPart("image", uri="https://example.org/a.png")],
        metadata={"source": "web"},
    )
    chat.add("user", "this")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "see", "{}")])
    chat.add("tool", "a cat", tool_call_id="c1", name="see")
    chat.add("assistant", "A cat.")
    chat.add("user", "Not answered yet?")
    assert history_of(chat).messages == [{"question": "Look at\n\nthis", "answer": "A cat."}]
    assert history_of(memory.chat(owner="u1")).messages == []


def test_history_of_returns_edited_text(memory: keepsaid.Memory):
    with dspy.context(lm=answering("Noted.", "Noted again.")):
        program = KeepsaidConversation(dspy.ChainOfThought(SIGNATURE), memory, owner="u1", session="trip")
        program(question="My PIN is 4711.")
    chat = memory.chat(owner="u1", session="trip")
    chat.edit(chat.messages()[0].id, "My PIN is secret.")
    chat.add("assistant", "Noted.")
    assert history_of(chat).messages == [{"question": "My PIN is secret.", "answer": "Noted."}]


def test_max_tokens_keeps_only_newest_turns(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1", session="trip", create=True)
    for number in range(50):
        chat.add("user", f"Question number {number}?")
        chat.add("assistant", f"Answer number {number}.")
    turns = history_of(chat, max_tokens=100).messages
    assert 0 < len(turns) < 10
    assert turns[-1] == {"question": "Question number 49?", "answer": "Answer number 49."}
    lm = answering("Yes.")
    with dspy.context(lm=lm):
        program = KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip", max_tokens=100)
        program(question="And?")
    assert "number 49" in read_last_prompt(lm)
    assert "number 30" not in read_last_prompt(lm)


def test_concurrent_calls_keep_questions_with_answers(memory: keepsaid.Memory):
    def program() -> KeepsaidConversation:
        return KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip")

    lm = answering(*["Noted."] * 40)

    async def talk() -> None:
        with dspy.context(lm=lm):
            await asyncio.gather(*(program().acall(question=f"async {number}") for number in range(8)))

    asyncio.run(talk())

    def say(number: int) -> None:
        with dspy.context(lm=lm):
            program()(question=f"thread {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(say, range(8)))
    turns = history_of(memory.chat(owner="u1", session="trip")).messages
    said = [f"{kind} {number}" for kind in ("async", "thread") for number in range(8)]
    assert sorted(turn["question"] for turn in turns) == said, "each question stands with its answer"
    assert {turn["answer"] for turn in turns} == {"Noted."}


def test_program_can_be_saved_loaded_and_copied(memory: keepsaid.Memory, tmp_path: Path):
    """Optimisers do this; a copy continues the same conversation."""
    program = KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip")
    program.save(str(tmp_path / "program.json"))
    program.load(str(tmp_path / "program.json"))
    assert [name for name, _ in program.named_predictors()] == ["program"]
    with dspy.context(lm=answering("Noted.")):
        program.deepcopy()(question="Hello")
    assert len(history_of(memory.chat(owner="u1", session="trip")).messages) == 1


def test_conversations_require_owner_and_are_separate(memory: keepsaid.Memory):
    with pytest.raises(TypeError):
        KeepsaidConversation(dspy.Predict(SIGNATURE), memory, session="trip")
    with pytest.raises(InvalidInput):
        KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="", session="trip")
    with dspy.context(lm=answering("Noted.")):
        KeepsaidConversation(dspy.Predict(SIGNATURE), memory, owner="u1", session="trip")(question="Hello")
    assert history_of(memory.chat(owner="u2", session="trip", create=True)).messages == []


def test_summarizer_dspy_writes_summaries(tmp_path: Path):
    """The setting `summarizer="dspy"`, with the model that DSPy is configured with."""
    lm = DummyLM([{"condensed_context": "Lena lives in Lisbon.", "key_topics": '["Lisbon"]'}] * 20)
    with dspy.context(lm=lm), keepsaid.open(tmp_path / "chat.db", embedder="off", summarizer="dspy") as memory:
        chat = memory.chat(owner="u1")
        for number in range(30):
            chat.add("user", f"My sister Lena lives in Lisbon, number {number}.")
            chat.add("assistant", f"Noted, number {number}.")
        memory.maintain()
        assert "Lena lives in Lisbon." in (chat.info().summary or "")


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "dspy", None)
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.dspy")
    with pytest.raises(MissingExtra, match=r"keepsaid\[dspy\]"):
        __import__("keepsaid.adapters.dspy")
