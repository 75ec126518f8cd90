"""Which language model a chat gets: the one that is set, a local Ollama's, or none and a sentence why."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agent.test_web import Serve, playing, says
from recollect.config import Settings
from recollect.errors import ConfigError
from recollect.llm import found
from recollect.llm.found import INSTALL, OFF, SET_UP, Ollama, address, can_chat, find_ollama
from recollect.wiring import _scribes, open_llm

NOMIC = {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}}
LLAMA = {"name": "llama3.2:3b", "details": {"family": "llama"}}


def tags(*models: Any) -> Serve:
    return says(json.dumps({"models": models}).encode())


@pytest.fixture
def no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


def test_the_first_model_that_can_chat():
    with playing(tags(NOMIC, LLAMA, {"name": "qwen"})) as (url, asked):
        assert find_ollama({"OLLAMA_HOST": url}, patience=5) == Ollama("llama3.2:3b", url)
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
def test_an_ollama_without_a_model_is_none(serve: Serve):
    with playing(serve) as (url, _):
        assert find_ollama({"OLLAMA_HOST": url}, patience=5) is None


def test_one_that_is_slow_is_not_waited_for():
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
def test_models_that_embed_do_not_chat(model: dict[str, Any], can: bool):
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
def test_addresses(host: str, url: str | None):
    assert address(host) == url


class TestOpenLLM:
    def test_takes_what_is_set(self):
        found = open_llm(Settings(llm="openai:gpt-5-mini"))
        assert found.llm is not None
        assert found.llm.name == "openai:gpt-5-mini"
        assert found.why == "openai:gpt-5-mini, by the settings"

    def test_takes_a_function(self):
        found = open_llm(Settings(llm=lambda messages: "Hi."))
        assert found.llm is not None
        assert found.llm.complete([]).text == "Hi."

    def test_finds_an_ollama(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(found, "PATIENCE", 5.0)
        with playing(tags(LLAMA)) as (url, _):
            monkeypatch.setenv("OLLAMA_HOST", url)
            opened = open_llm(Settings())
        assert opened.llm is not None
        assert opened.llm.name == "ollama:llama3.2:3b"
        assert opened.why == f"found llama3.2:3b in Ollama at {url}"

    @pytest.mark.usefixtures("no_ollama")
    def test_says_what_to_do_for_one(self):
        assert open_llm(Settings()) == (None, SET_UP)

    def test_off_is_none_and_nobody_is_asked(self, monkeypatch: pytest.MonkeyPatch):
        with playing(tags(LLAMA)) as (url, asked):
            monkeypatch.setenv("OLLAMA_HOST", url)
            assert open_llm(Settings(llm="off")) == (None, OFF)
        assert asked == []
        assert _scribes(Settings(llm="off")).llm is None

    def test_a_model_that_was_found_takes_no_notes(self, monkeypatch: pytest.MonkeyPatch):
        with playing(tags(LLAMA)) as (url, asked):
            monkeypatch.setenv("OLLAMA_HOST", url)
            assert _scribes(Settings()).llm is None
        assert asked == []

    def test_without_the_library_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(found, "can_ask_endpoints", lambda: False)
        assert open_llm(Settings(llm="openai:x")) == (None, f"openai:x needs: {INSTALL}")
        with playing(tags(LLAMA)) as (url, _):
            monkeypatch.setenv("OLLAMA_HOST", url)
            opened = open_llm(Settings())
        assert opened.llm is None
        assert opened.why.endswith(INSTALL)

    def test_nonsense_is_an_error(self):
        with pytest.raises(ConfigError):
            open_llm(Settings(llm="nonsense"))
