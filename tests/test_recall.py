"""Searching: what is found, in which order, with which access rights, and what a hit contains."""

import asyncio
import math
import threading
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from backends import lasting, near, searching
from model import pull_model
from quick import seconds

import keepsaid
from keepsaid.engine.text.terms import index_terms, terms
from keepsaid.errors import EmbedderError, InvalidInput, MissingModel, NotFound
from keepsaid.ports import Embedding
from keepsaid.testing import HashEmbedder

LONG = " ".join(f"Paragraph {number} tells of nothing in particular, at some length." for number in range(40))


@pytest.fixture(params=[pytest.param("words", marks=searching), pytest.param("vectors", marks=near), "tokens"])
def memory(request, opened):
    """A store that searches by words, by vectors too, or by token vectors as well, which needs all that the others do."""
    return opened("off" if request.param == "words" else HashEmbedder(tokens=request.param == "tokens"))


@pytest.fixture
def plain(opened):
    """A store that searches by words."""
    return opened()


@pytest.fixture
def real(opened):
    """A store with the local model, and nobody who embeds in the background."""
    return opened("local", model_folder=str(pull_model()))


def texts(hits):
    return [hit.message.text for hit in hits]


def say(memory, *lines, session="s", owner="u1", role="user", **chat):
    """Saves messages into one session."""
    handle = memory.chat(owner=owner, session=session, create=True, **chat)
    return [handle.add(role, line) for line in lines]


# -- what is found


def test_search_finds_message_right_after_saving(memory):
    for number in range(30):
        say(memory, f"Note {number} about parrots.")
        assert texts(memory.search(f"note {number} parrots", owner="u1"))[0] == f"Note {number} about parrots."


def test_search_finds_message_before_and_after_embedding(memory):
    say(memory, "The kettle is broken.", "My bicycle is blue.", "Dinner is at eight.")
    for _ in range(2):
        assert texts(memory.search("what colour is the bicycle?", owner="u1"))[0] == "My bicycle is blue."
        memory.maintain()


@near(reason="what an embedder may do")
def test_search_by_meaning_works_without_worker(real):
    say(real, "The invoice is due on Monday.", "Our puppy chewed up the sofa.", "We fly to Oslo in June.")
    for mode in ("full", "meaning"):
        hits = real.search("What did the dog do to the furniture?", owner="u1", mode=mode)
        assert texts(hits)[0] == "Our puppy chewed up the sofa."
        assert not hits.fallbacks
    assert real.coverage().embedded == 0
    assert real.maintain() == 3
    hit = real.search("What did the dog do to the furniture?", owner="u1")[0]
    assert hit.message.text == "Our puppy chewed up the sofa."
    assert hit.reason.split("; ")[0] == "close in meaning"
    assert texts(real.search("xqzt blorf gnarp", owner="u1")) == []


@near(reason="what an embedder may do")
def test_search_by_meaning_works_after_background_embedding(opened):
    memory = opened("local", model_folder=str(pull_model()), background=True)
    say(memory, "The invoice is due on Monday.", "Our puppy chewed up the sofa.")
    patiently(lambda: memory.coverage().embedded == 2)
    assert texts(memory.search("pets and furniture", owner="u1", mode="meaning"))[0] == "Our puppy chewed up the sofa."


def test_search_by_meaning_finds_newest_after_later_erasures(opened):
    memory = opened(HashEmbedder())
    old = say(memory, "one", "two", "three")
    memory.maintain()
    say(memory, "My parrot speaks.")
    gone = say(memory, "four", "five", "six")
    chat = memory.chat(owner="u1", session="s")
    for message in gone:
        chat.erase(message.id)
    assert texts(memory.search("parrot", owner="u1", mode="meaning"))[0] == "My parrot speaks."
    assert len(old) == 3


