"""Parsing queries: words, phrases, filters, times, names and the kind of question."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.query.query import MAX_CHARACTERS_PER_END, MAX_PHRASES, parse_query
from keepsaid.engine.query.query_words import MAX_WORDS, find_search_terms
from keepsaid.engine.text.stopwords import STOP_TERMS, STOP_WORDS
from keepsaid.engine.text.terms import terms
from keepsaid.errors import InvalidInput
from keepsaid.types import Role, SearchFilters, to_microseconds

NOW = datetime(2026, 5, 13, 12, 30, tzinfo=UTC)


def ask(text):
    return parse_query(text, NOW)


def micro(*date):
    return to_microseconds(datetime(*date, tzinfo=UTC))


# -- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does my sister live, and which sister?", ("sister", "live")),
        ("who are you?", ("who", "are", "you")),
        ("don't we've I'm you’re", ("don", "t", "we", "ve", "i", "m", "you", "re")),
        ("the the the", ("the",)),
        ("Who won the may election?", ("won", "may", "elect")),
        ("São Paulo", ("sao", "paulo")),
        ("東京", ("東", "東京", "京")),
        ("مدرسة בית", ("مدرس", "בית")),
        ("🎉 ?!", ()),
        ('NEAR(a* OR "b) ^x {y}: [z]+ \\d', ("near", "b", "x", "y", "z")),
    ],
)
def test_query_words_are_stemmed_without_stop_words(text, expected):
    assert tuple(word[0] for word in ask(text).words) == expected


def test_stop_words_are_stems():
    assert 150 <= len(STOP_WORDS.split()) <= 260
    assert {"veri", "ani", "becaus"} <= STOP_TERMS
    assert not STOP_TERMS & set(terms("may march won sister last first new time said tell"))


def test_quoted_phrases_are_recognized():
    question = ask('my "Red Cars" and “two words” but not "" or 5" wide')
    assert question.phrases == (("red", "car"), ("two", "word"))
    assert {"red", "car"} <= set(question.terms)
    assert ask('an "unclosed phrase').phrases == ()


def test_minus_excludes_words_and_phrases():
    question = ask('cats -dogs -"big birds" well-known - -5 --force e-mail -ärger')
    assert question.excluded == (("dog",), ("big", "bird"), ("arger",))
    assert question.text == "cats well-known - -5 --force e-mail"
    assert "dog" not in question.terms


# -- filters


def test_filter_prefixes_set_filters():
    question = ask('role:user plans ROLE:ai tag:work tag:"two words" session:s-1 tag:work')
    assert question.text == "plans"
    assert question.filters == SearchFilters(
        sessions=("s-1",), roles=(Role.USER, Role.ASSISTANT), tags=("work", "two words")
    )


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("before:2024-05-01", None, micro(2024, 5, 1)),
        ("after:2024-05-01", micro(2024, 5, 2), None),
        ("since:2024-05-01", micro(2024, 5, 1), None),
        ("until:2024-05-01", None, micro(2024, 5, 2)),
        ("before:yesterday", None, micro(2026, 5, 12)),
        ('after:"last week"', micro(2026, 5, 11), None),
        ("since:2024 before:march", micro(2024, 1, 1), micro(2026, 3, 1)),
        ("since:2024 since:2025 until:2025 until:2026", micro(2025, 1, 1), micro(2026, 1, 1)),
        ("since:1960 until:1970", micro(1960, 1, 1), micro(1971, 1, 1)),
        ("since:1970-01-01 since:1965", 0, None),
    ],
)
def test_date_prefixes_set_time_limits(text, since, until):
    question = ask(f"plans {text}")
    assert (question.filters.since, question.filters.until) == (since, until)
    assert question.times == ()


@pytest.mark.parametrize("text", ["http://example.org", "note:this", "role: user", "before: lunch", "xrole:user", "12:30"])
def test_unknown_prefixes_are_words(text):
    question = ask(text)
    assert (question.filters, question.text) == (SearchFilters(), text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the query is empty"),
        (" \n\t", "the query is empty"),
        ("-cats role:user", "say also what to look for"),
        ("cats role:dog", "use one of system, user, assistant, tool"),
        ("cats before:dawn", "is not a date; a date is 2024-05-01"),
        ("cats after:31-02-2024", "is not a date"),
        ("cats after:2024 before:2023", "leave no time between them"),
        ('cats tag:""', "tag must not be empty"),
        ("cats session:" + "x" * 600, "at most 512"),
        ("a\0b", "NUL"),
        ("a\ud800b", "surrogate"),
    ],
)
def test_invalid_query_is_refused(text, says):
    with pytest.raises(InvalidInput, match=says):
        ask(text)


def test_now_without_time_zone_is_refused():
    with pytest.raises(InvalidInput, match="now has no time zone"):
        parse_query("cats", NOW.replace(tzinfo=None))


# -- times and names


def test_time_spans_point_into_query_text():
    question = ask("role:user what did we decide last week about pricing?")
    (when,) = question.times
    assert question.text[slice(*when.span)] == "last week"
    assert not when.hard


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Caroline meet Dr. Smith in May?", ("carolin", "dr", "smith")),
        ("Hello. Where is Paris? Rome?", ("pari",)),
        ("Melanie's kids", ("melani",)),
        ("What's up with Jean-Luc", ("jean", "luc")),
        ("What did I say on Monday to the US?", ()),
        ("WHERE ARE MY KEYS", ()),
        ("Did John call Mary?", ("john", "mari")),
        ("what did Émile say", ("emil",)),
        ("what did E\u0301mile say", ("emil",)),
        ("is it R2D2 or 5Gs", ("r2d2",)),
        ("nothing here", ()),
    ],
)
def test_names_are_recognized(text, expected):
    assert ask(text).names == expected


# -- the kind of question


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who's my doctor?", "who"),
        ("whose car is it", "who"),
        ("What is my name?", "what"),
        ("When did I move?", "when"),
        ("How long ago did I move?", "when"),
        ("In which month did I move?", "when"),
        ("where does she live", "where"),
        ("Why is it so?", "why"),
        ("How do I get there?", "how"),
        ("How many cats do I have?", "how_many"),
        ("how much was it", "how_many"),
        ("Which of them is mine?", "which"),
        ("Did she call when I was out?", "yes_no"),
        ("Isn't it late?", "yes_no"),
        ("Do you remember where I parked?", "where"),
        ("Could you please tell me who called?", "who"),
        ("Is it Monday? I moved. Where did I go? Thanks.", "where"),
        ("my sister's address", "statement"),
        ("Lisbon?", "statement"),
    ],
)
def test_question_kind_is_recognized(text, kind):
    assert ask(text).kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "How many books did I read?",
        "Which cities have I been to?",
        "list all restaurants",
        "What are all the places",
        "What books has Ann read?",
        "what outdoor activities does she like",
        "What do both of them like?",
        "What do Ann and Bob have in common?",
        "Which came first, the wedding or the trip?",
        "what kinds of music do I like",
        "How much did I spend in total?",
    ],
)
def test_wants_several_is_true_for_list_questions(text):
    assert ask(text).wants_several


@pytest.mark.parametrize(
    "text",
    [
        "What does James do?",
        "What was his name?",
        "where is my shopping list",
        "What is this",
        "Which bus do I take?",
        "Is it all right?",
    ],
)
def test_wants_several_is_false_for_single_answers(text):
    assert not ask(text).wants_several


@pytest.mark.parametrize(
    ("text", "latest"),
    [
        ("What is my current job?", True),
        ("where do I live now", True),
        ("the most recent trip", True),
        ("Do I still smoke?", True),
        ("Where did I live in 2020?", False),
        ("I know", False),
    ],
)
def test_wants_latest_is_recognized(text, latest):
    assert ask(text).wants_latest is latest


@pytest.mark.parametrize(
    ("text", "user"),
    [
        ("What did you recommend for dinner?", False),
        ("the book you told me about", False),
        ("Can you remind me what you'd previously suggested?", False),
        ("What was your advice on Rome?", False),
        ("Did I tell you my dog's name?", True),
        ("what I said about you", True),
        ("What did you answer when I told you about it?", False),
        ("my sister", True),
        ("Can you tell me about Rome?", None),
        ("Remind me what Ann did", None),
    ],
)
def test_asks_user_tells_user_from_assistant(text, user):
    assert ask(text).asks_user is user


# -- very long, very strange


def test_long_query_is_parsed_at_both_ends():
    question = ask("Lisbon " + "noise role:none -x " * 5_000 + "tell me about Porto")
    assert {"lisbon", "porto"} <= set(question.terms)
    assert question.excluded == ()
    assert question.filters == SearchFilters()
    assert len(question.text) <= 2 * MAX_CHARACTERS_PER_END + 1


def test_shortened_query_drops_partial_words():
    question = ask("abcdefg " * 2_000)
    assert [word[0] for word in question.words] == ["abcdefg"]


@pytest.mark.parametrize(
    "piece",
    [
        "last May 3 error ",
        "a ",
        "how much ",
        '"',
        '-"',
        "“",
        "in may ",
        "What I had ",
        "which a a first ",
        "? ",
        "x",
        "東",
        "\n",
        "\u202e",
        "1月2日",
        "a\u0301\u0316",
        "\u0301\u0316",
        "ﷺ",
        "😀",
        "letzte Woche und gestern ",
        '"ab" ',
    ],
)
def test_long_repetitive_query_is_parsed_quickly(piece):
    for text in (piece * (4_000 // len(piece)) + "x", piece * (100_000 // len(piece)) + " x"):
        assert seconds(lambda text=text: parse_query(text, NOW, plain=piece.startswith('"a')), rounds=5) < 0.02


# -- how much a query can ask for


@pytest.mark.parametrize(
    ("most", "one_more", "what"),
    [
        (" ".join(f'"word {number}"' for number in range(MAX_PHRASES)), '"one more"', "quoted phrases"),
        ("tea " + " ".join(f"-x{number}" for number in range(MAX_PHRASES)), '-"one more"', "words or phrases to leave out"),
        ("tea " + " ".join(f"tag:x{number}" for number in range(MAX_PHRASES)), "after:2020", "filters such as role:"),
    ],
)
def test_too_many_phrases_or_filters_are_refused(most, one_more, what):
    assert ask(most).text
    repeated = f"{most} {most.split()[-1]}" if "tag:" not in most else most
    assert ask(repeated).excluded == ask(most).excluded
    with pytest.raises(InvalidInput, match=f"more than {MAX_PHRASES} {what}.*take some out"):
        ask(f"{most} {one_more}")


@pytest.mark.parametrize("ending", ["", "?"])
def test_message_with_many_phrases_uses_the_first(ending):
    said = " ".join(f'"word{number} x"' for number in range(300)) + ending
    for question in (parse_query(said, NOW, plain=True), *([ask(said)] if ending else [])):
        assert len(question.phrases) == MAX_PHRASES
        assert question.phrases[0] == ("word0", "x")


def test_duplicate_phrases_are_merged():
    assert ask('tea "red car" "Red cars" -dog -dogs').phrases == (("red", "car"),)
    assert ask('tea "red car" "Red cars" -dog -dogs').excluded == (("dog",),)


def test_very_many_words_are_reduced_to_first_and_last():
    many = [f"w{number}" for number in range(700)]
    assert ask(" ".join(many)).terms == (*many[: MAX_WORDS // 2], *many[-MAX_WORDS // 2 :])
    assert len(find_search_terms("".join(map(chr, range(0x4E00, 0x8000))))) <= MAX_WORDS


PIECES = [
    "role:user",
    "role:",
    "tag:",
    'tag:"',
    "before:",
    "since:May",
    "-",
    '"',
    "“",
    "”",
    "last week",
    "(",
    "*",
    "NEAR",
    "I",
    "Ann's",
]


@example("0\u0816Æ")
@example("´")
@example("\u094d")
@given(st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map(" ".join))
def test_any_query_parses_consistently(text):
    try:
        question = ask(text)
    except InvalidInput:
        return
    assert question.text.strip() == question.text != ""
    assert bool(question.terms) == bool(terms(question.text))
    assert len(set(question.terms)) == len(question.terms)
    assert set(question.names) <= set(question.terms)
    assert all(question.phrases)
    assert all(question.excluded)


@pytest.mark.parametrize(
    "text",
    ["what does rm -rf do?", "which role:admin permissions do I have?", "what did tag:v2 break?", "before:hand?"],
)
def test_operators_inside_a_sentence_are_plain_text(text):
    question = ask(text)
    assert question.text == text
    assert not question.excluded
    assert question.filters == SearchFilters()
