"""The steps of one Chainlit thread, in its conversation and its blob store.

Message content is only in the conversation. The blob store has a note for every step: the ids of its messages, later changes
of other fields, and the whole step if it is not part of the conversation (a run, a model call, a message without text yet).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from keepsaid.adapters.chainlit.messages import (
    TOOL,
    ConversationStep,
    Element,
    Step,
    drafts_of,
    element_to_part,
    elements_of,
    is_chainlit_part,
    is_conversation_step,
    step_time,
    steps_of,
)
from keepsaid.adapters.chainlit.thread_owners import hash_ids
from keepsaid.adapters.common import iterate_blobs
from keepsaid.errors import InvalidTransition, NotFound, RevisionConflict
from keepsaid.memory.blobs import BlobStore
from keepsaid.memory.chat import Chat
from keepsaid.types import ContentPart, Message, MessageDraft

Result = TypeVar("Result")

STEP_PREFIX, ELEMENT_PREFIX, FEEDBACK_PREFIX = "chainlit/step/", "chainlit/element/", "chainlit/feedback/"
"""Name prefixes in the blob store of a thread, followed by a hash of the step's id, and of the element's."""

RUN_TYPE = "run"


class StepChange(NamedTuple):
    """A step before and after it was saved."""

    before: Step
    now: Step
    is_new: bool
    """Whether this is the first note of the step."""


class _StepState(NamedTuple):
    """The stored data of a step: its note, the note's revision, and the step in the conversation."""

    note: dict[str, Any]
    revision: int
    spoken_step: ConversationStep | None