def patiently(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def test_search_of_owner_without_messages_is_empty(memory):
    assert memory.search("tea", owner="nobody") == []
    memory.maintain()
    assert memory.search("tea", owner="nobody") == []
    memory.chat(owner="u1")
    assert memory.search("tea", owner="u1") == []


# -- filters


@pytest.fixture
def diary(memory, clock):
    """Tea, in two sessions, by two roles, on three days."""
    home = memory.chat(owner="u1", session="home", create=True, tags=["private", "food"], title="At home")
    work = memory.chat(owner="u1", session="work", create=True, tags=["office"])
    home.add("user", "Green tea in the morning.", created_at=datetime(2026, 4, 1, 8, tzinfo=UTC), importance=0.9)
    home.add("assistant", "Black tea is stronger.", created_at=datetime(2026, 4, 2, 8, tzinfo=UTC), importance=0.1)
    work.add("user", "The office tea is terrible.", created_at=datetime(2026, 4, 3, 8, tzinfo=UTC), importance=0.5)
    work.add("tool", "tea: 3 boxes", created_at=datetime(2026, 4, 4, 8, tzinfo=UTC), importance=0.0)
    memory.maintain()
    return memory


GREEN, BLACK = "Green tea in the morning.", "Black tea is stronger."
OFFICE, BOXES = "The office tea is terrible.", "tea: 3 boxes"
NAIVE = datetime(2026, 5, 1)  # noqa: DTZ001  # that it has no time zone is the point


def day(number):
    return datetime(2026, 4, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("filters", "prefixes", "expected"),
    [
        ({"session": "home"}, "session:home", {GREEN, BLACK}),
        ({"roles": ["user"]}, "role:user", {GREEN, OFFICE}),
        ({"roles": ["user", "tool"]}, "role:user role:tool", {GREEN, OFFICE, BOXES}),
        ({"roles": ["human"]}, "role:human", {GREEN, OFFICE}),
        ({"tags": ["office"]}, "tag:office", {OFFICE, BOXES}),
        ({"tags": ["office", "food"]}, "tag:office tag:food", {GREEN, BLACK, OFFICE, BOXES}),
        ({"tags": ["unknown"]}, "tag:unknown", set()),
        ({"session": "unknown"}, "session:unknown", set()),
        ({"since": day(3)}, "since:2026-04-03", {OFFICE, BOXES}),
        ({"until": day(3)}, "before:2026-04-03", {GREEN, BLACK}),
        ({"since": day(2), "until": day(4)}, "since:2026-04-02 before:2026-04-04", {BLACK, OFFICE}),
        ({"min_importance": 0.5}, "", {GREEN, OFFICE}),
        ({"session": "home", "roles": ["assistant"]}, "session:home role:assistant", {BLACK}),
        ({"tags": ["food"], "roles": ["tool"]}, "tag:food role:tool", set()),
        ({"session": "work", "since": day(4), "tags": ["office"]}, "session:work since:2026-04-04 tag:office", {BOXES}),
    ],
)
@searching(reason="what a query may be")
def test_filters_work_as_arguments_and_as_prefixes(diary, filters, prefixes, expected):
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert set(texts(diary.search("tea", owner="u1", now=now, **filters))) == expected
    if prefixes:
        assert set(texts(diary.search(f"{prefixes} tea", owner="u1", now=now))) == expected
        assert set(texts(diary.search(f"tea {prefixes}", owner="u1", now=now))) == expected


def test_filter_arguments_and_prefixes_are_combined(diary):
    assert texts(diary.search("tea role:user", owner="u1", session="home")) == [GREEN]
    assert texts(diary.search("tea role:user", owner="u1", roles=["user", "tool"], session="work")) == [OFFICE]
    assert texts(diary.search("tea since:2026-04-02", owner="u1", until=day(3))) == [BLACK]
    with pytest.raises(InvalidInput, match="different roles"):
        diary.search("tea role:user", owner="u1", roles=["tool"])
    with pytest.raises(InvalidInput, match="no time between"):
        diary.search("tea since:2026-04-03", owner="u1", until=day(2))


def test_role_filter_excludes_matching_neighbours(memory):
    chat = memory.chat(owner="u1")
    for number in range(5):
        chat.add("user", f"Which tea do you like, number {number}?")
        chat.add("assistant", f"I like tea number {number}.")
    memory.maintain()
    for mode in ("full", "words") if memory.embedder is None else ("full", "words", "meaning"):
        hits = memory.search("Which tea number 3?", owner="u1", roles=["assistant"], mode=mode)
        assert len(hits) == 5
        assert {hit.message.role for hit in hits} == {"assistant"}
    assert hits[0].message.text == "I like tea number 3."


def test_session_filter_on_fork_finds_inherited_messages(memory):
    chat = memory.chat(owner="u1", session="old", create=True)
    first, _ = chat.add("user", "Tea is ready."), chat.add("user", "Tea is cold.")
    chat.fork(at=first.id, session="new").add("user", "Tea is warm.")
    memory.maintain()
    hits = memory.search("tea", owner="u1", session="new")
    assert {(hit.message.text, hit.session) for hit in hits} == {("Tea is ready.", "new"), ("Tea is warm.", "new")}
    assert {hit.session for hit in memory.search("tea", owner="u1", session="old")} == {"old"}
    assert len(memory.search("tea", owner="u1")) == 3


def test_session_filter_follows_active_path_of_fork(memory):
    """A message that was edited in the fork is found there only in its new version."""
    chat = memory.chat(owner="u1", session="old", create=True)
    chat.add("user", "Tea, first.")
    second = chat.add("user", "Tea, second.")
    fork = chat.fork(at=second.id, session="new")
    fork.edit(fork.messages()[1].id, "Tea, second thoughts.")
    memory.maintain()
    assert set(texts(memory.search("tea", owner="u1", session="new"))) == {"Tea, first.", "Tea, second thoughts."}
    assert set(texts(memory.search("tea", owner="u1", session="old"))) == {"Tea, first.", "Tea, second."}


# -- the query's own language


@searching(reason="what a query may be")
def test_search_excludes_words_and_phrases_with_minus(memory):
    say(memory, "Green tea with milk.", "Green tea with lemon.", "Tea of the green hills.")
    assert set(texts(memory.search("green tea -milk", owner="u1"))) == {"Green tea with lemon.", "Tea of the green hills."}
    assert texts(memory.search('tea -"green tea"', owner="u1")) == ["Tea of the green hills."]
    assert memory.search("tea -tea", owner="u1") == []


@searching(reason="what a query may be")
def test_query_of_only_a_phrase_requires_the_phrase(memory):
    say(memory, "New shoes, and then York.", "We moved to New York.", "York is not new.")
    assert texts(memory.search('"new york"', owner="u1")) == ["We moved to New York."]
    hits = memory.search('shoes "new york"', owner="u1")
    assert len(hits) == 3, "with other words beside it, a phrase is a wish"
    assert memory.search('"new york" "new shoes"', owner="u1") == []


PHRASES = " ".join(f'"thing w{number}x"' for number in range(32))
LEFT_OUT = " ".join(f'-"thing w{number}x"' for number in range(32))
DATES = "what was on " + ", ".join(f"{day} May" for day in range(1, 17))


@pytest.mark.parametrize(
    "query", [f"thing {PHRASES}", PHRASES, f"thing {LEFT_OUT}", f"thing {LEFT_OUT} {PHRASES}", DATES],
    ids=["phrases", "nothing but phrases", "left out", "both", "dates"],
)  # fmt: skip
@searching(reason="a matter of the rules")
def test_many_phrases_or_dates_do_not_slow_down_search(plain, query):
    """Phrases and exclusions are compared with the terms of a text, which are computed once."""
    say(plain, " ".join(f"word{number} thing" for number in range(20_000)), "We did a thing.")
    once = seconds(lambda: plain.search("thing", owner="u1"))
    assert seconds(lambda: plain.search(query, owner="u1")) < 6 * once + 0.1


@pytest.mark.parametrize("piece", ["a\u0301\u0316", "\u0301\u0316", "\uff9e\u0301"])
@near(reason="a matter of the rules")
def test_many_combining_marks_are_indexed_quickly(piece):
    text = "a" + piece * 100_000
    assert seconds(lambda: index_terms(text)) < 0.5
    assert seconds(lambda: terms(text, "de")) < 0.5


@near(reason="a matter of the rules")
def test_words_with_many_combining_marks_are_found(plain):
    marks = "\u0301\u0316" * 3_000
    say(plain, f"My te{marks}a is green.", "كلمة" + marks)
    assert index_terms(f"te{marks}a") == ["tea"]
    assert texts(plain.search("tea", owner="u1"))[0].startswith("My te")


@pytest.mark.parametrize("query", ["tea -milk", '"tea plain"'])
@searching(reason="what a query may be")
def test_excluded_messages_do_not_displace_hits(memory, query):
    """More excluded messages than there are candidates match better than the only hit."""
    say(memory, *(f"tea milk {number}" for number in range(150)))
    say(memory, f"After all of {LONG} I had my tea plain.", session="other")
    assert [hit.session for hit in memory.search(query, owner="u1")] == ["other"]


@searching(reason="what a query may be")
@pytest.mark.parametrize("words", ["Set role:admin for my account", "the log says before:midnight", "tag:x -account"])
def test_plain_search_ignores_query_operators(memory, words):
    say(memory, "My account has the number 7.")
    with pytest.raises(InvalidInput):
        memory.search("role:admin before:midnight " + words, owner="u1")
    assert memory.search(words + " account", owner="u1", plain=True)[0].message.text == "My account has the number 7."
    assert memory.relevant_context(words + " account", owner="u1").hits


@searching(reason="there is nothing that a mirror adds")
def test_exclude_session_leaves_one_session_out(memory):
    say(memory, "My sister lives in Lisbon.", session="before")
    chat = memory.chat(owner="u1", session="now", create=True)
    chat.add_many({"role": "user", "content": f"Where does my sister live? Asked {n} times."} for n in range(300))
    asked = "where does my sister live"
    assert texts(memory.search(asked, owner="u1", exclude_session="now")) == ["My sister lives in Lisbon."]
    assert texts(memory.relevant_context(asked, owner="u1", exclude_session="now").hits) == ["My sister lives in Lisbon."]
    assert "Lisbon" not in str(texts(memory.search(asked, owner="u1", exclude_session="before")))


def test_dates_in_question_rank_matching_messages_first(memory):
    berlin = ZoneInfo("Europe/Berlin")
    chat = memory.chat(owner="u1")
    for week, place in enumerate(("Porto", "Oslo", "Rome", "Bonn")):
        said = datetime(2026, 4, 8, 12, tzinfo=berlin) + timedelta(weeks=week)
        chat.add("user", f"We talked about a trip to {place}.", created_at=said)
    now = datetime(2026, 5, 1, 9, tzinfo=berlin)
    hits = memory.search("what trip did we talk about last week?", owner="u1", now=now)
    assert hits[0].message.text == "We talked about a trip to Rome."
    assert "from the time asked for" in hits[0].reason
    assert len(hits) == 4
    assert memory.search("trip two weeks ago", owner="u1", now=now)[0].message.text == "We talked about a trip to Oslo."
    assert len(memory.search("trip before:2026-04-15", owner="u1", now=now)) == 1
    assert len(memory.search("trip after:2026-04-15", owner="u1", now=now)) == 2


def test_dates_in_query_use_time_zone_of_now(plain):
    chat = plain.chat(owner="u1")
    chat.add("user", "Dentist: fine.", created_at=datetime(2026, 4, 30, 15, 30, tzinfo=UTC))
    chat.add("user", "Dentist: hurts.", created_at=datetime(2026, 4, 30, 14, 30, tzinfo=UTC))
    # 15:30 UTC is past midnight in Tokyo, so there only the other one is from "yesterday".
    tokyo = datetime(2026, 5, 1, 9, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert texts(plain.search("dentist after:2026-04-30", owner="u1", now=tokyo)) == ["Dentist: fine."]
    assert plain.search("dentist yesterday", owner="u1", now=tokyo)[0].message.text == "Dentist: hurts."


def test_search_finds_answer_after_matching_question(memory):
    chat = memory.chat(owner="u1")
    chat.add("user", "What is the name of the hotel in Porto?")
    chat.add("assistant", "Casa Azul, near the river.")
    say(memory, *(f"Something else entirely, part {number}." for number in range(20)), session="noise")
    memory.maintain()
    hits = memory.search("name of the hotel in Porto", owner="u1", limit=2)
    assert "Casa Azul, near the river." in texts(hits)
    answer = next(hit for hit in hits if hit.message.role == "assistant")
    assert "answers a matching question" in answer.reason


def test_speakers_are_found_by_name(memory):
    chat = memory.chat(owner="u1")
    for name, text in (("Ana", "I moved to Lisbon."), ("Ben", "I moved to Bergen."), ("Sam", "I moved as well.")):
        chat.add("user", text, name=name)
    memory.maintain()
    first = memory.search("Where did Ben move?", owner="u1")[0]
    assert (first.message.name, first.signals["speaker"]) == ("Ben", 1.0)
    assert "said by Ben" in first.reason
    same = {hit.message.name: hit.signals["speaker"] for hit in memory.search("who moved at the same time?", owner="u1")}
    assert same == {"Ana": 0.0, "Ben": 0.0, "Sam": 0.0}


@near(reason="what is made of what was found")
def test_duplicate_messages_become_one_hit(memory, clock):
    say(memory, "The door code is 4711.", session="one")
    clock.advance(days=1)
    newest = say(memory, "The door code is 4711.", session="two")[0]
    say(memory, "The door code is 4711.", session="one", role="assistant")
    hits = memory.search("door code", owner="u1")
    assert sorted(hit.message.role for hit in hits) == ["assistant", "user"]
    mine = next(hit for hit in hits if hit.message.role == "user")
    assert {mine.session, *(other.session for other in mine.also)} == {"one", "two"}
    assert newest.id in {mine.message.id, *(other.id for other in mine.also)}
    elsewhere = memory.search("door code", owner="u1", session="two")
    assert [(hit.message.id, hit.also) for hit in elsewhere] == [(newest.id, ())], "what the filter bars is not named"


# -- what can be seen


def test_search_skips_deleted_cleared_and_popped_messages(memory):
    say(memory, "Tea, kept.", session="kept")
    say(memory, "Tea, archived.", session="archived")
    say(memory, "Tea, deleted.", session="deleted")
    say(memory, "Tea, cleared.", session="cleared")
    say(memory, "Tea, first.", "Tea, popped.", session="popped")
    for embedded in (False, True):
        if embedded:
            memory.maintain()
        assert len(memory.search("tea", owner="u1")) == 6
    memory.chat(owner="u1", session="archived").archive()
    memory.chat(owner="u1", session="deleted").delete()
    memory.chat(owner="u1", session="cleared").clear()
    memory.chat(owner="u1", session="popped").pop()
    expected = {"Tea, kept.", "Tea, archived.", "Tea, first."}
    for mode in ("full", "words") if memory.embedder is None else ("full", "words", "meaning"):
        assert set(texts(memory.search("tea", owner="u1", mode=mode))) == expected
    memory.restore(owner="u1", session="deleted")
    assert set(texts(memory.search("tea", owner="u1"))) == expected | {"Tea, deleted."}


def test_only_the_active_branch_is_searched(memory):
    chat = memory.chat(owner="u1")
    question = chat.add("user", "Tea or coffee?")
    chat.add("assistant", "Tea, of course.")
    chat.edit(question.id, "Tea or water?")
    memory.maintain()
    assert texts(memory.search("tea", owner="u1")) == ["Tea or water?"]
    chat.switch(question.id)
    assert "Tea or coffee?" in texts(memory.search("tea", owner="u1"))


def test_erased_messages_are_not_found(memory):
    kept, gone = say(memory, "Tea, kept.", "Tea, erased.")
    memory.maintain()
    assert len(memory.search("tea", owner="u1")) == 2
    memory.erase(owner="u1", session="s", message=gone.id)
    assert [hit.message.id for hit in memory.search("tea", owner="u1")] == [kept.id]


def test_temporary_sessions_are_not_found(memory):
    memory.chat(owner="u1", temporary=True).add("user", "Tea, between us.")
    assert memory.search("tea", owner="u1") == []


def test_pool_search_needs_grant_and_is_separate(memory):
    team = memory.create_pool("team", owner="u1")
    memory.chat(owner="u1", pool=team, title="Office").add("user", "The office tea is green.")
    say(memory, "My own tea is black.")
    memory.maintain()
    assert texts(memory.search("tea", owner="u1")) == ["My own tea is black."]
    hit = memory.search("tea", owner="u1", pool=team)[0]
    assert (hit.message.text, hit.title) == ("The office tea is green.", "Office")
    with pytest.raises(NotFound):
        memory.search("tea", owner="u2", pool=team)
    memory.grant(team, to="u2", by="u1")
    assert texts(memory.search("tea", owner="u2", pool=team)) == ["The office tea is green."]
    assert memory.search("tea", owner="u2") == []
    memory.revoke(team, of="u2", by="u1")
    with pytest.raises(NotFound):
        memory.search("tea", owner="u2", pool=team)


def test_messages_of_other_owners_do_not_affect_hits(memory):
    say(memory, "Green tea in the morning.", "Black tea at night.", "The cat sleeps.")
    memory.maintain()
    now = datetime(2026, 5, 2, tzinfo=UTC)
    before = memory.search("green tea", owner="u1", now=now)
    for number in range(40):
        say(memory, f"Green tea, tea, tea, number {number}.", owner=f"v{number % 3}")
    memory.maintain()
    after = memory.search("green tea", owner="u1", now=now)
    assert [(hit.message, hit.score, hit.signals, hit.reason) for hit in after] == [
        (hit.message, hit.score, hit.signals, hit.reason) for hit in before
    ]


# -- what a hit tells


def test_hit_has_message_session_signals_and_reason(memory, clock):
    chat = memory.chat(owner="u1", session="trip", create=True, title="Family")
    said = chat.add("user", "My sister moved to Lisbon.")
    memory.maintain()
    hit = memory.search("where does my sister live?", owner="u1")[0]
    assert hit.message == said
    assert (hit.session, hit.title, hit.at) == ("trip", "Family", clock())
    assert hit.passage == said.text
    assert 0 < hit.score < 1
    assert set(hit.signals) >= {"words", "nearby_words", "answers", "time", "recent", "importance"}
    assert hit.reason.startswith("matches 'sister'; ")
    assert hit.reason.endswith("May 2026")


@near(reason="what is made of what was found")
def test_reason_names_words_phrase_answer_and_role(plain):
    chat = plain.chat(owner="u1")
    chat.add("user", "Where is the key of the garden shed?", importance=0.0)
    chat.add("assistant", "Under the blue pot.", importance=0.9)
    chat.add("user", "Great, thanks a lot for that.", importance=0.0)
    found = {hit.message.text: hit.reason for hit in plain.search("garden shed key", owner="u1")}
    assert found == {
        "Where is the key of the garden shed?": "matches 'shed', 'key', 'garden'; May 2026",
        "Under the blue pot.": "answers a matching question; important; May 2026",
    }
    assert plain.search('"garden shed"', owner="u1")[0].reason == "matches 'shed', 'garden'; has the phrase; May 2026"
    mine = plain.search("what did I say about the garden?", owner="u1", roles=["user"])[0]
    assert mine.reason == "matches 'garden'; said by the user; May 2026"


def test_reason_of_single_message_names_no_neighbour(memory):
    say(memory, "I love green tea.")
    assert "next to" not in memory.search("green tea", owner="u1")[0].reason


@near(reason="what is made of what was found")
def test_reason_names_each_word_once(plain):
    say(plain, "東京タワーに行きました。")
    assert plain.search("東京タワー", owner="u1")[0].reason == "matches '東京タワー'; May 2026"


def test_hit_of_long_message_has_matching_passage(memory):
    long = f"{LONG}\n\nThe spare key of the lighthouse hangs behind the mirror.\n\n{LONG}"
    say(memory, long)
    for _ in range(2):
        hit = memory.search("spare key of the lighthouse", owner="u1")[0]
        assert "spare key of the lighthouse" in hit.passage
        assert len(hit.passage) < len(long) / 3
        assert hit.message.text == long
        memory.maintain()


def test_scores_descend_and_stay_between_0_and_1(memory):
    for session in range(5):
        say(memory, *(f"Tea number {number} of {session}, {'tea ' * number}" for number in range(6)), session=f"s{session}")
    memory.maintain()
    for query in ("tea number 3", "how many teas did I mention in total?", "all the teas", "which is the best tea?"):
        hits = memory.search(query, owner="u1", limit=30)
        scores = [hit.score for hit in hits]
        assert len(scores) == 30
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


@searching(reason="what a query may be")
def test_limit_bounds_number_of_hits(memory):
    say(memory, *(f"Tea number {number}." for number in range(120)))
    assert len(memory.search("tea", owner="u1")) == 10
    assert len(memory.search("tea", owner="u1", limit=1)) == 1
    assert len(memory.search("tea", owner="u1", limit=100)) == 100
    assert len(memory.search("tea", owner="u1", limit=1_000_000)) == 120


@near(reason="what is made of what was found")
def test_min_score_excludes_lower_hits(memory):
    say(memory, "Green tea in the morning.", "A walk in the morning rain.", "Nothing to see here.")
    hits = memory.search("green tea in the morning", owner="u1")
    assert len(hits) > 1
    lowest = memory.search("green tea in the morning", owner="u1", min_score=hits[0].score)
    assert texts(lowest) == texts(hits)[:1]
    assert memory.search("green tea", owner="u1", min_score=1.0) == []


def test_modes_search_by_words_by_meaning_or_both(opened):
    memory = opened(HashEmbedder())
    say(memory, "Green tea in the morning.", "The cat sleeps.", "A dog barks.")
    memory.maintain()
    words = memory.search("tea", owner="u1", mode="words")
    assert "meaning" not in words[0].signals
    meaning = memory.search("tea", owner="u1", mode="meaning")
    assert (meaning[0].signals["words"], meaning[0].signals["nearby_words"]) == (0, 0)
    assert meaning[0].signals["meaning"] > 0.3
    assert "matches" not in meaning[0].reason
    assert "A dog barks." not in texts(meaning), "what neither says nor neighbours anything like it is no hit"
    full = memory.search("tea", owner="u1")
    assert full[0].signals["words"] > 0
    assert full[0].signals["meaning"] > 0.3


def test_search_defaults_come_from_settings(opened):
    memory = opened(recall_limit=2, recall_min_score=0.0)
    say(memory, "Tea one.", "Tea two.", "Tea three.")
    assert len(memory.search("tea", owner="u1")) == 2
    assert len(memory.search("tea", owner="u1", limit=3)) == 3
    picky = opened(recall_min_score=0.999)
    say(picky, "Tea one.", owner="u2")
    assert picky.search("tea", owner="u2") == []
    assert len(picky.search("tea", owner="u2", min_score=0)) == 1


def test_async_search_returns_hits_and_raises(place, clock):
    async def main():
        embedder = HashEmbedder(tokens=True)
        async with await keepsaid.open_async(place, clock=clock, embedder=embedder, background=False) as memory:
            chat = await memory.chat(owner="u1", session="s", create=True)
            await chat.add("user", "Green tea in the morning.")
            await chat.add("assistant", "Noted.")
            before = await memory.search("green tea", owner="u1", roles=["user"])
            assert await memory.maintain() == 2
            after = await memory.search("green tea", owner="u1", roles=["user"])
            with pytest.raises(InvalidInput):
                await memory.search("", owner="u1")
            return before, after

    before, after = asyncio.run(main())
    assert texts(before) == texts(after) == ["Green tea in the morning."]
    assert before[0].signals.keys() == after[0].signals.keys()
    assert not after.fallbacks


# -- bad input


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "-milk", "role:user", 'tag:"a b"'])
@near(reason="refused before anything is asked")
def test_query_without_search_terms_is_refused(memory, query):
    with pytest.raises(InvalidInput, match="say"):
        memory.search(query, owner="u1")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("te\0a", "NUL"),
        ("te\ud800a", "surrogate"),
        (None, "string"),
        (b"tea", "string"),
        ("tea role:king", "king"),
        ("tea after:soonish", "date"),
    ],
)
@near(reason="refused before anything is asked")
def test_malformed_query_is_refused(memory, query, says):
    with pytest.raises(InvalidInput, match=says):
        memory.search(query, owner="u1")


