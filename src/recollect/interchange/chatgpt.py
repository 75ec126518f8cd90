"""ChatGPT's export: a tree of nodes for each conversation, in `conversations.json` or its shards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.interchange.assemble import Head, assemble, content_of, each, role_of, spoken
from recollect.interchange.chatgpt_content import INSTRUCTIONS, THOUGHTS, parts_in, sources_in
from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.parts import files_of
from recollect.interchange.records import Told, conversations
from recollect.interchange.source import Piece
from recollect.interchange.tree import Raw
from recollect.interchange.values import (
    Record,
    details,
    digest,
    first,
    json_text,
    listed,
    moment_of,
    name_of,
    record,
    text_of,
)
from recollect.types import Draft, Role, ToolCall

NO_TREE = "conversations without a tree of messages"
HIDDEN = "hidden messages"
SYSTEM = "system messages"
REASONED = "messages of reasoning"


def read(piece: Piece, tally: Tally, told: Told) -> Iterator[Conversation]:
    """The conversations of a file, with all their branches."""
    return conversations(piece, tally, told, convert, ["mapping"])


def convert(key: str | None, value: Any, tally: Tally) -> Conversation | None:
    """One conversation of the export.

    >>> message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    >>> made = convert(None, {"id": "c1", "mapping": {"n1": {"message": message}}}, Tally())
    >>> made.id, [node.draft.content for node in made.nodes]
    ('c1', ['Hi'])
    """
    fields = record(value)
    mapping = record(fields.get("mapping"))
    if not mapping:
        tally.skip(NO_TREE)
        return None
    created = moment_of(fields.get("create_time"))
    id = name_of(first(fields, "conversation_id", "id"), tally) or f"chatgpt-{digest(str(created), sorted(mapping)[0])}"
    talk = _talk(mapping, tally)
    raws = each(talk.nodes, lambda _, node: _raw(node, talk, tally), id, tally)
    head = Head(
        id,
        "chatgpt",
        fields.get("title"),
        created,
        moment_of(fields.get("update_time")),
        name_of(fields.get("current_node"), tally),
        archived=fields.get("is_archived") is True,
        pinned=fields.get("is_starred") is True,
        metadata=details(tally, model=fields.get("default_model_slug"), gizmo=fields.get("gizmo_id")),
    )
    return assemble(head, raws, tally)


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation's messages by their nodes (empty for a node that has none), who follows whom, and who calls what."""

    nodes: Mapping[str, Record]
    parents: Mapping[str, str]
    calls: Mapping[str, ToolCall]

    def role(self, node: str) -> Role | None:
        return role_of(_author(self.nodes.get(node, {})).get("role"))


def _talk(mapping: Record, tally: Tally) -> _Talk:
    nodes = {name_of(key, tally) or digest(key): record(record(node).get("message")) for key, node in mapping.items()}
    calls = {key: call for key, message in nodes.items() if (call := _call(key, message, tally)) is not None}
    return _Talk(nodes, _parents(mapping, tally), calls)


def _parents(mapping: Record, tally: Tally) -> dict[str, str]:
    """Who follows whom: what a node says of its parent; where that is nobody, what others say of their children."""
    parents: dict[str, str] = {}
    for key, node in mapping.items():
        for child in listed(record(node).get("children")):
            parents.setdefault(text_of(child, tally), key)
    for key, node in mapping.items():
        said = name_of(record(node).get("parent"), tally)
        if said is not None and (said in mapping or key not in parents):
            parents[key] = said
    return parents


def _author(message: Record) -> Record:
    return record(message.get("author")) or {"role": message.get("role")}


def _kind(message: Record) -> object:
    kind = record(message.get("content")).get("content_type")
    return kind if isinstance(kind, str) else None


def _raw(node: str, talk: _Talk, tally: Tally) -> Raw:
    message = talk.nodes[node]
    passed_over = _reason_to_pass_over(message)
    if passed_over:
        tally.skip(passed_over)
    drafts = (_draft(node, message, talk, tally),) if message and not passed_over else ()
    return Raw(node, talk.parents.get(node), drafts)


def _reason_to_pass_over(message: Record) -> str | None:
    hidden = record(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    if hidden or _kind(message) in INSTRUCTIONS:
        return HIDDEN
    if role_of(_author(message).get("role")) is Role.SYSTEM:
        return SYSTEM
    return REASONED if _kind(message) in THOUGHTS else None


def _draft(node: str, message: Record, talk: _Talk, tally: Tally) -> Draft:
    metadata = record(message.get("metadata"))
    status = message.get("status")
    kept = details(
        tally,
        model=metadata.get("model_slug"),
        sources=sources_in(metadata, tally),
        status=None if status == "finished_successfully" else status,
    )
    said = moment_of(message.get("create_time")) or moment_of(message.get("update_time"))
    blank = Draft("assistant", metadata=kept or None, created_at=said)
    if node in talk.calls:
        return replace(blank, tool_calls=(talk.calls[node],))
    parts = parts_in(record(message.get("content")), tally)
    shown = " ".join(part.uri for part in parts if part.uri)
    attached = files_of(metadata.get("attachments"), tally)
    parts += [part for part in attached if not part.uri or part.uri not in shown]
    draft = spoken(_author(message).get("role"), replace(blank, content=content_of(parts)), tally)
    if draft.role != Role.TOOL:
        return draft
    return replace(draft, name=name_of(_author(message).get("name"), tally), tool_call_id=_answered(node, talk))


def _call(node: str, message: Record, tally: Tally) -> ToolCall | None:
    """What the assistant says to somebody else than the user is a call of a tool."""
    recipient = name_of(message.get("recipient"), tally)
    if recipient in (None, "all") or role_of(_author(message).get("role")) is not Role.ASSISTANT:
        return None
    parts = parts_in(record(message.get("content")), tally)
    text = "\n".join(part.text for part in parts if part.text)
    label = "code" if _kind(message) == "code" else "input"
    return ToolCall(node, recipient, text if _is_object(text) else json_text({label: text}, tally))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _answered(node: str, talk: _Talk) -> str | None:
    """The call that a tool's message answers: the nearest one above it, if only tools and thoughts stand between."""
    seen = {node}
    above = talk.parents.get(node)
    while above is not None and above not in seen:
        if above in talk.calls:
            return talk.calls[above].id
        if talk.role(above) not in (Role.TOOL, Role.SYSTEM) and _kind(talk.nodes.get(above, {})) not in THOUGHTS:
            return None
        seen.add(above)
        above = talk.parents.get(above)
    return None
