"""Helpers that routes share: the principal and owner of a request, responses from schemas, ETags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from keepsaid.server.access.principal import RequestPrincipal
from keepsaid.server.problems import FORBIDDEN, RequestRefusal
from keepsaid.server.schemas.base import ProblemDocument
from keepsaid.server.state import ServerState

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemDocument, "description": what, "content": {"application/problem+json": {}}}
    for status, what in (("4XX", "The request cannot be processed as it is"), ("5XX", "The server cannot process it now"))
}
"""The error responses of every route."""


def state_of(request: Request) -> ServerState:
    """Return the state of this server process."""
    return cast(ServerState, request.app.state.server)


def principal_of(request: Request) -> RequestPrincipal:
    """Return the authenticated principal of a request."""
    return cast(RequestPrincipal, request.state.principal)


def owner_of(request: Request) -> str:
    """Return the owner whose memory is used: always the one of the credential, never one from the body or URL."""
    owner = principal_of(request).owner
    if owner is None:
        raise RequestRefusal(FORBIDDEN, "a service key has no memory of its own: name the user in the header Keepsaid-User")
    return owner


def reply(shape: type[BaseModel], value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Build a JSON response of a schema from a domain object or a mapping of its fields."""
    body = shape.model_validate(value)
    return Response(body.__pydantic_serializer__.to_json(body), status, headers, "application/json")


def expected_revision(if_match: str) -> int | None:
    """Return the revision in an If-Match header; None if any will do.

    >>> expected_revision('"3"'), expected_revision("*")
    (3, None)
    """
    return None if if_match == "*" else int(if_match.strip('"'))


def etag(revision: int) -> str:
    """Return the ETag of a revision.

    >>> etag(3)
    '"3"'
    """
    return f'"{revision}"'
