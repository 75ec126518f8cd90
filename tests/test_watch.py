"""Watching changes: of this process and of others, in async code, and resumed from a position."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest
from backends import lasting, replicated

import keepsaid
from keepsaid.memory.watch import WatchPosition
from keepsaid.services.background.change_dispatcher import ChangeWatcher
from keepsaid.types import Scope


@lasting
def test_watch_receives_changes_of_another_process(place):
    with keepsaid.open(place) as memory:
        chat = memory.chat(owner="u1")
        with chat.watch() as changes:
            code = (
                "import keepsaid, sys\n"
                "with keepsaid.open(sys.argv[1]) as memory:\n"
                "    chat = memory.chat(owner='u1', session=sys.argv[2])\n"
                "    for number in range(3): chat.add('user', f'from afar {number}')\n"
            )
            subprocess.run([sys.executable, "-c", code, str(place), chat.id], check=True)
            seen = [changes.get(timeout=10) for _ in range(3)]
        assert [change.message.text for change in seen] == [f"from afar {number}" for number in range(3)]


def test_watch_receives_changes_of_own_process_immediately(store):
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


def test_all_watches_share_one_dispatcher_thread(store):
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


def test_burst_of_changes_arrives_complete_and_in_order(store):
    chat = store.chat(owner="u1")
    with chat.watch() as changes:
        for number in range(30):
            chat.add_many([{"role": "user", "content": f"{number}.{part}"} for part in range(50)])
        texts = [changes.get(timeout=5).message.text for _ in range(1500)]
    assert texts == [f"{number}.{part}" for number in range(30) for part in range(50)]


def test_closing_the_memory_ends_the_watch(tmp_path):
    memory = keepsaid.open(tmp_path / "chat.db")
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
        with pytest.raises(keepsaid.NotFound):
            changes.get(timeout=5)


def test_erasing_owner_sends_reset(memory):
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


def test_async_watch_receives_changes(tmp_path):
    async def main():
        async with await keepsaid.open_async(tmp_path / "chat.db") as memory:
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


def test_concurrent_async_adds_get_consecutive_numbers(tmp_path):
    async def main():
        async with await keepsaid.open_async(tmp_path / "chat.db") as memory:
            chat = await memory.chat(owner="u1")
            await asyncio.gather(*(chat.add("user", str(number)) for number in range(200)))
            return [m.seq for m in await chat.messages()]

    assert asyncio.run(main()) == list(range(1, 201))


def test_watch_opened_during_dispatch_misses_no_change(store, monkeypatch):
    """A second watch is opened while the dispatcher reads changes for the first."""
    chat = store.chat(owner="u1")
    reading, go_on = threading.Event(), threading.Event()
    changes = store._services.storage.changes

    def slow(*arguments):
        if not reading.is_set():
            reading.set()
            go_on.wait(5)
        return changes(*arguments)

    with store.watch(owner="u1") as first:
        time.sleep(0.2)
        monkeypatch.setattr(store._services.storage, "changes", slow)
        chat.add("user", "one")
        reading.wait(5)
        with store.watch(owner="u1") as second:
            chat.add("user", "two")
            go_on.set()
            assert [first.get(timeout=5).message.text for _ in range(2)] == ["one", "two"]
            assert second.get(timeout=5).message.text == "two"


def test_cancelled_wait_loses_no_change(tmp_path):
    async def main():
        async with await keepsaid.open_async(tmp_path / "chat.db") as memory:
            chat = await memory.chat(owner="u1")
            async with await chat.watch() as changes:
                for number in range(5):
                    with pytest.raises(TimeoutError):
                        await asyncio.wait_for(changes.get(), 0.02)
                    await chat.add("user", str(number))
                    assert (await changes.get(timeout=5)).message.text == str(number)

    asyncio.run(main())


def test_waiting_async_watches_block_no_threads(tmp_path):
    async def main():
        memory = await keepsaid.open_async(tmp_path / "chat.db")
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


class TestResuming:
    """A watch that resumes from a position misses no change and receives none twice."""

    def act(self, memory: keepsaid.Memory, number: int) -> None:
        chat = memory.chat(owner="u1", session=f"s{number % 3}", create=True)
        said = chat.add_many([{"role": "user", "content": f"{number}.{part}"} for part in range(3)])
        if number % 2:
            chat.pin(said[0].id)
        if number % 4 == 3:
            chat.edit(said[1].id, f"{number} again")
        if number % 5 == 4:
            chat.rename(f"Title {number}")
        memory.chat(owner="u2").add("user", "Somebody else's.")

    def everything(self, memory: keepsaid.Memory, count: int, **watched) -> list[keepsaid.MemoryChange]:
        with memory.watch(owner="u1", after=keepsaid.ChangePosition(), **watched) as changes:
            return [changes.get(timeout=5) for _ in range(count)]

    def assert_reaches(self, changes: keepsaid.Watch, mark: keepsaid.ChangePosition) -> None:
        """Assert that the watch advances to this position although it receives no change."""
        deadline = time.monotonic() + 5
        while changes.position != mark and time.monotonic() < deadline:
            assert changes.get(timeout=0.02) is None
        assert changes.position == mark

    @pytest.mark.parametrize("session", [None, "s1"])
    @replicated(reason="many messages of one kind")
    def test_watch_resumes_after_any_change(self, memory: keepsaid.Memory, session: str | None, monkeypatch):
        monkeypatch.setattr("keepsaid.services.background.change_dispatcher.BATCH", 4)
        for number in range(12):
            self.act(memory, number)
        all_told = []
        with memory.watch(owner="u1", session=session, after=keepsaid.ChangePosition()) as changes:
            deadline = time.monotonic() + 10
            while changes.position != memory.position(owner="u1") and time.monotonic() < deadline:
                if (change := changes.get(timeout=0.02)) is not None:
                    all_told.append(change)
            assert changes.position == memory.position(owner="u1")
        assert len(all_told) > 15
        assert len({change.position for change in all_told}) == len(all_told)
        for place in range(0, len(all_told), 5):
            after = keepsaid.ChangePosition.parse(all_told[place].position.text)
            with memory.watch(owner="u1", session=session, after=after) as changes:
                rest = [changes.get(timeout=5) for _ in all_told[place + 1 :]]
                assert rest == all_told[place + 1 :]
                assert changes.get(timeout=0.05) is None

    def test_reopened_watches_receive_each_change_once(self, store: keepsaid.Memory):
        done = threading.Event()

        def write() -> None:
            for number in range(40):
                self.act(store, number)
            done.set()

        store.chat(owner="u1", session="s0", create=True)
        mark = store.position(owner="u1")
        thread = threading.Thread(target=write)
        thread.start()
        heard = []
        while True:
            if done.is_set() and mark == store.position(owner="u1"):
                break
            with store.watch(owner="u1", after=mark) as changes:
                taken = 0
                while taken < 7 and (change := changes.get(timeout=0.2)) is not None:
                    heard.append(change)
                    taken += 1
                mark = changes.position if taken < 7 else heard[-1].position
        thread.join()
        texts = [change.message.text for change in heard if change.message]
        said = [f"{number}.{part}" for number in range(40) for part in range(3)]
        assert [text for text in texts if "again" not in text] == said
        assert len(texts) == len(said) + 10

    def test_position_advances_past_unrelated_changes(self, memory: keepsaid.Memory):
        chat, other = memory.chat(owner="u1"), memory.chat(owner="u1")
        with chat.watch() as changes:
            other.add("user", "not for the watch")
            last = memory.position(owner="u1")
            self.assert_reaches(changes, last)
            chat.add("user", "for the watch")
            other.add("user", "and one more")
            time.sleep(0.2)
            # It was delivered but not read: a watch that resumes from this position receives it.
            assert changes.position == last
            with chat.watch(after=changes.position) as again:
                assert again.get(timeout=5).message.text == "for the watch"
            assert changes.get(timeout=5).message.text == "for the watch"
            self.assert_reaches(changes, memory.position(owner="u1"))

    def test_position_never_goes_back(self):
        """The reader takes a change before the dispatcher has delivered the whole batch."""
        seen = []

        def deliver(change: keepsaid.MemoryChange) -> None:
            seen.append(place.take(change).position)
            assert place.position == change.position

        watcher = ChangeWatcher(Scope("u1"), keepsaid.ChangePosition(), deliver)
        place = WatchPosition(watcher)
        marks = [keepsaid.ChangePosition(number, 0, 7) for number in range(1, 4)]
        watcher.tell([keepsaid.MemoryChange("message", position=mark) for mark in marks], keepsaid.ChangePosition(5, 0, 7))
        assert seen == marks
        assert place.position == keepsaid.ChangePosition(5, 0, 7)

    def test_position_of_future_or_erased_owner_sends_reset(self, memory: keepsaid.Memory):
        memory.chat(owner="u1").add("user", "x")
        mark = memory.position(owner="u1")
        future = mark._replace(messages=mark.messages + 5), mark._replace(changes=mark.changes + 1), mark._replace(life=7)
        for after in future:
            with memory.watch(owner="u1", after=after) as changes:
                assert changes.position == after
                told = changes.get(timeout=5)
                assert (told.kind, told.position) == ("reset", mark)
                assert changes.get(timeout=0.05) is None
        memory.erase(owner="u1")
        memory.chat(owner="u1").add("user", "y")
        with memory.watch(owner="u1", after=mark) as changes:
            assert changes.get(timeout=5).kind == "reset"
        with memory.watch(owner="nobody", after=mark) as changes:
            assert changes.get(timeout=5).kind == "reset"

    def test_position_too_far_behind_sends_reset(self, memory: keepsaid.Memory, monkeypatch):
        monkeypatch.setattr("keepsaid.services.background.change_dispatcher.TOO_FAR", 20)
        chat = memory.chat(owner="u1")
        before = memory.position(owner="u1")
        chat.add_many([{"role": "user", "content": str(number)} for number in range(21)])
        with chat.watch(after=before) as changes:
            assert changes.position == before
            assert [changes.get(timeout=5).kind, changes.get(timeout=0.05)] == ["reset", None]
            chat.add("user", "new")
            assert changes.get(timeout=5).message.text == "new"

    def test_watch_opened_as_another_closes_receives_changes(self, store: keepsaid.Memory):
        chat = store.chat(owner="u1")
        before = store.position(owner="u1")
        chat.add("user", "hello")
        for _ in range(20):
            with chat.watch(after=before) as changes:
                assert changes.get(timeout=5).message.text == "hello"

    def test_async_watch_resumes_from_position(self, tmp_path):
        async def main():
            async with await keepsaid.open_async(tmp_path / "chat.db") as memory:
                chat = await memory.chat(owner="u1")
                async with await chat.watch() as changes:
                    await chat.add("user", "one")
                    mark = (await changes.get(timeout=5)).position
                    assert mark == changes.position
                await chat.add("user", "two")
                async with await memory.watch(owner="u1", session=chat.id, after=mark) as changes:
                    assert (await changes.get(timeout=5)).message.text == "two"
                async with await chat.watch(after=mark) as changes:
                    assert (await changes.get(timeout=5)).message.text == "two"

        asyncio.run(main())

    @pytest.mark.parametrize(
        "text", ["", "1", "1.2", "1.2.3.4", "-1.2.3", "1.2.x", "1..3", "1.2." + "9" * 19, "１.2.3", " 1.2.3"]
    )
    def test_parse_refuses_invalid_position(self, text: str):
        with pytest.raises(keepsaid.InvalidInput):
            keepsaid.ChangePosition.parse(text)


class TestSlowReaders:
    """Changes that a slow reader has not taken yet stay in the store instead of in memory, and none is lost."""

    @replicated(reason="many messages of one kind")
    def test_slow_watch_keeps_queue_short_and_misses_nothing(self, memory: keepsaid.Memory, monkeypatch):
        monkeypatch.setattr("keepsaid.services.background.change_dispatcher.BATCH", 10)
        chat = memory.chat(owner="u1")
        with chat.watch() as slow, memory.watch(owner="u1") as other:
            for number in range(200):
                chat.add("user", str(number))
                assert other.get(timeout=5).message.text == str(number)
            time.sleep(0.1)
            assert slow._queue.qsize() < 20
            assert [slow.get(timeout=5).message.text for _ in range(200)] == [str(number) for number in range(200)]
            assert slow.get(timeout=0.1) is None
            assert slow.position == other.position

    def test_slow_async_watch_keeps_queue_short_and_misses_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr("keepsaid.services.background.change_dispatcher.BATCH", 10)

        async def main():
            async with await keepsaid.open_async(tmp_path / "chat.db") as memory:
                chat = await memory.chat(owner="u1")
                async with await chat.watch() as slow:
                    await chat.add_many([{"role": "user", "content": str(number)} for number in range(200)])
                    await asyncio.sleep(0.2)
                    assert slow._queue.qsize() < 20
                    texts = [(await slow.get(timeout=5)).message.text for _ in range(200)]
                    assert texts == [str(number) for number in range(200)]

        asyncio.run(main())


def test_commit_queries_only_changed_owners(store, monkeypatch):
    """A commit queries only the owner it changed, however many owners are watched."""
    asked = []
    changes = store._services.storage.changes
    monkeypatch.setattr(store._services.storage, "changes", lambda *given: asked.append(given[0].owner) or changes(*given))
    chats = [store.chat(owner=f"u{number}") for number in range(50)]
    watches = [chat.watch() for chat in chats]
    time.sleep(0.2)
    asked.clear()
    chats[7].add("user", "hello")
    assert watches[7].get(timeout=5).message.text == "hello"
    time.sleep(0.1)
    assert set(asked) == {"u7"}
    for watch in watches:
        watch.close()
