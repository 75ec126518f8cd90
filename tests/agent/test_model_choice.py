"""Which language model a chat gets: the one in the settings, one found in a local Ollama, or none with the reason."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agent.test_web import Serve, playing, says
from keepsaid.config import Settings
from keepsaid.errors import ConfigError
from keepsaid.llm import discovery
from keepsaid.llm.discovery import INSTALL_COMMAND, LLM_IS_OFF, SETUP_HINT, OllamaModel, can_chat, find_ollama, ollama_url
from keepsaid.wiring import _llm_writers, open_llm

NOMIC = {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}}
LLAMA = {"name": "llama3.2:3b", "details": {"family": "llama"}}


def tags(*models: Any) -> Serve:
    return says(json.dumps({"models": models}).encode())


@pytest.fixture
def no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


def test_find_ollama_returns_first_chat_model():
    with playing(tags(NOMIC, LLAMA, {"name": "qwen"})) as (url, asked):
        assert find_ollama({"OLLAMA_HOST": url}, patience=5) == OllamaModel("llama3.2:3b", url)
    assert asked == ["/api/tags"]


@pytest.mark.parametrize(
    "serve",
    [
        tags(),
        tags(NOMIC),
        tags("llama", 5, {}, {"name": 5}),
        says(b"<html>"),
        says(b"[]"),
        says(b'{"models": 5}'),
        says(b"", 500),
        says(b"\xff"),
    ],
)
def test_find_ollama_returns_none_without_usable_model(serve: Serve):
    with playing(serve) as (url, _):
        assert find_ollama({"OLLAMA_HOST": url}, patience=5) is None


def test_find_ollama_gives_up_on_slow_server():
    with playing(lambda handler: time.sleep(1)) as (url, _):
        begun = time.monotonic()
        assert find_ollama({"OLLAMA_HOST": url}) is None
        assert time.monotonic() - begun < 0.9


@pytest.mark.parametrize(
    ("model", "can"),
    [
        ({"name": "mxbai-embed-large"}, False),
        ({"name": "all-minilm:33m"}, False),
        ({"name": "bge-m3"}, False),
        ({"name": "hf.co/x/e5-base"}, False),
        ({"name": "anything", "details": {"family": "bert"}}, False),
        ({"name": "x", "capabilities": ["embedding"]}, False),
        ({"name": "my-embedded-helper", "capabilities": ["completion", "tools"]}, True),
        ({"name": "gemma3:4b", "details": None}, True),
        ({"name": "phi4"}, True),
    ],
)
def test_can_chat_rejects_embedding_models(model: dict[str, Any], can: bool):
    assert can_chat(model) is can


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1:11435", "http://127.0.0.1:11435"),
        ("gpu", "http://gpu:11434"),
        (":1234", "http://127.0.0.1:1234"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:99", "http://[::1]:99"),
        ("https://gpu.example", "https://gpu.example:443"),
        ("ftp://gpu", None),
        ("gpu:port", None),
    ],
)
def test_ollama_url_parses_host_variable(host: str, url: str | None):
    assert ollama_url(host) == url


class TestOpenLLM:
    def test_uses_model_from_settings(self):
        found = open_llm(Settings(llm="openai:gpt-5-mini"))
        assert found.llm is not None
        assert found.llm.name == "openai:gpt-5-mini"
        assert found.reason == "openai:gpt-5-mini, from the settings"

    def test_accepts_function_as_model(self):
        found = open_llm(Settings(llm=lambda messages: "Hi."))
        assert found.llm is not None
        assert found.llm.complete([]).text == "Hi."

    def test_uses_model_found_in_ollama(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(discovery, "DISCOVERY_TIMEOUT", 5.0)
        with playing(tags(LLAMA)) as (url, _):
            monkeypatch.setenv("OLLAMA_HOST", url)
            opened = open_llm(Settings())
        assert opened.llm is not None
        assert opened.llm.name == "ollama:llama3.2:3b"
        assert opened.reason == f"found llama3.2:3b in Ollama at {url}"

    @pytest.mark.usefixtures("no_ollama")
    def test_gives_setup_hint_without_ollama(self):
        assert open_llm(Settings()) == (None, SETUP_HINT)

    def test_off_returns_none_without_asking_ollama(self, monkeypatch: pytest.MonkeyPatch):
        with playing(tags(LLAMA)) as (url, asked):
            monkeypatch.setenv("OLLAMA_HOST", url)
            assert open_llm(Settings(llm="off")) == (None, LLM_IS_OFF)
        assert asked == []
        assert _llm_writers(Settings(llm="off")).llm is None

    def test_discovered_model_does_not_write_notes(self, monkeypatch: pytest.MonkeyPatch):
        with playing(tags(LLAMA)) as (url, asked):
            monkeypatch.setenv("OLLAMA_HOST", url)
            assert _llm_writers(Settings()).llm is None
        assert asked == []

    def test_gives_install_command_when_library_is_missing(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(discovery, "can_ask_endpoints", lambda: False)
        assert open_llm(Settings(llm="openai:x")) == (None, f"openai:x needs: {INSTALL_COMMAND}")
        with playing(tags(LLAMA)) as (url, _):
            monkeypatch.setenv("OLLAMA_HOST", url)
            opened = open_llm(Settings())
        assert opened.llm is None
        assert opened.reason.endswith(INSTALL_COMMAND)

    def test_rejects_unknown_model_setting(self):
        with pytest.raises(ConfigError):
            open_llm(Settings(llm="nonsense"))
