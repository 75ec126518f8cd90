"""The application: routes, errors and the porter put together."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import recollect
from recollect.errors import RecollectError
from recollect.server import problems, reference, tracing
from recollect.server.access.doorway import Doorway
from recollect.server.desk import Desk
from recollect.server.idempotency import Idempotency
from recollect.server.page import not_built, page
from recollect.server.porter import Porter
from recollect.server.routes import (
    admin,
    chat,
    completions,
    conversations,
    documents,
    health,
    memories,
    messages,
    receipts,
    sessions,
    transfer,
    upkeep,
    watch,
)

ROUTERS = (
    messages.router,  sessions.router, chat.router, memories.router, documents.router, receipts.router,
    conversations.router, completions.router, transfer.router, upkeep.router, watch.router, admin.router, health.router,
)  # fmt: skip
"""The busiest first: they are tried in this order."""
ABOUT = "Keeps every conversation, finds anything said again, and builds for each turn the best prompt that fits a budget."
SECURITY: dict[str, Any] = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key, or a token of your sign-in."}
}


def create_app(desk: Desk) -> FastAPI:
    """The server over a desk."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with desk.working():
            yield

    app = FastAPI(
        title="Recollect", version=recollect.__version__, description=ABOUT, lifespan=lifespan,
        docs_url=None, redoc_url=None, redirect_slashes=False, telemetry=tracing.NOT_BY_FASTAPI,
    )  # fmt: skip
    app.state.desk = desk
    for kind, handler in (
        (RecollectError, problems.on_error),
        (problems.Refusal, problems.on_error),
        (RequestValidationError, problems.on_invalid),
        (HTTPException, problems.on_http_error),
        (Exception, problems.on_error),
    ):
        app.add_exception_handler(kind, handler)
    seen = [Depends(tracing.remembering)] if desk.settings.tracing else []
    for router in ROUTERS:
        app.include_router(router, dependencies=seen)
    app.add_api_route("/docs", reference.shown, include_in_schema=False)
    app.add_api_route("/docs.css", reference.style, include_in_schema=False)
    built = page()
    if built is None:
        app.add_api_route("/", not_built, include_in_schema=False)
    else:
        app.router.routes.append(built)
    _guard(app, desk)
    _describe(app)
    return app


def _guard(app: FastAPI, desk: Desk) -> None:
    settings = desk.settings
    app.add_middleware(Idempotency, line=desk.line)
    app.add_middleware(
        Porter, gate=desk.gate, doorway=Doorway(settings), line=desk.line if settings.server_rate else None,
        measures=desk.measures, body=settings.server_body, upload=settings.server_upload,
    )  # fmt: skip
    if settings.tracing:
        app.add_middleware(tracing.Tracing)


def _describe(app: FastAPI) -> None:
    """The OpenAPI document says what the porter does, too."""
    made = app.openapi

    def described() -> dict[str, Any]:
        document = made()
        document.setdefault("components", {})["securitySchemes"] = SECURITY
        document["security"] = [{"key": []}, {}]
        return document

    app.openapi = described
