"""`run_to_completion`: a cancelled caller waits for the write it began, so that its next call comes after it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from keepsaid.adapters.common import run_to_completion


def test_cancelled_caller_waits_for_running_write() -> None:
    done: list[str] = []
    begun, may_end = threading.Event(), threading.Event()

    def write(word: str, *, also: str) -> None:
        begun.set()
        may_end.wait(10)
        done.extend((word, also))

    async def cancelled() -> None:
        writing = asyncio.ensure_future(run_to_completion(write, "kept", also="too"))
        await asyncio.to_thread(begun.wait, 10)
        for _ in range(3):  # however often
            writing.cancel()
            await asyncio.sleep(0.01)
        assert not writing.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert done == ["kept", "too"]

    asyncio.run(cancelled())


def test_run_to_completion_raises_error_of_function() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(run_to_completion(fail))
