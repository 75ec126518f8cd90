"""Ranking on hand-made numbers: signals, their weighted sum, late interaction, evidence, selection and reasons."""

import random
import struct
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepsaid.engine.query.query import parse_query
from keepsaid.engine.ranking import bm25
from keepsaid.engine.ranking.evidence import CLOSENESS_BY_WORDS, UNKNOWN_CLOSENESS, RankingEvidence, meets_restrictions
from keepsaid.engine.ranking.late_interaction import (
    DATE_WORD_SHARE,
    STOP_WORD_WEIGHT,
    UNIT_PRODUCT,
    best_matches,
    token_weights,
)
from keepsaid.engine.ranking.models import FULL, VECTORS, WORDS
from keepsaid.engine.ranking.reason import explain_match, list_typed_words
from keepsaid.engine.ranking.relevance import CandidateModel, RelevanceModel, TurnModel, TurnStatistics, compute_likelihoods
from keepsaid.engine.ranking.selection import SAME_CONVERSATION_COST, select_candidates
from keepsaid.engine.ranking.signals import (
    CHANCE_CLOSENESS,
    NEARBY_MEANING,
    NEARBY_WORDS,
    CandidateRanking,
    RankedCandidate,
    RankingCandidates,
    SignalWeights,
    compute_signals,
)
from keepsaid.ports import EmbeddedPassage, Embedding, KeywordMatches, VisibleMessage
from keepsaid.types import Message, Role, to_microseconds

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)


def message(seq, text="x", session="s", *, role=Role.USER, at=NOW, name=None, importance=0.0, parent=None):
    return Message(
        f"{session}{seq}", session, seq, seq - 1 if parent is None else parent, role, text, len(text.split()),
        to_microseconds(at), importance, False, {}, name=name,
    )  # fmt: skip


def talk(*texts, session="s", **more):
    return [message(seq, text, session, **more) for seq, text in enumerate(texts, 1)]


def table(query, messages, words=None, matches=None, tokens=None):
    """The signals of messages for which it is given what each part of the question matches (rows: parts)."""
    question = parse_query(query, NOW)
    count = len(messages)
    words = np.array(words if words is not None else np.zeros((1, count)), np.float32)
    matches = np.array(matches if matches is not None else np.zeros((0, count)), np.float32)
    tokens = tokens if tokens is not None else [1 / len(matches)] * len(matches) if len(matches) else []
    found = compute_signals(question, RankingCandidates(messages, words, matches, tokens), to_microseconds(NOW))
    assert list(found) == list(SignalWeights._fields)
    assert all(column.shape == (count,) for column in found.values())
    return {name: [round(float(value), 4) for value in column] for name, column in found.items()}


# -- signals


def test_nearby_signals_include_matches_of_neighbours():
    found = table("tea", talk("a", "b", "c", "d"), words=[[0.0, 0.8, 0.0, 0.0]], matches=[[0.1, 0.9, 0.2, 0.3]])
    assert found["words"] == [0, 0.8, 0, 0]
    assert found["nearby_words"] == pytest.approx([0.8 * NEARBY_WORDS, 0.8, 0.8 * NEARBY_WORDS, 0], abs=1e-4)
    lent = 0.9 * NEARBY_MEANING
    assert found["nearby_meaning"] == pytest.approx([lent, 0.9, lent, 0.3], abs=1e-4)
    assert found["conversation_words"] == [0.8] * 4
    assert found["conversation_meaning"] == [0.9] * 4


def test_nearby_words_combine_terms_of_neighbours():
    """Two neighbouring messages that each match one term of the question match both together."""
    found = table("green tea", talk("green", "tea"), words=[[0.4, 0.0], [0.0, 0.2]])
    assert found["nearby_words"] == pytest.approx([0.4 + 0.2 * NEARBY_WORDS, 0.2 + 0.4 * NEARBY_WORDS], abs=1e-4)
    assert found["conversation_words"] == pytest.approx([0.6, 0.6], abs=1e-4)


def test_meaning_is_weighted_by_token_weights():
    found = table("green tea", talk("a"), matches=[[1.0], [0.5]], tokens=[0.2, 0.8])
    assert found["meaning"] == found["nearby_meaning"] == found["conversation_meaning"] == [0.6]


