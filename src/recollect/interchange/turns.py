"""A message that calls tools in its middle: said, called, answered, said on. It becomes the messages a model would see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recollect.interchange.assemble import content_of
from recollect.interchange.nouns import Tally
from recollect.interchange.parts import call_of, part_of, parts_of
from recollect.interchange.values import details, first, name_of, record, text_of
from recollect.types import Draft, Part, Role, ToolCall

UNSAID = frozenset(("token_budget", "flag", "agent_update", "agent_handoff"))
"""Blocks that are notes of the program to itself."""


class Turns:
    """Takes the pieces of one message in their order.

    >>> turns = Turns("m1", Draft("assistant"))
    >>> turns.say(Part("text", "Let me look."))
    >>> turns.call(ToolCall("c1", "weather"))
    >>> turns.result("c1", None, "Rain", {})
    >>> turns.say(Part("text", "It rains."))
    >>> [(draft.role, draft.content, draft.tool_call_id) for draft in turns.finished()]
    [('assistant', 'Let me look.', None), ('tool', 'Rain', 'c1'), ('assistant', 'It rains.', None)]
    """

    def __init__(self, id: str, blank: Draft) -> None:
        self.blank = blank
        self._id = id
        self._drafts: list[Draft] = []
        self._parts: list[Part] = []
        self._calls: list[ToolCall] = []
        self._open: dict[str, ToolCall] = {}
        self._called: set[str] = set()

    @property
    def next_call(self) -> str:
        """The id for a call that has none."""
        return f"{self._id}:call:{len(self._called) + 1}"

    def say(self, part: Part | None) -> None:
        """Something said, or shown."""
        if part is not None:
            self._parts.append(part)

    def call(self, call: ToolCall | None) -> None:
        """A tool is asked for something. Some exports tell of a call twice, as a block and apart."""
        if call is not None and call.id not in self._called:
            self._called.add(call.id)
            self._calls.append(call)
            self._open[call.id] = call

    def result(self, id: str | None, name: str | None, content: str | tuple[Part, ...], metadata: Mapping[str, Any]) -> None:
        """A tool answers: the call of this id, or the first one that nothing answered yet."""
        self._flush()
        answered = id if id is not None else next(iter(self._open), None)
        call = self._open.pop(answered, None) if answered is not None else None
        name = name or (call.name if call else None)
        moment = self.blank.created_at
        answer = Draft("tool", content, tool_call_id=answered, name=name, metadata=metadata or None, created_at=moment)
        self._drafts.append(answer)

    def finished(self) -> list[Draft]:
        """The messages."""
        self._flush()
        return self._drafts

    def _flush(self) -> None:
        content = content_of(self._parts)
        if content or self._calls:
            role = Role.ASSISTANT.value if self._calls else self.blank.role
            self._drafts.append(replace(self.blank, role=role, content=content, tool_calls=tuple(self._calls)))
        self._parts, self._calls = [], []


def take_block(turns: Turns, block: Any, tally: Tally) -> None:
    """Takes a block of content: something said, a call, or a result.

    >>> turns = Turns("m1", Draft("assistant"))
    >>> take_block(turns, {"type": "tool_use", "name": "weather", "input": {}}, Tally())
    >>> turns.finished()[0].tool_calls
    (ToolCall(id='m1:call:1', name='weather', arguments='{}'),)
    """
    fields = record(block)
    kind = text_of(fields.get("type"), tally)
    if kind.endswith("tool_use"):
        turns.call(call_of(fields, turns.next_call, tally))
    elif kind.endswith("tool_result"):
        content = content_of(parts_of(fields.get("content"), tally))
        metadata = details(tally, error=fields.get("is_error"))
        asked = name_of(first(fields, "tool_use_id", "tool_call_id"), tally)
        turns.result(asked, name_of(fields.get("name"), tally), content, metadata)
    elif kind not in UNSAID:
        turns.say(part_of(block, tally))
