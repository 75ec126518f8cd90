"""Translate Chainlit's steps and elements to messages, and back, without I/O.

A message step becomes a message. A finished tool step becomes two: the call and its result. The images and files of a step
are parts of its message. The other fields of a step are kept in the metadata of its first message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from keepsaid.adapters.common import find_original, keep_original_if_lossy, strip_adapter_data
from keepsaid.types import ContentPart, Message, MessageDraft, Role, ToolCall

Step = dict[str, Any]
Element = dict[str, Any]

ADAPTER = "chainlit"

ROLES = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}
TYPES = {role: type for type, role in ROLES.items()}
TOOL = "tool"

ELEMENT_KINDS = {"image": "image", "audio": "audio", "video": "video", "pdf": "file", "file": "file", "text": "file"}
"""Types of elements that are message content, and the kind of part of each. Other elements are only for display."""

UNNAMED = "tool"
MAX_NAME_LENGTH = 200
PLAIN_INPUT = "plainInput"
"""Key in the metadata of a tool call whose input was plain text; its arguments have the text under `input`."""


@dataclass(frozen=True)
class ConversationStep:
    """A step that is in the conversation: its messages, and their parts besides text."""

    step: Step
    messages: tuple[str, ...]
    parts: tuple[ContentPart, ...] = ()
    is_combined: bool = False
    """Whether another adapter saved it in the same message as something else, so that it cannot be changed separately."""


# -- to drafts


def is_conversation_step(step: Step, parts: Sequence[ContentPart]) -> bool:
    """Whether a step belongs to the conversation yet: a message with content, or a tool that has finished.

    >>> (is_conversation_step({"type": "tool", "output": ""}, ()),
    ...  is_conversation_step({"type": "tool", "output": "", "end": "2026-05-01"}, ()))
    (False, True)
    """
    if step.get("type") == TOOL:
        return bool(step.get("output") or step.get("end") or parts)
    return step.get("type") in ROLES and bool(step.get("output") or parts)


def drafts_of(step: Step, parts: Sequence[ContentPart] = ()) -> list[MessageDraft]:
    """Return a step as drafts: one message, or the call and the result of a tool.

    >>> [draft.role for draft in drafts_of({"id": "s1", "type": "tool", "name": "weather", "output": "21 °C"})]
    ['assistant', 'tool']
    """
    first, *others = _drafts(step, parts)
    return [keep_original_if_lossy(first, _extra_fields(step), lambda stored: {}, ADAPTER), *others]


def element_to_part(element: Element) -> ContentPart | None:
    """Return an element as a part of its message; None if it is only for display.

    >>> element_to_part({"id": "e1", "type": "image", "name": "cat", "url": "https://example.org/cat.png"}).uri
    'https://example.org/cat.png'
    """
    kind = ELEMENT_KINDS.get(str(element.get("type")))
    if kind is None:
        return None
    url, mime, name = (element.get(field) or None for field in ("url", "mime", "name"))
    return ContentPart(kind, None, url, mime, name, {ADAPTER: element["id"]})


def is_chainlit_part(part: ContentPart) -> bool:
    """Whether a part stands for an element that this adapter saved."""
    return isinstance((part.data or {}).get(ADAPTER), str)


def _drafts(step: Step, parts: Sequence[ContentPart]) -> list[MessageDraft]:
    output, own = _text(step.get("output")), _own_step_metadata(step)
    content = (*((ContentPart("text", output),) if output else ()), *parts) if parts else output
    begun = _parse_time(step.get("createdAt"))
    if step["type"] != TOOL:
        return [MessageDraft(ROLES[step["type"]], content, metadata=own, created_at=begun)]
    name = _text(step.get("name")).replace("\0", "").strip()[:MAX_NAME_LENGTH] or UNNAMED
    call = ToolCall(step["id"], name, _arguments(step))
    result = MessageDraft(
        "tool", content, tool_call_id=call.id, name=name, created_at=_parse_time(step.get("end") or step.get("createdAt"))
    )
    return [MessageDraft("assistant", tool_calls=(call,), metadata=own, created_at=begun), result]


def _extra_fields(step: Step) -> Step:
    """Return the fields of a step that its messages do not have."""
    said = ["output", "threadId"]
    if _own_step_metadata(step) is not None:
        said.append("metadata")
    if step["type"] == TOOL and step.get("input"):
        said.append("input")
    beside = {name: value for name, value in step.items() if name not in said}
    if step["type"] == TOOL and "input" not in said:
        beside.setdefault("input", "")
    return {**beside, PLAIN_INPUT: True} if _is_plain(step) else beside


def _own_step_metadata(step: Step) -> dict[str, Any] | None:
    """Return the step's metadata if it can be the message's metadata."""
    metadata: dict[str, Any] | None = step.get("metadata")
    return metadata if metadata and strip_adapter_data(metadata) == metadata else None


def _is_plain(step: Step) -> bool:
    return step["type"] == TOOL and bool(step.get("input")) and _object(_text(step["input"])) is None


def _arguments(step: Step) -> str:
    given = _text(step.get("input"))
    return json.dumps({"input": given}, ensure_ascii=False) if _is_plain(step) else given or "{}"


def _text(value: Any) -> str:
    """Return a field of a step as text. Chainlit's own values are texts, but applications may pass any value."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


# -- to steps


