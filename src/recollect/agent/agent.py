"""`Agent`: a language model with tools and a memory, in one conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recollect.agent.answer import Answer
from recollect.agent.model import Model
from recollect.agent.options import STEPS, Options
from recollect.agent.stream import Stream
from recollect.agent.tools import Tool
from recollect.agent.turns import Saying, Turns, sayable, unfinished
from recollect.chat import Chat
from recollect.llm import llm_for
from recollect.memory import Memory


class Agent:
    """Answers with a language model and tools, in one conversation of one owner, and remembers all of it.

    `llm` is an `LLM`, a function from messages to text, or a name such as "ollama:llama3.2:3b". `tools` are typed functions;
    `web` is a function from a query to results, or a SearXNG-style address. `remember=False` takes the memory's own tools
    away. `recall` says where memories come from (`owner`, `session`, `off`), `top_k` how many passages at the most,
    `min_similarity` from which score on, `budget` how many tokens a prompt may have, tools included.

    Everything is saved as it happens: the user's own words first, each call, each result, the answer. A model that fails
    raises `LLMError`; what had come of its answer is saved with the finish "error". It is raised rather than returned so
    that nobody takes half an answer for one.

    >>> import recollect
    >>> from recollect.testing import ScriptedLLM
    >>> from recollect.ports import Completion
    >>> from recollect.types import ToolCall
    >>> def weather(city: str) -> str:
    ...     \"""The weather in a city.\"""
    ...     return f"19 °C in {city}"
    >>> llm = ScriptedLLM([Completion("", (ToolCall("c1", "weather", '{"city": "Lisbon"}'),)), "It is 19 °C."])
    >>> memory = recollect.open("memory://")
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
        max_steps: int = STEPS,
        answer_tokens: int | None = None,
        temperature: float | None = None,
    ) -> None:
        self._turns = Turns(
            memory,
            Model(llm_for(llm), max_tokens=answer_tokens, temperature=temperature),
            Options(recall, top_k, min_similarity, budget, system, max_steps),
            tools=tools,
            web=web,
            remember=remember,
        )
        self._memory = memory
        self._owner = owner
        self._chat: Chat | None = None if session is None else memory.chat(owner=owner, session=session)

    @property
    def session(self) -> str | None:
        """The id of its conversation; None before the first word of a new one.

        >>> import recollect
        >>> agent = Agent(recollect.open("memory://"), lambda messages: "Hello!", owner="u1")
        >>> agent.session is None, agent.ask("Hi").session == agent.session
        (True, True)
        """
        return None if self._chat is None else self._chat.id

    def ask(self, message: str) -> Answer:
        """One turn, when all of it is done.

        >>> import recollect
        >>> agent = Agent(recollect.open("memory://"), lambda messages: "In Lisbon.", owner="u1")
        >>> answer = agent.ask("Where does my sister live?")
        >>> answer.text, answer.finish, answer.steps
        ('In Lisbon.', 'stop', 1)
        """
        return self.stream(message).answer()

    def stream(self, message: str) -> Stream:
        """One turn, as it happens. Closing it stops the model and keeps the part of the answer that came.

        >>> import recollect
        >>> agent = Agent(recollect.open("memory://"), lambda messages: "Hello!", owner="u1")
        >>> [type(event).__name__ for event in agent.stream("Hi")]
        ['Started', 'Retrieved', 'Delta', 'Finished']
        """
        sayable(message)
        return Stream(lambda stop: self._turns.asked(self._here, Saying(message), stop))

    def resume(self) -> Answer | None:
        """Goes on with a turn that a crash or an error broke off: a tool call without a result gets one that says so, and
        what the user said is answered. None if everything has its answer.

        >>> import recollect
        >>> memory = recollect.open("memory://")
        >>> chat = memory.chat(owner="u1")
        >>> _ = chat.add("user", "Hi")
        >>> agent = Agent(memory, lambda messages: "Hello!", owner="u1", session=chat.id)
        >>> agent.resume().text, agent.resume()
        ('Hello!', None)
        """
        if self._chat is None or unfinished(self._chat) is None:
            return None
        return self.stream_resume().answer()

    def stream_resume(self) -> Stream:
        """The same, as it happens; there are no events if there is nothing to do.

        >>> import recollect
        >>> list(Agent(recollect.open("memory://"), lambda messages: "Hello!", owner="u1").stream_resume())
        []
        """
        chat = self._chat
        return Stream(lambda stop: iter(()) if chat is None else self._turns.resumed(chat, stop))

    def _here(self) -> Chat:
        if self._chat is None:
            self._chat = self._memory.chat(owner=self._owner)
        return self._chat