@searching(reason="what a query may be")
def test_query_of_only_stop_words_finds_messages(memory):
    say(memory, "Who are you, and where are we?", "The cat sleeps.")
    assert "Who are you, and where are we?" in texts(memory.search("who are you?", owner="u1"))


@pytest.mark.parametrize(
    "query",
    [
        'tea"', '"tea', "tea*", "tea AND", "NEAR(tea, 2)", "tea NOT tea", "(tea", "tea)", "^tea", "{tea}", "tea : x",
        "%tea%", "- tea", "--tea tea", "tea OR 1=1; --", "tea'; DROP TABLE messages; --", "[tea", "tea\\", "tea(?=x)+*?",
        ".*tea", "🍵 tea", "tea\u202e", "rowid:tea", "text:tea", "tea ~ ` ! @ # $ % ^ & * = + | < > / ?",
    ],
)  # fmt: skip
@searching(reason="what a query may be")
def test_special_characters_in_query_are_not_syntax(memory, query):
    say(memory, "Green tea.")
    assert texts(memory.search(query, owner="u1")) == ["Green tea."]


@pytest.mark.parametrize("query", ["🍵", "-", "!?!", "***", '""', "…"])
@searching(reason="what a query may be")
def test_query_of_only_symbols_is_accepted(memory, query):
    say(memory, "Green tea.")
    memory.maintain()
    assert memory.search(query, owner="u1").fallbacks == ()


