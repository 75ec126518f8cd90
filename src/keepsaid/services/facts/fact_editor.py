"""Edit facts by hand, with a history in which each change can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from keepsaid.engine.facts.changes import (
    CHANGES_FIELD,
    ChangeRecord,
    add_change,
    format_change_id,
    parse_change_id,
    read_changes,
    replace_changes,
)
from keepsaid.engine.facts.claim import FactClaim, supersedes
from keepsaid.engine.prompt.block_texts import BY_HAND
from keepsaid.engine.prompt.profile import is_hidden, is_same_statement, set_hidden
from keepsaid.engine.redaction import redact
from keepsaid.errors import Conflict, InvalidInput, NotFound
from keepsaid.ports import ArtifactChanges, ArtifactQuery
from keepsaid.services.facts.fact_store import NO_LIMIT, FactStore, claim_to_data, fact_to_claim, to_public_fact
from keepsaid.types import Artifact, Fact, FactChange, FactKind, Microseconds, Scope

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer


class FactEditor:
    """Edits the facts of the owners of one storage."""

    def __init__(self, services: ServiceContainer, facts: FactStore) -> None:
        self._services = services
        self._facts = facts

    def remember(self, scope: Scope, text: str, kind: FactKind, subject: str, about: str, pinned: bool) -> Fact:
        """Store a fact written by the user. It ends an older fact about the same thing."""
        if not self._facts.is_kind_enabled(kind):
            raise InvalidInput(f"facts of the kind {kind!r} are disabled by the setting facts_kinds")
        now, text = self._services.now(), redact(text, self._services.redact).text
        claim = FactClaim(text, kind, subject, about, text, 0, 0, 1.0, now)
        gone = [
            old for old in (self._facts.find_current(scope, claim) if about else ()) if supersedes(claim, fact_to_claim(old))
        ]
        fact = self._create_fact(text, now, pinned, claim_to_data(claim))
        ended = [add_change(replace(old, valid_to=now), "ended", now, other=fact.id) for old in gone]
        self._facts.artifacts.keep_artifacts(scope, ArtifactChanges((fact, *ended), {old.id: now for old in gone}), now)
        return to_public_fact(fact, {})

    def edit(self, scope: Scope, id: str, text: str) -> Fact:
        """Reword a fact. The old version is kept but ends now, and so do other facts that say the same."""
        old, now, text = self._get(scope, id), self._services.now(), redact(text, self._services.redact).text
        data = {name: value for name, value in old.data.items() if name != CHANGES_FIELD}
        fact = self._create_fact(text, now, old.pinned, {**data, "value": text, "confidence": 1.0})
        fact = add_change(fact, "edited", now, other=old.id)
        ended = {one.id: now for one in (old, *self._same_facts(scope, old))}
        self._facts.artifacts.keep_artifacts(scope, ArtifactChanges((fact,), ended), now)
        return self._facts.to_public_facts(scope, [fact])[0]

    def pin(self, scope: Scope, id: str, pinned: bool) -> Fact:
        """Pin or unpin a fact. A pinned fact is part of every prompt."""
        old, now = self._get(scope, id), self._services.now()
        fact = old
        if old.pinned != pinned:
            fact = add_change(replace(old, pinned=pinned), "pinned", now, before=old.pinned, after=pinned)
            self._facts.artifacts.keep_artifacts(scope, ArtifactChanges((fact,)), now)
        return self._facts.to_public_facts(scope, [fact])[0]

    def hide(self, scope: Scope, id: str, hidden: bool) -> Fact:
        """Hide a fact from prompts or show it again, together with others that say the same. It stays in the list of
        facts."""
        old, now = self._get(scope, id), self._services.now()
        fact = old
        if is_hidden(old) != hidden:
            fact = add_change(set_hidden(old, hidden), "hidden", now, before=not hidden, after=hidden)
            same = [set_hidden(one, hidden) for one in self._same_facts(scope, old)]
            self._facts.artifacts.keep_artifacts(scope, ArtifactChanges((fact, *same)), now)
        return self._facts.to_public_facts(scope, [fact])[0]

    def forget(self, scope: Scope, id: str, reopen: bool) -> None:
        """Delete a fact and its history, including what it said before edits. With `reopen`, facts that it had ended are
        current again."""
        fact = self._get(scope, id)
        ended = self._facts.find_ended_by(scope, fact) if reopen else []
        if ended:
            current = tuple(replace(old, valid_to=None) for old in ended)
            self._facts.artifacts.keep_artifacts(scope, ArtifactChanges(current), self._services.now())
        self._facts.artifacts.discard_artifacts(scope, [version.id for version in self._facts.list_versions(scope, fact)])

    # -- history

    def history(self, scope: Scope, id: str | None) -> list[FactChange]:
        """Return the manual changes of one fact, or of all facts, newest first."""
        if id is None:
            changed = self._facts.artifacts.artifacts(scope, ArtifactQuery("fact", limit=NO_LIMIT))
        else:
            changed = self._facts.list_versions(scope, self._get(scope, id))
        changed = [fact for fact in changed if read_changes(fact)]
        named = {record.other for fact in changed for record in read_changes(fact) if record.other}
        texts = {fact.id: fact.text for fact in self._facts.fetch_facts(scope, named)}
        found = [_to_fact_change(fact, record, texts) for fact in changed for record in read_changes(fact)]
        return sorted(found, key=lambda change: (change.at, change.id), reverse=True)

    def undo(self, scope: Scope, change: str) -> Fact:
        """Undo a change. Return the fact as it is then."""
        id, number = parse_change_id(change)
        fact, now = self._get(scope, id), self._services.now()
        records = read_changes(fact)
        record = next((one for one in records if one.number == number), None)
        if record is None:
            raise NotFound(f"there is no change {change!r}")
        if record.undone is not None:
            raise Conflict(f"the change {change!r} is already undone")
        noted = replace_changes(fact, [one._replace(undone=now) if one is record else one for one in records])
        made = self._revert(scope, noted, record, now)
        self._facts.artifacts.keep_artifacts(scope, ArtifactChanges(made), now)
        return self._facts.to_public_facts(scope, made[:1])[0]

    def _revert(self, scope: Scope, fact: Artifact, record: ChangeRecord, now: Microseconds) -> tuple[Artifact, ...]:
        """Return the facts after a change was undone; the first is the fact that was changed."""
        if record.what == "pinned":
            return (replace(fact, pinned=record.before),)
        if record.what == "hidden":
            return tuple(set_hidden(one, record.before) for one in (fact, *self._same_facts(scope, fact)))
        if record.what == "ended":
            return (replace(fact, valid_to=None),)
        if not fact.is_current:
            raise Conflict("the fact was changed again later: undo the later change first")
        earlier = self._facts.fetch_facts(scope, filter(None, [record.other]))
        if not earlier:
            raise NotFound("what the fact said before was erased")
        return (replace(earlier[0], valid_to=None), replace(fact, valid_to=now))

    def _same_facts(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """Return other current facts that say the same: repeated statements are several facts, but one line in a prompt."""
        found = self._facts.find_current(scope, fact_to_claim(fact))
        return [one for one in found if one.is_current and one.id != fact.id and is_same_statement(one, fact)]

    def _create_fact(self, text: str, now: Microseconds, pinned: bool, data: Mapping[str, object]) -> Artifact:
        tokens = self._services.counter.count(text)
        made = {**data, "source": BY_HAND}
        return Artifact(self._services.new_id(now), "fact", text, tokens, now, valid_from=now, pinned=pinned, data=made)

    def _get(self, scope: Scope, id: str) -> Artifact:
        found = self._facts.artifacts.artifacts(scope, ArtifactQuery("fact", ids=(id,)))
        if not found:
            raise NotFound(f"there is no fact {id!r}")
        return found[0]


def _to_fact_change(fact: Artifact, record: ChangeRecord, texts: Mapping[str, str]) -> FactChange:
    before: str | bool | None = record.before
    after: str | bool | None = record.after
    if record.what == "edited":
        before, after = texts.get(record.other or ""), fact.text
    elif record.what == "ended":
        before, after = fact.text, texts.get(record.other or "")
    id = format_change_id(fact.id, record)
    return FactChange(id, fact.id, record.what, record.at, before, after, record.undone is not None)
