"""The fact book: facts about an owner, taken from what he said or written by hand, each with its time.

A newer fact about the same thing ends the older one, which is kept and dated and never given out as current.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, get_args

from recollect.engine.compile.profile import NTH, fact_kind, is_hidden, says_same, with_hidden
from recollect.engine.facts import claims, named_people
from recollect.engine.facts.claim import Claim, supersedes
from recollect.engine.facts.parse import Person
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import RecollectError, StorageError
from recollect.kit import Kit
from recollect.ports import NO_FILTERS, ArtifactQuery, Artifacts, Seen, Settled, Storage
from recollect.types import Artifact, Fact, FactKind, Filters, Message, Microseconds, Role, Scope, Source, Window

BEFORE = 4
"""Earlier messages that help to understand one."""

WITH_EXPIRED = Filters(expired=True)

EVER = ALL = 1 << 62
"""A moment that nothing is true until, unless it has no end."""


LONGEST_LOOKED_AT = 2_000
"""Characters of a message in which names are looked for."""

_NAME = re.compile(r"\b[A-Z][a-zà-öø-ÿ]{1,20}\b")

LONGEST_LINK = 20
"""Characters between a statement that something is over and the one that says what came instead: ", and then finally "."""

KEPT_CLAIMS = 512
"""Messages whose claims are kept until their notes are taken."""


class Extractor(Protocol):
    """Finds facts better than rules can: a language model."""

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, Claim]]:
        """Claims, each with the place of its message among these."""
        ...


class FactBook:
    """The facts of one storage's owners."""

    def __init__(
        self,
        kit: Kit,
        storage: Storage,
        extractor: Extractor | None = None,
        kinds: Collection[str] = get_args(FactKind),
    ) -> None:
        self._kit = kit
        self._storage = storage
        self._extractor = extractor
        self._kinds = frozenset(kinds)
        self._read_ahead: dict[int, list[Claim]] = {}

    # -- from what was said

    def taken_from(self, scope: Scope, said: Sequence[Seen], before: Mapping[int, Sequence[Message]]) -> Settled:
        """The facts in these messages, and which older ones they end. `before` has the messages before each number."""
        found = self._claims(_by_user(said), before, _known_people(said, self._facts_naming(scope, said)))
        return self._settled([(self._fact(claim, seen), claim) for seen, claim in found], partial(self.current, scope))

    def read_ahead(
        self,
        scope: Scope,
        said: Sequence[Seen],
        before: Mapping[int, Sequence[Message]],
        facts: Iterable[Artifact] = (),
    ) -> Settled:
        """What rules alone will find in messages that still wait for their notes. Nothing is stored; instead of an id of
        its own, a fact has the place of its claim in the message. `facts` are those that may name people in them."""
        known = _known_people(said, facts)
        found = [
            (self._said_fact(seen, claim, nth), claim)
            for seen in _by_user(said)
            for nth, claim in enumerate(self._claims_ahead(seen.message, before.get(seen.number, ()), known))
            if self.is_kept(claim.kind)
        ]
        words = tuple(dict.fromkeys(word for _, claim in found for word in _words_of(claim)))
        current = self._with_words(scope, words)
        return self._settled(found, lambda _: current)

    def _facts_naming(self, scope: Scope, said: Iterable[Seen]) -> list[Artifact]:
        """Facts with a name that these messages have."""
        words = tuple(dict.fromkeys(word for name in sorted(_names(said)) for word in terms(name)))
        return self._with_words(scope, words)

    def _claims_ahead(self, message: Message, before: Sequence[Message], known: Mapping[str, Person]) -> list[Claim]:
        """The claims of a message. Every prompt reads the same messages ahead until their notes are taken, and rules take
        longer than all else, so they are kept meanwhile."""
        named = frozenset(known.items())
        key = hash((message.id, message.text, message.created, message.name, named, *(one.id for one in before)))
        found = self._read_ahead.get(key)
        if found is None:
            if len(self._read_ahead) >= KEPT_CLAIMS:
                self._read_ahead.clear()
            found = self._read_ahead[key] = claims(message, before, known)
        return found

    def forget_read_ahead(self) -> None:
        """Lets go of what was read ahead: some of its words may have been erased."""
        self._read_ahead.clear()

    def said_in(self, scope: Scope, number: int, nth: int) -> Artifact | None:
        """A fact that was read ahead, as rules find it again in its message."""
        for seen in self._storage.fetch(scope, [number]):
            message = seen.message
            before = self._storage.read(scope.of(message.session), Window(before=message.seq, last=BEFORE))
            found = claims(message, before, _known_people([seen], self._facts_naming(scope, [seen])))
            if nth < len(found):
                return self._said_fact(seen, found[nth], nth)
        return None

    def is_kept(self, kind: str) -> bool:
        """Whether facts of this kind are kept and used."""
        return kind in self._kinds

    def _settled(self, found: Iterable[tuple[Artifact, Claim]], current: Callable[[Claim], Sequence[Artifact]]) -> Settled:
        """New facts, and which older ones they end. `current` finds stored facts that a claim may be about."""
        made: list[Artifact] = []
        ended: dict[str, Microseconds] = {}
        known_claims: dict[str, Claim] = {}

        def claimed(one: Artifact) -> Claim:
            return known_claims[one.id] if one.id in known_claims else known_claims.setdefault(one.id, claim_of(one))

        for fact, claim in found:
            rivals = (*current(claim), *made)
            known = [one for one in rivals if one.is_current and one.id not in ended and _is_on(one, claim)]
            newer = [old for old in known if supersedes(claimed(old), claim) and old.valid_from > claim.valid_from]
            if newer:
                # Something that was said later, but is older news.
                made.append(replace(fact, valid_to=min(old.valid_from for old in newer)))
                continue
            gone = {old.id for old in known if supersedes(claim, claimed(old)) and (claim.ends or not _same(fact, old))}
            ended |= dict.fromkeys(gone, claim.valid_from)
            made = [replace(one, valid_to=claim.valid_from) if one.id in gone else one for one in made]
            # What a person hid stays hidden when it is said again.
            made.append(with_hidden(fact, any(is_hidden(old) and says_same(old, fact) for old in known)))
        return Settled(made, {id: at for id, at in ended.items() if all(one.id != id for one in made)})

    def _claims(
        self, told: Sequence[Seen], before: Mapping[int, Sequence[Message]], known: Mapping[str, Person]
    ) -> Iterable[tuple[Seen, Claim]]:
        if self._extractor is not None and told:
            with suppress(RecollectError):
                found = self._extractor.extract([seen.message for seen in told])
                return [(told[place], claim) for place, claim in found if self.is_kept(claim.kind)]
        return [
            (seen, claim)
            for seen in told
            for claim in claims(seen.message, before.get(seen.number, ()), known)
            if self.is_kept(claim.kind)
        ]

    def current(self, scope: Scope, claim: Claim) -> list[Artifact]:
        """Current facts that may be about the same as a claim: those found by what it is about, or by its value."""
        return self._with_words(scope, _words_of(claim))

    def ended_by(self, scope: Scope, fact: Artifact) -> list[Artifact]:
        """Facts that ended when this one was noted, because it took their place."""
        claim = claim_of(fact)
        words = _words_of(claim)
        found = self.artifacts.artifacts(scope, ArtifactQuery("fact", terms=words, limit=ALL)) if words else []
        return [
            old
            for old in found
            if old.valid_to == fact.valid_from and _is_on(old, claim) and supersedes(claim, claim_of(old))
        ]

    def _with_words(self, scope: Scope, words: tuple[str, ...]) -> list[Artifact]:
        return self.artifacts.artifacts(scope, ArtifactQuery("fact", terms=words, as_of=EVER, limit=ALL)) if words else []

    def _said_fact(self, seen: Seen, claim: Claim, nth: int) -> Artifact:
        fact = self._fact(claim, seen)
        return replace(fact, id=f"message {seen.number}, {nth + 1}", data={**fact.data, NTH: nth})

    def _fact(self, claim: Claim, seen: Seen) -> Artifact:
        now = self._kit.now()
        return Artifact(
            self._kit.new_id(now),
            "fact",
            claim.text,
            self._kit.counter.count(claim.text),
            now,
            seen.message.session,
            (Source(seen.number, claim.start, claim.end),),
            claim.valid_from,
            data=data_of(claim),
        )

    # -- reading

    def successors(self, scope: Scope, ended: Sequence[Artifact]) -> dict[str, Artifact]:
        """For facts that are no longer true, by id: the current one that has taken its place."""
        found: dict[str, Artifact] = {}
        for old in ended:
            claim = claim_of(old)
            new = next((new for new in self.current(scope, claim) if supersedes(claim_of(new), claim)), None)
            if new is not None:
                found[old.id] = self._said_next(scope, new) if claim_of(new).ends else new
        return found

    def _said_next(self, scope: Scope, ending: Artifact) -> Artifact:
        """The fact that follows one that something is over, and says what came instead: "I sold the Golf and bought
        a Mazda". That one itself if there is none."""
        if not ending.sources:
            return ending
        number, _, end = ending.sources[0]
        for one in self.artifacts.artifacts(scope, ArtifactQuery("fact", numbers=(number,), as_of=EVER, limit=ALL)):
            starts = [source.start for source in one.sources if source.number == number]
            if one.id != ending.id and any(end <= start <= end + LONGEST_LINK for start in starts):
                return one
        return ending

    def listed(self, scope: Scope, query: ArtifactQuery) -> list[Fact]:
        """Facts of kinds that are switched on whose messages can be seen, newest first. Hidden ones are among them."""
        found = [fact for fact in self.artifacts.artifacts(scope, query) if self.is_kept(fact_kind(fact))]
        return self.shown(scope, self._with_visible_sources(scope, found))

    def visible(self, scope: Scope, found: Sequence[Artifact], known: Iterable[int] = ()) -> list[Artifact]:
        """Those of the artifacts that may stand in a prompt: nobody hid them, their kind is switched on, and they rest on
        messages which can be seen, or could be had retention not deleted their session; what a person deleted or said
        differently is no fact any more. `known` are numbers of
        messages that were seen a moment ago."""
        shown = [one for one in found if one.kind != "fact" or (self.is_kept(fact_kind(one)) and not is_hidden(one))]
        return self._with_visible_sources(scope, shown, known)

    def _with_visible_sources(self, scope: Scope, found: Sequence[Artifact], known: Iterable[int] = ()) -> list[Artifact]:
        seen = set(known)
        numbers = {source.number for fact in found for source in fact.sources} - seen
        seen |= {one.number for one in self._storage.look(scope, sorted(numbers), 0, self.filters)} if numbers else set()
        return [fact for fact in found if all(source.number in seen for source in fact.sources)]

    @property
    def filters(self) -> Filters:
        """Where `Storage.look` finds the messages that facts may rest on."""
        return WITH_EXPIRED if self._kit.policy.keep_facts else NO_FILTERS

    def shown(self, scope: Scope, found: Sequence[Artifact]) -> list[Fact]:
        """Facts with the ids of the messages they rest on."""
        numbers = sorted({source.number for fact in found for source in fact.sources})
        ids = {seen.number: seen.message.id for seen in self._storage.fetch(scope, numbers)} if numbers else {}
        return [shown_fact(fact, ids) for fact in found]

    @property
    def artifacts(self) -> Artifacts:
        """The storage of facts."""
        if not isinstance(self._storage, Artifacts):
            raise StorageError("this backend keeps no facts")
        return self._storage


