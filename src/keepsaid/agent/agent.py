"""`Agent`: a language model with tools and a memory, in one conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from keepsaid.agent.answer import Answer
from keepsaid.agent.model import ChatModel
from keepsaid.agent.options import DEFAULT_MAX_STEPS, AgentTurnOptions
from keepsaid.agent.stream import TurnStream
from keepsaid.agent.tools import Tool
from keepsaid.agent.turns import TurnEngine, UserInput, find_unanswered_message, require_text
from keepsaid.llm import llm_for
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat


class Agent:
    """Answer with a language model and tools in one conversation of one owner, and save all of it.

    `llm` is an `LLM`, a function from messages to text, or a name such as "ollama:llama3.2:3b". `tools` are typed functions.
    `web` is a function from a query to results, or the URL of a SearXNG-compatible endpoint. `remember=False` removes the
    memory's own tools. `recall` selects where memories come from (`owner`, `session`, `off`), `top_k` is the maximum number
    of passages, `min_similarity` their minimum score, and `budget` the maximum tokens of a prompt, tools included.

    Every step is saved as it happens: the user's message first, then each tool call, each result and the answer. If the
    model fails, `LLMError` is raised and the partial answer is saved with the finish "error". The error is raised rather
    than returned so that a partial answer is not taken for a complete one.

    >>> import keepsaid
    >>> from keepsaid.testing import ScriptedLLM
    >>> from keepsaid.ports import LLMCompletion
    >>> from keepsaid.types import ToolCall
    >>> def weather(city: str) -> str:
    ...     \"""The weather in a city.\"""
    ...     return f"19 °C in {city}"
    >>> llm = ScriptedLLM([LLMCompletion("", (ToolCall("c1", "weather", '{"city": "Lisbon"}'),)), "It is 19 °C."])
    >>> memory = keepsaid.open("memory://")
    >>> agent = Agent(memory, llm, owner="u1", tools=[weather])
    >>> agent.ask("How warm is it in Lisbon?").text
    'It is 19 °C.'
    >>> [message.role.value for message in memory.chat(owner="u1", session=agent.session).messages()]
    ['user', 'assistant', 'tool', 'assistant']
    """

    def __init__(
        self,
        memory: Memory,
        llm: Any,
        *,
        owner: str,
        session: str | None = None,
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
        self._turns = TurnEngine(
            memory,
            ChatModel(llm_for(llm), max_tokens=answer_tokens, temperature=temperature),
            AgentTurnOptions(recall, top_k, min_similarity, budget, system, max_steps),
            tools=tools,
            web=web,
            remember=remember,
        )
        self._memory = memory
        self._owner = owner
        self._chat: Chat | None = None if session is None else memory.chat(owner=owner, session=session)

    @property
    def session(self) -> str | None:
        """The id of the conversation; None until the first message of a new one.

        >>> import keepsaid
        >>> agent = Agent(keepsaid.open("memory://"), lambda messages: "Hello!", owner="u1")
        >>> agent.session is None, agent.ask("Hi").session == agent.session
        (True, True)
        """
        return None if self._chat is None else self._chat.id

    def ask(self, message: str) -> Answer:
        """Run one turn and return its answer.

        >>> import keepsaid
        >>> agent = Agent(keepsaid.open("memory://"), lambda messages: "In Lisbon.", owner="u1")
        >>> answer = agent.ask("Where does my sister live?")
        >>> answer.text, answer.finish, answer.steps
        ('In Lisbon.', 'stop', 1)
        """
        return self.stream(message).answer()

    def stream(self, message: str) -> TurnStream:
        """Return one turn as a stream of events. Closing the stream stops the model and saves the partial answer.

        >>> import keepsaid
        >>> agent = Agent(keepsaid.open("memory://"), lambda messages: "Hello!", owner="u1")
        >>> [type(event).__name__ for event in agent.stream("Hi")]
        ['TurnStarted', 'ContextRetrieved', 'TextDelta', 'TurnFinished']
        """
        require_text(message)
        return TurnStream(lambda stop: self._turns.ask(self._current_chat, UserInput(message), stop))

    def resume(self) -> Answer | None:
        """Finish a turn that a crash or an error interrupted, and return its answer.

        A tool call without a result gets one that says so, and the user's message is answered. Return None if no message is
        unanswered.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.add("user", "Hi")
        >>> agent = Agent(memory, lambda messages: "Hello!", owner="u1", session=chat.id)
        >>> agent.resume().text, agent.resume()
        ('Hello!', None)
        """
        if self._chat is None or find_unanswered_message(self._chat) is None:
            return None
        return self.stream_resume().answer()

    def stream_resume(self) -> TurnStream:
        """Return `resume` as a stream of events, empty if there is nothing to resume.

        >>> import keepsaid
        >>> list(Agent(keepsaid.open("memory://"), lambda messages: "Hello!", owner="u1").stream_resume())
        []
        """
        chat = self._chat
        return TurnStream(lambda stop: iter(()) if chat is None else self._turns.resume(chat, stop))

    def _current_chat(self) -> Chat:
        if self._chat is None:
            self._chat = self._memory.chat(owner=self._owner)
        return self._chat