@searching(reason="what a query may be")
def test_very_long_query_is_searched_quickly(memory):
    say(memory, "Green tea in the morning.", *(f"Filler number {number}." for number in range(200)))
    memory.maintain()
    for query in (
        "x" * 100_000,
        "green tea in the morning " * 4_000,
        '"' * 100_000,
        "-a " * 33_000 + "tea",
        "last week " * 10_000,
    ):
        start = time.perf_counter()
        memory.search(query, owner="u1")
        assert time.perf_counter() - start < 1


def test_question_after_long_pasted_text_is_searched(plain):
    say(plain, "Green tea in the morning.", *(f"Filler number {number}." for number in range(200)))
    hits = plain.search("lorem ipsum " * 8_000 + "What about green tea in the morning?", owner="u1")
    assert hits[0].message.text == "Green tea in the morning."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"limit": 0}, "limit must be at least 1"),
        ({"limit": -1}, "limit"),
        ({"limit": 2.5}, "whole number"),
        ({"min_score": 1.5}, "from 0 to 1"),
        ({"min_score": math.nan}, "from 0 to 1"),
        ({"min_importance": -1}, "from 0 to 1"),
        ({"mode": "magic"}, "full, words, meaning"),
        ({"roles": ["king"]}, "user"),
        ({"roles": "user"}, "list"),
        ({"tags": "work"}, "list"),
        ({"tags": [""]}, "empty"),
        ({"session": ""}, "empty"),
        ({"since": NAIVE}, "time zone"),
        ({"until": NAIVE}, "time zone"),
        ({"now": NAIVE}, "time zone"),
        ({"since": "2026-05-01"}, "datetime"),
        ({"since": datetime(2026, 5, 2, tzinfo=UTC), "until": datetime(2026, 5, 1, tzinfo=UTC)}, "before"),
        ({"since": datetime(2026, 5, 2, tzinfo=UTC), "until": datetime(2026, 5, 2, tzinfo=UTC)}, "before"),
        ({"owner": ""}, "owner"),
    ],
)  # fmt: skip
@near(reason="refused before anything is asked")
def test_invalid_search_arguments_are_refused(memory, arguments, says):
    with pytest.raises(InvalidInput, match=says):
        memory.search("tea", **{"owner": "u1", **arguments})


