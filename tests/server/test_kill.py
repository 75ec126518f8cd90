"""A server killed under load keeps each acknowledged message exactly once, and a retry adds nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from .conftest import Server
from .crowd import Crowd, Talker, list_messages

CLIENTS = 6


def assert_promises_kept(server: Server, talker: Talker) -> None:
    """All that a talker was promised is there, as it was promised, and besides it at most what was on its way."""
    with server.client() as http:
        messages = list_messages(http, talker.session)
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    assert {message["id"]: message for message in talker.promised.values()}.items() <= {m["id"]: m for m in messages}.items()
    texts = [message["text"] for message in messages]
    wanted = [talker.text(number) for number in talker.promised]
    assert texts in (wanted, [*wanted, talker.text(talker.asked)])


def repeat_requests(server: Server, talker: Talker) -> None:
    """Asks again for what was on its way and for some that was done: everything is there once."""
    with server.client() as http:
        for number in (*list(talker.promised)[-3:], talker.asked):
            answer = talker.say(http, number)
            assert answer.status_code == 201, answer.text
            assert talker.promised.setdefault(number, answer.json()) == answer.json()
        texts = [message["text"] for message in list_messages(http, talker.session)]
    assert texts == [talker.text(number) for number in range(1, talker.asked + 1)]


@pytest.mark.parametrize("promises", [1, 60, 300])
def test_killed_server_keeps_acknowledged_messages_once(serve: Callable[..., Server], promises: int):
    server = serve(KEEPSAID_SERVER_RATE="off")
    crowd = Crowd(server.url, CLIENTS)
    crowd.begin(until=promises)
    server.process.kill()
    crowd.end()
    assert server.process.wait(10) == -signal.SIGKILL
    assert all(talker.refused == [] for talker in crowd.talkers)

    again = serve(KEEPSAID_SERVER_RATE="off")
    for talker in crowd.talkers:
        assert_promises_kept(again, talker)
        repeat_requests(again, talker)
