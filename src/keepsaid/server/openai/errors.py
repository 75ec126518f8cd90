"""Errors in OpenAI's format, for the paths that its clients use."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from keepsaid.server.openai.schemas import OpenAIErrorDetail, OpenAIErrorResponse
from keepsaid.server.schemas.base import ProblemDocument

OPENAI_PATHS = ("/v1/conversations", "/v1/chat/completions", "/v1/models")
ERROR_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
STATUSES = {422: 400}
"""Statuses for which OpenAI uses another one."""
FINAL_STATUSES = frozenset((409, 503))
"""Statuses that OpenAI's clients retry by themselves, although a retry is useless without a Retry-After."""


def is_openai_path(path: str) -> bool:
    """Whether a path belongs to the OpenAI-compatible API.

    >>> is_openai_path("/v1/conversations/conv_1/items"), is_openai_path("/v1/chat"), is_openai_path("/v1/conversationsX")
    (True, False, False)
    """
    return path.startswith(OPENAI_PATHS) and any(path == prefix or path.startswith(f"{prefix}/") for prefix in OPENAI_PATHS)


def error_response(problem: ProblemDocument, headers: Mapping[str, str] | None = None) -> Response:
    """Convert a problem into the format of OpenAI's clients, so that they raise their own errors."""
    status = STATUSES.get(problem.status, problem.status)
    place = problem.errors[0]["at"] if problem.errors else ""
    body = OpenAIErrorDetail(
        message=problem.detail,
        type=ERROR_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error"),
        param=place.removeprefix("body.").removeprefix("query.") or None,
        code=problem.type.rpartition("#")[2].replace("-", "_"),
    )
    all_headers = dict(headers or {})
    if status in FINAL_STATUSES and "Retry-After" not in all_headers:
        all_headers["X-Should-Retry"] = "false"
    return Response(OpenAIErrorResponse(error=body).model_dump_json(), status, all_headers, "application/json")
