"""The pure rules, one by one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import bm25
from recollect.engine.cursor import seal, unseal
from recollect.engine.importance import importance
from recollect.engine.intake import OVERHEAD, same_content, to_draft, to_message
from recollect.engine.lifecycle import DAY, cutoffs, spans
from recollect.engine.terms import LONGEST, terms
from recollect.errors import InvalidCursor
from recollect.tokens import counter_for
from recollect.types import Draft, Part, RetentionPolicy, Status, ToolCall, microseconds, moment

NOW = microseconds(datetime(2026, 5, 1, tzinfo=UTC))


def made(draft):
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
def test_terms(text, expected):
    assert terms(text) == expected


def test_long_runs_are_cut():
    assert [len(term) for term in terms("x" * 1000 + " y")] == [LONGEST, 1]


@given(st.text())
def test_terms_are_what_the_index_can_keep(text):
    """No space, no quote, nothing that FTS5's tokenizer would part: each term is one token there."""
    for term in terms(text):
        assert term
        assert all(c == "_" or c.isalnum() or ord(c) > 127 for c in term)


@given(st.text(alphabet="abcdefgh ijk-._!?", max_size=60))
def test_both_ways_of_parting_words_agree(text):
    assert terms(text) == terms(text + "\u00a0é")[:-1]


# -- importance


def test_what_matters_scores_higher():
    ranked = [
        importance(text, "user")
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
def test_importance_stays_in_its_range(text, role):
    assert 0.0 <= importance(text, role) <= 1.0


# -- intake


def test_tokens_include_calls_parts_and_format():
    count = counter_for("o200k_base").count
    plain = made(Draft("user", "hello world"))
    assert plain.tokens == OVERHEAD + count("hello world")
    call = ToolCall("c1", "weather", '{"city":"Lisbon"}')
    calling = made(Draft("assistant", "", tool_calls=(call,)))
    assert calling.tokens == 2 * OVERHEAD + count("c1") + count("weather") + count('{"city":"Lisbon"}')
    seeing = made(Draft("user", (Part("text", "look"), Part("image", uri="file:///cat.png"))))
    assert seeing.tokens > OVERHEAD + count("look")
    assert seeing.text == "look"


def test_dictionaries_of_the_common_shape_are_taken():
    draft = to_draft({"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]})
    assert draft == Draft("assistant", "", tool_calls=(ToolCall("c", "f", "{}"),))
    assert to_draft(draft) is draft


def test_same_content_ignores_place_time_and_marks():
    one = made(Draft("user", "x"))
    assert same_content(one, one._replace(seq=9, created=0, pinned=True, importance=1.0))
    assert not same_content(one, one._replace(metadata={"a": 1}))
    assert not same_content(one, one._replace(text="y"))


# -- life cycle


def test_how_long_a_stage_lasts():
    policy = RetentionPolicy(active_days=30, archived_days=None, deleted_days=0.5)
    assert spans(policy) == {Status.ACTIVE: 30 * DAY, Status.ARCHIVED: None, Status.DELETED: DAY // 2}
    assert spans(RetentionPolicy(active_days=1e300, deleted_days=float("inf")))[Status.ACTIVE] is None


def test_cutoffs():
    policy = RetentionPolicy(active_days=30, archived_days=None, deleted_days=1e9)
    assert cutoffs(policy, NOW) == {Status.ACTIVE: NOW - 30 * DAY}


# -- cursors, time, scores


@given(st.text(), st.integers(-(2**62), 2**62), st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_cursors_come_back(owner, number, name):
    assert unseal(("q", owner), seal(("q", owner), number, name)) == (number, name)
    with pytest.raises(InvalidCursor):
        unseal(("q", owner + "x"), seal(("q", owner), number, name))


@given(st.datetimes(timezones=st.just(UTC)))
def test_moments_come_back_to_the_microsecond(when):
    assert moment(microseconds(when)) == when


def test_rare_words_and_short_messages_score_higher():
    statistics = bm25.Statistics(100, 1000)
    common, rare = bm25.rarity(statistics, 50), bm25.rarity(statistics, 2)
    assert rare > common > 0
    worth = {"tea": rare}
    (short,), (long,) = (bm25.parts(["tea"], tokens, worth, statistics.average) for tokens in (5, 50))
    assert short > long > 0
    assert bm25.parts(["tea", "tea"], 5, worth, statistics.average)[0] > short
    assert bm25.parts(["coffee"], 5, worth, statistics.average) == (0,)
    assert bm25.parts(["tea"] * 1000, 1, worth, statistics.average)[0] < bm25.perfect(worth)
