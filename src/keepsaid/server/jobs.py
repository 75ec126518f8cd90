"""Background jobs: they go on after their request is answered, and any process can report their progress."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace

from keepsaid.errors import ImportProblem, NotFound, QuotaExceeded
from keepsaid.server.coordination.clients import CoordinatorClient
from keepsaid.server.coordination.commands import FindJob, RecordJob
from keepsaid.server.coordination.jobs import ImportJob, JobKind
from keepsaid.server.problems import BROKEN_OFF, RequestRefusal, problem_of
from keepsaid.types.reports import ImportReport

PROGRESS_INTERVAL = 0.1
"""Seconds between two progress reports of a job."""


class JobRunner:
    """Starts jobs, runs them, and looks them up."""

    def __init__(self, line: CoordinatorClient) -> None:
        self._line = line
        self._stopping = False

    def stop(self) -> None:
        """Have every job stop at its next step: the server is shutting down."""
        self._stopping = True

    async def begin(self, owner: str, kind: JobKind, total: int) -> ImportJob:
        """Register a new job."""
        job = ImportJob(secrets.token_hex(8), owner, kind, total)
        await self._line.execute(RecordJob(replace(job)))
        return job

    async def find_job(self, owner: str, id: str) -> ImportJob:
        """Return a job of an owner; raise `NotFound` for unknown ones and those of other owners."""
        job = await self._line.execute(FindJob(id))
        if job is None or job.owner != owner:
            raise NotFound("there is no such job: it ended long ago, or the server was restarted")
        return job

    def run_job(self, job: ImportJob, work: Callable[[Callable[[int, int], None]], ImportReport]) -> None:
        """Run a job to its end and record its result, also when it fails."""
        reported_at = time.monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal reported_at
            if self._stopping:
                raise RequestRefusal(
                    BROKEN_OFF, "the server is stopping; send it again: what is already stored is not duplicated"
                )
            job.done, job.total = done, total
            if time.monotonic() - reported_at > PROGRESS_INTERVAL:
                reported_at = time.monotonic()
                self._report(job)

        try:
            job.report = work(progress)
            job.done, job.state = job.total, "done"
        except Exception as error:
            if isinstance(error, ImportProblem | QuotaExceeded) and isinstance(error.report, ImportReport):
                job.report = error.report
            job.problem, job.state = problem_of(error, f"urn:job:{job.id}"), "failed"
        self._report(job)

    def _report(self, job: ImportJob) -> None:
        # A copy: the job itself goes on changing.
        self._line.send(RecordJob(replace(job)))
