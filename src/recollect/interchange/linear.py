"""Conversations without branches, whose messages have the shape that OpenAI gave them and many programs took over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.interchange.assemble import Head, assemble, content_of, each, role_of, spoken
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.parts import REASONING, call_of, called_within, calls_of, parts_of
from recollect.interchange.tree import Raw, chained
from recollect.interchange.turns import Turns, take_block
from recollect.interchange.values import Record, details, first, listed, moment_of, name_of, record, text_of
from recollect.types import Draft, Role

PROMPT = "system messages, kept as the session's system prompt"
Named = tuple[str, Record]
"""A message with its id."""
_TIMES = ("created_at", "timestamp", "created", "create_time", "createdAt", "time", "date")


def lined_up(head: Head, messages: Iterable[Named], tally: Tally) -> Conversation | None:
    """The conversation; a system message at its beginning is its system prompt.

    >>> messages = [("m1", {"role": "system", "content": "Be kind."}), ("m2", {"role": "user", "content": "Hi"})]
    >>> made = lined_up(Head("c1", "chat-jsonl"), messages, Tally())
    >>> made.system_prompt, [node.draft.content for node in made.nodes]
    ('Be kind.', ['Hi'])
    """
    line = list(messages)
    prompt = _prompt(line[0][1], tally) if line and not head.system_prompt else ""
    if prompt:
        tally.mend(PROMPT)
        line = line[1:]
        head = head._replace(system_prompt=prompt)
    unanswered: dict[str, str] = {}
    raws = each(line, lambda _, message: _raw(*message, unanswered, tally), head.id, tally)
    return assemble(head, chained(raws), tally)


def _prompt(message: Record, tally: Tally) -> str:
    if role_of(message.get("role")) is not Role.SYSTEM:
        return ""
    content = content_of(parts_of(message.get("content"), Tally()))
    return text_of(content, tally) if isinstance(content, str) else ""


def _raw(id: str, message: Record, unanswered: dict[str, str], tally: Tally) -> Raw:
    said = next((moment for key in _TIMES if (moment := moment_of(message.get(key)))), None)
    kept = details(tally, **{"model": message.get("model"), **record(message.get("metadata"))})
    blank = spoken(message.get("role"), Draft("user", metadata=kept or None, created_at=said), tally)
    if blank.role == Role.TOOL:
        content = content_of(parts_of(message.get("content"), tally))
        name = name_of(message.get("name"), tally)
        asked = name_of(message.get("tool_call_id"), tally) or _asked(name, unanswered)
        unanswered.pop(asked or "", None)
        return Raw(id, None, (replace(blank, content=content, tool_call_id=asked, name=name),))
    turns = Turns(id, replace(blank, name=name_of(message.get("name"), tally)))
    _take(turns, id, message, tally)
    drafts = turns.finished() or [blank]
    unanswered.update({call.id: call.name for draft in drafts for call in draft.tool_calls})
    return Raw(id, None, tuple(drafts))


def _take(turns: Turns, id: str, message: Record, tally: Tally) -> None:
    content = message.get("content")
    if message.get("reasoning_content"):
        tally.skip(REASONING)
    for block in listed(content) or [content]:
        take_block(turns, block, tally)
    calls = calls_of(message.get("tool_calls"), id, tally) or called_within(content, id, tally)
    for call in calls:
        turns.call(call)
    if not calls and message.get("function_call"):
        turns.call(call_of(message["function_call"], turns.next_call, tally))


def _asked(name: str | None, unanswered: dict[str, str]) -> str | None:
    """The call that a result without an id answers: the first open one of its name, else the first open one."""
    named = (id for id, called in unanswered.items() if called == name)
    return next(named, None) or next(iter(unanswered), None)


def message_id(conversation: str, message: Record, place: int, tally: Tally) -> str:
    """The message's own id, or one made of its place.

    >>> message_id("c1", {}, 3, Tally())
    'c1:3'
    """
    return name_of(first(message, "id", "message_id", "uuid"), tally) or f"{conversation}:{place}"
