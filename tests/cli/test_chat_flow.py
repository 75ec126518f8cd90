"""Markdown as it flows: the same however it is cut up, wrapped as it goes, and harmless."""

from __future__ import annotations

import random

import pytest

from recollect.cli.chat.flow import Flow
from recollect.cli.chat.inline import Piece
from recollect.cli.text import cells

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


def flowed(text: str, width: int, largest: int, seed: int = 0) -> list[Piece]:
    chance = random.Random(seed)
    flow, made, place = Flow(lambda: width), list[Piece](), 0
    while place < len(text):
        size = chance.randint(1, largest)
        made += flow.feed(text[place : place + size])
        place += size
    return made + flow.end()


def shown(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def looks(pieces: list[Piece]) -> list[tuple[str, str]]:
    """Each character that can be seen, and how it looks."""
    return [(character, piece.style) for piece in pieces for character in piece.text if not character.isspace()]


class TestFlow:
    @pytest.mark.parametrize("largest", [1, 3, 20, 200])
    @pytest.mark.parametrize("width", [16, 40, 100])
    def test_it_does_not_matter_how_the_text_comes(self, width: int, largest: int) -> None:
        whole = flowed(TEXT, width, len(TEXT))
        for seed in range(5):
            parts = flowed(TEXT, width, largest, seed)
            assert shown(parts) == shown(whole)
            assert looks(parts) == looks(whole)

    @pytest.mark.parametrize("width", [16, 24, 40, 100])
    def test_no_line_is_wider_than_the_screen(self, width: int) -> None:
        prose = TEXT.partition("```")[0] + TEXT.rpartition("|\n")[2]
        assert max(cells(line) for line in shown(flowed(prose, width, 7)).split("\n")) <= width

    def test_nothing_is_lost(self) -> None:
        prose = "Words of all kinds and lengths, some quite extraordinarily long-winded, come out as they went in. " * 20
        assert shown(flowed(prose, 30, 5)).split() == prose.split()

    def test_looks(self) -> None:
        pieces = flowed("It is **very nice** and `a b` here", 80, 3)
        assert ("v", "bold") in looks(pieces)
        assert ("n", "bold") in looks(pieces)
        assert ("b", "cyan") in looks(pieces)
        assert ("h", "") in looks(pieces)
        assert "*" not in shown(pieces)
        assert "`" not in shown(pieces)

    def test_code_is_left_alone(self) -> None:
        assert 'def pack(days):\n    return "**not bold**"\n' in shown(flowed(TEXT, 16, 4))

    def test_table_in_columns(self) -> None:
        assert "Day     Where\n──────────────\nFriday  Alfama\n" in shown(flowed(TEXT, 40, 4))

    def test_table_too_wide_for_the_screen_is_left_as_it_is(self) -> None:
        row = "| " + "wide " * 20 + "| more |"
        assert row in shown(flowed(row + "\n\nend", 30, 4))

    def test_items_hang(self) -> None:
        lines = shown(flowed("- one two three four five", 12, 3)).split("\n")
        assert lines == ["• one two", "  three four", "  five"]

    def test_mark_that_is_never_closed_ends_with_its_paragraph(self) -> None:
        assert ("n", "") in looks(flowed("this **is bold\n\nnot this", 80, 3))

    def test_width_may_change_in_mid_sentence(self) -> None:
        widths = iter([60] * 10 + [20] * 1000)
        flow = Flow(lambda: next(widths))
        lines = shown(flow.feed("word " * 60) + flow.end()).split("\n")
        assert cells(lines[-2]) <= 20
        assert sum(line.split().count("word") for line in lines) == 60

    @pytest.mark.parametrize("evil", ["\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\r", "\x08", "\u202e", "\x00", "\x7f"])
    def test_control_characters_go_nowhere(self, evil: str) -> None:
        for place in ("a {} b", "```\n{}\n```\n", "| {} |\n\n", "# {}\n", "**{}**"):
            text = shown(flowed(place.format(evil), 40, 1))
            assert all(character.isprintable() or character == "\n" for character in text)
