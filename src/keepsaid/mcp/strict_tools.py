"""Tools that refuse unknown arguments, and whose errors are sentences for the model."""

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

from keepsaid.errors import KeepsaidError
from keepsaid.mcp.error_texts import error_text

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MAX_ERRORS = 5
MAX_ARGUMENT_ERROR_LENGTH = 200


class LiteralArguments(FuncMetadata):
    """Keeps string arguments as they are. The SDK parses JSON in strings: "null" became None, so forgetting message "null"
    would erase its whole conversation. No tool here takes a list or an object."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


class StrictTool(Tool):
    """A tool that takes its arguments literally and refuses unknown ones: a model that tries to choose an owner gets an
    error, instead of assuming that it worked."""

    def model_post_init(self, context: Any, /) -> None:
        self.fn_metadata = LiteralArguments(**dict(self.fn_metadata))

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        known: dict[str, Any] = self.parameters["properties"]
        unknown = [repr(name[:MAX_ARGUMENT_ERROR_LENGTH]) for name in arguments if name not in known]
        if unknown:
            named = ", ".join(unknown[:MAX_ERRORS])
            raise ToolError(f"{self.name} takes no argument {named}; it takes {', '.join(known) or 'none'}")
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{self.name}: {_argument_errors(error.__cause__)}") from error.__cause__
            raise


def create_tool(function: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    """Create a tool from a function: its types define the arguments, its docstring is the description."""
    description = " ".join((function.__doc__ or "").split())
    created = StrictTool.from_function(_wrap(function), title=title, description=description, annotations=annotations)
    created.parameters["additionalProperties"] = False
    return created


def _wrap(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Wrap a function to convert Keepsaid errors into error texts. Any other exception is a bug: the SDK logs it, and tells
    the model only that it happened."""

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except KeepsaidError as error:
            raise ToolError(error_text(error)) from error

    return call


def _argument_errors(error: ValidationError) -> str:
    """Describe the invalid arguments and where they are, without their values."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    texts = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}"[:MAX_ARGUMENT_ERROR_LENGTH] for one in found[:MAX_ERRORS]]
    return "; ".join(texts)
