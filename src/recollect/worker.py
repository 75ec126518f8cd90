"""The worker: gives messages that wait for their vectors what they wait for.

It takes the messages of one owner by lease, embeds them, and settles them in one transaction. Whatever dies on the way
(the process, the machine) loses nothing but the lease, which runs out; any process may go on.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from functools import partial

from recollect.engine.passages import passages, spoken
from recollect.errors import Conflict, EmbedderError, NotFound, RecollectError, StoreClosed
from recollect.kit import Kit
from recollect.ports import Coverage, Embedder, Embedding, Passage, Progress, Seen, Task, Vectors

BATCH = 32
"""Messages embedded and settled at once, at the most."""

LONG, SHORT = 5.0, 1.0
"""Seconds: a batch that takes longer makes the next one half as large, one that takes less twice as large. So one of long
messages, or of a slow embedder, does not outlast its lease, and little is lost when it is stopped."""

LEASE = 120_000_000
"""Microseconds: much longer than a batch takes, short enough that a dead worker's messages do not wait for long."""

IDLE = 20
"""After looking in vain, the worker rests for so many times as long as it took: with many owners a look costs something."""

LOOK_AGAIN = 0.5
"""Seconds between looks at whether another worker has settled what it holds, or died over it."""

AT_ONCE = 32
"""Texts that an embedder is given in one call: a long message has up to 64, and nobody should wait for a batch of those."""

PAUSE = 30.0
"""Seconds until a worker whose embedder failed tries again, or one in the background looks for work by itself: another
process may have saved something, or died over it."""

FAREWELL = 10.0
"""Seconds that an embedder is waited for when the store is closed. One that hangs for longer is left behind."""

PROBE = "How many dimensions?"
"""A text that every embedder can embed."""


class Worker:
    """Embeds what waits in one storage."""

    def __init__(self, kit: Kit, vectors: Vectors, embedder: Embedder) -> None:
        self._kit = kit
        self._vectors = vectors
        self.embedder = embedder
        self._holder = kit.new_id(kit.now())
        self._begun = False
        self._done = 0
        self._size = BATCH // 4
        self._batching = threading.Lock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._at_exit = partial(_stop, weakref.ref(self))
        self.failure = ""
        """Why the last batch failed; empty while all goes well."""

    # -- in the foreground

    def drain(self, progress: Progress | None = None) -> int:
        """Embeds until nothing waits; returns how many messages it embedded.

        What another worker holds is waited for, until it is settled or its lease runs out. An embedder that fails raises
        its error, and what waits goes on waiting.
        """
        self._begin()
        before, coverage = self._done, self.coverage()
        while not self._stopping.is_set():
            if self._one_batch():
                done = min(coverage.embedded + self._done - before, coverage.messages)
            elif (now := self.coverage()).embedded == now.messages:
                break
            else:
                done = now.embedded
                self._stopping.wait(LOOK_AGAIN)
            if progress:
                progress(done, coverage.messages)
        self._drop_older()
        return self._done - before

    def _one_batch(self) -> bool:
        # One at a time: to the storage, two threads of this worker are the same holder of the same lease.
        with self._batching:
            task = self._claim()
            if task is None:
                return False
            start = time.monotonic()
            if self._work(task):
                self._done += len(task.messages)
            taken = time.monotonic() - start
            if taken > LONG:
                self._size = max(1, self._size // 2)
            elif taken < SHORT:
                self._size = min(BATCH, 2 * self._size)
            return True

    def coverage(self) -> Coverage:
        """How many messages are embedded, of how many."""
        return self._vectors.coverage(self.embedder.name)

    def _begin(self) -> None:
        if not self._begun:
            (probe,) = self.embedder.embed([PROBE])
            try:
                self._vectors.begin_generation(self.embedder.name, len(probe.vector))
            except Conflict as error:
                raise EmbedderError(f"{error}: an embedder whose vectors changed needs another name") from None
            self._begun = True

    def _claim(self) -> Task | None:
        now = self._kit.now()
        try:
            return self._vectors.claim(self.embedder.name, self._holder, now, now + LEASE, self._size)
        except NotFound:
            # Another program, with another embedder, has dropped our generation: begin it again.
            self._begun = False
            self._begin()
            return None

    def _work(self, task: Task) -> bool:
        try:
            made = self._embedded(task.messages)
        except BaseException:
            self._vectors.release(task)
            raise
        return self._vectors.settle_task(task, made, self._kit.now())

    def _embedded(self, messages: Sequence[Seen]) -> list[Passage]:
        """The vectors of these messages. One that the embedder refuses, though it works, must not hold up all the others:
        it is found by words."""
        try:
            return embedded(self.embedder, messages, self._stopping)
        except EmbedderError:
            self.embedder.embed([PROBE])
            if len(messages) == 1:
                return []
            half = len(messages) // 2
            return self._embedded(messages[:half]) + self._embedded(messages[half:])

    def _drop_older(self) -> None:
        """Once a generation is complete, nobody asks the older ones any more."""
        generations = self._vectors.generations()
        ours = [generation for generation in generations if generation.name == self.embedder.name]
        if ours and ours[0].complete:
            for generation in generations[: generations.index(ours[0])]:
                self._vectors.drop_generation(generation.name)

    # -- in the background

    def start(self) -> None:
        """Begins to work in a thread of its own, unless it has begun."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="recollect-worker", daemon=True)
                self._thread.start()
                # A thread inside the model when the interpreter ends would take the whole process down.
                atexit.register(self._at_exit)

    def wake(self) -> None:
        """Tells of new work."""
        self.start()
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread after the texts it is at; what waits goes on waiting."""
        self._stopping.set()
        self._wake.set()
        atexit.unregister(self._at_exit)
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(FAREWELL)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                self._begin()
                # Not `drain`: that counts, which reads the whole store, and this runs after every commit.
                start = time.monotonic()
                while not self._stopping.is_set() and self._one_batch():
                    start = time.monotonic()
                self._stopping.wait(IDLE * (time.monotonic() - start))
                self._drop_older()
                self.failure = ""
                self._wake.wait(PAUSE)
            except RecollectError as error:
                # Nobody waits for an answer here. A search tells of it, and messages are found by words meanwhile.
                self.failure = str(error)
                self._stopping.wait(PAUSE)


def _stop(worker: weakref.ref[Worker]) -> None:
    if (there := worker()) is not None:
        there.stop()


def embedded(embedder: Embedder, messages: Iterable[Seen], stopping: threading.Event | None = None) -> list[Passage]:
    """The passages of these messages, with their vectors. `StoreClosed` if it should stop before it is done."""
    places = [(seen, part, start, end) for seen in messages for part, start, end in _pieces(seen)]
    texts = [spoken(seen.message.name, seen.message.text[start:end]) for seen, _, start, end in places]
    made: list[Embedding] = []
    for at in range(0, len(texts), AT_ONCE):
        if stopping is not None and stopping.is_set():
            raise StoreClosed("the store is being closed")
        made += embedder.embed(texts[at : at + AT_ONCE])
    return [
        Passage(seen.number, part, start, end, as_float16(one.vector), one.tokens, one.width)
        for (seen, part, start, end), one in zip(places, made, strict=True)
    ]


def _pieces(seen: Seen) -> list[tuple[int, int, int]]:
    return [(part, start, end) for part, (start, end) in enumerate(passages(seen.message.text))]


def as_float16(vector: Sequence[float]) -> bytes:
    """A vector as stores keep it."""
    import numpy as np

    return np.asarray(vector, "<f2").tobytes()
