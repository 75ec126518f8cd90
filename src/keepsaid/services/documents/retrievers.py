"""Adapt retrievers of other libraries to `ports.Retriever`, the interface that prompts use.

LangChain and LlamaIndex are not imported: their retrievers are recognized by their methods, and their results by their
attributes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from keepsaid.engine.messages.validation import clean_text
from keepsaid.errors import InvalidInput, RetrieverError
from keepsaid.ports import DocumentSnippet, Retriever

SOURCES = ("source", "file_name", "file_path", "title", "url", "name")
"""Metadata keys under which other libraries store where a text is from, in order of preference."""

LOOKED_AT = 1000
"""Maximum number of results read: an external iterator may be endless."""

PLACES, PAGES = ("place", "section"), ("page_label", "page")


def adapt_retriever(anything: Any) -> Retriever:
    """Return a retriever that calls the given one: an object with `retrieve(question, limit)`, a function of the question, a
    LangChain retriever, or a LlamaIndex retriever. Any failure inside it is raised as `RetrieverError`.

    >>> found = adapt_retriever(lambda question: [("Run setup.exe.", "guide.md")]).retrieve("how to install?", 3)
    >>> found[0].text, found[0].source
    ('Run setup.exe.', 'guide.md')
    """
    return _RetrieverAdapter(_find_call(anything))


def _find_call(anything: Any) -> Callable[[str, int], Any]:
    """Return a function that calls the retriever. LlamaIndex's `retrieve` takes only the question; ours takes the limit,
    too."""
    if callable(retrieve := getattr(anything, "retrieve", None)):
        return retrieve if _takes_limit(retrieve) else lambda question, limit: retrieve(question)
    if callable(invoke := getattr(anything, "invoke", None)):
        return lambda question, limit: invoke(question)
    if callable(anything):
        return lambda question, limit: anything(question)
    raise InvalidInput(
        f"{type(anything).__name__} is not a retriever: it needs `retrieve(question, limit)` or `invoke(question)`, or to be"
        " a function of the question"
    )


def _takes_limit(retrieve: Callable[..., Any]) -> bool:
    try:
        inspect.signature(retrieve).bind("question", 1)
    except (TypeError, ValueError):
        return False
    return True


class _RetrieverAdapter:
    """Calls an external retriever and converts its results to snippets."""

    def __init__(self, ask: Callable[[str, int], Any]) -> None:
        self._ask = ask

    def retrieve(self, question: str, limit: int) -> Sequence[DocumentSnippet]:
        """Return up to `limit` snippets that may answer the question, best first."""
        try:
            # A generator runs only when it is read.
            answers = list(islice(_iterate(self._ask(question, limit)), LOOKED_AT))
        except Exception as error:  # external code may fail in any way
            raise RetrieverError(f"the retriever failed: {type(error).__name__}: {error}") from error
        snippets = [snippet for one in answers if (snippet := _to_snippet(one)).text.strip()]
        return snippets[:limit]


def _iterate(found: Any) -> Iterator[Any]:
    if isinstance(found, str | bytes | dict):
        raise TypeError("it returned a single answer, not a list of texts")
    return iter(found)


def _to_snippet(found: Any) -> DocumentSnippet:
    try:
        text, about, score = _split_result(found)
        source, place = str(_first(about, SOURCES)), str(_first(about, PLACES))
        if not place and (page := _first(about, PAGES)) != "":
            place = f"page {page}"
        return DocumentSnippet(
            clean_text(text, "its text"), clean_text(source, "its source"), clean_text(place, "its place"), float(score or 0)
        )
    except (InvalidInput, TypeError, ValueError) as error:
        raise RetrieverError(f"the retriever returned something that is not a text with a source: {error}") from error


def _split_result(found: Any) -> tuple[Any, Mapping[str, Any], Any]:
    """Return the text of a result, its metadata, and its score."""
    if isinstance(found, DocumentSnippet):
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
