"""The door for DSPy: conversations as `dspy.History`, and programs that remember theirs.

    answering = dspy.Predict("question, history: dspy.History -> answer")
    program = RecollectConversation(answering, memory, owner="u1", session="trip")
    program(question="Where does my sister live?").answer

A history is read by `history_of`. Summaries by DSPy are a setting: `recollect.open(…, summarizer="dspy")`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from recollect.adapters.common import faithful, missing, original_of, settled
from recollect.chat import Chat
from recollect.errors import InvalidInput, NotFound
from recollect.memory import Memory
from recollect.types import Draft, Message, Role

try:
    import dspy  # pyright: ignore[reportMissingTypeStubs]
    from pydantic_core import to_jsonable_python
except ImportError:
    raise missing("DSPy", "dspy") from None

DOOR = "dspy"
Fields = dict[str, Any]


def history_of(
    chat: Chat, *, question: str = "question", answer: str = "answer", max_tokens: int | None = None
) -> dspy.History:
    """A conversation as DSPy has it: a record for each turn, by the names of a signature's fields. What was not answered is
    no turn. With `max_tokens` only the newest turns that fit.

    A turn that came by this door has all its fields, such as the reasoning.
    """
    turns = _turns(chat.messages(max_tokens=max_tokens))
    return dspy.History(messages=[_record(asked, answered, question, answer) for asked, answered in turns])


class RecollectConversation(dspy.Module):
    """A program with a memory: it is given the conversation so far, and what it answers is kept.

    `question`, `answer` and `history` are the names of fields in the program's signature. If there is one for `memories`, it
    gets what is relevant to the question in all that the owner ever said. The conversation is made by the first turn.
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
        memory.drawer(owner=owner, session=session, pool=pool)  # says at once if there is something wrong with these
        self.program = program
        self._memory = memory
        self._owner, self._session, self._pool = owner, session, pool
        self._question, self._answer = question, answer
        self._history, self._memories = history, memories
        self._max_tokens = max_tokens

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """One turn."""
        prediction = self.program(**inputs, **self._given(inputs))
        self._keep(inputs, prediction)
        return prediction

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """One turn, for `acall`; the store is used in threads."""
        given = await asyncio.to_thread(self._given, inputs)
        prediction = await self.program.acall(**inputs, **given)  # pyright: ignore[reportUnknownMemberType]
        await settled(self._keep, inputs, prediction)
        return prediction

    def _given(self, inputs: Mapping[str, Any]) -> Fields:
        self._check(inputs)
        names = {"question": self._question, "answer": self._answer}
        given: Fields = {self._history: history_of(self._chat(), **names, max_tokens=self._max_tokens)}
        if self._memories is not None:
            given[self._memories] = self._relevant(_words(inputs[self._question]))
        return given

    def _check(self, inputs: Mapping[str, Any]) -> None:
        """Says what is wrong before the model is asked, as far as that can be known."""
        _need("question", self._question, inputs, "the program was called with")
        # What other programs answer with, only their answer tells.
        program = self.program.predict if isinstance(self.program, dspy.ChainOfThought) else self.program
        if isinstance(program, dspy.Predict):
            signature: Any = program.signature
            _need("answer", self._answer, signature.output_fields, "the program's signature answers with")

    def _relevant(self, asked: str) -> str:
        if not asked.strip():
            return ""
        return self._memory.relevant_context(asked, owner=self._owner, pool=self._pool).text

    def _keep(self, inputs: Mapping[str, Any], prediction: dspy.Prediction) -> None:
        asked = _plain(inputs)
        answered = _plain(dict(cast("Sequence[tuple[str, Any]]", prediction.items())))
        _need("answer", self._answer, answered, "the program answered with")
        drafts = [_draft("user", asked, self._question), _draft("assistant", answered, self._answer)]
        try:
            self._chat().add_many(drafts)
        except NotFound:
            self._chat().add_many(drafts)  # somebody erased it in between: now it is made anew, or tells why it cannot be

    def _chat(self) -> Chat:
        """The conversation; made anew if it was erased since."""
        return self._memory.chat(owner=self._owner, session=self._session, pool=self._pool, create=True)


def _need(what: str, name: str, fields: Iterable[str], found: str) -> None:
    known = list(fields)
    if name not in known:
        there = ", ".join(known) or "nothing"
        raise InvalidInput(f"there is no {name!r}: {found} {there}; say which of its fields is the {what} with {what}=…")


def _turns(messages: Sequence[Message]) -> Iterator[tuple[list[Message], list[Message]]]:
    """What was asked, and what was answered. Tools are what an answer is made of."""
    asked: list[Message] = []
    answered: list[Message] = []
    for message in messages:
        if message.role is Role.USER:
            if answered:
                yield asked, answered
                asked, answered = [], []
            asked.append(message)
        elif message.role is Role.ASSISTANT and message.text and asked:
            answered.append(message)
    if answered:
        yield asked, answered


def _record(asked: list[Message], answered: list[Message], question: str, answer: str) -> Fields:
    given = _fields(asked, question)
    # A program may answer with a field of the same name: a question that it put better is not what was asked.
    return given | _fields(answered, answer) | {question: given[question]}


def _fields(messages: list[Message], name: str) -> Fields:
    """The fields that messages were, or their words in one."""
    if len(messages) == 1:
        original = original_of(messages[0], DOOR, partial(_draft, str(messages[0].role), name=name))
        if original is not None:
            return cast(Fields, original)
    return {name: "\n\n".join(message.text for message in messages)}


def _draft(role: str, fields: Fields, name: str) -> Draft:
    return faithful(Draft(role, _words(fields[name])), fields, lambda message: {name: message.text}, DOOR)


def _plain(fields: Mapping[str, Any]) -> Fields:
    """Fields as JSON; what is none, as it is shown."""
    return {name: to_jsonable_python(value, fallback=str) for name, value in fields.items()}


def _words(value: Any) -> str:
    plain = to_jsonable_python(value, fallback=str)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
