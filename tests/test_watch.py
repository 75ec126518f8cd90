"""A second client sees what happens: in this process, in another one, by await, and until it leaves."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

import recollect


def test_another_process_is_seen(tmp_path):
    path = tmp_path / "chat.db"
    with recollect.open(path) as memory:
        chat = memory.chat(owner="u1")
        with chat.watch() as changes:
            code = (
                "import recollect, sys\n"
                "with recollect.open(sys.argv[1]) as memory:\n"
                "    chat = memory.chat(owner='u1', session=sys.argv[2])\n"
                "    for number in range(3): chat.add('user', f'from afar {number}')\n"
            )
            subprocess.run([sys.executable, "-c", code, str(path), chat.id], check=True)
            seen = [changes.get(timeout=10) for _ in range(3)]
        assert [change.message.text for change in seen] == [f"from afar {number}" for number in range(3)]


def test_a_commit_of_this_process_is_seen_at_once(store):
    chat = store.chat(owner="u1")
    with chat.watch() as changes:
        time.sleep(0.1)
        delays = []
        for number in range(20):
            start = time.perf_counter()
            chat.add("user", str(number))
            assert changes.get(timeout=5).message.text == str(number)
            delays.append(time.perf_counter() - start)
        assert sorted(delays)[10] < 0.02


def test_one_dispatcher_serves_all_watchers(store):
    chat = store.chat(owner="u1")
    before = threading.active_count()
    watches = [chat.watch() for _ in range(50)]
    assert threading.active_count() == before + 1
    chat.add("user", "hello")
    assert all(watch.get(timeout=5).message.text == "hello" for watch in watches)
    for watch in watches:
        watch.close()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_a_burst_arrives_whole_and_in_order(store):
    chat = store.chat(owner="u1")
    with chat.watch() as changes:
        for number in range(30):
            chat.add_many([{"role": "user", "content": f"{number}.{part}"} for part in range(50)])
        texts = [changes.get(timeout=5).message.text for _ in range(1500)]
    assert texts == [f"{number}.{part}" for number in range(30) for part in range(50)]


def test_closing_the_memory_ends_the_watch(tmp_path):
    memory = recollect.open(tmp_path / "chat.db")
    watch = memory.watch(owner="u1")
    seen = []
    thread = threading.Thread(target=lambda: seen.extend(watch))
    thread.start()
    memory.close()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert watch.ended
    assert seen == []


def test_a_revoked_grant_ends_the_watch(memory):
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1")
    chat = memory.chat(owner="u1", pool=team)
    with memory.watch(owner="u2", pool=team) as changes:
        chat.add("user", "hello")
        assert changes.get(timeout=5).message.text == "hello"
        memory.revoke(team, of="u2", by="u1")
        chat.add("user", "secret")
        with pytest.raises(recollect.NotFound):
            changes.get(timeout=5)


def test_an_erased_owner_is_told_of(memory):
    chat = memory.chat(owner="u1")
    chat.add("user", "x")
    with memory.watch(owner="u1") as changes:
        memory.erase(owner="u1")
        assert changes.get(timeout=5).kind == "reset"


def test_temporary_sessions_can_be_watched(memory):
    chat = memory.chat(owner="u1", temporary=True)
    with chat.watch() as changes:
        chat.add("user", "psst")
        assert changes.get(timeout=5).message.text == "psst"


def test_async_watchers(tmp_path):
    async def main():
        async with await recollect.open_async(tmp_path / "chat.db") as memory:
            chat = await memory.chat(owner="u1")
            async with await memory.watch(owner="u1") as changes:
                assert await changes.get(timeout=0.05) is None
                await chat.add("user", "one")
                await chat.add("user", "two")
                texts = []
                async for change in changes:
                    texts.append(change.message.text)
                    if len(texts) == 2:
                        break
                assert texts == ["one", "two"]

    asyncio.run(main())


def test_async_callers_share_commits(tmp_path):
    async def main():
        async with await recollect.open_async(tmp_path / "chat.db") as memory:
            chat = await memory.chat(owner="u1")
            await asyncio.gather(*(chat.add("user", str(number)) for number in range(200)))
            return [m.seq for m in await chat.messages()]

    assert asyncio.run(main()) == list(range(1, 201))


def test_who_joins_while_others_are_told_misses_nothing(store, monkeypatch):
    """A second watcher comes while the dispatcher is reading for the first."""
    chat = store.chat(owner="u1")
    reading, go_on = threading.Event(), threading.Event()
    changes = store._storage.changes

    def slow(*arguments):
        if not reading.is_set():
            reading.set()
            go_on.wait(5)
        return changes(*arguments)

    with store.watch(owner="u1") as first:
        time.sleep(0.2)
        monkeypatch.setattr(store._storage, "changes", slow)
        chat.add("user", "one")
        reading.wait(5)
        with store.watch(owner="u1") as second:
            chat.add("user", "two")
            go_on.set()
            assert [first.get(timeout=5).message.text for _ in range(2)] == ["one", "two"]
            assert second.get(timeout=5).message.text == "two"


def test_a_cancelled_wait_loses_nothing(tmp_path):
    async def main():
        async with await recollect.open_async(tmp_path / "chat.db") as memory:
            chat = await memory.chat(owner="u1")
            async with await chat.watch() as changes:
                for number in range(5):
                    with pytest.raises(TimeoutError):
                        await asyncio.wait_for(changes.get(), 0.02)
                    await chat.add("user", str(number))
                    assert (await changes.get(timeout=5)).message.text == str(number)

    asyncio.run(main())


def test_waiting_watchers_hold_no_threads(tmp_path):
    async def main():
        memory = await recollect.open_async(tmp_path / "chat.db")
        chat = await memory.chat(owner="u1")
        watches = [await chat.watch() for _ in range(128)]
        waiting = [asyncio.create_task(watch.get(timeout=5)) for watch in watches]
        await asyncio.sleep(0.05)
        start = time.perf_counter()
        await chat.info()
        assert time.perf_counter() - start < 0.5
        await chat.add("user", "hello")
        assert {change.message.text for change in await asyncio.gather(*waiting)} == {"hello"}
        await memory.close()
        await memory.close()

    asyncio.run(main())
