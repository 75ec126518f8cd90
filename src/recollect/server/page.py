"""The page: built files that come with the package. Every address of the page is answered with the same file."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Match, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "page"
FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = """<!doctype html><html lang="en"><title>Recollect</title><h1>Recollect</h1>
<p>The page is not built here: <code>make page</code> builds it. The interface for programs is described at
<a href="/docs">/docs</a>.</p></html>"""


class Page(StaticFiles):
    """Files by their names, and for every other address the page itself, which reads the address."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            found = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or ("." in path and not path.startswith("c/")):
                raise
            found = FileResponse(FOLDER / "index.html")
        # The names of assets change with their content; the page itself must be looked at again.
        found.headers["Cache-Control"] = FOREVER if path.startswith("assets/") else "no-cache"
        return found


class Rest(Mount):
    """Every path but those of the interface: a mistake there is an error, and no page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope.get("path", "").startswith("/v1/"):
            return Match.NONE, {}
        return super().matches(scope)


def page() -> Rest | None:
    """The page, if it was built."""
    return Rest("/", Page(directory=FOLDER, html=True), name="page") if (FOLDER / "index.html").exists() else None


async def not_built() -> Response:
    """What is shown where it was not."""
    return HTMLResponse(NOT_BUILT)
