"""Chainlit's steps and elements in our words, and back: pure translation.

A step that is a message is a message; a tool that has answered is two, its call and its result. The pictures and files of a
step are parts of it. What else a step has is kept beside its first message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from recollect.adapters.common import faithful, original_of, own_metadata
from recollect.types import Draft, Message, Part, Role, ToolCall

Step = dict[str, Any]
Element = dict[str, Any]

DOOR = "chainlit"

ROLES = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}
TYPES = {role: type for type, role in ROLES.items()}
TOOL = "tool"

KINDS = {"image": "image", "audio": "audio", "video": "video", "pdf": "file", "file": "file", "text": "file"}
"""Elements that are something said, and the kind of part that each is. The others are there to be looked at."""

UNNAMED = "tool"
LONGEST_NAME = 200
PLAIN = "plainInput"
"""Beside a tool's call: that it was given a text, which stands in its arguments as their only one, `input`."""


@dataclass(frozen=True)
class Told:
    """A step that the conversation tells of: its messages, and what they have besides text."""

    step: Step
    messages: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    fixed: bool = False
    """Whether another door said something together with it, so that it cannot be said differently alone."""


# -- there


def is_said(step: Step, parts: Sequence[Part]) -> bool:
    """Whether a step is part of the conversation by now: a message that says something, or a tool that has answered.

    >>> is_said({"type": "tool", "output": ""}, ()), is_said({"type": "tool", "output": "", "end": "2026-05-01"}, ())
    (False, True)
    """
    if step.get("type") == TOOL:
        return bool(step.get("output") or step.get("end") or parts)
    return step.get("type") in ROLES and bool(step.get("output") or parts)


def drafts_of(step: Step, parts: Sequence[Part] = ()) -> list[Draft]:
    """A step as messages to be saved: one, or the call and the result of a tool.

    >>> [draft.role for draft in drafts_of({"id": "s1", "type": "tool", "name": "weather", "output": "21 °C"})]
    ['assistant', 'tool']
    """
    first, *others = _drafts(step, parts)
    return [faithful(first, _beside(step), lambda stored: {}, DOOR), *others]


def part_of(element: Element) -> Part | None:
    """An element as a part of its message; None for one that is only there to be looked at.

    >>> part_of({"id": "e1", "type": "image", "name": "cat", "url": "https://example.org/cat.png"}).uri
    'https://example.org/cat.png'
    """
    kind = KINDS.get(str(element.get("type")))
    if kind is None:
        return None
    url, mime, name = (element.get(field) or None for field in ("url", "mime", "name"))
    return Part(kind, None, url, mime, name, {DOOR: element["id"]})


def is_own(part: Part) -> bool:
    """Whether a part stands for an element that came in by this door."""
    return isinstance((part.data or {}).get(DOOR), str)


def _drafts(step: Step, parts: Sequence[Part]) -> list[Draft]:
    output, own = _text(step.get("output")), _own(step)
    content = (*((Part("text", output),) if output else ()), *parts) if parts else output
    begun = _moment(step.get("createdAt"))
    if step["type"] != TOOL:
        return [Draft(ROLES[step["type"]], content, metadata=own, created_at=begun)]
    name = _text(step.get("name")).replace("\0", "").strip()[:LONGEST_NAME] or UNNAMED
    call = ToolCall(step["id"], name, _arguments(step))
    result = Draft(
        "tool", content, tool_call_id=call.id, name=name, created_at=_moment(step.get("end") or step.get("createdAt"))
    )
    return [Draft("assistant", tool_calls=(call,), metadata=own, created_at=begun), result]


def _beside(step: Step) -> Step:
    """What the messages of a step do not say."""
    said = ["output", "threadId"]
    if _own(step) is not None:
        said.append("metadata")
    if step["type"] == TOOL and step.get("input"):
        said.append("input")
    beside = {name: value for name, value in step.items() if name not in said}
    if step["type"] == TOOL and "input" not in said:
        beside.setdefault("input", "")
    return {**beside, PLAIN: True} if _is_plain(step) else beside


def _own(step: Step) -> dict[str, Any] | None:
    """The metadata, as far as they can be the message's own."""
    metadata: dict[str, Any] | None = step.get("metadata")
    return metadata if metadata and own_metadata(metadata) == metadata else None


def _is_plain(step: Step) -> bool:
    return step["type"] == TOOL and bool(step.get("input")) and _object(_text(step["input"])) is None


def _arguments(step: Step) -> str:
    given = _text(step.get("input"))
    return json.dumps({"input": given}, ensure_ascii=False) if _is_plain(step) else given or "{}"


