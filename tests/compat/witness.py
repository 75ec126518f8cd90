"""A pytest plugin for their tests: writes each test's own name into the report, and whether Recollect took part in it.

A suite has tests that never meet the class that was swapped. They are run, but they prove nothing about ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.memory import Memory

VERBS = ((Memory, "chat drawer search"), (Chat, "add add_many messages page"), (Drawer, "get put list clear"))
calls = 0


def counted(verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def verb_and_count(*args: Any, **kwargs: Any) -> Any:
        global calls
        calls += 1
        return verb(*args, **kwargs)

    return verb_and_count


def pytest_configure() -> None:
    for noun, verbs in VERBS:
        for verb in verbs.split():
            setattr(noun, verb, counted(getattr(noun, verb)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    global calls
    calls = 0
    item.user_properties.append(("test", item.nodeid))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if calls:
        item.user_properties.append(("ours", "yes"))
