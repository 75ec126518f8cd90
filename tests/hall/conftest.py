"""Stores in which nothing happens by itself."""

from contextlib import ExitStack

import pytest

import recollect


@pytest.fixture(params=["memory", "sqlite"])
def place(request, tmp_path):
    return "memory://" if request.param == "memory" else tmp_path / "chat.db"


@pytest.fixture
def opened(place, clock):
    """Opens a store and closes it in the end. Nothing happens by itself."""
    with ExitStack() as stack:

        def open(**options):
            options = {"clock": clock, "durable": False, "background": False, "embedder": "off", **options}
            return stack.enter_context(recollect.open(place, **options))

        yield open


@pytest.fixture
def memory(opened):
    return opened()


@pytest.fixture
def chat(memory):
    return memory.chat(owner="u1", session="s", create=True)
