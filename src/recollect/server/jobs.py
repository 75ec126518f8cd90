"""Work that goes on after its request is answered. How far it is can be asked of any process."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace

from recollect.errors import ImportProblem, NotFound
from recollect.reports import ImportReport
from recollect.server.lobby.jobs import Job, Kind
from recollect.server.lobby.lines import Line
from recollect.server.lobby.orders import LookAtJob, NoteJob
from recollect.server.problems import problem_of

EVERY = 0.1
"""Seconds between two notes on how far a job is."""


class Jobs:
    """Begins jobs, does them, and looks them up."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def begin(self, owner: str, kind: Kind, total: int) -> Job:
        """A new job."""
        job = Job(secrets.token_hex(8), owner, kind, total)
        await self._line.ask(NoteJob(replace(job)))
        return job

    async def of(self, owner: str, id: str) -> Job:
        """A job of an owner; somebody else's does not exist."""
        job = await self._line.ask(LookAtJob(id))
        if job is None or job.owner != owner:
            raise NotFound("there is no such job: it is long over, or the server was started anew")
        return job

    def do(self, job: Job, work: Callable[[Callable[[int, int], None]], ImportReport]) -> None:
        """Does a job to its end, whatever happens."""
        noted = time.monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal noted
            job.done, job.total = done, total
            if time.monotonic() - noted > EVERY:
                noted = time.monotonic()
                self._note(job)

        try:
            job.report = work(progress)
            job.done, job.state = job.total, "done"
        except Exception as error:
            if isinstance(error, ImportProblem) and isinstance(error.report, ImportReport):
                job.report = error.report
            job.problem, job.state = problem_of(error, f"urn:job:{job.id}"), "failed"
        self._note(job)

    def _note(self, job: Job) -> None:
        # A copy: this one goes on changing.
        self._line.tell(NoteJob(replace(job)))
