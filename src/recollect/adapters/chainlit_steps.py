"""The steps of one thread of Chainlit: in its conversation, and in its drawer.

What is said stands in the conversation, and nowhere else. The drawer has a note of every step: which messages say it, what
changes later beside their words, and the whole of a step that is not part of the conversation (a run, a model's call, a
message that has no words yet).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from recollect.adapters.chainlit_messages import (
    TOOL,
    Element,
    Step,
    Told,
    drafts_of,
    elements_of,
    is_own,
    is_said,
    part_of,
    told_of,
    when,
)
from recollect.adapters.chainlit_register import named
from recollect.adapters.common import all_blobs
from recollect.chat import Chat
from recollect.drawer import Drawer
from recollect.errors import IllegalMove, NotFound, RevisionConflict
from recollect.types import Draft, Message, Part

Result = TypeVar("Result")

STEP, ELEMENT, FEEDBACK = "chainlit/step/", "chainlit/element/", "chainlit/feedback/"
"""Names in the drawer of a thread, with a hash of the step's id behind them, and of the element's."""

RUN = "run"


class Saved(NamedTuple):
    """What became of a step: what was known of it before, and what is now."""

    before: Step
    now: Step
    first: bool
    """Whether it is noted for the first time."""


class _Known(NamedTuple):
    """What there is of a step: the note of it, the revision of that, and what the conversation tells."""

    note: dict[str, Any]
    revision: int
    told: Told | None


class Steps:
    """The steps, elements and feedback of a thread."""

    def __init__(self, thread_id: str, chat: Chat, drawer: Drawer) -> None:
        self._thread_id = thread_id
        self._chat = chat
        self._drawer = drawer

    def all(self) -> tuple[list[Step], list[Element]]:
        """All steps as Chainlit knows them, in the order in which they began, and their elements."""
        told = told_of(self._chat.messages())
        notes = {note["id"]: note for note in _loaded(self._drawer, STEP)}
        feedback = {given["forId"]: given for given in feedback_in(self._drawer)}
        steps: dict[str, Step] = {}
        for id in [*told, *notes]:
            note = notes.get(id, {})
            if id in told or not note["said"]:  # else it was said, and somebody has erased it since
                step = {**(told[id].step if id in told else {}), **note.get("step", {}), "threadId": self._thread_id}
                steps[id] = {**step, "feedback": feedback[id]} if id in feedback else step
        for id in steps.keys() & notes.keys():
            if parent := notes[id].get("echoes"):
                steps[id]["input"] = steps.get(parent, {}).get("output", "")
        elements = {one["id"]: one for each in told.values() for one in elements_of(each, self._thread_id)}
        elements |= {one["id"]: one for one in elements_in(self._drawer)}
        # An element may come before its step. Of a step that was there, and is erased, nothing is shown.
        shown = [one for one in elements.values() if one["forId"] in steps or one["forId"] not in notes]
        return sorted(steps.values(), key=when), shown

    def has(self, id: str) -> bool:
        """Whether a step came in by this door, and is here."""
        return bool(self._drawer.get(STEP + named(id)))

    def save(self, given: Step, *, new: bool) -> Saved:
        """Keeps a step, or what has changed of it. What a `new` one leaves empty does not replace what is there."""

        def saved() -> Saved:
            known = self._known(given["id"], look=not new)
            before = self._step(known)
            now = _merged(before, json.loads(json.dumps(given, default=str)), new)
            self._keep(now, known)
            return Saved(before, now, not known.revision)

        return _undisturbed(saved)

    def erase(self, id: str) -> None:
        """Removes a step for good, with its elements and its feedback."""

        def erased() -> None:
            known, name = self._known(id, look=True), STEP + named(id)
            elements = [ELEMENT + named(id, one["id"]) for one in elements_in(self._drawer, id)]
            self._drawer.put(dict.fromkeys([name, FEEDBACK + named(id), *elements]), expected={name: known.revision})
            self._unsay(() if known.told is None else known.told.messages)

        _undisturbed(erased)

    def save_element(self, element: Element) -> None:
        """Keeps an element beside its step, and makes it part of what the step says."""
        id, step = element["id"], element["forId"]
        before = [one["id"] for one in elements_in(self._drawer, step)]
        number = before.index(id) if id in before else len(before)
        self._put(ELEMENT + named(step, id), {"number": number, "element": element})
        self._say_anew(step)

    def erase_element(self, element: Element) -> None:
        """Removes an element for good."""
        self._put(ELEMENT + named(element["forId"], element["id"]), None)
        self._say_anew(element["forId"])

    def save_feedback(self, id: str, step: str, value: int, comment: str | None) -> None:
        """Keeps what a user thinks of a step."""
        self._put(FEEDBACK + named(step), {"forId": step, "id": id, "value": value, "comment": comment})

    def erase_feedback(self, step: str) -> None:
        """Removes it for good."""
        self._put(FEEDBACK + named(step), None)

    # -- one step

    def _known(self, id: str, *, look: bool) -> _Known:
        """What there is of a step; with `look`, also of one that came in by another door."""
        name = STEP + named(id)
        blob = self._drawer.get(name).get(name)
        if blob is None:
            return _Known({}, 0, self._found(id) if look else None)
        note = json.loads(blob.content)
        if "messages" not in note:
            return _Known(note, blob.revision, self._found(id))
        messages: list[Message] = []
        for message in note["messages"]:
            with suppress(NotFound):
                messages.append(self._chat.message(message))
        return _Known(note, blob.revision, told_of(messages).get(id))

    def _found(self, id: str) -> Told | None:
        return told_of(self._chat.messages()).get(id)

    def _step(self, known: _Known) -> Step:
        step = {**({} if known.told is None else known.told.step), **known.note.get("step", {})}
        return {**step, "input": self._words(known.note["echoes"])} if "echoes" in known.note else step

    def _say_anew(self, id: str) -> None:
        """A step whose elements have changed says something else."""

        def said() -> None:
            known = self._known(id, look=False)
            if step := self._step(known):
                self._keep(step, known)

        _undisturbed(said)

    def _keep(self, step: Step, known: _Known) -> None:
        id, old = step["id"], known.told
        own = (part_of(element) for element in elements_in(self._drawer, id))
        others = () if old is None else (part for part in old.parts if not is_own(part))
        parts = (*others, *(part for part in own if part is not None))
        if old is not None and (old.fixed or _says_the_same(old, step, parts)):
            self._note(id, known, _changed(old.step, step), known.note.get("messages"))
            return
        # The old words go last: should this end in between, the new ones are what counts.
        messages = said(self._chat, drafts_of(step, parts)) if is_said(step, parts) else []
        try:
            self._note(id, known, {} if messages else self._unsaid(step), messages)
        except RevisionConflict:
            self._unsay(messages)
            raise
        self._unsay(() if old is None else old.messages)

    def _note(self, id: str, known: _Known, beside: Mapping[str, Any], messages: list[str] | None) -> None:
        """Notes which messages say a step (None: those of another door, as they are), and what is beside them."""
        spoken = {"said": True} if messages is None else {"said": bool(messages), "messages": messages}
        empty = messages is None and not beside["step"]
        self._put(STEP + named(id), None if empty else {"id": id, **spoken, **beside}, known.revision)

    def _unsaid(self, step: Step) -> dict[str, Any]:
        """What is kept of a step that is no part of the conversation. A run repeats the words of the message that it is for:
        these are not kept twice, so that they can be erased."""
        parent, given = step.get("parentId"), step.get("input")
        if not parent or not given or self._words(parent) != given:
            return {"step": step}
        return {"step": {**step, "input": ""}, "echoes": parent}

    def _words(self, id: str) -> str:
        told = self._known(id, look=True).told
        return "" if told is None else told.step["output"]

    def _unsay(self, messages: Iterable[str]) -> None:
        for message in messages:
            with suppress(NotFound):
                self._chat.erase(message)

    def _put(self, name: str, value: Mapping[str, Any] | None, revision: int | None = None) -> None:
        content = None if value is None else json.dumps(value).encode()
        self._drawer.put({name: content}, expected=None if revision is None else {name: revision})


def _undisturbed(change: Callable[[], Result]) -> Result:
    """Does something to a step. Where another worker has changed it in between, it is done again, on top of that."""
    while True:
        try:
            return change()
        except RevisionConflict:
            continue


def _merged(known: Step, given: Step, new: bool) -> Step:
    """A step with what is given of it. Nothing is no news, unless nothing was known."""
    given.pop("feedback", None)
    if not known:
        return given
    empty: tuple[Any, ...] = (None, "", {}) if new else (None,)
    if given.get("type") == RUN:
        given.pop("type")  # what parents are taken for until they come
    return {**known, **{name: value for name, value in given.items() if value not in empty}}


def _says_the_same(old: Told, step: Step, parts: Sequence[Part]) -> bool:
    said = ("type", "output", "input", *(["name"] if step["type"] == TOOL else []))
    return tuple(parts) == old.parts and all((step.get(one) or "") == (old.step.get(one) or "") for one in said)


def _changed(old: Step, step: Step) -> dict[str, Any]:
    """What of a step is not as the conversation tells it."""
    changed = {name: value for name, value in step.items() if name not in old or old[name] != value}
    changed.pop("threadId", None)
    return {"step": changed}


# -- the conversation, and the drawer


def said(chat: Chat, drafts: Sequence[Draft], after: str | None = None) -> list[str]:
    """Says something, and returns the ids. Who goes on with a conversation that was put away takes it up again."""
    try:
        messages = chat.add_many(drafts, after=after)
    except IllegalMove:
        chat.unarchive()
        messages = chat.add_many(drafts, after=after)
    return [message.id for message in messages]


def steps_in(drawer: Drawer) -> list[str]:
    """The ids of the steps that are noted in a drawer."""
    return [note["id"] for note in _loaded(drawer, STEP)]


def elements_in(drawer: Drawer, step: str | None = None) -> list[Element]:
    """The elements of a step (None: of all) that came in by this door, in the order in which they came."""
    found = _loaded(drawer, ELEMENT if step is None else f"{ELEMENT}{named(step)}/")
    return [one["element"] for one in sorted(found, key=lambda one: one["number"])]


def feedback_in(drawer: Drawer, step: str | None = None) -> list[dict[str, Any]]:
    """What is thought of a step (None: of all)."""
    return _loaded(drawer, FEEDBACK if step is None else FEEDBACK + named(step))


def _loaded(drawer: Drawer, prefix: str) -> list[dict[str, Any]]:
    return [json.loads(blob.content) for blob in all_blobs(drawer, prefix)]
