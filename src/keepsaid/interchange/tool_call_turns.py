"""Split a message with tool calls in its middle into the messages that a model would see: text, calls, results, text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from keepsaid.interchange.assemble import content_of
from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.parts import call_of, part_of, parts_of
from keepsaid.interchange.values import as_object, details, first_value, name_of, text_of
from keepsaid.types import ContentPart, MessageDraft, Role, ToolCall

IGNORED_BLOCKS = frozenset(("token_budget", "flag", "agent_update", "agent_handoff"))
"""Types of blocks that are internal to a program."""


class TurnBuilder:
    """Collects the parts of one message in order, and splits them into messages.

    >>> turns = TurnBuilder("m1", MessageDraft("assistant"))
    >>> turns.say(ContentPart("text", "Let me look."))
    >>> turns.call(ToolCall("c1", "weather"))
    >>> turns.result("c1", None, "Rain", {})
    >>> turns.say(ContentPart("text", "It rains."))
    >>> [(draft.role, draft.content, draft.tool_call_id) for draft in turns.build_drafts()]
    [('assistant', 'Let me look.', None), ('tool', 'Rain', 'c1'), ('assistant', 'It rains.', None)]
    """

    def __init__(self, id: str, blank: MessageDraft) -> None:
        self.blank = blank
        self._id = id
        self._drafts: list[MessageDraft] = []
        self._parts: list[ContentPart] = []
        self._calls: list[ToolCall] = []
        self._open: dict[str, ToolCall] = {}
        self._called: set[str] = set()

    @property
    def next_call(self) -> str:
        """The id for the next call if it has none."""
        return f"{self._id}:call:{len(self._called) + 1}"

    def say(self, part: ContentPart | None) -> None:
        """Add a content part."""
        if part is not None:
            self._parts.append(part)

    def call(self, call: ToolCall | None) -> None:
        """Add a tool call. Some exports contain a call twice, as a block and in a separate list."""
        if call is not None and call.id not in self._called:
            self._called.add(call.id)
            self._calls.append(call)
            self._open[call.id] = call

    def result(
        self, id: str | None, name: str | None, content: str | tuple[ContentPart, ...], metadata: Mapping[str, Any]
    ) -> None:
        """Add a tool result for the call with this id, or for the first call without a result."""
        self._flush()
        answered = id if id is not None else next(iter(self._open), None)
        call = self._open.pop(answered, None) if answered is not None else None
        name = name or (call.name if call else None)
        moment = self.blank.created_at
        answer = MessageDraft(
            "tool", content, tool_call_id=answered, name=name, metadata=metadata or None, created_at=moment
        )
        self._drafts.append(answer)

    def build_drafts(self) -> list[MessageDraft]:
        """Return the messages."""
        self._flush()
        return self._drafts

    def _flush(self) -> None:
        content = content_of(self._parts)
        if content or self._calls:
            role = Role.ASSISTANT.value if self._calls else self.blank.role
            self._drafts.append(replace(self.blank, role=role, content=content, tool_calls=tuple(self._calls)))
        self._parts, self._calls = [], []


def take_block(turns: TurnBuilder, block: Any, tally: ImportTally) -> None:
    """Add a block of content: a part, a call or a result.

    >>> turns = TurnBuilder("m1", MessageDraft("assistant"))
    >>> take_block(turns, {"type": "tool_use", "name": "weather", "input": {}}, ImportTally())
    >>> turns.build_drafts()[0].tool_calls
    (ToolCall(id='m1:call:1', name='weather', arguments='{}'),)
    """
    fields = as_object(block)
    kind = text_of(fields.get("type"), tally)
    if kind.endswith("tool_use"):
        turns.call(call_of(fields, turns.next_call, tally))
    elif kind.endswith("tool_result"):
        content = content_of(parts_of(fields.get("content"), tally))
        metadata = details(tally, error=fields.get("is_error"))
        asked = name_of(first_value(fields, "tool_use_id", "tool_call_id"), tally)
        turns.result(asked, name_of(fields.get("name"), tally), content, metadata)
    elif kind not in IGNORED_BLOCKS:
        turns.say(part_of(block, tally))
