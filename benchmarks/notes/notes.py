"""Recall and precision of fact extraction, on labeled sentences.

A sentence counts as noted if a claim's span overlaps it; `extract_claims` reads the whole message with the messages before
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.notes.note_labels import INSTRUCTIONS, LabelledSentence, read_labels, read_own
from keepsaid.engine.facts import FactClaim, extract_claims

HALVES = ("tune", "report")


@dataclass(slots=True)
class NoteCount:
    """Of some sentences: how many are worth a note and were noted, and so on."""

    hit: int = 0
    missed: int = 0
    wrong: int = 0
    right_kind: int = 0
    by_kind: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """For each labelled kind: how many were noted, of how many."""

    def add(self, sentence: LabelledSentence, found: Sequence[FactClaim]) -> None:
        """Count one sentence and the claims on it."""
        if not sentence.note:
            self.wrong += bool(found)
            return
        self.hit += bool(found)
        self.missed += not found
        self.right_kind += any(claim.kind == sentence.kind for claim in found)
        noted = self.by_kind.setdefault(sentence.kind, [0, 0])
        noted[0] += bool(found)
        noted[1] += 1

    def figures(self) -> dict[str, Any]:
        """Return percentages; None where there is nothing to divide by."""
        return {
            "sentences_worth_a_note": self.hit + self.missed,
            "noted": self.hit + self.wrong,
            "recall": _percent(self.hit, self.hit + self.missed),
            "precision": _percent(self.hit, self.hit + self.wrong),
            "kind_agrees": _percent(self.right_kind, self.hit),
            "recall_by_kind": {kind: f"{noted}/{of}" for kind, (noted, of) in sorted(self.by_kind.items())},
        }


def run(labels: Path, data: Path | None) -> list[dict[str, Any]]:
    """Return the figures by set and half, with and without sentences whose label is borderline."""
    sentences = [*(read_labels(labels, data) if data else ()), *read_own(labels)]
    return [
        {"set": name, "half": half, "borderline": borderline} | count.figures()
        for (name, half, borderline), count in sorted(_counted(sentences).items())
    ]


def _counted(sentences: Iterable[LabelledSentence]) -> dict[tuple[str, str, str], NoteCount]:
    counts: dict[tuple[str, str, str], NoteCount] = {}
    read: dict[int, list[FactClaim]] = {}  # by the identity of a message, which several sentences share
    for one in sentences:
        if id(one.message) not in read:
            read[id(one.message)] = extract_claims(one.message, one.before)
        found = [claim for claim in read[id(one.message)] if claim.start < one.end and claim.end > one.start]
        folder, _, language = one.set.partition("/")
        if folder == INSTRUCTIONS:
            # What only looks like an instruction may be worth a note of another kind.
            found = [claim for claim in found if claim.kind == "instruction"]
        # Our own sentences have no borderline labels.
        views = ("with",) if one.borderline or language else ("with", "without")
        for name in (one.set, folder if language else "public"):
            for borderline in views:
                counts.setdefault((name, one.half, borderline), NoteCount()).add(one, found)
    return counts


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the figures as lines of text."""
    head = f"{'set':17}{'half':8}{'borderline':12}{'worth':>6}{'noted':>7}{'recall':>8}{'precision':>11}{'kind':>7}  by kind"
    return "\n".join([head, *map(_line, rows)])


def _line(row: dict[str, Any]) -> str:
    kinds = " ".join(f"{kind} {share}" for kind, share in row["recall_by_kind"].items())
    return (
        f"{row['set']:17}{row['half']:8}{row['borderline']:12}{row['sentences_worth_a_note']:>6}{row['noted']:>7}"
        f"{_shown(row['recall']):>8}{_shown(row['precision']):>11}{_shown(row['kind_agrees']):>7}  {kinds}"
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _percent(part: int, of: int) -> float | None:
    return round(100 * part / of, 1) if of else None