@near(reason="what an embedder may do")
def test_meaning_mode_needs_an_embedder(plain):
    with pytest.raises(MissingModel, match="keepsaid model pull"):
        plain.search("tea", owner="u1", mode="meaning")


# -- embedders that misbehave


class Misbehaving(HashEmbedder):
    """Embeds as it should until told otherwise."""

    name = "misbehaving"

    def __init__(self):
        super().__init__(8)
        self.how = ""

    def embed(self, texts, *, asking=False):
        made = super().embed(texts, asking=asking)
        if self.how == "raises":
            raise RuntimeError("the model is gone")
        if self.how == "slow":
            time.sleep(1.0)
        nan, zeros = [math.nan] * 8, [0.0] * 8
        return {
            "nan": [Embedding(nan) for _ in made],
            "infinite": [Embedding([math.inf] * 8) for _ in made],
            "zeros": [Embedding(zeros) for _ in made],
            "too many": [*made, *made],
            "none": [],
            "shorter": [Embedding(one.vector[:5]) for one in made],
            "ragged": [Embedding(one.vector[: 3 + at]) for at, one in enumerate([*made, *made])][: len(made)],
            "lists": [list(one.vector) for one in made],
            "words": [Embedding("abcdefgh") for _ in made],
            "nothing": None,
        }.get(self.how, made)


