"""The reference's vectors: kept with their messages' owner, handed out by the same rules as everywhere."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.ports import Coverage, Generation, Passage, Seen, Task, VectorDelta, VectorMark
from recollect.storage.memory_space import Node, Shelf, Space
from recollect.storage.passages import check_passages
from recollect.types import Microseconds, Scope


class MemoryVectors(ABC):
    """The half of the reference that keeps vectors."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._spaces: dict[tuple[str, str], Space] = {}
        self._generations: dict[str, tuple[int, Generation]] = {}
        self._begun = 0

    @abstractmethod
    def _space(self, scope: Scope) -> Space: ...
    @abstractmethod
    def _committed(self) -> None: ...
    @abstractmethod
    def _acting(self, space: Space) -> Scope: ...

    def begin_generation(self, name: str, dimensions: int) -> Generation:
        with self._lock:
            if dimensions < 1:
                raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
            if name in self._generations and not self._has_vectors(name):
                raise Conflict(f"{name!r} is the name of a line of notes: give the embedder another one")
            if name not in self._generations:
                self._begun += 1
                empty = not any(space.nodes for space in self._spaces.values())
                self._generations[name] = self._begun, Generation(name, dimensions, empty)
            _, made = self._generations[name]
            if made.dimensions != dimensions:
                raise Conflict(f"the vectors of {name!r} have {made.dimensions} dimensions, not {dimensions}")
            return made

    def generations(self) -> list[Generation]:
        with self._lock:
            return [generation for _, generation in self._generations.values() if generation.dimensions]

    def _has_vectors(self, name: str) -> bool:
        """Whether this is a generation, and not a line of notes."""
        return name in self._generations and self._generations[name][1].dimensions > 0

    def drop_generation(self, name: str) -> int:
        with self._lock:
            if not self._has_vectors(name):
                return 0
            del self._generations[name]
            shelves = [space.shelves.pop(name, Shelf()) for space in self._spaces.values()]
            return sum(len(some) for shelf in shelves for some in shelf.passages.values())

    def coverage(self, name: str) -> Coverage:
        with self._lock:
            spaces = self._spaces.values()
            passages = [passage for space in spaces for some in _shelf(space, name).passages.values() for passage in some]
            return Coverage(
                sum(node.number <= _shelf(space, name).upto for space in spaces for node in space.nodes.values()),
                sum(len(space.nodes) for space in spaces),
                len(passages),
                sum(len(passage.vector) + len(passage.tokens) for passage in passages),
            )

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> Task | None:
        with self._lock:
            if generation not in self._generations:
                raise NotFound(f"no vectors of {generation!r} were ever begun in this store")
            only = None if scope is None else self._space(scope)
            spaces = [space for space in self._worked_on(generation) if only is None or space is only]
            spaces.sort(key=lambda space: _shelf(space, generation).holder != holder)
            for space in spaces:
                shelf = space.shelves.setdefault(generation, Shelf(notes=not self._has_vectors(generation)))
                free = shelf.holder in (None, holder) or shelf.until <= now
                messages = _waiting(space, shelf)[:limit]
                if free and messages:
                    shelf.holder, shelf.until = holder, until
                    acting = self._acting(space)
                    return Task(
                        generation, space.last.life, shelf.upto, messages[-1].number, messages, holder, until, acting
                    )
            if scope is None:
                self._complete_if_done(generation)
            return None

    def settle_task(self, task: Task, passages: Sequence[Passage], now: Microseconds) -> bool:
        with self._lock:
            held = self._held(task)
            if held is None or not self._has_vectors(task.generation):
                return False
            space, shelf = held
            check_passages(task, passages, self._generations[task.generation][1].dimensions)
            alive = {node.number for node in space.nodes.values() if not node.message.private}
            for passage in sorted(passages, key=lambda passage: passage.part):
                if passage.number in alive:
                    shelf.passages.setdefault(passage.number, []).append(passage)
            shelf.upto, shelf.holder = task.upto, None
            self._complete_if_done(task.generation)
            self._committed()
            return True

    def _worked_on(self, line: str) -> list[Space]:
        """The owners whose messages wait in a line of work. Of documents no notes are taken."""
        notes = line in self._generations and not self._has_vectors(line)
        return [space for (kind, _), space in self._spaces.items() if not (notes and kind.endswith("shelf"))]

    def release(self, task: Task) -> None:
        with self._lock:
            held = self._held(task)
            if held is not None:
                held[1].holder = None

    def _held(self, task: Task) -> tuple[Space, Shelf] | None:
        """What the task is about, if its holder still has it."""
        for space in self._spaces.values():
            shelf = _shelf(space, task.generation)
            if (space.last.life, shelf.upto, shelf.holder) == (task.space, task.after, task.holder):
                return space, shelf
        return None

    def _complete_if_done(self, name: str) -> None:
        if not any(_waiting(space, _shelf(space, name)) for space in self._spaces.values()):
            number, generation = self._generations[name]
            self._generations[name] = number, generation._replace(complete=True)

    def waiting(self, scope: Scope, generation: str) -> int:
        with self._lock:
            space = self._space(scope)
            if not any(space is known for known in self._worked_on(generation)):
                return 0
            last = max((node.number for node in space.nodes.values()), default=0)
            return max(0, last - _shelf(space, generation).upto)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        with self._lock:
            space = self._space(scope)
            begun, _ = self._generations.get(generation, (0, None))
            if not self._has_vectors(generation) or not space.last.life:
                return VectorDelta(True, [], [], [], VectorMark())
            shelf = _shelf(space, generation)
            mark = VectorMark(space.last.life << 20 | begun, shelf.upto, space.last.changes)
            erased = any(kind == "erased" and change > since.changes for _, change, kind, *_ in space.log)
            fresh = since.life != mark.life or since.number > mark.number or erased
            found = [
                passage
                for number, some in sorted(shelf.passages.items())
                for passage in some
                if fresh or number > since.number
            ]
            return VectorDelta(fresh, [p.number for p in found], [p.part for p in found], [p.vector for p in found], mark)

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[Passage]:
        with self._lock:
            kept = _shelf(self._space(scope), generation).passages
            return [passage for number in sorted(set(numbers)) for passage in kept.get(number, ())]


def _shelf(space: Space, generation: str) -> Shelf:
    return space.shelves.get(generation) or Shelf()


def _waiting(space: Space, shelf: Shelf) -> list[Seen]:
    nodes = sorted(space.nodes.values(), key=lambda node: node.number)
    return [Seen(n.number, n.message._replace(session=_home(n))) for n in nodes if n.number > shelf.upto]


def _home(node: Node) -> str:
    """The session that a message was said in, if it still has a name."""
    return "" if node.home.purged else node.home.session.id
