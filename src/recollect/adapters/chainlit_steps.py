"""The steps of one thread of Chainlit: in its conversation, and in its drawer.

What is said stands in the conversation, and nowhere else. A step that is not part of it (a run, a model's call, a message
that has no words yet) lies in the drawer, and so does what changes later beside the words of one that is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

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
from recollect.adapters.chainlit_register import Register
from recollect.chat import Chat
from recollect.drawer import AT_ONCE, Drawer
from recollect.errors import IllegalMove, NotFound
from recollect.types import Blob, Draft, Message, Part

STEP, ELEMENT, FEEDBACK = "chainlit/step/", "chainlit/element/", "chainlit/feedback/"
"""Names in the drawer of a thread. An element's name has its step's in it."""

RUN = "run"


class Steps:
    """The steps, elements and feedback of a thread."""

    def __init__(self, thread_id: str, chat: Chat, drawer: Drawer, register: Register) -> None:
        self._thread_id = thread_id
        self._chat = chat
        self._drawer = drawer
        self._register = register

    def all(self) -> tuple[list[Step], list[Element]]:
        """All steps as Chainlit knows them, in the order in which they began, and their elements."""
        told = told_of(self._chat.messages())
        beside = {name.removeprefix(STEP): kept for name, kept in loaded(self._drawer, STEP).items()}
        feedback = {name.removeprefix(FEEDBACK): kept for name, kept in loaded(self._drawer, FEEDBACK).items()}
        steps: dict[str, Step] = {}
        for id in [*told, *beside]:
            kept = beside.get(id, {})
            if id in told or not kept.get("said"):  # else it was said, and somebody has erased it since
                step = {**(told[id].step if id in told else {}), **kept.get("step", {}), "threadId": self._thread_id}
                steps[id] = {**step, "feedback": feedback[id]} if id in feedback else step
        for id in steps.keys() & beside.keys():
            if parent := beside[id].get("echoes"):
                steps[id]["input"] = steps.get(parent, {}).get("output", "")
        elements = {one["id"]: one for each in told.values() for one in elements_of(each, self._thread_id)}
        elements |= {one["id"]: one for one in self._elements(ELEMENT).values()}
        return sorted(steps.values(), key=when), [one for one in elements.values() if not self._is_gone(one["forId"], steps)]

    def save(self, given: Step, *, new: bool) -> tuple[Step, Step]:
        """Keeps a step, or what has changed of it; returns what was known before, and what is now. What a `new` one leaves
        empty does not replace what is there."""
        id = given["id"]
        old = self._told(id, look=not new)
        known = self._known(id, old)
        step = _merged(known, json.loads(json.dumps(given, default=str)), new)
        self._keep(step, old)
        return known, step

    def erase(self, id: str) -> list[Element]:
        """Removes a step for good, with its elements, which are returned, and its feedback."""
        old = self._told(id, look=True)
        self._unsay(old)
        elements = self._elements(f"{ELEMENT}{id}/")
        feedback = _one(self._drawer, FEEDBACK + id)
        self._drawer.put(dict.fromkeys([STEP + id, *feedback, *elements]))
        self._register.forget("step", [id])
        self._register.forget("element", [one["id"] for one in elements.values()])
        self._register.forget("feedback", [one["id"] for one in feedback.values()])
        return list(elements.values())

    def save_element(self, element: Element) -> None:
        """Keeps an element beside its step, and makes it part of what the step says."""
        id, step = element["id"], element["forId"]
        before, name = self._elements(f"{ELEMENT}{step}/"), f"{ELEMENT}{step}/{id}"
        number = list(before).index(name) if name in before else len(before)
        _put(self._drawer, name, {"number": number, "element": element})
        self._register.note("element", {id: {"thread": self._thread_id, "step": step}})
        self._say_anew(step)

    def erase_element(self, id: str, step: str) -> list[Element]:
        """Removes an element for good, and returns it, if it was there."""
        name = f"{ELEMENT}{step}/{id}"
        found = _one(self._drawer, name)
        _put(self._drawer, name, None)
        self._register.forget("element", [id])
        self._say_anew(step)
        return [one["element"] for one in found.values()]

    def save_feedback(self, id: str, step: str, value: int, comment: str | None) -> None:
        """Keeps what a user thinks of a step."""
        _put(self._drawer, FEEDBACK + step, {"forId": step, "id": id, "value": value, "comment": comment})
        self._register.note("feedback", {id: {"thread": self._thread_id, "step": step}})

    def erase_feedback(self, id: str, step: str) -> None:
        """Removes it for good."""
        _put(self._drawer, FEEDBACK + step, None)
        self._register.forget("feedback", [id])

    def note_all(self) -> None:
        """Notes where the steps are that came in by this door: they have been copied here."""
        for id, told in told_of(self._chat.messages()).items():
            if self._register.find("step", id) is not None:
                self._note(id, told.messages)

    # -- one step

    def _is_gone(self, id: str, steps: Mapping[str, Step]) -> bool:
        """Whether a step was there, and somebody has erased it: its elements may come before it does."""
        return id not in steps and self._register.find("step", id) is not None

    def _told(self, id: str, *, look: bool) -> Told | None:
        """What the conversation tells of a step; with `look`, also of one that came in by another door."""
        note = self._register.find("step", id)
        if note is None:
            return told_of(self._chat.messages()).get(id) if look else None
        messages: list[Message] = []
        for message in note["messages"]:
            with suppress(NotFound):
                messages.append(self._chat.message(message))
        return told_of(messages).get(id)

    def _known(self, id: str, told: Told | None) -> Step:
        kept = _one(self._drawer, STEP + id).get(STEP + id, {})
        step = {**({} if told is None else told.step), **kept.get("step", {})}
        return {**step, "input": self._words(kept["echoes"])} if "echoes" in kept else step

    def _elements(self, prefix: str) -> dict[str, Element]:
        """Elements in the order in which they came, by the names of their blobs."""
        found = sorted(loaded(self._drawer, prefix).items(), key=lambda named: named[1]["number"])
        return {name: one["element"] for name, one in found}

    def _say_anew(self, id: str) -> None:
        """A step whose elements have changed says something else."""
        old = self._told(id, look=False)
        if step := self._known(id, old):
            self._keep(step, old)

    def _keep(self, step: Step, old: Told | None) -> None:
        id = step["id"]
        own = (part_of(element) for element in self._elements(f"{ELEMENT}{id}/").values())
        others = () if old is None else (part for part in old.parts if not is_own(part))
        parts = (*others, *(part for part in own if part is not None))
        if old is not None and (old.fixed or _says_the_same(old, step, parts)):
            changed = {name: value for name, value in step.items() if name not in old.step or old.step[name] != value}
            changed.pop("threadId", None)
            _put(self._drawer, STEP + id, {"said": True, "step": changed} if changed else None)
            return
        # The old words go last: should this end in between, the new ones are what counts.
        messages = self._say(drafts_of(step, parts)) if is_said(step, parts) else ()
        self._note(id, messages)
        _put(self._drawer, STEP + id, None if messages else self._unsaid(step))
        self._unsay(old)

    def _unsaid(self, step: Step) -> dict[str, Any]:
        """What is kept of a step that is no part of the conversation. A run repeats the words of the message that it is for:
        these are not kept twice, so that they can be erased."""
        parent, given = step.get("parentId"), step.get("input")
        if not parent or not given or self._words(parent) != given:
            return {"said": False, "step": step}
        return {"said": False, "step": {**step, "input": ""}, "echoes": parent}

    def _words(self, id: str) -> str:
        told = self._told(id, look=True)
        return "" if told is None else told.step["output"]

    def _say(self, drafts: Sequence[Draft]) -> tuple[str, ...]:
        """Who goes on with a thread that was put away takes it up again."""
        try:
            said = self._chat.add_many(drafts)
        except IllegalMove:
            self._chat.unarchive()
            said = self._chat.add_many(drafts)
        return tuple(message.id for message in said)

    def _unsay(self, old: Told | None) -> None:
        for message in () if old is None else old.messages:
            with suppress(NotFound):
                self._chat.erase(message)

    def _note(self, id: str, messages: Iterable[str]) -> None:
        self._register.note("step", {id: {"thread": self._thread_id, "messages": list(messages)}})


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


# -- the drawer


def blobs(drawer: Drawer, prefix: str) -> Iterator[Blob]:
    """All blobs whose names begin so."""
    after = None
    while True:
        found = drawer.list(prefix, after=after)
        yield from found
        if len(found) < AT_ONCE:
            return
        after = found[-1].name


def loaded(drawer: Drawer, prefix: str) -> dict[str, dict[str, Any]]:
    """What all blobs say whose names begin so, by name."""
    return {blob.name: json.loads(blob.content) for blob in blobs(drawer, prefix)}


def _one(drawer: Drawer, name: str) -> dict[str, dict[str, Any]]:
    return {blob.name: json.loads(blob.content) for blob in drawer.get(name).values()}


def _put(drawer: Drawer, name: str, value: Mapping[str, Any] | None) -> None:
    drawer.put({name: None if value is None else json.dumps(value).encode()})