FAILURES = {
    "raises": "the model is gone",
    "slow": "longer than 0.2 seconds",
    "nan": "NaN",
    "infinite": "infinite",
    "zeros": "length zero",
    "too many": "2 vectors for 1 text",
    "none": "0 vectors for 1 text",
    "shorter": "5 dimensions",
    "ragged": "3 dimensions",
    "lists": "a list for a text",
    "words": "numbers",
    "nothing": "failed",
}


@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("embedded", [True, False])
@near(reason="what an embedder may do")
def test_search_falls_back_to_words_when_embedder_fails(opened, how, embedded):
    embedder = Misbehaving()
    memory = opened(embedder, embedder_patience=0.2)
    say(memory, "Green tea in the morning.", "The cat sleeps.")
    if embedded:
        memory.maintain()
    elif how in ("shorter", "ragged"):
        memory.search("tea", owner="u1")  # what it did before is what it is held to
    embedder.how = how
    start = time.perf_counter()
    for mode in ("full", "meaning"):
        hits = memory.search(f"green tea {mode}", owner="u1", mode=mode)
        assert texts(hits)[0] == "Green tea in the morning."
        assert hits.fallbacks[0].startswith("searched by words alone: misbehaving ")
    assert time.perf_counter() - start < 0.9
    hits = memory.search("green tea", owner="u1")
    if how != "slow":
        assert FAILURES[how] in hits.fallbacks[0]
    assert memory.search("green tea", owner="u1", mode="words").fallbacks == ()


