"""The state of a server process: what the routes work with."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from keepsaid.agent.service import ChatService
from keepsaid.aio import AsyncWatch
from keepsaid.config import Settings
from keepsaid.errors import KeepsaidError
from keepsaid.memory import Memory
from keepsaid.server.access.authentication import RequestAuthenticator
from keepsaid.server.batching import MessageBatcher
from keepsaid.server.coordination.clients import (
    CoordinatorClient,
    ErasureNotice,
    KeyChangeNotice,
    LocalCoordinatorClient,
    ServerNotice,
)
from keepsaid.server.coordination.commands import ForgetAnswers
from keepsaid.server.coordination.coordinator import ServerCoordinator
from keepsaid.server.erasure_check import ErasureCheck
from keepsaid.server.exports import ExportStreams
from keepsaid.server.fair_queue import NO_OWNER, REQUEST_OWNER, FairQueue, QueueLimits
from keepsaid.server.jobs import JobRunner
from keepsaid.server.metrics import ServerMetrics
from keepsaid.server.openai.upstream import UpstreamEndpoint
from keepsaid.server.problems import NOT_WITH_WORKERS, RequestRefusal
from keepsaid.server.quotas import OwnerQuotas
from keepsaid.server.running_turns import RunningTurns
from keepsaid.server.untrusted.upload_folder import UploadFolder
from keepsaid.services.background.schedule import MaintenanceSchedule
from keepsaid.types.reports import RetentionReport
from keepsaid.wiring import is_copy

if TYPE_CHECKING:
    from keepsaid.agent.stream import TurnStream
    from keepsaid.llm.discovery import DiscoveredLLM
    from keepsaid.ports import KeyStorage
    from keepsaid.server.untrusted.readers import FileReaderProcesses
    from keepsaid.types import ChangePosition

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

ANSWER_GRACE_SECONDS = 10.0
"""Seconds that running answers may go on after the server receives a stop signal."""
UPKEEP_INTERVAL = 60.0
"""Seconds between two checks for due upkeep."""
MAX_ERASURES = 4
"""Erasures that run at the same time, each for a different owner."""
MAX_TURNS_PER_OWNER = 16
"""Threads that the turns of one owner may hold: a slow model must not block the other owners."""


@dataclass(frozen=True, slots=True)
class ProcessRole:
    """The role of a process among those that serve: its coordinator client, whether it does the clean-up and backups, and
    the folder of the shared metrics."""

    coordinator: CoordinatorClient
    runs_upkeep: bool = True
    metrics_folder: str | None = None


class ServerState:
    """A memory and everything a server needs around it. Calls that may block run in its threads, one hop per request."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        found: DiscoveredLLM,
        ring: KeyStorage | None,
        post: ProcessRole | None = None,
        readers: FileReaderProcesses | None = None,
    ) -> None:
        post = post or ProcessRole(LocalCoordinatorClient(ServerCoordinator(settings.server_rate)))
        self.coordinator = post.coordinator
        self._runs_upkeep = post.runs_upkeep
        self.memory = memory
        self._readers = readers
        self.settings = settings
        self.found_llm = found
        self.keyring = ring
        self.chat_service = _service(memory, settings, found.llm)
        self.metrics = ServerMetrics(sys.stderr if settings.server_log == "json" else None, post.metrics_folder)
        self.quotas = OwnerQuotas(memory, settings, self.run)
        self.authenticator = RequestAuthenticator(settings, ring, self.run_key_operation)
        self.jobs = JobRunner(self.coordinator)
        self.message_batcher = MessageBatcher(memory)
        self.upstream = UpstreamEndpoint(settings, found)
        self.is_closing = False
        self._watches: set[AsyncWatch] = set()
        self.running_turns = RunningTurns(self.coordinator)
        self.export_streams = ExportStreams()
        self.uploads = UploadFolder()
        self.erasure_check = ErasureCheck(memory, self.run)
        # Separate queues: slow work must not delay saving and searching, slow models must not delay the saving of abandoned
        # answers, and an import must not delay erasures or key checks.
        waiting, jobs_waiting = settings.server_waiting, settings.server_jobs_waiting
        few, many = settings.server_threads, settings.server_threads * 4
        quick = QueueLimits(few, settings.server_threads_owner, waiting, "server_waiting")
        self._threads = FairQueue("server", quick)
        self._searches = FairQueue("searches", quick._replace(shared=True))
        self._turns = FairQueue("turns", QueueLimits(many, MAX_TURNS_PER_OWNER, waiting, "server_waiting"))
        jobs = QueueLimits(settings.server_jobs, settings.server_jobs_owner, jobs_waiting, "server_jobs_waiting")
        self._long_jobs = FairQueue("jobs", jobs)
        self._erasures = FairQueue("erasures", jobs._replace(running=MAX_ERASURES, running_of_one=1))
        self._partial_answers = ThreadPoolExecutor(4, thread_name_prefix="keepsaid-partial-answers")
        self._keys = ThreadPoolExecutor(2, thread_name_prefix="keepsaid-keys")

    async def run(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Run a call that may block, in a thread."""
        self._searches.note_owner(REQUEST_OWNER.get())
        return await self._threads.run(partial(verb, *args, **kwargs))

    def note_owner(self, owner: str) -> None:
        """Count an owner as active who bypasses the queues, so that searches of other owners leave them room."""
        self._searches.note_owner(owner)

    async def run_search(
        self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Run a search or build a prompt in a thread. These take the most processor time, so each owner gets a share."""
        return await self._searches.run(partial(verb, *args, **kwargs))

    async def run_turn(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Run a call that waits for a language model, in a thread reserved for that."""
        return await self._turns.run(partial(verb, *args, **kwargs))

    async def run_job(self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Run a long job, in a thread that no quick call needs."""
        return await self._long_jobs.run(partial(verb, *args, **kwargs))

    async def run_erasure(
        self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Run an erasure, in a thread that imports never hold."""
        return await self._erasures.run(partial(verb, *args, **kwargs))

    async def run_key_operation(
        self, verb: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Look up or revoke a key, in a thread reserved for that."""
        return await asyncio.get_running_loop().run_in_executor(self._keys, partial(verb, *args, **kwargs))

    def abandon_turn(self, stream: TurnStream) -> None:
        """End a turn whose client has disconnected: stop the model, and save the partial answer."""
        stream.stop()
        self.submit_save(partial(self._end, stream))

    def _end(self, stream: TurnStream) -> None:
        """Save the turn before another may begin: their messages would mix otherwise."""
        try:
            _drain(stream)
        finally:
            self.running_turns.leave(stream)

    def submit_save(self, work: Callable[[], None]) -> None:
        """Save a partial answer whose client has disconnected. This queue has no slow work in it, and drops nothing."""
        self._partial_answers.submit(work)

    def check_queue(self) -> None:
        """Raise if the owner of the current request has too many waiting jobs."""
        self._long_jobs.check(REQUEST_OWNER.get())

    def submit_job(self, work: Callable[[], None]) -> None:
        """Start background work, after `check_queue`; a shutdown stops it after a grace period."""
        self._long_jobs.submit(REQUEST_OWNER.get(), work, always=True)

    async def open_watch(
        self, owner: str, session: str | None, pool: str | None, after: ChangePosition | None
    ) -> AsyncWatch:
        """Open a watch that holds no thread while it waits."""
        watched = await self.run(self.memory._watched, owner, session, pool)  # pyright: ignore[reportPrivateUsage]
        watch = await AsyncWatch.over(self.run, *watched, after)
        self._watches.add(watch)
        return watch

    async def close_watch(self, watch: AsyncWatch) -> None:
        """Close a watch."""
        self._watches.discard(watch)
        await watch.close()

    async def invalidate_owner(self, owner: str) -> None:
        """Drop everything cached of an owner, in every process: some of their data was erased."""
        self.quotas.forget_owner(owner)
        self.coordinator.broadcast(ErasureNotice(owner))
        await self.coordinator.execute(ForgetAnswers(owner))

    def invalidate_keys(self) -> None:
        """Have every process check all credentials again: a key was revoked."""
        self.authenticator.clear_cache()
        self.coordinator.broadcast(KeyChangeNotice())

    def _on_notice(self, notice: ServerNotice) -> None:
        if isinstance(notice, ErasureNotice):
            self.quotas.forget_owner(notice.owner)
        else:
            self.authenticator.clear_cache()

    def check_temporary(self, *, temporary: bool) -> None:
        """Refuse a conversation that only this process would hold if the next request may reach another process."""
        if temporary and not self.coordinator.is_only_process:
            raise RequestRefusal(
                NOT_WITH_WORKERS, "a temporary conversation lives in one process, and this server has several (--workers)"
            )

    @asynccontextmanager
    async def run_lifespan(self) -> AsyncGenerator[None]:
        """Run the background tasks from the first request to the last."""
        await self.coordinator.open(self._on_notice)
        upkeep_task = asyncio.create_task(self._run_upkeep()) if self._runs_upkeep else None
        try:
            yield
        finally:
            self.begin_to_close()
            if upkeep_task is not None:
                upkeep_task.cancel()
            await self.upstream.close()
            await asyncio.to_thread(self.close)
            await self.coordinator.close()

    async def _run_upkeep(self) -> None:
        """Clean up and make backups when the settings say so; failures are logged and tried again."""
        schedule = MaintenanceSchedule(self.memory, self.settings, partial(is_copy, self.settings))
        while True:
            for work in (schedule.clean_up, schedule.back_up):
                try:
                    done = await self._long_jobs.run(work, NO_OWNER)
                except (KeepsaidError, OSError) as error:
                    self.metrics.write_log_line({"upkeep": work.__name__, "error": type(error).__name__})
                    continue
                if isinstance(done, RetentionReport) and done.total:
                    self.metrics.write_log_line({"upkeep": "retention", **asdict(done)})
                elif done is not None and not isinstance(done, RetentionReport):
                    self.metrics.write_log_line({"upkeep": "backup", "bytes": done.bytes, "removed": done.removed})
            await asyncio.sleep(UPKEEP_INTERVAL)

    def begin_to_close(self) -> None:
        """Accept no more watches and close the open ones, so that no client waits. Answers may go on for a while."""
        self.is_closing = True
        loop = asyncio.get_running_loop()
        loop.call_later(ANSWER_GRACE_SECONDS, self.running_turns.stop_all)
        loop.call_later(ANSWER_GRACE_SECONDS, self.jobs.stop)
        if self._readers is not None:
            loop.call_later(ANSWER_GRACE_SECONDS, self._readers.stop)
        for watch in tuple(self._watches):
            _ = asyncio.ensure_future(watch.close())  # noqa: RUF006  # it finishes before anything else can happen

    def close(self) -> None:
        """Finish what was started, and close the memory."""
        self.message_batcher.close()
        self.running_turns.stop_all()
        self._turns.close()
        self._partial_answers.shutdown(wait=True)
        self._searches.close()
        self._threads.close()
        self._erasures.close()
        # An import can be sent again: one that has not started is dropped, a running one may go on for a while.
        self._long_jobs.close(cancel=True)
        self._keys.shutdown(wait=True)
        self.export_streams.close()
        self.authenticator.close()
        self.memory.close()
        close = getattr(self.keyring, "close", None)
        if close is not None:
            close()
        self.uploads.close()


def _drain(stream: TurnStream) -> None:
    stream.close()
    # A thread that is still reading notices at the model's next words; this loop then consumes the end.
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
