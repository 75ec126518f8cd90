"""Copy sessions and their messages to the target, in the order in which they were saved.

The order matters: messages are embedded in it, and a later message may replace what an earlier one says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from keepsaid.errors import Conflict, MessageConflict, NotFound
from keepsaid.ports import CHANGEABLE_FIELDS, PlacedMessage
from keepsaid.transfer.copy.compare import MessageProgress, SessionComparison
from keepsaid.transfer.copy.fingerprint import MessageFingerprint
from keepsaid.transfer.copy.pools import PoolCopier
from keepsaid.transfer.copy.references import split_into_batches
from keepsaid.transfer.copy.storage_pair import BATCH_SIZE, StoragePair, describe_scope
from keepsaid.transfer.fork_order import ForkOrder, iterate_messages
from keepsaid.types import Message, Scope, Session


class PendingMessage(NamedTuple):
    """A message that is not copied yet, and its position. Sorts by the fields in this order."""

    saved: int
    """When it was saved: its number, or that of an earlier message of its session that was made public later."""
    session: int
    """The index of its session in the order of sessions."""
    seq: int
    id: str
    parent: str | None
    author: str | None


class SessionCopier:
    """Copies the sessions of one owner or pool, and counts them."""

    def __init__(self, pair: StoragePair, pools: PoolCopier, report_progress: MessageProgress) -> None:
        self._pair = pair
        self._pools = pools
        self._report_progress = report_progress
        self.sessions = self.messages = 0

    def copy_sessions(self, scope: Scope, todo: Mapping[str, SessionComparison]) -> None:
        """Copy what is missing of these sessions."""
        lineage = ForkOrder(self._pair.source, scope)
        sessions = lineage.sessions()
        forks = {session.id: lineage.fork(session) for session in sessions}
        makers = self._pair.source.makers(scope) if scope.pool is not None else {}
        chosen = [session for session in sessions if session.id in todo]
        growth = _TargetSessions(self._pair, self._pools, scope, chosen, forks, makers)
        growth.begun |= {id for id, standing in todo.items() if standing.there is not None}
        steps = sorted(self._steps(scope, chosen, forks, todo))
        last = {step.session: step for step in steps}
        for run in _runs(steps):
            growth.plant(run, is_last=last[run[0].session] is run[-1])
            self.messages += len(run)
            self._report_progress(len(run))
        for order, session in enumerate(chosen):
            growth.finish(session, has_grown=order in last)
        self.sessions += len(chosen)

    def _steps(
        self,
        scope: Scope,
        sessions: list[Session],
        forks: Mapping[str, Message | None],
        todo: Mapping[str, SessionComparison],
    ) -> Iterator[PendingMessage]:
        origins = dict.fromkeys((fork.id for fork in forks.values() if fork is not None), 0)
        for order, session in enumerate(sessions):
            fork = forks[session.id]
            saved = 0 if fork is None else origins[fork.id]
            known, fork_seq = todo[session.id].there or 0, fork.seq if fork else 0
            for message, parent, number in self._missing(scope.of(session.id), known, fork_seq):
                saved = max(saved, number)
                if message.id in origins:
                    origins[message.id] = saved
                yield PendingMessage(saved, order, message.seq, message.id, parent, message.author)

    def _missing(self, scope: Scope, skipped: int, fork_seq: int) -> Iterator[tuple[Message, str | None, int]]:
        """The messages of a session to copy, each with its parent's id and its number."""
        talk = MessageFingerprint()
        read = 0
        for some in split_into_batches(iterate_messages(self._pair.source, scope)):
            fresh: list[Message] = []
            for message in some:
                talk.add(message)
                read += 1
                if read > skipped and message.seq > fork_seq:
                    fresh.append(message)
            known = self._pair.source.known(scope, [message.id for message in fresh]) if fresh else {}
            yield from ((one, talk.parent(one), known[one.id].number) for one in fresh if one.id in known)


class _TargetSessions:
    """The sessions of one memory in the target, as messages are added."""

    def __init__(
        self,
        pair: StoragePair,
        pools: PoolCopier,
        scope: Scope,
        sessions: list[Session],
        forks: Mapping[str, Message | None],
        makers: Mapping[str, str],
    ) -> None:
        self._pair, self._pools, self._scope = pair, pools, scope
        self._sessions, self._forks, self._makers = sessions, forks, makers
        self.begun: set[str] = set()
        """Sessions that exist in the target."""
        self._made: set[str] = set()

    def plant(self, run: list[PendingMessage], *, is_last: bool) -> None:
        """Add messages that follow one another. The last ones also set the session's leaf to that of the source."""
        session = self._sessions[run[0].session]
        self._begin(session)
        scope = self._scope.of(session.id)
        tree = self._pair.source.tree(scope, run[0].seq - 1, len(run))
        found = {message.id: message for message in tree.messages}
        planted = [PlacedMessage(found[step.id], step.parent) for step in run if step.id in found]
        leaf = tree.leaf if is_last else run[-1].id
        try:
            with self._pools.writer_scope(scope, run[0].author) as whose:
                self._pair.target.plant(whose, planted, leaf, session.touched, session.updated)
        except (MessageConflict, NotFound) as error:
            raise Conflict(
                f"{describe_scope(scope)}: {error}; the target has erased it, or has it in another session"
            ) from error

    def _begin(self, session: Session) -> None:
        if session.id in self.begun:
            return
        fork = self._forks[session.id]
        new = session._replace(message_count=0, token_count=0, revision=1, head=0)
        with self._pools.writer_scope(self._scope, self._makers.get(session.id)) as whose:
            self._pair.target.create_session(whose, new, None if fork is None else (fork.session, fork.id))
        self.begun.add(session.id)
        self._made.add(session.id)

    def finish(self, session: Session, *, has_grown: bool) -> None:
        """Update a session's fields to those in the source, if it existed before or got no messages."""
        self._begin(session)
        if session.id in self._made and has_grown:
            return
        scope = self._scope.of(session.id)
        there, leaf = self._pair.target.tree(scope, limit=0), self._pair.source.tree(scope, limit=0).leaf
        known = there.session
        changes = {name: value for name in CHANGEABLE_FIELDS if (value := getattr(session, name)) != getattr(known, name)}
        if changes:
            self._pair.target.update_session(scope, changes, session.touched)
        if (there.leaf, known.updated, known.touched) != (leaf, session.updated, session.touched):
            self._pair.target.plant(scope, (), leaf, session.touched, session.updated)


def _runs(steps: list[PendingMessage]) -> Iterator[list[PendingMessage]]:
    """Group consecutive messages of one session and author into batches."""
    run: list[PendingMessage] = []
    for step in steps:
        if run and (run[-1].session != step.session or run[-1].author != step.author or len(run) == BATCH_SIZE):
            yield run
            run = []
        run.append(step)
    if run:
        yield run
