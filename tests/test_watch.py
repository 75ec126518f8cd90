"""A second client sees what happens: in this process, in another one, by await, and until it leaves."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest
from places import lasting, mirrored

import recollect
from recollect.types import Scope
from recollect.watch import Place, Watcher


@lasting
def test_another_process_is_seen(place):
    with recollect.open(place) as memory:
        chat = memory.chat(owner="u1")
        with chat.watch() as changes:
            code = (
                "import recollect, sys\n"
                "with recollect.open(sys.argv[1]) as memory:\n"
                "    chat = memory.chat(owner='u1', session=sys.argv[2])\n"
                "    for number in range(3): chat.add('user', f'from afar {number}')\n"
            )
            subprocess.run([sys.executable, "-c", code, str(place), chat.id], check=True)
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


class TestGoingOn:
    """Who leaves and comes back with a mark misses nothing and hears nothing twice."""

    def act(self, memory: recollect.Memory, number: int) -> None:
        chat = memory.chat(owner="u1", session=f"s{number % 3}", create=True)
        said = chat.add_many([{"role": "user", "content": f"{number}.{part}"} for part in range(3)])
        if number % 2:
            chat.pin(said[0].id)
        if number % 4 == 3:
            chat.edit(said[1].id, f"{number} again")
        if number % 5 == 4:
            chat.rename(f"Title {number}")
        memory.chat(owner="u2").add("user", "Somebody else's.")

    def everything(self, memory: recollect.Memory, count: int, **watched) -> list[recollect.Change]:
        with memory.watch(owner="u1", after=recollect.Mark(), **watched) as changes:
            return [changes.get(timeout=5) for _ in range(count)]

    def reaches(self, changes: recollect.Watch, mark: recollect.Mark) -> None:
        """It comes to the mark, though it is told of nothing."""
        deadline = time.monotonic() + 5
        while changes.mark != mark and time.monotonic() < deadline:
            assert changes.get(timeout=0.02) is None
        assert changes.mark == mark

    @pytest.mark.parametrize("session", [None, "s1"])
    @mirrored(reason="many messages of one kind")
    def test_from_any_change(self, memory: recollect.Memory, session: str | None, monkeypatch):
        monkeypatch.setattr("recollect.watch.BATCH", 4)
        for number in range(12):
            self.act(memory, number)
        all_told = []
        with memory.watch(owner="u1", session=session, after=recollect.Mark()) as changes:
            deadline = time.monotonic() + 10
            while changes.mark != memory.mark(owner="u1") and time.monotonic() < deadline:
                if (change := changes.get(timeout=0.02)) is not None:
                    all_told.append(change)
            assert changes.mark == memory.mark(owner="u1")
        assert len(all_told) > 15
        assert len({change.mark for change in all_told}) == len(all_told)
        for place in range(0, len(all_told), 5):
            after = recollect.Mark.parse(all_told[place].mark.text)
            with memory.watch(owner="u1", session=session, after=after) as changes:
                rest = [changes.get(timeout=5) for _ in all_told[place + 1 :]]
                assert rest == all_told[place + 1 :]
                assert changes.get(timeout=0.05) is None

    def test_a_reader_who_leaves_again_and_again(self, store: recollect.Memory):
        done = threading.Event()

        def write() -> None:
            for number in range(40):
                self.act(store, number)
            done.set()

        store.chat(owner="u1", session="s0", create=True)
        mark = store.mark(owner="u1")
        thread = threading.Thread(target=write)
        thread.start()
        heard = []
        while True:
            if done.is_set() and mark == store.mark(owner="u1"):
                break
            with store.watch(owner="u1", after=mark) as changes:
                taken = 0
                while taken < 7 and (change := changes.get(timeout=0.2)) is not None:
                    heard.append(change)
                    taken += 1
                mark = changes.mark if taken < 7 else heard[-1].mark
        thread.join()
        texts = [change.message.text for change in heard if change.message]
        said = [f"{number}.{part}" for number in range(40) for part in range(3)]
        assert [text for text in texts if "again" not in text] == said
        assert len(texts) == len(said) + 10

    def test_a_mark_moves_on_with_what_is_not_for_the_watch(self, memory: recollect.Memory):
        chat, other = memory.chat(owner="u1"), memory.chat(owner="u1")
        with chat.watch() as changes:
            other.add("user", "not for the watch")
            last = memory.mark(owner="u1")
            self.reaches(changes, last)
            chat.add("user", "for the watch")
            other.add("user", "and one more")
            time.sleep(0.2)
            # It was sent but not taken: who comes back with the mark is told of it.
            assert changes.mark == last
            with chat.watch(after=changes.mark) as again:
                assert again.get(timeout=5).message.text == "for the watch"
            assert changes.get(timeout=5).message.text == "for the watch"
            self.reaches(changes, memory.mark(owner="u1"))

    def test_a_mark_never_goes_back(self):
        """A reader is quicker than the dispatcher: he takes a change before all of its batch is told."""
        seen = []

        def deliver(change: recollect.Change) -> None:
            seen.append(place.take(change).mark)
            assert place.mark == change.mark

        watcher = Watcher(Scope("u1"), recollect.Mark(), deliver)
        place = Place(watcher)
        marks = [recollect.Mark(number, 0, 7) for number in range(1, 4)]
        watcher.tell([recollect.Change("message", mark=mark) for mark in marks], recollect.Mark(5, 0, 7))
        assert seen == marks
        assert place.mark == recollect.Mark(5, 0, 7)

    def test_marks_of_another_life_or_of_the_future_are_reset(self, memory: recollect.Memory):
        memory.chat(owner="u1").add("user", "x")
        mark = memory.mark(owner="u1")
        future = mark._replace(messages=mark.messages + 5), mark._replace(changes=mark.changes + 1), mark._replace(life=7)
        for after in future:
            with memory.watch(owner="u1", after=after) as changes:
                assert changes.mark == after
                told = changes.get(timeout=5)
                assert (told.kind, told.mark) == ("reset", mark)
                assert changes.get(timeout=0.05) is None
        memory.erase(owner="u1")
        memory.chat(owner="u1").add("user", "y")
        with memory.watch(owner="u1", after=mark) as changes:
            assert changes.get(timeout=5).kind == "reset"
        with memory.watch(owner="nobody", after=mark) as changes:
            assert changes.get(timeout=5).kind == "reset"

    def test_who_was_away_too_long_reads_anew(self, memory: recollect.Memory, monkeypatch):
        monkeypatch.setattr("recollect.watch.TOO_FAR", 20)
        chat = memory.chat(owner="u1")
        before = memory.mark(owner="u1")
        chat.add_many([{"role": "user", "content": str(number)} for number in range(21)])
        with chat.watch(after=before) as changes:
            assert changes.mark == before
            assert [changes.get(timeout=5).kind, changes.get(timeout=0.05)] == ["reset", None]
            chat.add("user", "new")
            assert changes.get(timeout=5).message.text == "new"

    def test_one_who_comes_as_another_leaves_is_told(self, store: recollect.Memory):
        chat = store.chat(owner="u1")
        before = store.mark(owner="u1")
        chat.add("user", "hello")
        for _ in range(20):
            with chat.watch(after=before) as changes:
                assert changes.get(timeout=5).message.text == "hello"

    def test_in_async(self, tmp_path):
        async def main():
            async with await recollect.open_async(tmp_path / "chat.db") as memory:
                chat = await memory.chat(owner="u1")
                async with await chat.watch() as changes:
                    await chat.add("user", "one")
                    mark = (await changes.get(timeout=5)).mark
                    assert mark == changes.mark
                await chat.add("user", "two")
                async with await memory.watch(owner="u1", session=chat.id, after=mark) as changes:
                    assert (await changes.get(timeout=5)).message.text == "two"
                async with await chat.watch(after=mark) as changes:
                    assert (await changes.get(timeout=5)).message.text == "two"

        asyncio.run(main())

    @pytest.mark.parametrize(
        "text", ["", "1", "1.2", "1.2.3.4", "-1.2.3", "1.2.x", "1..3", "1.2." + "9" * 19, "１.2.3", " 1.2.3"]
    )
    def test_nonsense_is_no_mark(self, text: str):
        with pytest.raises(recollect.InvalidInput):
            recollect.Mark.parse(text)


class TestSlowReaders:
    """Whoever reads slower than things happen finds them in the store, not in memory, and misses nothing."""

    @mirrored(reason="many messages of one kind")
    def test_they_fill_no_memory_and_miss_nothing(self, memory: recollect.Memory, monkeypatch):
        monkeypatch.setattr("recollect.watch.BATCH", 10)
        chat = memory.chat(owner="u1")
        with chat.watch() as slow, memory.watch(owner="u1") as other:
            for number in range(200):
                chat.add("user", str(number))
                assert other.get(timeout=5).message.text == str(number)
            time.sleep(0.1)
            assert slow._queue.qsize() < 20
            assert [slow.get(timeout=5).message.text for _ in range(200)] == [str(number) for number in range(200)]
            assert slow.get(timeout=0.1) is None
            assert slow.mark == other.mark

    def test_in_async(self, tmp_path, monkeypatch):
        monkeypatch.setattr("recollect.watch.BATCH", 10)

        async def main():
            async with await recollect.open_async(tmp_path / "chat.db") as memory:
                chat = await memory.chat(owner="u1")
                async with await chat.watch() as slow:
                    await chat.add_many([{"role": "user", "content": str(number)} for number in range(200)])
                    await asyncio.sleep(0.2)
                    assert slow._queue.qsize() < 20
                    texts = [(await slow.get(timeout=5)).message.text for _ in range(200)]
                    assert texts == [str(number) for number in range(200)]

        asyncio.run(main())


def test_only_owners_with_something_new_are_asked(store, monkeypatch):
    """A thousand watched owners cost one question for each commit, not a thousand."""
    asked = []
    changes = store._storage.changes
    monkeypatch.setattr(store._storage, "changes", lambda *given: asked.append(given[0].owner) or changes(*given))
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
