"""What an import does with what it reads: only what is new comes in, with its branches, times and order.

An import may be repeated, and goes on where it was interrupted: messages are known by their ids. What was erased here before
stays erased, and what followed it moves up. An id that another conversation has taken becomes a new one, always the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice
from typing import Any, TypeVar

from recollect.documents import is_document
from recollect.engine.artifacts import is_well_formed, without_label
from recollect.engine.hygiene import clean_metadata, clean_moment, clean_name, clean_tags, clean_text
from recollect.engine.redact.censor import Censor
from recollect.errors import Conflict, ImportProblem, InvalidInput, NotFound
from recollect.growth import AT_ONCE, Growth, stands
from recollect.interchange.nouns import Conversation, Item, Made, Node, Shelved, Tally
from recollect.kit import Kit
from recollect.ports import ArtifactQuery, Artifacts, Planted, Settled, Storage
from recollect.reports import ImportReport
from recollect.types import Artifact, Scope, Session, Source, Status, microseconds

Thing = TypeVar("Thing")


class Importer:
    """Takes conversations, documents and what was made of messages into one owner's (or pool's) memory, and counts them."""

    def __init__(self, kit: Kit, storage: Storage, scope: Scope, tally: Tally, *, dry_run: bool = False) -> None:
        self._kit = kit
        self._storage = storage
        self._scope = scope
        self._tally = tally
        self._dry_run = dry_run
        self._censor = Censor(kit.redact)
        self._whole: set[str] = set()
        """Sessions that are here just as they were read, to the last place."""
        self._begun: set[str] = set()
        self._renamed: dict[str, dict[str, str]] = {}
        """By session, the ids that messages got here in place of their own."""
        self.conversations = self.messages = self.already_there = self.documents = self.facts = 0

    def report(self, format: str) -> ImportReport:
        """What came in so far."""
        tally = self._tally
        return ImportReport(
            format, self.conversations, self.messages, self.already_there, self.documents, self.facts,
            dict(tally.skipped), dict(tally.mended), tuple(tally.warnings),
        )  # fmt: skip

    def take_all(self, items: Iterable[Item]) -> None:
        """Takes everything, one after the other."""
        made: list[Made] = []
        for item in items:
            if isinstance(item, Made):
                made.append(item)
                if len(made) == AT_ONCE:
                    self._take_made(made)
                    made = []
            else:
                self._take_talk(item)
        self._take_made(made)

    # -- conversations

    def _take_talk(self, item: Conversation | Shelved) -> None:
        talk = item.conversation if isinstance(item, Shelved) else item
        scope = self._scope._replace(shelf=isinstance(item, Shelved))
        try:
            scope = scope.of(clean_name(talk.id, "session id"))
            growth = Growth(self._kit, self._storage, scope, self._tally, self._dry_run)
            growth.begin()
            nodes = _UntilProblem(talk.nodes)
            first, lost = growth.not_erased(nodes)
            new = self._begin(scope, talk, first, lost)
        except InvalidInput as error:
            self._tally.skip("conversations that cannot be kept")
            self._tally.warnings.append(f"conversation {talk.id!r}: {error}")
            return
        if new is not None:
            added = self._grow(growth, chain(first, nodes), talk, new)
            self._count(growth, new, added)
        if nodes.problem is not None:
            raise nodes.problem

    def _count(self, growth: Growth, new: bool, added: int) -> None:
        self.already_there += growth.already_there
        session = growth.scope.session or ""
        if growth.scope.shelf:
            self.documents += new
            return
        self.conversations += new
        self.messages += added
        if growth.renamed:
            self._renamed[session] = growth.renamed
        if not growth.left_out and (new or self._storage.get_session(growth.scope).head == growth.top):
            self._whole.add(session)

    def _begin(self, scope: Scope, talk: Conversation, first: list[Node], lost: bool) -> bool | None:
        """Makes the session, unless it is there: that keeps its title, tags and status. Of one whose messages were all
        erased here, not even the title comes back (None)."""
        session = self._session(scope, talk, first)
        try:
            self._storage.get_session(scope)
            return False
        except NotFound:
            origin = self._origin(scope, talk)
        if not first and (lost or (talk.fork is not None and origin is None)):
            return None
        if not self._dry_run:
            try:
                self._storage.create_session(scope, session, origin)
            except Conflict:
                return False  # somebody else made it just now
        self._begun.add(session.id)
        return True

    def _session(self, scope: Scope, talk: Conversation, first: list[Node]) -> Session:
        now = self._kit.now()
        begun = talk.created_at or (_moment(first[0]) if first else None)
        created = now if begun is None else microseconds(clean_moment(begun, "created_at"))
        updated = created if talk.updated_at is None else microseconds(clean_moment(talk.updated_at, "updated_at"))
        metadata = clean_metadata(talk.metadata)
        if scope.shelf and not is_document(metadata):
            raise InvalidInput("it is no document of ours")
        return Session(
            scope.session or "", scope.owner, self._text(talk.title, "title"), created, updated, now, talk.status, 0, 0,
            talk.pinned, 1, 0, self._text(talk.system_prompt, "system_prompt"), None, None, clean_tags(talk.tags), metadata,
            scope.pool, False, talk.expired and talk.status is Status.DELETED,
        )  # fmt: skip

    def _text(self, text: str | None, what: str) -> str | None:
        return None if text is None else self._censor(clean_text(text, what))

    def _origin(self, scope: Scope, talk: Conversation) -> tuple[str, str] | None:
        """The message that a fork begins behind, if it is here."""
        if talk.fork is None:
            return None
        session, message = talk.fork
        message = self._renamed.get(session, {}).get(message, message)
        try:
            known = self._storage.known(scope.of(session), [message]).get(message)
        except NotFound:
            known = None
        if known is None or known.where != "here":
            self._tally.mend("forks whose beginning is not here")
            return None
        return session, message

    def _grow(self, growth: Growth, nodes: Iterable[Node], talk: Conversation, new: bool) -> int:
        """Adds what is new, batch by batch; the last one also says where the conversation stands. Returns how many."""
        added, updated, waiting = 0, 0, list[Planted]()
        for batch in _batches(nodes):
            if waiting and not self._dry_run:
                self._storage.plant(growth.scope, waiting, waiting[-1].message.id, self._kit.now())
            waiting = growth.prepare(batch)
            added += len(waiting)
            if not new or talk.updated_at is None:
                updated = max([updated, *(one.message.created for one in waiting)])
        if (new or added) and not self._dry_run:
            self._storage.plant(growth.scope, waiting, growth.end(talk.leaf, waiting), self._kit.now(), updated)
        return added

    # -- what was made of messages

    def _take_made(self, made: list[Made]) -> None:
        storage = self._storage
        if not made or not isinstance(storage, Artifacts):
            return
        made = [self._with_new_ids(one) for one in made]
        ids = {rest.message for one in made for rest in one.rests} | {one.artifact.id for one in made}
        known = storage.known(self._scope, sorted(ids))
        numbers = {id: one.number for id, one in known.items() if one.number}
        here = [one for one in made if not stands(known, one.artifact.id, "erased")]
        self._tally.skip("notes that were erased here", len(made) - len(here))
        kept = [artifact for one in here if (artifact := self._artifact(storage, one, numbers))]
        self.facts += sum(artifact.kind == "fact" for artifact in kept)
        if kept and not self._dry_run:
            storage.keep_artifacts(self._scope, Settled(kept), self._kit.now())

    def _with_new_ids(self, made: Made) -> Made:
        renamed = self._renamed.get(made.artifact.session or "", {})
        rests = tuple(replace(rest, message=renamed.get(rest.message, rest.message)) for rest in made.rests)
        return replace(made, rests=rests)

    def _artifact(self, storage: Artifacts, made: Made, numbers: dict[str, int]) -> Artifact | None:
        one = made.artifact
        if not is_well_formed(one):
            self._tally.skip("notes that are not as we write them")
            return None
        if storage.artifacts(self._scope, ArtifactQuery(one.kind, ids=(one.id,))):
            return None
        if any(rest.message not in numbers for rest in made.rests) and not self._dry_run:
            self._tally.skip("notes on messages that are not here")
            self._take_label_off(one)
            return None
        if one.kind in ("summary", "label") and one.session not in self._whole:
            # A summary tells where it ends, and may tell of messages that did not come in.
            self._tally.skip("summaries and titles of conversations that are another here")
            return None
        rests = tuple(Source(numbers.get(rest.message, 0), rest.start, rest.end) for rest in made.rests)
        text, data = self._censor(one.text), {name: self._censored(value) for name, value in one.data.items()}
        return replace(one, text=text, data=data, tokens=self._kit.counter.count(text), sources=rests)

    def _take_label_off(self, label: Artifact) -> None:
        """What a conversation that came in is called, if that was made of messages which did not."""
        if label.kind != "label" or label.session not in self._begun:
            return
        scope = self._scope.of(label.session)
        if changes := without_label(self._storage.get_session(scope), label):
            self._storage.update_session(scope, changes, self._kit.now())

    def _censored(self, value: Any) -> Any:
        return self._censor(value) if self._censor.kinds and isinstance(value, str) else value


class _UntilProblem:
    """Messages as they are read. If they cannot be read to the end, those before are still to be kept: then `problem` says
    what was wrong."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = iter(nodes)
        self.problem: ImportProblem | None = None

    def __iter__(self) -> Iterator[Node]:
        return self

    def __next__(self) -> Node:
        try:
            return next(self._nodes)
        except ImportProblem as problem:
            self.problem = problem
            raise StopIteration from None


def _moment(node: Node) -> datetime | None:
    """When a message was said, if that can be kept."""
    with suppress(InvalidInput):
        return None if node.draft.created_at is None else clean_moment(node.draft.created_at, "created_at")
    return None


def _batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    rest = iter(things)
    while batch := list(islice(rest, AT_ONCE)):
        yield batch
