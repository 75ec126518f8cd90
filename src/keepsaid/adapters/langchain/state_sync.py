"""Synchronize a conversation with an agent's state: save new messages, and branch where the state has branched.

A checkpointer may resume an earlier state, for another answer or another question, and a message may be replaced by one with
the same id. Messages that a state no longer has stay on a branch of their own. This only applies to messages that the agent
added after another message in a state that had both. Messages from other adapters or other runs stay, and the agent
continues after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple, cast

from keepsaid.adapters.common import attach_adapter_data, missing_extra

try:
    from langchain_core.messages import BaseMessage, HumanMessage
except ImportError:
    raise missing_extra("LangChain", "langchain") from None

from keepsaid.adapters.langchain.messages import to_draft
from keepsaid.errors import Erased, MessageConflict, NotFound
from keepsaid.memory.chat import Chat
from keepsaid.types import ADAPTER_FIELDS, Message, MessageDraft

PREDECESSOR = "langchain-after"
"""Key in a message's metadata for the id of the message before it in the state."""


class StateMessage(NamedTuple):
    """A message of a state: its draft, the stored message if it is saved, and its previous version if the content
    differs."""

    draft: MessageDraft
    saved: Message | None = None
    earlier: Message | None = None


class StatePosition(NamedTuple):
    """Where a state continues: the id of the state's message before it, and the message to branch from, if not the active
    branch."""

    predecessor: str | None = None
    branch_after: str | None = None


def sync_state(chat: Chat, said: Sequence[BaseMessage]) -> None:
    """Save the new messages of a state after those that precede them there."""
    new, newest = _find_new_messages(chat, said)
    changed = next((at for at, one in enumerate(new) if one.earlier is not None), len(new))
    if changed or not new:
        _add(chat, [one.draft for one in new[:changed]], _find_position(chat, said, newest))
    if changed < len(new):
        _save_new_version(chat, new[changed:], newest)


# -- what is new


def _find_new_messages(chat: Chat, said: Sequence[BaseMessage]) -> tuple[list[StateMessage], Message | None]:
    """Return the messages after the newest saved one, and that one. The state is read from its end, because most of it is
    saved; but the last question may be replaced while its old answer is still there."""
    if not chat.info().head:
        return [StateMessage(_draft(chat, message)) for message in said], None
    question_index = max((at for at, message in enumerate(said) if isinstance(message, HumanMessage)), default=-1)
    is_rewritten = question_index >= 0 and _match_message(chat, said[question_index]).earlier is not None
    new: list[StateMessage] = []
    for at in range(len(said) - 1, -1, -1):
        one = _match_message(chat, said[at])
        if one.saved is None:
            new.append(one)
        elif at <= question_index or not is_rewritten:
            return new[::-1], one.saved
    return new[::-1], None


def _match_message(chat: Chat, message: BaseMessage) -> StateMessage:
    draft = _draft(chat, message)
    first, earlier, count = draft.id, None, 0
    while draft.id is not None and (saved := _find_message(chat, draft.id)) is not None:
        if _has_same_content(chat, saved, draft):
            return StateMessage(draft, saved)
        earlier, count = saved, count + 1
        draft = replace(draft, id=f"{first}.{count}")
    return StateMessage(draft, None, earlier)


def _draft(chat: Chat, message: BaseMessage) -> MessageDraft:
    draft = to_draft(message)
    return draft if message.id is None else replace(draft, id=_id(chat, message))


def _id(chat: Chat, message: BaseMessage) -> str:
    """Return the stable id of a message, so that repeated model calls or runs do not save it again."""
    return sha256(f"{chat.id}\n{message.id}".encode()).hexdigest()[:32]


def _find_message(chat: Chat, id: str) -> Message | None:
    try:
        return chat.message(id)
    except NotFound:
        return None


def _has_same_content(chat: Chat, saved: Message, draft: MessageDraft) -> bool:
    if (saved.content, saved.tool_calls) == (draft.content or "", draft.tool_calls):
        return True
    try:
        # Compared as it would be saved: personal data may be redacted before saving.
        chat.add_many([replace(draft, metadata=saved.metadata)])
    except MessageConflict:
        return False
    return True