def _text(value: Any) -> str:
    """The words of a step: those of Chainlit are texts, and applications may give anything."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


# -- and back


def told_of(messages: Iterable[Message]) -> dict[str, Told]:
    """The steps that messages tell of, by id. A step that was said anew is what was said last."""
    found: dict[str, Told] = {}
    every = list(messages)
    results = {message.tool_call_id: message for message in every if message.role is Role.TOOL}
    answered: set[str | None] = set()
    for message in every:
        if message.role is Role.TOOL and message.tool_call_id in answered:
            continue
        answered.update(call.id for call in message.tool_calls)
        for told in _told(message, results):
            found.pop(told.step["id"], None)
            found[told.step["id"]] = told
    return found


def elements_of(told: Told, thread: str) -> list[Element]:
    """The pictures and files of a step, as elements."""
    return [
        _element(part, number, told.step["id"], thread) for number, part in enumerate(told.parts) if part.uri or is_own(part)
    ]


def _told(message: Message, results: Mapping[str | None, Message]) -> list[Told]:
    results_here = [results[call.id] for call in message.tool_calls if call.id in results]
    besides = _besides_text(message)
    kept = original_of(message, DOOR, lambda kept: _drafts(_whole(kept, message, results_here), besides)[0])
    if kept is not None:
        told_by = [message, *results_here]
        return [Told(_whole(kept, message, results_here), _ids(told_by), _besides_text(told_by[-1]))]
    if message.role is Role.TOOL:
        return [Told(_tool_step(message, message.id, message.name, "", message), (message.id,), _besides_text(message))]
    # What another door said in one message is kept and erased as one.
    ids, fixed = _ids([message, *results_here]), bool(message.tool_calls)
    told: list[Told] = []
    if message.text or message.parts or not fixed:
        told.append(Told(_spoken_step(message), ids, _besides_text(message), fixed))
    for number, call in enumerate(message.tool_calls):
        result = results.get(call.id)
        step = _tool_step(message, f"{message.id}.{number}", call.name, call.arguments, result)
        told.append(Told(step, ids, () if result is None else _besides_text(result), fixed))
    return told


def _ids(messages: Iterable[Message]) -> tuple[str, ...]:
    return tuple(message.id for message in messages)


def _whole(kept: Any, message: Message, results: Sequence[Message]) -> Step:
    """The step of a message of ours: what it says, and what is beside it."""
    step: Step = {"metadata": own_metadata(message.metadata), **{key: kept[key] for key in kept if key != PLAIN}}
    if step["type"] != TOOL:
        return {**step, "id": str(kept["id"]), "output": message.text}
    (call,) = message.tool_calls
    given = (_object(call.arguments) or {}).get("input") if kept.get(PLAIN) else call.arguments
    return {"input": given, **step, "id": call.id, "output": results[0].text if results else ""}


def _spoken_step(message: Message) -> Step:
    return {**_bare(message), "name": message.name or str(message.role).title(), "type": TYPES[message.role.value]}


def _tool_step(message: Message, id: str, name: str | None, arguments: str, result: Message | None) -> Step:
    ended = written(message.created_at if result is None else result.created_at)
    words = {"input": arguments, "output": "" if result is None else result.text}
    return {**_bare(message), **words, "id": id, "type": TOOL, "name": name or UNNAMED, "showInput": "json", "end": ended}


def _bare(message: Message) -> Step:
    """What every step of another door has."""
    said = written(message.created_at)
    return {
        "id": message.id, "parentId": None, "streaming": False, "isError": False, "waitForAnswer": False, "tags": None,
        "metadata": own_metadata(message.metadata), "input": "", "output": message.text, "createdAt": said, "start": said,
        "end": said, "language": None, "generation": None,
    }  # fmt: skip


def _besides_text(message: Message) -> tuple[Part, ...]:
    return tuple(part for part in message.parts if part.kind != "text")


def _element(part: Part, number: int, step: str, thread: str) -> Element:
    return {
        "id": part.data[DOOR] if part.data and is_own(part) else f"{step}.{number}", "threadId": thread, "forId": step,
        "type": _type(part), "url": part.uri, "name": part.name or part.kind, "mime": part.media_type, "display": "inline",
        "chainlitKey": None, "objectKey": None, "size": None, "page": None, "language": None, "props": None,
        "autoPlay": None, "playerConfig": None,
    }  # fmt: skip


def _type(part: Part) -> str:
    if part.kind in ("image", "audio", "video"):
        return part.kind
    return "pdf" if part.media_type == "application/pdf" else "file"


# -- times


def written(moment: datetime) -> str:
    """A moment as Chainlit writes it.

    >>> written(datetime(2026, 5, 1, tzinfo=UTC))
    '2026-05-01T00:00:00Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def when(step: Step) -> datetime:
    """When a step began: what the steps of a thread are ordered by."""
    return _moment(step.get("createdAt") or step.get("start")) or datetime.min.replace(tzinfo=UTC)
