"""Verbs that search messages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from keepsaid.engine.messages.intake import clean_roles
from keepsaid.engine.messages.validation import clean_datetime, clean_fraction, clean_limit, clean_name, clean_tags
from keepsaid.errors import InvalidInput
from keepsaid.memory.base import MemoryBase
from keepsaid.types import SearchFilters, SearchHits, to_microseconds

if TYPE_CHECKING:
    from keepsaid.types.prompts import RelevantContext

MODES = ("full", "words", "meaning")
OVERFETCH = 20
"""How many hits `relevant_context` fetches, to keep those that fit."""


class SearchVerbs(MemoryBase):
    """Verbs that search messages."""

    def search(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        session: str | None = None,
        roles: Iterable[str] = (),
        tags: Iterable[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: float = 0.0,
        min_score: float | None = None,
        limit: int | None = None,
        now: datetime | None = None,
        mode: str = "full",
        exclude_session: str | None = None,
        plain: bool = False,
    ) -> SearchHits:
        """Search messages by words and by meaning, in all conversations that are not deleted; best first.

        Words like "last week" or "in March" are relative to `now` (the caller's time and time zone). A query may contain
        `role:user`, `tag:work`, `before:2026-05-01`, `after:…`, `session:…`, `"a phrase"` and `-word`, at most 32 of a kind
        (else `InvalidInput`). With `plain`, nothing in the query is an operator: use it for text written to an
        assistant. Scores are from 0 to 1; `mode` is `full`, `words` or `meaning`.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
        >>> hit = memory.search("where do my sisters live?", owner="u1")[0]
        >>> hit.passage, hit.reason.split(";")[0]
        ('My sister moved to Lisbon in May.', "matches 'sisters'")
        """
        if mode not in MODES:
            raise InvalidInput(f"unknown mode {mode!r}: use one of {', '.join(MODES)}")
        filters = _build_filters(session, roles, tags, since, until, min_importance, exclude_session)
        moment = self._services.clock().astimezone() if now is None else clean_datetime(now, "now")
        from keepsaid.services.search.searcher import SearchRequest

        limit = self._services.settings.recall_limit if limit is None else clean_limit(limit, "limit")
        self._services.start_if_enabled()
        usual = self._services.settings.context_min_score if plain else self._services.settings.recall_min_score
        if self._services.settings.reranker is not None:
            usual = 0.0  # a reranker orders the hits, so our own score must not remove any
        lowest = usual if min_score is None else clean_fraction(min_score, "min_score")
        hits = self._services.searcher.search(
            SearchRequest(query, self._scope(owner, None, pool), moment, filters, limit, lowest, mode, plain)
        )
        if self._services.embedding_worker is not None and self._services.embedding_worker.failure:
            hits.fallbacks += (f"new messages are found by words alone: {self._services.embedding_worker.failure}",)
        return hits

    def relevant_context(
        self,
        query: str,
        *,
        owner: str,
        pool: str | None = None,
        max_tokens: int | None = None,
        now: datetime | None = None,
        exclude_session: str | None = None,
    ) -> RelevantContext:
        """Return what is relevant to a question, within `max_tokens`, as text for a prompt of your own.

        Nothing in the question is an operator. `exclude_session` is a session to leave out.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").add("user", "My sister moved to Lisbon in May.")
        >>> found = memory.relevant_context("where does my sister live?", owner="u1")
        >>> found.tokens < 100, [hit.message.text for hit in found.hits]
        (True, ['My sister moved to Lisbon in May.'])
        """
        from keepsaid.engine.prompt.relevant_context import build_relevant_context
        from keepsaid.engine.redaction.messages import PersonalDataRedactor

        limit = self._services.settings.relevant_tokens if max_tokens is None else clean_limit(max_tokens, "max_tokens", 0)
        lowest = self._services.settings.context_min_score
        hits = self.search(
            query,
            owner=owner,
            pool=pool,
            limit=OVERFETCH,
            min_score=lowest,
            now=now,
            exclude_session=exclude_session,
            plain=True,
        )
        return build_relevant_context(
            hits, limit, self._services.counter.count, PersonalDataRedactor(self._services.settings.redact_sent)
        )


def _build_filters(
    session: str | None,
    roles: Iterable[str],
    tags: Iterable[str],
    since: datetime | None,
    until: datetime | None,
    min_importance: float,
    exclude_session: str | None,
) -> SearchFilters:
    """Return the filters of a search; raise `InvalidInput` if one is invalid or no message can match."""
    filters = SearchFilters(
        () if session is None else (clean_name(session, "session"),),
        clean_roles(roles),
        clean_tags(tags),
        None if since is None else to_microseconds(clean_datetime(since, "since")),
        None if until is None else to_microseconds(clean_datetime(until, "until")),
        clean_fraction(min_importance, "min_importance"),
        () if exclude_session is None else (clean_name(exclude_session, "exclude_session"),),
    )
    if filters.since is not None and filters.until is not None and filters.since >= filters.until:
        raise InvalidInput("`since` must be before `until`: no message can match")
    return filters