def test_neighbours_follow_parents_not_sequence_numbers():
    """Message 3 follows message 1, because message 2 is on an abandoned branch."""
    messages = [message(1), message(3, parent=1), message(4, parent=3)]
    found = table("tea", messages, words=[[0.8, 0.0, 0.0]])
    assert found["nearby_words"] == pytest.approx([0.8, 0.8 * NEARBY_WORDS, 0], abs=1e-4)


def test_nearby_signals_do_not_cross_sessions():
    messages = [*talk("a", "b", session="s"), *talk("a", "b", session="t")]
    found = table("tea", messages, words=[[0.8, 0, 0, 0]], matches=[[0.9, 0.1, 0.2, 0.1]])
    assert found["nearby_words"][2:] == found["conversation_words"][2:] == [0, 0]
    assert found["conversation_meaning"] == pytest.approx([0.9, 0.9, 0.2, 0.2], abs=1e-4)


def test_message_after_matching_question_gets_answers_signal():
    messages = talk("Which tea?", "Green.", "Tea it is.", "Fine.")
    by_words = table("tea", messages, words=[[0.8, 0.0, 0.7, 0.0]])
    assert by_words["is_question"] == [1, 0, 0, 0]
    assert by_words["answers"] == pytest.approx([0, 0.8, 0, 0], abs=1e-4)
    by_meaning = table("tea", messages, words=[[0.8, 0.0, 0.7, 0.0]], matches=[[0.9, 0.2, 0.6, 0.2]])
    assert by_meaning["answers"] == pytest.approx([0, 0.9 - CHANCE_CLOSENESS, 0, 0], abs=1e-4)
    unlike = table("tea", messages, matches=[[CHANCE_CLOSENESS - 0.1, 0.2, 0.6, 0.2]])
    assert unlike["answers"] == [0, 0, 0, 0]


def test_time_signal_fades_outside_requested_range():
    days = [datetime(2026, 5, day, 12, tzinfo=UTC) for day in (1, 3, 4, 8, 10, 11, 13)]
    messages = [message(seq, at=at) for seq, at in enumerate(days, 1)]
    found = table("tea last week", messages)["time"]  # Monday the 4th to Sunday the 10th
    assert found[2:5] == [1, 1, 1]
    assert 0 < found[0] < found[1] < 1
    assert 1 > found[5] > found[6] > 0
    assert table("tea", messages)["time"] == [0] * 7


def test_time_signal_uses_nearer_of_two_times():
    days = [datetime(2026, month, 15, tzinfo=UTC) for month in (1, 2, 3, 4)]
    found = table("tea in January or in April", [message(seq, at=at) for seq, at in enumerate(days, 1)])["time"]
    assert found[0] == found[3] == 1
    assert found[1] < 1 > found[2]


def test_recent_signal_decays_with_age():
    ages = [0, 7, 70]
    found = table("tea", [message(seq, at=NOW - timedelta(days=age)) for seq, age in enumerate(ages, 1)])["recent"]
    assert found == pytest.approx([1, 0.3679, 0], abs=1e-3)


def test_role_signals_apply_only_when_asked_for():
    messages = [message(1, role=Role.USER), message(2, role=Role.ASSISTANT), message(3, role=Role.TOOL)]
    mine, yours, nobodys = (table(query, messages) for query in ("What did I say?", "What did you suggest?", "tea"))
    assert (mine["user"], mine["assistant"]) == ([1, 0, 0], [0, 0, 0])
    assert (yours["user"], yours["assistant"]) == ([0, 0, 0], [0, 1, 0])
    assert nobodys["user"] == nobodys["assistant"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What did Sam say?", "Sam"),
        ("sam's tea", "Sam"),
        ("It is all the same to me", None),
        ("Where does Ana Lopes live?", "Ana Lopes"),
        ("Where does Ana live?", None),
        ("Was there a banana?", None),
        ("What did !!! say?", None),
    ],
)
def test_speaker_signal_needs_whole_name(query, named):
    messages = [message(seq, name=name) for seq, name in enumerate(("Sam", "Ana Lopes", "!!!", None), 1)]
    assert table(query, messages)["speaker"] == [float(one.name == named and named is not None) for one in messages]


