"""Finding exact values in a text: numbers, dates, names, paths and others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.text.values import MAX_VALUES, find_values


def list_values(text):
    return [(value.kind, value.text) for value in find_values(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it costs $1,200 or 15% more", [("money", "$1,200"), ("number", "15%")]),
        ("about 1.2 million euros per quarter", [("money", "1.2 million euros")]),
        ("raise the limit to 64 MB within 30 seconds", [("number", "64 MB"), ("number", "30 seconds")]),
        ("due March 14th, 2026 at 09:30 CET", [("date", "March 14th, 2026"), ("time", "09:30 CET")]),
        ("from 2026-11-30 or 14.02.2028 on", [("date", "2026-11-30"), ("date", "14.02.2028")]),
        ("see you next Friday, or tomorrow at 7pm", [("day", "next Friday"), ("day", "tomorrow"), ("time", "7pm")]),
        ("Priya Raman works with Dr. Okafor", [("name", "Priya Raman"), ("name", "Dr. Okafor")]),
        ("the logs are in /var/log/atlas/prod.log now", [("path", "/var/log/atlas/prod.log")]),
        ("edit config/app.yaml or C:\\dumps\\nightly", [("path", "config/app.yaml"), ("path", "C:\\dumps\\nightly")]),
        ("see https://wiki.example.org/a?b=1.", [("url", "https://wiki.example.org/a?b=1")]),
        ("it is on db-03.internal:5433 (10.0.3.7)", [("url", "db-03.internal:5433"), ("id", "10.0.3.7")]),
        ("write to wang@example.com", [("email", "wang@example.com")]),
        ("run npm run build -- --watch before lunch", [("command", "npm run build -- --watch")]),
        ("use `git log -1` here", [("command", "git log -1")]),
        (
            "set MAX_SIZE and retry_limit=5 with --force",
            [("code", "MAX_SIZE"), ("code", "retry_limit=5"), ("code", "--force")],
        ),
        ("upgrade to v2.14.3 for INC-2231", [("version", "v2.14.3"), ("id", "INC-2231")]),
        ("commit 9fceb02 broke room B-214", [("id", "9fceb02"), ("id", "B-214")]),
        ('the passphrase is "tall green kettle"', [("quote", "tall green kettle")]),
        ("会议定在5月14日下午3点，预算为12000元", [("date", "5月14日"), ("time", "3点"), ("money", "12000元")]),
    ],
)
def test_values_are_found_with_their_kind(text, expected):
    assert list_values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "make sure to go home and/or rest",
        "I just think that you may march on",
        "Maybe we should. Thanks! Well, OK.",
        "it's 'cause we don't know",
    ],
)
def test_ordinary_words_are_not_values(text):
    assert list_values(text) == []


def test_numbers_are_found_whole():
    assert list_values("at 24/7 speed, 118b of 2**8") == [
        ("number", "24"),
        ("number", "7"),
        ("id", "118b"),
        ("number", "2"),
        ("number", "8"),
    ]
    assert ("number", "4417") not in list_values("the code is 44170")


def test_long_text_is_cut_at_a_word_boundary():
    text = "x " * 3998 + "and 123456789"
    assert not list_values(text)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "2026-01-01 12:00:00 ERROR foo.bar(baz) /a/b/c 1234\n" * 2000,
        "a.b" * 30_000,
        "Aa " * 30_000,
        "1 " * 50_000,
        "1,1" * 30_000,
        "-" * 90_000,
        "東1" * 50_000,
        "/a" * 50_000,
        '"a ' * 40_000,
        "((" * 40_000,
        "A-1" * 30_000,
        "a_" * 40_000,
        "a@" * 40_000,
        "npm a " * 20_000,
        "'" * 50_000,
    ],
)
def test_values_in_long_text_are_found_quickly(text):
    find_values("warm up 1")
    assert len(find_values(text)) <= MAX_VALUES
    assert seconds(lambda: find_values(text)) < 0.05


@given(st.text(alphabet=st.sampled_from("aA1 .,-/:`'\"@_=東。$%()#~\n"), max_size=200) | st.text(max_size=80))
def test_value_positions_match_the_text(text):
    last_end = 0
    for value in find_values(text):
        assert value.start >= last_end
        assert text[value.start : value.end] == value.text != ""
        last_end = value.end
