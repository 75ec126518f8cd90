"""Looking for a language model on one's own machine: an Ollama that runs, and a model in it that can chat."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from recollect.ports import LLM

PATIENCE = 0.3
"""Seconds that looking may take: whoever starts a chat waits for it."""
LARGEST = 4_000_000
PORT = 11434

INSTALL = "pip install 'recollect[openai]'"
SET_UP = (
    "no language model is set up: start Ollama with a model (ollama pull llama3.2:3b), or set llm (RECOLLECT_LLM) to"
    " openai:MODEL and llm_key (RECOLLECT_LLM_KEY) to its key"
)
OFF = "no language model: the setting llm is off"

_EMBEDS = re.compile(r"embed|minilm|bge|rerank|(?:^|[/_-])(?:e5|gte)(?:[-_:]|$)", re.IGNORECASE)


class FoundLLM(NamedTuple):
    """A language model, or none, and a sentence for the user that says which and why.

    >>> FoundLLM(None, OFF).why
    'no language model: the setting llm is off'
    """

    llm: LLM | None
    why: str


class Ollama(NamedTuple):
    """A model that an Ollama has, and the Ollama's address."""

    model: str
    url: str


def can_ask_endpoints() -> bool:
    """Whether the library that speaks to endpoints is installed."""
    return find_spec("openai") is not None


def find_ollama(environment: Mapping[str, str], *, patience: float | None = None) -> Ollama | None:
    """The first model that can chat in the Ollama at its usual address, or at OLLAMA_HOST; None if there is none."""
    url = address(environment.get("OLLAMA_HOST", ""))
    if url is None:
        return None
    try:
        # No proxy: what is looked for is here.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{url}/api/tags", timeout=PATIENCE if patience is None else patience) as answer:
            known: Any = json.loads(answer.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    listed: Any = cast("dict[str, Any]", known).get("models") if isinstance(known, dict) else None
    models = cast("list[Any]", listed) if isinstance(listed, list) else []
    return next((Ollama(str(model["name"]), url) for model in models if can_chat(model)), None)


def can_chat(model: Any) -> bool:
    """Whether an entry of Ollama's list is a model to talk to, and not one that embeds.

    >>> can_chat({"name": "llama3.2:3b"}), can_chat({"name": "nomic-embed-text:latest"}), can_chat({"name": "all-minilm"})
    (True, False, False)
    """
    if not isinstance(model, dict):
        return False
    told = cast("dict[str, Any]", model)
    name, details, abilities = told.get("name"), told.get("details"), told.get("capabilities")
    if not isinstance(name, str) or not name:
        return False
    if isinstance(abilities, list):
        return "completion" in abilities
    family = str(cast("dict[str, Any]", details).get("family", "")) if isinstance(details, dict) else ""
    return "bert" not in family and not _EMBEDS.search(name)


def address(host: str) -> str | None:
    """Where an Ollama is, by what OLLAMA_HOST says; None for what is no address.

    >>> address(""), address("0.0.0.0"), address("https://gpu.example:8443/")
    ('http://127.0.0.1:11434', 'http://127.0.0.1:11434', 'https://gpu.example:8443')
    """
    host = host.strip().rstrip("/")
    scheme, separator, rest = host.partition("://")
    if not separator:
        scheme, rest = "http", host
    if scheme not in ("http", "https"):
        return None
    name, colon, port = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    if not colon:
        name, port = rest, str(PORT) if scheme == "http" else "443"
    # What a server listens on is no address to call.
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)  # noqa: S104
    return f"{scheme}://{name}:{port}" if port.isdecimal() else None
