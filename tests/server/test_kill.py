"""The server killed under load: what it acknowledged is there when it starts again, once, and a retry adds nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from .conftest import Server
from .crowd import Crowd, Talker, kept

CLIENTS = 6


def held(server: Server, talker: Talker) -> None:
    """All that a talker was promised is there, as it was promised, and besides it at most what was on its way."""
    with server.client() as http:
        messages = kept(http, talker.session)
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    assert {message["id"]: message for message in talker.promised.values()}.items() <= {m["id"]: m for m in messages}.items()
    texts = [message["text"] for message in messages]
    wanted = [talker.text(number) for number in talker.promised]
    assert texts in (wanted, [*wanted, talker.text(talker.asked)])


def repeated(server: Server, talker: Talker) -> None:
    """Asks again for what was on its way and for some that was done: everything is there once."""
    with server.client() as http:
        for number in (*list(talker.promised)[-3:], talker.asked):
            answer = talker.say(http, number)
            assert answer.status_code == 201, answer.text
            assert talker.promised.setdefault(number, answer.json()) == answer.json()
        texts = [message["text"] for message in kept(http, talker.session)]
    assert texts == [talker.text(number) for number in range(1, talker.asked + 1)]


@pytest.mark.parametrize("promises", [1, 60, 300])
def test_nothing_that_was_acknowledged_is_lost_and_nothing_is_there_twice(serve: Callable[..., Server], promises: int):
    server = serve(RECOLLECT_SERVER_RATE="off")
    crowd = Crowd(server.url, CLIENTS)
    crowd.begin(until=promises)
    server.process.kill()
    crowd.end()
    assert server.process.wait(10) == -signal.SIGKILL
    assert all(talker.refused == [] for talker in crowd.talkers)

    again = serve(RECOLLECT_SERVER_RATE="off")
    for talker in crowd.talkers:
        held(again, talker)
        repeated(again, talker)