@near(reason="what an embedder may do")
def test_slow_embedder_times_out_and_is_used_again_later(opened):
    embedder = Misbehaving()
    memory = opened(embedder, embedder_patience=0.2)
    say(memory, "Green tea in the morning.")
    memory.maintain()
    embedder.how = "slow"
    assert "longer than 0.2 seconds" in memory.search("tea", owner="u1").fallbacks[0]
    start = time.perf_counter()
    assert "still busy" in memory.search("green", owner="u1").fallbacks[0]
    assert time.perf_counter() - start < 0.15, "who is known to be stuck is not waited for again"
    embedder.how = ""
    patiently(lambda: not memory.search("green tea", owner="u1").fallbacks)


@near(reason="what an embedder may do")
def test_slow_embedding_of_new_messages_times_out(opened):
    """The question is embedded quickly, but messages that still wait for vectors may be slow."""

    class SlowWriter(HashEmbedder):
        def embed(self, texts, *, asking=False):
            if not asking:
                time.sleep(1.0)
            return super().embed(texts)

    memory = opened(SlowWriter(), embedder_patience=0.2)
    say(memory, "Green tea in the morning.")
    start = time.perf_counter()
    hits = memory.search("green tea", owner="u1")
    assert time.perf_counter() - start < 0.9
    assert texts(hits) == ["Green tea in the morning."]
    assert hits.fallbacks[0].startswith("new messages were searched by words alone: ")


