"""Finds a language model on this machine: a running Ollama, and a model in it that can chat."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from keepsaid.ports import LLM

DISCOVERY_TIMEOUT = 0.3
"""Seconds that the search may take: it delays the start of a chat."""
MAX_ANSWER_BYTES = 4_000_000
PORT = 11434

INSTALL_COMMAND = "pip install 'keepsaid[openai]'"
SETUP_HINT = (
    "no language model is set up: start Ollama with a model (ollama pull llama3.2:3b), or set llm (KEEPSAID_LLM) to"
    " openai:MODEL and llm_key (KEEPSAID_LLM_KEY) to its key"
)
LLM_IS_OFF = "no language model: the setting llm is off"

_EMBEDDING_MODEL = re.compile(r"embed|minilm|bge|rerank|(?:^|[/_-])(?:e5|gte)(?:[-_:]|$)", re.IGNORECASE)


class DiscoveredLLM(NamedTuple):
    """A language model or None, and a sentence for the user that says which and why.

    >>> DiscoveredLLM(None, LLM_IS_OFF).reason
    'no language model: the setting llm is off'
    """

    llm: LLM | None
    reason: str


class OllamaModel(NamedTuple):
    """A model of an Ollama server, and the server's URL."""

    model: str
    url: str


def can_ask_endpoints() -> bool:
    """Whether the client library for endpoints is installed."""
    return find_spec("openai") is not None


def find_ollama(environment: Mapping[str, str], *, patience: float | None = None) -> OllamaModel | None:
    """Return the first model that can chat, from the Ollama at its default address or at OLLAMA_HOST; None if there is
    none."""
    url = ollama_url(environment.get("OLLAMA_HOST", ""))
    if url is None:
        return None
    try:
        # No proxy: the server is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{url}/api/tags", timeout=DISCOVERY_TIMEOUT if patience is None else patience) as answer:
            known: Any = json.loads(answer.read(MAX_ANSWER_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    listed: Any = cast("dict[str, Any]", known).get("models") if isinstance(known, dict) else None
    models = cast("list[Any]", listed) if isinstance(listed, list) else []
    return next((OllamaModel(str(model["name"]), url) for model in models if can_chat(model)), None)


def can_chat(model: Any) -> bool:
    """Whether an entry of Ollama's list is a chat model, and not an embedding model.

    >>> can_chat({"name": "llama3.2:3b"}), can_chat({"name": "nomic-embed-text:latest"}), can_chat({"name": "all-minilm"})
    (True, False, False)
    """
    if not isinstance(model, dict):
        return False
    entry = cast("dict[str, Any]", model)
    name, details, abilities = entry.get("name"), entry.get("details"), entry.get("capabilities")
    if not isinstance(name, str) or not name:
        return False
    if isinstance(abilities, list):
        return "completion" in abilities
    family = str(cast("dict[str, Any]", details).get("family", "")) if isinstance(details, dict) else ""
    return "bert" not in family and not _EMBEDDING_MODEL.search(name)


def ollama_url(host: str) -> str | None:
    """Return the URL of an Ollama from the value of OLLAMA_HOST; None if it is not an address.

    >>> ollama_url(""), ollama_url("0.0.0.0"), ollama_url("https://gpu.example:8443/")
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
    # An address to listen on is not one to connect to.
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)  # noqa: S104
    return f"{scheme}://{name}:{port}" if port.isdecimal() else None