def test_phrase_signal_is_share_of_matched_phrases():
    messages = talk("my big sister moved", "my sister is big", "the big sister and the old house")
    assert table('tea "big sister"', messages)["phrase"] == [1, 0, 1]
    assert table('tea "big sister" "old house"', messages)["phrase"] == [0.5, 0, 1]
    assert table("tea", messages)["phrase"] == [0, 0, 0]


def test_importance_signal_is_message_importance():
    assert table("tea", [message(1, importance=0.7)])["importance"] == [0.7]


# -- the sum


def rank_candidates(weights, messages, **given):
    question = parse_query("tea", NOW)
    nothing = np.zeros((0, len(messages)), np.float32)
    words = np.array(given.get("words", np.zeros((1, len(messages)))), np.float32)
    matches = np.array(given["matches"], np.float32) if "matches" in given else nothing
    tokens = [1 / max(1, len(matches))] * len(matches)
    return CandidateRanking(question, RankingCandidates(messages, words, matches, tokens), weights, to_microseconds(NOW))


def test_score_is_weighted_sum_of_signals():
    messages = talk("Which tea?", "Green.", importance=0.5)
    ranking = rank_candidates(SignalWeights(words=2.0, answers=10.0, importance=4.0), messages, words=[[0.8, 0.1]])
    assert [(one.at, pytest.approx(one.score, abs=1e-4)) for one in ranking.best_first] == [(1, 0.2 + 8 + 2), (0, 1.6 + 2)]
    assert ranking.list_signals([0]) == [{"words": 0.8, "answers": 0.0, "importance": 0.5}]


def test_signals_include_words_with_zero_weight():
    ranking = rank_candidates(SignalWeights(meaning=1.0), talk("tea"), words=[[0.4]], matches=[[0.6]])
    assert ranking.list_signals([0]) == [{"words": 0.4, "meaning": 0.6}]
    assert ranking.list_signals([]) == []


def test_equal_scores_rank_newest_first():
    messages = [message(seq, at=NOW - timedelta(days=seq % 3), parent=0) for seq in range(1, 7)]
    order = [
        messages[one.at].seq for one in rank_candidates(SignalWeights(words=1.0), messages, words=[[0.5] * 6]).best_first
    ]
    assert order == [6, 3, 4, 1, 5, 2]


def test_ranking_without_candidates_is_empty():
    assert rank_candidates(FULL.weights, []).best_first == []


numbers = st.floats(0, 1, width=32)


@st.composite
def candidates(draw):
    """Some sessions of some messages, each with its matches: two terms, three tokens."""
    made = []
    for session in range(draw(st.integers(1, 4))):
        for seq in range(1, draw(st.integers(1, 5)) + 1):
            said = message(
                seq,
                draw(st.sampled_from(["Which tea?", "Green.", "my big sister", "東京"])),
                f"s{session}",
                role=draw(st.sampled_from(list(Role))),
                at=NOW - timedelta(days=draw(st.integers(0, 60))),
                name=draw(st.sampled_from([None, "Ana", "Ben"])),
                importance=draw(numbers),
            )
            made.append((said, draw(st.tuples(numbers, numbers)), draw(st.tuples(numbers, numbers, numbers))))
    return made


QUERY = 'What did Ana tell me last week about "big sister"?'


def totals(made, profile):
    made = sorted(made, key=lambda one: (one[0].session, one[0].seq))
    messages = [said for said, _, _ in made]
    words = np.array([words for _, words, _ in made], np.float32).T
    matches = np.array([matches for _, _, matches in made], np.float32).T
    given = RankingCandidates(messages, words, matches, [0.5, 0.3, 0.2])
    ranking = CandidateRanking(parse_query(QUERY, NOW), given, profile.weights, to_microseconds(NOW))
    return {messages[one.at].id: one.score for one in ranking.best_first}, [
        messages[one.at].id for one in ranking.best_first
    ]


@settings(max_examples=150, deadline=None)
@given(candidates(), st.sampled_from([WORDS, VECTORS, FULL]), st.randoms(use_true_random=False))
def test_scores_ignore_candidate_order_and_other_sessions(made, profile, chance):
    scores, order = totals(made, profile)
    assert [scores[id] for id in order] == sorted(scores.values(), reverse=True)
    shuffled = list(made)
    chance.shuffle(shuffled)
    assert totals(shuffled, profile) == (scores, order)
    alone = [one for one in made if one[0].session == "s0"]
    fewer, _ = totals(alone, profile)
    assert fewer == pytest.approx({id: score for id, score in scores.items() if id in fewer}, abs=1e-4)
    assert fewer.keys() <= {said.id for said, _, _ in alone}