@pytest.mark.parametrize("how", [how for how in FAILURES if how != "slow"])
@near(reason="what an embedder may do")
def test_failing_embedder_stops_maintain_but_not_saving(opened, how):
    embedder = Misbehaving()
    memory = opened(embedder)
    say(memory, "The cat sleeps.")
    memory.maintain()
    embedder.how = how
    say(memory, "Green tea in the morning.")
    with pytest.raises(EmbedderError, match="misbehaving"):
        memory.maintain()
    assert memory.coverage().embedded == 1
    embedder.how = ""
    assert memory.maintain() == 1


@lasting
def test_changed_dimensions_under_same_name_are_reported(opened):
    class Same(HashEmbedder):
        name = "same"

    with opened(Same(64)) as memory:
        say(memory, "Green tea in the morning.")
        memory.maintain()
    with opened(Same(32)) as memory:
        hits = memory.search("green tea", owner="u1")
        assert texts(hits) == ["Green tea in the morning."]
        assert "same makes vectors of 32 dimensions now, and made vectors of 64 before" in hits.fallbacks[0]
        with pytest.raises(EmbedderError, match="another name"):
            memory.maintain()


def test_concurrent_searches_return_correct_hits(opened):
    memory = opened(HashEmbedder(tokens=True))
    say(memory, *(f"Tea number {number}." for number in range(40)))
    wrong = []

    def ask(number):
        for _ in range(5):
            found = texts(memory.search(f"tea number {number}", owner="u1"))[0]
            wrong.extend({found} - {f"Tea number {number}."})

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    memory.maintain()
    for thread in threads:
        thread.join()
    assert not wrong


# -- another judge


class Shortest:
    """Likes short passages."""

    name = "shortest"

    def __init__(self, how=""):
        self.how = how
        self.asked = []

    def rerank(self, question, passages):
        self.asked.append((question, list(passages)))
        if self.how == "raises":
            raise RuntimeError("no judge today")
        scores = [-len(passage) for passage in passages]
        return {"too few": scores[1:], "nan": [math.nan] * len(scores), "nothing": None}.get(self.how, scores)


TEAS = ("Green tea in the early morning.", "Green tea.", "Green tea, sometimes.")


@near(reason="what is made of what was found")
def test_reranker_determines_order_of_hits(opened):
    judge = Shortest()
    memory = opened(reranker=judge)
    say(memory, *TEAS)
    say(memory, "No tea.", session="other")
    hits = memory.search("green tea", owner="u1", limit=2)
    assert texts(hits) == ["No tea.", "Green tea."]
    assert [hit.signals["shortest"] for hit in hits] == [-7, -10]
    assert judge.asked[0][0] == "green tea"
    assert set(judge.asked[0][1]) >= set(TEAS)
    assert memory.search("green tea", owner="nobody") == []
    assert len(judge.asked) == 1, "nobody judges nothing"


@near(reason="what is made of what was found")
def test_reranker_sees_only_top_candidates(opened):
    memory = opened(reranker=Shortest(), rerank_top=2)
    say(memory, *(f"{'tea ' * (9 - number)}{'x ' * number * 5}" for number in range(9)))
    hits = memory.search("tea", owner="u1", limit=5)
    assert len(hits) == 5
    assert ["shortest" in hit.signals for hit in hits] == [True, True, False, False, False]


@pytest.mark.parametrize("how", ["raises", "too few", "nan", "nothing"])
@near(reason="what is made of what was found")
def test_failing_reranker_keeps_order_of_hits(opened, how):
    memory = opened(reranker=Shortest(how))
    say(memory, *TEAS)
    hits = memory.search("green tea early", owner="u1")
    assert hits.fallbacks[0].startswith("not re-ranked: shortest failed: ")
    assert texts(hits)[0] == "Green tea in the early morning."
    assert "shortest" not in hits[0].signals
