"""What a door began to write is written before whoever was cancelled goes on: or it would come behind what he does next."""

from __future__ import annotations

import asyncio
import threading

import pytest

from recollect.adapters.common import settled


def test_who_is_cancelled_waits_for_what_he_began() -> None:
    done: list[str] = []
    begun, may_end = threading.Event(), threading.Event()

    def write(word: str, *, also: str) -> None:
        begun.set()
        may_end.wait(10)
        done.extend((word, also))

    async def cancelled() -> None:
        writing = asyncio.ensure_future(settled(write, "kept", also="too"))
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


def test_what_fails_is_told() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(settled(fail))
