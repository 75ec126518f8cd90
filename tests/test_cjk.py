"""Chinese and Japanese are found by words alone. The conversations in data/cjk.jsonl are our own."""

from __future__ import annotations

from pathlib import Path

from backends import searching

import keepsaid
from benchmarks.common import dataset
from benchmarks.search import recall

SAMPLE = Path(__file__).parent / "data" / "cjk.jsonl"


def test_sample_has_expected_languages_and_no_copied_questions() -> None:
    outline = dataset.read_outline(SAMPLE)
    languages = [question.category for question in outline.questions]
    assert (languages.count("Chinese"), languages.count("Japanese")) == (25, 25)
    texts = {(talk.owner, said.id): said.content for talk in dataset.read_conversations(SAMPLE) for said in talk.messages}
    assert len(texts) == 120
    # Questions are phrased differently: none is a piece of what was said.
    assert not [q.text for q in outline.questions if any(q.text.rstrip("？。?") in text for text in texts.values())]


@searching(reason="what a query may be")
def test_word_search_finds_evidence_in_first_five_hits(memory: keepsaid.Memory) -> None:
    outline = dataset.read_outline(SAMPLE)
    recall.load_conversations(memory, SAMPLE, outline, set(outline.owners), lambda what, done, total: None)
    asked = recall.ask_questions(memory, outline, outline.questions, "words", lambda what, done, total: None)
    missed = [entry.question.text for entry in asked if not set(entry.messages[:5]) & set(entry.question.evidence)]
    assert missed == []
