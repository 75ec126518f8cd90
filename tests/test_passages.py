"""Splitting of long texts into passages."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.text.passages import (
    LONG_WORD_STEP,
    MAX_PASSAGE_WORDS,
    MAX_PASSAGES,
    MAX_WHOLE_WORDS,
    MIN_PASSAGE_WORDS,
    OVERLAP_LEEWAY,
    OVERLAP_WORDS,
    prefix_speaker,
    split_passages,
)

WORDS = [f"w{number}" for number in range(400)]


def pieces(text):
    return [text[start:end] for start, end in split_passages(text)]


def test_short_text_is_one_passage():
    text = " ".join(WORDS[:MAX_WHOLE_WORDS])
    assert pieces(f"\n {text} ") == [text]
    assert len(pieces(text + " more")) == 2


def test_blank_text_has_no_passage():
    assert split_passages("") == split_passages(" \n\t\u3000") == []


def test_passages_of_plain_words_overlap():
    one, two, *_ = (piece.split() for piece in pieces(" ".join(WORDS)))
    assert one == WORDS[:MAX_PASSAGE_WORDS]
    assert two == WORDS[MAX_PASSAGE_WORDS - OVERLAP_WORDS : 2 * MAX_PASSAGE_WORDS - OVERLAP_WORDS]


@pytest.mark.parametrize(
    ("better", "worse"),
    [("\n\n", "\n"), ("\n", ". "), (". ", " "), ("\r\n \r\n", "\r\n")],
)
def test_split_prefers_stronger_boundary(better, worse):
    """The stronger boundary comes at the 80th word, the weaker one after every tenth."""
    text = "".join(
        word + (better if number == 80 else worse if number % 10 == 0 else " ") for number, word in enumerate(WORDS, 1)
    )
    assert pieces(text)[0].rstrip(".").endswith("w79")


def test_next_passage_starts_at_sentence_boundary():
    text = "".join(word + (". " if number % 12 == 0 else " ") for number, word in enumerate(WORDS, 1))
    one, two, *_ = pieces(text)
    assert one.endswith(".")
    assert text[: text.index(two)].endswith(". ")


def test_early_boundary_does_not_make_tiny_passage():
    text = " ".join(WORDS[:20]) + "\n\n" + " ".join(WORDS[20:])
    assert len(pieces(text)[0].split()) == MAX_PASSAGE_WORDS


def test_unspaced_scripts_are_measured_in_characters():
    text = "我们决定下周开会。" * 50
    assert all(len(piece) <= MAX_PASSAGE_WORDS for piece in pieces(text))
    assert all(piece.endswith("。") for piece in pieces(text))
    assert not any(piece.startswith("。") for piece in pieces(text))
    assert len(pieces("ความจำ" * 50)) == 3


def test_very_long_word_is_split_inside():
    text = "QUJD" * 1000
    assert all(len(piece) <= MAX_PASSAGE_WORDS * LONG_WORD_STEP for piece in pieces(text))
    assert len(pieces("see " + "a" * 40 + " there")) == 1


def test_text_beyond_maximum_passages_is_left_out():
    spans = split_passages("word " * 100_000)
    assert len(spans) == MAX_PASSAGES
    assert spans[0][0] == 0


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "x" * 1_000_000, "東京" * 500_000, " " * 1_000_000 + "x", "x\n\n" * 350_000]
)
def test_splitting_a_megabyte_is_fast(text):
    assert seconds(lambda: split_passages(text)) < 0.3


@given(
    st.lists(
        st.sampled_from(["word", "end.", "東", "。", "\n", "\n\n", " ", "  ", "a" * 41, "b" * 500, "é!", "\u3000"])
        | st.text(max_size=4),
        max_size=900,
    ).map("".join)
    | st.lists(st.sampled_from(["word ", "end. ", "line\n", "para\n\n", "東京"]), min_size=200, max_size=700).map("".join)
)
def test_passages_cover_text_in_order(text):
    spans = split_passages(text)
    for start, end in spans:
        assert text[start:end].strip() == text[start:end] != ""
        assert len(text[start:end].split()) <= (MAX_PASSAGE_WORDS if len(spans) > 1 else MAX_WHOLE_WORDS)
    for (start, end), (following, following_end) in pairwise(spans):
        assert start < following < end < following_end
        assert len(text[following:end].split()) <= OVERLAP_WORDS + OVERLAP_LEEWAY + 1
        assert end - start >= MIN_PASSAGE_WORDS
    if len(spans) < MAX_PASSAGES:
        assert bool(spans) == bool(text.strip())
        if spans:
            assert not text[: spans[0][0]].strip()
            assert not text[spans[-1][1] :].strip()


def test_prefix_speaker_adds_name_if_given():
    assert prefix_speaker("Ana", "Hello") == "Ana: Hello"
    assert prefix_speaker(None, "Hello") == prefix_speaker("", "Hello") == "Hello"