def test_unrelated_messages_are_not_ranked():
    messages = talk("Tea?", "Yes.", "The printer is out of paper.", "So it is.")
    words, matches = np.array([[0.3, 0, 0, 0]], np.float32), np.array([[0.6, 0.1, 0.1, 0.3]], np.float32)
    ranking = CandidateRanking(
        parse_query("tea", NOW), RankingCandidates(messages, words, matches, [1.0]), FULL.weights, to_microseconds(NOW)
    )
    assert sorted(one.at for one in ranking.best_first) == [0, 1, 3]


# -- late interaction


@st.composite
def token_rows(draw, most=6, least=0, width=4):
    return [draw(st.tuples(*[st.integers(-127, 127)] * width)) for _ in range(draw(st.integers(least, most)))]


def pack_rows(rows):
    return b"".join(struct.pack(f"{len(row)}b", *row) for row in rows)


@settings(max_examples=200, deadline=None)
@given(token_rows(), st.lists(token_rows(), max_size=5))
def test_best_matches_equals_maximum_of_dot_products(question, passages):
    found = best_matches(pack_rows(question), [pack_rows(rows) for rows in passages], 4)
    assert found.shape == (len(question), len(passages))
    for row, asked in enumerate(question):
        for column, rows in enumerate(passages):
            dots = [sum(x * y for x, y in zip(asked, said, strict=True)) for said in rows]
            assert found[row, column] == pytest.approx(max(dots) / UNIT_PRODUCT if dots else 0.0, abs=1e-5)


def test_best_matches_handles_128_dimensions_and_many_rows():
    chance = random.Random(7)
    rows = [[chance.randint(-127, 127) for _ in range(128)] for _ in range(400)]
    found = best_matches(pack_rows(rows[:9]), [pack_rows(rows[at : at + 40]) for at in range(0, 400, 40)], 128)
    said = np.array(rows, np.int64)
    expected = (said[:9] @ said.T).reshape(9, 10, 40).max(2) / UNIT_PRODUCT
    assert np.allclose(found, expected, atol=1e-4)


def test_token_weights_depend_on_terms_and_dates():
    question = "Where did my sister go in March?"
    spans = [(0, 5), (6, 9), (10, 12), (13, 16), (16, 19), (20, 22), (23, 25), (26, 31), (31, 32)]
    times = parse_query(question, NOW).times
    weights = token_weights(question, spans, {"sister": 6.0, "go": 2.0, "march": 5.0}, times)
    assert sum(weights) == pytest.approx(1)
    where, _, _, sis, ter, go, _, march, mark = (weight / weights[0] * STOP_WORD_WEIGHT for weight in weights)
    assert sis == ter == pytest.approx(6)
    assert go == pytest.approx(2)
    assert march == pytest.approx(5 * DATE_WORD_SHARE)
    assert (where, mark) == (STOP_WORD_WEIGHT, 0)


def test_token_weights_without_words_are_equal():
    assert token_weights("!?", [(0, 1), (1, 2)], {}) == [0.5, 0.5]
    assert token_weights("", [], {}) == []


# -- evidence


def visible_message(number, text, **more):
    return VisibleMessage(number, message(number, text, **more))


def vector(*values):
    return np.array(values, "<f2").tobytes()


def evidence(query, messages, *, asked=None, passages=(), average=3.0):
    """What is known of messages by the words they have, and by these passages."""
    question = parse_query(query, NOW)
    worth = dict.fromkeys(question.terms, 2.0)
    return RankingEvidence.of(question, messages, KeywordMatches([], worth, average), {}, asked, passages)


def test_word_scores_are_shares_of_a_perfect_match():
    found = evidence(
        "green tea",
        [visible_message(1, "green tea please"), visible_message(2, "tea for you"), visible_message(3, "nothing of it")],
    )
    assert found.candidates.words.T.tolist() == pytest.approx(
        np.array(
            [
                [bm25.SINGLE_OCCURRENCE_SHARE / 2, bm25.SINGLE_OCCURRENCE_SHARE / 2],
                [0, bm25.SINGLE_OCCURRENCE_SHARE / 2],
                [0, 0],
            ]
        ),
        abs=1e-5,
    )
    assert (found.has_meaning, found.has_tokens) == (False, False)
    assert found.candidates.matches.shape == (0, 3)


