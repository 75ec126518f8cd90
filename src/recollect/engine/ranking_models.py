"""What the ranking weighs, and what its scores mean: fitted by `recollect bench tune` on the tuning halves of the data sets.

There is one model for each kind of evidence: words and token vectors together (`full`), one vector for a passage
(`vectors`), and words alone (`words`). Documents have models of their own: nobody states anything in them, and they do
not fade.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.engine.rank import Weights
from recollect.engine.relevance import CandidateModel, RelevanceModel, TurnModel


class RankingModel(NamedTuple):
    """Weights of the signals, and how likely a candidate with a sum of them helps."""

    weights: Weights
    relevance: RelevanceModel


class RankingModels(NamedTuple):
    """A model for each kind of evidence."""

    full: RankingModel
    vectors: RankingModel
    words: RankingModel

    def for_evidence(self, *, has_meaning: bool, has_tokens: bool) -> RankingModel:
        """The model for what is known of the candidates."""
        return self.full if has_tokens else self.vectors if has_meaning else self.words


WORDS = RankingModel(
    Weights(
        words=5.9, nearby_words=6.5, talk_words=8.4, answers=3.7, is_question=-1.4, time=4.1, recent=0.5, user=2.5,
        assistant=1.4, speaker=1.0, phrase=2.0, importance=0.3, stated=2.5,
    ),
    RelevanceModel(
        CandidateModel(bias=-1.83, score=0.047, below_best=1.212, lead=0.148),
        background=5.1,
    ),
)  # fmt: skip
"""For a store without an embedder, and for searches by words alone. Words do not tell which turns need memories (a fitted
turn model silenced small stores), so any turn that shares a content word with a memory gets the best of them.
`stated` is held at less than a fit wants (3.3): answers of assistants count, too."""

VECTORS = RankingModel(
    Weights(
        words=2.0, nearby_words=5.2, talk_words=4.7, meaning=5.0, nearby_meaning=3.9, talk_meaning=7.2, answers=6.6,
        is_question=-1.8, time=4.3, recent=1.0, user=2.5, assistant=1.4, speaker=1.0, phrase=2.0, importance=0.3, stated=1.7,
    ),
    RelevanceModel(
        CandidateModel(bias=-2.21, score=-0.06, below_best=1.012, lead=0.328),
        background=9.6,
    ),
)  # fmt: skip
"""For an embedder that gives one vector for a passage and no more. Which turns need memories is not known of those."""

FULL = RankingModel(
    Weights(
        nearby_words=-0.1, talk_words=3.2, nearby_meaning=10.9, talk_meaning=4.4, answers=3.6, is_question=-0.7, time=4.2,
        recent=1.0, user=2.5, assistant=5.0, speaker=1.0, phrase=2.0, importance=0.3, closeness=8.3, stated=1.5,
        statement=3.9,
    ),
    RelevanceModel(
        CandidateModel(bias=-1.58, score=-0.078, below_best=1.062, lead=0.316),
        TurnModel(bias=-1.96, need=1.981, best=-0.03, lead=0.357),
        background=12.1,
    ),
)  # fmt: skip
"""For words and token vectors together. `assistant` makes up for `stated` and `statement` where a question asks for what the
assistant said. The turn's model is fitted by `docs/make_probes.py`, on what probes say of turns that they have not seen."""

MESSAGES = RankingModels(FULL, VECTORS, WORDS)

DOCUMENTS = RankingModels(
    RankingModel(
        Weights(
            nearby_words=2.0, meaning=2.0, nearby_meaning=11.7, talk_meaning=7.3, answers=2.0, is_question=-0.4, time=4.8,
            user=2.5, assistant=1.4, speaker=0.8, phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-11.45, score=0.72)),
    ),
    RankingModel(
        Weights(
            words=-0.6, nearby_words=11.4, talk_words=3.8, meaning=2.0, nearby_meaning=1.6, talk_meaning=2.3, answers=3.4,
            is_question=-0.6, time=5.1, user=2.5, assistant=1.4, speaker=0.6, phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-5.55, score=0.59)),
    ),
    RankingModel(
        Weights(
            words=0.7, nearby_words=12.0, talk_words=5.7, answers=1.4, is_question=-0.6, time=4.9, user=2.5, assistant=1.4,
            speaker=0.9, phrase=2.0, importance=0.3,
        ),
        RelevanceModel(CandidateModel(bias=-4.81, score=0.58)),
    ),
)  # fmt: skip
