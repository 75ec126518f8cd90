"""Long texts in pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import seconds

from recollect.engine.passages import CHIP, LEEWAY, LONGEST, MOST, OVERLAP, SHORTEST, WHOLE, passages, spoken

WORDS = [f"w{number}" for number in range(400)]


def pieces(text):
    return [text[start:end] for start, end in passages(text)]


def test_a_short_text_is_one_piece():
    text = " ".join(WORDS[:WHOLE])
    assert pieces(f"\n {text} ") == [text]
    assert len(pieces(text + " more")) == 2


def test_no_text_has_no_piece():
    assert passages("") == passages(" \n\t\u3000") == []


def test_plain_words_overlap():
    one, two, *_ = (piece.split() for piece in pieces(" ".join(WORDS)))
    assert one == WORDS[:LONGEST]
    assert two == WORDS[LONGEST - OVERLAP : 2 * LONGEST - OVERLAP]


@pytest.mark.parametrize(
    ("better", "worse"),
    [("\n\n", "\n"), ("\n", ". "), (". ", " "), ("\r\n \r\n", "\r\n")],
)
def test_a_better_border_is_taken(better, worse):
    """The better border comes at the 80th word, the worse one after every tenth."""
    text = "".join(
        word + (better if number == 80 else worse if number % 10 == 0 else " ") for number, word in enumerate(WORDS, 1)
    )
    assert pieces(text)[0].rstrip(".").endswith("w79")


def test_the_next_piece_begins_with_a_sentence():
    text = "".join(word + (". " if number % 12 == 0 else " ") for number, word in enumerate(WORDS, 1))
    one, two, *_ = pieces(text)
    assert one.endswith(".")
    assert text[: text.index(two)].endswith(". ")


def test_an_early_border_is_not_worth_a_tiny_piece():
    text = " ".join(WORDS[:20]) + "\n\n" + " ".join(WORDS[20:])
    assert len(pieces(text)[0].split()) == LONGEST


def test_unspaced_scripts_count_characters():
    text = "我们决定下周开会。" * 50
    assert all(len(piece) <= LONGEST for piece in pieces(text))
    assert all(piece.endswith("。") for piece in pieces(text))
    assert not any(piece.startswith("。") for piece in pieces(text))
    assert len(pieces("ความจำ" * 50)) == 3


def test_encoded_data_is_cut_inside():
    text = "QUJD" * 1000
    assert all(len(piece) <= LONGEST * CHIP for piece in pieces(text))
    assert len(pieces("see " + "a" * 40 + " there")) == 1


def test_the_end_of_an_endless_text_is_left_out():
    spans = passages("word " * 100_000)
    assert len(spans) == MOST
    assert spans[0][0] == 0


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "x" * 1_000_000, "東京" * 500_000, " " * 1_000_000 + "x", "x\n\n" * 350_000]
)
def test_a_megabyte_takes_no_time(text):
    assert seconds(lambda: passages(text)) < 0.3


@given(
    st.lists(
        st.sampled_from(["word", "end.", "東", "。", "\n", "\n\n", " ", "  ", "a" * 41, "b" * 500, "é!", "\u3000"])
        | st.text(max_size=4),
        max_size=900,
    ).map("".join)
    | st.lists(st.sampled_from(["word ", "end. ", "line\n", "para\n\n", "東京"]), min_size=200, max_size=700).map("".join)
)
def test_pieces_cover_the_text_in_order(text):
    spans = passages(text)
    for start, end in spans:
        assert text[start:end].strip() == text[start:end] != ""
        assert len(text[start:end].split()) <= (LONGEST if len(spans) > 1 else WHOLE)
    for (start, end), (following, behind) in pairwise(spans):
        assert start < following < end < behind
        assert len(text[following:end].split()) <= OVERLAP + LEEWAY + 1
        assert end - start >= SHORTEST
    if len(spans) < MOST:
        assert bool(spans) == bool(text.strip())
        if spans:
            assert not text[: spans[0][0]].strip()
            assert not text[spans[-1][1] :].strip()


def test_spoken():
    assert spoken("Ana", "Hello") == "Ana: Hello"
    assert spoken(None, "Hello") == spoken("", "Hello") == "Hello"
