"""Web search by any function or by a SearXNG-compatible endpoint.

Results become text with the URL and date of each, from which facts can be extracted later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, cast

from keepsaid.agent.tools import Tool, ToolError, replace_invalid_characters
from keepsaid.engine.query.query import QuestionKind
from keepsaid.engine.summary.sentences import split_sentences
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.tool_notes import wants_recent
from keepsaid.errors import ConfigError
from keepsaid.ports import DocumentSnippet
from keepsaid.types import ToolCall

TOOL_NAME = "web_search"
MAX_RESULTS = 8
MAX_RESULT_LENGTH = 700
"""Maximum characters of each line of a result."""
MAX_QUERY_LENGTH = 256
"""Maximum characters of a query that the agent sends itself; longer than usual questions."""

NO_RESULTS = "no results"

Search = Callable[[str], Any]

_WEB = "Searches the web. For what is newer than your knowledge, or may have changed."


def make_web_tool(web: str | Search | Tool) -> Tool:
    """Make the tool `web_search` from a function (query to text or list of results) or from the URL of an endpoint.

    >>> found = [{"title": "Tram strike", "url": "https://example.org/1", "content": "Until Friday."}]
    >>> make_web_tool(lambda query: found).run('{"query": "tram strike"}')
    'Tram strike\\nhttps://example.org/1\\nUntil Friday.'
    """
    if isinstance(web, Tool):
        return web
    search = _endpoint(web) if isinstance(web, str) else web
    if not callable(search):
        raise ConfigError(f"web must be a function from a query to results, or the URL of an endpoint, not {web!r}")

    def web_search(query: Annotated[str, "What to look for, in a few words."]) -> str:
        if not query.strip():
            raise ToolError("Error: the query is empty")
        return format_results(search(query))

    return Tool.of(web_search, name=TOOL_NAME, description=_WEB)


def _endpoint(url: str) -> Search:
    # Imported here so that users of other searches do not load an HTTP library.
    from keepsaid.agent.searxng import make_searxng_search

    return make_searxng_search(url)


# -- results as text


def format_results(found: Any) -> str:
    """Format search results as text: the title, URL, date and content of each.

    >>> format_results(["one", DocumentSnippet("two", "https://example.org/2")])
    'one\\n\\nhttps://example.org/2\\ntwo'
    """
    if isinstance(found, str):
        return found if found.strip() else NO_RESULTS
    if found is None:
        return NO_RESULTS
    if not isinstance(found, Iterable) or isinstance(found, (bytes, Mapping)):
        raise ToolError(f"Error: the web search returned a {type(cast('Any', found)).__name__}, not text or a list")
    texts: list[str] = []
    for one in cast("Iterable[Any]", found):
        if text := _format_result(one):
            texts.append(text)
        if len(texts) == MAX_RESULTS:
            break
    return "\n\n".join(texts) or NO_RESULTS


def _format_result(one: Any) -> str:
    if isinstance(one, str):
        return replace_invalid_characters(one.strip())[:MAX_RESULT_LENGTH]
    if isinstance(one, DocumentSnippet):
        lines = [one.source, one.place, one.text]
    elif isinstance(one, Mapping):
        lines = _mapping_lines(cast("Mapping[str, Any]", one))
    else:
        return ""
    return "\n".join(
        replace_invalid_characters(line)[:MAX_RESULT_LENGTH] for line in (" ".join(line.split()) for line in lines) if line
    )


def _mapping_lines(one: Mapping[str, Any]) -> list[str]:
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

_FIRST_PERSON = EnglishPattern(r"\b(?:i|i['’](?:m|ve|d|ll)|my|me|mine|we|our|us)\b")


def wants_search(text: str, kind: QuestionKind) -> bool:
    """Whether a message asks for current information. Statements of users about themselves are never sent.

    >>> wants_search("Latest news about the strike", "statement"), wants_search("Today I saw my doctor.", "statement")
    (True, False)
    """
    return wants_recent(text) and (kind != "statement" or _FIRST_PERSON.search(text) is None)


def build_search_query(text: str) -> str:
    """Return the query for a message: for a long one, its sentences that ask for something recent.

    >>> build_search_query("  What is the latest on the strike? ")
    'What is the latest on the strike?'
    """
    text = " ".join(text.split())
    if len(text) > MAX_QUERY_LENGTH:
        recent = [sentence for sentence in split_sentences(text) if wants_recent(sentence)]
        text = " ".join(recent) or text
    return text if len(text) <= MAX_QUERY_LENGTH else text[:MAX_QUERY_LENGTH].rsplit(" ", 1)[0]


def build_search_call(query: str, tool: str, message_id: str) -> ToolCall:
    """Return the tool call for a search that the agent makes itself; `message_id` is the id of the message that it is for.

    >>> build_search_call("tram strike", "web_search", "m1").arguments
    '{"query": "tram strike"}'
    """
    return ToolCall(f"call_{message_id[-12:]}", tool, json.dumps({"query": query}, ensure_ascii=False))
