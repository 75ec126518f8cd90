"""The last step of every importer: messages become a conversation, and what cannot be kept is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from recollect.interchange.nouns import Conversation, Tally
from recollect.interchange.tree import Raw, grow
from recollect.interchange.values import details, name_of, text_of, warn
from recollect.types import Draft, Part, Role, Status

LARGEST_MESSAGE = 16 * 1024 * 1024
"""Bytes in one message: what the stores keep at most."""
LONGEST_TITLE = 500
EMPTY = "empty messages"
TOO_LARGE = "messages of more than 16 MiB"
TOO_LARGE_TURNS = "calls or results of tools of more than 16 MiB"
UNREADABLE = "messages that cannot be read"
UNKNOWN_ROLE = "messages of an unknown role, kept as the assistant's"
NO_MESSAGES = "conversations without messages"
ROLES = {
    **dict.fromkeys(("user", "human"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "chatbot", "gpt", "aimessagechunk"), Role.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Role.SYSTEM),
    **dict.fromkeys(("tool", "function", "ipython"), Role.TOOL),
}
"""What the programs call who speaks."""
Message = TypeVar("Message")


class Head(NamedTuple):
    """All of a conversation but its messages, as its importer read it."""

    id: str
    source: str
    title: object = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    leaf: str | None = None
    archived: bool = False
    pinned: bool = False
    tags: Sequence[object] = ()
    system_prompt: str | None = None
    metadata: dict[str, Any] = {}  # noqa: RUF012  # it is only ever read


def assemble(head: Head, raws: Iterable[Raw], tally: Tally) -> Conversation | None:
    """The conversation, or None if it has no message.

    >>> raws = [Raw("q", None, (Draft("user", "Hi"),)), Raw("a", "q", (Draft("assistant", ""),))]
    >>> tally = Tally()
    >>> conversation = assemble(Head("c1", "chatgpt", title="Greeting"), raws, tally)
    >>> [node.id for node in conversation.nodes], conversation.leaf, dict(tally.skipped)
    (['q'], 'q', {'empty messages': 1})
    """
    kept = [raw._replace(drafts=_keepable(raw, tally)) for raw in raws]
    tree = grow(kept, head.leaf, head.created_at or head.updated_at, tally)
    if not tree.nodes:
        tally.skip(NO_MESSAGES)
        return None
    times = [node.draft.created_at for node in tree.nodes if node.draft.created_at]
    tags = (name_of(tag, tally) for tag in head.tags)
    return Conversation(
        head.id,
        tree.nodes,
        tree.leaf,
        " ".join(text_of(head.title, tally).split())[:LONGEST_TITLE] or None,
        head.created_at or min(times, default=None),
        head.updated_at or max(times, default=None),
        Status.ARCHIVED if head.archived else Status.ACTIVE,
        head.pinned,
        tuple(dict.fromkeys(tag for tag in tags if tag)),
        head.system_prompt or None,
        {**head.metadata, "imported_from": head.source},
    )


def role_of(value: object) -> Role | None:
    """Who speaks, whatever the program calls him.

    >>> role_of("human"), role_of("MessageRole.ASSISTANT"), role_of("narrator")
    (<Role.USER: 'user'>, <Role.ASSISTANT: 'assistant'>, None)
    """
    return ROLES.get(value.rpartition(".")[2].strip().lower()) if isinstance(value, str) else None


def spoken(role: object, draft: Draft, tally: Tally) -> Draft:
    """The draft as said by a role. Words of somebody unknown are not lost: they are kept as the assistant's, with the role
    that the export names in the metadata, so that nothing is taken for the user's own words.

    >>> spoken("narrator", Draft("user", "Once upon a time"), Tally()).metadata
    {'role': 'narrator'}
    """
    known = role_of(role)
    if known is not None:
        return replace(draft, role=known.value)
    tally.mend(UNKNOWN_ROLE)
    metadata = {**(draft.metadata or {}), **details(tally, role=text_of(role, tally) or "none")}
    return replace(draft, role=Role.ASSISTANT.value, metadata=metadata)


def each(
    messages: Iterable[Message], make: Callable[[int, Message], Raw | None], conversation: str, tally: Tally
) -> list[Raw]:
    """What is made of each message. One that nobody foresaw is left out, counted and told; the others go on."""
    made: list[Raw] = []
    for place, message in enumerate(messages):
        try:
            raw = make(place, message)
        except Exception as error:
            tally.skip(UNREADABLE)
            warn(tally, f"message {place + 1} of conversation {conversation}: {type(error).__name__}: {error}")
            continue
        if raw is not None:
            made.append(raw)
    return made


def content_of(parts: Sequence[Part]) -> str | tuple[Part, ...]:
    """A message's content: plain text where nothing else is in it.

    >>> content_of([Part("text", "a"), Part("text", "b")]), content_of([Part("image", uri="x")])
    ('a\\nb', (Part(kind='image', text=None, uri='x', media_type=None, name=None, data=None),))
    """
    if all(part.kind == "text" for part in parts):
        return "\n".join(part.text for part in parts if part.text)
    return tuple(part for part in parts if part.kind != "text" or part.text)


def _keepable(raw: Raw, tally: Tally) -> tuple[Draft, ...]:
    """The drafts with something in them that a store can keep; a message without any is counted once."""
    filled = tuple(draft for draft in raw.drafts if _has_something(draft))
    kept = tuple(draft for draft in filled if not _is_too_large(draft))
    if raw.drafts and not filled:
        tally.skip(EMPTY)
    elif raw.drafts and not kept:
        tally.skip(TOO_LARGE)
    elif len(kept) < len(filled):
        tally.skip(TOO_LARGE_TURNS, len(filled) - len(kept))
    return kept


def _has_something(draft: Draft) -> bool:
    if draft.tool_calls or draft.tool_call_id:
        return True
    return bool(draft.content.strip() if isinstance(draft.content, str) else draft.content)


def _is_too_large(draft: Draft) -> bool:
    """Whether no store would take it. Only a message that is nearly so large is measured to the byte."""
    texts = [draft.content] if isinstance(draft.content, str) else [part.text or "" for part in draft.content]
    texts += [call.arguments for call in draft.tool_calls]
    if sum(map(len, texts)) < LARGEST_MESSAGE // 16:
        return False
    packed = json.dumps(asdict(draft), ensure_ascii=False, default=str)
    return len(packed.encode()) > LARGEST_MESSAGE
