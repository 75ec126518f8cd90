"""Tools that take what they name and nothing else, and whose errors are a sentence for the model to read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from recollect.errors import RecollectError
from recollect.mcp.telling import told

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MOST_COMPLAINTS = 5
LONGEST_COMPLAINT = 200


class AsGiven(FuncMetadata):
    """Takes a text as the text it is. The SDK reads JSON in texts: "null" became None, and to forget the message "null" was
    to forget its whole conversation. None of our tools takes a list or an object."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


class StrictTool(Tool):
    """A tool that takes arguments as they were given, and refuses those it has no name for: a model that tries to say whose
    memory it wants is told so, and does not believe that it was heard."""

    def model_post_init(self, context: Any, /) -> None:
        self.fn_metadata = AsGiven(**dict(self.fn_metadata))

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        known: dict[str, Any] = self.parameters["properties"]
        unknown = [repr(name[:LONGEST_COMPLAINT]) for name in arguments if name not in known]
        if unknown:
            named = ", ".join(unknown[:MOST_COMPLAINTS])
            raise ToolError(f"{self.name} takes no argument {named}; it takes {', '.join(known) or 'none'}")
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{self.name}: {_complaints(error.__cause__)}") from error.__cause__
            raise


def tool(function: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    """A tool made of a function: its types say what may be given, its docstring what for."""
    words = " ".join((function.__doc__ or "").split())
    made = StrictTool.from_function(_telling(function), title=title, description=words, annotations=annotations)
    made.parameters["additionalProperties"] = False
    return made


def _telling(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The same function; what goes wrong in it is told in our words. Anything else is a bug of ours: the SDK logs it, and
    tells the model no more than that it happened."""

    @wraps(function)
    def tell(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except RecollectError as error:
            raise ToolError(told(error)) from error

    return tell


def _complaints(error: ValidationError) -> str:
    """What does not fit, and where; not what was given."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}"[:LONGEST_COMPLAINT] for one in found[:MOST_COMPLAINTS]]
    return "; ".join(told)