def data_of(claim: Claim) -> dict[str, object]:
    return {
        "kind": claim.kind,
        "subject": claim.subject,
        "about": claim.about,
        "value": claim.value,
        "confidence": claim.confidence,
        **({"corrects": True} if claim.corrects else {}),
    }


def claim_of(fact: Artifact) -> Claim:
    """A kept fact as it was claimed."""
    data = fact.data
    return Claim(
        fact.text, fact_kind(fact), data["subject"], data["about"], data["value"], 0, 0, data["confidence"], fact.valid_from,
        data.get("corrects", False),
    )  # fmt: skip


def _names(said: Iterable[Seen]) -> set[str]:
    """Words that may be names in what the user said."""
    return {name for seen in _by_user(said) for name in _NAME.findall(seen.message.text[:LONGEST_LOOKED_AT])}


def _known_people(said: Sequence[Seen], facts: Iterable[Artifact]) -> dict[str, Person]:
    """People of the user's whom these messages name, by name: as they or earlier facts introduce them."""
    names = _names(said)
    if not names:
        return {}
    introduced = [fact.text for fact in facts if fact.is_current and any(name in fact.text for name in names)]
    introduced += [seen.message.text[:LONGEST_LOOKED_AT] for seen in _by_user(said)]
    return {name: person for text in introduced for name, person in named_people(text).items() if name in names}


def _by_user(said: Iterable[Seen]) -> list[Seen]:
    return [seen for seen in said if seen.message.role is Role.USER and not seen.message.private]


def _words_of(claim: Claim) -> tuple[str, ...]:
    """The words by which older facts about the same are found."""
    return tuple(telling(terms(f"{claim.about} {claim.value}")))


def _is_on(fact: Artifact, claim: Claim) -> bool:
    return fact.data["subject"].casefold() == claim.subject.casefold()


def _same(one: Artifact, other: Artifact) -> bool:
    """Whether two facts say the same: it was said again."""
    return one.data["value"].casefold() == other.data["value"].casefold() and one.data["about"] == other.data["about"]


def shown_fact(fact: Artifact, ids: Mapping[int, str]) -> Fact:
    data = fact.data
    return Fact(
        fact.id,
        fact.text,
        fact_kind(fact),
        data.get("subject", "user"),
        data.get("confidence", 1.0),
        fact.valid_from,
        fact.valid_to,
        fact.pinned,
        fact.session,
        tuple(ids[source.number] for source in fact.sources if source.number in ids),
        is_hidden(fact),
    )
