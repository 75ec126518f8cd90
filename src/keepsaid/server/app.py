"""The FastAPI application: routes, error handlers and middleware."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import keepsaid
from keepsaid.errors import KeepsaidError
from keepsaid.server import problems, reference, tracing
from keepsaid.server.access.allowed_hosts import AllowedHosts
from keepsaid.server.idempotency import IdempotencyMiddleware
from keepsaid.server.middleware import AccessMiddleware
from keepsaid.server.routes import (
    admin,
    caller,
    chat,
    completions,
    conversations,
    documents,
    erasure,
    health,
    memories,
    messages,
    pools,
    receipts,
    sessions,
    statistics,
    transfer,
    watch,
)
from keepsaid.server.state import ServerState
from keepsaid.server.web_page import create_page_mount, show_not_built

ROUTERS = (
    messages.router,  sessions.router, chat.router, memories.router, documents.router, receipts.router,
    conversations.router, completions.router, transfer.router, caller.router, erasure.router, statistics.router,
    pools.router, watch.router, admin.router, health.router,
)  # fmt: skip
"""Routers are tried in this order, so the busiest come first."""
ABOUT = "Saves every conversation, finds anything that was said, and builds the best prompt for a turn within a budget."
SECURITY: dict[str, Any] = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key, or a JSON Web Token of your identity provider."}
}


def create_app(state: ServerState) -> FastAPI:
    """Create the application over the state of a process."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with state.run_lifespan():
            yield

    app = FastAPI(
        title="Keepsaid", version=keepsaid.__version__, description=ABOUT, lifespan=lifespan,
        docs_url=None, redoc_url=None, redirect_slashes=False, telemetry=tracing.FASTAPI_TELEMETRY_OFF,
    )  # fmt: skip
    app.state.server = state
    for kind, handler in (
        (KeepsaidError, problems.on_error),
        (problems.RequestRefusal, problems.on_error),
        (RequestValidationError, problems.on_invalid),
        (HTTPException, problems.on_http_error),
        (Exception, problems.on_error),
    ):
        app.add_exception_handler(kind, handler)
    traced = [Depends(tracing.trace_memory_operation)] if state.settings.tracing else []
    for router in ROUTERS:
        app.include_router(router, dependencies=traced)
    app.add_api_route("/docs", reference.show_reference, include_in_schema=False)
    app.add_api_route("/docs.css", reference.show_style, include_in_schema=False)
    page_mount = create_page_mount()
    if page_mount is None:
        app.add_api_route("/", show_not_built, include_in_schema=False)
    else:
        app.router.routes.append(page_mount)
    _guard(app, state)
    _describe(app)
    return app


def _guard(app: FastAPI, state: ServerState) -> None:
    settings = state.settings
    app.add_middleware(IdempotencyMiddleware, coordinator=state.coordinator, erasures=state.erasure_check)
    app.add_middleware(
        AccessMiddleware, authenticator=state.authenticator, allowed_hosts=AllowedHosts(settings), metrics=state.metrics,
        coordinator=state.coordinator if settings.server_rate else None, body=settings.server_body,
        upload=settings.server_upload,
    )  # fmt: skip
    if settings.tracing:
        app.add_middleware(tracing.TracingMiddleware)


def _describe(app: FastAPI) -> None:
    """Add to the OpenAPI document what the middleware does: authentication."""
    build = app.openapi

    def described() -> dict[str, Any]:
        document = build()
        document.setdefault("components", {})["securitySchemes"] = SECURITY
        document["security"] = [{"key": []}, {}]
        return document

    app.openapi = described