class ThreadSteps:
    """The steps, elements and feedback of a thread."""

    def __init__(self, thread_id: str, chat: Chat, blob_store: BlobStore) -> None:
        self._thread_id = thread_id
        self._chat = chat
        self._blob_store = blob_store

    def all(self) -> tuple[list[Step], list[Element]]:
        """Return all steps in the order of their start times, and their elements."""
        spoken_steps = steps_of(self._chat.messages())
        notes = {note["id"]: note for note in _load_all(self._blob_store, STEP_PREFIX)}
        feedback = {given["forId"]: given for given in list_feedback(self._blob_store)}
        steps: dict[str, Step] = {}
        for id in [*spoken_steps, *notes]:
            note = notes.get(id, {})
            if id in spoken_steps or not note["said"]:  # otherwise its messages were erased
                step = {
                    **(spoken_steps[id].step if id in spoken_steps else {}),
                    **note.get("step", {}),
                    "threadId": self._thread_id,
                }
                steps[id] = {**step, "feedback": feedback[id]} if id in feedback else step
        for id in steps.keys() & notes.keys():
            if parent := notes[id].get("echoes"):
                steps[id]["input"] = steps.get(parent, {}).get("output", "")
        elements = {one["id"]: one for each in spoken_steps.values() for one in elements_of(each, self._thread_id)}
        elements |= {one["id"]: one for one in list_elements(self._blob_store)}
        # An element may be saved before its step. Elements of erased steps are not shown.
        shown = [one for one in elements.values() if one["forId"] in steps or one["forId"] not in notes]
        return sorted(steps.values(), key=step_time), shown

    def has(self, id: str) -> bool:
        """Whether this adapter saved a step in this thread."""
        return bool(self._blob_store.get(STEP_PREFIX + hash_ids(id)))

    def save(self, given: Step, *, new: bool) -> StepChange:
        """Save a step or its changes. Empty fields of a `new` step do not replace stored ones."""

        def saved() -> StepChange:
            known = self._load_step(given["id"], look=not new)
            before = self._step(known)
            now = _merge(before, json.loads(json.dumps(given, default=str)), new)
            self._store(now, known)
            return StepChange(before, now, not known.revision)

        return _retry_on_conflict(saved)

    def erase(self, id: str) -> None:
        """Delete a step permanently, with its elements and feedback."""

        def erased() -> None:
            known, name = self._load_step(id, look=True), STEP_PREFIX + hash_ids(id)
            elements = [ELEMENT_PREFIX + hash_ids(id, one["id"]) for one in list_elements(self._blob_store, id)]
            self._blob_store.put(
                dict.fromkeys([name, FEEDBACK_PREFIX + hash_ids(id), *elements]), expected={name: known.revision}
            )
            self._erase_messages(() if known.spoken_step is None else known.spoken_step.messages)

        _retry_on_conflict(erased)

    def save_element(self, element: Element) -> None:
        """Save an element, and add it to the message of its step."""
        id, step = element["id"], element["forId"]
        before = [one["id"] for one in list_elements(self._blob_store, step)]
        number = before.index(id) if id in before else len(before)
        self._put(ELEMENT_PREFIX + hash_ids(step, id), {"number": number, "element": element})
        self._save_again(step)

    def erase_element(self, element: Element) -> None:
        """Delete an element permanently."""
        self._put(ELEMENT_PREFIX + hash_ids(element["forId"], element["id"]), None)
        self._save_again(element["forId"])

    def save_feedback(self, id: str, step: str, value: int, comment: str | None) -> None:
        """Save feedback on a step."""
        self._put(FEEDBACK_PREFIX + hash_ids(step), {"forId": step, "id": id, "value": value, "comment": comment})

    def erase_feedback(self, step: str) -> None:
        """Delete the feedback on a step permanently."""
        self._put(FEEDBACK_PREFIX + hash_ids(step), None)

    # -- one step

    def _load_step(self, id: str, *, look: bool) -> _StepState:
        """Return the stored data of a step; with `look`, also if another adapter saved it."""
        name = STEP_PREFIX + hash_ids(id)
        blob = self._blob_store.get(name).get(name)
        if blob is None:
            return _StepState({}, 0, self._find_in_conversation(id) if look else None)
        note = json.loads(blob.content)
        if "messages" not in note:
            return _StepState(note, blob.revision, self._find_in_conversation(id))
        messages: list[Message] = []
        for message in note["messages"]:
            with suppress(NotFound):
                messages.append(self._chat.message(message))
        return _StepState(note, blob.revision, steps_of(messages).get(id))

    def _find_in_conversation(self, id: str) -> ConversationStep | None:
        return steps_of(self._chat.messages()).get(id)

    def _step(self, known: _StepState) -> Step:
        step = {**({} if known.spoken_step is None else known.spoken_step.step), **known.note.get("step", {})}
        return {**step, "input": self._text_of(known.note["echoes"])} if "echoes" in known.note else step

    def _save_again(self, id: str) -> None:
        """Save a step again after its elements have changed."""

        def said() -> None:
            known = self._load_step(id, look=False)
            if step := self._step(known):
                self._store(step, known)

        _retry_on_conflict(said)

    def _store(self, step: Step, known: _StepState) -> None:
        id, old = step["id"], known.spoken_step
        own = (element_to_part(element) for element in list_elements(self._blob_store, id))
        others = () if old is None else (part for part in old.parts if not is_chainlit_part(part))
        parts = (*others, *(part for part in own if part is not None))
        if old is not None and (old.is_combined or _has_same_content(old, step, parts)):
            self._note(id, known, _changed_fields(old.step, step), known.note.get("messages"))
            return
        # Erase the old messages last: if this is interrupted, the new ones count.
        messages = add_messages(self._chat, drafts_of(step, parts)) if is_conversation_step(step, parts) else []
        try:
            self._note(id, known, {} if messages else self._note_fields(step), messages)
        except RevisionConflict:
            self._erase_messages(messages)
            raise
        self._erase_messages(() if old is None else old.messages)

    def _note(self, id: str, known: _StepState, beside: Mapping[str, Any], messages: list[str] | None) -> None:
        """Save the note of a step: its messages (None for unchanged ones of another adapter) and its other fields."""
        spoken = {"said": True} if messages is None else {"said": bool(messages), "messages": messages}
        empty = messages is None and not beside["step"]
        self._put(STEP_PREFIX + hash_ids(id), None if empty else {"id": id, **spoken, **beside}, known.revision)

    def _note_fields(self, step: Step) -> dict[str, Any]:
        """Return the note fields of a step that is not in the conversation. A run repeats the text of its parent message;
        this text is not saved twice, so that erasing the message removes it."""
        parent, given = step.get("parentId"), step.get("input")
        if not parent or not given or self._text_of(parent) != given:
            return {"step": step}
        return {"step": {**step, "input": ""}, "echoes": parent}

    def _text_of(self, id: str) -> str:
        spoken_step = self._load_step(id, look=True).spoken_step
        return "" if spoken_step is None else spoken_step.step["output"]

    def _erase_messages(self, messages: Iterable[str]) -> None:
        for message in messages:
            with suppress(NotFound):
                self._chat.erase(message)

    def _put(self, name: str, value: Mapping[str, Any] | None, revision: int | None = None) -> None:
        content = None if value is None else json.dumps(value).encode()
        self._blob_store.put({name: content}, expected=None if revision is None else {name: revision})


