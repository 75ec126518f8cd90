"""The conformance suite for artifacts and receipts: tests that every storage which stores them must pass.

Subclass it and give it a `storage` fixture. Messages are added through `Memory`, as users do; `settle_notes_task` takes the
role of the extraction worker.
"""

from __future__ import annotations

from keepsaid.testing.artifact_conformance.base import (
    NOTES_LINE,
    OWNER_SCOPE,
    claim_notes_task,
    find_artifact_ids,
    find_message_ids,
    list_summary_ends,
    make_artifact,
    make_receipt,
    settle_notes_task,
)
from keepsaid.testing.artifact_conformance.notes_queue import NotesQueueConformance
from keepsaid.testing.artifact_conformance.privacy import PrivacyConformance
from keepsaid.testing.artifact_conformance.queries import ArtifactQueryConformance
from keepsaid.testing.artifact_conformance.receipts import ReceiptConformance
from keepsaid.testing.artifact_conformance.retention import ArtifactRetentionConformance
from keepsaid.testing.artifact_conformance.statistics import StatisticsConformance
from keepsaid.testing.artifact_conformance.summaries import SummaryConformance

__all__ = [
    "NOTES_LINE",
    "OWNER_SCOPE",
    "ArtifactConformance",
    "claim_notes_task",
    "find_artifact_ids",
    "find_message_ids",
    "list_summary_ends",
    "make_artifact",
    "make_receipt",
    "settle_notes_task",
]


class ArtifactConformance(
    ArtifactQueryConformance,
    NotesQueueConformance,
    SummaryConformance,
    ArtifactRetentionConformance,
    ReceiptConformance,
    PrivacyConformance,
    StatisticsConformance,
):
    """Tests of artifacts, receipts, snapshots, privacy and figures."""
