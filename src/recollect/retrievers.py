"""An application's own retriever, whatever it is, as the one thing that a prompt is fed by (`ports.Retriever`).

Nothing of LangChain or LlamaIndex is imported: their retrievers are known by the methods they have, and what they return by
its attributes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from recollect.engine.hygiene import clean_text
from recollect.errors import InvalidInput, RetrieverError
from recollect.ports import Retriever, Snippet

SOURCES = ("source", "file_name", "file_path", "title", "url", "name")
"""Under what others keep where a text is from, the best first."""

LOOKED_AT = 1000
"""Answers that are looked at: somebody else's list may have no end."""

PLACES, PAGES = ("place", "section"), ("page_label", "page")


def retriever_for(anything: Any) -> Retriever:
    """A retriever that asks this one: an object with `retrieve(question, limit)`, a function of the question, a LangChain
    retriever, or one of LlamaIndex. Whatever goes wrong inside it is a `RetrieverError`.

    >>> found = retriever_for(lambda question: [("Run setup.exe.", "guide.md")]).retrieve("how to install?", 3)
    >>> found[0].text, found[0].source
    ('Run setup.exe.', 'guide.md')
    """
    return _Asked(_way_to_ask(anything))


def _way_to_ask(anything: Any) -> Callable[[str, int], Any]:
    """How to ask it. LlamaIndex's `retrieve` takes the question alone; ours takes the limit, too."""
    if callable(retrieve := getattr(anything, "retrieve", None)):
        return retrieve if _takes_limit(retrieve) else lambda question, limit: retrieve(question)
    if callable(invoke := getattr(anything, "invoke", None)):
        return lambda question, limit: invoke(question)
    if callable(anything):
        return lambda question, limit: anything(question)
    raise InvalidInput(
        f"{type(anything).__name__} is no retriever: it needs `retrieve(question, limit)`, or `invoke(question)`, or to be a"
        " function of the question"
    )


def _takes_limit(retrieve: Callable[..., Any]) -> bool:
    try:
        inspect.signature(retrieve).bind("question", 1)
    except (TypeError, ValueError):
        return False
    return True


class _Asked:
    """Asks somebody else's retriever, and makes of its answer what ours would say."""

    def __init__(self, ask: Callable[[str, int], Any]) -> None:
        self._ask = ask

    def retrieve(self, question: str, limit: int) -> Sequence[Snippet]:
        """Up to `limit` pieces that may answer the question, best first."""
        try:
            # A generator does its work only when it is read.
            answers = list(islice(_several(self._ask(question, limit)), LOOKED_AT))
        except Exception as error:  # somebody else's code may fail in any way
            raise RetrieverError(f"the retriever failed: {type(error).__name__}: {error}") from error
        snippets = [snippet for one in answers if (snippet := _snippet(one)).text.strip()]
        return snippets[:limit]


def _several(found: Any) -> Iterator[Any]:
    if isinstance(found, str | bytes | dict):
        raise TypeError("it gave a single answer, not a list of texts")
    return iter(found)


def _snippet(found: Any) -> Snippet:
    try:
        text, about, score = _parts(found)
        source, place = str(_first(about, SOURCES)), str(_first(about, PLACES))
        if not place and (page := _first(about, PAGES)) != "":
            place = f"page {page}"
        return Snippet(
            clean_text(text, "its text"), clean_text(source, "its source"), clean_text(place, "its place"), float(score or 0)
        )
    except (InvalidInput, TypeError, ValueError) as error:
        raise RetrieverError(f"the retriever gave something that is no text with a source: {error}") from error


def _parts(found: Any) -> tuple[Any, Mapping[str, Any], Any]:
    """The text, what is known of it, and how well it answers."""
    if isinstance(found, Snippet):
        return found.text, {"source": found.source, "place": found.place}, found.score
    if isinstance(found, str):
        return found, {}, 0.0
    if isinstance(found, Mapping):
        fields = cast(Mapping[str, Any], found)
        about: dict[str, Any] = {**(fields.get("metadata") or {}), **fields}
        return _first(fields, ("text", "content", "page_content")), about, fields.get("score")
    if isinstance(found, tuple):
        text, source = cast(tuple[Any, ...], found)[:2]
        return text, {"source": source}, 0.0
    if hasattr(found, "page_content"):
        return found.page_content, found.metadata or {}, 0.0
    node = getattr(found, "node", found)
    if callable(getattr(node, "get_content", None)):
        return node.get_content(), node.metadata or {}, getattr(found, "score", 0.0)
    raise TypeError(f"a {type(found).__name__} has neither `page_content` nor a `node`")


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), "")
