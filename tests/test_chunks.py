"""Splitting documents into chunks."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepsaid.engine.text.chunk_pieces import DocumentBlock
from keepsaid.engine.text.chunks import split_chunks
from keepsaid.errors import InvalidInput
from keepsaid.llm.tokens import counter_for


def words(text):
    """A tokenizer that is easy to reckon with."""
    return len(text.split())


def count(text):
    """The default tokenizer, which is loaded by the first test that needs it."""
    return counter_for("o200k_base").count(text)


def sentences(number, length=10, start=0):
    return " ".join(f"S{at}" + " word" * (length - 2) + f" end{at}." for at in range(start, start + number))


def bare(text):
    return "".join(text.split())


def test_short_document_is_one_chunk():
    assert split_chunks([DocumentBlock("Hello there.", "page 1")], words) == [("Hello there.", "page 1", 1)]
    assert split_chunks([DocumentBlock("A.", "page 1"), DocumentBlock("B.", "page 2")], words)[0].text == "A.\n\nB."


def test_empty_document_has_no_chunks():
    assert split_chunks([], words) == split_chunks([DocumentBlock(" \n\t\u3000", "page 1")], words) == []


def test_chunks_start_and_end_at_sentence_boundaries():
    found = split_chunks([DocumentBlock(sentences(100), "page 1")], words, size=105, overlap=20)
    assert [chunk.number for chunk in found] == list(range(1, len(found) + 1))
    for chunk in found:
        assert chunk.text.startswith("S")
        assert chunk.text.endswith(".")
    for one, two in pairwise(found):
        assert one.text.endswith(" ".join(two.text.split()[:20]))


def test_zero_overlap_repeats_no_text():
    found = split_chunks([DocumentBlock(sentences(100), "page 1")], words, size=100, overlap=0)
    assert " ".join(chunk.text for chunk in found) == sentences(100)
    assert len(found) == 10


def test_long_sentence_is_cut_between_words_with_overlap():
    found = split_chunks([DocumentBlock("word " * 1000, "page 1")], words, size=100, overlap=20)
    assert {word for chunk in found for word in chunk.text.split()} == {"word"}
    assert sum(words(chunk.text) - 10 for chunk in found[1:]) >= 900
    assert all(words(chunk.text) >= 90 for chunk in found[:-1])


def test_abbreviation_does_not_end_sentence():
    text = "We went by train, e.g. to Porto. " * 20
    for chunk in split_chunks([DocumentBlock(text, "page 1")], words, size=30, overlap=5):
        assert chunk.text.startswith("We went")


@pytest.mark.parametrize("kind", ["code", "table", "list"])
def test_lines_of_code_tables_and_lists_stay_whole(kind):
    lines = [f"    row{at} = a. B {'cell ' * 10}end" for at in range(100)]
    found = split_chunks([DocumentBlock("\n".join(lines), "lines 1–100", kind)], words, size=70, overlap=20)
    assert len(found) > 10
    for chunk in found:
        assert set(chunk.text.split("\n")) <= set(lines)
    assert found[0].place == "lines 1–4"
    assert found[1].place == "lines 4–7"


def test_only_lines_larger_than_chunk_are_cut():
    long = "cell " * 49 + "end"
    found = split_chunks([DocumentBlock(f"a b c\n{long}\nd e f", "lines 1–3", "table")], words, size=40, overlap=0)
    assert [chunk.place for chunk in found] == ["lines 1–2", "lines 2–3"]
    assert " ".join(" ".join(chunk.text for chunk in found).split()) == f"a b c {long} d e f"


def test_code_block_that_fits_is_not_cut():
    code = "\n".join(f"line {at}" for at in range(30))
    found = split_chunks(
        [DocumentBlock(sentences(6), "§ A"), DocumentBlock(code, "§ A", "code"), DocumentBlock(sentences(9), "§ A")],
        words,
        100,
        0,
    )
    assert [chunk.text for chunk in found][1].startswith(code)


def test_large_section_gets_its_own_chunk():
    blocks = [
        *(DocumentBlock("Before", "§ Before", "heading"), DocumentBlock(sentences(2), "§ Before")),
        *(DocumentBlock("Large", "§ Large", "heading"), DocumentBlock(sentences(6), "§ Large")),
        *(DocumentBlock("After", "§ After", "heading"), DocumentBlock(sentences(2), "§ After")),
    ]
    found = split_chunks(blocks, words, size=100, overlap=10)
    assert [chunk.place for chunk in found] == ["§ Before", "§ Large", "§ After"]
    assert [chunk.text.split()[0] for chunk in found] == ["Before", "Large", "After"]


def test_small_sections_are_joined():
    blocks = [
        block
        for at in range(8)
        for block in (DocumentBlock(f"H{at}", f"§ H{at}", "heading"), DocumentBlock(sentences(2), f"§ H{at}"))
    ]
    found = split_chunks(blocks, words, size=100, overlap=10)
    assert [chunk.place for chunk in found] == ["§ H0 … § H3", "§ H4 … § H7"]
    assert all(chunk.text.startswith("H") for chunk in found)


def test_heading_without_text_joins_next_section():
    blocks = [
        DocumentBlock("Book", "§ Book", "heading"),
        DocumentBlock("One", "§ Book › One", "heading"),
        DocumentBlock(sentences(30), "§ Book › One"),
    ]
    found = split_chunks(blocks, words, size=100, overlap=10)
    assert found[0].text.startswith("Book\n\nOne\n\nS0")
    assert {chunk.place for chunk in found} == {"§ Book › One"}


def test_chunk_never_ends_with_heading():
    blocks = [DocumentBlock(f"H{at}", f"§ H{at}", "heading") for at in range(3)] + [
        DocumentBlock("word " * 98 + "end.", "§ H2")
    ]
    assert not any(chunk.text.split()[-1].startswith("H") for chunk in split_chunks(blocks, words, size=100, overlap=0))


def test_sentence_across_pages_is_not_cut():
    """Chunks may end at a paragraph border, but not at a page end in the middle of a sentence."""
    blocks = [
        DocumentBlock(sentences(8) + " and so", "page 1"),
        DocumentBlock("it went on. " + sentences(8, start=20), "page 2"),
    ]
    found = split_chunks(blocks, words, size=100, overlap=0)
    assert found[0].text.endswith(" end20.")
    assert [chunk.place for chunk in found] == ["pages 1–2", "page 2"]


def test_chunk_places_name_exact_lines():
    text = "\n".join(f"number{at} one two three four" for at in range(10, 110))
    for chunk in split_chunks([DocumentBlock(text, "lines 10–109")], words, size=50, overlap=10):
        first, last = (int(chunk.text.split("\n")[at].split()[0].removeprefix("number")) for at in (0, -1))
        assert chunk.place == f"lines {first}–{last}"


def test_chunks_without_place_are_numbered_parts():
    found = split_chunks([DocumentBlock(sentences(20), "")], words, size=100, overlap=0)
    assert [chunk.place for chunk in found] == ["part 1", "part 2"]
    assert split_chunks([DocumentBlock("a", ""), DocumentBlock("b", "§ B")], words)[0].place == "§ B"


def test_text_without_spaces_is_split_at_sentences_or_size():
    found = split_chunks([DocumentBlock("我们决定下周开会。" * 200, "page 1")], count)
    assert len(found) > 3
    assert all(chunk.text.endswith("。") and not chunk.text.startswith("。") for chunk in found)
    unbroken = split_chunks([DocumentBlock("東京" * 2000, "page 1")], count)
    assert all(250 <= count(chunk.text) <= 300 for chunk in unbroken[:-1])


def test_giant_word_is_split_without_loss():
    found = split_chunks([DocumentBlock("see " + "QUJD" * 5000 + " there", "page 1")], count, 100, 0)
    assert bare("".join(chunk.text for chunk in found)) == "see" + "QUJD" * 5000 + "there"
    assert max(count(chunk.text) for chunk in found) <= 100


@pytest.mark.parametrize(("size", "overlap"), [(50, 50), (50, 60), (7, 0), (0, 0), (-1, 0), (50, -1), (50.5, 1), (True, 0)])
def test_invalid_size_or_overlap_is_rejected(size, overlap):
    with pytest.raises(InvalidInput):
        split_chunks([DocumentBlock("text", "page 1")], words, size, overlap)


def test_character_larger_than_chunk_is_rejected():
    with pytest.raises(InvalidInput, match="'x' alone has 100 tokens"):
        split_chunks([DocumentBlock("x", "page 1")], lambda text: 100, 50, 0)


kinds = st.sampled_from(["text", "text", "heading", "list", "table", "code"])
texts = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            ["word", "Word.", "。", "東京都", "👩‍👩‍👧‍👦", "\n", "\n\n", "    ", "https://a.b/c?d=" + "e" * 90, "\xa0"]
        )
    ).map(" ".join),
    st.integers(1, 400).map(lambda number: sentences(number // 10, 10)),
)
documents = st.lists(
    st.builds(DocumentBlock, texts, st.sampled_from(["page 1", "page 2", "§ A", "§ B", "line 7", ""]), kinds), max_size=8
)
counters = st.sampled_from([count, len, words, lambda text: len(text.encode()) // 2 + 1])


def _ends(whole, text, before):
    """Where a chunk may end that begins at or before the current position and continues after it."""
    starts = range(max(0, before - len(text) + 1), before + 1)
    return {at + len(text) for at in starts if whole.startswith(text, at)}


@settings(deadline=None)
@given(documents, counters, st.integers(8, 120), st.data())
def test_chunks_of_any_document_are_complete_and_within_size(blocks, counter, size, data):
    """No chunk is too large, no text is lost or moved, every chunk adds text, and the result is deterministic."""
    overlap = data.draw(st.integers(0, size - 1))
    found = split_chunks(blocks, counter, size, overlap)
    assert all(counter(chunk.text) <= size for chunk in found)
    assert all(chunk.place and chunk.text == chunk.text.strip("\n") for chunk in found)
    whole = bare("".join(block.text + "\n" for block in blocks))
    ends = {0}
    for chunk in found:
        ends = {end for before in ends for end in _ends(whole, bare(chunk.text), before)}
    assert len(whole) in ends
    assert split_chunks(blocks, counter, size, overlap) == found


@settings(deadline=None)
@given(st.lists(st.integers(3, 15), min_size=40, max_size=120), st.integers(60, 300))
def test_neighbouring_chunks_overlap_by_about_requested_size(lengths, size):
    """Sentences of unlike lengths, all of them smaller than the overlap."""
    text = " ".join(sentences(1, length, at) for at, length in enumerate(lengths))
    overlap = size // 4
    for one, two in pairwise(split_chunks([DocumentBlock(text, "page 1")], words, size, overlap)):
        shared = next(
            number for number in range(words(two.text), 0, -1) if one.text.endswith(" ".join(two.text.split()[:number]))
        )
        assert overlap / 2 <= shared <= overlap * 1.5


@pytest.mark.parametrize(
    "text",
    [
        sentences(10_000, 14),
        "word " * 200_000,
        "x" * 1_000_000,
        "東京" * 170_000,
        " " * 1_000_000 + "x",
        "x\n\n" * 100_000,
        ". " * 100_000,
        "2026-05-01 12:00 INFO request took 12 ms\n" * 25_000,
    ],
    ids=["sentences", "words", "giant word", "unspaced", "spaces", "paragraphs", "points", "log"],
)
def test_split_time_grows_linearly_with_length(text):
    """A megabyte takes about a second at worst; quadratic time would take minutes."""
    start = time.process_time()
    found = split_chunks([DocumentBlock(text, "lines 1–9")], count)
    assert time.process_time() - start < 10
    assert max(count(chunk.text) for chunk in found) <= 300
