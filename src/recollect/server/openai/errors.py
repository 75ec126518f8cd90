"""Errors in OpenAI's shape, for the doors that its clients knock at."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from recollect.server.openai.shapes import ErrorBody, ErrorShape
from recollect.server.shapes.basis import Problem

DOORS = ("/v1/conversations", "/v1/chat/completions", "/v1/models")
TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
STATUSES = {422: 400}
"""What OpenAI tells with another status than we do."""
FINAL = frozenset((409, 503))
"""What its clients would try again by themselves, though it stays as it is unless we say when."""


def is_door(path: str) -> bool:
    """Whether a path is one of OpenAI's.

    >>> is_door("/v1/conversations/conv_1/items"), is_door("/v1/chat"), is_door("/v1/conversationsX")
    (True, False, False)
    """
    return path.startswith(DOORS) and any(path == door or path.startswith(f"{door}/") for door in DOORS)


def error_response(told: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """A problem as its clients expect it, so that they raise their own errors."""
    status = STATUSES.get(told.status, told.status)
    place = told.errors[0]["at"] if told.errors else ""
    body = ErrorBody(
        message=told.detail,
        type=TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error"),
        param=place.removeprefix("body.").removeprefix("query.") or None,
        code=told.type.rpartition("#")[2].replace("-", "_"),
    )
    made = dict(headers or {})
    if status in FINAL and "Retry-After" not in made:
        made["X-Should-Retry"] = "false"
    return Response(ErrorShape(error=body).model_dump_json(), status, made, "application/json")