def _retry_on_conflict(change: Callable[[], Result]) -> Result:
    """Change a step, and retry if another worker has changed it meanwhile."""
    while True:
        try:
            return change()
        except RevisionConflict:
            continue


def _merge(known: Step, given: Step, new: bool) -> Step:
    """Merge given fields into a step. Empty fields are ignored unless the step is new."""
    given.pop("feedback", None)
    if not known:
        return given
    empty: tuple[Any, ...] = (None, "", {}) if new else (None,)
    if given.get("type") == RUN_TYPE:
        given.pop("type")  # parents have this type until they are saved themselves
    return {**known, **{name: value for name, value in given.items() if value not in empty}}


def _has_same_content(old: ConversationStep, step: Step, parts: Sequence[ContentPart]) -> bool:
    said = ("type", "output", "input", *(["name"] if step["type"] == TOOL else []))
    return tuple(parts) == old.parts and all((step.get(one) or "") == (old.step.get(one) or "") for one in said)


def _changed_fields(old: Step, step: Step) -> dict[str, Any]:
    """Return the fields of a step that differ from those in the conversation."""
    changed = {name: value for name, value in step.items() if name not in old or old[name] != value}
    changed.pop("threadId", None)
    return {"step": changed}


# -- the conversation and the blob store


def add_messages(chat: Chat, drafts: Sequence[MessageDraft], after: str | None = None) -> list[str]:
    """Add messages and return their ids. An archived conversation is unarchived."""
    try:
        messages = chat.add_many(drafts, after=after)
    except InvalidTransition:
        chat.unarchive()
        messages = chat.add_many(drafts, after=after)
    return [message.id for message in messages]


def list_step_ids(blob_store: BlobStore) -> list[str]:
    """Return the ids of the steps that a blob store has notes for."""
    return [note["id"] for note in _load_all(blob_store, STEP_PREFIX)]


def list_elements(blob_store: BlobStore, step: str | None = None) -> list[Element]:
    """Return the elements of a step (None: of all) that this adapter saved, in order of arrival."""
    found = _load_all(blob_store, ELEMENT_PREFIX if step is None else f"{ELEMENT_PREFIX}{hash_ids(step)}/")
    return [one["element"] for one in sorted(found, key=lambda one: one["number"])]


def list_feedback(blob_store: BlobStore, step: str | None = None) -> list[dict[str, Any]]:
    """Return the feedback on a step (None: on all)."""
    return _load_all(blob_store, FEEDBACK_PREFIX if step is None else FEEDBACK_PREFIX + hash_ids(step))


def _load_all(blob_store: BlobStore, prefix: str) -> list[dict[str, Any]]:
    return [json.loads(blob.content) for blob in iterate_blobs(blob_store, prefix)]
