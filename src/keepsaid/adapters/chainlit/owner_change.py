"""Copy a thread without a user to its new user. An interrupted copy can be repeated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from keepsaid.adapters.chainlit.steps import STEP_PREFIX
from keepsaid.adapters.common import copy_as_draft, iterate_blobs
from keepsaid.engine.messages.intake import has_same_content
from keepsaid.errors import Conflict, Erased, MessageConflict
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import Blob, Message

BLOB_PREFIX = "chainlit/"


def copy_messages(source: Chat, target: Chat) -> dict[str, str]:
    """Copy the messages of all branches after those of the target; return the ids of the copies by the original ids.

    Copies keep their ids, so that notes about messages stay valid. Only if another message of the user has the same id, the
    copy gets an id derived from it. Messages that were copied before are recognized and not copied again.
    """
    ids: dict[str, str] = {}
    while new := _copy_new_messages(source, target, ids):
        ids |= new  # repeat, because messages may have been added meanwhile
    return ids


def _copy_new_messages(source: Chat, target: Chat, done: Mapping[str, str]) -> dict[str, str]:
    tree, leaf = _tree(source)
    there = {one.id: one for one in _tree(target)[0]}
    ids = {one.id: done.get(one.id) or _id_of_copy(one, there) for one in tree}
    by_seq = {one.seq: one.id for one in tree}
    copies = set(ids.values())
    last_own = next((one.id for one in reversed(target.messages()) if one.id not in copies), None)
    for run in _runs(one for one in tree if ids[one.id] not in there):
        parent = by_seq.get(run[0].parent)
        ids |= _copy_run(target, run, last_own if parent is None else ids[parent])
    _activate_branch(target, last_own if leaf is None else ids[leaf])
    return {one: copy for one, copy in ids.items() if one not in done}


def _id_of_copy(message: Message, there: Mapping[str, Message]) -> str:
    """Return the id that the copy of a message has or gets in the target."""
    twin = there.get(message.id)
    if _other_id(message) in there or (twin is not None and not has_same_content(twin, message)):
        return _other_id(message)
    return message.id


def _other_id(message: Message) -> str:
    return uuid5(NAMESPACE_URL, f"keepsaid:chainlit:{message.session}:{message.id}").hex


def _runs(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Split messages into runs in which each one follows the previous one."""
    run: list[Message] = []
    for message in messages:
        if run and message.parent != run[-1].seq:
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _copy_run(target: Chat, run: list[Message], after: str | None) -> dict[str, str]:
    """Add a run of messages after a message (None: at the beginning); return their ids."""
    if after is None and target.messages(last=1):
        target.clear()
    ids = {one.id: one.id for one in run}
    try:
        target.add_many([replace(copy_as_draft(one), id=ids[one.id]) for one in run], after=after)
    except (MessageConflict, Erased):
        ids = {one.id: _other_id(one) for one in run}
        target.add_many([replace(copy_as_draft(one), id=ids[one.id]) for one in run], after=after)
    return ids


def _activate_branch(target: Chat, leaf: str | None) -> None:
    """Make the branch of a message the active one (None: an empty one)."""
    last = [one.id for one in target.messages(last=1)]
    if last == ([] if leaf is None else [leaf]):
        return
    if leaf is None:
        target.clear()
    else:
        target.switch(leaf)


def _tree(chat: Chat) -> tuple[list[Message], str | None]:
    return chat._tree()  # pyright: ignore[reportPrivateUsage]  # to read the other branches without switching to them


def copy_blobs(source: BlobStore, target: BlobStore, ids: Mapping[str, str]) -> None:
    """Copy the blobs of a conversation. Existing blobs of this adapter are earlier copies and are overwritten."""
    coming = {blob.name: _with_new_ids(blob, ids) for blob in iterate_blobs(source)}
    for name, there in target.get(*coming).items():
        if not name.startswith(BLOB_PREFIX) and there.content != coming[name]:
            raise Conflict(f"the target conversation already has a different blob {name!r}")
    target.put(coming)


def _with_new_ids(blob: Blob, ids: Mapping[str, str]) -> bytes:
    if not blob.name.startswith(STEP_PREFIX):
        return blob.content
    note = json.loads(blob.content)
    if "messages" in note:
        note["messages"] = [ids.get(one, one) for one in note["messages"]]
    return json.dumps(note).encode()
