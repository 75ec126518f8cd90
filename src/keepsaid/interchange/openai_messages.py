"""Conversations without branches whose messages have the form of OpenAI's chat API, which many programs use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from keepsaid.interchange.assemble import (
    ConversationHeader,
    assemble_conversation,
    content_of,
    convert_each,
    role_of,
    with_role,
)
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.parts import REASONING, call_of, calls_in_content, calls_of, parts_of
from keepsaid.interchange.tool_call_turns import TurnBuilder, take_block
from keepsaid.interchange.tree import RawMessage, chain_messages
from keepsaid.interchange.values import JsonObject, as_list, as_object, datetime_of, details, first_value, name_of, text_of
from keepsaid.types import MessageDraft, Role, ToolCall

SYSTEM_PROMPT = "system messages, kept as the session's system prompt"
NamedMessage = tuple[str, JsonObject]
"""A message with its id."""
_TIMES = ("created_at", "timestamp", "created", "create_time", "createdAt", "time", "date")


def build_linear_conversation(
    head: ConversationHeader, messages: Iterable[NamedMessage], tally: ImportTally
) -> Conversation | None:
    """Build the conversation; a system message at its beginning becomes its system prompt.

    >>> messages = [("m1", {"role": "system", "content": "Be kind."}), ("m2", {"role": "user", "content": "Hi"})]
    >>> made = build_linear_conversation(ConversationHeader("c1", "chat-jsonl"), messages, ImportTally())
    >>> made.system_prompt, [node.draft.content for node in made.nodes]
    ('Be kind.', ['Hi'])
    """
    line = list(messages)
    prompt = _prompt(line[0][1], tally) if line and not head.system_prompt else ""
    if prompt:
        tally.repair(SYSTEM_PROMPT)
        line = line[1:]
        head = head._replace(system_prompt=prompt)
    unanswered = _OpenCalls()
    raws = convert_each(line, lambda _, message: _raw(*message, unanswered, tally), head.id, tally)
    return assemble_conversation(head, chain_messages(raws), tally)


def _prompt(message: JsonObject, tally: ImportTally) -> str:
    if role_of(message.get("role")) is not Role.SYSTEM:
        return ""
    content = content_of(parts_of(message.get("content"), ImportTally()))
    return text_of(content, tally) if isinstance(content, str) else ""


def _raw(id: str, message: JsonObject, unanswered: _OpenCalls, tally: ImportTally) -> RawMessage:
    created_at = next((moment for key in _TIMES if (moment := datetime_of(message.get(key)))), None)
    kept = details(tally, **{"model": message.get("model"), **as_object(message.get("metadata"))})
    blank = with_role(message.get("role"), MessageDraft("user", metadata=kept or None, created_at=created_at), tally)
    if blank.role == Role.TOOL:
        content = content_of(parts_of(message.get("content"), tally))
        name = name_of(message.get("name"), tally)
        asked = name_of(message.get("tool_call_id"), tally) or unanswered.first(name)
        unanswered.remove(asked)
        return RawMessage(id, None, (replace(blank, content=content, tool_call_id=asked, name=name),))
    turns = TurnBuilder(id, replace(blank, name=name_of(message.get("name"), tally)))
    _take(turns, id, message, tally)
    drafts = turns.build_drafts() or [blank]
    for draft in drafts:
        for call in draft.tool_calls:
            unanswered.add(call)
    return RawMessage(id, None, tuple(drafts))


def _take(turns: TurnBuilder, id: str, message: JsonObject, tally: ImportTally) -> None:
    content = message.get("content")
    if message.get("reasoning_content"):
        tally.skip(REASONING)
    for block in as_list(content) or [content]:
        take_block(turns, block, tally)
    calls = calls_of(message.get("tool_calls"), id, tally) or calls_in_content(content, id, tally)
    for call in calls:
        turns.call(call)
    if not calls and message.get("function_call"):
        turns.call(call_of(message["function_call"], turns.next_call, tally))


class _OpenCalls:
    """The tool calls without results, also by tool name."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._by_name: dict[str, dict[str, None]] = {}

    def add(self, call: ToolCall) -> None:
        """Add a call."""
        if call.id in self._names:
            self._by_name[self._names[call.id]].pop(call.id, None)
        self._names[call.id] = call.name
        self._by_name.setdefault(call.name, {})[call.id] = None

    def remove(self, id: str | None) -> None:
        """Remove a call that has a result now."""
        if id is not None and id in self._names:
            del self._by_name[self._names.pop(id)][id]

    def first(self, name: str | None) -> str | None:
        """The call for a result without an id: the first open one with its tool name, else the first open one."""
        named = self._by_name.get(name or "", {})
        return next(iter(named), None) or next(iter(self._names), None)


def message_id(conversation: str, message: JsonObject, place: int, tally: ImportTally) -> str:
    """The message's own id, or one derived from its position.

    >>> message_id("c1", {}, 3, ImportTally())
    'c1:3'
    """
    return name_of(first_value(message, "id", "message_id", "uuid"), tally) or f"{conversation}:{place}"
