"""Fact store: facts about an owner, extracted from what they said or written by hand, each with its time.

A newer fact about the same thing ends the older one, which is kept with its end date and never presented as current.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, get_args

from keepsaid.engine.facts import extract_claims, named_people
from keepsaid.engine.facts.changes import read_changes
from keepsaid.engine.facts.claim import FactClaim, supersedes
from keepsaid.engine.facts.statement_parser import MentionedPerson
from keepsaid.engine.prompt.profile import NTH, fact_kind, is_hidden, is_same_statement, set_hidden
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import KeepsaidError
from keepsaid.ports import NO_FILTERS, ArtifactChanges, ArtifactQuery, Storage, VisibleMessage
from keepsaid.types import (
    Artifact,
    ArtifactSource,
    Fact,
    FactKind,
    Message,
    Microseconds,
    ReadWindow,
    Role,
    Scope,
    SearchFilters,
)

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

CONTEXT_MESSAGES = 4
"""Earlier messages that help to understand a message."""

WITH_EXPIRED = SearchFilters(expired=True)

END_OF_TIME = NO_LIMIT = 1 << 62
"""As-of time that matches only facts without an end date."""


MAX_EXAMINED_CHARACTERS = 2_000
"""Characters of a message in which names are looked for."""

_NAME = re.compile(r"\b[A-Z][a-zà-öø-ÿ]{1,20}\b")

MAX_LINK_LENGTH = 20
"""Maximum characters between a statement that something ended and the statement that replaces it: ", and then finally "."""

KEPT_CLAIMS = 512
"""Messages whose claims are cached until the extraction job has processed them."""


class FactExtractor(Protocol):
    """Extracts facts with a language model, better than rules can."""

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, FactClaim]]:
        """Return claims, each with the index of its message."""
        ...


class FactStore:
    """The facts of the owners of one storage."""

    def __init__(
        self,
        services: ServiceContainer,
        storage: Storage,
        extractor: FactExtractor | None = None,
        kinds: Collection[str] = get_args(FactKind),
    ) -> None:
        self._services = services
        self._storage = storage
        self._extractor = extractor
        self._kinds = frozenset(kinds)
        self._previewed_claims: dict[int, list[FactClaim]] = {}

    # -- extraction

    def extract_facts(
        self, scope: Scope, messages: Sequence[VisibleMessage], before: Mapping[int, Sequence[Message]]
    ) -> ArtifactChanges:
        """Return the facts in these messages, and which older ones they end. `before` maps message numbers to the messages
        before them."""
        found = self._extract_claims(
            _select_user_messages(messages), before, _known_people(messages, self._find_naming_facts(scope, messages))
        )
        return self._settle(
            [(self._to_fact(claim, seen), claim) for seen, claim in found], partial(self.find_current, scope)
        )

    def preview_facts(
        self,
        scope: Scope,
        messages: Sequence[VisibleMessage],
        before: Mapping[int, Sequence[Message]],
        facts: Iterable[Artifact] = (),
    ) -> ArtifactChanges:
        """Return the facts that the rules will find in messages which are not processed yet.

        Nothing is stored. Instead of an id of its own, such a fact has the index of its claim in the message. `facts` are
        those that may name people in the messages.
        """
        known = _known_people(messages, facts)
        found = [
            (self._to_previewed_fact(seen, claim, nth), claim)
            for seen in _select_user_messages(messages)
            for nth, claim in enumerate(self._preview_claims(seen.message, before.get(seen.number, ()), known))
            if self.is_kind_enabled(claim.kind)
        ]
        words = tuple(dict.fromkeys(word for _, claim in found for word in _claim_words(claim)))
        current = self._find_by_words(scope, words)
        return self._settle(found, lambda _: current)

    def _find_naming_facts(self, scope: Scope, messages: Iterable[VisibleMessage]) -> list[Artifact]:
        """Return facts with a name that occurs in these messages."""
        words = tuple(dict.fromkeys(word for name in sorted(_find_names(messages)) for word in terms(name)))
        return self._find_by_words(scope, words)

    def _preview_claims(
        self, message: Message, before: Sequence[Message], known: Mapping[str, MentionedPerson]
    ) -> list[FactClaim]:
        """Return the claims of a message. They are cached, because every prompt needs those of the same messages until they
        are processed, and applying the rules is the slowest step."""
        named = frozenset(known.items())
        key = hash((message.id, message.text, message.created, message.name, named, *(one.id for one in before)))
        found = self._previewed_claims.get(key)
        if found is None:
            if len(self._previewed_claims) >= KEPT_CLAIMS:
                self._previewed_claims.clear()
            found = self._previewed_claims[key] = extract_claims(message, before, known)
        return found

    def clear_previews(self) -> None:
        """Clear the cache of claims: some of its text may have been erased."""
        self._previewed_claims.clear()

    def find_previewed_fact(self, scope: Scope, number: int, nth: int) -> Artifact | None:
        """Return a fact that was previewed, by applying the rules to its message again."""
        for seen in self._storage.fetch(scope, [number]):
            message = seen.message
            before = self._storage.read(scope.of(message.session), ReadWindow(before=message.seq, last=CONTEXT_MESSAGES))
            found = extract_claims(message, before, _known_people([seen], self._find_naming_facts(scope, [seen])))
            if nth < len(found):
                return self._to_previewed_fact(seen, found[nth], nth)
        return None

    def is_kind_enabled(self, kind: str) -> bool:
        """Whether facts of this kind are stored and used."""
        return kind in self._kinds

    def _settle(
        self, found: Iterable[tuple[Artifact, FactClaim]], current: Callable[[FactClaim], Sequence[Artifact]]
    ) -> ArtifactChanges:
        """Return new facts, and which older ones they end. `current` returns stored facts that a claim may be about."""
        made: list[Artifact] = []
        ended: dict[str, Microseconds] = {}
        known_claims: dict[str, FactClaim] = {}

        def claimed(one: Artifact) -> FactClaim:
            return known_claims[one.id] if one.id in known_claims else known_claims.setdefault(one.id, fact_to_claim(one))

        for fact, claim in found:
            rivals = (*current(claim), *made)
            known = [one for one in rivals if one.is_current and one.id not in ended and _has_subject(one, claim)]
            newer = [old for old in known if old.valid_from > claim.valid_from and supersedes(claimed(old), claim)]
            if newer:
                # It was said later, but is true of an earlier time.
                made.append(replace(fact, valid_to=min(old.valid_from for old in newer)))
                continue
            may_end_others = bool(claim.ends or claim.about)
            gone = {
                old.id
                for old in (known if may_end_others else ())
                if supersedes(claim, claimed(old)) and (claim.ends or not _is_repetition(fact, old))
            }
            ended |= dict.fromkeys(gone, claim.valid_from)
            made = [replace(one, valid_to=claim.valid_from) if one.id in gone else one for one in made]
            # A hidden fact stays hidden when it is said again.
            made.append(set_hidden(fact, any(is_hidden(old) and is_same_statement(old, fact) for old in known)))
        return ArtifactChanges(made, {id: at for id, at in ended.items() if all(one.id != id for one in made)})

    def _extract_claims(
        self,
        messages: Sequence[VisibleMessage],
        before: Mapping[int, Sequence[Message]],
        known: Mapping[str, MentionedPerson],
    ) -> Iterable[tuple[VisibleMessage, FactClaim]]:
        if self._extractor is not None and messages:
            with suppress(KeepsaidError):
                found = self._extractor.extract([seen.message for seen in messages])
                return [(messages[place], claim) for place, claim in found if self.is_kind_enabled(claim.kind)]
        return [
            (seen, claim)
            for seen in messages
            for claim in extract_claims(seen.message, before.get(seen.number, ()), known)
            if self.is_kind_enabled(claim.kind)
        ]

    def find_current(self, scope: Scope, claim: FactClaim) -> list[Artifact]:
        """Return current facts that may be about the same thing as a claim, found by its topic or its value."""
        return self._find_by_words(scope, _claim_words(claim))

    def find_ended_by(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """Return the facts that ended because this one replaced them."""
        claim = fact_to_claim(fact)
        words = _claim_words(claim)
        found = self.artifacts.artifacts(scope, ArtifactQuery("fact", terms=words, limit=NO_LIMIT)) if words else []
        return [
            old
            for old in found
            if old.valid_to == fact.valid_from and _has_subject(old, claim) and supersedes(claim, fact_to_claim(old))
        ]

    def _find_by_words(self, scope: Scope, words: tuple[str, ...]) -> list[Artifact]:
        return (
            self.artifacts.artifacts(scope, ArtifactQuery("fact", terms=words, as_of=END_OF_TIME, limit=NO_LIMIT))
            if words
            else []
        )

    def _to_previewed_fact(self, seen: VisibleMessage, claim: FactClaim, nth: int) -> Artifact:
        fact = self._to_fact(claim, seen)
        return replace(fact, id=f"message {seen.number}, {nth + 1}", data={**fact.data, NTH: nth})

    def _to_fact(self, claim: FactClaim, seen: VisibleMessage) -> Artifact:
        now = self._services.now()
        return Artifact(
            self._services.new_id(now),
            "fact",
            claim.text,
            self._services.counter.count(claim.text),
            now,
            seen.message.session,
            (ArtifactSource(seen.number, claim.start, claim.end),),
            claim.valid_from,
            data=claim_to_data(claim),
        )

    # -- reading

    def find_successors(self, scope: Scope, ended: Sequence[Artifact]) -> dict[str, Artifact]:
        """Return, for facts that are no longer true, the current facts that replaced them, by id."""
        found: dict[str, Artifact] = {}
        for old in ended:
            claim = fact_to_claim(old)
            new = next((new for new in self.find_current(scope, claim) if supersedes(fact_to_claim(new), claim)), None)
            if new is not None:
                found[old.id] = self._find_replacement(scope, new) if fact_to_claim(new).ends else new
        return found

    def _find_replacement(self, scope: Scope, ending: Artifact) -> Artifact:
        """Return the fact that follows a statement that something ended, and says what replaced it: "I sold the Golf and
        bought a Mazda". Return `ending` itself if there is none."""
        if not ending.sources:
            return ending
        number, _, end = ending.sources[0]
        for one in self.artifacts.artifacts(
            scope, ArtifactQuery("fact", numbers=(number,), as_of=END_OF_TIME, limit=NO_LIMIT)
        ):
            starts = [source.start for source in one.sources if source.number == number]
            if one.id != ending.id and any(end <= start <= end + MAX_LINK_LENGTH for start in starts):
                return one
        return ending

    def list_facts(self, scope: Scope, query: ArtifactQuery) -> list[Fact]:
        """Return the facts of enabled kinds whose messages are visible, newest first. Hidden facts are included."""
        found = [fact for fact in self.artifacts.artifacts(scope, query) if self.is_kind_enabled(fact_kind(fact))]
        return self.to_public_facts(scope, self._with_visible_sources(scope, found))

    def filter_visible(self, scope: Scope, found: Sequence[Artifact], known: Iterable[int] = ()) -> list[Artifact]:
        """Return the artifacts that may be used in a prompt.

        A fact must not be hidden, its kind must be enabled, and its messages must be visible, or would be if retention had
        not deleted their session. What a person deleted or reworded is no longer a fact. `known` are the numbers of messages
        that are known to be visible.
        """
        shown = [one for one in found if one.kind != "fact" or (self.is_kind_enabled(fact_kind(one)) and not is_hidden(one))]
        return self._with_visible_sources(scope, shown, known)

    def _with_visible_sources(self, scope: Scope, found: Sequence[Artifact], known: Iterable[int] = ()) -> list[Artifact]:
        seen = set(known)
        numbers = {source.number for fact in found for source in fact.sources} - seen
        seen |= {one.number for one in self._storage.look(scope, sorted(numbers), 0, self.filters)} if numbers else set()
        return [fact for fact in found if all(source.number in seen for source in fact.sources)]

    @property
    def filters(self) -> SearchFilters:
        """Filters for `Storage.look` that match the messages on which facts may rest."""
        return WITH_EXPIRED if self._services.policy.keep_facts else NO_FILTERS

    def to_public_facts(self, scope: Scope, found: Sequence[Artifact]) -> list[Fact]:
        """Return facts with the ids of the messages they rest on. An edited fact includes the messages of its earlier
        versions."""
        versions = {fact.id: self.list_versions(scope, fact) for fact in found}
        numbers = sorted({source.number for some in versions.values() for one in some for source in one.sources})
        ids = {seen.number: seen.message.id for seen in self._storage.fetch(scope, numbers)} if numbers else {}
        return [to_public_fact(fact, ids, versions[fact.id]) for fact in found]

    def list_versions(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """Return a fact and its versions before it was edited, newest first, without erased versions."""
        found = {fact.id: fact}
        while True:
            edited = {record.other for one in found.values() for record in read_changes(one) if record.what == "edited"}
            earlier = self.fetch_facts(scope, (id for id in edited if id and id not in found))
            if not earlier:
                return list(found.values())
            found |= {one.id: one for one in earlier}

    def fetch_facts(self, scope: Scope, ids: Iterable[str]) -> list[Artifact]:
        """Return the facts with these ids."""
        wanted = tuple(ids)
        return self.artifacts.artifacts(scope, ArtifactQuery("fact", ids=wanted, limit=NO_LIMIT)) if wanted else []

    @property
    def artifacts(self) -> Storage:
        """The storage that keeps the facts."""
        return self._storage


def claim_to_data(claim: FactClaim) -> dict[str, object]:
    return {
        "kind": claim.kind,
        "subject": claim.subject,
        "about": claim.about,
        "value": claim.value,
        "confidence": claim.confidence,
        **({"corrects": True} if claim.corrects else {}),
    }


def fact_to_claim(fact: Artifact) -> FactClaim:
    """Return a stored fact as the claim it was made from."""
    data = fact.data
    return FactClaim(
        fact.text, fact_kind(fact), data["subject"], data["about"], data["value"], 0, 0, data["confidence"], fact.valid_from,
        data.get("corrects", False),
    )  # fmt: skip


def _find_names(messages: Iterable[VisibleMessage]) -> set[str]:
    """Return words in the user's messages that may be names."""
    return {
        name
        for seen in _select_user_messages(messages)
        for name in _NAME.findall(seen.message.text[:MAX_EXAMINED_CHARACTERS])
    }


def _known_people(messages: Sequence[VisibleMessage], facts: Iterable[Artifact]) -> dict[str, MentionedPerson]:
    """Return the people whom these messages name, by name, as the messages or earlier facts introduce them."""
    names = _find_names(messages)
    if not names:
        return {}
    introduced = [fact.text for fact in facts if fact.is_current and any(name in fact.text for name in names)]
    introduced += [seen.message.text[:MAX_EXAMINED_CHARACTERS] for seen in _select_user_messages(messages)]
    return {name: person for text in introduced for name, person in named_people(text).items() if name in names}


def _select_user_messages(messages: Iterable[VisibleMessage]) -> list[VisibleMessage]:
    return [seen for seen in messages if seen.message.role is Role.USER and not seen.message.private]


def _claim_words(claim: FactClaim) -> tuple[str, ...]:
    """Return the words by which older facts about the same thing are found."""
    return tuple(content_words(terms(f"{claim.about} {claim.value}")))


def _has_subject(fact: Artifact, claim: FactClaim) -> bool:
    return fact.data["subject"].casefold() == claim.subject.casefold()


def _is_repetition(one: Artifact, other: Artifact) -> bool:
    """Whether two facts say the same."""
    return one.data["value"].casefold() == other.data["value"].casefold() and one.data["about"] == other.data["about"]


def to_public_fact(fact: Artifact, ids: Mapping[int, str], versions: Sequence[Artifact] = ()) -> Fact:
    data, versions = fact.data, versions or [fact]
    numbers = dict.fromkeys(source.number for one in versions for source in one.sources)
    return Fact(
        fact.id,
        fact.text,
        fact_kind(fact),
        data.get("subject", "user"),
        data.get("confidence", 1.0),
        fact.valid_from,
        fact.valid_to,
        fact.pinned,
        next((one.session for one in versions if one.session), None),
        tuple(ids[number] for number in numbers if number in ids),
        is_hidden(fact),
    )