# -- where it continues


def _find_position(chat: Chat, said: Sequence[BaseMessage], newest: Message | None) -> StatePosition:
    leaf = chat.messages(last=1)
    if newest is None or not leaf:
        return StatePosition()
    return StatePosition(newest.id) if leaf[0].id == newest.id else _diverging_position(chat, said)


def _diverging_position(chat: Chat, said: Sequence[BaseMessage]) -> StatePosition:
    """Return where a state continues that ends differently from the conversation."""
    path = chat.messages()
    mine, common = _last_common(chat, said, path)
    last, rest = (None if common is None else path[common]), path[0 if common is None else common + 1 :]
    if last is not None and not rest:
        return StatePosition(last.id)
    if not _is_abandoned(rest, last) or (last is None and _first_id(rest[0]) != _id(chat, said[0])):
        return StatePosition()  # other messages were added meanwhile
    # The state may be on a branch that the conversation left earlier.
    for message in said[mine:]:
        saved = _match_message(chat, message).saved
        if saved is None or _predecessor_of(saved) != (last and last.id):
            break
        last = saved
    return StatePosition() if last is None else StatePosition(last.id, last.id)


def _last_common(chat: Chat, said: Sequence[BaseMessage], path: Sequence[Message]) -> tuple[int, int | None]:
    """Return the index after the newest message of a state that the conversation has too, and its index there."""
    places = {_first_id(message): at for at, message in enumerate(path)}
    for at in range(len(said) - 1, -1, -1):
        place = places.get(_id(chat, said[at]))
        if place is not None and _has_same_content(chat, path[place], replace(_draft(chat, said[at]), id=path[place].id)):
            return at + 1, place
    return 0, None


def _is_abandoned(rest: Sequence[Message], last: Message | None) -> bool:
    """Whether the agent added the following messages after this one, in a state that had both."""
    before = [None if last is None else last.id, *(message.id for message in rest)]
    return all(_predecessor_of(message) == id for message, id in zip(rest, before, strict=False))


def _first_id(message: Message) -> str:
    """Return the id of the first version of a message."""
    return message.id.partition(".")[0]


def _predecessor_of(message: Message) -> Any:
    by_adapter = message.metadata.get(ADAPTER_FIELDS)
    return cast("dict[str, Any]", by_adapter).get(PREDECESSOR) if isinstance(by_adapter, dict) else None


# -- saving


def _add(chat: Chat, drafts: Sequence[MessageDraft], place: StatePosition) -> None:
    """Save messages, except those that were erased."""
    predecessor, after = place
    try:
        chat.add_many(_with_predecessors(drafts, predecessor), after=after)
        after = None if drafts else after
    except (Erased, MessageConflict):
        for draft in drafts:
            try:
                (added,) = chat.add_many(_with_predecessors([draft], predecessor), after=after)
            except (Erased, MessageConflict):
                continue
            predecessor, after = added.id, None
    if after is not None:
        chat.switch(after)


def _save_new_version(chat: Chat, new: Sequence[StateMessage], newest: Message | None) -> None:
    """Save the new version of a message on a branch of its own, and the messages after it."""
    draft, earlier = new[0].draft, cast(Message, new[0].earlier)
    (marked,) = _with_predecessors([draft], None if newest is None else newest.id)
    try:
        if draft.tool_calls and newest is not None:
            chat.add_many([marked], after=newest.id)  # an edit can only change text
        else:
            chat.edit(earlier.id, marked.content or "", id=marked.id, metadata=marked.metadata)
    except (Erased, MessageConflict):
        draft = replace(draft, id=None)
    _add(chat, [one.draft for one in new[1:]], StatePosition(draft.id))


def _with_predecessors(drafts: Sequence[MessageDraft], predecessor: str | None) -> list[MessageDraft]:
    """Return the drafts, each with the id of its predecessor in the metadata."""
    before = [predecessor, *(draft.id for draft in drafts)]
    return [attach_adapter_data(draft, id, PREDECESSOR) for draft, id in zip(drafts, before, strict=False)]