def steps_of(messages: Iterable[Message]) -> dict[str, ConversationStep]:
    """Return the steps that messages stand for, by id. If a step was saved several times, the last one counts."""
    found: dict[str, ConversationStep] = {}
    every = list(messages)
    results = {message.tool_call_id: message for message in every if message.role is Role.TOOL}
    answered: set[str | None] = set()
    for message in every:
        if message.role is Role.TOOL and message.tool_call_id in answered:
            continue
        answered.update(call.id for call in message.tool_calls)
        for conversation_step in _conversation_steps(message, results):
            found.pop(conversation_step.step["id"], None)
            found[conversation_step.step["id"]] = conversation_step
    return found


def elements_of(step: ConversationStep, thread: str) -> list[Element]:
    """Return the images and files of a step as elements."""
    return [
        _element(part, number, step.step["id"], thread)
        for number, part in enumerate(step.parts)
        if part.uri or is_chainlit_part(part)
    ]


def _conversation_steps(message: Message, results: Mapping[str | None, Message]) -> list[ConversationStep]:
    results_here = [results[call.id] for call in message.tool_calls if call.id in results]
    besides = _nontext_parts(message)
    kept = find_original(message, ADAPTER, lambda kept: _drafts(_original_step(kept, message, results_here), besides)[0])
    if kept is not None:
        told_by = [message, *results_here]
        return [ConversationStep(_original_step(kept, message, results_here), _ids(told_by), _nontext_parts(told_by[-1]))]
    if message.role is Role.TOOL:
        return [
            ConversationStep(
                _tool_step(message, message.id, message.name, "", message), (message.id,), _nontext_parts(message)
            )
        ]
    # A message of another adapter is kept and erased as one.
    ids, fixed = _ids([message, *results_here]), bool(message.tool_calls)
    steps: list[ConversationStep] = []
    if message.text or message.parts or not fixed:
        steps.append(ConversationStep(_spoken_step(message), ids, _nontext_parts(message), fixed))
    for number, call in enumerate(message.tool_calls):
        result = results.get(call.id)
        step = _tool_step(message, f"{message.id}.{number}", call.name, call.arguments, result)
        steps.append(ConversationStep(step, ids, () if result is None else _nontext_parts(result), fixed))
    return steps


def _ids(messages: Iterable[Message]) -> tuple[str, ...]:
    return tuple(message.id for message in messages)


def _original_step(kept: Any, message: Message, results: Sequence[Message]) -> Step:
    """Return the step of a message that this adapter saved, from its content and metadata."""
    step: Step = {"metadata": strip_adapter_data(message.metadata), **{key: kept[key] for key in kept if key != PLAIN_INPUT}}
    if step["type"] != TOOL:
        return {**step, "id": str(kept["id"]), "output": message.text}
    (call,) = message.tool_calls
    given = (_object(call.arguments) or {}).get("input") if kept.get(PLAIN_INPUT) else call.arguments
    return {"input": given, **step, "id": call.id, "output": results[0].text if results else ""}


def _spoken_step(message: Message) -> Step:
    return {**_base_step(message), "name": message.name or str(message.role).title(), "type": TYPES[message.role.value]}


def _tool_step(message: Message, id: str, name: str | None, arguments: str, result: Message | None) -> Step:
    ended = format_time(message.created_at if result is None else result.created_at)
    words = {"input": arguments, "output": "" if result is None else result.text}
    return {
        **_base_step(message),
        **words,
        "id": id,
        "type": TOOL,
        "name": name or UNNAMED,
        "showInput": "json",
        "end": ended,
    }


def _base_step(message: Message) -> Step:
    """Return the fields that all steps from other adapters have."""
    said = format_time(message.created_at)
    return {
        "id": message.id, "parentId": None, "streaming": False, "isError": False, "waitForAnswer": False, "tags": None,
        "metadata": strip_adapter_data(message.metadata), "input": "", "output": message.text, "createdAt": said,
        "start": said, "end": said, "language": None, "generation": None,
    }  # fmt: skip


def _nontext_parts(message: Message) -> tuple[ContentPart, ...]:
    return tuple(part for part in message.parts if part.kind != "text")


def _element(part: ContentPart, number: int, step: str, thread: str) -> Element:
    return {
        "id": part.data[ADAPTER] if part.data and is_chainlit_part(part) else f"{step}.{number}", "threadId": thread,
        "forId": step, "type": _type(part), "url": part.uri, "name": part.name or part.kind, "mime": part.media_type,
        "display": "inline",
        "chainlitKey": None, "objectKey": None, "size": None, "page": None, "language": None, "props": None,
        "autoPlay": None, "playerConfig": None,
    }  # fmt: skip


def _type(part: ContentPart) -> str:
    if part.kind in ("image", "audio", "video"):
        return part.kind
    return "pdf" if part.media_type == "application/pdf" else "file"


# -- times


def format_time(moment: datetime) -> str:
    """Format a time as Chainlit does.

    >>> format_time(datetime(2026, 5, 1, tzinfo=UTC))
    '2026-05-01T00:00:00Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _parse_time(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def step_time(step: Step) -> datetime:
    """Return the start time of a step, by which the steps of a thread are ordered."""
    return _parse_time(step.get("createdAt") or step.get("start")) or datetime.min.replace(tzinfo=UTC)
