"""Pure functions of the engine: terms, importance, intake, life cycle, cursors, scores, and pages."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepsaid.engine.messages.cursor import decode_cursor, encode_cursor
from keepsaid.engine.messages.importance import score_importance
from keepsaid.engine.messages.intake import MESSAGE_OVERHEAD, has_same_content, to_draft, to_message
from keepsaid.engine.messages.lifecycle import DAY, compute_cutoffs, compute_stage_durations
from keepsaid.engine.ranking import bm25
from keepsaid.engine.text.terms import MAX_WORD_CHARACTERS, terms
from keepsaid.errors import InvalidCursor
from keepsaid.llm.tokens import counter_for
from keepsaid.types import (
    ContentPart,
    MessageDraft,
    Page,
    RetentionPolicy,
    SessionStatus,
    ToolCall,
    to_datetime,
    to_microseconds,
)

NOW = to_microseconds(datetime(2026, 5, 1, tzinfo=UTC))


def make_message(draft):
    counter = counter_for("o200k_base")
    return to_message(draft, session="s", now=NOW, new_id=lambda now: "new", counter=counter, largest=10**6)


# -- terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("...", []),
        ("Running runs RUN", ["run", "run", "run"]),
        ("foo_bar.py /etc/hosts", ["foo_bar", "py", "etc", "host"]),
        ("café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("ﬁne ＡＢＣ", ["fine", "abc"]),
        ("𝐇𝐞𝐥𝐥𝐨", ["hello"]),
        ("猫", ["猫"]),
        ("東京 tower", ["東", "東京", "京", "tower"]),
        ("が", ["が"]),
        ("か\u3099", ["が"]),
        ("Straße", ["strass"]),
        ("3.14 & 4711", ["3", "14", "4711"]),
    ],
)
def test_terms_are_normalized_and_stemmed(text, expected):
    assert terms(text) == expected


def test_terms_truncates_long_words():
    assert [len(term) for term in terms("x" * 1000 + " y")] == [MAX_WORD_CHARACTERS, 1]


@given(st.text())
def test_terms_contain_only_index_token_characters(text):
    """Each term is one token for FTS5: no space, no quote, nothing that its tokenizer would split."""
    for term in terms(text):
        assert term
        assert all(c == "_" or c.isalnum() or ord(c) > 127 for c in term)


@given(st.text(alphabet="abcdefgh ijk-._!?", max_size=60))
def test_ascii_and_unicode_term_splitting_agree(text):
    assert terms(text) == terms(text + "\u00a0é")[:-1]


# -- importance


def test_importance_ranks_lasting_statements_higher():
    ranked = [
        score_importance(text, "user")
        for text in (
            "Remember that my sister moved to Lisbon, her number is 555 1234.",
            "We decided to go with the blue one by 3 June.",
            "My brother lives in Porto.",
            "I prefer tea.",
            "ok thanks",
        )
    ]
    assert ranked == sorted(ranked, reverse=True)
    assert len(set(ranked)) == 5
    assert ranked[-1] == 0.0


@given(st.text(), st.sampled_from(["user", "assistant", "tool", "system"]))
def test_importance_is_between_zero_and_one(text, role):
    assert 0.0 <= score_importance(text, role) <= 1.0


# -- intake


def test_message_tokens_include_tool_calls_and_content_parts():
    count = counter_for("o200k_base").count
    plain = make_message(MessageDraft("user", "hello world"))
    assert plain.tokens == MESSAGE_OVERHEAD + count("hello world")
    call = ToolCall("c1", "weather", '{"city":"Lisbon"}')
    calling = make_message(MessageDraft("assistant", "", tool_calls=(call,)))
    assert calling.tokens == 2 * MESSAGE_OVERHEAD + count("c1") + count("weather") + count('{"city":"Lisbon"}')
    seeing = make_message(MessageDraft("user", (ContentPart("text", "look"), ContentPart("image", uri="file:///cat.png"))))
    assert seeing.tokens > MESSAGE_OVERHEAD + count("look")
    assert seeing.text == "look"


def test_to_draft_accepts_message_dictionaries():
    draft = to_draft({"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]})
    assert draft == MessageDraft("assistant", "", tool_calls=(ToolCall("c", "f", "{}"),))
    assert to_draft(draft) is draft


def test_has_same_content_ignores_position_time_and_pin():
    one = make_message(MessageDraft("user", "x"))
    assert has_same_content(one, one._replace(seq=9, created=0, pinned=True, importance=1.0))
    assert not has_same_content(one, one._replace(metadata={"a": 1}))
    assert not has_same_content(one, one._replace(text="y"))


# -- life cycle


def test_stage_durations_follow_retention_policy():
    policy = RetentionPolicy(active_days=30, archived_days=None, deleted_days=0.5)
    assert compute_stage_durations(policy) == {
        SessionStatus.ACTIVE: 30 * DAY,
        SessionStatus.ARCHIVED: None,
        SessionStatus.DELETED: DAY // 2,
    }
    assert (
        compute_stage_durations(RetentionPolicy(active_days=1e300, deleted_days=float("inf")))[SessionStatus.ACTIVE] is None
    )


def test_cutoffs_omit_unlimited_stages():
    policy = RetentionPolicy(active_days=30, archived_days=None, deleted_days=1e9)
    assert compute_cutoffs(policy, NOW) == {SessionStatus.ACTIVE: NOW - 30 * DAY}


# -- cursors, time, scores


@given(st.text(), st.integers(-(2**62), 2**62), st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_cursor_round_trips_for_its_own_query_only(owner, number, name):
    assert decode_cursor(("q", owner), encode_cursor(("q", owner), number, name)) == (number, name)
    with pytest.raises(InvalidCursor):
        decode_cursor(("q", owner + "x"), encode_cursor(("q", owner), number, name))


@given(st.datetimes(timezones=st.just(UTC)))
def test_datetime_round_trips_to_the_microsecond(when):
    assert to_datetime(to_microseconds(when)) == when


def test_bm25_scores_rare_words_and_short_messages_higher():
    statistics = bm25.CorpusStatistics(100, 1000)
    common, rare = bm25.compute_idf(statistics, 50), bm25.compute_idf(statistics, 2)
    assert rare > common > 0
    worth = {"tea": rare}
    (short,), (long,) = (bm25.score_terms(["tea"], tokens, worth, statistics.average) for tokens in (5, 50))
    assert short > long > 0
    assert bm25.score_terms(["tea", "tea"], 5, worth, statistics.average)[0] > short
    assert bm25.score_terms(["coffee"], 5, worth, statistics.average) == (0,)
    assert bm25.score_terms(["tea"] * 1000, 1, worth, statistics.average)[0] < bm25.compute_maximum_score(worth)


# -- pages


def test_page_behaves_like_a_sequence():
    page, empty = Page(("a", "b", "c"), next="..."), Page[str](())
    assert isinstance(page, Sequence)
    assert (page[0], page[-1], page[1:], page[::-1], len(page)) == ("a", "c", ("b", "c"), ("c", "b", "a"), 3)
    assert (bool(page), bool(empty), "b" in page, page.index("c"), list(reversed(page))) == (
        True,
        False,
        True,
        2,
        ["c", "b", "a"],
    )
    assert (page, hash(page)) == (Page(("a", "b", "c"), "..."), hash(Page(("a", "b", "c"), "...")))
    assert page != Page(("a", "b", "c"))
    with pytest.raises(IndexError):
        empty[0]
