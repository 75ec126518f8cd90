"""The lobby's rules, and the line on which several processes reach it."""

from __future__ import annotations

import asyncio
import signal
import socket

import pytest

from recollect.errors import StoreClosed
from recollect.server.lobby.answers import Answer, Answers, Claim, Making
from recollect.server.lobby.far import Far
from recollect.server.lobby.host import Host
from recollect.server.lobby.jobs import Job, JobBook
from recollect.server.lobby.lines import Forgotten, News
from recollect.server.lobby.lobby import Lobby
from recollect.server.lobby.orders import ClaimAnswer, EnterTurn, KeepAnswer, LookAtJob, NoteJob, TakeRate
from recollect.server.lobby.turns import MOST, Turns
from recollect.server.problems import Refusal

NAME = ("ann", "/v1/facts", "k1")
DONE = Answer("f1", 201, [(b"content-type", b"application/json")], b"{}")


def test_what_was_erased_while_an_answer_was_made_is_not_kept():
    answers = Answers()
    first = answers.claim(NAME, "f1", worker=0)
    assert isinstance(first, Claim)
    answers.forget("ann")
    answers.keep(NAME, first.number, DONE)
    second = answers.claim(NAME, "f1", worker=1)
    assert isinstance(second, Claim)
    answers.drop(NAME, first.number)
    assert answers.claim(NAME, "f1", worker=0) == Making("f1"), "the claim is the second one's"


def test_of_a_process_that_is_gone_the_answers_stay_and_the_claims_go():
    answers, other = Answers(), ("ann", "/v1/facts", "k2")
    first = answers.claim(NAME, "f1", worker=1)
    assert isinstance(first, Claim)
    answers.keep(NAME, first.number, DONE)
    answers.claim(other, "f2", worker=1)
    answers.claim(("ann", "/v1/facts", "k3"), "f3", worker=0)
    answers.gone(1)
    assert answers.claim(NAME, "f1", worker=0) == DONE
    assert isinstance(answers.claim(other, "f2", worker=0), Claim)
    assert answers.claim(("ann", "/v1/facts", "k3"), "f3", worker=0) == Making("f3")


def test_turns_are_counted_over_all_processes():
    turns = Turns()
    turns.enter("t1", 0, "ann", "s1")
    with pytest.raises(Refusal, match="wait for the answer"):
        turns.enter("t2", 1, "ann", "s1")
    for number in range(MOST - 1):
        turns.enter(f"more{number}", 1, "ann", None)
    with pytest.raises(Refusal, match="already"):
        turns.enter("t3", 0, "ann", None)
    turns.enter("t4", 0, "bob", "s1")
    turns.gone(1)
    turns.enter("t5", 1, "ann", None)
    turns.leave("t1")
    turns.enter("t6", 1, "ann", "s1")


def test_the_jobs_of_a_process_that_is_gone_have_failed():
    book = JobBook()
    book.note(0, Job("a", "ann", "import", 10))
    book.note(1, Job("b", "ann", "import", 10, state="done"))
    book.note(1, Job("c", "ann", "import", 10))
    book.gone(1)
    states = {id: job.state for id in ("a", "b", "c") if (job := book.look(id)) is not None}
    assert states == {"a": "running", "b": "done", "c": "failed"}
    failed = book.look("c")
    assert failed is not None
    assert failed.problem is not None
    assert failed.problem.type == "/docs#broken-off"


def test_a_refusal_comes_over_the_line_as_it_is():
    async def main() -> None:
        host = Host(Lobby(6))
        ours, its = socket.socketpair()
        attending = asyncio.create_task(host.attend(0, ours, lambda: None))
        far = Far(its)
        await far.open(lambda news: None)
        assert dict(await far.ask(TakeRate("ann")))[b"ratelimit-remaining"] == b"0"
        with pytest.raises(Refusal) as refused:
            await far.ask(TakeRate("ann"))
        assert refused.value.kind.status == 429
        assert refused.value.headers["RateLimit-Remaining"] == "0"
        await far.close()
        await attending

    asyncio.run(main())


def test_processes_share_answers_and_hear_each_others_news():
    async def main() -> None:
        host = Host(Lobby(None))
        heard: list[News] = []
        lines, attending = [], []
        for number in range(2):
            ours, its = socket.socketpair()
            attending.append(asyncio.create_task(host.attend(number, ours, lambda: None)))
            lines.append(Far(its))
            await lines[-1].open(heard.append)
        first, second = lines
        claim = await first.ask(ClaimAnswer(NAME, "f1"))
        assert isinstance(claim, Claim)
        assert await second.ask(ClaimAnswer(NAME, "f1")) == Making("f1")
        await first.ask(KeepAnswer(NAME, claim.number, DONE))
        assert await second.ask(ClaimAnswer(NAME, "f1")) == DONE
        first.tell(NoteJob(Job("a", "ann", "import", 10)))
        while (job := await second.ask(LookAtJob("a"))) is None:
            await asyncio.sleep(0)
        assert job.total == 10
        first.spread(Forgotten("ann"))
        while not heard:
            await asyncio.sleep(0)
        assert heard == [Forgotten("ann")], "the other heard it, and nobody himself"
        await first.ask(EnterTurn("t1", "ann", "s1"))
        await first.close()
        await attending[0]
        await second.ask(EnterTurn("t2", "ann", "s1"))
        await second.close()
        await attending[1]

    asyncio.run(main())


def test_a_process_whose_parent_is_gone_ends(monkeypatch: pytest.MonkeyPatch):
    raised: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", raised.append)

    async def main() -> None:
        ours, its = socket.socketpair()
        far = Far(its)
        await far.open(lambda news: None)
        waiting = asyncio.create_task(far.ask(TakeRate("ann")))
        await asyncio.sleep(0)
        ours.close()
        with pytest.raises(StoreClosed):
            await waiting
        with pytest.raises(StoreClosed):
            await far.ask(TakeRate("ann"))
        await far.close()

    asyncio.run(main())
    assert raised == [signal.SIGTERM]
