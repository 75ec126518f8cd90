"""Tools: typed Python functions that a language model may call."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from enum import Enum
from typing import Any, get_type_hints

from recollect.agent.schema import Unfit, object_of, taken
from recollect.errors import InvalidInput

LONGEST_RESULT = 100_000
"""Characters of a result that are kept: no prompt has more of it, and a store keeps no message of any size."""

LONGEST_ERROR = 2_000

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class ToolFailed(Exception):
    """A tool could not do what it was asked; its text is for the model. A tool of your own may raise it, or anything."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may do. `Tool.of` makes one of a function: its types say what may be given, its docstring
    (and `Annotated` types) what for.

    What a `private` tool returns stays in its conversation and is remembered nowhere else.

    >>> def weather(city: str, days: int = 1) -> str:
    ...     \"""The weather in a city.\"""
    ...     return f"19 °C in {city} for {days} day(s)"
    >>> tool = Tool.of(weather)
    >>> tool.name, tool.description, tool.run('{"city": "Lisbon"}')
    ('weather', 'The weather in a city.', '19 °C in Lisbon for 1 day(s)')
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    """The JSON schema of its arguments."""
    function: Callable[..., Any]
    private: bool = False
    fields: Mapping[str, tuple[Any, bool]] | None = field(default=None, repr=False)
    """Of each argument its Python type, and whether it must be given; None passes the arguments on as they are."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(f"{self.name!r} is no name for a tool: it has 1 to 64 of a–z, A–Z, 0–9, _ and -")
        if inspect.iscoroutinefunction(self.function) or inspect.isasyncgenfunction(self.function):
            raise InvalidInput(f"the tool {self.name} is asynchronous; give a plain function that waits for its result")

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        private: bool = False,
    ) -> Tool:
        """A tool made of a typed function.

        >>> Tool.of(len, name="length")
        Traceback (most recent call last):
        ...
        recollect.errors.InvalidInput: obj of length cannot be given by name, which is how models give arguments
        """
        called: str = name or getattr(function, "__name__", type(function).__name__)
        fields = _fields_of(function, called)
        words = description if description is not None else inspect.getdoc(function) or ""
        return cls(called, words, object_of(fields, called), function, private, fields)

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as chat-completions APIs take it.

        >>> def now() -> str: ...
        >>> Tool.of(now).schema["function"]["name"]
        'now'
        """
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}

    def run(self, arguments: str) -> str:
        """Calls the function with what a model wrote, and gives its result as text. Whatever goes wrong is a `ToolFailed`
        whose text tells the model.

        >>> def double(number: int) -> dict[str, int]:
        ...     return {"double": 2 * number}
        >>> Tool.of(double).run('{"number": "4"}')
        '{"double": 8}'
        >>> Tool.of(double).run('{"number": "four"}')
        Traceback (most recent call last):
        ...
        recollect.agent.tools.ToolFailed: Error: number must be integer, not "four"
        """
        given = _parsed(arguments)
        try:
            values = given if self.fields is None else taken(given, self.fields, self.name)
        except Unfit as error:
            raise ToolFailed(f"Error: {error}") from None
        try:
            return _as_text(self.function(**values))
        except ToolFailed:
            raise
        except Exception as error:  # a tool may fail in any way, and the model is to know
            raise ToolFailed(readable(f"Error: {type(error).__name__}: {error}")[:LONGEST_ERROR]) from error


def toolbox(tools: Iterable[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    """Tools by name, made of functions where they are none yet; two of one name are an error.

    >>> def now() -> str: ...
    >>> list(toolbox([now]))
    ['now']
    """
    made: dict[str, Tool] = {}
    for given in tools:
        if not isinstance(given, Tool) and not callable(given):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a tool is a function or a Tool, not {given!r}")
        tool = given if isinstance(given, Tool) else Tool.of(given)
        if tool.name in made:
            raise InvalidInput(f"there are two tools of the name {tool.name!r}")
        made[tool.name] = tool
    return made


def readable(text: str) -> str:
    """A text that every store can keep: what models and tools write may have characters that are none.

    >>> readable("a\\x00b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _fields_of(function: Callable[..., Any], name: str) -> dict[str, tuple[Any, bool]]:
    try:
        signature = inspect.signature(function)
        called = function if inspect.isroutine(function) or inspect.isclass(function) else type(function).__call__
        hints = get_type_hints(called, include_extras=True)
    except (ValueError, TypeError, NameError) as error:
        raise InvalidInput(f"the tool {name} has no signature that can be read: {error}") from None
    fields: dict[str, tuple[Any, bool]] = {}
    for one in signature.parameters.values():
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise InvalidInput(f"{one.name} of {name} cannot be given by name, which is how models give arguments")
        fields[one.name] = (hints.get(one.name, Any), one.default is one.empty)
    return fields


def _parsed(arguments: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(arguments.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"Error: the arguments are no JSON: {error}") from None
    if not isinstance(value, dict):
        raise ToolFailed("Error: the arguments must be a JSON object with a value for each parameter")
    return value  # pyright: ignore[reportUnknownVariableType]


def _as_text(result: Any) -> str:
    if result is None:
        return "done"
    if not isinstance(result, str):
        result = json.dumps(result, ensure_ascii=False, default=_plain)
    text = readable(result)
    if len(text) > LONGEST_RESULT:
        text = f"{text[:LONGEST_RESULT]}\n[… {len(text) - LONGEST_RESULT:,} characters cut …]"
    return text


def _plain(value: Any) -> Any:
    """A value that JSON has no form for, in one that it has."""
    if isinstance(value, Enum):
        return value.value
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
