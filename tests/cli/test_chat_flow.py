"""Streamed Markdown: independent of the chunk sizes, wrapped to the screen, and free of control characters."""

from __future__ import annotations

import random

import pytest

from keepsaid.cli.chat.inline_markdown import StyledPiece
from keepsaid.cli.chat.markdown_stream import MarkdownStream
from keepsaid.cli.output.text import display_width

TEXT = """# Lisbon in spring

Your **sister moved there** in *May*, and `pip install it` is 2 * 3 of snake_case in __init__.
A second line.

- Take the tram before nine, when it is still empty and the light is best
  1. nested

> quoted wisdom that is long enough to need a second line

```python
def pack(days):
    return "**not bold**"
```
| Day | Where |
|-----|-------|
| Friday | Alfama |

日本語の文章もここに入りますので、折り返しが正しいかどうかを確かめます。
---
The end"""


def reflow_text(text: str, width: int, largest: int, seed: int = 0) -> list[StyledPiece]:
    chance = random.Random(seed)
    flow, made, place = MarkdownStream(lambda: width), list[StyledPiece](), 0
    while place < len(text):
        size = chance.randint(1, largest)
        made += flow.feed(text[place : place + size])
        place += size
    return made + flow.end()


def join_pieces(pieces: list[StyledPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def looks(pieces: list[StyledPiece]) -> list[tuple[str, str]]:
    """Each visible character with its style."""
    return [(character, piece.style) for piece in pieces for character in piece.text if not character.isspace()]


class TestMarkdownStream:
    @pytest.mark.parametrize("largest", [1, 3, 20, 200])
    @pytest.mark.parametrize("width", [16, 40, 100])
    def test_output_does_not_depend_on_chunk_sizes(self, width: int, largest: int) -> None:
        whole = reflow_text(TEXT, width, len(TEXT))
        for seed in range(5):
            parts = reflow_text(TEXT, width, largest, seed)
            assert join_pieces(parts) == join_pieces(whole)
            assert looks(parts) == looks(whole)

    @pytest.mark.parametrize("width", [16, 24, 40, 100])
    def test_no_line_is_wider_than_the_screen(self, width: int) -> None:
        prose = TEXT.partition("```")[0] + TEXT.rpartition("|\n")[2]
        assert max(display_width(line) for line in join_pieces(reflow_text(prose, width, 7)).split("\n")) <= width

    def test_keeps_every_word(self) -> None:
        prose = "Words of all kinds and lengths, some quite extraordinarily long-winded, come out as they went in. " * 20
        assert join_pieces(reflow_text(prose, 30, 5)).split() == prose.split()

    def test_styles_bold_and_code(self) -> None:
        pieces = reflow_text("It is **very nice** and `a b` here", 80, 3)
        assert ("v", "bold") in looks(pieces)
        assert ("n", "bold") in looks(pieces)
        assert ("b", "cyan") in looks(pieces)
        assert ("h", "") in looks(pieces)
        assert "*" not in join_pieces(pieces)
        assert "`" not in join_pieces(pieces)

    def test_code_block_is_not_formatted(self) -> None:
        assert 'def pack(days):\n    return "**not bold**"\n' in join_pieces(reflow_text(TEXT, 16, 4))

    def test_table_is_aligned_in_columns(self) -> None:
        assert "Day     Where\n──────────────\nFriday  Alfama\n" in join_pieces(reflow_text(TEXT, 40, 4))

    def test_table_wider_than_screen_is_not_formatted(self) -> None:
        row = "| " + "wide " * 20 + "| more |"
        assert row in join_pieces(reflow_text(row + "\n\nend", 30, 4))

    def test_list_items_have_hanging_indent(self) -> None:
        lines = join_pieces(reflow_text("- one two three four five", 12, 3)).split("\n")
        assert lines == ["• one two", "  three four", "  five"]

    def test_unclosed_bold_ends_with_paragraph(self) -> None:
        assert ("n", "") in looks(reflow_text("this **is bold\n\nnot this", 80, 3))

    def test_width_can_change_during_paragraph(self) -> None:
        widths = iter([60] * 10 + [20] * 1000)
        flow = MarkdownStream(lambda: next(widths))
        lines = join_pieces(flow.feed("word " * 60) + flow.end()).split("\n")
        assert display_width(lines[-2]) <= 20
        assert sum(line.split().count("word") for line in lines) == 60

    @pytest.mark.parametrize("evil", ["\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\r", "\x08", "\u202e", "\x00", "\x7f"])
    def test_control_characters_are_removed(self, evil: str) -> None:
        for place in ("a {} b", "```\n{}\n```\n", "| {} |\n\n", "# {}\n", "**{}**"):
            text = join_pieces(reflow_text(place.format(evil), 40, 1))
            assert all(character.isprintable() or character == "\n" for character in text)
