"""What a person writes and changes about facts by hand, with a history in which each change can be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from recollect.engine.compile.layout import BY_HAND
from recollect.engine.compile.profile import is_hidden, says_same, with_hidden
from recollect.engine.facts.changes import (
    CHANGES,
    ChangeRecord,
    change_id,
    changes_of,
    fact_of_change,
    with_change,
    with_changes,
)
from recollect.engine.facts.claim import Claim, supersedes
from recollect.engine.redact import redacted
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.factbook import ALL, FactBook, claim_of, data_of, shown_fact
from recollect.kit import Kit
from recollect.ports import ArtifactQuery, Settled
from recollect.types import Artifact, Fact, FactChange, FactKind, Microseconds, Scope


class FactEditor:
    """Changes the facts of one storage's owners by hand."""

    def __init__(self, kit: Kit, book: FactBook) -> None:
        self._kit = kit
        self._book = book

    def remember(self, scope: Scope, text: str, kind: FactKind, subject: str, about: str, pinned: bool) -> Fact:
        """A fact in the owner's own words; it ends an older one about the same thing."""
        if not self._book.is_kept(kind):
            raise InvalidInput(f"facts of the kind {kind!r} are switched off by the setting facts_kinds")
        now, text = self._kit.now(), redacted(text, self._kit.redact).text
        claim = Claim(text, kind, subject, about, text, 0, 0, 1.0, now)
        gone = [old for old in (self._book.current(scope, claim) if about else ()) if supersedes(claim, claim_of(old))]
        fact = self._by_hand(text, now, pinned, data_of(claim))
        ended = [with_change(replace(old, valid_to=now), "ended", now, other=fact.id) for old in gone]
        self._book.artifacts.keep_artifacts(scope, Settled((fact, *ended), {old.id: now for old in gone}), now)
        return shown_fact(fact, {})

    def edit(self, scope: Scope, id: str, text: str) -> Fact:
        """Says a fact in other words. The old one stays, ended now, and so do others that say the same."""
        old, now, text = self._get(scope, id), self._kit.now(), redacted(text, self._kit.redact).text
        data = {name: value for name, value in old.data.items() if name != CHANGES}
        fact = self._by_hand(text, now, old.pinned, {**data, "value": text, "confidence": 1.0})
        fact = with_change(fact, "edited", now, other=old.id)
        ended = {one.id: now for one in (old, *self._same_facts(scope, old))}
        self._book.artifacts.keep_artifacts(scope, Settled((fact,), ended), now)
        return shown_fact(fact, {})

    def pin(self, scope: Scope, id: str, pinned: bool) -> Fact:
        """Makes a fact one that every prompt has, or not."""
        old, now = self._get(scope, id), self._kit.now()
        fact = old
        if old.pinned != pinned:
            fact = with_change(replace(old, pinned=pinned), "pinned", now, before=old.pinned, after=pinned)
            self._book.artifacts.keep_artifacts(scope, Settled((fact,)), now)
        return self._book.shown(scope, [fact])[0]

    def hide(self, scope: Scope, id: str, hidden: bool) -> Fact:
        """Keeps a fact out of prompts, or lets it in again, with others that say the same. It stays in the list of facts."""
        old, now = self._get(scope, id), self._kit.now()
        fact = old
        if is_hidden(old) != hidden:
            fact = with_change(with_hidden(old, hidden), "hidden", now, before=not hidden, after=hidden)
            same = [with_hidden(one, hidden) for one in self._same_facts(scope, old)]
            self._book.artifacts.keep_artifacts(scope, Settled((fact, *same)), now)
        return self._book.shown(scope, [fact])[0]

    def forget(self, scope: Scope, id: str, reopen: bool) -> None:
        """Removes a fact for good, with its history: what it said before it was edited goes, too. With `reopen`, facts that
        it had ended are current again."""
        fact = self._get(scope, id)
        ended = self._book.ended_by(scope, fact) if reopen else []
        if ended:
            current = tuple(replace(old, valid_to=None) for old in ended)
            self._book.artifacts.keep_artifacts(scope, Settled(current), self._kit.now())
        self._book.artifacts.discard_artifacts(scope, [version.id for version in self._versions(scope, fact)])

    # -- what was changed by hand

    def history(self, scope: Scope, id: str | None) -> list[FactChange]:
        """What was changed by hand about a fact, or about all of them, newest first."""
        if id is None:
            changed = self._book.artifacts.artifacts(scope, ArtifactQuery("fact", limit=ALL))
        else:
            changed = self._versions(scope, self._get(scope, id))
        changed = [fact for fact in changed if changes_of(fact)]
        named = {record.other for fact in changed for record in changes_of(fact) if record.other}
        texts = {fact.id: fact.text for fact in self._named(scope, named)}
        found = [_change(fact, record, texts) for fact in changed for record in changes_of(fact)]
        return sorted(found, key=lambda change: (change.at, change.id), reverse=True)

    def undo(self, scope: Scope, change: str) -> Fact:
        """Takes a change back, and returns the fact as it is then."""
        id, number = fact_of_change(change)
        fact, now = self._get(scope, id), self._kit.now()
        records = changes_of(fact)
        record = next((one for one in records if one.number == number), None)
        if record is None:
            raise NotFound(f"there is no change {change!r}")
        if record.undone is not None:
            raise Conflict(f"the change {change!r} was taken back already")
        noted = with_changes(fact, [one._replace(undone=now) if one is record else one for one in records])
        made = self._undone(scope, noted, record, now)
        self._book.artifacts.keep_artifacts(scope, Settled(made), now)
        return self._book.shown(scope, made[:1])[0]

    def _undone(self, scope: Scope, fact: Artifact, record: ChangeRecord, now: Microseconds) -> tuple[Artifact, ...]:
        """The facts after a change was taken back; the one it was about is the first."""
        if record.what == "pinned":
            return (replace(fact, pinned=record.before),)
        if record.what == "hidden":
            return tuple(with_hidden(one, record.before) for one in (fact, *self._same_facts(scope, fact)))
        if record.what == "ended":
            return (replace(fact, valid_to=None),)
        if not fact.is_current:
            raise Conflict("the fact was changed again since: take back the later change first")
        earlier = self._named(scope, filter(None, [record.other]))
        if not earlier:
            raise NotFound("what the fact said before was erased")
        return (replace(earlier[0], valid_to=None), replace(fact, valid_to=now))

    def _versions(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """A fact and what it was before it was edited, newest first."""
        found = {fact.id: fact}
        while True:
            edited = {record.other for one in found.values() for record in changes_of(one) if record.what == "edited"}
            earlier = self._named(scope, (id for id in edited if id and id not in found))
            if not earlier:
                return list(found.values())
            found |= {one.id: one for one in earlier}

    def _same_facts(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """Other current facts that say the same: what was said several times is several facts, but one line in a prompt."""
        found = self._book.current(scope, claim_of(fact))
        return [one for one in found if one.is_current and one.id != fact.id and says_same(one, fact)]

    def _named(self, scope: Scope, ids: Iterable[str]) -> list[Artifact]:
        wanted = tuple(ids)
        return self._book.artifacts.artifacts(scope, ArtifactQuery("fact", ids=wanted, limit=ALL)) if wanted else []

    def _by_hand(self, text: str, now: Microseconds, pinned: bool, data: Mapping[str, object]) -> Artifact:
        tokens = self._kit.counter.count(text)
        made = {**data, "source": BY_HAND}
        return Artifact(self._kit.new_id(now), "fact", text, tokens, now, valid_from=now, pinned=pinned, data=made)

    def _get(self, scope: Scope, id: str) -> Artifact:
        found = self._book.artifacts.artifacts(scope, ArtifactQuery("fact", ids=(id,)))
        if not found:
            raise NotFound(f"there is no fact {id!r}")
        return found[0]


def _change(fact: Artifact, record: ChangeRecord, texts: Mapping[str, str]) -> FactChange:
    before: str | bool | None = record.before
    after: str | bool | None = record.after
    if record.what == "edited":
        before, after = texts.get(record.other or ""), fact.text
    elif record.what == "ended":
        before, after = fact.text, texts.get(record.other or "")
    id = change_id(fact.id, record)
    return FactChange(id, fact.id, record.what, record.at, before, after, record.undone is not None)
