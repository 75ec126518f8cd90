"""The OpenAI proxy between OpenAI's client and a real small model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import openai
import pytest
import real_llm

import keepsaid
from server.conftest import Server

from .conftest import client_of

QUESTION: Any = [{"role": "user", "content": "Where does my sister Ana live?"}]
STORY: Any = [{"role": "user", "content": "Tell me a very long story about a dragon, with every detail."}]


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with real_llm.run_server() as url:
        yield url


@pytest.fixture(scope="module")
def proxy(model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("real") / "chat.db"
    # Prompts tell the day on which something was said, and with some days this small model overlooks the rest.
    with keepsaid.open(store, clock=lambda: datetime(2026, 11, 19, tzinfo=UTC)) as memory:
        memory.chat(owner="me").add("user", "My sister Ana moved to Lisbon.")
    running = Server(
        store, KEEPSAID_LLM=f"openai:{real_llm.NAME}", KEEPSAID_LLM_URL=model, KEEPSAID_CONTEXT_BUDGET="600",
        KEEPSAID_NOTES="false",
    )  # fmt: skip
    yield running
    running.stop()


@pytest.fixture
def client(proxy: Server) -> openai.OpenAI:
    return client_of(proxy)


def test_completion_recalls_other_conversation(client: openai.OpenAI):
    raw = client.chat.completions.with_raw_response.create(
        model=real_llm.NAME, messages=QUESTION, max_tokens=40, temperature=0
    )
    answer = raw.parse()
    assert "Lisbon" in (answer.choices[0].message.content or "")
    assert int(raw.headers["keepsaid-used"]) == 1
    said, saved = client.conversations.items.list(raw.headers["keepsaid-conversation"], order="asc").data
    assert said.content[0].text == QUESTION[0]["content"]
    assert saved.content[0].text == answer.choices[0].message.content


def test_stream_recalls_other_conversation_and_is_saved(client: openai.OpenAI):
    stream = client.chat.completions.create(
        model=real_llm.NAME, messages=QUESTION, max_tokens=40, temperature=0, stream=True,
        stream_options={"include_usage": True}, extra_body={"conversation": "streamed"},
    )  # fmt: skip
    chunks = list(stream)
    told = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert len(told) > 3
    assert "Lisbon" in "".join(told)
    assert chunks[-1].usage is not None
    saved = client.conversations.items.list("streamed").data[0]
    assert saved.content[0].text == "".join(told)


def test_disconnect_stops_model_and_keeps_partial_answer(client: openai.OpenAI, model: str):
    stream = client.chat.completions.create(
        model=real_llm.NAME, messages=STORY, max_tokens=1_200, temperature=0, stream=True,
        extra_body={"conversation": "left"},
    )  # fmt: skip
    chunks = iter(stream)
    told = "".join(next(chunks).choices[0].delta.content or "" for _ in range(8))
    assert real_llm.is_busy(model)
    stream.close()
    # 1,200 tokens take it ten seconds and more.
    assert real_llm.idle_within(model, 5)
    part = client.conversations.items.list("left").data[0]
    assert part.content[0].text.startswith(told)
    assert part.status == "incomplete"


def test_models_and_errors_of_upstream_are_passed_on(client: openai.OpenAI):
    assert [model.id for model in client.models.list()] == [real_llm.NAME]
    with pytest.raises(openai.BadRequestError, match="exceeds the available context size"):
        client.chat.completions.create(model=real_llm.NAME, messages=[{"role": "user", "content": "word " * 3_000}])
