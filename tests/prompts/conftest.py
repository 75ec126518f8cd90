"""A conversation to ask in."""

import pytest


@pytest.fixture
def chat(memory):
    return memory.chat(owner="u1", session="s", create=True)
