"""The desk: what the routes work with. One for each server process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from recollect.agent.service import ChatService
from recollect.aio import AsyncWatch
from recollect.config import Settings
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.reports import RetentionReport
from recollect.schedule import Schedule
from recollect.server.access.gate import Gate
from recollect.server.appends import Appends
from recollect.server.exports import Exports
from recollect.server.jobs import Jobs
from recollect.server.lobby.lines import Forgotten, Here, KeysChanged, Line, News
from recollect.server.lobby.lobby import Lobby
from recollect.server.lobby.orders import ForgetAnswers
from recollect.server.measures import Measures
from recollect.server.openai.upstream import Upstream
from recollect.server.problems import NOT_HERE, Refusal
from recollect.server.quotas import Quotas
from recollect.server.running import Running

if TYPE_CHECKING:
    from recollect.agent.stream import Stream
    from recollect.llm.found import FoundLLM
    from recollect.ports import Keyring
    from recollect.types import Mark

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

LAST_WORDS = 10.0
"""Seconds that answers may go on when the server is told to end."""
LOOK = 60.0
"""Seconds between two looks at whether something is due."""


@dataclass(frozen=True, slots=True)
class Post:
    """Where a process stands among those that serve: its line to the lobby, whether it cleans up and makes backups for all,
    and the folder of their figures."""

    line: Line
    keeps_up: bool = True
    figures: str | None = None


class Desk:
    """A memory with what a server needs beside it. Whatever may block is handed to its threads, one hop a request."""

    def __init__(
        self, memory: Memory, settings: Settings, found: FoundLLM, ring: Keyring | None, post: Post | None = None
    ) -> None:
        post = post or Post(Here(Lobby(settings.server_rate)))
        self.line = post.line
        self._keeps_up = post.keeps_up
        self.memory = memory
        self.settings = settings
        self.found = found
        self.ring = ring
        self.service = _service(memory, settings, found.llm)
        self.measures = Measures(sys.stderr if settings.server_log == "json" else None, post.figures)
        self.quotas = Quotas(memory, settings, self.run)
        self.gate = Gate(settings, ring, self.run)
        self.jobs = Jobs(self.line)
        self.appends = Appends(memory)
        self.upstream = Upstream(settings, found)
        self.closing = False
        self._watches: set[AsyncWatch] = set()
        self.running = Running(self.line)
        self.exports = Exports()
        self.uploads = TemporaryDirectory(prefix="recollect-uploads-")
        # What takes long must not keep saving and searching waiting, nor models each other's readers who leave.
        self._threads = ThreadPoolExecutor(settings.server_threads, thread_name_prefix="recollect-server")
        self._turns = ThreadPoolExecutor(settings.server_threads * 4, thread_name_prefix="recollect-turns")
        self._farewells = ThreadPoolExecutor(4, thread_name_prefix="recollect-farewells")
        self._labour = ThreadPoolExecutor(4, thread_name_prefix="recollect-labour")

    async def run(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Does something that may block, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs))

    async def hear(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Waits for a language model, in a thread for that."""
        return await asyncio.get_running_loop().run_in_executor(self._turns, partial(verb, *args, **kwargs))

    async def labour(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Does something that takes long, in a thread that is not needed for quick things."""
        return await asyncio.get_running_loop().run_in_executor(self._labour, partial(verb, *args, **kwargs))

    def leave(self, stream: Stream) -> None:
        """Ends a turn whose reader is gone: the model is stopped, and what came of the answer is kept."""
        stream.stop()
        self.keep(partial(self._end, stream))

    def _end(self, stream: Stream) -> None:
        """Another turn may begin when all of this one is kept, and no sooner: they would mix."""
        try:
            _ended(stream)
        finally:
            self.running.leave(stream)

    def keep(self, work: Callable[[], None]) -> None:
        """Saves what came of an answer whose reader is gone: behind nothing that takes long, and never dropped."""
        self._farewells.submit(work)

    def begin(self, work: Callable[[], None]) -> None:
        """Begins work that nobody waits for; a shutdown waits for what has begun."""
        self._labour.submit(work)

    async def watch(self, owner: str, session: str | None, pool: str | None, after: Mark | None) -> AsyncWatch:
        """A watch that holds no thread while it waits."""
        watched = await self.run(self.memory._watched, owner, session, pool)  # pyright: ignore[reportPrivateUsage]
        watch = await AsyncWatch.over(self.run, *watched, after)
        self._watches.add(watch)
        return watch

    async def end(self, watch: AsyncWatch) -> None:
        """Ends a watch."""
        self._watches.discard(watch)
        await watch.close()

    async def forget(self, owner: str) -> None:
        """Something of an owner was erased: nobody may still hold it, in whatever process."""
        self.quotas.forget(owner)
        self.line.spread(Forgotten(owner))
        await self.line.ask(ForgetAnswers(owner))

    def distrust(self) -> None:
        """A key was taken back: every process looks at every credential anew."""
        self.gate.forget()
        self.line.spread(KeysChanged())

    def _hear(self, news: News) -> None:
        if isinstance(news, Forgotten):
            self.quotas.forget(news.owner)
        else:
            self.gate.forget()

    def check_home(self, *, temporary: bool) -> None:
        """Refuses a conversation that would be in this process alone, where the next request may reach another."""
        if temporary and not self.line.alone:
            raise Refusal(NOT_HERE, "a temporary conversation is kept in one process: this server has several (--workers)")

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """From the first request to the last."""
        await self.line.open(self._hear)
        upkeep = asyncio.create_task(self._keep_up()) if self._keeps_up else None
        try:
            yield
        finally:
            self.begin_to_close()
            if upkeep is not None:
                upkeep.cancel()
            await self.upstream.close()
            await asyncio.to_thread(self.close)
            await self.line.close()

    async def _keep_up(self) -> None:
        """Cleans up and makes backups when the settings say so; what fails is told and tried again."""
        schedule = Schedule(self.memory, self.settings)
        while True:
            for work in (schedule.clean_up, schedule.back_up):
                try:
                    done = await self.labour(work)
                except (RecollectError, OSError) as error:
                    self.measures.tell({"upkeep": work.__name__, "error": type(error).__name__})
                    continue
                if isinstance(done, RetentionReport) and done.total:
                    self.measures.tell({"upkeep": "retention", **asdict(done)})
                elif done is not None and not isinstance(done, RetentionReport):
                    self.measures.tell({"upkeep": "backup", "bytes": done.bytes, "removed": done.removed})
            await asyncio.sleep(LOOK)

    def begin_to_close(self) -> None:
        """No new watches, and those that are open end: nobody should wait for them. Answers may go on for a while."""
        self.closing = True
        asyncio.get_running_loop().call_later(LAST_WORDS, self.running.stop_all)
        for watch in tuple(self._watches):
            _ = asyncio.ensure_future(watch.close())  # noqa: RUF006  # it is done before anything else can happen

    def close(self) -> None:
        """Finishes what was begun, and closes the memory."""
        self.appends.close()
        self.running.stop_all()
        for threads in (self._turns, self._farewells, self._threads):
            threads.shutdown(wait=True)
        # An import that has not begun can be sent again; one that has is finished.
        self._labour.shutdown(wait=True, cancel_futures=True)
        self.exports.close()
        self.gate.close()
        self.memory.close()
        close = getattr(self.ring, "close", None)
        if close is not None:
            close()
        self.uploads.cleanup()


def _ended(stream: Stream) -> None:
    stream.close()
    # A thread that is still reading notices with the model's next words; this is who hears the end then.
    for _ in stream:
        pass


def _service(memory: Memory, settings: Settings, llm: Any) -> ChatService:
    return ChatService(
        memory,
        llm,
        web=settings.web_search,
        max_steps=settings.agent_steps,
        answer_tokens=settings.answer_tokens,
    )
