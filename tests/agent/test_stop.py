"""Stopping a turn from another thread, while the model says nothing."""

from __future__ import annotations

import threading
import time

import llm_server
import pytest

import keepsaid
from keepsaid.agent.answer import TextDelta, TurnFinished
from keepsaid.agent.service import ChatService
from keepsaid.llm.openai import OpenAILLM


def test_closing_stream_disconnects_from_silent_model():
    with llm_server.serving() as endpoint, keepsaid.open("memory://", embedder="off") as memory:
        endpoint.otherwise = llm_server.hangs_after([llm_server.chunk(content="In Lis")])
        model = OpenAILLM("small", base_url=endpoint.url, timeout=60)
        stream = ChatService(memory, model).stream("u1", None, "Where is my sister?")
        spoke, ended = threading.Event(), threading.Event()
        ends: list[TurnFinished] = []

        def read() -> None:
            for event in stream:
                if isinstance(event, TextDelta):
                    spoke.set()
                if isinstance(event, TurnFinished):
                    ends.append(event)
            ended.set()

        reader = threading.Thread(target=read)
        reader.start()
        assert spoke.wait(10)
        begun = time.monotonic()
        stream.close()
        assert ended.wait(5), "it went on waiting for a model that says nothing"
        assert time.monotonic() - begun < 5
        reader.join()
        assert endpoint.closed_early.wait(5)
        answer = ends[0].answer
        assert (answer.finish, answer.text) == ("stopped", "In Lis")
        kept = memory.chat(owner="u1", session=answer.session).messages()[-1]
        assert (kept.text, kept.metadata["finish"]) == ("In Lis", "stopped")
        model.close()


@pytest.mark.parametrize("events", [[], ["chunk"]])
def test_dropped_model_connection_raises_llm_error(events: list[str]):
    with llm_server.serving() as endpoint, keepsaid.open("memory://", embedder="off") as memory:
        endpoint.otherwise = llm_server.cuts_off([llm_server.chunk(content="In Lis") for _ in events])
        model = OpenAILLM("small", base_url=endpoint.url, timeout=5, retries=0)
        with pytest.raises(keepsaid.LLMError):
            ChatService(memory, model).chat("u1", None, "Where is my sister?")
        model.close()
