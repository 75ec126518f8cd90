"""Ctrl-C during a write: the interrupted call ends without effect, and all other calls complete."""

import signal
import threading
import time
from pathlib import Path

import keepsaid


def interrupt_after(seconds: float) -> None:
    def raise_it(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def within(seconds: float, work) -> bool:
    """Whether the work ends in time; it runs in a thread, so that a hang does not block the tests."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def test_interrupted_append_leaves_write_queue(tmp_path: Path) -> None:
    memory = keepsaid.open(tmp_path / "chat.db")
    chat = memory.chat(owner="u1")
    slow = threading.Thread(target=lambda: memory._services.storage._writer.run(lambda db: time.sleep(0.6)))
    slow.start()
    time.sleep(0.1)
    interrupt_after(0.2)
    try:
        chat.add("user", "interrupted")
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    slow.join()
    assert interrupted
    assert within(5, lambda: chat.add("user", "next"))
    assert [m.text for m in chat.messages()] == ["next"]
    assert within(5, memory.close)


def test_interrupted_batch_leader_does_not_block_other_appends(tmp_path: Path) -> None:
    memory = keepsaid.open(tmp_path / "chat.db")
    writer = memory._services.storage._writer
    chats = [memory.chat(owner=f"u{number}") for number in range(5)]
    entered = threading.Event()

    def job(db: object) -> None:
        entered.set()
        time.sleep(0.5)

    blocker = threading.Thread(target=lambda: writer.run(job))
    blocker.start()
    entered.wait(5)
    others = [threading.Thread(target=lambda c=chat: c.add("user", "hello"), daemon=True) for chat in chats]
    interrupt_after(0.8)
    threading.Timer(0.1, lambda: [thread.start() for thread in others]).start()
    try:
        writer.run(lambda db: time.sleep(2))  # queued first, so it leads the batch, and is interrupted in it
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    blocker.join()
    for thread in others:
        thread.join(5)
    assert not any(thread.is_alive() for thread in others)
    assert [chat.info().message_count for chat in chats] == [1] * 5
    memory.close()
