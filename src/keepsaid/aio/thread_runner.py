"""Running sync verbs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

THREADS = 32


class ThreadRunner:
    """Runs sync verbs in the memory's own threads, so that a busy default pool of the event loop does not delay them."""

    def __init__(self) -> None:
        self.is_closed = False
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="keepsaid")

    async def __call__(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs))

    def close(self) -> None:
        """End the threads once they are idle."""
        self.is_closed = True
        self._threads.shutdown(wait=False)
