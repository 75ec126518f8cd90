"""The `<details>` in a message of Open WebUI: thoughts and calls of tools, folded away in the page that a user sees."""

from __future__ import annotations

import html
import json
import re

from recollect.interchange.nouns import Tally
from recollect.interchange.parts import REASONING, call_of
from recollect.interchange.turns import Turns
from recollect.interchange.values import Record
from recollect.types import Part

_OPENED = re.compile(r'<details type="(reasoning|tool_calls|code_interpreter)"([^>]*+)>')
_CLOSED = "</details>"
_SUMMARY = re.compile(r"\s*<summary>[^<]{0,500}</summary>\s*")
_ATTRIBUTE = re.compile(r'([a-z_]{1,30})="([^"]*+)"')


def take_markup(turns: Turns, content: str, tally: Tally) -> None:
    """Says what stands outside of the folds, and calls what stands in them.

    >>> from recollect.types import Draft
    >>> turns = Turns("m1", Draft("assistant"))
    >>> call = '<details type="tool_calls" id="c1" name="f" result="&quot;7&quot;">\\n</details>'
    >>> take_markup(turns, call + "Seven.", Tally())
    >>> [(draft.role, draft.content) for draft in turns.finished()]
    [('assistant', ''), ('tool', '7'), ('assistant', 'Seven.')]
    """
    at = 0
    while fold := _OPENED.search(content, at):
        end = content.find(_CLOSED, fold.end())
        if end < 0:
            break
        _say(turns, content[at : fold.start()])
        inside = content[fold.end() : end]
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(fold[2])}
        if fold[1] == "reasoning":
            tally.skip(REASONING)
        elif fold[1] == "tool_calls" and attributes.get("name"):
            _take_call(turns, attributes, inside, tally)
        else:
            _say(turns, inside)
        at = end + len(_CLOSED)
    _say(turns, content[at:])


def _say(turns: Turns, text: str) -> None:
    if text.strip():
        turns.say(Part("text", text.strip()))


def _take_call(turns: Turns, attributes: dict[str, str], inside: str, tally: Tally) -> None:
    fields: Record = {**attributes, "arguments": _unpacked(attributes.get("arguments", ""))}
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
