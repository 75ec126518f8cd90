"""Notes that are kept of tool results, and questions that ask for them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.tool_notes import build_tool_note, names_tool, wants_recent
from keepsaid.types import Message, Role, ToolCall

NOON = 1_778_673_600_000_000


def result(text, name=None):
    return Message("m1", "s1", 3, 2, Role.TOOL, text, 0, NOON, 0.5, False, {}, tool_call_id="c1", name=name)


def make_note(text, tool="fetch", **arguments):
    return build_tool_note(result(text), ToolCall("c1", tool, json.dumps(arguments)))


PAGE = """<!DOCTYPE html><html><head><title>Prices</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a> <a href="/news">All the news of the day</a></nav>
<script>var cookies = "42 euros";</script>
<div class="banner">We use cookies to give you a better experience.</div>
<h1>Tram fares rise by 4 percent in July</h1>
<p>The city council of <b>Bergen</b> decided on Tuesday that a single ticket costs 45&nbsp;kroner from 1&nbsp;July on.</p>
<p>Pensioners pay 22 kroner.</p>
<p>Subscribe to our newsletter for more.</p>
<footer>© 2026 All rights reserved</footer></body></html>"""


def test_note_of_html_page_keeps_only_content():
    found = make_note(PAGE, url="https://bergen.example/fares")
    assert found.source == "https://bergen.example/fares"
    assert found.text.startswith(
        "fetch, https://bergen.example/fares, 2026-05-13 12:00 UTC: Tram fares rise by 4 percent in July"
    )
    assert "The city council of Bergen decided on Tuesday that a single ticket costs 45 kroner from 1 July on." in found.text
    assert "Pensioners pay 22 kroner." in found.text
    for noise in ("cookies", "newsletter", "color", "Home", "rights", "<"):
        assert noise not in found.text
    assert ["Tram fares" in PAGE[start:end] for start, end in found.excerpts] == [True, False, False]


def test_note_of_plain_text_keeps_informative_sentences():
    filler = "This is a general remark that says rather little about anything at all. " * 20
    text = f"Report on the harbour.\n{filler}\nThe crane of Liebherr lifts 104 tonnes and cost 3.2 million euros.\n{filler}"
    found = make_note(text, tool="read_file", path="docs/harbour.txt")
    assert found.source == "docs/harbour.txt"
    assert "lifts 104 tonnes and cost 3.2 million euros" in found.text
    assert len(found.excerpts) == 3


def test_note_prefers_words_of_the_tool_query():
    lines = [f"Line {number} is about {number} apples and {number} figs." for number in range(12, 30)]
    text = "\n".join([*lines, "The strike ends on Friday."])
    assert "The strike ends on Friday." in make_note(text, tool="search", query="strike end").text
    assert "The strike ends on Friday." not in make_note(text, tool="search", query="figs").text


def test_note_of_json_lists_keys_and_values():
    text = json.dumps(
        {
            "id": "3f2a9c",
            "request_id": "abc",
            "location": {"name": "Lisbon", "lat": 38.7, "lon": -9.1},
            "current": {"temp_c": 19.5, "condition": "Light rain", "icon": "//cdn.example/rain.png", "uv": None},
            "ok": True,
        }
    )
    found = make_note(text, tool="get_weather", city="Lisbon")
    assert found.text == 'get_weather "Lisbon", 2026-05-13 12:00 UTC: name: Lisbon … temp c: 19.5, condition: Light rain'
    assert [text[start:end] for start, end in found.excerpts] == [
        '"name": "Lisbon"',
        '"temp_c": 19.5, "condition": "Light rain"',
    ]


def test_note_of_json_search_results_has_three_excerpts():
    hits = [
        {
            "title": f"Result {number}",
            "url": f"https://site{number}.example/",
            "snippet": f"The <b>fee</b> is {number}0 euros.",
        }
        for number in range(1, 8)
    ]
    found = make_note(json.dumps({"results": hits}), tool="web_search", query="visa fee")
    assert found.source == 'web_search "visa fee"'
    assert len(found.excerpts) == 3
    assert "title: Result 1, snippet: The fee is 10 euros." in found.text


def test_note_of_truncated_json_keeps_values():
    text = '{"articles": [{"title": "Strike ends", "body": "The drivers go back to work on Friday, said the unio'
    assert "title: Strike ends, body: The drivers go back to work on Friday" in make_note(text).text


def test_note_of_bare_numbers_keeps_them():
    assert make_note("[1, 2, 3, 4, 5]").text.endswith("[1, 2, 3, 4, 5]")
    assert make_note("42 km/h").text.endswith(": 42 km/h")


def test_source_is_taken_from_url_in_text():
    text = "Source: https://wiki.example/Oslo. Oslo has 709,000 inhabitants, see https://wiki.example/Norway too."
    assert make_note(text, tool="lookup", query="Oslo").source == "https://wiki.example/Oslo"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error: the city was not found", "failed: Error: the city was not found"),
        ('{"error": {"code": 401, "message": "Invalid key"}}', "failed: Invalid key"),
        ('{"error": "rate limited", "data": null}', "failed: rate limited"),
        ("HTTP 503 Service Unavailable", "failed: HTTP 503 Service Unavailable"),
        ("Traceback (most recent call last):\n  File x, line 1\nValueError: bad date", "failed: ValueError: bad date"),
        ("cat: notes.txt: No such file", None),
        ("Error handling in Go returns 2 values and uses no exceptions.", None),
        ('{"error": null, "price": "12 euros"}', None),
    ],
)
def test_note_of_error_says_failed(text, expected):
    found = make_note(text, tool="lookup")
    assert found is not None
    assert found.text.endswith(expected) if expected else "failed" not in found.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "\ufffd\x01\x02PNG\x03\x04",
        "iVBORw0KGgoAAAANSUhEUgAA" * 60,
        "<html><head><title>x</title></head><body><script>var x = 1;</script></body></html>",
        "Accept all cookies",
        '{"id": 3, "ok": true}',
    ],
)
def test_uninformative_result_has_no_note(text):
    assert make_note(text) is None


def test_tool_name_falls_back_to_message_name():
    assert build_tool_note(result("It is 19 degrees in Lisbon now.", name="weather"), None).tool == "weather"
    assert build_tool_note(result("It is 19 degrees in Lisbon now."), None).tool == "tool"
    assert make_note("It is 19 degrees.", tool="weather").source == "weather"
    assert build_tool_note(result("It is 19 degrees."), ToolCall("c1", "weather", "not json")).source == "weather"


def test_note_of_chinese_text_keeps_sentence():
    assert "东京明天有雨，气温19度。" in make_note("东京明天有雨，气温19度。请带伞。", tool="weather").text


def test_note_excerpts_are_short():
    found = make_note("word " * 5_000 + "1,000 euros")
    assert all(len(found_text.split()) <= 52 for found_text in found.text.split(": ", 1)[1].split(" … "))


@given(st.text(max_size=500))
def test_excerpt_spans_are_inside_the_text(text):
    found = make_note(text)
    if found is not None:
        assert all(0 <= start < end <= len(text) for start, end in found.excerpts)
        assert 1 <= len(found.excerpts) <= 3


@pytest.mark.parametrize(
    "piece",
    ["word ", "<nav>", "<p>", '"a": "b", ', '{"a":', "<!--", "a" * 399 + " ", "1. ", '"', "\\", "https://a.b/c ", "< "],
)
def test_note_of_a_megabyte_is_built_quickly(piece):
    message = result((piece * 1_000_000)[:1_000_000])
    assert seconds(lambda: build_tool_note(message, ToolCall("c1", "fetch", '{"query": "prices"}'))) < 0.3


# -- questions


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's the latest on the tram strike?", True),
        ("Any update on the election?", True),
        ("What is the current price of gold?", True),
        ("Is it raining right now?", True),
        ("What happened this week in Oslo?", True),
        ("Any news?", True),
        ("Where does my sister live?", False),
        ("When did I buy the bike?", False),
        ("What did we decide about the newsletter?", False),
        ("Who lives in Madrid?", False),
        ("", False),
    ],
)
def test_wants_recent_detects_questions_about_current_state(question, expected):
    assert wants_recent(question) is expected


@pytest.mark.parametrize(
    ("question", "tool", "source", "expected"),
    [
        ("What did the weather tool say?", "get_weather", "", True),
        ("According to the search, who won?", "web_search", 'web_search "final"', True),
        ("What did you find online?", "webSearch", "", True),
        ("What does Wikipedia say about Oslo?", "fetch", "https://en.wikipedia.org/wiki/Oslo", True),
        ("What was on the booking page?", "browse", "https://www.booking.com/x", True),
        ("What does harbour_report.txt say?", "read_file", "docs/harbour_report.txt", True),
        ("What does the harbour report say?", "read_file", "docs/harbour_report.txt", True),
        ("What did the stock lookup return?", "stockLookup", "", True),
        ("How is the weather?", "get_weather", "", False),
        ("What did my sister say?", "get_weather", "", False),
        ("What did the calendar tool say?", "get_weather", "", False),
        ("Who wrote the report?", "fetch", "https://en.wikipedia.org/wiki/Oslo", False),
        ("", "search", "", False),
    ],
)
def test_names_tool_detects_named_tool_or_source(question, tool, source, expected):
    assert names_tool(question, tool, source) is expected
