"""ChatGPT's export: a tree of nodes for each conversation, in `conversations.json` or its shards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from keepsaid.interchange.assemble import (
    ConversationHeader,
    assemble_conversation,
    content_of,
    convert_each,
    role_of,
    with_role,
)
from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.formats.chatgpt_content import INSTRUCTIONS, THOUGHTS, parts_in, sources_in
from keepsaid.interchange.parts import files_of
from keepsaid.interchange.records import ByteProgress, read_conversations
from keepsaid.interchange.source import ImportFile
from keepsaid.interchange.tree import RawMessage
from keepsaid.interchange.values import (
    JsonObject,
    as_list,
    as_object,
    datetime_of,
    details,
    digest,
    first_value,
    json_text,
    name_of,
    text_of,
)
from keepsaid.types import MessageDraft, Role, ToolCall

NO_TREE = "conversations without a tree of messages"
HIDDEN = "hidden messages"
SYSTEM = "system messages"
REASONING_MESSAGES = "messages of reasoning"


def read(piece: ImportFile, tally: ImportTally, on_read: ByteProgress) -> Iterator[Conversation]:
    """Read the conversations of a file, with all their branches."""
    return read_conversations(piece, tally, on_read, convert, ["mapping"])


def convert(key: str | None, value: Any, tally: ImportTally) -> Conversation | None:
    """Convert one conversation of the export.

    >>> message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    >>> made = convert(None, {"id": "c1", "mapping": {"n1": {"message": message}}}, ImportTally())
    >>> made.id, [node.draft.content for node in made.nodes]
    ('c1', ['Hi'])
    """
    fields = as_object(value)
    mapping = as_object(fields.get("mapping"))
    if not mapping:
        tally.skip(NO_TREE)
        return None
    created = datetime_of(fields.get("create_time"))
    id = (
        name_of(first_value(fields, "conversation_id", "id"), tally) or f"chatgpt-{digest(str(created), sorted(mapping)[0])}"
    )
    graph = _build_graph(mapping, tally)
    raws = convert_each(graph.nodes, lambda _, node: _raw(node, graph, tally), id, tally)
    head = ConversationHeader(
        id,
        "chatgpt",
        fields.get("title"),
        created,
        datetime_of(fields.get("update_time")),
        name_of(fields.get("current_node"), tally),
        archived=fields.get("is_archived") is True,
        pinned=fields.get("is_starred") is True,
        metadata=details(tally, model=fields.get("default_model_slug"), gizmo=fields.get("gizmo_id")),
    )
    return assemble_conversation(head, raws, tally)


@dataclass(frozen=True, slots=True)
class _MessageGraph:
    """A conversation's messages by node (empty for a node without one), the parents of nodes, and the tool calls."""

    nodes: Mapping[str, JsonObject]
    parents: Mapping[str, str]
    calls: Mapping[str, ToolCall]
    answered: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """The call for each node between a call and its results: a cache, so that a long chain is walked only once."""

    def role(self, node: str) -> Role | None:
        return role_of(_author(self.nodes.get(node, {})).get("role"))


def _build_graph(mapping: JsonObject, tally: ImportTally) -> _MessageGraph:
    nodes = {name_of(key, tally) or digest(key): as_object(as_object(node).get("message")) for key, node in mapping.items()}
    calls = {key: call for key, message in nodes.items() if (call := _call(key, message, tally)) is not None}
    return _MessageGraph(nodes, _parents(mapping, tally), calls)


def _parents(mapping: JsonObject, tally: ImportTally) -> dict[str, str]:
    """The parent of each node: from the node's own `parent`, or else from the `children` of other nodes."""
    parents: dict[str, str] = {}
    for key, node in mapping.items():
        for child in as_list(as_object(node).get("children")):
            parents.setdefault(text_of(child, tally), key)
    for key, node in mapping.items():
        parent = name_of(as_object(node).get("parent"), tally)
        if parent is not None and (parent in mapping or key not in parents):
            parents[key] = parent
    return parents


def _author(message: JsonObject) -> JsonObject:
    return as_object(message.get("author")) or {"role": message.get("role")}


def _kind(message: JsonObject) -> object:
    kind = as_object(message.get("content")).get("content_type")
    return kind if isinstance(kind, str) else None


def _raw(node: str, graph: _MessageGraph, tally: ImportTally) -> RawMessage:
    message = graph.nodes[node]
    passed_over = _reason_to_skip(message)
    if passed_over:
        tally.skip(passed_over)
    drafts = (_draft(node, message, graph, tally),) if message and not passed_over else ()
    return RawMessage(node, graph.parents.get(node), drafts)


def _reason_to_skip(message: JsonObject) -> str | None:
    hidden = as_object(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    if hidden or _kind(message) in INSTRUCTIONS:
        return HIDDEN
    if role_of(_author(message).get("role")) is Role.SYSTEM:
        return SYSTEM
    return REASONING_MESSAGES if _kind(message) in THOUGHTS else None


def _draft(node: str, message: JsonObject, graph: _MessageGraph, tally: ImportTally) -> MessageDraft:
    metadata = as_object(message.get("metadata"))
    status = message.get("status")
    kept = details(
        tally,
        model=metadata.get("model_slug"),
        sources=sources_in(metadata, tally),
        status=None if status == "finished_successfully" else status,
    )
    created_at = datetime_of(message.get("create_time")) or datetime_of(message.get("update_time"))
    blank = MessageDraft("assistant", metadata=kept or None, created_at=created_at)
    if node in graph.calls:
        return replace(blank, tool_calls=(graph.calls[node],))
    parts = parts_in(as_object(message.get("content")), tally)
    shown = " ".join(part.uri for part in parts if part.uri)
    attached = files_of(metadata.get("attachments"), tally)
    parts += [part for part in attached if not part.uri or part.uri not in shown]
    draft = with_role(_author(message).get("role"), replace(blank, content=content_of(parts)), tally)
    if draft.role != Role.TOOL:
        return draft
    return replace(draft, name=name_of(_author(message).get("name"), tally), tool_call_id=_find_call(node, graph))


def _call(node: str, message: JsonObject, tally: ImportTally) -> ToolCall | None:
    """Convert an assistant's message to another recipient than the user: it is a tool call."""
    recipient = name_of(message.get("recipient"), tally)
    if recipient in (None, "all") or role_of(_author(message).get("role")) is not Role.ASSISTANT:
        return None
    parts = parts_in(as_object(message.get("content")), tally)
    text = "\n".join(part.text for part in parts if part.text)
    label = "code" if _kind(message) == "code" else "input"
    return ToolCall(node, recipient, text if _is_object(text) else json_text({label: text}, tally))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _find_call(node: str, graph: _MessageGraph) -> str | None:
    """The call of a tool's message: the nearest one above it, if there are only tool messages and reasoning between."""
    seen = {node}
    above = graph.parents.get(node)
    call: str | None = None
    while above is not None and above not in seen:
        if above in graph.answered:
            call = graph.answered[above]
            break
        if above in graph.calls:
            call = graph.calls[above].id
            break
        if graph.role(above) not in (Role.TOOL, Role.SYSTEM) and _kind(graph.nodes.get(above, {})) not in THOUGHTS:
            break
        seen.add(above)
        above = graph.parents.get(above)
    graph.answered.update(dict.fromkeys(seen - {node}, call))
    return call
