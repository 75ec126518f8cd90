"""The OpenAPI document, without a server: `python -m recollect.server.openapi` prints it."""

from __future__ import annotations

import json
from typing import Any

from recollect.config import Settings
from recollect.server.run import build


def document() -> dict[str, Any]:
    """The document of this version.

    >>> document()["info"]["title"]
    'Recollect'
    """
    app = build(Settings(url="memory://", llm="off", embedder="off", server_log="off"))
    try:
        return app.openapi()
    finally:
        app.state.desk.close()


if __name__ == "__main__":
    print(json.dumps(document(), indent=1))  # noqa: T201
