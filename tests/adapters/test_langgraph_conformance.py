"""LangGraph's own conformance suite for checkpointers, one case for each of its tests."""

import asyncio
import importlib

import pytest
from frameworks import framework

import keepsaid

framework("langgraph.checkpoint.conformance")

from langgraph.checkpoint.conformance.capabilities import Capability, DetectedCapabilities  # noqa: E402

from keepsaid.adapters.langgraph.checkpointer import KeepsaidSaver  # noqa: E402

SPEC = "langgraph.checkpoint.conformance.spec.test_"
TESTS = [
    test
    for capability in Capability
    for test in getattr(importlib.import_module(SPEC + capability.value), f"ALL_{capability.name}_TESTS")
]


@pytest.fixture(params=["file", "memory"])
def saver(request, tmp_path):
    place = tmp_path / "state.db" if request.param == "file" else "memory://"
    with keepsaid.open(place, embedder="off") as memory:
        yield KeepsaidSaver(memory, owner="ann")


def test_saver_supports_every_capability(saver):
    assert not DetectedCapabilities.from_instance(saver).missing


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.__name__)
def test_conformance(saver, test):
    asyncio.run(test(saver))
