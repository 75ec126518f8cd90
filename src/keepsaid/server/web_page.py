"""The web page: built files that ship with the package. Every URL of the page returns the same file."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Match, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "page"
CACHE_FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = """<!doctype html><html lang="en"><title>Keepsaid</title><h1>Keepsaid</h1>
<p>The web page is not built here: <code>make page</code> builds it. The HTTP API is described at
<a href="/docs">/docs</a>.</p></html>"""


class WebPageFiles(StaticFiles):
    """Serves files by name, and for every other path the page itself, which does its own routing."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or ("." in path and not path.startswith("c/")):
                raise
            response = FileResponse(FOLDER / "index.html")
        # Asset names change with their content; the page itself must be revalidated.
        response.headers["Cache-Control"] = CACHE_FOREVER if path.startswith("assets/") else "no-cache"
        return response


class WebPageMount(Mount):
    """Matches every path except those of the API, where an unknown path is an error."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope.get("path", "").startswith("/v1/"):
            return Match.NONE, {}
        return super().matches(scope)


def create_page_mount() -> WebPageMount | None:
    """Return the mount of the page, if it was built."""
    return (
        WebPageMount("/", WebPageFiles(directory=FOLDER, html=True), name="page")
        if (FOLDER / "index.html").exists()
        else None
    )


async def show_not_built() -> Response:
    """Show a note where the page was not built."""
    return HTMLResponse(NOT_BUILT)
