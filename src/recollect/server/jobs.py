"""Work that goes on after its request is answered. Jobs live in this process: an import that broke off can be repeated."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from recollect.errors import ImportProblem, NotFound
from recollect.reports import ImportReport
from recollect.server.problems import problem_of
from recollect.server.shapes.basis import Problem

MOST = 1_000
Kind = Literal["import", "preview"]


@dataclass(slots=True)
class Job:
    """One piece of work, and how far it is."""

    id: str
    owner: str
    kind: Kind
    total: int
    done: int = 0
    state: Literal["running", "done", "failed"] = "running"
    report: ImportReport | None = None
    problem: Problem | None = None


class Jobs:
    """The jobs of this process; the oldest that are over are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, owner: str, kind: Kind, total: int) -> Job:
        """A new job."""
        job = Job(secrets.token_hex(8), owner, kind, total)
        with self._lock:
            self._jobs[job.id] = job
            over = [id for id, one in self._jobs.items() if one.state != "running"]
            for id in over[: max(0, len(self._jobs) - MOST)]:
                del self._jobs[id]
        return job

    def of(self, owner: str, id: str) -> Job:
        """A job of an owner; somebody else's does not exist."""
        job = self._jobs.get(id)
        if job is None or job.owner != owner:
            raise NotFound("there is no such job: it is long over, or the server was started anew")
        return job

    def do(self, job: Job, work: Callable[[Callable[[int, int], None]], ImportReport]) -> None:
        """Does a job to its end, whatever happens."""

        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total

        try:
            job.report = work(progress)
            job.done, job.state = job.total, "done"
        except Exception as error:
            if isinstance(error, ImportProblem) and isinstance(error.report, ImportReport):
                job.report = error.report
            job.problem, job.state = problem_of(error, f"urn:job:{job.id}"), "failed"
