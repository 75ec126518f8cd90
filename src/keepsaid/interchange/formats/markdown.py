"""Conversations as Markdown, for reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from keepsaid.interchange.conversation import CLEARED, Conversation, ConversationNode, ExportedArtifact
from keepsaid.types import ContentPart, SessionStatus, to_datetime

ROLE_NAMES = {"user": "You", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def render_markdown(conversations: Iterable[Conversation], made: Iterable[ExportedArtifact]) -> Iterator[str]:
    """Write the active paths of conversations, and then the current facts. Only the JSON export has other branches.

    >>> from datetime import UTC, datetime
    >>> from keepsaid.types import MessageDraft
    >>> said = MessageDraft("user", "My sister moved to Lisbon.", created_at=datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
    >>> print("".join(render_markdown([Conversation("c1", [ConversationNode("m1", None, said)], title="Family")], [])))
    # Family
    <BLANKLINE>
    **You** · 2026-05-01 09:30 UTC
    <BLANKLINE>
    My sister moved to Lisbon.
    <BLANKLINE>
    """
    separator = ""
    for conversation in conversations:
        yield separator + "\n".join(_heading(conversation)) + "\n"
        for node in _path(conversation):
            yield "\n" + "\n\n".join(_message_lines(node)) + "\n"
        separator = "\n---\n\n"
    known = [_fact(one) for one in made if one.artifact.kind == "fact" and one.artifact.is_current]
    if known:
        yield f"{separator}# What is remembered\n\n" + "\n".join(known) + "\n"


def _heading(one: Conversation) -> Iterator[str]:
    yield f"# {_line(one.title or f'Conversation {one.id}')}"
    about = [
        *([] if one.created_at is None else [f"begun {_day(one.created_at)}"]),
        *([] if one.status is SessionStatus.ACTIVE else [str(one.status)]),
        *([f"tags: {', '.join(map(_line, one.tags))}"] if one.tags else []),
    ]
    if about:
        yield ""
        yield f"*{' · '.join(about)}*"


def _path(conversation: Conversation) -> list[ConversationNode]:
    """The messages of the active path, in order."""
    nodes = {node.id: node for node in conversation.nodes}
    if conversation.leaf == CLEARED or not nodes:
        return []
    leaf = nodes.get(conversation.leaf or next(reversed(nodes)))
    path: list[ConversationNode] = []
    while leaf is not None:
        path.append(leaf)
        leaf = nodes.get(leaf.parent or "")
    return path[::-1]


def _message_lines(node: ConversationNode) -> Iterator[str]:
    draft = node.draft
    who = draft.name if draft.name else ROLE_NAMES.get(str(draft.role), str(draft.role))
    when = "" if draft.created_at is None else f" · {_minute(draft.created_at)}"
    yield f"**{_line(who)}**{when}" + (" · pinned" if draft.pinned else "") + (" · private" if draft.private else "")
    text = draft.content if isinstance(draft.content, str) else "\n\n".join(map(_part, draft.content))
    if text.strip():
        yield _fence(text) if str(draft.role) == "tool" else text.strip("\n")
    for call in draft.tool_calls:
        yield f"Used the tool `{_line(call.name)}`:\n\n{_fence(call.arguments)}"


def _part(part: ContentPart) -> str:
    if part.text is not None and part.kind == "text":
        return part.text
    named = f"[{part.kind}: {_line(part.name or part.uri or part.media_type or 'without a name')}]"
    return named if part.text is None else f"{named}\n\n{_fence(part.text)}"


def _fact(made: ExportedArtifact) -> str:
    return f"- {_line(made.artifact.text)} (since {_day(to_datetime(made.artifact.valid_from))})"


def _fence(text: str) -> str:
    """Format a text as a fenced block, in which Markdown has no effect."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M %Z}"
