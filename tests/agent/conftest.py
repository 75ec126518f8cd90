"""What holds for every test of the agent."""

import pytest
from backends import near


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(near(reason="what is made of what a memory tells, whatever its store"))