def test_message_is_represented_by_best_passage():
    text = "green tea, black coffee"
    passages = [EmbeddedPassage(1, 0, 0, 9, vector(0.6, 0.8)), EmbeddedPassage(1, 1, 11, 23, vector(1.0, 0.0))]
    found = evidence("coffee", [visible_message(1, text)], asked=Embedding([1.0, 0.0]), passages=passages)
    assert found.candidates.matches.tolist() == [[1.0]]
    assert found.passage(0) == "black coffee"
    assert (found.has_meaning, found.has_tokens) == (True, False)


def test_token_vectors_select_best_passage():
    text = "green tea, black coffee"
    one, other = bytes([127, 0]), bytes([0, 127])
    passages = [EmbeddedPassage(1, 0, 0, 9, vector(1.0), one, 2), EmbeddedPassage(1, 1, 11, 23, vector(0.1), other, 2)]
    asked = Embedding([1.0], other, 2, [(0, 6)])
    found = evidence("coffee", [visible_message(1, text)], asked=asked, passages=passages)
    assert found.passage(0) == "black coffee"
    assert found.candidates.matches.tolist() == [[1.0]]
    assert found.has_tokens


def test_closeness_without_vectors_is_estimated_from_words():
    messages = [
        visible_message(1, "green tea please"),
        visible_message(2, "nothing of it"),
        visible_message(3, "green tea with vectors"),
    ]
    passages = [EmbeddedPassage(3, 0, 0, 22, vector(0.8, 0.6))]
    found = evidence("green tea", messages, asked=Embedding([1.0, 0.0]), passages=passages)
    assert found.candidates.matches[0].tolist() == pytest.approx(
        [UNKNOWN_CLOSENESS + CLOSENESS_BY_WORDS, UNKNOWN_CLOSENESS, 0.8], abs=1e-3
    )
    nobody = evidence("green tea", messages, asked=Embedding([1.0, 0.0]))
    assert nobody.candidates.matches[0].tolist() == pytest.approx(
        [UNKNOWN_CLOSENESS + CLOSENESS_BY_WORDS, UNKNOWN_CLOSENESS, 0.61], abs=0.05
    )
    assert evidence("green tea", [], asked=Embedding([1.0, 0.0])).candidates.matches.shape == (1, 0)


def test_evidence_allows_only_permitted_messages():
    found = evidence(
        "tea -milk", [visible_message(1, "tea"), visible_message(2, "tea"), visible_message(3, "tea with milk")]
    )
    assert found.find_allowed() == [True, True, False]
    assert found.among([2, 3]).find_allowed() == [False, True, False]
    assert found.among([]).find_allowed() == [False, False, False]
    assert not found.without_words().candidates.words.any()
    assert found.candidates.words.any()


@pytest.mark.parametrize(
    ("query", "text", "permitted"),
    [
        ("tea", "coffee", True),
        ("tea -milk", "tea and Milks", False),
        ('tea -"green tea"', "green tea", False),
        ('tea -"green tea"', "tea, so green", True),
        ('"green tea"', "a Green Tea!", True),
        ('"green tea"', "green, or tea", False),
        ('"green tea" "hot milk"', "green tea", False),
        ('leaf "green tea"', "coffee", True),
        ('"ana"', "hello", True),
    ],
)
def test_restrictions_check_phrases_and_exclusions(query, text, permitted):
    assert meets_restrictions(parse_query(query, NOW), message(1, text, name="Ana")) is permitted


# -- the hits


def test_selection_merges_identical_messages():
    messages = [message(1, "Tea, please"), message(2, "Tea, please"), message(3, "Tea, please", role=Role.ASSISTANT)]
    best = [RankedCandidate(1, 3.0), RankedCandidate(0, 2.0), RankedCandidate(2, 1.0)]
    assert select_candidates(best, messages, 5) == [RankedCandidate(1, 3.0, also=(0,)), best[2]]
    assert select_candidates(best, messages, 1) == [RankedCandidate(1, 3.0, also=(0,))]
    assert select_candidates([], messages, 5) == []


