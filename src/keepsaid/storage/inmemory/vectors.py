"""Vectors and work queues of the in-memory storage."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from keepsaid.errors import Conflict, InvalidInput, NotFound
from keepsaid.ports import (
    EmbeddedPassage,
    VectorCoverage,
    VectorDelta,
    VectorGeneration,
    VectorMark,
    VisibleMessage,
    WorkLease,
)
from keepsaid.storage.inmemory.partition import GenerationState, MemoryPartition, MessageNode
from keepsaid.storage.passage_checks import check_passages
from keepsaid.types import Microseconds, Scope


class MemoryVectors(ABC):
    """The part of the in-memory storage for vectors and work queues."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._spaces: dict[tuple[str, str], MemoryPartition] = {}
        self._generations: dict[str, tuple[int, VectorGeneration]] = {}
        self._begun = 0

    @abstractmethod
    def _space(self, scope: Scope) -> MemoryPartition: ...
    @abstractmethod
    def _notify_commit(self) -> None: ...
    @abstractmethod
    def _admin_scope(self, space: MemoryPartition) -> Scope: ...

    def begin_generation(self, name: str, dimensions: int) -> VectorGeneration:
        with self._lock:
            if dimensions < 1:
                raise InvalidInput(f"a vector has at least one dimension, not {dimensions}")
            if name in self._generations and not self._has_vectors(name):
                raise Conflict(f"{name!r} is the name of a notes queue: choose another name for the embedder")
            if name not in self._generations:
                self._begun += 1
                empty = not any(space.nodes for space in self._spaces.values())
                self._generations[name] = self._begun, VectorGeneration(name, dimensions, empty)
            _, generation = self._generations[name]
            if generation.dimensions != dimensions:
                raise Conflict(f"the vectors of {name!r} have {generation.dimensions} dimensions, not {dimensions}")
            return generation

    def generations(self) -> list[VectorGeneration]:
        with self._lock:
            return [generation for _, generation in self._generations.values() if generation.dimensions]

    def _has_vectors(self, name: str) -> bool:
        """Whether this is a generation and not a notes queue."""
        return name in self._generations and self._generations[name][1].dimensions > 0

    def drop_generation(self, name: str) -> int:
        with self._lock:
            if not self._has_vectors(name):
                return 0
            del self._generations[name]
            states = [space.generations.pop(name, GenerationState()) for space in self._spaces.values()]
            return sum(len(some) for state in states for some in state.passages.values())

    def coverage(self, name: str) -> VectorCoverage:
        with self._lock:
            spaces = self._spaces.values()
            passages = [passage for space in spaces for some in _state(space, name).passages.values() for passage in some]
            return VectorCoverage(
                sum(node.number <= _state(space, name).upto for space in spaces for node in space.nodes.values()),
                sum(len(space.nodes) for space in spaces),
                len(passages),
                sum(len(passage.vector) + len(passage.tokens) for passage in passages),
            )

    def claim(
        self, generation: str, holder: str, now: Microseconds, until: Microseconds, limit: int, scope: Scope | None = None
    ) -> WorkLease | None:
        with self._lock:
            if generation not in self._generations:
                raise NotFound(f"there is no generation or notes queue {generation!r} in this store")
            only = None if scope is None else self._space(scope)
            spaces = [space for space in self._find_working_spaces(generation) if only is None or space is only]
            spaces.sort(key=lambda space: _state(space, generation).holder != holder)
            for space in spaces:
                state = space.generations.setdefault(generation, GenerationState(notes=not self._has_vectors(generation)))
                free = state.holder in (None, holder) or state.until <= now
                messages = _waiting(space, state)[:limit]
                if free and messages:
                    state.holder, state.until = holder, until
                    acting = self._admin_scope(space)
                    return WorkLease(
                        generation, space.last.life, state.upto, messages[-1].number, messages, holder, until, acting
                    )
            if scope is None:
                self._complete_if_done(generation)
            return None

    def settle_task(self, task: WorkLease, passages: Sequence[EmbeddedPassage], now: Microseconds) -> bool:
        with self._lock:
            held = self._find_leased(task)
            if held is None or not self._has_vectors(task.generation):
                return False
            space, state = held
            check_passages(task, passages, self._generations[task.generation][1].dimensions)
            alive = {node.number for node in space.nodes.values() if not node.message.private}
            for passage in sorted(passages, key=lambda passage: passage.part):
                if passage.number in alive:
                    state.passages.setdefault(passage.number, []).append(passage)
            state.upto, state.holder = task.upto, None
            self._complete_if_done(task.generation)
            self._notify_commit()
            return True

    def _find_working_spaces(self, line: str) -> list[MemoryPartition]:
        """Return the spaces that a work queue processes. Notes queues skip documents."""
        notes = line in self._generations and not self._has_vectors(line)
        return [space for (kind, _), space in self._spaces.items() if not (notes and kind.endswith("documents"))]

    def release(self, task: WorkLease) -> None:
        with self._lock:
            held = self._find_leased(task)
            if held is not None:
                held[1].holder = None

    def _find_leased(self, task: WorkLease) -> tuple[MemoryPartition, GenerationState] | None:
        """Return the space and state of a task, or None if its holder has lost the lease."""
        for space in self._spaces.values():
            state = _state(space, task.generation)
            if (space.last.life, state.upto, state.holder) == (task.space, task.after, task.holder):
                return space, state
        return None

    def _complete_if_done(self, name: str) -> None:
        if not any(_waiting(space, _state(space, name)) for space in self._spaces.values()):
            number, generation = self._generations[name]
            self._generations[name] = number, generation._replace(complete=True)

    def waiting(self, scope: Scope, generation: str) -> int:
        with self._lock:
            space = self._space(scope)
            if not any(space is known for known in self._find_working_spaces(generation)):
                return 0
            last = max((node.number for node in space.nodes.values()), default=0)
            return max(0, last - _state(space, generation).upto)

    def vectors(self, scope: Scope, generation: str, since: VectorMark) -> VectorDelta:
        with self._lock:
            space = self._space(scope)
            begun, _ = self._generations.get(generation, (0, None))
            if not self._has_vectors(generation) or not space.last.life:
                return VectorDelta(True, [], [], [], VectorMark())
            state = _state(space, generation)
            mark = VectorMark(space.last.life << 20 | begun, state.upto, space.last.changes)
            erased = any(kind == "erased" and change > since.changes for _, change, kind, *_ in space.log)
            fresh = since.life != mark.life or since.number > mark.number or erased
            found = [
                passage
                for number, some in sorted(state.passages.items())
                for passage in some
                if fresh or number > since.number
            ]
            return VectorDelta(fresh, [p.number for p in found], [p.part for p in found], [p.vector for p in found], mark)

    def passages(self, scope: Scope, generation: str, numbers: Sequence[int]) -> list[EmbeddedPassage]:
        with self._lock:
            kept = _state(self._space(scope), generation).passages
            return [passage for number in sorted(set(numbers)) for passage in kept.get(number, ())]


def _state(space: MemoryPartition, generation: str) -> GenerationState:
    return space.generations.get(generation) or GenerationState()


def _waiting(space: MemoryPartition, state: GenerationState) -> list[VisibleMessage]:
    nodes = sorted(space.nodes.values(), key=lambda node: node.number)
    return [VisibleMessage(n.number, n.message._replace(session=_home(n))) for n in nodes if n.number > state.upto]


def _home(node: MessageNode) -> str:
    """Return the id of the session in which a message was added, or an empty string if it was purged."""
    return "" if node.home.purged else node.home.session.id
