"""The rules of the server coordinator, and the connection by which worker processes reach the coordinator."""

from __future__ import annotations

import asyncio
import signal
import socket

import pytest

from keepsaid.errors import StoreClosed
from keepsaid.server.coordination.clients import ErasureNotice, ServerNotice
from keepsaid.server.coordination.commands import ClaimAnswer, CountRequest, EnterTurn, FindJob, KeepAnswer, RecordJob
from keepsaid.server.coordination.coordinator import ServerCoordinator
from keepsaid.server.coordination.host import CoordinatorHost
from keepsaid.server.coordination.idempotent_answers import AnswerClaim, IdempotentAnswers, PendingAnswer, StoredAnswer
from keepsaid.server.coordination.jobs import ImportJob, JobRegistry
from keepsaid.server.coordination.remote_client import RemoteCoordinatorClient
from keepsaid.server.coordination.turns import MAX_TURNS, TurnRegistry
from keepsaid.server.problems import RequestRefusal

NAME = ("ann", "/v1/facts", "k1")
DONE = StoredAnswer("f1", 201, [(b"content-type", b"application/json")], b"{}")


def test_answer_is_not_kept_if_owner_is_erased_meanwhile():
    answers = IdempotentAnswers()
    first = answers.claim(NAME, "f1", worker=0)
    assert isinstance(first, AnswerClaim)
    answers.forget_owner("ann")
    answers.keep(NAME, first.number, DONE)
    second = answers.claim(NAME, "f1", worker=1)
    assert isinstance(second, AnswerClaim)
    answers.drop(NAME, first.number)
    assert answers.claim(NAME, "f1", worker=0) == PendingAnswer("f1"), "the claim is the second one's"


def test_removing_worker_keeps_its_answers_and_drops_its_claims():
    answers, other = IdempotentAnswers(), ("ann", "/v1/facts", "k2")
    first = answers.claim(NAME, "f1", worker=1)
    assert isinstance(first, AnswerClaim)
    answers.keep(NAME, first.number, DONE)
    answers.claim(other, "f2", worker=1)
    answers.claim(("ann", "/v1/facts", "k3"), "f3", worker=0)
    answers.remove_worker(1)
    assert answers.claim(NAME, "f1", worker=0) == DONE
    assert isinstance(answers.claim(other, "f2", worker=0), AnswerClaim)
    assert answers.claim(("ann", "/v1/facts", "k3"), "f3", worker=0) == PendingAnswer("f3")


def test_turn_limits_count_over_all_workers():
    turns = TurnRegistry()
    turns.enter("t1", 0, "ann", "s1")
    with pytest.raises(RequestRefusal, match="wait for the answer"):
        turns.enter("t2", 1, "ann", "s1")
    for number in range(MAX_TURNS - 1):
        turns.enter(f"more{number}", 1, "ann", None)
    with pytest.raises(RequestRefusal, match="already"):
        turns.enter("t3", 0, "ann", None)
    turns.enter("t4", 0, "bob", "s1")
    turns.remove_worker(1)
    turns.enter("t5", 1, "ann", None)
    turns.leave("t1")
    turns.enter("t6", 1, "ann", "s1")


def test_running_jobs_of_removed_worker_fail():
    book = JobRegistry()
    book.record(0, ImportJob("a", "ann", "import", 10))
    book.record(1, ImportJob("b", "ann", "import", 10, state="done"))
    book.record(1, ImportJob("c", "ann", "import", 10))
    book.remove_worker(1)
    states = {id: job.state for id in ("a", "b", "c") if (job := book.find(id)) is not None}
    assert states == {"a": "running", "b": "done", "c": "failed"}
    failed = book.find("c")
    assert failed is not None
    assert failed.problem is not None
    assert failed.problem.type == "/docs#broken-off"


def test_remote_client_receives_refusal_unchanged():
    async def main() -> None:
        host = CoordinatorHost(ServerCoordinator(6))
        ours, its = socket.socketpair()
        attending = asyncio.create_task(host.serve_worker(0, ours, lambda: None))
        far = RemoteCoordinatorClient(its)
        await far.open(lambda news: None)
        assert dict(await far.execute(CountRequest("ann")))[b"ratelimit-remaining"] == b"0"
        with pytest.raises(RequestRefusal) as refused:
            await far.execute(CountRequest("ann"))
        assert refused.value.kind.status == 429
        assert refused.value.headers["RateLimit-Remaining"] == "0"
        await far.close()
        await attending

    asyncio.run(main())


def test_workers_share_answers_jobs_notices_and_turns():
    async def main() -> None:
        host = CoordinatorHost(ServerCoordinator(None))
        heard: list[ServerNotice] = []
        lines, attending = [], []
        for number in range(2):
            ours, its = socket.socketpair()
            attending.append(asyncio.create_task(host.serve_worker(number, ours, lambda: None)))
            lines.append(RemoteCoordinatorClient(its))
            await lines[-1].open(heard.append)
        first, second = lines
        claim = await first.execute(ClaimAnswer(NAME, "f1"))
        assert isinstance(claim, AnswerClaim)
        assert await second.execute(ClaimAnswer(NAME, "f1")) == PendingAnswer("f1")
        await first.execute(KeepAnswer(NAME, claim.number, DONE))
        assert await second.execute(ClaimAnswer(NAME, "f1")) == DONE
        first.send(RecordJob(ImportJob("a", "ann", "import", 10)))
        while (job := await second.execute(FindJob("a"))) is None:
            await asyncio.sleep(0)
        assert job.total == 10
        first.broadcast(ErasureNotice("ann"))
        while not heard:
            await asyncio.sleep(0)
        assert heard == [ErasureNotice("ann")], "the other heard it, and nobody himself"
        await first.execute(EnterTurn("t1", "ann", "s1"))
        await first.close()
        await attending[0]
        await second.execute(EnterTurn("t2", "ann", "s1"))
        await second.close()
        await attending[1]

    asyncio.run(main())


def test_worker_ends_when_its_parent_is_gone(monkeypatch: pytest.MonkeyPatch):
    raised: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", raised.append)

    async def main() -> None:
        ours, its = socket.socketpair()
        far = RemoteCoordinatorClient(its)
        await far.open(lambda news: None)
        waiting = asyncio.create_task(far.execute(CountRequest("ann")))
        await asyncio.sleep(0)
        ours.close()
        with pytest.raises(StoreClosed):
            await waiting
        with pytest.raises(StoreClosed):
            await far.execute(CountRequest("ann"))
        await far.close()

    asyncio.run(main())
    assert raised == [signal.SIGTERM]
