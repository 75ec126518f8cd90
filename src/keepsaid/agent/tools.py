"""Tools: typed Python functions that a language model may call."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from enum import Enum
from typing import Any, get_type_hints

from keepsaid.agent.schema import ArgumentError, build_object_schema, convert_fields
from keepsaid.errors import InvalidInput

MAX_RESULT_LENGTH = 100_000
"""Maximum characters of a saved result. Prompts do not contain more of it, and stores limit the size of a message."""

MAX_ERROR_LENGTH = 2_000

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class ToolError(Exception):
    """A tool call failed. The text is sent to the model. Custom tools may raise this or any other exception."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. `Tool.of` makes one from a typed function: its type hints define the parameters, its
    docstring and `Annotated` types describe them.

    The results of a `private` tool stay in their conversation and are not remembered anywhere else.

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
    """The JSON schema of the arguments."""
    function: Callable[..., Any]
    private: bool = False
    fields: Mapping[str, tuple[Any, bool]] | None = field(default=None, repr=False)
    """The Python type of each argument and whether it is required. None passes the arguments on unchecked."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(f"{self.name!r} is not a valid tool name: use 1 to 64 of a–z, A–Z, 0–9, _ and -")
        if inspect.iscoroutinefunction(self.function) or inspect.isasyncgenfunction(self.function):
            raise InvalidInput(f"the tool {self.name} is asynchronous; use a plain function that waits for its result")

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        private: bool = False,
    ) -> Tool:
        """Make a tool from a typed function.

        >>> Tool.of(len, name="length")
        Traceback (most recent call last):
        ...
        keepsaid.errors.InvalidInput: obj of length cannot be given by name, which is how models give arguments
        """
        called: str = name or getattr(function, "__name__", type(function).__name__)
        fields = _fields_of(function, called)
        words = description if description is not None else inspect.getdoc(function) or ""
        return cls(called, words, build_object_schema(fields, called), function, private, fields)

    @property
    def schema(self) -> dict[str, Any]:
        """The tool in the format of chat-completions APIs.

        >>> def now() -> str: ...
        >>> Tool.of(now).schema["function"]["name"]
        'now'
        """
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}

    def run(self, arguments: str) -> str:
        """Call the function with the arguments that a model wrote, and return its result as text. Every failure raises
        `ToolError` with a text for the model.

        >>> def double(number: int) -> dict[str, int]:
        ...     return {"double": 2 * number}
        >>> Tool.of(double).run('{"number": "4"}')
        '{"double": 8}'
        >>> Tool.of(double).run('{"number": "four"}')
        Traceback (most recent call last):
        ...
        keepsaid.agent.tools.ToolError: Error: number must be integer, not "four"
        """
        given = _parse_arguments(arguments)
        try:
            values = given if self.fields is None else convert_fields(given, self.fields, self.name)
        except ArgumentError as error:
            raise ToolError(f"Error: {error}") from None
        try:
            return _as_text(self.function(**values))
        except ToolError:
            raise
        except Exception as error:  # a tool may fail in any way, and the model must be informed
            raise ToolError(
                replace_invalid_characters(f"Error: {type(error).__name__}: {error}")[:MAX_ERROR_LENGTH]
            ) from error


def collect_tools(tools: Iterable[Tool | Callable[..., Any]]) -> dict[str, Tool]:
    """Return tools by name, made from functions where needed. Raise `InvalidInput` if two have the same name.

    >>> def now() -> str: ...
    >>> list(collect_tools([now]))
    ['now']
    """
    made: dict[str, Tool] = {}
    for given in tools:
        if not isinstance(given, Tool) and not callable(given):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a tool must be a function or a Tool, not {given!r}")
        tool = given if isinstance(given, Tool) else Tool.of(given)
        if tool.name in made:
            raise InvalidInput(f"two tools have the name {tool.name!r}: rename one of them")
        made[tool.name] = tool
    return made


def replace_invalid_characters(text: str) -> str:
    """Replace characters that not every store can save; texts of models and tools may contain such characters.

    >>> replace_invalid_characters("a\\x00b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _fields_of(function: Callable[..., Any], name: str) -> dict[str, tuple[Any, bool]]:
    try:
        signature = inspect.signature(function)
        called = function if inspect.isroutine(function) or inspect.isclass(function) else type(function).__call__
        hints = get_type_hints(called, include_extras=True)
    except (ValueError, TypeError, NameError) as error:
        raise InvalidInput(f"cannot read the signature of the tool {name}: {error}") from None
    fields: dict[str, tuple[Any, bool]] = {}
    for one in signature.parameters.values():
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise InvalidInput(f"{one.name} of {name} cannot be given by name, which is how models give arguments")
        fields[one.name] = (hints.get(one.name, Any), one.default is one.empty)
    return fields


def _parse_arguments(arguments: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(arguments.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(f"Error: the arguments are not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ToolError("Error: the arguments must be a JSON object with a value for each parameter")
    return value  # pyright: ignore[reportUnknownVariableType]


def _as_text(result: Any) -> str:
    if result is None:
        return "done"
    if not isinstance(result, str):
        result = json.dumps(result, ensure_ascii=False, default=_to_json_value)
    text = replace_invalid_characters(result)
    if len(text) > MAX_RESULT_LENGTH:
        text = f"{text[:MAX_RESULT_LENGTH]}\n[… {len(text) - MAX_RESULT_LENGTH:,} characters cut …]"
    return text


def _to_json_value(value: Any) -> Any:
    """Return a JSON-compatible form of a value that JSON cannot represent."""
    if isinstance(value, Enum):
        return value.value
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
