"""Titles, tags and topics of conversations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.titles import (
    MAX_TAGS,
    MAX_TITLE_LENGTH,
    MAX_TOPICS,
    SessionLabel,
    build_label_prompt,
    label_session,
    parse_label,
)
from keepsaid.types import Message, Role


def talk(*turns, names=(None, None)):
    """Messages that take turns, the user first."""
    return [
        Message(
            f"m{number}",
            "s",
            number,
            number - 1,
            Role.USER if number % 2 else Role.ASSISTANT,
            text,
            0,
            number,
            0.5,
            False,
            {},
            name=names[(number + 1) % 2],
        )
        for number, text in enumerate(turns, start=1)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi! Can you help me plan a weekend trip to Lisbon with my sister?", "Plan a weekend trip to Lisbon"),
        ("How do I undo the last commit in git?", "Undo the last commit in git"),
        ("I'm looking for some recommendations for romantic comedies.", "Romantic comedies"),
        ("Hey there! I want to learn the cello, please.", "Learn the cello"),
        ("Could you please explain the Treaty of Westphalia?", "Explain the Treaty of Westphalia"),
        ("Good morning! My blood pressure is too high.", "Blood pressure"),
        ("I went to a LGBTQ support group yesterday and it was so powerful.", "LGBTQ support group"),
        ('I need a review of "The Left Hand of Darkness".', "Review of The Left Hand of Darkness"),
        ("**Fix** the `KeyError` in parse_config", "Fix the KeyError in parse_config"),
        ("你好，请帮我计划去东京的旅行", "计划去东京的旅行"),
        ("東京の天気はどうですか？", "東京の天気はどうですか"),
    ],
)
def test_title_summarizes_the_request(text, expected):
    assert label_session(talk(text)).title == expected


@pytest.mark.parametrize(
    "turns", [[], [""], ["Hi!"], ["Hello there", "Hi! How can I help you today?"], ["Thanks!"], ["👋"], ["1234"]]
)
def test_uninformative_messages_give_no_label(turns):
    assert label_session(talk(*turns)) == SessionLabel()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Does Otto like coffee?", "Otto and coffee"),
        ("Does my brother like coffee?", "My brother and coffee"),
        ("Where does our daughter live?", "Our daughter"),
        ("When did Otto move to Vienna?", "Otto and Vienna"),
        ("Are there ferries from Split to Hvar?", "Ferries from Split to Hvar"),
    ],
)
def test_title_of_question_names_its_topic(text, expected):
    assert label_session(talk(text)).title == expected


PYTHON = 'Traceback (most recent call last):\n  File "/home/ann/a.py", line 3, in <module>\n    import foo\n'
JAVASCRIPT = "TypeError: Cannot read properties of undefined (reading 'map')\n    at render (/app/list.js:12:5)"
JAVA = 'Exception in thread "main" java.lang.IllegalStateException: closed\n\tat com.example.Main.run(Main.java:5)\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PYTHON + "ModuleNotFoundError: No module named 'foo'", "ModuleNotFoundError: No module named foo"),
        ("What is this?\n\n" + PYTHON + "KeyError: '/home/ann/4711'\n\nI run 3.11.", "KeyError in a stack trace"),
        (PYTHON + "  pass\n" * 1000 + "ValueError: bad colour", "ValueError: bad colour"),
        (JAVASCRIPT, "TypeError: Cannot read properties of undefined"),
        (JAVA, "IllegalStateException: closed"),
        (JAVA + "Caused by: java.io.EOFException\n\tat java.base/x.y(Z.java:1)", "EOFException in a stack trace"),
    ],
)
def test_title_of_stack_trace_names_the_error(text, expected):
    assert label_session(talk(text)).title == expected


def test_title_treats_error_without_trace_as_topic():
    assert (
        label_session(talk("I wrote an essay about error messages in Rust.")).title == "Essay about error messages in Rust"
    )


def test_title_skips_greetings():
    made = label_session(talk("Hey Mel! Good to see you!", "Hey!", "I joined a pottery class for beginners.", "Great!"))
    assert made.title == "Joined a pottery class for beginners"
    assert made.sources == ("m3",)


def test_one_word_title_is_extended_by_next_message():
    assert label_session(talk("Yoga!", "Do you know the sun salutation?")).title == "Yoga and sun salutation"


def test_tags_are_the_most_frequent_terms():
    made = label_session(
        talk(
            "I'm thinking of getting a greyhound.",
            "Greyhounds are calm dogs.",
            "How much food does a greyhound need, and which food is best?",
            "Two meals a day. Dry food is fine.",
            "Is a greyhound good with cats?",
        )
    )
    assert made.tags[:2] == ("greyhound", "food")
    assert "greyhound" in made.title


def test_tags_and_topics_exclude_private_values():
    made = label_session(
        talk("My number is 0170 1234567, my mail is ana@example.org and my invoice 2024-118 from Contoso is due on 3 May.")
    )
    for text in (*made.tags, *made.topics):
        assert not any(character.isdigit() for character in text)
        assert "@" not in text
    assert "contoso" in " ".join(made.tags)
    assert not {"may", "monday"} & set(made.tags)


def test_topics_exclude_speaker_names():
    made = label_session(talk("Caroline, look at my sunflower painting!", "Lovely, Melanie!", names=("Melanie", "Caroline")))
    assert made.topics == ("sunflower painting",)


def test_label_ignores_tool_messages():
    messages = talk("Find flights to Oslo.")
    noise = messages[0]._replace(id="t", role=Role.TOOL, text="Cookie banner newsletter")
    made = label_session([noise, *messages, noise])
    assert made == label_session(messages)


def test_label_lists_its_source_messages():
    messages = talk("Plan a trip to Rome.", "Sure.", "Also find a hotel with a pool in Rome.", "Done.")
    made = label_session(messages)
    assert set(made.sources) <= {message.id for message in messages}
    said = " ".join(message.text.lower() for message in messages if message.id in made.sources)
    assert all(text.lower() in said for text in (*made.tags, *made.topics))


@given(st.lists(st.text(max_size=200), max_size=6))
def test_label_stays_within_limits(turns):
    made = label_session(talk(*turns))
    assert len(made.title) <= MAX_TITLE_LENGTH
    assert len(made.title.split()) <= 7
    assert len(made.tags) <= MAX_TAGS
    assert len(made.topics) <= MAX_TOPICS
    assert all(tag == tag.lower() for tag in made.tags)
    assert bool(made.title) == bool(made.sources)


@pytest.mark.parametrize("piece", ["word ", "A ", "I want ", "x, ", "“", "hi! ", "天", "# ", "[", "Tom and Ana and "])
def test_long_conversation_is_labeled_quickly(piece):
    messages = talk(*[piece * 20_000] * 60)
    assert seconds(lambda: label_session(messages)) < 1


# -- by a language model


def test_prompt_presents_conversation_as_data():
    system, user = build_label_prompt(talk("Plan a trip to Rome.", "Sure."))
    assert "data" in system["content"]
    assert "user: Plan a trip to Rome.\nassistant: Sure." in user["content"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            '{"title": "Trip to Rome", "tags": ["Travel"], "topics": ["Rome"]}',
            SessionLabel("Trip to Rome", ("travel",), ("Rome",)),
        ),
        ('```json\n{"title": "Trip to Rome."}\n```', SessionLabel("Trip to Rome")),
        ('"Trip to Rome"', SessionLabel("Trip to Rome")),
        ("Title: Trip to Rome", SessionLabel("Trip to Rome")),
        ('{"title": "t", "tags": ["a", "a", 3, "b", "c", "d"]}', SessionLabel("T", ("a", "b", "c"))),
        ('{"title": "Call", "tags": ["0170 123", "x@y.z", "phone"]}', SessionLabel("Call", ("phone",))),
        ('{"title": "one two three four five six seven eight"}', SessionLabel("One two three four five six seven")),
        ('{"title": 3}', None),
        ('{"tags": ["a"]}', None),
        ('{"title": ""}', None),
        ("{broken}", None),
        ("", None),
        ("Here is a title for you:\nTrip to Rome", None),
        ("This conversation is about a trip to Rome that the user plans with two friends in May.", None),
    ],
)
def test_model_answer_is_parsed(answer, expected):
    assert parse_label(answer) == expected


@given(st.text(max_size=400))
def test_any_model_answer_is_parsed_or_rejected(answer):
    made = parse_label(answer)
    assert made is None or 0 < len(made.title) <= MAX_TITLE_LENGTH
