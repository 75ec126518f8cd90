"""The OpenAPI document, without a server: `python -m keepsaid.server.openapi` prints it."""

from __future__ import annotations

import json
from typing import Any

from keepsaid.config import Settings
from keepsaid.server.run import build_app


def document() -> dict[str, Any]:
    """Build the OpenAPI document of this version.

    >>> document()["info"]["title"]
    'Keepsaid'
    """
    app = build_app(Settings(url="memory://", llm="off", embedder="off", server_log="off"))
    try:
        return app.openapi()
    finally:
        app.state.server.close()


if __name__ == "__main__":
    print(json.dumps(document(), indent=1))  # noqa: T201
