"""Searching the web: by any function, or by an endpoint that speaks like SearXNG.

Results become text with the address and date of each, so that notes can be taken of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, cast

from recollect.agent.tools import Tool, ToolFailed, readable
from recollect.engine.digest.sentences import sentences
from recollect.engine.pattern import Pattern
from recollect.engine.query import Kind
from recollect.engine.toolnote import wants_recent
from recollect.errors import ConfigError
from recollect.ports import Snippet
from recollect.types import ToolCall

NAME = "web_search"
RESULTS = 8
LONGEST_RESULT = 700
"""Characters of one result."""
LONGEST_QUERY = 256
"""Characters of a query that the agent itself sends: more than a question has."""

NOTHING = "no results"

Search = Callable[[str], Any]

_WEB = "Searches the web. For what is newer than your knowledge, or may have changed."


def web_tool(web: str | Search | Tool) -> Tool:
    """The tool `web_search`: of a function from a query to text or a list of results, or of an endpoint's address.

    >>> web_tool(lambda query: [{"title": "Tram strike", "url": "https://example.org/1", "content": "Until Friday."}]).run(
    ...     '{"query": "tram strike"}')
    'Tram strike\\nhttps://example.org/1\\nUntil Friday.'
    """
    if isinstance(web, Tool):
        return web
    search = _endpoint(web) if isinstance(web, str) else web
    if not callable(search):
        raise ConfigError(f"web is a function from a query to results, or the address of an endpoint, not {web!r}")

    def web_search(query: Annotated[str, "What to look for, in a few words."]) -> str:
        if not query.strip():
            raise ToolFailed("Error: the query is empty")
        return results(search(query))

    return Tool.of(web_search, name=NAME, description=_WEB)


def _endpoint(url: str) -> Search:
    # Who searches by a function, or not at all, need not wait for an HTTP library.
    from recollect.agent.searxng import endpoint

    return endpoint(url)


# -- results as text


def results(found: Any) -> str:
    """What a search returned, as text: of each result its title, address, date and content.

    >>> results(["one", Snippet("two", "https://example.org/2")])
    'one\\n\\nhttps://example.org/2\\ntwo'
    """
    if isinstance(found, str):
        return found if found.strip() else NOTHING
    if found is None:
        return NOTHING
    if not isinstance(found, Iterable) or isinstance(found, (bytes, Mapping)):
        raise ToolFailed(f"Error: the web search returned a {type(cast('Any', found)).__name__}, not text or a list")
    told: list[str] = []
    for one in cast("Iterable[Any]", found):
        if text := _result(one):
            told.append(text)
        if len(told) == RESULTS:
            break
    return "\n\n".join(told) or NOTHING


def _result(one: Any) -> str:
    if isinstance(one, str):
        return readable(one.strip())[:LONGEST_RESULT]
    if isinstance(one, Snippet):
        lines = [one.source, one.place, one.text]
    elif isinstance(one, Mapping):
        lines = _of_mapping(cast("Mapping[str, Any]", one))
    else:
        return ""
    return "\n".join(readable(line)[:LONGEST_RESULT] for line in (" ".join(line.split()) for line in lines) if line)


def _of_mapping(one: Mapping[str, Any]) -> list[str]:
    def text(*names: str) -> str:
        return next((value for name in names if isinstance(value := one.get(name), str)), "")

    date = text("publishedDate", "published_date", "date", "published")
    return [
        text("title", "name"),
        text("url", "link", "source", "href"),
        f"Date: {date[:10]}" if date else "",
        text("content", "snippet", "text", "description", "body"),
    ]


# -- when to search without being asked to

_ONESELF = Pattern(r"\b(?:i|i['’](?:m|ve|d|ll)|my|me|mine|we|our|us)\b")


def wants_search(text: str, kind: Kind) -> bool:
    """Whether words ask for how things are now. What somebody tells about himself is not sent to anybody.

    >>> wants_search("Latest news about the strike", "statement"), wants_search("Today I saw my doctor.", "statement")
    (True, False)
    """
    return wants_recent(text) and (kind != "statement" or _ONESELF.search(text) is None)


def query_of(text: str) -> str:
    """What of a message is searched for: of a long one, the sentences that ask for something recent.

    >>> query_of("  What is the latest on the strike? ")
    'What is the latest on the strike?'
    """
    text = " ".join(text.split())
    if len(text) > LONGEST_QUERY:
        recent = [sentence for sentence in sentences(text) if wants_recent(sentence)]
        text = " ".join(recent) or text
    return text if len(text) <= LONGEST_QUERY else text[:LONGEST_QUERY].rsplit(" ", 1)[0]


def looked_up(query: str, tool: str, asked: str) -> ToolCall:
    """A search that the agent calls for itself; `asked` is the id of the message that it is for.

    >>> looked_up("tram strike", "web_search", "m1").arguments
    '{"query": "tram strike"}'
    """
    return ToolCall(f"call_{asked[-12:]}", tool, json.dumps({"query": query}, ensure_ascii=False))
