"""The last step of every importer: build a conversation from messages, and count what cannot be stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from keepsaid.interchange.conversation import Conversation, ImportTally
from keepsaid.interchange.tree import RawMessage, build_tree
from keepsaid.interchange.values import add_warning, details, name_of, text_of
from keepsaid.types import ContentPart, MessageDraft, Role, SessionStatus

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The most bytes in one message that every store accepts."""
MAX_TITLE_LENGTH = 500
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
"""The names that programs use for roles."""
Message = TypeVar("Message")


class ConversationHeader(NamedTuple):
    """The fields of a conversation besides its messages, as its importer read them."""

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


def assemble_conversation(head: ConversationHeader, raws: Iterable[RawMessage], tally: ImportTally) -> Conversation | None:
    """Build the conversation; return None if it has no message.

    >>> raws = [RawMessage("q", None, (MessageDraft("user", "Hi"),)), RawMessage("a", "q", (MessageDraft("assistant", ""),))]
    >>> tally = ImportTally()
    >>> conversation = assemble_conversation(ConversationHeader("c1", "chatgpt", title="Greeting"), raws, tally)
    >>> [node.id for node in conversation.nodes], conversation.leaf, dict(tally.skipped)
    (['q'], 'q', {'empty messages': 1})
    """
    kept = [raw._replace(drafts=_storable_drafts(raw, tally)) for raw in raws]
    tree = build_tree(kept, head.leaf, head.created_at or head.updated_at, tally)
    if not tree.nodes:
        tally.skip(NO_MESSAGES)
        return None
    times = [node.draft.created_at for node in tree.nodes if node.draft.created_at]
    tags = (name_of(tag, tally) for tag in head.tags)
    return Conversation(
        head.id,
        tree.nodes,
        tree.leaf,
        " ".join(text_of(head.title, tally).split())[:MAX_TITLE_LENGTH] or None,
        head.created_at or min(times, default=None),
        head.updated_at or max(times, default=None),
        SessionStatus.ARCHIVED if head.archived else SessionStatus.ACTIVE,
        head.pinned,
        tuple(dict.fromkeys(tag for tag in tags if tag)),
        head.system_prompt or None,
        {**head.metadata, "imported_from": head.source},
    )


def role_of(value: object) -> Role | None:
    """The role of a speaker, under any name that programs use for it; None if unknown.

    >>> role_of("human"), role_of("MessageRole.ASSISTANT"), role_of("narrator")
    (<Role.USER: 'user'>, <Role.ASSISTANT: 'assistant'>, None)
    """
    return ROLES.get(value.rpartition(".")[2].strip().lower()) if isinstance(value, str) else None


def with_role(role: object, draft: MessageDraft, tally: ImportTally) -> MessageDraft:
    """Set the draft's role. Messages of an unknown role are kept as the assistant's, with the export's role in the metadata,
    so that they do not count as the user's own words.

    >>> with_role("narrator", MessageDraft("user", "Once upon a time"), ImportTally()).metadata
    {'role': 'narrator'}
    """
    known = role_of(role)
    if known is not None:
        return replace(draft, role=known.value)
    tally.repair(UNKNOWN_ROLE)
    metadata = {**(draft.metadata or {}), **details(tally, role=text_of(role, tally) or "none")}
    return replace(draft, role=Role.ASSISTANT.value, metadata=metadata)


def convert_each(
    messages: Iterable[Message], make: Callable[[int, Message], RawMessage | None], conversation: str, tally: ImportTally
) -> list[RawMessage]:
    """Convert each message. If one fails unexpectedly, it is left out, counted and reported, and the others continue."""
    made: list[RawMessage] = []
    for place, message in enumerate(messages):
        try:
            raw = make(place, message)
        except Exception as error:
            tally.skip(UNREADABLE)
            add_warning(tally, f"message {place + 1} of conversation {conversation}: {type(error).__name__}: {error}")
            continue
        if raw is not None:
            made.append(raw)
    return made


def content_of(parts: Sequence[ContentPart]) -> str | tuple[ContentPart, ...]:
    """The content of a message: plain text if there are only text parts.

    >>> content_of([ContentPart("text", "a"), ContentPart("text", "b")]), content_of([ContentPart("image", uri="x")])
    ('a\\nb', (ContentPart(kind='image', text=None, uri='x', media_type=None, name=None, data=None),))
    """
    if all(part.kind == "text" for part in parts):
        return "\n".join(part.text for part in parts if part.text)
    return tuple(part for part in parts if part.kind != "text" or part.text)


def _storable_drafts(raw: RawMessage, tally: ImportTally) -> tuple[MessageDraft, ...]:
    """The drafts that have content and are not too large; a message without any is counted once."""
    filled = tuple(draft for draft in raw.drafts if _has_content(draft))
    kept = tuple(draft for draft in filled if not _is_too_large(draft))
    if raw.drafts and not filled:
        tally.skip(EMPTY)
    elif raw.drafts and not kept:
        tally.skip(TOO_LARGE)
    elif len(kept) < len(filled):
        tally.skip(TOO_LARGE_TURNS, len(filled) - len(kept))
    return kept


def _has_content(draft: MessageDraft) -> bool:
    if draft.tool_calls or draft.tool_call_id:
        return True
    return bool(draft.content.strip() if isinstance(draft.content, str) else draft.content)


def _is_too_large(draft: MessageDraft) -> bool:
    """Whether the draft is too large for a store. Only large texts are measured exactly."""
    texts = [draft.content] if isinstance(draft.content, str) else [part.text or "" for part in draft.content]
    texts += [call.arguments for call in draft.tool_calls]
    if sum(map(len, texts)) < MAX_MESSAGE_BYTES // 16:
        return False
    packed = json.dumps(asdict(draft), ensure_ascii=False, default=str)
    return len(packed.encode()) > MAX_MESSAGE_BYTES
