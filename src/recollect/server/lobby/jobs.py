"""How far the jobs of all processes are. A job that broke off can be sent again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from recollect.reports import ImportReport
from recollect.server.problems import BROKEN_OFF, problem
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


class JobBook:
    """Jobs by their ids; the oldest that are over are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, tuple[int, Job]] = OrderedDict()

    def note(self, worker: int, job: Job) -> None:
        """Notes a new job, or how far one is."""
        self._jobs[job.id] = worker, job
        if len(self._jobs) > MOST:
            over = [id for id, (_, one) in self._jobs.items() if one.state != "running"]
            for id in over[: len(self._jobs) - MOST]:
                del self._jobs[id]

    def look(self, id: str) -> Job | None:
        """A job as it was last noted."""
        _, job = self._jobs.get(id, (0, None))
        return job

    def gone(self, worker: int) -> None:
        """The jobs of a process that is no more have failed."""
        why = "the process that did it ended; send it again: what is there already does not come twice"
        for by, job in self._jobs.values():
            if by == worker and job.state == "running":
                job.problem, job.state = problem(BROKEN_OFF, why, f"urn:job:{job.id}"), "failed"
