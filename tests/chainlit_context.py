"""Chainlit, imported so that it leaves nothing behind: it makes folders wherever it is imported."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Coroutine
from types import ModuleType
from typing import Any

from frameworks import framework

FOLDER = tempfile.TemporaryDirectory(prefix="chainlit-")


def chainlit() -> ModuleType:
    """Chainlit; whoever asks is passed over where it is not installed."""
    os.environ.setdefault("CHAINLIT_APP_ROOT", FOLDER.name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Support for class-based `config` is deprecated")  # of what it needs
        return framework("chainlit")


async def within(thread: str, user: Any, work: Coroutine[Any, Any, Any]) -> Any:
    """Does something as Chainlit does it for a user (or nobody) in a thread."""
    from chainlit.context import ChainlitContext, context_var
    from chainlit.session import HTTPSession

    session = HTTPSession(id="http", client_type="webapp", thread_id=thread, user=user, token=None, user_env=None)
    context_var.set(ChainlitContext(session))
    return await work
