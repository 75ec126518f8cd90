"""`ChatService`: whole turns of a chat for many users, each remembered as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recollect.agent.answer import Answer
from recollect.agent.model import Model
from recollect.agent.options import STEPS, Options
from recollect.agent.stream import Stream
from recollect.agent.tools import Tool
from recollect.agent.turns import Saying, Turns, last_said, sayable
from recollect.chat import Chat
from recollect.engine.hygiene import clean_text
from recollect.errors import InvalidInput, NotFound
from recollect.llm import llm_for
from recollect.memory import Memory
from recollect.types import Role

NOT_FOUND = "not found or access denied"


class ChatService:
    """Answers what users say, each from his own memory, and saves it.

    Without an `llm`, an answer is put together from what is remembered: quotes with their dates. The other options are those
    of `Agent`, for all conversations. One service may be used from several threads.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> service = ChatService(memory, lambda messages: "Noted!")
    >>> answer = service.chat("u1", None, "My sister moved to Lisbon in May.")
    >>> answer.text, service.chat("u1", answer.session, "Thanks.").session == answer.session
    ('Noted!', True)
    """

    def __init__(
        self,
        memory: Memory,
        llm: Any = None,
        *,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        web: Any = None,
        remember: bool = True,
        recall: str | None = None,
        top_k: int | None = None,
        min_similarity: float | None = None,
        budget: int | str | None = None,
        system: str | None = None,
        max_steps: int = STEPS,
        answer_tokens: int | None = None,
        temperature: float | None = None,
    ) -> None:
        model = None if llm is None else Model(llm_for(llm), max_tokens=answer_tokens, temperature=temperature)
        options = Options(recall, top_k, min_similarity, budget, system, max_steps)
        self._memory = memory
        self._turns = Turns(memory, model, options, tools=tools, web=web, remember=remember)

    def chat(
        self,
        owner: str,
        session: str | None,
        message: str,
        *,
        edit: str | None = None,
        private: bool | None = None,
        recall: str | None = None,
        system: str | None = None,
        temporary: bool = False,
        title: str | None = None,
    ) -> Answer:
        """One turn, when all of it is done. Without a session it begins a new conversation; one that is unknown or somebody
        else's is `NotFound`, in the same words.

        With `edit`, the id of something that the user said before, he says that differently, and is answered anew; what
        was, stays on its own branch. `private` keeps what is said and answered out of memory. `recall` (`owner`, `session`,
        `off`) and `system` are for this turn. A new conversation may have a `title`, or be `temporary`: then nothing of it
        is ever written.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
        >>> answer = ChatService(memory).chat("u1", None, "Where is my sister?")
        >>> answer.model is None, "in “Family”: “My sister moved to Lisbon.”" in answer.text
        (True, True)
        """
        stream = self.stream(
            owner, session, message, edit=edit, private=private, recall=recall, system=system, temporary=temporary,
            title=title,
        )  # fmt: skip
        return stream.answer()

    def stream(
        self,
        owner: str,
        session: str | None,
        message: str,
        *,
        edit: str | None = None,
        private: bool | None = None,
        recall: str | None = None,
        system: str | None = None,
        temporary: bool = False,
        title: str | None = None,
    ) -> Stream:
        """The same turn, as it happens. Closing it stops the model and keeps the part of the answer that came.

        >>> import recollect
        >>> service = ChatService(recollect.open("memory://"), lambda messages: "Hello!")
        >>> [type(event).__name__ for event in service.stream("u1", None, "Hi")]
        ['Started', 'Retrieved', 'Delta', 'Finished']
        """
        options = self._turns.options.for_turn(recall, system)
        saying = Saying(sayable(message), edit, private)
        chat = self._begun(owner, temporary, title) if session is None else self._gone_on(owner, session, temporary, title)
        if edit is not None:
            if session is None:
                raise InvalidInput("name the conversation of the message that is said differently, too")
            if chat().message(edit).role is not Role.USER:
                raise InvalidInput("only what the user said can be said differently")
        return Stream(lambda stop: self._turns.asked(chat, saying, stop, options))

    def again(
        self,
        owner: str,
        session: str,
        message: str | None = None,
        *,
        private: bool | None = None,
        recall: str | None = None,
        system: str | None = None,
    ) -> Stream:
        """Answers once more what a message answers (by default the last one of the conversation), as it happens. The old
        answer, and what followed it, stays on its own branch.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> answers = iter(["In Porto.", "In Lisbon."])
        >>> service = ChatService(memory, lambda messages: next(answers))
        >>> first = service.chat("u1", None, "Where is my sister?")
        >>> service.again("u1", first.session, first.message.id).answer().text
        'In Lisbon.'
        >>> len(memory.chat(owner="u1", session=first.session).branches())
        2
        """
        options = self._turns.options.for_turn(recall, system)
        chat = self._known(owner, session)
        said = last_said(chat, message)
        if said is None:
            raise InvalidInput("there is nothing to answer: the user has said nothing before it")
        return Stream(lambda stop: self._turns.again(chat, said, stop, options, private))

    def _begun(self, owner: str, temporary: bool, title: str | None) -> Callable[[], Chat]:
        if title is not None:
            clean_text(title, "title")
        return lambda: self._memory.chat(owner=owner, temporary=temporary, title=title)

    def _gone_on(self, owner: str, session: str, temporary: bool, title: str | None) -> Callable[[], Chat]:
        chat = self._known(owner, session)
        if title is not None:
            raise InvalidInput("only a new conversation is given a title: rename this one instead")
        if temporary and not chat.info().temporary:
            raise InvalidInput("only a new conversation can be made temporary")
        return lambda: chat

    def _known(self, owner: str, session: str) -> Chat:
        try:
            return self._memory.chat(owner=owner, session=session)
        except NotFound:
            raise NotFound(NOT_FOUND) from None
