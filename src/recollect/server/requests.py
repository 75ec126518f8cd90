"""Small things that routes share: who is asking, answers made from our nouns, ETags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from recollect.server.access.principal import Principal
from recollect.server.desk import Desk
from recollect.server.problems import FORBIDDEN, Refusal
from recollect.server.shapes.basis import Problem

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": what, "content": {"application/problem+json": {}}}
    for status, what in (("4XX", "The request cannot be done as it is"), ("5XX", "The server cannot do it now"))
}
"""What every route may answer besides."""


def desk_of(request: Request) -> Desk:
    """The desk of this process."""
    return cast(Desk, request.app.state.desk)


def principal_of(request: Request) -> Principal:
    """Who is asking."""
    return cast(Principal, request.state.principal)


def owner_of(request: Request) -> str:
    """Whose memory is asked for: always the credential's, never one that a body or address names."""
    owner = principal_of(request).owner
    if owner is None:
        raise Refusal(FORBIDDEN, "a service's key has no memory of its own: name the user in the header Recollect-User")
    return owner


def reply(shape: type[BaseModel], value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in a shape, from one of our nouns or from a mapping of its fields."""
    made = shape.model_validate(value)
    return Response(made.__pydantic_serializer__.to_json(made), status, headers, "application/json")


def expected_revision(if_match: str) -> int | None:
    """The revision that an If-Match names; None if it takes any.

    >>> expected_revision('"3"'), expected_revision("*")
    (3, None)
    """
    return None if if_match == "*" else int(if_match.strip('"'))


def etag(revision: int) -> str:
    """The ETag of a revision.

    >>> etag(3)
    '"3"'
    """
    return f'"{revision}"'
