"""The adapter for DSPy: conversations as `dspy.History`, and programs that save and reload their conversation.

    answering = dspy.Predict("question, history: dspy.History -> answer")
    program = KeepsaidConversation(answering, memory, owner="u1", session="trip")
    program(question="Where does my sister live?").answer

`history_of` reads a history. Summaries by DSPy are a setting: `keepsaid.open(…, summarizer="dspy")`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from keepsaid.adapters.common import find_original, keep_original_if_lossy, missing_extra, run_to_completion
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, MessageDraft, Role

try:
    import dspy  # pyright: ignore[reportMissingTypeStubs]
    from pydantic_core import to_jsonable_python
except ImportError:
    raise missing_extra("DSPy", "dspy") from None

ADAPTER = "dspy"
FieldValues = dict[str, Any]


def history_of(
    chat: Chat, *, question: str = "question", answer: str = "answer", max_tokens: int | None = None
) -> dspy.History:
    """Return a conversation as a DSPy history: a record per answered turn, by the names of a signature's fields. With
    `max_tokens`, only the newest turns that fit.

    Turns that this adapter saved have all their fields, such as the reasoning.
    """
    turns = _turns(chat.messages(max_tokens=max_tokens))
    return dspy.History(
        messages=[
            _record(question_messages, answer_messages, question, answer) for question_messages, answer_messages in turns
        ]
    )


class KeepsaidConversation(dspy.Module):
    """A program with a memory: it gets the conversation so far as input, and its answers are saved.

    `question`, `answer` and `history` are names of fields in the program's signature. If a field for `memories` is given, it
    gets what is relevant to the question from all conversations of the owner. The first turn creates the conversation.
    """

    def __init__(
        self,
        program: dspy.Module,
        memory: Memory,
        *,
        owner: str,
        session: str,
        pool: str | None = None,
        question: str = "question",
        answer: str = "answer",
        history: str = "history",
        memories: str | None = None,
        max_tokens: int | None = None,
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        memory.blobs(owner=owner, session=session, pool=pool)  # raises now if these are invalid
        self.program = program
        self._memory = memory
        self._owner, self._session, self._pool = owner, session, pool
        self._question, self._answer = question, answer
        self._history, self._memories = history, memories
        self._max_tokens = max_tokens

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Run one turn."""
        prediction = self.program(**inputs, **self._memory_inputs(inputs))
        self._save_turn(inputs, prediction)
        return prediction

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """Run one turn for `acall`; the store is used in threads."""
        given = await asyncio.to_thread(self._memory_inputs, inputs)
        prediction = await self.program.acall(**inputs, **given)  # pyright: ignore[reportUnknownMemberType]
        await run_to_completion(self._save_turn, inputs, prediction)
        return prediction

    def _memory_inputs(self, inputs: Mapping[str, Any]) -> FieldValues:
        self._check(inputs)
        names = {"question": self._question, "answer": self._answer}
        given: FieldValues = {self._history: history_of(self._chat(), **names, max_tokens=self._max_tokens)}
        if self._memories is not None:
            given[self._memories] = self._relevant(_to_text(inputs[self._question]))
        return given

    def _check(self, inputs: Mapping[str, Any]) -> None:
        """Raise errors that are known before the model is called."""
        _require_field("question", self._question, inputs, "the program was called with")
        # The output fields of other programs are only known from their answer.
        program = self.program.predict if isinstance(self.program, dspy.ChainOfThought) else self.program
        if isinstance(program, dspy.Predict):
            signature: Any = program.signature
            _require_field("answer", self._answer, signature.output_fields, "the program's signature answers with")

    def _relevant(self, question: str) -> str:
        if not question.strip():
            return ""
        return self._memory.relevant_context(question, owner=self._owner, pool=self._pool).text

    def _save_turn(self, inputs: Mapping[str, Any], prediction: dspy.Prediction) -> None:
        question_text = _to_json(inputs)
        answered = _to_json(dict(cast("Sequence[tuple[str, Any]]", prediction.items())))
        _require_field("answer", self._answer, answered, "the program answered with")
        drafts = [_draft("user", question_text, self._question), _draft("assistant", answered, self._answer)]
        try:
            self._chat().add_many(drafts)
        except NotFound:
            self._chat().add_many(drafts)  # erased concurrently: create it again, or raise why not

    def _chat(self) -> Chat:
        """Return the conversation; create it again if it was erased."""
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=True)


def _require_field(what: str, name: str, fields: Iterable[str], found: str) -> None:
    known = list(fields)
    if name not in known:
        there = ", ".join(known) or "nothing"
        raise InvalidInput(f"there is no {name!r}: {found} {there}; name the field for the {what} with {what}=…")


def _turns(messages: Sequence[Message]) -> Iterator[tuple[list[Message], list[Message]]]:
    """Yield the questions and answers of each turn, without tool messages."""
    question_messages: list[Message] = []
    answered: list[Message] = []
    for message in messages:
        if message.role is Role.USER:
            if answered:
                yield question_messages, answered
                question_messages, answered = [], []
            question_messages.append(message)
        elif message.role is Role.ASSISTANT and message.text and question_messages:
            answered.append(message)
    if answered:
        yield question_messages, answered


def _record(question_messages: list[Message], answered: list[Message], question: str, answer: str) -> FieldValues:
    given = _fields(question_messages, question)
    # A program may answer with a field of the same name: keep the user's question, not a rewritten one.
    return given | _fields(answered, answer) | {question: given[question]}


def _fields(messages: list[Message], name: str) -> FieldValues:
    """Return the original fields of a message, or the text of the messages in one field."""
    if len(messages) == 1:
        original = find_original(messages[0], ADAPTER, partial(_draft, str(messages[0].role), name=name))
        if original is not None:
            return cast(FieldValues, original)
    return {name: "\n\n".join(message.text for message in messages)}


def _draft(role: str, fields: FieldValues, name: str) -> MessageDraft:
    return keep_original_if_lossy(
        MessageDraft(role, _to_text(fields[name])), fields, lambda message: {name: message.text}, ADAPTER
    )


def _to_json(fields: Mapping[str, Any]) -> FieldValues:
    """Return fields as JSON values, with `str` of other values."""
    return {name: to_jsonable_python(value, fallback=str) for name, value in fields.items()}


def _to_text(value: Any) -> str:
    plain = to_jsonable_python(value, fallback=str)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
