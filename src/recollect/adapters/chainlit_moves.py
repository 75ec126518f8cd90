"""A thread of nobody becomes somebody's: all of it is copied, and can be copied again, if that ended in between."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from recollect.adapters.chainlit_steps import STEP
from recollect.adapters.common import again, all_blobs
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.engine.intake import same_content
from recollect.errors import Conflict, Erased, MessageConflict
from recollect.types import Blob, Message

OURS = "chainlit/"


def carry(source: Chat, target: Chat) -> dict[str, str]:
    """Copies what was said, on every branch, behind what the target says already; returns the ids of the copies by those of
    the originals. They are the same, so that what is noted of a message stays true: only where another message of the user
    has it, a copy gets an id that is made of it. So what has been copied before is known, and not copied again.
    """
    ids: dict[str, str] = {}
    while new := _carry_once(source, target, ids):
        ids |= new  # and once more: somebody may have said something in the meantime
    return ids


def _carry_once(source: Chat, target: Chat, done: Mapping[str, str]) -> dict[str, str]:
    tree, leaf = _tree(source)
    there = {one.id: one for one in _tree(target)[0]}
    ids = {one.id: done.get(one.id) or _id_of_copy(one, there) for one in tree}
    by_seq = {one.seq: one.id for one in tree}
    copies = set(ids.values())
    behind = next((one.id for one in reversed(target.messages()) if one.id not in copies), None)
    for run in _runs(one for one in tree if ids[one.id] not in there):
        parent = by_seq.get(run[0].parent)
        ids |= _said_again(target, run, behind if parent is None else ids[parent])
    _stand(target, behind if leaf is None else ids[leaf])
    return {one: copy for one, copy in ids.items() if one not in done}


def _id_of_copy(message: Message, there: Mapping[str, Message]) -> str:
    """The id that a message has there, or can have there."""
    twin = there.get(message.id)
    if _other_id(message) in there or (twin is not None and not same_content(twin, message)):
        return _other_id(message)
    return message.id


def _other_id(message: Message) -> str:
    return uuid5(NAMESPACE_URL, f"recollect:chainlit:{message.session}:{message.id}").hex


def _runs(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Messages that follow each other, as long as they do."""
    run: list[Message] = []
    for message in messages:
        if run and message.parent != run[-1].seq:
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _said_again(target: Chat, run: list[Message], after: str | None) -> dict[str, str]:
    """Says a run of messages behind one (None: from the beginning); returns their ids."""
    if after is None and target.messages(last=1):
        target.clear()
    ids = {one.id: one.id for one in run}
    try:
        target.add_many([replace(again(one), id=ids[one.id]) for one in run], after=after)
    except (MessageConflict, Erased):
        ids = {one.id: _other_id(one) for one in run}
        target.add_many([replace(again(one), id=ids[one.id]) for one in run], after=after)
    return ids


def _stand(target: Chat, leaf: str | None) -> None:
    """The conversation goes on where it did."""
    last = [one.id for one in target.messages(last=1)]
    if last == ([] if leaf is None else [leaf]):
        return
    if leaf is None:
        target.clear()
    else:
        target.switch(leaf)


def _tree(chat: Chat) -> tuple[list[Message], str | None]:
    return chat._tree()  # pyright: ignore[reportPrivateUsage]  # to read the other branches without switching to them


def carry_blobs(source: Drawer, target: Drawer, ids: Mapping[str, str]) -> None:
    """Copies what lies beside a conversation. Ours takes the place of what is there: that is an earlier copy."""
    coming = {blob.name: _with_new_ids(blob, ids) for blob in all_blobs(source)}
    for name, there in target.get(*coming).items():
        if not name.startswith(OURS) and there.content != coming[name]:
            raise Conflict(f"there is another {name!r} beside the conversation that this one would become part of")
    target.put(coming)


def _with_new_ids(blob: Blob, ids: Mapping[str, str]) -> bytes:
    if not blob.name.startswith(STEP):
        return blob.content
    note = json.loads(blob.content)
    if "messages" in note:
        note["messages"] = [ids.get(one, one) for one in note["messages"]]
    return json.dumps(note).encode()
