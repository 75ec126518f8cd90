"""A conversation follows an agent's state: what is new there is saved, and where the state takes another course, so does it.

A checkpointer may resume an earlier state, to answer anew or to ask something else, and a message may be replaced by another
with its id. What a state has left is kept on a branch of its own. Only what an agent said behind a message, in a state that
had both, can be left so: what came by other doors or in other runs stays, and the agent goes on behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple, cast

from recollect.adapters.common import beside, missing

try:
    from langchain_core.messages import BaseMessage, HumanMessage
except ImportError:
    raise missing("LangChain", "langchain") from None

from recollect.adapters.langchain_messages import to_draft
from recollect.chat import Chat
from recollect.errors import Erased, MessageConflict, NotFound
from recollect.types import DOORS, Draft, Message

AFTER = "langchain-after"
"""What is kept beside a message: the id of the one that it stood behind in a state."""


class Known(NamedTuple):
    """A message of a state: as it is or would be saved, where it is, and what it said before if that is something else."""

    draft: Draft
    saved: Message | None = None
    earlier: Message | None = None


class Place(NamedTuple):
    """Where a state goes on: behind which of its own messages, if it is one, and on which branch, if not the present one."""

    behind: str | None = None
    after: str | None = None


def follow(chat: Chat, said: Sequence[BaseMessage]) -> None:
    """Saves what is new in a state, behind what it stands behind there."""
    new, newest = _new(chat, said)
    changed = next((at for at, one in enumerate(new) if one.earlier is not None), len(new))
    if changed or not new:
        _add(chat, [one.draft for one in new[:changed]], _place(chat, said, newest))
    if changed < len(new):
        _say_otherwise(chat, new[changed:], newest)


# -- what is new


def _new(chat: Chat, said: Sequence[BaseMessage]) -> tuple[list[Known], Message | None]:
    """What a state has behind its newest message that is saved, and that one. Nearly all of a state is saved, so it is read
    from its end; but what is asked may be replaced, with its answer left where it was."""
    if not chat.info().head:
        return [Known(_draft(chat, message)) for message in said], None
    asked = max((at for at, message in enumerate(said) if isinstance(message, HumanMessage)), default=-1)
    is_asked_otherwise = asked >= 0 and _known(chat, said[asked]).earlier is not None
    new: list[Known] = []
    for at in range(len(said) - 1, -1, -1):
        one = _known(chat, said[at])
        if one.saved is None:
            new.append(one)
        elif at <= asked or not is_asked_otherwise:
            return new[::-1], one.saved
    return new[::-1], None


def _known(chat: Chat, message: BaseMessage) -> Known:
    draft = _draft(chat, message)
    first, earlier, count = draft.id, None, 0
    while draft.id is not None and (saved := _found(chat, draft.id)) is not None:
        if _says(chat, saved, draft):
            return Known(draft, saved)
        earlier, count = saved, count + 1
        draft = replace(draft, id=f"{first}.{count}")
    return Known(draft, None, earlier)


def _draft(chat: Chat, message: BaseMessage) -> Draft:
    draft = to_draft(message)
    return draft if message.id is None else replace(draft, id=_id(chat, message))


def _id(chat: Chat, message: BaseMessage) -> str:
    """By which a message is known again: a call of the model may be repeated, and so may a whole run."""
    return sha256(f"{chat.id}\n{message.id}".encode()).hexdigest()[:32]


def _found(chat: Chat, id: str) -> Message | None:
    try:
        return chat.message(id)
    except NotFound:
        return None


def _says(chat: Chat, saved: Message, draft: Draft) -> bool:
    if (saved.content, saved.tool_calls) == (draft.content or "", draft.tool_calls):
        return True
    try:
        # Compared as it would be saved: without personal data, if these are not kept.
        chat.add_many([replace(draft, metadata=saved.metadata)])
    except MessageConflict:
        return False
    return True


# -- where it belongs


def _place(chat: Chat, said: Sequence[BaseMessage], newest: Message | None) -> Place:
    leaf = chat.messages(last=1)
    if newest is None or not leaf:
        return Place()
    return Place(newest.id) if leaf[0].id == newest.id else _elsewhere(chat, said)


def _elsewhere(chat: Chat, said: Sequence[BaseMessage]) -> Place:
    """Where a state goes on that does not end as the conversation does."""
    path = chat.messages()
    mine, common = _common(chat, said, path)
    last, rest = (None if common is None else path[common]), path[0 if common is None else common + 1 :]
    if last is not None and not rest:
        return Place(last.id)
    if not _is_left(rest, last) or (last is None and _first_id(rest[0]) != _id(chat, said[0])):
        return Place()  # others spoke meanwhile
    # The state may be on a branch that the conversation has left before.
    for message in said[mine:]:
        saved = _known(chat, message).saved
        if saved is None or _after(saved) != (last and last.id):
            break
        last = saved
    return Place() if last is None else Place(last.id, last.id)


def _common(chat: Chat, said: Sequence[BaseMessage], path: Sequence[Message]) -> tuple[int, int | None]:
    """Where a state goes on behind the newest message that it has in common with the conversation, and where that is."""
    places = {_first_id(message): at for at, message in enumerate(path)}
    for at in range(len(said) - 1, -1, -1):
        place = places.get(_id(chat, said[at]))
        if place is not None and _says(chat, path[place], replace(_draft(chat, said[at]), id=path[place].id)):
            return at + 1, place
    return 0, None


def _is_left(rest: Sequence[Message], last: Message | None) -> bool:
    """Whether what follows a message was said behind it by the agent, in a state that had both."""
    before = [None if last is None else last.id, *(message.id for message in rest)]
    return all(_after(message) == id for message, id in zip(rest, before, strict=False))


def _first_id(message: Message) -> str:
    """The id of a message in the words that it had first."""
    return message.id.partition(".")[0]


def _after(message: Message) -> Any:
    doors = message.metadata.get(DOORS)
    return cast("dict[str, Any]", doors).get(AFTER) if isinstance(doors, dict) else None


# -- how it gets there


def _add(chat: Chat, drafts: Sequence[Draft], place: Place) -> None:
    """Saves messages. What was erased stays so."""
    behind, after = place
    try:
        chat.add_many(_marked(drafts, behind), after=after)
        after = None if drafts else after
    except (Erased, MessageConflict):
        for draft in drafts:
            try:
                (added,) = chat.add_many(_marked([draft], behind), after=after)
            except (Erased, MessageConflict):
                continue
            behind, after = added.id, None
    if after is not None:
        chat.switch(after)


def _say_otherwise(chat: Chat, new: Sequence[Known], newest: Message | None) -> None:
    """Says a message in its new words, on a branch of its own, and what comes behind it."""
    draft, earlier = new[0].draft, cast(Message, new[0].earlier)
    (marked,) = _marked([draft], None if newest is None else newest.id)
    try:
        if draft.tool_calls and newest is not None:
            chat.add_many([marked], after=newest.id)  # an edit is of words
        else:
            chat.edit(earlier.id, marked.content or "", id=marked.id, metadata=marked.metadata)
    except (Erased, MessageConflict):
        draft = replace(draft, id=None)
    _add(chat, [one.draft for one in new[1:]], Place(draft.id))


def _marked(drafts: Sequence[Draft], behind: str | None) -> list[Draft]:
    """Messages, each with the id of the one that it stands behind."""
    before = [behind, *(draft.id for draft in drafts)]
    return [beside(draft, id, AFTER) for draft, id in zip(drafts, before, strict=False)]
