"""Weights of the ranking and the meaning of its scores, fitted by `python -m benchmarks tune` on the tuning halves.

There is one model for each kind of evidence: words and token vectors together (`full`), one vector for a passage
(`vectors`), and words alone (`words`). Documents have models of their own: they contain no statements of the user, and they
do not fade.
"""

from __future__ import annotations

from typing import NamedTuple

from keepsaid.engine.ranking.relevance import CandidateModel, RelevanceModel, TurnModel
from keepsaid.engine.ranking.signals import SignalWeights


class RankingModel(NamedTuple):
    """Weights of the signals, and how likely a candidate with a given weighted sum helps."""

    weights: SignalWeights
    relevance: RelevanceModel


class RankingModels(NamedTuple):
    """A model for each kind of evidence."""

    full: RankingModel
    vectors: RankingModel
    words: RankingModel

    def for_evidence(self, *, has_meaning: bool, has_tokens: bool) -> RankingModel:
        """Return the model for what is known of the candidates."""
        return self.full if has_tokens else self.vectors if has_meaning else self.words


WORDS = RankingModel(
    SignalWeights(
        words=5.9, nearby_words=6.5, conversation_words=8.4, answers=3.7, is_question=-1.4, time=4.1, recent=0.5, user=2.5,
        assistant=1.4, speaker=1.0, phrase=2.0, importance=0.3, stated=2.5,
    ),
    RelevanceModel(
        CandidateModel(bias=-1.83, score=0.047, below_best=1.212, lead=0.148),
        background=5.1,
    ),
)  # fmt: skip
"""For a store without an embedder, and for searches by words alone.

Words do not tell which turns need memories (a fitted turn model silenced small stores), so any turn that shares a content
word with a memory gets the best ones. `stated` is lower than a fit wants (3.3), since answers of assistants count, too.
"""

VECTORS = RankingModel(
    SignalWeights(
        words=2.0, nearby_words=5.2, conversation_words=4.7, meaning=5.0, nearby_meaning=3.9, conversation_meaning=7.2,
        answers=6.6, is_question=-1.8, time=4.3, recent=1.0, user=2.5, assistant=1.4, speaker=1.0, phrase=2.0,
        importance=0.3, stated=1.7,
    ),
    RelevanceModel(
        CandidateModel(bias=-2.21, score=-0.06, below_best=1.012, lead=0.328),
        background=9.6,
    ),
)  # fmt: skip
"""For an embedder that gives only one vector for a passage. It cannot tell which turns need memories."""

FULL = RankingModel(
    SignalWeights(
        nearby_words=0.1, conversation_words=2.7, nearby_meaning=9.4, conversation_meaning=5.0, answers=3.5,
        is_question=-0.5, time=4.2, recent=1.0, user=2.5, assistant=5.0, speaker=1.0, phrase=2.0, importance=0.3,
        usefulness=10.0, stated=1.5, statement=4.4,
    ),
    RelevanceModel(
        CandidateModel(bias=-0.87, score=-0.023, below_best=0.652, lead=0.178, place=-0.924),
        TurnModel(bias=-2.24, need=1.946, best=-0.035, lead=0.399),
        background=11.9,
    ),
)  # fmt: skip
"""For words and token vectors together.

`assistant` compensates `stated` and `statement` if a question asks what the assistant said. The model of the turn is fitted
by `benchmarks/make_probes.py` on the probes' results for turns they have not seen.
"""

MESSAGES = RankingModels(FULL, VECTORS, WORDS)

DOCUMENTS = RankingModels(
    RankingModel(
        SignalWeights(
            nearby_words=2.0, meaning=2.0, nearby_meaning=11.7, conversation_meaning=7.3, answers=2.0, is_question=-0.4,
            time=4.8, user=2.5, assistant=1.4, speaker=0.8, phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-11.45, score=0.72)),
    ),
    RankingModel(
        SignalWeights(
            words=-0.6, nearby_words=11.4, conversation_words=3.8, meaning=2.0, nearby_meaning=1.6,
            conversation_meaning=2.3, answers=3.4, is_question=-0.6, time=5.1, user=2.5, assistant=1.4, speaker=0.6,
            phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-5.55, score=0.59)),
    ),
    RankingModel(
        SignalWeights(
            words=0.7, nearby_words=12.0, conversation_words=5.7, answers=1.4, is_question=-0.6, time=4.9, user=2.5,
            assistant=1.4, speaker=0.9, phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-4.81, score=0.58)),
    ),
)  # fmt: skip
