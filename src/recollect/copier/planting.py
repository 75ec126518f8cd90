"""Sessions and their messages, planted in the target in the order in which they were saved.

The order matters: messages wait for their vectors in it, and a later one may take the place of what an earlier one says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recollect.copier.compare import Standing, Told
from recollect.copier.fingerprint import Talk
from recollect.copier.pools import Pools
from recollect.copier.references import batches
from recollect.copier.whole import AT_ONCE, Pair, place
from recollect.errors import Conflict, MessageConflict, NotFound
from recollect.lineage import Lineage, messages
from recollect.ports import CHANGEABLE, Planted
from recollect.types import Message, Scope, Session


class Step(NamedTuple):
    """A message that is still to come, and where it goes. They are sorted as they stand here."""

    saved: int
    """When it was saved: its number, or that of one before it in its session which was made public later."""
    session: int
    """The place of its session in the order of sessions."""
    seq: int
    id: str
    parent: str | None
    author: str | None


class Planting:
    """Brings the sessions of one owner or pool, and counts them."""

    def __init__(self, pair: Pair, pools: Pools, told: Told) -> None:
        self._pair = pair
        self._pools = pools
        self._told = told
        self.sessions = self.messages = 0

    def carry(self, scope: Scope, todo: Mapping[str, Standing]) -> None:
        """Plants what is not there of these sessions."""
        lineage = Lineage(self._pair.source, scope)
        sessions = lineage.sessions()
        forks = {session.id: lineage.fork(session) for session in sessions}
        makers = self._pair.source.makers(scope) if scope.pool is not None else {}
        chosen = [session for session in sessions if session.id in todo]
        growth = _Growth(self._pair, self._pools, scope, chosen, forks, makers)
        growth.begun |= {id for id, standing in todo.items() if standing.there is not None}
        steps = sorted(self._steps(scope, chosen, forks, todo))
        last = {step.session: step for step in steps}
        for run in _runs(steps):
            growth.plant(run, is_last=last[run[0].session] is run[-1])
            self.messages += len(run)
            self._told(len(run))
        for order, session in enumerate(chosen):
            growth.finish(session, has_grown=order in last)
        self.sessions += len(chosen)

    def _steps(
        self, scope: Scope, sessions: list[Session], forks: Mapping[str, Message | None], todo: Mapping[str, Standing]
    ) -> Iterator[Step]:
        origins = dict.fromkeys((fork.id for fork in forks.values() if fork is not None), 0)
        for order, session in enumerate(sessions):
            fork = forks[session.id]
            saved = 0 if fork is None else origins[fork.id]
            known, behind = todo[session.id].there or 0, fork.seq if fork else 0
            for message, parent, number in self._missing(scope.of(session.id), known, behind):
                saved = max(saved, number)
                if message.id in origins:
                    origins[message.id] = saved
                yield Step(saved, order, message.seq, message.id, parent, message.author)

    def _missing(self, scope: Scope, skipped: int, behind: int) -> Iterator[tuple[Message, str | None, int]]:
        """The messages of a session that are to be brought, each with the id of the one before it and its number."""
        talk = Talk()
        read = 0
        for some in batches(messages(self._pair.source, scope)):
            fresh: list[Message] = []
            for message in some:
                talk.add(message)
                read += 1
                if read > skipped and message.seq > behind:
                    fresh.append(message)
            known = self._pair.source.known(scope, [message.id for message in fresh]) if fresh else {}
            yield from ((one, talk.parent(one), known[one.id].number) for one in fresh if one.id in known)


class _Growth:
    """The sessions of one memory as they grow in the target."""

    def __init__(
        self,
        pair: Pair,
        pools: Pools,
        scope: Scope,
        sessions: list[Session],
        forks: Mapping[str, Message | None],
        makers: Mapping[str, str],
    ) -> None:
        self._pair, self._pools, self._scope = pair, pools, scope
        self._sessions, self._forks, self._makers = sessions, forks, makers
        self.begun: set[str] = set()
        """Sessions that are in the target."""
        self._made: set[str] = set()

    def plant(self, run: list[Step], *, is_last: bool) -> None:
        """Adds messages that follow one another. With the last ones the session ends where it does in the source."""
        session = self._sessions[run[0].session]
        self._begin(session)
        scope = self._scope.of(session.id)
        tree = self._pair.source.tree(scope, run[0].seq - 1, len(run))
        found = {message.id: message for message in tree.messages}
        planted = [Planted(found[step.id], step.parent) for step in run if step.id in found]
        leaf = tree.leaf if is_last else run[-1].id
        try:
            whose = self._pools.writing(scope, run[0].author)
            self._pair.target.plant(whose, planted, leaf, session.touched, session.updated)
        except (MessageConflict, NotFound) as error:
            raise Conflict(f"{place(scope)}: {error}; the target has erased it, or has it elsewhere") from error

    def _begin(self, session: Session) -> None:
        if session.id in self.begun:
            return
        fork = self._forks[session.id]
        new = session._replace(message_count=0, token_count=0, revision=1, head=0)
        whose = self._pools.writing(self._scope, self._makers.get(session.id))
        self._pair.target.create_session(whose, new, None if fork is None else (fork.session, fork.id))
        self.begun.add(session.id)
        self._made.add(session.id)

    def finish(self, session: Session, *, has_grown: bool) -> None:
        """Makes a session what it is in the source, if it was there before, or nothing was said in it."""
        self._begin(session)
        if session.id in self._made and has_grown:
            return
        scope = self._scope.of(session.id)
        there, leaf = self._pair.target.tree(scope, limit=0), self._pair.source.tree(scope, limit=0).leaf
        known = there.session
        changes = {name: value for name in CHANGEABLE if (value := getattr(session, name)) != getattr(known, name)}
        if changes:
            self._pair.target.update_session(scope, changes, session.touched)
        if (there.leaf, known.updated, known.touched) != (leaf, session.updated, session.touched):
            self._pair.target.plant(scope, (), leaf, session.touched, session.updated)


def _runs(steps: list[Step]) -> Iterator[list[Step]]:
    """Messages of one session and author that were saved one after the other, as many as go together."""
    run: list[Step] = []
    for step in steps:
        if run and (run[-1].session != step.session or run[-1].author != step.author or len(run) == AT_ONCE):
            yield run
            run = []
        run.append(step)
    if run:
        yield run
