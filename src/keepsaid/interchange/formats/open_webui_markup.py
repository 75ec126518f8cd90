"""The `<details>` elements in a message of Open WebUI: reasoning and tool calls, collapsed on the page."""

from __future__ import annotations

import html
import json
import re

from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.parts import REASONING, call_of
from keepsaid.interchange.tool_call_turns import TurnBuilder
from keepsaid.interchange.values import JsonObject
from keepsaid.types import ContentPart

_OPENED = re.compile(r'<details type="(reasoning|tool_calls|code_interpreter)"([^>]*+)>')
_CLOSED = "</details>"
_SUMMARY = re.compile(r"<summary>[^<]{0,500}</summary>")
_ATTRIBUTE = re.compile(r'([a-z_]{1,30})="([^"]*+)"')


def take_markup(turns: TurnBuilder, content: str, tally: ImportTally) -> None:
    """Add the text outside of the `<details>` elements, and the tool calls in them.

    >>> from keepsaid.types import MessageDraft
    >>> turns = TurnBuilder("m1", MessageDraft("assistant"))
    >>> call = '<details type="tool_calls" id="c1" name="f" result="&quot;7&quot;">\\n</details>'
    >>> take_markup(turns, call + "Seven.", ImportTally())
    >>> [(draft.role, draft.content) for draft in turns.build_drafts()]
    [('assistant', ''), ('tool', '7'), ('assistant', 'Seven.')]
    """
    at, last = 0, content.rfind(">") + 1
    # After the last ">" no element can start; searching there would take quadratic time.
    while tag := _OPENED.search(content, at, last):
        end = content.find(_CLOSED, tag.end())
        if end < 0:
            break
        _add_text(turns, content[at : tag.start()])
        inside = content[tag.end() : end]
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(tag[2])}
        if tag[1] == "reasoning":
            tally.skip(REASONING)
        elif tag[1] == "tool_calls" and attributes.get("name"):
            _take_call(turns, attributes, inside, tally)
        else:
            _add_text(turns, inside)
        at = end + len(_CLOSED)
    _add_text(turns, content[at:])


def _add_text(turns: TurnBuilder, text: str) -> None:
    if text.strip():
        turns.say(ContentPart("text", text.strip()))


def _take_call(turns: TurnBuilder, attributes: dict[str, str], inside: str, tally: ImportTally) -> None:
    fields: JsonObject = {**attributes, "arguments": _unpacked(attributes.get("arguments", ""))}
    call = call_of(fields, turns.next_call, tally)
    turns.call(call)
    result = attributes.get("result") or html.unescape(_SUMMARY.sub("", inside)).strip()
    if call is not None and result:
        turns.result(call.id, None, _unpacked(result), {})


def _unpacked(value: str) -> str:
    """The text in a JSON string; any other JSON stays as it is written."""
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, str) else value
