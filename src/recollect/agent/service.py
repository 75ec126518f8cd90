"""`ChatService`: whole turns of a chat for many users, each remembered as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recollect.agent.answer import Answer
from recollect.agent.model import Model
from recollect.agent.options import STEPS, Options
from recollect.agent.stream import Stream
from recollect.agent.tools import Tool
from recollect.agent.turns import Turns, sayable
from recollect.chat import Chat
from recollect.errors import NotFound
from recollect.llm import llm_for
from recollect.memory import Memory

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

    def chat(self, owner: str, session: str | None, message: str) -> Answer:
        """One turn, when all of it is done. Without a session it begins a new conversation; one that is unknown or somebody
        else's is `NotFound`, in the same words.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> _ = memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
        >>> answer = ChatService(memory).chat("u1", None, "Where is my sister?")
        >>> answer.model is None, "in “Family”: “My sister moved to Lisbon.”" in answer.text
        (True, True)
        """
        return self.stream(owner, session, message).answer()

    def stream(self, owner: str, session: str | None, message: str) -> Stream:
        """One turn, as it happens. Closing it stops the model and keeps the part of the answer that came.

        >>> import recollect
        >>> service = ChatService(recollect.open("memory://"), lambda messages: "Hello!")
        >>> [type(event).__name__ for event in service.stream("u1", None, "Hi")]
        ['Started', 'Retrieved', 'Delta', 'Finished']
        """
        sayable(message)
        known = None if session is None else self._known(owner, session)
        return Stream(lambda stop: self._turns.asked(lambda: known or self._memory.chat(owner=owner), message, stop))

    def _known(self, owner: str, session: str) -> Chat:
        try:
            return self._memory.chat(owner=owner, session=session)
        except NotFound:
            raise NotFound(NOT_FOUND) from None
