"""A server that uses a scripted endpoint, and OpenAI's own client."""

from __future__ import annotations

from collections.abc import Iterator

import llm_server
import openai
import pytest

from server.conftest import Server

OPENED: list[openai.OpenAI] = []


def client_of(server: Server, key: str = "anything", **headers: str) -> openai.OpenAI:
    """OpenAI's own client, pointed at a server."""
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0, timeout=30, default_headers=headers)
    OPENED.append(client)
    return client


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[llm_server.Server]:
    with llm_server.serving() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def proxy(endpoint: llm_server.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose model is the scripted endpoint."""
    store = tmp_path_factory.mktemp("proxy") / "chat.db"
    # The note-taker would ask the endpoint, too, and take lines of the script.
    settings = {"KEEPSAID_LLM": "openai:small", "KEEPSAID_LLM_URL": endpoint.url, "KEEPSAID_NOTES": "false"}
    running = Server(store, KEEPSAID_LLM_KEY="sk-theirs", **settings)
    yield running
    running.stop()


@pytest.fixture
def upstream(endpoint: llm_server.Server) -> llm_server.Server:
    """The scripted endpoint, with nothing of earlier tests in it."""
    endpoint.requests.clear()
    endpoint.script.clear()
    endpoint.closed_early.clear()
    endpoint.otherwise = llm_server.answer("In Lisbon.")
    return endpoint


@pytest.fixture
def client(proxy: Server) -> openai.OpenAI:
    return client_of(proxy)