def test_selection_alternates_sessions_when_several_are_wanted():
    messages = [*talk("a", "b", "c", session="s"), *talk("d", session="t")]
    best = [RankedCandidate(0, 3.0), RankedCandidate(1, 2.9), RankedCandidate(2, 2.8), RankedCandidate(3, 2.7)]
    assert [one.at for one in select_candidates(best, messages, 3)] == [0, 1, 2]
    chosen = select_candidates(best, messages, 3, several=True)
    assert [one.at for one in chosen] == [0, 3, 1]
    assert [one.score for one in chosen] == pytest.approx([3.0, 2.7, 2.9 - SAME_CONVERSATION_COST])


def test_likelihood_grows_with_score_between_0_and_1():
    model, turn = RelevanceModel(CandidateModel(bias=-4.0, score=0.8)), TurnStatistics.of([1.0, 5.0], 0.0, 1.0)
    values = compute_likelihoods(model, [-1e9, 0, 4, 5, 6, 10, 1e9], turn)
    assert values == sorted(values)
    assert (values[0], values[3], values[-1]) == (pytest.approx(0), 0.5, 1.0)


def test_likelihood_is_zero_for_turn_without_need():
    model = RelevanceModel(CandidateModel(bias=3.0), TurnModel(bias=0.0, need=1.0))
    assert compute_likelihoods(model, [5.0], TurnStatistics.of([5.0], 3.0, 1.0))[0] > 0.8
    assert compute_likelihoods(model, [5.0], TurnStatistics.of([5.0], -3.0, 1.0)) == [0.0]


def test_influence_of_turn_vector_is_limited():
    assert TurnStatistics.of([5.0], -50.0, 1.0).need == -TurnStatistics.of([5.0], 50.0, 1.0).need


def test_statement_signals_exclude_assistant_and_tool():
    said = [
        message(1),
        message(2, role=Role.ASSISTANT),
        message(3, role=Role.ASSISTANT, name="Ann"),
        message(4, role=Role.TOOL),
    ]
    words = np.zeros((1, 4), np.float32)
    likely = np.full(4, 0.5, np.float32)
    found = compute_signals(
        parse_query("tea", NOW), RankingCandidates(said, words, words[:0], [], statements=likely), to_microseconds(NOW)
    )
    assert found["stated"].tolist() == [1, 0, 1, 0]
    assert found["statement"].tolist() == [0.5, 0, 0.5, 0]


NOTHING = dict.fromkeys(SignalWeights._fields, 0.0)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, "May 2026"),
        ({"meaning": 0.6}, "close in meaning; May 2026"),
        ({"meaning": 0.5}, "May 2026"),
        ({"phrase": 0.5}, "has the phrase; May 2026"),
        ({"answers": 0.2, "nearby_words": 0.9}, "answers a matching question; May 2026"),
        ({"words": 0.1, "nearby_words": 0.4}, "next to a strong match; May 2026"),
        ({"words": 0.4, "nearby_words": 0.4, "meaning": 0.5, "nearby_meaning": 0.5}, "May 2026"),
        ({"nearby_meaning": 0.5}, "next to a strong match; May 2026"),
        ({"time": 0.95}, "from the time asked for; May 2026"),
        ({"time": 0.8}, "May 2026"),
        ({"speaker": 1.0, "user": 1.0}, "said by Ana; said by the user; May 2026"),
        ({"assistant": 1.0, "importance": 0.6}, "said by the assistant; important; May 2026"),
    ],
)
def test_reason_names_strong_signals(told, expected):
    assert explain_match([], message(1, name="Ana"), [], NOTHING | told) == expected


def test_reason_names_words_with_most_weight():
    question = parse_query("green tea in the old garden house with lemons", NOW)
    typed = list_typed_words(question)
    assert typed == ["green", "tea", "old", "garden", "house", "lemons"]
    shares = [0.1, 0.5, 0.0, 0.2, 0.3, 0.4]
    assert explain_match(typed, message(1), shares, NOTHING) == "matches 'tea', 'lemons', 'house', 'garden'; May 2026"
    cjk = parse_query("東京タワー", NOW)
    assert (
        explain_match(list_typed_words(cjk), message(1), [0.1] * len(cjk.terms), NOTHING) == "matches '東京タワー'; May 2026"
    )
