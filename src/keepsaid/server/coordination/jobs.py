"""The jobs of all processes and their progress. An interrupted job can be sent again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from keepsaid.server.problems import BROKEN_OFF, build_problem
from keepsaid.server.schemas.base import ProblemDocument
from keepsaid.types.reports import ImportReport

MAX_JOBS = 1_000
JobKind = Literal["import", "preview"]


@dataclass(slots=True)
class ImportJob:
    """A background job and its progress."""

    id: str
    owner: str
    kind: JobKind
    total: int
    done: int = 0
    state: Literal["running", "done", "failed"] = "running"
    report: ImportReport | None = None
    problem: ProblemDocument | None = None


class JobRegistry:
    """Jobs by their ids; the oldest finished ones are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, tuple[int, ImportJob]] = OrderedDict()

    def record(self, worker: int, job: ImportJob) -> None:
        """Record a new job, or the progress of one."""
        self._jobs[job.id] = worker, job
        if len(self._jobs) > MAX_JOBS:
            finished = [id for id, (_, one) in self._jobs.items() if one.state != "running"]
            for id in finished[: len(self._jobs) - MAX_JOBS]:
                del self._jobs[id]

    def find(self, id: str) -> ImportJob | None:
        """Return a job as it was last recorded."""
        _, job = self._jobs.get(id, (0, None))
        return job

    def remove_worker(self, worker: int) -> None:
        """Mark the running jobs of an ended process as failed."""
        why = "the process doing the work ended; send it again: what is already stored is not duplicated"
        for owner_process, job in self._jobs.values():
            if owner_process == worker and job.state == "running":
                job.problem, job.state = build_problem(BROKEN_OFF, why, f"urn:job:{job.id}"), "failed"
