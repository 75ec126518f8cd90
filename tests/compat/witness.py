"""A pytest plugin for their tests: writes each test's own name into the report, and whether Keepsaid took part in it.

A suite has tests that never meet the class that was swapped. They are run, but they prove nothing about ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from keepsaid.memory import Memory
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat

VERBS = ((Memory, "chat blobs search"), (Chat, "add add_many messages page"), (BlobStore, "get put list clear"))
calls = 0


def count_calls(verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def verb_and_count(*args: Any, **kwargs: Any) -> Any:
        global calls
        calls += 1
        return verb(*args, **kwargs)

    return verb_and_count


def pytest_configure() -> None:
    for noun, verbs in VERBS:
        for verb in verbs.split():
            setattr(noun, verb, count_calls(getattr(noun, verb)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    global calls
    calls = 0
    item.user_properties.append(("test", item.nodeid))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if calls:
        item.user_properties.append(("ours", "yes"))
