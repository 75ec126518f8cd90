"""`ChatService`: whole chat turns for many users, saved as they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from keepsaid.agent.answer import Answer
from keepsaid.agent.model import ChatModel
from keepsaid.agent.options import DEFAULT_MAX_STEPS, AgentTurnOptions
from keepsaid.agent.stream import TurnStream
from keepsaid.agent.tools import Tool
from keepsaid.agent.turns import TurnEngine, UserInput, find_last_user_message, require_text
from keepsaid.engine.messages.validation import clean_text
from keepsaid.errors import InvalidInput, NotFound
from keepsaid.llm import llm_for
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Role

NOT_FOUND = "not found or access denied"


class ChatService:
    """Answer messages of many users, each from their own memory, and save the turns.

    Without an `llm`, answers are made from memory: quotes with their dates. The other options are those of `Agent`, for all
    conversations. One service may be used from several threads.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
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
        max_steps: int = DEFAULT_MAX_STEPS,
        answer_tokens: int | None = None,
        temperature: float | None = None,
    ) -> None:
        model = None if llm is None else ChatModel(llm_for(llm), max_tokens=answer_tokens, temperature=temperature)
        options = AgentTurnOptions(recall, top_k, min_similarity, budget, system, max_steps)
        self._memory = memory
        self._turns = TurnEngine(memory, model, options, tools=tools, web=web, remember=remember)

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
        """Run one turn and return its answer. Without a session, start a new conversation. An unknown session and one of
        another owner raise the same `NotFound`.

        `edit` is the id of an earlier user message that `message` replaces; the old version and its answer stay on their own
        branch. `private` keeps the message and the answer out of memory. `recall` (`owner`, `session`, `off`) and `system`
        apply to this turn. A new conversation may have a `title`, or be `temporary`: then it is never written to the store.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
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
    ) -> TurnStream:
        """Return `chat` as a stream of events. Closing the stream stops the model and saves the partial answer.

        >>> import keepsaid
        >>> service = ChatService(keepsaid.open("memory://"), lambda messages: "Hello!")
        >>> [type(event).__name__ for event in service.stream("u1", None, "Hi")]
        ['TurnStarted', 'ContextRetrieved', 'TextDelta', 'TurnFinished']
        """
        options = self._turns.options.for_turn(recall, system)
        user_input = UserInput(require_text(message), edit, private)
        chat = (
            self._new_chat(owner, temporary, title)
            if session is None
            else self._existing_chat(owner, session, temporary, title)
        )
        if edit is not None:
            if session is None:
                raise InvalidInput("an edit needs the session of the message that is edited: give session, too")
            if chat().message(edit).role is not Role.USER:
                raise InvalidInput("only user messages can be edited")
        return TurnStream(lambda stop: self._turns.ask(chat, user_input, stop, options))

    def regenerate(
        self,
        owner: str,
        session: str,
        message: str | None = None,
        *,
        private: bool | None = None,
        recall: str | None = None,
        system: str | None = None,
    ) -> TurnStream:
        """Answer again what a message answers (by default the last one of the conversation), as a stream of events. The old
        answer and what followed it stay on their own branch.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> answers = iter(["In Porto.", "In Lisbon."])
        >>> service = ChatService(memory, lambda messages: next(answers))
        >>> first = service.chat("u1", None, "Where is my sister?")
        >>> service.regenerate("u1", first.session, first.message.id).answer().text
        'In Lisbon.'
        >>> len(memory.chat(owner="u1", session=first.session).branches())
        2
        """
        options = self._turns.options.for_turn(recall, system)
        chat = self._open_chat(owner, session)
        user_message = find_last_user_message(chat, message)
        if user_message is None:
            raise InvalidInput("there is nothing to answer: no user message precedes it")
        return TurnStream(lambda stop: self._turns.regenerate(chat, user_message, stop, options, private))

    def _new_chat(self, owner: str, temporary: bool, title: str | None) -> Callable[[], Chat]:
        if title is not None:
            clean_text(title, "title")
        return lambda: self._memory.chat(owner=owner, temporary=temporary, title=title)

    def _existing_chat(self, owner: str, session: str, temporary: bool, title: str | None) -> Callable[[], Chat]:
        chat = self._open_chat(owner, session)
        if title is not None:
            raise InvalidInput("only a new conversation can be given a title: rename this one instead")
        if temporary and not chat.info().temporary:
            raise InvalidInput("only a new conversation can be made temporary")
        return lambda: chat

    def _open_chat(self, owner: str, session: str) -> Chat:
        try:
            return self._memory.chat(owner=owner, session=session)
        except NotFound:
            raise NotFound(NOT_FOUND) from None
